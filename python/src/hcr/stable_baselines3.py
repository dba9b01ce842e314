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

import copy
import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ._relaxation import OnEmpty
from .region import Region, needs_region
from .torch.c_export import export_c as write
from .torch.distributions import SoftenTransform

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
        on_empty: as for `SACPolicy`.

    Attributes:
        x: the parameters of the batch at hand, set by the policy, which has the observations.
    """

    def __init__(self, region: Region, on_empty: OnEmpty = "nan") -> None:
        needs_region(region, "SoftenedDistribution")
        super().__init__(region.freedom)
        self._transform = SoftenTransform(region, None, "tanh", cache_size=0, on_empty=on_empty)
        self.x: Tensor | None = None
        width = (region.bounds[1] - region.bounds[0])[region.free] / 2
        self._scale = torch.from_numpy(np.where(np.isfinite(width), width, 1).astype(np.float32))
        self._log_unit = self._scale.log().sum().item()

    def proba_distribution(self, mean_actions: Tensor, log_std: Tensor) -> SoftenedDistribution:
        self._scale = self._scale.to(mean_actions.device)
        self._mean, self._log_std = mean_actions, log_std
        self._transform.x = None if self.x is None else self.x.to(mean_actions.dtype)
        return self

    @property
    def _normal(self) -> torch.distributions.Normal:
        """Of steps from the origin."""
        scale = self._scale
        return torch.distributions.Normal(scale * self._mean, scale * self._log_std.exp(), validate_args=False)

    def _draw(self) -> tuple[Tensor, Tensor]:
        """Steps from the origin, and the normal numbers that they are of."""
        noise = torch.randn_like(self._mean)
        return self._scale * (self._mean + self._log_std.exp() * noise), noise

    def sample(self) -> Tensor:
        y: Tensor = self._transform(self._draw()[0])
        return y

    def mode(self) -> Tensor:
        y: Tensor = self._transform(self._scale * self._mean)
        return y

    def log_prob_from_params(self, mean_actions: Tensor, log_std: Tensor) -> tuple[Tensor, Tensor]:
        """Actions and their log-probabilities, computed from the noise, without rounding: SAC's."""
        self.proba_distribution(mean_actions, log_std)
        v, noise = self._draw()
        y, determinant = self._transform.forward_and_log_det(v)
        base = (-0.5 * noise.square() - log_std).sum(-1) - 0.5 * math.log(2 * math.pi) * self.action_dim
        return y, self._where_chosen(base - determinant, y, determinant)

    def log_prob(self, actions: Tensor) -> Tensor:
        """Of the actions as they are rounded: PPO keeps them, and compares log-probabilities of then and later."""
        v, middle = self._transform.inv(actions), torch.zeros_like(self._mean)
        if self._may_lack_density:
            at_middle = self._transform.forward_and_log_det(middle)
            v = torch.where(self._lacks_density(*at_middle).unsqueeze(-1), middle, v)  # so that no derivative is NaN
        log_prob = self._normal.log_prob(v).sum(-1) - self._transform.log_abs_det_jacobian(v, actions) + self._log_unit
        return self._where_chosen(log_prob, *at_middle) if self._may_lack_density else log_prob

    def entropy(self) -> Tensor:
        v, _ = self._draw()  # one sample each: the minibatch is what takes the mean
        y, determinant = self._transform.forward_and_log_det(v)
        return self._where_chosen(self._normal.entropy().sum(-1) + determinant - self._log_unit, y, determinant)

    @property
    def _may_lack_density(self) -> bool:
        transform = self._transform
        return transform.x is not None and (transform.on_empty != "nan" or transform.region.origin_form == "checked")

    @staticmethod
    def _lacks_density(y: Tensor, determinant: Tensor) -> Tensor:
        return determinant.isnan() & y.isfinite().all(-1)

    def _where_chosen(self, log_prob: Tensor, y: Tensor, determinant: Tensor) -> Tensor:
        """0 for actions without a density, where limits contradict each other or leave an output a single value."""
        if not self._may_lack_density:
            return log_prob
        return torch.where(self._lacks_density(y, determinant), 0.0, log_prob)


