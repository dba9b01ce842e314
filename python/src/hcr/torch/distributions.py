"""Distributions on a region, with exact densities: actions, portfolios, plans that are drawn and can't be outside."""

from __future__ import annotations

import math
from typing import Any, Literal

import torch
from torch import Tensor
from torch.distributions import Distribution, Transform, TransformedDistribution, constraints

from .. import _rays
from .._maps import Map
from .._relaxation import OnEmpty, known_on_empty
from ..errors import make
from ..region import Region, needs_region
from . import operators
from .functions import contract, gauge, is_plain, origin, stretched
from .relaxed import middle, relax


class _Inside(constraints.Constraint):
    """Points of a region, decided exactly."""

    event_dim = 1

    def __init__(self, region: Region, x: Tensor | None) -> None:
        self.region, self.x = region, x
        super().__init__()

    def check(self, value: Tensor) -> Tensor:
        points = value.detach().cpu()
        if self.x is None:
            inside = self.region.check(points.numpy())
        else:
            x = self.x.detach().cpu()
            shape = torch.broadcast_shapes(points.shape[:-1], x.shape[:-1])  # type: ignore[no-untyped-call]
            points, x = points.expand(*shape, -1), x.expand(*shape, -1)
            inside = self.region.check(points.numpy(), x.numpy())
        return torch.as_tensor(inside, device=value.device)


Squash = Literal["soften", "tanh"]
_SMALL = 1e-9  # tanh(γ)/γ and artanh(r)/r are 1 below it


def _draw(steps: Tensor, x: Tensor | None, transform: SoftenTransform) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
    """Results, log |det J|, and what the derivatives of both need."""
    radius, gauge_rays = operators.forward(Map(transform.region, "gauge"), steps, x)
    share = transform._share(radius)
    inner = steps * share.unsqueeze(-1)
    y, rays = operators.forward(Map(transform.region, "contract"), inner, x)
    return y, transform._log_det(radius, share), (radius, gauge_rays, share, inner, rays)


class _Drawn(torch.autograd.Function):
    """`SoftenTransform._compose` for eager tensors on the CPU: four calls of the C library, there and back, and no more
    of torch's operations than the formulas have."""

    @staticmethod
    def forward(ctx: Any, steps: Tensor, x: Tensor | None, transform: SoftenTransform) -> tuple[Tensor, Tensor]:
        y, determinant, kept = _draw(steps, x, transform)
        ctx.save_for_backward(steps, x, *kept)
        ctx.transform = transform
        return y, determinant

    @staticmethod
    def backward(ctx: Any, y_bar: Tensor, det_bar: Tensor) -> Any:
        steps, x, radius, gauge_rays, share, inner, rays = ctx.saved_tensors
        transform = ctx.transform
        if torch.is_grad_enabled():  # this gradient may be differentiated
            given = [tensor for tensor in (steps, x) if tensor is not None and tensor.requires_grad]
            found = iter(torch.autograd.grad(transform._compose(steps, x), given, (y_bar, det_bar), create_graph=True))
            return *(next(found) if t is not None and t.requires_grad else None for t in (steps, x)), None
        region = transform.region
        inner_bar, x_bar = operators.backward(Map(region, "contract"), inner, x, rays, y_bar)
        share_slope, det_slope = transform._slopes(radius, share)
        radius_bar = (inner_bar * steps).sum(-1) * share_slope + det_bar * det_slope
        steps_bar, x_bar_too = operators.backward(Map(region, "gauge"), steps, x, gauge_rays, radius_bar)
        steps_bar.addcmul_(inner_bar, share.unsqueeze(-1))
        return steps_bar, None if x_bar is None else x_bar.add_(x_bar_too), None  # type: ignore[arg-type]


