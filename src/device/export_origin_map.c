#include <math.h>

#include "device/export_plan.h"

static double round_to(const hcri_plan *plan, double x) { return plan->precision == HCR_SINGLE ? (double)(float)x : x; }

/* Row j of the map into `dense`, p numbers: of a free output the origin map's, rounded; of a dependent one what
 * follows. */
static void fill_row(const hcri_plan *plan, const hcri_origin_map *origin_map, size_t j, double *constant) {
    const hcri_affine *affine = &plan->region->affine;
    double *dense = plan->moving_origin.dense;
    const size_t d = hcri_affine_find(affine, (uint32_t)j);
    for (size_t k = 0; k < plan->p; k++)
        dense[k] = 0;
    if (d == SIZE_MAX) {
        *constant = origin_map->constant[j];
        for (size_t k = origin_map->map.start[j]; k < origin_map->map.start[j + 1]; k++) {
            dense[origin_map->map.columns[k]] = round_to(plan, origin_map->map.values[k]);
            *constant += origin_map->map.values[k] * plan->moving_origin.middle[origin_map->map.columns[k]];
        }
        *constant = round_to(plan, *constant);
        return;
    }
    *constant = affine->constant[d];
    for (size_t k = affine->map.start[d]; k < affine->map.start[d + 1]; k++) {
        const size_t column = affine->map.columns[k];
        const double a = affine->map.values[k];
        if (column >= plan->n) {
            dense[column - plan->n] += a;
            *constant += a * plan->moving_origin.middle[column - plan->n];
            continue;
        }
        *constant += a * plan->origin[column];
        for (size_t l = origin_map->map.start[column]; l < origin_map->map.start[column + 1]; l++)
            dense[origin_map->map.columns[l]] += a * round_to(plan, origin_map->map.values[l]);
    }
}

/* Free outputs come first: dependent ones follow from them. */
static hcr_status make_map(const hcr_region *region, hcri_plan *plan, hcr_error *error) {
    hcri_moving_origin *moving_origin = &plan->moving_origin;
    const double *dense = moving_origin->dense;
    for (int dependent = 0; dependent < 2; dependent++)
        for (size_t j = 0; j < plan->n; j++)
            if ((hcri_affine_find(&region->affine, (uint32_t)j) != SIZE_MAX) == dependent)
                fill_row(plan, &region->origin_map, j, &plan->origin[j]);
    for (size_t j = 0; j < plan->n; j++) {
        double constant, count = 0;
        fill_row(plan, &region->origin_map, j, &constant);
        moving_origin->size[j] = fabs(plan->origin[j]);
        for (uint32_t k = 0; k < plan->p; k++)
            if (dense[k] != 0) {
                count++;
                moving_origin->size[j] += fabs(dense[k]) * moving_origin->distance[k];
            }
        moving_origin->rounding[j] = 1.01 * (count + 4) * plan->unit * moving_origin->size[j];
        HCRI_TRY(hcri_rows_append_dense(&moving_origin->map, &hcri_default_allocator, plan->p, dense, error));
    }
    return HCR_OK;
}

hcr_status hcri_plan_moving_origin(const hcr_region *region, hcri_plan *plan, hcr_error *error) {
    const hcri_origin_map *origin_map = &region->origin_map;
    const hcri_affine *affine = &region->affine;
    hcri_moving_origin *moving_origin = &plan->moving_origin;
    for (size_t k = 0; k < plan->p; k++) {
        moving_origin->middle[k] = round_to(plan, 0.5 * origin_map->lower[k] + 0.5 * origin_map->upper[k]);
        moving_origin->distance[k] = (1 + 4 * plan->unit) * fmax(origin_map->upper[k] - moving_origin->middle[k],
                                                                 moving_origin->middle[k] - origin_map->lower[k]);
    }
    HCRI_TRY(make_map(region, plan, error));
    for (size_t j = 0; j < plan->n; j++) {
        const double swung = moving_origin->size[j] - fabs(plan->origin[j]);
        plan->reach[j] = fmax(region->upper[j] - plan->origin[j], plan->origin[j] - region->lower[j]) + swung;
    }
    /* As without parameters, and what T makes of the origin's rounding; its parameters are the same for the code and
     * for O(x). */
    for (size_t i = 0; i < affine->count; i++) {
        const size_t start = affine->map.start[i], end = affine->map.start[i + 1];
        double off = 0;
        for (size_t k = start; k < end; k++) {
            const size_t j = affine->map.columns[k];
            const double a = fabs(affine->map.values[k]);
            off += j >= plan->n
                       ? a * (fabs(moving_origin->middle[j - plan->n]) + moving_origin->distance[j - plan->n]) * 0x1p-53
                       : a * (hcri_plan_dependent_rounding(plan, i) * (moving_origin->size[j] + plan->reach[j]) +
                              moving_origin->rounding[j]);
        }
        plan->extra[affine->dependent[i]] = 1.01 * (off + 0x1p-53 * fabs(affine->constant[i]));
    }
    return HCR_OK;
}
