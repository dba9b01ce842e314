"""Post-processing of the paper's two experiments: hcr's maps beside solvers that project, called from Python.

    python bench/postprocessing.py build/hcr build/libhcr.so Hourly-train.csv

The points are those predictions of plain networks that lie outside: of M4 hourly series (trained by the command on the
first fifth of the windows), and of the paper's ball, where they are drawn. Every solver gets them one at a time,
set up once and started from its last solution where it can be; hcr's maps take them one at a time, from Python too, and
all together. The contenders take turns, so that what else the machine does falls on all.
"""

import ctypes
import pathlib
import subprocess
import sys
import tempfile
import time

import clarabel
import daqp
import numpy as np
import osqp
from scipy import sparse

SERIES = ("H1", "H155", "H267", "H407")
Doubles = ctypes.POINTER(ctypes.c_double)
TURNS = 3
MOST = 300  # points a region


class Error(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_int),
        ("line", ctypes.c_int),
        ("column", ctypes.c_int),
        ("file", ctypes.c_char * 256),
        ("text", ctypes.c_char * 1536),
    )


def doubles(array):
    return array.ctypes.data_as(Doubles)


class Region:
    """A compiled region with its maps and a projector; calls return seconds."""

    def __init__(self, library, path):
        self.hcr, self.error = ctypes.CDLL(library), Error()
        self.region, self.workspace, self.projector = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.call("hcr_region_load", str(path).encode(), None, ctypes.byref(self.region))
        self.call("hcr_workspace_create", self.region, ctypes.c_size_t(1), ctypes.byref(self.workspace))
        self.call("hcr_projector_create", self.region, None, ctypes.byref(self.projector))
        self.hcr.hcr_region_dimension.restype = ctypes.c_size_t
        self.hcr.hcr_region_origin.restype = Doubles
        n = self.hcr.hcr_region_dimension(self.region)
        self.origin = np.ctypeslib.as_array(self.hcr.hcr_region_origin(self.region), (n,))

    def call(self, name, *arguments):
        if getattr(self.hcr, name)(*arguments, ctypes.byref(self.error)) != 0:
            raise RuntimeError(self.error.text.decode())

    def map(self, name, points, y):
        rows = ctypes.c_size_t(len(points))
        self.call(name, self.region, self.workspace, rows, None, doubles(points), doubles(y), None)

    def together(self, name, points, n):
        """Seconds a point, all in one call."""
        y, best = np.empty((len(points), n)), np.inf
        for _ in range(20):
            start = time.perf_counter()
            self.map(name, points, y)
            best = min(best, time.perf_counter() - start)
        return best / len(points)

    def project(self, points):
        y, times = np.empty_like(points), []
        call, error = self.hcr.hcr_project, ctypes.byref(self.error)
        for i in range(len(points)):
            point, result = doubles(points[i]), doubles(y[i])
            start = time.perf_counter()
            call(self.projector, ctypes.c_size_t(1), None, point, result, None, None, error)
            times.append(time.perf_counter() - start)
        return y, times

    def contract(self, points):
        y, v, times = np.empty_like(points), points - self.origin, []
        call, error = self.hcr.hcr_contract, ctypes.byref(self.error)
        for i in range(len(points)):
            point, result = doubles(v[i]), doubles(y[i])
            start = time.perf_counter()
            call(self.region, self.workspace, ctypes.c_size_t(1), None, point, result, None, None, error)
            times.append(time.perf_counter() - start)
        return y, times


def timed(points, solve):
    y, times = np.empty_like(points), []
    for i, point in enumerate(points):
        start = time.perf_counter()
        y[i] = solve(point)
        times.append(time.perf_counter() - start)
    return y, times


def polytope_peers(lower, upper, step, n):
    difference = np.eye(n)[1:] - np.eye(n)[:-1]
    low, high = np.full(n, lower), np.full(n, upper)
    rows_low, rows_high = np.r_[low, np.full(n - 1, -step)], np.r_[high, np.full(n - 1, step)]

    def osqp_model(tolerance):
        model = osqp.OSQP()
        A = sparse.csc_matrix(np.vstack([np.eye(n), difference]))
        model.setup(
            sparse.csc_matrix(np.eye(n)),
            np.zeros(n),
            A,
            rows_low,
            rows_high,
            verbose=False,
            eps_abs=tolerance,
            eps_rel=tolerance,
        )

        def solve(point):
            model.update(q=-point)
            return model.solve().x

        return solve

    model = daqp.Model()
    model.setup(np.eye(n), np.zeros(n), difference, rows_high, rows_low)

    def solve_daqp(point):
        model.update(f=-point)
        return model.solve()[0]

    return {"OSQP, tolerance 1e-3": osqp_model(1e-3), "OSQP, tolerance 1e-6": osqp_model(1e-6), "DAQP": solve_daqp}


