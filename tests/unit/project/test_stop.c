/* A request to stop ends hcr_builder_finish, whatever solver is at work, and leaves the builder as it was (D46). Rows
 * that a solver doesn't bring to their nearest points get near ones, and an outcome; the others are projected (D71). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "hcr/hcr_build.h"
#include "solvers/stop_request.h"

static hcr_error error;

static bool stop_at_once(void *context) {
    ++*(int *)context;
    return 1;
}

static bool go_on(void *context) {
    ++*(int *)context;
    return 0;
}

static void assert_ok(hcr_status status) {
    if (status != HCR_OK)
        fail_msg("%s", error.text);
}

/* A row of differences with bounds on each. */
static hcr_builder *builder_of(size_t n, int curved) {
    hcr_builder *builder = NULL;
    double *numbers = calloc(4 * n, sizeof *numbers), *row = numbers, *low = row + n, *high = low + n, *ones = high + n;
    assert_non_null(numbers);
    assert_ok(hcr_builder_create(NULL, &builder, &error));
    assert_ok(hcr_builder_add_variable(builder, "y", n, 0, &error));
    for (size_t j = 0; j < n; j++) {
        low[j] = -1 - 0.1 * (double)(j % 3);
        high[j] = 2 + 0.1 * (double)(j % 5);
        ones[j] = 1 + (double)(j % 2);
    }
    assert_ok(hcr_builder_add_bounds(builder, 0, n, low, high, &error));
    for (size_t j = 0; j + 1 < n; j++) {
        const double bound = 1.5;
        row[j] = 1;
        row[j + 1] = -1;
        assert_ok(hcr_builder_add_rows(builder, 1, row, NULL, &bound, &error));
        row[j] = row[j + 1] = 0;
    }
    if (curved) {
        const hcr_quadratic ball = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = ones, .radius = 2};
        assert_ok(hcr_builder_add_quadratic(builder, &ball, &error));
    }
    free(numbers);
    return builder;
}

static void check_stop(hcr_builder *builder) {
    hcr_region *region = NULL;
    int asked = 0;
    error = (hcr_error){0};
    assert_ok(hcr_builder_set_stop(builder, stop_at_once, &asked, &error));
    assert_int_equal(hcr_builder_finish(builder, &region, &error), HCR_ERROR_INTERRUPTED);
    assert_null(region);
    assert_int_equal(error.code, HCR_ERROR_INTERRUPTED);
    assert_int_equal(asked, 1); /* once it said so that is final */
    assert_false(hcri_stopped());
    assert_ok(hcr_builder_set_stop(builder, go_on, &asked, &error));
    assert_ok(hcr_builder_finish(builder, &region, &error));
    assert_true(asked > 1);
    hcr_region_free(region);
    assert_ok(hcr_builder_set_stop(builder, NULL, NULL, &error));
    assert_ok(hcr_builder_finish(builder, &region, &error));
    hcr_region_free(region);
    hcr_builder_free(builder);
}

/* c(y) = Σ e^y − 9, as somebody's own function. */
static double own_value(void *context, size_t n, const double *y, double *rounding) {
    (void)context;
    double sum = -9;
    for (size_t j = 0; j < n; j++)
        sum += exp(y[j]);
    if (rounding != NULL)
        *rounding = 1e-12;
    return sum;
}

static void test_finish(void **state) {
    (void)state;
    check_stop(builder_of(7, 0));
    check_stop(builder_of(7, 1));
    hcr_builder *builder = builder_of(3, 0);
    const hcr_callback own = {.name = "own", .convex = 1, .value = own_value};
    assert_ok(hcr_builder_add_callback(builder, &own, &error));
    check_stop(builder);
    builder = builder_of(6, 0);
    const size_t start[3] = {0, 3, 6};
    const uint32_t columns[6] = {0, 1, 2, 1, 3, 4};
    const double values[6] = {1, 1, 1, 1, -1, 1}, right[2] = {0.5, 0.25};
    assert_ok(hcr_builder_add_equalities(builder, 2, start, columns, values, right, &error));
    check_stop(builder);
}

/* The solvers give up as soon as they are asked to stop: each row that needs one is then drawn inside as it is. */
static void test_rows_without_a_solution(void **state) {
    (void)state;
    enum { N = 4, ROWS = 40 };
    hcr_builder *builder = builder_of(N, 0);
    const hcr_callback own = {.name = "own", .convex = 1, .value = own_value};
    hcr_region *region = NULL;
    hcr_projector *projector = NULL;
    hcr_workspace *workspace = NULL;
    assert_ok(hcr_builder_add_callback(builder, &own, &error));
    assert_ok(hcr_builder_finish(builder, &region, &error));
    hcr_builder_free(builder);
    assert_ok(hcr_projector_create(region, NULL, &projector, &error));
    assert_ok(hcr_workspace_create(region, 1, &workspace, &error));
    hcri_random random;
    hcri_random_seed(&random, 1);
    double p[ROWS * N], v[ROWS * N], y[ROWS * N], nearest[ROWS * N], contracted[ROWS * N];
    uint32_t outcome[ROWS], right[ROWS];
    uint8_t inside[ROWS];
    for (size_t k = 0; k < ROWS * N; k++)
        p[k] = (k / N % 4 == 0 ? 0.1 : 4) * hcri_random_normal(&random);
    p[2 * N] = NAN;
    for (size_t k = 0; k < ROWS * N; k++)
        v[k] = p[k] - hcr_region_origin(region)[k % N];
    assert_ok(hcr_project(projector, ROWS, NULL, p, nearest, right, NULL, &error));
    assert_ok(hcr_contract(region, workspace, ROWS, NULL, v, contracted, NULL, &error));
    hcri_stop stop;
    int asked = 0;
    hcri_stop_begin(&stop, stop_at_once, &asked);
    assert_ok(hcr_project(projector, ROWS, NULL, p, y, outcome, NULL, &error));
    assert_int_equal(hcri_stop_end(&stop, HCR_OK, &error), HCR_ERROR_INTERRUPTED);
    assert_ok(hcr_check(region, ROWS, NULL, y, inside, NULL, &error));
    size_t near = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double off = 0, least = 0, most = 0;
        assert_true(inside[i]);
        if (right[i] != HCR_OUTCOME_MOVED) {
            assert_int_equal(outcome[i], right[i]);
            assert_memory_equal(y + i * N, nearest + i * N, N * sizeof *y);
            continue;
        }
        assert_int_equal(outcome[i], HCR_OUTCOME_NEARBY);
        near++;
        for (size_t j = i * N; j < (i + 1) * N; j++) {
            off += (y[j] - p[j]) * (y[j] - p[j]);
            least += (nearest[j] - p[j]) * (nearest[j] - p[j]);
            most += (contracted[j] - p[j]) * (contracted[j] - p[j]);
        }
        /* Both distances are right to 1e-8. */
        assert_true(sqrt(off) >= sqrt(least) * (1 - 1e-7) && sqrt(off) <= sqrt(most) * (1 + 1e-12));
    }
    assert_true(near >= 10);
    assert_ok(
        hcr_project(projector, ROWS, NULL, p, y, outcome, NULL, &error)); /* and the next time all is well again */
    assert_memory_equal(y, nearest, sizeof y);
    assert_memory_equal(outcome, right, sizeof outcome);
    hcr_projector_free(projector);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finish),
        cmocka_unit_test(test_rows_without_a_solution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
