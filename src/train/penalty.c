#include "train/penalty.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "region/region.h"

hcr_status hcri_penalty_create(const hcr_region *region, double *multiplier, const hcr_allocator *allocator,
                               hcri_penalty *penalty, hcr_error *error) {
    const size_t count = hcr_region_constraints(region);
    const hcri_set *set = &region->set;
    *penalty = (hcri_penalty){.region = region, .count = count, .multiplier = multiplier};
    penalty->unit = hcri_allocate(allocator, 2 * (count + set->n) + region->scratch, sizeof(double));
    HCRI_ALLOCATED(penalty->unit);
    penalty->violation = penalty->unit + count;
    penalty->point = penalty->violation + count;
    penalty->bar = penalty->point + set->n;
    penalty->scratch = penalty->bar + set->n;
    for (size_t b = 0; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        for (size_t i = 0; i < block->count; i++)
            if (block->kind->exists(block, i))
                penalty->unit[block->first + i] =
                    1 / fabs(block->kind->value(block, i, region->origin, NULL, penalty->scratch));
    }
    return HCR_OK;
}

void hcri_penalty_add(hcri_penalty *penalty, const double *x, const double *y, double share, double *loss,
                      double *y_bar) {
    const hcri_set *set = &penalty->region->set;
    const double *point = hcri_region_lift(penalty->region, x, y, penalty->point);
    double *bar = y_bar;
    if (y_bar != NULL && x != NULL)
        bar = memset(penalty->bar, 0, set->n * sizeof *bar);
    for (size_t b = 0; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        for (size_t i = 0; i < block->count; i++) {
            const size_t number = block->first + i;
            const double violation =
                penalty->unit[number] == 0
                    ? 0
                    : penalty->unit[number] * block->kind->value(block, i, point, NULL, penalty->scratch);
            if (!(violation > 0))
                continue;
            const double weight = penalty->multiplier[number];
            *loss += weight * violation;
            if (y_bar == NULL)
                continue;
            penalty->violation[number] += violation;
            if (weight > 0)
                block->kind->add_gradient(block, i, point, share * weight * penalty->unit[number], bar,
                                          penalty->scratch);
        }
    }
    for (size_t j = 0; bar != y_bar && j < set->outputs; j++)
        y_bar[j] += bar[j];
}

void hcri_penalty_raise(hcri_penalty *penalty, double step, size_t samples) {
    for (size_t i = 0; i < penalty->count; i++) {
        penalty->multiplier[i] += step * penalty->violation[i] / (double)samples;
        penalty->violation[i] = 0;
    }
}
