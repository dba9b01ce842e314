"""The whole plane, pressed into a region

`soften` is one-to-one from all of the plane onto the region's interior. A square grid, whose outer lines are far
away, becomes a grid inside, which crowds towards the frontier and never touches it.
"""

import hcr
import numpy as np
from matplotlib.collections import LineCollection

TEXT = """
var y[2]
abs(y[0]) <= 2.6
abs(y[1]) <= 1.5
abs(y[0]) + abs(y[1]) <= 3.2
norm(y - [0, 1.6]) <= 3.0
"""


def draw(figure):
    region = hcr.Region(TEXT)
    ticks = np.sinh(np.linspace(-6, 6, 101)) / 4  # close near the origin, 50 away at the ends
    fine = np.sinh(np.linspace(-8, 8, 1601)) / 4
    axes = figure.add_axes((0.02, 0.02, 0.96, 0.96))
    for k in (0, 1):
        line = np.stack(np.broadcast_arrays(ticks[:, None], fine)[:: 1 - 2 * k], -1)
        inside = region.soften(line)
        pieces = np.stack([inside[:, :-1], inside[:, 1:]], 2).reshape(-1, 2, 2)
        gauge = region.gauge(inside[:, :-1] - region.origin).ravel()
        axes.add_collection(LineCollection(pieces, array=gauge, cmap="viridis_r", clim=(0, 1.05), linewidth=0.8))
    angle = np.linspace(0, 2 * np.pi, 1500)
    axes.plot(*region.contract(1e3 * np.c_[np.cos(angle), np.sin(angle)]).T, color="#1d2125", linewidth=1.6)
    axes.plot(*region.origin, "+", color="#1d2125", markersize=10)
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.set_axis_off()
