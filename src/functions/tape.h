/* An expression of the outputs as a tape: steps, each made of earlier ones; the last is the value.
 *
 * A tape says nothing of curvature: who makes it knows whether the value is convex. Outside the domain of a step (log
 * of a negative number) the value is NaN; the inequality "value <= 0" doesn't hold there. */
#ifndef HCRI_TAPE_H
#define HCRI_TAPE_H

#include "functions/substitution.h"

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

/* Appends a step and gives its number. `weights` NULL: ones; only AFFINE and SUM have others. Errors: MEMORY; ARGUMENT
 * for a count, an argument or a parameter that the step can't have; DATA for numbers that aren't finite, or weights
 * above 1e50. The tape starts as {.allocator = …} and stays as it was after a failure. */
hcr_status hcri_tape_add(hcri_tape *tape, hcri_step_kind kind, double parameter, size_t rows, size_t count,
                         const uint32_t *arguments, const double *weights, uint32_t *number, hcr_error *error);
void hcri_tape_release(hcri_tape *tape);
/* ARGUMENT when there is no step, or one with an output that isn't under n. */
hcr_status hcri_tape_check(const hcri_tape *tape, size_t n, hcr_error *error);
/* The value at y = constant + T z as a tape of z. */
hcr_status hcri_tape_substitute(const hcri_tape *tape, const hcri_substitution *substitution,
                                const hcr_allocator *allocator, hcri_tape *substituted, hcr_error *error);
/* 1 when the k-th argument of a step has to be 0 or more for the step to have a value. */
int hcri_step_needs_sign(const hcri_step *step, size_t k);
/* 1 when no step depends on an output. */
int hcri_tape_is_constant(const hcri_tape *tape);

/* The compiled file. */
void hcri_tape_write(const hcri_tape *tape, hcri_bytes *out);
hcr_status hcri_tape_read(hcri_source *in, size_t n, const hcr_allocator *allocator, hcri_tape *tape, hcr_error *error);

#endif
