"""The maps as formulas over any library of arrays: what NumPy's names mean is given by `Arrays`.

They run where the C library doesn't: on other devices in torch, in JAX, and written down as an ONNX graph. Derivatives
come from the differentiation of those: every branch that isn't taken is kept finite, so none of it becomes a NaN.

Every number that float32 can't hold is a `constant` with an axis: exporters of graphs store Python's numbers, and
tensors without axes, as float32. Only 0, 1, 2, 4 and NaN stand in the formulas.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol

import numpy as np

from . import _centre_search, _centres, _rays
from ._arrays import Array
from ._facts import Facts
from ._inside import Inside
from .errors import make


class Arrays(Protocol):
    """What the formulas need, beside arithmetic and x[…, i:j].

    Everything has the type that is computed in, unless it says otherwise."""

    def constant(self, value: Array) -> Any: ...  # has an axis
    def result_constant(self, value: Array) -> Any: ...  # in the type of the result
    def to_result(self, x: Any) -> Any: ...
    def from_result(self, x: Any) -> Any: ...
    def matmul(self, a: Any, b: Any) -> Any: ...
    def quadratic_forms(self, x: Any, matrices: Any) -> Any: ...  # x' M_k x: (…, n), (k, n, n) → (…, k)
    def gather(self, x: Any, columns: Array) -> Any: ...  # x[…, columns]
    def where(self, condition: Any, a: Any, b: Any) -> Any: ...
    def maximum(self, a: Any, b: Any) -> Any: ...
    def minimum(self, a: Any, b: Any) -> Any: ...
    def abs(self, x: Any) -> Any: ...
    def round(self, x: Any) -> Any: ...  # to the nearest whole number
    def sqrt(self, x: Any) -> Any: ...
    def sum_last(self, x: Any) -> Any: ...  # keeps the axis, of length 1
    def max_last(self, x: Any) -> Any: ...  # the same; on a tie the first has the derivative
    def concatenate(self, parts: list[Any]) -> Any: ...  # along the last axis
    def without_derivative(self, x: Any) -> Any: ...

    # For samples whose origin is the centre of their own limits (_centres.py). has_library: there is centre(region, x),
    # origins by the library; else max_rows and repeat, for finding them. differentiates: derivatives are taken.
    has_library: bool
    differentiates: bool

    def unsqueeze(self, x: Any) -> Any: ...  # (…, n) → (…, 1, n)
    def column(self, x: Any) -> Any: ...  # (…, n) → (…, n, 1)
    def sum_rows(self, x: Any, weights: Any) -> Any: ...  # Σ_k weights[…, k] x[…, k, :]
    def gram(self, weights: Any, rows: Any) -> Any: ...  # Σ w_i r_i r_i': (…, k), (k, n) → (…, n, n)
    # (…, n, n), (…, n) → (…, n) with n = size; the matrix is positive definite
    def solve(self, matrix: Any, right: Any, size: int) -> Any: ...


@dataclasses.dataclass(frozen=True)
class Precision:
    """What is computed in, and what comes out."""

    arithmetic: str  # "float32" or "float64"
    result: str

    @property
    def unit(self) -> float:
        """The unit roundoff of the arithmetic."""
        return 2.0**-24 if self.arithmetic == "float32" else 2.0**-53


# (below, factor), (above, factor): directions are brought near 1 by exact powers of two before anything is squared.
_SCALES = {
    "float64": {"below": ((1e-70, 2.0**400), (1e-200, 2.0**800)), "above": ((1e70, 2.0**-400), (1e188, 2.0**-800))},
    "float32": {"below": ((1e-10, 2.0**50), (1e-30, 2.0**100)), "above": ((1e10, 2.0**-50), (1e28, 2.0**-100))},
}


def _inward(lower: Array, upper: Array, result: str) -> tuple[Array, Array]:
    """Bounds rounded to the type of the result, to the inside."""
    if result == "float64":
        return lower, upper
    with np.errstate(over="ignore"):
        low, high = lower.astype(np.float32), upper.astype(np.float32)
    low = np.where(low < lower, np.nextafter(low, np.float32(np.inf)), low)
    high = np.where(high > upper, np.nextafter(high, np.float32(-np.inf)), high)
    return low, high


def _to_grid(bound: Array, grid: Array, to: Any) -> Array:
    """Bounds moved by `to`, np.ceil or np.floor, to the grid; those beyond all results stay."""
    reach = 2.0 ** (24 if bound.dtype == np.float32 else 53) * grid
    inside = np.abs(bound) < reach
    step = np.where(inside, grid, 1.0)
    return np.where(inside, to(np.where(inside, bound, 0.0) / step) * step, bound).astype(bound.dtype)


@dataclasses.dataclass
class _At:
    """What depends on a sample's parameters; without such, the same for all."""

    origin: Any  # None: 0
    box_upper: Any  # inverse slacks
    box_lower: Any
    row_upper: Any
    row_lower: Any
    most: Any  # of the radius: 1 less the margin, …
    least: Any  # … of gauge − 1, for points that stay, …
    softest: Any  # … and of 1/gauge
    x: Any = None
    bad: Any = None  # (…, 1): whether the parameters are out of range
    met: Any = None  # 1 for limits that leave one value only …
    moves: Any = None  # … and 0 for the outputs that they leave one
    bounds: Any = None  # of results, where they come with the sample
    pinned: Any = None  # 1 for limits whose two sides meet, up to rounding
    inverse: Any = None  # inverse distances from lower and upper limits
    kept: Any = None  # the sample, less what rounding takes of each distance; else `most` has that


