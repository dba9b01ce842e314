/* C57: a region whose limits come with each sample. Fit and predict with parameters: among the inputs, at their end, or
 * apart; every prediction inside its own region at tolerance 0. */
#include "cases.h"

#include "train/model.h"

#define N 12
#define OWN 4 /* inputs that aren't parameters */
#define INPUTS (OWN + PARAMETERS)
#define ROWS 60

static double X[ROWS * OWN], x[ROWS * PARAMETERS], Y[ROWS * N], beside[ROWS * INPUTS], behind[ROWS * INPUTS];
/* Of `beside`, where the parameters stand in the middle and in another order. */
static const char *const names[INPUTS] = {"a", "step", "b", "c", "cap", "d"};
static hcr_region *region;

/* Targets follow inputs and caps; some are outside. */
static int setup(void **state) {
    (void)state;
    region = make_moving_region(N);
    make_data(ROWS, OWN, N, X, Y);
    make_parameters(ROWS, x);
    for (size_t k = 0; k < ROWS * N; k++)
        Y[k] *= x[k / N * PARAMETERS] / 1.6;
    for (size_t i = 0; i < ROWS; i++) {
        const double *own = X + i * OWN, *cap = x + i * PARAMETERS;
        const double mixed[INPUTS] = {own[0], cap[1], own[1], own[2], cap[0], own[3]};
        memcpy(beside + i * INPUTS, mixed, sizeof mixed);
        memcpy(behind + i * INPUTS, own, OWN * sizeof *own);
        memcpy(behind + i * INPUTS + OWN, cap, PARAMETERS * sizeof *cap);
    }
    return 0;
}

static int teardown(void **state) {
    (void)state;
    hcr_region_free(region);
    return 0;
}

static hcr_fit_options options_of(int encoder, int head) {
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.encoder = (hcr_encoder)encoder;
    options.head = (hcr_head)head;
    options.hidden = 9;
    options.features = 2;
    options.epochs = 5;
    options.rate = 0.02;
    return options;
}

/* With the parameters apart. */
static hcr_model *make_model(int encoder, int head, hcr_fit_report *report) {
    const hcr_fit_options options = options_of(encoder, head);
    hcr_model *model = NULL;
    hcr_error error = {0};
    if (hcr_fit(region, NULL, ROWS, OWN, X, NULL, x, Y, &options, &model, report, &error) != HCR_OK)
        fail_msg("%s", error.text);
    return model;
}

static void test_inside(void **state) {
    (void)state;
    static double wild[ROWS * OWN], wild_x[ROWS * PARAMETERS], y[ROWS * N];
    static float y_f32[ROWS * N], x_f32[ROWS * PARAMETERS];
    uint8_t inside[ROWS];
    uint32_t outcomes[ROWS];
    for (size_t k = 0; k < ROWS * OWN; k++)
        wild[k] = 1000 * X[k];
    for (size_t i = 0; i < ROWS; i++) /* the ends of the range too */
        for (size_t k = 0; k < PARAMETERS; k++) {
            wild_x[i * PARAMETERS + k] = i % 3 == 0   ? hcr_region_parameter_lower(region)[k]
                                         : i % 3 == 1 ? hcr_region_parameter_upper(region)[k]
                                                      : x[i * PARAMETERS + k];
            x_f32[i * PARAMETERS + k] = (float)wild_x[i * PARAMETERS + k];
        }
    for (int encoder = 0; encoder <= 1; encoder++)
        for (int head = 0; head <= 5; head++) {
            hcr_fit_report report;
            hcr_model *model = make_model(encoder, head, &report);
            assert_true(report.rows_projected > 0 && report.rows_projected < ROWS);
            assert_true(head == HCR_HEAD_SIMPLE || report.inside_ratio == 1);
            assert_int_equal(hcr_predict(model, ROWS, wild, wild_x, y, outcomes, NULL), HCR_OK);
            assert_int_equal(hcr_check(region, ROWS, wild_x, y, inside, NULL, NULL), HCR_OK);
            for (size_t i = 0; i < ROWS; i++)
                assert_true(head == HCR_HEAD_SIMPLE ? (outcomes[i] == HCR_OUTCOME_INSIDE) == inside[i] : inside[i]);
            assert_int_equal(hcr_predict_f32(model, ROWS, wild, wild_x, y_f32, outcomes, NULL), HCR_OK);
            assert_int_equal(hcr_check_f32(region, ROWS, x_f32, y_f32, inside, NULL, NULL), HCR_OK);
            for (size_t i = 0; i < ROWS; i++)
                assert_true(head == HCR_HEAD_SIMPLE ? (outcomes[i] == HCR_OUTCOME_INSIDE) == inside[i] : inside[i]);
            hcr_model_free(model);
        }
}

