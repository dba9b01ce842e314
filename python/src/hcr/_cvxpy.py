"""CVXPY constraints as region text: most atoms have a function of the same meaning there.

The text of an expression has the expression's shape: (), (n,) or (r, c). Affine atoms without a function of their own
(kron, conv, upper_tri …) become a constant matrix times what they take.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ._arrays import Array
from .errors import make

_WORDS = frozenset(
    """
    var const param let origin unbounded psd union except star end or and not if for in inf read chebyshev analytic
    mean abs max min maximum minimum pos neg sum diff cumsum dot trace norm square sum_squares quad_form
    quad_over_lin huber power sqrt inv_pos geo_mean harmonic_mean exp log log1p log_sum_exp logistic entropy
    sum_largest sum_smallest rel_entr kl_div lambda_max lambda_min sigma_max norm_nuc sin cos tanh atan vstack hstack
    reshape transpose diag zeros ones eye range len
    """.split()  # noqa: SIM905
)
# Matrices of affine atoms that have no function of their own may have so many entries.
_MOST_ENTRIES = 1 << 24
# Powers of weighted means are fractions of at most this number: a mean has as many factors.
_MOST_FACTORS = 64

# Atoms that are a function of their arguments, without further options.
_PLAIN = {
    "abs": "abs",
    "maximum": "maximum",
    "minimum": "minimum",
    "exp": "exp",
    "log": "log",
    "log1p": "log1p",
    "logistic": "logistic",
    "entr": "entropy",
    "rel_entr": "rel_entr",
    "kl_div": "kl_div",
    "sigma_max": "sigma_max",
    "normNuc": "norm_nuc",
    "trace": "trace",
    "Trace": "trace",
}
# Atoms that only say something about what they take: complex numbers are refused, and the sign is proved anew.
_SAME = frozenset(
    "conj real nonneg_wrap nonpos_wrap psd_wrap nsd_wrap symmetric_wrap hermitian_wrap skew_symmetric_wrap".split()  # noqa: SIM905
)
# Those that take an axis, too.
_REDUCTIONS = {
    "max": "max({})",
    "min": "min({})",
    "norm1": "norm({}, 1)",
    "norm_inf": "norm({}, inf)",
    "log_sum_exp": "log_sum_exp({})",
}


class _Translation:
    def __init__(self, variables: Sequence[Any], parameters: Sequence[Any], open: bool = False) -> None:
        self.open = open  # parameters needn't have bounds
        self.lines: list[str] = []
        self.constants: dict[str, Array] = {}
        self.names: dict[int, str] = {}
        self.domains: list[str] = []
        self.given = {parameter.id for parameter in parameters}
        for variable in (*variables, *parameters):
            self._declare(variable)

    # ------------------------------------------------------------------------------------------------------ leaves

    def _declare(self, variable: Any) -> None:
        for kind in ("boolean", "integer", "complex", "imag", "hermitian"):
            if variable.attributes.get(kind):
                raise _refusal(variable, f"a variable or parameter that is {kind}")
        if variable.ndim > 2:
            raise _refusal(variable, "a variable or parameter of more than two dimensions")
        name = re.sub(r"\W", "_", variable.name(), flags=re.ASCII)
        if not name or name[0].isdigit() or name in _WORDS:
            name = f"v_{name}"
        while name in self.names.values():
            name += "_"
        self.names[variable.id] = name
        word = "param" if variable.id in self.given else "var"
        size = "" if variable.ndim == 0 else f"[{variable.size}]"
        self.lines.append(f"{word} {name}{size}{self._range(variable) if variable.id in self.given else ''}")

    def _range(self, parameter: Any) -> str:
        """What a parameter may be, from its bounds."""
        bounds = parameter.attributes.get("bounds")
        sides = [] if bounds is None else [np.asarray(bound, np.float64) for bound in bounds]
        if not sides or not all(np.isfinite(bound).all() for bound in sides):
            if self.open:
                return ""
            raise _refusal(parameter, "a parameter without finite bounds (cvxpy.Parameter(…, bounds=[lower, upper]))")
        texts = (self.constant(bound if bound.ndim < 2 else bound.reshape(-1)) for bound in sides)
        return f" in [{', '.join(texts)}]"

    def _varies(self, e: Any) -> bool:
        """Whether a parameter that comes with each sample is in an expression."""
        return any(parameter.id in self.given for parameter in e.parameters())

    def attributes(self, variable: Any) -> Iterable[str]:
        """What the variable's own attributes say."""
        name, attributes = self.names[variable.id], variable.attributes
        if attributes.get("nonneg") or attributes.get("pos"):
            yield f"{name} >= 0"
        if attributes.get("nonpos") or attributes.get("neg"):
            yield f"{name} <= 0"
        if attributes.get("bounds") is not None:
            lower, upper = (self.expression(_constant(bound, variable.shape)) for bound in attributes["bounds"])
            yield f"{lower} <= {self.expression(variable)} <= {upper}"
        if attributes.get("diag"):
            n = variable.shape[0]
            if n > 1:
                yield f"{name}[{n} * i + j] == 0 for i in range({n}) for j in range({n}) if i != j"
        if attributes.get("sparsity"):
            absent = np.ones(variable.shape, dtype=bool)
            absent[tuple(attributes["sparsity"])] = False
            yield from (f"{name}[{i}] == 0" for i in np.flatnonzero(absent))
        if attributes.get("symmetric") or attributes.get("PSD") or attributes.get("NSD"):
            n = variable.shape[0]
            if n > 1:
                yield f"{name}[{n} * i + j] == {name}[{n} * j + i] for i in range({n}) for j in range(i)"
        if attributes.get("PSD"):
            yield self._psd(variable)
        if attributes.get("NSD"):
            yield self._psd(-variable)

    def constant(self, value: Any) -> str:
        array = np.asarray(value.todense() if hasattr(value, "todense") else value)
        if np.iscomplexobj(array):
            raise make("unsupported", "complex numbers can't be carried over from CVXPY")
        array = array.astype(np.float64)
        if array.ndim == 0:
            number = float(array)
            if not np.isnan(number):
                text = repr(abs(number)) if number != 0 else "0"
                return f"(-{text})" if number < 0 else text
        if array.ndim > 2:
            raise make("unsupported", f"a constant of {array.ndim} dimensions can't be carried over from CVXPY")
        for name, known in self.constants.items():
            if known.shape == array.shape and np.array_equal(known, array):
                return name
        name = f"c{len(self.constants)}"
        while name in self.names.values():
            name = "_" + name
        self.constants[name] = array
        return name

    # -------------------------------------------------------------------------------------------------- expressions

    def expression(self, e: Any) -> str:
        """The text of an expression; brackets around all that isn't a name, a number or a call."""
        if e.id in self.names if hasattr(e, "id") else False:
            name = self.names[e.id]
            return f"reshape({name}, {e.shape[0]}, {e.shape[1]})" if e.ndim == 2 else name
        varies = self._varies(e)
        if e.is_constant() and not varies:
            value = e.value
            if value is None:
                raise _refusal(e, "a parameter without a value, that isn't among the parameters given,")
            return self.constant(value)
        kind = type(e).__name__
        if kind in _SAME:
            return self.expression(e.args[0])
        if kind in _PLAIN:
            return f"{_PLAIN[kind]}({', '.join(self._elementwise(e))})"
        if kind in _REDUCTIONS:
            return self._reduce(e, _REDUCTIONS[kind])
        method: Callable[[Any], str] | None = getattr(self, f"_{kind}", None)
        return self._by_matrix(e) if method is None else method(e)

    def _arguments(self, e: Any) -> list[str]:
        return [self.expression(argument) for argument in e.args]

    def _elementwise(self, e: Any) -> list[str]:
        """The arguments where shapes broadcast: a scalar stays one, if something beside it has the shape."""
        if not any(argument.shape == e.shape and type(argument).__name__ != "Promote" for argument in e.args):
            return self._arguments(e)
        return [self.expression(a.args[0] if type(a).__name__ == "Promote" else a) for a in e.args]

    def _shaped(self, text: str, shape: tuple[int, ...]) -> str:
        """The elements in the order of rows, in another shape."""
        return f"reshape({text}, {', '.join(map(str, shape))})" if shape else f"sum({text})"

    def _AddExpression(self, e: Any) -> str:
        return f"({' + '.join(self._elementwise(e))})"

    def _NegExpression(self, e: Any) -> str:
        return f"(-{self.expression(e.args[0])})"

    def _multiply(self, e: Any) -> str:
        return f"({' * '.join(self._elementwise(e))})"

    def _DivExpression(self, e: Any) -> str:
        return f"({' / '.join(self._elementwise(e))})"

    def _MulExpression(self, e: Any) -> str:
        a, b = self._arguments(e)
        return f"({a} * {b})" if e.args[0].ndim == 0 or e.args[1].ndim == 0 else f"({a} @ {b})"

    def _Promote(self, e: Any) -> str:
        text = self.expression(e.args[0])
        return f"({text} + zeros({', '.join(map(str, e.shape))}))" if e.shape != e.args[0].shape else text

    _broadcast_to = _Promote

    def _Sum(self, e: Any) -> str:
        inner, axes = self.expression(e.args[0]), _axes(e)
        text = f"sum({inner})" if len(axes) == e.args[0].ndim else f"sum({inner}, {axes[0]})"
        return self._kept(e, text)

    def _kept(self, e: Any, text: str) -> str:
        """A reduction's text, with the axes that it keeps."""
        return self._shaped(text, e.shape) if getattr(e, "keepdims", False) and e.shape else text

    def _cumsum(self, e: Any) -> str:
        inner, text = e.args[0], self.expression(e.args[0])
        if e.axis is None or inner.size == 1:
            text = text if inner.ndim == 1 else self._shaped(text, (inner.size,))
            return text if e.shape == (inner.size,) and inner.size == 1 else self._shaped(f"cumsum({text})", e.shape)
        if inner.ndim == 1:
            return f"cumsum({text})"
        axis = e.axis % 2
        sums = self.constant(np.tri(inner.shape[axis]))
        return f"({text} @ {sums}.T)" if axis else f"({sums} @ {text})"

    def _transpose(self, e: Any) -> str:
        text, axes = self.expression(e.args[0]), getattr(e, "axes", None)
        return text if e.ndim < 2 or (axes is not None and list(axes) == [0, 1]) else f"{text}.T"

    def _reshape(self, e: Any) -> str:
        inner = self.expression(e.args[0])
        if e.ndim > 2 or e.args[0].ndim > 2:
            raise _refusal(e, "a reshape to more than two dimensions")
        if getattr(e, "order", "F") == "C" or (e.ndim < 2 and e.args[0].ndim < 2):
            return self._shaped(inner, e.shape)
        turned = f"{inner}.T" if e.args[0].ndim == 2 else inner
        return self._shaped(turned, e.shape[::-1]) + (".T" if e.ndim == 2 else "")

    def _index(self, e: Any) -> str:
        original = e._orig_key if isinstance(e._orig_key, tuple) else (e._orig_key,)
        dropped = [isinstance(key, (int, np.integer)) for key in original]
        dropped += [False] * (len(e.key) - len(dropped))
        if len(dropped) != len(e.key) or any(key is None or key is Ellipsis for key in original):
            return self._picked(e, e._orig_key)
        parts = []
        for key, single, size in zip(e.key, dropped, e.args[0].shape, strict=True):
            # CVXPY has them counted from the front already; −1 is before the first, not the last.
            ends = (key.start, key.stop, key.step)
            start, stop, step = key.indices(size) if None in ends else ends
            end = "" if stop < 0 else str(stop)
            parts.append(str(start) if single else f"{start}:{end}" + (f":{step}" if step != 1 else ""))
        return f"{self.expression(e.args[0])}[{', '.join(parts)}]"

    def _special_index(self, e: Any) -> str:
        return self._picked(e, e.key)

    def _upper_tri(self, e: Any) -> str:
        return self._shaped(self._elements(e.args[0], np.triu_indices(e.args[0].shape[0], 1)), e.shape)

    def _picked(self, e: Any, key: Any) -> str:
        return self._shaped(self._elements(e.args[0], key), e.shape)

    def _elements(self, e: Any, key: Any) -> str:
        """A vector of single elements, by their numbers."""
        picked = np.arange(e.size).reshape(e.shape)[key].reshape(-1)
        return f"{self._flat(e)}[[{', '.join(map(str, picked))}]]"

    def _Hstack(self, e: Any) -> str:
        return f"hstack({', '.join(self._arguments(e))})"

    def _Vstack(self, e: Any) -> str:
        return f"vstack({', '.join(self._arguments(e))})"

    def _Concatenate(self, e: Any) -> str:
        if e.axis is None:
            return f"hstack({', '.join(map(self._flat, e.args))})"
        return self._Vstack(e) if e.ndim == 2 and e.axis % 2 == 0 else self._Hstack(e)

    def _diag_mat(self, e: Any) -> str:
        return self._by_matrix(e) if e.k else f"diag({self.expression(e.args[0])})"

    def _diag_vec(self, e: Any) -> str:
        return self._by_matrix(e) if e.k else f"diag({self.expression(e.args[0])})"

    def _power(self, e: Any) -> str:
        """CVXPY takes powers but even ones of x >= 0 only; the language asks for that to be said."""
        p = float(e.p.value if hasattr(e.p, "value") else e.p)
        x = self.expression(e.args[0])
        if p == 1:
            return x
        if p < 0 and p.is_integer():
            return f"inv_pos({x})" if p == -1 else f"(inv_pos({x}) ** {self.constant(-p)})"
        if p > 1 and p.is_integer() and p % 2 == 1:
            if not e.args[0].is_nonneg():
                self.domains.append(f"{x} >= 0")
            x = f"pos({x})"
        return f"({x} ** {self.constant(p)})"

    _PowerApprox = _Power = _power

    def _Pnorm(self, e: Any) -> str:
        p = float(e.p)
        if p == -1:  # of x >= 0: 1/Σ(1/x)
            size = e.args[0].size // max(e.size, 1)
            return self._reduce(e, f"(harmonic_mean({{}}) / {size})")
        if p < 1:
            raise _refusal(e, f"pnorm with p = {p:g}")
        return self._reduce(e, f"norm({{}}, {self.constant(p)})")

    _PnormApprox = _pnorm = _Pnorm

    def _geo_mean(self, e: Any) -> str:
        text, weights = self._flat(e.args[0]), np.asarray(e.p, dtype=np.float64)
        if e.args[0].size > 1:
            return self._weighted_mean(e, [f"{text}[{i}]" for i in range(len(weights))], weights)
        if not e.args[0].is_nonneg():
            self.domains.append(f"{text} >= 0")
        return self._shaped(text, e.shape)

    def _weighted_mean(self, e: Any, elements: Sequence[str], weights: Array) -> str:
        """Π xᵢ^wᵢ, where the weights are equal or fractions of a small number: each element as often as they say."""
        shares = weights / weights.sum()
        for whole in (len(shares), *range(1, _MOST_FACTORS + 1)):
            counts = np.rint(shares * whole)
            if np.abs(counts / whole - shares).max() <= 1e-12:
                factors = [element for element, count in zip(elements, counts, strict=True) for _ in range(int(count))]
                return f"geo_mean([{', '.join(factors)}])"
        raise _refusal(e, f"weights or powers that aren't fractions of a number up to {_MOST_FACTORS}")

    _GeoMeanApprox = _geo_mean

    def _quad_over_lin(self, e: Any) -> str:
        t = e.args[1]
        if t.is_constant() and not self._varies(t) and t.value == 1:
            return self._reduce(e, "sum_squares({})")
        divisor = self.expression(t)
        return self._reduce(e, f"quad_over_lin({{}}, {self._shaped(divisor, ()) if t.ndim else divisor})")

    def _QuadForm(self, e: Any) -> str:
        return f"quad_form({self._flat(e.args[0])}, {self.expression(e.args[1])})"

    def _lambda_max(self, e: Any) -> str:
        text = self.expression(e.args[0])
        if not e.args[0].is_symmetric():
            self.domains.append(f"{text} == {text}.T")
        return f"lambda_max(({text} + {text}.T) / 2)"

    def _sum_largest(self, e: Any) -> str:
        return self._reduce(e, f"sum_largest({{}}, {self.constant(min(e.k, e.args[0].size // e.size))})")

    def _huber(self, e: Any) -> str:
        return f"huber({self.expression(e.args[0])}, {self.constant(e.M.value)})"

    def _each(self, e: Any) -> list[str]:
        """The elements one by one, row by row."""
        text = self._flat(e) if e.ndim else self.expression(e)
        return [f"{text}[{i}]" for i in range(e.size)] if e.ndim else [text]

    def _flat(self, e: Any) -> str:
        """All elements as a vector, in whatever order."""
        text = self.expression(e)
        return text if e.ndim == 1 else f"reshape({text}, {e.size})"

    def _reduce(self, e: Any, form: str) -> str:
        inner, axes = e.args[0], _axes(e)
        if len(axes) == inner.ndim:
            return self._kept(e, form.format(self._flat(inner)))
        text = self.expression(inner)
        parts = [
            form.format(f"{text}[{i}, :]" if axes[0] == 1 else f"{text}[:, {i}]")
            for i in range(inner.shape[1 - axes[0]])
        ]
        return self._kept(e, f"[{', '.join(parts)}]")

    def _by_matrix(self, e: Any) -> str:
        """An atom that is affine in what it takes as a matrix times that, element by element in the order of rows."""
        moving = [i for i, a in enumerate(e.args) if not a.is_constant() or self._varies(a)]
        if not (hasattr(e, "is_atom_convex") and e.is_atom_convex() and e.is_atom_concave()):
            raise _refusal(e, f"the atom {type(e).__name__}")
        if len(moving) > 1 and self._varies(e):
            raise _refusal(e, f"the atom {type(e).__name__} of a parameter that comes with each sample")
        if e.ndim > 2 or any(argument.ndim > 2 for argument in e.args):
            raise _refusal(e, f"{type(e).__name__} of more than two dimensions")
        if e.size * sum(e.args[i].size for i in moving) > _MOST_ENTRIES:
            raise _refusal(e, f"the atom {type(e).__name__} of so many variables")
        values = [np.zeros(a.shape) if i in moving else np.asarray(a.value, float) for i, a in enumerate(e.args)]

        def result() -> Array:
            return np.array(e.numeric(values), dtype=np.float64).reshape(-1)

        offset = result()
        terms = [self.constant(offset)] if offset.any() else []
        for i in moving:
            matrix = np.empty((e.size, e.args[i].size))
            for j in range(e.args[i].size):
                values[i] = np.zeros(e.args[i].shape)
                values[i].reshape(-1)[j] = 1
                matrix[:, j] = result() - offset
            values[i] = np.zeros(e.args[i].shape)
            terms.append(f"{self.constant(matrix)} @ {self._flat(e.args[i])}")
        return self._shaped(f"({' + '.join(terms)})", e.shape)

    # -------------------------------------------------------------------------------------------------- constraints

    def constraint(self, c: Any) -> Iterable[str]:
        kind = type(c).__name__
        if kind in ("Inequality", "Equality"):
            relation = "<=" if kind == "Inequality" else "=="
            yield f"{self.expression(c.args[0])} {relation} {self.expression(c.args[1])}"
        elif kind in ("NonPos", "NonNeg", "Zero"):
            relation = {"NonPos": "<=", "NonNeg": ">=", "Zero": "=="}[kind]
            yield f"{self.expression(c.args[0])} {relation} 0"
        elif kind == "PSD":
            yield self._psd(c.args[0])
        elif kind == "SOC":
            yield from self._soc(c)
        elif kind == "ExpCone":  # y exp(x/y) <= z
            x, y, z = self._arguments(c)
            yield f"{x} + rel_entr({y}, {z}) <= 0"
        elif kind in ("PowCone3D", "PowCone3DApprox"):  # x^a y^(1-a) >= |z|
            elements = (self._each(e) for e in c.args)
            for a, *factors, limited in zip(np.ravel(c.alpha.value), *elements, strict=True):
                yield f"abs({limited}) <= {self._weighted_mean(c, factors, np.array([a, 1 - a]))}"
        elif kind in ("PowConeND", "PowConeNDApprox"):  # Π Wᵢ^aᵢ >= |z|, of each column (axis 0) or row
            w, alpha = c.args[0] if c.axis == 0 else c.args[0].T, np.asarray(c.alpha.value, dtype=np.float64)
            columns = np.reshape(self._each(w), (w.shape[0], -1)).T
            weights = np.reshape(alpha if c.axis == 0 else alpha.T, (w.shape[0], -1)).T
            for factors, powers, limited in zip(columns, weights, self._each(c.args[1]), strict=True):
                yield f"abs({limited}) <= {self._weighted_mean(c, factors, powers)}"
        else:
            raise _refusal(c, f"the constraint {kind}")

    def _psd(self, e: Any) -> str:
        text = self.expression(e)
        return f"psd(({text} + {text}.T) / 2)"

    def _soc(self, c: Any) -> Iterable[str]:
        t, x = c.args
        right, left = self.expression(t), self.expression(x)
        if x.ndim < 2:
            yield f"norm({self._flat(x)}) <= {right}" if t.ndim == 0 else f"norm({self._flat(x)}) <= sum({right})"
            return
        for i in range(t.size):
            part = f"{left}[{i}, :]" if c.axis == 1 else f"{left}[:, {i}]"
            yield f"norm({part}) <= {right}[{i}]" if t.ndim else f"norm({part}) <= {right}"


