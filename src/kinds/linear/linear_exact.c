#include <math.h>

#include "exact/exact_sign.h"
#include "exact/fixed_point.h"
#include "kinds/linear/linear.h"

static int sign_of(const hcri_constraint *constraint, size_t i, const double *y) {
    const hcri_linear *linear = (const hcri_linear *)constraint;
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

static double accurate(const hcri_constraint *constraint, size_t i, const double *y, double *error, double *scratch) {
    const hcri_linear *linear = (const hcri_linear *)constraint;
    const size_t row = i / 2, terms = linear->rows.start[row + 1] - linear->rows.start[row];
    const double bound = (i % 2 == 0 ? linear->upper : linear->lower)[row];
    double sizes;
    const double c = hcri_rows_dot_minus(&linear->rows, row, y, bound);
    hcri_rows_dot(&linear->rows, row, y, &sizes);
    *error = 0x1p-52 * fabs(c) + (double)(terms + 1) * 0x1p-100 * (sizes + fabs(bound)) + 0x1p-1000;
    return i % 2 == 0 ? c : -c;
}

const hcri_exact_kind hcri_linear_exact = {.kind = &hcri_kind_linear, .accurate = accurate, .sign = sign_of};
