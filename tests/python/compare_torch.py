"""Compares outputs and gradients of the networks with PyTorch's, live: tests/unit/learn/test_net.c against fresh numbers.

    python tests/python/compare_torch.py [SEEDS]

For each of SEEDS (5) seeds, torch_reference.py draws networks and inputs and writes PyTorch's outputs and gradients; the test
is compiled with them and run. Needs torch, a C compiler, OpenBLAS and cmocka.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEST = ROOT / "tests/unit/learn"
SOURCES = [
    *(ROOT / "src/learn" / f"{name}.c" for name in ("net", "product", "elementwise", "blas")),
    *ROOT.glob("src/core/*.c"),
]
FLAGS = ["-std=c11", "-O2", "-Wno-psabi", "-fno-math-errno", "-fno-trapping-math", f"-I{ROOT}/include", f"-I{ROOT}/src"]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def main(seeds):
    libraries = output("pkg-config", "--cflags", "--libs", "openblas", "cmocka")
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as folder:
            header, program = f"{folder}/torch_reference.h", f"{folder}/test_net"
            subprocess.run([sys.executable, TEST / "torch_reference.py", header, str(seed)], check=True)
            # The fresh header comes first; its guard keeps the committed one out.
            compiler = os.environ.get("CC", "cc")
            command = [
                compiler,
                *FLAGS,
                "-include",
                header,
                TEST / "test_net.c",
                *SOURCES,
                *libraries,
                "-lm",
                "-o",
                program,
            ]
            subprocess.run(command, check=True)
            subprocess.run([program], check=True)
    print(f"{seeds} seeds: all like PyTorch's")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
