"""The maps of a region over NumPy arrays, their derivatives, and the checks."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import hashlib
import time
from typing import Any, Literal, TypeAlias, TypeVar, cast, overload

import numpy as np
import numpy.typing as npt

from . import _library, _threads
from ._arrays import Array, address, doubles, mismatched, numbers, row_count, rows, whole, without_gradients
from ._facts import Facts
from ._handles import BAD, Projector, Workspace, projector_options
from ._records import CONTACT, RAY, Outcome
from ._relaxation import OnEmpty, known_on_empty
from .errors import make

NUMPY_TYPES = {name: np.dtype(name) for name in ("float32", "float64")}
# A batch of fewer rows, or of fewer multiply-adds, isn't worth a second thread.
FEW_ROWS, _LITTLE_WORK = 33, 1 << 19


def _functions(suffix: str) -> dict[tuple[str, Any], Any]:
    return {
        (name, dtype): getattr(_library.library, f"hcr_{name}{suffix}{ending}")
        for name in (*_library.ALL_MAPS, "project")
        for dtype, ending in ((np.dtype(np.float64), ""), (np.dtype(np.float32), "_f32"))
    }


MAPS = _functions("")
VJPS = _functions("_vjp")
JVPS = _functions("_jvp")
#: What stands for a row with a NaN or an infinity: a row of NaN, or the origin.
Bad = Literal["nan", "origin"]
_INPUT = {
    "gauge": "v",
    "encode": "y",
    "decode": "polar",
    "contract": "v",
    "soften": "v",
    "soften_inverse": "y",
    "project": "points",
}
# Outcomes that say more than that limits were relaxed.
_LOST = (Outcome.OUTSIDE, Outcome.BAD_VALUE, Outcome.NO_FRONTIER, Outcome.OUT_OF_RANGE, Outcome.NO_ORIGIN)
_SEARCHES = ("full", "algorithm1", "pruned")
#: A metric, or the array of one; None: 1, and 0 where linear terms are given.
MetricLike: TypeAlias = "Metric | npt.ArrayLike | None"
Self = TypeVar("Self", bound="Maps")


@dataclasses.dataclass(frozen=True)
class Map:
    """One map of one region, such as ``region.contract``: called, it maps rows; `vjp` and `jvp` are its derivatives.

    `bad` is what stands for rows with a NaN or an infinity, ``"nan"`` or ``"origin"``, where a call doesn't say.
    """

    region: Any  # a Region, or what has its maps
    name: str
    bad: str = "nan"

    def __post_init__(self) -> None:
        known_bad(self.bad)

    @property
    def width(self) -> int:
        """How many numbers a row of the input has: n, for ``decode`` n + 1."""
        return int(self.region.n) + (self.name == "decode")

    @property
    def kept(self) -> int:
        """How many bytes a row keeps for the derivatives."""
        return RAY.itemsize

    @property
    def key(self) -> str:
        """What names the map's region in graphs."""
        return str(self.region.digest)

    def result_shape(self, shape: Any) -> Any:
        """The shape of the result, from that of the input."""
        return shape[:-1] if self.name == "gauge" else (*shape[:-1], self.region.n + (self.name == "encode"))

    def within(self, metric: MetricLike) -> Map:
        """The same in a metric, which nearest points have."""
        if metric is not None:
            raise make("argument", f"{self.name} has no metric: project and minimise have one")
        return self

    @overload
    def __call__(
        self,
        values: npt.ArrayLike,
        x: npt.ArrayLike | None = None,
        *,
        metric: MetricLike = None,
        outcomes: Literal[False] = False,
        bad: Bad | None = None,
        on_empty: OnEmpty = "nan",
    ) -> Array: ...
    @overload
    def __call__(
        self,
        values: npt.ArrayLike,
        x: npt.ArrayLike | None = None,
        *,
        metric: MetricLike = None,
        outcomes: Literal[True],
        bad: Bad | None = None,
        on_empty: OnEmpty = "nan",
    ) -> tuple[Array, Array]: ...
    @overload
    def __call__(
        self,
        values: npt.ArrayLike,
        x: npt.ArrayLike | None = None,
        *,
        metric: MetricLike = None,
        outcomes: bool,
        bad: Bad | None = None,
        on_empty: OnEmpty = "nan",
    ) -> Any: ...
    def __call__(
        self,
        values: npt.ArrayLike,
        x: npt.ArrayLike | None = None,
        *,
        metric: MetricLike = None,
        outcomes: bool = False,
        bad: Bad | None = None,
        on_empty: OnEmpty = "nan",
    ) -> Any:
        """Maps rows.

        Args:
            values: (…, n); for ``decode`` (…, n + 1); for ``minimise`` linear terms p.
            x: (…, p), the parameters, for a region with such.
            metric: of ``project`` and ``minimise``: Q, (n,) for a diagonal or (n, n).
            outcomes: whether to return an `Outcome` a row, too.
            bad: what stands for rows with a NaN or an infinity, ``"nan"`` or ``"origin"``.
            on_empty: what becomes of rows whose limits contradict each other: ``"nan"``; ``"relax"``, the map into
                limits that give as little as they can (`Region.relaxation`), its outcome RELAXED; ``"nearest"``, of
                ``contract``, ``soften`` and ``project``, the nearest point of those.

        Returns:
            (…, n); for ``encode`` (…, n + 1), for ``gauge`` (…). With ``outcomes``, a pair of that and (…). Of nearest
            points about one in a hundred million has `Outcome.NEARBY`: the solver came near it only.
        """
        map = self.within(metric)
        array, given = map._beside(values, x)
        if on_empty != "nan" and given is not None:
            result, found = map._relaxed(array, given, bad, on_empty, outcomes)
        else:
            known_on_empty(on_empty)
            result, found = map._results(array, given, bad, outcomes)
        answer = result if result.shape else result[()]
        return (answer, found) if outcomes else answer

    def vjp(
        self,
        values: npt.ArrayLike,
        bar: npt.ArrayLike,
        x: npt.ArrayLike | None = None,
        *,
        metric: MetricLike = None,
        bad: Bad | None = None,
        on_empty: OnEmpty = "nan",
    ) -> Any:
        """The derivative, transposed: the gradient by the input of what has the gradient `bar` by the result. At a
        kink of a nearest point it is by an element of the generalised Jacobian.

        Args:
            values: the map's input.
            bar: of the shape of its result; taken in the type of `values`.
            x: (…, p), the parameters, for a region with such.
            metric: as for the map.
            bad: as for the map: the gradient of a row without a result is NaN, unless its `bar` is 0, or 0.
            on_empty: as for the map.

        Returns:
            Of the shape of `values`. For a region with parameters, a pair of that and the gradient by x, of its shape.
        """
        array, given = self._beside(values, x)
        gradient = _like(bar, "bar", array.dtype, self.result_shape(array.shape))
        result = np.empty_like(array)
        by_x = None if given is None else np.empty_like(given)
        self.within(metric)._run(VJPS, array, given, bad, array, None, gradient, result, by_x)
        if by_x is None:
            return result
        if known_on_empty(on_empty) != "nan":
            self.within(metric)._pull_relaxed(array, cast(Array, given), gradient, (result, by_x), bad, on_empty)
        return _summed(result, np.shape(cast(Any, values))), _summed(by_x, np.shape(cast(Any, x)))

    def jvp(
        self,
        values: npt.ArrayLike,
        dot: npt.ArrayLike,
        x: npt.ArrayLike | None = None,
        x_dot: npt.ArrayLike | None = None,
        *,
        metric: MetricLike = None,
        bad: Bad | None = None,
    ) -> Any:
        """The derivative, forwards: how the result changes when the input does by `dot`.

        Args:
            values: the map's input.
            dot: of its shape, or broadcast to it; taken in its type.
            x: (…, p), the parameters, for a region with such.
            x_dot: how they change, of their shape; by default they stay.
            metric: as for the map.
            bad: as for `vjp`.

        Returns:
            Of the shape of the map's result.
        """
        array, given = self._beside(values, x)
        change = _like(dot, "dot", array.dtype, array.shape, stretch=True)
        x_change = None
        if x_dot is not None:
            if given is None:
                raise make("argument", "the region has no parameters: leave x_dot out")
            x_change = _like(x_dot, "x_dot", given.dtype, given.shape, stretch=True)
        result = np.empty(self.result_shape(array.shape), array.dtype)
        self.within(metric)._run(JVPS, array, given, bad, array, None, change, x_change, result)
        return result if result.shape else result[()]

    def _relaxed(self, array: Array, given: Array, bad: str | None, on_empty: str, outcomes: bool) -> tuple[Array, Any]:
        """Results, of rows whose limits contradict each other those within the relaxed limits."""
        relaxation = self.region.relaxation
        map = relaxation.map(self, on_empty)
        relaxed, outcome = relaxation(given, outcomes=True)
        result, found = self._results(array, given, bad, True)
        rows_ = np.atleast_1d(outcome == Outcome.RELAXED)
        if rows_.any():
            some = np.ascontiguousarray(array[rows_] if array.ndim > 1 else array[None])
            with_slacks = relaxed[rows_] if relaxed.ndim > 1 else relaxed[None]
            if on_empty == "nearest" and self.name != "project":
                some = some + with_slacks[:, -self.region.n :]
            inside, told = map._results(some, with_slacks, bad, True)
            result[rows_ if array.ndim > 1 else ...] = inside if array.ndim > 1 else inside[0]
            found = np.atleast_1d(found)
            found[rows_] = np.where(np.isin(told, _LOST), told, Outcome.RELAXED)
            found = found.reshape(array.shape[:-1])
        return result, found if outcomes else None

    def _pull_relaxed(
        self, array: Array, given: Array, bar: Array, results: tuple[Array, Array], bad: str | None, on_empty: str
    ) -> None:
        """Puts the gradients of rows that are relaxed into the results."""
        n, p, relaxation = self.region.n, self.region.p, self.region.relaxation
        map = relaxation.map(self, on_empty)
        relaxed, outcome = relaxation(given.reshape(-1, p), outcomes=True)
        some = outcome == Outcome.RELAXED
        if not some.any():
            return
        flat, x = array.reshape(-1, self.width)[some], relaxed[some]
        moves = map.name != self.name
        own, by_x = map.vjp(flat + x[:, -n:] if moves else flat, bar.reshape(len(outcome), -1)[some], x, bad=bad)
        by_x[:, -n:] += own if moves else 0
        results[0].reshape(-1, self.width)[some] = own
        results[1].reshape(-1, p)[some] = relaxation.vjp(given.reshape(-1, p)[some], by_x)

    @property
    def _what(self) -> str:
        """What messages call the input."""
        return _INPUT[self.name]

    def _beside(self, values: Any, x: Any) -> tuple[Array, Array | None]:
        names = self.region.names if self.width == self.region.n else ()
        found: tuple[Array, Array | None] = self.region._beside(rows(values, self.width, self._what, names), x)
        return found

    def _results(self, array: Array, given: Array | None, bad: str | None, outcomes: bool) -> tuple[Array, Any]:
        result = np.empty(self.result_shape(array.shape), array.dtype)
        rays = np.empty(array.shape[:-1], RAY) if outcomes else None
        self._run(MAPS, array, given, bad, array, result, rays)
        return result, None if rays is None else rays["outcome"]

    def _run(self, functions: Any, like: Array, given: Array | None, bad: str | None, *arrays: Array | None) -> None:
        pointers = [None if a is None else address(a) for a in (given, *arrays)]
        self.call(functions, like.dtype, _threads.get_threads(), row_count(like), *pointers, bad=bad)

    def call(
        self, functions: Any, dtype: Any, threads: int, count: int, *pointers: int | None, bad: str | None = None
    ) -> None:
        """Calls one of the library's functions with a batch; raises what it refuses."""
        function = functions[self.name, dtype]
        self.region._run(function, threads, count, *pointers, bad=self.bad if bad is None else bad)


