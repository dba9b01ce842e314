"""How long regions take to make, and how much memory, as they grow: the command `hcr compile`, a process each."""

import contextlib
import os
import subprocess
import tempfile
import time

TURNS, LIMIT = 3, 60  # seconds, after which larger ones of that kind are left out

RAMPS = "abs(diff(y)) <= 10 / n\n"
TEXTS = {
    "simplex, a row": "var y[n]\ny >= 0\nsum(y) <= 1\n",
    "simplex, an equality": "var y[n]\ny >= 0\nsum(y) == 1\n",
    "simplex with ramps": "var y[n]\ny >= 0\nsum(y) <= 1\n" + RAMPS,
    "demand plan": (
        "const hours = n // 10\nvar y[10 * hours]\nparam demand[hours] in [2, 6]\n0 <= y <= 1\n"
        "sum(reshape(y, 10, hours), 0) == demand\nabs(diff(reshape(y, 10, hours)[k, :])) <= 0.5 for k in range(10)\n"
    ),
    "cone that moves": "var y[n]\nvar t\nparam c[n] in [-1, 1]\n-3 <= y <= 3\nnorm(y - c) <= t\nt <= 4\n",
}
SIZES = {"demand plan": (20, 100, 320, 960), "cone that moves": (10, 30, 100, 250)}
ALL_SIZES = (10, 100, 1_000, 10_000, 100_000)


def megabytes(process, known):
    """The most memory so far; a child's own count begins with what this process has."""
    with contextlib.suppress(OSError), open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        return next((int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM")), known)
    return known


def make(command, text, folder):
    """Seconds of the processor and MB of one compilation; None where it takes longer than the limit or fails."""
    start, most = time.monotonic(), 0.0
    process = subprocess.Popen(
        [command, "compile", text, "-o", os.path.join(folder, "made.hcr")], stdout=subprocess.DEVNULL
    )
    while time.monotonic() - start < LIMIT:
        most = megabytes(process, most)
        number, status, used = os.wait4(process.pid, os.WNOHANG)
        if number != 0:
            process.returncode = status
            return (used.ru_utime + used.ru_stime, most) if status == 0 else None
        time.sleep(0.0005)
    process.kill()
    process.wait()
    return None


def measure(results, options):
    build = options.build
    subprocess.run(["cmake", "--build", build, "--target", "hcr_command"], check=True, stdout=subprocess.DEVNULL)
    command = build / "hcr"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "region")
        for kind, text in TEXTS.items():
            for n in SIZES.get(kind, ALL_SIZES):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"const n = {n}\n{text}")
                runs = [make(command, path, folder) for _ in range(1 if options.quick else TURNS)]
                if None in runs:
                    results.leave_out("preparing", f"{kind}, {n:,} outputs", f"longer than {LIMIT} s")
                    break
                seconds, memory = (min(run[k] for run in runs) for k in (0, 1))
                results.add("preparing", str(n), kind, "hcr", seconds, unit="s", more={"MB": memory})
