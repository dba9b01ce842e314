#!/bin/bash
# The commands that take a table row by row have as much memory for many rows as for some: files, standard input and pipes go through in
# parts. HCR_LONG in the environment: a million rows.
. "$(dirname "$0")/../cli/harness.bash"
export ASAN_OPTIONS=quarantine_size_mb=1:${ASAN_OPTIONS-} OMP_NUM_THREADS=1
some=60000
many=${HCR_LONG:+1000000}
many=${many:-200000}
# Held whole, the rows more would take 4 MiB as text and 2 MiB as each array of numbers, 16 MiB in all. From one part to the next the heap
# varies by less.
most=$((8 << 20))

printf 'var y[2]\n-1 <= y <= 1\n' >box.region
printf 'y[0],y[1]\n0.1,0.2\n0.3,-0.2\n0.7,0.5\n-0.5,0.25\n' >y.csv
expect 0 fit box.region y.csv y.csv --epochs 1 --hidden 2 --quiet -o model
for rows in $some $many; do
    awk -v rows=$rows 'BEGIN { print "y[0],y[1]"; for (i = 0; i < rows; i++) printf "%.12f,%.12f\n", i % 997 / 500 - 1, i % 991 / 400 - 1 }' >y$rows.csv
    awk -v rows=$rows 'BEGIN { print "d:y[0],d:y[1],r"; for (i = 0; i < rows; i++) printf "%.12f,%.9f,%.3f\n", i % 997 / 500 - 1, i % 991 / 400 - 1, i % 7 / 7 }' >polar$rows.csv
    run contract box.region y$rows.csv -o y$rows.npy
done

# peak COMMAND…: the most memory it had, in bytes.
cat >peak.py <<'END_OF_PEAK'
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
print(1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code > 1)
END_OF_PEAK
peak() { python3 peak.py "$@"; }

# flat WHAT: `job ROWS` has about the same peak for some rows and for many.
flat() {
    local of_some of_many
    of_some=$(job $some) || fail "$1"
    of_many=$(job $many) || fail "$1"
    echo "$1: $((of_some >> 20)) MiB for $some rows, $((of_many >> 20)) MiB for $many"
    [ $((of_many - of_some)) -le $most ] || fail "$1: memory grows with the rows"
}

for map in encode contract project check "check --exact"; do
    job() { peak "$hcr" $map box.region "y$1.csv"; }
    flat "$map"
done
printf 'var y[2]\nparam a, b in [-2, 2]\n-3 <= y <= 3\ny[0] + y[1] <= a + b + 4\n' >beside.region
for rows in $some $many; do
    sed '1s/.*/a,b/' y$rows.csv >x$rows.csv
done
job() { peak "$hcr" contract beside.region "y$1.csv" --parameters "x$1.csv"; }
flat "contract with a table of parameters"
job() { peak "$hcr" ranges "y$1.csv"; }
flat "ranges"
job() { peak "$hcr" decode box.region "polar$1.csv" -o out.csv; }
flat "decode into a file"
job() { peak "$hcr" predict model "y$1.csv" -o out.npy; }
flat "predict into an array"
job() { peak "$hcr" project box.region "y$1.npy" -o out.npy; }
flat "project an array"
job() { peak "$hcr" contract box.region - <"y$1.csv"; }
flat "contract standard input"
job() { cat "y$1.csv" | peak "$hcr" encode box.region -; }
flat "encode a pipe"

# What the parts become is what the whole does.
paste -d, y$some.csv x$some.csv >both$some.csv
"$hcr" contract beside.region both$some.csv -o out.csv
"$hcr" contract beside.region y$some.csv --parameters x$some.csv -o beside.csv
cmp -s out.csv beside.csv || fail "a table of parameters in parts gives other rows"
"$hcr" contract box.region - <y$some.csv >out.csv
cat y$some.csv | "$hcr" contract box.region - -o piped.csv
cmp -s out.csv piped.csv || fail "a pipe gives other rows"
same "rows" $((some + 1)) "$(wc -l <out.csv)"
head -101 y$some.csv >short.csv
expect 0 contract box.region short.csv -o short_out.csv
head -101 out.csv | cmp -s - short_out.csv || fail "a part gives other rows than the whole"
# An error far down is reported with its line, and no file is left.
sed "$((some - 5))s/^[^,]*/what/" y$some.csv >bad.csv
expect 3 contract box.region bad.csv -o bad_out.csv
says "$messages" "bad.csv:$((some - 5)):1: "
absent bad_out.csv
same "what is left" "" "$(ls bad_out.csv* 2>/dev/null)"

# A link's file is replaced, and keeps its mode; a pipe gets the same rows; so does what is read column by column.
echo old >there.csv
chmod 600 there.csv
ln -s there.csv link.csv
expect 0 contract box.region y$some.csv -o link.csv
[ -L link.csv ] || fail "the link was replaced"
same "the mode" 600 "$(stat -c %a there.csv)"
cmp -s there.csv out.csv || fail "through a link: other rows"
mkfifo pipe
cat pipe >piped.csv &
expect 0 contract box.region y$some.csv -o pipe
wait
cmp -s piped.csv out.csv || fail "into a pipe: other rows"
expect 0 contract box.region y$some.csv -o rows.npy
python3 - <<'END'
import struct
with open("rows.npy", "rb") as file:
    content = file.read()
start = 10 + struct.unpack("<H", content[8:10])[0]
count = (len(content) - start) // 16
assert f"({count}, 2)".encode() in content[:start], content[:start]
rows = struct.unpack(f"<{2 * count}d", content[start:])
header = f"{{'descr': '<f8', 'fortran_order': True, 'shape': ({count}, 2), }}".ljust(117).encode() + b"\n"
with open("columns.npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00\x76\x00" + header + struct.pack(f"<{2 * count}d", *rows[::2], *rows[1::2]))
END
expect 0 contract box.region rows.npy -o of_rows.csv
expect 0 contract box.region columns.npy -o of_columns.csv
cmp -s of_rows.csv of_columns.csv || fail "column by column: other rows"
finish
