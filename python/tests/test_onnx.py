"""ONNX files against the library, in onnxruntime."""

from __future__ import annotations

import io
import os
import re
import sys
import types

import numpy as np
import pytest
from conftest import PLAIN, directions, make, make_moving, parameters

import hcr

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

import hcr.onnx

pytestmark = pytest.mark.filterwarnings("ignore")
KINDS = ("gauge", "encode", "decode", "contract", "soften")
# A million rows when HCR_LONG is set.
MANY = 1_000_000 if os.environ.get("HCR_LONG") else 50_000
# Directions: hard_inputs makes about eleven times as many rows of them, 100,000 when HCR_LONG is set.
HARD = 9_000 if os.environ.get("HCR_LONG") else 400


def session(proto, level="ENABLE_ALL"):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, f"ORT_{level}")
    return onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])


def run(proto, x):
    return session(proto).run(None, {"input": x})[0]


def inputs(region, kind, random, count, dtype):
    x = directions(random, count, region.n)
    if kind == "decode":
        x = np.concatenate([x, random.uniform(-0.2, 1.3, (count, 1))], 1)
    return x.astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", KINDS)
def test_equal_to_the_library(plain, kind, dtype, random):
    x = inputs(plain, kind, random, 3000, dtype)
    if kind == "encode":
        x = plain.sample(3000, 1).astype(dtype)
    got = run(hcr.onnx.export(plain, kind=kind, dtype=dtype), x)
    want = getattr(plain, kind)(x)
    assert got.dtype == want.dtype == dtype
    if kind == "gauge":
        got = got[:, 0]
    known = np.isfinite(x).all(1)
    assert np.isnan(got[~known]).all()  # D19
    got, want = got[known], want[known]
    unit = float(np.finfo(dtype).eps)
    np.testing.assert_allclose(got, want, rtol=50 * unit, atol=(plain.margin[dtype == "float32"] + 500 * unit))
    if kind not in ("gauge", "encode"):
        assert plain.check(got).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", ["decode", "contract"])
