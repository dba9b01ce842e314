/* Bounds of a tape's value at a point, and of it and its derivative over an interval of a ray, that hold with rounding.
 */
#include "functions/step_functions.h"
#include "functions/tape_evaluate.h"
#include "functions/tape_matrix.h"

/* Rules for what several arguments make; the derivative, where it is wanted, from those of the arguments, `rate`. */
typedef struct arguments {
    const hcri_tape *tape;
    const hcri_step *step;
    const uint32_t *number;
    const hcri_enclosure *x, *rate; /* of all steps; rate NULL: not wanted */
    double *scratch;
} arguments;

static const hcri_enclosure *x_of(const arguments *a, size_t k) { return &a->x[a->number[k]]; }
static hcri_enclosure rate_of(const arguments *a, size_t k) { return a->rate[a->number[k]]; }

static hcri_enclosure add(hcri_enclosure a, hcri_enclosure b) { return hcri_enclosure_add(a, b); }
static hcri_enclosure times(hcri_enclosure a, hcri_enclosure b) { return hcri_enclosure_multiply(a, b); }
static hcri_enclosure over(hcri_enclosure a, hcri_enclosure b) { return hcri_enclosure_divide(a, b); }

static hcri_enclosure weighted(const arguments *a, const hcri_enclosure *x, double parameter) {
    hcri_enclosure sum = hcri_exactly(parameter);
    for (size_t k = 0; k < a->step->count; k++)
        sum = add(sum, hcri_enclosure_scale(a->tape->weight[a->step->first + k], x[a->number[k]]));
    return sum;
}

static hcri_enclosure product(const arguments *a, hcri_enclosure *rate) {
    const hcri_enclosure x = *x_of(a, 0), y = *x_of(a, 1);
    if (a->rate != NULL)
        *rate = add(times(rate_of(a, 0), y), times(x, rate_of(a, 1)));
    return a->number[0] == a->number[1] ? hcri_enclosure_square(x) : times(x, y);
}

/* (x' − q y')/y */
static hcri_enclosure rate_of_quotient(hcri_enclosure q, hcri_enclosure y, hcri_enclosure x_rate,
                                       hcri_enclosure y_rate) {
    return over(hcri_enclosure_subtract(x_rate, times(q, y_rate)), y);
}

static hcri_enclosure quotient(const arguments *a, hcri_enclosure *rate) {
    const hcri_enclosure y = *x_of(a, 1), q = over(*x_of(a, 0), y);
    if (a->rate != NULL)
        *rate = rate_of_quotient(q, y, rate_of(a, 0), rate_of(a, 1));
    return q;
}

/* The derivative is one of those that may be the largest, or the least. */
static hcri_enclosure extreme(const arguments *a, int largest, hcri_enclosure *rate) {
    hcri_enclosure value = *x_of(a, 0);
    for (size_t k = 1; k < a->step->count; k++)
        value = largest ? hcri_enclosure_max(value, *x_of(a, k)) : hcri_enclosure_min(value, *x_of(a, k));
    for (size_t k = 0, found = 0; a->rate != NULL && k < a->step->count; k++) {
        const hcri_enclosure x = *x_of(a, k);
        if (largest ? x.high < value.low : x.low > value.high)
            continue;
        *rate = found ? hcri_enclosure_hull(*rate, rate_of(a, k)) : rate_of(a, k);
        found = 1;
    }
    return value;
}

/* log Σ e^x at the lower (or the upper) ends: it increases with each x. */
static hcri_enclosure log_sum_exp_at(const arguments *a, int upper) {
    double largest = -INFINITY;
    for (size_t k = 0; k < a->step->count; k++)
        largest = fmax(largest, upper ? x_of(a, k)->high : x_of(a, k)->low);
    hcri_enclosure sum = hcri_exactly(0);
    for (size_t k = 0; k < a->step->count; k++) {
        const hcri_enclosure x = hcri_exactly(upper ? x_of(a, k)->high : x_of(a, k)->low);
        sum = add(sum, hcri_enclosure_exp(hcri_enclosure_subtract(x, hcri_exactly(largest))));
    }
    return add(hcri_exactly(largest), hcri_enclosure_log(sum));
}