class Maps:
    """The maps of one region, over one library of arrays.

    Inputs are of the type that is computed in, with the sample on the last axis; x has the parameters of a region with
    such. `gauge` and `encode` give that type, the others the type of the result; NaN for parameters out of range. A row
    with a NaN or an infinity gives what `bad` says: "nan" or "origin".
    """

    def __init__(self, region: Facts, arrays: Arrays, precision: Precision, what: str, bad: str = "origin") -> None:
        _rays.require(region, what)
        self.arrays, self.n, self.bad = arrays, region.n, bad
        self.region = region
        is_checked = region.p > 0 and region.origin_form == "checked"  # each sample then has a margin of its own
        self.margin = margin = 0.0 if is_checked else _rays.margin(region, precision.unit, precision.result)
        if margin >= 1:
            raise make("precision", f"the region is too thin for {what} in {precision.arithmetic}")
        self.rays = rays = _rays.read(region, precision.result)
        constant = arrays.constant
        self.scales = {
            side: [(constant(np.array([bound])), constant(np.array([factor]))) for bound, factor in steps]
            for side, steps in _SCALES[precision.arithmetic].items()
        }
        self.resolution = constant(np.array([_rays.resolution(region, precision.result)]))
        self.finite = constant(np.array([np.finfo(precision.arithmetic).max]))
        shares = (1 - margin, -margin, margin / (1 - margin))
        self.shares = dict(
            zip(("most", "least", "softest"), (constant(np.array([share])) for share in shares), strict=True)
        )
        # what is left of a direction across the equalities
        self.rounding = constant(np.array([8 * region.n * precision.unit]))
        fields = {field.name: getattr(rays, field.name) for field in dataclasses.fields(rays)}
        self.constants = {
            name: constant(value)
            for name, value in fields.items()
            if isinstance(value, np.ndarray) and name not in ("row_columns", "grid") and value.size
        }
        if rays.cone_segment.size:
            self.constants["cone_segment_transposed"] = constant(np.ascontiguousarray(rays.cone_segment.T))
        if rays.moving is None:
            names = ("origin", "box_upper", "box_lower", "row_upper", "row_lower")
            self.fixed = _At(**{name: self.constants.get(name) for name in names}, **self.shares)
        else:
            fields = dataclasses.asdict(rays.moving)
            self.moving = {name: constant(value) for name, value in fields.items() if value.size}
        lower, upper = box = _inward(*rays.box, precision.result)
        if rays.grid.size:
            lower, upper = _to_grid(lower, rays.grid, np.ceil), _to_grid(upper, rays.grid, np.floor)
            step = np.where(rays.grid > 0, rays.grid, 1.0)
            grids = (1 / step, step, (rays.grid > 0).astype(float))
            self.per_step, self.step, self.on_grid = (arrays.result_constant(values) for values in grids)
        bounds = lower.astype(float), upper.astype(float)
        made = _centres.Centre if arrays.has_library else _centre_search.CentreSearch
        self.centre = made(region, arrays, precision, rays.grid, bounds) if is_checked else None
        if self.centre is not None:
            self.inside = Inside(arrays, self.centre.limits, precision, box, np.maximum(*np.abs(region.bounds)))
        if is_checked and not _centres.has_room(region, NumPy(precision), precision, rays.grid, bounds):
            raise make("precision", f"the region is too thin, or its ranges too wide, for {what} in {precision.result}")
        self.lower = None if np.isneginf(lower).all() else arrays.result_constant(lower)
        self.upper = None if np.isposinf(upper).all() else arrays.result_constant(upper)
        if rays.affine is not None:
            count = len(rays.affine.dependent)
            chosen = np.zeros((count, self.n))
            chosen[np.arange(count), rays.affine.dependent] = 1
            self.constants["basis"] = constant(rays.affine.basis)
            self.constants["basis_transposed"] = constant(np.ascontiguousarray(rays.affine.basis.T))
            self.constants["map"] = constant(np.ascontiguousarray(rays.affine.map.T))
            self.constants["map_constant"] = constant(rays.affine.constant)
            if rays.affine.map_x.any():
                self.constants["map_x"] = constant(np.ascontiguousarray(rays.affine.map_x.T))
            self.constants["chosen"], self.constants["free"] = constant(chosen), constant(1 - chosen.sum(0))
            self.chosen = arrays.result_constant(chosen)
            self.free = arrays.result_constant(1 - chosen.sum(0))

    def _has(self, name: str) -> bool:
        return name in self.constants

    # -------------------------------------------------------------------------------------------------- parameters

    def _at(self, x: Any) -> _At:
        if self.rays.moving is None:
            return self.fixed
        xp, m = self.arrays, self.moving
        if self.centre is not None:
            return self._at_centre(x, self.centre)
        bad = xp.sum_last(xp.where((x >= m["lower"]) & (x <= m["upper"]), 0.0, 1.0)) > 0
        x = xp.where(bad, m["middle"], x)
        away = x - m["middle"]
        origin = self.constants["origin"] + (moved := xp.matmul(away, m["origin"]))
        box: tuple[Any, ...] = (None, None)
        if self.lower is not None or self.upper is not None:
            box = (1 / (m["box_upper"] - moved), 1 / (m["box_lower"] - moved))
        rows: tuple[Any, ...] = (None, None)
        if self._has("row_upper"):
            change = xp.matmul(away, m["rows"])
            rows = (1 / (m["row_upper"] - change), 1 / (m["row_lower"] - change))
        return _At(origin, box[0], box[1], rows[0], rows[1], **self.shares, x=x, bad=bad)

    def _at_centre(self, x: Any, centre: _centres.Centre) -> _At:
        xp: Any = self.arrays
        n = self.n
        bad = xp.sum_last(xp.where((x >= centre.x_lower) & (x <= centre.x_upper), 0.0, 1.0)) > 0
        inside = xp.without_derivative(xp.where(bad, centre.middle, x))
        known = centre.search(inside)
        bad = xp.sum_last(xp.where(xp.abs(known) <= self.finite, xp.where(bad, 1.0, 0.0), 1.0)) > 0
        x = xp.where(bad, centre.middle, x)
        origin, inverse, met, kept, pinned = centre.find(x, xp.where(bad, centre.origin, known))
        limits = [
            {
                "box_upper": above[..., :n],
                "box_lower": -below[..., :n],
                "row_upper": above[..., n:],
                "row_lower": -below[..., n:],
            }
            for below, above in (inverse, kept)
        ]
        return _At(
            origin,
            **limits[0],
            **self.shares,
            x=x,
            bad=bad,
            met=met,
            moves=centre.moves(met),
            bounds=centre.bounds(x),
            pinned=pinned,
            inverse=inverse,
            kept=_At(origin, **limits[1], **self.shares),
        )

    def _or_nan(self, at: _At, result: Any, bad: Any = None) -> Any:
        if bad is not None and self.bad == "nan":
            result = self.arrays.where(bad, float("nan"), result)
        return result if at.bad is None else self.arrays.where(at.bad, float("nan"), result)

    # ------------------------------------------------------------------------------------------------------- gauge

    def _rows(self, w: Any, at: _At) -> Any:
        xp, c = self.arrays, self.constants
        products = []
        if self._has("row_values"):
            products.append(_sum_terms(xp, w, self.rays.row_columns, self.rays.row_values))
        if self._has("row_matrix"):
            products.append(xp.matmul(w, c["row_matrix"]))
        s = products[0] if len(products) == 1 else xp.concatenate(products)
        return xp.maximum(s * at.row_upper, s * at.row_lower)

    def _quadratics(self, w: Any) -> Any:
        """The positive root of −slack γ² + b γ + a = 0, without cancellation."""
        xp, c = self.arrays, self.constants
        squares = []
        if self._has("quadratic_diagonal"):
            squares.append(xp.matmul(w * w, c["quadratic_diagonal"]))
        if self._has("quadratic_dense"):
            squares.append(xp.quadratic_forms(w, c["quadratic_dense"]))
        if self._has("quadratic_factor"):
            x = xp.matmul(w, c["quadratic_factor"])
            squares.append(xp.matmul(x * x, c["quadratic_segment"]))
        a = xp.maximum(squares[0] if len(squares) == 1 else xp.concatenate(squares), 0.0)
        b, slack = xp.matmul(w, c["quadratic_gradient"]), c["quadratic_slack"]
        discriminant = b * b + 4 * slack * a
        half = _safe_sqrt(xp, discriminant)
        divisor = half - b
        return xp.where(b >= 0, (b + half) / (2 * slack), 2 * a / xp.where((b < 0) & (divisor > 0), divisor, 1.0))

    def _cones(self, w: Any) -> Any:
        """Docs/exactness.md has the formula, src/kinds/cone/cone_value.c the same in C."""
        xp, c = self.arrays, self.constants
        one_less = c["cone_one_less"]
        f = xp.matmul(w, c["cone_linear"])
        falls = f < 0
        fall = xp.where(falls, -f, 0.0)
        x = xp.matmul(w, c["cone_matrix"]) + xp.matmul(fall, c["cone_segment_transposed"]) * c["cone_origin"]
        squares = xp.matmul(x * x, c["cone_segment"])
        h = xp.matmul(x * c["cone_origin"], c["cone_segment"])
        norm = _safe_sqrt(xp, squares)
        rise = xp.where(falls, 0.0, f)
        a = xp.where(falls, squares, (norm - rise) * (norm + rise))
        b = h - rise
        half = _safe_sqrt(xp, b * b + one_less * a)
        divisor = half - b
        root = xp.where(
            b >= 0,
            (b + half) / one_less,
            xp.maximum(a, 0.0) / xp.where((b < 0) & (divisor > 0), divisor, 1.0),
        )
        return (root + fall) / c["cone_right"]

    def _gauge(self, w: Any, at: _At) -> Any:
        xp = self.arrays
        found = []
        if self.lower is not None or self.upper is not None:
            found.append(xp.maximum(w * at.box_upper, w * at.box_lower))
        if self._has("row_upper"):
            found.append(self._rows(w, at))
        if self._has("quadratic_slack"):
            found.append(self._quadratics(w))
        if self._has("cone_right"):
            found.append(self._cones(w))
        return xp.maximum(xp.max_last(found[0] if len(found) == 1 else xp.concatenate(found)), 0.0)

    def _direction(self, v: Any, at: _At) -> tuple[Any, Any, Any, Any]:
        """Bad values as 0 and which rows have one; the direction within the equalities, and scaled; its scale."""
        xp, c = self.arrays, self.constants
        bad = xp.sum_last(xp.where(xp.abs(v) <= self.finite, 0.0, 1.0)) > 0
        v = xp.where(bad, 0.0, v)
        size = xp.without_derivative(xp.max_last(xp.abs(v)))
        scale = size * 0.0 + 1.0
        for bound, factor in self.scales["below"]:
            scale = xp.where(size < bound, factor, scale)
        for bound, factor in self.scales["above"]:
            scale = xp.where(size > bound, factor, scale)
        w = v * scale
        if self.rays.affine is not None:
            for _ in range(2):
                w = w - xp.matmul(xp.matmul(w, c["basis_transposed"]), c["basis"])
            # outputs that equalities determine move as those of a result do, to a rounding of each
            w = w * c["free"] + xp.matmul(xp.matmul(w, c["map"]), c["chosen"])
            left = xp.without_derivative(xp.max_last(xp.abs(w)))
            w = xp.where(left > size * scale * self.rounding, w, 0.0)
        turned: Any = 0.0
        if self.centre is not None:
            w, turned = self.centre.direct(w, at.met, at.moves)
        return bad, w, scale, turned

    # -------------------------------------------------------------------------------------------------------- maps

    def _finish(self, step: Any, at: _At, bad: Any = None) -> Any:
        """The result O + step. Where samples have centres it is certainly inside: that, or the origin, or NaN."""
        xp, y = self.arrays, self._point(step, at)
        if self.centre is not None:
            for other in (self._point(0.0 * step, at), float("nan")):
                y = xp.where(self._is_inside(y, at), y, other)
        return self._or_nan(at, y, bad)

    def _is_inside(self, y: Any, at: _At) -> Any:
        xp = self.arrays
        return self.inside.holds(xp.from_result(xp.without_derivative(y)), xp.without_derivative(at.x), at.pinned) > 0

    def _point(self, step: Any, at: _At) -> Any:
        """O + step in its own type, within the box, with the outputs that equalities determine."""
        xp = self.arrays
        y = xp.to_result(step if at.origin is None else at.origin + step)
        if self.rays.grid.size:  # sums of the outputs are exact there
            y = y + xp.without_derivative((xp.round(y * self.per_step) * self.step - y) * self.on_grid)
        lower, upper = (self.lower, self.upper) if at.bounds is None else at.bounds
        if lower is not None:
            y = xp.maximum(y, lower)
        if upper is not None:
            y = xp.minimum(y, upper)
        if self.rays.affine is not None:
            completed = self._dependent(y, at)
            if self.centre is not None:
                for _ in range(3):
                    y = self.centre.mend(y, completed, at.bounds, at.origin, at.moves)
                    completed = self._dependent(y, at)
            y = y * self.free + xp.matmul(xp.to_result(completed), self.chosen)
        if self.centre is not None:
            y = xp.where(at.moves > 0, y, xp.to_result(at.origin))
        return y

    def _dependent(self, y: Any, at: _At) -> Any:
        """The outputs that equalities determine, from the others as they are rounded."""
        xp = self.arrays
        completed = xp.matmul(xp.from_result(y), self.constants["map"]) + self.constants["map_constant"]
        return completed + xp.matmul(at.x, self.constants["map_x"]) if self._has("map_x") else completed

    def origin(self, x: Any) -> Any:
        """(…, p) → (…, n)."""
        at = self._at(x)
        return self._finish(0.0 * at.origin, at)

    def gauge(self, v: Any, x: Any = None) -> Any:
        """(…, n) → (…, 1); NaN for bad values."""
        at = self._at(x)
        bad, w, scale, _ = self._direction(v, at)
        return self._or_nan(at, self.arrays.where(bad, float("nan"), self._gauge(w, at) / scale))

    def encode(self, y: Any, x: Any = None) -> Any:
        """(…, n) → (…, n + 1)."""
        xp, at = self.arrays, self._at(x)
        bad, w, scale, _ = self._direction(y if at.origin is None else y - at.origin, at)
        gauge = self._gauge(w, at)
        if self.centre is not None:
            w = self.centre.undamp(w, at.inverse, at.met, at.moves)
        square = xp.sum_last(w * w)
        length = xp.where(square > 0, _safe_sqrt(xp, square), 1.0)
        return self._or_nan(at, xp.concatenate([w / length, gauge / scale]), bad)

    def decode(self, polar: Any, x: Any = None) -> Any:
        """(…, n + 1) → (…, n)."""
        xp, at = self.arrays, self._at(x)
        bad, w, _, _ = self._direction(polar[..., : self.n], at)
        if self.centre is not None:
            w = self.centre.damp_all(w, at.inverse, at.met, at.moves)
        r = polar[..., self.n :]
        sound = xp.abs(r) <= self.finite
        bad = xp.where(sound, xp.where(bad, 1.0, 0.0), 1.0) > 0
        r = xp.minimum(xp.maximum(xp.where(sound, r, 0.0), 0.0), 1.0)
        r = r - xp.without_derivative(r - xp.minimum(r, at.most))
        gauge = self._gauge(w, at)
        stopped = (gauge > 0) & sound
        if at.kept is not None:
            within = gauge / xp.where(stopped, self._gauge(w, at.kept), 1.0)
            r = r - xp.without_derivative(r - xp.minimum(r, xp.where(stopped, within, 1.0)))
        return self._finish(w * xp.where(stopped, r / xp.where(stopped, gauge, 1.0), 0.0), at, bad)

    def contract(self, v: Any, x: Any = None) -> Any:
        """(…, n) → (…, n)."""
        xp, at = self.arrays, self._at(x)
        bad, w, scale, turned = self._direction(v, at)
        if self.centre is not None:
            w = self.centre.damp(w, scale, turned, at.inverse, at.met, at.moves)
        gauge = self._gauge(w, at if at.kept is None else at.kept)
        free = gauge - scale <= scale * at.least
        return self._finish(w * xp.where(free, 1 / scale, at.most / xp.where(free, 1.0, gauge)), at, bad)

    def soften(self, v: Any, x: Any = None) -> Any:
        """(…, n) → (…, n)."""
        xp, at = self.arrays, self._at(x)
        bad, w, scale, _ = self._direction(v, at)
        if self.centre is not None:
            w = self.centre.damp_all(w, at.inverse, at.met, at.moves)
        gauge = self._gauge(w, at)
        free, frontier = gauge * at.softest <= scale, gauge
        if at.kept is not None:
            frontier = self._gauge(w, at.kept)
            free = frontier - gauge <= scale
        return self._finish(w * xp.where(free, 1 / (scale + gauge), at.most / xp.where(free, 1.0, frontier)), at, bad)

    def soften_inverse(self, y: Any, x: Any = None) -> Any:
        """(…, n) → (…, n); NaN outside."""
        xp, at = self.arrays, self._at(x)
        bad, w, scale, _ = self._direction(y if at.origin is None else y - at.origin, at)
        left = 1 - self._gauge(w, at) / scale
        left = xp.where(left > -self.resolution, xp.maximum(left, self.resolution), float("nan"))
        if self.centre is not None:
            w = self.centre.undamp(w, at.inverse, at.met, at.moves)
        return self._or_nan(at, w / scale / left, bad)


