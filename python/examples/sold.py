"""Plans a day whose energy is sold beforehand: the hours sum to what was sold, to the last bit and in any order.

    pip install './python[examples]'
    python python/examples/sold.py [--steps 400] [--picture sold.png]

The days are those of thirty hourly series of the M4 competition, each scaled to a mean of 500 MW. A plan keeps each
hour within a half and one and a half of the same hour a week before, and its sum is what was sold: whole megawatt
hours, as markets trade them. Beside it stands the usual correction, which spreads what is missing evenly over the
hours: rounding leaves its sums off by some bits, and by others in another order.
"""

import argparse
import csv
import fractions
import pathlib

import numpy as np

try:
    import torch
except ImportError as missing:
    raise SystemExit(f"sold.py needs {missing.name}: pip install './python[examples]'") from None

import hcr
import hcr.torch

DATA = pathlib.Path(__file__).resolve().parents[2] / "examples" / "m4" / "hourly-30.csv"
ORDERS = 20
REGION = """
param before[24] in [20, 4000]   # MW, a week ago
param sold in [500, 90000]       # MWh
var power[24]
power >= 0.5 * before
power <= 1.5 * before
sum(power) == sold
"""


def days():
    """Hours of days, of the days before and of those a week before, of all series: each n × 24."""
    target, yesterday, week = [], [], []
    with open(DATA, newline="") as file:
        rows = csv.reader(file)
        next(rows)
        for row in rows:
            hours = np.array([float(cell) for cell in row[1:] if cell])
            series = (500 * hours / hours.mean())[: len(hours) // 24 * 24].reshape(-1, 24)
            target.append(series[7:])
            yesterday.append(series[6:-1])
            week.append(series[:-7])
    return np.concatenate(target), np.concatenate(yesterday), np.clip(np.concatenate(week), 20, 4000)


def even_out(power, sold):
    """The usual correction."""
    return power + (sold - power.sum(axis=1))[:, None] / power.shape[1]


def off(power, sold, random):
    """By how many bits of `sold` each sum is off: of the day in order, in random orders, and without rounding."""
    unit = np.spacing(sold)
    orders = [random.permutation(power.shape[1]) for _ in range(ORDERS)]
    summed = [(power[:, order].sum(axis=1) - sold) / unit for order in [np.arange(24), *orders]]
    exact = [
        float((sum(map(fractions.Fraction, row)) - fractions.Fraction(total)) / fractions.Fraction(bit))
        for row, total, bit in zip(power, sold, unit, strict=True)
    ]
    return np.array(summed), np.array(exact)


def draw(path, day, errors):
    """One day, and by how much the sums of all days miss what was sold."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.4), width_ratios=(1.15, 1))
    before, power, target, sold = day
    left.fill_between(range(24), 0.5 * before, 1.5 * before, color="#dfe7ef", label="allowed")
    left.plot(target, color="#888888", linestyle="--", label="what came")
    left.plot(power, color="#0b62a4", label="plan")
    left.set(xlabel="hour", ylabel="MW", xlim=(0, 23), ylim=(0, 1.75 * before.max()), title=f"A day of {sold:,.0f} MWh")
    left.legend(frameon=False, loc="upper left", ncols=3, fontsize=9, columnspacing=1)
    most = 4
    for (name, values), colour, shift in zip(errors.items(), ("#c8773a", "#0b62a4"), (-0.2, 0.2), strict=True):
        counts = np.histogram(np.clip(values, -most, most), np.arange(-most - 0.5, most + 1))[0] / values.size
        right.bar(np.arange(-most, most + 1) + shift, 100 * counts, 0.4, color=colour, label=name)
    right.set(xlabel="last bits by which numpy.sum misses it", ylabel="% of sums", ylim=(0, 112))
    right.set(xticks=range(-most, most + 1), title=f"The sums of all days, each in {ORDERS + 1} orders")
    right.legend(frameon=False, fontsize=9)
    for axis in (left, right):
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--picture")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    random = np.random.default_rng(0)

    target, yesterday, before = days()
    sold = np.round(np.clip(target.sum(axis=1), 0.6 * before.sum(axis=1), 1.4 * before.sum(axis=1)))
    known = np.column_stack([before, sold])
    region = hcr.Region(REGION)
    print(region)

    test = np.arange(len(target)) % 5 == 0
    inputs = torch.tensor(np.column_stack([yesterday, before]) / 500 - 1)
    truth, limits = torch.tensor(target), torch.tensor(known)
    net = torch.nn.Sequential(torch.nn.Linear(48, 64), torch.nn.ReLU(), torch.nn.Linear(64, 24)).double()
    layer = hcr.torch.Constrain(region, "contract")
    optimiser = torch.optim.Adam(net.parameters(), lr=3e-3)
    learn = torch.tensor(np.flatnonzero(~test))
    for _ in range(arguments.steps):
        batch = learn[torch.randint(len(learn), (64,))]
        optimiser.zero_grad()
        loss = ((layer(300 * net(inputs[batch]), limits[batch]) - truth[batch]) ** 2).mean()
        loss.backward()
        optimiser.step()

    with torch.no_grad():
        raw = 300 * net(inputs[test])
        power = layer(raw, limits[test]).numpy()
    amount = sold[test]
    usual = even_out(power + 1e-3 * random.normal(size=power.shape), amount)  # a plan that isn't quite sold yet
    errors = {"spread evenly": off(usual, amount, random), "hcr": off(power, amount, random)}
    print(f"root of the mean squared error: {np.sqrt(((power - target[test]) ** 2).mean()):.1f} MW")
    for name, (summed, exact) in errors.items():
        print(f"{name}: numpy.sum is what was sold for {(summed == 0).mean():.1%} of days and orders,")
        print(f"    the sum without rounding for {(exact == 0).mean():.1%} of days")
    summed, exact = errors["hcr"]
    print(f"all of {test.sum()} days sum to what was sold, in any order: {(summed == 0).all() and (exact == 0).all()}")
    print(f"all inside, decided exactly: {region.check(power, known[test]).all()}")
    if arguments.picture:
        day = int(np.argmax(np.ptp(power, axis=1) / power.mean(axis=1)))
        shown = before[test][day], power[day], target[test][day], amount[day]
        draw(arguments.picture, shown, {name: summed for name, (summed, _) in errors.items()})


if __name__ == "__main__":
    main()
