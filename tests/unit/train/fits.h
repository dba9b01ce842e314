/* Fits to the fixture's data. */
#include "fixture.h"

static inline hcr_model *fit(size_t rows, const hcr_fit_options *options, hcr_fit_report *report) {
    hcr_model *model = NULL;
    hcr_error error = {0};
    if (hcr_fit(region, NULL, rows, INPUTS, X, NULL, NULL, Y, options, &model, report, &error) != HCR_OK)
        fail_msg("%s", error.text);
    return model;
}

/* Every bit of what a model predicts. */
static inline int same_predictions(const hcr_model *first, const hcr_model *second) {
    static double a[ROWS * N], b[ROWS * N];
    assert_int_equal(hcr_predict(first, ROWS, X, NULL, a, NULL, NULL), HCR_OK);
    assert_int_equal(hcr_predict(second, ROWS, X, NULL, b, NULL, NULL), HCR_OK);
    return memcmp(a, b, sizeof a) == 0;
}

/* Targets on and near the frontier, of a noise that a small network can't follow: predictions of head simple violate.
 */
static inline const double *noisy_targets(void) {
    static double targets[ROWS * N];
    hcri_random random;
    hcri_random_seed(&random, 4);
    for (size_t k = 0; k < ROWS * N; k++)
        targets[k] = hcri_random_uniform(&random) < 0.9 ? 2 : 1.75;
    return targets;
}

static inline hcr_status fit_simple(const hcr_fit_options *options, hcr_model **model, hcr_fit_report *report) {
    return hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, noisy_targets(), options, model, report, NULL);
}
