"""The maps of a region over NumPy arrays, and their derivatives."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import functools
import hashlib
import time
from typing import Any, Literal, TypeAlias, cast, overload

import numpy as np
import numpy.typing as npt

from . import _library, _threads
from ._arrays import Array, address, doubles, is_ready, numbers, row_count, rows, without_gradients
from ._handles import BAD, Projector, projector_options
from ._records import CONTACT, RAY, Outcome
from ._relaxation import OnEmpty, known_on_empty
from .errors import make

# A batch of fewer rows isn't worth a second thread.
FEW_ROWS = 33


def _functions(suffix: str) -> dict[tuple[str, int], Any]:
    """By map and by the bytes of a number, which are found faster than its type."""
    return {
        (name, size): getattr(_library.library, f"hcr_{name}{suffix}{ending}")
        for name in (*_library.ALL_MAPS, "project")
        for size, ending in ((8, ""), (4, "_f32"))
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
_LOST = (
    Outcome.OUTSIDE,
    Outcome.BAD_VALUE,
    Outcome.NO_FRONTIER,
    Outcome.OUT_OF_RANGE,
    Outcome.NO_ORIGIN,
    Outcome.DEPENDENT,
)
Pointers: TypeAlias = "tuple[int | None, ...]"
#: A metric, or the array of one; None: 1, and 0 where linear terms are given.
MetricLike: TypeAlias = "Metric | npt.ArrayLike | None"


@dataclasses.dataclass(unsafe_hash=True)  # frozen ones take four times as long to make, which attributes of regions do
class Map:
    """One map of one region, such as ``region.contract``: called, it maps rows; `vjp` and `jvp` are its derivatives.

    `bad` is what stands for rows with a NaN or an infinity, ``"nan"`` or ``"origin"``, where a call doesn't say.
    """

    region: Any  # a Region, or what has its maps
    name: str
    bad: str = "nan"

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
        map = self if metric is None else self.within(metric)
        array, given = map._beside(values, x)
        if array.ndim == 1 and on_empty == "nan" and bad is None and not outcomes:
            return map._one(array, given)
        if on_empty == "nan" or (known_on_empty(on_empty) and given is None):
            result, found = map._results(array, given, bad, outcomes)
        else:
            result, found = map._relaxed(array, given, bad, on_empty, outcomes)
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
        if by_x is None or known_on_empty(on_empty) == "nan":
            self.within(metric)._run(VJPS, array, given, bad, array, None, gradient, result, by_x)
        else:
            self.within(metric)._pull_relaxed(array, cast(Array, given), gradient, (result, by_x), bad, on_empty)
        if by_x is None:
            return result
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
        some = outcome == Outcome.RELAXED
        if not np.any(some):
            return self._results(array, given, bad, outcomes)
        result = np.empty(self.result_shape(array.shape), array.dtype)
        found = np.empty(array.shape[:-1], np.uint32)
        if not np.all(some):  # that nothing is inside of the others takes long to find
            result[~some], found[~some] = self._results(array[~some], given[~some], bad, True)
        values, with_slacks = array[some], relaxed[some]
        if on_empty == "nearest" and self.name != "project":
            values = values + with_slacks[:, -self.region.n :]
        result[some], of_relaxed = map._results(values, with_slacks, bad, True)
        found[some] = np.where(np.isin(of_relaxed, _LOST), of_relaxed, Outcome.RELAXED)
        return result, found if outcomes else None

    def _pull_relaxed(
        self, array: Array, given: Array, bar: Array, results: tuple[Array, Array], bad: str | None, on_empty: str
    ) -> None:
        """Gradients, of rows whose limits contradict each other those of the map within the relaxed limits."""
        n, p, relaxation = self.region.n, self.region.p, self.region.relaxation
        map = relaxation.map(self, on_empty)
        flat, x = array.reshape(-1, self.width), given.reshape(-1, p)
        relaxed, outcome = relaxation(x, outcomes=True)
        bars, some = bar.reshape(len(outcome), -1), outcome == Outcome.RELAXED
        results = results[0].reshape(flat.shape), results[1].reshape(x.shape)
        if not some.all():
            values, parameters = flat[~some], x[~some]
            own, by_x = np.empty_like(values), np.empty_like(parameters)
            self._run(VJPS, values, parameters, bad, values, None, bars[~some], own, by_x)
            results[0][~some], results[1][~some] = own, by_x
        if some.any():
            values, with_slacks, moves = flat[some], relaxed[some], map.name != self.name
            own, by_x = map.vjp(values + with_slacks[:, -n:] if moves else values, bars[some], with_slacks, bad=bad)
            by_x[:, -n:] += own if moves else 0
            results[0][some] = own
            results[1][some] = relaxation.vjp(x[some], by_x)

    @property
    def _what(self) -> str:
        """What messages call the input."""
        return _INPUT[self.name]

    def _beside(self, values: Any, x: Any) -> tuple[Array, Array | None]:
        """What is given as the library takes it, mostly the very arrays: one row's call is to cost little."""
        n, p = self.region.n, self.region.p
        if is_ready(values, n + 1 if self.name == "decode" else n):
            if p == 0 and x is None:
                return values, None
            if p != 0 and is_ready(x, p) and x.dtype is values.dtype and x.shape[:-1] == values.shape[:-1]:
                return values, x
        return self._converted(values, x)

    def _converted(self, values: Any, x: Any) -> tuple[Array, Array | None]:
        names = self.region.names if self.width == self.region.n else ()
        found: tuple[Array, Array | None] = self.region._beside(rows(values, self.width, self._what, names), x)
        return found

    def _results(self, array: Array, given: Array | None, bad: str | None, outcomes: bool) -> tuple[Array, Any]:
        result = np.empty(self.result_shape(array.shape), array.dtype)
        rays = np.empty(array.shape[:-1], RAY) if outcomes else None
        self._run(MAPS, array, given, bad, array, result, rays)
        return result, None if rays is None else rays["outcome"]

    def _one(self, row: Array, given: Array | None) -> Any:
        """The result of one row, as control loops ask for it: a call is to cost little."""
        owner, idle = self._idle()
        try:
            values, x, result, function, arguments = owner.rooms[self.name, row.itemsize]
        except KeyError:
            values, x, result, function, arguments = owner.rooms[self.name, row.itemsize] = self._room(owner, row.dtype)
        values[...] = row
        if given is not None:
            x[...] = given
        status = function(*arguments)
        found = result.copy() if result.shape else result[()]
        self.region._finish(status, owner, idle)  # another thread may take the arrays from now on
        return found

    def _idle(self) -> tuple[Any, list[Any]]:
        """A workspace that nobody uses now, and where it goes afterwards."""
        return cast("tuple[Any, list[Any]]", self.region._idle(1, self.bad))

    def _room(self, owner: Any, dtype: Any) -> tuple[Array, Array, Array, Any, tuple[Any, ...]]:
        """Arrays for one row, its parameters and its result, and the call that reads and writes them: to find where an
        array lies takes longer than most maps."""
        shapes = (self.region.p,), (self.width,), self.result_shape((self.width,))
        x, values, result = (np.zeros(shape, dtype) for shape in shapes)
        begin = (ctypes.c_void_p(address(array) if array.size else None) for array in (x, values, result))
        arguments = *self._pointers(owner, *begin), ctypes.c_void_p(owner.error_address)
        return values, x, result, MAPS[self.name, dtype.itemsize], arguments

    def _pointers(self, owner: Any, x: Any, values: Any, result: Any) -> tuple[Any, ...]:
        """The arguments of the library's function, but for the last."""
        return ctypes.c_void_p(self.region._handle.address), ctypes.c_void_p(owner.address), 1, x, values, result, None

    def _run(self, functions: Any, like: Array, given: Array | None, bad: str | None, *arrays: Array | None) -> None:
        count = row_count(like)
        self.call(functions, like.itemsize, _threads.get_threads(), count, (*map(address, (given, *arrays)),), bad)

    def call(
        self, functions: Any, size: int, threads: int, count: int, pointers: Pointers, bad: str | None = None
    ) -> None:
        """Calls one of the library's functions with a batch of numbers of `size` bytes; raises what it refuses."""
        self.region._run(functions[self.name, size], threads, count, pointers, self.bad if bad is None else bad)


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


