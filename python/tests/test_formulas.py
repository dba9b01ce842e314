"""The maps as formulas, in NumPy, against the library: what torch on other devices, JAX and ONNX compute."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import directions, make

import hcr
from hcr import _formulas, _margins, _parts

PRECISIONS = [("float64", "float64"), ("float64", "float32"), ("float32", "float32")]


def maps_of(region: hcr.Region, arithmetic: str, result: str) -> _formulas.Maps:
    precision = _formulas.Precision(arithmetic, result)
    return _formulas.Maps(region._parts(), _formulas.NumPy(precision), precision, "NumPy")


@pytest.mark.parametrize(("arithmetic", "result"), PRECISIONS)
@pytest.mark.parametrize("name", ["decode", "contract", "soften"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_formulas_are_the_library(plain, name, arithmetic, result, random):
    maps = maps_of(plain, arithmetic, result)
    x = directions(random, 3000, plain.n, result)
    if name == "decode":
        x = np.concatenate([x, random.uniform(-0.1, 1.2, (3000, 1))], 1).astype(result)
    got = getattr(maps, name)(x.astype(arithmetic))
    want = getattr(plain, name)(x)
    assert got.dtype == want.dtype == result
    # Both give up their margins; beyond that, the gauge differs by rounding.
    unit = 2.0**-23 if "float32" in (arithmetic, result) else 2.0**-52
    reach = np.abs(plain.bounds[1] - plain.bounds[0]).max()
    assert np.abs(got - want).max() <= (2 * maps.margin + 200 * unit) * reach
    if plain.equalities == 0 or arithmetic == "float64":
        assert plain.check(got).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_gauge_and_encode(plain, random):
    maps = maps_of(plain, "float64", "float64")
    v = directions(random, 2000, plain.n)
    np.testing.assert_allclose(maps.gauge(v)[:, 0], plain.gauge(v), rtol=1e-12)
    y = plain.sample(2000, 1)
    np.testing.assert_allclose(maps.encode(y), plain.encode(y), rtol=1e-9, atol=1e-12)


def test_margins_are_near_the_library_s(plain):
    for unit, own in ((2.0**-53, plain.margin.double), (2.0**-24, plain.margin.single)):
        found = _margins.margin(plain._parts(), 2.0**-53, unit)
        assert own <= found <= 10 * own + 1e-15


def test_inputs_next_to_the_frontier_are_inside(plain, random):
    """Where the formulas decide between what is free and what is stopped."""
    maps = maps_of(plain, "float64", "float64")
    v = random.standard_normal((2000, plain.n))
    v /= plain.gauge(v)[:, None]
    for share in (1 - 2 * maps.margin, 1 - maps.margin, 1.0, 1 + 1e-15):
        assert plain.check(maps.contract(share * v)).all()


def test_other_kinds_are_refused_by_name():
    for name, kind in (("lmi", "lmi"), ("expression", "expression"), ("union", "union")):
        with pytest.raises(hcr.UnsupportedError, match=kind):
            maps_of(make(name), "float64", "float64")


def test_dot_minus_is_right_to_the_last_bit(random):
    from fractions import Fraction

    for _ in range(200):
        a, y = random.standard_normal((2, 5)) * np.exp(random.uniform(-20, 20, (2, 5)))
        b = float(a @ y) * (1 + random.choice([0, 1e-15, 1e-9]))
        exact = sum((Fraction(p) * Fraction(q) for p, q in zip(a, y, strict=True)), -Fraction(b))
        assert _parts.dot_minus(a, y, b) == float(exact)
