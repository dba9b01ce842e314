"""Regions, layers and models as ONNX files of standard operators, which any ONNX runtime executes.

The graph computes in float64, whatever type comes in and goes out, and gives up the same share of the radius next to
the frontier as the library: results are inside at tolerance 0, as docs/exactness.md derives it. For runtimes without
float64 it computes in float32 and gives up more. A row with a NaN or an infinity gives a row of NaN; of a model, which
scales and judges its inputs itself, the origin.
"""

from __future__ import annotations

import functools
import operator
import os
import sys
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from . import _formulas
from ._arrays import Array
from ._library import __version__
from ._tensors import Member, members_of
from .errors import make
from .model import Model
from .region import Region

if TYPE_CHECKING:
    import torch

__all__ = ["export"]

Kind = Literal["contract", "decode", "soften", "gauge", "encode"]
Type = Literal["float32", "float64"]

# Read by onnxruntime 1.13 and later.
OPSET, IR_VERSION = 17, 8
_TYPES = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE}


class _Value:
    """A tensor of the graph; arithmetic on it writes nodes."""

    __array_ufunc__ = None

    def __init__(self, graph: _Graph, name: str, type: str, constant: Array | None = None) -> None:
        self.graph, self.name, self.type, self.constant = graph, name, type, constant

    def _is_number(self) -> bool:
        return self.constant is not None and self.constant.size == 1

    def _with(self, operator: str, other: Any, swapped: bool = False) -> _Value:
        first, second = self, self.graph.value(other, self.type)
        if swapped or (operator in ("Add", "Mul") and first._is_number()):
            first, second = second, first
        if second._is_number():
            return self.graph.with_number(operator, first, second)
        return self.graph.node(operator, first, second, type=self.type)

    __add__: Any = functools.partialmethod(_with, "Add")
    __sub__: Any = functools.partialmethod(_with, "Sub")
    __mul__: Any = functools.partialmethod(_with, "Mul")
    __rmul__ = __mul__
    __truediv__: Any = functools.partialmethod(_with, "Div")
    __rtruediv__: Any = functools.partialmethod(_with, "Div", swapped=True)

    def __rsub__(self, other: Any) -> _Value:
        negative: _Value = -self + other
        return negative

    def __neg__(self) -> _Value:
        return self.graph.node("Neg", self, type=self.type)

    def _compare(self, operator: str, other: Any) -> _Value:
        return self.graph.node(operator, self, self.graph.value(other, self.type), type="bool")

    __lt__: Any = functools.partialmethod(_compare, "Less")
    __le__: Any = functools.partialmethod(_compare, "LessOrEqual")
    __gt__: Any = functools.partialmethod(_compare, "Greater")
    __ge__: Any = functools.partialmethod(_compare, "GreaterOrEqual")

    def __and__(self, other: _Value) -> _Value:
        return self.graph.node("And", self, other, type="bool")

    def __or__(self, other: _Value) -> _Value:
        return self.graph.node("Or", self, other, type="bool")

    def __getitem__(self, key: tuple[Any, slice]) -> _Value:
        """x[..., start:end]"""
        ends = (key[1].start or 0, 2**31 - 1 if key[1].stop is None else key[1].stop, 1)
        return self.graph.node("Slice", self, *(self.graph.indices([end]) for end in ends), type=self.type)


