#!/bin/bash
# Under mpirun rows are shared among processes: whatever a command writes and says is what it writes and says by itself.
. "$(dirname "$0")/../cli/harness.bash"
. "$(dirname "$0")/job.bash"
load=$regions/load.region

# 48 columns a row; every 7th row leaves the region. Large enough for several parts a process.
awk 'BEGIN { srand(3); for (j = 0; j < 48; j++) printf "%sload[%d]", j ? "," : "", j; print ""
    for (i = 0; i < 3000; i++) { y = 300 + 200 * rand()
        for (j = 0; j < 48; j++) { y += (i % 7 ? 8 : 30) * (rand() - 0.5); printf "%s%.4f", j ? "," : "", y }
        print "" } }' >y.csv
cat >npy.py <<'END'
import struct, sys
# npy.py CSV NPY ORDER: a table of numbers as an array, row by row (C) or column by column (F).
rows = [[float(x) for x in line.split(",")] for line in open(sys.argv[1]) if not line.startswith("load")]
fortran = sys.argv[3] == "F"
head = "{'descr': '<f8', 'fortran_order': %s, 'shape': (%d, %d), }" % (fortran, len(rows), len(rows[0]))
values = [x for row in (zip(*rows) if fortran else rows) for x in row]
with open(sys.argv[2], "wb") as file:
    file.write(b"\x93NUMPY\x01\x00\x76\x00" + head.ljust(117).encode() + b"\n" + struct.pack("<%dd" % len(values), *values))
END
python3 npy.py y.csv c.npy C
python3 npy.py y.csv f.npy F

as_one "1 2 4" o.csv encode "$load" y.csv -o o.csv
as_one 3 o.npy encode "$load" y.csv -o o.npy
as_one 3 o.npy encode "$load" c.npy --single -o o.npy
as_one 3 o.csv encode "$load" f.npy -o o.csv --stats
run encode "$load" y.csv -o polar.csv
as_one 3 o.csv decode "$load" polar.csv -o o.csv
as_one 3 o.csv contract "$load" y.csv -o o.csv --search champion
as_one 3 o.csv project "$load" y.csv -o o.csv
as_one "1 2 4" o.npy project "$load" f.npy -o o.npy --single
as_one 3 - contract "$load" y.csv
as_one 3 - check "$load" y.csv --exact
as_one "1 2 4" - check "$load" y.csv --json
as_one 3 - check "$load" c.npy --all
as_one 3 - check "$load" y.csv --quiet
head -1 y.csv >none.csv
as_one 3 o.csv encode "$load" none.csv -o o.csv
as_one 3 - check "$load" none.csv --json

# Columns by name in another order, one to be dropped, and row names with line ends in quotes.
awk -F, 'NR == 1 { printf "\"\"" } NR > 1 { printf "\"row %d\n1,2,3\n\"", NR }
    { for (j = NF; j >= 1; j--) printf ",%s", $j; print NR == 1 ? ",other" : ",7" }' y.csv >named.csv
as_one 3 o.csv contract "$load" named.csv -o o.csv

# Parameters: beside the columns, in a file, one row for all, some out of their range.
cat >cap.region <<'END'
var y[2]
param cap in [1, 5]
y >= 0
sum(y) <= cap
END
awk 'BEGIN { srand(5); print "cap,y[0],y[1]"; for (i = 0; i < 9000; i++) printf "%.6f,%.6f,%.6f\n", 1 + (i % 900 == 899 ? 6 : 4) * rand(), 4 * rand(), 4 * rand() }' >beside.csv
cut -d, -f2,3 beside.csv >points.csv
cut -d, -f1 beside.csv >caps.csv
as_one 3 o.csv project cap.region beside.csv -o o.csv
as_one 3 o.csv project cap.region points.csv --parameters caps.csv -o o.csv
head -2 caps.csv >one.csv
as_one 3 o.csv encode cap.region points.csv --parameters one.csv -o o.csv
as_one 3 - check cap.region points.csv --parameters caps.csv
head -8000 caps.csv >few.csv
as_one 3 o.csv project cap.region points.csv --parameters few.csv -o o.csv

# Predictions.
head -200 points.csv >x.csv
run fit cap.region x.csv x.csv --parameters <(head -2 caps.csv) --hidden 4 --epochs 2 --quiet -o model
as_one 3 o.csv predict model points.csv --parameters caps.csv -o o.csv
as_one 3 o.npy predict model points.csv --parameters caps.csv --single -o o.npy

# What is refused: told once, with the place, and nothing is left behind.
sed '2500s/^[^,]*/what/' y.csv >bad.csv
as_one 3 o.csv encode "$load" bad.csv -o o.csv
sed '2600s/,/,1,/' y.csv >long.csv
as_one 3 o.csv encode "$load" long.csv -o o.csv
as_one 3 o.csv encode nowhere.region y.csv -o o.csv
as_one 3 o.csv encode "$load" nowhere.csv -o o.csv
as_one 3 - encode "$load" y.csv -o nowhere/o.csv
as_one 3 o.csv encode "$load" y.csv --frob -o o.csv
as_one 3 o.npz encode "$load" y.csv -o o.npz
job 2 encode "$load" - -o o.csv
same "standard input" 3 "$code"
same "standard input" "hcr: standard input can't be read in parts: give a .npy or a CSV file" "$messages"
job 2 explain "$load"
same "a command for one process" 2 "$code"
same "a command for one process" "hcr: \`hcr explain\` runs in one process: start it without mpirun" "$messages"
job 2 predict model points.csv --parameters caps.csv --plot a.svg
same "a plot" 2 "$code"
HCR_MPI=off job 1 explain "$load"
same "by itself" 0 "$code"

# What a link points at is replaced, and keeps its mode.
echo old >there.csv
chmod 600 there.csv
ln -s there.csv link.csv
job 2 contract "$load" y.csv -o link.csv
[ -L link.csv ] || fail "the link was replaced"
same "the mode" 600 "$(stat -c %a there.csv)"
run contract "$load" y.csv -o wanted.csv
cmp there.csv wanted.csv || fail "through a link: other bytes"

# A pipe gets the rows from the first process.
mkfifo pipe
cat pipe >piped.csv &
job 3 contract "$load" y.csv -o pipe
wait
cmp piped.csv wanted.csv || fail "into a pipe: other bytes"
finish
