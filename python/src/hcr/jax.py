"""The maps in JAX, under `jit`, `grad` and `vmap`, on any device.

On the CPU the C kernels run, called by XLA itself. On other devices jnp's own operations do, for boxes, rows,
quadratics and cones: in float64 where ``jax_enable_x64`` is set, else in float32 with a margin wide enough for it, so
that results are exactly inside either way (without float64, equalities hold to the rounding of float32 only). Regions
with other kinds call the C library on the host there.

The C kernels have first derivatives, in reverse mode. With ``formulas=True`` jnp computes on the CPU as well: forward
mode, and derivatives of any order.

A region is a plain hashable object: close over it, or make it a static argument.
"""

from __future__ import annotations

import functools
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import _formulas, _xla
from ._arrays import Array as NumPyArray
from .errors import make
from .region import Region, needs_region

__all__ = ["contract", "decode", "encode", "gauge", "know", "soften"]


class _Jax:
    """The formulas' arrays in JAX. Constants stay NumPy's, so that no trace is left in them."""

    def __init__(self, precision: _formulas.Precision) -> None:
        self.precision = precision

    def constant(self, value: NumPyArray) -> Any:
        return np.asarray(value, self.precision.arithmetic)

    def result_constant(self, value: NumPyArray) -> Any:
        return np.asarray(value, self.precision.result)

    def to_result(self, x: Any) -> Any:
        return x.astype(self.precision.result)

    def from_result(self, x: Any) -> Any:
        return x.astype(self.precision.arithmetic)

    def matmul(self, a: Any, b: Any) -> Any:
        return jnp.matmul(a, b, precision="highest")

    def quadratic_forms(self, x: Any, matrices: Any) -> Any:
        return jnp.einsum("...i,kij,...j->...k", x, matrices, x, precision="highest")

    def gather(self, x: Any, columns: NumPyArray) -> Any:
        return x[..., columns]

    def sum_last(self, x: Any) -> Any:
        return jnp.sum(x, -1, keepdims=True)

    def max_last(self, x: Any) -> Any:
        return jnp.take_along_axis(x, jnp.argmax(x, -1, keepdims=True), -1)

    def concatenate(self, parts: list[Any]) -> Any:
        return jnp.concatenate(parts, -1)

    def head(self, x: Any, count: int) -> Any:
        return x[..., :count]

    def tail(self, x: Any, start: int) -> Any:
        return x[..., start:]

    def maximum(self, a: Any, b: Any) -> Any:
        return jnp.maximum(a, b)

    def minimum(self, a: Any, b: Any) -> Any:
        return jnp.minimum(a, b)

    def where(self, condition: Any, a: Any, b: Any) -> Any:
        return jnp.where(condition, a, b)

    def abs(self, x: Any) -> Any:
        return jnp.abs(x)

    def sqrt(self, x: Any) -> Any:
        return jnp.sqrt(x)

    def without_derivative(self, x: Any) -> Any:
        return jax.lax.stop_gradient(x)


def _maps(region: Region, result: str) -> _formulas.Maps:
    arithmetic = "float64" if jax.config.jax_enable_x64 else "float32"  # type: ignore[attr-defined]
    precision = _formulas.Precision(arithmetic, result)
    found: _formulas.Maps = region._once(
        f"jax {precision}", lambda: _formulas.Maps(region._parts(), _Jax(precision), precision, "computing by jnp")
    )
    return found


def _by_formulas(name: str, region: Region, values: jax.Array, x: jax.Array) -> jax.Array:
    maps = _maps(region, str(values.dtype))
    precision = maps.arrays.precision  # type: ignore[attr-defined]
    known = (x.astype(precision.arithmetic),) if region.p else ()
    result: jax.Array = getattr(maps, name)(values.astype(precision.arithmetic), *known)
    return (result[..., 0] if name == "gauge" else result).astype(values.dtype)


# ------------------------------------------------------------------------------- where neither XLA nor jnp serves


def _on_host(name: str, region: Region, values: jax.Array, x: jax.Array) -> jax.Array:
    """A map by the C library, called from Python."""
    if _xla.is_plain(region) and _xla.refusal():
        warnings.warn(f"hcr.jax calls the C library by way of Python, slowly: {_xla.refusal()}", stacklevel=2)
    run, like = functools.partial(_run, name, region), _xla.types(_xla.result_of(name, region, values))
    return _varying(values, jax.pure_callback(run, like[0], values, x, vmap_method="broadcast_all"))


