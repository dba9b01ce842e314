"""Regions from CVXPY constraints."""

from __future__ import annotations

import numpy as np
import pytest

import hcr

cp = pytest.importorskip("cvxpy")

pytestmark = pytest.mark.filterwarnings("ignore")

x = cp.Variable(4, name="x")
X = cp.Variable((2, 3), name="X")
t = cp.Variable(name="max")  # a word of the language
S = cp.Variable((3, 3), symmetric=True)
N = cp.Variable(4, nonneg=True, bounds=[0, 2])
D = cp.Variable((2, 2), PSD=True)
A = np.random.default_rng(0).standard_normal((6, 4))
P = np.eye(4) + 0.1
p = cp.Parameter(4, value=np.ones(4))
square = cp.reshape(x, (2, 2), order="C")

CASES = {
    "box": [x >= -1, x <= 2, cp.abs(cp.diff(x)) <= 0.5],
    "norms": [cp.norm(x) <= 2, cp.norm1(x) <= 3, cp.norm_inf(x) <= 1.5, cp.pnorm(x, 3) <= 1.9],
    "rows": [A @ x <= 1 + cp.sum(p), A @ x >= -2, cp.sum(x) == 0.3],
    "quadratics": [cp.quad_form(x, P) <= 3, cp.sum_squares(x - p) <= 9, cp.square(x[0]) + x[1] <= 1],
    "matrix": [
        cp.norm(X, "fro") <= 2,
        cp.sum(X, axis=0) <= 1,
        cp.max(X, axis=1) <= 0.7,
        X.T @ np.ones(2) >= -2,
        cp.norm(X, 2, axis=0) <= 1.2,
        cp.sum(X, axis=1, keepdims=True) <= 1,
    ],
    "order": [
        cp.reshape(X, (3, 2), order="F") @ np.array([1, 2]) <= 1,
        cp.vec(X, order="F")[1:4] <= 0.4,
        cp.reshape(X, (6,), order="C")[::2] >= -1,
        X[:, -1] <= 0.3,
        X[1, ::-2] <= 0.6,
        X <= 1,
        X >= -1,
    ],
    "cones": [cp.SOC(t, x), t <= 2, x[[0, 2]] <= 0.5, cp.kron(np.eye(2), np.ones((1, 2))) @ x <= 1],
    "cones over columns": [cp.SOC(cp.hstack([t, 1, 2]), X), t <= 2],
    "semidefinite": [S >> 0, cp.trace(S) <= 1],
    "attributes": [cp.sum(N) <= 3, cp.max(N) - cp.min(N) <= 1],
    "attribute PSD": [cp.trace(D) <= 1],
    "functions": [
        cp.exp(x) <= 3,
        x >= -1,
        cp.log_sum_exp(x) <= 2,
        cp.sum(cp.entr(x + 2)) >= -5,
        cp.huber(x[0], 0.5) <= 1,
        cp.sqrt(x + 1) >= 0.2,
        cp.geo_mean(x + 1) >= 0.3,
        cp.inv_pos(x + 1.5) <= 4,
        cp.power(x + 1, 3) <= 6,
        cp.logistic(x) <= 1.5,
    ],
    "others": [
        cp.hstack([x[:2], t]) <= 1,
        cp.vstack([x, 2 * x])[1, :] >= -3,
        t >= -1,
        x / 2 + t >= -1,
        cp.multiply(p, x) <= 1,
        cp.cumsum(x) <= 2,
        cp.maximum(x, -x, 0.2) <= 1,
        cp.sigma_max(square) <= 1.2,
        cp.lambda_max(square + square.T) <= 2,
        cp.upper_tri(square) <= 0.5,
    ],
}


def violation(constraints, region, y):
    variables = sorted({v.id: v for c in constraints for v in c.variables()}.values(), key=lambda v: v.id)
    at = 0
    for variable in variables:
        variable.save_value(y[at : at + variable.size].reshape(variable.shape))
        at += variable.size
    assert at == region.n
    own = [v >= 0 for v in variables if v.attributes["nonneg"]] + [v >> 0 for v in variables if v.attributes["PSD"]]
    own += [
        bound
        for v in variables
        if v.attributes["bounds"]
        for bound in (v >= v.attributes["bounds"][0], v <= v.attributes["bounds"][1])
    ]
    return max(float(np.max(c.violation())) for c in [*constraints, *own])


@pytest.mark.parametrize("name", list(CASES))
def test_region_is_cvxpy_s(name):
    """Frontier points satisfy CVXPY's constraints to rounding; 1 % beyond the frontier they don't."""
    constraints = CASES[name]
    region = hcr.Region.from_cvxpy(constraints)
    for y in np.vstack([region.sample(40, 1, frontier=True), region.sample(20, 2)]):
        assert violation(constraints, region, y) <= 1e-9
        beyond = region.origin + 1.01 * (y - region.origin) / region.gauge(y - region.origin)
        assert violation(constraints, region, beyond) > 1e-6


def test_problems_and_variable_order():
    problem = cp.Problem(cp.Minimize(cp.sum(x)), [x >= 0, x <= 1, t <= 1, t >= 0])
    assert hcr.Region.from_cvxpy(problem).names[0] == "x[0]"
    assert hcr.Region.from_cvxpy(problem, [t, x]).names[:2] == ("v_max", "x[0]")
    with pytest.raises(hcr.InvalidError, match="isn't among"):
        hcr.Region.from_cvxpy(problem, [x])


def test_unbounded():
    with pytest.raises(hcr.InvalidError) as caught:
        hcr.Region.from_cvxpy([x >= 0])
    assert caught.value.code == "unbounded"
    assert not hcr.Region.from_cvxpy([x >= 0], unbounded=True).is_bounded


@pytest.mark.parametrize(
    ("constraint", "what"),
    [
        (lambda: cp.Variable(3, boolean=True) <= 1, "boolean"),
        (lambda: cp.ExpCone(x, x, x), "ExpCone"),
        (lambda: cp.sum_largest(x, 2) <= 1, "sum_largest"),
        (lambda: x <= cp.Parameter(4), "parameter without a value"),
    ],
)
def test_what_cannot_be_carried_over_is_named(constraint, what):
    with pytest.raises(hcr.UnsupportedError, match=what):
        hcr.Region.from_cvxpy([constraint()])
