/* Intervals that surely hold a number, in ordinary double arithmetic and the ordinary rounding mode.
 *
 * Sums, quotients and square roots are rounded outwards by what their exact errors say (Knuth: the error of a sum is a
 * floating-point number; the sign of a remainder gives that of a quotient's), products always but by powers of two. So
 * most of what is exact stays exact. Functions of the C library are widened by HCRI_LIBRARY_ULPS units in the last
 * place: glibc's documented errors are at most 2, musl's are smaller.
 *
 * An interval whose ends are NaN is undefined: a step's argument may be outside its domain. It makes all that is
 * computed from it undefined. Ends may be infinite where nothing better is known. */
#ifndef HCRI_INTERVAL_ARITHMETIC_H
#define HCRI_INTERVAL_ARITHMETIC_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HCRI_LIBRARY_ULPS 4

typedef struct hcri_enclosure {
    double low, high;
} hcri_enclosure;

static inline hcri_enclosure hcri_between(double low, double high) { return (hcri_enclosure){low, high}; }
static inline hcri_enclosure hcri_exactly(double x) { return (hcri_enclosure){x, x}; }
static inline hcri_enclosure hcri_undefined(void) { return (hcri_enclosure){NAN, NAN}; }
static inline int hcri_is_undefined(hcri_enclosure x) { return !(x.low <= x.high); }

/* The neighbours of x, or the next but one: x ∓ (u(1 + 2u)|x| + the least denormal), u = 2^-53 (Rump, Zimmermann, Boldo
 * and Melquiond, Computing predecessor and successor in rounding to nearest, 2009). A bound that overflowed is the
 * largest number. */
static inline double hcri_below(double x) {
    return x > DBL_MAX ? DBL_MAX : x - (fabs(x) * 0x1.0000000000001p-53 + 0x1p-1074);
}
static inline double hcri_above(double x) { return -hcri_below(-x); }

/* a + b as a lower bound. The error is a NaN when it overflows. */
static inline double hcri_add_down(double a, double b) {
    const double sum = a + b, part = sum - a, rest = (a - (sum - part)) + (b - part);
    return rest >= 0 ? sum : hcri_below(sum);
}

/* a b as a lower bound; exact when one of them is a power of two and nothing denormal comes of it. 0 · infinity is 0:
 * infinite ends stand for numbers that are merely large. */
static inline double hcri_multiply_down(double a, double b) {
    static const uint64_t fraction = 0xfffffffffffff;
    const double product = a * b;
    uint64_t bits[2];
    memcpy(&bits[0], &a, sizeof a);
    memcpy(&bits[1], &b, sizeof b);
    if (a == 0 || b == 0)
        return 0;
    return ((bits[0] & fraction) == 0 || (bits[1] & fraction) == 0) && fabs(product) > DBL_MIN &&
                   fabs(product) <= DBL_MAX
               ? product
               : hcri_below(product);
}

static inline hcri_enclosure hcri_enclosure_add(hcri_enclosure a, hcri_enclosure b) {
    return hcri_between(hcri_add_down(a.low, b.low), -hcri_add_down(-a.high, -b.high));
}

static inline hcri_enclosure hcri_enclosure_subtract(hcri_enclosure a, hcri_enclosure b) {
    return hcri_between(hcri_add_down(a.low, -b.high), -hcri_add_down(-a.high, b.low));
}

static inline hcri_enclosure hcri_enclosure_abs(hcri_enclosure a) {
    return a.low >= 0    ? a
           : a.high <= 0 ? hcri_between(-a.high, -a.low)
                         : hcri_between(a.low <= a.high ? 0 : NAN, -a.low > a.high ? -a.low : a.high);
}

static inline hcri_enclosure hcri_enclosure_scale(double factor, hcri_enclosure a) {
    const double low = factor < 0 ? a.high : a.low, high = factor < 0 ? a.low : a.high;
    return hcri_is_undefined(a) || factor != factor
               ? hcri_undefined()
               : hcri_between(hcri_multiply_down(factor, low), -hcri_multiply_down(-factor, high));
}

static inline hcri_enclosure hcri_enclosure_square(hcri_enclosure a) {
    const hcri_enclosure size = hcri_enclosure_abs(a);
    return hcri_is_undefined(a)
               ? a
               : hcri_between(hcri_multiply_down(size.low, size.low), -hcri_multiply_down(-size.high, size.high));
}

hcri_enclosure hcri_enclosure_multiply(hcri_enclosure a, hcri_enclosure b);
hcri_enclosure hcri_enclosure_divide(hcri_enclosure a, hcri_enclosure b); /* undefined when b holds 0 */
/* The elementwise maximum and minimum. */
hcri_enclosure hcri_enclosure_max(hcri_enclosure a, hcri_enclosure b);
hcri_enclosure hcri_enclosure_min(hcri_enclosure a, hcri_enclosure b);
/* The hull of two intervals, and the intersection of two that hold the same number. */
hcri_enclosure hcri_enclosure_hull(hcri_enclosure a, hcri_enclosure b);
hcri_enclosure hcri_enclosure_common(hcri_enclosure a, hcri_enclosure b);

hcri_enclosure hcri_enclosure_sqrt(hcri_enclosure a);
hcri_enclosure hcri_enclosure_exp(hcri_enclosure a);
hcri_enclosure hcri_enclosure_log(hcri_enclosure a);
hcri_enclosure hcri_enclosure_log1p(hcri_enclosure a); /* a >= 0 */
hcri_enclosure hcri_enclosure_xlogx(hcri_enclosure a);
hcri_enclosure hcri_enclosure_power(hcri_enclosure a, double p); /* as HCRI_STEP_POWER */
hcri_enclosure hcri_enclosure_sin(hcri_enclosure a);
hcri_enclosure hcri_enclosure_cos(hcri_enclosure a);
hcri_enclosure hcri_enclosure_tanh(hcri_enclosure a);
hcri_enclosure hcri_enclosure_atan(hcri_enclosure a);

/* p + Σ weight_k x[index_k] for exact numbers: to about twice the working precision, then rounded outwards once. index
 * NULL: 0, 1, 2 … */
hcri_enclosure hcri_enclosure_affine(double p, size_t count, const double *weight, const uint32_t *index,
                                     const double *x);

#endif
