"""The methods, and what is measured of each on a problem: a record, which is one line of results.jsonl."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import hcr
import numpy as np

from .problems import Array, Problem

Record = dict[str, Any]


@dataclass
class Method:
    title: str
    colour: str
    head: Any  # of hcr.fit; None: another method's model
    map: str | None = None  # of the region, through which its predictions go
    mean: bool = False  # the region's origin is the mean of the targets
    options: dict[str, Any] | None = None  # of hcr.fit


METHODS = {
    "simple": Method("Simple", "#e08a2e", "simple"),
    "lagrangian": Method("Lagrangian", "#c1121f", "simple", options={"ascent": 10}),
    "projection": Method("Projection", "#6b4c9a", None),
    "hcr": Method("HCR", "#0b62a4", "hcr", "decode"),
    "hcr-mean": Method("HCR, origin at the mean", "#5aa9d6", "hcr", "decode", True),
    "direct": Method("HCR-direct", "#1b7f3b", "hcr-direct", "decode"),
    "direct-mean": Method("HCR-direct, origin at the mean", "#7fbf7b", "hcr-direct", "decode", True),
    "contract": Method("HCR-contract", "#111111", "hcr-contract", "contract"),
    "contract-mean": Method("HCR-contract, origin at the mean", "#777777", "hcr-contract", "contract", True),
    "contract-raw": Method("HCR-contract, origin at the mean, raw term", "#b8860b", "hcr-contract", "contract", True,
                           {"raw_weight": 1}),
    "soften": Method("HCR-soften", "#c08497", "hcr-soften", "soften"),
    "project": Method("HCR-project", "#00a6a6", "hcr-project", "project"),
    # Of windows of a series: two members of either head, and the mean of the input's whole days.
    "blend": Method("Blend", "#8c564b", "hcr-project", "project",
                    options={"members": 4, "blend": ["hcr-project", "hcr-contract"], "validation": 0.1}),
}  # fmt: skip

#: Times of single samples fall into bins, ten to a decade from 10 ns on.
BINS = 10.0 ** (np.arange(81) / 10 - 8)


class Stopped(Exception):
    """The run was interrupted during a training."""


# ----------------------------------------------------------------------------------------------------------- times


REPEATS = 32


def _least(call: Callable[[Array], Any], rows: Array) -> float:
    """Seconds of a call, the least of five: whatever else the machine does can only add to it."""
    least = np.inf
    for _ in range(5):
        start = time.perf_counter_ns()
        call(rows)
        least = min(least, 1e-9 * (time.perf_counter_ns() - start))
    return float(least)


def _times(call: Callable[[Array], Any], rows: Array) -> Array:
    """Seconds of each row. A call from Python takes longer than a map does, so each row is mapped many times in one
    call, of which the time of a call without rows is taken off."""
    empty = min(_least(call, rows[:0]) for _ in range(20))
    return np.array([max(_least(call, np.repeat(row[None], REPEATS, 0)) - empty, 0) / REPEATS for row in rows])


def _timed(times: Array) -> Record:
    bins = np.histogram(np.clip(times, BINS[0], BINS[-1]), BINS)[0]
    return {"average_time": float(times.mean()), "largest_time": float(times.max()), "bins": bins.tolist()}


# -------------------------------------------------------------------------------------------------------- measures


def _measure(problem: Problem, region: hcr.Region, predicted: Array) -> Record:
    inside = region.check(predicted)
    # How far beyond the boundary predictions are, seen from the Chebyshev centre.
    excess = np.where(inside, 0, np.maximum(problem.region.gauge(predicted - problem.region.origin) - 1, 0))
    return {
        "error": float(((predicted - problem.y_test) ** 2).mean() / problem.unit),
        "inside": float(inside.mean()),
        "inside_1e-6": float((region.violation(predicted)[0] <= 1e-6).mean()),
        "excess": float(excess.mean()),
    }


def _drawn(problem: Problem, predicted: Array) -> Record:
    """The window in the middle of the test rows, for the picture of forecasts."""
    if problem.limits is None:
        return {}
    row = len(predicted) // 2
    return {"before": problem.x_test[row].tolist(), "actual": problem.y_test[row].tolist(),
            "forecast": predicted[row].tolist(), "limits": problem.limits}  # fmt: skip


def _guarded(region: hcr.Region, name: str, predicted: Array) -> Record:
    """Effort of the region's map, for inputs that it maps to the predictions."""
    rows = region.encode(predicted) if name == "decode" else predicted - region.origin
    searching = region.searching("algorithm1")
    getattr(searching, name)(rows)
    return {"candidates": searching.intersections() / len(rows), **_timed(_times(getattr(region, name), rows))}


def train(problem: Problem, key: str, stopped: Callable[[], bool]) -> dict[str, Record]:
    """Trains a method. Simple's model serves Projection too. Records by method."""
    method = METHODS[key]
    region = problem.centred if method.mean else problem.region
    options = {**(method.options or {}), **(problem.of_blends if key == "blend" else {})}
    model = hcr.fit(region, problem.x_train, problem.y_train, head=method.head, **problem.budget, **options,
                    progress=lambda _: stopped())  # fmt: skip
    if stopped():
        raise Stopped
    predicted = model.predict(problem.x_test)
    record = {**_measure(problem, region, predicted), **_drawn(problem, predicted)}
    assert model.report is not None  # of a model that was just trained
    record["training_error"] = model.report.training_mse / problem.unit
    record["seconds"] = model.report.seconds
    records = {key: record}
    if method.map not in (None, "project"):  # what the network gave before the projection isn't known any more
        record.update(_guarded(region, method.map, predicted))
    if key == "simple":
        times = _times(region.project, predicted)
        outside = times[~region.check(predicted)]
        records["projection"] = {
            **_measure(problem, region, region.project(predicted)),
            **_timed(times),
            "average_time_outside": float(outside.mean()) if len(outside) else None,
        }
    return records


def search(problem: Problem) -> Record:
    """Candidates and time of Algorithm 1 over its multiplier, and of the other searches."""
    region, rows = problem.region, problem.region.encode(problem.y_test)
    radius = region.explain(as_dict=True)["inradius"]
    multipliers = (2.0 ** (np.arange(13) / 2 - 2)).tolist()
    searches = [("algorithm1", multiplier * radius) for multiplier in multipliers]
    found = []
    for name, multiplier in [*searches, ("full", 0.0), ("pruned", 0.0)]:
        searching = region.searching(name, base_multiplier=multiplier)
        searching.decode(rows)
        count = searching.intersections() / len(rows)
        found.append((count, _least(searching.decode, rows) / len(rows)))
    return {"multipliers": multipliers, "candidates": [c for c, _ in found], "times": [t for _, t in found]}
