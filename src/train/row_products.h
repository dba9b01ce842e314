/* Products of few rows with a matrix, for the steps of an LSTM, the derivative by a layer's inputs, and predictions. A
 * BLAS would lay the matrix out anew in every call (a step of training an LSTM of 32 to 64 units takes 12 to 17 %
 * longer with OpenBLAS's), and doesn't promise the same bits for a row in every batch; here the matrix is laid out once
 * or used as it lies, and a result is a sum over the inputs in their order, by the same instructions for every row of a
 * group of HCRI_GROUP. */
#ifndef HCRI_ROW_PRODUCTS_H
#define HCRI_ROW_PRODUCTS_H

#include <stddef.h>

#define HCRI_GROUP 4  /* rows at a time */
#define HCRI_STRIP 32 /* outputs at a time */

/* `count` rounded up to whole strips. */
size_t hcri_strips(size_t count);

/* out (rows × outputs, contiguous) = bias + in · matrix, the sum over `inputs`. Where the outputs don't fill the last
 * strip, the matrix and the bias are read, but not used, up to its end. */
typedef struct hcri_product {
    size_t rows, inputs, outputs;
    const float *in; /* number k of row i is at in[i · row + k] */
    size_t row;
    const float
        *matrix; /* that of input k and output o is at matrix[o / HCRI_STRIP · strip + k · step + o % HCRI_STRIP] */
    size_t step, strip;
    const float *bias; /* NULL: 0 */
    float *out;
} hcri_product;
/* Rows beyond the last whole group have the same values but perhaps not the same bits. */
void hcri_multiply_by(const hcri_product *product);

/* to (columns × rows) = from' (rows × columns); rows of from and to are from_row and to_row apart. */
void hcri_transpose_floats(size_t rows, size_t columns, const float *from, size_t from_row, float *to, size_t to_row);

/* A matrix W (outputs × inputs) laid out for step HCRI_STRIP and strip inputs · HCRI_STRIP; `packed` has
 * hcri_strips(outputs) · inputs numbers. */
void hcri_pack(size_t outputs, size_t inputs, const float *W, float *packed);

#endif
