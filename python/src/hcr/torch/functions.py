"""The maps as functions of tensors."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from ..errors import make
from ..region import Region
from . import operators
from .formulas import compute, serves

_FLOATS = (torch.float32, torch.float64)
_HALVES = (torch.float16, torch.bfloat16)
_PLAIN = (Tensor, torch.nn.Parameter)


class _Map(torch.autograd.Function):
    """A map over the C kernels, for eager tensors: a third of the overhead of an operator."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, name: str, region: Region) -> Tensor:  # type: ignore[override]
        result, ctx.rays = operators.forward(name, values, region)
        ctx.save_for_backward(values)
        ctx.name, ctx.region = name, region
        return result

    @staticmethod
    def backward(ctx: Any, bar: Tensor) -> Any:
        (values,) = ctx.saved_tensors
        if torch.is_grad_enabled():  # this gradient may be differentiated: then it is refused, not taken for constant
            return _Vjp.apply(values, ctx.rays, bar, ctx.name, ctx.region), None, None  # type: ignore[no-untyped-call]
        return operators.backward(ctx.name, values, ctx.rays, bar, ctx.region), None, None


class _Vjp(torch.autograd.Function):
    """The derivative of `_Transformed`, itself under torch.func's transforms."""

    @staticmethod
    def forward(values: Tensor, rays: Tensor, bar: Tensor, name: str, region: Region) -> Tensor:
        return operators.backward(name, values.contiguous(), rays.contiguous(), bar, region)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, bar: Tensor) -> Any:
        raise operators.only_once()

    @staticmethod
    def vmap(info: Any, dims: Any, values: Any, rays: Any, bar: Any, name: str, region: Region) -> Any:
        moved = [operators.at_front(x, dim, info.batch_size) for x, dim in zip((values, rays, bar), dims, strict=False)]
        return _Vjp.apply(*moved, name, region), 0  # type: ignore[no-untyped-call]


class _Transformed(torch.autograd.Function):
    """A map over the C kernels, under torch.func's transforms."""

    @staticmethod
    def forward(values: Tensor, name: str, region: Region) -> tuple[Tensor, Tensor]:
        return operators.forward(name, values.contiguous(), region)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        values, ctx.name, ctx.region = inputs
        ctx.save_for_backward(values, output[1])
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx: Any, bar: Tensor, _: Any) -> Any:
        values, rays = ctx.saved_tensors
        return _Vjp.apply(values, rays, bar, ctx.name, ctx.region), None, None  # type: ignore[no-untyped-call]

    @staticmethod
    def vmap(info: Any, dims: Any, values: Any, name: str, region: Region) -> Any:
        moved = operators.at_front(values, dims[0], info.batch_size)
        return _Transformed.apply(moved, name, region), (0, 0)  # type: ignore[no-untyped-call]


def _is_watched() -> bool:
    """Whether a tracer or forward-mode differentiation follows what is done to tensors."""
    return torch._C._len_torch_dispatch_stack() > 0 or forward_ad._current_level >= 0


def _apply(name: str, values: Tensor, region: Region, formulas: bool) -> Tensor:
    if values.dtype not in _FLOATS:
        if values.dtype not in _HALVES:
            raise TypeError(
                f"{name} of a tensor of {values.dtype}: it must be float32 or float64 (half types become float32)"
            )
        values = values.float()
    width = region.n + 1 if name == "decode" else region.n
    if values.ndim == 0 or values.shape[-1] != width:
        raise make(
            "shape", f"{name} of a tensor of shape {tuple(values.shape)}: its last axis must have {width} entries"
        )
    if (torch.compiler.is_compiling() or torch._C._get_tracing_state() is not None) and torch.onnx.is_in_onnx_export():
        return compute(name, values, region)  # an ONNX file is made of standard operators
    if torch.compiler.is_compiling():
        result: Tensor = getattr(torch.ops.hcr, name)(values, operators.key(region))[0]
        return result
    if not values.is_cpu and not serves(region):
        return _apply(name, values.cpu(), region, formulas).to(values.device)
    if formulas or not values.is_cpu:
        return compute(name, values, region)
    if type(values) not in _PLAIN or _is_watched():
        result = getattr(torch.ops.hcr, name)(values, operators.key(region))[0]
        return result
    if torch._C._are_functorch_transforms_active():
        return _Transformed.apply(values, name, region)[0]  # type: ignore[no-any-return, no-untyped-call]
    values = values.contiguous()
    if values.requires_grad and torch.is_grad_enabled():
        return _Map.apply(values, name, region)  # type: ignore[no-any-return, no-untyped-call]
    return operators.result(name, values, region)


def gauge(v: Tensor, region: Region, *, formulas: bool = False) -> Tensor:
    """How far along each direction the frontier is: origin + v is inside where this is at most 1.

    Args:
        v: (…, n) float32 or float64, measured from the origin; half types become float32.
        region: the region.
        formulas: compute by torch's own operations: twice differentiable.

    Returns:
        (…), of v's type: 0 where nothing stops v, NaN for bad values.
    """
    return _apply("gauge", v, region, formulas)


def encode(y: Tensor, region: Region, *, formulas: bool = False) -> Tensor:
    """Points as unit directions from the origin and radii, which are more than 1 outside.

    Args:
        y: (…, n).
        region: the region.
        formulas: compute by torch's own operations: twice differentiable.

    Returns:
        (…, n + 1).
    """
    return _apply("encode", y, region, formulas)


def decode(polar: Tensor, region: Region, *, formulas: bool = False) -> Tensor:
    """Points of the region from directions and radii: origin + r d/gauge(d), r cut to [0, 1].

    Args:
        polar: (…, n + 1): a direction of any length, then r.
        region: the region.
        formulas: compute by torch's own operations: twice differentiable.

    Returns:
        (…, n), each row exactly inside; the origin for bad values.
    """
    return _apply("decode", polar, region, formulas)


def contract(v: Tensor, region: Region, *, formulas: bool = False) -> Tensor:
    """origin + v where that is in the region, else where the ray along v leaves it.

    Args:
        v: (…, n), measured from the origin.
        region: the region.
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
    return _apply("contract", v, region, formulas)


def soften(v: Tensor, region: Region, *, formulas: bool = False) -> Tensor:
    """origin + v/(1 + gauge(v)): one-to-one onto the interior.

    Args:
        v: (…, n), measured from the origin.
        region: the region.
        formulas: compute by torch's own operations: twice differentiable.

    Returns:
        (…, n), each row exactly inside; the origin for bad values.
    """
    return _apply("soften", v, region, formulas)
