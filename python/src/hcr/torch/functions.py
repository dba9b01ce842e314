"""The maps as functions of tensors."""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor
from torch.autograd import forward_ad

from .. import _rays
from .._arrays import mismatched, wrong_width
from .._maps import NEAREST, Bad, Map, MetricLike, Projection, map_of
from .._relaxation import OnEmpty, known_on_empty
from ..errors import make
from ..region import Region, needs_region
from . import kernels, operators
from .formulas import compute, differentiate, is_forward_twice, push, serves, write
from .relaxed import middle, relax

_FLOATS = (torch.float32, torch.float64)
_HALVES = (torch.float16, torch.bfloat16)
_PLAIN = (Tensor, torch.nn.Parameter)


class _Map(torch.autograd.Function):
    """A map over the C kernels, for eager tensors: a third of the overhead of an operator."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, x: Tensor | None, map: Map) -> Tensor:
        result, ctx.rays = operators.forward(map, values, x)
        ctx.save_for_backward(values, x)
        ctx.map = map
        return result

    @staticmethod
    def backward(ctx: Any, bar: Tensor) -> Any:
        values, x = ctx.saved_tensors
        if torch.is_grad_enabled():  # this gradient may be differentiated
            return *_Vjp.apply(values, x, ctx.rays, bar, ctx.map), None  # type: ignore[no-untyped-call]
        return *operators.backward(ctx.map, values, x, ctx.rays, bar), None


def _contiguous(x: Tensor | None) -> Tensor | None:
    return None if x is None else x.contiguous()


def _at_front(tensors: Any, dims: Any, size: int) -> list[Any]:
    return [
        None if tensor is None else operators.at_front(tensor, dim, size)
        for tensor, dim in zip(tensors, dims, strict=False)
    ]


def _or_zeros(dots: Any, tensors: Any) -> tuple[Any, ...]:
    """Tangents, those that aren't there as zeros; without those of parameters that aren't there."""
    pairs = zip(dots, tensors, strict=True)
    return tuple(torch.zeros_like(t) if dot is None else dot for dot, t in pairs if t is not None)


def _only_once() -> Exception:
    return make("unsupported", "nearest points have first derivatives only: a second one was asked for")


class _Second(torch.autograd.Function):
    """A first derivative by the C kernels; differentiated again by the formulas, where they know the region.

    Its inputs are values, x, rays, what the derivative is multiplied with, and the map.
    """

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        *tensors, ctx.map = inputs
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)

    @classmethod
    def again(cls, ctx: Any) -> tuple[Any, tuple[Tensor, ...], list[int]]:
        """The derivative by the formulas, what it is of, and the places of that among the inputs."""
        if isinstance(ctx.map, Projection):
            raise _only_once()
        if not serves(ctx.map.region):
            _rays.require(ctx.map.region, "differentiating twice")
        tensors = ctx.saved_tensors
        places = [i for i, tensor in enumerate(tensors) if i != 2 and tensor is not None]

        def run(*given: Tensor) -> Any:
            filled = [None] * len(tensors)
            for place, tensor in zip(places, given, strict=True):
                filled[place] = tensor  # type: ignore[call-overload]
            return cls.by_formulas(ctx.map, *filled)

        return run, tuple(tensors[i] for i in places), places

    @staticmethod
    def by_formulas(map: Map, values: Any, x: Any, _: Any, *factors: Any) -> tuple[Tensor, ...]:
        raise NotImplementedError

    @classmethod
    def _backward(cls, ctx: Any, *bars: Any) -> Any:
        run, given, places = cls.again(ctx)
        results, pull = cast(Any, torch.func.vjp)(run, *given)
        gradients = dict(zip(places, pull(_or_zeros(bars[: len(results)], results)), strict=True))
        return *(gradients.get(i) for i in range(len(ctx.saved_tensors))), None


class _Vjp(_Second):
    @staticmethod
    def forward(values: Tensor, x: Tensor | None, rays: Tensor, bar: Tensor, map: Map) -> tuple[Tensor, Tensor | None]:
        return operators.backward(map, values.contiguous(), _contiguous(x), rays.contiguous(), bar)

    @staticmethod
    def by_formulas(map: Map, values: Any, x: Any, _: Any, *factors: Any) -> tuple[Tensor, ...]:
        by_values, by_x = differentiate(map.name, values, x, factors[0], map.region, map.bad)
        return (by_values,) if by_x is None else (by_values, by_x)

    @staticmethod
    def backward(ctx: Any, *bars: Any) -> Any:
        return _Vjp._backward(ctx, *bars)

    @staticmethod
    def jvp(ctx: Any, *dots: Any) -> Any:
        run, given, places = _Vjp.again(ctx)
        given = tuple(tensor.contiguous() for tensor in given)  # dual numbers of expanded tensors are refused
        results = torch.func.jvp(run, given, _or_zeros([dots[i] for i in places], given))[1]
        return results if len(results) == 2 else (*results, None)

    @staticmethod
    def vmap(info: Any, dims: Any, values: Any, x: Any, rays: Any, bar: Any, map: Map) -> Any:
        moved = _at_front((values, x, rays, bar), dims, info.batch_size)
        return _Vjp.apply(*moved, map), (0, None if x is None else 0)  # type: ignore[no-untyped-call]


class _Jvp(_Second):
    @staticmethod
    def forward(
        values: Tensor, x: Tensor | None, rays: Tensor, values_dot: Tensor, x_dot: Tensor | None, map: Map
    ) -> Tensor:
        return operators.push(map, values.contiguous(), _contiguous(x), rays.contiguous(), values_dot, x_dot)

    @staticmethod
    def by_formulas(map: Map, values: Any, x: Any, _: Any, *factors: Any) -> tuple[Tensor, ...]:
        values_dot, x_dot = factors
        return (push(map.name, values, x, values_dot, x_dot, map.region, map.bad),)

    @staticmethod
    def backward(ctx: Any, *bars: Any) -> Any:
        return _Jvp._backward(ctx, *bars)

    @staticmethod
    def vmap(info: Any, dims: Any, values: Any, x: Any, rays: Any, values_dot: Any, x_dot: Any, map: Map) -> Any:
        moved = _at_front((values, x, rays, values_dot, x_dot), dims, info.batch_size)
        return _Jvp.apply(*moved, map), 0  # type: ignore[no-untyped-call]


class _Transformed(torch.autograd.Function):
    """A map over the C kernels, under torch.func's transforms and with dual numbers."""

    @staticmethod
    def forward(values: Tensor, x: Tensor | None, map: Map) -> tuple[Tensor, Tensor]:
        return operators.forward(map, values.contiguous(), _contiguous(x))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        values, x, ctx.map = inputs
        ctx.save_for_backward(values, x, output[1])
        ctx.save_for_forward(values, x, output[1])
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx: Any, bar: Tensor, _: Any) -> Any:
        return *_Vjp.apply(*ctx.saved_tensors, bar, ctx.map), None  # type: ignore[no-untyped-call]

    @staticmethod
    def jvp(ctx: Any, values_dot: Any, x_dot: Any, _: Any) -> Any:
        values, x, rays = ctx.saved_tensors
        values_dot = torch.zeros_like(values) if values_dot is None else values_dot
        x_dot = torch.zeros_like(x) if x is not None and x_dot is None else x_dot
        return _Jvp.apply(values, x, rays, values_dot, x_dot, ctx.map), None  # type: ignore[no-untyped-call]

    @staticmethod
    def vmap(info: Any, dims: Any, values: Any, x: Any, map: Map) -> Any:
        moved = _at_front((values, x), dims, info.batch_size)
        return _Transformed.apply(*moved, map), (0, 0)  # type: ignore[no-untyped-call]


