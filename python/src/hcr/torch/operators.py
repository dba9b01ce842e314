"""The maps as operators of torch, ``torch.ops.hcr.contract`` and so on, over the C kernels.

An operator takes tensors and plain values alone, so a region is named by its digest: `key` notes it, for good, since a
compiled or exported graph may use it at any time.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .. import _library
from .._maps import MAPS, NUMPY_TYPES, VJPS, result_shape
from .._records import RAY
from ..errors import make
from ..region import Region
from . import formulas

_TYPES = {torch.float64: NUMPY_TYPES["float64"], torch.float32: NUMPY_TYPES["float32"]}
_noted: dict[str, Region] = {}


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def key(region: Region) -> str:
    """The region's name in graphs."""
    _noted.setdefault(region.digest, region)
    return region.digest


def _region(name: str) -> Region:
    try:
        return _noted[name]
    except KeyError:
        raise make(
            "name",
            f"the graph needs the region {name[:12]}…, which this process hasn't seen: load it, and pass it to "
            "hcr.torch.operators.key",
        ) from None


def _run(name: str, values: Tensor, x: Tensor | None, region: Region, rays: int | None) -> Tensor:
    shape = values.shape
    same = name == "contract" or name == "soften"
    result = torch.empty_like(values) if same else values.new_empty(result_shape(name, region.n, shape))
    region._run(
        MAPS[name, _TYPES[values.dtype]],
        torch.get_num_threads(),
        values.numel() // shape[-1],
        None if x is None else x.data_ptr(),
        values.data_ptr(),
        result.data_ptr(),
        rays,
    )
    return result


def result(name: str, values: Tensor, x: Tensor | None, region: Region) -> Tensor:
    """The map of contiguous float32 or float64 rows on the CPU; x has as many, or is None for a region without
    parameters."""
    return _run(name, values, x, region, None)


def forward(name: str, values: Tensor, x: Tensor | None, region: Region) -> tuple[Tensor, Tensor]:
    """The same, and what the derivative needs."""
    rays = torch.empty((*values.shape[:-1], RAY.itemsize), dtype=torch.uint8)
    return _run(name, values, x, region, rays.data_ptr()), rays


def backward(
    name: str, values: Tensor, x: Tensor | None, rays: Tensor | None, bar: Tensor, region: Region
) -> tuple[Tensor, Tensor | None]:
    """The gradients by a map's input and by its parameters, from that by its result."""
    if bar.dtype != values.dtype:  # asking costs less than a conversion to the same type
        bar = bar.to(values.dtype)
    bar = bar.contiguous()
    by_values = torch.empty_like(values)
    by_x = None if x is None else torch.empty_like(x)
    region._run(
        VJPS[name, _TYPES[values.dtype]],
        torch.get_num_threads(),
        values.numel() // values.shape[-1],
        None if x is None else x.data_ptr(),
        values.data_ptr(),
        None if rays is None else rays.data_ptr(),
        bar.data_ptr(),
        by_values.data_ptr(),
        None if by_x is None else by_x.data_ptr(),
    )
    return by_values, by_x


library: Any = torch.library.Library("hcr", "DEF")  # type: ignore[no-untyped-call]


def only_once() -> Exception:
    """What second derivatives of the C kernels raise."""
    return make("unsupported", "the C kernels have first derivatives only: for second ones, give formulas=True")


def at_front(tensor: Tensor, dim: int | None, size: int) -> Tensor:
    return tensor.expand(size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)


def _plain(tensor: Tensor) -> Tensor:
    """Contiguous and on the CPU."""
    return tensor.cpu().contiguous()


