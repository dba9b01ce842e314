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


class ErrorStruct(ctypes.Structure):
    _fields_ = (
        ("code", c_int),
        ("line", c_int),
        ("column", c_int),
        ("file", c_char * 256),
        ("text", c_char * 1536),
    )


class ConstraintStruct(ctypes.Structure):
    _fields_ = (
        ("kind", c_char_p),
        ("file", c_char_p),
        ("text", c_char_p),
        ("line", c_int),
        ("column", c_int),
        ("row", c_size_t),
    )


class VisibilityStruct(ctypes.Structure):
    _fields_ = (("proved", c_bool), ("points", c_uint64), ("points_hidden", c_uint64))


class RowsStruct(ctypes.Structure):
    _fields_ = (("count", c_size_t), ("start", c_void_p), ("columns", c_void_p), ("values", c_void_p))


class BlockStruct(ctypes.Structure):
    _fields_ = (
        ("kind", c_char_p),
        ("lower", c_void_p),
        ("upper", c_void_p),
        ("inverse_lower", c_void_p),
        ("inverse_upper", c_void_p),
        ("rows", RowsStruct),
        ("moving", RowsStruct),
        ("diagonal", c_void_p),
        ("dense", c_void_p),
        ("gradient", c_void_p),
        ("slack", c_double),
        ("at_origin", c_void_p),
        ("one_less", c_double),
    )


class AffineStruct(ctypes.Structure):
    _fields_ = (
        ("count", c_size_t),
        ("dependent", c_void_p),
        ("constant", c_void_p),
        ("map", RowsStruct),
        ("basis", RowsStruct),
    )


class SearchStruct(ctypes.Structure):
    _fields_ = (("size", c_size_t), ("method", c_int), ("base_multiplier", c_double), ("max_iterations", c_uint32))


class QuadraticStruct(ctypes.Structure):
    _fields_ = (
        ("form", c_int),
        ("matrix", c_void_p),
        ("rank", c_size_t),
        ("factor_start", c_void_p),
        ("factor_columns", c_void_p),
        ("factor_values", c_void_p),
        ("shift", c_void_p),
        ("linear", c_void_p),
        ("constant", c_double),
        ("radius", c_double),
    )


class ConeStruct(ctypes.Structure):
    _fields_ = (
        ("rows", c_size_t),
        ("start", c_void_p),
        ("columns", c_void_p),
        ("values", c_void_p),
        ("shift", c_void_p),
        ("linear", c_void_p),
        ("constant", c_double),
    )


class LmiStruct(ctypes.Structure):
    _fields_ = (
        ("size", c_size_t),
        ("constant", c_void_p),
        ("terms", c_size_t),
        ("outputs", c_void_p),
        ("matrices", c_void_p),
    )


class VaryingRowsStruct(ctypes.Structure):
    _fields_ = (
        ("rows", c_size_t),
        ("start", c_void_p),
        ("columns", c_void_p),
        ("values", c_void_p),
        ("product_start", c_void_p),
        ("product_outputs", c_void_p),
        ("product_parameters", c_void_p),
        ("product_values", c_void_p),
        ("lower", c_void_p),
        ("upper", c_void_p),
    )


_Doubles = POINTER(c_double)
ValueCallback = ctypes.CFUNCTYPE(c_double, c_void_p, c_size_t, _Doubles, _Doubles)
GradientCallback = ctypes.CFUNCTYPE(None, c_void_p, c_size_t, _Doubles, _Doubles)
AlongCallback = ctypes.CFUNCTYPE(None, c_void_p, c_size_t, _Doubles, _Doubles, c_double, _Doubles)


class CallbackStruct(ctypes.Structure):
    _fields_ = (
        ("name", c_char_p),
        ("context", c_void_p),
        ("convex", c_bool),
        ("value", ValueCallback),
        ("gradient", GradientCallback),
        ("along", AlongCallback),
    )


class ConstantStruct(ctypes.Structure):
    _fields_ = (("name", c_char_p), ("rows", c_size_t), ("columns", c_size_t), ("values", c_void_p))


class ProgressStruct(ctypes.Structure):
    _fields_ = (
        ("epoch", c_size_t),
        ("epochs", c_size_t),
        ("step", c_size_t),
        ("steps", c_size_t),
        ("training_loss", c_double),
        ("validation_loss", c_double),
    )


StopCallback = ctypes.CFUNCTYPE(c_bool, c_void_p)
ProgressCallback = ctypes.CFUNCTYPE(c_bool, c_void_p, POINTER(ProgressStruct))


