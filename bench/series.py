"""What the benchmarks on M4's hourly series share: the loop over series, networks, the measures of quantiles, tables.

Hourly-train.csv is that of the M4 competition (https://github.com/Mcompetitions/M4-methods/tree/master/Dataset). For
each series `hcr windows` cuts 48 values in and 48 out, 20 % of the windows for training, drawn at random or the first
ones; the region is the range and the largest step of the training windows, and targets are projected into it. Finished
series are kept in the store, so that a run can go on.

Weighted quantile loss: 2 Σ pinball / Σ |y|, the mean over the levels. Where series drift, targets and quantiles stand
at the same limits, to rounding, in many rows. A quantile of such a distribution has a share below it of at most its
level, and of at least its level at or below it, so that both shares are told; at: to 1e-9 of the largest target.
"""

import argparse
import json
import pathlib

import numpy as np
from scipy.stats import wilcoxon

from experiments.problems import _choose, _windows

LEVELS = (0.1, 0.5, 0.9)
FIT = {"encoder": "dense", "hidden": 64, "epochs": 60, "rate": 3e-3, "seed": 1}
SPLITS = {"random": "random windows", "time": "first windows"}


def by_split(description, run, store, series):
    """The records of run(problem, split), lists by the name of the split. `store`, `series`: what is the default."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("path")
    parser.add_argument("--command", default="hcr")
    parser.add_argument("--series", type=int, default=series)
    parser.add_argument("--store", type=pathlib.Path, default=pathlib.Path(store))
    arguments = parser.parse_args()
    known = [json.loads(line) for line in arguments.store.open()] if arguments.store.exists() else []
    done = {(one["series"], one["split"]) for one in known}
    for name in _choose(arguments.path, arguments.series, 480):
        for split in SPLITS:
            if (name, split) not in done:
                problem = _windows(arguments.command, arguments.path, name, 48, split, 0)
                known.append({"series": name, "split": split, "found": run(problem, split)})
                with arguments.store.open("a") as file:
                    file.write(json.dumps(known[-1]) + "\n")
    return {title: [one["found"] for one in known if one["split"] == split] for split, title in SPLITS.items()}


def error(problem, predicted):
    """Squared, in units of the variance of the test targets."""
    return float(((predicted - problem.y_test) ** 2).mean() / problem.unit)


def pinball(y, predicted, level):
    miss = y - predicted
    return np.maximum(level * miss, (level - 1) * miss)


def measured(problem, levels):
    """What is told of quantiles, (rows, 48, levels)."""
    y = problem.y_test
    near = 1e-9 * np.abs(y).max()
    loss = [2 * pinball(y, levels[..., k], level).sum() / np.abs(y).sum() for k, level in enumerate(LEVELS)]
    rows = [np.ascontiguousarray(levels[..., k]) for k in range(len(LEVELS))]
    return {
        "loss": float(np.mean(loss)),
        "below": [float((y < row - near).mean()) for row in rows],
        "at or below": [float((y <= row + near).mean()) for row in rows],
        "crossings": int((np.diff(levels, axis=-1) < 0).any(axis=(1, 2)).sum()),
        "outside": int(sum((~problem.region.check(row)).sum() for row in rows)),
        "rows": len(y),
    }


def geometric(values, reference):
    """The geometric mean of ratios."""
    return float(np.exp(np.mean(np.log(np.divide(values, reference)))))


def better(values, reference):
    """Of how many series the value is lower, and Wilcoxon's p."""
    less = int(np.less(values, reference).sum())
    p = wilcoxon(values, reference).pvalue if len(values) > 5 else float("nan")
    return f"{less} of {len(values)}", f"{p:.0e}"


OF_QUANTILES = ("loss", "ratio", "its median", "below 0.1, 0.5, 0.9", "at or below", "rows that cross", "outside")


def of_quantiles(found, reference):
    """The cells of these columns, of what `measured` has told of each series."""
    loss, others = ([one["loss"] for one in each] for each in (found, reference))
    shares = [np.mean([one[what] for one in found], axis=0) for what in ("below", "at or below")]
    crossings, outside, rows = (sum(one[what] for one in found) for what in ("crossings", "outside", "rows"))
    middle = np.median(np.divide(loss, others))  # where windows stand at a limit, a few ratios are near 0
    return [f"{np.mean(loss):.4f}", f"{geometric(loss, others):.3f}", f"{middle:.3f}",
            *(", ".join(f"{share:.3f}" for share in each) for each in shares),
            f"{crossings:,} of {rows:,}", f"{outside:,} of {len(LEVELS) * rows:,}"]  # fmt: skip


def table(titles, rows):
    """Prints a table; the first two columns are text."""
    print(f"\n| {' | '.join(titles)} |\n|---|---|{'---:|' * (len(titles) - 2)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |")
