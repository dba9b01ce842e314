#!/bin/bash
# D68: under a limit on the address space the command does its work, or says that there isn't enough memory: it neither hangs nor
# crashes, whatever the limit is, and a signal ends it.
. "$(dirname "$0")/../cli/harness.bash"
unset OPENBLAS_NUM_THREADS OMP_NUM_THREADS
(ulimit -v 800000; "$hcr" --version) >/dev/null 2>&1 || { echo "this build doesn't start within 800 MB"; exit 77; }

printf 'var y[3]\nnorm(y) <= 1\nsum(y) == 0.25\n' >flat.region
printf 'var y[3]\n-2 <= y <= 2\nlog_sum_exp(y) <= 2\nnorm(y, 3) <= 2\nquad_form(y, [[2, 1, 0], [1, 2, 0], [0, 0, 1]]) <= 3\n' >curved.region
printf 'var y[2]\nparam s in [0, 1]\nnorm(y) <= 1\n4 * square(y[0]) + square(y[1]) <= 2\ny[0] <= s + 0.5\n' >moving.region
printf 'y[0],y[1],y[2]\n1,2,3\n-3,1,0.5\n0.1,0,0\n-1,0.25,2\n' >y.csv
run compile flat.region -o flat.hcr
run fit flat.region y.csv y.csv --epochs 2 --hidden 4 --quiet -o whole.model

# within KILOBYTES ARGUMENTS…: exits with 0, 1, or 5 and a reason; where not even the libraries can be loaded, with 127.
within() {
    local limit=$1
    shift
    code=0
    (ulimit -v "$limit"; exec timeout -s KILL 60 "$hcr" "$@") >.output 2>.messages || code=$?
    case $code in
    0 | 1) done=$((done + 1)) ;;
    5) grep -q "memory" .messages || fail "hcr $* within $limit kB exits with 5 and says" "$(cat .messages)" ;;
    127) ;;
    *) fail "hcr $* within $limit kB exits with $code" "$(tail -3 .messages)" ;;
    esac
}

for command in "explain flat.region" "explain curved.region" "explain moving.region" "explain flat.hcr" "project flat.region y.csv" \
    "project curved.region y.csv" "contract flat.hcr y.csv" "predict whole.model y.csv" \
    "fit flat.region y.csv y.csv --epochs 2 --hidden 4 --quiet -o a.model"; do
    done=0
    for limit in 60000 90000 100000 110000 130000 150000 180000 220000 250000 260000 270000 280000 300000 400000 800000; do
        # shellcheck disable=SC2086 # words of a command
        within $limit $command
    done
    [ $done -ge 1 ] || fail "hcr $command is done within none of the limits"
done
finish
