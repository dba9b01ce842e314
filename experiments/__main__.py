"""Repeats an experiment: trains every method on every problem, and writes the paper's tables and pictures."""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import pathlib
import sys
import threading
from typing import Any

from . import pictures, problems, trials
from .problems import Experiment, Task
from .tables import frame, out_of_order, tables

HERE = pathlib.Path(__file__).resolve().parents[1]


class Store:
    """Records, a line each of a file that only grows. The first line has the settings."""

    def __init__(self, path: pathlib.Path, settings: dict[str, Any]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock, self._path = threading.Lock(), path
        self.records: list[trials.Record] = []
        if not path.exists():
            path.write_text(json.dumps(settings) + "\n")
            return
        whole = path.read_bytes()
        kept = whole[: whole.rfind(b"\n") + 1]  # a line that was cut off is done again
        if len(kept) < len(whole):
            os.truncate(path, len(kept))
        first, *rest = kept.decode().splitlines() or ["null"]
        if json.loads(first) != settings:
            raise SystemExit(f"{path} has results of other settings: name another folder, or delete it")
        self.records = [json.loads(line) for line in rest]

    def has(self, task: Task, method: str) -> bool:
        return any(r["method"] == method and r["problem"] == task.label for r in self.records)

    def add(self, task: Task, found: dict[str, trials.Record]) -> None:
        made = [{"table": task.table, "problem": task.label, "method": key, **found[key]} for key in found]
        with self._lock:
            with self._path.open("a") as file:
                file.write("".join(json.dumps(record) + "\n" for record in made))
            self.records += made


def _run_task(experiment: Experiment, task: Task, store: Store, stop: threading.Event) -> None:
    """Everything of a problem that isn't in the store yet."""
    # Projection comes last with Simple, so that both are there when it is.
    trained = [key for key in experiment.methods if trials.METHODS[key].head]
    missing = [key for key in trained if not store.has(task, "projection" if key == "simple" else key)]
    searched = task.table != experiment.searches or store.has(task, "search")
    if (not missing and searched) or stop.is_set():
        return
    problem = task.make()
    for key in missing:
        store.add(task, trials.train(problem, key, stop.is_set))
        print(f"\r{len(store.records)} records, {task.label} {key}\033[K", end="", file=sys.stderr, flush=True)
    if not searched:
        store.add(task, {"search": trials.search(problem)})


def _run_all(experiment: Experiment, store: Store, threads: int) -> None:
    stop = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(_run_task, experiment, task, store, stop) for task in experiment.tasks]
        try:
            for task in concurrent.futures.as_completed(running):
                task.result()
        except BaseException as reason:
            stop.set()
            if isinstance(reason, KeyboardInterrupt):
                raise SystemExit("\ninterrupted: the same command goes on") from None
            raise
    print(file=sys.stderr)


def _write(experiment: Experiment, store: Store, folder: pathlib.Path) -> None:
    order = {task.label: place for place, task in enumerate(experiment.tasks)}
    records = sorted(store.records, key=lambda record: order[record["problem"]])
    found = frame(records)
    found = found.sort_values("table", key=lambda of: of.map(experiment.tables().index), kind="stable")
    text = tables(experiment, found)
    (folder / "tables.md").write_text(text)
    print(text)
    plain = found.drop(columns=["bins", "before", "actual", "forecast", "limits"], errors="ignore")
    plain.to_csv(folder / "runs.csv", index=False)
    pictures.violations(folder / "error-violation.png", found, experiment.error)
    pictures.times(folder / "times.png", found)
    if "forecast" in found and {"simple", "contract"} <= set(found["method"]):
        pictures.forecasts(folder / "forecasts.png", found)
    searched = [record for record in records if record["method"] == "search"]
    if searched:
        pictures.searches(folder / "search.png", searched)
    wrong = out_of_order(experiment, found)
    if wrong:
        raise SystemExit("not as in docs/experiments.md:\n" + "\n".join(wrong))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments",
        description=f"{__doc__} What is done is kept in OUT/results.jsonl: the same command goes on after an "
        "interruption. OUT also gets tables.md, runs.csv and the pictures.",
    )
    parser.add_argument("experiment", choices=("synthetic", "m4"))
    parser.add_argument("-o", "--out", type=pathlib.Path, required=True, help="the folder for the results")
    parser.add_argument("--quick", action="store_true", help="few seeds or series, and few epochs: minutes")
    parser.add_argument("--epochs", type=int, help="of every training; synthetic 800, m4 300")
    parser.add_argument("--seeds", type=int, help="synthetic: of the weights; 10")
    parser.add_argument("--count", type=int, help="m4: series of each file, evenly spaced in it; 30")
    parser.add_argument("--series", default=HERE / "examples/m4/hourly-30.csv", help="m4: hourly series, one a row")
    parser.add_argument("--weekly", help="m4: weekly series too, as two tables more")
    parser.add_argument("--methods", nargs="+", choices=trials.METHODS, metavar="METHOD",
                        help=f"these alone, of {', '.join(trials.METHODS)}; projection comes with simple")  # fmt: skip
    parser.add_argument("--threads", type=int, default=1, help="problems at a time; 1")
    parser.add_argument("--hcr", default=HERE / "build/hcr", help="m4: the command, which cuts the series")
    return parser


def main(arguments: list[str] | None = None) -> None:
    asked = _parser().parse_args(arguments)
    if asked.experiment == "synthetic":
        epochs = asked.epochs or (100 if asked.quick else 800)
        experiment = problems.synthetic(asked.seeds or (2 if asked.quick else 10), epochs)
    else:
        paths = {"hourly": str(asked.series)} | ({"weekly": asked.weekly} if asked.weekly else {})
        epochs = asked.epochs or (40 if asked.quick else 300)
        experiment = problems.m4(str(asked.hcr), paths, asked.count or (3 if asked.quick else 30), epochs)
    if asked.methods:
        experiment.methods = tuple(key for key in experiment.methods if key in asked.methods)
    store = Store(asked.out / "results.jsonl", experiment.settings)
    _run_all(experiment, store, asked.threads)
    _write(experiment, store, asked.out)


if __name__ == "__main__":
    main()
