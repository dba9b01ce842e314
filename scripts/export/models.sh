#!/bin/bash
# Exported models on a Cortex-M4 under QEMU: 10,000 windows of the M4 series go through each, in both precisions, and hcr check --exact decides
# which results are inside. models.sh [BUILD [ROWS]]: the folder with the program. Packages as for targets.sh.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
hcr=$(realpath "${1:-$here/../../build}")/hcr
count=${2:-10000}
for need in arm-none-eabi-gcc:gcc-arm-none-eabi qemu-system-arm:qemu-system-arm; do
    command -v "${need%%:*}" >/dev/null || { echo "skipped: ${need%%:*} isn't there (package ${need#*:})"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
examples=$here/../../examples
arm=(arm-none-eabi-gcc -std=c99 -O2 -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -Wall -Wextra -Werror)

# Windows of all series to predict from; those of one, with limits, to train on.
"$hcr" windows "$examples/m4/hourly-30.csv" --list | while read -r id _; do
    "$hcr" windows "$examples/m4/hourly-30.csv" --id "$id" --input 48 --output 24 --train 0.9 -o all >/dev/null
    [ -e inputs.csv ] || paste -d , <(head -1 all/x_train.csv) <(head -1 all/y_train.csv) >inputs.csv
    paste -d , all/x_train.csv all/y_train.csv | tail -n +2 >>inputs.csv
done
awk -v count="$count" 'NR == FNR { rows = NR - 1; next }
    FNR == 1 || int((FNR - 1) * count / rows) > int((FNR - 2) * count / rows)' inputs.csv inputs.csv >kept.csv
cut -d , -f 1-48 kept.csv >windows.csv
cut -d , -f 49- kept.csv | awk -F , -v seed=1 -f "$examples/capacity/limits.awk" >limits.csv
"$hcr" windows "$examples/m4/hourly-30.csv" --id H1 --input 48 --output 24 --split time --train 0.6 -o day >/dev/null
awk -F , -v seed=1 -f "$examples/capacity/limits.awk" day/y_train.csv >day/limits.csv
paste -d , day/x_train.csv day/limits.csv >day/inputs.csv
sed '1s/y\[/load[/g' day/y_train.csv >day/load.csv

# predicts TITLE MODEL REGION [--parameters FILE]: what is in rows.csv.
predicts() {
    local numbers
    numbers=$(head -1 rows.csv | awk -F , '{ print NF }')
    for precision in single double; do
        local options=()
        [ $precision = double ] || options+=(--single)
        "$hcr" export c "$2" -o t --name t "${options[@]}" >/dev/null
        "${arm[@]}" -DNUMBERS="$numbers" -It t/t.c "$here/predict.c" "$here/start.c" --specs=rdimon.specs -T "$here/memory.ld" -lm -o t.elf
        { head -1 day/load.csv; qemu-system-arm -M mps2-an386 -nographic -semihosting -monitor none -kernel t.elf; } >y.csv
        [ "$(wc -l <y.csv)" = $(($(wc -l <rows.csv) + 1)) ] || { echo "$1, $precision: $(wc -l <y.csv) lines"; exit 1; }
        printf '%s, %s precision: ' "$1" $precision
        "$hcr" check --exact "${options[@]}" "$3" y.csv "${@:4}" >verdict || { tail -1 verdict; exit 1; }
        tail -1 verdict
    done
}

cat >limits.region <<'END'
var load[24]
200 <= load <= 1000
abs(load[1:] - load[:-1]) <= 150
norm(load - 600, 2) <= 900
END
# What may change from the day before, whose hours are each window's last 24: a ball, a quadratic and a sum that move with them.
cat >near.region <<'END'
var load[24]
param usual[24] in [200, 1000]
param reach in [80, 400], steps in [4000, 40000], more in [-240, 240]
0 <= load <= 1200
norm(load - usual) <= reach
sum_squares(diff(load - usual)) <= steps
sum(load) == sum(usual) + more
origin = usual + more/24
END
days() { # of windows: the region's parameters, from the day before and the day itself
    awk -F , 'function within(x, low, high) { return x < low ? low : x > high ? high : x }
        FNR == 1 { for (j = 0; j < 24; j++) printf "usual[%d],", j; print "reach,steps,more"; next }
        { far = ramps = more = 0
          for (j = 1; j <= 24; j++) { usual[j] = within($(24 + j), 200, 1000); off = $(48 + j) - usual[j]; far += off * off; more += off
              if (j > 1) ramps += (off - last) ^ 2; last = off; printf "%.10g,", usual[j] }
          printf "%.2f,%.2f,%.10g\n", within(1.2 * sqrt(far), 80, 400), within(1.5 * ramps, 4000, 40000), within(more, -240, 240) }' "$@"
}
days kept.csv >near.csv
days <(paste -d , day/x_train.csv day/y_train.csv) >day/near.csv
settings=(--hidden 32 --epochs 5 --rate 0.002 --seed 1 --quiet)
for encoder in dense lstm; do
    for head in hcr hcr-contract; do
        tail -n +2 windows.csv >rows.csv
        "$hcr" fit limits.region day/x_train.csv day/load.csv -o t.model --encoder $encoder --head $head "${settings[@]}"
        predicts "bounds, jumps and a ball, $encoder, $head" t.model limits.region
        tail -n +2 <(paste -d , windows.csv limits.csv) >rows.csv
        "$hcr" fit "$examples/capacity/day.region" day/x_train.csv day/load.csv --parameters day/limits.csv -o t.model \
            --encoder $encoder --head $head "${settings[@]}"
        predicts "limits and energy of each day, $encoder, $head" t.model "$examples/capacity/day.region" --parameters limits.csv
        tail -n +2 <(paste -d , windows.csv near.csv) >rows.csv
        "$hcr" fit near.region day/x_train.csv day/load.csv --parameters day/near.csv -o t.model \
            --encoder $encoder --head $head "${settings[@]}"
        predicts "a ball and a quadratic around the day before, $encoder, $head" t.model near.region --parameters near.csv
    done
done
tail -n +2 <(paste -d , windows.csv limits.csv) >rows.csv
for head in hcr-direct hcr-soften; do # limits among the inputs
    "$hcr" fit "$examples/capacity/day.region" day/inputs.csv day/load.csv -o t.model --head $head "${settings[@]}"
    predicts "the same among the inputs, $head" t.model "$examples/capacity/day.region" --parameters limits.csv
done
