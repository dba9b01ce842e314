/* Results: points on a ray, on the equalities, and certainly inside. */
#ifndef HCRI_RESULT_POINTS_H
#define HCRI_RESULT_POINTS_H

#include "maps/maps.h"

/* O + t v for each ray of the chunk that there is, into `out`, clamped to the box, completed by the equalities; where a
 * block has no margin, or the origin is no part of the margins, drawn towards the origin until all hold. t = 0 gives
 * the origin. Where rows that have one value hold up to rounding alone, the outcome says so. */
void hcri_points_put(const hcri_chunk *chunk, const hcri_rays *rays, const double *t, void *out, hcr_outcome *outcome);
/* In floating point, at (y, x): the equalities to within 16 times the tolerance of a result of this precision, … */
int hcri_point_meets_equalities(const hcr_region *region, hcr_precision precision, const double *y);
/* … and all inequalities. */
int hcri_point_is_inside(const hcr_region *region, const double *y, double *scratch);

#endif
