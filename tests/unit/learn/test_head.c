/* Losses of the heads: values by hand, derivatives by central differences. */
#include "cases.h"

#include "learn/head.h"

#define N 5
#define ROWS 6

static const double mean[N] = {1, 1.1, 0.9, 1, 1.05}, deviation[N] = {0.3, 0.25, 0.2, 0.1, 0.4};

static hcri_head make_head(hcr_head kind, const hcr_region *region) {
    const hcri_head head = {
        kind, N, region, mean, deviation, 2.5, kind == HCR_HEAD_CONTRACT ? 0.5 : 0, kind == HCR_HEAD_SOFTEN ? 1.5 : 1};
    return head;
}

/* The loss is computed in double from single-precision outputs, so differences with steps that single precision holds
 * exactly are as good as in double: 1e-6 from the step's square; the derivative itself is rounded to single. */
static void check_derivatives(hcr_head kind, double size) {
    hcr_region *region = make_region(N);
    const hcri_head head = make_head(kind, region);
    hcri_losses losses;
    assert_int_equal(hcri_losses_create(&head, ROWS, &losses, NULL), HCR_OK);
    const size_t width = hcri_head_outputs(kind, N), targets_width = hcri_head_targets(kind, N);
    float outputs[ROWS * (N + 1)], bar[ROWS * (N + 1)];
    double targets[ROWS * (N + 1)], loss, up, down;
    const size_t row[ROWS] = {3, 1, 0, 2, 5, 4};
    hcri_random random;
    hcri_random_seed(&random, 5);
    for (size_t k = 0; k < ROWS * width; k++)
        outputs[k] = (float)ldexp(round(ldexp(size * hcri_random_normal(&random), 12)), -12);
    for (size_t k = 0; k < ROWS * targets_width; k++)
        targets[k] = hcri_random_uniform(&random);
    assert_int_equal(hcri_head_loss(&head, &losses, ROWS, outputs, row, targets, &loss, bar, NULL), HCR_OK);
    int moved = 0;
    for (size_t k = 0; k < ROWS * width; k++) {
        const float kept = outputs[k], step = 0x1p-12f;
        outputs[k] = kept + step;
        assert_int_equal(hcri_head_loss(&head, &losses, ROWS, outputs, row, targets, &up, NULL, NULL), HCR_OK);
        outputs[k] = kept - step;
        assert_int_equal(hcri_head_loss(&head, &losses, ROWS, outputs, row, targets, &down, NULL, NULL), HCR_OK);
        outputs[k] = kept;
        const double slope = (up - down) / ROWS / (2 * (double)step);
        moved += fabs(slope) > 1e-3;
        assert_true(fabs((double)bar[k] - slope) < 2e-6 + 1e-6 * fabs(slope));
    }
    assert_true(moved > (int)(ROWS * width) / 2);
    hcri_losses_release(&losses);
    hcr_region_free(region);
}

static void test_derivatives(void **state) {
    (void)state;
    check_derivatives(HCR_HEAD_HCR, 1);
    check_derivatives(HCR_HEAD_DIRECT, 1);
    check_derivatives(HCR_HEAD_CONTRACT, 0.3); /* most rows inside */
    check_derivatives(HCR_HEAD_CONTRACT, 4);   /* most on the frontier */
    check_derivatives(HCR_HEAD_SIMPLE, 1);
    check_derivatives(HCR_HEAD_SOFTEN, 1);
}

static void test_values_by_hand(void **state) {
    (void)state;
    hcr_region *region = make_region(N);
    const size_t row[1] = {0};
    double loss;
    hcri_losses losses;
    /* u = (0, 3, 4, 0, 0): d = (0, 0.6, 0.8, 0, 0); z = 0: r = 1/2. Against d* = (1, 0, …), r* = 1 */
    hcri_head head = make_head(HCR_HEAD_HCR, region);
    const float polar[N + 1] = {0, 3, 4, 0, 0, 0};
    const double polar_target[N + 1] = {1, 0, 0, 0, 0, 1};
    assert_int_equal(hcri_losses_create(&head, 1, &losses, NULL), HCR_OK);
    assert_int_equal(hcri_head_loss(&head, &losses, 1, polar, row, polar_target, &loss, NULL, NULL), HCR_OK);
    assert_true(fabs(loss - (2 + 2.5 * 0.25) / 6) < 1e-12);
    hcri_losses_release(&losses);
    /* contract leaves mean + deviation/10 where it is: a tenth of a deviation off in each output */
    head.kind = HCR_HEAD_CONTRACT;
    head.raw_weight = 2;
    const float tenth[N] = {0.1f, 0.1f, 0.1f, 0.1f, 0.1f};
    assert_int_equal(hcri_losses_create(&head, 1, &losses, NULL), HCR_OK);
    assert_int_equal(hcri_head_loss(&head, &losses, 1, tenth, row, mean, &loss, NULL, NULL), HCR_OK);
    assert_true(fabs(loss - 3 * 0.01) < 1e-8); /* contracted and, twice as heavy, raw */
    hcri_losses_release(&losses);
    hcr_region_free(region);
}

/* C01: outputs of 0, as from a layer of zeros, beside a row that isn't: finite loss, derivatives of ordinary size, and
 * the other row's untouched. */
static void test_zero_outputs(void **state) {
    (void)state;
    hcr_region *region = make_region(N);
    for (hcr_head kind = HCR_HEAD_HCR; kind <= HCR_HEAD_SOFTEN; kind++) {
        const hcri_head head = make_head(kind, region);
        hcri_losses losses;
        assert_int_equal(hcri_losses_create(&head, 2, &losses, NULL), HCR_OK);
        const size_t width = hcri_head_outputs(kind, N), both[2] = {0, 1}, second[1] = {1};
        float outputs[2 * (N + 1)] = {0}, bar[2 * (N + 1)], alone[N + 1];
        double targets[2 * (N + 1)], loss;
        for (size_t j = 0; j < width; j++)
            outputs[width + j] = (float)j - 2;
        for (size_t j = 0; j < 2 * (N + 1); j++)
            targets[j] = 0.5 + 0.1 * (double)(j % 4);
        assert_int_equal(hcri_head_loss(&head, &losses, 2, outputs, both, targets, &loss, bar, NULL), HCR_OK);
        assert_true(isfinite(loss));
        for (size_t j = 0; j < 2 * width; j++)
            assert_true(isfinite(bar[j]) && fabsf(bar[j]) < 100);
        assert_true(kind == HCR_HEAD_DIRECT || bar[0] != 0); /* a step leads away from 0 */
        assert_int_equal(hcri_head_loss(&head, &losses, 1, outputs + width, second, targets, &loss, alone, NULL),
                         HCR_OK);
        for (size_t j = 0; j < width; j++)
            assert_true(alone[j] == 2 * bar[width + j]);
        hcri_losses_release(&losses);
    }
    hcr_region_free(region);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_values_by_hand),
        cmocka_unit_test(test_zero_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
