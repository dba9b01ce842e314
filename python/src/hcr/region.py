"""Regions: which outputs are allowed, and the maps into them."""

from __future__ import annotations

import ctypes
import os
import pathlib
import warnings
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _library, builder
from ._arrays import address, as_bytes, by_name, doubles
from ._display import Display
from ._handles import Handle, RelaxationHandle
from ._relaxation import Relaxation, Why, why
from .errors import InvalidError, make

_PROGRAMS = (".lp", ".mps", ".cbf")


class Region(Display):
    """A set of allowed outputs, with an origin strictly inside it and maps that put points into it, exactly.

    Args:
        text: the region in the language of ``docs/region-language.md``.
        **constants: numbers, vectors and matrices, also sparse ones of SciPy, that the text uses by name, in place of
            its ``const`` statements.

    A region doesn't change once it is made. Threads may share it; it can be pickled and copied; two regions with the
    same constraints and the same origin are equal. `read()` in the text looks in the current folder; `load`
    reads files.

    The maps take an array whose last axis is one sample, of any batch shape, and return one of the same batch shape and
    type: float32 and float64 stay what they are, integers become float64, float16 becomes float32. An array that is
    contiguous isn't copied. A row's result depends on that row alone.

    Where the region has parameters (``param`` in its text), the maps take them as a second argument x, (…, p): a row a
    sample, or one for all. When either argument is float64, so is the result. Rows whose parameters are out of range
    are NaN, which ``outcomes=True`` tells.

    Raises:
        hcr.Error: the text doesn't parse, isn't convex, has no interior or isn't bounded: see `code`.

    >>> import hcr, numpy as np
    >>> disc = hcr.Region("var y[2]\\nnorm(y) <= radius", radius=1)
    >>> disc.contract(np.array([[3.0, 0.0], [0.1, 0.2]])).round(6)
    array([[1. , 0. ],
           [0.1, 0.2]])
    """

    __slots__ = ()

    def __init__(self, text: str, /, **constants: npt.ArrayLike) -> None:
        made = Region.from_text(text, constants)
        self._take(made._handle, made._text)

    @classmethod
    def _owning(cls, handle: int, text: str = "", kept: object = None) -> Region:
        region = cls.__new__(cls)
        region._take(Handle(handle, kept), text)
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
        if not isinstance(text, str):
            raise TypeError(f"the region text is {type(text).__name__}: files are read by Region.load")
        folder_name = None if folder is None else os.fspath(folder)
        made = builder.from_text(text.encode(), file, folder_name, dict(constants or {}))
        if mean_of is not None and made._wants_mean():
            if hasattr(mean_of, "columns"):  # by name: of a region that is there already
                made.set_origin("chebyshev")
                mean_of = by_name(mean_of, made._finish(text).names, "mean_of")
            made.set_origin("mean", mean_of)
        return made._finish(text)

    @classmethod
    def load(cls, path: str | os.PathLike[str], **constants: npt.ArrayLike) -> Region:
        """A region from a file: a region text, a compiled region (`save`, ``hcr compile``), or the feasible set of a
        program in an LP, MPS or CBF file, by the file's ending.

        What such a program has that a region doesn't, such as its objective, is reported as a warning.

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
            return cls._compiled(content, str(path))
        if content[6:9] == b"\0\0{":
            raise make("format", "this is a model, where a region belongs: `hcr.load_model` takes it", str(path))
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
            return builder.Builder._owning(_library.create("hcr_import_build", program)).finish()
        finally:
            library.hcr_import_free(program)

    @classmethod
    def from_rows(
        cls,
        A: Any = None,
        b: npt.ArrayLike | None = None,
        *,
        below: npt.ArrayLike | None = None,
        bounds: Any = (None, None),
        A_eq: Any = None,
        b_eq: npt.ArrayLike | None = None,
        n: int | None = None,
        names: Mapping[str, builder.Size] | None = None,
        parameters: Mapping[str, Any] | None = None,
        origin: npt.ArrayLike | Literal["chebyshev", "analytic"] = "chebyshev",
        unbounded: bool = False,
    ) -> Region:
        """The region ``below <= A y <= b``, ``lower <= y <= upper``, ``A_eq y == b_eq``.

        Args:
            A: rows × n, an array or a SciPy sparse matrix; None: no rows.
            b: upper sides of the rows, one each or a single number; ±inf and ±1e20 mean none.
            below: their lower sides; None: none.
            bounds: of the outputs: a pair ``(lower, upper)``, each a number, n of them, or None for none on that side;
                or, as SciPy has them, a list of n pairs ``[(low, high), …]`` or its ``Bounds``. With two outputs
                ``[(0, 1), (2, 3)]``, a list of tuples, is one of pairs, ``([0, 2], [1, 3])``, a tuple of lists or
                arrays, has the sides, and what could be either is refused.
            A_eq, b_eq: equalities, eliminated when the region is made.
            n: how many outputs there are, when no matrix says it.
            names: the outputs' names and sizes, as `Builder.add_variable` has them, in order; ``{"y": n}`` when not
                given.
            parameters: numbers x that come with each sample: the range of each, by name and as `bounds`; a scalar, or
                a vector where a side has several numbers. A and A_eq may have columns for them behind
                those of the outputs: the rows are then ``below <= A (y, x) <= b``.
            origin: ``"chebyshev"``, ``"analytic"``, a point strictly inside, or 1 + p rows (`Builder.set_origin`).
            unbounded: whether the region may reach to infinity.

        >>> import hcr, numpy as np
        >>> simplex = hcr.Region.from_rows(np.ones((1, 3)), 1, bounds=(0, None))
        >>> simplex.contract([1.0, 1.0, 1.0]).round(4)
        array([0.3333, 0.3333, 0.3333])

        A budget that comes with each sample, y_0 + y_1 <= budget:

        >>> shared = hcr.Region.from_rows([[1, 1, -1]], 0, bounds=(0, None), parameters={"budget": (1, 9)})
        >>> shared.contract([[5.0, 5.0], [5.0, 5.0]], x=[[2.0], [4.0]]).round(4).tolist()
        [[1.0, 1.0], [2.0, 2.0]]
        """
        made = builder.Builder()
        for name, span in (parameters or {}).items():
            low, high = builder.sides(span, None, f"the range of {name}")
            size = max(np.size(low), np.size(high))
            made.add_parameter(name, low, high, size if np.ndim(low) or np.ndim(high) else None)
        widths = [int(np.shape(matrix)[-1]) for matrix in (A, A_eq) if matrix is not None]
        width = max(widths) - made.columns if n is None and widths else n
        if width is None and names is None:
            raise make("argument", "nothing says how many outputs there are: give n")
        for name, length in (names or {"y": width}).items():
            made.add_variable(name, length)
        lower, upper = builder.sides(bounds, made.n)
        if lower is not None or upper is not None:
            made.source("lower <= y <= upper")
            made.add_bounds(lower, upper)
        if A is not None:
            made.source("below <= A y <= b" if below is not None else "A y <= b")
            made.add_rows(A, below, b)
        elif b is not None or below is not None:
            raise make("argument", "there are sides of rows, but no rows: give A")
        if A_eq is not None:
            made.source("A_eq y == b_eq")
            made.add_equalities(A_eq, 0.0 if b_eq is None else b_eq)
        made.set_origin(origin)
        made.allow_unbounded(unbounded)
        return made._finish("", at_once=A is None and A_eq is None)

    @classmethod
    def from_cvxpy(
        cls,
        constraints: Any,
        variables: Any = None,
        parameters: Any = (),
        *,
        origin: npt.ArrayLike | Literal["chebyshev", "analytic"] = "chebyshev",
        unbounded: bool = False,
    ) -> Region:
        """The region of CVXPY constraints, or of a problem's.

        Args:
            constraints: a list of them, one alone, or a problem, whose objective doesn't count.
            variables: the outputs, in order; by default all that occur, in the order of their creation.
            parameters: the cvxpy.Parameters that come with each sample: `Region.parameters`. They must have finite
                bounds. Others are constants, with the values that they have now.
            origin: ``"chebyshev"``, ``"analytic"``, or a point strictly inside, the outputs row by row.
            unbounded: whether the region may reach to infinity.

        Their expression trees are written as region text (`text` shows it), constants with them. Matrices are outputs
        row by row.

        Raises:
            hcr.UnsupportedError: an expression that can't be carried over: its name, and where it is.

        >>> import cvxpy, hcr
        >>> y = cvxpy.Variable(3, name="y")
        >>> region = hcr.Region.from_cvxpy([cvxpy.norm(y) <= 2, y >= -1])
        >>> region.n
        3
        """
        from . import _cvxpy

        text, values = _cvxpy.translate(constraints, variables, parameters, origin, unbounded)
        return cls.from_text(text, values, file="<cvxpy>")

    @classmethod
    def from_bytes(cls, content: bytes) -> Region:
        """A region from what `to_bytes` gave. Bytes that were cut short or altered are refused."""
        return cls._compiled(content)

    @classmethod
    def _compiled(cls, content: bytes, file: str = "") -> Region:
        content = as_bytes(content, "Region.from_bytes")
        try:
            return cls._owning(_library.create("hcr_region_read", content, len(content), None))
        except InvalidError as reason:
            raise make(reason.code, reason.text, file) from None

    def export_c(
        self, folder: str | os.PathLike[str], *, name: str = "region", single: bool = False, gradient: bool = False
    ) -> None:
        """Writes C99 of the maps for devices, what `hcr export c` writes: NAME.h, NAME.c, its self-test NAME_test.c, a
        CMake file and a guide.

        Args:
            folder: made when it isn't there; its parent has to be.
            name: what all names begin with.
            single: floats instead of doubles.
            gradient: with the derivatives of decode, contract and soften.

        Raises:
            hcr.UnsupportedError: A constraint has no C; the message names its line.

        >>> import hcr, os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     hcr.Region("var u[2]\\nnorm(u) <= 1").export_c(folder, name="disc", single=True)
        ...     sorted(os.listdir(folder))
        ['CMakeLists.txt', 'README.md', 'disc.c', 'disc.h', 'disc_test.c']
        """
        options = _library.ExportOptionsStruct(
            size=ctypes.sizeof(_library.ExportOptionsStruct),
            name=name.encode(),
            precision=int(single),
            gradient=gradient,
        )
        _library.call("hcr_export_region", self._handle.address, ctypes.byref(options), os.fsencode(folder), None)

    def at(self, x: npt.ArrayLike) -> Region:
        """The region of one sample as a region of its own, without parameters: the same set with the same origin, for
        many maps with the same x.

        Args:
            x: p numbers.

        Raises:
            hcr.Error: ``origin``, when x is out of range or leaves no point strictly inside.

        >>> import hcr
        >>> region = hcr.Region.from_rows([[1, 1, -1]], 0, bounds=(0, None), parameters={"budget": (1, 9)})
        >>> region.at([4.0]).check([[1.0, 2.0], [3.0, 2.0]]).tolist()
        [True, False]
        """
        point = self._one_sample(x)
        return Region._owning(
            _library.create("hcr_region_at", self._handle.address, address(point), None), kept=self._handle.kept
        )

    def quantiles(self, levels: npt.ArrayLike) -> Region:
        """The region of quantiles of the outputs: for each level a copy of this region, and a value at a level is at
        most the value at the next, exactly. Output j at level l is number len(levels) · j + l, so that results reshape
        to (…, n, levels).

        Args:
            levels: numbers between 0 and 1, increasing.

        Raises:
            hcr.Error: ``empty``, where equalities leave the levels nowhere to differ, such as a sum that is given;
                ``unsupported``, for a region that isn't convex.

        >>> import hcr
        >>> region = hcr.Region("var y[2]\\n0 <= y\\nsum(y) <= 1").quantiles([0.1, 0.9])
        >>> region.names
        ('y[0]@0.1', 'y[0]@0.9', 'y[1]@0.1', 'y[1]@0.9')
        >>> region.check([[0.1, 0.5, 0.2, 0.5], [0.1, 0.5, 0.2, 0.1], [0.1, 0.5, 0.2, 0.6]]).tolist()
        [True, False, False]
        """
        given = np.atleast_1d(doubles(levels, "levels"))
        if given.ndim != 1:
            raise make("shape", f"levels has the shape {given.shape}: it must be a list of numbers")
        return Region._owning(
            _library.create("hcr_region_quantiles", self._handle.address, len(given), address(given)),
            kept=self._handle.kept,
        )

    @property
    def relaxation(self) -> Relaxation:
        """What soft limits give in samples whose limits contradict each other, and which do: see `Relaxation`.

        Raises:
            hcr.Error: ``argument``, for a region without parameters or without a limit that is soft; ``unsupported``,
                for constraints other than bounds, rows and equalities.
        """
        return self._once("relaxation", lambda: Relaxation(self))  # type: ignore[no-any-return]

    def why(self, x: npt.ArrayLike | None = None, y: npt.ArrayLike | None = None) -> Why:
        """What holds a sample: limits that contradict each other, and the least that soft ones give; else the limit
        that stops the ray from the origin through a point.

        Args:
            x: its p parameters, for a region with such.
            y: n numbers, a point.

        >>> import hcr
        >>> plan = hcr.Region("var y[2]\\nparam need in [0, 7]\\n0 <= y <= 2\\nsoft: sum(y) >= need")
        >>> why = plan.why([6.0])
        >>> [limit.constraint.text for limit in why.conflict], [round(limit.change, 6) for limit in why.conflict]
        (['soft: sum(y) >= need', '0 <= y <= 2', '0 <= y <= 2'], [2.0, 2.0, 2.0])
        >>> plan.why([1.0], [1.0, 3.0]).stops.text
        '0 <= y <= 2'
        """
        return why(self, x, y)

    @staticmethod
    def _relaxed(handle: RelaxationHandle) -> Region:
        region = Region.__new__(Region)
        region._take(handle, "")
        return region

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


def needs_region(region: object, who: str) -> None:
    """Refuses what isn't a region, such as its text."""
    if not isinstance(region, Region):
        text = ": hcr.Region(text) makes one" if isinstance(region, str) else ""
        raise TypeError(f"{who} takes a region, not {type(region).__name__}{text}")


def _unpickle(content: bytes, text: str) -> Region:
    if not isinstance(text, str):
        raise TypeError(f"a region's text is a str, not {type(text).__name__}: the pickle was altered")
    region = Region.from_bytes(content)
    region._text = text
    return region
