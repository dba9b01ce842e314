"""Figures as they are measured, found again by what they are of, and kept as JSON."""

import dataclasses
import json
import statistics
import time

clock = time.perf_counter  # or time.process_time, where other work keeps the machine busy


@dataclasses.dataclass
class Figure:
    part: str  # of the suite
    subject: str  # a region, a size, a network
    what: str  # a map, a step
    by: str  # whose
    value: float
    unit: str = "µs"  # a sample, unless the part says otherwise
    precision: str = ""
    batch: int = 0
    more: dict = dataclasses.field(default_factory=dict)


class Results:
    def __init__(self):
        self.figures, self.parts, self.left_out, self.machine = [], {}, [], {}

    def add(self, *arguments, **named):
        self.figures.append(Figure(*arguments, **named))

    def leave_out(self, part, what, why):
        self.left_out.append({"part": part, "what": what, "why": str(why).strip().splitlines()[0][:200]})

    def all(self, **wanted):
        return [f for f in self.figures if all(getattr(f, key) == value for key, value in wanted.items())]

    def value(self, **wanted):
        """The one figure's value, None where it wasn't measured."""
        found = self.all(**wanted)
        if len(found) > 1:
            raise LookupError(f"{len(found)} figures are {wanted}")
        return found[0].value if found else None

    def forget(self, part):
        self.figures = [f for f in self.figures if f.part != part]
        self.left_out = [line for line in self.left_out if line["part"] != part]
        self.parts.pop(part, None)

    def write(self, path):
        whole = {key: getattr(self, key) for key in ("machine", "parts", "left_out")}
        whole["figures"] = [dataclasses.asdict(f) for f in self.figures]
        path.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, path):
        made, whole = cls(), json.loads(path.read_text())
        made.machine, made.parts, made.left_out = (whole[key] for key in ("machine", "parts", "left_out"))
        made.figures = [Figure(**figure) for figure in whole["figures"]]
        return made


def take_turns(runs, turns, budget):
    """Each run's seconds, a median: the runs take turns, so that other work of the machine slows all of them. A turn
    goes over two milliseconds at least; short ones run once more before it, so that they find their data in the caches
    and not the others'. A run that has spent its budget (seconds) is left alone once it has been measured twice."""
    times, last = {name: [] for name in runs}, {}
    for turn in range(turns + 1):
        for name, run in runs.items():
            count = max(1, min(1000, round(0.002 / last[name]))) if turn > 0 else 1
            if turn > 2 and count * sum(times[name]) > budget:
                continue
            if last.get(name, 0) < 0.05:
                run()
            start = clock()
            for _ in range(count):
                run()
            last[name] = (clock() - start) / count
            if turn > 0:
                times[name].append(last[name])
    return {name: statistics.median(taken) for name, taken in times.items()}
