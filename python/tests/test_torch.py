"""The maps and layers in PyTorch."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle

import numpy as np
import pytest
from conftest import PLAIN, directions, make

import hcr

torch = pytest.importorskip("torch")

import hcr.torch as ht
from hcr.torch import formulas, operators

KINDS = ("gauge", "encode", "decode", "contract", "soften")
FUNCTIONS = {name: getattr(ht, name) for name in KINDS}
pytestmark = pytest.mark.filterwarnings("ignore")


def inputs(region, name, random, count=30, dtype=torch.float64, odd=False):
    if name == "encode":
        x = region.sample(count, 3)
    elif odd:
        x = directions(random, count, region.n)
    else:
        x = 2 * random.standard_normal((count, region.n))
    if name == "decode":
        x = np.concatenate([x, random.uniform(0.05, 0.95, (count, 1))], 1)
    return torch.tensor(x, dtype=dtype)


@pytest.mark.parametrize("name", KINDS)
def test_functions_are_the_library_s(region, name, random):
    for dtype in (torch.float32, torch.float64):
        x = inputs(region, name, random, dtype=dtype, odd=True)
        got = FUNCTIONS[name](x, region)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got.numpy(), getattr(region, name)(x.numpy()))


@pytest.mark.parametrize("name", KINDS)
def test_gradcheck(region, name, random):
    for shape in ((1, -1), (3, -1), (3, 2, -1)):
        x = inputs(region, name, random, 6)[: int(np.prod(shape[:-1]))].reshape(shape).requires_grad_()
        # The union's own derivative is by its nearest body: 1e-4 covers steps over a tie.
        assert torch.autograd.gradcheck(
            lambda z: FUNCTIONS[name](z, region), x, atol=1e-4, nondet_tol=0, check_forward_ad=True
        )


@pytest.mark.parametrize("name", KINDS)
def test_formulas(plain, name, random):
    x = inputs(plain, name, random, 200, odd=True).requires_grad_()
    want, got = FUNCTIONS[name](x, plain), FUNCTIONS[name](x, plain, formulas=True)
    torch.testing.assert_close(got, want, rtol=1e-9, atol=1e-11, equal_nan=True)
    if name not in ("gauge", "encode"):
        assert plain.check(got.detach().numpy()).tolist() == torch.isfinite(x).all(-1).tolist()
    bar = torch.tensor(random.standard_normal(want.shape))
    sound = torch.isfinite(x).all(-1)
    (a,) = torch.autograd.grad(want, x, bar)
    (b,) = torch.autograd.grad(got, x, bar)
    assert torch.isfinite(b[sound]).all() and torch.isnan(b[~sound]).all() and torch.isnan(a[~sound]).all()
    torch.testing.assert_close(b[sound][5:], a[sound][5:], rtol=1e-7, atol=1e-7)
    dot = torch.tensor(random.standard_normal(x.shape))
    want = torch.func.jvp(lambda z: FUNCTIONS[name](z, plain), (x.detach(),), (dot,))[1]
    got = torch.func.jvp(lambda z: FUNCTIONS[name](z, plain, formulas=True), (x.detach(),), (dot,))[1]
    assert torch.isnan(got[~sound]).all() and torch.isnan(want[~sound]).all()
    torch.testing.assert_close(got[sound][5:], want[sound][5:], rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", KINDS)
def test_second_derivatives_of_formulas(name, random):
    region = make("quadratics")
    x = inputs(region, name, random, 2).requires_grad_()
    assert torch.autograd.gradgradcheck(lambda z: FUNCTIONS[name](z, region, formulas=True), x, atol=1e-4)
    # without the word, the kernels' derivatives are differentiated by the formulas
    assert torch.autograd.gradgradcheck(lambda z: FUNCTIONS[name](z, region), x, atol=1e-4)
    other = make("expression")
    x = inputs(other, name, random, 2).requires_grad_()
    with pytest.raises((RuntimeError, hcr.UnsupportedError), match="twice"):
        torch.autograd.gradgradcheck(lambda z: FUNCTIONS[name](z, other), x)


def test_c01_zero_gives_the_small_limit():
    disc = hcr.Region("var y[2]\nnorm(y) <= 1")
    v = torch.tensor([[0.0, 0], [3, 0]], dtype=torch.float64, requires_grad=True)
    jacobian = torch.autograd.functional.jacobian(lambda z: ht.contract(z, disc), v)
    torch.testing.assert_close(jacobian[0, :, 0], torch.eye(2, dtype=torch.float64))
    alone = torch.autograd.functional.jacobian(lambda z: ht.contract(z, disc), v[1])
    torch.testing.assert_close(jacobian[1, :, 1], alone, rtol=0, atol=0)
    for kind in ("decode", "contract", "soften"):
        head = ht.HCRHead(3, disc, kind)
        torch.nn.init.zeros_(head.linear.weight)
        torch.nn.init.zeros_(head.linear.bias)
        loss = (head(torch.ones(4, 3)) - 0.3).square().sum()
        loss.backward()
        assert torch.isfinite(loss) and torch.isfinite(head.linear.weight.grad).all()


@pytest.mark.parametrize("name", KINDS)
def test_gradients_at_odd_inputs_are_finite(region, name, random):
    for dtype in (torch.float32, torch.float64):
        x = inputs(region, name, random, dtype=dtype, odd=True).requires_grad_()
        FUNCTIONS[name](x, region).nansum().backward()  # rows of NaN are left out, and spoil nothing
        assert torch.isfinite(x.grad).all()


def test_c42_shapes(random):
    region = make("rows")
    x = inputs(region, "contract", random, 6)
    whole = ht.contract(x, region)
    for got in (
        ht.contract(x[2], region),
        ht.contract(x[2:3], region)[0],
        ht.contract(x.reshape(2, 3, 7), region)[0, 2],
    ):
        assert torch.equal(got, whole[2])
    assert torch.equal(ht.contract(x.T.contiguous().T, region), whole)
    empty = torch.zeros(0, 7, requires_grad=True)
    result = ht.contract(empty, region)
    result.sum().backward()
    assert result.shape == empty.grad.shape == (0, 7)
    with pytest.raises(hcr.InvalidError, match=r"\(2, 3\).* 7 "):
        ht.contract(torch.zeros(2, 3), region)


def test_c43_types(random):
    region = make("ball")
    net = torch.nn.Sequential(torch.nn.Linear(4, 3), ht.Constrain(region), torch.nn.Linear(3, 2))
    optimiser = torch.optim.SGD(net.parameters(), 0.1)
    net(torch.randn(5, 4)).sum().backward()
    optimiser.step()
    assert net.double()(torch.randn(5, 4, dtype=torch.float64)).dtype == torch.float64
    net.float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert net(torch.randn(5, 4)).dtype == torch.bfloat16
    for half in (torch.float16, torch.bfloat16):
        assert ht.contract(torch.ones(2, 3, dtype=half), region).dtype == torch.float32
    for wrong in (torch.long, torch.int32, torch.bool, torch.complex64):
        with pytest.raises(TypeError, match="float32"):
            ht.contract(torch.ones(2, 3).to(wrong), region)


@pytest.mark.parametrize("name", ["differences", "equalities", "expression"])
@pytest.mark.parametrize("map", KINDS)
def test_compile_is_eager(name, map, random):
    region = make(name)
    torch._dynamo.reset()

    def function(z):
        return (FUNCTIONS[map](1.5 * z, region) * 2).sum(-1) if map != "gauge" else FUNCTIONS[map](1.5 * z, region)

    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
    for count in (4, 7):
        x = inputs(region, map, random, count).requires_grad_()
        got, want = compiled(x), function(x)
        torch.testing.assert_close(got, want, rtol=1e-12, atol=1e-12)
        bar = torch.randn_like(want)
        for a, b in zip(torch.autograd.grad(got, x, bar), torch.autograd.grad(want, x, bar), strict=True):
            torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-10)


def test_inductor():
    region = make("differences")
    head = ht.HCRHead(5, region)
    x = torch.randn(6, 5)
    try:
        got = torch.compile(head, fullgraph=True)(x)
    except Exception as reason:  # no compiler for its C++ on this machine
        if "compiler" not in str(reason).lower():
            raise
        pytest.skip(str(reason)[:80])
    torch.testing.assert_close(got, head(x), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("map", KINDS)
def test_operators_pass_torch_s_own_checks(map, random):
    region = make("quadratics")
    x = inputs(region, map, random, 5).requires_grad_()
    operator = getattr(torch.ops.hcr, map)
    torch.library.opcheck(operator, (x, x.new_empty(5, 0), operators.key(region), "nan"))


@pytest.mark.parametrize("map", KINDS)
def test_operators_elsewhere_are_those_here(map, plain, random):
    """What runs on devices that aren't the CPU, on the CPU."""
    x = inputs(plain, map, random, 20)
    torch.testing.assert_close(formulas.compute(map, x, None, plain), FUNCTIONS[map](x, plain), rtol=1e-9, atol=1e-11)
    leaf = x.clone().requires_grad_()
    want = FUNCTIONS[map](leaf, plain)
    bar = torch.randn_like(want)
    (gradient,) = torch.autograd.grad(want, leaf, bar)
    again, _ = formulas.differentiate(map, x, None, bar, plain)
    torch.testing.assert_close(again, gradient, rtol=1e-7, atol=1e-7)


