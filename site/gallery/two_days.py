"""Four hundred allowed days

Loads of 48 hours, drawn from the region: each is within the bounds, changes by at most 60 an hour, meets the energy
exactly, and returns to where it began. A line's colour is its load at noon of the first day.
"""

import hcr
import numpy as np
from matplotlib.collections import LineCollection

TEXT = """
var load[48]
let hours = range(0, 48)
480 - 160 * cos(2 * 3.14159265 * hours / 24) - 190 <= load <= 480 - 160 * cos(2 * 3.14159265 * hours / 24) + 190
abs(load[1:] - load[:-1]) <= 60
abs(load[0] - load[47]) <= 60
sum(load) == 23040
"""


def draw(figure):
    region = hcr.Region(TEXT)
    random = np.random.default_rng(1)
    wanted = region.origin + np.cumsum(random.normal(0, 48, (400, 48)), 1)
    loads = region.project(wanted)
    assert region.check(loads).all() and (loads.sum(1) == 23040).all()
    hours = np.arange(48)
    axes = figure.add_axes((0.075, 0.1, 0.905, 0.87))
    axes.fill_between(hours, region.bounds[0], region.bounds[1], color="#e9ebea")
    lines = LineCollection(
        np.stack([np.broadcast_to(hours, loads.shape), loads], -1), cmap="plasma", linewidth=0.7, alpha=0.55
    )
    lines.set_array(loads[:, 12])
    axes.add_collection(lines)
    axes.set(xlim=(0, 47), xticks=range(0, 48, 6), xlabel="hour", ylabel="load")
    axes.spines[["top", "right"]].set_visible(False)
