#include "dense/dense.h"

#define HCRI_JOIN_(a, b) a##b
#define HCRI_JOIN(a, b) HCRI_JOIN_(a, b)

#define NUMBER double
#define MATRIX hcri_dense_matrix
#define MULTIPLY add_product
#include "dense/dense_multiply.h"

#define NUMBER float
#define MATRIX hcri_dense_floats
#define MULTIPLY add_float_product
#include "dense/dense_multiply.h"

void hcri_dense_multiply(hcri_dense_shape shape, double alpha, hcri_dense_matrix A, hcri_dense_matrix B, double beta,
                         double *C, size_t lead) {
    for (size_t i = 0; i < shape.rows; i++)
        for (size_t j = 0; j < shape.columns; j++)
            C[i * lead + j] = beta == 0 ? 0 : beta * C[i * lead + j];
    add_product(shape, alpha, A, B, C, lead);
}

void hcri_dense_multiply_floats(hcri_dense_shape shape, hcri_dense_floats A, hcri_dense_floats B, float beta,
                                float *C) {
    for (size_t k = 0; k < shape.rows * shape.columns; k++)
        C[k] = beta == 0 ? 0 : beta * C[k];
    add_float_product(shape, 1, A, B, C, shape.columns);
}

/* In four sums, so that they can run beside one another. */
double hcri_dense_dot(size_t n, const double *x, const double *y) {
    double sum[4] = {0};
    size_t j = 0;
    for (; j + 4 <= n; j += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += x[j + k] * y[j + k];
    for (; j < n; j++)
        sum[0] += x[j] * y[j];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double dot(size_t n, const double *x, size_t step, const double *y) {
    if (step == 1)
        return hcri_dense_dot(n, x, y);
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += x[j * step] * y[j];
    return sum;
}

void hcri_dense_apply(size_t rows, size_t columns, double alpha, hcri_dense_matrix A, const double *x, double beta,
                      double *y) {
    for (size_t i = 0; i < rows; i++) {
        const double kept = beta == 0 ? 0 : beta * y[i];
        y[i] = kept + (A.by_row == 1 ? 0 : alpha * dot(columns, A.a + i * A.by_row, A.by_column, x));
    }
    for (size_t j = 0; A.by_row == 1 && j < columns; j++)
        for (size_t i = 0; i < rows; i++)
            y[i] += alpha * x[j] * A.a[i + j * A.by_column];
}

void hcri_triangle_solve(size_t n, int upper, hcri_dense_matrix T, double *x) {
    for (size_t step = 0; step < n; step++) {
        const size_t i = upper ? n - 1 - step : step;
        const double *row = T.a + i * T.by_row;
        const double sum =
            upper ? dot(n - 1 - i, row + (i + 1) * T.by_column, T.by_column, x + i + 1) : dot(i, row, T.by_column, x);
        x[i] = (x[i] - sum) / row[i * T.by_column];
    }
}

void hcri_triangle_apply(size_t n, int upper, hcri_dense_matrix T, double *x) {
    for (size_t step = 0; step < n; step++) {
        const size_t i = upper ? step : n - 1 - step;
        const double *row = T.a + i * T.by_row;
        x[i] = upper ? dot(n - i, row + i * T.by_column, T.by_column, x + i) : dot(i + 1, row, T.by_column, x);
    }
}
