"""The nearest point as a layer: NumPy, PyTorch, JAX, models, and CVXPY's problems."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import hcr

jax = pytest.importorskip("jax")
torch = pytest.importorskip("torch")
cvxpy = pytest.importorskip("cvxpy")

import hcr.jax
import hcr.torch

random = np.random.default_rng(1)
METRIC = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, 0.1], [0.0, 0.1, 1.5]])
REGION = hcr.Region("var y[3]\n0 <= y <= 1\nsum(y) <= 2\nnorm(y) <= 1.2")
MOVING = hcr.Region("param c in [0.5, 2]\nvar y[3]\n0 <= y <= 1\nsum(y) <= c")


def solve(problem):
    """To Clarabel's last digits, where it says that it may be inaccurate."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        problem.solve(solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)


def solved(points, constraints, metric):
    """The nearest points by CVXPY and Clarabel."""
    found = []
    for v in points:
        y = cvxpy.Variable(3)
        problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.quad_form(y - v, cvxpy.psd_wrap(metric))), constraints(y))
        solve(problem)
        found.append(y.value)
    return np.array(found)


def test_metric_against_clarabel():
    points = random.normal(0, 2, (20, 3))
    wanted = solved(points, lambda y: [y >= 0, y <= 1, cvxpy.sum(y) <= 2, cvxpy.norm(y) <= 1.2], METRIC)
    found = REGION.project(points, metric=METRIC)
    assert REGION.check(found).all()
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    distance = [np.einsum("ij,jk,ik->i", a - points, METRIC, a - points) for a in (found, wanted)]
    np.testing.assert_allclose(distance[0], distance[1], rtol=1e-8, atol=1e-8)
    # The least of ½ y'Qy + p'y is the nearest point to −Q⁻¹p.
    least = REGION.minimise(-points @ METRIC, metric=METRIC)
    np.testing.assert_allclose(least, found, atol=1e-9)


@pytest.mark.parametrize("moving", [False, True])
def test_warm_start(moving):
    """From what held the row before: the same points to rounding, inside; and nothing of it in other calls."""
    random = np.random.default_rng(5)
    region = MOVING if moving else hcr.Region("var y[3]\n-1 <= y <= 1\nabs(diff(y)) <= 0.5\nsum(y) <= 1")
    points = np.cumsum(0.3 * random.standard_normal((200, 3)), 0)
    x = random.uniform(0.5, 2, (200, 1)) if moving else None
    rows = [(v, None if x is None else x[i]) for i, v in enumerate(points)]
    for map in (region.project, region.minimise.within([1.0, 2.0, 4.0])):
        assert map.warm.options(1, "nan").warm_start and not map.options(1, "nan").warm_start
        alone = [map(*row) for row in rows]
        warm = [map.warm(*row) for row in rows]
        assert region.check(warm, x).all()
        np.testing.assert_allclose(warm, alone, rtol=0, atol=1e-13)
        np.testing.assert_allclose(map.warm(points, x), alone, rtol=0, atol=1e-13)
        np.testing.assert_array_equal(map(points[::-1], None if x is None else x[::-1])[::-1], alone)


def test_multipliers_and_types():
    points = random.normal(0, 2, (50, 3))
    y, told = REGION.project(points, outcomes=True)
    assert set(told) <= {hcr.Outcome.INSIDE, hcr.Outcome.MOVED}
    multipliers = REGION.project.multipliers(points)
    assert multipliers.shape == (50, len(REGION.constraints))
    assert (multipliers >= 0).all()
    np.testing.assert_array_equal(multipliers.any(1), told == hcr.Outcome.MOVED)
    single = REGION.project(points.astype(np.float32))
    assert single.dtype == np.float32
    assert REGION.check(single).all()
    np.testing.assert_allclose(single, y, atol=1e-4)
    spoiled = points.copy()
    spoiled[3, 1] = np.nan
    assert np.isnan(REGION.project(spoiled)[3]).all()
    np.testing.assert_allclose(REGION.project(spoiled, bad="origin")[3], REGION.origin, atol=1e-9)
    with pytest.raises(hcr.Error, match="metric"):
        REGION.project(points, metric=np.eye(2))
    with pytest.raises(hcr.Error, match="eigenvalue"):
        REGION.project(points, metric=np.diag([1.0, 1.0, -1.0]))


