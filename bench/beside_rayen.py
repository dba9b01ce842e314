"""The same regions, inputs and map (contract) by hcr and by RAYEN: batches of 1,000, one thread, one run.

    pip install cvxpy==1.9.3 tqdm colorama && pip install --no-deps rayen==0.0.5
    python bench/beside_rayen.py build/bench [A B C D E]

RAYEN is timed in double and in single precision, without and with the backward pass; hcr in the same precisions, called
by ctypes. The two take turns. The share of results that are exactly inside is decided by `hcr_check`.
"""

import ctypes
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import types

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import torch

sys.modules.setdefault("cdd", types.ModuleType("cdd"))  # RAYEN wants it for what isn't used here
from rayen import constraint_module, constraints

torch.set_num_threads(1)
BATCH, TURNS = 1000, 7


def single(x):
    return np.asarray(x, dtype=np.float32).astype(np.float64)


def symmetric(x):
    return np.triu(x) + np.triu(x, 1).T


def region(letter):
    """Outputs, region text, its matrices, RAYEN's constraints, the deviation of the inputs."""
    random = np.random.default_rng(1234)
    if letter == "A":
        n = 48
        step = np.eye(n)[:-1] - np.eye(n)[1:]
        rows = np.vstack([np.eye(n), -np.eye(n), step, -step])
        bounds = np.r_[np.full(2 * n, 2.0), np.full(2 * (n - 1), 0.5)]
        text = "-2 <= y <= 2\nabs(y[1:] - y[:-1]) <= 0.5"
        return n, text, {}, {"lc": constraints.LinearConstraint(rows, bounds[:, None], None, None)}, 0.184
    if letter == "B":
        n = 768
        ball = constraints.ConvexQuadraticConstraint(2 / 100 * np.eye(n), np.zeros((n, 1)), -np.ones((1, 1)))
        return n, "norm(y, 2) <= 10", {}, {"qcs": [ball]}, 0.373
    if letter == "C":
        n = 100
        rows = random.standard_normal((1000, n))
        rows = single(rows / np.linalg.norm(rows, axis=1, keepdims=True))
        linear = constraints.LinearConstraint(rows, np.ones((1000, 1)), None, None)
        return n, "A @ y <= 1", {"A": rows}, {"lc": linear}, 0.371
    if letter == "D":
        n, text, data, quadratics = 100, [], {}, []
        for i in range(100):
            factor = random.standard_normal((n, n))
            P = symmetric(single(factor.T @ factor / n + 0.1 * np.eye(n)))
            q = single(0.1 * random.standard_normal(n))
            data[f"P{i}"], data[f"q{i}"] = P, q
            text.append(f"0.5*quad_form(y, P{i}) + q{i} @ y <= 1")
            quadratics.append(constraints.ConvexQuadraticConstraint(P, q[:, None], -np.ones((1, 1))))
        return n, "\n".join(text), data, {"qcs": quadratics}, 0.120
    n = 20
    F = [symmetric(single((G + G.T) / 2 / np.sqrt(n))) for G in random.standard_normal((n, n, n))]
    text = f"eye({n}) + " + " + ".join(f"y[{j}]*F{j}" for j in range(n)) + " >> 0"
    lmi = constraints.LMIConstraint([*F, np.eye(n)])
    return n, text, {f"F{j}": F[j] for j in range(n)}, {"lmic": lmi}, 0.232


