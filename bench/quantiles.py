"""Quantiles on M4's hourly series beside NeuralForecast's MQLoss, sorted.

    pip install ./python pandas scipy neuralforecast
    python bench/quantiles.py Hourly-train.csv --series 100

Series, windows, regions and measures are those of bench/series.py. NeuralForecast's MLP has as many units, epochs and
inputs, trains on the same windows, each a series of its own, and scales them by their own mean and deviation. Its
quantiles are sorted, which is what keeps them from crossing. `taken inside`: the nearest point of the region of
quantiles. `scaled` is hcr.fit on windows that are scaled likewise, in a box, and then taken inside. `calibrated` has
the outer quantiles' distances from the middle one multiplied: by what holds for windows that a model isn't trained on.
`three` are the means of three networks.

Without NeuralForecast, which takes most of the time, the ratio is to `scaled`.

The calibration was chosen on twelve other series: of those whose number in the file isn't a multiple of four.
"""

import logging
import warnings

import hcr
import numpy as np
import pandas
from series import FIT, LEVELS, OF_QUANTILES, by_split, measured, of_quantiles, table

try:
    from neuralforecast import NeuralForecast
    from neuralforecast.losses.pytorch import MQLoss
    from neuralforecast.models import MLP
except ImportError:
    NeuralForecast = None

BATCH, FOLDS = 32, 4
QUIET = {"enable_progress_bar": False, "logger": False, "enable_checkpointing": False, "enable_model_summary": False}
BOX = hcr.Region("var y[48] in [-100, 100]")


def long(windows):
    count, length = windows.shape
    ids, times = np.repeat(np.arange(count), length), np.tile(np.arange(length), count)
    return pandas.DataFrame({"unique_id": ids, "ds": times, "y": windows.reshape(-1)})


def multi_quantile(problem):
    """What NeuralForecast's quantiles are for the test windows, (rows, 48, levels)."""
    windows = np.concatenate([problem.x_train, problem.y_train], axis=1)
    steps = FIT["epochs"] * -(-len(windows) // BATCH)
    network = MLP(h=48, input_size=48, num_layers=1, hidden_size=FIT["hidden"], learning_rate=FIT["rate"],
                  loss=MQLoss(quantiles=list(LEVELS)), scaler_type="standard", max_steps=steps, batch_size=BATCH,
                  windows_batch_size=BATCH, random_seed=1, accelerator="cpu", **QUIET)  # fmt: skip
    forecaster = NeuralForecast([network], freq=1)
    forecaster.fit(long(windows))
    found = forecaster.predict(df=long(problem.x_test)).sort_values(["unique_id", "ds"])
    return found.iloc[:, 2:].to_numpy(dtype=np.float64).reshape(len(problem.x_test), 48, len(LEVELS))


def taken_inside(problem, levels):
    rows = levels.reshape(len(levels), -1)
    return problem.region.quantiles(LEVELS).project(rows).reshape(levels.shape)


def units(x):
    """The level and the scale of each window."""
    return x.mean(axis=1, keepdims=True), np.maximum(x.std(axis=1, keepdims=True), 1e-6 * np.abs(x).max() + 1e-12)


def trained(X, Y, members):
    return hcr.fit(BOX, X, Y, head="hcr-contract", quantiles=LEVELS, members=members, **FIT)


def spread(levels):
    """The distances of the quantiles from the middle one."""
    return levels - levels[..., 1:2]


def factors(X, Y, members):
    """By how much to multiply the distances of the outer quantiles from the middle one, so that they hold for windows
    left out: each fold, of windows that follow each other, is predicted by a model of the others. The rank is that
    which holds for one more."""
    predicted = np.empty((*Y.shape, len(LEVELS)))
    for fold in np.array_split(np.arange(len(X)), FOLDS):
        others = np.setdiff1d(np.arange(len(X)), fold)
        predicted[fold] = trained(X[others], Y[others], members).predict(X[fold])
    away = (Y - predicted[..., 1])[..., None] / np.maximum(np.abs(spread(predicted)), 1e-6)
    ordered = np.sort(away.reshape(-1, len(LEVELS)), axis=0)
    ranks = np.clip(np.ceil(np.array(LEVELS) * (len(ordered) + 1)).astype(int) - 1, 0, len(ordered) - 1)
    return np.sign(spread(np.array(LEVELS))) * ordered[ranks, range(len(LEVELS))]


def scaled(problem, members):
    """Quantiles by windows in units of their own deviation around their own mean, as they are and calibrated."""
    level, scale = units(problem.x_train)
    X, Y = (problem.x_train - level) / scale, np.clip((problem.y_train - level) / scale, -99, 99)
    level, scale = units(problem.x_test)
    plain = trained(X, Y, members).predict((problem.x_test - level) / scale)
    for levels in (plain, np.sort(plain[..., 1:2] + factors(X, Y, members) * spread(plain), axis=-1)):
        yield taken_inside(problem, levels * scale[..., None] + level[..., None])


def run(problem, _):
    found = dict(zip(("scaled", "scaled, calibrated"), scaled(problem, 1), strict=True))
    found |= dict(zip(("scaled, three", "scaled, three, calibrated"), scaled(problem, 3), strict=True))
    if NeuralForecast:
        raw = multi_quantile(problem)
        ordered = np.sort(raw, axis=-1)
        inside = taken_inside(problem, ordered)
        found = {"MQLoss": raw, "MQLoss, sorted": ordered, "MQLoss, sorted, taken inside": inside, **found}
    return {name: measured(problem, levels) for name, levels in found.items()}


def main():
    warnings.simplefilter("ignore")
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    rows = []
    for title, records in by_split(__doc__, run, "quantiles.jsonl", 100).items():
        reference = [record.get("MQLoss, sorted", record["scaled"]) for record in records]
        rows += [[title, name, *of_quantiles([record[name] for record in records], reference)] for name in records[0]]
    table(("training", "quantiles", *OF_QUANTILES), rows)


if __name__ == "__main__":
    main()
