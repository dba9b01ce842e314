"""A region text from what series did."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _library
from .._arrays import Array, address, whole
from . import _frames


def limits(
    frame: Any,
    *,
    cap: bool = True,
    ramp: bool = True,
    quantile: float = 1.0,
    horizon: int | None = None,
    series: Mapping[str, Any] | None = None,
    id_col: str = "unique_id",
    time_col: str = "ds",
    target_col: str = "y",
) -> str:
    """A region text from a history: the smallest and the largest value of each series, and its largest step, with
    comments that say how many there are and where the extremes are. It is meant to be read, rounded and changed. Rows
    in the comments are times, of which those count that the frame has.

    Args:
        frame: of pandas or polars: a long one, with the series' values in `target_col`, or a wide one, with a column
            a series. Of columns load[0], load[1] …, flow[0,0], flow[0,1] … a row is a sample of ``var load[…]``,
            ``flow[…, …]``.
        cap: whether to limit the values.
        ramp: whether to limit the steps from one time to the next, of series that have more than one value in the
            region. Where a value is missing in between there is no step.
        quantile: the share of the values, on each side, and of the steps that keep the limits; above 0.5. With 1 the
            history obeys at tolerance 0.
        horizon: how many values each series has in the region, ``var north[24]``; None: ``var north``.
        series: names for series whose ids the language can't have: ``{"nsw": "Australia/NSW"}``.
        id_col, time_col, target_col: as for `constrain`.

    >>> import hcr.forecast, pandas
    >>> history = pandas.DataFrame({"unique_id": "load", "ds": range(5), "y": [3.0, 4.5, 2.0, 2.5, 4.0]})
    >>> print(hcr.forecast.limits(history, horizon=24), end="")
    # What 5 rows did, as limits: rows and elements are counted from 0.
    var load[24]
    <BLANKLINE>
    # load: 5 values, from 2 (row 2) to 4.5 (row 1).
    2 <= load <= 4.5
    # load: 4 steps, up to 2.5 (row 2).
    abs(diff(load)) <= 2.5
    """
    frame, _ = _frames.with_ids(frame, id_col, "the frame")
    if id_col in frame.columns:
        names, values = _by_time(frame, id_col, time_col, target_col)
    else:
        names = [name for name in _frames.numeric(frame) if name != time_col]
        order = np.argsort(_frames.order_of_rows(frame, time_col), kind="stable")
        values = np.ascontiguousarray(_frames.matrix(frame, names).astype(np.float64)[order])
    called = {str(one): name for name, one in (series or {}).items()}
    texts = [called.get(str(name), str(name)).encode() for name in names]
    options = _library.LimitOptionsStruct(
        size=ctypes.sizeof(_library.LimitOptionsStruct),
        values=cap,
        steps=ramp,
        share=quantile,
        horizon=0 if horizon is None else whole(horizon, "horizon", 1),
    )
    given = (ctypes.c_char_p * len(texts))(*texts)
    return _library.take_text(
        "hcr_limits_text", len(values), len(texts), given, address(values), ctypes.addressof(options)
    )


def _by_time(frame: Any, id_col: Any, time_col: Any, target_col: Any) -> tuple[list[str], Array]:
    """The series' names and their values, (times, series), NaN where there is none."""
    _frames.require(frame, [time_col, target_col], "a long frame")
    (codes, ids), times = _frames.coded(frame, id_col), _frames.ranks(frame, time_col)
    values = np.full((int(times.max(initial=-1)) + 1, len(ids)), np.nan)
    values[times, codes] = _frames.values(frame, target_col)
    return [str(one) for one in ids], values
