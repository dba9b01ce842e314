"""Inputs relative to the window's level, on M4's hourly series: errors and quantiles beside those of plain inputs.

    pip install ./python pandas scipy
    python bench/levels.py Hourly-train.csv --series 50

Series, windows, regions and measures are those of bench/series.py, the head is hcr-contract. The level is the mean of
the 48 inputs. It is taken off inputs and targets and is a parameter of the region, as docs/forecasting.md has it.
"""

import hcr
import numpy as np
from series import FIT, LEVELS, OF_QUANTILES, better, by_split, error, measured, of_quantiles, table


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


def run(problem, _):
    trained, tested = (x.mean(axis=1, keepdims=True) for x in (problem.x_train, problem.x_test))
    region = relative_region(problem, np.concatenate([trained, tested]))
    found = {"plain": {}, "relative": {}}
    for options in ({}, {"quantiles": LEVELS}):
        given = {"head": "hcr-contract", **FIT, **options}
        plain = hcr.fit(problem.region, problem.x_train, problem.y_train, **given).predict(problem.x_test)
        model = hcr.fit(region, problem.x_train - trained, problem.y_train - trained, parameters=trained, **given)
        relative = model.predict(problem.x_test - tested, tested)
        relative = relative + (tested[..., None] if options else tested)
        for inputs, values in (("plain", plain), ("relative", relative)):
            found[inputs] |= measured(problem, values) if options else {"error": error(problem, values)}
    return found


def main():
    rows = []
    for title, records in by_split(__doc__, run, "levels.jsonl", 50).items():
        plain = [record["plain"] for record in records]
        for inputs in records[0]:
            found = [record[inputs] for record in records]
            errors, others = ([one["error"] for one in each] for each in (found, plain))
            told = ("", "") if inputs == "plain" else better(errors, others)
            mean = [f"{of(errors):.4f}" for of in (np.mean, np.median)]
            rows.append([title, inputs, *mean, *told, *of_quantiles(found, plain)])
    table(("training", "inputs", "error: mean", "median", "series better", "p", *OF_QUANTILES), rows)


if __name__ == "__main__":
    main()
