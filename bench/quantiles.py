"""Quantiles on M4's hourly series beside NeuralForecast's MQLoss, sorted.

    pip install ./python pandas scipy neuralforecast
    python bench/quantiles.py Hourly-train.csv --series 12 --store quantiles.jsonl

Series, windows, regions, targets and measures are those of bench/forecasts.py. NeuralForecast's MLP has as many units,
epochs and inputs, trains on the same windows, each a series of its own, and scales them by their own mean and
deviation. Its quantiles are sorted, which is what keeps them from crossing. `taken inside`: the nearest point of the
region of quantiles. `scaled` is hcr.fit on windows that are scaled likewise, in a box, and then taken inside.
"""

import argparse
import json
import logging
import pathlib
import warnings

import hcr
import numpy as np
import pandas
from forecasts import FIT, LEVELS, measured
from neuralforecast import NeuralForecast
from neuralforecast.losses.pytorch import MQLoss
from neuralforecast.models import MLP

from experiments.problems import _choose, _windows

BATCH = 32
QUIET = {"enable_progress_bar": False, "logger": False, "enable_checkpointing": False, "enable_model_summary": False}
LAST = {"validation": 0.2, "calibrate": True, "validation_last": True}
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


def scaled(problem, **options):
    """Windows in units of their own deviation around their own mean."""

    def units(x):
        return x.mean(axis=1, keepdims=True), np.maximum(x.std(axis=1, keepdims=True), 1e-6 * np.abs(x).max() + 1e-12)

    level, scale = units(problem.x_train)
    y = np.clip((problem.y_train - level) / scale, -99, 99)
    model = hcr.fit(BOX, (problem.x_train - level) / scale, y, head="hcr-contract", quantiles=LEVELS, **FIT, **options)
    level, scale = units(problem.x_test)
    found = model.predict((problem.x_test - level) / scale)
    return taken_inside(problem, found * scale[..., None] + level[..., None])


def run(command, path, series, split):
    problem = _windows(command, path, series, 48, split, 0)
    raw = multi_quantile(problem)
    ordered = np.sort(raw, axis=-1)
    found = {
        "MQLoss": raw,
        "MQLoss, sorted": ordered,
        "MQLoss, sorted, taken inside": taken_inside(problem, ordered),
        "scaled": scaled(problem),
        "scaled, calibrated on the last windows": scaled(problem, **LAST),
    }
    return {name: measured(problem, levels) for name, levels in found.items()}


def table(records, split):
    for name in records[0]:
        found = [record[name] for record in records]
        ratio = np.exp(np.mean([np.log(record[name]["loss"] / record["MQLoss, sorted"]["loss"]) for record in records]))
        shares = ", ".join(f"{share:.3f}" for share in np.mean([one["coverage"] for one in found], axis=0))
        crossings, outside, rows = (sum(one[what] for one in found) for what in ("crossings", "outside", "rows"))
        print(f"| {split} | {name} | {np.mean([one['loss'] for one in found]):.4f} | {ratio:.3f} | {shares} "
              f"| {crossings} of {rows} | {outside} of {len(LEVELS) * rows} |")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path")
    parser.add_argument("--command", default="hcr")
    parser.add_argument("--series", type=int, default=12)
    parser.add_argument("--store", type=pathlib.Path, default=pathlib.Path("quantiles.jsonl"))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    known = [json.loads(line) for line in arguments.store.open()] if arguments.store.exists() else []
    done = {(record["series"], record["split"]) for record in known}
    for series in _choose(arguments.path, arguments.series, 480):
        for split in ("random", "time"):
            if (series, split) not in done:
                found = run(arguments.command, arguments.path, series, split)
                known.append({"series": series, "split": split, "found": found})
                with arguments.store.open("a") as file:
                    file.write(json.dumps(known[-1]) + "\n")
    print("| training | quantiles | loss | ratio | share at or below 0.1, 0.5, 0.9 | rows that cross | outside |")
    print("|---|---|---:|---:|---|---:|---:|")
    for split, name in (("random", "random windows"), ("time", "first windows")):
        table([record["found"] for record in known if record["split"] == split], name)


if __name__ == "__main__":
    main()
