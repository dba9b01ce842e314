"""Regions: which outputs are allowed, and the maps into them."""

from __future__ import annotations

import ctypes
import enum
import hashlib
import html
import json
import os
import pathlib
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from . import _builder, _library, _threads
from ._arrays import Array, address, doubles, numbers, row_count, rows
from .errors import make

if TYPE_CHECKING:
    from ._parts import Parts

NO_CONSTRAINT = 0xFFFFFFFF
_NUMPY_TYPES = {name: np.dtype(name) for name in ("float32", "float64")}
#: What a map knows of a sample's ray: `hcr_ray` of the C library.
RAY = np.dtype([("gauge", np.float64), ("constraint", np.uint32), ("outcome", np.uint32)])
# A batch of fewer rows, or of fewer multiply-adds, isn't worth a second thread.
_FEW_ROWS, _LITTLE_WORK = 33, 1 << 19


class Outcome(enum.IntEnum):
    """What happened to one sample."""

    INSIDE = 0  #: the result is strictly inside, where the input put it
    FRONTIER = 1  #: the frontier stopped it
    AT_ORIGIN = 2  #: the direction is 0
    OUTSIDE = 3  #: encode: the point isn't in the region, r > 1
    BAD_VALUE = 4  #: a NaN or an infinity in the input; the result is the origin
    NO_FRONTIER = 5  #: decode: nothing stops this direction; the result is the origin
    HIDDEN = 6  #: encode: the point is in the region, but the origin doesn't see it; r > 1


class Constraint(NamedTuple):
    """One inequality, and where it came from."""

    kind: str  #: "box", "linear", "quadratic", "cone", "lmi", "expression", "callback", "union" or "except"
    text: str  #: the source line, or what the builder was told
    file: str  #: "" when there is none
    line: int  #: 0 when there is none
    column: int
    row: int  #: which inequality of that source, counted from 0


class Margin(NamedTuple):
    """The share of the radius that is given up so that results are exactly inside, by precision."""

    double: float
    single: float


class Visibility(NamedTuple):
    """What the origin sees of the region: all of it for certain (`proved`), or all but `hidden` of `points` checked."""

    proved: bool
    points: int
    hidden: int


def _functions(suffix: str) -> dict[tuple[str, Any], Any]:
    return {
        (name, dtype): getattr(_library.library, f"hcr_{name}{suffix}{ending}")
        for name in _library.MAPS
        for dtype, ending in ((np.dtype(np.float64), ""), (np.dtype(np.float32), "_f32"))
    }


MAPS = _functions("")
VJPS = _functions("_vjp")


class _Handle:
    """Owns the library's region."""

    def __init__(self, address: int) -> None:
        self.address = address

    def __del__(self, free: Any = _library.library.hcr_region_free) -> None:
        free(self.address)


class _Workspace:
    """Scratch for one caller at a time, with the struct that its errors come in."""

    def __init__(self, owner: _Handle, threads: int) -> None:
        self.owner = owner  # outlives the workspace
        self.address = _library.create("hcr_workspace_create", owner.address, threads)
        self.error = _library.ErrorStruct()
        self.error_address = ctypes.addressof(self.error)

    def __del__(self, free: Any = _library.library.hcr_workspace_free) -> None:
        if hasattr(self, "address"):
            free(self.address)


class _Projector:
    def __init__(self, owner: _Handle) -> None:
        self.owner = owner
        self.address = _library.create("hcr_projector_create", owner.address)

    def __del__(self, free: Any = _library.library.hcr_projector_free) -> None:
        if hasattr(self, "address"):
            free(self.address)


