"""Samples whose origin is the centre of their own limits, outside of the C kernels: formulas in NumPy, torch and JAX,
and as ONNX graphs. Bounds that meet, ramps that leave one point, sums of 0, sums that are sold out, rows that meet."""

from __future__ import annotations

import os

import numpy as np
import pytest

import hcr
from hcr import _formulas

# With HCR_LONG set 100,000 rows a family (HCR_ROWS: another number), all families, and some rows without onnxruntime's
# optimisations too.
LONG = bool(os.environ.get("HCR_LONG"))
ROWS = int(os.environ.get("HCR_ROWS", "100000")) if LONG else 50
LEVELS = ("disabled", "basic", "all") if LONG else ("all",)
HOURS = 24


def share(random, *shape):
    return random.integers(0, 1025, shape) / 1024


def capacities(random, rows):
    return np.where(random.random((rows, HOURS)) < 0.5, 0, 5 * share(random, rows, HOURS))


def bands(random, rows):
    width = np.where(random.random((rows, HOURS)) < 0.3, 0, share(random, rows, HOURS))
    return np.concatenate([10 * share(random, rows, HOURS) - 5, width], 1)


def ramps(random, rows):
    """Now and then the capacity of an hour is what the steepest descent leads to, or less."""
    last = np.where(random.random((rows, 1)) < 0.4, 12, 12 * share(random, rows, 1))
    cap = np.full((rows, HOURS), 10.0)
    for i in np.flatnonzero(random.random(rows) < 0.4):
        hour = random.integers(1, 6)
        cap[i, hour] = max(last[i, 0] - 2 * (hour + 1), 0)
    return np.concatenate([cap, last], 1)


def zero_sums(random, rows):
    return np.where(random.random((rows, 1)) < 0.5, 0, 3 * share(random, rows, 1))


def sold(random, rows):
    cap = capacities(random, rows)
    total = np.minimum(cap.sum(1, keepdims=True), 90)
    how = random.random((rows, 1))
    return np.concatenate([cap, np.where(how < 0.3, total, np.where(how < 0.5, 0, total * share(random, rows, 1)))], 1)


def rows_that_meet(random, rows):
    return np.concatenate([1 + 4 * share(random, rows, 2), np.where(random.random((rows, 2)) < 0.5, 0, 0.5)], 1)


def hierarchies(random, rows, part=share):
    """Each leaf between limits that may meet; the total at most what the leaves are at least, now and then."""
    lo, width = (np.where(random.random((rows, 9)) < 0.3, 0, 2 * part(random, rows, 9)) for _ in range(2))
    least = lo.sum(1, keepdims=True)
    return np.concatenate([lo, width, least + np.where(random.random((rows, 1)) < 0.5, 0, part(random, rows, 1))], 1)


FAMILIES = {
    "capacities": ("param cap[24] in [0, 5]\nvar y[24]\n0 <= y <= 5\ny <= cap", capacities),
    "bands": (
        "param lo[24] in [-5, 5], width[24] in [0, 1]\nvar y[24]\n-6 <= y <= 6\nlo <= y\ny <= lo + width",
        bands,
    ),
    "ramps": (
        "param cap[24] in [0, 10], last in [0, 12]\nvar y[24]\n0 <= y <= 10\ny <= cap\nabs(diff(y)) <= 2\n"
        "abs(y[0] - last) <= 2",
        ramps,
    ),
    "sums of 0": ("param s in [0, 3]\nvar y[24]\n0 <= y <= 5\nsum(y) <= s", zero_sums),
    "sold": ("param cap[24] in [0, 5], sold in [0, 100]\nvar y[24]\n0 <= y <= 5\ny <= cap\nsum(y) == sold", sold),
    "rows": (
        "param lo[2] in [1, 5], width[2] in [0, 1]\nvar y[5]\n0 <= y <= 5\n"
        "const A = [[1, 2, 0, 1, 0.3], [0.7, 0, 3, 0, 1]]\nlo <= A @ y\nA @ y <= lo + width",
        rows_that_meet,
    ),
    "hierarchies": (
        "param lo[9] in [0, 2], width[9] in [0, 2], top in [0, 30]\nvar t, g[3], y[9]\nlo <= y\ny <= lo + width\n"
        "g[0] == sum(y[:3])\ng[1] == sum(y[3:6])\ng[2] == sum(y[6:])\nt == sum(g)\nt <= top\n0 <= t <= 40\n"
        "0 <= g <= 15",
        hierarchies,
    ),
}


def drawn(name, random, rows=ROWS):
    text, draw = FAMILIES[name]
    region = hcr.Region(text)
    assert region.origin_form == "checked"
    x = draw(random, rows).astype(np.float32)
    v = np.exp(2 * random.standard_normal((rows, region.n))) * random.standard_normal((rows, region.n))
    return region, v.astype(np.float32), x


