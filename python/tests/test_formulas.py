"""The maps as formulas, in NumPy, against the library: what torch on other devices, JAX and ONNX compute."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import directions, make

import hcr
from hcr import _formulas, _rays

PRECISIONS = [("float64", "float64"), ("float64", "float32"), ("float32", "float32")]


def maps_of(region: hcr.Region, arithmetic: str, result: str) -> _formulas.Maps:
    precision = _formulas.Precision(arithmetic, result)
    return _formulas.Maps(region, _formulas.NumPy(precision), precision, "NumPy")


@pytest.mark.parametrize(("arithmetic", "result"), PRECISIONS)
@pytest.mark.parametrize("name", ["decode", "contract", "soften"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_formulas_are_the_library(plain, name, arithmetic, result, random):
    maps = maps_of(plain, arithmetic, result)
    x = directions(random, 3000, plain.n, result)
    if name == "decode":
        x = np.concatenate([x, random.uniform(-0.1, 1.2, (3000, 1))], 1).astype(result)
    got = getattr(maps, name)(x.astype(arithmetic))
    want = getattr(plain, name)(x, bad="origin")
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
    for result, own in (("float64", plain.margin.double), ("float32", plain.margin.single)):
        found = _rays.margin(plain, 2.0**-53, result)
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


NETWORK = "var p1, p2, a1, a2, a3\n0 <= p1 <= 40\n0 <= p2 <= 170\n-3 <= [a1, a2, a3] <= 3\n"
FLOWS = "p1 == 3000*a1 - 2000*a2 - 1000*a3\np2 == -2000*a1 + 5000*a2 - 3000*a3\n"


def wide_texts(random: np.random.Generator, n: int, m: int, *, bounds_alone: bool) -> tuple[str, str]:
    """A set whose coefficients, outputs and bounds span many magnitudes, without its equalities and with them."""
    scale = (10 ** random.uniform(-3, 4, n)).tolist()
    at = [size * random.uniform(-2, 2) for size in scale]

    def unit(j: int) -> str:
        return f"({1 / scale[j]!r} * y[{j}] + {-at[j] / scale[j]!r})"

    lines = [f"var y[{n}]"]
    for j in range(n):
        lines.append(f"{at[j] - scale[j] * random.uniform(0.2, 2)!r} <= y[{j}] <= {at[j] + scale[j]!r}")
    if not bounds_alone:
        lines.append(" + ".join(f"{random.uniform(-1, 1)!r} * {unit(j)}" for j in range(n)) + " <= 0.3")
        lines.append(" + ".join(f"{random.uniform(0, 2)!r} * {unit(j)} ** 2" for j in range(n)) + " <= 0.8")
        lines.append(f"({unit(0)} + {unit(1)}) ** 2 + ({unit(1)} - 2 * {unit(2)}) ** 2 <= 0.9")
        lines.append(f"norm([{unit(0)}, 0.5 * {unit(n - 1)}]) <= 0.7 + 0.2 * {unit(1)}")
    equalities = []
    for _ in range(m):
        a = random.choice([-1, 1], n) * 10 ** random.uniform(-3, 3, n) / (scale if random.integers(2) else 1)
        right = float(a @ at)
        equalities.append(" + ".join(f"{float(a[j])!r} * y[{j}]" for j in range(n)) + f" == {right!r}")
    return "\n".join(lines), "\n".join(lines + equalities)


@pytest.mark.parametrize(("arithmetic", "result"), PRECISIONS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_d00_wide_equalities(arithmetic, result, random):
    """D00: no inequality is broken beside equalities, whatever their sizes. Those of single arithmetic hold to its
    rounding only, which is more than a result may be off; a set may be too thin for it."""
    texts = [(NETWORK, NETWORK + FLOWS)]
    for k in range(60):
        n = int(random.integers(4, 10))
        texts.append(wide_texts(random, n, int(random.integers(1, n - 1)), bounds_alone=k % 2 == 0))
    tried = 0
    for free, text in texts:
        region = hcr.Region(text)
        try:
            maps = maps_of(region, arithmetic, result)
        except hcr.Error:
            continue
        tried += 1
        inequalities, n = region if arithmetic == "float64" else hcr.Region(free), region.n
        width = 1 if free == NETWORK else region.bounds[1] - region.bounds[0]
        v = (random.standard_normal((500, n)) * width * 10 ** random.uniform(-2, 3, (500, 1))).astype(arithmetic)
        polar = np.concatenate([v, np.ones((500, 1), arithmetic)], 1)
        for got in (maps.contract(v), maps.decode(polar), maps.soften(v)):
            assert inequalities.check(got).all()
    assert tried > 30
