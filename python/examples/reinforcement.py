"""Soft actor-critic that can't leave its limits, while it learns: a pendulum and an arm with little power.

    pip install './python[examples,plot]'
    python python/examples/reinforcement.py [--task pendulum|arm] [--steps 8000] [--seeds 5] [--picture FILE]
        [--film FILE.gif]

Both motors have a limit of power, torque times speed, that moves with the state; the arm's torques are in a disc, too.
Four ways to keep to that, each trained from as many seeds:

    softened    hcr.stable_baselines3.SACPolicy: the policy's own distribution ends inside, its density is exact
    contract    the usual policy in the box; a wrapper takes each action inside along a ray, which the policy ignores
    project     the same to the nearest action inside
    clip        the usual policy, each torque clipped to its own limits, as is often done: that forgets the disc

The pendulum has one torque: there contract, project and clip are the same. Every action that reaches the environment
is checked, decided exactly. The film is what the arm has learnt, softened, with the torques that its power leaves.
"""

import argparse
import json
import pathlib
import time

try:
    import gymnasium
    import numpy as np
    import torch
    from stable_baselines3 import SAC
except ImportError as missing:
    raise SystemExit(f"reinforcement.py needs {missing.name}: pip install './python[examples]'") from None

import hcr
from hcr.gymnasium import ConstrainAction
from hcr.stable_baselines3 import SACPolicy

TASKS = {
    "pendulum": (
        "Pendulum-v1",
        """
        param speed in [-8, 8]
        var torque
        -2 <= torque <= 2
        abs(speed * torque) <= 6
        """,
        lambda observation: observation[..., 2:],
        ("softened", "contract"),
    ),
    "arm": (
        "Reacher-v5",
        """
        param speed[2] in [-200, 200]
        var torque[2]
        norm(torque) <= 1
        abs(speed * torque) <= 1
        """,
        lambda observation: observation[..., 6:8],
        ("softened", "contract", "project", "clip"),
    ),
}


class Check(gymnasium.Wrapper):
    """Counts the steps and those with an action outside, and keeps returns."""

    def __init__(self, env, region, parameters):
        super().__init__(env)
        self.region, self.parameters = region, parameters
        self.steps, self.outside, self.returns = 0, 0, []

    def reset(self, **options):
        self.seen, info = self.env.reset(**options)
        self.returns.append(0.0)
        return self.seen, info

    def step(self, action):
        self.steps += 1
        self.outside += not self.region.check(np.asarray(action), self.parameters(self.seen))
        self.seen, reward, *rest = self.env.step(action)
        self.returns[-1] += float(reward)
        return (self.seen, reward, *rest)


class Clip(gymnasium.ActionWrapper):
    """Clips each torque to 1 and to what the power leaves at its speed."""

    def __init__(self, env, parameters):
        super().__init__(env)
        self.parameters = parameters

    def action(self, action):
        most = 1 / np.maximum(np.abs(self.parameters(self.env.seen)), 1)
        return np.clip(action, -most, most).astype(action.dtype)


