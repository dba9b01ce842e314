"""How much other arithmetic than the library's must give up next to the frontier: docs/exactness.md, with the constants
of sums in any order, of coefficients rounded to the arithmetic, and of results rounded to another type."""

from __future__ import annotations

import math

import numpy as np

from ._arrays import Array
from ._parts import Cone, Parts, Quadratic, dot_minus, row_motions, row_slacks, value_and_gradient


def margin(parts: Parts, arithmetic: float, result: float) -> float:
    """The share of the radius to give up so that results are exactly inside: docs/exactness.md, for other arithmetic.

    `arithmetic` is the unit roundoff of what the gauge is computed in, with sums in any order and coefficients rounded
    to it; `result` is that of the type of the result.
    """
    u, w = arithmetic, result
    size = np.abs(parts.origin)
    if parts.motion is not None:
        size = size + np.abs(parts.motion.map) @ parts.motion.away
    size = np.maximum(size, 2.0**-100)
    most = max(parts.margins[result > 2.0**-53], 0.0)
    worse, extra = _row_rounding(parts, u), _dependent_rounding(parts, size, u, w)
    most = max(most, _box_margin(parts, size, extra, w))
    for i in range(len(parts.rows)):
        columns, values = parts.rows.row(i)
        a = np.abs(values)
        reached = min(float(a @ parts.reach[columns]), float(np.linalg.norm(a)) * parts.radius)
        away, wrong, terms = worse[i]
        slack = min(abs(slack) for slack in row_slacks(parts, i)) - away - wrong
        if slack <= 0:
            return 1.0
        error = ((len(a) + terms + 10) * u + 4 * w) * (float(a @ size[columns]) + reached) + float(a @ extra[columns])
        most = max(most, 1.01 * (error + wrong) / slack)
    most = max([most, *(_quadratic_margin(parts, q, size, extra, u, w) for q in parts.quadratics)])
    most = max([most, *(_cone_margin(parts, cone, size, extra, u, w) for cone in parts.cones)])
    return math.ceil(most * 2.0**53) * 2.0**-53


def _row_rounding(parts: Parts, u: float) -> list[tuple[float, float, int]]:
    """With parameters, for each row: by how much its slack may be less than at the middle of the range, how far the
    computed slack may be off, and how many terms an origin has besides."""
    motion = parts.motion
    if motion is None:
        return [(0.0, 0.0, 0)] * len(parts.rows)
    p, away = len(motion.middle), motion.away
    found = []
    moved = np.abs(row_motions(parts, motion))
    through = np.abs(parts.rows.dense(parts.n)) @ np.abs(motion.map) + np.abs(motion.row_x)
    for i in range(len(parts.rows)):
        least = float(moved[i] @ away)
        sides = [abs(slack) for slack in row_slacks(parts, i) if not math.isinf(slack)]
        at_middle = max(sides, default=0.0)
        # x − middle is rounded, and so is the middle in single precision; S has been, after sums in long double.
        computed = at_middle + float(moved[i] @ (away + np.abs(motion.middle)))
        wrong = (p + 8) * u * computed + u * float(through[i] @ away)
        found.append((least, wrong, p + 6))
    return found


def _dependent_rounding(parts: Parts, size: Array, u: float, w: float) -> Array:
    """What an output that equalities determine is off beyond its own rounding: what its free outputs are, and the sums
    for the result, its direction and, with parameters, its origin, which here run in the arithmetic."""
    extra = np.zeros(parts.n)
    if parts.affine is None:
        return extra
    by = np.abs(parts.affine.map)
    terms, summed = np.count_nonzero(by, axis=1), np.abs(parts.affine.constant) + by @ (size + parts.reach)
    if parts.motion is not None:
        terms = terms + 2 * len(parts.motion.middle)
        summed = summed + np.abs(parts.affine.map_x) @ (np.abs(parts.motion.middle) + parts.motion.away)
    extra[parts.affine.dependent] = 1.01 * (4 * w * by @ (size + parts.reach) + (3 * terms + 20) * u * summed)
    return extra


