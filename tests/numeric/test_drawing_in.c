/* Results in a region that reaches to infinity have no margin: each is proved, and drawn in where the proof wants it.
 * By how much is held here against what rounding can make of the rows at that point. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "hcr/hcr_build.h"

enum { N = 20, ROWS = 15, SAMPLES = 500 };

static double A[ROWS * N], b[ROWS], v[SAMPLES * N], y[SAMPLES * N];
static float v_f32[SAMPLES * N], y_f32[SAMPLES * N];
static uint8_t inside[SAMPLES];
static hcr_error error;

static hcr_region *make(hcri_random *random) {
    const double zeros[N] = {0};
    hcr_builder *builder;
    hcr_region *region;
    for (size_t k = 0; k < ROWS * N; k++)
        A[k] = hcri_random_normal(random);
    for (size_t i = 0; i < ROWS; i++)
        b[i] = exp(2 * hcri_random_normal(random));
    assert_int_equal(hcr_builder_create(NULL, &builder, &error), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "y", N, 0, &error), HCR_OK);
    assert_int_equal(hcr_builder_add_rows(builder, ROWS, A, NULL, b, &error), HCR_OK);
    assert_int_equal(hcr_builder_allow_unbounded(builder, 1, &error), HCR_OK);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1, zeros, &error), HCR_OK);
    assert_int_equal(hcr_builder_finish(builder, &region, &error), HCR_OK);
    hcr_builder_free(builder);
    return region;
}

/* Around the origin 0 the share is (c + rounding)/b of the row that needs most: the value is off by its proof's bound
 * and the point's own rounding, (N + 8) units of Σ|a_j y_j| + b together; twice that is taken, and eight times that
 * when a second try is needed. */
static double most_drawn_in(const double *point, double unit) {
    double most = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double size = b[i];
        for (size_t j = 0; j < N; j++)
            size += fabs(A[i * N + j] * point[j]);
        most = fmax(most, 16 * (N + 8) * unit * size / b[i]);
    }
    return most;
}

/* The largest a·y/b: 1 on the frontier. */
static double gauge_of(const double *point) {
    double most = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double dot = 0;
        for (size_t j = 0; j < N; j++)
            dot += A[i * N + j] * point[j];
        most = fmax(most, dot / b[i]);
    }
    return most;
}

static void test_rows(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 6);
    hcr_region *region = make(&random);
    hcr_workspace *workspace;
    static hcr_ray rays[SAMPLES];
    assert_false(hcr_region_is_bounded(region));
    assert_int_equal(hcr_workspace_create(region, 1, &workspace, &error), HCR_OK);
    for (size_t k = 0; k < SAMPLES * N; k++) {
        v[k] = 100 * hcri_random_normal(&random);
        v_f32[k] = (float)v[k];
    }
    assert_int_equal(hcr_contract(region, workspace, SAMPLES, NULL, v, y, rays, &error), HCR_OK);
    assert_int_equal(hcr_check(region, SAMPLES, NULL, y, inside, NULL, &error), HCR_OK);
    size_t stopped = 0;
    for (size_t s = 0; s < SAMPLES; s++) {
        assert_true(inside[s]);
        if (rays[s].outcome != HCR_OUTCOME_FRONTIER)
            continue;
        stopped++;
        assert_true(1 - gauge_of(y + s * N) <= most_drawn_in(y + s * N, 0x1p-53));
    }
    assert_true(stopped > SAMPLES / 2);
    assert_int_equal(hcr_contract_f32(region, workspace, SAMPLES, NULL, v_f32, y_f32, rays, &error), HCR_OK);
    assert_int_equal(hcr_check_f32(region, SAMPLES, NULL, y_f32, inside, NULL, &error), HCR_OK);
    for (size_t s = 0; s < SAMPLES; s++) {
        double point[N];
        for (size_t j = 0; j < N; j++)
            point[j] = (double)y_f32[s * N + j];
        assert_true(inside[s]);
        assert_true(rays[s].outcome != HCR_OUTCOME_FRONTIER || 1 - gauge_of(point) <= most_drawn_in(point, 0x1p-24));
    }
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
