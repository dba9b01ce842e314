"""Samples whose limits contradict each other, beside HiGHS, which knows their rows from here alone: the least
violation, lexicographic by priority; conflicts, from which no limit can be left out; results inside the relaxed
limits in fractions; finite gradients.

HCR_LONG: 25,000 contradicting samples of each of four regions, and 5,000 of each of two (HCR_ROWS, HCR_SEED: others).
HCR_REAL: a folder with clones of https://github.com/power-grid-lib/pglib-uc, https://github.com/ERGO-Code/HiGHS and
https://github.com/MATPOWER/matpower: an hour's dispatch of RTS-GMLC's 73 generators; infeasible files of linear
programs, whose right-hand sides are the samples; and networks whose lines may carry less than their ratings.
"""

from __future__ import annotations

import itertools
import json
import os
import pathlib
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

import hcr

highspy = pytest.importorskip("highspy")
scipy_optimize = pytest.importorskip("scipy.optimize")

LONG = bool(os.environ.get("HCR_LONG"))
ROWS = int(os.environ.get("HCR_ROWS", "25000")) if LONG else 120
SEED = int(os.environ.get("HCR_SEED", "9"))
REAL = os.environ.get("HCR_REAL")
#: Samples in fractions, and conflicts that are taken apart: of ROWS, one in so many.
FRACTIONS, CONFLICTS = (20, 10) if LONG else (4, 2)
#: What a slack is larger than its violation, a share of its row's terms: docs/contradictions.md.
ROOM = 2.0**-36


class Limits(NamedTuple):
    """A(x) y + C x <= b, a line of the region's text."""

    line: str
    A: Any  # (m, n), or of x
    C: Any  # (m, p)
    b: Any
    priority: int = 1  # 0: hard
    weight: float = 1.0
    opposite: int = 0  # of an equality: so many rows behind stands the one with the other sign

    def at(self, x: np.ndarray) -> np.ndarray:
        return self.A(x) if callable(self.A) else self.A


class Family(NamedTuple):
    head: str
    limits: list[Limits]
    draw: Callable[[np.random.Generator, int], np.ndarray]
    constants: dict[str, Any] = {}  # noqa: RUF012
    rows: int = ROWS

    def region(self) -> hcr.Region:
        return hcr.Region(self.head + "\n" + "\n".join(limits.line for limits in self.limits), **self.constants)


def bands() -> Family:
    """A forecast's band that ramps can't follow; everything is soft."""
    n, eye, ramp, none = 24, np.eye(24), np.diff(np.eye(24), axis=0), np.zeros((24, 49))
    cap, low, last = none.copy(), none.copy(), np.zeros((1, 49))
    cap[:, :n], low[:, n : 2 * n], last[0, -1] = -eye, eye, 1
    limits = [
        Limits("low <= p", -eye, low, np.zeros(n)),
        Limits("p <= cap", eye, cap, np.zeros(n)),
        Limits("p[0] - last <= 1.5", eye[:1], -last, [1.5]),
        Limits("last - p[0] <= 1.5", -eye[:1], last, [1.5]),
        Limits("diff(p) <= 1.5", ramp, np.zeros((n - 1, 49)), np.full(n - 1, 1.5)),
        Limits("-diff(p) <= 1.5", -ramp, np.zeros((n - 1, 49)), np.full(n - 1, 1.5)),
    ]

    def draw(random: np.random.Generator, count: int) -> np.ndarray:
        parts = random.uniform(3, 10, (count, n)), random.uniform(-2, 5, (count, n)), random.uniform(0, 10, (count, 1))
        return np.concatenate(parts, 1)

    return Family("var p[24]\nparam cap[24] in [0, 10]\nparam low[24] in [-2, 9]\nparam last in [0, 10]", limits, draw)


