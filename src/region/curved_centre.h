/* The analytic centre of a sample of a region that has quadratics or cones beside its bounds and rows: the point within
 * the equalities that minimises −Σ log(−c_i(y, x)), with |w|² − e² for c_i where c_i is a cone's |w| − e. Dense. */
#ifndef HCRI_CURVED_CENTRE_H
#define HCRI_CURVED_CENTRE_H

#include "region/region.h"

/* What doesn't depend on the sample, region->curvatures: NULL for a region whose samples have no such centre. They do
 * when it is bounded, has other kinds than bounds and rows, and of kinds with `smooth` alone, and leaves at most 64
 * outputs free. Errors: MEMORY. */
hcr_status hcri_curved_centre_make(hcr_region *region, hcr_error *error);
/* Numbers of scratch for the functions below, those for blocks first. */
size_t hcri_curved_centre_scratch(const hcr_region *region);
/* `point` holds a guess, which may be outside, and x: its outputs become the centre. 0: no point strictly inside was
 * found; they then are anything. */
int hcri_curved_centre_find(const hcr_region *region, double *point, double *scratch);
/* x_bar += (d centre/dx)' bar, by the implicit function theorem; `bar` has the gradient by the free outputs. */
void hcri_curved_centre_vjp(const hcr_region *region, const double *point, const double *bar, double *x_bar,
                            double *scratch);
/* How the free outputs change when the parameters do by x_dot: into `dot`. */
void hcri_curved_centre_jvp(const hcr_region *region, const double *point, const double *x_dot, double *dot,
                            double *scratch);

#endif
