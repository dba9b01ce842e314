"""The sets and points of the tests of Πnet (github.com/antonioterpin/pinet at 8115a87, src/test), onto which and from
which it projects, written anew: answers where they are stated there, else Clarabel's. Points that are random there are
drawn anew from the same distributions."""

from __future__ import annotations

import itertools
import os
import warnings

import numpy as np
import pytest

import hcr

cvxpy = pytest.importorskip("cvxpy")

TOLERANCE = 1e-6


def nearest(point, A=None, b=None, C=None, low=None, high=None, box=(-np.inf, np.inf)):
    """By Clarabel, to its last digits."""
    y = cvxpy.Variable(len(point))
    limits = [] if A is None else [A @ y == b]
    limits += [] if C is None else [low <= C @ y, C @ y <= high]
    for side, bound in zip((1, -1), (box[1], -np.asarray(box[0])), strict=True):
        kept = np.isfinite(np.broadcast_to(bound, point.shape))
        limits += [side * y[kept] <= np.broadcast_to(bound, point.shape)[kept]] if kept.any() else []
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(y - point)), limits)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        problem.solve(solver="CLARABEL", tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    return y.value


def check(region, points, wanted, x=None, meeting=0):
    """Sides of rows that meet hold up to rounding, everything else exactly."""
    found, outcomes = region.project(points, x, outcomes=True)
    np.testing.assert_allclose(found, wanted, atol=TOLERANCE)
    assert set(outcomes) <= {hcr.Outcome.INSIDE, hcr.Outcome.MOVED, hcr.Outcome.TO_ROUNDING}
    if meeting:
        assert region.violation(found, x)[0].max() <= 1e-12
    else:
        assert region.check(found, x).all()


# ------------------------------------------------------------------------------------------------------ test_box.py


@pytest.mark.parametrize(
    ("low", "high", "point", "wanted"),
    [
        ([0, 0], [1, 1], [2, 2], [1, 1]),
        ([0, 0], [1, 2], [2, 2], [1, 2]),
        ([0, 0], [1, 1], [0.5, 0.5], [0.5, 0.5]),
        ([0, 0], [1, 1], [-0.5, -0.5], [0, 0]),
        ([-0.5, 0], [0.5, 1], [-0.5, 1.5], [-0.5, 1]),
        ([-0.5, 0], [0.5, 1], [-1.5, 1.5], [-0.5, 1]),
    ],
)
def test_box(low, high, point, wanted):
    region = hcr.Region("var y[2]\nlow <= y <= high", low=np.array(low, float), high=np.array(high, float))
    np.testing.assert_array_equal(region.project(np.array([point], float)), [wanted])


def test_mask():
    region = hcr.Region("unbounded\nvar y[2]\n1 <= y[0] <= 2")
    np.testing.assert_array_equal(region.project(np.array([[-2.0, 2.0]])), [[1, 2]])


BOTH = "param lo[{n}]\nparam hi[{n}]\nvar y[{n}]\nlo <= y <= hi"


@pytest.mark.parametrize(
    ("text", "bounds", "points", "wanted"),
    [
        (  # each row has its own, some of which meet
            BOTH,
            [[0, 0, 1, 2], [-1, 0.5, 0.5, 0.5], [0.2, -2, 0.2, -1]],
            [[2, -1], [0.7, 0.2], [0, -3]],
            [[1, 0], [0.5, 0.5], [0.2, -2]],
        ),
        (BOTH, [[0, 0, 1, 1]] * 3, [[2, -1], [0.3, 0.7], [-0.2, 4]], [[1, 0], [0.3, 0.7], [0, 1]]),
        ("param lo[2]\nvar y[2]\nlo <= y <= 1", [[-1, -1], [0.5, 0]], [[-2, 2], [0.3, -2]], [[-1, 1], [0.5, 0]]),
        ("unbounded\nparam lo[2]\nvar y[2]\nlo <= y", [[-1, -1], [0.5, 0]], [[-2, 2], [0.3, -2]], [[-1, 2], [0.5, 0]]),
        (
            "unbounded\nparam hi[2]\nvar y[2]\ny <= hi",
            [[1, 1], [0.4, 0.6]],
            [[2, -1], [0.3, 0.7]],
            [[1, -1], [0.3, 0.6]],
        ),
        (BOTH, [[0, -1, 0.2, 1, 0, 0.5]] * 2, [[2, -2, 0.3], [-0.5, 0.5, 1]], [[1, -1, 0.3], [0, 0, 0.5]]),
    ],
)
def test_bounds_of_each_row(text, bounds, points, wanted):
    region = hcr.Region(text.format(n=len(points[0])))
    x, points = np.array(bounds, float), np.array(points, float)
    found, outcomes = region.project(points, x, outcomes=True)
    np.testing.assert_allclose(found, wanted, atol=1e-12)
    np.testing.assert_array_equal(outcomes == hcr.Outcome.MOVED, (found != points).any(1))


@pytest.mark.parametrize(("rows", "seed"), list(itertools.product([1, 10], [24, 42])))
def test_random_boxes(rows, seed):
    random = np.random.default_rng(seed)
    mask = random.random(100) < 0.5
    low = random.random((rows, mask.sum()))
    high = low.max(0) + (1 - low.max(0)) * random.random((rows, mask.sum()))
    points = random.uniform(-2, 2, (rows, 100))
    wanted = points.copy()
    wanted[:, mask] = np.clip(points[:, mask], low, high)
    count, picked = mask.sum(), ", ".join(map(str, np.flatnonzero(mask)))
    text = f"unbounded\nparam lo[{count}]\nparam hi[{count}]\nvar y[100]\nlo <= y[[{picked}]] <= hi"
    np.testing.assert_array_equal(hcr.Region(text).project(points, np.c_[low, high]), wanted)


# ------------------------------------------------------------------------------------------------- test_equality*.py


@pytest.mark.parametrize(("seed", "rows"), list(itertools.product([0, 24], [1, 10])))
def test_equalities(seed, rows):
    random = np.random.default_rng(seed)
    A = random.random((50, 100))
    b, points = random.random((rows, 100)) @ A.T, random.random((rows, 100))
    region = hcr.Region("unbounded\nparam b[50]\nvar y[100]\nA @ y == b", A=A)
    away = (points @ A.T - b) @ np.linalg.pinv(A).T
    check(region, points, points - away, b)


@pytest.mark.parametrize("kind", ["eye", "diagonal", "invertible"])
@pytest.mark.parametrize("rows", [1, 10])
def test_equalities_that_leave_one_point(kind, rows):
    random = np.random.default_rng(0)
    A = random.random((100, 100))
    A = {
        "eye": np.eye(100),
        "diagonal": np.diag(1.0 + np.arange(100)),
        "invertible": A @ A.T + np.eye(100) + A - A.T,
    }[kind]
    b = random.random((rows, 100))
    region = hcr.Region("unbounded\nparam b[100]\nvar y[100]\nA @ y == b", A=A)
    check(region, random.random((rows, 100)), np.linalg.solve(A, b.T).T, b)


def test_onto_a_line():
    region = hcr.Region("unbounded\nvar y[2]\ny[0] - y[1] == 0")
    t = np.linspace(0, 1, 200)
    points = np.c_[t, t + np.sin(np.pi * t)]
    check(region, points, np.repeat(points.mean(1, keepdims=True), 2, 1))


# ------------------------------------------------------------------------------- test_parser_and_affine_inequality.py


@pytest.mark.parametrize(("seed", "rows"), list(itertools.product([24, 42], [1, 10])))
def test_two_dimensions(seed, rows):
    points = np.random.default_rng(seed).uniform(-2, 2, (rows, 2))
    region = hcr.Region("unbounded\nvar y[2]\ny[0] == 0\n0 <= y[0] + y[1] <= 1")
    check(region, points, np.c_[np.zeros(rows), np.clip(points[:, 1], 0, 1)])
    region = hcr.Region("unbounded\nvar y[2]\n0 <= y[0] + y[1] <= 1")
    total = points.sum(1, keepdims=True)
    check(region, points, points + (np.clip(total, 0, 1) - total) / 2)


def drawn(random, n, equalities, inequalities, rows, meeting=0):
    """A, C, b and sides of C y, each row's around a point of its own; some sides meet there."""
    A, C = random.standard_normal((equalities, n)), random.standard_normal((inequalities, n))
    inner = random.uniform(-1, 1, (rows, n))
    room = random.random((2, rows, inequalities))
    room[:, :, :meeting] = 0
    return A, C, inner, inner @ A.T, inner @ C.T - room[0], inner @ C.T + room[1]


ROWS = "unbounded\nparam b[{e}]\nparam lo[{i}]\nparam hi[{i}]\nvar y[{n}]\nA @ y == b\nlo <= C @ y <= hi"


@pytest.mark.parametrize(("seed", "meeting"), list(itertools.product([8, 24, 42], [0, 3])))
def test_equalities_and_rows(seed, meeting):
    """50 equalities and 40 rows in 100 outputs, all sides of each row's own; and gradients, by differences."""
    random = np.random.default_rng(seed)
    A, C, _, b, low, high = drawn(random, 100, 50, 40, 10, meeting)
    points, x = random.uniform(-2, 2, (10, 100)), np.c_[b, low, high]
    region = hcr.Region(ROWS.format(e=50, i=40, n=100), A=A, C=C)
    wanted = [nearest(points[k], A, b[k], C, low[k], high[k]) for k in range(10)]
    check(region, points, wanted, x, meeting)
    bar, move = random.standard_normal((10, 100)), random.uniform(-1, 1, (10, 100))
    gradient, _ = region.project.vjp(points, bar, x)

    def difference(h):
        up, down = (region.project(points + s * h * move, x) for s in (1, -1))
        return ((up - down) / (2 * h) * bar).sum(1)

    one, other = difference(1e-4), difference(2e-4)
    smooth = np.abs(one - other) <= 1e-4  # no kink in between
    assert smooth.sum() >= 5
    np.testing.assert_allclose((gradient * move).sum(1)[smooth], one[smooth], atol=2e-5)


@pytest.mark.parametrize("meeting", [0, 2])
@pytest.mark.parametrize("seed", [24, 42])
def test_equalities_rows_and_bounds(seed, meeting):
    """10 equalities, 30 rows and 5 bounds in 20 outputs; every row has matrices of its own."""
    random = np.random.default_rng(seed)
    for _ in range(4):
        A, C, inner, b, low, high = drawn(random, 20, 10, 30, 1, meeting)
        mask = np.sort(random.permutation(20)[:5])
        sides = np.stack([np.full(20, -np.inf), np.full(20, np.inf)])
        sides[:, mask] = inner[0, mask] + np.array([[-1], [1]]) * random.random((2, 5)) / 2
        picked = ", ".join(map(str, mask))
        text = ROWS.format(e=10, i=30, n=20) + f"\nl <= y[[{picked}]] <= u"
        region = hcr.Region(text, A=A, C=C, l=sides[0, mask], u=sides[1, mask])
        points, x = random.uniform(-2, 2, (5, 20)), np.repeat(np.c_[b, low, high], 5, 0)
        check(region, points, [nearest(p, A, b[0], C, low[0], high[0], sides) for p in points], x, meeting)


# -------------------------------------------------------------------------------------- test_constraint_violation.py


def test_violations():
    boxed = hcr.Region("unbounded\nvar y[3]\n-1 <= y[0] <= 1\n-2 <= y[2] <= 2")
    points = np.array([[1.5, 10, 1], [-2, 10, 1], [1, 10, 3.5], [1, 10, -4]])
    np.testing.assert_allclose(np.linalg.norm(boxed.project(points) - points, axis=1), [0.5, 1, 1.5, 2], atol=1e-15)
    points = np.array([[1, 2, 5], [3, 2, 2], [1, -1, 3], [-5, 1, 4.0]])
    along = np.array([1, 2, 0]) / 5
    on = hcr.Region("unbounded\nvar y[3]\ny[0] + 2*y[1] == 3")
    check(on, points, points - np.outer([2, 4, -4, -6], along))
    between = hcr.Region("unbounded\nvar y[3]\n0 <= y[0] + 2*y[1] <= 2")
    check(between, points, points - np.outer([3, 5, -1, -3], along))
    both = hcr.Region("unbounded\nvar y[2]\ny >= 0\n0.5*y[0] + y[1] <= 1")
    points = np.array([[0.5, -2], [-1.5, 0.5], [2.5, 1]])
    check(both, points, [[0.5, 0], [0, 0.5], [2, 0]])


# ------------------------------------------------------------------------------------------------------- test_vjp.py


@pytest.mark.parametrize(
    ("points", "jacobian"),
    [
        ([[-0.5, -0.5], [-0.5, -0.25], [-0.25, -0.5], [-0.25, -0.75], [-0.75, -0.5]], [[0, 0], [0, 0]]),
        ([[1.5, 1.5], [1.5, 1.25], [1.25, 1.5], [1.25, 1.75], [1.75, 1.5]], [[0, 0], [0, 0]]),
        ([[1.5, 0.5], [1.5, 0.25], [1.25, 0.5], [1.25, 0.75], [1.75, 0.5]], [[0, 0], [0, 1]]),
        ([[1.5, -0.5], [1.5, -0.25], [1.25, -0.5], [1.25, -0.75], [1.75, -0.5]], [[0, 0], [0, 0]]),
        ([[0.5, -0.5], [0.5, -0.25], [0.25, -0.5], [0.25, -0.75], [0.75, -0.5]], [[1, 0], [0, 0]]),
        ([[0.5, 1.25], [0.25, 1.5], [-0.5, 1.5], [-0.25, 1.75], [0.5, 0.75], [0.75, 1]], [[0.5, 0.5], [0.5, 0.5]]),
        ([[0.5, 0.25], [0.75, 0.5]], [[1, 0], [0, 1]]),
    ],
)
def test_derivatives_of_a_triangle(points, jacobian):
    region, points = hcr.Region("var y[2]\ny[0] <= 1\ny[1] >= 0\ny[1] - y[0] <= 0"), np.array(points)
    for row in range(2):
        bar = np.tile(np.eye(2)[row], (len(points), 1))
        np.testing.assert_allclose(
            region.project.vjp(points, bar), np.tile(jacobian[row], (len(points), 1)), atol=1e-12
        )


@pytest.mark.parametrize(
    ("signs", "jacobian"), [((-1, -1), (1, 0)), ((1, 1), (0, 1)), ((1, -1), (0, 0)), ((-1, 1), (1, 1))]
)
def test_derivatives_of_a_quadrant(signs, jacobian):
    region = hcr.Region("unbounded\nvar y[2]\ny[0] <= 0\ny[1] >= 0")
    points = np.array([[0.5, 0.5], [0.5, 0.25], [0.25, 0.5], [0.25, 0.75], [0.75, 0.5]]) * signs
    np.testing.assert_array_equal(region.project.vjp(points, np.ones_like(points)), [jacobian] * 5)


# --------------------------------------------------------------------------------------------------- test_project.py


@pytest.mark.parametrize("seed", [24, 42])
def test_matrices_of_each_row(seed):
    """40 equalities whose coefficients come with the row, and 50 rows; right sides that are then replaced."""
    random = np.random.default_rng(seed)
    for _ in range(2):
        A, C, inner, b, low, high = drawn(random, 100, 40, 50, 1, 2)
        region = hcr.Region(ROWS.format(e=40, i=50, n=100), A=A, C=C)
        other = inner + 0.02 * random.standard_normal(inner.shape)
        for right in (b, other @ A.T):
            point, x = (
                random.standard_normal((1, 100)),
                np.c_[right, np.minimum(low, other @ C.T), np.maximum(high, other @ C.T)],
            )
            wanted = nearest(point[0], A, right[0], C, x[0, 40:90], x[0, 90:])
            check(region, point, [wanted], x, 2)


# --------------------------------------------------------------------------------------- the regions of bench/README.md


@pytest.mark.parametrize("letter", ["A", "B", "C", "E"])
def test_distances_of_measured_regions(letter):
    """As far away as Clarabel's, to 1e-8 of the distance, at ×1 and ×5."""
    random, count = np.random.default_rng(11), 100 if os.environ.get("HCR_LONG") else 5
    n, deviation = {"A": (48, 0.184), "B": (768, 0.373), "C": (100, 0.371), "E": (20, 0.232)}[letter]
    rows = random.standard_normal((1000, 100)) / 10
    factors = random.standard_normal((20, 20, 20)) / np.sqrt(80)
    y, point = cvxpy.Variable(n), cvxpy.Parameter(n)
    if letter == "A":
        text, data = "-2 <= y <= 2\nabs(diff(y)) <= 0.5", {}
        limits = [cvxpy.abs(y) <= 2, cvxpy.abs(cvxpy.diff(y)) <= 0.5]
    elif letter == "B":
        text, data, limits = "norm(y) <= 10", {}, [cvxpy.norm(y) <= 10]
    elif letter == "C":
        text, data, limits = "A @ y <= 1", {"A": rows}, [rows @ y <= 1]
    else:
        data = {f"F{j}": F + F.T for j, F in enumerate(factors)}
        text = "eye(20) + " + " + ".join(f"y[{j}]*F{j}" for j in range(20)) + " >> 0"
        limits = [np.eye(20) + sum(y[j] * (F + F.T) for j, F in enumerate(factors)) >> 0]
    region = hcr.Region(f"var y[{n}]\n{text}\norigin = zeros({n})", **data)
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(y - point)), limits)
    for farther in (1, 5):
        points = farther * deviation * random.standard_normal((count, n))
        found = region.project(points)
        assert region.check(found).all()
        for v, mine in zip(points, found, strict=True):
            point.value = v
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                problem.solve(solver="CLARABEL", tol_gap_abs=1e-13, tol_gap_rel=1e-13, tol_feas=1e-13)
            least, away = np.linalg.norm(y.value - v), np.linalg.norm(mine - v)
            assert abs(away - least) <= 1e-8 * max(away, 1), (away, least)


