/* The functions of BLAS and LAPACK that hcr calls, by those of dense.h. */
#ifndef HCRI_BLAS_NAMES_H
#define HCRI_BLAS_NAMES_H

#include <math.h>

#include "base/memory.h"
#include "dense/dense.h"

typedef int blasint;
typedef int lapack_int;
typedef enum CBLAS_LAYOUT { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT;
typedef enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112 } CBLAS_TRANSPOSE;
typedef enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;
typedef enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 } CBLAS_DIAG;
typedef enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 } CBLAS_SIDE;
enum { LAPACK_ROW_MAJOR = 101, LAPACK_COL_MAJOR = 102 };

/* op(a) of a matrix that is stored with `lead` numbers a row, or a column. */
static inline hcri_dense_matrix hcri_dense_op(int layout, int transpose, const double *a, int lead) {
    const int by_rows = (layout == CblasRowMajor) == (transpose == CblasNoTrans);
    return (hcri_dense_matrix){a, by_rows ? (size_t)lead : 1, by_rows ? 1 : (size_t)lead};
}

static inline hcri_dense_floats hcri_dense_op_floats(int transpose, const float *a, int lead) {
    const int by_rows = transpose == CblasNoTrans;
    return (hcri_dense_floats){a, by_rows ? (size_t)lead : 1, by_rows ? 1 : (size_t)lead};
}

static inline void cblas_dgemm(int layout, int a_op, int b_op, int m, int n, int k, double alpha, const double *A,
                               int a_lead, const double *B, int b_lead, double beta, double *C, int c_lead) {
    if (layout == CblasColMajor) /* C' = op(B)' op(A)' */
        hcri_dense_multiply((hcri_dense_shape){(size_t)n, (size_t)m, (size_t)k}, alpha,
                            hcri_dense_op(CblasRowMajor, b_op, B, b_lead),
                            hcri_dense_op(CblasRowMajor, a_op, A, a_lead), beta, C, (size_t)c_lead);
    else
        hcri_dense_multiply((hcri_dense_shape){(size_t)m, (size_t)n, (size_t)k}, alpha,
                            hcri_dense_op(layout, a_op, A, a_lead), hcri_dense_op(layout, b_op, B, b_lead), beta, C,
                            (size_t)c_lead);
}

/* alpha = 1, by rows and without gaps. */
static inline void cblas_sgemm(int layout, int a_op, int b_op, int m, int n, int k, float alpha, const float *A,
                               int a_lead, const float *B, int b_lead, float beta, float *C, int c_lead) {
    (void)layout, (void)alpha, (void)c_lead;
    hcri_dense_multiply_floats((hcri_dense_shape){(size_t)m, (size_t)n, (size_t)k},
                               hcri_dense_op_floats(a_op, A, a_lead), hcri_dense_op_floats(b_op, B, b_lead), beta, C);
}

/* y = A'x, A by rows. */
static inline void cblas_sgemv(int layout, int op, int rows, int columns, float alpha, const float *A, int lead,
                               const float *x, int x_step, float beta, float *y, int y_step) {
    (void)layout, (void)op, (void)alpha, (void)x_step, (void)beta, (void)y_step;
    hcri_dense_multiply_floats((hcri_dense_shape){1, (size_t)columns, (size_t)rows}, (hcri_dense_floats){x, 1, 1},
                               hcri_dense_op_floats(CblasNoTrans, A, lead), 0, y);
}

static inline void cblas_dgemv(int layout, int op, int rows, int columns, double alpha, const double *A, int lead,
                               const double *x, int x_step, double beta, double *y, int y_step) {
    (void)x_step, (void)y_step;
    hcri_dense_apply((size_t)(op == CblasNoTrans ? rows : columns), (size_t)(op == CblasNoTrans ? columns : rows),
                     alpha, hcri_dense_op(layout, op, A, lead), x, beta, y);
}

