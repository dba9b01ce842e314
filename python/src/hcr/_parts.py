"""A region's constraints as arrays, for what computes its maps without the library: other devices, JAX, ONNX.

They are read from the compiled region, whose layout this file knows as src/region and src/kinds write it.
Everything is measured from the origin: a row a·y <= b is kept as a and 1/(b − a·O). Boxes, rows, quadratics and cones
can be read; the names of other kinds are in `Parts.others`, and nothing else is promised then.

With parameters x the origin moves, O(x) = O(mid) + M (x − mid), and with it what a row leaves: (b − a·O(mid)) −
S (x − mid). That is for boxes and rows whose origin is proved to be inside over the whole range.
"""

from __future__ import annotations

import dataclasses
import math
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import Array
from .errors import make

if TYPE_CHECKING:
    from ._facts import Facts

_VERSION = 3
_KINDS = ("box", "linear", "quadratic", "cone", "lmi", "expression", "callback", "union", "except", "varying")
# Rows are gathered term by term when they have so few of them, and multiplied as a matrix else.
_MOST_GATHERED = 8


class Reader:
    """Little-endian numbers, one after the other."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def _take(self, kind: str) -> Any:
        (value,) = struct.unpack_from("<" + kind, self.content, self.at)
        self.at += struct.calcsize("<" + kind)
        return value

    def u32(self) -> int:
        return int(self._take("I"))

    def u64(self) -> int:
        return int(self._take("Q"))

    def f64(self) -> float:
        return float(self._take("d"))

    def array(self, count: int, kind: str) -> Array:
        found = np.frombuffer(self.content, "<" + kind, count, self.at)
        self.at += found.nbytes
        return found.astype(found.dtype.newbyteorder("="))

    def f64s(self, count: int) -> Array:
        return self.array(count, "f8")

    def skip_string(self) -> None:
        length = self.u64()
        self.at += length

    def matrix(self, width: int) -> Array:
        """Compressed rows, as a dense matrix."""
        count, entries = self.u64(), self.u64()
        start = self.array(count + 1 if count else 0, "u8").astype(np.int64)
        columns, values = self.array(entries, "u4"), self.f64s(entries)
        dense = np.zeros((count, width))
        dense[np.repeat(np.arange(count), np.diff(start)), columns] = values
        return dense

    def sparse(self) -> SparseRows:
        count, entries = self.u64(), self.u64()
        start = self.array(count + 1 if count else 0, "u8").astype(np.int64)
        return SparseRows(start if count else np.zeros(1, np.int64), self.array(entries, "u4"), self.f64s(entries))


@dataclasses.dataclass
class SparseRows:
    start: Array
    columns: Array
    values: Array

    def __len__(self) -> int:
        return len(self.start) - 1

    def row(self, i: int) -> tuple[Array, Array]:
        part = slice(self.start[i], self.start[i + 1])
        return self.columns[part], self.values[part]

    def dense(self, width: int) -> Array:
        matrix = np.zeros((len(self), width))
        matrix[np.repeat(np.arange(len(self)), np.diff(self.start)), self.columns] = self.values
        return matrix

    def split(self, width: int, behind: int) -> tuple[SparseRows, Array]:
        """The first `width` columns, and the `behind` ones after them as a matrix."""
        row = np.repeat(np.arange(len(self)), np.diff(self.start))
        first = self.columns < width
        rest = np.zeros((len(self), behind))
        rest[row[~first], self.columns[~first] - width] = self.values[~first]
        start = np.concatenate([[0], np.cumsum(np.bincount(row[first], minlength=len(self)))]).astype(np.int64)
        return SparseRows(start, self.columns[first], self.values[first]), rest


@dataclasses.dataclass
class Quadratic:
    """½ Q(y) + linear·y + constant <= ½ radius², as `hcr_quadratic` has it."""

    form: int  # 0 diagonal, 1 dense, 2 factor
    matrix: Array
    shift: Array
    linear: Array
    constant: float
    radius: float


@dataclasses.dataclass
class Cone:
    """|M y + shift| <= linear·y + constant."""

    matrix: Array
    shift: Array
    linear: Array
    constant: float


@dataclasses.dataclass
class Affine:
    """Outputs `dependent` are constant + map y + map_x x; the rows of `basis` are orthonormal and span the
    equalities'."""

    dependent: Array
    constant: Array
    map: Array
    map_x: Array
    basis: Array


@dataclasses.dataclass
class Motion:
    """Parameters in [lower, upper]; the origin at x is that at `middle` + map (x − middle)."""

    lower: Array
    upper: Array
    middle: Array
    map: Array  # n × p
    row_x: Array  # rows × p: their coefficients of the parameters
    proved: bool  # the origin is strictly inside for every x of the range

    @property
    def away(self) -> Array:
        """Bounds of |x − middle|."""
        away: Array = np.maximum(self.upper - self.middle, self.middle - self.lower)
        return away


