"""Distributions on a region in JAX, with exact densities."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any, Literal

import jax
import jax.numpy as jnp

from .. import _rays
from ..errors import make
from ..region import Region, needs_region
from .maps import contract, decode, gauge, stretched

Squash = Literal["soften", "tanh"]
_SMALL = 1e-9  # tanh(γ)/γ and artanh(r)/r are 1 below it


@dataclasses.dataclass(frozen=True)
class Soften:
    """v ↦ origin + v ρ(gauge(v))/gauge(v), one-to-one from R^k onto the interior, with its determinant.

    As `hcr.torch.distributions.SoftenTransform`, which has the formula. The methods have the names that distrax's
    bijectors and numpyro's transforms have.

    Args:
        region: the region; k is its `freedom`, and v has the coordinates of its outputs `free`.
        x: (…, p), its parameters, when it has such.
        squash: ρ(γ), ``"soften"`` for γ/(1 + γ) or ``"tanh"``.
    """

    region: Region
    x: jax.Array | None = None
    squash: Squash = "soften"

    event_ndims_in = event_ndims_out = 1

    def __post_init__(self) -> None:
        needs_region(self.region, "hcr.jax.Soften")
        if self.squash not in ("soften", "tanh"):
            raise make("argument", f'squash is {self.squash!r}: take "soften" or "tanh"')

    def __call__(self, v: jax.Array) -> jax.Array:
        return self._inside(self._steps(v), self.x)

    def _inside(self, steps: jax.Array, x: jax.Array | None) -> jax.Array:
        """Steps drawn in, by contract, which keeps what is inside; soften turns away from gaps about to close."""
        share = self._share(gauge(steps, self.region, x))
        return contract(steps * share[..., None], self.region, x)

    def _share(self, radius: jax.Array) -> jax.Array:
        """ρ(γ)/γ."""
        if self.squash == "soften":
            return 1 / (1 + radius)
        return jnp.where(radius > _SMALL, jnp.tanh(radius) / jnp.maximum(radius, _SMALL), 1)

    def inverse(self, y: jax.Array) -> jax.Array:
        v = stretched(y, self.region, self.x)
        if self.squash == "tanh":  # soften's gauge is r/(1 − r) at the radius r, and artanh r = log(1 + 2 r/(1 − r))/2
            softened = gauge(v, self.region, self.x)
            ratio = 0.5 * jnp.log1p(2 * softened) / jnp.maximum(softened, _SMALL)
            v = v * jnp.where(softened > _SMALL, ratio, 1)[..., None]
        return v if self.region.freedom == self.region.n else v[..., self.region.free]

    def log_abs_det_jacobian(self, v: jax.Array, y: jax.Array | None = None) -> jax.Array:
        """By the free outputs; NaN for samples without an interior."""
        radius, k = gauge(self._steps(v), self.region, self.x), self.region.freedom
        if self.squash == "soften":
            determinant = -(k + 1) * jnp.log1p(radius)
        else:
            log_slope = 2 * (math.log(2) - radius - jax.nn.softplus(-2 * radius))
            determinant = (k - 1) * jnp.log(self._share(radius)) + log_slope
        return determinant if self.x is None else jnp.where(self._has_interior(), determinant, jnp.nan)

    forward_log_det_jacobian = log_abs_det_jacobian

    def forward_and_log_det(self, v: jax.Array) -> tuple[jax.Array, jax.Array]:
        return self(v), self.log_abs_det_jacobian(v)

    def inverse_and_log_det(self, y: jax.Array) -> tuple[jax.Array, jax.Array]:
        v = self.inverse(y)
        return v, -self.log_abs_det_jacobian(v)

    def _steps(self, v: jax.Array) -> jax.Array:
        """Steps in all n outputs that keep the equalities."""
        affine, free = _rays.affine(self.region), self.region.free
        if v.shape[-1] != len(free):
            raise make(
                "shape", f"v has {v.shape[-1]} coordinates for {len(free)} {'free ones' if affine else 'outputs'}"
            )
        if affine is None:
            return v
        others = v @ jnp.asarray(affine.map[:, free].T, v.dtype)
        steps = jnp.zeros((*v.shape[:-1], self.region.n), v.dtype)
        return steps.at[..., free].set(v).at[..., affine.dependent].set(others)

    def _has_interior(self) -> Any:
        """Whether steps along each coordinate keep their direction: those that a sample holds are taken out."""
        assert self.x is not None
        if self.region.origin_form != "checked":
            return True
        x = jax.lax.stop_gradient(self.x)[..., None, :]
        start = decode(jnp.zeros((*x.shape[:-1], self.region.n + 1), x.dtype), self.region, x)
        moved = self._inside(self._steps(jnp.eye(self.region.freedom, dtype=x.dtype)), x) - start
        moved = moved[..., self.region.free]
        along = jnp.diagonal(moved, axis1=-2, axis2=-1)
        across = jnp.abs(moved - along[..., None] * jnp.eye(self.region.freedom)).max(-1)
        return (along > 0).all(-1) & (across <= 1e-3 * along).all(-1)


@functools.partial(
    jax.tree_util.register_dataclass, data_fields=["mean", "deviation", "x"], meta_fields=["region", "squash"]
)
@dataclasses.dataclass(frozen=True)
class Softened:
    """Independent normal numbers taken into a region: samples exactly inside, log_prob their true density.

    Args:
        mean, deviation: (…, k), of the step from the origin in the free outputs.
        region: the region.
        x: (…, p), its parameters, when it has such.
        squash: as for `Soften`.

    >>> import hcr, hcr.jax, jax
    >>> simplex = hcr.Region("var y[3]\\ny >= 0\\nsum(y) == 1")
    >>> policy = hcr.jax.Softened(jax.numpy.zeros((8, 2)), jax.numpy.ones((8, 2)), simplex)
    >>> weights, log_prob = policy.sample_and_log_prob(jax.random.key(0))
    >>> bool(simplex.check(weights).all()), log_prob.shape
    (True, (8,))
    """

    mean: jax.Array
    deviation: jax.Array
    region: Region
    x: jax.Array | None = None
    squash: Squash = "soften"

    def sample(self, key: Any, shape: tuple[int, ...] = ()) -> jax.Array:
        return self._map(self._draw(key, shape))

    def sample_and_log_prob(self, key: Any, shape: tuple[int, ...] = ()) -> tuple[jax.Array, jax.Array]:
        """Results and their log-densities, computed before rounding."""
        v = self._draw(key, shape)
        return self._map(v), self._base_log_prob(v) - self._map.log_abs_det_jacobian(v)

    def log_prob(self, y: jax.Array) -> jax.Array:
        """The log-density by the free outputs; NaN outside."""
        v, determinant = self._map.inverse_and_log_det(y)
        return self._base_log_prob(v) + determinant

    def mode(self) -> jax.Array:
        """Where the mean goes: what a policy does that doesn't explore. The density may be higher elsewhere."""
        return self._map(jnp.broadcast_to(self.mean, jnp.broadcast_shapes(self.mean.shape, self.deviation.shape)))

    def entropy(self, key: Any, samples: int = 64) -> jax.Array:
        """The differential entropy, by so many samples, with gradients."""
        v = self._draw(key, (samples,))
        base = (0.5 * jnp.log(2 * jnp.pi * jnp.e) + jnp.log(self.deviation)).sum(-1)
        return base + self._map.log_abs_det_jacobian(v).mean(0)

    @property
    def _map(self) -> Soften:
        return Soften(self.region, self.x, self.squash)

    def _draw(self, key: Any, shape: tuple[int, ...]) -> jax.Array:
        mean = jnp.asarray(self.mean)
        batch = jnp.broadcast_shapes(mean.shape, jnp.shape(self.deviation))
        return mean + self.deviation * jax.random.normal(key, (*shape, *batch), mean.dtype)

    def _base_log_prob(self, v: jax.Array) -> jax.Array:
        return jax.scipy.stats.norm.logpdf(v, self.mean, self.deviation).sum(-1)
