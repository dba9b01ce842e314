#include "ray/point.h"

#include <math.h>

#include "constraints/kernels.h"
#include "core/vector.h"

/* O + t v into output row i; t = 0 gives the origin itself. */
static void step(const hcr_region *region, const hcri_map *map, size_t i, double t, const double *v) {
    const size_t n = region->set.n;
    const hcri_kernels *kernels = hcri_kernels_best();
    if (map->doubles != NULL)
        kernels->step(n, region->origin, t, v, region->clamp_lower[HCR_DOUBLE], region->clamp_upper[HCR_DOUBLE],
                      map->doubles + i * n);
    else
        kernels->step_f32(n, region->origin, t, v, region->clamp_lower[HCR_SINGLE], region->clamp_upper[HCR_SINGLE],
                          map->floats + i * n);
}

/* Output row i in double precision: in place, or in the scratch. */
static double *as_doubles(const hcri_map *map, size_t n, size_t i, double *scratch) {
    if (map->doubles != NULL)
        return map->doubles + i * n;
    for (size_t j = 0; j < n; j++)
        scratch[j] = (double)map->floats[i * n + j];
    return scratch;
}

/* The outputs that equalities determine, from the others as they were rounded. */
static void complete(const hcr_region *region, const hcri_map *map, size_t i, double *y) {
    const hcri_affine *affine = &region->affine;
    hcri_affine_complete(affine, y);
    for (size_t d = 0; map->floats != NULL && d < affine->count; d++) {
        const size_t j = affine->dependent[d];
        map->floats[i * region->set.n + j] = (float)y[j];
        y[j] = (double)(float)y[j];
    }
}

static int holds(const hcr_region *region, hcr_precision precision, const double *y) {
    if (!region->bounded && !hcri_all_finite(region->set.n, y))
        return 0;
    for (size_t b = 0; b < region->verified_blocks[precision]; b++)
        if (!region->verified[precision][b]->kind->holds(region->verified[precision][b], y))
            return 0;
    return 1;
}

void hcri_point_put(const hcr_region *region, const hcri_map *map, size_t i, double t, const double *v,
                    double *scratch) {
    const hcr_precision precision = map->doubles != NULL ? HCR_DOUBLE : HCR_SINGLE;
    if (map->doubles == NULL && map->floats == NULL)
        return;
    step(region, map, i, t, v);
    if (region->affine.count == 0 && region->verified_blocks[precision] == 0 && region->bounded)
        return;
    /* Each time it takes twice the share of the way; the origin, at the end, is inside. */
    for (double share = 0x1p-53; share <= 2; share *= 2) {
        double *y = as_doubles(map, region->set.n, i, scratch);
        if (region->affine.count != 0)
            complete(region, map, i, y);
        if (t == 0 || holds(region, precision, y))
            return;
        step(region, map, i, t * fmax(1 - share, 0), v);
    }
    complete(region, map, i, as_doubles(map, region->set.n, i, scratch));
}

int hcri_point_meets_equalities(const hcr_region *region, hcr_precision precision, const double *y) {
    const hcri_equalities *equalities = &region->set.equalities;
    for (size_t i = 0; i < equalities->rows.count; i++) {
        const double off = hcri_rows_dot_minus(&equalities->rows, i, y, equalities->right[i]);
        if (!(fabs(off) <= 16 * hcr_region_equality_tolerance(region, i, NULL, y, precision)))
            return 0;
    }
    return 1;
}

int hcri_point_is_inside(const hcr_region *region, const double *y) {
    double worst;
    uint32_t which;
    return hcr_violation(region, 1, NULL, y, &worst, &which, NULL) == HCR_OK && worst <= 0;
}
