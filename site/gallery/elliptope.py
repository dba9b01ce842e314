"""Every correlation of three things

The elliptope: correlations a, b and c for which the matrix of three things is positive semidefinite. Its four corners
are the matrices of rank one. Rays from the origin end on it; colours are their lengths.
"""

import hcr
import numpy as np
from matplotlib import colormaps
from surface import show_surface

TEXT = """
var r[3]
psd([[1, r[0], r[1]], [r[0], 1, r[2]], [r[1], r[2], 1]])
"""


def draw(figure):
    axes = figure.add_axes((0.05, -0.2, 0.9, 1.4), projection="3d", computed_zorder=False)
    show_surface(axes, hcr.Region(TEXT), lambda length: colormaps["YlGnBu_r"]((length - 0.85) / 0.95), count=101)
    corners = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    for i, j in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3)):  # edges belong to the set; the sixth is behind
        axes.plot(*corners[[i, j]].T, color="#1d2125", linewidth=1.1, zorder=5)
    axes.scatter(*corners.T, color="#1d2125", s=26, zorder=6, depthshade=False)
    axes.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), zlim=(-1.15, 1.45))
    axes.view_init(24, 35)
