#!/bin/bash
# Rows whose limits contradict each other: --on-empty, explain --sample.
. "$(dirname "$0")/harness.bash"

cat >plan.region <<'END'
var load[4]
param cap[4] in [0, 10]
param sold in [4, 30]
0 <= load
soft priority 2: load <= cap
abs(diff(load)) <= 3
soft weight 2 priority 1: sum(load) >= sold
sum(load) <= 40
END
printf '%s\n' 'load[0],load[1],load[2],load[3],cap[0],cap[1],cap[2],cap[3],sold' 1,1,1,1,5,5,5,5,10 1,1,1,1,2,2,9,2,20 >v.csv
cut -d, -f1-4 v.csv >own.csv
cut -d, -f5- v.csv >x.csv

expect 1 contract plan.region v.csv
says "$output" '^nan,nan,nan,nan$'
plain=$(sed -n 2p <<<"$output")
# A row that has a point is as it was; the other delivers what is sold, over a line that gives 6 more.
expect 0 contract plan.region v.csv --on-empty relax
same "a row with a point" "$plain" "$(sed -n 2p <<<"$output")"
says "$messages" '1 row whose limits contradict each other'
awk -F, 'NR == 3 { sum = $1 + $2 + $3 + $4; if (sum < 19.999999 || sum > 20.00001) exit 1 }' <<<"$output" || fail "the sum isn't what is sold: $output"
expect 0 contract plan.region own.csv --parameters x.csv --on-empty relax
expect 0 contract plan.region v.csv --on-empty nearest --single
expect 0 project plan.region v.csv --on-empty nearest -o near.csv
expect 0 encode plan.region near.csv --parameters x.csv --on-empty relax -o polar.csv
expect 0 decode plan.region polar.csv --parameters x.csv --on-empty relax
expect 2 encode plan.region v.csv --on-empty nearest

# A model's row without a point is predicted inside what the line gives; the other is as it was.
printf '%s\n' t 0 1 2 3 4 5 6 7 >t.csv
{ head -1 own.csv; yes 2,2,3,3 | head -8; } >y.csv
{ head -1 x.csv; yes 5,5,5,5,10 | head -8; } >given.csv
printf '%s\n' t 0 1 >new.csv
for head in hcr-contract hcr-project hcr; do
    expect 0 fit plan.region t.csv y.csv --parameters given.csv --head "$head" --epochs 2 -o plan.model
    expect 1 predict plan.model new.csv --parameters x.csv
    says "$output" '^nan,nan,nan,nan$'
    plain=$(sed -n 2p <<<"$output")
    for single in "" --single; do
        expect 0 predict plan.model new.csv --parameters x.csv --on-empty relax $single -o out.csv
        says "$messages" '1 row whose limits contradict each other'
        awk -F, 'NR == 3 { sum = $1 + $2 + $3 + $4; if (sum < 19.999 || sum > 40) exit 1 }' out.csv || fail "$head: $(cat out.csv)"
    done
    expect 0 predict plan.model new.csv --parameters x.csv --on-empty relax
    same "$head: a row with a point" "$plain" "$(sed -n 2p <<<"$output")"
done
expect 2 predict plan.model new.csv --parameters x.csv --on-empty nearest
expect 2 project plan.region v.csv --linear --on-empty relax
expect 2 contract plan.region v.csv --on-empty maybe

expect 1 explain plan.region --sample x.csv
says "$output" '^row 0: its limits leave points$'
says "$output" '^row 1: its limits leave no point$'
says "$output" 'plan.region:7: soft weight 2 priority 1: sum\(load\) >= sold: alone it would have to give 9$'
says "$output" 'plan.region:5: soft priority 2: load <= cap .*: 3$'
same "nothing gives but the line" "" "$(sed -n '/the least that/,$p' <<<"$output" | grep sold)"
# Limits of one line that none can mend alone are told together.
printf '%s\n' 'cap[0],cap[1],cap[2],cap[3],sold' 2,2,2,2,12 >together.csv
expect 1 explain plan.region --sample together.csv
says "$output" 'load <= cap \(inequalities 0 to 3 of it\): however far one of these gives alone, the others leave no point$'
head -2 x.csv >one.csv
expect 0 explain plan.region --sample one.csv
printf 'var y\n0 <= y <= 1\n' >fixed.region
expect 2 explain fixed.region --sample x.csv
says "$messages" 'no parameters'
finish
