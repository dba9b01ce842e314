"""The C kernels as custom calls of XLA's: what JAX runs on the CPU, without Python in between."""

from __future__ import annotations

import ctypes
import functools
import math
import threading
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import _library, _threads
from ._handles import BAD
from ._maps import FEW_ROWS, Map, Projection
from .errors import make
from .region import Region

_MAP, _VJP, _JVP = "hcr_xla_map", "hcr_xla_vjp", "hcr_xla_jvp"
_known: dict[str, Any] = {}
_lock = threading.Lock()


@functools.cache
def refusal() -> str:
    """Why JAX can't call the C library directly; "" when it can. The first time the calls are registered: not before
    anything is computed, for that needs JAX's backends, which are set up once and for all."""
    try:
        from jax import ffi

        jax.devices("cpu")
    except (ImportError, RuntimeError) as reason:
        return f"JAX {jax.__version__} has no foreign-function interface on the CPU (0.5 and later have): {reason}"
    if jax.__version_info__ < (0, 7) and jax.default_backend() != "cpu":
        return f"JAX {jax.__version__} puts the CPU's calls into programs for other devices, too: 0.7 and later don't"
    for target in (_MAP, _VJP, _JVP):
        handler = getattr(_library.library, target, None)
        if handler is None:
            return "the library (HCR_LIBRARY) was built without XLA's calls: python/CMakeLists.txt adds them"
        try:
            ffi.register_ffi_target(target, ffi.pycapsule(handler), platform="cpu")  # type: ignore[no-untyped-call]
        except Exception as reason:  # what jaxlib raises has changed from version to version
            return f"JAX {jax.__version__} doesn't take its calls: {reason}"
    return ""


def is_plain(region: Region) -> bool:
    """Whether a region is all that its digest says: it has no functions in Python, and doesn't count its searches."""
    return region._handle.kept is None and "search" not in region._cache


def serves(region: Region) -> bool:
    """Whether calls are for this region."""
    return is_plain(region) and not refusal()


def name(map: Map) -> str:
    """The name in programs of a map's region, or of its nearest points. These are kept for good, since programs may use
    them at any time."""
    region, digest, options = map.region, map.key, None
    if digest not in _known:
        few = FEW_ROWS
        if isinstance(map, Projection):
            options = map.options(1, "nan")
        else:
            few = math.ceil(max(FEW_ROWS, region._once("few", region._few)))
        with _lock:
            if digest in _known:  # another thread was first
                return digest
            known = _library.library.hcr_xla_know(
                digest.encode(),
                ctypes.c_void_p(region._handle.address),
                options and ctypes.byref(options),
                ctypes.c_size_t(min(few, 2**62)),
                ctypes.byref(_threads.count),
            )
            if not known:
                raise make("memory", "there is no memory to keep a region")
            _known[digest] = region, options
    return digest


def _call(target: str, map: Map, results: list[Any], *arrays: jax.Array) -> list[jax.Array]:
    from jax import ffi

    made = ffi.ffi_call(target, results, vmap_method="broadcast_all")(
        *arrays,
        map=np.int64((*_library.MAPS, "project").index(map.name)),
        bad=np.int64(BAD.index(map.bad)),
        region=name(map),
    )
    return list(made)


def shaped(values: jax.Array, width: int, dtype: Any = None) -> jax.Array:
    """Zeros, `width` of them a row of the values, or one without an axis of its own for 0. In jax.shard_map they vary
    as the values do: JAX's versions have no other way in common to say that of a result to come."""
    zeros = jnp.zeros_like(values[..., :1], dtype)
    return jnp.broadcast_to(zeros, (*values.shape[:-1], width)) if width else zeros[..., 0]


def rays(map: Map, values: jax.Array) -> jax.Array:
    """What stands for the rays, or contacts, where something else than a call computes the derivative."""
    return shaped(values, map.kept, np.uint8)


def types(*arrays: jax.Array) -> list[Any]:
    """What results are, as arrays of the same shapes and types."""
    typeof: Any = getattr(jax, "typeof", lambda array: jax.ShapeDtypeStruct(array.shape, array.dtype))  # type: ignore[no-untyped-call]
    return [typeof(array) for array in arrays]


def result_of(map: Map, values: jax.Array) -> jax.Array:
    """Zeros in place of a map's result."""
    return shaped(values, 0 if map.name == "gauge" else map.result_shape(values.shape)[-1])


def compute(map: Map, keeping: bool, values: jax.Array, x: jax.Array) -> list[jax.Array]:
    """The map's result and, when `keeping`, the rays, which its derivatives need."""
    kept = [rays(map, values)] if keeping else []
    return _call(_MAP, map, types(result_of(map, values), *kept), values, x)


def differentiate(map: Map, values: jax.Array, x: jax.Array, rays: jax.Array, bar: jax.Array) -> list[jax.Array]:
    """The gradients by the values and by x."""
    return _call(_VJP, map, types(values, x), values, x, rays, bar)


def push(
    map: Map, values: jax.Array, x: jax.Array, rays: jax.Array, values_dot: jax.Array, x_dot: jax.Array
) -> list[jax.Array]:
    """How the result changes when the values and x do."""
    return _call(_JVP, map, types(result_of(map, values)), values, x, rays, values_dot, x_dot)
