"""The parts that are C programs of their own: they print lines of words and numbers between tabs."""

import os
import subprocess


def lines(options, name, *arguments):
    environment = {**os.environ, **({"HCR_BENCH_QUICK": "1"} if options.quick else {})}
    run = subprocess.run(
        [options.build / f"bench_{name}", *arguments], check=False, capture_output=True, text=True, env=environment
    )
    if run.returncode != 0:
        raise RuntimeError(f"bench_{name}: {run.stderr}")
    return [line.split("\t") for line in run.stdout.splitlines()]


def limits(results, options):
    for what, size, rate in lines(options, "limits"):
        unit = "GB/s" if what == "copy" else "10⁹ multiplications/s"
        results.add("limits", f"{float(size):.3g} MB", what, "machine", float(rate), unit=unit)


def maps(results, options):
    """Decode and its like through the C interface."""
    for letter, what, time in lines(options, "decode"):
        words = what.split(", ")
        batch = 1 if "batch 1" in words else 100 if letter == "F" else 1000
        precision = "single" if "single" in words else "double"
        by = {"copy": "memcpy", "matrix product": "OpenBLAS"}.get(words[0], "hcr")
        results.add("maps", letter, words[0], by, float(time), precision=precision, batch=batch)


def growth(results, options):
    for _, rows, what, time in lines(options, "growth", "rows"):
        kind, _, scan = what.partition(", ")
        results.add("growth", rows, f"rows, {kind}", scan or "hcr", float(time), precision="double")
    for _, outputs, what, time in lines(options, "growth", "outputs"):
        results.add("growth", outputs, f"outputs, {what}", "hcr", float(time), precision="double")


def threads(results, options):
    for _, count, letter, time in lines(options, "growth", "threads"):
        results.add("threads", letter, "decode", f"{count} thread" + "s" * (count != "1"), float(time))


def compile_times(results, options):
    for letter, time in lines(options, "compile"):
        results.add("compile", letter, "hcr_builder_finish", "hcr", float(time), unit="ms")


def kinds(results, options):
    for kind, *times in lines(options, "kinds"):
        for time, (what, precision, batch) in zip(
            times,
            (
                ("decode", "double", 1000),
                ("decode", "single", 1000),
                ("decode and gradient", "double", 1000),
                ("decode", "double", 1),
            ),
            strict=True,
        ):
            results.add("kinds", kind, what, "hcr", float(time), precision=precision, batch=batch)


def eigenvalues(results, options):
    for rows, by, time in lines(options, "eigenvalues"):
        results.add("eigenvalues", rows, "largest eigenvalue", by, float(time))


def parameters(results, options):
    for region, precision, moving, fixed, _ in lines(options, "parameters"):
        results.add("parameters", region, "decode", "with parameters", float(moving), precision=precision, batch=1000)
        results.add(
            "parameters", region, "decode", "the parameters fixed", float(fixed), precision=precision, batch=1000
        )
