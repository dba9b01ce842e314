"""hcr.torch by a region's CUDA kernels: in an emulation on this processor, and NVRTC's compilation of their source."""

from __future__ import annotations

import os
import pathlib
import re
import sys

import numpy as np
import pytest
from device_emulation import emulation, kernel_cache  # noqa: F401 (fixtures)

import hcr

torch = pytest.importorskip("torch")

import hcr.torch as ht
from hcr.torch import kernels, operators

ROWS, ROUNDS = (20_000, 50) if os.environ.get("HCR_LONG") else (300, 1)


def _unit_rows(random):
    rows = random.standard_normal((60, 10))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _quadratics(random, n=6, count=4):
    factors = random.standard_normal((count, n, n))
    matrices = factors.transpose(0, 2, 1) @ factors / n + 0.1 * np.eye(n)
    text = "".join(f"0.5*quad_form(y, P{i}) + q{i} @ y <= 1\n" for i in range(count))
    data = {f"P{i}": P for i, P in enumerate(matrices)} | {
        f"q{i}": q for i, q in enumerate(0.1 * random.standard_normal((count, n)))
    }
    return f"var y[{n}]\n{text}", data


def _matrices(random, n=5, size=18):
    made = random.standard_normal((n, size, size))
    data = {f"F{j}": (G + G.T) / 2 / np.sqrt(size) for j, G in enumerate(made)}
    return f"var y[{n}]\neye({size}) + " + " + ".join(f"y[{j}]*F{j}" for j in range(n)) + " >> 0\n", data


def region_of(letter):
    """Regions as A to E of the benchmarks, C to E smaller, and one with an equality."""
    random = np.random.default_rng(1234)
    if letter == "A":
        return hcr.Region("var y[48]\n-2 <= y <= 2\nabs(y[1:] - y[:-1]) <= 0.5")
    if letter == "B":
        return hcr.Region("var y[768]\nnorm(y, 2) <= 10")
    if letter == "C":
        return hcr.Region("var y[10]\nA @ y <= 1\norigin = zeros(10)", A=_unit_rows(random))
    if letter == "equality":
        return hcr.Region("var w[4]\nw >= 0\nsum(w) == 1\nw[0] + 0.5*w[1] <= 0.6")
    if letter == "except":
        return hcr.Region("var y[2]\n-4 <= y <= 4\nexcept norm(y - [2, 1]) <= 0.5\norigin = [0, 0]")
    if letter == "moving":
        return hcr.Region(
            "var y[3]\nparam g[3] in [0.5, 1]\nparam b in [1, 2]\n-2 <= y <= 2\ng @ y <= b\nsum(y) == 0.1*b"
        )
    if letter == "curved":
        return hcr.Region(
            "var y[3]\nparam r in [1, 2], c[3] in [-0.2, 0.2]\n-3 <= y <= 3\nnorm(y - c) <= r\n"
            "quad_form(y, P) <= 3*r\nnorm(y[:2]) <= 1 + 0.3*y[2] + r",
            P=np.eye(3) + 0.2,
        )
    if letter == "functions":
        return hcr.Region("var y[3]\n-1 <= y <= 1\nexp(y[0]) + log_sum_exp(y) <= 3\nnorm(y, 3) <= 1.1")
    if letter == "centres":  # each sample's limits have one of their own
        return hcr.Region(
            "var y[4]\nparam cap[4] in [0, 4], sold in [0, 2]\n0 <= y\ny[:3] <= cap[:3]\ny[3] <= 4 + cap[3]\n"
            "abs(diff(y[:3])) <= 2\nsum(y) == sold"
        )
    if letter == "matrices":
        return hcr.Region(
            "var y[3]\nparam t in [1, 2], a in [-0.3, 0.3]\ny <= 4\n"
            "psd([[t, y[0], y[1]], [y[0], 1 + a, y[2]], [y[1], y[2], t + 0.5]])"
        )
    text, data = _quadratics(random) if letter == "D" else _matrices(random)
    return hcr.Region(text + f"origin = zeros({5 if letter == 'E' else 6})", **data)


def points(region, count, dtype, seed=0):
    random = np.random.default_rng(seed)
    size = random.choice([0.05, 0.3, 1, 5], (count, 1))
    return torch.tensor(size * random.standard_normal((count, region.n)), dtype=dtype)


