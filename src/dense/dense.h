/* Dense linear algebra, under the names of BLAS and LAPACK: theirs where hcr is built with them (HCR_WITH_LAPACK), else
 * what is here, which knows of each function the cases that hcr asks for.
 *
 * What is here takes numbers through strides: entry (i, j) of a matrix is at a[i * by_row + j * by_column]. */
#ifndef HCRI_DENSE_H
#define HCRI_DENSE_H

#include <stddef.h>

typedef struct hcri_dense_matrix {
    const double *a;
    size_t by_row, by_column;
} hcri_dense_matrix;
typedef struct hcri_dense_floats {
    const float *a;
    size_t by_row, by_column;
} hcri_dense_floats;
typedef struct hcri_dense_shape { /* of a product, rows × inner times inner × columns */
    size_t rows, columns, inner;
} hcri_dense_shape;

/* C = alpha A B + beta C, C by rows with `lead` numbers each. Where beta is 0 C isn't read. */
void hcri_dense_multiply(hcri_dense_shape shape, double alpha, hcri_dense_matrix A, hcri_dense_matrix B, double beta,
                         double *C, size_t lead);
void hcri_dense_multiply_floats(hcri_dense_shape shape, hcri_dense_floats A, hcri_dense_floats B, float beta, float *C);
/* y = alpha A x + beta y. */
void hcri_dense_apply(size_t rows, size_t columns, double alpha, hcri_dense_matrix A, const double *x, double beta,
                      double *y);
double hcri_dense_dot(size_t n, const double *x, const double *y);

/* x = T⁻¹ x and x = T x, T being the lower triangle, or the upper one. */
void hcri_triangle_solve(size_t n, int upper, hcri_dense_matrix T, double *x);
void hcri_triangle_apply(size_t n, int upper, hcri_dense_matrix T, double *x);

/* Cholesky: the lower triangle by rows, `lead` numbers each, becomes L with LL' = A. 0 when a pivot isn't positive. */
int hcri_cholesky(size_t n, double *a, size_t lead);
/* L becomes the lower triangle of (LL')⁻¹. 0: no memory. */
int hcri_cholesky_invert(size_t n, double *a, size_t lead);

/* LU with partial pivoting of a matrix by columns; pivot[k] is the row, from 0, that row k is exchanged with. 0 when a
 * pivot is 0. */
int hcri_lu(size_t rows, size_t columns, double *a, size_t lead, int *pivot);
void hcri_lu_solve(size_t n, const double *a, size_t lead, const int *pivot, double *x);
/* LU becomes the inverse. 0: no memory. */
int hcri_lu_invert(size_t n, double *a, size_t lead, const int *pivot);

/* QR by Householder reflections, as LAPACK stores them: a matrix by columns becomes R and, below its diagonal, the
 * vectors v of I − tau vv'. pivot (NULL: none): the columns in the order in which they were taken, the longest left
 * first. 0: no memory. */
int hcri_qr(size_t rows, size_t columns, double *a, size_t lead, double *tau, int *pivot);
/* The first `columns` columns of Q = H_0 … H_{count−1} in the place of the reflections. 0: no memory. */
int hcri_qr_basis(size_t rows, size_t columns, size_t count, double *a, size_t lead, const double *tau);

/* Eigenvalues, ascending, of a symmetric matrix by rows, of which both triangles are read; its row k becomes the unit
 * eigenvector of value k (vectors != 0), else scratch. By Householder's tridiagonal form and implicit QL steps. 0: no
 * memory, or a number that isn't finite. */
int hcri_eigenvalues(size_t n, double *a, size_t lead, int vectors, double *value);

#ifdef HCRI_HAS_LAPACK
#include <cblas.h>
#include <lapacke.h>
#else
#include "dense/blas_names.h"
#endif

#endif
