#include "kernels/tape_lanes.h"

#include "kernels/lanes.h"
#include "kernels/variant.h"

/* A value with its derivative by t, or with a bound of its error, which `proof` tells. What bounds are made of is
 * derived in docs/exactness.md ("Expressions"). */
typedef struct pair {
    lanes value, other;
} pair;

typedef unsigned long long bits __attribute__((vector_size(WIDTH * sizeof(long long))));

#define INLINE static inline __attribute__((always_inline))

static const double unit = 0x1p-53;
static const double of_function = 0x1p-50; /* the relative error of what a function of its own takes, with slack */
static const double nearly = 0x1p-10; /* the largest relative error of an argument for which slopes are bounded … */
static const double more = 1.01;      /* … by what they are times this */
static const double tiny = 0x1p-1000; /* what underflows is less, and so is no argument of a logarithm */

INLINE lanes infinity(void) { return spread(__builtin_inf()); }
INLINE lanes nan_lanes(void) { return spread(__builtin_nan("")); }
/* x, infinity where the error of `argument` isn't small beside it, or it isn't positive. */
INLINE lanes if_near(pair argument, lanes x) {
    const lanes far = lanes_if_more(argument.other, nearly * argument.value, infinity(), x);
    return lanes_if_more(spread(tiny), argument.value, infinity(), far);
}

/* ----------------------------------------------------------------------------------------------------- functions */

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

/* --------------------------------------------------------------------------------------------- steps of one argument
 */

INLINE pair power(double p, pair x, int proof) {
    lanes error, unused;
    const lanes lower = lower_power(p, x.value, &error);
    const lanes value = p == -1 ? select(x.value > spread(0), 1 / x.value, nan_lanes()) : lower * x.value;
    const lanes size = lanes_abs(value);
    if (!proof)
        return (pair){value, p * lower * x.other};
    if (p == (double)(int)p && p >= 1)
        return (pair){value,
                      more * p * lower_power(p, lanes_abs(x.value) + x.other, &unused) * x.other + 2 * error * size};
    const lanes moved = 1.1 * __builtin_fabs(p) * size * (x.other / x.value); /* (1 ± 2^-10)^64 < 1.1 */
    const lanes in_range =
        lanes_if_more(lower, spread(0x1p900), infinity(), lanes_if_more(spread(0x1p-900), lower, infinity(), moved));
    return (pair){value, if_near(x, in_range) + 2 * error * size};
}

INLINE pair exponential_of(pair x, int proof) {
    const lanes value = exponential(x.value);
    const lanes moved = lanes_if_more(x.other, spread(nearly), infinity(), more * value * x.other);
    return (pair){value, proof ? moved + of_function * value : value * x.other};
}

INLINE pair logarithm_of(pair x, int proof) {
    const lanes value = logarithm(x.value), rate = x.other / x.value;
    return (pair){value, proof ? if_near(x, more * rate) + of_function * lanes_abs(value) : rate};
}

INLINE pair square_root(pair x, int proof) {
    const lanes value = lanes_sqrt(x.value), rate = 0.5 * x.other / value;
    return (pair){value, proof ? if_near(x, more * rate) + unit * value : rate};
}

INLINE pair x_log_x(pair x, int proof) {
    const lanes log = logarithm(x.value), value = select(x.value == spread(0), spread(0), x.value * log);
    if (!proof)
        return (pair){value, (log + 1) * x.other};
    return (pair){value, if_near(x, more * (lanes_abs(log) + more) * x.other) + of_function * lanes_abs(value)};
}

INLINE pair huber(double p, pair x, int proof) {
    const lanes size = lanes_abs(x.value), inner = x.value * x.value, outer = p * (2 * size - p);
    const lanes value = lanes_if_more(size, spread(p), outer, inner);
    const lanes slope = 2 * lanes_max(lanes_min(x.value, spread(p)), spread(-p));
    if (!proof)
        return (pair){value, slope * x.other};
    return (pair){value, 2 * more * lanes_min(size + x.other, spread(p)) * x.other + of_function * value};
}

/* Sine and cosine, a quarter on: their slopes are 1 at most. */
INLINE pair sine_of(pair x, long long quarter, int proof) {
    const lanes value = sine(x.value, quarter);
    return (pair){value, proof ? x.other + of_function : sine(x.value, quarter + 1) * x.other};
}