def parameters_of(region, count, dtype, seed=0):
    """None without any; float32's are within the range, whose ends are floats."""
    if region.p == 0:
        return None
    random, (_, lower, upper) = np.random.default_rng(seed), region.parameters
    return torch.tensor(random.uniform(lower, upper, (count, region.p)), dtype=dtype).clamp(
        torch.tensor(lower, dtype=dtype), torch.tensor(upper, dtype=dtype)
    )


LETTERS = ["A", "B", "C", "D", "E", "equality", "except", "moving", "curved", "functions", "matrices", "centres"]


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_kernels_give_what_the_library_gives(emulation, letter, dtype):  # noqa: F811
    region = region_of(letter)
    # both margins, of at most a thousandth each (docs/export.md), and where results are drawn in, once more
    share = 4e-3 if dtype == torch.float32 else 1e-9
    for seed in range(ROUNDS):
        v = points(region, ROWS, dtype, seed)
        x = parameters_of(region, ROWS, dtype, seed)
        given_x = () if x is None else (x.numpy(),)
        radius = torch.rand(ROWS, 1, dtype=dtype, generator=torch.Generator().manual_seed(seed)) * 1.2
        size = np.abs(region.contract(100 * v.numpy(), *given_x) - region.origin).max()
        for name, given in (("contract", v), ("soften", v), ("decode", torch.cat((v, radius), -1))):
            before = emulation.launches
            got = getattr(ht, name)(given, region, x)
            assert emulation.launches > before, "not by the kernels"
            assert got.dtype == dtype
            assert region.check(got.numpy(), *given_x).all()
            outcome = emulation.outcome.numpy()
            want, outcomes = getattr(region, name)(given.numpy(), *given_x, outcomes=True)
            np.testing.assert_allclose(got.numpy(), want, rtol=0, atol=share * size)
            # between both margins, or drawn in by one of both, a result is at the frontier for one alone
            differ = outcome != outcomes
            assert (outcome[differ] <= hcr.Outcome.FRONTIER).all() and (outcomes[differ] <= hcr.Outcome.FRONTIER).all()
            assert differ.mean() <= 0.01
    assert emulation.compilations <= 1


def derivatives(region, name, given, bar, dots):
    """By reverse mode, by forward mode, and by reverse mode within a compiled graph's operator; given: values, x."""
    function = getattr(ht, name)
    tracked = [tensor.clone().requires_grad_() for tensor in given]
    back = torch.autograd.grad(function(tracked[0], region, *tracked[1:]), tracked, bar)
    _, forward = torch.func.jvp(lambda v, *x: function(v, region, *x), given, dots)
    x = tracked[1] if len(given) > 1 else given[0].new_empty((*given[0].shape[:-1], 0))
    made = getattr(torch.ops.hcr, name)(tracked[0], x, operators.key(region), "nan")[0]
    by_operator = torch.autograd.grad(made, tracked, bar)
    return *back, forward, *by_operator


@pytest.mark.parametrize("letter", [letter for letter in LETTERS if letter != "B"])
@pytest.mark.parametrize("name", ["contract", "soften", "decode"])
def test_derivatives(emulation, letter, name, monkeypatch):  # noqa: F811
    region, count = region_of(letter), 40
    v = points(region, count, torch.float64, 3)
    if name == "decode":
        v = torch.cat((v, torch.linspace(0, 0.9, count, dtype=torch.float64)[:, None]), -1)
    given = (v,) if region.p == 0 else (v, parameters_of(region, count, torch.float64, 5))
    bar, dots = points(region, count, torch.float64, 4), tuple(torch.randn_like(tensor) for tensor in given)
    got = derivatives(region, name, given, bar, dots)
    launches = emulation.launches
    assert launches >= 6, "not by the kernels"
    monkeypatch.setattr(kernels, "platform", lambda: None)
    want = derivatives(region, name, given, bar, dots)
    assert emulation.launches == launches
    # sums in another order; an eigenvector is off by rounding over the gap between eigenvalues
    share = 1e-6 if letter in ("E", "matrices") else 1e-9
    for a, b in zip(got, want, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=share * float(b.abs().max()))


def test_samples_out_of_range(emulation):  # noqa: F811
    region = region_of("curved")
    v, x = points(region, 4, torch.float32), parameters_of(region, 4, torch.float32)
    x[1, 0], x[2, 1] = 3, torch.nan
    given, beside = v.clone().requires_grad_(), x.clone().requires_grad_()
    y = ht.contract(given, region, beside)
    assert y.isnan().all(-1).tolist() == [False, True, True, False]
    y.nan_to_num().sum().backward()
    assert given.grad.isnan().all(-1).tolist() == [False, True, True, False]
    assert beside.grad.isnan().all(-1).tolist() == [False, True, True, False]
    assert emulation.launches > 0


