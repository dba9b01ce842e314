#!/bin/bash
# hcr export c: files that compile without a warning as C99 and as C++, pass their self-test, and refuse what they can't do by name.
. "$(dirname "$0")/harness.bash"

command -v cc >/dev/null || { echo "skipped: there is no C compiler (package gcc)"; exit 77; }
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wdouble-promotion -Werror)
compilers=("cc -std=c99")
command -v clang >/dev/null && compilers+=("clang -std=c99")
command -v c++ >/dev/null && compilers+=("c++ -x c++ -std=c++17")
echo 'int main(void) { return 0; }' >empty.c
cc -m32 empty.c -o empty 2>/dev/null && compilers+=("cc -m32 -mfpmath=387 -std=c99")

# passes FOLDER NAME: with every compiler there is, its self-test.
passes() {
    for compiler in "${compilers[@]}"; do
        # shellcheck disable=SC2086
        $compiler "${warnings[@]}" -O2 "$1/$2.c" "$1/$2_test.c" -lm -o passes 2>compiler.log || fail "$1: $compiler" "$(head -5 compiler.log)"
        ./passes >/dev/null || fail "$1: the self-test of $compiler"
    done
}

# C51: sides that don't exist; a region without constraints; nothing left to choose (C18); numbers at both ends (C51)
printf 'var y[2]\nunbounded\ny[0] >= -1\ny[1] <= 1\n' >sides.region
printf 'var y[2]\nunbounded\n' >free.region
printf 'var y[2]\ny[0] == 1\ny[1] == 2\n' >point.region
printf 'var y[2]\n-1 <= y <= 1\n1e-310*y[0] + y[1] <= 0.5\n' >tiny.region
for name in sides free point tiny; do
    for single in "" --single; do
        expect 0 export c $name.region -o "$name$single" --name $name $single
        for file in $name.c $name.h ${name}_test.c CMakeLists.txt README.md; do exists "$name$single/$file"; done
        grep -Eiq '[^a-z_](inf|nan)[^a-z_]' "$name$single/$name.c" && fail "$name: an infinity in the code"
        passes "$name$single" $name
    done
done

# C52: single precision is single precision, and its margin is printed
expect 0 export c "$regions/load.region" -o load --single --json
says "$output" '"precision": "single"'
grep -q double load/load.c load/load.h && fail "a double in single precision"
grep -Eq '[^a-z_0-9x.][0-9]+\.[0-9]+([^0-9f]|$)' <(grep -v "made by hcr" load/load.c) && fail "a literal of double precision in single precision"
passes load load
expect 0 export c "$regions/portfolio.region" -o portfolio --gradient
passes portfolio portfolio

# D57: options that break rounding are refused where the compiler tells of them
for option in -ffast-math -funsafe-math-optimizations "-fassociative-math -fno-signed-zeros -fno-trapping-math" -freciprocal-math -ffinite-math-only; do
    # shellcheck disable=SC2086
    [ -n "$(cc $option -O2 -E -dM - </dev/null | grep -E '__(FAST|ASSOCIATIVE|RECIPROCAL)_MATH__|__FINITE_MATH_ONLY__ 1')" ] || continue
    # shellcheck disable=SC2086
    cc -std=c99 -O2 $option -c load/load.c -o load.o 2>compiler.log && fail "compiles with $option"
    grep -q "compile without" compiler.log || fail "says nothing of $option"
done

# D31: nothing is written of what single precision can't hold
printf 'var y[2]\nunbounded\nexp(y[0]) + exp(y[1]) <= 1e39\n' >beyond.region
expect 3 export c beyond.region -o beyond --single
says "$messages" "-1e\+39, which single precision can't hold: export double precision"
[ -e beyond ] && fail "a folder of what was refused"

# C26: there is no half in quad_form, nor in what is exported
printf 'var y[2]\nquad_form(y, [[1, 0], [0, 1]]) <= 1\n' >disc.region
expect 0 export c disc.region -o disc
cat >half.c <<'END'
#include "disc.h"
#include <stdio.h>
int main(void) {
    const disc_real v[2] = {10, 0};
    disc_real y[2];
    (void)disc_contract(v, y);
    printf("%.9f %.9f\n", y[0], y[1]);
    return 0;
}
END
cc -std=c99 -Idisc half.c disc/disc.c -lm -o half
same "quad_form(y, I) <= 1" "1.000000000 0.000000000" "$(./half)"

# A model and a region in one program, from names of their own
awk -v OFS=, 'BEGIN { print "a,b" > "x.csv"; print "y[0],y[1]" > "y.csv"
    for (i = 0; i < 60; i++) { print i, 60 - i > "x.csv"; print sin(i), cos(i) > "y.csv" } }'
for encoder in dense lstm; do
    expect 0 fit disc.region x.csv y.csv -o $encoder.model --encoder $encoder --head hcr --hidden 4 --epochs 2 --quiet
    expect 0 export c $encoder.model -o $encoder --single
    passes $encoder $encoder
done
printf '#include "dense.h"\n#include "lstm.h"\nint main(void) { const float x[2] = {1, 2}; float y[2];
    return dense_predict(x, y) + lstm_predict(x, y) < 0; }\n' >both.c
