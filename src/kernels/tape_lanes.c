#include "kernels/tape_lanes.h"

#include "kernels/lane_functions.h"
#include "kernels/variant.h"

/* A value with its derivative by t, or with a bound of its error, which `proof` tells. What bounds are made of is
 * derived in docs/exactness.md ("Expressions"). */
typedef struct pair {
    lanes value, other;
} pair;

static const double nearly = 0x1p-10; /* the largest relative error of an argument for which slopes are bounded … */
static const double more = 1.01;      /* … by what they are times this */

/* x, infinity where the error of `argument` isn't small beside it, or it isn't positive. */
INLINE lanes if_near(pair argument, lanes x) {
    const lanes far = lanes_if_more(argument.other, nearly * argument.value, infinity(), x);
    return lanes_if_more(spread(tiny), argument.value, infinity(), far);
}

/* -------------------------------------------------------------------------------------------- steps of one argument */

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

/* --------------------------------------------------------------------------------------- steps of several arguments */

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

/* ---------------------------------------------------------------------------------------------------------- ways on */

/* A Taylor model: x at t with a bound of its error, its derivative by t there, and, from t up to t + ahead, bounds of
 * |x|, |x'| and |x''|. The derivative's own rounding is less than 2^-40 of `rate`. */
typedef struct taylor {
    lanes value, error, slope, size, rate, curve;
} taylor;

typedef struct rays {
    const double *start, *slope, *error;
    lanes t, ahead;
} rays;

INLINE taylor taylor_at(const double *work, uint32_t step, lanes ahead) {
    const double *at = work + 40 * (size_t)step;
    taylor x = {load(at), load(at + 8), load(at + 16), spread(0), load(at + 24), load(at + 32)};
    x.size = lanes_abs(x.value) + x.error + more * ahead * x.rate;
    return x;
}

INLINE taylor affine_taylor(double start, const rays *r, size_t s) {
    const lanes slope = load(r->slope + 8 * s), moved = r->t * slope, off = load(r->error + 8 * s);
    const lanes error = r->t * off + 6 * unit * (__builtin_fabs(start) + lanes_abs(moved));
    return (taylor){start + moved, error, slope, spread(0), lanes_abs(slope) + off, spread(0)};
}

static taylor sum_taylor(const hcri_tape *tape, const hcri_step *step, const double *work, lanes ahead) {
    taylor total = {.value = spread(step->parameter), .error = spread(0), .slope = spread(0), .rate = spread(0)};
    total.curve = spread(0);
    lanes size = lanes_abs(total.value);
    for (size_t k = step->first; k < step->first + step->count; k++) {
        const taylor x = taylor_at(work, tape->argument[k], ahead);
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

INLINE taylor product_taylor(taylor x, taylor y) {
    const lanes value = x.value * y.value;
    return (taylor){value,
                    lanes_abs(x.value) * y.error + (lanes_abs(y.value) + y.error) * x.error + unit * lanes_abs(value),
                    x.slope * y.value + x.value * y.slope,
                    spread(0),
                    x.rate * y.size + x.size * y.rate,
                    x.curve * y.size + 2 * x.rate * y.rate + x.size * y.curve};
}

/* f(x) from f and f', and bounds of |f'| and |f''| where |x'| times `ahead` may take x; `error` is f's own. */
INLINE taylor composed(taylor x, lanes f, lanes derivative, lanes error, lanes rate, lanes curve) {
    return (taylor){f,         rate * x.error + error, derivative * x.slope,
                    spread(0), rate * x.rate,          curve * x.rate * x.rate + rate * x.curve};
}

INLINE taylor power_taylor(double p, taylor x) {
    lanes unused;
    const lanes lower = lower_power(p, x.value, &unused), value = lower * x.value;
    const lanes curve = p < 2 ? spread(0) : p * (p - 1) * lower_power(p - 1, x.size, &unused);
    return composed(x, value, p * lower, p * unit * lanes_abs(value), p * lower_power(p, x.size, &unused), curve);
}

static taylor squares_taylor(const hcri_tape *tape, const hcri_step *step, const double *work, lanes ahead) {
    taylor total = {.value = spread(0), .error = spread(0), .slope = spread(0), .rate = spread(0)};
    total.curve = spread(0);
    for (size_t k = step->first; k < step->first + step->count; k++) {
        const taylor x = taylor_at(work, tape->argument[k], ahead), square = product_taylor(x, x);
        total.value += square.value;
        total.error += square.error;
        total.slope += square.slope;
        total.rate += square.rate;
        total.curve += square.curve;
    }
    total.error += (double)step->count * unit * total.value;
    return total;
}

static taylor other_taylor(const hcri_tape *tape, const hcri_step *step, const double *work, lanes ahead) {
    const uint32_t *argument = tape->argument + step->first;
    const taylor x = taylor_at(work, argument[0], ahead);
    switch (step->kind) {
    case HCRI_STEP_SUM: return sum_taylor(tape, step, work, ahead);
    case HCRI_STEP_PRODUCT: return product_taylor(x, taylor_at(work, argument[1], ahead));
    case HCRI_STEP_SUM_SQUARES: return squares_taylor(tape, step, work, ahead);
    case HCRI_STEP_POWER: return power_taylor(step->parameter, x);
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
    default: return (taylor){nan_lanes(), nan_lanes(), nan_lanes(), spread(0), nan_lanes(), nan_lanes()};
    }
}

/* With c >= φ(t), D >= φ'(t), M >= |φ''|: φ(t + h) <= c + D h + M h²/2, which is 0 where h is −2c/(D + √(D² − 2Mc)).
 *
 * A rate is at least 2^20/ahead times the error of its step, so that errors move no argument by more than the way 2^-20
 * ahead would: they change the derivative by 2^-20 ahead M at most. */
static lanes way_part(const hcri_tape *tape, const rays *r, double *work, lanes *at_t) {
    const lanes per_error = 0x1p20 / r->ahead;
    taylor x = {.value = r->t};
    for (size_t s = 0; s < tape->steps; s++) {
        const hcri_step *step = &tape->step[s];
        x = step->kind == HCRI_STEP_AFFINE ? affine_taylor(r->start[s], r, s)
                                           : other_taylor(tape, step, work, r->ahead);
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
