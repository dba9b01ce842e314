"""Samples of regions with cones and quadratics beside bounds and rows: each that isn't empty has an answer."""

from __future__ import annotations

import os

import numpy as np
import pytest

import hcr
from hcr.control import Barrier

LONG = bool(os.environ.get("HCR_LONG"))
ROWS = 1_000_000 if LONG else 10_000

# A disc with moving centre and radius, cut off by a box and by a row; what is said of it by geometry is exact.
DISC = "param c[2] in [-2, 2], r in [0, 1]\nvar y[2]\n-1 <= y <= 1\nnorm(y - c) <= r"
CONE = (
    "param c[3] in [-1, 1], r in [0, 2], s in [-1, 3]\nvar y[3]\n-2 <= y <= 2\n"
    "const A = [[1, 2, 0], [0, 1, 1], [1, 0, 0.5]]\nnorm(A @ y - c) <= r\nsum(y) <= s"
)
BALANCE = (
    "param c[3] in [-1, 1], r in [0, 2], s in [-1, 3]\nvar y[4]\n-2 <= y <= 2\nnorm(y[:3] - c) <= r + y[3]\nsum(y) == s"
)
BALL = "param c[3] in [-1, 1], s in [-1, 3]\nvar y[3]\n-2 <= y <= 2\nsum((y - c) ** 2) <= 1\nsum(y) <= s"
TEXTS = {"disc": DISC, "cone": CONE, "balance": BALANCE, "ball": BALL}


def parameters(region, random, rows):
    return random.uniform(region.parameters.lower, region.parameters.upper, (rows, region.p))


