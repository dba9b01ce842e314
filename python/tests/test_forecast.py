"""Forecasts in data frames, taken inside a region."""

from __future__ import annotations

import csv
import itertools
import pathlib
from fractions import Fraction

import numpy as np
import pytest

pandas = pytest.importorskip("pandas")

import hcr
from hcr.forecast import constrain

M4 = pathlib.Path(__file__).resolve().parents[2] / "examples" / "m4"
LIMITS = "var load[48]\nparam low, high, step\nlow <= load <= high\nabs(diff(load)) <= step"
TOGETHER = "var north[3], south[3], total[3]\nnorth + south == total\n0 <= [north, south] <= 50\n0 <= total <= 100"


def long_frame(random, series=("north", "south", "total"), times=3):
    """Rows in no order, with columns that aren't forecasts."""
    frame = pandas.DataFrame(
        [(name, pandas.Timestamp("2024-03-01") + pandas.Timedelta(hours=k)) for name in series for k in range(times)],
        columns=["unique_id", "ds"],
    )
    frame["y"] = random.normal(20, 30, len(frame))
    frame["AutoETS"] = random.normal(20, 30, len(frame))
    frame["NHITS"] = random.normal(20, 30, len(frame)).astype(np.float32)
    frame["note"] = "kept"
    frame["holiday"] = True
    return frame.sample(frac=1, random_state=3)


@pytest.mark.skipif(not M4.exists(), reason="the examples aren't beside these tests")
def test_series_by_themselves_with_limits_of_their_own():
    """The last day of 30 M4 series twice, with drift: each within what its series did, at tolerance 0."""
    frames = []
    with open(M4 / "hourly-30.csv", newline="") as file:
        rows = list(csv.reader(file))[1:]
    for name, *cells in rows:
        past = np.array([float(cell) for cell in cells if cell])
        drift = (past[-1] - past[0]) / (len(past) - 1) * np.arange(1, 49)
        frames.append(
            pandas.DataFrame(
                {
                    "unique_id": name,
                    "ds": np.arange(len(past), len(past) + 48),
                    "SeasonalNaive": np.tile(past[-24:], 2),
                    "Drift": past[-1] + 4 * drift,
                    "low": past.min(),
                    "high": past.max(),
                    "step": np.abs(np.diff(past)).max(),
                }
            )
        )
    frame = pandas.concat(frames, ignore_index=True)
    result, outcomes = constrain(frame, LIMITS, outcomes=True)
    assert len(outcomes) == 60 and set(outcomes["outcome"]) == {"INSIDE", "MOVED"}
    pandas.testing.assert_frame_equal(
        result.drop(columns=["SeasonalNaive", "Drift"]), frame.drop(columns=["SeasonalNaive", "Drift"])
    )
    for (_, one), (_, before) in zip(result.groupby("unique_id"), frame.groupby("unique_id"), strict=True):
        low, high, step = (Fraction(float(one[name].iloc[0])) for name in ("low", "high", "step"))
        for model in ("SeasonalNaive", "Drift"):
            values = [Fraction(value) for value in one[model]]
            assert low <= min(values) and max(values) <= high
            assert all(abs(b - a) <= step for a, b in itertools.pairwise(values))
            mine = outcomes[(outcomes["unique_id"] == one["unique_id"].iloc[0]) & (outcomes["model"] == model)]
            assert (mine["outcome"].item() == "INSIDE") == one[model].equals(before[model])


@pytest.mark.parametrize("map_", ["project", "contract"])
def test_series_together_whatever_the_order_of_rows(random, map_):
    frame = long_frame(random)
    result = constrain(frame, TOGETHER, map=map_)
    assert result.index.equals(frame.index) and list(result.columns) == list(frame.columns)
    assert result["NHITS"].dtype == np.float32 and result["y"].equals(frame["y"])
    region = hcr.Region(TOGETHER)
    for model in ("AutoETS", "NHITS"):
        wide = result.pivot(index="ds", columns="unique_id", values=model)
        for north, south, total in wide[["north", "south", "total"]].to_numpy():
            assert Fraction(float(north)) + Fraction(float(south)) == Fraction(float(total))
        point = result.sort_values(["unique_id", "ds"])[model].to_numpy()
        assert region.check(point)
        if map_ == "project":
            given = frame.sort_values(["unique_id", "ds"])[model].to_numpy()
            np.testing.assert_array_equal(point, region.project(given))
    again = constrain(result, TOGETHER, map=map_)
    pandas.testing.assert_frame_equal(again, result)


