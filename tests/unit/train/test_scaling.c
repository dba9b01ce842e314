/* Means and deviations, and what counts as constant (C40). */
#include "cases.h"

#include "train/scaling.h"

#define ROWS 1000

static void measure(size_t count, size_t rows, size_t columns, const double *values, double *mean, double *deviation) {
    size_t row[ROWS];
    for (size_t i = 0; i < rows; i++)
        row[i] = i;
    hcri_scaling scaling = {count, mean, deviation};
    assert_true(hcri_scaling_measure(&scaling, &(hcri_chosen_rows){rows, row, NULL, columns, values}));
}

static void test_by_hand(void **state) {
    (void)state;
    const double values[] = {1, 10, 3, 10.5, 5, 11};
    double mean[2], deviation[2];
    float x[2];
    measure(2, 3, 2, values, mean, deviation);
    assert_true(fabs(mean[0] - 3) < 1e-15 && fabs(mean[1] - 10.5) < 1e-14);
    assert_true(fabs(deviation[0] - sqrt(8.0 / 3)) < 1e-15 && fabs(deviation[1] - sqrt(0.5 / 3)) < 1e-15);
    const hcri_scaling scaling = {2, mean, deviation};
    assert_true(hcri_scaling_apply(&scaling, 2, values, x));
    assert_true(fabs((double)x[0] + 2 / sqrt(8.0 / 3)) < 1e-6);
    /* pooled: two steps of one feature */
    measure(1, 3, 2, values, mean, deviation);
    assert_true(fabs(mean[0] - 6.75) < 1e-14);
}

/* A row of weight 3 counts as three rows, one of weight 0 as none, to rounding. */
static void test_weights(void **state) {
    (void)state;
    const double values[] = {1, 1e300, 4, 6}, weight[] = {3, 0, 1, 2};
    const size_t row[] = {0, 1, 2, 3}, repeated[] = {0, 0, 0, 2, 3, 3};
    double mean[2], deviation[2];
    hcri_scaling weighted = {1, &mean[0], &deviation[0]}, plain = {1, &mean[1], &deviation[1]};
    assert_true(hcri_scaling_measure(&weighted, &(hcri_chosen_rows){4, row, weight, 1, values}));
    assert_true(hcri_scaling_measure(&plain, &(hcri_chosen_rows){6, repeated, NULL, 1, values}));
    assert_true(fabs(mean[0] - mean[1]) < 1e-15 && fabs(deviation[0] - deviation[1]) < 1e-15);
}

/* C40: 1,000 times 14.62 has, as summed naively, a deviation of 3.6e-15; 15.0 must not be 1e14 of them away. */
static void test_constant_columns(void **state) {
    (void)state;
    static double values[2 * ROWS];
    double mean[2], deviation[2];
    float x[2];
    for (size_t i = 0; i < ROWS; i++) {
        values[2 * i] = 14.62;
        values[2 * i + 1] = 100;
    }
    measure(2, ROWS, 2, values, mean, deviation);
    assert_true(deviation[0] == 0 && deviation[1] == 0);
    assert_true(fabs(mean[0] - 14.62) < 1e-13 && mean[1] == 100);
    const hcri_scaling scaling = {2, mean, deviation};
    const double other[2] = {15, 100};
    assert_true(hcri_scaling_apply(&scaling, 2, other, x) && x[0] == 0 && x[1] == 0);
    /* noise of an ulp is constant, a change of 1e-9 isn't */
    values[0] = nextafter(14.62, 15);
    values[1] = 100 * (1 + 1e-9);
    measure(2, ROWS, 2, values, mean, deviation);
    assert_true(deviation[0] == 0 && deviation[1] > 0);
    /* one row: everything is constant */
    measure(2, 1, 2, values, mean, deviation);
    assert_true(deviation[0] == 0 && deviation[1] == 0);
}

static void test_extremes(void **state) {
    (void)state;
    const double large[] = {1e300, -1e300, 1.7e308, 1.7e308};
    double mean[1], deviation[1];
    const size_t row[4] = {0, 1, 2, 3};
    float x[1];
    hcri_scaling scaling = {1, mean, deviation};
    assert_true(hcri_scaling_measure(&scaling, &(hcri_chosen_rows){2, row, NULL, 1, large}));
    assert_true(mean[0] == 0 && fabs(deviation[0] / 1e300 - 1) < 1e-15);
    assert_true(hcri_scaling_measure(&scaling, &(hcri_chosen_rows){2, row + 2, NULL, 1, large}) && deviation[0] == 0);
    mean[0] = 0;
    deviation[0] = 1;
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e16};
    for (size_t i = 0; i < 4; i++)
        assert_true(!hcri_scaling_apply(&scaling, 1, &bad[i], x) && x[0] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_constant_columns),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
