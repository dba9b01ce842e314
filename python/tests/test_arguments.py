"""Arguments in another form than the documented one: taken, or refused in one sentence of ours; never a guess."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import hcr

SQUARE = "var y[2]\n0 <= y <= 1"


def box(region):
    return [bound.tolist() for bound in region.bounds]


def test_d13_bounds_as_scipy_s_pairs():
    right = [[0, 2], [1, 3]]  # y0 in [0, 1], y1 in [2, 3]
    assert box(hcr.Region.from_rows(bounds=[(0, 1), (2, 3)], n=2)) == right
    assert box(hcr.Region.from_rows(bounds=([0, 2], [1, 3]), n=2)) == right
    assert box(hcr.Region.from_rows(bounds=(np.array([0, 2]), np.array([1, 3])), n=2)) == right
    three = [(0, 1), (2, 3), (4, 5)]
    for given in (three, np.array(three), tuple(three), np.array(three).T, [np.array([0, 2, 4]), [1, 3, 5]]):
        assert box(hcr.Region.from_rows(bounds=given, n=3)) == [[0, 2, 4], [1, 3, 5]]
    assert (
        box(hcr.Region.from_rows(bounds=[(0, 1)], n=1)) == box(hcr.Region.from_rows(bounds=(0, 1), n=1)) == [[0], [1]]
    )
    assert box(hcr.Region.from_rows(bounds=[0, 1], n=2)) == [[0, 0], [1, 1]]
    open_side = hcr.Region.from_rows([[1, 1]], 4, bounds=[(0, None), (1, 2)])
    assert open_side.contract([9.0, 0.0]) == pytest.approx(
        hcr.Region("var y[2]\ny >= [0, 1]\ny[1] <= 2\nsum(y) <= 4").contract([9.0, 0.0])
    )


@pytest.mark.parametrize(
    "given", [((0, 1), (2, 3)), [[0, 1], [2, 3]], np.array([[0, 1], [2, 3]]), [np.zeros(2), np.ones(2)]]
)
def test_d13_what_could_be_either_is_refused(given):
    with pytest.raises(hcr.InvalidError, match="two pairs or two sides"):
        hcr.Region.from_rows(bounds=given, n=2)


def test_d13_both_readings_the_same():
    assert box(hcr.Region.from_rows(bounds=[[0, 1], [1, 2]], n=2)) == [[0, 1], [1, 2]]


def test_d13_scipy_s_bounds():
    optimize = pytest.importorskip("scipy.optimize")
    assert box(hcr.Region.from_rows(bounds=optimize.Bounds([0, 2], [1, 3]), n=2)) == [[0, 2], [1, 3]]


def test_d13_ranges_of_parameters():
    for given in ([(1, 2), (3, 4)], ([1, 3], [2, 4])):
        region = hcr.Region.from_rows([[1, -1, 0], [1, 0, -1]], 0, bounds=(0, None), parameters={"x": given})
        assert [side.tolist() for side in region.parameters[1:]] == [[1, 3], [2, 4]]
    with pytest.raises(hcr.InvalidError, match="the range of x could be"):
        hcr.Region.from_rows([[1, -1, 0]], 0, bounds=(0, None), parameters={"x": [[1, 2], [3, 4]]})
    with pytest.raises(hcr.InvalidError, match=r"must be \(lower, upper\)"):
        hcr.Region.from_rows([[1, -1]], 0, bounds=(0, None, 3), parameters={"x": (1, 2)})


def test_d35_origins():
    builder = hcr.Builder({"y": 2})
    builder.add_bounds(0, 1)
    builder.set_origin([0.25, 0.5])
    assert builder.finish().origin.tolist() == [0.25, 0.5]
    with pytest.raises(hcr.InvalidError, match="given twice"):
        builder.set_origin([0.25, 0.5], [0.25, 0.5])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"batch": -1}, "batch is -1: it must be 1 or more"),
        ({"batch": 0}, "batch is 0"),
        ({"epochs": -3}, "epochs is -3: it must be 0 or more"),
        ({"hidden": 2.5}, "hidden is 2.5: it must be a whole number"),
        ({"seed": -1}, "seed is -1"),
        ({"patience": "5"}, "patience is '5'"),
    ],
)
def test_d35_counts(wrong, message):
    X = np.random.default_rng(0).random((9, 2))
    with pytest.raises((hcr.InvalidError, TypeError), match=message):
        hcr.fit(hcr.Region(SQUARE), X, X, **wrong)


def test_d35_sizes_in_the_builder():
    builder = hcr.Builder()
    with pytest.raises(hcr.InvalidError, match="the size of y is -1: it must be 1 or more"):
        builder.add_variable("y", -1)
    with pytest.raises(hcr.InvalidError, match="the size of x is 0"):
        builder.add_parameter("x", 0, 1, 0)
    builder.add_variable("y", 2)
    with pytest.raises(hcr.InvalidError, match="first is -1"):
        builder.add_bounds(0, 1, first=-1)


def test_d35_what_is_no_region():
    with pytest.raises(TypeError, match=r"fit takes a region, not str: hcr.Region\(text\) makes one"):
        hcr.fit(SQUARE, np.zeros((2, 2)), np.zeros((2, 2)))
    with pytest.raises(TypeError, match=r"the region text is (Posix|Windows)Path: files are read by Region.load"):
        hcr.Region(pathlib.Path("x"))
    with pytest.raises(hcr.InvalidError, match="isn't an array of numbers"):
        hcr.Region(SQUARE).contract([[1, 2], [3]])


def structured(table):
    rows = np.empty(2, [(name, float) for name in table])
    for name, column in table.items():
        rows[name] = column
    return rows


NAMED = {
    "pandas": lambda table: pytest.importorskip("pandas").DataFrame(table),
    "polars": lambda table: pytest.importorskip("polars").DataFrame(table),
    "pyarrow": lambda table: pytest.importorskip("pyarrow").table(table),
    "dict": dict,
    "structured": structured,
}


@pytest.mark.parametrize("kind", NAMED)
def test_columns_are_found_by_name(kind):
    table, moving = NAMED[kind], hcr.Region("var y[2]\nparam low\nparam high\n0 <= y[0] <= low\n0 <= y[1] <= high")
    limits = np.array([[1.0, 5.0], [2.0, 7.0]])
    reversed_limits = table({"high": limits[:, 1], "other": [0.0, 0.0], "low": limits[:, 0]})
    points = table({"y[1]": [50.0, 6.0], "y[0]": [50.0, 1.0]})
    np.testing.assert_array_equal(moving.project(points, reversed_limits), [[1, 5], [1, 6]])
    np.testing.assert_array_equal(moving.check(points, reversed_limits), [False, True])
    with pytest.raises(hcr.InvalidError, match=r"x has no column 'low': it has 'high'"):
        moving.project(points, table({"high": limits[:, 1]}))
    lines = hcr.ranges(reversed_limits).splitlines()[-3:]
    assert [line.split(" in ")[0] for line in lines] == ["param high", "param other", "param low"]


@pytest.mark.parametrize("kind", NAMED)
def test_models_find_inputs_by_name(kind):
    random, square = np.random.default_rng(1), hcr.Region(SQUARE)
    inputs, targets = random.random((2, 2)), random.random((2, 2))
    forwards = NAMED[kind]({"a": inputs[:, 0], "b": inputs[:, 1]})
    backwards = NAMED[kind]({"b": inputs[:, 1], "a": inputs[:, 0]})
    if kind in ("dict", "structured"):
        model = hcr.fit(square, inputs, targets, input_names=["a", "b"], epochs=1)
    else:
        model = hcr.fit(square, forwards, targets, epochs=1)
    assert model.input_names == ("a", "b")
    np.testing.assert_array_equal(model.predict(backwards), model.predict(inputs))


def test_rows_of_pandas_are_found_by_name():
    pandas, square = pytest.importorskip("pandas"), hcr.Region(SQUARE)
    assert square.project(pandas.Series({"y[1]": 9.0, "y[0]": 0.5})).tolist() == [0.5, 1]
    dated = pandas.Series([0.5, 9.0], index=pandas.date_range("2024-01-01", periods=2))
    assert square.project(dated).tolist() == [0.5, 1]


def test_columns_that_are_only_counted():
    for kind in ("pandas", "polars"):
        frame = pytest.importorskip(kind).DataFrame(np.array([[0.5, 9.0]]))
        assert hcr.Region(SQUARE).project(frame).tolist() == [[0.5, 1]]


def test_d35_torch():
    torch = pytest.importorskip("torch")
    import hcr.torch

    region = hcr.Region(SQUARE)
    wanted = torch.full((3, 2), 0.5, dtype=torch.float64, requires_grad=True)
    assert region.check(wanted).tolist() == [True] * 3
    assert region.violation(wanted)[0].tolist() == [-0.5] * 3 and region.residual(wanted).tolist() == [0] * 3
    with pytest.raises(TypeError, match=r"v is a tensor that needs gradients, which NumPy loses: use hcr.torch"):
        region.contract(wanted)
    with pytest.raises(TypeError, match=r"hcr.torch.contract takes a tensor, not ndarray"):
        hcr.torch.contract(np.zeros(2), region)
    with pytest.raises(TypeError, match=r"hcr.torch.contract takes a region, not Tensor"):
        hcr.torch.contract(region, wanted)
    for points in (False, True):
        with pytest.raises(hcr.InvalidError, match=r"contract's tensor has the shape .* must have 2 entries"):
            hcr.torch.Constrain(region, points=points)(torch.zeros(4, 3))
    with pytest.raises(hcr.InvalidError, match="its last axis must have 3 entries"):
        hcr.torch.Constrain(region, "decode")(torch.zeros(4, 2))
    for layer in (lambda: hcr.torch.HCRHead(4, SQUARE), lambda: hcr.torch.Constrain(SQUARE)):
        with pytest.raises(TypeError, match="takes a region, not str"):
            layer()


def test_d35_jax():
    pytest.importorskip("jax")
    import hcr.jax

    with pytest.raises(TypeError, match=r"hcr.jax.contract takes a region, not str"):
        hcr.jax.contract(np.zeros(2), SQUARE)


def test_d35_types_for_onnx():
    pytest.importorskip("onnx")
    import hcr.onnx

    region = hcr.Region(SQUARE)
    for dtype in (np.float32, np.dtype("float32"), "float32"):
        assert hcr.onnx.export(region, dtype=dtype).graph.input[0].type.tensor_type.elem_type == 1
    with pytest.raises(hcr.InvalidError, match="there is no dtype"):
        hcr.onnx.export(region, dtype=np.float16)
    torch = pytest.importorskip("torch")
    assert hcr.onnx.export(region, dtype=torch.float64).graph.input[0].type.tensor_type.elem_type == 11


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (0, 0)])
def test_constants_without_entries_are_refused(shape):
    """They were read as numbers, from beyond their end."""
    with pytest.raises(hcr.Error, match=rf"the constant A has the shape \({shape[0]}.*leave out the lines"):
        hcr.Region("var y[3]\n0 <= y <= 1\nA @ y <= 1", A=np.empty(shape))


def test_sparse_constants():
    sparse = pytest.importorskip("scipy.sparse")
    A = np.array([[1.0, 0, 2], [0, 3, 0]])
    text = "var y[3]\n0 <= y <= 1\nA @ y <= 1"
    for made in (sparse.csr_matrix(A), sparse.csc_array(A), sparse.coo_matrix(A)):
        assert hcr.Region(text, A=made).digest == hcr.Region(text, A=A).digest
