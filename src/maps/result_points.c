#include "maps/result_points.h"

#include <math.h>

#include "base/vector.h"
#include "kernels/kernels.h"

/* One result on its way. */
typedef struct hcri_result {
    const hcr_region *region;
    const hcri_map *map;
    size_t row;           /* of the output */
    const double *v;      /* the direction … */
    const double *origin; /* … and where it begins, with the parameters behind the outputs */
    hcri_sample_origin sample_origin;
    double *point;   /* scratch: set.n numbers, … */
    double *scratch; /* … and the slice's */
} hcri_result;

/* O + t v into row i of the output; t = 0 gives the origin itself. */
static inline void step_to(const hcr_region *region, const hcri_map *map, size_t i, const double *origin, double t,
                           const double *v) {
    const size_t n = region->set.outputs;
    const hcri_kernels *kernels = hcri_kernels_best();
    if (map->doubles != NULL)
        kernels->step(n, origin, region->origin_every, t, v, &region->clamp[HCR_DOUBLE], map->doubles + i * n);
    else
        kernels->step_f32(n, origin, region->origin_every, t, v, &region->clamp[HCR_SINGLE], map->floats + i * n);
}

static void step(const hcri_result *result, double t) {
    step_to(result->region, result->map, result->row, result->origin, t, result->v);
}

/* Neither equalities to complete nor blocks to verify. */
static int is_plain(const hcr_region *region, hcr_precision precision) {
    return region->affine.count == 0 && region->verified_blocks[precision] == 0 && region->bounded &&
           !region->box_is_claimed;
}

int hcri_points_step(const hcr_region *region, const hcri_slice *slice, const hcri_map *map, const hcri_rays *rays,
                     size_t first, const double *t) {
    if (slice->origins != NULL || !is_plain(region, map->doubles != NULL ? HCR_DOUBLE : HCR_SINGLE) ||
        (map->doubles == NULL && map->floats == NULL))
        return 0;
    for (size_t s = 0; s < rays->rows; s++)
        step_to(region, map, first + s, region->origin, t[s], rays->v + s * rays->stride);
    return 1;
}

/* The output and its parameters in double precision: in place, or in `point`. */
static double *as_doubles(const hcri_result *result) {
    const hcri_map *map = result->map;
    const size_t outputs = result->region->set.outputs, n = result->region->set.n;
    if (map->doubles != NULL && outputs == n)
        return map->doubles + result->row * n;
    for (size_t j = 0; j < outputs; j++)
        result->point[j] = map->doubles != NULL ? map->doubles[result->row * outputs + j]
                                                : (double)map->floats[result->row * outputs + j];
    for (size_t j = outputs; j < n; j++)
        result->point[j] = result->origin[j];
    return result->point;
}

/* The outputs that equalities determine, from the others as they were rounded. */
static void complete(const hcri_result *result, double *y) {
    const hcri_affine *affine = &result->region->affine;
    const hcri_map *map = result->map;
    const size_t first = result->row * result->region->set.outputs;
    hcri_affine_complete(affine, y);
    for (size_t d = 0; y == result->point && d < affine->count; d++) {
        const size_t j = affine->dependent[d];
        if (map->doubles != NULL) {
            map->doubles[first + j] = y[j];
        } else {
            map->floats[first + j] = (float)y[j];
            y[j] = (double)(float)y[j];
        }
    }
}

/* The margins of the other blocks are those of points that are about as near as the region's. Where all blocks have a
 * margin results are; what is verified allows more, off the equalities by rounding. */
static int is_within_reach(const hcr_region *region, const double *y) {
    int within = 1;
    for (size_t j = 0; j < region->set.outputs; j++) {
        const double beyond = 0x1p-8 * (region->upper[j] - region->lower[j]);
        within &= !(y[j] < region->lower[j] - beyond) & !(y[j] > region->upper[j] + beyond);
    }
    return within;
}

static int holds(const hcri_result *result, hcr_precision precision, const double *y) {
    const hcr_region *region = result->region;
    const int may_stray = region->affine.count != 0 && region->verified_blocks[precision] != 0;
    return (region->bounded || hcri_all_finite(region->set.n, y)) && (!may_stray || is_within_reach(region, y)) &&
           (!region->box_is_claimed ||
            hcri_kernels_best()->within(region->set.outputs, y, region->lower, region->upper)) &&
           hcri_sample_origin_verify(region, result->sample_origin, precision, y, result->scratch);
}

void hcri_point_put(const hcr_region *region, const hcri_slice *slice, const hcri_map *map, const hcri_rays *rays,
                    size_t s, size_t i, double t) {
    const hcr_precision precision = map->doubles != NULL ? HCR_DOUBLE : HCR_SINGLE;
    if (map->doubles == NULL && map->floats == NULL)
        return;
    const hcri_result result = {.region = region,
                                .map = map,
                                .row = i,
                                .v = rays->v + s * rays->stride,
                                .origin = hcri_origin_of(region, slice, s),
                                .sample_origin = hcri_sample_origin_of(slice, s),
                                .point = slice->vectors,
                                .scratch = slice->scratch};
    step(&result, t);
    if (is_plain(region, precision) && result.sample_origin != HCRI_SAMPLE_ORIGIN_CENTRE)
        return;
    /* Twice what is missing, as rounding had it, or the least that moves a point; then each time eight times the share
     * of the way; at last by factors, for points so far away that rounding hides the region. */
    for (double share = 0, kept = 1, factor = 0.5;;) {
        double *y = as_doubles(&result);
        if (region->affine.count != 0)
            complete(&result, y);
        if (t == 0 || holds(&result, precision, y))
            return;
        if (share > 0) {
            share *= 8;
        } else {
            share = 2 * hcri_sample_origin_shortfall(region, result.sample_origin, precision, result.origin, y,
                                                     slice->scratch);
            share = fmin(fmax(share, 0x1p-53), 0x1p-6);
        }
        if (share < 1) {
            kept = 1 - share;
        } else {
            kept *= factor;
            factor = fmax(factor * factor, 0x1p-16);
        }
        if (t * kept == 0)
            break;
        step(&result, t * kept);
    }
    step(&result, 0); /* the origin is inside */
    complete(&result, as_doubles(&result));
}

int hcri_point_meets_equalities(const hcr_region *region, hcr_precision precision, const double *y) {
    const hcri_equalities *equalities = &region->set.equalities;
    for (size_t i = 0; i < equalities->rows.count; i++) {
        const double off = hcri_rows_dot_minus(&equalities->rows, i, y, equalities->right[i]);
        if (!(fabs(off) <= 16 * hcr_region_equality_tolerance(region, i, y + region->set.outputs, y, precision)))
            return 0;
    }
    return 1;
}

int hcri_point_is_inside(const hcr_region *region, const double *y, double *scratch) {
    uint32_t which;
    return hcri_all_finite(region->set.n, y) && hcri_region_worst(region, y, &which, scratch) <= 0;
}
