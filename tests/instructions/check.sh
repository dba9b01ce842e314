#!/bin/bash
# check.sh PROGRAM SOURCE COMPILER [record]: instructions a row of the maps, as valgrind counts them, against those of
# counts.txt: 5 % more is a failure, whatever else the machine does. Compilers differ, so that the counts hold for the one
# that they were recorded with.
set -u
program=$1
counts=$2/tests/instructions/counts.txt
compiler=$3
rows=64
command -v valgrind >/dev/null || { echo "valgrind isn't there: apt install valgrind"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

count() { # REGION MAP
    [ -e "$folder/$1" ] || "$program" "$1" save "$folder/$1" || return 1
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="hcr_$2" "$program" "$1" "$2" "$folder/$1" \
        2>"$folder/log" || return 1
    awk -v rows=$rows '/Collected/ { printf "%d\n", $NF / rows }' "$folder/log"
}

if [ "${4-}" = record ]; then
    {
        echo "# Instructions a row (check.sh), with $compiler"
        for region in A B C D E; do
            for map in decode contract decode_vjp contract_vjp contract_jvp; do
                echo "$region $map $(count $region $map)"
            done
        done
    } >"$folder/counts" && mv "$folder/counts" "$counts"
    exit
fi
grep -q "with $compiler\$" "$counts" || { echo "the counts are of another compiler than $compiler"; exit 77; }
failures=0
while read -r region map recorded; do
    [ "$region" = "#" ] && continue
    counted=$(count "$region" "$map") || { cat "$folder/log"; exit 1; }
    if [ $((counted * 100)) -gt $((recorded * 105)) ]; then
        echo "FAILED: $map on region $region takes $counted instructions a row, $recorded were recorded"
        failures=1
    fi
done <"$counts"
[ $failures -eq 0 ] && echo "ok"
exit $failures
