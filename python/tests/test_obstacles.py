"""Unions, excepts and star constraints that move with the sample, and several origins."""

from __future__ import annotations

import ctypes
import os
import pathlib
import re
import runpy
import shutil
import subprocess
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import hcr
from hcr import _library

DISCS = """
var p[2]
param c[2] in [0, 4]
param r in [0.2, 0.6]
param w in [0.5, 1]
0 <= p <= 4
except norm(p - c) <= r
except:
    c[0] + 1 <= p[0] <= c[0] + 1 + w
    p[1] <= 1
end
"""
ROOMS = """
var p[2]
param a in [-1, 1]
param b in [1, 2]
union:
    a <= p[0] <= a + 3
    0 <= p[1] <= b
or
    norm(p - [a + 3, 0.5]) <= 1
end
"""
CURVES = """
var y[2]
param k in [0.5, 1]
-2 <= y <= 2
star:
    y[0] * y[1] <= k
    y[1] - sin(2 * y[0]) * k <= 1.2
end
"""
# The robot's floor of examples/robot, and a disc that moves on it.
FLOOR = """
var p[2]
param c[2] in [0, 8]
union:
    0 <= p[0] <= 4
    0 <= p[1] <= 3
or
    3.5 <= p[0] <= 8
    1 <= p[1] <= 2
end
except norm(p - [1, 1.6]) <= 0.3
except norm(p - c) <= 0.5
except:
    p[0] >= 2.4
    p[1] >= 2.2
end
origin = [3.8, 1.5]
origin = [0.5, 2.5]
"""
REGIONS = [DISCS, ROOMS, CURVES, FLOOR]


def samples(region: hcr.Region, count: int, seed: int = 0) -> np.ndarray[Any, Any]:
    lower, upper = region.parameters.lower, region.parameters.upper
    rng = np.random.default_rng(seed)
    x = rng.uniform(lower, upper, (count, region.p))
    if region.origins > 1:
        x[:, -1] = rng.integers(0, region.origins, count)
    return x


def kept(region: hcr.Region, y: Any, x: Any) -> np.ndarray[Any, Any]:
    """Rows that have an origin."""
    return ~np.isnan(y[:, 0])


