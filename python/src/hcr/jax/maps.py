"""The maps as functions of jax arrays."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core
from jax.interpreters import ad, batching, mlir
from jax.typing import ArrayLike

from .. import _formulas, _rays, _xla
from .._arrays import mismatched, wrong_width
from .._maps import NEAREST, Bad, Map, MetricLike, Projection, map_of
from .._relaxation import OnEmpty, known_on_empty
from ..errors import make
from ..region import Region, needs_region


class _Jax(_formulas.NumPy):
    """The formulas' arrays in JAX. Constants stay NumPy's, so that no trace is left in them."""

    def quadratic_forms(self, x: Any, matrices: Any) -> Any:
        return jnp.einsum("...i,kij,...j->...k", x, matrices, x, precision="highest")

    def sum_last(self, x: Any) -> Any:
        return jnp.sum(x, -1, keepdims=True)

    def max_last(self, x: Any) -> Any:
        return jnp.take_along_axis(x, jnp.argmax(x, -1, keepdims=True), -1)

    def concatenate(self, parts: list[Any]) -> Any:
        return jnp.concatenate(parts, -1)

    def without_derivative(self, x: Any) -> Any:
        return jax.lax.stop_gradient(x)

    has_library = True
    differentiates = True

    def centre(self, region: Any, x: Any) -> Any:
        polar = jnp.zeros((*x.shape[:-1], region.n + 1), x.dtype)
        return jax.lax.stop_gradient(_call_library(Map(region, "decode", "nan"), polar, jax.lax.stop_gradient(x)))

    def unsqueeze(self, x: Any) -> Any:
        return x[..., None, :]

    def sum_rows(self, x: Any, weights: Any) -> Any:
        return jnp.sum(x * weights[..., None], -2)

    def gram(self, weights: Any, rows: Any) -> Any:
        return jnp.matmul(rows.T * weights[..., None, :], rows, precision="highest")

    def solve(self, matrix: Any, right: Any, size: int) -> Any:
        return jnp.linalg.solve(matrix, right[..., None])[..., 0]

    matmul: Any = staticmethod(functools.partial(jnp.matmul, precision="highest"))
    where: Any = staticmethod(jnp.where)
    maximum: Any = staticmethod(jnp.maximum)
    minimum: Any = staticmethod(jnp.minimum)
    abs: Any = staticmethod(jnp.abs)
    round: Any = staticmethod(jnp.rint)
    sqrt: Any = staticmethod(jnp.sqrt)


def _maps(map: Map, result: str) -> _formulas.Maps:
    arithmetic = "float64" if jax.config.jax_enable_x64 else "float32"  # type: ignore[attr-defined]
    precision = _formulas.Precision(arithmetic, result)
    found: _formulas.Maps = map.region._once(
        f"jax {precision} {map.bad}",
        lambda: _formulas.Maps(map.region, _Jax(precision), precision, "computing by jnp", map.bad),
    )
    return found


def _by_formulas(map: Map, values: jax.Array, x: jax.Array) -> jax.Array:
    maps = _maps(map, str(values.dtype))
    precision = maps.arrays.precision  # type: ignore[attr-defined]
    known = (x.astype(precision.arithmetic),) if map.region.p else ()
    result: jax.Array = getattr(maps, map.name)(values.astype(precision.arithmetic), *known)
    result = _or_lost(map, result.astype(values.dtype), values, x)
    return result[..., 0] if map.name == "gauge" else result


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _or_lost(map: Map, result: jax.Array, values: jax.Array, x: jax.Array) -> jax.Array:
    """The result, which has no derivative where a row of it is NaN: NaN, unless it is multiplied with 0 there.

    Differentiated, the formulas would say 0, since such a row is a constant.
    """
    return result


@_or_lost.defjvp
def _or_lost_jvp(map: Map, primals: Any, tangents: Any) -> tuple[jax.Array, jax.Array]:
    lost = jnp.any(jnp.isnan(primals[0]), -1, keepdims=True)
    dots = jnp.concatenate(tangents[1:], -1)
    return primals[0], tangents[0] + _lost_p.bind(lost, dots, map=map)[0]


def _pull_by_formulas(map: Map, values: jax.Array, x: jax.Array, bar: jax.Array) -> list[jax.Array]:
    return list(jax.vjp(functools.partial(_by_formulas, map), values, x)[1](bar))


def _push_by_formulas(
    map: Map, values: jax.Array, x: jax.Array, values_dot: jax.Array, x_dot: jax.Array
) -> list[jax.Array]:
    return [jax.jvp(functools.partial(_by_formulas, map), (values, x), (values_dot, x_dot))[1]]


# ------------------------------------------------------------------------------- where neither XLA nor jnp serves


def _on_host(map: Map, values: jax.Array, x: jax.Array) -> jax.Array:
    """A map by the C library, called from Python."""
    if _xla.is_plain(map.region) and _xla.refusal():
        warnings.warn(f"hcr.jax calls the C library by way of Python, slowly: {_xla.refusal()}", stacklevel=2)
    return _call_library(map, values, x)


def _call_library(map: Map, values: jax.Array, x: jax.Array) -> jax.Array:
    run, like = functools.partial(_run, map), _xla.types(_xla.result_of(map, values))
    return _varying(values, jax.pure_callback(run, like[0], values, x, vmap_method="broadcast_all"))


def _pull_on_host(map: Map, values: jax.Array, x: jax.Array, bar: jax.Array) -> list[Any]:
    run, like = functools.partial(_run_vjp, map), tuple(_xla.types(values, x))
    by_values, by_x = jax.pure_callback(run, like, values, x, bar, vmap_method="broadcast_all")
    return [_varying(values, by_values), _varying(values, by_x) if map.region.p else jnp.zeros_like(x)]


def _push_on_host(
    map: Map, values: jax.Array, x: jax.Array, values_dot: jax.Array, x_dot: jax.Array
) -> list[jax.Array]:
    run, like = functools.partial(_run_jvp, map), _xla.types(_xla.result_of(map, values))
    result = jax.pure_callback(run, like[0], values, x, values_dot, x_dot, vmap_method="broadcast_all")
    return [_varying(values, result)]


def _varying(values: jax.Array, result: Any) -> jax.Array:
    """The result, but in jax.shard_map it varies as the values do: callbacks lose that."""
    choice = _xla.shaped(values, 0, np.bool_)
    return jnp.where(choice[..., None] if result.ndim == values.ndim else choice, result, result)


def _given(map: Map, x: Any) -> Any:
    return np.asarray(x) if map.region.p else None


def _run(map: Map, values: Any, x: Any) -> Any:
    return map(np.asarray(values), _given(map, x))


def _run_vjp(map: Map, values: Any, x: Any, bar: Any) -> Any:
    found = map.vjp(np.asarray(values), np.asarray(bar), _given(map, x))
    return found if map.region.p else (found, np.asarray(x))


def _run_jvp(map: Map, values: Any, x: Any, values_dot: Any, x_dot: Any) -> Any:
    return map.jvp(np.asarray(values), np.asarray(values_dot), _given(map, x), _given(map, x_dot))


# --------------------------------------------------------------------------------------------------- the functions


def _where(map: Map, on_cpu: Any, by_formulas: Any, on_host: Any, *arrays: jax.Array) -> list[jax.Array]:
    """What serves the region on the device that the program is for."""
    elsewhere = on_host if isinstance(map, Projection) or _rays.refusal(map.region) else by_formulas
    if not _xla.serves(map.region):
        return elsewhere(*arrays)  # type: ignore[no-any-return]
    return jax.lax.platform_dependent(*arrays, cpu=on_cpu, default=elsewhere)  # type: ignore[no-any-return]


def _compute(map: Map, keeping: bool, values: jax.Array, x: jax.Array) -> list[jax.Array]:
    """A map's result and, when `keeping`, what its derivatives by the C kernels need; x has as many rows as the values,
    and no columns without parameters."""

    def elsewhere(run: Any, values: jax.Array, x: jax.Array) -> list[jax.Array]:
        return [run(map, values, x), *([_xla.rays(map, values)] if keeping else [])]

    return _where(
        map,
        functools.partial(_xla.compute, map, keeping),
        functools.partial(elsewhere, _by_formulas),
        functools.partial(elsewhere, _on_host),
        values,
        x,
    )


def _pull(map: Map, values: jax.Array, x: jax.Array, rays: jax.Array, bar: jax.Array) -> list[jax.Array]:
    """The gradients by the values and by x."""
    return _where(
        map,
        functools.partial(_xla.differentiate, map),
        lambda values, x, _, bar: _pull_by_formulas(map, values, x, bar),
        lambda values, x, _, bar: _pull_on_host(map, values, x, bar),
        values,
        x,
        rays,
        bar,
    )


def _push(
    map: Map, values: jax.Array, x: jax.Array, rays: jax.Array, values_dot: jax.Array, x_dot: jax.Array
) -> list[jax.Array]:
    """How the result changes."""
    return _where(
        map,
        functools.partial(_xla.push, map),
        lambda values, x, _, *dots: _push_by_formulas(map, values, x, *dots),
        lambda values, x, _, *dots: _push_on_host(map, values, x, *dots),
        values,
        x,
        rays,
        values_dot,
        x_dot,
    )


def _only_once(*_: Any, **__: Any) -> Any:
    raise make("unsupported", "the C kernels have first derivatives only: for second ones, give formulas=True")


def _array_of(tangent: Any) -> Any:
    return ad.instantiate_zeros(tangent)  # type: ignore[no-untyped-call]


def _primitive(name: str, function: Any, linear: int, transpose: Any) -> Any:
    """A function of arrays, and of a map, as a primitive of JAX's, with batches in front. It is linear in its last
    `linear` arguments; the others it can't be differentiated by.

    JAX has no function that is differentiated in either mode by a rule of its own and can be batched.
    """
    primitive: Any = core.Primitive(name)
    primitive.multiple_results = True

    def differentiate(primals: Any, tangents: Any, *, map: Map) -> Any:
        count = len(primals) - linear
        if any(type(tangent) is not ad.Zero for tangent in tangents[:count]):
            _only_once()
        dots = [_array_of(tangent) for tangent in tangents[count:]]
        changed = primitive.bind(*primals[:count], *dots, map=map)
        return primitive.bind(*primals, map=map), changed

    def turn(bars: Any, *arguments: Any, map: Map) -> Any:
        fixed = arguments[: len(arguments) - linear]
        bars = [_array_of(bar) for bar in bars]
        return [*(None for _ in fixed), *transpose(map, *fixed, *bars)]

    def batch(arguments: Any, dims: Any, *, map: Map) -> Any:
        size = next(a.shape[dim] for a, dim in zip(arguments, dims, strict=True) if dim is not None)
        moved = [
            jnp.broadcast_to(a, (size, *a.shape)) if dim is None else jnp.moveaxis(a, dim, 0)
            for a, dim in zip(arguments, dims, strict=True)
        ]
        results = primitive.bind(*moved, map=map)
        return results, [0] * len(results)

    def run(*arrays: Any, map: Map) -> Any:
        return function(map, *arrays)

    def shapes(*avals: Any, map: Map) -> Any:
        return jax.make_jaxpr(functools.partial(function, map))(*avals).out_avals

    primitive.def_impl(lambda *arrays, map: jax.jit(functools.partial(function, map))(*arrays))
    primitive.def_abstract_eval(shapes)
    ad.primitive_jvps[primitive] = differentiate
    if linear:
        ad.primitive_transposes[primitive] = turn
    batching.primitive_batchers[primitive] = batch
    mlir.register_lowering(primitive, mlir.lower_fun(run, multiple_results=True))
    return primitive


def _transposed_pull(map: Map, values: Any, x: Any, rays: Any, *dots: Any) -> Any:
    return _push_p.bind(values, x, rays, *dots, map=map)


def _transposed_push(map: Map, values: Any, x: Any, rays: Any, bar: Any) -> Any:
    return _pull_p.bind(values, x, rays, bar, map=map)


def _lost(map: Map, lost: jax.Array, dots: jax.Array) -> list[jax.Array]:
    """(…, 1) and what a row is multiplied with, (…, k): NaN where a row is lost and that isn't 0, else 0."""
    return [jnp.where(lost & jnp.any(dots != 0, -1, keepdims=True), jnp.nan, jnp.zeros_like(dots[..., :1]))]


