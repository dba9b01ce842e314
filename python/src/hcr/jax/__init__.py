"""The maps in JAX, under `jit`, `grad` and `vmap`, on any device.

On the CPU the C kernels run, called by XLA itself. On other devices jnp's own operations do, for boxes, rows,
quadratics and cones: in float64 where ``jax_enable_x64`` is set, else in float32 with a margin wide enough for it, so
that results are exactly inside either way (without float64, equalities hold to the rounding of float32 only). Regions
with other kinds call the C library on the host there.

`project` and `minimise` call the C library on the host, on every device.

The C kernels have first derivatives, forwards and in reverse. With ``formulas=True`` jnp computes on the CPU as well:
derivatives of any order.

A row with a NaN or an infinity gives a row of NaN, or the origin with ``bad="origin"``.

A region is a plain hashable object: close over it, or make it a static argument.
"""

from .distributions import Soften, Softened
from .maps import contract, decode, encode, gauge, know, minimise, project, soften, soften_inverse

__all__ = [
    "Soften",
    "Softened",
    "contract",
    "decode",
    "encode",
    "gauge",
    "know",
    "minimise",
    "project",
    "soften",
    "soften_inverse",
]
