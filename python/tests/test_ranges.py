"""`hcr.ranges`: `param` lines from samples, the same for each kind of table."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hcr

CAPS = np.array([[0.0, 5.0], [0.0, 7.25], [0.0, 6.0]])
SOLD = np.array([100.0, 130.0, 123.5])


def ends(text, name):
    """The range that a text declares for a scalar, which the region that it makes has too (rounded to floats)."""
    low, high = (float(end) for end in re.search(rf"^param {name} in \[(.*), (.*)\]$", text, re.M).groups())
    names, kept_low, kept_high = hcr.Region(f"var y\n{text}\n0 <= y <= 1").parameters
    k = names.index(name)
    assert kept_low[k] <= low and high <= kept_high[k]
    return low, high


def test_all_kinds_of_tables_give_the_same():
    pandas = pytest.importorskip("pandas")
    names = ["cap[0]", "cap[1]", "sold"]
    matrix = np.column_stack([CAPS, SOLD])
    structured = np.zeros(3, [("cap", float, 2), ("sold", float)])
    structured["cap"], structured["sold"] = CAPS, SOLD
    wanted = hcr.ranges({"cap": CAPS, "sold": SOLD})
    assert "param cap[2] in [[-0.05, " in wanted
    for table in (pandas.DataFrame(matrix, columns=names), structured):
        assert hcr.ranges(table) == wanted
    assert hcr.ranges(matrix, names=names) == wanted
    assert hcr.ranges(matrix.tolist(), names=names) == wanted
    assert "\nparam x[3] in " in hcr.ranges(matrix)


@pytest.mark.parametrize("margin", [0.0, 1e-17, 0.01, 0.05, 2.0])
def test_ranges_hold_the_samples_and_the_margin(margin, random):
    for _ in range(50):
        width = 10.0 ** random.uniform(-12, 12)
        samples = random.normal(size=20) * width + random.normal() * 10.0 ** random.uniform(-12, 12)
        low, high = ends(hcr.ranges({"t": samples}, margin=margin), "t")
        least, largest = samples.min(), samples.max()
        assert low < least and largest < high
        # One unit in the last place, and the rounding of the difference, are beside the stated 1 to 1.1 times.
        spare = margin * (largest - least or abs(least))
        unit = 2 * max(np.spacing(abs(low)), np.spacing(abs(high)))
        for beyond in (least - low, high - largest):
            assert spare - unit <= beyond <= 1.1 * spare + unit


@pytest.mark.parametrize(("value", "size"), [(3.0, 3.0), (-250.0, 250.0), (0.0, 1.0), (1e-300, 1e-300)])
def test_a_constant_gets_a_range_around_it(value, size):
    text = hcr.ranges({"t": [value, value]})
    assert "# The same in all samples: t." in text
    low, high = ends(text, "t")
    assert low < value < high
    assert high - low <= 0.1101 * size


def test_rows_without_a_number_are_left_out_and_named():
    text = hcr.ranges({"t": [1.0, np.nan, 2.0, np.inf, 1.5], "u": [5.0, 9.0, 6.0, 9.0, 5.5]})
    assert "# Ranges of 3 samples, and 5 % of each range" in text
    assert "# Rows left out for a missing value or an infinity: 1, 3." in text
    low, high = ends(text, "u")
    assert low > 4.9 and high < 6.1
    many = hcr.ranges({"t": [1.0, *[np.nan] * 12, 2.0]})
    assert ": 1, 2, 3, 4, 5, 6, 7, 8 and 4 more.\n" in many


@pytest.mark.parametrize(
    ("table", "options", "code", "text"),
    [
        ({"cap": CAPS, "cap[0]": SOLD}, {}, "name", "columns 1 and 3 have the same name"),
        ({"cap": SOLD, "cap[0]": SOLD}, {}, "name", "column 2: cap is there already"),
        ({"cap[0]": SOLD, "cap[2]": SOLD}, {}, "name", r"cap\[1\] is missing"),
        ({"max": SOLD}, {}, "name", "word of the region language"),
        ({"the cap": SOLD}, {}, "name", "is no name for a region text"),
        ({"cap": CAPS, "sold": SOLD[:2]}, {}, "shape", "as many of each"),
        ({"cap": CAPS[None]}, {}, "shape", "has the shape"),
        ({"t": []}, {}, "data", "there is no sample"),
        ({"t": [np.nan]}, {}, "data", "no sample without a NaN"),
        ({"t": [1e19, 1e20]}, {}, "data", "under 1e20"),
        ({"t": SOLD}, {"margin": -0.1}, "argument", "0 or more"),
        ({"t": SOLD}, {"margin": np.nan}, "argument", "0 or more"),
        (CAPS, {"names": ["a"]}, "shape", "1 names for 2 columns"),
        (SOLD, {}, "shape", "one row a sample"),
        ({}, {}, "argument", "no columns"),
    ],
)
def test_what_is_refused(table, options, code, text):
    with pytest.raises(hcr.Error, match=text) as refused:
        hcr.ranges(table, **options)
    assert refused.value.code == code
