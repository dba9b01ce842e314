#!/bin/bash
# `hcr ranges`: `param` lines from a table of samples, which a region text then takes.
. "$(dirname "$0")/harness.bash"

cat >x.csv <<'END'
cap[1],sold,cap[0],t
5,100,0,1e-3
7.25,130,0,2e-3
,4,4,4
6,inf,1,1
nan,7,0,1
6,123.5,0,1.5e-3
END
wanted='# Ranges of 3 samples, and 5 % of each range beyond them on both sides.
# The same in all samples: cap[0].
#   Their ranges go 5 % of its size to both sides (of 1, for 0).
# Rows left out for a missing value or an infinity: 2, 3, 4.
param cap[2] in [[-0.05, 4.88],
    [0.05, 7.37]]
param sold in [98.4, 131.6]
param t in [0.00095, 0.00205]'
expect 1 ranges x.csv
same "the lines" "$wanted" "$output"
same "the rows" "hcr: 3 rows left out for a missing value or an infinity, the first of them row 2" "$messages"
expect 1 ranges - -o out.txt <x.csv
same "a file" "$wanted" "$(cat out.txt)"

# All samples that were taken are in range, at any margin, of either precision.
for margin in 0 0.01 3; do
    run ranges x.csv --margin $margin
    { printf 'var y[2]\n%s\n' "$output"; printf '%s\n' '-1 <= y <= 1'; } >r.region
    { printf 'y[0],y[1],'; sed -n '1p;2,3s/^/0,0,/p;7s/^/0,0,/p' x.csv; } >v.csv
    expect 0 contract r.region v.csv -o y.csv
    same "margin $margin" 4 "$(wc -l <y.csv)"
done
printf 'y[0],y[1],sold,cap[0],cap[1],t\n0,0,90,0,6,1e-3\n' >v.csv
expect 1 ranges x.csv
{ printf 'var y[2]\n%s\n' "$output"; printf '%s\n' '-1 <= y <= 1'; } >r.region
expect 1 contract r.region v.csv -o y.csv
says "$messages" 'out of (its|their) range'

# Long vectors are broken over lines, and equal ranges written once.
awk 'BEGIN { for (i = 0; i < 3; i++) for (k = 0; k < 48; k++)
                 printf "%s%s", i == 0 ? "lo[" k "]" : i * 10 + k / 7, k < 47 ? "," : "\n" }' >long.csv
expect 0 ranges long.csv -o long.txt
same "no line is longer" "" "$(awk 'length > 100' long.txt)"
{ printf 'var y\n'; cat long.txt; printf '0 <= y <= 200 + lo[47]\n'; } >long.region
expect 0 explain long.region
says "$output" 'parameters +48: lo\[48\]'
printf 'u[0],u[1]\n1,2\n2,1\n' >same.csv
expect 0 ranges same.csv
says "$output" '^param u\[2\] in \[0\.95, 2\.05\]$'

# Matrices, element by element; rows that are broken over lines, too.
printf '"f[0,0]","f[1,0]","f[0,1]","f[1,1]"\n1,2,3,4\n2,9,5,7\n0,1,9,0.5\n' >f.csv
expect 0 ranges f.csv
same "a matrix" 'param f[2, 2] in [[[-0.1, 2.7], [0.6, 0.16]],
    [[2.1, 9.3], [9.4, 7.34]]]' "$(tail -2 <<<"$output")"
sed '1s/lo\[\([0-9]*\)\]/"lo[\1,0]"/g' long.csv >tall.csv
expect 0 ranges tall.csv -o tall.txt
{ printf 'var y\n'; cat tall.txt; printf '0 <= y <= 200 + lo[47,0]\n'; } >tall.region
expect 0 explain tall.region
says "$output" 'parameters +48: lo\[48, 1\]'
same "no line of a matrix is longer" "" "$(awk 'length > 100' tall.txt)"

# Names that the table lacks are x[0], x[1] …; parts of a table give what the whole gives.
printf '1,5\n2,6\n' >bare.csv
expect 0 ranges bare.csv
says "$output" '^param x\[2\] in \[\[0\.95, 4\.95\],$'
awk 'BEGIN { print "t,u"; for (i = 0; i < 200000; i++) print i % 1999 "," i % 7 - 3 }' >many.csv
expect 0 ranges many.csv
says "$output" '^# Ranges of 200000 samples'
says "$output" '^param t in \[-100, 2100\]$'
says "$output" '^param u in \[-3\.3, 3\.3\]$'

# What is refused.
refused() {
    printf "$1" >bad.csv
    expect 3 ranges bad.csv -o bad.txt
    says "$messages" "$2"
    absent bad.txt
}
refused 'cap[0],cap[2]\n1,2\n' '^hcr: bad.csv: cap\[1\] is missing, where there is cap\[2\]'
refused 'a b,c\n1,2\n' '^hcr: bad.csv: column 1: "a b" is no name for a region text'
refused 'c,sum\n1,2\n' '^hcr: bad.csv: column 2: "sum" is a word of the region language: rename it, for instance to sum_'
refused 'cap,cap[0]\n1,2\n' '^hcr: bad.csv: column 2: cap is there already'
refused 'day,t\nMonday,2\n' '^hcr: bad.csv:2:1: column 1 \("day"\): "Monday" is no number'
refused 't\n' 'there is no sample'
refused 't,u\n1,nan\n,2\n' 'there is no sample without'
refused 't\n3e19\n9.9e19\n' 'the range of t reaches 1\.0'
expect 2 ranges x.csv --margin -1
expect 2 ranges x.csv --margin much
expect 2 ranges x.csv -o x.csv
expect 4 ranges none.csv
finish
