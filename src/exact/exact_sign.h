/* The sign of a constraint at a point, in exact arithmetic on the stored doubles. */
#ifndef HCRI_EXACT_SIGN_H
#define HCRI_EXACT_SIGN_H

#include "region/set.h"

/* −1, 0 or 1: the sign of c_i(y) of a kind that has one (exact_kind.h): boxes, rows, quadratics; y finite. */
int hcri_exact_sign(const hcri_constraint *constraint, size_t i, const double *y);
/* −1 where inequality i of the block holds at y, at tolerance 0; 1 where it doesn't; 0 where that stays open, which
 * happens to expressions and to callbacks. Floating-point bounds decide what is clear, exact arithmetic the rest.
 * `scratch`: hcri_block_scratch numbers. */
int hcri_exact_decide(const hcri_constraint *constraint, size_t i, const double *y, double *scratch);
/* Is it certain that it holds; that it doesn't? */
int hcri_exact_holds(const hcri_constraint *constraint, size_t i, const double *y, double *scratch);
int hcri_exact_fails(const hcri_constraint *constraint, size_t i, const double *y, double *scratch);

#endif
