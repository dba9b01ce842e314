#!/bin/bash
# C57: regions whose limits come with each row. Parameters in columns and in a file, with every command.
. "$(dirname "$0")/harness.bash"

# Three outputs that a capacity bounds from above, and that add up to what is ordered.
cat >plan.region <<'END'
var y[3]
param cap[3] in [4, 9]
param order in [1, 10]

0 <= y <= cap
sum(y) == order
END
expect 0 compile plan.region
same "sizes" "plan.hcr: 3 outputs, 4 parameters" "$output"

# In columns beside the points, in any order; in a file of their own; one row for all; as NPY and NPZ without names; from
# standard input: the same bytes.
cat >v.csv <<'END'
y[0],order,y[1],cap[2],y[2],cap[0],cap[1]
5,8,-1,4.5,0,8,7
0,2,0,4,0,4,4
100,9.5,3,6,-40,5,8.25
END
awk -F, 'BEGIN { OFS = "," } { print $1, $3, $5 }' v.csv >steps.csv
awk -F, 'BEGIN { OFS = "," } { print $4, $2, $6, $7, (NR > 1 ? 77 : "more") }' v.csv >x.csv
cat >to_npy.py <<'END'
import csv, struct, sys, zipfile
rows = list(csv.reader(open(sys.argv[1])))
order = sys.argv[3].split(",")
place = [rows[0].index(name) for name in order]
values = [float(row[j]) for row in rows[1:] for j in place]
header = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }" % (len(rows) - 1, len(order))
header += " " * (63 - (10 + len(header)) % 64) + "\n"
bytes_ = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<%dd" % len(values), *values)
if sys.argv[2].endswith(".npz"):
    zipfile.ZipFile(sys.argv[2], "w").writestr("x.npy", bytes_)
else:
    open(sys.argv[2], "wb").write(bytes_)
END
outputs="y[0],y[1],y[2]" parameters="cap[0],cap[1],cap[2],order"
python3 to_npy.py v.csv v.npy "$outputs,$parameters"
python3 to_npy.py v.csv steps.npy "$outputs"
python3 to_npy.py v.csv x.npy "$parameters"
python3 to_npy.py v.csv x.npz "$parameters"
for single in "" --single; do
    for region in plan.region plan.hcr; do
        expect 0 contract $single $region v.csv -o wanted.csv
        same "the columns are the outputs" "y[0],y[1],y[2]" "$(head -1 wanted.csv)"
        expect 0 check --exact $single $region wanted.csv --parameters x.csv
        says "$output" '^3 of 3 rows inside, decided exactly$'
        for file in x.csv x.npy x.npz; do
            expect 0 contract $single $region steps.csv --parameters $file -o got.csv
            cmp -s wanted.csv got.csv || fail "--parameters $file gives other rows" "$(cat wanted.csv got.csv)"
        done
        expect 0 contract $single $region v.npy -o got.csv
        cmp -s wanted.csv got.csv || fail "v.npy gives other rows"
        expect 0 contract $single $region steps.npy --parameters - -o got.csv <x.csv
        cmp -s wanted.csv got.csv || fail "--parameters - gives other rows"
    done
done
run contract plan.region - --parameters - <v.csv
same "two tables from standard input" 2 "$code"
(head -1 x.csv; sed -n 2p x.csv) >one.csv
expect 0 contract plan.region steps.csv --parameters one.csv -o all.csv
same "one row for all" 4 "$(wc -l <all.csv)"
expect 0 check --exact plan.region all.csv --parameters one.csv

# There and back.
expect 0 contract plan.region v.csv -o wanted.csv
expect 0 encode plan.region wanted.csv --parameters x.csv -o polar.csv
same "encode's columns" "d:y[0],d:y[1],d:y[2],r" "$(head -1 polar.csv)"
expect 0 decode plan.region polar.csv --parameters x.csv -o back.csv
close 1e-12 wanted.csv back.csv
expect 0 check --exact plan.region back.csv --parameters x.csv
paste -d, polar.csv x.csv >both.csv
expect 0 decode plan.region both.csv -o beside.csv
cmp -s back.csv beside.csv || fail "decode: columns and file differ"

# project: (5, −1, 0) with a sum of 8 goes to … itself moved along (1, 1, 1), and then what is below 0 gives way.
for single in "" --single; do
    expect 0 project $single plan.region v.csv -o nearest.csv
    says "$messages" '3 of 3 rows moved'
    expect 0 check --exact $single plan.region nearest.csv --parameters x.csv
done
expect 0 project plan.region v.csv -o nearest.csv
printf 'a,b,c\n6.333333333333333,0.33333333333333333,1.3333333333333333\n0.66666666666666667,0.66666666666666667,0.66666666666666667\n5,4.5,0\n' >nearest_wanted.csv
close 1e-7 nearest_wanted.csv nearest.csv

