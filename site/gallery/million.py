"""A million steps, softened

Gaussian steps of deviation 2.5 go through `soften` into a star domain. The picture counts where they land: the density
is smooth inside and heaps up along the walls, and not one of the million is outside.
"""

import hcr
import numpy as np

TEXT = """
var y[2]
union:
    abs(y[0]) <= 3.4
    abs(y[1]) <= 0.7
or
    abs(y[0]) <= 0.7
    abs(y[1]) <= 1.9
or
    norm(y) <= 1.35
end
origin = [0, 0]
"""


def draw(figure):
    region = hcr.Region(TEXT)
    steps = 2.5 * np.random.default_rng(0).normal(size=(1_000_000, 2))
    points = region.soften(steps)
    assert region.check(points).all()
    counts, *_ = np.histogram2d(*points.T, bins=(1050, 600), range=((-3.5, 3.5), (-2, 2)))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.imshow(np.log1p(counts.T), cmap="magma", extent=(-3.5, 3.5, -2, 2), interpolation="nearest")
    axes.set_axis_off()
    figure.set_facecolor("#000004")