def _transposed_lost(map: Map, lost: Any, bar: Any) -> Any:
    width = map.width + map.region.p
    return [jnp.broadcast_to(_lost_p.bind(lost, bar, map=map)[0], (*lost.shape[:-1], width))]


_lost_p: Any = _primitive("hcr_lost", _lost, 1, _transposed_lost)
_map_and_rays_p: Any = _primitive("hcr_map", lambda map, *arrays: _compute(map, True, *arrays), 0, None)
_pull_p: Any = _primitive("hcr_pull", _pull, 1, _transposed_pull)
_push_p: Any = _primitive("hcr_push", _push, 2, _transposed_push)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _map(map: Map, values: jax.Array, x: jax.Array) -> jax.Array:
    return _compute(map, False, values, x)[0]


@_map.defjvp
def _map_jvp(map: Map, primals: Any, tangents: Any) -> tuple[jax.Array, jax.Array]:
    result, rays = _map_and_rays_p.bind(*primals, map=map)
    return result, _push_p.bind(*primals, rays, *tangents, map=map)[0]


def _checked(values: ArrayLike, width: int, what: str) -> jax.Array:
    array = jnp.asarray(values)
    if not jnp.issubdtype(array.dtype, jnp.floating):
        raise TypeError(f"{what} of an array of {array.dtype}: it must be float32 or float64")
    if array.dtype.itemsize < 4:
        array = array.astype(jnp.float32)
    if array.ndim == 0 or array.shape[-1] != width:
        raise wrong_width(f"{what}'s array", array.shape, width)
    return array


