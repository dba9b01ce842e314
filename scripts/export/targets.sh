#!/bin/bash
# Exports, built for a Cortex-M4 and for 32-bit x86 with 80-bit registers: their self-tests are run, and a table of what each takes on
# the Cortex-M4 is printed. Needs the packages gcc-arm-none-eabi, libnewlib-arm-none-eabi, qemu-system-arm and gcc-multilib.
# targets.sh [BUILD]: the folder with the program.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
hcr=${1:-$here/../../build}/hcr
for need in arm-none-eabi-gcc:gcc-arm-none-eabi qemu-system-arm:qemu-system-arm; do
    command -v "${need%%:*}" >/dev/null || { echo "skipped: ${need%%:*} isn't there (package ${need#*:})"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
arm=(arm-none-eabi-gcc -std=c99 -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -ffunction-sections -fdata-sections)
# shellcheck disable=SC2054 # the commas are the linker option's
link=(--specs=rdimon.specs -T "$here/memory.ld" -Wl,--gc-sections)
emulate() { qemu-system-arm -M mps2-an386 -nographic -semihosting -monitor none -icount shift=0 -kernel "$1"; }

echo "| export | precision | flash | RAM | stack | instructions, mean | most |"
echo "|---|---|---|---|---|---|---|"
# measure TITLE PRECISION INPUTS OUTPUTS [PARAMETERS LOW HIGH | MODEL] after an export into $work/t
measure() {
    local title=$1 precision=$2 defines=(-DHEADER='"t.h"' -DPREFIX=t -DINPUTS="$3" -DOUTPUTS="$4")
    case ${5:-} in
    "") ;;
    model) defines+=(-DMODEL) ;;
    *) defines+=(-DPARAMETERS="$5" -DLOW="$6" -DHIGH="$7") ;;
    esac
    if echo "#include <stdint.h>" | gcc -m32 -E - >/dev/null 2>&1; then
        for level in 0 2 3; do
            gcc -m32 -mfpmath=387 -std=c99 -O$level "$work/t/t.c" "$work/t/t_test.c" -lm -o "$work/test" &&
                "$work/test" >/dev/null || { echo "$title fails its self-test on 32-bit x86 at -O$level"; exit 1; }
        done
    else
        echo "(no 32-bit x86: package gcc-multilib)"
    fi
    "${arm[@]}" -O2 -c "$work/t/t.c" -o "$work/t.o"
    "${arm[@]}" -O2 "$work/t.o" "$work/t/t_test.c" "$here/start.c" "${link[@]}" -lm -o "$work/test.elf"
    emulate "$work/test.elf" | grep -q 'as expected' || { echo "$title fails its self-test on the Cortex-M4"; exit 1; }
    "${arm[@]}" -O2 "${defines[@]}" -I "$work/t" "$work/t.o" "$here/count.c" "$here/start.c" "${link[@]}" -lm -o "$work/count.elf"
    local mean most stack
    read -r mean most stack < <(emulate "$work/count.elf")
    # what the linker keeps of the export itself
    local flash ram
    flash=$(arm-none-eabi-size -A "$work/t.o" | awk '/^\.(text|rodata)/ { total += $2 } END { print total }')
    ram=$(arm-none-eabi-size "$work/t.o" | awk 'NR == 2 { print $2 + $3 }')
    printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$title" "$precision" "$flash" "$ram" "$stack" "$mean" "$most"
}
region() { # TITLE FILE OUTPUTS [PARAMETERS LOW HIGH]
    local options
    for precision in single double; do
        rm -rf "$work/t"
        options=(--name t)
        [ $precision = double ] || options+=(--single)
        "$hcr" export c "$2" -o "$work/t" "${options[@]}" >/dev/null
        measure "$1" $precision "$3" "$3" "${@:4}"
    done
}
cat >"$work/box.region" <<'END'
var u[4]
-1 <= u <= 1
END
cat >"$work/ball.region" <<'END'
var u[4]
norm(u) <= 1
END
cat >"$work/cone.region" <<'END'
var f[3]
0 <= f[2] <= 20
norm(f[:2]) <= 0.5*f[2]
END
cat >"$work/lmi.region" <<'END'
var y[3]
psd([[1, y[0], y[1]], [y[0], 1, y[2]], [y[1], y[2], 1]])
END
cat >"$work/exp.region" <<'END'
var y[3]
-1 <= y <= 1
exp(y[0]) + exp(y[1]) + square(y[2]) <= 3
END
cat >"$work/share.region" <<'END'
var w[4]
w >= 0
sum(w) == 1
w[0] + 0.5*w[1] <= 0.6
END
cat >"$work/nights.region" <<'END'
var y[24]
param cap[24] in [0, 100]
0 <= y <= cap
END
cat >"$work/plant.region" <<'END'
var y[24]
param cap[24] in [0, 100], last in [0, 100], ramp in [0, 50], most in [0, 900]
0 <= y <= cap
abs(diff(y)) <= ramp
abs(y[0] - last) <= ramp
sum(y) <= most
END
region "box, 4" "$work/box.region" 4
region "balance: box and a row, 3" "$here/../../examples/balance.region" 3
region "ball, 4" "$work/ball.region" 4
region "friction cone, 3" "$work/cone.region" 3
region "shares: equality, 4" "$work/share.region" 4
region "matrix 3 × 3, 3" "$work/lmi.region" 3
region "exponentials, 3" "$work/exp.region" 3
region "load: bounds and jumps, 48" "$here/../../examples/load.region" 48
region "quadrotor: rows that move, 2" "$here/../../examples/quadrotor/thrust.region" 2 3 "0.9f,4,-4" "1,16,4"
# a clear day, with hours without sun
suns=$(awk 'BEGIN { for (k = 0; k < 24; k++) { sun = k < 6 || k > 18 ? 0 : 100 * sin(3.14159 * (k - 5) / 14)
    printf "%s%.2f", k ? "," : "", sun } }')
zeros=${suns//[0-9.]/}
zeros=${zeros//,/0,}0
region "nights: capacities that may be 0, 24" "$work/nights.region" 24 24 "$zeros" "$suns"
region "a plant's day: capacities, jumps and a sum, 24" "$work/plant.region" 24 27 "$zeros,0,20,200" "$suns,10,50,900"
