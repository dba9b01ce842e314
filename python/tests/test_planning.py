"""The plans of examples/planning: short texts, results that obey them, and pictures."""

import importlib.util
import pathlib

import numpy as np
import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "planning"
if not FOLDER.is_dir():
    pytest.skip("the examples aren't beside the package", allow_module_level=True)
pytest.importorskip("pandas")
pytest.importorskip("matplotlib")

spec = importlib.util.spec_from_file_location("plan", FOLDER / "plan.py")
plan = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plan)


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.region")))
def test_plan(name, tmp_path):
    lines = [line for line in (FOLDER / f"{name}.region").read_text().splitlines() if line and line[0] != "#"]
    assert len(lines) <= 15
    region, liked, x, found = plan.solve(name, tmp_path)  # checks it at tolerance 0
    assert not region.check(liked, x=x).all() or name == "network"  # else there was nothing to do
    if name == "hierarchy":
        load = found[:96].reshape(4, 24)
        np.testing.assert_array_equal(load[:3].sum(axis=0), load[3])  # to the last bit
    if name == "network":  # what a plant makes or a town takes is what the lines on both sides carry
        made, flow, demand = found[:72].reshape(3, 24), found[72:].reshape(6, 24), x.reshape(3, 24)
        np.testing.assert_allclose(
            flow - np.roll(flow, 1, axis=0), np.stack([made, -demand], 1).reshape(6, 24), atol=1e-13
        )
    plan.draw(tmp_path / "a.png", name, region, liked, found)
    assert (tmp_path / "a.png").stat().st_size > 5000


def test_all_regions_are_plans():
    assert len(plan.PLANS) == 10
    assert sorted(plan.PLANS) == sorted(path.stem for path in FOLDER.glob("*.region"))