def cut(x):
    """By how much the disc reaches into the box."""
    return x[:, 2] - np.linalg.norm(x[:, :2] - np.clip(x[:, :2], -1, 1), axis=1)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_cone_with_moving_radius(dtype, random):
    """0 outside, decided in rational arithmetic, and an answer wherever the disc reaches more than 1e-6 into the box
    (1e-3 in single precision, whose numbers round the disc away), none where it doesn't reach it."""
    region = hcr.Region(DISC)
    assert region.origin_form == "checked"
    rows, least = min(ROWS, 100_000), 1e-6 if dtype == np.float64 else 1e-3
    for _ in range(ROWS // rows):
        x = parameters(region, random, rows).astype(dtype)
        v = (np.exp(random.standard_normal((rows, 1))) * random.standard_normal((rows, 2))).astype(dtype)
        reach = cut(x.astype(float))
        for map in (region.contract, region.soften):
            y = map(v, x)
            found = ~np.isnan(y).any(1)
            assert found[reach > least].all()
            assert not found[reach < -1e-15].any()
            assert region.check(y[found], x[found]).all()


@pytest.mark.parametrize("name", ["cone", "balance", "ball"])
def test_verdicts(name, random):
    """Those of Clarabel: how much all inequalities together have to give."""
    cvxpy = pytest.importorskip("cvxpy")
    region = hcr.Region(TEXTS[name])
    x = parameters(region, random, 2000 if LONG else 40)
    y, give, at = cvxpy.Variable(region.n), cvxpy.Variable(), cvxpy.Parameter(region.p)
    rules = [y <= 2 + give, y >= -2 - give]
    if name == "cone":
        matrix = np.array([[1, 2, 0], [0, 1, 1], [1, 0, 0.5]])
        rules += [cvxpy.norm(matrix @ y - at[:3]) - at[3] <= give, cvxpy.sum(y) <= at[4] + give]
    elif name == "balance":
        rules += [cvxpy.norm(y[:3] - at[:3]) - at[3] - y[3] <= give, cvxpy.sum(y) == at[4]]
    else:
        rules += [cvxpy.sum_squares(y - at[:3]) - 1 <= give, cvxpy.sum(y) <= at[3] + give]
    problem = cvxpy.Problem(cvxpy.Minimize(give), rules)
    found = ~np.isnan(region.contract(np.zeros((len(x), region.n)), x)).any(1)
    for sample, has in zip(x, found, strict=True):
        at.value = sample
        problem.solve(solver=cvxpy.CLARABEL)
        if abs(give.value) > 1e-6:  # a solver's tolerance
            assert has == (give.value < 0)


@pytest.mark.parametrize("name", TEXTS)
def test_centres(name, random):
    """The centre minimises its barrier, here with differences; and it is the same alone as among others."""
    region = hcr.Region(TEXTS[name])
    x = parameters(region, random, 200)
    origins = region.decode(np.zeros((200, region.n + 1)), x)
    for sample, origin in zip(x, origins, strict=True):
        if np.isnan(origin).any():
            continue
        np.testing.assert_array_equal(region.decode(np.zeros(region.n + 1), sample), origin)
        np.testing.assert_allclose(region.origin_at(sample), origin, rtol=0, atol=1e-14)  # sums are on a grid
        if name == "disc" and np.linalg.norm(sample[:2] - origin) < 0.9 * sample[2]:
            radius = sample[2] ** 2 - ((origin - sample[:2]) ** 2).sum()
            slope = 2 * (origin - sample[:2]) / radius + 1 / (1 - origin) - 1 / (1 + origin)
            size = np.abs(2 * (origin - sample[:2]) / radius) + 1 / (1 - origin) + 1 / (1 + origin)
            assert (np.abs(slope) <= 1e-9 * size).all()


@pytest.mark.parametrize("name", TEXTS)
def test_derivatives(name, random):
    """By direction and parameters, against central differences where two steps of them agree."""
    region, step = hcr.Region(TEXTS[name]), 1e-6
    n, compared = region.n, 0
    for sample in parameters(region, random, 40):
        point = np.concatenate([random.standard_normal(n), sample])
        bar, change = random.standard_normal(n), random.standard_normal(len(point))

        def slopes(h, point=point, bar=bar):
            ends = [point + sign * h * np.eye(len(point)) for sign in (1, -1)]
            up, down = (region.soften(end[:, :n], end[:, n:]) @ bar for end in ends)
            return (up - down) / (2 * h)

        wide, narrow = slopes(step), slopes(step / 4)
        if not np.isfinite(narrow).all() or np.abs(wide - narrow).max() > 1e-5 * (1 + np.abs(narrow).max()):
            continue
        gradient = np.concatenate(region.soften.vjp(point[:n], bar, sample))
        np.testing.assert_allclose(gradient, narrow, rtol=1e-6, atol=1e-6)
        forward = region.soften.jvp(point[:n], change[:n], sample, change[n:]) @ bar
        assert forward == pytest.approx(gradient @ change, rel=1e-9, abs=1e-9)
        compared += 1
    assert compared > 10


def test_barriers_with_a_norm(random):
    """Inputs in a disc beside three rows whose coefficients move: inside, and an answer where Clarabel finds room."""
    cvxpy = pytest.importorskip("cvxpy")
    filter = Barrier("var u[2]\nnorm(u) <= 1", 3, largest=10)
    count = 1000
    h, drift = random.uniform(0, 1, (count, 3)), random.normal(0, 1, (count, 3))
    control, wanted = random.normal(0, 1, (count, 3, 2)), random.normal(0, 1, (count, 2))
    u, outcomes = filter(wanted, h, drift, control, rate=2.0)
    rows = filter.rows(h, drift, control, 2.0)
    found = ~np.isnan(u).any(1)
    assert filter.region.check(u[found], rows[found]).all()
    assert set(np.asarray(outcomes)[~found]) == {hcr.Outcome.NO_ORIGIN}
    y, give = cvxpy.Variable(2), cvxpy.Variable()
    matrix, right = cvxpy.Parameter((3, 2)), cvxpy.Parameter(3)
    problem = cvxpy.Problem(cvxpy.Minimize(give), [matrix @ y <= right + give, cvxpy.norm(y) <= 1 + give])
    for i in [*np.flatnonzero(~found), *np.flatnonzero(found)[:20]]:
        matrix.value, right.value = rows[i, :6].reshape(3, 2), rows[i, 6:]
        problem.solve(solver=cvxpy.CLARABEL)
        assert abs(give.value) < 1e-6 or found[i] == (give.value < 0)
    assert 600 < found.sum() < count


def test_other_faces_refuse():
    pytest.importorskip("onnx")
    import hcr.onnx

    with pytest.raises(hcr.UnsupportedError, match="cone"):
        hcr.onnx.export(hcr.Region(DISC))
