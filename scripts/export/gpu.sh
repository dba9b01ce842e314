#!/bin/bash
# CUDA exports compiled by nvcc: registers, stack and spilled bytes a thread of decode, and with one, where it can be had, of its gradient.
# Fails where anything is spilled. No GPU is needed; where there is one, the self-tests are run. gpu.sh [BUILD]: the folder with the program.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
hcr=${1:-$here/../../build}/hcr
architecture=${HCR_GPU:-sm_90}
command -v nvcc >/dev/null || { echo "skipped: nvcc isn't there (CUDA toolkit)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "| export | precision | registers | of the gradient | stack, bytes | spilled |"
echo "|---|---|---:|---:|---:|---:|"
# number KERNEL PATTERN: from what ptxas says of a kernel
number() { awk -v kernel="'t_$1_kernel'" -v pattern="$2" 'index($0, "Compiling entry function " kernel) { on = 1; next }
    /Compiling entry/ { on = 0 } on && match($0, pattern) { split(substr($0, RSTART), word, " "); print word[1] == "Used" ? word[2] : word[1]; exit }' "$work/log"; }
region() { # TITLE FILE [--gradient]
    local precision options
    for precision in single double; do
        options=(--name t "${@:3}")
        [ $precision = double ] || options+=(--single)
        rm -rf "$work/t"
        "$hcr" export cuda "$2" -o "$work/t" "${options[@]}" >/dev/null
        nvcc -arch="$architecture" -Xptxas -v -cubin -o "$work/t.cubin" "$work/t/t.cu" 2>"$work/log" || { cat "$work/log"; exit 1; }
        local gradient spilled
        gradient=$(number decode_gradient 'Used [0-9]+ registers')
        spilled=$(number decode '[0-9]+ bytes spill stores')
        echo "| $1 | $precision | $(number decode 'Used [0-9]+ registers') | ${gradient:-} | $(number decode '[0-9]+ bytes stack frame') | $spilled |"
        [ "$spilled" = 0 ] || exit 1
        if nvidia-smi >/dev/null 2>&1; then
            nvcc -arch=native -o "$work/test" "$work/t/t_test.cu" && "$work/test" >/dev/null || { echo "$1 fails its self-test"; exit 1; }
        else
            nvcc -arch="$architecture" -o "$work/test" "$work/t/t_test.cu"
        fi
    done
}
printf 'var y[48]\n-2 <= y <= 2\nabs(diff(y)) <= 0.5\n' >"$work/a.region"
printf 'var y[768]\nnorm(y) <= 10\n' >"$work/b.region"
printf 'var f[3]\n0 <= f[2] <= 20\nnorm(f[:2]) <= 0.5*f[2]\n' >"$work/cone.region"
printf 'var y[3]\npsd([[1, y[0], y[1]], [y[0], 1, y[2]], [y[1], y[2], 1]])\n' >"$work/lmi.region"
printf 'var y[3]\n-1 <= y <= 1\nexp(y[0]) + exp(y[1]) + square(y[2]) <= 3\n' >"$work/exp.region"
printf 'var w[4]\nw >= 0\nsum(w) == 1\nw[0] + 0.5*w[1] <= 0.6\n' >"$work/share.region"
region "A: bounds and jumps, 48" "$work/a.region" --gradient
region "B: ball, 768" "$work/b.region" --gradient
region "friction cone, 3" "$work/cone.region" --gradient
region "shares: equality, 4" "$work/share.region" --gradient
region "matrix 3 × 3, 3" "$work/lmi.region"
region "exponentials, 3" "$work/exp.region"
region "quadrotor: rows that move, 2" "$here/../../examples/quadrotor/thrust.region"
