#include "train/row_products.h"

#include <string.h>

size_t hcri_strips(size_t count) { return (count + HCRI_STRIP - 1) / HCRI_STRIP * HCRI_STRIP; }

/* Four by four, which fit into registers. */
void hcri_transpose_floats(size_t rows, size_t columns, const float *from, size_t from_row, float *to, size_t to_row) {
    const size_t even_rows = rows - rows % 4, even_columns = columns - columns % 4;
    for (size_t i = 0; i < even_rows; i += 4)
        for (size_t k = 0; k < even_columns; k += 4) {
            float block[4][4];
            for (size_t r = 0; r < 4; r++)
                for (size_t c = 0; c < 4; c++)
                    block[c][r] = from[(i + r) * from_row + k + c];
            for (size_t c = 0; c < 4; c++)
                memcpy(to + (k + c) * to_row + i, block[c], sizeof block[c]);
        }
    for (size_t i = 0; i < rows; i++)
        for (size_t k = i < even_rows ? even_columns : 0; k < columns; k++)
            to[k * to_row + i] = from[i * from_row + k];
}

void hcri_pack(size_t outputs, size_t inputs, const float *W, float *packed) {
    for (size_t first = 0; first < outputs; first += HCRI_STRIP, packed += inputs * HCRI_STRIP) {
        const size_t count = outputs - first < HCRI_STRIP ? outputs - first : HCRI_STRIP;
        if (count < HCRI_STRIP)
            memset(packed, 0, inputs * HCRI_STRIP * sizeof *packed);
        hcri_transpose_floats(count, inputs, W + first * inputs, inputs, packed, HCRI_STRIP);
    }
}

/* PRODUCT(name, target, width) defines the product with one strip by vectors of `width` numbers: four rows by two
 * vectors are eight sums that don't wait for each other, which fills two multipliers with a latency of four cycles. A
 * last single row has two. */
#define PRODUCT(name, target, width)                                                                                   \
    typedef float name##_vector __attribute__((vector_size(sizeof(float) * (width))));                                 \
    target static inline name##_vector name##_load(const float *from) {                                                \
        name##_vector vector;                                                                                          \
        memcpy(&vector, from, sizeof vector);                                                                          \
        return vector;                                                                                                 \
    }                                                                                                                  \
    target static void name##_four(const hcri_product *p, const float *in, const float *matrix, const float *bias,     \
                                   float *out, size_t out_row) {                                                       \
        const size_t inputs = p->inputs, step = p->step;                                                               \
        const name##_vector b0 = name##_load(bias), b1 = name##_load(bias + (width));                                  \
        name##_vector s00 = b0, s01 = b1, s10 = b0, s11 = b1, s20 = b0, s21 = b1, s30 = b0, s31 = b1;                  \
        const float *in1 = in + p->row, *in2 = in1 + p->row, *in3 = in2 + p->row;                                      \
        for (size_t k = 0; k < inputs; k++, matrix += step) {                                                          \
            const name##_vector w0 = name##_load(matrix), w1 = name##_load(matrix + (width));                          \
            s00 += w0 * in[k];                                                                                         \
            s01 += w1 * in[k];                                                                                         \
            s10 += w0 * in1[k];                                                                                        \
            s11 += w1 * in1[k];                                                                                        \
            s20 += w0 * in2[k];                                                                                        \
            s21 += w1 * in2[k];                                                                                        \
            s30 += w0 * in3[k];                                                                                        \
            s31 += w1 * in3[k];                                                                                        \
        }                                                                                                              \
        const name##_vector sums[4][2] = {{s00, s01}, {s10, s11}, {s20, s21}, {s30, s31}};                             \
        for (size_t i = 0; i < 4; i++)                                                                                 \
            memcpy(out + i * out_row, sums[i], sizeof sums[i]);                                                        \
    }                                                                                                                  \
    target static void name##_one(const hcri_product *p, const float *in, const float *matrix, const float *bias,      \
                                  float *out) {                                                                        \
        name##_vector s0 = name##_load(bias), s1 = name##_load(bias + (width));                                        \
        for (size_t k = 0; k < p->inputs; k++, matrix += p->step) {                                                    \
            s0 += name##_load(matrix) * in[k];                                                                         \
            s1 += name##_load(matrix + (width)) * in[k];                                                               \
        }                                                                                                              \
        memcpy(out, &s0, sizeof s0);                                                                                   \
        memcpy(out + (width), &s1, sizeof s1);                                                                         \
    }                                                                                                                  \
    target static void name(const hcri_product *p, size_t rows, const float *in, const float *matrix,                  \
                            const float *bias, float *out, size_t out_row) {                                           \
        for (size_t part = 0; part < HCRI_STRIP; part += 2 * (width)) {                                                \
            size_t i = 0;                                                                                              \
            for (; i + HCRI_GROUP <= rows; i += HCRI_GROUP)                                                            \
                name##_four(p, in + i * p->row, matrix + part, bias + part, out + i * out_row + part, out_row);        \
            for (; i < rows; i++)                                                                                      \
                name##_one(p, in + i * p->row, matrix + part, bias + part, out + i * out_row + part);                  \
        }                                                                                                              \
    }

/* Of `rows` rows from `in` on with one strip; rows of out are out_row apart. */
typedef void strip_product(const hcri_product *p, size_t rows, const float *in, const float *matrix, const float *bias,
                           float *out, size_t out_row);

PRODUCT(product_any, , 4)
#if defined(__x86_64__) && defined(__GNUC__)
PRODUCT(product_avx2, __attribute__((target("avx2,fma"))), 8)
PRODUCT(product_avx512, __attribute__((target("avx512f,fma"))), 16)
static strip_product *chosen(void) {
    if (__builtin_cpu_supports("avx512f"))
        return product_avx512;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? product_avx2 : product_any;
}
#else
static strip_product *chosen(void) { return product_any; }
#endif

void hcri_multiply_by(const hcri_product *p) {
    static const float zeros[HCRI_STRIP];
    strip_product *product = chosen();
    const float *matrix = p->matrix;
    for (size_t first = 0; first < p->outputs; first += HCRI_STRIP, matrix += p->strip) {
        const float *bias = p->bias == NULL ? zeros : p->bias + first;
        const size_t count = p->outputs - first;
        if (count >= HCRI_STRIP) {
            product(p, p->rows, p->in, matrix, bias, p->out + first, p->outputs);
            continue;
        }
        for (size_t i = 0; i < p->rows; i += HCRI_GROUP) { /* what reaches beyond the outputs is left out */
            const size_t rows = p->rows - i < HCRI_GROUP ? p->rows - i : HCRI_GROUP;
            float wide[HCRI_GROUP * HCRI_STRIP];
            product(p, rows, p->in + i * p->row, matrix, bias, wide, HCRI_STRIP);
            for (size_t r = 0; r < rows; r++)
                memcpy(p->out + (i + r) * p->outputs + first, wide + r * HCRI_STRIP, count * sizeof *wide);
        }
    }
}
