#!/bin/bash
# Files that someone changed, digests made anew, and names that would be commands: D51, D06.
. "$(dirname "$0")/harness.bash"

cat >sign.py <<'END'
"""sign.py FILE OLD NEW OUT: a compiled region with the bytes OLD replaced by as many of NEW, its checksum made anew.
Lengths of strings are part of OLD and NEW where they change."""
import struct, sys
path, old, new, out = sys.argv[1:]
old, new = (text.encode().decode("unicode_escape").encode("latin-1") for text in (old, new))
data = open(path, "rb").read()
assert old in data, old
payload = data[20:-8].replace(old, new)
data = data[:12] + struct.pack("<Q", len(payload)) + payload
digest = 0xCBF29CE484222325
for byte in data:
    digest = (digest ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
open(out, "wb").write(data + struct.pack("<Q", digest))
END
long() { printf '\\x%02x\\0\\0\\0\\0\\0\\0\\0' "$1"; }

cat >r.region <<'END'
var abcd[2], e
0 <= abcd <= 4
norm(abcd) <= 3   # SOURCE OF IT ALL
0 <= e <= 1
END
expect 0 compile r.region -o r.hcr
printf 'abcd[0],abcd[1],e\n1,1,0\n9,9,9\n' >y.csv

# Names that gnuplot, a shell, JSON, C or CSV would read as theirs: none is a name.
for name in 'y"\nsystem "touch X"\n' "y'\\nsystem 'touch X'\\n" 'a b' '$(touch X)' '`touch X`' '9x' '' 'a,b' '*/ x' '\x1b[2J' '\xff' 'e' 'a\0b'; do
    bytes=$(printf %b "${name//\\0/Z}" | wc -c)
    python3 sign.py r.hcr "$(long 4)abcd" "$(long "$bytes")$name" forged.hcr
    expect 3 explain forged.hcr
    says "$messages" '^hcr: forged.hcr: the '
    [ "$name" = a,b ] || continue
    for command in "plot forged.hcr -o p.svg" "explain forged.hcr --json" "check forged.hcr y.csv" \
        "export c forged.hcr -o code" "contract forged.hcr y.csv" "project forged.hcr y.csv"; do
        expect 3 $command
        says "$messages" '^hcr: forged.hcr: the '
        same "nothing is printed" "" "$output"
    done
done

# What a file says of its lines is shown, without what a terminal would do.
python3 sign.py r.hcr 'SOURCE OF IT ALL' '\x1b]0;x\x07\xe2\x80\xae\xff"\\<b>\r' forged.hcr
expect 0 explain forged.hcr
says "$output" 'norm\(abcd\) <= 3   # \\x1b]0;x\\x07\\u202e\\xff"\\<b>\\x0d$'
! grep -q $'\x1b' <<<"$output" || fail "an escape reaches the terminal"
expect 0 explain forged.hcr --json
python3 -c 'import json, sys; json.loads(open(sys.argv[1], "rb").read().decode())' .output || fail "JSON isn't UTF-8 or isn't JSON"
expect 1 check forged.hcr y.csv --json
python3 -c 'import json, sys; json.loads(open(sys.argv[1], "rb").read().decode())' .output || fail "JSON isn't UTF-8 or isn't JSON"
expect 1 check forged.hcr y.csv
! grep -q $'\x1b' <<<"$output" || fail "an escape reaches the terminal"

# D06: names of files that aren't UTF-8, or would be commands of a terminal or a comment's end.
for file in $'caf\xe9' $'a\x1b]0;x\x07' $'\xe2\x80\xaea' 'a`b *_ c'; do
    cp r.region "$file.region"
    expect 0 explain "$file.region" --json
    python3 -c 'import json, sys; json.loads(open(sys.argv[1], "rb").read().decode())' .output || fail "JSON isn't UTF-8 or isn't JSON"
    expect 0 compile "$file.region" -o "$file.hcr"
    ! grep -q $'\x1b' <<<"$output" || fail "an escape reaches the terminal"
    expect 0 export c "$file.hcr" -o "code$file" --name it --json
    python3 -c 'import json, sys; json.loads(open(sys.argv[1], "rb").read().decode())' .output || fail "JSON isn't UTF-8 or isn't JSON"
    ! grep -q $'[\x1b\xe9]' "code$file/README.md" "code$file/it.c" || fail "a name is written as it is"
    rm -rf "code$file"
    expect 4 explain "none$file"
    ! grep -q $'\x1b' <<<"$messages" || fail "an escape reaches the terminal"
done
# D70: models with numbers that can't be, without a digest; and D65: files that are something else.
printf 'a,b\n1,2\n3,4\n0,1\n2,2\n' >x.csv
printf 'abcd[0],abcd[1],e\n1,1,0.5\n1,0.5,0.5\n0.5,1,0.5\n1,1,0.4\n' >t.csv
expect 0 fit r.region x.csv t.csv -o model --hidden 2 --epochs 1 --quiet
cat >edit.py <<'END'
"""edit.py KEY VALUE: the model without a digest, its metadata changed: the header keeps its length."""
import json, struct, sys
data = open("model", "rb").read()
length = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8 : 8 + length])
del header["__metadata__"]["digest"]
header["__metadata__"][sys.argv[1]] = sys.argv[2]
text = json.dumps(header, separators=(",", ":")).encode().ljust(length)
assert len(text) == length
open("edited", "wb").write(data[:8] + text + data[8 + length :])
END
python3 edit.py seed 1
expect 0 predict edited x.csv -o out.csv
for change in 'rate -1' 'rate 1e999' 'rate nan' 'rate_decay 0' 'validation 7' 'clip -3' 'hidden 0' 'hidden 3' 'hidden 99999999999999999999' \
    'hidden 18446744073709551615' 'encoder none' 'head none' 'version 99' 'outputs ["e"]' 'inputs []' \
    'inputs ["a"]' 'format x' 'radius_weight -2'; do
    python3 edit.py "${change% *}" "${change#* }"
    expect 3 predict edited x.csv -o out.csv
    says "$messages" '^hcr: edited: '
    expect 3 export c edited -o code
    says "$messages" '^hcr: edited: '
done
for command in explain check plot contract project encode decode compile; do
    arguments=
    case $command in check | contract | project | encode | decode) arguments=t.csv ;; compile) arguments="-o out.hcr" ;; esac
    expect 3 $command model $arguments
    says "$messages" '^hcr: model: this is a model, where a region'
done
expect 3 fit model x.csv t.csv -o m2
says "$messages" '^hcr: model: this is a model, where a region'
expect 3 predict r.hcr x.csv -o out.csv
says "$messages" '^hcr: r.hcr: this is a compiled region, no model'
expect 3 predict r.region x.csv -o out.csv
says "$messages" '^hcr: r.region: this is a text, no model'
finish