class _Graph:
    """The nodes and constants written so far; also the formulas' arrays."""

    def __init__(self, arithmetic: str, result: str) -> None:
        self.nodes: list[Any] = []
        self.count = 0
        self.initializers: dict[tuple[Any, ...], Any] = {}
        self.arithmetic, self.result = arithmetic, result

    # ---------------------------------------------------------------------------------------------------- writing

    def node(self, operator: str, *inputs: _Value, type: str, **attributes: Any) -> _Value:
        name = self.name(operator)
        self.nodes.append(helper.make_node(operator, [value.name for value in inputs], [name], name, **attributes))
        return _Value(self, name, type)

    def name(self, operator: str) -> str:
        self.count += 1
        return f"{operator.lower()}_{self.count - 1}"

    def loop(self, times: int, state: list[_Value], step: Any, stops: Any = None) -> list[_Value]:
        """The state after so many steps, each of which makes it of its number and the one before; or as soon as all of
        `stops` of it is 1."""
        name, outer = self.name("Loop"), self.nodes
        self.nodes = []
        number, goes_on = _Value(self, f"{name}_number", "int64"), _Value(self, f"{name}_goes_on", "bool")
        now = [_Value(self, f"{name}_in_{k}", value.type) for k, value in enumerate(state)]
        results = step(number, now)
        if stops is not None:
            goes_on_now = self._goes_on(stops(results))
        else:
            goes_on_now = self.node("Identity", goes_on, type="bool")
        ends = [self.node("Identity", value, type=value.type) for value in results]
        body = helper.make_graph(
            self.nodes,
            name,
            [_info(number, []), _info(goes_on, []), *(_info(value, None) for value in now)],
            [_info(goes_on_now, []), *(_info(value, None) for value in ends)],
        )
        self.nodes = outer
        outputs = [f"{name}_out_{k}" for k in range(len(state))]
        begins = "" if stops is None else self._goes_on(stops(state)).name
        inputs = [self.value(times, "int64").name, begins, *(value.name for value in state)]
        self.nodes.append(helper.make_node("Loop", inputs, outputs, name, body=body))
        return [_Value(self, output, value.type) for output, value in zip(outputs, state, strict=True)]

    def _goes_on(self, done: _Value) -> _Value:
        return self.node("Squeeze", self.node("ReduceMin", done, type=done.type, keepdims=0) < 1.0, type="bool")

    def value(self, given: Any, type: str) -> _Value:
        """A value, or a constant made of what was given."""
        if isinstance(given, _Value):
            return given
        with np.errstate(over="ignore"):  # what float32 can't hold is infinite
            array = np.asarray(given, type)
        key = (array.tobytes(), array.shape, type)
        if key not in self.initializers:
            name = f"constant_{len(self.initializers)}"
            self.initializers[key] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return _Value(self, self.initializers[key].name, type, array)

    def with_number(self, operator: str, x: _Value, number: _Value) -> _Value:
        """x + number and so on, by nodes that onnxruntime leaves alone: it drops products and quotients by single
        numbers near 1, and sums with such near 0, as if they were 1 and 0. Factors of 4 cost no bit."""
        assert number.constant is not None
        value = number.constant
        size = abs(value.item())
        if operator in ("Mul", "Div") and 0.5 < size < 2 and size != 1:
            x = self.node(operator, x, self.value(4 * value, x.type), type=x.type)
            return self.node("Mul", x, self.value(0.25 if operator == "Mul" else 4.0, x.type), type=x.type)
        if operator in ("Add", "Sub") and 0 < size < 1:
            return self.node("Sum", x, self.value(value if operator == "Add" else -value, x.type), type=x.type)
        return self.node(operator, x, number, type=x.type)

    def indices(self, given: Any) -> _Value:
        return self.value(given, "int64")

    def cast(self, x: _Value, type: str) -> _Value:
        return x if x.type == type else self.node("Cast", x, type=type, to=_TYPES[type])

    # --------------------------------------------------------------------------------------- the formulas' arrays

    def constant(self, value: Array) -> _Value:
        return self.value(value, self.arithmetic)

    def result_constant(self, value: Array) -> _Value:
        return self.value(value, self.result)

    def to_result(self, x: _Value) -> _Value:
        return self.cast(x, self.result)

    def from_result(self, x: _Value) -> _Value:
        return self.cast(x, self.arithmetic)

    def matmul(self, a: _Value, b: Any) -> _Value:
        return self.node("MatMul", a, self.value(b, a.type), type=a.type)

    def quadratic_forms(self, x: _Value, matrices: _Value) -> _Value:
        # x'M_k x as (1, k, 1, n) for batch × k: matrices broadcast over the rows of x.
        row = self.node("Unsqueeze", x, self.indices([1, 2]), type=x.type)
        product = self.node("MatMul", row, matrices, type=x.type)
        column = self.node("Unsqueeze", x, self.indices([1, 3]), type=x.type)
        squares = self.node("MatMul", product, column, type=x.type)
        return self.node("Squeeze", squares, self.indices([2, 3]), type=x.type)

    def gather(self, x: _Value, columns: Array) -> _Value:
        return self.node("Gather", x, self.indices(columns), type=x.type, axis=1)

    def where(self, condition: _Value, a: Any, b: Any) -> _Value:
        type = next((value.type for value in (a, b) if isinstance(value, _Value)), self.arithmetic)
        return self.node("Where", condition, self.value(a, type), self.value(b, type), type=type)

    def maximum(self, a: _Value, b: Any) -> _Value:
        return self.node("Max", a, self.value(b, a.type), type=a.type)

    def minimum(self, a: _Value, b: Any) -> _Value:
        return self.node("Min", a, self.value(b, a.type), type=a.type)

    def _same(self, operator: str, x: _Value) -> _Value:
        return self.node(operator, x, type=x.type)

    abs: Any = functools.partialmethod(_same, "Abs")
    round: Any = functools.partialmethod(_same, "Round")
    sqrt: Any = functools.partialmethod(_same, "Sqrt")
    sigmoid: Any = functools.partialmethod(_same, "Sigmoid")

    def sum_last(self, x: _Value) -> _Value:
        return self.node("ReduceSum", x, self.indices([1]), type=x.type, keepdims=1)

    def max_last(self, x: _Value) -> _Value:
        return self.node("ReduceMax", x, type=x.type, axes=[-1], keepdims=1)

    def concatenate(self, parts: list[_Value]) -> _Value:
        return self.node("Concat", *parts, type=parts[0].type, axis=1)

    def without_derivative(self, x: _Value) -> _Value:
        return x

    has_library = False
    differentiates = False

    def unsqueeze(self, x: _Value) -> _Value:
        return self.node("Unsqueeze", x, self.indices([1]), type=x.type)

    def column(self, x: _Value) -> _Value:
        return self.node("Unsqueeze", x, self.indices([2]), type=x.type)

    def sum_rows(self, x: _Value, weights: _Value) -> _Value:
        return self.node("ReduceSum", x * self.column(weights), self.indices([1]), type=x.type, keepdims=0)

    def max_rows(self, x: _Value) -> _Value:
        return self.node("ReduceMax", x, type=x.type, axes=[1], keepdims=0)

    def gram(self, weights: _Value, rows: _Value) -> _Value:
        turned = self.node("Transpose", rows, type=rows.type, perm=[1, 0])
        return self.node("MatMul", self.unsqueeze(weights) * turned, rows, type=rows.type)

    def solve(self, matrix: _Value, right: _Value, size: int) -> _Value:
        """Gauss and Jordan's elimination, without pivoting, for a matrix that is positive definite: its diagonal is
        brought to 1 first, or rounding would be that of a pivot beside 1."""
        units = self.value(np.eye(size), self.arithmetic)
        diagonal = self.node("ReduceSum", matrix * units, self.indices([2]), type=self.arithmetic, keepdims=0)
        scale = 1.0 / self.sqrt(self.maximum(diagonal, float(np.finfo(self.arithmetic).tiny)))
        matrix = matrix * self.column(scale) * self.unsqueeze(scale)

        def eliminate(i: _Value, now: list[_Value]) -> list[_Value]:
            row = self.node("Gather", now[0], i, type=self.arithmetic, axis=1)
            pivot = self.node(
                "Unsqueeze",
                self.node("Gather", row, i, type=self.arithmetic, axis=1),
                self.indices([1]),
                type=self.arithmetic,
            )
            across = self.node("Gather", now[0], i, type=self.arithmetic, axis=2)
            own = self.node("Gather", units, i, type=self.arithmetic, axis=0)
            return [now[0] - self.column(across - own) * self.unsqueeze(row / pivot)]

        whole = self.node("Concat", matrix, self.column(right * scale), type=self.arithmetic, axis=2)
        solved = self.loop(size, [whole], eliminate)[0]
        last = self.node("Gather", solved, self.indices([size]), type=self.arithmetic, axis=2)
        return self.node("Squeeze", last, self.indices([2]), type=self.arithmetic) * scale

    def repeat(self, times: int, state: list[_Value], step: Any, stops: Any = None) -> list[_Value]:
        return self.loop(times, state, lambda _, now: step(now), stops)

    # ------------------------------------------------------------------------------------------------------ layers

    def affine(self, x: _Value, weight: Array, bias: Array | None) -> _Value:
        """A dense layer, in its own type."""
        product = self.matmul(x, np.ascontiguousarray(weight.T))
        return product if bias is None else product + bias

    def map(self, maps: _formulas.Maps, kind: str, values: _Value, x: _Value | None = None) -> _Value:
        given = () if x is None else (self.from_result(x),)
        result: _Value = getattr(maps, kind)(self.from_result(values), *given)
        return self.cast(result, self.result)


