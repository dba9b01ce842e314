"""Regions and their maps in NumPy."""

from __future__ import annotations

import copy
import gc
import os
import pathlib
import pickle
import resource
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import directions, make

import hcr

MAPS = ("gauge", "encode", "decode", "contract", "soften")


def inputs(region: hcr.Region, name: str, random: np.random.Generator, count: int = 50) -> np.ndarray:
    v = directions(random, count, region.n)
    if name == "decode":
        v = np.concatenate([v, random.uniform(-0.2, 1.3, (count, 1))], 1)
    return v


# ---------------------------------------------------------------------------------------------------------------- maps


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["decode", "contract", "soften"])
def test_results_are_exactly_inside(region, name, dtype, random):
    y = getattr(region, name)(inputs(region, name, random, 500).astype(dtype), bad="origin")
    assert y.dtype == dtype
    assert region.check(y).all()


def test_c03_rays_parallel_to_faces():
    box = hcr.Region("var y[2]\n-1 <= y <= 1")
    assert box.contract([[5, 0], [0, -5], [-0.0, 5]]).tolist() == [[1, 0], [0, -1], [0, 1]]
    flat = hcr.Region("var y[2]\n0 <= y[0] <= 10\n0 <= y[1] <= 1\norigin = [5, 0.5]")
    assert flat.contract([0, 9]).tolist() == [5, 1]


