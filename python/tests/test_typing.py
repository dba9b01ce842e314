"""What a type checker and an editor see, held by mypy."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

import hcr

pytest.importorskip("mypy")

PROGRAM = """
import numpy as np
import hcr

region = hcr.Region("var y[2]\\nnorm(y) <= 1")
v = np.zeros((3, 2))
reveal_type(region.contract(v))
reveal_type(region.contract(v, outcomes=True))
reveal_type(region.gauge(v, outcomes=True))
reveal_type(region.project(v))
reveal_type(region.project(v, outcomes=True))
reveal_type(region.decode(v, outcomes=False))
y, outcomes = region.soften(v, outcomes=True)
model = hcr.fit(region, v, v)
reveal_type(model.predict(v))
reveal_type(model.predict(v, outcomes=True))
region.contract(v, outcome=True)
"""
WANTED = ["array", "pair", "pair", "array", "pair", "array", "array", "pair"]


def test_d48_overloads(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    paths = {**os.environ, "MYPYPATH": str(pathlib.Path(hcr.__file__).resolve().parents[1])}
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--ignore-missing-imports"]
    done = subprocess.run([*command, "program.py"], capture_output=True, text=True, cwd=tmp_path, env=paths)
    revealed = [line.split('"')[1] for line in done.stdout.splitlines() if "Revealed type" in line]
    kinds = [
        "pair" if kind.removeprefix("builtins.").startswith("tuple[numpy.ndarray") else "array" for kind in revealed
    ]
    assert kinds == WANTED and all("numpy.ndarray" in kind for kind in revealed), done.stdout
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    # The misspelt outcome=True, and nothing else.
    assert errors and all(line.startswith("program.py:17:") for line in errors), done.stdout
