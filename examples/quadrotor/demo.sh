#!/bin/sh
# Trains a policy for a quadrotor, exports it and the region of allowed thrusts as C, flies with both, decides exactly whether every step was
# inside, and draws the flight. demo.sh [BUILD [OUT [CC]]]: the folder that the program was built in, the one to write into, a compiler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
hcr=${1:-$here/../../build}/hcr
out=${2:-$here/../../out/quadrotor}
cc=${3:-cc}
mkdir -p "$out"
awk -v rows=6000 -v seed=1 -v states="$out/states.csv" -v thrusts="$out/thrusts.csv" -f "$here/lessons.awk"
cat >"$out/anything.region" <<'END'
var thrust[2]
-100 <= thrust <= 100
END
"$hcr" fit "$out/anything.region" "$out/states.csv" "$out/thrusts.csv" -o "$out/pilot.model" --head simple --hidden 32 --epochs 40 \
    --rate 0.003 --seed 1 --quiet
"$hcr" export c "$out/pilot.model" -o "$out/pilot" --name pilot --single
"$hcr" export c "$here/thrust.region" -o "$out/thrust" --name thrust --single
$cc -std=c99 -O2 -Wall -Wextra -I"$out/pilot" -I"$out/thrust" "$here/flight.c" "$out/pilot/pilot.c" "$out/thrust/thrust.c" -lm -o "$out/flight"
"$out/flight" bare >"$out/bare.csv"
"$out/flight" >"$out/kept.csv"
cut -d, -f5-9 "$out/kept.csv" >"$out/steps.csv"
"$hcr" check --exact --single "$here/thrust.region" "$out/steps.csv"
flights="$out/bare.csv $out/kept.csv"
if command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null; then # the same on a Cortex-M4, under QEMU
    parts=$here/../../scripts/export
    arm-none-eabi-gcc -std=c99 -O2 -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -I"$out/pilot" -I"$out/thrust" \
        "$here/flight.c" "$out/pilot/pilot.c" "$out/thrust/thrust.c" "$parts/start.c" --specs=rdimon.specs -T "$parts/memory.ld" \
        -lm -o "$out/flight.elf"
    qemu-system-arm -M mps2-an386 -nographic -semihosting -monitor none -kernel "$out/flight.elf" >"$out/cortex.csv"
    cut -d, -f5-9 "$out/cortex.csv" >"$out/steps.csv"
    "$hcr" check --exact --single "$here/thrust.region" "$out/steps.csv"
    flights="$flights $out/cortex.csv"
fi
# shellcheck disable=SC2086 # several files
awk -F, 'FNR > 1 { if ($3 < least || FNR == 2) least = $3; if ($3 > most || FNR == 2) most = $3; t = $4 < 0 ? -$4 : $4; if (t > tilt || FNR == 2) tilt = t }
    FNR == 16001 { printf "%s: height from %.3f to %.3f m, tilt up to %.3f rad\n", FILENAME, least, most, tilt }' $flights
if command -v gnuplot >/dev/null; then
    for kind in svg png; do
        gnuplot -c "$here/flight.gnuplot" "$out" "$out/flight.$kind" "$kind"
    done
    printf '%s\n' "the flight, drawn: $(cd "$out" && pwd)/flight.svg, .png"
fi
