"""Draws a plan whose limits contradict each other: python examples/relaxed/draw.py [OUT.png]"""

import pathlib
import sys

import hcr
import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot as plt

region = hcr.Region.load(pathlib.Path(__file__).with_name("plan.region"))
hour = np.arange(24)
wanted = 45 + 25 * np.sin((hour - 8) / 24 * 2 * np.pi)
cap = 62 - 34 * np.exp(-(((hour - 15) / 3.0) ** 2))  # a line that is down to half in the afternoon
figure, axes = plt.subplots(1, 2, figsize=(11, 3.6), sharey=True)
for axis, sold in zip(axes, (900.0, 1400.0), strict=True):
    x = np.r_[cap, sold]
    y, outcome = region.project(wanted, x, on_empty="nearest", outcomes=True)
    slack = region.relaxation.slacks(x)
    over = [k for k, limit in enumerate(region.relaxation.constraints) if "cap" in limit.text]
    axis.step(hour, cap, where="mid", color="0.4", label="capacity")
    axis.fill_between(hour, cap, cap + slack[over], step="mid", color="tab:red", alpha=0.3, label="its slack")
    axis.plot(hour, wanted, ":", color="tab:blue", label="wanted")
    axis.plot(hour, y, "o-", color="tab:green", markersize=3, label="plan")
    name = hcr.Outcome(int(outcome)).name
    axis.set_title(f"sold {sold:g}, delivered {y.sum():.1f}: {name}, slack {slack.sum():.1f}", fontsize=10)
    axis.set_xlabel("hour")
axes[0].legend(fontsize=8)
figure.tight_layout()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "relaxed-plan.png", dpi=110)
