"""The maps by torch's own operations, for devices that the C kernels don't run on."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack
from torch.utils._python_dispatch import _disable_current_modes

from .. import _formulas, _rays
from ..errors import make
from ..region import Region


class Torch:
    """The formulas' arrays in torch."""

    def __init__(self, precision: _formulas.Precision, device: torch.device) -> None:
        self.arithmetic: torch.dtype = getattr(torch, precision.arithmetic)
        self.result: torch.dtype = getattr(torch, precision.result)
        self.device = device

    def constant(self, value: Any) -> Tensor:
        return self._tensor(value, self.arithmetic)

    def result_constant(self, value: Any) -> Tensor:
        return self._tensor(value, self.result)

    def _tensor(self, value: Any, type: torch.dtype) -> Tensor:
        # real memory, also while a tracer looks on or a transform has its own
        with temporarily_clear_interpreter_stack(), _disable_current_modes(), torch.inference_mode(False):
            return torch.tensor(value, dtype=type, device=self.device)

    def to_result(self, x: Tensor) -> Tensor:
        return x.to(self.result)

    def from_result(self, x: Tensor) -> Tensor:
        return x.to(self.arithmetic)

    def quadratic_forms(self, x: Tensor, matrices: Tensor) -> Tensor:
        k, n, _ = matrices.shape
        products = torch.matmul(x, matrices.permute(1, 0, 2).reshape(n, k * n))
        return (products.reshape(*x.shape[:-1], k, n) * x.unsqueeze(-2)).sum(-1)

    def gather(self, x: Tensor, columns: Any) -> Tensor:
        return x.index_select(-1, self._tensor(columns, torch.int64))

    def maximum(self, a: Tensor, b: Any) -> Tensor:
        return torch.maximum(a, b) if isinstance(b, Tensor) else a.clamp(min=b)

    def minimum(self, a: Tensor, b: Any) -> Tensor:
        return torch.minimum(a, b) if isinstance(b, Tensor) else a.clamp(max=b)

    def sum_last(self, x: Tensor) -> Tensor:
        return x.sum(-1, keepdim=True)

    def max_last(self, x: Tensor) -> Tensor:
        return x.gather(-1, x.argmax(-1, keepdim=True))

    def concatenate(self, parts: list[Tensor]) -> Tensor:
        return torch.cat(parts, -1)

    def without_derivative(self, x: Tensor) -> Tensor:
        return x.detach()

    has_library = True
    differentiates = True

    def centre(self, region: Any, x: Tensor) -> Tensor:
        from .functions import origins  # which needs this module

        return origins(x, region)

    def unsqueeze(self, x: Tensor) -> Tensor:
        return x.unsqueeze(-2)

    def column(self, x: Tensor) -> Tensor:
        return x.unsqueeze(-1)

    def sum_rows(self, x: Tensor, weights: Tensor) -> Tensor:
        return (x * weights.unsqueeze(-1)).sum(-2)

    def gram(self, weights: Tensor, rows: Tensor) -> Tensor:
        return torch.matmul(rows.mT * weights.unsqueeze(-2), rows)

    def solve(self, matrix: Tensor, right: Tensor, size: int) -> Tensor:
        solved: Tensor = torch.linalg.solve(matrix, right.unsqueeze(-1))
        return solved.squeeze(-1)

    matmul = staticmethod(torch.matmul)
    where = staticmethod(torch.where)
    abs = staticmethod(torch.abs)
    round = staticmethod(torch.round)
    sqrt = staticmethod(torch.sqrt)


class _Written(Torch):
    """The same for an ONNX graph that a tracer writes down.

    Its optimisers, torch's and onnxruntime's, drop products and quotients by a single number within 1e-5 of 1, and sums
    with one near 0: the margin, or a slack, would be lost. So single numbers are chosen while the graph runs, by a
    condition that always holds and that no optimiser decides.
    """

    def __init__(self, precision: _formulas.Precision, values: Tensor) -> None:
        super().__init__(precision, values.device)
        self.holds = ~(values[..., :1].abs() < 0)  # also for a NaN

    def constant(self, value: Any) -> Tensor:
        tensor = super().constant(value)
        return tensor if tensor.ndim > 1 or tensor.numel() != 1 else torch.where(self.holds, tensor, 3.0)


def _precision(result: str, device: torch.device) -> _formulas.Precision:
    # Apple's GPUs know no float64.
    return _formulas.Precision("float32" if device.type == "mps" and result == "float32" else "float64", result)


