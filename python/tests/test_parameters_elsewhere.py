"""Regions with parameters in torch, JAX, scikit-learn, ONNX, CVXPY and trained models."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from conftest import inputs, make_moving, parameters

import hcr
from hcr import _formulas, _rays

KINDS = ("gauge", "encode", "decode", "contract", "soften")
CURVED = "param c[2] in [-1, 1]\nparam r in [0.5, 2]\nvar y[2]\nnorm(y - c) <= r"


# ------------------------------------------------------------------------------------------------------------- formulas


@pytest.mark.parametrize(("arithmetic", "result"), [("float64", "float64"), ("float64", "float32"), ("float32",) * 2])
@pytest.mark.parametrize("map_", KINDS)
def test_formulas_are_the_library(moving, map_, arithmetic, result, random):
    precision = _formulas.Precision(arithmetic, result)
    maps = _formulas.Maps(moving, _formulas.NumPy(precision), precision, "NumPy")
    x = parameters(moving, random, 2000).astype(result)
    v = inputs(moving, map_, random, 2000).astype(result)
    x[7, 0] = np.nan
    x[8, -1] = 2 * moving.parameters.upper[-1]
    got = getattr(maps, map_)(v.astype(arithmetic), x.astype(arithmetic))
    want = getattr(moving, map_)(v, x)
    want = want[:, None] if map_ == "gauge" else want
    # Beside equalities the formulas' margin in single precision is 2.3e-5 of a way that is up to 8.3 long.
    tolerance = (2e-4 if moving.equalities else 1e-4) if "float32" in (arithmetic, result) else 1e-10
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)
    assert np.isnan(got[[7, 8]]).all()
    if map_ in ("decode", "contract", "soften") and (moving.equalities == 0 or arithmetic == "float64"):
        good = np.delete(np.arange(2000), [7, 8])
        assert moving.check(got[good], x[good]).all()


def test_what_formulas_refuse_is_named():
    region = hcr.Region(CURVED)
    with pytest.raises(hcr.UnsupportedError, match="cone"):
        _rays.require(region, "this")


# ---------------------------------------------------------------------------------------------------------------- torch


def tensors(region, map_, random, *shape, dtype="float64"):
    import torch

    pair = inputs(region, map_, random, *shape), parameters(region, random, *shape)
    return [torch.tensor(a.astype(dtype)) for a in pair]


@pytest.fixture
def ht():
    pytest.importorskip("torch")
    import hcr.torch

    return hcr.torch


@pytest.mark.parametrize("map_", KINDS)
def test_torch_gradients(moving, map_, ht, random):
    import torch

    v, x = (t.requires_grad_() for t in tensors(moving, map_, random, 6))
    function = getattr(ht, map_)
    np.testing.assert_array_equal(
        function(v, moving, x).detach().numpy(), getattr(moving, map_)(v.detach().numpy(), x.detach().numpy())
    )
    torch.autograd.gradcheck(lambda v, x: function(v, moving, x), (v, x), atol=1e-4, rtol=1e-4, check_forward_ad=True)
    bar = torch.randn_like(function(v, moving, x))
    want = torch.autograd.grad(function(v, moving, x), (v, x), bar)
    got = torch.autograd.grad(function(v, moving, x, formulas=True), (v, x), bar)
    for a, b in zip(got, want, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-7, atol=1e-7)
    from hcr.torch import formulas

    for a, b in zip(formulas.differentiate(map_, v, x, bar, moving), want, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-7, atol=1e-7)


def test_torch_one_row_serves_all(moving, ht, random):
    import torch

    v, x = tensors(moving, "contract", random, 2, 3)
    one = x[0, 0].clone().requires_grad_()
    ht.contract(v, moving, one).sum().backward()
    all_ = one.detach().expand(2, 3, -1).clone().requires_grad_()
    ht.contract(v, moving, all_).sum().backward()
    torch.testing.assert_close(one.grad, all_.grad.sum((0, 1)))
    assert ht.contract(v.float(), moving, x.float()).dtype == torch.float32
    assert ht.contract(v.float(), moving, x).dtype == torch.float64


def test_torch_curved_kinds(ht, random):
    import torch

    region = hcr.Region(CURVED)
    v, x = (t.requires_grad_() for t in tensors(region, "contract", random, 20))
    y = ht.contract(v, region, x)
    assert region.check(y.detach().numpy(), x.detach().numpy()).all()
    torch.autograd.gradcheck(
        lambda v, x: ht.contract(v, region, x), (v, x), atol=1e-4, rtol=1e-4, check_forward_ad=True
    )


@pytest.mark.parametrize("map_", KINDS)
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")  # which PyTorch's checks read, and hide
def test_torch_operators_pass_torch_s_own_checks(map_, ht, random):
    import torch

    region = make_moving("equalities")
    v, x = (t.requires_grad_() for t in tensors(region, map_, random, 5))
    torch.library.opcheck(getattr(torch.ops.hcr, map_), (v, x, ht.operators.key(region), "nan"))


def test_torch_transforms_and_export(ht, random, tmp_path):
    import torch

    region = make_moving("budget")
    v, x = tensors(region, "contract", random, 5)
    want = ht.contract(v, region, x)
    assert torch.equal(torch.func.vmap(lambda v, x: ht.contract(v, region, x))(v, x), want)
    shared = torch.func.vmap(lambda v: ht.contract(v, region, x[0]))(v)
    assert torch.equal(shared, ht.contract(v, region, x[0]))
    jacobians = torch.func.vmap(torch.func.jacrev(lambda v, x: ht.contract(v, region, x), argnums=1))(v, x)
    for i in range(5):
        alone = torch.autograd.functional.jacobian(lambda x, i=i: ht.contract(v[i], region, x), x[i])
        torch.testing.assert_close(jacobians[i], alone)
    head = ht.HCRHead(4, region)
    features, given = torch.randn(6, 4), x[0].float().expand(6, -1).contiguous()
    dynamic = ({0: torch.export.Dim.DYNAMIC},) * 2
    program = torch.export.export(head, (features, given), dynamic_shapes=dynamic)
    torch.testing.assert_close(program.module()(features[:3], given[:3]), head(features[:3], given[:3]))


@pytest.mark.filterwarnings("ignore")
def test_torch_compile(ht, random):
    import torch

    region = make_moving("rows")
    head = ht.HCRHead(4, region)
    features, (_, x) = torch.randn(6, 4), tensors(region, "contract", random, 6, dtype="float32")
    torch._dynamo.reset()
    got = torch.compile(head, fullgraph=True, backend="aot_eager")(features, x)
    torch.testing.assert_close(got, head(features, x), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", ["decode", "contract", "soften"])
def test_torch_layers_train(moving, kind, ht, random):
    import torch

    features, (_, x) = torch.randn(50, 4), tensors(moving, "contract", random, 50, dtype="float32")
    head = ht.HCRHead(4, moving, kind)
    embed = torch.nn.Parameter(torch.zeros(moving.p))
    low, high = (torch.tensor(a).float() for a in moving.parameters[1:])
    y = head(features, low + (high - low) * torch.sigmoid(embed + 0 * x))
    y.square().sum().backward()
    assert torch.isfinite(embed.grad).all()
    assert moving.origin_form == "fixed" or embed.grad.abs().sum() > 0
    with pytest.raises(hcr.InvalidError, match="give their values"):
        head(features)


def test_torch_points(moving, ht, random):
    layer = ht.Constrain(moving, points=True)
    v, x = tensors(moving, "contract", random, 30)
    y = layer(v, x)
    assert moving.check(y.numpy(), x.numpy()).all()
    np.testing.assert_allclose(layer(y, x).numpy(), y.numpy(), atol=1e-9)


# ----------------------------------------------------------------------------------------------------------------- JAX


@pytest.mark.parametrize("formulas", [False, True])
@pytest.mark.parametrize("map_", KINDS)
@pytest.mark.filterwarnings("ignore")
def test_jax(moving, map_, formulas, random):
    jax = pytest.importorskip("jax")
    import hcr.jax

    with jax.enable_x64(True):
        v, x = (jax.numpy.asarray(a) for a in (inputs(moving, map_, random, 6), parameters(moving, random, 6)))
        function = functools.partial(getattr(hcr.jax, map_), formulas=formulas)
        got = jax.jit(lambda v, x: function(v, moving, x))(v, x)
        np.testing.assert_allclose(got, getattr(moving, map_)(np.asarray(v), np.asarray(x)), rtol=1e-9, atol=1e-9)
        each = jax.vmap(lambda v, x: function(v, moving, x))(v, x)
        np.testing.assert_allclose(each, got, rtol=1e-9, atol=1e-9)
        by_v, by_x = jax.grad(lambda v, x: function(v, moving, x).sum(), (0, 1))(v, x)
        want = getattr(moving, map_).vjp(np.asarray(v), np.ones(got.shape), np.asarray(x))
        np.testing.assert_allclose(by_v, want[0], rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(by_x, want[1], rtol=1e-7, atol=1e-7)
        dots = [jax.numpy.asarray(random.standard_normal(a.shape)) for a in (v, x)]
        pushed = jax.jit(lambda v, x, *dots: jax.jvp(lambda v, x: function(v, moving, x), (v, x), dots)[1])(v, x, *dots)
        want = getattr(moving, map_).jvp(np.asarray(v), dots[0], np.asarray(x), dots[1])
        np.testing.assert_allclose(pushed, want, rtol=1e-7, atol=1e-7)


@pytest.mark.filterwarnings("ignore")
def test_jax_for_curved_regions(random):
    jax = pytest.importorskip("jax")
    import hcr.jax

    region = hcr.Region(CURVED)
    with jax.enable_x64(True):
        v, x = (jax.numpy.asarray(a) for a in (inputs(region, "contract", random, 6), parameters(region, random, 6)))
        got = jax.jit(lambda v, x: hcr.jax.contract(v, region, x))(v, x)
        np.testing.assert_array_equal(got, region.contract(np.asarray(v), np.asarray(x)))
        by_x = jax.grad(lambda x: hcr.jax.contract(v, region, x).sum())(x)
        want = region.contract.vjp(np.asarray(v), np.ones((6, 2)), np.asarray(x))[1]
        np.testing.assert_allclose(by_x, want, atol=1e-12)
        shared = jax.vmap(lambda v: hcr.jax.contract(v, region, x[0]))(v)
        np.testing.assert_array_equal(shared, region.contract(np.asarray(v), np.asarray(x[0])))


# ---------------------------------------------------------------------------------------------------------------- ONNX


def run_onnx(proto, *arrays):
    runtime = pytest.importorskip("onnxruntime")
    runner = runtime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    return runner.run(None, dict(zip([i.name for i in runner.get_inputs()], arrays, strict=True)))[0]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("map_", KINDS)
def test_onnx(moving, map_, dtype, random):
    pytest.importorskip("onnx")
    import hcr.onnx

    proto = hcr.onnx.export(moving, kind=map_, dtype=dtype)
    for count in (0, 1, 700):
        v, x = (a.astype(dtype) for a in (inputs(moving, map_, random, count), parameters(moving, random, count)))
        got = run_onnx(proto, v, x)
        want = getattr(moving, map_)(v, x).reshape(got.shape)
        tolerance = 1e-9 if dtype == "float64" else 1e-5
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)
        if map_ not in ("gauge", "encode"):
            assert moving.check(got, x).all()


@pytest.mark.filterwarnings("ignore")
def test_onnx_of_layers(ht, moving, random):
    pytest.importorskip("onnx")
    import hcr.onnx

    _, x = tensors(moving, "contract", random, 40, dtype="float32")
    for layer, v in (
        (ht.HCRHead(4, moving), random.standard_normal((40, 4))),
        (ht.Constrain(moving, points=True), 3 * random.standard_normal((40, moving.n))),
    ):
        import torch

        values = torch.tensor(v, dtype=torch.float32)
        got = run_onnx(hcr.onnx.export(layer), values.numpy(), x.numpy())
        np.testing.assert_allclose(got, layer(values, x).detach().numpy(), rtol=1e-4, atol=1e-4)
        assert moving.check(got, x.numpy()).all()


def test_onnx_refuses_by_kind():
    pytest.importorskip("onnx")
    import hcr.onnx

    with pytest.raises(hcr.UnsupportedError, match="cone"):
        hcr.onnx.export(hcr.Region(CURVED))


# --------------------------------------------------------------------------------------------------------- C's trainer


@pytest.mark.parametrize("head", [head for head in hcr.model.HEADS if head != "simple"])
@pytest.mark.parametrize("apart", [False, True])
def test_trained_models(moving, head, apart, random):
    x = parameters(moving, random, 120)
    X = np.c_[random.random((120, 2)), x]
    Y = moving.sample(120, 1, x)
    given = {"parameters": x} if apart else {}
    model = hcr.fit(moving, X[:, :2] if apart else X, Y, head=head, epochs=2, hidden=8, **given)
    assert model.parameter_columns == (None if apart else tuple(range(2, 2 + moving.p)))
    seen = (X[:, :2], x) if apart else (X,)
    y = model.predict(*seen)
    assert moving.check(y, x).all()
    pytest.importorskip("torch")
    import torch

    network = model.to_torch()
    again = network(*(torch.tensor(a) for a in seen)).detach().numpy()
    np.testing.assert_allclose(again, y, rtol=1e-3, atol=1e-3)
    onnx = pytest.importorskip("hcr.onnx")
    if head == "hcr-project":
        with pytest.raises(hcr.UnsupportedError, match="have no bound"):
            onnx.export(model, dtype="float64")
        return
    got = run_onnx(onnx.export(model, dtype="float64"), *seen)
    np.testing.assert_allclose(got, y, rtol=1e-3, atol=1e-3)


@pytest.mark.filterwarnings("ignore")
def test_sklearn(random):
    pytest.importorskip("sklearn")
    pandas = pytest.importorskip("pandas")
    from hcr.sklearn import HCRRegressor

    region = make_moving("budget")
    x = parameters(region, random, 100)
    Y = region.sample(100, 1, x)
    X = np.c_[x, random.random((100, 2))]
    by_number = HCRRegressor(region, parameters=[0, 1, 2, 3], epochs=2, random_state=0).fit(X, Y)
    assert region.check(by_number.predict(X), x).all()
    frame = pandas.DataFrame(X, columns=["money", "a", "b", "c", "u", "v"])
    by_name = HCRRegressor(region, parameters=["money", "a", "b", "c"], epochs=2, random_state=0).fit(frame, Y)
    np.testing.assert_array_equal(by_name.predict(frame), by_number.predict(X))
    known = frame.rename(columns=dict(zip(["money", "a", "b", "c"], region.parameters.names, strict=True)))
    found = HCRRegressor(region, epochs=2, random_state=0).fit(known, Y)
    np.testing.assert_array_equal(found.predict(known), by_number.predict(X))
    with pytest.raises(hcr.InvalidError, match="no column 'gold'"):
        HCRRegressor(region, parameters=["gold", "a", "b", "c"]).fit(frame, Y)


# --------------------------------------------------------------------------------------------------------------- CVXPY


def test_cvxpy(random):
    cvxpy = pytest.importorskip("cvxpy")
    y = cvxpy.Variable(2, name="y")
    centre = cvxpy.Parameter(2, name="centre", bounds=[-1, 1])
    radius = cvxpy.Parameter(name="radius", bounds=[1, 2])
    weight = cvxpy.Parameter(name="weight", value=0.25)
    limits = [cvxpy.norm(y - centre) <= radius, weight * y[0] + y[1] <= 5 + radius]
    region = hcr.Region.from_cvxpy(limits, parameters=[centre, radius])
    assert region.parameters.names == ("centre[0]", "centre[1]", "radius") and region.n == 2
    x = parameters(region, random, 50)
    points = region.contract(9 * random.standard_normal((50, 2)), x)
    assert region.check(points, x).all()
    for point, given in zip(points, x, strict=True):
        y.value, centre.value, radius.value = point, given[:2], given[2]
        assert all(limit.violation() <= 1e-12 for limit in limits)
    free = cvxpy.Parameter(name="free")
    with pytest.raises(hcr.UnsupportedError, match=r"without finite bounds.*free"):
        hcr.Region.from_cvxpy([y <= free, y >= 0], parameters=[free])
    with pytest.raises(hcr.UnsupportedError, match=r"among the parameters given.*free"):
        hcr.Region.from_cvxpy([y <= free, y >= 0])
