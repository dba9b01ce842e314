"""The nearest point as a layer, in batches of 1 and 1,000, without and with the backward pass for a given gradient of
the results: hcr's C library and hcr.torch beside Moreau, cvxpylayers, Πnet, qpth and ProxQP's layer; DAQP, which has no
derivatives and takes a point at a time, beside the forward passes. All in double precision, which all of them have."""

import os
import sys

import numpy as np

from . import regions, results, solvers
from .layers import STEPS, Case, build_package, in_jax, in_torch

INFINITE = 1e20
SECONDS = 0.25  # what a batch may take: those that take longer get a smaller one
LONGEST = 3  # … and what one point may


class Layers:
    """Makers of cases, each of a shape, points, the gradient of the results and the parameters; None where a method
    has no such region."""

    def __init__(self, options):
        self.build, self.made, self.package = options.build, {}, {}

    def region(self, shape):
        if shape.letter not in self.made:
            self.made = {shape.letter: regions.Region(self.build, shape)}
        return self.made[shape.letter]

    def hcr(self, shape, v, bar, x, warm=False):
        region = self.region(shape)
        forward, y = region.nearest(v, x, warm=warm)
        gradient, _ = region.nearest(v, x, bar, warm)
        return Case(forward, gradient, len(v), lambda: y)

    def hcr_warm(self, shape, v, bar, x):
        return self.hcr(shape, v, bar, x, warm=True) if shape.letter in ("A", "C", "DC3") else None

    def of_package(self, shape):
        import hcr

        hcr.set_threads(1)
        if shape.letter not in self.package:
            text = "\n".join([shape.declared, shape.text, shape.origin])
            self.package = {shape.letter: hcr.Region(text, **shape.data)}
        return self.package[shape.letter]

    def hcr_python(self, shape, v, bar, x, warm=False):
        """A call for each point, as DAQP has them."""
        region, y = self.of_package(shape), np.empty_like(v)
        project = region.project.warm if warm else region.project

        def forward():
            for i, point in enumerate(v):
                y[i] = project(point, None if x is None else x[i])

        return Case(forward, None, len(v), lambda: y)

    def hcr_python_warm(self, shape, v, bar, x):
        return self.hcr_python(shape, v, bar, x, warm=True) if shape.letter in ("A", "C", "DC3") else None

    def hcr_torch(self, shape, v, bar, x):
        import hcr.torch
        import torch

        made, given = self.of_package(shape), None if x is None else torch.tensor(x)
        return in_torch(lambda points: hcr.torch.project(points, made, given), v, bar)

    def moreau(self, shape, v, bar, x):
        import moreau
        import moreau.torch
        import torch
        from scipy import sparse

        A, b, cones = as_cones(shape)
        A, P = sparse.csr_matrix(A), sparse.identity(shape.n, format="csr")
        pattern = [torch.tensor(a.astype(np.int64)) for a in (P.indptr, P.indices, A.indptr, A.indices)]
        settings = moreau.Settings(batch_size=len(v), device="cpu", enable_grad=True)
        solver = moreau.torch.Solver(shape.n, len(b), *pattern, moreau.Cones(**cones), settings)
        right = np.tile(b, (len(v), 1))
        if x is not None:
            right[:, : x.shape[1]] = x
        P, A, right = (torch.tensor(a) for a in (P.data, A.data, right))
        return in_torch(lambda points: solver.solve(P, A, -points, right).x, v, bar)

    def cvxpylayers(self, shape, v, bar, x, solver=None):
        import torch
        from cvxpylayers.torch import CvxpyLayer

        problem, parameters, y = as_problem(shape)
        layer = CvxpyLayer(problem, parameters=parameters, variables=[y], solver=solver)
        given = [] if x is None else [torch.tensor(x)]
        return in_torch(lambda points: layer(points, *given)[0], v, bar)

    def cvxpylayers_moreau(self, shape, v, bar, x):
        import moreau  # noqa: F401

        return self.cvxpylayers(shape, v, bar, x, "MOREAU")

    def pinet(self, shape, v, bar, x):
        if shape.letter not in ("A", "C", "DC3"):
            return None
        import jax
        import pinet
        from pinet.project import Project

        jax.config.update("jax_enable_x64", True)

        def column(values):
            return jax.numpy.asarray(np.atleast_2d(values)[:, :, None])

        parts, (rows, low, high) = {}, rows_of(shape)
        if shape.letter != "C":
            box = pinet.BoxConstraintSpecification(lb=column(-box_of(shape)), ub=column(box_of(shape)))
            parts["box_constraint"] = pinet.BoxConstraint(box)
        if x is not None:
            equality = pinet.EqualityConstraint(shape.equalities[None], column(x), method=None, var_b=True)
            parts["eq_constraint"] = equality
        inequality = pinet.AffineInequalityConstraint(jax.numpy.asarray(rows)[None], column(low), column(high))
        project = Project(ineq_constraint=inequality, **parts)

        def nearest(points):
            instance = pinet.ProjectionInstance(x=points[:, :, None])
            if x is not None:
                instance = instance.update(eq=pinet.EqualityConstraintsSpecification(b=column(x)))
            return project.call(y_raw=instance, n_iter=STEPS, n_iter_bwd=100)[0].x[:, :, 0]

        return in_jax(nearest, v, bar)

    def qpth(self, shape, v, bar, x):
        if shape.letter not in ("A", "C", "DC3"):
            return None
        import torch
        from qpth.qp import QPFunction

        Q, none, (G, h) = (
            torch.eye(shape.n, dtype=torch.float64),
            torch.tensor([], dtype=torch.float64),
            one_sided(shape),
        )
        A, b = (none, none) if x is None else (torch.tensor(shape.equalities), torch.tensor(x))
        G, h = torch.tensor(G), torch.tensor(h)
        return in_torch(lambda points: QPFunction(verbose=-1, check_Q_spd=False)(Q, -points, G, h, A, b), v, bar)

    def proxqp(self, shape, v, bar, x):
        if shape.letter not in ("A", "C", "DC3"):
            return None
        import torch
        from proxsuite.torch.qplayer import QPFunction

        Q, none = torch.eye(shape.n, dtype=torch.float64), torch.tensor([], dtype=torch.float64)
        rows, low, high = rows_of(shape)
        if shape.letter != "C":
            bounds = box_of(shape)
            rows, low, high = np.vstack([np.eye(shape.n), rows]), np.r_[-bounds, low], np.r_[bounds, high]
        A, b = (none, none) if x is None else (torch.tensor(shape.equalities), torch.tensor(x))
        rows, low, high = (torch.tensor(a) for a in (rows, np.maximum(low, -INFINITE), high))
        return in_torch(lambda points: QPFunction()(Q, -points, A, b, rows, low, high)[0], v, bar)

    def daqp(self, shape, v, bar, x):
        if shape.letter in ("A", "C"):
            solve = solvers.daqp(shape)
        elif shape.letter == "DC3":
            solve = daqp_with_equalities(shape, x)
        else:
            return None
        y = np.empty_like(v)

        def forward():
            for i, point in enumerate(v):
                y[i] = solve(point) if x is None else solve(point, x[i])

        return Case(forward, None, len(v), lambda: y)


