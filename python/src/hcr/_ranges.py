"""Samples of parameters to the `param` lines of a region text."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _library
from ._arrays import Array, address, doubles, names_of
from .errors import make


def _columns(table: Any, names: Sequence[str] | None) -> tuple[Sequence[str] | None, Array]:
    """The names (None: there are none) and one row a sample."""
    if isinstance(table, Mapping):
        found, parts = [], []
        for name, values in table.items():
            part = doubles(values, str(name))
            if part.ndim not in (1, 2):
                raise make("shape", f"{name} has the shape {part.shape}: it is a number, or a row of them, a sample")
            found += [str(name)] if part.ndim == 1 else [f"{name}[{k}]" for k in range(part.shape[1])]
            parts.append(part[:, None] if part.ndim == 1 else part)
        lengths = {str(name): len(part) for name, part in zip(table, parts, strict=True)}
        if len(set(lengths.values())) > 1:
            raise make("shape", f"the parameters have {lengths} samples: they must be as many of each")
        return found, np.hstack(parts) if parts else np.empty((0, 0))
    if names is None and (own := names_of(table)) is not None:
        if isinstance(table, np.ndarray):
            return _columns({name: table[name] for name in own}, None)
        names = [str(name) for name in own]
    rows = doubles(table, "the table")
    if rows.ndim != 2:
        raise make("shape", f"the table has the shape {rows.shape}: it is one row a sample")
    if names is not None and len(names) != rows.shape[1]:
        raise make("shape", f"there are {len(names)} names for {rows.shape[1]} columns")
    return names, rows


def ranges(table: Any, *, names: Sequence[str] | None = None, margin: float = 0.05) -> str:
    """The `param` lines of a region text, with the range of each parameter in samples.

    `table` is a dict (name: a number or a row of numbers a sample), a data frame, a structured array, or a matrix of
    one row a sample, whose columns have `names` (x[0], x[1] … otherwise). Columns cap[0], cap[1] … become one vector,
    need[0,0], need[0,1] … a matrix.
    Each range goes `margin` of its width beyond the samples on both sides, a constant's `margin` of its size. Rows with
    a NaN or an infinity are left out and named in a comment.
    """
    found, values = _columns(table, names)
    texts = None if found is None else (ctypes.c_char_p * len(found))(*(name.encode() for name in found))
    handle = _library.create("hcr_ranges_create", values.shape[1], texts)
    try:
        _library.call("hcr_ranges_add", handle, len(values), address(values))
        return _library.take_text("hcr_ranges_text", handle, float(margin))
    finally:
        _library.library.hcr_ranges_free(handle)
