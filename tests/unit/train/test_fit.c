/* Training end to end: what it reaches, refuses, and repeats. */
#define N 6
#define INPUTS 8
#define ROWS 90

#include "fits.h"

/* Every head and encoder learns: far below the targets' variance, and guaranteed heads are inside at tolerance 0. */
static void test_learns(void **state) {
    (void)state;
    double mean[N] = {0}, variance = 0;
    for (size_t k = 0; k < ROWS * N; k++)
        mean[k % N] += Y[k] / ROWS;
    for (size_t k = 0; k < ROWS * N; k++)
        variance += (Y[k] - mean[k % N]) * (Y[k] - mean[k % N]) / (ROWS * N);
    for (int encoder = 0; encoder <= 1; encoder++)
        for (int head = 0; head <= 5; head++) {
            hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
            options.encoder = (hcr_encoder)encoder;
            options.head = (hcr_head)head;
            options.hidden = 24;
            options.epochs = 150;
            options.rate = 1e-2;
            options.seed = 3;
            hcr_fit_report report;
            hcr_model *model = fit(ROWS, &options, &report);
            assert_true(report.training_mse < 0.1 * variance);
            assert_true(head == HCR_HEAD_SIMPLE || report.inside_ratio == 1);
            assert_int_equal(report.rows, ROWS);
            assert_int_equal(report.epochs, 150);
            assert_true(isnan(report.validation_loss) && isnan(report.validation_mse));
            hcr_model_free(model);
        }
}

static void test_seed_decides(void **state) {
    (void)state;
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT, other = HCR_FIT_OPTIONS_INIT;
    options.epochs = 3;
    options.seed = 5;
    other.epochs = 3;
    other.seed = 6;
    hcr_model *first = fit(ROWS, &options, NULL), *second = fit(ROWS, &options, NULL), *third = fit(ROWS, &other, NULL);
    assert_true(same_predictions(first, second));
    assert_false(same_predictions(first, third));
    hcr_model_free(first);
    hcr_model_free(second);
    hcr_model_free(third);
}

/* C40: one row, a batch larger than the rows, a constant target. */
static void test_small_and_constant(void **state) {
    (void)state;
    for (int head = 0; head <= 5; head++) {
        hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
        options.head = (hcr_head)head;
        options.epochs = 300;
        options.batch = 1000;
        options.rate = 1e-2;
        hcr_fit_report report;
        hcr_model *model = fit(1, &options, &report);
        assert_true(report.training_mse < 1e-3);
        hcr_model_free(model);
        static double constant[ROWS * N];
        for (size_t k = 0; k < ROWS * N; k++)
            constant[k] = 0.9 + 0.05 * (double)(k % N);
        hcr_model *same = NULL;
        assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, constant, &options, &same, &report, NULL),
                         HCR_OK);
        assert_true(report.training_mse < 1e-3);
        hcr_model_free(same);
    }
}

/* C32: a NaN or an infinity is refused with its place, counted from 0. */
static void test_bad_values(void **state) {
    (void)state;
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.epochs = 1;
    hcr_model *model = NULL;
    hcr_error error;
    const double kept_y = Y[3 * N + 1], kept_x = X[7 * INPUTS];
    Y[3 * N + 1] = NAN;
    assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &options, &model, NULL, &error),
                     HCR_ERROR_DATA);
    assert_non_null(strstr(error.text, "Y: row 3 (counted from 0), column \"y[1]\""));
    Y[3 * N + 1] = kept_y;
    X[7 * INPUTS] = INFINITY;
    assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &options, &model, NULL, &error),
                     HCR_ERROR_DATA);
    assert_non_null(strstr(error.text, "X: row 7 (counted from 0), column \"x[0]\""));
    X[7 * INPUTS] = kept_x;
    assert_null(model);
}

