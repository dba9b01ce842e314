"""What a step of soft actor-critic costs with `hcr.stable_baselines3.SACPolicy`, beside the usual policy.

    python bench/policy_step.py [--rounds 400] [--task pendulum|arm]

The tasks and networks of python/examples/reinforcement.py, two layers of 64 units and batches of 128. Both train in
turns, a step each: the action, the environment's step, and the step of training. Printed are medians of the thread's
time, which leaves out what other processes take, in microseconds, and their ratio. The usual policy goes once through
the wrapper that takes its actions inside, and once without it.
"""

import argparse
import importlib.util
import pathlib
import time

import gymnasium
import hcr
import numpy as np
import torch
from hcr.gymnasium import ConstrainAction
from hcr.stable_baselines3 import SACPolicy
from stable_baselines3 import SAC

EXAMPLE = pathlib.Path(__file__).resolve().parents[1] / "python" / "examples" / "reinforcement.py"
spec = importlib.util.spec_from_file_location("reinforcement", EXAMPLE)
reinforcement = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reinforcement)


def learner(task, way):
    name, text, parameters, _ = reinforcement.TASKS[task]
    region, env = hcr.Region(text), gymnasium.make(name)
    if way != "bare":
        env = ConstrainAction(env, region, parameters)
    limits = {"region": region, "parameters": parameters} if way == "softened" else {}
    made = SAC(
        SACPolicy if way == "softened" else "MlpPolicy", env, policy_kwargs={"net_arch": [64, 64], **limits},
        learning_starts=100, learning_rate=1e-3, batch_size=128, seed=0, device="cpu",
    )  # fmt: skip
    return made.learn(150)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=400)
    arguments.add_argument("--task", choices=reinforcement.TASKS, action="append", help="one of them; both without it")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    for task in options.task or reinforcement.TASKS:
        learners = {way: learner(task, way) for way in ("softened", "wrapped", "bare")}
        seen = {way: model.env.reset() for way, model in learners.items()}
        spent = {way: [] for way in learners}
        for _ in range(options.rounds):
            for way, model in learners.items():
                times = [time.thread_time()]
                action, _ = model.predict(seen[way])
                times.append(time.thread_time())
                seen[way], *_ = model.env.step(action)
                times.append(time.thread_time())
                model.train(1, 128)
                times.append(time.thread_time())
                spent[way].append([*np.diff(times), times[-1] - times[0]])
        medians = {way: 1e6 * np.median(times, 0) for way, times in spent.items()}
        for k, part in enumerate(("action", "environment", "training", "all")):
            mine, wrapped, bare = (medians[way][k] for way in ("softened", "wrapped", "bare"))
            print(
                f"{task:9} {part:11} softened {mine:6.0f}, usual in the wrapper {wrapped:6.0f} ({mine / wrapped:.3f}), "
                f"without it {bare:6.0f} ({mine / bare:.3f})",
                flush=True,
            )


if __name__ == "__main__":
    main()
