/* A tape's value along a ray with its first and second derivative by t. */
#include <math.h>

#include "functions/step_functions.h"
#include "functions/tape_evaluate.h"
#include "functions/tape_matrix.h"

typedef struct jet {
    double value, first, second;
} jet;

/* f(x) for a function of one variable. A derivative of 0 counts where the other factor is infinite. */
static jet compose(const double f[3], jet x) {
    const double curved_term = x.first == 0 ? 0 : f[2] * x.first * x.first;
    return (jet){f[0], x.first == 0 ? 0 : f[1] * x.first, curved_term + (x.second == 0 ? 0 : f[1] * x.second)};
}

static jet product(jet a, jet b) {
    return (jet){a.value * b.value, a.first * b.value + a.value * b.first,
                 a.second * b.value + 2 * a.first * b.first + a.value * b.second};
}

static jet quotient(jet a, jet b) {
    const double value = a.value / b.value, first = (a.first - value * b.first) / b.value;
    return (jet){value, first, (a.second - 2 * first * b.first - value * b.second) / b.value};
}

static jet weighted(const hcri_tape *tape, const hcri_step *step, const jet *x) {
    jet sum = {step->parameter, 0, 0};
    for (size_t k = step->first; k < step->first + step->count; k++) {
        const double weight = tape->weight[k];
        const jet *at = &x[tape->argument[k]];
        sum.value += weight * at->value;
        sum.first += weight * at->first;
        sum.second += weight * at->second;
    }
    return sum;
}

/* Where several are the same, the one that is going to be: this is a right-hand derivative. */
static jet extreme(const uint32_t *argument, size_t count, const jet *x, double sign) {
    jet best = x[argument[0]];
    for (size_t k = 1; k < count; k++) {
        const jet at = x[argument[k]];
        if (isnan(at.value) || sign * at.value > sign * best.value ||
            (at.value == best.value && sign * at.first > sign * best.first))
            best = at;
    }
    return best;
}

/* With w_k = e^(x_k − L): L' = Σ w x', L'' = Σ w (x'' + (x' − L')²). */
static jet log_sum_exp(const uint32_t *argument, size_t count, const jet *x) {
    double largest = x[argument[0]].value, sum = 0, first = 0, second = 0;
    for (size_t k = 1; k < count; k++) {
        const double at = x[argument[k]].value;
        largest = at > largest || isnan(at) ? at : largest;
    }
    if (!isfinite(largest))
        return (jet){largest, NAN, NAN};
    for (size_t k = 0; k < count; k++) {
        const double e = exp(x[argument[k]].value - largest);
        sum += e;
        first += e * x[argument[k]].first;
    }
    first /= sum;
    for (size_t k = 0; k < count; k++) {
        const jet at = x[argument[k]];
        const double apart = at.first - first;
        second += exp(at.value - largest) * (at.second + apart * apart);
    }
    return (jet){largest + log(sum), first, second / sum};
}

/* With m = mean of x'/x: G' = G m, G'' = G (m² + mean(x''/x − (x'/x)²)). */
static jet geometric_mean(const uint32_t *argument, size_t count, const jet *x) {
    double mantissa = 1, exponent = 0, slope = 0, curved_term = 0;
    for (size_t k = 0; k < count; k++) {
        const jet at = x[argument[k]];
        int e;
        if (!(at.value >= 0) || isinf(at.value))
            return (jet){NAN, NAN, NAN};
        mantissa = frexp(mantissa * at.value, &e);
        exponent += e;
        const double ratio = at.first / at.value;
        slope += ratio;
        curved_term += at.second / at.value - ratio * ratio;
    }
    const double each = 1 / (double)count, value = pow(mantissa, each) * exp2(exponent * each);
    slope *= each;
    return (jet){value, value * slope, value * (slope * slope + each * curved_term)};
}

/* With g_k = ±(|x_k|/N)^(p − 1): N' = Σ g x', N'' = Σ g x'' + (p − 1)/N (Σ (|x|/N)^(p − 2) x'² − N'²). */
static jet norm(const uint32_t *argument, size_t count, const jet *x, double p) {
    double largest = 0, sum = 0, first = 0, second = 0, squares = 0;
    for (size_t k = 0; k < count; k++) {
        const double size = fabs(x[argument[k]].value);
        largest = size > largest || isnan(size) ? size : largest;
    }
    if (!isfinite(largest))
        return (jet){largest, NAN, NAN};
    if (largest == 0) { /* then N is |x'| t to first order */
        double most = 0;
        for (size_t k = 0; k < count; k++)
            most = fmax(most, fabs(x[argument[k]].first));
        for (size_t k = 0; k < count && most > 0; k++)
            sum += pow(fabs(x[argument[k]].first) / most, p);
        return (jet){0, most * pow(sum, 1 / p), NAN};
    }
    for (size_t k = 0; k < count; k++) {
        const double share = fabs(x[argument[k]].value) / largest;
        sum += p == 1 ? share : p == 2 ? share * share : pow(share, p);
    }
    const double relative = p == 1 ? sum : p == 2 ? sqrt(sum) : pow(sum, 1 / p); /* N/largest */
    for (size_t k = 0; k < count; k++) {
        const jet at = x[argument[k]];
        const double share = fabs(at.value) / (largest * relative);
        const double weight = p == 1 ? 1 : p == 2 ? share : pow(share, p - 1);
        if (share == 0) {
            first += p == 1 ? fabs(at.first) : 0;
            squares += at.first == 0 || p > 2 || p == 1 ? 0 : p == 2 ? at.first * at.first : INFINITY;
            continue;
        }
        first += copysign(weight, at.value) * at.first;
        second += copysign(weight, at.value) * at.second;
        squares += weight / share * at.first * at.first;
    }
    const double value = largest * relative;
    return (jet){value, first, second + (p == 1 ? 0 : (p - 1) / value * (squares - first * first))};
}

