"""Constrained layers in batches of 1 and 1,000, without and with the backward pass for a given gradient of the results:
hcr's C library, hcr.torch and hcr.jax beside RAYEN, Πnet, cvxpylayers and, for the ball, torch's closed form."""

import os
import subprocess
import sys
import types

import numpy as np

from . import regions
from .results import take_turns

TYPES = {"double": np.float64, "single": np.float32}
STEPS = 50  # of Πnet's projection, forward; 100 backward: its documentation's


class Case:
    """Inputs as a layer takes them: `forward()` gives the results, `gradient()` what the backward pass takes too."""

    def __init__(self, forward, gradient, batch, found=None):
        self.forward, self.gradient, self.batch = forward, gradient, batch
        self.found = found or forward


class Layers:
    """Makers of cases, each of a shape, a precision and the inputs; None where a method has no such region."""

    def __init__(self, options):
        self.build, self.made = options.build, {}

    def region(self, shape):
        if shape.letter not in self.made:
            self.made = {shape.letter: regions.Region(self.build, shape)}
        return self.made[shape.letter]

    def hcr_contract(self, shape, x, bar):
        region = self.region(shape)
        forward, y = region.map("contract", x)
        gradient, _ = region.map("contract", x, bar)
        return Case(forward, gradient, len(x), lambda: y)

    def hcr_decode(self, shape, x, bar):
        region, radii = self.region(shape), np.random.default_rng(8).random(len(x))
        polar = np.ascontiguousarray(np.c_[x, radii.astype(x.dtype)])
        forward, y = region.map("decode", polar)
        gradient, _ = region.map("decode", polar, bar)
        return Case(forward, gradient, len(x), lambda: y)

    def hcr_torch(self, shape, x, bar):
        import hcr.torch

        hcr.set_threads(1)
        made = self.package(shape)
        return in_torch(lambda v: hcr.torch.contract(v, made), x, bar)

    def hcr_jax(self, shape, x, bar):
        import hcr.jax

        made = self.package(shape)
        return None if shape.letter == "E" else in_jax(lambda v: hcr.jax.contract(v, made), x, bar)

    def package(self, shape):
        """The region as the Python package has it."""
        import hcr

        if self.made.get("package", (None,))[0] != shape.letter:
            text = f"var y[{shape.n}]\n{shape.text}\norigin = zeros({shape.n})"
            self.made["package"] = shape.letter, hcr.Region(text, **shape.data)
        return self.made["package"][1]

    def closed_form(self, shape, x, bar):
        if shape.letter != "B":
            return None
        import torch

        def scale(v):
            return v * (10 / torch.linalg.vector_norm(v, dim=-1, keepdim=True)).clamp(max=1)

        return in_torch(scale, x, bar)

    def rayen(self, shape, x, bar):
        import torch

        sys.modules.setdefault("cdd", types.ModuleType("cdd"))  # RAYEN wants it for what isn't used here
        from rayen import constraint_module, constraints

        n, kind = shape.n, torch.float64 if x.dtype == np.float64 else torch.float32
        parts = {"lc": None, "qcs": [], "lmic": None, "y0": np.zeros((n, 1)), "do_preprocessing_linear": False}
        if shape.letter == "A":
            step = np.eye(n)[:-1] - np.eye(n)[1:]
            right = np.r_[np.full(2 * n, 2.0), np.full(2 * (n - 1), 0.5)][:, None]
            parts["lc"] = constraints.LinearConstraint(
                np.vstack([np.eye(n), -np.eye(n), step, -step]), right, None, None
            )
        elif shape.letter == "B":
            ball = constraints.ConvexQuadraticConstraint(2 / 100 * np.eye(n), np.zeros((n, 1)), -np.ones((1, 1)))
            parts["qcs"] = [ball]
        elif shape.letter == "C":
            parts["lc"] = constraints.LinearConstraint(shape.rows, np.ones((len(shape.rows), 1)), None, None)
        elif shape.letter == "D":
            make = constraints.ConvexQuadraticConstraint
            parts["qcs"] = [make(P, q[:, None], -np.ones((1, 1))) for P, q in shape.quadratics]
        else:
            parts["lmic"] = constraints.LMIConstraint([*shape.matrices, np.eye(n)])
        torch.set_default_dtype(kind)
        limits = constraints.ConvexConstraints(**parts)
        module = constraint_module.ConstraintModule(limits, create_map=False, method="RAYEN")

        def contract(v):
            torch.set_default_dtype(kind)
            return module(v)

        return in_torch(contract, x, bar)

    def pinet(self, shape, x, bar):
        """Rows and boxes. Its cones have their right side among the outputs, so the ball of B is none; quadratics and
        matrix inequalities it doesn't have."""
        if shape.letter not in "AC" or x.dtype == np.float64:
            return None
        import jax
        from pinet import AffineInequalityConstraint, BoxConstraint, BoxConstraintSpecification, ProjectionInstance
        from pinet.project import Project

        def column(value, rows):
            return jax.numpy.full((1, rows, 1), value, dtype=x.dtype)

        n = shape.n
        if shape.letter == "A":
            step = jax.numpy.asarray(np.eye(n)[:-1] - np.eye(n)[1:], dtype=x.dtype)[None]
            rows = AffineInequalityConstraint(c_mat=step, lb=column(-0.5, n - 1), ub=column(0.5, n - 1))
            box = BoxConstraint(BoxConstraintSpecification(lb=column(-2, n), ub=column(2, n)))
            project = Project(ineq_constraint=rows, box_constraint=box)
        else:
            A = jax.numpy.asarray(shape.rows, dtype=x.dtype)[None]
            rows = AffineInequalityConstraint(c_mat=A, lb=column(-np.inf, A.shape[1]), ub=column(1, A.shape[1]))
            project = Project(ineq_constraint=rows)

        def contract(v):
            return project.call(y_raw=ProjectionInstance(x=v[:, :, None]), n_iter=STEPS, n_iter_bwd=100)[0].x[:, :, 0]

        return in_jax(contract, x, bar)

    def cvxpylayers(self, shape, x, bar):
        """D isn't here: its cones have a million coefficients, and a point takes seconds."""
        if shape.letter == "D" or x.dtype == np.float32:
            return None
        import cvxpy
        from cvxpylayers.torch import CvxpyLayer

        n, x, bar = shape.n, x[:20], bar[:20]
        y, point = cvxpy.Variable(n), cvxpy.Parameter(n)
        if shape.letter == "A":
            limits = [y <= 2, y >= -2, cvxpy.abs(cvxpy.diff(y)) <= 0.5]
        elif shape.letter == "B":
            limits = [cvxpy.norm(y) <= 10]
        elif shape.letter == "C":
            limits = [shape.rows @ y <= 1]
        else:
            limits = [np.eye(n) + sum(y[j] * F for j, F in enumerate(shape.matrices)) >> 0]
        problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(y - point)), limits)
        project = CvxpyLayer(problem, [point], [y])
        return in_torch(lambda v: project(v)[0], x, bar)


