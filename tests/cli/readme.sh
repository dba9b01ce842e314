#!/bin/bash
# D59: every command of the README, on small tables made here, in the order in which it has them.
. "$(dirname "$0")/harness.bash"
readme=$source/README.md

# The regions: fenced blocks whose first line is "# NAME.region: …".
awk '/^```/ { inside = !inside; file = ""; next } inside && /^# [a-z]+\.region:/ { file = substr($2, 1, length($2) - 1) } file { print > file }' "$readme"
exists load.region
exists plan.region

# tables OUTPUTS COLUMN…: x.csv, y.csv, new.csv and tomorrow.csv of 60 rows each, a wave that the region has room for.
tables() {
    awk -v outputs="$1" 'function wave(i, j) { return 400 + 20 * sin(0.3 * i + 0.2 * j) }
    function line(file, i, what,    j, out) {
        for (j = 0; j < outputs; j++) out = out (j ? "," : "") (what == "names" ? "load[" j "]" : wave(i, j))
        print out >file
    }
    function inputs(file, i,    j, out, sum) {
        for (j = 0; j < outputs; j++) sum += wave(i, j)
        out = i < 0 ? "hour" : i % 24
        out = out "," (i < 0 ? "before" : wave(i, -1))
        for (j = 0; outputs == 24 && j < outputs; j++) out = out "," (i < 0 ? "cap[" j "]" : 700 + j)
        if (outputs == 24) out = out "," (i < 0 ? "sold" : sum)
        print out >file
    }
    BEGIN {
        line("y.csv", 0, "names")
        split("x.csv new.csv tomorrow.csv", files, " ")
        for (f = 1; f <= 3; f++) for (i = -1; i < 60; i++) inputs(files[f], i)
        for (i = 0; i < 60; i++) line("y.csv", i, "")
    }'
}

count=0
while read -r command; do
    case $command in
    "hcr fit load.region"*) tables 48 ;;
    "hcr fit plan.region"*) tables 24 ;;
    esac
    # shellcheck disable=SC2086
    expect 0 ${command#hcr }
    count=$((count + 1))
done < <(awk '/^```/ { inside = !inside; next } inside && /^hcr / { sub(/ +#.*/, ""); print }' "$readme")
[ $count -ge 8 ] || fail "only $count commands were found in the README"
for name in plan load; do cc -std=c99 -O2 $name/*.c -lm -o selftest && ./selftest >/dev/null || fail "$name: the self-test"; done
finish