@pytest.mark.parametrize("name", ["differences", "cones"])
def test_feasible_at_tolerance_0_on_many(name, kind, dtype, random):
    region = make(name)
    runner = session(hcr.onnx.export(region, kind=kind, dtype=dtype))
    for _ in range(0, MANY, 50_000):
        x = inputs(region, kind, random, 50_000, dtype)
        x[25_000:] = region.sample(25_000, 1, frontier=True) @ np.eye(region.n, x.shape[1])
        known = np.isfinite(x).all(1)
        got = runner.run(None, {"input": x})[0]
        assert region.check(got[known]).all()
        assert np.isnan(got[~known]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_c48_any_batch(kind, random):
    for region in (make("rows"), hcr.Region("var y\n-1 <= y <= 3")):
        runner = session(hcr.onnx.export(region, kind=kind))
        x = inputs(region, kind, random, 10, "float64")
        whole = runner.run(None, {"input": x})[0]
        for count in (0, 1, 2, 7):
            got = runner.run(None, {"input": x[:count]})[0]
            assert got.shape == (count, whole.shape[1])
            np.testing.assert_allclose(got, whole[:count], rtol=1e-12, equal_nan=True)


def test_single_numbers_near_1_and_0_are_not_lost(random):
    """onnxruntime drops products by what is nearly 1 and sums with what is nearly 0."""
    for lower, upper, origin in ((-1 - 1e-9, 1 + 1e-9, 0), (-1, 1 + 3e-9, 1e-9), (-1.0000001, 1, -1e-8)):
        region = hcr.Region.from_rows(bounds=(lower, upper), n=1, origin=[origin])
        for kind in ("contract", "soften", "decode"):
            x = inputs(region, kind, random, 5000, "float64")
            got = run(hcr.onnx.export(region, kind=kind), x)
            known = np.isfinite(x).all(1)
            np.testing.assert_allclose(got[known], getattr(region, kind)(x[known]), atol=1e-15)
            assert region.check(got[known]).all()
    huge = np.concatenate([random.standard_normal((1000, 48)) * scale for scale in (1e12, 1e31, 1e200)])
    assert make("differences").check(run(hcr.onnx.export(make("differences"), kind="soften"), huge)).all()


@pytest.mark.parametrize("encoder", hcr.model.ENCODERS)
@pytest.mark.parametrize("head", [head for head in hcr.model.HEADS if head != "hcr-project"])
def test_models(encoder, head, random, tmp_path):
    X = random.random((200, 6))
    X[:, 3] = 14.62  # a constant column
    features = {"features": 2} if encoder == "lstm" else {}
    model = hcr.fit(make("ball"), X, X[:, :3], head=head, encoder=encoder, epochs=3, hidden=8, **features)
    proto = hcr.onnx.export(model, tmp_path / "model.onnx")
    assert onnx.load(tmp_path / "model.onnx") == proto
    rows = np.concatenate([3 * X - 1, X[:2]])
    rows[0, 2], rows[1, 0] = np.nan, 1e30
    rows = rows.astype(np.float32)
    got = run(proto, rows)
    np.testing.assert_allclose(got, model.predict(rows, single=True), atol=2e-5)
    assert ("nothing is promised" in proto.doc_string) == (head == "simple")
    if head != "simple":
        assert make("ball").check(got[2:]).all()
    assert np.isnan(got[:2]).all()


@pytest.mark.parametrize("moving", [False, True])
def test_blends(moving, random):
    """The mean of the members as the library has it, up to the rounding of their float32 layers; inside at tolerance 0,
    far from the rows of the training too."""
    X = random.random((200, 6))
    text = "var y[3]\nparam top in [0.3, 0.9]\n0 <= y <= top\n" if moving else "var y[3]\n0 <= y <= 0.9\n"
    region = hcr.Region(text + "abs(diff(y)) <= 0.4\nsum(y) <= 1.7")
    columns = {"parameters": 0.3 + 0.6 * X[:, :1]} if moving else {}
    heads = ["hcr-contract", "hcr-soften", "hcr-direct"]
    model = hcr.fit(region, X, X[:, :3] / 2, blend=heads, members=4, epochs=5, hidden=8, validation=0.2, **columns)
    rows = random.standard_normal((10_000, 6)) * 10.0 ** random.uniform(-1, 6, (10_000, 1))
    rows = np.concatenate([X, rows]).astype(np.float32)
    x = random.uniform(0.3, 0.9, (len(rows), 1)).astype(np.float32) if moving else None
    given = {"input": rows} | ({"x": x} if moving else {})
    got = session(hcr.onnx.export(model)).run(None, given)[0]
    assert region.check(got, x).all()
    near = slice(len(X))
    want = model.predict(rows[near], None if x is None else x[near], single=True)
    np.testing.assert_allclose(got[near], want, atol=2e-5)
    for blend in ({"season": 3, "blend": heads}, {"season": 3}, {"members": 2, "blend": ["hcr-project"]}):
        refused = hcr.fit(region, X, X[:, :3] / 2, epochs=1, hidden=8, **blend, **columns)
        told = "fit without season" if "season" in blend else "fit with hcr-contract"
        with pytest.raises(hcr.UnsupportedError, match=f"{told}, or run Model.to_torch"):
            hcr.onnx.export(refused)


def test_other_kinds_are_refused_by_name():
    for name in ("lmi", "expression", "union"):
        with pytest.raises(hcr.UnsupportedError, match=name):
            hcr.onnx.export(make(name))
    with pytest.raises(hcr.UnsupportedError, match="int can't be exported"):
        hcr.onnx.export(3)


@pytest.mark.parametrize("kind", ["decode", "contract", "soften"])
def test_layers(kind, random):
    torch = pytest.importorskip("torch")
    import hcr.torch

    head = hcr.torch.HCRHead(5, make("cones"), kind)
    x = random.standard_normal((50, 5)).astype(np.float32)
    got = run(hcr.onnx.export(head), x)
    np.testing.assert_allclose(got, head(torch.tensor(x)).detach().numpy(), atol=1e-5)
    assert make("cones").check(got).all()
    wide = head.double()
    got = run(hcr.onnx.export(wide), x.astype(np.float64))
    np.testing.assert_allclose(got, wide(torch.tensor(x).double()).detach().numpy(), atol=1e-12)
    if kind != "decode":
        layer = hcr.torch.Constrain(make("cones"), kind, points=True)
        y = 3 * random.standard_normal((50, 7)).astype(np.float32)
        np.testing.assert_allclose(run(hcr.onnx.export(layer), y), layer(torch.tensor(y)).numpy(), atol=1e-5)


@pytest.mark.parametrize("dynamo", [False, True])
def test_c50_torch_s_own_exporter(dynamo, random, tmp_path):
    torch = pytest.importorskip("torch")
    if dynamo:
        pytest.importorskip("onnxscript")
    import hcr.torch

    net = torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.ReLU(), hcr.torch.HCRHead(5, make("cones"))).eval()
    options = (
        {"dynamic_shapes": ({0: torch.export.Dim.DYNAMIC},)} if dynamo else {"dynamic_axes": {"input": {0: "batch"}}}
    )
    path = tmp_path / "net.onnx"
    torch.onnx.export(net, (torch.randn(6, 4),), path, dynamo=dynamo, input_names=["input"], verbose=False, **options)
    proto = onnx.load(path)
    assert {node.domain for node in proto.graph.node} == {""}
    for count in (0, 1, 9):
        x = random.standard_normal((count, 4)).astype(np.float32)
        got = run(proto, x)
        assert got.shape == (count, 7)
        np.testing.assert_allclose(got, net(torch.tensor(x)).detach().numpy(), atol=1e-5)


