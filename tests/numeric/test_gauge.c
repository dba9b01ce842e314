/* The gauge of every kind of constraint against bisection in 200-bit arithmetic on the region's description. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "numeric/reference.h"
#include "numeric/regions.h"

/* Away from directions that are nearly parallel to a face, where the gauge itself is small against the terms that it
 * is summed from. 50 terms and their roundings are some 1e-14. */
static const double tolerance = 1e-12;

static double gauge_of(const hcr_region *region, const double *v, hcr_ray *ray) {
    hcr_workspace *workspace = NULL;
    hcr_error error;
    double gauge;
    must(hcr_workspace_create(region, 1, &workspace, &error), &error);
    must(hcr_gauge(region, workspace, 1, NULL, v, &gauge, ray, &error), &error);
    hcr_workspace_free(workspace);
    return gauge;
}

/* Directions of all lengths: along an axis, with zeros, any. */
static void make_direction(hcri_random *random, size_t n, size_t kind, double *v) {
    static const double lengths[] = {1, 1e-3, 1e6, 1e-200, 1e200};
    const double length = lengths[hcri_random_below(random, 5)];
    const size_t axis = hcri_random_below(random, n);
    for (size_t j = 0; j < n; j++) {
        const double x = hcri_random_normal(random);
        const int kept = kind == 0 ? j == axis : kind == 1 ? j == axis || x > 0 : 1;
        v[j] = kept ? length * x : 0;
    }
}

/* Returns how many directions meet the frontier. */
static size_t compare(const hcr_region *region, size_t directions, hcri_random *random, const char *name) {
    const size_t n = region->set.n;
    double *v = calloc(n, sizeof *v);
    assert_non_null(v);
    size_t meets = 0;
    for (size_t k = 0; k < directions; k++) {
        make_direction(random, n, k % 3, v);
        hcr_ray ray;
        const double gauge = gauge_of(region, v, &ray), expected = reference_gauge(&region->set, region->origin, v);
        if (!(fabs(gauge - expected) <= tolerance * expected))
            fail_msg("%s, n = %zu, direction %zu: %.17g, not %.17g", name, n, k, gauge, expected);
        assert_true(ray.gauge == gauge);
        assert_int_equal(ray.constraint == UINT32_MAX, expected == 0);
        meets += expected > 0;
    }
    free(v);
    return meets;
}

static void test_shape(void **state) {
    const region_shape shape = *(const region_shape *)*state;
    static const size_t sizes[] = {1, 2, 3, 5, 8, 9, 17, 33, 50};
    hcri_random random;
    hcri_random_seed(&random, 100 + (uint64_t)shape);
    size_t meets = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (size_t repeat = 0; repeat < (sizes[k] < 10 ? 3 : 1); repeat++) {
            hcr_region *region = random_region(shape, sizes[k], 0, 1, &random);
            meets += compare(region, sizes[k] < 20 ? 9 : 2, &random, shape_names[shape]);
            hcr_region_free(region);
        }
    assert_true(meets > 50);
}

/* C25: what ½ and the direction of an inequality mean. C23: a singular P. C16: a P of zeros is linear. */
static void test_conventions(void **state) {
    (void)state;
    const double origin[3] = {0, 0, 0};
    hcr_error error;
    hcr_builder *builder = new_builder(2);
    const double ones[2] = {1, 1}, along[2] = {10, 0}, against[2] = {-10, 0};
    const hcr_quadratic half = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = ones, .constant = -1};
    must(hcr_builder_add_quadratic(builder, &half, &error), &error);
    hcr_region *region = region_around(builder, origin, 2);
    assert_true(fabs(10 / gauge_of(region, along, NULL) - sqrt(2)) < 1e-15); /* ½ y'y <= 1 */
    hcr_region_free(region);

    builder = new_builder(2);
    const double row[2] = {1, 0}, bound = 1;
    must(hcr_builder_add_rows(builder, 1, row, NULL, &bound, &error), &error);
    region = region_around(builder, origin, 2);
    assert_true(gauge_of(region, along, NULL) == 10);
    assert_true(gauge_of(region, against, NULL) == 0);
    hcr_region_free(region);

    static const double matrix[9] = {4, -4, 0, -4, 8, -4, 0, -4, 4};
    for (int tiny = 0; tiny < 2; tiny++) {
        double scaled[9];
        for (size_t k = 0; k < 9; k++)
            scaled[k] = (tiny ? 1e-12 : 1) * matrix[k];
        builder = new_builder(3);
        const hcr_quadratic singular = {
            .form = HCR_QUADRATIC_DENSE, .matrix = scaled, .constant = tiny ? -0.5e-12 : -0.5};
        must(hcr_builder_add_quadratic(builder, &singular, &error), &error);
        region = region_around(builder, origin, 2);
        const double null_space[3] = {1, 1, 1}, axis[3] = {1, 0, 0};
        assert_true(gauge_of(region, null_space, NULL) <= (tiny ? 1e-7 : 0)); /* decimal 1e-12 P isn't exactly so */
        assert_true(fabs(gauge_of(region, axis, NULL) - 2) < 1e-14);          /* y'Py <= 1 */
        hcr_region_free(region);
    }

    builder = new_builder(2);
    const double zeros[2] = {0, 0}, slope[2] = {2, 0};
    const hcr_quadratic flat = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = zeros, .linear = slope, .constant = -1};
    must(hcr_builder_add_quadratic(builder, &flat, &error), &error);
    region = region_around(builder, origin, 2);
    assert_true(gauge_of(region, along, NULL) == 20);
    assert_true(gauge_of(region, against, NULL) == 0);
    hcr_region_free(region);
}

int main(void) {
    static region_shape shapes[SHAPES];
    struct CMUnitTest tests[SHAPES + 1];
    for (size_t k = 0; k < SHAPES; k++) {
        shapes[k] = (region_shape)k;
        tests[k] = (struct CMUnitTest){shape_names[k], test_shape, NULL, NULL, &shapes[k]};
    }
    tests[SHAPES] = (struct CMUnitTest)cmocka_unit_test(test_conventions);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
