#!/bin/sh
# Compiled regions and model files for the fuzz targets, made by this build's command.   seeds.sh HCR FUZZ OUT
set -eu
hcr=$1 fuzz=$2 out=$3
rm -rf "$out"
mkdir -p "$out/compiled_region" "$out/model_file"
for text in "$fuzz"/corpus/region_text/*.region; do
    name=$(basename "$text" .region)
    "$hcr" compile "$text" -o "$out/compiled_region/$name" >/dev/null 2>&1 || rm -f "$out/compiled_region/$name"
done
printf 'a,b\n1,2\n3,4\n0,1\n2,2\n' >"$out/x.csv"
printf 'y[0],y[1]\n0.1,0.2\n0.3,0.1\n-0.2,0.4\n0.5,0.5\n' >"$out/y.csv"
printf 'var y[2]\nnorm(y) <= 1\n' >"$out/disc.region"
for encoder in dense lstm; do
    for head in hcr hcr-direct hcr-contract hcr-soften simple; do
        "$hcr" fit "$out/disc.region" "$out/x.csv" "$out/y.csv" --encoder $encoder --head $head --hidden 2 --epochs 1 --quiet \
            -o "$out/model_file/$encoder-$head"
    done
done
# The same without a digest: damage then gets beyond it.
for model in "$out"/model_file/*; do
    sed 's/"digest":"[0-9a-f]*",/                            /' "$model" >"$model-unsigned"
done