def test_func_transforms(random):
    region = make("quadratics")
    x = inputs(region, "contract", random, 5)
    mapped = torch.func.vmap(lambda v: ht.contract(v, region))(x)
    assert torch.equal(mapped, ht.contract(x, region))
    assert torch.equal(torch.func.vmap(lambda v: ht.contract(v, region), in_dims=1, out_dims=1)(x.T), mapped.T)
    jacobians = torch.func.vmap(torch.func.jacrev(lambda v: ht.contract(v, region)))(x)
    for row, jacobian in zip(x, jacobians, strict=True):
        torch.testing.assert_close(torch.autograd.functional.jacobian(lambda v: ht.contract(v, region), row), jacobian)
    gradient = torch.func.grad(lambda v: ht.decode(v, region).sum())(torch.cat([x[0], torch.tensor([0.5])]))
    assert torch.isfinite(gradient).all()


def test_d07_forward_mode():
    """On the disc at (3, 1), in every way that torch has; never 0 in silence."""
    disc, v = hcr.Region("var y[2]\nnorm(y) <= 1"), torch.tensor([3.0, 1.0], dtype=torch.float64)
    want = torch.tensor([[1.0, -3], [-3, 9]], dtype=torch.float64) / (10 * 10**0.5)

    def f(v):
        return ht.contract(v, disc)

    forward_ad = torch.autograd.forward_ad
    with forward_ad.dual_level():
        dual = forward_ad.unpack_dual(f(forward_ad.make_dual(v, torch.tensor([0.0, 1.0], dtype=torch.float64)))).tangent
        direct = torch.ops.hcr.contract(
            forward_ad.make_dual(v, torch.tensor([0.0, 1.0], dtype=torch.float64)),
            v.new_empty(0),
            operators.key(disc),
            "nan",
        )[0]
        for tangent in (dual, forward_ad.unpack_dual(direct).tangent):
            torch.testing.assert_close(tangent, want[1], rtol=0, atol=1e-12)
    torch._dynamo.reset()
    for jacobian in (
        torch.func.jacfwd(f)(v),
        torch.func.jacrev(f)(v),
        torch.func.vmap(lambda dot: torch.func.jvp(f, (v,), (dot,))[1])(torch.eye(2, dtype=torch.float64)).T,
        torch.compile(torch.func.jacfwd(f), backend="aot_eager")(v),
        torch.compile(torch.func.jacrev(f), backend="aot_eager")(v),
    ):
        torch.testing.assert_close(jacobian, want, rtol=0, atol=1e-12)


