"""Regions from CVXPY constraints."""

from __future__ import annotations

import pathlib
import re

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
    "exponential cones": [cp.ExpCone(x[:2], x[2:], x[[3, 1]] + 3), cp.ExpCone(t, 1, 2), cp.abs(x) <= 2, t >= -1],
    "power cones": [
        cp.PowCone3D(x[0] + 1, t, x[1], 0.4),
        cp.PowConeND(X + 1, x[:3], np.array([[0.5, 0.25, 0.9], [0.5, 0.75, 0.1]])),
        cp.PowConeND(X + 1, x[2:], np.array([[0.2, 0.3, 0.5], [0.1, 0.4, 0.5]]), axis=1),
        cp.geo_mean(X[0] + 1, [3, 0, 1]) >= 0.2,
        X <= 2,
        X >= -0.9,
        t <= 3,
    ],
    "largest": [
        cp.sum_largest(x, 2.5) <= 1,
        cp.sum_smallest(x, 2) >= -1,
        cp.sum_largest(cp.abs(X), 2, axis=1) <= 1,
        cp.cvar(A @ x, 0.6) <= 0.5,
        x >= -2,
    ],
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


def constraint_violation(c):
    """CVXPY's own, but of the cones where that is the distance found by a solver, to 1e-8: those by their formulas."""
    a = [np.asarray(e.value) for e in c.args]
    if isinstance(c, cp.ExpCone):
        return max(-a[1].min(), np.max(a[1] * np.exp(a[0] / a[1]) - a[2]))
    if isinstance(c, cp.PowCone3D):
        return max(-min(a[0], a[1]), np.abs(a[2]) - a[0] ** c.alpha.value * a[1] ** (1 - c.alpha.value))
    if isinstance(c, cp.PowConeND):
        return max(-a[0].min(), np.max(np.abs(a[1]) - np.prod(a[0] ** c.alpha.value, axis=c.axis)))
    return c.violation()


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
    return max(float(np.max(constraint_violation(c))) for c in [*constraints, *own])


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


def test_variables_may_have_words_of_the_language_as_names():
    grammar = pathlib.Path(__file__).parents[2] / "src/text/syntax/grammar.ebnf"
    words = re.findall(r'"([a-z_0-9]+)"', grammar.read_text())
    assert "let" in words
    for word in words:
        assert hcr.Region.from_cvxpy([cp.norm(cp.Variable(2, name=word)) <= 1]).n == 2


def test_unbounded():
    with pytest.raises(hcr.InvalidError) as caught:
        hcr.Region.from_cvxpy([x >= 0])
    assert caught.value.code == "unbounded"
    assert not hcr.Region.from_cvxpy([x >= 0], unbounded=True).is_bounded


@pytest.mark.parametrize(
    ("constraint", "what"),
    [
        (lambda: cp.Variable(3, boolean=True) <= 1, "boolean"),
        (lambda: cp.PowCone3D(x, x, x, 0.12345), "fractions of a number up to 64"),
        (lambda: cp.lambda_sum_largest(S, 2) <= 1, "lambda_sum_largest"),
        (lambda: x <= cp.Parameter(4), "parameter without a value"),
    ],
)
def test_what_cannot_be_carried_over_is_named(constraint, what):
    with pytest.raises(hcr.UnsupportedError, match=what):
        hcr.Region.from_cvxpy([constraint()])


def gauges(constraints, directions, **arguments):
    """The region's reach from 0 along each direction."""
    region = hcr.Region.from_cvxpy(constraints, origin=np.zeros(len(directions[0])), **arguments)
    return 1 / region.gauge(np.array(directions, dtype=float))


def test_d10_scalars_that_are_promoted_count_as_often():
    t, x = cp.Variable(name="t"), cp.Variable(2, name="x")
    assert gauges([cp.sum(cp.promote(t, (3,))) <= 3, t >= -5], [[1], [-1]]) == pytest.approx([1, 5], rel=1e-9)
    assert gauges([cp.norm(cp.promote(t, (4,))) <= 2], [[1], [-1]]) == pytest.approx([1, 1], rel=1e-9)
    found = gauges([cp.norm(cp.hstack([cp.promote(t, (2,)), x])) <= 2], [[1, 0, 0], [0, 1, 0], [1, 1, 1]])
    assert found == pytest.approx([2**0.5, 2, 1], rel=1e-9)  # 2 t² + |x|² = 4


