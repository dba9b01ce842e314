#!/bin/bash
# encode, decode, contract, project.
. "$(dirname "$0")/harness.bash"

# The paper's example on the unit disc.
printf '0.5,0\n' >y.csv
expect 0 encode "$regions/disc.region" y.csv
same "encode" $'d:y[0],d:y[1],r\n1,0,0.5' "$output"
expect 0 encode "$regions/disc.region" y.csv -o polar.csv
same "nothing on standard output" "" "$output"
expect 0 decode "$regions/disc.region" polar.csv
same "decode" $'y[0],y[1]\n0.5,0' "$output"

# There and back, through text and through NPY, by column names in another order, in every way of searching.
awk 'BEGIN { srand(1); for (i = 0; i < 200; i++) { for (j = 0; j < 48; j++) printf "%s%.17g", j ? "," : "", 450 + 8 * rand(); print "" } }' >load.csv
expect 0 encode "$regions/load.region" load.csv -o polar.csv
expect 0 decode "$regions/load.region" polar.csv -o back.csv
(head -1 back.csv; cat load.csv) >wanted.csv
close 1e-12 wanted.csv back.csv
expect 0 encode "$regions/load.region" load.csv -o polar.npy
expect 0 decode "$regions/load.region" polar.npy -o back.npy
python3 - <<'END' || fail "NPY and CSV don't agree"
import struct, csv
raw = open("back.npy", "rb").read()
assert raw[:6] == b"\x93NUMPY" and b"'shape': (200, 48)" in raw[:128] and b"'<f8'" in raw[:128]
values = struct.unpack("<9600d", raw[-9600 * 8:])
rows = list(csv.reader(open("back.csv")))[1:]
assert [float(cell) for row in rows for cell in row] == list(values)
END
for search in full algorithm1 pruned; do
    expect 0 decode "$regions/load.region" polar.csv -o "$search.csv" --search "$search" --stats --threads 2
    says "$messages" '^hcr: [0-9]+ intersections for 200 rows'
    cmp -s back.csv "$search.csv" || fail "--search $search gives other bits"
done
few=$(grep -o '[0-9]* intersections' <<<"$messages")
[ "${few% *}" -lt $((200 * 190)) ] || fail "pruned intersects all: $few"
awk -F, 'BEGIN { OFS = "," } { $1 = $1; line = $NF; for (i = NF - 1; i > 0; i--) line = line "," $i; print line ",7" }' polar.csv | sed '1s/,7$/,more/' >shuffled.csv
expect 0 decode "$regions/load.region" shuffled.csv -o other.csv
cmp -s back.csv other.csv || fail "columns aren't found by name"
cut -d, -f1-48 polar.csv >short.csv
expect 3 decode "$regions/load.region" short.csv
says "$messages" '"?r"?'

# Outside: r > 1 is reported, and the exit code says it.
printf '3,0\n' >out.csv
expect 1 encode "$regions/disc.region" out.csv
same "r" $'d:y[0],d:y[1],r\n1,0,3' "$output"
says "$messages" '1 row outside the region'

# C08, C09: what comes back is inside in exact arithmetic, in both precisions, however the numbers are written.
awk 'BEGIN { srand(2); for (i = 0; i < 2000; i++) { a = 6.283185307179586 * rand(); printf "%.17g,%.17g\n", 10 * cos(a), 10 * sin(a) } }' >v.csv
for single in "" --single; do
    for kind in csv npy; do
        expect 0 contract $single "$regions/disc.region" v.csv -o "y.$kind"
        expect 0 check --exact $single "$regions/disc.region" "y.$kind"
        expect 0 project $single "$regions/disc.region" v.csv -o "y.$kind"
        expect 0 check --exact $single "$regions/disc.region" "y.$kind"
    done
done
python3 -c "assert b\"'<f4'\" in open('y.npy', 'rb').read()[:128]" || fail "--single doesn't write <f4"
# C01: no step at all is the origin, also beside others.
printf '0,0\n3,0\n' >zero.csv
expect 0 contract "$regions/disc.region" zero.csv
says "$output" '^0,0$'

# Projection: inside comes back as it was, outside goes to the nearest point.
printf '0.1,0.30000000000000004\n3,4\n' >p.csv
expect 0 project "$regions/disc.region" p.csv -o nearest.csv
says "$messages" '1 of 2 rows moved'
same "unchanged" "0.1,0.30000000000000004" "$(sed -n 2p nearest.csv)"
printf 'a,b\n0.1,0.30000000000000004\n0.6,0.8\n' >nearest_wanted.csv
close 1e-8 nearest_wanted.csv nearest.csv
printf '0.1,0.30000001192092896\n' >single.csv
expect 0 project --single "$regions/disc.region" single.csv
same "unchanged in single precision" $'y[0],y[1]\n0.1,0.3' "$output"

# In a metric, and the least of a linear term: of the disc opposite to it. Weights of 1 change nothing.
printf 'y[0],y[1]\n1,1\n' >ones.csv
expect 0 project "$regions/disc.region" p.csv --metric ones.csv -o weighted.csv
close 1e-8 nearest_wanted.csv weighted.csv
printf '3,4\n' >linear.csv
printf 'a,b\n-0.6,-0.8\n' >least_wanted.csv
expect 0 project --linear "$regions/disc.region" linear.csv -o least.csv
says "$messages" 'was added to the diagonal of the metric'
close 1e-6 least_wanted.csv least.csv
printf '1,0\n0,1\n0,0\n' >three.csv
expect 3 project "$regions/disc.region" p.csv --metric three.csv
says "$messages" 'a metric of 3 rows'
printf '1,0\n0,-1\n' >saddle.csv
expect 3 project "$regions/disc.region" p.csv --metric saddle.csv
says "$messages" 'eigenvalue -1'
finish