def _with_map(map: Map, formulas: bool, values: Any, x: Any) -> jax.Array:
    region = map.region
    array = _checked(values, map.width, map.name)
    if x is None or region.p == 0:
        region._given(x)  # says what is wrong
        x = array[..., :0]
    else:
        x = _checked(x, region.p, "parameters")
    dtype = jnp.promote_types(array.dtype, x.dtype)
    try:
        shape = jnp.broadcast_shapes(array.shape[:-1], x.shape[:-1])
    except ValueError:
        raise mismatched(array.shape, x.shape) from None
    array, x = (jnp.broadcast_to(a.astype(dtype), (*shape, a.shape[-1])) for a in (array, x))
    if not formulas:
        result: jax.Array = _map(map, array, x)
        return result
    return _by_formulas(map, array, x)


_jitted = jax.jit(_with_map, static_argnums=(0, 1))


def _apply(
    name: str,
    values: ArrayLike,
    region: Region,
    x: ArrayLike | None,
    formulas: bool = False,
    bad: Bad = "nan",
    metric: MetricLike = None,
    on_empty: OnEmpty = "nan",
) -> jax.Array:
    needs_region(region, f"hcr.jax.{name}")
    if known_on_empty(on_empty) != "nan" and x is not None and region.p:
        return _relaxed(map_of(region, name, bad, metric), formulas, _array(values), _array(x), on_empty)
    run = _jitted if _xla.is_plain(region) else _with_map
    x = None if x is None else _array(x)
    result: jax.Array = run(map_of(region, name, bad, metric), formulas, _array(values), x)
    return result


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _relax(region: Region, x: jax.Array) -> jax.Array:
    """Parameters to those of the relaxed region, by the C library called from Python."""
    run, like = functools.partial(_run_relaxation, region), _xla.types(_xla.shaped(x, region.relaxation.region.p))
    return _varying(x, jax.pure_callback(run, like[0], x, vmap_method="broadcast_all"))