def _info(value: _Value, shape: list[int] | None) -> Any:
    types = {**_TYPES, "int64": TensorProto.INT64, "bool": TensorProto.BOOL}
    return helper.make_tensor_value_info(value.name, types[value.type], shape)


def _used(nodes: Any) -> set[str]:
    """The names that nodes read, those of loops within them too."""
    found = {name for node in nodes for name in node.input}
    for node in nodes:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                found |= _used(attribute.g.node) | {output.name for output in attribute.g.output}
    return found


def _maps(region: Region, graph: _Graph) -> _formulas.Maps:
    precision = _formulas.Precision(graph.arithmetic, graph.result)
    return _formulas.Maps(region, graph, precision, "an ONNX graph", bad="nan")


def _with_radius(graph: _Graph, x: _Value, n: int) -> _Value:
    return graph.concatenate([x[..., :n], graph.sigmoid(x[..., n:])])


def _layer(graph: _Graph, module: Any, values: _Value, x: _Value | None) -> _Value:
    """A torch layer of this package."""
    from .torch import Constrain, HCRHead

    region = module.region
    maps = _maps(region, graph)
    if isinstance(module, HCRHead):
        weight, bias = module.linear.weight, module.linear.bias
        values = graph.affine(values, _numbers(weight), None if bias is None else _numbers(bias))
    elif isinstance(module, Constrain) and module.points:
        values = values - (_origin(graph, maps, x) if module.origin is None else _numbers(module.origin))
    if module.kind == "decode":
        values = _with_radius(graph, values, region.n)
    return graph.map(maps, module.kind, values, x)


