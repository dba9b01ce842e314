"""Forecasts two days of an hourly series from the two before, within limits that every forecast keeps.

    pip install './python[examples]'
    python python/examples/forecast.py [--series H1] [--steps 600]

The limits are what the training part of the series says: its range, its largest step from hour to hour, and the largest
change between the same hours of two days. The network is an ordinary PyTorch one; its last layer is `HCRHead`.
"""

import argparse
import csv
import pathlib

import numpy as np

try:
    import torch
except ImportError as missing:
    raise SystemExit(f"forecast.py needs {missing.name}: pip install './python[examples]'") from None

import hcr
import hcr.torch

DATA = pathlib.Path(__file__).resolve().parents[2] / "examples" / "m4" / "hourly-30.csv"
HOURS = 48

REGION = """
var load[48]
low <= load <= high
abs(load[1:] - load[:-1]) <= step
abs(load[24:] - load[:24]) <= daily
"""


def series(name):
    with open(DATA, newline="") as file:
        for row in csv.reader(file):
            if row[0] == name:
                return np.array([float(cell) for cell in row[1:] if cell])
    raise SystemExit(f"there is no series {name} in {DATA}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--series", default="H1")
    arguments.add_argument("--steps", type=int, default=600)
    options = arguments.parse_args()
    torch.manual_seed(0)

    values = series(options.series)
    windows = np.lib.stride_tricks.sliding_window_view(values, 2 * HOURS)
    train, test = windows[: len(windows) * 3 // 4], windows[len(windows) * 3 // 4 + 2 * HOURS :]
    region = hcr.Region(
        REGION,
        low=train.min(),
        high=train.max(),
        step=np.abs(np.diff(train)).max(),
        daily=np.abs(train[:, 24:] - train[:, :-24]).max(),
    )
    print(region)

    mean, deviation = train.mean(), train.std()
    x, y = torch.tensor((train - mean) / deviation, dtype=torch.float32).split(HOURS, dim=1)
    head = hcr.torch.Constrain(region, points=True)
    net = torch.nn.Sequential(torch.nn.Linear(HOURS, 128), torch.nn.ReLU(), torch.nn.Linear(128, HOURS))

    def forecast(inputs):
        """The last day, again, and what the network knows better."""
        return head(mean + deviation * (inputs[:, 24:].repeat(1, 2) + net(inputs)))

    optimiser = torch.optim.Adam(net.parameters(), 1e-3)
    for step in range(options.steps):
        batch = torch.randint(len(x), (64,))
        loss = ((forecast(x[batch]) - mean) / deviation - y[batch]).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % max(options.steps // 5, 1) == 0:
            print(f"step {step:4}  loss {loss.item():.4f}")

    with torch.no_grad():
        inputs = torch.tensor((test[:, :HOURS] - mean) / deviation, dtype=torch.float32)
        told_back = forecast(inputs).numpy()
        wild = forecast(100 * inputs).numpy()
    errors = [np.abs(y - test[:, HOURS:]).mean() for y in (told_back, np.tile(test[:, HOURS - 24 : HOURS], 2))]
    print(f"mean absolute error: {errors[0]:.1f}, by repeating the last day {errors[1]:.1f}")
    inside = region.check(told_back).all() and region.check(wild).all()
    print(f"every forecast exactly within the limits, for inputs a hundred times as large too: {inside}")
    assert inside


if __name__ == "__main__":
    main()
