/* The steps of a tape whose arguments are a matrix: all eigenvalues or singular values by Jacobi's methods, which are
 * as accurate as the entries are and give the vectors with them, for derivatives and for bounds. (The largest
 * eigenvalue alone, of many matrices at once, is in symmetric.h.) */
#ifndef HCRI_TAPE_MATRIX_H
#define HCRI_TAPE_MATRIX_H

#include <stddef.h>

#include "functions/interval_arithmetic.h"

/* Matrices are row-major. `work`: numbers that every function here may use, for rows and columns up to `wide`. */
static inline size_t hcri_matrix_work(size_t wide) { return 4 * wide * wide + 2 * wide; }

/* The largest eigenvalue of the symmetric part of x, m × m; weights (NULL: not wanted) gets its derivatives by the
 * entries, u u' of a unit eigenvector u. NaN when an entry isn't finite. Leaves the eigenvalues and -vectors in work.
 */
double hcri_largest_eigenvalue(size_t m, const double *x, double *weights, double *work);
/* From that work: 2 Σ_k (u_k'Yu)²/(λ − λ_k), what a symmetric y, the derivative of x along a line, adds to the second
 * derivative; NaN when the largest eigenvalue is multiple to within rounding. */
double hcri_largest_eigenvalue_curved_term(size_t m, const double *y, const double *work);
/* The sum of the singular values; weights as above: U V' over those that aren't 0. */
double hcri_nuclear_norm(size_t rows, size_t columns, const double *x, double *weights, double *work);

hcri_enclosure hcri_enclose_largest_eigenvalue(size_t m, const hcri_enclosure *x, double *work);
hcri_enclosure hcri_enclose_nuclear_norm(size_t rows, size_t columns, const hcri_enclosure *x, double *work);

#endif