def _box_margin(parts: Parts, size: Array, extra: Array, w: float) -> float:
    """Results are cut to the box, but for the outputs that equalities determine."""
    if parts.affine is None:
        return 0.0
    j = parts.affine.dependent
    slack = np.minimum(parts.upper[j] - parts.origin[j], parts.origin[j] - parts.lower[j])
    bounded = np.isfinite(slack)
    if parts.motion is not None:
        slack = slack - np.abs(parts.motion.map[j]) @ parts.motion.away - extra[j]
    if (slack <= 0).any():
        return 1.0
    error = 4 * w * (size[j] + parts.reach[j]) + extra[j]
    return float((1.01 * error[bounded] / slack[bounded]).max(initial=0.0))


def _quadratic_margin(parts: Parts, q: Quadratic, size: Array, extra: Array, u: float, w: float) -> float:
    n, rho = parts.n, parts.radius
    value, g = value_and_gradient(q, parts.origin)
    slack, norm_g = -value, float(np.linalg.norm(g))
    absolute = np.abs(q.matrix)
    energy = math.sqrt(2 * (slack + norm_g * rho))
    if q.form == 2:
        terms = absolute.T @ (absolute @ size + np.abs(q.shift)) + np.abs(q.linear)
        norm = float(np.linalg.norm(absolute, 2))
        square = (len(absolute) + 10) * u * energy**2 + 2 * (n + 2) * u * energy * norm * rho
        at_origin, reach = float(np.linalg.norm(absolute @ size)), norm * rho
    elif q.form == 1:
        terms = absolute @ (size + np.abs(q.shift)) + np.abs(q.linear)
        norm = float(absolute.sum(1).max())
        square = (2 * n + 10) * u * norm * rho**2
        at_origin, reach = math.sqrt(float(size @ absolute @ size)), math.sqrt(norm) * rho
    else:
        terms = absolute * (size + np.abs(q.shift)) + np.abs(q.linear)
        square = (n + 10) * u * energy**2
        norm = float(absolute.max())
        at_origin, reach = math.sqrt(float(absolute @ size**2)), energy
    step = 4 * w * (at_origin + reach)
    length = float(np.linalg.norm(extra)) * (norm if q.form == 2 else math.sqrt(norm))
    error = (
        (2 * n + 20) * u * (norm_g + float(np.linalg.norm(terms))) * rho
        + square
        + 16 * u * (energy**2 + norm_g * rho + slack)
        + 4 * w * (float(np.abs(g) @ size) + norm_g * rho)
        + float(np.abs(g) @ extra)
        + energy * (step + length)
        + step**2
        + length**2
    )
    return 1.01 * error / slack


def _cone_margin(parts: Parts, cone: Cone, size: Array, extra: Array, u: float, w: float) -> float:
    def measure(matrix: Array) -> tuple[float, float, float]:
        a = np.abs(np.atleast_2d(matrix))
        reached = np.minimum(a @ parts.reach, np.linalg.norm(a, axis=1) * parts.radius)
        return float(np.linalg.norm(a @ size)), float(np.linalg.norm(reached)), float(np.linalg.norm(a @ extra))

    left, left_reach, left_extra = measure(cone.matrix)
    right, right_reach, right_extra = measure(cone.linear)
    left_reach = min(left_reach, float(np.linalg.norm(cone.matrix, 2)) * parts.radius)
    e0 = dot_minus(cone.linear, parts.origin, -cone.constant)
    w0 = np.array([dot_minus(row, parts.origin, -s) for row, s in zip(cone.matrix, cone.shift.tolist(), strict=True)])
    slack = e0 * -dot_minus(w0 / e0, w0 / e0, 1.0) / (1 + float(np.linalg.norm(w0 / e0)))
    moved = min(left_reach, 2 * e0 + right_reach)
    products = (parts.n + 10) * u * (left_reach + right_reach)
    root = u * ((len(w0) + 72) * (moved + right_reach) + 24 * e0)
    step = 4 * w * (left + left_reach + right + right_reach)
    return 1.01 * (4 * u * e0 + products + root + step + left_extra + right_extra) / slack
