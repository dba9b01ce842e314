#include "exact/exact_sign.h"

#include <math.h>

#include "exact/fixed_point.h"
#include "kinds/quadratic/quadratic_value.h"
#include "kinds/varying/varying.h"

static int linear_sign(const hcri_linear *linear, size_t i, const double *y) {
    const size_t row = i / 2;
    mpz_t total, a, b;
    mpz_inits(total, a, b, NULL);
    for (size_t k = linear->rows.start[row]; k < linear->rows.start[row + 1]; k++)
        hcri_fixed_add_product(total, linear->rows.values[k], y[linear->rows.columns[k]], a, b);
    hcri_fixed_add_product(total, -1, (i % 2 == 0 ? linear->upper : linear->lower)[row], a, b);
    const int sign = mpz_sgn(total);
    mpz_clears(total, a, b, NULL);
    return i % 2 == 0 ? sign : -sign;
}

/* out = y_j − shift_j, exactly, scale 2^1074. */
static void set_shifted(mpz_t out, const hcri_quadratic *quadratic, size_t j, const double *y, mpz_t scratch) {
    hcri_fixed_set(out, y[j]);
    hcri_fixed_set(scratch, quadratic->shift[j]);
    mpz_sub(out, out, scratch);
}

/* out = f_i·y − shift_i, scale 2^(2 · 1074). */
static void set_factor(mpz_t out, const hcri_quadratic *quadratic, size_t i, const double *y, mpz_t a, mpz_t b) {
    const hcri_rows *factor = &quadratic->factor;
    mpz_set_ui(out, 0);
    for (size_t k = factor->start[i]; k < factor->start[i + 1]; k++)
        hcri_fixed_add_product(out, factor->values[k], y[factor->columns[k]], a, b);
    hcri_fixed_add_product(out, -1, quadratic->shift[i], a, b);
}

/* total = Q(y), scale 2^(4 · 1074). */
static void set_square(mpz_t total, const hcri_quadratic *quadratic, const double *y) {
    const size_t n = quadratic->base.n;
    const int dense = quadratic->form == HCRI_DENSE;
    mpz_t a, b, row, x;
    mpz_inits(a, b, row, x, NULL);
    mpz_set_ui(total, 0);
    if (quadratic->form == HCRI_FACTOR) {
        for (size_t i = 0; i < quadratic->factor.count; i++) {
            set_factor(row, quadratic, i, y, a, b);
            mpz_addmul(total, row, row);
        }
    } else {
        for (size_t i = 0; i < n; i++) { /* total += x_i Σ_j P_ij x_j */
            mpz_set_ui(row, 0);
            for (size_t j = dense ? 0 : i; j < (dense ? n : i + 1); j++) {
                set_shifted(x, quadratic, j, y, b);
                hcri_fixed_set(a, quadratic->matrix[dense ? i * n + j : i]);
                mpz_addmul(row, a, x);
            }
            set_shifted(x, quadratic, i, y, b);
            mpz_addmul(total, row, x);
        }
        mpz_mul_2exp(total, total, HCRI_FIXED_SCALE);
    }
    mpz_clears(a, b, row, x, NULL);
}

/* The sign of Q(y) + 2 q·y + 2 r − R², scale 2^(4 · 1074). */
static int quadratic_sign(const hcri_quadratic *quadratic, const double *y) {
    mpz_t total, affine, a, b;
    mpz_inits(total, affine, a, b, NULL);
    set_square(total, quadratic, y);
    for (size_t j = 0; j < quadratic->base.n; j++)
        hcri_fixed_add_product(affine, 2 * quadratic->linear[j], y[j], a, b);
    hcri_fixed_add_product(affine, 2, quadratic->constant, a, b);
    hcri_fixed_add_product(affine, -quadratic->radius, quadratic->radius, a, b);
    mpz_mul_2exp(affine, affine, 2 * HCRI_FIXED_SCALE);
    mpz_add(total, total, affine);
    const int sign = mpz_sgn(total);
    mpz_clears(total, affine, a, b, NULL);
    return sign;
}

