"""The maps in JAX."""

from __future__ import annotations

import functools
import os

import numpy as np
import pytest
from conftest import directions, make

import hcr

os.environ.setdefault("JAX_PLATFORMS", "cpu")
jax = pytest.importorskip("jax")

import jax.numpy as jnp

import hcr.jax

KINDS = ("gauge", "encode", "decode", "contract", "soften")
FUNCTIONS = {name: getattr(hcr.jax, name) for name in KINDS}


@pytest.fixture(params=[False, True], ids=["x32", "x64"])
def wide(request):
    jax.config.update("jax_enable_x64", request.param)
    yield request.param
    jax.config.update("jax_enable_x64", False)


def inputs(region, name, random, count=200, odd=True):
    x = directions(random, count, region.n) if odd else 2 * random.standard_normal((count, region.n))
    if name == "encode":
        x = region.sample(count, 1)
    if name == "decode":
        x = np.concatenate([x, random.uniform(0.05, 0.95, (count, 1))], 1)
    return x


@pytest.mark.parametrize("name", KINDS)
def test_functions_are_the_library_s(region, name, wide, random):
    for dtype in ("float32", "float64") if wide else ("float32",):
        x = inputs(region, name, random).astype(dtype)
        got = jax.jit(FUNCTIONS[name], static_argnums=1)(jnp.asarray(x), region)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, getattr(region, name)(x))


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.filterwarnings("ignore")  # NaN from what isn't finite
def test_formulas_are_the_library(plain, name, wide, random):
    for dtype in ("float32", "float64") if wide else ("float32",):
        x = inputs(plain, name, random).astype(dtype)
        got = jax.jit(lambda v: FUNCTIONS[name](v, plain, formulas=True))(jnp.asarray(x))
        assert got.dtype == dtype
        unit = float(np.finfo(dtype).eps)
        np.testing.assert_allclose(
            got, getattr(plain, name)(x), rtol=2e3 * unit, atol=100 * plain.margin[dtype == "float32"] + 1e3 * unit
        )
        if name not in ("gauge", "encode") and (wide or plain.equalities == 0):
            assert plain.check(np.asarray(got)).tolist() == np.isfinite(x).all(1).tolist()


