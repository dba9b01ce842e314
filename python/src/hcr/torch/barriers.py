"""Rows that keep barrier functions, from a function of the state and its motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def barrier_rows(
    barrier: Callable[[Tensor], Tensor],
    motion: Callable[[Tensor, Tensor], Tensor],
    state: Tensor,
    inputs: int,
    rates: Sequence[float] = (1.0,),
) -> tuple[Tensor, Tensor]:
    """What inputs u keep h ≥ 0 for each barrier function h, as rows: slope @ u + drift ≥ 0.

    With one rate that is dh/dt + rate h ≥ 0 (`hcr.control`). Where u is in the second derivative only, two rates take
    dh/dt + rates[0] h for h first, and so on (Nguyen and Sreenath, Exponential Control Barrier Functions, 2016). Of the
    last derivative u must be in, affinely, and of those before it isn't. Gradients pass through.

    Args:
        barrier: of one state: `count` numbers.
        motion: how one state changes, of that and an input of `inputs` numbers, affine in the latter.
        state: batch × numbers of a state.

    Returns:
        batch × count × inputs, and batch × count.

    >>> import torch
    >>> state = torch.tensor([[0.0, 1.0]])  # a mass at 0 that goes to a wall at 2, and is pushed
    >>> barrier_rows(lambda s: 2 - s[:1], lambda s, u: torch.cat([s[1:], u]), state, 1, (1.0, 1.0))
    (tensor([[[-1.]]]), tensor([[0.]]))
    """
    still = state.new_zeros(inputs)

    def risen(of: Callable[[Tensor], Tensor], rate: float) -> Callable[[Tensor, Tensor], Tensor]:
        def along(at: Tensor, u: Tensor) -> Tensor:
            value, change = torch.func.jvp(of, (at,), (motion(at, u),))
            return change + rate * value

        return along

    for rate in rates[:-1]:
        barrier = (lambda along: lambda at: along(at, still))(risen(barrier, rate))
    last = risen(barrier, rates[-1])
    slope, drift = torch.vmap(lambda at: (torch.func.jacrev(last, 1)(at, still), last(at, still)))(state)
    return slope, drift
