"""CVXPY constraints as region text: most atoms have a function of the same meaning there.

Affine atoms without one (kron, conv, upper_tri, selections …) become a constant matrix times the variables.
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
    var const param origin unbounded psd union except star end or and not if for in inf read chebyshev analytic
    mean abs max min maximum minimum pos neg sum diff cumsum dot trace norm square sum_squares quad_form
    quad_over_lin huber power sqrt inv_pos geo_mean harmonic_mean exp log log1p log_sum_exp logistic entropy
    rel_entr kl_div lambda_max lambda_min sigma_max norm_nuc sin cos tanh atan vstack hstack reshape transpose
    diag zeros ones eye range len
    """.split()  # noqa: SIM905
)
# Matrices of affine atoms that have no function of their own may have so many entries.
_MOST_ENTRIES = 1 << 24

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
    "lambda_max": "lambda_max",
    "sigma_max": "sigma_max",
    "normNuc": "norm_nuc",
    "trace": "trace",
    "harmonic_mean": "harmonic_mean",
}
# Those that take an axis, too.
_REDUCTIONS = {
    "max": "max({})",
    "min": "min({})",
    "norm1": "norm({}, 1)",
    "norm_inf": "norm({}, inf)",
    "log_sum_exp": "log_sum_exp({})",
}


