#!/bin/bash
# What a command does with its files: outputs that are inputs, or can't be replaced; tables as others write them.
. "$(dirname "$0")/harness.bash"

cat >r.region <<'END'
var a, b
0 <= a <= 4
0 <= b <= 4
a + b <= 6
END
printf 'a,b\n1,1\n5,5\n' >y.csv

# D30: an output that is read is refused, whatever it is called, and nothing is lost.
cp r.region kept.region
cp y.csv kept.csv
ln r.region hard.region
ln -s r.region soft.region
ln -s y.csv soft.csv
mkdir sub
for output in r.region ./r.region hard.region soft.region sub/../r.region; do
    expect 2 compile r.region -o "$output"
    says "$messages" 'is read, and would be overwritten'
done
cp r.region text.hcr
expect 2 compile text.hcr
for command in contract project encode; do
    expect 2 $command r.region y.csv -o soft.csv
    expect 2 $command r.region y.csv -o r.region
    says "$messages" '"r.region" is read'
done
printf 'x\n1\n2\n3\n4\n' >x.csv
printf 'a,b\n1,1\n1,2\n5,1\n3,3\n' >t.csv
for output in r.region x.csv t.csv; do expect 2 fit r.region x.csv t.csv -o $output --epochs 1; done
expect 0 fit r.region x.csv t.csv -o model --epochs 1 --hidden 2 --json
expect 2 predict model x.csv -o model
expect 2 predict model x.csv -o x.csv
cmp -s r.region kept.region && cmp -s y.csv kept.csv || fail "a file was overwritten"

# D36: which rows of the targets were projected, from 0; a point off an equality isn't "r > 1".
expect 0 fit r.region x.csv t.csv -o model --epochs 1 --hidden 2
says "$output" '^rows projected +1: row 2 \(counted from 0\)$'
printf 'a,b\n9,1\n1,2\n5,1\n9,9\n' >t2.csv
expect 0 fit r.region x.csv t2.csv -o model --epochs 1 --hidden 2
says "$output" '^rows projected +3: rows 0, 2, 3 \(counted from 0\)$'
expect 0 fit r.region x.csv t2.csv -o model --epochs 1 --hidden 2 --json
python3 -c 'import json, sys; assert json.load(sys.stdin)["projected"] == [0, 2, 3]' <.output || fail "JSON doesn't say the rows"
printf 'var a, b\n0 <= [a, b] <= 4\na + b == 2\n' >e.region
printf 'a,b\n1,1\n1,1.5\n5,-3\n' >off.csv
expect 1 encode e.region off.csv -o polar.csv
says "$messages" "1 row off the region's equalities"
says "$messages" '1 row outside the region: r > 1'

# D12: pandas' header of columns without names; whole numbers after it may as well be a sample.
printf '0,1\n0.5,0.25\n5.0,5.5\n' >p.csv
expect 1 check r.region p.csv --all
says "$output" '^row 0: inside'
says "$output" '^1 of 2 rows inside'
expect 0 contract r.region p.csv -o c.csv
same "rows" 3 "$(wc -l <c.csv)"
printf '0,1\n2,3\n' >p.csv
expect 0 check r.region p.csv
says "$output" '^2 of 2 rows inside'
printf '0,1\n' >p.csv
seq 1 200000 | sed 's/.*/0.5,1.5/;7s/.*/3,3/' >>p.csv
expect 0 check r.region p.csv
says "$output" '^200000 of 200000 rows inside'

# D55: one cell more than the header has is a row name only where it is one.
printf 'a,b\n0.5,0.25,0.125\n' >m.csv
expect 3 check r.region m.csv
says "$messages" '^hcr: m.csv:2: this row has 3 cells where the header asks for 2'
printf 'a,b\n"1",0.5,0.25\n"2",1,1\n' >m.csv
expect 0 check r.region m.csv
printf 'a b\nr1 0.5 0.25\n' | tr ' ' '\t' >m.csv
expect 0 check r.region m.csv

# D58: columns that nobody asked for may hold anything; those that are asked for may not.
printf 'date,a,b,note\n2024-01-01,2,3,x\n2024-01-02,1,1,\n' >d.csv
expect 0 check r.region d.csv
says "$output" '^2 of 2 rows inside'
for command in contract project encode; do
    expect 0 $command r.region d.csv -o c.csv
    same "rows" 3 "$(wc -l <c.csv)"
