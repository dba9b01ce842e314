/* A tape's value and gradient at a point. */
#include <math.h>
#include <string.h>

#include "functions/step_functions.h"
#include "functions/tape_evaluate.h"
#include "functions/tape_matrix.h"
#include "kernels/kernels.h"

/* Numbers a step: its slope and what is known of it along a ray, each an interval; a matrix step: four copies of its
 * entries beside the work. */
size_t hcri_tape_scratch(const hcri_tape *tape) {
    return 6 * tape->steps + 4 * tape->largest_matrix + hcri_matrix_work(tape->widest_matrix);
}

/* Σ weight_k x[argument_k] */
static double weighted(const hcri_tape *tape, const hcri_step *step, const double *x) {
    const uint32_t *argument = tape->argument + step->first;
    const double *weight = tape->weight + step->first;
    const hcri_kernels *kernels = hcri_kernels_best();
    return step->consecutive ? kernels->dot(step->count, weight, x + *argument)
                             : kernels->row_dot(step->count, argument, weight, x);
}

void hcri_tape_slope(const hcri_tape *tape, const double *v, double *slope) {
    for (size_t s = 0; s < tape->steps; s++)
        slope[s] = tape->step[s].kind == HCRI_STEP_AFFINE ? weighted(tape, &tape->step[s], v) : 0;
}

/* log Σ e^x_k; *largest gets the largest x_k. */
static double log_sum_exp(const uint32_t *argument, size_t count, const double *x, double *largest) {
    double sum = 0;
    *largest = x[argument[0]];
    for (size_t k = 1; k < count; k++)
        *largest = x[argument[k]] > *largest || isnan(x[argument[k]]) ? x[argument[k]] : *largest;
    if (!isfinite(*largest))
        return *largest;
    for (size_t k = 0; k < count; k++)
        sum += exp(x[argument[k]] - *largest);
    return *largest + log(sum);
}

/* The product is kept as a mantissa and an exponent, which can't overflow. */
static double geometric_mean(const uint32_t *argument, size_t count, const double *x) {
    double mantissa = 1, exponent = 0;
    for (size_t k = 0; k < count; k++) {
        int e;
        if (!(x[argument[k]] >= 0) || isinf(x[argument[k]]))
            return NAN;
        mantissa = frexp(mantissa * x[argument[k]], &e);
        exponent += e;
    }
    return pow(mantissa, 1 / (double)count) * exp2(exponent / (double)count);
}

static double norm(const uint32_t *argument, size_t count, const double *x, double p) {
    double largest = 0, sum = 0;
    for (size_t k = 0; k < count; k++) {
        const double size = fabs(x[argument[k]]);
        largest = size > largest || isnan(size) ? size : largest;
    }
    if (largest == 0 || !isfinite(largest))
        return largest;
    for (size_t k = 0; k < count; k++) {
        const double share = fabs(x[argument[k]]) / largest;
        sum += p == 1 ? share : hcri_raise(share, p);
    }
    return largest * (p == 1 ? sum : p == 2 ? sqrt(sum) : pow(sum, 1 / p));
}

static double extreme(const uint32_t *argument, size_t count, const double *x, double sign) {
    double best = x[argument[0]];
    for (size_t k = 1; k < count; k++)
        best = sign * x[argument[k]] > sign * best || isnan(x[argument[k]]) ? x[argument[k]] : best;
    return best;
}

static double squares(const uint32_t *argument, size_t count, const double *x) {
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += x[argument[k]] * x[argument[k]];
    return sum;
}

/* The value of a matrix step, and its derivatives by its entries into `weights` (NULL: not wanted). */
static double matrix_value(const hcri_step *step, const uint32_t *argument, const double *x, double *weights,
                           double *scratch) {
    double *entries = scratch, *work = scratch + step->count;
    for (size_t k = 0; k < step->count; k++)
        entries[k] = x[argument[k]];
    return step->kind == HCRI_STEP_LARGEST_EIGENVALUE
               ? hcri_largest_eigenvalue(step->rows, entries, weights, work)
               : hcri_nuclear_norm(step->rows, step->count / step->rows, entries, weights, work);
}

double hcri_step_value(const hcri_tape *tape, const hcri_step *step, const double *x, double *scratch) {
    const uint32_t *argument = tape->argument + step->first;
    const double first = x[argument[0]];
    double f[3], largest;
    switch (step->kind) {
    case HCRI_STEP_SUM: return step->parameter + weighted(tape, step, x);
    case HCRI_STEP_PRODUCT: return first * x[argument[1]];
    case HCRI_STEP_QUOTIENT: return first / x[argument[1]];
    case HCRI_STEP_MAX: return extreme(argument, step->count, x, 1);
    case HCRI_STEP_MIN: return extreme(argument, step->count, x, -1);
    case HCRI_STEP_LOG_SUM_EXP: return log_sum_exp(argument, step->count, x, &largest);
    case HCRI_STEP_GEO_MEAN: return geometric_mean(argument, step->count, x);
    case HCRI_STEP_NORM: return norm(argument, step->count, x, step->parameter);
    case HCRI_STEP_SUM_SQUARES: return squares(argument, step->count, x);
    case HCRI_STEP_QUAD_OVER_LIN: return first > 0 ? squares(argument + 1, step->count - 1, x) / first : NAN;
    case HCRI_STEP_RELATIVE_ENTROPY: {
        const double other = x[argument[1]];
        return !(first >= 0 && other > 0) ? NAN : first == 0 ? 0 : first * log(first / other);
    }
    case HCRI_STEP_LARGEST_EIGENVALUE:
    case HCRI_STEP_NUCLEAR_NORM: return matrix_value(step, argument, x, NULL, scratch);
    default: hcri_step_function(step->kind, step->parameter, first, 1, f); return f[0];
    }
}

