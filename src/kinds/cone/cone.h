/* |M y + s| <= c·y + e: a second-order cone. */
#ifndef HCRI_CONE_H
#define HCRI_CONE_H

#include "kernels/sparse_rows.h"
#include "kinds/kind.h"

typedef struct hcri_cone {
    hcri_constraint base;
    hcri_rows rows;  /* M */
    double *shift;   /* s, one a row */
    double *linear;  /* c: n */
    double constant; /* e */

    /* after place */
    hcri_layout layout;  /* M */
    double right;        /* e0 = c·O + e > 0 */
    double *at_origin;   /* w0/e0 for w0 = M O + s, shorter than 1 */
    double one_less;     /* 1 − |w0/e0|² > 0 */
    double slack;        /* −c(O) = e0 − |w0| … */
    double origin_error; /* … and a bound of its error */
    double norm;         /* bounds the largest singular value of M's entries' sizes, and so M's … */
    double least_norm;   /* … and this M's least from below: 0 when none is known */
    int linear_is_zero;  /* a norm with a fixed bound */
    int on_axis;         /* w0 = 0 */

    struct hcri_moving_cone *moving; /* after follow */
} hcri_cone;

extern const hcri_kind hcri_kind_cone;

/* Copies what it is given; shift and linear may be NULL (zeros). */
hcr_status hcri_cone_create(size_t n, const hcr_allocator *allocator, const hcri_rows *rows, const double *shift,
                            const double *linear, double constant, hcri_constraint **constraint, hcr_error *error);

#endif
