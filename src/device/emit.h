/* The C of one block of constraints. For block b of the region it is tables and the functions
 *
 *     gauge_b(v, best)      the larger of best and the gauge of v; with derivatives also `active`, the constraint
 *     check_b(y, z, size)   SURE, UNCERTAIN or BROKEN: y = O + z, by a value with a bound of its rounding; size bounds
 *                           |z_j|, and of dependent outputs |O_j| too: z is off by that share
 *     gradient_b(i, z, g)   adds the gradient of constraint i at O + z, in units of −c_i(O), to g
 *
 * in units in which c_i(O) is −1; with parameters they take `at`, a sample's, too. Rounding bounds hold for fused,
 * unfused and wider evaluation, and for machines that flush small numbers to 0. */
#ifndef HCRI_EMIT_H
#define HCRI_EMIT_H

#include "device/c_code.h"
#include "device/export_plan.h"

/* What is said of y so far from the origin that products may overflow: `unit` is then less than 1 (export_source.c). */
typedef enum hcri_far {
    HCRI_FAR_OPEN,     /* nothing */
    HCRI_FAR_CHECKED,  /* check_b compares y itself */
    HCRI_FAR_SCALED,   /* check_b has `unit` for another argument, but with parameters */
    HCRI_FAR_OVERFLOWS /* that it is inside, but not that it is outside; gauge_b searches along the ray and reads
                          `nearness` */
} hcri_far;

/* What there is of code for a kind of constraint: a second table beside hcri_kind. */
typedef struct hcri_device_kind {
    const hcri_kind *kind;
    const char *refused; /* why there is none: then nothing else is set; NULL: there is */
    const char *(*refusal)(const hcri_constraint *block, int gradient); /* … but for this block; NULL: for every one */
    hcr_status (*emit)(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);
    /* With parameters, and the margin that the block then needs over the whole range, infinity when the origin isn't
     * inside for some x; NULL: there is no code then. */
    hcr_status (*emit_moving)(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);
    hcr_status (*margin_moving)(const hcri_plan *plan, const hcri_constraint *block, double *margin, hcr_error *error);
    void (*put_helpers)(hcri_code *code, const hcri_plan *plan); /* functions that all blocks share; NULL: none */
    /* How many times what the library's sums take the code's take, which run term by term and have coefficients that
     * are rounded once more (docs/exactness.md). NULL: 1.5. */
    double (*effort)(const hcri_constraint *block);
    int degree; /* of the direction's numbers in the gauge: 0 for quotients alone */
    int judges; /* check_b calls `judge` */
    hcri_far far;
} hcri_device_kind;
const hcri_device_kind *hcri_device_kind_of(const hcri_constraint *block); /* never NULL */
/* Number k of those that there are; NULL behind the last. */
const hcri_device_kind *hcri_device_kind_at(size_t k);

/* NULL when there is code for the block, else why not: static text. */
const char *hcri_emit_refusal(const hcri_constraint *block, int gradient);
/* 0 for a block without inequalities that exist: it has no functions. */
int hcri_emit_is_needed(const hcri_plan *plan, size_t b);
/* Errors: MEMORY; PRECISION for numbers that are too far apart. */
hcr_status hcri_emit_block(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);

/* "static int check_b(…)\n{\n". */
void hcri_emit_check_head(hcri_code *code, const hcri_plan *plan, size_t b);

/* A table of numbers, none of which may be above plan->largest: PRECISION. */
hcr_status hcri_emit_table(hcri_code *code, const hcri_plan *plan, const char *name, size_t count, const double *values,
                           hcr_error *error);
/* A matrix in compressed rows, times `scale`: NAME_start, NAME_columns, NAME_values. */
hcr_status hcri_emit_rows(hcri_code *code, const hcri_plan *plan, const char *name, const hcri_rows *rows, double scale,
                          hcr_error *error);
/* Opens "static TYPE NAME_b(…)\n{\n" of the three. */
void hcri_emit_gauge_head(hcri_code *code, const hcri_plan *plan, size_t b);
/* Ends gauge_b: `found` is the gauge of its only constraint. */
void hcri_emit_gauge_tail(hcri_code *code, const hcri_plan *plan, size_t b);

#endif