/* The derivative is a mean of those of the arguments with the weights e^(x_k − L). */
static hcri_enclosure log_sum_exp(const arguments *a, hcri_enclosure *rate) {
    const hcri_enclosure low = log_sum_exp_at(a, 0), high = log_sum_exp_at(a, 1);
    const hcri_enclosure value =
        hcri_is_undefined(low) || hcri_is_undefined(high) ? hcri_undefined() : hcri_between(low.low, high.high);
    if (a->rate == NULL || hcri_is_undefined(value))
        return value;
    hcri_enclosure sum = hcri_exactly(0), hull = rate_of(a, 0);
    for (size_t k = 0; k < a->step->count; k++) {
        const hcri_enclosure weight = hcri_enclosure_exp(hcri_enclosure_subtract(*x_of(a, k), value));
        sum = add(sum, times(hcri_between(fmin(weight.low, 1), fmin(weight.high, 1)), rate_of(a, k)));
        hull = hcri_enclosure_hull(hull, rate_of(a, k));
    }
    *rate = hcri_enclosure_common(sum, hull);
    return value;
}

/* e^(mean of log x); 0 as soon as one x is. G' = G · mean of x'/x. */
static hcri_enclosure geometric_mean(const arguments *a, hcri_enclosure *rate) {
    const hcri_enclosure each = over(hcri_exactly(1), hcri_exactly((double)a->step->count));
    hcri_enclosure end[2], ratios = hcri_exactly(0);
    for (int upper = 0; upper < 2; upper++) {
        hcri_enclosure sum = hcri_exactly(0);
        int zero = 0;
        for (size_t k = 0; k < a->step->count; k++) {
            const hcri_enclosure x = hcri_exactly(upper ? x_of(a, k)->high : x_of(a, k)->low);
            if (!(x.low >= 0))
                return hcri_undefined();
            zero |= x.low == 0;
            sum = add(sum, x.low == 0 ? hcri_exactly(0) : hcri_enclosure_log(x));
        }
        end[upper] = zero ? hcri_exactly(0) : hcri_enclosure_exp(times(sum, each));
    }
    const hcri_enclosure value = hcri_between(end[0].low, end[1].high);
    for (size_t k = 0; a->rate != NULL && k < a->step->count; k++)
        ratios = add(ratios, over(rate_of(a, k), *x_of(a, k)));
    if (a->rate != NULL)
        *rate = times(value, times(ratios, each));
    return value;
}

/* The norm at the lower (or the upper) ends of the |x|, with which it increases. */
static hcri_enclosure norm_at(const arguments *a, double p, int upper) {
    double largest = 0;
    for (size_t k = 0; k < a->step->count; k++) {
        const hcri_enclosure size = hcri_enclosure_abs(*x_of(a, k));
        if (hcri_is_undefined(size))
            return size;
        largest = fmax(largest, upper ? size.high : size.low);
    }
    if (largest == 0 || isinf(largest))
        return hcri_exactly(largest);
    const hcri_enclosure scale = hcri_exactly(p == 1 ? 1 : p == 2 ? exp2(logb(largest)) : largest);
    hcri_enclosure sum = hcri_exactly(0);
    for (size_t k = 0; k < a->step->count; k++) {
        const hcri_enclosure size = hcri_enclosure_abs(*x_of(a, k));
        const hcri_enclosure share = over(hcri_exactly(upper ? size.high : size.low), scale);
        sum = add(sum, hcri_enclosure_power(share, p));
    }
    /* sum >= 1, and its root is taken by logarithms: 1/p would be rounded. */
    return times(scale, p == 1   ? sum
                        : p == 2 ? hcri_enclosure_sqrt(sum)
                                 : hcri_enclosure_exp(over(hcri_enclosure_log(sum), hcri_exactly(p))));
}

/* Σ ±(|x|/N)^(p − 1) x' */
static hcri_enclosure norm(const arguments *a, hcri_enclosure *rate) {
    const double p = a->step->parameter;
    const hcri_enclosure low = norm_at(a, p, 0), high = norm_at(a, p, 1);
    if (hcri_is_undefined(low) || hcri_is_undefined(high))
        return hcri_undefined();
    const hcri_enclosure value = hcri_between(low.low, high.high);
    hcri_enclosure sum = hcri_exactly(0);
    for (size_t k = 0; a->rate != NULL && k < a->step->count; k++) {
        const hcri_enclosure x = *x_of(a, k);
        hcri_enclosure weight = hcri_between(0, 1);
        if (value.low > 0 && p > 1) {
            const hcri_enclosure share = over(hcri_enclosure_abs(x), value);
            weight = hcri_enclosure_power(hcri_between(fmin(fmax(share.low, 0), 1), fmin(share.high, 1)), p - 1);
        } else if (p == 1) {
            weight = hcri_exactly(1);
        }
        const hcri_enclosure signed_weight = x.low > 0    ? weight
                                             : x.high < 0 ? hcri_between(-weight.high, -weight.low)
                                                          : hcri_between(-weight.high, weight.high);
        sum = add(sum, times(signed_weight, rate_of(a, k)));
    }
    if (a->rate != NULL)
        *rate = sum;
    return value;
}