int hcri_exact_sign(const hcri_constraint *constraint, size_t i, const double *y) {
    switch (constraint->kind->id) {
    case HCRI_KIND_LINEAR: return linear_sign((const hcri_linear *)constraint, i, y);
    case HCRI_KIND_QUADRATIC: return quadratic_sign((const hcri_quadratic *)constraint, y);
    case HCRI_KIND_VARYING: return hcri_exact_varying_sign(constraint, i, y);
    default: break;
    }
    const double c =
        constraint->kind->value(constraint, i, y, NULL, NULL); /* a difference of doubles: its sign is right */
    return (c > 0) - (c < 0);
}

/* c_i(y) to about twice the working precision, and a bound of its error. */
static double accurate_value(const hcri_constraint *constraint, size_t i, const double *y, double *error,
                             double *scratch) {
    double sizes;
    if (constraint->kind->id == HCRI_KIND_LINEAR) {
        const hcri_linear *linear = (const hcri_linear *)constraint;
        const size_t row = i / 2, terms = linear->rows.start[row + 1] - linear->rows.start[row];
        const double bound = (i % 2 == 0 ? linear->upper : linear->lower)[row];
        const double c = hcri_rows_dot_minus(&linear->rows, row, y, bound);
        hcri_rows_dot(&linear->rows, row, y, &sizes);
        *error = 0x1p-52 * fabs(c) + (double)(terms + 1) * 0x1p-100 * (sizes + fabs(bound)) + 0x1p-1000;
        return i % 2 == 0 ? c : -c;
    }
    if (constraint->kind->id == HCRI_KIND_VARYING) {
        const hcri_varying *varying = (const hcri_varying *)constraint;
        const size_t row = i / 2;
        const size_t terms = varying->rows.start[row + 1] - varying->rows.start[row] +
                             2 * (varying->products.start[row + 1] - varying->products.start[row]);
        const double bound = (i % 2 == 0 ? varying->upper : varying->lower)[row];
        const double c = hcri_varying_dot_minus(varying, row, y, bound, &sizes);
        *error = 0x1p-52 * fabs(c) + (double)(terms + 1) * 0x1p-100 * (sizes + fabs(bound)) + 0x1p-1000;
        return i % 2 == 0 ? c : -c;
    }
    if (constraint->kind->id == HCRI_KIND_QUADRATIC) {
        const double c = hcri_quadratic_accurate_value((const hcri_quadratic *)constraint, y, &sizes);
        *error = 0x1p-53 * (8 * sizes + 2 * fabs(c)) + 0x1p-1000;
        return c;
    }
    return constraint->kind->value(constraint, i, y, error, scratch);
}

int hcri_exact_holds(const hcri_constraint *constraint, size_t i, const double *y, double *scratch) {
    switch (constraint->kind->id) { /* sets that are no longer convex: their parts decide */
    case HCRI_KIND_UNION: return hcri_exact_union_holds(constraint, y, scratch);
    case HCRI_KIND_EXCEPT: return hcri_exact_except_holds(constraint, y, scratch);
    case HCRI_KIND_CALLBACK: return constraint->kind->holds(constraint, y, scratch);
    default: break;
    }
    double error, c = constraint->kind->value(constraint, i, y, &error, scratch);
    if (fabs(c) > error) /* false for a NaN */
        return c < 0;
    switch (constraint->kind->id) {
    case HCRI_KIND_CONE: return hcri_exact_cone_holds(constraint, y);
    case HCRI_KIND_LMI: return hcri_exact_lmi_holds(constraint, y, scratch);
    case HCRI_KIND_EXPRESSION: return hcri_exact_expression_decide(constraint, y, scratch) < 0;
    default: break;
    }
    c = accurate_value(constraint, i, y, &error, scratch);
    if (fabs(c) > error)
        return c < 0;
    return hcri_exact_sign(constraint, i, y) <= 0;
}

int hcri_exact_fails(const hcri_constraint *constraint, size_t i, const double *y, double *scratch) {
    double error;
    const double c = constraint->kind->value(constraint, i, y, &error, scratch);
    if (fabs(c) > error)
        return c > 0;
    switch (constraint->kind->id) {
    case HCRI_KIND_EXPRESSION: return hcri_exact_expression_decide(constraint, y, scratch) > 0;
    case HCRI_KIND_CALLBACK: return 0;
    default: return !hcri_exact_holds(constraint, i, y, scratch);
    }
}
