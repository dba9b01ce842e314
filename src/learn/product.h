/* Products with a matrix that is used many times: it is laid out once, then multiplied by few rows at a time, as the
 * steps of an LSTM and predictions need. A BLAS would lay the matrix out anew in every call, and doesn't promise the
 * same bits for a row in every batch; here a result is a sum over the inputs in their order, by the same instructions
 * for every row of a group of HCRI_GROUP. */
#ifndef HCRI_PRODUCT_H
#define HCRI_PRODUCT_H

#include <stddef.h>

#define HCRI_GROUP 4  /* rows at a time */
#define HCRI_STRIP 32 /* outputs at a time */

/* `count` rounded up to whole strips. */
size_t hcri_strips(size_t count);
/* Lays out the matrix with W[o · output_stride + k · input_stride] for output o and input k; `packed` has
 * hcri_strips(outputs) · inputs numbers. */
void hcri_pack(size_t outputs, size_t inputs, const float *W, size_t output_stride, size_t input_stride, float *packed);
/* out (rows × outputs, contiguous) = bias + in W'. Row i of in begins at in + i · in_stride. bias, NULL for 0, can be
 * read up to hcri_strips(outputs). Rows beyond the last whole group have the same values but perhaps not the same bits.
 */
void hcri_packed_product(size_t rows, size_t inputs, size_t outputs, const float *in, size_t in_stride,
                         const float *packed, const float *bias, float *out);

#endif
