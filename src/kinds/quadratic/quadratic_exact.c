#include "exact/exact_sign.h"
#include "exact/fixed_point.h"
#include "kinds/quadratic/quadratic_value.h"

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
static int sign_of(const hcri_constraint *constraint, size_t i, const double *y) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)constraint;
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

static double accurate(const hcri_constraint *constraint, size_t i, const double *y, double *error, double *scratch) {
    double sizes;
    const double c = hcri_quadratic_accurate_value((const hcri_quadratic *)constraint, y, &sizes);
    *error = 0x1p-53 * (8 * sizes + 2 * fabs(c)) + 0x1p-1000;
    return c;
}

const hcri_exact_kind hcri_quadratic_exact = {.kind = &hcri_kind_quadratic, .accurate = accurate, .sign = sign_of};
