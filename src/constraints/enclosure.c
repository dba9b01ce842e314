#include "constraints/enclosure.h"

#include <float.h>

#include "core/double_double.h"

/* The neighbours of x, or the next but one: x ∓ (u(1 + 2u)|x| + the least denormal), u = 2^-53 (Rump, Zimmermann, Boldo
 * and Melquiond, Computing predecessor and successor in rounding to nearest, 2009). A bound that overflowed is the
 * largest number. */
static double below(double x) { return x > DBL_MAX ? DBL_MAX : x - (fabs(x) * 0x1.0000000000001p-53 + 0x1p-1074); }
static double above(double x) { return x < -DBL_MAX ? -DBL_MAX : x + (fabs(x) * 0x1.0000000000001p-53 + 0x1p-1074); }

/* Results of library functions: HCRI_LIBRARY_ULPS units in the last place away, at least. */
static double below_library(double x) {
    return x > DBL_MAX ? DBL_MAX : x - (fabs(x) * (HCRI_LIBRARY_ULPS * 0x1.1p-52) + HCRI_LIBRARY_ULPS * 0x1p-1074);
}
static double above_library(double x) {
    return x < -DBL_MAX ? -DBL_MAX : x + (fabs(x) * (HCRI_LIBRARY_ULPS * 0x1.1p-52) + HCRI_LIBRARY_ULPS * 0x1p-1074);
}

/* `rounded` as a lower or an upper bound of a number that is `rest` more. Where `rest` isn't exact (`is_safe` 0), or is
 * a NaN because of an overflow, both bounds give way. */
static double lower(double rounded, double rest, int is_safe) {
    return is_safe && rest >= 0 ? rounded : below(rounded);
}
static double upper(double rounded, double rest, int is_safe) {
    return is_safe && rest <= 0 ? rounded : above(rounded);
}

static double rest_of_sum(double a, double b, double sum) {
    const double part = sum - a;
    return (a - (sum - part)) + (b - part);
}

static double add_down(double a, double b) { return lower(a + b, rest_of_sum(a, b, a + b), 1); }
static double add_up(double a, double b) { return upper(a + b, rest_of_sum(a, b, a + b), 1); }

/* The error of a product is a floating-point number when it isn't denormal. */
static const double least_safe = 0x1p-960;

/* 0 · infinity is 0: infinite ends stand for numbers that are merely large. */
static double multiply_down(double a, double b) {
    const double product = a * b;
    return a == 0 || b == 0 ? 0 : lower(product, fma(a, b, -product), fabs(product) > least_safe);
}
static double multiply_up(double a, double b) {
    const double product = a * b;
    return a == 0 || b == 0 ? 0 : upper(product, fma(a, b, -product), fabs(product) > least_safe);
}

/* a/b, from the sign of the remainder a − qb. An infinite b stands for one that is merely large. */
static double divide_down(double a, double b) {
    const double q = a / b, rest = copysign(1, b) * fma(-q, b, a);
    return a == 0 || isinf(b) ? 0 : lower(q, rest, fabs(a) > least_safe && fabs(q) > least_safe);
}
static double divide_up(double a, double b) { return -divide_down(-a, b); }

hcri_enclosure hcri_enclosure_add(hcri_enclosure a, hcri_enclosure b) {
    return hcri_between(add_down(a.low, b.low), add_up(a.high, b.high));
}

hcri_enclosure hcri_enclosure_subtract(hcri_enclosure a, hcri_enclosure b) {
    return hcri_between(add_down(a.low, -b.high), add_up(a.high, -b.low));
}

hcri_enclosure hcri_enclosure_scale(double factor, hcri_enclosure a) {
    if (hcri_is_undefined(a) || isnan(factor))
        return hcri_undefined();
    return factor < 0 ? hcri_between(multiply_down(factor, a.high), multiply_up(factor, a.low))
                      : hcri_between(multiply_down(factor, a.low), multiply_up(factor, a.high));
}

hcri_enclosure hcri_enclosure_multiply(hcri_enclosure a, hcri_enclosure b) {
    if (hcri_is_undefined(a) || hcri_is_undefined(b))
        return hcri_undefined();
    if (a.low >= 0 && b.low >= 0)
        return hcri_between(multiply_down(a.low, b.low), multiply_up(a.high, b.high));
    const double low[4] = {multiply_down(a.low, b.low), multiply_down(a.low, b.high), multiply_down(a.high, b.low),
                           multiply_down(a.high, b.high)};
    const double high[4] = {multiply_up(a.low, b.low), multiply_up(a.low, b.high), multiply_up(a.high, b.low),
                            multiply_up(a.high, b.high)};
    return hcri_between(fmin(fmin(low[0], low[1]), fmin(low[2], low[3])),
                        fmax(fmax(high[0], high[1]), fmax(high[2], high[3])));
}

