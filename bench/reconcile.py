"""Reconciliation without negative forecasts: hcr.forecast.reconcile beside HierarchicalForecast's MinTrace.

    pip install hierarchicalforecast statsforecast scipy
    python bench/reconcile.py prison_population.csv tourism.csv

The data are the two grouped hierarchies that HierarchicalForecast's own examples use, as CSV files with a bottom series
by its keys: the Australian prison population (https://OTexts.com/fpp3/extrafiles/prison_population.csv) and domestic
tourism by region and purpose (https://robjhyndman.com/publications/mint/, TourismData: three lines of state, region and
purpose, then a line a month). Base forecasts are statsforecast's, two years ahead. Both sides get them with negative
ones replaced by 0, as MinTrace replaces them, and take turns; times are processor time of the whole call on frames, the
least of several. The judge is scipy's nnls, an active-set method for the same least squares.
"""

import csv
import fractions
import sys
import time
import warnings

import numpy as np
import pandas
from hcr.forecast import reconcile
from hcr.forecast._weights import covariance
from hierarchicalforecast.core import HierarchicalReconciliation
from hierarchicalforecast.methods import MinTrace
from hierarchicalforecast.utils import aggregate
from scipy.optimize import nnls
from statsforecast import StatsForecast
from statsforecast.models import AutoETS

TURNS, SECONDS = 3, 5  # at least
METHODS = ("ols", "wls_struct", "wls_var", "mint_shrink")


def prison(path):
    frame = pandas.read_csv(path).rename(columns={"Count": "y", "Date": "ds"})
    frame = frame.groupby(["State", "Gender", "Legal", "ds"], as_index=False)["y"].sum()
    levels = [["Country"], *([["Country", key] for key in ("State", "Gender", "Legal")])]
    return frame, [*levels, ["Country", "State", "Gender", "Legal"]], 4, "QS", 8


def tourism(path):
    with open(path, newline="") as file:
        states, regions, purposes, *rows = csv.reader(file)
    state = region = ""
    records = []
    months = pandas.date_range("1998-01-01", periods=len(rows), freq="MS")
    for column in range(2, len(purposes)):
        state, region = states[column] or state, regions[column] or region
        for month, row in zip(months, rows, strict=True):
            if len(row) > column and row[column]:
                records.append((state, region, purposes[column], month, float(row[column])))
    frame = pandas.DataFrame(records, columns=["State", "Region", "Purpose", "ds", "y"])
    levels = [["Country"], ["Country", "State"], ["Country", "State", "Region"], ["Country", "Purpose"]]
    return frame, [*levels, ["Country", "State", "Purpose"], ["Country", "State", "Region", "Purpose"]], 12, "MS", 24


def base_forecasts(frame, levels, season, freq, ahead):
    frame = frame.assign(Country="Australia", ds=pandas.to_datetime(frame["ds"]))
    Y_df, S_df, tags = aggregate(frame, levels)
    train = Y_df[Y_df["ds"] < sorted(Y_df["ds"].unique())[-ahead]]
    maker = StatsForecast(models=[AutoETS(season_length=season, model="ANA")], freq=freq, n_jobs=1)
    forecasts = maker.forecast(df=train, h=ahead, fitted=True)
    return forecasts, maker.forecast_fitted_values(), S_df, tags


def timed(call):
    start = time.process_time()
    result = call()
    return result, time.process_time() - start


def wide(frame, column, ids):
    return frame.pivot(index="ds", columns="unique_id", values=column)[ids].to_numpy(dtype=float)


def judge(S, W, given):
    """The least-squares answer: |L⁻¹(S b − ŷ)| with W = L L'."""
    L = np.linalg.cholesky(W if W.ndim == 2 else np.diag(W))
    A = np.linalg.solve(L, S)
    bottom = [nnls(A, np.linalg.solve(L, row), maxiter=100 * S.shape[1])[0] for row in given]
    return np.array(bottom) @ S.T


def broken_sums(S, values):
    """The share of sums that don't hold exactly."""
    n, m = S.shape
    wrong = 0
    for row in values:
        exact = [fractions.Fraction(float(value)) for value in row]
        for i in range(n - m):
            wrong += sum(exact[n - m + j] for j in np.flatnonzero(S[i])) != exact[i]
    return wrong / (len(values) * (n - m))


def compare(name, forecasts, fitted, S_df, tags, method):
    ids, S = list(S_df["unique_id"]), S_df.drop(columns="unique_id").to_numpy(dtype=float)
    forecasts = forecasts.assign(AutoETS=forecasts["AutoETS"].clip(lower=0))
    theirs = HierarchicalReconciliation([MinTrace(method, nonnegative=True)])
    seconds = []
    while len(seconds) < TURNS or np.sum(seconds) < SECONDS:
        mine, my_time = timed(lambda: reconcile(forecasts, S_df, method=method, Y_df=fitted, nonnegative=True))
        other, its_time = timed(lambda: theirs.reconcile(Y_hat_df=forecasts, Y_df=fitted, S_df=S_df, tags=tags))
        seconds.append((my_time, its_time))
    my_time, its_time = np.min(seconds, axis=0)
    given, mine = wide(forecasts, "AutoETS", ids), wide(mine, "AutoETS", ids)
    other = wide(other, other.columns[-1], ids)
    residuals = (wide(fitted, "y", ids) - wide(fitted, "AutoETS", ids)).T
    W = covariance(method, S, None if method in ("ols", "wls_struct") else residuals)
    right = judge(S, W, given)
    apart = [np.abs(a - b).max() / np.abs(given).max() for a, b in ((mine, other), (mine, right), (other, right))]
    off = [f"{100 * broken_sums(S, values):.0f} %" for values in (mine, other)]
    cells = [f"{name}, {len(S)} series", method, f"{my_time * 1e3:.0f}", f"{its_time * 1e3:.0f}"]
    cells += [f"{its_time / my_time:.0f}", *(f"{part:.0e}" for part in apart), *off]
    print(f"| {' | '.join(cells)} |", flush=True)


def main():
    warnings.simplefilter("ignore")
    print(
        "| data | method | hcr, ms | MinTrace, ms | times | apart | hcr from nnls | MinTrace from nnls "
        "| sums off: hcr | MinTrace |"
    )
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name, reader, path in (("prison", prison, sys.argv[1]), ("tourism", tourism, sys.argv[2])):
        made = base_forecasts(*reader(path))
        for method in METHODS:
            compare(name, *made, method)


if __name__ == "__main__":
    main()