def test_c04_unbounded_rays_in_a_batch():
    half = hcr.Region.from_rows(bounds=([-np.inf, -np.inf], [1, np.inf]), n=2, origin=[0, 0], unbounded=True)
    assert not half.is_bounded
    y = half.contract([[-3, 2], [0, 4], [5, 0], [0, 0.0]])
    np.testing.assert_allclose(y, [[-3, 2], [0, 4], [1, 0], [0, 0]], rtol=1e-12)
    bar = np.ones((4, 2))
    np.testing.assert_allclose(
        half.contract.vjp([[-3, 2], [0, 4], [5, 0], [0, 0.0]], bar), [[1, 1], [1, 1], [0, 0.2], [1, 1]], atol=1e-12
    )
    y, outcome = half.decode([[-1, 0, 0.5], [1, 0, 0.5]], outcomes=True)
    assert outcome.tolist() == [hcr.Outcome.NO_FRONTIER, hcr.Outcome.INSIDE]
    assert y[0].tolist() == [0, 0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_c09_unit_vectors(dtype):
    disc = hcr.Region("var y[2]\nnorm(y) <= 1")
    angle = np.linspace(0, 2 * np.pi, 10_000)
    y = disc.contract((10 * np.stack([np.cos(angle), np.sin(angle)], 1)).astype(dtype)).astype(np.longdouble)
    assert ((y**2).sum(1) <= 1).all()
    assert (y**2).sum(1).min() > 1 - 1e-5


def test_c19_infinities_mean_no_bound():
    region = hcr.Region.from_rows(bounds=([-1, -np.inf], [np.inf, 1]), n=2, unbounded=True)
    assert np.isfinite(region.origin).all()
    assert region.check(region.contract([[1, -1], [-1, 1.0]])).all()
    with pytest.raises(hcr.InvalidError, match="NaN"):
        hcr.Region.from_rows(bounds=([-1, np.nan], [1, 1]), n=2)


def test_a_single_row_is_that_row_of_any_batch(region, random):
    """C42: bitwise, whatever the batch."""
    for name in MAPS:
        x = inputs(region, name, random, 12)
        function = getattr(region, name)
        whole = function(x)
        np.testing.assert_array_equal(function(x[3]), whole[3])
        np.testing.assert_array_equal(function(x[3:4]), whole[3:4])
        np.testing.assert_array_equal(function(x.reshape(2, 6, -1)), whole.reshape(2, 6, *whole.shape[1:]))
        np.testing.assert_array_equal(function(x[:0]), whole[:0])
        np.testing.assert_array_equal(function(np.asfortranarray(x)), whole)
        np.testing.assert_array_equal(function(np.repeat(x, 2, 1)[:, ::2]), whole)
        np.testing.assert_array_equal(function(x.astype(">f8")), whole)
        np.testing.assert_array_equal(function(np.concatenate([x] * 40)), np.concatenate([whole] * 40))


def test_c36_integers_and_other_types():
    region = hcr.Region("var y[2]\nnorm(y) <= 3")
    want = region.contract(np.array([[1.0, -1.0]]))
    for given in (np.array([[1, -1]]), np.array([[1, -1]], np.int32), [[1, -1]], ((1, -1),)):
        got = region.contract(given)
        assert got.dtype == np.float64
        np.testing.assert_array_equal(got, want)
    assert region.contract(np.array([[True, False]])).tolist() == [[1, 0]]
    assert region.contract(np.array([[1, -1]], np.float16)).dtype == np.float32
    for wrong in (
        np.array([[1j, 1]]),
        np.array([["a", "b"]]),
        np.array([[None, 1]]),
        np.ma.array([[1.0, 2]], mask=[[0, 1]]),
    ):
        with pytest.raises(TypeError):
            region.contract(wrong)


def test_a_wrong_width_is_told_with_both():
    region = hcr.Region("var y[2]\nnorm(y) <= 3")
    with pytest.raises(hcr.InvalidError, match=r"\(4, 3\).* 2 ") as caught:
        region.contract(np.zeros((4, 3)))
    assert caught.value.code == "shape"
    with pytest.raises(hcr.InvalidError, match=r"\(\)"):
        region.contract(3.0)


def test_a_data_frame_is_taken_by_name():
    pandas = pytest.importorskip("pandas")
    region = hcr.Region("var a\nvar b\n0 <= a <= 1\n0 <= b <= 10")
    frame = pandas.DataFrame({"b": [20.0], "x": [1.0], "a": [0.5]})
    assert region.check(frame).tolist() == [False]
    assert region.violation(frame)[0].tolist() == [10]
    with pytest.raises(hcr.InvalidError, match="no column 'a'"):
        region.check(frame[["b", "x"]])


@pytest.mark.parametrize("name", MAPS)
def test_derivatives_against_differences(region, name, random):
    """vjp against central differences: 1e-5 of what is differentiated, step 1e-6, points away from ties."""
    x = random.standard_normal((20, region.n + (name == "decode"))) * 2
    if name == "decode":
        x[:, -1] = random.uniform(0.1, 0.9, 20)
    if name == "encode":
        x = region.sample(20, 3)
    function = getattr(region, name)
    bar = random.standard_normal(np.shape(function(x)))
    got = getattr(region, name).vjp(x, bar)
    want, step = np.empty_like(x), 1e-6
    for j in range(x.shape[1]):
        shift = np.zeros(x.shape[1])
        shift[j] = step
        difference = (function(x + shift) - function(x - shift)) / (2 * step)
        want[:, j] = (difference * bar).reshape(20, -1).sum(1)
    off = np.abs(got - want).max(1) > 1e-5 * (1 + np.abs(want).max(1))
    assert off.mean() <= 0.1  # a tie may be near


def test_gradients_are_finite_at_odd_inputs(region, random):
    """C01: at zero contract and soften are the identity (within the equalities)."""
    for name in ("gauge", "decode", "contract", "soften"):
        x = inputs(region, name, random)
        bar = np.ones(np.shape(getattr(region, name)(x)))
        sound = np.isfinite(x).all(1)
        assert np.isfinite(getattr(region, name).vjp(x, bar)[sound]).all()
        assert np.isfinite(getattr(region, name).vjp(x, bar, bad="origin")).all()
    zero = np.zeros((1, region.n))
    bar = random.standard_normal((1, region.n))
    near = region.contract.vjp(zero + 1e-9, bar)
    np.testing.assert_allclose(region.contract.vjp(zero, bar), near, atol=1e-9)


def test_odd_inputs():
    region = hcr.Region("var y[2]\nnorm(y - 1) <= 2")
    y, outcome = region.contract([[np.nan, 1], [np.inf, 1], [0, 0], [1e300, -1e300], [0.1, 0]], outcomes=True)
    assert [hcr.Outcome(o).name for o in outcome] == ["BAD_VALUE", "BAD_VALUE", "AT_ORIGIN", "FRONTIER", "INSIDE"]
    assert np.isnan(y[:2]).all() and (y[2] == region.origin).all()
    assert np.isnan(region.gauge([np.nan, 1]))
    assert not region.check([np.nan, 1])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", MAPS)
def test_d19_bad_values_are_nan(region, name, dtype, random):
    """In any entry, in the map and its derivatives; the other rows are as without it."""
    width = region.n + (name == "decode")
    x = random.standard_normal((3 * width, width)).astype(dtype)
    if name == "decode":
        x[:, -1] = 0.5
    good = getattr(region, name)(x)
    bar = random.standard_normal(np.shape(good)).astype(dtype)
    odd = x.copy()
    for k in range(width):
        odd[3 * k, k] = (np.nan, np.inf, -np.inf)[k % 3]
    at = np.arange(len(x)) % 3 == 0
    for got, want in (
        (getattr(region, name)(odd), good),
        (getattr(region, name).vjp(odd, bar), getattr(region, name).vjp(x, bar)),
        (getattr(region, name).jvp(odd, x), getattr(region, name).jvp(x, x)),
    ):
        assert np.isnan(got[at]).all()
        np.testing.assert_array_equal(got[~at], want[~at])
    assert (getattr(region, name).vjp(odd, 0 * bar)[at] == 0).all()  # what a loss leaves out spoils nothing
    if name == "gauge":
        return
    stays = getattr(region, name)(odd, bad="origin")
    place = region.decode(np.zeros(region.n + 1, dtype)) if name != "encode" else 0
    assert (stays[at] == place).all()
    np.testing.assert_array_equal(stays[~at], good[~at])
    assert (getattr(region, name).vjp(odd, bar, bad="origin")[at] == 0).all()
    assert (getattr(region, name).jvp(odd, x, bad="origin")[at] == 0).all()


def test_d19_projections_and_choices():
    disc = hcr.Region("var y[2]\nnorm(y - 1) <= 2")
    points = [[np.nan, 1], [9, 1], [np.inf, 0]]
    assert np.isnan(disc.project(points)).all(1).tolist() == [True, False, True]
    np.testing.assert_array_equal(disc.project(points, bad="origin")[::2], [disc.origin] * 2)
    for call in (disc.contract, disc.project):
        with pytest.raises(hcr.InvalidError, match="'nan' or 'origin'"):
            call(points, bad="zero")


@pytest.mark.parametrize("name", MAPS)
def test_d07_forward_derivatives(region, name, random):
    """Against central differences, as above, and as the transpose of vjp, to rounding."""
    x = random.standard_normal((20, region.n + (name == "decode"))) * 2
    if name == "decode":
        x[:, -1] = random.uniform(0.1, 0.9, 20)
    if name == "encode":
        x = region.sample(20, 3)
    function, dot, step = getattr(region, name), random.standard_normal(x.shape), 1e-6
    got = getattr(region, name).jvp(x, dot)
    assert got.dtype == np.float64 and getattr(region, name).jvp(x.astype(np.float32), dot).dtype == np.float32
    want = (function(x + step * dot) - function(x - step * dot)) / (2 * step)
    off = np.abs(got - want).reshape(20, -1).max(1) > 1e-5 * (1 + np.abs(want).reshape(20, -1).max(1))
    assert off.mean() <= 0.15  # a tie may be near
    bar = random.standard_normal(got.shape)
    forward, backward = (bar * got).reshape(20, -1).sum(1), (getattr(region, name).vjp(x, bar) * dot).sum(1)
    np.testing.assert_allclose(forward, backward, rtol=1e-10, atol=1e-10)


def test_d07_the_disc():
    disc = hcr.Region("var y[2]\nnorm(y) <= 1")
    want = np.array([[1, -3], [-3, 9]]) / (10 * np.sqrt(10))
    np.testing.assert_allclose(disc.contract.jvp([3.0, 1.0], np.eye(2)[0]), want[0], atol=1e-12)
    np.testing.assert_allclose(disc.contract.jvp([[3.0, 1.0]] * 2, np.eye(2)), want, atol=1e-12)
    with pytest.raises(hcr.InvalidError, match=r"dot has the shape \(3,\): it must have \(2,\)"):
        disc.contract.jvp([3.0, 1.0], [1.0, 0, 0])
    with pytest.raises(hcr.InvalidError, match="no parameters"):
        disc.contract.jvp([3.0, 1.0], [1.0, 0.0], x_dot=[1.0])


def test_d44_derivatives_at_tiny_directions():
    box = hcr.Region("var y[3]\n-1e6 <= y <= 1e6")
    for dtype, tiny in (("float32", 1e-33), ("float32", 1e-45), ("float64", 1e-320), ("float64", 5e-324)):
        polar = np.array([[tiny, 0, 0, 1], [0, -tiny, tiny, 0.5]], dtype)
        assert np.isfinite(box.decode.vjp(polar, np.ones((2, 3)))).all()
        assert np.isfinite(box.decode.jvp(polar, np.ones((2, 4)))).all()


# ------------------------------------------------------------------------------------------------- making and keeping


def test_from_rows_is_the_text(random):
    A = random.standard_normal((6, 4))
    one = hcr.Region.from_rows(A, np.ones(6), bounds=(-1, 2), A_eq=np.ones((1, 4)), b_eq=[1])
    other = hcr.Region("var y[4]\n-1 <= y <= 2\nA @ y <= 1\nsum(y) == 1", A=A)
    v = random.standard_normal((50, 4))
    np.testing.assert_array_equal(one.contract(v), other.contract(v))
    assert one.freedom == 3 and one.equalities == 1
    assert np.abs(one.contract(v).sum(1) - 1).max() < 1e-14
    assert (one.residual(one.contract(v)) <= [one.equality_tolerance(y)[0] for y in one.contract(v)]).all()


def test_from_rows_takes_sparse_matrices(random):
    sparse = pytest.importorskip("scipy.sparse")
    A = sparse.random(6, 4, 0.6, random_state=1).toarray()
    A[0, :2] = 1
    dense = hcr.Region.from_rows(A, 1, below=-2, bounds=(-1, 1))
    v = random.standard_normal((50, 4))
    for kind in (sparse.csr_matrix, sparse.coo_array, sparse.csc_matrix):
        np.testing.assert_array_equal(
            dense.contract(v), hcr.Region.from_rows(kind(A), 1, below=-2, bounds=(-1, 1)).contract(v)
        )


def test_from_rows_names_its_outputs():
    region = hcr.Region.from_rows(np.ones((1, 3)), 1, bounds=(0, 1), names={"p": None, "y": 2})
    assert region.names == ("p", "y[0]", "y[1]")
    with pytest.raises(hcr.InvalidError, match="columns"):
        hcr.Region.from_rows(np.ones((1, 3)), 1, n=2)
    with pytest.raises(hcr.InvalidError, match="nothing says"):
        hcr.Region.from_rows(bounds=(0, 1))


def test_properties():
    region = hcr.Region("var y[2], p\n0 <= y <= 1\nnorm(y) <= 1\n0 <= p <= limit", limit=3)
    assert region.n == 3
    assert region.names == ("y[0]", "y[1]", "p")
    assert {c.kind for c in region.constraints} == {"box", "quadratic"}
    assert region.constraints[-1].text == "norm(y) <= 1" and region.constraints[-1].line == 3
    assert region.bounds[1].tolist() == [1, 1, 3]
    assert 0 < region.margin.double < 1e-12 < region.margin.single < 1e-4
    assert region.is_convex and region.is_bounded and region.freedom == 3 and region.visibility.proved
    assert "norm(y) <= 1" in region.explain() and region.explain(True)["outputs"] == 3
    assert "norm(y)" in region._repr_html_() and "&lt;=" in region._repr_html_()
    with pytest.raises(ValueError, match="read-only"):
        region.origin[0] = 1


def test_project_and_sample(region):
    points = region.sample(20, 1)
    assert region.check(points).all()
    if not region.is_convex:
        return
    assert region.check(region.sample(20, 1, frontier=True)).all()
    if region.equalities == 0:
        np.testing.assert_array_equal(region.project(points), points)
    far = region.origin + 3 * (points - region.origin) / np.maximum(region.gauge(points - region.origin), 1e-3)[:, None]
    near = region.project(far)
    assert region.check(near).all()
    reached = region.contract(far - region.origin)
    assert (np.linalg.norm(near - far, axis=1) <= np.linalg.norm(reached - far, axis=1) * (1 + 1e-7)).all()


def test_check_is_exact_and_violation_is_not():
    region = hcr.Region("var y[2]\ny[0] + y[1] <= 1\n0 <= y <= 1")
    just_outside = [[0.1, 0.9000000000000001]]
    assert not region.check(just_outside)
    assert region.check([[0.25, 0.75]])
    value, which = region.violation([[0.25, 1.75]])
    assert value == 1 and region.constraints[which[0]].text == "y[0] + y[1] <= 1"


def test_save_and_load(region, tmp_path):
    path = tmp_path / "a.hcr"
    region.save(path)
    again = hcr.Region.load(path)
    assert again == region and hash(again) == hash(region) and again.to_bytes() == region.to_bytes()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(hcr.InvalidError) as caught:
        hcr.Region.load(path)
    assert caught.value.code == "format"


def test_load_reads_text_with_its_folder(tmp_path):
    (tmp_path / "limits.csv").write_text("1\n2\n")
    path = tmp_path / "a.region"
    path.write_text('var y[2]\nconst u = read("limits.csv")\n0 <= y <= u\nsum(y) <= total\n')
    region = hcr.Region.load(path, total=2.5)
    assert region.bounds[1].tolist() == [1, 2]
    assert region.text.startswith("var y[2]")
    with pytest.raises(hcr.FileError, match="nowhere"):
        hcr.Region.load(tmp_path / "nowhere.region")


def test_origin_at_the_mean():
    text = "var y[2]\n0 <= y <= 1\norigin = mean"
    region = hcr.Region.from_text(text, mean_of=[[0.2, 0.2], [0.4, 0.6]])
    np.testing.assert_allclose(region.origin, [0.3, 0.4])
    with pytest.raises(hcr.InvalidError) as caught:
        hcr.Region(text)
    assert caught.value.code == "origin"


# -------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("var y[2]\n0 <= y <= ", "syntax", 2),
        ("var y[2]\n0 <= z <= 1", "name", 2),
        ("var y[2]\ny[0] - sqrt(y[1]) >= 1\n0 <= y <= 3", "convexity", 2),
        ("var y[2]\n0 <= y <= 1\nsum(y) >= 3", "empty", 3),
        ("var y[2]\n0 <= y", "unbounded", 0),
    ],
)
def test_errors_have_code_and_place(text, code, place):
    with pytest.raises(hcr.Error) as caught:
        hcr.Region(text)
    error = caught.value
    assert error.code == code and error.text
    assert isinstance(error, ValueError)
    if code in ("syntax", "name", "convexity"):
        assert error.line == place and str(error).startswith(f"<text>:{place}:")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error) and again.code == code