static void test_bad_options(void **state) {
    (void)state;
    static const double levels[2] = {0.1, 0.9};
    hcr_fit_options wrong[31];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        wrong[i] = (hcr_fit_options)HCR_FIT_OPTIONS_INIT;
    wrong[0].rate = -1;
    wrong[1].rate = NAN;
    wrong[2].validation = 1;
    wrong[3].clip = -1;
    wrong[4].patience = 3;
    wrong[5].weight_decay = INFINITY;
    wrong[6].rate_decay = -1;
    wrong[7].head = 6;
    wrong[8].encoder = 2;
    wrong[9].radius_weight = -0.5;
    wrong[10].ascent = 1;
    wrong[11].ascent = -1;
    wrong[11].head = HCR_HEAD_SIMPLE;
    wrong[12].raw_weight = 1;
    /* 0 is a value, and none of these */
    wrong[13].rate = 0;
    wrong[14].rate_decay = 0;
    wrong[15].radius_weight = 0;
    wrong[16].hidden = 0;
    wrong[17].features = 0;
    wrong[18].epochs = 0;
    wrong[19].batch = 0;
    wrong[20].size = 0;
    wrong[21].size++;
    wrong[22].loss = HCR_LOSS_ABSOLUTE; /* of head hcr */
    wrong[23].loss = 4;
    wrong[24].delta = 0;
    wrong[25].quantile = 1;
    wrong[26].quantile = NAN;
    wrong[27].quantiles = levels; /* of head hcr */
    wrong[27].quantile_count = 2;
    for (size_t i = 28; i < 31; i++) {
        wrong[i].head = HCR_HEAD_CONTRACT;
        wrong[i].quantiles = levels;
        wrong[i].quantile_count = 2;
    }
    wrong[28].loss = HCR_LOSS_HUBER;
    wrong[29].calibrate = true; /* without validation */
    wrong[30].calibrate = true;
    wrong[30].validation = 0.2;
    wrong[30].head = HCR_HEAD_SOFTEN;
    hcr_model *model = NULL;
    hcr_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &wrong[i], &model, NULL, &error),
                         HCR_ERROR_ARGUMENT);
    hcr_fit_options steps = HCR_FIT_OPTIONS_INIT, plain = HCR_FIT_OPTIONS_INIT;
    steps.encoder = HCR_ENCODER_LSTM;
    steps.features = 3;
    plain.epochs = 1;
    assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &steps, &model, NULL, &error),
                     HCR_ERROR_SHAPE);
    assert_int_equal(hcr_fit(region, NULL, 0, INPUTS, X, NULL, NULL, Y, &plain, &model, NULL, &error), HCR_ERROR_SHAPE);
    /* text that a file couldn't hold is refused before training, not after it */
    assert_int_equal(hcr_fit(region, "\xff", ROWS, INPUTS, X, NULL, NULL, Y, &plain, &model, NULL, &error),
                     HCR_ERROR_DATA);
    assert_non_null(strstr(error.text, "UTF-8"));
}

/* On targets that don't depend on the inputs the squared loss learns the mean, the absolute one the median, the pinball
 * one the quantile: of 0.2, 0.3, 0.4, 0.5 and 1.6 in equal parts 0.6, 0.4 and, at level 0.9, 1.6. Adam's steps are of
 * 0.01 deviations at the end, 0.005 in output units: 0.02 is far above that and far below the differences. */
static void test_losses_learn_what_they_are_for(void **state) {
    (void)state;
    static const double values[5] = {0.2, 0.3, 0.4, 0.5, 1.6}, zeros[ROWS] = {0}, learnt[4] = {0.6, 0.4, 0.4, 1.6};
    static double targets[ROWS * N];
    for (size_t k = 0; k < ROWS * N; k++)
        targets[k] = values[k / N % 5];
    for (int k = 0; k < 4; k++) {
        hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
        options.head = HCR_HEAD_CONTRACT;
        options.loss = (hcr_loss)k;
        options.delta = 0.05; /* all but the nearest miss by more: near the median */
        options.quantile = 0.9;
        options.epochs = 400;
        options.batch = ROWS;
        options.rate = 0.01;
        hcr_model *model = NULL;
        hcr_error error = {0};
        if (hcr_fit(region, NULL, ROWS, 1, zeros, NULL, NULL, targets, &options, &model, NULL, &error) != HCR_OK)
            fail_msg("%s", error.text);
        double y[N];
        assert_int_equal(hcr_predict(model, 1, zeros, NULL, y, NULL, NULL), HCR_OK);
        for (size_t j = 0; j < N; j++)
            assert_true(fabs(y[j] - learnt[k]) < 0.02);
        hcr_model_free(model);
    }
}

/* With one batch for all rows, weights that are whole numbers train as repeated rows do, whatever their unit: up to
 * the rounding of single-precision sums in another order, which 50 steps of Adam make 1e-4 at most. */
