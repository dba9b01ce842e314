#include <math.h>

#include "exact/exact_sign.h"
#include "exact/fixed_point.h"
#include "kinds/varying/varying.h"

/* a·y + Σ value y_l y_r − bound, scale 2^(3 · 1074). */
static int sign_of(const hcri_constraint *constraint, size_t i, const double *y) {
    const hcri_varying *varying = (const hcri_varying *)constraint;
    const hcri_rows *products = &varying->products;
    const size_t row = i / 2;
    mpz_t total, product, a, b;
    mpz_inits(total, product, a, b, NULL);
    hcri_fixed_row(total, &varying->rows, row, y, -(i % 2 == 0 ? varying->upper : varying->lower)[row], a, b);
    mpz_mul_2exp(total, total, HCRI_FIXED_SCALE);
    for (size_t k = products->start[row]; k < products->start[row + 1]; k++) {
        hcri_fixed_set(a, y[varying->left[products->columns[k]]]);
        hcri_fixed_set(b, y[varying->right[products->columns[k]]]);
        mpz_mul(product, a, b);
        hcri_fixed_set(a, products->values[k]);
        mpz_addmul(total, a, product);
    }
    const int sign = mpz_sgn(total);
    mpz_clears(total, product, a, b, NULL);
    return i % 2 == 0 ? sign : -sign;
}

static double accurate(const hcri_constraint *constraint, size_t i, const double *y, double *error, double *scratch) {
    const hcri_varying *varying = (const hcri_varying *)constraint;
    const size_t row = i / 2;
    const size_t terms = varying->rows.start[row + 1] - varying->rows.start[row] +
                         2 * (varying->products.start[row + 1] - varying->products.start[row]);
    const double bound = (i % 2 == 0 ? varying->upper : varying->lower)[row];
    double sizes;
    const double c = hcri_varying_dot_minus(varying, row, y, bound, &sizes);
    *error = 0x1p-52 * fabs(c) + (double)(terms + 1) * 0x1p-100 * (sizes + fabs(bound)) + 0x1p-1000;
    return i % 2 == 0 ? c : -c;
}

const hcri_exact_kind hcri_varying_exact = {.kind = &hcri_kind_varying, .accurate = accurate, .sign = sign_of};
