#include <math.h>

#include "exact/exact_sign.h"
#include "exact/fixed_point.h"
#include "kinds/varying/varying_exact.h"

void hcri_varying_fixed_row(mpz_t out, const hcri_varying *varying, size_t i, const double *y, double b) {
    const hcri_rows *products = &varying->products;
    mpz_t product, l, r;
    mpz_inits(product, l, r, NULL);
    hcri_fixed_row(out, &varying->rows, i, y, -b, l, r);
    mpz_mul_2exp(out, out, HCRI_FIXED_SCALE);
    for (size_t k = products->start[i]; k < products->start[i + 1]; k++) {
        hcri_fixed_set(l, y[varying->left[products->columns[k]]]);
        hcri_fixed_set(r, y[varying->right[products->columns[k]]]);
        mpz_mul(product, l, r);
        hcri_fixed_set(l, products->values[k]);
        mpz_addmul(out, l, product);
    }
    mpz_clears(product, l, r, NULL);
}

static int sign_of(const hcri_constraint *constraint, size_t i, const double *y) {
    const hcri_varying *varying = (const hcri_varying *)constraint;
    mpz_t total;
    mpz_init(total);
    hcri_varying_fixed_row(total, varying, i / 2, y, (i % 2 == 0 ? varying->upper : varying->lower)[i / 2]);
    const int sign = mpz_sgn(total);
    mpz_clear(total);
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