def _safe_sqrt(xp: Arrays, square: Any) -> Any:
    """The root of what is positive, else 0, with a finite derivative."""
    positive = square > 0
    return xp.where(positive, xp.sqrt(xp.where(positive, square, 1.0)), 0.0)


def _sum_terms(xp: Arrays, w: Any, columns: Array, values: Array) -> Any:
    """Σ_k values[:, k] w[…, columns[:, k]]."""
    total = None
    for k in range(columns.shape[1]):
        term = xp.gather(w, columns[:, k]) * xp.constant(np.ascontiguousarray(values[:, k]))
        total = term if total is None else total + term
    return total


class NumPy:
    """The formulas' arrays in NumPy: what JAX changes some of, and tests hold the others against."""

    def __init__(self, precision: Precision) -> None:
        self.precision = precision

    def constant(self, value: Array) -> Any:
        return np.asarray(value, self.precision.arithmetic)

    def result_constant(self, value: Array) -> Any:
        return np.asarray(value, self.precision.result)

    def to_result(self, x: Any) -> Any:
        return x.astype(self.precision.result)

    def from_result(self, x: Any) -> Any:
        return x.astype(self.precision.arithmetic)

    def quadratic_forms(self, x: Any, matrices: Any) -> Any:
        return np.einsum("...i,kij,...j->...k", x, matrices, x, optimize=True)

    def gather(self, x: Any, columns: Array) -> Any:
        return x[..., columns]

    def sum_last(self, x: Any) -> Any:
        return np.sum(x, -1, keepdims=True)

    def max_last(self, x: Any) -> Any:
        return np.max(x, -1, keepdims=True)

    def concatenate(self, parts: list[Any]) -> Any:
        return np.concatenate(parts, -1)

    def without_derivative(self, x: Any) -> Any:
        return x

    has_library = True
    differentiates = False

    def centre(self, region: Any, x: Any) -> Any:
        return region.decode(np.zeros((*x.shape[:-1], region.n + 1), x.dtype), x)

    def unsqueeze(self, x: Any) -> Any:
        return x[..., None, :]

    def column(self, x: Any) -> Any:
        return x[..., None]

    def sum_rows(self, x: Any, weights: Any) -> Any:
        return (x * weights[..., None]).sum(-2)

    def gram(self, weights: Any, rows: Any) -> Any:
        return np.matmul(rows.T * weights[..., None, :], rows)

    def solve(self, matrix: Any, right: Any, size: int) -> Any:
        return np.linalg.solve(matrix, right[..., None])[..., 0]

    matmul: Any = staticmethod(np.matmul)
    where: Any = staticmethod(np.where)
    maximum: Any = staticmethod(np.maximum)
    minimum: Any = staticmethod(np.minimum)
    abs: Any = staticmethod(np.abs)
    round: Any = staticmethod(np.rint)
    sqrt: Any = staticmethod(np.sqrt)