@pytest.mark.parametrize("metric", [None, [1.0, 2.0, 3.0], METRIC])
@pytest.mark.parametrize("moving", [False, True])
def test_torch(metric, moving):
    region, x = (MOVING, torch.linspace(0.7, 1.5, 12, dtype=torch.float64)[:, None]) if moving else (REGION, None)
    v = torch.tensor(random.normal(0, 2, (12, 3)), requires_grad=True)
    given = (v,) if x is None else (v, x.requires_grad_())

    def project(v, x=None):
        return hcr.torch.project(v, region, x, metric=metric)

    assert torch.autograd.gradcheck(project, given, eps=1e-6, atol=1e-6, check_forward_ad=True)
    plain = project(*given)
    compiled = torch.compile(project, fullgraph=True, backend="aot_eager")(*given)
    mapped = torch.func.vmap(project)(*(a.detach() for a in given))
    assert torch.equal(plain, compiled) and torch.equal(plain, mapped)
    bar = torch.autograd.grad(plain.sum(), given, retain_graph=True)
    assert all(torch.equal(a, b) for a, b in zip(bar, torch.autograd.grad(compiled.sum(), given), strict=True))
    by_numpy = region.project.vjp(
        v.detach().numpy(), np.ones((12, 3)), None if x is None else x.detach().numpy(), metric=metric
    )
    for a, b in zip(bar, by_numpy if moving else (by_numpy,), strict=True):
        np.testing.assert_array_equal(a.numpy(), b)
    with pytest.raises(hcr.UnsupportedError, match="first derivatives only"):
        torch.autograd.grad(torch.autograd.grad(project(*given).sum(), v, create_graph=True)[0].sum(), v)


def test_layers():
    net = torch.nn.Sequential(torch.nn.Linear(5, 3), hcr.torch.Constrain(REGION, "project"))
    assert REGION.check(net(torch.randn(40, 5)).detach().numpy()).all()
    head = hcr.torch.HCRHead(5, MOVING, "project")
    x = torch.rand(40, 1) + 0.6
    result = head(torch.randn(40, 5), x)
    result.sum().backward()
    assert MOVING.check(result.detach().numpy(), x.numpy()).all()
    assert torch.isfinite(head.linear.weight.grad).all()


def test_jax():
    from jax.test_util import check_grads

    with jax.enable_x64(True):
        v, x = random.normal(0, 2, (6, 3)), np.linspace(0.7, 1.5, 6)[:, None]

        def project(v, x):
            return hcr.jax.project(v, MOVING, x, metric=METRIC)

        np.testing.assert_array_equal(np.asarray(jax.jit(project)(v, x)), MOVING.project(v, x, metric=METRIC))
        np.testing.assert_array_equal(np.asarray(jax.vmap(project)(v, x)), MOVING.project(v, x, metric=METRIC))
        check_grads(project, (v, x), 1, modes=("fwd", "rev"), eps=1e-6, atol=1e-5, rtol=1e-5)
        np.testing.assert_array_equal(
            np.asarray(hcr.jax.minimise(v, MOVING, x, metric=METRIC)), MOVING.minimise(v, x, metric=METRIC)
        )


def test_model_trained_through_the_projection(tmp_path):
    X = random.normal(size=(300, 6))
    Y = REGION.project(X @ random.normal(size=(6, 3)) + 0.3)
    model = hcr.fit(REGION, X, Y, head="hcr-project", epochs=80, seed=1)
    y = model.predict(X)
    assert REGION.check(y).all()
    assert np.mean((y - Y) ** 2) < 0.1 * np.var(Y)
    model.save(tmp_path / "a.model")
    np.testing.assert_array_equal(hcr.load_model(tmp_path / "a.model").predict(X), y)
    with torch.no_grad():
        np.testing.assert_allclose(hcr.torch.Network(model)(torch.tensor(X)).numpy(), y, atol=1e-5)
    onnx = pytest.importorskip("hcr.onnx")
    with pytest.raises(hcr.UnsupportedError, match="no bound"):
        onnx.export(model, tmp_path / "a.onnx")


