/* What the maps make of inputs that broke other libraries: zero, parallel, huge, tiny, NaN. */
#define _GNU_SOURCE /* feenableexcept */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/regions.h"
#include "numeric/texts.h"

static hcr_error error;

static const double zero[2] = {0, 0}, minus_one[2] = {-1, -1}, one[2] = {1, 1};

static void *numbers(size_t count) {
    void *memory = calloc(count + 1, sizeof(double));
    assert_non_null(memory);
    return memory;
}

/* C01: v = 0 alone and beside another row. */
static void test_zero_direction(void **state) {
    (void)state;
    hcr_region *region = disc_region(1);
    hcr_workspace *workspace = workspace_of(region, 1);
    const double v[2][2] = {{0, 0}, {3, 0}}, polar[2][3] = {{0, 0, 1}, {-0.0, 0, 0.5}};
    double y[2][2], encoded[3];
    hcr_ray rays[2];
    must(hcr_contract(region, workspace, 2, NULL, &v[0][0], &y[0][0], rays, &error), &error);
    assert_true(y[0][0] == 0 && y[0][1] == 0);
    assert_true(fabs(y[1][0] - 1) <= 1e-13 && y[1][0] <= 1 && y[1][1] == 0);
    assert_int_equal(rays[0].outcome, HCR_OUTCOME_AT_ORIGIN);
    assert_int_equal(rays[0].constraint, UINT32_MAX);
    assert_int_equal(rays[1].outcome, HCR_OUTCOME_FRONTIER);
    must(hcr_decode(region, workspace, 2, NULL, &polar[0][0], &y[0][0], rays, &error), &error);
    for (size_t i = 0; i < 2; i++) {
        assert_true(y[i][0] == 0 && y[i][1] == 0);
        assert_int_equal(rays[i].outcome, HCR_OUTCOME_AT_ORIGIN);
    }
    must(hcr_encode(region, workspace, 1, NULL, zero, encoded, rays, &error), &error);
    assert_true(encoded[0] == 0 && encoded[1] == 0 && encoded[2] == 0);
    assert_int_equal(rays[0].outcome, HCR_OUTCOME_AT_ORIGIN);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* C03: rays along faces, with traps on. */
static void test_parallel_rays(void **state) {
    (void)state;
    static const double lower[2] = {0, 0}, upper[2] = {10, 1}, centre[2] = {5, 0.5};
    static const double v[][2] = {{5, 0}, {0, -5}, {-0.0, 5}, {0, 0}, {1e300, 0}, {0, 1e-310}};
    static const double expected[][2] = {{1, 0}, {0, -1}, {0, 1}, {0, 0}, {1, 0}, {0, 1e-310}};
    enum { COUNT = sizeof v / sizeof v[0] };
    hcr_region *square = box_region(minus_one, one, zero), *flat = box_region(lower, upper, centre);
    hcr_workspace *workspace = workspace_of(square, 1), *flat_workspace = workspace_of(flat, 1);
    double y[COUNT][2], polar[COUNT][3], back[COUNT][2], corner[2];
    const double up[2] = {0, 9};
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_DIVBYZERO | FE_INVALID);
    const hcr_status contracted = hcr_contract(square, workspace, COUNT, NULL, &v[0][0], &y[0][0], NULL, &error);
    const hcr_status encoded = hcr_encode(square, workspace, COUNT, NULL, &y[0][0], &polar[0][0], NULL, &error);
    const hcr_status decoded = hcr_decode(square, workspace, COUNT, NULL, &polar[0][0], &back[0][0], NULL, &error);
    const hcr_status in_flat = hcr_contract(flat, flat_workspace, 1, NULL, up, corner, NULL, &error);
    fedisableexcept(FE_DIVBYZERO | FE_INVALID);
    must(contracted, &error);
    must(encoded, &error);
    must(decoded, &error);
    must(in_flat, &error);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < 2; j++)
            assert_true(y[i][j] == expected[i][j] && fabs(back[i][j] - y[i][j]) <= 1e-15 * fabs(y[i][j]));
    assert_true(corner[0] == 5 && corner[1] == 1);
    hcr_workspace_free(workspace);
    hcr_workspace_free(flat_workspace);
    hcr_region_free(square);
    hcr_region_free(flat);
}

