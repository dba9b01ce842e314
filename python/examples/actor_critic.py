"""Soft actor-critic in one file, whose actions can't leave a region: a pendulum with a motor of limited power.

    pip install './python[examples]'
    python python/examples/actor_critic.py [--steps 8000] [--seed 1] [--onnx FILE] [--c FOLDER]

The actor is a normal distribution of steps from the origin, softened into the region of the state
(`hcr.torch.distributions.Softened`), so that the entropy term has the density of what reaches the motor. The limit
moves with the state: the torque that the power leaves depends on the speed. Every action is checked, decided exactly.
With --onnx the actor is written with its map, and run by onnxruntime on states that it hasn't seen; with --c it is
written as C for a microcontroller, with a program that compares it with torch.
"""

import argparse
import copy
import warnings

try:
    import gymnasium
    import numpy as np
    import torch
    from torch import nn
except ImportError as missing:
    raise SystemExit(f"actor_critic.py needs {missing.name}: pip install './python[examples]'") from None

import hcr
import hcr.torch
from hcr.torch.distributions import Softened

POWER, TORQUE = 6.0, 2.0
LIMITS = hcr.Region(f"""
param most in [{POWER / 8}, {TORQUE}]     # the speed is at most 8
var torque
abs(torque) <= most
""")
START, BATCH, RATE, DISCOUNT, SHARE, WIDTH = 500, 128, 1e-3, 0.99, 0.005, 64


def network(inputs, outputs):
    return nn.Sequential(
        nn.Linear(inputs, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, outputs)
    )


class Actor(nn.Module):
    def __init__(self, observations):
        super().__init__()
        self.body = network(observations, 2 * LIMITS.freedom)

    def distribution(self, observation):
        mean, deviation = self.body(observation).chunk(2, -1)
        base = torch.distributions.Normal(2 * mean, 2 * deviation.clamp(-6, 1).exp())
        return Softened(base, LIMITS, limit_of(observation), validate_args=False)

    def forward(self, observation):
        """What it does when it doesn't explore."""
        return hcr.torch.soften(2 * self.body(observation).chunk(2, -1)[0], LIMITS, limit_of(observation))


def limit_of(observation):
    """The region's parameter: the torque that the power leaves at this speed."""
    return (POWER / observation[..., 2:].abs()).clamp(max=TORQUE)


class Replay:
    def __init__(self, size, observations, random):
        self.columns = [torch.zeros(size, width) for width in (observations, LIMITS.n, 1, observations, 1)]
        self.count, self.random = 0, random

    def add(self, *row):
        for column, value in zip(self.columns, row, strict=True):
            column[self.count % len(column)] = torch.as_tensor(value)
        self.count += 1

    def sample(self):
        rows = self.random.integers(0, min(self.count, len(self.columns[0])), BATCH)
        return [column[rows] for column in self.columns]


class Learner:
    def __init__(self, observations):
        self.actor = Actor(observations)
        self.critics = nn.ModuleList(network(observations + LIMITS.n, 1) for _ in range(2))
        self.targets = copy.deepcopy(self.critics).requires_grad_(False)
        self.log_weight = torch.zeros(1, requires_grad=True)  # of the entropy
        self.optimisers = [torch.optim.Adam(p, RATE) for p in (self.actor.parameters(), self.critics.parameters())]
        self.optimisers.append(torch.optim.Adam([self.log_weight], RATE))

    def value(self, critics, observation, action):
        pairs = torch.cat([observation, action], -1)
        return torch.stack([critic(pairs) for critic in critics])

    def act(self, observation):
        policy = self.actor.distribution(observation)
        action = policy.rsample()
        return action, policy.log_prob(action).unsqueeze(-1)

    def step(self, batch):
        observation, action, reward, after, terminated = batch
        weight = self.log_weight.exp().detach()
        with torch.no_grad():
            then, surprise = self.act(after)
            worth = self.value(self.targets, after, then).amin(0) - weight * surprise
            target = reward + DISCOUNT * (1 - terminated) * worth
        losses = [None, ((self.value(self.critics, observation, action) - target) ** 2).mean(), None]
        chosen, log_prob = self.act(observation)
        losses[0] = (weight * log_prob - self.value(self.critics, observation, chosen).amin(0)).mean()
        losses[2] = -(self.log_weight.exp() * (log_prob.detach() - LIMITS.freedom)).mean()
        for optimiser, loss in reversed(list(zip(self.optimisers, losses, strict=True))):
            optimiser.zero_grad()
            loss.backward(inputs=[p for group in optimiser.param_groups for p in group["params"]])
        for optimiser in self.optimisers:
            optimiser.step()
        with torch.no_grad():
            for target, source in zip(self.targets.parameters(), self.critics.parameters(), strict=True):
                target.lerp_(source, SHARE)