def test_every_code_survives_pickling():
    for code in hcr.errors.CODES[1:]:
        error = hcr.errors.make(code, "what is wrong", "file", 3, 4)
        again = pickle.loads(pickle.dumps(error))
        assert str(again) == str(error) == "file:3:4: what is wrong"
        assert type(again) is type(error) and again.code == code
    assert issubclass(hcr.FileError, OSError) and issubclass(hcr.OutOfMemoryError, MemoryError)


# ----------------------------------------------------------------------------------------- copies, processes, threads


def test_copies(region, random):
    """C44."""
    v = random.standard_normal((5, region.n))
    want = region.contract(v)
    for again in (copy.copy(region), copy.deepcopy(region), pickle.loads(pickle.dumps(region))):
        np.testing.assert_array_equal(again.contract(v), want)
        assert again == region and again.text == region.text
    original = hcr.Region("var y[2]\nnorm(y) <= 1")
    again = pickle.loads(pickle.dumps(original))
    del original
    gc.collect()
    assert again.contract([3.0, 0]).round(9).tolist() == [1, 0]


PROCESSES = """
import multiprocessing, sys
import numpy as np
import hcr

def contract(argument):
    region, v = argument
    return region.contract(v)

if __name__ == "__main__":
    hcr.set_threads(3)
    region = hcr.Region("var y[200]\\nabs(y[1:] - y[:-1]) <= 1\\n-9 <= y <= 9")
    v = np.random.default_rng(0).standard_normal((3000, 200))
    want = region.contract(v)  # with threads, before the fork
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        for got in pool.map(contract, [(region, v)] * 4):
            assert (got == want).all()
"""


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_processes(method, tmp_path):
    """In a fresh interpreter: other libraries' threads don't bear a fork."""
    (tmp_path / "program.py").write_text(PROCESSES)
    subprocess.run([sys.executable, tmp_path / "program.py", method], check=True, timeout=100)


