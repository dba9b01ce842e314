/* Large sets whose equalities make their rows dense: programs and centres are those of the constraints as they were
 * written, and agree with linear programs over all outputs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "hcr/hcr_build.h"
#include "origin/equalities/reduction.h"
#include "origin/local_program.h"
#include "region/builder.h"

enum { OUTPUTS = 700, EQUALITIES = 320, TERMS = 4 };

static hcr_error error;
static size_t start[EQUALITIES + 1];
static uint32_t columns[EQUALITIES * TERMS];
static double values[EQUALITIES * TERMS], right[EQUALITIES], point[OUTPUTS];

static void assert_ok(hcr_status status) {
    if (status != HCR_OK)
        fail_msg("%s", error.text);
}

/* Balances of a random network around a point within the bounds, which the last outputs don't have on one side. */
static hcr_builder *make_builder(size_t open) {
    hcr_builder *builder = NULL;
    hcri_random random;
    hcri_random_seed(&random, 5);
    double low[OUTPUTS], high[OUTPUTS];
    for (size_t j = 0; j < OUTPUTS; j++) {
        point[j] = 1 + hcri_random_uniform(&random);
        low[j] = 0;
        high[j] = j + open < OUTPUTS ? 4 : INFINITY;
    }
    for (uint32_t i = 0; i < EQUALITIES; i++) {
        start[i + 1] = start[i] + TERMS;
        right[i] = 0;
        for (uint32_t k = 0; k < TERMS; k++) { /* in increasing order, the last outputs each in some equality */
            const uint32_t part = OUTPUTS / TERMS;
            columns[i * TERMS + k] =
                k * part + (k % 3 == 0 ? (i + 11 * k) % part : (uint32_t)(hcri_random_bits(&random) % part));
            values[i * TERMS + k] = (double)(1 + hcri_random_bits(&random) % 3);
            right[i] += values[i * TERMS + k] * point[columns[i * TERMS + k]];
        }
    }
    assert_ok(hcr_builder_create(NULL, &builder, &error));
    assert_ok(hcr_builder_add_variable(builder, "y", OUTPUTS, 0, &error));
    assert_ok(hcr_builder_add_bounds(builder, 0, OUTPUTS, low, high, &error));
    assert_ok(hcr_builder_add_equalities(builder, EQUALITIES, start, columns, values, right, &error));
    return builder;
}

/* max and min of y_j in all outputs. */
static void extremes(const hcr_builder *builder, size_t j, double *least, double *most) {
    hcri_program program;
    hcri_lp *lp = NULL;
    hcri_lp_outcome outcome;
    double objective[OUTPUTS] = {0};
    assert_ok(hcri_program_create(&program, OUTPUTS, &error));
    for (size_t k = 0; k < OUTPUTS; k++) {
        program.lower[k] = builder->set.box->lower[k];
        program.upper[k] = builder->set.box->upper[k];
    }
    for (size_t i = 0; i < EQUALITIES; i++)
        assert_ok(hcri_program_add_row(&program, (hcri_row){TERMS, columns + start[i], values + start[i]}, right[i],
                                       right[i], &error));
    assert_ok(hcri_lp_create(&program, &lp, &error));
    for (int side = 0; side < 2; side++) {
        objective[j] = side == 0 ? 1 : -1;
        assert_ok(hcri_lp_maximise(lp, objective, &outcome, &error));
        assert_int_equal(outcome, HCRI_LP_OPTIMAL);
        *(side == 0 ? most : least) = side == 0 ? hcri_lp_value(lp) : -hcri_lp_value(lp);
    }
    hcri_lp_free(lp);
    hcri_program_release(&program);
}

static void test_is_lifted(void **state) {
    (void)state;
    hcr_builder *builder = make_builder(0);
    hcri_set settled;
    hcri_elimination elimination;
    hcri_reduction reduction;
    assert_ok(hcri_set_number(&builder->set, &error));
    assert_null(hcri_local_lift(&builder->set));
    assert_ok(hcri_reduction_collect(&builder->set, &builder->set.allocator, &settled, &error));
    assert_ok(hcri_set_number(&settled, &error));
    assert_ok(hcri_eliminate(&settled, &elimination, &error));
    assert_ok(hcri_reduction_make(&settled, &elimination, &reduction, &error));
    const hcri_local local = {&reduction.set, NULL, 1, hcri_local_lift(&reduction.set)};
    assert_ptr_equal(local.lift, &reduction);
    assert_int_equal(hcri_local_columns(&local), OUTPUTS);
    for (size_t k = 0; k < reduction.freedom; k++)
        assert_int_equal(hcri_local_place(&local, k), reduction.free[k]);
    for (size_t i = 0; i < reduction.set.linear->rows.count; i++)
        assert_true(hcri_local_is_bound(&local, i));
    hcri_reduction_release(&reduction);
    hcri_elimination_release(&elimination, &settled.allocator);
    hcri_set_release(&settled);
    hcr_builder_free(builder);
}

static void check(size_t open) {
    hcr_builder *builder = make_builder(open);
    hcr_region *region = NULL;
    assert_ok(hcr_builder_finish(builder, &region, &error));
    uint8_t inside;
    uint32_t which, unequal;
    double off;
    assert_ok(hcr_check(region, 1, NULL, hcr_region_origin(region), &inside, &which, &error));
    assert_true(inside);
    assert_ok(hcr_equality_violation(region, 1, NULL, hcr_region_origin(region), HCR_DOUBLE, &off, &unequal, &error));
    assert_true(off <= 1e-13); /* some roundings of terms of up to 12 */
    for (size_t j = OUTPUTS - 1; j > OUTPUTS - 60; j -= 7) {
        double least, most;
        extremes(builder, j, &least, &most);
        assert_true(hcr_region_lower(region)[j] <= least + 1e-7 && hcr_region_upper(region)[j] >= most - 1e-7);
        assert_true(hcr_region_upper(region)[j] <= 4 || j + open >= OUTPUTS);
        assert_true(isfinite(hcr_region_upper(region)[j]));
    }
    hcr_region_free(region);
    hcr_builder_free(builder);
}

static void test_bounded(void **state) {
    (void)state;
    check(0);
}

static void test_open_outputs(void **state) {
    (void)state;
    check(60);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_lifted),
        cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_open_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
