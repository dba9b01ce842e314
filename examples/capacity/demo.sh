#!/bin/sh
# Forecasts days of an hourly series whose limits and whose total are given with each day; for comparison with a plain
# network. demo.sh [BUILD [OUT [EPOCHS]]]: the folder that the program was built in, and the one to write into.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
hcr=${1:-$here/../../build}/hcr
out=${2:-$here/../../out/capacity}
epochs=${3:-100}
mkdir -p "$out"
"$hcr" windows "$here/../m4/hourly-30.csv" --id H1 --input 48 --output 24 --split time --train 0.6 -o "$out"
"$hcr" compile "$here/day.region" -o "$out/day.hcr"
"$hcr" explain "$out/day.hcr" | grep -A 1 '^origin '
# The limits stand beside the other inputs: the models see them, and the region takes them from there.
for part in train test; do
    awk -F , -v seed=1 -f "$here/limits.awk" "$out/y_$part.csv" >"$out/limits_$part.csv"
    paste -d , "$out/x_$part.csv" "$out/limits_$part.csv" >"$out/inputs_$part.csv"
    sed '1s/y\[/load[/g' "$out/y_$part.csv" >"$out/load_$part.csv"
done
status=0
for head in hcr-contract simple; do # with the settings of ../m4
    printf '%s\n' "--- $head"
    "$hcr" fit "$out/day.hcr" "$out/inputs_train.csv" "$out/load_train.csv" -o "$out/$head.model" --head $head \
        --hidden 128 --epochs "$epochs" --rate 0.002 --rate-decay 0.97 --weight-decay 1 --seed 1
    "$hcr" predict "$out/$head.model" "$out/inputs_test.csv" -o "$out/$head.csv"
    "$hcr" check --exact "$out/day.hcr" "$out/$head.csv" --parameters "$out/limits_test.csv" >"$out/$head.txt" ||
        [ $head = simple ] || status=1
    printf '%s\n' "new days: $(tail -1 "$out/$head.txt")"
    awk -F , 'FNR == 1 { file++; next } file == 1 { actual[FNR] = $0; next }
        { split(actual[FNR], a); for (j = 1; j <= NF; j++) { sum += ($j - a[j]) ^ 2; count++ } }
        END { printf "mean squared error of new days: %.1f\n", sum / count }' "$out/load_test.csv" "$out/$head.csv"
done
for kind in svg png; do
    gnuplot -c "$here/day.gnuplot" "$out" "$out/days.$kind" "$kind"
done
printf '%s\n' "four of the days, drawn: $(cd "$out" && pwd)/days.svg, .png"
exit $status