/* Its slope is under 1. */
INLINE pair softplus(pair x, int proof) {
    const lanes e = exponential(-lanes_abs(x.value));
    const lanes value = lanes_max(x.value, spread(0)) + logarithm(1 + e);
    if (proof)
        return (pair){value, x.other + of_function * (1 + value)};
    return (pair){value, lanes_if_more(x.value, spread(0), spread(1), e) / (1 + e) * x.other};
}

INLINE pair absolute(pair x, int proof) {
    const lanes sign =
        lanes_if_more(x.value, spread(0), spread(1), lanes_if_more(spread(0), x.value, spread(-1), spread(0)));
    return (pair){lanes_abs(x.value), proof ? x.other : sign * x.other};
}

/* ------------------------------------------------------------------------------------------ steps of several arguments
 */

typedef struct arguments {
    const uint32_t *number;
    const double *weight, *steps; /* of the steps so far: 16 numbers each */
    size_t count;
    double parameter;
} arguments;

INLINE pair argument(const arguments *a, size_t k) {
    const double *at = a->steps + 16 * (size_t)a->number[k];
    return (pair){load(at), load(at + 8)};
}

static pair sum(const arguments *a, int proof) {
    pair total = {spread(a->parameter), spread(0)};
    lanes size = lanes_abs(total.value);
    for (size_t k = 0; k < a->count; k++) {
        const pair x = argument(a, k);
        const double weight = a->weight[k];
        total.value += weight * x.value;
        total.other += (proof ? __builtin_fabs(weight) : weight) * x.other;
        size += lanes_abs(weight * x.value);
    }
    total.other += proof ? (double)(a->count + 2) * unit * size : spread(0);
    return total;
}

INLINE pair product(pair x, pair y, int proof) {
    const lanes value = x.value * y.value;
    if (!proof)
        return (pair){value, x.other * y.value + x.value * y.other};
    return (pair){value,
                  lanes_abs(x.value) * y.other + (lanes_abs(y.value) + y.other) * x.other + unit * lanes_abs(value)};
}

INLINE pair quotient(pair x, pair y, int proof) {
    const lanes value = x.value / y.value;
    if (!proof)
        return (pair){value, (x.other - value * y.other) / y.value};
    const pair size = {lanes_abs(y.value), y.other};
    const lanes moved = more * (x.other + lanes_abs(value) * y.other) / size.value;
    return (pair){value, if_near(size, moved) + unit * lanes_abs(value)};
}

/* Where several are the same, the derivative of the one that is going to be. */
static pair extreme(const arguments *a, double sign, int proof) {
    pair best = argument(a, 0);
    for (size_t k = 1; k < a->count; k++) {
        const pair x = argument(a, k);
        const lane_mask is_number = x.value == x.value;
        lane_mask takes = (sign * x.value > sign * best.value) | ~is_number;
        lanes other = lanes_max(x.other, best.other);
        if (!proof) {
            takes |= (x.value == best.value) & (sign * x.other > sign * best.other);
            other = select(takes, x.other, best.other);
        }
        best = (pair){select(takes, x.value, best.value), other};
    }
    return best;
}

/* log Σ e^x_k moves by no more than the largest error, and its derivative is a mean of the x'. The roundings of x_k −
 * largest weigh e^-z z <= 1/e each. */
static pair log_sum_exp(const arguments *a, int proof) {
    lanes largest = argument(a, 0).value, total = spread(0), other = spread(0);
    for (size_t k = 1; k < a->count; k++)
        largest = lanes_max(argument(a, k).value, largest);
    for (size_t k = 0; k < a->count; k++) {
        const pair x = argument(a, k);
        const lanes e = exponential(x.value - largest);
        total += e;
        other = proof ? lanes_max(x.other, other) : other + e * x.other;
    }
    const lanes log = logarithm(total), value = largest + log;
    if (!proof)
        return (pair){value, other / total};
    const lanes rounding = (double)(2 * a->count + 8) * unit + of_function * (1 + log) + unit * lanes_abs(value);
    return (pair){value, other + rounding};
}

