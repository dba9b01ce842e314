/* Intervals that surely hold a number, in ordinary double arithmetic and the ordinary rounding mode.
 *
 * Sums, products, quotients and square roots are rounded outwards by what their exact errors say (Dekker, 1971; Knuth:
 * the error of a sum, and of a product by a fused multiply-add, is a floating-point number), so that what is exact
 * stays exact. Functions of the C library are widened by HCRI_LIBRARY_ULPS units in the last place: glibc's documented
 * errors are at most 2, musl's are smaller.
 *
 * An interval whose ends are NaN is undefined: a step's argument may be outside its domain. It makes all that is
 * computed from it undefined. Ends may be infinite where nothing better is known. */
#ifndef HCRI_ENCLOSURE_H
#define HCRI_ENCLOSURE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define HCRI_LIBRARY_ULPS 4

typedef struct hcri_enclosure {
    double low, high;
} hcri_enclosure;

static inline hcri_enclosure hcri_between(double low, double high) { return (hcri_enclosure){low, high}; }
static inline hcri_enclosure hcri_exactly(double x) { return (hcri_enclosure){x, x}; }
static inline hcri_enclosure hcri_undefined(void) { return (hcri_enclosure){NAN, NAN}; }
static inline int hcri_is_undefined(hcri_enclosure x) { return !(x.low <= x.high); }

hcri_enclosure hcri_enclosure_add(hcri_enclosure a, hcri_enclosure b);
hcri_enclosure hcri_enclosure_subtract(hcri_enclosure a, hcri_enclosure b);
hcri_enclosure hcri_enclosure_multiply(hcri_enclosure a, hcri_enclosure b);
hcri_enclosure hcri_enclosure_scale(double factor, hcri_enclosure a);
hcri_enclosure hcri_enclosure_square(hcri_enclosure a);
hcri_enclosure hcri_enclosure_divide(hcri_enclosure a, hcri_enclosure b); /* undefined when b holds 0 */
hcri_enclosure hcri_enclosure_abs(hcri_enclosure a);
/* The elementwise maximum and minimum. */
hcri_enclosure hcri_enclosure_max(hcri_enclosure a, hcri_enclosure b);
hcri_enclosure hcri_enclosure_min(hcri_enclosure a, hcri_enclosure b);
/* The least interval that holds both; what two that hold the same number have in common. */
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
