"""Forecasts in data frames of pandas and polars, as Nixtla's libraries and others write them, taken inside a region.

`constrain` needs nothing beside the library that the frame is of. docs/forecasting.md has a page on each.
"""

from ._constrain import constrain

__all__ = ["constrain"]