/* e^(mean of log x) */
static pair geometric_mean(const arguments *a, int proof) {
    const double each = 1 / (double)a->count;
    lanes logs = spread(0), sizes = spread(0), ratios = spread(0);
    for (size_t k = 0; k < a->count; k++) {
        const pair x = argument(a, k);
        const lanes log = logarithm(x.value), ratio = x.other / x.value;
        logs += log;
        sizes += lanes_abs(log);
        ratios += proof ? if_near(x, ratio) : ratio;
    }
    const lanes value = exponential(each * logs);
    if (!proof)
        return (pair){value, each * value * ratios};
    const lanes rounding = of_function + (of_function + (double)(a->count + 4) * unit) * each * sizes;
    return (pair){value, value * (more * each * ratios + more * rounding)};
}

/* With S = Σ (|x_k|/largest)^p, N = largest S^(1/p): N' = S^(1/p − 1) Σ ±(|x_k|/largest)^(p − 1) x_k'. It moves by no
 * more than the errors together. */
static pair norm(const arguments *a, int proof) {
    const double p = a->parameter;
    lanes largest = spread(tiny), total = spread(0), other = spread(0), error = spread(0);
    for (size_t k = 0; k < a->count; k++)
        largest = lanes_max(lanes_abs(argument(a, k).value), largest);
    const lanes inverse = 1 / largest;
    for (size_t k = 0; k < a->count; k++) {
        const pair x = argument(a, k);
        const lanes share = lanes_abs(x.value) * inverse;
        lanes each;
        const lanes lower = lower_power(p, share, &each);
        total += lower * share;
        error += each * lower * share;
        const lanes signed_lower = lanes_if_more(spread(0), x.value, -lower, lower);
        other += proof ? x.other : signed_lower * x.other;
    }
    const lanes root = p == 1 ? total : p == 2 ? lanes_sqrt(total) : exponential(logarithm(total) / p);
    const lanes value = largest * root;
    if (!proof)
        return (pair){value, other * root / total};
    /* Shares are off by 3 units, sums by their terms; root and product by what functions are. */
    const lanes rounding = (3 * p + (double)a->count + 4) * unit + 2 * error / total;
    return (pair){value, other + more * value * (rounding + of_function * (1 + logarithm(total)))};
}

static pair squares(const arguments *a, size_t from, int proof) {
    pair total = {spread(0), spread(0)};
    for (size_t k = from; k < a->count; k++) {
        const pair x = argument(a, k);
        total.value += x.value * x.value;
        total.other += proof ? (2 * lanes_abs(x.value) + x.other) * x.other : 2 * x.value * x.other;
    }
    total.other += proof ? (double)(a->count + 1) * unit * total.value : spread(0);
    return total;
}

/* Of a negative denominator there is no value. */
static pair quad_over_lin(const arguments *a, int proof) {
    const pair x = squares(a, 1, proof), y = argument(a, 0), q = quotient(x, y, proof);
    return (pair){select(y.value > spread(0), q.value, nan_lanes()),
                  q.other + (proof ? if_near(y, spread(0)) : spread(0))};
}

INLINE pair relative_entropy(pair x, pair y, int proof) {
    const lanes share = x.value / y.value, log = logarithm(share);
    const lanes product = select(x.value == spread(0), spread(0), x.value * log);
    const lanes value = select((x.value >= spread(0)) & (y.value > spread(0)), product, nan_lanes());
    if (!proof)
        return (pair){value, x.other * (log + 1) - share * y.other};
    const lanes moved = more * ((lanes_abs(log) + more) * x.other + more * share * y.other);
    return (pair){value, if_near(x, if_near(y, moved)) + of_function * (lanes_abs(value) + x.value)};
}

/* --------------------------------------------------------------------------------------------------------- the tape */

