#!/bin/sh
# Learns from a log where to send a robot, with outputs that it can reach and, for comparison, without; counts what is
# inside and draws it. demo.sh [BUILD [OUT [ROWS [EPOCHS]]]]: the folder that the program was built in, and the one to write into.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
hcr=${1:-$here/../../build}/hcr
out=${2:-$here/../../out/robot}
rows=${3:-4000}
epochs=${4:-60}
mkdir -p "$out"
"$hcr" compile "$here/floor.region" -o "$out/floor.hcr"
awk -v rows="$rows" -v seed=1 -v queues="$out/queues.csv" -v positions="$out/positions.csv" -f "$here/visits.awk"
awk -v rows=1000 -v seed=2 -v queues="$out/queues-new.csv" -v positions="$out/positions-new.csv" -f "$here/visits.awk"
status=0
for head in hcr-contract simple; do
    printf '%s\n' "--- $head"
    "$hcr" fit "$out/floor.hcr" "$out/queues.csv" "$out/positions.csv" -o "$out/$head.model" --head $head \
        --hidden 64 --epochs "$epochs" --rate 0.003 --seed 1
    "$hcr" predict "$out/$head.model" "$out/queues-new.csv" -o "$out/$head.csv"
    "$hcr" check --exact "$out/floor.hcr" "$out/$head.csv" >"$out/$head.txt" || [ $head = simple ] || status=1
    printf '%s\n' "new rows: $(tail -1 "$out/$head.txt")"
done
# The floor as the dock sees it: the ends of 1440 rays.
awk 'BEGIN { print "d:x,d:y,r"; for (k = 0; k <= 1440; k++) { a = k*3.14159265358979/720; printf "%.15f,%.15f,1\n", cos(a), sin(a) } }' \
    >"$out/rays.csv"
"$hcr" decode "$out/floor.hcr" "$out/rays.csv" -o "$out/seen.csv"
"$hcr" check --exact --quiet "$out/floor.hcr" "$out/seen.csv" || status=1
for kind in svg png; do
    gnuplot -c "$here/floor.gnuplot" "$out" "$out/floor.$kind" "$kind"
done
printf '%s\n' "the floor, drawn: $(cd "$out" && pwd)/floor.svg, .png"
exit $status
