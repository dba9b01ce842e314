/* Options structs of the headers: of an older version they are shorter, of a later one longer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/sized_options.h"

typedef struct options {
    size_t size;
    double rate;
    int patience;
    const char *name;
} options;
static const options defaults = {sizeof(options), 0.5, 7, "model"};

static hcr_status take(const void *given, options *taken, hcr_error *error) {
    return hcri_options_take(given, &defaults, sizeof defaults, taken, "OPTIONS_INIT", error);
}

/* 0 is a value: none of the defaults stands for it. */
static void test_whole(void **state) {
    (void)state;
    const options given = {sizeof given, 0, 0, NULL};
    options taken;
    assert_int_equal(take(&given, &taken, NULL), HCR_OK);
    assert_int_equal(taken.size, sizeof taken);
    assert_true(taken.rate == 0 && taken.patience == 0 && taken.name == NULL);
}

static void test_shorter(void **state) {
    (void)state;
    static const size_t ends[] = {offsetof(options, rate), offsetof(options, patience), offsetof(options, name)};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        options given = {ends[i], 0.25, 3, "beyond"}, taken;
        assert_int_equal(take(&given, &taken, NULL), HCR_OK);
        assert_int_equal(taken.size, sizeof taken);
        assert_true(taken.rate == (i < 1 ? 0.5 : 0.25));
        assert_int_equal(taken.patience, i < 2 ? 7 : 3);
        assert_string_equal(taken.name, "model");
    }
}

static void test_refused(void **state) {
    (void)state;
    struct {
        options known;
        double added;
    } later = {{sizeof later, 0.25, 3, "later"}, 1};
    hcr_error error = {0};
    options taken = {.patience = -1};
    assert_int_equal(take(&later, &taken, &error), HCR_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "40 bytes, of which this library, version " HCR_VERSION ", knows 32"));
    const options none = {0};
    assert_int_equal(take(&none, &taken, &error), HCR_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "initialise them with OPTIONS_INIT"));
    assert_int_equal(taken.patience, -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_shorter),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