static pair other_step(const hcri_step *step, const arguments *a, int proof) {
    const pair x = argument(a, 0);
    switch (step->kind) {
    case HCRI_STEP_SUM: return sum(a, proof);
    case HCRI_STEP_PRODUCT: return product(x, argument(a, 1), proof);
    case HCRI_STEP_QUOTIENT: return quotient(x, argument(a, 1), proof);
    case HCRI_STEP_MAX: return extreme(a, 1, proof);
    case HCRI_STEP_MIN: return extreme(a, -1, proof);
    case HCRI_STEP_ABS: return absolute(x, proof);
    case HCRI_STEP_POWER: return power(step->parameter, x, proof);
    case HCRI_STEP_EXP: return exponential_of(x, proof);
    case HCRI_STEP_LOG: return logarithm_of(x, proof);
    case HCRI_STEP_SQRT: return square_root(x, proof);
    case HCRI_STEP_XLOGX: return x_log_x(x, proof);
    case HCRI_STEP_HUBER: return huber(step->parameter, x, proof);
    case HCRI_STEP_SOFTPLUS: return softplus(x, proof);
    case HCRI_STEP_SIN: return sine_of(x, 0, proof);
    case HCRI_STEP_COS: return sine_of(x, 1, proof);
    case HCRI_STEP_LOG_SUM_EXP: return log_sum_exp(a, proof);
    case HCRI_STEP_GEO_MEAN: return geometric_mean(a, proof);
    case HCRI_STEP_NORM: return norm(a, proof);
    case HCRI_STEP_SUM_SQUARES: return squares(a, 0, proof);
    case HCRI_STEP_QUAD_OVER_LIN: return quad_over_lin(a, proof);
    case HCRI_STEP_RELATIVE_ENTROPY: return relative_entropy(x, argument(a, 1), proof);
    default: return (pair){nan_lanes(), nan_lanes()};
    }
}

INLINE arguments arguments_of(const hcri_tape *tape, const hcri_step *step, const double *steps) {
    return (arguments){tape->argument + step->first, tape->weight + step->first, steps, step->count, step->parameter};
}

/* p + Σ weight y. An output itself has no error. */
static pair affine_at(const arguments *a, const double *y) {
    lanes value = spread(a->parameter), size = lanes_abs(value);
    const int is_output = a->count == 1 && a->parameter == 0 && __builtin_fabs(a->weight[0]) == 1;
    for (size_t k = 0; k < a->count; k++) {
        const lanes term = a->weight[k] * load(y + 8 * (size_t)a->number[k]);
        value += term;
        size += lanes_abs(term);
    }
    return (pair){value, is_output || a->count == 0 ? spread(0) : (double)(a->count + 2) * unit * size};
}

static void slopes_part(const hcri_tape *tape, const double *v, double *slope, double *error) {
    for (size_t s = 0; s < tape->steps; s++) {
        const hcri_step *step = &tape->step[s];
        lanes total = spread(0), size = spread(0);
        const size_t count = step->kind == HCRI_STEP_AFFINE ? step->count : 0;
        for (size_t k = step->first; k < step->first + count; k++) {
            const lanes x = load(v + 8 * (size_t)tape->argument[k]);
            total = lanes_fused(spread(tape->weight[k]), x, total);
            if (error != NULL)
                size += lanes_abs(tape->weight[k] * x);
        }
        store(slope + 8 * s, total);
        if (error != NULL)
            store(error + 8 * s, (double)(count + 1) * unit * size);
    }
}

static pair along_part(const hcri_tape *tape, const double *start, const double *slope, lanes t, double *work) {
    pair x = {t, t};
    for (size_t s = 0; s < tape->steps; s++) {
        const hcri_step *step = &tape->step[s];
        if (step->kind == HCRI_STEP_AFFINE) {
            x.other = load(slope + 8 * s);
            x.value = start[s] + t * x.other;
        } else {
            const arguments a = arguments_of(tape, step, work);
            x = other_step(step, &a, 0);
        }
        store(work + 16 * s, x.value);
        store(work + 16 * s + 8, x.other);
    }
    return x;
}

static lanes bounds_part(const hcri_tape *tape, const double *y, double *work) {
    pair x = {spread(0), spread(0)};
    for (size_t s = 0; s < tape->steps; s++) {
        const hcri_step *step = &tape->step[s];
        const arguments a = arguments_of(tape, step, work);
        x = step->kind == HCRI_STEP_AFFINE ? affine_at(&a, y) : other_step(step, &a, 1);
        x.other = lanes_if_more(infinity(), x.other, x.other, infinity()) + tiny; /* a maximum would lose a NaN */
        store(work + 16 * s, x.value);
        store(work + 16 * s + 8, x.other);
    }
    return x.value + more * x.other;
}

/* --------------------------------------------------------------------------------------------------------- ways on
 */

/* x at t with a bound of its error, its derivative by t there, and, from t up to t + ahead, bounds of |x|, |x'| and
 * |x''|. The derivative's own rounding is less than 2^-40 of `rate`. */
typedef struct bend {
    lanes value, error, slope, size, rate, curve;
} bend;

typedef struct rays {
    const double *start, *slope, *error;
    lanes t, ahead;
} rays;

