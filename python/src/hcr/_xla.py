"""The C kernels as custom calls of XLA's: what JAX runs on the CPU, without Python in between."""

from __future__ import annotations

import ctypes
import math
import threading
from typing import Any

import jax
import numpy as np

from . import _library, _threads
from ._maps import FEW_ROWS, result_shape
from ._records import RAY
from .errors import make
from .region import Region

_MAP, _VJP = "hcr_xla_map", "hcr_xla_vjp"
_known: dict[str, Region] = {}
_lock = threading.Lock()


def _register() -> str:
    """Registers the calls with JAX; tells why that can't be, or ""."""
    version = jax.__version__
    ffi = getattr(jax, "ffi", None)
    if ffi is None:
        try:
            from jax import ffi
        except ImportError:
            return f"JAX {version} has no jax.ffi: 0.5 and later have"
    for name in (_MAP, _VJP):
        handler = getattr(_library.library, name, None)
        if handler is None:
            return "the library (HCR_LIBRARY) was built without XLA's calls: python/CMakeLists.txt adds them"
        try:
            ffi.register_ffi_target(name, ffi.pycapsule(handler), platform="cpu")
        except Exception as reason:  # what jaxlib raises has changed from version to version
            return f"jaxlib of JAX {version} doesn't take its calls: {reason}"
        if hasattr(ffi, "register_ffi_target_as_batch_partitionable"):
            ffi.register_ffi_target_as_batch_partitionable(name)
    return ""


#: Why JAX can't call the C library directly; "" when it can.
refusal = _register()


def is_plain(region: Region) -> bool:
    """Whether a region is all that its digest says: it has no functions in Python, and doesn't count its searches."""
    return region._handle.kept is None and "search" not in region._cache


def serves(region: Region) -> bool:
    """Whether calls are for this region."""
    return not refusal and is_plain(region)


def _named(region: Region) -> str:
    """The region's name in programs. It is kept for good, since these may use it at any time."""
    digest = region.digest
    if digest not in _known:
        with _lock:
            few = math.ceil(max(FEW_ROWS, region._once("few", region._few)))
            known = _library.library.hcr_xla_know(
                digest.encode(),
                ctypes.c_void_p(region._handle.address),
                ctypes.c_size_t(min(few, 2**62)),
                ctypes.byref(_threads.count),
            )
            if not known:
                raise make("memory", "there is no memory to keep a region")
            _known[digest] = region
    return digest


def _call(target: str, name: str, region: Region, results: list[Any], *arrays: jax.Array) -> list[jax.Array]:
    index = np.int64(_library.MAPS.index(name))
    made = jax.ffi.ffi_call(target, results, vmap_method="broadcast_all")(*arrays, map=index, region=_named(region))
    return list(made)


def compute(name: str, region: Region, keeping: bool, values: jax.Array, x: jax.Array) -> list[jax.Array]:
    """The map's result and, when `keeping`, what its derivative needs."""
    results: list[Any] = [jax.ShapeDtypeStruct(result_shape(name, region.n, values.shape), values.dtype)]
    if keeping:
        results.append(jax.ShapeDtypeStruct(*rays_of(values)))
    return _call(_MAP, name, region, results, values, x)


def rays_of(values: jax.Array) -> tuple[tuple[int, ...], Any]:
    """The shape and type of what `compute` keeps."""
    return (*values.shape[:-1], RAY.itemsize), np.uint8


def differentiate(
    name: str, region: Region, values: jax.Array, x: jax.Array, rays: jax.Array, bar: jax.Array
) -> list[jax.Array]:
    """The gradients by the values and by x."""
    results = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in (values, x)]
    return _call(_VJP, name, region, results, values, x, rays, bar)
