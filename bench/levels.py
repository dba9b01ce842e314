"""Inputs relative to the window's level, on M4's hourly series: errors and quantiles beside those of plain inputs.

    pip install ./python pandas scipy
    python bench/levels.py Hourly-train.csv --series 50

Series, windows, regions and networks are those of bench/forecasts.py, the head is hcr-contract. The level is the mean
of the 48 inputs. It is taken off inputs and targets and is a parameter of the region, as docs/forecasting.md has it.
"""

import argparse

import hcr
import numpy as np
from forecasts import FIT, LEVELS, measured
from scipy.stats import wilcoxon

from experiments.problems import _choose, _windows


def relative_region(problem, levels):
    smallest, largest, step = problem.limits
    room = 0.01 * float(np.ptp(levels)) + 1e-9
    text = """
    var change[48]
    param level in [least, most]
    smallest <= change + level <= largest
    abs(diff(change)) <= step
    """
    least, most = float(levels.min()) - room, float(levels.max()) + room
    return hcr.Region(text, smallest=smallest, largest=largest, step=step, least=least, most=most)


def run(command, path, series, split):
    """Squared errors and quantiles' measures, plain and relative."""
    problem = _windows(command, path, series, 48, split, 0)
    trained, tested = (x.mean(axis=1, keepdims=True) for x in (problem.x_train, problem.x_test))
    region = relative_region(problem, np.concatenate([trained, tested]))
    errors, quantiles = [], []
    for options in ({}, {"quantiles": LEVELS}):
        given = {"head": "hcr-contract", **FIT, **options}
        plain = hcr.fit(problem.region, problem.x_train, problem.y_train, **given).predict(problem.x_test)
        model = hcr.fit(region, problem.x_train - trained, problem.y_train - trained, parameters=trained, **given)
        relative = model.predict(problem.x_test - tested, tested)
        relative = relative + (tested[..., None] if options else tested)
        if options:
            quantiles = [measured(problem, values) for values in (plain, relative)]
        else:
            errors = [float(((y - problem.y_test) ** 2).mean() / problem.unit) for y in (plain, relative)]
    return errors, quantiles


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path")
    parser.add_argument("--command", default="hcr")
    parser.add_argument("--series", type=int, default=50)
    arguments = parser.parse_args()
    print("| training | inputs | error: mean | median | series better | p | quantile loss | shares at or below |")
    print("|---|---|---:|---:|---:|---:|---:|---|")
    for split, name in (("random", "random windows"), ("time", "first windows")):
        found = [run(arguments.command, arguments.path, series, split)
                 for series in _choose(arguments.path, arguments.series, 480)]  # fmt: skip
        errors = np.array([one[0] for one in found])
        loss = np.array([[each["loss"] for each in one[1]] for one in found])
        coverage = np.array([[each["coverage"] for each in one[1]] for one in found]).mean(axis=0)
        better, p = (errors[:, 1] < errors[:, 0]).sum(), wilcoxon(errors[:, 1], errors[:, 0]).pvalue
        for k, inputs in enumerate(("plain", "relative")):
            ratio = np.exp(np.log(loss[:, k] / loss[:, 0]).mean())
            told = f"{better} of {len(found)} | {p:.0e}" if k else "|"
            shares = " / ".join(f"{share:.3f}" for share in coverage[k])
            print(f"| {name} | {inputs} | {errors[:, k].mean():.4f} | {np.median(errors[:, k]):.4f} | {told} "
                  f"| {ratio:.3f} | {shares} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
