"""Regions made by calls rather than from text: the library's builder."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _interrupt, _library
from ._arrays import Array, address, doubles, whole
from .errors import make

if TYPE_CHECKING:
    from .region import Region

__all__ = ["Builder"]

#: Of outputs: None for a scalar, how many a vector has, or rows and columns of a matrix.
Size = int | tuple[int, int] | None

ORIGINS = {"chebyshev": 0, "analytic": 1, "mean": 2, "given": 3}
_ROOTS = ("newton", "halley", "brent")
_GROUPS = ("union", "except")
_DIAGONAL, _DENSE, _FACTOR = 0, 1, 2


class Builder:
    """Adds outputs, parameters and constraints one after the other, and makes the region of them.

    Outputs and parameters come before the first constraint. The columns of what is added are the outputs, and behind
    them the parameters; a matrix or a vector may also have the outputs' columns alone. Everything is copied. After a
    call that failed the builder is as it was before.

    >>> import hcr, numpy as np
    >>> builder = hcr.Builder()
    >>> builder.add_variable("y", 2)
    >>> builder.add_quadratic([1.0, 1.0], radius=2.0)
    >>> builder.add_rows([[1.0, 1.0]], upper=1.0)
    >>> builder.finish().n
    2
    """

    def __init__(self, variables: Mapping[str, Size] | None = None) -> None:
        self._handle = _library.create("hcr_builder_create", None)
        self._callbacks: _Callbacks | None = None
        for name, size in (variables or {}).items():
            self.add_variable(name, size)

    @classmethod
    def _owning(cls, handle: int) -> Builder:
        builder = cls.__new__(cls)
        builder._handle, builder._callbacks = handle, None
        return builder

    def __del__(self, free: Any = _library.library.hcr_builder_free) -> None:
        if hasattr(self, "_handle"):
            free(self._handle)

    def _call(self, name: str, *arguments: Any) -> None:
        _library.call(f"hcr_builder_{name}", self._handle, *arguments)

    @property
    def n(self) -> int:
        """How many outputs there are so far."""
        return int(_library.library.hcr_builder_dimension(self._handle))

    @property
    def columns(self) -> int:
        """How many outputs and parameters there are so far."""
        return int(_library.library.hcr_builder_columns(self._handle))

    def _sparse(self, matrix: Any, what: str) -> Sparse:
        return Sparse(matrix, (self.n, self.columns), what)

    def _varying(self, A: Any, products: npt.ArrayLike) -> _library.VaryingRowsStruct:
        matrix, p = self._sparse(A, "A"), self.columns - self.n
        values = doubles(products, "products")
        if values.shape != (matrix.rows, self.n, p):
            raise make("shape", f"products has the shape {values.shape}: it must have {(matrix.rows, self.n, p)}")
        row, output, parameter = np.nonzero(values)
        start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=matrix.rows))]).astype(np.uintp)
        arrays = (start, output.astype(np.uint32), parameter.astype(np.uint32), values[values != 0])
        struct = _library.VaryingRowsStruct(matrix.rows, *matrix.addresses(), *map(address, arrays))
        struct.kept = (matrix, arrays)
        return struct

    def _vector(self, values: npt.ArrayLike | None, what: str) -> Array | None:
        """One number a column, 0 for those that aren't given."""
        if values is None:
            return None
        array = doubles(values, what)
        if array.ndim != 1 or array.size not in (self.n, self.columns):
            raise make("shape", f"{what} has the shape {array.shape}: it must have {self.n} numbers")
        return np.concatenate([array, np.zeros(self.columns - array.size)])

    # -------------------------------------------------------------------------------------------------- variables

    def add_variable(self, name: str, size: Size = None) -> None:
        """Adds outputs: a vector ``name[0]`` …, a scalar when the size is None, or with ``(3, 24)`` a matrix
        ``name[0,0]`` …, row by row."""
        rows, columns = size if isinstance(size, tuple) else (size, None)
        count = 1 if rows is None else whole(rows, f"the size of {name}", 1)
        width = 1 if columns is None else whole(columns, f"the columns of {name}", 1)
        self._call("add_variable", name.encode(), count * width, size is None)
        if columns is not None:
            self._call("shape_variable", width, None)

    def add_parameter(
        self, name: str, lower: npt.ArrayLike | None = None, upper: npt.ArrayLike | None = None, size: int | None = None
    ) -> None:
        """Adds parameters, with their range: numbers, or one each; None for both: they have none."""
        count = 1 if size is None else whole(size, f"the size of {name}", 1)
        low, high = side(lower, count, "lower"), side(upper, count, "upper")
        self._call("add_parameter", name.encode(), count, size is None, address(low), address(high))

    def source(self, text: str) -> None:
        """What messages and `Region.constraints` show for what is added from here on."""
        self._call("set_source", b"", 0, 0, text.encode())

    # ------------------------------------------------------------------------------------------------ constraints

    def add_bounds(
        self,
        lower: npt.ArrayLike | None = None,
        upper: npt.ArrayLike | None = None,
        *,
        first: int = 0,
        count: int | None = None,
    ) -> None:
        """lower <= y[first : first + count] <= upper; numbers, or one each; None: none on that side."""
        first = whole(first, "first")
        width = max(self.n - first, 0) if count is None else whole(count, "count")
        low, high = side(lower, width, "lower"), side(upper, width, "upper")
        self._call("add_bounds", first, width, address(low), address(high))

    def add_rows(self, A: Any, lower: npt.ArrayLike | None = None, upper: npt.ArrayLike | None = None) -> None:
        """lower <= A y <= upper; A dense or SciPy's."""
        matrix = self._sparse(A, "A")
        low, high = side(lower, matrix.rows, "lower"), side(upper, matrix.rows, "upper")
        self._call("add_sparse_rows", matrix.rows, *matrix.addresses(), address(low), address(high))

    def add_varying_rows(
        self,
        A: Any,
        products: npt.ArrayLike,
        lower: npt.ArrayLike | None = None,
        upper: npt.ArrayLike | None = None,
    ) -> None:
        """lower <= A (y, x) + Σ products[i, j, k] y_j x_k <= upper, for each row i: coefficients that move with the
        parameters.

        Args:
            A: rows × columns.
            products: rows × n × p.
        """
        struct = self._varying(A, products)
        low, high = side(lower, struct.rows, "lower"), side(upper, struct.rows, "upper")
        struct.lower, struct.upper = address(low), address(high)
        self._call("add_varying_rows", ctypes.byref(struct))

    def add_varying_cone(self, A: Any, products: npt.ArrayLike, constants: npt.ArrayLike) -> None:
        """|w| <= e, where w, and behind it e, are rows as of `add_varying_rows`, each with its constant."""
        struct = self._varying(A, products)
        values = side(constants, struct.rows, "constants")
        self._call("add_varying_cone", ctypes.byref(struct), address(values))

    def add_quadratic(
        self,
        matrix: npt.ArrayLike | None = None,
        *,
        factor: Any = None,
        shift: npt.ArrayLike | None = None,
        linear: npt.ArrayLike | None = None,
        constant: float = 0.0,
        radius: float = 0.0,
    ) -> None:
        """½ Q(y) + linear·y + constant <= ½ radius².

        Args:
            matrix: n numbers for Q(y) = Σ matrix_j (y_j − shift_j)², or n × n for (y − shift)' matrix (y − shift).
            factor: instead of a matrix: rows F for Q(y) = |F y − shift|².
            shift: n numbers, or one a row of the factor; None: 0.
            linear: n numbers; None: 0.

        Raises:
            hcr.Error: ``convexity``, a matrix that isn't symmetric and positive semidefinite.
        """
        slope = self._vector(linear, "linear")
        if (matrix is None) == (factor is None):
            raise make("argument", "give either a matrix or a factor")
        struct = _library.QuadraticStruct(constant=constant, radius=radius, linear=address(slope))
        if factor is not None:
            rows = self._sparse(factor, "factor")
            moved = side(shift, rows.rows, "shift")
            struct.form, struct.rank = _FACTOR, rows.rows
            struct.factor_start, struct.factor_columns, struct.factor_values = rows.addresses()
        else:
            array, moved = doubles(matrix, "matrix"), self._vector(shift, "shift")  # type: ignore[arg-type]
            struct.form = _DIAGONAL if array.ndim == 1 else _DENSE
            if array.ndim not in (1, 2) or {*array.shape} not in ({self.n}, {self.columns}):
                raise make("shape", f"matrix has the shape {array.shape}: {self.n} numbers a side are needed")
            square = np.pad(
                symmetric(array) if array.ndim == 2 else array, [(0, self.columns - array.shape[0])] * array.ndim
            )
            struct.matrix = address(square)
        struct.shift = address(moved)
        self._call("add_quadratic", ctypes.byref(struct))

    def add_cone(
        self,
        M: Any,
        linear: npt.ArrayLike | None = None,
        constant: float = 0.0,
        *,
        shift: npt.ArrayLike | None = None,
    ) -> None:
        """|M y + shift| <= linear·y + constant: a second-order cone."""
        matrix = self._sparse(M, "M")
        moved, slope = side(shift, matrix.rows, "shift"), self._vector(linear, "linear")
        struct = _library.ConeStruct(matrix.rows, *matrix.addresses(), address(moved), address(slope), constant)
        self._call("add_cone", ctypes.byref(struct))

    def add_lmi(self, constant: npt.ArrayLike | None, matrices: Mapping[int, npt.ArrayLike]) -> None:
        """constant + Σ matrices[j] y_j is positive semidefinite: a linear matrix inequality.

        Args:
            constant: size × size, symmetric; None: 0.
            matrices: by the number of the column, size × size each.
        """
        base = None if constant is None else doubles(constant, "constant")
        terms = [doubles(matrix, f"matrices[{j}]") for j, matrix in matrices.items()]
        every = [*terms, *([] if base is None else [base])]
        size = every[0].shape[0] if every and every[0].ndim else 0
        if any(matrix.shape != (size, size) for matrix in every):
            raise make("shape", f"the matrices have the shapes {[a.shape for a in every]}: all must be size × size")
        base = None if base is None else symmetric(base)
        outputs, stacked = np.array([*matrices], np.uint32), np.array([*map(symmetric, terms)], np.float64)
        struct = _library.LmiStruct(size, address(base), len(terms), address(outputs), address(stacked))
        self._call("add_lmi", ctypes.byref(struct))

    def add_equalities(self, A: Any, right: npt.ArrayLike = 0.0) -> None:
        """A y == right; A dense or SciPy's."""
        matrix = self._sparse(A, "A")
        values = side(right, matrix.rows, "right")
        self._call("add_equalities", matrix.rows, *matrix.addresses(), address(values))

    def add_callback(
        self,
        value: Callable[[Array], float | tuple[float, float]],
        gradient: Callable[[Array], npt.ArrayLike] | None = None,
        *,
        name: str = "callback",
        convex: bool = True,
    ) -> None:
        """value(y) <= 0 for a function of yours. It must give the same result for the same point; a region with one
        can't be saved or pickled.

        Args:
            value: of all columns; NaN outside of its domain. Or a pair of that and a bound of its rounding error.
            gradient: one number a column; None: from differences.
            name: for messages.
            convex: False: every ray from the origin leaves {value <= 0} at most once, and the origin must be given.

        >>> import hcr
        >>> builder = hcr.Builder({"y": 2})
        >>> builder.add_callback(lambda y: y[0] ** 4 + y[1] ** 2 - 1, lambda y: [4 * y[0] ** 3, 2 * y[1]])
        >>> builder.add_bounds(-2, 2)
        >>> builder.finish().contract([3.0, 0.0]).round(6).tolist()
        [1.0, 0.0]
        """
        if self._callbacks is None:
            self._callbacks = _Callbacks()
        self._call("add_callback", ctypes.byref(self._callbacks.struct(value, gradient, name, convex)))

    def set_root_method(self, method: Literal["newton", "halley", "brent"]) -> None:
        """How the frontier of convex callbacks that are added from here on is found along a ray; at first Halley's."""
        if method not in _ROOTS:
            raise make("argument", f"there is no root method {method!r}: there are {', '.join(_ROOTS)}")
        self._call("set_root_method", _ROOTS.index(method))

    @contextlib.contextmanager
    def _group(self, kind: str) -> Iterator[None]:
        self._call("begin_group", _GROUPS.index(kind))
        yield
        self._call("end_group")

    def union(self) -> contextlib.AbstractContextManager[None]:
        """What is added in the ``with`` block is a union of convex bodies, which `next_body` parts.

        >>> import hcr
        >>> builder = hcr.Builder({"y": 2})
        >>> with builder.union():
        ...     builder.add_bounds([-1, -2], [1, 2])
        ...     builder.next_body()
        ...     builder.add_bounds([-2, -1], [2, 1])
        >>> builder.set_origin("given", [0.0, 0.0])
        >>> builder.finish().contract([[9.0, 0.0], [9.0, 9.0]]).round(6).tolist()
        [[2.0, 0.0], [1.0, 1.0]]
        """
        return self._group("union")

    def next_body(self) -> None:
        """Begins the next body of a union."""
        self._call("next")

    def cut_out(self) -> contextlib.AbstractContextManager[None]:
        """What is added in the ``with`` block is a convex set that is taken out of the region."""
        return self._group("except")

    # -------------------------------------------------------------------------------------------------- finishing

    def allow_unbounded(self, allow: bool = True) -> None:
        """Whether the region may reach to infinity."""
        self._call("allow_unbounded", int(allow))

    def set_origin(
        self,
        origin: Literal["chebyshev", "analytic", "mean", "given"] | npt.ArrayLike,
        points: npt.ArrayLike | None = None,
    ) -> None:
        """How the origin is chosen.

        Args:
            origin: the centre of a largest ball inside; the analytic centre; the mean of points, pulled inside; or a
                point, as ``"given"`` with it in `points`, or itself.
            points: rows × n for ``"mean"``; n numbers for ``"given"``, or 1 + p rows of them: O(x) = points[0] +
                Σ_k x_k points[1 + k].
        """
        if not isinstance(origin, str):
            if points is not None:
                raise make("argument", "an origin is given twice: as the first argument and as points")
            origin, points = "given", origin
        if origin not in ORIGINS:
            raise make("argument", f"there is no origin {origin!r}: there are {', '.join(ORIGINS)}")
        array = None if points is None else np.atleast_2d(doubles(points, "points"))
        if array is not None and (array.ndim != 2 or array.shape[1] != self.n):
            raise make("shape", f"points has the shape {array.shape}: its last axis must have {self.n} entries")
        self._call("set_origin", ORIGINS[origin], 0 if array is None else array.shape[0], address(array))

    def set_origins(self, points: npt.ArrayLike) -> None:
        """Several given origins, of which a sample uses one: `hcr.Region.with_origin`.

        Args:
            points: (k, n), or (k, 1 + p, n), the origins and their changes with each parameter. The last parameter
                names the one to use: its range is [0, k − 1].
        """
        array = np.asarray(doubles(points, "points"))
        if array.ndim not in (2, 3) or array.shape[-1] != self.n:
            raise make("shape", f"points has the shape {array.shape}: it must be (k, {self.n}) or (k, 1 + p, {self.n})")
        self._call("set_origins", array.shape[0], 1 if array.ndim == 2 else array.shape[1], address(array))

    def _wants_mean(self) -> bool:
        return int(_library.library.hcr_builder_origin(self._handle)) == ORIGINS["mean"]

    def finish(self) -> Region:
        """The region: finds the origin, proves it bounded unless it needn't be, computes bounds and margins. The
        builder stays usable.

        Raises:
            hcr.Error: ``empty``, with a small set of conflicting sources; ``unbounded``; ``origin``; ``solver``.
        """
        return self._finish("")

    def _finish(self, text: str, *, at_once: bool = False) -> Region:
        """`at_once`: without a thread that can be interrupted, where there is nothing to search for."""
        from .region import Region

        def make(stop: _interrupt.Stop) -> int:
            self._call("set_stop", stop.callback, None)
            try:
                return _library.create("hcr_builder_finish", self._handle)
            finally:
                self._call("set_stop", _library.StopCallback(), None)

        address = make(_interrupt.Stop()) if at_once else _interrupt.run(make, _library.library.hcr_region_free)
        return Region._owning(address, text, self._callbacks)


