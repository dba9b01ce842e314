#!/bin/bash
# Small files of optimisation: D15, D20, D21, D22, D23, D26, D50. The comment `expect:` of each says the verdict and how far
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
finish
