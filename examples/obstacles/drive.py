"""A robot among moving discs: python examples/obstacles/drive.py [OUT.png [STEPS]]

The discs are those of PythonRobotics' examples of rapidly exploring random trees (x, y, radius; the robot's radius is
0.8). Here they move, each on a circle around that place, and the robot drives around them.
"""

import pathlib
import sys

import hcr
import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot as plt

DISCS = np.array([(5, 5, 1), (3, 6, 2), (3, 8, 2), (3, 10, 2), (7, 5, 2), (9, 5, 2), (8, 10, 1), (6, 12, 1)], float)
ROBOT, DT = 0.8, 0.25
GOALS = np.array([(-1.2, 8.0), (2.0, 14.0), (10.5, 13.0), (7.5, 8.0), (13.0, 9.0), (12.5, 1.0), (0.0, 0.0)])
SWING, TURN = 0.5, np.array([0.5, -0.4, 0.3, -0.6, 0.45, -0.35, 0.55, -0.5])  # metres, radians a second
region = hcr.Region.load(pathlib.Path(__file__).with_name("step.region"))


def centres(t: float) -> np.ndarray:
    phase = np.arange(8) + TURN * t
    return DISCS[:, :2] + SWING * np.c_[np.cos(phase), np.sin(phase)]


def room(p: np.ndarray, t: float) -> np.ndarray:
    """How far the robot at each p is from the nearest disc."""
    return (np.linalg.norm(p[..., None, :] - centres(t), axis=-1) - DISCS[:, 2] - ROBOT).min(-1)


def ends(p: np.ndarray, t: float) -> np.ndarray:
    """48 ways from each origin that is free, and where they end inside the region of the next step."""
    angle = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    ways = np.r_[np.zeros((1, 2)), 0.5 * np.c_[np.cos(angle), np.sin(angle)]]
    x = np.r_[p, centres(t + DT).ravel()]
    each = np.array([np.r_[x, k] for k in range(region.origins)])
    y = region.contract(np.tile(ways, (len(each), 1)), np.repeat(each, len(ways), 0))
    if np.isnan(y).any():
        raise RuntimeError(f"at {t:.2f} s every origin is covered: {p}")
    assert region.check(y, np.tile(each[0], (len(y), 1))).all()
    return y


def drive(steps: int) -> np.ndarray:
    p, path, goals = np.array([0.0, 0.0]), [np.array([0.0, 0.0])], list(GOALS)
    for k in range(steps):
        y = ends(p, k * DT)
        near = np.clip(1 - room(y, (k + 1) * DT), 0, None)
        p = y[(np.linalg.norm(y - goals[0], axis=1) + 0.15 * near**2).argmin()]
        path.append(p)
        if np.linalg.norm(p - goals[0]) < 0.5:
            goals.pop(0)
        if not goals:
            break
    return np.array(path)


def draw(path: np.ndarray, file: str) -> None:
    figure, axes = plt.subplots(2, 3, figsize=(11, 8), sharex=True, sharey=True)
    for axis, k in zip(axes.flat, np.linspace(0, len(path) - 1, 6).astype(int), strict=True):
        for centre, radius in zip(centres(k * DT), DISCS[:, 2], strict=True):
            axis.add_patch(plt.Circle(centre, radius, color="0.6"))
        axis.plot(*path[: k + 1].T, color="tab:green")
        axis.add_patch(plt.Circle(path[k], ROBOT, color="tab:blue", alpha=0.7))
        axis.plot(*GOALS.T, "*", color="tab:red")
        axis.set(xlim=(-2.9, 15.9), ylim=(-2.9, 15.9), aspect="equal", title=f"{k * DT:.1f} s")
    figure.tight_layout()
    figure.savefig(file, dpi=80)


if __name__ == "__main__":
    path = drive(int(sys.argv[2]) if len(sys.argv) > 2 else 600)
    nearest = min(room(p, k * DT) for k, p in enumerate(path))
    print(f"{len(path) - 1} steps, {len(path) * DT:.0f} s; nearest to a disc: {nearest:.3g} m")
    draw(path, sys.argv[1] if len(sys.argv) > 1 else "obstacles.png")
