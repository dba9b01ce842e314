#!/bin/bash
# Region text: messages with their place, constants, compiled files.
. "$(dirname "$0")/harness.bash"

for region in "$regions"/*.region; do
    expect 0 explain "$region"
    expect 0 explain --json "$region"
    python3 -m json.tool <<<"$output" >/dev/null || fail "explain --json isn't JSON for $region"
    expect 0 compile "$region" -o compiled.hcr
    expect 0 explain compiled.hcr
done

printf 'var load[4]\nconst dmax = 2\n0 <= load <= 10\nabs(lod[1:] - load[:-1]) <= dmax\n' >name.region
expect 3 explain name.region
same "unknown name" 'hcr: name.region:4:5: unknown name "lod": the nearest known is "load"
    4 | abs(lod[1:] - load[:-1]) <= dmax
      |     ^^^' "$messages"

# C12: empty, and the lines that conflict.
printf 'var y\ny <= 0\ny >= 1e-4\n' >empty.region
expect 3 explain empty.region
says "$messages" '^hcr: empty.region:'
says "$messages" 'empty.region:2'
says "$messages" 'empty.region:3'
# C10: unbounded, and in which direction.
printf 'var y[2]\ny >= 0\ny[0] <= 1\n' >unbounded.region
expect 3 explain unbounded.region
says "$messages" 'unbounded: nothing stops the direction \+y\[1\]'
printf 'var y[2]\n-2 <= y <= 2\nnorm(y, 2) >= 1\n' >curved.region
expect 3 explain curved.region
says "$messages" '^hcr: curved.region:3:1: not known to be a convex set'
# C21: an origin outside.
printf 'var y[2]\n-1 <= y <= 1\norigin = [2, 0]\n' >origin.region
expect 3 explain origin.region
says "$messages" "origin isn't strictly inside"
says "$messages" 'y\[0\] <= 1'
printf 'var y[2]\n-1 <= y <= \n' >syntax.region
expect 3 compile syntax.region
says "$messages" '^hcr: syntax.region:2:'
absent syntax.hcr
expect 3 explain - <name.region
says "$messages" '^hcr: (standard input|<stdin>):4:5: '
expect 4 explain nowhere.region
says "$messages" "can't open \"nowhere.region\""

# Constants from the command line; a region's data are looked for beside it.
mkdir sub
printf 'var y[3]\nconst most = 1\nconst least = read("least.csv")\nleast <= y <= most\n' >sub/data.region
printf -- '-1,-2,-3\n' >sub/least.csv
printf '2,0.5,0.5\n' >y.csv
expect 1 check sub/data.region y.csv
expect 0 check sub/data.region y.csv --set most=3
expect 0 check sub/data.region y.csv --set most=2,1,1
expect 1 check sub/data.region y.csv --set most=2,1,0
expect 3 check sub/data.region y.csv --set most=1,2
expect 3 check sub/data.region y.csv --set mots=1
says "$messages" 'mots'

# Compiled: the default name, the same answers without the data, damage reported.
expect 0 compile sub/data.region --set most=4
exists sub/data.hcr
rm sub/least.csv
expect 0 check sub/data.hcr y.csv
expect 0 check - y.csv <sub/data.hcr
expect 2 check sub/data.hcr y.csv --set most=3
cp sub/data.hcr damaged.hcr
printf 'x' | dd of=damaged.hcr bs=1 seek=60 conv=notrunc 2>/dev/null
expect 3 check damaged.hcr y.csv
says "$messages" '^hcr: damaged.hcr: .*compile it again'
head -c 100 sub/data.hcr >short.hcr
expect 3 check short.hcr y.csv
"$hcr" compile "$regions/disc.region" -o - >piped.hcr
"$hcr" compile "$regions/disc.region" -o written.hcr >/dev/null
cmp -s piped.hcr written.hcr || fail "a compiled region differs between a pipe and a file"
expect 2 compile "$regions/disc.region" -o - --json

# The mean of targets as the origin.
printf 'var y[2]\n-2 <= y <= 2\norigin = mean\n' >mean.region
printf 'y[1],y[0]\n0,1\n1,1.5\n' >targets.csv
expect 3 encode mean.region targets.csv
says "$messages" 'compile --targets'
expect 3 compile mean.region
expect 0 compile mean.region --targets targets.csv
expect 0 explain mean.hcr --json
same "origin" '[1.25, 0.5]' "$(grep -o '"origin": \[[^]]*\]' <<<"$output" | sed 's/.*: //')"
finish
