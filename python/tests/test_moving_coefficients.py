"""Equalities and cones whose coefficients are parameters: exactness, residuals, rank, derivatives, every face."""

from __future__ import annotations

import os
import pickle
from fractions import Fraction

import numpy as np
import pytest

import hcr

# Two balances, the second of which doesn't have output 0 where s is 0, beside rows and a ball.
MIXED = """
var y[4]
param a[4] in [0.5, 2]
param s in [-1, 1]
param b in [2, 4]
-5 <= y <= 5
a @ y == b
s * y[0] - s * y[1] + y[3] == 0.5 * s
norm(y) <= 6
y[2] + 0.5 * b * y[1] <= 4
"""
# What lines lose on their way differs from hour to hour; a sum stays.
LINES = """
var flow[5]
param kept[5] in [0.8, 1]
param need in [3, 6]
param cap[5] in [1, 3]
0 <= flow <= cap
kept @ flow == need
flow[0] + flow[1] == flow[2]
"""
# A robust barrier beside a norm of the input and a barrier row.
BARRIER = """
var u[3]
param x[4] in [-1, 1]
param c[3] in [-0.5, 0.5]
param d in [-0.5, 2]
norm(u) <= 2
norm([x[0] * u[0] + 0.5 * u[1] + 0.1 * x[1], (x[1] + 1) * u[1] - u[2], x[2]]) <= c @ u + d
x[3] * u[0] + u[2] >= -1
"""
# Squares and a quotient beside a sum that is fixed; the last one becomes rows.
SQUARES = """
var y[4]
param x[3] in [-1, 1]
param s in [1, 2]
-2 <= y <= 2
sum(y) == s
sum_squares([x[0] * y[0], y[1], x[1] * y[2] + y[3]]) <= 2 + x[2] * y[0]
2 * sum_squares(x * y[:3]) <= 3
quad_over_lin(x[:2] * y[:2], y[3] + 3) <= 1 - 0.3 * x[2]
square(x[0] * y[0]) <= 2
"""
# Equalities that move beside a cone that does.
BOTH = """
var y[4]
param a[4] in [0.5, 2]
param s in [-1, 1]
param b in [2, 4]
-5 <= y <= 5
a @ y == b
norm([s * y[0] + y[1], y[2], b * y[3]]) <= 4 + s * y[1]
"""
BALANCED = {"mixed": MIXED, "lines": LINES}
TEXTS = {**BALANCED, "barrier": BARRIER, "squares": SQUARES, "both": BOTH}
MAPS = ("contract", "decode", "soften", "project")
# `make test-long`: a million of each region and map, in minutes each.
COUNT = 1_000_000 if os.environ.get("HCR_LONG") else 2000


def count_of(name):
    return COUNT if name != "project" else 60 + COUNT // 50


@pytest.fixture(params=sorted(TEXTS), scope="module")
def region(request):
    return hcr.Region(TEXTS[request.param])


@pytest.fixture(params=sorted(BALANCED), scope="module")
def balanced(request):
    return hcr.Region(BALANCED[request.param])


def samples(region, count, random):
    lower, upper = region.parameters.lower, region.parameters.upper
    return random.uniform(lower, upper, (count, region.p))


def given(region, name, count, random):
    scale = np.exp(random.uniform(-3, 3, (count, 1)))
    v = random.standard_normal((count, region.n)) * scale
    return np.append(v, random.uniform(0, 1.1, (count, 1)), 1) if name == "decode" else v


def matrix(region, x):
    """A(x) and b(x) of a sample, as the texts have them."""
    if region.n == 4:
        a, s, b = x[:4], x[4], x[5]
        return np.array([a, [s, -s, 0, 1]]), np.array([b, 0.5 * s])
    return np.array([x[:5], [1, 1, -1, 0, 0]]), np.array([x[5], 0])