def assert_results(region, name, got, v, x):
    """NaN where the library has none, all else inside, but for rows that have one value: these up to rounding."""
    want, outcome = region.contract(v.astype(got.dtype), x.astype(got.dtype), outcomes=True)
    np.testing.assert_array_equal(np.isnan(got).any(1), np.isnan(want).any(1))
    told = ~np.isnan(got).any(1)
    inside = region.check(got[told], x[told].astype(got.dtype))
    if name == "rows":
        worst, _ = region.violation(got[told].astype(float), x[told].astype(float))
        assert worst.max() < (1e-13 if got.dtype == np.float64 else 1e-5)
        inside |= outcome[told] == hcr.Outcome.TO_ROUNDING
        inside |= (x[told, 2:] == 0).any(1)  # the sums' roundings differ
    assert inside.all()
    # Margins differ: of a band of 1e-3 beside numbers of 10 they are 1e-2 in single precision, of a thinner one all of
    # its width, now and then. What is met is held to 1e-7 of a direction, beside a limit that is near to less.
    off = np.abs(got - want)[told].max(1)
    assert (off > (1e-7 if got.dtype == np.float64 else 0.05)).mean() < 1e-3
    assert got.dtype == np.float32 or off.max() < 1e-5


@pytest.mark.parametrize("result", ["float64", "float32"])
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_formulas(name, result, random):
    region, v, x = drawn(name, random)
    precision = _formulas.Precision("float64", result)
    maps = _formulas.Maps(region, _formulas.NumPy(precision), precision, "NumPy", "nan")
    assert_results(region, name, maps.contract(v.astype(float), x.astype(float)), v, x)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_held_beside_near_limits():
    """A band of 1/256 beside bands that are met: a direction was left with 1e-9 across those, and results outside."""
    region = hcr.Region(FAMILIES["hierarchies"][0])
    x = np.array([0, 501, 956, 129, 927, 0, 469, 821, 0, 2, 0, 0, 0, 347, 989, 0, 0, 0, 4212.5])[None] / 512
    v = np.array([3.6623, 1.3384, 0.291, -1.8027, 0.2868, -0.0206, -0.017, 0.2261, 6.1233, -0.7062, -21.3722, 0.0054])
    v = np.append(v, 0.0607)[None]
    precision = _formulas.Precision("float64", "float64")
    maps = _formulas.Maps(region, _formulas.NumPy(precision), precision, "NumPy", "nan")
    assert region.check(maps.contract(v, x), x).all()


def in_parts(run, *arrays, rows=100):
    return np.concatenate([run(*(array[i : i + rows] for array in arrays)) for i in range(0, len(arrays[0]), rows)])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", FAMILIES)