/* Each prediction is that of the sample's region on its own: hcr_region_at. Of contract v = s∘o + μ − O(x), so that
 * points and map are those of a region without parameters; to rounding, as margins differ. */
static void test_one_region_a_sample(void **state) {
    (void)state;
    static double points[ROWS * (N + 1)], y[ROWS * N], mapped[N];
    for (int head = 0; head <= 5; head++) {
        hcr_model *model = make_model(0, head, NULL);
        const size_t width = head == HCR_HEAD_HCR || head == HCR_HEAD_DIRECT ? N + 1 : N;
        assert_int_equal(hcr_predict_points(model, ROWS, X, x, points, NULL), HCR_OK);
        assert_int_equal(hcr_predict(model, ROWS, X, x, y, NULL, NULL), HCR_OK);
        for (size_t i = 0; i < ROWS; i++) {
            hcr_region *fixed;
            hcr_workspace *workspace;
            assert_int_equal(hcr_region_at(region, x + i * PARAMETERS, NULL, &fixed, NULL), HCR_OK);
            assert_int_equal(hcr_workspace_create(fixed, 1, &workspace, NULL), HCR_OK);
            const double *point = points + i * width;
            if (head == HCR_HEAD_SIMPLE)
                memcpy(mapped, point, sizeof mapped);
            else if (head == HCR_HEAD_CONTRACT)
                assert_int_equal(hcr_contract(fixed, workspace, 1, NULL, point, mapped, NULL, NULL), HCR_OK);
            else if (head == HCR_HEAD_PROJECT) {
                hcr_projector *projector;
                assert_int_equal(hcr_projector_create(fixed, NULL, &projector, NULL), HCR_OK);
                assert_int_equal(hcr_project(projector, 1, NULL, point, mapped, NULL, NULL, NULL), HCR_OK);
                hcr_projector_free(projector);
            } else if (head == HCR_HEAD_SOFTEN)
                assert_int_equal(hcr_soften(fixed, workspace, 1, NULL, point, mapped, NULL, NULL), HCR_OK);
            else
                assert_int_equal(hcr_decode(fixed, workspace, 1, NULL, point, mapped, NULL, NULL), HCR_OK);
            for (size_t j = 0; j < N; j++)
                assert_true(fabs(mapped[j] - y[i * N + j]) < 1e-11);
            hcr_workspace_free(workspace);
            hcr_region_free(fixed);
        }
        hcr_model_free(model);
    }
}

/* Among the inputs, by name or at their end: the network then sees them, and a prediction finds them by itself. */
static void test_among_the_inputs(void **state) {
    (void)state;
    const hcr_fit_options options = options_of(0, HCR_HEAD_CONTRACT);
    double y[ROWS * N], again[ROWS * N];
    for (int named = 0; named <= 1; named++) {
        const double *in = named ? beside : behind;
        const size_t cap = named ? 4 : OWN, step = named ? 1 : OWN + 1;
        hcr_model *model = NULL;
        assert_int_equal(
            hcr_fit(region, NULL, ROWS, INPUTS, in, named ? names : NULL, NULL, Y, &options, &model, NULL, NULL),
            HCR_OK);
        assert_int_equal(hcr_model_parameter_columns(model)[0], cap);
        assert_int_equal(hcr_model_parameter_columns(model)[1], step);
        assert_int_equal(hcr_predict(model, ROWS, in, NULL, y, NULL, NULL), HCR_OK);
        assert_int_equal(hcr_predict(model, ROWS, in, x, again, NULL, NULL), HCR_OK);
        assert_memory_equal(y, again, sizeof y);
        uint8_t inside[ROWS];
        assert_int_equal(hcr_check(region, ROWS, x, y, inside, NULL, NULL), HCR_OK);
        for (size_t i = 0; i < ROWS; i++)
            assert_true(inside[i]);
        hcr_model_free(model);
    }
}

static void test_missing(void **state) {
    (void)state;
    static const char *const other[INPUTS] = {"a", "step", "b", "c", "caps", "d"};
    hcr_fit_options options = options_of(0, HCR_HEAD_CONTRACT);
    hcr_model *model = NULL;
    hcr_error error = {0};
    assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, beside, other, NULL, Y, &options, &model, NULL, &error),
                     HCR_ERROR_NAME);
    assert_non_null(strstr(error.text, "\"cap\""));
    assert_int_equal(hcr_fit(region, NULL, ROWS, 1, X, NULL, NULL, Y, &options, &model, NULL, &error), HCR_ERROR_SHAPE);
    options.encoder = HCR_ENCODER_LSTM; /* whose columns are steps */
    assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, beside, names, NULL, Y, &options, &model, NULL, &error),
                     HCR_ERROR_ARGUMENT);
    assert_null(model);
    double y[N];
    model = make_model(0, HCR_HEAD_HCR, NULL);
    assert_null(hcr_model_parameter_columns(model));
    assert_int_equal(hcr_predict(model, 1, X, NULL, y, NULL, &error), HCR_ERROR_NAME);
    assert_non_null(strstr(error.text, "\"cap\""));
    hcr_model_free(model);
}

