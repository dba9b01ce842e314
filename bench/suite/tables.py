"""The results as Markdown tables, one a part."""

import re

from .aims import judge, number

# The fewest multiplications of a decode of one sample. A, F: a product with each inverse slack; B: the norm and the
# result; C: the rows; D: the symmetric halves and what is beside them; E: Σ y_j F_j and its tridiagonal form.
MULTIPLICATIONS = {
    "A": 2 * 48,
    "B": 2 * 768,
    "C": 100 * 1000,
    "D": 100 * (100 * 101 // 2 + 200),
    "E": 20 * 210 + 2 * 20**3 // 3,
    "F": 2 * 10000,
}
OUTPUTS = {"A": 48, "B": 768, "C": 100, "D": 100, "E": 20, "F": 10000}
REGIONS = {
    "A": "A, box and differences, n = 48",
    "B": "B, ball, n = 768",
    "C": "C, 1,000 dense rows, n = 100",
    "D": "D, 100 dense quadratics, n = 100",
    "E": "E, a matrix inequality of 20 rows, n = 20",
    "F": "F, as A, n = 10,000",
}


def table(head, rows):
    """Lines; columns of numbers to the right."""
    rows = [[cell if isinstance(cell, str) else number(cell) for cell in row] for row in rows]
    right = [all(row[k][:1] in "0123456789–-" for row in rows) for k in range(len(head))]
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join("---:" if r else "---" for r in right) + "|"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def times(x):
    return "–" if x is None else number(x)


def aims(results):
    met = {True: "met", False: "**missed**", None: ""}
    rows = [(what, aim, measured, met[good]) for what, aim, measured, good in judge(results)]
    return table(("what", "aim", "measured", ""), rows) if results.figures else []


def machine(results):
    m = results.machine
    packages = ", ".join(f"{name} {version}" for name, version in m["packages"].items())
    loads = [part["load"] for part in results.parts.values()]
    built = f"{m['compiler']}, OpenBLAS {m['OpenBLAS']}, Python {m['Python']}: {packages}"
    loads = f"load average {min(loads)} to {max(loads)} as the parts began"
    on = f"{m['processor']} ({m['instructions']}), {m['cores']} cores, {m['system']}"
    return [f"{on}; {built}. {m['date']}; {loads}. One thread unless said, medians."]


def limits(results):
    return table(
        ("what", "size", "rate", ""), [(f.what, f.subject, f.value, f.unit) for f in results.all(part="limits")]
    )


def least(results, letter, precision, batch):
    """Microseconds a sample that the machine needs for the bytes and for the multiplications of a decode."""
    size = 8 if precision == "double" else 4
    moved = (2 * OUTPUTS[letter] + 1) * size
    copies = results.all(part="limits", what="copy")
    products = results.all(part="limits", what=f"product, {precision}")
    if not copies or not products:
        return None, None
    apart = [abs(float(f.subject.split()[0]) / (1e-6 * moved * batch) - 1) for f in copies]
    nearest = copies[apart.index(min(apart))]
    rate = max(f.value for f in products)
    return 1e-3 * moved / nearest.value, 1e-3 * MULTIPLICATIONS[letter] / rate


def maps(results):
    rows = []
    for letter, name in REGIONS.items():
        batch = 100 if letter == "F" else 1000
        for precision in ("double", "single"):
            found = {(f.what, f.batch): f.value for f in results.all(part="maps", subject=letter, precision=precision)}
            if not found:
                continue
            moved, multiplied = least(results, letter, precision, batch)
            most = None if moved is None else max(moved, multiplied)
            decode = found["decode", batch]
            rows.append(
                (
                    name,
                    precision,
                    decode,
                    found["contract", batch],
                    found.get(("decode and gradient", batch)),
                    found["decode", 1],
                    found["copy", batch],
                    found.get(("matrix product", batch)),
                    moved,
                    multiplied,
                    None if most is None else decode / most,
                )
            )
    head = ("region", "", "decode", "contract", "decode and gradient", "decode, one sample", "copy", "matrix product")
    return table(
        (*head, "bytes at the copy's rate", "multiplications at the product's rate", "decode / the larger"), rows
    )


def layers(results):
    rows = []
    for letter in REGIONS:
        for precision in ("double", "single"):
            figures = results.all(part="layers", subject=letter, precision=precision)
            mine = max((f.batch for f in figures if f.by == "hcr, C, contract"), default=0)
            base = {f.what: f.value for f in figures if f.by == "hcr, C, contract" and f.batch == mine}
            for by in dict.fromkeys(f.by for f in figures):
                own = [f for f in figures if f.by == by]
                most = max(f.batch for f in own)
                value = {(f.what, f.batch): f.value for f in own}
                inside = next((f.more["inside"] for f in own if f.more), None)
                note = by if most == mine else f"{by} (batch {most})"
                rows.append(
                    (
                        letter,
                        precision,
                        note,
                        value["forward", 1],
                        value["with gradient", 1],
                        value["forward", most],
                        value["with gradient", most],
                        value["forward", most] / base["forward"],
                        value["with gradient", most] / base["with gradient"],
                        "–" if inside is None else f"{inside:.3f}",
                    )
                )
    head = ("region", "", "by", "batch 1", "with gradient", "batch 1,000", "with gradient")
    return table((*head, "/ hcr's contract", "with gradient", "inside"), rows)


def nearest(results):
    rows = []
    for subject in dict.fromkeys(f.subject for f in results.all(part="nearest")):
        figures = results.all(part="nearest", subject=subject)
        base = {f.what: f.value for f in figures if f.by == "hcr, C" and f.batch > 1}
        for by in dict.fromkeys(f.by for f in figures):
            own = [f for f in figures if f.by == by]
            most, more = max(f.batch for f in own), next(f.more for f in own if f.more)
            value = {(f.what, f.batch > 1): f.value for f in own}
            ratios = [value[what, True] / base[what] if (what, True) in value else None for what in base]
            cells = [value.get((what, many)) for many in (False, True) for what in ("forward", "with gradient")]
            apart = "–" if by == "hcr, C" else f"{more['apart']:.1e}"
            rows.append((subject, by, *cells, *ratios, str(most), f"{more['inside']:.3f}", apart))
    head = ("region", "by", "batch 1", "with gradient", "a batch", "with gradient")
    return table((*head, "/ hcr in C", "with gradient", "rows of the batch", "inside", "apart by up to"), rows)


def solvers(results):
    rows = []
    for subject in dict.fromkeys(f.subject for f in results.all(part="solvers")):
        decode = results.value(part="solvers", subject=subject, what="decode")
        for f in results.all(part="solvers", subject=subject):
            most, points, inside = (f.more.get(key) for key in ("most", "points", "inside"))
            what = "project" if f.what == "project" else f"decode, batch {f.batch:,}"
            rows.append(
                (
                    subject,
                    f"{f.by}, {what}",
                    f.value,
                    most,
                    str(points or "–"),
                    "–" if inside is None else f"{inside:.3f}",
                    None if decode is None else f.value / decode,
                )
            )
    return table(("region", "by", "a point, median", "most", "points", "inside", "/ hcr's decode"), rows)


def growth_rows(results):
    rows = []
    for f in results.all(part="growth", by="hcr"):
        if f.what.startswith("rows"):
            same = {"part": "growth", "subject": f.subject, "what": f.what}
            plain, product = (results.value(**same, by=by) for by in ("plain", "matrix product"))
            rows.append(
                (f"{int(f.subject):,}", f.what[6:], f.value, plain, product, f.value / plain, f.value / product)
            )
    head = ("rows", "bounds", "gauge", "plain scan", "matrix product")
    return table((*head, "gauge / plain", "gauge / product"), rows)


def growth_outputs(results):
    figures = results.all(part="growth", what="outputs, decode")
    return table(
        ("outputs", "decode", "nanoseconds an output"),
        [(f"{int(f.subject):,}", f.value, 1e3 * f.value / int(f.subject)) for f in figures],
    )


def threads(results):
    rows = []
    for f in results.all(part="threads", by="1 thread"):
        two = results.value(part="threads", subject=f.subject, by="2 threads")
        rows.append((f.subject, f.value, two, f.value / two))
    return table(("region", "one thread", "two", "one / two"), rows)


def training(results):
    rows = []
    for f in results.all(part="training", by="hcr"):
        peers = [results.value(part="training", subject=f.subject, by=by) for by in ("PyTorch", "PyTorch, fused Adam")]
        rows.append((f.subject, f.value, *peers, *(p and p / f.value for p in peers)))
    head = ("network", "hcr", "PyTorch", "PyTorch, fused Adam")
    return table((*head, "PyTorch / hcr", "fused Adam / hcr"), rows)


def compile_times(results):
    return table(("region", "milliseconds"), [(REGIONS[f.subject], f.value) for f in results.all(part="compile")])


def preparing(results):
    rows = [(f.what, f"{int(f.subject):,}", f.value, f.more["MB"]) for f in results.all(part="preparing")]
    return table(("region", "outputs", "s", "MB"), rows)


def kinds(results):
    rows = []
    for kind in dict.fromkeys(f.subject for f in results.all(part="kinds")):
        rows.append((kind, *(f.value for f in results.all(part="kinds", subject=kind))))
    return table(("kind", "decode, double", "single", "with its gradient", "one sample"), rows)


def eigenvalues(results):
    figures = results.all(part="eigenvalues")
    methods = list(dict.fromkeys(f.by for f in figures))
    rows = [
        (size, *(results.value(part="eigenvalues", subject=size, by=by) for by in methods))
        for size in dict.fromkeys(f.subject for f in figures)
    ]
    return table(("rows", *methods), rows)


def parameters(results):
    rows = []
    for f in results.all(part="parameters", by="with parameters"):
        fixed = results.value(part="parameters", subject=f.subject, precision=f.precision, by="the parameters fixed")
        rows.append((f.subject, f.precision, f.value, fixed, f.value / fixed))
    return table(("region", "", "with parameters", "the parameters fixed", "ratio"), rows)


def left_out(results):
    lines = [f"- {line['part']}: {line['what']}: {line['why']}" for line in results.left_out]
    return lines or ["Nothing: every peer was there."]


TABLES = {
    "aims": ("Aims", aims),
    "machine": ("The machine", machine),
    "limits": ("What the machine allows", limits),
    "maps": ("The maps, C interface: microseconds a sample", maps),
    "layers": ("Layers: microseconds a sample", layers),
    "nearest": ("The nearest point as a layer: microseconds a sample", nearest),
    "solvers": ("Projection, called from Python: microseconds a point", solvers),
    "rows": ("With the rows, 32 outputs: microseconds a sample", growth_rows),
    "outputs": ("With the outputs, box and differences: microseconds a sample", growth_outputs),
    "threads": ("Two threads, decode: microseconds a sample", threads),
    "training": ("Training steps, batch 32: microseconds", training),
    "compile": ("Making a region", compile_times),
    "preparing": ("Making regions that grow: hcr compile, the whole process", preparing),
    "kinds": ("Kinds of constraints, 20 outputs: microseconds a sample", kinds),
    "eigenvalues": ("The largest eigenvalue: microseconds a matrix", eigenvalues),
    "parameters": ("Parameters: microseconds a sample", parameters),
    "left out": ("Left out", left_out),
}


def markdown(results):
    lines = []
    for title, make in TABLES.values():
        made = make(results)
        if len(made) > 2 or (made and make in (machine, left_out)):
            lines += [f"## {title}", "", *made, ""]
    return "\n".join(lines)


def fill(page, results, whole):
    """The page with the tables between its marks, <!-- bench/run NAME --> and <!-- end -->, made anew: those that have
    figures, and, of a whole run, what is said of all of it."""

    def made(found):
        lines = TABLES[found[2]][1](results)
        if (found[2] in ("aims", "machine", "left out") and not whole) or len(lines) <= 2 < found[0].count("\n"):
            return found[0]
        return "\n".join([found[1], *lines, found[3]])

    return re.sub(r"(<!-- bench/run ([a-z ]+) -->)\n.*?(<!-- end -->)", made, page, flags=re.DOTALL)