def maps(region: Region, result: str, device: torch.device, bad: str) -> _formulas.Maps:
    precision, what = _precision(result, device), f"computing on {device.type} by torch's operations"
    found: _formulas.Maps = region._once(
        f"torch {device} {result} {bad}",
        lambda: _formulas.Maps(region, Torch(precision, device), precision, what, bad),
    )
    return found


def is_forward_twice() -> bool:
    """Whether forward mode is within forward mode, which takes the derivative of an autograd.Function's jvp for 0."""
    stack = torch._C._functorch.get_interpreter_stack() or ()
    return sum(level.key() == torch._C._functorch.TransformType.Jvp for level in stack) > 1


class _Lost(torch.autograd.Function):
    """The result, which has no derivative where a row of it is NaN: NaN, unless it is multiplied with 0 there.

    Differentiated, the formulas would say 0, since such a row is a constant.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(result: Tensor, lost: Tensor, values: Tensor, x: Tensor | None) -> Tensor:
        return result.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Tensor) -> None:
        ctx.save_for_backward(*inputs[1:])
        ctx.save_for_forward(*inputs[1:])

    @staticmethod
    def backward(ctx: Any, bar: Tensor) -> Any:
        lost, values, x = ctx.saved_tensors
        spoiled = torch.where(lost & (bar != 0).any(-1, keepdim=True), float("nan"), 0.0).to(bar.dtype)
        by_x = None if x is None else spoiled.to(x.dtype).expand_as(x)
        return torch.where(lost, 0.0, bar), None, spoiled.to(values.dtype).expand_as(values), by_x

    @staticmethod
    def jvp(ctx: Any, dot: Any, _: Any, values_dot: Any, x_dot: Any) -> Tensor:
        lost = ctx.saved_tensors[0]
        moves = torch.zeros_like(lost)
        for change in (values_dot, x_dot):
            if change is not None:
                moves = moves | (change != 0).any(-1, keepdim=True)
        return torch.where(lost & moves, float("nan"), dot)


def write(name: str, values: Tensor, x: Tensor | None, region: Region) -> Tensor:
    """A map for torch.onnx.export: an ONNX file is made of standard operators."""
    if region.p and region.origin_form == "checked":
        raise make("unsupported", "torch.onnx.export can't write the centres of samples: hcr.onnx.export does")
    precision = _precision(str(values.dtype)[6:], values.device)
    arrays = _Written(precision, values)
    result = _run(_formulas.Maps(region, arrays, precision, "an ONNX graph"), name, values, x)
    return result.squeeze(-1) if name == "gauge" else result


def compute(name: str, values: Tensor, x: Tensor | None, region: Region, bad: str = "nan") -> Tensor:
    """A map by torch's operations, differentiable as often as wanted."""
    result = _run(maps(region, str(values.dtype)[6:], values.device, bad), name, values, x)
    if not is_forward_twice():
        lost = torch.isnan(result).any(-1, keepdim=True)
        result = _Lost.apply(result, lost, values, x)  # type: ignore[no-untyped-call]
    return result.squeeze(-1) if name == "gauge" else result


def _run(found: _formulas.Maps, name: str, values: Tensor, x: Tensor | None) -> Tensor:
    arithmetic = found.arrays.arithmetic  # type: ignore[attr-defined]
    given = () if x is None else (x.to(arithmetic),)
    result: Tensor = getattr(found, name)(values.to(arithmetic), *given)
    return result.to(values.dtype)


def _inputs(values: Tensor, x: Tensor | None) -> tuple[Tensor, ...]:
    return (values,) if x is None else (values, x)


def differentiate(
    name: str, values: Tensor, x: Tensor | None, bar: Tensor, region: Region, bad: str = "nan"
) -> tuple[Tensor, Tensor | None]:
    """The gradients by a map's input and its parameters, from that by its result; differentiable themselves."""
    pull: Any = torch.func.vjp(lambda values, x=None: compute(name, values, x, region, bad), *_inputs(values, x))[1]
    gradients = pull(bar)
    return gradients[0], None if x is None else gradients[1]


def push(
    name: str,
    values: Tensor,
    x: Tensor | None,
    values_dot: Tensor,
    x_dot: Tensor | None,
    region: Region,
    bad: str = "nan",
) -> Tensor:
    """How a map's result changes when its input and its parameters do; differentiable itself."""
    dots = _inputs(values_dot, None if x is None else torch.zeros_like(x) if x_dot is None else x_dot)
    given = tuple(tensor.contiguous() for tensor in _inputs(values, x))  # dual numbers of expanded tensors are refused
    result: Tensor = torch.func.jvp(lambda values, x=None: compute(name, values, x, region, bad), given, dots)[1]
    return result


def serves(region: Region) -> bool:
    """Whether these formulas know all that the region is made of."""
    return not _rays.refusal(region)
