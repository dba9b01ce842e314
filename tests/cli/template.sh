#!/bin/bash
# The template of exported code as it stands, with tables made by hand: every compiler there is, C and C++, both precisions, without a
# warning; and with the sanitizers.
. "$(dirname "$0")/harness.bash"

command -v cc >/dev/null || { echo "skipped: there is no C compiler (package gcc)"; exit 77; }
compilers=("cc -std=c99 -ffp-contract=off" "cc -std=c99 -O2 -ffp-contract=fast -march=native")
command -v c++ >/dev/null && compilers+=("c++ -x c++ -std=c++17")
command -v clang >/dev/null && compilers+=("clang -std=c99 -O1")
command -v clang++ >/dev/null && compilers+=("clang++ -x c++ -std=c++17")
echo 'int main(void) { return 0; }' >empty.c
cc -fsanitize=address,undefined empty.c -o empty 2>/dev/null && compilers+=("cc -std=c99 -fsanitize=address,undefined -fno-sanitize-recover")
for compiler in "${compilers[@]}"; do
    for part in 1 2 3 4 5; do
        for single in 0 1; do
            # shellcheck disable=SC2086
            $compiler -Wall -Wextra -Wpedantic -Wconversion -Wdouble-promotion -Werror -DPART=$part -DHCR_SINGLE=$single -I"$source/src" \
                "$source/tests/unit/device/test_template.c" -lm -o template 2>compiler.log || fail "part $part: $compiler" "$(head -5 compiler.log)"
            same "part $part of $compiler, HCR_SINGLE=$single" "as expected" "$(./template 2>&1 | tail -1)"
        done
    done
done
finish
