"""Euclidean projection: hcr beside DAQP, one thread, one run.

    python bench/projection.py build/bench/libhcr.so

Both are called from Python, a point at a time, DAQP with its model updated and started from its last active set. The
points are those of bench/README.md, as they are (about 90 % outside) and five times as far away. The two take turns, so
that what else the machine does falls on both.
"""

import ctypes
import statistics
import sys
import time

import daqp
import numpy as np

TURNS = 7
Doubles = ctypes.POINTER(ctypes.c_double)


class Error(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_int),
        ("line", ctypes.c_int),
        ("column", ctypes.c_int),
        ("file", ctypes.c_char * 256),
        ("text", ctypes.c_char * 1536),
    ]


def doubles(array):
    return array.ctypes.data_as(Doubles)


class Projector:
    """The region lower <= y <= upper, row_lower <= A y <= row_upper, and a projector of it."""

    def __init__(self, library, A, lower, upper, row_lower, row_upper):
        self.hcr = ctypes.CDLL(library)
        self.hcr.hcr_project.argtypes = [
            ctypes.c_void_p,
            ctypes.c_size_t,
            ctypes.c_void_p,
            Doubles,
            Doubles,
            ctypes.c_void_p,
            ctypes.c_void_p,
        ]
        self.error = Error()
        self.n = A.shape[1]
        builder, region, self.projector = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        size = ctypes.c_size_t
        self.call("hcr_builder_create", None, ctypes.byref(builder))
        self.call("hcr_builder_add_variable", builder, b"y", size(self.n), 0)
        if lower is not None:
            self.call("hcr_builder_add_bounds", builder, size(0), size(self.n), doubles(lower), doubles(upper))
        self.call("hcr_builder_add_rows", builder, size(len(A)), doubles(A), doubles(row_lower), doubles(row_upper))
        self.call("hcr_builder_finish", builder, ctypes.byref(region))
        self.call("hcr_projector_create", region, ctypes.byref(self.projector))

    def call(self, name, *arguments):
        if getattr(self.hcr, name)(*arguments, ctypes.byref(self.error)) != 0:
            raise RuntimeError(self.error.text.decode())

    def project(self, points):
        y = np.empty_like(points)
        self.call("hcr_project", self.projector, len(points), None, doubles(points), doubles(y), None)
        return y

    def one_by_one(self, points):
        """The points and the seconds of each call."""
        y, times = np.empty_like(points), []
        pairs = [(doubles(points[i]), doubles(y[i])) for i in range(len(points))]
        project, error = self.hcr.hcr_project, ctypes.byref(self.error)
        for point, result in pairs:
            start = time.perf_counter()
            status = project(self.projector, 1, None, point, result, None, error)
            times.append(time.perf_counter() - start)
            if status != 0:
                raise RuntimeError(self.error.text.decode())
        return y, times


class Daqp:
    def __init__(self, A, lower, upper, row_lower, row_upper):
        low, high = np.maximum(row_lower, -1e30), np.minimum(row_upper, 1e30)
        if lower is not None:  # bounds of the variables come first
            low, high = np.r_[lower, low], np.r_[upper, high]
        self.model = daqp.Model()
        n = A.shape[1]
        self.model.setup(np.eye(n), np.zeros(n), A, high, low)

    def one_by_one(self, points):
        y, times = np.empty_like(points), []
        for i, point in enumerate(points):
            start = time.perf_counter()
            self.model.update(f=-point)
            y[i] = self.model.solve()[0]
            times.append(time.perf_counter() - start)
        return y, times


def single(x):
    return np.ascontiguousarray(x, dtype=np.float32).astype(np.float64)


def region(letter):
    """Rows, bounds, row bounds, and the deviation of the points."""
    if letter == "A":
        n = 48
        A = np.ascontiguousarray(np.eye(n)[:-1] - np.eye(n)[1:])
        return (A, np.full(n, -2.0), np.full(n, 2.0), np.full(n - 1, -0.5), np.full(n - 1, 0.5)), 0.184
    A = np.random.default_rng(1234).standard_normal((1000, 100))
    A = single(A / np.linalg.norm(A, axis=1, keepdims=True))
    return (A, None, None, np.full(1000, -np.inf), np.ones(1000)), 0.371


def measure(library):
    """Yields (what, hcr's microseconds, DAQP's, the largest difference of their distances)."""
    for letter, count in (("A", 1000), ("C", 200)):
        data, deviation = region(letter)
        ours, theirs = Projector(library, *data), Daqp(*data)
        for scale in (1, 5):
            points = single(scale * deviation * np.random.default_rng(7).standard_normal((count, data[0].shape[1])))
            mine, other, together = [], [], []
            for turn in range(TURNS + 1):
                y, my_times = ours.one_by_one(points)
                x, other_times = theirs.one_by_one(points)
                start = time.perf_counter()
                batch = ours.project(points)
                whole = (time.perf_counter() - start) / count
                if turn > 0:
                    mine.append(statistics.median(my_times))
                    other.append(statistics.median(other_times))
                    together.append(whole)
            if not np.array_equal(batch, y):
                raise RuntimeError("the batch gives other bits than single points")
            distances = [np.linalg.norm(points - z, axis=1) for z in (x, y)]
            apart = np.max(np.abs(distances[0] - distances[1]) / np.maximum(distances[0], 1e-9))
            yield (
                f"projection, {letter}" + (", five times as far" if scale == 5 else ""),
                1e6 * statistics.median(mine),
                1e6 * statistics.median(other),
                apart,
            )


if __name__ == "__main__":
    print(f"{'':36}{'hcr':>10}{'DAQP':>10}{'ratio':>8}   distances differ by at most")
    for name, mine, other, apart in measure(sys.argv[1]):
        print(f"{name:36}{mine:8.1f} µs{other:7.1f} µs{other / mine:8.2f}   {apart:.1e}")