/* Σ x² over the arguments from `from` on. */
static hcri_enclosure squares(const arguments *a, size_t from, hcri_enclosure *rate) {
    hcri_enclosure sum = hcri_exactly(0), slope = hcri_exactly(0);
    for (size_t k = from; k < a->step->count; k++) {
        sum = add(sum, hcri_enclosure_square(*x_of(a, k)));
        if (a->rate != NULL)
            slope = add(slope, hcri_enclosure_scale(2, times(*x_of(a, k), rate_of(a, k))));
    }
    if (a->rate != NULL)
        *rate = slope;
    return sum;
}

static hcri_enclosure quad_over_lin(const arguments *a, hcri_enclosure *rate) {
    const hcri_enclosure y = *x_of(a, 0), sum = squares(a, 1, rate), value = over(sum, y);
    if (!(y.low > 0))
        return hcri_undefined();
    if (a->rate != NULL)
        *rate = rate_of_quotient(value, y, *rate, rate_of(a, 0));
    return value;
}

/* y (x/y) log(x/y), with the derivative x' (log(x/y) + 1) − y' x/y. */
static hcri_enclosure relative_entropy(const arguments *a, hcri_enclosure *rate) {
    const hcri_enclosure x = *x_of(a, 0), y = *x_of(a, 1), share = over(x, y), log = hcri_enclosure_log(share);
    if (!(x.low >= 0 && y.low > 0))
        return hcri_undefined();
    if (a->rate != NULL)
        *rate = hcri_enclosure_subtract(times(rate_of(a, 0), add(log, hcri_exactly(1))), times(rate_of(a, 1), share));
    return hcri_enclosure_common(times(y, hcri_enclosure_xlogx(share)), times(x, log));
}

/* The derivative of an eigenvalue is u'X'u for some unit u, that of the nuclear norm at most the nuclear norm of X'. */
static hcri_enclosure matrix_step(const arguments *a, hcri_enclosure *rate) {
    const size_t count = a->step->count, rows = a->step->rows;
    const int is_eigenvalue = a->step->kind == HCRI_STEP_LARGEST_EIGENVALUE;
    hcri_enclosure *entries = (hcri_enclosure *)(void *)a->scratch;
    double *work = a->scratch + 2 * count;
    if (a->rate != NULL) {
        for (size_t k = 0; k < count; k++)
            entries[k] = rate_of(a, k);
        const hcri_enclosure most = is_eigenvalue ? hcri_enclose_largest_eigenvalue(rows, entries, work)
                                                  : hcri_enclose_nuclear_norm(rows, count / rows, entries, work);
        for (size_t k = 0; k < count && is_eigenvalue; k++)
            entries[k] = hcri_enclosure_scale(-1, entries[k]);
        const hcri_enclosure least = is_eigenvalue ? hcri_enclose_largest_eigenvalue(rows, entries, work) : most;
        *rate = hcri_is_undefined(most) || hcri_is_undefined(least) ? hcri_undefined()
                                                                    : hcri_between(-least.high, most.high);
    }
    for (size_t k = 0; k < count; k++)
        entries[k] = *x_of(a, k);
    return is_eigenvalue ? hcri_enclose_largest_eigenvalue(rows, entries, work)
                         : hcri_enclose_nuclear_norm(rows, count / rows, entries, work);
}

static hcri_enclosure enclose_step(const arguments *a, hcri_enclosure *rate) {
    switch (a->step->kind) {
    case HCRI_STEP_SUM:
        if (a->rate != NULL)
            *rate = weighted(a, a->rate, 0);
        return weighted(a, a->x, a->step->parameter);
    case HCRI_STEP_PRODUCT: return product(a, rate);
    case HCRI_STEP_QUOTIENT: return quotient(a, rate);
    case HCRI_STEP_MAX: return extreme(a, 1, rate);
    case HCRI_STEP_MIN: return extreme(a, 0, rate);
    case HCRI_STEP_LOG_SUM_EXP: return log_sum_exp(a, rate);
    case HCRI_STEP_GEO_MEAN: return geometric_mean(a, rate);
    case HCRI_STEP_NORM: return norm(a, rate);
    case HCRI_STEP_SUM_SQUARES: return squares(a, 0, rate);
    case HCRI_STEP_QUAD_OVER_LIN: return quad_over_lin(a, rate);
    case HCRI_STEP_RELATIVE_ENTROPY: return relative_entropy(a, rate);
    case HCRI_STEP_LARGEST_EIGENVALUE:
    case HCRI_STEP_NUCLEAR_NORM: return matrix_step(a, rate);
    default: {
        hcri_enclosure slope;
        const hcri_enclosure value =
            hcri_step_enclose(a->step->kind, a->step->parameter, *x_of(a, 0), a->rate == NULL ? NULL : &slope);
        if (a->rate != NULL)
            *rate = times(slope, rate_of(a, 0));
        return value;
    }
    }
}