def curved(region, y, x):
    """The left sides of what is curved, which must be at most 0."""
    half, tenth, third = Fraction(1, 2), Fraction(0.1), Fraction(0.3)
    size = lambda *w: sum(a * a for a in w)  # noqa: E731
    if region.p == 8:
        e = sum(a * b for a, b in zip(x[4:7], y, strict=True)) + x[7]
        w = x[0] * y[0] + half * y[1] + tenth * x[1], (x[1] + 1) * y[1] - y[2], x[2]
        return size(*y) - 4, -e, size(*w) - e * e
    if region.p == 4:
        return (
            size(x[0] * y[0], y[1], x[1] * y[2] + y[3]) - 2 - x[2] * y[0],
            2 * size(x[0] * y[0], x[1] * y[1], x[2] * y[2]) - 3,
            size(x[0] * y[0], x[1] * y[1]) - (y[3] + 3) * (1 - third * x[2]),
            size(x[0] * y[0]) - 2,
        )
    if region.equalities == 1:
        e = 4 + x[4] * y[1]
        return -e, size(x[4] * y[0] + y[1], y[2], x[5] * y[3]) - e * e
    return (size(*y) - 36,) if region.n == 4 else (-1,)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", MAPS)
def test_results_are_inside(region, name, dtype, random):
    """Inequalities at tolerance 0, in exact arithmetic, of some in rational arithmetic from the texts; equalities to
    what the library states."""
    count = count_of(name)
    for first in range(0, count, 10_000):
        rows = min(count - first, 10_000)
        x, v = (a.astype(dtype) for a in (samples(region, rows, random), given(region, name, rows, random)))
        y, outcome = getattr(region, name)(v, x, outcomes=True)
        found = ~np.isnan(y).any(1)
        assert set(np.unique(outcome[~found])) <= {hcr.Outcome.NO_ORIGIN}
        assert found.mean() > 0.6
        assert region.check(y[found], x[found]).all()
        for point, sample in zip(y[found][:40], x[found][:40], strict=True):
            assert max(curved(region, [Fraction(float(a)) for a in point], [Fraction(float(a)) for a in sample])) <= 0


@pytest.mark.parametrize(("dtype", "unit"), [(np.float64, 2.0**-53), (np.float32, 2.0**-24)])
def test_residuals_are_roundings_of_terms(balanced, dtype, unit, random):
    """In rational arithmetic, from the texts: at most twice the unit roundoff of the terms' sizes, as
    docs/exactness.md states."""
    x, v = (a.astype(dtype) for a in (samples(balanced, 40, random), given(balanced, "contract", 40, random)))
    y, outcome = balanced.contract(v, x, outcomes=True)
    assert hcr.Outcome.TO_ROUNDING not in outcome
    for sample, point in zip(x, y, strict=True):
        if np.isnan(point).any():
            continue
        A, b = matrix(balanced, sample.astype(float))
        for row, right in zip(A, b, strict=True):
            terms = [Fraction(float(a)) * Fraction(float(p)) for a, p in zip(row, point, strict=True)]
            size = sum(map(abs, terms)) + abs(Fraction(float(right)))
            assert abs(sum(terms) - Fraction(float(right))) <= Fraction(2.03 * unit) * size


def test_directions_are_projected(balanced, random):
    """Small steps: O + P v with NumPy's pseudo-inverse, to 1e-10 of the step."""
    for x in samples(balanced, 50, random):
        try:
            origin = balanced.origin_at(x)
        except hcr.Error:
            continue
        A, _ = matrix(balanced, x)
        v = 1e-3 * random.standard_normal(balanced.n)
        v *= min(1, 0.5 / max(balanced.gauge(v, x), 1e-300))
        want = origin + v - np.linalg.pinv(A) @ (A @ v)
        np.testing.assert_allclose(balanced.contract(v, x), want, rtol=0, atol=1e-13 * (1 + np.abs(want).max()))


def test_one_sample_is_a_region(region, random):
    """`at`, whose equalities are fixed, goes another way: to 1e-9, for its coefficients are rounded."""
    for x in samples(region, 20, random):
        try:
            one = region.at(x)
        except hcr.Error:
            continue
        v = given(region, "contract", 10, random)
        np.testing.assert_allclose(region.contract(v, x), one.contract(v), rtol=0, atol=1e-9)
        np.testing.assert_allclose(region.project(v, x), one.project(v), rtol=0, atol=1e-7)
        np.testing.assert_allclose(region.origin_at(x), one.origin, rtol=0, atol=1e-12)