def _is_watched() -> bool:
    """Whether a tracer follows what is done to tensors."""
    return torch._C._len_torch_dispatch_stack() > 0 or torch._C._get_tracing_state() is not None


def is_plain(values: Tensor, x: Tensor | None) -> bool:
    """Whether values are eager tensors on the CPU, which no tracer and no transform follows."""
    return (
        not torch.compiler.is_compiling()
        and values.is_cpu
        and values.dtype in _FLOATS
        and type(values) in _PLAIN
        and (x is None or (x.is_cpu and type(x) in _PLAIN))
        and not (_is_watched() or torch._C._are_functorch_transforms_active() or forward_ad._current_level >= 0)
    )


def checked(values: Tensor, width: int, what: str) -> Tensor:
    if not isinstance(values, Tensor):
        raise TypeError(f"hcr.torch.{what} takes a tensor, not {type(values).__name__}: NumPy's go into region.{what}")
    if values.dtype not in _FLOATS:
        if values.dtype not in _HALVES:
            raise TypeError(
                f"{what} of a tensor of {values.dtype}: it must be float32 or float64 (half types become float32)"
            )
        values = values.float()
    if values.ndim == 0 or values.shape[-1] != width:
        raise wrong_width(f"{what}'s tensor", values.shape, width)
    return values


