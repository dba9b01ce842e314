#!/bin/bash
# A model for each series of a file in the form of M4's, by the command: windows, fit, predict, check --exact.
# every-series.sh HCR SERIES.csv OUT [options of hcr fit]: a line a series, then a summary. Two at a time.
set -eu -o pipefail
hcr=$1 series=$2 out=$3
shift 3
mkdir -p "$out"

one() {
    local id=$1 folder=$out/$1 inside=inside
    shift
    "$hcr" windows "$series" --id "$id" --json -o "$folder" >"$folder.windows"
    "$hcr" fit "$folder/limits.region" "$folder/x_train.csv" "$folder/y_train.csv" -o "$folder/model" --json "$@" >"$folder.fit"
    "$hcr" predict "$folder/model" "$folder/x_test.csv" -o "$folder/predicted.csv"
    "$hcr" check --exact "$folder/limits.region" "$folder/predicted.csv" >"$folder.check" || inside=OUTSIDE
    echo "$id: $inside: $(tail -1 "$folder.check")"
}
export -f one
export hcr series out

SECONDS=0
"$hcr" windows "$series" --list | OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 \
    xargs -P 2 -I{} bash -ec 'one "$@"' one {} "$@" | tee "$out/results.txt"
echo "$(grep -c ': inside: ' "$out/results.txt") of $("$hcr" windows "$series" --list | wc -l) series with every prediction inside," \
    "$(awk '{ inside += $3; rows += $5 } END { print inside " of " rows }' "$out/results.txt") predictions, $SECONDS s"
