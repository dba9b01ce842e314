"""From the octahedron to the cube

What p does in norm(y, p) <= 1: 1, 1.4, 2, 4 and infinity. Each surface is made of rays from the origin; p = 1 and
infinity are rows, 2 is a quadratic, the others are expressions whose roots are found along each ray.
"""

import hcr
from matplotlib.colors import ListedColormap
from surface import show_surface

TEXT = """
var y[3]
norm(y, 1.4) <= 1
"""
COLOURS = {"1": "#a678cc", "1.4": "#4d94d6", "2": "#4fae79", "4": "#e0ab45", "inf": "#dd6a60"}


def draw(figure):
    for k, (power, colour) in enumerate(COLOURS.items()):
        region = hcr.Region(TEXT.replace("1.4", power))
        axes = figure.add_axes((0.194 * k - 0.025, 0.06, 0.275, 1), projection="3d", facecolor="none")
        show_surface(axes, region, ListedColormap([colour]), count=41)
        axes.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), zlim=(-1.2, 1.2))
        axes.view_init(22, 28)
        figure.text(0.194 * k + 0.116, 0.3, f"p = {'∞' if power == 'inf' else power}", ha="center", fontsize=13)
