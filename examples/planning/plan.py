"""Ten plans: what somebody would like, from a table, and the nearest that the region's text allows, as a picture.

    python examples/planning/plan.py            # all ten, into examples/planning/*.png
    python examples/planning/plan.py battery    # one

The numbers are real: hourly series of M4 (../m4/hourly-30.csv), in thousands, and the prices of seven shares that come
with matplotlib. What is liked is made of them by a rule of thumb. Every plan is inside its region at tolerance 0.
"""

import argparse
import pathlib
import tempfile
import textwrap

import hcr
import matplotlib
import numpy as np
import pandas
from matplotlib.cbook import get_sample_data

matplotlib.use("Agg")
from matplotlib import pyplot

HERE = pathlib.Path(__file__).resolve().parent
SERIES = pandas.read_csv(HERE.parent / "m4" / "hourly-30.csv", index_col=0) / 1000


def last(name, hours, back=0):
    """The last hours of a series, or those that end `back` hours before."""
    values = SERIES.loc[name].dropna().to_numpy()
    return values[len(values) - back - hours : len(values) - back]


def scaled(values, low, high):
    return low + (high - low) * (values - values.min()) / np.ptp(values)


# Each gives what is liked, by variable, the parameters, and tables that the text reads.


def battery():
    load = scaled(last("H71", 24), 8, 18)
    spare = 0.35 * (load.mean() - load)  # charge at night what the day takes
    liked = {"charge": np.maximum(spare, 0), "discharge": np.maximum(-spare, 0)}
    return liked, {"load": load, "full": 8.0}, {}


def hydro():
    inflow = scaled(last("H99", 24), 4, 14)
    wanted = scaled(last("H71", 24), 3, 26)
    return {"release": np.array([wanted, wanted])}, {"inflow": inflow}, {}


def portfolio():
    with get_sample_data("Stocks.csv") as file:
        prices = pandas.read_csv(file, comment="#", index_col=0)
    months = prices[["IBM", "AAPL", "MSFT", "XRX", "AMZN", "DELL", "ADBE"]].dropna().tail(120)
    returns = np.log(months).diff().dropna().to_numpy()
    root = np.linalg.qr(returns - returns.mean(axis=0), mode="r") / np.sqrt(len(returns) - 1)
    liked = np.maximum(returns.mean(axis=0), 0)  # what rose most
    return {"w": liked / liked.sum()}, {}, {"covariance": root}


def tariff():
    load = SERIES.loc["H71"].dropna().to_numpy()[:696].reshape(12, 58)
    by_size = np.sort(load, axis=1)
    sold = np.stack([part.sum(axis=1) for part in np.split(by_size, [20, 44], axis=1)])
    costs = scaled(by_size[:, [5, 30, 55]].T, 10, 34)  # what the hours cost
    return {"price": costs}, {"revenue": 21.0}, {"sold": sold / sold.sum()}


def network():
    demand = np.stack([scaled(last(name, 24), 8, 24) for name in ("H29", "H43", "H71")])
    made = np.repeat(demand.sum(axis=0)[None] / 3, 3, axis=0) * [[1.4], [1.0], [0.6]]
    return {"made": made, "flow": np.zeros((6, 24))}, {"demand": demand}, {}


def ramps():
    power = scaled(last("H71", 48), 5, 22)
    cap = np.where((np.arange(48) > 30) & (np.arange(48) < 38), 14.0, 20.0)  # a turbine in repair
    return {"power": power}, {"cap": cap}, {}


def quantiles():
    days = SERIES.loc["H71"].dropna().to_numpy()[-20 * 24 :].reshape(20, 24)
    load = 18.5 / days.max() * days
    levels = np.quantile(load[-7:], [0.05, 0.25, 0.5, 0.75, 0.95], axis=0)
    levels += np.random.default_rng(1).normal(0, 0.8, levels.shape)  # as of five models that know nothing of each other
    return {"load": levels}, {"total": round(float(load[-1].sum()))}, {}


def hierarchy():
    each = np.stack([last(name, 24, 24) for name in ("H29", "H43", "H71")])
    load = np.vstack([each, 1.04 * each.sum(axis=0)])  # the total has a forecast of its own
    return {"load": load, "day": np.round(load.sum(axis=1))}, {}, {}


