/* The sign of a constraint at a point, in exact arithmetic on the stored doubles. */
#ifndef HCRI_EXACT_SIGN_H
#define HCRI_EXACT_SIGN_H

#include "region/set.h"

/* −1, 0 or 1: the sign of c_i(y) of a box, a row, a row that varies or a quadratic; y finite. */
int hcri_exact_sign(const hcri_constraint *constraint, size_t i, const double *y);
/* Does inequality i of the block hold at y, at tolerance 0? `scratch`: hcri_block_scratch numbers. Floating-point
 * bounds decide what is clear, exact arithmetic the rest. */
int hcri_exact_holds(const hcri_constraint *constraint, size_t i, const double *y, double *scratch);

/* Is it certain that inequality i doesn't hold at y? As hcri_exact_holds denies, but where that doesn't know. */
int hcri_exact_fails(const hcri_constraint *constraint, size_t i, const double *y, double *scratch);
/* The same for one kind each. */
int hcri_exact_varying_sign(const hcri_constraint *constraint, size_t i, const double *y);
/* An expression that interval arithmetic of 4096 bits can't decide doesn't hold; of a set
 * that is cut out no boundary point is left. */
int hcri_exact_cone_holds(const hcri_constraint *constraint, const double *y);
int hcri_exact_lmi_holds(const hcri_constraint *constraint, const double *y, double *scratch);
/* −1: it holds; 1: it doesn't; 0: not decided. */
int hcri_exact_expression_decide(const hcri_constraint *constraint, const double *y, double *scratch);
int hcri_exact_union_holds(const hcri_constraint *constraint, const double *y, double *scratch);
int hcri_exact_except_holds(const hcri_constraint *constraint, const double *y, double *scratch);

#endif