def _axes(e: Any) -> tuple[int, ...]:
    """The axes that a reduction goes along; all of them where none is given."""
    axis, count = getattr(e, "axis", None), e.args[0].ndim
    if axis is None or count == 0:
        return tuple(range(count))
    return tuple(sorted({a % count for a in (axis if isinstance(axis, tuple) else (axis,))}))


def _constant(value: Any, shape: tuple[int, ...]) -> Any:
    import cvxpy

    if isinstance(value, cvxpy.Expression):
        return value
    return cvxpy.Constant(np.broadcast_to(value, shape) if np.ndim(value) else value)


def _refusal(e: Any, what: str) -> Exception:
    text = str(e)
    return make(
        "unsupported", f"{what} can't be carried over from CVXPY: {text if len(text) < 200 else text[:200] + '…'}"
    )


def _listed(given: Any, kind: str) -> list[Any]:
    """CVXPY's objects one by one, where one alone may stand for a list of it."""
    import cvxpy

    alone = {"constraint": cvxpy.constraints.constraint.Constraint, "variable": cvxpy.Variable}.get(
        kind, cvxpy.Parameter
    )
    found = [given] if isinstance(given, alone) else list(getattr(given, "constraints", given))
    for item in found:
        if isinstance(item, (bool, np.bool_)):
            raise make("argument", "a constraint is a plain True or False: it has no variable")
        if not isinstance(item, alone):
            raise make("argument", f"{str(item)[:100]} is no {kind} of CVXPY, but {type(item).__name__}")
    return found