cc -std=c99 -Idense -Ilstm both.c dense/dense.c lstm/lstm.c -lm -o both && ./both || fail "two models in one program"

# Parameters (C57)
printf 'var u\nparam s in [-4, 4]\n-3 <= u <= 3\ns - 2.5 <= u <= s + 2.5\n' >moves.region
for single in "" --single; do
    expect 0 export c moves.region -o "moves$single" $single
    passes "moves$single" moves
done

# … of samples with centres of their own: capacities that may be 0, jumps from the last value, what is sold at most or in all
printf 'var p[6]\nparam cap[6] in [0, 9], last in [0, 9], ramp in [1, 5], sold in [0, 30]\n0 <= p <= cap\nabs(diff(p)) <= ramp
abs(p[0] - last) <= ramp\nsum(p) <= sold\n' >plant.region
printf 'var y[4]\nparam cap[3] in [0, 5], sold in [1, 2]\n0 <= y <= 5\ny[:3] <= cap\nsum(y) == sold\n' >sold.region
for name in plant sold; do
    for single in "" --single; do
        expect 0 export c $name.region -o "$name$single" --gradient $single
        passes "$name$single" $name
    done
done
printf 'var p[2]\nparam a in [0, 9]\n0 <= p[0] <= 9\nabs(p[1] - p[0]) <= a\n' >loose.region
expect 3 export c loose.region -o loose
says "$messages" 'a bound of its own'
absent loose

# … of a model, apart from its inputs and among them
awk -v OFS=, 'BEGIN { print "a" > "a.csv"; print "s" > "s.csv"; print "u" > "u.csv"
    for (i = 0; i < 60; i++) { print i > "a.csv"; print 3*sin(i) > "s.csv"; print 2*sin(i) > "u.csv" } }'
paste -d , a.csv s.csv >inputs.csv
for head in hcr hcr-soften; do
    expect 0 fit moves.region a.csv u.csv --parameters s.csv -o apart.model --head $head --hidden 4 --epochs 2 --quiet
    expect 0 fit moves.region inputs.csv u.csv -o among.model --head $head --hidden 4 --epochs 2 --quiet
    for single in "" --single; do
        for name in apart among; do
            expect 0 export c $name.model -o $name $single
            passes $name $name
        done
        grep -q 'apart_predict(const apart_real \*input, const apart_real \*x, apart_real \*y)' apart/apart.h || fail "no parameters"
        grep -q 'among_predict(const among_real \*input, among_real \*y)' among/among.h || fail "parameters twice"
    done
done

# What isn't exported is refused by name, with its line, and nothing is written
printf 'var y[2]\n-4 <= y <= 4\nexcept norm(y - 2, 3) <= 0.5\norigin = [0, 0]\n' >hole.region
expect 3 export c hole.region -o hole
says "$messages" '^hcr: hole.region:3:.*except'
absent hole
# CUDA C++: a kernel a map; nvcc compiles it and its self-test where it is there
expect 0 export cuda disc.region -o gpu --single --gradient
for file in disc.h disc.cu disc_test.cu CMakeLists.txt README.md; do exists "gpu/$file"; done
absent gpu/disc.c
grep -q double gpu/disc.cu && fail "a double in single precision"
for map in decode contract soften origin check decode_gradient contract_gradient soften_gradient \
    decode_tangent contract_tangent soften_tangent; do
    grep -q "__global__ void disc_${map}_kernel(" gpu/disc.cu || fail "no kernel for $map"
    grep -q "int disc_${map}_rows(" gpu/disc.h || fail "no launch of $map"
done
says "$(cat gpu/README.md)" 'CUDA C\+\+'
if clang --print-targets 2>/dev/null | grep -q nvptx64; then # clang's own front end, to PTX, without CUDA's headers
    cat >functions.region <<'END'
var y[3]
-1 <= y <= 1
exp(y[0]) + log_sum_exp(y) + norm(y, 3) + geo_mean([y[1] + 2, 3]) * -1 <= 3
logistic(y[0]) + huber(y[1], 0.5) + rel_entr(y[0] + 2, y[1] + 2) + inv_pos(y[2] + 2) <= 9
sqrt(y[2] + 2) + sum(entropy(y + 2)) >= -9
END
    for name in moves.region among.model sides.region functions.region "$regions/portfolio.region"; do
        for single in "" --single; do
            expect 0 export cuda "$name" -o clang --name t $single
            clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -std=c++17 -O2 -Wall -Wextra -Werror \
                -Wno-unknown-cuda-version -include "$source/scripts/export/clang_cuda.h" -S -o clang.ptx clang/t.cu 2>compiler.log ||
                fail "$name: clang's CUDA" "$(head -5 compiler.log)"
            grep -q 'visible .entry t_decode_kernel' clang.ptx || fail "$name: no kernel"
        done
    done
fi
command -v nvcc >/dev/null && { nvcc -arch=sm_90 gpu/disc_test.cu -o gpu/test 2>compiler.log || fail "nvcc" "$(head -5 compiler.log)"; }

expect 2 export rust disc.region -o disc
says "$messages" 'rust'
expect 2 export c disc.region
says "$messages" '-o DIR'
expect 2 export c disc.region -o disc --name 'No good'
says "$messages" 'No good'
expect 4 export c disc.region -o no/where/disc
absent no
finish
