"""Exported C of a plant's day on days of real plants: those of RTS-GMLC (Barrows et al. 2020), as pglib-uc has them.

HCR_REAL: a folder with a clone of https://github.com/power-grid-lib/pglib-uc; without it nothing is tested. Shares that
are asserted are about twice those that were seen (docs/export.md).
"""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

import hcr

HOURS = 24
DAY = f"""param lo[{HOURS}] in [0, 1000], cap[{HOURS}] in [0, 1000], last in [0, 1000], ramp in [0, 1000]
var y[{HOURS}]
0 <= y <= 1000
lo <= y
y <= cap
abs(diff(y)) <= ramp
abs(y[0] - last) <= ramp
"""
SOLD = DAY.replace("\nvar", ", sold in [0, 20000]\nvar") + "sum(y) == sold\n"
REAL = os.environ.get("HCR_REAL")
pytestmark = pytest.mark.skipif(REAL is None, reason="HCR_REAL is the folder of the clone")


def reachable(low: np.ndarray, high: np.ndarray, last: float, ramp: float) -> tuple[np.ndarray, np.ndarray]:
    """Between which each hour is, from the hours before it."""
    bottom, top = [], []
    below = above = last
    for least, most in zip(low, high, strict=True):
        below, above = max(below - ramp, least), min(above + ramp, most)
        bottom.append(below)
        top.append(above)
    return np.array(bottom), np.array(top)


def least_ramp(low: np.ndarray, high: np.ndarray, last: float) -> float:
    least, most = 0.0, 1000.0
    for _ in range(60):
        middle = (least + most) / 2
        bottom, top = reachable(low, high, last, middle)
        least, most = (least, middle) if (bottom <= top).all() else (middle, most)
    return most


def real_days() -> np.ndarray:
    """lo, cap, last, ramp, sold. Each second plant may be curtailed, which all of its least outputs are dropped for."""
    rows = []
    for path in sorted((pathlib.Path(REAL or "") / "pglib-uc" / "rts_gmlc").glob("*.json")):
        for i, plant in enumerate(json.loads(path.read_text())["renewable_generators"].values()):
            for first in (0, HOURS):
                low, high = (
                    np.array(plant[f"power_output_{end}"][first : first + HOURS]) for end in ("minimum", "maximum")
                )
                low = low * (i % 2)
                least = least_ramp(low, high, high[0])
                for times in (1, 1.25, 3):
                    ramp = least if times == 1 else max(least * times, 0.1)
                    top = reachable(low, high, high[0], ramp)[1]
                    top = reachable(np.zeros(HOURS), top[::-1], top[-1], ramp)[1][::-1]
                    bottom = -reachable(-high, -low, -high[0], ramp)[1]
                    bottom = -reachable(-high, -bottom[::-1], -bottom[-1], ramp)[1][::-1]
                    sold = round(bottom.sum() + 0.9 * (top.sum() - bottom.sum()), 1)
                    rows.append([*low, *high, high[0], ramp, sold])
    return np.array(rows)


@pytest.mark.parametrize(
    "text, dtype, missing", [(DAY, "f8", 0.006), (DAY, "f4", 0.015), (SOLD, "f8", 0.015), (SOLD, "f4", 0.006)]
)
def test_results_are_inside_and_there(text: str, dtype: str, missing: float, tmp_path: pathlib.Path) -> None:
    region = hcr.Region(text)
    single = dtype == "f4"
    region.export_c(tmp_path / "day", name="day", single=single)
    subprocess.run(
        ["gcc", "-O2", "-shared", "-fPIC", tmp_path / "day" / "day.c", "-lm", "-o", tmp_path / "day.so"], check=True
    )
    contract = ctypes.CDLL(str(tmp_path / "day.so")).day_contract
    x = real_days()[:, : region.p].astype(dtype)
    assert len(x) > 5000
    v = np.random.default_rng(1).normal(50, 80, (len(x), HOURS)).astype(dtype)
    y = np.empty_like(v)
    for wanted, sample, got in zip(v, x, y, strict=True):
        contract(*(ctypes.c_void_p(a.ctypes.data) for a in (wanted, sample, got)))
    there = ~np.isnan(y).any(1)
    assert region.check(y[there], x[there]).all()
    ours = region.contract(v, x)
    inside = ~np.isnan(ours).any(1)
    inside[inside] = region.check(ours[inside], x[inside])
    assert inside.sum() > 3000
    assert (inside & ~there).sum() <= missing * inside.sum()
