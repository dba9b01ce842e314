"""Constrained layers as their users call them: hcr.torch and hcr.jax beside RAYEN, Πnet, cvxpylayers and torch itself.

    pip install './python[torch,jax]' cvxpylayers pinet-hcnn==0.2.0 tqdm colorama && pip install --no-deps rayen==0.0.5
    python bench/python_peers.py [A B C D E]

One thread, one run; the methods take turns. Microseconds a sample, medians: a batch of 1 and one of 1,000, forward, and
forward with the gradient of the sum of squares. The regions and inputs are those of beside_rayen.py.
"""

import os
import statistics
import sys
import time

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import hcr
import hcr.torch
import numpy as np
import torch
from beside_rayen import constraint_module, constraints, region, single

TURNS, FEW = 9, 3
STEPS = 50  # of Πnet's projection, forward; 100 backward: its documentation's
TYPES = {"float32": torch.float32, "float64": torch.float64}


def layer(function, dtype):
    """Forward, and forward with gradient, of a function of torch tensors."""

    def forward(x):
        with torch.no_grad():
            return function(x)

    def gradient(x):
        leaf = x.clone().requires_grad_()
        function(leaf).square().sum().backward()

    return forward, gradient, lambda x: torch.tensor(x, dtype=TYPES[dtype])


def with_hcr(letter, n, text, data, dtype):
    made = hcr.Region(f"var y[{n}]\n{text}\norigin = zeros({n})", **data)
    return layer(lambda x: hcr.torch.contract(x, made), dtype)


def with_hcr_jax(letter, n, text, data, dtype):
    import hcr.jax
    import jax

    if letter == "E":
        return None  # it would be the C library, called back
    jax.config.update("jax_enable_x64", dtype == "float64")
    made = hcr.Region(f"var y[{n}]\n{text}\norigin = zeros({n})", **data)
    return in_jax(lambda x: hcr.jax.contract(x, made), jax, dtype)


def in_jax(function, jax, dtype):
    forward, gradient = jax.jit(function), jax.jit(jax.grad(lambda x: (function(x) ** 2).sum()))
    return (
        lambda x: forward(x).block_until_ready(),
        lambda x: gradient(x).block_until_ready(),
        lambda x: jax.numpy.asarray(x, dtype=dtype),
    )


def with_torch(letter, n, text, data, dtype):
    """The closed form of the ball."""
    if letter != "B":
        return None

    def scale(x):
        return x * (10 / torch.linalg.vector_norm(x, dim=-1, keepdim=True)).clamp(max=1)

    return layer(scale, dtype)


def with_rayen(letter, n, text, data, dtype):
    torch.set_default_dtype(TYPES[dtype])
    parts = {"lc": None, "qcs": [], "lmic": None, "y0": np.zeros((n, 1)), "do_preprocessing_linear": False}
    limits = constraints.ConvexConstraints(**{**parts, **region(letter)[3]})
    module = constraint_module.ConstraintModule(limits, create_map=False, method="RAYEN")
    forward, gradient, convert = layer(module, dtype)

    def typed(function):
        def call(x):
            torch.set_default_dtype(TYPES[dtype])
            return function(x)

        return call

    return typed(forward), typed(gradient), convert


def with_pinet(letter, n, text, data, dtype):
    """Rows and boxes. Its cones have their right side among the outputs, so the ball of B is none; quadratics and matrix
    inequalities it doesn't have."""
    if letter not in "AC" or dtype == "float64":
        return None
    import jax
    from pinet import AffineInequalityConstraint, BoxConstraint, BoxConstraintSpecification, ProjectionInstance
    from pinet.project import Project

    def column(value, rows):
        return jax.numpy.full((1, rows, 1), value, dtype=dtype)

    if letter == "A":
        step = jax.numpy.asarray(np.eye(n)[:-1] - np.eye(n)[1:], dtype=dtype)[None]
        rows = AffineInequalityConstraint(c_mat=step, lb=column(-0.5, n - 1), ub=column(0.5, n - 1))
        box = BoxConstraint(BoxConstraintSpecification(lb=column(-2, n), ub=column(2, n)))
        project = Project(ineq_constraint=rows, box_constraint=box)
    else:
        A = jax.numpy.asarray(data["A"], dtype=dtype)[None]
        rows = AffineInequalityConstraint(c_mat=A, lb=column(-np.inf, A.shape[1]), ub=column(1, A.shape[1]))
        project = Project(ineq_constraint=rows)

    def contract(x):
        return project.call(y_raw=ProjectionInstance(x=x[:, :, None]), n_iter=STEPS, n_iter_bwd=100)[0].x

    return in_jax(contract, jax, dtype)


def with_cvxpylayers(letter, n, text, data, dtype):
    """D isn't here: its cones have a million coefficients, and a point takes six seconds."""
    if letter == "D" or dtype == "float32":
        return None
    import cvxpy
    from cvxpylayers.torch import CvxpyLayer

    y, point = cvxpy.Variable(n), cvxpy.Parameter(n)
    if letter == "A":
        limits = [y <= 2, y >= -2, cvxpy.abs(cvxpy.diff(y)) <= 0.5]
    elif letter == "B":
        limits = [cvxpy.norm(y) <= 10]
    elif letter == "C":
        limits = [data["A"] @ y <= 1]
    else:
        limits = [np.eye(n) + sum(y[j] * data[f"F{j}"] for j in range(n)) >> 0]
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(y - point)), limits)
    project = CvxpyLayer(problem, [point], [y])
    return layer(lambda x: project(x)[0], dtype)


METHODS = {
    "hcr.torch": with_hcr,
    "hcr.jax": with_hcr_jax,
    "torch, closed form": with_torch,
    "RAYEN": with_rayen,
    f"Πnet, {STEPS} steps": with_pinet,
    "cvxpylayers": with_cvxpylayers,
}
SLOW = ("Πnet", "cvxpylayers")


def measure(letter, dtype):
    """Yields each method's medians: batch 1 forward, with gradient; batch 1,000 forward, with gradient."""
    n, text, data, _, deviation = region(letter)
    inputs = single(deviation * np.random.default_rng(7).standard_normal((1000, n)))
    runs = {}
    for name, make in METHODS.items():
        made = make(letter, n, text, data, dtype)
        if made is None:
            continue
        forward, gradient, convert = made
        batch = 20 if name == "cvxpylayers" else 1000
        one, many = [convert(inputs[i : i + 1]) for i in range(20)], convert(inputs[:batch])
        for count, function, cases in (
            (1, forward, one),
            (1, gradient, one),
            (batch, forward, [many]),
            (batch, gradient, [many]),
        ):
            runs.setdefault(name, []).append((count, function, cases, []))
    for turn in range(TURNS + 1):
        for name, parts in runs.items():
            if turn > FEW and name.startswith(SLOW):
                continue
            for count, function, cases, taken in parts:
                for case in cases[: 3 if name.startswith(SLOW) else None]:
                    start = time.perf_counter()
                    function(case)
                    if turn > 0:
                        taken.append(1e6 * (time.perf_counter() - start) / count)
    for name, parts in runs.items():
        yield name, [statistics.median(taken) for *_, taken in parts]


def main():
    torch.set_num_threads(1)
    hcr.set_threads(1)
    print("| region | type | method | batch 1 | with gradient | batch 1,000 | with gradient |")
    print("|---|---|---|---:|---:|---:|---:|")
    for letter in sys.argv[1:] or "ABCDE":
        for dtype in TYPES:
            for name, times in measure(letter, dtype):
                cells = " | ".join(f"{taken:.3g}" for taken in times)
                print(f"| {letter} | {dtype} | {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
