"""Ten plans: what somebody would like, from a table, and the nearest that the region's text allows, as a picture.

    python examples/planning/plan.py            # all ten, into pictures here
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
from matplotlib.ticker import MaxNLocator

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


# What the limits are on, beside the outputs themselves: numbers by the hour, and their limits.


def stored(v, x):
    content = x["full"] + np.cumsum(0.95 * v["charge"] - v["discharge"] / 0.95)
    return {"stored": (content, 1, 20), "bought": (x["load"] + v["charge"] - v["discharge"], None, 17)}


def water(v, x):
    upper, lower = v["release"]
    below = np.concatenate([[8, 8], upper[:-2]])
    return {
        "water upper": (120 + np.cumsum(x["inflow"] - upper), 80, 150),
        "water lower": (60 + np.cumsum(below - lower), 40, 80),
    }


def room(v, x):
    degrees, at = [], x["start"]
    for heat in x["heat"] - v["cool"]:
        at = 15 + 0.9 * (at - 15) + heat
        degrees.append(at)
    return {"room": (np.array(degrees), 18, 26)}


BESIDE = {
    "battery": stored,
    "hydro": water,
    "ramps": lambda v, x: {"power": (v["power"], 2, x["cap"])},
    "schedule": lambda v, x: {"hours of all": (v["hours"].sum(axis=0), None, 40 * x["open"])},
    "temperature": room,
}
TIME = {"tariff": "month", "schedule": "day"}


def variables(names, numbers):
    """Numbers by variable, a matrix with its rows."""
    found = {}
    for name, number in zip(names, numbers, strict=True):
        variable, _, element = name.rstrip("]").partition("[")
        row, comma, _ = element.rpartition(",")
        found.setdefault(variable, {}).setdefault(row if comma else "", []).append(number)
    return {name: np.squeeze(np.array(list(rows.values()))) for name, rows in found.items()}


def rows_of(names):
    """The names of rows, and which outputs they have: load[north,0], load[north,1] … are the row north."""
    rows = {}
    for k, name in enumerate(names):
        variable, _, element = name.rstrip("]").partition("[")
        row, comma, _ = element.rpartition(",")
        rows.setdefault(f"{variable} {row}" if comma else variable, []).append(k)
    return rows


def panels(name, region, liked, plan):
    """What is drawn: title, names of the places unless they are times, liked, plan, limits."""
    lower, upper = region.bounds
    _, x, _ = PLANS[name]()
    beside = BESIDE.get(name, lambda v, x: {})
    of_liked, of_plan = (beside(variables(region.names, numbers), x) for numbers in (liked, plan))
    found = {}
    for row, at in rows_of(region.names).items():
        labels = [region.names[k].rstrip("]").partition("[")[2] for k in at]
        timed = any(label.isdecimal() or "," in label for label in labels)
        found[row] = (None if timed else labels, liked[at], plan[at], [lower[at].min(), upper[at].max()])
    for row, (numbers, *limits) in of_plan.items():
        found[row] = (None, of_liked[row][0], numbers, [limit for limit in limits if limit is not None])
    return found


def draw_panel(axes, time, labels, liked, plan, limits):
    places = np.arange(len(plan))
    if labels is None:
        axes.step(places, liked, "--", where="mid", color="0.5", label="liked")
        axes.step(places, plan, where="mid", color="C3", label="plan")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel(time, fontsize=8)
    else:
        axes.bar(places - 0.2, liked, 0.4, color="0.7", label="liked")
        axes.bar(places + 0.2, plan, 0.4, color="C3", label="plan")
        axes.set_xticks(places, labels)
    reach = np.ptp(np.concatenate([liked, plan])) + 1e-9
    for limit in limits:
        if np.abs(limit - np.clip(limit, plan.min(), plan.max())).min() < reach / 2:  # isn't far away
            steps = np.broadcast_to(limit, len(places))
            axes.step(places, steps, where="mid", color="k", lw=0.8, ls=":", label="limit")


def draw_fan(axes, levels, title, top):
    places = np.arange(levels.shape[1])
    for k in range(len(levels) // 2):
        axes.fill_between(places, levels[k], levels[-1 - k], step="mid", color="C3", alpha=0.2, lw=0)
    for k, row in enumerate(levels):
        axes.step(places, row, where="mid", color="C3", lw=1.5 if k == len(levels) // 2 else 0.7, label="quantiles")
    axes.axhline(top, color="k", lw=0.8, ls=":", label="limit")
    axes.set_title(title, fontsize=9)
    axes.set_xlabel("hour", fontsize=8)


def draw(path, name, region, liked, plan):
    title = region.text.splitlines()[0].lstrip("# ")
    found = panels(name, region, liked, plan)
    count = 2 if name == "quantiles" else len(found)
    wide = min(3 if count > 4 else 2, count)
    size = (max(3.6 * wide, 5.6), 2.4 * -(-count // wide) + 0.6)
    figure, axes = pyplot.subplots(-(-count // wide), wide, figsize=size, squeeze=False, layout="constrained")
    if name == "quantiles":
        for one, numbers, called in zip(axes.flat, (liked, plan), ("liked", "plan"), strict=True):
            draw_fan(one, numbers.reshape(5, 24), called, region.bounds[1].max())
            one.set_ylim(min(liked.min(), plan.min()) - 0.5, 20)
    else:
        for one, (row, content) in zip(axes.flat, found.items(), strict=False):
            draw_panel(one, TIME.get(name, "hour"), *content)
            one.set_title(row, fontsize=9)
    for one in axes.flat[count:]:
        one.axis("off")
    handles = {
        label: handle for one in axes.flat for handle, label in zip(*one.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    figure.suptitle(textwrap.fill(title, int(12 * size[0])), fontsize=10)
    figure.savefig(path, dpi=80)
    pyplot.close(figure)


PLANS = {
    plan.__name__: plan
    for plan in (battery, hydro, portfolio, tariff, network, ramps, quantiles, hierarchy, schedule, temperature)
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plans", nargs="*", metavar="PLAN", help=", ".join(PLANS))
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path(), help="the folder of the pictures")
    arguments = parser.parse_args()
    for name in arguments.plans or PLANS:
        with tempfile.TemporaryDirectory() as folder:
            region, liked, _, plan = solve(name, folder)
        draw(arguments.output / f"{name}.png", name, region, liked, plan)
        print(f"{name}: {region.n} outputs, moved by up to {np.abs(plan - liked).max():.3g}, the plan is inside")


if __name__ == "__main__":
    main()
