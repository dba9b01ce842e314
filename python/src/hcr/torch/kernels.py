"""The maps on NVIDIA's GPUs: a region's kernels, as ``hcr export cuda`` writes them, compiled by NVRTC at first use.

They serve contract, decode and soften of regions whose derivatives are exported, in the tensors' precision, on torch's
current stream. NVRTC comes with torch's CUDA builds. What was compiled is kept in
``$XDG_CACHE_HOME/hcr``, by what it was compiled from, and compared with the library's results before it is used.
"""

from __future__ import annotations

import ctypes
import functools
import glob
import hashlib
import importlib.util
import os
import pathlib
import tempfile
import threading
import warnings
from collections.abc import Callable
from ctypes import byref, c_char_p, c_size_t, c_void_p
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from .. import _library, errors

_MAPS = ("contract", "decode", "soften")
_BAD, _OUT_OF_RANGE = 4, 7  # the kernels' outcomes for a NaN or an infinity, and for a parameter out of its range
_THREADS, _MOST_BLOCKS = 128, 1 << 20
#: NVRTC has no header files: what the kernels take from them.
HEADERS = {
    "float.h": "#define FLT_EVAL_METHOD 0\n#define FLT_MAX 0x1.fffffep127f\n#define FLT_MIN 0x1p-126f\n"
    "#define DBL_MAX 0x1.fffffffffffffp1023\n#define DBL_MIN 0x1p-1022\n",
    "math.h": "#define NAN __int_as_float(0x7fffffff)\n",
    "stddef.h": "",
    "stdint.h": "typedef unsigned char uint8_t;\ntypedef unsigned short uint16_t;\ntypedef int int32_t;\n"
    "typedef unsigned int uint32_t;\ntypedef unsigned long long uint64_t;\n",
    "string.h": "",
}


class Platform(Protocol):
    """Where kernels run."""

    def takes(self, values: Tensor) -> bool: ...
    def architecture(self, device: torch.device) -> str: ...
    def compile(self, source: str, headers: dict[str, str], architecture: str) -> bytes: ...
    def load(self, code: bytes, device: torch.device) -> Callable[[str], Any]:
        """Gives functions by their names."""

    def launch(self, function: Any, rows: int, tensors: tuple[Tensor, ...]) -> None: ...


def _must(status: int, what: str) -> None:
    if status != 0:
        raise RuntimeError(f"{what} failed with the status {status}")


class NVRTC:
    """The compiler, from its PyPI wheel or the system."""

    def __init__(self, major: str) -> None:
        spec = importlib.util.find_spec("nvidia")
        folders = () if spec is None else spec.submodule_search_locations or ()
        found = [path for folder in folders for path in glob.glob(f"{folder}/*/lib/libnvrtc.so.{major or '*'}")]
        self.library = ctypes.CDLL(found[0] if found else f"libnvrtc.so.{major}")
        self.log = ""

    def compile(self, source: str, headers: dict[str, str], architecture: str) -> bytes:
        """Machine code for an architecture such as sm_90; `log` then has each kernel's registers and spilled bytes."""
        call, program, size = self.library, c_void_p(), c_size_t()
        texts = (c_char_p * len(headers))(*(text.encode() for text in headers.values()))
        names = (c_char_p * len(headers))(*(name.encode() for name in headers))
        options = (c_char_p * 3)(f"--gpu-architecture={architecture}".encode(), b"--fmad=true", b"--ptxas-options=-v")
        created = call.nvrtcCreateProgram(byref(program), source.encode(), b"hcr.cu", len(headers), texts, names)
        _must(created, "nvrtcCreateProgram")
        try:
            failed = call.nvrtcCompileProgram(program, len(options), options)
            _must(call.nvrtcGetProgramLogSize(program, byref(size)), "nvrtcGetProgramLogSize")
            log = ctypes.create_string_buffer(size.value)
            _must(call.nvrtcGetProgramLog(program, log), "nvrtcGetProgramLog")
            self.log = log.value.decode(errors="replace")
            if failed:
                raise RuntimeError(f"NVRTC can't compile the kernels: {self.log[:2000]}")
            _must(call.nvrtcGetCUBINSize(program, byref(size)), "nvrtcGetCUBINSize")
            code = ctypes.create_string_buffer(size.value)
            _must(call.nvrtcGetCUBIN(program, code), "nvrtcGetCUBIN")
            return code.raw
        finally:
            call.nvrtcDestroyProgram(byref(program))