def box_of(shape):
    """The outputs' bounds, from both sides: A, F and DC3."""
    return np.full(shape.n, 50.0 if shape.letter == "DC3" else 2.0)


def rows_of(shape):
    """Dense rows and their bounds, without those of the outputs: A, C and DC3."""
    if shape.letter == "A":
        return np.diff(np.eye(shape.n), axis=0), np.full(shape.n - 1, -0.5), np.full(shape.n - 1, 0.5)
    return shape.rows, np.full(len(shape.rows), -np.inf), shape.right


def one_sided(shape):
    """All inequalities as G y <= h."""
    from scipy import sparse

    if shape.letter in "AF":
        rows, _, high = solvers.rows_of(shape)
        stacked = sparse.vstack([rows, -rows])
        return (stacked.toarray() if shape.letter == "A" else stacked), np.r_[high, high]
    if shape.letter == "C":
        return shape.rows, shape.right
    box = np.eye(shape.n)
    return np.vstack([box, -box, shape.rows]), np.r_[box_of(shape), box_of(shape), shape.right]


def as_cones(shape):
    """Moreau's A and b of b − A y in cones, and those; equalities first."""
    if shape.letter in "BE":
        A, b, _ = solvers.cones(shape)
        return A, b, {"so_cone_dims": [shape.n + 1]} if shape.letter == "B" else {"psd_dims": [20]}
    A, b = one_sided(shape)
    cones = {"num_nonneg_cones": len(b)}
    if shape.equalities is not None:
        A, b = np.vstack([shape.equalities, A]), np.r_[np.zeros(len(shape.equalities)), b]
        cones["num_zero_cones"] = len(shape.equalities)
    return A, b, cones


def as_problem(shape):
    """CVXPY's problem, its parameters and its variable."""
    import cvxpy

    y, v = cvxpy.Variable(shape.n), cvxpy.Parameter(shape.n)
    parameters = [v]
    if shape.letter in "AF":
        limits = [y >= -2, y <= 2, cvxpy.diff(y) <= 0.5, cvxpy.diff(y) >= -0.5]
    elif shape.letter == "B":
        limits = [cvxpy.norm(y) <= 10]
    elif shape.letter == "E":
        limits = [np.eye(20) + sum(y[j] * F for j, F in enumerate(shape.matrices)) >> 0]
    else:
        limits = [shape.rows @ y <= shape.right]
    if shape.letter == "DC3":
        x = cvxpy.Parameter(len(shape.equalities))
        parameters.append(x)
        limits += [y >= -50, y <= 50, shape.equalities @ y == x]
    return cvxpy.Problem(cvxpy.Minimize(0.5 * cvxpy.sum_squares(y) - v @ y), limits), parameters, y


