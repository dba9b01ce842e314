"""Sample paths of M4's hourly series: a model trained by the energy score, beside a bootstrap of residuals.

    pip install ./python pandas scipy
    python bench/samples.py Hourly-train.csv --series 24

Series, windows, regions and networks are those of bench/series.py. The bootstrap adds whole rows of residuals, drawn at
random, to the predictions of a head hcr-project, and takes the sums to the nearest point of the region: residuals of
all training windows, or of a fifth that the head isn't trained on. The score is the fair energy score of 50 paths in
units of the training targets' deviations, as in hcr_learn.h, computed here from its definition.
"""

import hcr
import numpy as np
from series import FIT, better, by_split, geometric, table

PATHS = 50
METHODS = ("bootstrap", "bootstrap, held out", "hcr-contract", "hcr-project")


def energy_score(problem, paths):
    """The mean over rows; paths (rows, PATHS, n)."""
    unit = problem.y_train.std(axis=0)
    size = lambda difference: np.sqrt(((difference / unit) ** 2).mean(axis=-1))  # noqa: E731
    near = size(paths - problem.y_test[:, None]).mean()
    apart = np.mean([size(row[:, None] - row).sum() for row in paths]) / (PATHS * (PATHS - 1))
    return float(near - apart / 2)


def bootstrap(problem, kept, held):
    X, Y = problem.x_train, problem.y_train
    model = hcr.fit(problem.region, X[kept], Y[kept], head="hcr-project", **FIT)
    residuals = Y[held] - model.predict(X[held])
    drawn = np.random.default_rng(1).integers(len(residuals), size=(len(problem.x_test), PATHS))
    return problem.region.project(model.predict(problem.x_test)[:, None] + residuals[drawn])


def run(problem, split):
    """The scores of METHODS, then how many paths of how many are outside."""
    rows = len(problem.x_train)
    order = np.arange(rows) if split == "time" else np.random.default_rng(1).permutation(rows)
    kept, held = np.split(order, [rows - max(1, rows // 5)])
    everything = [bootstrap(problem, order, order), bootstrap(problem, kept, held)]
    for head in METHODS[2:]:
        model = hcr.fit(problem.region, problem.x_train, problem.y_train, head=head, samples=8, **FIT)
        everything.append(model.predict(problem.x_test, samples=PATHS))
    outside = sum(int((~problem.region.check(paths)).sum()) for paths in everything[2:])
    return [[energy_score(problem, paths) for paths in everything], outside, 2 * PATHS * len(problem.x_test)]


def main():
    rows = []
    for title, records in by_split(__doc__, run, "samples.jsonl", 24).items():
        scores = np.array([one[0] for one in records]).T
        outside, paths = (sum(one[k] for one in records) for k in (1, 2))
        for k, method in enumerate(METHODS):
            told = (*(better(scores[k], scores[0]) if k else ("", "")), f"{outside} of {paths}" if k > 1 else "")
            rows.append([title, method, f"{scores[k].mean():.4f}", f"{geometric(scores[k], scores[0]):.3f}", *told])
    table(("training", "paths", "score", "ratio", "series better", "p", "outside"), rows)


if __name__ == "__main__":
    main()
