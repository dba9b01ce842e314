/* Curvature, monotonicity and sign of every atom, and the rule that composes them:
 *
 *     f(g) is convex where f is convex and, argument by argument, g is affine, or convex where f doesn't decrease in
 * it, or concave where f doesn't increase in it; and the same with the words exchanged. */
#include "text/values/atoms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "functions/tape_evaluate.h"
#include "functions/tape_matrix.h"

typedef enum growth {
    NONE,
    INCREASING, /* nowhere decreasing */
    DECREASING,
    AWAY /* increasing on x >= 0, decreasing on x <= 0 */
} growth;

typedef struct rule {
    int curvature, sign;
    growth first, others; /* in x_0, in the other elements */
} rule;

static const rule rules[] = {
    [HCRI_STEP_ABS] = {1, 1, AWAY, AWAY},
    [HCRI_STEP_MAX] = {1, 0, INCREASING, INCREASING},
    [HCRI_STEP_SUM_SQUARES] = {1, 1, AWAY, AWAY},
    [HCRI_ATOM_FORM] = {1, 1, NONE, NONE},
    [HCRI_STEP_NORM] = {1, 1, AWAY, AWAY},
    [HCRI_STEP_EXP] = {1, 1, INCREASING, INCREASING},
    [HCRI_STEP_LOG] = {-1, 0, INCREASING, INCREASING},
    [HCRI_STEP_SQRT] = {-1, 1, INCREASING, INCREASING},
    [HCRI_STEP_POWER] = {1, 1, AWAY, AWAY}, /* see rule_of */
    [HCRI_STEP_XLOGX] = {1, 0, NONE, NONE},
    [HCRI_STEP_HUBER] = {1, 1, AWAY, AWAY},
    [HCRI_STEP_SOFTPLUS] = {1, 1, INCREASING, INCREASING},
    [HCRI_STEP_SIN] = {0, 0, NONE, NONE},
    [HCRI_STEP_COS] = {0, 0, NONE, NONE},
    [HCRI_STEP_TANH] = {0, 0, INCREASING, INCREASING},
    [HCRI_STEP_ATAN] = {0, 0, INCREASING, INCREASING},
    [HCRI_STEP_LOG_SUM_EXP] = {1, 0, INCREASING, INCREASING},
    [HCRI_STEP_GEO_MEAN] = {-1, 1, INCREASING, INCREASING},
    [HCRI_ATOM_HARMONIC_MEAN] = {-1, 1, INCREASING, INCREASING},
    [HCRI_ATOM_SUM_LARGEST] = {1, 0, INCREASING, INCREASING},
    [HCRI_STEP_QUAD_OVER_LIN] = {1, 1, DECREASING, AWAY},
    [HCRI_STEP_RELATIVE_ENTROPY] = {1, 0, NONE, DECREASING},
    [HCRI_STEP_LARGEST_EIGENVALUE] = {1, 0, NONE, NONE},
    [HCRI_STEP_NUCLEAR_NORM] = {1, 1, NONE, NONE},
    [HCRI_STEP_PRODUCT] = {0, 0, NONE, NONE},
    [HCRI_STEP_QUOTIENT] = {0, 0, NONE, NONE},
};

static int is_whole(double p) { return p == floor(p); }
static int is_even(double p) { return is_whole(p / 2); }

static rule rule_of(const hcri_atom *atom) {
    rule r = rules[atom->kind];
    const double p = atom->parameter;
    if (atom->kind == HCRI_ATOM_FORM)
        r.curvature = atom->curvature;
    if (atom->kind != HCRI_STEP_POWER)
        return r;
    const int sign = hcri_element_sign(atom->argument, atom->first);
    if (p < 0)
        return (rule){1, 1, DECREASING, DECREASING};
    if (p < 1)
        return (rule){-1, 1, INCREASING, INCREASING};
    if (is_whole(p) && !is_even(p)) /* x³: convex on x >= 0, concave on x <= 0 */
        return (rule){sign, sign, INCREASING, INCREASING};
    return r;
}

/* ---------------------------------------------------------------------------------------------------- certification */

static const char *shape_name(int curvature) { return curvature > 0 ? "convex" : "concave"; }

