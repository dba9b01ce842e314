"""Safety filters: inputs that keep control barrier functions, exactly, at every step."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arrays import Array
from ._points import Kind, checked, take_inside
from ._records import Outcome
from ._relaxation import OnEmpty, known_on_empty
from .errors import make
from .region import Region

_OUTCOMES = {int(outcome): outcome for outcome in Outcome}


class Barrier:
    """A filter that changes inputs as little as it must so that functions h of the state stay positive.

    A control barrier function h keeps h ≥ 0 where dh/dt + rate h ≥ 0 (Ames et al., Control Barrier Functions: Theory
    and Applications, 2019). With dynamics that are affine in the input u, dh/dt = drift + control · u: each h is a row,
    whose coefficients move with the state. The result satisfies the rows and the limits in exact arithmetic.

    Args:
        limits: region text of what the inputs obey in every state, with one `var`: bounds, rows, cones, anything
            convex, also with parameters of its own.
        count: how many barrier functions there are.
        map: ``"project"``: the nearest input; ``"contract"``: the furthest one along the ray from an origin well inside
            towards the input wanted, several times as fast where there are many inputs.
        largest: the largest coefficient and right-hand side that will occur, which limits beyond bounds and rows need.
        on_empty: what becomes of states in which no input keeps every row: ``"nan"``; or ``"relax"``, ``"nearest"``:
            the rows give as little as they can, Σ weight · shortfall, and the limits are kept (`hcr.Relaxation`).
        weights: of the barrier functions' rows, one each; 1 by default.

    Attributes:
        region: the region of the inputs; its parameters are the rows, `rows` makes them.

    >>> from hcr.control import Barrier
    >>> stay = Barrier("var push[2]\\n-1 <= push <= 1", 1)  # a mass at x = 0.9 with speed (1, 0): h = 1 − x − speed/2
    >>> push, outcome = stay([0.5, 0.2], value=[-0.4], drift=[-1.0], control=[[-0.5, 0.0]], rate=1.0)
    >>> push.tolist(), outcome.name  # no push is strong enough
    ([nan, nan], 'NO_ORIGIN')
    >>> late = Barrier("var push[2]\\n-1 <= push <= 1", 1, on_empty="nearest")
    >>> push, outcome = late([0.5, 0.2], value=[-0.4], drift=[-1.0], control=[[-0.5, 0.0]], rate=1.0)
    >>> push.round(6).tolist(), outcome.name  # the strongest
    ([-1.0, 0.2], 'RELAXED')
    >>> push, outcome = stay([0.5, 0.2], value=[0.75], drift=[-1.0], control=[[-0.5, 0.0]], rate=1.0)
    >>> push.round(12).tolist(), outcome.name
    ([-0.5, 0.2], 'MOVED')
    """

    def __init__(
        self,
        limits: str,
        count: int,
        *,
        map: Kind = "project",
        largest: float | None = None,
        on_empty: OnEmpty = "nan",
        weights: Sequence[float] | None = None,
        **constants: npt.ArrayLike,
    ) -> None:
        found = re.findall(r"^\s*var\s+([A-Za-z_]\w*)\s*(?:\[\s*(\d+)\s*\])?", limits, re.MULTILINE)
        if len(found) != 1:
            raise make("argument", f"the limits have {len(found)} var lines: they need one, such as: var u[2]")
        checked(map)
        known_on_empty(on_empty)
        if weights is not None and len(weights) != count:
            raise make("shape", f"there are {len(weights)} weights for {count} barrier functions")
        name, size = found[0][0], int(found[0][1] or 1)
        inside = "" if largest is None else f" in [{-float(largest)!r}, {float(largest)!r}]"
        lines = [f"param barrier_rows[{count * size}]{inside}", f"param barrier_right[{count}]{inside}", limits]
        for i in range(count):
            row = f"barrier_rows[{i * size}:{(i + 1) * size}]"
            product = f"{row} @ {name}" if found[0][1] else f"barrier_rows[{i}] * {name}"
            weight = "" if weights is None else f" weight {float(weights[i])!r}"
            soft = "" if on_empty == "nan" else f"soft{weight}: "
            lines.append(f"{soft}{product} <= barrier_right[{i}]")
        self.region = Region.from_text("\n".join(lines), constants, file="<barrier>")
        self.map, self.count, self.on_empty = map, count, on_empty

    def rows(
        self, value: npt.ArrayLike, drift: npt.ArrayLike, control: npt.ArrayLike, rate: npt.ArrayLike = 1.0
    ) -> Array:
        """The region's parameters for states: (…, count × inputs + count), before those of the limits.

        Args:
            value: (…, count): h.
            drift: (…, count): what dh/dt is without input.
            control: (…, count, inputs): dh/dt by the input.
            rate: how fast h may fall towards 0, per unit of time and h: one number, or (…, count).
        """
        values, drifts, controls = (np.asarray(a, np.float64) for a in (value, drift, control))
        if controls.shape[-2:] != (self.count, self.region.n) or values.shape[-1:] != (self.count,):
            expected = f"value (…, {self.count}) and control (…, {self.count}, {self.region.n})"
            raise make(
                "shape", f"value has the shape {values.shape} and control {controls.shape}: {expected} are needed"
            )
        right = np.asarray(rate) * values
        right = right + drifts
        shape, own = right.shape[:-1], controls.shape[:-2]
        if shape != own:
            shape = np.broadcast_shapes(shape, own)
        rows = np.empty((*shape, controls.shape[-1] * self.count + self.count))
        np.negative(controls.reshape(*own, -1), out=rows[..., : -self.count])
        rows[..., -self.count :] = right
        return rows

    def __call__(
        self,
        u: npt.ArrayLike,
        value: npt.ArrayLike,
        drift: npt.ArrayLike,
        control: npt.ArrayLike,
        rate: npt.ArrayLike = 1.0,
        *,
        x: npt.ArrayLike | None = None,
    ) -> tuple[Array, Any]:
        """Inputs (…, inputs) and their outcomes (`hcr.Outcome`); where no input keeps every row as `on_empty` says.

        Args:
            u: (…, inputs), the inputs wanted.
            value, drift, control, rate: as of `rows`.
            x: (…, p), the parameters of the limits, where they have such.
        """
        rows = self.rows(value, drift, control, rate)
        if x is not None:
            given = np.asarray(x, np.float64)
            rows = np.concatenate([rows, np.broadcast_to(given, (*rows.shape[:-1], given.shape[-1]))], -1)
        wanted = np.asarray(u, np.float64)
        result, outcomes = take_inside(self.region, wanted, rows, self.map, self.on_empty)
        return result, outcomes if outcomes.shape else _OUTCOMES[int(outcomes)]


__all__ = ["Barrier"]
