#include "origin/quadratics_radius.h"

#include <math.h>

#include "base/vector.h"
#include "dense/dense.h"

/* Larger matrices take more time than their margin is worth. */
enum { LARGEST = 1024 };

static size_t count_quadratics(const hcri_set *set) {
    size_t count = 0;
    for (size_t b = 2; b < set->blocks; b++)
        count += hcri_block_quadratic(set->block[b]) != NULL;
    return count;
}

/* The mean of the quadratics, each divided by its size at the origin: ½ z'Mz + slope·z <= level for every y = O + z of
 * the set, where M is `mean`. Returns the level, 1 but for rounding; infinity when an inequality doesn't surely hold at
 * the origin. */
static double add_quadratics(const hcri_set *set, const double *origin, double *mean, double *slope) {
    const double count = (double)count_quadratics(set);
    double level = 0;
    for (size_t b = 2; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        if (hcri_block_quadratic(block) == NULL)
            continue;
        double rounding;
        const double at_origin = block->kind->value(block, 0, origin, &rounding, block->scratch);
        if (!(at_origin + rounding < 0))
            return INFINITY;
        const double weight = 1 / (-at_origin * count);
        hcri_quadratic_add_matrix(hcri_block_quadratic(block), weight, mean);
        block->kind->add_gradient(block, 0, origin, weight, slope, block->scratch);
        level += weight * (rounding - at_origin);
    }
    return level;
}

hcr_status hcri_radius_bound(const hcri_set *set, const double *origin, double *radius, hcr_error *error) {
    const size_t n = set->n;
    *radius = INFINITY;
    if (count_quadratics(set) < 2 || n > LARGEST)
        return HCR_OK;
    HCRI_SCRATCH(scratch, &set->allocator);
    double *mean = hcri_allocate(scratch, n * n, sizeof *mean), *slope = hcri_allocate(scratch, n, sizeof *slope),
           *eigenvalue = hcri_allocate(scratch, n, sizeof *eigenvalue);
    HCRI_ALLOCATED(mean && slope && eigenvalue);
    const double level = add_quadratics(set, origin, mean, slope);
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)n, mean, (lapack_int)n, eigenvalue) != 0)
        return HCR_OK;
    const double least = eigenvalue[0] - 16 * (double)n * 0x1p-53 * fabs(eigenvalue[n - 1]);
    const double steep = hcri_norm(n, slope);
    if (least > 0) /* widened by what the sums above may be off */
        *radius = (1 + 1e-6) * (steep + sqrt(steep * steep + 2 * least * level)) / least;
    return HCR_OK;
}
