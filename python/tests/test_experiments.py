"""The paper's experiments at a size that says nothing about the methods: every file is there, what is done isn't done
again, and the tables are what the records say."""

from __future__ import annotations

import json
import math
import pathlib
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
pytest.importorskip("pandas")
pytest.importorskip("scipy")
pytest.importorskip("matplotlib")
import pandas as pd
from experiments import problems, tables
from experiments.__main__ import main


def read(out):
    lines = (out / "results.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines[1:]]


def ball(out, *options):
    main(["synthetic", "--seeds", "1", "--epochs", "4", "-o", str(out), *options])


def test_synthetic(tmp_path, capsys):
    out = tmp_path / "ball"
    try:
        ball(out)
    except SystemExit as reason:  # so few epochs give no order; all else has to be right
        assert "isn't always inside" not in str(reason)
    printed = capsys.readouterr().out
    assert printed.strip() == (out / "tables.md").read_text().strip()
    assert printed.count("**Synthetic: ") == 2 and printed.count("| HCR-contract ") == 2
    for file in ("error-violation.png", "times.png", "runs.csv"):
        assert (out / file).stat().st_size > 1000
    records = read(out)
    assert len(records) == 2 * 8
    for record in records:
        guarded = record["method"] not in ("simple", "lagrangian")
        assert record["error"] > 0
        if guarded:
            assert record["inside"] == 1 and record["excess"] == 0
        if guarded and record["method"] != "project":
            assert 0 < record["average_time"] <= record["largest_time"]
            assert sum(record["bins"]) == 1000
        assert f"{record['error']:.4f}" in printed
    assert [r["candidates"] for r in records if r["method"] == "hcr"] == [1, 1]  # a ball is one constraint
    # The second time, and after a line was cut off: the same figures, and only that training again.
    whole = (out / "results.jsonl").read_text()
    with pytest.raises(SystemExit, match="other settings"):
        main(["synthetic", "--seeds", "1", "--epochs", "5", "-o", str(out)])
    (out / "results.jsonl").write_text(whole[:-40])
    try:
        ball(out)
    except SystemExit as reason:
        assert "isn't always inside" not in str(reason)
    again = read(out)
    assert again[:-1] == records[:-1] and again[-1]["error"] == records[-1]["error"]


def test_m4(tmp_path, capsys):
    command = ROOT / "build" / "hcr"
    if not command.exists():
        pytest.skip("there is no build/hcr, which cuts the series")
    days = np.arange(500)
    series = np.array([s * (100 + 40 * np.sin(0.2618 * days) + 9 * np.sin(days**2)) for s in (1, 2)])
    frame = pd.DataFrame(series, index=["A", "B"], columns=[f"V{t}" for t in days])
    frame.loc["short"] = np.append(days[:400] + 0.5, 100 * [np.nan])
    frame.to_csv(tmp_path / "series.csv")
    frame.loc[["short"]].to_csv(tmp_path / "short.csv")
    out = tmp_path / "m4"
    given = ["m4", "--series", str(tmp_path / "series.csv"), "--weekly", str(tmp_path / "series.csv"), "--count", "1",
             "--epochs", "1", "--hcr", str(command)]  # fmt: skip
    main([*given, "-o", str(out)])
    printed = capsys.readouterr().out
    for title in ("hourly, random", "hourly, the first", "weekly, random", "weekly, the first"):
        assert f"**M4 {title} windows" in printed
    for file in ("error-violation.png", "times.png", "forecasts.png", "search.png"):
        assert (out / file).stat().st_size > 1000
    records = read(out)
    assert len(records) == 4 * 13 + 1
    for record in records:
        if "candidates" in record and record["method"] != "search":
            assert record["inside"] == 1 and 1 <= record["candidates"] <= 190
    (found,) = [r for r in records if r["method"] == "search"]
    # All constraints are intersected once by the full search.
    assert found["candidates"][-2] == 190 and min(found["candidates"]) >= 1
    with pytest.raises(SystemExit, match="no series has the 480 values"):
        main(["m4", "--series", str(tmp_path / "short.csv"), "-o", str(tmp_path / "none")])


def test_tables():
    """Means, deviations, counts and p of records that are made up, against what was worked out by hand."""
    errors = {"projection": [3.0, 3, 3, 3, 3, 3, 3], "hcr": [1.0, 2, 2.5, 2.75, 3.5, 1.5, 0.5]}
    records = [{"table": "T", "problem": k, "method": method, "error": error, "inside": 1.0, "inside_1e-6": 1.0,
                "excess": 0.0, "average_time": 2e-7, "average_time_outside": 2e-6, "largest_time": 3e-7 * (1 + k),
                "candidates": 2.0} for method, of in errors.items() for k, error in enumerate(of)]  # fmt: skip
    experiment = problems.Experiment("synthetic", "MSE", (), [], {}, {"T": {"hcr": {"error": "0.5"}}})
    lines = tables.tables(experiment, tables.frame(records)).splitlines()
    cells = [cell.strip() for cell in lines[5].split("|")[1:-1]]
    # The mean is 13.75/7, the deviation √(6.553571/6). Ranks of |differences| 2 1 0.5 0.25 0.5 1.5 2.5: the one that is
    # positive has (2 + 3)/2. Its sum has the mean 7·8/4 and the variance 7·8·15/24 − (2³ − 2)/48; a half is the
    # correction for a distribution that isn't continuous.
    z = (14 - 2.5 - 0.5) / math.sqrt(35 - 6 / 48)
    p = math.erfc(z / math.sqrt(2))
    assert cells == ["HCR", "1.9643 ± 1.0451", "0.5", "1", "1", "–", "200 ns", "2.1 µs", "–", "2.00",
                     f"on 6 of 7, p = {p:.2g}"]  # fmt: skip
    assert lines[4].split("|")[7].strip() == "200 ns, outside 2 µs"
    assert tables._share(pd.Series([1.0, 0.9999])) == "0.999"