def _origin(graph: _Graph, maps: _formulas.Maps, x: _Value | None) -> _Value:
    """The origins of samples with parameters x, in the type of the result."""
    assert x is not None
    origin: _Value = maps.origin(graph.from_result(x))
    return origin


def _numbers(tensor: torch.Tensor) -> Array:
    return np.asarray(tensor.detach().cpu().numpy())


def _scaled(graph: _Graph, x: _Value, tensors: dict[str, Array], steps: int) -> tuple[_Value, _Value]:
    """Standardised inputs, and 1 for rows with a bad value, else 0."""
    mean, deviation = (np.tile(tensors[f"input.{name}"], steps) for name in ("mean", "deviation"))
    wide = graph.from_result(x)
    scaled = (wide - mean) / np.where(deviation > 0, deviation, 1.0)
    # src/train/scaling.h: beyond 1e15 deviations no network has anything to say; constant inputs count for nothing
    limit = np.where(deviation > 0, 1e15, float(np.finfo(graph.arithmetic).max))
    bad = graph.sum_last(graph.where(graph.abs(scaled) <= limit, 0.0, 1.0))
    bad = graph.maximum(graph.minimum(bad, 1.0), 0.0)
    scaled = graph.where(bad > 0.0, 0.0, scaled * (deviation > 0))
    return graph.cast(scaled, "float32"), bad


