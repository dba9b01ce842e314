"""Regions as action spaces of Gymnasium environments, and wrappers that take every action inside.

pip install 'hcr[gymnasium]'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ._points import Kind, checked, take_inside
from ._records import Outcome
from ._relaxation import OnEmpty, known_on_empty
from .errors import make
from .region import Region, needs_region

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as missing:  # pragma: no cover
    raise ImportError("hcr.gymnasium needs gymnasium: pip install 'hcr[gymnasium]'") from missing

Parameters = Callable[[Any], npt.ArrayLike]
Fallback = Callable[[Any, npt.NDArray[Any]], npt.ArrayLike]


class RegionSpace(spaces.Box):
    """The points of a region as a space: `contains` is decided exactly, `sample` reaches all of it.

    It is a `Box` of the region's bounds, so that what asks for boxes takes it, flattens it and knows its limits.
    Samples aren't uniform: the density is higher where the frontier is near the origin.

    Args:
        region: the region; with parameters, `Region.at` makes the region of one sample.
        dtype: of the actions, ``"float32"`` or ``"float64"``.
        seed: of its samples.

    >>> from hcr.gymnasium import RegionSpace
    >>> import hcr
    >>> space = RegionSpace(hcr.Region("var push[2]\\nnorm(push) <= 1"), seed=0)
    >>> space.sample() in space, [0.8, 0.8] in space
    (True, False)
    """

    def __init__(
        self, region: Region, dtype: npt.DTypeLike = np.float32, seed: int | np.random.Generator | None = None
    ) -> None:
        needs_region(region, "RegionSpace")
        if region.p:
            raise make("argument", "the region has parameters: a space is region.at(x), that of one sample")
        self.region = region
        super().__init__(*_bounds(region, dtype), dtype=dtype, seed=seed)  # type: ignore[arg-type]

    def sample(self, mask: None = None, probability: None = None) -> npt.NDArray[Any]:
        point = self.region.sample(1, self.np_random)[0]
        # A second time: rounded to single precision it could be outside.
        return self.region.contract((point - self.region.origin).astype(self.dtype))

    def contains(self, x: Any) -> bool:
        try:
            point = np.asarray(x)
            return point.shape == self.shape and bool(self.region.check(point))
        except (TypeError, ValueError):
            return False

    def __repr__(self) -> str:
        return f"RegionSpace({self.region!r}, {self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RegionSpace) and self.dtype == other.dtype and self.region == other.region


def _bounds(region: Region, dtype: npt.DTypeLike) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Bounds of that type, outwards where they have to be rounded."""
    lower, upper = (bound.astype(dtype) for bound in region.bounds)
    lower = np.where(lower > region.bounds[0], np.nextafter(lower, -np.inf), lower)
    upper = np.where(upper < region.bounds[1], np.nextafter(upper, np.inf), upper)
    return lower, upper


class _Constrained:
    """What both wrappers do."""

    env: Any

    def __init__(
        self,
        env: Any,
        region: Region,
        parameters: Parameters | None = None,
        *,
        map: Kind = "contract",
        fallback: Fallback | None = None,
        on_empty: OnEmpty = "nan",
    ) -> None:
        needs_region(region, type(self).__name__)
        checked(map)
        self._on_empty: OnEmpty = known_on_empty(on_empty)
        if (region.p > 0) != (parameters is not None):
            raise make("argument", f"the region has {region.p} parameters: `parameters` gives them from an observation")
        super().__init__(env)  # type: ignore[call-arg]  # the wrapper of Gymnasium
        self._region, self._parameters, self._map, self._fallback = region, parameters, map, fallback
        self._observation: Any = None
        self._limit_space()

    def _limit_space(self) -> None:
        """Takes the region for the space of actions."""

    def _constrain(self, actions: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        x = None if self._parameters is None else self._parameters(self._observation)
        given = np.asarray(actions)
        inside, outcomes = take_inside(self._region, given, x, self._map, self._on_empty)
        lost = np.isnan(inside).any(-1)
        if lost.any():
            if self._fallback is None:
                outcome = Outcome(int(np.atleast_1d(outcomes)[np.atleast_1d(lost)][0]))
                raise make("empty", f"no action can be taken inside ({outcome.name}): give the wrapper a fallback")
            inside = np.where(lost[..., None], self._fallback(self._observation, given), inside)
        return inside, outcomes

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        self._observation, info = self.env.reset(**options)
        return self._observation, info

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        inside, outcomes = self._constrain(action)
        self._observation, reward, terminated, truncated, info = self.env.step(inside)
        constrained = Outcome(int(outcomes)) if np.ndim(outcomes) == 0 else outcomes
        return self._observation, reward, terminated, truncated, {**info, "constrained": constrained}


class ConstrainAction(_Constrained, gymnasium.Wrapper[Any, Any, Any, Any]):
    """Takes every action inside the region before the environment has it, whatever the policy gives.

    ``info["constrained"]`` is the outcome of the step's action (`hcr.Outcome`): INSIDE where it stayed as it was.

    Args:
        env: the environment; its actions are the region's outputs.
        region: the region.
        parameters: gives the region's parameters from the last observation, for limits that depend on the state.
            Actions are float64 where these are.
        map: ``"contract"`` moves along the ray to the origin, in microseconds; ``"project"`` to the nearest point.
        fallback: gives an action from the last observation and the action, for steps that have none inside: limits
            that contradict each other, or an action that isn't finite. Without it, such a step is an error.
        on_empty: ``"relax"`` and ``"nearest"``: where limits contradict each other soft ones give as little as they can
            (`hcr.Relaxation`).

    >>> import gymnasium, hcr
    >>> from hcr.gymnasium import ConstrainAction
    >>> limits = hcr.Region("param speed in [-8, 8]\\nvar torque\\n-2 <= torque <= 2\\nabs(torque + 0.2*speed) <= 2")
    >>> env = ConstrainAction(gymnasium.make("Pendulum-v1"), limits, lambda observation: observation[2:])
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step([5.0])
    >>> info["constrained"].name
    'FRONTIER'
    """

    def _limit_space(self) -> None:
        region, dtype = self._region, self.env.action_space.dtype or np.float32
        self.action_space = spaces.Box(*_bounds(region, dtype), dtype=dtype) if region.p else RegionSpace(region, dtype)  # type: ignore[arg-type]


class ConstrainActions(_Constrained, gymnasium.vector.VectorWrapper):
    """The same for vectorised environments: one call for all of them. Arguments as for `ConstrainAction`.

    ``info["constrained"]`` has an outcome an environment.
    """


__all__ = ["ConstrainAction", "ConstrainActions", "RegionSpace"]
