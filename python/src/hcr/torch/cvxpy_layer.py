"""CVXPY problems as layers, in the place of cvxpylayers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from .. import _cvxpy
from .._arrays import Array
from .._maps import Metric, Projection
from ..errors import make
from ..region import Region
from . import functions


class CvxpyLayer(nn.Module):
    """The solution of a CVXPY problem as a function of its parameters, with gradients; as cvxpylayers' of that name.

    For problems whose objective is a distance or a convex quadratic in the variables, whose parameters come to the
    first power in the objective's gradient, and in constraints wherever a region may have them: right-hand sides,
    coefficients of rows. Constraints may be all that `Region.from_cvxpy` takes. Solutions are exactly feasible.

    Args:
        problem: a `cvxpy.Problem`.
        parameters: its `cvxpy.Parameter`s, in the order in which `forward` takes them.
        variables: those of its `cvxpy.Variable`s that `forward` returns.

    Attributes:
        region: the feasible set, over all variables, with the parameters that its constraints have.
        regularisation: the multiple of the identity that was added to an objective that isn't strictly convex, such as
            a linear one.

    >>> import cvxpy, hcr.torch, torch
    >>> y, v = cvxpy.Variable(2), cvxpy.Parameter(2)
    >>> problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(y - v)), [y >= 0, cvxpy.sum(y) == 1])
    >>> layer = hcr.torch.CvxpyLayer(problem, parameters=[v], variables=[y])
    >>> (solution,) = layer(torch.tensor([0.9, 0.5], dtype=torch.float64))
    >>> solution.numpy().round(6).tolist()
    [0.7, 0.3]
    """

    def __init__(self, problem: Any, parameters: Sequence[Any], variables: Sequence[Any]) -> None:
        super().__init__()
        self.parameters_given, self.variables_given = list(parameters), list(variables)
        known = {p.id for p in parameters}
        for p in problem.parameters():
            if p.id not in known:
                raise make("name", f"the problem has the parameter {p.name()}, which isn't among the parameters given")
        every = problem.variables()
        for y in variables:
            if y.id not in {other.id for other in every}:
                raise make("name", f"{y.name()} is no variable of the problem")
        within = {p.id for c in problem.constraints for p in c.parameters()}
        self._inside = [p.id in within for p in parameters]
        moving = [p for p in parameters if p.id in within]
        text, constants = _cvxpy.translate(problem.constraints, every, moving, unbounded=True, open=True)
        self.region = Region.from_text(text, constants, file="<cvxpy>")
        quadratic, linear, slope = _quadratic(problem.objective, every, self.parameters_given)
        self.register_buffer("linear", torch.from_numpy(linear), persistent=False)
        self.register_buffer("slope", torch.from_numpy(slope), persistent=False)
        self._metric = Metric(quadratic, self.region.n)
        self.regularisation = Projection(self.region, linear=True).within(self._metric).regularisation
        self._places, start = {}, 0
        for y in every:
            self._places[y.id] = (start, y.size, y.shape)
            start += y.size

    def forward(self, *values: Tensor, solver_args: dict[str, Any] | None = None) -> tuple[Tensor, ...]:
        """The variables given, for values of the parameters, each of the parameter's shape or with a batch in front.

        `solver_args` is for cvxpylayers' solvers: there is nothing to set here.
        """
        if len(values) != len(self.parameters_given):
            raise make("argument", f"{len(values)} values for {len(self.parameters_given)} parameters")
        batch: tuple[int, ...] = ()
        for value, p in zip(values, self.parameters_given, strict=True):
            extra = value.ndim - len(p.shape)
            if extra not in (0, 1) or tuple(value.shape[extra:]) != tuple(p.shape):
                raise make(
                    "shape",
                    f"the value of {p.name()} has the shape {tuple(value.shape)}: it must have {tuple(p.shape)}, "
                    "or a batch in front of that",
                )
            if extra:
                if batch not in ((), (value.shape[0],)):
                    raise make("shape", f"batches of {batch[0]} and of {value.shape[0]}")
                batch = (value.shape[0],)
        flat = [
            value.reshape(*value.shape[: value.ndim - len(p.shape)], -1).expand(*batch, -1)
            for value, p in zip(values, self.parameters_given, strict=True)
        ]
        like = flat[0] if flat else self.linear
        together = torch.cat(flat, -1) if flat else like[..., :0]
        slope, linear = (a.to(together) for a in (self.slope, self.linear))
        inside = [value for value, is_inside in zip(flat, self._inside, strict=True) if is_inside]
        x = torch.cat(inside, -1) if inside else None
        y = functions.minimise(linear + together @ slope.T, self.region, x, metric=self._metric)
        return tuple(
            y[..., first : first + size].reshape((*batch, *shape))
            for first, size, shape in (self._places[v.id] for v in self.variables_given)
        )


def _flat(gradient: Any, shape: tuple[int, ...]) -> Array:
    """A gradient of CVXPY's, whose matrices go by columns, by rows."""
    dense = np.asarray(gradient.todense() if hasattr(gradient, "todense") else gradient, np.float64).reshape(-1)
    return dense.reshape(shape, order="F").reshape(-1) if len(shape) == 2 else dense


