/* What refusals say, word for word: where, what, and what to do. */
#include <math.h>

#include "origin/constraint_words.h"
#include "regions.h"

static const double none = INFINITY;

static void test_sides_cross(void **state) {
    (void)state;
    static const double low = 1.5, high = 1;
    hcr_error error = {0};
    hcr_builder *builder = outputs(2);
    source(builder, 3, "y <= 1");
    assert_int_equal(hcr_builder_add_bounds(builder, 1, 1, NULL, &high, NULL), HCR_OK);
    source(builder, 7, "1.5 <= y[1]");
    assert_int_equal(hcr_builder_add_bounds(builder, 1, 1, &low, NULL, NULL), HCR_OK);
    assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
    assert_string_equal(error.file, "t.region");
    assert_int_equal(error.line, 3);
    assert_string_equal(error.text, "the region is empty: no point satisfies all of\n"
                                    "    t.region:3: y <= 1 (y[1] <= 1)\n"
                                    "    t.region:7: 1.5 <= y[1] (y[1] >= 1.5)\n"
                                    "Loosen one of them.");
}

/* A family conflicts with a row: one line each, what has nothing to do with it isn't named. */
static void test_conflict(void **state) {
    (void)state;
    static const double ones[4] = {1, 1, 1, 1};
    hcr_error error = {0};
    hcr_builder *builder = outputs(4);
    source(builder, 2, "0 <= y <= 2");
    box(builder, 0, 2);
    source(builder, 3, "abs(diff(y)) <= 1");
    neighbours(builder, 1);
    source(builder, 4, "sum(y) >= 9");
    row(builder, ones, 9, none);
    assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
    assert_int_equal(error.line, 2);
    assert_string_equal(error.text, "the region is empty: no point satisfies all of\n"
                                    "    t.region:2: 0 <= y <= 2 (y[0] <= 2) and 3 more of it\n"
                                    "    t.region:4: sum(y) >= 9 (y[0] + y[1] + y[2] + y[3] >= 9)\n"
                                    "Loosen one of them.");
}

/* Built in C, without sources. */
static void test_no_interior(void **state) {
    (void)state;
    static const double ones[2] = {1, 1};
    hcr_error error = {0};
    hcr_builder *builder = outputs(2);
    diagonal(builder, ones, NULL, 0);
    assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
    assert_string_equal(error.file, "");
    assert_string_equal(error.text, "the region has no interior: a single point or a flat piece is all that satisfies\n"
                                    "    a quadratic\n"
                                    "An origin needs room on all sides: loosen one of them.");
}

static void test_unbounded(void **state) {
    (void)state;
    static const double difference[3] = {1, -1, 0}, low[3] = {0, 0, 0}, high[3] = {INFINITY, INFINITY, 1};
    hcr_error error = {0};
    hcr_builder *builder = NULL;
    assert_int_equal(hcr_builder_create(NULL, &builder, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "load", 2, 0, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "price", 1, 1, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 3, low, high, NULL), HCR_OK);
    row(builder, difference, -1, 1);
    assert_int_equal(refused(builder, &error), HCR_ERROR_UNBOUNDED);
    assert_string_equal(
        error.text, "the region is unbounded: nothing stops the direction +load[0] +load[1]\n"
                    "Add bounds on these outputs, such as load[0] <= 1e6 if that is beyond all that can occur, or "
                    "the line `unbounded` to the region: contract and soften then work, decode where something stops "
                    "it.");
}

/* y[0] >= 0, y[1] >= 0 and y[0] + y[1] <= 0 are y[0] == 0 and y[1] == 0; that isn't what is wrong. */
static void test_unbounded_beside_no_room(void **state) {
    (void)state;
    static const double first[3] = {1, 0, 0}, second[3] = {0, 1, 0}, both[3] = {1, 1, 0};
    hcr_error error = {0};
    hcr_builder *builder = outputs(3);
    row(builder, first, 0, none);
    row(builder, second, 0, none);
    row(builder, both, -none, 0);
    assert_int_equal(refused(builder, &error), HCR_ERROR_UNBOUNDED);
    assert_non_null(strstr(error.text, "nothing stops the direction -y[2]\n"));
}

/* An empty set is called empty even where it is open. */
static void test_empty_and_open(void **state) {
    (void)state;
    static const double ones[2] = {1, 1};
    hcr_error error = {0};
    hcr_builder *builder = outputs(2);
    source(builder, 1, "sum(y) <= 1");
    row(builder, ones, -none, 1);
    source(builder, 2, "sum(y) >= 2");
    row(builder, ones, 2, none);
    assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
    assert_string_equal(error.text, "the region is empty: no point satisfies all of\n"
                                    "    t.region:1: sum(y) <= 1 (y[0] + y[1] <= 1)\n"
                                    "    t.region:2: sum(y) >= 2 (y[0] + y[1] >= 2)\n"
                                    "Loosen one of them.");
}

static void test_origin(void **state) {
    (void)state;
    static const double point[2] = {3, 0}, ones[2] = {1, 1};
    hcr_error error = {0};
    hcr_builder *builder = outputs(2);
    source(builder, 5, "norm(y, 2) <= 2");
    diagonal(builder, ones, NULL, 2);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1, point, NULL), HCR_OK);
    assert_int_equal(refused(builder, &error), HCR_ERROR_ORIGIN);
    assert_int_equal(error.line, 5);
    assert_string_equal(error.text, "the origin isn't strictly inside: outside by 2.5 of\n"
                                    "    t.region:5: norm(y, 2) <= 2 (a quadratic)\n"
                                    "Give a point further inside, or leave the choice to hcr (chebyshev).");
}

/* Long sources, long lists, long rows: cut, never over the end. */
static void test_long(void **state) {
    (void)state;
    enum { N = 200 };
    char text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    double ones[N];
    hcr_builder *builder = outputs(N);
    for (size_t j = 0; j < N; j++) {
        static const double low = 0, high = 1;
        ones[j] = j % 2 == 0 ? 1 : 1.0 / 3;
        source(builder, (int)j, text);
        assert_int_equal(hcr_builder_add_bounds(builder, j, 1, &low, &high, NULL), HCR_OK);
    }
    source(builder, 500, text);
    row(builder, ones, N, none);
    hcr_error error = {0};
    assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
    assert_true(strlen(error.text) < sizeof error.text);
    assert_non_null(strstr(error.text, "and 19"));
    assert_non_null(strstr(error.text, "Loosen one of them."));

    builder = outputs(N);
    for (size_t j = 0; j < N; j++)
        ones[j] = j == 3 ? -1 : j % 2 == 0 ? 0.25 : 1e-9;
    char direction[512], cut[8];
    hcri_describe_direction(&builder->set, ones, direction, sizeof direction);
    assert_string_equal(direction, "+0.25 y[0] +0.25 y[2] -y[3] +0.25 y[4] +0.25 y[6] +0.25 y[8] and 95 more");
    hcri_describe_direction(&builder->set, ones, cut, sizeof cut);
    assert_string_equal(cut, "+0.25 y");
    hcr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sides_cross),    cmocka_unit_test(test_conflict),
        cmocka_unit_test(test_no_interior),    cmocka_unit_test(test_unbounded),
        cmocka_unit_test(test_empty_and_open), cmocka_unit_test(test_unbounded_beside_no_room),
        cmocka_unit_test(test_origin),         cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