class FitOptionsStruct(ctypes.Structure):
    _fields_ = (
        ("size", c_size_t),
        ("encoder", c_int),
        ("head", c_int),
        ("hidden", c_size_t),
        ("linear_encoder", c_bool),
        ("features", c_size_t),
        ("epochs", c_size_t),
        ("batch", c_size_t),
        ("rate", c_double),
        ("rate_decay", c_double),
        ("weight_decay", c_double),
        ("clip", c_double),
        ("validation", c_double),
        ("patience", c_size_t),
        ("seed", c_uint64),
        ("radius_weight", c_double),
        ("raw_weight", c_double),
        ("common_scale", c_bool),
        ("ascent", c_double),
        ("checkpoint", c_char_p),
        ("resume", c_bool),
        ("progress", ProgressCallback),
        ("progress_context", c_void_p),
    )


class FitReportStruct(ctypes.Structure):
    _fields_ = (
        ("rows", c_size_t),
        ("rows_projected", c_size_t),
        ("rows_hidden", c_size_t),
        ("rows_validation", c_size_t),
        ("epochs", c_size_t),
        ("best_epoch", c_size_t),
        ("training_loss", c_double),
        ("validation_loss", c_double),
        ("training_mse", c_double),
        ("validation_mse", c_double),
        ("inside_ratio", c_double),
        ("seconds", c_double),
        ("projected", c_size_t * 16),
    )


def _open() -> ctypes.CDLL:
    # An editable installation has the modules in one folder and the library in another: both are the package's.
    places = [pathlib.Path(folder, "libhcr.so") for folder in sys.modules[__package__].__path__]
    path = os.environ.get("HCR_LIBRARY") or next((place for place in places if place.exists()), places[0])
    try:
        return ctypes.CDLL(str(path))
    except OSError as reason:
        raise ImportError(
            f"hcr's library can't be loaded: {reason}. Install the package (pip install ./python) rather than "
            "importing it from its sources, or set HCR_LIBRARY to the path of libhcr.so"
        ) from reason


library = _open()