def test_samples_without_a_point_have_none(random):
    """HiGHS finds none either: the largest room is at most 1e-9."""
    linprog = pytest.importorskip("scipy.optimize").linprog
    region = hcr.Region(LINES)
    x = samples(region, 300, random)
    x[:, 6:] *= 0.7
    x[:, 6:] = np.maximum(x[:, 6:], 1)
    y, outcome = region.contract(np.zeros((300, 5)), x, outcomes=True)
    lost = outcome == hcr.Outcome.NO_ORIGIN
    assert 20 < lost.sum() < 250 and (np.isnan(y).any(1) == lost).all()
    for sample, is_lost in zip(x, lost, strict=True):
        A, b = matrix(region, sample)
        rows, ones = np.concatenate([np.eye(5), -np.eye(5)]), np.ones((10, 1))
        found = linprog(
            [0] * 5 + [-1],
            A_ub=np.append(rows, ones, 1),
            b_ub=np.append(sample[6:], np.zeros(5)),
            A_eq=np.append(A, np.zeros((2, 1)), 1),
            b_eq=b,
            bounds=[(None, None)] * 5 + [(None, 1)],
        )
        assert is_lost == (found.status == 2 or -found.fun <= 1e-9)


def test_rank_is_certified_or_told():
    """Where one row becomes a multiple of the other, or 0; beside that, down to 1e-9, results are inside."""
    region = hcr.Region(
        "var y[3]\nparam t in [-1, 1], u in [1, 3]\n-2 <= y <= 2\ny[0] + t*y[1] == 0\ny[0] + y[1] + (u - 1)*y[2] == 0"
    )
    nearness = np.array([1e-3, 1e-6, 1e-9, 1e-13, 0])
    x = np.stack([1 - nearness, 1 + nearness], 1)
    y, outcome = region.contract(np.ones((5, 3)), x, outcomes=True)
    assert (outcome[:3] != hcr.Outcome.DEPENDENT).all() and region.check(y[:3], x[:3]).all()
    assert outcome[4] == hcr.Outcome.DEPENDENT and np.isnan(y[4]).all()
    for sample, told in zip(x, outcome, strict=True):
        if told == hcr.Outcome.DEPENDENT:
            with pytest.raises(hcr.Error, match="aren't certainly independent"):
                region.at(sample)
    assert region.project(np.ones((5, 3)), x, outcomes=True)[1][4] == hcr.Outcome.DEPENDENT
    assert np.isnan(region.contract.vjp(np.ones(3), np.ones(3), x[4])[0]).all()


def lateral(count, random):
    """States of Buch, Liao and Seiler's car beside an obstacle (arXiv 2109.02537, VehicleLateralControlParams.m and
    SimulationFcn.m of github.com/buchjyot/Safety-Critical-Control-using-Robust-CBFs), drawn about their start; and what
    the second derivative of its barrier is: slope u + drift, with its rate constants 30² and 60."""
    m, inertia, a, b, front, rear, speed = 1670, 2100, 0.99, 1.7, -1.232e5, -1.042e5, 28
    A = np.zeros((6, 6))
    A[0, 1] = A[2, 3] = A[4, 5] = 1
    A[1, 1:4] = (front + rear) / (m * speed), -(front + rear) / m, (a * front - b * rear) / (m * speed)
    A[3, 1:4] = (
        (a * front - b * rear) / (inertia * speed),
        -(a * front - b * rear) / inertia,
        (a * a * front + b * b * rear) / (inertia * speed),
    )
    steer = np.array([0, -front / m, 0, -a * front / inertia, 0, 0])
    x = [2, 0, 0, 0, 0, speed] + random.uniform(-1, 1, (count, 6)) * [4, 2, 0.2, 0.5, 20, 2]
    h = x[:, 0] ** 2 + x[:, 4] ** 2 - 9
    rate = 2 * (x[:, 0] * x[:, 1] + x[:, 4] * x[:, 5])
    second = 2 * np.stack([x[:, 1], x[:, 0], 0 * h, 0 * h, x[:, 5], x[:, 4]], 1)
    drift = ((x @ A.T) * second).sum(1) + 900 * h + 60 * rate
    return second @ steer, drift


STATES = [-4, -1, -0.6, 0, -1], [0, 1, 0.6, 1, 1]


