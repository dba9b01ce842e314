"""Forecasts in data frames of pandas and polars, as Nixtla's libraries and others write them, taken inside limits.

`constrain` takes them inside a region, `reconcile` makes those of a hierarchy add up, `limits` proposes a region from
what series did. Nothing is needed beside the
library that the frame is of. docs/forecasting.md has the whole.
"""

from ._constrain import constrain
from ._limits import limits
from ._reconcile import reconcile

__all__ = ["constrain", "limits", "reconcile"]
