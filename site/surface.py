"""Surfaces of regions in three outputs, for the pictures of the gallery."""

import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection


def directions(count):
    """(6, count, count, 3): through grids on the faces of a cube, whose lines hold the edges of boxes and octahedra."""
    a, b = np.meshgrid(*2 * [np.tan(np.linspace(-np.pi / 4, np.pi / 4, count))])
    face = np.stack([a, b, np.ones_like(a)], -1)
    return np.concatenate([[np.roll(face, k, -1), -np.roll(face, k, -1)] for k in range(3)])


def show_surface(axes, region, colour_of, count=61, light=(0.35, -0.5, 0.8)):
    """Draws where rays from the region's origin end. `colour_of` takes the lengths of rays and gives colours."""
    points = region.contract(1e3 * directions(count))
    corners = np.stack([points[:, :-1, :-1], points[:, 1:, :-1], points[:, 1:, 1:], points[:, :-1, 1:]], -2).reshape(
        -1, 4, 3
    )
    normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    middles = corners.mean(1) - region.origin
    normals /= np.linalg.norm(normals, axis=1, keepdims=True) * np.sign((normals * middles).sum(1, keepdims=True))
    bright = 0.68 + 0.32 * np.maximum(normals @ (light / np.linalg.norm(light)), -0.5)
    colours = np.asarray(colour_of(np.linalg.norm(middles, axis=1)))[..., :3] * bright[:, None]
    axes.add_collection3d(Poly3DCollection(corners, facecolors=colours, edgecolors=colours, linewidths=0.3))
    axes.set_box_aspect((1, 1, 1))
    axes.set_axis_off()