class Cuda:
    """torch's GPUs, by the driver."""

    def __init__(self) -> None:
        self._driver = ctypes.CDLL("libcuda.so.1")
        self.compile = NVRTC(str(torch.version.cuda).split(".")[0]).compile

    def takes(self, values: Tensor) -> bool:
        return values.is_cuda

    def architecture(self, device: torch.device) -> str:
        major, minor = torch.cuda.get_device_capability(device)
        return f"sm_{major}{minor}"

    def load(self, code: bytes, device: torch.device) -> Callable[[str], Any]:
        module = c_void_p()
        with torch.cuda.device(device):
            torch.cuda.current_stream().synchronize()  # makes the device's context the current one
            _must(self._driver.cuModuleLoadData(byref(module), code), "cuModuleLoadData")

        def function(name: str) -> c_void_p:
            found = c_void_p()
            _must(self._driver.cuModuleGetFunction(byref(found), module, name.encode()), f"cuModuleGetFunction {name}")
            return found

        return function

    def launch(self, function: Any, rows: int, tensors: tuple[Tensor, ...]) -> None:
        values = (c_size_t(rows), *(c_void_p(tensor.data_ptr()) for tensor in tensors))
        arguments = (c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        blocks = min(-(-rows // _THREADS), _MOST_BLOCKS)
        with torch.cuda.device(tensors[0].device):
            stream = c_void_p(torch.cuda.current_stream().cuda_stream)
            status = self._driver.cuLaunchKernel(function, blocks, 1, 1, _THREADS, 1, 1, 0, stream, arguments, None)
        _must(status, "cuLaunchKernel")


@functools.cache
def platform() -> Platform | None:
    """None where there is no GPU, or nothing to compile with."""
    if torch.version.cuda is None or not torch.cuda.is_available():
        return None
    try:
        return Cuda()
    except OSError as reason:
        warnings.warn(f"hcr.torch computes by torch's operations on the GPU, without kernels: {reason}", stacklevel=2)
        return None


def source(region: Any, single: bool) -> tuple[str, str]:
    """The kernels and their header, with names that begin with hcr."""
    options = _library.ExportOptionsStruct(
        size=ctypes.sizeof(_library.ExportOptionsStruct), name=b"hcr", precision=int(single), gradient=True, cuda=True
    )
    with tempfile.TemporaryDirectory() as folder:
        _library.call("hcr_export_region", region._handle.address, byref(options), os.fsencode(folder), None)
        code, header = pathlib.Path(folder, "hcr.cu"), pathlib.Path(folder, "hcr.h")
        return code.read_text(encoding="utf-8"), header.read_text(encoding="utf-8")


def _compiled(on: Platform, code: str, header: str, architecture: str) -> bytes:
    """From the cache, or put there: whole or not at all."""
    headers = {**HEADERS, "hcr.h": header}
    made_from = "\0".join((architecture, type(on).__name__, str(torch.version.cuda), code, *headers.values()))
    home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    path = pathlib.Path(home, "hcr", hashlib.sha256(made_from.encode()).hexdigest() + ".kernels")
    try:
        return path.read_bytes()
    except OSError:
        made = on.compile(code, headers, architecture)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(made)
        os.replace(file.name, path)
    except OSError:
        pass  # a cache that can't be written costs the next process a compilation
    return made


class Kernels:
    """Those of one region, in one precision, on one device."""

    def __init__(self, on: Platform, region: Any, dtype: torch.dtype, device: torch.device) -> None:
        code = _compiled(on, *source(region, dtype == torch.float32), on.architecture(device))
        find = on.load(code, device)
        names = (f"{name}{way}" for name in _MAPS for way in ("", "_gradient", "_tangent"))
        self._on, self._functions = on, {name: find(f"hcr_{name}_kernel") for name in names}
        ends = (region.parameters.lower, region.parameters.upper) if region.p else None
        self._range = None if ends is None else [torch.tensor(end, dtype=dtype, device=device) for end in ends]
        self._compare(region, dtype, device)

    def _run(self, name: str, *tensors: Tensor) -> None:
        rows = tensors[0].numel() // tensors[0].shape[-1]
        if rows != 0:
            self._on.launch(self._functions[name], rows, tensors)

    def _compare(self, region: Any, dtype: torch.dtype, device: torch.device) -> None:
        """With the library's results, once: inside, and where those are but for margins of at most a thousandth."""
        random = np.random.default_rng(0)
        v = random.standard_normal((64, region.n)) * np.linspace(0.1, 10, 64)[:, None]
        x = random.uniform(region.parameters.lower, region.parameters.upper, (64, region.p))
        if region.origins > 1:
            x[:, -1] = x[:, -1].round()
        given, beside = (torch.tensor(rows, dtype=dtype, device=device) for rows in (v, x))
        beside = beside if self._range is None else beside.clamp(*self._range)
        rows, samples = given.cpu().numpy(), beside.cpu().numpy() if region.p else None
        got, want = self.map("contract", given, beside, "nan").cpu().numpy(), region.contract(rows, samples)
        known = ~np.isnan(want).any(-1)  # samples that have an origin
        got, want = got[known], want[known]
        size = np.abs(want - region.origin).max(initial=1)
        inside = region.check(got, None if samples is None else samples[known]).all()
        if not (inside and np.abs(got - want).max(initial=0) <= 0.01 * size):
            raise RuntimeError("they differ from the library's results")

    def map(self, name: str, values: Tensor, x: Tensor | None, bad: str) -> Tensor:
        """contract, decode or soften of contiguous rows."""
        made = values.new_empty((*values.shape[:-1], values.shape[-1] - (name == "decode")))
        outcome = values.new_empty(values.shape[:-1], dtype=torch.int32)
        self._run(name, values, *self._given(x), made, outcome)
        if self._range is not None:
            made.masked_fill_((outcome == _OUT_OF_RANGE).unsqueeze(-1), torch.nan)
        return made.masked_fill_((outcome == _BAD).unsqueeze(-1), torch.nan) if bad == "nan" else made

    def differentiate(
        self, name: str, values: Tensor, x: Tensor | None, bar: Tensor, bad: str
    ) -> tuple[Tensor, Tensor | None]:
        """The gradients by the values and by the parameters, from that by the result."""
        by_values, by_x = torch.empty_like(values), [torch.empty_like(given) for given in self._given(x)]
        self._run(f"{name}_gradient", values, *self._given(x), bar, by_values, *by_x)
        self._spoil(values, x, bad, by_values, *by_x)
        return by_values, by_x[0] if by_x else None

    def push(self, name: str, values: Tensor, x: Tensor | None, dot: Tensor, x_dot: Tensor | None, bad: str) -> Tensor:
        """How the result changes."""
        made = values.new_empty((*values.shape[:-1], values.shape[-1] - (name == "decode")))
        changes = [torch.zeros_like(given) if x_dot is None else x_dot for given in self._given(x)]
        self._run(f"{name}_tangent", values, *self._given(x), dot, *changes, made)
        self._spoil(values, x, bad, made)
        return made

    def _given(self, x: Tensor | None) -> tuple[Tensor, ...]:
        return () if self._range is None or x is None else (x,)

    def _spoil(self, values: Tensor, x: Tensor | None, bad: str, *made: Tensor) -> None:
        """Puts NaN where the result is NaN."""
        spoiled = ~values.isfinite().all(-1, keepdim=True) if bad == "nan" else values.new_zeros(1, dtype=torch.bool)
        if self._range is not None and x is not None:
            spoiled = spoiled | ~((x >= self._range[0]) & (x <= self._range[1])).all(-1, keepdim=True)
        for tensor in made:
            tensor.masked_fill_(spoiled, torch.nan)


_found: dict[tuple[str, torch.dtype, torch.device], Kernels | None] = {}
_lock = threading.Lock()


def of(name: str, region: Any, values: Tensor) -> Kernels | None:
    """The kernels for such values; None where there are none. Those of a region are compiled at the first call."""
    on = platform()
    if on is None or name not in _MAPS or not on.takes(values):
        return None
    key = (region.digest, values.dtype, values.device)
    with _lock:
        if key not in _found:
            try:
                _found[key] = Kernels(on, region, values.dtype, values.device)
            except (errors.Error, OSError, RuntimeError) as reason:
                _found[key] = None
                if getattr(reason, "code", "") not in ("unsupported", "precision"):  # then there is no code for it
                    warnings.warn(f"hcr.torch computes without kernels for {region!r}: {reason}", stacklevel=2)
        return _found[key]
