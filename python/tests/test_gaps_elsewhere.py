"""Samples with gaps of any size at once, outside of the C kernels: formulas in NumPy, torch and JAX, and ONNX graphs,
whose results are inside or NaN; and what decides that."""

from __future__ import annotations

import math
import os
from fractions import Fraction

import numpy as np
import pytest

import hcr
from hcr import _centres, _formulas
from hcr._inside import Inside

# With HCR_LONG set 10,000 rows a family (HCR_ROWS: another number), and every level of onnxruntime's optimisations.
LONG = bool(os.environ.get("HCR_LONG"))
ROWS = int(os.environ.get("HCR_ROWS", "10000")) if LONG else 100
LEVELS = (
    ("ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL") if LONG else ("ORT_ENABLE_ALL",)
)
HOURS = 24


def gap(random, *shape):
    return 10.0 ** (-16 + 15 * random.random(shape))


def some(random, thin, wide):
    """Of each two numbers one or the other."""
    return np.where(random.random(wide.shape) < 0.5, thin, wide)


def ramps(random, rows):
    """Capacities that the steepest descent from the last value just meets."""
    last = some(random, 12 - gap(random, rows, 1), 12 * random.random((rows, 1)))
    least = np.maximum(last - 2 * np.arange(1.0, HOURS + 1), 0)
    room = some(random, gap(random, rows, HOURS), (10 - least) * random.random((rows, HOURS)))
    return np.concatenate([np.minimum(least + room, 10), last], 1)


def sold(random, rows):
    """All, next to nothing, or a part of the capacities is sold."""
    cap = some(random, gap(random, rows, HOURS), 3 * random.random((rows, HOURS)))
    total = cap.sum(1, keepdims=True)
    part = some(random, gap(random, rows, 1), total * random.random((rows, 1)))
    return np.concatenate([cap, some(random, total - gap(random, rows, 1), part)], 1)


def hierarchies(random, rows):
    lo = some(random, 0, 2 * random.random((rows, 9)))
    width = some(random, gap(random, rows, 9), 2 * random.random((rows, 9)))
    top = lo.sum(1, keepdims=True) + some(random, gap(random, rows, 1), 3 * random.random((rows, 1)))
    return np.concatenate([lo, width, top], 1)


def rows_of_any_coefficients(random, rows):
    width = some(random, gap(random, rows, 3), random.random((rows, 3)))
    return np.concatenate([1 + 4 * random.random((rows, 3)), width], 1)


# The text, the draw, and how many rows may be NaN: the largest shares seen are two thirds of these.
FAMILIES = {
    "ramps": (
        "param cap[24] in [0, 10], last in [0, 12]\nvar y[24]\n0 <= y <= 10\ny <= cap\nabs(diff(y)) <= 2\n"
        "abs(y[0] - last) <= 2",
        ramps,
        0.09,
    ),
    "sold": (
        "param cap[24] in [0, 4], sold in [0, 90]\nvar y[24]\n0 <= y <= 4\ny <= cap\nsum(y) == sold",
        sold,
        0.25,
    ),
    "hierarchies": (
        "param lo[9] in [0, 2], width[9] in [0, 2], top in [0, 30]\nvar t, g[3], y[9]\nlo <= y\ny <= lo + width\n"
        "g[0] == sum(y[:3])\ng[1] == sum(y[3:6])\ng[2] == sum(y[6:])\nt == sum(g)\nt <= top\n0 <= t <= 40\n"
        "0 <= g <= 15",
        hierarchies,
        0.09,
    ),
    "rows": (
        "param lo[3] in [1, 5], width[3] in [0, 1]\nvar y[12]\n0 <= y <= 5\n"
        "const A = [[1, 2, 0, 1, 0.3, 0, 0, 0, 1, 1, 0, 0], [0, 1, 1, 3, 0, 0, 1, 0, 0, 0, 0.7, 0],\n"
        "    [1, 0, 0, 0, 0, 0.3, 0, 2, 0, 0, 0, 1.7]]\nlo <= A @ y\nA @ y <= lo + width",
        rows_of_any_coefficients,
        0.12,
    ),
}


def drawn(name, random, rows=ROWS):
    region = hcr.Region(FAMILIES[name][0])
    v = np.exp(2 * random.standard_normal((rows, 1))) * random.standard_normal((rows, region.n))
    return region, v, FAMILIES[name][1](random, rows)


def assert_inside(name, region, got, x):
    """Inside in exact arithmetic, or NaN. Rows whose own sides are nearer than rounding hold up to that: 8e-15 is four
    times what it is of twelve terms, none more than 15."""
    told = ~np.isnan(got).any(1)
    inside = region.check(got[told], x[told])
    if name == "rows":
        worst, _ = region.violation(got[told], x[told])
        inside |= (x[told, 3:].min(1) < 1e-13) & (worst < 8e-15)
    assert inside.all()
    assert 1 - told.mean() <= FAMILIES[name][2]