INLINE bend bend_at(const double *work, uint32_t step, lanes ahead) {
    const double *at = work + 40 * (size_t)step;
    bend x = {load(at), load(at + 8), load(at + 16), spread(0), load(at + 24), load(at + 32)};
    x.size = lanes_abs(x.value) + x.error + more * ahead * x.rate;
    return x;
}

INLINE bend affine_bend(double start, const rays *r, size_t s) {
    const lanes slope = load(r->slope + 8 * s), moved = r->t * slope, off = load(r->error + 8 * s);
    const lanes error = r->t * off + 6 * unit * (__builtin_fabs(start) + lanes_abs(moved));
    return (bend){start + moved, error, slope, spread(0), lanes_abs(slope) + off, spread(0)};
}

static bend sum_bend(const hcri_tape *tape, const hcri_step *step, const double *work, lanes ahead) {
    bend total = {.value = spread(step->parameter), .error = spread(0), .slope = spread(0), .rate = spread(0)};
    total.curve = spread(0);
    lanes size = lanes_abs(total.value);
    for (size_t k = step->first; k < step->first + step->count; k++) {
        const bend x = bend_at(work, tape->argument[k], ahead);
        const double weight = tape->weight[k], positive = __builtin_fabs(weight);
        total.value += weight * x.value;
        total.error += positive * x.error;
        total.slope += weight * x.slope;
        total.rate += positive * x.rate;
        total.curve += positive * x.curve;
        size += lanes_abs(weight * x.value);
    }
    total.error += (double)(step->count + 1) * unit * size;
    return total;
}

INLINE bend product_bend(bend x, bend y) {
    const lanes value = x.value * y.value;
    return (bend){value,
                  lanes_abs(x.value) * y.error + (lanes_abs(y.value) + y.error) * x.error + unit * lanes_abs(value),
                  x.slope * y.value + x.value * y.slope,
                  spread(0),
                  x.rate * y.size + x.size * y.rate,
                  x.curve * y.size + 2 * x.rate * y.rate + x.size * y.curve};
}

/* f(x) from f and f', and bounds of |f'| and |f''| where |x'| times `ahead` may take x; `error` is f's own. */
INLINE bend composed(bend x, lanes f, lanes derivative, lanes error, lanes rate, lanes curve) {
    return (bend){f,         rate * x.error + error, derivative * x.slope,
                  spread(0), rate * x.rate,          curve * x.rate * x.rate + rate * x.curve};
}

INLINE bend power_bend(double p, bend x) {
    lanes unused;
    const lanes lower = lower_power(p, x.value, &unused), value = lower * x.value;
    const lanes curve = p < 2 ? spread(0) : p * (p - 1) * lower_power(p - 1, x.size, &unused);
    return composed(x, value, p * lower, p * unit * lanes_abs(value), p * lower_power(p, x.size, &unused), curve);
}

static bend squares_bend(const hcri_tape *tape, const hcri_step *step, const double *work, lanes ahead) {
    bend total = {.value = spread(0), .error = spread(0), .slope = spread(0), .rate = spread(0)};
    total.curve = spread(0);
    for (size_t k = step->first; k < step->first + step->count; k++) {
        const bend x = bend_at(work, tape->argument[k], ahead), square = product_bend(x, x);
        total.value += square.value;
        total.error += square.error;
        total.slope += square.slope;
        total.rate += square.rate;
        total.curve += square.curve;
    }
    total.error += (double)step->count * unit * total.value;
    return total;
}

static bend other_bend(const hcri_tape *tape, const hcri_step *step, const double *work, lanes ahead) {
    const uint32_t *argument = tape->argument + step->first;
    const bend x = bend_at(work, argument[0], ahead);
    switch (step->kind) {
    case HCRI_STEP_SUM: return sum_bend(tape, step, work, ahead);
    case HCRI_STEP_PRODUCT: return product_bend(x, bend_at(work, argument[1], ahead));
    case HCRI_STEP_SUM_SQUARES: return squares_bend(tape, step, work, ahead);
    case HCRI_STEP_POWER: return power_bend(step->parameter, x);
    case HCRI_STEP_EXP: {
        const lanes value = exponential(x.value),
                    largest = more * exponential(x.value + x.error + more * ahead * x.rate);
        return composed(x, value, value, of_function * value, largest, largest);
    }
    case HCRI_STEP_SIN:
    case HCRI_STEP_COS: {
        const long long quarter = step->kind == HCRI_STEP_COS;
        return composed(x, sine(x.value, quarter), sine(x.value, quarter + 1), spread(of_function), spread(1),
                        spread(1));
    }
    default: return (bend){nan_lanes(), nan_lanes(), nan_lanes(), spread(0), nan_lanes(), nan_lanes()};
    }
}