# check says which row breaks what, and where parameters are the reason.
cat >points.csv <<'END'
y[0],y[1],y[2],cap[0],cap[1],cap[2],order
1,1,1,4,4,4,3
5,0,0,4,4,4,5
1,1,1,4,3,4,3
1,1,1,4,4,4,3.5
END
expect 1 check --exact plan.region points.csv
says "$output" '^row 1: outside by 1$'
says "$output" 'plan.region:5'
says "$output" '^row 2: cap\[1\] is 3, and its range from 4 to 9$'
says "$output" '^1 of 4 rows inside'
expect 1 check --exact plan.region points.csv --json
python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
assert report["inside"] == 1 and [row["row"] for row in report["details"]] == [1, 2, 3]
assert report["details"][1]["parameter"] == "cap[1]" and report["details"][1]["violation"] is None' "$folder/.output" || fail "check --json" "$output"
expect 1 check plan.region points.csv
says "$output" '^row 2: cap\[1\] is 3'

# Out of range, a NaN, an infinity: NaN in that row, the others as they are without it; reported, and in the exit code.
sed '3s/.*/0,11,0,4,0,4,4/' v.csv >out.csv
for command in contract project; do
    for single in "" --single; do
        expect 0 $command $single plan.region v.csv -o good.csv
        expect 1 $command $single plan.region out.csv -o bad.csv
        says "$messages" '^hcr: 1 row with a parameter out of its range, NaN in every cell, the first of them row 1: order is 11, and its range from 1 to 10$'
        same "the bad row" "nan,nan,nan" "$(sed -n 3p bad.csv | tr A-Z a-z)"
        same "the good rows" "$(sed -n '1,2p;4p' good.csv)" "$(sed -n '1,2p;4p' bad.csv)"
    done
done
expect 1 encode plan.region out.csv
says "$messages" 'order is 11'
python3 - <<'END'
import struct
raw = bytearray(open("v.npy", "rb").read())
raw[-8:] = struct.pack("<d", float("nan"))          # order of the last row
open("nan.npy", "wb").write(raw)
raw[-8:] = struct.pack("<d", float("inf"))
open("inf.npy", "wb").write(raw)
END
for file in nan.npy inf.npy; do
    expect 1 contract plan.region $file -o bad.npy
    says "$messages" 'the first of them row 2: order is (nan|inf)'
    expect 1 check --exact plan.region $file
    says "$output" '^row 2: order is (nan|inf)'
done
sed '3s/8.25/NA/;4s/8.25/NA/' v.csv >missing.csv
expect 3 contract plan.region missing.csv
says "$messages" 'missing.csv:4'

# Limits that cross: the rows whose parameters leave nothing have no origin, the others go on.
cat >band.region <<'END'
var y[2]
param low[2] in [0, 10]
param high[2] in [0.5, 11]
low <= y <= high
END
cat >bands.csv <<'END'
y[0],y[1],low[0],low[1],high[0],high[1]
3,100,1,2,4,9
0,0,5,1,4,9
0,0,0,0,10,0.5
END
expect 1 contract band.region bands.csv -o inside.csv
says "$messages" '^hcr: 1 row whose parameters leave no point strictly inside, NaN in every cell, the first of them row 1$'
same "no origin" "nan,nan" "$(sed -n 3p inside.csv | tr A-Z a-z)"
sed '/[nN]a[nN]/d' inside.csv >some.csv
sed 3d bands.csv | cut -d, -f3- >some_x.csv
expect 0 check --exact band.region some.csv --parameters some_x.csv
expect 1 project band.region bands.csv
says "$messages" 'the first of them row 1'

# What is missing is named; a region without parameters wants none.
cut -d, -f1,3-7 v.csv >short.csv
expect 3 contract plan.region short.csv
says "$messages" 'V has no column "order", a parameter of the region: add it, or give --parameters FILE'
cut -d, -f2- x.csv >short.csv
expect 3 contract plan.region steps.csv --parameters short.csv
says "$messages" 'the table of parameters has no column "cap\[2\]"'
sed 1d steps.csv >bare.csv
expect 3 contract plan.region bare.csv
says "$messages" 'V has 3 columns where 7 are needed: 3, and behind them the region.s 4 parameters'
head -3 x.csv >short.csv
expect 3 contract plan.region steps.csv --parameters short.csv
says "$messages" '2 rows, and the table that they belong to 3'
expect 2 contract "$regions/disc.region" steps.csv --parameters x.csv
expect 4 contract plan.region steps.csv --parameters nowhere.csv

# --search is for regions without parameters.
expect 3 contract plan.region v.csv --search pruned
expect 0 contract plan.region v.csv --search full

