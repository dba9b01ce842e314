"""The maps as functions of tensors."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from ..errors import make
from ..region import Region, needs_region
from . import operators
from .formulas import compute, serves, write

_FLOATS = (torch.float32, torch.float64)
_HALVES = (torch.float16, torch.bfloat16)
_PLAIN = (Tensor, torch.nn.Parameter)


class _Map(torch.autograd.Function):
    """A map over the C kernels, for eager tensors: a third of the overhead of an operator."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, x: Tensor | None, name: str, region: Region) -> Tensor:  # type: ignore[override]
        result, ctx.rays = operators.forward(name, values, x, region)
        ctx.save_for_backward(values, x)
        ctx.name, ctx.region = name, region
        return result

    @staticmethod
    def backward(ctx: Any, bar: Tensor) -> Any:
        values, x = ctx.saved_tensors
        if torch.is_grad_enabled():  # this gradient may be differentiated: then it is refused, not taken for constant
            return *_Vjp.apply(values, x, ctx.rays, bar, ctx.name, ctx.region), None, None  # type: ignore[no-untyped-call]
        return *operators.backward(ctx.name, values, x, ctx.rays, bar, ctx.region), None, None


def _contiguous(x: Tensor | None) -> Tensor | None:
    return None if x is None else x.contiguous()


def _at_front(tensors: Any, dims: Any, size: int) -> list[Any]:
    return [
        None if tensor is None else operators.at_front(tensor, dim, size)
        for tensor, dim in zip(tensors, dims, strict=False)
    ]


class _Vjp(torch.autograd.Function):
    """The derivative of `_Transformed`, itself under torch.func's transforms."""

    @staticmethod
    def forward(
        values: Tensor, x: Tensor | None, rays: Tensor, bar: Tensor, name: str, region: Region
    ) -> tuple[Tensor, Tensor | None]:
        return operators.backward(name, values.contiguous(), _contiguous(x), rays.contiguous(), bar, region)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, *bars: Any) -> Any:
        raise operators.only_once()

    @staticmethod
    def vmap(info: Any, dims: Any, values: Any, x: Any, rays: Any, bar: Any, name: str, region: Region) -> Any:
        moved = _at_front((values, x, rays, bar), dims, info.batch_size)
        return _Vjp.apply(*moved, name, region), (0, None if x is None else 0)  # type: ignore[no-untyped-call]


class _Transformed(torch.autograd.Function):
    """A map over the C kernels, under torch.func's transforms."""

    @staticmethod
    def forward(values: Tensor, x: Tensor | None, name: str, region: Region) -> tuple[Tensor, Tensor]:
        return operators.forward(name, values.contiguous(), _contiguous(x), region)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        values, x, ctx.name, ctx.region = inputs
        ctx.save_for_backward(values, x, output[1])
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx: Any, bar: Tensor, _: Any) -> Any:
        values, x, rays = ctx.saved_tensors
        return *_Vjp.apply(values, x, rays, bar, ctx.name, ctx.region), None, None  # type: ignore[no-untyped-call]

    @staticmethod
    def vmap(info: Any, dims: Any, values: Any, x: Any, name: str, region: Region) -> Any:
        moved = _at_front((values, x), dims, info.batch_size)
        return _Transformed.apply(*moved, name, region), (0, 0)  # type: ignore[no-untyped-call]


def _is_watched() -> bool:
    """Whether a tracer or forward-mode differentiation follows what is done to tensors."""
    return torch._C._len_torch_dispatch_stack() > 0 or forward_ad._current_level >= 0


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
        raise make(
            "shape", f"{what} of a tensor of shape {tuple(values.shape)}: its last axis must have {width} entries"
        )
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
            raise make(
                "shape",
                f"x has the shape {tuple(x.shape)} beside {tuple(values.shape)}: as many rows are needed, or one",
            ) from None
        values, x = values.expand(*shape, values.shape[-1]), x.expand(*shape, x.shape[-1])
    return values, x


