/* Blends: their shares, predictions and files. */
#include "train/blend.h"

#define N 6
#define INPUTS 8
#define ROWS 90

#include "fixture.h"

static double y[ROWS * N], part[ROWS * N];

static hcr_fit_options options_of(size_t members, size_t season) {
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.head = HCR_HEAD_CONTRACT;
    options.epochs = 20;
    options.rate = 0.01;
    options.members = members;
    options.season = season;
    return options;
}

static hcr_model *fit(const hcr_fit_options *options, hcr_fit_report *report) {
    hcr_model *model = NULL;
    hcr_error error = {0};
    if (hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, options, &model, report, &error) != HCR_OK)
        fail_msg("%s", error.text);
    return model;
}

static void check_inside(const double *points) {
    uint8_t inside[ROWS];
    assert_int_equal(hcr_check(region, ROWS, NULL, points, inside, NULL, NULL), HCR_OK);
    for (size_t i = 0; i < ROWS; i++)
        assert_true(inside[i]);
}

/* Predictions are the members', by their shares, exactly inside in both precisions; the first member is what a model
 * alone would be, and the others differ from it. Combined in the same order, rounding is all that differs: 1e-12. */
static void test_predictions(void **state) {
    (void)state;
    static float singles[ROWS * N];
    static double sum[ROWS * N], alone[ROWS * N];
    static const hcr_head heads[2] = {HCR_HEAD_PROJECT, HCR_HEAD_DIRECT};
    hcr_fit_options options = options_of(3, 4), first = options_of(1, 0);
    options.blend = heads;
    options.blend_count = 2;
    first.head = HCR_HEAD_PROJECT;
    hcr_model *blend = fit(&options, NULL), *model = fit(&first, NULL);
    assert_int_equal(blend->blend.members, 3);
    assert_int_equal(blend->blend.member[1]->head, HCR_HEAD_DIRECT);
    assert_int_equal(blend->blend.member[2]->head, HCR_HEAD_PROJECT);
    assert_int_equal(hcr_predict(model, ROWS, X, NULL, alone, NULL, NULL), HCR_OK);
    memset(sum, 0, sizeof sum);
    for (size_t k = 0; k < 3; k++) {
        assert_true(blend->blend.share[k] == 0.25); /* without validation */
        const hcri_request wanted = {.X = X, .Y = part};
        assert_int_equal(hcri_predict_alone(blend->blend.member[k], ROWS, &wanted, NULL), HCR_OK);
        assert_int_equal(memcmp(part, alone, sizeof part) == 0, k == 0);
        for (size_t i = 0; i < ROWS * N; i++)
            sum[i] += part[i] / 4;
    }
    /* the seasonal member: inputs 4 and 8 steps back, at the nearest point */
    hcr_projector *projector = NULL;
    assert_int_equal(hcr_projector_create(region, NULL, &projector, NULL), HCR_OK);
    for (size_t i = 0; i < ROWS * N; i++) {
        const double *inputs = X + i / N * INPUTS;
        part[i] = (inputs[i % N % 4] + inputs[4 + i % N % 4]) / 2;
    }
    assert_int_equal(hcr_project(projector, ROWS, NULL, part, part, NULL, NULL, NULL), HCR_OK);
    hcr_projector_free(projector);
    assert_int_equal(hcr_predict(blend, ROWS, X, NULL, y, NULL, NULL), HCR_OK);
    for (size_t i = 0; i < ROWS * N; i++)
        assert_true(fabs(y[i] - (sum[i] + part[i] / 4)) < 1e-12);
    check_inside(y);
    assert_int_equal(hcr_predict_f32(blend, ROWS, X, NULL, singles, NULL, NULL), HCR_OK);
    for (size_t i = 0; i < ROWS * N; i++)
        part[i] = (double)singles[i];
    check_inside(part);
    assert_int_equal(hcr_predict_points(blend, ROWS, X, NULL, y, NULL), HCR_ERROR_UNSUPPORTED);
    hcr_model_free(blend);
    hcr_model_free(model);
}

/* Of two parts, no share of a fine grid has a lower loss on the rows given than the one that was found; of a head and
 * two members of another, the first alone hasn't. */