# explain and plot.
expect 0 explain plan.region
says "$output" 'cap'
if command -v gnuplot >/dev/null; then
    cat >flat.region <<'END'
var y[2]
param r in [1, 3]
param c[2] in [-1, 1]
norm(y - c) <= r
END
    expect 0 plot flat.region -o flat.svg
    grep -q 'r = 2, c\[0\] = 0, c\[1\] = 0' flat.svg || fail "the middle of the range isn't in the picture"
    expect 0 plot flat.region -o other.svg --at r=1.5 --at 'c[0]=1'
    grep -q 'r = 1.5, c\[0\] = 1, c\[1\] = 0' other.svg || fail "--at isn't in the picture"
    expect 3 plot flat.region -o flat.svg --at r=4
    expect 2 plot flat.region -o flat.svg --at r=x
    expect 2 plot flat.region -o flat.svg --at q=1
fi

# fit and predict: parameters among the inputs, behind them without names, apart.
awk 'BEGIN { srand(3); print "a,cap[0],b,order,cap[2],cap[1]"
    for (i = 0; i < 40; i++) printf "%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", rand(), 4 + 5 * rand(), rand(), 1 + 9 * rand(), 4 + 5 * rand(), 4 + 5 * rand() }' >inputs.csv
awk -F, 'NR == 1 { print "y[0],y[1],y[2]" } NR > 1 { printf "%.6f,%.6f,%.6f\n", $4 * $1, $4 * (1 - $1), 0.3 * $3 }' inputs.csv >targets.csv
awk -F, 'BEGIN { OFS = "," } { print $1, $3 }' inputs.csv >own.csv
awk -F, 'BEGIN { OFS = "," } { print $2, $6, $5, $4 }' inputs.csv >params.csv
for head in hcr hcr-direct hcr-contract hcr-soften hcr-project simple; do
    expect 0 fit plan.region inputs.csv targets.csv -o beside.model --head $head --hidden 6 --epochs 3 --seed 2
    says "$output" '^model +6 inputs'
    [ $head = simple ] || says "$output" '^inside ratio +1$'
    expect 0 fit plan.region own.csv targets.csv --parameters params.csv -o apart.model --head $head --hidden 6 --epochs 3 --seed 2
    says "$output" '^model +2 inputs'
    for single in "" --single; do
        expect 0 predict $single beside.model inputs.csv -o beside.csv
        expect 0 predict $single beside.model inputs.csv --parameters params.csv -o again.csv
        cmp -s beside.csv again.csv || fail "predict: columns and file differ"
        expect 0 predict $single apart.model own.csv --parameters params.csv -o apart.csv
        expect 0 predict $single apart.model inputs.csv -o again.csv
        cmp -s apart.csv again.csv || fail "predict: parameters beside the inputs give other rows"
        for file in beside apart; do
            [ $head = simple ] || expect 0 check --exact $single plan.region $file.csv --parameters params.csv
        done
    done
done
sed '4s/[^,]*$/12/' inputs.csv >wrong.csv
expect 1 predict beside.model wrong.csv -o out.csv
says "$messages" 'the first of them row 2: cap\[1\] is 12'
expect 3 predict apart.model own.csv
says "$messages" 'X has no column "cap\[0\]", a parameter of the region'
expect 3 fit plan.region own.csv targets.csv -o no.model
says "$messages" 'X has no column "cap\[0\]"'
expect 3 fit plan.region wrong.csv targets.csv -o no.model
says "$messages" 'row 2 .*"cap\[1\]"'
expect 2 fit plan.region inputs.csv targets.csv -o no.model --encoder lstm
absent no.model
expect 0 fit plan.region own.csv targets.csv --parameters params.csv -o steps.model --encoder lstm --hidden 6 --epochs 2 --quiet
expect 0 predict steps.model own.csv --parameters params.csv -o y.csv
expect 0 check --exact plan.region y.csv --parameters params.csv
python3 to_npy.py inputs.csv inputs.npy "a,b,$parameters"
expect 0 fit plan.region inputs.npy targets.csv -o npy.model --head hcr-contract --hidden 6 --epochs 3 --quiet
expect 0 predict npy.model inputs.npy -o y.csv
expect 0 check --exact plan.region y.csv --parameters params.csv

# The example: every new day inside its own limits, and its total met.
if command -v gnuplot >/dev/null; then
    "$source/examples/capacity/demo.sh" "$(dirname "$hcr")" out 3 >demo.txt 2>demo.errors || fail "demo.sh" "$(cat demo.txt demo.errors)"
    says "$(cat demo.txt)" '^new days: 181 of 181 rows inside, decided exactly$'
    for kind in svg png; do [ -s out/days.$kind ] || fail "days.$kind isn't there"; done
fi
finish
