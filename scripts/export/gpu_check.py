"""hcr.torch's kernels on a GPU: every result is checked exactly, gradients are compared with the library's, and a table
of times is printed, beside torch's own operations on the same GPU. HCR_DEVICE=cpu rehearses it in the tests' emulation.
"""

import os
import pathlib
import sys
import time

import hcr
import hcr.torch as ht
import numpy as np
import torch
from hcr.torch import kernels

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "../../bench/suite"))
from regions import shape  # noqa: E402

sys.path.insert(0, str(HERE / "../../python/tests"))
from device_emulation import Emulation  # noqa: E402

DEVICE = os.environ.get("HCR_DEVICE", "cuda")
ROWS = int(os.environ.get("HCR_ROWS", 1_000_000))
MOST_NUMBERS = 1 << 27  # of one tensor


def region_of(letter):
    made = shape(letter)
    return hcr.Region(f"{made.declared}\n{made.text}\n{made.origin}\n", **made.data), made


def seconds(function):
    """The least of five runs, after one."""
    found = []
    for _ in range(6):
        wait()
        start = time.perf_counter()
        function()
        wait()
        found.append(time.perf_counter() - start)
    return min(found[1:])


def wait():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def check(letter, dtype):
    region, made = region_of(letter)
    rows = min(ROWS, MOST_NUMBERS // region.n)
    start = time.perf_counter()
    v = torch.tensor(made.points(rows), dtype=dtype, device=DEVICE)
    there = kernels.of("contract", region, v) is not None
    ready = time.perf_counter() - start
    if not there:
        return f"| {letter} | {dtype} | no kernels | | | | |", 1
    outside = 0
    for name in ("contract", "soften"):
        y = getattr(ht, name)(v, region).cpu().numpy()
        outside += int((~region.check(y)).sum())
    few, bar = v[:1000].clone().requires_grad_(), torch.ones(1000, region.n, dtype=dtype, device=DEVICE)
    (got,) = torch.autograd.grad(ht.contract(few, region), few, bar)
    want = region.contract.vjp(few.detach().cpu().numpy(), bar.cpu().numpy())
    want = want[0] if isinstance(want, tuple) else want
    # a row next to the frontier may be inside for one and outside for the other
    off = np.abs(got.cpu().numpy() - want).max(-1)
    close = float((off <= 1e-2 * np.abs(want).max()).mean())
    forward = seconds(lambda: ht.contract(v, region))
    with torch.no_grad():
        try:
            plain = seconds(lambda: ht.contract(v[: rows // 100], region, formulas=True)) * 100
        except (hcr.errors.UnsupportedError, torch.cuda.OutOfMemoryError):
            plain = float("nan")
    return (
        f"| {letter} | {str(dtype)[6:]} | {outside} of {2 * rows:,} | {100 * close:.1f} % | {ready:.1f} s | "
        f"{1e9 * forward / rows:.1f} ns | {1e9 * plain / rows:.1f} ns |",
        outside + (close < 0.99),
    )


def main():
    if DEVICE == "cpu":
        there = Emulation()
        kernels.platform = lambda: there
    print("| region | precision | outside | equal gradients | compiled in | a row | torch's operations |")
    print("|---|---|---:|---:|---:|---:|---:|")
    failures = 0
    for letter in "ABCDE":
        for dtype in (torch.float32, torch.float64):
            line, bad = check(letter, dtype)
            print(line, flush=True)
            failures += bad
    sys.exit(failures != 0)


main()
