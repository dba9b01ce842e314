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
_ACROSS = {"float64": 1e7, "float32": 1e3}
# A direction near 1 in size that what is met turns by more is beyond a gap that is closed.
_TURNS = {"float64": 2.0**-20, "float32": 2.0**-12}


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


def reciprocals(entries: Array) -> Array:
    """Those of what isn't 0."""
    return np.where(entries != 0, 1 / np.where(entries != 0, entries, 1.0), 0.0)


class Centre:
    """The formulas of one region's centres, over one library of arrays; results are cut to `bounds`, too."""

    def __init__(
        self, region: Facts, arrays: Any, precision: Precision, grid: Array, bounds: tuple[Array, Array]
    ) -> None:
        self.arrays, self.region, self.limits = arrays, region, read(region)
        limits, constant = self.limits, arrays.constant
        n = region.n
        columns = limits.columns
        length = np.sqrt((columns**2).sum(1))
        has_lower, has_upper = np.isfinite(limits.lower), np.isfinite(limits.upper)
        self.n, self.size = n, len(limits.free)
        self.columns, self.squares = constant(columns), constant(columns**2)
        unit = columns / np.where(length > 0, length, 1.0)[:, None]
        self.unit_rows, self.unit_transposed = constant(unit), constant(np.ascontiguousarray(unit.T))
        self.alike = constant((np.abs(unit @ unit.T) > 1 - 1e-12).astype(float))  # the same gradient, up to its sign
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
        self.least_weight = constant(np.array([float(np.finfo(precision.arithmetic).tiny)]))
        self.least_left = constant(np.array([8 * precision.unit]))
        self.met = constant(np.array([_MET[precision.arithmetic]]))
        self.across = constant(np.array([_ACROSS[precision.arithmetic]]))
        self.turns = constant(np.array([_TURNS[precision.arithmetic]]))
        self.met_weight = constant(np.array([_ACROSS[precision.arithmetic] ** 4]))
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
            self.per_entry = constant(reciprocals(entries))
            self.chosen = constant(np.eye(n)[limits.free])
        self.layers = self._find_layers(_exact_rows(limits))
        self._pair(limits, 2.0**-24 if precision.result == "float32" else 2.0**-53)

    def _pair(self, limits: Limits, unit: float) -> None:
        """Which rows have the same coefficients, up to their sign, and how near to a limit rounding hides it."""
        rows, n = limits.rows, self.n
        groups: dict[bytes, int] = {}
        turns = np.zeros((2, n + len(rows), max(len(rows), 1)))
        for i in np.flatnonzero(np.count_nonzero(rows, axis=1) > 1):
            sign = np.sign(rows[i][np.flatnonzero(rows[i])[0]])
            turns[int(sign < 0), n + i, groups.setdefault((sign * rows[i] + 0.0).tobytes(), len(groups))] = 1.0
        turns = turns[..., : max(len(groups), 1)]
        self.rises_of, self.falls_of = (self.arrays.constant(np.ascontiguousarray(turn)) for turn in turns)
        members = np.pad(turns.sum(0)[n:], ((0, n - len(limits.free)), (0, 0)))  # no equality is one
        self.pairs = self.arrays.constant(np.tile(members.T, 2))
        terms = np.concatenate([np.zeros(n), np.count_nonzero(rows, axis=1)])
        self.no_width = self.arrays.constant(4 * (terms + 8) * unit)

    def _pinned(self, below: Any, above: Any, size: Any) -> Any:
        """1 for rows that limits below and above leave no room, also those of rows with their coefficients."""
        xp = self.arrays
        at_lower = xp.where((self.has_lower > 0) & (below <= self.no_width * (size + self.lower_size)), self.one, 0.0)
        at_upper = xp.where((self.has_upper > 0) & (above <= self.no_width * (size + self.upper_size)), self.one, 0.0)
        low = xp.matmul(at_lower, self.rises_of) + xp.matmul(at_upper, self.falls_of)
        high = xp.matmul(at_upper, self.rises_of) + xp.matmul(at_lower, self.falls_of)
        return xp.matmul(xp.where((low > 0) & (high > 0), self.one, 0.0), self.pairs)

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

    def search(self, x: Any) -> Any:
        """The origins of samples with parameters x, NaN where limits leave no point."""
        return self.arrays.centre(self.region, x)

    def find(self, x: Any, known: Any) -> tuple[Any, ...]:
        """Of parameters within their ranges, and a centre that is known there (its derivatives aren't taken): the
        origin, the inverse distances from lower and upper limits (0 from what is met or isn't there), which limits are
        met, the inverse distances that results keep to, less by what rounding does, and which rows have one value."""
        xp = self.arrays
        below, above = self._slacks(known, xp.without_derivative(x))
        size = self._sizes(known, xp.without_derivative(x))
        met_below = (self.has_lower > 0) & (below <= self.near * (size + self.lower_size))
        met_above = (self.has_upper > 0) & (above <= self.near * (size + self.upper_size))
        met = xp.where(met_below, 1.0, xp.where(met_above, 1.0, 0.0))
        pinned = self._pinned(below, above, size)
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
        return origin, inverse, met, tuple(side / (1.0 - self._margin(side)) for side in inverse), pinned

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
        weight = weight + heavy * (sides[0] + sides[1])
        matrix = xp.gram(weight, self.columns)
        # Rounding may hide other directions beside a thin gap: the ridge keeps them where they are.
        scale = 1.0 / xp.sqrt(xp.maximum(xp.without_derivative(xp.matmul(weight, self.squares)), self.least_weight))
        matrix = matrix * xp.unsqueeze(scale) * xp.column(scale) + self.least_left * self.identity
        return f - scale * xp.solve(matrix, scale * xp.matmul(pull, self.columns), self.size)

    def _damp(self, weights: Any, f: Any, times: int = 4) -> Any:
        """(I + Σ w g g')⁻¹ f. Large weights are `across` in the matrix; the multipliers of the step before, less what
        the weights take of them, make up for that: each time what is missing is some 1e-7 of what was."""
        xp = self.arrays
        in_matrix = xp.minimum(weights, self.across)
        kept = xp.where(weights > self.across, 1.0 - in_matrix / xp.maximum(weights, self.across), 0.0)
        matrix = self.identity + xp.gram(in_matrix, self.unit_rows)
        given, multipliers = f, None
        for _ in range(times):
            if multipliers is not None:
                f = given - xp.matmul(kept * multipliers, self.unit_rows)
            left = xp.matmul(in_matrix * xp.matmul(f, self.unit_transposed), self.unit_rows)
            f = f - xp.solve(matrix, left, self.size)
            now = in_matrix * xp.matmul(f, self.unit_transposed)
            multipliers = now if multipliers is None else now + kept * multipliers
        return f

    def _near(self, inverse: Any) -> Any:
        """κ of limits with these inverse distances, src/region/damping.c: 0 unless they are near."""
        xp = self.arrays
        ratio = self.nearness * inverse
        is_near = ratio > 1
        return xp.where(is_near, xp.minimum(xp.sqrt(xp.where(is_near, ratio, 1.0)) - 1, self.across), 0.0)

    def _weights(self, near: tuple[Any, Any]) -> Any:
        """ω = (1 + K)⁴ − 1 for all rows with the same gradient and the sum K of their κ: of each κ ω/K."""
        own = near[0] + near[1]
        total = self.arrays.matmul(own, self.alike)
        return own * (total * (total * (total + 4.0) + 6.0) + 4.0)

    def damp_all(self, w: Any, inverse: tuple[Any, Any], met: Any, moves: Any) -> Any:
        """As `damp`, wherever a direction ends."""
        xp, free = self.arrays, self.limits.free
        near = self._near(inverse[0]), self._near(inverse[1])
        damped = self._damp(self.met_weight * met + self._weights(near), xp.gather(w, free))
        damped = self._damp(self.met_weight * met, damped, 1)
        return xp.matmul(damped * xp.gather(moves, free), self.expand_transposed) * moves

    def undamp(self, w: Any, inverse: tuple[Any, Any], met: Any, moves: Any) -> Any:
        """What `damp_all` takes to w."""
        xp, free = self.arrays, self.limits.free
        weights = self._weights((self._near(inverse[0]), self._near(inverse[1])))
        f, free_moves = xp.gather(w, free), xp.gather(moves, free)
        f = f + xp.matmul(weights * xp.matmul(f, self.unit_transposed), self.unit_rows) * free_moves
        f = self._damp(self.met_weight * met, f) * free_moves
        return xp.matmul(f, self.expand_transposed) * moves

    def damp(self, w: Any, scale: Any, turned: Any, inverse: tuple[Any, Any], met: Any, moves: Any) -> Any:
        """Of a direction times `scale`, along which what is met stays: what points into limits that are near the centre
        goes down, where it is stopped by these, or was `turned`. `inverse`: distances from lower and from upper limits.
        """
        xp = self.arrays
        f = xp.gather(w, self.limits.free)
        along = xp.matmul(f, self.unit_transposed) * self.length
        below, above = self._near(inverse[0]), self._near(inverse[1])
        beyond = along * inverse[1] - scale, -along * inverse[0] - scale
        most = xp.max_last(xp.maximum(xp.minimum(above, self.one) * beyond[0], xp.minimum(below, self.one) * beyond[1]))
        share = xp.minimum(xp.maximum(most / scale, turned), 1.0)
        damped = self._damp(self.met_weight * met + self._weights((below, above)), f)
        # Beside limits that are near, what is met holds a direction less well.
        damped = self._damp(self.met_weight * met, damped, 1) * xp.gather(moves, self.limits.free)
        return xp.matmul(f + share * (damped - f), self.expand_transposed) * moves

    def moves(self, met: Any) -> Any:
        """1 for outputs that what is met leaves more than one value, else 0: by what is left of a direction in which
        all outputs move."""
        xp = self.arrays
        left = self._damp(self.met_weight * met, met[..., :1] * 0.0 + self.generic)
        f = xp.where(xp.abs(left) > self.still, 1.0, 0.0)
        y = xp.where(xp.abs(xp.matmul(left * f, self.expand_transposed)) > self.still, 1.0, 0.0)
        return xp.without_derivative(y)

    def direct(self, w: Any, met: Any, moves: Any) -> tuple[Any, Any]:
        """A direction within the equalities to one along which what is met stays; 1 where that turns it, else 0."""
        xp = self.arrays
        free = self.limits.free
        f = self._damp(self.met_weight * met, xp.gather(w * moves, free)) * xp.gather(moves, free)
        held = xp.matmul(f, self.expand_transposed) * moves
        turned = xp.max_last(xp.abs(xp.without_derivative(held - w))) > self.turns
        return held, xp.where(turned, 1.0, 0.0)

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
