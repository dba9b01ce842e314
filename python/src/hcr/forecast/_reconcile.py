"""Forecasts of a hierarchy, reconciled: the nearest ones that add up, within limits, whose sums hold exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import Array
from .._records import Outcome
from ..errors import Error, make
from ..region import Region
from . import _frames
from ._constrain import outcome_frame, tell
from ._hierarchy import Hierarchy, hierarchy_of
from ._layout import Variable
from ._samples import Columns, Samples
from ._weights import METHODS, OF_RESIDUALS, Method, covariance

#: A limit: a number for all series, a column, or what applies to each series by name.
Limit = float | str | Mapping[str, float | str] | None


def reconcile(
    Y_hat_df: Any,
    S_df: Any,
    *,
    method: Method = "ols",
    Y_df: Any = None,
    nonnegative: bool = False,
    lower: Limit = None,
    upper: Limit = None,
    models: Sequence[Any] | None = None,
    by: Sequence[Any] | None = None,
    id_col: str = "unique_id",
    time_col: str = "ds",
    target_col: str = "y",
    outcomes: bool = False,
) -> Any:
    """The frame with forecasts that add up: at each time the nearest ones to those given, in the method's metric.

    Sums hold at tolerance 0, in any order of summation, and limits too. `constrain` describes the frames: a long one
    has all series of the hierarchy at each time, a wide one a column for each.

    Args:
        Y_hat_df: the forecasts, of pandas or polars. It isn't changed.
        S_df: the hierarchy: Nixtla's summing matrix, with a row a series, its name in `id_col` or in the index, and a
            column a bottom series; or a table with a row a series and parent, in the columns `id_col` and ``parent``.
        method: the metric, the inverse of W: ``"ols"``, W = 1; ``"wls_struct"``, how many bottom series a series has;
            ``"wls_var"``, the mean square of its residuals; ``"mint_cov"``, the residuals' covariance;
            ``"mint_shrink"``, the same with correlations shrunk towards 0.
        Y_df: for the last three, a frame with `target_col` and each model's fitted values.
        nonnegative: whether no forecast is below 0, which is ``lower=0``.
        lower, upper: limits of the forecasts: a number, the name of a column of the frame, or a dict of either by
            series. A missing number is no limit.
        models, by, id_col, time_col, target_col: as for `constrain`.
        outcomes: whether to return a frame of outcomes, too, as `constrain` does.

    Returns:
        A frame of the same kind, and the outcomes. At times with a missing forecast, and where limits leave nothing,
        forecasts are NaN, and a warning counts them.

    Raises:
        hcr.Error: a series that isn't in the frame, a hierarchy that is none, residuals that are missing.

    >>> import hcr.forecast, pandas
    >>> parents = pandas.DataFrame({"unique_id": ["north", "south"], "parent": ["total", "total"]})
    >>> frame = pandas.DataFrame({"unique_id": ["total", "north", "south"], "ds": [1, 1, 1], "ETS": [4.0, 6.0, -5.0]})
    >>> hcr.forecast.reconcile(frame, parents)["ETS"].tolist()
    [3.0, 7.0, -4.0]
    >>> hcr.forecast.reconcile(frame, parents, nonnegative=True)["ETS"].round(6).tolist()
    [5.0, 5.0, 0.0]
    """
    if method not in METHODS:
        raise make("argument", f"the method {method!r} isn't one of {', '.join(map(repr, METHODS))}")
    if nonnegative and lower is not None:
        raise make("argument", "nonnegative is lower=0: give one of the two")
    hierarchy = hierarchy_of(S_df, id_col)
    frame, index = _frames.with_ids(Y_hat_df, id_col, "Y_hat_df")
    limits = (0.0 if nonnegative else lower, upper)
    columns = Columns(id_col, time_col, target_col, _frames.groups(frame, by), _columns_of(limits, frame))
    variables = [Variable(name, None, (name,)) for name in hierarchy.ids]
    samples = Samples(frame, variables, [], columns, models, None)
    low, high = (
        _limit(limit, samples, hierarchy, empty) for limit, empty in zip(limits, (-np.inf, np.inf), strict=True)
    )
    results, found = {}, {}
    for model in samples.values:
        residuals = _residuals(Y_df, model, hierarchy, columns) if method in OF_RESIDUALS else None
        metric = _Metric(hierarchy, covariance(method, hierarchy.sums, residuals))
        results[model], found[model] = _reconciled(hierarchy, metric, samples.given(model)[0], low, high)
    tell(samples, found)
    result = _frames.indexed(samples.frame_with(results), index)
    return (result, outcome_frame(samples, found)) if outcomes else result


def _columns_of(limits: Sequence[Limit], frame: Any) -> tuple[Any, ...]:
    """The columns that limits name."""
    given = [one for limit in limits for one in (limit.values() if isinstance(limit, Mapping) else [limit])]
    names = tuple(one for one in given if isinstance(one, str))
    _frames.require(frame, names, "Y_hat_df")
    return names


def _limit(limit: Limit, samples: Samples, hierarchy: Hierarchy, empty: float) -> Array:
    """A limit of each forecast, (samples, series); infinite where there is none."""
    result = np.full(samples.places.shape, empty)
    if not isinstance(limit, Mapping):
        if limit is not None:
            result[:] = samples.beside(limit) if isinstance(limit, str) else float(limit)
        return np.where(np.isnan(result), empty, result)
    place = {name: k for k, name in enumerate(hierarchy.ids)}
    for name, one in limit.items():
        if str(name) not in place:
            raise make("name", f"a limit is for {name!r}, which is no series of the hierarchy")
        if one is not None:
            column = place[str(name)]
            result[:, column] = samples.beside(one)[:, column] if isinstance(one, str) else float(one)
    return np.where(np.isnan(result), empty, result)


def _residuals(Y_df: Any, model: Any, hierarchy: Hierarchy, columns: Columns) -> Array:
    """What a model's fitted values are off by, (series, times)."""
    if Y_df is None:
        raise make("argument", "the method needs residuals: Y_df, with the target and the fitted values")
    if model is None:
        raise make("argument", "methods with residuals take long frames, whose models have names")
    frame, _ = _frames.with_ids(Y_df, columns.id, "Y_df")
    _frames.require(frame, [columns.id, columns.time, columns.target, model], "Y_df")
    place = {name: k for k, name in enumerate(hierarchy.ids)}
    series, named = _frames.coded(frame, columns.id)
    rows = np.array([place.get(name, -1) for name in map(str, named)], dtype=np.intp)[series]
    times = _frames.ranks(frame, columns.time)
    residuals = np.full((len(place), int(times.max(initial=-1)) + 1), np.nan)
    used = rows >= 0
    off = _frames.values(frame, columns.target).astype(float) - _frames.values(frame, model)
    residuals[rows[used], times[used]] = off[used]
    few = np.isfinite(residuals).sum(axis=1) < 2
    if few.any():
        raise make("data", f"{hierarchy.ids[int(few.argmax())]!r} has fewer than 2 residuals in Y_df")
    return residuals