def _differentiate_on_host(name: str, region: Region, values: jax.Array, x: jax.Array, bar: jax.Array) -> list[Any]:
    run, like = functools.partial(_run_vjp, name, region), tuple(_xla.types(values, x))
    by_values, by_x = jax.pure_callback(run, like, values, x, bar, vmap_method="broadcast_all")
    return [_varying(values, by_values), _varying(values, by_x) if region.p else jnp.zeros_like(x)]


def _varying(values: jax.Array, result: Any) -> jax.Array:
    """The result, but in jax.shard_map it varies as the values do: callbacks lose that."""
    choice = _xla.shaped(values, 0, np.bool_)
    return jnp.where(choice[..., None] if result.ndim == values.ndim else choice, result, result)


def _run(name: str, region: Region, values: Any, x: Any) -> Any:
    return getattr(region, name)(np.asarray(values), np.asarray(x) if region.p else None)


def _run_vjp(name: str, region: Region, values: Any, x: Any, bar: Any) -> Any:
    x = np.asarray(x)
    found = region.vjp(name, np.asarray(values), np.asarray(bar), x if region.p else None)
    return found if region.p else (found, x)


# --------------------------------------------------------------------------------------------------- the functions


def _compute(name: str, region: Region, keeping: bool, values: jax.Array, x: jax.Array) -> list[jax.Array]:
    """A map's result and, when `keeping`, what its derivative by the C kernels needs; x has as many rows as the values,
    and no columns without parameters."""

    def elsewhere(values: jax.Array, x: jax.Array) -> list[jax.Array]:
        result = (_by_formulas if region._parts().served else _on_host)(name, region, values, x)
        return [result, *([_xla.rays(values)] if keeping else [])]

    if not _xla.serves(region):
        return elsewhere(values, x)
    on_cpu = functools.partial(_xla.compute, name, region, keeping)
    return jax.lax.platform_dependent(values, x, cpu=on_cpu, default=elsewhere)  # type: ignore[no-any-return]


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _map(name: str, region: Region, values: jax.Array, x: jax.Array) -> jax.Array:
    return _compute(name, region, False, values, x)[0]


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _map_and_rays(name: str, region: Region, values: jax.Array, x: jax.Array) -> list[jax.Array]:
    return _compute(name, region, True, values, x)


def _forward(name: str, region: Region, values: jax.Array, x: jax.Array) -> tuple[jax.Array, Any]:
    result, rays = _map_and_rays(name, region, values, x)
    return result, (values, x, rays)


def _backward(name: str, region: Region, kept: tuple[jax.Array, jax.Array, jax.Array], bar: jax.Array) -> Any:
    return _vjp(name, region, *kept, bar)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _vjp(name: str, region: Region, values: jax.Array, x: jax.Array, rays: jax.Array, bar: jax.Array) -> Any:
    """The gradients by the values and by x."""

    def elsewhere(values: jax.Array, x: jax.Array, rays: jax.Array, bar: jax.Array) -> list[jax.Array]:
        if not region._parts().served:
            return _differentiate_on_host(name, region, values, x, bar)
        return list(jax.vjp(functools.partial(_by_formulas, name, region), values, x)[1](bar))

    if not _xla.serves(region):
        return tuple(elsewhere(values, x, rays, bar))
    on_cpu = functools.partial(_xla.differentiate, name, region)
    return tuple(jax.lax.platform_dependent(values, x, rays, bar, cpu=on_cpu, default=elsewhere))


def _only_once(*_: Any) -> Any:
    raise make("unsupported", "the C kernels have first derivatives only: for second ones, give formulas=True")


_map.defvjp(_forward, _backward)
_map_and_rays.defvjp(_only_once, _only_once)
_vjp.defvjp(_only_once, _only_once)


def _checked(values: jax.typing.ArrayLike, width: int, what: str) -> jax.Array:
    array = jnp.asarray(values)
    if not jnp.issubdtype(array.dtype, jnp.floating):
        raise TypeError(f"{what} of an array of {array.dtype}: it must be float32 or float64")
    if array.dtype.itemsize < 4:
        array = array.astype(jnp.float32)
    if array.ndim == 0 or array.shape[-1] != width:
        raise make("shape", f"{what} of an array of shape {array.shape}: its last axis must have {width} entries")
    return array


