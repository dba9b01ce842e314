"""Published examples of cvxpylayers (github.com/cvxgrp/cvxpylayers at e34fc65, examples/torch and the tests), written
anew on hcr.torch.CvxpyLayer: solutions and gradients are cvxpylayers'. Where it isn't installed they are compared with
what cvxpylayers 1.2.0 gave, by SCS to 1e-12 and dense derivatives."""

from __future__ import annotations

import json
import pathlib
import warnings

import numpy as np
import pytest

cvxpy = pytest.importorskip("cvxpy")
torch = pytest.importorskip("torch")

import hcr.torch

GOLDEN = pathlib.Path(__file__).parent / "golden" / "cvxpylayers.json"
ARGUMENTS = {
    "eps": 1e-12,
    "mode": "dense",
    "max_iters": 100000,
}  # others leave 1e-6 of a solution, or 0.1 of a gradient


def monotone():
    """monotonic_output_regression.ipynb: the nearest values that don't fall."""
    y, guess = cvxpy.Variable(10), cvxpy.Parameter(10)
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.norm2(y - guess)), [cvxpy.diff(y) >= 0])
    return problem, [guess], [y], [np.random.default_rng(1).standard_normal((3, 10))]


def mpc():
    """constrained_mpc.ipynb: the first control of five steps, from a state."""
    random, n, m, steps, beta = np.random.default_rng(0), 10, 4, 5, 0.5
    A, B, weights = random.standard_normal((n, n)), random.standard_normal((n, m)), np.abs(random.standard_normal(n))
    A /= np.abs(np.linalg.eigvals(A)).max()
    x = cvxpy.Parameter(n)
    states, controls = ([cvxpy.Variable(size) for _ in range(steps)] for size in (n, m))
    costs = [
        cvxpy.sum(cvxpy.multiply(weights, cvxpy.square(s))) + cvxpy.sum_squares(u)
        for s, u in zip(states, controls, strict=True)
    ]
    limits = [states[0] == x, *(cvxpy.norm(u, "inf") <= beta for u in controls)]
    limits += [states[t] == A @ states[t - 1] + B @ controls[t - 1] for t in range(1, steps)]
    problem = cvxpy.Problem(cvxpy.Minimize(sum(costs)), limits)
    return problem, [x], [controls[0]], [2 * random.standard_normal((3, n))]


def denoising():
    """signal_denoising.ipynb, once its matrix and weight are learnt: the signal is the parameter."""
    n = 20
    random = np.random.default_rng(2)
    theta = np.eye(n) + 0.1 * random.standard_normal((n, n))
    y, apart, x = cvxpy.Variable(n), cvxpy.Variable(n), cvxpy.Parameter(n)
    objective = cvxpy.sum_squares(theta @ apart) + 0.5 * cvxpy.sum_squares(cvxpy.diff(y))
    signals = np.cos(random.uniform(1, 3, (3, 1)) * np.linspace(0, 2 * np.pi, n)) + 0.3 * random.standard_normal((3, n))
    return cvxpy.Problem(cvxpy.Minimize(objective), [apart == x - y]), [x], [y], [signals]


def mean():
    """tutorial.ipynb: a number that is near to all of a vector, without constraints."""
    x, y = cvxpy.Variable(), cvxpy.Parameter(7)
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(y - x)))
    return problem, [y], [x], [np.random.default_rng(3).standard_normal((3, 7))]


def relu():
    """ReLU Layers.ipynb, with the affine part outside."""
    x, y = cvxpy.Parameter(6), cvxpy.Variable(6)
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(y - x)), [y >= 0])
    return problem, [x], [y], [np.random.default_rng(4).standard_normal((3, 6))]


def semidefinite():
    """test_cvxpylayer.py's test_sdp, with its A constant: C and b are parameters."""
    random = np.random.default_rng(5)
    X, C = cvxpy.Variable((3, 3), symmetric=True), cvxpy.Parameter((3, 3))
    A = random.standard_normal((2, 3, 3))
    b = cvxpy.Parameter(2, bounds=[np.full(2, -1.0), np.full(2, 5.0)])
    limits = [X >> 0, cvxpy.trace(X) + cvxpy.trace(A[0] @ A[0].T @ X) == b[0] + 6, X[0, 1] + X[1, 2] == 0.1 * b[1]]
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.trace(C @ X) + cvxpy.sum_squares(X)), limits)
    given = random.standard_normal((3, 3, 3))
    return problem, [C, b], [X], [given + given.transpose(0, 2, 1), random.random((3, 2))]


EXAMPLES = {example.__name__: example for example in (monotone, mpc, denoising, mean, relu, semidefinite)}


def results(layer, values):
    """The solutions, and the gradients by each parameter of their sum with fixed weights; flat."""
    tensors = [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in values]
    solutions = layer(*tensors)
    weights = np.random.default_rng(9)
    loss = sum((s * torch.tensor(weights.standard_normal(tuple(s.shape)))).sum() for s in solutions)
    loss.backward()
    return [t.detach().numpy() for t in solutions] + [t.grad.numpy() for t in tensors]


def peers(problem, parameters, variables, values):
    from cvxpylayers.torch import CvxpyLayer

    layer = CvxpyLayer(problem, parameters=parameters, variables=variables)
    return results(lambda *given: layer(*given, solver_args=ARGUMENTS), values)


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    problem, parameters, variables, values = EXAMPLES[name]()
    layer = hcr.torch.CvxpyLayer(problem, parameters=parameters, variables=variables)
    found = results(layer, values)
    for mine, theirs in zip(found, json.loads(GOLDEN.read_text())[name], strict=True):
        np.testing.assert_allclose(mine, np.reshape(theirs, mine.shape), atol=1e-6)


@pytest.mark.parametrize("name", EXAMPLES)
def test_beside_cvxpylayers(name):
    pytest.importorskip("cvxpylayers")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = peers(*EXAMPLES[name]())
    for theirs, kept in zip(found, json.loads(GOLDEN.read_text())[name], strict=True):
        np.testing.assert_allclose(theirs, np.reshape(kept, theirs.shape), atol=1e-6)


if __name__ == "__main__":  # records what cvxpylayers gives
    GOLDEN.parent.mkdir(exist_ok=True)
    kept = {name: [a.ravel().round(10).tolist() for a in peers(*example())] for name, example in EXAMPLES.items()}
    GOLDEN.write_text(json.dumps(kept, indent=0) + "\n")