def test_second_derivatives_are_by_formulas(emulation):  # noqa: F811
    region, v = region_of("B"), points(region_of("B"), 2, torch.float64).requires_grad_()
    (first,) = torch.autograd.grad(ht.contract(v, region).square().sum(), v, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), v)
    assert emulation.launches > 0 and second.isfinite().all() and second.abs().max() > 0


def test_compiled_graphs_and_layers(emulation):  # noqa: F811
    region, v = region_of("A"), points(region_of("A"), 5, torch.float32)
    head = torch.nn.Sequential(torch.nn.Linear(48, 48), ht.Constrain(region))
    compiled = torch.compile(head, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(v), head(v), rtol=0, atol=0)
    compiled(v).square().sum().backward()
    assert emulation.launches > 0 and head[0].weight.grad.isfinite().all()


def test_bad_values_and_no_rows(emulation):  # noqa: F811
    region = region_of("A")
    v = points(region, 4, torch.float32)
    v[1, 3], v[2, 0] = torch.nan, torch.inf
    given = v.clone().requires_grad_()
    y = ht.contract(given, region)
    assert y.isnan().all(-1).tolist() == [False, True, True, False]
    y.nan_to_num().sum().backward()
    assert given.grad.isnan().all(-1).tolist() == [False, True, True, False]
    assert (ht.contract(v, region, bad="origin")[1] == torch.tensor(region.origin)).all()
    assert ht.contract(v[:0], region).shape == (0, 48)
    assert ht.contract(v.reshape(2, 2, 48).transpose(0, 1), region).shape == (2, 2, 48)
    assert emulation.launches > 0


def test_regions_without_kernels_are_computed_as_before(emulation):  # noqa: F811
    for text in (
        "var y[4]\nnorm_nuc(reshape(y, 2, 2)) <= 3",
        "var y[4]\nparam t in [1, 2]\nnorm_nuc(reshape(y, 2, 2)) <= t",
    ):
        region = hcr.Region(text)
        x = torch.ones(3, 1) if region.p else None
        y = ht.contract(torch.full((3, region.n), 5.0), region, x)
        assert region.check(y.numpy(), None if x is None else x.numpy()).all()
    assert emulation.launches == 0


def test_what_was_compiled_is_kept(emulation, monkeypatch, tmp_path):  # noqa: F811
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    region, v = region_of("A"), points(region_of("A"), 3, torch.float32)
    first = ht.contract(v, region)
    kernels._found.clear()  # as another process
    torch.testing.assert_close(ht.contract(v, region), first, rtol=0, atol=0)
    assert emulation.compilations == 1
    ht.contract(v.double(), region)
    assert emulation.compilations == 2


def test_wrong_kernels_are_not_used(emulation):  # noqa: F811
    region, v = region_of("A"), points(region_of("A"), 3, torch.float32)
    emulation.launch = lambda function, rows, tensors: tensors[1].fill_(7)
    with pytest.warns(UserWarning, match="differ from the library's results"):
        y = ht.contract(v, region)
    np.testing.assert_array_equal(y.numpy(), region.contract(v.numpy()))


@pytest.mark.parametrize("letter", LETTERS)
def test_nvrtc_compiles_the_kernels(letter):
    """Of A, B, C and E the benchmarks' own, D's take minutes; kernels of A to E spill no register."""
    try:
        compiler = kernels.NVRTC("")
    except OSError:
        pytest.skip("NVRTC isn't there (nvidia-cuda-nvrtc, from PyPI)")
    region = region_of(letter)
    if letter in "ABCE":
        sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "suite"))
        from regions import shape

        made = shape(letter)
        region = hcr.Region(f"{made.declared}\n{made.text}\n{made.origin}\n", **made.data)
    for single in (False, True):
        code, header = kernels.source(region, single)
        made = compiler.compile(code, {**kernels.HEADERS, "hcr.h": header}, "sm_90")
        assert made[:4] == b"\x7fELF"
        for name in ("contract", "decode_gradient", "soften_tangent"):
            assert f"hcr_{name}_kernel".encode() in made
        spilled = re.findall(r"(\d+) bytes spill", compiler.log)
        assert len(spilled) >= 22 and (set(spilled) == {"0"} or len(letter) > 1)
