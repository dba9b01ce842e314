"""Sample paths of M4's hourly series: a model trained by the energy score, beside a bootstrap of residuals.

    pip install ./python pandas scipy
    python bench/samples.py Hourly-train.csv --series 24

Series, windows, regions and networks are those of bench/forecasts.py. The bootstrap adds whole rows of residuals, drawn
at random, to the predictions of a head hcr-project, and takes the sums to the nearest point of the region: residuals of
all training windows, or of a fifth that the head isn't trained on. The score is the fair energy score of 50 paths in
units of the training targets' deviations, as in hcr_learn.h, computed here from its definition.
"""

import argparse

import hcr
import numpy as np
from forecasts import FIT
from scipy.stats import wilcoxon

from experiments.problems import _choose, _windows

PATHS = 50
METHODS = ("bootstrap", "bootstrap, held out", "hcr-contract", "hcr-project")


def energy_score(problem, paths):
    """The mean over rows; paths (rows, PATHS, n)."""
    unit = problem.y_train.std(axis=0)
    size = lambda difference: np.sqrt(((difference / unit) ** 2).mean(axis=-1))  # noqa: E731
    near = size(paths - problem.y_test[:, None]).mean()
    apart = np.mean([size(row[:, None] - row).sum() for row in paths]) / (PATHS * (PATHS - 1))
    return near - apart / 2


def bootstrap(problem, kept, held):
    X, Y = problem.x_train, problem.y_train
    model = hcr.fit(problem.region, X[kept], Y[kept], head="hcr-project", **FIT)
    residuals = Y[held] - model.predict(X[held])
    drawn = np.random.default_rng(1).integers(len(residuals), size=(len(problem.x_test), PATHS))
    return problem.region.project(model.predict(problem.x_test)[:, None] + residuals[drawn])


def run(command, path, series, split):
    """The scores of METHODS, then how many paths of how many are outside."""
    problem = _windows(command, path, series, 48, split, 0)
    rows = len(problem.x_train)
    order = np.arange(rows) if split == "time" else np.random.default_rng(1).permutation(rows)
    kept, held = np.split(order, [rows - max(1, rows // 5)])
    everything = [bootstrap(problem, order, order), bootstrap(problem, kept, held)]
    for head in METHODS[2:]:
        model = hcr.fit(problem.region, problem.x_train, problem.y_train, head=head, samples=8, **FIT)
        everything.append(model.predict(problem.x_test, samples=PATHS))
    outside = sum(int((~problem.region.check(paths)).sum()) for paths in everything[2:])
    return [energy_score(problem, paths) for paths in everything], outside, 2 * PATHS * len(problem.x_test)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path")
    parser.add_argument("--command", default="hcr")
    parser.add_argument("--series", type=int, default=24)
    arguments = parser.parse_args()
    print("| training | paths | score | of bootstrap | series better | p | outside |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for split, name in (("random", "random windows"), ("time", "first windows")):
        found = [run(arguments.command, arguments.path, series, split)
                 for series in _choose(arguments.path, arguments.series, 480)]  # fmt: skip
        scores = np.array([one[0] for one in found]).T
        outside, paths = (sum(one[k] for one in found) for k in (1, 2))
        for k, method in enumerate(METHODS):
            ratio = np.exp(np.log(scores[k] / scores[0]).mean())
            p = wilcoxon(scores[k], scores[0]).pvalue if k else float("nan")
            told = f"{outside} of {paths}" if k > 1 else ""
            print(f"| {name} | {method} | {scores[k].mean():.4f} | {ratio:.3f} "
                  f"| {(scores[k] < scores[0]).sum()} of {len(found)} | {p:.0e} | {told} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
