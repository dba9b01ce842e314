/* What rounding does to points of the frontier against the margin that is taken for it: the margin has to be more than
 * the worst that is found, and not more than a hundred times as much. Directions are drawn, then the worst of them
 * changed as long as that makes it worse; what a point is off by is found in 200-bit arithmetic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/equalities.h"
#include "numeric/reference.h"

enum { MOST = 20 };

static hcr_error error;

/* The margin that the frontier point in direction v has, which grows with its distance; 0 where there is no such point,
 * or none that near. */
static double margin_at(const hcr_region *region, hcr_workspace *workspace, const hcri_growing_margin *growing,
                        const double *v) {
    double gauge, squares = 0;
    must(hcr_gauge(region, workspace, 1, NULL, v, &gauge, NULL, &error), &error);
    for (size_t j = 0; j < region->set.n; j++)
        squares += v[j] * v[j];
    const double margin = 1 - growing->most * gauge / (gauge + growing->slope * sqrt(squares));
    return margin <= HCRI_LARGEST_MARGIN ? margin : 0;
}

/* The share of the way to the frontier point in direction v that lies outside, over its margin, the point computed
 * without one. */
static double excess(const hcr_region *region, hcr_workspace *workspace, hcr_precision precision,
                     const hcri_growing_margin *growing, const double *v) {
    const size_t n = region->set.n;
    const double margin = margin_at(region, workspace, growing, v);
    double polar[MOST + 1], y[MOST];
    if (margin == 0)
        return 0;
    memcpy(polar, v, n * sizeof *polar);
    polar[n] = 1;
    if (precision == HCR_DOUBLE) {
        must(hcr_decode(region, workspace, 1, NULL, polar, y, NULL, &error), &error);
    } else {
        float polar_f32[MOST + 1], y_f32[MOST];
        for (size_t j = 0; j <= n; j++)
            polar_f32[j] = (float)polar[j];
        must(hcr_decode_f32(region, workspace, 1, NULL, polar_f32, y_f32, NULL, &error), &error);
        for (size_t j = 0; j < n; j++)
            y[j] = (double)y_f32[j];
    }
    return reference_excess(&region->set, region->origin, y, margin) / margin;
}

/* The worst excess found over the margin. */
static double search(hcr_region *region, hcr_precision precision, hcri_random *random) {
    enum { DRAWN = 25, CHANGED = 60 };
    const size_t n = region->set.n;
    const double margin = region->margin[precision];
    const hcri_growing_margin growing = region->growing_margin[precision], none = {1, 0, 0}, fixed = {1 - margin, 0, 0};
    const int grows = region->verified_blocks[precision] != 0;
    double worst = 0, best[MOST] = {0}, v[MOST];
    hcr_workspace *workspace = workspace_of(region, 1);
    region->margin[precision] = 0;
    region->growing_margin[precision] = none;
    for (int k = 0; k < DRAWN + CHANGED; k++) {
        for (size_t j = 0; j < n; j++)
            v[j] = k < DRAWN ? hcri_random_normal(random) *
                                   (region->affine.count == 0 ? 1 : region->upper[j] - region->lower[j])
                             : best[j] * (1 + 0.05 * hcri_random_normal(random));
        const double found = excess(region, workspace, precision, grows ? &growing : &fixed, v);
        if (found > worst) {
            worst = found;
            memcpy(best, v, n * sizeof *v);
        }
    }
    region->margin[precision] = margin;
    region->growing_margin[precision] = growing;
    hcr_workspace_free(workspace);
    return worst;
}

/* A hundredth, but for the eigenvalues of matrices in double precision: what is proved of their error grows with the
 * square of the rows, and what it is doesn't (docs/exactness.md). In single precision the step weighs more. */
static double least_share(region_shape shape, hcr_precision precision) {
    return (shape == SHAPE_LMI || shape == SHAPE_MIXED) && precision == HCR_DOUBLE ? 2e-4 : 0.01;
}