class _Translation:
    def __init__(self, variables: Sequence[Any], parameters: Sequence[Any]) -> None:
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
            raise _refusal(parameter, "a parameter without finite bounds (cvxpy.Parameter(…, bounds=[lower, upper]))")
        texts = (self.constant(bound if bound.ndim < 2 else bound.reshape(-1)) for bound in sides)
        return f" in [{', '.join(texts)}]"

    def _varies(self, e: Any) -> bool:
        """Whether a parameter that comes with each sample is in an expression."""
        return any(parameter.id in self.given for parameter in e.parameters())

    def attributes(self, variable: Any) -> Iterable[str]:
        """What the variable's own attributes say."""
        name, told = self.names[variable.id], variable.attributes
        if told.get("nonneg") or told.get("pos"):
            yield f"{name} >= 0"
        if told.get("nonpos") or told.get("neg"):
            yield f"{name} <= 0"
        if told.get("bounds") is not None:
            lower, upper = (self.expression(_constant(bound, variable.shape)) for bound in told["bounds"])
            yield f"{lower} <= {self.expression(variable)} <= {upper}"
        if told.get("diag") or told.get("sparsity"):
            raise _refusal(variable, "a variable that is diagonal or sparse")
        if told.get("symmetric") or told.get("PSD") or told.get("NSD"):
            n = variable.shape[0]
            if n > 1:
                yield f"{name}[{n} * i + j] == {name}[{n} * j + i] for i in range({n}) for j in range(i)"
        if told.get("PSD"):
            yield self._psd(variable)
        if told.get("NSD"):
            yield self._psd(-variable)

    def constant(self, value: Any) -> str:
        array = np.asarray(value.todense() if hasattr(value, "todense") else value)
        if np.iscomplexobj(array):
            raise make("unsupported", "complex numbers can't be carried over from CVXPY")
        array = array.astype(np.float64)
        if array.ndim == 0 or (array.size == 1 and array.ndim <= 2):
            number = float(array.reshape(()))
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
        if kind in _PLAIN:
            return f"{_PLAIN[kind]}({', '.join(map(self.expression, e.args))})"
        if kind in _REDUCTIONS:
            return self._reduce(e, _REDUCTIONS[kind])
        method: Callable[[Any], str] | None = getattr(self, f"_{kind}", None)
        if method is not None:
            return method(e)
        if e.is_affine() and not varies:
            return self._by_matrix(e)
        raise _refusal(e, f"the atom {kind}")

    def _arguments(self, e: Any) -> list[str]:
        return [self.expression(argument) for argument in e.args]

    def _AddExpression(self, e: Any) -> str:
        return f"({' + '.join(self._arguments(e))})"

    def _NegExpression(self, e: Any) -> str:
        return f"(-{self.expression(e.args[0])})"

    def _multiply(self, e: Any) -> str:
        return f"({' * '.join(self._arguments(e))})"

    def _DivExpression(self, e: Any) -> str:
        return f"({' / '.join(self._arguments(e))})"

    def _MulExpression(self, e: Any) -> str:
        a, b = self._arguments(e)
        return f"({a} * {b})" if e.args[0].ndim == 0 or e.args[1].ndim == 0 else f"({a} @ {b})"

    def _Promote(self, e: Any) -> str:
        return self.expression(e.args[0])

    def _Sum(self, e: Any) -> str:
        axis = "" if e.axis is None else f", {e.axis}"
        return self._kept(e, f"sum({self.expression(e.args[0])}{axis})")

    def _kept(self, e: Any, text: str) -> str:
        """A reduction's text, with the axes that it keeps."""
        return f"reshape({text}, {', '.join(map(str, e.shape))})" if getattr(e, "keepdims", False) else text

    def _cumsum(self, e: Any) -> str:
        if e.args[0].ndim != 1:
            return self._by_matrix(e)
        return f"cumsum({self.expression(e.args[0])})"

    def _transpose(self, e: Any) -> str:
        return f"{self.expression(e.args[0])}.T"

    def _reshape(self, e: Any) -> str:
        inner = self.expression(e.args[0])
        if e.ndim > 2 or e.args[0].ndim > 2:
            raise _refusal(e, "a reshape to more than two dimensions")
        if e.ndim == 0:
            return f"sum({inner})"
        if getattr(e, "order", "F") == "C" or (e.ndim == 1 and e.args[0].ndim == 1):
            return f"reshape({inner}, {', '.join(map(str, e.shape))})"
        turned = f"{inner}.T" if e.args[0].ndim == 2 else inner
        sizes = ", ".join(str(size) for size in reversed(e.shape))
        return f"reshape({turned}, {sizes}).T" if e.ndim == 2 else f"reshape({turned}, {sizes})"

    def _index(self, e: Any) -> str:
        original = e._orig_key if isinstance(e._orig_key, tuple) else (e._orig_key,)
        dropped = [isinstance(key, (int, np.integer)) for key in original]
        dropped += [False] * (len(e.key) - len(dropped))
        if len(dropped) != len(e.key) or any(key is None or key is Ellipsis for key in original):
            return self._by_matrix(e)
        parts = []
        for key, single, size in zip(e.key, dropped, e.args[0].shape, strict=True):
            # CVXPY has them counted from the front already; −1 is before the first, not the last.
            told = (key.start, key.stop, key.step)
            start, stop, step = key.indices(size) if None in told else told
            end = "" if stop < 0 else str(stop)
            parts.append(str(start) if single else f"{start}:{end}" + (f":{step}" if step != 1 else ""))
        return f"{self.expression(e.args[0])}[{', '.join(parts)}]"

    def _Hstack(self, e: Any) -> str:
        return f"hstack({', '.join(self._arguments(e))})"

    def _Vstack(self, e: Any) -> str:
        return f"vstack({', '.join(self._arguments(e))})"

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
            self.domains.append(f"{x} >= 0")
            x = f"pos({x})"
        return f"({x} ** {self.constant(p)})"

    _PowerApprox = _Power = _power

    def _Pnorm(self, e: Any) -> str:
        return self._reduce(e, f"norm({{}}, {self.constant(float(e.p))})")

    _PnormApprox = _pnorm = _Pnorm

    def _geo_mean(self, e: Any) -> str:
        p = np.asarray(e.p, dtype=np.float64)
        if not np.all(p == p[0]) or len(p) != e.args[0].size:
            raise _refusal(e, "geo_mean with weights")
        return f"geo_mean({self._flat(e.args[0])})"

    _GeoMeanApprox = _geo_mean

    def _quad_over_lin(self, e: Any) -> str:
        if getattr(e, "axis", None) is not None:
            raise _refusal(e, "quad_over_lin with an axis")
        x, t = self._flat(e.args[0]), self.expression(e.args[1])
        return f"sum_squares({x})" if e.args[1].is_constant() and e.args[1].value == 1 else f"quad_over_lin({x}, {t})"

    def _QuadForm(self, e: Any) -> str:
        x, matrix = self._arguments(e)
        return f"quad_form({x}, {matrix})"

    def _huber(self, e: Any) -> str:
        return f"huber({self.expression(e.args[0])}, {self.constant(e.M.value)})"

    def _flat(self, e: Any) -> str:
        """All elements as a vector, in whatever order."""
        text = self.expression(e)
        return text if e.ndim == 1 else f"reshape({text}, {e.size})"

    def _reduce(self, e: Any, form: str) -> str:
        inner, axis = e.args[0], getattr(e, "axis", None)
        if axis is None or inner.ndim < 2:
            return self._kept(e, form.format(self._flat(inner)))
        text = self.expression(inner)
        parts = [
            form.format(f"{text}[{i}, :]" if axis in (1, -1) else f"{text}[:, {i}]")
            for i in range(inner.shape[0 if axis in (1, -1) else 1])
        ]
        return self._kept(e, f"[{', '.join(parts)}]")

    def _by_matrix(self, e: Any) -> str:
        """An affine expression as a matrix times each variable, and a constant."""
        if self._varies(e):
            raise _refusal(e, f"the atom {type(e).__name__} of a parameter that comes with each sample")
        if e.ndim > 2:
            raise _refusal(e, f"{type(e).__name__} of more than two dimensions")
        variables = e.variables()
        if e.size * sum(variable.size for variable in variables) > _MOST_ENTRIES:
            raise _refusal(e, f"the atom {type(e).__name__} of so many variables")
        before = [variable.value for variable in variables]
        for variable in variables:
            variable.save_value(np.zeros(variable.shape))
        try:
            offset = np.asarray(e.value, dtype=np.float64).reshape(e.size, order="C")
            gradients = e.grad
        finally:
            for variable, value in zip(variables, before, strict=True):
                variable.save_value(value)
        terms = [self.constant(offset)] if offset.any() else []
        for variable in variables:
            columns = np.asarray(gradients[variable].todense()).T  # e.size × variable.size, both column by column
            rows = np.arange(e.size).reshape(e.shape, order="F").reshape(-1, order="C")
            order = np.arange(variable.size).reshape(variable.shape, order="F").reshape(-1, order="C")
            matrix = columns[np.ix_(rows, order)]
            name = self.names[variable.id]
            terms.append(f"{self.constant(matrix)} @ {name if variable.ndim else f'[{name}]'}")
        text = f"({' + '.join(terms)})"
        if e.ndim == 0:
            return f"sum({text})"
        return f"reshape({text}, {e.shape[0]}, {e.shape[1]})" if e.ndim == 2 else text

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


def _constant(value: Any, shape: tuple[int, ...]) -> Any:
    import cvxpy

    return cvxpy.Constant(np.broadcast_to(value, shape) if np.ndim(value) else value)


def _refusal(e: Any, what: str) -> Exception:
    text = str(e)
    return make(
        "unsupported", f"{what} can't be carried over from CVXPY: {text if len(text) < 200 else text[:200] + '…'}"
    )


def translate(
    constraints: Any, variables: Sequence[Any] | None, parameters: Sequence[Any] = (), unbounded: bool = False
) -> tuple[str, dict[str, Array]]:
    """The region text of CVXPY constraints, and its constants."""
    found: list[Any] = list(getattr(constraints, "constraints", constraints))
    for c in found:
        if isinstance(c, (bool, np.bool_)):
            raise make("argument", "a constraint is a plain True or False: it has no variable")
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
    translation = _Translation(variables, parameters)
    lines = [line for variable in variables for line in translation.attributes(variable)]
    lines += [line for c in found for line in translation.constraint(c)]
    lines += translation.domains
    head = [*translation.lines, *(["unbounded"] if unbounded else [])]
    return "\n".join([*head, *lines]) + "\n", translation.constants
