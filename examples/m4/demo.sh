#!/bin/sh
# Trains two models for each of 30 hourly series, forecasts the two days after, compares and draws them.
# demo.sh [BUILD [OUT]]: the folder that the program was built in, and the one to write into.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build}
out=${2:-$here/../../out/demo}
mkdir -p "$out"
inside=yes
"$build/example_forecast" "$here/hourly-30.csv" "$here/hourly-30-test.csv" "$out" >"$out/results.txt" || inside=no
cat "$out/results.txt"
for kind in svg png; do
    gnuplot -c "$here/forecasts.gnuplot" "$out" "$out/forecasts.$kind" "$kind"
done
printf '\n%-24s %s\n' "the forecasts, drawn" "$(cd "$out" && pwd)/forecasts.svg, .png"
[ "$inside" = yes ]
