"""What a region is: names, bounds, origin, constraints."""

from __future__ import annotations

import ctypes
import hashlib
import os
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _library
from ._arrays import Array, address, doubles, rows
from ._handles import Handle, RelaxationHandle
from ._records import ORIGIN_FORMS, Constraint, Margin, Parameters, Visibility
from .errors import make


class Facts:
    """The part of a region that describes it."""

    __slots__ = ("__weakref__", "_cache", "_handle", "_text", "_workspaces", "n", "p")

    n: int  #: how many outputs there are
    p: int  #: how many parameters
    _workspaces: dict[tuple[Any, ...], list[Any]]  #: those of maps and projectors that nobody uses now

    def _take(self, handle: Handle | RelaxationHandle, text: str) -> None:
        self._handle, self._text = handle, text
        self._workspaces = {}
        self._cache: dict[str, Any] = {}
        self.n = _library.library.hcr_region_dimension(handle.address)
        self.p = _library.library.hcr_region_parameters(handle.address)

    def _once(self, key: str, make: Any) -> Any:
        """What `make` gives, kept. Two threads may both make it: they get the same."""
        try:
            return self._cache[key]
        except KeyError:
            return self._cache.setdefault(key, make())

    def _vector(self, name: str, count: int) -> Array:
        def copy() -> Array:
            at = getattr(_library.library, f"hcr_region_{name}")(self._handle.address)
            array = np.array(np.ctypeslib.as_array((ctypes.c_double * count).from_address(at))) if at else np.zeros(0)
            array.flags.writeable = False
            return array

        vector: Array = self._once(name, copy)
        return vector

    def _names_of(self, kind: str, count: int) -> tuple[str, ...]:
        def read() -> tuple[str, ...]:
            buffer = ctypes.create_string_buffer(512)
            names = []
            for j in range(count):
                getattr(_library.library, f"hcr_region_{kind}_name")(self._handle.address, j, buffer, len(buffer))
                names.append(buffer.value.decode())
            return tuple(names)

        names: tuple[str, ...] = self._once(f"{kind} names", read)
        return names

    @property
    def text(self) -> str:
        """The region text it was made from; "" when there was none."""
        return self._text

    @property
    def names(self) -> tuple[str, ...]:
        """The outputs' names, such as ``load[3]``, or ``price`` for a scalar."""
        return self._names_of("output", self.n)

    @property
    def parameters(self) -> Parameters:
        """The parameters, p of them: names and range. Without any, all three are empty.

        The range is the declared one, with ends that no float32 meets moved outwards to the next that one does.
        """

        def read() -> Parameters:
            return Parameters(
                self._names_of("parameter", self.p),
                self._vector("parameter_lower", self.p),
                self._vector("parameter_upper", self.p),
            )

        parameters: Parameters = self._once("parameters", read)
        return parameters

    @property
    def origin(self) -> Array:
        """The point strictly inside from which everything is measured, n numbers, read-only; with parameters, that at
        the middle of their range."""
        return self._vector("origin", self.n)

    @property
    def origin_form(self) -> Literal["fixed", "affine", "checked"]:
        """How the origin of a sample comes about: ``"fixed"``, the parameters don't move it; ``"affine"``, it is
        strictly inside for every x of the range; ``"checked"``, each sample is checked, and some may have none
        (`Outcome.NO_ORIGIN`)."""
        return ORIGIN_FORMS[_library.library.hcr_region_origin_form(self._handle.address)]  # type: ignore[return-value]

    @property
    def origins(self) -> int:
        """How many origins there are, of which a sample uses one; several are for star domains (`with_origin`)."""
        return int(_library.library.hcr_region_origins(self._handle.address))

    def origin_at(self, x: npt.ArrayLike) -> Array:
        """The origin of one sample, n numbers.

        Args:
            x: its p parameters.

        Raises:
            hcr.Error: ``origin``, when x is out of range or leaves no point strictly inside.
        """
        point, origin = self._one_sample(x), np.empty(self.n)
        _library.call("hcr_region_origin_at", self._handle.address, address(point), address(origin))
        return origin

    def _one_sample(self, x: npt.ArrayLike) -> Array:
        point = doubles(rows(x, self.p, "x", self.parameters.names), "x")
        if point.ndim != 1:
            raise make("shape", f"x has the shape {point.shape}: this takes one sample, {self.p} numbers")
        return point

    @property
    def bounds(self) -> tuple[Array, Array]:
        """A box that holds the region, whatever its parameters are: lower and upper bounds, n numbers each, ±inf where
        there are none."""
        return self._vector("lower", self.n), self._vector("upper", self.n)

    @property
    def margin(self) -> Margin:
        """The share of the radius that is given up next to the frontier, in either precision."""
        margin = _library.library.hcr_region_margin
        return Margin(margin(self._handle.address, 0), margin(self._handle.address, 1))

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The inequalities, in the order of their numbers."""
        return self._once("constraints", self._constraints)  # type: ignore[no-any-return]

    def _limit(self, number: int) -> Constraint:
        """An inequality, or behind them an equality."""
        if number < len(self.constraints):
            return self.constraints[number]
        c = _library.library.hcr_region_equality(self._handle.address, number - len(self.constraints))
        return Constraint(c.kind.decode(), c.text.decode(), os.fsdecode(c.file), c.line, c.column, c.row)

    def _constraints(self) -> tuple[Constraint, ...]:
        handle, library = self._handle.address, _library.library
        found = (library.hcr_region_constraint(handle, i) for i in range(library.hcr_region_constraints(handle)))
        return tuple(
            Constraint(c.kind.decode(), c.text.decode(), os.fsdecode(c.file), c.line, c.column, c.row) for c in found
        )

    @property
    def freedom(self) -> int:
        """How many coordinates the equalities leave free: n without equalities."""
        return int(_library.library.hcr_region_freedom(self._handle.address))

    @property
    def free(self) -> npt.NDArray[np.int64]:
        """Which outputs the equalities leave free, `freedom` numbers; the others follow from them.

        Raises:
            hcr.Error: ``unsupported``, where equalities move with the parameters: samples differ in it.
        """
        if self.equalities_move:
            raise make("unsupported", "which outputs are free differs from sample to sample: the equalities move")
        solved = _library.library.hcr_region_affine(self._handle.address)
        dependent = (ctypes.c_uint32 * solved.count).from_address(solved.dependent) if solved.count else []
        return np.setdiff1d(np.arange(self.n), np.array(dependent, np.int64))

    @property
    def equalities(self) -> int:
        """How many equalities the region was given."""
        return int(_library.library.hcr_region_equalities(self._handle.address))

    @property
    def equalities_move(self) -> bool:
        """Whether coefficients of equalities have parameters in them: each sample's are then solved on their own."""
        last = len(self.constraints)
        return any(self._limit(last + i).kind == "moving equality" for i in range(self.equalities))

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

    def to_bytes(self) -> bytes:
        """The compiled region: what `save` writes."""
        return _library.take_bytes("hcr_region_write", self._handle.address)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the compiled region, whole or not at all."""
        _library.call("hcr_region_save", self._handle.address, os.fsencode(path))

    @property
    def digest(self) -> str:
        """What identifies the region: the SHA-256 of its compiled form, in hexadecimal."""
        return self._once("digest", lambda: hashlib.sha256(self.to_bytes()).hexdigest())  # type: ignore[no-any-return]
