"""Which rows of a table of forecasts are the outputs of which sample."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Array
from ..errors import make


class Variable(NamedTuple):
    """A variable or a parameter of a region, or a row of one: its name, and its size, None for a scalar."""

    name: str
    size: int | None
    elements: tuple[str, ...]  #: the names of its numbers

    @property
    def length(self) -> int:
        return 1 if self.size is None else self.size


class Table(NamedTuple):
    """Forecasts, one a row: the series, the place in time and the group of each."""

    series: Array  #: (rows,), a number in `ids`
    ids: Sequence[Any]  #: the series' names
    times: Array  #: (rows,), numbered in order
    groups: Array  #: (rows,), numbered: rows of different groups aren't of one sample
    describe: Callable[[int], str]  #: a row in words


def variables_of(names: Sequence[str]) -> list[Variable]:
    """The variables behind the names of outputs: ``load[0]``, ``load[1]``, ``p`` are load[2] and p.

    The rows of matrices are variables of their own: ``load[north,0]``, ``load[north,1]`` are north[2], ``load[0,0]`` …
    are ``load[0]``; and so is ``load[north]``.
    """
    elements: dict[tuple[str, str, bool], list[str]] = {}
    for name in names:
        whole, row, column = re.fullmatch(r"(\w+)(?:\[([^,]+?)(,\d+)?\])?", name).groups()  # type: ignore[union-attr]
        is_number = row is not None and row.isdecimal()
        alone = row is None or (column is None and not is_number)
        called = whole if row is None or (is_number and not column) else f"{whole}[{row}]" if is_number else row
        elements.setdefault((whole, called, alone), []).append(name)
    return [
        Variable(called, None if alone else len(all_), tuple(all_)) for (_, called, alone), all_ in elements.items()
    ]


def series_of(variables: Sequence[Variable], given: Mapping[str, Any] | None, ids: Sequence[Any]) -> list[int] | None:
    """The series that the variables are, as numbers in `ids`. None: the one variable is each, or there is none.

    `given` are series by variable; None: the variables are the series of a hierarchy.
    """
    series = given or {}
    known = {str(name): k for k, name in enumerate(ids)}
    wanted = [str(series.get(variable.name, variable.name)) for variable in variables]
    each = len(variables) == 1 and wanted[0] not in known and variables[0].name not in series
    if each or not ids:
        return None
    for variable, name in zip(variables, wanted, strict=True):
        if name not in known:
            few = ", ".join(repr(str(one)) for one in ids[:5]) + (" …" if len(ids) > 5 else "")
            reason = f"no series of the frame is called {name!r}: there are {few}"
            if given is None:
                raise make("name", f"the hierarchy has {name!r}, but {reason}")
            raise make(
                "name",
                f"the region has {variable.name!r}, but {reason}. series={{{variable.name!r}: …}} says which one it is",
            )
    return [known[name] for name in wanted]


def arrange(table: Table, variables: Sequence[Variable], which: Sequence[int] | None) -> Array:
    """The rows of the table that each sample consists of, (samples, outputs).

    A sample of scalars is one time; one of vectors has as many times as those, in order. Where `which` is None each
    series is a sample of its own, else it says the series of each variable.
    """
    parts = len(variables)
    part = np.full(len(table.ids), 0 if which is None else -1)
    if which is not None:
        part[list(which)] = np.arange(parts)
    used = np.flatnonzero(part[table.series] >= 0)
    series, times, key = table.series[used], table.times[used], table.groups[used]
    if which is None:
        key = key * (int(series.max(initial=0)) + 1) + series
    scalars = all(variable.size is None for variable in variables)
    if scalars:
        key = key * (int(times.max(initial=0)) + 1) + times
    slot = np.unique(key, return_inverse=True)[1].reshape(-1) * parts + part[series]
    order = np.lexsort((times, slot))
    rows, slot, times = used[order], slot[order], times[order]
    same = (slot[1:] == slot[:-1]) & (times[1:] == times[:-1])
    if same.any():
        raise make("data", f"the frame has {table.describe(rows[int(same.argmax())])} twice")
    lengths = np.array([variable.length for variable in variables])
    _refuse_missing(table, variables, lengths, rows, slot)
    arranged = rows.reshape(-1, int(lengths.sum()))
    if not scalars:  # whose samples are one time each
        _refuse_other_times(table, variables, lengths, arranged)
    return arranged


def _refuse_missing(table: Table, variables: Sequence[Variable], lengths: Array, rows: Array, slot: Array) -> None:
    """Each sample needs all the times of each variable. `slot`: the number of the sample and the variable."""
    parts = len(variables)
    samples = int(slot[-1]) // parts + 1 if len(slot) else 0
    found = np.bincount(slot, minlength=samples * parts)
    wrong = np.flatnonzero(found != np.tile(lengths, samples))
    if len(wrong):
        sample, part = divmod(int(wrong[0]), parts)
        variable, count = variables[part], int(found[wrong[0]])
        where = table.describe(rows[int(np.searchsorted(slot, sample * parts))])
        hint = "; by=[…] names columns that tell samples apart" if count > variable.length else ""
        raise make(
            "shape",
            f"{variable.name!r} has {variable.length} times in the region, and {count} in the frame, in the sample "
            f"that begins with {where}{hint}",
        )


def _refuse_other_times(table: Table, variables: Sequence[Variable], lengths: Array, rows: Array) -> None:
    """Variables of one size have their elements at the same times."""
    starts = np.cumsum(lengths) - lengths
    for length in np.unique(lengths):
        which = np.flatnonzero(lengths == length)
        times = table.times[rows[:, starts[which, None] + np.arange(length)]]
        differ = (times != times[:, :1]).any(axis=2)
        if differ.any():
            sample, k = np.argwhere(differ)[0]
            where = table.describe(rows[sample, starts[which[k]]])
            names = f"{variables[which[0]].name!r} and {variables[which[k]].name!r}"
            raise make("data", f"{names} have other times in the sample with {where}")
