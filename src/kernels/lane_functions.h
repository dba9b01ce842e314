/* e^x, log x and sin x in lanes, off by at most 2^-51 of themselves (sin x: by 2^-51), for the files that are compiled
 * once for each instruction set (kernels.c). */
#ifndef HCRI_LANE_FUNCTIONS_H
#define HCRI_LANE_FUNCTIONS_H

#include "kernels/lanes.h"

typedef unsigned long long bits __attribute__((vector_size(WIDTH * sizeof(long long))));

#define INLINE static inline __attribute__((always_inline))

static const double unit = 0x1p-53;
static const double of_function = 0x1p-50; /* the relative error of what a function of its own takes, with slack */
static const double tiny = 0x1p-1000;      /* what underflows is less, and so is no argument of a logarithm */

INLINE lanes infinity(void) { return spread(__builtin_inf()); }
INLINE lanes nan_lanes(void) { return spread(__builtin_nan("")); }

/* e^x: x = k log 2 + r, |r| <= 0.35, and Taylor's polynomial of degree 13, whose rest is 2^-57. 0 stands for what is
 * less than 2^-1020. */
INLINE lanes exponential(lanes x) {
    static const double whole = 0x1.8p52, log2e = 0x1.71547652b82fep+0, log2_high = 0x1.62e42fee00000p-1,
                        log2_low = 0x1.a39ef35793c76p-33, most = 709, least = -708;
    const lanes cut = lanes_max(lanes_min(x, spread(most)), spread(least));
    const lanes shifted = cut * log2e + whole, k = shifted - whole;
    const lanes r = (cut - k * log2_high) - k * log2_low;
    lanes p = spread(1.0 / 6227020800);
    p = p * r + 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    const lanes scaled = (lanes)((bits)p + ((bits)shifted << 52));
    return select(x == x, lanes_if_more(x, spread(most), infinity(), scaled), x);
}

/* log x: x = 2^k m, m between √½ and √2, s = (m − 1)/(m + 1), log m = 2s + 2s³/3 + …, of which 2^-60 is left out; f −
 * s(f − 2s²(1/3 + …)) has the first term without rounding. */
INLINE lanes logarithm(lanes x) {
    static const double log2_high = 0x1.62e42fee00000p-1, log2_low = 0x1.a39ef35793c76p-33, shift = 0x1p52 + 1023;
    const long long root_half = 0x3fe6a09e667f3bcdLL, one = 0x3ff0000000000000LL;
    const bits moved = (bits)(lane_mask)x + (unsigned long long)(one - root_half);
    const lanes k = (lanes)((moved >> 52) | 0x4330000000000000ULL) - shift;
    const lanes m = (lanes)((moved & 0x000fffffffffffffULL) + (unsigned long long)root_half);
    const lanes f = m - 1, s = f / (2 + f), z = s * s;
    lanes q = spread(2.0 / 23);
    q = q * z + 2.0 / 21;
    q = q * z + 2.0 / 19;
    q = q * z + 2.0 / 17;
    q = q * z + 2.0 / 15;
    q = q * z + 2.0 / 13;
    q = q * z + 2.0 / 11;
    q = q * z + 2.0 / 9;
    q = q * z + 2.0 / 7;
    q = q * z + 2.0 / 5;
    q = q * z + 2.0 / 3;
    const lanes half = 0.5 * f * f;
    const lanes log = k * log2_high - ((half - (s * (half + z * q) + k * log2_low)) - f);
    const lanes sound = lanes_if_more(infinity(), x, log, x);
    return select(x > spread(0x1p-1022), sound, select(x >= spread(0), -infinity(), nan_lanes()));
}

/* sin(x + quarter π/2) for a whole number of quarters: x = k π/2 + r, |r| <= 0.79, Taylor's polynomials, of which 2^-58
 * is left out. A NaN where |x| is more than 10^6. */
INLINE lanes sine(lanes x, long long quarter) {
    static const double whole = 0x1.8p52, per_quarter = 0x1.45f306dc9c883p-1, quarter_high = 0x1.921fb54400000p+0,
                        quarter_low = 0x1.0b4611a626331p-34, most = 1e6;
    const lanes shifted = x * per_quarter + whole, k = shifted - whole;
    const lanes r = (x - k * quarter_high) - k * quarter_low, z = r * r;
    lanes s = spread(1.0 / 355687428096000);
    s = s * z - 1.0 / 1307674368000;
    s = s * z + 1.0 / 6227020800;
    s = s * z - 1.0 / 39916800;
    s = s * z + 1.0 / 362880;
    s = s * z - 1.0 / 5040;
    s = s * z + 1.0 / 120;
    s = s * z - 1.0 / 6;
    lanes c = spread(1.0 / 20922789888000);
    c = c * z - 1.0 / 87178291200;
    c = c * z + 1.0 / 479001600;
    c = c * z - 1.0 / 3628800;
    c = c * z + 1.0 / 40320;
    c = c * z - 1.0 / 720;
    c = c * z + 1.0 / 24;
    c = c * z - 0.5;
    const lane_mask turns = (lane_mask)shifted + quarter;
    const lanes value = select((turns & 1) != 0, 1 + c * z, r + r * (s * z));
    const lanes signed_value = (lanes)((bits)value ^ ((bits)(turns & 2) << 62));
    return lanes_if_more(spread(most), lanes_abs(x), signed_value, nan_lanes());
}

/* x^(p − 1), of which the relative error is at most *error. */
INLINE lanes lower_power(double p, lanes x, lanes *error) {
    *error = spread(of_function);
    if (p == -1)
        return 1 / (x * x);
    if (p == (double)(int)p) {
        lanes power = spread(1);
        *error = spread(p * unit);
        for (int k = 1; k < (int)p; k++)
            power *= x;
        return power;
    }
    const lanes log = (p - 1) * logarithm(lanes_max(x, spread(tiny)));
    *error = of_function * (1 + lanes_abs(log));
    return select(x >= spread(0), exponential(log), nan_lanes());
}

#endif
