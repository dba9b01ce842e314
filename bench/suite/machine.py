"""What the figures were measured on and with."""

import importlib.metadata
import os
import platform
import re
import subprocess
import time

PACKAGES = [
    "numpy",
    "scipy",
    "torch",
    "jax",
    "osqp",
    "daqp",
    "proxsuite",
    "clarabel",
    "rayen",
    "pinet-hcnn",
    "cvxpylayers",
    "moreau",
    "qpth",
]


def processor():
    try:
        with open("/proc/cpuinfo") as info:
            return next(line.split(":")[1].strip() for line in info if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def instructions():
    try:
        with open("/proc/cpuinfo") as info:
            flags = next(line for line in info if line.startswith("flags")).split()
    except (OSError, StopIteration):
        return ""
    return "AVX-512" if "avx512f" in flags else "AVX2" if "avx2" in flags else ""


def compiler(build):
    cache = (build / "CMakeCache.txt").read_text()
    found = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", cache, re.MULTILINE)
    output = subprocess.run([found[1], "--version"], check=False, capture_output=True, text=True) if found else None
    return output.stdout.splitlines()[0] if output else ""


def openblas():
    output = subprocess.run(["pkg-config", "--modversion", "openblas"], check=False, capture_output=True, text=True)
    return output.stdout.strip()


def describe(build):
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "processor": processor(),
        "instructions": instructions(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "compiler": compiler(build),
        "OpenBLAS": openblas(),
        "Python": platform.python_version(),
        "packages": versions,
        "date": time.strftime("%Y-%m-%d"),
    }


def load():
    return round(os.getloadavg()[0], 2)