def train(task, way, seed, steps):
    """Trains; returns of the episodes, of up to twenty more without exploring, steps outside, seconds a step."""
    name, text, parameters, _ = TASKS[task]
    region = hcr.Region(text)
    check = Check(gymnasium.make(name), region, parameters)
    if way == "clip":
        env = Clip(check, parameters)
    else:
        env = ConstrainAction(check, region, parameters, map="project" if way == "project" else "contract")
    options = {"net_arch": [64, 64]}
    if way == "softened":
        options |= {"region": region, "parameters": parameters}
    model = SAC(
        SACPolicy if way == "softened" else "MlpPolicy",
        env,
        policy_kwargs=options,
        learning_starts=500,
        learning_rate=1e-3,
        batch_size=128,
        seed=seed,
        device="cpu",
    )
    started = time.perf_counter()
    model.learn(steps)
    seconds = (time.perf_counter() - started) / steps
    learnt = check.returns[:-1]
    check.returns, seen = [], []
    for episode in range(max(1, min(20, steps // 250))):
        observation, _ = env.reset(seed=1000 + episode)
        done = False
        while not done:
            action, _ = model.predict(observation, deterministic=True)
            seen.append([*observation.tolist(), *np.asarray(action).tolist()])
            observation, _, terminated, truncated, _ = env.step(action)
            done = terminated or truncated
    return {
        "learnt": learnt,
        "return": float(np.mean(check.returns)),
        "steps": check.steps,
        "outside": check.outside,
        "seconds": seconds,
        "seen": seen[:300],  # for the film
    }


def interval(values):
    """Mean and half the width of its 95 % interval."""
    quantile = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78}.get(len(values), 2.0)
    return np.mean(values), quantile * np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan


def draw(found, file):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(found), figsize=(5 * len(found), 3.4), squeeze=False, layout="constrained")
    for axis, (task, ways) in zip(axes[0], found.items(), strict=True):
        for way, runs in ways.items():
            episodes = min(len(run["learnt"]) for run in runs)
            window = max(episodes // 20, 1)
            curves = np.array(
                [np.convolve(run["learnt"][:episodes], np.ones(window) / window, "valid") for run in runs]
            )
            at = np.arange(curves.shape[1]) + window
            (line,) = axis.plot(at, curves.mean(0), label=way)
            axis.fill_between(at, curves.min(0), curves.max(0), color=line.get_color(), alpha=0.15, lw=0)
        axis.set(title=f"{TASKS[task][0]}, limited power", xlabel="episode", ylabel="return")
        axis.grid(alpha=0.3)
    axes[0][-1].legend(frameon=False, loc="lower right")
    figure.savefig(file, dpi=130)
    print(f"{file}: mean and range over the seeds")


def film(run, file):
    """The arm and its goal, and its torques in the disc and the power that its joints' speeds leave."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation, PillowWriter

    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.6))
    figure.subplots_adjust(0.02, 0.1, 0.98, 0.9)

    def frame(at):
        cos0, cos1, sin0, sin1, *goal, speed0, speed1 = run["seen"][at][:8]
        torque = run["seen"][at][-2:]
        first = np.arctan2(sin0, cos0)
        angles = np.array([first, first + np.arctan2(sin1, cos1)])
        joints = np.cumsum(
            [[0, 0], *(np.array([0.1, 0.11])[:, None] * np.stack([np.cos(angles), np.sin(angles)], 1))], 0
        )
        for axis in (left, right):
            axis.clear()
        left.plot(*joints.T, "o-", color="tab:blue", lw=4)
        left.plot(*goal[:2], "*", color="tab:green", ms=12)
        left.set(xlim=(-0.24, 0.24), ylim=(-0.24, 0.24), aspect="equal", xticks=[], yticks=[], title="the arm")
        most = [min(1, 1 / max(abs(speed), 1)) for speed in (speed0, speed1)]
        box = plt.Rectangle((-most[0], -most[1]), 2 * most[0], 2 * most[1], color="tab:blue", alpha=0.25)
        disc = plt.Circle((0, 0), 1, fill=False, color="0.6")
        right.add_patch(disc)
        right.add_patch(box)
        box.set_clip_path(disc)
        right.plot(*torque, "o", color="tab:red")
        right.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal", title="torques, and what power leaves")

    frames = range(len(run["seen"]))
    FuncAnimation(figure, frame, frames).save(file, PillowWriter(15), dpi=80)
    print(f"{file}: {len(frames)} steps")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--task", choices=TASKS, action="append", help="one of them; both without it")
    arguments.add_argument("--steps", type=int, default=8000)
    arguments.add_argument("--seeds", type=int, default=1)
    arguments.add_argument("--picture", type=pathlib.Path)
    arguments.add_argument("--film", type=pathlib.Path, help="a GIF of the arm, softened")
    arguments.add_argument("--keep", type=pathlib.Path, help="a JSON file of finished runs, to go on from")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    done = json.loads(options.keep.read_text()) if options.keep and options.keep.exists() else {}
    found = {task: {way: [] for way in TASKS[task][3]} for task in options.task or TASKS}
    for seed in range(options.seeds):
        for task, ways in found.items():
            for way in ways:
                key = f"{task} {way} {seed} {options.steps}"
                if key not in done:
                    done[key] = train(task, way, seed, options.steps)
                    if options.keep:
                        options.keep.with_suffix(".new").write_text(json.dumps(done))
                        options.keep.with_suffix(".new").replace(options.keep)
                run = done[key]
                ways[way].append(run)
                print(f"{task:9} seed {seed} {way:9} return {run['return']:8.1f}, outside {run['outside']}", flush=True)
    none = True
    print(f"\n{'task':9} {'way':9} {'return':>22} {'steps':>8} {'outside':>8} {'ms a step':>10}")
    for task, ways in found.items():
        for way, runs in ways.items():
            mean, half = interval([run["return"] for run in runs])
            steps, outside = (sum(run[what] for run in runs) for what in ("steps", "outside"))
            seconds = np.median([run["seconds"] for run in runs])
            print(f"{task:9} {way:9} {mean:13.1f} ± {half:6.1f} {steps:8} {outside:8} {1e3 * seconds:10.2f}")
            none = none and (outside == 0 or way == "clip")
    print(f"every action inside but for clipped ones, decided exactly: {none}")
    assert none
    if options.picture:
        draw(found, options.picture)
    if options.film and "arm" in found:
        film(found["arm"]["softened"][-1], options.film)


if __name__ == "__main__":
    main()
