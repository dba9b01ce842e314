/* Nearest points of a region of any kind, by IPOPT from the origin, made exact to rounding by Newton's method
 * (newton_kkt.h).
 */
#ifndef HCRI_CURVED_PROJECTION_H
#define HCRI_CURVED_PROJECTION_H

#include "maps/workspace.h"

typedef struct hcri_curved hcri_curved;

/* The region and the workspace are kept. */
hcr_status hcri_curved_create(const hcr_region *region, hcr_workspace *workspace, hcri_curved **curved,
                              hcr_error *error);
void hcri_curved_free(hcri_curved *curved); /* NULL is fine */
/* From a y on the frontier to the nearest point to p, without IPOPT. 0 when that doesn't work: y is then as it was. */
int hcri_curved_improve(hcri_curved *curved, const double *p, double *y);
/* y = the nearest point to a p that is not much farther away than the region is large. Errors: SOLVER, MEMORY. */
hcr_status hcri_curved_project(hcri_curved *curved, const double *p, double *y, hcr_error *error);

#endif
