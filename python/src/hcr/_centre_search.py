"""The search for the centres of samples without the library, in a graph: as src/region/sample_centre.c finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import Array
from ._centres import Centre, reciprocals

if TYPE_CHECKING:
    from ._facts import Facts
    from ._formulas import Precision


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


class CentreSearch(Centre):
    """A centre that formulas find, too."""

    def __init__(
        self, region: Facts, arrays: Any, precision: Precision, grid: Array, bounds: tuple[Array, Array]
    ) -> None:
        super().__init__(region, arrays, precision, grid, bounds)
        limits, constant = self.limits, arrays.constant
        inradius = 0.05 * (region.bounds[1] - region.bounds[0])[limits.free].min()  # some length
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
        self.shares = [constant(np.array([share])) for share in (1e-4, 1e-6)]
        self.fraction = constant(np.array([0.1]))
        self.least_free, self.most_free = (constant(bound[limits.free]) for bound in region.bounds)
        has = np.isfinite(limits.lower)[:, None], np.isfinite(limits.upper)[:, None]
        self.entries = constant(columns)
        self.per_entry_of = constant(reciprocals(columns))
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
        at_most = (xp.column(self.upper - offset) - beside_least) * self.per_entry_of
        at_least = (xp.column(self.lower - offset) - beside_most) * self.per_entry_of
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
        size = xp.matmul(xp.maximum(xp.abs(own[0]), xp.abs(own[1])), self.entry_sizes)
        beyond = self.sums_rounding * (size + xp.maximum(self.lower_size, self.upper_size) + xp.abs(offset))
        off = self.of_a_point * xp.max_rows(xp.column(beyond) * xp.abs(self.per_entry_of))
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
