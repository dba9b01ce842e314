"""Parameters without a range: each sample's origin is found, each result verified, and NaN is for empty sets alone."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import hcr

HOURS, ROWS = 24, 300
STEP = 10


def solar(random, scale):
    """Capacities, of which some are 0."""
    return scale * random.uniform(0.01, 100, (ROWS, HOURS)) * (random.random((ROWS, HOURS)) > 0.05)


def ramps(random, scale):
    """A last value, now and then beyond what the first step can come back from."""
    return random.uniform(-1.5 * STEP, 100 + 1.5 * STEP, (ROWS, 1))


def demand(random, scale):
    """What is sold, now and then more than all capacities."""
    caps = scale * random.uniform(0.01, 100, (ROWS, HOURS))
    return np.column_stack([random.uniform(0, 1.1, ROWS) * caps.sum(1), caps])


TEXTS = {
    "solar": ("var y[24]\nparam cap[24]\n0 <= y <= cap", solar),
    "ramps": ("var y[24]\nparam last\n0 <= y <= 100\nabs(y[0] - last) <= 10\nabs(diff(y)) <= 10", ramps),
    "demand": ("var y[24]\nparam sold, cap[24]\n0 <= y <= cap\nsum(y) == sold", demand),
}


def holds(name, y, x):
    """The inequalities in rational arithmetic, beside the library's own check."""
    y, x = [Fraction(float(value)) for value in y], [Fraction(float(value)) for value in x]
    if name == "ramps":
        steps = [y[0] - x[0], *(b - a for a, b in itertools.pairwise(y))]
        return all(0 <= value <= 100 for value in y) and all(abs(step) <= STEP for step in steps)
    caps = x if name == "solar" else x[1:]
    return all(0 <= value <= cap for value, cap in zip(y, caps, strict=True))


def has_point(name, x):
    """Whether a sample's set is empty, by hand."""
    if name == "ramps":
        return -STEP <= x[0] <= 100 + STEP
    return name == "solar" or 0 <= x[0] <= x[1:].sum()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e7])
@pytest.mark.parametrize("name", TEXTS)
def test_every_sample_that_has_a_point_gets_one(name, scale, dtype, random):
    text, draw = TEXTS[name]
    region = hcr.Region(text)
    x = draw(random, scale).astype(dtype)
    wanted = np.array([has_point(name, row.astype(np.float64)) for row in x])
    for map_ in ("contract", "soften", "decode"):
        v = 100 * scale * random.normal(size=(ROWS, HOURS))
        v = (np.column_stack([v, random.uniform(0, 1, ROWS)]) if map_ == "decode" else v).astype(dtype)
        y = getattr(region, map_)(v, x)
        assert y.dtype == dtype
        assert (~np.isnan(y).any(axis=1) == wanted).all()
        assert region.check(y[wanted], x[wanted]).all()
        assert all(holds(name, row, limits) for row, limits in zip(y[wanted][:50], x[wanted][:50], strict=True))
    inner = wanted & (x != 0).all(axis=1)  # projection takes samples with an interior
    assert region.check(region.project(v[:, :HOURS], x)[inner], x[inner]).all()


def test_derivatives_by_parameters(random):
    """soften, which is smooth away from constraints that take over from each other, by central differences."""
    region = hcr.Region(TEXTS["demand"][0])
    caps = random.uniform(5, 20, HOURS)
    x = np.concatenate([[0.4 * caps.sum()], caps])
    v, bar = random.normal(size=HOURS), random.normal(size=HOURS)
    _, by_x = region.soften.vjp(v, bar, x)
    step = 1e-5
    for k in range(len(x)):
        h = step * np.eye(len(x))[k]
        slope = bar @ (region.soften(v, x + h) - region.soften(v, x - h)) / (2 * step)
        # h² |f‴| and the rounding 1e-15/h of outputs of size 10.
        assert abs(slope - by_x[k]) <= 1e-6 * (1 + abs(slope))


def test_some_ranges_and_what_is_too_large():
    region = hcr.Region("var y[2]\nparam cap[2] in [1, 4], sold\n0 <= y <= cap\nsum(y) == sold")
    _, outcome = region.contract([9.0, 1.0], [[2, 2, 3], [5, 2, 3], [2, 2, 5], [2, 2, 1e15]], outcomes=True)
    names = [hcr.Outcome(o).name for o in outcome]
    assert names == ["FRONTIER", "OUT_OF_RANGE", "NO_ORIGIN", "OUT_OF_RANGE"]
    again = hcr.Region.from_bytes(region.to_bytes())
    assert (again.contract([1.0, 1.0], [2, 2, 3]) == region.contract([1.0, 1.0], [2, 2, 3])).all()


def test_a_region_that_equalities_determine():
    region = hcr.Region("var y[2]\nparam a, b\ny == a + b")
    x = np.array([[3.0, 0.5], [-1e6, 4.0]])
    assert region.contract([[1.0, 2.0], [7.0, 8.0]], x).tolist() == [[3.5, 3.5], [4 - 1e6, 4 - 1e6]]


def test_the_builder_and_rows():
    region = hcr.Region.from_rows([[1, 1, -1]], 0, bounds=(0, None), parameters={"budget": None})
    assert region.check(region.contract([[5.0, 5.0], [1e6, 2e6]], [[2.0], [1e6]]), [[2.0], [1e6]]).all()


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("var y[2]\nparam c[2], r\nnorm(y - c) <= r", "unsupported", r"c\[0\] has no range"),
        ("var y[2]\nparam r in [1, 2], c[2]\nnorm(y - c) <= r", "unsupported", r"c\[0\] has no range"),
        ("var y[2]\nparam lo, hi\nlo <= y <= hi\nlo <= hi", "unsupported", "parameters alone"),
        ("var y[2]\nparam a\na <= y <= a - 1", "empty", "is empty"),
        ("var y[2]\nparam a\ny <= a", "unbounded", "direction"),
    ],
)
def test_what_is_refused(text, code, says):
    with pytest.raises(hcr.Error, match=says) as refused:
        hcr.Region(text)
    assert refused.value.code == code
