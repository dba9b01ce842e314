/* Matrix products of training, by CBLAS: row-major, contiguous, single precision. */
#ifndef HCRI_BLAS_H
#define HCRI_BLAS_H

#include <stddef.h>

/* Between begin and end products run on the calling thread alone: on many, the order of their sums, and with it the
 * last bits, depends on how many there are. OpenBLAS's number of threads is the process's: it is put back when the last
 * of those who began has ended. */
void hcri_blas_begin(void);
void hcri_blas_end(void);

/* C (rows × columns) += A B', A rows × inner, B columns × inner. */
void hcri_multiply_transposed(size_t rows, size_t columns, size_t inner, const float *A, const float *B, float *C);
/* C (rows × columns) = A' B, A inner × rows, B inner × columns. */
void hcri_multiply_outer(size_t rows, size_t columns, size_t inner, const float *A, const float *B, float *C);
/* sums = A' ones: the sum of each column of A (rows × columns); `ones` has that many. */
void hcri_sum_columns(size_t rows, size_t columns, const float *A, const float *ones, float *sums);

#endif
