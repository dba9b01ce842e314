"""Hierarchies of forecasts, reconciled."""

from __future__ import annotations

import csv
import pathlib
from fractions import Fraction

import numpy as np
import pytest

pandas = pytest.importorskip("pandas")

import hcr
from hcr.forecast import reconcile
from hcr.forecast._weights import METHODS, OF_RESIDUALS, covariance

M4 = pathlib.Path(__file__).resolve().parents[2] / "examples" / "m4" / "hourly-30.csv"


def hierarchy(groups=3, each=4):
    """Total, groups, bottom, and a second grouping that crosses the first one."""
    bottom = [f"g{i}/b{j}" for i in range(groups) for j in range(each)]
    rows = {"total": np.ones(len(bottom))}
    rows |= {f"g{i}": np.repeat(np.arange(groups) == i, each).astype(float) for i in range(groups)}
    rows |= {f"b{j}": np.tile(np.arange(each) == j, groups).astype(float) for j in range(each)}
    rows |= dict(zip(bottom, np.eye(len(bottom)), strict=True))
    return pandas.DataFrame(rows, index=bottom).T.rename_axis("unique_id").reset_index()


def matrix(S_df):
    return S_df.drop(columns="unique_id").to_numpy()


def forecasts(random, S_df, times=6, level=20.0):
    S = matrix(S_df)
    rows = pandas.MultiIndex.from_product([S_df["unique_id"], pandas.date_range("2024-01-01", periods=times)])
    truth = random.gamma(1.0, level, (S.shape[1], times))
    frame = pandas.DataFrame({"ETS": (S @ truth + random.normal(0, level, (len(S), times))).reshape(-1)}, index=rows)
    frame["note"] = "kept"
    return frame.rename_axis(["unique_id", "ds"]).reset_index().sample(frac=1, random_state=2)


def fitted(random, S_df, times=40, missing=0.0):
    S = matrix(S_df)
    rows = pandas.MultiIndex.from_product([S_df["unique_id"], pandas.date_range("2023-01-01", periods=times)])
    y = S @ random.gamma(1.0, 20.0, (S.shape[1], times))
    off = S @ random.normal(0, 5, (S.shape[1], times)) + random.normal(0, 3, y.shape)
    frame = pandas.DataFrame({"y": y.reshape(-1), "ETS": (y + off).reshape(-1)}, index=rows)
    frame.loc[random.random(len(frame)) < missing, "ETS"] = np.nan
    return frame.rename_axis(["unique_id", "ds"]).reset_index()


def wide(frame, S_df, column="ETS"):
    return frame.pivot(index="ds", columns="unique_id", values=column)[list(S_df["unique_id"])].to_numpy()


def weights(method, S_df, Y_df):
    residuals = None if method not in OF_RESIDUALS else (wide(Y_df, S_df, "y") - wide(Y_df, S_df)).T
    W = covariance(method, matrix(S_df), residuals)
    return W if W.ndim == 2 else np.diag(W)


def assert_adds_up(S_df, values):
    """At tolerance 0, and in floating point whatever the order."""
    S = matrix(S_df)
    bottom = len(S) - S.shape[1]
    for row in values:
        exact = [Fraction(float(value)) for value in row]
        for i in range(bottom):
            parts = [bottom + j for j in np.flatnonzero(S[i])]
            assert sum(exact[k] for k in parts) == exact[i]
            assert sum(row[k] for k in parts) == row[i] == sum(row[k] for k in parts[::-1])


