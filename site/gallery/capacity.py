"""Limits that move

One region with two parameters, at sixty samples of them: its frontier moves, and its origin with it (the dots). The
text is compiled once; each sample's results are inside that sample's own limits.
"""

import hcr
import numpy as np
from matplotlib import colormaps

TEXT = """
var y[2]
param cap in [0.6, 3]
param tilt in [-1, 1]
norm(y) <= 3
0 <= y[0]
-2 <= y[1] <= 2
y[0] + tilt * y[1] <= cap
"""


def draw(figure):
    region, share = hcr.Region(TEXT), np.linspace(0, 1, 60)
    samples = np.c_[0.8 + 2.1 * share, np.cos(2 * np.pi * share)]
    angle = np.linspace(0, 2 * np.pi, 720)
    ways = 50 * np.c_[np.cos(angle), np.sin(angle)]
    axes = figure.add_axes((0.01, 0.02, 0.98, 0.96))
    for k, (x, colour) in enumerate(zip(samples, colormaps["viridis"](share), strict=True)):
        edge = region.contract(ways, np.broadcast_to(x, (len(ways), 2)))
        shift = [0.15 * k, 0]
        axes.fill(*(edge + shift).T, facecolor=(*colour[:3], 0.07), edgecolor=colour, linewidth=1, zorder=-k)
        axes.plot(*(region.contract([0, 0], x) + shift), "o", color=colour, markersize=3, zorder=2)
    axes.set_aspect("equal")
    axes.set_axis_off()
