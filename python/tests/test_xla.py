"""The library as XLA calls it: the binary interface, and what JAX makes of it."""

from __future__ import annotations

import concurrent.futures
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from conftest import directions, make, make_moving, parameters

import hcr
from hcr import _library

os.environ.setdefault("JAX_PLATFORMS", "cpu")
jax = pytest.importorskip("jax")

import jax.numpy as jnp

import hcr.jax
from hcr import _xla

if "HCR_LIBRARY" in os.environ and _xla.refusal().startswith("the library"):
    pytest.skip("a library without XLA's calls is being tested", allow_module_level=True)


def test_calls_are_registered():
    assert _xla.refusal() == ""


# ----------------------------------------------------------------------------------------------- the binary interface

ABI = pathlib.Path(__file__).resolve().parents[1] / "xla" / "abi.h"
STRUCTS = {
    "extension": ("Extension_Base", {"size": "struct_size", "type": "type", "next": "next"}),
    "version": ("Api_Version", {"major": "major_version", "minor": "minor_version"}),
    "span": ("ByteSpan", {"bytes": "ptr", "length": "len"}),
    "scalar": ("Scalar", {"type": "dtype", "value": "value"}),
    "buffer": ("Buffer", {"type": "dtype", "data": "data", "rank": "rank", "dimensions": "dims"}),
    "attributes": ("Attrs", {"count": "size", "kinds": "types", "names": "names", "values": "attrs"}),
    "new_error": ("Error_Create_Args", {"message": "message", "code": "errc"}),
    "api": ("Api", {"version": "api_version", "create_error": "XLA_FFI_Error_Create"}),
    "metadata": ("Metadata", {"version": "api_version", "traits": "traits"}),
    "metadata_extension": ("Metadata_Extension", {"base": "extension_base", "metadata": "metadata"}),
    "frame": (
        "CallFrame",
        {"api": "api", "stage": "stage", "arguments": "args", "results": "rets", "attributes": "attrs"},
    ),
}
CONSTANTS = {
    "XLA_MAJOR": "API_MAJOR",
    "XLA_EXTENSION_METADATA": "Extension_Metadata",
    "XLA_STAGE_EXECUTE": "ExecutionStage_EXECUTE",
    "XLA_TYPE_S64": "DataType_S64",
    "XLA_TYPE_U8": "DataType_U8",
    "XLA_TYPE_F32": "DataType_F32",
    "XLA_TYPE_F64": "DataType_F64",
    "XLA_ATTRIBUTE_SCALAR": "AttrType_SCALAR",
    "XLA_ATTRIBUTE_STRING": "AttrType_STRING",
    "XLA_INVALID_ARGUMENT": "Error_Code_INVALID_ARGUMENT",
    "XLA_NOT_FOUND": "Error_Code_NOT_FOUND",
    "XLA_RESOURCE_EXHAUSTED": "Error_Code_RESOURCE_EXHAUSTED",
    "XLA_INTERNAL": "Error_Code_INTERNAL",
}


def test_layouts_are_those_of_jaxlib(tmp_path):
    compiler = shutil.which("cc")
    if compiler is None or not ABI.is_file():
        pytest.skip("there is no C compiler, or the sources aren't beside these tests")
    equal = [(f"{ours}", f"XLA_FFI_{theirs}") for ours, theirs in CONSTANTS.items()]
    for ours, (theirs, fields) in STRUCTS.items():
        for field, their_field in fields.items():
            equal.append((f"offsetof(xla_{ours}, {field})", f"offsetof(XLA_FFI_{theirs}, {their_field})"))
            equal.append((f"sizeof ((xla_{ours} *)0)->{field}", f"sizeof ((XLA_FFI_{theirs} *)0)->{their_field}"))
    for theirs, array in (("Args", "args"), ("Rets", "rets")):
        for field, their_field in {"count": "size", "kinds": "types", "buffers": array}.items():
            equal.append((f"offsetof(xla_buffers, {field})", f"offsetof(XLA_FFI_{theirs}, {their_field})"))
    source = tmp_path / "layouts.c"
    asserts = "\n".join(f'_Static_assert({a} == {b}, "{a}");' for a, b in equal)
    source.write_text(f'#include "{ABI}"\n#include "xla/ffi/api/c_api.h"\n{asserts}\n')
    command = [compiler, "-std=c11", "-fsyntax-only", "-I", jax.ffi.include_dir(), source]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


class Version(ctypes.Structure):
    _fields_ = (("size", ctypes.c_size_t), ("next", ctypes.c_void_p), ("major", ctypes.c_int), ("minor", ctypes.c_int))


