/* A matrix inequality where origins move with parameters. */
#ifndef HCRI_LMI_PARAMETRIC_H
#define HCRI_LMI_PARAMETRIC_H

#include "kinds/lmi/lmi.h"
#include "kinds/parametric_rows.h"

/* hcri_kind's follow, and what it made. */
hcr_status hcri_lmi_follow(hcri_constraint *constraint, const hcri_origin_map *origin_map, hcr_error *error);
/* The entries of F, packed. */
const hcri_moving_rows *hcri_lmi_moving_entries(const hcri_lmi *lmi);
/* S(v) = −L⁻¹ (Σ v_j F_j) L⁻ᵀ with L L' = F(O) for up to eight rays from origins of their own: infinite where F(O) has
 * no factor. `matrix` and `lower`, which gets L, as `reduce_each` of symmetric.h has them. */
void hcri_lmi_reduced_from(const hcri_lmi *lmi, size_t lanes, const double *const origin[], const double *const v[],
                           double *matrix, double *lower);

#endif