def _register(name: str) -> None:
    """In graphs x has as many rows as the values have, and no columns for a region without parameters."""
    tags = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_exact_strides)
    library.define(f"{name}(Tensor values, Tensor x, str key) -> (Tensor, Tensor)", tags=tags)
    library.define(
        f"{name}_vjp(Tensor values, Tensor x, Tensor rays, Tensor bar, str key) -> (Tensor, Tensor)", tags=tags
    )
    operator, vjp = getattr(torch.ops.hcr, name), getattr(torch.ops.hcr, f"{name}_vjp")

    def compute(values: Tensor, x: Tensor, key: str) -> tuple[Tensor, Tensor]:
        region = _region(key)
        return forward(name, values.contiguous(), x.contiguous() if region.p else None, region)

    def compute_vjp(values: Tensor, x: Tensor, rays: Tensor, bar: Tensor, key: str) -> tuple[Tensor, Tensor]:
        region = _region(key)
        given = x.contiguous() if region.p else None
        by_values, by_x = backward(name, values.contiguous(), given, rays.contiguous(), bar, region)
        return by_values, torch.empty_like(x) if by_x is None else by_x

    def compute_elsewhere(values: Tensor, x: Tensor, key: str) -> tuple[Tensor, Tensor]:
        region = _region(key)
        rays = values.new_empty((*values.shape[:-1], RAY.itemsize), dtype=torch.uint8)
        given = x if region.p else None
        if formulas.serves(region):
            return formulas.compute(name, values, given, region), rays
        plain = None if given is None else _plain(given)
        return result(name, _plain(values), plain, region).to(values.device), rays

    def compute_vjp_elsewhere(values: Tensor, x: Tensor, rays: Tensor, bar: Tensor, key: str) -> tuple[Tensor, Tensor]:
        region = _region(key)
        given = x if region.p else None
        if formulas.serves(region):
            by_values, by_x = formulas.differentiate(name, values, given, bar, region)
        else:
            plain = None if given is None else _plain(given)
            by_values, by_x = backward(name, _plain(values), plain, None, bar.cpu(), region)
        return by_values.to(values.device), torch.empty_like(x) if by_x is None else by_x.to(x.device)

    def fake(values: Tensor, x: Tensor, key: str) -> tuple[Tensor, Tensor]:
        shape = result_shape(name, _region(key).n, values.shape)
        return values.new_empty(shape), values.new_empty((*values.shape[:-1], RAY.itemsize), dtype=torch.uint8)

    def fake_vjp(values: Tensor, x: Tensor, rays: Tensor, bar: Tensor, key: str) -> tuple[Tensor, Tensor]:
        return values.new_empty(values.shape), x.new_empty(x.shape)

    def keep(ctx: Any, inputs: tuple[Tensor, Tensor, str], output: tuple[Tensor, Tensor]) -> None:
        ctx.save_for_backward(inputs[0], inputs[1], output[1])
        ctx.key = inputs[2]
        ctx.mark_non_differentiable(output[1])

    def differentiate(ctx: Any, bar: Tensor | None, _: Any) -> tuple[Tensor | None, Tensor | None, None]:
        values, x, rays = ctx.saved_tensors
        return (None, None, None) if bar is None else (*vjp(values, x, rays, bar, ctx.key), None)

    def differentiate_twice(ctx: Any, *bars: Any) -> Any:
        raise only_once()

    def batched(info: Any, dims: tuple[int | None, ...], *tensors: Any) -> tuple[Any, Any]:
        moved = [at_front(tensor, dim, info.batch_size) for tensor, dim in zip(tensors[:-1], dims, strict=False)]
        return operator(*moved, tensors[-1]), (0, 0)

    def batched_vjp(info: Any, dims: tuple[int | None, ...], *tensors: Any) -> tuple[Any, Any]:
        moved = [at_front(tensor, dim, info.batch_size) for tensor, dim in zip(tensors[:-1], dims, strict=False)]
        return vjp(*moved, tensors[-1]), (0, 0)

    registrations: tuple[tuple[Any, ...], ...] = (
        (name, compute, compute_elsewhere, fake, differentiate, keep, batched),
        (f"{name}_vjp", compute_vjp, compute_vjp_elsewhere, fake_vjp, differentiate_twice, None, batched_vjp),
    )
    for operator_name, cpu, elsewhere, shape_only, derivative, setup, over_batch in registrations:
        full = f"hcr::{operator_name}"
        library.impl(operator_name, cpu, "CPU")
        library.impl(operator_name, elsewhere, "CompositeExplicitAutograd")
        torch.library.register_fake(full, shape_only, lib=library)
        torch.library.register_autograd(full, derivative, setup_context=setup, lib=library)
        torch.library.register_vmap(full, over_batch, lib=library)


for _name in _library.MAPS:
    _register(_name)
