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
        assert torch.autograd.gradcheck(lambda z: FUNCTIONS[name](z, region), x, atol=1e-4, nondet_tol=0)


@pytest.mark.parametrize("name", KINDS)
def test_formulas(plain, name, random):
    x = inputs(plain, name, random, 200, odd=True).requires_grad_()
    want, got = FUNCTIONS[name](x, plain), FUNCTIONS[name](x, plain, formulas=True)
    torch.testing.assert_close(got, want, rtol=1e-9, atol=1e-11, equal_nan=True)
    if name not in ("gauge", "encode"):
        assert plain.check(got.detach().numpy()).all()
    bar = torch.tensor(random.standard_normal(want.shape))
    sound = torch.isfinite(x).all(-1)
    (a,) = torch.autograd.grad(want, x, bar)
    (b,) = torch.autograd.grad(got, x, bar)
    assert torch.isfinite(b[sound]).all()
    torch.testing.assert_close(b[sound][5:], a[sound][5:], rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", KINDS)
def test_second_derivatives_of_formulas(name, random):
    region = make("quadratics")
    x = inputs(region, name, random, 2).requires_grad_()
    assert torch.autograd.gradgradcheck(lambda z: FUNCTIONS[name](z, region, formulas=True), x, atol=1e-4)
    with pytest.raises((RuntimeError, hcr.UnsupportedError), match="second"):
        torch.autograd.gradgradcheck(lambda z: FUNCTIONS[name](z, region), x)


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
        FUNCTIONS[name](x, region).nansum().backward()
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
    torch.library.opcheck(operator, (x, x.new_empty(5, 0), operators.key(region)))


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
        torch.ops.hcr.contract(torch.zeros(2, 3), torch.zeros(2, 0), "0" * 64)


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


def test_layers_refuse_what_cannot_be():
    with pytest.raises(hcr.InvalidError, match="no kind"):
        ht.Constrain(make("ball"), "project")
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
        assert make("ball").check(got.detach().numpy()).all()
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
        tolerance = 1e-4 if dtype == torch.float32 else 1e-9
        torch.testing.assert_close(there.cpu(), here, rtol=tolerance, atol=tolerance)
        if map not in ("gauge", "encode"):
            assert region.check(there.detach().cpu().numpy()).all()
        bar = torch.randn_like(here)
        here.backward(bar)
        there.backward(bar.cuda())
        torch.testing.assert_close(b.grad.cpu(), a.grad, rtol=100 * tolerance, atol=100 * tolerance)
        head = ht.HCRHead(5, region).cuda()
        compiled = torch.compile(head, fullgraph=True, backend="aot_eager")
        features = torch.randn(4, 5, device="cuda")
        torch.testing.assert_close(compiled(features), head(features))
