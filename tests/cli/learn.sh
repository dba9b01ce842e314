#!/bin/bash
# windows, fit, predict: the way of the data from a series to forecasts that are inside.
. "$(dirname "$0")/harness.bash"

awk 'BEGIN { printf "\"id\""; for (t = 0; t < 300; t++) printf ",\"V%d\"", t; print ""
    for (s = 1; s <= 2; s++) { printf "\"S%d\"", s
        for (t = 0; t < 300; t++) if (s == 1 || t < 250) printf ",%.6f", s * (100 + 40 * sin(t * 0.2618) + 5 * sin(t * 1.7)); else printf ","
        print "" } }' >series.csv
expect 0 windows series.csv --list
same "ids" $'S1\nS2' "$output"
expect 0 windows series.csv --id S1 --input 24 --output 12 --split time --train 0.5 -o s1
for name in x_train y_train x_test y_test x_last limits; do exists "s1/$name.csv"; done
exists s1/limits.region
same "no other files" 7 "$(ls s1 | wc -l)"
same "windows" 134 "$(wc -l <s1/x_train.csv)"
same "the last values" "$(sed -n 2p series.csv | cut -d, -f278-301 | tr , '\n' | awk '{ print $1 + 0 }' | xargs)" \
    "$(sed -n 2p s1/x_last.csv | tr , '\n' | awk '{ print $1 + 0 }' | xargs)"
expect 0 windows series.csv --id S2 --json --input 24 --output 12 --seed 7 -o s2
python3 -m json.tool <<<"$output" >/dev/null || fail "windows --json"
expect 3 windows series.csv --id S3 -o s3
says "$messages" 'S3'
absent s3
expect 3 windows series.csv --id S1 --input 290 -o s3
expect 4 windows series.csv --id S1 -o nowhere/s3

# Every encoder and head: predictions inside, exactly; the same bytes again from the same seed.
for encoder in dense lstm; do
    for head in hcr hcr-direct hcr-contract simple; do
        model=$encoder-$head
        expect 0 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o "$model" --encoder $encoder --head $head --hidden 8 --epochs 3 --seed 5
        for line in 'rows used +133' 'rows projected +0' 'training loss' 'inside ratio' 'time'; do says "$output" "^$line"; done
        absent "$model.checkpoint"
        for single in "" --single; do
            expect 0 predict $single "$model" s1/x_test.csv -o y.csv
            [ $head = simple ] || expect 0 check $single --exact s1/limits.region y.csv
        done
    done
done
expect 0 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o again --head hcr-contract --hidden 8 --epochs 3 --seed 5 --quiet
same "quiet" "" "$output$messages"
cmp -s dense-hcr-contract again || fail "the same seed gives another model"
expect 0 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o other --hidden 8 --epochs 3 --seed 6 --head hcr-contract --json
python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); assert r["rows"] == 133 and r["epochs"] == 3 and r["inside_ratio"] == 1' \
    "$folder/.output" || fail "fit --json" "$output"
cmp -s other again && fail "another seed gives the same model"
"$hcr" fit s1/limits.region s1/x_train.csv s1/y_train.csv -o - --head hcr-contract --hidden 8 --epochs 3 --seed 5 >piped 2>/dev/null
cmp -s piped again || fail "a model differs between a pipe and a file"

# Losses and weights: a pinball model is above nine in ten of its targets (roughly: 3 epochs of few rows aren't enough
# for more than most), weights that are all alike change nothing, and wrong ones are refused.
expect 0 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o high --loss pinball --quantile 0.9 --hidden 8 --epochs 100 --rate 0.01
says "$output" 'head hcr-contract'
expect 0 predict high s1/x_train.csv -o y.csv
expect 0 check --exact s1/limits.region y.csv
paste -d, y.csv s1/y_train.csv | awk -F, 'NR > 1 { for (j = 1; j <= NF / 2; j++) above += $j >= $(j + NF / 2); all += NF / 2 }
    END { exit !(above > 0.75 * all && above < 0.99 * all) }' || fail "a pinball model's outputs aren't its quantile"