static void test_weights_are_repeated_rows(void **state) {
    (void)state;
    static double repeated_X[3 * ROWS * INPUTS], repeated_Y[3 * ROWS * N], weights[ROWS], a[ROWS * N], b[ROWS * N];
    size_t rows = 0;
    for (size_t i = 0; i < ROWS; i++) {
        weights[i] = 1e-3 * (double)(i % 4);
        for (size_t k = 0; k < i % 4; k++, rows++) {
            memcpy(repeated_X + rows * INPUTS, X + i * INPUTS, INPUTS * sizeof *X);
            memcpy(repeated_Y + rows * N, Y + i * N, N * sizeof *Y);
        }
    }
    for (int head = 0; head <= 5; head++) {
        hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
        options.head = (hcr_head)head;
        options.loss = head == HCR_HEAD_HCR ? HCR_LOSS_SQUARED : HCR_LOSS_HUBER;
        options.epochs = 50;
        options.batch = 3 * ROWS;
        hcr_model *repeated = NULL;
        hcr_fit_report of_repeated, of_weighted;
        assert_int_equal(hcr_fit(region, NULL, rows, INPUTS, repeated_X, NULL, NULL, repeated_Y, &options, &repeated,
                                 &of_repeated, NULL),
                         HCR_OK);
        options.sample_weights = weights;
        hcr_model *weighted = fit(ROWS, &options, &of_weighted);
        assert_int_equal(hcr_predict(weighted, ROWS, X, NULL, a, NULL, NULL), HCR_OK);
        assert_int_equal(hcr_predict(repeated, ROWS, X, NULL, b, NULL, NULL), HCR_OK);
        for (size_t k = 0; k < ROWS * N; k++)
            assert_true(fabs(a[k] - b[k]) < 1e-4);
        assert_true(fabs(of_weighted.training_loss - of_repeated.training_loss) < 1e-4);
        assert_true(fabs(of_weighted.training_mse - of_repeated.training_mse) < 1e-4);
        hcr_model_free(weighted);
        hcr_model_free(repeated);
    }
}

/* Quantiles of targets that don't depend on the inputs, uniform between 0.5 and 1.5: every row is in order and inside
 * at each level; shares of the targets are within 0.1 of the levels, more than two deviations of those of 45 rows. */
static void test_quantiles(void **state) {
    (void)state;
    static const double levels[3] = {0.2, 0.5, 0.8};
    static double targets[ROWS * N], y[ROWS * N * 3], point[ROWS * N], zeros[ROWS];
    static uint8_t inside[ROWS];
    for (size_t k = 0; k < ROWS * N; k++)
        targets[k] = 0.5 + (double)(k / N * 37 % ROWS) / ROWS;
    for (int calibrate = 0; calibrate <= 1; calibrate++) {
        hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
        options.head = HCR_HEAD_PROJECT;
        options.quantiles = levels;
        options.quantile_count = 3;
        options.epochs = 100;
        options.rate = 0.01;
        options.validation = 0.5;
        options.calibrate = calibrate;
        hcr_model *model = NULL;
        hcr_error error = {0};
        if (hcr_fit(region, NULL, ROWS, 1, zeros, NULL, NULL, targets, &options, &model, NULL, &error) != HCR_OK)
            fail_msg("%s", error.text);
        size_t count;
        const double *found = hcr_model_quantiles(model, &count);
        assert_int_equal(count, 3);
        assert_memory_equal(found, levels, sizeof levels);
        assert_string_equal(hcr_model_output_names(model)[4], "y[1]@0.5");
        assert_int_equal(hcr_predict(model, ROWS, zeros, NULL, y, NULL, NULL), HCR_OK);
        for (size_t l = 0; l < 3; l++) {
            double share = 0;
            for (size_t k = 0; k < ROWS * N; k++) {
                point[k] = y[3 * k + l];
                share += (targets[k] <= point[k]) / (double)(ROWS * N);
                assert_true(l == 0 || y[3 * k + l - 1] <= y[3 * k + l]);
            }
            assert_true(fabs(share - levels[l]) < 0.1);
            assert_int_equal(hcr_check(region, ROWS, NULL, point, inside, NULL, NULL), HCR_OK);
            for (size_t i = 0; i < ROWS; i++)
                assert_true(inside[i]);
        }
        hcr_model_free(model);
    }
    hcr_model *plain = fit(ROWS, &(hcr_fit_options)HCR_FIT_OPTIONS_INIT, NULL);
    size_t count = 7;
    assert_null(hcr_model_quantiles(plain, &count));
    assert_int_equal(count, 0);
    hcr_model_free(plain);
}

/* A model of one epoch, whose quantiles are anywhere, calibrated on nearly all rows: the shares of all targets are the
 * levels, to the rank of the row that is one more (1/90) and the few rows that aren't held. */