_Noreturn static void refuse_shapeless(hcri_text *text, const hcri_atom *atom, const char *called, hcri_span argument) {
    const hcri_excerpt shown = hcri_text_excerpt(text, argument);
    if (atom->kind == HCRI_STEP_POWER)
        hcri_refuse(text, atom->span, HCR_ERROR_CONVEXITY,
                    "not known to be convex: a power with the exponent %g is convex for x >= 0 only, and the sign of "
                    "%s isn't known: write pos(%s) ** %g if that is meant%s",
                    atom->parameter, shown.text, shown.text, atom->parameter, text->unproved);
    else
        hcri_refuse(text, atom->span, HCR_ERROR_CONVEXITY,
                    "not known to be convex: %s() is neither convex nor concave%s", called, text->unproved);
}

/* The function is as the text has it: −max of opposites is called min. */
_Noreturn static void refuse_argument(hcri_text *text, const hcri_atom *atom, const rule *r, growth in,
                                      const char *called, int argument, int argument_sign, hcri_span span) {
    const int opposed = atom->negated && (atom->kind == HCRI_STEP_MAX || atom->kind == HCRI_ATOM_SUM_LARGEST ||
                                          atom->kind == HCRI_STEP_LARGEST_EIGENVALUE);
    const int curvature = atom->negated ? -r->curvature : r->curvature;
    if (opposed)
        argument = -argument;
    else if (atom->negated && (in == INCREASING || in == DECREASING))
        in = in == INCREASING ? DECREASING : INCREASING;
    static const char *const growths[] = {[NONE] = "",
                                          [INCREASING] = " and nondecreasing",
                                          [DECREASING] = " and nonincreasing",
                                          [AWAY] = " and grows with its argument only where that is >= 0"};
    const int wants = in == INCREASING ? curvature : -curvature;
    const char *needs = in == NONE   ? "affine"
                        : in == AWAY ? "affine, or convex and >= 0, or concave and <= 0"
                        : wants > 0  ? "convex or affine"
                                     : "concave or affine";
    hcri_refuse(text, span, HCR_ERROR_CONVEXITY,
                "not known to be %s: %s() is %s%s, so what it takes here must be %s, and %s is %s%s%s",
                shape_name(curvature), called, shape_name(curvature), growths[in], needs,
                hcri_text_excerpt(text, span).text, shape_name(argument),
                in == AWAY && argument_sign == 0 ? ", of either sign" : "", text->unproved);
}

_Noreturn static void refuse_product(hcri_text *text, const char *called, hcri_span argument) {
    hcri_refuse(text, argument, HCR_ERROR_CONVEXITY,
                "not known to be convex: %s() can't take a product of a parameter and outputs: such products stand in "
                "linear constraints and inside abs, max, min, norm, sum_squares and quad_over_lin",
                called);
}

static void count_branches(hcri_text *text, hcri_atom *atom) {
    atom->branches = atom->pieces = atom->kind == HCRI_STEP_ABS ? 2 : 1;
    if (atom->kind != HCRI_STEP_MAX)
        return;
    size_t *offset = hcri_take(text, atom->span, atom->count + 1, sizeof *offset);
    atom->pieces = 0;
    for (size_t k = 0; k < atom->count; k++) {
        size_t branches, pieces;
        hcri_element_count(atom->argument, atom->first + k, &branches, &pieces);
        offset[k + 1] = hcri_size_sum(offset[k], branches);
        atom->pieces = hcri_size_sum(atom->pieces, pieces);
    }
    atom->branches = offset[atom->count];
    atom->branch_offset = offset;
}

/* A largest element is as positive as any of them. */
static int sign_of_largest(const hcri_atom *atom) {
    int all_negative = 1;
    for (size_t k = 0; k < atom->count; k++) {
        const int sign = hcri_element_sign(atom->argument, atom->first + k);
        if (sign > 0)
            return 1;
        all_negative &= sign < 0;
    }
    return -all_negative;
}

static int takes_products(const hcri_atom *atom) {
    return atom->kind == HCRI_STEP_ABS || atom->kind == HCRI_STEP_MAX || atom->kind == HCRI_STEP_SUM_SQUARES ||
           atom->kind == HCRI_STEP_QUAD_OVER_LIN || (atom->kind == HCRI_STEP_NORM && atom->parameter == 2);
}