class SoftenTransform(Transform):
    """v ↦ origin + v ρ(γ)/γ with γ = gauge(v): one-to-one from R^k onto the interior of a region.

    k is `region.freedom`: n without equalities. With equalities v has the coordinates of the outputs `region.free`, the
    others follow, and densities are by the free ones. ρ is γ/(1 + γ), as in `soften`, or tanh γ, which in an interval
    is the squashed Gaussian of soft actor-critic: it comes near the limits much sooner. The determinant has a closed
    form: the derivative is ρ'(γ) along the ray, since γ is linear there, and ρ(γ)/γ in the k − 1 other directions, so

        log |det J| = −(k + 1) log(1 + γ)                               with soften,
        log |det J| = (k − 1) log(tanh(γ)/γ) + log(1 − tanh² γ)         with tanh.

    Args:
        region: the region.
        x: (…, p), the parameters of each sample, where it has such. A sample that they leave no interior, such as a
            capacity of 0, has results and no density: its determinant is NaN.
        squash: ρ, ``"soften"`` or ``"tanh"``.
        on_empty: ``"relax"`` and ``"nearest"``: samples whose limits contradict each other have the result of
            `hcr.torch.contract` with that, and no density either.
        cache_size: 1 keeps the last pair of v and result, so that the density of what was just drawn is computed from
            v and not from the rounded result.

    >>> import hcr, torch
    >>> from hcr.torch.distributions import SoftenTransform
    >>> transform = SoftenTransform(hcr.Region("var y[2]\\nnorm(y) <= 1"))
    >>> v = torch.tensor([3.0, 4.0], dtype=torch.float64)
    >>> y = transform(v)
    >>> y.numpy().round(6).tolist(), round(transform.log_abs_det_jacobian(v, y).item(), 6)
    ([0.5, 0.666667], -5.375278)
    """

    bijective = True
    domain = constraints.real_vector

    def __init__(
        self,
        region: Region,
        x: Tensor | None = None,
        squash: Squash = "soften",
        cache_size: int = 1,
        on_empty: OnEmpty = "nan",
    ) -> None:
        super().__init__(cache_size=cache_size)
        needs_region(region, "SoftenTransform")
        if squash not in ("soften", "tanh"):
            raise make("argument", f'squash is {squash!r}: take "soften" or "tanh"')
        self.region, self.x, self.squash, self.on_empty = region, x, squash, known_on_empty(on_empty)
        self._drawn: tuple[Tensor | None, Tensor] = None, torch.empty(0)  # the last v and its log |det J|
        affine = _rays.affine(region)
        self._others: Any = None if affine is None else (affine.dependent.tolist(), affine.map[:, region.free].T)

    @property
    def codomain(self) -> constraints.Constraint:  # type: ignore[override]
        return _Inside(self.region, self.x)

    def with_cache(self, cache_size: int = 1) -> SoftenTransform:
        if cache_size == self._cache_size:
            return self
        return SoftenTransform(self.region, self.x, self.squash, cache_size, self.on_empty)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SoftenTransform) or self.x is not other.x:
            return False
        return (self.region, self.squash, self.on_empty) == (other.region, other.squash, other.on_empty)

    def _steps(self, v: Tensor) -> Tensor:
        """Steps in all n outputs that keep the equalities."""
        if v.shape[-1] != self.region.freedom:
            free = "free ones" if self._others else "outputs"
            raise make("shape", f"v has {v.shape[-1]} coordinates for {self.region.freedom} {free}")
        if self._others is None:
            return v
        dependent, map = self._others
        others = v.double() @ torch.tensor(map, dtype=torch.float64, device=v.device)
        steps = v.new_empty(*v.shape[:-1], self.region.n)
        places = torch.tensor([*self.region.free.tolist(), *dependent], device=v.device)
        return steps.index_copy(-1, places, torch.cat([v, others.to(v.dtype)], -1))

    def _call(self, v: Tensor) -> Tensor:
        y, determinant = self.forward_and_log_det(v)
        if self._cache_size:
            self._drawn = v, determinant
        return y

    def forward_and_log_det(self, v: Tensor) -> tuple[Tensor, Tensor]:
        """The results and log |det J|, at little more than the cost of the results."""
        steps, x = self._steps(v), self.x
        if x is None or self.on_empty == "nan":
            return self._with_density(steps, x)
        given = relax(x, self.region)
        gives = (given[..., self.region.p : -self.region.n - 1] != 0).any(-1, keepdim=True)
        if not gives.any():
            return self._with_density(steps, x)
        safe = middle(self.region, x)[: self.region.p]  # so that no derivative is NaN
        y, determinant = self._with_density(steps, torch.where(gives, safe, x))
        relaxed = contract(steps, self.region, x, on_empty=self.on_empty)
        return torch.where(gives, relaxed, y), torch.where(gives.squeeze(-1), float("nan"), determinant)

    def _with_density(self, steps: Tensor, x: Tensor | None) -> tuple[Tensor, Tensor]:
        if is_plain(steps, x) and (x is None or (x.dtype, x.shape[:-1]) == (steps.dtype, steps.shape[:-1])):
            steps, x = steps.contiguous(), None if x is None else x.contiguous()
            if torch.is_grad_enabled():
                y, determinant = _Drawn.apply(steps, x, self)  # type: ignore[no-untyped-call]
            else:
                y, determinant, _ = _draw(steps, x, self)
        else:
            y, determinant = self._compose(steps, x)
        if x is None or self.region.origin_form != "checked":
            return y, determinant
        return y, torch.where(self._has_interior(x), determinant, float("nan"))

    def _compose(self, steps: Tensor, x: Tensor | None) -> tuple[Tensor, Tensor]:
        radius = gauge(steps, self.region, x)
        return self._inside(steps, radius, x), self._log_det(radius, self._share(radius))

    def _inside(self, steps: Tensor, radius: Tensor, x: Tensor | None) -> Tensor:
        """Steps drawn in, by contract, which keeps what is inside; soften turns away from gaps about to close."""
        return contract(steps * self._share(radius).unsqueeze(-1), self.region, x)

    def _share(self, radius: Tensor) -> Tensor:
        """ρ(γ)/γ."""
        if self.squash == "soften":
            return 1 / (1 + radius)
        radius = radius.clamp(min=_SMALL)
        return radius.tanh() / radius

    def _log_det(self, radius: Tensor, share: Tensor) -> Tensor:
        k = self.region.freedom
        if self.squash == "soften":
            return -(k + 1) * radius.log1p()
        log_slope = 2 * (math.log(2) - radius - torch.nn.functional.softplus(-2 * radius))
        return log_slope if k == 1 else (k - 1) * share.log() + log_slope

    def _slopes(self, radius: Tensor, share: Tensor) -> tuple[Tensor, Tensor]:
        """The derivatives of both by γ."""
        k = self.region.freedom
        if self.squash == "soften":
            return -share.square(), -(k + 1) * share
        tanh = share * radius
        slope = (1 - tanh.square() - share) / radius.clamp(min=_SMALL)
        return slope, -2 * tanh if k == 1 else (k - 1) * slope / share - 2 * tanh

    def _inverse(self, y: Tensor) -> Tensor:
        v = stretched(y, self.region, self.x)
        if self.squash == "tanh":  # soften's gauge is r/(1 − r) at the radius r, and artanh r = log(1 + 2 r/(1 − r))/2
            softened = gauge(v, self.region, self.x)
            ratio = 0.5 * torch.log1p(2 * softened) / softened.clamp(min=_SMALL)
            v = v * torch.where(softened > _SMALL, ratio, 1).unsqueeze(-1)
        return v if self._others is None else v[..., self.region.free.tolist()]

    def log_abs_det_jacobian(self, v: Tensor, y: Tensor) -> Tensor:
        drawn, determinant = self._drawn
        return determinant if drawn is v else self.forward_and_log_det(v)[1]

    def _has_interior(self, x: Tensor) -> Tensor:
        """Whether steps along each coordinate keep their direction: those that a sample holds are taken out."""
        x, free = x.detach().double().unsqueeze(-2), self.region.free.tolist()
        axes = self._steps(torch.eye(len(free), dtype=x.dtype, device=x.device))
        moved = (self._inside(axes, gauge(axes, self.region, x), x) - origin(x, self.region))[..., free]
        along = moved.diagonal(dim1=-2, dim2=-1)
        return (along > 0).all(-1) & ((moved - torch.diag_embed(along)).abs().amax(-1) <= 1e-6 * along).all(-1)

    def forward_shape(self, shape: Any) -> torch.Size:
        return torch.Size([*shape[:-1], self.region.n])

    def inverse_shape(self, shape: Any) -> torch.Size:
        return torch.Size([*shape[:-1], self.region.freedom])