def ball_peers(radius, n):
    """min ½|y|² − p·y with (radius, y) in the second-order cone."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    A = sparse.csc_matrix(np.vstack([np.zeros((1, n)), -np.eye(n)]))
    right, P = np.r_[radius, np.zeros(n)], sparse.csc_matrix(np.eye(n))

    def solve_clarabel(point):
        return clarabel.DefaultSolver(P, -point, A, right, [clarabel.SecondOrderConeT(n + 1)], settings).solve().x

    def closed_form(point):
        return point * min(1, radius / np.linalg.norm(point))

    return {"Clarabel": solve_clarabel, "closed form, NumPy": closed_form}


def compare(title, region, points, peers):
    n = points.shape[1]
    contenders = {"hcr project": region.project, "hcr contract": region.contract}
    contenders.update({name: lambda p, solve=solve: timed(p, solve) for name, solve in peers.items()})
    times = {name: [] for name in contenders}
    nearest = None
    for turn in range(TURNS + 1):
        for name, run in contenders.items():
            y, seconds = run(points)
            if name == "hcr project":
                nearest = y
            elif name != "hcr contract" and np.abs(y - nearest).max() > 1e-2 * np.ptp(nearest):
                raise RuntimeError(f"{name} finds other points")
            if turn > 0:  # the first warms up
                times[name].append(seconds)
    polar = np.empty((len(points), n + 1))
    region.map("hcr_encode", np.ascontiguousarray(nearest), polar)
    decode = region.together("hcr_decode", polar, n)
    contract = region.together("hcr_contract", points - region.origin, n)
    print(f"\n{title}: {len(points)} points\n")
    print("| one sample | mean, µs | maximum, µs | mean / hcr decode's |")
    print("|---|---:|---:|---:|")
    for name, seconds in (("hcr decode, all together", decode), ("hcr contract, all together", contract)):
        print(f"| {name} | {1e6 * seconds:.3g} | – | {seconds / decode:.3g} |")
    for name, runs in times.items():
        best = np.min(runs, axis=0)
        mean, most = best.mean(), best.max()
        print(f"| {name}, one call from Python each | {1e6 * mean:.3g} | {1e6 * most:.3g} | {mean / decode:.4g} |")


def run(*command):
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)


def m4_points(command, series, name, folder):
    """Limits, and predictions that break them, of a plain network."""
    home = folder / name
    run(command, "windows", series, "--id", name, "--split", "time", "-o", home)
    region, model = home / "limits.region", home / "model"
    options = ("--encoder", "lstm", "--head", "simple", "--epochs", 100, "--rate", 3e-3)
    run(command, "fit", region, home / "x_train.csv", home / "y_train.csv", "-o", model, "-q", *options)
    run(command, "predict", model, home / "x_test.csv", "-o", home / "predicted.csv")
    run(command, "compile", region, "-o", home / "limits.hcr")
    limits = np.loadtxt(home / "limits.csv", delimiter=",", skiprows=1).ravel()
    points = np.loadtxt(home / "predicted.csv", delimiter=",", skiprows=1)
    outside = (points < limits[0]) | (points > limits[1])
    steps = np.abs(np.diff(points, axis=1)).max(axis=1) > limits[2]
    return home / "limits.hcr", limits, np.ascontiguousarray(points[outside.any(axis=1) | steps][:MOST])


def main(command, library, series):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for name in SERIES:
            path, (lower, upper, step), points = m4_points(command, series, name, folder)
            if len(points) > 0:
                compare(
                    f"M4, {name}", Region(library, path), points, polytope_peers(lower, upper, step, points.shape[1])
                )
        text, n = folder / "ball.region", 768
        text.write_text(f"var y[{n}]\nnorm(y) <= 10\n")
        run(command, "compile", text, "-o", folder / "ball.hcr")
        points = np.random.default_rng(7).standard_normal((100, n))
        points *= 12 / np.linalg.norm(points, axis=1, keepdims=True)
        compare(
            "The ball, |y| <= 10 in 768 dimensions", Region(library, folder / "ball.hcr"), points, ball_peers(10, n)
        )


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
