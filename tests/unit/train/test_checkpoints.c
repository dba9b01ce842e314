/* Training as it goes on: checkpoints, runs that are resumed, rows that are held, early stopping, progress. */
#define N 6
#define INPUTS 8
#define ROWS 90

#include "fits.h"

/* What the callback saw, and where it stops. */
typedef struct watch {
    size_t calls, stop_at;
    hcr_progress last;
    double losses[64], validation[64];
} watch;
static bool see(void *context, const hcr_progress *progress) {
    watch *seen = context;
    if (progress->step == progress->steps) {
        seen->losses[progress->epoch - 1] = progress->training_loss;
        seen->validation[progress->epoch - 1] = progress->validation_loss;
        seen->calls++;
    }
    seen->last = *progress;
    return seen->calls == seen->stop_at;
}

static const char *const checkpoint = "learn_test_checkpoints.checkpoint";

/* A run that was interrupted and resumed is bit for bit the unbroken one, early stopping included; so is one that goes
 * on for more epochs. */
static void test_resume(void **state) {
    (void)state;
    for (int encoder = 0; encoder <= 1; encoder++) {
        hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
        options.encoder = (hcr_encoder)encoder;
        options.head = HCR_HEAD_CONTRACT;
        options.hidden = 9;
        options.epochs = 12;
        options.batch = 16;
        options.rate_decay = 0.97;
        options.weight_decay = 0.01;
        options.clip = 0.5;
        options.validation = 0.2;
        options.patience = 6;
        options.seed = 8;
        hcr_fit_report whole_report, report;
        hcr_model *whole = fit(ROWS, &options, &whole_report), *part = NULL;
        watch seen = {.stop_at = 5};
        options.checkpoint = checkpoint;
        options.progress = see;
        options.progress_context = &seen;
        hcr_error error;
        assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &options, &part, &report, &error),
                         HCR_ERROR_INTERRUPTED);
        assert_non_null(part);
        assert_int_equal(report.epochs, 5);
        hcr_model_free(part);
        options.resume = 1;
        options.progress = NULL;
        options.epochs = 7;
        hcr_model *some = fit(ROWS, &options, NULL);
        assert_false(same_predictions(whole, some));
        options.epochs = 12;
        hcr_model *resumed = fit(ROWS, &options, &report);
        assert_true(same_predictions(whole, resumed));
        assert_int_equal(report.epochs, whole_report.epochs);
        assert_int_equal(report.best_epoch, whole_report.best_epoch);
        assert_true(report.validation_loss == whole_report.validation_loss);
        hcr_model_free(whole);
        hcr_model_free(some);
        hcr_model_free(resumed);
        remove(checkpoint);
    }
}

/* The Lagrangian's multipliers are in the checkpoint: an interrupted run goes on to the same model. */
static void test_resume_lagrangian(void **state) {
    (void)state;
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.head = HCR_HEAD_SIMPLE;
    options.hidden = 9;
    options.epochs = 40;
    options.ascent = 20;
    options.rate = 1e-2;
    hcr_model *whole, *plain, *part, *resumed;
    assert_int_equal(fit_simple(&options, &whole, NULL), HCR_OK);
    watch seen = {.stop_at = 25};
    options.checkpoint = checkpoint;
    options.progress = see;
    options.progress_context = &seen;
    assert_int_equal(fit_simple(&options, &part, NULL), HCR_ERROR_INTERRUPTED);
    options.resume = 1;
    options.progress = NULL;
    assert_int_equal(fit_simple(&options, &resumed, NULL), HCR_OK);
    assert_true(same_predictions(whole, resumed));
    options.checkpoint = NULL;
    options.ascent = 0;
    assert_int_equal(fit_simple(&options, &plain, NULL), HCR_OK);
    assert_false(same_predictions(whole, plain)); /* the multipliers did something */
    hcr_model_free(whole);
    hcr_model_free(plain);
    hcr_model_free(part);
    hcr_model_free(resumed);
    remove(checkpoint);
}

