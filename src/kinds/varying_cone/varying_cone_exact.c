
#include "exact/exact_sign.h"
#include "kinds/varying/varying_exact.h"
#include "kinds/varying_cone/varying_cone.h"

/* e >= 0 and |w|² <= e²: without the first the mirrored cone would pass. */
static int decide(const hcri_constraint *constraint, size_t i, const double *y, double *scratch) {
    const hcri_varying *rows = ((const hcri_varying_cone *)constraint)->rows;
    const size_t count = rows->rows.count - 1;
    mpz_t total, row;
    mpz_inits(total, row, NULL);
    hcri_varying_fixed_row(row, rows, count, y, rows->upper[count]);
    int holds = mpz_sgn(row) >= 0;
    mpz_mul(total, row, row);
    for (size_t k = 0; k < count && holds; k++) {
        hcri_varying_fixed_row(row, rows, k, y, rows->upper[k]);
        mpz_submul(total, row, row);
    }
    holds &= mpz_sgn(total) >= 0;
    mpz_clears(total, row, NULL);
    return holds ? -1 : 1;
}

const hcri_exact_kind hcri_varying_cone_exact = {.kind = &hcri_kind_varying_cone, .decide = decide};
