"""What region text has for planners, beside the same written with NumPy: the same points inside, the same results."""

import numpy as np
import pytest

import hcr
from hcr.forecast import constrain

pandas = pytest.importorskip("pandas")


def same(region, other, points):
    """Both regions map all points to the same bits, and have the same origin."""
    assert region.n == other.n
    np.testing.assert_array_equal(region.origin, other.origin)
    np.testing.assert_array_equal(region.contract(points), other.contract(points))
    assert region.check(region.contract(points)).all()


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        (
            "var y[2, 3] in [-1, 2]\nsum(y, 0) <= 3\ny[1, 2] >= 0",
            "var y[6]\n-1 <= y <= 2\ny[:3] + y[3:] <= 3\ny[5] >= 0",
        ),
        ("var y[6] in [[0, 0, 0, -1, -1, -1], 4]", "var y[6]\nkron([0, -1], ones(3)) <= y <= 4"),
        (
            'var y[["a", "b b"], 3] in [0, 9]\ny["a"] + 1 <= y["b b"]',
            "var y[6]\n0 <= y <= 9\ny[:3] + 1 <= y[3:]",
        ),
        (
            "var y[6] in [0, 4]\nlet s = 1 + cumsum(y)\ns <= 9\ns[2] >= 3",
            "var y[6]\n0 <= y <= 4\n1 + cumsum(y) <= 9\n(1 + cumsum(y))[2] >= 3",
        ),
        (
            "var y[6] in [-4, 4]\nlet r = norm(y - 1)\nr <= 3\nr + y[0] <= 2",
            "var y[6]\n-4 <= y <= 4\nnorm(y - 1) <= 3\nnorm(y - 1) + y[0] <= 2",
        ),
        ("var y[6] in [0, linspace(1, 2, 6)]", f"var y[6]\n0 <= y <= {np.linspace(1, 2, 6).tolist()}"),
        ("var y[6] in [-3, repeat([1, 2], 3)]", f"var y[6]\n-3 <= y <= {np.repeat([1, 2], 3).tolist()}"),
        ("var y[6] in [-3, 3]\n[h // 2 == 1 for h in range(6)] @ y <= 1", "var y[6]\n-3 <= y <= 3\ny[2] + y[3] <= 1"),
    ],
)
def test_the_same_as_spelled_out(random, text, spelled):
    same(hcr.Region(text), hcr.Region(spelled), 6 * random.standard_normal((200, 6)))


@pytest.mark.parametrize("shapes", [((2, 3), (3, 2)), ((2,), (3,)), ((2, 2), (3,)), ((2,), (2, 3)), ((), (4,))])
def test_kron_is_numpys(random, shapes):
    A, B = (random.integers(-3, 4, shape).astype(float) for shape in shapes)
    expected = np.kron(A, B)
    rows = np.atleast_2d(expected)
    text = "var y[{}] in [-9, 9]\n{} @ y <= 2".format(rows.shape[1], "kron(A, B)")
    region = hcr.Region(text, A=A, B=B)
    points = random.standard_normal((300, rows.shape[1]))
    np.testing.assert_array_equal(
        region.check(points), (points @ rows.T <= 2).all(axis=1) & (abs(points) <= 9).all(axis=1)
    )


def test_kron_of_outputs(random):
    weights = np.array([[1.0, 2.0], [0.5, -1.0]])
    region = hcr.Region("var y[3] in [-9, 9]\nkron(W, y) <= 2", W=weights)
    points = random.standard_normal((300, 3))
    expected = [(np.kron(weights, point) <= 2).all() for point in points]
    np.testing.assert_array_equal(region.check(points), expected)


def test_names_of_columns_survive_the_compiled_file(tmp_path):
    text = (
        'var y[2, 2] in [0, 1], z[["north", "Süd/1"], 2] in [0, 1], w[["a", "b"]] in [0, 1]\n'
        "param c[2, 1] in [3, 4]\nsum(y) <= c[0, 0] + c[1, 0]"
    )
    region = hcr.Region(text)
    region.save(tmp_path / "a.hcr")
    loaded = hcr.Region.load(tmp_path / "a.hcr")
    for one in (region, loaded):
        assert one.names[2:] == (
            "y[1,0]",
            "y[1,1]",
            "z[north,0]",
            "z[north,1]",
            "z[Süd/1,0]",
            "z[Süd/1,1]",
            "w[a]",
            "w[b]",
        )
        assert one.parameters.names == ("c[0,0]", "c[1,0]")
    assert "y[2, 2], z[2, 2]" in repr(region)


def test_rows_with_names_are_series_of_a_frame(random):
    series = ["Australia/NSW", "VIC", "total"]
    frame = pandas.DataFrame(
        {"unique_id": np.repeat(series, 4), "ds": np.tile(range(4), 3), "ETS": 5 * random.standard_normal(12)}
    )
    named = """
    var load[["Australia/NSW", "VIC", "total"], 4] in [-9, 9]
    load["Australia/NSW"] + load["VIC"] == load["total"]
    0 <= load["VIC", h] <= h + 1 for h in range(4)
    """
    plain = "var nsw[4], vic[4], total[4]\n-9 <= [nsw, vic, total] <= 9\nnsw + vic == total\n0 <= vic <= range(1, 5)"
    result = constrain(frame, named)
    expected = constrain(frame, plain, series={"nsw": series[0], "vic": series[1]})
    np.testing.assert_array_equal(result["ETS"], expected["ETS"])


def test_matrices_without_text():
    region = hcr.Region.from_rows(bounds=(0, 1), names={"flow": (2, 3), "p": None})
    assert region.names == hcr.Region("var flow[2, 3] in [0, 1], p in [0, 1]").names