/* C04: y0 <= 1 alone. A ray that nothing stops is free to go, and gives decode no radius. */
static void test_half_plane(void **state) {
    (void)state;
    const double row[2] = {1, 0}, bound = 1;
    hcr_builder *builder = new_builder(2);
    must(hcr_builder_add_rows(builder, 1, row, NULL, &bound, &error), &error);
    hcr_region *region = region_around(builder, zero, 10);
    hcr_workspace *workspace = workspace_of(region, 1);
    static const double v[4][2] = {{-3, 2}, {0, 4}, {5, 0}, {0, 0}};
    double y[4][2];
    hcr_ray rays[4];
    must(hcr_contract(region, workspace, 4, NULL, &v[0][0], &y[0][0], rays, &error), &error);
    assert_true(y[0][0] == -3 && y[0][1] == 2 && y[1][0] == 0 && y[1][1] == 4 && y[3][0] == 0 && y[3][1] == 0);
    assert_true(y[2][0] <= 1 && y[2][0] >= 1 - 1e-13 && y[2][1] == 0);
    static const double polar[2][3] = {{-3, 2, 0.5}, {5, 0, 0.5}};
    must(hcr_decode(region, workspace, 2, NULL, &polar[0][0], &y[0][0], rays, &error), &error);
    assert_int_equal(rays[0].outcome, HCR_OUTCOME_NO_FRONTIER);
    assert_int_equal(rays[1].outcome, HCR_OUTCOME_INSIDE);
    assert_true(y[0][0] == 0 && y[0][1] == 0 && y[1][0] == 0.5 && y[1][1] == 0);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* C09: 10,000 angles; every result has |y|² <= 1 in exact arithmetic. C25: v = (10, 0) ends at the radius. */
static void test_unit_vectors(void **state) {
    (void)state;
    enum { ANGLES = 10000 };
    hcr_region *region = disc_region(1);
    hcr_workspace *workspace = workspace_of(region, 0);
    double *v = numbers(2 * ANGLES), *y = numbers(2 * ANGLES);
    float *v_f32 = numbers(2 * ANGLES), *y_f32 = numbers(2 * ANGLES);
    uint8_t *inside = numbers(ANGLES);
    for (size_t i = 0; i < ANGLES; i++) {
        const double angle = 6.283185307179586 * (double)i / ANGLES;
        v[2 * i] = 10 * cos(angle);
        v[2 * i + 1] = 10 * sin(angle);
        v_f32[2 * i] = (float)v[2 * i];
        v_f32[2 * i + 1] = (float)v[2 * i + 1];
    }
    must(hcr_contract(region, workspace, ANGLES, NULL, v, y, NULL, &error), &error);
    must(hcr_check(region, ANGLES, NULL, y, inside, NULL, &error), &error);
    for (size_t i = 0; i < ANGLES; i++) {
        assert_true(inside[i]);
        assert_true(hypot(y[2 * i], y[2 * i + 1]) >= 1 - 1e-13);
    }
    must(hcr_contract_f32(region, workspace, ANGLES, NULL, v_f32, y_f32, NULL, &error), &error);
    must(hcr_check_f32(region, ANGLES, NULL, y_f32, inside, NULL, &error), &error);
    for (size_t i = 0; i < ANGLES; i++) { /* the squares of floats are exact in double precision */
        const double squares =
            (double)y_f32[2 * i] * (double)y_f32[2 * i] + (double)y_f32[2 * i + 1] * (double)y_f32[2 * i + 1];
        assert_true(inside[i] && squares <= 1 && squares >= 1 - 1e-5);
    }
    free(v);
    free(y);
    free(v_f32);
    free(y_f32);
    free(inside);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* NaN, infinities and radii out of range: the origin, and an outcome that says so; never an infeasible point. */
static void test_bad_values(void **state) {
    (void)state;
    static const double origin[2] = {0.25, -0.5};
    hcr_region *region = box_region(minus_one, one, origin);
    hcr_workspace *workspace = workspace_of(region, 1);
    static const struct {
        double polar[3];
        uint32_t outcome;
        double y[2];
    } cases[] = {
        {{NAN, 1, 0.5}, HCR_OUTCOME_BAD_VALUE, {0.25, -0.5}},
        {{1, INFINITY, 0.5}, HCR_OUTCOME_BAD_VALUE, {0.25, -0.5}},
        {{1, -INFINITY, 0.5}, HCR_OUTCOME_BAD_VALUE, {0.25, -0.5}},
        {{1, 0, NAN}, HCR_OUTCOME_BAD_VALUE, {0.25, -0.5}},
        {{1, 0, INFINITY}, HCR_OUTCOME_BAD_VALUE, {0.25, -0.5}},
        {{1, 0, -INFINITY}, HCR_OUTCOME_BAD_VALUE, {0.25, -0.5}},
        {{0, 0, 0.5}, HCR_OUTCOME_AT_ORIGIN, {0.25, -0.5}},
        {{1, 0, -3}, HCR_OUTCOME_INSIDE, {0.25, -0.5}},
        {{1, 0, 0}, HCR_OUTCOME_INSIDE, {0.25, -0.5}},
        {{1, 0, 7}, HCR_OUTCOME_FRONTIER, {1, -0.5}},
        {{1, 0, 1}, HCR_OUTCOME_FRONTIER, {1, -0.5}},
        {{0, 1e300, 1}, HCR_OUTCOME_FRONTIER, {0.25, 1}},
        {{DBL_MAX, -DBL_MAX, 0}, HCR_OUTCOME_INSIDE, {0.25, -0.5}},
        {{0, 4.9406564584124654e-324, 1}, HCR_OUTCOME_FRONTIER, {0.25, 1}},
        {{-1e-310, 0, 0.5}, HCR_OUTCOME_INSIDE, {-0.375, -0.5}},
    };
    enum { COUNT = sizeof cases / sizeof cases[0] };
    double polar[COUNT][3], y[COUNT][2], v[COUNT][2];
    for (size_t i = 0; i < COUNT; i++) {
        memcpy(polar[i], cases[i].polar, sizeof polar[i]);
        memcpy(v[i], cases[i].polar, sizeof v[i]);
    }
    hcr_ray rays[COUNT];
    uint8_t inside[COUNT];
    must(hcr_decode(region, workspace, COUNT, NULL, &polar[0][0], &y[0][0], rays, &error), &error);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(rays[i].outcome, cases[i].outcome);
        const int bad =
            rays[i].outcome == HCR_OUTCOME_BAD_VALUE; /* exactly the origin, else right to a few roundings */
        for (size_t j = 0; j < 2; j++)
            assert_true(fabs(y[i][j] - cases[i].y[j]) <= (bad ? 0 : 1e-15));
    }
    must(hcr_contract(region, workspace, COUNT, NULL, &v[0][0], &y[0][0], rays, &error), &error);
    must(hcr_check(region, COUNT, NULL, &y[0][0], inside, NULL, &error), &error);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(inside[i]);
        const int bad = !isfinite(v[i][0]) || !isfinite(v[i][1]);
        assert_int_equal(rays[i].outcome == HCR_OUTCOME_BAD_VALUE, bad);
        assert_true(!bad || (y[i][0] == origin[0] && y[i][1] == origin[1]));
    }
    double gauge[COUNT], encoded[COUNT][3];
    must(hcr_gauge(region, workspace, COUNT, NULL, &v[0][0], gauge, rays, &error), &error);
    must(hcr_encode(region, workspace, COUNT, NULL, &v[0][0], &encoded[0][0], rays, &error), &error);
    for (size_t i = 0; i < COUNT; i++) {
        const int bad = !isfinite(v[i][0]) || !isfinite(v[i][1]);
        assert_int_equal(isnan(gauge[i]) != 0, bad);
        assert_true(!bad || (encoded[i][0] == 0 && encoded[i][1] == 0 && encoded[i][2] == 0));
        assert_int_equal(rays[i].outcome == HCR_OUTCOME_BAD_VALUE, bad);
    }
    float polar_f32[2][3] = {{NAN, 0, 1}, {FLT_MAX, FLT_MAX, 1}}, y_f32[2][2];
    must(hcr_decode_f32(region, workspace, 2, NULL, &polar_f32[0][0], &y_f32[0][0], rays, &error), &error);
    assert_int_equal(rays[0].outcome, HCR_OUTCOME_BAD_VALUE);
    assert_true(y_f32[0][0] == 0.25f && y_f32[0][1] == -0.5f && y_f32[1][0] == 1 && y_f32[1][1] == 0.25f);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* A point outside has a radius above 1 and is called outside. */
static void test_outside(void **state) {
    (void)state;
    hcr_region *region = disc_region(2);
    hcr_workspace *workspace = workspace_of(region, 1);
    static const double y[2][2] = {{3, 4}, {0, -1.5}};
    double polar[2][3];
    hcr_ray rays[2];
    must(hcr_encode(region, workspace, 2, NULL, &y[0][0], &polar[0][0], rays, &error), &error);
    assert_int_equal(rays[0].outcome, HCR_OUTCOME_OUTSIDE);
    assert_int_equal(rays[1].outcome, HCR_OUTCOME_INSIDE);
    assert_true(polar[0][2] == 2.5 && polar[1][2] == 0.75);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* D14: with a and b at the middle of their ranges the row is 0 <= 0, which is no reason to refuse; and coefficients
 * that cancel, a[0] − a[1] = 0, are 0. At a = 0, b = 0 the whole box is left. */
static void test_idle_middle(void **state) {
    (void)state;
    static const char *const texts[] = {
        "var u[2]\nparam a[2] in [-1, 1]\nparam b in [-1, 1]\n-1 <= u <= 1\na @ u <= b\n",
        "var u[2]\nparam a[2] in [-1, 1]\nparam b in [-1, 1]\n-1 <= u <= 1\n(a[0] - a[1])*u[0] + 0.1*(a[0] - "
        "a[1])*u[1] "
        "<= b\n",
    };
    static const double x[9] = {0, 0, 0, 0.3, 0.3, 0, 0.5, -0.25, 0.125}, v[6] = {3, -2, 3, -2, 3, -2};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        hcr_region *region = text_region(texts[t]);
        hcr_workspace *workspace = workspace_of(region, 1);
        double y[6];
        uint8_t inside[3];
        hcr_ray rays[3];
        must(hcr_contract(region, workspace, 3, x, v, y, rays, &error), &error);
        must(hcr_check(region, 3, x, y, inside, NULL, &error), &error);
        for (size_t s = 0; s < 3; s++) {
            const int idle = s == 0 || (s == 1 && t == 1);
            assert_true(inside[s] && (!idle || fmax(fabs(y[2 * s]), fabs(y[2 * s + 1])) >= 1 - 1e-12));
        }
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* D14: a row whose coefficients are 0 at a sample says nothing there, or leaves nothing; box [−1, 1]², a @ u <= b. */
static void test_idle_rows(void **state) {
    (void)state;
    static const double low[3] = {-1, -1, -1}, high[3] = {2, 2, 3}, v[10] = {3, -2, 3, -2, 3, -2, 3, -2, 3, -2};
    static const double x[15] = {0, 0, 0, 0, 0, -0.5, 0, 0, 0.5, -0.0, 0, 1e-300, 0, 0, -1e-300};
    static const size_t start[2] = {0, 1}, product_start[2] = {0, 2};
    static const uint32_t column = 4, outputs[2] = {0, 1}, parameters[2] = {0, 1};
    static const double minus = -1, values[2] = {1, 1};
    hcr_builder *builder = NULL;
    hcr_region *region = NULL;
    must(hcr_builder_create(NULL, &builder, &error), &error);
    must(hcr_builder_add_variable(builder, "u", 2, 0, &error), &error);
    must(hcr_builder_add_parameter(builder, "x", 3, 0, low, high, &error), &error);
    must(hcr_builder_add_bounds(builder, 0, 2, minus_one, one, &error), &error);
    const hcr_varying_rows rows = {.rows = 1,
                                   .start = start,
                                   .columns = &column,
                                   .values = &minus,
                                   .product_start = product_start,
                                   .product_outputs = outputs,
                                   .product_parameters = parameters,
                                   .product_values = values,
                                   .upper = zero};
    must(hcr_builder_add_varying_rows(builder, &rows, &error), &error);
    must(hcr_builder_finish(builder, &region, &error), &error);
    hcr_workspace *workspace = workspace_of(region, 1);
    double y[10], by_v[10], by_x[15], bar[10];
    hcr_ray rays[5];
    for (size_t k = 0; k < 10; k++)
        bar[k] = 1;
    must(hcr_contract(region, workspace, 5, x, v, y, rays, &error), &error);
    must(hcr_contract_vjp(region, workspace, 5, x, v, NULL, bar, by_v, by_x, &error), &error);
    for (size_t s = 0; s < 5; s++) {
        if (s == 1 || s == 4) { /* 0 <= b < 0: nothing is left */
            assert_int_equal(rays[s].outcome, HCR_OUTCOME_NO_ORIGIN);
            assert_true(isnan(y[2 * s]) && isnan(y[2 * s + 1]));
            continue;
        }
        assert_int_equal(rays[s].outcome, HCR_OUTCOME_FRONTIER);
        /* somewhere on the box's frontier, as the ray from the slice's own origin leaves it */
        assert_true(fmax(fabs(y[2 * s]), fabs(y[2 * s + 1])) >= 1 - 1e-12 && fabs(y[2 * s]) <= 1 &&
                    fabs(y[2 * s + 1]) <= 1);
        for (size_t k = 0; k < 3; k++)
            assert_true(isfinite(by_x[3 * s + k]) && isfinite(by_v[2 * s + k % 2]));
    }
    assert_true(y[0] == y[6] && y[1] == y[7]);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
    hcr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zero_direction), cmocka_unit_test(test_parallel_rays), cmocka_unit_test(test_half_plane),
        cmocka_unit_test(test_unit_vectors),   cmocka_unit_test(test_bad_values),    cmocka_unit_test(test_outside),
        cmocka_unit_test(test_idle_rows),      cmocka_unit_test(test_idle_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
