/* F_0 + Σ y_j F_j is positive semidefinite: a linear matrix inequality. */
#ifndef HCRI_LMI_H
#define HCRI_LMI_H

#include "constraints/constraint.h"
#include "constraints/rows.h"

typedef struct hcri_lmi {
    hcri_constraint base;
    size_t size;      /* m: the matrices are m × m, symmetric */
    double *constant; /* F_0: m × m */
    hcri_rows terms;  /* entry (a, b), a >= b, of the sum: row a (a + 1)/2 + b has the outputs it depends on */
    /* after place */
    double *reduced; /* the same for −L⁻¹ F_j L⁻ᵀ, L L' = F(O), in the form that is fastest */
} hcri_lmi;

extern const hcri_kind hcri_kind_lmi;

/* Copies what it is given. */
hcr_status hcri_lmi_create(size_t n, const hcr_allocator *allocator, size_t size, const double *constant,
                           const hcri_rows *terms, hcri_constraint **constraint, hcr_error *error);

#endif
