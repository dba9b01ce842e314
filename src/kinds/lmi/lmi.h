/* F_0 + Σ y_j F_j is positive semidefinite: a linear matrix inequality, c(y) = −λ_min(F(y)). */
#ifndef HCRI_LMI_H
#define HCRI_LMI_H

#include "kernels/sparse_rows.h"
#include "kernels/symmetric.h"
#include "kinds/kind.h"

typedef struct hcri_lmi {
    hcri_constraint base;
    size_t size;      /* m: the matrices are m × m, symmetric, packed as symmetric.h has it */
    double *constant; /* F_0 */
    hcri_rows terms;  /* row HCRI_PACKED(a, b) has what entry (a, b) is of each output */

    /* after place: F(O) = L L' */
    double *centre;   /* a copy of O */
    double *lower;    /* L, its diagonal inverted */
    double *inverse;  /* |L⁻¹|, packed */
    double condition; /* bounds the norm of |L⁻¹||L| */
    /* All −L⁻¹ F_j L⁻ᵀ in panels, as hcri_symmetric_kernels' combine takes them; NULL where it is less work to sum F_j
     * and to reduce the sum. */
    double *panels;

    struct hcri_moving_lmi *moving; /* after follow */
} hcri_lmi;

extern const hcri_kind hcri_kind_lmi;

/* Copies what it is given; both are packed. size is at least 1. */
hcr_status hcri_lmi_create(size_t n, const hcr_allocator *allocator, size_t size, const double *constant,
                           const hcri_rows *terms, hcri_constraint **constraint, hcr_error *error);

/* −F_j for n outputs in panels as above, or −L⁻¹ F_j L⁻ᵀ when `reduced`; F_j from rows as `terms`. In the block's
 * memory; NULL when there is none. */
double *hcri_lmi_panels(hcri_lmi *lmi, const hcri_rows *terms, size_t n, int reduced);

#endif
