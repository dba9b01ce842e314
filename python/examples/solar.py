"""Forecasts a day of a solar plant that can give nothing at night, and no more than the sun allows by day.

    pip install './python[examples]'
    python python/examples/solar.py [--steps 400] [--picture solar.png]

The capacity of each hour comes with the sample: the sun's height over the horizon at a latitude of 48 degrees on the
day, 0 at night. Bounds that meet leave an output one value, and the other hours go on. The weather is made up.
"""

import argparse

import numpy as np

try:
    import torch
except ImportError as missing:
    raise SystemExit(f"solar.py needs {missing.name}: pip install './python[examples]'") from None

import hcr
import hcr.torch

PEAK = 5.0  # MW
LATITUDE = np.radians(48)

REGION = """
param cap[24] in [0, 5]
var power[24]
power >= 0
power <= cap
abs(diff(power)) <= 1.5   # clouds and inverters: MW from hour to hour
"""


def capacity(day):
    """The sine of the sun's height in each hour of a day of the year (Cooper's declination, 1969), times the peak."""
    declination = np.radians(23.45) * np.sin(2 * np.pi * (284 + np.asarray(day)[:, None]) / 365)
    hour = np.radians(15) * (np.arange(24) - 12)
    height = np.sin(LATITUDE) * np.sin(declination) + np.cos(LATITUDE) * np.cos(declination) * np.cos(hour)
    return PEAK * np.maximum(height, 0)


def weather(days, random):
    """Clouds that change from day to day and drift through it."""
    base = random.beta(2, 1.2, (len(days), 1))
    return capacity(days) * np.clip(base + 0.1 * np.cumsum(random.normal(size=(len(days), 24)), axis=1) / 3, 0, 1), base


def draw(path, cap, power, raw):
    """Two days: what the network alone says, and what the layer makes of it."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True)
    for axis, day, name in zip(axes, (0, len(cap) // 2), ("winter", "summer"), strict=True):
        axis.fill_between(range(24), 0, cap[day], color="#f3d27a", label="capacity", step=None)
        axis.plot(raw[day], "--", color="#888888", label="without the layer")
        axis.plot(power[day], color="#0b62a4", label="forecast")
        axis.set(xlabel=f"hour of a day in {name}", xlim=(0, 23))
    axes[0].set_ylabel("MW")
    axes[0].legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--picture")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    random = np.random.default_rng(0)

    days = random.integers(0, 365, 600)
    truth, sky = weather(days, random)
    cap = capacity(days)
    region = hcr.Region(REGION)
    print(region)

    inputs = torch.tensor(np.column_stack([cap, sky + 0.1 * random.normal(size=sky.shape)]))
    target, limits = torch.tensor(truth), torch.tensor(cap)
    net = torch.nn.Sequential(torch.nn.Linear(25, 64), torch.nn.ReLU(), torch.nn.Linear(64, 24)).double()
    layer = hcr.torch.Constrain(region, "contract")
    optimiser = torch.optim.Adam(net.parameters(), lr=3e-3)
    for _ in range(arguments.steps):
        optimiser.zero_grad()
        loss = ((layer(net(inputs), limits) - target) ** 2).mean()
        loss.backward()
        optimiser.step()

    new = np.linspace(0, 364, 200).astype(int)
    with torch.no_grad():
        raw = net(torch.tensor(np.column_stack([capacity(new), random.beta(2, 1.2, (200, 1))])))
        caps = torch.tensor(capacity(new))
        power = layer(raw, caps).numpy()
        raw = (layer(torch.zeros_like(raw), caps) + raw).numpy()  # the layer moves from each day's origin
    nights = capacity(new) == 0
    print(f"squared error of the training: {loss.item():.4f}")
    print(f"{nights.sum()} hours of night, all exactly 0: {(power[nights] == 0).all()}")
    print(f"all of {len(new)} days inside, decided exactly: {region.check(power, capacity(new)).all()}")
    if arguments.picture:
        draw(arguments.picture, capacity(new), power, raw)


if __name__ == "__main__":
    main()
