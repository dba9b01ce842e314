"""Regions of every kind that the tests share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hcr

_random = np.random.default_rng(5)
_factor = _random.standard_normal((9, 7))
_matrix = _random.standard_normal((7, 7))
_matrix = _matrix @ _matrix.T / 7

TEXTS: dict[str, tuple[str, dict[str, np.ndarray]]] = {
    "box": ("var y[4]\n-1 <= y <= 2", {}),
    "differences": ("var y[48]\n-2 <= y <= 2\nabs(y[1:] - y[:-1]) <= 0.5", {}),
    "rows": ("var y[7]\n-1 <= y <= 2\nA @ y <= 1", {"A": _factor}),
    "ball": ("var y[3]\nnorm(y - 0.3) <= 2", {}),
    "quadratics": (
        "var y[7]\nquad_form(y, P) + sum(y) <= 3\nsum_squares(A @ y) + y[0] <= 9\nnorm(y) <= 5\nnorm(y - 0.1) <= 4.9",
        {"P": _matrix, "A": _factor},
    ),
    "cones": ("var y[7]\nnorm(A @ y + 0.1) <= y[0] + 2\n-3 <= y <= 3\nnorm(y[1:4]) <= 2 - 0.1 * y[5]", {"A": _factor}),
    "equalities": ("var y[7]\nsum(y) == 1\ny[0] - 2 * y[3] == 0.1\n0 <= y <= 1\nnorm(y) <= 0.8", {}),
    "lmi": ("var y[2]\npsd([[1 + y[0], y[1], 0], [y[1], 1 - y[0], y[1]], [0, y[1], 1]])", {}),
    "expression": ("var y[3]\nlog_sum_exp(y) <= 2\ny >= -2", {}),
    "union": ("var y[2]\nunion:\n    norm(y) <= 1\nor\n    abs(y) <= [0.5, 2]\nend\norigin = [0, 0]", {}),
}
#: Those that the formulas know.
PLAIN = ("box", "differences", "rows", "ball", "quadratics", "cones", "equalities")
_made: dict[str, hcr.Region] = {}
_made_moving: dict[str, hcr.Region] = {}


def make(name: str) -> hcr.Region:
    if name not in _made:
        text, constants = TEXTS[name]
        _made[name] = hcr.Region(text, **constants)
    return _made[name]


@pytest.fixture(params=list(TEXTS))
def region(request: pytest.FixtureRequest) -> hcr.Region:
    return make(request.param)


@pytest.fixture(params=PLAIN)
def plain(request: pytest.FixtureRequest) -> hcr.Region:
    return make(request.param)


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture
def x64() -> Iterator[Any]:
    """JAX with double precision, in the threads that call the library too."""
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    yield jax
    jax.config.update("jax_enable_x64", False)


def directions(random: np.random.Generator, count: int, n: int, dtype: str = "float64") -> np.ndarray:
    """Inputs of many sizes, with what is odd among them: zero, tiny, huge, along an axis, a NaN, an infinity."""
    v = random.standard_normal((count, n)) * np.exp(random.uniform(-5, 5, (count, 1)))
    v[0] = 0
    v[1, 0] = np.nan
    v[2, -1] = np.inf
    v[3] *= 1e30
    v[4] *= 1e-30
    v[5] = 0
    v[5, 0] = -5
    v[6] = -0.0
    return v.astype(dtype)


_dense = _random.standard_normal((9, 5))
_balance = _random.standard_normal((2, 5))
#: Regions with parameters: what `Region.from_rows` takes.
MOVING: dict[str, dict] = {
    # Σ y <= budget, y <= cap: a moving box and a moving row
    "budget": dict(
        A=np.block([[np.ones((1, 3)), np.array([[-1.0, 0, 0, 0]])], [np.eye(3), np.zeros((3, 1)), -np.eye(3)]]),
        b=0.0,
        bounds=(0, None),
        parameters={"budget": (1, 9), "cap": (0.5 * np.ones(3), 4 * np.ones(3))},
    ),
    # A y <= 1 + B x, dense, and a box that stays
    "rows": dict(
        A=np.c_[_dense, 0.2 * _random.standard_normal((9, 2))],
        b=1.0,
        bounds=(-3, 3),
        parameters={"x": (-np.ones(2), np.ones(2))},
    ),
    # T y = x: dependent outputs move with the parameters
    "equalities": dict(
        A_eq=np.c_[_balance, -np.eye(2)],
        b_eq=0.0,
        A=_dense,
        b=4.0,
        bounds=(-9, 9),
        parameters={"x": (-0.3 * np.ones(2), 0.3 * np.ones(2))},
    ),
}


def make_moving(name: str) -> hcr.Region:
    if name not in _made_moving:
        _made_moving[name] = hcr.Region.from_rows(**MOVING[name])
    return _made_moving[name]


@pytest.fixture(params=list(MOVING))
def moving(request: pytest.FixtureRequest) -> hcr.Region:
    return make_moving(request.param)


def parameters(region: hcr.Region, random: np.random.Generator, *shape: int) -> np.ndarray:
    _, low, high = region.parameters
    return random.uniform(low, high, (*shape, region.p))


def inputs(region: hcr.Region, map_: str, random: np.random.Generator, *shape: int) -> np.ndarray:
    v = 4 * random.standard_normal((*shape, region.n))
    return np.concatenate([v, random.random((*shape, 1))], -1) if map_ == "decode" else v
