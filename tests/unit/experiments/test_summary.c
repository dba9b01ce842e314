/* Statistics of the experiments' tables, against SciPy and by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "experiments/summary.h"

/* scipy.stats.wilcoxon(d, zero_method="wilcox", correction=True, method="approx") of SciPy 1.16 */
static void test_signed_rank(void **state) {
    (void)state;
    const double distinct[] = {0.3, -0.1, 0.2, 0.5, -0.2, 0.7, 0.4, 0.0, -0.6, 0.9, 0.8, 1.1};
    assert_true(fabs(signed_rank_p(12, distinct) - 0.05034679506473419) < 1e-12);
    const double tied[] = {1, 1, 1, -1, 2, 2, -2, 3, 3, 3};
    assert_true(fabs(signed_rank_p(10, tied) - 0.05637450586957867) < 1e-12);
    const double few[] = {1, 2, 3, 4, 5, 0, 0};
    assert_true(isnan(signed_rank_p(7, few)));
}

static struct record make(size_t group, double number, enum method method, double error, double time) {
    struct record record = {.value = {[FIELD_GROUP] = (double)group,
                                      [FIELD_NUMBER] = number,
                                      [FIELD_METHOD] = (double)method,
                                      [FIELD_ERROR] = error,
                                      [FIELD_AVERAGE_TIME] = time,
                                      [FIELD_LARGEST_TIME] = 2 * time}};
    record.bin[7] = 1;
    return record;
}

static void test_summary(void **state) {
    (void)state;
    const struct record records[] = {make(0, 1, HCR, 1, 0.5),          make(0, 1, PROJECTION, 2, NAN),
                                     make(0, 2, PROJECTION, 2.5, NAN), make(0, 2, HCR, 3, 1.5),
                                     make(1, 1, HCR, 100, 7),          make(1, 1, SIMPLE, 100, 7)};
    struct summary summary;
    summarise(0, HCR, 6, records, &summary);
    assert_int_equal(summary.runs, 2);
    assert_true(summary.error == 2 && fabs(summary.error_deviation - sqrt(2)) < 1e-15);
    assert_true(summary.average_time == 1 && summary.largest_time == 3);
    assert_true(summary.bin[7] == 2 && summary.bin[6] == 0);
    assert_int_equal(summary.better, 1);
    assert_true(isnan(summary.p));
    summarise(1, HCR, 6, records, &summary);
    assert_true(summary.runs == 1 && summary.better == 0 && isnan(summary.error_deviation));
    summarise(1, SOFTEN, 6, records, &summary);
    assert_true(summary.runs == 0 && isnan(summary.error) && isnan(summary.largest_time));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_signed_rank), cmocka_unit_test(test_summary)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
