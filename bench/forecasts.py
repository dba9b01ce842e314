"""Blends and quantiles on M4's hourly series: beside Projection, and beside an unconstrained head of quantiles.

    pip install ./python pandas scipy
    python bench/forecasts.py Hourly-train.csv --series 100 --store forecasts.jsonl

Hourly-train.csv is that of the M4 competition (https://github.com/Mcompetitions/M4-methods/tree/master/Dataset). For
each series `hcr windows` cuts 48 values in and 48 out, 20 % of the windows for training, drawn at random or the first
ones; the region is the range and the largest step of the training windows, and targets are projected into it. All
models have the same encoder, epochs and rate. Finished series are kept in the store, so that a run can go on.

- error: squared, in units of the variance of the test targets. Projection is an unconstrained head whose predictions
  are projected afterwards. The blend has four members and a seasonal one.
- quantiles: 0.1, 0.5, 0.9, calibrated on a fifth of the training windows; the unconstrained head has the same loss, and
  three columns an output that know nothing of each other. Weighted quantile loss: 2 Σ pinball / Σ |y|, the mean over
  the levels.
"""

import argparse
import collections
import json
import pathlib

import hcr
import numpy as np
from scipy.stats import wilcoxon

from experiments.problems import _choose, _windows

LEVELS = (0.1, 0.5, 0.9)
FIT = {"encoder": "dense", "hidden": 64, "epochs": 60, "rate": 3e-3, "seed": 1}
BLEND = {"members": 4, "blend": ["hcr-project", "hcr-contract"], "season": 24, "validation": 0.1}


def pinball(y, predicted, level):
    miss = y - predicted
    return np.maximum(level * miss, (level - 1) * miss)


def measured(problem, levels):
    """What is told of quantiles, (rows, 48, levels)."""
    y = problem.y_test
    loss = [2 * pinball(y, levels[..., k], level).sum() / np.abs(y).sum() for k, level in enumerate(LEVELS)]
    rows = [np.ascontiguousarray(levels[..., k]) for k in range(len(LEVELS))]
    return {
        "loss": float(np.mean(loss)),
        "coverage": [float((y <= row).mean()) for row in rows],
        "crossings": int((np.diff(levels, axis=-1) < 0).any(axis=(1, 2)).sum()),
        "outside": int(sum((~problem.region.check(row)).sum() for row in rows)),
        "rows": len(y),
    }


def unconstrained(problem):
    """Each level by itself, with the same loss, encoder and calibration: no region but a far box."""
    n = problem.region.n
    largest = 1e3 * float(np.abs(problem.y_train).max())
    free = hcr.Region(f"var y[{n}] in [{-largest!r}, {largest!r}]")
    order = np.random.default_rng(1).permutation(len(problem.x_train))
    held, kept = np.split(order, [max(1, len(order) // 5)])
    parts = []
    for level in LEVELS:
        model = hcr.fit(free, problem.x_train[kept], problem.y_train[kept], head="hcr-project", loss="pinball",
                        quantile=level, **FIT)  # fmt: skip
        deviation = np.maximum(problem.y_train.std(axis=0), 1e-12)
        miss = ((problem.y_train[held] - model.predict(problem.x_train[held])) / deviation).reshape(-1)
        shift = np.quantile(miss, level, method="higher")
        parts.append(model.predict(problem.x_test) + shift * deviation)
    return np.stack(parts, axis=-1)


def run(command, path, series, split):
    problem = _windows(command, path, series, 48, split, 0)
    X, Y, last = problem.x_train, problem.y_train, split == "time"
    predicted = {
        "projection": problem.region.project(
            hcr.fit(problem.region, X, Y, head="simple", **FIT).predict(problem.x_test)
        ),
        "blend": hcr.fit(problem.region, X, Y, **FIT, **BLEND, validation_last=last).predict(problem.x_test),
    }
    record = {"series": series, "split": split, "rows": len(problem.x_test)}
    for name, values in predicted.items():
        record[name] = float(((values - problem.y_test) ** 2).mean() / problem.unit)
        record[f"{name} outside"] = int((~problem.region.check(values)).sum())
    model = hcr.fit(problem.region, X, Y, quantiles=LEVELS, validation=0.2, calibrate=True, **FIT)
    record["quantiles"] = measured(problem, model.predict(problem.x_test))
    record["unconstrained"] = measured(problem, unconstrained(problem))
    return record


def compare(records, name):
    a, b = (np.array([record[key] for record in records]) for key in ("projection", "blend"))
    p = wilcoxon(a, b).pvalue if len(a) > 5 else float("nan")
    outside = sum(record["blend outside"] for record in records)
    print(
        f"| {name} | {len(a)} | {a.mean():.4f} | {b.mean():.4f} | {100 * (b.mean() / a.mean() - 1):+.1f} % "
        f"| {100 * (np.median(b) / np.median(a) - 1):+.1f} % | {(b < a).sum()} | {p:.1e} "
        f"| {outside} of {sum(record['rows'] for record in records)} |"
    )


def compare_quantiles(records, name, key):
    found = [record[key] for record in records]
    loss = np.array([one["loss"] for one in found])
    ratio = np.exp(np.mean(np.log(loss / np.array([record["unconstrained"]["loss"] for record in records]))))
    coverage = " / ".join(f"{share:.3f}" for share in np.mean([one["coverage"] for one in found], axis=0))
    rows = sum(one["rows"] for one in found)
    crossings, outside = (sum(one[what] for one in found) for what in ("crossings", "outside"))
    print(f"| {name} | {key} | {loss.mean():.4f} | {ratio:.3f} | {coverage} | {crossings} of {rows} "
          f"| {outside} of {len(LEVELS) * rows} |")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path")
    parser.add_argument("--command", default="hcr")
    parser.add_argument("--series", type=int, default=100)
    parser.add_argument("--store", type=pathlib.Path, default=pathlib.Path("forecasts.jsonl"))
    arguments = parser.parse_args()
    known = [json.loads(line) for line in arguments.store.open()] if arguments.store.exists() else []
    done = {(record["series"], record["split"]) for record in known}
    for series in _choose(arguments.path, arguments.series, 480):
        for split in ("random", "time"):
            if (series, split) not in done:
                record = run(arguments.command, arguments.path, series, split)
                known.append(record)
                with arguments.store.open("a") as file:
                    file.write(json.dumps(record) + "\n")
    by_split = collections.defaultdict(list)
    for record in known:
        by_split[{"random": "random windows", "time": "first windows"}[record["split"]]].append(record)
    print("| training | series | Projection | blend | mean | median | better | Wilcoxon p | outside |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name, records in by_split.items():
        compare(records, name)
    print("\n| training | head | loss | of unconstrained | at or below 0.1 / 0.5 / 0.9 | crossings | outside |")
    print("|---|---|---:|---:|---|---:|---:|")
    for name, records in by_split.items():
        for key in ("unconstrained", "quantiles"):
            compare_quantiles(records, name, key)


if __name__ == "__main__":
    main()