def _apply(name: str, values: Tensor, region: Region, x: Tensor | None, formulas: bool) -> Tensor:
    needs_region(region, f"hcr.torch.{name}")
    values = checked(values, region.n + 1 if name == "decode" else region.n, name)
    if x is not None and region.p:
        values, x = _beside(values, x, region)
    elif x is not None or region.p:
        region._given(x)  # type: ignore[arg-type]  # says what is wrong
    if (torch.compiler.is_compiling() or torch._C._get_tracing_state() is not None) and torch.onnx.is_in_onnx_export():
        return write(name, values, x, region)
    if torch.compiler.is_compiling():
        return _operator(name, values, x, region)
    if not values.is_cpu and not serves(region):
        return _apply(name, values.cpu(), region, None if x is None else x.cpu(), formulas).to(values.device)
    if formulas or not values.is_cpu:
        return compute(name, values, x, region)
    if type(values) not in _PLAIN or (x is not None and type(x) not in _PLAIN) or _is_watched():
        return _operator(name, values, x, region)
    if torch._C._are_functorch_transforms_active():
        return _Transformed.apply(values, x, name, region)[0]  # type: ignore[no-any-return, no-untyped-call]
    values, x = values.contiguous(), _contiguous(x)
    if (values.requires_grad or (x is not None and x.requires_grad)) and torch.is_grad_enabled():
        return _Map.apply(values, x, name, region)  # type: ignore[no-any-return, no-untyped-call]
    return operators.result(name, values, x, region)


def _operator(name: str, values: Tensor, x: Tensor | None, region: Region) -> Tensor:
    given = values.new_empty((*values.shape[:-1], 0)) if x is None else x
    result: Tensor = getattr(torch.ops.hcr, name)(values, given, operators.key(region))[0]
    return result


def origin(x: Tensor, region: Region) -> Tensor:
    """The origins O(x) of samples, with their derivatives: (…, p) → (…, n)."""
    return decode(x.new_zeros(*x.shape[:-1], region.n + 1), region, x)


def gauge(v: Tensor, region: Region, x: Tensor | None = None, *, formulas: bool = False) -> Tensor:
    """How far along each direction the frontier is: origin + v is inside where this is at most 1.

    Args:
        v: (…, n) float32 or float64, measured from the origin; half types become float32.
        region: the region.
        x: (…, p), its parameters, when it has such: a row a sample, or one for all.
        formulas: compute by torch's own operations: twice differentiable.

    Returns:
        (…), of v's type: 0 where nothing stops v, NaN for bad values.
    """
    return _apply("gauge", v, region, x, formulas)


def encode(y: Tensor, region: Region, x: Tensor | None = None, *, formulas: bool = False) -> Tensor:
    """Points as unit directions from the origin and radii, which are more than 1 outside.

    Args:
        y: (…, n).
        region: the region.
        x: (…, p), its parameters, when it has such: a row a sample, or one for all.
        formulas: compute by torch's own operations: twice differentiable.

    Returns:
        (…, n + 1).
    """
    return _apply("encode", y, region, x, formulas)


def decode(polar: Tensor, region: Region, x: Tensor | None = None, *, formulas: bool = False) -> Tensor:
    """Points of the region from directions and radii: origin + r d/gauge(d), r cut to [0, 1].

    Args:
        polar: (…, n + 1): a direction of any length, then r.
        region: the region.
        x: (…, p), its parameters, when it has such: a row a sample, or one for all.
        formulas: compute by torch's own operations: twice differentiable.

    Returns:
        (…, n), each row exactly inside; the origin for bad values.
    """
    return _apply("decode", polar, region, x, formulas)


def contract(v: Tensor, region: Region, x: Tensor | None = None, *, formulas: bool = False) -> Tensor:
    """origin + v where that is in the region, else where the ray along v leaves it.

    Args:
        v: (…, n), measured from the origin.
        region: the region.
        x: (…, p), its parameters, when it has such: a row a sample, or one for all.
        formulas: compute by torch's own operations: twice differentiable.

    Returns:
        (…, n), each row exactly inside; the origin for bad values. The gradient is finite everywhere: the identity
        inside, and at a bad value 0.

    >>> import hcr, hcr.torch, torch
    >>> disc = hcr.Region("var y[2]\\nnorm(y) <= 1")
    >>> v = torch.tensor([[3.0, 0.0], [0.1, 0.2]], requires_grad=True)
    >>> y = hcr.torch.contract(v, disc)
    >>> y.sum().backward()
    >>> v.grad.numpy().round(4).tolist()
    [[0.0, 0.33329999446868896], [1.0, 1.0]]
    """
    return _apply("contract", v, region, x, formulas)


def soften(v: Tensor, region: Region, x: Tensor | None = None, *, formulas: bool = False) -> Tensor:
    """origin + v/(1 + gauge(v)): one-to-one onto the interior.

    Args:
        v: (…, n), measured from the origin.
        region: the region.
        x: (…, p), its parameters, when it has such: a row a sample, or one for all.
        formulas: compute by torch's own operations: twice differentiable.

    Returns:
        (…, n), each row exactly inside; the origin for bad values.
    """
    return _apply("soften", v, region, x, formulas)
