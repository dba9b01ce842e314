/* Results: points on a ray, on the equalities, and certainly inside. */
#ifndef HCRI_RESULT_POINTS_H
#define HCRI_RESULT_POINTS_H

#include "maps/maps.h"

/* O + t v for ray s of the chunk into output row i of the map (nothing when only rays are wanted), clamped to the box,
 * completed by the equalities; where a block has no margin, or the origin is no part of the margins, drawn towards the
 * origin until all hold. t = 0 gives the origin. */
void hcri_point_put(const hcr_region *region, const hcri_slice *slice, const hcri_map *map, const hcri_rays *rays,
                    size_t s, size_t i, double t);
/* The same for all rows of the chunk at once, for regions and maps of which each result is but a step along the ray; 0,
 * and nothing is done, for the others. */
int hcri_points_step(const hcr_region *region, const hcri_slice *slice, const hcri_map *map, const hcri_rays *rays,
                     size_t first, const double *t);
/* In floating point, at (y, x): the equalities to within 16 times the tolerance of a result of this precision, … */
int hcri_point_meets_equalities(const hcr_region *region, hcr_precision precision, const double *y);
/* … and all inequalities. */
int hcri_point_is_inside(const hcr_region *region, const double *y, double *scratch);

#endif
