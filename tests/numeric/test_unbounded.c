/* Regions that reach to infinity: contract and soften as ever, decode where something stops the direction, results
 * exactly inside however far out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/regions.h"

static hcr_error error;

static hcr_region *finished(hcr_builder *builder) {
    hcr_region *region;
    must(hcr_builder_allow_unbounded(builder, 1, &error), &error);
    must(hcr_builder_finish(builder, &region, &error), &error);
    hcr_builder_free(builder);
    assert_false(hcr_region_is_bounded(region));
    return region;
}

/* C04: y_0 <= 1 and nothing else. The origin is given, so that the answers are known. */
static void test_half_plane(void **state) {
    (void)state;
    hcr_builder *builder = new_builder(2);
    const double row[2] = {1, 0}, bound = 1, origin[2] = {0, 0};
    must(hcr_builder_add_rows(builder, 1, row, NULL, &bound, &error), &error);
    must(hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1, origin, &error), &error);
    hcr_region *region = finished(builder);
    hcr_workspace *workspace = workspace_of(region, 1);
    const double v[8] = {-3, 2, 0, 4, 5, 0, 0, 0}, bar[8] = {1, 2, 1, 2, 1, 2, 1, 2};
    double y[8], v_bar[8];
    hcr_ray rays[4];
    must(hcr_contract(region, workspace, 4, NULL, v, y, rays, &error), &error);
    assert_true(y[0] == -3 && y[1] == 2 && y[2] == 0 && y[3] == 4 && y[6] == 0 && y[7] == 0);
    assert_true(y[4] <= 1 && y[4] > 1 - 1e-12 && y[5] == 0);
    must(hcr_contract_vjp(region, workspace, 4, NULL, v, rays, bar, v_bar, NULL, &error), &error);
    for (size_t k = 0; k < 8; k++)
        assert_true(k == 4 || k == 5 || v_bar[k] == bar[k]);
    assert_true(v_bar[4] == 0 && fabs(v_bar[5] - 2.0 / 5) < 1e-12);

    const double polar[6] = {-3, 2, 0.5, 5, 0, 0.5};
    must(hcr_decode(region, workspace, 2, NULL, polar, y, rays, &error), &error);
    assert_int_equal(rays[0].outcome, HCR_OUTCOME_NO_FRONTIER);
    assert_true(y[0] == 0 && y[1] == 0);
    assert_int_equal(rays[1].outcome, HCR_OUTCOME_INSIDE);
    assert_true(y[2] == 0.5 && y[3] == 0);
    must(hcr_soften(region, workspace, 4, NULL, v, y, rays, &error), &error);
    assert_true(y[0] == -3 && y[1] == 2 && fabs(y[4] - 5.0 / 6) < 1e-15);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* A cone of rows and a parabola, with points up to 1e300 and 1e30: exactly inside, never infinite. */
static void test_far_out(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 4);
    for (int curved = 0; curved < 2; curved++) {
        hcr_builder *builder = new_builder(3);
        const double rows[6] = {1, -0.3, -1, -1, 0.7, -0.9}, upper[2] = {0.1, 0.3};
        const double parabola[3] = {2, 2, 0}, slope[3] = {0, 0, -1};
        const hcr_quadratic quadratic = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = parabola, .linear = slope};
        if (curved)
            must(hcr_builder_add_quadratic(builder, &quadratic, &error), &error);
        must(hcr_builder_add_rows(builder, 2, rows, NULL, upper, &error), &error);
        hcr_region *region = finished(builder);
        hcr_workspace *workspace = workspace_of(region, 1);
        for (size_t k = 0; k < 2000; k++) {
            double v[3], y[3];
            float v_f32[3], y_f32[3];
            uint8_t inside;
            fill_normal(&random, 1, 3, v);
            for (size_t j = 0; j < 3; j++) {
                v_f32[j] = (float)(v[j] * pow(10, (double)(k % 60) - 30));
                v[j] *= pow(10, (double)(k % 600) - 300);
            }
            must(k % 2 == 0 ? hcr_contract(region, workspace, 1, NULL, v, y, NULL, &error)
                            : hcr_soften(region, workspace, 1, NULL, v, y, NULL, &error),
                 &error);
            must(hcr_check(region, 1, NULL, y, &inside, NULL, &error), &error);
            assert_true(inside);
            must(k % 2 == 0 ? hcr_contract_f32(region, workspace, 1, NULL, v_f32, y_f32, NULL, &error)
                            : hcr_soften_f32(region, workspace, 1, NULL, v_f32, y_f32, NULL, &error),
                 &error);
            must(hcr_check_f32(region, 1, NULL, y_f32, &inside, NULL, &error), &error);
            assert_true(inside);
        }
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* D17: numbers next to which rounding hides the region: 1e16 beside 1 in a matrix, rows whose terms cancel. What is
 * inside stays, what isn't comes near, and the origin is no answer. */
