"""Projection: hcr beside solvers, a point at a time, all called from Python; and hcr's decode, in a batch, beside both.

Every solver is set up once and starts from its last solution where it can. Clarabel takes no new objective for curved
regions, so that there a point costs its set-up too."""

import statistics
import time

import numpy as np

from . import regions

INFINITE = 1e30


def chain(n):
    """A's and F's differences, sparse."""
    from scipy import sparse

    return sparse.diags([np.ones(n), -np.ones(n)], [0, 1], shape=(n - 1, n), format="csc")


def rows_of(shape):
    """Sparse rows, bounds of them: A, F and C."""
    from scipy import sparse

    if shape.rows is not None:
        return sparse.csc_matrix(shape.rows), np.full(len(shape.rows), -np.inf), np.ones(len(shape.rows))
    bounds = np.r_[np.full(shape.n, 2.0), np.full(shape.n - 1, 0.5)]
    return sparse.vstack([sparse.eye(shape.n), chain(shape.n)]).tocsc(), -bounds, bounds


def osqp(shape):
    import osqp
    from scipy import sparse

    if shape.letter not in "ACF":
        return None
    rows, low, high = rows_of(shape)
    model = osqp.OSQP()
    settings = {"verbose": False, "eps_abs": 1e-6, "eps_rel": 1e-6, "max_iter": 100000}
    model.setup(sparse.eye(shape.n).tocsc(), np.zeros(shape.n), rows, low, high, **settings)

    def solve(point):
        model.update(q=-point)
        return model.solve().x

    return solve


def daqp(shape):
    import daqp

    if shape.letter not in "AC":  # it is dense: F's matrix would have 800 MB
        return None
    model = daqp.Model()
    if shape.letter == "A":
        rows, high = chain(shape.n).toarray(), np.r_[np.full(shape.n, 2.0), np.full(shape.n - 1, 0.5)]
        low = -high
    else:
        rows, high, low = shape.rows, np.ones(len(shape.rows)), np.full(len(shape.rows), -INFINITE)
    model.setup(np.eye(shape.n), np.zeros(shape.n), np.ascontiguousarray(rows), high, low)

    def solve(point):
        model.update(f=-point)
        return model.solve()[0]

    return solve


def proxqp(shape):
    from proxsuite import proxqp
    from scipy import sparse

    if shape.letter not in "ACF":
        return None
    n, (rows, low, high) = shape.n, rows_of(shape)
    low = np.maximum(low, -1e20)
    if shape.letter == "F":
        model = proxqp.sparse.QP(n, 0, len(low))
        model.init(sparse.eye(n).tocsc(), np.zeros(n), None, None, rows, low, high)
    elif shape.letter == "A":
        model = proxqp.dense.QP(n, 0, n - 1, True)
        model.init(np.eye(n), np.zeros(n), None, None, chain(n).toarray(), low[n:], high[n:], low[:n], high[:n])
    else:
        model = proxqp.dense.QP(n, 0, len(low))
        model.init(np.eye(n), np.zeros(n), None, None, shape.rows, low, high)
    model.settings.eps_abs = 1e-9 if shape.letter != "F" else 1e-5
    model.solve()
    model.settings.initial_guess = proxqp.InitialGuess.WARM_START_WITH_PREVIOUS_RESULT

    def solve(point):
        model.update(g=-point)
        model.solve()
        return model.results.x

    return solve


def cones(shape):
    """Clarabel's: matrix, right side, cones of b − A y."""
    import clarabel

    n = shape.n
    if shape.letter == "B":
        return np.vstack([np.zeros((1, n)), -np.eye(n)]), np.r_[10, np.zeros(n)], [clarabel.SecondOrderConeT(n + 1)]
    if shape.letter == "D":  # |2 L'y, w − 1| <= w + 1 with P = L L', w = 2 − 2 q'y
        blocks = [np.vstack([2 * q, 2 * q, -2 * np.linalg.cholesky(P).T]) for P, q in shape.quadratics]
        right = np.tile(np.r_[3.0, 1.0, np.zeros(n)], len(blocks))
        return np.vstack(blocks), right, [clarabel.SecondOrderConeT(n + 2)] * len(blocks)
    upper = [(i, j) for j in range(20) for i in range(j + 1)]
    scale = np.array([1 if i == j else np.sqrt(2) for i, j in upper])

    def vector(matrix):
        return np.array([matrix[i, j] for i, j in upper]) * scale

    return -np.stack([vector(F) for F in shape.matrices], axis=1), vector(np.eye(20)), [clarabel.PSDTriangleConeT(20)]


