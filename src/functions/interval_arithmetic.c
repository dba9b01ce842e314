#include "functions/interval_arithmetic.h"

#include "base/double_double.h"

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
    return is_safe && rest >= 0 ? rounded : hcri_below(rounded);
}
static double upper(double rounded, double rest, int is_safe) {
    return is_safe && rest <= 0 ? rounded : hcri_above(rounded);
}

/* The remainder of a quotient or a root is a floating-point number when nothing denormal comes of it. */
static const double least_safe = 0x1p-960;

/* a/b, from the sign of the remainder a − qb. An infinite b stands for one that is merely large. */
static double divide_down(double a, double b) {
    const double q = a / b, rest = copysign(1, b) * fma(-q, b, a);
    return a == 0 || isinf(b) ? 0 : lower(q, rest, fabs(a) > least_safe && fabs(q) > least_safe);
}
static double divide_up(double a, double b) { return -divide_down(-a, b); }

static double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }
static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

hcri_enclosure hcri_enclosure_multiply(hcri_enclosure a, hcri_enclosure b) {
    if (a.low == a.high)
        return hcri_enclosure_scale(a.low, b);
    if (b.low == b.high)
        return hcri_enclosure_scale(b.low, a);
    if (hcri_is_undefined(a) || hcri_is_undefined(b))
        return hcri_undefined();
    const double p = product(a.low, b.low), q = product(a.low, b.high), r = product(a.high, b.low),
                 s = product(a.high, b.high);
    return hcri_between(hcri_below(least(least(p, q), least(r, s))), hcri_above(most(most(p, q), most(r, s))));
}

hcri_enclosure hcri_enclosure_divide(hcri_enclosure a, hcri_enclosure b) {
    if (hcri_is_undefined(a) || hcri_is_undefined(b) || (b.low <= 0 && b.high >= 0))
        return hcri_undefined();
    const double low = b.high < 0 ? a.high : a.low, high = b.high < 0 ? a.low : a.high;
    return hcri_between(divide_down(low, low < 0 ? b.low : b.high), divide_up(high, high < 0 ? b.high : b.low));
}

hcri_enclosure hcri_enclosure_max(hcri_enclosure a, hcri_enclosure b) {
    if (hcri_is_undefined(a) || hcri_is_undefined(b))
        return hcri_undefined();
    return hcri_between(most(a.low, b.low), most(a.high, b.high));
}

hcri_enclosure hcri_enclosure_min(hcri_enclosure a, hcri_enclosure b) {
    if (hcri_is_undefined(a) || hcri_is_undefined(b))
        return hcri_undefined();
    return hcri_between(least(a.low, b.low), least(a.high, b.high));
}

hcri_enclosure hcri_enclosure_hull(hcri_enclosure a, hcri_enclosure b) {
    if (hcri_is_undefined(a) || hcri_is_undefined(b))
        return hcri_undefined();
    return hcri_between(least(a.low, b.low), most(a.high, b.high));
}

hcri_enclosure hcri_enclosure_common(hcri_enclosure a, hcri_enclosure b) {
    return hcri_is_undefined(a)   ? b
           : hcri_is_undefined(b) ? a
                                  : hcri_between(most(a.low, b.low), least(a.high, b.high));
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
    return hcri_between(a.low == 0 ? 1 : most(below_library(exp(a.low)), 0),
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
    const int holds_least = a.low <= hcri_above(inverse_e) && a.high >= hcri_below(inverse_e);
    return hcri_between(holds_least ? -hcri_above(hcri_above(inverse_e)) : least(end[0].low, end[1].low),
                        most(end[0].high, end[1].high));
}

/* x^p at one number x >= 0, a lower or an upper bound. */
static double power_down(double x, double p) {
    return x == 0 || x == 1 ? pow(x, p) : most(below_library(pow(x, p)), 0);
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
    const double error_bound = 0x1p-45 * (1 + most(fabs(first), fabs(last)));
    return !(ceil(first - error_bound) > floor(last + error_bound));
}

static hcri_enclosure wave(hcri_enclosure a, double (*function)(double), double crest, double trough) {
    static const double farthest = 0x1p40; /* beyond it `error bound` takes the better part of a turn */
    if (hcri_is_undefined(a))
        return a;
    if (!(a.high - a.low < 7 && fabs(a.low) < farthest && fabs(a.high) < farthest))
        return hcri_between(-1, 1);
    const double low = function(a.low), high = function(a.high);
    return hcri_between(may_hold(a, trough) ? -1 : most(-1, below_library(least(low, high))),
                        may_hold(a, crest) ? 1 : least(1, above_library(most(low, high))));
}

hcri_enclosure hcri_enclosure_sin(hcri_enclosure a) { return wave(a, sin, 1.5707963267948966, -1.5707963267948966); }
hcri_enclosure hcri_enclosure_cos(hcri_enclosure a) { return wave(a, cos, 0, 3.1415926535897932); }

hcri_enclosure hcri_enclosure_tanh(hcri_enclosure a) {
    if (hcri_is_undefined(a))
        return a;
    return hcri_between(a.low == 0 ? 0 : most(-1, below_library(tanh(a.low))),
                        a.high == 0 ? 0 : least(1, above_library(tanh(a.high))));
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
    const double error_bound = (double)(count + 1) * (0x1p-100 * sizes + 0x1p-1000);
    return hcri_enclosure_add(hcri_exactly(sum.high),
                              hcri_between(hcri_below(sum.low - error_bound), hcri_above(sum.low + error_bound)));
}