/* Out of range or a NaN: training refuses and says which row; of a prediction that row is NaN and says so, and its
 * neighbours are as they would be without it. */
static void test_misfits(void **state) {
    (void)state;
    const double wrong[] = {1.4, 3.1, NAN, INFINITY, -INFINITY};
    double given[ROWS * PARAMETERS], y[3 * N], good[3 * N];
    for (int head = 0; head <= 5; head++) {
        const hcr_fit_options options = options_of(head % 2, head);
        hcr_model *model = make_model(head % 2, head, NULL), *none = NULL;
        uint32_t outcomes[3];
        hcr_error error = {0};
        assert_int_equal(hcr_predict(model, 3, X, x, good, NULL, NULL), HCR_OK);
        for (size_t b = 0; b < 5; b++) {
            memcpy(given, x, sizeof given);
            given[PARAMETERS] = wrong[b];
            assert_int_equal(hcr_fit(region, NULL, ROWS, OWN, X, NULL, given, Y, &options, &none, NULL, &error),
                             HCR_ERROR_DATA);
            assert_non_null(strstr(error.text, "row 1 "));
            assert_non_null(strstr(error.text, "\"cap\""));
            float y_f32[3 * N];
            double points[3 * (N + 1)];
            for (int single = 0; single <= 1; single++) {
                assert_int_equal(single ? hcr_predict_f32(model, 3, X, given, y_f32, outcomes, NULL)
                                        : hcr_predict(model, 3, X, given, y, outcomes, NULL),
                                 HCR_OK);
                assert_int_equal(outcomes[1], HCR_OUTCOME_OUT_OF_RANGE);
                assert_true(outcomes[0] != HCR_OUTCOME_OUT_OF_RANGE && outcomes[2] != HCR_OUTCOME_OUT_OF_RANGE);
                for (size_t j = 0; j < N; j++)
                    assert_true(single ? isnan(y_f32[N + j]) : isnan(y[N + j]));
            }
            assert_memory_equal(y, good, N * sizeof *y);
            assert_memory_equal(y + 2 * N, good + 2 * N, N * sizeof *y);
            assert_int_equal(hcr_predict_points(model, 3, X, given, points, NULL), HCR_OK);
            const size_t width = head == HCR_HEAD_HCR || head == HCR_HEAD_DIRECT ? N + 1 : N;
            assert_true(isfinite(points[0]) && isnan(points[width]) && isfinite(points[2 * width]));
        }
        /* a bad input gives the sample's origin */
        double in[3 * OWN];
        memcpy(in, X, sizeof in);
        in[OWN] = NAN;
        assert_int_equal(hcr_predict(model, 3, in, x, y, outcomes, NULL), HCR_OK);
        assert_int_equal(outcomes[1], HCR_OUTCOME_BAD_VALUE);
        for (size_t j = 0; j < N; j++)
            assert_true(fabs(y[N + j] - 0.5 * x[PARAMETERS]) < 1e-14);
        hcr_model_free(model);
    }
}

static void test_rows_are_independent(void **state) {
    (void)state;
    static double together[ROWS * N], alone[N];
    for (int head = 0; head <= 5; head++) {
        hcr_model *model = make_model(head % 2, head, NULL);
        assert_int_equal(hcr_predict(model, ROWS, X, x, together, NULL, NULL), HCR_OK);
        for (size_t i = 0; i < ROWS; i++) {
            assert_int_equal(hcr_predict(model, 1, X + i * OWN, x + i * PARAMETERS, alone, NULL, NULL), HCR_OK);
            assert_memory_equal(alone, together + i * N, sizeof alone);
        }
        hcr_model_free(model);
    }
}

static bool stop(void *context, const hcr_progress *progress) {
    (void)context;
    return progress->epoch == 3;
}