COLLECTED = """
import gc
import hcr

for text in ("var y[2]\\nnorm(y) <= 1", "var y[2]\\nparam need in [0, 7]\\n0 <= y <= 2\\nsoft: sum(y) >= need"):
    for _ in range(5):
        region = hcr.Region(text)
        x = [6.0] if region.p else None
        for name in ("contract", "project"):
            getattr(region, name)([3.0, 0.0], x)
            if region.p:
                getattr(region, name)([3.0, 0.0], x, on_empty="relax")
        region._once("cycle", lambda: region)
        del region
        gc.collect()
"""


def test_collected_in_any_order():
    """A region in a reference cycle, with all that is made of it: the collector frees them in any order. What is freed
    is overwritten (glibc), so that a use of it ends the process."""
    surroundings = {**os.environ, "MALLOC_PERTURB_": "165"}
    subprocess.run([sys.executable, "-c", COLLECTED], check=True, timeout=100, env=surroundings)


def test_threads_share_a_region(random):
    region = make("quadratics")
    v = random.standard_normal((300, region.n))
    want, failures = region.contract(v), []

    def work() -> None:
        for _ in range(30):
            if not (region.contract(v) == want).all() or not (region.contract(v[:3]) == want[:3]).all():
                failures.append("differs")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_results_do_not_depend_on_the_number_of_threads(random):
    region = make("rows")
    v = random.standard_normal((1000, region.n))
    before = hcr.get_threads()
    try:
        hcr.set_threads(1)
        want = region.contract(v)
        hcr.set_threads(3)
        np.testing.assert_array_equal(region.contract(v), want)
        with pytest.raises(ValueError, match="0 threads"):
            hcr.set_threads(0)
    finally:
        hcr.set_threads(before)


