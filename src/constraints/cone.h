/* |M y + s| <= c·y + e: a second-order cone. */
#ifndef HCRI_CONE_H
#define HCRI_CONE_H

#include "constraints/constraint.h"
#include "constraints/rows.h"

typedef struct hcri_cone {
    hcri_constraint base;
    hcri_rows rows;  /* M */
    double *shift;   /* s, one a row */
    double *linear;  /* c: n */
    double constant; /* e */
    /* after place */
    hcri_layout layout; /* M */
    double *at_origin;  /* M O + s */
    double *reduced;    /* n: M'(M O + s) − (c·O + e) c, so that b = reduced·v */
    double right;       /* c·O + e > 0 */
    double level;       /* |M O + s|² − (c·O + e)² < 0 */
    int linear_is_zero; /* a norm with a fixed bound */
} hcri_cone;

extern const hcri_kind hcri_kind_cone;

/* Copies what it is given; shift and linear may be NULL (zeros). */
hcr_status hcri_cone_create(size_t n, const hcr_allocator *allocator, const hcri_rows *rows, const double *shift,
                            const double *linear, double constant, hcri_constraint **constraint, hcr_error *error);

#endif
