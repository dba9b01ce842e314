"""report.py WHEEL …: what the library in a wheel for Windows or macOS takes from the system, and the oldest macOS that
it asks for. Ends with an error where that is more than it should be, or where a licence isn't in the wheel."""

import sys
import zipfile

import lief

SYSTEM = {"KERNEL32.dll", "msvcrt.dll", "ADVAPI32.dll", "SHELL32.dll", "/usr/lib/libSystem.B.dylib"}
LICENCES = {"csv", "gmp", "GPL-3", "jansson", "libzip", "mpfr", "zlib"}  # cross-libraries' names

for path in sys.argv[1:]:
    with zipfile.ZipFile(path) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith((".dll", ".dylib")))
        library = lief.parse(wheel.read(name))
        texts = {name.removeprefix("hcr/licenses/").removesuffix(".txt") for name in wheel.namelist()}
    if isinstance(library, lief.PE.Binary):
        needs = {found.name for found in library.imports}
        exports = {entry.name for entry in library.get_export().entries}
        system = "Windows"
    else:
        needs = {found.name for found in library.libraries if not found.name.startswith("@rpath/libhcr")}
        exports = {symbol.name.removeprefix("_") for symbol in library.exported_symbols}
        system = f"macOS {'.'.join(map(str, library.build_version.minos))}"
    count = sum(export.startswith("hcr_") for export in exports)
    print(f"{path}\n  {name}, {system}: needs {', '.join(sorted(needs))}; {count} of hcr's functions")
    if needs - SYSTEM:
        sys.exit(f"unexpected: {', '.join(sorted(needs - SYSTEM))}")
    if LICENCES - texts:
        sys.exit(f"no licence in the wheel: {', '.join(sorted(LICENCES - texts))}")
