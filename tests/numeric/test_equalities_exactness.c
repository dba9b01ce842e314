/* D00: beside equalities too no result leaves the region in exact arithmetic, whatever sizes the coefficients have:
 * power networks of 3 to 57 buses, to 300 with HCR_LONG in the environment, all maps, both precisions. Random sets of
 * every kind are in tests/scale/test_exactness_at_scale.c. HCR_COUNT: how many inputs a network (300). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/equalities.h"

static hcr_error error;

static void *numbers(size_t count) {
    void *memory = calloc(count + 1, sizeof(double));
    assert_non_null(memory);
    return memory;
}

static size_t count_of(size_t otherwise) {
    const char *text = getenv("HCR_COUNT");
    return text == NULL || *text == '\0' ? otherwise : (size_t)strtod(text, NULL);
}

static size_t outside_of(const hcr_region *region, size_t rows, const double *y, const float *y_f32) {
    uint8_t *inside = numbers(rows);
    size_t outside = 0;
    must(y != NULL ? hcr_check(region, rows, NULL, y, inside, NULL, &error)
                   : hcr_check_f32(region, rows, NULL, y_f32, inside, NULL, &error),
         &error);
    for (size_t i = 0; i < rows; i++)
        outside += !inside[i];
    free(inside);
    return outside;
}

/* All maps of the rows of `v`, directions or, for the projection, points. Returns how many results are outside. */
static size_t try_maps(const hcr_region *region, size_t rows, size_t projected, const double *v) {
    const size_t n = hcr_region_dimension(region);
    hcr_workspace *workspace = workspace_of(region, 1);
    double *polar = numbers(rows * (n + 1)), *y = numbers(rows * n);
    float *polar_f32 = numbers(rows * (n + 1)), *v_f32 = numbers(rows * n), *y_f32 = numbers(rows * n);
    size_t outside = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j <= n; j++) {
            polar[i * (n + 1) + j] = j < n ? v[i * n + j] : 1;
            polar_f32[i * (n + 1) + j] = (float)polar[i * (n + 1) + j];
            if (j < n)
                v_f32[i * n + j] = (float)v[i * n + j];
        }
    must(hcr_decode(region, workspace, rows, NULL, polar, y, NULL, &error), &error);
    outside += outside_of(region, rows, y, NULL);
    must(hcr_contract(region, workspace, rows, NULL, v, y, NULL, &error), &error);
    outside += outside_of(region, rows, y, NULL);
    must(hcr_soften(region, workspace, rows, NULL, v, y, NULL, &error), &error);
    outside += outside_of(region, rows, y, NULL);
    if (hcr_region_margin(region, HCR_SINGLE) < 1) {
        must(hcr_decode_f32(region, workspace, rows, NULL, polar_f32, y_f32, NULL, &error), &error);
        outside += outside_of(region, rows, NULL, y_f32);
        must(hcr_contract_f32(region, workspace, rows, NULL, v_f32, y_f32, NULL, &error), &error);
        outside += outside_of(region, rows, NULL, y_f32);
        must(hcr_soften_f32(region, workspace, rows, NULL, v_f32, y_f32, NULL, &error), &error);
        outside += outside_of(region, rows, NULL, y_f32);
    }
    hcr_projector *projector = NULL;
    must(hcr_projector_create(region, NULL, &projector, &error), &error);
    must(hcr_project(projector, projected, NULL, v, y, NULL, NULL, &error), &error);
    outside += outside_of(region, projected, y, NULL);
    hcr_projector_free(projector);
    hcr_workspace_free(workspace);
    free(polar);
    free(y);
    free(polar_f32);
    free(v_f32);
    free(y_f32);
    return outside;
}

/* The network of D00: 3,000 normal points, at the scale of the angles and at a hundred times that. */
static void test_three_buses(void **state) {
    (void)state;
    enum { ROWS = 3000, N = 5 };
    hcr_region *region =
        equality_region("var p1, p2, a1, a2, a3\n0 <= p1 <= 40\n0 <= p2 <= 170\n-3 <= [a1, a2, a3] <= 3\n"
                        "p1 == 3000*a1 - 2000*a2 - 1000*a3\n"
                        "p2 == -2000*a1 + 5000*a2 - 3000*a3\n");
    assert_non_null(region);
    hcri_random random;
    hcri_random_seed(&random, 1);
    double *v = numbers(ROWS * N);
    for (double deviation = 1; deviation <= 100; deviation *= 100) {
        fill_normal(&random, deviation, ROWS * N, v);
        assert_int_equal(try_maps(region, ROWS, ROWS, v), 0);
    }
    free(v);
    hcr_region_free(region);
}

static void test_networks(void **state) {
    (void)state;
    static const size_t buses[] = {3, 5, 9, 14, 30, 57, 118, 300};
    const size_t rows = count_of(300), count = getenv("HCR_LONG") != NULL ? sizeof buses / sizeof buses[0] : 6;
    for (size_t k = 0; k < count; k++) {
        hcri_random random;
        hcri_random_seed(&random, buses[k]);
        char *text = network_text(buses[k], &random);
        hcr_region *region = equality_region(text);
        free(text);
        assert_non_null(region);
        const size_t n = hcr_region_dimension(region), projected = rows < 1200 / buses[k] ? rows : 1200 / buses[k];
        double *v = numbers(rows * n);
        for (size_t i = 0; i < rows; i++)
            equality_direction(region, 1, &random, v + i * n);
        const size_t outside = try_maps(region, rows, projected, v);
        print_message("    %zu buses: margins %.2g, %.2g, %zu outside\n", buses[k],
                      hcr_region_margin(region, HCR_DOUBLE), hcr_region_margin(region, HCR_SINGLE), outside);
        assert_int_equal(outside, 0);
        free(v);
        hcr_region_free(region);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_buses),
        cmocka_unit_test(test_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
