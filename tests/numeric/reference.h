/* The gauge from a region's description alone, in 200-bit arithmetic and by bisection: shares no formula with the
 * library. */
#ifndef HCR_TEST_REFERENCE_H
#define HCR_TEST_REFERENCE_H

#include "region/set.h"

/* 1/t for the largest t with O + t v in the set, to 1e-13 relative where it is above 1e-3/|v|; 0 when there is none
 * below 1e9/|v|. */
double reference_gauge(const hcri_set *set, const double *origin, const double *v);

/* The share of the way from O to y that lies outside the set, when it is at most `most`: 0 where y is inside, above
 * `most` where more is. To most/4096. */
double reference_excess(const hcri_set *set, const double *origin, const double *y, double most);

#endif
