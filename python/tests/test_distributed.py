"""Two processes under torchrun train the weights of one."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLE = pathlib.Path(__file__).resolve().parents[1] / "examples" / "distributed.py"


def test_two_processes_are_one():
    torch = pytest.importorskip("torch")
    if not torch.distributed.is_available():
        pytest.skip("torch was built without torch.distributed")
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    torchrun = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-port", "0", "--standalone"]
    said = []
    for launcher in ([], torchrun):
        done = subprocess.run(
            [sys.executable, *launcher, EXAMPLE, "--steps", "20"],
            capture_output=True, text=True, timeout=240, env=alone,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        said.append([line for line in done.stdout.splitlines() if line.startswith(("inside", "weights"))])
    assert said[0] == said[1]
    assert said[0][0] == "inside: True"