def sold() -> Family:
    """The plan of the docs: a contract, then the network operator's wish; ramps are hard. Some capacities are 0."""
    n, eye, ramp = 24, np.eye(24), np.diff(np.eye(24), axis=0)
    cap, total = np.zeros((n, n + 1)), np.zeros((1, n + 1))
    cap[:, :n], total[0, n] = -eye, 1
    limits = [
        Limits("load >= 0", -eye, np.zeros((n, n + 1)), np.zeros(n), 0),
        Limits("diff(load) <= 15", ramp, np.zeros((n - 1, n + 1)), np.full(n - 1, 15), 0),
        Limits("-diff(load) <= 15", -ramp, np.zeros((n - 1, n + 1)), np.full(n - 1, 15), 0),
        Limits("soft priority 1 weight 2: sum(load) >= sold", -np.ones((1, n)), total, [0], 1, 2),
        Limits("soft priority 2: load <= cap", eye, cap, np.zeros(n), 2),
    ]

    def draw(random: np.random.Generator, count: int) -> np.ndarray:
        hour = np.arange(n)
        dip = random.uniform(0, 80, (count, 1)) * np.exp(-(((hour - random.uniform(0, 24, (count, 1))) / 3) ** 2))
        line = np.maximum(random.uniform(40, 100, (count, 1)) - dip + random.normal(0, 4, (count, n)), 0)
        line *= random.random((count, n)) > 0.02
        return np.concatenate([np.minimum(line, 100), random.uniform(300, 3000, (count, 1))], 1)

    return Family("var load[24]\nparam cap[24] in [0, 100]\nparam sold in [100, 3000]", limits, draw)


def barriers() -> Family:
    """Coefficients that move, of several weights, beside hard bounds."""
    n, rows = 4, 6
    eye, p = np.eye(n), rows * n + rows
    right = np.zeros((rows, p))
    right[:, rows * n :] = -np.eye(rows)
    limits = [
        Limits("u <= 1", eye, np.zeros((n, p)), np.ones(n), 0),
        Limits("-u <= 1", -eye, np.zeros((n, p)), np.ones(n), 0),
    ]
    for i in range(rows):
        line = f"soft weight {i + 1}: a[{i * n}:{i * n + n}] @ u <= b[{i}]"
        limits.append(
            Limits(line, lambda x, i=i: x[None, i * n : i * n + n], right[i : i + 1], np.zeros(1), 1, i + 1.0)
        )

    def draw(random: np.random.Generator, count: int) -> np.ndarray:
        return np.concatenate([random.normal(size=(count, rows * n)), random.normal(0, 1, (count, rows))], 1)

    return Family(f"var u[{n}]\nparam a[{rows * n}], b[{rows}]", limits, draw)


def hierarchy() -> Family:
    """Dense rows, all soft."""
    random = np.random.default_rng(3)
    n, m = 12, 30
    A = random.normal(size=(m, n)).round(3)
    limits = [
        Limits("y <= 5", np.eye(n), np.zeros((n, m)), np.full(n, 5)),
        Limits("-y <= 5", -np.eye(n), np.zeros((n, m)), np.full(n, 5)),
        Limits("A @ y <= b", A, -np.eye(m), np.zeros(m)),
    ]
    return Family(
        f"var y[{n}]\nparam b[{m}] in [-12, 20]", limits, lambda r, count: r.uniform(-12, 2, (count, m)), {"A": A}
    )


