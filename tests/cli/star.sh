#!/bin/bash
# Star domains: the robot's example in a quick version, and what commands say of points that the origin doesn't see.
. "$(dirname "$0")/harness.bash"
floor=$source/examples/robot/floor.region

"$source/examples/robot/demo.sh" "$(dirname "$hcr")" out 400 5 >demo.txt 2>demo.errors || fail "demo.sh" "$(cat demo.txt demo.errors)"
says "$(cat demo.txt)" '^new rows: 1000 of 1000 rows inside, decided exactly$'
says "$(cat demo.txt)" '^rows projected +[1-9]'
says "$(cat demo.txt)" '^rows hidden +[1-9][0-9]* of these'
for kind in svg png; do [ -s out/floor.$kind ] || fail "no picture as $kind"; done
expect 0 check --exact --quiet "$floor" out/hcr-contract.csv

expect 0 explain "$floor"
says "$output" '^visible +checked, not proved: [1-9][0-9]* of [0-9]+ points are hidden'

# The dock's side of a pillar, behind it, in it, in a wall, at the dock.
printf 'x,y\n3.5,3.6\n1.2,1.2\n2.6,2.6\n10,1\n4.6,4.4\n' >points.csv
expect 1 encode "$floor" points.csv -o polar.csv
says "$messages" '^hcr: 2 rows outside the region: r > 1, the first of them row 2$'
says "$messages" "^hcr: 1 row inside the region, but hidden from the origin: r > 1, the first of them row 1\$"
expect 1 check --exact "$floor" points.csv
says "$output" '^3 of 5 rows inside, decided exactly$'
says "$output" 'except \(x - 2.6\)'
expect 0 contract "$floor" points.csv -o drawn.csv
expect 0 check --exact --quiet "$floor" drawn.csv

# What is left beside a pillar has no convex pieces to look for nearest points in.
run project "$floor" points.csv
[ "$code" -ne 0 ] || fail "project works beside pillars"
says "$messages" "what is left beside a curved set has none"

# Any origin in the hall sees less or as much; one in a pillar is refused with its line.
sed 's/^origin.*/origin = [2.6, 2.5]/' "$floor" >inside.region
expect 3 explain inside.region
says "$messages" '^hcr: inside.region:[0-9]+:.*origin'

finish