def _beside(values: Tensor, x: Tensor, region: Region) -> tuple[Tensor, Tensor]:
    """Values and parameters of the same type and batch shape."""
    x = checked(x, region.p, "parameters")
    if x.dtype != values.dtype:
        values, x = values.double(), x.double()
    if x.shape[:-1] != values.shape[:-1]:
        try:
            shape = torch.broadcast_shapes(x.shape[:-1], values.shape[:-1])  # type: ignore[no-untyped-call]
        except RuntimeError:
            raise mismatched(values.shape, x.shape) from None
        values, x = values.expand(*shape, values.shape[-1]), x.expand(*shape, x.shape[-1])
    return values, x


def _apply(
    name: str,
    values: Tensor,
    region: Region,
    x: Tensor | None,
    formulas: bool = False,
    bad: Bad = "nan",
    metric: MetricLike = None,
    on_empty: OnEmpty = "nan",
) -> Tensor:
    needs_region(region, f"hcr.torch.{name}")
    values = checked(values, region.n + (name == "decode"), name)
    if on_empty != "nan" and known_on_empty(on_empty) and x is not None and region.p:
        return _relaxed(name, values, region, x, formulas, bad, metric, on_empty)
    if x is not None and region.p:
        values, x = _beside(values, x, region)
    elif x is not None or region.p:
        region._given(x)  # says what is wrong
    if not formulas and is_plain(values, x):  # what follows asks for more than a row takes
        return _eager(map_of(region, name, bad, metric), values, x)
    projects, compiling = name in NEAREST, torch.compiler.is_compiling()
    if (compiling or torch._C._get_tracing_state() is not None) and torch.onnx.is_in_onnx_export():
        if not projects:
            return write(name, values, x, region)
        raise make(
            "unsupported",
            f"an ONNX graph can't have {name}: its steps have no bound. Export contract, or project after the graph",
        )
    if compiling:
        return _operator(name, values, x, region, bad, metric)
    twice = is_forward_twice()
    if projects and twice:
        raise _only_once()
    if twice:
        _rays.require(region, "forward mode within forward mode")
    runs = values.is_cpu or (not projects and kernels.of(name, region, values) is not None)
    if not projects:
        if not runs and not serves(region):
            return _apply(name, values.cpu(), region, None if x is None else x.cpu(), formulas, bad).to(values.device)
        if formulas or twice or not runs:
            return compute(name, values, x, region, bad)
    plain = runs and type(values) in _PLAIN and (x is None or type(x) in _PLAIN)
    if not plain or _is_watched():
        return _operator(name, values, x, region, bad, metric)
    map = map_of(region, name, bad, metric)
    if torch._C._are_functorch_transforms_active() or forward_ad._current_level >= 0:
        return _Transformed.apply(values, x, map)[0]  # type: ignore[no-any-return, no-untyped-call]
    return _eager(map, values, x)


def _eager(map: Map, values: Tensor, x: Tensor | None) -> Tensor:
    values, x = values.contiguous(), None if x is None else x.contiguous()
    if (values.requires_grad or (x is not None and x.requires_grad)) and torch.is_grad_enabled():
        return _Map.apply(values, x, map)  # type: ignore[no-any-return, no-untyped-call]
    return operators.result(map, values, x)


