#include "exact/exact_sign.h"
#include "exact/fixed_point.h"
#include "kinds/cone/cone.h"

/* c·y + e >= 0 and |M y + s|² <= (c·y + e)²: without the first the mirrored cone would pass. */
int hcri_exact_cone_holds(const hcri_constraint *constraint, const double *y) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    mpz_t total, right, row, a, b;
    mpz_inits(total, right, row, a, b, NULL);
    for (size_t j = 0; j < constraint->n; j++)
        hcri_fixed_add_product(right, cone->linear[j], y[j], a, b);
    hcri_fixed_add_product(right, 1, cone->constant, a, b);
    int holds = mpz_sgn(right) >= 0;
    if (holds) {
        mpz_mul(total, right, right);
        for (size_t i = 0; i < cone->rows.count; i++) {
            hcri_fixed_row(row, &cone->rows, i, y, cone->shift[i], a, b);
            mpz_submul(total, row, row);
        }
        holds = mpz_sgn(total) >= 0;
    }
    mpz_clears(total, right, row, a, b, NULL);
    return holds;
}
