/* Rows of coefficients after a substitution y = constant + T z. */
#ifndef HCRI_SUBSTITUTION_H
#define HCRI_SUBSTITUTION_H

#include "kernels/sparse_rows.h"

/* y = constant + T z: outputs as affine functions of fewer coordinates. */
typedef struct hcri_substitution {
    size_t coordinates;     /* k, the length of z */
    hcri_rows map;          /* T: n rows, columns under k */
    const double *constant; /* n */
} hcri_substitution;

/* a·y = constant + values·z, for one row a after the other. */
typedef struct hcri_substituted {
    const hcri_substitution *by;
    size_t count; /* of the last row: its entries, by increasing columns, none 0 … */
    uint32_t *columns;
    double *values;
    double constant;        /* … and a·constant */
    double *spread, *sizes; /* scratch, a number a coordinate */
} hcri_substituted;

/* Its arrays are in memory that the caller's scope releases. */
hcr_status hcri_substituted_start(hcri_substituted *row, const hcri_substitution *by, const hcr_allocator *allocator,
                                  hcr_error *error);
/* T'a and a·constant. What is left of a coefficient whose terms cancel to within their rounding is 0. */
void hcri_substituted_row(hcri_substituted *row, hcri_row a);
/* The same for a dense a of n numbers. */
void hcri_substituted_vector(hcri_substituted *row, const double *a);

#endif