def test_d07_second_derivatives():
    """f = Σ v/|v|: whichever mode is within which, as autograd has it of the closed form; or refused."""
    disc, v = hcr.Region("var y[2]\nnorm(y) <= 1"), torch.tensor([3.0, 1.0], dtype=torch.float64)
    forward, reverse = torch.func.jacfwd, torch.func.jacrev
    want = reverse(reverse(lambda v: (v / v.norm()).sum()))(v)
    soft = hcr.Region("var y[2]\nlog_sum_exp(y) <= 2\ny >= -2")
    for outer in (forward, reverse):
        for inner in (forward, reverse):
            for formulas_too in (False, True):
                got = outer(inner(lambda v, f=formulas_too: ht.contract(v, disc, formulas=f).sum()))(v)
                torch.testing.assert_close(got, want, rtol=1e-9, atol=1e-9)
            with pytest.raises(hcr.UnsupportedError, match="expression"):
                outer(inner(lambda v: ht.contract(v, soft).sum()))(v)
    torch.testing.assert_close(torch.func.hessian(lambda v: ht.contract(v, disc).sum())(v), want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["differences", "expression"])
def test_d08_traces(name):
    region = make(name)
    for layer in (
        ht.Constrain(region),
        ht.Constrain(region, points=True),
        ht.Constrain(region, "decode"),
        torch.nn.Sequential(torch.nn.Linear(5, 4), ht.HCRHead(4, region)),
    ):
        width = 5 if isinstance(layer, torch.nn.Sequential) else region.n + (layer.kind == "decode")
        with torch.no_grad():
            traced = torch.jit.trace(layer, torch.randn(4, width), check_trace=False)
            x = 3 * torch.randn(9, width)
            torch.testing.assert_close(traced(x), layer(x), rtol=0, atol=1e-6)
        with pytest.raises(hcr.UnsupportedError, match=r"torch\.jit\.script can't compile"):
            torch.jit.script(layer)


