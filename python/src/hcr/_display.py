"""How a region is shown: as text, in a notebook, as a drawing."""

from __future__ import annotations

import html
import json
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from . import _library
from ._arrays import rows
from ._region_maps import Maps

_PLACES = ("line", "column")


class Display(Maps):
    """The part of a region that shows it."""

    __slots__ = ()

    @overload
    def explain(self, as_dict: Literal[False] = False) -> str: ...
    @overload
    def explain(self, as_dict: Literal[True]) -> dict[str, Any]: ...
    def explain(self, as_dict: bool = False) -> str | dict[str, Any]:
        """What was made of the region: sources with kinds and counts, origin, bounds, margins, cost of a decode."""
        text = _library.take_text("hcr_region_explain", self._handle.address, int(as_dict))
        return json.loads(text) if as_dict else text

    def __repr__(self) -> str:
        count = _library.library.hcr_region_constraints(self._handle.address)
        given = f" for {_listed(self.parameters.names)}" if self.p else ""
        return f"<hcr.Region of {_listed(self.names)}{given}: {count} inequalities, {self.equalities} equalities>"

    def _repr_html_(self) -> str:
        explained = self.explain(True)
        body = "".join(
            f"<tr><td>{source['line'] or ''}</td><td><code>{html.escape(source['text'])}</code></td><td>"
            + ", ".join(f"{value} {key}" for key, value in source.items() if _is_count(key, value))
            + "</td></tr>"
            for source in explained["sources"]
        )
        return (
            f"<table><caption>{html.escape(repr(self)[1:-1])}; margin {self.margin.double:.1e} in double, "
            f"{self.margin.single:.1e} in single precision</caption>"
            f"<tr><th>line</th><th>source</th><th>inequalities</th></tr>{body}</table>"
        )

    def plot(
        self,
        outputs: tuple[int | str, int | str] = (0, 1),
        x: npt.ArrayLike | None = None,
        *,
        points: npt.ArrayLike | None = None,
        ax: Any = None,
        directions: int = 720,
    ) -> Any:
        """Draws the slice of the region through its origin in the plane of two outputs (needs matplotlib).

        Args:
            outputs: the two, by number or name.
            x: the parameters of one sample.
            points: (rows, n), drawn on top by their coordinates.
            ax: where to draw; a new figure when None.
            directions: how many directions the frontier is found in.

        Returns:
            The matplotlib axes.
        """
        import matplotlib.pyplot as plt

        first, second = (
            self.names.index(which) if isinstance(which, str) else range(self.n)[which] for which in outputs
        )
        if ax is None:
            _, ax = plt.subplots()
        angle = np.linspace(0, 2 * np.pi, directions + 1)
        polar = np.zeros((directions + 1, self.n + 1))
        polar[:, first], polar[:, second], polar[:, self.n] = np.cos(angle), np.sin(angle), 1
        frontier = self.decode(polar, x)
        origin = self.origin if x is None else self.origin_at(x)
        ax.fill(frontier[:, first], frontier[:, second], alpha=0.2)
        ax.plot(frontier[:, first], frontier[:, second], linewidth=1)
        ax.plot(origin[first], origin[second], "+", label="origin")
        if points is not None:
            drawn = np.atleast_2d(rows(points, self.n, "points", self.names))
            ax.plot(drawn[:, first], drawn[:, second], ".")
        ax.set_xlabel(self.names[first])
        ax.set_ylabel(self.names[second])
        return ax


def _is_count(key: str, value: Any) -> bool:
    return isinstance(value, int) and key not in _PLACES and value > 0


def _listed(names: tuple[str, ...]) -> str:
    """Variables of these elements: ``load[0]``, ``load[1]``, ``price`` are ``load[2], price``."""
    sizes: dict[str, int] = {}
    columns: dict[str, int] = {}
    for name in names:
        variable, bracket, element = name.partition("[")
        sizes[variable] = sizes.get(variable, 0) + 1 if bracket else 0
        if "," in element:
            columns[variable] = int(element.rpartition(",")[2][:-1]) + 1
    shapes = {
        name: f"{size // columns[name]}, {columns[name]}" if name in columns else size for name, size in sizes.items()
    }
    return ", ".join(f"{name}[{shape}]" if shape else name for name, shape in shapes.items())
