# %% [markdown]
# # For forecasters: limits that a forecast obeys
#
# Thirty real hourly series (of the M4 competition, in `examples/m4`), forecast 48 hours ahead by the
# last week and the week before it. What the series did in the past limits what they will do: their
# range, and their steps from hour to hour. A forecast from anywhere is taken inside; here it is a
# seasonal one, in your work it is your own model's.

# %%
import csv

import hcr
import matplotlib.pyplot as plt
import numpy as np


def read(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return {row[0]: np.array([float(x) for x in row[1:] if x]) for row in rows[1:]}


past, future = read("../../examples/m4/hourly-30.csv"), read("../../examples/m4/hourly-30-test.csv")
print(len(past), "series of", min(map(len, past.values())), "to", max(map(len, past.values())), "hours")

# %% [markdown]
# The limits of a series, as text. `hcr limits` writes such a region from a table, and
# [`hcr.forecast`](../forecasting.md) does all of this for data frames.

# %%
text = """
var y[48]
low <= y <= high
abs(diff(y)) <= step
abs(y[0] - last) <= step
"""


def region_of(y):
    return hcr.Region(text, low=y.min(), high=y.max(), step=np.abs(np.diff(y)).max(), last=y[-1])


def seasonal(y, week=168):
    """The last week's hours, moved on by half of what the week before it differed from it."""
    return y[-week:][:48] + 0.5 * (y[-week:].mean() - y[-2 * week : -week].mean())


outside, before, after = 0, [], []
for name, y in past.items():
    region, forecast = region_of(y), seasonal(y)
    inside = region.project(forecast)
    assert region.check(inside)
    outside += not region.check(forecast)
    size = np.abs(future[name]).mean()
    before.append(np.abs(forecast - future[name]).mean() / size)
    after.append(np.abs(inside - future[name]).mean() / size)
print(f"{outside} of {len(past)} forecasts break a limit; all are inside afterwards, exactly")
print(f"mean error, by the series' size: {100 * np.mean(before):.2f} % before, {100 * np.mean(after):.2f} % after")

# %% [markdown]
# The series whose forecast moved most:

# %%
moves = {name: np.abs(region_of(y).project(seasonal(y)) - seasonal(y)).max() / y.std() for name, y in past.items()}
name = max(moves, key=moves.get)
y, hours = past[name], np.arange(48)
figure, axes = plt.subplots(figsize=(9, 3.2), layout="constrained")
axes.plot(np.arange(-72, 0), y[-72:], color="0.5", label="past")
axes.plot(hours, future[name], color="0.75", label="what came")
axes.plot(hours, seasonal(y), "--", color="#b3261e", label="forecast")
axes.plot(hours, region_of(y).project(seasonal(y)), color="#0b63b5", label="taken inside")
axes.set(title=f"{name}", xlabel="hours")
axes.legend(ncols=4, frameon=False)
plt.show()

# %% [markdown]
# Limits from data frames, quantiles, hierarchies whose sums hold exactly and trained models:
# [forecasts in data frames](../forecasting.md), [from a CSV file to a plan](../planning.md).