static void put_values(const hcri_tape *tape, const double *y, double *values, double *scratch) {
    for (size_t s = 0; s < tape->steps; s++) {
        const hcri_step *step = &tape->step[s];
        values[s] = step->kind == HCRI_STEP_AFFINE ? step->parameter + weighted(tape, step, y)
                                                   : hcri_step_value(tape, step, values, scratch);
    }
}

double hcri_tape_value(const hcri_tape *tape, const double *y, double *scratch) {
    put_values(tape, y, scratch, scratch + tape->steps);
    return scratch[tape->steps - 1];
}

/* ------------------------------------------------------------------------------------------------------ gradient */

/* adjoint_k += weight ∂/∂x_k of a step, for its arguments. A weight of 0 adds nothing, whatever the derivative is. */
static void pass_back(const hcri_tape *tape, const hcri_step *step, double value, double weight, const double *x,
                      double *adjoint, double *scratch) {
    const uint32_t *argument = tape->argument + step->first;
    const size_t count = step->count;
    const double first = x[argument[0]];
    double f[3];
    switch (step->kind) {
    case HCRI_STEP_SUM:
        for (size_t k = 0; k < count; k++)
            adjoint[argument[k]] += weight * tape->weight[step->first + k];
        return;
    case HCRI_STEP_PRODUCT:
        adjoint[argument[0]] += weight * x[argument[1]];
        adjoint[argument[1]] += weight * first;
        return;
    case HCRI_STEP_QUOTIENT:
        adjoint[argument[0]] += weight / x[argument[1]];
        adjoint[argument[1]] -= weight * value / x[argument[1]];
        return;
    case HCRI_STEP_MAX: /* of equal ones the first, and MIN the last: together they are the gradient of the sum */
        for (size_t k = 0; k < count; k++)
            if (x[argument[k]] == value) {
                adjoint[argument[k]] += weight;
                return;
            }
        return;
    case HCRI_STEP_MIN:
        for (size_t k = count; k-- > 0;)
            if (x[argument[k]] == value) {
                adjoint[argument[k]] += weight;
                return;
            }
        return;
    case HCRI_STEP_LOG_SUM_EXP:
        for (size_t k = 0; k < count; k++)
            adjoint[argument[k]] += weight * exp(x[argument[k]] - value);
        return;
    case HCRI_STEP_GEO_MEAN:
        for (size_t k = 0; k < count; k++)
            adjoint[argument[k]] += weight * (value / x[argument[k]]) / (double)count;
        return;
    case HCRI_STEP_NORM: /* ∂/∂x = ±(|x|/norm)^(p − 1) */
        for (size_t k = 0; k < count && value > 0; k++) {
            const double at = x[argument[k]], share = fabs(at) / value;
            adjoint[argument[k]] += at == 0 ? 0 : weight * copysign(hcri_raise(share, step->parameter - 1), at);
        }
        return;
    case HCRI_STEP_SUM_SQUARES:
        for (size_t k = 0; k < count; k++)
            adjoint[argument[k]] += 2 * weight * x[argument[k]];
        return;
    case HCRI_STEP_QUAD_OVER_LIN:
        adjoint[argument[0]] -= weight * value / first;
        for (size_t k = 1; k < count; k++)
            adjoint[argument[k]] += 2 * weight * x[argument[k]] / first;
        return;
    case HCRI_STEP_RELATIVE_ENTROPY:
        adjoint[argument[0]] += weight * (log(first / x[argument[1]]) + 1);
        adjoint[argument[1]] -= weight * (first / x[argument[1]]);
        return;
    case HCRI_STEP_LARGEST_EIGENVALUE:
    case HCRI_STEP_NUCLEAR_NORM:
        matrix_value(step, argument, x, scratch, scratch + count);
        for (size_t k = 0; k < count; k++)
            adjoint[argument[k]] += weight * scratch[k];
        return;
    default:
        hcri_step_function(step->kind, step->parameter, first, 2, f);
        adjoint[argument[0]] += weight * f[1];
        return;
    }
}

void hcri_tape_add_gradient(const hcri_tape *tape, const double *y, double weight, double *gradient, double *scratch) {
    double *values = scratch, *adjoint = scratch + tape->steps, *rest = scratch + 2 * tape->steps;
    put_values(tape, y, values, rest);
    memset(adjoint, 0, tape->steps * sizeof *adjoint);
    adjoint[tape->steps - 1] = weight;
    for (size_t s = tape->steps; s-- > 0;) {
        const hcri_step *step = &tape->step[s];
        if (adjoint[s] == 0)
            continue;
        if (step->kind != HCRI_STEP_AFFINE) {
            pass_back(tape, step, values[s], adjoint[s], values, adjoint, rest);
            continue;
        }
        for (size_t k = step->first; k < step->first + step->count; k++)
            gradient[tape->argument[k]] += adjoint[s] * tape->weight[k];
    }
}
