"""Points taken inside a region, where those that are inside stay as they are."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._arrays import numbers, rows
from ._records import Outcome
from ._relaxation import OnEmpty
from .errors import make
from .region import Region

Kind = Literal["project", "contract"]


def checked(map: str) -> None:
    if map not in ("project", "contract"):
        raise make("argument", f"the map {map!r} isn't one of 'project' and 'contract'")


def take_inside(
    region: Region, points: Any, x: Any, map: str, on_empty: OnEmpty = "nan"
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The nearest points, or those on the way to the origin, and their outcomes; NaN where there are none."""
    if map == "project":
        return region.project(points, x, outcomes=True, on_empty=on_empty)
    given = rows(points, region.n, "points", region.names)
    stay = np.asarray(region.check(given, x))
    if stay.all():
        width = given.dtype if x is None else np.result_type(given, numbers(x, "x"))
        as_they_are = np.broadcast_to(given, (*stay.shape, region.n)).astype(width)
        return as_they_are, np.full(stay.shape, int(Outcome.INSIDE), np.uint32)
    way: OnEmpty = "nan" if on_empty == "nan" else "relax"
    drawn, outcomes = region.decode(region.encode(points, x, on_empty=way), x, outcomes=True, on_empty=way)
    if on_empty == "nearest" and np.any(outcomes == Outcome.RELAXED):
        nearest = region.project(points, x, on_empty=on_empty)
        drawn = np.where((np.asarray(outcomes) == Outcome.RELAXED)[..., None], nearest, drawn)
    return np.where(stay[..., None], points, drawn), np.where(stay, Outcome.INSIDE, outcomes)
