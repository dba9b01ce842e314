"""The maps as operators of torch, ``torch.ops.hcr.contract`` and so on, over the C kernels, or those of a GPU.

An operator takes tensors and plain values alone, so a region is named by its digest: `key` notes it, for good, since a
compiled or exported graph may use it at any time.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from .. import _library
from .._maps import JVPS, MAPS, VJPS, Map, Projection
from ..errors import make
from ..region import Region
from . import formulas, kernels

_noted: dict[str, Any] = {}  # regions by their digests, projections by their keys


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def key(region: Region) -> str:
    """The region's name in graphs."""
    _noted.setdefault(region.digest, region)
    return region.digest


def projection_key(map: Projection) -> str:
    """The projection's name in graphs."""
    return _noted.setdefault(map.key, map).key  # type: ignore[no-any-return]


def _known(name: str) -> Any:
    try:
        return _noted[name]
    except KeyError:
        raise make(
            "name",
            f"the graph needs the region {name[:12]}…, which this process hasn't seen: load it, and pass it to "
            "hcr.torch.operators.key",
        ) from None


def _map(name: str, key: str, bad: str) -> Map:
    known = _known(key)
    return dataclasses.replace(known, bad=bad) if isinstance(known, Projection) else Map(known, name, bad)


def _by_formulas(map: Map, values: Tensor) -> bool:
    """Whether torch's own operations compute the map: elsewhere than on the CPU, where there are no kernels."""
    if values.is_cpu or isinstance(map, Projection) or kernels.of(map.name, map.region, values) is not None:
        return False
    return formulas.serves(map.region)


def _begin(tensor: Tensor | None) -> int | None:
    return None if tensor is None else tensor.data_ptr()


def _call(map: Map, functions: Any, values: Tensor, x: Tensor | None, *rest: int | None) -> None:
    """Calls the library with contiguous float32 or float64 rows on the CPU; x has as many, or is None for a region
    without parameters."""
    map.call(
        functions,
        values.element_size(),
        torch.get_num_threads(),
        values.numel() // values.shape[-1],
        (_begin(x), values.data_ptr(), *rest),
    )


def _room(map: Map, values: Tensor) -> Tensor:
    """For the result."""
    if map.name in ("contract", "soften", "project"):
        return torch.empty_like(values)
    return values.new_empty(map.result_shape(values.shape))


def result(map: Map, values: Tensor, x: Tensor | None) -> Tensor:
    """The map of contiguous rows on the CPU, or where there are kernels."""
    there = kernels.of(map.name, map.region, values)
    if there is not None:
        return there.map(map.name, values, x, map.bad)
    made = _room(map, values)
    _call(map, MAPS, values, x, made.data_ptr(), None)
    return made


def forward(map: Map, values: Tensor, x: Tensor | None) -> tuple[Tensor, Tensor]:
    """The same, and what its derivatives need."""
    rays = values.new_empty((*values.shape[:-1], map.kept), dtype=torch.uint8)
    there = kernels.of(map.name, map.region, values)
    if there is not None:
        return there.map(map.name, values, x, map.bad), rays
    made = _room(map, values)
    _call(map, MAPS, values, x, made.data_ptr(), rays.data_ptr())
    return made, rays


def _like(given: Tensor, values: Tensor) -> Tensor:
    if given.dtype != values.dtype:  # asking costs less than a conversion to the same type
        given = given.to(values.dtype)
    return given.contiguous()


def backward(
    map: Map, values: Tensor, x: Tensor | None, rays: Tensor | None, bar: Tensor
) -> tuple[Tensor, Tensor | None]:
    """The gradients by a map's input and by its parameters, from that by its result."""
    there = kernels.of(map.name, map.region, values)
    if there is not None:
        return there.differentiate(map.name, values, x, _like(bar, values), map.bad)
    bar = _like(bar, values)
    by_values, by_x = torch.empty_like(values), None if x is None else torch.empty_like(x)
    _call(map, VJPS, values, x, _begin(rays), bar.data_ptr(), by_values.data_ptr(), _begin(by_x))
    return by_values, by_x