def _model(graph: _Graph, model: Model, x: _Value, given: _Value | None) -> _Value:
    """A model of the C trainer. Of a blend the mean of the members, as a step from the origin that ends inside."""
    tensors, metadata = model.tensors()
    if model.parameter_columns is not None:
        given = graph.gather(x, np.array(model.parameter_columns))
    members = members_of(tensors, metadata)
    if "members" not in metadata:
        return _member(graph, model, members[0], x, given)
    if metadata["season"] != "0" and tensors["shares"][-1]:
        raise make(
            "unsupported",
            "an ONNX graph can't have a seasonal member: the steps to a nearest point have no bound; fit without "
            "season, or run Model.to_torch() in PyTorch, which has it",
        )
    parts = [graph.from_result(_member(graph, model, one, x, given)) * one.share for one in members if one.share]
    mean = functools.reduce(operator.add, parts)
    maps = _maps(model.region, graph)
    step = mean - (model.region.origin if given is None else graph.from_result(_origin(graph, maps, given)))
    return graph.map(maps, "contract", graph.from_result(graph.cast(step, graph.result)), given)


def _member(graph: _Graph, model: Model, member: Member, x: _Value, given: _Value | None) -> _Value:
    """A model, or a member of a blend. Its layers are float32, as there."""
    _, tensors, metadata = member
    n, steps = model.region.n, model.inputs // len(tensors["input.mean"])
    scaled, bad = _scaled(graph, x, tensors, steps)
    if metadata["encoder"] == "lstm":
        encoded = _lstm(graph, scaled, tensors, steps)
    else:
        encoded = graph.affine(scaled, tensors["encoder.weight"], tensors["encoder.bias"])
        if metadata["linear_encoder"] == "0":
            encoded = graph.node("Relu", encoded, type="float32")
    outputs = graph.cast(graph.affine(encoded, tensors["head.weight"], tensors["head.bias"]), graph.arithmetic)
    head, region = metadata["head"], model.region
    if head == "hcr-project":
        raise make(
            "unsupported",
            "an ONNX graph can't have the head hcr-project: the steps to a nearest point have no bound; fit with "
            "hcr-contract, or run Model.to_torch() in PyTorch, which has it",
        )
    values = outputs[..., :n]
    if head == "simple":
        values = values * tensors["target.deviation"] + tensors["target.mean"]
        return graph.cast(graph.where(bad > 0.0, float("nan"), values), graph.result)
    maps = _maps(region, graph)
    if head != "hcr" and given is None:
        mean = tensors["target.mean"] - region.origin
        values = values * tensors["target.deviation"] + mean
        if head == "hcr-soften":
            values = values * (1 / (1 - min(float(region.gauge(mean)), 0.9)))
    elif head != "hcr":
        offset = graph.constant(tensors["target.mean"][None]) - graph.from_result(_origin(graph, maps, given))
        values = values * tensors["target.deviation"] + offset
        if head == "hcr-soften":
            gauge: _Value = maps.gauge(offset, graph.from_result(given))  # type: ignore[arg-type]
            values = values / (1.0 - graph.minimum(gauge, 0.9))
    kind = {"hcr-contract": "contract", "hcr-soften": "soften"}.get(head, "decode")
    if kind == "decode":
        values = graph.concatenate([values, graph.sigmoid(outputs[..., n:])])
    values = graph.from_result(graph.cast(values, graph.result))
    return graph.map(maps, kind, graph.where(bad > 0.0, float("nan"), values), given)


