"""Records as the pictures of docs/experiments.md."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from .trials import BINS, METHODS, Record

plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#e4e4e4",
                     "axes.edgecolor": "#666666", "font.size": 9, "axes.titlesize": 10})  # fmt: skip
NO_VIOLATION = 1e-9  # where a logarithmic axis shows what is exactly 0


def _panels(count: int, columns: int, width: float, height: float) -> tuple[Any, list[Any]]:
    rows = -(-count // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(columns * width, rows * height), squeeze=False)
    for unused in axes.flat[count:]:
        unused.remove()
    return figure, list(axes.flat[:count])


def _save(figure: Any, path: pathlib.Path, key: list[tuple[str, str]]) -> None:
    """With a key below that all panels share."""
    marks = [plt.Line2D([], [], color=colour, linewidth=3) for _, colour in key]
    lines = -(-len(key) // 4)
    bottom = (0.25 + 0.2 * lines) / figure.get_figheight()
    figure.legend(marks, [title for title, _ in key], loc="lower center", ncols=4, frameon=False)
    figure.tight_layout(rect=(0, bottom, 1, 1))
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _by_method(path: pathlib.Path, found: pd.DataFrame, draw: Callable[[Any, str, pd.DataFrame], None]) -> None:
    """A panel a table, in which each method is drawn in its colour."""
    panels = list(found.groupby("table", sort=False))
    figure, axes = _panels(len(panels), 2, 5.6, 3.6)
    for axis, (title, runs) in zip(axes, panels, strict=True):
        axis.set_title(title)
        for method, of_method in runs.groupby("method", observed=True):
            draw(axis, str(method), of_method)
    _save(figure, path, [(METHODS[method].title, METHODS[method].colour) for method in found["method"].unique()])


def violations(path: pathlib.Path, found: pd.DataFrame, error: str) -> None:
    """A point a run: its error over how far its predictions are beyond the boundary."""

    def draw(axis: Any, method: str, runs: pd.DataFrame) -> None:
        face = METHODS[method].colour if METHODS[method].map else "none"
        x = np.maximum(runs["excess"], NO_VIOLATION)
        axis.scatter(x, runs["error"], 16, edgecolors=METHODS[method].colour, facecolors=face)
        axis.set(xscale="log", yscale="log", xlim=(NO_VIOLATION / 3, 1e2), ylabel=error)
        axis.set_xticks([NO_VIOLATION, 1e-7, 1e-5, 1e-3, 0.1, 10], ["none", "1e-7", "1e-5", "1e-3", "0.1", "10"])
        axis.set_xlabel("mean distance beyond the boundary (gauge − 1)")

    _by_method(path, found, draw)


def times(path: pathlib.Path, found: pd.DataFrame) -> None:
    """A histogram a method: how long the post-processing of one sample takes."""

    def draw(axis: Any, method: str, runs: pd.DataFrame) -> None:
        bins = np.sum(runs["bins"].to_list(), axis=0)
        axis.stairs(bins / bins.sum(), BINS, color=METHODS[method].colour, linewidth=1.5)
        shown = BINS[np.append(bins, 0) > 0]
        axis.set(xscale="log", xlabel="post-processing of one sample, seconds", ylabel="share of the samples")
        low, high = axis.get_xlim() if len(axis.patches) > 1 else (np.inf, 0)
        axis.set_xlim(min(low, shown[0] / 2), max(high, shown[-1] * 3))

    _by_method(path, found[found["bins"].notna()], draw)


def forecasts(path: pathlib.Path, found: pd.DataFrame) -> None:
    """A window of each of six series: what happened, its limits, and what two methods forecast."""
    first = found[(found["table"] == found["table"].iloc[0]) & found["forecast"].notna()]
    pairs = first.pivot(index="problem", columns="method", values="forecast")[["simple", "contract"]].dropna()[:6]
    figure, axes = _panels(len(pairs), 3, 4.2, 3)
    for axis, (problem, pair) in zip(axes, pairs.iterrows(), strict=True):
        run = first[first["problem"] == problem].iloc[0]
        smallest, largest, step = run["limits"]
        hours, simple = np.arange(len(run["actual"])), np.array(pair["simple"])
        steps = np.abs(np.diff(simple, prepend=simple[0]))
        broken = (simple < smallest) | (simple > largest) | (steps > step)
        axis.fill_between(hours, smallest, largest, color="#e6efe3")
        axis.plot(np.arange(-len(run["before"]), 0), run["before"], color="#888888", linewidth=1)
        axis.plot(hours, run["actual"], color="#888888", linewidth=1.5)
        axis.plot(hours, simple, color="#e08a2e", linewidth=2.5)
        axis.plot(hours[broken], simple[broken], "o", color="#c1121f", markersize=4)
        axis.plot(hours, pair["contract"], color="#0b62a4", linewidth=1.5)
        axis.axvline(0, color="#999999", linestyle=":")
        axis.set_title(problem)
    _save(figure, path, [("what happened", "#888888"), ("Simple", "#e08a2e"), ("HCR-contract", "#0b62a4"),
                         ("breaks a limit", "#c1121f")])  # fmt: skip


def searches(path: pathlib.Path, records: list[Record]) -> None:
    """Candidates and time over Algorithm 1's multiplier, means over the problems."""
    figure, axes = _panels(2, 2, 5.6, 3.6)
    for axis, what, label in zip(
        axes, ("candidates", "times"), ("constraints intersected a sample", "seconds of a decode"), strict=True
    ):
        means = np.mean([record[what] for record in records], axis=0)
        axis.loglog(records[0]["multipliers"], means[:-2], "o-", color="#0b62a4", markersize=4)
        axis.axhline(means[-2], color="#888888")
        axis.axhline(means[-1], color="#1b7f3b")
        axis.set(xlabel="Algorithm 1's multiplier, in units of the inradius", ylabel=label)
    _save(figure, path, [("Algorithm 1", "#0b62a4"), ("all constraints", "#888888"), ("pruning", "#1b7f3b")])
