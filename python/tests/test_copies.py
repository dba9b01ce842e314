"""Regions copied, in other processes and in threads; memory that doesn't grow."""

from __future__ import annotations

import copy
import gc
import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import make

import hcr


def test_copies(region, random):
    """C44."""
    v = random.standard_normal((5, region.n))
    want = region.contract(v)
    for again in (copy.copy(region), copy.deepcopy(region), pickle.loads(pickle.dumps(region))):
        np.testing.assert_array_equal(again.contract(v), want)
        assert again == region and again.text == region.text
    original = hcr.Region("var y[2]\nnorm(y) <= 1")
    again = pickle.loads(pickle.dumps(original))
    del original
    gc.collect()
    assert again.contract([3.0, 0]).round(9).tolist() == [1, 0]


PROCESSES = """
import multiprocessing, sys
import numpy as np
import hcr

def contract(argument):
    region, v = argument
    return region.contract(v)

if __name__ == "__main__":
    hcr.set_threads(3)
    region = hcr.Region("var y[200]\\nabs(y[1:] - y[:-1]) <= 1\\n-9 <= y <= 9")
    v = np.random.default_rng(0).standard_normal((3000, 200))
    want = region.contract(v)  # with threads, before the fork
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        for got in pool.map(contract, [(region, v)] * 4):
            assert (got == want).all()
"""


@pytest.mark.parametrize("method", sorted({"spawn", "fork"} & set(multiprocessing.get_all_start_methods())))
def test_processes(method, tmp_path):
    """In a fresh interpreter: other libraries' threads don't bear a fork."""
    (tmp_path / "program.py").write_text(PROCESSES)
    subprocess.run([sys.executable, tmp_path / "program.py", method], check=True, timeout=100)


COLLECTED = """
import gc
import hcr

for text in ("var y[2]\\nnorm(y) <= 1", "var y[2]\\nparam need in [0, 7]\\n0 <= y <= 2\\nsoft: sum(y) >= need"):
    for _ in range(5):
        region = hcr.Region(text)
        x = [6.0] if region.p else None
        for name in ("contract", "project"):
            getattr(region, name)([3.0, 0.0], x)
            if region.p:
                getattr(region, name)([3.0, 0.0], x, on_empty="relax")
        region._once("cycle", lambda: region)
        del region
        gc.collect()
"""


def test_collected_in_any_order():
    """A region in a reference cycle, with all that is made of it: the collector frees them in any order. What is freed
    is overwritten (glibc), so that a use of it ends the process."""
    surroundings = {**os.environ, "MALLOC_PERTURB_": "165"}
    subprocess.run([sys.executable, "-c", COLLECTED], check=True, timeout=100, env=surroundings)


def test_threads_share_a_region(random):
    region = make("quadratics")
    v = random.standard_normal((300, region.n))
    want, failures = region.contract(v), []

    def work() -> None:
        for _ in range(30):
            if not (region.contract(v) == want).all() or not (region.contract(v[:3]) == want[:3]).all():
                failures.append("differs")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_results_do_not_depend_on_the_number_of_threads(random):
    region = make("rows")
    v = random.standard_normal((1000, region.n))
    before = hcr.get_threads()
    try:
        hcr.set_threads(1)
        want = region.contract(v)
        hcr.set_threads(3)
        np.testing.assert_array_equal(region.contract(v), want)
        with pytest.raises(ValueError, match="0 threads"):
            hcr.set_threads(0)
    finally:
        hcr.set_threads(before)


def _resident() -> int:
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_c55_memory_does_not_grow():
    """Each round once leaks less than 20 bytes on average, or nothing: 2 MB over 3,000 rounds would be seen."""
    text, v = "var y[20]\nnorm(y) <= 1\n-1 <= y <= 1", np.ones((3, 20))

    def rounds(count: int) -> None:
        for _ in range(count):
            region = hcr.Region(text)
            region.contract(v)
            for _ in range(20):
                _ = region.origin, region.margin
            with pytest.raises(hcr.InvalidError):
                hcr.Region.from_bytes(b"hcrregio" + bytes(40))

    rounds(300)
    gc.collect()
    before = _resident()
    rounds(3000)
    gc.collect()
    assert _resident() - before < 2 << 20