static void test_shares(void **state) {
    (void)state;
    for (int loss = HCR_LOSS_SQUARED; loss <= HCR_LOSS_PINBALL; loss++) {
        hcr_fit_options options = options_of(1, 4);
        options.loss = (hcr_loss)loss;
        options.epochs = 2; /* so that the season has a share */
        options.validation = 0.3;
        hcr_fit_report found, other;
        hcr_model *blend = fit(&options, &found);
        double *share = blend->blend.share;
        assert_true(fabs(share[0] + share[1] - 1) < 1e-12);
        hcri_held held = {ROWS, X, NULL, Y, NULL};
        double weights[ROWS];
        for (size_t i = 0; i < ROWS; i++)
            weights[i] = 1;
        held.weights = weights; /* on all rows, where the loss can be had here */
        assert_int_equal(hcri_blend_fit(blend, &held, NULL), HCR_OK);
        const hcri_head head = hcri_model_head(blend, NULL);
        const double kept = share[0];
        double best = 0, least = INFINITY, at_kept = 0;
        for (int k = -1; k <= 1000; k++) {
            share[0] = k < 0 ? kept : k / 1000.0;
            share[1] = 1 - share[0];
            assert_int_equal(hcr_predict(blend, ROWS, X, NULL, y, NULL, NULL), HCR_OK);
            double sum = 0, misses[N];
            for (size_t i = 0; i < ROWS; i++) {
                for (size_t j = 0; j < N; j++)
                    misses[j] = (y[i * N + j] - Y[i * N + j]) / head.deviation[j];
                sum += hcri_mean_loss(&head, 1, misses);
            }
            if (k < 0)
                at_kept = sum;
            best = sum < least ? share[0] : best;
            least = fmin(least, sum);
        }
        assert_true(at_kept <= least * (1 + 1e-9));
        assert_true(fabs(best - kept) < 0.02);
        hcr_model_free(blend);

        static const hcr_head heads[3] = {HCR_HEAD_CONTRACT, HCR_HEAD_PROJECT, HCR_HEAD_PROJECT};
        options = options_of(3, 0);
        options.blend = heads;
        options.blend_count = 3;
        options.loss = (hcr_loss)loss;
        options.validation = 0.3;
        blend = fit(&options, &found);
        share = blend->blend.share;
        assert_true(share[0] >= 0 && share[1] >= 0 && share[1] == share[2]); /* of one head */
        options = options_of(1, 0);
        options.loss = (hcr_loss)loss;
        options.validation = 0.3;
        hcr_model_free(fit(&options, &other));
        assert_true(found.validation_loss <= other.validation_loss * (1 + 1e-9));
        assert_int_equal(found.rows, ROWS); /* trained again on all */
        assert_int_equal(found.rows_validation, other.rows_validation);
        hcr_model_free(blend);
    }
}

/* File → model → file: the same bytes and predictions. */
static void test_file(void **state) {
    (void)state;
    static double again[ROWS * N];
    static const char path[] = "blend.model", copy[] = "blend_copy.model";
    hcr_fit_options options = options_of(2, 4);
    options.validation = 0.3;
    hcr_model *blend = fit(&options, NULL), *loaded = NULL;
    assert_int_equal(hcr_model_save(blend, path, NULL), HCR_OK);
    assert_int_equal(hcr_model_load(path, &loaded, NULL), HCR_OK);
    assert_int_equal(hcr_model_save(loaded, copy, NULL), HCR_OK);
    size_t size, copied;
    char *bytes = read_file(path, &size), *twice = read_file(copy, &copied);
    assert_int_equal(size, copied);
    assert_memory_equal(bytes, twice, size);
    free(bytes);
    free(twice);
    assert_int_equal(hcr_predict(blend, ROWS, X, NULL, y, NULL, NULL), HCR_OK);
    assert_int_equal(hcr_predict(loaded, ROWS, X, NULL, again, NULL, NULL), HCR_OK);
    assert_memory_equal(y, again, sizeof y);
    assert_string_equal(hcr_model_summary(loaded), hcr_model_summary(blend));
    hcr_model_free(loaded);
    /* shares that don't sum to 1 are refused */
    loaded = NULL;
    blend->blend.share[0] += 0.5;
    assert_int_equal(hcr_model_save(blend, path, NULL), HCR_OK);
    assert_int_equal(hcr_model_load(path, &loaded, NULL), HCR_ERROR_FORMAT);
    assert_null(loaded);
    hcr_model_free(blend);
    remove(path);
    remove(copy);
}

/* A NaN gives the origin, parameters out of range NaN, as with one model; the other rows have their own parameters'
 * regions. */
