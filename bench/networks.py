"""Power flows within the limits of MATPOWER's networks, and how long it takes.

    git clone --depth 1 https://github.com/MATPOWER/matpower
    pip install scipy clarabel
    python bench/networks.py matpower/data case30 case_RTS_GMLC case_ACTIVSg500

The DC power flow (Zimmerman et al., MATPOWER, IEEE Transactions on Power Systems, 2011) in three forms: the generators'
powers, which meet the load within the branches' ratings, by distribution factors; the same with loads as parameters,
which differ by up to 10 % from sample to sample; and the buses' angles beside the powers, an equation for each bus.
Networks without ratings are left out. Points are the file's own with noise of a fifth of the mean
capacity: nearly all are outside. Printed are seconds to compile, microseconds a point for `contract` and `project`,
and for Clarabel's projection of a few (without parameters), and how much farther away its points are; how many of 400
results are outside in exact arithmetic; how many samples have no point, which HiGHS confirms or not.
"""

import argparse
import pathlib
import re
import time

import clarabel
import hcr
import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog
from scipy.sparse.linalg import splu

SAMPLES, NEAREST, FEW = 400, 50, 5


def table(text, name):
    """A matrix of a case file."""
    body = re.search(rf"mpc\.{name}\s*=\s*\[(.*?)\];", text, re.S)[1]
    lines = (line.split("%")[0].strip() for line in re.split(r"[;\n]", body))
    return np.array([[float(number) for number in re.split(r"[\s,]+", line)] for line in lines if line])


class Network:
    """Columns as MATPOWER's manual numbers them."""

    def __init__(self, path):
        text = path.read_text()
        bus, made, branch = (table(text, name) for name in ("bus", "gen", "branch"))
        made, branch = made[made[:, 7] > 0], branch[branch[:, 10] > 0]
        place = {int(number): i for i, number in enumerate(bus[:, 0])}
        ends = [[place[int(number)] for number in branch[:, side]] for side in (0, 1)]
        count, each = len(bus), np.arange(len(branch))
        self.reference = int(np.flatnonzero(bus[:, 1] == 3)[0])
        self.load, self.rating = bus[:, 2], np.where(branch[:, 5] == 0, np.inf, branch[:, 5])
        self.power, self.low, self.high = made[:, 1], made[:, 9], made[:, 8]
        place_of = ([place[int(number)] for number in made[:, 0]], np.arange(len(made)))
        self.at = sp.csr_matrix((np.ones(len(made)), place_of), (count, len(made)))
        base = float(re.search(r"baseMVA\s*=\s*([\d.]+)", text)[1])
        conductance = base / (branch[:, 3] * np.where(branch[:, 8] == 0, 1, branch[:, 8]))
        across = sp.csr_matrix(
            (np.r_[np.ones(len(branch)), -np.ones(len(branch))], (np.r_[each, each], np.r_[ends[0], ends[1]]))
        )
        self.flow = (sp.diags(conductance) @ across).tocsr()
        self.balance = (across.T @ self.flow).tocsc()
        self.rated = np.isfinite(self.rating)

    def factors(self):
        """How much of each bus's power flows through each rated branch."""
        others = np.delete(np.arange(len(self.load)), self.reference)
        factors = np.zeros((self.flow.shape[0], len(self.load)))
        solve = splu(self.balance[others][:, others].tocsc()).solve
        factors[:, others] = solve(self.flow[:, others].toarray().T).T
        return factors[self.rated]


POWERS, BOUNDS = "var p[{generators}]\n", "low <= p <= high\n"


def of_powers(network, random):
    H = network.factors()
    text = POWERS + BOUNDS + "sum(p) == total\nabs(A @ p - moved) <= rating"
    moved = H @ network.load
    return text, {"total": network.load.sum(), "A": H @ network.at, "moved": moved}, None


def of_loads(network, random):
    H, load, spread = network.factors(), network.load, 0.1 * np.abs(network.load)
    text = POWERS + "param load[{buses}] in [least, most]\n" + BOUNDS
    text += "sum(p) == sum(load)\nabs(A @ p - H @ load) <= rating"
    x = load + spread * random.uniform(-1, 1, (SAMPLES, len(load)))
    room = np.where(spread == 0, 1e-9, 0)  # of buses without a load
    return text, {"A": H @ network.at, "H": H, "least": load - spread - room, "most": load + spread + room}, x


def of_angles(network, random):
    text = POWERS + "var angle[{buses}]\n" + BOUNDS
    text += "balance @ angle == at @ p - load\nangle[{reference}] == 0\nabs(flow @ angle) <= rating"
    flow = network.flow[network.rated]
    return text, {"balance": network.balance, "at": network.at, "load": network.load, "flow": flow}, None


