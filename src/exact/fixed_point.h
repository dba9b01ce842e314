/* Every double is an integer times 2^-1074, so sums of products of k of them are integers times 2^-1074k: fixed-point
 * arithmetic on GMP integers is exact, and needs no fractions. */
#ifndef HCRI_FIXED_POINT_H
#define HCRI_FIXED_POINT_H

#include <gmp.h>
#include <math.h>

#include "kernels/sparse_rows.h"

enum { HCRI_FIXED_SCALE = 1074 };

/* out = x 2^1074 */
static inline void hcri_fixed_set(mpz_t out, double x) {
    int exponent;
    const double mantissa = frexp(x, &exponent); /* x = mantissa 2^exponent, |mantissa| in [½, 1) */
    mpz_set_d(out, ldexp(mantissa, 53));
    const int shift = exponent - 53 + HCRI_FIXED_SCALE;
    if (shift >= 0)
        mpz_mul_2exp(out, out, (mp_bitcnt_t)shift);
    else /* a denormal: the low bits are 0 */
        mpz_fdiv_q_2exp(out, out, (mp_bitcnt_t)-shift);
}

/* total += x y, both doubles; total has the scale 2^(2 · 1074). a and b are scratch. */
static inline void hcri_fixed_add_product(mpz_t total, double x, double y, mpz_t a, mpz_t b) {
    hcri_fixed_set(a, x);
    hcri_fixed_set(b, y);
    mpz_addmul(total, a, b);
}

/* out = a_i·y + constant, scale 2^(2 · 1074). */
static inline void hcri_fixed_row(mpz_t out, const hcri_rows *rows, size_t i, const double *y, double constant, mpz_t a,
                                  mpz_t b) {
    mpz_set_ui(out, 0);
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        hcri_fixed_add_product(out, rows->values[k], y[rows->columns[k]], a, b);
    hcri_fixed_add_product(out, 1, constant, a, b);
}

#endif
