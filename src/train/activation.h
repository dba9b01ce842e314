/* The logistic function and the hyperbolic tangent in single precision, without branches or table look-ups so that
 * loops over them vectorise. Relative error below 4 units of roundoff of float for numbers
 * (tests/unit/train/test_elementwise.c); a NaN counts as an infinity.
 *
 * Both rest on exp(x) = 2^k (1 + p), with k the integer nearest to x/ln 2, r = x − k ln 2, |r| <= ln 2/2, and
 * p = exp(r) − 1 = r + r² q(r), q of degree 4 with the smallest greatest relative error of p, 1.4e-8 (found by
 * reweighted least squares). */
#ifndef HCRI_ACTIVATION_H
#define HCRI_ACTIVATION_H

#include <stdint.h>

#define HCRI_INLINE static inline __attribute__((always_inline))

typedef union hcri_bits {
    float value;
    uint32_t bits;
} hcri_bits;

/* x held in ±bound. Compilers turn the comparison of the bits, though not that of the values, into one instruction. */
HCRI_INLINE float hcri_clamp(float x, float bound) {
    const hcri_bits in = {x}, limit = {bound};
    const uint32_t size = in.bits & 0x7fffffffu, sign = in.bits & 0x80000000u;
    const hcri_bits out = {.bits = (size < limit.bits ? size : limit.bits) | sign};
    return out.value;
}

typedef struct hcri_exponential { /* exp(x) = power (1 + p) */
    float power, p;
} hcri_exponential;

/* |x| <= 87, so that 2^k is a normal number. */
HCRI_INLINE hcri_exponential hcri_exponential_of(float x) {
    /* Adding 1.5·2^23 leaves the nearest integer in the low bits of the sum. */
    const float shift = 0x1.8p23f;
    const hcri_bits shifted = {x * 0x1.715476p0f + shift};
    const hcri_bits power = {.bits = (shifted.bits << 23) + 0x3f800000u};
    const float k = shifted.value - shift;
    /* ln 2 in two parts: k times the first is exact. */
    const float r = (x - k * 0x1.62e4p-1f) - k * 1.42860682e-6f;
    const float square = r * r;
    const float low = 0x1.fffffep-2f + 0x1.5554bp-3f * r, high = 0x1.555674p-5f + 0x1.122768p-7f * r;
    const float q = low + square * (high + 0x1.6bec0cp-10f * square);
    const hcri_exponential result = {power.value, r + square * q};
    return result;
}

/* 1/(1 + exp(−x)); 0 and 1 to within 2e-38 beyond ±87. */
HCRI_INLINE float hcri_logistic(float x) {
    const hcri_exponential e = hcri_exponential_of(-hcri_clamp(x, 87));
    return 1 / (1 + (e.power + e.power * e.p));
}

/* e/(e + 2) with e = exp(2x) − 1 = (2^k − 1) + 2^k p, in which nothing cancels; ±1 beyond ±9.02, as rounding has it. */
HCRI_INLINE float hcri_tanh(float x) {
    const hcri_exponential twice = hcri_exponential_of(2 * hcri_clamp(x, 9.02f));
    const float e = (twice.power - 1) + twice.power * twice.p;
    return e / (e + 2);
}

#endif