@dataclasses.dataclass(unsafe_hash=True)
class Projection(Map):
    """The nearest points of one region, as a map: `region.project`, and `region.minimise` with `linear`."""

    name: str = "project"
    metric: Metric | None = None
    linear: bool = False
    warm_start: bool = False

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

    @property
    def warm(self) -> Projection:
        """The same, where a row may start from what held the one before, also of an earlier call: faster for rows that
        resemble each other. Results then depend on the rows before, by rounding.

        >>> import hcr
        >>> nearest = hcr.Region("var y[3]\\n0 <= y <= 1\\nsum(y) <= 1").project.warm
        >>> [nearest([0.9, 0.5, shift]).round(9).tolist() for shift in (0.0, 0.1)]
        [[0.7, 0.3, 0.0], [0.7, 0.3, 0.0]]
        """
        return dataclasses.replace(self, warm_start=True)

    def _take(self, threads: int, bad: str) -> tuple[Projector, list[Projector]]:
        """A projector that nobody uses now, and where it goes afterwards."""
        key = threads, bad, self.linear, self.metric, self.warm_start
        pools = self.region._workspaces
        try:
            idle = pools[key]
            return idle.pop(), idle
        except LookupError:  # there is no such pool yet, or nothing in it
            made = Projector(self.region._handle, self.options(threads, known_bad(bad)))
            return made, pools.setdefault(key, [])

    def options(self, threads: int, bad: str) -> Any:
        """What a projector is made with."""
        matrix = None if self.metric is None else self.metric.matrix
        return projector_options(threads, bad, self.linear, matrix, self.warm_start)

    def call(
        self, functions: Any, size: int, threads: int, count: int, pointers: Pointers, bad: str | None = None
    ) -> None:
        if functions is MAPS and len(pointers) == 4:  # maps have no outcomes beside what they keep
            pointers = (*pointers[:3], None, pointers[3])
        used = 1 if count < FEW_ROWS else _threads.limit(threads)
        projector, idle = self._take(used, self.bad if bad is None else bad)
        status = functions["project", size](projector.address, count, *pointers, projector.error_address)
        self.region._finish(status, projector, idle)

    def _blocks(self, array: Array, *others: Array | None, bad: str | None) -> None:
        """Projects in blocks of about a tenth of a second, between which Ctrl-C is heard. `others`: as the library
        takes them."""
        rows_, first, block = row_count(array), 0, 64
        flat = [None if other is None else other.reshape(rows_, -1) for other in others] if rows_ else []
        while first < rows_:
            last, start = min(first + block, rows_), time.perf_counter()
            pointers = (*(None if other is None else address(other[first:last]) for other in flat),)
            self.call(MAPS, array.itemsize, _threads.get_threads(), last - first, pointers, bad)
            seconds = time.perf_counter() - start
            block = block * 4 if seconds < 0.05 else max(1, block // 4) if seconds > 0.2 else block
            first = last

    @property
    def _what(self) -> str:
        return "p" if self.linear else super()._what

    def _converted(self, values: Any, x: Any) -> tuple[Array, Array | None]:
        return super()._converted(without_gradients(values), without_gradients(x))

    def _results(self, array: Array, given: Array | None, bad: str | None, outcomes: bool) -> tuple[Array, Any]:
        result, count = array.copy(), array.size // self.region.n
        outcome = np.empty(array.shape[:-1], np.uint32) if outcomes else None
        if 0 < count < FEW_ROWS:
            at = address(result)
            self.call(MAPS, array.itemsize, 1, count, (address(given), at, at, address(outcome), None), bad)
        else:
            self._blocks(result, given, result, result, outcome, None, bad=bad)
        return result, outcome

    @functools.cached_property
    def _pool(self) -> list[Projector]:
        """Projectors for one row at a time."""
        return self._take(1, self.bad)[1]

    def _idle(self) -> tuple[Any, list[Any]]:
        idle = self._pool
        try:
            return idle.pop(), idle
        except IndexError:
            return self._take(1, self.bad)

    def _pointers(self, owner: Any, x: Any, values: Any, result: Any) -> tuple[Any, ...]:
        return ctypes.c_void_p(owner.address), 1, x, values, result, None, None

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
    known_bad(bad)
    map = Projection(region, bad=bad, linear=name == "minimise") if nearest else Map(region, name, bad)
    return map.within(metric)


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
