"""Where the package finds its library, and what is beside it."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import hcr


def test_d27_the_library_may_be_in_another_folder_of_the_package(tmp_path):
    """As in an editable installation, where modules are in the sources and the library is in site-packages."""
    sources = pathlib.Path(hcr.__file__).parent
    beside = tmp_path / "hcr"
    beside.mkdir()
    library = beside / {"win32": "libhcr.dll", "darwin": "libhcr.dylib"}.get(sys.platform, "libhcr.so")
    shutil.copy(hcr._library.library._name, library)
    if (sources.parent / "hcr.libs").is_dir():  # of a repaired wheel
        (tmp_path / "hcr.libs").symlink_to(sources.parent / "hcr.libs")
    program = f"""
import importlib.util, sys
places = [{str(beside)!r}, {str(sources)!r}]
start = {str(sources / "__init__.py")!r}
spec = importlib.util.spec_from_file_location("hcr", start, submodule_search_locations=places)
sys.modules["hcr"] = hcr = importlib.util.module_from_spec(spec)
spec.loader.exec_module(hcr)
print(hcr._library.library._name)
"""
    alone = {name: value for name, value in os.environ.items() if name != "HCR_LIBRARY"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=alone)
    assert done.stdout.strip() == str(library), done.stderr


def test_d38_licences_are_beside_the_library():
    folder = pathlib.Path(hcr._library.library._name).resolve().parent / "licenses"
    if not folder.is_dir():
        pytest.skip("the package isn't installed")
    assert "MIT" in (folder / "LICENSE").read_text()
    notices = (folder / "NOTICES.md").read_text()
    assert all(name in notices for name in ("LGPL", "EPL", "https://gmplib.org", "CLP"))
