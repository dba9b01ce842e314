/* Windows of a series: which values they have, that a time split shares none, and the limits of the training part. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hcr/hcr_table.h"

enum { COUNT = 200 };

/* Value t is t plus a fraction that tells nothing about t, so a value tells where it came from. */
static void number(double *series) {
    for (size_t t = 0; t < COUNT; t++)
        series[t] = (double)t + 0.25 * (double)(t * 7 % 3);
}

/* Row i of X and Y together must be a run of consecutive values; returns where it begins. */
static size_t begins(const hcr_table *x, const hcr_table *y, size_t i, const double *series) {
    const size_t start = (size_t)floor(x->values[i * x->columns]);
    assert_memory_equal(x->values + i * x->columns, series + start, x->columns * sizeof *series);
    assert_memory_equal(y->values + i * y->columns, series + start + x->columns, y->columns * sizeof *series);
    return start;
}

static hcr_window_options options_of(size_t input, size_t output, hcr_split split, double train) {
    hcr_window_options options = HCR_WINDOW_OPTIONS_INIT;
    options.input = input;
    options.output = output;
    options.split = split;
    options.train = train;
    return options;
}

static void cut(const double *series, size_t count, hcr_window_options options, hcr_windows *windows) {
    hcr_error error = {0};
    if (hcr_windows_cut(series, count, &options, windows, &error) != HCR_OK)
        fail_msg("%s", error.text);
}

static void test_time_split(void **state) {
    (void)state;
    double series[COUNT];
    number(series);
    hcr_windows w;
    cut(series, COUNT, options_of(7, 5, HCR_SPLIT_TIME, 0.3), &w);
    /* 200 − 12 + 1 = 189 windows, 0.3·189 = 56.7: 57 for training, then 11 that would share values with them. */
    assert_int_equal(w.x_train.rows, 57);
    assert_int_equal(w.y_train.rows, 57);
    assert_int_equal(w.x_test.rows, 189 - 57 - 11);
    assert_int_equal(w.y_test.rows, w.x_test.rows);
    size_t last_trained = 0;
    for (size_t i = 0; i < w.x_train.rows; i++) {
        assert_int_equal(begins(&w.x_train, &w.y_train, i, series), i);
        last_trained = i + 12 - 1;
    }
    for (size_t i = 0; i < w.x_test.rows; i++)
        assert_int_equal(begins(&w.x_test, &w.y_test, i, series), last_trained + 1 + i);
    assert_int_equal(begins(&w.x_test, &w.y_test, w.x_test.rows - 1, series), COUNT - 12);
    assert_int_equal(w.x_last.rows, 1);
    assert_int_equal(w.x_last.columns, 7);
    assert_memory_equal(w.x_last.values, series + COUNT - 7, 7 * sizeof *series);
    assert_string_equal(w.x_train.names[6], "x[6]");
    assert_string_equal(w.y_train.names[0], "y[0]");
    assert_string_equal(w.x_test.names[0], "x[0]");
    assert_string_equal(w.y_test.names[4], "y[4]");
    assert_string_equal(w.x_last.names[3], "x[3]");
    hcr_windows_clear(&w);
    assert_null(w.x_last.values);
    hcr_windows_clear(&w);
    hcr_windows_clear(NULL);
}

static void test_random_split(void **state) {
    (void)state;
    double series[COUNT];
    number(series);
    hcr_window_options options = HCR_WINDOW_OPTIONS_INIT;
    options.input = 7;
    options.output = 5;
    options.split = HCR_SPLIT_RANDOM;
    options.train = 0.3;
    options.seed = 11;
    hcr_windows w, same, other;
    cut(series, COUNT, options, &w);
    assert_int_equal(w.x_train.rows, 57);
    assert_int_equal(w.x_test.rows, 189 - 57);
    int seen[189] = {0};
    size_t before = 0, late = 0;
    for (size_t i = 0; i < w.x_train.rows; i++) {
        const size_t start = begins(&w.x_train, &w.y_train, i, series);
        assert_true(i == 0 || start > before);
        before = start;
        late += start >= 189 / 2;
        seen[start]++;
    }
    for (size_t i = 0; i < w.x_test.rows; i++)
        seen[begins(&w.x_test, &w.y_test, i, series)]++;
    for (size_t i = 0; i < 189; i++)
        assert_int_equal(seen[i], 1); /* each window in one of the two */
    /* From all over: of 57 drawn about half are late; 10 … 47 is over five deviations wide on either side. */
    assert_in_range(late, 10, 47);
    cut(series, COUNT, options, &same);
    assert_memory_equal(same.x_train.values, w.x_train.values, 57 * 7 * sizeof *series);
    hcr_window_options reseeded = options;
    reseeded.seed = 12;
    cut(series, COUNT, reseeded, &other);
    assert_memory_not_equal(other.x_train.values, w.x_train.values, 57 * 7 * sizeof *series);
    hcr_windows_clear(&w);
    hcr_windows_clear(&same);
    hcr_windows_clear(&other);
}

/* The limits by brute force over the rows that came out. */
static void expect_limits(const hcr_windows *w) {
    double smallest = INFINITY, largest = -INFINITY, step = 0;
    const size_t input = w->x_train.columns, span = input + w->y_train.columns;
    for (size_t i = 0; i < w->x_train.rows; i++)
        for (size_t t = 0; t < span; t++) {
            double pair[2];
            for (size_t k = 0; k < 2; k++) {
                const size_t at = t - (t > 0 && k == 0);
                pair[k] =
                    at < input ? w->x_train.values[i * input + at] : w->y_train.values[i * (span - input) + at - input];
            }
            smallest = pair[1] < smallest ? pair[1] : smallest;
            largest = pair[1] > largest ? pair[1] : largest;
            step = fabs(pair[1] - pair[0]) > step ? fabs(pair[1] - pair[0]) : step;
        }
    assert_true(w->smallest == smallest);
    assert_true(w->largest == largest);
    assert_true(w->largest_step == step);
}

