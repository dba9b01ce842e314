"""The library's builder of regions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _library
from ._arrays import Array, address, doubles
from .errors import make

ORIGINS = {"chebyshev": 0, "analytic": 1, "mean": 2, "given": 3}


class Builder:
    """Owns an hcr_builder; freed at the end of a `with` block."""

    def __init__(self, handle: int) -> None:
        self.handle = handle

    @classmethod
    def empty(cls, variables: Mapping[str, int | None]) -> Builder:
        """With outputs: their names and sizes, None for a scalar."""
        builder = cls(_library.create("hcr_builder_create", None))
        for name, size in variables.items():
            builder.call("hcr_builder_add_variable", name.encode(), 1 if size is None else size, size is None)
        return builder

    def __enter__(self) -> Builder:
        return self

    def __exit__(self, *exception: object) -> None:
        _library.library.hcr_builder_free(self.handle)

    def call(self, name: str, *arguments: Any) -> None:
        _library.call(name, self.handle, *arguments)

    def source(self, text: str) -> None:
        self.call("hcr_builder_set_source", b"", 0, 0, text.encode())

    def set_origin(self, origin: str, points: npt.ArrayLike | None = None) -> None:
        if points is None:
            self.call("hcr_builder_set_origin", ORIGINS[origin], 0, None)
        else:
            array = np.atleast_2d(doubles(points, "origin"))
            self.call("hcr_builder_set_origin", ORIGINS[origin], array.shape[0], address(array))

    def finish(self) -> int:
        return _library.create("hcr_builder_finish", self.handle)


class Sparse:
    """A matrix in compressed rows, as the library takes it. Zeros aren't stored."""

    def __init__(self, matrix: Any, width: int, what: str) -> None:
        if hasattr(matrix, "tocsr"):
            rows = matrix.tocsr().astype(np.float64)
            rows.sum_duplicates()
            rows.eliminate_zeros()
            rows.sort_indices()
            shape, counts = rows.shape, np.diff(rows.indptr)
            self.columns, self.values = rows.indices.astype(np.uint32), np.require(rows.data, requirements=["C", "A"])
        else:
            dense = np.atleast_2d(doubles(matrix, what))
            shape, counts = dense.shape, np.count_nonzero(dense, axis=-1)
            row, column = np.nonzero(dense)
            self.columns, self.values = column.astype(np.uint32), dense[row, column]
        if len(shape) != 2 or shape[1] != width:
            raise make("shape", f"{what} has the shape {shape}: it must have {width} columns")
        self.rows = int(shape[0])
        self.start = np.concatenate([[0], np.cumsum(counts)]).astype(np.uintp)

    def addresses(self) -> tuple[int, int, int]:
        return address(self.start), address(self.columns), address(self.values)


def side(values: npt.ArrayLike | None, count: int, what: str) -> Array | None:
    """A bound for each of `count` rows; a single number serves all."""
    if values is None:
        return None
    array = doubles(values, what)
    if array.ndim > 1 or array.size not in (1, count):
        raise make("shape", f"{what} has the shape {array.shape}: it must be a number or {count} of them")
    return np.ascontiguousarray(np.broadcast_to(array, count))


def pointer(array: Array | None) -> int | None:
    return None if array is None else address(array)


def constants(values: Mapping[str, npt.ArrayLike]) -> tuple[Any, list[Array]]:
    """Constants for a region text, and the arrays that must live as long."""
    structs = (_library.ConstantStruct * max(len(values), 1))()
    kept = []
    for struct, (name, value) in zip(structs, values.items(), strict=False):
        array = doubles(value, f"the constant {name}")
        if array.ndim > 2:
            raise make("shape", f"the constant {name} has {array.ndim} dimensions: it may have two at most")
        kept.append(array)
        struct.name, struct.values = name.encode(), address(array)
        struct.rows = array.shape[0] if array.ndim else 0
        struct.columns = array.shape[1] if array.ndim == 2 else 0
    return structs, kept


def from_text(text: bytes, file: str, folder: str | None, values: Mapping[str, npt.ArrayLike]) -> Callable[[], Builder]:
    """What parses a region text into a builder."""

    def build() -> Builder:
        structs, kept = constants(values)
        folder_name = None if folder is None else folder.encode()
        handle = _library.create(
            "hcr_text_build", text, len(text), file.encode(), folder_name, len(kept), structs, None
        )
        return Builder(handle)

    return build