def ellipses(state):
    """What HardNet's unicycle has of its two ellipses (arXiv 2410.10807): dh/dt + 20 h = slope u + drift, where h =
    de/dt + 10 e and e = |(p − centre)/radii|² − 1 for p a point ahead of the axle; by hand."""
    centres, radii = np.array([[-2.25, 0.5], [-0.8, 0]]), np.array([[0.5, 0.75], [0.5, 0.5]])
    c, s, speed, turn = np.cos(state[:, 2]), np.sin(state[:, 2]), state[:, 3], state[:, 4]
    way, across = np.stack([c, s], 1), np.stack([-s, c], 1)
    p = state[:, :2] + 0.1 * way
    velocity = speed[:, None] * way + 0.1 * turn[:, None] * across
    still = (speed * turn)[:, None] * across - 0.1 * (turn**2)[:, None] * way  # the acceleration without u
    off, weight = p[:, None] - centres, 2 / radii**2
    e, de = (0.5 * weight * off**2).sum(2) - 1, (weight * off * velocity[:, None]).sum(2)
    dde = (weight * (velocity[:, None] ** 2 + off * still[:, None])).sum(2)
    slope = np.stack([(weight * off * way[:, None]).sum(2), 0.1 * (weight * off * across[:, None]).sum(2)], 2)
    return slope, dde + 30 * de + 200 * e


CAR = """
var u
param slope in [-1000, 1000], drift in [-1e7, 1e7]
-3 <= u <= 3
abs(0.5 * slope * u) <= slope * u + drift
"""
UNICYCLE = """
var u[2]
param slope[2, 2] in [-1000, 1000], drift[2] in [-1e4, 1e5], spread[2] in [0, 1000]
norm(u) <= 300
norm(spread[0] * u) <= slope[0, :] @ u + drift[0]
norm(spread[1] * u) <= slope[1, :] @ u + drift[1]
"""


@pytest.mark.parametrize("name", ["contract", "decode", "project"])
def test_a_car_past_an_obstacle(name, random):
    """Steering that keeps the barrier whatever a half of it goes wrong, for which its authors solve a cone program a
    step. In one output the set is an interval, here in rational arithmetic."""
    region = hcr.Region(CAR)
    slope, drift = lateral(count_of(name), random)
    x, v = np.stack([slope, drift], 1), given(region, name, len(slope), random)
    y, outcome = getattr(region, name)(v, x, outcomes=True)
    found = ~np.isnan(y[:, 0])
    assert found.mean() > 0.6 and region.check(y[found], x[found]).all()
    for u, s, d in zip(y[:90, 0], slope[:90], drift[:90], strict=True):
        least = -Fraction(d) / (abs(Fraction(s)) * (Fraction(3, 2) if d > 0 else Fraction(1, 2)))
        assert least >= 3 if np.isnan(u) else least <= Fraction(u) * (1 if s > 0 else -1) <= 3
    assert set(np.unique(outcome[~found])) <= {hcr.Outcome.NO_ORIGIN}


@pytest.mark.parametrize("name", ["contract", "decode", "project"])
def test_a_unicycle_past_ellipses(name, random):
    """HardNet's two barriers made robust by the car's authors' cone: an input may err by a fifth of its length. Nearest
    inputs against Clarabel's, to 1e-6 of their length; where a sample has none, it finds none either."""
    region = hcr.Region(UNICYCLE)
    slope, drift = ellipses(random.uniform(*STATES, (count_of(name), 5)))
    spread = 0.2 * np.linalg.norm(slope, axis=2)
    x, v = np.concatenate([slope.reshape(-1, 4), drift, spread], 1), 100 * given(region, name, len(slope), random)
    if name == "decode":
        v[:, 2] /= 100
    y, outcome = getattr(region, name)(v, x, outcomes=True)
    found = ~np.isnan(y).any(1)
    assert found.mean() > 0.6 and region.check(y[found], x[found]).all()
    assert set(np.unique(outcome[~found])) <= {hcr.Outcome.NO_ORIGIN}
    for point, sample in zip(y[found][:100], x[found][:100], strict=True):
        u, k = [Fraction(a) for a in point], [Fraction(a) for a in sample]
        assert u[0] ** 2 + u[1] ** 2 <= 90000
        for i in range(2):
            e = k[2 * i] * u[0] + k[2 * i + 1] * u[1] + k[4 + i]
            assert e >= 0 and k[6 + i] ** 2 * (u[0] ** 2 + u[1] ** 2) <= e * e
    if name != "project":
        return
    cp = pytest.importorskip("cvxpy")
    pytest.importorskip("clarabel")
    for wanted, point, sample in zip(v[:40], y[:40], x[:40], strict=True):
        u = cp.Variable(2)
        sides = [sample[6 + i] * cp.norm(u) <= sample[2 * i : 2 * i + 2] @ u + sample[4 + i] for i in range(2)]
        problem = cp.Problem(cp.Minimize(cp.norm(u - wanted)), [cp.norm(u) <= 300, *sides])
        problem.solve(solver="CLARABEL")
        if np.isnan(point).any():
            assert problem.status != "optimal" or region.violation(u.value, sample) > -1e-6
        else:
            assert abs(np.linalg.norm(point - wanted) - problem.value) <= 1e-6 * (1 + np.linalg.norm(wanted))


