/* Regions with equalities: every result on them to within the documented tolerance, and every inequality exactly. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/regions.h"

static hcr_error error;

enum { MOST = 30, ROWS = 64 };

/* `equalities` random rows that meet a random point of the box [-2, 2]^n, a dense inequality for every output, and when
 * `round` a ball. The point is strictly inside. */
static hcr_builder *random_builder(size_t n, size_t equalities, int round, hcri_random *random, double *inside) {
    hcr_builder *builder = new_builder(n);
    double lower[MOST], upper[MOST], row[MOST], at, bound;
    uint32_t columns[MOST];
    for (size_t j = 0; j < n; j++) {
        lower[j] = -2;
        upper[j] = 2;
        columns[j] = (uint32_t)j;
        inside[j] = 2 * hcri_random_uniform(random) - 1;
    }
    must(hcr_builder_add_bounds(builder, 0, n, lower, upper, &error), &error);
    for (size_t i = 0; i < n + equalities; i++) {
        const size_t start[2] = {0, n};
        fill_normal(random, 1, n, row);
        at = 0;
        for (size_t j = 0; j < n; j++)
            at += row[j] * inside[j];
        bound = at + 1;
        if (i < equalities)
            must(hcr_builder_add_equalities(builder, 1, start, columns, row, &at, &error), &error);
        else
            must(hcr_builder_add_rows(builder, 1, row, NULL, &bound, &error), &error);
    }
    if (round) {
        double ones[MOST];
        for (size_t j = 0; j < n; j++)
            ones[j] = 1;
        const hcr_quadratic ball = {
            .form = HCR_QUADRATIC_DIAGONAL, .matrix = ones, .shift = inside, .radius = 0.7 * sqrt((double)n)};
        must(hcr_builder_add_quadratic(builder, &ball, &error), &error);
    }
    return builder;
}

static hcr_region *finished(hcr_builder *builder) {
    hcr_region *region;
    must(hcr_builder_finish(builder, &region, &error), &error);
    hcr_builder_free(builder);
    return region;
}

static void check_inside(const hcr_region *region, size_t rows, const double *y, const float *y_f32) {
    uint8_t inside[ROWS];
    must(y != NULL ? hcr_check(region, rows, NULL, y, inside, NULL, &error)
                   : hcr_check_f32(region, rows, NULL, y_f32, inside, NULL, &error),
         &error);
    for (size_t i = 0; i < rows; i++)
        assert_true(inside[i]);
}

/* All maps of random regions, both precisions. Points inside come back to within rounding (1e-12); so do directions and
 * radii. */
