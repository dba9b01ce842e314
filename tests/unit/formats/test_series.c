/* Files with one series a row. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hcr/hcr_table.h"
#include "unit/formats/files.h"

/* As the M4 files are: everything quoted, empty cells after the end. */
static const char m4[] = "\"V1\",\"V2\",\"V3\",\"V4\",\"V5\"\n"
                         "\"H1\",\"619\",\"565.5\",,\n"
                         "\"H2\",\"1\",\"2\",\"3\",\"4\"\n"
                         "\"H3\",\"7\",\"\",\"\",\"\"\n"
                         "\"H4\",,,,\n"
                         "\"H5\",\"1\",,\"3\",\n"
                         "\"H6\",\"1\",\"NA\",\"3\",\n";

static void expect_series(const char *path, const char *id, size_t count, const double *expected) {
    double *values = NULL;
    size_t length = 99;
    hcr_error error = {0};
    if (hcr_series_read(path, id, &values, &length, &error) != HCR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(length, count);
    if (count > 0)
        assert_memory_equal(values, expected, count * sizeof *values);
    hcr_free(values);
}

static void expect_refusal(const char *path, const char *id, hcr_status status, int line, int column,
                           const char *words) {
    double *values = NULL;
    size_t length;
    hcr_error error = {0};
    assert_int_equal(hcr_series_read(path, id, &values, &length, &error), status);
    assert_null(values);
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
    if (strstr(error.text, words) == NULL)
        fail_msg("%s", error.text);
}

static void test_reading(void **state) {
    (void)state;
    const char *path = files_put("m4.csv", m4, sizeof m4 - 1);
    const double first[] = {619, 565.5}, second[] = {1, 2, 3, 4}, third[] = {7};
    expect_series(path, "H1", 2, first);
    expect_series(path, "H2", 4, second);
    expect_series(path, "H3", 1, third);
    expect_series(path, "H4", 0, NULL);
    expect_refusal(path, "H5", HCR_ERROR_DATA, 6, 3, "empty");
    expect_refusal(path, "H6", HCR_ERROR_DATA, 7, 3, "NA");
    expect_refusal(path, "V1", HCR_ERROR_NAME, 0, 0, "no series \"V1\"; the nearest id: H1");
    expect_refusal(files_path("absent.csv"), "H1", HCR_ERROR_FILE, 0, 0, "absent.csv");
}

static void test_other_layouts(void **state) {
    (void)state;
    static const char *const texts[] = {"H0,5\nH1,619,565.5\n", "H1;619;565.5\r\nH2;1\r\n",
                                        "\xEF\xBB\xBFid\tt0\tt1\nH1\t619\t565.5", "H1,619,565.5,,\n"};
    const double values[] = {619, 565.5};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        expect_series(files_put("s.csv", texts[k], strlen(texts[k])), "H1", 2, values);
    expect_series(files_put("s.csv", "1,2\n619,565.5,619\n", 18), "619", 2, (const double[]){565.5, 619});
    expect_refusal(files_put("s.csv", "A,1\nB,2\nA,3\n", 12), "A", HCR_ERROR_NAME, 3, 1, "in line 1 already");
    expect_refusal(files_put("s.csv", "", 0), "A", HCR_ERROR_NAME, 0, 0, "none");
}

static void test_ids(void **state) {
    (void)state;
    char **ids = NULL;
    size_t count = 0;
    assert_int_equal(hcr_series_ids(files_put("m4.csv", m4, sizeof m4 - 1), &ids, &count, NULL), HCR_OK);
    assert_int_equal(count, 6);
    for (size_t k = 0; k < count; k++) {
        char expected[32];
        snprintf(expected, sizeof expected, "H%zu", k + 1);
        assert_string_equal(ids[k], expected);
    }
    hcr_free(ids);
    hcr_free(NULL);
    assert_int_equal(hcr_series_ids(NULL, &ids, &count, NULL), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_series_ids(files_path("absent.csv"), &ids, &count, NULL), HCR_ERROR_FILE);
    double *values;
    assert_int_equal(hcr_series_read("x", NULL, &values, &count, NULL), HCR_ERROR_ARGUMENT);
}

static void test_cut(void **state) {
    (void)state;
    for (size_t cut = 0; cut < sizeof m4 - 1; cut++) {
        const char *path = files_put("cut.csv", m4, cut);
        double *values = NULL;
        size_t count = 0;
        hcr_error error = {0};
        if (hcr_series_read(path, "H2", &values, &count, &error) == HCR_OK)
            assert_true(count <= 4 && cut > sizeof "\"V1\",\"V2\",\"V3\",\"V4\",\"V5\"\n\"H1\",\"619\",\"565.5\",,\n");
        else
            assert_true(error.text[0] != '\0');
        hcr_free(values);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reading), cmocka_unit_test(test_other_layouts),
                                       cmocka_unit_test(test_ids), cmocka_unit_test(test_cut)};
    return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
