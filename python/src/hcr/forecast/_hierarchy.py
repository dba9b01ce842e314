"""Which series are sums of which: Nixtla's summing matrix, or a table of parents."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._arrays import Array
from ..errors import make
from . import _frames

_LARGEST = 2**16  # whole numbers up to this leave a double room for sums


class Hierarchy(NamedTuple):
    """Series that are sums of others: forecasts y obey it where y = sums @ y[bottom]."""

    ids: list[str]
    sums: Array  #: (series, bottom series), whole numbers
    bottom: Array  #: the numbers of the bottom series in `ids`


def hierarchy_of(given: Any, id_col: str) -> Hierarchy:
    """The hierarchy that a frame describes: a summing matrix, whose rows are all series and whose columns are the
    bottom ones, or a table of two columns, `id_col` and ``parent``."""
    frame = given.to_frame() if hasattr(given, "to_frame") and not hasattr(given, "columns") else given
    frame, _ = _frames.with_ids(frame, id_col, "S_df")
    if id_col not in frame.columns and "parent" not in frame.columns and hasattr(frame, "reset_index"):
        frame = frame.reset_index(names=id_col)
    _frames.require(frame, [id_col], "S_df")
    if "parent" in frame.columns:
        return _of_parents(frame, id_col)
    bottom = [name for name in _frames.names_of(frame) if name != id_col]
    sums = _frames.matrix(frame, bottom).astype(np.float64)
    return _checked(_frames.labels(frame, id_col), [str(name) for name in bottom], sums)


def _of_parents(frame: Any, id_col: str) -> Hierarchy:
    """From a row for each series and each of its parents; a series without one is a total."""
    parents: dict[str, list[str]] = {}
    total = _frames.missing(frame, "parent")
    for name, parent, none in zip(_frames.labels(frame, id_col), _frames.labels(frame, "parent"), total, strict=True):
        above = parents.setdefault(name, [])
        if not none:
            above.append(parent)
            parents.setdefault(parent, [])
    _refuse_circles(parents)
    inner = {parent for above in parents.values() for parent in above}
    bottom = [name for name in parents if name not in inner]
    ids = [name for name in parents if name in inner] + bottom
    place = {name: k for k, name in enumerate(ids)}
    sums = np.zeros((len(ids), len(bottom)))
    for column, name in enumerate(bottom):
        left = [name]
        while left:
            row = place[left.pop()]
            if not sums[row, column]:
                sums[row, column] = 1
                left += parents[ids[row]]
    return _checked(ids, bottom, sums)


def _refuse_circles(parents: dict[str, list[str]]) -> None:
    left = set(parents)
    while left:
        free = {name for name in left if not left.intersection(parents[name])}
        if not free:
            raise make("data", f"the parents of {min(left)!r} go round in a circle")
        left -= free


def _checked(ids: list[str], bottom: list[str], sums: Array) -> Hierarchy:
    for names, what in ((ids, "rows"), (bottom, "columns")):
        twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
        if twice is not None:
            raise make("name", f"S_df has {twice!r} twice among its {what}")
    place = {name: k for k, name in enumerate(ids)}
    for name in bottom:
        if name not in place:
            raise make("name", f"S_df has the column {name!r}, but no row of that name")
    rows = np.array([place[name] for name in bottom], dtype=np.intp)
    others = (sums[rows] != np.eye(len(bottom))).any(axis=1)
    if others.any():
        name = bottom[int(others.argmax())]
        raise make("data", f"the row {name!r} of S_df isn't the bottom series {name!r} alone")
    if not sums.any(axis=1).all():
        raise make("data", f"the row {ids[int((~sums.any(axis=1)).argmax())]!r} of S_df is the sum of no series")
    wrong = ~((sums == np.rint(sums)) & (np.abs(sums) <= _LARGEST))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise make(
            "data",
            f"S_df has {sums[row, column]} for {ids[row]!r} and {bottom[column]!r}: sums take whole numbers of series",
        )
    return Hierarchy(ids, sums, rows)
