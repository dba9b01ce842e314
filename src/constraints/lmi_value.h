/* A linear matrix inequality at a point: what depends on no origin. */
#ifndef HCRI_LMI_VALUE_H
#define HCRI_LMI_VALUE_H

#include "constraints/lmi.h"

/* 64 KiB on the stack: eight matrices of 44 rows and what is worked out with them, or one of 126. */
enum { HCRI_LMI_ON_STACK = 8192 };
/* Numbers that eight matrices take with the work of their eigenvalues; whole panels. */
static inline size_t hcri_lmi_room(size_t m) {
    return HCRI_LANES * ((HCRI_PACKED(m, 0) + HCRI_PANEL - 1) / HCRI_PANEL * HCRI_PANEL + 3 * m);
}

/* F(y), packed, each entry to about twice the working precision and rounded. */
void hcri_lmi_matrix(const hcri_lmi *lmi, const double *y, double *matrix);
/* 1 when F(y) is positive definite for certain; `matrix` has room for a packed one. */
int hcri_lmi_is_definite(const hcri_lmi *lmi, const double *y, double *matrix);

double hcri_lmi_value(const hcri_constraint *constraint, size_t i, const double *y, double *error);
void hcri_lmi_add_gradient(const hcri_constraint *constraint, size_t i, const double *y, double weight,
                           double *gradient);
int hcri_lmi_holds(const hcri_constraint *constraint, const double *y);
hcr_status hcri_lmi_substitute(const hcri_constraint *constraint, const hcri_substitution *substitution,
                               hcri_constraint **substituted, hcr_error *error);

#endif