@pytest.fixture(params=FAMILIES)
def name(request):
    return request.param


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_formulas(name, random):
    region, v, x = drawn(name, random)
    precision = _formulas.Precision("float64", "float64")
    maps = _formulas.Maps(region, _formulas.NumPy(precision), precision, "NumPy", "nan")
    assert_inside(name, region, maps.contract(v, x), x)
    assert_inside(name, region, maps.soften(v, x), x)
    assert_inside(name, region, maps.decode(np.append(v, random.random((len(v), 1)), 1), x), x)


@pytest.mark.parametrize("level", LEVELS)
def test_onnx(name, level, random):
    onnxruntime = pytest.importorskip("onnxruntime")
    import hcr.onnx

    region, v, x = drawn(name, random)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    session = onnxruntime.InferenceSession(hcr.onnx.export(region).SerializeToString(), options)
    parts = [session.run(None, {"input": v[i : i + 100], "x": x[i : i + 100]})[0] for i in range(0, len(v), 100)]
    assert_inside(name, region, np.concatenate(parts), x)


def test_torch(name, random):
    torch = pytest.importorskip("torch")
    import hcr.torch

    region, v, x = drawn(name, random)
    got = hcr.torch.contract(torch.tensor(v), region, torch.tensor(x), formulas=True)
    assert_inside(name, region, got.numpy(), x)


def test_jax(name, x64, random):
    import hcr.jax

    region, v, x = drawn(name, random)
    run = x64.jit(lambda v, x: hcr.jax.contract(v, region, x, formulas=True))
    parts = [np.asarray(run(v[i : i + 100], x[i : i + 100])) for i in range(0, len(v), 100)]
    assert_inside(name, region, np.concatenate(parts), x)


def exact_room(limits, y, x):
    """What bounds and rows leave above and below, in rationals: the equalities left out."""
    y, x = ([Fraction(float(number)) for number in point] for point in (y, x))
    values = list(y)
    for row, shift in zip(limits.rows, limits.shift, strict=True):
        terms = [*zip(row, y, strict=True), *zip(shift, x, strict=True)]
        values.append(sum((Fraction(float(a)) * b for a, b in terms if a != 0), Fraction(0)))
    sides = ((limits.upper, 1), (limits.lower, -1))
    return [
        [
            sign * (Fraction(float(end)) - value) if np.isfinite(end) else math.inf
            for end, value in zip(side, values, strict=True)
        ]
        for side, sign in sides
    ]


@pytest.mark.parametrize("type", ["float64", "float32"])
@pytest.mark.parametrize("name", ["ramps", "rows"])
def test_decided_exactly(name, type, random):
    """Points some roundings from the frontier, and on it: those that hold are inside, and all hold that are inside by
    as much as the pieces of rows and limits leave out."""
    region, v, x = drawn(name, random, 40)
    v, x = v.astype(type), x.astype(type)
    x = np.clip(x, region.parameters.lower, region.parameters.upper).astype(type)
    limits, precision = _centres.read(region), _formulas.Precision(type, type)
    box = _formulas._inward(limits.lower[: region.n], limits.upper[: region.n], type)
    arrays = _formulas.NumPy(precision)
    inside = Inside(arrays, limits, precision, box, np.maximum(*np.abs(region.bounds)))
    if name == "ramps":  # steps of 2 exactly, and next to it
        y = np.clip(x[:, -1:] - 2 * np.arange(1, region.n + 1), 0, 10).astype(type)
        y = np.concatenate([y, np.nextafter(y, 10 * random.integers(0, 2, y.shape).astype(type))])
        x = np.concatenate([x, x])
        x[:, : region.n] = 10
    else:
        y = region.contract(v, x)
        steps = random.integers(-1, 2, (3, *y.shape))
        y = np.concatenate([y, *(np.nextafter(y, np.where(step == 0, y, 6 * step).astype(type)) for step in steps)])
        x = np.tile(x, (4, 1))
    y, x = y[~np.isnan(y).any(1)], x[~np.isnan(y).any(1)]
    got = inside.holds(y, x, np.zeros(2 * len(limits.rows)))[:, 0] > 0
    lost = np.zeros((len(y), 2, region.n + len(limits.rows)))
    left_out = 1.02 * inside._exactly(np.concatenate([y, x], 1).astype(type))[1]
    lost[:, :, region.n :] = left_out.reshape(len(y), 2, -1)[:, :, : len(limits.rows)]
    room = [exact_room(limits, *sample) for sample in zip(y, x, strict=True)]
    within = np.array([min(map(min, sample)) >= 0 for sample in room])
    surely = np.array([(np.array(sample) >= least).all() for sample, least in zip(room, lost, strict=True)])
    assert not (got & ~within).any() and not (surely & ~got).any()
    assert surely.sum() > 0 and within.sum() < len(within) and (within & ~got).sum() <= 0.05 * len(got)
