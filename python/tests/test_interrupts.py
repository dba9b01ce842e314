"""Ctrl-C ends what takes long, and what can't be is refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

import hcr


def seconds_after_interrupt(call: Callable[[], object], wait: float = 0.5) -> float:
    """How long after a SIGINT the call ended by KeyboardInterrupt."""
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(wait, interrupt)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
        return time.monotonic() - sent[0]
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def slow_builder() -> hcr.Builder:
    """With a function that takes 20 ms a call: its region would take minutes."""
    builder = hcr.Builder()
    builder.add_variable("y", 3)
    builder.add_bounds(lower=[-1.0] * 3, upper=[1.0] * 3)

    def value(y: np.ndarray) -> float:
        time.sleep(0.02)
        return float(np.exp(y).sum() + (y**4).sum() - 9)

    builder.add_callback(value, convex=True)
    return builder


def test_d46_making_a_region() -> None:
    builder = slow_builder()
    assert seconds_after_interrupt(builder.finish) < 1
    # The builder is as it was, and others aren't stopped.
    assert hcr.Region("var y[2]\nnorm(y) <= 1").n == 2


def test_d46_another_thread() -> None:
    made: list[hcr.Region] = []
    thread = threading.Thread(target=lambda: made.append(hcr.Region("var y[2]\nnorm(y) <= 1\nsum(exp(y)) <= 3")))
    thread.start()
    thread.join()
    assert made[0].n == 2


def test_errors_come_through() -> None:
    with pytest.raises(hcr.Error, match="empty"):
        hcr.Region("var y\ny <= 1\ny >= 2")


def test_d69_projecting() -> None:
    region = hcr.Region("var y[48]\nlog_sum_exp(y) <= 4\nnorm(y, 3) <= 3\nsum(y) <= 1\n-5 <= y <= 5")
    points = np.random.default_rng(1).normal(size=(20000, 48)) * 4
    assert seconds_after_interrupt(lambda: region.project(points)) < 1
    near, outcomes = region.project(points[:20], outcomes=True)
    assert region.check(near).all()
    assert set(outcomes) <= {hcr.Outcome.MOVED, hcr.Outcome.NEARBY}


def test_blocks_are_one_call() -> None:
    region = hcr.Region("var y[2]\nparam r in [1, 2]\nnorm(y) <= r")
    generator = np.random.default_rng(2)
    points, x = generator.normal(size=(5, 60, 2)) * 3, generator.uniform(1, 2, size=(5, 60, 1))
    together, outcomes = region.project(points, x, outcomes=True)
    alone = [[region.project(points[i, j], x[i, j]) for j in range(60)] for i in range(5)]
    np.testing.assert_array_equal(together, np.array(alone))
    assert outcomes.shape == (5, 60)
    assert region.project(np.empty((0, 2)), np.empty((0, 1))).shape == (0, 2)


def test_d71_a_row_that_the_solver_does_not_bring_to_its_nearest_point() -> None:
    region = hcr.Region(
        "var y[4]\n[-150.4922, -79.8484, -0.0257579, -0.00538904] <= y\n"
        "y <= [154.515, 95.7789, 0.0280962, 0.00744506]\n"
        "[[0.002773, 0.0036263, 11.271, 100.2], [0.010778, 0.0098895, 3.2671, -82.397]] @ y <= [1.3557, 0.94533]\n"
        "psd([[1 + 138.4 * y[3], 0.0068 * y[0]], [0.0068 * y[0], 1 - 138.4 * y[3]]])"
    )
    generator = np.random.default_rng(3)
    points = generator.normal(size=(2000, 4)) * [150, 80, 0.03, 0.006] * 10 ** generator.uniform(-1, 2, size=(2000, 1))
    near, outcomes = region.project(points, outcomes=True)
    assert region.check(near).all()
    moved = outcomes != hcr.Outcome.INSIDE
    contracted = region.origin + (region.contract(points - region.origin) - region.origin)
    away = np.linalg.norm(near - points, axis=1)
    # Contraction gives a point inside, which is at least as far away.
    assert (away <= np.linalg.norm(contracted - points, axis=1) * (1 + 1e-9)).all()
    np.testing.assert_array_equal(near[~moved], points[~moved])


@pytest.mark.parametrize("count", [0, -1, 4097, 2**32, 2**61, 2**64, 2**64 + 1])
def test_d01_threads(count: int) -> None:
    before = hcr.get_threads()
    with pytest.raises(ValueError, match="from 1 to 4096"):
        hcr.set_threads(count)
    assert hcr.get_threads() == before


@pytest.mark.parametrize("value", [str(2**61), "0", "-3", "many", "\u00b2"])
def test_d01_threads_of_the_environment(value: str) -> None:
    code = (
        "import hcr, numpy as np; r = hcr.Region('var y[2]\\nnorm(y) <= 1');"
        "print(hcr.get_threads(), np.abs(r.contract(np.ones((5000, 2)))).max())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "OMP_NUM_THREADS": value}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    threads, largest = done.stdout.split()
    assert 1 <= int(threads) <= 4096 and float(largest) <= 0.7072