class Region:
    """A set of allowed outputs, with an origin strictly inside it and maps that put points into it, exactly.

    Args:
        text: the region in the language of ``docs/region-language.md``.
        **constants: numbers, vectors and matrices that the text uses by name, in place of its ``const`` statements.

    A region doesn't change once it is made. Threads may share it; it can be pickled and copied; two regions with the
    same constraints and the same origin are equal. `read()` in the text looks in the current folder; `load`
    reads files.

    The maps take an array whose last axis is one sample, of any batch shape, and return one of the same batch shape and
    type: float32 and float64 stay what they are, integers become float64, float16 becomes float32. An array that is
    contiguous isn't copied. A row's result depends on that row alone.

    Raises:
        hcr.Error: the text doesn't parse, isn't convex, has no interior or isn't bounded: see `code`.

    >>> import hcr, numpy as np
    >>> disc = hcr.Region("var y[2]\\nnorm(y) <= radius", radius=1)
    >>> disc.contract(np.array([[3.0, 0.0], [0.1, 0.2]])).round(6)
    array([[1. , 0. ],
           [0.1, 0.2]])
    """

    __slots__ = ("__weakref__", "_cache", "_handle", "_text", "_workspaces", "n")

    n: int  #: how many outputs there are

    def __init__(self, text: str, /, **constants: npt.ArrayLike) -> None:
        made = Region.from_text(text, constants)
        self._take(made._handle, made._text)

    def _take(self, handle: _Handle, text: str) -> None:
        self._handle, self._text = handle, text
        self._workspaces: dict[int, list[_Workspace]] = {}
        self._cache: dict[str, Any] = {}
        self.n = _library.library.hcr_region_dimension(handle.address)

    @classmethod
    def _owning(cls, handle: int, text: str = "") -> Region:
        region = cls.__new__(cls)
        region._take(_Handle(handle), text)
        return region

    # ---------------------------------------------------------------------------------------------------- making

    @classmethod
    def from_text(
        cls,
        text: str,
        constants: Mapping[str, npt.ArrayLike] | None = None,
        *,
        file: str = "<text>",
        folder: str | os.PathLike[str] | None = None,
        mean_of: npt.ArrayLike | None = None,
    ) -> Region:
        """A region from its text, with all there is to choose.

        Args:
            text: the region text.
            constants: named values.
            file: the name for messages.
            folder: where `read()` looks; the current folder when None.
            mean_of: points (rows × n) whose mean is the origin, when the text says ``origin = mean``.
        """
        build = _builder.from_text(
            text.encode(), file, None if folder is None else os.fspath(folder), dict(constants or {})
        )
        with build() as builder:
            if mean_of is not None and _library.library.hcr_builder_origin(builder.handle) == 2:
                builder.set_origin("mean", mean_of)
            return cls._owning(builder.finish(), text)

    @classmethod
    def load(cls, path: str | os.PathLike[str], **constants: npt.ArrayLike) -> Region:
        """A region from a file: a region text, a compiled region (`save`, ``hcr compile``), or the feasible set of a
        program in an LP, MPS or CBF file, by the file's ending.

        What such a program has that a region doesn't, such as its objective, is told as a warning.

        Raises:
            hcr.FileError: the file can't be read.
            hcr.InvalidError: it is damaged, or what its text says can't be.
        """
        path = pathlib.Path(path)
        try:
            content = path.read_bytes()
        except OSError as reason:
            raise make("file", f"can't be read: {reason.strerror}", str(path)) from reason
        if path.suffix.lower() in _PROGRAMS:
            return cls._import(path)
        if content.startswith(b"hcrregio"):
            if constants:
                raise make("argument", "a compiled region takes no constants: compile its text with them", str(path))
            return cls.from_bytes(content)
        try:
            text = content.decode()
        except UnicodeDecodeError as reason:
            raise make("syntax", "is neither a compiled region nor UTF-8 text", str(path)) from reason
        return cls.from_text(text, constants, file=str(path), folder=path.parent)

    @classmethod
    def _import(cls, path: pathlib.Path) -> Region:
        library = _library.library
        program = _library.create("hcr_import_read", os.fsencode(path), None)
        try:
            for i in range(library.hcr_import_notices(program)):
                warnings.warn(f"{path}: {library.hcr_import_notice(program, i).decode()}", stacklevel=3)
            with _builder.Builder(_library.create("hcr_import_build", program)) as builder:
                return cls._owning(builder.finish())
        finally:
            library.hcr_import_free(program)

    @classmethod
    def from_rows(
        cls,
        A: Any = None,
        b: npt.ArrayLike | None = None,
        *,
        below: npt.ArrayLike | None = None,
        bounds: tuple[npt.ArrayLike | None, npt.ArrayLike | None] = (None, None),
        A_eq: Any = None,
        b_eq: npt.ArrayLike | None = None,
        n: int | None = None,
        names: Mapping[str, int | None] | None = None,
        origin: npt.ArrayLike | Literal["chebyshev", "analytic"] = "chebyshev",
        unbounded: bool = False,
    ) -> Region:
        """The region ``below <= A y <= b``, ``bounds[0] <= y <= bounds[1]``, ``A_eq y == b_eq``.

        Args:
            A: rows × n, an array or a SciPy sparse matrix; None: no rows.
            b: upper sides of the rows, one each or a single number; ±inf and ±1e20 mean none.
            below: their lower sides; None: none.
            bounds: lower and upper bounds of the outputs, numbers or n of them; None: none on that side.
            A_eq, b_eq: equalities, eliminated when the region is made.
            n: how many outputs there are, when no matrix says it.
            names: the outputs' names and sizes (None: a scalar), in order; ``{"y": n}`` when not given.
            origin: ``"chebyshev"``, ``"analytic"`` or a point strictly inside.
            unbounded: whether the region may reach to infinity.

        >>> import hcr, numpy as np
        >>> simplex = hcr.Region.from_rows(np.ones((1, 3)), 1, bounds=(0, None))
        >>> simplex.contract([1.0, 1.0, 1.0]).round(4)
        array([0.3333, 0.3333, 0.3333])
        """
        width = n
        for matrix in (A, A_eq):
            if width is None and matrix is not None:
                width = int(np.shape(matrix)[-1])
        if width is None and names is not None:
            width = sum(1 if size is None else size for size in names.values())
        if width is None:
            raise make("argument", "nothing says how many outputs there are: give n")
        with _builder.Builder.empty(names or {"y": width}) as builder:
            if any(bound is not None for bound in bounds):
                builder.source("lower <= y <= upper")
                lower, upper = (_builder.side(bound, width, "bounds") for bound in bounds)
                builder.call("hcr_builder_add_bounds", 0, width, _builder.pointer(lower), _builder.pointer(upper))
            if A is not None:
                builder.source("below <= A y <= b" if below is not None else "A y <= b")
                matrix = _builder.Sparse(A, width, "A")
                lower = _builder.side(below, matrix.rows, "below")
                upper = _builder.side(b, matrix.rows, "b")
                builder.call(
                    "hcr_builder_add_sparse_rows",
                    matrix.rows,
                    *matrix.addresses(),
                    _builder.pointer(lower),
                    _builder.pointer(upper),
                )
            elif b is not None or below is not None:
                raise make("argument", "there are sides of rows, but no rows: give A")
            if A_eq is not None:
                builder.source("A_eq y == b_eq")
                matrix = _builder.Sparse(A_eq, width, "A_eq")
                right = _builder.side(0 if b_eq is None else b_eq, matrix.rows, "b_eq")
                builder.call("hcr_builder_add_equalities", matrix.rows, *matrix.addresses(), _builder.pointer(right))
            if isinstance(origin, str):
                builder.set_origin(origin)
            else:
                builder.set_origin("given", origin)
            builder.call("hcr_builder_allow_unbounded", int(unbounded))
            return cls._owning(builder.finish())

    @classmethod
    def from_cvxpy(cls, constraints: Any, variables: Sequence[Any] | None = None, *, unbounded: bool = False) -> Region:
        """The region of CVXPY constraints, or of a problem's.

        Args:
            constraints: a list of them, or a problem, whose objective doesn't count.
            variables: the outputs, in order; by default all that occur, in the order of their creation.
            unbounded: whether the region may reach to infinity.

        Their expression trees are written as region text (`text` shows it), constants and the values that parameters
        have now with them. Matrices are outputs row by row.

        Raises:
            hcr.UnsupportedError: an expression that can't be carried over: its name, and where it is.

        >>> import cvxpy, hcr
        >>> y = cvxpy.Variable(3, name="y")
        >>> region = hcr.Region.from_cvxpy([cvxpy.norm(y) <= 2, y >= -1])
        >>> region.n
        3
        """
        from . import _cvxpy

        text, values = _cvxpy.translate(constraints, variables, unbounded)
        return cls.from_text(text, values, file="<cvxpy>")

    @classmethod
    def from_bytes(cls, content: bytes) -> Region:
        """A region from what `to_bytes` gave. Bytes that were cut short or altered are refused."""
        return cls._owning(_library.create("hcr_region_read", content, len(content), None))

    def to_bytes(self) -> bytes:
        """The compiled region: what `save` writes."""
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        handle = self._handle.address
        _library.call("hcr_region_write", handle, ctypes.byref(data), ctypes.byref(size))
        try:
            return ctypes.string_at(data.value or 0, size.value)
        finally:
            _library.library.hcr_region_free_bytes(handle, data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the compiled region, whole or not at all."""
        _library.call("hcr_region_save", self._handle.address, os.fsencode(path))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.to_bytes(), self._text)

    def __copy__(self) -> Region:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Region:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Region) and (self is other or self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    # ------------------------------------------------------------------------------------------------ properties

    def _once(self, key: str, make: Any) -> Any:
        """What `make` gives, kept. Two threads may both make it: they get the same."""
        try:
            return self._cache[key]
        except KeyError:
            return self._cache.setdefault(key, make())

    def _vector(self, name: str) -> Array:
        def copy() -> Array:
            at = getattr(_library.library, f"hcr_region_{name}")(self._handle.address)
            array = np.array(np.ctypeslib.as_array((ctypes.c_double * self.n).from_address(at)))
            array.flags.writeable = False
            return array

        vector: Array = self._once(name, copy)
        return vector

    @property
    def text(self) -> str:
        """The region text it was made from; "" when there was none."""
        return self._text

    @property
    def origin(self) -> Array:
        """The point strictly inside from which everything is measured, n numbers, read-only."""
        return self._vector("origin")

    @property
    def bounds(self) -> tuple[Array, Array]:
        """A box that holds the region: lower and upper bounds, n numbers each, ±inf where there are none."""
        return self._vector("lower"), self._vector("upper")

    @property
    def margin(self) -> Margin:
        """The share of the radius that is given up next to the frontier, in either precision."""
        margin = _library.library.hcr_region_margin
        return Margin(margin(self._handle.address, 0), margin(self._handle.address, 1))

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The inequalities, in the order of their numbers."""
        return self._once("constraints", self._constraints)  # type: ignore[no-any-return]

    def _constraints(self) -> tuple[Constraint, ...]:
        handle, library = self._handle.address, _library.library
        found = (library.hcr_region_constraint(handle, i) for i in range(library.hcr_region_constraints(handle)))
        return tuple(
            Constraint(c.kind.decode(), c.text.decode(), os.fsdecode(c.file), c.line, c.column, c.row) for c in found
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The outputs' names, such as ``load[3]``, or ``price`` for a scalar."""
        return self._once("names", self._names)  # type: ignore[no-any-return]

    def _names(self) -> tuple[str, ...]:
        buffer = ctypes.create_string_buffer(512)
        names = []
        for j in range(self.n):
            _library.library.hcr_region_output_name(self._handle.address, j, buffer, len(buffer))
            names.append(buffer.value.decode())
        return tuple(names)

    @property
    def freedom(self) -> int:
        """How many coordinates the equalities leave free: n without equalities."""
        return int(_library.library.hcr_region_freedom(self._handle.address))

    @property
    def equalities(self) -> int:
        """How many equalities the region was given."""
        return int(_library.library.hcr_region_equalities(self._handle.address))

    @property
    def is_convex(self) -> bool:
        """Whether the region is convex; else it is a star domain, of which results are what the origin sees."""
        return bool(_library.library.hcr_region_is_convex(self._handle.address))

    @property
    def is_bounded(self) -> bool:
        """Whether every direction meets the frontier."""
        return bool(_library.library.hcr_region_is_bounded(self._handle.address))

    @property
    def visibility(self) -> Visibility:
        """How much of the region the origin sees."""
        found = _library.library.hcr_region_visibility(self._handle.address)
        return Visibility(bool(found.proved), found.points, found.points_hidden)

    @property
    def digest(self) -> str:
        """What identifies the region: the SHA-256 of its compiled form, in hexadecimal."""
        return self._once("digest", lambda: hashlib.sha256(self.to_bytes()).hexdigest())  # type: ignore[no-any-return]

    def _parts(self) -> Parts:
        """The constraints as arrays, for what computes without the library."""
        from . import _parts

        return self._once("parts", lambda: _parts.read(self))  # type: ignore[no-any-return]

    @overload
    def explain(self, as_dict: Literal[False] = False) -> str: ...
    @overload
    def explain(self, as_dict: Literal[True]) -> dict[str, Any]: ...
    def explain(self, as_dict: bool = False) -> str | dict[str, Any]:
        """What was made of the region: sources with kinds and counts, origin, bounds, margins, cost of a decode."""
        text = _library.take_text("hcr_region_explain", self._handle.address, int(as_dict))
        return json.loads(text) if as_dict else text

    def __repr__(self) -> str:
        names = [v["name"] + ("" if v["scalar"] else f"[{v['size']}]") for v in self.explain(True)["variables"]]
        count = _library.library.hcr_region_constraints(self._handle.address)
        return f"<hcr.Region of {', '.join(names)}: {count} inequalities, {self.equalities} equalities>"

    def _repr_html_(self) -> str:
        told = self.explain(True)
        body = "".join(
            f"<tr><td>{source['line'] or ''}</td><td><code>{html.escape(source['text'])}</code></td><td>"
            + ", ".join(f"{value} {key}" for key, value in source.items() if _is_count(key, value))
            + "</td></tr>"
            for source in told["sources"]
        )
        return (
            f"<table><caption>{html.escape(repr(self)[1:-1])}; margin {self.margin.double:.1e} in double, "
            f"{self.margin.single:.1e} in single precision</caption>"
            f"<tr><th>line</th><th>source</th><th>inequalities</th></tr>{body}</table>"
        )

    # ------------------------------------------------------------------------------------------------------ maps

    def _few(self) -> float:
        """The rows that are worth a second thread."""
        return _LITTLE_WORK / max(float(self.explain(True)["decode_multiply_adds"]), 1)

    def _run(self, function: Any, threads: int, count: int, *pointers: int | None) -> None:
        """Calls a map with a workspace of its own; raises what it refuses."""
        used = 1 if count < _FEW_ROWS or count < self._once("few", self._few) else _threads.limit(threads)
        idle = self._workspaces.get(used)
        if idle is None:
            idle = self._workspaces.setdefault(used, [])
        try:
            workspace = idle.pop()
        except IndexError:
            workspace = _Workspace(self._handle, used)
        status = function(self._handle.address, workspace.address, count, *pointers, workspace.error_address)
        failure = _library.failure(workspace.error) if status else None
        idle.append(workspace)
        if failure is not None:
            raise failure

    def _map(
        self,
        name: str,
        values: npt.ArrayLike,
        width: int,
        result_width: int | None,
        outcomes: bool,
    ) -> Any:
        array = rows(values, width, _INPUT[name], self.names if width == self.n else ())
        shape = array.shape[:-1]
        result = np.empty(shape if result_width is None else (*shape, result_width), array.dtype)
        count = row_count(array)
        rays = np.empty(shape, RAY) if outcomes else None
        self._run(
            MAPS[name, array.dtype],
            _threads.get_threads(),
            count,
            address(array),
            address(result),
            None if rays is None else address(rays),
        )
        if rays is None:
            return result if shape or result_width is not None else result[()]
        return result, rays["outcome"]

    def gauge(self, v: npt.ArrayLike) -> Array:
        """How far along each direction the frontier is: min{s > 0 : origin + v/s is in the region}; 0 for none.

        Args:
            v: (…, n), measured from the origin.

        Returns:
            (…): a point origin + v is inside where this is at most 1; NaN for a NaN or an infinity.

        >>> import hcr
        >>> float(hcr.Region("var y[2]\\nnorm(y) <= 2").gauge([3.0, 4.0]))
        2.5
        """
        return self._map("gauge", v, self.n, None, False)  # type: ignore[no-any-return]

    def encode(self, y: npt.ArrayLike, *, outcomes: bool = False) -> Any:
        """Points as a direction and a radius.

        Args:
            y: (…, n), points.
            outcomes: whether to return an `Outcome` a row, too.

        Returns:
            (…, n + 1): the unit direction from the origin, then r, the share of the way to the frontier; more than 1
            outside. With ``outcomes``, a pair of that and (…).
        """
        return self._map("encode", y, self.n, self.n + 1, outcomes)

    def decode(self, polar: npt.ArrayLike, *, outcomes: bool = False) -> Any:
        """Points of the region from directions and radii: origin + r d/gauge(d).

        Args:
            polar: (…, n + 1): a direction of any length, then r, which is cut to [0, 1].
            outcomes: whether to return an `Outcome` a row, too.

        Returns:
            (…, n), each row exactly inside; the origin for a bad value. With ``outcomes``, a pair of that and (…).
        """
        return self._map("decode", polar, self.n + 1, self.n, outcomes)

    def contract(self, v: npt.ArrayLike, *, outcomes: bool = False) -> Any:
        """origin + v where that is in the region; else where the ray along v leaves it.

        Args:
            v: (…, n), measured from the origin.
            outcomes: whether to return an `Outcome` a row, too.

        Returns:
            (…, n), each row exactly inside; the origin for a bad value. With ``outcomes``, a pair of that and (…).
        """
        return self._map("contract", v, self.n, self.n, outcomes)

    def soften(self, v: npt.ArrayLike, *, outcomes: bool = False) -> Any:
        """origin + v/(1 + gauge(v)): one-to-one onto the interior.

        Args:
            v: (…, n), measured from the origin.
            outcomes: whether to return an `Outcome` a row, too.

        Returns:
            (…, n), each row exactly inside; the origin for a bad value. With ``outcomes``, a pair of that and (…).
        """
        return self._map("soften", v, self.n, self.n, outcomes)

    def vjp(self, name: str, values: npt.ArrayLike, bar: npt.ArrayLike) -> Array:
        """The derivative of a map, transposed: the gradient by its input of what has the gradient `bar` by its result.

        Args:
            name: ``"gauge"``, ``"encode"``, ``"decode"``, ``"contract"`` or ``"soften"``.
            values: the map's input.
            bar: of the shape of its result; taken in the type of `values`.
        """
        if name not in _INPUT:
            raise make("argument", f"there is no map {name!r}: there are {', '.join(_INPUT)}")
        array = rows(values, self.n + (name == "decode"), _INPUT[name])
        shape = array.shape[:-1] if name == "gauge" else (*array.shape[:-1], self.n + (name == "encode"))
        gradient = np.require(numbers(bar, "bar"), dtype=array.dtype, requirements=["C", "A"])
        if gradient.shape != shape:
            raise make("shape", f"bar has the shape {gradient.shape}: it must have {shape}")
        result = np.empty_like(array)
        self._run(
            VJPS[name, array.dtype],
            _threads.get_threads(),
            row_count(array),
            address(array),
            None,
            address(gradient),
            address(result),
        )
        return result

    # --------------------------------------------------------------------------------------- checking, projecting

    def check(self, y: npt.ArrayLike, exact: bool = True) -> Array:
        """Whether points are in the region.

        Args:
            y: (…, n).
            exact: decide at tolerance 0 in exact arithmetic on the stored coefficients (equalities: to within the
                rounding of a result); else in floating point, by `violation` alone.

        Returns:
            (…) of booleans. A NaN or an infinity isn't inside.

        >>> import hcr
        >>> hcr.Region("var y[2]\\nnorm(y) <= 1").check([[0.6, 0.8], [0.6, 0.7]]).tolist()
        [False, True]
        """
        array = rows(y, self.n, "y", self.names)
        if not exact:
            return np.asarray(self.violation(array)[0] <= 0)
        inside = np.empty(array.shape[:-1], np.uint8)
        name = "hcr_check" if array.dtype == np.float64 else "hcr_check_f32"
        _library.call(name, self._handle.address, row_count(array), address(array), address(inside), None)
        return inside.astype(bool)

    def violation(self, y: npt.ArrayLike) -> tuple[Array, Array]:
        """The worst inequality of points, in floating point.

        Args:
            y: (…, n).

        Returns:
            A pair: how far the worst inequality is exceeded, in the units of its source (negative inside, NaN for a bad
            value), and its number in `constraints`; both (…). Equalities: see `residual`.
        """
        array = doubles(rows(y, self.n, "y", self.names), "y")
        value, which = np.empty(array.shape[:-1]), np.empty(array.shape[:-1], np.uint32)
        _library.call(
            "hcr_violation", self._handle.address, row_count(array), address(array), address(value), address(which)
        )
        return value, which

    def residual(self, y: npt.ArrayLike) -> Array:
        """How far points are off the worst equality, max |a·y − b|; 0 without equalities.

        Args:
            y: (…, n).
        """
        array = doubles(rows(y, self.n, "y", self.names), "y")
        off = np.empty(array.shape[:-1])
        _library.call("hcr_residual", self._handle.address, row_count(array), address(array), address(off))
        return off

    def equality_tolerance(self, y: npt.ArrayLike, single: bool = False) -> Array:
        """The bounds of |a·y − b| that results keep, one an equality.

        Args:
            y: n numbers, a result.
            single: whether it is a float32 result.
        """
        point = doubles(rows(y, self.n, "y"), "y")
        tolerance = _library.library.hcr_region_equality_tolerance
        found = [tolerance(self._handle.address, i, address(point), int(single)) for i in range(self.equalities)]
        return np.array(found)

    def project(self, points: npt.ArrayLike) -> Array:
        """The nearest points of the region, exactly inside it; points inside come back bit for bit.

        Args:
            points: (…, n).

        Returns:
            (…, n) float64; the origin for a NaN or an infinity.

        Raises:
            hcr.Error: ``solver``, when a row can't be solved.
        """
        array = doubles(rows(points, self.n, "points", self.names), "points")
        result = np.empty_like(array)
        idle: list[_Projector] = self._once("projectors", list)
        try:
            projector = idle.pop()
        except IndexError:
            projector = _Projector(self._handle)
        _library.call("hcr_project", projector.address, row_count(array), address(array), address(result), None)
        idle.append(projector)
        return result

    def sample(self, count: int, seed: int | np.random.Generator | None = None, *, frontier: bool = False) -> Array:
        """Random points of the region.

        Directions are uniform, radii such that a ball around the origin would be filled uniformly. Every part that the
        origin sees is reached, but the density isn't uniform: it is higher where the frontier is near.

        Args:
            count: how many.
            seed: a seed or a generator.
            frontier: points on the frontier instead (less the margin).

        Returns:
            count × n float64.

        >>> import hcr
        >>> region = hcr.Region("var y[3]\\n0 <= y <= 1")
        >>> bool(region.check(region.sample(100, seed=1)).all())
        True
        """
        random = np.random.default_rng(seed)
        polar = random.standard_normal((count, self.n + 1))
        polar[:, self.n] = 1 if frontier else random.random(count) ** (1 / max(self.freedom, 1))
        return self.decode(polar)  # type: ignore[no-any-return]

    def plot(
        self,
        outputs: tuple[int | str, int | str] = (0, 1),
        *,
        points: npt.ArrayLike | None = None,
        ax: Any = None,
        directions: int = 720,
    ) -> Any:
        """Draws the slice of the region through its origin in the plane of two outputs (needs matplotlib).

        Args:
            outputs: the two, by number or name.
            points: (rows, n), drawn on top by their coordinates.
            ax: where to draw; a new figure when None.
            directions: how many directions the frontier is found in.

        Returns:
            The matplotlib axes.
        """
        import matplotlib.pyplot as plt

        first, second = (
            self.names.index(which) if isinstance(which, str) else range(self.n)[which] for which in outputs
        )
        if ax is None:
            _, ax = plt.subplots()
        angle = np.linspace(0, 2 * np.pi, directions + 1)
        polar = np.zeros((directions + 1, self.n + 1))
        polar[:, first], polar[:, second], polar[:, self.n] = np.cos(angle), np.sin(angle), 1
        frontier = self.decode(polar)
        ax.fill(frontier[:, first], frontier[:, second], alpha=0.2)
        ax.plot(frontier[:, first], frontier[:, second], linewidth=1)
        ax.plot(self.origin[first], self.origin[second], "+", label="origin")
        if points is not None:
            drawn = np.atleast_2d(rows(points, self.n, "points", self.names))
            ax.plot(drawn[:, first], drawn[:, second], ".")
        ax.set_xlabel(self.names[first])
        ax.set_ylabel(self.names[second])
        return ax


_INPUT = {"gauge": "v", "encode": "y", "decode": "polar", "contract": "v", "soften": "v"}
_PLACES = ("line", "column")
_PROGRAMS = (".lp", ".mps", ".cbf")


def _is_count(key: str, value: Any) -> bool:
    return isinstance(value, int) and key not in _PLACES and value > 0


def _unpickle(content: bytes, text: str) -> Region:
    region = Region.from_bytes(content)
    region._text = text
    return region