@dataclasses.dataclass
class Parts:
    """A region, read."""

    n: int
    origin: Array
    reach: Array  # bounds of |y_j − O_j| over the region
    radius: float  # bounds |y − O|
    margins: tuple[float, float]  # the library's, double and single
    lower: Array  # the box constraints
    upper: Array
    rows: SparseRows
    row_lower: Array
    row_upper: Array
    quadratics: list[Quadratic]
    cones: list[Cone]
    affine: Affine | None
    motion: Motion | None  # for a region with parameters
    others: tuple[str, ...]  # kinds that aren't here
    bounded: bool

    def _refused(self) -> str:
        """Why these parts don't describe the region whole; "" when they do."""
        if self.others:
            known = "box, linear, quadratic and cone" if self.motion is None else "with parameters box and linear"
            return f"for constraints of the kinds {', '.join(self.others)}: {known} can"
        if not self.bounded:
            return "for a region that reaches to infinity"
        if self.motion is not None and not self.motion.proved:
            return "for parameters that may leave the origin outside (origin_form is checked)"
        return ""

    @property
    def served(self) -> bool:
        """Whether these parts describe the region whole."""
        return not self._refused()

    def require(self, what: str) -> None:
        """Refuses a region that these parts don't describe whole."""
        refused = self._refused()
        if refused:
            raise make("unsupported", f"{what} can't be done {refused}")


def read(region: Facts) -> Parts:
    """The parts of a region."""
    kinds = {constraint.kind for constraint in region.constraints}
    known = 2 if region.p else 4
    others = tuple(kind for kind in _KINDS[known:] if kind in kinds)
    lower, upper = region.bounds
    reach = np.maximum(upper - region.origin, region.origin - lower)
    found = Parts(
        region.n,
        region.origin,
        reach,
        float(np.linalg.norm(reach)),
        (region.margin.double, region.margin.single),
        np.full(region.n, -np.inf),
        np.full(region.n, np.inf),
        SparseRows(np.zeros(1, np.int64), np.zeros(0, np.uint32), np.zeros(0)),
        np.zeros(0),
        np.zeros(0),
        [],
        [],
        None,
        None,
        others,
        region.is_bounded,
    )
    if region.p:
        _, low, high = region.parameters
        nothing = np.zeros((0, region.p))
        found.motion = Motion(low, high, (low + high) / 2, np.zeros((region.n, region.p)), nothing, False)
        found.motion.proved = region.origin_form != "checked"
    if not others:
        _read_into(found, Reader(region.to_bytes()), region.p)
    return found


def _read_into(parts: Parts, source: Reader, p: int) -> None:
    n, width = parts.n, parts.n + p
    source.at = 8
    version = source.u32()
    if version != _VERSION:
        raise make("version", f"the library compiles regions in format {version}, this package reads format {_VERSION}")
    source.u64()
    for _ in range(source.u64()):
        source.skip_string()
        source.u64(), source.u32(), source.u32()
    for _ in range(source.u64()):
        source.skip_string()
        source.skip_string()
        source.u32(), source.u32()
    for _ in range(source.u64()):
        count = _read_block(parts, source, _KINDS[source.u32()], width)
        source.array(2 * count, "u4")
    equalities = len(source.sparse())
    source.f64s(equalities), source.array(2 * equalities, "u4")
    middle = source.f64s(width)[n:]
    source.f64s(2 * width)
    parts.radius = min(parts.radius, source.f64())
    source.u32(), source.u32()  # how the origin was chosen; whether the region may be unbounded
    source.u32(), source.u64(), source.u64()  # what the origin sees
    count = source.u64()
    dependent, constant = source.array(count, "u4").astype(np.int64), source.f64s(count)
    map, basis = source.matrix(width), source.matrix(width)[:, :n]
    parts.affine = Affine(dependent, constant, map[:, :n], map[:, n:], basis) if count else None
    if parts.motion is not None:
        source.f64s(n)
        _move(parts, parts.motion, middle, source.matrix(p))
    if source.at != len(source.content) - 8:
        raise make("format", "this package and its library disagree on what a compiled region is: install them anew")


def _move(parts: Parts, motion: Motion, middle: Array, map: Array) -> None:
    """The origin's motion, that of dependent outputs with it, and how far the region reaches from there."""
    affine = parts.affine
    motion.middle, motion.map = middle, map
    if affine is not None:
        map[affine.dependent] = 0
        map[affine.dependent] = affine.map @ map + affine.map_x
    moved = np.abs(map) @ motion.away
    parts.reach = parts.reach + moved
    parts.radius = float(np.linalg.norm(parts.reach))


