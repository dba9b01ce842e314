"""Regions from what series did."""

from __future__ import annotations

import csv
import pathlib

import numpy as np
import pytest

pandas = pytest.importorskip("pandas")

import hcr
from hcr.forecast import constrain, limits

M4 = pathlib.Path(__file__).resolve().parents[2] / "examples" / "m4" / "hourly-30.csv"


@pytest.mark.skipif(not M4.exists(), reason="the examples aren't beside these tests")
def test_hourly_series_obey_their_own_limits():
    """At tolerance 0, all windows of a day of M4 series; and a forecast of all of them is then taken inside."""
    with open(M4, newline="") as file:
        rows = list(csv.reader(file))[1:5]
    series = {name: np.array([float(cell) for cell in cells if cell]) for name, *cells in rows}
    parts = [
        pandas.DataFrame({"unique_id": name, "ds": np.arange(len(values)), "y": values})
        for name, values in series.items()
    ]
    history = pandas.concat(parts).sample(frac=1, random_state=0)
    text = limits(history, horizon=24)
    region = hcr.Region(text)
    starts = range(0, min(map(len, series.values())) - 23)
    windows = np.array([np.concatenate([values[k : k + 24] for values in series.values()]) for k in starts])
    assert region.names[0] == "H1[0]" and region.check(windows).all()
    for name, values in series.items():
        largest = int(values.argmax())
        assert f"to {values.max():.15g} (row {largest})" in text
        assert f"{values.min():.15g} <= {name} <= {values.max():.15g}" in text
    future = pandas.DataFrame({"unique_id": np.repeat(list(series), 24), "ds": np.tile(np.arange(24), 4)})
    future["Drift"] = np.concatenate([values[-1] * np.linspace(1, 1.5, 24) for values in series.values()])
    result = constrain(future, text)
    assert region.check(result["Drift"].to_numpy()) and not region.check(future["Drift"].to_numpy())


def test_shares_gaps_names_and_frames_of_all_kinds(random):
    y = random.normal(0, 1, 1000)
    frame = pandas.DataFrame({"unique_id": "a/b", "ds": pandas.date_range("2024", periods=1000, freq="h"), "y": y})
    text = limits(frame, quantile=0.95, horizon=2, series={"ab": "a/b"})
    low, high = (sign * np.quantile(sign * y, 0.95, method="inverted_cdf") for sign in (-1, 1))
    steps = np.quantile(np.abs(np.diff(y)), 0.95, method="inverted_cdf")
    region = hcr.Region(text)
    lower, upper = region.bounds
    inside = (y >= lower[0]) & (y <= upper[0])
    assert (y < lower[0]).sum() == 50 and (y > upper[0]).sum() == 50 and inside.sum() == 900
    assert lower[0] == low and upper[0] == high
    assert float(text.rsplit(" ", 1)[1]) == pytest.approx(steps, rel=1e-15)
    with pytest.raises(hcr.Error, match='"a/b" is no name for a region text'):
        limits(frame)
    wide = frame.rename(columns={"y": "ab"})[["ds", "ab"]][::-1]
    assert limits(wide, quantile=0.95, horizon=2) == text
    polars = pytest.importorskip("polars")
    assert (
        limits(polars.DataFrame({"ds": wide["ds"].to_list(), "ab": wide["ab"].to_list()}), quantile=0.95, horizon=2)
        == text
    )
    gap = frame.assign(y=frame["y"].mask(frame.index.isin(range(10, 20))))
    assert "988 steps" in limits(gap, horizon=2, series={"ab": "a/b"})
    samples = pandas.DataFrame({"load[0]": [1.0, 2], "load[1]": [4.0, 3]})
    assert "abs(diff(load)) <= 3" in limits(samples) and "diff" not in limits(samples, ramp=False)
    assert "1 <= load" not in limits(samples, cap=False)


def test_what_is_refused():
    frame = pandas.DataFrame({"unique_id": ["a", "a"], "ds": [1, 2], "y": [1.0, 2.0]})
    with pytest.raises(hcr.Error, match=r"the share is 0\.5"):
        limits(frame, quantile=0.5)
    with pytest.raises(hcr.Error, match="no variable has two values"):
        limits(frame, cap=False)
    with pytest.raises(hcr.Error, match="horizon is 0"):
        limits(frame, horizon=0)
    with pytest.raises(hcr.Error, match="a has no value"):
        limits(frame.assign(y=np.nan))
    with pytest.raises(hcr.Error, match="a long frame has no column 'y'"):
        limits(frame.drop(columns="y"))
    with pytest.raises(hcr.Error, match="nothing is to be limited"):
        limits(frame, cap=False, ramp=False)