def clarabel(shape):
    import clarabel
    from scipy import sparse

    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    P = sparse.eye(shape.n).tocsc()
    if shape.letter in "ACF":
        rows, low, high = rows_of(shape)
        two = np.isfinite(low)
        A, b = sparse.vstack([rows, -rows[two]]).tocsc() if two.any() else rows, np.r_[high, -low[two]]
        settings.presolve_enable = False
        model = clarabel.DefaultSolver(P, np.zeros(shape.n), A, b, [clarabel.NonnegativeConeT(len(b))], settings)

        def solve(point):
            model.update(q=-point)
            return model.solve().x

        return solve
    A, b, kinds = cones(shape)
    A = sparse.csc_matrix(A)
    return lambda point: clarabel.DefaultSolver(P, -point, A, b, kinds, settings).solve().x


SOLVERS = {"DAQP": daqp, "OSQP, 1e-6": osqp, "ProxQP": proxqp, "Clarabel": clarabel}
MOST = 500  # points


def timed(run, points, out):
    """Seconds of each point."""
    times = []
    for i in range(len(points)):
        start = time.perf_counter()
        run(i)
        times.append(time.perf_counter() - start)
    return times


def contenders(results, shape, region, points):
    """By name: a function of the number of a point, and where the results are."""
    y = np.empty_like(points)
    made = {"hcr": (region.project(points, y), y)}
    for name, make in SOLVERS.items():
        try:
            solve = make(shape)
        except ImportError as missing:
            results.leave_out("solvers", f"{name}, {shape.letter}", missing)
            continue
        if solve is not None:
            z = np.empty_like(points)

            def run(i, solve=solve, z=z):
                z[i] = solve(points[i])

            made[name] = run, z
    return made


def compare(results, options, letter, farther=1):
    shape, subject = regions.shape(letter), letter + (", five times as far" if farther == 5 else "")
    region = regions.Region(options.build, shape)
    budget, turns = (0.05, 1) if options.quick else (0.7, 5)
    points = farther * shape.points(MOST if letter != "F" else 50)
    times, counts, made = {}, {}, contenders(results, shape, region, points)
    batch = 100 if letter == "F" else 1000
    random = np.random.default_rng(8)
    polar = np.c_[farther * shape.points(batch), random.random(batch)]
    decode, _ = region.map("decode", polar)
    decoded = []
    for name, (run, z) in made.items():  # a warm-up, which tells how many points there is time for
        once = timed(run, points[:2], z)
        counts[name] = int(np.clip(budget / once[-1], 2, len(points)))
    for _ in range(turns):
        for name, (run, z) in made.items():
            if sum(map(sum, times.get(name, []))) < 8 * budget:
                times.setdefault(name, []).append(timed(run, points[: counts[name]], z))
        decode()  # so that it finds its own data in the caches, not the solvers', as in the other parts
        for _ in range(20 if letter == "A" else 1):
            start = time.perf_counter()
            decode()
            decoded.append((time.perf_counter() - start) / batch)
    results.add("solvers", subject, "decode", "hcr", 1e6 * statistics.median(decoded), precision="double", batch=batch)
    for name, taken in times.items():
        each = 1e6 * np.median(taken, axis=0)
        nearest, found = made["hcr"][1][: counts[name]], made[name][1][: counts[name]]
        count = min(len(nearest), counts["hcr"])
        apart = np.abs(found[:count] - nearest[:count]).max() / np.abs(nearest[:count]).max()
        more = {"most": float(each.max()), "points": counts[name], "apart": float(apart)}
        more["inside"] = float(region.inside(found))
        results.add("solvers", subject, "project", name, float(np.median(each)), precision="double", batch=1, more=more)


def measure(results, options):
    for letter in options.regions or "ABCDEF":
        compare(results, options, letter)
        if letter in "AC":
            compare(results, options, letter, farther=5)
