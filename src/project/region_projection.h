/* Nearest points of one region, up to rounding, by whatever is fastest for it: clamping, the active set, the principal
 * axes of one quadratic, Newton's method, cutting planes. */
#ifndef HCRI_REGION_PROJECTION_H
#define HCRI_REGION_PROJECTION_H

#include "maps/workspace.h"
#include "project/active_set.h"

typedef struct hcri_projection hcri_projection;

/* Is every inequality affine in the outputs? Then the region's parameters may be any; else it has none. */
int hcri_is_polytope(const hcr_region *region);
/* The region, the metric and the workspace, which is the region's, are kept. `warm`: a point may start from the one
 * before. Errors: MEMORY. */
hcr_status hcri_projection_create(const hcr_region *region, const hcri_metric *metric, int warm,
                                  hcr_workspace *workspace, hcri_projection **projection, hcr_error *error);
void hcri_projection_free(hcri_projection *projection); /* NULL is fine */
/* From here on the origin and the parameters are these, a point of the region's set, which is kept. 0 without memory.
 */
int hcri_projection_place(hcri_projection *projection, const double *point);
/* What is known of that origin, row i of these: the maps then needn't find it again. */
void hcri_projection_know(hcri_projection *projection, const hcri_sample_origins *origins, size_t i);
/* y = the nearest point to a p outside. Errors: MEMORY; SOLVER and UNSUPPORTED: none was found. */
hcr_status hcri_projection_find(hcri_projection *projection, const double *p, double *y, hcr_error *error);
/* The same where the region's box is all there is. */
void hcri_projection_clamp(const hcr_region *region, const double *p, double *y);
/* Of a polytope, else NULL: its contacts at the last point, and its faces. */
hcri_active_set *hcri_projection_active_set(const hcri_projection *projection);

#endif