class _Callbacks:
    """Functions that the library calls, and what they raised."""

    def __init__(self) -> None:
        self.kept: list[Any] = []
        self.raised: list[BaseException] = []

    def reraise(self) -> None:
        if self.raised:
            first = self.raised[0]
            self.raised.clear()
            raise first

    def struct(self, value: Any, gradient: Any, name: str, convex: bool) -> _library.CallbackStruct:
        def guarded(function: Callable[[Array], None], n: int, y: Any) -> None:
            try:
                function(np.array(np.ctypeslib.as_array(y, (n,))))
            except BaseException as exception:  # raised where the map was called: C can't hand it on
                self.raised.append(exception)

        def call_value(_: Any, n: int, y: Any, rounding: Any) -> float:
            result = [float("nan"), 0.0]

            def compute(point: Array) -> None:
                answer = value(point)
                result[:] = map(float, answer) if isinstance(answer, tuple) else (float(answer), 0.0)

            guarded(compute, n, y)
            if rounding:
                rounding[0] = result[1]
            return result[0]

        def call_gradient(_: Any, n: int, y: Any, into: Any) -> None:
            written = np.ctypeslib.as_array(into, (n,))
            written[:] = np.nan

            def compute(point: Array) -> None:
                written[:] = gradient(point)

            guarded(compute, n, y)

        functions = (
            _library.ValueCallback(call_value),
            _library.GradientCallback(call_gradient) if gradient is not None else _library.GradientCallback(),
        )
        self.kept.append(functions)
        return _library.CallbackStruct(name.encode(), None, int(convex), *functions, _library.AlongCallback())


