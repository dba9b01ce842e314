"""libhcr through ctypes: structures, signatures, and its errors as exceptions. Calls release the interpreter's lock."""

from __future__ import annotations

import ctypes
import os
import pathlib
import sys
from ctypes import POINTER, byref, c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

from . import errors

__version__ = "0.2.0"


def _fields(text: str, **others: Any) -> Any:
    """The fields of a struct, "type: name name …" separated by semicolons; `others` are types with other names."""
    types = {
        "bool": c_bool,
        "double": c_double,
        "int": c_int,
        "pointer": c_void_p,
        "size": c_size_t,
        "text": c_char_p,
        "uint32": c_uint32,
        "uint64": c_uint64,
        **others,
    }
    parts = (part.split(":") for part in text.split(";"))
    return tuple((name, types[type.strip()]) for type, names in parts for name in names.split())


def _struct(text: str, **others: Any) -> Any:
    return type("Struct", (ctypes.Structure,), {"_fields_": _fields(text, **others)})


class ErrorStruct(ctypes.Structure):
    _fields_ = _fields("int: code line column; file: file; message: text", file=c_char * 256, message=c_char * 1536)


ConstraintStruct = _struct("text: kind file text; int: line column; size: row")
VisibilityStruct = _struct("bool: proved; uint64: points points_hidden")
SoftnessStruct = _struct("int: priority; double: weight")


class RowsStruct(ctypes.Structure):
    _fields_ = _fields("size: count; pointer: start columns values")


class BlockStruct(ctypes.Structure):
    _fields_ = _fields(
        "text: kind; pointer: lower upper inverse_lower inverse_upper; rows: rows moving; "
        "pointer: diagonal dense gradient; double: slack; pointer: at_origin; double: one_less",
        rows=RowsStruct,
    )


AffineStruct = _struct("size: count; pointer: dependent constant; rows: map basis", rows=RowsStruct)
SearchStruct = _struct("size: size; int: method; double: base_multiplier; uint32: max_iterations")
QuadraticStruct = _struct(
    "int: form; pointer: matrix; size: rank; "
    "pointer: factor_start factor_columns factor_values shift linear; double: constant radius"
)
ProjectorStruct = _struct(
    "size: size threads; pointer: metric; double: regularisation; int: bad_value; bool: linear warm_start"
)
LimitOptionsStruct = _struct("size: size; bool: values steps; double: share; size: horizon")
ConeStruct = _struct("size: rows; pointer: start columns values shift linear; double: constant")
LmiStruct = _struct("size: size; pointer: constant; size: terms; pointer: outputs matrices")


class VaryingRowsStruct(ctypes.Structure):
    _fields_ = _fields(
        "size: rows; "
        "pointer: start columns values product_start product_outputs product_parameters product_values lower upper"
    )
    kept: object  # what the pointers are to


_Doubles = POINTER(c_double)
ValueCallback = ctypes.CFUNCTYPE(c_double, c_void_p, c_size_t, _Doubles, _Doubles)
GradientCallback = ctypes.CFUNCTYPE(None, c_void_p, c_size_t, _Doubles, _Doubles)
AlongCallback = ctypes.CFUNCTYPE(None, c_void_p, c_size_t, _Doubles, _Doubles, c_double, _Doubles)


class CallbackStruct(ctypes.Structure):
    _fields_ = _fields(
        "text: name; pointer: context; bool: convex; value: value; gradient: gradient; along: along",
        value=ValueCallback,
        gradient=GradientCallback,
        along=AlongCallback,
    )


ConstantStruct = _struct("text: name; size: rows columns; pointer: values")
ProgressStruct = _struct("size: epoch epochs step steps; double: training_loss validation_loss")
StopCallback = ctypes.CFUNCTYPE(c_bool, c_void_p)
ProgressCallback = ctypes.CFUNCTYPE(c_bool, c_void_p, POINTER(ProgressStruct))


FitOptionsStruct = _struct(
    "size: size; int: encoder head; size: hidden; bool: linear_encoder; size: features epochs batch; "
    "double: rate rate_decay weight_decay clip validation; size: patience; uint64: seed; "
    "double: radius_weight raw_weight; bool: common_scale; double: ascent; text: checkpoint; bool: resume; "
    "progress: progress; pointer: progress_context; int: loss; double: delta quantile; "
    "pointer: sample_weights quantiles; size: quantile_count; bool: calibrate; "
    "size: members; pointer: blend; size: blend_count season; bool: validation_last; size: samples",
    progress=ProgressCallback,
)
ExportOptionsStruct = _struct("size: size; text: name; int: precision; bool: gradient; text: origin; bool: cuda")
FitReportStruct = _struct(
    "size: rows rows_projected rows_hidden rows_validation epochs best_epoch; "
    "double: training_loss validation_loss training_mse validation_mse inside_ratio seconds; "
    "sizes: projected",
    sizes=c_size_t * 16,
)


