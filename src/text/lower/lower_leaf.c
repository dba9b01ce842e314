/* What kind of constraint one branch of an inequality becomes, and monotone functions that are undone. */
#include <math.h>

#include "text/lower/lower.h"
#include "text/values/parameter_products.h"

static int is_affine(const hcri_atom *atom) {
    for (size_t k = 0; k < atom->count; k++)
        if (!hcri_element_is_affine(atom->argument, atom->first + k))
            return 0;
    return 1;
}

static int is_quadratic(const hcri_atom *atom) {
    return (atom->kind == HCRI_STEP_SUM_SQUARES || atom->kind == HCRI_ATOM_FORM) && is_affine(atom);
}

/* One function of one element: f(x) <= t ⇔ x <= f⁻¹(t), or likewise with the sides exchanged. */
static int has_inverse(const hcri_atom *atom) {
    return atom->kind == HCRI_STEP_EXP || atom->kind == HCRI_STEP_LOG || atom->kind == HCRI_STEP_SQRT ||
           (atom->kind == HCRI_STEP_POWER && (atom->parameter < 1 || atom->curvature > 0)) ||
           (atom->kind == HCRI_STEP_SUM_SQUARES && atom->count == 1);
}

/* A norm or squares beside products of parameters and outputs, which quadratics don't have but cones do. */
static int is_varying_cone(const hcri_branch *branch) {
    const hcri_atom *atom = branch->curved_term[0].atom;
    const uint32_t last = branch->count == 0 ? 0 : branch->column[branch->count - 1];
    return branch->curved_terms == 1 && (last >= HCRI_FIRST_PRODUCT || (atom->depends & HCRI_ON_PRODUCTS) != 0) &&
           ((atom->kind == HCRI_STEP_NORM && atom->parameter == 2) || atom->kind == HCRI_STEP_SUM_SQUARES);
}

hcri_leaf hcri_leaf_of(const hcri_branch *branch) {
    if (branch->curved_terms == 0)
        return HCRI_LEAF_LINEAR;
    const hcri_atom *atom = branch->curved_term[0].atom;
    const int is_alone = branch->curved_terms == 1 && branch->count == 0;
    if (is_alone && has_inverse(atom))
        return HCRI_LEAF_INVERSE;
    if (is_varying_cone(branch))
        return HCRI_LEAF_CONE;
    int all_quadratic = 1;
    for (size_t b = 0; b < branch->curved_terms && all_quadratic; b++)
        all_quadratic = is_quadratic(branch->curved_term[b].atom);
    if (all_quadratic)
        return HCRI_LEAF_QUADRATIC;
    if (branch->curved_terms > 1 || !is_affine(atom))
        return HCRI_LEAF_EXPRESSION;
    switch (atom->kind) {
    case HCRI_STEP_NORM:
        return atom->parameter != 2 ? HCRI_LEAF_EXPRESSION : is_alone ? HCRI_LEAF_QUADRATIC : HCRI_LEAF_CONE;
    case HCRI_STEP_QUAD_OVER_LIN: return HCRI_LEAF_CONE;
    case HCRI_STEP_POWER: return atom->parameter == -1 ? HCRI_LEAF_CONE : HCRI_LEAF_EXPRESSION;
    case HCRI_STEP_GEO_MEAN:
        return is_alone && atom->count == 2 && branch->constant.high > 0 ? HCRI_LEAF_CONE : HCRI_LEAF_EXPRESSION;
    case HCRI_STEP_LARGEST_EIGENVALUE: return HCRI_LEAF_MATRIX;
    default: return HCRI_LEAF_EXPRESSION;
    }
}

/* --------------------------------------------------------------------------------------------------------- inverses */

/* t^p for whole p > 0, exact or NaN. */
static double exact_power(double t, double p) {
    double product = 1;
    for (int k = 0; k < p; k++) {
        const double next = product * t;
        if (fma(product, t, -next) != 0)
            return (double)NAN;
        product = next;
    }
    return product;
}

/* What library functions give, moved by more than they may be off. */
static double inwards(double x, double towards) { return nextafter(nextafter(x, towards), towards); }

/* t^(1/p), moved towards ±infinity unless it is exact. */
static double root(double t, double p, double towards) {
    const double x = p == 2 ? sqrt(t) : pow(t, 1 / p);
    if (t == 0 || t == 1)
        return t;
    if (fabs(p) <= 64 && p == floor(p) && (p > 0 ? exact_power(x, p) == t : fma(exact_power(x, -p), t, -1) == 0))
        return x;
    if (fabs(1 / p) <= 64 && 1 / p == floor(1 / p) && 1 / p > 0 && exact_power(t, 1 / p) == x)
        return x;
    return inwards(x, towards);
}

/* sign · x + constant <= 0 for the element of the atom. */
static void lower_argument(hcri_lowering *lowering, const hcri_inequality *inequality, const hcri_atom *atom,
                           double sign, double constant) {
    hcri_inequality own = *inequality;
    own.count = 1;
    own.part[0].value = atom->argument;
    own.part[0].element = atom->first;
    own.part[0].weight = sign;
    own.constant = constant;
    own.opposite = sign < 0;
    hcri_lower_inequality(lowering, &own);
}

_Noreturn static void refuse_bound(hcri_lowering *lowering, const hcri_atom *atom, double bound) {
    hcri_refuse(lowering->text, lowering->statement, HCR_ERROR_EMPTY,
                "nothing satisfies this: %s is %s, the bound is %g", hcri_text_excerpt(lowering->text, atom->span).text,
                atom->kind == HCRI_STEP_EXP || atom->parameter < 0 ? "more than 0" : "at least 0", bound);
}

/* weight · f(x) + constant <= 0 */
void hcri_lower_inverse(hcri_lowering *lowering, const hcri_inequality *inequality) {
    const hcri_branch *branch = &lowering->branch;
    const hcri_atom *atom = branch->curved_term[0].atom;
    const double weight = branch->curved_term[0].value, infinity = (double)INFINITY;
    const double p = atom->kind == HCRI_STEP_SQRT ? 0.5 : atom->kind == HCRI_STEP_SUM_SQUARES ? 2 : atom->parameter;
    if (weight < 0) { /* f(x) >= t, f concave: x >= f⁻¹(t) */
        const double t = -hcri_branch_bound(branch, -weight);
        const double least = atom->kind == HCRI_STEP_LOG ? (t == 0 ? 1 : inwards(exp(t), infinity))
                             : t <= 0                    ? 0
                                                         : root(t, p, infinity);
        lower_argument(lowering, inequality, atom, -1, least);
        return;
    }
    const double t = hcri_branch_bound(branch, weight); /* f(x) <= t, f convex */
    if (atom->kind == HCRI_STEP_EXP ? t <= 0 : p < 0 ? t <= 0 : t < 0)
        refuse_bound(lowering, atom, t);
    if (atom->kind == HCRI_STEP_EXP) {
        lower_argument(lowering, inequality, atom, 1, t == 1 ? 0 : -inwards(log(t), -infinity));
    } else if (p < 0) {
        lower_argument(lowering, inequality, atom, -1, root(t, p, infinity));
    } else {
        const double most = root(t, p, -infinity);
        const int sign = hcri_element_sign(atom->argument, atom->first);
        if (sign == 0 && p / 2 == floor(p / 2))
            lower_argument(lowering, inequality, atom, -1, -most);
        lower_argument(lowering, inequality, atom, sign < 0 ? -1 : 1, -most);
    }
}
