/* How far a region of several quadratics reaches from its origin. */
#ifndef HCRI_QUADRATICS_RADIUS_H
#define HCRI_QUADRATICS_RADIUS_H

#include "region/set.h"

/* *radius: a bound of |y − origin| over the set from the mean of its quadratics, infinity when that gives none. Each
 * alone may be long and thin: their mean isn't, and it bounds the rounding of all (docs/exactness.md). */
hcr_status hcri_radius_bound(const hcri_set *set, const double *origin, double *radius, hcr_error *error);

#endif
