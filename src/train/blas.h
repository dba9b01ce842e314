/* Matrix products of training, by CBLAS: row-major, contiguous, single precision. */
#ifndef HCRI_BLAS_H
#define HCRI_BLAS_H

#include <stddef.h>

/* C (rows × columns) += A B', A rows × inner, B columns × inner. */
void hcri_multiply_transposed(size_t rows, size_t columns, size_t inner, const float *A, const float *B, float *C);
/* C (rows × columns) = A' B, A inner × rows, B inner × columns. */
void hcri_multiply_outer(size_t rows, size_t columns, size_t inner, const float *A, const float *B, float *C);
/* sums = A' ones: the sum of each column of A (rows × columns); `ones` has that many. */
void hcri_sum_columns(size_t rows, size_t columns, const float *A, const float *ones, float *sums);

#endif
