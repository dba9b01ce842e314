/* The analytic centre of a region at given parameters, where all of its inequalities are affine in the outputs: the
 * point within the equalities that minimises −Σ log(−c_i(y, x)). */
#ifndef HCRI_SAMPLE_CENTRE_H
#define HCRI_SAMPLE_CENTRE_H

#include "region/region.h"

/* Numbers of scratch that the functions below need; 0 for a region that has inequalities of other kinds. */
size_t hcri_slice_centre_scratch(const hcr_region *region);
/* `point` holds O(x), or another guess, and x. 1: it is the centre now, to about 1e-12 of the slack of each inequality;
 * 0: no point strictly inside was found, and the outputs are no longer those that were given. Newton's method: mostly
 * less than ten steps. Of slices as thin as 1e-8 of their length double precision doesn't find all. */
int hcri_slice_centre_find(const hcr_region *region, double *point, double *scratch);
/* x_bar += (d centre/dx)' bar at a centre, by the implicit function theorem. `bar` has the gradient by the free
 * outputs, and is overwritten. */
void hcri_slice_centre_vjp(const hcr_region *region, const double *point, double *bar, double *x_bar, double *scratch);
/* How the free outputs of a centre change when the parameters do by x_dot: `dot` has that of O(x), and then this. */
void hcri_slice_centre_jvp(const hcr_region *region, const double *point, const double *x_dot, double *dot,
                           double *scratch);

#endif
