/* Regions with functions of the caller's: mapped, checked, copied, never saved. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/regions.h"

enum { N = 3, ROWS = 2000 };

/* Σ w_j cosh y_j − 6, which overestimates its own rounding. */
static double value(void *context, size_t n, const double *y, double *rounding) {
    const double *weights = context;
    double sum = -6;
    for (size_t j = 0; j < n; j++)
        sum += weights[j] * cosh(y[j]);
    if (rounding != NULL)
        *rounding = 1e-14;
    return sum;
}
static void gradient(void *context, size_t n, const double *y, double *result) {
    const double *weights = context;
    for (size_t j = 0; j < n; j++)
        result[j] = weights[j] * sinh(y[j]);
}
/* A ball with bumps: star-shaped around 0. */
static double bumps(void *context, size_t n, const double *y, double *rounding) {
    double squares = 0, product = 1;
    (void)context;
    for (size_t j = 0; j < n; j++)
        squares += y[j] * y[j];
    const double radius = sqrt(squares);
    for (size_t j = 0; j < n && radius > 0; j++)
        product *= y[j] / radius;
    if (rounding != NULL)
        *rounding = 1e-14;
    return radius - 1 - 2 * product;
}

static double weights[N] = {1, 2, 0.5};

static hcr_region *make(const hcr_callback *callback) {
    const double origin[N] = {0, 0, 0};
    hcr_builder *builder = new_builder(N);
    hcr_error error;
    must(hcr_builder_add_callback(builder, callback, &error), &error);
    return region_around(builder, origin, 10);
}

static void decode_all(const hcr_region *region, const hcr_callback *callback) {
    hcri_random random;
    hcri_random_seed(&random, 1);
    hcr_workspace *workspace = workspace_of(region, 2);
    double *polar = calloc(ROWS * (N + 1), sizeof *polar), *y = calloc(ROWS * N, sizeof *y);
    float *polar_f32 = calloc(ROWS * (N + 1), sizeof *polar_f32), *y_f32 = calloc(ROWS * N, sizeof *y_f32);
    uint8_t inside[ROWS];
    hcr_error error;
    assert_true(polar != NULL && y != NULL && polar_f32 != NULL && y_f32 != NULL);
    for (size_t k = 0; k < ROWS * (N + 1); k++) {
        polar[k] = k % (N + 1) == N ? 1 : hcri_random_normal(&random);
        polar_f32[k] = (float)polar[k];
    }
    must(hcr_decode(region, workspace, ROWS, NULL, polar, y, NULL, &error), &error);
    must(hcr_check(region, ROWS, NULL, y, inside, NULL, &error), &error);
    for (size_t i = 0; i < ROWS; i++) {
        const double c = callback->value(callback->context, N, y + i * N, NULL);
        assert_true(c <= -1e-14 && c >= -1e-12); /* on the frontier, but for what is called its rounding */
        assert_int_equal(inside[i], 1);
    }
    must(hcr_decode_f32(region, workspace, ROWS, NULL, polar_f32, y_f32, NULL, &error), &error);
    must(hcr_check_f32(region, ROWS, NULL, y_f32, inside, NULL, &error), &error);
    for (size_t i = 0; i < ROWS; i++)
        assert_int_equal(inside[i], 1);
    hcr_workspace_free(workspace);
    free(polar);
    free(y);
    free(polar_f32);
    free(y_f32);
}

static void test_results_are_inside(void **state) {
    (void)state;
    const hcr_callback variants[3] = {{"cosh", weights, 1, value, NULL, NULL},
                                      {"cosh", weights, 1, value, gradient, NULL},
                                      {"bumps", NULL, 0, bumps, NULL, NULL}};
    for (int k = 0; k < 3; k++) {
        hcr_region *region = make(&variants[k]);
        assert_int_equal(hcr_region_is_convex(region), k < 2);
        decode_all(region, &variants[k]);
        hcr_region_free(region);
    }
}

