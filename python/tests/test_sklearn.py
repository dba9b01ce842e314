"""The scikit-learn regressor."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from conftest import make

pytest.importorskip("sklearn")

from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import hcr
from hcr.sklearn import HCRRegressor

pytestmark = pytest.mark.filterwarnings("ignore")


# Networks are in single precision, one unit of which, 1.2e-7, is more than the 1e-7 that this check allows: it passes
# or fails with the order in which a processor's products are added up. `test_losses_and_weights` says what does hold.
UNITS = {"check_sample_weight_equivalence_on_dense_data": "single precision"}


@parametrize_with_checks([HCRRegressor()], expected_failed_checks=lambda _: UNITS)
def test_sklearn_s_own_checks(estimator, check):
    check(estimator)


@pytest.fixture
def data(random):
    X = random.random((150, 3))
    return X, X + 0.1


def test_predictions_are_inside(data):
    X, Y = data
    regressor = HCRRegressor(make("ball"), epochs=5, random_state=0).fit(X, Y)
    assert make("ball").check(regressor.predict(100 * X)).all()
    assert regressor.region_ is make("ball") and regressor.report_.epochs == regressor.n_iter_ == 5
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(regressor)).predict(X), regressor.predict(X))


def test_pipeline_and_grid_search(data):
    X, Y = data
    pipeline = make_pipeline(
        StandardScaler(), HCRRegressor("var y[3]\n0 <= y <= 1\norigin = mean", epochs=3, random_state=0)
    )
    search = GridSearchCV(
        pipeline, {"hcrregressor__hidden": [4, 16], "hcrregressor__head": ["hcr", "hcr-contract"]}, cv=2, n_jobs=2
    )
    search.fit(X, np.clip(Y, 0, 1))
    prediction = search.predict(50 * X)
    assert prediction.min() >= 0 and prediction.max() <= 1


def test_without_a_region_predictions_stay_in_the_range_seen(data):
    X, Y = data
    regressor = HCRRegressor(epochs=2, random_state=1).fit(X, Y)
    prediction = regressor.predict(1000 * X - 500)
    assert (prediction >= Y.min(0)).all() and (prediction <= Y.max(0)).all()
    constant = HCRRegressor(epochs=2, random_state=1).fit(X, np.full(len(X), 0.3))
    np.testing.assert_allclose(constant.predict(X), 0.3, atol=1e-5)


@pytest.mark.parametrize("origin", ["", "origin = mean"])
def test_d11_targets_by_name(origin):
    """Columns in another order than the region's, and some more, are those of the region by name."""
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    X = random.random((60, 2))
    Y = pandas.DataFrame({"other": X[:, 0], "b": 5 + X[:, 1], "a": X[:, 0]})
    text = f"var a, b\n0 <= a <= 1\n5 <= b <= 6\n{origin}"
    by_name = HCRRegressor(text, epochs=3, random_state=0).fit(X, Y[["b", "a"]])
    in_order = HCRRegressor(text, epochs=3, random_state=0).fit(X, Y[["a", "b"]].to_numpy())
    np.testing.assert_array_equal(by_name.predict(X), in_order.predict(X))
    np.testing.assert_array_equal(by_name.region_.origin, in_order.region_.origin)
    assert by_name.score(X, Y) == in_order.score(X, Y[["a", "b"]].to_numpy())
    region = hcr.Region(text.replace(origin, "") if origin else text)
    given = HCRRegressor(region, epochs=3, random_state=0).fit(X, Y)
    assert region.check(given.predict(X)).all()
    with pytest.raises(hcr.InvalidError, match="has no column 'a'"):
        HCRRegressor(text).fit(X, Y[["b", "other"]])


def test_losses_and_weights(random):
    X = random.random((400, 3))
    y = X[:, 0] + random.random(400)
    high = HCRRegressor(loss="pinball", quantile=0.9, epochs=60, rate=3e-3, random_state=0).fit(X, y)
    assert 0.8 < (high.predict(X) >= y).mean() < 0.97
    # weights that are whole numbers are repeated rows, where one batch has all; to the rounding of single precision
    weights = np.arange(400) % 3
    options = {"loss": "huber", "delta": 0.5, "batch": 10_000, "epochs": 40, "random_state": 1}
    weighted = HCRRegressor(**options).fit(X, y, sample_weight=weights)
    repeated = HCRRegressor(**options).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-4)
    with pytest.raises(ValueError, match=r"(?i)sample.weight"):
        HCRRegressor().fit(X, y, sample_weight=np.zeros(400))


def test_quantiles(random):
    X = random.random((300, 3))
    y = X[:, 0] + random.random(300)
    regressor = HCRRegressor(quantiles=[0.1, 0.5, 0.9], epochs=30, rate=3e-3, random_state=0).fit(X, y)
    predicted = regressor.predict(X)
    assert predicted.shape == (300, 3) and (np.diff(predicted) >= 0).all()
    assert regressor.score(X, y) > 0.2  # of the median
