"""Action spaces and wrappers for Gymnasium, and policies for Stable-Baselines3: no action is outside, ever."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import hcr

gymnasium = pytest.importorskip("gymnasium")

from hcr.gymnasium import ConstrainAction, ConstrainActions, RegionSpace

SIMPLEX = hcr.Region("var y[3]\ny >= 0\nsum(y) == 1")
MOVING = hcr.Region("param speed in [-8, 8]\nvar torque\n-2 <= torque <= 2\nabs(torque + 0.2*speed) <= 2")


def speed(observation):
    return observation[..., 2:]


class Watched(gymnasium.Wrapper):
    """Notes every action that reaches the environment, and what it was that had to hold."""

    def __init__(self, env, region, parameters=None):
        super().__init__(env)
        self.region, self.parameters, self.steps, self.outside, self.seen = region, parameters, 0, 0, None

    def reset(self, **options):
        self.seen, info = self.env.reset(**options)
        return self.seen, info

    def step(self, action):
        x = None if self.parameters is None else self.parameters(self.seen)
        self.steps += 1
        self.outside += not self.region.check(np.asarray(action), x)
        self.seen, *rest = self.env.step(action)
        return (self.seen, *rest)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("region", [SIMPLEX, hcr.Region("var y[2]\nnorm(y - 0.1) <= 0.3")])
def test_space(region, dtype):
    space = RegionSpace(region, dtype, seed=3)
    drawn = np.array([space.sample() for _ in range(200)])
    assert drawn.dtype == dtype
    assert region.check(drawn).all()
    assert all(y in space for y in drawn)
    assert (drawn >= space.low).all() and (drawn <= space.high).all()
    again = RegionSpace(region, dtype, seed=3)
    assert again == space
    assert np.array_equal(again.sample(), drawn[0])
    assert np.full(region.n, 9.0) not in space
    assert "x" not in space
    assert np.zeros(region.n + 1) not in space
    flat = gymnasium.spaces.flatten(space, drawn[0])
    assert np.array_equal(flat, drawn[0])
    assert pickle.loads(pickle.dumps(space)) == space


def test_space_refuses_parameters():
    with pytest.raises(hcr.Error, match=r"region\.at"):
        RegionSpace(MOVING)
    assert RegionSpace(MOVING.at([1.0])).sample().shape == (1,)


@pytest.mark.parametrize("map", ["contract", "project"])
def test_wrapper(map):
    watched = Watched(gymnasium.make("Pendulum-v1").unwrapped, MOVING, speed)
    env = ConstrainAction(watched, MOVING, speed, map=map)
    observation, _ = env.reset(seed=1)
    random = np.random.default_rng(1)
    moved = 0
    for _ in range(400):
        action = random.normal(0, 3, 1).astype(np.float32)
        inside = MOVING.check(action, speed(observation))
        observation, *_, info = env.step(action)
        assert (info["constrained"] == hcr.Outcome.INSIDE) == inside
        moved += not inside
    assert (watched.steps, watched.outside) == (400, 0)
    assert 0 < moved < 400


def test_wrapper_without_an_action():
    tight = hcr.Region("param cap in [-1, 2]\nvar torque\n0 <= torque <= cap")
    arguments = gymnasium.make("Pendulum-v1"), tight, lambda observation: [-0.5]
    env = ConstrainAction(*arguments)
    env.reset(seed=1)
    with pytest.raises(hcr.Error, match="NO_ORIGIN"):
        env.step([0.5])
    env = ConstrainAction(*arguments, fallback=lambda observation, action: [0.0])
    env.reset(seed=1)
    assert env.step([0.5])[-1]["constrained"] == hcr.Outcome.NO_ORIGIN
    env = ConstrainAction(gymnasium.make("Pendulum-v1"), hcr.Region("var torque\n-1 <= torque <= 1"))
    env.reset(seed=1)
    with pytest.raises(hcr.Error, match="BAD_VALUE"):
        env.step([np.nan])
    with pytest.raises(hcr.Error, match="parameters"):
        ConstrainAction(gymnasium.make("Pendulum-v1"), MOVING)


def test_vector_wrapper():
    vector = gymnasium.make_vec("Pendulum-v1", num_envs=5)
    env = ConstrainActions(vector, MOVING, speed)
    observation, _ = env.reset(seed=1)
    random = np.random.default_rng(2)
    for _ in range(20):
        action = random.normal(0, 3, (5, 1)).astype(np.float32)
        expected = MOVING.check(action, speed(observation))
        observation, *_, info = env.step(action)
        assert np.array_equal(info["constrained"] == hcr.Outcome.INSIDE, expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("algorithm", ["SAC", "PPO"])
@pytest.mark.parametrize("moving", [False, True])
def test_policies(algorithm, moving, tmp_path):
    pytest.importorskip("torch")
    baselines = pytest.importorskip("stable_baselines3")
    from hcr.stable_baselines3 import PPOPolicy, SACPolicy

    region = MOVING if moving else hcr.Region("var torque\n-1.3 <= torque <= 0.7")
    options = {"region": region, **({"parameters": speed} if moving else {})}
    watched = Watched(gymnasium.make("Pendulum-v1").unwrapped, region, speed if moving else None)
    policy, arguments = {
        "SAC": (SACPolicy, {"learning_starts": 50, "batch_size": 32}),
        "PPO": (PPOPolicy, {"n_steps": 64, "batch_size": 32, "n_epochs": 2}),
    }[algorithm]
    env = gymnasium.wrappers.TimeLimit(ConstrainAction(watched, region, speed if moving else None), 100)
    model = getattr(baselines, algorithm)(
        policy, env, policy_kwargs={**options, "net_arch": [32]}, seed=1, device="cpu", **arguments
    )
    model.learn(200)
    assert watched.steps >= 200
    assert watched.outside == 0
    observation, _ = env.reset(seed=2)
    action = model.predict(observation, deterministic=True)[0]
    assert region.check(action, speed(observation) if moving else None)
    model.save(tmp_path / "model.zip")
    loaded = getattr(baselines, algorithm).load(tmp_path / "model.zip")
    assert np.array_equal(loaded.predict(observation, deterministic=True)[0], action)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("on_empty", ["relax", "nearest"])
@pytest.mark.parametrize("algorithm", ["SAC", "PPO"])
def test_policies_where_limits_contradict(algorithm, on_empty):
    """A brake that has to give more than it can: it gives what it can, and training goes on without a NaN."""
    torch = pytest.importorskip("torch")
    baselines = pytest.importorskip("stable_baselines3")
    from hcr.stable_baselines3 import PPOPolicy, SACPolicy

    region = hcr.Region("param speed in [-8, 8]\nvar torque\n-2 <= torque <= 2\nsoft: torque <= 1 - speed")

    class Fast(gymnasium.Wrapper):
        """A pendulum that begins at full speed: its limits contradict each other above 3."""

        def __init__(self):
            super().__init__(gymnasium.make("Pendulum-v1").unwrapped)
            self.empty, self.steps = 0, 0

        def reset(self, **options):
            self.seen, info = self.env.reset(**options)
            self.env.state[1] = 7.0
            self.seen = self.env._get_obs()
            return self.seen, info

        def step(self, action):
            most = max(1 - float(self.seen[2]), -2)
            assert -2 <= action[0] <= 2 and action[0] <= most + 1e-3 * (most == -2)  # relaxed: but for the room
            self.empty += self.seen[2] > 3
            self.steps += 1
            self.seen, *rest = self.env.step(action)
            return (self.seen, *rest)

    env = Fast()
    limited = ConstrainAction(gymnasium.wrappers.TimeLimit(env, 20), region, speed, on_empty=on_empty)
    policy, arguments = {
        "SAC": (SACPolicy, {"learning_starts": 20, "batch_size": 32}),
        "PPO": (PPOPolicy, {"n_steps": 64, "batch_size": 32, "n_epochs": 2}),
    }[algorithm]
    options = {"region": region, "parameters": speed, "on_empty": on_empty, "net_arch": [16]}
    model = getattr(baselines, algorithm)(policy, limited, policy_kwargs=options, seed=1, device="cpu", **arguments)
    model.learn(100)
    assert env.steps >= 100 and 5 < env.empty < env.steps
    assert all(torch.isfinite(parameter).all() for parameter in model.policy.parameters())
    observation = np.array([1.0, 0.0, 7.0], np.float32)
    assert model.predict(observation, deterministic=True)[0] == pytest.approx(-2, abs=1e-3)
