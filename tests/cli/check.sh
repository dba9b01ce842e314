#!/bin/bash
# check: which rows are inside, the worst line of the text, exact decisions.
. "$(dirname "$0")/harness.bash"

printf 'hydro,gas,wind\n30,50,20\n30,50,40\n30,52.5,20\n' >y.csv
expect 1 check "$regions/balance.region" y.csv
same "report" "row 1: outside by 18
    $regions/balance.region:11: abs(hydro + gas + wind - demand) <= tolerance   (inequality 0 of it)
row 2: outside by 0.5
    $regions/balance.region:11: abs(hydro + gas + wind - demand) <= tolerance   (inequality 0 of it)
1 of 3 rows inside" "$output"
expect 1 check "$regions/balance.region" y.csv --set tolerance=5 --set demand=105
says "$output" '^2 of 3 rows inside$'
expect 1 check --quiet "$regions/balance.region" y.csv
same "quiet" "" "$output"
expect 1 check --all "$regions/balance.region" y.csv
says "$output" '^row 0: inside, 2 to spare$'
expect 1 check --json --exact "$regions/balance.region" y.csv
python3 - "$folder/.output" <<'END' || fail "check --json" "$output"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["rows"] == 3 and report["inside"] == 1 and report["exact"] is True, report
rows = report["details"]
assert [row["row"] for row in rows] == [1, 2]
assert rows[0]["violation"] == 18 and rows[0]["line"] == 11 and rows[0]["kind"] == "linear"
END

# 0.1 + 0.2 is more than 0.3 as decimals are stored, though their floating-point difference is within rounding.
printf 'var y[2]\n0 <= y <= 1\ny[0] + y[1] <= 0.3\n' >sum.region
printf '0.1,0.2\n0.1,0.19999999999999998\n' >decimals.csv
expect 1 check --exact sum.region decimals.csv
says "$output" '^row 0: outside'
says "$output" '^1 of 2 rows inside, decided exactly$'

# Single precision: 0.1 stands for the float, which is more than the double 0.1.
printf 'var y\n0 <= y <= 0.1\n' >tenth.region
printf '0.1\n' >tenth.csv
expect 0 check --exact tenth.region tenth.csv
expect 1 check --exact --single tenth.region tenth.csv

# Equalities hold to what rounding costs, in single precision to what it costs there; beyond it a row is outside.
printf 'var y[3]\n0 <= y <= 1\nsum(y) == 1\n' >share.region
printf '0.1,0.2,0.7\n0.5,0.5,0.5\n0.33333334,0.33333334,0.33333334\n0.25,0.25,2\n' >shares.csv
# Decimals are on it to within rounding; exactly, 0.1 + 0.2 + 0.7 is 1 less 2^-55.
for exact in "" --exact; do
    expect 1 check $exact share.region shares.csv
    says "$output" '^row 1: outside, an equality is off by 0.5$'
    says "$output" '^row 2: outside, an equality is off by 2e-08$'
    says "$output" '^row 3: outside by 1$'
    says "$output" "^$((${#exact} == 0)) of 4 rows inside"
    expect 1 check $exact --single share.region shares.csv
    says "$output" "^$((${#exact} == 0 ? 2 : 0)) of 4 rows inside"
    expect 1 check $exact --json share.region shares.csv
    says "$output" '"row": 1, "inside": false, "violation": -?0(.5)?, "residual": 0.5, "kind": "equality"'
    says "$output" '"line": 3, "column": 1, "text": "sum\(y\) == 1", "equality": 0'
done

# D18: the equality that doesn't hold, with its line and by how much it doesn't, not how much others may.
printf 'var y[4]\n-1e9 <= y <= 1e9\ny[0] - 1e6*y[1] == 0\ny[2] == y[3]\n' >two.region
printf '123456789.00000001,123.456789,1e-3,1.0000000001e-3\n' >two.csv
for exact in "" --exact; do
    expect 1 check $exact two.region two.csv
    says "$output" '^row 0: outside, an equality is off by 1e-13$'
    says "$output" 'two.region:4: y\[2\] == y\[3\]   \(equality 0 of it\)'
done

# A table of no rows is all inside.
printf 'hydro,gas,wind\n' >none.csv
expect 0 check "$regions/balance.region" none.csv
same "no rows" "0 of 0 rows inside" "$output"
finish
