"""Draws docs/which-map.png: what the four maps do to the same points. `python docs/pictures/which_map.py`."""

import os

import matplotlib

matplotlib.use("Agg")
import hcr
import matplotlib.pyplot as plt
import numpy as np

REGION = hcr.Region("""
var y[2]
-2 <= y <= 2
y[0] + y[1] <= 2
norm(y - [0.3, 0.2]) <= 2
""")
TITLES = {
    "contract": "contract",
    "project": "project",
    "soften": "soften",
    "decode": "decode",
}


def boundary():
    angle = np.linspace(0, 2 * np.pi, 400)
    return REGION.contract(1e3 * np.c_[np.cos(angle), np.sin(angle)])


def moved(name, points, origin):
    if name == "decode":
        step = points - origin
        radius = np.linspace(0.15, 1, len(points))
        return REGION.decode(np.c_[step, radius])
    return REGION.project(points) if name == "project" else getattr(REGION, name)(points - origin)


def main():
    points = np.random.default_rng(3).uniform(-3.2, 3.4, (22, 2))
    edge = boundary()
    _, axes = plt.subplots(1, 4, figsize=(14, 3.7), sharex=True, sharey=True)
    for axis, (name, title) in zip(axes, TITLES.items(), strict=True):
        axis.fill(*edge.T, color="#dce9f5")
        axis.plot(*edge.T, color="#31688e", linewidth=1)
        result = moved(name, points, REGION.origin)
        start = np.tile(REGION.origin, (len(points), 1)) if name == "decode" else points
        axis.quiver(*start.T, *(result - start).T, angles="xy", scale_units="xy", scale=1, width=0.004, color="#888888")
        if name != "decode":
            axis.scatter(*points.T, s=16, facecolors="none", edgecolors="#444444")
        axis.scatter(*result.T, s=20, color="#d1495b", zorder=3)
        axis.plot(*REGION.origin, "+", color="black")
        axis.set_title(title, fontsize=12)
        axis.set_aspect("equal")
        axis.set_axis_off()
    plt.tight_layout()
    plt.savefig(os.path.join(os.path.dirname(__file__), "..", "which-map.png"), dpi=90)


if __name__ == "__main__":
    main()
