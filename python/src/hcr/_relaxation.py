"""Samples whose limits contradict each other: which do, and the least that soft limits have to give."""

from __future__ import annotations

import ctypes
import dataclasses
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from . import _library
from ._arrays import Array, address, row_count, rows, without_gradients
from ._handles import RelaxationHandle
from ._records import NO_CONSTRAINT, RAY, Constraint
from .errors import make

#: What becomes of a sample whose limits contradict each other: NaN; the map into the relaxed limits; or the nearest
#: point of those.
OnEmpty = Literal["nan", "relax", "nearest"]
_FUNCTIONS = {
    (name, dtype): getattr(_library.library, f"hcr_{name}")
    for name, dtype in (("relax", np.dtype(np.float64)), ("relax_f32", np.dtype(np.float32)))
}


class Softness(NamedTuple):
    """How much a soft limit counts."""

    priority: int  #: limits of priority 1 are kept before those of 2, and so on
    weight: float  #: what a unit of its slack counts among limits of its priority


class Conflict(NamedTuple):
    """One of several limits that contradict each other in a sample: without it, the others leave a point."""

    constraint: Constraint
    change: float  #: by how much it alone would have to give for the sample to have a point; inf: that isn't enough


class Relaxation:
    """The relaxed region of a region with parameters: `Region.relaxation`.

    Called with parameters x, (…, p), it gives those of the relaxed region, (…, p + slacks + 1 + n): x; a slack for each
    soft limit; the room that slacks leave; and the origin of the sample's rays. Maps of `region` take them, for samples
    whose limits contradict each other. In others slacks are 0, and the region's own maps serve.

    Attributes:
        region: the relaxed region. Its outputs are the region's.
        constraints: of each slack, the limit that it is of.
        softness: of each slack, the limit's priority and weight.

    >>> import hcr
    >>> plan = hcr.Region('''
    ... var y[2]
    ... param need in [0, 7]
    ... 0 <= y <= 2
    ... soft: sum(y) >= need
    ... ''')
    >>> plan.relaxation.slacks([[3.0], [6.0]]).round(6).tolist()
    [[0.0], [2.0]]
    >>> plan.contract([0.0, 0.0], [6.0], on_empty="relax").round(6).tolist()
    [2.0, 2.0]
    """

    def __init__(self, source: Any) -> None:
        self._source, self._handle = source, RelaxationHandle(source._handle)
        self.address, library = self._handle.relaxation, _library.library
        count = library.hcr_relaxation_slacks(self.address)
        numbers = [library.hcr_relaxation_constraint(self.address, k) for k in range(count)]
        self.constraints: tuple[Constraint, ...] = tuple(source.constraints[i] for i in numbers)
        found = (library.hcr_relaxation_softness(self.address, k) for k in range(count))
        self.softness: tuple[Softness, ...] = tuple(Softness(soft.priority, soft.weight) for soft in found)
        self.region = source._relaxed(self._handle)

    def __call__(self, x: npt.ArrayLike, *, outcomes: bool = False) -> Any:
        """The parameters of the relaxed region.

        Args:
            x: (…, p), float64 or float32.
            outcomes: whether to return an `Outcome` a row, too: INSIDE, or RELAXED where slacks aren't 0; NO_ORIGIN
                where hard limits contradict each other, and OUT_OF_RANGE: slacks are NaN.
        """
        given = rows(without_gradients(x), self._source.p, "x", self._source.parameters.names)
        result = np.empty((*given.shape[:-1], self.region.p), given.dtype)
        found = np.empty(given.shape[:-1], np.uint32)
        self._run(given.dtype, row_count(given), address(given), address(result), address(found))
        return (result, found) if outcomes else result

    def slacks(self, x: npt.ArrayLike) -> Array:
        """What each soft limit gives, (…, slacks), from x, (…, p): 0 in samples that have a point."""
        found: Array = self(x)[..., self._source.p : -self._source.n - 1]
        return found

    @property
    def middle(self) -> Array:
        """The relaxed region's parameters in the middle of the region's: slacks 0, and its origin."""
        source, region = self._source, self.region
        found = np.zeros(region.p)
        found[: source.p] = source.parameters.lower + (source.parameters.upper - source.parameters.lower) / 2
        found[-source.n :] = source.origin
        return found

    def map(self, map: Any, on_empty: str) -> Any:
        """The map of the relaxed region that stands for one of the region's."""
        if known_on_empty(on_empty) == "relax" or map.name == "project":
            return dataclasses.replace(map, region=self.region)
        if map.name not in ("contract", "soften"):
            raise make(
                "argument",
                f"on_empty='nearest' is for contract, soften and project: {map.name} has no points to be near",
            )
        return self.region.project

    def _run(self, dtype: Any, count: int, *pointers: int | None) -> None:
        error = _library.ErrorStruct()
        name = "relax" if dtype == np.float64 else "relax_f32"
        if _FUNCTIONS[name, np.dtype(dtype)](self.address, count, *pointers, ctypes.byref(error)) != 0:
            raise _library.failure(error)

    def vjp(self, x: npt.ArrayLike, bar: npt.ArrayLike) -> Array:
        """The gradient by x of what has the gradient `bar`, (…, p + slacks), by the result."""
        given = np.require(rows(without_gradients(x), self._source.p, "x", ()), np.float64, ["C", "A"])
        gradient = np.require(bar, np.float64, ["C", "A"])
        if gradient.shape != (*given.shape[:-1], self.region.p):
            raise make("shape", f"bar has the shape {gradient.shape}: it must end in {self.region.p}")
        result = np.empty_like(given)
        _library.call(
            "hcr_relax_vjp", self.address, row_count(given), address(given), address(gradient), address(result)
        )
        return result

    def conflict(self, x: npt.ArrayLike) -> tuple[Conflict, ...]:
        """Limits of one sample that contradict each other, of which none can be left out; () where it has a point.

        Args:
            x: p numbers.
        """
        point = self._source._one_sample(x)
        members = np.empty(self._source.n + 1, np.uint32)
        change, count = np.empty(self._source.n + 1), ctypes.c_size_t()
        _library.call(
            "hcr_relaxation_conflict",
            self.address,
            address(point),
            ctypes.byref(count),
            address(members),
            address(change),
        )
        pairs = zip(members[: count.value].tolist(), change[: count.value].tolist(), strict=True)
        return tuple(Conflict(self._source._limit(i), by) for i, by in pairs)