class Softened(TransformedDistribution):
    """A distribution on R^k taken into a region: every sample is exactly inside, and log_prob is its true density.

    `rsample` has gradients by the distribution's and the region's parameters; `log_prob` of what was drawn last is
    computed before rounding. Points on the frontier, where rounding put them, have the density of points next to it.

    Args:
        base: over k = `region.freedom` coordinates, the step from the origin: a distribution of vectors, or of numbers
            whose last batch dimension is k, such as ``Normal(mean, deviation)``.
        region: the region.
        x: (…, p), its parameters, when it has such: limits that depend on the state.
        squash, on_empty: as for `SoftenTransform`.

    >>> import hcr, torch
    >>> from hcr.torch.distributions import Softened
    >>> simplex = hcr.Region("var y[3]\\ny >= 0\\nsum(y) == 1")
    >>> mean = torch.zeros(8, 2, requires_grad=True)
    >>> policy = Softened(torch.distributions.Normal(mean, 1.0), simplex)
    >>> weights = policy.rsample()
    >>> bool(simplex.check(weights.detach().numpy()).all()), tuple(policy.log_prob(weights).shape)
    (True, (8,))
    """

    def __init__(
        self,
        base: Distribution,
        region: Region,
        x: Tensor | None = None,
        squash: Squash = "soften",
        validate_args: bool | None = None,
        on_empty: OnEmpty = "nan",
    ) -> None:
        self.region, self.x = region, x
        transform = SoftenTransform(region, x, squash, on_empty=on_empty)
        super().__init__(base, transform, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Softened:
        new = self._get_checked_instance(Softened, _instance)
        new.region, new.x = self.region, self.x
        expanded: Softened = super().expand(batch_shape, _instance=new)
        return expanded

    @property
    def mode(self) -> Tensor:
        """Where the base's mode goes: what a policy does that doesn't explore. The density may be higher elsewhere."""
        y: Tensor = self.transforms[0](self.base_dist.mode)
        return y

    def entropy(self, samples: int = 64) -> Tensor:
        """The differential entropy: the base's, and the mean of log |det J| over so many samples, with gradients."""
        v = self.base_dist.rsample(torch.Size([samples]))
        change: Tensor = self.transforms[0].log_abs_det_jacobian(v, v).mean(0)
        return self.base_dist.entropy() + change


__all__ = ["SoftenTransform", "Softened"]
