#include "learn/product.h"

#include <string.h>

size_t hcri_strips(size_t count) { return (count + HCRI_STRIP - 1) / HCRI_STRIP * HCRI_STRIP; }

void hcri_pack(size_t outputs, size_t inputs, const float *W, size_t output_stride, size_t input_stride,
               float *packed) {
    for (size_t first = 0; first < outputs; first += HCRI_STRIP) {
        const size_t count = outputs - first < HCRI_STRIP ? outputs - first : HCRI_STRIP;
        for (size_t k = 0; k < inputs; k++, packed += HCRI_STRIP)
            for (size_t o = 0; o < HCRI_STRIP; o++)
                packed[o] = o < count ? W[(first + o) * output_stride + k * input_stride] : 0;
    }
}

/* PRODUCT(name, target, width) defines the product by vectors of `width` numbers: four rows by two vectors are eight
 * sums that don't wait for each other, which fills two multipliers with a latency of four cycles. A last single row
 * takes two sums. */
#define PRODUCT(name, target, width)                                                                                   \
    typedef float name##_vector __attribute__((vector_size(sizeof(float) * (width))));                                 \
    target static inline name##_vector name##_load(const float *from) {                                                \
        name##_vector vector;                                                                                          \
        memcpy(&vector, from, sizeof vector);                                                                          \
        return vector;                                                                                                 \
    }                                                                                                                  \
    target static void name##_four(size_t inputs, const float *in, size_t stride, const float *strip,                  \
                                   const float *bias, float *out, size_t out_stride) {                                 \
        const name##_vector b0 = name##_load(bias), b1 = name##_load(bias + (width));                                  \
        name##_vector s00 = b0, s01 = b1, s10 = b0, s11 = b1, s20 = b0, s21 = b1, s30 = b0, s31 = b1;                  \
        const float *in1 = in + stride, *in2 = in1 + stride, *in3 = in2 + stride;                                      \
        for (size_t k = 0; k < inputs; k++, strip += HCRI_STRIP) {                                                     \
            const name##_vector w0 = name##_load(strip), w1 = name##_load(strip + (width));                            \
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
            memcpy(out + i * out_stride, sums[i], sizeof sums[i]);                                                     \
    }                                                                                                                  \
    target static void name##_one(size_t inputs, const float *in, const float *strip, const float *bias, float *out) { \
        name##_vector s0 = name##_load(bias), s1 = name##_load(bias + (width));                                        \
        for (size_t k = 0; k < inputs; k++, strip += HCRI_STRIP) {                                                     \
            s0 += name##_load(strip) * in[k];                                                                          \
            s1 += name##_load(strip + (width)) * in[k];                                                                \
        }                                                                                                              \
        memcpy(out, &s0, sizeof s0);                                                                                   \
        memcpy(out + (width), &s1, sizeof s1);                                                                         \
    }                                                                                                                  \
    target static void name(size_t rows, size_t inputs, const float *in, size_t stride, const float *strip,            \
                            const float *bias, float *out, size_t out_stride) {                                        \
        for (size_t part = 0; part < HCRI_STRIP; part += 2 * (width)) {                                                \
            size_t i = 0;                                                                                              \
            for (; i + HCRI_GROUP <= rows; i += HCRI_GROUP)                                                            \
                name##_four(inputs, in + i * stride, stride, strip + part, bias + part, out + i * out_stride + part,   \
                            out_stride);                                                                               \
            for (; i < rows; i++)                                                                                      \
                name##_one(inputs, in + i * stride, strip + part, bias + part, out + i * out_stride + part);           \
        }                                                                                                              \
    }

typedef void strip_product(size_t rows, size_t inputs, const float *in, size_t stride, const float *strip,
                           const float *bias, float *out, size_t out_stride);

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

void hcri_packed_product(size_t rows, size_t inputs, size_t outputs, const float *in, size_t in_stride,
                         const float *packed, const float *bias, float *out) {
    static const float zeros[HCRI_STRIP];
    strip_product *product = chosen();
    for (size_t first = 0; first < outputs; first += HCRI_STRIP, packed += inputs * HCRI_STRIP) {
        const float *strip_bias = bias == NULL ? zeros : bias + first;
        if (outputs - first >= HCRI_STRIP) {
            product(rows, inputs, in, in_stride, packed, strip_bias, out + first, outputs);
            continue;
        }
        for (size_t i = 0; i < rows; i += HCRI_GROUP) { /* the last strip reaches beyond the outputs */
            const size_t count = rows - i < HCRI_GROUP ? rows - i : HCRI_GROUP;
            float wide[HCRI_GROUP * HCRI_STRIP];
            product(count, inputs, in + i * in_stride, in_stride, packed, strip_bias, wide, HCRI_STRIP);
            for (size_t r = 0; r < count; r++)
                memcpy(out + (i + r) * outputs + first, wide + r * HCRI_STRIP, (outputs - first) * sizeof *out);
        }
    }
}
