/* Sizes that can't be, lists that are longer than they look, sets that contradict themselves: all are refused in words,
 * and AddressSanitizer sees that nothing is written elsewhere. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/regions.h"

static hcr_error error;

/* --------------------------------------------------------------------------------------------------------- sizes */

/* D01: n numbers a thread for more threads than SIZE_MAX has bytes. */
static void test_threads(void **state) {
    (void)state;
    static const size_t many[] = {HCR_MOST_THREADS + 1, (size_t)1 << 32, (size_t)1 << 61, SIZE_MAX / 2, SIZE_MAX};
    _Alignas(64) static unsigned char memory[128];
    hcr_region *region = disc_region(1);
    hcr_workspace *workspace = NULL;
    for (size_t k = 0; k < sizeof many / sizeof many[0]; k++) {
        assert_int_equal(hcr_workspace_size(region, many[k]), 0);
        assert_int_equal(hcr_workspace_place(region, many[k], memory, sizeof memory, &workspace, &error),
                         HCR_ERROR_ARGUMENT);
        assert_non_null(strstr(error.text, "at most 4096"));
        assert_int_equal(hcr_workspace_create(region, many[k], &workspace, &error), HCR_ERROR_ARGUMENT);
        assert_null(workspace);
    }
    const size_t one = hcr_workspace_size(region, 1), most = hcr_workspace_size(region, HCR_MOST_THREADS);
    assert_true(one > sizeof memory && most > HCR_MOST_THREADS * (one / 2));
    assert_int_equal(hcr_workspace_place(region, 1, memory, sizeof memory, &workspace, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_workspace_create(region, HCR_MOST_THREADS, &workspace, &error), HCR_OK);
    hcr_workspace_free(workspace);
    assert_int_equal(hcr_workspace_size(NULL, 1), 0);
    hcr_region_free(region);
}

/* D01: products of sizes that a caller gives are no smaller than their factors. Only the sizes are wrong: what is read
 * before they are refused is there. */
static void test_builder_sizes(void **state) {
    (void)state;
    static const double zeros[16];
    const size_t n = 4, most = SIZE_MAX / n + 1; /* most · n wraps to 0 … */
    hcr_builder *builder = new_builder(n);
    assert_int_equal(hcr_builder_add_rows(builder, most, zeros, NULL, NULL, &error), HCR_ERROR_MEMORY);
    assert_int_equal(hcr_builder_add_rows(builder, SIZE_MAX, zeros, NULL, NULL, &error), HCR_ERROR_MEMORY);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_MEAN, most, zeros, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_MEAN, SIZE_MAX / 8, zeros, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_builder_add_bounds(builder, 1, SIZE_MAX, zeros, NULL, &error), HCR_ERROR_SHAPE);
    assert_int_equal(hcr_builder_add_bounds(builder, SIZE_MAX, 2, zeros, NULL, &error), HCR_ERROR_SHAPE);
    const hcr_lmi lmi = {.size = (size_t)1 << 32, .constant = zeros}; /* … and so does its square */
    assert_int_equal(hcr_builder_add_lmi(builder, &lmi, &error), HCR_ERROR_SHAPE);
    hcr_builder_free(builder);
    assert_int_equal(hcr_builder_create(NULL, &builder, &error), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "y", SIZE_MAX, 0, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_builder_add_variable(builder, "y", 3, 0, &error), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "z", SIZE_MAX - 1, 0, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_builder_add_parameter(builder, "x", SIZE_MAX, 0, zeros, zeros, &error), HCR_ERROR_ARGUMENT);
    hcr_builder_free(builder);
    const hcr_constant constants[] = {{"A", SIZE_MAX / 2 + 1, 2, zeros},
                                      {"A", (size_t)1 << 32, (size_t)1 << 32, zeros}};
    for (size_t k = 0; k < 2; k++)
        assert_int_equal(hcr_text_build("var y\ny <= 1", 12, "t", NULL, 1, &constants[k], NULL, &builder, &error),
                         HCR_ERROR_SHAPE);
}

/* -------------------------------------------------------------------------------------------------------- texts */

static hcr_status finish(const char *text, hcr_region **region) {
    hcr_builder *builder = NULL;
    *region = NULL;
    error = (hcr_error){0};
    hcr_status status = hcr_text_build(text, strlen(text), "t", NULL, 0, NULL, NULL, &builder, &error);
    if (status == HCR_OK)
        status = hcr_builder_finish(builder, region, &error);
    hcr_builder_free(builder);
    return status;
}

