"""Regions whose constraints change with the input: every way to them takes the parameters."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from conftest import inputs, make_moving, parameters

import hcr

KINDS = ("gauge", "encode", "decode", "contract", "soften")


def test_what_they_are():
    region = make_moving("budget")
    assert (region.n, region.p) == (3, 4)
    names, low, high = region.parameters
    assert names == ("budget", "cap[0]", "cap[1]", "cap[2]")
    assert low.tolist() == [1, 0.5, 0.5, 0.5] and high.tolist() == [9, 4, 4, 4]
    assert not low.flags.writeable
    assert "for budget, cap[3]" in repr(region)
    assert hcr.Region("var y[2]\n0 <= y <= 1").parameters.names == ()


@pytest.mark.parametrize("map_", KINDS)
def test_maps_are_those_of_each_sample_s_region(moving, map_, random):
    x, v = parameters(moving, random, 30), inputs(moving, map_, random, 30)
    got = getattr(moving, map_)(v, x)
    for i in range(len(v)):
        # Margins differ: that of the whole range, and that of the one sample.
        np.testing.assert_allclose(got[i], getattr(moving.at(x[i]), map_)(v[i]), rtol=1e-9, atol=1e-9)


def test_results_are_exactly_inside(moving, random):
    for dtype in ("float64", "float32"):
        x = parameters(moving, random, 500).astype(dtype)
        for map_ in ("decode", "contract", "soften"):
            y, outcome = getattr(moving, map_)(inputs(moving, map_, random, 500).astype(dtype), x, outcomes=True)
            assert y.dtype == dtype and set(outcome) <= {hcr.Outcome.INSIDE, hcr.Outcome.FRONTIER}
            assert moving.check(y, x).all()
    assert (moving.violation(y, x)[0] <= 1e-6).all()
    tolerance = [moving.equality_tolerance(y[i], x[i], single=True) for i in range(500)]
    assert (moving.residual(y, x) <= np.max(tolerance, axis=1, initial=0)).all()


def test_feasible_by_a_formula_of_its_own(random):
    region = make_moving("budget")
    x = parameters(region, random, 200)
    y = region.contract(9 * random.standard_normal((200, 3)), x)
    assert (y >= 0).all() and (y <= x[:, 1:]).all() and (y.sum(1) <= x[:, 0] * (1 + 1e-15)).all()


def test_one_row_serves_all(moving, random):
    x, v = parameters(moving, random), inputs(moving, "contract", random, 2, 4)
    many = moving.contract(v, np.broadcast_to(x, (2, 4, moving.p)))
    np.testing.assert_array_equal(moving.contract(v, x), many)
    np.testing.assert_array_equal(moving.contract(v, x[None, None]), many)
    assert moving.contract(v[0, 0], np.stack([x, x])).shape == (2, moving.n)
    assert moving.contract(np.empty((0, moving.n)), x).shape == (0, moving.n)
    by_v, by_x = moving.contract.vjp(v, np.ones_like(v), x)
    assert by_v.shape == v.shape and by_x.shape == x.shape
    rows = moving.contract.vjp(v, np.ones_like(v), np.broadcast_to(x, (2, 4, moving.p)))[1]
    np.testing.assert_allclose(by_x, rows.sum((0, 1)))


def test_types(random):
    region = make_moving("rows")
    x, v = parameters(region, random, 4), inputs(region, "contract", random, 4)
    assert region.contract(v.astype("float32"), x.astype("float32")).dtype == np.float32
    assert region.contract(v.astype("float32"), x).dtype == np.float64
    assert region.contract(v, x.astype("float32")).dtype == np.float64
    assert region.contract(v, [0, 1]).dtype == np.float64


@pytest.mark.parametrize("map_", KINDS)
def test_derivatives_by_differences(moving, map_, random):
    x, v = parameters(moving, random, 20), inputs(moving, map_, random, 20)
    _, low, high = moving.parameters
    x = np.clip(x, low + 1e-3, high - 1e-3)
    function = getattr(moving, map_)
    y = function(v, x)
    bar = random.standard_normal(y.shape)
    _, by_x = getattr(moving, map_).vjp(v, bar, x)
    for k in range(moving.p):
        step = 1e-6 * np.eye(moving.p)[k]
        change = (function(v, x + step) - function(v, x - step)) * bar
        want = (change if map_ == "gauge" else change.sum(-1)) / 2e-6
        # Where the active constraint changes within the step, neither is right: those are few.
        close = np.isclose(by_x[:, k], want, rtol=1e-4, atol=1e-5)
        assert close.sum() >= 19


@pytest.mark.parametrize("map_", KINDS)
def test_d07_forward_derivatives(moving, map_, random):
    """The transpose of vjp, which is held against differences above, to rounding; one row of parameters serves all."""
    x, v = parameters(moving, random, 20), inputs(moving, map_, random, 20)
    dot, x_dot = random.standard_normal(v.shape), random.standard_normal(x.shape)
    got = getattr(moving, map_).jvp(v, dot, x, x_dot)
    bar = random.standard_normal(got.shape)
    by_v, by_x = getattr(moving, map_).vjp(v, bar, x)
    forward, backward = (bar * got).reshape(20, -1).sum(1), (by_v * dot).sum(1) + (by_x * x_dot).sum(1)
    np.testing.assert_allclose(forward, backward, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        got, getattr(moving, map_).jvp(v, dot, x) + getattr(moving, map_).jvp(v, 0 * dot, x, x_dot), atol=1e-9
    )
    np.testing.assert_array_equal(
        getattr(moving, map_).jvp(v, dot, x[0], x_dot[0]),
        getattr(moving, map_).jvp(v, dot, np.broadcast_to(x[0], x.shape), np.broadcast_to(x_dot[0], x.shape)),
    )


def test_c57_rows_out_of_range_are_told(moving, random):
    """The other rows go on."""
    x, v = parameters(moving, random, 5), inputs(moving, "contract", random, 5)
    x[1, 0] = moving.parameters.upper[0] + 1
    x[3, -1] = np.nan
    y, outcome = moving.contract(v, x, outcomes=True)
    assert np.isnan(y[[1, 3]]).all() and np.isfinite(y[[0, 2, 4]]).all()
    assert [hcr.Outcome(o).name for o in outcome[[1, 3]]] == ["OUT_OF_RANGE"] * 2
    np.testing.assert_array_equal(y[[0, 2, 4]], moving.contract(v[[0, 2, 4]], x[[0, 2, 4]]))
    assert moving.check(moving.origin[None], x[[1, 3]]).tolist() == [False, False]
    by_v, by_x = moving.contract.vjp(v, np.ones_like(v), x)
    assert np.isnan(by_v[[1, 3]]).all() and np.isnan(by_x[[1, 3]]).all() and np.isfinite(by_x[[0, 2, 4]]).all()
    left_out = np.ones_like(v)
    left_out[[1, 3]] = 0
    by_v, by_x = moving.contract.vjp(v, left_out, x)
    assert not by_v[[1, 3]].any() and not by_x[[1, 3]].any() and np.isfinite(by_x).all()
    assert np.isnan(moving.contract.jvp(v, v, x)).any(1).tolist() == [False, True, False, True, False]
    with pytest.raises(hcr.InvalidError) as caught:
        moving.at(x[1])
    assert caught.value.code == "origin"


def test_what_is_wrong_is_told_by_name(moving):
    v = np.zeros(moving.n)
    with pytest.raises(hcr.InvalidError, match=rf"parameters {moving.parameters.names[0]}".replace("[", r"\[")):
        moving.contract(v)
    with pytest.raises(hcr.InvalidError, match=f"must have {moving.p} entries"):
        moving.contract(v, np.zeros(moving.p + 1))
    with pytest.raises(hcr.InvalidError, match="as many rows"):
        moving.contract(np.zeros((2, moving.n)), np.zeros((3, moving.p)))
    with pytest.raises(hcr.InvalidError, match="leave x out"):
        hcr.Region("var y\n0 <= y <= 1").contract([1.0], [2.0])


def test_data_frames_give_parameters_by_name(random):
    pandas = pytest.importorskip("pandas")
    region = make_moving("budget")
    x, v = parameters(region, random, 3), inputs(region, "contract", random, 3)
    frame = pandas.DataFrame(x[:, ::-1], columns=region.parameters.names[::-1])
    np.testing.assert_array_equal(region.contract(v, frame), region.contract(v, x))
    with pytest.raises(hcr.InvalidError, match="no column 'cap\\[1\\]'"):
        region.contract(v, frame.drop(columns="cap[1]"))


def test_projection(moving, random):
    x, points = parameters(moving, random, 10), inputs(moving, "contract", random, 10)
    y, outcome = moving.project(points, x, outcomes=True)
    assert moving.check(y, x).all() and hcr.Outcome.MOVED in outcome
    for i in range(10):
        alone = moving.at(x[i]).project(points[i])
        np.testing.assert_allclose(np.linalg.norm(y[i] - points[i]), np.linalg.norm(alone - points[i]), rtol=1e-6)
    x[0] = np.nan
    y, outcome = moving.project(points, x, outcomes=True)
    assert np.isnan(y[0]).all() and outcome[0] == hcr.Outcome.OUT_OF_RANGE


def test_origins(moving, random):
    x = parameters(moving, random, 5)
    assert moving.origin_form in ("affine", "fixed", "checked")
    middle = (moving.parameters.lower + moving.parameters.upper) / 2
    np.testing.assert_allclose(moving.origin_at(middle), moving.origin, atol=1e-12)
    for i in range(5):
        np.testing.assert_allclose(moving.at(x[i]).origin, moving.origin_at(x[i]), atol=1e-12)
        assert moving.check(moving.origin_at(x[i]), x[i])


def test_copies(moving, random, tmp_path):
    x, v = parameters(moving, random, 5), inputs(moving, "contract", random, 5)
    want = moving.contract(v, x)
    moving.save(tmp_path / "region")
    for again in (pickle.loads(pickle.dumps(moving)), copy.deepcopy(moving), hcr.Region.load(tmp_path / "region")):
        assert again == moving and again.parameters.names == moving.parameters.names
        np.testing.assert_array_equal(again.contract(v, x), want)


def test_samples(moving, random):
    x = parameters(moving, random, 50)
    assert moving.check(moving.sample(50, 1, x), x).all()
    assert moving.check(moving.sample(50, 1, x[0]), x[0]).all()


def test_text():
    region = hcr.Region("param cap in [1, 5]\nvar y[2]\n0 <= y <= cap\nsum(y) <= 6")
    assert region.parameters.names == ("cap",)
    np.testing.assert_allclose(region.contract([9.0, 9.0], [[1.0], [5.0]]), [[1, 1], [3, 3]], rtol=1e-3)
    assert region.contract([9.0, 9.0], [5.0]).sum() == pytest.approx(6, rel=1e-12)


def test_curved_kinds(random):
    """A ball whose radius and centre come with the sample."""
    region = hcr.Region("param c[2] in [-1, 1]\nparam r in [0.5, 2]\nvar y[2]\nnorm(y - c) <= r")
    x = parameters(region, random, 300)
    v = random.standard_normal((300, 2))
    y = region.contract(9 * v / np.linalg.norm(v, axis=1, keepdims=True), x)
    assert region.check(y, x).all()
    np.testing.assert_allclose(np.linalg.norm(y - x[:, :2], axis=1), x[:, 2], rtol=1e-9)


def test_products_with_parameters(random):
    """price·y <= 1, where the prices come with the sample."""
    builder = hcr.Builder()
    builder.add_variable("y", 2)
    builder.add_parameter("price", 0.5, 2.0, 2)
    builder.add_bounds(0, 5)
    builder.add_varying_rows(np.zeros((1, 2)), np.eye(2)[None], upper=1.0)
    region = builder.finish()
    x = parameters(region, random, 100)
    y = region.contract(9 * np.abs(random.standard_normal((100, 2))), x)
    assert region.check(y, x).all() and ((x * y).sum(1) <= 1 + 1e-12).all() and ((x * y).sum(1) > 0.99).all()
    assert {c.kind for c in region.constraints} >= {"varying"}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_d14_rows_whose_coefficients_are_all_zero(dtype):
    """a @ u <= b with a = 0: the whole box where b >= 0, and nothing where b < 0."""
    text = """
        var u[2]
        param a[2] in [-1, 2], b in [-1, 3]
        -1 <= u <= 1
        a @ u <= b
    """
    region = hcr.Region(text)
    x = np.array([[0, 0, 0], [-0.0, 0, 0], [0, 0, 2], [0, 0, -0.5]], dtype)
    v = np.tile(np.array([[3, -2]], dtype), (4, 1))
    box = hcr.Region("var u[2]\n-1 <= u <= 1\norigin = O", O=region.origin_at(x[0])).contract(v[0])
    for map_, wanted in (("contract", box), ("project", [1, -1])):
        y, outcome = getattr(region, map_)(v, x, outcomes=True)
        np.testing.assert_allclose(y[:2], [wanted, wanted], rtol=1e-6 if dtype == "float32" else 1e-9)
        assert np.isfinite(y[:3]).all() and np.isnan(y[3]).all() and outcome[3] != outcome[2]
        assert region.check(y.astype(dtype), x).tolist() == [True, True, True, False]
    assert region.at(x[0]).contract(v[0]) == pytest.approx(box, rel=1e-6)
    for map_ in KINDS:
        values = np.concatenate([v, np.full((4, 1), 0.5, dtype)], 1) if map_ == "decode" else v
        result = getattr(region, map_)(values, x)
        for gradient in getattr(region, map_).vjp(values, np.ones_like(result), x):
            assert np.isfinite(gradient[:3]).all()


def test_d14_coefficients_that_cancel():
    """(share − 0.3) y0 <= cap says nothing at share = 0.3."""
    region = hcr.Region("""
        var y[2]
        param share in [0.2, 0.9], cap in [-0.1, 3]
        -1 <= y <= 1
        (share - 0.3) * y[0] <= cap
    """)
    y, outcome = region.contract([[3.0, -2.0]] * 2, [[0.3, 0.0], [0.3, -0.05]], outcomes=True)
    assert outcome.tolist() != [hcr.Outcome.NO_ORIGIN] * 2 and outcome[1] == hcr.Outcome.NO_ORIGIN
    assert region.check(y, [[0.3, 0.0], [0.3, -0.05]]).tolist() == [True, False]