def push(
    map: Map, values: Tensor, x: Tensor | None, rays: Tensor | None, values_dot: Tensor, x_dot: Tensor | None
) -> Tensor:
    """How a map's result changes, from how its input and its parameters do."""
    there = kernels.of(map.name, map.region, values)
    known = None if x is None or x_dot is None else _like(x_dot, values)
    values_dot = _like(values_dot, values)
    if there is not None:
        return there.push(map.name, values, x, values_dot, known, map.bad)
    made = _room(map, values)
    _call(map, JVPS, values, x, _begin(rays), values_dot.data_ptr(), _begin(known), made.data_ptr())
    return made


library: Any = torch.library.Library("hcr", "DEF")  # type: ignore[no-untyped-call]


def only_once() -> Exception:
    """What second derivatives of the C kernels raise."""
    return make("unsupported", "the C kernels have first derivatives only: for second ones, give formulas=True")


def at_front(tensor: Tensor, dim: int | None, size: int) -> Tensor:
    return tensor.expand(size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)


def _plain(map: Map, *tensors: Tensor | None) -> list[Any]:
    """Contiguous, and on the CPU where there are no kernels for them."""
    stays = kernels.of(map.name, map.region, tensors[0]) is not None  # type: ignore[arg-type]
    return [None if tensor is None else (tensor if stays else tensor.cpu()).contiguous() for tensor in tensors]


def _has_tangent(tensor: Any) -> bool:
    return isinstance(tensor, Tensor) and forward_ad.unpack_dual(tensor).tangent is not None  # type: ignore[no-untyped-call]


def _register_derivatives(name: str, differentiate: Any, push: Any) -> None:
    """torch.library.register_autograd knows no forward mode, and takes tangents for 0."""
    operator = getattr(torch.ops.hcr, name).default

    class Derivatives(torch.autograd.Function):
        @staticmethod
        def forward(keyset: Any, *args: Any) -> Any:
            return below(keyset, *args)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, made: Any) -> None:
            _, *given, ctx.key, ctx.bad = inputs
            results = made if isinstance(made, tuple) else (made,)
            tensors = (*given, *results)
            ctx.save_for_backward(*tensors)
            ctx.save_for_forward(*tensors)
            ctx.mark_non_differentiable(*(t for t in results if t.dtype == torch.uint8))

        @staticmethod
        def backward(ctx: Any, *bars: Any) -> Any:
            return (None, *differentiate(ctx, *bars), None, None)

        @staticmethod
        def jvp(ctx: Any, _: Any, *dots: Any) -> Any:
            return push(ctx, *dots[:-2])

    def below(keyset: Any, *args: Any) -> Any:
        with torch._C._AutoDispatchBelowAutograd():
            return operator.redispatch(keyset & torch._C._after_autograd_keyset, *args)

    def compute(keyset: Any, *args: Any) -> Any:
        wanted = torch.is_grad_enabled() and torch._C._any_requires_grad(*args)
        if wanted or (forward_ad._current_level >= 0 and any(_has_tangent(a) for a in args)):
            return Derivatives.apply(keyset, *args)  # type: ignore[no-untyped-call]
        return below(keyset, *args)

    library.impl(name, compute, "Autograd", with_keyset=True)


