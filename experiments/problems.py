"""The data of both experiments: problems, each with its region, its rows, and the budget that all methods have."""

from __future__ import annotations

import functools
import pathlib
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import hcr
import numpy as np
import pandas as pd

Array = np.ndarray[Any, Any]


@dataclass
class Problem:
    """Rows to train and test on, and a region, of which the targets are points."""

    region: hcr.Region  # its origin is the centre of a largest ball
    centred: hcr.Region  # its origin is the mean of the training targets
    x_train: Array
    y_train: Array
    x_test: Array
    y_test: Array
    unit: float  # squared errors are given in it
    budget: dict[str, Any]  # of hcr.fit, the same for all methods
    limits: tuple[float, float, float] | None = None  # of a series: smallest and largest value, largest step
    of_blends: dict[str, Any] = field(default_factory=dict)  # of hcr.fit, for the method Blend


@dataclass
class Task:
    """A problem that is yet to be made."""

    table: str  # the title of the table that it counts for
    label: str
    make: Callable[[], Problem]


@dataclass
class Experiment:
    name: str
    error: str  # what the error is called
    methods: tuple[str, ...]
    tasks: list[Task]
    settings: dict[str, Any]  # what decides the results
    published: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)  # by table and method
    searches: str = ""  # the table on whose problems Algorithm 1 is measured

    def tables(self) -> list[str]:
        return list(dict.fromkeys(task.table for task in self.tasks))


def _project(text: str, constants: dict[str, float], y_train: Array, y_test: Array) -> tuple[Any, ...]:
    region = hcr.Region(text, **constants)
    y_train, y_test = region.project(y_train), region.project(y_test)
    return region, hcr.Region.from_text(text + "origin = mean\n", constants, mean_of=y_train), y_train, y_test


# ------------------------------------------------------------------------------------------------------- synthetic

INPUTS, OUTPUTS, RADIUS = 128, 768, 10.0
#: Of the draws 0 … 9 of W the one whose error of Simple is nearest to the published one.
DRAW = 1