def test_wide_and_long_and_polars_agree_bit_for_bit(random):
    frame = long_frame(random).drop(columns=["y", "note", "holiday", "NHITS"])
    long = constrain(frame, TOGETHER).pivot(index="ds", columns="unique_id", values="AutoETS")
    wide = frame.pivot(index="ds", columns="unique_id", values="AutoETS")
    pandas.testing.assert_frame_equal(constrain(wide[::-1], TOGETHER)[::-1], long, check_freq=False)
    hourly = "var north, south, total\nnorth + south == total\n0 <= [north, south] <= 50"
    long = constrain(frame, hourly).pivot(index="ds", columns="unique_id", values="AutoETS")
    pandas.testing.assert_frame_equal(constrain(wide, hourly), long, check_freq=False)
    polars = pytest.importorskip("polars")
    other = polars.DataFrame({name: frame[name].to_list() for name in frame.columns})
    assert constrain(other, TOGETHER)["AutoETS"].to_list() == constrain(frame, TOGETHER)["AutoETS"].to_list()


def test_a_row_a_sample():
    frame = pandas.DataFrame({"load[1]": [9.0, 1], "load[0]": [9.0, 1], "cap": [4.0, 5], "name": ["a", "b"]})
    result = constrain(frame, "var load[2]\nparam cap\n0 <= load\nload[0] + 2 * load[1] <= cap")
    assert list(result.columns) == list(frame.columns) and result["name"].equals(frame["name"])
    assert result[["load[0]", "load[1]"]].to_numpy().round(9).tolist() == [[4, 0], [1, 1]]


def test_a_series_that_stays_and_columns_that_are_parameters(random):
    frame = long_frame(random)
    frame["cap"] = np.where(frame["unique_id"] == "north", 15.0, np.nan)
    text = "var north[3], south[3]\nparam total[3], cap[3]\nnorth + south == total\n0 <= north <= cap"
    result = constrain(frame, text)
    total = frame["unique_id"] == "total"
    for model in ("AutoETS", "NHITS"):
        assert result[model][total].equals(frame[model][total].astype(result[model].dtype))
        sums = result.pivot(index="ds", columns="unique_id", values=model)
        # The total is no number of a grid: the sum holds to rounding.
        np.testing.assert_allclose(sums["north"] + sums["south"], sums["total"], rtol=1e-14, atol=1e-13)
        assert sums["north"].between(0, 15).all()


def test_cutoffs_and_other_columns_tell_samples_apart(random):
    frames = [long_frame(random, ["a", "b"], 4).assign(cutoff=k) for k in (1, 2)]
    frame = pandas.concat(frames)
    text = "var load[4]\n0 <= load <= 30\nabs(diff(load)) <= 5"
    result = constrain(frame, text)
    alone = pandas.concat([constrain(one, text) for one in frames])
    pandas.testing.assert_frame_equal(result, alone)
    with pytest.raises(hcr.Error, match=r"'load' has 4 times in the region, and 8 in the frame.*by="):
        constrain(frame, text, by=[], models=["NHITS"], time_col="y")


def test_samples_without_a_result_are_told_and_counted(random):
    frame = long_frame(random, ["a", "b", "c"], 2).sort_values(["unique_id", "ds"])
    frame["cap"] = [5.0, 5, -1, -1, np.nan, np.nan]
    frame.loc[frame["unique_id"] == "a", "NHITS"] = [np.nan, 1.0]
    with pytest.warns(UserWarning) as told:
        result, outcomes = constrain(frame, "var v[2]\nparam cap\n0 <= v <= cap", outcomes=True)
    assert [str(one.message)[:55] for one in told] == [
        "2 of 3 samples of 'AutoETS' have no result and are NaN:",
        "3 of 3 samples of 'NHITS' have no result and are NaN: 1",
    ]
    assert "unique_id = b, ds = 2024-03-01 00:00:00" in str(told[0].message)
    assert outcomes["outcome"].tolist()[1:] == ["NO_ORIGIN", "OUT_OF_RANGE", "BAD_VALUE", "NO_ORIGIN", "OUT_OF_RANGE"]
    assert result["AutoETS"].notna().tolist() == [True, True, False, False, False, False]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("var north[3], east[3]\n0 <= [north, east] <= 1", {}, "no series of the frame is called 'east': there are"),
        ("var load[4]\n0 <= load <= 1", {}, "'load' has 4 times in the region, and 3 in the frame"),
        ("var load[3]\nparam cap\n0 <= load <= cap", {}, "the frame has no column 'cap'"),
        ("var load[3]\nparam y\n0 <= load <= y", {}, "the parameter 'y' is one number, and has two"),
        ("var load[3]\n0 <= load <= 1", {"models": ["note"]}, "'note' isn't one of numbers"),
        ("var load[3]\n0 <= load <= 1", {"models": ["ETS"]}, "the frame has no column 'ETS'"),
        ("var load[3]\n0 <= load <= 1", {"time_col": "time"}, "a long frame has no column 'time'"),
        ("var load[3]\n0 <= load <= 1", {"by": ["fold"]}, "the frame has no column 'fold'"),
    ],
)
def test_what_is_refused(random, text, options, message):
    with pytest.raises(hcr.Error, match=message):
        constrain(long_frame(random), text, **options)