static void test_maps(void **state) {
    (void)state;
    static const struct { size_t n, equalities; } sizes[] = {{2, 1}, {5, 1}, {5, 4}, {12, 3}, {30, 10}};
    for (size_t k = 0; k < 20 * sizeof sizes / sizeof sizes[0]; k++) {
        const size_t n = sizes[k % 5].n, equalities = sizes[k % 5].equalities;
        hcri_random random;
        hcri_random_seed(&random, k);
        double known[MOST];
        hcr_region *region = finished(random_builder(n, equalities, k % 2 != 0, &random, known));
        assert_int_equal(hcr_region_freedom(region), n - equalities);
        assert_int_equal(hcr_region_equalities(region), equalities);
        hcr_workspace *workspace = workspace_of(region, 1);
        double v[ROWS * MOST], polar[ROWS * (MOST + 1)], y[ROWS * MOST], again[ROWS * MOST], off[ROWS];
        float v_f32[ROWS * MOST], polar_f32[ROWS * (MOST + 1)], y_f32[ROWS * MOST];
        hcr_ray rays[ROWS];
        for (size_t i = 0; i < ROWS; i++) {
            const double size = i % 3 == 0 ? 0.1 : i % 3 == 1 ? 3 : 1e6;
            fill_normal(&random, size, n, v + i * n);
            memcpy(polar + i * (n + 1), v + i * n, n * sizeof *v);
            polar[i * (n + 1) + n] = i % 2 == 0 ? 1 : hcri_random_uniform(&random);
        }
        for (size_t i = 0; i < ROWS * n; i++)
            v_f32[i] = (float)v[i];
        for (size_t i = 0; i < ROWS * (n + 1); i++)
            polar_f32[i] = (float)polar[i];
        must(hcr_soften(region, workspace, ROWS, NULL, v, y, rays, &error), &error);
        check_inside(region, ROWS, y, NULL);
        must(hcr_soften_f32(region, workspace, ROWS, NULL, v_f32, y_f32, NULL, &error), &error);
        check_inside(region, ROWS, NULL, y_f32);
        must(hcr_contract_f32(region, workspace, ROWS, NULL, v_f32, y_f32, NULL, &error), &error);
        check_inside(region, ROWS, NULL, y_f32);
        must(hcr_decode_f32(region, workspace, ROWS, NULL, polar_f32, y_f32, NULL, &error), &error);
        check_inside(region, ROWS, NULL, y_f32);
        must(hcr_contract(region, workspace, ROWS, NULL, v, y, rays, &error), &error);
        check_inside(region, ROWS, y, NULL);
        must(hcr_residual(region, ROWS, NULL, y, off, &error), &error);
        for (size_t i = 0; i < ROWS; i++) /* sums of 30 products of sizes about 2: a few units in the last place */
            assert_true(off[i] <= 1e-13);
        must(hcr_decode(region, workspace, ROWS, NULL, polar, y, NULL, &error), &error);
        check_inside(region, ROWS, y, NULL);

        must(hcr_encode(region, workspace, ROWS, NULL, y, polar, rays, &error), &error);
        for (size_t i = 0; i < ROWS; i++)
            assert_true(rays[i].outcome == HCR_OUTCOME_INSIDE || polar[i * (n + 1) + n] <= 1 + 1e-12);
        must(hcr_decode(region, workspace, ROWS, NULL, polar, again, NULL, &error), &error);
        for (size_t i = 0; i < ROWS * n; i++)
            assert_true(fabs(again[i] - y[i]) <= 1e-11);
        for (size_t j = 0; j < n; j++)
            v[j] = known[j] - region->origin[j];
        must(hcr_contract(region, workspace, 1, NULL, v, y, NULL, &error), &error);
        for (size_t j = 0; j < n; j++)
            assert_true(fabs(y[j] - known[j]) <= 1e-12);
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* Off the equalities, by more than the rounding of the precision at hand, is outside, however near the inequalities. */
static void test_encode_off(void **state) {
    (void)state;
    hcr_builder *builder = new_builder(3);
    const double lower[3] = {0, 0, 0}, row[3] = {1, 1, 1}, right = 1;
    const size_t start[2] = {0, 3};
    const uint32_t columns[3] = {0, 1, 2};
    must(hcr_builder_add_bounds(builder, 0, 3, lower, NULL, &error), &error);
    must(hcr_builder_add_equalities(builder, 1, start, columns, row, &right, &error), &error);
    hcr_region *region = finished(builder);
    hcr_workspace *workspace = workspace_of(region, 1);
    const double y[12] = {0.2, 0.3, 0.5, 0.2, 0.3, 0.5001, 0.7, 0.6, -0.3, 0.2, 0.3, 0.5 + 1e-9};
    const float y_f32[9] = {0.2f, 0.3f, 0.5f, 0.2f, 0.3f, 0.5001f, 0.7f, 0.6f, -0.3f};
    const int expected[4] = {HCR_OUTCOME_INSIDE, HCR_OUTCOME_OUTSIDE, HCR_OUTCOME_OUTSIDE, HCR_OUTCOME_OUTSIDE};
    double polar[16];
    float polar_f32[12];
    hcr_ray rays[4];
    must(hcr_encode(region, workspace, 4, NULL, y, polar, rays, &error), &error);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(rays[i].outcome, expected[i]);
    must(hcr_encode_f32(region, workspace, 3, NULL, y_f32, polar_f32, rays, &error), &error);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(rays[i].outcome, expected[i]);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* C15: one line in the square, however often and at whatever scale it is said. */
static void test_redundant(void **state) {
    (void)state;
    static const double spellings[][3][3] = {{{1, 1, 2}},
                                             {{1, 1, 2}, {1, 1, 2}},
                                             {{1, 1, 2}, {1, 1, 2}, {1, 1, 2}},
                                             {{1, 1, 2}, {2, 2, 4}, {3, 3, 6}},
                                             {{1, 1, 2}, {3, 3, 6}, {4, 4, 8}},
                                             {{1, 1, 2}, {2, 2, 4 + 1e-13}}};
    const double lower[2] = {-10, -10}, upper[2] = {10, 10}, v[2] = {30, 4};
    const size_t start[2] = {0, 2};
    const uint32_t columns[2] = {0, 1};
    double first[2] = {0, 0};
    for (size_t k = 0; k < sizeof spellings / sizeof spellings[0]; k++) {
        hcr_builder *builder = new_builder(2);
        must(hcr_builder_add_bounds(builder, 0, 2, lower, upper, &error), &error);
        for (size_t i = 0; i < 3 && spellings[k][i][0] != 0; i++)
            must(hcr_builder_add_equalities(builder, 1, start, columns, spellings[k][i], &spellings[k][i][2], &error),
                 &error);
        hcr_region *region = finished(builder);
        assert_int_equal(hcr_region_freedom(region), 1);
        hcr_workspace *workspace = workspace_of(region, 1);
        double y[2];
        must(hcr_contract(region, workspace, 1, NULL, v, y, NULL, &error), &error);
        assert_true(fabs(y[0] + y[1] - 2) <= 1e-12);
        if (k == 0)
            memcpy(first, y, sizeof y);
        assert_true(fabs(y[0] - first[0]) <= 1e-10 && fabs(y[1] - first[1]) <= 1e-10);
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
    hcr_builder *builder = new_builder(2);
    const double right[2] = {2, 2.0001}, row[2] = {1, 1};
    must(hcr_builder_add_bounds(builder, 0, 2, lower, upper, &error), &error);
    for (size_t i = 0; i < 2; i++)
        must(hcr_builder_add_equalities(builder, 1, start, columns, row, &right[i], &error), &error);
    hcr_region *region;
    assert_int_equal(hcr_builder_finish(builder, &region, &error), HCR_ERROR_EMPTY);
    hcr_builder_free(builder);
}

/* C17: nothing but an equality; and everything fixed. */
static void test_only_equalities(void **state) {
    (void)state;
    hcr_builder *builder = new_builder(3);
    const double row[3] = {1, 1, 1}, right = 1;
    const size_t start[2] = {0, 3};
    const uint32_t columns[3] = {0, 1, 2};
    must(hcr_builder_add_equalities(builder, 1, start, columns, row, &right, &error), &error);
    must(hcr_builder_allow_unbounded(builder, 1, &error), &error);
    hcr_region *region = finished(builder);
    assert_int_equal(hcr_region_freedom(region), 2);
    hcr_workspace *workspace = workspace_of(region, 1);
    hcri_random random;
    hcri_random_seed(&random, 17);
    for (size_t k = 0; k < 1000; k++) {
        double v[3], y[3];
        const double size = pow(10, (double)(k % 13) - 6);
        fill_normal(&random, size, 3, v);
        must(hcr_contract(region, workspace, 1, NULL, v, y, NULL, &error), &error);
        /* one output is rounded: to a unit in its last place, which is 1e-16 of it */
        assert_true(fabs(y[0] + y[1] + y[2] - 1) <= 1e-12 * fmax(1, size / 1e3));
        check_inside(region, 1, y, NULL);
    }
    double value;
    uint32_t which;
    const double point[3] = {1, 0, 0};
    must(hcr_violation(region, 1, NULL, point, &value, &which, &error), &error);
    assert_true(value == -INFINITY && which == UINT32_MAX);
    hcr_workspace_free(workspace);
    hcr_region_free(region);

    builder = new_builder(2);
    const size_t starts[3] = {0, 1, 2};
    const double ones[2] = {1, 1}, rights[2] = {1, 2};
    must(hcr_builder_add_equalities(builder, 2, starts, columns, ones, rights, &error), &error);
    region = finished(builder);
    assert_int_equal(hcr_region_freedom(region), 0);
    workspace = workspace_of(region, 1);
    for (size_t rows = 0; rows <= 5; rows++) {
        double polar[15], v[10], y[10];
        fill_normal(&random, 1, 15, polar);
        fill_normal(&random, 1, 10, v);
        for (int map = 0; map < 2 && rows != 0; map++) {
            must(map == 0 ? hcr_decode(region, workspace, rows, NULL, polar, y, NULL, &error)
                          : hcr_contract(region, workspace, rows, NULL, v, y, NULL, &error),
                 &error);
            for (size_t i = 0; i < rows; i++)
                assert_true(y[2 * i] == 1 && y[2 * i + 1] == 2);
        }
    }
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* D07: gradients against central differences (an error of h² and of rounding/h: 1e-6 is far above both): the equalities
 * take their part of the direction; and forwards against those. */
static void test_derivatives(void **state) {
    (void)state;
    for (size_t k = 0; k < 30; k++) {
        const size_t n = 6;
        hcri_random random;
        hcri_random_seed(&random, 500 + k);
        double known[MOST], v[MOST], bar[MOST], result[MOST], y[MOST];
        hcr_region *region = finished(random_builder(n, 2, k % 2 != 0, &random, known));
        hcr_workspace *workspace = workspace_of(region, 1);
        fill_normal(&random, k % 3 == 0 ? 0.01 : 4, n, v);
        fill_normal(&random, 1, n, bar);
        must(k % 2 == 0 ? hcr_contract_vjp(region, workspace, 1, NULL, v, NULL, bar, result, NULL, &error)
                        : hcr_soften_vjp(region, workspace, 1, NULL, v, NULL, bar, result, NULL, &error),
             &error);
        for (size_t j = 0; j < n; j++) {
            static const double h = 1e-6;
            double difference = 0;
            for (int side = -1; side <= 1; side += 2) {
                double moved[MOST];
                memcpy(moved, v, n * sizeof *v);
                moved[j] += side * h;
                must(k % 2 == 0 ? hcr_contract(region, workspace, 1, NULL, moved, y, NULL, &error)
                                : hcr_soften(region, workspace, 1, NULL, moved, y, NULL, &error),
                     &error);
                for (size_t i = 0; i < n; i++)
                    difference += side * bar[i] * y[i] / (2 * h);
            }
            assert_true(fabs(difference - result[j]) <= 1e-6);
            double change[MOST] = {0}, pushed[MOST], forward = 0, tolerance = 0;
            change[j] = 1;
            must(k % 2 == 0 ? hcr_contract_jvp(region, workspace, 1, NULL, v, NULL, change, NULL, pushed, &error)
                            : hcr_soften_jvp(region, workspace, 1, NULL, v, NULL, change, NULL, pushed, &error),
                 &error);
            for (size_t i = 0; i < n; i++) {
                forward += bar[i] * pushed[i];
                tolerance += 1e-13 * fabs(bar[i]) * (1 + fabs(pushed[i]));
            }
            assert_true(fabs(forward - result[j]) <= tolerance); /* the same numbers in another order */
        }
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* A compiled region with equalities is read back bit for bit. */
static void test_file(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 3);
    double known[MOST], v[MOST], y[MOST], y_back[MOST];
    hcr_region *region = finished(random_builder(12, 3, 1, &random, known)), *back;
    void *bytes;
    size_t size;
    must(hcr_region_write(region, &bytes, &size, &error), &error);
    must(hcr_region_read(bytes, size, NULL, &back, &error), &error);
    hcr_workspace *workspace = workspace_of(region, 1), *workspace_back = workspace_of(back, 1);
    for (size_t k = 0; k < 100; k++) {
        fill_normal(&random, 2, 12, v);
        must(hcr_contract(region, workspace, 1, NULL, v, y, NULL, &error), &error);
        must(hcr_contract(back, workspace_back, 1, NULL, v, y_back, NULL, &error), &error);
        assert_memory_equal(y, y_back, 12 * sizeof *y);
    }
    hcr_workspace_free(workspace);
    hcr_workspace_free(workspace_back);
    hcr_free(bytes);
    hcr_region_free(region);
    hcr_region_free(back);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maps),        cmocka_unit_test(test_encode_off),
        cmocka_unit_test(test_redundant),   cmocka_unit_test(test_only_equalities),
        cmocka_unit_test(test_derivatives), cmocka_unit_test(test_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