@pytest.mark.parametrize("seed", range(250 if os.environ.get("HCR_LONG") else 1))
@pytest.mark.parametrize("text", REGIONS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_results_are_inside(text: str, dtype: Any, seed: int) -> None:
    """Whatever moves, in exact arithmetic, a million samples of each at length; NaN where every origin is covered, and
    only there."""
    region = hcr.Region(text)
    x = samples(region, 4000, seed).astype(dtype)
    v = (3 * np.random.default_rng(seed + 1000).normal(size=(len(x), 2))).astype(dtype)
    polar = np.concatenate([v, np.random.default_rng(2).uniform(0, 1.1, (len(x), 1)).astype(dtype)], 1)
    for y in (region.contract(v, x), region.soften(v, x), region.decode(polar, x)):
        found = kept(region, y, x)
        assert region.check(y[found], x[found]).all()
        assert found.mean() > 0.9
    origin = region.contract(0 * v, x)
    for i in np.flatnonzero(np.isnan(origin[:, 0]))[:50]:
        with pytest.raises(hcr.Error, match="no point is certain"):
            region.origin_at(x[i])


def test_a_number_of_an_origin_is_whole() -> None:
    region = hcr.Region(FLOOR)
    x = [4.0, 4.0, 0.5]
    y, outcome = region.contract(np.zeros(2), x, outcomes=True)
    assert np.isnan(y).all() and outcome == hcr.Outcome.OUT_OF_RANGE
    with pytest.raises(hcr.Error, match=r"is 0\.5: it is the number of an origin, a whole one from 0 to 1"):
        region.at(x)


@pytest.mark.filterwarnings("ignore:hcr.jax calls the C library by way of Python")
@pytest.mark.parametrize("name", ["contract", "soften"])
@pytest.mark.parametrize("text", REGIONS)
def test_torch_and_jax_have_the_library_s(text: str, name: str) -> None:
    """The same numbers, and derivatives to 1e-12, by outputs and parameters; numbers of origins have none."""
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    import hcr.jax
    import hcr.torch

    region, rng = hcr.Region(text), np.random.default_rng(4)
    x, v = samples(region, 60), 2 * rng.normal(size=(60, 2))
    map = getattr(region, name)
    found = kept(region, map(v, x), x)
    x, v, bar = x[found], v[found], rng.normal(size=(60, 2))[found]
    want, derivatives = map(v, x), map.vjp(v, bar, x)
    tensors = [torch.tensor(a, requires_grad=True) for a in (v, x)]
    got = getattr(hcr.torch, name)(tensors[0], region, tensors[1])
    got.backward(torch.tensor(bar))
    np.testing.assert_array_equal(got.detach().numpy(), want)
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        result, pull = jax.vjp(lambda v, x: getattr(hcr.jax, name)(v, region, x), v, x)
        np.testing.assert_array_equal(result, want)
        pulled = pull(jax.numpy.asarray(bar))
    for own, tensor, other in zip(derivatives, tensors, pulled, strict=True):
        np.testing.assert_allclose(tensor.grad.numpy(), own, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(other, own, rtol=1e-12, atol=1e-12)


# A disc that comes out from behind a wall of discs: scenario corner_popout of github.com/renyayy/occCBF-Gazebo, a field
# of 5 m, all radii 0.25 m, and the disc's way.
POPOUT = """
var p[2]
param c[2] in [[0.5, 2.5], [3, 4]]
0.25 <= p <= 4.75
except norm(p - c) <= 0.5
except norm(p - [2.5, 3.5]) <= 0.5
except norm(p - [2.5, 4]) <= 0.5
except norm(p - [2.5, 4.5]) <= 0.5
except norm(p - [2.5, 5]) <= 0.5
origin = [2.5, 1]
origin = [1, 4.2]
origin = [4.3, 3]
"""
WAY = np.array([[3, 4], [3, 3], [2.5, 2.5], [0.5, 2.5]])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_disc_comes_out_from_behind_a_wall(dtype: Any) -> None:
    """At its published places, 100,000 results of each map at length: inside in exact arithmetic, some against plain
    fractions; and of all points that are free one of three origins sees 99 in 100."""
    region, rng = hcr.Region(POPOUT), np.random.default_rng(6)
    count = 100_000 if os.environ.get("HCR_LONG") else 3000
    gone = np.append(0, np.cumsum(np.linalg.norm(np.diff(WAY, axis=0), axis=1)))
    at = rng.uniform(0, gone[-1], count)
    c = np.stack([np.interp(at, gone, WAY[:, j]) for j in range(2)], 1).astype(dtype)
    discs = [(Fraction(5, 2), Fraction(7 + k, 2)) for k in range(4)]
    p = rng.uniform(0.25, 4.75, (count, 2)).astype(dtype)
    x = region.with_origin(p, c)
    v = (2 * rng.normal(size=(count, 2))).astype(dtype)
    polar = np.append(v, rng.uniform(0, 1.1, (count, 1)), 1).astype(dtype)
    for y in (region.contract(v, x), region.soften(v, x), region.decode(polar, x)):
        assert region.check(y, x).all()
        for point, own in zip(y[:100], c[:100], strict=True):
            q, moving = [Fraction(float(a)) for a in point], tuple(Fraction(float(a)) for a in own)
            for disc in (moving, *discs):
                assert (q[0] - disc[0]) ** 2 + (q[1] - disc[1]) ** 2 >= Fraction(1, 4)
    free = region.check(p, x)
    seen = region.encode(p[free], x[free], outcomes=True)[1] != hcr.Outcome.HIDDEN
    assert seen.mean() > 0.99


def is_inside_discs(p: np.ndarray[Any, Any], x: np.ndarray[Any, Any]) -> bool:
    """DISCS again, in rational numbers of Python."""
    y = [Fraction(float(a)) for a in p]
    c0, c1, r, w = (Fraction(float(a)) for a in x)
    away = (y[0] - c0) ** 2 + (y[1] - c1) ** 2 > r * r
    boxed = c0 + 1 <= y[0] <= c0 + 1 + w and y[1] <= 1
    return all(0 <= a <= 4 for a in y) and away and not boxed


def test_check_is_exact() -> None:
    """`check` against rational numbers of Python, at points and next to the frontier."""
    region = hcr.Region(DISCS)
    x = samples(region, 600)
    angle = np.random.default_rng(3).uniform(0, 2 * np.pi, len(x))
    near = x[:, :2] + x[:, 2:3] * np.c_[np.cos(angle), np.sin(angle)]  # on the disc, but for rounding
    edge = np.c_[x[:, 0] + 1, np.full(len(x), 0.5)]
    for y in (near, edge, samples(region, len(x), 4)[:, :2]):
        assert region.check(y, x).tolist() == [is_inside_discs(a, b) for a, b in zip(y, x, strict=True)]


@pytest.mark.parametrize("text", REGIONS)
def test_rays_end_where_the_region_does(text: str) -> None:
    """The first exit of each ray, by steps of 1e-3 of it that Python decides with `check`."""
    region = hcr.Region(text)
    x = samples(region, 40, 5)
    v = np.random.default_rng(6).normal(size=(len(x), 2))
    gauge = region.gauge(v, x)
    for i in np.flatnonzero(~np.isnan(gauge)):
        if gauge[i] < 1e-2:
            continue
        origin, end = region.origin_at(x[i]), v[i] / gauge[i]
        t = np.arange(1, 999) / 1000
        assert region.check(origin + t[:, None] * end, np.tile(x[i], (len(t), 1))).all()
        beyond = origin + 1.0005 * end
        # What touches behind the exit, within 2^-40, goes on: none of these do.
        assert not region.check(beyond[None], x[i][None])[0]


@pytest.mark.parametrize("text", REGIONS)
@pytest.mark.parametrize("name", ["contract", "soften", "decode", "gauge", "encode", "soften_inverse"])
def test_derivatives(text: str, name: str) -> None:
    """Forwards against central differences with h = 1e-6, whose error is below 1e-6 away from kinks, which one ray in a
    hundred may meet; backwards by the same numbers."""
    region = hcr.Region(text)
    rng = np.random.default_rng(7)
    lower, upper = region.parameters.lower, region.parameters.upper
    x = np.clip(samples(region, 400, 8), lower + 1e-5, upper - 1e-5)
    if region.origins > 1:
        x[:, -1] = np.rint(x[:, -1])
    v = 2 * rng.normal(size=(len(x), 2))
    inside = region.soften(0.3 * v, x)
    arguments = {"decode": np.c_[v, rng.uniform(0.2, 0.9, len(v))], "encode": inside, "soften_inverse": inside}
    at = arguments.get(name, v)
    found = ~np.isnan(inside[:, 0])
    at, x = at[found], x[found]
    turn, x_turn = rng.normal(size=at.shape), rng.normal(size=x.shape)
    if region.origins > 1:
        x_turn[:, -1] = 0
    function, h = getattr(region, name), 1e-6
    forwards = function.jvp(at, turn, x, x_turn).reshape(len(at), -1)
    ahead, back = function(at + h * turn, x + h * x_turn), function(at - h * turn, x - h * x_turn)
    expected = ((ahead - back) / (2 * h)).reshape(len(at), -1)
    off = np.abs(forwards - expected).max(1) / (1 + np.abs(expected).max(1))
    assert np.mean(off > 1e-5) <= 0.01
    bar = rng.normal(size=forwards.shape).reshape(np.shape(ahead))
    at_bar, x_bar = function.vjp(at, bar, x)
    both = (at_bar * turn).sum(1) + (x_bar * x_turn).sum(1)
    along = (bar.reshape(forwards.shape) * forwards).sum(1)
    assert np.abs(both - along).max() <= 1e-9 * np.abs(along).max()


def test_the_named_origin_or_the_next() -> None:
    region = hcr.Region(FLOOR)
    away, on_first, on_second = [8, 0], [3.8, 1.5], [0.5, 2.5]
    assert region.origins == 2
    assert region.origin_at([*away, 0]).tolist() == [3.8, 1.5]
    assert region.origin_at([*away, 1]).tolist() == [0.5, 2.5]
    assert region.origin_at([*on_first, 0]).tolist() == [0.5, 2.5]
    assert region.origin_at([*on_second, 1]).tolist() == [3.8, 1.5]
    for wrong in (0.5, -1, 2, np.nan):
        assert np.isnan(region.contract([0.0, 0.0], [*away, wrong])).all()


def test_both_origins_covered_is_said() -> None:
    region = hcr.Region(
        "var p[2] in [0, 8]\nparam c[2] in [0, 8]\nexcept norm(p - c) <= 1\norigin = [4, 4]\norigin = [5, 4]"
    )
    _, outcomes = region.contract([[1.0, 0.0]] * 2, [[4.5, 4, 0], [8, 8, 0]], outcomes=True)
    assert [hcr.Outcome(int(o)) for o in outcomes] == [hcr.Outcome.NO_ORIGIN, hcr.Outcome.INSIDE]


def test_the_origin_that_sees_a_point() -> None:
    """encode leads back from the origin that was chosen, for all points that either sees."""
    region = hcr.Region(FLOOR)
    x = samples(region, 3000, 9)[:, :-1]
    y = np.random.default_rng(10).uniform([0, 0], [8, 3], (len(x), 2))
    inside = region.check(y, np.c_[x, np.zeros(len(x))])
    x, y = x[inside], y[inside]
    chosen = region.with_origin(y, x)
    polar, outcomes = region.encode(y, chosen, outcomes=True)
    hidden = outcomes == hcr.Outcome.HIDDEN
    each = [region.encode(y, np.c_[x, np.full(len(x), k)])[:, -1] for k in range(2)]
    np.testing.assert_array_equal(polar[:, -1], np.minimum(*each))
    assert 1 - hidden.mean() > 0.3 and hidden.mean() < 0.05
    back = region.decode(polar[~hidden], chosen[~hidden])
    np.testing.assert_allclose(back, y[~hidden], rtol=0, atol=1e-12)  # a few roundings of numbers up to 8
    single = region.with_origin(y.astype(np.float32), x.astype(np.float32))
    assert single.dtype == np.float32
    assert np.mean(single[:, -1] == chosen[:, -1]) > 0.999


def test_built_by_calls_and_kept_in_bytes() -> None:
    region = hcr.Region(FLOOR)
    again = hcr.Region.from_bytes(region.to_bytes())
    x = samples(region, 500, 11)
    v = np.random.default_rng(12).normal(size=(500, 2))
    np.testing.assert_array_equal(region.contract(v, x), again.contract(v, x))
    assert again.origins == 2
    builder = hcr.Builder()
    builder.add_variable("p", 2)
    builder.add_parameter("c", [0.0, 0.0], [4.0, 4.0], size=2)
    builder.add_parameter("which", lower=0.0, upper=1.0)
    builder.add_bounds([0.0, 0.0], [4.0, 4.0])
    with builder.cut_out():
        builder.add_rows([[1, 0, -1, 0, 0], [-1, 0, 1, 0, 0], [0, 1, 0, -1, 0], [0, -1, 0, 1, 0]], upper=[0.5] * 4)
    builder.set_origins([[0.5, 0.5], [3.5, 3.5]])
    made = builder.finish()
    assert made.contract([0.0, 0.0], [0.5, 0.5, 0]).tolist() == [3.5, 3.5]
    builder.set_origins([[0.5, 0.5], [3.5, 3.5], [3.5, 0.5]])
    with pytest.raises(hcr.Error, match="its range must be from 0 to 2"):
        builder.finish()
    with pytest.raises(hcr.Error, match="a convex region has one origin"):
        hcr.Region("var y in [0, 1]\norigin = 0.4\norigin = 0.6")


def test_how_much_is_seen() -> None:
    """What one origin doesn't see of the robot's floor several do."""
    text = (pathlib.Path(__file__).parents[2] / "examples/robot/floor.region").read_text()
    assert hcr.Region(text).visibility.hidden > 0
    points = [(10, 4.4), (3.4, 1.4), (12.4, 4.9), (1.6, 5.4), (9.4, 0.4), (1, 0.4), (5.2, 0.9)]
    several = "\n".join(f"origin = [{a}, {b}]" for a, b in points)
    region = hcr.Region(re.sub(r"(?m)^origin = .*", "", text) + several)
    assert region.visibility.hidden == 0
    y = np.random.default_rng(13).uniform(*region.bounds, (20000, 2))
    y = y[region.check(y, np.zeros((len(y), 1)))]
    assert (region.encode(y, region.with_origin(y))[:, -1] <= 1).all()


def test_a_robot_among_moving_discs() -> None:
    """The example's first 40 steps; it checks each way exactly. The robot is on discs' edges up to rounding."""
    pytest.importorskip("matplotlib")
    example = runpy.run_path(str(pathlib.Path(__file__).parents[2] / "examples/obstacles/drive.py"))
    path = example["drive"](40)
    assert len(path) == 41
    assert min(example["room"](p, k * example["DT"]) for k, p in enumerate(path)) > -1e-12


BOXES = """
var p[2]
param c[2] in [-1, 6]
param w in [0.5, 2]
0 <= p <= 5
except:
    c <= p
    p[0] <= c[0] + w
    p[1] <= c[1] + 1
end
except:
    1 <= p[0] + p[1]
    p[0] + p[1] <= 3
    abs(p[0] - p[1]) <= 0.5
end
origin = [4.5, 4.5]
origin = [0.2, 0.2]
"""


@pytest.mark.parametrize("text", [ROOMS, BOXES])
def test_nearest_points_are_no_farther_than_any(text: str) -> None:
    """Against all points of a fine grid that are inside: none is nearer, and one is no more than two steps farther."""
    region = hcr.Region(text)
    lower, upper = (np.asarray(b) for b in region.bounds)
    step = 0.02
    axes = [np.arange(a - 0.1, b + 0.1, step) for a, b in zip(lower, upper, strict=True)]
    grid = np.stack(np.meshgrid(*axes), -1).reshape(-1, 2)
    x = samples(region, 25, 20)
    v = np.random.default_rng(21).uniform(lower - 1, upper + 1, (len(x), 2))
    y, outcomes = region.project(v, x, outcomes=True)
    assert region.check(y, x).all()
    for i in range(len(x)):
        inside = grid[region.check(grid, np.tile(x[i], (len(grid), 1)), exact=False)]
        best = np.linalg.norm(inside - v[i], axis=1).min()
        found = np.linalg.norm(y[i] - v[i])
        assert found <= best + 1e-9 and best - found <= 2 * step
    assert {hcr.Outcome(int(o)) for o in outcomes} <= {hcr.Outcome.INSIDE, hcr.Outcome.MOVED}


@pytest.mark.parametrize("text", [ROOMS, BOXES])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_nearest_points_are_inside(text: str, dtype: Any) -> None:
    region = hcr.Region(text)
    x = samples(region, 300, 22).astype(dtype)
    v = np.random.default_rng(23).uniform(-2, 7, (len(x), 2)).astype(dtype)
    y, outcomes = region.project(v, x, outcomes=True)
    assert region.check(y, x).all()
    inside = region.check(v, x)
    assert (y[inside] == v[inside]).all()
    assert (outcomes[inside] == hcr.Outcome.INSIDE).all()


def test_nearest_points_have_derivatives() -> None:
    """Central differences with h = 1e-5; a row in twenty may change its piece or its corner meanwhile."""
    region = hcr.Region(ROOMS)
    x = np.clip(samples(region, 200, 24), -0.99, 1.99)
    v = np.random.default_rng(25).uniform(-3, 7, (len(x), 2))
    rng, h = np.random.default_rng(26), 1e-5
    turn, x_turn = rng.normal(size=v.shape), rng.normal(size=x.shape)
    x = np.clip(x, [-0.9, 1.1], [0.9, 1.9])
    forwards = region.project.jvp(v, turn, x, x_turn)
    expected = (region.project(v + h * turn, x + h * x_turn) - region.project(v - h * turn, x - h * x_turn)) / (2 * h)
    assert np.mean(np.abs(forwards - expected).max(1) > 1e-4) <= 0.05
    bar = rng.normal(size=v.shape)
    v_bar, x_bar = region.project.vjp(v, bar, x)
    both, along = (v_bar * turn).sum(1) + (x_bar * x_turn).sum(1), (bar * forwards).sum(1)
    assert np.abs(both - along).max() <= 1e-8 * np.abs(along).max()


def test_what_has_no_convex_pieces_is_refused() -> None:
    for text, why in ((DISCS, "beside a curved set"), (CURVES, "a star constraint has none")):
        with pytest.raises(hcr.Error, match=why):
            hcr.Region(text).project([0.0, 0.0], samples(hcr.Region(text), 1)[0])


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize("text", [DISCS, ROOMS, FLOOR])
@pytest.mark.parametrize("single", [False, True])
def test_exported_code(tmp_path: pathlib.Path, text: str, single: bool) -> None:
    """Results of exported C are inside exactly; they are the library's, to 1e-11 and 1e-3 of numbers up to 8: rays that
    graze a disc are drawn back by more. No sample has an origin in one and not in the other."""
    region = hcr.Region(text)
    options = _library.ExportOptionsStruct(
        size=ctypes.sizeof(_library.ExportOptionsStruct), name=b"floor", precision=int(single)
    )
    (tmp_path / "code").mkdir()
    folder = os.fsencode(tmp_path / "code")
    _library.call("hcr_export_region", region._handle.address, ctypes.byref(options), folder, None)
    code = tmp_path / "floor.so"
    compiler = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run([*compiler, tmp_path / "code/floor.c", "-o", code, "-lm"], check=True)
    contract = ctypes.CDLL(str(code)).floor_contract
    dtype = np.float32 if single else np.float64
    lower, upper = region.parameters.lower.astype(dtype), region.parameters.upper.astype(dtype)
    x = np.clip(samples(region, 1500, 30).astype(dtype), lower, upper)
    v = (3 * np.random.default_rng(31).normal(size=(len(x), 2))).astype(dtype)
    y = np.empty_like(v)
    for i in range(len(x)):
        contract(*(ctypes.c_void_p(a[i].ctypes.data) for a in (v, x, y)))
    expected = region.contract(v.astype(np.float64), x.astype(np.float64))
    found = ~np.isnan(y[:, 0])
    np.testing.assert_array_equal(found, ~np.isnan(expected[:, 0]))
    assert region.check(y[found], x[found]).all()
    assert np.abs(y - expected)[found].max() <= (1e-3 if single else 1e-11)