static void test_hidden_by_rounding(void **state) {
    static const struct {
        const char *text;
        double v[2];
        int stays;
    } cases[] = {
        {"psd([[y[1], y[0], 0], [y[0], 1, 0], [0, 0, y[1]]])\norigin = [0, 1]", {0, 1e16}, 1},
        {"psd([[y[1], y[0], 0], [y[0], 1, 0], [0, 0, y[1]]])\norigin = [0, 1]", {1e7, 1e16}, 1},
        {"psd([[y[1], y[0], 0], [y[0], 1, 0], [0, 0, y[1]]])\norigin = [0, 1]", {3, 1e150}, 0},
        {"psd([[y[1], 1, y[0]], [1, 2, 1], [y[0], 1, y[1]]])\norigin = [0, 3]", {1e3, 1e16}, 0},
        {"norm([y[0], 1]) <= y[1]\norigin = [0, 3]", {1e16, 1.0000001e16}, 1},
        {"y[0] + y[1] <= 1\norigin = [0, 0]", {1e16, -1e16}, 1},
        {"y[0] + y[1] <= 1\norigin = [0, 0]", {1e300, -1e300}, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        (void)snprintf(text, sizeof text, "var y[2]\nunbounded\n%s\n", cases[i].text);
        hcr_builder *builder = NULL;
        must(hcr_text_build(text, strlen(text), "t", NULL, 0, NULL, NULL, &builder, &error), &error);
        hcr_region *region = finished(builder);
        hcr_workspace *workspace = workspace_of(region, 1);
        const double *v = cases[i].v, *origin = hcr_region_origin(region);
        double y[2];
        uint8_t inside;
        must(hcr_contract(region, workspace, 1, NULL, v, y, NULL, &error), &error);
        must(hcr_check(region, 1, NULL, y, &inside, NULL, &error), &error);
        assert_true(inside);
        if (cases[i].stays)
            assert_true(y[0] == origin[0] + v[0] && y[1] == origin[1] + v[1]);
        else
            assert_true(fabs(y[1]) > 1e15);
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
    hcr_builder *builder = NULL;
    static const char text[] = "var y[2]\nunbounded\ny[0] + y[1] <= 1\norigin = [0, 0]\n";
    must(hcr_text_build(text, strlen(text), "t", NULL, 0, NULL, NULL, &builder, &error), &error);
    hcr_region *region = finished(builder);
    hcr_workspace *workspace = workspace_of(region, 1);
    const double polar[3] = {1, -0.9999999999999999, 1}; /* to 2^53 (1, −1), where a half can't be represented */
    double y[2];
    uint8_t inside;
    must(hcr_decode(region, workspace, 1, NULL, polar, y, NULL, &error), &error);
    must(hcr_check(region, 1, NULL, y, &inside, NULL, &error), &error);
    assert_true(inside && y[0] > 0x1p50 && y[0] <= 0x1p53);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* C10, C11: an origin of a sensible size. */
static void test_origin(void **state) {
    (void)state;
    const double zero[3] = {0, 0, 0};
    for (int which = 0; which < 3; which++) {
        hcr_builder *builder = new_builder(which == 1 ? 3 : 2);
        if (which < 2)
            must(hcr_builder_add_bounds(builder, 0, which == 0 ? 1 : 3, zero, NULL, &error), &error);
        hcr_region *region = finished(builder);
        const double *origin = hcr_region_origin(region);
        for (size_t j = 0; j < hcr_region_dimension(region); j++) {
            assert_true(fabs(origin[j]) <= 100);
            assert_true(which == 2 || (which == 0 && j == 1) || origin[j] >= 1e-3);
        }
        hcr_region_free(region);
    }
}

/* Without leave an unbounded region is refused, with a direction and both ways out. */
static void test_refused(void **state) {
    (void)state;
    hcr_builder *builder = new_builder(2);
    const double zero[2] = {0, 0};
    must(hcr_builder_add_bounds(builder, 0, 2, zero, NULL, &error), &error);
    hcr_region *region;
    assert_int_equal(hcr_builder_finish(builder, &region, &error), HCR_ERROR_UNBOUNDED);
    assert_non_null(strstr(error.text, "y["));
    assert_non_null(strstr(error.text, "unbounded"));
    hcr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_plane), cmocka_unit_test(test_far_out), cmocka_unit_test(test_hidden_by_rounding),
        cmocka_unit_test(test_origin),     cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
