/* Bounds from bounds: what one constraint says about an output when the others are within theirs. */
#ifndef HCRI_BOUND_PROPAGATION_H
#define HCRI_BOUND_PROPAGATION_H

#include "region/set.h"

/* Narrows lower and upper (n each, ±infinity where there is none) over the rows, the equalities and the quadratics,
 * round after round until little changes. Rounding is taken into account: a point of the set stays within. Sides may
 * cross when the set is empty; then it stops. */
void hcri_propagate(const hcri_set *set, double *lower, double *upper);

#endif
