"""Samples whose origin is the centre of their own limits, as formulas: regions of bounds, rows and equalities with
parameters over whose range no affine origin stays inside (`origin_form` is ``"checked"``).

All limits are rows over the free outputs: l <= d <= u, d = (y, R y + S x), where y = E f + X x + c are the outputs,
those that equalities determine included. docs/exactness.md, "Formulas", has the margins.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _rays
from ._arrays import Array
from ._library import library

if TYPE_CHECKING:
    from ._facts import Facts
    from ._formulas import Precision

# Rows that are met at a centre weigh that much more than all others there, and next to the identity in a projection.
_MET = {"float64": 1e8, "float32": 1e4}
_ACROSS = {"float64": 1e5, "float32": 1e3}


@dataclasses.dataclass
class Limits:
    """The limits of a region, as dense arrays in float64."""

    free: Array  # the free outputs
    expand: Array  # E: n × free
    expand_x: Array  # X: n × p
    constant: Array  # c
    rows: Array  # R: rows × n
    shift: Array  # S: rows × p
    lower: Array  # of outputs, then of rows
    upper: Array
    middle: Array  # of the parameters' range, and its origin
    origin: Array
    x_lower: Array
    x_upper: Array
    nearness: float

    @property
    def columns(self) -> Array:
        """What f does to d."""
        return np.concatenate([self.expand, self.rows @ self.expand])


def read(region: Facts) -> Limits:
    handle, n, p = region._handle.address, region.n, region.p
    blocks = [library.hcr_region_block(handle, b) for b in range(library.hcr_region_blocks(handle))]
    (box,) = (b for b in blocks if b.kind == b"box")
    (linear,) = (b for b in blocks if b.kind == b"linear")
    fields = _rays._rows(linear, n, p)
    order = fields["order"]
    whole = _rays._dense(linear.rows, n + p)[order]
    affine = _rays.affine(region)
    expand, expand_x, constant = np.eye(n), np.zeros((n, p)), np.zeros(n)
    free = np.arange(n)
    if affine is not None:
        free = np.setdiff1d(free, affine.dependent)
        expand[affine.dependent] = affine.map
        expand_x[affine.dependent] = affine.map_x
        constant[affine.dependent] = affine.constant
    point = _rays._copy(library.hcr_region_origin(handle), n + p)
    return Limits(
        free,
        np.ascontiguousarray(expand[:, free]),
        expand_x,
        constant,
        np.ascontiguousarray(whole[:, :n]),
        np.ascontiguousarray(whole[:, n:]),
        np.concatenate([_rays._copy(box.lower, n), _rays._copy(linear.lower, len(order))[order]]),
        np.concatenate([_rays._copy(box.upper, n), _rays._copy(linear.upper, len(order))[order]]),
        point[n:],
        point[:n],
        region.parameters.lower,
        region.parameters.upper,
        library.hcr_region_nearness(handle),
    )


def rounding(limits: Limits, bounds: tuple[Array, Array], grid: Array, precision: Precision) -> Array:
    """Bounds of what rounding does to each limit's distance, from the computation of slacks to the stored result."""
    n, p = limits.expand_x.shape
    unit, of_result = precision.unit, 2.0**-24 if precision.result == "float32" else 2.0**-53
    size = 3 * np.maximum(np.abs(bounds[0]), np.abs(bounds[1]))  # |O_j| and |y_j − O_j| together
    x = np.maximum(np.abs(limits.x_lower), np.abs(limits.x_upper))
    terms = n + p + 16
    off = 4 * of_result * size + (grid if grid.size else 0.0)
    dependent = np.setdiff1d(np.arange(n), limits.free)
    if dependent.size:
        across = np.abs(limits.expand[dependent])
        sizes = across @ size[limits.free] + np.abs(limits.expand_x[dependent]) @ x + np.abs(limits.constant[dependent])
        off[dependent] = 4 * of_result * size[dependent] + across @ off[limits.free] + terms * unit * sizes
    kept = np.concatenate([limits.lower[n:, None], limits.upper[n:, None]], 1)
    ends = np.where(np.isfinite(kept), np.abs(kept), 0).max(1, initial=0)
    rows = np.abs(limits.rows)
    of_rows = rows @ off + terms * unit * (rows @ size + np.abs(limits.shift) @ x + ends)
    of_outputs = np.where(np.isin(np.arange(n), limits.free), 0.0, off + 4 * unit * size)  # free ones are cut to bounds
    return 1.01 * np.concatenate([of_outputs, np.where(_exact_rows(limits), 0.0, of_rows)])


def _exact_rows(limits: Limits) -> Array:
    """Rows that are a bound of a free output, one that is computed without rounding: results are cut to it."""
    free = np.zeros(limits.rows.shape[1], bool)
    free[limits.free] = True
    alone = (np.count_nonzero(limits.rows, axis=1) == 1) & (np.abs(limits.rows).sum(1) == 1) & (limits.rows != 0) @ free
    moves = np.count_nonzero(limits.shift, axis=1)
    of_units = (np.abs(limits.shift).max(1, initial=0) == 1) & (moves == 1)
    n = limits.rows.shape[1]
    fixed = np.array([np.where(np.isfinite(side[n:]), side[n:], 0) == 0 for side in (limits.lower, limits.upper)]).all(
        0
    )
    found: Array = alone & ((moves == 0) | (of_units & fixed))
    return found


