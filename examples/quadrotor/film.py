"""The quadrotor's flights as a film: beside each other, with the region and without it.

    examples/quadrotor/demo.sh && python examples/quadrotor/film.py [OUT] [FILE.gif]

OUT is demo.sh's folder, out/quadrotor. Needs NumPy and matplotlib.
"""

import pathlib
import sys

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.animation import FuncAnimation, PillowWriter

WAYS = np.array([[3, 3], [-3, 6.5], [4, 0], [-4, 3], [0, 7], [3, -1], [-3, 4], [0, 3]])  # flight.c's, 4 s each
EVERY, TAIL, ARM = 100, 750, 0.5  # steps a frame; steps behind the body that are drawn; half its width, m


def scene(axis, flight, at, title):
    axis.clear()
    _, x, z, tilt = flight[at, :4]
    axis.axhspan(5, 8.5, color="#f3d9d9")
    axis.axhspan(-3, 1, color="#f3d9d9")
    axis.plot(*flight[max(at - TAIL, 0) : at + 1, 1:3].T, color="0.6", lw=1)
    axis.plot(*WAYS[at * len(WAYS) // len(flight)], "*", color="tab:green", ms=11)
    along, up = np.array([np.cos(tilt), np.sin(tilt)]), np.array([-np.sin(tilt), np.cos(tilt)])
    ends = np.array([[x, z] - ARM * along, [x, z] + ARM * along])
    axis.plot(*ends.T, color="tab:red" if title == "the policy alone" else "#00798c", lw=3)
    for end, thrust in zip(ends, flight[at, 7:9], strict=True):
        axis.plot(*np.array([end, end + 0.07 * thrust * up]).T, color="tab:orange", lw=2)
    axis.set(xlim=(-7, 7), ylim=(-3, 8.5), aspect="equal", title=f"{title}, {flight[at, 0]:.1f} s", xlabel="m")


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out/quadrotor")
    file = sys.argv[2] if len(sys.argv) > 2 else out / "flight.gif"
    names = {"bare": "the policy alone", "kept": "within the region"}
    flights = {title: np.loadtxt(out / f"{name}.csv", delimiter=",", skiprows=1) for name, title in names.items()}
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), dpi=80)
    figure.subplots_adjust(0.05, 0.12, 0.98, 0.92, 0.12)

    def frame(at):
        for axis, (title, flight) in zip(axes, flights.items(), strict=True):
            scene(axis, flight, at, title)

    frames = range(0, min(map(len, flights.values())), EVERY)
    FuncAnimation(figure, frame, frames).save(file, PillowWriter(10), dpi=80)
    print(f"{file}: {len(frames)} pictures at twice the speed")


if __name__ == "__main__":
    main()