def _register(name: str) -> None:
    """In graphs x has as many rows as the values have, and no columns for a region without parameters."""
    tags = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_exact_strides)
    library.define(f"{name}(Tensor values, Tensor x, str key, str bad) -> (Tensor, Tensor)", tags=tags)
    library.define(
        f"{name}_vjp(Tensor values, Tensor x, Tensor rays, Tensor bar, str key, str bad) -> (Tensor, Tensor)", tags=tags
    )
    library.define(
        f"{name}_jvp(Tensor values, Tensor x, Tensor rays, Tensor values_dot, Tensor x_dot, str key, "
        "str bad) -> Tensor",
        tags=tags,
    )
    operator, vjp, jvp = (getattr(torch.ops.hcr, f"{name}{suffix}") for suffix in ("", "_vjp", "_jvp"))

    def known(key: str, bad: str, x: Tensor) -> tuple[Map, Tensor | None]:
        map = _map(name, key, bad)
        return map, x if map.region.p else None

    # By the C kernels where the tensors are on the CPU or torch's operations don't know the region; by a GPU's there.
    def compute(values: Tensor, x: Tensor, key: str, bad: str) -> tuple[Tensor, Tensor]:
        map, given = known(key, bad, x)
        if _by_formulas(map, values):
            rays = values.new_empty((*values.shape[:-1], map.kept), dtype=torch.uint8)
            return formulas.compute(name, values, given, map.region, bad), rays
        made, rays = forward(map, *_plain(map, values, given))
        return made.to(values.device), rays.to(values.device)

    def compute_vjp(values: Tensor, x: Tensor, rays: Tensor, bar: Tensor, key: str, bad: str) -> tuple[Tensor, Tensor]:
        map, given = known(key, bad, x)
        if _by_formulas(map, values):
            by_values, by_x = formulas.differentiate(name, values, given, bar, map.region, bad)
        else:
            by_values, by_x = backward(map, *_plain(map, values, given, rays, bar))
        return by_values.to(values.device), torch.empty_like(x) if by_x is None else by_x.to(x.device)

    def compute_jvp(
        values: Tensor, x: Tensor, rays: Tensor, values_dot: Tensor, x_dot: Tensor, key: str, bad: str
    ) -> Tensor:
        map, given = known(key, bad, x)
        if _by_formulas(map, values):
            return formulas.push(name, values, given, values_dot, x_dot, map.region, bad)
        return push(map, *_plain(map, values, given, rays, values_dot, x_dot)).to(values.device)

    def fake(values: Tensor, x: Tensor, key: str, bad: str) -> tuple[Tensor, Tensor]:
        map = _map(name, key, bad)
        kept = values.new_empty((*values.shape[:-1], map.kept), dtype=torch.uint8)
        return values.new_empty(map.result_shape(values.shape)), kept

    def fake_vjp(values: Tensor, x: Tensor, *_: Any) -> tuple[Tensor, Tensor]:
        return values.new_empty(values.shape), x.new_empty(x.shape)

    def fake_jvp(
        values: Tensor, x: Tensor, rays: Tensor, values_dot: Tensor, x_dot: Tensor, key: str, bad: str
    ) -> Tensor:
        return values.new_empty(_map(name, key, bad).result_shape(values.shape))

    def differentiate(ctx: Any, bar: Tensor | None, _: Any) -> tuple[Tensor | None, Tensor | None]:
        values, x, _, rays = ctx.saved_tensors
        return (None, None) if bar is None else vjp(values, x, rays, bar, ctx.key, ctx.bad)

    def pushed(ctx: Any, values_dot: Tensor | None, x_dot: Tensor | None) -> tuple[Tensor, None]:
        values, x, _, rays = ctx.saved_tensors
        values_dot = torch.zeros_like(values) if values_dot is None else values_dot
        x_dot = torch.zeros_like(x) if x_dot is None else x_dot
        return jvp(values, x, rays, values_dot, x_dot, ctx.key, ctx.bad), None

    def refuse(ctx: Any, *_: Any) -> Any:
        raise only_once()

    def batched(operator: Any, results: Any) -> Any:
        def run(info: Any, dims: tuple[int | None, ...], *args: Any) -> tuple[Any, Any]:
            moved = [at_front(tensor, dim, info.batch_size) for tensor, dim in zip(args[:-2], dims, strict=False)]
            return operator(*moved, *args[-2:]), results

        return run

    registrations: tuple[tuple[Any, ...], ...] = (
        (name, compute, fake, differentiate, pushed, batched(operator, (0, 0))),
        (f"{name}_vjp", compute_vjp, fake_vjp, refuse, refuse, batched(vjp, (0, 0))),
        (f"{name}_jvp", compute_jvp, fake_jvp, refuse, refuse, batched(jvp, 0)),
    )
    for operator_name, function, shape_only, reverse, forwards, over_batch in registrations:
        full = f"hcr::{operator_name}"
        library.impl(operator_name, function, "CompositeExplicitAutograd")
        torch.library.register_fake(full, shape_only, lib=library)
        _register_derivatives(operator_name, reverse, forwards)
        torch.library.register_vmap(full, over_batch, lib=library)


for _name in (*_library.MAPS, "project"):
    _register(_name)