/* A checkpoint of another run is refused and says what differs; so is a damaged one. */
static void test_foreign_checkpoints(void **state) {
    (void)state;
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.epochs = 2;
    options.checkpoint = checkpoint;
    options.resume = 1;
    options.hidden = 4;
    hcr_model_free(fit(ROWS, &options, NULL));
    hcr_model *model = NULL;
    hcr_error error;
    hcr_fit_options other = options;
    other.rate = 0.5;
    assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &other, &model, NULL, &error),
                     HCR_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "other options"));
    assert_int_equal(hcr_fit(region, NULL, ROWS - 1, INPUTS, X, NULL, NULL, Y, &options, &model, NULL, &error),
                     HCR_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "other data"));
    other = options;
    other.epochs = 1;
    assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &other, &model, NULL, &error),
                     HCR_ERROR_ARGUMENT);
    size_t size;
    char *bytes = read_file(checkpoint, &size);
    write_file(checkpoint, bytes, size / 2);
    assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &options, &model, NULL, &error),
                     HCR_ERROR_FORMAT);
    assert_null(model);
    assert_int_equal(hcr_model_load(checkpoint, &model, &error), HCR_ERROR_FORMAT);
    write_file(checkpoint, bytes, size);
    assert_int_equal(hcr_model_load(checkpoint, &model, &error), HCR_ERROR_FORMAT); /* whole, but no model */
    free(bytes);
    remove(checkpoint);
}

/* A path that can't be written is reported before the first epoch. */
static void test_unwritable_checkpoint(void **state) {
    (void)state;
    watch seen = {0};
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.epochs = 2;
    options.checkpoint = "/nonexistent/folder/c";
    options.progress = see;
    options.progress_context = &seen;
    hcr_model *model = NULL;
    assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &options, &model, NULL, NULL),
                     HCR_ERROR_FILE);
    assert_null(model);
    assert_int_equal(seen.calls, 0);
}

/* With patience the model is that of the best epoch, and training ends `patience` epochs after it. */
/* The last rows are held: what they are is of no matter to a model without patience, and the first row's is. */
static void test_last_rows_are_held(void **state) {
    (void)state;
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.epochs = 2;
    options.validation = 0.2; /* 18 of 90 */
    options.validation_last = true;
    hcr_fit_report report, changed;
    hcr_model *model = fit(ROWS, &options, &report);
    assert_int_equal(report.rows_validation, 18);
    for (size_t k = 0; k <= 1; k++) {
        double *target = &Y[(k == 0 ? 72 : 71) * N];
        const double kept = *target;
        *target = kept > 1 ? kept - 0.05 : kept + 0.05;
        hcr_model *other = fit(ROWS, &options, &changed);
        *target = kept;
        assert_int_equal(same_predictions(model, other), k == 0);
        assert_int_equal(report.validation_loss == changed.validation_loss, 0);
        hcr_model_free(other);
    }
    hcr_model_free(model);
}

static void test_early_stopping(void **state) {
    (void)state;
    watch seen = {0};
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.head = HCR_HEAD_SIMPLE;
    options.hidden = 64;
    options.epochs = 60;
    options.rate = 3e-2; /* overfits 45 rows soon */
    options.validation = 0.5;
    options.patience = 4;
    options.progress = see;
    options.progress_context = &seen;
    hcr_fit_report report;
    hcr_model *model = fit(ROWS, &options, &report);
    assert_int_equal(report.rows_validation, ROWS / 2);
    assert_int_equal(report.rows, ROWS / 2);
    assert_true(report.epochs < 60 && report.epochs == report.best_epoch + 4);
    for (size_t e = 0; e < report.epochs; e++)
        assert_true(seen.validation[e] >= seen.validation[report.best_epoch - 1]);
    /* the same sums in the same order */
    assert_true(report.validation_loss == seen.validation[report.best_epoch - 1]);
    hcr_model_free(model);
}

/* Progress: epochs in order, finite losses that fall, NaN where nothing is held for validation. */
static void test_progress(void **state) {
    (void)state;
    watch seen = {0};
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.epochs = 20;
    options.rate = 1e-2;
    options.progress = see;
    options.progress_context = &seen;
    hcr_model *model = fit(ROWS, &options, NULL);
    assert_int_equal(seen.calls, 20);
    assert_int_equal(seen.last.epoch, 20);
    assert_int_equal(seen.last.epochs, 20);
    assert_true(isnan(seen.validation[0]) && seen.losses[19] < 0.5 * seen.losses[0]);
    hcr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_resume_lagrangian),
        cmocka_unit_test(test_foreign_checkpoints),
        cmocka_unit_test(test_unwritable_checkpoint),
        cmocka_unit_test(test_last_rows_are_held),
        cmocka_unit_test(test_early_stopping),
        cmocka_unit_test(test_progress),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