def _resident() -> int:
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_c55_memory_does_not_grow():
    """Each round once leaks less than 20 bytes on average, or nothing: 2 MB over 3,000 rounds would be seen."""
    text, v = "var y[20]\nnorm(y) <= 1\n-1 <= y <= 1", np.ones((3, 20))

    def rounds(count: int) -> None:
        for _ in range(count):
            region = hcr.Region(text)
            region.contract(v)
            for _ in range(20):
                _ = region.origin, region.margin
            with pytest.raises(hcr.InvalidError):
                hcr.Region.from_bytes(b"hcrregio" + bytes(40))

    rounds(300)
    gc.collect()
    before = _resident()
    rounds(3000)
    gc.collect()
    assert _resident() - before < 2 << 20


def test_plot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    axes = make("equalities").plot(("y[1]", 4), points=make("equalities").sample(5, 1))
    assert axes.get_xlabel() == "y[1]" and axes.get_ylabel() == "y[4]"
    plt.close("all")


def test_d70_altered_files_are_refused(tmp_path: pathlib.Path) -> None:
    """What isn't the bytes of a region or a model is refused as that, whatever it is."""
    region = hcr.Region("var y[2]\nnorm(y) <= 1\n0 <= y <= 0.5")
    model = hcr.fit(region, [[0.0], [1.0]], [[0.1, 0.2], [0.2, 0.1]], epochs=1, hidden=2)
    for made, kind in ((region, hcr.Region), (model, hcr.Model)):
        content = made.to_bytes()
        assert kind.from_bytes(bytearray(content)).to_bytes() == content
        assert kind.from_bytes(memoryview(content)).to_bytes() == content
        for other in ("text", np.frombuffer(content, np.uint8), 3, None, [1, 2]):
            with pytest.raises(TypeError, match="to_bytes"):
                kind.from_bytes(other)  # type: ignore[arg-type]
        for wrong in (
            b"",
            content[:-1],
            content[:40],
            content + b"x",
            content[:60] + b"\xff" + content[61:],
            b"var y\n",
        ):
            with pytest.raises(hcr.InvalidError):
                kind.from_bytes(wrong)
        with pytest.raises(hcr.InvalidError, match=r"is a (model|compiled region)"):
            kind.from_bytes((model if made is region else region).to_bytes())
        unpickle, (kept, beside) = made.__reduce__()
        for changed in ((kept[:-1], beside), (kept[:50] + b"\xff" + kept[51:], beside)):
            with pytest.raises(hcr.InvalidError):
                unpickle(*changed)
        for changed in ((kept, 3), ("text", beside)):
            with pytest.raises(TypeError):
                unpickle(*changed)
    path = tmp_path / "a.hcr"
    path.write_bytes(region.to_bytes()[:-3])
    with pytest.raises(hcr.InvalidError) as raised:
        hcr.Region.load(path)
    assert raised.value.file == str(path)
    model.save(path)
    with pytest.raises(hcr.InvalidError, match="this is a model") as raised:
        hcr.Region.load(path)
    assert raised.value.file == str(path)
    region.save(path)
    with pytest.raises(hcr.InvalidError, match="this is a compiled region") as raised:
        hcr.load_model(path)
    assert raised.value.file == str(path)


