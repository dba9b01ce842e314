"""Whether results are inside the limits of their samples, decided without rounding over any library of arrays.

y and the parameters are split into pieces of few bits, multiples of a power of two each, and so are the coefficients.
Products of pieces are multiples of one power of two a row, and so few bits long that no sum of them is rounded, in
whatever order it runs (Ozaki, Ogita, Oishi and Rump, *Error-free transformations of matrix multiplication*, Numerical
Algorithms 59, 2012). docs/exactness.md, "Formulas", says what is asked of results.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import Array

if TYPE_CHECKING:
    from ._centres import Limits
    from ._formulas import Precision

# How many bits of y and x count, below the most that they can be, and into how many pieces coefficients are split.
_BITS = {"float64": 126, "float32": 54}
_PIECES = {"float64": 6, "float32": 12}


def _power(values: Array) -> Array:
    """The least powers of two that are no less; 1 for 0."""
    fractions, exponents = np.frexp(values)
    power: Array = np.where(values > 0, np.ldexp(1.0, exponents - (fractions == 0.5)), 1.0)
    return power


def _pieces(values: Array, units: list[Array]) -> tuple[list[Array], Array]:
    """Multiples of each of the units that add up to the values, and what is left of these."""
    found = []
    for unit in units:
        found.append(np.rint(values / unit) * unit)
        values = values - found[-1]
    return found, values


class Inside:
    """The limits of one region: bounds of outputs, in the type of the result, rows l <= R y + S x <= u, and behind
    these the equalities, solved for an output each."""

    def __init__(
        self, arrays: Any, limits: Limits, precision: Precision, box: tuple[Array, Array], sizes: Array
    ) -> None:
        self.arrays, constant = arrays, arrays.constant
        of_result = 2.0**-24 if precision.result == "float32" else 2.0**-53
        n, p = limits.expand_x.shape
        dependent = np.setdiff1d(np.arange(n), limits.free)
        solved = np.eye(n)[dependent]
        solved[:, limits.free] = -limits.expand[dependent]
        rows = [limits.rows, limits.shift], [solved, -limits.expand_x[dependent]]
        entries = np.concatenate([np.concatenate(part, 1) for part in rows])
        sides = [np.concatenate([side[n:], limits.constant[dependent]]) for side in (limits.upper, limits.lower)]
        has = [np.isfinite(side) for side in sides]
        ends = [np.where(there, side, 0.0) for there, side in zip(has, sides, strict=True)]
        self.lower, self.upper = (constant(side.astype(float)) for side in box)
        self.has_rows = len(entries) > 0
        if not self.has_rows:
            return
        self.has = constant(np.concatenate(has).astype(float))
        self.entries, self.entry_sizes = (constant(np.ascontiguousarray(m.T)) for m in (entries, np.abs(entries)))
        self.end, self.end_sizes = (
            constant(v) for v in (np.concatenate([-ends[0], ends[1]]), np.abs(np.concatenate(ends)))
        )
        self.rounding = constant(np.array([(n + p + 12) * precision.unit]))
        # What is allowed: of rows of one value four times the rounding of theirs, of equalities what
        # hcr_region_equality_tolerance has at least. The products of these are rounded.
        of_rows = np.arange(len(entries)) < len(limits.rows)
        counts = np.count_nonzero(entries, axis=1)
        self.of_pinned = constant(np.tile(np.where(of_rows, 3.9 * (counts + 8) * of_result, 0.0), 2))
        self.of_sums = constant(np.tile(np.where(of_rows, 0.0, 7.9 * precision.unit), 2))
        own = np.zeros((n + p, len(entries)))
        own[dependent, len(limits.rows) + np.arange(len(dependent))] = 1.9 * of_result
        self.of_outputs = constant(own)
        x = np.maximum(np.abs(limits.x_lower), np.abs(limits.x_upper))
        self._split(entries, ends, _power(2 * np.concatenate([sizes, x])), precision.arithmetic)

    def _split(self, entries: Array, ends: list[Array], most: Array, arithmetic: str) -> None:
        """Makes the pieces of coefficients and limits, for y and x of which none is more than `most`."""
        constant, count = self.arrays.constant, _PIECES[arithmetic]
        of_row = _power(np.maximum((np.abs(entries) * most).max(1), np.abs(ends).max(0)))
        terms = math.ceil(math.log2(len(most) * count + 2))  # of a sum, with a limit and what is carried
        bits = ((53 if arithmetic == "float64" else 24) - 1 - terms) // 2
        self.splits = bits >= 3
        if not self.splits:
            return
        self.most = constant(most)
        units = [most * 2.0 ** (-bits * (k + 1)) for k in range(-(-_BITS[arithmetic] // bits))]
        self.units = [(constant(1 / unit), constant(unit)) for unit in units]
        pieces, left = _pieces(entries, [(of_row[:, None] / most) * 2.0 ** (-bits * (k + 1)) for k in range(count)])
        while len(pieces) > 1 and not pieces[-1].any():
            pieces.pop()
        self.pieces = [constant(np.ascontiguousarray(piece.T)) for piece in pieces]
        levels = max(len(units) + len(pieces) - 1, 53 // bits + 1)
        steps = [np.tile(of_row * 2.0 ** (-bits * (level + 2)), 2) for level in range(levels)]
        self.steps = [(constant(1 / step), constant(step)) for step in steps]
        limits, beyond = _pieces(np.concatenate([-ends[0], ends[1]]), steps)
        self.limits = [constant(piece) for piece in limits]
        self.lost = constant(1.01 * (np.tile(np.abs(left) @ most, 2) + np.abs(beyond)))

    def holds(self, y: Any, x: Any, pinned: Any) -> Any:
        """(…, 1): 1 for y, in the type that is computed in, that are surely inside, else 0. `pinned`: 1 for rows whose
        two sides leave them one value: those hold up to rounding, as equalities do."""
        xp = self.arrays
        outside = xp.sum_last(xp.where((y >= self.lower) & (y <= self.upper), 0.0, 1.0))
        if self.has_rows:
            z = xp.concatenate([y, x])
            outside = outside + xp.sum_last(xp.where(self._hold(z, pinned), 0.0, 1.0))
        return xp.where(outside > 0, 0.0, 1.0)

    def _hold(self, z: Any, pinned: Any) -> Any:
        """Which rows do, upper limits before lower ones: clearly, or without rounding up to what is allowed."""
        xp = self.arrays
        sizes = xp.matmul(xp.abs(z), self.entry_sizes)
        sizes = xp.concatenate([sizes, sizes]) + self.end_sizes
        value = xp.matmul(z, self.entries)
        excess = xp.concatenate([value, -value]) + self.end
        holds = (excess + self.rounding * sizes <= 0.0) | (self.has < 1.0)
        if self.splits:
            own = xp.matmul(xp.abs(z), self.of_outputs)
            allowed = sizes * (self.of_pinned * pinned + self.of_sums) + xp.concatenate([own, own])
            fits = xp.sum_last(xp.where(xp.abs(z) <= self.most, 0.0, 1.0)) <= 0.0
            value, lost = self._exactly(z)
            holds = holds | (fits & (value + 1.01 * lost <= 0.99 * allowed))
        return holds

    def _exactly(self, z: Any) -> tuple[Any, Any]:
        """By how much rows exceed their limits, with its sign, and at most how much is left out there."""
        xp, parts = self.arrays, []
        for per_unit, unit in self.units:
            parts.append(xp.round(z * per_unit) * unit)
            z = z - parts[-1]
        lost = xp.matmul(xp.abs(z), self.entry_sizes)
        lost = xp.concatenate([lost, lost]) * 1.01 + self.lost
        found = []
        for level, limit in enumerate(self.limits):
            products = [
                xp.matmul(part, self.pieces[level - at])
                for at, part in enumerate(parts)
                if 0 <= level - at < len(self.pieces)
            ]
            total = sum(products[1:], products[0]) if products else 0.0 * xp.matmul(parts[0], self.pieces[0])
            found.append(xp.concatenate([total, -total]) + limit)
        for level in range(len(found) - 1, 0, -1):  # what is a step of the level before or more goes there
            per_step, step = self.steps[level - 1]
            carried = xp.round(found[level] * per_step) * step
            found[level] = found[level] - carried
            found[level - 1] = found[level - 1] + carried
        value = found[-1]
        for part in reversed(found[:-1]):
            value = value + part
        return value, lost
