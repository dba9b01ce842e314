"""A portfolio that learns under rules: shares that sum to one, none bought above 15 %, none moved by more than 5 %.

    pip install './python[examples,plot]'
    python python/examples/portfolio.py [--steps 20000] [--seeds 2] [--picture FILE.png] [--film FILE.gif]

Weekly prices of 20 companies of the S&P 500, 1990 to 2022, as the package skfolio brings them. PPO learns until 2013;
what follows is the test, beside the usual policy whose actions are clipped and divided by their sum, and beside equal
shares. Every week's shares are checked, decided exactly.
"""

import argparse
from importlib import metadata

try:
    import gymnasium
    import numpy as np
    import pandas
    import torch
    from stable_baselines3 import PPO
except ImportError as missing:
    raise SystemExit(f"portfolio.py needs {missing.name}: pip install './python[examples]'") from None

import hcr
from hcr.gymnasium import ConstrainAction
from hcr.stable_baselines3 import PPOPolicy

RULES = """
param held[20]
param most[20]          # 0.15, or what prices made of it
var share[20]
0 <= share <= most
held - 0.05 <= share <= held + 0.05
sum(share) == 1
"""
COST, WEEKS = 0.001, 104  # of what is bought and sold; of an episode
RECENT = (4, 13, 52)  # weeks over which returns are seen


def prices():
    try:
        file = metadata.distribution("skfolio").locate_file("skfolio/datasets/data/sp500_dataset.csv.gz")
    except metadata.PackageNotFoundError:
        raise SystemExit("portfolio.py needs skfolio: pip install './python[examples]'") from None
    return pandas.read_csv(str(file), index_col=0, parse_dates=True).resample("W").last()


class Market(gymnasium.Env):
    """Weeks from `first` to `last`: shares are bought at a week's price, and drift until the next."""

    def __init__(self, logs, rules, first, last, weeks=WEEKS):
        self.logs, self.rules, self.first, self.last, self.weeks = logs, rules, first, last, weeks
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (20 * (1 + len(RECENT)),), np.float64)
        self.action_space = gymnasium.spaces.Box(0, 0.15, (20,), np.float64)
        self.steps, self.broken = 0, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.week = int(self.np_random.integers(self.first, self.last - self.weeks + 1))
        self.end = self.week + self.weeks
        self.held, self.value, self.shares = np.full(20, 0.05), [1.0], []
        return self.seen(), {}

    def seen(self):
        recent = [10 * self.logs[self.week - weeks : self.week].sum(0) / weeks**0.5 for weeks in RECENT]
        return np.concatenate([self.held, *recent])

    def step(self, share):
        self.steps += 1
        self.broken += not self.rules.check(share, limits(self.held))
        growth = share * np.exp(self.logs[self.week])
        paid = 1 - COST * np.abs(share - self.held).sum()
        self.value.append(self.value[-1] * paid * growth.sum())
        self.shares.append((self.held, share))
        self.held = growth / growth.sum()
        self.week += 1
        return self.seen(), 100 * float(np.log(paid * growth.sum())), False, self.week >= self.end, {}


class Clipped(gymnasium.ActionWrapper):
    """What is often done: clip each share, then divide by the sum."""

    def action(self, action):
        share = np.clip(action, 1e-3, 0.15)
        return share / share.sum()


def train(way, market, seed, steps):
    options = {"net_arch": [32]}
    if way == "hcr":
        options |= {"region": market.rules, "parameters": limits}
    env = wrapped(way, market)
    model = PPO(
        PPOPolicy if way == "hcr" else "MlpPolicy", env, policy_kwargs=options, n_steps=min(1040, steps),
        batch_size=min(208, steps), learning_rate=1e-3, gamma=0.9, seed=seed, device="cpu",
    )  # fmt: skip
    model.learn(steps)
    return lambda seen: model.predict(seen, deterministic=True)[0]


def wrapped(way, market):
    return ConstrainAction(market, market.rules, limits) if way == "hcr" else Clipped(market)


