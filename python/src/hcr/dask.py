"""The maps over Dask's arrays, data frames and Parquet folders: lazily, part by part, on whatever scheduler runs them.

    import dask.dataframe as dd, hcr, hcr.dask
    hcr.dask.project(region, "measured/").to_parquet("feasible/")

Each function takes a region (or a model), and data in one of three forms:

- a Dask array, one sample a row: the result is one with the same rows in the same chunks;
- a Dask data frame, whose columns are found by name, the region's parameters among them: the result is a data frame
  with the same index and partitions, its columns named as the command `hcr` names them;
- the path of a Parquet folder or file, of which the columns that are needed are read: the result is a data frame.

A row's result is the one that the region's own method gives. A region travels to each worker once.

From a shell: ``python -m hcr.dask project load.region measured/ feasible/ --scheduler tcp://10.0.0.1:8786``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import dask
import dask.array
import dask.dataframe
import numpy as np
import pandas as pd

from ._arrays import Array, numbers
from .errors import make
from .model import Model
from .region import Region

__all__ = ["check", "contract", "decode", "encode", "predict", "project"]


def _on_block(values: Array, x: Array | None = None, *, method: str, used: Any, x_of_all: Array | None = None) -> Array:
    result: Array = getattr(used, method)(values, x_of_all if x is None else x)
    return result if method == "check" else result.reshape(*values.shape[:-1], -1)


def _on_part(
    part: pd.DataFrame, *, method: str, used: Any, given: list[str], beside: list[str], made: Sequence[str] | None
) -> pd.DataFrame | pd.Series[Any]:
    result = getattr(used, method)(part[given].to_numpy(), part[beside].to_numpy() if beside else None)
    if made is None:
        return pd.Series(result, index=part.index, name="inside")
    return pd.DataFrame(result.reshape(len(part), -1), index=part.index, columns=list(made))


def _over_array(
    method: str, used: Any, values: Any, x: Any, width: int, made: Sequence[str] | None, always: type | None
) -> Any:
    if values.ndim == 0 or values.shape[-1] != width:
        raise make("shape", f"the array has the shape {values.shape}: its last axis must have {width} entries")
    values = values.rechunk({values.ndim - 1: -1})
    dtypes, arrays, x_of_all = [numbers(np.empty(0, values.dtype), "the array").dtype], [values], None
    if isinstance(x, dask.array.Array):
        if x.ndim != 2 or values.ndim != 2 or x.shape[0] != values.shape[0]:
            raise make("shape", f"x has the shape {x.shape} beside {values.shape}: a row each, or one for all")
        arrays.append(x.rechunk((values.chunks[0], -1)))
        dtypes.append(numbers(np.empty(0, x.dtype), "x").dtype)
    elif x is not None:
        x_of_all = numbers(x, "x")
        dtypes.append(x_of_all.dtype)
        if x_of_all.ndim != 1:
            shape = x_of_all.shape
            raise make("shape", f"x has the shape {shape}: give a Dask array with a row each, or one row for all")
    dtype = np.dtype(always) if always else np.result_type(*dtypes)
    chunks = values.chunks[:-1] if made is None else (*values.chunks[:-1], (len(made),))
    return dask.array.map_blocks(
        _on_block,
        *arrays,
        method=method,
        used=used,
        x_of_all=x_of_all,
        chunks=chunks,
        drop_axis=values.ndim - 1 if made is None else None,
        dtype=dtype,
        meta=np.empty((0,) * len(chunks), dtype),
    )


def _over_frame(
    method: str, used: Any, frame: Any, given: Sequence[str], beside: Sequence[str], made: Sequence[str] | None
) -> Any:
    found = set(frame.columns)
    for column in (*given, *beside):
        if column not in found:
            shown = ", ".join(map(repr, list(frame.columns)[:8]))
            raise make("name", f"the data frame has no column {column!r}: it has {shown}")
    wanted = frame[list(dict.fromkeys((*given, *beside)))]
    meta: Any = pd.Series([], dtype=bool, name="inside")
    if made is not None:
        # A float32 frame gives float32, where the map does.
        dtype = np.dtype(np.float64) if method == "predict" else np.result_type(*wanted.dtypes)
        dtype = numbers(np.empty(0, dtype), "the data frame").dtype
        meta = pd.DataFrame({column: pd.Series([], dtype=dtype) for column in made})
    return wanted.map_partitions(
        _on_part, method=method, used=used, given=list(given), beside=list(beside), made=made, meta=meta
    )


def _over(
    method: str,
    owner: Region | Model,
    data: Any,
    x: Any,
    given: Sequence[str],
    beside: Sequence[str],
    made: Sequence[str] | None,
    always: type | None = None,
) -> Any:
    # One node of the graph, which every part depends on: schedulers move it to each worker once.
    used = dask.delayed(owner, pure=True, traverse=False)
    if isinstance(data, (str, os.PathLike)):
        data = dask.dataframe.read_parquet(os.fspath(data), columns=list(dict.fromkeys((*given, *beside))))
    if isinstance(data, dask.array.Array):
        if x is None and beside:
            raise make("argument", f"the region has parameters: give them as a Dask array, (…, {len(beside)})")
        return _over_array(method, used, data, x, len(given), made, always)
    if isinstance(data, dask.dataframe.DataFrame):
        if x is not None:
            raise make("argument", "parameters are columns of the data frame: leave x out")
        return _over_frame(method, used, data, given, beside, made)
    raise TypeError(f"a Dask array, a Dask data frame or the path of a Parquet folder is needed, not {type(data)}")


def _polar(region: Region) -> tuple[str, ...]:
    return (*(f"d:{name}" for name in region.names), "r")


def _parameters(region: Region) -> tuple[str, ...]:
    return region.parameters.names if region.p else ()


# --------------------------------------------------------------------------------------------------------- the maps


def project(region: Region, points: Any, x: Any = None) -> Any:
    """The nearest points of the region: `Region.project` over Dask.

    Args:
        region: any region.
        points: a Dask array (…, n), a Dask data frame with columns of the outputs' names, or a Parquet folder.
        x: beside an array, the parameters: a Dask array (rows, p), or p numbers for all.

    Returns:
        A Dask array or data frame, not computed yet, of the type of the points.
    """
    return _over("project", region, points, x, region.names, _parameters(region), region.names)


def encode(region: Region, y: Any, x: Any = None) -> Any:
    """Points as a direction and a radius: `Region.encode` over Dask. Columns: ``d:`` and the output's name, then ``r``.

    Arguments as for `project`.
    """
    return _over("encode", region, y, x, region.names, _parameters(region), _polar(region))


def decode(region: Region, polar: Any, x: Any = None) -> Any:
    """Points of the region from directions and radii: `Region.decode` over Dask.

    Arguments as for `project`, but `polar` has n + 1 numbers a row, or the columns that `encode` gives.
    """
    return _over("decode", region, polar, x, _polar(region), _parameters(region), region.names)


def contract(region: Region, v: Any, x: Any = None) -> Any:
    """origin + v, or where the ray along v leaves the region: `Region.contract` over Dask. Arguments as for
    `project`."""
    return _over("contract", region, v, x, region.names, _parameters(region), region.names)


def check(region: Region, y: Any, x: Any = None) -> Any:
    """Whether points are inside, decided exactly: `Region.check` over Dask. Arguments as for `project`.

    Returns:
        A Dask array (…) of booleans, or a series ``inside``.
    """
    return _over("check", region, y, x, region.names, _parameters(region), None, np.bool_)


def predict(model: Model, X: Any, parameters: Any = None) -> Any:
    """Predictions of a model: `Model.predict` over Dask.

    Args:
        model: from `hcr.fit` or `hcr.load_model`.
        X: a Dask array (rows, inputs), a Dask data frame with columns of the inputs' names, or a Parquet folder.
        parameters: beside an array, those of the region, for a model that was given them apart: as x of the others. Of
            a data frame they are columns.

    Returns:
        A Dask array (rows, outputs) or data frame, not computed yet; the outputs of a model of quantiles are one after
        the other, as its ``output_names`` are.
    """
    if model.samples:
        raise make("unsupported", "Dask has no paths of a model of samples: predict parts of X with `Model.predict`")
    apart = _parameters(model.region) if model.parameter_columns is None else ()
    return _over("predict", model, X, parameters, model.input_names, apart, model.output_names, np.float64)


if __name__ == "__main__":
    import sys

    from ._dask_command import main

    sys.exit(main())
