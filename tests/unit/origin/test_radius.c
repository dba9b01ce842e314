/* The radius that the mean of several quadratics gives: it holds the whole region, and is less than what each alone
 * allows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "hcr/hcr_build.h"
#include "origin/quadratics_radius.h"
#include "region/builder.h"
#include "region/region.h"
#include "solvers/blas_threads.h"

enum { MOST = 12, QUADRATICS = 6, DIRECTIONS = 400 };

/* Long ellipsoids in random positions around 0: Q = Σ_k w_k (f_k · y)², with small weights w. */
static void add_ellipsoid(hcr_builder *builder, hcri_random *random, size_t n) {
    double matrix[MOST * MOST] = {0}, linear[MOST];
    for (size_t k = 0; k < n; k++) {
        double f[MOST];
        for (size_t j = 0; j < n; j++)
            f[j] = hcri_random_normal(random);
        const double weight = pow(10, -3 * hcri_random_uniform(random));
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                matrix[i * n + j] += weight * f[i] * f[j];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            matrix[i * n + j] = matrix[j * n + i];
    for (size_t j = 0; j < n; j++)
        linear[j] = 0.1 * hcri_random_normal(random);
    const hcr_quadratic quadratic = {.form = HCR_QUADRATIC_DENSE, .matrix = matrix, .linear = linear, .constant = -1};
    assert_int_equal(hcr_builder_add_quadratic(builder, &quadratic, NULL), HCR_OK);
}

static void test_holds_the_region(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 11);
    size_t sharper = 0, regions = 0;
    hcri_blas blas = {0}; /* on one thread, as regions are made: the bits are the same */
    assert_int_equal(hcri_blas_begin(&blas, NULL), HCR_OK);
    for (size_t n = 2; n <= MOST; n += 2, regions++) {
        hcr_builder *builder = NULL;
        hcr_region *region = NULL;
        hcr_workspace *workspace = NULL;
        assert_int_equal(hcr_builder_create(NULL, &builder, NULL), HCR_OK);
        assert_int_equal(hcr_builder_add_variable(builder, "y", n, 0, NULL), HCR_OK);
        for (size_t q = 0; q < QUADRATICS; q++)
            add_ellipsoid(builder, &random, n);
        assert_int_equal(hcr_builder_finish(builder, &region, NULL), HCR_OK);
        assert_int_equal(hcr_workspace_create(region, 1, &workspace, NULL), HCR_OK);
        double radius;
        assert_int_equal(hcri_radius_bound(&region->set, region->origin, &radius, NULL), HCR_OK);
        double farthest = 0, alone = INFINITY;
        for (size_t i = 0; i < DIRECTIONS; i++) {
            double v[MOST], gauge, norm = 0;
            for (size_t j = 0; j < n; j++) {
                v[j] = hcri_random_normal(&random);
                norm = hypot(norm, v[j]);
            }
            assert_int_equal(hcr_gauge(region, workspace, 1, NULL, v, &gauge, NULL, NULL), HCR_OK);
            farthest = fmax(farthest, norm / gauge);
        }
        for (size_t b = 2; b < region->set.blocks; b++)
            alone = fmin(alone, region->set.block[b]->kind->radius(region->set.block[b]));
        assert_true(farthest <= radius);
        assert_true(region->radius <= radius && region->radius <= alone);
        sharper += radius < alone;
        hcr_workspace_free(workspace);
        hcr_region_free(region);
        hcr_builder_free(builder);
    }
    assert_true(sharper > regions / 2);
    hcri_blas_end(&blas);
}

/* One quadratic, or none: nothing to average. */
static void test_nothing_to_average(void **state) {
    (void)state;
    hcr_builder *builder = NULL;
    assert_int_equal(hcr_builder_create(NULL, &builder, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "y", 2, 0, NULL), HCR_OK);
    hcri_random random;
    hcri_random_seed(&random, 12);
    add_ellipsoid(builder, &random, 2);
    const double origin[2] = {0, 0};
    double radius = 0;
    assert_int_equal(hcri_radius_bound(&builder->set, origin, &radius, NULL), HCR_OK);
    assert_true(isinf(radius));
    /* At an origin outside nothing is promised. */
    add_ellipsoid(builder, &random, 2);
    const double outside[2] = {1e6, 0};
    assert_int_equal(hcri_radius_bound(&builder->set, outside, &radius, NULL), HCR_OK);
    assert_true(isinf(radius));
    hcr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holds_the_region),
        cmocka_unit_test(test_nothing_to_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