def _relaxed(
    name: str,
    values: Tensor,
    region: Region,
    x: Tensor,
    formulas: bool,
    bad: Bad,
    metric: MetricLike,
    on_empty: OnEmpty,
) -> Tensor:
    """A map where samples whose limits contradict each other are relaxed: both maps of all rows, each of which gets a
    sample that is its own or, so that no derivative is NaN, one with a point."""
    map = region.relaxation.map(map_of(region, name, bad, metric), on_empty)
    values, x = _beside(values, x, region)
    given = relax(x, region)
    gives = (given[..., region.p : -region.n - 1] != 0).any(-1, keepdim=True)
    safe = middle(region, x)
    result = _apply(name, values, region, torch.where(gives, safe[: region.p], x), formulas, bad, metric)
    offset = given[..., -region.n :] if map.name != name else 0
    with_slacks = torch.where(gives, given, safe)
    relaxed = _apply(map.name, values + offset, map.region, with_slacks, formulas, bad, metric)
    return torch.where(gives if relaxed.ndim == values.ndim else gives.squeeze(-1), relaxed, result)


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def _key_of_nearest(region: Region, name: str, metric: MetricLike) -> str:
    return operators.projection_key(cast(Projection, map_of(region, name, "nan", metric)))


def _operator(name: str, values: Tensor, x: Tensor | None, region: Region, bad: str, metric: MetricLike) -> Tensor:
    given = values.new_empty((*values.shape[:-1], 0)) if x is None else x
    if name in NEAREST:
        nearest: Tensor = torch.ops.hcr.project(values, given, _key_of_nearest(region, name, metric), bad)[0]
        return nearest
    result: Tensor = getattr(torch.ops.hcr, name)(values, given, operators.key(region), bad)[0]
    return result


def origin(x: Tensor, region: Region) -> Tensor:
    """The origins O(x) of samples, with their derivatives: (…, p) → (…, n)."""
    return decode(x.new_zeros(*x.shape[:-1], region.n + 1), region, x)


def origins(x: Tensor, region: Region) -> Tensor:
    """The same by the C kernels, without derivatives."""
    given = x.detach().cpu()
    polar = given.new_zeros(*given.shape[:-1], region.n + 1)
    found: Tensor = _Transformed.apply(polar, given, Map(region, "decode", "nan"))[0]  # type: ignore[no-untyped-call]
    return found.detach().to(x.device)


def gauge(v: Tensor, region: Region, x: Tensor | None = None, *, formulas: bool = False) -> Tensor:
    """How far along each direction the frontier is: origin + v is inside where this is at most 1. (…, n) to (…), of v's
    type: 0 where nothing stops v, NaN for bad values. Arguments as for `contract`."""
    return _apply("gauge", v, region, x, formulas, "nan")


def encode(y: Tensor, region: Region, x: Tensor | None = None, *, formulas: bool = False, bad: Bad = "nan") -> Tensor:
    """Points (…, n) as unit directions from the origin and radii, (…, n + 1); a radius is more than 1 outside.
    Arguments as for `contract`."""
    return _apply("encode", y, region, x, formulas, bad)


def decode(
    polar: Tensor,
    region: Region,
    x: Tensor | None = None,
    *,
    formulas: bool = False,
    bad: Bad = "nan",
    on_empty: OnEmpty = "nan",
) -> Tensor:
    """Points (…, n) of the region, each row exactly inside, from directions of any length and radii, (…, n + 1):
    origin + r d/gauge(d), r cut to [0, 1]. Arguments as for `contract`."""
    return _apply("decode", polar, region, x, formulas, bad, on_empty=on_empty)


def contract(
    v: Tensor,
    region: Region,
    x: Tensor | None = None,
    *,
    formulas: bool = False,
    bad: Bad = "nan",
    on_empty: OnEmpty = "nan",
) -> Tensor:
    """origin + v where that is in the region, else where the ray along v leaves it.

    Args:
        v: (…, n) float32 or float64, measured from the origin; half types become float32.
        region: the region.
        x: (…, p), its parameters, when it has such: a row a sample, or one for all.
        formulas: compute by torch's own operations; for boxes, rows, quadratics, cones and equalities.
        bad: what stands for rows with a NaN or an infinity, ``"nan"`` or ``"origin"``.
        on_empty: what becomes of rows whose limits contradict each other: ``"nan"``, ``"relax"`` or ``"nearest"``
            (`hcr.Region.relaxation`); derivatives are then backwards only.

    Returns:
        (…, n), each row exactly inside, or NaN for bad values. The gradient is the identity inside, and exactly 0
        where the target lies straight on the other side of the origin (docs/python.md, "What the gradient can't
        say"); that of a row of NaN is NaN.

    >>> import hcr, hcr.torch, torch
    >>> disc = hcr.Region("var y[2]\\nnorm(y) <= 1")
    >>> v = torch.tensor([[3.0, 0.0], [0.1, 0.2]], requires_grad=True)
    >>> y = hcr.torch.contract(v, disc)
    >>> y.sum().backward()
    >>> v.grad.numpy().round(4).tolist()
    [[0.0, 0.33329999446868896], [1.0, 1.0]]
    """
    return _apply("contract", v, region, x, formulas, bad, on_empty=on_empty)