@pytest.mark.parametrize("half", [torch.bfloat16, torch.float16])
def test_d09_half_types(half):
    """The origin, 1005, and a parameter's limit aren't rounded to eight digits of a half type."""
    region = hcr.Region("var y\n1000 <= y <= 1010")
    layer = ht.Constrain(region, points=True)
    inside = torch.tensor([[1008.0]])
    assert layer(inside.to(half)).item() == 1008
    with torch.autocast("cpu", dtype=half):
        assert layer(inside).item() == 1008
    for convert in (lambda m: m.to(half), lambda m: m.half().bfloat16().float(), lambda m: m.half().double()):
        layer = convert(ht.Constrain(region, points=True))
        assert layer(inside).item() == 1008 and layer(inside.to(half)).item() == 1008
        assert layer.origin.dtype == torch.float64
    moving = hcr.Region("var y\nparam top in [1001, 1010]\n1000 <= y <= top")
    layer = ht.Constrain(moving, points=True)
    assert layer(inside.to(half), torch.tensor([[1009.0]])).item() == pytest.approx(1008, abs=1e-3)


def test_d09_models_keep_their_constants(random):
    X = 1000 + random.random((60, 4))
    model = hcr.fit(make("ball"), X, X[:, :3] - 1000, epochs=2, hidden=8)
    net = model.to_torch()
    want = net(torch.tensor(X))
    again = net.half().float()
    for name in ("input_mean", "input_deviation", "target_mean", "target_deviation", "origin"):
        assert getattr(again, name).dtype == torch.float64
    torch.testing.assert_close(again(torch.tensor(X)), want.float(), rtol=0, atol=0.02)  # weights of three digits


def test_d42_constants_outlive_what_watched():
    """A tracer or a transform that sees the first use leaves nothing of its own in what is kept."""
    for watched in (
        lambda f, v: torch.func.jacrev(f)(v),
        lambda f, v: torch.func.vmap(f)(v[None]),
        lambda f, v: torch.export.export(ht.Constrain(f.region), (v,)),
        lambda f, v: torch.jit.trace(f, v, check_trace=False),
    ):
        region = hcr.Region(f"var y[2]\nnorm(y) <= 1 + 0.25 * y[0]\ny <= {np.random.default_rng().random() + 3}")

        def f(v, region=region):
            return ht.contract(v, region, formulas=True)

        f.region = region
        v = torch.tensor([3.0, 1.0], dtype=torch.float64)
        watched(f, v)
        assert type(f(v)) is torch.Tensor
        torch.testing.assert_close(f(v), ht.contract(v, region), rtol=0, atol=1e-12)
        want = torch.func.hessian(lambda v, region=region: ht.contract(v, region).sum())(v)
        torch.testing.assert_close(torch.func.hessian(lambda v, f=f: f(v).sum())(v), want)