/* With c >= φ(t), D >= φ'(t), M >= |φ''|: φ(t + h) <= c + D h + M h²/2, which is 0 where h is −2c/(D + √(D² − 2Mc)).
 *
 * A rate is at least 2^20/ahead times the error of its step, so that errors move no argument by more than the way 2^-20
 * ahead would: they change the derivative by 2^-20 ahead M at most. */
static lanes way_part(const hcri_tape *tape, const rays *r, double *work, lanes *at_t) {
    const lanes per_error = 0x1p20 / r->ahead;
    bend x = {.value = r->t};
    for (size_t s = 0; s < tape->steps; s++) {
        const hcri_step *step = &tape->step[s];
        x = step->kind == HCRI_STEP_AFFINE ? affine_bend(r->start[s], r, s) : other_bend(tape, step, work, r->ahead);
        x.error += tiny;
        x.rate += per_error * x.error;
        double *at = work + 40 * s;
        store(at, x.value);
        store(at + 8, x.error);
        store(at + 16, x.slope);
        store(at + 24, x.rate);
        store(at + 32, x.curve);
    }
    *at_t = x.value + more * x.error;
    const lanes c = lanes_min(*at_t, spread(0)), m = more * x.curve;
    const lanes d = x.slope + 0x1p-40 * x.rate + 0x1p-20 * r->ahead * m, root = lanes_sqrt(d * d - 2 * m * c);
    const lanes way = (1 - 0x1p-40) * lanes_if_more(d, spread(0), -2 * c / (d + root), (root - d) / m);
    return lanes_if_more(way, r->ahead, r->ahead, way); /* a NaN stays */
}

static void slopes(const hcri_tape *tape, const double *v, double *slope, double *error) {
    for (size_t part = 0; part < HCRI_LANES; part += WIDTH)
        slopes_part(tape, v + part, slope + part, error == NULL ? NULL : error + part);
}

static void along(const hcri_tape *tape, const double *start, const double *slope, const double t[HCRI_LANES],
                  double value[HCRI_LANES], double derivative[HCRI_LANES], double *work) {
    for (size_t part = 0; part < HCRI_LANES; part += WIDTH) {
        const pair found = along_part(tape, start, slope + part, load(t + part), work + part);
        store(value + part, found.value);
        store(derivative + part, found.other);
    }
}

static void bounds(const hcri_tape *tape, const double *y, double most[HCRI_LANES], double *work) {
    for (size_t part = 0; part < HCRI_LANES; part += WIDTH)
        store(most + part, bounds_part(tape, y + part, work + part));
}

static void ways(const hcri_tape *tape, const double *start, const double *slope, const double *error,
                 const double t[HCRI_LANES], const double ahead[HCRI_LANES], double way[HCRI_LANES],
                 double most[HCRI_LANES], double *work) {
    for (size_t part = 0; part < HCRI_LANES; part += WIDTH) {
        lanes at_t;
        store(way + part, way_part(tape, &(rays){start, slope + part, error + part, load(t + part), load(ahead + part)},
                                   work + part, &at_t));
        store(most + part, at_t);
    }
}

static void exponentials(size_t count, const double *x, double *out) {
    for (size_t k = 0; k < 8 * count; k += WIDTH)
        store(out + k, exponential(load(x + k)));
}

static void logarithms(size_t count, const double *x, double *out) {
    for (size_t k = 0; k < 8 * count; k += WIDTH)
        store(out + k, logarithm(load(x + k)));
}

static void sines(size_t count, const double *x, double *out) {
    for (size_t k = 0; k < 8 * count; k += WIDTH)
        store(out + k, sine(load(x + k), 0));
}

extern const hcri_tape_kernels HCRI_JOIN(hcri_tape_kernels_, HCRI_VARIANT);
const hcri_tape_kernels HCRI_JOIN(hcri_tape_kernels_, HCRI_VARIANT) = {
    .slopes = slopes,
    .along = along,
    .bounds = bounds,
    .ways = ways,
    .exponentials = exponentials,
    .logarithms = logarithms,
    .sines = sines,
};
