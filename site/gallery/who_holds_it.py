"""Where nearest points come from

Each point of the plane is coloured by the way to its nearest point of the region: the hue is the direction, the
strength the nearness. Facets draw bands of one colour, corners draw fans, the disc draws all that lies between.
"""

import hcr
import numpy as np
from matplotlib import colormaps

TEXT = """
var y[2]
y[0] + y[1] <= 2
y[1] >= -1.2
2 * y[0] - y[1] <= 3
norm(y - [-0.3, 0.2]) <= 1.7
"""


def draw(figure):
    region, (width, height), side = hcr.Region(TEXT), (5.0, 2.9), 520
    x, y = np.meshgrid(
        np.linspace(-width, width, 2 * side), np.linspace(-height, height, int(2 * side * height / width))
    )
    points = np.stack([x, y], -1)
    way = points - region.project(points)
    far = np.linalg.norm(way, axis=-1)
    hue = np.arctan2(way[..., 1], way[..., 0]) / (2 * np.pi) % 1
    pale = np.exp(-0.16 * far)[..., None]
    colour = pale * colormaps["twilight_shifted"](hue)[..., :3] + (1 - pale) * np.array([0.97, 0.96, 0.93])
    colour[far < 1e-9] = 1
    axes = figure.add_axes((0, 0, 1, 1))
    axes.imshow(colour, origin="lower", extent=(-width, width, -height, height), interpolation="bilinear")
    axes.contour(x, y, far, np.arange(0.4, 5, 0.4), colors="white", linewidths=0.7, alpha=0.7)
    axes.contour(x, y, region.gauge(points - region.origin), [1], colors="#1d2125", linewidths=1.6)
    random = np.random.default_rng(4)
    start = random.uniform((-0.95 * width, -0.95 * height), (0.95 * width, 0.95 * height), (400, 2))
    start = start[np.linalg.norm(start - region.project(start), axis=1) > 0.5][:42]
    end = region.project(start)
    axes.plot(*np.stack([start, end], -1).transpose(1, 2, 0), color="#1d2125", linewidth=0.7, alpha=0.75)
    axes.plot(*start.T, "o", markersize=4, markerfacecolor="white", markeredgecolor="#1d2125", markeredgewidth=0.8)
    axes.plot(*end.T, "o", markersize=4, color="#1d2125")
    axes.set_axis_off()
