"""The pages that bring forecasts of other libraries inside, where those are installed; each says itself whether."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

resource = pytest.importorskip("resource")  # which Windows hasn't
FOLDER = pathlib.Path(__file__).resolve().parents[1] / "examples" / "libraries"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_page(path, tmp_path):
    if importlib.util.find_spec(path.stem.removeprefix("with_")) is None:
        pytest.skip("the library isn't installed")
    assert sum(bool(line.strip()) for line in path.read_text().splitlines()) <= 25
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    # Importing these libraries takes 10 to 30 s of a processor, the page itself a second. Processor time is what is
    # limited, so that a busy machine fails no page; the timeout ends one that waits for ever.
    done = subprocess.run(
        [sys.executable, "-W", "ignore", path], capture_output=True, text=True, timeout=1800, env=alone, cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (100, 100)),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == "True"
