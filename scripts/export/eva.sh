#!/bin/bash
# Proves with Frama-C's Eva (package frama-c-base) that the exported maps of the quadrotor example, in single precision, read and write no
# memory that isn't theirs, never give a NaN, and keep to the bounds, for any input at all: every number, infinities, and a NaN in each place.
# eva.sh [BUILD [WORK]]: the folder with the program, and one to work in.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
hcr=${1:-$here/../../build}/hcr
command -v frama-c >/dev/null || { echo "skipped: frama-c isn't there (package frama-c-base)"; exit 77; }
work=${2:-$(mktemp -d)}
"$hcr" export c "$here/../../examples/quadrotor/thrust.region" -o "$work" --name thrust --single >/dev/null
cat >"$work/any.c" <<'END'
#include "thrust.h"
#include "__fc_builtin.h"
#include <float.h>
#include <math.h>
#define INPUTS (THRUST_OUTPUTS + THRUST_PARAMETERS + 1)
static float any(void) {
    const int form = Frama_C_interval(0, 2);
    return form == 0 ? Frama_C_float_interval(-FLT_MAX, FLT_MAX) : form == 1 ? INFINITY : -INFINITY;
}
void any_input(void) {
    float in[INPUTS], y[THRUST_OUTPUTS];
    for (int bad = -1; bad < (int)INPUTS; bad++) { /* the input that is a NaN; -1: none */
        for (int j = 0; j < (int)INPUTS; j++)
            in[j] = any();
        if (bad >= 0)
            in[bad] = NAN;
        (void)thrust_decode(in, in[INPUTS - 1], in + THRUST_OUTPUTS, y);
        Frama_C_show_each_decode(y[0], y[1]);
        (void)thrust_contract(in, in + THRUST_OUTPUTS, y);
        Frama_C_show_each_contract(y[0], y[1]);
        (void)thrust_soften(in, in + THRUST_OUTPUTS, y);
        Frama_C_show_each_soften(y[0], y[1]);
        (void)thrust_check(in + THRUST_OUTPUTS, in);
    }
}
END
cd "$work"
frama-c -eva -eva-precision 7 -eva-auto-loop-unroll 64 -warn-special-float none -main any_input thrust.c any.c >eva.log
grep -E 'alarms? generated|statements reached' eva.log
if grep -q '∪ {NaN}' <(grep -A2 show_each eva.log) || ! grep -q '^  0 alarms generated' eva.log; then
    echo "not proved: $work/eva.log"
    exit 1
fi
