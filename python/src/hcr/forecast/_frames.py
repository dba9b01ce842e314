"""What forecasts need of a data frame, of pandas or polars: columns as arrays, and new columns in their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import Array
from ..errors import make


def names_of(frame: Any) -> list[Any]:
    """The columns' names. Iteration over an index of Arrow's texts, as pandas has them, is many times slower."""
    return list(frame.columns) if _is_polars(frame) else frame.columns.tolist()  # type: ignore[no-any-return]


def checked(frame: Any, what: str) -> Any:
    """The frame; other things, and frames whose columns have no unambiguous name, are refused."""
    if type(frame).__name__ == "LazyFrame":
        raise TypeError(f"{what} is a LazyFrame: collect() it first")
    if not _is_polars(frame) and not (hasattr(frame, "columns") and hasattr(frame, "iloc")):
        raise TypeError(f"{what} is {type(frame).__name__}: it must be a data frame of pandas or polars")
    names = names_of(frame)
    twice = sorted({str(name) for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise make("name", f"{what} has the column {twice[0]!r} twice")
    return frame


def with_ids(frame: Any, name: Any, what: str) -> tuple[Any, list[Any]]:
    """The frame with its ids in a column, and the index that they were in before, for `indexed`."""
    index = list(getattr(getattr(frame, "index", None), "names", None) or ())
    return (checked(frame.reset_index(), what), index) if name in index else (checked(frame, what), [])


def indexed(frame: Any, index: list[Any]) -> Any:
    return frame.set_index(index) if index else frame


def groups(frame: Any, by: Sequence[Any] | None) -> list[Any]:
    """The columns that tell samples apart."""
    found = [name for name in ("cutoff",) if name in frame.columns] if by is None else list(by)
    require(frame, found, "the frame")
    return found


def require(frame: Any, names: Iterable[Any], what: str) -> None:
    """Refuses a frame that lacks a column."""
    found = names_of(frame)
    for name in names:
        if name not in found:
            raise make("name", f"{what} has no column {name!r}: it has {', '.join(map(repr, found[:8]))}")


def numeric(frame: Any) -> list[Any]:
    """The columns that hold numbers; truth values aren't numbers here."""
    if _is_polars(frame):
        return [name for name, kind in frame.schema.items() if kind.is_numeric()]
    names = frame.columns.tolist()
    few = len(names) < 10  # all types at once cost as much as those of ten columns
    kinds = [frame[name].dtype for name in names] if few else frame.dtypes.tolist()
    return [name for name, kind in zip(names, kinds, strict=True) if _is_number(kind)]


def _is_number(kind: Any) -> bool:
    """Whether a type of pandas is one of numbers."""
    return getattr(kind, "kind", "O") in "iuf"


def values(frame: Any, name: Any) -> Array:
    """A column of numbers; missing ones are NaN."""
    return matrix(frame, [name])[:, 0]  # type: ignore[no-any-return]


def matrix(frame: Any, names: Sequence[Any]) -> Array:
    """Columns of numbers, (rows, columns), float32 where all are that; missing ones are NaN."""
    if _is_polars(frame):
        part = frame.select(names)
        of_numbers = all(kind.is_numeric() for kind in set(part.dtypes))
        array: Array = part.to_numpy() if of_numbers else np.empty(0, dtype=object)
    else:
        part = frame[names[0]] if len(names) == 1 else _columns(frame, names)
        array = part.to_numpy()
        of_numbers, narrow = array.dtype.kind in "iuf", array.dtype == np.float32
        if not of_numbers or (narrow and len(names) > 1):  # types of pandas' own or several types, or none of numbers
            kinds = {part.dtype} if len(names) == 1 else set(part.dtypes.tolist())
            of_numbers = all(map(_is_number, kinds))
            narrow = {str(kind).lower() for kind in kinds} == {"float32"}
            array = part.to_numpy(np.float32 if narrow else np.float64, na_value=np.nan) if of_numbers else array
    if not of_numbers:
        known = numeric(frame)
        raise make("data", f"the column {min(str(one) for one in names if one not in known)!r} isn't one of numbers")
    kept = np.float32 if array.dtype == np.float32 else np.float64
    return array.astype(kept, copy=False).reshape(len(frame), len(names))


