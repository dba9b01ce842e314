"""The examples in docstrings and in guides of docs/ are run."""

from __future__ import annotations

import doctest
import importlib
import pathlib
import pkgutil
import re
import textwrap

import pytest

import hcr

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
GUIDES = {
    "contradictions.md": [],
    "control.md": ["torch", "gymnasium", "stable_baselines3"],
    "forecasting.md": ["pandas"],
    "nearest.md": ["cvxpy", "torch"],
    "planning.md": ["pandas", "sklearn", "matplotlib"],
    "python.md": ["torch", "sklearn", "jax"],
    "scaling.md": ["dask.dataframe", "pyarrow"],
}
#: Pages whose blocks are programs of their own; they read the regions that the page shows as text.
PROGRAMS = {"README.md": "load.region", "site/pages/index.md": "load.region"}
# The installed package has the C library beside its modules.
MODULES = [module.name for module in pkgutil.walk_packages(hcr.__path__, "hcr.") if module.name != "hcr.libhcr"]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
NEEDS = {
    "hcr.torch": "torch",
    "hcr.torch.cvxpy_layer": "cvxpy",
    "hcr.jax": "jax",
    "hcr._xla": "jax",
    "hcr.sklearn": "sklearn",
    "hcr._constrained_regressor": "sklearn",
    "hcr.onnx": "onnx",
    "hcr.forecast": "pandas",
    "hcr.dask": "dask",
    "hcr._dask_command": "dask",
    "hcr.gymnasium": "gymnasium",
    "hcr.stable_baselines3": "stable_baselines3",
}


@pytest.mark.parametrize("name", ["hcr", *MODULES])
@pytest.mark.filterwarnings("ignore")
def test_docstrings(name):
    for prefix, needed in NEEDS.items():
        if name.startswith(prefix):
            pytest.importorskip(needed)
    if name == "hcr.region":
        pytest.importorskip("cvxpy")  # one of its examples
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=FLAGS).failed == 0


@pytest.mark.skipif(not DOCS.exists(), reason="the docs aren't beside these tests")
@pytest.mark.parametrize("name", GUIDES)
def test_guide(name, tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(DOCS.parent / "examples")
    monkeypatch.chdir(tmp_path)  # where a guide may write
    for needed in GUIDES[name]:
        pytest.importorskip(needed)
    assert doctest.testfile(str(DOCS / name), module_relative=False, optionflags=FLAGS).failed == 0


def blocks(path, language):
    """The page's fenced blocks of a language, without what they are indented by."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```$", path.read_text(), re.M | re.S)
    return [textwrap.dedent(text) for _, text in found]


@pytest.mark.skipif(not DOCS.exists(), reason="the docs aren't beside these tests")
@pytest.mark.parametrize("page", PROGRAMS)
def test_program(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = DOCS.parent / page
    texts = [text for text in blocks(path, "text") + blocks(path, "") if text.startswith(f"# {PROGRAMS[page]}")]
    (tmp_path / PROGRAMS[page]).write_text(texts[0])
    programs = blocks(path, "python")
    assert programs
    for program in programs:
        exec(compile(program, page, "exec"), {})


@pytest.mark.skipif(not DOCS.exists(), reason="the docs aren't beside these tests")
def test_all_python_is_run():
    """A new page with Python is one of GUIDES, and what isn't doctest isn't in docs/."""
    pages = {path.name: blocks(path, "python") for path in DOCS.glob("*.md")}
    assert {name for name, found in pages.items() if found} == set(GUIDES)
    assert [text for found in pages.values() for text in found if not text.startswith(">>>")] == []


@pytest.mark.skipif(not DOCS.exists(), reason="the docs aren't beside these tests")
def test_regions_compile():
    """Those of region-language.md have a test in C."""
    others = [path for path in DOCS.glob("*.md") if path.name != "region-language.md"]
    texts = [text for path in others for text in blocks(path, "region")]
    assert texts
    for text in texts:
        hcr.Region(text)


def test_importing_hcr_imports_nothing_but_numpy():
    """C47, with NumPy as old and as new as the environment that the tests run in has it."""
    import subprocess
    import sys

    extras = ["torch", "jax", "sklearn", "cvxpy", "onnx", "scipy", "pandas", "matplotlib"]
    program = f"import hcr, sys; print([name for name in {extras} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_everything_public_is_documented():
    for name in hcr.__all__:
        item = getattr(hcr, name)
        if callable(item):
            assert item.__doc__, name
            for member, value in vars(item).items() if isinstance(item, type) else ():
                if not member.startswith("_") and callable(value):
                    assert value.__doc__, f"{name}.{member}"
