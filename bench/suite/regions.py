"""Regions A to F of bench/README.md and DC3's in NumPy and as region text, and the library's calls for them."""

import ctypes
import dataclasses
import pathlib
import subprocess
import tempfile

import numpy as np

DEVIATIONS = {"A": 0.184, "B": 0.373, "C": 0.371, "D": 0.120, "E": 0.232, "F": 0.0964, "DC3": 1}


def single(x):
    return np.asarray(x, dtype=np.float32).astype(np.float64)


def symmetric(x):
    return np.triu(x) + np.triu(x, 1).T


@dataclasses.dataclass
class Shape:
    """A region's outputs, its text with the matrices that it names, and what peers take it from."""

    letter: str
    n: int
    text: str
    data: dict = dataclasses.field(default_factory=dict)
    rows: np.ndarray = None  # C and DC3: rows @ y <= right
    right: np.ndarray = None
    equalities: np.ndarray = None  # DC3: equalities @ y == x, the parameters
    quadratics: list = dataclasses.field(default_factory=list)  # D: ½y'Py + q'y <= 1
    matrices: list = dataclasses.field(default_factory=list)  # E: I + Σ y_j F_j is positive semidefinite

    @property
    def declared(self):
        moving = "" if self.equalities is None else f"param x[{len(self.equalities)}] in [-1, 1]\n"
        return f"{moving}var y[{self.n}]"

    @property
    def origin(self):
        return f"origin = zeros({self.n})" if self.equalities is None else ""

    def points(self, count):
        return single(DEVIATIONS[self.letter] * np.random.default_rng(7).standard_normal((count, self.n)))

    def parameters(self, count):
        return (
            None if self.equalities is None else np.random.default_rng(6).uniform(-1, 1, (count, len(self.equalities)))
        )


def shape(letter):
    random = np.random.default_rng(1234)
    if letter == "DC3":  # as Donti, Rolnick and Kolter draw their quadratic programs, with a wide box
        A, G = random.standard_normal((50, 100)), random.standard_normal((50, 100))
        h, text = np.abs(G @ np.linalg.pinv(A)).sum(1), "-50 <= y <= 50\nA @ y == x\nG @ y <= h"
        return Shape(letter, 100, text, {"A": A, "G": G, "h": h}, rows=G, right=h, equalities=A)
    if letter in "AF":
        return Shape(letter, 48 if letter == "A" else 10000, "-2 <= y <= 2\nabs(y[1:] - y[:-1]) <= 0.5")
    if letter == "B":
        return Shape(letter, 768, "norm(y, 2) <= 10")
    if letter == "C":
        rows = random.standard_normal((1000, 100))
        rows = single(rows / np.linalg.norm(rows, axis=1, keepdims=True))
        return Shape(letter, 100, "A @ y <= 1", {"A": rows}, rows=rows, right=np.ones(1000))
    if letter == "D":
        n, made = 100, Shape(letter, 100, "")
        for i in range(100):
            factor = random.standard_normal((n, n))
            P = symmetric(single(factor.T @ factor / n + 0.1 * np.eye(n)))
            q = single(0.1 * random.standard_normal(n))
            made.quadratics.append((P, q))
            made.data |= {f"P{i}": P, f"q{i}": q}
            made.text += f"0.5*quad_form(y, P{i}) + q{i} @ y <= 1\n"
        return made
    n = 20
    matrices = [symmetric(single((G + G.T) / 2 / np.sqrt(n))) for G in random.standard_normal((n, n, n))]
    text = f"eye({n}) + " + " + ".join(f"y[{j}]*F{j}" for j in range(n)) + " >> 0"
    return Shape(letter, n, text, {f"F{j}": F for j, F in enumerate(matrices)}, matrices=matrices)


def pointer(array):
    return None if array is None else ctypes.c_void_p(array.ctypes.data)