class Hcr:
    """A region of the library, called with NumPy arrays."""

    def __init__(self, build, n, text, data):
        self.library, self.n = ctypes.CDLL(str(build / "libhcr.so")), n
        self.error = ctypes.create_string_buffer(4096)
        with tempfile.TemporaryDirectory() as folder:
            lines = [f"var y[{n}]"]
            for name, values in data.items():
                np.save(f"{folder}/{name}.npy", values)
                lines.append(f'const {name} = read("{name}.npy")')
            source = pathlib.Path(folder, "region.region")
            source.write_text("\n".join([*lines, text, f"origin = zeros({n})"]) + "\n")
            compiled = f"{folder}/region.hcr"
            subprocess.run([build / "hcr", "compile", source, "-o", compiled], check=True, capture_output=True)
            self.region, self.workspace = ctypes.c_void_p(), ctypes.c_void_p()
            self.call("hcr_region_load", compiled.encode(), None, ctypes.byref(self.region))
        self.call("hcr_workspace_create", self.region, ctypes.c_size_t(1), ctypes.byref(self.workspace))
        self.rays = np.empty((BATCH, 2))

    def call(self, name, *arguments):
        if getattr(self.library, name)(*arguments, self.error) != 0:
            raise RuntimeError(self.error.raw)

    @staticmethod
    def pointer(array):
        return ctypes.c_void_p(array.ctypes.data)

    def contract(self, v, y, suffix, rays=None):
        rows = ctypes.c_size_t(len(v))
        pointers = (self.pointer(v), self.pointer(y), self.pointer(rays) if rays is not None else None)
        self.call("hcr_contract" + suffix, self.region, self.workspace, rows, None, *pointers)

    def backward(self, v, y_bar, v_bar, suffix):
        rows = ctypes.c_size_t(len(v))
        pointers = map(self.pointer, (v, self.rays, y_bar, v_bar))
        self.call("hcr_contract_vjp" + suffix, self.region, self.workspace, rows, None, *pointers, None)

    def inside(self, y):
        y, found = np.ascontiguousarray(y, dtype=np.float64), np.empty(len(y), dtype=np.uint8)
        rows = ctypes.c_size_t(len(y))
        self.call("hcr_check", self.region, rows, None, self.pointer(y), self.pointer(found), None)
        return found.mean()


def microseconds(function):
    start = time.perf_counter()
    function()
    return 1e6 / BATCH * (time.perf_counter() - start)


def take_turns(ours, module, inputs, suffix):
    """Medians of hcr and RAYEN forward, hcr and RAYEN with gradient, and the results of both."""
    v, tensor = inputs, torch.tensor(inputs)
    y, v_bar, result = np.empty_like(v), np.empty_like(v), {}

    def rayen_forward():
        with torch.no_grad():
            result["y"] = module(tensor)

    def rayen_backward():
        leaf = tensor.clone().requires_grad_(True)
        module(leaf).square().sum().backward()

    def hcr_backward():
        ours.contract(v, y, suffix, ours.rays)
        ours.backward(v, 2 * y, v_bar, suffix)

    runs = (lambda: ours.contract(v, y, suffix), rayen_forward, hcr_backward, rayen_backward)
    times = [[] for _ in runs]
    for turn in range(TURNS + 1):
        for run, taken in zip(runs, times, strict=True):
            spent = microseconds(run)
            if turn > 0:
                taken.append(spent)
    return [statistics.median(taken) for taken in times], y, result["y"].squeeze(-1).numpy()


def measure(build, letter):
    """Yields the precision, the four medians, and the shares that are exactly inside."""
    n, text, data, theirs, deviation = region(letter)
    ours = Hcr(build, n, text, data)
    inputs = single(deviation * np.random.default_rng(7).standard_normal((BATCH, n)))
    for precision, suffix, kind in (("double", "", np.float64), ("single", "_f32", np.float32)):
        torch.set_default_dtype(torch.float64 if kind == np.float64 else torch.float32)
        parts = {"lc": None, "qcs": [], "lmic": None, "y0": np.zeros((n, 1)), "do_preprocessing_linear": False}
        limits = constraints.ConvexConstraints(**{**parts, **theirs})
        module = constraint_module.ConstraintModule(limits, create_map=False, method="RAYEN")
        times, mine, other = take_turns(ours, module, inputs.astype(kind), suffix)
        apart = np.max(np.abs(other - mine)) / np.max(np.abs(mine))
        if apart > (1e-6 if kind == np.float64 else 1e-2):
            raise RuntimeError(f"the results differ by {apart}")
        yield (precision, *times, ours.inside(mine), ours.inside(other))


def main():
    build = pathlib.Path(sys.argv[1])
    print(
        "| region | precision | hcr | RAYEN | ratio | hcr, gradient | RAYEN, gradient | ratio | inside, hcr | RAYEN |"
    )
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for letter in sys.argv[2:] or "ABCDE":
        for precision, mine, other, my_gradient, other_gradient, my_share, other_share in measure(build, letter):
            print(
                f"| {letter} | {precision} | {mine:.3g} | {other:.3g} | {other / mine:.1f} | {my_gradient:.3g} | "
                f"{other_gradient:.3g} | {other_gradient / my_gradient:.1f} | {my_share:.3f} | {other_share:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
