"""What a region computes with NumPy arrays: its maps, checks, and samples."""

from __future__ import annotations

import ctypes
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from . import _library, _threads
from ._arrays import Array, address, doubles, mismatched, row_count, rows, whole, without_gradients
from ._facts import Facts
from ._handles import Workspace
from ._maps import FEW_ROWS, Map, Projection, known_bad
from .errors import make

# A batch of fewer multiply-adds isn't worth a second thread.
_LITTLE_WORK = 1 << 19
_SEARCHES = ("full", "algorithm1", "pruned")
Self = TypeVar("Self", bound="Maps")


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

    def _run(self, function: Any, threads: int, count: int, pointers: tuple[int | None, ...], bad: str = "nan") -> None:
        """Calls a map with a workspace of its own; raises what it refuses."""
        used = 1 if count < FEW_ROWS or count < self._once("few", self._few) else _threads.limit(threads)
        workspace, idle = self._idle(used, bad)
        status = function(self._handle.address, workspace.address, count, *pointers, workspace.error_address)
        self._finish(status, workspace, idle)

    def _idle(self, threads: int, bad: str) -> tuple[Workspace, list[Workspace]]:
        """A workspace that nobody uses now, and where it goes afterwards."""
        pools = self._workspaces
        try:
            idle = pools[threads, bad]
            return idle.pop(), idle
        except LookupError:  # there is no such pool yet, or nothing in it
            made = self._workspace(threads, known_bad(bad))
            return made, pools.setdefault((threads, bad), [])

    def _finish(self, status: int, used: Any, idle: list[Any]) -> None:
        """Puts back what a call has used; raises what it refused."""
        failure = _library.failure(used.error) if status else None
        idle.append(used)
        if self._handle.kept is not None:
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
        self._run(function, 1, row_count(array), (address(given), address(array), address(chosen)))
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
        _library.call(name, self._handle.address, row_count(array), *map(address, (given, array, *results)))
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
        at = tuple(map(address, (given, point)))
        found = [tolerance(self._handle.address, i, *at, int(single)) for i in range(self.equalities)]
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