def test_times_that_are_there_twice_or_differ(random):
    frame = long_frame(random)
    with pytest.raises(hcr.Error, match=r"the frame has unique_id = \w+, ds = .* twice"):
        constrain(pandas.concat([frame, frame]), TOGETHER)
    moved = frame.assign(ds=frame["ds"] + pandas.to_timedelta(np.where(frame["unique_id"] == "south", 1, 0), "h"))
    with pytest.raises(hcr.Error, match="'north' and 'south' have other times"):
        constrain(moved, TOGETHER)
    with pytest.raises(hcr.Error, match="the column 'ds' has no value in row 0"):
        constrain(frame.assign(ds=pandas.NaT), TOGETHER)
    with pytest.raises(TypeError, match="must be a data frame"):
        constrain({"unique_id": []}, TOGETHER)


def test_an_empty_frame_and_an_index_of_ids(random):
    frame = long_frame(random)
    assert len(constrain(frame[:0], TOGETHER)) == 0
    indexed = constrain(frame.set_index("unique_id"), TOGETHER)
    pandas.testing.assert_frame_equal(indexed, constrain(frame, TOGETHER).set_index("unique_id"))


@pytest.mark.parametrize("map", ["project", "contract"])
def test_limits_on_one_side_are_enough(map):
    frame = pandas.DataFrame({"ds": range(4), "yhat": [3.0, -1.0, 2.0, -5.0]})
    assert constrain(frame, "var y\ny >= 0", map=map)["yhat"].round(9).tolist() == [3, 0, 2, 0]
    with pytest.raises(hcr.Error, match="unbounded"):
        constrain(frame, hcr.Region("var y\ny >= 0"))  # a region is as its maker wants it


def test_quantiles_stay_in_order(random):
    """Two series of six hours under a capacity of each hour, as of a network whose quantiles cross."""
    names = ["net-lo-90", "net-median", "net-hi-90"]
    frame = pandas.DataFrame({"unique_id": np.repeat(["a", "b"], 6), "ds": np.tile(np.arange(6), 2)})
    frame[names] = 5 + random.normal(0, 3, (12, 3))
    frame["other"], frame["cap"] = -1.0, 6.0 + frame["ds"]
    text = "var load[6]\nparam cap[6] in [5, 20]\n0 <= load <= cap\nabs(diff(load)) <= 2"
    result, told = constrain(frame, text, quantiles=names, outcomes=True)
    found = result[names].to_numpy()
    assert (np.diff(found, axis=1) >= 0).all() and (np.diff(frame[names], axis=1) < 0).any()
    x = frame["cap"].to_numpy().reshape(2, 6)
    for name in [*names, "other"]:
        assert hcr.Region(text).check(result[name].to_numpy().reshape(2, 6), x).all()
    ordered = hcr.Region(text).quantiles([0.05, 0.5, 0.95])
    wanted = ordered.project(frame[names].to_numpy().reshape(2, 18), x)
    np.testing.assert_array_equal(found.reshape(2, 18), wanted)
    assert sorted(told["model"].unique()) == sorted([*names, "other"])
    with pytest.raises(hcr.Error, match="'net-lo-80' is no column"):
        constrain(frame, text, quantiles=["net-lo-80", "net-median"])
    both = "var a\nparam b in [-20, 20]\na <= b"
    with pytest.raises(hcr.Error, match="no parameter may be a series of their own"):
        constrain(frame.drop(columns=["other", "cap"]), both, quantiles=names)
