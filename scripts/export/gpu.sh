#!/bin/bash
# CUDA exports compiled by nvcc: registers, stack and spilled bytes a thread of decode, and of its gradient.
# Fails where anything is spilled. No GPU is needed; where there is one, the self-tests are run. gpu.sh [BUILD]: the folder with the program.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
hcr=${1:-$here/../../build}/hcr
architecture=${HCR_GPU:-sm_90} # of which registers are counted
command -v nvcc >/dev/null || { echo "skipped: nvcc isn't there (CUDA toolkit)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "| export | precision | registers | of the gradient | stack, bytes | of the gradient | spilled |"
echo "|---|---|---:|---:|---:|---:|---:|"
# number KERNEL PATTERN: from what ptxas says of a kernel
number() { awk -v kernel="'t_$1_kernel'" -v pattern="$2" 'index($0, "Compiling entry function " kernel) { on = 1; next }
    /Compiling entry/ { on = 0 } on && match($0, pattern) { split(substr($0, RSTART), word, " "); print word[1] == "Used" ? word[2] : word[1]; exit }' "$work/log"; }
region() { # TITLE FILE
    local precision options
    for precision in single double; do
        options=(--name t --gradient)
        [ $precision = double ] || options+=(--single)
        rm -rf "$work/t"
        "$hcr" export cuda "$2" -o "$work/t" "${options[@]}" >/dev/null
        nvcc -arch="$architecture" -Xptxas -v -cubin -o "$work/t.cubin" "$work/t/t.cu" 2>"$work/log" || { cat "$work/log"; exit 1; }
        local gradient stack spilled
        gradient=$(number decode_gradient 'Used [0-9]+ registers')
        stack=$(number decode_gradient '[0-9]+ bytes stack frame')
        spilled=$(number decode '[0-9]+ bytes spill stores')
        echo "| $1 | $precision | $(number decode 'Used [0-9]+ registers') | $gradient | $(number decode '[0-9]+ bytes stack frame') | $stack | $spilled |"
        [ "$spilled" = 0 ] || exit 1
        if clang --print-targets 2>/dev/null | grep -q nvptx64; then # a second opinion; sm_80, which clang 14 knows
            clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -std=c++17 -O2 -Werror -Wno-unknown-cuda-version \
                -include "$here/clang_cuda.h" -S -o "$work/t.ptx" "$work/t/t.cu"
            # clang has tables in constant memory, of which there are 64 KiB
            sed -i 's/^\.const/.global/; s/ld\.const/ld.global/' "$work/t.ptx"
            ptxas -arch=sm_80 -c -v -o "$work/t.cubin" "$work/t.ptx" 2>"$work/log" || { cat "$work/log"; exit 1; }
            spilled=$(number decode '[0-9]+ bytes spill stores')
            [ "$spilled" = 0 ] || { echo "$1, $precision, by clang: $spilled bytes spilled"; exit 1; }
        fi
        if nvidia-smi >/dev/null 2>&1; then
            nvcc -arch=native -o "$work/test" "$work/t/t_test.cu"
            "$work/test" >/dev/null || { echo "$1 fails its self-test"; exit 1; }
        else
            nvcc -arch="$architecture" -o "$work/test" "$work/t/t_test.cu"
        fi
    done
}
# A to E of bench/README.md
PYTHONPATH=$here/../../bench/suite python3 - "$work" <<'END'
import pathlib, sys
import numpy as np
from regions import shape
for letter in "ABCDE":
    made, folder = shape(letter), pathlib.Path(sys.argv[1], letter)
    folder.mkdir()
    for name, values in made.data.items():
        np.save(folder / f"{name}.npy", values)
    read = (f'const {name} = read("{name}.npy")' for name in made.data)
    (folder / "source.region").write_text("\n".join([made.declared, *read, made.text, made.origin]) + "\n")
END
printf 'var f[3]\n0 <= f[2] <= 20\nnorm(f[:2]) <= 0.5*f[2]\n' >"$work/cone.region"
printf 'var y[3]\n-1 <= y <= 1\nexp(y[0]) + exp(y[1]) + square(y[2]) <= 3\n' >"$work/exp.region"
printf 'var w[4]\nw >= 0\nsum(w) == 1\nw[0] + 0.5*w[1] <= 0.6\n' >"$work/share.region"
region "A: bounds and jumps, 48" "$work/A/source.region"
region "B: ball, 768" "$work/B/source.region"
region "C: 1,000 dense rows, 100" "$work/C/source.region"
region "D: 100 quadratics, 100" "$work/D/source.region"
region "E: matrix of 20 rows, 20" "$work/E/source.region"
region "friction cone, 3" "$work/cone.region"
region "shares: equality, 4" "$work/share.region"
region "exponentials, 3" "$work/exp.region"
region "quadrotor: rows that move, 2" "$here/../../examples/quadrotor/thrust.region"
