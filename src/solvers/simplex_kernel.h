/* The inverse of the part of a basis that isn't slacks: of the matrix M of the rows whose slack isn't basic, at the
 * columns that are. Dense, kept up to date from one basis to the next. */
#ifndef HCRI_SIMPLEX_KERNEL_H
#define HCRI_SIMPLEX_KERNEL_H

#include <stddef.h>

#include "base/status.h"

typedef struct hcri_kernel {
    size_t size, capacity; /* size × size numbers, `capacity` a row */
    double *inverse;       /* row r belongs to column r of M, column c to row c of M */
    double *room;          /* capacity numbers */
} hcri_kernel;

void hcri_kernel_release(hcri_kernel *kernel);
/* Room for one row and column more. */
hcr_status hcri_kernel_grow(hcri_kernel *kernel, hcr_error *error);
/* From M, by columns: 0 where it is singular, or there is no memory. M is used up. */
int hcri_kernel_invert(hcri_kernel *kernel, size_t size, double *M);

/* M gets a column at its end, of which `moved` is M⁻¹ times it, and a row, of which `row` is it times M⁻¹; left is the
 * number where they meet less row·column. */
void hcri_kernel_add(hcri_kernel *kernel, const double *moved, const double *row, double left);
/* M loses column r and row c; the last ones take their places. */
void hcri_kernel_remove(hcri_kernel *kernel, size_t r, size_t c);
/* Column r of M is exchanged for one that M⁻¹ makes `moved`. */
void hcri_kernel_exchange_column(hcri_kernel *kernel, size_t r, const double *moved);
/* Row c of M is exchanged for one that times M⁻¹ is `row`. */
void hcri_kernel_exchange_row(hcri_kernel *kernel, size_t c, const double *row);

/* out = M⁻¹ v, v a number for each row of M. */
void hcri_kernel_solve(const hcri_kernel *kernel, const double *v, double *out);
/* out = v M⁻¹, v a number for each column of M. */
void hcri_kernel_solve_transposed(const hcri_kernel *kernel, const double *v, double *out);

#endif
