"""Regions: how they are made and kept, what they tell, draw and sample; what is refused."""

from __future__ import annotations

import os
import pathlib
import pickle

import numpy as np
import pytest
from conftest import make

import hcr


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
    except (OSError, UnicodeError):
        pytest.skip("file names are text here")
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