class Metric:
    """A symmetric positive semidefinite matrix over a region's outputs: what distances are measured by.

    Args:
        matrix: (n,), a diagonal, or (n, n).
        n: how many outputs there are.
    """

    def __init__(self, matrix: npt.ArrayLike, n: int) -> None:
        array = doubles(numbers(without_gradients(matrix), "the metric"), "the metric")
        if array.shape not in ((n,), (n, n)):
            raise make("shape", f"the metric has the shape {array.shape}: it must have ({n},) or ({n}, {n})")
        self.matrix = np.array(array, order="C")
        self.matrix.flags.writeable = False
        self._key = (array.ndim, self.matrix.tobytes())

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metric) and self._key == other._key

    def __repr__(self) -> str:
        return f"Metric({'diagonal' if self.matrix.ndim == 1 else 'dense'}, n={len(self.matrix)})"


@dataclasses.dataclass(frozen=True)
class Projection(Map):
    """The nearest points of one region, as a map: `region.project`, and `region.minimise` with `linear`."""

    name: str = "project"
    metric: Metric | None = None
    linear: bool = False

    def within(self, metric: MetricLike) -> Projection:
        if metric is None:
            return self
        made = metric if isinstance(metric, Metric) else Metric(metric, self.region.n)
        return dataclasses.replace(self, metric=made)

    @property
    def kept(self) -> int:
        return CONTACT.itemsize * int(self.region.n)

    @property
    def key(self) -> str:
        digest = hashlib.sha256(self.region.digest.encode())
        digest.update(repr((self.linear, self.metric and self.metric._key)).encode())
        return digest.hexdigest()

    @property
    def regularisation(self) -> float:
        """The multiple of the identity that was added to a metric that isn't definite."""
        projector, idle = self._take(1, self.bad)
        idle.append(projector)
        return float(_library.library.hcr_projector_regularisation(projector.address))

    def _take(self, threads: int, bad: str) -> tuple[Projector, list[Projector]]:
        """A projector that nobody uses now, and where it goes afterwards."""
        key = (self.metric, self.linear, threads, known_bad(bad))
        idle: list[Projector] = self.region._once("projectors", dict).setdefault(key, [])
        try:
            return idle.pop(), idle
        except IndexError:
            return Projector(self.region._handle, self.options(threads, bad)), idle

    def options(self, threads: int, bad: str) -> Any:
        """What a projector is made with."""
        return projector_options(threads, bad, self.linear, None if self.metric is None else self.metric.matrix)

    def call(
        self, functions: Any, dtype: Any, threads: int, count: int, *pointers: int | None, bad: str | None = None
    ) -> None:
        if functions is MAPS and len(pointers) == 4:  # maps have no outcomes beside what they keep
            pointers = (*pointers[:3], None, pointers[3])
        used = 1 if count < FEW_ROWS else _threads.limit(threads)
        projector, idle = self._take(used, self.bad if bad is None else bad)
        status = functions["project", dtype](projector.address, count, *pointers, projector.error_address)
        failure = _library.failure(projector.error) if status else None
        idle.append(projector)
        self.region._raise_of_callbacks()
        if failure is not None:
            raise failure

    def _blocks(self, array: Array, *others: Array | None, bad: str | None) -> None:
        """Projects in blocks of about a tenth of a second, between which Ctrl-C is heard. `others`: as the library
        takes them."""
        rows_, first, block = row_count(array), 0, 64
        if 0 < rows_ <= block:
            self._run(MAPS, array, others[0], bad, *others[1:])
            return
        flat = [None if other is None else other.reshape(rows_, -1) for other in others] if rows_ else []
        while first < rows_:
            last, start = min(first + block, rows_), time.perf_counter()
            pointers = [None if other is None else address(other[first:last]) for other in flat]
            self.call(MAPS, array.dtype, _threads.get_threads(), last - first, *pointers, bad=bad)
            seconds = time.perf_counter() - start
            block = block * 4 if seconds < 0.05 else max(1, block // 4) if seconds > 0.2 else block
            first = last

    @property
    def _what(self) -> str:
        return "p" if self.linear else super()._what

    def _beside(self, values: Any, x: Any) -> tuple[Array, Array | None]:
        return super()._beside(without_gradients(values), without_gradients(x))

    def _results(self, array: Array, given: Array | None, bad: str | None, outcomes: bool) -> tuple[Array, Any]:
        result, outcome = np.empty_like(array), np.empty(array.shape[:-1], np.uint32)
        self._blocks(array, given, array, result, outcome, None, bad=bad)
        return result, outcome

    def multipliers(self, values: npt.ArrayLike, x: npt.ArrayLike | None = None, *, metric: MetricLike = None) -> Array:
        """The multipliers of the inequalities at the results: Q (v − y) = Σ λ ∇c, but for what the equalities take.

        Returns:
            (…, m), one for each of the region's `constraints`, 0 for those that don't hold the result.
        """
        array, given = self._beside(values, x)
        flat = np.empty((row_count(array), self.region.n), CONTACT)
        self.within(metric)._blocks(array, given, array, np.empty_like(array), None, flat, bad=None)
        result = np.zeros((len(flat), len(self.region.constraints)))
        at, column = np.nonzero(flat["constraint"] != np.iinfo(np.uint32).max)
        result[at, flat["constraint"][at, column]] = flat["multiplier"][at, column]
        return result.reshape(*array.shape[:-1], -1)


#: The maps to nearest points, by the names of `Region`'s attributes.
NEAREST = ("project", "minimise")


def map_of(region: Any, name: str, bad: str = "nan", metric: MetricLike = None) -> Map:
    """A map by its name."""
    nearest = name in NEAREST
    map = Projection(region, bad=bad, linear=name == "minimise") if nearest else Map(region, name, bad)
    return map.within(metric)


class Maps(Facts):
    """The part of a region that computes.

    Where a region has parameters, x has theirs, (…, p): its batch shape and that of the other argument are broadcast
    against each other, so that one row serves a whole batch. When one of both is float64, so is the result.

    A row with a NaN or an infinity in it gives a row of NaN, so that it is noticed however far it goes; with
    ``bad="origin"`` it gives the origin, for those who need an answer (`encode`: 0 in all entries).
    """

    __slots__ = ()

    def _few(self) -> float:
        """The rows that are worth a second thread."""
        return _LITTLE_WORK / max(float(self.explain(True)["decode_multiply_adds"]), 1)  # type: ignore[attr-defined]

    def _workspace(self, threads: int, bad: str = "nan") -> Workspace:
        made = Workspace(self._handle, threads, bad)
        search = self._cache.get("search")
        if search is not None:
            struct = _library.SearchStruct(ctypes.sizeof(_library.SearchStruct), *search)
            _library.call("hcr_workspace_set_search", made.address, ctypes.byref(struct))
            self._cache["searching"].append(made)
        return made

    def _run(self, function: Any, threads: int, count: int, *pointers: int | None, bad: str = "nan") -> None:
        """Calls a map with a workspace of its own; raises what it refuses."""
        used = 1 if count < FEW_ROWS or count < self._once("few", self._few) else _threads.limit(threads)
        idle = self._workspaces.get((used, bad))
        if idle is None:
            idle = self._workspaces.setdefault((used, known_bad(bad)), [])
        try:
            workspace = idle.pop()
        except IndexError:
            workspace = self._workspace(used, bad)
        status = function(self._handle.address, workspace.address, count, *pointers, workspace.error_address)
        failure = _library.failure(workspace.error) if status else None
        idle.append(workspace)
        self._raise_of_callbacks()
        if failure is not None:
            raise failure

    def _raise_of_callbacks(self) -> None:
        """What a function of the caller's raised meanwhile."""
        kept = self._handle.kept
        if kept is not None:
            kept.reraise()  # type: ignore[attr-defined]

    def searching(self: Self, method: str, *, base_multiplier: float = 0.0, max_iterations: int = 64) -> Self:
        """The same region, whose maps find the nearest constraint by another method: the same bits, another effort.

        Args:
            method: ``"full"``, ``"algorithm1"`` (the paper's) or ``"pruned"``; the last two aren't for regions with
                parameters.
            base_multiplier: Algorithm 1's first step from the origin; 0: the region's inradius.
            max_iterations: Algorithm 1's steps before it falls back on all constraints.

        >>> import hcr
        >>> box = hcr.Region("var y[100]\\n-1 <= y <= 1").searching("pruned")
        >>> _ = box.contract([5.0] + 99 * [0.0])
        >>> box.intersections() < 200
        True
        """
        if method not in _SEARCHES:
            raise make("argument", f"there is no search {method!r}: there are {', '.join(_SEARCHES)}")
        other = type(self).__new__(type(self))
        other._take(self._handle, self._text)
        other._cache["searching"] = []
        steps = whole(max_iterations, "max_iterations")
        other._cache["search"] = (_SEARCHES.index(method), base_multiplier, steps)
        other._workspaces[1, "nan"] = [other._workspace(1)]
        return other

    def intersections(self) -> int:
        """How many constraints the maps of this object have intersected; counted on what `searching` gives only."""
        count = _library.library.hcr_workspace_intersections
        return sum(count(workspace.address) for workspace in self._cache.get("searching", ()))

    # ------------------------------------------------------------------------------------------------- parameters

    def _given(self, x: npt.ArrayLike | None) -> Array | None:
        """The parameters, when there are any and they are given; else what is wrong with that."""
        if self.p == 0:
            if x is not None:
                raise make("argument", "the region has no parameters: leave x out")
            return None
        names = self.parameters.names
        if x is None:
            shown = ", ".join(names[:8]) + (", …" if self.p > 8 else "")
            raise make("argument", f"the region has the parameters {shown}: give their values x, (…, {self.p})")
        return rows(x, self.p, "x", names)

    def _beside(self, array: Array, x: npt.ArrayLike | None) -> tuple[Array, Array | None]:
        """Both of the same type and batch shape, contiguous."""
        given = self._given(x)
        if given is None:
            return array, None
        if given.dtype != array.dtype:
            array, given = doubles(array, "values"), doubles(given, "x")
        if given.shape[:-1] != array.shape[:-1]:
            try:
                shape = np.broadcast_shapes(given.shape[:-1], array.shape[:-1])
            except ValueError:
                raise mismatched(array.shape, given.shape) from None
            array, given = (np.ascontiguousarray(np.broadcast_to(a, (*shape, a.shape[-1]))) for a in (array, given))
        return array, given

    # ------------------------------------------------------------------------------------------------------- maps

    @property
    def gauge(self) -> Map:
        """How far along each direction the frontier is: min{s > 0 : origin + v/s is in the region}; 0 for none.

        (…, n), measured from the origin, to (…): a point origin + v is inside where this is at most 1; NaN for a NaN
        or an infinity, whatever ``bad`` is.

        >>> import hcr
        >>> float(hcr.Region("var y[2]\\nnorm(y) <= 2").gauge([3.0, 4.0]))
        2.5
        """
        return Map(self, "gauge")

    @property
    def encode(self) -> Map:
        """Points as a direction and a radius.

        (…, n), points, to (…, n + 1): the unit direction from the origin, then r, the share of the way to the
        frontier; more than 1 outside.
        """
        return Map(self, "encode")

    @property
    def decode(self) -> Map:
        """Points of the region from directions and radii: origin + r d/gauge(d).

        (…, n + 1), a direction of any length and then r, which is cut to [0, 1], to (…, n), each row exactly inside,
        or NaN for a bad value and for parameters that are out of range or leave nothing.
        """
        return Map(self, "decode")

    @property
    def contract(self) -> Map:
        """origin + v where that is in the region; else where the ray along v leaves it.

        (…, n), measured from the origin, to (…, n), each row exactly inside, or NaN as for `decode`. Here and in
        `decode` and `soften`, where limits of a sample nearly meet, what points into their gap counts less, so that
        results don't jump as they come to meet (docs/solving.md).

        >>> import hcr
        >>> disc = hcr.Region("var y[2]\\nnorm(y) <= 1")
        >>> disc.contract.jvp([3.0, 1.0], [1.0, 0.0]).round(4).tolist()
        [0.0316, -0.0949]
        """
        return Map(self, "contract")

    @property
    def soften(self) -> Map:
        """origin + v/(1 + gauge(v)): one-to-one onto the interior.

        (…, n), measured from the origin, to (…, n), each row exactly inside, or NaN as for `decode`.
        """
        return Map(self, "soften")

    @property
    def soften_inverse(self) -> Map:
        """The v that `soften` takes to y: (y − origin)/(1 − gauge(y − origin)).

        (…, n), points, to (…, n). Points on the frontier, where rounding may put results of soften, are taken for
        points inside by the margin; those outside have none: NaN.

        >>> import hcr
        >>> disc = hcr.Region("var y[2]\\nnorm(y) <= 1")
        >>> disc.soften_inverse(disc.soften([3.0, -4.0])).round(9).tolist()
        [3.0, -4.0]
        """
        return Map(self, "soften_inverse")

    # --------------------------------------------------------------------------------------- checking, projecting

    def with_origin(self, y: npt.ArrayLike, x: npt.ArrayLike | None = None) -> Array:
        """The parameters of points, with the number of the origin that sees each best.

        Args:
            y: (…, n).
            x: (…, p − 1), the parameters before the last one, which names the origin; None where it is the only one.

        Returns:
            (…, p), x and behind it the number of the origin from which the gauge of y is least.

        >>> import hcr
        >>> floor = hcr.Region('''
        ... var p[2] in [0, 4]
        ... except norm(p - 2) <= 1
        ... origin = [0.5, 0.5]
        ... origin = [3.5, 3.5]
        ... ''')
        >>> floor.with_origin([[0.1, 0.2], [3.9, 2.9]]).tolist()
        [[0.0], [1.0]]
        """
        if self.origins == 1:  # type: ignore[attr-defined]
            raise make("argument", "the region has one origin: there is nothing to choose")
        points = rows(without_gradients(y), self.n, "y", self.names)
        others = np.empty((*points.shape[:-1], 0), points.dtype) if x is None else without_gradients(x)
        others = rows(others, self.p - 1, "x", self.parameters.names[:-1])
        named = np.zeros((*others.shape[:-1], 1), others.dtype)
        array, given = self._beside(points, np.concatenate([others, named], -1))
        assert given is not None
        chosen = np.empty(array.shape[:-1], array.dtype)
        single = "_f32" if array.dtype == np.float32 else ""
        function = getattr(_library.library, "hcr_choose_origins" + single)
        self._run(function, 1, row_count(array), address(given), address(array), address(chosen))
        given[..., -1] = chosen
        return given

    def check(self, y: npt.ArrayLike, x: npt.ArrayLike | None = None, *, exact: bool = True) -> Array:
        """Whether points are in the region.

        Args:
            y: (…, n).
            x: (…, p), the parameters, for a region with such. Points aren't inside when these are out of range.
            exact: decide at tolerance 0 in exact arithmetic on the stored coefficients (equalities: exactly where
                results keep them so, else to within the rounding of a result); else in floating point, by
                `violation` alone.

        Returns:
            (…) of booleans. A NaN or an infinity isn't inside.

        >>> import hcr
        >>> hcr.Region("var y[2]\\nnorm(y) <= 1").check([[0.6, 0.8], [0.6, 0.7]]).tolist()
        [False, True]
        """
        array, given = self._beside(rows(without_gradients(y), self.n, "y", self.names), without_gradients(x))
        if not exact:
            return np.asarray(self.violation(array, given)[0] <= 0)
        inside = np.empty(array.shape[:-1], np.uint8)
        name = "hcr_check" if array.dtype == np.float64 else "hcr_check_f32"
        self._call(name, given, array, inside, None)
        return inside.astype(bool)

    def _call(self, name: str, given: Array | None, array: Array, *results: Array | None) -> None:
        pointers = [None if a is None else address(a) for a in (given, array, *results)]
        _library.call(name, self._handle.address, row_count(array), *pointers)
        self._raise_of_callbacks()

    def _doubles(self, y: npt.ArrayLike, x: npt.ArrayLike | None, what: str = "y") -> tuple[Array, Array | None]:
        point = doubles(rows(without_gradients(y), self.n, what, self.names), what)
        return self._beside(point, without_gradients(x))

    def violation(self, y: npt.ArrayLike, x: npt.ArrayLike | None = None) -> tuple[Array, Array]:
        """The worst inequality of points, in floating point.

        Args:
            y: (…, n).
            x: (…, p), the parameters, for a region with such.

        Returns:
            A pair: how far the worst inequality is exceeded, in the units of its source (negative inside, NaN for a bad
            value), and its number in `constraints`; both (…). Equalities: see `residual`.
        """
        array, given = self._doubles(y, x)
        value, which = np.empty(array.shape[:-1]), np.empty(array.shape[:-1], np.uint32)
        self._call("hcr_violation", given, array, value, which)
        return value, which

    def residual(self, y: npt.ArrayLike, x: npt.ArrayLike | None = None) -> Array:
        """How far points are off the worst equality, max |a·y − b|; 0 without equalities.

        Args:
            y: (…, n).
            x: (…, p), the parameters, for a region with such.
        """
        array, given = self._doubles(y, x)
        off = np.empty(array.shape[:-1])
        self._call("hcr_residual", given, array, off)
        return off

    def equality_tolerance(self, y: npt.ArrayLike, x: npt.ArrayLike | None = None, *, single: bool = False) -> Array:
        """The bounds of |a·y − b| that results keep, one an equality.

        Args:
            y: n numbers, a result.
            x: p numbers, its parameters, for a region with such.
            single: whether it is a float32 result.
        """
        point, given = self._doubles(y, x)
        if point.ndim != 1:
            raise make("shape", f"y has the shape {point.shape}: this takes one sample, {self.n} numbers")
        tolerance = _library.library.hcr_region_equality_tolerance
        at_x = None if given is None else address(given)
        found = [tolerance(self._handle.address, i, at_x, address(point), int(single)) for i in range(self.equalities)]
        return np.array(found)

    @property
    def project(self) -> Projection:
        """The nearest points of the region, exactly inside it; points inside come back bit for bit.

        (…, n), points, to (…, n). With ``metric=Q`` the distance is (y − v)'Q(y − v). It has derivatives, `vjp` and
        `jvp`, and `multipliers`.

        >>> import hcr
        >>> box = hcr.Region("var y[2]\\n-1 <= y <= 1\\nsum(y) <= 1")
        >>> box.project([0.9, 0.5]).round(9).tolist()
        [0.7, 0.3]
        >>> box.project.vjp([0.9, 0.5], [1.0, 0.0]).round(9).tolist()
        [0.5, -0.5]
        """
        return Projection(self)

    @property
    def minimise(self) -> Projection:
        """The points of the region that minimise ½ y'Qy + p'y, exactly inside it.

        (…, n), linear terms p, to (…, n), with ``metric=Q``. A Q that isn't definite gets a small multiple of the
        identity added, which `Projection.regularisation` tells; without one it is all there is: a linear program.

        >>> import hcr
        >>> box = hcr.Region("var y[2]\\n-1 <= y <= 1")
        >>> box.minimise([0.5, -4.0], metric=[1.0, 2.0]).round(9).tolist()
        [-0.5, 1.0]
        """
        return Projection(self, linear=True)

    def sample(
        self,
        count: int,
        seed: int | np.random.Generator | None = None,
        x: npt.ArrayLike | None = None,
        *,
        frontier: bool = False,
        uniform: bool = False,
        burn_in: int | None = None,
    ) -> Array:
        """Random points of the region.

        Directions are uniform, radii such that a ball around the origin would be filled uniformly. Every part that the
        origin sees is reached, but the density isn't uniform: it is higher where the frontier is near. With `uniform`
        these points are where as many independent chains of hit-and-run begin, whose density becomes uniform.

        Args:
            count: how many.
            seed: a seed or a generator.
            x: (p,) or (count, p), the parameters, for a region with such.
            frontier: points on the frontier instead (less the margin).
            uniform: points of uniform density, for a bounded region.
            burn_in: steps of each chain; 20 for each output that is free, and 100, when None. Long thin regions need
                more: moments that still change with it say so.

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
        points = self.decode(polar, x)
        if not uniform:
            return points
        if frontier:
            raise make("argument", "points are uniform inside or on the frontier, not both")
        steps = 100 + 20 * self.freedom if burn_in is None else whole(burn_in, "burn_in")
        return self._walk(points, random, x, steps)

    def _walk(self, points: Array, random: np.random.Generator, x: npt.ArrayLike | None, steps: int) -> Array:
        """Points after so many steps of hit-and-run (Smith, 1984), a chain each. A step goes along a line of random
        direction, to a point drawn from a piece of it that is cut off at each one outside until one is inside (Neal,
        "Slice sampling", 2003), so that no chord is computed. On equalities the outputs that they determine follow."""
        lower, upper = self.bounds
        if not np.isfinite(upper - lower).all():
            raise make("unbounded", "there is no uniform density on a region without bounds")
        origins = self.contract(np.zeros_like(points), x)
        low, high = lower - origins, upper - origins
        found = self._given(x)
        given = None if found is None else np.broadcast_to(found, (len(points), self.p))
        v = 0.99 * (points - origins)  # off the frontier
        known = np.flatnonzero(np.isfinite(v).all(axis=1) & (self.freedom > 0))
        tangent = self._tangent(None if given is None else given[known[:1]]) if len(known) else np.eye(self.n)
        for _ in range(steps):
            direction = ((upper - lower) * random.standard_normal(v.shape)) @ tangent
            first, last = -_room(v, -direction, low, high), _room(v, direction, low, high)
            drawn = known
            while len(drawn):
                t = random.uniform(first[drawn], last[drawn])
                moved = v[drawn] + t[:, None] * direction[drawn]
                inside = self.gauge(moved, None if given is None else given[drawn]) < 1
                v[drawn[inside]] = moved[inside]
                drawn, t = drawn[~inside], t[~inside]
                first[drawn] = np.where(t < 0, t, first[drawn])
                last[drawn] = np.where(t < 0, last[drawn], t)
        contracted: Array = self.contract(v, x)
        return contracted

    def _tangent(self, x: Array | None) -> Array:
        """The matrix that takes steps to those along the equalities, as the maps do."""
        if self.freedom == self.n:
            return np.eye(self.n)
        given = None if x is None else np.broadcast_to(x, (self.n, self.p))
        step = 0.5 / np.max(self.gauge(np.eye(self.n), given))
        origin = self.contract(np.zeros((self.n, self.n)), given)
        tangent: Array = (self.contract(step * np.eye(self.n), given) - origin) / step
        return tangent


def _room(v: Array, direction: Array, low: Array, high: Array) -> Array:
    """How far rows can go along their directions in the box."""
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.where(direction > 0, high - v, low - v) / direction
    room: Array = np.where(direction == 0, np.inf, far).min(axis=-1).clip(0)
    return room


def known_bad(bad: str) -> str:
    """What stands for bad values, when it can."""
    if bad not in BAD:
        raise make("argument", f"bad={bad!r}: it must be 'nan' or 'origin'")
    return bad


def _like(values: npt.ArrayLike, what: str, dtype: Any, shape: tuple[int, ...], *, stretch: bool = False) -> Array:
    """An array of that type and shape, contiguous."""
    array = np.require(numbers(values, what), dtype=dtype)
    if stretch:
        with contextlib.suppress(ValueError):  # refused below
            array = np.broadcast_to(array, shape)
    if array.shape != shape:
        raise make("shape", f"{what} has the shape {array.shape}: it must have {shape}")
    return np.require(array, requirements=["C", "A"])


def _summed(gradient: Array, shape: tuple[int, ...]) -> Array:
    """The gradient by what was broadcast, from that by what it was broadcast to."""
    lead = gradient.ndim - len(shape)
    stretched = tuple(lead + i for i, size in enumerate(shape) if size == 1 != gradient.shape[lead + i])
    return gradient.sum((*range(lead), *stretched)).reshape(shape) if lead or stretched else gradient
