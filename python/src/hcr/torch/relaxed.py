"""Samples whose limits contradict each other: the parameters of the relaxed region, with their derivative."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..region import Region
from . import operators


class _Relax(torch.autograd.Function):
    """Parameters to those of the relaxed region, by the C library; first derivatives, backwards."""

    @staticmethod
    def forward(x: Tensor, region: Region) -> Tensor:
        found = region.relaxation(x.detach().cpu().numpy())
        return torch.as_tensor(found, dtype=x.dtype, device=x.device)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        x, ctx.region = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx: Any, bar: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        gradient = ctx.region.relaxation.vjp(x.detach().cpu().double().numpy(), bar.cpu().double().numpy())
        return torch.as_tensor(gradient, dtype=x.dtype, device=x.device), None

    @staticmethod
    def vmap(info: Any, dims: Any, x: Tensor, region: Region) -> Any:
        return _Relax.apply(operators.at_front(x, dims[0], info.batch_size), region), 0  # type: ignore[no-untyped-call]


@torch.compiler.disable  # type: ignore[untyped-decorator]
def relax(x: Tensor, region: Region) -> Tensor:
    """The parameters of the relaxed region, (…, p + slacks + 1 + n), from (…, p): `hcr.Relaxation`."""
    result: Tensor = _Relax.apply(x, region)  # type: ignore[no-untyped-call]
    return result


def middle(region: Region, like: Tensor) -> Tensor:
    """Parameters of a sample with a point."""
    found = region.relaxation.middle
    return torch.as_tensor(found, dtype=like.dtype, device=like.device)
