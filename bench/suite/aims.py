"""The aims, beside what was measured: one row an aim."""

import math
import statistics

RAYEN = "RAYEN"


def number(x):
    """Three figures, with commas from a thousand on."""
    if x is None:
        return "–"
    if x == 0 or not math.isfinite(x):
        return f"{x:g}"
    digits = 2 - math.floor(math.log10(abs(x)))
    return f"{round(x, digits):,.{max(digits, 0)}f}"


def at_most(limit, value, unit=""):
    return None if value is None else (f"{number(value)}{unit}", value <= limit)


def at_least(limit, value, note=""):
    return None if value is None else (f"{number(value)} times{note}", value >= limit)


def ratio(above, below):
    return None if above is None or below is None else above / below


def slope(points):
    """Of log y against log x."""
    return statistics.linear_regression(*zip(*((math.log(x), math.log(y)) for x, y in points), strict=True)).slope


class Measured:
    """What the aims ask the results."""

    def __init__(self, results):
        self.results = results

    def map(self, letter, what, by="hcr", precision="double", batch=1000):
        return self.results.value(part="maps", subject=letter, what=what, by=by, precision=precision, batch=batch)

    def layer(self, letter, by, what="forward", precision="double"):
        """In the largest batch that there is."""
        found = self.results.all(part="layers", subject=letter, by=by, what=what, precision=precision)
        return max(found, key=lambda f: f.batch).value if found else None

    def beside(self, letter, other, what="forward", precision="double", by="hcr, C, contract"):
        """How many times as long another layer takes."""
        return ratio(self.layer(letter, other, what, precision), self.layer(letter, by, what, precision))

    def nearest(self, subject, by, what):
        """In the largest batch that there is."""
        found = self.results.all(part="nearest", subject=subject, by=by, what=what)
        return max(found, key=lambda f: f.batch).value if found else None

    def projection(self, letter, by):
        return self.results.value(part="solvers", subject=letter, what="project", by=by)

    def beside_decode(self, letter, by):
        decode = self.results.value(part="solvers", subject=letter, what="decode", by="hcr")
        return ratio(self.projection(letter, by), decode)

    def growth(self, family, by="hcr"):
        found = self.results.all(part="growth", what=family, by=by)
        return sorted((int(f.subject), f.value) for f in found)

    def rows(self, kinds, other):
        """hcr's time over another's, the largest of all sizes."""
        found = [
            mine / theirs
            for kind in kinds
            for (_, mine), (_, theirs) in zip(
                self.growth(f"rows, {kind}"), self.growth(f"rows, {kind}", other), strict=True
            )
        ]
        return max(found, default=None)

    def training(self, network, by):
        values = [self.results.value(part="training", subject=network, what="step", by=b) for b in (by, "hcr")]
        return ratio(*values)

    def compiled(self, letter):
        return self.results.value(part="compile", subject=letter)


def decode_beside_rayen(m, what):
    decode = m.beside("A", RAYEN, what, by="hcr, C, decode")
    return at_least(300, decode, f"; contract, which is RAYEN's map: {number(m.beside('A', RAYEN, what))}")


def sublinear(m):
    slopes = [slope(points) for kind in ("spread", "grouped") if (points := m.growth(f"rows, {kind}"))]
    if not slopes:
        return None
    return f"m^{slopes[0]:.2f} spread, m^{slopes[1]:.2f} grouped", max(slopes) < 1


def linear(m):
    points = [(n, time) for n, time in m.growth("outputs, decode") if n >= 100]
    return (f"n^{slope(points):.2f}", slope(points) <= 1.1) if points else None


def two_threads(m):
    one, two = ({f.subject: f.value for f in m.results.all(part="threads", by=by)} for by in ("1 thread", "2 threads"))
    gains = {letter: one[letter] / two[letter] for letter in one if letter in two}
    if not gains:
        return None
    return ", ".join(f"{letter} {gain:.2f}" for letter, gain in gains.items()), min(gains.values()) >= 1.8


def projection(m, letter):
    times = [
        (m.projection(f"{letter}{how}", "hcr"), m.projection(f"{letter}{how}", "DAQP"))
        for how in ("", ", five times as far")
    ]
    if any(None in pair for pair in times):
        return None
    parts = (f"{number(mine)} µs beside {number(other)}" for mine, other in times)
    return "; five times as far: ".join(parts), all(mine <= other for mine, other in times)


def beside_moreau(m, subject, aim):
    return at_least(aim, ratio(*(m.nearest(subject, by, "with gradient") for by in ("Moreau", "hcr, C"))))


def no_slower_than_daqp(m):
    """In batches: one point again and again is where DAQP begins."""
    ratios = [
        ratio(m.nearest(subject, "DAQP", "forward"), m.nearest(subject, "hcr, C", "forward"))
        for subject in ("A", "A, five times as far", "C", "DC3")
    ]
    found = [r for r in ratios if r is not None]
    return at_least(1, min(found, default=None), " as long, at the least")


