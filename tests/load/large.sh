#!/bin/bash
# Large tables and regions: memory grows with the rows by no more than their numbers take, and a region of 100,000 outputs is made and used.
# HCR_LONG in the environment: a million rows, and four.
. "$(dirname "$0")/../cli/harness.bash"
rows=${HCR_LONG:+1000000}
rows=${rows:-50000}

# peak COMMAND…: the most memory it had, in bytes; its output goes to the file "peak.out".
cat >peak.py <<'END'
import resource, subprocess, sys
with open("peak.out", "wb") as out:
    code = subprocess.run(sys.argv[1:], stdout=out, stderr=subprocess.DEVNULL).returncode
print(1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
END
peak() { python3 peak.py "$@"; }

table() { awk -v rows="$1" 'BEGIN { print "y[0],y[1]"; for (i = 0; i < rows; i++) print i % 997 / 500 "," i % 991 / 400 }'; }
table "$rows" >one.csv
table $((4 * rows)) >four.csv
one=$(peak "$hcr" contract "$regions/disc.region" one.csv) || fail "contract"
same "rows" $((rows + 1)) "$(wc -l <peak.out)"
four=$(peak "$hcr" contract "$regions/disc.region" four.csv) || fail "contract"
same "rows" $((4 * rows + 1)) "$(wc -l <peak.out)"
each=$(((four - one) / (3 * rows)))
echo "contract: $((one >> 20)) MiB for $rows rows, $((four >> 20)) MiB for $((4 * rows)): $each bytes a row"
# Text (some 12 bytes, twice while it grows), two numbers in (twice while they grow) and out, and a ray of 16 bytes.
[ "$each" -le 200 ] || fail "$each bytes a row"

# 100,000 outputs with bounds and 200,000 inequalities between neighbours.
printf 'var y[100000]\n-1 <= y <= 1\nabs(y[1:] - y[:-1]) <= 0.1\n' >large.region
expect 0 compile large.region -o large.hcr
awk 'BEGIN { for (j = 0; j < 100000; j++) printf "%s%g", j ? "," : "", j % 7 - 3; print "" }' >v.csv
expect 0 contract large.hcr v.csv -o y.csv
expect 0 check --exact large.hcr y.csv
says "$output" '^1 of 1 rows inside'
finish
