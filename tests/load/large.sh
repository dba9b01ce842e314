#!/bin/bash
# A region of 100,000 outputs is made and used.
. "$(dirname "$0")/../cli/harness.bash"

# 100,000 outputs with bounds and 200,000 inequalities between neighbours.
printf 'var y[100000]\n-1 <= y <= 1\nabs(y[1:] - y[:-1]) <= 0.1\n' >large.region
expect 0 compile large.region -o large.hcr
awk 'BEGIN { for (j = 0; j < 100000; j++) printf "%s%g", j ? "," : "", j % 7 - 3; print "" }' >v.csv
expect 0 contract large.hcr v.csv -o y.csv
expect 0 check --exact large.hcr y.csv
says "$output" '^1 of 1 rows inside'
finish
