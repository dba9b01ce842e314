"""What formulas need of a region, as dense arrays: for other devices, JAX and ONNX, which compute without the library.

The library tells its blocks, solved equalities and margins (`hcr_region_block` and its kin, include/hcr/hcr.h). It
knows boxes, rows, quadratics and cones, and with parameters boxes and rows.
"""

from __future__ import annotations

import ctypes
import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import Array, address
from ._library import BlockStruct, RowsStruct, call, library
from .errors import make

if TYPE_CHECKING:
    from ._facts import Facts

# Rows are gathered term by term when they have so few of them, and multiplied as a matrix else.
_MOST_GATHERED = 8


def refusal(region: Facts) -> str:
    """Why formulas can't compute a region's maps; "" when they can."""
    reason: str = region._once("refusal of formulas", lambda: _refusal(region))
    return reason


def _refusal(region: Facts) -> str:
    known = ("box", "linear") if region.p else ("box", "linear", "quadratic", "cone")
    others = dict.fromkeys(c.kind for c in region.constraints if c.kind not in known)
    if others:
        served = "with parameters box and linear" if region.p else "box, linear, quadratic and cone"
        return f"for constraints of the kinds {', '.join(others)}: {served} can"
    if region.equalities_move:
        return "for equalities whose coefficients move with the parameters"
    if not region.is_bounded:
        return "for a region that reaches to infinity"
    return ""


def require(region: Facts, what: str) -> None:
    """Refuses a region whose maps formulas can't compute."""
    refused = refusal(region)
    if refused:
        raise make("unsupported", f"{what} can't be done {refused}")


def margin(region: Facts, arithmetic: float, result: str) -> float:
    """The share of the radius to give up so that results are exactly inside (docs/exactness.md, "Other arithmetic").

    Args:
        arithmetic: the unit roundoff of what the gauge is computed in.
        result: the type of the result, ``"float32"`` or ``"float64"``.
    """
    margins = np.empty(library.hcr_region_blocks(region._handle.address))
    call("hcr_region_block_margins", region._handle.address, arithmetic, int(result == "float32"), address(margins))
    return float(margins.max())


def resolution(region: Facts, result: str) -> float:
    """How near to 1 the gauge of a result may be: the margin, which is 0 where every sample is checked."""
    margin, eps = region.margin, float(np.finfo(result).eps)
    share = margin.double if result == "float64" else margin.single
    return max(share, eps) if math.isfinite(share) else eps**0.5


@dataclasses.dataclass
class Affine:
    """Outputs `dependent` are constant + map y + map_x x; the rows of `basis` are orthonormal and span the
    equalities'."""

    dependent: Array
    constant: Array
    map: Array  # equalities × n
    map_x: Array  # equalities × p
    basis: Array  # equalities × n


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
    grid: Array  # the powers of two that results are multiples of, 0 for any number
    box: tuple[Array, Array]  # what results are cut to
    moving: Moving | None


def _copy(at: int | None, *shape: int, dtype: Any = ctypes.c_double) -> Array:
    """Numbers of the library's; none where there are none."""
    count = int(np.prod(shape)) if at else 0
    array = np.array((dtype * count).from_address(at or 0)) if count else np.zeros(0, dtype)
    return array.reshape(shape if count else (0,))


def _sparse(rows: RowsStruct) -> tuple[Array, Array, Array]:
    """The starts, columns and values of compressed rows."""
    if rows.count == 0:
        return np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0)
    start = _copy(rows.start, rows.count + 1, dtype=ctypes.c_size_t).astype(np.int64)
    columns = _copy(rows.columns, int(start[-1]), dtype=ctypes.c_uint32).astype(np.int64)
    return start, columns, _copy(rows.values, int(start[-1]))


def _dense(rows: RowsStruct, width: int) -> Array:
    """The same as a matrix."""
    start, columns, values = _sparse(rows)
    matrix = np.zeros((rows.count, width))
    matrix[np.repeat(np.arange(rows.count), np.diff(start)), columns] = values
    return matrix


def _rows(block: BlockStruct, n: int, p: int) -> dict[str, Array]:
    """The fields of `Rays` that rows have, and which of the rows are where."""
    start, columns, values = _sparse(block.rows)
    matrix = _dense(block.rows, n + p)[:, :n]
    terms = np.count_nonzero(matrix, axis=1)
    gathered = (terms <= _MOST_GATHERED) & (6 * terms < n)
    width = int(terms[gathered].max(initial=0))
    chosen, others = np.flatnonzero(gathered), np.flatnonzero(~gathered)
    row_columns, row_values = np.zeros((len(chosen), width), np.int64), np.zeros((len(chosen), width))
    for at, i in enumerate(chosen):
        own = slice(start[i], start[i] + terms[i])  # columns increase: those of parameters come last
        row_columns[at, : terms[i]], row_values[at, : terms[i]] = columns[own], values[own]
    order = np.concatenate([chosen, others])
    return {
        "row_columns": row_columns,
        "row_values": row_values,
        "row_matrix": matrix[others].T if len(others) else np.zeros((n, 0)),
        "row_upper": _copy(block.inverse_upper, len(order))[order],
        "row_lower": _copy(block.inverse_lower, len(order))[order],
        "order": order,
    }