class Api(ctypes.Structure):
    _fields_ = (("size", ctypes.c_size_t), ("next", ctypes.c_void_p), ("version", Version))


class Metadata(ctypes.Structure):
    _fields_ = (("size", ctypes.c_size_t), ("version", Version), ("traits", ctypes.c_uint32))


class Question(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("type", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("metadata", ctypes.POINTER(Metadata)),
    )


class Frame(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("question", ctypes.POINTER(Question)),
        ("api", ctypes.POINTER(Api)),
        ("rest", ctypes.c_void_p * 24),
    )


@pytest.mark.parametrize(("theirs", "answered"), [((0, 1), (0, 1)), ((0, 9), (0, 9)), ((1, 0), (0, 1)), (None, (0, 1))])
def test_other_versions(theirs, answered):
    """Minor versions are taken as they come; another major one is answered with ours, which it refuses."""
    major, minor = theirs or (7, 7)
    api, answer = Api(version=Version(major=major, minor=minor)), Metadata(version=Version(major=7))
    question = Question(type=1, metadata=ctypes.pointer(answer))
    frame = Frame(question=ctypes.pointer(question), api=ctypes.pointer(api) if theirs else None)
    for handler in (_library.library.hcr_xla_map, _library.library.hcr_xla_vjp):
        handler.restype = ctypes.c_void_p
        assert handler(ctypes.byref(frame)) is None
        assert (answer.version.major, answer.version.minor) == answered


# --------------------------------------------------------------------------------------------------------- calls


@pytest.mark.parametrize("shape", [(), (0,), (0, 2), (3,), (2, 1, 4)])
def test_shapes(shape, random):
    with jax.enable_x64(True):
        moving = make_moving("budget")
        v, x = 3 * random.standard_normal((*shape, 3)), parameters(moving, random, *shape)
        np.testing.assert_array_equal(hcr.jax.contract(v, moving, x), moving.contract(v, x))
        np.testing.assert_array_equal(hcr.jax.gauge(v, moving, x), moving.gauge(v, x))
        by_v, by_x = jax.grad(lambda v, x: hcr.jax.soften(v, moving, x).sum(), (0, 1))(v, x)
        want = moving.soften.vjp(v, np.ones((*shape, 3)), x)
        np.testing.assert_allclose(by_v, want[0], atol=1e-13)
        np.testing.assert_allclose(by_x, want[1], atol=1e-13)


def test_what_is_mapped(random):
    """One of both arguments, both, by other axes, twice."""
    with jax.enable_x64(True):
        moving = make_moving("budget")
        v, x = 3 * random.standard_normal((4, 5, 3)), parameters(moving, random, 5)
        want = moving.contract(v, x)

        def f(v, x):
            return hcr.jax.contract(v, moving, x)

        np.testing.assert_array_equal(jax.vmap(f, (0, None))(v, x), want)
        np.testing.assert_array_equal(jax.vmap(f, (1, 0), 1)(v, x), want)
        np.testing.assert_array_equal(jax.vmap(jax.vmap(f), (0, None))(v, x), want)
        np.testing.assert_array_equal(jax.vmap(f, (None, 0))(v[0, 0], x), moving.contract(v[0, 0], x))
        by_x = jax.vmap(jax.grad(lambda x, v: f(v, x).sum()), (0, 1))(x, v)
        want = moving.contract.vjp(v, np.ones_like(v), np.broadcast_to(x, (4, 5, moving.p)))[1].sum(0)
        np.testing.assert_allclose(by_x, want, atol=1e-13)


def test_mixed_types(random):
    with jax.enable_x64(True):
        moving = make_moving("budget")
        v, x = random.standard_normal((2, 3)).astype("float32"), parameters(moving, random, 2)
        got = hcr.jax.contract(v, moving, x)
        assert got.dtype == jnp.float64
        np.testing.assert_array_equal(got, moving.contract(v, x))


def test_threads(random):
    """Results depend neither on the count of threads nor on how many callers there are."""
    region = make("rows")
    v = directions(random, 4000, region.n, "float32")
    want = region.contract(v)
    f = jax.jit(lambda v: hcr.jax.contract(v, region))
    g = jax.jit(jax.grad(lambda v: jnp.nansum(hcr.jax.contract(v, region))))
    before = hcr.get_threads()
    try:
        gradients = []
        for threads in (1, 3):
            hcr.set_threads(threads)
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                for got in pool.map(lambda _: np.asarray(f(v)), range(12)):
                    np.testing.assert_array_equal(got, want)
            gradients.append(np.asarray(g(v)))
        np.testing.assert_array_equal(*gradients)
    finally:
        hcr.set_threads(before)


def test_regions_that_are_more_than_their_digest():
    """Functions in Python are called through it, and searches are counted."""
    builder = hcr.Builder()
    builder.add_variable("y", 2)
    builder.add_callback(lambda y: float(y @ y - 1), lambda y: 2 * y, name="disc", convex=True)
    disc = builder.finish()
    got = jax.jit(lambda v: hcr.jax.contract(v, disc))(jnp.array([3.0, 4.0]))
    np.testing.assert_allclose(got, [0.6, 0.8], rtol=1e-5)
    with pytest.raises(hcr.Error, match="functions in Python"):
        hcr.jax.know(disc)
    matrices = make("lmi")
    hcr.jax.contract(jnp.ones(2), matrices)
    counted = matrices.searching("pruned")
    before = counted.intersections()
    hcr.jax.contract(jnp.ones(2), counted).block_until_ready()
    assert counted.intersections() > before


@pytest.mark.parametrize("metric", [None, (1.0, 2.0, 4.0)], ids=["plain", "metric"])
@pytest.mark.parametrize("name", ["project", "minimise"])
def test_nearest_points(name, metric):
    """No Python in between; the same bits and derivatives as NumPy's, in batches, too."""
    region = hcr.Region("param cap in [0.5, 2]\nvar y[3]\n0 <= y <= 1\nsum(y) <= cap")
    random = np.random.default_rng(4)
    v, x, bar = random.normal(size=(20, 3)), random.uniform(0.6, 1.9, (20, 1)), random.normal(size=(20, 3))
    known = getattr(region, name)

    def nearest(v, x):
        return getattr(hcr.jax, name)(v, region, x, metric=metric)

    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        v_, x_, bar_ = (jnp.asarray(a) for a in (v, x, bar))
        program = jax.jit(nearest).lower(v_, x_)
        assert "hcr_xla_map" in program.as_text() and "callback" not in program.as_text()
        np.testing.assert_array_equal(program.compile()(v_, x_), known(v, x, metric=metric))
        np.testing.assert_array_equal(jax.vmap(nearest)(v_, x_), known(v, x, metric=metric))
        expected = known.vjp(v, bar, x, metric=metric)
        for got, wanted in zip(jax.jit(lambda *a: jax.vjp(nearest, *a)[1](bar_))(v_, x_), expected, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)
        pushed = jax.jvp(nearest, (v_, x_), (bar_, 0.1 * x_))[1]
        np.testing.assert_allclose(pushed, known.jvp(v, bar, x, 0.1 * x, metric=metric), rtol=0, atol=1e-12)
        with pytest.raises(hcr.Error, match="first derivatives only"):
            jax.hessian(lambda v: nearest(v, x_[0]).sum())(v_[0])
    single = jax.jit(nearest)(v.astype(np.float32), x.astype(np.float32))
    assert single.dtype == np.float32 and region.check(np.asarray(single), x.astype(np.float32)).all()
    bad = jnp.array([jnp.nan, 0, 0])
    assert np.isnan(nearest(bad, x[0])).all()
    assert region.check(np.asarray(getattr(hcr.jax, name)(bad, region, x[0], bad="origin")), x[0])


@pytest.mark.skipif(jax.__version_info__ < (0, 7), reason="this JAX writes all branches into every program")
def test_other_devices_get_formulas():
    """A program for another device has none of the CPU's calls, and one for the CPU nothing else."""
    rows = make("rows")
    traced = jax.jit(lambda v: hcr.jax.contract(v, rows)).trace(jnp.zeros((2, 7)))
    there, here = (traced.lower(lowering_platforms=(platform,)).as_text() for platform in ("cuda", "cpu"))
    assert "hcr_xla_map" in here and "dot_general" not in here
    assert "hcr_xla_map" not in there and "dot_general" in there


# ------------------------------------------------------------------------------------------------- other processes


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "JAX_PLATFORMS": "cpu", **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_exported_program_finds_its_region(tmp_path):
    region, path = make("lmi"), tmp_path / "program"
    calls = [jax.export.DisabledSafetyCheck.custom_call("hcr_xla_map")]
    exported = jax.export.export(
        jax.jit(lambda v: hcr.jax.contract(v, region)), platforms=["cpu"], disabled_checks=calls
    )(jax.ShapeDtypeStruct((2, 2), jnp.float32))
    path.write_bytes(exported.serialize())
    region.save(tmp_path / "region")
    output = run(f"""
        import jax.numpy as jnp, pathlib, hcr, hcr.jax
        from jax import export
        program = export.deserialize(pathlib.Path({str(path)!r}).read_bytes())
        v = jnp.array([[3.0, 4.0], [0.1, 0.2]])
        hcr.jax.know(hcr.Region("var y[2]\\n0 <= y <= 1"))
        try:
            program.call(v).block_until_ready()
        except Exception as error:
            print(error)
        region = hcr.Region.load({str(tmp_path / "region")!r})
        hcr.jax.know(region)
        print((program.call(v) == region.contract(v)).all())
    """)
    assert f"needs the region {region.digest[:12]}…, which this process hasn't seen" in output
    assert output.rstrip().endswith("True")


def test_an_exported_projection_finds_its_metric(tmp_path):
    region, path = hcr.Region("var y[2]\nnorm(y) <= 1"), tmp_path / "program"
    calls = [jax.export.DisabledSafetyCheck.custom_call("hcr_xla_map")]
    nearest = jax.jit(lambda v: hcr.jax.project(v, region, metric=[1.0, 3.0]))
    exported = jax.export.export(nearest, platforms=["cpu"], disabled_checks=calls)
    path.write_bytes(exported(jax.ShapeDtypeStruct((2,), jnp.float32)).serialize())
    output = run(f"""
        import jax.numpy as jnp, pathlib, hcr, hcr.jax
        from jax import export
        program = export.deserialize(pathlib.Path({str(path)!r}).read_bytes())
        v, region = jnp.array([3.0, 4.0]), hcr.Region("var y[2]\\nnorm(y) <= 1")
        hcr.jax.know(region)
        try:
            program.call(v).block_until_ready()
        except Exception as error:
            print(error)
        hcr.jax.know(region, metric=[1.0, 3.0])
        print((program.call(v) == region.project(v, metric=[1.0, 3.0])).all())
    """)
    assert "which this process hasn't seen" in output
    assert output.rstrip().endswith("True")


def test_shards():
    """A batch that is spread over devices stays so."""
    if not hasattr(jax, "shard_map"):
        pytest.skip("this JAX has no jax.shard_map")
    output = run(
        """
        import jax, numpy as np, hcr, hcr.jax
        from jax.sharding import Mesh, PartitionSpec
        region = hcr.Region("var y[3]\\nlog_sum_exp(y) <= 2\\ny >= -2")
        mesh, rows = Mesh(np.array(jax.devices()), ("rows",)), PartitionSpec("rows")
        v = np.random.default_rng(1).standard_normal((8, 3)).astype("float32")
        f = jax.shard_map(lambda v: hcr.jax.contract(v, region), mesh=mesh, in_specs=rows, out_specs=rows)
        compiled = jax.jit(f).lower(v).compile()
        assert (np.asarray(compiled(v)) == region.contract(v)).all()
        slope = jax.jit(jax.grad(lambda v: f(v).sum()))(v)
        assert np.allclose(slope, region.contract.vjp(v, np.ones_like(v)), atol=1e-6)
        print(len(jax.devices()), "all-gather" in compiled.as_text())
    """,
        XLA_FLAGS="--xla_force_host_platform_device_count=2",
    )
    assert output.split() == ["2", "False"]


def test_without_the_interface():
    """Where jaxlib refuses the calls, Python makes them, and says why."""
    output = run("""
        import warnings, jax, jax.ffi, numpy as np
        def refuse(*_, **__):
            raise ValueError("another version")
        jax.ffi.register_ffi_target = refuse
        import hcr, hcr.jax
        region = hcr.Region("var y[3]\\nlog_sum_exp(y) <= 2\\ny >= -2")
        v = np.array([[3.0, 4.0, 0.0], [0.1, 0.2, 0.3]], "float32")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            got = jax.jit(lambda v: hcr.jax.contract(v, region))(v)
            slope = jax.vmap(jax.grad(lambda v: hcr.jax.contract(v, region).sum()))(v)
        assert (np.asarray(got) == region.contract(v)).all()
        assert np.allclose(slope, region.contract.vjp(v, np.ones_like(v)), atol=1e-6)
        print(caught[0].message)
        box = hcr.Region("var y[3]\\n-1 <= y <= 1")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert (np.asarray(hcr.jax.contract(v, box)) <= 1).all()
    """)
    assert "by way of Python" in output and "another version" in output
