"""Filters by control barrier functions: the nearest input, inside at tolerance 0."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import hcr
from hcr.control import Barrier

random = np.random.default_rng(3)


def states(count, barriers, inputs):
    return (
        random.uniform(0, 1, (count, barriers)),
        random.normal(0, 1, (count, barriers)),
        random.normal(0, 1, (count, barriers, inputs)),
    )


@pytest.mark.parametrize("map", ["project", "contract"])
def test_rows_hold_exactly(map):
    filter = Barrier("var u[2]\n-1 <= u <= 1", 3, map=map)
    h, drift, control = states(500, 3, 2)
    wanted = random.normal(0, 1, (500, 2))
    u, outcomes = filter(wanted, h, drift, control, rate=2.0)
    # The right-hand side is rounded once, in drift + rate h: what is promised is about the row as it is given.
    rows = filter.rows(h, drift, control, 2.0)
    found = ~np.isnan(u).any(1)
    assert 300 < found.sum() < 500
    for i in np.flatnonzero(found):
        inputs = [Fraction(v) for v in u[i]]
        assert all(abs(v) <= 1 for v in inputs)
        for k in range(3):
            product = sum(Fraction(a) * v for a, v in zip(rows[i, 2 * k : 2 * k + 2], inputs, strict=True))
            assert product <= Fraction(rows[i, 6 + k])
    assert set(np.asarray(outcomes)[~found]) == {hcr.Outcome.NO_ORIGIN}


def test_nearest_against_a_solver():
    scipy = pytest.importorskip("scipy.optimize")
    filter = Barrier("var u[2]\n-1 <= u <= 1", 3)
    h, drift, control = states(60, 3, 2)
    wanted = random.normal(0, 1, (60, 2))
    u, _ = filter(wanted, h, drift, control, rate=np.full((60, 3), 2.0))
    rows = filter.rows(h, drift, control, 2.0)
    for i in range(60):
        matrix, right = rows[i, :6].reshape(3, 2), rows[i, 6:]
        empty = scipy.linprog(np.zeros(2), matrix, right, bounds=[(-1, 1)] * 2).status == 2
        assert empty == np.isnan(u[i]).any()
        if empty:
            continue
        limits = {"type": "ineq", "fun": lambda v, a=matrix, b=right: b - a @ v, "jac": lambda v, a=matrix: -a}
        other = scipy.minimize(
            lambda v, w=wanted[i]: ((v - w) ** 2).sum(),
            u[i] * 0,
            jac=lambda v, w=wanted[i]: 2 * (v - w),
            bounds=[(-1, 1)] * 2,
            constraints=limits,
            method="SLSQP",
            options={"ftol": 1e-14},
        )
        if other.success:
            assert np.linalg.norm(u[i] - wanted[i]) <= np.linalg.norm(other.x - wanted[i]) + 1e-6  # SLSQP's own


def test_one_input_parameters_and_a_cone():
    one = Barrier("var u\n-1 <= u <= 1", 2)
    assert one([0.9], [1.0, 0.2], [0.0, 0.0], [[1.0], [-1.0]])[0].round(12).tolist() == [0.2]
    capped = Barrier("param cap in [0.5, 1]\nvar u[2]\n-cap <= u <= cap", 1)
    u, _ = capped([2.0, 2.0], [10.0], [0.0], [[1.0, 0.0]], x=[0.75])
    assert u.round(9).tolist() == [0.75, 0.75]
    disc = Barrier("var u[2]\nnorm(u) <= 1", 1, largest=10)
    u, _ = disc([3.0, 0.0], [0.5], [0.0], [[-1.0, 0.0]])
    assert u.round(6).tolist() == [0.5, 0.0]


def test_refusals():
    with pytest.raises(hcr.Error, match="0 var lines"):
        Barrier("-1 <= u <= 1", 1)
    with pytest.raises(hcr.Error, match="isn't one of"):
        Barrier("var u\n-1 <= u <= 1", 1, map="clip")
    with pytest.raises(hcr.Error, match="are needed"):
        Barrier("var u\n-1 <= u <= 1", 1)([0.0], [1.0], [1.0], [1.0])


def nearest_by_trying(point, rows, right):
    """The point, its feet on the lines and where these meet: the nearest that satisfies all rows; None without one."""
    tried = [point] + [point - a * (a @ point - b) / (a @ a) for a, b in zip(rows, right, strict=True) if a.any()]
    for i, j in itertools.combinations(range(len(rows)), 2):
        if abs(np.linalg.det(rows[[i, j]])) > 1e-9:
            tried.append(np.linalg.solve(rows[[i, j]], right[[i, j]]))
    inside = [y for y in tried if (rows @ y <= right + 1e-11).all()]
    return min(inside, key=lambda y: ((y - point) ** 2).sum(), default=None)


def test_rows_that_move_against_all_corners():
    """Also of points on a row to rounding, of rows that are parallel or zero, and where nothing is left."""
    barrier, random, count = Barrier("var u[2]\n-1 <= u <= 2\nsum(u) <= 2.5", 3), np.random.default_rng(5), 2000
    rows, right = random.normal(0, 1, (count, 3, 2)), random.normal(0.7, 1, (count, 3))
    rows[::7, 1] = -rows[::7, 0]  # opposite
    rows[1::7, 1] = 2 * rows[1::7, 0]
    rows[2::7, 2] = 0
    points = random.normal(0, 2, (count, 2))
    on = np.arange(3, count, 7)
    points[on] -= (
        rows[on, 0] * (((rows[on, 0] * points[on]).sum(1) - right[on, 0]) / (rows[on, 0] ** 2).sum(1))[:, None]
    )
    x = np.concatenate([rows.reshape(count, -1), right], 1)
    x[5::9] = x[4 : len(x[5::9]) * 9 : 9]  # one state, several points
    found, outcomes = barrier.region.project(points, x, outcomes=True)
    single = barrier.region.project(points.astype(np.float32), x.astype(np.float32))
    box, sides = np.vstack([np.eye(2), -np.eye(2), np.ones((1, 2))]), np.array([2, 2, 1, 1, 2.5])
    empty = 0
    for i, (point, given) in enumerate(zip(points, x, strict=True)):
        wanted = nearest_by_trying(point, np.vstack([given[:6].reshape(3, 2), box]), np.r_[given[6:], sides])
        if wanted is None:
            assert outcomes[i] == hcr.Outcome.NO_ORIGIN and np.isnan(found[i]).all()
            empty += 1
            continue
        assert outcomes[i] in (hcr.Outcome.INSIDE, hcr.Outcome.MOVED)
        np.testing.assert_allclose(found[i], wanted, atol=1e-11)  # corners of rows that are nearly parallel
    there = ~np.isnan(found[:, 0])
    assert barrier.region.check(found[there], x[there]).all() and 100 < empty < count / 2
    assert barrier.region.check(single[there], x[there].astype(np.float32)).mean() > 0.999  # may be none in float32
    one = [barrier.region.project(points[i], x[i]) for i in range(count)]
    np.testing.assert_array_equal(one, found)