def _open() -> ctypes.CDLL:
    # An editable installation has the modules in one folder and the library in another: both are the package's.
    name = {"win32": "libhcr.dll", "darwin": "libhcr.dylib"}.get(sys.platform, "libhcr.so")
    places = [pathlib.Path(folder, name) for folder in sys.modules[__package__].__path__]
    path = os.environ.get("HCR_LIBRARY") or next((place for place in places if place.exists()), places[0])
    try:
        return ctypes.CDLL(str(path))
    except OSError as reason:
        raise ImportError(
            f"hcr's library can't be loaded: {reason}. Install the package (pip install ./python) rather than "
            f"importing it from its sources, or set HCR_LIBRARY to the path of {name}"
        ) from reason


library = _open()

_P = c_void_p
MAPS = ("gauge", "encode", "decode", "contract", "soften")
# torch and JAX compose the inverse of the gauge.
ALL_MAPS = (*MAPS, "soften_inverse")


def _table(groups: Any) -> dict[str, Any]:
    """Functions by name, from groups of those that have one signature."""
    return {f"hcr_{name}": signature for names, signature in groups for name in names.split()}


# The arguments, without the error that comes last; an hcr_status is a c_int, see `call`.
_FALLIBLE: dict[str, tuple[Any, ...]] = _table(
    (
        (" ".join(f"{name} {name}_f32" for name in ALL_MAPS), (_P, _P, c_size_t, _P, _P, _P, _P)),
        (
            " ".join(f"{name}_{way} {name}_{way}_f32" for name in ALL_MAPS for way in ("vjp", "jvp")),
            (_P, _P, c_size_t, _P, _P, _P, _P, _P, _P),
        ),
        ("region_read", (_P, c_size_t, _P, _P)),
        ("region_write region_origin_at projector_create builder_add_varying_cone", (_P, _P, _P)),
        ("project project_f32", (_P, c_size_t, _P, _P, _P, _P, _P)),
        (
            "project_vjp project_vjp_f32 project_jvp project_jvp_f32",
            (_P, c_size_t, _P, _P, _P, _P, _P, _P),
        ),
        ("region_save model_save", (_P, c_char_p)),
        ("workspace_create ranges_add", (_P, c_size_t, _P)),
        (
            "workspace_set_search builder_create builder_add_varying_rows builder_add_quadratic builder_add_cone "
            "builder_add_lmi builder_add_callback builder_finish import_build",
            (_P, _P),
        ),
        ("workspace_set_bad_value builder_set_root_method builder_begin_group", (_P, c_int)),
        (
            "violation builder_add_equalities check check_f32 predict predict_f32",
            (_P, c_size_t, _P, _P, _P, _P),
        ),
        ("predict_relaxed predict_relaxed_f32", (_P, _P, c_size_t, _P, _P, _P, _P)),
        ("residual predict_points", (_P, c_size_t, _P, _P, _P)),
        ("builder_shape_variable", (_P, c_size_t, _P)),
        ("region_block_margins", (_P, c_double, c_int, _P)),
        ("choose_origins choose_origins_f32", (_P, _P, c_size_t, _P, _P, _P)),
        ("region_at", (_P, _P, _P, _P)),
        ("relaxation_create", (_P, _P)),
        ("relax relax_f32", (_P, c_size_t, _P, _P, _P)),
        ("relax_vjp", (_P, c_size_t, _P, _P, _P)),
        ("relaxation_conflict", (_P, _P, _P, _P, _P)),
        ("region_quantiles", (_P, c_size_t, _P, _P)),
        ("builder_add_variable", (_P, c_char_p, c_size_t, c_bool)),
        ("builder_add_parameter", (_P, c_char_p, c_size_t, c_bool, _P, _P)),
        ("builder_set_source", (_P, c_char_p, c_int, c_int, c_char_p)),
        ("builder_add_bounds", (_P, c_size_t, c_size_t, _P, _P)),
        ("builder_add_sparse_rows", (_P, c_size_t, _P, _P, _P, _P, _P)),
        ("builder_next builder_end_group", (_P,)),
        ("builder_allow_unbounded", (_P, c_bool)),
        ("builder_set_origin", (_P, c_int, c_size_t, _P)),
        ("builder_set_origins", (_P, c_size_t, c_size_t, _P)),
        ("builder_set_stop", (_P, StopCallback, _P)),
        ("text_build", (c_char_p, c_size_t, c_char_p, c_char_p, c_size_t, _P, _P, _P)),
        ("text_build_file", (c_char_p, c_size_t, _P, _P, _P)),
        ("import_read", (c_char_p, _P, _P)),
        ("region_explain", (_P, c_bool, _P)),
        ("ranges_create", (c_size_t, _P, _P)),
        ("ranges_text", (_P, c_double, _P)),
        ("limits_text", (c_size_t, c_size_t, _P, _P, _P, _P)),
        ("fit", (_P, c_char_p, c_size_t, c_size_t, _P, _P, _P, _P, _P, _P, _P)),
        ("export_region", (_P, _P, c_char_p, _P)),
        ("model_load", (c_char_p, _P)),
    )
)
# The result and the arguments.
_PLAIN: dict[str, tuple[Any, tuple[Any, ...]]] = _table(
    (
        ("version", (c_char_p, ())),
        (
            "region_free free workspace_free builder_free ranges_free projector_free import_free model_free "
            "relaxation_free",
            (None, (_P,)),
        ),
        (
            "region_dimension region_constraints region_freedom region_equalities region_parameters "
            "region_blocks builder_dimension builder_columns import_notices model_inputs model_samples",
            (c_size_t, (_P,)),
        ),
        (
            "region_origin region_lower region_upper region_parameter_lower region_parameter_upper model_region",
            (_P, (_P,)),
        ),
        ("region_margin", (c_double, (_P, c_int))),
        ("region_equality_tolerance region_equality_rounding", (c_double, (_P, c_size_t, _P, _P, c_int))),
        ("region_nearness projector_regularisation", (c_double, (_P,))),
        ("relaxation_region", (_P, (_P,))),
        ("relaxation_slacks region_origins", (c_size_t, (_P,))),
        ("relaxation_constraint", (c_uint32, (_P, c_size_t))),
        ("relaxation_softness", (SoftnessStruct, (_P, c_size_t))),
        ("region_equality", (ConstraintStruct, (_P, c_size_t))),
        ("region_grid", (_P, (_P, c_int))),
        ("region_parameter_name region_output_name", (None, (_P, c_size_t, c_char_p, c_size_t))),
        ("region_origin_form builder_origin", (c_int, (_P,))),
        ("region_is_convex region_is_bounded", (c_bool, (_P,))),
        ("region_visibility", (VisibilityStruct, (_P,))),
        ("region_block", (BlockStruct, (_P, c_size_t))),
        ("region_affine", (AffineStruct, (_P,))),
        ("region_origin_map", (RowsStruct, (_P,))),
        ("region_constraint", (ConstraintStruct, (_P, c_size_t))),
        ("workspace_intersections", (c_uint64, (_P,))),
        ("import_notice", (c_char_p, (_P, c_size_t))),
        ("model_region_text model_summary", (c_char_p, (_P,))),
        ("model_parameter_columns", (POINTER(c_size_t), (_P,))),
        ("model_quantiles", (POINTER(c_double), (_P, _P))),
        ("model_input_names model_output_names", (POINTER(c_char_p), (_P,))),
    )
)


