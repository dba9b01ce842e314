"""The maps as gaps between a sample's limits close: no jump, all inside, the way back, the same in formulas,
derivatives."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import hcr
from hcr import _formulas
from hcr._library import library


@dataclasses.dataclass
class Case:
    """Parameter `which` moves from `end` by `side` times the gap."""

    text: str
    x: list[float]
    which: int
    end: float = 0
    side: int = 1

    def at(self, gaps):
        x = np.repeat(np.array([self.x], float), len(gaps), 0)
        x[:, self.which] = self.end + self.side * gaps
        return x


CASES = {
    "bounds": Case("param cap[4] in [0, 5]\nvar y[4]\n0 <= y <= 5\ny <= cap", [3, 2.5, 2, 1], 3),
    "ramps": Case(
        "param cap[4] in [0, 10], last in [0, 12]\nvar y[4]\n0 <= y <= 10\ny <= cap\nabs(diff(y)) <= 2\n"
        "abs(y[0] - last) <= 2",
        [6, 5, 5, 6, 5],
        4,
        8,
        -1,
    ),
    "rows": Case(
        "param lo[2] in [1, 5], width[2] in [0, 1]\nvar y[5]\n0 <= y <= 5\n"
        "const A = [[1, 2, 0, 1, 0.3], [0.7, 0, 3, 0, 1]]\nlo <= A @ y\nA @ y <= lo + width",
        [3, 2, 0.5, 0.5],
        2,
    ),
    "sold": Case(
        "param cap[4] in [0, 5], sold in [0, 8]\nvar y[4]\n0 <= y <= 5\ny <= cap\nsum(y) == sold", [3, 2, 2, 1, 4], 3
    ),
    "together": Case("param s in [0, 3]\nvar y[4]\n0 <= y <= 5\nsum(y) <= s", [1], 0),
    "ends": Case(
        "param lo[3] in [0, 5], hi[3] in [0, 5]\nvar y[3]\nlo <= y\ny <= hi\nsum(y) <= 7", [1, 1, 2, 3, 4, 2], 5, 2
    ),
    "beside a row that is met": Case(
        "param cap[4] in [0, 5], s in [0, 3], d in [0, 1]\nvar y[4]\n0 <= y <= 5\ny <= cap\n"
        "y[0] + y[1] <= s + 1\ny[0] + y[1] >= 1 + s - d",
        [3, 2.5, 2, 1, 1, 0],
        3,
    ),
}
CASES["beside a small capacity"] = Case(
    "param cap[4] in [0, 5], sold in [0, 8]\nvar y[4]\n0 <= y <= 5\ny <= cap\nsum(y) == sold", [3, 2, 0.01, 1, 4], 3
)
CASES["beside a small ramp"] = Case(
    "param cap[4] in [0, 10], ramp in [0, 3]\nvar y[4]\n0 <= y <= 10\ny <= cap\nabs(diff(y)) <= ramp",
    [6, 5, 5, 6, 0.02],
    1,
)
GAPS = np.concatenate([[0], np.geomspace(1e-12, 0.3, 300)])
WIDE = GAPS[(GAPS == 0) | (GAPS > 1e-5)]  # for single precision, in which rows of thinner ones hold next to no result
MAPS = ("contract", "soften", "decode")
BACK = ("encode", "soften_inverse")


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


def direction(random, n):
    return random.standard_normal(n) * 10 ** random.uniform(-1, 1.5)


def damped_gauge(region, v, x):
    """1/t where the damped v t leaves the sample: soften takes v to the share gauge/(1 + gauge) of the way to there."""
    origin = region.origin_at(x)
    far = np.linalg.norm(region.decode(np.append(v, v.dtype.type(1)), x) - origin)
    share = np.linalg.norm(region.soften(v, x) - origin) / far if far > 0 else 0
    return share / (1 - share)


def points(region, x, count, random):
    """Points inside, of which vertices, drawn in a little, are at the ends of gaps."""
    origins = np.array([region.origin_at(sample) for sample in x])
    shares = random.choice([0.999, 0.5], count)
    for share in shares:
        vertices, outcomes = region.minimise(random.standard_normal(origins.shape), x, outcomes=True)
        yield np.where((outcomes <= hcr.Outcome.AT_ORIGIN)[:, None], origins + share * (vertices - origins), origins)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", MAPS)
def test_no_jump(case, name, dtype, random):
    """Results change by at most |v| |upper − lower|/(32 τ²) times the gap, and by rounding: in single precision bounds
    of the sample itself are rounded, too. For decode v is as long as to end, damped, where it leaves the sample whose
    gap is closed."""
    region = hcr.Region(case.text)
    near = library.hcr_region_nearness(region._handle.address)
    size = np.linalg.norm(region.bounds[1] - region.bounds[0])
    rounding = 1e-9 if dtype == np.float64 else 1e-4
    x = case.at(GAPS if dtype == np.float64 else WIDE).astype(dtype)
    for _ in range(10):
        v = direction(random, region.n).astype(dtype)
        given, length = v, np.linalg.norm(v)
        if name == "decode":
            given, gauge = np.append(v, dtype(random.random())), damped_gauge(region, v, x[0])
            length /= gauge if gauge > 0 else 1
        y, outcome = getattr(region, name)(np.tile(given, (len(x), 1)), x, outcomes=True)
        inside = region.check(y, x) | (outcome == hcr.Outcome.TO_ROUNDING)
        assert inside.all()
        steps = np.abs(np.diff(x[:, case.which].astype(float)))
        factor = length * size / (32 * near**2)
        assert (np.abs(np.diff(y.astype(float), axis=0)).max(1) <= factor * steps + rounding * size).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_there_and_back(case, dtype, random):
    """decode of encode, and soften of its inverse: to 1e-8, where gaps are 1e-12 and rows are rounded by 1e-15; to 1e-3
    in single precision, where gaps are 1e-5 and they are rounded by 5e-7."""
    region = hcr.Region(case.text)
    x = case.at(GAPS if dtype == np.float64 else WIDE).astype(dtype)
    for y in points(region, x.astype(float), 10, random):
        y = y.astype(dtype)
        close = 1e-8 if dtype == np.float64 else 1e-3
        np.testing.assert_allclose(region.decode(region.encode(y, x), x), y, rtol=0, atol=close)
        v = region.soften_inverse(y, x)
        inside = np.isfinite(v).all(1)  # rounding may put a point outside
        assert inside.mean() > 0.9
        np.testing.assert_allclose(region.soften(v, x)[inside], y[inside], rtol=0, atol=close)


def test_inside_stays(case, random):
    """A direction whose end is inside is kept, however near limits are: O + v to rounding, and the radius's margin."""
    region = hcr.Region(case.text)
    x = case.at(np.array([0.05, 1e-2, 1e-4, 1e-6]))
    origin = np.array([region.origin_at(sample) for sample in x])
    v = 0.9 * (region.contract(np.tile(direction(random, region.n), (len(x), 1)), x) - origin)
    np.testing.assert_allclose(region.contract(v, x), origin + v, rtol=0, atol=1e-11)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_formulas(case, random):
    """Those in NumPy, to 1e-6: a κ of 1e5 costs their dense factor digits."""
    region = hcr.Region(case.text)
    precision = _formulas.Precision("float64", "float64")
    maps = _formulas.Maps(region, _formulas.NumPy(precision), precision, "NumPy", "nan")
    x = case.at(GAPS[::10])
    for y in points(region, x, 10, random):
        v = np.tile(direction(random, region.n), (len(x), 1))
        polar = np.append(v, np.full((len(x), 1), 0.7), 1)
        for name, given in (("contract", v), ("soften", v), ("decode", polar)):
            np.testing.assert_allclose(
                getattr(maps, name)(given, x), getattr(region, name)(given, x), rtol=0, atol=1e-6
            )
        np.testing.assert_allclose(maps.decode(maps.encode(y, x), x), y, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", MAPS)
def test_onnx(name, random):
    onnxruntime = pytest.importorskip("onnxruntime")
    import hcr.onnx

    for case in (CASES["bounds"], CASES["together"]):
        region = hcr.Region(case.text)
        session = onnxruntime.InferenceSession(hcr.onnx.export(region, kind=name).SerializeToString())
        x = case.at(GAPS[::10])
        v = np.tile(random.standard_normal(region.n + (name == "decode")), (len(x), 1))
        got = session.run(None, {"input": v, "x": x})[0]
        np.testing.assert_allclose(got, getattr(region, name)(v, x), rtol=0, atol=1e-6)


def an_input(region, name, x, random):
    """Of a map: a direction with or without a radius, or a point inside."""
    if name in BACK:
        (point,) = points(region, x[None], 1, random)
        inside = region.origin_at(x) + random.uniform(0.2, 0.8) * (point[0] - region.origin_at(x))
        return region.contract(0.3 * direction(random, region.n), x) * 0.2 + 0.8 * inside
    v = direction(random, region.n)
    return np.append(v, random.uniform(0.2, 0.8)) if name == "decode" else v


@pytest.mark.parametrize("gap", [0.05, 1e-2, 1e-3])
@pytest.mark.parametrize("name", MAPS + BACK)
def test_derivatives(case, name, gap, random):
    """Against central differences, where two steps of them agree: 1e-5 of the largest is what they are good for."""
    region = hcr.Region(case.text)
    step = (1e-6 if name in BACK else 1e-5) * gap  # what leads to a point turns sooner
    map, x = getattr(region, name), case.at(np.array([gap]))[0]
    compared = 0
    for _ in range(10):
        point = np.concatenate([an_input(region, name, x, random), x])
        n = len(point) - len(x)
        moved = np.array(
            [k for k in range(len(point)) if not ("s + 1" in case.text and k >= n + 4)]
        )  # s, d keep a row met
        bar = random.standard_normal(map(point[:n], x).shape)

        def slopes(h, point=point, bar=bar, n=n, moved=moved):
            ends = [point + sign * h * np.eye(len(point))[moved] for sign in (1, -1)]
            up, down = (map(end[:, :n], end[:, n:]) @ bar for end in ends)
            return (up - down) / (2 * h)

        got = np.concatenate(map.vjp(point[:n], bar, x))[moved]
        wide, narrow = slopes(step), slopes(step / 4)
        size = 1 + np.nanmax(np.abs(narrow))
        smooth = np.abs(wide - narrow) <= 1e-6 * size
        np.testing.assert_allclose(got[smooth], narrow[smooth], rtol=1e-5, atol=1e-5 * size)
        compared += smooth.sum()
        change = random.standard_normal(len(point))
        forward = map.jvp(point[:n], change[:n], x, change[n:]) @ bar
        terms = np.concatenate(map.vjp(point[:n], bar, x)) * change
        assert abs(forward - terms.sum()) <= 1e-9 * (1 + np.abs(terms).sum())
    assert compared > 20


@pytest.mark.parametrize("gap", [1e-5, 1e-6, 0])
@pytest.mark.parametrize("name", MAPS + BACK)
def test_forwards_and_in_reverse(case, name, gap, random):
    """The same derivatives, where gaps are too thin for differences."""
    region = hcr.Region(case.text)
    map, x = getattr(region, name), case.at(np.array([gap]))[0]
    for _ in range(10):
        v = an_input(region, name, x, random)
        v_dot, bar = random.standard_normal(v.shape), random.standard_normal(map(v, x).shape)
        x_dot = random.standard_normal(len(x))
        by_v, by_x = map.vjp(v, bar, x)
        terms = np.concatenate([by_v * v_dot, by_x * x_dot])
        forward = map.jvp(v, v_dot, x, x_dot) @ bar
        assert abs(forward - terms.sum()) <= 1e-8 * (np.abs(terms).sum() + abs(forward))
