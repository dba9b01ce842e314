#!/bin/bash
# LP, MPS and CBF files to regions: what is written, what is reported, what is refused.
. "$(dirname "$0")/harness.bash"

cat >blend.lp <<'END'
\ Two feeds and their price
Maximize
 profit: 3 feed[0] + 2 feed[1] - price
Subject To
 capacity: feed[0] + 2 feed[1] <= 10.5
 mix: -4 <= feed[0] - feed[1] + 0.25 price <= 3
Bounds
 feed[0] <= 4
 1 <= price <= 9
General
 feed[1]
End
END
wanted='# Imported from blend.lp (LP)
#   the objective is ignored
#   integrality is ignored, of columns: 1
var feed[2], price

0 <= feed[0] <= 4
feed[1] >= 0
1 <= price <= 9

feed[0] + 2*feed[1] <= 10.5  # capacity
-4 <= feed[0] - feed[1] + 0.25*price <= 3  # mix'
expect 0 import blend.lp
same "text" "$wanted" "$output"
same "notices" "hcr: blend.lp: the objective is ignored
hcr: blend.lp: integrality is ignored, of columns: 1" "$messages"
expect 0 import -q blend.lp
same "quiet" "" "$messages"
expect 0 import - <blend.lp
same "from standard input" "${wanted/blend.lp/standard input}" "$output"
gzip -k blend.lp
expect 0 import blend.lp.gz
same "packed" "${wanted/blend.lp/blend.lp.gz}" "$output"

# Text and compiled: the same region, with the lines of each.
expect 0 import blend.lp -o blend.region
same "report" "blend.region: 3 outputs, 2 constraints beside their bounds" "$output"
expect 0 import blend.lp -o blend.hcr
printf 'feed[0],feed[1],price\n2,3,4\n4,3.25,9\n4,3.3,9\n0,5,1\n2,2,9.5\n' >y.csv
expect 1 check --exact blend.region y.csv
by_text=$output
expect 1 check --exact blend.hcr y.csv
same "rows" "$(grep ^row <<<"$by_text")" "$(grep ^row <<<"$output")"
says "$output" 'blend.lp:5: row capacity'
says "$by_text" 'blend.region:10: feed\[0\] \+ 2\*feed\[1\] <= 10.5  # capacity'
expect 0 explain blend.region

# Equalities, and free and fixed MPS.
cat >flow.mps <<'END'
NAME flow FREE
ROWS
 N cost
 E node
 L cap
COLUMNS
 a cost 1 node 1
 a cap 1
 b node 1
 c node -1 cap 0.1
RHS
 rhs node 0
 rhs cap 7
BOUNDS
 UP bnd a 5
 UP bnd b 5
 UP bnd c 8
ENDATA
END
expect 0 import flow.mps -o flow.region
grep -q '^a + b - c == 0  # node$' flow.region || fail "no equality" "$(cat flow.region)"
expect 0 explain flow.region
says "$output" "equalities +1"

# Cones and matrix inequalities.
printf 'VER\n3\nVAR\n3 1\nQ 3\nCON\n1 1\nL- 1\nPSDCON\n1\n2\nACOORD\n1\n0 0 1\nBCOORD\n1\n0 -1\nHCOORD\n2\n0 1 1 0 1\n0 2 0 0 1\nDCOORD\n2\n0 0 0 1\n0 1 1 1\n' >cone.cbf
expect 0 import cone.cbf -o cone.region
grep -q '^norm(x\[1:3\]) <= x\[0\]$' cone.region || fail "no cone" "$(cat cone.region)"
grep -q '^psd(\[\[x\[2\] + 1, x\[1\]\],$' cone.region || fail "no matrix inequality" "$(cat cone.region)"
expect 0 explain cone.region
expect 0 import cone.cbf -o cone.hcr

# Unbounded: text as it is, compiled when asked for.
printf 'min x\nst\n x + y >= 1\nend\n' >open.lp
expect 0 import open.lp -o open.region
expect 3 import open.lp -o open.hcr
says "$messages" "unbounded"
says "$messages" "say --unbounded"
absent open.hcr
expect 0 import open.lp -o open.hcr --unbounded
exists open.hcr
expect 2 import open.lp --unbounded

# Wrong: with file and line, and nothing is written.
sed 's/10.5/1e400/' blend.lp >wrong.lp
expect 3 import wrong.lp -o wrong.region
same "message" "hcr: wrong.lp:5: a number is 1e400, which is too large for a double" "$messages"
absent wrong.region
sed '/ENDATA/d' flow.mps >cut.mps
expect 3 import cut.mps -o cut.hcr
says "$messages" '^hcr: cut.mps:17: the file ends without ENDATA: it is cut short'
absent cut.hcr
head -c 60 blend.lp.gz >cut.gz
expect 3 import cut.gz
same "cut short" "hcr: cut.gz: the packed file is cut short" "$messages"
printf 'min x\nst\n a: x + y <= 1\n b: x + y >= 2\nend\n' >empty.lp
expect 3 import empty.lp -o empty.hcr
says "$messages" 'empty.lp:3'
says "$messages" 'empty.lp:4'
absent empty.hcr
expect 4 import nowhere.lp
expect 4 import blend.lp -o nowhere/blend.region
expect 3 import y.csv
says "$messages" "an LP file begins with Minimize or Maximize"
finish
