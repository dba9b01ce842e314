#!/bin/bash
# Pictures of regions: what is in them, as far as a text can tell, and what is refused.
. "$(dirname "$0")/harness.bash"
command -v gnuplot >/dev/null || exit 77

is_png() { [ "$(head -c 8 "$1" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "$1 is no PNG"; }

cat >house.region <<'END'
var x, y
0 <= x <= 4
0 <= y
y <= 3 + 0.5*x
y <= 5 - 0.5*x
END
expect 0 plot house.region
same "what was written" "house.png" "$output"
same "no warnings" "" "$messages"
is_png house.png
expect 0 plot house.region -o house.svg --title 'A house: $(id) `id` "quoted" '"'single'"' & <b>'
grep -q 'A house: $(id) `id`' house.svg || fail "the title isn't in the picture"
! grep -q 'uid=' house.svg || fail "the title was run"
for name in '>x<' '>y<' 'origin'; do
    grep -q "$name" house.svg || fail "$name isn't in the picture"
done

# A fake gnuplot shows the script: corners are as sharp as they are, points are separated by exact check.
mkdir bin
printf '#!/bin/sh\ncat >"$SCRIPT"\n' >bin/gnuplot
chmod +x bin/gnuplot
script() {
    expect 0 plot -o picture.svg "$@"
}
export SCRIPT=$folder/script
real=$PATH
PATH=$folder/bin:$PATH
block() { sed -n "/^\$$1 << END/,/^END/p" script | sed '1d;$d'; }
printf 'x,y\n1,1\n2,4\n2,4.0000000000000009\n-0.3,1\n0,0\n' >points.csv
script house.region --points points.csv
same "inside" "1 1
2 4
0 0" "$(block inside)"
same "outside" "2 4
-0.3 1" "$(block outside)"
grep -q "title 'inside (3)'" script || fail "the key doesn't count the points inside"
for corner in '0 0' '4 0' '4 3' '2 4' '0 3'; do
    block frontier | awk -v x="${corner% *}" -v y="${corner#* }" '
        { d = ($1 - x) ^ 2 + ($2 - y) ^ 2; if (least == "" || d < least) least = d } END { exit !(least < 1e-6) }' ||
        fail "the frontier misses its corner $corner"
done
# Every point of the frontier is on it: twice the area is that of the house.
block region | awk '{ x[NR] = $1; y[NR] = $2 } END { for (i = 1; i <= NR; i++) { j = i % NR + 1; a += x[i] * y[j] - x[j] * y[i] }
    exit !((a - 28) ^ 2 < 1e-6) }' || fail "the region's area is wrong"
same "rays" 16 "$(block rays | grep -c . | awk '{ print $1 / 2 }')"
script house.region --rays 3
same "three rays" 3 "$(block rays | grep -c . | awk '{ print $1 / 2 }')"
# About another point the same frontier comes by bisection.
printf 'var x, y, z\n0 <= x <= 4\n0 <= y\ny <= 3 + 0.5*x\ny <= 5 - 0.5*x\n0 <= z <= 1 + x\n' >tent.region
script tent.region --axes x,y --at 1,1,1
block region | awk '{ x[NR] = $1; y[NR] = $2 } END { for (i = 1; i <= NR; i++) { j = i % NR + 1; a += x[i] * y[j] - x[j] * y[i] }
    exit !((a - 28) ^ 2 < 1e-6) }' || fail "the slice's area is wrong"
grep -q "a slice: the other outputs are those given" script || fail "the slice isn't named"
script tent.region --axes x,z --at y=1
script tent.region
grep -q '^splot ' script || fail "three outputs aren't drawn in three dimensions"

# Equalities: the other outputs go along.
printf 'var w[3]\nw >= 0\nsum(w) == 1\n' >simplex.region
script simplex.region
block region | awk '{ if ($1 < -1e-9 || $2 < -1e-9 || $1 + $2 > 1 + 1e-9) bad = 1 } END { exit bad }' || fail "out of the simplex"
grep -q "as the equalities demand" script || fail "the equalities aren't named"
expect 3 plot simplex.region --axes 'w[0],w[1],w[2]'
says "$messages" "the equalities leave no picture along these axes"
expect 3 plot simplex.region --at 0.5,0.2,0.2
says "$messages" "an equality doesn't hold"

# Unbounded: cut off, and reported.
printf 'var p, q\nunbounded\nq >= p ** 2\n' >bowl.region
script bowl.region
grep -q "it reaches to infinity and is cut off" script || fail "the cut isn't named"