@pytest.mark.parametrize("bad", ["nan", "origin"])
def test_d19_bad_values(bad):
    region = make("ball")
    x = torch.tensor([[3.0, 0, 0], [float("nan"), 0, 0], [0.1, 0.2, 0.3], [0, float("inf"), 0]], requires_grad=True)
    at = torch.tensor([1, 3])
    for formulas_too in (False, True):
        y = ht.contract(x, region, formulas=formulas_too, bad=bad)
        (gradient,) = torch.autograd.grad(y.sum(), x)
        if bad == "nan":
            assert torch.isnan(y[at]).all() and torch.isnan(gradient[at]).all()
        else:
            assert (y[at].detach().numpy() == region.contract([[0, 0, 0]]).astype("float32")).all()
            assert not gradient[at].any()
        assert torch.isfinite(y[::2]).all() and torch.isfinite(gradient[::2]).all()
    compiled = torch.compile(ht.Constrain(region, bad=bad), fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(x), ht.contract(x, region, bad=bad), equal_nan=True)
    head = ht.HCRHead(3, region, bad=bad)
    assert torch.isnan(head(x)).any(1).tolist() == [False, bad == "nan", False, bad == "nan"]
    with pytest.raises(hcr.InvalidError, match="'nan' or 'origin'"):
        ht.contract(x, region, bad="zero")


def test_d37_the_other_side():
    """Beyond the upper end, with a target at the lower: the map's gradient is exactly 0, the raw term's isn't."""
    region = hcr.Region("var y\n0 <= y <= 10")
    target = torch.tensor([[1.0]])
    for kind, start in (("contract", [[8.0]]), ("decode", [[2.0, 0.0]])):
        layer = ht.Constrain(region, kind)
        stalled, helped = torch.tensor(start, requires_grad=True), torch.tensor(start, requires_grad=True)
        for values, weight in ((stalled, 0.0), (helped, 0.1)):
            optimiser = torch.optim.Adam([values], 0.1)
            for _ in range(400):
                optimiser.zero_grad()
                loss = (layer(values) - target).square().mean() + weight * layer.raw_loss(values, target)
                loss.backward()
                if weight == 0:
                    assert values.grad[0, 0] == 0
                optimiser.step()
        assert layer(stalled).item() >= 5 and abs(layer(helped).item() - 1) < 0.05
    features = torch.randn(8, 3)
    head = ht.HCRHead(3, region, "contract")
    want = (head.linear(features) + 5 - target).square().mean()
    torch.testing.assert_close(head.raw_loss(features, target), want)
    points = ht.Constrain(region, points=True)
    assert points.raw_loss(torch.tensor([[4.0]]), target).item() == 9


def test_d44_tiny_directions():
    box = hcr.Region("var y[3]\n-1e6 <= y <= 1e6")
    polar = torch.tensor([[1e-33, 0, 0, 1], [1e-45, 1e-44, 0, 0.5]], requires_grad=True)
    ht.decode(polar, box).sum().backward()
    assert torch.isfinite(polar.grad).all()


