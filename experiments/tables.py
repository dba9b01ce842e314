"""Records as the tables of docs/experiments.md."""

from __future__ import annotations

import itertools
import math

import pandas as pd
import scipy.stats

from .problems import Experiment
from .trials import METHODS


def frame(records: list[dict]) -> pd.DataFrame:  # type: ignore[type-arg]
    """The records of methods, a row each, in the order of the methods."""
    found = pd.DataFrame([record for record in records if record["method"] in METHODS])
    order = pd.Categorical(found["method"], categories=list(METHODS), ordered=True)
    return found.assign(method=order).sort_values("method", kind="stable")


def _time(seconds: float | None) -> str:
    if seconds is None or math.isnan(seconds):
        return "–"
    for size, unit in ((1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms")):
        if seconds < 0.9995e3 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def _spread(values: pd.Series[float], digits: int) -> str:
    deviation = values.std()
    return f"{values.mean():.{digits}f}" + ("" if math.isnan(deviation) else f" ± {deviation:.{digits}f}")


def _share(values: pd.Series[float]) -> str:
    """Shares of 1 are kept apart from those that only round to it."""
    mean = values.mean()
    return "1" if mean == 1 else _spread(values, 3) if mean < 0.9995 else "0.999"


def _compared(errors: pd.DataFrame, method: str) -> str:
    """On how many problems a method's error is lower than Projection's, and Wilcoxon's signed-rank test of that."""
    if method == "projection" or "projection" not in errors:
        return "–"
    pairs = (errors[method] - errors["projection"]).dropna()
    text = f"on {(pairs < 0).sum()} of {len(pairs)}"
    if (pairs != 0).sum() < 6:
        return text
    p = scipy.stats.wilcoxon(pairs, correction=True, method="asymptotic").pvalue
    return f"{text}, p = {p:.2g}"


def _row(experiment: Experiment, title: str, method: str, runs: pd.DataFrame, errors: pd.DataFrame) -> list[str]:
    paper = experiment.published.get(title, {}).get(method, {})
    timed, searched = (what in runs and runs[what].notna().any() for what in ("average_time", "candidates"))
    average = _time(runs["average_time"].mean()) if timed else "–"
    if method == "projection" and runs["average_time_outside"].notna().any():
        average += f", outside {_time(runs['average_time_outside'].mean())}"
    return [
        METHODS[method].title,
        _spread(runs["error"], 4),
        paper.get("error", "–"),
        _share(runs["inside"]),
        _share(pd.Series([runs["inside_1e-6"].mean()])),
        paper.get("inside", "–"),
        average,
        _time(runs["largest_time"].max()) if timed else "–",
        paper.get("time", "–"),
        f"{runs['candidates'].mean():.2f}" if searched else "–",
        _compared(errors, method),
    ]


def _markdown(rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def out_of_order(experiment: Experiment, found: pd.DataFrame) -> list[str]:
    """What every run has to show, and didn't."""
    wrong = []
    for title, runs in found.groupby("table", sort=False):
        error, inside = (runs.groupby("method", observed=True)[what].mean() for what in ("error", "inside"))
        sure = [method for method in error.index if METHODS[method].map or method == "projection"]
        wrong += [f"{title}: {METHODS[method].title} isn't always inside" for method in sure if inside[method] < 1]
        # Targets are inside a convex region, so that projection brings every prediction nearer to its own.
        order = ["projection", "simple"]
        if experiment.name == "synthetic":  # the paper's order, with every head of ours below Projection
            order = [max(sure[1:], key=lambda method: error[method]), "projection", "lagrangian", "simple"]
        wrong += [f"{title}: {METHODS[better].title} has no lower error than {METHODS[worse].title}"
                  for better, worse in itertools.pairwise(key for key in order if key in error)
                  if error[better] > error[worse]]  # fmt: skip
    return wrong


def tables(experiment: Experiment, found: pd.DataFrame) -> str:
    """A table for each group of problems."""
    header = ["method", experiment.error, "paper", "inside at 0", "inside at 1e-6", "paper", "mean time", "max. time",
              "paper", "candidates", "better than Projection"]  # fmt: skip
    texts = []
    for title, runs in found.groupby("table", sort=False):
        errors = runs.pivot(index="problem", columns="method", values="error")
        rows = [_row(experiment, str(title), str(method), of_method, errors)
                for method, of_method in runs.groupby("method", observed=True)]  # fmt: skip
        texts.append(f"**{title}**\n\n{_markdown([header, *rows])}\n")
    return "\n".join(texts)
