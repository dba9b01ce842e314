#!/bin/bash
# Tables as pandas and R write them, streams, and files that are there whole or not at all.
. "$(dirname "$0")/harness.bash"
disc=$regions/disc.region

wanted=$'y[0],y[1]\n0.5,0\n0,0.25'
for text in '0.5,0\n0,0.25\n' '0.5,0\n0,0.25' '0.5;0\n0;0.25\n' '0.5\t0\n0\t0.25\n' '"y[0]","y[1]"\r\n0.5,0\r\n0,0.25\r\n' \
    '\xef\xbb\xbfy[0],y[1]\n0.5,0\n0,0.25\n' 'y[1],y[0]\n0,0.5\n0.25,0\n' '"","y[0]","y[1]"\n"1",0.5,0\n"2",0,0.25\n' \
    '"y[0]","y[1]"\n"1",0.5,0\n"2",0,0.25\n' 'y[0],junk,y[1]\n5e-1,9,-0.0\n+0,9,.25\n'; do
    printf "$text" >in.csv
    expect 0 contract "$disc" in.csv
    same "$text" "$wanted" "${output//-0/0}"
    expect 0 contract "$disc" - <in.csv
    same "$text on standard input" "$wanted" "${output//-0/0}"
done

# Words that nobody asked for stand beside the results, in files of several parts too; X's are no inputs.
printf 'day,y[0],n,y[1],who\n2024-01-01,.5,7,0,"a, ""b"""\n2024-01-02,0,8,.25,\n' >words.csv
expect 0 contract "$disc" words.csv -o out.csv
same "words beside results" $'day,who,y[0],y[1]\n2024-01-01,"a, ""b""",0.5,0\n2024-01-02,,0,0.25' "$(cat out.csv)"
expect 0 check "$disc" out.csv
expect 0 contract "$disc" words.csv -o out.npy
(echo 'day,y[0],y[1]' && seq -f 'd%.0f,0.5,0.25' 200000) >words.csv
expect 0 contract "$disc" words.csv -o out.csv
same "words in parts" "$(cksum <words.csv)" "$(cksum <out.csv)"
printf 'day,a\nmonday,1\ntuesday,2\nsunday,4\n' >words.csv
printf 'y[0],y[1]\n.5,0\n0,.25\n0,.1\n' >in.csv
expect 0 fit "$disc" words.csv in.csv -o words.model --epochs 1
says "$messages" 'the column "day" of X has words: it is no input'
expect 0 predict words.model words.csv
says "$output" '^sunday,[0-9.-]+,[0-9.-]+$'
rm out.csv
printf 'y[0],y[1]\n0.5,0\n0,0.25\n' >in.csv

# C32: missing values are refused with their place, never read as 0.
for cell in '' nan NaN NA inf - abc; do
    printf 'y[0],y[1]\n0.5,0\n%s,0.25\n' "$cell" >bad.csv
    expect 3 contract "$disc" bad.csv -o out.csv
    says "$messages" '^hcr: bad.csv:3'
    absent out.csv
done
printf 'y[0],y[1]\n0.5,\n' >bad.csv
expect 3 contract "$disc" bad.csv
printf 'y[0],y[1]\n0.5,' >bad.csv
expect 3 contract "$disc" bad.csv
printf 'y[0],y[1]\n0.5,0\n0.5,0,0\n' >bad.csv
expect 3 contract "$disc" bad.csv
printf 'y[0]\n0.5\n' >bad.csv
expect 3 contract "$disc" bad.csv
says "$messages" 'y\[1\]'
printf '0.5,0,1\n' >bad.csv
expect 3 contract "$disc" bad.csv

# A table of no rows gives one of no rows.
printf 'y[0],y[1]\n' >none.csv
expect 0 contract "$disc" none.csv
same "no rows" "y[0],y[1]" "$output"

# Files: what can't be written is reported, and leaves nothing behind; an older file stays whole.
printf '0.5,0\n' >in.csv
expect 4 contract "$disc" nowhere.csv
expect 4 contract "$disc" in.csv -o nowhere/out.csv
expect 4 contract "$disc" in.csv -o in.csv/out.csv
[ -e /dev/full ] && {
    "$hcr" contract "$disc" in.csv >/dev/full 2>messages
    same "a full device" 4 $?
    same "one message" 1 "$(wc -l <messages)"
    "$hcr" check "$disc" in.csv >/dev/full 2>messages
    same "a full device" 4 $?
}
expect 0 contract "$disc" in.csv -o out.csv
printf 'y[0],y[1]\n0.5,x\n' >bad.csv
expect 3 contract "$disc" bad.csv -o out.csv
same "the older file" $'y[0],y[1]\n0.5,0' "$(cat out.csv)"
same "no temporary files" "" "$(find . -name '*csv.?*')"
# A folder that may not be written to; root may everywhere, so it steps down.
mkdir closed && chmod 555 closed && chmod 755 . && as=
[ "$(id -u)" -ne 0 ] || as='setpriv --reuid=65534 --regid=65534 --clear-groups'
if $as "$hcr" --version >/dev/null 2>&1 && $as test -r "$disc"; then
    $as "$hcr" contract "$disc" in.csv -o closed/out.csv 2>messages
    same "a folder that is read-only" 4 $?
    says "$(cat messages)" "can't write \"closed/out.csv\": Permission denied"
fi

# A reader that leaves: no message, no endless work.
yes 0.5,0.1 | head -20000 >long.csv
"$hcr" contract "$disc" long.csv 2>messages | head -1 >/dev/null
case ${PIPESTATUS[0]} in 0 | 4 | 141) ;; *) fail "a closed pipe" "$(cat messages)" ;; esac
finish
