#!/bin/bash
# Processes that end at any moment, by kill -9, SIGTERM or SIGINT: what they were to write is as it was before or whole, and training
# goes on from its checkpoint to the bits of an unbroken run. HCR_LONG in the environment: ten times the rounds.
. "$(dirname "$0")/../cli/harness.bash"
export OMP_NUM_THREADS=1
rounds=${HCR_LONG:+60}
rounds=${rounds:-6}
RANDOM=7

awk 'BEGIN { srand(3); for (i = 0; i < 3000; i++) { for (j = 0; j < 48; j++) printf "%s%.6f", j ? "," : "", 440 + 10 * rand(); print "" } }' >x.csv
head -300 x.csv >few.csv

# How long an undisturbed run takes, in milliseconds.
milliseconds() {
    local before
    before=$(date +%s%N)
    "$@" >/dev/null 2>&1
    echo $((($(date +%s%N) - before) / 1000000 + 1))
}

# ends_after MILLISECONDS SIGNAL ARGUMENTS…: the command, ended by the signal if it still runs then; the shell's own notice is kept quiet.
ends_after() {
    (
        timeout -s "$2" "$(printf '0.%03d' "$1")" "$hcr" "${@:3}" >/dev/null
        exit $?
    ) 2>/dev/null
}

# disturbed OUT COMMAND…: ends the command at random moments; OUT must stay "old" or be what an undisturbed run writes.
disturbed() {
    local out=$1 cut=0 span signals=(KILL TERM INT)
    shift
    rm -f "$out"
    span=$(milliseconds "$hcr" "$@")
    mv "$out" whole
    for ((round = 0; round < rounds || (cut == 0 && round < 10 * rounds); round++)); do
        echo old >"$out"
        local within=$((span >> round / rounds)) # sooner, when none was cut: the first run may have been slow
        ends_after "$((1 + RANDOM % (within > 990 ? 990 : within + 1)))" "${signals[round % 3]}" "$@"
        rm -f "$out".checkpoint
        [ "${signals[round % 3]}" = KILL ] || ! ls "$out".?* >/dev/null 2>&1 || fail "$1 left a part of $out behind"
        rm -f "$out".?* # what a killed process couldn't take away
        cp "$out" seen   # a process that is being killed may still be renaming its file
        if cmp -s seen whole; then
            continue
        elif [ "$(cat seen)" = old ]; then
            cut=$((cut + 1))
        else
            fail "$1 was ended, and $out is neither the old file nor the whole new one"
        fi
    done
    rm -f whole seen
    [ "$cut" -gt 0 ] || fail "$1: none of $round rounds was cut short"
}
disturbed region.hcr compile "$regions/load.region" -o region.hcr
"$hcr" fit "$regions/load.region" few.csv few.csv --hidden 64 --head hcr-contract --epochs 1 --quiet -o model
disturbed y.csv predict model x.csv -o y.csv
disturbed y.npy contract "$regions/load.region" x.csv -o y.npy
printf 'Subject To\n sum: x + y <= 4\nBounds\n x <= 3\n y <= 3\nEnd\n' >sum.lp
disturbed sum.hcr import sum.lp -o sum.hcr
! command -v gnuplot >/dev/null || disturbed picture.svg plot "$regions/load.region" -o picture.svg
disturbed fitted fit "$regions/load.region" few.csv few.csv --hidden 8 --epochs 2 --quiet -o fitted

# A fit that is killed again and again ends as one that never was.
fit=(fit "$regions/load.region" few.csv few.csv --encoder lstm --hidden 8 --head hcr-contract --seed 9 --epochs 40 --quiet)
span=$(milliseconds "$hcr" "${fit[@]}" -o unbroken)
kills=0
for ((round = 0; round < rounds; round++)); do
    ends_after $((20 + RANDOM % (span / 8 > 900 ? 900 : span / 8 + 1))) KILL "${fit[@]}" --resume -o broken
    [ $? -eq 137 ] || break
    kills=$((kills + 1))
    [ ! -e broken ] || break # the model was saved already
done
cmp -s broken unbroken || absent broken
expect 0 "${fit[@]}" --resume -o broken
[ "$kills" -gt 0 ] || fail "the fit was never killed"
cmp -s broken unbroken || fail "a fit that was killed $kills times gives another model"
absent broken.checkpoint
echo "$kills kills of one fit"
finish