def schedule():
    wanted = np.stack([scaled(last(name, 14), 0, 10) for name in ("H29", "H43", "H71", "H99", "H127")])
    open_ = np.where(np.arange(14) % 7 < 5, 1.0, 0.3)
    return {"hours": wanted}, {"needed": np.array([50.0, 55, 40, 45, 30]), "open": open_}, {}


def temperature():
    heat = scaled(last("H29", 24), 0.4, 2.4)
    return {"cool": np.where(heat > heat.mean(), 2.4, 0.0)}, {"heat": heat, "start": 21.0}, {}


def flat(names, values):
    """Numbers in the order of a region's names."""
    numbers = np.concatenate([np.ravel(np.asarray(part, dtype=float)) for part in values.values()] or [np.empty(0)])
    assert len(numbers) == len(names), (len(numbers), len(names))
    return numbers


def solve(name, folder):
    """The region, what is liked and the plan."""
    liked, parameters, tables = PLANS[name]()
    text = (HERE / f"{name}.region").read_text()
    for table, numbers in tables.items():
        np.savetxt(pathlib.Path(folder) / f"{table}.csv", numbers, delimiter=",", fmt="%.17g")
    region = hcr.Region.from_text(text, file=f"{name}.region", folder=pathlib.Path(folder))
    wanted = flat(region.names, liked)
    x = flat(region.parameters.names, parameters) if region.p else None
    plan = region.project(wanted, x=x)
    assert region.check(plan, x=x).all(), name  # at tolerance 0
    return region, wanted, x, plan


def rows_of(names):
    """The names of rows, and which outputs they have: load[north,0], load[north,1] … are the row north."""
    rows = {}
    for k, name in enumerate(names):
        variable, _, element = name.rstrip("]").partition("[")
        row, comma, _ = element.rpartition(",")
        rows.setdefault(f"{variable} {row}" if comma else variable, []).append(k)
    return rows


def draw(path, title, region, liked, plan):
    rows = rows_of(region.names)
    wide = min(3, len(rows))
    figure, axes = pyplot.subplots(
        -(-len(rows) // wide), wide, figsize=(3.6 * wide, 2.3 * -(-len(rows) // wide) + 0.6), squeeze=False,
        layout="constrained",
    )  # fmt: skip
    lower, upper = region.bounds
    for one, (row, at) in zip(axes.flat, rows.items(), strict=False):
        labels = [region.names[k].rstrip("]").partition("[")[2] for k in at]
        places = np.arange(len(at))
        if any(label.isdecimal() or "," in label for label in labels):
            one.step(places, liked[at], "--", where="mid", color="0.5", label="liked")
            one.step(places, plan[at], where="mid", color="C3", label="plan")
        else:
            one.bar(places - 0.2, liked[at], 0.4, color="0.7", label="liked")
            one.bar(places + 0.2, plan[at], 0.4, color="C3", label="plan")
            one.set_xticks(places, labels)
        low, high = lower[at].min(), upper[at].max()
        reach = np.ptp(np.concatenate([liked[at], plan[at]])) + 1e-9
        for limit in (low, high):  # those that aren't far away
            if abs(limit - np.clip(limit, plan[at].min(), plan[at].max())) < reach / 2:
                one.axhline(limit, color="C3", linewidth=0.8, linestyle=":", label="limit")
        one.set_title(row, fontsize=9)
    for one in axes.flat[len(rows) :]:
        one.axis("off")
    handles = {
        label: handle for one in axes.flat for handle, label in zip(*one.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    figure.suptitle(textwrap.fill(title, 46 * wide), fontsize=10)
    figure.savefig(path, dpi=80)
    pyplot.close(figure)


PLANS = {
    plan.__name__: plan
    for plan in (battery, hydro, portfolio, tariff, network, ramps, quantiles, hierarchy, schedule, temperature)
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plans", nargs="*", metavar="PLAN", help=", ".join(PLANS))
    parser.add_argument("-o", "--output", type=pathlib.Path, default=HERE, help="the folder of the pictures")
    arguments = parser.parse_args()
    for name in arguments.plans or PLANS:
        with tempfile.TemporaryDirectory() as folder:
            region, liked, x, plan = solve(name, folder)
        title = region.text.splitlines()[0].lstrip("# ")
        draw(arguments.output / f"{name}.png", title, region, liked, plan)
        broken = region.violation(liked, x=x)[0]
        print(f"{name}: {region.n} outputs, liked is outside by {broken:.3g}, the plan inside")


if __name__ == "__main__":
    main()
