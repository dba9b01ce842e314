/* Tapes (functions/tape.h) as the kernels read them, and eight samples of one at once, a lane each: what the value is
 * along their rays, and a bound of it at their results. A lane's bits don't depend on the other lanes. */
#ifndef HCRI_TAPE_LANES_H
#define HCRI_TAPE_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "hcr/hcr.h"
#include "kernels/symmetric.h"

/* Pinned: they are stored in compiled files. x_k are the arguments, p the parameter. */
typedef enum hcri_step_kind {
    HCRI_STEP_AFFINE = 0,   /* p + Σ weight_k y[argument_k]: arguments are outputs, none for a constant */
    HCRI_STEP_SUM = 1,      /* p + Σ weight_k x_k */
    HCRI_STEP_PRODUCT = 2,  /* x_0 x_1 */
    HCRI_STEP_QUOTIENT = 3, /* x_0/x_1 */
    HCRI_STEP_MAX = 4,      /* the largest x_k */
    HCRI_STEP_MIN = 5,      /* the least */
    HCRI_STEP_ABS = 6,      /* |x| */
    HCRI_STEP_POWER = 7,    /* x^p: for p that is no whole number of x >= 0 only, for p < 0 of x > 0 */
    HCRI_STEP_EXP = 8,
    HCRI_STEP_LOG = 9,
    HCRI_STEP_SQRT = 10,
    HCRI_STEP_XLOGX = 11,    /* x log x, 0 at 0 */
    HCRI_STEP_HUBER = 12,    /* x² up to |x| = p, then 2p|x| − p²; p > 0 */
    HCRI_STEP_SOFTPLUS = 13, /* log(1 + e^x) */
    HCRI_STEP_SIN = 14,
    HCRI_STEP_COS = 15,
    HCRI_STEP_TANH = 16,
    HCRI_STEP_ATAN = 17,
    HCRI_STEP_LOG_SUM_EXP = 18,
    HCRI_STEP_GEO_MEAN = 19, /* (Π x_k)^(1/count), of x >= 0 */
    HCRI_STEP_NORM = 20,     /* (Σ |x_k|^p)^(1/p), p >= 1 */
    HCRI_STEP_SUM_SQUARES = 21,
    HCRI_STEP_QUAD_OVER_LIN = 22,    /* Σ_{k >= 1} x_k²/x_0, of x_0 > 0 */
    HCRI_STEP_RELATIVE_ENTROPY = 23, /* x_0 log(x_0/x_1), of x_0 >= 0, x_1 > 0 */
    HCRI_STEP_LARGEST_EIGENVALUE =
        24,                      /* of the symmetric part of the matrix of the arguments, row-major, `rows` × `rows` */
    HCRI_STEP_NUCLEAR_NORM = 25, /* of the matrix of the arguments, row-major, `rows` rows */
    HCRI_STEP_KINDS = 26
} hcri_step_kind;

typedef struct hcri_step {
    hcri_step_kind kind;
    int consecutive;     /* its arguments are numbered one after the other */
    size_t first, count; /* its arguments */
    size_t rows;         /* of a matrix, else 0 */
    double parameter;
} hcri_step;

typedef struct hcri_tape {
    const hcr_allocator *allocator;
    size_t steps, step_capacity;
    hcri_step *step;
    size_t arguments, argument_capacity, weight_capacity;
    uint32_t *argument; /* numbers of earlier steps; of outputs for AFFINE */
    double *weight;     /* one an argument; 1 where the step has none */
    size_t largest_matrix,
        widest_matrix; /* the most arguments, rows or columns that a matrix step has; 0: there is none */
} hcri_tape;

/* Powers that the lanes have: whole numbers by products, −1, and what is no whole number, of a positive argument, by
 * logarithms. */
enum { HCRI_MOST_PRODUCTS = 16 };
static inline int hcri_is_whole(double p) { return p > -64 && p < 64 && p == (double)(int)p; }
static inline int hcri_power_has_lanes(double p) {
    return p == -1 || (hcri_is_whole(p) ? p >= 1 && p <= HCRI_MOST_PRODUCTS : p > -64 && p < 64);
}

/* Of eight lanes number j stands at 8 j … 8 j + 7; `work` has HCRI_TAPE_LANES_WORK numbers a step. For tapes of which
 * hcri_tape_has_lanes (functions/tape.h) is 1. */
#define HCRI_TAPE_LANES_WORK 16
#define HCRI_TAPE_WAYS_WORK 40
typedef struct hcri_tape_kernels {
    /* The slopes of affine steps, eight numbers a step: Σ weight v_j, of eight directions as columns; and bounds of
     * their errors (NULL: not wanted). */
    void (*slopes)(const hcri_tape *tape, const double *v, double *slope, double *error);
    /* The value and its derivative by t where affine steps are start + t slope; NaN or infinite outside the domain. */
    void (*along)(const hcri_tape *tape, const double *start, const double *slope, const double t[HCRI_LANES],
                  double value[HCRI_LANES], double derivative[HCRI_LANES], double *work);
    /* Upper bounds of the values at eight points, rounding included (docs/exactness.md, "Expressions"); NaN or infinite
     * where none is proved. */
    void (*bounds)(const hcri_tape *tape, const double *y, double most[HCRI_LANES], double *work);
    /* A way on from t, at most `ahead`, over which the value is certain to stay 0 or less, and in most[] a bound of it
     * at t; 0 or a NaN where there is none. For tapes of which hcri_tape_has_ways is 1; `error` as from `slopes`, and
     * `work` has HCRI_TAPE_WAYS_WORK numbers a step. */
    void (*ways)(const hcri_tape *tape, const double *start, const double *slope, const double *error,
                 const double t[HCRI_LANES], const double ahead[HCRI_LANES], double way[HCRI_LANES],
                 double most[HCRI_LANES], double *work);
    /* e^x and log x, off by at most 2^-51 of themselves, and sin x, by 2^-51, for tests; 8 `count` numbers. */
    void (*exponentials)(size_t count, const double *x, double *out);
    void (*logarithms)(size_t count, const double *x, double *out);
    void (*sines)(size_t count, const double *x, double *out);
} hcri_tape_kernels;

#endif