def _run_relaxation(region: Region, x: Any) -> Any:
    return region.relaxation(np.asarray(x))


def _run_relaxation_vjp(region: Region, x: Any, bar: Any) -> Any:
    found = region.relaxation.vjp(np.asarray(x, np.float64), np.asarray(bar, np.float64))
    return found.astype(x.dtype)


def _relax_forwards(region: Region, x: jax.Array) -> tuple[jax.Array, jax.Array]:
    return _relax(region, x), x


def _relax_backwards(region: Region, x: jax.Array, bar: jax.Array) -> tuple[jax.Array]:
    run = functools.partial(_run_relaxation_vjp, region)
    return (_varying(x, jax.pure_callback(run, _xla.types(x)[0], x, bar, vmap_method="broadcast_all")),)


_relax.defvjp(_relax_forwards, _relax_backwards)


def _relaxed(map: Map, formulas: bool, values: Any, x: Any, on_empty: OnEmpty) -> jax.Array:
    """As `hcr.torch` does it: both maps of all rows, each with a sample that has a point."""
    region = map.region
    other = region.relaxation.map(map, on_empty)
    values, x = _checked(values, map.width, map.name), _checked(x, region.p, "parameters")
    given = _relax(region, x)
    gives = jnp.any(given[..., region.p : -region.n - 1] != 0, -1, keepdims=True)
    safe = region.relaxation.middle.astype(x.dtype)
    result = _with_map(map, formulas, values, jnp.where(gives, safe[: region.p], x))
    offset = given[..., -region.n :] if other.name != map.name else 0
    relaxed = _with_map(other, formulas, values + offset, jnp.where(gives, given, safe))
    return jnp.where(gives if map.name != "gauge" else gives[..., 0], relaxed, result)


