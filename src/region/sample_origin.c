#include "region/sample_origin.h"

#include <math.h>
#include <string.h>

#include "region/sample_centre.h"

/* The blocks', and behind it the centre's: a region whose O(x) is proved has no use for one. */
size_t hcri_sample_origin_scratch(const hcr_region *region) { return region->scratch + hcri_centres_scratch(region); }

/* What results are verified by. */
static const hcri_constraint *const *verified(const hcr_region *region, hcri_sample_origin sample_origin,
                                              hcr_precision precision, size_t *count) {
    const int all = sample_origin == HCRI_SAMPLE_ORIGIN_CENTRE;
    *count = all ? region->set.blocks : region->verified_blocks[precision];
    return all ? (const hcri_constraint *const *)region->set.block : region->verified[precision];
}

int hcri_sample_origin_verify(const hcr_region *region, hcri_sample_origin sample_origin, hcr_precision precision,
                              const double *point, double *scratch) {
    size_t count;
    const hcri_constraint *const *block = verified(region, sample_origin, precision, &count);
    for (size_t b = 0; b < count; b++)
        if (!block[b]->kind->holds(block[b], point, scratch))
            return 0;
    return 1;
}

double hcri_sample_origin_shortfall(const hcr_region *region, hcri_sample_origin sample_origin, hcr_precision precision,
                                    const double *origin, const double *point, double *scratch) {
    size_t count;
    const hcri_constraint *const *block = verified(region, sample_origin, precision, &count);
    double most = 0;
    for (size_t b = 0; b < count; b++)
        for (size_t i = 0; block[b]->kind->is_affine && i < block[b]->count; i++) {
            if (!block[b]->kind->exists(block[b], i))
                continue;
            double rounding;
            const double c = block[b]->kind->value(block[b], i, point, &rounding, scratch) + rounding;
            if (c > 0 && (block[b]->kind->is_idle == NULL || !block[b]->kind->is_idle(block[b], i, point)))
                most = fmax(most, c / (c - block[b]->kind->value(block[b], i, origin, NULL, scratch)));
        }
    return most;
}

/* Bounds, whose values have no rounding, hold on the boundary too, where no ray of an output that is free can begin. */
static int is_between_bounds(const hcr_region *region, const double *point, const double *is_free) {
    for (size_t j = 0; j < region->set.outputs; j++)
        if (!(region->set.box->lower[j] < point[j] && point[j] < region->set.box->upper[j]) &&
            (is_free == NULL || is_free[j] != 0))
            return 0;
    return 1;
}

hcri_sample_origin hcri_sample_origin_find(const hcr_region *region, double *point, double *is_free, double *scratch) {
    if (!hcri_origin_map_accepts(&region->origin_map, point + region->set.outputs))
        return HCRI_SAMPLE_ORIGIN_OUT_OF_RANGE;
    hcri_origin_map_origin(&region->origin_map, point + region->set.outputs, point);
    if (region->origin_proved)
        return HCRI_SAMPLE_ORIGIN_AFFINE;
    hcri_affine_complete(&region->affine, point);
    hcri_sample_origin kind = HCRI_SAMPLE_ORIGIN_AFFINE;
    if (region->centres != NULL) {
        if (!hcri_centres_find(region, point, is_free, scratch + region->scratch))
            return HCRI_SAMPLE_ORIGIN_NONE;
        kind = HCRI_SAMPLE_ORIGIN_CENTRE;
    }
    return hcri_sample_origin_verify(region, kind, HCR_DOUBLE, point, scratch) &&
                   is_between_bounds(region, point, region->centres == NULL ? NULL : is_free)
               ? kind
               : HCRI_SAMPLE_ORIGIN_NONE;
}