class ProjectorOptions(ctypes.Structure):
    """hcr_projector_options."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("threads", ctypes.c_size_t),
        ("metric", ctypes.c_void_p),
        ("regularisation", ctypes.c_double),
        ("bad_value", ctypes.c_int),
        ("linear", ctypes.c_bool),
        ("warm_start", ctypes.c_bool),
    ]


class Region:
    """A region of the library, around the origin 0 where it has no parameters; one thread."""

    def __init__(self, build, of):
        self.library, self.n = ctypes.CDLL(str(build / "libhcr.so")), of.n
        self.error = ctypes.create_string_buffer(4096)
        self.region, self.workspace, self.projector, self.warm = (ctypes.c_void_p() for _ in range(4))
        with tempfile.TemporaryDirectory() as folder:
            lines = [of.declared]
            for name, values in of.data.items():
                np.save(f"{folder}/{name}.npy", values)
                lines.append(f'const {name} = read("{name}.npy")')
            source, compiled = pathlib.Path(folder, "source.region"), f"{folder}/compiled.hcr"
            source.write_text("\n".join([*lines, of.text, of.origin]) + "\n")
            subprocess.run([build / "hcr", "compile", source, "-o", compiled], check=True, capture_output=True)
            self.call("hcr_region_load", compiled.encode(), None, ctypes.byref(self.region))
        self.call("hcr_workspace_create", self.region, ctypes.c_size_t(1), ctypes.byref(self.workspace))
        for made, warm in ((self.projector, False), (self.warm, True)):
            options = ProjectorOptions(ctypes.sizeof(ProjectorOptions), threads=1, warm_start=warm)
            self.call("hcr_projector_create", self.region, ctypes.byref(options), ctypes.byref(made))

    def call(self, name, *arguments):
        if getattr(self.library, name)(*arguments, self.error) != 0:
            raise RuntimeError(self.error.raw[268:].split(b"\0")[0].decode())

    def map(self, name, given, bar=None):
        """A function without arguments that maps the rows of `given`, with the gradient for `bar` where there is one,
        and the array that it fills."""
        suffix, rows = "_f32" if given.dtype == np.float32 else "", ctypes.c_size_t(len(given))
        y, gradient = np.empty((len(given), self.n), given.dtype), np.empty_like(given)
        rays = np.empty((len(given), 2)) if bar is not None else None
        forward = getattr(self.library, f"hcr_{name}{suffix}")
        backward = getattr(self.library, f"hcr_{name}_vjp{suffix}")
        there = (self.region, self.workspace, rows, None)
        one = (*there, pointer(given), pointer(y), pointer(rays), self.error)
        two = (*there, pointer(given), pointer(rays), pointer(bar), pointer(gradient), None, self.error)

        def run():
            if forward(*one) != 0 or (bar is not None and backward(*two) != 0):
                raise RuntimeError(name)

        run.arrays = (given, y, rays, bar, gradient)  # which must live as long as the pointers
        return run, y

    def nearest(self, given, x=None, bar=None, warm=False):
        """As `map`, to the nearest points, for parameters x; `warm`: each from what held the one before."""
        rows, y, gradient = ctypes.c_size_t(len(given)), np.empty_like(given), np.empty_like(given)
        contacts = np.empty((*given.shape, 3)) if bar is not None else None  # an hcr_contact has three doubles
        forward, backward = self.library.hcr_project, self.library.hcr_project_vjp
        there = (self.warm if warm else self.projector, rows, pointer(x), pointer(given))
        one = (*there, pointer(y), None, pointer(contacts), self.error)
        two = (*there, pointer(contacts), pointer(bar), pointer(gradient), None, self.error)

        def run():
            if forward(*one) != 0 or (bar is not None and backward(*two) != 0):
                raise RuntimeError("hcr_project")

        run.arrays = (given, x, y, contacts, bar, gradient)  # which must live as long as the pointers
        return run, y

    def project(self, points, y):
        """A function that projects one of the points into y."""
        function, one = self.library.hcr_project, ctypes.c_size_t(1)
        arguments = [
            (self.projector, one, None, pointer(x), pointer(z), None, None, self.error)
            for x, z in zip(points, y, strict=True)
        ]

        def run(i):
            if function(*arguments[i]) != 0:
                raise RuntimeError("hcr_project")

        return run

    def inside(self, y, x=None):
        """The share of the points that satisfy every inequality, exactly, and the equalities up to rounding."""
        y, found = np.ascontiguousarray(y, dtype=np.float64), np.empty(len(y), dtype=np.uint8)
        self.call("hcr_check", self.region, ctypes.c_size_t(len(y)), pointer(x), pointer(y), pointer(found), None)
        return found.mean()