def test_d06_file_names_that_are_no_text(tmp_path: pathlib.Path) -> None:
    """A file name is bytes: one that isn't UTF-8 is read as any other, and messages about it can be printed."""
    name = os.path.join(os.fsencode(tmp_path), b"caf\xe9.region")
    try:
        with open(name, "wb") as file:
            file.write(b'var y[2]\nconst c = read("c.csv")\nnorm(y) <= c[0]\n')
    except OSError:
        pytest.skip("this file system has names of text only")
    with open(os.path.join(os.fsencode(tmp_path), b"c.csv"), "wb") as file:
        file.write(b"1\n2\n")
    path = os.fsdecode(name)
    region = hcr.Region.load(path)
    assert region.n == 2
    assert region.constraints[-1].file.endswith("caf\\xe9.region")
    region.save(path + ".hcr")
    assert hcr.Region.load(path + ".hcr") == region
    with open(name, "wb") as file:
        file.write(b"var y[2]\nnorm(z) <= 1\n")
    with pytest.raises(hcr.InvalidError) as raised:
        hcr.Region.load(path)
    str(raised.value).encode()
    assert "caf\\xe9" in str(raised.value)
    with pytest.raises(hcr.FileError) as missing:
        hcr.Region.load(path + "x")
    str(missing.value).encode()


