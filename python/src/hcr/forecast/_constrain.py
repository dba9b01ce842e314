"""Forecasts of a data frame, taken inside a region."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import Array
from .._points import Kind, checked, take_inside
from .._records import Outcome
from ..errors import Error, make
from ..region import Region, needs_region
from . import _frames
from ._layout import variables_of
from ._samples import Columns, Samples

#: Outcomes without a result, in words.
WITHOUT = {
    Outcome.BAD_VALUE: "a missing value or an infinity",
    Outcome.OUT_OF_RANGE: "a parameter that is missing or out of its range",
    Outcome.NO_ORIGIN: "parameters that leave no point",
    Outcome.DEPENDENT: "parameters that leave equalities which may depend on each other",
}


def constrain(
    frame: Any,
    region: Region | str,
    *,
    map: Kind = "project",
    models: Sequence[Any] | None = None,
    quantiles: Sequence[Any] = (),
    series: Mapping[str, Any] | None = None,
    by: Sequence[Any] | None = None,
    id_col: str = "unique_id",
    time_col: str = "ds",
    target_col: str = "y",
    outcomes: bool = False,
) -> Any:
    """The frame with its forecasts inside a region; everything else in it stays.

    A long frame, with the column `id_col`, has one forecast a row and one column a model. Other frames are wide: one
    column a series. The region's variables are series:

    - ``var load[24]``, where no series is called load: each series by itself, its 24 times in order.
    - ``var north[24], south[24], total[24]``: the series of these names, together. `series` gives other names.
    - ``var north, south, total``: the same at each time by itself; ``var y``: each forecast by itself.

    Parameters are columns: of ``param cap[24]`` the column cap has a number a time, of ``param cap`` the same number
    throughout a sample; or columns cap[0], cap[1] …. A parameter named like a series is that series' own forecast: it
    stays as it is. In a wide frame that has a column for each output, such as load[0], load[1] …, a row is a sample.

    Args:
        frame: of pandas or polars. It isn't changed.
        region: a `Region` or the text of one, in which limits on one side are enough.
        map: ``"project"``, the nearest forecasts that obey, or ``"contract"``, those on the way to the region's origin.
            Forecasts that obey already stay bit for bit.
        models: the columns to take inside. None: all that hold numbers, but for the id, the time, the target, `by` and
            parameters. In a wide frame they are its series.
        quantiles: of a long frame, the columns of one model's quantiles, the lowest first: they are taken inside
            together, and never cross.
        series: for a variable, or a parameter, the series that it is: ``{"nsw": "Australia/NSW"}``.
        by: columns that tell samples of the same series apart; by default ``["cutoff"]`` where the frame has it.
        id_col, time_col, target_col: the names of these columns. A wide frame's order is that of `time_col`, else of an
            index of times, else of its rows.
        outcomes: whether to return what happened to each sample, too.

    Returns:
        A frame of the same kind, and with `outcomes` a pair of that and a frame with a row a sample and model: what
        tells the sample, ``model``, and ``outcome``, the name of an `hcr.Outcome`. Forecasts of samples without a
        result are NaN, and a warning counts them.

    Raises:
        hcr.Error: a name that isn't found, a time that is missing or there twice.

    >>> import hcr.forecast, pandas
    >>> frame = pandas.DataFrame({"unique_id": ["a", "a", "b", "b"], "ds": [1, 2, 1, 2], "AutoETS": [3.0, 9, -1, 2]})
    >>> result = hcr.forecast.constrain(frame, "var load[2]\\n0 <= load <= 8\\nload[1] - load[0] <= 4")
    >>> result["AutoETS"].round(6).tolist()
    [4.0, 8.0, 0.0, 2.0]
    """
    checked(map)
    made = _region(region) if isinstance(region, str) else region
    needs_region(made, "constrain")
    frame, index = _frames.with_ids(frame, id_col, "the frame")
    columns = Columns(id_col, time_col, target_col, _frames.groups(frame, by))
    outputs, given = variables_of(made.names), variables_of(made.parameters.names)
    samples = Samples(frame, outputs, given, columns, models, series or {})
    results, found = {}, {}
    if quantiles:
        inside, outcome = _in_order(made, samples, quantiles, map)
        results.update(inside)
        found.update(dict.fromkeys(quantiles, outcome))
    for model in samples.values:
        if model not in results:
            results[model], found[model] = take_inside(made, *samples.given(model), map)
    tell(samples, found)
    result = _frames.indexed(samples.frame_with(results), index)
    return (result, outcome_frame(samples, found)) if outcomes else result


def _region(text: str) -> Region:
    """Forecasts need no limits on all sides, which decoding would."""
    try:
        return Region(text)
    except Error as reason:
        if reason.code != "unbounded":
            raise
        return Region(f"{text}\nunbounded\n")


def _in_order(region: Region, samples: Samples, quantiles: Sequence[Any], map: Kind) -> tuple[dict[Any, Array], Array]:
    """The results of each column of quantiles, and the outcomes that they share."""
    missing = [name for name in quantiles if name not in samples.values]
    if missing:
        raise make("name", f"quantiles: {missing[0]!r} is no column of forecasts of a long frame")
    given = [samples.given(name) for name in quantiles]
    x = given[0][1]
    if any(other is not None and x is not None and not np.array_equal(x, other, equal_nan=True) for _, other in given):
        raise make("argument", "quantiles are in one region: no parameter may be a series of their own")
    levels = np.arange(1, len(given) + 1) / (len(given) + 1)
    rows = np.stack([numbers for numbers, _ in given], axis=2)
    inside, outcome = take_inside(region.quantiles(levels), rows.reshape(len(rows), -1), x, map)
    inside = inside.reshape(rows.shape)
    return {name: np.ascontiguousarray(inside[:, :, k]) for k, name in enumerate(quantiles)}, outcome


def tell(samples: Samples, found: Mapping[Any, Array]) -> None:
    """Warns of the samples that have no result."""
    for model, outcome in found.items():
        numbers = np.bincount(outcome, minlength=max(WITHOUT) + 1).tolist()
        counts = {why: numbers[kind] for kind, why in WITHOUT.items()}
        if any(counts.values()):
            first = int(np.isin(outcome, list(WITHOUT)).argmax())
            name = "" if model is None else f" of {model!r}"
            why = ", ".join(f"{count} for {why}" for why, count in counts.items() if count)
            warnings.warn(
                f"{sum(counts.values())} of {len(outcome)} samples{name} have no result and are NaN: {why}; the first "
                f"begins with {samples.describe(samples.places[first, 0])}",
                stacklevel=3,
            )


def outcome_frame(samples: Samples, found: Mapping[Any, Array]) -> Any:
    """A row a sample and model."""
    keys, count = samples.keys(), len(samples.places)
    columns: dict[Any, Any] = {name: np.tile(np.asarray(values), len(found)) for name, values in keys.items()}
    if samples.long:
        columns["model"] = np.repeat(np.array(list(found), dtype=object), count)
    names = np.array([outcome.name for outcome in Outcome], dtype=object)
    columns["outcome"] = names[np.concatenate(list(found.values())).astype(np.intp)]
    return _frames.like(samples.frame, columns)