class Sparse:
    """A matrix in compressed rows, as the library takes it. Zeros aren't stored."""

    def __init__(self, matrix: Any, widths: Sequence[int], what: str) -> None:
        if hasattr(matrix, "tocsr"):
            rows = matrix.tocsr().astype(np.float64)
            rows.sum_duplicates()
            rows.eliminate_zeros()
            rows.sort_indices()
            shape, counts = rows.shape, np.diff(rows.indptr)
            self.columns, self.values = rows.indices.astype(np.uint32), np.require(rows.data, requirements=["C", "A"])
        else:
            dense = np.atleast_2d(doubles(matrix, what))
            shape, counts = dense.shape, np.count_nonzero(dense, axis=-1)
            row, column = np.nonzero(dense) if dense.ndim == 2 else (np.zeros(0, int),) * 2
            self.columns, self.values = column.astype(np.uint32), dense[row, column]
        if len(shape) != 2 or shape[1] not in widths:
            raise make("shape", f"{what} has the shape {shape}: it must have {widths[0]} columns")
        self.rows = int(shape[0])
        self.start = np.concatenate([[0], np.cumsum(counts)]).astype(np.uintp)

    def addresses(self) -> tuple[int | None, ...]:
        return address(self.start), address(self.columns), address(self.values)


def side(values: npt.ArrayLike | None, count: int, what: str) -> Array | None:
    """A bound for each of `count` rows; a single number serves all."""
    if values is None:
        return None
    array = doubles(values, what)
    if array.ndim > 1 or array.size not in (1, count):
        raise make("shape", f"{what} has the shape {array.shape}: it must be a number or {count} of them")
    return np.ascontiguousarray(np.broadcast_to(array, count))