/* The whole of C is written. */
static inline void cblas_dsyrk(int layout, int triangle, int op, int n, int k, double alpha, const double *A, int lead,
                               double beta, double *C, int c_lead) {
    (void)triangle;
    cblas_dgemm(layout, op, op == CblasTrans ? CblasNoTrans : CblasTrans, n, n, k, alpha, A, lead, A, lead, beta, C,
                c_lead);
}

static inline void cblas_dtrsv(int layout, int triangle, int op, int diagonal, int n, const double *A, int lead,
                               double *x, int step) {
    (void)diagonal, (void)step;
    hcri_triangle_solve((size_t)n, (triangle == CblasUpper) == (op == CblasNoTrans), hcri_dense_op(layout, op, A, lead),
                        x);
}

static inline void cblas_dtrmv(int layout, int triangle, int op, int diagonal, int n, const double *A, int lead,
                               double *x, int step) {
    (void)diagonal, (void)step;
    hcri_triangle_apply((size_t)n, (triangle == CblasUpper) == (op == CblasNoTrans), hcri_dense_op(layout, op, A, lead),
                        x);
}

/* B = B A'⁻¹ by rows, A being lower: each row of B is A⁻¹ times it. */
static inline void cblas_dtrsm(int layout, int side, int triangle, int op, int diagonal, int rows, int columns,
                               double alpha, const double *A, int lead, double *B, int b_lead) {
    (void)side, (void)op, (void)alpha;
    for (int i = 0; i < rows; i++)
        cblas_dtrsv(layout, triangle, CblasNoTrans, diagonal, columns, A, lead, B + (size_t)i * (size_t)b_lead, 1);
}

static inline double cblas_ddot(int n, const double *x, int x_step, const double *y, int y_step) {
    (void)x_step, (void)y_step;
    return hcri_dense_dot((size_t)n, x, y);
}

static inline void cblas_daxpy(int n, double alpha, const double *x, int x_step, double *y, int y_step) {
    (void)x_step, (void)y_step;
    for (int j = 0; j < n; j++)
        y[j] += alpha * x[j];
}

static inline void cblas_dscal(int n, double alpha, double *x, int step) {
    (void)step;
    for (int j = 0; j < n; j++)
        x[j] *= alpha;
}

static inline double cblas_dasum(int n, const double *x, int step) {
    (void)step;
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += fabs(x[j]);
    return sum;
}

static inline double cblas_dnrm2(int n, const double *x, int step) {
    (void)step;
    double largest = 0, sum = 0;
    for (int j = 0; j < n; j++)
        largest = fmax(largest, fabs(x[j]));
    if (!(largest > 0) || isinf(largest))
        return largest;
    for (int j = 0; j < n; j++)
        sum += (x[j] / largest) * (x[j] / largest);
    return largest * sqrt(sum);
}

/* The lower half by rows, which is the upper one by columns, in these. 1: it failed. */
static inline int LAPACKE_dpotrf(int layout, char triangle, int n, double *a, int lead) {
    (void)layout, (void)triangle;
    return !hcri_cholesky((size_t)n, a, (size_t)lead);
}

static inline int LAPACKE_dpotri(int layout, char triangle, int n, double *a, int lead) {
    (void)layout, (void)triangle;
    return !hcri_cholesky_invert((size_t)n, a, (size_t)lead);
}

/* Of one right side. */
static inline int LAPACKE_dpotrs(int layout, char triangle, int n, int count, const double *a, int lead, double *b,
                                 int b_lead) {
    (void)triangle, (void)count, (void)b_lead;
    cblas_dtrsv(layout, CblasLower, CblasNoTrans, CblasNonUnit, n, a, lead, b, 1);
    cblas_dtrsv(layout, CblasLower, CblasTrans, CblasNonUnit, n, a, lead, b, 1);
    return 0;
}

/* The 1-norm of a symmetric matrix, from its lower half by rows. */
static inline double LAPACKE_dlansy(int layout, char norm, char triangle, int n, const double *a, int lead) {
    (void)layout, (void)norm, (void)triangle;
    double most = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += fabs(a[(size_t)(i > j ? i : j) * (size_t)lead + (size_t)(i > j ? j : i)]);
        most = fmax(most, sum);
    }
    return most;
}