/* D03: equalities that share outputs which others fix, in a region that is empty for other reasons: what is marked for
 * the message is marked once, however many lead there. `count` outputs are fixed, each following equality has them all.
 */
static void test_shared_equalities(void **state) {
    (void)state;
    for (int count = 1; count <= 40; count += 13) {
        char text[4096];
        int used = snprintf(text, sizeof text, "var f[%d], y[%d]\n0 <= y <= 9\nsum(y) <= 1\n", count, count + 2);
        for (int k = 0; k < count; k++)
            used += snprintf(text + used, sizeof text - (size_t)used, "f[%d] == 1\n", k);
        for (int k = 0; k < count; k++)
            used += snprintf(text + used, sizeof text - (size_t)used, "y[%d] - y[%d] + y[%d] + sum(f) == %d\n", k,
                             k + 1, k + 2, count + 2);
        hcr_region *region;
        assert_int_equal(finish(text, &region), HCR_ERROR_EMPTY);
        assert_non_null(strstr(error.text, "sum(y) <= 1"));
    }
    hcr_region *region;
    assert_int_equal(finish("var f[3], y[4]\nf == [1, 2, 3]\ny[0]+y[1]+sum(f) == 8\ny[0]-y[1]+y[2]+sum(f) == 8\n"
                            "y[1]-y[2]+y[3]+sum(f) == 8\n0 <= y <= 9\nsum(y) <= 1",
                            &region),
                     HCR_ERROR_EMPTY);
    assert_non_null(strstr(error.text, "f == [1, 2, 3]"));
}

/* D52: at fixed parameters nothing of a quadratic's curvature is left. For each of them y >= bound(s) alone. */
static void test_quadratics_of_parameters_alone(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double scale, shift;
    } cases[] = {
        {"var y\nparam s in [0, 1]\n0 <= y <= 3\ny >= s ** 2", 1, 0},
        {"var y\nparam s in [-1, 1]\ny <= 3\ny >= 2 * square(s) - 1", 2, -1},
        {"var y\nparam s in [-1, 1]\ny <= 4\ny >= quad_form([s, s], [[1, 0.5], [0.5, 1]])", 3, 0},
        {"var y\nparam s in [-1, 1]\ny <= 9\ny >= sum_squares([s, 2 * s, 1])", 5, 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        hcr_region *region;
        must(finish(cases[k].text, &region), &error);
        hcr_workspace *workspace = workspace_of(region, 1);
        const double far = -100;
        for (double s = 0; s <= 1; s += 0.125) {
            double y;
            uint8_t inside;
            must(hcr_contract(region, workspace, 1, &s, &far, &y, NULL, &error), &error);
            /* The margins of these sets are under 1e-11. */
            assert_true(fabs(y - (cases[k].scale * s * s + cases[k].shift)) <= 1e-10);
            must(hcr_check(region, 1, &s, &y, &inside, NULL, &error), &error);
            assert_true(inside);
        }
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* D60: copies of a set with sides that cross are made before anybody looks at them. */
static void test_sides_that_cross(void **state) {
    (void)state;
    static const char *const texts[] = {
        "var y[1]\n6 <= y <= 4\nunion:\n  0 <= y <= 1\nor\n  2 <= y <= 3\nend",
        "var y[2]\n6 <= sum(y) <= 4\nunion:\n  0 <= y <= 1\nor\n  2 <= y <= 3\nend",
        "var y[2]\n6 <= y[0] <= 4\n-1 <= y <= 9\nexcept norm(y) <= 0.5",
        "var y[2]\n6 <= y[0] - y[1] <= 4\n-9 <= y <= 9\nstar:\n  y[0] * y[1] <= 1\nend\norigin = [0, 0]",
        "var y[1]\n6 <= y <= 4",
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        hcr_region *region;
        assert_int_equal(finish(texts[k], &region), HCR_ERROR_EMPTY);
        assert_non_null(strstr(error.text, "6 <= "));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),           cmocka_unit_test(test_builder_sizes),
        cmocka_unit_test(test_shared_equalities), cmocka_unit_test(test_quadratics_of_parameters_alone),
        cmocka_unit_test(test_sides_that_cross),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