void hcri_sample_origin_find_all(const hcr_region *region, size_t samples, double *points, double *is_free,
                                 double *scratch, hcri_sample_origin *sample_origin) {
    const size_t n = region->set.n, outputs = region->set.outputs;
    if (region->origin_proved)
        hcri_origin_map_origins(&region->origin_map, samples, points + outputs, points, n);
    for (size_t s = 0; s < samples; s++)
        if (!region->origin_proved)
            sample_origin[s] = hcri_sample_origin_find(region, points + s * n,
                                                       is_free == NULL ? NULL : is_free + s * outputs, scratch);
        else
            sample_origin[s] = hcri_origin_map_accepts(&region->origin_map, points + s * n + outputs)
                                   ? HCRI_SAMPLE_ORIGIN_AFFINE
                                   : HCRI_SAMPLE_ORIGIN_OUT_OF_RANGE;
}

/* As the step of a map and its completion round. */
static void round_to_single(const hcr_region *region, const double *point, double *rounded) {
    const double *lower = region->clamp_lower[HCR_SINGLE], *upper = region->clamp_upper[HCR_SINGLE];
    const size_t n = region->set.outputs;
    memcpy(rounded, point, region->set.n * sizeof *rounded);
    for (size_t j = 0; j < n; j++)
        rounded[j] = (double)(float)(point[j] < lower[j] ? lower[j] : point[j] > upper[j] ? upper[j] : point[j]);
    hcri_affine_complete(&region->affine, rounded);
    for (size_t d = 0; d < region->affine.count; d++)
        rounded[region->affine.dependent[d]] = (double)(float)rounded[region->affine.dependent[d]];
}

int hcri_sample_origin_holds_rounded(const hcr_region *region, hcri_sample_origin sample_origin, const double *point,
                                     double *rounded, double *scratch) {
    if (sample_origin != HCRI_SAMPLE_ORIGIN_CENTRE && region->verified_blocks[HCR_SINGLE] == 0)
        return 1;
    round_to_single(region, point, rounded);
    return hcri_sample_origin_verify(region, sample_origin, HCR_SINGLE, rounded, scratch);
}

void hcri_sample_origin_vjp(const hcr_region *region, hcri_sample_origin sample_origin, const double *point,
                            const double *is_free, double *bar, double *x_bar, double *scratch) {
    const size_t n = region->set.outputs;
    const hcri_affine *affine = &region->affine;
    for (size_t d = 0; d < affine->count; d++) { /* O_dependent = constant + T (O, x) */
        const double weight = bar[affine->dependent[d]];
        bar[affine->dependent[d]] = 0;
        for (size_t k = affine->map.start[d]; k < affine->map.start[d + 1]; k++) {
            const size_t j = affine->map.columns[k];
            *(j < n ? &bar[j] : &x_bar[j - n]) += weight * affine->map.values[k];
        }
    }
    if (sample_origin == HCRI_SAMPLE_ORIGIN_CENTRE) {
        hcri_centres_vjp(region, point, is_free, bar, x_bar, scratch + region->scratch);
        return;
    }
    const hcri_rows *map = &region->origin_map.map;
    for (size_t j = 0; j < n; j++)
        for (size_t k = map->start[j]; k < map->start[j + 1]; k++)
            x_bar[map->columns[k]] += bar[j] * map->values[k];
}

void hcri_sample_origin_jvp(const hcr_region *region, hcri_sample_origin sample_origin, const double *point,
                            const double *is_free, const double *x_dot, double *dot, double *scratch) {
    const size_t n = region->set.outputs;
    const hcri_affine *affine = &region->affine;
    const hcri_rows *map = &region->origin_map.map;
    for (size_t j = 0; j < n; j++) {
        dot[j] = 0;
        for (size_t k = map->start[j]; k < map->start[j + 1]; k++)
            dot[j] += map->values[k] * x_dot[map->columns[k]];
    }
    if (sample_origin == HCRI_SAMPLE_ORIGIN_CENTRE)
        hcri_centres_jvp(region, point, is_free, x_dot, dot, scratch + region->scratch);
    for (size_t d = 0; d < affine->count; d++) { /* O_dependent = constant + T (O, x) */
        double change = 0;
        for (size_t k = affine->map.start[d]; k < affine->map.start[d + 1]; k++) {
            const size_t j = affine->map.columns[k];
            change += affine->map.values[k] * (j < n ? dot[j] : x_dot[j - n]);
        }
        dot[affine->dependent[d]] = change;
    }
}