def _array(values: ArrayLike) -> Any:
    return values if isinstance(values, (jax.Array, np.ndarray)) else jnp.asarray(values)


def project(
    points: ArrayLike,
    region: Region,
    x: ArrayLike | None = None,
    *,
    metric: MetricLike = None,
    bad: Bad = "nan",
    on_empty: OnEmpty = "nan",
) -> jax.Array:
    """The nearest points of the region, exactly inside it, with first derivatives by points and parameters.

    Args:
        points: (…, n).
        region: the region.
        x: (…, p), its parameters, when it has such: a row a sample, or one for all.
        metric: Q of the distance (y − v)'Q(y − v): constant, (n,) for a diagonal or (n, n).
        bad: what stands for rows with a NaN or an infinity, ``"nan"`` or ``"origin"``.
        on_empty: what becomes of rows whose limits contradict each other: ``"nan"``, ``"relax"`` or ``"nearest"``
            (`hcr.Region.relaxation`); derivatives are then backwards only.
    """
    return _apply("project", points, region, x, bad=bad, metric=metric, on_empty=on_empty)


def minimise(
    p: ArrayLike, region: Region, x: ArrayLike | None = None, *, metric: MetricLike = None, bad: Bad = "nan"
) -> jax.Array:
    """The points y of the region that minimise ½ y'Qy + p'y, (…, n), as `hcr.torch.minimise`; arguments as for
    `project`."""
    return _apply("minimise", p, region, x, bad=bad, metric=metric)


def gauge(v: ArrayLike, region: Region, x: ArrayLike | None = None, *, formulas: bool = False) -> jax.Array:
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
    y: ArrayLike, region: Region, x: ArrayLike | None = None, *, formulas: bool = False, bad: Bad = "nan"
) -> jax.Array:
    """Points (…, n) as unit directions from the origin and radii, (…, n + 1); the radius is more than 1 outside."""
    return _apply("encode", y, region, x, formulas, bad)


