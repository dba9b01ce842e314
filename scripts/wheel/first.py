#!/usr/bin/env python3
"""What a new user does first, with the time of each step: import, region, contract, fit, PyTorch's layer where that is.

Every result is checked against the constraints in rational arithmetic."""

import platform
import time
from fractions import Fraction
from itertools import pairwise

start = time.perf_counter()


def step(name):
    global start
    now = time.perf_counter()
    print(f"{name:24} {now - start:7.2f} s", flush=True)
    start = time.perf_counter()


def inside(rows):
    """Exactly: between 0 and 9, and steps of at most 2."""
    for row in rows:
        exact = [Fraction(float(x)) for x in row]
        assert all(0 <= x <= 9 for x in exact), row
        assert all(abs(a - b) <= 2 for a, b in pairwise(exact)), row


import numpy as np  # noqa: E402

step("import numpy")
import hcr  # noqa: E402

step("import hcr")
region = hcr.Region("var load[4]\n0 <= load <= 9\nabs(load[1:] - load[:-1]) <= 2")
step("region")
random = np.random.default_rng(1)
inside(region.contract(random.normal(5, 10, (1000, 4))))
step("contract 1000 rows")
curved = hcr.Region("var y[3]\nnorm(y, 2) <= 1\nquad_form(y, [[2, 0, 0], [0, 1, 0], [0, 0, 1]]) <= 1.5\nsum(y) <= 1")
assert np.all(np.linalg.norm(curved.contract(random.normal(0, 3, (1000, 3))), axis=1) <= 1 + 1e-15)
step("a curved region")
x = random.normal(size=(400, 3))
y = region.contract(5 + x @ random.normal(size=(3, 4)))
model = hcr.fit(region, x, y, epochs=20)
inside(model.predict(x))
step("fit, predict 400 rows")
try:
    import torch
except ImportError:
    print("PyTorch isn't installed")
else:
    step("import torch")
    import hcr.torch

    raw = torch.from_numpy(random.normal(5, 10, (100, 4))).requires_grad_()
    out = hcr.torch.contract(raw, region)
    inside(out.detach().numpy())
    out.square().sum().backward()
    assert raw.grad is not None and torch.isfinite(raw.grad).all()
    step("layer and its gradient")
versions = f"hcr {hcr.__version__}, NumPy {np.__version__}, Python {platform.python_version()}"
print(f"{versions}, {' '.join(platform.libc_ver())}, {platform.machine()}: all inside at tolerance 0")