def _lstm(graph: _Graph, x: _Value, tensors: dict[str, Array], steps: int) -> _Value:
    hidden, features = tensors["encoder.weight_hh"].shape[1], tensors["encoder.weight_ih"].shape[1]
    # ONNX has the gates in the order i, o, f, g; PyTorch, and the file, i, f, g, o.
    order = np.concatenate([np.arange(k * hidden, (k + 1) * hidden) for k in (0, 3, 1, 2)])
    series = graph.node("Reshape", x, graph.indices([-1, steps, features]), type="float32")
    series = graph.node("Transpose", series, type="float32", perm=[1, 0, 2])
    bias = np.concatenate([tensors["encoder.bias"][order], np.zeros(4 * hidden, np.float32)])
    weights = [tensors["encoder.weight_ih"][order][None], tensors["encoder.weight_hh"][order][None], bias[None]]
    name = graph.name("lstm")
    inputs = [series.name, *(graph.value(weight, "float32").name for weight in weights)]
    graph.nodes.append(helper.make_node("LSTM", inputs, ["", name], name, hidden_size=hidden))
    return graph.node("Squeeze", _Value(graph, name, "float32"), graph.indices([0]), type="float32")


def export(
    what: Region | Model | torch.nn.Module,
    path: str | os.PathLike[str] | None = None,
    *,
    kind: Kind = "contract",
    dtype: Any = None,
    arithmetic: Literal["float32", "float64"] = "float64",
) -> onnx.ModelProto:
    """Writes a map, a layer or a model as an ONNX file of standard operators, for batches of any size. For a region
    with parameters it has a second input, ``x``.

    Args:
        what: a `Region`, of which `kind` says which map; an `hcr.torch.HCRHead` or `Constrain`; or a `Model`.
        path: where to write; None: nowhere.
        kind: the map of a region.
        dtype: the type of inputs and outputs, ``"float32"`` or ``"float64"``, NumPy's or PyTorch's; by default
            float32 for a model, the type of its parameters for a layer, else `arithmetic`.
        arithmetic: what the graph computes in. ``"float32"`` is for runtimes that have no float64, such as OpenVINO;
            then `dtype` is float32 too, and equalities hold to the rounding of float32 sums.

    Returns:
        The ONNX model, checked. Its input is called ``input`` and its output ``output``, both (batch, width); its doc
        string says what is promised.

    Raises:
        hcr.UnsupportedError: the region has constraints of other kinds than box, linear, quadratic and cone (with
            parameters: than box and linear), or reaches to infinity; or `what` is something else.

    >>> import hcr, hcr.onnx
    >>> proto = hcr.onnx.export(hcr.Region("var y[3]\\nnorm(y) <= 1"))
    >>> [node.op_type for node in proto.graph.node][:3]
    ['Abs', 'LessOrEqual', 'Where']
    """
    arithmetic = _type(arithmetic)
    dtype = arithmetic if dtype is None and arithmetic == "float32" else None if dtype is None else _type(dtype)
    if arithmetic == "float32" and dtype == "float64":
        raise make("argument", "a graph that computes in float32 has no float64 results: leave dtype out")
    if isinstance(what, Region):
        region = what
        dtype = dtype or "float64"
        width = region.n + (kind == "decode")
    elif isinstance(what, Model):
        region, width, dtype = what.region, what.inputs, dtype or "float32"
    else:
        region, width, own = _of_layer(what)
        dtype = dtype or own
    graph = _Graph(arithmetic, dtype)
    values, x = _Value(graph, "input", dtype), None
    inputs = [helper.make_tensor_value_info("input", _TYPES[dtype], ["batch", width])]
    if region.p and not (isinstance(what, Model) and what.parameter_columns is not None):
        x = _Value(graph, "x", dtype)
        inputs.append(helper.make_tensor_value_info("x", _TYPES[dtype], ["batch", region.p]))
    if isinstance(what, Region):
        y = graph.map(_maps(region, graph), kind, values, x)
    elif isinstance(what, Model):
        y = _model(graph, what, values, x)
    else:
        y = _layer(graph, what, values, x)
    graph.nodes.append(helper.make_node("Identity", [y.name], ["output"], "output"))
    used = _used(graph.nodes)
    columns = region.n + (kind == "encode") if isinstance(what, Region) and kind != "gauge" else region.n
    if isinstance(what, Region) and kind == "gauge":
        columns = 1
    proto = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "hcr",
            inputs,
            [helper.make_tensor_value_info("output", _TYPES[dtype], ["batch", columns])],
            [constant for constant in graph.initializers.values() if constant.name in used],
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="hcr",
        producer_version=__version__,
        doc_string=_promise(what, region, kind, graph),
    )
    onnx.checker.check_model(proto, full_check=True)
    if path is not None:
        onnx.save(proto, os.fspath(path))
    _shorten_in_notebooks()
    return proto