def _declare() -> None:
    for name, arguments in _FALLIBLE.items():
        function = getattr(library, name)
        function.restype, function.argtypes = c_int, (*arguments, _P)
    for name, (result, arguments) in _PLAIN.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


_declare()


def failure(error: ErrorStruct) -> errors.Error:
    """The exception that an error struct, filled by a failing call, stands for."""
    code = errors.CODES[error.code] if error.code < len(errors.CODES) else "unsupported"
    return errors.make(
        code,
        error.text.decode("utf-8", "replace"),
        os.fsdecode(error.file),
        error.line,
        error.column,
    )


def call(name: str, *arguments: Any) -> None:
    """Calls a fallible function; raises what it refuses."""
    error = ErrorStruct()
    if getattr(library, name)(*arguments, byref(error)) != 0:
        raise failure(error)


def create(name: str, *arguments: Any) -> int:
    """Calls a function that makes something, and gives its address."""
    made = _P()
    call(name, *arguments, byref(made))
    assert made.value is not None
    return made.value


def take_bytes(name: str, *arguments: Any) -> bytes:
    """Calls a function that makes bytes, and frees them."""
    data, size = c_void_p(), c_size_t()
    call(name, *arguments, byref(data), byref(size))
    try:
        return ctypes.string_at(data.value or 0, size.value)
    finally:
        library.hcr_free(data)


def take_text(name: str, *arguments: Any) -> str:
    """Calls a function that makes a text, and frees it."""
    address = create(name, *arguments)
    try:
        return ctypes.string_at(address).decode("utf-8")
    finally:
        library.hcr_free(address)
