"""The library's objects, freed when the last who needs them is gone."""

from __future__ import annotations

import ctypes
from typing import Any

from . import _library

#: What may stand for a bad value, in the order of `hcr_bad_value`.
BAD = ("origin", "nan")


class Handle:
    """Owns the library's region, and what must live as long, such as the functions that it calls back."""

    def __init__(self, address: int, kept: object = None) -> None:
        self.address, self.kept = address, kept

    def __del__(self, free: Any = _library.library.hcr_region_free) -> None:
        free(self.address)


class RelaxationHandle:
    """Owns the library's relaxation of a region; what stands for the relaxed region, which is the relaxation's."""

    kept = None

    def __init__(self, owner: Handle) -> None:
        self.owner = owner  # outlives the relaxation
        self.relaxation = _library.create("hcr_relaxation_create", owner.address)
        self.address = _library.library.hcr_relaxation_region(self.relaxation)

    def __del__(self, free: Any = _library.library.hcr_relaxation_free) -> None:
        if hasattr(self, "relaxation"):
            free(self.relaxation)


class Workspace:
    """Scratch for one caller at a time, with the struct that its errors come in. `bad` stands for bad values."""

    def __init__(self, owner: Handle | RelaxationHandle, threads: int, bad: str = "nan") -> None:
        self.owner = owner  # outlives the workspace
        self.address = _library.create("hcr_workspace_create", owner.address, threads)
        _library.call("hcr_workspace_set_bad_value", self.address, BAD.index(bad))
        self.error = _library.ErrorStruct()
        self.error_address = ctypes.addressof(self.error)
        self.rooms: dict[Any, Any] = {}  # for single rows, by map and type

    def __del__(self, free: Any = _library.library.hcr_workspace_free) -> None:
        if hasattr(self, "address"):
            free(self.address)


def projector_options(threads: int, bad: str, linear: bool, matrix: Any = None, warm_start: bool = False) -> Any:
    """`hcr_projector_options`; `matrix` is Q: n numbers, a diagonal, or n × n; None: 1, and 0 where rows are linear
    terms."""
    options = _library.ProjectorStruct(
        ctypes.sizeof(_library.ProjectorStruct), threads, None, 0.0, BAD.index(bad), linear, warm_start
    )
    if matrix is not None:
        metric = _library.QuadraticStruct(form=matrix.ndim - 1, matrix=matrix.ctypes.data)
        options.metric = ctypes.addressof(metric)
        options.kept = metric, matrix  # as long as the options
    return options


class Projector:
    """Projects for one caller at a time, with the struct that its errors come in."""

    def __init__(self, owner: Handle | RelaxationHandle, options: Any) -> None:
        self.owner = owner  # outlives the projector
        self.address = _library.create("hcr_projector_create", owner.address, ctypes.byref(options))
        self.error = _library.ErrorStruct()
        self.error_address = ctypes.addressof(self.error)
        self.rooms: dict[Any, Any] = {}  # for single rows, by map and type

    def __del__(self, free: Any = _library.library.hcr_projector_free) -> None:
        if hasattr(self, "address"):
            free(self.address)
