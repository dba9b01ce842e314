#!/bin/bash
# `hcr limits`: a region from what a table did, which its own rows satisfy.
. "$(dirname "$0")/harness.bash"

cat >x.csv <<'END'
ds,load,price
2024-01-01,1,0.3
2024-01-02,5,0.1
2024-01-03,,0.7
2024-01-04,4,0.2
2024-01-05,4.5,-0.1
END
wanted='# What 5 rows did, as limits: rows and elements are counted from 0.
var load[3]
var price[3]

# load: 4 values, from 1 (row 0) to 5 (row 1); 1 missing.
1 <= load <= 5
# load: 2 steps, up to 4 (row 1); 2 missing.
abs(diff(load)) <= 4

# price: 5 values, from -0.1 (row 4) to 0.7 (row 2).
-0.1 <= price <= 0.7
# price: 4 steps, up to 0.6 (row 2).
abs(diff(price)) <= 0.6'
expect 0 limits x.csv --columns load,price --horizon 3
same "the region" "$wanted" "$output"
expect 0 limits - --columns load --columns price --horizon 3 -o x.region <x.csv
same "a file" "$wanted" "$(cat x.region)"
expect 0 explain x.region
expect 0 limits x.csv --columns price
same "scalars" $'var price\n\n# price: 5 values, from -0.1 (row 4) to 0.7 (row 2).\n-0.1 <= price <= 0.7' "$(tail -n +2 <<<"$output")"
expect 0 limits x.csv --columns price --cap --quantile 0.8
says "$output" "; 80 % are at least, and as many at most, these\.$"
says "$output" "^0\.1 <= price <= 0\.3$"
expect 0 limits x.csv --columns price --ramp --horizon 2 --quantile 0.75
says "$output" "^abs\(diff\(price\)\) <= 0\.5$"
grep -q "<= price" <<<"$output" && fail "values are limited"

# Vectors: rows are samples, and the samples satisfy their own limits at tolerance 0.
awk 'BEGIN { srand(4); print "y[1],y[0],y[2],t"; for (i = 0; i < 300; i++) print rand(), 100 * rand(), rand() / 3, rand() }' >y.csv
expect 0 limits y.csv -o y.region
expect 0 check y.region y.csv --exact
says "$(cat y.region)" "^# y: 600 steps, up to [0-9.]* \(row [0-9]*, y\[[12]\]\)\.$"

# Matrices: of their elements those in one row are neighbours.
printf '"f[0,0]","f[1,0]",p,"f[0,1]","f[1,1]"\n1,2,5,3,4\n2,9,6,5,7\n0,1,8,9,0.5\n' >f.csv
expect 0 limits f.csv --columns 'f[0,1],f[0,0],f[1,1],p,f[1,0]'
same "a matrix" '# What 3 rows did, as limits: rows and elements are counted from 0.
var f[2, 2]
var p

# f: 12 values, from 0 (row 2, f[0,0]) to 9 (row 1, f[1,0]).
0 <= f <= 9
# f: 6 steps, up to 9 (row 2, f[0,1]).
abs(f[:, 1:] - f[:, :-1]) <= 9

# p: 3 values, from 5 (row 0) to 8 (row 2).
5 <= p <= 8' "$output"
run limits f.csv -o f.region
expect 0 check f.region f.csv --exact

refused() { # table, message, options …
    printf "$1" >bad.csv
    local message=$2
    shift 2
    expect 3 limits bad.csv -o bad.region "$@"
    says "$messages" "$message"
    [ -e bad.region ] && fail "there is a region"
}
refused 'a b,c\n1,2\n' '^hcr: bad.csv: column 1: "a b" is no name for a region text'
refused 'a,c\n1,\n2,NA\n' '^hcr: bad.csv: c has no value'
refused 'a,c\n1,2\n' 'no variable has two values' --ramp
refused 'a,c\n1,\n,2\n' 'a has no two values that are neighbours' --ramp --horizon 2
refused '"a[0,0]","a[1,1]"\n1,2\n' 'a\[0,1\] is missing, where there is a\[1,1\]: a matrix has all its elements'
refused '"a[0,0]","a[0]"\n1,2\n' 'column 2: a is there already'
refused '"a[0,0]","a[0, 1]"\n1,2\n' 'column 2: "a\[0, 1\]" is no name for a region text'
refused 'a\n1e21\n' 'a has values of 1e20 and more'
refused 'a\n1\n' 'the share is 0\.5: it is more than 0\.5' --quantile 0.5
expect 2 limits x.csv --quantile 1.5
expect 2 limits x.csv --horizon 0
expect 4 limits none.csv
