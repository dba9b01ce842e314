/* Columns are found by name, or by position when there are no names. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/table.h"

static const char *const abc[] = {"a", "b", "c"};

static void load(const char *text, hcr_table *table) {
    assert_int_equal(hcri_csv_read("X.csv", text, strlen(text), NULL, table, NULL), HCR_OK);
}

static void expect_matched(const char *text) {
    static const double values[] = {1, 2, 3, 4, 5, 6};
    hcr_table table = {0};
    hcr_error error = {0};
    load(text, &table);
    if (hcr_table_match(&table, 3, abc, "X", &error) != HCR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(table.rows, 2);
    assert_int_equal(table.columns, 3);
    assert_memory_equal(table.values, values, sizeof values);
    for (size_t j = 0; table.names != NULL && j < 3; j++)
        assert_string_equal(table.names[j], abc[j]);
    hcr_table_clear(&table);
}

/* C34: another order, more columns, one missing, no header: matched or refused. */
static void test_by_name(void **state) {
    (void)state;
    expect_matched("a,b,c\n1,2,3\n4,5,6\n");
    expect_matched("c,b,a\n3,2,1\n6,5,4\n");
    expect_matched("b,extra,c,a,more\n2,9,3,1,9\n5,9,6,4,9\n");
    expect_matched("1,2,3\n4,5,6\n");
    hcr_table table = {0};
    load("c,b,a\n", &table);
    assert_int_equal(hcr_table_match(&table, 3, abc, "X", NULL), HCR_OK);
    assert_true(table.rows == 0 && table.columns == 3);
    hcr_table_clear(&table);
}

static void test_missing(void **state) {
    (void)state;
    hcr_table table = {0};
    hcr_error error = {0};
    static const char *const wanted[] = {"load", "price"};
    load("load,prize,hour\n1,2,3\n", &table);
    assert_int_equal(hcr_table_match(&table, 2, wanted, "X", &error), HCR_ERROR_NAME);
    assert_string_equal(error.text, "X has no column \"price\"; the nearest of its 3 names is \"prize\"");
    assert_true(table.columns == 3 && table.values[2] == 3); /* as it was */
    assert_string_equal(table.names[1], "prize");
    /* A header isn't given up for positions: the same number of columns with other names is refused too. */
    assert_int_equal(hcr_table_match(&table, 3, abc, "X", &error), HCR_ERROR_NAME);
    hcr_table_clear(&table);
}

static void test_by_position(void **state) {
    (void)state;
    hcr_table table = {0};
    hcr_error error = {0};
    load("1,2\n", &table);
    assert_int_equal(hcr_table_match(&table, 3, abc, "Y", &error), HCR_ERROR_SHAPE);
    assert_string_equal(error.text,
                        "Y has 2 columns where 3 are needed: without a header they are taken in their order");
    hcr_table_clear(&table);
    load("u,v\n1,2\n", &table);
    assert_int_equal(hcr_table_match(&table, 2, NULL, "Y", &error), HCR_OK);
    assert_string_equal(table.names[1], "v");
    assert_int_equal(hcr_table_match(&table, 1, NULL, "Y", &error), HCR_ERROR_SHAPE);
    assert_string_equal(error.text, "Y has 2 columns where 1 are needed");
    assert_int_equal(hcr_table_match(NULL, 2, NULL, "Y", &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_table_match(&table, 2, NULL, NULL, &error), HCR_ERROR_ARGUMENT);
    hcr_table_clear(&table);
}

/* The last columns go to a table of their own, with their names. */
static void test_split(void **state) {
    (void)state;
    hcr_table table = {0}, rest = {0};
    load("old,er\n8,9\n", &rest);
    load("a,b,c\n1,2,3\n4,5,6\n", &table);
    assert_int_equal(hcr_table_split(&table, 1, &rest, NULL), HCR_OK);
    assert_true(table.rows == 2 && table.columns == 1 && rest.rows == 2 && rest.columns == 2);
    const double first[] = {1, 4}, others[] = {2, 3, 5, 6};
    assert_memory_equal(table.values, first, sizeof first);
    assert_memory_equal(rest.values, others, sizeof others);
    assert_string_equal(table.names[0], "a");
    assert_string_equal(rest.names[0], "b");
    assert_string_equal(rest.names[1], "c");
    /* nothing, or everything; no names */
    assert_int_equal(hcr_table_split(&table, 2, &rest, NULL), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_table_split(&table, 1, &rest, NULL), HCR_OK);
    assert_true(table.columns == 1 && rest.columns == 0 && rest.rows == 2);
    hcr_table_clear(&table);
    load("1,2\n", &table);
    assert_int_equal(hcr_table_split(&table, 0, &rest, NULL), HCR_OK);
    assert_true(table.columns == 0 && rest.columns == 2 && rest.names == NULL && rest.values[1] == 2);
    assert_int_equal(hcr_table_split(&table, 0, NULL, NULL), HCR_ERROR_ARGUMENT);
    hcr_table_clear(&table);
    hcr_table_clear(&rest);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_name), cmocka_unit_test(test_missing),
                                       cmocka_unit_test(test_by_position), cmocka_unit_test(test_split)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
