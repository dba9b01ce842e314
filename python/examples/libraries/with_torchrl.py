"""TorchRL: soft actor-critic whose actions obey limits that move with the state."""

import torch
from tensordict.nn import TensorDictModule
from torchrl.envs import GymEnv
from torchrl.modules import MLP, NormalParamExtractor, ProbabilisticActor, ValueOperator
from torchrl.objectives import SACLoss

import hcr
from hcr.torch.distributions import Softened

limits = hcr.Region("param speed in [-8, 8]\nvar torque\n-2 <= torque <= 2\nabs(torque + 0.2*speed) <= 2")
obeying = lambda loc, scale, seen: Softened(torch.distributions.Normal(loc, scale), limits, seen[..., 2:], "tanh")  # noqa: E731
body = torch.nn.Sequential(MLP(3, 2, num_cells=[64]), NormalParamExtractor())
net = TensorDictModule(body, ["observation"], ["loc", "scale"])
keys = {"loc": "loc", "scale": "scale", "seen": "observation"}
actor = ProbabilisticActor(net, keys, distribution_class=obeying, return_log_prob=True)
loss = SACLoss(actor, ValueOperator(MLP(4, 1, num_cells=[64]), ["observation", "action"]), target_entropy=-1.0)
env, optimiser, inside = GymEnv("Pendulum-v1"), torch.optim.Adam(loss.parameters(), 1e-3), True
for _ in range(20):
    steps = env.rollout(50, actor).detach()
    inside &= bool(limits.check(steps["action"].numpy(), steps["observation"][:, 2:].numpy()).all())
    optimiser.zero_grad()
    sum(value for name, value in loss(steps).items() if name.startswith("loss_")).backward()
    optimiser.step()
print(inside)
