#!/bin/sh
# The public headers compile alone, in strict C11 and as C++; the runtime needs no library but libm; an installed
# copy is found by CMake and by pkg-config and its programs run.   check.sh SOURCE BUILD CC
set -eu
source=$1 build=$2 cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for header in "$source"/include/hcr/*.h; do
    name=$(basename "$header")
    echo "#include \"hcr/$name\"" >"$work/alone.c"
    "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$source/include" -fsyntax-only "$work/alone.c"
    if command -v c++ >/dev/null; then
        c++ -x c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$source/include" -fsyntax-only "$work/alone.c"
    fi
done

# The runtime needs libc, libm and the compiler's own libraries, nothing else.
needed=$(readelf -d "$build/libhcr_runtime.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
    grep -v -E '^(libc|libm|libgomp|libomp|libasan|libubsan|libgcc_s|ld-linux.*)\.' || true)
if [ -n "$needed" ]; then
    echo "libhcr_runtime.so needs: $needed" >&2
    exit 1
fi

DESTDIR='' cmake --install "$build" --prefix "$work/prefix" >/dev/null
cat >"$work/main.c" <<'PROGRAM'
#include <hcr/hcr.h>
#include <stdio.h>
int main(void) {
    printf("%s\n", hcr_version());
    return hcr_status_name(HCR_OK) == NULL;
}
PROGRAM
cat >"$work/CMakeLists.txt" <<'PROJECT'
cmake_minimum_required(VERSION 3.25)
project(consumer C)
find_package(hcr 0.2 REQUIRED)
add_executable(consumer main.c)
target_link_libraries(consumer PRIVATE hcr::hcr_runtime)
PROJECT
# A sanitized library wants its runtime first: there, finding it is enough.
cmake -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
if ! readelf -d "$build/libhcr_runtime.so" | grep -q libasan; then
    cmake --build "$work/build" >/dev/null
    found=$(find "$work/prefix" -name hcr.pc)
    test "$("$work/build/consumer")" = "$(PKG_CONFIG_PATH=$(dirname "$found") pkg-config --modversion hcr)"
fi
test -f "$(find "$work/prefix" -name hcr.1)"
echo "headers, symbols, dependencies and installation are in order"