# D66: a subtitle with many parameters isn't cut, but goes on in another line; equal neighbours are one item.
printf 'var x, y\nparam cap[24] in [1, 9]\n0 <= [x, y] <= cap[:2]\n' >many.region
script many.region --at 'cap[1]=1.5,cap[3]=2.5,cap[5]=3.5,cap[7]=4.5,cap[9]=5.5,cap[11]=6.5,cap[13]=7.5,cap[15]=8.5'
title=$(grep '^set title' script)
for item in 'cap\[0\] = 5, cap\[1\] = 1.5' 'cap\[15\] = 8.5' 'cap\[16\] … cap\[23\] = 5"'; do says "$title" "$item"; done
same "lines of the title" 3 "$(grep -o '\\n' <<<"$title" | grep -c .)"
# Whatever text is a string for gnuplot: D51.
script house.region --title "$(printf 'a"\nsystem "touch ran"\n`touch ran` @x \047 \\')"
same "the title as a string" 'set title "a\042?system \042touch ran\042?\140touch ran\140 \100x \047 \134" noenhanced' "$(grep '^set title' script)"

# A star domain: what is hidden is shown.
printf 'var x, y\n-2 <= x <= 2\n-2 <= y <= 2\nexcept norm([x - 1, y]) <= 0.5\norigin = [-1, 0]\n' >star.region
script star.region
grep -q "title 'hidden'" script || fail "what is hidden isn't shown"
block region | awk '$1 > 1.5 && $2 > -0.5 && $2 < 0.5 { bad = 1 } END { exit bad }' || fail "what is hidden is drawn as seen"
block shade | awk 'NF && ($1 - 1) ^ 2 + $2 ^ 2 < 0.49 ^ 2 { bad = 1 } END { exit bad || NR == 0 }' || fail "the hole is shaded"

# D66: predict --plot draws a line a variable with its name, between the limits of the row that is drawn.
cat >plan.region <<'END'
var load[3], price
param cap[3] in [1, 9]
0 <= load <= cap
0 <= price <= 4 - 0.2*cap[0]
END
awk 'BEGIN { print "a,cap[0],cap[1],cap[2]"; for (i = 0; i < 40; i++) print i % 7, 2 + i % 5, 3 + i % 4, 8 }' >plan_x.csv
awk 'BEGIN { print "load[0],load[1],load[2],price"; for (i = 0; i < 40; i++) print 1 "," 2 "," 3 "," 1 + i % 3 / 2 }' OFS=, >plan_y.csv
sed -i 's/ /,/g' plan_x.csv
expect 0 fit plan.region plan_x.csv plan_y.csv --hidden 4 --epochs 3 --quiet -o plan.model
expect 0 predict plan.model plan_x.csv -o plan_out.csv --plot picture.svg
tail -1 plan_out.csv | tr , '\n' >row
block line0 | cut -d' ' -f2 >drawn
block line3 | cut -d' ' -f2 >>drawn
paste row drawn | awk '{ if (($1 - $2) ^ 2 > 1e-20) bad = 1 } END { exit bad || NR != 4 }' || fail "another row is drawn"
# The last row has cap = 6, 6, 8. Limits are off by less than a width of the region in 1000, which is 9.
near() { block "$1" | cut -d' ' -f2 | tr '\n' ' ' | awk -v wanted="$2" '
    { n = split(wanted, w, " "); if (NF != n) exit 1; for (i = 1; i <= n; i++) if (($i - w[i]) ^ 2 > 0.009 ^ 2) exit 1 }' ||
    fail "$1 isn't $2" "$(block "$1")"; }
near line1 '6 6 8'
near line2 '0 0 0'
near line4 2.8
near line5 0
same "the lines" '"load" "limits of load" "price" "limits of price"' "$(grep '^plot' script | grep -o 'title "[^"]*"' | cut -c7- | xargs -d'\n')"
PATH=$real
unset SCRIPT

# Refused.
code=0
messages=$(PATH=/nonexistent "$hcr" plot house.region -o none.png 2>&1) || code=$?
same "without gnuplot" 4 "$code"
says "$messages" "can't run gnuplot, which draws the pictures"
absent none.png
expect 2 plot house.region -o house.pdf
expect 2 plot - <house.region
expect 2 plot house.region --axes x,z
says "$messages" 'there is no output "z"; the first is "x"'
expect 2 plot house.region --axes x
expect 2 plot house.region --axes x,x
expect 2 plot house.region --at 1
expect 2 plot house.region --at 1,b
expect 2 plot house.region --at z=1
expect 3 plot tent.region --axes x,y --at z=17
says "$messages" "isn't inside the region"
expect 4 plot house.region -o nowhere/house.png
expect 4 plot house.region --points nowhere.csv
printf 'var flow[2, 2]\nparam cap[1, 2] in [1, 2]\n0 <= flow <= cap\n' >matrix.region
expect 0 plot matrix.region --axes 'flow[0,0],flow[1,1]' --at 'cap[0,1]=1.5,flow[0,1]=0.25'
expect 2 plot matrix.region --axes 'flow[0,0],flow[0,9]'
says "$messages" 'no output "flow\[0,9\]"'
printf 'var y\n0 <= y <= 1\n' >line.region
expect 2 plot line.region
says "$messages" "one output"
finish