def _moving(region: Facts, rows: BlockStruct, box: tuple[Array, Array], fields: dict[str, Array]) -> Moving:
    n, p = region.n, region.p
    handle = region._handle.address
    middle = _copy(library.hcr_region_origin(handle), n + p)[n:]
    with np.errstate(divide="ignore"):
        upper = 1 / fields["row_upper"]
        lower = np.where(fields["row_lower"] == 0, -np.inf, 1 / fields["row_lower"])
    return Moving(
        region.parameters.lower,
        region.parameters.upper,
        middle,
        np.ascontiguousarray(_dense(library.hcr_region_origin_map(handle), p).T),
        box[1] - region.origin,
        box[0] - region.origin,
        upper,
        lower,
        np.ascontiguousarray(_dense(rows.moving, p)[fields["order"]].T),
    )


def affine(region: Facts) -> Affine | None:
    """The solved equalities; None without any."""
    solved, n = library.hcr_region_affine(region._handle.address), region.n
    if solved.count == 0:
        return None
    map = _dense(solved.map, n + region.p)
    return Affine(
        _copy(solved.dependent, solved.count, dtype=ctypes.c_uint32).astype(np.int64),
        _copy(solved.constant, solved.count),
        map[:, :n],
        map[:, n:],
        _dense(solved.basis, n + region.p)[:, :n],
    )


def _stack(matrices: list[Array], n: int) -> tuple[Array, Array]:
    """Matrices below each other, transposed, and which rows are whose."""
    owner = np.repeat(np.arange(len(matrices)), [len(matrix) for matrix in matrices])
    return np.concatenate([np.zeros((0, n)), *matrices]).T, (owner[:, None] == np.arange(len(matrices))).astype(float)


def read(region: Facts, result: str) -> Rays:
    """The arrays for rays from the origin of a region that isn't refused, and the grid of results of that type."""
    n, p, handle = region.n, region.p, region._handle.address
    blocks = [library.hcr_region_block(handle, b) for b in range(library.hcr_region_blocks(handle))]
    by_kind = {kind: [b for b in blocks if b.kind == kind] for kind in (b"box", b"linear", b"quadratic", b"cone")}
    (box,), (rows,) = by_kind[b"box"], by_kind[b"linear"]
    bounds = _copy(box.lower, n), _copy(box.upper, n)
    fields = _rows(rows, n, p)
    moving = _moving(region, rows, bounds, fields) if p else None
    del fields["order"]

    diagonal = [b for b in by_kind[b"quadratic"] if b.diagonal]
    dense = [b for b in by_kind[b"quadratic"] if b.dense]
    factored = [b for b in by_kind[b"quadratic"] if not (b.diagonal or b.dense)]
    quadratics, cones = [*diagonal, *dense, *factored], by_kind[b"cone"]
    factor, factor_segment = _stack([_dense(b.rows, n) for b in factored], n)
    cone_matrix, cone_segment = _stack([_dense(b.rows, n) for b in cones], n)

    def vectors(some: list[BlockStruct], name: str) -> Array:
        return np.array([_copy(getattr(b, name), n) for b in some]).reshape(-1, n).T

    return Rays(
        origin=region.origin,
        box_upper=_copy(box.inverse_upper, n),
        box_lower=_copy(box.inverse_lower, n),
        **fields,
        quadratic_diagonal=0.5 * vectors(diagonal, "diagonal"),
        quadratic_dense=np.array([0.5 * _copy(b.dense, n, n) for b in dense]).reshape(-1, n, n),
        quadratic_factor=factor,
        quadratic_segment=0.5 * factor_segment,
        quadratic_gradient=vectors(quadratics, "gradient"),
        quadratic_slack=np.array([b.slack for b in quadratics]),
        cone_matrix=cone_matrix,
        cone_segment=cone_segment,
        cone_origin=np.concatenate([np.zeros(0), *(_copy(b.at_origin, b.rows.count) for b in cones)]),
        cone_linear=vectors(cones, "gradient"),
        cone_right=np.array([b.slack for b in cones]),
        cone_one_less=np.array([b.one_less for b in cones]),
        affine=affine(region),
        grid=_copy(library.hcr_region_grid(handle, int(result == "float32")), n),
        box=bounds,
        moving=moving,
    )