/* An interrupted run goes on to the same bits; a checkpoint of other parameters is refused. */
static void test_resume(void **state) {
    (void)state;
    static const char *const checkpoint = "learn_test_parameters.checkpoint";
    for (int head = 0; head <= 5; head++) {
        hcr_fit_options options = options_of(head % 2, head);
        options.epochs = 6;
        options.ascent = head == HCR_HEAD_SIMPLE ? 5 : 0;
        hcr_model *whole = NULL, *part = NULL, *resumed = NULL;
        assert_int_equal(hcr_fit(region, NULL, ROWS, OWN, X, NULL, x, Y, &options, &whole, NULL, NULL), HCR_OK);
        options.checkpoint = checkpoint;
        options.progress = stop;
        assert_int_equal(hcr_fit(region, NULL, ROWS, OWN, X, NULL, x, Y, &options, &part, NULL, NULL),
                         HCR_ERROR_INTERRUPTED);
        options.resume = 1;
        options.progress = NULL;
        double other[ROWS * PARAMETERS], a[ROWS * N], b[ROWS * N];
        memcpy(other, x, sizeof other);
        other[0] = 2;
        hcr_error error = {0};
        assert_int_equal(hcr_fit(region, NULL, ROWS, OWN, X, NULL, other, Y, &options, &resumed, NULL, &error),
                         HCR_ERROR_ARGUMENT);
        assert_non_null(strstr(error.text, "other data"));
        assert_int_equal(hcr_fit(region, NULL, ROWS, OWN, X, NULL, x, Y, &options, &resumed, NULL, NULL), HCR_OK);
        assert_int_equal(hcr_predict(whole, ROWS, X, x, a, NULL, NULL), HCR_OK);
        assert_int_equal(hcr_predict(resumed, ROWS, X, x, b, NULL, NULL), HCR_OK);
        assert_memory_equal(a, b, sizeof a);
        hcr_model_free(whole);
        hcr_model_free(part);
        hcr_model_free(resumed);
        remove(checkpoint);
    }
}

static int has_text(const char *bytes, size_t size, const char *text) {
    const size_t length = strlen(text);
    for (size_t k = 0; k + length <= size; k++)
        if (memcmp(bytes + k, text, length) == 0)
            return 1;
    return 0;
}

/* The file has which inputs are parameters; a model without parameters says nothing of them. */
static void test_model_file(void **state) {
    (void)state;
    static const char *const path = "learn_test_parameters.model", *const copy = "learn_test_parameters.copy";
    for (int apart = 0; apart <= 1; apart++) {
        const hcr_fit_options options = options_of(0, HCR_HEAD_SOFTEN);
        hcr_model *model = NULL, *loaded = NULL;
        const double *in = apart ? X : beside, *given = apart ? x : NULL;
        assert_int_equal(hcr_fit(region, NULL, ROWS, apart ? OWN : INPUTS, in, apart ? NULL : names, given, Y, &options,
                                 &model, NULL, NULL),
                         HCR_OK);
        assert_int_equal(hcr_model_save(model, path, NULL), HCR_OK);
        hcr_error error = {0};
        if (hcr_model_load(path, &loaded, &error) != HCR_OK)
            fail_msg("%s", error.text);
        assert_int_equal(hcr_model_save(loaded, copy, NULL), HCR_OK);
        size_t size, copy_size;
        char *bytes = read_file(path, &size), *copied = read_file(copy, &copy_size);
        assert_int_equal(size, copy_size);
        assert_memory_equal(bytes, copied, size);
        assert_true(has_text(bytes, size, apart ? "\"parameters\":\"[]\"" : "\"parameters\":\"[4,1]\""));
        double a[ROWS * N], b[ROWS * N];
        assert_int_equal(hcr_predict(model, ROWS, in, given, a, NULL, NULL), HCR_OK);
        assert_int_equal(hcr_predict(loaded, ROWS, in, given, b, NULL, NULL), HCR_OK);
        assert_memory_equal(a, b, sizeof a);
        free(bytes);
        free(copied);
        hcr_model_free(model);
        hcr_model_free(loaded);
    }
    hcr_region *still = make_region(N);
    hcr_model *model = NULL;
    const hcr_fit_options options = options_of(0, HCR_HEAD_SOFTEN);
    assert_int_equal(hcr_fit(still, NULL, ROWS, OWN, X, NULL, NULL, Y, &options, &model, NULL, NULL), HCR_OK);
    assert_int_equal(hcr_model_save(model, path, NULL), HCR_OK);
    size_t size;
    char *bytes = read_file(path, &size);
    assert_false(has_text(bytes, size, "\"parameters\""));
    free(bytes);
    hcr_model_free(model);
    hcr_region_free(still);
    remove(path);
    remove(copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inside),           cmocka_unit_test(test_one_region_a_sample),
        cmocka_unit_test(test_among_the_inputs), cmocka_unit_test(test_missing),
        cmocka_unit_test(test_misfits),          cmocka_unit_test(test_rows_are_independent),
        cmocka_unit_test(test_resume),           cmocka_unit_test(test_model_file),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