@pytest.mark.parametrize("method", METHODS)
def test_the_closed_form(random, method):
    """S (S'W⁻¹S)⁻¹ S'W⁻¹ ŷ, to 1e-10 of the largest forecast: both are solved in double precision."""
    S_df = hierarchy()
    frame, Y_df = forecasts(random, S_df), fitted(random, S_df)
    result = reconcile(frame, S_df, method=method, Y_df=Y_df)
    S, inverse = matrix(S_df), np.linalg.inv(weights(method, S_df, Y_df))
    expected = wide(frame, S_df) @ (S @ np.linalg.solve(S.T @ inverse @ S, S.T @ inverse)).T
    np.testing.assert_allclose(wide(result, S_df), expected, atol=1e-10 * np.abs(expected).max(), rtol=0)
    assert_adds_up(S_df, wide(result, S_df))
    assert result["note"].equals(frame["note"]) and result.index.equals(frame.index)


@pytest.mark.parametrize("method", METHODS)
def test_nothing_negative(random, method):
    """Against scipy's least squares of nonnegative b, to 1e-9 of the largest forecast."""
    nnls = pytest.importorskip("scipy.optimize").nnls
    S_df = hierarchy()
    frame, Y_df = forecasts(random, S_df, level=9.0), fitted(random, S_df)
    result = wide(reconcile(frame, S_df, method=method, Y_df=Y_df, nonnegative=True), S_df)
    S, L = matrix(S_df), np.linalg.cholesky(weights(method, S_df, Y_df))
    A = np.linalg.solve(L, S)
    expected = np.array([S @ nnls(A, np.linalg.solve(L, row))[0] for row in wide(frame, S_df)])
    assert (expected == 0).sum() > 5
    np.testing.assert_allclose(result, expected, atol=1e-9 * expected.max(), rtol=0)
    assert result.min() == 0 and (result[expected == 0] == 0).all()
    assert_adds_up(S_df, result)


def test_limits_that_nothing_reaches_change_no_bit(random):
    S_df = hierarchy()
    frame = forecasts(random, S_df, times=40)
    free = wide(reconcile(frame, S_df), S_df)
    limited = wide(reconcile(frame, S_df, nonnegative=True), S_df)
    keeps = (free >= 0).all(axis=1)
    assert 0 < keeps.sum() < 40
    assert (limited[keeps] == free[keeps]).all() and (limited[~keeps] != free[~keeps]).any(axis=1).all()


def test_caps_of_series_and_of_sums(random):
    """Against cvxpy, to 1e-5 of the largest forecast, which is what its solver gives."""
    cvxpy = pytest.importorskip("cvxpy")
    S_df = hierarchy()
    frame = forecasts(random, S_df, times=12)
    frame["cap"] = np.where(frame["unique_id"] == "g0/b1", 12.3, np.nan)
    upper = {"total": 150.7, "g1": 40.1, "b2": 60.3, "g0/b1": "cap"}
    result, outcomes = reconcile(frame, S_df, nonnegative=True, upper=upper, outcomes=True)
    assert set(outcomes["outcome"]) == {"MOVED"}
    values, ids, S = wide(result, S_df), list(S_df["unique_id"]), matrix(S_df)
    caps = np.full(len(ids), np.inf)
    caps[[ids.index(name) for name in upper]] = [150.7, 40.1, 60.3, 12.3]
    assert (values >= 0).all() and (values <= caps).all() and (values[:, 0] > 150.6).any()
    assert_adds_up(S_df, values)
    b, given = cvxpy.Variable(S.shape[1]), cvxpy.Parameter(len(S))
    limited = np.isfinite(caps)
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(S @ b - given)), [b >= 0, S[limited] @ b <= caps[limited]])
    for row, mine in zip(wide(frame, S_df), values, strict=True):
        given.value = row
        problem.solve(solver="CLARABEL")
        np.testing.assert_allclose(mine, S @ b.value, atol=1e-5 * row.max(), rtol=0)


def test_limits_on_both_sides_of_sums(random):
    """Rounding to the grid may go beyond them: those are solved again, from further inside."""
    S_df = hierarchy()
    frame = forecasts(random, S_df, times=40)
    result = wide(reconcile(frame, S_df, lower={"total": 80.1, "g0": 30.3}, upper={"total": 80.2, "g1": 20.7}), S_df)
    assert (result[:, 0] >= 80.1).all() and (result[:, 0] <= 80.2).all()
    assert (result[:, 1] >= 30.3).all() and (result[:, 2] <= 20.7).all()
    assert_adds_up(S_df, result)