def test_d24_matrices_symmetric_to_rounding():
    random = np.random.default_rng(0)
    a = random.standard_normal((5, 5))
    product = a @ np.diag(random.random(5)) @ a.T
    assert (product != product.T).any()
    exact = np.tril(product) + np.tril(product, -1).T
    y, v = cp.Variable(5, name="y"), random.standard_normal((20, 5))
    wanted = 1 / np.sqrt(np.einsum("ij,jk,ik->i", v, exact, v))
    assert gauges([cp.quad_form(y, product) <= 1], v) == pytest.approx(wanted, rel=1e-9)
    text = hcr.Region("var y[5]\nquad_form(y, P) <= 1", P=product)
    assert 1 / text.gauge(v) == pytest.approx(wanted, rel=1e-9)
    builder = hcr.Builder({"y": 5})
    builder.add_quadratic(product, radius=2**-0.5 * 2)  # ½ y'Py <= ½ · 2
    builder.set_origin(np.zeros(5))
    assert 1 / builder.finish().gauge(v) == pytest.approx(2**0.5 * wanted, rel=1e-9)
    builder = hcr.Builder({"t": None})
    builder.add_lmi(product, {0: np.eye(5)})
    builder.add_bounds(None, 1)
    assert builder.finish().n == 1
    with pytest.raises(hcr.InvalidError, match="symmetric"):
        hcr.Region("var y[5]\nquad_form(y, P) <= 1", P=a)


def test_d25_symmetric_variables():
    S = cp.Variable((2, 2), symmetric=True)
    constraints = [cp.lambda_max(S) <= 1, cp.lambda_min(S) >= -2]
    along = [[1, 0, 0, 0], [0, 1, 1, 0], [-1, 0, 0, -1], [3, 0, 0, 4]]
    assert gauges(constraints, along) == pytest.approx([1, 1, 2, 0.25], rel=1e-9)
    free = cp.Variable((2, 2))  # CVXPY's domain of lambda_max is the symmetric ones
    assert gauges([cp.lambda_max(free) <= 1, cp.lambda_min(free) >= -2], along) == pytest.approx([1, 1, 2, 0.25])


def test_means_of_many_elements():
    many = cp.Variable(100, name="many")
    region = hcr.Region.from_cvxpy([cp.geo_mean(many) >= 1, many <= 2])
    assert region.check([np.full(100, 1.01), np.full(100, 0.99)]).tolist() == [True, False]
    powers = cp.PowConeND(many, cp.Constant(1), np.full(100, 0.01))
    assert hcr.Region.from_cvxpy([powers, many <= 2]).check([np.full(100, 1.01)]).all()


def test_a_variable_s_bounds_may_be_parameters():
    floor = cp.Parameter(2, bounds=[0, 1], name="floor")
    y = cp.Variable(2, name="y", bounds=[floor, 2])
    region = hcr.Region.from_cvxpy([cp.sum(y) <= 3], parameters=[floor])
    assert region.parameters.names == ("floor[0]", "floor[1]")
    assert (region.contract([[-9.0, -9.0]], [[0.25, 0.5]]) >= [0.25, 0.5]).all()
    with pytest.raises(hcr.UnsupportedError, match="parameter without a value"):
        hcr.Region.from_cvxpy([cp.sum(y) <= 3])
    floor.value = np.array([1, 0.5])
    assert hcr.Region.from_cvxpy([cp.sum(y) <= 3]).bounds[0] == pytest.approx([1, 0.5])


def test_d35_one_constraint_one_variable_and_an_origin():
    y = cp.Variable(2, name="y")
    region = hcr.Region.from_cvxpy(cp.norm(y) <= 1, y, origin=[0.5, 0])
    assert region.origin.tolist() == [0.5, 0]
    assert hcr.Region.from_cvxpy([y >= 0, cp.sum(y) <= 1], origin="analytic").origin == pytest.approx(1 / 3, abs=1e-6)
    with pytest.raises(hcr.InvalidError, match="no variable of CVXPY, but Constant"):
        hcr.Region.from_cvxpy(cp.norm(y) <= 1, [cp.Constant(1)])
    with pytest.raises(hcr.InvalidError, match="no constraint of CVXPY, but str"):
        hcr.Region.from_cvxpy(["norm(y) <= 1"])