def test_rows_of_barriers_are_those_by_hand(random):
    """To 1e-12 of the largest: two derivatives of HardNet's ellipses."""
    torch = pytest.importorskip("torch")
    import hcr.torch

    state = random.uniform(*STATES, (50, 5))
    slope, drift = ellipses(state)
    centres, radii = torch.tensor([[[-2.25, 0.5], [-0.8, 0]], [[0.5, 0.75], [0.5, 0.5]]], dtype=torch.float64)

    def ellipse(s):
        point = s[:2] + 0.1 * torch.stack([s[2].cos(), s[2].sin()])
        return (((point - centres) / radii) ** 2).sum(1) - 1

    def motion(s, u):
        return torch.cat([s[3] * torch.stack([s[2].cos(), s[2].sin()]), s[4:], u])

    rows = hcr.torch.barrier_rows(ellipse, motion, torch.tensor(state), 2, (10, 20))
    for got, wanted in zip(rows, (slope, drift), strict=True):
        np.testing.assert_allclose(got.numpy(), wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


def slopes(function, point, step):
    moved = step * np.eye(len(point))
    return np.array([(function(point + d) - function(point - d)) / (2 * step) for d in moved])


@pytest.mark.parametrize("name", (*MAPS, "gauge", "encode", "soften_inverse"))
def test_derivatives(region, name, random):
    """Against central differences where two steps agree to 1e-5 of the largest, which is what they are good for."""
    map, compared = getattr(region, name), 0
    for x in samples(region, 25, random):
        if np.isnan(region.contract(np.zeros(region.n), x)).any():
            continue
        v = given(region, name, 1, random)[0]
        if name == "decode":
            v[-1] = random.uniform(0.2, 0.8)
        if name in ("encode", "soften_inverse"):
            v = region.contract(0.3 * v / np.linalg.norm(v), x)
        n, point = len(v), np.concatenate([v, x])
        bar = random.standard_normal(np.shape(map(v, x)))
        value = lambda at, n=n, bar=bar: float(np.sum(map(at[:n], at[n:]) * bar))  # noqa: E731
        size = max(np.abs(v).max(), 1)
        wide, narrow = slopes(value, point, 1e-5 * size), slopes(value, point, 3e-6 * size)
        got = np.concatenate([np.atleast_1d(part) for part in map.vjp(v, bar, x)])
        largest = 1 + np.nanmax(np.abs(narrow))
        smooth = np.abs(wide - narrow) <= 1e-5 * largest
        np.testing.assert_allclose(got[smooth], narrow[smooth], rtol=0, atol=1e-4 * largest)
        compared += smooth.sum()
        change = random.standard_normal(len(point))
        forward = np.sum(map.jvp(v, change[:n], x, change[n:]) * bar)
        assert abs(forward - got @ change) <= 1e-8 * (1 + np.abs(got * change).sum())
    assert compared > 50


@pytest.mark.filterwarnings("ignore:hcr.jax calls the C library by way of Python")
def test_torch_and_jax_have_the_library_s(region, random):
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    import hcr.jax
    import hcr.torch

    x, v = samples(region, 30, random), given(region, "contract", 30, random)
    x = x[~np.isnan(region.contract(v, x)).any(1)]
    v, bar = v[: len(x)], random.standard_normal((len(x), region.n))
    want, (by_v, by_x) = region.contract(v, x), region.contract.vjp(v, bar, x)
    tensors = [torch.tensor(a, requires_grad=True) for a in (v, x)]
    got = hcr.torch.contract(tensors[0], region, tensors[1])
    got.backward(torch.tensor(bar))
    np.testing.assert_array_equal(got.detach().numpy(), want)
    np.testing.assert_allclose(tensors[0].grad, by_v, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(tensors[1].grad, by_x, rtol=1e-12, atol=1e-12)
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        result, pull = jax.vjp(lambda v, x: hcr.jax.contract(v, region, x), v, x)
        np.testing.assert_array_equal(result, want)
        for own, other in zip(pull(jax.numpy.asarray(bar)), (by_v, by_x), strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-12, atol=1e-12)


def test_the_builder_has_cones(random):
    """The same set as from text, to the bit."""
    text = hcr.Region(
        "var y[2]\nparam x[2] in [-1, 1]\n-2 <= y <= 2\n"
        "norm([x[0] * y[0] + 1, 2 * y[1] - x[1]]) <= 3 + x[1] * y[1] + 0.5 * y[0]"
    )
    builder = hcr.Builder()
    builder.add_variable("y", 2)
    builder.add_parameter("x", -1, 1, 2)
    builder.add_bounds(-2, 2)
    products = np.zeros((3, 2, 2))
    products[0, 0, 0] = products[2, 1, 1] = 1
    builder.add_varying_cone([[0, 0, 0, 0], [0, 2, 0, -1], [0.5, 0, 0, 0]], products, [1, 0, 3])
    built = builder.finish()
    x, v = samples(text, 50, random), given(text, "contract", 50, random)
    np.testing.assert_array_equal(built.contract(v, x), text.contract(v, x))
    with pytest.raises(hcr.Error, match="needs one or more in the norm"):
        builder.add_varying_cone([[0, 0, 0, 0]], products[:1], [1])


def test_decisions_are_exact(region, random):
    """Beside the frontier, as rational arithmetic from the texts has it."""
    if "varying_cone" not in {c.kind for c in region.constraints}:
        pytest.skip("no cone moves")
    inside = outside = 0
    for x in samples(region, 60, random):
        v = random.standard_normal((20, region.n))
        y = region.decode(np.append(v, np.ones((20, 1)), 1), x) * (
            1 + random.integers(-1, 2, (20, 1)) * np.exp2(-random.integers(36, 53, (20, 1)))
        )
        for point, holds in zip(y, region.check(y, x), strict=True):
            if region.equalities or np.isnan(point).any():  # off it by rounding
                continue
            wanted = max(curved(region, *([Fraction(float(a)) for a in side] for side in (point, x)))) <= 0
            wanted &= region.p != 8 or Fraction(x[3]) * Fraction(point[0]) + Fraction(point[2]) >= -1
            assert holds == wanted
            inside, outside = inside + holds, outside + (not holds)
    assert region.equalities or (inside > 100 and outside > 100)


def test_files_have_them(region, random):
    read = pickle.loads(pickle.dumps(region))
    x, v = samples(region, 50, random), given(region, "contract", 50, random)
    np.testing.assert_array_equal(read.contract(v, x), region.contract(v, x))
    assert read.equalities == region.equalities and read.digest == region.digest


def test_what_is_told(balanced):
    assert "their coefficients move" in balanced.explain()
    with pytest.raises(hcr.Error, match=r"samples are(n't)? relaxed"):
        balanced.relaxation  # noqa: B018
    with pytest.raises(hcr.Error, match="the equalities move"):
        balanced.free  # noqa: B018
    with pytest.raises(hcr.Error, match="coefficients move with parameters"):
        balanced.quantiles([0.1, 0.9])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("var y[2]\nparam t in [-1, 1]\n0 <= y <= 1\nt*y[0] == 0", "in the middle .* aren't certainly independent"),
        ("var y[2]\nparam t in [1, 2]\n0 <= y <= 1\nt*y[0] + y[1] == 9", "no point of the equalities was found"),
        ("var y[2]\nparam t\n0 <= y <= 1\nt*y[0] + y[1] == 0", "needs the range of every parameter"),
        ("var y[2]\nparam t in [1, 2]\n0 <= y <= 1\nt*y[0] == 0.5\ny[1] == 0.5*y[0]", "leave no freedom"),
        ("var y[2]\nparam t in [1, 2]\n0 <= y <= 1\nlog_sum_exp(y) <= 2\nt*y[0] == 0.5", "stands beside bounds, rows"),
    ],
)
def test_refusals(text, message):
    with pytest.raises(hcr.Error, match=message):
        hcr.Region(text)