/* Steps that aren't affine. An argument that is undefined makes what is computed from it undefined, whatever the rule.
 */
static void enclose_other(const hcri_tape *tape, const hcri_step *step, hcri_enclosure *x, hcri_enclosure *rate,
                          size_t s, double *scratch) {
    const arguments a = {tape, step, tape->argument + step->first, x, rate, scratch};
    hcri_enclosure slope = hcri_undefined();
    x[s] = hcri_undefined();
    int defined = 1;
    for (size_t k = 0; k < step->count; k++)
        defined &= !hcri_is_undefined(*x_of(&a, k));
    if (defined)
        x[s] = enclose_step(&a, &slope);
    if (rate != NULL)
        rate[s] = slope;
}

/* What an affine step makes of the outputs, its constant left out for a direction. */
static hcri_enclosure affine(const hcri_tape *tape, const hcri_step *step, double constant, const double *y) {
    return hcri_enclosure_affine(constant, step->count, tape->weight + step->first, tape->argument + step->first, y);
}

hcri_enclosure hcri_tape_enclose(const hcri_tape *tape, const double *y, double *scratch) {
    hcri_enclosure *x = (hcri_enclosure *)(void *)scratch;
    for (size_t s = 0; s < tape->steps; s++) {
        const hcri_step *step = &tape->step[s];
        if (step->kind == HCRI_STEP_AFFINE)
            x[s] = affine(tape, step, step->parameter, y);
        else
            enclose_other(tape, step, x, NULL, s, scratch + 2 * tape->steps);
    }
    return x[tape->steps - 1];
}

/* ---------------------------------------------------------------------------------------------------------- rays */

void hcri_tape_enclose_start(const hcri_tape *tape, const double *origin, hcri_enclosure *start) {
    for (size_t s = 0; s < tape->steps; s++) {
        const hcri_step *step = &tape->step[s];
        start[s] = step->kind == HCRI_STEP_AFFINE ? affine(tape, step, step->parameter, origin) : hcri_undefined();
    }
}

void hcri_tape_start(const hcri_tape *tape, const double *origin, double *start) {
    for (size_t s = 0; s < tape->steps; s++) {
        const hcri_step *step = &tape->step[s];
        const hcri_enclosure value = step->kind == HCRI_STEP_AFFINE ? affine(tape, step, step->parameter, origin)
                                                                    : hcri_exactly(step->parameter);
        start[s] = 0.5 * value.low + 0.5 * value.high;
    }
}

void hcri_tape_enclose_slope(const hcri_tape *tape, const double *v, hcri_enclosure *slope) {
    for (size_t s = 0; s < tape->steps; s++)
        slope[s] = tape->step[s].kind == HCRI_STEP_AFFINE ? affine(tape, &tape->step[s], 0, v) : hcri_undefined();
}

hcri_enclosure hcri_tape_enclose_along(const hcri_tape *tape, const hcri_enclosure *start, const hcri_enclosure *slope,
                                       hcri_enclosure t, hcri_enclosure *derivative, double *scratch) {
    hcri_enclosure *x = (hcri_enclosure *)(void *)scratch;
    hcri_enclosure *rate = derivative == NULL ? NULL : x + tape->steps;
    for (size_t s = 0; s < tape->steps; s++) {
        const hcri_step *step = &tape->step[s];
        if (step->kind != HCRI_STEP_AFFINE) {
            enclose_other(tape, step, x, rate, s, scratch + 4 * tape->steps);
            continue;
        }
        x[s] = add(start[s], times(t, slope[s]));
        if (rate != NULL)
            rate[s] = slope[s];
    }
    if (derivative != NULL)
        *derivative = rate[tape->steps - 1];
    return x[tape->steps - 1];
}