class _Draws:
    """Uniform numbers from splitmix64 (Steele, Lea and Flood, 2014): the data are the same on every machine."""

    def __init__(self, seed: int) -> None:
        self._state, self._drawn = np.uint64(seed << 32), 0

    def __call__(self, rows: int, columns: int, largest: float) -> Array:
        count = np.arange(self._drawn + 1, self._drawn + rows * columns + 1, dtype=np.uint64)
        self._drawn += rows * columns
        z = self._state + count * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        unit = ((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return (largest * (2 * unit - 1)).reshape(rows, columns)


def _in_order(terms: Array) -> Array:
    """Sums over the last axis from the first term to the last, so that they don't depend on the machine."""
    return np.add.accumulate(terms, axis=-1)[..., -1]


def _ball(draw_of_W: int, seed: int, epochs: int) -> Problem:
    """y = R W x, where rows of W sum to 1, projected into the ball |y| <= R."""
    draw = _Draws(draw_of_W)
    W = draw(OUTPUTS, INPUTS, 10)
    W /= _in_order(W)[:, None]
    x_train, x_test = draw(500, INPUTS, 0.8), draw(1000, INPUTS, 1)
    targets = [RADIUS * np.array([_in_order(W * row) for row in x]) for x in (x_train, x_test)]
    region, centred, y_train, y_test = _project(f"var y[{OUTPUTS}]\nnorm(y) <= {RADIUS:g}\n", {}, *targets)
    budget = dict(encoder="dense", hidden=128, epochs=epochs, rate=1e-3, common_scale=True, seed=seed)
    return Problem(region, centred, x_train, y_train, x_test, y_test, 1, budget)


def synthetic(seeds: int, epochs: int) -> Experiment:
    fixed, drawn = "Synthetic: one draw of W, a seed for each training", "Synthetic: a draw of W for each seed"
    tasks = [Task(fixed, f"seed-{seed}", functools.partial(_ball, DRAW, seed, epochs)) for seed in range(seeds)]
    tasks += [Task(drawn, f"draw-{seed}", functools.partial(_ball, seed, seed, epochs)) for seed in range(seeds)]
    published = {
        "simple": {"error": "0.071 ± 0.001", "inside": "0.341 ± 0.009"},
        "lagrangian": {"error": "0.068 ± 0.018", "inside": "0.912 ± 0.029"},
        "projection": {"error": "0.050 ± 0.001", "inside": "1", "time": "70 ms, max. 125 ms"},
        "hcr": {"error": "0.010 ± 0.002", "inside": "1", "time": "100 µs, max. 200 µs"},
    }
    methods = ("simple", "lagrangian", "projection", "hcr", "direct", "contract", "soften", "project")
    settings = {"experiment": "synthetic", "seeds": seeds, "epochs": epochs}
    return Experiment("synthetic", "MSE", methods, tasks, settings, {fixed: published, drawn: published})


# -------------------------------------------------------------------------------------------------------------- M4

#: Kind of series: the horizon that M4 asks for, and the fewest values that leave enough training windows.
HORIZONS = {"hourly": (48, 480), "weekly": (13, 260)}


def _windows(command: str, path: str, series: str, length: int, split: str, epochs: int) -> Problem:
    """The series cut by `hcr windows`. Targets are kept within what the series did in its training windows."""
    with tempfile.TemporaryDirectory() as folder:
        cut = [command, "windows", path, "--id", series, "--split", split, "--seed", "1", "-o", folder]
        subprocess.run([*cut, "--input", str(length), "--output", str(length)], check=True, stdout=subprocess.DEVNULL)
        read = {name: pd.read_csv(pathlib.Path(folder) / f"{name}.csv", float_precision="round_trip").to_numpy()
                for name in ("x_train", "y_train", "x_test", "y_test", "limits")}  # fmt: skip
    smallest, largest, step = map(float, read["limits"][0])
    text = f"var y[{length}]\nsmallest <= y <= largest\nabs(y[1:] - y[:-1]) <= largest_step\n"
    constants = {"smallest": smallest, "largest": largest, "largest_step": step}
    region, centred, y_train, y_test = _project(text, constants, read["y_train"], read["y_test"])
    budget = dict(encoder="lstm", hidden=64, epochs=epochs, rate=3e-3, seed=1)
    blends = {"season": 24 if length == 48 else 0, "validation_last": split == "time"}
    # R-MSE is in units of the variance of the test targets as the series has them.
    unit = float(read["y_test"].var())
    return Problem(region, centred, read["x_train"], y_train, read["x_test"], y_test, unit, budget,
                   (smallest, largest, step), blends)  # fmt: skip


def _choose(path: str, wanted: int, shortest: int) -> list[str]:
    """Ids of every k-th series of the file from the first on, passing over those that are too short."""
    frame = pd.read_csv(path, index_col=0)
    lengths, chosen = frame.notna().sum(axis=1), []
    wanted = min(wanted, len(frame))
    for k in range(wanted):
        part = lengths.iloc[k * len(frame) // wanted : (k + 1) * len(frame) // wanted]
        chosen += list(part.index[part >= shortest][:1])
    if not chosen:
        raise SystemExit(f"{path}: no series has the {shortest} values that its windows need")
    return [str(series) for series in chosen]


def m4(command: str, paths: dict[str, str], count: int, epochs: int) -> Experiment:
    tasks = []
    for kind, path in paths.items():
        length, shortest = HORIZONS[kind]
        for split, which in (("random", "random"), ("time", "the first")):
            table = f"M4 {kind}, {which} windows for training"
            for series in _choose(path, count, shortest):
                make = functools.partial(_windows, command, path, series, length, split, epochs)
                tasks.append(Task(table, f"{kind}-{series}-{split}", make))
    published = {
        "simple": {"error": "0.125 ± 0.051", "inside": "0.894 ± 0.111"},
        "lagrangian": {"error": "0.191 ± 0.050", "inside": "0.980 ± 0.041"},
        "projection": {"error": "0.124 ± 0.049", "inside": "1", "time": "1 ms, max. 4 ms"},
        "hcr": {"error": "0.130 ± 0.047", "inside": "1", "time": "100 µs, max. 1 ms"},
    }
    methods = ("simple", "lagrangian", "projection", "hcr", "hcr-mean", "direct", "direct-mean", "contract",
               "contract-mean", "contract-raw", "soften", "project", "blend")  # fmt: skip
    settings = {"experiment": "m4", "series": [task.label for task in tasks], "epochs": epochs}
    of_paper = {task.table: published for task in tasks if task.table.startswith("M4 hourly")}
    return Experiment("m4", "R-MSE", methods, tasks, settings, of_paper, tasks[0].table)