hcri_enclosure hcri_enclosure_square(hcri_enclosure a) {
    if (hcri_is_undefined(a))
        return hcri_undefined();
    const hcri_enclosure size = hcri_enclosure_abs(a);
    return hcri_between(multiply_down(size.low, size.low), multiply_up(size.high, size.high));
}

hcri_enclosure hcri_enclosure_divide(hcri_enclosure a, hcri_enclosure b) {
    if (hcri_is_undefined(a) || hcri_is_undefined(b) || (b.low <= 0 && b.high >= 0))
        return hcri_undefined();
    const double low = b.high < 0 ? a.high : a.low, high = b.high < 0 ? a.low : a.high;
    return hcri_between(divide_down(low, low < 0 ? b.low : b.high), divide_up(high, high < 0 ? b.high : b.low));
}

hcri_enclosure hcri_enclosure_abs(hcri_enclosure a) {
    if (a.low >= 0)
        return a;
    if (a.high <= 0)
        return hcri_between(-a.high, -a.low);
    return hcri_is_undefined(a) ? a : hcri_between(0, fmax(-a.low, a.high));
}

hcri_enclosure hcri_enclosure_max(hcri_enclosure a, hcri_enclosure b) {
    if (hcri_is_undefined(a) || hcri_is_undefined(b))
        return hcri_undefined();
    return hcri_between(fmax(a.low, b.low), fmax(a.high, b.high));
}

hcri_enclosure hcri_enclosure_min(hcri_enclosure a, hcri_enclosure b) {
    if (hcri_is_undefined(a) || hcri_is_undefined(b))
        return hcri_undefined();
    return hcri_between(fmin(a.low, b.low), fmin(a.high, b.high));
}

hcri_enclosure hcri_enclosure_hull(hcri_enclosure a, hcri_enclosure b) {
    if (hcri_is_undefined(a) || hcri_is_undefined(b))
        return hcri_undefined();
    return hcri_between(fmin(a.low, b.low), fmax(a.high, b.high));
}

hcri_enclosure hcri_enclosure_common(hcri_enclosure a, hcri_enclosure b) {
    return hcri_is_undefined(a) ? b : hcri_is_undefined(b) ? a : hcri_between(fmax(a.low, b.low), fmin(a.high, b.high));
}

/* ----------------------------------------------------------------------------------------------------- functions */

static double sqrt_down(double x) {
    const double root = sqrt(x);
    return x == 0 ? 0 : lower(root, fma(-root, root, x), x > least_safe);
}
static double sqrt_up(double x) {
    const double root = sqrt(x);
    return x == 0 ? 0 : upper(root, fma(-root, root, x), x > least_safe);
}

hcri_enclosure hcri_enclosure_sqrt(hcri_enclosure a) {
    return a.low >= 0 ? hcri_between(sqrt_down(a.low), sqrt_up(a.high)) : hcri_undefined();
}

hcri_enclosure hcri_enclosure_exp(hcri_enclosure a) {
    if (hcri_is_undefined(a))
        return a;
    return hcri_between(a.low == 0 ? 1 : fmax(below_library(exp(a.low)), 0),
                        a.high == 0 ? 1 : above_library(exp(a.high)));
}

hcri_enclosure hcri_enclosure_log(hcri_enclosure a) {
    if (!(a.low > 0))
        return hcri_undefined();
    return hcri_between(a.low == 1 ? 0 : below_library(log(a.low)), a.high == 1 ? 0 : above_library(log(a.high)));
}

hcri_enclosure hcri_enclosure_log1p(hcri_enclosure a) {
    if (!(a.low >= 0))
        return hcri_undefined();
    return hcri_between(a.low == 0 ? 0 : below_library(log1p(a.low)), a.high == 0 ? 0 : above_library(log1p(a.high)));
}

/* Falls from 0 at 0 to −1/e at 1/e, then rises. */
hcri_enclosure hcri_enclosure_xlogx(hcri_enclosure a) {
    static const double inverse_e = 0x1.78b56362cef38p-2; /* its last bit may be off either way */
    if (!(a.low >= 0))
        return hcri_undefined();
    hcri_enclosure end[2];
    for (int k = 0; k < 2; k++) {
        const hcri_enclosure x = hcri_exactly(k == 0 ? a.low : a.high);
        end[k] = x.low == 0 ? x : hcri_enclosure_multiply(x, hcri_enclosure_log(x));
    }
    const int holds_least = a.low <= above(inverse_e) && a.high >= below(inverse_e);
    return hcri_between(holds_least ? -above(above(inverse_e)) : fmin(end[0].low, end[1].low),
                        fmax(end[0].high, end[1].high));
}