def test_differences_of_series_have_limits_of_their_own():
    """Of net = load − solar "nothing negative" isn't what the limits of load and solar say already."""
    S_df = pandas.DataFrame({"unique_id": ["net", "load", "solar"], "load": [1, 1, 0], "solar": [-1, 0, 1]})
    frame = pandas.DataFrame({"net": [0.0, -3.0], "load": [1.0, 9.0], "solar": [2.0, 5.0]})
    net, load, solar = reconcile(frame, S_df, nonnegative=True, upper={"load": 8}).to_numpy().T
    np.testing.assert_allclose([load, solar], [[1.5, 7.0], [1.5, 7.0]], rtol=1e-12)
    assert (net >= 0).all() and (net == load - solar).all()


@pytest.mark.skipif(not M4.exists(), reason="the examples aren't beside these tests")
def test_thirty_hourly_series_whose_night_is_0():
    """M4's series in three groups: seasonal naive forecasts of all, a group's reading missing by a tenth."""
    with open(M4, newline="") as file:
        rows = list(csv.reader(file))[1:]
    days = {name: np.array([float(cell) for cell in cells if cell])[-24:] for name, *cells in rows}
    days = {name: np.where(day > np.median(day), day, 0) for name, day in days.items()}
    names = list(days)
    parents = pandas.DataFrame({"unique_id": names, "parent": [f"group {k % 3}" for k in range(30)]})
    parents = pandas.concat(
        [parents, pandas.DataFrame({"unique_id": [f"group {k}" for k in range(3)], "parent": "all"})]
    )
    frame = pandas.DataFrame(days).rename_axis("ds")
    for k in range(3):
        frame[f"group {k}"] = 0.9 * frame[names[k::3]].sum(axis=1)
    frame["all"] = frame[names].sum(axis=1)
    result = reconcile(frame, parents, method="wls_struct", nonnegative=True)
    order = ["all", *(f"group {k}" for k in range(3)), *names]
    S = np.vstack([np.ones(30), *[(np.arange(30) % 3 == k) for k in range(3)], np.eye(30)])
    S_df = pandas.DataFrame(S, columns=names, index=order).rename_axis("unique_id").reset_index()
    assert_adds_up(S_df, result[order].to_numpy())
    assert result.to_numpy().min() == 0
    again = reconcile(result, S_df, method="wls_struct", nonnegative=True)
    pandas.testing.assert_frame_equal(again, result)  # what adds up stays, bit for bit


def test_what_adds_up_stays_however_near_its_limits():
    parents = pandas.DataFrame({"unique_id": ["a", "b"], "parent": ["t", "t"]})
    tiny = 2.0**-50
    frame = pandas.DataFrame({"unique_id": ["t", "a", "b"], "ds": [1] * 3, "M": [1.0, tiny, 1 - tiny]})
    result, outcomes = reconcile(frame, parents, nonnegative=True, upper=1.0, outcomes=True)
    assert outcomes["outcome"].tolist() == ["INSIDE"] and result.equals(frame)


