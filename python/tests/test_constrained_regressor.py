"""Any regressor with predictions that obey: hcr.sklearn.ConstrainedRegressor."""

from __future__ import annotations

import csv
import itertools
import pathlib
import pickle
from fractions import Fraction

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.datasets import load_linnerud
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

import hcr
from hcr.sklearn import ConstrainedRegressor

M4 = pathlib.Path(__file__).resolve().parents[2] / "examples" / "m4" / "hourly-30.csv"


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [ConstrainedRegressor(), ConstrainedRegressor(DecisionTreeRegressor(max_depth=3, random_state=0), map="contract")]
)
def test_sklearn_s_own_checks(estimator, check):
    check(estimator)


def hourly(name="H1", ahead=24):
    """Two days of a series, and the day after."""
    with open(M4, newline="") as file:
        series = next(row for row in csv.reader(file) if row[0] == name)
    series = np.array([float(cell) for cell in series[1:] if cell])
    starts = range(0, len(series) - 48 - ahead + 1, 5)
    return np.array([series[k : k + 48] for k in starts]), np.array([series[k + 48 : k + 48 + ahead] for k in starts])


def regressors():
    yield RandomForestRegressor(8, random_state=0, min_samples_leaf=4)
    yield HistGradientBoostingRegressor(max_iter=5, random_state=0)
    yield make_pipeline(StandardScaler(), Ridge())
    yield "lightgbm"


@pytest.mark.skipif(not M4.exists(), reason="the examples aren't beside these tests")
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("regressor", regressors(), ids=lambda one: type(one).__name__)
def test_regressors_of_many_kinds_on_hourly_series(regressor):
    if regressor == "lightgbm":
        lightgbm = pytest.importorskip("lightgbm")
        regressor = lightgbm.LGBMRegressor(n_estimators=5, verbose=-1, n_jobs=1)
    X, y = hourly()
    half = len(X) // 2
    step = float(np.abs(np.diff(y[:half], axis=1)).max()) / 2
    region = hcr.Region(f"var load[24]\n{y[:half].min()} <= load <= {y[:half].max()}\nabs(diff(load)) <= {step!r}")
    model = ConstrainedRegressor(regressor, region).fit(X[:half], y[:half])
    prediction, raw = model.predict(X[half:]), model.regressor_.predict(X[half:])
    assert region.check(prediction).all() and not region.check(raw).all()
    exact = [[Fraction(value) for value in row] for row in prediction[:5]]
    assert all(abs(b - a) <= Fraction(step) for row in exact for a, b in itertools.pairwise(row))
    np.testing.assert_array_equal(prediction, region.project(raw))
    assert pickle.loads(pickle.dumps(model)).predict(X[half:]).tobytes() == prediction.tobytes()


def test_searches_scores_and_names():
    pandas = pytest.importorskip("pandas")
    data = load_linnerud(as_frame=True)
    text = "var Weight, Waist, Pulse\n0 <= [Weight, Waist, Pulse] <= 250\nWaist <= 0.3 * Weight"
    search = GridSearchCV(
        ConstrainedRegressor(Ridge(), text), {"regressor__alpha": [0.1, 10.0], "map": ["contract"]}, cv=3
    )
    search.fit(data.data, data.target[["Pulse", "Weight", "Waist"]])
    assert search.best_estimator_.region_.names == ("Weight", "Waist", "Pulse")
    prediction = search.predict(data.data)
    assert (prediction[:, 1] <= 0.3 * prediction[:, 0]).all()
    assert list(search.best_estimator_.feature_names_in_) == list(data.data.columns)
    model = ConstrainedRegressor(Ridge(), text).fit(data.data, data.target)
    shuffled = data.target[["Waist", "Pulse", "Weight"]]
    assert model.score(data.data, shuffled) == model.score(data.data, data.target)
    assert len(cross_val_score(model, data.data, data.target, cv=3)) == 3
    with pytest.raises(hcr.Error, match="y has no column 'Waist'"):
        model.fit(data.data, pandas.DataFrame({"Weight": [1.0], "Pulse": [2.0]}))


def test_parameters_are_columns_or_apart(random):
    pandas = pytest.importorskip("pandas")
    X = random.random((80, 3))
    caps = 0.2 + X[:, 2:]
    y = np.c_[X[:, 0], X[:, 1]]
    region = hcr.Region("var load[2]\nparam cap\n0 <= load\nsum(load) <= cap")
    last = ConstrainedRegressor(LinearRegression(), region).fit(np.c_[X[:, :2], caps], y)
    expected = last.predict(np.c_[X[:, :2], caps])
    assert region.check(expected, caps).all()
    frame = pandas.DataFrame({"cap": caps[:, 0], "a": X[:, 0], "b": X[:, 1]})
    named = ConstrainedRegressor(LinearRegression(), region).fit(frame, y)
    np.testing.assert_allclose(named.predict(frame), expected, atol=1e-12)
    chosen = ConstrainedRegressor(LinearRegression(), region, parameters=["limit"])
    other = frame.rename(columns={"cap": "limit"})
    np.testing.assert_allclose(chosen.fit(other, y).predict(other), expected, atol=1e-12)
    apart = ConstrainedRegressor(LinearRegression(), region).fit(X[:, :2], y)
    assert region.check(apart.predict(X[:, :2], parameters=caps), caps).all()
    with pytest.raises(hcr.Error, match="X has no column 'cap'"):
        ConstrainedRegressor(LinearRegression(), region).fit(other, y).predict(other)


def test_predictions_without_a_result_are_told(random):
    X = random.random((10, 2))
    region = "var y\nparam cap\n0 <= y <= cap"
    model = ConstrainedRegressor(LinearRegression(), region).fit(X, X[:, 0])
    caps = np.ones((10, 1))
    caps[3] = -1
    with pytest.warns(
        UserWarning, match="1 of 10 predictions have no result and are NaN; the first is row 3.*NO_ORIGIN"
    ):
        prediction = model.predict(X, caps)
    assert np.isnan(prediction).tolist() == [k == 3 for k in range(10)]


def test_weights_reach_the_regressor_and_one_column_stays_one(random):
    X = random.random((60, 2))
    weight = np.r_[np.ones(30), np.zeros(30)]
    y = np.r_[np.zeros(30), np.ones(30)]
    model = ConstrainedRegressor(HistGradientBoostingRegressor(max_iter=2), "var y\n0.25 <= y <= 0.75")
    assert (model.fit(X, y, sample_weight=weight).predict(X) == 0.25).all()
    assert model.fit(X, y[:, None]).predict(X).shape == (60, 1)
    two = ConstrainedRegressor(HistGradientBoostingRegressor(max_iter=2), "var y[2]\n0.25 <= y <= 0.75")
    assert (two.fit(X, np.c_[y, y], sample_weight=weight).predict(X) == 0.25).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"region": "var y[3]\n0 <= y <= 1"}, r"y has the shape \(8, 2\), the region 3 outputs"),
        ({"map": "decode"}, "the map 'decode' isn't one of"),
        ({"region": 3.0}, "region is float"),
    ],
)
def test_what_is_refused(random, options, message):
    with pytest.raises((hcr.Error, TypeError), match=message):
        ConstrainedRegressor(**options).fit(random.random((8, 2)), random.random((8, 2)))
