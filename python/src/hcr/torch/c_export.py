"""A policy trained in torch as C99: its layers in single precision, and the region's map after them."""

from __future__ import annotations

import copy
import os
import pathlib
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from .. import _library, _rays
from ..errors import make
from ..region import Region, needs_region
from .distributions import SoftenTransform
from .functions import contract, decode, soften
from .modules import Constrain, HCRHead

CKind = Literal["contract", "soften", "decode", "tanh"]

# Each maps x to y; a NaN stays one.
_ACTIVATIONS: dict[type[nn.Module], str] = {
    nn.ReLU: "(x < 0.0f) ? 0.0f : x",
    nn.Tanh: "tanhf(x)",
    nn.Sigmoid: "1.0f / (1.0f + expf(-x))",
    nn.SiLU: "x / (1.0f + expf(-x))",
    nn.ELU: "(x < 0.0f) ? expm1f(x) : x",
}
_NOTHING = (nn.Identity, nn.Dropout, nn.Flatten)
_TESTED = 16


def export_c(
    network: nn.Module,
    folder: str | os.PathLike[str],
    region: Region | None = None,
    kind: CKind | None = None,
    *,
    name: str = "policy",
    single: bool = True,
    states: Any = None,
) -> None:
    """Writes a network that ends in a region as C99 that needs a compiler and libm: no allocation, no library.

    The folder gets what ``hcr export c REGION`` writes, ``NAME.h``, ``NAME.c`` and its self-test, and beside them
    ``NAME_policy.h`` and ``.c`` with

        int NAME_act(const float *state, const NAME_real *x, NAME_real *y);

    and ``NAME_policy_test.c``, a program that compares it with torch. x, the region's parameters, is left out for a
    region without. The layers are computed in float32; results are exactly inside the region, as the region's own maps
    are. A state that isn't finite gives the origin and the outcome ``NAME_BAD_VALUE``.

    Args:
        network: an ``nn.Sequential`` of ``Linear``, ``ReLU``, ``Tanh``, ``Sigmoid``, ``SiLU``, ``ELU``, and such within
            it. It may end in an `HCRHead` or a `Constrain` that has the region and the kind.
        folder: is made when it isn't there.
        region: where it ends otherwise. The network gives steps from its origin, `region.freedom` of them or n.
        kind: ``"contract"``, ``"soften"``, ``"decode"`` (n steps and the logit of a radius) or ``"tanh"``, as
            `hcr.torch.distributions.Softened` and `hcr.stable_baselines3` have it.
        name: what all names begin with: an identifier of small letters, digits and _.
        single: the region's maps in single precision, too; else in double.
        states: (rows, inputs), of the self-test; drawn from a normal distribution without.

    >>> import hcr, hcr.torch, os, tempfile, torch
    >>> disc = hcr.Region("var u[2]\\nnorm(u) <= 1")
    >>> policy = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), hcr.torch.HCRHead(8, disc, "soften"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     hcr.torch.export_c(policy, folder, name="pilot")
    ...     sorted(name for name in os.listdir(folder) if name.startswith("pilot_policy"))
    ['pilot_policy.c', 'pilot_policy.h', 'pilot_policy_test.c']
    """
    layers = list(_layers(network))
    end = layers[-1] if layers else None
    if isinstance(end, (HCRHead, Constrain)):
        if region is not None or kind is not None:
            raise make("argument", "the network ends in a layer with a region: leave region and kind out")
        if end.kind == "project" or end.on_empty != "nan" or getattr(end, "points", False):
            raise make("unsupported", f"C has no {end!r}: export contract, soften or decode of steps from the origin")
        region, kind = end.region, end.kind  # type: ignore[assignment]
        layers[-1:] = [end.linear] if isinstance(end, HCRHead) else []
    needs_region(region, "export_c")
    assert region is not None
    if kind not in ("contract", "soften", "decode", "tanh"):
        raise make("argument", f'kind is {kind!r}: take "contract", "soften", "decode" or "tanh"')
    for layer in layers:
        if type(layer) not in (nn.Linear, *_ACTIVATIONS) or (isinstance(layer, nn.ELU) and layer.alpha != 1):
            raise make("unsupported", f"there is no C for the layer {layer!r}")
    linear = [layer for layer in layers if isinstance(layer, nn.Linear)]
    if not linear or layers[0] is not linear[0]:
        raise make("argument", "the network must begin with a Linear layer")
    radius = kind == "decode"
    if linear[-1].out_features - radius not in (region.n, region.freedom):
        raise make("shape", f"the network gives {linear[-1].out_features} numbers for {region.freedom} free outputs")
    into = pathlib.Path(folder)
    into.mkdir(parents=True, exist_ok=True)
    region.export_c(into, name=name, single=single)  # checks the name
    write = _Writer(name, layers, region, kind, single)
    (into / f"{name}_policy.h").write_text(write.header(), encoding="utf-8")
    (into / f"{name}_policy.c").write_text(write.source(), encoding="utf-8")
    given = torch.randn(_TESTED, linear[0].in_features) if states is None else torch.as_tensor(states)
    (into / f"{name}_policy_test.c").write_text(write.test(given.float().cpu()), encoding="utf-8")


