"""What the origin sees

Two rooms, a door, and three tables: a star domain. Colours are levels of the gauge, the share of the way to the wall.
What stands behind a table or a corner isn't seen from the origin, so no result goes there: it is grey.
"""

import hcr
import numpy as np

TEXT = """
var p[2]
union:
    0 <= p[0] <= 5
    0 <= p[1] <= 4
or
    4 <= p[0] <= 9.5
    0.6 <= p[1] <= 2.4
or
    7 <= p[0] <= 9.5
    -0.6 <= p[1] <= 4.6
end
except norm(p - [1.3, 2.9]) <= 0.45
except norm(p - [1.5, 0.9], 1) <= 0.5
except:
    7.2 <= p[0] <= 7.9
    1.2 <= p[1] <= 1.6
end
origin = [4.5, 1.6]
"""


def draw(figure):
    region = hcr.Region(TEXT)
    x, y = np.meshgrid(np.linspace(-0.3, 9.8, 1400), np.linspace(-0.9, 4.9, 800))
    points = np.stack([x, y], -1)
    there, gauge = region.violation(points)[0] <= 0, region.gauge(points - region.origin)
    axes = figure.add_axes((0.01, 0.01, 0.98, 0.98))
    axes.contourf(x, y, np.where(there, 1.0, 0.0), [0.5, 2], colors=["#c9c7c0"])
    axes.contourf(
        x, y, np.where(there & (gauge <= 1), gauge, np.nan), np.linspace(0, 1, 21), cmap="YlGnBu_r", alpha=0.95
    )
    axes.contour(
        x, y, np.where(there, gauge, np.nan), np.linspace(0.1, 0.9, 9), colors="white", linewidths=0.5, alpha=0.7
    )
    axes.contour(x, y, there.astype(float), [0.5], colors="#1d2125", linewidths=1.5)
    angle = np.linspace(0, 2 * np.pi, 97)[:-1]
    ends = region.contract(100 * np.c_[np.cos(angle), np.sin(angle)])
    for end in ends:
        axes.plot(*np.c_[region.origin, end], color="white", linewidth=0.5, alpha=0.8)
    axes.plot(*ends.T, "o", markersize=3.5, color="#b3261e")
    axes.plot(*region.origin, "+", color="white", markersize=14, markeredgewidth=2)
    axes.set_aspect("equal")
    axes.set_axis_off()
