"""The examples in docstrings and in guides of docs/ are run."""

from __future__ import annotations

import doctest
import importlib
import pathlib
import pkgutil

import pytest

import hcr

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
GUIDES = {
    "python.md": ["torch", "sklearn"],
    "forecasting.md": ["pandas"],
    "planning.md": ["pandas", "sklearn", "matplotlib"],
}
# The installed package has the C library beside its modules.
MODULES = [module.name for module in pkgutil.walk_packages(hcr.__path__, "hcr.") if module.name != "hcr.libhcr"]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
NEEDS = {
    "hcr.torch": "torch",
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
