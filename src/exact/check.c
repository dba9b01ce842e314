#include <math.h>

#include "core/vector.h"
#include "exact/sign.h"
#include "hcr/hcr_build.h"
#include "region/region.h"

/* Points that are checked together: every block passes by once for all of them, and stays in the cache while it does.
 */
enum { AT_ONCE = 16 };

static int meets_equalities(const hcr_region *region, hcr_precision precision, const double *y) {
    const hcri_equalities *equalities = &region->set.equalities;
    for (size_t i = 0; i < equalities->rows.count; i++)
        if (!(fabs(hcri_rows_dot_minus(&equalities->rows, i, y, equalities->right[i])) <=
              hcr_region_equality_tolerance(region, i, y, precision)))
            return 0;
    return 1;
}

static void check_chunk(const hcr_region *region, hcr_precision precision, size_t rows, const double *y,
                        uint8_t *inside, uint32_t *which) {
    const size_t n = region->set.n;
    uint32_t violated[AT_ONCE];
    for (size_t s = 0; s < rows; s++) {
        inside[s] = hcri_all_finite(n, y + s * n) && meets_equalities(region, precision, y + s * n);
        violated[s] = HCRI_NO_CONSTRAINT;
    }
    for (size_t b = 0; b < region->set.blocks; b++) {
        const hcri_constraint *block = region->set.block[b];
        for (size_t i = 0; i < block->count; i++)
            for (size_t s = 0; s < rows && block->kind->exists(block, i); s++)
                if (inside[s] && !hcri_exact_holds(block, i, y + s * n)) {
                    inside[s] = 0;
                    violated[s] = block->first + (uint32_t)i;
                }
    }
    for (size_t s = 0; which != NULL && s < rows; s++)
        which[s] = violated[s];
}

hcr_status hcr_check(const hcr_region *region, size_t rows, const double *y, uint8_t *inside, uint32_t *which,
                     hcr_error *error) {
    if (region == NULL || (rows != 0 && (y == NULL || inside == NULL)))
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "region, y or inside is NULL");
    for (size_t i = 0; i < rows; i += AT_ONCE)
        check_chunk(region, HCR_DOUBLE, rows - i < AT_ONCE ? rows - i : AT_ONCE, y + i * region->set.n, inside + i,
                    which == NULL ? NULL : which + i);
    return HCR_OK;
}

hcr_status hcr_check_f32(const hcr_region *region, size_t rows, const float *y, uint8_t *inside, uint32_t *which,
                         hcr_error *error) {
    if (region == NULL || (rows != 0 && (y == NULL || inside == NULL)))
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "region, y or inside is NULL");
    const size_t n = region->set.n;
    double *points = hcri_allocate(&hcri_default_allocator, AT_ONCE * n, sizeof *points);
    if (points == NULL)
        return hcri_fail_memory(error);
    for (size_t i = 0; i < rows; i += AT_ONCE) {
        const size_t now = rows - i < AT_ONCE ? rows - i : AT_ONCE;
        for (size_t k = 0; k < now * n; k++)
            points[k] = (double)y[i * n + k];
        check_chunk(region, HCR_SINGLE, now, points, inside + i, which == NULL ? NULL : which + i);
    }
    hcri_release(&hcri_default_allocator, points);
    return HCR_OK;
}