static jet squares(const uint32_t *argument, size_t count, const jet *x) {
    jet sum = {0, 0, 0};
    for (size_t k = 0; k < count; k++) {
        const jet at = x[argument[k]];
        sum.value += at.value * at.value;
        sum.first += 2 * at.value * at.first;
        sum.second += 2 * (at.first * at.first + at.value * at.second);
    }
    return sum;
}

static jet relative_entropy(jet a, jet b) {
    const double rate = log(a.value / b.value) + 1, share = a.value / b.value, apart = a.first - share * b.first;
    if (!(a.value >= 0 && b.value > 0))
        return (jet){NAN, NAN, NAN};
    return (jet){a.value == 0 ? 0 : a.value * (rate - 1), a.first * rate - share * b.first,
                 a.second * rate - share * b.second + apart * apart / a.value};
}

/* Both are Σ weight_k x_k' to first order. */
static jet matrix_step(const hcri_step *step, const uint32_t *argument, const jet *x, int order, double *scratch) {
    const size_t count = step->count, rows = step->rows;
    double *entries = scratch, *weights = scratch + count, *rates = scratch + 2 * count, *work = scratch + 3 * count;
    const int is_eigenvalue = step->kind == HCRI_STEP_LARGEST_EIGENVALUE;
    jet result = {0, 0, is_eigenvalue && order > 2 ? 0 : NAN};
    for (size_t k = 0; k < count; k++)
        entries[k] = x[argument[k]].value;
    result.value = is_eigenvalue ? hcri_largest_eigenvalue(rows, entries, weights, work)
                                 : hcri_nuclear_norm(rows, count / rows, entries, weights, work);
    if (!isfinite(result.value))
        return (jet){result.value, NAN, NAN};
    for (size_t k = 0; k < count; k++) {
        rates[k] = x[argument[k]].first;
        result.first += weights[k] * rates[k];
        result.second += weights[k] * x[argument[k]].second;
    }
    if (is_eigenvalue && order > 2)
        result.second += hcri_largest_eigenvalue_curved_term(rows, rates, work);
    return result;
}

static jet step_jet(const hcri_tape *tape, const hcri_step *step, const jet *x, int order, double *scratch) {
    const uint32_t *argument = tape->argument + step->first;
    const jet first = x[argument[0]];
    double f[3];
    switch (step->kind) {
    case HCRI_STEP_SUM: return weighted(tape, step, x);
    case HCRI_STEP_PRODUCT: return product(first, x[argument[1]]);
    case HCRI_STEP_QUOTIENT: return quotient(first, x[argument[1]]);
    case HCRI_STEP_MAX: return extreme(argument, step->count, x, 1);
    case HCRI_STEP_MIN: return extreme(argument, step->count, x, -1);
    case HCRI_STEP_LOG_SUM_EXP: return log_sum_exp(argument, step->count, x);
    case HCRI_STEP_GEO_MEAN: return geometric_mean(argument, step->count, x);
    case HCRI_STEP_NORM: return norm(argument, step->count, x, step->parameter);
    case HCRI_STEP_SUM_SQUARES: return squares(argument, step->count, x);
    case HCRI_STEP_QUAD_OVER_LIN:
        return first.value > 0 ? quotient(squares(argument + 1, step->count - 1, x), first) : (jet){NAN, NAN, NAN};
    case HCRI_STEP_RELATIVE_ENTROPY: return relative_entropy(first, x[argument[1]]);
    case HCRI_STEP_LARGEST_EIGENVALUE:
    case HCRI_STEP_NUCLEAR_NORM: return matrix_step(step, argument, x, order, scratch);
    default: hcri_step_function(step->kind, step->parameter, first.value, order, f); return compose(f, first);
    }
}

void hcri_tape_jet(const hcri_tape *tape, const double *start, const double *slope, double t, int order,
                   double found[3], double *scratch) {
    jet *x = (jet *)(void *)scratch;
    for (size_t s = 0; s < tape->steps; s++) {
        const hcri_step *step = &tape->step[s];
        x[s] = step->kind == HCRI_STEP_AFFINE ? (jet){start[s] + t * slope[s], slope[s], 0}
                                              : step_jet(tape, step, x, order, scratch + 3 * tape->steps);
    }
    const jet last = x[tape->steps - 1];
    found[0] = last.value;
    if (order > 1)
        found[1] = last.first;
    if (order > 2)
        found[2] = last.second;
}
