#!/bin/bash
# Region texts on which other libraries went wrong: what is accepted, what is refused and with which lines.
. "$(dirname "$0")/harness.bash"

# accepted TEXT…, refused PATTERN TEXT…: each as a region file r.region.
accepted() {
    local text
    for text in "$@"; do
        printf "$text" >r.region
        expect 0 explain --json r.region
        [ "$code" -eq 0 ] || printf '%s\n' "$text"
    done
}
refused() {
    local pattern=$1 text
    shift
    for text in "$@"; do
        printf "$text" >r.region
        expect 3 explain r.region
        says "$messages" "$pattern"
        expect 3 compile r.region
        absent r.hcr
    done
}

# C10, C11: unbounded, with the way out; allowed where the text says so, with an origin of a sensible size.
refused 'unbounded: nothing stops the direction' 'var y[2]\ny[0] >= 0' 'var y[3]\ny >= 0' \
    'var y[2]\ny[1] >= square(y[0])' 'var y[2]'
refused 'such as load\["north", 1\] <= 1e6' 'var load[["north", "south"], 2]\nload >= 0\nload["south", :] <= 5'
says "$messages" 'unbounded'
for text in 'var y[2]\ny[0] >= 0' 'var y[3]\ny >= 0' 'var y[2]\ny[1] >= square(y[0])' 'var y[2]'; do
    accepted "$text\nunbounded"
    says "$output" '"bounded": false'
    python3 -c '
import json, sys
sys.exit(max(abs(x) for x in json.load(sys.stdin)["origin"]) > 1e3)' <<<"$output" || fail "the origin is far away" "$text" "$output"
done
# C12: empty by an ulp or plainly.
refused 'r.region:3' 'var y\ny <= 1\ny >= 1.0000000000000002' 'var y\ny <= 0\ny >= 1e-4' 'var y\ny <= 0\ny >= 1e-9'
refused 'empty' 'var y[2]\ny[0] + 2 * y[1] == 2\ny[0] >= 1\ny[1] >= 2' 'var y[2]\ny >= 1\ny <= 0'
accepted 'var y\ny <= 1e-4\ny >= 0'
# C15: dependent equalities, in any number of copies; contradictions.
for rows in 'x + y == 2' 'x + y == 2\nx + y == 2' 'x + y == 2\nx + y == 2\nx + y == 2' \
    'x + y == 2\n2 * x + 2 * y == 4\n3 * x + 3 * y == 6' 'x + y == 2\n3 * x + 3 * y == 6\n4 * x + 4 * y == 8' \
    'x + y == 2\n2 * x + 2 * y == 4 + 1e-13' 'x + y <= 2\nx + y >= 2' 'abs(x + y - 2) <= 0'; do
    accepted "var x, y\n-10 <= x <= 10\n-10 <= y <= 10\n$rows"
    says "$output" '"free_outputs": 1,'
    says "$output" '"origin": \[1, 1\]|"origin": \[(1.0000000000|0.9999999999)'
done
refused 'r.region:4' 'var x, y\n-10 <= x <= 10\nx + y == 2\nx + y == 2.0001'
# C16: rows of zeros.
for row in '0 * y <= 0' '0 * y <= 1' '0 * y <= 4e-8' '0 * y == 0' 'quad_form(y, zeros(2, 2)) <= 1' \
    'psd(eye(2) + 0 * y[0])'; do
    accepted "var y[2]\n-1 <= y <= 1\n$row"
    says "$output" '"inradius": 1,'
done
refused 'r.region:3:' 'var y[2]\n-1 <= y <= 1\n0 * y <= -1' 'var y[2]\n-1 <= y <= 1\n0 * y == 1' \
    'var y[2]\n-1 <= y <= 1\npsd(-eye(2) + 0 * y[0])'
# C17: one kind alone; everything fixed.
accepted 'var y[3]\nsum(y) == 1\nunbounded' 'var y[2]\nnorm(y) <= 1' 'var y[3]\nnorm(y[:2]) <= y[2]\nunbounded' \
    'var y\npsd([[1, y, 0], [y, 1, y], [0, y, 1]])' 'var y[2]\nlog_sum_exp(y) <= 1\nunbounded' 'var y[2]\ny == [1, 2]'
says "$output" '"origin": \[1, 2\]'
# C19: bounds that stand for none.
accepted 'var y[2]\n[-1, -1e8] <= y <= [1e8, 1]'
says "$output" '"warnings": \["y\[0\] is bounded by 1e\+08: if that stands for no bound, write inf'
accepted 'var y[2]\n[-1, -inf] <= y <= [inf, 1]\nunbounded' 'var y[2]\n[-1, -1e30] <= y <= [1e30, 1]\nunbounded'
says "$output" '"warnings": \[\]'
# C21: centres, and origins on the frontier or outside.
accepted 'var y[2]\n0 <= y <= [10, 1]'
says "$output" '"inradius": 0.5,'
refused 'y\[0\] <= 1' 'var y[2]\n-1 <= y <= 1\norigin = [2, 0]' 'var y[2]\n-1 <= y <= 1\norigin = [1, 0]'
# C22: a single point.
accepted 'var y[2]\ny <= 0\nsum(y) >= 0'
says "$output" '"origin": \[0, 0\]'
refused 'no interior' 'var y[2]\nsum_squares(y) <= 0' 'var y[2]\nnorm(y) <= 0'
# C23: semidefinite and singular, at any scale; indefinite.
accepted 'var y[3]\n-9 <= y <= 9\nquad_form(y, [[4, -4, 0], [-4, 8, -4], [0, -4, 4]]) <= 1' \
    'var y[3]\n-9 <= y <= 9\nquad_form(y, 1e-12 * [[4, -4, 0], [-4, 8, -4], [0, -4, 4]]) <= 1'
refused 'most negative eigenvalue is -0.001' 'var y[2]\nquad_form(y, diag([1, -1e-3])) <= 1'
# C25: no ½, and inequalities point where they are written.
printf 'd:y[0],d:y[1],r\n1,0,1\n' >polar.csv
printf 'var y[2]\nquad_form(y, eye(2)) <= 1\norigin = [0, 0]' >r.region
expect 0 decode r.region polar.csv -o y.csv
python3 -c '
import csv
row = list(csv.reader(open("y.csv")))[1]
assert abs(float(row[0]) - 1) < 1e-12 and abs(float(row[1])) < 1e-12' || fail "quad_form has a factor" "$(cat y.csv)"
# C27: matrices that aren't symmetric; dead and nearly singular blocks.
refused 'r.region:2:5: .*symmetric' 'var y\npsd([[1, 2 * y], [0, 1]])'
accepted 'var y[2]\npsd([[1, y[0]], [y[0], 1]])\n-1 <= y[1] <= 1\npsd([[1 + y[1], 0], [0, 0]])\npsd(diag([1 + y[1], 1e-14]))'
says "$output" '"lower": \[-1(.0000[0-9]*)?, -1\]'
finish
