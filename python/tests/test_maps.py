"""The maps of regions in NumPy, and their derivatives."""

from __future__ import annotations

import concurrent.futures

import numpy as np
import pytest
from conftest import directions

import hcr

MAPS = ("gauge", "encode", "decode", "contract", "soften")


def inputs(region: hcr.Region, name: str, random: np.random.Generator, count: int = 50) -> np.ndarray:
    v = directions(random, count, region.n)
    if name == "decode":
        v = np.concatenate([v, random.uniform(-0.2, 1.3, (count, 1))], 1)
    return v


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["decode", "contract", "soften"])
def test_results_are_exactly_inside(region, name, dtype, random):
    y = getattr(region, name)(inputs(region, name, random, 500).astype(dtype), bad="origin")
    assert y.dtype == dtype
    assert region.check(y).all()


def test_c03_rays_parallel_to_faces():
    box = hcr.Region("var y[2]\n-1 <= y <= 1")
    assert box.contract([[5, 0], [0, -5], [-0.0, 5]]).tolist() == [[1, 0], [0, -1], [0, 1]]
    flat = hcr.Region("var y[2]\n0 <= y[0] <= 10\n0 <= y[1] <= 1\norigin = [5, 0.5]")
    assert flat.contract([0, 9]).tolist() == [5, 1]