def _read_block(parts: Parts, source: Reader, kind: str, n: int) -> int:
    """Reads one block of a set of n columns and gives the count of its inequalities."""
    if kind == "box":
        parts.lower, parts.upper = source.f64s(n)[: parts.n], source.f64s(n)[: parts.n]
        return 2 * n
    if kind == "linear":
        parts.rows, row_x = source.sparse().split(parts.n, n - parts.n)
        if parts.motion is not None:
            parts.motion.row_x = row_x
        parts.row_lower, parts.row_upper = source.f64s(len(parts.rows)), source.f64s(len(parts.rows))
        return 2 * len(parts.rows)
    if kind == "quadratic":
        form = source.u32()
        source.f64()
        constant, radius = source.f64(), source.f64()
        factor = source.matrix(n)
        matrix = factor if form == 2 else source.f64s(n) if form == 0 else source.f64s(n * n).reshape(n, n)
        shift = source.f64s(len(factor) if form == 2 else n)
        parts.quadratics.append(Quadratic(form, matrix, shift, source.f64s(n), constant, radius))
        return 1
    matrix = source.matrix(n)
    shift, linear = source.f64s(len(matrix)), source.f64s(n)
    parts.cones.append(Cone(matrix, shift, linear, source.f64()))
    return 1


# ----------------------------------------------------------------------------------------------- relative to the origin


def dot_minus(a: Array, y: Array, b: float) -> float:
    """a·y − b, rounded once: products with their errors (Dekker's), summed exactly."""
    product = a * y
    high = [(134217729.0 * x) - ((134217729.0 * x) - x) for x in (a, y)]
    low = [a - high[0], y - high[1]]
    error = ((high[0] * high[1] - product) + high[0] * low[1] + low[0] * high[1]) + low[0] * low[1]
    return math.fsum((*product.tolist(), *error.tolist(), -b))


def _inverse(slack: float) -> float:
    """1/slack, 0 for an infinite one."""
    return 0.0 if math.isinf(slack) else 1 / slack


def _inverses(upper: Array) -> Array:
    return np.array([_inverse(slack) for slack in upper.tolist()])


@dataclasses.dataclass
class Moving:
    """What takes the place of inverse slacks with parameters: the slacks at the middle of their range, ±inf for sides
    that there aren't, and how they change with x − middle."""

    lower: Array  # of the parameters
    upper: Array
    middle: Array
    origin: Array  # p × n: the origin's motion
    box_upper: Array
    box_lower: Array
    row_upper: Array  # in the order of Rays.row_upper
    row_lower: Array
    rows: Array  # p × rows: what is subtracted from the slacks


@dataclasses.dataclass
class Rays:
    """What rays from the origin need, in float64. Absent things have a length of 0."""

    origin: Array
    box_upper: Array  # 1/(upper − O), 0 for none
    box_lower: Array  # 1/(lower − O) < 0
    row_columns: Array  # rows that are gathered: rows × terms …
    row_values: Array
    row_matrix: Array  # … and those that are multiplied: n × rows, gathered ones left out
    row_upper: Array  # gathered ones first
    row_lower: Array
    quadratic_diagonal: Array  # n × k: halves of the diagonals
    quadratic_dense: Array  # k × n × n: halves
    quadratic_factor: Array  # n × rows, of all factors …
    quadratic_segment: Array  # … and rows × k: ½ where the row is that quadratic's
    quadratic_gradient: Array  # n × k: at the origin; diagonal ones first, then dense, then factored
    quadratic_slack: Array  # k
    cone_matrix: Array  # n × rows, of all cones
    cone_segment: Array  # rows × k, ones
    cone_origin: Array  # rows: (M O + s)/e0
    cone_linear: Array  # n × k
    cone_right: Array  # k: e0
    cone_one_less: Array  # k: 1 − |(M O + s)/e0|²
    affine: Affine | None
    box: tuple[Array, Array]  # what results are cut to
    moving: Moving | None


def row_slacks(parts: Parts, i: int) -> tuple[float, float]:
    """What a row leaves at the origin (that at the middle of the parameters' range): upper − a·O and lower − a·O."""
    columns, values = parts.rows.row(i)
    at = parts.origin[columns]
    if parts.motion is not None:
        values, at = np.r_[values, parts.motion.row_x[i]], np.r_[at, parts.motion.middle]
    upper, lower = parts.row_upper[i], parts.row_lower[i]
    return (
        math.inf if math.isinf(upper) else -dot_minus(values, at, upper),
        -math.inf if math.isinf(lower) else -dot_minus(values, at, lower),
    )