def test_outputs_that_a_sample_holds_from_both_sides():
    """A capacity of 0 beside ramps: two rows leave the output one value. Clarabel is right to 1e-5 at this size."""
    region = hcr.Region("param cap[4] in [0, 1000]\nvar y[4]\n0 <= y <= cap\nabs(diff(y)) <= 5")
    caps = random.random((40, 4)) * 1000 * (random.random((40, 4)) > 0.3)
    points = random.normal(size=(40, 4)) * 400
    found, outcomes = region.project(points, caps, outcomes=True)
    assert not (outcomes == hcr.Outcome.NEARBY).any()
    y = cvxpy.Variable(4)
    for point, cap, nearest in zip(points, caps, found, strict=True):
        ramps = cvxpy.abs(cvxpy.diff(y)) <= 5
        solve(cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(y - point)), [y >= 0, y <= cap, ramps]))
        assert np.linalg.norm(nearest - point) <= np.linalg.norm(y.value - point) + 1e-5


# ------------------------------------------------------------------------------------------- in place of cvxpylayers


def check_layer(problem, parameters, variables, values, reference=None):
    """The layer's solutions are CVXPY's, of the problem or of one with the same solutions that is better conditioned,
    and its gradients those of differences."""
    layer = hcr.torch.CvxpyLayer(problem, parameters=parameters, variables=variables)
    tensors = [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in values]
    solutions = layer(*tensors)
    for parameter, value in zip(parameters, values, strict=True):
        parameter.value = value
    solve(reference or problem)
    for solution, variable in zip(solutions, variables, strict=True):
        np.testing.assert_allclose(solution.detach().numpy(), variable.value, atol=1e-6)
    assert torch.autograd.gradcheck(lambda *given: layer(*given), tensors, eps=1e-6, atol=1e-5)
    batch = layer(*(t.detach().expand(4, *t.shape) for t in tensors))
    np.testing.assert_allclose(batch[0][2].numpy(), solutions[0].detach().numpy(), atol=1e-12)
    return layer


def test_relu_as_a_problem():
    x, y = cvxpy.Parameter(4), cvxpy.Variable(4)
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(y - x)), [y >= 0])
    check_layer(problem, [x], [y], [random.normal(size=4)])


def test_sparsemax_as_a_problem():
    x, y = cvxpy.Parameter(5), cvxpy.Variable(5)
    simplex = [cvxpy.sum(y) == 1, y >= 0, y <= 1]
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.norm(x - y)), simplex)
    reference = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(x - y)), simplex)
    check_layer(problem, [x], [y], [random.normal(size=5)], reference)


def test_quadratic_program_as_a_problem():
    z, q, h, b = cvxpy.Variable(4), cvxpy.Parameter(4), cvxpy.Parameter(3), cvxpy.Parameter(1)
    G, P = random.normal(size=(3, 4)), np.eye(4) + 0.1
    objective = cvxpy.Minimize(0.5 * cvxpy.quad_form(z, P) + q @ z)
    problem = cvxpy.Problem(objective, [G @ z <= h, cvxpy.sum(z) == b])
    layer = check_layer(problem, [q, h, b], [z], [random.normal(size=4), random.random(3) + 1, random.normal(size=1)])
    assert layer.regularisation == 0