def test_parents_summing_matrix_index_wide_and_polars_agree(random):
    S_df = pandas.DataFrame({"unique_id": ["t", "a", "b"], "a": [1, 1, 0], "b": [1, 0, 1]})
    frame = pandas.DataFrame({"unique_id": list("abt") * 2, "ds": [1, 1, 1, 2, 2, 2], "M": random.normal(5, 9, 6)})
    expected = reconcile(frame, S_df, nonnegative=True)
    parents = pandas.DataFrame({"unique_id": ["a", "b", "t"], "parent": ["t", "t", None]})
    pandas.testing.assert_frame_equal(reconcile(frame, parents, nonnegative=True), expected)
    unnamed = S_df.set_index("unique_id").rename_axis(None)
    pandas.testing.assert_frame_equal(reconcile(frame, unnamed, nonnegative=True), expected)
    table = frame.pivot(index="ds", columns="unique_id", values="M")
    np.testing.assert_array_equal(
        reconcile(table, S_df, nonnegative=True), expected.pivot(index="ds", columns="unique_id", values="M")
    )
    polars = pytest.importorskip("polars")
    other = [
        polars.DataFrame({name: [None if part != part else part for part in one[name]] for name in one})
        for one in (frame, parents)
    ]
    assert reconcile(*other, nonnegative=True)["M"].to_list() == expected["M"].to_list()


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_shrinkage_by_its_definition(random, missing):
    """Schäfer and Strimmer's formulas, a pair of series at a time; equal to 1e-9, rounding."""
    S_df = hierarchy(2, 2)
    Y_df = fitted(random, S_df, missing=missing)
    residuals = (wide(Y_df, S_df, "y") - wide(Y_df, S_df)).T
    n, variances, squares, off = len(residuals), 0.0, 0.0, {}
    deviations = [np.nanstd(row) for row in residuals]
    for i in range(n):
        for j in range(n):
            both = np.isfinite(residuals[i] + residuals[j])
            c = both.sum()
            x, y = (residuals[k, both] / deviations[k] for k in (i, j))
            w = (x - x.mean()) * (y - y.mean())
            off[i, j] = c / (c - 1) * w.mean()
            if i != j:
                variances += c / (c - 1) ** 3 * ((w - w.mean()) ** 2).sum()
                squares += off[i, j] ** 2
    kept = 1 - variances / squares
    assert 0.1 < kept < 0.99
    expected = [
        [off[i, j] * (kept if i != j else 1) * deviations[i] * deviations[j] for j in range(n)] for i in range(n)
    ]
    np.testing.assert_allclose(covariance("mint_shrink", matrix(S_df), residuals), expected, rtol=1e-9)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ["ols", "wls_struct", "wls_var", "mint_shrink"])
def test_beside_hierarchicalforecast(random, method):
    """Without limits to 1e-8. Without negative forecasts its solver and its float32 leave 1e-4 of the largest."""
    methods = pytest.importorskip("hierarchicalforecast.methods")
    core = pytest.importorskip("hierarchicalforecast.core")
    S_df, Y_df = hierarchy(), fitted(random, hierarchy())
    frame = forecasts(random, S_df, level=9.0).drop(columns="note")
    frame["ETS"] = frame["ETS"].clip(lower=0)
    for nonnegative, tolerance in ((False, 1e-8), (True, 1e-4)):
        theirs = core.HierarchicalReconciliation([methods.MinTrace(method, nonnegative=nonnegative)])
        other = theirs.reconcile(Y_hat_df=frame, Y_df=Y_df, S_df=S_df, tags={"all": S_df["unique_id"].to_numpy()})
        mine = wide(reconcile(frame, S_df, method=method, Y_df=Y_df, nonnegative=nonnegative), S_df)
        np.testing.assert_allclose(
            mine, wide(other, S_df, other.columns[-1]), atol=tolerance * frame["ETS"].max(), rtol=0
        )


def test_times_without_a_result_are_told(random):
    S_df = hierarchy(2, 2)
    frame = forecasts(random, S_df, times=3).sort_values(["ds", "unique_id"]).reset_index(drop=True)
    frame.loc[1, "ETS"] = np.nan
    frame["cap"] = np.where((frame["ds"] == frame["ds"].iloc[-1]) & (frame["unique_id"] == "total"), -1.0, np.nan)
    with pytest.warns(UserWarning, match=r"2 of 3 samples of 'ETS' have no result and are NaN: 1 for a missing value"):
        result, outcomes = reconcile(frame, S_df, nonnegative=True, upper="cap", outcomes=True)
    assert outcomes["outcome"].tolist() == ["BAD_VALUE", "MOVED", "NO_ORIGIN"]
    assert result["ETS"].notna().groupby(result["ds"]).sum().tolist() == [0, len(S_df), 0]