/* −log(1 − |y|²) − 1: a NaN, not a number below 0, outside of the ball. */
static double barrier(void *context, size_t n, const double *y, double *rounding) {
    double squares = 0;
    (void)context;
    for (size_t j = 0; j < n; j++)
        squares += y[j] * y[j];
    if (rounding != NULL)
        *rounding = 1e-14;
    return squares < 1 ? -log(1 - squares) - 1 : NAN;
}

/* Behind bounds, and behind another callback: rays tell which of them is the nearest. */
static void test_nearest(void **state) {
    (void)state;
    const double origin[N] = {0, 0, 0}, upper[N] = {0.5, 10, 10};
    double heavy[N] = {0.1, 0.1, 5};
    const hcr_callback first = {"first", weights, 1, value, gradient, NULL};
    const hcr_callback second = {"second", heavy, 1, value, gradient, NULL};
    const double v[3][N] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double gauge[3];
    hcr_ray rays[3];
    hcr_error error;
    hcr_builder *builder = new_builder(N);
    must(hcr_builder_add_bounds(builder, 0, N, NULL, upper, &error), &error);
    must(hcr_builder_add_callback(builder, &first, &error), &error);
    must(hcr_builder_add_callback(builder, &second, &error), &error);
    hcr_region *region = region_around(builder, origin, 20);
    hcr_workspace *workspace = workspace_of(region, 1);
    must(hcr_gauge(region, workspace, 3, NULL, &v[0][0], gauge, rays, &error), &error);
    assert_true(gauge[0] == 2);
    assert_int_equal(rays[0].constraint, 0);
    assert_int_equal(rays[1].constraint, 2 * N);     /* Σ w_j cosh: 2 for y_1 in the first, 0.1 in the second, … */
    assert_int_equal(rays[2].constraint, 2 * N + 1); /* … 0.5 and 5 for y_2 */
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* Outside of its domain a constraint is violated, by more than any other. */
static void test_outside_the_domain(void **state) {
    (void)state;
    const hcr_callback callback = {"barrier", NULL, 1, barrier, NULL, NULL};
    hcr_region *region = make(&callback);
    const double y[2 * N] = {0.1, 0.2, 0, 3, 0, 0};
    double worst[2];
    uint32_t which[2];
    uint8_t inside[2];
    hcr_error error;
    must(hcr_violation(region, 2, NULL, y, worst, which, &error), &error);
    must(hcr_check(region, 2, NULL, y, inside, NULL, &error), &error);
    assert_true(worst[0] < 0 && inside[0]);
    assert_true(worst[1] == (double)INFINITY && which[1] != UINT32_MAX && !inside[1]);
    hcr_region_free(region);
}

static void test_a_copy_works_and_a_file_is_refused(void **state) {
    (void)state;
    const hcr_callback callback = {"cosh", weights, 1, value, gradient, NULL};
    hcr_region *region = make(&callback), *copy = NULL;
    hcr_error error;
    void *bytes = NULL;
    size_t size = 0;
    must(hcri_region_copy(region, &copy, &error), &error);
    assert_int_equal(hcr_region_write(region, &bytes, &size, &error), HCR_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "cosh"));
    hcr_region_free(region);
    decode_all(copy, &callback);
    hcr_region_free(copy);
}

static void test_refusals(void **state) {
    (void)state;
    hcr_builder *builder = new_builder(N);
    hcr_error error;
    const hcr_callback none = {"none", NULL, 1, NULL, NULL, NULL};
    assert_int_equal(hcr_builder_add_callback(NULL, &none, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_builder_add_callback(builder, NULL, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_builder_add_callback(builder, &none, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_builder_set_root_method(builder, (hcr_root_method)3, &error), HCR_ERROR_ARGUMENT);
    hcr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results_are_inside), cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_outside_the_domain), cmocka_unit_test(test_a_copy_works_and_a_file_is_refused),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