_P = c_void_p
# name: (result, arguments without the error that comes last); an hcr_status is a c_int, see `call`.
_MAP = (_P, _P, c_size_t, _P, _P, _P, _P)
_VJP = (_P, _P, c_size_t, _P, _P, _P, _P, _P, _P)
_JVP = (_P, _P, c_size_t, _P, _P, _P, _P, _P, _P)
MAPS = ("gauge", "encode", "decode", "contract", "soften")
_FALLIBLE: dict[str, tuple[Any, ...]] = {
    **{f"hcr_{name}{suffix}": _MAP for name in MAPS for suffix in ("", "_f32")},
    **{f"hcr_{name}_vjp{suffix}": _VJP for name in MAPS for suffix in ("", "_f32")},
    **{f"hcr_{name}_jvp{suffix}": _JVP for name in MAPS for suffix in ("", "_f32")},
    "hcr_region_read": (_P, c_size_t, _P, _P),
    "hcr_region_write": (_P, _P, _P),
    "hcr_region_save": (_P, c_char_p),
    "hcr_workspace_create": (_P, c_size_t, _P),
    "hcr_workspace_set_search": (_P, _P),
    "hcr_workspace_set_bad_value": (_P, c_int),
    "hcr_violation": (_P, c_size_t, _P, _P, _P, _P),
    "hcr_residual": (_P, c_size_t, _P, _P, _P),
    "hcr_region_block_margins": (_P, c_double, c_int, _P),
    "hcr_region_at": (_P, _P, _P, _P),
    "hcr_region_origin_at": (_P, _P, _P),
    "hcr_builder_create": (_P, _P),
    "hcr_builder_add_variable": (_P, c_char_p, c_size_t, c_bool),
    "hcr_builder_add_parameter": (_P, c_char_p, c_size_t, c_bool, _P, _P),
    "hcr_builder_set_source": (_P, c_char_p, c_int, c_int, c_char_p),
    "hcr_builder_add_bounds": (_P, c_size_t, c_size_t, _P, _P),
    "hcr_builder_add_sparse_rows": (_P, c_size_t, _P, _P, _P, _P, _P),
    "hcr_builder_add_varying_rows": (_P, _P),
    "hcr_builder_add_quadratic": (_P, _P),
    "hcr_builder_add_cone": (_P, _P),
    "hcr_builder_add_lmi": (_P, _P),
    "hcr_builder_add_callback": (_P, _P),
    "hcr_builder_set_root_method": (_P, c_int),
    "hcr_builder_begin_group": (_P, c_int),
    "hcr_builder_next": (_P,),
    "hcr_builder_end_group": (_P,),
    "hcr_builder_add_equalities": (_P, c_size_t, _P, _P, _P, _P),
    "hcr_builder_allow_unbounded": (_P, c_bool),
    "hcr_builder_set_origin": (_P, c_int, c_size_t, _P),
    "hcr_builder_set_stop": (_P, StopCallback, _P),
    "hcr_builder_finish": (_P, _P),
    "hcr_text_build": (c_char_p, c_size_t, c_char_p, c_char_p, c_size_t, _P, _P, _P),
    "hcr_text_build_file": (c_char_p, c_size_t, _P, _P, _P),
    "hcr_import_read": (c_char_p, _P, _P),
    "hcr_import_build": (_P, _P),
    "hcr_region_explain": (_P, c_bool, _P),
    "hcr_ranges_create": (c_size_t, _P, _P),
    "hcr_ranges_add": (_P, c_size_t, _P),
    "hcr_ranges_text": (_P, c_double, _P),
    "hcr_check": (_P, c_size_t, _P, _P, _P, _P),
    "hcr_check_f32": (_P, c_size_t, _P, _P, _P, _P),
    "hcr_projector_create": (_P, _P),
    "hcr_project": (_P, c_size_t, _P, _P, _P, _P),
    "hcr_fit": (_P, c_char_p, c_size_t, c_size_t, _P, _P, _P, _P, _P, _P, _P),
    "hcr_predict": (_P, c_size_t, _P, _P, _P, _P),
    "hcr_predict_f32": (_P, c_size_t, _P, _P, _P, _P),
    "hcr_predict_points": (_P, c_size_t, _P, _P, _P),
    "hcr_model_save": (_P, c_char_p),
    "hcr_model_load": (c_char_p, _P),
}
_PLAIN: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "hcr_version": (c_char_p, ()),
    "hcr_region_free": (None, (_P,)),
    "hcr_free": (None, (_P,)),
    "hcr_region_dimension": (c_size_t, (_P,)),
    "hcr_region_constraints": (c_size_t, (_P,)),
    "hcr_region_origin": (_P, (_P,)),
    "hcr_region_lower": (_P, (_P,)),
    "hcr_region_upper": (_P, (_P,)),
    "hcr_region_margin": (c_double, (_P, c_int)),
    "hcr_region_freedom": (c_size_t, (_P,)),
    "hcr_region_equalities": (c_size_t, (_P,)),
    "hcr_region_equality_tolerance": (c_double, (_P, c_size_t, _P, _P, c_int)),
    "hcr_region_equality_rounding": (c_double, (_P, c_size_t, _P, _P, c_int)),
    "hcr_region_grid": (_P, (_P, c_int)),
    "hcr_region_parameters": (c_size_t, (_P,)),
    "hcr_region_parameter_lower": (_P, (_P,)),
    "hcr_region_parameter_upper": (_P, (_P,)),
    "hcr_region_parameter_name": (None, (_P, c_size_t, c_char_p, c_size_t)),
    "hcr_region_origin_form": (c_int, (_P,)),
    "hcr_region_is_convex": (c_bool, (_P,)),
    "hcr_region_visibility": (VisibilityStruct, (_P,)),
    "hcr_region_is_bounded": (c_bool, (_P,)),
    "hcr_region_output_name": (None, (_P, c_size_t, c_char_p, c_size_t)),
    "hcr_region_blocks": (c_size_t, (_P,)),
    "hcr_region_block": (BlockStruct, (_P, c_size_t)),
    "hcr_region_affine": (AffineStruct, (_P,)),
    "hcr_region_origin_map": (RowsStruct, (_P,)),
    "hcr_region_constraint": (ConstraintStruct, (_P, c_size_t)),
    "hcr_workspace_free": (None, (_P,)),
    "hcr_workspace_intersections": (c_uint64, (_P,)),
    "hcr_builder_free": (None, (_P,)),
    "hcr_builder_origin": (c_int, (_P,)),
    "hcr_builder_dimension": (c_size_t, (_P,)),
    "hcr_builder_columns": (c_size_t, (_P,)),
    "hcr_ranges_free": (None, (_P,)),
    "hcr_projector_free": (None, (_P,)),
    "hcr_import_free": (None, (_P,)),
    "hcr_import_notices": (c_size_t, (_P,)),
    "hcr_import_notice": (c_char_p, (_P, c_size_t)),
    "hcr_model_free": (None, (_P,)),
    "hcr_model_region": (_P, (_P,)),
    "hcr_model_region_text": (c_char_p, (_P,)),
    "hcr_model_inputs": (c_size_t, (_P,)),
    "hcr_model_parameter_columns": (POINTER(c_size_t), (_P,)),
    "hcr_model_input_names": (POINTER(c_char_p), (_P,)),
    "hcr_model_output_names": (POINTER(c_char_p), (_P,)),
    "hcr_model_summary": (c_char_p, (_P,)),
}


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


def take_text(name: str, *arguments: Any) -> str:
    """Calls a function that makes a text, and frees it."""
    address = create(name, *arguments)
    try:
        return ctypes.string_at(address).decode("utf-8")
    finally:
        library.hcr_free(address)
