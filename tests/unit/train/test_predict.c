/* Predictions: inside at tolerance 0 in both precisions, and a row's bits depend on that row alone. */
#if defined(_OPENMP)
#include <omp.h>
#endif

#define N 40 /* more than a strip of outputs */
#define INPUTS 6
#define ROWS 100

#include "fixture.h"

static hcr_model *make_model(int encoder, int head) {
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.encoder = (hcr_encoder)encoder;
    options.head = (hcr_head)head;
    options.hidden = 13;
    options.features = 2;
    options.epochs = 4;
    options.rate = 0.02;
    hcr_model *model = NULL;
    assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &options, &model, NULL, NULL), HCR_OK);
    return model;
}

static void test_rows_are_independent(void **state) {
    (void)state;
    static double together[ROWS * N], reversed[ROWS * N], alone[N], X_reversed[ROWS * INPUTS];
    for (size_t i = 0; i < ROWS; i++)
        memcpy(X_reversed + i * INPUTS, X + (ROWS - 1 - i) * INPUTS, INPUTS * sizeof *X);
    for (int encoder = 0; encoder <= 1; encoder++)
        for (int head = 0; head <= 5; head++) {
            hcr_model *model = make_model(encoder, head);
            assert_int_equal(hcr_predict(model, ROWS, X, NULL, together, NULL, NULL), HCR_OK);
            assert_int_equal(hcr_predict(model, ROWS, X_reversed, NULL, reversed, NULL, NULL), HCR_OK);
            for (size_t i = 0; i < ROWS; i++) {
                assert_int_equal(hcr_predict(model, 1, X + i * INPUTS, NULL, alone, NULL, NULL), HCR_OK);
                assert_memory_equal(alone, together + i * N, sizeof alone);
                assert_memory_equal(alone, reversed + (ROWS - 1 - i) * N, sizeof alone);
            }
#if defined(_OPENMP)
            const int threads = omp_get_max_threads();
            omp_set_num_threads(3);
            assert_int_equal(hcr_predict(model, ROWS, X, NULL, reversed, NULL, NULL), HCR_OK);
            omp_set_num_threads(threads);
            assert_memory_equal(together, reversed, sizeof together);
#endif
            hcr_model_free(model);
        }
}

static void test_inside(void **state) {
    (void)state;
    static double wild[ROWS * INPUTS], y[ROWS * N];
    static float y_f32[ROWS * N];
    uint8_t inside[ROWS];
    uint32_t outcomes[ROWS];
    for (size_t k = 0; k < ROWS * INPUTS; k++)
        wild[k] = 1000 * X[k];
    for (int encoder = 0; encoder <= 1; encoder++)
        for (int head = 0; head <= 5; head++) {
            hcr_model *model = make_model(encoder, head);
            assert_int_equal(hcr_predict(model, ROWS, wild, NULL, y, outcomes, NULL), HCR_OK);
            assert_int_equal(hcr_check(region, ROWS, NULL, y, inside, NULL, NULL), HCR_OK);
            for (size_t i = 0; i < ROWS; i++)
                assert_true(head == HCR_HEAD_SIMPLE ? (outcomes[i] == HCR_OUTCOME_INSIDE) == inside[i] : inside[i]);
            assert_int_equal(hcr_predict_f32(model, ROWS, wild, NULL, y_f32, outcomes, NULL), HCR_OK);
            assert_int_equal(hcr_check_f32(region, ROWS, NULL, y_f32, inside, NULL, NULL), HCR_OK);
            for (size_t i = 0; i < ROWS; i++)
                assert_true(head == HCR_HEAD_SIMPLE ? (outcomes[i] == HCR_OUTCOME_INSIDE) == inside[i] : inside[i]);
            /* single precision is the double's answer to some roundings of numbers below 2 and a margin */
            for (size_t k = 0; head != HCR_HEAD_SIMPLE && k < ROWS * N; k++)
                assert_true(fabs(y[k] - (double)y_f32[k]) < 1e-4);
            hcr_model_free(model);
        }
}

/* A bad value gives the origin and says so; its neighbours are as they would be without it. */
static void test_bad_values(void **state) {
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e300};
    for (int head = 0; head <= 5; head++) {
        hcr_model *model = make_model(head % 2, head);
        double in[3 * INPUTS], y[3 * N], good[3 * N];
        uint32_t outcomes[3];
        memcpy(in, X, sizeof in);
        assert_int_equal(hcr_predict(model, 3, in, NULL, good, outcomes, NULL), HCR_OK);
        for (size_t b = 0; b < 4; b++) {
            in[INPUTS + 2] = bad[b];
            assert_int_equal(hcr_predict(model, 3, in, NULL, y, outcomes, NULL), HCR_OK);
            assert_int_equal(outcomes[1], HCR_OUTCOME_BAD_VALUE);
            assert_true(outcomes[0] != HCR_OUTCOME_BAD_VALUE && outcomes[2] != HCR_OUTCOME_BAD_VALUE);
            assert_memory_equal(y, good, N * sizeof *y);
            assert_memory_equal(y + 2 * N, good + 2 * N, N * sizeof *y);
            for (size_t j = 0; j < N; j++)
                assert_true(y[N + j] == hcr_region_origin(region)[j]);
        }
        hcr_model_free(model);
    }
}

/* The points and the region's map are what makes the predictions, bit for bit. */
static void test_points(void **state) {
    (void)state;
    static double points[ROWS * (N + 1)], y[ROWS * N], mapped[ROWS * N];
    hcr_workspace *workspace;
    assert_int_equal(hcr_workspace_create(region, 1, &workspace, NULL), HCR_OK);
    for (int head = 0; head <= 5; head++) {
        hcr_model *model = make_model(head % 2, head);
        assert_int_equal(hcr_predict_points(model, ROWS, X, NULL, points, NULL), HCR_OK);
        assert_int_equal(hcr_predict(model, ROWS, X, NULL, y, NULL, NULL), HCR_OK);
        hcr_projector *projector;
        assert_int_equal(hcr_projector_create(region, NULL, &projector, NULL), HCR_OK);
        if (head == HCR_HEAD_SIMPLE)
            memcpy(mapped, points, sizeof mapped);
        else if (head == HCR_HEAD_PROJECT)
            assert_int_equal(hcr_project(projector, ROWS, NULL, points, mapped, NULL, NULL, NULL), HCR_OK);
        else
            assert_int_equal((head == HCR_HEAD_CONTRACT ? hcr_contract
                              : head == HCR_HEAD_SOFTEN
                                  ? hcr_soften
                                  : hcr_decode)(region, workspace, ROWS, NULL, points, mapped, NULL, NULL),
                             HCR_OK);
        hcr_projector_free(projector);
        assert_memory_equal(y, mapped, sizeof y);
        assert_int_equal(hcr_predict_points(model, 1, NULL, NULL, points, NULL), HCR_ERROR_ARGUMENT);
        hcr_model_free(model);
    }
    hcr_workspace_free(workspace);
}

static void test_arguments(void **state) {
    (void)state;
    hcr_model *model = make_model(0, 2);
    double y[N];
    assert_int_equal(hcr_predict(model, 0, NULL, NULL, NULL, NULL, NULL), HCR_OK);
    assert_int_equal(hcr_predict(model, 1, NULL, NULL, y, NULL, NULL), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_predict(model, 1, X, NULL, NULL, NULL, NULL), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_predict(NULL, 1, X, NULL, y, NULL, NULL), HCR_ERROR_ARGUMENT);
    hcr_model_free(model);
    hcr_model_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_independent),
        cmocka_unit_test(test_inside),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