def timed(call, *arguments):
    start = time.perf_counter()
    result = call(*arguments)
    return result, time.perf_counter() - start


def by_clarabel(network, form, values, v):
    """Clarabel's nearest points, of the forms without parameters."""
    count, n = len(network.power), v.shape[1]
    powers, rating = sp.eye(count, n, format="csr"), network.rating[network.rated]
    if form is of_angles:
        equal = sp.vstack([sp.hstack([-values["at"], values["balance"]]), sp.eye(1, n, count + network.reference)])
        right, middle = np.r_[-values["load"], 0], 0
        rows = sp.hstack([sp.csr_matrix((len(rating), count)), values["flow"]])
    else:
        equal, right, rows, middle = np.ones((1, n)), [values["total"]], sp.csr_matrix(values["A"]), values["moved"]
    A = sp.vstack([equal, rows, -rows, powers, -powers]).tocsc()
    b = np.r_[right, rating + middle, rating - middle, network.high, -network.low]
    cones = [clarabel.ZeroConeT(len(right)), clarabel.NonnegativeConeT(len(b) - len(right))]
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    identity = sp.eye(n, format="csc")
    return np.array([clarabel.DefaultSolver(identity, -point, A, b, cones, settings).solve().x for point in v])


def distances(found, v):
    return np.linalg.norm(found - v, axis=1)


def has_point(network, values, load):
    moved, rating = values["H"] @ load, network.rating[network.rated]
    rows, sides = np.r_[values["A"], -values["A"]], np.r_[rating + moved, rating - moved]
    bounds = np.c_[network.low, network.high]
    cost, ones = np.zeros(len(network.low)), np.ones((1, len(network.low)))
    return linprog(cost, rows, sides, ones, [load.sum()], bounds).status != 2


def measure(name, network, form):
    random = np.random.default_rng(0)
    text, values, x = form(network, random)
    sizes = {"generators": len(network.power), "buses": len(network.load), "reference": network.reference}
    values |= {"low": network.low, "high": network.high, "rating": network.rating[network.rated]}
    region, compiling = timed(lambda: hcr.Region(text.format(**sizes), **values))
    v = network.power + 0.2 * np.abs(network.high).mean() * random.normal(size=(SAMPLES, len(network.power)))
    if form is of_angles:
        v = np.c_[v, 0.1 * random.normal(size=(SAMPLES, len(network.load)))]
    given = (lambda count: None) if x is None else (lambda count: x[:count])
    region.contract(v[:1], given(1)), region.project(v[:1], given(1))  # what is made once
    y, contracting = timed(region.contract, v, given(SAMPLES))
    z, projecting = timed(region.project, v[:NEAREST], given(NEAREST))
    none = np.isnan(y).any(1)
    outside = (~region.check(y, x) & ~none).sum() + (~region.check(z, given(NEAREST)) & ~none[:NEAREST]).sum()
    wrong = sum(has_point(network, values, x[i]) for i in np.flatnonzero(none)) if x is not None else none.sum()
    peer = farther = "–"
    if x is None:
        found, seconds = timed(by_clarabel, network, form, values, v[:FEW])
        peer, farther = (
            f"{1e6 * seconds / FEW:.0f}",
            f"{(distances(found, v[:FEW]) / distances(z[:FEW], v[:FEW]) - 1).max():.0e}",
        )
    figures = (
        f"{compiling:.2f} | {1e6 * contracting / SAMPLES:.1f} | {1e6 * projecting / NEAREST:.0f} | {peer} | {farther}"
    )
    kind = form.__name__.removeprefix("of_")
    print(
        f"| {name} | {kind} | {region.n} | {network.rated.sum()} | {figures} | {outside} | {none.sum()} ({wrong}) |",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="MATPOWER's data")
    parser.add_argument("case", nargs="+", help="such as case30")
    options = parser.parse_args()
    hcr.set_threads(1)
    print(
        "| case | outputs are | n | rated branches | compile, s | contract, µs | project | Clarabel | farther by ",
        end="",
    )
    print("| outside | without a point (of these with one by HiGHS) |\n|---|---|" + 9 * "---:|")
    for name in options.case:
        network = Network(options.folder / f"{name}.m")
        if not network.rated.any():
            print(f"| {name} | has no ratings |")
            continue
        for form in (of_powers, of_loads, of_angles):
            measure(name, network, form)


if __name__ == "__main__":
    main()