static void test_calibration(void **state) {
    (void)state;
    static const double levels[2] = {0.25, 0.75};
    static double y[ROWS * N * 2];
    for (int head = HCR_HEAD_CONTRACT; head <= HCR_HEAD_PROJECT; head += HCR_HEAD_PROJECT - HCR_HEAD_CONTRACT) {
        hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
        options.head = (hcr_head)head;
        options.quantiles = levels;
        options.quantile_count = 2;
        options.epochs = 1;
        options.validation = 0.95;
        options.calibrate = true;
        hcr_model *model = fit(ROWS, &options, NULL);
        assert_int_equal(hcr_predict(model, ROWS, X, NULL, y, NULL, NULL), HCR_OK);
        double share[2] = {0};
        for (size_t k = 0; k < ROWS * N * 2; k++)
            share[k % 2] += (Y[k / 2] <= y[k]) / (double)(ROWS * N);
        assert_true(fabs(share[0] - 0.25) < 0.04 && fabs(share[1] - 0.75) < 0.04);
        hcr_model_free(model);
    }
}

static void test_bad_weights(void **state) {
    (void)state;
    static const double wrong[] = {-1, NAN, INFINITY};
    static double weights[ROWS];
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    hcr_model *model = NULL;
    hcr_error error;
    options.sample_weights = weights;
    for (size_t i = 0; i < 3; i++) {
        weights[7] = wrong[i];
        assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &options, &model, NULL, &error),
                         HCR_ERROR_DATA);
        assert_non_null(strstr(error.text, "row 7 (counted from 0)"));
    }
    weights[7] = 0;
    assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &options, &model, NULL, &error),
                     HCR_ERROR_DATA);
    assert_non_null(strstr(error.text, "all rows to train on are 0"));
    options.validation = 0.1;
    weights[7] = 1; /* one of 90 rows has a weight: training or validation has none */
    assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &options, &model, NULL, &error),
                     HCR_ERROR_DATA);
    assert_null(model);
}

static void test_divergence_is_told(void **state) {
    (void)state;
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.head = HCR_HEAD_SIMPLE;
    options.rate = 1e30;
    options.epochs = 20;
    hcr_model *model = NULL;
    hcr_error error;
    assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &options, &model, NULL, &error),
                     HCR_ERROR_DATA);
    assert_non_null(strstr(error.text, "rate"));
    assert_null(model);
}

/* Targets outside the region are projected and counted. */
static void test_projects_targets(void **state) {
    (void)state;
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.epochs = 1;
    const double kept = Y[0];
    Y[0] = 5;
    hcr_fit_report report;
    hcr_model *model = fit(ROWS, &options, &report);
    assert_int_equal(report.rows_projected, 1);
    assert_true(Y[0] == 5);
    Y[0] = kept;
    hcr_model_free(model);
}

/* Dual ascent leads predictions inside that the plain loss leaves outside. */
static void test_ascent(void **state) {
    (void)state;
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.head = HCR_HEAD_SIMPLE;
    options.hidden = 4;
    options.epochs = 200;
    options.rate = 1e-2;
    double ratio[2];
    for (int with = 0; with <= 1; with++) {
        hcr_fit_report report;
        hcr_model *model;
        options.ascent = with ? 100 : 0;
        assert_int_equal(fit_simple(&options, &model, &report), HCR_OK);
        ratio[with] = report.inside_ratio;
        hcr_model_free(model);
    }
    assert_true(ratio[0] < 0.7 && ratio[1] > ratio[0] + 0.2);
}

/* One deviation for all outputs: simple's loss is then the mean squared error in units of its square, the root of the
 * mean of the columns' variances. */
static void test_common_scale(void **state) {
    (void)state;
    double variance = 0;
    for (size_t j = 0; j < N; j++) {
        double mean = 0;
        for (size_t i = 0; i < ROWS; i++)
            mean += Y[i * N + j] / ROWS;
        for (size_t i = 0; i < ROWS; i++)
            variance += (Y[i * N + j] - mean) * (Y[i * N + j] - mean) / (ROWS * N);
    }
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.head = HCR_HEAD_SIMPLE;
    options.epochs = 3;
    options.common_scale = 1;
    hcr_fit_report report;
    hcr_model_free(fit(ROWS, &options, &report));
    /* outputs are single precision, and their sums in two orders */
    assert_true(fabs(report.training_loss - report.training_mse / variance) < 1e-6 * report.training_loss);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learns),
        cmocka_unit_test(test_seed_decides),
        cmocka_unit_test(test_small_and_constant),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_losses_learn_what_they_are_for),
        cmocka_unit_test(test_weights_are_repeated_rows),
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_calibration),
        cmocka_unit_test(test_bad_weights),
        cmocka_unit_test(test_divergence_is_told),
        cmocka_unit_test(test_projects_targets),
        cmocka_unit_test(test_ascent),
        cmocka_unit_test(test_common_scale),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