def _rounds(owner: Array, owners: int) -> list[Array]:
    """Places in `owner`, one of each of the owners at a time: −1 for those that have no more."""
    rounds: list[Array] = []
    for at, who in enumerate(owner):
        for taken in rounds:
            if taken[who] < 0:
                taken[who] = at
                break
        else:
            rounds.append(np.full(owners, -1))
            rounds[-1][who] = at
    return rounds


def _of(values: Array, places: Array, otherwise: float) -> Array:
    found: Array = np.where(places >= 0, values[np.maximum(places, 0)] if len(values) else otherwise, otherwise)
    return found


class Centre:
    """The formulas of one region's centres, over one library of arrays; results are cut to `bounds`, too."""

    def __init__(
        self, region: Facts, arrays: Any, precision: Precision, grid: Array, bounds: tuple[Array, Array]
    ) -> None:
        self.arrays, self.limits = arrays, read(region)
        limits, constant = self.limits, arrays.constant
        n, self.region_bounds = region.n, region.bounds
        columns = limits.columns
        length = np.sqrt((columns**2).sum(1))
        has_lower, has_upper = np.isfinite(limits.lower), np.isfinite(limits.upper)
        self.n, self.size = n, len(limits.free)
        self.columns = constant(columns)
        self.unit_rows = constant(columns / np.where(length > 0, length, 1.0)[:, None])
        self.unit_transposed = constant(np.ascontiguousarray((columns / np.where(length > 0, length, 1.0)[:, None]).T))
        self.per_length = constant(1 / np.where(length > 0, length, 1.0) ** 2)
        self.length, self.nearness = constant(length), constant(limits.nearness * length)
        self.expand_transposed = constant(np.ascontiguousarray(limits.expand.T))
        self.expand_x = constant(np.ascontiguousarray(limits.expand_x.T))
        self.constant = constant(limits.constant)
        self.expand_sizes, self.expand_x_sizes = (constant(np.abs(m.T)) for m in (limits.expand, limits.expand_x))
        self.constant_sizes = constant(np.abs(limits.constant))
        self.rows = constant(np.ascontiguousarray(limits.rows.T)) if len(limits.rows) else None
        self.shift = constant(np.ascontiguousarray(limits.shift.T)) if len(limits.rows) else None
        self.row_sizes = constant(np.abs(limits.rows).T.copy()) if len(limits.rows) else None
        self.shift_sizes = constant(np.abs(limits.shift).T.copy()) if len(limits.rows) else None
        self.lower, self.upper = (constant(np.where(np.isfinite(v), v, 0.0)) for v in (limits.lower, limits.upper))
        self.lower_size, self.upper_size = (
            constant(np.abs(np.where(np.isfinite(v), v, 0.0))) for v in (limits.lower, limits.upper)
        )
        self.has_lower, self.has_upper = constant(has_lower.astype(float)), constant(has_upper.astype(float))
        self.x_lower, self.x_upper = constant(limits.x_lower), constant(limits.x_upper)
        self.middle, self.origin = constant(limits.middle), constant(limits.origin)
        most = 1e30  # more than bounds are, and within float32
        lower, upper = bounds
        self.bound_lower, self.bound_upper = constant(np.maximum(lower, -most)), constant(np.minimum(upper, most))
        self.identity = constant(np.eye(len(limits.free)))
        self.rounding = constant(rounding(limits, region.bounds, grid, precision))
        self.near, self.one = constant(np.array([1024 * precision.unit])), constant(np.array([1.0]))
        self.most_margin = constant(np.array([1 - 2.0**-20]))
        self.met = constant(np.array([_MET[precision.arithmetic]]))
        self.across = constant(np.array([_ACROSS[precision.arithmetic]]))
        random = np.random.default_rng(1)
        self.generic = constant(
            random.uniform(0.5, 1.5, len(limits.free)) * random.choice([-1.0, 1.0], len(limits.free))
        )
        self.still = constant(np.array([1e-9 if precision.arithmetic == "float64" else 1e-5]))
        self.dependent = np.setdiff1d(np.arange(n), limits.free)
        if self.dependent.size:
            entries = limits.expand[self.dependent]
            order = 1 + 1e-3 * np.arange(len(limits.free)) / max(len(limits.free), 1)  # one of those that are as large
            self.preference = constant(np.abs(entries) * order)
            self.per_entry = constant(np.where(entries != 0, 1 / np.where(entries != 0, entries, 1.0), 0.0))
            self.chosen = constant(np.eye(n)[limits.free])
        self.layers = self._find_layers(_exact_rows(limits))
        if not arrays.has_library:
            self._prepare_search()

    def _find_layers(self, exact: Array) -> list[tuple[Any, ...]]:
        """The rows that are bounds, one an output at a time: sign, shift of x, and lower and upper limits of it."""
        limits, constant = self.limits, self.arrays.constant
        layers: list[tuple[Any, ...]] = []
        rows = [int(i) for i in np.flatnonzero(exact)]
        while rows:
            taken: dict[int, int] = {}
            for i in rows:
                taken.setdefault(int(np.flatnonzero(limits.rows[i])[0]), i)
            rows = [i for i in rows if i not in taken.values()]
            lower, upper = np.full(self.n, -np.inf), np.full(self.n, np.inf)
            shift = np.zeros((self.n, limits.shift.shape[1]))
            for j, i in taken.items():
                sign = limits.rows[i, j]
                ends = sign * limits.lower[self.n + i], sign * limits.upper[self.n + i]
                lower[j], upper[j] = min(ends), max(ends)
                shift[j] = sign * limits.shift[i]
            has = [np.isfinite(side) for side in (lower, upper)]
            layers.append(
                (
                    constant(np.ascontiguousarray(shift.T)),
                    constant(np.where(has[0], lower, 0.0)) if has[0].any() else None,
                    constant(np.where(has[1], upper, 0.0)) if has[1].any() else None,
                    constant(has[0].astype(float)),
                    constant(has[1].astype(float)),
                )
            )
        return layers

    def _values(self, y: Any, x: Any) -> Any:
        """d: outputs, and rows behind them."""
        if self.rows is None:
            return y
        xp = self.arrays
        return xp.concatenate([y, xp.matmul(y, self.rows) + xp.matmul(x, self.shift)])

    def _sizes(self, y: Any, x: Any) -> Any:
        """Σ of the sizes of what d is the sum of."""
        xp, x = self.arrays, self.arrays.abs(x)
        f = xp.abs(xp.gather(y, self.limits.free))
        outputs = xp.matmul(f, self.expand_sizes) + xp.matmul(x, self.expand_x_sizes) + self.constant_sizes
        if self.rows is None:
            return outputs
        return xp.concatenate([outputs, xp.matmul(outputs, self.row_sizes) + xp.matmul(x, self.shift_sizes)])

    def expanded(self, f: Any, x: Any) -> Any:
        xp = self.arrays
        return xp.matmul(f, self.expand_transposed) + xp.matmul(x, self.expand_x) + self.constant

    def _slacks(self, y: Any, x: Any) -> tuple[Any, Any]:
        """Distances from the limits, 1 where there is none."""
        xp, d = self.arrays, self._values(y, x)
        below = xp.where(self.has_lower > 0, d - self.lower, 1.0)
        above = xp.where(self.has_upper > 0, self.upper - d, 1.0)
        return below, above

    def find(self, x: Any, known: Any) -> tuple[Any, ...]:
        """Of parameters within their ranges, and a centre that is known there (its derivatives aren't taken): the
        origin, the inverse distances from lower and upper limits (0 from what is met or isn't there), which limits are
        met, and the inverse distances that results keep to: less by what rounding does."""
        xp = self.arrays
        below, above = self._slacks(known, xp.without_derivative(x))
        size = self._sizes(known, xp.without_derivative(x))
        met_below = (self.has_lower > 0) & (below <= self.near * (size + self.lower_size))
        met_above = (self.has_upper > 0) & (above <= self.near * (size + self.upper_size))
        met = xp.where(met_below, 1.0, xp.where(met_above, 1.0, 0.0))
        origin = known
        if xp.differentiates:
            f = xp.gather(known, self.limits.free)
            for _ in range(2):
                f = self._newton(f, x, met, met_below, met_above)
            moved = self.expanded(f, x)
            origin = known + (moved - xp.without_derivative(moved))
        below, above = self._slacks(origin, x)
        from_below = self._inverse(below, self.has_lower, met)
        from_above = self._inverse(above, self.has_upper, met)
        inverse = from_below, from_above
        return origin, inverse, met, tuple(side / (1.0 - self._margin(side)) for side in inverse)

    def _margin(self, inverse: Any) -> Any:
        """The share of each distance to give up; where it would be 1 or more results stay at the origin."""
        xp = self.arrays
        return xp.minimum(xp.without_derivative(2.0 * inverse * self.rounding), self.most_margin)

    def _inverse(self, slack: Any, has: Any, met: Any) -> Any:
        xp = self.arrays
        counts = (has > 0) & (met < 1)
        return xp.where(counts, 1 / xp.where(counts, slack, 1.0), 0.0)

    def _newton(self, f: Any, x: Any, met: Any, met_below: Any, met_above: Any) -> Any:
        """A step towards the minimum of −Σ log of the distances from what isn't met, beside the squares of those from
        what is."""
        xp = self.arrays
        below, above = self._slacks(self.expanded(f, x), x)
        from_below, from_above = self._inverse(below, self.has_lower, met), self._inverse(above, self.has_upper, met)
        weight = from_below * from_below + from_above * from_above
        heavy = self.met * (xp.without_derivative(xp.max_last(weight)) + 1.0) * self.per_length
        sides = xp.where(met_below, 1.0, 0.0), xp.where(met_above, 1.0, 0.0)
        pull = from_above - from_below + heavy * (sides[0] * below - sides[1] * above)
        matrix = xp.gram(weight + heavy * (sides[0] + sides[1]), self.columns)
        return f - xp.solve(matrix, xp.matmul(pull, self.columns), self.size)

    def _damp(self, weights: Any, f: Any) -> Any:
        """(I + Σ w g g')⁻¹, four times: each leaves 1/(1 + w) of what is along a g, some 1e-5 where that is met."""
        xp = self.arrays
        matrix = self.identity + xp.gram(weights, self.unit_rows)
        for _ in range(4):
            left = xp.matmul(weights * xp.matmul(f, self.unit_transposed), self.unit_rows)
            f = f - xp.solve(matrix, left, self.size)
        return f

    def _near(self, inverse: Any) -> Any:
        """κ of limits with these inverse distances, src/region/damping.c: 0 unless they are near."""
        xp = self.arrays
        ratio = self.nearness * inverse
        is_near = ratio > 1
        return xp.where(is_near, xp.minimum(xp.sqrt(xp.where(is_near, ratio, 1.0)) - 1, self.across), 0.0)

    def _weights(self, inverse: tuple[Any, Any]) -> Any:
        return self._near(inverse[0]) + self._near(inverse[1])

    def damp_all(self, w: Any, inverse: tuple[Any, Any], met: Any, moves: Any) -> Any:
        """As `damp`, wherever a direction ends."""
        xp, free = self.arrays, self.limits.free
        damped = self._damp(self.across * met + self._weights(inverse), xp.gather(w, free))
        return xp.matmul(damped * xp.gather(moves, free), self.expand_transposed) * moves

    def undamp(self, w: Any, inverse: tuple[Any, Any], met: Any, moves: Any) -> Any:
        """What `damp_all` takes to w."""
        xp, free, weights = self.arrays, self.limits.free, self._weights(inverse)
        f, free_moves = xp.gather(w, free), xp.gather(moves, free)
        for _ in range(4):
            f = f + xp.matmul(weights * xp.matmul(f, self.unit_transposed), self.unit_rows) * free_moves
            f = self._damp(self.across * met, f) * free_moves
        return xp.matmul(f, self.expand_transposed) * moves

    def damp(self, w: Any, scale: Any, inverse: tuple[Any, Any], met: Any, moves: Any) -> Any:
        """Of a direction times `scale`, along which what is met stays: what points into limits that are near the centre
        goes down, where it is stopped by these. `inverse`: distances from lower and from upper limits."""
        xp = self.arrays
        f = xp.gather(w, self.limits.free)
        along = xp.matmul(f, self.unit_transposed) * self.length
        below, above = self._near(inverse[0]), self._near(inverse[1])
        beyond = along * inverse[1] - scale, -along * inverse[0] - scale
        most = xp.max_last(xp.maximum(xp.minimum(above, self.one) * beyond[0], xp.minimum(below, self.one) * beyond[1]))
        share = xp.minimum(xp.maximum(most / scale, 0.0), 1.0)
        damped = self._damp(self.across * met + below + above, f) * xp.gather(moves, self.limits.free)
        return xp.matmul(f + share * (damped - f), self.expand_transposed) * moves

    def moves(self, met: Any) -> Any:
        """1 for outputs that what is met leaves more than one value, else 0: by what is left of a direction in which
        all outputs move."""
        xp = self.arrays
        left = self._damp(self.across * met, met[..., :1] * 0.0 + self.generic)
        f = xp.where(xp.abs(left) > self.still, 1.0, 0.0)
        y = xp.where(xp.abs(xp.matmul(left * f, self.expand_transposed)) > self.still, 1.0, 0.0)
        return xp.without_derivative(y)

    def direct(self, w: Any, met: Any, moves: Any) -> Any:
        """A direction within the equalities to one along which what is met stays."""
        xp = self.arrays
        free = self.limits.free
        f = self._damp(self.across * met, xp.gather(w * moves, free)) * xp.gather(moves, free)
        return xp.matmul(f, self.expand_transposed) * moves

    def mend(self, y: Any, completed: Any, bounds: tuple[Any, Any], origin: Any, moves: Any) -> Any:
        """Where equalities give `completed` to an output that has one value: what is missing goes to one that moves
        and has the most room, without a derivative."""
        xp = self.arrays
        held = xp.gather(1.0 - moves, self.dependent)
        rest = held * (completed - xp.gather(origin, self.dependent))
        room = xp.from_result(xp.minimum(bounds[1] - y, y - bounds[0]))
        room = xp.gather(moves * xp.maximum(room, 0.0), self.limits.free)
        score = self.preference * xp.unsqueeze(xp.without_derivative(room))
        chosen = xp.where((score > 0.0) & (score >= xp.max_last(score)), 1.0, 0.0)
        misses = xp.where(xp.abs(rest) > 0, 1.0, 0.0)  # several that miss the same share it
        change = xp.sum_rows(chosen * self.per_entry, rest) / xp.maximum(xp.sum_rows(chosen, misses), 1.0)
        return y - xp.without_derivative(xp.to_result(xp.matmul(change, self.chosen)))

    # ------------------------------------------------------------------------------- without the library: in a graph

    def _prepare_search(self) -> None:
        limits, constant = self.limits, self.arrays.constant
        inradius = 0.05 * (self.region_bounds[1] - self.region_bounds[0])[limits.free].min()  # some length
        columns = limits.columns
        entries = np.count_nonzero(columns, axis=1)
        single, many = np.flatnonzero(entries == 1), np.flatnonzero(entries > 1)
        column = np.array([int(np.flatnonzero(columns[i])[0]) for i in single], np.int64)
        own = columns[single, column]
        rises = np.zeros((2, len(columns), columns.shape[1]))  # single rows of each column, by the sign of their entry
        rises[np.where(own > 0, 0, 1), single, column] = 1.0
        self.column_rises, self.column_falls = (constant(part) for part in rises)
        self.singles = [self._layer(_of(single, at, -1), _of(own, at, 1)) for at in _rounds(column, columns.shape[1])]
        keys: dict[bytes, int] = {}
        sign, leader = np.ones(len(many)), np.zeros(len(many), np.int64)
        for at, i in enumerate(many):
            first = columns[i][np.flatnonzero(columns[i])[0]]
            sign[at] = 1.0 if first > 0 else -1.0
            leader[at] = keys.setdefault((sign[at] * columns[i] + 0.0).tobytes(), len(keys))
        self.groups = [self._layer(_of(many, at, -1), _of(sign, at, 1)) for at in _rounds(leader, len(keys))]
        firsts = [int(np.flatnonzero(leader == g)[0]) for g in range(len(keys))]
        of_groups = columns[many[firsts]] * sign[firsts, None] if len(keys) else np.zeros((0, columns.shape[1]))
        length = np.sqrt((of_groups**2).sum(1, keepdims=True))
        self.group_rows = constant(of_groups / length) if len(keys) else None
        self.group_transposed = constant(np.ascontiguousarray((of_groups / length).T)) if len(keys) else None
        self.group_length = constant(length[:, 0]) if len(keys) else None
        place = {int(i): at for at, i in enumerate(many)}
        own = np.array([place.get(j, -1) for j in range(self.n)])  # outputs that equalities determine are rows, too
        self.group_of = np.where(own >= 0, leader[own] if len(many) else 0, 0)
        turned = np.where(own >= 0, sign[own] if len(many) else 1.0, 0.0)
        self.is_row, self.turned = constant(np.abs(turned)), constant(turned)
        self.entry_sizes = constant(np.abs(columns).T.copy())
        both = np.isfinite(limits.lower) & np.isfinite(limits.upper)
        with np.errstate(invalid="ignore"):
            width = np.where(both, limits.upper - limits.lower, 0)
        least = np.where(both, 0.1 * width, inradius * np.sqrt((columns**2).sum(1)))
        self.least = constant(np.tile(np.where(least > 0, least, 1.0), 2))
        self.has_both = constant(np.concatenate([np.isfinite(limits.lower), np.isfinite(limits.upper)]).astype(float))
        self.middle_free = constant(limits.origin[limits.free])
        self.columns_transposed = constant(np.ascontiguousarray(columns.T))
        self.tiny, self.nearly = constant(np.array([2.0**-50])), constant(np.array([1e-12]))
        self.ridge = constant(np.array([1e-14]))
        self.passes = min(max(8, columns.shape[1]), 100)
        self.along = constant(np.tile(inradius * np.sqrt((columns**2).sum(1)), 2))
        turns = np.zeros((2, len(columns), len(keys)))  # rows of each group, by their sign
        turns[np.where(sign > 0, 0, 1), many, leader] = 1.0
        self.group_rises, self.group_falls = (constant(part) if len(keys) else None for part in turns)
        self.sums_rounding = constant(np.array([2.0**-53 * (columns.shape[1] + limits.expand_x.shape[1] + 8)]))
        self.of_a_point = constant(np.array([16.0]))  # what that of several sums adds up to, at most
        self.per_entry_sizes = constant(np.abs(np.where(columns != 0, 1 / np.where(columns != 0, columns, 1.0), 0.0)))
        self.entry_sizes_wide = constant(np.abs(columns).T.copy())
        self.shares = [constant(np.array([share])) for share in (1e-4, 1e-6)]
        self.fraction = constant(np.array([0.1]))
        bounds = [bound[limits.free] for bound in self.region_bounds]
        self.least_free, self.most_free = (constant(bound) for bound in bounds)
        has = np.isfinite(limits.lower)[:, None], np.isfinite(limits.upper)[:, None]
        self.entries = constant(columns)
        self.per_entry_wide = constant(np.where(columns != 0, 1 / np.where(columns != 0, columns, 1.0), 0.0))
        self.up, self.down = (constant(np.ascontiguousarray(part(columns, 0).T)) for part in (np.maximum, np.minimum))
        masks = (columns > 0, columns > 0, columns < 0, columns > 0, columns < 0)
        sides = (np.ones_like(has[0]), has[1], has[0], has[0], has[1])
        self.rises, self.rises_above, self.falls_below, self.rises_below, self.falls_above = (
            constant(np.logical_and(mask, side).astype(float)) > 0 for mask, side in zip(masks, sides, strict=True)
        )
        self.group_sizes = constant(np.abs(of_groups).T.copy()) if len(keys) else None
        self.small = constant(np.array([1e-9]))
        self.most_of_way = constant(np.array([0.9]))
        self.huge = constant(np.array([1e300]))
        self.heavy = constant(np.array([1e8]))

    def _layer(self, rows: Array, entries: Array) -> Any:
        """Rows of a round, −1 for none, and their entries, as constants."""
        has = rows >= 0
        limits = self.limits
        chosen = np.where(has, rows, 0)
        ends = [np.where(has, side[chosen], 0) for side in (limits.lower, limits.upper)]
        exists = [has & np.isfinite(end) for end in ends]
        constant = self.arrays.constant
        return (
            chosen,
            constant(np.where(has, 1 / np.where(has, entries, 1.0), 1.0)),
            constant(np.where(exists[0], ends[0], 0.0)),
            constant(np.where(exists[1], ends[1], 0.0)),
            constant(exists[0].astype(float)),
            constant(exists[1].astype(float)),
        )

    def _between(self, layers: list[Any], offset: Any) -> tuple[Any, Any]:
        """What limits leave of what they are limits of: the largest of the lower ones, the least of the upper ones."""
        xp, found = self.arrays, None
        for rows, per_entry, lower, upper, has_lower, has_upper in layers:
            shift = xp.gather(offset, rows)
            one, other = (lower - shift) * per_entry, (upper - shift) * per_entry
            turned = per_entry < 0
            has_one, has_other = xp.where(turned, has_upper, has_lower), xp.where(turned, has_lower, has_upper)
            low = xp.where(has_one > 0, xp.where(turned, other, one), -self.huge)
            high = xp.where(has_other > 0, xp.where(turned, one, other), self.huge)
            found = (low, high) if found is None else (xp.maximum(found[0], low), xp.minimum(found[1], high))
        assert found is not None
        return found

    def _narrow(self, now: list[Any], offset: Any, off: Any) -> list[Any]:
        """What rows leave of columns, those beside them between low and high: one pass over all rows at once. Ends that
        cross by no more than `off` meet."""
        xp = self.arrays
        low, high = now
        wide_low, wide_high = xp.unsqueeze(low), xp.unsqueeze(high)
        least = self.entries * xp.where(self.rises, wide_low, wide_high)
        most = self.entries * xp.where(self.rises, wide_high, wide_low)
        beside_least = xp.column(xp.matmul(low, self.up) + xp.matmul(high, self.down)) - least
        beside_most = xp.column(xp.matmul(high, self.up) + xp.matmul(low, self.down)) - most
        at_most = (xp.column(self.upper - offset) - beside_least) * self.per_entry_wide
        at_least = (xp.column(self.lower - offset) - beside_most) * self.per_entry_wide
        from_above = xp.where(self.rises_above, at_most, xp.where(self.falls_below, at_least, wide_high))
        from_below = xp.where(self.rises_below, at_least, xp.where(self.falls_above, at_most, wide_low))
        low, high = xp.maximum(low, xp.max_rows(from_below)), xp.minimum(high, -xp.max_rows(-from_above))
        return [low, xp.where((low > high) & (low - high <= off), low, high)]

    def _meet(self, low: Any, high: Any, share: Any, off: Any = 0.0) -> tuple[Any, Any]:
        """1 where two limits meet, up to rounding, and 1 where they cross by more."""
        xp = self.arrays
        near = share * xp.maximum(xp.abs(low), xp.abs(high)) + off
        open_ = xp.where(xp.maximum(-low, high) < self.huge, 1.0, 0.0)
        gap = high - low
        return xp.where((gap <= near) & (open_ > 0), 1.0, 0.0), xp.where(gap < -near, 1.0, 0.0)

    def search(self, x: Any) -> Any:
        """The origins of samples with parameters x, NaN where limits leave no point. Held first are bounds that meet
        and rows of equal coefficients whose sides do, and what rows leave one value beside them; where that isn't all,
        what _hold_together finds."""
        xp = self.arrays
        offset = self._values(xp.matmul(x, self.expand_x) + self.constant, x)
        own = self._between(self.singles, offset) if self.singles else (self.least_free, self.most_free)
        own = (
            xp.maximum(own[0], self.least_free) + 0.0 * offset[..., :1],
            xp.minimum(own[1], self.most_free) + 0.0 * offset[..., :1],
        )
        f, moves, lost = self._hold_columns(own, offset)
        between, pulled, value = None, None, None
        if self.group_rows is not None:
            between = self._between(self.groups, offset)
            pulled, crossed = self._meet(*between, self.tiny)
            pulled = pulled * xp.where(xp.matmul(moves, self.group_sizes) > 0, 1.0, 0.0)
            lost = xp.maximum(lost, xp.max_last(crossed))
            value = xp.where(pulled > 0, between[0] + 0.5 * (between[1] - between[0]), 0.0) / self.group_length
        held = moves, pulled, value, self._active(moves, pulled)
        found = self._centred(f, offset, held, lost)
        if between is not None:
            missed = self._is_missed(found, offset, held)
            settled = xp.where(missed > 0, lost, 1.0)
            f, more = self._hold_together(f, offset, held, (own, between), settled)
            found = xp.where(missed > 0, self._centred(f, offset, more, settled), found)
            held = tuple(xp.where(missed > 0, new, old) for new, old in zip(more, held, strict=True))
            found = self._onto(found, *held[:3])
        origin = self.expanded(found, x)
        if between is not None:
            low, high = self._of_outputs(*between, offset)
            origin = xp.where(self.is_row > 0, xp.minimum(xp.maximum(origin, low), high), origin)
        missed = self._is_missed(found, offset, held)
        over = self._excess(found, offset) - self.near * self._both(self._sizes(origin, x))
        over = xp.max_last(xp.where(self.has_both > 0, over, -1.0))
        return xp.where((lost > 0) | (missed > 0) | (over > 0), float("nan"), origin)

    def _hold_columns(self, own: tuple[Any, Any], offset: Any) -> tuple[Any, Any, Any]:
        """Where to begin, 1 for columns that limits and rows leave more than one value, and 1 for samples with none."""
        xp = self.arrays
        size = xp.matmul(xp.maximum(xp.abs(own[0]), xp.abs(own[1])), self.entry_sizes_wide)
        beyond = self.sums_rounding * (size + xp.maximum(self.lower_size, self.upper_size) + xp.abs(offset))
        off = self.of_a_point * xp.max_rows(xp.column(beyond) * self.per_entry_sizes)
        low, high = xp.repeat(self.passes, list(own), lambda now: self._narrow(now, offset, off))
        held, lost = self._meet(low, high, self.tiny, off)
        at_low, _ = self._meet(own[0], high, self.tiny, off)  # rounding alone tells them apart
        at_high, _ = self._meet(low, own[1], self.tiny, off)
        value = xp.where(at_low > 0, own[0], xp.where(at_high > 0, own[1], low + 0.5 * (high - low)))
        return xp.where(held > 0, value, self.middle_free), 1.0 - held, xp.max_last(lost)

    def _active(self, moves: Any, pulled: Any) -> Any:
        """1 for the limits that a barrier has, lower ones, then upper ones: of what isn't held, nor moved by nothing
        that is left. For that a direction in which all outputs move is taken onto what is."""
        xp = self.arrays
        counts = xp.where(xp.matmul(moves, self.entry_sizes) > 0, 1.0, 0.0)
        if pulled is not None:
            left = self._onto(self.generic * moves, moves, pulled, 0.0 * pulled)
            counts = counts * xp.where(xp.abs(xp.matmul(left, self.unit_transposed)) > self.still, 1.0, 0.0)
        return self._both(counts) * self.has_both

    def _centred(self, f: Any, offset: Any, held: tuple[Any, ...], done: Any, beyond: Any = 0.0) -> Any:
        """The centre of what isn't held, with all limits moved outwards by `beyond`, from f; samples that are done stay
        there."""
        xp = self.arrays
        active = held[3]
        slack = xp.maximum(beyond - self._excess(f, offset), self.least)
        slack = xp.where(active > 0, slack, 1.0)
        state = [f, slack, 1 / slack, done + 0.0 * f[..., :1]]
        step = lambda now: self._search_step(now, offset, held, beyond)  # noqa: E731
        return xp.repeat(60, state, step, lambda now: now[3])[0]

    def _is_missed(self, f: Any, offset: Any, held: tuple[Any, ...]) -> Any:
        """1 where f isn't strictly inside what isn't held."""
        xp = self.arrays
        excess = xp.max_last(xp.where(held[3] > 0, self._excess(f, offset), -1.0))
        return xp.where(excess < 0, 0.0, 1.0)

    def _hold_together(
        self, f: Any, offset: Any, held: tuple[Any, ...], between: tuple[Any, Any], done: Any
    ) -> tuple[Any, tuple[Any, ...]]:
        """What only all limits together leave one value, as src/region/sample_centre.c finds it: at centres of sets
        whose limits are moved outwards, distances from limits that are met everywhere go down with what these are moved
        by, others stay."""
        xp = self.arrays
        moves, pulled, value, active = held
        size = xp.maximum(xp.abs(self.lower - offset) * self.has_lower, xp.abs(self.upper - offset) * self.has_upper)
        size = xp.maximum(self._both(size), self.along)
        rooms, at = [], f
        for share in self.shares:
            at = self._centred(at, offset, held, done, share * size)
            rooms.append(share * size - self._excess(at, offset))
        met = xp.where(rooms[1] < self.fraction * rooms[0], active, 0.0)
        k = self.limits.lower.size
        met_low, met_high = met[..., :k], met[..., k:]
        low = xp.matmul(met_low, self.column_rises) + xp.matmul(met_high, self.column_falls)
        high = xp.matmul(met_high, self.column_rises) + xp.matmul(met_low, self.column_falls)
        own, of_groups = between
        f = xp.where(moves > 0, xp.where(low > 0, own[0], xp.where(high > 0, own[1], f)), f)
        moves = moves * xp.where(low + high > 0, 0.0, 1.0)
        low = xp.matmul(met_low, self.group_rises) + xp.matmul(met_high, self.group_falls)
        high = xp.matmul(met_high, self.group_rises) + xp.matmul(met_low, self.group_falls)
        at = xp.where(low > 0, of_groups[0], of_groups[1]) / self.group_length
        now = xp.where((pulled < 1) & (low + high > 0), 1.0, 0.0)
        value = xp.where(now > 0, at, value)
        pulled = xp.maximum(pulled, now) * xp.where(xp.matmul(moves, self.group_sizes) > 0, 1.0, 0.0)
        return f, (moves, pulled, value, self._active(moves, pulled))

    def _of_outputs(self, low: Any, high: Any, offset: Any) -> tuple[Any, Any]:
        """What rows with the coefficients of an output leave it."""
        xp = self.arrays
        low, high, shift = xp.gather(low, self.group_of), xp.gather(high, self.group_of), offset[..., : self.n]
        rises = self.turned > 0
        return xp.where(rises, low, -high) + shift, xp.where(rises, high, -low) + shift

    def _both(self, x: Any) -> Any:
        return self.arrays.concatenate([x, x])

    def _excess(self, f: Any, offset: Any) -> Any:
        """By how much limits are exceeded, lower ones, then upper ones; −1 where there is none."""
        xp = self.arrays
        d = xp.matmul(f, self.columns_transposed) + offset
        excess = xp.concatenate([self.lower - d, d - self.upper])
        return xp.where(self.has_both > 0, excess, -1.0)

    def _search_step(self, now: list[Any], offset: Any, held: tuple[Any, ...], beyond: Any) -> list[Any]:
        """src/region/barrier.c has the formulas."""
        xp = self.arrays
        f, slack, multiplier, done = now
        moves, pulled, value, active = held
        k = self.limits.lower.size
        left = self._excess(f, offset) - beyond + slack
        ratio = multiplier / slack
        part = active * (1 / slack + ratio * left)
        weight = active * ratio
        weight = weight[..., :k] + weight[..., k:]
        pull = xp.matmul(part[..., k:] - part[..., :k], self.columns)
        matrix = xp.gram(weight, self.columns)
        if pulled is not None:
            heavy = pulled * (self.heavy * xp.max_last(weight))
            matrix = matrix + xp.gram(heavy, self.group_rows)
            pull = pull + xp.matmul(heavy * (xp.matmul(f, self.group_transposed) - value), self.group_rows)
        outer = xp.unsqueeze(moves) * xp.column(moves)
        ridge = self.ridge * xp.max_last(weight)
        matrix = matrix * outer + self.identity * xp.unsqueeze(1.0 - moves + ridge)
        step = -xp.solve(matrix, pull * moves, self.size)
        change = xp.matmul(step, self.columns_transposed)
        by_slack = -left + xp.concatenate([change, -change])
        by_multiplier = (1.0 - slack * multiplier - multiplier * by_slack) / slack
        shrink = xp.maximum(-by_slack / slack, -by_multiplier / multiplier) * active
        most = xp.max_last(shrink)
        share = xp.minimum(self.most_of_way / xp.maximum(most, self.small), 1.0)
        size = xp.max_last(xp.maximum(xp.abs(by_slack), xp.abs(left)) / slack * active)
        stays = done > 0
        share = xp.where(stays, 0.0, share)
        done = xp.where(size < self.small, 1.0, done)
        moved = [f + share * step, slack + share * by_slack * active, multiplier + share * by_multiplier * active]
        return [*(xp.where(stays, old, new) for old, new in zip(now[:3], moved, strict=True)), done]

    def _onto(self, f: Any, moves: Any, pulled: Any, value: Any) -> Any:
        """f, with the rows that have one value at it."""
        xp = self.arrays
        outer = xp.unsqueeze(moves) * xp.column(moves)
        matrix = self.identity + self.across * xp.gram(pulled, self.group_rows) * outer
        for _ in range(4):
            missed = pulled * (value - xp.matmul(f, self.group_transposed))
            f = f + xp.solve(matrix, self.across * xp.matmul(missed, self.group_rows) * moves, self.size)
        return f

    def bounds(self, x: Any) -> tuple[Any, Any]:
        """The bounds of outputs that come with the sample, in the type of the result."""
        xp = self.arrays
        sides = [self.bound_lower + 0.0 * x[..., :1], self.bound_upper + 0.0 * x[..., :1]]
        for shift, lower, upper, has_lower, has_upper in self.layers:
            moved = xp.matmul(x, shift)
            if lower is not None:
                sides[0] = xp.where(has_lower > 0, xp.maximum(sides[0], lower - moved), sides[0])
            if upper is not None:
                sides[1] = xp.where(has_upper > 0, xp.minimum(sides[1], upper - moved), sides[1])
        return xp.to_result(sides[0]), xp.to_result(sides[1])


def has_room(region: Facts, arrays: Any, precision: Precision, grid: Array, bounds: tuple[Array, Array]) -> bool:
    """Whether rounding leaves room at the middle of the parameters' range; `arrays` are NumPy's."""
    centre = Centre(region, arrays, precision, grid, bounds)
    middle, origin = (np.asarray(value)[None] for value in (centre.middle, centre.origin))
    return all(bool(np.all(2.0 * side * centre.rounding < 0.5)) for side in centre.find(middle, origin)[1])
