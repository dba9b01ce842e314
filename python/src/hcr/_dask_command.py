"""python -m hcr.dask: a map over a table of any size, on this machine or on a cluster of Dask's."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
import uuid
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import dask
import dask.dataframe
import pandas as pd
import pyarrow.parquet

from . import dask as maps
from .errors import Error
from .model import Model, load_model
from .region import Region

_DESCRIPTION = """
Maps every row of IN and writes OUT, a folder of Parquet files, one a part of IN. IN is a Parquet file or folder, or a
CSV file; a pattern such as 'y-*.csv' stands for several. Columns are found by name, the region's parameters among them.
"""
_EPILOG = """
With --scheduler the parts are spread over the workers of that cluster, which must see IN and OUT under the same names.
While it runs the parts are in OUT.partial: where it was interrupted, the same command with --resume does the rest.
Exit codes: 0 done; 1 check: a row is outside; 2 a wrong command line; 3 a wrong region, model or table; 4 a file that
can't be read or written; 130 interrupted.
"""
_RUN = "_run.json"  # names that begin with _ or . are no part of a Parquet folder


class _UsageError(Exception):
    """What the one who typed the command has to change."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m hcr.dask", description=_DESCRIPTION, epilog=_EPILOG)
    parser.add_argument("map", metavar="MAP", choices=maps.__all__, help=" | ".join(maps.__all__))
    parser.add_argument("region", metavar="REGION", help="region text or a compiled region; for predict, a model")
    parser.add_argument("data", metavar="IN")
    parser.add_argument("out", metavar="OUT", type=pathlib.Path)
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster, such as tcp://10.0.0.1:8786")
    parser.add_argument("--resume", action="store_true", help="go on with what OUT.partial has")
    return parser


def _read(path: str) -> Any:
    """The table, lazily: the map takes the columns that it needs, and no others are read."""
    if path.endswith(".csv"):
        # Only "round_trip" reads each decimal as the double nearest to it.
        return dask.dataframe.read_csv(path, float_precision="round_trip")
    return dask.dataframe.read_parquet(path)


def _part_path(folder: pathlib.Path, part: int) -> pathlib.Path:
    return folder / f"part-{part:06}.parquet"


def _write(result: Any, path: pathlib.Path) -> None:
    """On a worker: the file appears whole or not at all, whoever is killed."""
    frame = result.to_frame() if isinstance(result, pd.Series) else result
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        frame.to_parquet(temporary, index=False)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _describe(options: argparse.Namespace, owner: Region | Model, parts: int) -> dict[str, Any]:
    """What a run is of: the parts of another one are not gone on with."""
    return {
        "map": options.map,
        "region": zlib.crc32(owner.to_bytes()),
        "in": os.path.abspath(options.data),
        "parts": parts,
    }


def _begin(folder: pathlib.Path, options: argparse.Namespace, run: dict[str, Any]) -> None:
    note = folder / _RUN
    if options.out.exists():
        raise _UsageError(f"{options.out} is there already: remove it, or name another folder")
    if not folder.exists():
        folder.mkdir(parents=True)
        note.write_text(json.dumps(run))
    elif not options.resume:
        raise _UsageError(f"{folder} has parts of an interrupted run: go on with --resume, or remove it")
    elif not note.exists() or json.loads(note.read_text()) != run:
        raise _UsageError(f"{folder} has parts of another run (map, region or table differ): remove it")


def _finished(tasks: Sequence[Any], scheduler: str | None) -> Iterator[None]:
    """Runs them, and yields as each is done."""
    if scheduler is None:
        for task in tasks:
            task.compute(scheduler="sync")  # the maps themselves use all cores
            yield
        return
    import distributed

    with distributed.Client(scheduler) as client:
        for done in distributed.as_completed(client.compute(list(tasks))):
            done.result()
            yield


def _rows(folder: pathlib.Path, parts: int) -> int:
    return sum(pyarrow.parquet.read_metadata(_part_path(folder, part)).num_rows for part in range(parts))


def _inside(folder: pathlib.Path, parts: int) -> int:
    return sum(int(pd.read_parquet(_part_path(folder, part))["inside"].sum()) for part in range(parts))


def _run(options: argparse.Namespace) -> int:
    owner = load_model(options.region) if options.map == "predict" else Region.load(options.region)
    lazy = getattr(maps, options.map)(owner, _read(options.data))
    parts = lazy.npartitions
    folder = options.out.with_name(options.out.name + ".partial")
    _begin(folder, options, _describe(options, owner, parts))
    missing = [part for part in range(parts) if not _part_path(folder, part).exists()]
    delayed = lazy.to_delayed()
    write = dask.delayed(_write)
    done = parts - len(missing)
    for _ in _finished([write(delayed[part], _part_path(folder, part)) for part in missing], options.scheduler):
        done += 1
        print(f"\r{done} of {parts} parts", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    rows = _rows(folder, parts)
    inside = _inside(folder, parts) if options.map == "check" else rows
    print(f"{inside} of {rows} rows inside, decided exactly" if options.map == "check" else f"{rows} rows")
    for stray in folder.glob(".*"):  # of workers that were killed while they wrote
        stray.unlink()
    (folder / _RUN).unlink()
    folder.replace(options.out)
    return 0 if inside == rows else 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except _UsageError as error:
        print(f"hcr.dask: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nhcr.dask: interrupted: the same command with --resume goes on", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"hcr.dask: {error}", file=sys.stderr)
        return 4
    except (Error, ValueError) as error:
        print(f"hcr.dask: {error}", file=sys.stderr)
        return 3
