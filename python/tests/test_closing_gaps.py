"""contract as gaps between a sample's limits close: no jump, all inside, the same in formulas, derivatives."""

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
    "beside a row that is met": Case(
        "param cap[4] in [0, 5], s in [0, 3], d in [0, 1]\nvar y[4]\n0 <= y <= 5\ny <= cap\n"
        "y[0] + y[1] <= s + 1\ny[0] + y[1] >= 1 + s - d",
        [3, 2.5, 2, 1, 1, 0],
        3,
    ),
}
GAPS = np.concatenate([[0], np.geomspace(1e-12, 0.3, 300)])


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


def direction(random, n):
    return random.standard_normal(n) * 10 ** random.uniform(-1, 1.5)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_no_jump(case, dtype, random):
    """Results change by at most |v| |upper − lower|/(32 τ²) times the gap, and by rounding: in single precision bounds
    of the sample itself are rounded, too."""
    region = hcr.Region(case.text)
    near = library.hcr_region_nearness(region._handle.address)
    size = np.linalg.norm(region.bounds[1] - region.bounds[0])
    rounding = 1e-9 if dtype == np.float64 else 1e-4
    x = case.at(GAPS).astype(dtype)
    for _ in range(10):
        v = direction(random, region.n).astype(dtype)
        y, outcome = region.contract(np.tile(v, (len(x), 1)), x, outcomes=True)
        inside = region.check(y, x) | (outcome == hcr.Outcome.TO_ROUNDING)
        assert inside.all()
        steps = np.abs(np.diff(x[:, case.which].astype(float)))
        factor = np.linalg.norm(v) * size / (32 * near**2)
        assert (np.abs(np.diff(y.astype(float), axis=0)).max(1) <= factor * steps + rounding * size).all()


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
    for _ in range(10):
        v = np.tile(direction(random, region.n), (len(x), 1))
        np.testing.assert_allclose(maps.contract(v, x), region.contract(v, x), rtol=0, atol=1e-6)


def test_onnx(random):
    onnxruntime = pytest.importorskip("onnxruntime")
    import hcr.onnx

    for name in ("bounds", "together"):
        region = hcr.Region(CASES[name].text)
        session = onnxruntime.InferenceSession(hcr.onnx.export(region).SerializeToString())
        x = CASES[name].at(GAPS[::10])
        v = np.tile(direction(random, region.n), (len(x), 1))
        got = session.run(None, {"input": v, "x": x})[0]
        np.testing.assert_allclose(got, region.contract(v, x), rtol=0, atol=1e-6)


@pytest.mark.parametrize("gap", [0.05, 1e-2, 1e-3])
def test_derivatives(case, gap, random):
    """Against central differences, where two steps of them agree: 1e-5 is what they are good for."""
    region, step = hcr.Region(case.text), 1e-5 * gap
    x, n = case.at(np.array([gap]))[0], region.n
    moved = np.array([k for k in range(n + len(x)) if not (len(x) == 6 and k >= n + 4)])  # s and d keep their row met
    compared = 0
    for _ in range(10):
        point, bar = np.concatenate([direction(random, n), x]), random.standard_normal(n)

        def slopes(h, point=point, bar=bar):
            ends = [point + sign * h * np.eye(len(point))[moved] for sign in (1, -1)]
            up, down = (region.contract(end[:, :n], end[:, n:]) @ bar for end in ends)
            return (up - down) / (2 * h)

        got = np.concatenate(region.contract.vjp(point[:n], bar, x))[moved]
        wide, narrow = slopes(step), slopes(step / 4)
        smooth = np.abs(wide - narrow) <= 1e-6 * (1 + np.abs(narrow))
        np.testing.assert_allclose(got[smooth], narrow[smooth], rtol=1e-5, atol=1e-5)
        compared += smooth.sum()
        change = random.standard_normal(len(point))
        forward = region.contract.jvp(point[:n], change[:n], x, change[n:]) @ bar
        backward = np.concatenate(region.contract.vjp(point[:n], bar, x)) @ change
        assert forward == pytest.approx(backward, rel=1e-9, abs=1e-9)
    assert compared > 20


@pytest.mark.parametrize("gap", [1e-5, 1e-6, 0])
def test_forwards_and_in_reverse(case, gap, random):
    """The same derivatives, where gaps are too thin for differences."""
    region = hcr.Region(case.text)
    x = case.at(np.array([gap]))[0]
    for _ in range(10):
        v, v_dot, bar = (direction(random, region.n) for _ in range(3))
        x_dot = random.standard_normal(len(x))
        by_v, by_x = region.contract.vjp(v, bar, x)
        terms = np.concatenate([by_v * v_dot, by_x * x_dot])
        forward = region.contract.jvp(v, v_dot, x, x_dot) @ bar
        assert abs(forward - terms.sum()) <= 1e-8 * (np.abs(terms).sum() + abs(forward))