def _shorten_in_notebooks() -> None:
    """A cell that ends in `export` shows a line, not all of the graph."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None:
        shell.display_formatter.formatters["text/plain"].for_type(onnx.ModelProto, _show)


def _show(proto: onnx.ModelProto, printer: Any, _: bool) -> None:
    if proto.producer_name != "hcr":
        printer.text(repr(proto))
        return
    inputs = ", ".join(item.name for item in proto.graph.input)
    printer.text(f"<onnx.ModelProto by hcr: {len(proto.graph.node)} nodes, {inputs} → output>")


def _type(dtype: Any) -> Type:
    """One of ours, NumPy's or PyTorch's."""
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = str(dtype).removeprefix("torch.")
    if name not in _TYPES:
        raise make("argument", f"there is no dtype {dtype!r} to export with: there are {', '.join(map(repr, _TYPES))}")
    return cast(Type, name)


def _of_layer(module: Any) -> tuple[Region, int, Type]:
    if type(module).__module__.startswith("hcr.torch"):
        from .torch import Constrain, HCRHead

        if isinstance(module, HCRHead):
            own: Type = "float64" if str(module.linear.weight.dtype) == "torch.float64" else "float32"
            return module.region, module.linear.in_features, own
        if isinstance(module, Constrain):
            return module.region, module.region.n + (module.kind == "decode"), "float32"
    raise make(
        "unsupported",
        f"{type(module).__name__} can't be exported: give a Region, a Model, an HCRHead or a Constrain; a network that "
        "has one of them is exported whole by torch.onnx.export",
    )


def _promise(what: Any, region: Region, kind: str, graph: _Graph) -> str:
    if isinstance(what, Region) and kind in ("gauge", "encode"):
        return f"{kind} of the hcr region {region.digest}."
    if isinstance(what, Model) and what.tensors()[1]["head"] == "simple":
        return f"Predictions of an hcr model of head simple: nothing is promised of them. Region {region.digest}."
    exactly = " Its equalities hold exactly where `explain` says so, else to within the rounding of the outputs."
    about = " Its equalities hold to within the rounding of float32 sums."
    equalities = "" if not region.equalities else exactly if graph.arithmetic == "float64" else about
    parameters = " A row whose parameters x are out of range gives NaN." if region.p else ""
    if region.p and region.origin_form == "checked":
        parameters += (
            " So does one whose limits leave no point, or none that is certainly inside; a row whose own two sides "
            "meet holds up to rounding."
        )
    return (
        f"Outputs are in the hcr region {region.digest}: every inequality holds at tolerance 0, as {graph.result} "
        f"numbers, where {graph.arithmetic} is computed as IEEE 754 has it.{equalities} A row with a NaN or an "
        f"infinity gives a row of NaN.{parameters}"
    )