def test_onnx(name, dtype, level, random):
    onnxruntime = pytest.importorskip("onnxruntime")
    import hcr.onnx

    region, v, x = drawn(name, random, ROWS if level == "all" else ROWS // 20)
    options = onnxruntime.SessionOptions()
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = getattr(
        levels, {"disabled": "ORT_DISABLE_ALL", "basic": "ORT_ENABLE_BASIC", "all": "ORT_ENABLE_ALL"}[level]
    )
    session = onnxruntime.InferenceSession(hcr.onnx.export(region, dtype=dtype).SerializeToString(), options)
    got = in_parts(lambda v, x: session.run(None, {"input": v, "x": x})[0], v.astype(dtype), x.astype(dtype))
    assert_results(region, name, got, v, x)


def is_empty(limits, x):
    """Whether HiGHS finds no point between the limits of a sample."""
    import highspy

    columns, offset = limits.columns, limits.expand_x @ x + limits.constant
    offset = np.concatenate([offset, limits.rows @ offset + limits.shift @ x])
    solver, count = highspy.Highs(), columns.shape[1]
    solver.setOptionValue("output_flag", False)
    solver.addVars(count, np.full(count, -highspy.kHighsInf), np.full(count, highspy.kHighsInf))
    for row, low, high in zip(columns, limits.lower - offset, limits.upper - offset, strict=True):
        at = np.flatnonzero(row)
        solver.addRow(low, high, len(at), at.astype(np.int32), row[at])
    solver.run()
    return solver.getModelStatus() == highspy.HighsModelStatus.kInfeasible


@pytest.mark.parametrize("name", ["ramps", "sold", "hierarchies"])
def test_verdicts(name, random):
    """Samples that leave nothing are those of which HiGHS says so: limits that cross by more than a solver's tolerance,
    meet, or leave room."""
    pytest.importorskip("highspy")
    from hcr import _centres

    region, _, x = drawn(name, random, min(10 * ROWS, 3000))
    x = x.astype(float)
    some = random.random(len(x)) < 0.5
    if name == "ramps":
        x[some, 3] = np.maximum(x[some, -1] - 10 + share(random, some.sum()), 0)
    else:
        low, high = region.parameters.lower[-1], region.parameters.upper[-1]
        x[some, -1] = np.clip(x[some, -1] + share(random, some.sum()) - 0.5, low, high)
    found = np.isnan(region.contract(np.zeros((len(x), region.n)), x)).any(1)
    limits = _centres.read(region)
    np.testing.assert_array_equal(found, [is_empty(limits, sample) for sample in x])
    assert 0 < found.sum() < len(found)


def test_onnx_of_any_numbers(random):
    """Totals that are sums up to their rounding, and truly less by that as often as not: inside, at times NaN."""
    onnxruntime = pytest.importorskip("onnxruntime")
    import hcr.onnx

    region = hcr.Region(FAMILIES["hierarchies"][0])
    x = hierarchies(random, 4 * ROWS, lambda random, *shape: random.random(shape))
    v = np.exp(2 * random.standard_normal((len(x), region.n))) * random.standard_normal((len(x), region.n))
    session = onnxruntime.InferenceSession(hcr.onnx.export(region).SerializeToString())
    got = in_parts(lambda v, x: session.run(None, {"input": v, "x": x})[0], v, x)
    told = ~np.isnan(got).any(1)
    assert region.check(got[told], x[told]).all()
    assert told.mean() > 0.9
    assert np.isfinite(region.contract(v, x)).all()


def test_onnx_row_by_row(random):
    """A sample's result doesn't depend on the others, by more than the order of sums."""
    onnxruntime = pytest.importorskip("onnxruntime")
    import hcr.onnx

    region, v, x = drawn("ramps", random, 5)
    session = onnxruntime.InferenceSession(hcr.onnx.export(region).SerializeToString())
    v, x = v.astype(float), x.astype(float)
    together = session.run(None, {"input": v, "x": x})[0]
    for i in range(5):
        alone = session.run(None, {"input": v[i : i + 1], "x": x[i : i + 1]})[0][0]
        np.testing.assert_allclose(alone, together[i], rtol=0, atol=1e-12)


SMALL = (
    "param cap[4] in [0, 10], last in [0, 12]\nvar y[4]\n0 <= y <= 10\ny <= cap\nabs(diff(y)) <= 2\n"
    "abs(y[0] - last) <= 2"
)


def interior(random, rows):
    """Of four hours' ramps, directions and parameters that leave room everywhere."""
    x = np.concatenate([6 + 3 * random.random((rows, 4)), 7 + random.random((rows, 1))], 1)
    return random.standard_normal((rows, 4)), x


def test_torch_twice(random):
    """Double backward, as differences of the first derivative have it, and those as differences of the map."""
    torch = pytest.importorskip("torch")
    import hcr.torch

    region = hcr.Region(SMALL)
    assert region.origin_form == "checked"
    inputs = [torch.tensor(value, requires_grad=True) for value in interior(random, 1)]
    for formulas in (False, True):
        run = lambda v, x, formulas=formulas: hcr.torch.soften(v, region, x, formulas=formulas)  # noqa: E731
        assert torch.autograd.gradcheck(run, inputs, eps=1e-5, atol=1e-5)
        assert torch.autograd.gradgradcheck(run, inputs, eps=1e-5, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float64", "float32"] if LONG else ["float64"])
@pytest.mark.parametrize("name", FAMILIES if LONG else ["capacities", "sold", "rows"])
def test_torch_formulas(name, dtype, random):
    torch = pytest.importorskip("torch")
    import hcr.torch

    region, v, x = drawn(name, random)
    run = lambda v, x: hcr.torch.contract(torch.tensor(v), region, torch.tensor(x), formulas=True).numpy()  # noqa: E731
    assert_results(region, name, in_parts(run, v.astype(dtype), x.astype(dtype)), v, x)


def test_torch_s_exporter_refuses(random):
    torch = pytest.importorskip("torch")
    import hcr.torch

    region, _, _ = drawn("ramps", random, 1)
    assert hcr.torch.formulas.serves(region)
    with pytest.raises(hcr.UnsupportedError, match=r"hcr\.onnx\.export does"):
        hcr.torch.formulas.write("contract", torch.zeros(1, HOURS), torch.zeros(1, HOURS + 1), region)


@pytest.mark.parametrize("dtype", ["float64", "float32"] if LONG else ["float64"])
@pytest.mark.parametrize("name", FAMILIES if LONG else ["capacities", "sold", "rows"])
def test_jax(name, dtype, x64, random):
    import hcr.jax

    region, v, x = drawn(name, random)
    run = x64.jit(lambda v, x: hcr.jax.contract(v, region, x, formulas=True))
    got = in_parts(lambda v, x: np.asarray(run(v, x)), v.astype(dtype), x.astype(dtype))
    assert_results(region, name, got, v, x)


def test_jax_twice(x64, random):
    import hcr.jax

    region, step = hcr.Region(SMALL), 1e-5
    v, x = (value[0] for value in interior(random, 1))
    first = x64.jit(x64.grad(lambda x: hcr.jax.soften(v, region, x, formulas=True).sum()))
    second = x64.jacfwd(first)(x)
    for k in (0, 2, 4):
        unit = step * np.eye(5)[k]
        slope = (first(x + unit) - first(x - unit)) / (2 * step)
        np.testing.assert_allclose(second[k], slope, rtol=0, atol=1e-7)