def test_c04_unbounded_rays_in_a_batch():
    half = hcr.Region.from_rows(bounds=([-np.inf, -np.inf], [1, np.inf]), n=2, origin=[0, 0], unbounded=True)
    assert not half.is_bounded
    y = half.contract([[-3, 2], [0, 4], [5, 0], [0, 0.0]])
    np.testing.assert_allclose(y, [[-3, 2], [0, 4], [1, 0], [0, 0]], rtol=1e-12)
    bar = np.ones((4, 2))
    np.testing.assert_allclose(
        half.contract.vjp([[-3, 2], [0, 4], [5, 0], [0, 0.0]], bar), [[1, 1], [1, 1], [0, 0.2], [1, 1]], atol=1e-12
    )
    y, outcome = half.decode([[-1, 0, 0.5], [1, 0, 0.5]], outcomes=True)
    assert outcome.tolist() == [hcr.Outcome.NO_FRONTIER, hcr.Outcome.INSIDE]
    assert y[0].tolist() == [0, 0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_c09_unit_vectors(dtype):
    disc = hcr.Region("var y[2]\nnorm(y) <= 1")
    angle = np.linspace(0, 2 * np.pi, 10_000)
    y = disc.contract((10 * np.stack([np.cos(angle), np.sin(angle)], 1)).astype(dtype)).astype(np.longdouble)
    assert ((y**2).sum(1) <= 1).all()
    assert (y**2).sum(1).min() > 1 - 1e-5


def test_c19_infinities_mean_no_bound():
    region = hcr.Region.from_rows(bounds=([-1, -np.inf], [np.inf, 1]), n=2, unbounded=True)
    assert np.isfinite(region.origin).all()
    assert region.check(region.contract([[1, -1], [-1, 1.0]])).all()
    with pytest.raises(hcr.InvalidError, match="NaN"):
        hcr.Region.from_rows(bounds=([-1, np.nan], [1, 1]), n=2)


def test_a_single_row_is_that_row_of_any_batch(region, random):
    """C42: bitwise, whatever the batch."""
    for name in MAPS:
        x = inputs(region, name, random, 12)
        function = getattr(region, name)
        whole = function(x)
        np.testing.assert_array_equal(function(x[3]), whole[3])
        np.testing.assert_array_equal(function(x[3:4]), whole[3:4])
        np.testing.assert_array_equal(function(x.reshape(2, 6, -1)), whole.reshape(2, 6, *whole.shape[1:]))
        np.testing.assert_array_equal(function(x[:0]), whole[:0])
        np.testing.assert_array_equal(function(np.asfortranarray(x)), whole)
        np.testing.assert_array_equal(function(np.repeat(x, 2, 1)[:, ::2]), whole)
        np.testing.assert_array_equal(function(x.astype(">f8")), whole)
        np.testing.assert_array_equal(function(np.concatenate([x] * 40)), np.concatenate([whole] * 40))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_one_row_after_another(dtype, random):
    """A call with one row has arrays of its own, which are used again: results are the caller's, read-only rows and
    those of other strides are read, and threads don't share them."""
    region = hcr.Region("var y[3]\nparam cap in [1, 2]\n0 <= y <= cap\nsum(y) <= 2")
    values = random.normal(size=(200, 3)).astype(dtype)
    x = random.uniform(1, 2, (200, 1)).astype(dtype)
    for name in ("contract", "project", "soften", "gauge", "encode"):
        map = getattr(region, name)
        batch = map(values, x)
        rows = [map(row, given) for row, given in zip(values, x, strict=True)]
        np.testing.assert_array_equal(np.array(rows), batch)
        values.flags.writeable = False
        np.testing.assert_array_equal(map(values[7], x[7]), batch[7])
        values.flags.writeable = True
        np.testing.assert_array_equal(map(np.asfortranarray(values)[7], x[7]), batch[7])
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            np.testing.assert_array_equal(np.array(list(pool.map(map, values, x))), batch)
        with pytest.raises(hcr.Error, match="parameters"):
            map(values[0])


@pytest.mark.parametrize("name", ["contract", "project", "soften", "gauge", "encode"])
def test_one_row_beside_another_thread(name, monkeypatch):
    """D73: another thread may take a row's arrays as soon as they are put back: the result is the caller's by then."""
    map, finish = getattr(hcr.Region("var y[2]\nnorm(y) <= 1"), name), hcr.Region._finish
    values = np.random.default_rng(1).normal(size=(2, 2))
    expected = map(values)[0]

    def another_thread_begins(*put_back):
        monkeypatch.undo()
        finish(*put_back)
        map(values[1])

    map(values[0])
    monkeypatch.setattr(hcr.Region, "_finish", another_thread_begins)
    np.testing.assert_array_equal(map(values[0]), expected)


def test_c36_integers_and_other_types():
    region = hcr.Region("var y[2]\nnorm(y) <= 3")
    want = region.contract(np.array([[1.0, -1.0]]))
    for given in (np.array([[1, -1]]), np.array([[1, -1]], np.int32), [[1, -1]], ((1, -1),)):
        got = region.contract(given)
        assert got.dtype == np.float64
        np.testing.assert_array_equal(got, want)
    assert region.contract(np.array([[True, False]])).tolist() == [[1, 0]]
    assert region.contract(np.array([[1, -1]], np.float16)).dtype == np.float32
    for wrong in (
        np.array([[1j, 1]]),
        np.array([["a", "b"]]),
        np.array([[None, 1]]),
        np.ma.array([[1.0, 2]], mask=[[0, 1]]),
    ):
        with pytest.raises(TypeError):
            region.contract(wrong)


def test_a_wrong_width_is_told_with_both():
    region = hcr.Region("var y[2]\nnorm(y) <= 3")
    with pytest.raises(hcr.InvalidError, match=r"\(4, 3\).* 2 ") as caught:
        region.contract(np.zeros((4, 3)))
    assert caught.value.code == "shape"
    with pytest.raises(hcr.InvalidError, match=r"\(\)"):
        region.contract(3.0)


def test_a_data_frame_is_taken_by_name():
    pandas = pytest.importorskip("pandas")
    region = hcr.Region("var a\nvar b\n0 <= a <= 1\n0 <= b <= 10")
    frame = pandas.DataFrame({"b": [20.0], "x": [1.0], "a": [0.5]})
    assert region.check(frame).tolist() == [False]
    assert region.violation(frame)[0].tolist() == [10]
    with pytest.raises(hcr.InvalidError, match="no column 'a'"):
        region.check(frame[["b", "x"]])


@pytest.mark.parametrize("name", MAPS)
def test_derivatives_against_differences(region, name, random):
    """vjp against central differences: 1e-5 of what is differentiated, step 1e-6, points away from ties."""
    x = random.standard_normal((20, region.n + (name == "decode"))) * 2
    if name == "decode":
        x[:, -1] = random.uniform(0.1, 0.9, 20)
    if name == "encode":
        x = region.sample(20, 3)
    function = getattr(region, name)
    bar = random.standard_normal(np.shape(function(x)))
    got = getattr(region, name).vjp(x, bar)
    want, step = np.empty_like(x), 1e-6
    for j in range(x.shape[1]):
        shift = np.zeros(x.shape[1])
        shift[j] = step
        difference = (function(x + shift) - function(x - shift)) / (2 * step)
        want[:, j] = (difference * bar).reshape(20, -1).sum(1)
    off = np.abs(got - want).max(1) > 1e-5 * (1 + np.abs(want).max(1))
    assert off.mean() <= 0.1  # a tie may be near


def test_gradients_are_finite_at_odd_inputs(region, random):
    """C01: at zero contract and soften are the identity (within the equalities)."""
    for name in ("gauge", "decode", "contract", "soften"):
        x = inputs(region, name, random)
        bar = np.ones(np.shape(getattr(region, name)(x)))
        sound = np.isfinite(x).all(1)
        assert np.isfinite(getattr(region, name).vjp(x, bar)[sound]).all()
        assert np.isfinite(getattr(region, name).vjp(x, bar, bad="origin")).all()
    zero = np.zeros((1, region.n))
    bar = random.standard_normal((1, region.n))
    near = region.contract.vjp(zero + 1e-9, bar)
    np.testing.assert_allclose(region.contract.vjp(zero, bar), near, atol=1e-9)


def test_odd_inputs():
    region = hcr.Region("var y[2]\nnorm(y - 1) <= 2")
    y, outcome = region.contract([[np.nan, 1], [np.inf, 1], [0, 0], [1e300, -1e300], [0.1, 0]], outcomes=True)
    assert [hcr.Outcome(o).name for o in outcome] == ["BAD_VALUE", "BAD_VALUE", "AT_ORIGIN", "FRONTIER", "INSIDE"]
    assert np.isnan(y[:2]).all() and (y[2] == region.origin).all()
    assert np.isnan(region.gauge([np.nan, 1]))
    assert not region.check([np.nan, 1])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", MAPS)
def test_d19_bad_values_are_nan(region, name, dtype, random):
    """In any entry, in the map and its derivatives; the other rows are as without it."""
    width = region.n + (name == "decode")
    x = random.standard_normal((3 * width, width)).astype(dtype)
    if name == "decode":
        x[:, -1] = 0.5
    good = getattr(region, name)(x)
    bar = random.standard_normal(np.shape(good)).astype(dtype)
    odd = x.copy()
    for k in range(width):
        odd[3 * k, k] = (np.nan, np.inf, -np.inf)[k % 3]
    at = np.arange(len(x)) % 3 == 0
    for got, want in (
        (getattr(region, name)(odd), good),
        (getattr(region, name).vjp(odd, bar), getattr(region, name).vjp(x, bar)),
        (getattr(region, name).jvp(odd, x), getattr(region, name).jvp(x, x)),
    ):
        assert np.isnan(got[at]).all()
        np.testing.assert_array_equal(got[~at], want[~at])
    assert (getattr(region, name).vjp(odd, 0 * bar)[at] == 0).all()  # what a loss leaves out spoils nothing
    if name == "gauge":
        return
    stays = getattr(region, name)(odd, bad="origin")
    place = region.decode(np.zeros(region.n + 1, dtype)) if name != "encode" else 0
    assert (stays[at] == place).all()
    np.testing.assert_array_equal(stays[~at], good[~at])
    assert (getattr(region, name).vjp(odd, bar, bad="origin")[at] == 0).all()
    assert (getattr(region, name).jvp(odd, x, bad="origin")[at] == 0).all()


def test_d19_projections_and_choices():
    disc = hcr.Region("var y[2]\nnorm(y - 1) <= 2")
    points = [[np.nan, 1], [9, 1], [np.inf, 0]]
    assert np.isnan(disc.project(points)).all(1).tolist() == [True, False, True]
    np.testing.assert_array_equal(disc.project(points, bad="origin")[::2], [disc.origin] * 2)
    for call in (disc.contract, disc.project):
        with pytest.raises(hcr.InvalidError, match="'nan' or 'origin'"):
            call(points, bad="zero")


@pytest.mark.parametrize("name", MAPS)
def test_d07_forward_derivatives(region, name, random):
    """Against central differences, as above, and as the transpose of vjp, to rounding."""
    x = random.standard_normal((20, region.n + (name == "decode"))) * 2
    if name == "decode":
        x[:, -1] = random.uniform(0.1, 0.9, 20)
    if name == "encode":
        x = region.sample(20, 3)
    function, dot, step = getattr(region, name), random.standard_normal(x.shape), 1e-6
    got = getattr(region, name).jvp(x, dot)
    assert got.dtype == np.float64 and getattr(region, name).jvp(x.astype(np.float32), dot).dtype == np.float32
    want = (function(x + step * dot) - function(x - step * dot)) / (2 * step)
    off = np.abs(got - want).reshape(20, -1).max(1) > 1e-5 * (1 + np.abs(want).reshape(20, -1).max(1))
    assert off.mean() <= 0.15  # a tie may be near
    bar = random.standard_normal(got.shape)
    forward, backward = (bar * got).reshape(20, -1).sum(1), (getattr(region, name).vjp(x, bar) * dot).sum(1)
    np.testing.assert_allclose(forward, backward, rtol=1e-10, atol=1e-10)


def test_d07_the_disc():
    disc = hcr.Region("var y[2]\nnorm(y) <= 1")
    want = np.array([[1, -3], [-3, 9]]) / (10 * np.sqrt(10))
    np.testing.assert_allclose(disc.contract.jvp([3.0, 1.0], np.eye(2)[0]), want[0], atol=1e-12)
    np.testing.assert_allclose(disc.contract.jvp([[3.0, 1.0]] * 2, np.eye(2)), want, atol=1e-12)
    with pytest.raises(hcr.InvalidError, match=r"dot has the shape \(3,\): it must have \(2,\)"):
        disc.contract.jvp([3.0, 1.0], [1.0, 0, 0])
    with pytest.raises(hcr.InvalidError, match="no parameters"):
        disc.contract.jvp([3.0, 1.0], [1.0, 0.0], x_dot=[1.0])


def test_d44_derivatives_at_tiny_directions():
    box = hcr.Region("var y[3]\n-1e6 <= y <= 1e6")
    for dtype, tiny in (("float32", 1e-33), ("float32", 1e-45), ("float64", 1e-320), ("float64", 5e-324)):
        polar = np.array([[tiny, 0, 0, 1], [0, -tiny, tiny, 0.5]], dtype)
        assert np.isfinite(box.decode.vjp(polar, np.ones((2, 3)))).all()
        assert np.isfinite(box.decode.jvp(polar, np.ones((2, 4)))).all()
