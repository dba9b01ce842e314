/* Regions to project onto, and all that is asked of a nearest point. */
#ifndef SOLVE_PROJECTION_H
#define SOLVE_PROJECTION_H

#include "base/random.h"
#include "optimality.h"
#include "unit/origin/regions.h"

/* A region around an origin, within ±bound in each output. */
static inline hcr_region *around(hcr_builder *builder, const double *origin, double bound) {
    const size_t n = hcr_builder_dimension(builder);
    double *lower = calloc(n, sizeof *lower), *upper = calloc(n, sizeof *upper), *zero = calloc(n, sizeof *zero);
    assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
    for (size_t j = 0; j < n; j++) {
        lower[j] = fmax(-bound, builder->set.box->lower[j]);
        upper[j] = fmin(bound, builder->set.box->upper[j]);
    }
    hcr_region *region = NULL;
    hcr_error error = {0};
    if (hcri_region_create(
            &builder->set,
            &(hcri_analysis){
                .origin = origin == NULL ? zero : origin, .lower = lower, .upper = upper, .radius = INFINITY},
            NULL, &region, &error) != HCR_OK)
        fail_msg("%s", error.text);
    free(lower);
    free(upper);
    free(zero);
    hcr_builder_free(builder);
    return region;
}

static inline hcr_projector *projector_of(const hcr_region *region) {
    hcr_projector *projector = NULL;
    assert_int_equal(hcr_projector_create(region, NULL, &projector, NULL), HCR_OK);
    return projector;
}

static inline void normal(hcri_random *random, size_t count, double scale, double *values) {
    for (size_t i = 0; i < count; i++)
        values[i] = scale * hcri_random_normal(random);
}

/* Projects p and asks for all that is promised: a point inside comes back as it is; others end exactly inside, and
 * their distance is the least but for 1e-8 of it or what the margin takes. From far away every point of the region is
 * about as near, so there the result must also be, to 1e-8 of the region's size, the one that reaches farthest towards
 * p. */
static inline uint32_t project_and_check(const hcr_region *region, hcr_projector *projector, const double *p,
                                         double *y) {
    const size_t n = region->set.n;
    uint32_t outcome;
    uint8_t inside;
    hcr_error error = {0};
    if (hcr_project(projector, 1, NULL, p, y, &outcome, NULL, &error) != HCR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(hcr_check(region, 1, NULL, y, &inside, NULL, NULL), HCR_OK);
    assert_true(inside);
    assert_int_equal(hcr_check(region, 1, NULL, p, &inside, NULL, NULL), HCR_OK);
    assert_int_equal(outcome, inside ? HCR_OUTCOME_INSIDE : HCR_OUTCOME_MOVED);
    if (inside) {
        assert_memory_equal(p, y, n * sizeof *y);
        return outcome;
    }
    const optimality found = judge(region, p, y);
    double reach = 0;
    for (size_t j = 0; j < n; j++)
        reach = hypot(reach, region->upper[j] - region->lower[j]);
    const double rounding = reach * (4 * region->margin[HCR_DOUBLE] + 1e-14);
    if (!(found.distance - found.least <= 1e-8 * found.distance + rounding))
        fail_msg("n %zu: distance %.17g, but for all that is known it could be %.17g", n, found.distance, found.least);
    if (found.distance > 100 * reach && !(found.linear <= 1e-8 * reach))
        fail_msg("n %zu: another point is %g farther in the direction of p", n, found.linear);
    return outcome;
}

static inline void check_at_scales(const hcr_region *region, hcri_random *random, int rounds) {
    static const double scales[] = {0.3, 1, 5, 100, 1e4};
    const size_t n = region->set.n;
    hcr_projector *projector = projector_of(region);
    double p[32], y[32];
    int moved = 0;
    for (int round = 0; round < rounds; round++) {
        normal(random, n, scales[round % 5], p);
        moved += project_and_check(region, projector, p, y) == HCR_OUTCOME_MOVED;
        if (round % 4 == 0) { /* from the frontier outwards a little */
            for (size_t j = 0; j < n; j++)
                p[j] = y[j] + 1e-5 * (p[j] - y[j]);
            project_and_check(region, projector, p, y);
        }
    }
    assert_true(moved > rounds / 3);
    hcr_projector_free(projector);
}

/* A random polytope around 0: rows of any number of entries and of lengths from 1e-6 to 1e6, one or two sides, some of
 * them repeated, scaled and turned around. */
static inline hcr_region *random_polytope(hcri_random *random, size_t n, size_t rows) {
    hcr_builder *builder = outputs(n);
    box(builder, -20, 20);
    for (size_t i = 0; i < rows; i++) {
        double a[32] = {0};
        for (size_t j = 0; j < n; j++)
            if (hcri_random_uniform(random) < 0.6)
                a[j] = hcri_random_normal(random);
        a[hcri_random_below(random, n)] = 1;
        const double factor = pow(10, 12 * hcri_random_uniform(random) - 6);
        const double high = 0.5 + hcri_random_uniform(random);
        const double low = i % 3 == 0 ? -1 - hcri_random_uniform(random) : -INFINITY;
        for (size_t j = 0; j < n; j++)
            a[j] *= factor;
        row(builder, a, factor * low, factor * high);
        if (i % 4 == 0)
            row(builder, a, factor * low, factor * high);
        for (size_t j = 0; j < n; j++)
            a[j] *= -3;
        if (i % 5 == 0)
            row(builder, a, -3 * factor * high, -3 * factor * low);
    }
    return around(builder, NULL, 20);
}

#endif
