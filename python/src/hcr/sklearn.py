"""Regressors for scikit-learn: one over the C trainer, and one that makes any other obey."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from ._arrays import Array, by_name
from ._constrained_regressor import ConstrainedRegressor, region_of
from .errors import make
from .model import Encoder, Head, Loss, Model, fit
from .region import Region

__all__ = ["ConstrainedRegressor", "HCRRegressor"]


class HCRRegressor(MultiOutputMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor whose every prediction is in a region.

    Args:
        region: a `Region`, the text of one, or None: the box of the training targets, so that predictions never leave
            the range that was seen. A text with ``origin = mean`` gets the mean of the training targets.
        parameters: for a region with parameters, the columns of X that they are, by name or number in the order of
            ``region.parameters.names``. None: found by their names, or the last p when X has no names.
        encoder, head, loss, delta, quantile, quantiles, calibrate, members, blend, season, hidden, linear_encoder,
            features, epochs, batch, rate, rate_decay, weight_decay, clip, validation, validation_last, patience,
            radius_weight: as for `hcr.fit`, but for the default head, which is ``"hcr-contract"``, with `quantiles`
            ``"hcr-project"``.
        random_state: a number, a generator or None: of initial weights, shuffles and the validation split.

    Attributes:
        region_: the region of the predictions.
        model_: the trained `Model`.
        report_: what the training was.
        n_features_in_, feature_names_in_: as of every regressor.

    >>> import numpy as np
    >>> from hcr.sklearn import HCRRegressor
    >>> X = np.random.default_rng(0).random((300, 2))
    >>> regressor = HCRRegressor("var y[2]\\n0 <= y\\nsum(y) <= 1", epochs=5, random_state=0)
    >>> prediction = regressor.fit(X, X / 2).predict(10 * X)
    >>> bool(prediction.min() >= 0 and prediction.sum(axis=1).max() <= 1)
    True
    """

    def __init__(
        self,
        region: Region | str | None = None,
        *,
        parameters: Sequence[str | int] | None = None,
        encoder: Encoder = "dense",
        head: Head | None = None,
        loss: Loss = "squared",
        delta: float = 1.0,
        quantile: float = 0.5,
        quantiles: Sequence[float] | None = None,
        calibrate: bool = False,
        members: int = 1,
        blend: Sequence[Head] | None = None,
        season: int = 0,
        hidden: int = 64,
        linear_encoder: bool = False,
        features: int = 1,
        epochs: int = 100,
        batch: int = 32,
        rate: float = 1e-3,
        rate_decay: float = 1.0,
        weight_decay: float = 0.0,
        clip: float = 0.0,
        validation: float = 0.0,
        validation_last: bool = False,
        patience: int = 0,
        radius_weight: float = 1.0,
        random_state: Any = None,
    ) -> None:
        self.region = region
        self.parameters = parameters
        self.encoder = encoder
        self.head = head
        self.loss = loss
        self.delta = delta
        self.quantile = quantile
        self.quantiles = quantiles
        self.calibrate = calibrate
        self.members = members
        self.blend = blend
        self.season = season
        self.hidden = hidden
        self.linear_encoder = linear_encoder
        self.features = features
        self.epochs = epochs
        self.batch = batch
        self.rate = rate
        self.rate_decay = rate_decay
        self.weight_decay = weight_decay
        self.clip = clip
        self.validation = validation
        self.validation_last = validation_last
        self.patience = patience
        self.radius_weight = radius_weight
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> HCRRegressor:
        """Trains on inputs (rows, inputs) and targets (rows, n) or (rows,), whose losses count as much as their weights
        (rows,) say. The columns of a data frame of targets are found by the region's names, as `hcr.fit` does;
        predictions have the region's order."""
        if hasattr(y, "columns") and self.region is not None:
            self.region_ = region_of(self.region, y)
            y = self._by_name(y)
            inputs, targets = self._validated(X, y)
            weights = self._weights(sample_weight, inputs)
        else:
            inputs, targets = self._validated(X, y)
            weights = self._weights(sample_weight, inputs)
            counted = targets if weights is None else targets[weights > 0]
            self.region_ = region_of(self.region, counted.reshape(len(counted), -1))
        self._one_column = targets.ndim == 1
        targets = targets.reshape(len(targets), -1)
        options = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name not in ("region", "parameters", "random_state")
        }
        if self.head is None:
            options["head"] = "hcr-contract" if self.quantiles is None else "hcr-project"
        names = getattr(self, "feature_names_in_", None)
        self._columns = None if self.parameters is None else self._found(self.parameters, names)
        self.model_: Model = fit(
            self.region_,
            inputs,
            targets,
            parameters=self._parameters_of(inputs),
            sample_weight=weights,
            seed=_seed(self.random_state),
            input_names=None if names is None else [str(name) for name in names],
            **options,
        )
        self.report_ = self.model_.report
        self.n_iter_ = self.report_.epochs if self.report_ is not None else 0
        return self

    def _validated(self, X: npt.ArrayLike, y: Any) -> tuple[Array, Array]:
        inputs, targets = validate_data(
            self, X, y, dtype=np.float64, multi_output=True, y_numeric=True, ensure_min_samples=2
        )
        return inputs, np.asarray(targets, dtype=np.float64)

    @staticmethod
    def _weights(sample_weight: npt.ArrayLike | None, inputs: Array) -> Array | None:
        if sample_weight is None:
            return None
        weights: Array = _check_sample_weight(sample_weight, inputs, dtype=np.float64, ensure_non_negative=True)
        if not weights.any():
            raise ValueError("sample_weight is 0 for every sample: at least one must count")
        return weights

    def _by_name(self, y: Any) -> Any:
        """Targets in the region's order, where they have names and the region was given."""
        named = hasattr(y, "columns") and self.region is not None
        return by_name(y, self.region_.names, "y") if named else y

    def score(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> float:
        """R² of the predictions, with `quantiles` of those nearest to the median; the columns of a data frame of
        targets are found by name."""
        check_is_fitted(self, "model_")
        predicted = self.predict(X)
        if self.model_.quantiles is not None:
            predicted = predicted[..., np.abs(np.array(self.model_.quantiles) - 0.5).argmin()]
        return float(r2_score(self._by_name(y), predicted, sample_weight=sample_weight))

    def _found(self, parameters: Sequence[str | int], names: Any) -> list[int]:
        """The columns of X that are the region's parameters."""
        known = [] if names is None else list(names)
        columns = []
        for which in parameters:
            if isinstance(which, str) and which not in known:
                raise make("name", f"X has no column {which!r}, which is to be a parameter of the region")
            columns.append(known.index(which) if isinstance(which, str) else range(self.n_features_in_)[which])
        if len(columns) != self.region_.p:
            raise make("shape", f"{len(columns)} columns are given for the {self.region_.p} parameters of the region")
        return columns

    def _parameters_of(self, inputs: Array) -> Array | None:
        return None if self._columns is None else inputs[:, self._columns]

    def predict(self, X: npt.ArrayLike) -> Array:
        """Predictions (rows, n), or (rows,) when the targets had one column without a second axis; with `quantiles`
        an axis of their levels comes last."""
        check_is_fitted(self, "model_")
        inputs = validate_data(self, X, dtype=np.float64, reset=False)
        prediction: Array = self.model_.predict(inputs, self._parameters_of(inputs))
        return prediction[:, 0] if self._one_column else prediction


def _seed(random_state: Any) -> int:
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        return int(random_state)
    if isinstance(random_state, (np.random.RandomState, np.random.Generator)):
        draw = random_state.randint if isinstance(random_state, np.random.RandomState) else random_state.integers
        return int(draw(2**31 - 1))
    return int(np.random.SeedSequence().generate_state(1)[0]) if random_state is None else _refuse(random_state)


def _refuse(random_state: Any) -> int:
    raise TypeError(f"random_state is {random_state!r}: it must be a number, a generator or None")