yes 7 | head -133 | sed '1i weight' >sevens.csv
expect 0 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o weighted --head hcr-contract --hidden 8 --epochs 3 --seed 5 --weights sevens.csv
cmp -s weighted again || fail "weights of 7 give another model than none"
expect 3 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o wrong --weights s1/x_train.csv
says "$messages" 'has 133 rows and 24 columns: weights are one column'
sed '5s/7/-7/' sevens.csv >negative.csv
expect 3 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o wrong --weights negative.csv
says "$messages" 'weights: row 3 \(counted from 0\) has -7'
expect 2 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o wrong --loss absolute --head hcr
says "$messages" 'hcr-contract'
absent wrong

# Quantiles: named by their levels, in order, and inside at each; the picture has them level by level.
expect 0 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o quantiles --quantiles 0.1,0.5,0.9 --hidden 8 --epochs 5 --validation 0.2 --calibrate
says "$output" 'head hcr-project, 36 outputs'
expect 0 predict quantiles s1/x_test.csv -o y.csv
same "names" 'y[0]@0.1,y[0]@0.5,y[0]@0.9,y[1]@0.1' "$(head -1 y.csv | tr -d '"' | cut -d, -f1-4)"
expect 0 compile s1/limits.region --quantiles 0.1,0.5,0.9 -o quantiles.hcr
expect 0 check quantiles.hcr y.csv --exact
for level in 1 2 3; do
    cut -d, -f"$(seq -s, "$level" 3 36)" y.csv | sed '1s/@0.[159]//g' >level.csv
    expect 0 check s1/limits.region level.csv --exact
done
expect 2 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o wrong --quantiles 0.5,0.1
says "$messages" 'quantile level 1 \(counted from 0\) is 0.1'
expect 2 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o wrong --quantiles 0.5,high
says "$messages" '--quantiles takes a number, or numbers separated by commas'
expect 2 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o wrong --quantiles 0.5 --calibrate
says "$messages" 'calibrate needs rows that aren.t trained on'
absent wrong

# Samples: paths of each row, numbered, different, inside in both precisions, with the row's words in front of each;
# noise is the last inputs of the exported network.
expect 0 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o samples --samples 4 --hidden 8 --epochs 5
says "$output" '40 inputs \(16 of them noise\), dense of 8, head hcr-project'
for single in "" --single; do
    expect 0 predict $single samples s1/x_test.csv -o y.csv --seed 2
    expect 0 check $single --exact s1/limits.region y.csv
done
rows=$(($(wc -l <s1/x_test.csv) - 1))
same "paths" $((4 * rows + 1)) "$(wc -l <y.csv)"
sed '1s/^/day,/; 2,$s/^/monday,/' s1/x_test.csv | head -3 >named.csv
expect 0 predict samples named.csv -o y.csv --samples 3
same "numbers" 'day,sample_id,y[0] monday,0 monday,1 monday,2 monday,0 monday,1 monday,2' \
    "$(tr -d '"' <y.csv | cut -d, -f1-3 | sed '2,$s/,[^,]*$//' | xargs)"
same "different paths" 7 "$(cut -d, -f3 y.csv | sort -u | wc -l)"
expect 0 predict samples named.csv -o again.csv --samples 3
cmp -s y.csv again.csv || fail "the same seed gives other paths"
expect 0 predict samples named.csv -o paths.npy --samples 3
expect 0 check --exact s1/limits.region y.csv
expect 0 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o contracted --samples 2 --head hcr-contract --hidden 8 --epochs 1
expect 0 export c contracted -o drawn
(cd drawn && ${CC:-cc} -std=c99 -O1 -o try *.c -lm && ./try) >/dev/null || fail "the exported network differs"
expect 2 predict quantiles s1/x_test.csv --samples 3
says "$messages" '--samples is for models that .hcr fit --samples. trained'
expect 2 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o wrong --samples 4 --encoder lstm
says "$messages" 'samples need the dense encoder'
expect 2 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o wrong --samples 4 --loss absolute
says "$messages" 'samples are learnt by the energy score, not by the absolute loss'
expect 2 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o wrong --samples 4 --season 12
says "$messages" 'the mean of several paths is no path'
absent wrong

