"""A robot on two wheels among moving discs: a filter by control barrier functions, exact at every step.

    pip install './python[examples,plot]'
    python python/examples/unicycle.py [--steps 10000] [--picture FILE.png] [--film FILE.gif]

The robot steers straight for its goal. The filter changes speed and turn as little as it must so that a point ahead of
the axle keeps its distance from each disc. Every step is checked, decided exactly. bench/filters.py has the same
programs solved by others.
"""

import argparse
import time

try:
    import numpy as np
except ImportError as missing:
    raise SystemExit(f"unicycle.py needs {missing.name}: pip install './python[examples]'") from None

import hcr
from hcr.control import Barrier

LIMITS = """
var input[2]                            # speed and turn
-0.6 <= input[0] <= 1
abs(input[1]) <= 3
abs(input[0]) + 0.25 * abs(input[1]) <= 1.2   # each wheel's speed
"""
DISCS, AHEAD, TIME, RATE, SIZE, FLOOR = 6, 0.1, 0.02, 2.0, 0.12, 2.0
BETWEEN = 0.005  # what h may lose between two steps: inputs are kept for one of them


class World:
    """Discs that circle around points of the floor, and a robot."""

    def __init__(self, random):
        angles = np.arange(DISCS) * 2 * np.pi / DISCS
        self.centre = 1.1 * np.stack([np.cos(angles), np.sin(angles)], 1)
        self.radius = random.uniform(0.15, 0.3, DISCS)
        self.orbit = random.uniform(0.1, 0.3, DISCS)
        self.spin = random.uniform(0.3, 0.8, DISCS) * random.choice([-1, 1], DISCS)
        self.phase = random.uniform(0, 6, DISCS)
        self.random, self.time = random, 0.0
        self.robot = np.array([0.0, 0.0, random.uniform(0, 6)])
        self.goal = self.new_goal()

    def new_goal(self):
        angle = self.random.uniform(0, 2 * np.pi)
        return 0.95 * FLOOR * np.array([np.cos(angle), np.sin(angle)])

    def discs(self):
        """Where they are, and their velocities."""
        angle = self.phase + self.spin * self.time
        way = np.stack([np.cos(angle), np.sin(angle)], 1)
        across = np.stack([-way[:, 1], way[:, 0]], 1)
        return self.centre + self.orbit[:, None] * way, (self.orbit * self.spin)[:, None] * across

    def barrier(self):
        """h = |point − disc|² − (radius + size)² of each disc, and its derivative: drift + control · input."""
        at, velocity = self.discs()
        apart = self.point() - at
        return (
            (apart**2).sum(1) - (self.radius + SIZE) ** 2 - BETWEEN,
            -2 * (apart * velocity).sum(1),
            2 * apart @ self.turned(),
        )

    def turned(self):
        """The velocity of the point ahead, by the input."""
        turn = self.robot[2]
        return np.array([[np.cos(turn), -AHEAD * np.sin(turn)], [np.sin(turn), AHEAD * np.cos(turn)]])

    def gap(self):
        """From the point to the nearest disc, less the robot's size."""
        return (np.linalg.norm(self.point() - self.discs()[0], axis=1) - self.radius - SIZE).min()

    def point(self):
        return self.robot[:2] + AHEAD * np.array([np.cos(self.robot[2]), np.sin(self.robot[2])])

    def wanted(self):
        """For the goal, and around discs that are in the way: the filter alone would stand still before one."""
        velocity = self.goal - self.point()
        velocity /= np.linalg.norm(velocity)
        apart = self.point() - self.discs()[0]
        far = np.linalg.norm(apart, axis=1)
        for away, gap in zip(apart / far[:, None], far - self.radius - SIZE, strict=True):
            towards = -min(velocity @ away, 0)
            along = np.array([-away[1], away[0]])
            side = 1 if velocity @ along >= -0.1 else -1
            velocity = velocity + np.exp(-max(gap, 0) / 0.15) * towards * (away + side * along)
        velocity /= max(np.linalg.norm(velocity), 1e-9)
        u = np.clip(np.linalg.solve(self.turned(), velocity), [-0.6, -3], [1, 3])
        return u / max(1, (abs(u[0]) + 0.25 * abs(u[1])) / 1.2)

    def move(self, speed, turn):
        self.robot += TIME * np.array([speed * np.cos(self.robot[2]), speed * np.sin(self.robot[2]), turn])
        self.time += TIME
        if np.linalg.norm(self.goal - self.robot[:2]) < 0.1:
            self.goal = self.new_goal()
            return 1
        return 0