def translate(
    constraints: Any,
    variables: Any,
    parameters: Any = (),
    origin: Any = "chebyshev",
    unbounded: bool = False,
    open: bool = False,
) -> tuple[str, dict[str, Array]]:
    """The region text of CVXPY constraints, and its constants."""
    found = _listed(constraints, "constraint")
    variables = None if variables is None else _listed(variables, "variable")
    parameters = _listed(parameters, "parameter")
    occurring = {variable.id: variable for c in found for variable in c.variables()}
    if variables is None:
        variables = [occurring[key] for key in sorted(occurring)]
    strange = [variable for key, variable in occurring.items() if key not in {v.id for v in variables}]
    if strange:
        raise make(
            "name", f"the constraints have the variable {strange[0].name()}, which isn't among the variables given"
        )
    if not variables:
        raise make("argument", "there is no variable")
    translation = _Translation(variables, parameters, open)
    lines = [line for variable in variables for line in translation.attributes(variable)]
    lines += [line for c in found for line in translation.constraint(c)]
    lines += translation.domains
    head = [*translation.lines, *(["unbounded"] if unbounded else [])]
    if not isinstance(origin, str):
        lines.append(f"origin = {translation.constant(np.ravel(origin))}")
    elif origin != "chebyshev":
        lines.append(f"origin = {origin}")
    return "\n".join([*head, *lines]) + "\n", translation.constants