void hcri_atom_finish(hcri_text *text, hcri_atom *atom, const char *called, size_t spans, const hcri_span *span) {
    const rule r = rule_of(atom);
    atom->curvature = r.curvature;
    atom->sign = atom->kind == HCRI_STEP_MAX                        ? sign_of_largest(atom)
                 : atom->kind == HCRI_ATOM_FORM && r.curvature == 0 ? 0
                                                                    : r.sign;
    atom->number = text->atoms++;
    for (size_t k = 0; k < atom->count; k++) {
        const unsigned depends = hcri_element_depends(text, atom->argument, atom->first + k);
        atom->depends |= depends;
        if ((depends & HCRI_ON_PRODUCTS) != 0 && !takes_products(atom))
            refuse_product(text, called, span[k < spans ? k : spans - 1]);
    }
    if (r.curvature == 0 && !text->any_curvature)
        refuse_shapeless(text, atom, called, span[0]);
    for (size_t k = 0; k < atom->count; k++) {
        const size_t i = atom->first + k;
        const growth in = k == 0 ? r.first : r.others;
        if (hcri_element_is_affine(atom->argument, i))
            continue;
        const int argument = hcri_element_is_convex(atom->argument, i)    ? 1
                             : hcri_element_is_concave(atom->argument, i) ? -1
                                                                          : 0;
        const int sign = in == AWAY         ? hcri_element_sign(atom->argument, i)
                         : in == INCREASING ? 1
                         : in == DECREASING ? -1
                                            : 0;
        if (argument * sign * r.curvature > 0)
            continue;
        if (!text->any_curvature)
            refuse_argument(text, atom, &r, in, called, argument, sign, span[k < spans ? k : spans - 1]);
        atom->curvature = 0;
    }
    count_branches(text, atom);
}

/* --------------------------------------------------------------------------------------------------------- values */

static hcri_step step_of(const hcri_atom *atom) {
    return (hcri_step){
        .kind = (hcri_step_kind)atom->kind, .count = atom->count, .rows = atom->rows, .parameter = atom->parameter};
}

int hcri_atom_needs_nonnegative(const hcri_atom *atom, size_t k) {
    const hcri_step step = step_of(atom);
    return atom->kind == HCRI_ATOM_HARMONIC_MEAN || hcri_step_needs_sign(&step, k);
}

static double evaluate_step(hcri_text *text, const hcri_atom *atom, const double *x) {
    uint32_t *argument = hcri_take(text, atom->span, atom->count, sizeof *argument);
    for (size_t k = 0; k < atom->count; k++)
        argument[k] = (uint32_t)k;
    const hcri_tape tape = {.argument = argument};
    const hcri_step step = step_of(atom);
    const size_t columns = atom->rows == 0 ? 0 : atom->count / atom->rows;
    const size_t work = hcri_matrix_work(columns > atom->rows ? columns : atom->rows);
    return hcri_step_value(&tape, &step, x, hcri_take(text, atom->span, atom->count + work, sizeof(double)));
}

static int descending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static double sum_of_largest(hcri_text *text, const hcri_atom *atom, const double *x) {
    double *sorted = hcri_take(text, atom->span, atom->count, sizeof *sorted), sum = 0;
    memcpy(sorted, x, atom->count * sizeof *sorted);
    qsort(sorted, atom->count, sizeof *sorted, descending);
    for (size_t k = 0; (double)k < atom->parameter; k++)
        sum += fmin(1, atom->parameter - (double)k) * sorted[k];
    return sum;
}

double hcri_atom_evaluate(hcri_text *text, const hcri_atom *atom, const double *x) {
    const size_t count = atom->count;
    double sum = 0;
    switch (atom->kind) {
    case HCRI_ATOM_FORM:
        for (size_t k = 0; k < count * count; k++)
            sum += atom->matrix[k] * x[k / count] * x[k % count];
        return sum;
    case HCRI_ATOM_HARMONIC_MEAN:
        for (size_t k = 0; k < count; k++)
            sum += x[k] < 0 ? (double)NAN : 1 / x[k];
        return (double)count / sum;
    case HCRI_ATOM_SUM_LARGEST: return sum_of_largest(text, atom, x);
    case HCRI_STEP_RELATIVE_ENTROPY: /* as x log x, 0 at 0 */
        if (x[0] == 0 && x[1] == 0)
            return 0;
        break;
    default: break;
    }
    return evaluate_step(text, atom, x);
}
