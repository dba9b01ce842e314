/* A linear matrix inequality at a point: what depends on no origin. */
#ifndef HCRI_LMI_VALUE_H
#define HCRI_LMI_VALUE_H

#include "kinds/lmi/lmi.h"

/* Numbers that eight matrices take in whole panels, and behind them 3 m each for their eigenvalues or vectors: what is
 * in the scratch. */
static inline size_t hcri_lmi_room(size_t m) {
    return HCRI_LANES * ((HCRI_PACKED(m, 0) + HCRI_PANEL - 1) / HCRI_PANEL * HCRI_PANEL + 3 * m);
}
/* … and where origins move, behind them the factors of eight. */
size_t hcri_lmi_scratch(const hcri_constraint *constraint);
/* Where the eigenvalues begin. */
static inline double *hcri_lmi_work(const hcri_lmi *lmi, double *matrix) {
    return matrix + hcri_lmi_room(lmi->size) - 3 * HCRI_LANES * lmi->size;
}

/* F(y), packed, each entry to about twice the working precision and rounded. */
void hcri_lmi_matrix(const hcri_lmi *lmi, const double *y, double *matrix);
/* 1 when F(y) is positive definite for certain; `matrix` has room for a packed one. */
int hcri_lmi_is_definite(const hcri_lmi *lmi, const double *y, double *matrix);

/* gradient_j −= weight · (the sum of products of F_j with a matrix as `outer` of symmetric.h makes it), whose lane
 * begins at `matrix`. */
void hcri_lmi_subtract_forms(const hcri_lmi *lmi, const double *matrix, double weight, double *gradient);

double hcri_lmi_value(const hcri_constraint *constraint, size_t i, const double *y, double *error, double *scratch);
void hcri_lmi_add_gradient(const hcri_constraint *constraint, size_t i, const double *y, double weight,
                           double *gradient, double *scratch);
size_t hcri_lmi_edge(const hcri_constraint *constraint, size_t i, const double *y, hcri_edge *edge);
int hcri_lmi_add_edge_curvature(const hcri_constraint *constraint, size_t i, const double *y, const double *nu,
                                size_t count, const double *directions, double *out);
int hcri_lmi_add_curvature(const hcri_constraint *constraint, size_t i, const double *y, double weight, size_t count,
                           const double *directions, double *out);
int hcri_lmi_holds(const hcri_constraint *constraint, const double *y, double *scratch);
hcr_status hcri_lmi_substitute(const hcri_constraint *constraint, const hcri_substitution *substitution,
                               hcri_constraint **substituted, hcr_error *error);

#endif
