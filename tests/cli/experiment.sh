#!/bin/bash
# The experiments, at a size that says nothing about the methods: every file is there, and what is done isn't done again.
. "$(dirname "$0")/harness.bash"
export OMP_NUM_THREADS=1
command -v gnuplot >/dev/null || exit 77 # the pictures are part of it

awk 'BEGIN { printf "\"id\""; for (t = 0; t < 500; t++) printf ",\"V%d\"", t; print ""
    for (s = 1; s <= 2; s++) { printf "\"S/%d\"", s
        for (t = 0; t < 500; t++) printf ",%.6f", s * (100 + 40 * sin(t * 0.2618) + 9 * sin(t * t))
        print "" } }' >series.csv

m4() { expect "$1" experiment m4 --series series.csv --count 1 --epochs 1 -q -o out "${@:2}"; }
m4 0 --weekly series.csv
for title in 'M4 hourly, random' 'M4 hourly, the first' 'M4 weekly, random' 'M4 weekly, the first'; do says "$output" "^$title"; done
for file in runs.csv runs.json tables.md tables.svg error-violation.svg times.svg forecasts.svg search.svg; do exists "out/$file"; done
for file in tables times error-violation forecasts search; do grep -q '</svg>' "out/$file.svg" || fail "$file.svg isn't whole"; done
python3 - out <<'END' || fail "runs.csv and runs.json"
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/runs.csv")))
runs = json.load(open(sys.argv[1] + "/runs.json"))["runs"]
assert len(rows) == len(runs) == 4 * 11, len(rows)
for row, run in zip(rows, runs):
    assert row["problem"] == run["problem"] and row["method"] == run["method"]
    assert float(row["error"]) == run["error"] > 0
    if run["method"] not in ("simple", "lagrangian"):
        assert run["inside"] == 1 and run["excess"] == 0 and 0 < run["average_time"] <= run["largest_time"]
    if run["method"] in ("hcr", "direct", "contract", "soften"):
        assert 1 <= run["candidates"] <= 190
END
says "$output" '^\| HCR-direct .*\| 1 +\| 1 +\|'

# The mean of a table is that of its runs; what isn't measured anew stays as it was.
cp out/runs.csv before.csv
printed=$output
m4 0 --weekly series.csv
same "the second time" "$printed" "$output"
cmp -s before.csv out/runs.csv || fail "a finished experiment gives other figures"
rm out/runs/hourly-row-0-time.contract.csv
m4 0 --weekly series.csv
same "one run anew" "$(awk -F, '$2 == "contract" { print $5 }' before.csv)" "$(awk -F, '$2 == "contract" { print $5 }' out/runs.csv)"
m4 2 --epochs 2
says "$messages" 'other settings'
printf 'a,b\n1,2\n' >out/runs/hourly-row-0-time.contract.csv
m4 3 --weekly series.csv
says "$messages" 'hourly-row-0-time.contract.csv.*another version'
printf '"id","V1"\n"A",1\n' >short.csv
expect 3 experiment m4 --series short.csv -o other
says "$messages" 'no series has the 480 values'

expect 0 experiment synthetic --seeds 1 --epochs 1 -q -o ball
says "$output" '^Synthetic: one draw'
says "$output" '^Synthetic: a draw of W for each seed'
exists ball/tables.svg
absent ball/forecasts.svg

# Interrupted, it says what it keeps, and goes on from there.
cat >interrupt.py <<'END'
import os, signal, subprocess, sys, time
first, command = sys.argv[1], sys.argv[2:]
child = subprocess.Popen(command, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
while not os.path.exists(first) and child.poll() is None:
    time.sleep(0.01)
child.send_signal(signal.SIGINT)
sys.exit(child.wait())
END
python3 interrupt.py cut/runs/hourly-row-0-random.simple.csv "$hcr" experiment m4 --series series.csv --count 1 --epochs 5 -q -o cut >output 2>messages
same "interrupted" 130 $?
says "$(cat messages)" 'interrupted after [1-9][0-9]* of 20 trainings.*goes on'
kept=$(cksum <cut/runs/hourly-row-0-random.simple.csv)
absent cut/runs.csv
finish
