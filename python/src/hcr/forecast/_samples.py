"""The forecasts of a frame as samples of a region, and results as columns of a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Array
from ..errors import make
from . import _frames
from ._layout import Table, Variable, arrange, series_of


class Columns(NamedTuple):
    """What the columns of a frame are."""

    id: Any
    time: Any
    target: Any
    by: list[Any]
    limits: tuple[Any, ...] = ()  #: columns of numbers that are no forecasts


class Samples:
    """A frame's forecasts. Each has a place: its row times `width`, plus its number among the columns of a wide frame.

    Attributes:
        values: the forecasts of each model by place; a wide frame has one model, None.
        places: (samples, n), the outputs' places.
    """

    def __init__(
        self,
        frame: Any,
        variables: Sequence[Variable],
        parameters: Sequence[Variable],
        columns: Columns,
        models: Sequence[Any] | None,
        series: Mapping[str, Any] | None,
    ) -> None:
        self.frame, self.columns, self._series = frame, columns, series
        self.long = columns.id in frame.columns
        self._variables, self._parameters = variables, parameters
        outputs = [name for variable in variables for name in variable.elements]
        direct = not self.long and set(outputs) <= set(_frames.numeric(frame))
        self.forecasts = outputs if direct else self._chosen(models)
        if self.long:
            self.width, self.values = 1, {name: _frames.values(frame, name) for name in self.forecasts}
        else:
            self.width, self.values = len(self.forecasts), {None: _frames.matrix(frame, self.forecasts).reshape(-1)}
        self.alone = False
        self._staying: list[Variable] = []
        self._pieces: list[tuple[Array | None, Array | None]] = []
        if direct:
            self.places = np.arange(len(frame) * self.width).reshape(-1, self.width)
        else:
            self._arrange()
        self._find_parameters()

    def _called(self, one: Variable) -> Any:
        """The series or column that a variable or a parameter is."""
        return (self._series or {}).get(one.name, one.name)

    def _chosen(self, models: Sequence[Any] | None) -> list[Any]:
        """The columns of forecasts."""
        if models is not None:
            _frames.require(self.frame, models, "the frame")
            return list(models)
        others = {self.columns.id, self.columns.time, *self.columns.by, *self.columns.limits}
        others |= {self.columns.target} if self.long else set()  # a series may have that name
        for parameter in self._parameters:
            others |= {self._called(parameter), *parameter.elements}
        found = [name for name in _frames.numeric(self.frame) if name not in others]
        if not found:
            raise make("data", "the frame has no column of forecasts")
        return found

    def _arrange(self) -> None:
        """Finds the places of the outputs and, behind them, of series that stay."""
        table = self._table()
        which = series_of(self._variables, self._series, table.ids)
        self.alone = which is None
        if which is not None and self._parameters:
            known = {str(name) for name in table.ids} - {str(name) for name in self.frame.columns}
            self._staying = [one for one in self._parameters if str(self._called(one)) in known]
            which += series_of(self._staying, self._series, table.ids) or []
        self.places = arrange(table, [*self._variables, *self._staying], which)

    def _table(self) -> Table:
        count = len(self.frame)
        groups = np.zeros(count, dtype=np.intp)
        for name in self.columns.by:
            rank = _frames.ranks(self.frame, name)
            groups = groups * (int(rank.max(initial=0)) + 1) + rank
        times = _frames.order_of_rows(self.frame, self.columns.time)
        if not self.long:
            return Table(
                np.tile(np.arange(self.width), count),
                self.forecasts,
                np.repeat(times, self.width),
                np.repeat(groups, self.width),
                self.describe,
            )
        _frames.require(self.frame, [self.columns.time], "a long frame")
        codes, ids = _frames.coded(self.frame, self.columns.id)
        return Table(codes, [str(one) for one in ids], times, groups, self.describe)

    def describe(self, place: int) -> str:
        """A forecast's place in words."""
        row, column = divmod(int(place), self.width)
        names = ([self.columns.id] if self.long else []) + self.columns.by
        timed = self.columns.time in self.frame.columns
        parts = [f"{name} = {_frames.labels(self.frame, name, [row])[0]}" for name in names]
        parts += [f"{self.columns.time} = {_frames.labels(self.frame, self.columns.time, [row])[0]}"] if timed else []
        parts += [] if timed or self.long else [f"row {row}, counted from 0"]
        return ", ".join(parts if self.long else [f"the column {self.forecasts[column]!r}", *parts])

    # ------------------------------------------------------------------------------------------------- parameters

    def _find_parameters(self) -> None:
        """Each parameter's numbers, (samples,), or their places where it is a series that stays."""
        n = sum(variable.length for variable in self._variables)
        self.places, staying = self.places[:, :n], self.places[:, n:]
        for parameter in self._parameters:
            elements = parameter.elements
            if parameter in self._staying:
                mine, staying = staying[:, : parameter.length], staying[:, parameter.length :]
                self._pieces.append((None, mine))
            elif parameter.size is not None and set(elements) <= set(self.frame.columns):
                rows = self.places // self.width
                each = [self._one(_frames.values(self.frame, name)[rows], name) for name in elements]
                self._pieces.append((np.stack(each, axis=1), None))
            else:
                self._pieces.append((self._column(parameter), None))

    def _column(self, parameter: Variable) -> Array:
        """A parameter's numbers in the column of its name, (samples, count)."""
        name = self._called(parameter)
        _frames.require(self.frame, [name], "a parameter of the region is a column; the frame")
        numbers = _frames.values(self.frame, name)[self.places // self.width]
        if parameter.size is None:
            return self._one(numbers, parameter.name)[:, None]
        blocks, end = [], 0
        for variable in self._variables:
            start, end = end, end + variable.length
            if variable.size == parameter.size:
                blocks.append(numbers[:, start:end])
        if not blocks:
            raise make(
                "shape",
                f"the parameter {parameter.name!r} has {parameter.size} elements, as many times as no variable: give "
                f"columns {parameter.name}[0] to {parameter.name}[{parameter.size - 1}], the same throughout a sample",
            )
        return self._one(np.stack(blocks, axis=-1), parameter.name)

    def _one(self, numbers: Array, name: str) -> Array:
        """The one number that the last axis has, beside missing ones."""
        low, high = np.fmin.reduce(numbers, axis=-1), np.fmax.reduce(numbers, axis=-1)
        differ = (low < high).reshape(len(low), -1).any(axis=1)
        if differ.any():
            sample = int(differ.argmax())
            raise make(
                "data",
                f"the parameter {name!r} is one number, and has two, such as {low[sample].min():g} and "
                f"{high[sample].max():g}, in the sample that begins with {self.describe(self.places[sample, 0])}",
            )
        return low  # type: ignore[no-any-return]

    # ------------------------------------------------------------------------------------- what is given and taken

    def given(self, model: Any) -> tuple[Array, Array | None]:
        """A model's forecasts (samples, n) and the parameters (samples, p)."""
        numbers = self.values[model]
        if not self._pieces:
            return numbers[self.places], None
        parts = [fixed if fixed is not None else numbers[places] for fixed, places in self._pieces]
        return numbers[self.places], np.concatenate(parts, axis=1)

    def beside(self, column: Any) -> Array:
        """The numbers of another column in the rows of the outputs, (samples, n)."""
        return _frames.values(self.frame, column)[self.places // self.width]  # type: ignore[no-any-return]

    def frame_with(self, results: Mapping[Any, Array]) -> Any:
        """The frame with each model's results (samples, n) in place of its forecasts."""
        columns: dict[Any, Array] = {}
        for model, result in results.items():
            numbers = self.values[model].astype(np.result_type(self.values[model], result))
            numbers[self.places] = result
            by_column = numbers.reshape(-1, self.width).T
            columns.update(zip([model] if self.long else self.forecasts, by_column, strict=True))
        touched = set(self.forecasts) if self.long else {self.forecasts[k] for k in np.unique(self.places % self.width)}
        return _frames.replaced(self.frame, {name: numbers for name, numbers in columns.items() if name in touched})

    def keys(self) -> dict[Any, Any]:
        """What tells samples apart, a column each: the series, the columns `by`, the first time."""
        rows, columns = np.divmod(self.places[:, 0], self.width)
        timed = self.columns.time in self.frame.columns
        names = [*self.columns.by, *([self.columns.time] if timed else [])]
        found = _frames.take(self.frame, names, rows)
        if self.alone:
            names_of = np.array(self.forecasts, dtype=object)
            alone = {self.columns.id: names_of[columns]}
            found = {**(_frames.take(self.frame, [self.columns.id], rows) if self.long else alone), **found}
        return found if timed else {**found, "row": rows}