def in_torch(function, x, bar):
    import torch

    torch.set_num_threads(1)
    v, derivative = torch.tensor(x), torch.tensor(bar)

    def forward():
        with torch.no_grad():
            return function(v)

    def gradient():
        leaf = v.clone().requires_grad_()
        y = function(leaf)
        y.backward(derivative.reshape(y.shape))

    return Case(forward, gradient, len(x))


def in_jax(function, x, bar):
    import jax

    jax.config.update("jax_enable_x64", x.dtype == np.float64)
    v, derivative = jax.numpy.asarray(x), jax.numpy.asarray(bar)
    forward, gradient = jax.jit(function), jax.jit(lambda v, b: jax.vjp(function, v)[1](b))

    def with_type(call):
        def run():
            jax.config.update("jax_enable_x64", x.dtype == np.float64)
            return jax.block_until_ready(call())

        return run

    return Case(with_type(lambda: forward(v)), with_type(lambda: gradient(v, derivative)), len(x))


METHODS = {
    "hcr, C, contract": Layers.hcr_contract,
    "hcr, C, decode": Layers.hcr_decode,
    "hcr.torch": Layers.hcr_torch,
    "hcr.jax": Layers.hcr_jax,
    "torch, closed form": Layers.closed_form,
    "RAYEN": Layers.rayen,
    f"Πnet, {STEPS} steps": Layers.pinet,
    "cvxpylayers": Layers.cvxpylayers,
}


def compare(results, layers, options, letter, precision):
    shape = regions.shape(letter)
    most = 20 if options.quick else 1000
    x = shape.points(most).astype(TYPES[precision])
    bar = np.random.default_rng(9).standard_normal((most, shape.n)).astype(TYPES[precision])
    runs, cases = {}, {}
    for name, make in METHODS.items():
        try:
            one, many = (make(layers, shape, x[:count], bar[:count]) for count in (1, most))
        except ImportError as missing:
            results.leave_out("layers", f"{name}, {letter}, {precision}", missing)
            continue
        if many is None:
            continue
        cases[name] = many
        for case in (one, many):
            runs[name, "forward", case.batch] = case.forward
            runs[name, "with gradient", case.batch] = case.gradient
    times = take_turns(runs, 1 if options.quick else 15, 1.5)
    for (name, what, batch), seconds in times.items():
        more = {}
        if what == "forward" and batch > 1:
            found = np.asarray(cases[name].found()).reshape(batch, shape.n)
            more = {"inside": float(layers.region(shape).inside(found))}
        value = 1e6 * seconds / batch
        results.add("layers", letter, what, name, value, precision=precision, batch=batch, more=more)


def build_package(options):
    """The package's library: hcr's with XLA's calls."""
    folder = options.build / "package"
    configure = ["cmake", "-S", options.home / "python", "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
    subprocess.run(configure, check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--build", folder], check=True, stdout=sys.stderr)
    return folder / "hcr" / "libhcr.so"


def measure(results, options):
    os.environ["HCR_LIBRARY"] = str(build_package(options))
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    sys.path.insert(0, str(options.home / "python" / "src"))
    layers = Layers(options)
    for letter in options.regions or "ABCDE":
        if letter != "F":
            for precision in TYPES:
                compare(results, layers, options, letter, precision)