def train(steps, seed):
    """The learner, returns of the episodes, and how many actions were outside."""
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    env = gymnasium.make("Pendulum-v1")
    observation, _ = env.reset(seed=seed)
    learner, returns, outside = Learner(len(observation)), [0.0], 0
    replay = Replay(steps, len(observation), random)
    for step in range(steps):
        x = limit_of(torch.from_numpy(observation)).numpy()
        if step < START:
            action = LIMITS.sample(1, random, x)[0].astype(np.float32)
        else:
            with torch.no_grad():
                action = learner.act(torch.from_numpy(observation))[0].numpy()
        outside += not LIMITS.check(action, x)
        after, reward, terminated, truncated, _ = env.step(action)
        returns[-1] += float(reward)
        replay.add(observation, action, reward, after, float(terminated))
        observation = after
        if terminated or truncated:
            observation, _ = env.reset()
            returns.append(0.0)
            if len(returns) % 10 == 1:
                print(f"step {step + 1}: return of the last ten episodes {np.mean(returns[-11:-1]):.0f}", flush=True)
        if step >= START:
            learner.step(replay.sample())
    return learner, returns[:-1], outside


def write(actor, file):
    """The actor with its map as an ONNX file; whether onnxruntime's actions are all inside."""
    import onnxruntime

    random = np.random.default_rng(9)
    angle, speed = random.uniform(-np.pi, np.pi, 1000), random.uniform(-8, 8, 1000)
    states = np.stack([np.cos(angle), np.sin(angle), speed], 1).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's: there is another exporter, which needs onnxscript
        torch.onnx.export(
            actor, (torch.from_numpy(states),), file, dynamo=False, input_names=["state"], output_names=["torque"],
            dynamic_axes={"state": {0: "rows"}, "torque": {0: "rows"}},
        )  # fmt: skip
    session = onnxruntime.InferenceSession(file)
    actions = session.run(None, {"state": states})[0]
    inside = bool(LIMITS.check(actions, limit_of(torch.from_numpy(states)).numpy()).all())
    print(f"{file}: 1,000 actions by onnxruntime, all inside, decided exactly: {inside}")
    return inside


def write_c(actor, folder):
    """The actor with its map as C, in single precision."""
    mean = nn.Linear(WIDTH, LIMITS.freedom)
    with torch.no_grad():
        mean.weight.copy_(2 * actor.body[-1].weight[: LIMITS.freedom])
        mean.bias.copy_(2 * actor.body[-1].bias[: LIMITS.freedom])
    network = nn.Sequential(*actor.body[:-1], mean)
    hcr.torch.export_c(network, folder, LIMITS, "soften", name="pilot")
    print(f"{folder}: cc pilot.c pilot_policy.c pilot_policy_test.c -lm")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--steps", type=int, default=8000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--onnx", metavar="FILE")
    arguments.add_argument("--c", metavar="FOLDER")
    options = arguments.parse_args()
    learner, returns, outside = train(options.steps, options.seed)
    print(f"returns of the last episodes: {np.round(returns[-5:]).tolist()}")
    print(f"{options.steps} steps, every action inside, decided exactly: {outside == 0}")
    assert outside == 0
    if options.onnx:
        assert write(learner.actor.eval(), options.onnx)
    if options.c:
        write_c(learner.actor, options.c)


if __name__ == "__main__":
    main()