def _checked_map(name: str, region: Region, formulas: bool, values: Any, x: Any) -> jax.Array:
    array = _checked(values, region.n + (name == "decode"), name)
    if x is None or region.p == 0:
        region._given(x)  # says what is wrong
        x = array[..., :0]
    else:
        x = _checked(x, region.p, "parameters")
    dtype = jnp.promote_types(array.dtype, x.dtype)
    shape = jnp.broadcast_shapes(array.shape[:-1], x.shape[:-1])
    array, x = (jnp.broadcast_to(a.astype(dtype), (*shape, a.shape[-1])) for a in (array, x))
    return (_by_formulas if formulas else _map)(name, region, array, x)


_jitted = jax.jit(_checked_map, static_argnums=(0, 1, 2))


def _apply(
    name: str,
    values: jax.typing.ArrayLike,
    region: Region,
    x: jax.typing.ArrayLike | None,
    formulas: bool,
) -> jax.Array:
    needs_region(region, f"hcr.jax.{name}")
    run = _jitted if _xla.is_plain(region) else _checked_map
    return run(name, region, formulas, _array(values), None if x is None else _array(x))


def _array(values: jax.typing.ArrayLike) -> Any:
    return values if isinstance(values, (jax.Array, np.ndarray)) else jnp.asarray(values)


def gauge(
    v: jax.typing.ArrayLike, region: Region, x: jax.typing.ArrayLike | None = None, *, formulas: bool = False
) -> jax.Array:
    """How far along each direction the frontier is: origin + v is inside where this is at most 1.

    Args:
        v: (…, n), measured from the origin; half types become float32.
        region: the region.
        x: (…, p), its parameters, when it has such: a row a sample, or one for all.
        formulas: compute by jnp on the CPU, too.

    Returns:
        (…): 0 where nothing stops v, NaN for bad values.
    """
    return _apply("gauge", v, region, x, formulas)


def encode(
    y: jax.typing.ArrayLike, region: Region, x: jax.typing.ArrayLike | None = None, *, formulas: bool = False
) -> jax.Array:
    """Points (…, n) as unit directions from the origin and radii, (…, n + 1); the radius is more than 1 outside."""
    return _apply("encode", y, region, x, formulas)


def decode(
    polar: jax.typing.ArrayLike, region: Region, x: jax.typing.ArrayLike | None = None, *, formulas: bool = False
) -> jax.Array:
    """Points (…, n) of the region from directions and radii (…, n + 1): origin + r d/gauge(d), r cut to [0, 1]."""
    return _apply("decode", polar, region, x, formulas)


def contract(
    v: jax.typing.ArrayLike, region: Region, x: jax.typing.ArrayLike | None = None, *, formulas: bool = False
) -> jax.Array:
    """origin + v where that is in the region, else where the ray along v leaves it.

    Args:
        v: (…, n), measured from the origin.
        region: the region.
        x: (…, p), its parameters, when it has such: a row a sample, or one for all.
        formulas: compute by jnp on the CPU, too; for boxes, rows, quadratics, cones and equalities.

    Returns:
        (…, n), each row exactly inside; the origin for bad values.

    >>> import hcr, hcr.jax, jax
    >>> disc = hcr.Region("var y[2]\\nnorm(y) <= 1")
    >>> jax.jit(lambda v: hcr.jax.contract(v, disc))(jax.numpy.array([3.0, 4.0])).round(3).tolist()
    [0.6000000238418579, 0.800000011920929]
    """
    return _apply("contract", v, region, x, formulas)


def soften(
    v: jax.typing.ArrayLike, region: Region, x: jax.typing.ArrayLike | None = None, *, formulas: bool = False
) -> jax.Array:
    """origin + v/(1 + gauge(v)), one-to-one onto the interior: (…, n) to (…, n), each row exactly inside."""
    return _apply("soften", v, region, x, formulas)


def know(region: Region) -> None:
    """Makes a region known to programs that other processes have exported (jax.export) for the CPU: these name it by
    its digest. It is kept for good.

    Raises:
        hcr.Error: ``unsupported``, when JAX can't call the library: it tells why.
    """
    if not _xla.serves(region):
        reason = _xla.refusal() or "it has functions in Python, or counts its searches"
        raise make("unsupported", f"programs can't name this region: {reason}")
    _xla.name(region)