/* x^p at one number x >= 0, a lower or an upper bound. */
static double power_down(double x, double p) {
    return x == 0 || x == 1 ? pow(x, p) : fmax(below_library(pow(x, p)), 0);
}
static double power_up(double x, double p) { return x == 0 || x == 1 ? pow(x, p) : above_library(pow(x, p)); }

hcri_enclosure hcri_enclosure_power(hcri_enclosure a, double p) {
    const int is_whole = p == rint(p), is_odd = is_whole && fmod(p, 2) != 0;
    if (p == 1 || hcri_is_undefined(a))
        return a;
    if (p == 2)
        return hcri_enclosure_square(a);
    if (p == 0.5)
        return hcri_enclosure_sqrt(a);
    if (p < 0)
        return a.low > 0 ? hcri_between(power_down(a.high, p), power_up(a.low, p)) : hcri_undefined();
    if (a.low >= 0)
        return hcri_between(power_down(a.low, p), power_up(a.high, p));
    if (!is_whole)
        return hcri_undefined();
    if (is_odd)
        return hcri_between(-power_up(-a.low, p), a.high < 0 ? -power_down(-a.high, p) : power_up(a.high, p));
    const hcri_enclosure size = hcri_enclosure_abs(a);
    return hcri_between(power_down(size.low, p), power_up(size.high, p));
}

/* 1 when some number of a may be `at` plus a multiple of 2π. */
static int may_hold(hcri_enclosure a, double at) {
    static const double turn = 6.283185307179586477;
    const double first = (a.low - at) / turn, last = (a.high - at) / turn;
    const double doubt = 0x1p-45 * (1 + fmax(fabs(first), fabs(last)));
    return !(ceil(first - doubt) > floor(last + doubt));
}

static hcri_enclosure wave(hcri_enclosure a, double (*function)(double), double crest, double trough) {
    static const double most = 0x1p40; /* beyond it `doubt` takes the better part of a turn */
    if (hcri_is_undefined(a))
        return a;
    if (!(a.high - a.low < 7 && fabs(a.low) < most && fabs(a.high) < most))
        return hcri_between(-1, 1);
    const double low = function(a.low), high = function(a.high);
    return hcri_between(may_hold(a, trough) ? -1 : fmax(-1, below_library(fmin(low, high))),
                        may_hold(a, crest) ? 1 : fmin(1, above_library(fmax(low, high))));
}

hcri_enclosure hcri_enclosure_sin(hcri_enclosure a) { return wave(a, sin, 1.5707963267948966, -1.5707963267948966); }
hcri_enclosure hcri_enclosure_cos(hcri_enclosure a) { return wave(a, cos, 0, 3.1415926535897932); }

hcri_enclosure hcri_enclosure_tanh(hcri_enclosure a) {
    if (hcri_is_undefined(a))
        return a;
    return hcri_between(a.low == 0 ? 0 : fmax(-1, below_library(tanh(a.low))),
                        a.high == 0 ? 0 : fmin(1, above_library(tanh(a.high))));
}

hcri_enclosure hcri_enclosure_atan(hcri_enclosure a) {
    return hcri_between(a.low == 0 ? 0 : below_library(atan(a.low)), a.high == 0 ? 0 : above_library(atan(a.high)));
}

/* ---------------------------------------------------------------------------------------------------------- sums */

hcri_enclosure hcri_enclosure_affine(double p, size_t count, const double *weight, const uint32_t *index,
                                     const double *x) {
    if (count <= 1) {
        const hcri_enclosure sum = hcri_exactly(p);
        return count == 0 ? sum
                          : hcri_enclosure_add(
                                hcri_enclosure_scale(*weight, hcri_exactly(x[index == NULL ? 0 : *index])), sum);
    }
    hcri_dd sum = {p, 0};
    double sizes = fabs(p);
    for (size_t k = 0; k < count; k++) {
        const double at = x[index == NULL ? k : index[k]];
        sum = hcri_dd_add_product(sum, weight[k], at);
        sizes += fabs(weight[k] * at);
    }
    /* Each of the count + 1 terms adds a few units of 2^-106 of the sum so far; products may lose denormals. */
    const double doubt = (double)(count + 1) * (0x1p-100 * sizes + 0x1p-1000);
    return hcri_enclosure_add(hcri_exactly(sum.high), hcri_between(below(sum.low - doubt), above(sum.low + doubt)));
}
