# %% [markdown]
# # For proxies: an optimal power flow that is always feasible
#
# A *proxy* is a network that gives the solution of an optimisation problem at once, where a solver
# takes its time. What it gives is nearly optimal, and, without more, not feasible. Here the
# problem is the DC optimal power flow of the IEEE 118-bus system, with pandapower's data: what each
# generator gives, so that the loads are met at least cost, generators stay within their limits, and
# no line carries more than it may. The proxy's answers satisfy all of it, exactly.

# %%
from time import process_time

import hcr
import numpy as np
import pandapower.networks
import scipy.optimize

net = pandapower.networks.case118()
bus = {b: i for i, b in enumerate(net.bus.index)}
n = len(bus)

# %% [markdown]
# The grid: with susceptances $b = 1/x$ of lines and transformers, flows are linear in what is fed
# in at the buses, by the matrix of power transfer distribution factors.

# %%
lines = net.line
base = net.sn_mva
ohm = net.bus.vn_kv[lines.from_bus].to_numpy() ** 2 / base  # what a reactance of 1 per unit is
reactance = [*(lines.x_ohm_per_km * lines.length_km / lines.parallel / ohm)]
ends = [*zip(lines.from_bus.map(bus), lines.to_bus.map(bus), strict=True)]
for _, t in net.trafo.iterrows():
    reactance.append(t.vk_percent / 100 * base / t.sn_mva)
    ends.append((bus[t.hv_bus], bus[t.lv_bus]))
incidence = np.zeros((len(ends), n))
for k, (a, b) in enumerate(ends):
    incidence[k, a], incidence[k, b] = 1, -1
weighted = incidence / np.array(reactance)[:, None]
laplacian = incidence.T @ weighted
factors = np.zeros((len(ends), n))  # the first bus is the reference
factors[:, 1:] = weighted[:, 1:] @ np.linalg.inv(laplacian[1:, 1:])

sources = [(net.ext_grid, "ext_grid"), (net.gen, "gen")]
place, low, high, cost = [], [], [], []
for table, kind in sources:
    prices = net.poly_cost[net.poly_cost.et == kind].set_index("element").cp1_eur_per_mw
    for element, row in table.iterrows():
        place.append(bus[row.bus])
        low.append(max(row.min_p_mw, 0))
        high.append(row.max_p_mw)
        cost.append(prices[element])
low, high, cost = np.array(low), np.array(high), np.array(cost)
load = np.zeros(n)
np.add.at(load, net.load.bus.map(bus), net.load.p_mw)
print(f"{n} buses, {len(ends)} branches, {len(place)} generators, {load.sum():.0f} MW of load")

# %% [markdown]
# The loads of eight areas vary on their own, between 70 % and 110 %. The case has no limits of
# branches; each gets 1.2 times what it carries at the usual load, and at least 60 MW.

# %%
AREAS = 8
area = np.arange(n) * AREAS // n
to_bus = load[:, None] * (area[:, None] == np.arange(AREAS))  # load of each bus for factors of areas
gain, drop = factors[:, place], factors @ to_bus


def solve(share, limit):
    """The optimum by HiGHS: what generators give, and the seconds that it took."""
    rows = np.vstack([gain, -gain])
    right = np.concatenate([limit + drop @ share, limit - drop @ share])
    began = process_time()
    found = scipy.optimize.linprog(
        cost, rows, right, np.ones((1, len(place))), [to_bus.sum(0) @ share], np.c_[low, high], method="highs"
    )
    return found.x if found.success else None, process_time() - began


usual, _ = solve(np.ones(AREAS), np.full(len(ends), 1e4))
limit = np.maximum(1.2 * np.abs(gain @ usual - drop @ np.ones(AREAS)), 60)

# %% [markdown]
# The region, in text: the factors of the areas are parameters.

# %%
text = """
var g[54]
param share[8] in [0.7, 1.1]
low <= g <= high
sum(g) == load @ share
-limit <= gain @ g - drop @ share <= limit
"""
began = process_time()
region = hcr.Region(text, low=low, high=high, limit=limit, gain=gain, drop=drop, load=to_bus.sum(0))
print(region, f"{process_time() - began:.1f} s")

# %% [markdown]
# Samples, solved by HiGHS, train a small network. It knows nothing of the limits, and its answers
# break them:

# %%
random = np.random.default_rng(1)
X, Y, seconds = [], [], []
while len(X) < 800:
    share = random.uniform(0.7, 1.1, AREAS)
    g, took = solve(share, limit)
    if g is not None:
        X.append(share)
        Y.append(g)
        seconds.append(took)
X, Y = np.array(X), np.array(Y)
train, test = slice(0, 650), slice(650, None)
options = {"hidden": 128, "epochs": 300, "rate": 2e-3, "seed": 1}
model = hcr.fit(region, X[train], Y[train], parameters=X[train], head="simple", **options)
raw = model.predict(X[test], parameters=X[test])
over = np.abs(raw @ gain.T - X[test] @ drop.T) - limit
broken = ((over > 1e-6).any(1) | (raw < low - 1e-6).any(1) | (raw > high + 1e-6).any(1)).mean()
off = np.abs(raw.sum(1) - X[test] @ to_bus.sum(0))
print(f"{100 * broken:.0f} % break a limit by more than 1 W; the balance is off by {off.mean():.1f} MW on average")

# %% [markdown]
# Taken inside, to the nearest point or along a ray, they are feasible, all of them:

# %%
solver, best = np.mean(seconds[650:]), Y[test] @ cost
for name in ("project", "contract"):
    began = process_time()
    if name == "project":
        P = region.project(raw, X[test])
    else:
        origins = region.contract(np.zeros_like(raw), X[test])
        P = region.contract(raw - origins, X[test])
    each = (process_time() - began) / len(P)
    inside, gap = region.check(P, X[test]), P @ cost / best - 1
    print(
        f"{name}: inside, decided exactly, {inside.sum()} of {len(P)}; {100 * gap.mean():.2f} % above the least cost on"
    )
    print(f"   average, {100 * gap.max():.2f} % at most; {1e6 * each:.0f} µs a sample, HiGHS {1e6 * solver:.0f} µs")
    assert inside.all()