def sides(bounds: Any, n: int | None, what: str = "bounds") -> tuple[Any, Any]:
    """Lower and upper bounds of n outputs (None: as many as there are) from either form: a pair ``(lower, upper)`` of
    numbers or vectors, or a list of pairs ``[(low, high), …]``, one an output, as SciPy has them.

    Two outputs with two numbers each could be either: a list of tuples is one of pairs, a tuple of lists or arrays is
    one of sides, and all other forms are refused, unless both say the same.
    """
    if bounds is None:
        return None, None
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):  # SciPy's Bounds
        return bounds.lb, bounds.ub
    try:
        items = list(bounds)
    except TypeError:
        raise TypeError(f"{what} is {bounds!r}: it must be (lower, upper), or a list of a pair an output") from None
    sizes = [None if item is None or np.ndim(item) == 0 else np.shape(item) for item in items]
    are_pairs = len(items) == (n or len(items)) and all(size == (2,) for size in sizes)
    are_sides = len(items) == 2 and all(size in (None, (n,), (1,)) or (n is None and len(size) == 1) for size in sizes)
    if not are_pairs and not are_sides:
        count = "n" if n is None else n
        raise make(
            "shape",
            f"{what} must be (lower, upper), each a number or {count} of them, or a list of {count} pairs (low, high)",
        )
    if not are_pairs:
        return items[0], items[1]
    lower = [-np.inf if low is None else low for low, _ in items]
    upper = [np.inf if high is None else high for _, high in items]
    if not are_sides or (isinstance(bounds, list) and all(isinstance(item, tuple) for item in items)):
        return lower, upper
    if isinstance(bounds, tuple) and not any(isinstance(item, tuple) for item in items):
        return items[0], items[1]
    if items[0][1] == items[1][0]:  # both say the same
        return lower, upper
    raise make(
        "argument",
        f"{what} could be two pairs or two sides: write [(low, high), (low, high)], a list of tuples, a pair an "
        "output, or ([low, low], [high, high]), a tuple of lists",
    )


