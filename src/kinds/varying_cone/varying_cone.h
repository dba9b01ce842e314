/* |w| <= e, where the numbers of w, and e, are rows whose coefficients move with the parameters, as of varying.h: a
 * second-order cone in the outputs of each sample, which isn't one in outputs and parameters together. */
#ifndef HCRI_VARYING_CONE_H
#define HCRI_VARYING_CONE_H

#include "kinds/varying/varying.h"

typedef struct hcri_varying_cone {
    hcri_constraint base;
    hcri_varying *rows; /* less its `upper`, row i is w_i, and the last row e */

    /* after place: a copy of the origin, and −c there */
    double *origin, slack;
} hcri_varying_cone;

extern const hcri_kind hcri_kind_varying_cone;

/* Copies what it is given: as many rows as `constants` has numbers, which are added to them. */
hcr_status hcri_varying_cone_create(size_t n, const hcr_allocator *allocator, const hcri_rows *rows,
                                    const hcri_bilinear *products, const double *constants,
                                    hcri_constraint **constraint, hcr_error *error);

#endif