def soften(
    v: Tensor,
    region: Region,
    x: Tensor | None = None,
    *,
    formulas: bool = False,
    bad: Bad = "nan",
    on_empty: OnEmpty = "nan",
) -> Tensor:
    """origin + v/(1 + gauge(v)), one-to-one onto the interior: (…, n) to (…, n), each row exactly inside. Arguments as
    for `contract`."""
    return _apply("soften", v, region, x, formulas, bad, on_empty=on_empty)


def soften_inverse(y: Tensor, region: Region, x: Tensor | None = None) -> Tensor:
    """The v that soften takes to y: (y − origin)/(1 − gauge(y − origin)), (…, n) to (…, n).

    Computed in float64. Points on the frontier, where rounding may put results of soften, have no such v: they are
    taken for points inside by the margin (`Region.margin`). Outside by more than that it is NaN.
    """
    needs_region(region, "hcr.torch.soften_inverse")
    y = checked(y, region.n, "soften_inverse")
    if x is None or region.origin_form != "checked":
        return stretched(y, region, x)
    values, given = _beside(y, x, region)
    if serves(region) and not y.is_cpu:
        return compute("soften_inverse", values, given, region)
    map = Map(region, "soften_inverse")
    found: Tensor = _Transformed.apply(values.cpu(), given.cpu(), map)[0]  # type: ignore[no-untyped-call]
    return found.to(y.device)


def stretched(y: Tensor, region: Region, x: Tensor | None) -> Tensor:
    """(y − origin)/(1 − gauge(y − origin)), also where soften doesn't keep directions: in gaps about to close."""
    x = None if x is None else x.double()
    start = torch.tensor(region.origin, dtype=torch.float64, device=y.device) if x is None else origin(x, region)
    offset = y.double() - start
    step = _rays.resolution(region, "float64" if y.dtype == torch.float64 else "float32")
    left = 1 - gauge(offset, region, x)
    left = torch.where(left > -step, left.clamp(min=step), float("nan"))
    return (offset / left.unsqueeze(-1)).to(y.dtype)


def project(
    points: Tensor,
    region: Region,
    x: Tensor | None = None,
    *,
    metric: MetricLike = None,
    bad: Bad = "nan",
    on_empty: OnEmpty = "nan",
) -> Tensor:
    """The nearest points of the region, exactly inside it.

    Args:
        points: (…, n).
        region: the region.
        x: (…, p), its parameters, when it has such: a row a sample, or one for all.
        metric: Q of the distance (y − v)'Q(y − v): constant, (n,) for a diagonal or (n, n).
        bad: what stands for rows with a NaN or an infinity, ``"nan"`` or ``"origin"``.

    Returns:
        (…, n). It has first derivatives, by points and parameters, in either mode; at a kink an element of the
        generalised Jacobian. Across the constraints that hold a result its gradient is 0.

    >>> import hcr, hcr.torch, torch
    >>> region = hcr.Region("var y[2]\\ny >= 0\\nsum(y) == 1")
    >>> v = torch.tensor([[0.9, 0.5], [3.0, 0.0]], dtype=torch.float64, requires_grad=True)
    >>> hcr.torch.project(v, region)[:, 0].sum().backward()
    >>> v.grad.numpy().round(9).tolist()
    [[0.5, -0.5], [0.0, 0.0]]
    """
    return _apply("project", points, region, x, bad=bad, metric=metric, on_empty=on_empty)


def minimise(
    p: Tensor, region: Region, x: Tensor | None = None, *, metric: MetricLike = None, bad: Bad = "nan"
) -> Tensor:
    """The points y of the region that minimise ½ y'Qy + p'y, exactly inside it, (…, n), with derivatives and arguments
    as of `project`. A Q that isn't definite gets a small multiple of the identity added (`hcr.Region.minimise`); None:
    0, a linear program."""
    return _apply("minimise", p, region, x, bad=bad, metric=metric)