static void test_bad_rows_and_parameters(void **state) {
    (void)state;
    static double x[ROWS * PARAMETERS];
    uint32_t outcomes[ROWS];
    uint8_t inside[ROWS];
    hcr_region *moving = make_moving_region(N);
    make_parameters(ROWS, x);
    hcr_fit_options options = options_of(2, 4);
    options.epochs = 3;
    hcr_model *blend = NULL;
    assert_int_equal(hcr_fit(moving, NULL, ROWS, INPUTS, X, NULL, x, Y, &options, &blend, NULL, NULL), HCR_OK);
    const double kept = X[2 * INPUTS], cap = x[5 * PARAMETERS];
    X[2 * INPUTS] = NAN;
    x[5 * PARAMETERS] = 100;
    assert_int_equal(hcr_predict(blend, ROWS, X, x, y, outcomes, NULL), HCR_OK);
    assert_int_equal(hcr_check(moving, ROWS, x, y, inside, NULL, NULL), HCR_OK);
    for (size_t i = 0; i < ROWS; i++) {
        assert_int_equal(inside[i], i != 5);
        assert_int_equal(outcomes[i] == HCR_OUTCOME_BAD_VALUE, i == 2);
        assert_int_equal(outcomes[i] == HCR_OUTCOME_OUT_OF_RANGE, i == 5);
        assert_int_equal(isnan(y[i * N]) != 0, i == 5);
    }
    assert_true(fabs(y[2 * N] - x[2 * PARAMETERS] / 2) < 1e-12); /* the origin is cap/2 */
    X[2 * INPUTS] = kept;
    x[5 * PARAMETERS] = cap;
    hcr_model_free(blend);
    hcr_region_free(moving);
}

static void refused(const hcr_fit_options *options, hcr_status status, const char *says) {
    hcr_model *model = NULL;
    hcr_error error = {0};
    assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, options, &model, NULL, &error), status);
    assert_non_null(strstr(error.text, says));
    assert_null(model);
}

static void test_refused(void **state) {
    (void)state;
    static const hcr_head simple[2] = {HCR_HEAD_CONTRACT, HCR_HEAD_SIMPLE},
                          paper[2] = {HCR_HEAD_CONTRACT, HCR_HEAD_HCR};
    hcr_fit_options options = options_of(0, 0);
    refused(&options, HCR_ERROR_ARGUMENT, "members is 0");
    options.members = HCRI_MOST_MEMBERS + 1;
    refused(&options, HCR_ERROR_ARGUMENT, "at most");
    options = options_of(1, INPUTS + 1);
    options.epochs = 1;
    refused(&options, HCR_ERROR_SHAPE, "longer than the 8 inputs");
    options = options_of(1, 0);
    options.blend = simple;
    options.blend_count = 2;
    refused(&options, HCR_ERROR_ARGUMENT, "can't be blended");
    options.blend = paper;
    options.loss = HCR_LOSS_ABSOLUTE;
    refused(&options, HCR_ERROR_ARGUMENT, "head hcr is trained on encoded targets");
}

static bool stop_in_second(void *context, const hcr_progress *progress) {
    *(size_t *)context = progress->epochs;
    return progress->epoch >= 6;
}

/* Stopped in the second member: what is there is blended; a resumed run gives what an unbroken one would. */
static void test_interrupted(void **state) {
    (void)state;
    static double whole[ROWS * N];
    hcr_fit_options options = options_of(2, 0);
    size_t epochs = 0;
    options.epochs = 4;
    hcr_model *unbroken = fit(&options, NULL), *stopped = NULL;
    assert_int_equal(hcr_predict(unbroken, ROWS, X, NULL, whole, NULL, NULL), HCR_OK);
    options.checkpoint = "blend.checkpoint";
    options.progress = stop_in_second;
    options.progress_context = &epochs;
    assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &options, &stopped, NULL, NULL),
                     HCR_ERROR_INTERRUPTED);
    assert_int_equal(epochs, 8);
    assert_int_equal(stopped->blend.members, 2);
    options.progress = NULL;
    options.resume = true;
    hcr_model *resumed = fit(&options, NULL);
    assert_int_equal(hcr_predict(resumed, ROWS, X, NULL, y, NULL, NULL), HCR_OK);
    assert_memory_equal(y, whole, sizeof y);
    hcr_model_free(unbroken);
    hcr_model_free(stopped);
    hcr_model_free(resumed);
    assert_int_equal(remove("blend.checkpoint"), 0);
    assert_int_equal(remove("blend.checkpoint.1"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predictions), cmocka_unit_test(test_shares),
        cmocka_unit_test(test_file),        cmocka_unit_test(test_bad_rows_and_parameters),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_interrupted),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