def test_export(tmp_path):
    region = make("cones")
    net = torch.nn.Sequential(torch.nn.Linear(4, 5), ht.HCRHead(5, region))
    program = torch.export.export(net, (torch.randn(6, 4),), dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
    x = torch.randn(9, 4)
    torch.testing.assert_close(program.module()(x), net(x))
    torch.export.save(program, tmp_path / "net.pt2")
    torch.testing.assert_close(torch.export.load(tmp_path / "net.pt2").module()(x), net(x))


def test_graphs_of_an_unknown_region_say_so():
    with pytest.raises(hcr.InvalidError, match="hasn't seen"):
        torch.ops.hcr.contract(torch.zeros(2, 3), torch.zeros(2, 0), "0" * 64, "nan")


# -------------------------------------------------------------------------------------------------------------- layers


def _apply(net, x, queue):
    queue.put(net(x).detach().numpy())


@pytest.mark.parametrize("kind", ["decode", "contract", "soften"])
def test_c44_copies_of_layers(kind, tmp_path):
    region = make("lmi")
    net = torch.nn.Sequential(torch.nn.Linear(4, 5), ht.HCRHead(5, region, kind))
    x = torch.randn(6, 4)
    want = net(x)
    torch.save(net, tmp_path / "net.pt")
    fresh = torch.nn.Sequential(torch.nn.Linear(4, 5), ht.HCRHead(5, region, kind))
    fresh.load_state_dict(net.state_dict())
    for again in (
        copy.deepcopy(net),
        pickle.loads(pickle.dumps(net)),
        torch.load(tmp_path / "net.pt", weights_only=False),
        fresh,
    ):
        assert torch.equal(again(x), want)
    if kind != "decode":
        return  # the process doesn't depend on it, and takes its time to import torch
    context = multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    process = context.Process(target=_apply, args=(net, x, queue))
    process.start()
    np.testing.assert_array_equal(queue.get(), want.detach().numpy())
    process.join()


def test_the_state_of_another_region_is_refused():
    state = ht.HCRHead(5, make("ball")).state_dict()
    other = ht.HCRHead(5, hcr.Region("var y[3]\nnorm(y - 0.3) <= 2.5"))
    for strict in (True, False):
        with pytest.raises(RuntimeError, match="another region"):
            other.load_state_dict(state, strict=strict)


def test_d05_averaged_states():
    region = make("ball")
    one, other = ht.HCRHead(5, region), ht.HCRHead(5, region)
    averaged = torch.optim.swa_utils.AveragedModel(one, use_buffers=True)
    averaged.update_parameters(one)
    averaged.update_parameters(other)
    ht.HCRHead(5, region).load_state_dict(averaged.module.state_dict())
    states = [one.state_dict(), other.state_dict()]
    by_hand = {name: (states[0][name] * 0.9 + states[1][name] * 0.1) for name in states[0]}
    ht.HCRHead(5, region).load_state_dict(by_hand)
    before = {**one.state_dict()}
    before["region_digest"] = before.pop("_extra_state")  # as states were
    ht.HCRHead(5, region).load_state_dict(before)
    wrong = {**one.state_dict(), "_extra_state": torch.tensor([0.5, 300])}
    with pytest.raises(RuntimeError, match=r"another region \(no digest.*y\[3\]"):
        ht.HCRHead(5, region).load_state_dict(wrong)


@pytest.mark.parametrize("assign", [False, True])
def test_d43_deferred_initialisation(assign):
    region = make("ball")
    want = torch.nn.Sequential(torch.nn.Linear(4, 3), ht.Constrain(region, points=True), ht.HCRHead(3, region))
    with torch.device("meta"):
        late = torch.nn.Sequential(torch.nn.Linear(4, 3), ht.Constrain(region, points=True), ht.HCRHead(3, region))
    if not assign:
        late.to_empty(device="cpu")
    late.load_state_dict(want.state_dict(), assign=assign)
    x = torch.randn(6, 4)
    assert torch.equal(late(x), want(x))


def test_layers_refuse_what_cannot_be():
    with pytest.raises(hcr.InvalidError, match="no kind"):
        ht.Constrain(make("ball"), "lift")
    with pytest.raises(hcr.InvalidError, match="decode"):
        ht.Constrain(make("ball"), "decode", points=True)


def test_points_inside_stay_where_they_are():
    layer = ht.Constrain(make("ball"), points=True)
    y = torch.tensor(make("ball").sample(20, 1))
    torch.testing.assert_close(layer(y), y, rtol=0, atol=1e-15)
    assert "kind='contract'" in repr(layer)


def test_a_layer_in_the_middle_is_trained(random):
    """The paper's embedding: what is between two layers stays in the region while both learn."""
    torch.manual_seed(0)
    region = hcr.Region("var z[6]\nsum(z) == 1\nz >= 0")
    net = torch.nn.Sequential(
        torch.nn.Linear(3, 16), torch.nn.ReLU(), ht.HCRHead(16, region, "soften"), torch.nn.Linear(6, 1)
    )
    x = torch.rand(256, 3)
    y = (x[:, :1] - x[:, 1:2]).abs()
    optimiser = torch.optim.Adam(net.parameters(), 1e-2)
    losses = []
    for _ in range(150):
        optimiser.zero_grad()
        loss = (net(x) - y).square().mean()
        loss.backward()
        optimiser.step()
        losses.append(float(loss))
    assert losses[-1] < 0.2 * losses[0]
    assert region.check(net[:3](100 * x).detach().numpy()).all()


@pytest.mark.parametrize("encoder", hcr.model.ENCODERS)
@pytest.mark.parametrize("head", hcr.model.HEADS)
def test_models_become_networks(encoder, head, random):
    X = random.random((100, 4))
    X[:, 2] = 14.62
    model = hcr.fit(make("ball"), X, X[:, :3], head=head, encoder=encoder, epochs=2, hidden=8)
    net = model.to_torch()
    rows = 3 * X - 1
    rows[0, 1], rows[1, 0] = np.nan, 1e30
    got = net(torch.tensor(rows, dtype=torch.float32))
    np.testing.assert_allclose(got.detach().numpy(), model.predict(rows, single=True), atol=2e-5)
    if head != "simple":
        assert make("ball").check(got.detach().numpy()[2:]).all()
    assert torch.isnan(got[:2]).all()
    got[2:].sum().backward()
    assert torch.isfinite(net.head.weight.grad).all()


# --------------------------------------------------------------------------------------------------- several processes


def _gradients(net, x, y):
    net.zero_grad()
    (net(x) - y).square().mean().backward()
    return [parameter.grad.clone() for parameter in net.parameters()]


def _data_parallel(rank, port, net, x, y, queue):
    torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    parallel = torch.nn.parallel.DistributedDataParallel(net)
    half = slice(rank * len(x) // 2, (rank + 1) * len(x) // 2)
    gradients = _gradients(parallel, x[half], y[half])
    if rank == 0:
        queue.put([gradient.numpy() for gradient in gradients])
    torch.distributed.barrier()
    os._exit(0)  # gloo's threads may wait for the interpreter's lock while it is taken down


@pytest.mark.skipif(not torch.distributed.is_available(), reason="this torch has no torch.distributed")
def test_two_processes_give_one_s_gradients():
    import socket

    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), ht.HCRHead(8, make("rows")))
    x, y = torch.randn(20, 4), torch.randn(20, 7)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    context = multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    processes = [context.Process(target=_data_parallel, args=(rank, port, net, x, y, queue)) for rank in range(2)]
    for process in processes:
        process.start()
    got = queue.get()
    for process in processes:
        process.join()
    for a, b in zip(got, _gradients(net, x, y), strict=True):
        np.testing.assert_allclose(a, b.numpy(), rtol=1e-4, atol=1e-6)  # sums of floats in another order


