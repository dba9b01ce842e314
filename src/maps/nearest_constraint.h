/* The nearest constraint along a ray. */
#ifndef HCRI_NEAREST_CONSTRAINT_H
#define HCRI_NEAREST_CONSTRAINT_H

#include "maps/rays.h"

/* The gauges of a chunk's rays, whose |v| sum to between 1e-100 and 1e100, and, when asked for, the first constraint
 * that attains each, HCRI_NO_CONSTRAINT when the gauge is 0. Rays begin at the slice's origins, where it has any; where
 * rounding takes one for a point outside the gauge is infinite or a NaN. `has_box`: the rays have the box's gauges
 * already, which is for the full search without active constraints. */
void hcri_search(const hcri_chunk *chunk, int has_box, int with_active_constraints, hcri_rays *rays);

#endif
