#include "kinds/quadratic/quadratic.h"

#include <math.h>

#include "kernels/kernels.h"
#include "kinds/block.h"

int hcri_is_positive(size_t n, double *P, double shift) {
    const hcri_kernels *kernels = hcri_kernels_best();
    for (size_t i = 0; i < n; i++) {
        double *row = P + i * n;
        for (size_t j = 0; j < i; j++)
            row[j] = (row[j] - kernels->dot(j, row, P + j * n)) / P[j * n + j];
        const double pivot = row[i] + shift - kernels->squares(i, row);
        if (!(pivot > 0 && isfinite(pivot)))
            return 0;
        row[i] = sqrt(pivot);
    }
    return 1;
}

static double largest_row_sum(size_t n, const double *P) {
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += fabs(P[i * n + j]);
        most = fmax(most, sum);
    }
    return most;
}

/* P of a dense or factored quadratic, λ_min(P) >= `least` >= 0 as far as the rounding of P's norm goes, which is what
 * the quadratic was made with (region/builder_quadratic.c: −16 n u λ_max stands for 0). */
static hcr_status verify_eigenvalue(const hcri_quadratic *quadratic, double least, hcr_error *error) {
    const size_t n = quadratic->base.n;
    const hcr_allocator *allocator = quadratic->base.allocator;
    double *P = hcri_allocate(allocator, n * n, sizeof *P);
    HCRI_ALLOCATED(P);
    hcri_quadratic_add_matrix(quadratic, 1, P);
    const double norm = largest_row_sum(n, P), rounding = (least > 0 ? 4 : 64 * (double)n) * 0x1p-53 * norm;
    const int sound = norm == 0 ? least == 0 : hcri_is_positive(n, P, rounding - least);
    hcri_release(allocator, P);
    return sound ? HCR_OK : hcri_block_contradiction(error, "a quadratic isn't convex, or less so than it says");
}

hcr_status hcri_quadratic_verify(hcri_constraint *constraint, hcr_error *error) {
    hcri_quadratic *quadratic = (hcri_quadratic *)constraint;
    const size_t n = quadratic->base.n;
    const double *P = quadratic->matrix;
    int sound = quadratic->least_eigenvalue >= 0;
    switch (quadratic->form) {
    case HCRI_DIAGONAL:
        for (size_t j = 0; j < n; j++)
            sound &= P[j] >= 0;
        return sound ? HCR_OK : hcri_block_contradiction(error, "a quadratic isn't convex");
    case HCRI_DENSE:
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++)
                sound &= P[i * n + j] == P[j * n + i];
        return sound ? verify_eigenvalue(quadratic, quadratic->least_eigenvalue, error)
                     : hcri_block_contradiction(error, "a quadratic's matrix isn't symmetric");
    case HCRI_FACTOR: break;
    }
    if (quadratic->least_eigenvalue == 0)
        return HCR_OK;
    if (!sound || quadratic->factor.count < n)
        return hcri_block_contradiction(error, "a quadratic is less convex than it says");
    if (n <= HCRI_LARGEST_VERIFIED)
        return verify_eigenvalue(quadratic, quadratic->least_eigenvalue, error);
    quadratic->least_eigenvalue = 0;
    return HCR_OK;
}
