/* The origin of a region, as its builder wants it. */
#ifndef HCRI_ORIGIN_H
#define HCRI_ORIGIN_H

#include "region/builder.h"

/* origin (n numbers): strictly inside, rounding included. lower, upper: a box that holds the set, as far as one is
 * known; *radius: about that of the ball around the origin. Errors: EMPTY, ORIGIN (what is wrong with a given point, by
 * source), SOLVER, MEMORY. */
hcr_status hcri_origin_find(const hcr_builder *builder, const double *lower, const double *upper, double *origin,
                            double *radius, hcr_error *error);

#endif
