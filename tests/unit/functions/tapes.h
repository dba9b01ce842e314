/* Tapes for tests: one of each kind of step, over arguments x_k = y_k + ¼ y_(k+1). */
#ifndef HCR_TEST_TAPES_H
#define HCR_TEST_TAPES_H

#include <math.h>

#include "base/random.h"
#include "functions/tape.h"

enum { MOST_OUTPUTS = 12 };

typedef struct step_case {
    const char *name;
    hcri_step_kind kind;
    double parameter;
    size_t rows, count;
    int positive; /* of arguments > 0 */
    int smooth;   /* has a second derivative away from ties */
} step_case;

static const step_case step_cases[] = {
    {"sum", HCRI_STEP_SUM, 0.75, 0, 4, 0, 1},
    {"product", HCRI_STEP_PRODUCT, 0, 0, 2, 0, 1},
    {"quotient", HCRI_STEP_QUOTIENT, 0, 0, 2, 1, 1},
    {"max", HCRI_STEP_MAX, 0, 0, 4, 0, 1},
    {"min", HCRI_STEP_MIN, 0, 0, 4, 0, 1},
    {"abs", HCRI_STEP_ABS, 0, 0, 1, 0, 1},
    {"power 0", HCRI_STEP_POWER, 0, 0, 1, 0, 1},
    {"power 1", HCRI_STEP_POWER, 1, 0, 1, 0, 1},
    {"power 2", HCRI_STEP_POWER, 2, 0, 1, 0, 1},
    {"power 3", HCRI_STEP_POWER, 3, 0, 1, 0, 1},
    {"power 4", HCRI_STEP_POWER, 4, 0, 1, 0, 1},
    {"power 0.1", HCRI_STEP_POWER, 0.1, 0, 1, 1, 1},
    {"power 0.5", HCRI_STEP_POWER, 0.5, 0, 1, 1, 1},
    {"power 1.5", HCRI_STEP_POWER, 1.5, 0, 1, 1, 1},
    {"power 2.7", HCRI_STEP_POWER, 2.7, 0, 1, 1, 1},
    {"power -1", HCRI_STEP_POWER, -1, 0, 1, 1, 1},
    {"power -2.3", HCRI_STEP_POWER, -2.3, 0, 1, 1, 1},
    {"exp", HCRI_STEP_EXP, 0, 0, 1, 0, 1},
    {"log", HCRI_STEP_LOG, 0, 0, 1, 1, 1},
    {"sqrt", HCRI_STEP_SQRT, 0, 0, 1, 1, 1},
    {"xlogx", HCRI_STEP_XLOGX, 0, 0, 1, 1, 1},
    {"huber", HCRI_STEP_HUBER, 1.25, 0, 1, 0, 1},
    {"softplus", HCRI_STEP_SOFTPLUS, 0, 0, 1, 0, 1},
    {"sin", HCRI_STEP_SIN, 0, 0, 1, 0, 1},
    {"cos", HCRI_STEP_COS, 0, 0, 1, 0, 1},
    {"tanh", HCRI_STEP_TANH, 0, 0, 1, 0, 1},
    {"atan", HCRI_STEP_ATAN, 0, 0, 1, 0, 1},
    {"log_sum_exp", HCRI_STEP_LOG_SUM_EXP, 0, 0, 5, 0, 1},
    {"geo_mean", HCRI_STEP_GEO_MEAN, 0, 0, 5, 1, 1},
    {"norm 1", HCRI_STEP_NORM, 1, 0, 5, 0, 1},
    {"norm 1.3", HCRI_STEP_NORM, 1.3, 0, 5, 0, 1},
    {"norm 2", HCRI_STEP_NORM, 2, 0, 5, 0, 1},
    {"norm 3", HCRI_STEP_NORM, 3, 0, 5, 0, 1},
    {"norm 7.5", HCRI_STEP_NORM, 7.5, 0, 5, 0, 1},
    {"norm 1000", HCRI_STEP_NORM, 1000, 0, 5, 0, 1},
    {"sum_squares", HCRI_STEP_SUM_SQUARES, 0, 0, 4, 0, 1},
    {"quad_over_lin", HCRI_STEP_QUAD_OVER_LIN, 0, 0, 4, 1, 1},
    {"relative entropy", HCRI_STEP_RELATIVE_ENTROPY, 0, 0, 2, 1, 1},
    {"largest eigenvalue", HCRI_STEP_LARGEST_EIGENVALUE, 0, 3, 9, 0, 1},
    {"nuclear norm, tall", HCRI_STEP_NUCLEAR_NORM, 0, 3, 6, 0, 0},
    {"nuclear norm, wide", HCRI_STEP_NUCLEAR_NORM, 0, 2, 8, 0, 0},
};
enum { STEP_CASES = sizeof step_cases / sizeof step_cases[0] };

/* Adds a step that can't fail. */
static inline uint32_t put_step(hcri_tape *tape, hcri_step_kind kind, double parameter, size_t rows, size_t count,
                                const uint32_t *arguments, const double *weights) {
    uint32_t number = 0;
    assert_int_equal(
        hcri_tape_add(tape, &(hcri_new_step){kind, parameter, rows, count, arguments, weights}, &number, NULL), HCR_OK);
    return number;
}

/* The outputs that the tape of a case has. */
static inline size_t outputs_of(const step_case *c) { return c->count; }

static inline hcri_tape tape_of(const step_case *c) {
    static const double share[2] = {1, 0.25}, weights[MOST_OUTPUTS] = {1, -2, 0.5, 3, 1, 1, 1, 1, 1, 1, 1, 1};
    hcri_tape tape = {.allocator = &hcri_default_allocator};
    uint32_t x[MOST_OUTPUTS];
    for (size_t k = 0; k < c->count; k++) {
        const uint32_t pair[2] = {(uint32_t)k, (uint32_t)((k + 1) % c->count)};
        x[k] = put_step(&tape, HCRI_STEP_AFFINE, 0, 0, c->count == 1 ? 1 : 2, pair, share);
    }
    put_step(&tape, c->kind, c->parameter, c->rows, c->count, x, c->kind == HCRI_STEP_SUM ? weights : NULL);
    return tape;
}

/* Multiples of 2^-10 in −4 … 4, or in 2^-6 … 4: sums of a few of them and of multiples of 2^-30 are exact. */
static inline void random_point(const step_case *c, hcri_random *random, double *y) {
    for (size_t j = 0; j < c->count; j++)
        y[j] = c->positive ? (16 + (double)hcri_random_below(random, 4080)) * 0x1p-10
                           : ((double)hcri_random_below(random, 8193) - 4096) * 0x1p-10;
}

static inline void random_direction(const step_case *c, hcri_random *random, double *v) {
    for (size_t j = 0; j < c->count; j++)
        v[j] = ((double)hcri_random_below(random, 257) - 128) * 0x1p-7;
}

#endif