#: A bottom series so many multiples of the grid from its limit is at it: that is what the nearest point's rounding is.
_ROUNDING = 64


class _Metric:
    """The distance from forecasts y as a function of the bottom series b: ½ b'Pb − (K y)'b, K = S'W⁻¹, P = K S."""

    def __init__(self, hierarchy: Hierarchy, W: Array) -> None:
        S = hierarchy.sums
        if W.ndim == 1:
            self.K = (S / W[:, None]).T
        else:
            try:
                np.linalg.cholesky(W)
            except np.linalg.LinAlgError:
                raise make("data", "the residuals' covariance isn't definite: use mint_shrink") from None
            self.K = np.linalg.solve(W, S).T
        self.P = self.K @ S
        self.P = (self.P + self.P.T) / 2


def _reconciled(
    hierarchy: Hierarchy, metric: _Metric, forecasts: Array, low: Array, high: Array
) -> tuple[Array, Array]:
    """The nearest forecasts that add up within the limits, and their outcomes."""
    given = forecasts.astype(np.float64)
    result = np.full(given.shape, np.nan)
    outcome = np.full(len(given), Outcome.BAD_VALUE, dtype=np.uint32)
    fine = np.isfinite(given).all(axis=1)
    linear = -given @ metric.K.T
    kind = np.zeros(len(given), dtype=np.intp)
    if (low != low[:1]).any() or (high != high[:1]).any():
        kind = np.unique(np.concatenate([low, high], axis=1), axis=0, return_inverse=True)[1].reshape(-1)
    kind = np.where(fine, kind, -1)
    for one in np.unique(kind[fine]):
        rows = np.flatnonzero(kind == one)
        limits = low[rows[0]], high[rows[0]]
        stay = rows[(given[rows][:, hierarchy.bottom] @ hierarchy.sums.T == given[rows]).all(axis=1)]
        if len(stay):  # most never add up
            same, _ = _added_up(hierarchy, given[np.ix_(stay, hierarchy.bottom)], *limits, rounding=0)
            stay = stay[(same == given[stay]).all(axis=1)]
            result[stay], outcome[stay] = given[stay], Outcome.INSIDE
            rows = np.setdiff1d(rows, stay)
        result[rows], inside = _nearest(hierarchy, metric, linear[rows], *limits)
        outcome[rows] = np.where(inside, Outcome.MOVED, Outcome.NO_ORIGIN)
    return result, outcome