def limits(seen):
    """The parameters of the rules; of a policy's tensors too."""
    held = seen[..., :20]
    together = torch.cat if isinstance(held, torch.Tensor) else np.concatenate
    return together([held, held.clip(0.15)], -1)


def invest(choose, env):
    """The value of one, week by week."""
    seen, _ = env.reset()
    done = False
    while not done:
        seen, _, _, done, _ = env.step(choose(seen))
    return np.array(env.unwrapped.value)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--steps", type=int, default=20_000)
    arguments.add_argument("--seeds", type=int, default=2)
    arguments.add_argument("--picture")
    arguments.add_argument("--film")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    table = prices()
    logs, rules = np.diff(np.log(table.to_numpy()), axis=0), hcr.Region(RULES)
    split, end = int(np.searchsorted(table.index, pandas.Timestamp("2014-01-01"))), len(logs)
    print(f"{split} weeks to learn from, {end - split} to try it on")
    weekly, curves, broken = [], {"equal shares": [], "hcr": [], "clipped": []}, {}
    for name, runs in curves.items():
        for seed in range(1 if name == "equal shares" else options.seeds):
            market = Market(logs, rules, max(RECENT), split)
            choose = (
                (lambda _: np.full(20, 0.05)) if name == "equal shares" else train(name, market, seed, options.steps)
            )
            test = Market(logs, rules, split, end, end - split)
            runs.append(invest(choose, wrapped(name, test)))
            weekly = test.shares if name == "hcr" else weekly
            steps, outside = broken.get(name, (0, 0))
            broken[name] = steps + market.steps + test.steps, outside + market.broken + test.broken
    for name, runs in curves.items():
        steps, outside = broken[name]
        values = ", ".join(f"{run[-1]:.2f}" for run in runs)
        print(f"{name:12} one became {values}; {outside} of {steps} weeks break the rules")
    print(f"hcr: every week's shares inside, decided exactly: {broken['hcr'][1] == 0}")
    assert broken["hcr"][1] == 0
    if options.picture:
        draw(table.index[split + 1 :], curves, options.picture)
    if options.film:
        film(table, table.index[split + 1 :], weekly, options.film)


def draw(weeks, curves, file):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
    for (name, runs), colour in zip(curves.items(), ("0.5", "tab:blue", "tab:orange"), strict=True):
        for k, run in enumerate(runs):
            axis.plot(weeks[: len(run) - 1], run[1:], color=colour, lw=1, label=name if k == 0 else None)
    axis.set(ylabel="value of one")
    axis.grid(alpha=0.3)
    axis.legend(frameon=False)
    figure.savefig(file, dpi=130)
    print(f"{file}: each seed a line")


def film(table, weeks, weekly, file):
    """The shares of each company, week by week, between the limits that what is held leaves."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation, PillowWriter

    figure, axis = plt.subplots(figsize=(6.5, 3.4))
    figure.subplots_adjust(0.1, 0.2, 0.98, 0.9)
    at = np.arange(20)

    def frame(week):
        held, share = weekly[week]
        low, high = np.maximum(held - 0.05, 0), np.minimum(held + 0.05, np.maximum(held, 0.15))
        axis.clear()
        axis.bar(at, high - low, bottom=low, color="0.88", label="what the rules leave")
        axis.bar(at, share, width=0.4, color="tab:blue", label="share")
        axis.set(ylim=(0, 0.25), ylabel="share", title=f"{weeks[week]:%Y-%m-%d}: {len(at)} shares, sum {share.sum()}")
        axis.set_xticks(at, table.columns, rotation=90, fontsize=7)
        axis.legend(frameon=False, loc="upper right", fontsize=7)

    frames = range(0, min(len(weekly), len(weeks), 400), 4)
    FuncAnimation(figure, frame, frames).save(file, PillowWriter(8), dpi=80)
    print(f"{file}: a seed's weeks, one in four")


if __name__ == "__main__":
    main()