def test_series_fitted_without_an_error(random):
    """Their variance is that of a very small error, not 0."""
    S_df = hierarchy(2, 2)
    frame, Y_df = forecasts(random, S_df), fitted(random, S_df)
    exact = Y_df["unique_id"] == "g0/b0"
    Y_df.loc[exact, "ETS"] = Y_df.loc[exact, "y"]
    for method in ("wls_var", "mint_shrink"):
        result = reconcile(frame, S_df, method=method, Y_df=Y_df)
        merged = result.merge(frame, on=["unique_id", "ds"])
        moved = (merged["ETS_x"] - merged["ETS_y"]).abs().groupby(merged["unique_id"]).max()
        assert moved["g0/b0"] < 1e-5 < moved.drop("g0/b0").max()
    Y_df["ETS"] = Y_df["y"]
    with pytest.raises(hcr.Error, match="all residuals are 0"):
        reconcile(frame, S_df, method="wls_var", Y_df=Y_df)


def test_residuals_that_are_missing_are_told(random):
    S_df = hierarchy(2, 2)
    frame, Y_df = forecasts(random, S_df), fitted(random, S_df)
    with pytest.raises(hcr.Error, match="'g0/b0' has fewer than 2 residuals in Y_df"):
        reconcile(frame, S_df, method="mint_shrink", Y_df=Y_df[Y_df["unique_id"] != "g0/b0"])
    table = frame.pivot(index="ds", columns="unique_id", values="ETS")
    with pytest.raises(hcr.Error, match="methods with residuals take long frames"):
        reconcile(table, S_df, method="mint_shrink", Y_df=Y_df)
    with pytest.raises(hcr.Error, match="Y_df has no column 'ETS'"):
        reconcile(frame, S_df, method="mint_shrink", Y_df=Y_df.drop(columns="ETS"))


def changed(S_df, row, column, value):
    S_df = S_df.copy()
    S_df[column] = S_df[column].astype(float)
    S_df.loc[S_df["unique_id"] == row, column] = value
    return S_df


CIRCLE = pandas.DataFrame({"unique_id": ["a", "b", "c"], "parent": ["b", "c", "b"]})


@pytest.mark.parametrize(
    ("S_df", "options", "message"),
    [
        (CIRCLE, {}, r"the parents of '\w' go round in a circle"),
        (changed(hierarchy(), "g0", "g0/b0", 0.5), {}, r"S_df has 0\.5 for 'g0' and 'g0/b0'"),
        (changed(hierarchy(), "g0/b1", "g0/b0", 1), {}, "the row 'g0/b1' of S_df isn't the bottom series"),
        (hierarchy()[1:].drop(columns="g0/b0"), {}, "the row 'g0/b0' of S_df is the sum of no series"),
        (hierarchy(4, 4), {}, "the hierarchy has 'g3', but no series of the frame is called 'g3'"),
        (hierarchy(), {"method": "mint"}, "'mint' isn't one of 'ols'"),
        (hierarchy(), {"method": "wls_var"}, "needs residuals: Y_df"),
        (hierarchy(), {"upper": "cap"}, "Y_hat_df has no column 'cap'"),
        (hierarchy(), {"upper": {"g9": 1.0}}, "a limit is for 'g9', which is no series"),
        (hierarchy(), {"nonnegative": True, "lower": 1.0}, "nonnegative is lower=0"),
    ],
)
def test_what_is_refused(random, S_df, options, message):
    with pytest.raises(hcr.Error, match=message):
        reconcile(forecasts(random, hierarchy()), S_df, **options)