static void test_limits(void **state) {
    (void)state;
    double series[COUNT];
    number(series);
    for (int split = 0; split < 2; split++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            hcr_windows w;
            series[3 * seed] += 40;
            hcr_window_options options = options_of(3, 2, (hcr_split)split, 0.02 * (double)(seed + 1));
            options.seed = seed;
            cut(series, COUNT, options, &w);
            expect_limits(&w);
            hcr_windows_clear(&w);
        }
    /* What lies behind the training windows has no part in their limits; their last value has. */
    number(series);
    hcr_windows w;
    const hcr_window_options options = options_of(3, 2, HCR_SPLIT_TIME, 0.1);
    series[24] = -1000; /* 196 windows, 20 for training: values 0 … 23 */
    cut(series, COUNT, options, &w);
    assert_true(w.smallest == 0 && w.largest < 24 && w.largest_step <= 1.5);
    hcr_windows_clear(&w);
    series[23] = -500;
    cut(series, COUNT, options, &w);
    assert_true(w.smallest == -500 && w.largest_step > 500);
    hcr_windows_clear(&w);
}

static void test_sizes(void **state) {
    (void)state;
    double series[COUNT];
    number(series);
    hcr_error error = {0};
    hcr_windows w;
    cut(series, COUNT, (hcr_window_options)HCR_WINDOW_OPTIONS_INIT, &w); /* 48 + 48, random, 0.2 of 105 */
    assert_true(w.x_train.columns == 48 && w.y_train.columns == 48 && w.x_train.rows == 21 && w.x_test.rows == 84);
    hcr_windows_clear(&w);
    cut(series, 12, options_of(7, 5, HCR_SPLIT_RANDOM, 0.2), &w); /* one window */
    assert_true(w.x_train.rows == 1 && w.x_test.rows == 0);
    hcr_windows_clear(&w);
    cut(series, COUNT, options_of(7, 5, HCR_SPLIT_TIME, 1), &w);
    assert_true(w.x_train.rows == 189 && w.x_test.rows == 0 && w.x_test.columns == 7);
    hcr_windows_clear(&w);
    cut(series, 24, options_of(7, 5, HCR_SPLIT_TIME, 0.01), &w);
    assert_true(w.x_train.rows == 1 && w.x_test.rows == 1); /* the first 12 values and the last 12 */
    hcr_windows_clear(&w);
    cut(series, 23, options_of(7, 5, HCR_SPLIT_TIME, 0.01), &w);
    assert_true(w.x_train.rows == 1 && w.x_test.rows == 0);
    hcr_windows_clear(&w);

    hcr_window_options usual = HCR_WINDOW_OPTIONS_INIT;
    assert_int_equal(hcr_windows_cut(series, 90, &usual, &w, &error), HCR_ERROR_SHAPE);
    assert_string_equal(error.text, "the series has 90 values; a window needs 48 + 48: 6 too few");
    assert_null(w.x_train.values);
    assert_int_equal(hcr_windows_cut(NULL, 0, &usual, &w, &error), HCR_ERROR_SHAPE);
    hcr_window_options huge = HCR_WINDOW_OPTIONS_INIT;
    huge.input = SIZE_MAX;
    huge.output = SIZE_MAX;
    assert_int_equal(hcr_windows_cut(series, COUNT, &huge, &w, &error), HCR_ERROR_SHAPE);
    const double shares[] = {-0.1, 0, 1.1, NAN, INFINITY};
    for (size_t k = 0; k < 5; k++) {
        hcr_window_options wrong = HCR_WINDOW_OPTIONS_INIT;
        wrong.train = shares[k];
        assert_int_equal(hcr_windows_cut(series, COUNT, &wrong, &w, &error), HCR_ERROR_ARGUMENT);
    }
    for (size_t k = 0; k < 2; k++) {
        const hcr_window_options none = options_of(k, 1 - k, HCR_SPLIT_TIME, 0.2);
        assert_int_equal(hcr_windows_cut(series, COUNT, &none, &w, &error), HCR_ERROR_ARGUMENT);
    }
    /* of a version that didn't know the last two fields yet: their defaults */
    hcr_window_options older = options_of(7, 5, HCR_SPLIT_TIME, 0.9);
    older.size = offsetof(hcr_window_options, train);
    cut(series, COUNT, older, &w);
    assert_int_equal(w.x_train.rows, 38); /* 0.2 of 189 */
    hcr_windows_clear(&w);
    older.size = sizeof older + 1;
    assert_int_equal(hcr_windows_cut(series, COUNT, &older, &w, &error), HCR_ERROR_ARGUMENT);
    hcr_window_options split = HCR_WINDOW_OPTIONS_INIT;
    split.split = (hcr_split)5;
    assert_int_equal(hcr_windows_cut(series, COUNT, &split, &w, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_windows_cut(series, COUNT, NULL, &w, &error), HCR_ERROR_ARGUMENT);
    series[150] = NAN;
    assert_int_equal(hcr_windows_cut(series, COUNT, &usual, &w, &error), HCR_ERROR_DATA);
    assert_non_null(strstr(error.text, "value 150"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_time_split), cmocka_unit_test(test_random_split),
                                       cmocka_unit_test(test_limits), cmocka_unit_test(test_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