class _Limited:
    """The policies' arguments."""

    def __init__(
        self,
        *arguments: Any,
        region: Region,
        parameters: Parameters | None = None,
        on_empty: OnEmpty = "nan",
        **others: Any,
    ) -> None:
        self._limits: dict[str, Any] = {"region": region, "parameters": parameters, "on_empty": on_empty}
        super().__init__(*arguments, **others)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), **self._limits}  # type: ignore[misc]

    def _parameters_of(self, obs: Any) -> Tensor | None:
        parameters = self._limits["parameters"]
        return None if parameters is None else parameters(obs)


class _Actor(_Limited, sac.Actor):
    def __init__(self, *arguments: Any, **others: Any) -> None:
        super().__init__(*arguments, **others)
        if self.use_sde:
            raise ValueError("use_sde has no density on a region: leave it out")
        region = self._limits["region"]
        self.action_dist = SoftenedDistribution(region, self._limits["on_empty"])  # type: ignore[assignment]
        features = self.net_arch[-1] if self.net_arch else self.features_dim
        self.mu = torch.nn.Linear(features, region.freedom)
        self.log_std = torch.nn.Linear(features, region.freedom)

    def get_action_dist_params(self, obs: Any) -> Any:
        self.action_dist.x = self._parameters_of(obs)
        return super().get_action_dist_params(obs)


class SACPolicy(_Limited, sac.SACPolicy):
    """For SAC: ``SAC(SACPolicy, env, policy_kwargs={"region": region})``.

    Args:
        region: the region; its outputs are the actions.
        parameters: from a batch of observations to the region's parameters (…, p), when it has such.
        on_empty: ``"relax"`` and ``"nearest"``: in states whose limits contradict each other soft ones give as little
            as they can (`hcr.Relaxation`). Without it such a state is an error of Stable-Baselines3, about NaN.

    Other arguments are those of Stable-Baselines3's policy.
    """

    # Actions are the environment's own in the replay buffer and the critics, too: scaled ones lose their last bit.
    def scale_action(self, action: Any) -> Any:
        return action

    def unscale_action(self, scaled_action: Any) -> Any:
        return scaled_action

    def make_actor(self, features_extractor: Any = None) -> _Actor:
        options = self._update_features_extractor(self.actor_kwargs, features_extractor)
        return _Actor(**options, **self._limits).to(self.device)


class PPOPolicy(_Limited, ActorCriticPolicy):
    """For PPO and A2C: ``PPO(PPOPolicy, env, policy_kwargs={"region": region})``. Arguments as for `SACPolicy`."""

    def _build(self, lr_schedule: Any) -> None:
        self.action_dist = SoftenedDistribution(self._limits["region"], self._limits["on_empty"])
        super()._build(lr_schedule)

    def forward(self, obs: Any, deterministic: bool = False) -> Any:
        self.action_dist.x = self._parameters_of(obs)
        return super().forward(obs, deterministic)

    def evaluate_actions(self, obs: Any, actions: Tensor) -> Any:
        self.action_dist.x = self._parameters_of(obs)
        return super().evaluate_actions(obs, actions)

    def get_distribution(self, obs: Any) -> Any:
        self.action_dist.x = self._parameters_of(obs)
        return super().get_distribution(obs)


def export_c(model: Any, folder: str | os.PathLike[str], **options: Any) -> None:
    """Writes what a trained model of `SACPolicy` or `PPOPolicy` does without exploring as C: `hcr.torch.export_c`.

    Args:
        model: of Stable-Baselines3. Observations are vectors.
        folder, options: as for `hcr.torch.export_c`.
    """
    policy = model.policy
    if isinstance(policy, SACPolicy):
        layers, distribution = [policy.actor.latent_pi, policy.actor.mu], policy.actor.action_dist
    else:
        layers, distribution = [policy.mlp_extractor.policy_net, policy.action_net], policy.action_dist
    network, scale = torch.nn.Sequential(*copy.deepcopy(layers)).cpu(), distribution._scale.cpu()
    last = network[-1]
    assert isinstance(last, torch.nn.Linear)
    with torch.no_grad():
        last.weight.mul_(scale[:, None])
        last.bias.mul_(scale)
    write(network, folder, policy._limits["region"], "tanh", **options)


__all__ = ["PPOPolicy", "SACPolicy", "SoftenedDistribution", "export_c"]
