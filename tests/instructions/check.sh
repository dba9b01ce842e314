#!/bin/bash
# check.sh PROGRAM SOURCE COMPILER [record]: instructions per row of the maps, as valgrind counts them, must not exceed the
# recorded ones by more than 5 %. Compilers differ: each has a file of its own, counts_COMPILER.txt. With a command line of
# qemu in QEMU, that counts.
set -u
program=$1
compiler=$3
counts=$2/tests/instructions/counts_$compiler.txt
rows=64
nothing() { # says why nothing is compared
    echo "COMPARED NOTHING: $1"
    exit 77
}
[ -n "${QEMU-}" ] || command -v valgrind >/dev/null || nothing "valgrind isn't installed (apt install valgrind)"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if [ -n "${QEMU-}" ]; then
    gcc -shared -fPIC -O2 -o "$folder/count.so" "$2/tests/instructions/qemu_count.c" || exit 1
    saving=$QEMU
    counting="$QEMU -plugin $folder/count.so,function=hcr_MAP -d plugin"
else
    saving=
    counting="valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=hcr_MAP"
fi
count() { # REGION MAP
    [ -e "$folder/$1" ] || $saving "$program" "$1" save "$folder/$1" || return 1
    ${counting/MAP/$2} "$program" "$1" "$2" "$folder/$1" 2>"$folder/log" || return 1
    awk -v rows=$rows '/Collected/ { printf "%d\n", $NF / rows }' "$folder/log"
}

if [ "${4-}" = record ]; then
    {
        echo "# Instructions per row (check.sh), $compiler"
        for region in A B C D E; do
            for map in decode contract decode_vjp contract_vjp contract_jvp; do
                counted=$(count $region $map) || { cat "$folder/log" >&2; exit 1; }
                echo "$region $map $counted"
            done
        done
    } >"$folder/counts" || exit 1
    mv "$folder/counts" "$counts"
    exit
fi
[ -e "$counts" ] || nothing "no counts are recorded for $compiler (check.sh … record writes them)"
failures=0 compared=0
while read -r region map recorded; do
    [ "$region" = "#" ] && continue
    counted=$(count "$region" "$map") || { cat "$folder/log"; exit 1; }
    if [ $((counted * 100)) -gt $((recorded * 105)) ]; then
        echo "FAILED: $map on region $region takes $counted instructions per row, $recorded are recorded"
        failures=1
    fi
    compared=$((compared + 1))
done <"$counts"
echo "compared $compared counts with those of $compiler"
exit $failures