@pytest.mark.parametrize("name", KINDS)
def test_derivatives_are_the_library_s(region, name, random):
    with jax.enable_x64(True):
        x = inputs(region, name, random, 20, odd=False)
        want, back = jax.vjp(lambda v: FUNCTIONS[name](v, region), jnp.asarray(x))
        bar = random.standard_normal(want.shape)
        np.testing.assert_allclose(back(jnp.asarray(bar))[0], getattr(region, name).vjp(x, bar), rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(jax.vmap(lambda v: FUNCTIONS[name](v, region))(jnp.asarray(x)), want)
        jacobian = jax.jit(jax.vmap(jax.jacrev(lambda v: FUNCTIONS[name](v, region))))(jnp.asarray(x))
        each = [getattr(region, name).vjp(x, np.broadcast_to(bar, want.shape)) for bar in np.eye(want[0].size)]
        np.testing.assert_allclose(
            np.reshape(jacobian, (20, want[0].size, x.shape[1])), np.stack(each, 1), rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize("name", KINDS)
def test_derivatives_of_formulas(plain, name, random):
    with jax.enable_x64(True):
        x = inputs(plain, name, random, 20, odd=False)
        want, back = jax.vjp(lambda v: FUNCTIONS[name](v, plain, formulas=True), jnp.asarray(x))
        bar = random.standard_normal(want.shape)
        np.testing.assert_allclose(back(jnp.asarray(bar))[0], getattr(plain, name).vjp(x, bar), rtol=1e-7, atol=1e-7)
        dot = random.standard_normal(x.shape)
        pushed = jax.jvp(lambda v: FUNCTIONS[name](v, plain, formulas=True), (jnp.asarray(x),), (jnp.asarray(dot),))[1]
        np.testing.assert_allclose(pushed, getattr(plain, name).jvp(x, dot), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", KINDS)
def test_d07_forward_mode(region, name, random):
    """The library's derivatives, under jit and vmap, with both modes' matrices the same."""
    with jax.enable_x64(True):
        x, dot = (
            inputs(region, name, random, 20, odd=False),
            random.standard_normal((20, region.n + (name == "decode"))),
        )
        f = functools.partial(FUNCTIONS[name], region=region)
        want = getattr(region, name).jvp(x, dot)
        got = jax.jit(lambda v, d: jax.jvp(f, (v,), (d,))[1])(jnp.asarray(x), jnp.asarray(dot))
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)
        forward = jax.jit(jax.vmap(jax.jacfwd(f)))(jnp.asarray(x))
        reverse = jax.vmap(jax.jacrev(f))(jnp.asarray(x))
        np.testing.assert_allclose(forward, reverse, rtol=1e-9, atol=1e-9)
        linear = jax.linearize(f, jnp.asarray(x))[1]
        np.testing.assert_allclose(linear(jnp.asarray(dot)), want, rtol=1e-12, atol=1e-12)
    single = jax.jvp(f, (jnp.asarray(x, jnp.float32),), (jnp.asarray(dot, jnp.float32),))[1]
    np.testing.assert_allclose(
        single, getattr(region, name).jvp(x.astype("f4"), dot.astype("f4")), rtol=1e-5, atol=1e-5
    )


def test_d07_second_derivatives_are_refused():
    disc, v = hcr.Region("var y[2]\nnorm(y) <= 1"), jnp.array([3.0, 1.0])
    np.testing.assert_allclose(
        jax.jacfwd(lambda v: hcr.jax.contract(v, disc))(v), [[0.0316, -0.0949], [-0.0949, 0.2846]], atol=5e-5
    )
    for outer in (jax.jacfwd, jax.jacrev):
        for inner in (jax.jacfwd, jax.jacrev):
            with pytest.raises(hcr.UnsupportedError, match="formulas=True"):
                outer(inner(lambda v: hcr.jax.contract(v, disc).sum()))(v)
            hessian = outer(inner(lambda v: hcr.jax.contract(v, disc, formulas=True).sum()))(v)
            np.testing.assert_allclose(hessian, [[0.0253, -0.0126], [-0.0126, -0.1518]], atol=5e-5)


@pytest.mark.parametrize("name", ["ball", "expression"])
def test_d19_bad_values(name):
    """NaN in the result and in both derivatives; what a loss leaves out spoils nothing."""
    region = make(name)
    x = jnp.array([[3.0, 0, 0], [jnp.nan, 0, 0], [0.1, 0.2, 0.3], [0, -jnp.inf, 0]])
    at = np.array([1, 3])
    for formulas in (False, True) if name == "ball" else (False,):

        def f(v, bad="nan", formulas=formulas):
            return hcr.jax.contract(v, region, formulas=formulas, bad=bad)

        y, pushed = jax.jvp(f, (x,), (jnp.ones_like(x),))
        gradient = jax.grad(lambda v, f=f: f(v).sum())(x)
        masked = jax.grad(lambda v, f=f: jnp.nansum(f(v)))(x)
        for array in (y, pushed, gradient):
            assert np.isnan(array[at]).all() and np.isfinite(array[::2]).all()
        assert not masked[at].any() and np.isfinite(masked).all()
        stays = f(x, bad="origin")
        np.testing.assert_array_equal(stays[at], [region.contract(np.zeros(3, "f4"))] * 2)
        np.testing.assert_allclose(stays[::2], y[::2])
        assert not jax.grad(lambda v, f=f: f(v, bad="origin").sum())(x)[at].any()
    with pytest.raises(hcr.InvalidError, match="'nan' or 'origin'"):
        hcr.jax.contract(x, region, bad="zero")


def test_derivatives_of_higher_order():
    ball, v = make("ball"), jnp.array([3.0, 4.0, 0.5])
    hessian = jax.hessian(lambda v: hcr.jax.gauge(v, ball, formulas=True))(v)
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-6)
    # gauge(t v) = t gauge(v): its second derivative along v is 0
    np.testing.assert_allclose(hessian @ v, np.zeros(3), atol=1e-5)
    with pytest.raises(hcr.Error, match="formulas=True"):
        jax.grad(lambda v: jax.grad(lambda v: hcr.jax.gauge(v, ball))(v).sum())(v)
    with pytest.raises(hcr.Error, match="lmi"):
        hcr.jax.gauge(jnp.zeros(2), make("lmi"), formulas=True)


@pytest.mark.parametrize("name", ["gauge", "decode", "contract", "soften"])
def test_gradients_at_odd_inputs_are_finite(region, name, wide, random):
    x = jnp.asarray(inputs(region, name, random).astype("float32"))
    gradient = jax.grad(lambda v: jnp.nansum(FUNCTIONS[name](v, region)))(x)
    finite = np.isfinite(np.asarray(x)).all(1)
    assert np.isfinite(gradient)[finite].all()


def test_what_is_refused():
    with pytest.raises(TypeError, match="int32"):
        hcr.jax.contract(jnp.zeros((2, 3), jnp.int32), make("ball"))
    with pytest.raises(hcr.InvalidError, match=r"\(2, 4\).* 3 "):
        hcr.jax.contract(jnp.zeros((2, 4)), make("ball"))
    with pytest.raises(hcr.Error, match="no parameters"):
        hcr.jax.contract(jnp.zeros(3), make("ball"), jnp.zeros(1))
    assert hcr.jax.contract(jnp.zeros((2, 3), jnp.bfloat16), make("ball")).dtype == jnp.float32


def test_d34_formulas_are_exported_as_they_are(random):
    from jax import export

    region = make("rows")
    v = jnp.asarray(directions(random, 20, region.n, "float32")[7:])
    program = export.export(jax.jit(lambda v: hcr.jax.contract(v, region, formulas=True)))(v)
    loaded = export.deserialize(program.serialize())
    assert region.check(np.asarray(loaded.call(v))).all()
