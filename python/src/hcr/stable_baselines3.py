"""Policies for Stable-Baselines3 whose actions can't leave a region, with the right log-probability.

    pip install 'hcr[stable-baselines3]'

    limits = hcr.Region("var torque\\n-2 <= torque <= 2")
    SAC(SACPolicy, env, policy_kwargs={"region": limits}).learn(10_000)
    PPO(PPOPolicy, env, policy_kwargs={"region": limits}).learn(10_000)

Steps are normal in the region's free outputs, times the half widths of its bounds, and end inside by tanh along the ray
(`hcr.torch.distributions.Softened`): in an interval that is Stable-Baselines3's own squashed Gaussian. Limits that
depend on the state are parameters: ``"parameters"`` is a function from a batch of observations to them. Random actions
of a warm-up come from the environment's action space: `hcr.gymnasium.ConstrainAction` takes these inside too, and what
TD3 and DDPG make of noise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .region import Region, needs_region
from .torch.distributions import Softened

try:
    from stable_baselines3.common.distributions import DiagGaussianDistribution
    from stable_baselines3.common.policies import ActorCriticPolicy
    from stable_baselines3.sac import policies as sac
except ImportError as missing:  # pragma: no cover
    raise ImportError(
        "hcr.stable_baselines3 needs stable-baselines3: pip install 'hcr[stable-baselines3]'"
    ) from missing

Parameters = Callable[[Any], Tensor]


class SoftenedDistribution(DiagGaussianDistribution):
    """`Softened` with the interface of Stable-Baselines3.

    Log-probabilities and entropies are by actions in units of the half widths of their bounds, as Stable-Baselines3 has
    them: an entropy target means the same here.

    Args:
        region: the region.
        from_actions: compute every log-probability from the rounded action, also that of the one drawn last: PPO keeps
            actions and compares log-probabilities of then and later, which have to be of the same.

    Attributes:
        x: the parameters of the batch at hand, set by the policy, which has the observations.
    """

    def __init__(self, region: Region, from_actions: bool = False) -> None:
        needs_region(region, "SoftenedDistribution")
        super().__init__(region.freedom)
        self.region, self.from_actions = region, from_actions
        self.x: Tensor | None = None
        width = (region.bounds[1] - region.bounds[0])[region.free] / 2
        self._scale = torch.from_numpy(np.where(np.isfinite(width), width, 1).astype(np.float32))
        self._log_unit = self._scale.log().sum().item()

    def proba_distribution(self, mean_actions: Tensor, log_std: Tensor) -> SoftenedDistribution:
        scale = self._scale.to(mean_actions.device)
        normal = torch.distributions.Normal(scale * mean_actions, scale * log_std.exp(), validate_args=False)
        x = None if self.x is None else self.x.to(mean_actions.dtype)
        self.distribution = Softened(normal, self.region, x, "tanh", validate_args=False)
        return self

    def log_prob(self, actions: Tensor) -> Tensor:
        log_prob: Tensor = self.distribution.log_prob(actions.clone() if self.from_actions else actions)
        return log_prob + self._log_unit

    def entropy(self) -> Tensor:
        entropy: Tensor = self.distribution.entropy(samples=1)  # the minibatch is what takes the mean
        return entropy - self._log_unit

    def mode(self) -> Tensor:
        return self.distribution.mode


class _Actor(sac.Actor):
    def __init__(self, *arguments: Any, region: Region, parameters: Parameters | None = None, **others: Any) -> None:
        super().__init__(*arguments, **others)
        if self.use_sde:
            raise ValueError("use_sde has no density on a region: leave it out")
        self.region, self.parameters_of = region, parameters
        self.action_dist = SoftenedDistribution(region)  # type: ignore[assignment]
        features = self.net_arch[-1] if self.net_arch else self.features_dim
        self.mu = torch.nn.Linear(features, region.freedom)
        self.log_std = torch.nn.Linear(features, region.freedom)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), "region": self.region, "parameters": self.parameters_of}

    def get_action_dist_params(self, obs: Any) -> Any:
        self.action_dist.x = None if self.parameters_of is None else self.parameters_of(obs)
        return super().get_action_dist_params(obs)


class _Unscaled:
    """Actions are the environment's own in the replay buffer and the critics, too: scaled ones lose their last bit."""

    def scale_action(self, action: Any) -> Any:
        return action

    def unscale_action(self, scaled_action: Any) -> Any:
        return scaled_action


class SACPolicy(_Unscaled, sac.SACPolicy):
    """For SAC: ``SAC(SACPolicy, env, policy_kwargs={"region": region})``.

    Args:
        region: the region; its outputs are the actions.
        parameters: from a batch of observations to the region's parameters (…, p), when it has such.

    Other arguments are those of Stable-Baselines3's policy.
    """

    def __init__(self, *arguments: Any, region: Region, parameters: Parameters | None = None, **others: Any) -> None:
        self._region: dict[str, Any] = {"region": region, "parameters": parameters}
        super().__init__(*arguments, **others)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), **self._region}

    def make_actor(self, features_extractor: Any = None) -> _Actor:
        options = self._update_features_extractor(self.actor_kwargs, features_extractor)
        return _Actor(**options, **self._region).to(self.device)


class PPOPolicy(ActorCriticPolicy):
    """For PPO and A2C: ``PPO(PPOPolicy, env, policy_kwargs={"region": region})``. Arguments as for `SACPolicy`."""

    def __init__(self, *arguments: Any, region: Region, parameters: Parameters | None = None, **others: Any) -> None:
        self._region: dict[str, Any] = {"region": region, "parameters": parameters}
        super().__init__(*arguments, **others)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), **self._region}

    def _build(self, lr_schedule: Any) -> None:
        self.action_dist = SoftenedDistribution(self._region["region"], from_actions=True)
        super()._build(lr_schedule)

    def _look(self, obs: Any) -> None:
        parameters = self._region["parameters"]
        self.action_dist.x = None if parameters is None else parameters(obs)

    def forward(self, obs: Any, deterministic: bool = False) -> Any:
        self._look(obs)
        return super().forward(obs, deterministic)

    def evaluate_actions(self, obs: Any, actions: Tensor) -> Any:
        self._look(obs)
        return super().evaluate_actions(obs, actions)

    def get_distribution(self, obs: Any) -> Any:
        self._look(obs)
        return super().get_distribution(obs)


__all__ = ["PPOPolicy", "SACPolicy", "SoftenedDistribution"]