/* 1 / (|A| |A⁻¹|), by the inverse. */
static inline int LAPACKE_dpocon(int layout, char triangle, int n, const double *a, int lead, double norm,
                                 double *condition) {
    HCRI_SCOPED double *inverse = hcri_copy(&hcri_default_allocator, a, (size_t)n * (size_t)lead, sizeof *inverse);
    if (inverse == NULL || !hcri_cholesky_invert((size_t)n, inverse, (size_t)lead))
        return 1;
    *condition = 1 / (norm * LAPACKE_dlansy(layout, '1', triangle, n, inverse, lead));
    return 0;
}

static inline int LAPACKE_dgetrf(int layout, int rows, int columns, double *a, int lead, int *pivot) {
    (void)layout;
    if (!hcri_lu((size_t)rows, (size_t)columns, a, (size_t)lead, pivot))
        return 1;
    for (int k = 0; k < (rows < columns ? rows : columns); k++)
        pivot[k]++;
    return 0;
}

static inline int LAPACKE_dgetrs(int layout, char op, int n, int count, const double *a, int lead, int *pivot,
                                 double *b, int b_lead) {
    (void)layout, (void)op;
    for (int k = 0; k < n; k++)
        pivot[k]--;
    for (int c = 0; c < count; c++)
        hcri_lu_solve((size_t)n, a, (size_t)lead, pivot, b + (size_t)c * (size_t)b_lead);
    for (int k = 0; k < n; k++)
        pivot[k]++;
    return 0;
}

static inline int LAPACKE_dgetri(int layout, int n, double *a, int lead, int *pivot) {
    (void)layout;
    for (int k = 0; k < n; k++)
        pivot[k]--;
    return !hcri_lu_invert((size_t)n, a, (size_t)lead, pivot);
}

static inline int LAPACKE_dgeqrf(int layout, int rows, int columns, double *a, int lead, double *tau) {
    (void)layout;
    return !hcri_qr((size_t)rows, (size_t)columns, a, (size_t)lead, tau, NULL);
}

static inline int LAPACKE_dgeqp3(int layout, int rows, int columns, double *a, int lead, int *pivot, double *tau) {
    (void)layout;
    if (!hcri_qr((size_t)rows, (size_t)columns, a, (size_t)lead, tau, pivot))
        return 1;
    for (int k = 0; k < columns; k++)
        pivot[k]++;
    return 0;
}

static inline int LAPACKE_dorgqr(int layout, int rows, int columns, int count, double *a, int lead, const double *tau) {
    (void)layout;
    return !hcri_qr_basis((size_t)rows, (size_t)columns, (size_t)count, a, (size_t)lead, tau);
}

/* Of the lower half; without gaps where vectors are wanted. */
static inline int LAPACKE_dsyevd(int layout, char vectors, char triangle, int n, double *a, int lead, double *value) {
    (void)triangle;
    const size_t size = (size_t)n, by_row = layout == LAPACK_ROW_MAJOR ? (size_t)lead : 1;
    const size_t other = layout == LAPACK_ROW_MAJOR ? 1 : (size_t)lead;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < i; j++)
            a[j * by_row + i * other] = a[i * by_row + j * other];
    if (!hcri_eigenvalues(size, a, (size_t)lead, vectors == 'V', value))
        return 1;
    for (size_t i = 0; layout == LAPACK_ROW_MAJOR && vectors == 'V' && i < size; i++)
        for (size_t j = 0; j < i; j++) {
            const double kept = a[i * by_row + j];
            a[i * by_row + j] = a[j * by_row + i];
            a[j * by_row + i] = kept;
        }
    return 0;
}

static inline int LAPACKE_dsyev(int layout, char vectors, char triangle, int n, double *a, int lead, double *value) {
    return LAPACKE_dsyevd(layout, vectors, triangle, n, a, lead, value);
}

#endif
