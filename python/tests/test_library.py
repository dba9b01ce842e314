"""What the package believes of the library, held against its headers."""

from __future__ import annotations

import ctypes
import pathlib
import re

import pytest

from hcr import _library, _maps, _records, errors, model

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include" / "hcr"
if not INCLUDE.is_dir():
    pytest.skip("the headers aren't beside these tests", allow_module_level=True)

TEXT = "\n".join(re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.S) for path in sorted(INCLUDE.glob("*.h")))
SCALARS = {
    "bool": ctypes.c_bool,
    "int": ctypes.c_int,
    "size_t": ctypes.c_size_t,
    "double": ctypes.c_double,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
    "hcr_status": ctypes.c_int,
    "hcr_encoder": ctypes.c_int,
    "hcr_loss": ctypes.c_int,
    "hcr_head": ctypes.c_int,
    "hcr_precision": ctypes.c_int,
    "hcr_origin": ctypes.c_int,
    "hcr_origin_form": ctypes.c_int,
    "hcr_bad_value": ctypes.c_int,
    "hcr_root_method": ctypes.c_int,
    "hcr_group": ctypes.c_int,
    "hcr_search_method": ctypes.c_int,
    "hcr_quadratic_form": ctypes.c_int,
}
STRUCTS = {
    "hcr_error": _library.ErrorStruct,
    "hcr_constraint_info": _library.ConstraintStruct,
    "hcr_visibility": _library.VisibilityStruct,
    "hcr_constant": _library.ConstantStruct,
    "hcr_softness": _library.SoftnessStruct,
    "hcr_rows": _library.RowsStruct,
    "hcr_block": _library.BlockStruct,
    "hcr_affine": _library.AffineStruct,
    "hcr_search": _library.SearchStruct,
    "hcr_quadratic": _library.QuadraticStruct,
    "hcr_cone": _library.ConeStruct,
    "hcr_lmi": _library.LmiStruct,
    "hcr_varying_rows": _library.VaryingRowsStruct,
    "hcr_progress": _library.ProgressStruct,
    "hcr_fit_options": _library.FitOptionsStruct,
    "hcr_fit_report": _library.FitReportStruct,
}


def matches(declared: str, used: object) -> bool:
    """Whether a C type, such as "const double *", is the ctypes one."""
    if "*" in declared or "callback" in declared:
        is_text = "char" in declared and used is ctypes.c_char_p
        return (
            is_text
            or used is ctypes.c_void_p
            or (isinstance(used, type) and ctypes.sizeof(used) == ctypes.sizeof(ctypes.c_void_p))
        )
    name = re.sub(r"\bconst\b", "", declared).strip()
    return used is (STRUCTS.get(name) or SCALARS[name])


def fields(body: str):
    for declaration in filter(None, (part.strip() for part in body.split(";"))):
        head, *more = declaration.split(",")
        type_, name = re.fullmatch(r"(.*?)(\w+(?:\[\d+\])?)", head.strip(), re.S).groups()
        for one in (name, *(other.strip(" *") for other in more)):
            yield type_.strip(), one


@pytest.mark.parametrize("name", STRUCTS)
def test_structs(name):
    (body,) = re.findall(rf"typedef struct {name} {{(.*?)}} {name};", TEXT, re.S)
    declared, used = list(fields(body)), STRUCTS[name]._fields_
    assert [re.sub(r"\[.*", "", field) for _, field in declared] == [field for field, _ in used]
    for (type_, field), (_, ctype) in zip(declared, used, strict=True):
        size = re.search(r"\[(\d+)\]", field)
        if size:
            assert ctype._length_ == int(size[1]) and (type_ == "char" or matches(type_, ctype._type_))
        elif field == "code":
            assert ctype is ctypes.c_int
        else:
            assert matches(type_, ctype), (type_, field)


def declared(name: str):
    found = re.search(rf"HCR_API (?:HCR_MUST_USE )?([\w *]*?){name}\(([^)]*)\);", TEXT)
    assert found, name
    arguments = (
        [] if found[2].strip() == "void" else [re.sub(r"\w+$", "", a.strip()).strip() for a in found[2].split(",")]
    )
    return found[1].strip(), arguments


@pytest.mark.parametrize("name", [*_library._FALLIBLE, *_library._PLAIN])
def test_functions(name):
    result, arguments = declared(name)
    function = getattr(_library.library, name)
    assert len(arguments) == len(function.argtypes)
    for type_, used in zip(arguments, function.argtypes, strict=True):
        assert matches(type_, used), (type_, used)
    assert result == "void" if function.restype is None else matches(result, function.restype)
    assert (name in _library._FALLIBLE) == (result == "hcr_status")


@pytest.mark.parametrize("map_", _library.MAPS)
def test_the_types_of_maps(map_):
    for kind, functions in (("", _maps.MAPS), ("_vjp", _maps.VJPS)):
        for size, suffix in ((8, ""), (4, "_f32")):
            name = f"hcr_{map_}{kind}{suffix}"
            assert functions[map_, size].__name__ == name
            assert ("float *" in " ".join(declared(name)[1])) == (size == 4)


def enumerators(name: str) -> dict[str, int]:
    (body,) = re.findall(rf"typedef enum {name} {{(.*?)}} {name};", TEXT, re.S)
    return {key: int(value) for key, value in re.findall(r"(\w+) = (\d+)", body)}


def test_enumerations():
    codes = [key.replace("HCR_ERROR_", "").replace("HCR_", "").lower() for key in enumerators("hcr_status")]
    assert codes == list(errors.CODES)
    assert {key.removeprefix("HCR_OUTCOME_"): value for key, value in enumerators("hcr_outcome").items()} == {
        o.name: o.value for o in _records.Outcome
    }
    heads = {
        "HCR": "hcr",
        "DIRECT": "hcr-direct",
        "CONTRACT": "hcr-contract",
        "SIMPLE": "simple",
        "SOFTEN": "hcr-soften",
        "PROJECT": "hcr-project",
    }
    assert {heads[key[9:]]: value for key, value in enumerators("hcr_head").items()} == {
        head: i for i, head in enumerate(model.HEADS)
    }
    assert [key[12:].lower() for key in enumerators("hcr_encoder")] == list(model.ENCODERS)
    assert [key[9:].lower() for key in enumerators("hcr_loss")] == list(model.LOSSES)


def test_version():
    (version,) = re.findall(r'define HCR_VERSION "(.*)"', TEXT)
    assert _library.library.hcr_version().decode() == version == _library.__version__
