/* Nearest points of a region with inequalities of any convex kind, and of curved ones with equalities.
 *
 * The nearest point x of a polytope that holds the region is as far away as the region's at most; where the way from
 * the origin to x leaves the region there is a point of it that is as far at least. Tangent cuts there and at x take
 * the two distances together (cutting planes; Kelley, 1960), the active-set method goes on from cut to cut. Near the
 * end Newton's method (newton_kkt.h) gets there at once where the frontier is smooth. */
#ifndef HCRI_NEAREST_POINT_H
#define HCRI_NEAREST_POINT_H

#include "maps/workspace.h"
#include "project/metric.h"

typedef struct hcri_nearest hcri_nearest;

/* The region, the metric and the workspace are kept. */
hcr_status hcri_nearest_create(const hcr_region *region, const hcri_metric *metric, hcr_workspace *workspace,
                               hcri_nearest **nearest, hcr_error *error);
void hcri_nearest_free(hcri_nearest *nearest); /* NULL is fine */
/* y: outside by no more than what its distance to p, which is too short by 1e-8 of it at most, tells. Errors: SOLVER,
 * MEMORY. */
hcr_status hcri_nearest_project(hcri_nearest *nearest, const double *p, double *y, hcr_error *error);

#endif