def _columns(frame: Any, names: Sequence[Any]) -> Any:
    """Columns of a frame of pandas; without a copy where they stand side by side."""
    place = {name: k for k, name in enumerate(frame.columns.tolist())}
    places = [place[name] for name in names]
    start, end = places[0], places[0] + len(places)
    return frame.iloc[:, start:end] if places == list(range(start, end)) else frame.iloc[:, places]


def missing(frame: Any, name: Any) -> Array:
    """Where a column has no value."""
    column = frame[name]
    return (column.is_null() if _is_polars(frame) else column.isna()).to_numpy()  # type: ignore[no-any-return]


def labels(frame: Any, name: Any, rows: Any = slice(None)) -> list[str]:
    """The values of some rows of a column as text."""
    column = frame[name] if _is_polars(frame) else frame[name].array
    part = column if isinstance(rows, slice) and rows == slice(None) else column[rows]
    # NumPy's objects: iteration over Arrow's texts is slow.
    return list(map(str, np.asarray(part, dtype=object) if getattr(part.dtype, "kind", "") == "O" else part))


def ranks(frame: Any, name: Any) -> Array:
    """For each row the place of its value among the column's, in order, from 0. Missing values are refused."""
    return coded(frame, name)[0]


def coded(frame: Any, name: Any) -> tuple[Array, Any]:
    """The same, and the values in order."""
    if _is_polars(frame):
        none = missing(frame, name)
        codes = none if none.any() else frame[name].rank("dense").to_numpy().astype(np.intp) - 1
        ordered = frame[name].unique().sort()
    else:
        import pandas

        column = frame[name]
        # An array of NumPy where it is one: pandas wraps it, and warns of its own wrapper.
        codes, different = pandas.factorize(column.to_numpy() if isinstance(column.dtype, np.dtype) else column.array)
        none = codes < 0
        # As an array of NumPy: to sort and to take Arrow's texts is many times slower.
        texts = different.dtype.kind == "O"
        values = np.asarray(different, dtype=object if texts else None)
        place = np.empty(len(values), dtype=np.intp)
        order = np.argsort(values, kind="stable")
        place[order] = np.arange(len(values))
        codes = place[codes] if len(values) else codes
        ordered = (values if texts else different)[order]
    if none.any():
        raise make("data", f"the column {name!r} has no value in row {int(none.argmax())}, counted from 0")
    return codes, ordered


def order_of_rows(frame: Any, time: Any) -> Array:
    """The place of each row in time: by its time column, else by an index of times, else as the rows come."""
    if time in frame.columns:
        return ranks(frame, time)
    index: Any = getattr(frame, "index", None)
    if type(index).__name__ in ("DatetimeIndex", "PeriodIndex"):
        return ranks(index.to_frame(index=False, name=time), time)
    return np.arange(len(frame))


def take(frame: Any, names: Sequence[Any], rows: Array) -> dict[Any, Any]:
    """Some rows of some columns, to make a frame of."""
    return {name: frame[name][rows] if _is_polars(frame) else frame[name].array.take(rows) for name in names}


def like(frame: Any, columns: Mapping[Any, Any]) -> Any:
    """A frame of the same library."""
    if _is_polars(frame):
        import polars

        return polars.DataFrame(dict(columns))
    import pandas

    return pandas.DataFrame(dict(columns))


def replaced(frame: Any, columns: Mapping[Any, Array]) -> Any:
    """A frame with other numbers in some columns; the one that was given stays as it is."""
    if _is_polars(frame):
        import polars

        return frame.with_columns(*(polars.Series(name, numbers) for name, numbers in columns.items()))
    result = frame.copy()
    for name, numbers in columns.items():
        result[name] = numbers
    return result


def _is_polars(frame: Any) -> bool:
    return type(frame).__module__.partition(".")[0] == "polars" and type(frame).__name__ == "DataFrame"