UNIFORM = {  # a function of the points, and its distribution where they are uniform
    "var y[3]\n0 <= y <= [1, 2, 0.01]": (lambda y: y / [1, 2, 0.01], ("uniform",)),
    "var y[4]\nnorm(y - 5) <= 2": (lambda y: (np.linalg.norm(y - 5, axis=1, keepdims=True) / 2) ** 4, ("uniform",)),
    "var y[5]\ny >= 0\nsum(y) == 1": (lambda y: y, ("beta", (1, 4))),
    "var y[2]\ny >= 0\n100 * y[0] + y[1] <= 1": (lambda y: y * [100, 1], ("beta", (1, 2))),
    "var t\nvar a[3]\nt == sum(a)\n0 <= a <= [1, 2, 3]": (lambda y: y[:, 1:] / [1, 2, 3], ("uniform",)),
}


@pytest.mark.parametrize("text", UNIFORM)
def test_uniform_samples(text):
    """Kolmogorov and Smirnov of each coordinate (seeds are fixed; 1e-3 is what one coordinate in a thousand is below),
    and means within 5 of their deviations."""
    stats = pytest.importorskip("scipy.stats")
    region = hcr.Region(text)
    y = region.sample(3000, 7, uniform=True)
    assert region.check(y).all()
    function, distribution = UNIFORM[text]
    for values in function(y).T:
        assert stats.kstest(values, *distribution).pvalue > 1e-3
        known = getattr(stats, distribution[0])(*(distribution[1] if len(distribution) > 1 else ()))
        assert abs(values.mean() - known.mean()) < 5 * known.std() / np.sqrt(len(values))
    # The points that the chains begin at are of another density (but in the ball).
    begun = function(region.sample(3000, 7)).T
    assert "norm" in text or min(stats.kstest(values, *distribution).pvalue for values in begun) < 1e-6


def test_uniform_samples_with_parameters_and_refusals():
    stats = pytest.importorskip("scipy.stats")
    region = hcr.Region("var y[2]\nparam c in [1, 5]\ny >= 0\nsum(y) <= c")
    x = np.linspace(1, 5, 2000)[:, None]
    y = region.sample(2000, 3, x, uniform=True, burn_in=60)
    assert region.check(y, x).all()
    assert stats.kstest(y[:, 1] / x[:, 0], "beta", (1, 2)).pvalue > 1e-3
    x[5] = 9
    assert np.isnan(region.sample(2000, 3, x, uniform=True, burn_in=1)).any(axis=1).nonzero()[0].tolist() == [5]
    one, each = (region.sample(3, 1, given, uniform=True) for given in ([2.0], [[2.0]] * 3))
    np.testing.assert_array_equal(one, each)
    assert hcr.Region("var y[2]\ny == [1, 2]").sample(2, 1, uniform=True).tolist() == [[1, 2], [1, 2]]
    with pytest.raises(hcr.Error, match="no uniform density on a region without bounds"):
        hcr.Region("var y\nunbounded\ny >= 0").sample(3, uniform=True)
    with pytest.raises(hcr.Error, match="inside or on the frontier"):
        region.sample(3, 1, [2.0], uniform=True, frontier=True)