LEVELS = ("DISABLE_ALL", "ENABLE_BASIC", "ENABLE_EXTENDED", "ENABLE_ALL")
#: Graphs of one output, or one constraint, whose numbers optimisers take for 1 or 0.
NEAR_1_AND_0 = {
    "one output": "var y\n-1.0000001 <= y <= 1.0000003\norigin = 1e-9",
    "one row": "var y[2]\n1.0000001*y[0] + y[1] <= 1.0000002\n-1.0000001 <= y <= 3\norigin = [0, 1e-9]",
    "one ball": "var y[3]\nnorm(y) <= 1.0000001\norigin = [0, 0, 1e-9]",
    "one cone": "var y[2]\nabs(y[0] + 1e-9*y[1]) <= 1.0000001 - 0.9999999*y[1]\nnorm(y) <= 1.4142137",
    "one equality": "var y[3]\nsum(y) == 1e-8\nnorm(y) <= 1.0000001",
}


def all_regions():
    near = (hcr.Region(text) for text in NEAR_1_AND_0.values())
    return [*map(make, ("rows", "quadratics", "cones", "equalities")), *near, make_moving("equalities")]


def written(layers, dtype, how):
    """Torch's graph of all the layers: their inputs beside one another, and their outputs."""
    torch = pytest.importorskip("torch")
    if how == "dynamo":
        pytest.importorskip("onnxscript")

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(layers)

        def forward(self, input):
            results, at = [], 0
            for layer in self.layers:
                n, p = layer.region.n, layer.region.p
                width = n + (layer.kind == "decode")
                x = (input[:, at + n + 1 : at + n + 1 + p],) if p else ()
                results.append(layer(input[:, at : at + width], *x))
                at += n + 1 + p
            return torch.cat(results, -1)

    width = sum(layer.region.n + 1 + layer.region.p for layer in layers)
    options = {"dynamic_axes": {"input": {0: "batch"}}}
    if how == "dynamo":
        options = {"dynamic_shapes": ({0: torch.export.Dim.DYNAMIC},)}
    file, given = io.BytesIO(), torch.zeros(6, width, dtype=getattr(torch, dtype))
    torch.onnx.export(Net(), (given,), file, dynamo=how == "dynamo", input_names=["input"], verbose=False, **options)
    return onnx.load_from_string(file.getvalue())


def hard_inputs(region, random, count, dtype):
    """Of many sizes, and directions to the frontier itself, its neighbours, and to where its parts meet."""
    v = np.concatenate([directions(random, count, region.n), np.eye(region.n), -np.eye(region.n)])
    with np.errstate(all="ignore"):
        on = v[7:] / region.gauge(v[7:], np.zeros((len(v) - 7, region.p)) if region.p else None)[:, None]
    on = on[np.isfinite(on).all(1)]
    sizes = (1, 1 - 1e-15, 1 + 1e-15, 1 - 1e-7, 1 + 1e-7, 1e-100, 1e-36, 1e36, 1e100, 1e250)
    v = np.concatenate([v, *(size * on for size in sizes)])
    radii = random.choice([-50, -3, 0, 3, 12, 18, 50, 800], (len(v), 1))
    with np.errstate(over="ignore"):
        return np.concatenate([v, radii], 1).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("how", ["dynamo", "torchscript"])
