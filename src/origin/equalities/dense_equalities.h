/* A x = b for equalities that hang together, in full matrices; b may be affine in parameters: b_0 + Σ_c b_c x_c. */
#ifndef HCRI_DENSE_EQUALITIES_H
#define HCRI_DENSE_EQUALITIES_H

#include <stddef.h>

#include "kernels/sparse_rows.h"

typedef struct hcri_dense_equalities {
    hcri_pool memory; /* of all that it has */
    size_t rows, columns, rights;
    double *A;     /* columns × rows, a row's coefficients together; their size about 1 */
    double *right; /* b: rights × rows, b_0 and then one right side a parameter */
    double *size;  /* … and of each the sum of magnitudes of what it was added up from, at least its own */

    /* found */
    size_t rank;
    size_t *row;              /* all rows, the independent ones first */
    size_t *column;           /* all columns, the dependent ones first */
    double *map;              /* T: x_dependent = constant + T x_free; rank numbers for each free column */
    double *constant;         /* rank numbers for each right side … */
    double *constant_size;    /* … and of each the sum of magnitudes of what it was added up from */
    hcri_rows sparse;         /* A's independent rows, by the places of their columns in `column` … */
    size_t *end;              /* … and where the free columns begin in each */
    double *basis;            /* Q: rank rows, orthonormal, each of `columns` numbers */
    size_t conflict;          /* a row that contradicts the independent ones, SIZE_MAX for none … */
    size_t conflicting_right; /* … in which right side, a parameter's if it can, … */
    double *weight;           /* … and how it depends on them: rank numbers */
} hcri_dense_equalities;

/* Numbers in A up to which full matrices are reasonable, 256 MB. */
#define HCRI_LARGEST_EQUALITIES ((size_t)1 << 25)

/* Room for A, right and size, zeros. */
hcr_status hcri_dense_equalities_create(size_t rows, size_t columns, size_t rights, hcri_dense_equalities *system,
                                        hcr_error *error);
void hcri_dense_equalities_release(hcri_dense_equalities *system);
hcr_status hcri_dense_equalities_solve(hcri_dense_equalities *system, hcr_error *error);

#endif