done
printf 'day,x\nMon,1\nTue,2\n' >dx.csv
expect 0 predict model dx.csv -o c.csv
printf 'date,a,b\n2024-01-01,2,oops\n' >d.csv
expect 3 check r.region d.csv
says "$messages" '^hcr: d.csv:2:3: column 3 \("b"\): "oops" is no number'
printf 'day,price\nMon,1.5\nTue,2.5\n' >prices.csv
printf 'var y[2]\nconst p = read("prices.csv", "price")\n0 <= y <= p\n' >q.region
expect 0 explain q.region
says "$output" 'y\[1\] +0 +1.25 +2.5'
printf 'var y[2]\nconst p = read("prices.csv", "day")\n0 <= y <= p\n' >q.region
expect 3 explain q.region
says "$messages" '"Mon" is no number'

# D61: rows that a command found no result for are counted.
cat >par.region <<'END'
var u
param top in [1, 2]
0 <= u <= top
END
printf 'u,top\n0.5,1\n0.5,9\n3,2\n' >par.csv
expect 1 contract par.region par.csv -o c.csv
grep -q '^nan$' c.csv || fail "there is no row of NaN"
printf 'top\n1\n1\n2\n' >tops.csv
expect 1 check par.region c.csv --parameters tops.csv
says "$output" "^row 1: a value isn't finite"
says "$output" '^2 of 3 rows inside'
expect 1 check par.region c.csv --parameters tops.csv --exact --json
python3 -c 'import json, sys; j = json.load(sys.stdin); assert (j["rows"], j["inside"]) == (3, 2)' <.output || fail "$output"
printf 'a,b\n1,\n' >e.csv
expect 3 check r.region e.csv

# D54: in Python a list times a number repeats it.
printf 'var y[24]\nconst cap = [30] * 24\n0 <= y <= cap\n' >q.region
expect 3 explain q.region
says "$messages" '^hcr: q.region:2:13: in Python this repeats the list'
printf 'var y[24]\nconst cap = 30 * ones(24)\n0 <= y <= cap\n0 <= y[0:2] <= [3, 4] * 2\n' >q.region
expect 0 explain q.region

# D53: what a small file may grow to is limited, and the limit is named and can be raised.
python3 - <<'END'
import gzip, struct, zipfile
with zipfile.ZipFile("big.npz", "w", zipfile.ZIP_DEFLATED) as archive:
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (50000, 2), }"
    head = head.ljust(118 - 1) + b"\n"
    archive.writestr("y.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + bytes(800000))
with gzip.open("big.lp.gz", "wt") as file:
    file.write("Minimize\n obj: x\nSubject To\n c: x >= 1\nBounds\n x <= 2\n" + " \n" * 500000 + "End\n")
END
expect 0 check r.region big.npz
expect 0 import big.lp.gz -o b.region
export HCR_INFLATE_LIMIT=700000
expect 3 check r.region big.npz
says "$messages" '^hcr: big.npz: unpacked it is more than 700000 bytes.*HCR_INFLATE_LIMIT'
expect 3 import big.lp.gz -o b.region
says "$messages" '^hcr: big.lp.gz: unpacked it is more than 700000 bytes'
unset HCR_INFLATE_LIMIT

# D28: a file that may be written but not replaced is written in place, and that is reported.
chmod 755 .
mkdir closed
for file in closed/out.csv closed/out.hcr; do echo before >$file; done
chmod 666 closed/*
chmod 555 closed
as=
[ "$(id -u)" -ne 0 ] || as='setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all'
if $as test -x "$hcr" && ! $as test -w closed 2>/dev/null; then
    for command in "contract r.region y.csv -o closed/out.csv" "compile r.region -o closed/out.hcr"; do
        $as "$hcr" $command >.output 2>.messages || fail "hcr $command failed" "$(cat .messages)"
        says "$(cat .messages)" 'is written in place, since its folder takes no new files'
    done
    same "rows" 3 "$(wc -l <closed/out.csv)"
    expect 0 explain closed/out.hcr
    $as "$hcr" contract r.region y.csv -o closed/new.csv >.output 2>.messages && fail "a closed folder takes a new file"
fi
chmod 755 closed
echo before >mounted.csv
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
    unshare -m sh -c "touch over.csv over.hcr && mount --bind mounted.csv over.csv && mount --bind mounted.csv over.hcr &&
        '$hcr' compile r.region -o over.hcr && '$hcr' explain over.hcr && '$hcr' contract r.region y.csv -o over.csv" >.output 2>&1 ||
        fail "a mounted file isn't written" "$(cat .output)"
    for file in over.csv over.hcr; do
        says "$(cat .output)" "^hcr: \"$file\" is written in place, since it is a mount of its own"
    done
    same "rows" 3 "$(wc -l <mounted.csv)"
fi
same "nothing is left" "" "$(find . -name 'over.*.*-*' -o -name 'out.*.*-*')"
finish
