#!/bin/bash
# Inputs of every format cut anywhere: refused with a message, or whole rows are left (CSV and region text have no end mark); never a
# crash, and no output then.
. "$(dirname "$0")/../cli/harness.bash"
export OMP_NUM_THREADS=1

printf 'y[0],y[1]\n0.1,0.2\n0.3,0.1\n-0.2,0.4\n0.5,0.5\n' >y.csv
printf 'a,b\n1,2\n3,4\n0,1\n2,2\n' >x.csv
"$hcr" compile "$regions/disc.region" -o disc.hcr >/dev/null
"$hcr" fit disc.hcr x.csv y.csv --hidden 2 --epochs 2 --quiet -o model
"$hcr" contract disc.hcr y.csv -o y.npy
python3 - <<'END' || exit 1
import zipfile
with zipfile.ZipFile("y.npz", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.write("y.npy")
END

# cut FILE STATUSES COMMAND…: the command on FILE cut to about twenty lengths; "cut" stands for it.
cut_everywhere() {
    local file=$1 codes=$2 size step
    size=$(stat -c %s "$1")
    shift 2
    step=$((size / 20 + 1))
    for ((length = 0; length < size; length += step)); do
        head -c "$length" "$file" >cut"${file#"${file%.*}"}"
        rm -f out
        run "$@"
        [[ $code =~ ^($codes)$ ]] || fail "$file cut to $length of $size bytes: $* exits with $code" "$messages"
        [ "$code" -eq 0 ] || [ "$code" -eq 1 ] || [ -n "$messages" ] || fail "$file cut to $length: no message"
        [ "$code" -eq 0 ] || [ "$code" -eq 1 ] || absent out
    done
}
cut_everywhere disc.hcr 3 contract cut.hcr y.csv -o out
cut_everywhere y.npy 3 contract disc.hcr cut.npy -o out
cut_everywhere y.npz 3 contract disc.hcr cut.npz -o out
cut_everywhere y.csv '0|1|3' contract disc.hcr cut.csv -o out
cp model model.bin
cut_everywhere model.bin 3 predict cut.bin x.csv -o out
cp "$regions/balance.region" text.region
cut_everywhere text.region '0|3' compile cut.region -o out

# A checkpoint that is cut is refused, not begun again without a word.
timeout -s KILL 60 "$hcr" fit disc.hcr x.csv y.csv --hidden 2 --epochs 100000000 --quiet -o again >/dev/null 2>&1 &
while [ ! -s again.checkpoint ] && kill -0 $!; do sleep 0.05; done
kill -KILL $(pgrep -P $!) 2>/dev/null
wait 2>/dev/null
cp again.checkpoint whole.bin
for length in 0 7 100 $(($(stat -c %s whole.bin) - 1)); do
    head -c "$length" whole.bin >again.checkpoint
    expect 3 fit disc.hcr x.csv y.csv --hidden 2 --epochs 100000000 --quiet --resume -o again
    says "$messages" 'again.checkpoint'
    absent again
done
finish
