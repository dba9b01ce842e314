"""Shares, from directions and radii

Three shares that sum to one and are spread out: sums hold exactly. Rings are radii 0.1 to 1 of `decode`, spokes are
directions; dots are shares of the kind that softmax gives, and where they go as nearest points.
"""

import hcr
import numpy as np
from matplotlib import colormaps

TEXT = """
var w[3]
w >= 0
sum(w) == 1
w[0] <= 0.7
sum(entropy(w)) >= 0.62
"""
CORNERS = np.array([[-1, 0], [1, 0], [0, np.sqrt(3)]])


def draw(figure):
    region = hcr.Region(TEXT)
    axes = figure.add_axes((0.02, 0.02, 0.96, 0.96))
    axes.fill(*CORNERS.T, color="#f1f1ee")
    angle = np.linspace(0, 2 * np.pi, 721)
    ways = np.outer(np.cos(angle), [1, -1, 0]) / np.sqrt(2) + np.outer(np.sin(angle), [-1, -1, 2]) / np.sqrt(6)
    radii = np.linspace(0.1, 1, 10)
    for radius in radii[::-1]:
        ring = region.decode(np.c_[ways, np.full(len(ways), radius)])
        assert (ring.sum(1) == 1).all()
        axes.fill(
            *(ring @ CORNERS).T, color=colormaps["YlGnBu"](0.95 - 0.75 * radius), edgecolor="white", linewidth=0.6
        )
    for way in ways[:-1:20]:
        axes.plot(*(region.decode(np.c_[np.tile(way, (2, 1)), [0, 1]]) @ CORNERS).T, color="white", linewidth=0.5)
    raw = np.random.default_rng(3).normal(0, 2.1, (70, 3))
    wanted = np.exp(raw) / np.exp(raw).sum(1, keepdims=True)
    nearest = region.project(wanted)
    moved = ~region.check(wanted)
    for start, end in zip(wanted[moved] @ CORNERS, nearest[moved] @ CORNERS, strict=True):
        axes.plot(*np.c_[start, end], color="#b3261e", linewidth=0.9)
    axes.plot(*(wanted @ CORNERS).T, "o", markersize=4.5, markerfacecolor="white", markeredgecolor="#b3261e")
    axes.plot(*(nearest @ CORNERS).T, "o", markersize=3, color="#b3261e")
    axes.set_aspect("equal")
    axes.set_axis_off()
