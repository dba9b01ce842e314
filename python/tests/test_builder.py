"""Regions made by calls, and how they search."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import make

import hcr


def made(*steps, n=3) -> hcr.Region:
    builder = hcr.Builder({"y": n})
    for step in steps:
        step(builder)
    return builder.finish()


def same(one: hcr.Region, other: hcr.Region, random: np.random.Generator) -> None:
    v = 5 * random.standard_normal((50, one.n))
    np.testing.assert_allclose(one.contract(v) - one.origin, other.contract(v) - other.origin, rtol=1e-9, atol=1e-9)


def test_quadratics_are_those_of_the_text(random):
    ball = hcr.Region("var y[3]\nnorm(y - 0.3) <= 2")
    same(made(lambda b: b.add_quadratic(np.ones(3), shift=0.3 * np.ones(3), radius=2)), ball, random)
    same(made(lambda b: b.add_quadratic(np.eye(3), shift=0.3 * np.ones(3), radius=2)), ball, random)
    same(made(lambda b: b.add_quadratic(factor=np.eye(3), shift=0.3, radius=2)), ball, random)
    tilted = hcr.Region("var y[3]\nsum_squares(y) / 2 + y[0] <= 3")
    same(made(lambda b: b.add_quadratic(np.ones(3), linear=[1, 0, 0], constant=-3)), tilted, random)
    with pytest.raises(hcr.InvalidError) as caught:
        made(lambda b: b.add_quadratic([1.0, -1.0, 1.0], radius=1))
    assert caught.value.code == "convexity"
    with pytest.raises(hcr.InvalidError, match="matrix or a factor"):
        made(lambda b: b.add_quadratic(radius=1))


def test_cones_and_matrix_inequalities_are_those_of_the_text(random):
    cone = hcr.Region("var y[3]\nnorm(y[1:]) <= y[0] + 2\n-3 <= y <= 3")
    M = np.eye(3)[1:]
    same(made(lambda b: b.add_cone(M, [1, 0, 0], 2.0), lambda b: b.add_bounds(-3, 3)), cone, random)
    lmi = hcr.Region("var y[2]\npsd([[1 + y[0], y[1]], [y[1], 1 - y[0]]])")
    matrices = {0: [[1, 0], [0, -1]], 1: [[0, 1], [1, 0]]}
    same(made(lambda b: b.add_lmi(np.eye(2), matrices), n=2), lmi, random)
    with pytest.raises(hcr.InvalidError, match="shapes"):
        made(lambda b: b.add_lmi(np.eye(2), {0: np.eye(3)}), n=2)


def test_rows_and_equalities(random):
    text = hcr.Region("var y[3]\nsum(y) == 1\n0 <= y <= 1\ny[0] + y[1] <= 0.9")
    calls = made(
        lambda b: b.add_bounds(0, 1),
        lambda b: b.add_rows([[1, 1, 0]], upper=0.9),
        lambda b: b.add_equalities(np.ones((1, 3)), 1.0),
    )
    same(calls, text, random)


def test_sources_are_shown():
    builder = hcr.Builder({"y": 2})
    builder.source("my box")
    builder.add_bounds(-1, 1)
    assert {constraint.text for constraint in builder.finish().constraints} == {"my box"}
    assert (builder.n, builder.columns) == (2, 2)


@pytest.mark.parametrize("root", ["newton", "halley", "brent"])
def test_callbacks(root, random):
    builder = hcr.Builder({"y": 3})
    builder.set_root_method(root)
    builder.add_callback(lambda y: float(y @ y) - 4, lambda y: 2 * y)
    builder.add_bounds(-9, 9)
    region, ball = builder.finish(), hcr.Region("var y[3]\nnorm(y) <= 2")
    v = 5 * random.standard_normal((100, 3))
    np.testing.assert_allclose(region.contract(v), ball.contract(v + region.origin), atol=1e-5)
    assert (np.linalg.norm(region.contract(v), axis=1) <= 2 + 1e-12).all()
    with pytest.raises(hcr.UnsupportedError, match="callback"):
        region.to_bytes()


def test_what_a_callback_raises_is_raised():
    class Fault(Exception):
        pass

    armed = []

    def value(y):
        if armed:
            raise Fault
        return float(y @ y) - 4

    builder = hcr.Builder({"y": 2})
    builder.add_callback(value, lambda y: 2 * y)
    builder.add_bounds(-9, 9)
    region = builder.finish()
    armed.append(True)
    with pytest.raises(Fault):
        region.contract([3.0, 3.0])
    armed.clear()
    assert np.isfinite(region.contract([3.0, 3.0])).all()


def test_unions_and_what_is_cut_out(random):
    builder = hcr.Builder({"y": 2})
    builder.add_bounds(-5, 5)
    with builder.cut_out():
        builder.add_quadratic([1.0, 1.0], shift=[3.0, 0.0], radius=1.0)
    builder.set_origin("given", [0.0, 0.0])
    region = builder.finish()
    assert not region.is_convex
    assert region.contract([5.0, 0.0]).round(6).tolist() == [2.0, 0.0]
    assert region.contract([-5.0, 0.0]).round(6).tolist() == [-5.0, 0.0]


def test_unknown_words_are_refused():
    for wrong in (lambda b: b.set_origin("middle"), lambda b: b.set_root_method("euler")):
        with pytest.raises(hcr.InvalidError, match="there is no"):
            made(wrong)


@pytest.mark.parametrize("method", ["full", "algorithm1", "pruned"])
def test_searches_give_the_same_bits(method, random):
    region = make("rows")
    other = region.searching(method)
    v = 3 * random.standard_normal((200, region.n))
    np.testing.assert_array_equal(other.contract(v), region.contract(v))
    assert other == region
    full = region.searching("full")
    full.contract(v)
    assert 0 < other.intersections() <= full.intersections()
    with pytest.raises(hcr.InvalidError, match="there is no search"):
        region.searching("guess")