def drive(steps, filter, random):
    world = World(random)
    path, found, seconds = [], {"inside": 0, "stopped": 0, "goals": 0, "closest": np.inf}, []
    for _ in range(steps):
        h, drift, control = world.barrier()
        wanted = world.wanted()
        start = time.perf_counter()
        u, outcome = filter(wanted, h, drift, control, RATE)
        seconds.append(time.perf_counter() - start)
        if np.isnan(u).any():  # nothing keeps every row: stand still
            u, found["stopped"] = np.zeros(2), found["stopped"] + 1
        else:
            found["inside"] += bool(filter.region.check(u, filter.rows(h, drift, control, RATE)))
        path.append((world.robot.copy(), world.discs()[0], world.goal, outcome))
        found["closest"] = min(found["closest"], world.gap())
        found["goals"] += world.move(*u)
    return world, path, found, seconds


def draw(world, path, picture, film):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation, PillowWriter

    def scene(axis, until, since):
        axis.clear()
        robot, discs, goal, _ = path[until]
        places = np.array([p[0][:2] for p in path[since : until + 1]])
        moved = np.array([p[3] != hcr.Outcome.INSIDE for p in path[since : until + 1]])
        axis.plot(*places.T, color="0.6", lw=1, zorder=1)
        axis.scatter(*places[moved].T, s=4, color="tab:orange", zorder=2, label="changed by the filter")
        for at, radius in zip(discs, world.radius, strict=True):
            axis.add_patch(plt.Circle(at, radius, color="tab:blue", alpha=0.7))
        axis.add_patch(plt.Circle(robot[:2], SIZE / 2, color="tab:red", zorder=3))
        axis.annotate("", robot[:2] + 0.25 * np.array([np.cos(robot[2]), np.sin(robot[2])]), robot[:2],
                      arrowprops={"arrowstyle": "->", "color": "tab:red"}, zorder=3)  # fmt: skip
        axis.plot(*goal, "*", color="tab:green", ms=12)
        axis.set(
            xlim=(-2.3, 2.3), ylim=(-2.3, 2.3), aspect="equal", xticks=[], yticks=[], title=f"{TIME * until:.1f} s"
        )

    if picture:
        figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained")
        last = min(len(path), 1500) - 1
        for axis, until in zip(axes, (last // 3, 2 * last // 3, last), strict=True):
            scene(axis, until, max(until - last // 3, 0))
        axes[0].legend(loc="lower left", frameon=False)
        figure.savefig(picture, dpi=110)
        print(f"{picture}: the robot, its goal, the discs, and its way of the last {TIME * (last // 3):.0f} s")
    if film:
        figure, axis = plt.subplots(figsize=(4, 4))
        figure.subplots_adjust(0.02, 0.02, 0.98, 0.92)
        frames = range(0, min(len(path), 1500), 10)
        FuncAnimation(figure, lambda at: scene(axis, at, max(at - 200, 0)), frames).save(film, PillowWriter(10), dpi=80)
        print(f"{film}: the first {TIME * frames[-1]:.0f} s")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--steps", type=int, default=10_000)
    arguments.add_argument("--seed", type=int, default=2)
    arguments.add_argument("--picture")
    arguments.add_argument("--film")
    options = arguments.parse_args()
    filter = Barrier(LIMITS, DISCS)
    world, path, found, seconds = drive(options.steps, filter, np.random.default_rng(options.seed))
    changed = sum(p[3] != hcr.Outcome.INSIDE for p in path)
    print(f"{options.steps} steps, {found['goals']} goals reached; the filter changed {changed} inputs")
    kept = found["inside"] + found["stopped"] == options.steps
    print(f"every input inside, decided exactly: {kept}; none at all: {found['stopped']}, where the robot stood still")
    print(f"smallest gap between the robot and a disc: {found['closest']:.4f}")
    print(f"{1e6 * np.median(seconds):.1f} µs a step from Python (median)")
    assert found["closest"] > 0
    assert kept
    if options.picture or options.film:
        draw(world, path, options.picture, options.film)


if __name__ == "__main__":
    main()
