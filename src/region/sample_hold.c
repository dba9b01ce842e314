/* What of a sample is held at one value. */
#include "region/sample_hold.h"

#include <math.h>
#include <string.h>

void hcri_sample_hold_column(hcri_sample *s, size_t j, double value) {
    s->lower[j] = s->upper[j] = fmin(fmax(value, s->centres->lower[j]), s->centres->upper[j]);
}

/* 1 when the row has the coefficients of its twin with the other sign. */
static int is_turned(const hcri_sample *s, size_t r) {
    const hcri_barrier *barrier = &s->centres->barrier;
    const double *values = s->centres->values;
    return (values[barrier->start[r]] < 0) != (values[barrier->start[s->centres->twin[r]]] < 0);
}

void hcri_sample_merge_twins(const hcri_sample *s, double *low, double *high) {
    const hcri_barrier *barrier = &s->centres->barrier;
    for (size_t r = 0; r < barrier->rows; r++) {
        const uint32_t first = s->centres->twin[r];
        const double lower = s->lower[barrier->columns + r], upper = s->upper[barrier->columns + r];
        const int turned = is_turned(s, r);
        low[r] = lower;
        high[r] = upper;
        low[first] = fmax(low[first], turned ? -upper : lower);
        high[first] = fmin(high[first], turned ? -lower : upper);
    }
}

void hcri_sample_equate(hcri_sample *s, size_t r, double low, double high) {
    const size_t i = s->centres->barrier.columns + r;
    const double value = low + 0.5 * (high - low);
    s->lower[i] = s->upper[i] = is_turned(s, r) ? -value : value;
}

void hcri_sample_hold_by_rows(hcri_sample *s) {
    enum { PASSES = 4 };
    const hcri_barrier *barrier = &s->centres->barrier;
    for (int pass = 0; pass < PASSES; pass++)
        for (size_t t = 0; t < barrier->rows; t++) {
            const size_t r = pass % 2 == 0 ? t : barrier->rows - 1 - t, i = barrier->columns + r;
            size_t left = 0, at = 0;
            double rest = s->lower[i];
            for (size_t k = barrier->start[r]; k < barrier->start[r + 1] && hcri_sample_is_held(s, i); k++) {
                const uint32_t j = barrier->column[k];
                if (hcri_sample_is_held(s, j)) {
                    rest -= s->values[k] * s->lower[j];
                } else if (s->values[k] != 0) {
                    left++;
                    at = k;
                }
            }
            const uint32_t j = barrier->column[at];
            if (left == 1)
                hcri_sample_hold_column(s, j, fmin(fmax(rest / s->values[at], s->low[j]), s->high[j]));
        }
}

void hcri_sample_hold_by_all_rows(hcri_sample *s, const hcri_barrier_problem *problem) {
    static const double none = 1e-9;
    const hcri_barrier *barrier = &s->centres->barrier;
    double *v = s->folded.of_columns;
    for (size_t j = 0; j < barrier->columns; j++) {
        if (hcri_sample_is_held(s, j))
            continue;
        memset(v, 0, barrier->columns * sizeof *v);
        v[j] = 1;
        hcri_barrier_project(barrier, problem, v, s->scratch);
        s->wide[j] = v[j]; /* the squared length of the projection */
    }
    for (size_t j = 0; j < barrier->columns; j++)
        if (!hcri_sample_is_held(s, j) && s->wide[j] < none)
            hcri_sample_hold_column(s, j, fmin(fmax(s->f[j], s->low[j]), s->high[j]));
    memset(v, 0, barrier->columns * sizeof *v);
}
