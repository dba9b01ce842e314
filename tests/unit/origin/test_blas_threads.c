/* While a region is made, OpenBLAS has one thread, and none spins beside it; then it has as many as before. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include <cblas.h>

#include "base/random.h"
#include "hcr/hcr_build.h"

enum { OUTPUTS = 300, EQUALITIES = 150 };

static hcr_error error;

static void assert_ok(hcr_status status) {
    if (status != HCR_OK)
        fail_msg("%s", error.text);
}

static double seconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool keep_most_threads(void *context) {
    const int threads = openblas_get_num_threads();
    if (threads > *(int *)context)
        *(int *)context = threads;
    return false;
}

/* Dense equalities around the middle of a box. */
static hcr_builder *make_builder(void) {
    hcr_builder *builder = NULL;
    hcri_random random;
    hcri_random_seed(&random, 3);
    double *values = calloc((size_t)OUTPUTS * EQUALITIES, sizeof *values), right[EQUALITIES] = {0};
    uint32_t *columns = calloc((size_t)OUTPUTS * EQUALITIES, sizeof *columns);
    size_t start[EQUALITIES + 1];
    double low[OUTPUTS], high[OUTPUTS];
    assert_true(values != NULL && columns != NULL);
    for (size_t k = 0; k < (size_t)OUTPUTS * EQUALITIES; k++) {
        values[k] = hcri_random_normal(&random);
        columns[k] = (uint32_t)(k % OUTPUTS);
    }
    for (size_t i = 0; i <= EQUALITIES; i++)
        start[i] = i * OUTPUTS;
    for (size_t j = 0; j < OUTPUTS; j++) {
        low[j] = -1;
        high[j] = 1;
    }
    assert_ok(hcr_builder_create(NULL, &builder, &error));
    assert_ok(hcr_builder_add_variable(builder, "y", OUTPUTS, 0, &error));
    assert_ok(hcr_builder_add_bounds(builder, 0, OUTPUTS, low, high, &error));
    assert_ok(hcr_builder_add_equalities(builder, EQUALITIES, start, columns, values, right, &error));
    free(values);
    free(columns);
    return builder;
}

static void test_one_thread(void **state) {
    (void)state;
    static const double first_waits = 0.1; /* seconds that OpenBLAS's threads spin once, when they are made */
    hcr_builder *builder = make_builder();
    hcr_region *region = NULL;
    int most = 0;
    openblas_set_num_threads(2);
    assert_ok(hcr_builder_set_stop(builder, keep_most_threads, &most, &error));
    const double wall = seconds_of(CLOCK_MONOTONIC), processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    assert_ok(hcr_builder_finish(builder, &region, &error));
    const double wall_taken = seconds_of(CLOCK_MONOTONIC) - wall;
    const double processor_taken = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor;
    print_message("%.2f s of processor time in %.2f s\n", processor_taken, wall_taken);
    assert_int_equal(most, 1);
    assert_int_equal(openblas_get_num_threads(), 2);
    assert_true(processor_taken <= 1.1 * wall_taken + first_waits);
    hcr_region_free(region);
    hcr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_thread)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
