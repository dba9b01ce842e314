"""Any scikit-learn regressor, with predictions taken inside a region."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.linear_model import LinearRegression
from sklearn.multioutput import MultiOutputRegressor
from sklearn.utils import get_tags
from sklearn.utils.validation import check_array, check_is_fitted

from ._arrays import Array, by_name
from ._points import Kind, checked, take_inside
from ._records import Outcome
from .errors import make
from .region import Region


class ConstrainedRegressor(MetaEstimatorMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Makes the predictions of any regressor obey a region: a forest's, a boosted tree's, a pipeline's.

    The regressor learns as ever; what it predicts is taken inside. One that knows a single output alone, such as
    HistGradientBoostingRegressor or LightGBM's, is fitted once an output (`sklearn.multioutput.MultiOutputRegressor`).

    Args:
        regressor: an estimator; None: LinearRegression. It is cloned.
        region: a `Region`, the text of one, or None: the box of the training targets. A text with ``origin = mean``
            gets their mean.
        map: ``"project"``, the nearest point of the region, or ``"contract"``, the one on the way to its origin.
            Predictions that obey already stay bit for bit.
        parameters: for a region with parameters, the columns of X that they are, by name or number in the order of
            ``region.parameters.names``. None: found by their names, or the last p when X has no names. `predict` also
            takes them apart from X.

    Attributes:
        region_: the region of the predictions.
        regressor_: the fitted regressor.
        n_features_in_, feature_names_in_: those of the regressor, where it has them.

    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from hcr.sklearn import ConstrainedRegressor
    >>> X = np.random.default_rng(0).random((300, 2))
    >>> forest = RandomForestRegressor(10, random_state=0)
    >>> regressor = ConstrainedRegressor(forest, "var y[2]\\n0 <= y\\nsum(y) == 1").fit(X, X / X.sum(1, keepdims=True))
    >>> bool((regressor.predict(X).sum(axis=1) == 1).all())
    True
    """

    def __init__(
        self,
        regressor: Any = None,
        region: Region | str | None = None,
        *,
        map: Kind = "project",
        parameters: Sequence[str | int] | None = None,
    ) -> None:
        self.regressor = regressor
        self.region = region
        self.map = map
        self.parameters = parameters

    def fit(self, X: Any, y: Any, **fit_params: Any) -> ConstrainedRegressor:
        """Fits the regressor to inputs (rows, inputs) and targets (rows, n) or (rows,). The columns of a data frame of
        targets are found by the region's names. `fit_params`, such as sample_weight, are the regressor's."""
        checked(self.map)
        if y is None:
            raise ValueError("this estimator requires y to be passed, but the target y is None")
        named = hasattr(y, "columns") and self.region is not None
        targets = None if named else self._targets(y)
        self.region_ = region_of(self.region, y if targets is None else targets.reshape(len(targets), -1))
        if targets is None:
            targets = self._targets(by_name(y, self.region_.names, "y"))
        if targets.reshape(len(targets), -1).shape[1] != self.region_.n:
            raise make("shape", f"y has the shape {targets.shape}, the region {self.region_.n} outputs")
        self._one_column = targets.ndim == 1
        regressor = LinearRegression() if self.regressor is None else clone(self.regressor)
        if targets.ndim == 2 and targets.shape[1] == 1:
            targets = targets[:, 0]
        elif targets.ndim == 2 and not get_tags(regressor).target_tags.multi_output:
            regressor = MultiOutputRegressor(regressor)
        self.regressor_ = regressor.fit(X, targets, **fit_params)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.regressor_, name):
                setattr(self, name, getattr(self.regressor_, name))
        return self

    @staticmethod
    def _targets(y: Any) -> Array:
        return check_array(y, ensure_2d=False, allow_nd=False, dtype=np.float64, input_name="y")  # type: ignore[no-any-return]

    def predict(self, X: Any, parameters: npt.ArrayLike | None = None) -> Array:
        """Predictions (rows, n), or (rows,) when the targets had one column without a second axis.

        `parameters`, (rows, p) or (p,), are those of the region, where they aren't columns of X. Rows that have no
        result, for parameters out of range or that leave no point, are NaN, and a warning counts them.
        """
        check_is_fitted(self, "regressor_")
        raw = np.asarray(self.regressor_.predict(X), dtype=np.float64)
        given = parameters if parameters is not None or not self.region_.p else self._columns_of(X)
        result, outcomes = take_inside(self.region_, raw.reshape(len(raw), -1), given, self.map)
        without = np.isin(outcomes, [Outcome.BAD_VALUE, Outcome.OUT_OF_RANGE, Outcome.NO_ORIGIN, Outcome.DEPENDENT])
        if without.any():
            first = int(without.argmax())
            warnings.warn(
                f"{int(without.sum())} of {len(result)} predictions have no result and are NaN; the first is row "
                f"{first}, counted from 0: {Outcome(outcomes[first]).name}",
                stacklevel=2,
            )
        return result[:, 0] if self._one_column else result

    def score(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """R² of the predictions; the columns of a data frame of targets are found by name."""
        check_is_fitted(self, "regressor_")
        named = hasattr(y, "columns") and self.region is not None
        return float(super().score(X, by_name(y, self.region_.names, "y") if named else y, sample_weight))

    def _columns_of(self, X: Any) -> Array:
        """The parameters (rows, p) in X."""
        region, named = self.region_, hasattr(X, "columns")
        which = self.parameters
        if which is None:
            which = list(region.parameters.names) if named else list(range(-region.p, 0))
        if len(which) != region.p:
            raise make("shape", f"{len(which)} columns are given for the {region.p} parameters of the region")
        found = [str(name) for name in X.columns] if named else []
        missing = [name for name in which if isinstance(name, str) and name not in found]
        if missing:
            raise make("name", f"X has no column {missing[0]!r}, which is to be a parameter of the region")
        places = [found.index(name) if isinstance(name, str) else name for name in which]
        columns = X.iloc[:, places] if hasattr(X, "iloc") else (X[:, places] if named else np.asarray(X)[:, places])
        return np.asarray(columns, dtype=np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(LinearRegression() if self.regressor is None else self.regressor)
        tags.regressor_tags.poor_score = True
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.input_tags.sparse, inner.input_tags.allow_nan
        tags.target_tags.multi_output, tags.target_tags.single_output = True, True
        return tags


def region_of(given: Region | str | None, targets: Any) -> Region:
    """The region that an estimator was given, or the box of the targets (rows, n)."""
    if isinstance(given, Region):
        return given
    if isinstance(given, str):
        return Region.from_text(given, mean_of=targets)
    if given is not None:
        raise TypeError(f"region is {type(given).__name__}: it must be a Region, a text of one, or None")
    low, high = targets.min(axis=0), targets.max(axis=0)
    room = np.where(high > low, 0.0, 1e-6 * np.maximum(1.0, np.abs(high)))
    return Region.from_rows(bounds=(low - room, high + room), n=targets.shape[1])
