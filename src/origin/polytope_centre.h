/* The analytic centre of a polytope. */
#ifndef HCRI_POLYTOPE_CENTRE_H
#define HCRI_POLYTOPE_CENTRE_H

#include "region/set.h"

/* y, from a guess that may be outside to argmax Σ log(−c_i) over a set of bounds and rows alone, its equalities
 * eliminated; takes time and memory in proportion to the entries of the rows and of a sparse factor. *found 0: no point
 * strictly inside was found, so that y is anything. Errors: MEMORY. */
hcr_status hcri_polytope_centre(const hcri_set *set, double scale, double *y, int *found, hcr_error *error);

#endif