def row_motions(parts: Parts, motion: Motion) -> Array:
    """rows × p: by how much a·(O(x), x) grows with each parameter."""
    dense = parts.rows.dense(parts.n).astype(np.longdouble)
    return (dense @ motion.map + motion.row_x).astype(np.float64)


def _moving(parts: Parts, motion: Motion, order: Array) -> Moving:
    slacks = np.array([row_slacks(parts, int(i)) for i in order]).reshape(-1, 2)
    return Moving(
        motion.lower,
        motion.upper,
        motion.middle,
        np.ascontiguousarray(motion.map.T),
        parts.upper - parts.origin,
        parts.lower - parts.origin,
        slacks[:, 0],
        slacks[:, 1],
        np.ascontiguousarray(row_motions(parts, motion)[order].T),
    )


def rays(parts: Parts) -> Rays:
    """The arrays for rays from the origin."""
    n, origin = parts.n, parts.origin
    terms = np.diff(parts.rows.start)
    gathered = (terms <= _MOST_GATHERED) & (6 * terms < n)
    width = int(terms[gathered].max()) if gathered.any() else 0
    row_columns, row_values = np.zeros((int(gathered.sum()), width), np.int64), np.zeros((int(gathered.sum()), width))
    for at, i in enumerate(np.flatnonzero(gathered)):
        columns, values = parts.rows.row(int(i))
        row_columns[at, : len(columns)], row_values[at, : len(columns)] = columns, values
    order = np.concatenate([np.flatnonzero(gathered), np.flatnonzero(~gathered)]).astype(np.int64)
    upper, lower = np.zeros(len(order)), np.zeros(len(order))
    for at, i in enumerate(order):
        upper[at], lower[at] = map(_inverse, row_slacks(parts, int(i)))
    matrix = parts.rows.dense(n)[~gathered].T if not gathered.all() else np.zeros((n, 0))

    quadratics = sorted(parts.quadratics, key=lambda quadratic: quadratic.form)
    by_form = [[q for q in quadratics if q.form == form] for form in range(3)]
    factors, factor_segment = _stack([q.matrix for q in by_form[2]], n)
    told = [value_and_gradient(q, origin) for q in quadratics]

    cone_rows, cone_segment = _stack([cone.matrix for cone in parts.cones], n)
    right = np.array([dot_minus(cone.linear, origin, -cone.constant) for cone in parts.cones])
    at_origin = [
        np.array([dot_minus(row, origin, -shift) for row, shift in zip(cone.matrix, cone.shift.tolist(), strict=True)])
        / e0
        for cone, e0 in zip(parts.cones, right.tolist(), strict=True)
    ]
    return Rays(
        origin,
        _inverses(parts.upper - origin),
        _inverses(parts.lower - origin),
        row_columns,
        row_values,
        matrix,
        upper,
        lower,
        np.array([0.5 * q.matrix for q in by_form[0]]).reshape(-1, n).T,
        np.array([0.5 * q.matrix for q in by_form[1]]).reshape(-1, n, n),
        factors,
        0.5 * factor_segment,
        np.array([gradient for _, gradient in told]).reshape(-1, n).T,
        np.array([-value for value, _ in told]),
        cone_rows,
        cone_segment,
        np.concatenate([np.zeros(0), *at_origin]),
        np.array([cone.linear for cone in parts.cones]).reshape(-1, n).T,
        right,
        np.array([-dot_minus(w0, w0, 1.0) for w0 in at_origin]),
        parts.affine,
        (parts.lower, parts.upper),
        None if parts.motion is None else _moving(parts, parts.motion, order),
    )


def _stack(matrices: list[Array], n: int) -> tuple[Array, Array]:
    """Matrices below each other, transposed, and which rows are whose."""
    segment = np.zeros((sum(len(matrix) for matrix in matrices), len(matrices)))
    at = 0
    for k, matrix in enumerate(matrices):
        segment[at : at + len(matrix), k] = 1
        at += len(matrix)
    return np.concatenate([np.zeros((0, n)), *matrices]).T, segment


def value_and_gradient(q: Quadratic, origin: Array) -> tuple[float, Array]:
    """c(O) and its gradient, in extended precision where the machine has one."""
    wide = np.longdouble
    y = (origin if q.form != 2 else q.matrix.astype(wide) @ origin) - q.shift.astype(wide)
    product = q.matrix * y if q.form == 0 else q.matrix.astype(wide) @ y if q.form == 1 else q.matrix.T.astype(wide) @ y
    square = y @ (product if q.form != 2 else y)
    value = square / 2 + q.linear.astype(wide) @ origin + q.constant - wide(q.radius) ** 2 / 2
    return float(value), (product + q.linear).astype(np.float64)
