"""Safety filters beside quadratic programs: a planar quadrotor and a robot on two wheels among moving discs.

    pip install osqp==1.1.3 daqp==0.11.0 cbfpy==0.1.0
    python bench/filters.py [--only quadrotor|unicycle] [--steps N]

16,000 steps of 2 ms of the quadrotor of examples/quadrotor, whose pilot is sent beyond floor and ceiling, and 10,000
steps of python/examples/unicycle.py. Each step's input is what `hcr.control.Barrier` gives; the others solve the same
program beside it. Printed are the median microseconds a call takes from Python, and how many results break a row or a
bound: at all, decided exactly, and by more than 1e-6. `Barrier` makes the rows from functions and their derivatives,
within its time; cbfpy has the barrier functions themselves and takes their derivatives by JAX; the others are given
rows. "Made exact": checked, and projected where that fails. What isn't installed is left out.
"""

import argparse
import importlib.util
import os
import pathlib
import time

import numpy as np
from hcr.control import Barrier

ROOT = pathlib.Path(__file__).resolve().parents[1]


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


unicycle = load(ROOT / "python" / "examples" / "unicycle.py")


class Unicycle:
    """Speed and turn; the state is the robot's place and angle, and the time, on which the discs depend."""

    steps = 10_000
    limits = unicycle.LIMITS
    least, most = np.array([-0.6, -3.0]), np.array([1.0, 3.0])
    fixed = np.array([[1, 0.25], [1, -0.25], [-1, 0.25], [-1, -0.25]]), np.full(4, 1.2)
    barriers, rate = unicycle.DISCS, np.full(unicycle.DISCS, unicycle.RATE)

    def __init__(self):
        self.world = unicycle.World(np.random.default_rng(2))

    def barrier(self):
        return self.world.barrier()

    def wanted(self):
        return self.world.wanted()

    def state(self):
        return np.append(self.world.robot, self.world.time)

    def move(self, u):
        self.world.move(*u)

    def config(self, CBFConfig, jnp, **options):
        world = self.world

        class Discs(CBFConfig):
            def __init__(self):
                super().__init__(n=4, m=2, **options)

            def f(self, z):
                return jnp.array([0.0, 0.0, 0.0, 1.0])

            def g(self, z):
                return jnp.array([[jnp.cos(z[2]), 0.0], [jnp.sin(z[2]), 0.0], [0.0, 1.0], [0.0, 0.0]])

            def h_1(self, z):
                angle = world.phase + world.spin * z[3]
                at = world.centre + world.orbit[:, None] * jnp.stack([jnp.cos(angle), jnp.sin(angle)], 1)
                point = z[:2] + unicycle.AHEAD * jnp.array([jnp.cos(z[2]), jnp.sin(z[2])])
                return ((point - at) ** 2).sum(1) - (world.radius + unicycle.SIZE) ** 2 - unicycle.BETWEEN

            def alpha(self, h):
                return unicycle.RATE * h

        return Discs()