def symmetric(matrix: Array) -> Array:
    """A matrix that is symmetric but for the rounding of the products it was made by: exactly so, by its lower
    triangle. The library refuses all others."""
    if np.abs(matrix - matrix.T).max(initial=0) <= 1e-13 * np.abs(matrix).max(initial=0):
        lower = np.tril(matrix, -1)
        return lower + lower.T + np.diag(np.diag(matrix))
    return matrix


def _constants(values: Mapping[str, npt.ArrayLike]) -> tuple[Any, list[Array]]:
    """Constants for a region text, and the arrays that must live as long."""
    structs = (_library.ConstantStruct * max(len(values), 1))()
    kept = []
    for struct, (name, value) in zip(structs, values.items(), strict=False):
        array = doubles(value.toarray() if hasattr(value, "toarray") else value, f"the constant {name}")  # SciPy's
        if array.ndim > 2:
            raise make("shape", f"the constant {name} has {array.ndim} dimensions: it may have two at most")
        if array.size == 0:
            raise make("shape", f"the constant {name} has the shape {array.shape}: leave out the lines that it is in")
        kept.append(array)
        struct.name, struct.values = name.encode(), address(array)
        struct.rows = array.shape[0] if array.ndim else 0
        struct.columns = array.shape[1] if array.ndim == 2 else 0
    return structs, kept


def from_text(text: bytes, file: str, folder: str | bytes | None, values: Mapping[str, npt.ArrayLike]) -> Builder:
    """A builder with what a region text says."""
    structs, kept = _constants(values)
    names = (os.fsencode(file), None if folder is None else os.fsencode(folder))
    arguments = text, len(text), *names, len(kept), structs, None
    free = _library.library.hcr_builder_free
    return Builder._owning(_interrupt.run(lambda _: _library.create("hcr_text_build", *arguments), free))
