# What the tests of the command share. They are given the command and the source folder, work in a folder of their own, and fail at
# the end when an expectation did.
set -u
hcr=$1
source=$2
regions=$source/examples
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export LC_ALL=C TERM=dumb
unset NO_COLOR
failures=0

fail() {
    failures=$((failures + 1))
    printf 'FAILED (%s:%s): %s\n' "${BASH_SOURCE[-1]##*/}" "${BASH_LINENO[-2]}" "$1"
    shift
    [ $# -eq 0 ] || printf '%s\n' "$@"
}

# run ARGUMENTS…: the command, its output in $output, its messages in $messages, its exit code in $code.
run() {
    code=0
    "$hcr" "$@" >"$folder/.output" 2>"$folder/.messages" || code=$?
    output=$(cat "$folder/.output")
    messages=$(cat "$folder/.messages")
}

# expect CODE ARGUMENTS…: runs the command, which must exit with CODE.
expect() {
    local wanted=$1
    shift
    run "$@"
    [ "$code" -eq "$wanted" ] || fail "hcr $* exited with $code, not $wanted" "$output" "$messages"
}

# same WHAT WANTED GOT
same() { [ "$2" = "$3" ] || fail "$1" "wanted: $2" "got:    $3"; }

# says TEXT PATTERN: a line of the text matches the (extended) pattern.
says() { grep -Eq -- "$2" <<<"$1" || fail "nothing says \"$2\" in:" "$1"; }

# close TOLERANCE A B: the numbers of two CSV files agree (their headers aside), absolutely and relatively to what is above 1.
close() {
    awk -F, -v tolerance="$1" '
        FNR == 1 { file++; lines[file] = 0; next }
        { lines[file]++ }
        file == 1 { wanted[FNR] = $0; next }
        { n = split(wanted[FNR], w)
          if (n != NF) bad = 1
          for (i = 1; i <= NF; i++) {
              size = w[i] < 0 ? -w[i] : +w[i]; miss = w[i] - $i
              if (size < 1) size = 1
              if (!((miss < 0 ? -miss : miss) <= tolerance * size)) bad = 1 } }
        END { exit bad || lines[1] != lines[2] || lines[1] == 0 }' "$2" "$3" || fail "$2 and $3 differ" "$(head -3 "$2" "$3")"
}

exists() { [ -e "$1" ] || fail "$1 isn't there"; }
absent() { [ ! -e "$1" ] || fail "$1 is there"; }

finish() {
    [ "$failures" -eq 0 ] && exit 0
    echo "$failures failed"
    exit 1
}