def _layers(module: nn.Module) -> Iterator[nn.Module]:
    """The layers in their order, without those that do nothing."""
    if isinstance(module, nn.Sequential):
        for layer in module:
            yield from _layers(layer)
    elif not isinstance(module, _NOTHING):
        yield module


def _numbers(values: Any, single: bool = True) -> str:
    """C's constants, exact."""
    return ", ".join(float(v).hex() + "f" * single for v in np.asarray(values).ravel())


class _Writer:
    """The text of the three files."""

    def __init__(self, name: str, layers: list[nn.Module], region: Region, kind: str, single: bool) -> None:
        self.name, self.big, self.layers, self.region = name, name.upper(), layers, region
        self.kind, self.single, self.real = kind, single, f"{name}_real"
        self.linear = [layer for layer in layers if isinstance(layer, nn.Linear)]
        self.x_taken = f"const {self.real} *x, " if region.p else ""
        self.x = "x, " if region.p else ""
        self.act = f"int {name}_act(const float *state, {self.x_taken}{self.real} *y)"
        self.made_by = f"Made by hcr {_library.__version__}."

    def header(self) -> str:
        return f"""/* A policy: a network, and {self.kind} into the region of {self.name}.h. {self.made_by} */
#ifndef {self.big}_POLICY_H
#define {self.big}_POLICY_H

#include "{self.name}.h"

#ifdef __cplusplus
extern "C" {{
#endif

#define {self.big}_STATE {self.linear[0].in_features}u

/* The action y for a state{" and the region's parameters x" if self.region.p else ""}. The outcome is that of the
 * region's map; {self.big}_BAD_VALUE, and the origin, for a state that isn't finite. */
{self.act};

#ifdef __cplusplus
}}
#endif

#endif
"""

    def source(self) -> str:
        used = {type(layer): _ACTIVATIONS[type(layer)] for layer in self.layers if type(layer) in _ACTIVATIONS}
        tables: list[str] = []
        steps, here, there = [], "a", "b"
        for layer in self.layers:
            if isinstance(layer, nn.Linear):
                k, rows, columns = len(tables), layer.out_features, layer.in_features
                bias = torch.zeros(rows) if layer.bias is None else layer.bias
                tables.append(f"static const float weight_{k}[] = {{{self._floats(layer.weight)}}};")
                tables[-1] += f"\nstatic const float bias_{k}[] = {{{self._floats(bias)}}};"
                steps.append(f"dense(weight_{k}, bias_{k}, {rows}u, {columns}u, {here}, {there});")
                here, there, width = there, here, rows
            else:
                steps.append(f"each_{type(layer).__name__.lower()}({here}, {width}u);")
        functions = [
            f"""static void each_{kind.__name__.lower()}(float *values, unsigned count) {{
    for (unsigned i = 0u; i < count; i++) {{
        const float x = values[i];
        values[i] = {formula};
    }}
}}"""
            for kind, formula in used.items()
        ]
        widest = max(max(layer.in_features, layer.out_features) for layer in self.linear)
        steps_in = self.linear[-1].out_features - (self.kind == "decode")
        places = range(self.region.n) if steps_in == self.region.n else self.region.free.tolist()
        put = "\n".join(
            [f"    v[{j}] = ({self.real}){here}[{i}];" for i, j in enumerate(places)] + self._others(places)
        )
        body = "\n    ".join(steps)
        parts = "\n\n".join([*tables, *functions])
        return f"""/* {self.made_by} */
#include "{self.name}_policy.h"

#include <float.h>
#include <math.h>

{parts}

static void dense(const float *weight, const float *bias, unsigned rows, unsigned columns, const float *in,
                  float *out) {{
    for (unsigned i = 0u; i < rows; i++) {{
        float sum = bias[i];
        for (unsigned j = 0u; j < columns; j++) {{
            sum += weight[i * columns + j] * in[j];
        }}
        out[i] = sum;
    }}
}}

{self.act} {{
    float a[{widest}];
    float b[{widest}];
    {self.real} v[{self.big}_OUTPUTS] = {{0}};
    int finite = 1;
    for (unsigned j = 0u; j < {self.big}_STATE; j++) {{
        a[j] = state[j];
        finite = (fabsf(a[j]) <= FLT_MAX) ? finite : 0;
    }}
    {body}
{put}
    if (finite == 0) {{
        v[0] = ({self.real})HUGE_VALF; /* which the map takes for a bad value */
    }}
{self._map(here, steps_in)}
}}
"""

    def _others(self, places: Any) -> list[str]:
        """Steps in the outputs that the equalities determine, where the network gives the free ones."""
        affine = _rays.affine(self.region)
        if affine is None or len(places) == self.region.n:
            return []
        lines = []
        for j, row in zip(affine.dependent, affine.map, strict=True):
            used = [k for k in self.region.free if row[k] != 0]
            terms = [f"({_numbers(np.float32(row[k]) if self.single else row[k], self.single)} * v[{k}])" for k in used]
            lines.append(f"    v[{j}] = {' + '.join(terms) or '0'};")
        return lines

    def _map(self, here: str, steps_in: int) -> str:
        if self.kind in ("contract", "soften"):
            return f"    return {self.name}_{self.kind}(v, {self.x}y);"
        suffix, one = ("f", "1.0f") if self.single else ("", "1.0")
        if self.kind == "decode":
            return (
                f"    const {self.real} radius = {one} / ({one} + exp{suffix}(-({self.real}){here}[{steps_in}]));\n"
                f"    return {self.name}_decode(v, radius, {self.x}y);"
            )
        free = ", ".join(f"{j}u" for j in self.region.free)
        return f"""    /* y = O + v tanh(gauge)/gauge, where the gauge is |v| over the way to the frontier. */
    static const unsigned free_outputs[] = {{{free}}};
    {self.real} origin[{self.big}_OUTPUTS];
    {self.real} edge[{self.big}_OUTPUTS];
    {self.real} length = 0;
    {self.real} way = 0;
    {self.name}_origin({self.x}origin);
    const int outcome = {self.name}_decode(v, {one}, {self.x}edge);
    if ((outcome != {self.big}_INSIDE) && (outcome != {self.big}_FRONTIER)) {{
        return {self.name}_contract(v, {self.x}y); /* no frontier, no direction or a bad value */
    }}
    for (unsigned k = 0u; k < {self.region.freedom}u; k++) {{
        const unsigned j = free_outputs[k];
        length += fabs{suffix}(v[j]);
        way += fabs{suffix}(edge[j] - origin[j]);
    }}
    return {self.name}_decode(v, (way > 0) ? tanh{suffix}(length / way) : 0, {self.x}y);"""

    @staticmethod
    def _floats(values: Tensor) -> str:
        return _numbers(values.detach().float().cpu().numpy())

    def test(self, states: Tensor) -> str:
        region, rows = self.region, len(states)
        generator = torch.Generator().manual_seed(1)
        lower, upper = (torch.tensor(b) for b in (region.parameters.lower, region.parameters.upper))
        x = lower + (upper - lower) * torch.rand(rows, region.p, generator=generator, dtype=torch.float64)
        real = torch.float32 if self.single else torch.float64
        given = x.to(real).double() if region.p else None
        with torch.no_grad():
            y = self._expected(states, given).numpy()
        width = region.bounds[1] - region.bounds[0]
        near = 1e-3 * np.where(np.isfinite(width), width, 1)
        tables = [("float", "state", states.numpy(), True), (self.real, "expected", y, self.single)]
        tables += [(self.real, "x", x.to(real).numpy(), self.single)] if region.p else []
        tables += [(self.real, "near", near, self.single)]
        text = "\n".join(f"static const {t} {n}[] = {{{_numbers(v, s)}}};" for t, n, v, s in tables)
        pass_x = f"&x[i * {self.big}_PARAMETERS], " if region.p else ""
        return f"""/* Compares the policy with torch's, to a thousandth of each output's range. {self.made_by} */
#include <stdio.h>

#include "{self.name}_policy.h"

{text}

int main(void) {{
    unsigned far = 0u;
    for (unsigned i = 0u; i < {rows}u; i++) {{
        {self.real} y[{self.big}_OUTPUTS];
        (void){self.name}_act(&state[i * {self.big}_STATE], {pass_x}y);
        for (unsigned j = 0u; j < {self.big}_OUTPUTS; j++) {{
            const {self.real} miss = y[j] - expected[i * {self.big}_OUTPUTS + j];
            far += !((miss <= near[j]) && (miss >= -near[j]));
        }}
    }}
    (void)printf("%u states: %s\\n", {rows}u, (far == 0u) ? "as expected" : "not as expected");
    return far != 0u;
}}
"""

    def _expected(self, states: Tensor, x: Tensor | None) -> Tensor:
        out = copy.deepcopy(nn.Sequential(*self.layers)).float().cpu()(states).double()
        region, radius = self.region, self.kind == "decode"
        steps = out[:, : out.shape[1] - radius]
        if self.kind == "tanh":
            free = steps if steps.shape[1] == region.freedom else steps[:, region.free.tolist()]
            return SoftenTransform(region, x, "tanh")(free)  # type: ignore[no-any-return]
        if steps.shape[1] != region.n:
            steps = SoftenTransform(region, x)._steps(steps)
        if radius:
            return decode(torch.cat((steps, out[:, -1:].sigmoid()), 1), region, x)
        return (contract if self.kind == "contract" else soften)(steps, region, x)


__all__ = ["export_c"]
