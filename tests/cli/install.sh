#!/bin/bash
# What is installed can be moved (D40); what a build misses is reported at once, with the line to type (D47); another project
# can take the sources in (with HCR_LONG=1 it is built, which takes minutes).
. "$(dirname "$0")/harness.bash"

build=$(dirname "$hcr")
DESTDIR='' cmake --install "$build" --prefix "$PWD/first" >/dev/null 2>&1
mkdir other
mv first other/second
files=$(find other/second -name '*.pc')
same "two libraries with a .pc file" 2 "$(echo "$files" | wc -l)"
for file in $files; do
    name=$(basename "$file" .pc)
    path=$(dirname "$PWD/$file")
    include=$(PKG_CONFIG_PATH=$path pkg-config --variable=includedir "$name")
    library=$(PKG_CONFIG_PATH=$path pkg-config --variable=libdir "$name")
    same "$name: headers where pkg-config says" yes "$([ -f "$include/hcr/hcr.h" ] && echo yes)"
    same "$name: library where pkg-config says" yes "$([ -f "$library/lib$name.so" ] && echo yes)"
done

PKG_CONFIG_LIBDIR=/nowhere cmake -S "$source" -B none -DCMAKE_FIND_ROOT_PATH=/nowhere \
    -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DHCR_OPENMP=OFF >out 2>err
same "a build without libraries fails" 1 $?
line=$(grep -o 'sudo apt-get install.*' err)
same "the line to type" "sudo apt-get install coinor-libclp-dev libopenblas-dev liblapacke-dev \
libzip-dev zlib1g-dev libjansson-dev libgmp-dev libmpfr-dev libmpfi-dev libcsv-dev" "$line"
same "one error" 1 "$(grep -c 'CMake Error' err)"

cmake -S "$source/examples/fetch" -B fetch -G Ninja -DFETCHCONTENT_SOURCE_DIR_HCR="$source" >out 2>&1
same "the sources in another project" 0 $?
if [ "${HCR_LONG-}" = 1 ]; then
    cmake --build fetch --target disc >out 2>&1
    same "that project builds" 0 $?
    same "its program" "1.000000 0.000000" "$(fetch/disc)"
fi
finish
