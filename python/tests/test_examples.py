"""The examples run, briefly; each says itself whether what it made is inside."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "examples"
SOLVERS = {
    "actor_critic.py": "gymnasium",
    "dc3.py": "daqp",
    "portfolio.py": "gymnasium",
    "proxy.py": "osqp",
    "reinforcement.py": "gymnasium",
    "unicycle.py": "numpy",
}


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.py")))
def test_example(name):
    pytest.importorskip("torch")
    if name in SOLVERS:
        pytest.importorskip(SOLVERS[name])
    if name in ("reinforcement.py", "portfolio.py"):
        pytest.importorskip("stable_baselines3")
    if name == "reinforcement.py":
        pytest.importorskip("mujoco")
    if name == "portfolio.py" and importlib.util.find_spec("skfolio") is None:
        pytest.skip("skfolio's prices aren't here")
    if name == "forecast.py" and not (FOLDER.parents[1] / "examples" / "m4").is_dir():
        pytest.skip("its data aren't beside it")
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}  # torch's threads get in each other's way on a busy machine
    done = subprocess.run(
        [sys.executable, FOLDER / name, "--steps", "5"], capture_output=True, text=True, timeout=120, env=alone
    )
    assert done.returncode == 0, done.stderr
    assert "True" in done.stdout or "feasible: 200 of 200" in done.stdout


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.py")))
def test_d39_what_is_missing_is_told_at_once(name):
    program = (
        f"import runpy, sys; sys.modules[{SOLVERS.get(name, 'torch')!r}] = None; runpy.run_path({str(FOLDER / name)!r})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr == f"{name} needs {SOLVERS.get(name, 'torch')}: pip install './python[examples]'\n"


def test_d39_the_embedding_means_what_it_says():
    """Shares of mixtures that the training didn't know correlate with the true ones: 0.99, 0.99, 0.95, 0.95 here."""
    pytest.importorskip("torch")
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, FOLDER / "embedding.py"], capture_output=True, text=True, timeout=120, env=alone
    )
    reported = done.stdout.split("weren't known: [")[1].split("]")[0].split()
    assert len(reported) == 4 and min(map(float, reported)) > 0.9, done.stdout
