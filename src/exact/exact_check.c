#include <math.h>

#include "base/vector.h"
#include "exact/exact_equalities.h"
#include "exact/exact_sign.h"
#include "exact/fixed_point.h"
#include "hcr/hcr_build.h"
#include "region/sample_equalities.h"

/* Points that are checked together: every block passes by once for all of them, and stays in the cache while it does.
 */
enum { AT_ONCE = 16 };

/* Is a_i·(y, x) = b_i? */
static int is_equal(const hcri_equalities *equalities, size_t i, const double *point) {
    mpz_t off, a, b;
    mpz_inits(off, a, b, NULL);
    hcri_fixed_row(off, &equalities->rows, i, point, -equalities->right[i], a, b);
    const int equal = mpz_sgn(off) == 0;
    mpz_clears(off, a, b, NULL);
    return equal;
}

/* `point` is (y, x). What isn't 0 to about twice the working precision isn't 0. */
int hcri_exact_meets_equalities(const hcr_region *region, hcr_precision precision, const double *point) {
    const hcri_equalities *equalities = &region->set.equalities;
    for (size_t i = 0; i < equalities->rows.count; i++) {
        const double off = fabs(hcri_equality_off(region, i, point));
        const double *x = point + region->set.outputs;
        if (!(off <= hcr_region_equality_rounding(region, i, x, point, precision)))
            return 0;
        if (hcr_region_equality_tolerance(region, i, x, point, precision) == 0 && !is_equal(equalities, i, point))
            return 0;
    }
    return 1;
}

static int nearly_meets_equalities(const hcr_region *region, const double *point) {
    const hcri_equalities *equalities = &region->set.equalities;
    for (size_t i = 0; i < equalities->rows.count; i++)
        if (!(fabs(hcri_equality_off(region, i, point)) <=
              hcr_region_equality_rounding(region, i, point + region->set.outputs, point, HCR_DOUBLE)))
            return 0;
    return 1;
}

/* Points that are checked: in one of two precisions. */
typedef struct checked {
    const hcr_region *region;
    size_t rows;
    const double *x, *y;
    const float *x_f32, *y_f32;
    int nearly; /* equalities to within rounding */
} checked;

static int meets_equalities(const checked *at, const double *point) {
    return at->nearly ? nearly_meets_equalities(at->region, point)
                      : hcri_exact_meets_equalities(at->region, at->y == NULL ? HCR_SINGLE : HCR_DOUBLE, point);
}

/* At most AT_ONCE points (y, x). */
static hcr_status check_chunk(const checked *at, size_t rows, const double *points, uint8_t *inside, uint32_t *which,
                              double *scratch, hcr_error *error) {
    const hcr_region *region = at->region;
    const size_t n = region->set.n;
    uint32_t violated[AT_ONCE];
    for (size_t s = 0; s < rows; s++) {
        const double *point = points + s * n;
        inside[s] = hcri_all_finite(n, point) &&
                    hcri_origin_map_accepts(&region->origin_map, point + region->set.outputs) &&
                    meets_equalities(at, point);
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

static hcr_status check(const checked *at, uint8_t *inside, uint32_t *which, hcr_error *error) {
    const hcr_region *region = at->region;
    const size_t rows = at->rows;
    HCRI_FAIL_IF(region == NULL || (rows != 0 && ((at->y == NULL && at->y_f32 == NULL) || inside == NULL ||
                                                  (region->origin_map.parameters != 0 &&
                                                   (at->y == NULL ? (const void *)at->x_f32 : at->x) == NULL))),
                 HCR_ERROR_ARGUMENT, "region, x, y or inside is NULL");
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    const size_t numbers = AT_ONCE * (n + p);
    HCRI_SCOPED double *points = hcri_allocate(&hcri_default_allocator, numbers + region->scratch, sizeof *points);
    HCRI_ALLOCATED(points);
    hcr_status status = HCR_OK;
    for (size_t i = 0; i < rows && status == HCR_OK; i += AT_ONCE) {
        const size_t now = rows - i < AT_ONCE ? rows - i : AT_ONCE;
        for (size_t s = 0; s < now; s++) {
            for (size_t j = 0; j < n; j++)
                points[s * (n + p) + j] = number_at(at->y, at->y_f32, n, i + s, j);
            for (size_t k = 0; k < p; k++)
                points[s * (n + p) + n + k] = number_at(at->x, at->x_f32, p, i + s, k);
        }
        status = check_chunk(at, now, points, inside + i, which == NULL ? NULL : which + i, points + numbers, error);
    }
    return status;
}

hcr_status hcri_check_data(const hcr_region *region, size_t rows, const double *parameters, const double *y,
                           uint8_t *inside, hcr_error *error) {
    return check(&(checked){.region = region, .rows = rows, .x = parameters, .y = y, .nearly = 1}, inside, NULL, error);
}

hcr_status hcr_check(const hcr_region *region, size_t rows, const double *parameters, const double *y, uint8_t *inside,
                     uint32_t *which, hcr_error *error) {
    return check(&(checked){.region = region, .rows = rows, .x = parameters, .y = y}, inside, which, error);
}

hcr_status hcr_check_f32(const hcr_region *region, size_t rows, const float *parameters, const float *y,
                         uint8_t *inside, uint32_t *which, hcr_error *error) {
    return check(&(checked){.region = region, .rows = rows, .x_f32 = parameters, .y_f32 = y}, inside, which, error);
}