def known_on_empty(on_empty: str) -> OnEmpty:
    """What becomes of samples whose limits contradict each other, when it can."""
    if on_empty not in get_args(OnEmpty):
        raise make("argument", f"on_empty={on_empty!r}: it must be 'nan', 'relax' or 'nearest'")
    return on_empty  # type: ignore[return-value]


class Why(NamedTuple):
    """What holds a sample: `Region.why`."""

    conflict: tuple[Conflict, ...]  #: limits that contradict each other, none of which can be left out; () with a point
    slacks: tuple[tuple[Constraint, float], ...]  #: the least that soft limits give together, of those that do
    stops: Constraint | None  #: the limit that the ray from the origin through y meets first; None: no y, or none
    gauge: float  #: the share of the way to it at which y is: more than 1 outside; NaN without y


def why(region: Any, x: Any, y: Any) -> Why:
    """What holds a sample of a region."""
    conflict: tuple[Conflict, ...] = ()
    slacks: tuple[tuple[Constraint, float], ...] = ()
    if region.p:
        conflict = region.relaxation.conflict(x)
        found = region.relaxation(x)[region.p : -region.n - 1]
        slacks = tuple(
            (limit, float(slack))
            for limit, slack in zip(region.relaxation.constraints, found, strict=True)
            if slack > 0  # a NaN isn't
        )
    if y is None or conflict:
        return Why(conflict, slacks, None, float("nan"))
    given = None if x is None else region._one_sample(x)
    point = np.require(rows(without_gradients(y), region.n, "y", region.names), np.float64, ["C", "A"])
    if point.ndim != 1:
        raise make("shape", f"y has the shape {point.shape}: this takes one sample, {region.n} numbers")
    polar, ray = np.empty(region.n + 1), np.empty((), RAY)
    region._run(_library.library.hcr_encode, 1, 1, (*map(address, (given, point, polar, ray)),))
    number = int(ray["constraint"])
    return Why((), slacks, None if number == NO_CONSTRAINT else region.constraints[number], float(ray["gauge"]))
