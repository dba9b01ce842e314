"""Arrays of any kind as the rows that the library reads: contiguous, float32 or float64, one sample a row."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import make

Array = npt.NDArray[Any]

_buffer, _begin = ctypes.c_char.from_buffer, ctypes.addressof
_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
_KEPT = frozenset((_SINGLE, _DOUBLE))


def address(array: Array | None) -> int | None:
    """Where the numbers of a contiguous array begin."""
    if array is None:
        return None
    try:
        return _begin(_buffer(array))  # type: ignore[arg-type]  # NumPy 1 doesn't declare it
    except (TypeError, ValueError):  # read-only, or empty
        return int(array.__array_interface__["data"][0])


def is_ready(values: Any, width: int) -> bool:
    """Whether the library can read rows of that width where they lie."""
    if type(values) is not np.ndarray:
        return False
    dtype, shape, flags = values.dtype, values.shape, values.flags
    if not (dtype is _DOUBLE or dtype is _SINGLE) or not shape or shape[-1] != width:
        return False
    return bool(flags.carray or (flags.c_contiguous and flags.aligned))  # `carray`: both, and it can be written


def as_bytes(content: object, what: str) -> bytes:
    """The bytes of a file; nothing else is taken for such (TypeError)."""
    if isinstance(content, bytes | bytearray | memoryview):
        return bytes(content)
    raise TypeError(f"{what} takes the bytes of a file, not {type(content).__name__}: `to_bytes` gives them")


def numbers(values: npt.ArrayLike, what: str) -> Array:
    """An aligned C-contiguous array of float32 or float64, the very one given where it is that already.

    float16 becomes float32; integers and booleans become float64. Everything else is refused (TypeError).
    """
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{what} is a masked array: fill it, or leave the masked rows out")
    if getattr(values, "requires_grad", False):
        raise TypeError(
            f"{what} is a tensor that needs gradients, which NumPy loses: use hcr.torch, or {what}.detach()"
        )
    try:
        array = np.asarray(values)
    except ValueError as reason:
        raise make("shape", f"{what} isn't an array of numbers: {reason}") from None
    if array.dtype not in _KEPT or not array.dtype.isnative:
        if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
            raise TypeError(f"{what} has the type {array.dtype}: it must be numbers that fit a float64")
        array = array.astype(np.float32 if array.dtype.kind == "f" and array.dtype.itemsize <= 4 else np.float64)
    flags = array.flags
    return array if flags.c_contiguous and flags.aligned else np.require(array, requirements=["C", "A"])


def doubles(values: npt.ArrayLike, what: str) -> Array:
    """The same, as float64."""
    return np.require(numbers(values, what), dtype=np.float64, requirements=["C", "A"])


def wrong_width(what: str, shape: Sequence[int], width: int) -> Exception:
    """Of a row that has too many numbers, or too few."""
    return make("shape", f"{what} has the shape {tuple(shape)}: its last axis must have {width} entries")


def mismatched(values: Sequence[int], x: Sequence[int]) -> Exception:
    """Of values and parameters that have no batch shape in common."""
    return make("shape", f"x has the shape {tuple(x)} beside {tuple(values)}: as many rows are needed, or one")


def rows(values: npt.ArrayLike, width: int, what: str, names: Sequence[str] = ()) -> Array:
    """Numbers whose last axis has `width` entries. Named columns are put in the order of `names`."""
    array = numbers(by_name(values, names, what) if names else values, what)
    if array.ndim == 0 or array.shape[-1] != width:
        raise wrong_width(what, array.shape, width)
    return array


def whole(value: Any, what: str, least: int = 0) -> int:
    """A number that counts something."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is {value!r}: it must be a whole number") from None
    if number < least:
        raise make("argument", f"{what} is {number}: it must be {least} or more")
    return number


def without_gradients(values: Any) -> Any:
    """A tensor's numbers, where nobody will ask for their gradients."""
    return values.detach() if getattr(values, "requires_grad", False) else values


def by_name(values: Any, names: Sequence[str], what: str) -> Any:
    """Values that are found by name, in the order of `names`: the columns of a frame of pandas, polars or pyarrow, the
    fields of a structured array, the entries of a dict or of a row of pandas. What has no names is taken as it is, and
    so are columns that are only counted.
    """
    is_row = hasattr(values, "iloc") and not hasattr(values, "columns")
    found = list(values.index) if is_row else names_of(values)
    counted = (list(range(len(names))), [f"column_{k}" for k in range(len(names))])  # as pandas and polars name them
    if found is None or found in counted or (is_row and not set(names) & set(found)):
        return values
    missing = [name for name in names if name not in found]
    if missing:
        raise make("name", f"{what} has no column {missing[0]!r}: it has {', '.join(map(repr, found[:8]))}")
    if hasattr(values, "select"):  # polars, pyarrow
        return values.select(list(names))
    if hasattr(values, "loc"):
        return values.loc[list(names)] if is_row else values.loc[:, list(names)]
    return np.stack(np.broadcast_arrays(*(numbers(values[name], name) for name in names)), axis=-1)


def names_of(values: Any) -> list[Any] | None:
    """What the parts of values are called, where they have names."""
    if isinstance(values, Mapping):
        return list(values)
    for names in ("column_names", "columns"):  # of pyarrow, whose `columns` are arrays; of frames
        if hasattr(values, names):
            return list(getattr(values, names))
    fields = getattr(getattr(values, "dtype", None), "names", None)
    return None if fields is None else list(fields)


def row_count(array: Array) -> int:
    """How many samples an array with one on its last axis holds."""
    width = array.shape[-1]
    return array.size // width if width else 0
