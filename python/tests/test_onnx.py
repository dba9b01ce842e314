"""ONNX files against the library, in onnxruntime."""

from __future__ import annotations

import os

import numpy as np
import pytest
from conftest import directions, make

import hcr

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

import hcr.onnx

pytestmark = pytest.mark.filterwarnings("ignore")
KINDS = ("gauge", "encode", "decode", "contract", "soften")
# A million rows when HCR_LONG is set.
MANY = 1_000_000 if os.environ.get("HCR_LONG") else 50_000


def session(proto):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
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
    unit = float(np.finfo(dtype).eps)
    np.testing.assert_allclose(got, want, rtol=50 * unit, atol=(plain.margin[dtype == "float32"] + 500 * unit))
    if kind not in ("gauge", "encode"):
        assert plain.check(got).all()
        # A NaN gives the origin; outputs that equalities determine are computed from the others.
        np.testing.assert_allclose(got[1], plain.origin.astype(dtype), rtol=4 * unit if plain.equalities else 0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", ["decode", "contract"])
@pytest.mark.parametrize("name", ["differences", "cones"])
def test_feasible_at_tolerance_0_on_many(name, kind, dtype, random):
    region = make(name)
    runner = session(hcr.onnx.export(region, kind=kind, dtype=dtype))
    for _ in range(0, MANY, 50_000):
        x = inputs(region, kind, random, 50_000, dtype)
        x[25_000:] = region.sample(25_000, 1, frontier=True) @ np.eye(region.n, x.shape[1])
        assert region.check(runner.run(None, {"input": x})[0]).all()


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
            np.testing.assert_allclose(got, getattr(region, kind)(x), atol=1e-15)
            assert region.check(got).all()
    huge = np.concatenate([random.standard_normal((1000, 48)) * scale for scale in (1e12, 1e31, 1e200)])
    assert make("differences").check(run(hcr.onnx.export(make("differences"), kind="soften"), huge)).all()


@pytest.mark.parametrize("encoder", hcr.model.ENCODERS)
@pytest.mark.parametrize("head", hcr.model.HEADS)
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
        assert make("ball").check(got).all()
        assert (got[:2] == make("ball").origin.astype(np.float32)).all()


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