def decode(
    polar: ArrayLike,
    region: Region,
    x: ArrayLike | None = None,
    *,
    formulas: bool = False,
    bad: Bad = "nan",
    on_empty: OnEmpty = "nan",
) -> jax.Array:
    """Points (…, n) of the region from directions and radii (…, n + 1): origin + r d/gauge(d), r cut to [0, 1]."""
    return _apply("decode", polar, region, x, formulas, bad, on_empty=on_empty)


def contract(
    v: ArrayLike,
    region: Region,
    x: ArrayLike | None = None,
    *,
    formulas: bool = False,
    bad: Bad = "nan",
    on_empty: OnEmpty = "nan",
) -> jax.Array:
    """origin + v where that is in the region, else where the ray along v leaves it.

    Args:
        v: (…, n), measured from the origin.
        region: the region.
        x: (…, p), its parameters, when it has such: a row a sample, or one for all.
        formulas: compute by jnp on the CPU, too; for boxes, rows, quadratics, cones and equalities.
        bad: what stands for rows with a NaN or an infinity, ``"nan"`` or ``"origin"``.

    Returns:
        (…, n), each row exactly inside, or NaN for bad values.

    >>> import hcr, hcr.jax, jax
    >>> disc = hcr.Region("var y[2]\\nnorm(y) <= 1")
    >>> jax.jit(lambda v: hcr.jax.contract(v, disc))(jax.numpy.array([3.0, 4.0])).round(3).tolist()
    [0.6000000238418579, 0.800000011920929]
    """
    return _apply("contract", v, region, x, formulas, bad, on_empty=on_empty)


def soften(
    v: ArrayLike,
    region: Region,
    x: ArrayLike | None = None,
    *,
    formulas: bool = False,
    bad: Bad = "nan",
    on_empty: OnEmpty = "nan",
) -> jax.Array:
    """origin + v/(1 + gauge(v)), one-to-one onto the interior: (…, n) to (…, n), each row exactly inside."""
    return _apply("soften", v, region, x, formulas, bad, on_empty=on_empty)


def soften_inverse(y: jax.typing.ArrayLike, region: Region, x: jax.typing.ArrayLike | None = None) -> jax.Array:
    """The v that soften takes to y: (y − origin)/(1 − gauge(y − origin)), (…, n) to (…, n).

    Points on the frontier, where rounding may put results of soften, have no such v: they are taken for points inside
    by the margin (`Region.margin`). Outside by more than that it is NaN.
    """
    if x is None or region.origin_form != "checked":
        return stretched(y, region, x)
    _rays.require(region, "soften_inverse by jnp")
    return _with_map(Map(region, "soften_inverse"), True, y, x)


def stretched(y: jax.typing.ArrayLike, region: Region, x: jax.typing.ArrayLike | None = None) -> jax.Array:
    """(y − origin)/(1 − gauge(y − origin)), also where soften doesn't keep directions: in gaps about to close."""
    y = _checked(y, region.n, "soften_inverse")
    x = None if x is None else jnp.asarray(x)
    start = region.origin if x is None else decode(jnp.zeros((*x.shape[:-1], region.n + 1), x.dtype), region, x)
    offset = y - jnp.asarray(start, y.dtype)
    step = _rays.resolution(region, str(y.dtype))
    left = 1 - gauge(offset, region, x)
    left = jnp.where(left > -step, jnp.maximum(left, step), jnp.nan)
    return offset / left[..., None]


def know(region: Region, *, metric: MetricLike = None) -> None:
    """Makes a region, and its nearest points in a metric, known to programs that other processes have exported
    (jax.export) for the CPU: these name it by its digest. It is kept for good.

    Raises:
        hcr.Error: ``unsupported``, when JAX can't call the library: it tells why.
    """
    if not _xla.serves(region):
        reason = _xla.refusal() or "it has functions in Python, or counts its searches"
        raise make("unsupported", f"programs can't name this region: {reason}")
    for name in ("contract", "project", "minimise"):
        _xla.name(map_of(region, name, metric=metric if name in NEAREST else None))
