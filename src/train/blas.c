#include "train/blas.h"

#include "dense/dense.h"

void hcri_multiply_transposed(size_t rows, size_t columns, size_t inner, const float *A, const float *B, float *C) {
    const blasint m = (blasint)rows, n = (blasint)columns, k = (blasint)inner;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, A, k, B, k, 1, C, n);
}

void hcri_multiply_outer(size_t rows, size_t columns, size_t inner, const float *A, const float *B, float *C) {
    const blasint m = (blasint)rows, n = (blasint)columns, k = (blasint)inner;
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, n, k, 1, A, m, B, n, 0, C, n);
}

void hcri_sum_columns(size_t rows, size_t columns, const float *A, const float *ones, float *sums) {
    const blasint m = (blasint)rows, n = (blasint)columns;
    cblas_sgemv(CblasRowMajor, CblasTrans, m, n, 1, A, n, ones, 1, 0, sums, 1);
}