def daqp_with_equalities(shape, x):
    import daqp

    bounds, rows = box_of(shape), np.ascontiguousarray(np.vstack([shape.equalities, shape.rows]))
    count, low = len(shape.equalities), np.full(len(shape.rows), -solvers.INFINITE)
    sense = np.r_[np.zeros(shape.n), np.full(count, 5), np.zeros(len(shape.rows))].astype(np.intc)
    model = daqp.Model()
    upper, lower = (np.r_[s * bounds, x[0], side] for s, side in ((1, shape.right), (-1, low)))
    model.setup(np.eye(shape.n), np.zeros(shape.n), rows, upper, lower, sense)

    def solve(point, right):
        upper[shape.n : shape.n + count] = lower[shape.n : shape.n + count] = right
        model.update(f=-point, bupper=upper, blower=lower)
        return model.solve()[0]

    return solve


METHODS = {
    "hcr, C": Layers.hcr,
    "hcr, C, warm start": Layers.hcr_warm,
    "hcr, Python, one at a time": Layers.hcr_python,
    "hcr, Python, one at a time, warm start": Layers.hcr_python_warm,
    "hcr.torch": Layers.hcr_torch,
    "Moreau": Layers.moreau,
    "cvxpylayers": Layers.cvxpylayers,
    "cvxpylayers, Moreau": Layers.cvxpylayers_moreau,
    f"Πnet, {STEPS} steps": Layers.pinet,
    "qpth": Layers.qpth,
    "ProxQP's layer": Layers.proxqp,
    "DAQP": Layers.daqp,
}


def seconds(run):
    start = results.clock()
    run()
    return results.clock() - start


def cases_of(layers, make, shape, given, most, budget):
    """A case of one point, and one of as many as there is time for."""
    one = make(layers, shape, *(a if a is None else a[:1] for a in given))
    if one is None:
        return ()
    first = seconds(one.gradient or one.forward)
    if first > LONGEST:
        raise TimeoutError(f"one point takes {first:.0f} seconds")
    count = int(np.clip(budget / seconds(one.gradient or one.forward), 2, most))
    return one, make(layers, shape, *(a if a is None else a[:count] for a in given))


def compare(figures, layers, options, letter, farther=1):
    shape, subject = regions.shape(letter), letter + (", five times as far" if farther == 5 else "")
    if figures.all(part="nearest", subject=subject):  # of the run that this one resumes
        return
    most = 20 if options.quick else 100 if letter == "F" else 1000
    v, x = farther * shape.points(most), shape.parameters(most)
    bar = np.random.default_rng(9).standard_normal(v.shape)
    runs, cases = {}, {}
    for name, make in METHODS.items():
        try:
            made = cases_of(layers, make, shape, (v, bar, x), most, 0.1 if options.quick else SECONDS)
        except ImportError as missing:
            figures.leave_out("nearest", f"{name}, {letter}", missing)
            continue
        except TimeoutError as slow:
            figures.leave_out("nearest", f"{name}, {letter}", slow)
            continue
        except Exception as failed:
            figures.leave_out("nearest", f"{name}, {letter}", f"it fails: {failed}")
            continue
        for case in made:
            cases[name] = case
            runs[name, "forward", case.batch] = case.forward
            if case.gradient is not None:
                runs[name, "with gradient", case.batch] = case.gradient
    times = results.take_turns(runs, 1 if options.quick else 5, 2 * SECONDS)
    nearest = cases["hcr, C"].found()
    for (name, what, batch), taken in times.items():
        more = {}
        if what == "forward" and batch > 1:
            found = np.asarray(cases[name].found()).reshape(batch, shape.n)
            more["inside"] = float(layers.region(shape).inside(found, x))
            more["apart"] = max(float(np.abs(a - b).max()) for a, b in zip(found, nearest, strict=False))
        figures.add("nearest", subject, what, name, 1e6 * taken / batch, precision="double", batch=batch, more=more)
    if options.out:
        figures.write(options.out / "bench.json")


def measure(figures, options):
    os.environ["HCR_LIBRARY"] = str(build_package(options))
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("RAYON_NUM_THREADS", "1")
    sys.path.insert(0, str(options.home / "python" / "src"))
    layers = Layers(options)
    for letter in [*(options.regions or "ABCEF"), *(["DC3"] if options.regions is None else [])]:
        if letter != "D":
            compare(figures, layers, options, letter)
        if letter == "A":
            compare(figures, layers, options, letter, farther=5)
