#include <math.h>

#include "base/vector.h"
#include "exact/exact_sign.h"
#include "hcr/hcr_build.h"
#include "region/region.h"

/* Points that are checked together: every block passes by once for all of them, and stays in the cache while it does.
 */
enum { AT_ONCE = 16 };

/* `point` is (y, x). */
static int meets_equalities(const hcr_region *region, hcr_precision precision, const double *point) {
    const hcri_equalities *equalities = &region->set.equalities;
    for (size_t i = 0; i < equalities->rows.count; i++)
        if (!(fabs(hcri_rows_dot_minus(&equalities->rows, i, point, equalities->right[i])) <=
              hcr_region_equality_tolerance(region, i, point + region->set.outputs, point, precision)))
            return 0;
    return 1;
}

/* At most AT_ONCE points (y, x). */
static hcr_status check_chunk(const hcr_region *region, hcr_precision precision, size_t rows, const double *points,
                              uint8_t *inside, uint32_t *which, double *scratch, hcr_error *error) {
    const size_t n = region->set.n;
    uint32_t violated[AT_ONCE];
    for (size_t s = 0; s < rows; s++) {
        const double *point = points + s * n;
        inside[s] = hcri_all_finite(n, point) &&
                    hcri_origin_map_accepts(&region->origin_map, point + region->set.outputs) &&
                    meets_equalities(region, precision, point);
        violated[s] = HCRI_NO_CONSTRAINT;
    }
    for (size_t b = 0; b < region->set.blocks; b++) {
        const hcri_constraint *block = region->set.block[b];
        for (size_t i = 0; i < block->count; i++)
            for (size_t s = 0; s < rows && block->kind->exists(block, i); s++) {
                const int holds = inside[s] ? hcri_exact_holds(block, i, points + s * n, scratch) : 1;
                if (holds == HCRI_EXACT_MEMORY)
                    return hcri_fail_memory(error);
                if (!holds) {
                    inside[s] = 0;
                    violated[s] = block->first + (uint32_t)i;
                }
            }
    }
    for (size_t s = 0; which != NULL && s < rows; s++)
        which[s] = violated[s];
    return HCR_OK;
}

/* Number k of row i, in one of the two precisions. */
static double number_at(const double *doubles, const float *floats, size_t width, size_t i, size_t k) {
    return doubles != NULL ? doubles[i * width + k] : (double)floats[i * width + k];
}

static hcr_status check(const hcr_region *region, size_t rows, const double *x, const double *y, const float *x_f32,
                        const float *y_f32, uint8_t *inside, uint32_t *which, hcr_error *error) {
    const int single = y == NULL;
    if (region == NULL || (rows != 0 && ((y == NULL && y_f32 == NULL) || inside == NULL ||
                                         (region->origin_map.parameters != 0 && (single ? x_f32 == NULL : x == NULL)))))
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "region, x, y or inside is NULL");
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    const size_t numbers = AT_ONCE * (n + p);
    HCRI_SCOPED double *points = hcri_allocate(&hcri_default_allocator, numbers + region->scratch, sizeof *points);
    if (points == NULL)
        return hcri_fail_memory(error);
    hcr_status status = HCR_OK;
    for (size_t i = 0; i < rows && status == HCR_OK; i += AT_ONCE) {
        const size_t now = rows - i < AT_ONCE ? rows - i : AT_ONCE;
        for (size_t s = 0; s < now; s++) {
            for (size_t j = 0; j < n; j++)
                points[s * (n + p) + j] = number_at(y, y_f32, n, i + s, j);
            for (size_t k = 0; k < p; k++)
                points[s * (n + p) + n + k] = number_at(x, x_f32, p, i + s, k);
        }
        status = check_chunk(region, single ? HCR_SINGLE : HCR_DOUBLE, now, points, inside + i,
                             which == NULL ? NULL : which + i, points + numbers, error);
    }
    return status;
}

hcr_status hcr_check(const hcr_region *region, size_t rows, const double *parameters, const double *y, uint8_t *inside,
                     uint32_t *which, hcr_error *error) {
    return check(region, rows, parameters, y, NULL, NULL, inside, which, error);
}

hcr_status hcr_check_f32(const hcr_region *region, size_t rows, const float *parameters, const float *y,
                         uint8_t *inside, uint32_t *which, hcr_error *error) {
    return check(region, rows, NULL, NULL, parameters, y, inside, which, error);
}
