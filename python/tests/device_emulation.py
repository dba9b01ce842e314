"""A GPU's stand-in: the kernels' source compiled for the host by g++, and launched with a grid's threads as a loop."""

import ctypes
import pathlib
import shutil
import subprocess
import tempfile

import pytest

_SHIM = """#define __device__
#define __global__
#define __forceinline__ inline
struct index3 { unsigned int x; };
extern "C" { index3 blockIdx, threadIdx, gridDim = {2}, blockDim = {3}; }
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
"""


class Emulation:
    """Takes tensors on the CPU; `launches` counts, `compilations` too; `outcome`: the last launch's last tensor."""

    def __init__(self):
        self.launches = self.compilations = 0
        self.outcome = None

    def takes(self, values):
        return values.is_cpu

    def architecture(self, device):
        return "host"

    def compile(self, source, headers, architecture):
        self.compilations += 1
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "hcr.h").write_text(headers["hcr.h"])
            (path / "hcr.cc").write_text(_SHIM + source)
            command = ["g++", "-std=c++17", "-O1", "-fPIC", "-shared", "-march=native", "-ffp-contract=fast"]
            subprocess.run([*command, "-o", path / "hcr.so", path / "hcr.cc"], check=True)
            return (path / "hcr.so").read_bytes()

    def load(self, code, device):
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            file.write(code)
            file.flush()
            library = ctypes.CDLL(file.name)
        index = [ctypes.c_uint.in_dll(library, name) for name in ("gridDim", "blockDim", "blockIdx", "threadIdx")]
        return lambda name: (getattr(library, name), index)

    def launch(self, function, rows, tensors):
        self.launches += 1
        kernel, (grid, block, block_index, thread_index) = function
        arguments = [ctypes.c_size_t(rows), *(ctypes.c_void_p(tensor.data_ptr()) for tensor in tensors)]
        for i in range(grid.value):
            for j in range(block.value):
                block_index.value, thread_index.value = i, j
                kernel(*arguments)
        self.outcome = tensors[-1]


@pytest.fixture(scope="session")
def kernel_cache(tmp_path_factory):
    """A cache for all tests."""
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture
def emulation(monkeypatch, kernel_cache):
    """torch's maps by the kernels, on this processor."""
    from hcr.torch import kernels

    if shutil.which("g++") is None:
        pytest.skip("there is no C++ compiler (package g++)")
    there = Emulation()
    monkeypatch.setenv("XDG_CACHE_HOME", str(kernel_cache))
    monkeypatch.setattr(kernels, "platform", lambda: there)
    monkeypatch.setattr(kernels, "_found", {})
    return there
