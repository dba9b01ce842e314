"""Filters by control barrier functions: the nearest input, inside at tolerance 0."""

from __future__ import annotations

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
