#!/bin/bash
# No room for what is to be written, and folders that may not be written to: exit code 4, one message, the older file whole and
# nothing left behind.
. "$(dirname "$0")/../cli/harness.bash"
export OMP_NUM_THREADS=1

awk 'BEGIN { srand(3); for (i = 0; i < 400; i++) { for (j = 0; j < 48; j++) printf "%s%.6f", j ? "," : "", 440 + 10 * rand(); print "" } }' >x.csv
awk 'BEGIN { printf "id"; for (t = 0; t < 300; t++) printf ",V%d", t; printf "\nS"; for (t = 0; t < 300; t++) printf ",%.4f", 9 * sin(t); print "" }' >series.csv
"$hcr" fit "$regions/load.region" x.csv x.csv --hidden 64 --head hcr-contract --epochs 1 --quiet -o model
commands=(
    "compile $regions/load.region -o"
    "contract $regions/load.region x.csv -o"
    "project $regions/load.region x.csv -o"
    "predict model x.csv -o"
    "fit $regions/load.region x.csv x.csv --hidden 64 --head hcr-contract --epochs 1 --quiet -o"
)

# in_vain FOLDER WHY COMMAND…: what is written into FOLDER fails, because of WHY.
in_vain() {
    local folder=$1 why=$2 code=0
    shift 2
    echo old >"$folder/out" 2>/dev/null
    before=$(ls "$folder")
    "$@" "$folder/out" >/dev/null 2>messages || code=$?
    same "$*: exit code" 4 "$code"
    same "$*: one message" 1 "$(wc -l <messages)"
    says "$(cat messages)" "$why"
    same "$*: the folder" "$before" "$(ls "$folder")"
    [ ! -e "$folder/out" ] || same "$*: the older file" old "$(cat "$folder/out")"
}

# A limit of one block of 1 KiB for each file; the signal that goes with it is ignored, as many servers do …
mkdir small
limited() { (
    trap '' XFSZ
    ulimit -f 1
    exec "$hcr" "$@"
); }
for command in "${commands[@]}"; do
    in_vain small 'File too large|is the disk full' limited $command
done
# … or not: then the process ends, and the older file is still whole.
echo old >small/out
(
    ulimit -f 1
    "$hcr" contract "$regions/load.region" x.csv -o small/out
    exit $?
) >/dev/null 2>&1
[ $? -ne 0 ] || fail "a file beyond the limit"
same "after SIGXFSZ" old "$(cat small/out)"
mkdir small/windows
(
    trap '' XFSZ
    ulimit -f 1
    exec "$hcr" windows series.csv --id S --input 24 --output 12 -o small/windows/s
) >/dev/null 2>messages
same "windows, without room" 4 $?

# A file system of 16 KiB, where one may be mounted.
mkdir tiny
if mount -t tmpfs -o size=16k tmpfs tiny 2>/dev/null; then
    trap 'umount "$folder/tiny"; rm -rf "$folder"' EXIT
    dd if=/dev/zero of=tiny/ballast bs=1k count=8 2>/dev/null
    for command in "${commands[@]}"; do
        in_vain tiny 'No space left on device|is the disk full' "$hcr" $command
    done
else
    echo "no file system can be mounted here: that part is left out"
fi

# A folder that may not be written to; root may everywhere, so it steps down.
mkdir closed && chmod 555 closed && chmod 755 . && as=
[ "$(id -u)" -ne 0 ] || as='setpriv --reuid=65534 --regid=65534 --clear-groups'
if $as "$hcr" --version >/dev/null 2>&1 && $as test -r "$regions/load.region"; then
    for command in "${commands[@]}"; do
        in_vain closed 'Permission denied' $as "$hcr" $command
    done
    $as "$hcr" windows series.csv --id S --input 24 --output 12 -o closed/s >/dev/null 2>messages
    same "windows, into a closed folder" 4 $?
    absent closed/s
fi

# Files that may not be read.
echo 1,2 >secret.csv && chmod 000 secret.csv
if ! $as test -r secret.csv; then
    for operands in "check $regions/disc.region secret.csv" "explain secret.csv" "predict secret.csv x.csv"; do
        $as "$hcr" $operands >/dev/null 2>messages
        same "$operands" 4 $?
        says "$(cat messages)" 'Permission denied'
    done
fi

# Readers that leave early.
for operands in "contract $regions/load.region x.csv" "predict model x.csv" "explain $regions/load.region" "fit --help"; do
    "$hcr" $operands 2>messages | head -c 10 >/dev/null
    case ${PIPESTATUS[0]} in 0 | 4 | 141) ;; *) fail "$operands: a closed pipe" "$(cat messages)" ;; esac
done
# No standard output, or no standard input, at all.
"$hcr" contract "$regions/load.region" x.csv >&- 2>messages
same "standard output is closed" 4 $?
"$hcr" contract "$regions/load.region" - <&- >/dev/null 2>messages
same "standard input is closed" 4 $?
finish