def _nearest(hierarchy: Hierarchy, metric: _Metric, linear: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Results for forecasts with the same limits, and which there are."""
    bottom = _bottom(hierarchy, metric, linear, low, high)
    result, inside = _added_up(hierarchy, bottom, low, high)
    if inside.all():
        return result, inside
    upper = np.delete(np.arange(len(low)), hierarchy.bottom)
    if not np.isfinite([low[upper], high[upper]]).any():
        return result, inside
    # Rounding to the grid went beyond the limit of a sum. From further inside, it can't.
    left = ~inside & np.isfinite(bottom).all(axis=1)
    grids = np.where(left, _grid(hierarchy, bottom)[:, 0], 0.0)
    for g in np.unique(grids[left]):
        rows, room = np.flatnonzero(grids == g), 2 * _ROUNDING * g * np.abs(hierarchy.sums).sum(axis=1)
        room[hierarchy.bottom] = 0
        again = _bottom(hierarchy, metric, linear[rows], low + room, high - room)
        result[rows], inside[rows] = _added_up(hierarchy, again, low, high)
    return result, inside


def _bottom(hierarchy: Hierarchy, metric: _Metric, linear: Array, low: Array, high: Array) -> Array:
    """The bottom series, (samples, bottom series), of the nearest forecasts; NaN where limits leave none."""
    bottom = np.linalg.solve(metric.P, -linear.T).T
    values = bottom @ hierarchy.sums.T
    beyond = ~((values >= low) & (values <= high)).all(axis=1)
    if beyond.any():  # the others are the nearest without limits, and keep them
        bottom[beyond] = _limited(hierarchy, metric, linear[beyond], low, high)
    return bottom


def _limited(hierarchy: Hierarchy, metric: _Metric, linear: Array, low: Array, high: Array) -> Array:
    above = _binding(hierarchy, low, high)
    sums = hierarchy.sums[above] if len(above) else None
    try:
        region = Region.from_rows(
            sums,
            None if sums is None else high[above],
            below=None if sums is None else low[above],
            bounds=(low[hierarchy.bottom], high[hierarchy.bottom]),
            n=len(hierarchy.bottom),
            unbounded=True,
        )
    except Error as reason:
        if reason.code not in ("empty", "origin"):
            raise
        return np.full(linear.shape, np.nan)
    return np.asarray(region.minimise(linear, metric=metric.P))


def _binding(hierarchy: Hierarchy, low: Array, high: Array) -> Array:
    """The sums that the limits of the bottom series leave to go beyond their own: of `nonnegative` none."""
    more, less = np.maximum(hierarchy.sums, 0), np.minimum(hierarchy.sums, 0)
    bottom = [np.clip(side[hierarchy.bottom], -1e300, 1e300) for side in (low, high)]
    least, most = more @ bottom[0] + less @ bottom[1], more @ bottom[1] + less @ bottom[0]
    binding = (least < low) | (most > high)
    binding[hierarchy.bottom] = False
    return np.flatnonzero(binding)


def _grid(hierarchy: Hierarchy, bottom: Array) -> Array:
    """A power of two for each sample, (samples, 1), whose multiples near these have sums without rounding.

    Multiples of g below 2⁵³ g are doubles, and so are all partial sums while the sum of sizes stays below that.
    """
    most = (np.abs(bottom) @ np.abs(hierarchy.sums).T).max(axis=1, initial=0.0, keepdims=True)
    return np.exp2(np.frexp(most)[1] + 1.0 - 53)  # type: ignore[no-any-return]


def _added_up(
    hierarchy: Hierarchy, bottom: Array, low: Array, high: Array, rounding: int = _ROUNDING
) -> tuple[Array, Array]:
    """Bottom series on the grid and their sums, (samples, series), NaN where a limit can't be kept on it; and which
    keep them."""
    g = _grid(hierarchy, bottom)
    multiples = np.rint(bottom / g)
    least, most = np.ceil(low[hierarchy.bottom] / g), np.floor(high[hierarchy.bottom] / g)
    multiples = np.where(multiples < least + rounding, least, multiples)
    clipped = np.where(multiples > most - rounding, most, multiples) * g
    result = clipped @ hierarchy.sums.T
    inside = (np.isfinite(result) & (result >= low) & (result <= high)).all(axis=1)
    result[~inside] = np.nan
    return result, inside
