/* The nearest constraint along a ray. */
#ifndef HCRI_NEAREST_CONSTRAINT_H
#define HCRI_NEAREST_CONSTRAINT_H

#include "maps/workspace.h"

/* gauge[s] = gamma(v_s) for `rows` directions whose |v| sums to between 1e-100 and 1e100, active constraint[s] = the
 * first constraint that attains it, HCRI_NO_CONSTRAINT when the gauge is 0 (NULL: not wanted). Rays begin at the
 * slice's origins, where it has any; where rounding takes one for a point outside the gauge is infinite or a NaN.
 * `has_box`: `gauge` has the box's already, which is for the full search without active constraints. */
void hcri_search(const hcr_workspace *workspace, hcri_slice *slice, size_t rows, const double *v, size_t stride,
                 int has_box, double *gauge, uint32_t *active_constraint);

#endif
