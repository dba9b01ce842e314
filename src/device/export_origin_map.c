#include <math.h>

#include "device/export_plan.h"

static double round_to(const hcri_plan *plan, double x) { return plan->precision == HCR_SINGLE ? (double)(float)x : x; }

void hcri_swing_release(hcri_swing *swing, const hcr_allocator *allocator) {
    hcri_release(allocator, swing->middle);
    hcri_release(allocator, swing->distance);
    hcri_release(allocator, swing->size);
    hcri_release(allocator, swing->rounding);
    hcri_rows_release(&swing->map, allocator);
}

/* Row j of the map into `dense`, p numbers: of a free output the motion's, rounded; of a dependent one what follows. */
static void fill_row(const hcri_plan *plan, const hcri_motion *motion, size_t j, double *dense, double *constant) {
    const hcri_affine *affine = &plan->region->affine;
    const size_t d = hcri_affine_find(affine, (uint32_t)j);
    for (size_t k = 0; k < plan->p; k++)
        dense[k] = 0;
    if (d == SIZE_MAX) {
        *constant = motion->constant[j];
        for (size_t k = motion->map.start[j]; k < motion->map.start[j + 1]; k++) {
            dense[motion->map.columns[k]] = round_to(plan, motion->map.values[k]);
            *constant += motion->map.values[k] * plan->swing.middle[motion->map.columns[k]];
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
            *constant += a * plan->swing.middle[column - plan->n];
            continue;
        }
        *constant += a * plan->origin[column];
        for (size_t l = motion->map.start[column]; l < motion->map.start[column + 1]; l++)
            dense[motion->map.columns[l]] += a * round_to(plan, motion->map.values[l]);
    }
}

/* Free outputs come first: dependent ones follow from them. */
static hcr_status make_map(const hcr_region *region, hcri_plan *plan, double *dense, hcr_error *error) {
    const hcr_allocator *allocator = &region->set.allocator;
    hcri_swing *swing = &plan->swing;
    for (int dependent = 0; dependent < 2; dependent++)
        for (size_t j = 0; j < plan->n; j++)
            if ((hcri_affine_find(&region->affine, (uint32_t)j) != SIZE_MAX) == dependent)
                fill_row(plan, &region->motion, j, dense, &plan->origin[j]);
    uint32_t *columns = hcri_allocate(allocator, plan->p, sizeof *columns);
    double *values = hcri_allocate(allocator, plan->p, sizeof *values);
    hcr_status status = columns == NULL || values == NULL ? hcri_fail_memory(error) : HCR_OK;
    for (size_t j = 0; j < plan->n && status == HCR_OK; j++) {
        double constant;
        size_t count = 0;
        fill_row(plan, &region->motion, j, dense, &constant);
        swing->size[j] = fabs(plan->origin[j]);
        for (uint32_t k = 0; k < plan->p; k++)
            if (dense[k] != 0) {
                columns[count] = k;
                values[count++] = dense[k];
                swing->size[j] += fabs(dense[k]) * swing->distance[k];
            }
        swing->rounding[j] = 1.01 * ((double)count + 4) * plan->unit * swing->size[j];
        status = hcri_rows_append(&swing->map, allocator, count, columns, values, error);
    }
    hcri_release(allocator, columns);
    hcri_release(allocator, values);
    return status;
}

hcr_status hcri_plan_swing(const hcr_region *region, hcri_plan *plan, hcr_error *error) {
    const hcr_allocator *allocator = &region->set.allocator;
    const hcri_motion *motion = &region->motion;
    const hcri_affine *affine = &region->affine;
    hcri_swing *swing = &plan->swing;
    if (!region->origin_proved)
        return hcri_fail(
            error, HCR_ERROR_UNSUPPORTED,
            "the origin isn't inside for all parameters, as exported code needs it: narrow their range, or "
            "give one that is");
    swing->middle = hcri_allocate(allocator, plan->p, sizeof(double));
    swing->distance = hcri_allocate(allocator, plan->p, sizeof(double));
    swing->size = hcri_allocate(allocator, plan->n, sizeof(double));
    swing->rounding = hcri_allocate(allocator, plan->n, sizeof(double));
    double *dense = hcri_allocate(allocator, plan->p, sizeof *dense);
    if (swing->middle == NULL || swing->distance == NULL || swing->size == NULL || swing->rounding == NULL ||
        dense == NULL) {
        hcri_release(allocator, dense);
        return hcri_fail_memory(error);
    }
    for (size_t k = 0; k < plan->p; k++) {
        swing->middle[k] = round_to(plan, 0.5 * motion->lower[k] + 0.5 * motion->upper[k]);
        swing->distance[k] =
            (1 + 4 * plan->unit) * fmax(motion->upper[k] - swing->middle[k], swing->middle[k] - motion->lower[k]);
    }
    const hcr_status status = make_map(region, plan, dense, error);
    hcri_release(allocator, dense);
    if (status != HCR_OK)
        return status;
    for (size_t j = 0; j < plan->n; j++) {
        const double swung = swing->size[j] - fabs(plan->origin[j]);
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
            off += j >= plan->n ? a * (fabs(swing->middle[j - plan->n]) + swing->distance[j - plan->n]) * 0x1p-53
                                : a * (hcri_plan_dependent_rounding(plan, i) * (swing->size[j] + plan->reach[j]) +
                                       swing->rounding[j]);
        }
        plan->extra[affine->dependent[i]] = 1.01 * (off + 0x1p-53 * fabs(affine->constant[i]));
    }
    return HCR_OK;
}
