"""Blends and quantiles on M4's hourly series: beside Projection, and beside an unconstrained head of quantiles.

    pip install ./python pandas scipy
    python bench/forecasts.py Hourly-train.csv --series 100

Series, windows, regions and measures are those of bench/series.py; all models have the same encoder, epochs and rate.

- error: Projection is an unconstrained head whose predictions are projected afterwards. The blend has four members and
  a seasonal one.
- quantiles: 0.1, 0.5, 0.9, calibrated on a fifth of the training windows; the unconstrained head has the same loss, and
  three columns an output that know nothing of each other.
"""

import hcr
import numpy as np
from series import FIT, LEVELS, OF_QUANTILES, better, by_split, error, measured, of_quantiles, table

BLEND = {"members": 4, "blend": ["hcr-project", "hcr-contract"], "season": 24, "validation": 0.1}


def unconstrained(problem):
    """Each level by itself, with the same loss, encoder and calibration: no region but a far box."""
    n = problem.region.n
    largest = 1e3 * float(np.abs(problem.y_train).max())
    free = hcr.Region(f"var y[{n}] in [-{largest!r}, {largest!r}]")
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


def run(problem, split):
    region, X, Y = problem.region, problem.x_train, problem.y_train
    simple = hcr.fit(region, X, Y, head="simple", **FIT).predict(problem.x_test)
    blend = hcr.fit(region, X, Y, **FIT, **BLEND, validation_last=split == "time").predict(problem.x_test)
    model = hcr.fit(region, X, Y, quantiles=LEVELS, validation=0.2, calibrate=True, **FIT)
    return {
        "Projection": error(problem, region.project(simple)),
        "blend": error(problem, blend),
        "outside": int((~region.check(blend)).sum()),
        "unconstrained": measured(problem, unconstrained(problem)),
        "quantiles": measured(problem, model.predict(problem.x_test)),
    }


def of_blends(title, records):
    a, b = (np.array([record[key] for record in records]) for key in ("Projection", "blend"))
    change = [f"{100 * (of(b) / of(a) - 1):+.1f} %" for of in (np.mean, np.median)]
    outside, rows = sum(one["outside"] for one in records), sum(one["quantiles"]["rows"] for one in records)
    return [title, f"{a.mean():.4f}", f"{b.mean():.4f}", *change, *better(b, a), f"{outside} of {rows:,}"]


def main():
    found = by_split(__doc__, run, "forecasts.jsonl", 100)
    table(("training", "Projection", "blend", "change of the mean", "of the median", "series better", "Wilcoxon's p",
           "rows outside"), [of_blends(*each) for each in found.items()])  # fmt: skip
    rows = []
    for title, records in found.items():
        reference = [record["unconstrained"] for record in records]
        for head in ("unconstrained", "quantiles"):
            rows.append([title, head, *of_quantiles([record[head] for record in records], reference)])
    table(("training", "heads", *OF_QUANTILES), rows)


if __name__ == "__main__":
    main()
