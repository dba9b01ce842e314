#include "exact/exact_sign.h"
#include "exact/fixed_point.h"
#include "kinds/cone/cone.h"

/* c·y + e >= 0 and |M y + s|² <= (c·y + e)²: without the first the mirrored cone would pass. */
static int decide(const hcri_constraint *constraint, size_t i, const double *y, double *scratch) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    mpz_t total, right, row, a, b;
    mpz_inits(total, right, row, a, b, NULL);
    for (size_t j = 0; j < constraint->n; j++)
        hcri_fixed_add_product(right, cone->linear[j], y[j], a, b);
    hcri_fixed_add_product(right, 1, cone->constant, a, b);
    int holds = mpz_sgn(right) >= 0;
    if (holds) {
        mpz_mul(total, right, right);
        for (size_t k = 0; k < cone->rows.count; k++) {
            hcri_fixed_row(row, &cone->rows, k, y, cone->shift[k], a, b);
            mpz_submul(total, row, row);
        }
        holds = mpz_sgn(total) >= 0;
    }
    mpz_clears(total, right, row, a, b, NULL);
    return holds ? -1 : 1;
}

const hcri_exact_kind hcri_cone_exact = {.kind = &hcri_kind_cone, .decide = decide};
