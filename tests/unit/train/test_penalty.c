/* The Lagrangian's part of a loss: by hand, by differences, and the ascent. */
#include "cases.h"

#include "train/penalty.h"

#define N 3

/* make_region: 0.1/3 <= y <= 2 and |y_j − y_{j+1}| <= 0.5 around (1, 1, 1), so that the bounds are in units of 29/30
 * and of 1, the steps of 0.5. At (2.5, 1, 1) the upper bound of y_0 is violated by 0.5 and the first step by 1, which
 * is twice its unit. */
static const double outside[N] = {2.5, 1, 1};

static void test_by_hand(void **state) {
    (void)state;
    hcr_region *region = make_region(N);
    const size_t count = hcr_region_constraints(region);
    double *multiplier = calloc(count, sizeof *multiplier), loss = 0, bar[N] = {0};
    hcri_penalty penalty;
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    assert_int_equal(hcri_penalty_create(region, multiplier, memory, &penalty, NULL), HCR_OK);
    hcri_penalty_add(&penalty, NULL, outside, 1, &loss, bar);
    assert_true(loss == 0 && bar[0] == 0); /* multipliers are 0 */
    /* the origin violates nothing */
    hcri_penalty_add(&penalty, NULL, hcr_region_origin(region), 1, &loss, bar);
    hcri_penalty_raise(&penalty, 3, 2);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += multiplier[i];
    assert_true(fabs(sum - 3 * (0.5 + 2) / 2) < 1e-12);
    hcri_penalty_add(&penalty, NULL, outside, 1, &loss, bar);
    /* λ = 1.5 · violation */
    assert_true(fabs(loss - 1.5 * (0.5 * 0.5 + 2 * 2)) < 1e-12);
    /* by y_0: 0.75 · 1 + 3 · 2, by y_1: −3 · 2 */
    assert_true(fabs(bar[0] - 6.75) < 1e-12 && fabs(bar[1] + 6) < 1e-12 && bar[2] == 0);
    /* what a loss without derivative sees isn't counted, and raising begins anew */
    hcri_penalty_raise(&penalty, 1, 1);
    hcri_penalty_add(&penalty, NULL, outside, 1, &loss, NULL);
    const double before = multiplier[0];
    hcri_penalty_raise(&penalty, 1, 1);
    assert_true(multiplier[0] == before);
    free(multiplier);
    hcr_region_free(region);
}

/* Linear constraints: central differences are right but for rounding, away from the kinks. */
static void test_derivative(void **state) {
    (void)state;
    hcr_region *region = make_region(N);
    const size_t count = hcr_region_constraints(region);
    double *multiplier = calloc(count, sizeof *multiplier);
    hcri_penalty penalty;
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    assert_int_equal(hcri_penalty_create(region, multiplier, memory, &penalty, NULL), HCR_OK);
    for (size_t i = 0; i < count; i++)
        multiplier[i] = 0.5 + 0.1 * (double)i;
    double y[N] = {-0.7, 3.1, 1.2}, bar[N] = {0}, loss = 0;
    hcri_penalty_add(&penalty, NULL, y, 0.25, &loss, bar);
    for (size_t j = 0; j < N; j++) {
        double up = 0, down = 0;
        const double kept = y[j], step = 0x1p-10;
        y[j] = kept + step;
        hcri_penalty_add(&penalty, NULL, y, 1, &up, NULL);
        y[j] = kept - step;
        hcri_penalty_add(&penalty, NULL, y, 1, &down, NULL);
        y[j] = kept;
        assert_true(fabs(bar[j] - 0.25 * (up - down) / (2 * step)) < 1e-10);
    }
    free(multiplier);
    hcr_region_free(region);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_derivative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