def test_active_rows_whose_parameters_have_no_range():
    """Ranges without ends mustn't make the rounding of rows large: 1e-6 is what Clarabel gives."""
    y, v, h = cvxpy.Variable(3), cvxpy.Parameter(3), cvxpy.Parameter(4)
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(y - v)), [random.normal(size=(4, 3)) @ y <= h])
    layer = hcr.torch.CvxpyLayer(problem, parameters=[v, h], variables=[y])
    points, sides = random.normal(size=(20, 3)), 0.1 + 0.2 * random.random((20, 4))
    (found,) = layer(torch.from_numpy(points), torch.from_numpy(sides))
    for i in range(20):
        v.value, h.value = points[i], sides[i]
        solve(problem)
        np.testing.assert_allclose(found[i].numpy(), y.value, atol=1e-6)


def test_matrices_and_several_variables():
    X, t, C = cvxpy.Variable((2, 2), symmetric=True), cvxpy.Variable(), cvxpy.Parameter((2, 2))
    objective = cvxpy.Minimize(cvxpy.sum_squares(X - C) + cvxpy.square(t))
    problem = cvxpy.Problem(objective, [X >> 0, cvxpy.trace(X) <= 1 + t])
    value = random.normal(size=(2, 2))
    check_layer(problem, [C], [X, t], [value + value.T])


def test_refused_problems():
    x, v, A = cvxpy.Variable(4), cvxpy.Parameter(4), cvxpy.Parameter((2, 4))
    for objective, parameters in ((cvxpy.norm1(x - v), [v]), (cvxpy.sum_squares(A @ x - 1), [A])):
        with pytest.raises(hcr.UnsupportedError, match="keep cvxpylayers"):
            hcr.torch.CvxpyLayer(cvxpy.Problem(cvxpy.Minimize(objective), [x >= 0]), parameters, [x])
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(x - v)), [x >= 0])
    with pytest.raises(hcr.Error, match="isn't among"):
        hcr.torch.CvxpyLayer(problem, [], [x])
    with pytest.raises(hcr.Error, match="must have"):
        hcr.torch.CvxpyLayer(problem, [v], [x])(torch.zeros(3))


# -------------------------------------------------------------------------------------------------- as Πnet's tests do


def test_bounds_that_meet():
    """Fixed and per-sample bounds, some of which leave one value, beside equalities that change with the sample."""
    n, rows = 6, 40
    A = random.normal(size=(2, n))
    region = hcr.Region(f"param lo[{n}]\nparam hi[{n}]\nparam b[2]\nvar y[{n}]\nlo <= y <= hi\nA @ y == b", A=A)
    lower, upper = -random.random((rows, n)), random.random((rows, n))
    upper[::3, 2] = lower[::3, 2]  # meet
    inner = lower + (upper - lower) * (0.3 + 0.4 * random.random((rows, n)))
    b = inner @ A.T
    points = 2 * random.normal(size=(rows, n))
    x = np.concatenate([lower, upper, b], 1)
    found, told = region.project(points, x, outcomes=True)
    held = np.arange(rows) % 3 == 0
    assert (told[~held] == hcr.Outcome.MOVED).all()
    assert set(told[held]) <= {hcr.Outcome.MOVED, hcr.Outcome.TO_ROUNDING}  # equalities beside an output that is held
    for i in range(rows):
        y = cvxpy.Variable(n)
        constraints = [y >= lower[i], y <= upper[i], A @ y == b[i]]
        problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(y - points[i])), constraints)
        solve(problem)
        np.testing.assert_allclose(found[i], y.value, atol=1e-6)
    assert (found >= lower).all() and (found <= upper).all()
    by_v, by_x = region.project.vjp(points, np.ones((rows, n)), x)
    h, changes = 1e-6, random.normal(size=(rows, n))
    up, down = (region.project(points + s * h * changes, x).sum(1) for s in (1, -1))
    np.testing.assert_allclose((by_v * changes).sum(1), (up - down) / (2 * h), atol=1e-6)
    moves = np.concatenate([np.zeros((rows, 2 * n)), random.normal(size=(rows, 2))], 1)  # the equalities'
    up, down = (region.project(points, x + s * h * moves).sum(1) for s in (1, -1))
    np.testing.assert_allclose((by_x * moves).sum(1), (up - down) / (2 * h), atol=1e-6)