def _quadratic(objective: Any, variables: list[Any], parameters: list[Any]) -> tuple[Array, Array, Array]:
    """Q, p and P of the objective ½ y'Qy + (p + P θ)'y + what y doesn't change."""
    import cvxpy

    expression = objective.args[0]
    if isinstance(objective, cvxpy.Maximize):
        expression = -expression
    elif type(expression).__name__ in ("Pnorm", "PnormApprox", "norm2") and float(getattr(expression, "p", 2)) == 2:
        expression = cvxpy.sum_squares(expression.args[0])  # a distance is least where its square is
    if expression.size != 1:
        raise make("shape", "the objective isn't a number")
    sizes = [y.size for y in variables], [p.size for p in parameters]
    before = [(leaf, leaf.value) for leaf in (*variables, *parameters)]

    def gradient(y: Array, theta: Array) -> Array:
        for leaves, values, counts in ((variables, y, sizes[0]), (parameters, theta, sizes[1])):
            for leaf, part in zip(leaves, np.split(values, np.cumsum(counts)[:-1]), strict=True):
                leaf.save_value(part.reshape(leaf.shape))
        gradients = expression.grad
        if any(g is None for g in gradients.values()):
            raise _refusal(objective)
        return np.concatenate([_flat(gradients[v], v.shape) if v in gradients else np.zeros(v.size) for v in variables])

    try:
        n, p = sum(sizes[0]), sum(sizes[1])
        nothing, still = np.zeros(n), np.zeros(p)
        linear = gradient(nothing, still)
        quadratic = np.stack([gradient(row, still) - linear for row in np.eye(n)])
        slope = np.stack([gradient(nothing, row) - linear for row in np.eye(p)], 1) if p else np.zeros((n, 0))
        random = np.random.default_rng(1)
        for _ in range(3):
            y, theta = random.standard_normal(n), random.standard_normal(p)
            expected = quadratic @ y + slope @ theta + linear
            if not np.allclose(gradient(y, theta), expected, rtol=1e-9, atol=1e-9 * max(1, np.abs(expected).max())):
                raise _refusal(objective)
    finally:
        for leaf, value in before:
            leaf.save_value(value)
    quadratic = (quadratic + quadratic.T) / 2
    diagonal = np.diag(quadratic)
    return (diagonal.copy() if np.array_equal(quadratic, np.diag(diagonal)) else quadratic), linear, slope


def _refusal(objective: Any) -> Exception:
    return make(
        "unsupported",
        f"the objective {str(objective)[:200]} isn't a quadratic in the variables with a constant matrix and "
        "parameters in its linear term: bring other terms into constraints (t >= f(y), minimise t), or keep "
        "cvxpylayers for this problem",
    )
