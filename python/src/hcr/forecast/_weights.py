"""The metrics of reconciliation: inverse covariances of the forecasts' errors, by Nixtla's names.

Wickramasuriya, Athanasopoulos and Hyndman, Optimal forecast reconciliation for hierarchical and grouped time series
through trace minimization, 2019; the shrinkage is that of Schäfer and Strimmer, 2005.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from .._arrays import Array
from ..errors import make

Method = Literal["ols", "wls_struct", "wls_var", "mint_shrink", "mint_cov"]
METHODS: tuple[str, ...] = get_args(Method)
OF_RESIDUALS = METHODS[2:]
#: Variances below this share of their mean are raised to it: a series that was fitted without an error.
_LEAST = 1e-8


def covariance(method: Method, sums: Array, residuals: Array | None) -> Array:
    """W, (series,) for a diagonal or (series, series). `residuals`: (series, times), NaN where there are none, two
    or more of each."""
    if residuals is None:
        return np.ones(len(sums)) if method == "ols" else np.abs(sums).sum(axis=1)
    there = np.isfinite(residuals)
    count = there.sum(axis=1)
    known = np.where(there, residuals, 0.0)
    if method == "wls_var":
        return _raised((known**2).sum(axis=1) / count)
    return _shrunk(known, there, method == "mint_shrink")


def _raised(variance: Array) -> Array:
    if not variance.any():
        raise make("data", "all residuals are 0: their variances weigh nothing, use wls_struct")
    return np.maximum(variance, _LEAST * variance.mean())  # type: ignore[no-any-return]


def _shrunk(known: Array, there: Array, shrink: bool) -> Array:
    """The covariance of residuals over the times that two series have both, its correlations shrunk towards 0.

    With the products w = (x_i − mean)(x_j − mean) of two standardised series at c times, the correlation is
    c/(c − 1) mean(w), its variance c/(c − 1)³ Σ (w − mean(w))². The share that is taken off is the sum of those
    variances over all pairs, divided by that of the squared correlations.
    """
    own = there.sum(axis=1)
    x = known - there * (known.sum(axis=1) / own)[:, None]
    scale = np.sqrt(_raised((x**2).sum(axis=1) / own))
    x = x / scale[:, None]
    shared = there.astype(float)
    c = float(own[0]) if there.all() else shared @ shared.T
    if np.min(c) < 2:
        raise make("data", "two series have fewer than 2 residuals at the same times: use wls_var")
    w_sum, squares = _products(x, shared, c, shrink)
    correlation = w_sum / (c - 1)
    if shrink:
        variance = c / (c - 1) ** 3 * (squares - w_sum**2 / c)
        for matrix in (variance, correlation):
            np.fill_diagonal(matrix, 0)
        total = (correlation**2).sum()
        share = min(max(variance.sum() / total, 0.0), 1.0) if total > 0 else 1.0
        correlation = (1 - share) * correlation
    np.fill_diagonal(correlation, own / (own - 1))  # also of a series whose variance was raised
    return correlation * np.outer(scale, scale)  # type: ignore[no-any-return]


def _products(x: Array, there: Array, c: Any, shrink: bool) -> tuple[Array, Array]:
    """Σ w and, to shrink, Σ w² over the c times that two series share."""
    product = x @ x.T
    x2 = x**2
    if np.ndim(c) == 0:  # all times: the means over those that two share are those of each series, 0
        return product, x2 @ x2.T if shrink else product
    a = (x @ there.T) / c  # the mean of i over the times that it shares with j
    b = a.T
    w_sum = product - c * a * b
    if not shrink:
        return w_sum, w_sum
    x2_there, x2_x = x2 @ there.T, x2 @ x.T
    return w_sum, (
        x2 @ x2.T - 2 * b * x2_x - 2 * a * x2_x.T + b**2 * x2_there + a**2 * x2_there.T
        + 4 * a * b * product - 2 * a * b**2 * (a * c) - 2 * a**2 * b * (b * c) + a**2 * b**2 * c
    )  # fmt: skip
