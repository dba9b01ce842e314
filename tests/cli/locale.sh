#!/bin/bash
# C30: a locale with a decimal comma changes nothing. Skipped (77) where there is no such locale and none can be made.
. "$(dirname "$0")/harness.bash"

localedef -i de_DE -f UTF-8 "$folder/de_DE.UTF-8" >/dev/null 2>&1
export LOCPATH=$folder
if [ "$(LC_ALL=de_DE.UTF-8 locale decimal_point 2>/dev/null)" != , ]; then
    unset LOCPATH
    [ "$(LC_ALL=de_DE.UTF-8 locale decimal_point 2>/dev/null)" = , ] || exit 77
fi
printf 'var y[2]\n0.5 <= y <= 54.5\n' >half.region
printf 'y[0],y[1]\n54.12345,7.25\n100.5,0.125\n' >y.csv
for locale in C de_DE.UTF-8; do
    export LC_ALL=$locale
    mkdir "$locale-out"
    "$hcr" explain half.region >"$locale-out/explain"
    "$hcr" check half.region y.csv --json >"$locale-out/check"
    "$hcr" project half.region y.csv -o "$locale-out/y.csv" 2>/dev/null
    printf '54.12345;7.25\n3.5;1.5\n' | "$hcr" fit half.region - y.csv -o "$locale-out/model" --hidden 2 --epochs 2 --rate 0.005 --quiet
    printf '54.12345;7.25\n' | "$hcr" predict "$locale-out/model" - >"$locale-out/predicted"
done
diff -r C-out de_DE.UTF-8-out || fail "C30: the locale changes results"
[ -s de_DE.UTF-8-out/predicted ] || fail "nothing was predicted"
finish