/* Quadratics have no margin that grows: what is unbounded is verified. */
static int has_margin(const hcr_region *region, int precision) {
    return region->verified_blocks[precision] == 0 ||
           (region->margin[precision] == 0 && region->growing_margin[precision].most >= 0);
}

static void test_shape_with(region_shape shape, int boxed) {
    static const size_t sizes[] = {2, 6, MOST};
    hcri_random random;
    hcri_random_seed(&random, 400 + (uint64_t)shape);
    for (int precision = HCR_DOUBLE; precision <= HCR_SINGLE; precision++) {
        double worst = 0;
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
            for (size_t each = 0; each < 3 * MOST / sizes[k]; each++) {
                hcr_region *region = random_region(shape, sizes[k], boxed, each % 2 == 0 ? 0.1 : 3, &random);
                if (has_margin(region, precision))
                    worst = fmax(worst, search(region, (hcr_precision)precision, &random));
                hcr_region_free(region);
            }
        print_message("    %s%s, %s: %.2g of the margin\n", shape_names[shape], boxed ? "" : " alone",
                      precision == HCR_DOUBLE ? "double" : "single", worst);
        assert_true(worst <= 1);
        assert_true(worst >= least_share(shape, (hcr_precision)precision));
    }
}

static void test_shape(void **state) {
    const region_shape shape = *(const region_shape *)*state;
    test_shape_with(shape, 1);
    if (shape == SHAPE_DENSE || shape == SHAPE_SPARSE || shape == SHAPE_STENCIL || shape == SHAPE_NORM ||
        shape == SHAPE_CONE || shape == SHAPE_LMI)
        test_shape_with(shape, 0);
}

/* D00: what equalities add, beside bounds, rows, quadratics and cones: sets whose numbers span many magnitudes. */
static void test_family(void **state) {
    enum { REGIONS = 40 };
    const equality_family family = *(const equality_family *)*state;
    hcri_random random;
    hcri_random_seed(&random, 500 + (uint64_t)family);
    double worst[2] = {0, 0};
    for (size_t k = 0; k < REGIONS; k++) {
        char *text = equality_text(family, 8, &random);
        hcr_region *region = equality_region(text);
        free(text);
        for (int precision = HCR_DOUBLE; region != NULL && precision <= HCR_SINGLE; precision++)
            if (region->verified_blocks[precision] == 0)
                worst[precision] = fmax(worst[precision], search(region, (hcr_precision)precision, &random));
        hcr_region_free(region);
    }
    print_message("    equalities, %s: %.2g and %.2g of the margin\n", equality_names[family], worst[HCR_DOUBLE],
                  worst[HCR_SINGLE]);
    for (int precision = HCR_DOUBLE; precision <= HCR_SINGLE; precision++) {
        assert_true(worst[precision] <= 1);
        assert_true(worst[precision] >= 0.01);
    }
}

int main(void) {
    static region_shape shapes[SHAPES];
    static equality_family families[] = {EQUALITIES_ALONE, EQUALITIES_ROWS, EQUALITIES_QUADRATICS, EQUALITIES_CONES,
                                         EQUALITIES_NETWORK};
    enum { FAMILIES = sizeof families / sizeof families[0] };
    struct CMUnitTest tests[SHAPES + FAMILIES];
    size_t count = 0;
    for (int shape = SHAPE_DENSE; shape < SHAPES; shape++) {
        shapes[shape] = (region_shape)shape;
        tests[count++] = (struct CMUnitTest){shape_names[shape], test_shape, NULL, NULL, &shapes[shape]};
    }
    for (size_t k = 0; k < FAMILIES; k++)
        tests[count++] = (struct CMUnitTest){equality_names[families[k]], test_family, NULL, NULL, &families[k]};
    return _cmocka_run_group_tests("margins", tests, count, NULL, NULL);
}
