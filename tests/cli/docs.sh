#!/bin/bash
# Shell and C in docs/, on the landing page and in the README's program: what tutorial.sh and readme.sh don't run.
. "$(dirname "$0")/harness.bash"

blocks() { # PAGE LANGUAGE: its fenced blocks of that language, without what they are indented by
    awk -v open="\`\`\`$2" '{ line = $0; sub(/^ +/, "", line) }
        line == open { inside = 1; indent = index($0, "`") ; next }
        line == "```" { inside = 0 }
        inside { print substr($0, indent) }' "$source/$1"
}
commands() { # PAGE COUNT [CODE]: runs the commands of its shell blocks, at least COUNT, which exit with CODE
    local command count=0
    while read -r command; do
        # shellcheck disable=SC2086
        expect "${3:-0}" ${command#hcr }
        count=$((count + 1))
    done < <(blocks "$1" sh)
    [ "$count" -ge "$2" ] || fail "$1: only $count commands were found"
}

# A plan that can't sell as much as it should
blocks docs/contradictions.md region >plan.region
awk 'BEGIN { for (j = 0; j < 24; j++) { names = names "cap[" j "],"; values = values 20 + j "," }
    print names "sold\n" values 1800 }' >tomorrow.csv
commands docs/contradictions.md 1 1
says "$output" 'sold'

# The landing page: its text is the region of its commands
blocks site/pages/index.md text >load.region
awk 'BEGIN { for (j = 0; j < 48; j++) { names = names (j ? "," : "") "load[" j "]"; values = values (j ? "," : "") 40 * j }
    print names "\n" values }' >y.csv
commands site/pages/index.md 3
says "$("$hcr" check load.region out.csv --exact)" '1 of 1 rows inside'

# The caller of exported C
printf 'param tilt in [-1, 1]\nvar y[3]\n-2 <= y <= 2\ny[0] + tilt * y[1] <= 1\n' >thrust.region
expect 0 export c thrust.region -o thrust --single
blocks docs/export.md c | sed '/^#include "plan.h"/,$d' >caller.c
cat >>caller.c <<'END'
int main(void) {
    const thrust_real wanted[THRUST_OUTPUTS] = {5, 1, 0}, x[1] = {0.5f};
    thrust_real given[THRUST_OUTPUTS];
    return limit(wanted, x, given) == THRUST_FRONTIER && thrust_check(x, given) == THRUST_INSIDE ? 0 : 1;
}
END
cc -std=c99 -Wall -Wextra -Werror -Ithrust caller.c thrust/thrust.c -lm -o caller && ./caller || fail "docs/export.md's caller"

# The README's program; a library under a sanitizer would want a program under it
libraries=$(dirname "$hcr")
if ! nm -D "$libraries/libhcr.so" | grep -q __asan; then
    printf 'var y[2]\nnorm(y) <= 1\n' >disc.region
    blocks README.md c >program.c
    cc -std=c99 -Wall -Wextra -Werror -I"$source/include" program.c -L"$libraries" -lhcr -Wl,-rpath,"$libraries" -o program ||
        fail "the README's program doesn't compile"
    same "the README's program" $'1 0\n0.1 0.2' "$(./program)"
fi

# No other page has such blocks: a new one is run here, too
same "pages with shell and C" "docs/contradictions.md docs/export.md docs/tutorial.md" \
    "$(cd "$source" && grep -lE '^ *```(sh|c)$' docs/*.md | xargs)"
finish
