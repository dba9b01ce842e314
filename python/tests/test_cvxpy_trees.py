"""D10: `Region.from_cvxpy` against CVXPY's own `violation()`, over random expression trees of every atom that it takes.

HCR_TREES=2000 tries that many trees; each is made from its own number, which a failure names.
"""

from __future__ import annotations

import collections
import os
import warnings

import numpy as np
import pytest

import hcr

cp = pytest.importorskip("cvxpy")

pytestmark = pytest.mark.filterwarnings("ignore")

TREES = int(os.environ.get("HCR_TREES", 150))
# A frontier by both may differ by so much of the distance from the origin: margins take up to 1e-9 in these regions.
SHARE = 1e-6
MOST = 16  # elements of an expression


class Tree:
    """Random constraints around a point that is strictly inside."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.used: collections.Counter[str] = collections.Counter()
        self.given = None
        self.variables, self.constraints = [], []
        shapes = [(), (1,), (2,), (3,), (4,), (1, 1), (1, 3), (3, 1), (2, 2), (2, 3), (3, 2)]
        for shape in [(), *(shapes[i] for i in self.random.integers(len(shapes), size=self.random.integers(1, 3)))]:
            self.variables.append(self.variable(shape))
        self.pool = list(self.variables)
        if self.random.random() < 0.3:
            self.given = cp.Parameter(2, bounds=[-1, 1], value=self.random.uniform(-0.5, 0.5, 2))
        fixed = cp.Parameter(self.shape(), name="fixed")
        fixed.save_value(self.random.standard_normal(fixed.shape))
        self.pool += [fixed, cp.Constant(self.random.standard_normal(self.shape()))]
        for _ in range(14):
            self.grow()
        curved = [e for e in self.pool[len(self.variables) :] if not e.is_constant()]
        for e in [curved[i] for i in self.random.integers(len(curved), size=3)] + curved[-1:] if curved else []:
            self.constrain(e)
        self.count = sum(v.size for v in self.variables)

    # ------------------------------------------------------------------------------------------------------- leaves

    def choice(self, items):
        return items[self.random.integers(len(items))]

    def shape(self):
        return self.choice([(), (1,), (2,), (3,), (1, 3), (2, 2), (2, 3), (3, 1)])

    def variable(self, shape):
        value = np.round(self.random.uniform(-1, 1, shape), 3)
        kind = self.random.random()
        if shape == (2, 2) and kind < 0.4:
            attribute = self.choice(["symmetric", "PSD", "NSD", "diag"])
            v = cp.Variable(shape, **{attribute: True})
            value = {"symmetric": [[0.3, -0.4], [-0.4, 0.1]], "PSD": [[1, 0.2], [0.2, 0.8]]}.get(attribute)
            value = [[-0.9, 0.3], [0.3, -0.7]] if attribute == "NSD" else value
            value = np.array([[0.4, 0], [0, -0.3]] if attribute == "diag" else value)
        elif kind < 0.5:
            v, value = cp.Variable(shape, **{self.choice(["nonneg", "pos"]): True}), abs(value) + 0.2
        elif kind < 0.6:
            v, value = cp.Variable(shape, **{self.choice(["nonpos", "neg"]): True}), -abs(value) - 0.2
        elif kind < 0.7:
            v = cp.Variable(shape, bounds=self.choice([[-3, 3], [value - 1, value + 2], [None, value + 1]]))
        else:
            v = cp.Variable(shape, name=self.choice(["x", "max", "y z", "sum"]))
        v.save_value(value)
        low, high = value - self.random.uniform(0.5, 2, shape), value + self.random.uniform(0.5, 2, shape)
        if "diag" in [name for name, on in v.attributes.items() if on is True]:
            self.constraints += [cp.diag(v) >= np.diag(low), cp.diag(v) <= np.diag(high)]
        else:
            self.constraints += [v >= low, high >= v]
        return v

    # ------------------------------------------------------------------------------------------------------ growing

    def positive(self, e):
        """The expression, moved so that it is at least 0.6 at the point."""
        return e + (0.6 - float(np.min(e.value)) if np.min(e.value) < 0.6 else 0)

    def array(self, *shape):
        return np.round(self.random.standard_normal(shape), 2)

    def index(self, e):
        keys = []
        for size in e.shape:
            a = int(self.random.integers(-size, size))
            keys.append(
                self.choice(
                    [
                        a,
                        slice(None),
                        slice(a, None),
                        slice(None, a or None),
                        slice(None, None, -1),
                        slice(None, None, 2),
                        slice(a, None, -1),
                        [a, 0],
                        np.array([0, a]),
                        slice(a, a + 1 or None),
                    ]
                )
            )
        if e.ndim == 1 and self.random.random() < 0.2:
            keys.append(None)
        if e.ndim == 2 and self.random.random() < 0.2:
            keys.pop()
        return e[tuple(keys)] if len(keys) != 1 or self.random.random() < 0.5 else e[keys[0]]

    def atoms(self):
        """Name: what makes an expression of some others; those that don't fit raise."""
        r, c = self.random, self.choice
        axis = c([None, 0, 1, -1])
        keep = bool(r.random() < 0.3)
        order = c(["C", "F"])
        two = dict(axis=axis, keepdims=keep)
        one = {
            "promote": lambda e: cp.promote(e, c([(2,), (3,), (2, 2), (2, 3), (1,), (1, 1)])),
            "broadcast_to": lambda e: cp.broadcast_to(e, c([(2, 3), (3, 3), (2, 2), (3,), (1, 3)])),
            "reshape": lambda e: cp.reshape(
                e, c([s for s in [(), (1,), (e.size,), (1, e.size), (e.size, 1), (2, -1), (-1, 2), (3, -1), -1]]), order
            ),
            "vec": lambda e: cp.vec(e, order=order),
            "transpose": lambda e: c([e.T, cp.transpose(e)]),
            "swapaxes": lambda e: cp.swapaxes(e, 0, 1),
            "index": self.index,
            "mask": lambda e: e[r.random(e.shape) < 0.6],
            "sum": lambda e: cp.sum(e, **two),
            "mean": lambda e: cp.mean(e, **two),
            "cumsum": lambda e: cp.cumsum(e, c([0, 1])),
            "diff": lambda e: cp.diff(e, c([1, 2]), c([0, 1])),
            "trace": cp.trace,
            "diag": lambda e: cp.diag(e, c([0, 0, 1, -1])),
            # CVXPY gives it a second axis that its value hasn't
            "upper_tri": lambda e: cp.reshape(cp.upper_tri(e), (e.shape[0] * (e.shape[0] - 1) // 2,), "C"),
            "squeeze": cp.squeeze,
            "kron": lambda e: c([cp.kron(self.array(2, 1), e), cp.kron(e, self.array(1, 2))]),
            "convolve": lambda e: cp.convolve(self.array(2), e),
            "bmat": lambda e: cp.bmat([[e, e], [2 * e, -e]]),
            "outer": lambda e: c([cp.outer(e, self.array(2)), cp.outer(self.array(2), e)]),
            "neg": lambda e: -e,
            "scale": lambda e: c([e * 0.7, -1.3 * e, e / 2, e / np.array(-4.0)]),
            "times": lambda e: cp.multiply(self.array(*e.shape), e),
            "over": lambda e: e / (1 + abs(self.array(*e.shape))),
            "row": lambda e: c([e + self.array(e.shape[-1]), e * self.array(1, e.shape[-1])]),
            "matmul": lambda e: c([self.array(2, e.shape[0]) @ e, e @ self.array(e.shape[-1], 2)]),
            "dot": lambda e: c([self.array(e.shape[0]) @ e, e @ self.array(e.shape[-1])]),
            "shift": lambda e: c([e + 0.3, 1 - e, e - self.array(*e.shape)]),
            "symmetric_wrap": lambda e: cp.atoms.affine.wraps.symmetric_wrap(e + e.T),
            # curved, elementwise
            "abs": cp.abs,
            "pos": cp.pos,
            "neg_part": cp.neg,
            "square": cp.square,
            "power": lambda e: cp.power(e, c([1, 2, 4])),
            "power_positive": lambda e: cp.power(self.positive(e), c([0.5, 0.3, 1.5, 3, -1, -2, -0.5, 5, 2.5])),
            "sqrt": lambda e: cp.sqrt(self.positive(e)),
            "inv_pos": lambda e: cp.inv_pos(self.positive(e)),
            "exp": lambda e: cp.exp(0.5 * e),
            "log": lambda e: cp.log(self.positive(e)),
            "log1p": lambda e: cp.log1p(self.positive(e)),
            "logistic": cp.logistic,
            "entr": lambda e: cp.entr(self.positive(e)),
            "huber": lambda e: cp.huber(e, c([0.5, 1, 2])),
            "scalene": lambda e: cp.scalene(e, 2, 3),
            # reductions
            "max": lambda e: cp.max(e, **two),
            "min": lambda e: cp.min(e, **two),
            "norm": lambda e: cp.norm(e, c([1, 2, "inf"]), **two) if e.ndim < 2 or axis else cp.norm(e, "fro"),
            "norm_matrix": lambda e: cp.norm(e, c([1, 2, "inf", "nuc", "fro"])),
            "pnorm": lambda e: cp.pnorm(e, c([1, 1.5, 2, 3, "inf"]), **two),
            "mixed_norm": lambda e: cp.mixed_norm(e, c([1, 2]), c([1, 2, "inf"])),
            "sum_squares": lambda e: cp.sum_squares(e),
            "log_sum_exp": lambda e: cp.log_sum_exp(e, **two),
            "geo_mean": lambda e: cp.geo_mean(self.positive(e)),
            "harmonic_mean": lambda e: cp.harmonic_mean(self.positive(e)),
            "sigma_max": cp.sigma_max,
            "norm_nuc": lambda e: cp.normNuc(e),
            "lambda_max": lambda e: cp.lambda_max(e + e.T),
            "lambda_min": lambda e: cp.lambda_min(e + e.T),
            "quad_form": lambda e: cp.quad_form(e, self.semidefinite(e.size)),
            "tv": cp.tv,
            "var": cp.var,
            "std": cp.std,
            "ptp": lambda e: cp.ptp(e),
        }
        several = {
            "add": lambda e, f: c([e + f, e - f, e + 2 * f]),
            "hstack": lambda *es: cp.hstack(es),
            "vstack": lambda *es: cp.vstack(es),
            "concatenate": lambda *es: cp.concatenate(list(es), axis=c([0, 1])),
            "stack": lambda *es: cp.stack(es, axis=c([0, 1, -1])),
            "maximum": lambda *es: cp.maximum(*es),
            "minimum": lambda *es: cp.minimum(*es),
            "quad_over_lin": lambda e, f: cp.quad_over_lin(e, self.positive(cp.sum(f))),
            "rel_entr": lambda e, f: cp.rel_entr(self.positive(e), self.positive(f)),
            "kl_div": lambda e, f: cp.kl_div(self.positive(e), self.positive(f)),
        }
        return one, several

    def semidefinite(self, n):
        a = self.array(n, n)
        return a @ a.T if self.random.random() < 0.5 else a @ np.diag(self.random.random(n)) @ a.T

    def grow(self):
        """Adds an expression of what is there already."""
        one, several = self.atoms()
        for _ in range(60):
            name = self.choice(sorted({**one, **several}))
            late = self.pool[-6:] if self.random.random() < 0.6 else self.pool
            arguments = [self.choice(late) for _ in range(1 if name in one else 2)]
            if name in ("hstack", "vstack", "maximum", "minimum") and self.random.random() < 0.3:
                arguments.append(self.choice(self.pool))
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    e = (one.get(name) or several[name])(*arguments)
                    value = np.asarray(e.value, dtype=float)
            except Exception:  # CVXPY refuses the shapes, or these are no arguments of the atom
                continue
            if value.shape != e.shape:  # CVXPY contradicts itself
                continue
            if not e.is_dcp() or e.ndim > 2 or not 0 < e.size <= MOST or not np.abs(value).max() < 50:
                continue
            self.used[name] += 1
            self.pool.append(e)
            return

    # -------------------------------------------------------------------------------------------------- constraints

    def slack(self, shape):
        """Room at the point: a number, or one each."""
        return float(self.random.uniform(0.2, 1)) if self.random.random() < 0.5 else self.random.uniform(0.2, 1, shape)

    def constrain(self, e):
        value = np.asarray(e.value, dtype=float)
        flat = self.choice([e for e in self.pool if e.is_affine()]) if self.random.random() < 0.5 else cp.Constant(0)
        if flat.ndim and flat.shape != e.shape:
            flat = cp.Constant(0)
        if self.given is not None:
            flat = flat + 0.1 * self.given[0]
        offset = np.asarray(flat.value)
        room = self.slack(e.shape)
        kind = self.random.random()
        if not e.is_affine():
            up = e.is_convex()
            self.constraints.append(e + flat <= value + offset + room if up else e + flat >= value + offset - room)
        elif kind < 0.2 and e.ndim == 2 and e.shape[0] == e.shape[1]:
            level = -np.linalg.eigvalsh((value + value.T) / 2)[0] + 0.5
            self.constraints.append(e + level * np.eye(e.shape[0]) >> 0)
        elif kind < 0.3 and e.ndim == 2 and e.shape[0] == e.shape[1]:
            level = np.linalg.eigvalsh((value + value.T) / 2)[-1] + 0.5
            self.constraints.append(e << level * np.eye(e.shape[0]))
        elif kind < 0.45 and e.ndim == 1:
            self.constraints.append(cp.SOC(np.linalg.norm(value) + 0.5, e))
        elif kind < 0.45 and e.ndim == 2:
            axis = self.choice([0, 1])
            self.constraints.append(cp.SOC(np.linalg.norm(value, axis=axis) + 0.5, e, axis=axis))
        elif kind < 0.55 and e.size <= sum(v.size for v in e.variables()):  # more than that contradict by rounding
            self.constraints.append(self.choice([e == value, cp.Zero(e - value)]))
        elif kind < 0.65:
            self.constraints.append(self.choice([cp.NonPos(e - value - room), cp.NonNeg(value + room - e)]))
        else:
            self.constraints.append(self.choice([e <= value + room, value - room <= e]))

    # ------------------------------------------------------------------------------------------------------ judging

    def put(self, y):
        at = 0
        for v in self.variables:
            v.save_value(np.reshape(y[at : at + v.size], v.shape))
            at += v.size

    def all_constraints(self):
        every = list(self.constraints)
        for v in self.variables:
            attributes = v.attributes
            if attributes["nonneg"] or attributes["pos"]:
                every.append(v >= 0)
            if attributes["nonpos"] or attributes["neg"]:
                every.append(v <= 0)
            if attributes["symmetric"] or attributes["PSD"] or attributes["NSD"]:
                every.append(v[0, 1] == v[1, 0])
            if attributes["PSD"]:
                every.append(v >> 0)
            if attributes["NSD"]:
                every.append(v << 0)
            if attributes["diag"]:
                every += [v[0, 1] == 0, v[1, 0] == 0]
            if attributes["bounds"] is not None:
                low, high = attributes["bounds"]
                every += [v >= np.maximum(low, -1e9), v <= np.minimum(high, 1e9)]
        for c in self.constraints:
            for e in c.args:
                every += e.domain
        return every

    def violation(self, every, y):
        self.put(y)
        worst = max(float(np.max(c.residual)) for c in every)  # what violation() is or is the norm of
        return np.inf if np.isnan(worst) else worst

    def along(self, every, y):
        """Directions that keep the equalities: the null space of their Jacobian, which is exact by differences."""
        zeros = [c for c in every if type(c).__name__ in ("Equality", "Zero")]
        if not zeros:
            return np.eye(self.count)

        def residuals(point):
            self.put(point)
            return np.concatenate(
                [np.ravel(np.asarray((c.args[0] - c.args[1] if len(c.args) > 1 else c.args[0]).value)) for c in zeros]
            )

        at = residuals(y)
        jacobian = np.stack([residuals(y + unit) - at for unit in np.eye(self.count)], axis=1)
        _, sizes, right = np.linalg.svd(jacobian)
        rank = int((sizes > 1e-9 * max(sizes[0], 1)).sum()) if sizes.size else 0
        return right[rank:].T


def judge(seed: int) -> str:
    """What became of a tree: "agrees", or why it was refused; raises where both disagree."""
    tree = Tree(seed)
    point = np.concatenate([np.ravel(v.value) for v in tree.variables])
    every = tree.all_constraints()
    given = [tree.given] if tree.given is not None else []
    try:
        region = hcr.Region.from_cvxpy(tree.constraints, tree.variables, given)
    except hcr.UnsupportedError as reason:
        return f"unsupported: {str(reason)[9:90]}"
    except hcr.InvalidError as reason:
        if reason.code != "convexity":
            raise
        return f"convexity: {reason}"
    assert region.n == tree.count
    x = None if region.p == 0 else tree.given.value
    if region.p:
        region = region.at(x)
    free = tree.along(every, point)
    assert free.shape[1] == region.freedom, "another number of free coordinates"
    origin = region.origin
    assert tree.violation(every, origin) <= 1e-9, "the origin isn't inside by CVXPY"
    assert not region.residual(point) > 1e-9 and not region.violation(point)[0] > 1e-9, "the point isn't inside by hcr"
    for _ in range(4 if region.freedom else 0):
        d = free @ tree.random.standard_normal(free.shape[1])
        frontier = origin + d / region.gauge(d)
        inside, outside = (origin + (1 + s) * (frontier - origin) for s in (-SHARE, SHARE))
        assert tree.violation(every, inside) <= 1e-9, "too large"
        assert tree.violation(every, outside) > 0, "too small"
    return "agrees"


def show(seed: int) -> str:
    tree = Tree(seed)
    return f"tree {seed}\n" + "\n".join(f"  {c}" for c in tree.constraints)


def test_d10_regions_are_cvxpy_s():
    became: collections.Counter[str] = collections.Counter()
    used: collections.Counter[str] = collections.Counter()
    wrong = []
    for seed in range(TREES):
        try:
            outcome = judge(seed)
        except Exception as reason:
            wrong.append(f"{type(reason).__name__} {str(reason)[:300]} in {show(seed)}")
            continue
        became[outcome] += 1
        used.update(Tree(seed).used)
    print(*became.most_common(), used, sep="\n")
    assert not wrong, f"{len(wrong)} of {TREES}:\n" + "\n".join(wrong[:10])
    # The rest are those whose sign CVXPY knows and the language doesn't.
    assert became["agrees"] >= 0.9 * TREES
    one, several = Tree(0).atoms()
    assert TREES < 100 or {*one, *several} == {*used}