def test_d41_inside_at_every_level(how, dtype, random):
    """Every result is decided in rational arithmetic, at tolerance 0. Torch takes seconds a layer to export: each
    region has one of the maps, and all of them when HCR_LONG is set."""
    pytest.importorskip("torch")
    import hcr.torch

    maps = ("contract", "decode", "soften")
    layers = [
        hcr.torch.Constrain(region, kind)
        for i, region in enumerate(all_regions())
        for kind in (maps if os.environ.get("HCR_LONG") else maps[i % 3 : i % 3 + 1])
    ]
    given = []
    for layer in layers:
        x = hard_inputs(layer.region, random, HARD // 6, dtype)
        given.append(
            np.concatenate([x, parameters(layer.region, random, len(x)).astype(dtype)], 1) if layer.region.p else x
        )
    rows = max(map(len, given))
    given = [np.resize(part, (rows, part.shape[1])) for part in given]  # begins anew where it ends
    proto, before = written(layers, dtype, how), None
    for level in LEVELS:
        (got,) = session(proto, level).run(None, {"input": np.concatenate(given, 1)})
        assert got.dtype == dtype
        if before is not None and np.array_equal(got, before, equal_nan=True):
            continue  # decided already
        before, at = got, 0
        for layer, part in zip(layers, given, strict=True):
            n = layer.region.n
            known = np.isfinite(part).all(1)
            inside = layer.region.check(got[known, at : at + n], part[known, n + 1 :] if layer.region.p else None)
            assert inside.all(), (level, layer, np.flatnonzero(~inside).tolist())
            at += n
        assert at == got.shape[1]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", ["contract", "decode", "soften"])
@pytest.mark.parametrize("name", [*PLAIN, *NEAR_1_AND_0])
def test_d41_our_own_graphs_inside_at_every_level(name, kind, dtype, random):
    region = hcr.Region(NEAR_1_AND_0[name]) if name in NEAR_1_AND_0 else make(name)
    x = hard_inputs(region, random, HARD, dtype)
    x[:, -1] = random.choice([-1, 0, 0.5, 1 - 1e-15, 1, 2], len(x))
    x = x[np.isfinite(x).all(1), : region.n + (kind == "decode")]
    proto = hcr.onnx.export(region, kind=kind, dtype=dtype)
    for level in LEVELS:
        inside = region.check(session(proto, level).run(None, {"input": x})[0])
        assert inside.all(), (level, np.flatnonzero(~inside).tolist())


def in_openvino(proto, x):
    openvino = pytest.importorskip("openvino")
    core = openvino.Core()
    # by default it takes bfloat16 where the processor has it
    compiled = core.compile_model(
        core.read_model(proto.SerializeToString()), "CPU", {"INFERENCE_PRECISION_HINT": "f32"}
    )
    return next(iter(compiled({"input": x}).values()))


@pytest.mark.parametrize("run_in", [run, in_openvino])
@pytest.mark.parametrize("kind", ["contract", "decode", "soften"])
def test_arithmetic_of_float32(plain, kind, run_in, random):
    proto = hcr.onnx.export(plain, kind=kind, arithmetic="float32")
    assert not any(tensor.data_type == onnx.TensorProto.DOUBLE for tensor in proto.graph.initializer)
    count = MANY // 10
    x = inputs(plain, kind, random, 2 * count, "float32")
    x[count:] = plain.sample(count, 1, frontier=True) @ np.eye(plain.n, x.shape[1])
    x[count:, plain.n :] = 1
    known = np.isfinite(x).all(1)
    got = run_in(proto, x)
    assert got.dtype == np.float32
    assert np.isnan(got[~known]).all()
    got = got[known]
    inequalities = "\n".join(line for line in plain.text.splitlines() if "==" not in line)
    region = plain if not plain.equalities else hcr.Region(inequalities)
    assert region.check(got).all()
    if plain.equalities:  # a sum of 7 numbers up to 1, one of them rounded
        assert np.abs(got.astype(float).sum(1) - 1).max() <= 16 * 2.0**-24
    want = getattr(plain, kind)(x[known])
    assert np.abs(got - want).max() <= 1e-3 * max(1, np.abs(want).max())  # the margin


def test_arithmetic_of_float32_has_no_results_of_float64():
    with pytest.raises(hcr.Error, match="float32"):
        hcr.onnx.export(make("box"), dtype="float64", arithmetic="float32")


@pytest.mark.parametrize("kind", KINDS)
def test_d34_every_initializer_is_used(plain, kind):
    graph = hcr.onnx.export(plain, kind=kind).graph
    used = {name for node in graph.node for name in node.input}
    assert {constant.name for constant in graph.initializer} <= used


def test_d48_a_notebook_shows_a_line(monkeypatch):
    """A cell that ends in export(…) shows what IPython's formatter for the type makes of it."""
    known = {}

    class Plain:
        for_type = staticmethod(known.__setitem__)

    class Shell:
        class display_formatter:
            formatters = {"text/plain": Plain}  # noqa: RUF012

    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: Shell))
    proto = hcr.onnx.export(make("box"))
    shown = []
    known[type(proto)](proto, types.SimpleNamespace(text=shown.append), False)
    assert re.fullmatch(r"<onnx.ModelProto by hcr: \d+ nodes, input → output>", *shown)
    proto.producer_name = "another"
    known[type(proto)](proto, types.SimpleNamespace(text=shown.append), False)
    assert shown[1] == repr(proto)