@pytest.mark.parametrize(("n", "order"), [(2, 2), (4, 3), (5, 6), (10, 8)])
def test_small_matrix_inequalities(n, order):
    """Inside exactly, and no farther than Clarabel's point to 1e-8 of the distance: where a face has lost ranks that is
    off itself, by up to 1e-7."""
    random, count = np.random.default_rng(n), 60 if os.environ.get("HCR_LONG") else 5
    y, point = cvxpy.Variable(n), cvxpy.Parameter(n)
    for _ in range(count):
        factors = random.standard_normal((n, order, order))
        factors += factors.transpose(0, 2, 1).copy()
        text = " + ".join(f"y[{j}]*F{j}" for j in range(n))
        region = hcr.Region(
            f"var y[{n}]\n-50 <= y <= 50\n2*eye({order}) + {text} >> 0", **{f"F{j}": F for j, F in enumerate(factors)}
        )
        whole = 2 * np.eye(order) + sum(y[j] * F for j, F in enumerate(factors))
        problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(y - point)), [whole >> 0, y >= -50, y <= 50])
        points = np.array([[1], [5]]) * random.standard_normal((2, n))
        for v, mine in zip(points, region.project(points), strict=True):
            point.value = v
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                problem.solve(solver="CLARABEL", tol_gap_abs=1e-13, tol_gap_rel=1e-13, tol_feas=1e-13)
            assert region.check(mine)
            least, away = np.linalg.norm(y.value - v), np.linalg.norm(mine - v)
            assert least - 1e-6 <= away <= least + 1e-8 * max(least, 1), (away, least)
