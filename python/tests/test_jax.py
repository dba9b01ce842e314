"""The maps in JAX."""

from __future__ import annotations

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
@pytest.mark.filterwarnings("ignore")
def test_functions_are_the_library_s(region, name, wide, random):
    dtypes = ("float32", "float64") if wide else ("float32",)
    for dtype in dtypes:
        x = inputs(region, name, random).astype(dtype)
        got = jax.jit(FUNCTIONS[name], static_argnums=1)(jnp.asarray(x), region)
        want = getattr(region, name)(x)
        assert got.dtype == dtype and got.shape == want.shape
        unit = float(np.finfo(dtype).eps)
        np.testing.assert_allclose(
            got, want, rtol=2e3 * unit, atol=100 * region.margin[dtype == "float32"] + 1e3 * unit
        )
        if name not in ("gauge", "encode") and (wide or region.equalities == 0):
            assert region.check(np.asarray(got)).all()


@pytest.mark.parametrize("name", KINDS)
def test_derivatives_are_the_library_s(region, name, random):
    jax.config.update("jax_enable_x64", True)
    try:
        x = inputs(region, name, random, 20, odd=False)
        want, back = jax.vjp(lambda v: FUNCTIONS[name](v, region), jnp.asarray(x))
        bar = random.standard_normal(want.shape)
        np.testing.assert_allclose(back(jnp.asarray(bar))[0], region.vjp(name, x, bar), rtol=1e-7, atol=1e-7)
        mapped = jax.vmap(lambda v: FUNCTIONS[name](v, region))(jnp.asarray(x))
        np.testing.assert_allclose(mapped, want, rtol=1e-10, atol=1e-13)
        jacobian = jax.jit(jax.vmap(jax.jacrev(lambda v: FUNCTIONS[name](v, region))))(jnp.asarray(x))
        assert np.isfinite(jacobian).all()
    finally:
        jax.config.update("jax_enable_x64", False)


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
    assert hcr.jax.contract(jnp.zeros((2, 3), jnp.bfloat16), make("ball")).dtype == jnp.float32
