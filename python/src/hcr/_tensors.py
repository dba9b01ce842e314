"""The numbers of a model's file."""

from __future__ import annotations

import json
import struct
from typing import NamedTuple, TypeVar

import numpy as np

from ._arrays import Array

T = TypeVar("T")


class Member(NamedTuple):
    """A member of a blend, or a model that is no blend."""

    share: float
    tensors: dict[str, Array]
    metadata: dict[str, str]


def read_tensors(content: bytes) -> tuple[dict[str, Array], dict[str, str]]:
    """What is in the bytes of a safetensors file."""
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    types = {"F32": "<f4", "F64": "<f8", "U8": "u1"}
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        data = content[8 + length + begin : 8 + length + end]
        tensors[name] = np.frombuffer(data, types[entry["dtype"]]).reshape(entry["shape"]).copy()
    return tensors, metadata


def members_of(tensors: dict[str, Array], metadata: dict[str, str]) -> list[Member]:
    """The members of a model, of which the first also has what they share. The names of the others begin with their
    numbers."""
    result = []
    for k, share in enumerate(tensors.get("shares", np.ones(1))[: int(metadata.get("members", 1))]):
        prefix = f"{k}." if k else ""
        result.append(Member(float(share), _below(prefix, tensors), _below(prefix, metadata)))
    return result


def _below(prefix: str, entries: dict[str, T]) -> dict[str, T]:
    return {name.removeprefix(prefix): entry for name, entry in entries.items() if name.startswith(prefix)}
