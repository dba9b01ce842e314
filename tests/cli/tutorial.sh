#!/bin/bash
# The commands of docs/tutorial.md run as they stand, and every forecast is inside.
. "$(dirname "$0")/harness.bash"
cp -r "$source/examples" .
mkdir build && ln -s "$hcr" build/hcr
awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$source/docs/tutorial.md" >tutorial.sh
[ "$(grep -c '^hcr ' tutorial.sh)" -ge 8 ] || fail "the tutorial's commands weren't found" "$(cat tutorial.sh)"
output=$(bash -eu tutorial.sh 2>&1) || fail "a command of the tutorial fails" "$output"
says "$output" '^181 of 181 rows inside, decided exactly$'
same "rows inside" 2 "$(grep -c '^181 of 181 rows inside, decided exactly$' <<<"$output")"
finish