# ------------------------------------------------------------------------------------------------------------ elsewhere


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU that torch knows")
@pytest.mark.parametrize("name", [*PLAIN, "lmi", "expression"])
@pytest.mark.parametrize("map", KINDS)
def test_cuda(name, map, random):
    region = make(name)
    for dtype in (torch.float32, torch.float64):
        x = inputs(region, map, random, 500, dtype=dtype)
        a, b = x.clone().requires_grad_(), x.cuda().requires_grad_()
        here, there = FUNCTIONS[map](a, region), FUNCTIONS[map](b, region)
        # single precision takes up to a thousandth of the radius there, and here (docs/export.md)
        tolerance = 4e-3 if dtype == torch.float32 else 1e-9
        torch.testing.assert_close(there.cpu(), here, rtol=tolerance, atol=tolerance)
        if map not in ("gauge", "encode"):
            assert region.check(there.detach().cpu().numpy()).all()
        bar = torch.randn_like(here)
        here.backward(bar)
        there.backward(bar.cuda())
        close = 1e-2 if dtype == torch.float32 else 1e-7
        torch.testing.assert_close(b.grad.cpu(), a.grad, rtol=close, atol=close)
        head = ht.HCRHead(5, region).cuda()
        compiled = torch.compile(head, fullgraph=True, backend="aot_eager")
        features = torch.randn(4, 5, device="cuda")
        torch.testing.assert_close(compiled(features), head(features))
