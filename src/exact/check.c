#include <math.h>

#include "exact/sign.h"
#include "hcr/hcr_build.h"
#include "region/region.h"

static int all_finite(size_t n, const double *y) {
    for (size_t j = 0; j < n; j++)
        if (!isfinite(y[j]))
            return 0;
    return 1;
}

/* The first constraint that doesn't hold at y, HCRI_NO_CONSTRAINT when all do. */
static uint32_t first_violated(const hcri_set *set, const double *y) {
    for (size_t b = 0; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        for (size_t i = 0; i < block->count; i++)
            if (block->kind->exists(block, i) && !hcri_exact_holds(block, i, y))
                return block->first + (uint32_t)i;
    }
    return HCRI_NO_CONSTRAINT;
}

static void check_row(const hcr_region *region, const double *y, size_t row, uint8_t *inside, uint32_t *which) {
    const int finite = all_finite(region->set.n, y);
    const uint32_t violated = finite ? first_violated(&region->set, y) : HCRI_NO_CONSTRAINT;
    inside[row] = finite && violated == HCRI_NO_CONSTRAINT;
    if (which != NULL)
        which[row] = violated;
}

hcr_status hcr_check(const hcr_region *region, size_t rows, const double *y, uint8_t *inside, uint32_t *which,
                     hcr_error *error) {
    if (region == NULL || (rows != 0 && (y == NULL || inside == NULL)))
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "region, y or inside is NULL");
    for (size_t i = 0; i < rows; i++)
        check_row(region, y + i * region->set.n, i, inside, which);
    return HCR_OK;
}

hcr_status hcr_check_f32(const hcr_region *region, size_t rows, const float *y, uint8_t *inside, uint32_t *which,
                         hcr_error *error) {
    if (region == NULL || (rows != 0 && (y == NULL || inside == NULL)))
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "region, y or inside is NULL");
    const size_t n = region->set.n;
    double *point = hcri_allocate(&hcri_default_allocator, n, sizeof *point);
    if (point == NULL)
        return hcri_fail_memory(error);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < n; j++)
            point[j] = (double)y[i * n + j];
        check_row(region, point, i, inside, which);
    }
    hcri_release(&hcri_default_allocator, point);
    return HCR_OK;
}
