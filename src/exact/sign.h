/* The sign of a constraint at a point, in exact arithmetic on the stored doubles. */
#ifndef HCRI_SIGN_H
#define HCRI_SIGN_H

#include "region/set.h"

/* −1, 0 or 1: the sign of c_i(y); y finite. */
int hcri_exact_sign(const hcri_constraint *constraint, size_t i, const double *y);
/* Does inequality i of the block hold at y, at tolerance 0? Floating-point bounds decide what is clear, exact
 * arithmetic the rest. */
int hcri_exact_holds(const hcri_constraint *constraint, size_t i, const double *y);

#endif