class Quadrotor:
    """Two thrusts; the state is x, z, tilt and their velocities. A limit h of second order is kept by psi' + b psi >= 0
    with psi = h' + a h (exponential barriers): height within 1 and 5 m, a, b = 1, 3; tilt within 0.4, a, b = 5, 15."""

    steps = 16_000
    limits = "var thrust[2]\n0 <= thrust <= 14"
    least, most = np.zeros(2), np.full(2, 14.0)
    fixed = np.zeros((0, 2)), np.zeros(0)
    barriers, rate, slow = 4, np.array([3.0, 3.0, 15.0, 15.0]), np.array([1.0, 1.0, 5.0, 5.0])
    ways = ((3, 3), (-3, 6.5), (4, 0), (-4, 3), (0, 7), (3, -1), (-3, 4), (0, 3))  # four seconds each
    gravity, step = 9.81, 0.002

    def __init__(self):
        self.body, self.at = np.array([0.0, 3, 0, 0, 0, 0]), 0

    def change(self, body, thrust):
        tilt, lift = body[2], thrust.sum()
        push = [-lift * np.sin(tilt), lift * np.cos(tilt) - self.gravity, 10 * (thrust[1] - thrust[0])]
        return np.concatenate([body[3:], push])

    def barrier(self):
        """psi, and its derivative: drift + control · thrust."""
        _, z, tilt, _, climb, spin = self.body
        h, speed = np.array([5 - z, z - 1, 0.4 - tilt, 0.4 + tilt]), np.array([-climb, climb, -spin, spin])
        gravity = np.array([self.gravity, -self.gravity, 0, 0])
        lift = np.cos(tilt) * np.ones(2)
        control = np.array([-lift, lift, [10, -10], [-10, 10]])
        return speed + self.slow * h, gravity + self.slow * speed, control

    def wanted(self):
        """The pilot of examples/quadrotor/lessons.awk, in all haste."""
        x, z, tilt, speed, climb, spin = self.body
        way = self.ways[self.at * len(self.ways) // self.steps]
        ahead, above = np.clip(way[0] - x, -4, 4), np.clip(way[1] - z, -4, 4)
        lift = (9.81 + 6 * above - 3 * climb) / np.cos(tilt)
        turn = (60 * (-(1.6 * ahead - 1.8 * speed) / 9.81 - tilt) - 14 * spin) / 10
        return np.array([lift - turn, lift + turn]) / 2

    def state(self):
        return self.body

    def move(self, u):
        """Runge and Kutta's method, the thrusts held."""
        body, step, change = self.body, self.step, self.change
        a = change(body, u)
        b = change(body + step / 2 * a, u)
        c = change(body + step / 2 * b, u)
        d = change(body + step * c, u)
        self.body, self.at = body + step / 6 * (a + 2 * b + 2 * c + d), self.at + 1

    def config(self, CBFConfig, jnp, **options):
        quadrotor = self

        class Flight(CBFConfig):
            def __init__(self):
                super().__init__(n=6, m=2, **options)

            def f(self, z):
                return jnp.array([z[3], z[4], z[5], 0.0, -quadrotor.gravity, 0.0])

            def g(self, z):
                return jnp.zeros((6, 2)).at[3].set(-jnp.sin(z[2])).at[4].set(jnp.cos(z[2])).at[5].set(
                    jnp.array([-10.0, 10.0])
                )  # fmt: skip

            def h_2(self, z):
                return jnp.array([5 - z[1], z[1] - 1, 0.4 - z[2], 0.4 + z[2]])

            def alpha_2(self, h):
                return quadrotor.slow * h

            def alpha(self, h):
                return quadrotor.rate * h

        return Flight()


def by_osqp(task):
    import osqp
    from scipy import sparse

    fixed, limit = task.fixed
    rows, count = np.vstack([np.eye(2), fixed, np.ones((task.barriers, 2))]), len(limit) + task.barriers
    matrix, places = sparse.csc_matrix(rows), rows.T != 0
    problem = osqp.OSQP()
    lower, upper = np.concatenate([task.least, np.full(count, -np.inf)]), np.concatenate([task.most, np.zeros(count)])
    options = {"verbose": False, "eps_abs": 1e-8, "eps_rel": 1e-8, "polishing": False}
    problem.setup(sparse.csc_matrix(np.eye(2)), np.zeros(2), matrix, lower, upper, **options)

    def solve(u, matrix, right, state):
        values = np.vstack([np.eye(2), fixed, matrix]).T[places]
        problem.update(q=-u, Ax=values, u=np.concatenate([task.most, limit, right]))
        return problem.solve().x

    return solve


def by_daqp(task):
    import daqp

    fixed, limit = task.fixed
    lower = np.concatenate([task.least, np.full(len(limit) + task.barriers, -1e30)])
    senses = np.zeros(len(lower), np.int32)

    def solve(u, matrix, right, state):
        upper = np.concatenate([task.most, limit, right])
        return daqp.solve(np.eye(2), -u, np.vstack([fixed, matrix]), upper, lower, senses)[0]

    return solve


def by_cbfpy(task):
    os.environ["JAX_ENABLE_X64"] = "1"  # what cbfpy recommends
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    import jax
    import jax.numpy as jnp
    from cbfpy import CBF, CBFConfig

    fixed, limit = task.fixed

    @jax.tree_util.register_static
    class WithRows(CBF):
        """And rows of the inputs alone, which it has no place for."""

        def G_qp(self, z, u_des):
            return jnp.concatenate([super().G_qp(z, u_des), jnp.asarray(fixed)])

        def h_qp(self, z, u_des):
            return jnp.concatenate([super().h_qp(z, u_des), jnp.asarray(limit)])

    options = {"u_min": task.least, "u_max": task.most, "relax_qp": False, "solver_tol": 1e-8}
    filter = WithRows.from_config(task.config(CBFConfig, jnp, **options))
    return lambda u, matrix, right, state: np.asarray(filter.safety_filter(state, u))


def peers(task):
    found = {}
    for name, make in (("OSQP", by_osqp), ("DAQP", by_daqp), ("cbfpy", by_cbfpy)):
        try:
            found[name] = make(task)
        except ImportError as missing:
            print(f"{name} is left out: {missing}")
    return found


def broken(u, rows, task, filter):
    """Whether an input breaks a row, exactly; and by more than 1e-6."""
    if u is None or not np.isfinite(u).all():
        return True, True
    matrix, right = rows[: 2 * task.barriers].reshape(-1, 2), rows[2 * task.barriers :]
    fixed, limit = task.fixed
    excess = [matrix @ u - right, fixed @ u - limit, u - task.most, task.least - u]
    return not filter.region.check(np.asarray(u, np.float64), rows), max(e.max(initial=-np.inf) for e in excess) > 1e-6


def run(task, steps):
    filters = {name: Barrier(task.limits, task.barriers, map=name) for name in ("project", "contract")}
    filter = filters["project"]
    # Regions of their own: one would have been at the same rows a moment before.
    nearest, other = (Barrier(task.limits, task.barriers).region.project for _ in range(2))
    ways = {f"hcr, {name}": None for name in filters}
    ways["hcr, project, rows given"] = lambda u, matrix, right, state: nearest(u, rows)
    ways |= peers(task)

    def made_exact(u, matrix, right, state):
        u = ways["DAQP"](u, matrix, right, state)
        return u if other.region.check(u, rows) else other(u, rows)

    if "DAQP" in ways:
        ways["DAQP, made exact by hcr"] = made_exact
    order = list(ways)
    seconds, outside, far = {name: [] for name in ways}, dict.fromkeys(ways, 0), dict.fromkeys(ways, 0)
    changed = empty = 0
    for _ in range(steps):
        h, drift, control = task.barrier()
        wanted, state = task.wanted(), task.state()
        rows = filter.rows(h, drift, control, task.rate)
        matrix, right = rows[: 2 * task.barriers].reshape(-1, 2), rows[2 * task.barriers :]
        results = {}
        order.append(order.pop(0))
        for name in order:
            solve = ways[name]
            start = time.perf_counter()
            if solve is None:
                results[name] = filters[name.split(", ")[1]](wanted, h, drift, control, task.rate)[0]
            else:
                results[name] = solve(wanted, matrix, right, state)
            seconds[name].append(time.perf_counter() - start)
        u = results["hcr, project"]
        if np.isnan(u).any():
            empty, u = empty + 1, np.zeros(2)
        else:
            changed += bool((u != wanted).any())
            for name, result in results.items():
                at_all, much = broken(result, rows, task, filter)
                outside[name], far[name] = outside[name] + at_all, far[name] + much
        task.move(u)
    print(
        f"\n{type(task).__name__.lower()}: {steps} steps, {changed} inputs changed, {empty} states without an input\n"
    )
    print("| filter | µs a step | of DAQP's | outside, exactly | by more than 1e-6 |\n|---|---:|---:|---:|---:|")
    base = np.median(seconds.get("DAQP", seconds["hcr, project"]))
    for name, times in seconds.items():
        median = np.median(times)
        print(f"| {name} | {1e6 * median:.1f} | {median / base:.2f} | {outside[name]} | {far[name]} |")
    assert outside["hcr, project"] == outside["hcr, contract"] == 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    tasks = {"quadrotor": Quadrotor, "unicycle": Unicycle}
    arguments.add_argument("--only", choices=tasks)
    arguments.add_argument("--steps", type=int, help="of each, in place of 16,000 and 10,000")
    options = arguments.parse_args()
    for name, make in tasks.items():
        if options.only in (None, name):
            task = make()
            run(task, options.steps or task.steps)


if __name__ == "__main__":
    main()
