/* Is a quadratic that was read from a file as convex as it says? */
#ifndef HCRI_QUADRATIC_VERIFY_H
#define HCRI_QUADRATIC_VERIFY_H

#include "kinds/quadratic/quadratic.h"

/* Matrices beyond this many outputs: a claim isn't worth the time. */
#define HCRI_LARGEST_VERIFIED 2048
/* Has P + shift I a Cholesky factorisation in floating point? P, n × n, is used up. */
int hcri_is_positive(size_t n, double *P, double shift);
/* hcri_kind's verify. A claim that takes too much memory to verify is dropped. */
hcr_status hcri_quadratic_verify(hcri_constraint *constraint, hcr_error *error);

#endif