# Blends: one file, predictions inside, in both precisions; shares of 0 and 1 in all.
expect 0 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o blend --blend hcr-project,hcr-contract --season 12 --hidden 8 --epochs 3 --validation 0.3
says "$output" 'blend of [01]\.[0-9]+ hcr-project \+ [01]\.[0-9]+ hcr-contract \+ [01]\.[0-9]+ seasonal'
for name in blend.checkpoint blend.checkpoint.1; do absent "$name"; done
for single in "" --single; do
    expect 0 predict $single blend s1/x_test.csv -o y.csv
    expect 0 check $single --exact s1/limits.region y.csv
done
expect 3 export c blend -o device
says "$messages" 'a blend of several models isn.t exported'
expect 2 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o wrong --blend hcr-project,best
says "$messages" '--blend takes some of hcr\|hcr-direct'
expect 3 fit s1/limits.region s1/x_train.csv s1/y_train.csv -o wrong --season 25
says "$messages" 'a season of 25 steps is longer than the 24 inputs'
absent wrong

# Targets outside are projected first, and counted.
awk -F, 'BEGIN { OFS = "," } NR == 3 { $1 = 1e4 } { print }' s1/y_train.csv >far.csv
expect 0 fit s1/limits.region s1/x_train.csv far.csv -o far --hidden 4 --epochs 1
says "$output" '^rows projected +1: row 1 \(counted from 0\)$'
head -50 s1/y_train.csv >few.csv
expect 3 fit s1/limits.region s1/x_train.csv few.csv -o few
says "$messages" 'X has 133 rows and Y has 49'
absent few

# C34: columns of X by their names, or by place when there are none.
printf 'a,b,c\n1,20,300\n2,10,100\n3,40,200\n4,30,500\n' >x.csv
printf 'y[0],y[1]\n0.1,0.2\n0.3,0.1\n-0.2,0.4\n0.5,0.5\n' >y.csv
expect 0 fit "$regions/disc.region" x.csv y.csv -o model --hidden 8 --epochs 20
expect 0 predict model x.csv -o wanted.csv
awk -F, 'BEGIN { OFS = "," } { print $3, "9", $2, $1 }' x.csv | sed '1s/9/extra/' >shuffled.csv
expect 0 predict model shuffled.csv -o got.csv
cmp -s wanted.csv got.csv || fail "C34: other numbers from shuffled columns"
tail -n +2 x.csv >plain.csv
expect 0 predict model plain.csv -o got.csv
cmp -s wanted.csv got.csv || fail "C34: other numbers without a header"
cut -d, -f1,3 x.csv >missing.csv
expect 3 predict model missing.csv
says "$messages" '"b"'
cut -d, -f1,2 plain.csv >missing.csv
expect 3 predict model missing.csv
printf 'a,b,c\n1,,3\n' >hole.csv
expect 3 predict model hole.csv
# A prediction doesn't depend on the rows beside it.
(head -1 x.csv; sed -n 3p x.csv) | "$hcr" predict model - | tail -1 >got.csv
same "one row alone" "$(sed -n 3p wanted.csv)" "$(cat got.csv)"

# The mean of the targets as the origin; the text, with --set, is kept in the model.
printf 'var y[2]\nconst most = 1\n-most <= y <= most\norigin = mean\n' >mean.region
expect 0 fit mean.region x.csv y.csv -o mean --hidden 4 --epochs 2 --set most=0.75
grep -q 'origin = mean' mean || fail "the region text isn't in the model"
grep -q -- '--set most=0.75' mean || fail "--set isn't in the model"
expect 0 predict mean x.csv -o got.csv
expect 0 check --exact mean.region got.csv --set most=0.75

# Damaged models are refused.
head -c 200 model >damaged
expect 3 predict damaged x.csv
expect 4 predict nowhere x.csv
expect 4 fit "$regions/disc.region" x.csv y.csv -o nowhere/model

# Plots.
if command -v gnuplot >/dev/null; then
    expect 0 fit "$regions/disc.region" x.csv y.csv -o "it's" --hidden 4 --epochs 5 --validation 0.25 --plot "it's.svg"
    grep -q '</svg>' "it's.svg" || fail "fit --plot"
    expect 0 predict "it's" x.csv -o got.csv --plot picture.png
    [ "$(head -c 4 picture.png | tail -c 3)" = PNG ] || fail "predict --plot"
fi
finish