def filled(balanced: bool = False) -> Family:
    """One row over all outputs, of coefficients of both signs, and limits of the outputs of several prices on top of
    each other. The row is soft, dearer than some of them; or a balance, which isn't."""
    n, eye, a = 12, np.eye(12), np.array([1, 1, 2, -1, 1, 0.5, -2, 1, 0, 3, 1, -1.0])
    none = np.zeros((n, 2 * n + 1))
    cap, floor, need = none.copy(), none.copy(), np.zeros((1, 2 * n + 1))
    cap[:, :n], floor[:, n : 2 * n], need[0, -1] = -eye, eye, 1
    halves = slice(0, 6), slice(6, 12)
    limits = [
        Limits("y <= 30", eye, none, np.full(n, 30), 0),
        Limits("-y <= 30", -eye, none, np.full(n, 30), 0),
        Limits("soft priority 1 weight 3: y <= 20", eye, none, np.full(n, 20), 1, 3),
        Limits("soft priority 1 weight 0.5: -y <= 22", -eye, none, np.full(n, 22), 1, 0.5),
        Limits("soft priority 2 weight 2: y[0:6] <= cap[0:6]", eye[halves[0]], cap[halves[0]], np.zeros(6), 2, 2),
        Limits("soft priority 2: y[6:12] <= cap[6:12]", eye[halves[1]], cap[halves[1]], np.zeros(6), 2),
        Limits("soft priority 3: low <= y", -eye, floor, np.zeros(n), 3),
        Limits(
            "soft priority 3 weight 4: diff(y) <= 9", *(np.diff(m, axis=0) for m in (eye, none)), np.full(11, 9), 3, 4
        ),
    ]
    if balanced:
        limits += [
            Limits("a @ y == need", a[None], -need, [0], 0, opposite=1),
            Limits("# and from below", -a[None], need, [0], 0),
        ]
    else:
        limits += [Limits("soft priority 1 weight 1.5: a @ y >= need", -a[None], need, [0], 1, 1.5)]

    def draw(random: np.random.Generator, count: int) -> np.ndarray:
        parts = random.uniform(-5, 15, (count, n)), random.uniform(-15, 5, (count, n)), random.uniform(0, 1, (count, 1))
        return np.concatenate([*parts[:2], 420 * parts[2] ** 2 - (80 if balanced else 0)], 1)

    head = f"var y[{n}]\nparam cap[{n}] in [-5, 15]\nparam low[{n}] in [-15, 5]\nparam need in [-100, 420]"
    return Family(head, limits, draw, {"a": a}, ROWS // 5 if LONG else 40)


def balanced() -> Family:
    return filled(balanced=True)


def dispatch() -> Family:
    """An hour of RTS-GMLC (Barrows et al., in pglib-uc): thermal generators that run between their limits, hard; the
    demand that wind and sun leave, up to 1.6 times the file's; ramps from the hour before."""
    hours, fleet = [], None
    for path in sorted((pathlib.Path(REAL or "") / "pglib-uc" / "rts_gmlc").glob("*.json")):
        day = json.loads(path.read_text())
        fleet = fleet or day["thermal_generators"]
        green = np.sum([g["power_output_maximum"] for g in day["renewable_generators"].values()], 0)
        hours += list(zip(day["demand"], day["reserves"], green, strict=True))
    assert fleet is not None
    units = list(fleet.values())
    least, most, up, down = (
        np.array([unit[key] for unit in units])
        for key in ("power_output_minimum", "power_output_maximum", "ramp_up_limit", "ramp_down_limit")
    )
    n, demand = len(units), np.array(hours)
    eye, zero = np.eye(n), np.zeros((n, 3 * n + 2))
    low, high, before = zero.copy(), zero.copy(), zero.copy()
    low[:, :n], high[:, n : 2 * n], before[:, 2 * n : 3 * n] = eye, -eye, eye
    need, reserve = np.zeros((1, 3 * n + 2)), np.zeros((1, 3 * n + 2))
    need[0, -2], reserve[0, -2:] = 1, -1
    limits = [
        Limits("low <= p", -eye, low, np.zeros(n), 0),
        Limits("p <= high", eye, high, np.zeros(n), 0),
        Limits("soft priority 1 weight 5: sum(p) >= need", -np.ones((1, n)), need, [0], 1, 5),
        Limits("soft priority 1: sum(p) <= need + reserve", np.ones((1, n)), reserve, [0], 1),
        Limits("soft priority 2: p - before <= up", eye, -before, up, 2),
        Limits("soft priority 2: before - p <= down", -eye, before, down, 2),
    ]

    def draw(random: np.random.Generator, count: int) -> np.ndarray:
        chosen = demand[random.integers(len(demand), size=count)]
        runs = random.random((count, n)) < random.uniform(0.5, 1, (count, 1))
        earlier = np.where(random.random((count, n)) < 0.8, least + random.random((count, n)) * (most - least), 0)
        wanted = np.maximum(chosen[:, :1] * random.uniform(0.8, 1.6, (count, 1)) - chosen[:, 2:], 0)
        return np.concatenate([runs * least, runs * most, earlier, wanted, chosen[:, 1:2]], 1)

    head = (
        f"var p[{n}]\nparam low[{n}] in [zeros({n}), least]\nparam high[{n}] in [zeros({n}), twice]\n"
        f"param before[{n}] in [zeros({n}), most]\nparam need in [0, 20000]\nparam reserve in [0, 2000]"
    )
    # Their middle runs, and meets the middle of what is needed.
    constants = {"least": least, "twice": 4 * most, "most": most, "up": up, "down": down}
    return Family(head, limits, draw, constants, ROWS // 4 if LONG else 12)


def program(name: str) -> Family:
    """An infeasible linear program of HiGHS's tests: its rows' limits, moved by up to a hundredth, are the samples."""
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.readModel(str(pathlib.Path(REAL or "") / "HiGHS" / "check" / "instances" / name))
    lp = model.getLp()
    start, index, value = (np.array(a) for a in (lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_))
    whole = np.zeros((lp.num_row_, lp.num_col_))
    for j in range(lp.num_col_):
        whole[index[start[j] : start[j + 1]], j] = value[start[j] : start[j + 1]]
    upper, lower = np.array(lp.row_upper_), np.array(lp.row_lower_)
    above, below = np.flatnonzero(np.isfinite(upper)), np.flatnonzero(np.isfinite(lower))
    A = np.concatenate([whole[above], -whole[below]])
    b = np.concatenate([upper[above], -lower[below]])
    n, m = lp.num_col_, len(b)
    top, bottom = np.array(lp.col_upper_), np.array(lp.col_lower_)
    has_top, has_bottom = np.flatnonzero(np.isfinite(top)), np.flatnonzero(np.isfinite(bottom))
    B = np.concatenate([np.eye(n)[has_top], -np.eye(n)[has_bottom]])
    c = np.concatenate([top[has_top], -bottom[has_bottom]])
    inside = np.where(np.isfinite(bottom), bottom + 1, np.where(np.isfinite(top), top - 1, 0))
    inside = np.where(np.isfinite(top) & np.isfinite(bottom), (top + bottom) / 2, inside)
    moved = 0.01 * np.maximum(np.abs(b), 0.1)
    least = b - 2 * moved
    most = 2 * np.maximum(A @ inside + 1 + np.abs(A @ inside), b + 1) - least  # the middle leaves `inside`
    limits = [
        Limits("B @ y <= c", B, np.zeros((len(c), m)), c),
        Limits("A @ y <= b", A, -np.eye(m), np.zeros(m)),
    ]
    return Family(
        f"unbounded\nvar y[{n}]\nparam b[{m}] in [least, most]",
        limits,
        lambda random, count: b + moved * random.uniform(-1, 1, (count, m)),
        {"A": A, "B": B, "c": c, "least": least, "most": most},
        min(ROWS, 300) if LONG else 3,
    )


def network(name: str) -> Family:
    """A DC power flow of MATPOWER: what generators make is what is used, hard, and each line has a rating of 0.2 to 1
    times the file's, soft. By distribution factors, as in bench/networks.py."""
    text = (pathlib.Path(REAL or "") / "matpower" / "data" / f"{name}.m").read_text()

    def table(of: str) -> np.ndarray:
        body = re.search(rf"mpc\.{of}\s*=\s*\[(.*?)\];", text, re.DOTALL)
        assert body is not None
        lines = (line.split("%")[0].split() for line in re.split(r"[;\n]", body[1]))
        return np.array([[float(number) for number in line] for line in lines if line])

    bus, made, branch = table("bus"), table("gen"), table("branch")
    made, branch = made[made[:, 7] > 0], branch[branch[:, 10] > 0]
    place = {number: i for i, number in enumerate(bus[:, 0])}
    at, across = np.zeros((len(bus), len(made))), np.zeros((len(branch), len(bus)))
    at[[place[number] for number in made[:, 0]], np.arange(len(made))] = 1
    for side, sign in ((0, 1), (1, -1)):
        across[np.arange(len(branch)), [place[number] for number in branch[:, side]]] = sign
    flow = across / (branch[:, 3] * np.where(branch[:, 8] == 0, 1, branch[:, 8]))[:, None]
    factors = (flow @ np.linalg.pinv(across.T @ flow))[branch[:, 5] > 0]
    rating, A, moved = branch[branch[:, 5] > 0, 5], factors @ at, factors @ bus[:, 2]
    A[np.abs(A) < 1e-12] = 0  # pinv's rounding
    n, m, total = len(made), len(rating), bus[:, 2].sum()
    eye, none, of_ratings, ones = np.eye(n), np.zeros((n, m)), -np.eye(m), np.ones((1, n))
    limits = [
        Limits("low <= p", -eye, none, -made[:, 9], 0),
        Limits("p <= high", eye, none, made[:, 8], 0),
        Limits("sum(p) == total", ones, none[:1], [total], 0, opposite=1),
        Limits("# and from below", -ones, none[:1], [-total], 0),
        Limits("soft: A @ p - moved <= rating", A, of_ratings, moved),
        Limits("soft: moved - A @ p <= rating", -A, of_ratings, -moved),
    ]
    return Family(
        f"var p[{n}]\nparam rating[{m}] in [zeros({m}), most]",
        limits,
        lambda random, count: rating * random.uniform(0.2, 1, (count, 1)) * random.uniform(0.7, 1, (count, m)),
        {"low": made[:, 9], "high": made[:, 8], "total": total, "A": A, "moved": moved, "most": 4 * rating},
        min(ROWS, 500) if LONG else 12,
    )


NETWORKS = ("case24_ieee_rts", "case30", "case39", "case89pegase", "case_ACTIVSg200", "case_RTS_GMLC")
PROGRAMS = ("galenet.mps", "klein1.mps", "woodinfe.mps", "forest6.mps", "ex72a.mps", "box1.mps", "refinery.mps")
real = pytest.mark.skipif(REAL is None, reason="HCR_REAL is the folder of the clones")
FAMILIES = [
    *(pytest.param(make, id=make.__name__) for make in (bands, sold, barriers, hierarchy, filled, balanced)),
    pytest.param(dispatch, id="dispatch", marks=real),
    *(pytest.param(lambda name=name: program(name), id=name, marks=real) for name in PROGRAMS),
    *(pytest.param(lambda name=name: network(name), id=name, marks=real) for name in NETWORKS),
]


def has_no_point(A: np.ndarray, b: np.ndarray) -> bool:
    """Whether A y <= b contradicts itself, where HiGHS doesn't end. Least distance programming (Lawson and Hanson,
    1974, chapter 23) gives multipliers m >= 0 with |(A'm, b'm + 1)| = off, so that no point is shorter than 1/off - 1,
    in units of the largest limit; or the shortest point, which is tried."""
    lengths = np.linalg.norm(A, axis=1)
    A, b = A / lengths[:, None], b / lengths / np.abs(b / lengths).max()
    E, target = np.r_[A.T, b[None]], np.r_[np.zeros(A.shape[1]), -1]
    multipliers, off = scipy_optimize.nnls(E, target, maxiter=30 * len(b))
    if off < 1e-9:
        return True
    rest, met = target - E @ multipliers, multipliers > 0
    y = -rest[:-1] / rest[-1]
    for _ in range(3):  # it may be far away
        y += np.linalg.lstsq(A[met], b[met] - A[met] @ y)[0]
    assert (A @ y - b).max() <= 1e-12 * max(1, np.abs(y).max())  # rounding
    return False


class Referee:
    """Linear programs of one sample."""

    def __init__(self) -> None:
        self.model = highspy.Highs()
        for option, value in (
            ("output_flag", False),
            ("primal_feasibility_tolerance", 1e-10),
            ("dual_feasibility_tolerance", 1e-10),
        ):
            self.model.setOptionValue(option, value)

    def solve(self, A: np.ndarray, top: np.ndarray, cost: np.ndarray, low: np.ndarray, high: np.ndarray) -> Any:
        """min cost·z, A z <= top, low <= z <= high: HiGHS's status and value."""
        m, n = A.shape
        rows, columns = np.nonzero(A)
        lp = highspy.HighsLp()
        lp.num_row_, lp.num_col_ = m, n
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = cost, low, high
        lp.row_lower_, lp.row_upper_ = np.full(m, -np.inf), top
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.searchsorted(rows, np.arange(m + 1)).astype(np.int32)
        lp.a_matrix_.index_, lp.a_matrix_.value_ = columns.astype(np.int32), A[rows, columns]
        self.model.passModel(lp)
        self.model.run()
        return self.model.getModelStatus(), self.model.getObjectiveValue()

    def is_empty(self, A: np.ndarray, b: np.ndarray) -> bool:
        n = A.shape[1]
        status, _ = self.solve(A, b, np.zeros(n), np.full(n, -np.inf), np.full(n, np.inf))
        if status in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible):
            return bool(status == highspy.HighsModelStatus.kInfeasible)
        return has_no_point(A, b)  # kUnknown or kNotset, of klein1 and case_RTS_GMLC, at these tolerances

    def least(self, A: np.ndarray, b: np.ndarray, priority: np.ndarray, weight: np.ndarray) -> list[float] | None:
        """Σ weight · violation of each priority in turn; None where hard limits contradict each other."""
        m, n = A.shape
        low = np.r_[np.full(n, -np.inf), np.zeros(m)]
        high = np.r_[np.full(n, np.inf), np.where(priority == 0, 0, np.inf)]
        M, top, found = np.c_[A, -np.eye(m)], b, []
        for level in range(1, priority.max() + 1):
            cost = np.r_[np.zeros(n), np.where(priority == level, weight, 0)]
            status, value = self.solve(M, top, cost, low, high)
            if status == highspy.HighsModelStatus.kInfeasible:
                return None
            assert status == highspy.HighsModelStatus.kOptimal
            found.append(value)
            M, top = np.r_[M, cost[None]], np.r_[top, value * (1 + 1e-12) + 1e-11]
        return found


class Samples(NamedTuple):
    """Contradicting samples of a family."""

    family: Family
    region: hcr.Region
    x: np.ndarray
    where: np.ndarray  # the row of each slack
    priority: np.ndarray  # of each row
    weight: np.ndarray
    numbers: dict[tuple[int, int], int]  # a row by its line and its number there
    opposite: dict[int, int]  # the other row of an equality

    def rows(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        A = np.concatenate([limits.at(x) for limits in self.family.limits])
        return A, np.concatenate([np.asarray(limits.b) - limits.C @ x for limits in self.family.limits])


@pytest.fixture(scope="module", params=FAMILIES)
def samples(request: pytest.FixtureRequest) -> Samples:
    family = request.param()
    region, first = family.region(), family.head.count("\n") + 2
    numbers, priority, weight, opposite = {}, [], [], {}
    for k, limits in enumerate(family.limits):
        for i in range(len(limits.b)):
            numbers[first + k, i] = len(priority)
            if limits.opposite != 0:
                opposite[len(priority)] = len(priority) + limits.opposite
            priority.append(limits.priority)
            weight.append(limits.weight)
    where = np.array([numbers[limit.line, limit.row] for limit in region.relaxation.constraints])
    random, found = np.random.default_rng(SEED), np.zeros((0, region.p))
    while len(found) < family.rows:
        x = family.draw(random, family.rows)
        _, outcome = region.relaxation(x, outcomes=True)
        found = np.concatenate([found, x[outcome == hcr.Outcome.RELAXED]])
        assert not (outcome == hcr.Outcome.OUT_OF_RANGE).any()
    return Samples(family, region, found[: family.rows], where, np.array(priority), np.array(weight), numbers, opposite)


def test_the_least_violation_is_that_of_linear_programs(samples: Samples) -> None:
    """To 1e-9 of it, or of a hundredth of the terms of the rows where that is more: HiGHS's own tolerance is 1e-10 of a
    row. What slacks have beyond violations is taken away first: a share of a row's terms, or of the largest ones."""
    referee, region = Referee(), samples.region
    z = region.relaxation(samples.x)
    slacks, origins = z[:, region.p : -region.n - 1], z[:, -region.n :]
    worst = 0.0
    for i in range(len(samples.x)):
        A, b = samples.rows(samples.x[i])
        lengths, terms = np.linalg.norm(A, axis=1), np.abs(b) + np.abs(A) @ np.abs(origins[i])
        slack = np.zeros(len(b))
        slack[samples.where] = slacks[i]
        met = (slack > 0) | (b - A @ origins[i] < 1e-6 * (1 + terms))
        largest = (terms / lengths)[met].max() * lengths
        best = referee.least(A, b, samples.priority, samples.weight)
        assert best is not None
        off = np.inf
        for room in (terms, np.maximum(terms, largest)):
            cost = samples.weight * (slack - np.where(slack > 0, ROOM * room, 0))
            found = [cost[samples.priority == level].sum() for level in range(1, len(best) + 1)]
            off = min(
                off, (np.abs(np.subtract(found, best)) / np.maximum(np.abs(best), max(0.01 * terms.max(), 1))).max()
            )
        worst = max(worst, off)
        assert off <= 1e-9
    print(f"{len(samples.x)} samples: at most {worst:.1e} from HiGHS")


def test_conflicts_are_those_of_linear_programs_and_irreducible(samples: Samples) -> None:
    referee, checked = Referee(), 0
    every = max(CONFLICTS, len(samples.x) // 3000)
    for x in samples.x[::every]:
        A, b = samples.rows(x)
        conflict = samples.region.relaxation.conflict(x)
        chosen = [samples.numbers[limit.constraint.line, limit.constraint.row] for limit in conflict]
        if not referee.is_empty(A, b):  # the contradiction is within HiGHS's tolerance
            continue
        # An equality, also one of two bounds that meet, is named once.
        groups = [[k, *np.flatnonzero((-A[k] == A).all(1) & (b == -b[k]))] for k in chosen]
        both = list(itertools.chain(*groups))
        assert len(groups) > 1 and referee.is_empty(A[both], b[both])
        for k in range(len(groups)):
            rest = list(itertools.chain(*groups[:k], *groups[k + 1 :]))
            # Independent rows have a point, which HiGHS may not find where it is far away.
            rows = [A[group[0]] / np.linalg.norm(A[group[0]]) for group in (*groups[:k], *groups[k + 1 :])]
            assert np.linalg.svd(rows, compute_uv=False)[-1] > 1e-6 or not referee.is_empty(A[rest], b[rest])
        checked += 1
    assert checked >= 0.9 * len(samples.x[::every])
    print(f"{checked} conflicts")


def test_results_are_inside_the_relaxed_limits_and_gradients_are_finite(samples: Samples) -> None:
    region, random = samples.region, np.random.default_rng(4)
    for first in range(0, len(samples.x), 5000):
        x = samples.x[first : first + 5000]
        z = region.relaxation(x)
        v = random.normal(0, 3, (len(x), region.n))
        y, outcome = region.contract(v, x, on_empty="relax", outcomes=True)
        assert (outcome == hcr.Outcome.RELAXED).all()
        assert region.relaxation.region.check(y, z).all()
        for gradient in region.contract.vjp(v, random.normal(size=y.shape), x, on_empty="relax"):
            assert np.isfinite(gradient).all()
        for i in range(0, len(x), FRACTIONS):
            slack = dict(zip(samples.where.tolist(), z[i, region.p : -region.n - 1], strict=True))
            exact_y, exact_x = [Fraction(value) for value in y[i]], [Fraction(value) for value in x[i]]
            row = 0
            for limits in samples.family.limits:
                for a, c, b in zip(limits.at(x[i]), limits.C, limits.b, strict=True):
                    value = sum(Fraction(a[j]) * exact_y[j] for j in np.flatnonzero(a)) - Fraction(float(b))
                    value += sum(Fraction(c[k]) * exact_x[k] for k in np.flatnonzero(c))
                    # An equality holds to rounding, of as many terms: its two rows tell how far it is off.
                    is_exact = row not in samples.opposite and row not in samples.opposite.values()
                    size = (
                        0 if is_exact else 2 * len(a) * 2.0**-53 * (abs(b) + np.abs(a) @ abs(y[i]) + abs(c) @ abs(x[i]))
                    )
                    assert value <= Fraction(float(slack.get(row, 0))) + Fraction(float(size))
                    row += 1


@pytest.mark.parametrize(
    "line", ["y >= -2", "-y <= 2", "2*y <= 3", "-4*y <= 6", "y[1] - 1 >= -3*y[1]", "-2 <= y <= 1.5"]
)
def test_soft_limits_of_one_output_are_those_they_say(line: str) -> None:
    head = "var y[2]\nparam b in [-8, 8]\n-9 <= y <= 9\nsum(y) <= b\n"
    points = np.random.default_rng(2).uniform(-9, 9, (4000, 2))
    soft, hard = (hcr.Region(head + mark + line).check(points, np.full((4000, 1), 8.0)) for mark in ("soft: ", ""))
    assert hard.any() and (soft == hard).all()