# what, aim, measured and whether it is met
AIMS = (
    ("A, decode, batch 1,000", "≤ 0.05 µs", lambda m: at_most(0.05, m.map("A", "decode"), " µs")),
    ("A, decode, beside RAYEN", "≥ 300 times", lambda m: decode_beside_rayen(m, "forward")),
    ("A, decode, beside DAQP's projection", "≥ 300 times", lambda m: at_least(300, m.beside_decode("A", "DAQP"))),
    (
        "B, decode, beside reading and writing the memory",
        "≤ 1.3 times",
        lambda m: at_most(1.3, ratio(m.map("B", "decode"), m.map("B", "copy", "memcpy")), " times"),
    ),
    (
        "B, contract, beside torch's closed form",
        "≥ 3 times",
        lambda m: at_least(3, m.beside("B", "torch, closed form")),
    ),
    (
        "C, decode, beside the matrix product alone",
        "≤ 1.3 times",
        lambda m: at_most(1.3, ratio(m.map("C", "decode"), m.map("C", "matrix product", "OpenBLAS")), " times"),
    ),
    ("C, contract, beside RAYEN", "≥ 10 times", lambda m: at_least(10, m.beside("C", RAYEN))),
    (
        "rows where bounds bite (spread), beside the matrix product",
        "less",
        lambda m: at_most(1, m.rows(["spread"], "matrix product"), " times at most"),
    ),
    ("D, contract, single, beside RAYEN", "≥ 5 times", lambda m: at_least(5, m.beside("D", RAYEN, precision="single"))),
    ("E, contract, single, beside RAYEN", "≥ 8 times", lambda m: at_least(8, m.beside("E", RAYEN, precision="single"))),
    ("F, decode, batch 100", "≤ 10 µs", lambda m: at_most(10, m.map("F", "decode", batch=100), " µs")),
    (
        "F, decode, beside OSQP's projection",
        "≥ 1,000 times",
        lambda m: at_least(1000, m.beside_decode("F", "OSQP, 1e-6")),
    ),
    ("A, decode and gradient, beside RAYEN", "≥ 300 times", lambda m: decode_beside_rayen(m, "with gradient")),
    (
        "B, contract and gradient, beside torch's closed form",
        "≥ 3 times",
        lambda m: at_least(
            3,
            m.beside("B", "torch, closed form", "with gradient"),
            f"; RAYEN: {number(m.beside('B', RAYEN, 'with gradient'))}",
        ),
    ),
    (
        "C, contract and gradient, beside RAYEN",
        "≥ 10 times",
        lambda m: at_least(10, m.beside("C", RAYEN, "with gradient")),
    ),
    (
        "D, contract and gradient, single, beside RAYEN",
        "≥ 5 times",
        lambda m: at_least(5, m.beside("D", RAYEN, "with gradient", "single")),
    ),
    (
        "E, contract and gradient, single, beside RAYEN",
        "≥ 8 times",
        lambda m: at_least(8, m.beside("E", RAYEN, "with gradient", "single")),
    ),
    ("A, one sample", "< 0.1 µs", lambda m: at_most(0.1, m.map("A", "decode", batch=1), " µs")),
    ("B, one sample", "< 0.5 µs", lambda m: at_most(0.5, m.map("B", "decode", batch=1), " µs")),
    ("time against the rows m, where bounds bite", "sublinear", sublinear),
    (
        "the same, beside the plain scan, any bounds",
        "≤ 1.1 times",
        lambda m: at_most(1.1, m.rows(["alike", "spread", "grouped"], "plain"), " times at most"),
    ),
    ("time against the outputs n, 100 … 100,000", "linear (≤ n^1.1)", linear),
    ("two threads, decode", "≥ 1.8 times one", two_threads),
    (
        "training, dense 128 wide, beside PyTorch's fused Adam",
        "≥ 3 times",
        lambda m: at_least(3, m.training("dense 128-128-769", "PyTorch, fused Adam")),
    ),
    (
        "training, LSTM of 64, beside PyTorch",
        "≥ 2.5 times",
        lambda m: at_least(
            2.5,
            m.training("lstm 48 steps, 64 wide", "PyTorch"),
            f"; fused Adam: {number(m.training('lstm 48 steps, 64 wide', 'PyTorch, fused Adam'))}",
        ),
    ),
    ("projection, A, beside DAQP", "no slower", lambda m: projection(m, "A")),
    ("projection, C, beside DAQP", "no slower", lambda m: projection(m, "C")),
    ("nearest point, A, batch 1,000", "≤ 3 µs", lambda m: at_most(3, m.nearest("A", "hcr, C", "forward"), " µs")),
    (
        "nearest point, A, with gradient",
        "≤ 6 µs",
        lambda m: at_most(6, m.nearest("A", "hcr, C", "with gradient"), " µs"),
    ),
    ("nearest point, A, with gradient, beside Moreau", "≥ 40 times", lambda m: beside_moreau(m, "A", 40)),
    (
        "the same, five times as far",
        "≥ 20 times",
        lambda m: beside_moreau(m, "A, five times as far", 20),
    ),
    (
        "nearest point, C, with gradient, beside Moreau",
        "≥ 1,000 times",
        lambda m: beside_moreau(m, "C", 1000),
    ),
    ("nearest point, beside DAQP: A, C and DC3's", "no slower", no_slower_than_daqp),
    ("compile, A", "≤ 10 ms", lambda m: at_most(10, m.compiled("A"), " ms")),
    ("compile, C", "≤ 200 ms", lambda m: at_most(200, m.compiled("C"), " ms")),
    ("compile, F", "≤ 2 s", lambda m: at_most(2000, m.compiled("F"), " ms")),
)


def judge(results):
    """Yields what, aim, measured, and whether it is met: None where it wasn't measured."""
    m = Measured(results)
    for what, aim, of in AIMS:
        found = of(m)
        yield (what, aim, *(found or ("not measured", None)))
