#!/bin/bash
# The progress bar: on a terminal only, on one line, in colour unless NO_COLOR says otherwise. Skipped (77) without script(1).
. "$(dirname "$0")/harness.bash"
command -v script >/dev/null || exit 77

printf 'a,b\n' >x.csv
printf 'y[0],y[1]\n' >y.csv
awk 'BEGIN { for (i = 0; i < 200; i++) { print i % 7 "," i % 5 >>"x.csv"; print (i % 7) / 20 "," (i % 5) / 20 >>"y.csv" } }'
fit="'$hcr' fit '$regions/disc.region' x.csv y.csv -o model --epochs 30 --validation 0.2 --quiet"
shown() { TERM=xterm script -qec "stty cols 60; $1" typescript >/dev/null </dev/null && sed '1d;$d' typescript; }

quiet=$(shown "$fit")
same "--quiet" "" "$(tr -d '\r\n' <<<"$quiet")"
bar=$(shown "${fit% --quiet} --json")
says "$bar" $'\033\[36m#*\.'
same "every line fits" "" "$(tr '\r' '\n' <<<"$bar" | grep '^training' | sed $'s/\033\\[[0-9]*[mK]//g' | awk 'length($0) >= 60')"
plain=$(NO_COLOR=1 shown "${fit% --quiet} --json")
says "$plain" $'\r''training #*\.'
grep -q $'\033\[[0-9]*m' <<<"$plain" && fail "NO_COLOR is not honoured"
dumb=$(shown "TERM=dumb ${fit% --quiet} --json")
grep -q 'training [#.]' <<<"$dumb" && fail "a bar on a dumb terminal"
expect 0 fit "$regions/disc.region" x.csv y.csv -o model --epochs 30 --json
same "no bar in a file" "" "$messages"

# What takes longer than a second has a line that says so, on a terminal alone, and goes away.
slow="(sleep 1.6; cat x.csv) | '$hcr' ranges - -o x.region"
line=$(shown "$slow")
says "$line" $'\r''reading 1 s'
same "the line is cleared" "" "$(tr '\r' '\n' <<<"$line" | tail -n 1 | sed $'s/\033\\[K//')"
grep -q 'reading' <<<"$(shown "$slow" | grep -v $'\r''reading 1 s')" && fail "the line isn't on one line"
dumb=$(shown "TERM=dumb; export TERM; $slow")
grep -q 'reading' <<<"$dumb" && fail "a line on a dumb terminal"
(sleep 1.6 && cat x.csv) | "$hcr" ranges - -o x.region 2>messages
same "no line in a file" "" "$(cat messages)"
finish
