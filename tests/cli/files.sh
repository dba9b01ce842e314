#!/bin/bash
# Small files of optimisation: D15, D20, D21, D22, D23, D26, D49, D50. The comment `expect:` of each says the verdict and how far
# its columns reach, `inradius:` the radius; `scripts/files tests/files` holds them against HiGHS.
. "$(dirname "$0")/harness.bash"

# judge FILE REGION: the verdict, and the bounds of the first columns against those that are wanted.
judge() {
    local wanted verdict
    wanted=$(sed -n 's/^[\\*#] expect: //p' "$1")
    run explain --json "$2"
    case $messages in
    *"no interior"*) verdict="no interior" ;;
    *empty* | *"exclude 0"*) verdict=empty ;;
    *unbounded*) verdict=unbounded ;;
    "") verdict=bounded ;;
    *) verdict=$messages ;;
    esac
    if [ -z "$wanted" ] || [ "${wanted#"$verdict"}" = "$wanted" ]; then
        fail "${1##*/}: $verdict, not $wanted" "$messages"
        return
    fi
    [ "$code" -ne 0 ] || python3 - "$folder/.output" "$1" "${wanted#"$verdict"}" <<'END' || fail "${1##*/}" "$output"
import json, re, sys

shape = json.load(open(sys.argv[1]))
for j, wanted in enumerate(sys.argv[3].split()):
    for side, number in zip(("lower", "upper"), wanted.split(":")):
        got = shape[side][j]
        if got is None:
            assert number.endswith("inf"), (j, side)
        elif not number.endswith("inf"):
            # What programs derive is widened by a millionth; what cuts do is right to a tenth of the way, on the outside.
            wanted, share = float(number), 0.2 if sys.argv[2].endswith(".cbf") else 1e-5
            beyond = (wanted - got if side == "lower" else got - wanted) / (1 + abs(wanted))
            assert -1e-5 <= beyond <= share, (j, side, got, number)
radius = re.search(r"inradius: (\S+)", open(sys.argv[2]).read())
assert radius is None or abs(shape["inradius"] - float(radius[1])) <= 0.02 * float(radius[1]), shape["inradius"]
END
}

for file in "$source"/tests/files/*.{lp,mps,cbf}; do
    run import -q "$file" -o imported.region
    if [ "$code" -ne 0 ]; then
        grep -q 'expect: empty' "$file" && [[ $messages == *"exclude 0"* ]] || fail "${file##*/}" "$messages"
        continue
    fi
    judge "$file" imported.region
    # What contract gives is inside, in exact arithmetic.
    [ "$code" -eq 0 ] || continue
    columns=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["outputs"])' "$folder/.output")
    python3 - "$columns" >v.csv <<'END'
import random, sys
random.seed(1)
for _ in range(200):
    print(",".join(repr(random.gauss(0, 5)) for _ in range(int(sys.argv[1]))))
END
    expect 0 contract imported.region v.csv -o y.csv
    expect 0 check --exact --quiet imported.region y.csv
    # A compiled region says the same.
    run import -q "$file" -o imported.hcr
    [ "$code" -eq 0 ] || fail "${file##*/}, compiled" "$messages"
    expect 0 check --exact --quiet imported.hcr y.csv
done

# D49: after Netlib's ship08s: what nobody asks for isn't sent, sum(x) == 0 over x >= 0. More than 1,000 columns, open above.
# What isn't sent is 0, however many threads BLAS has; within 20 s of the processor (an earlier search took minutes).
python3 - >ship.region <<'END'
from random import Random

random, plants, products = Random(49), range(8), range(168)
print("unbounded\nvar x[1344], over[8]\nx >= 0\nover >= 0")
for k in products:
    wanted = 0 if random.random() < 0.3 else round(random.uniform(0.1, 3), 6)
    print(" + ".join(f"x[{168 * p + k}]" for p in plants), f"== {wanted}")
for p in plants:
    print(f"over[{p}] - sum(x[{168 * p}:{168 * p + 168}]) >= -{random.randint(20, 200)}")
END
for threads in 1 2; do
    (
        ulimit -t 20
        OPENBLAS_NUM_THREADS=$threads exec "$hcr" explain ship.region
    ) >.output 2>.messages
    same "a flat, open set with $threads threads" 0 "$?"
    says "$(cat .output)" "equality *x >= 0"
done
finish
