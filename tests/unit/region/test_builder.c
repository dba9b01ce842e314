/* The builder: what it takes, what it refuses, and that a refusal changes nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "region/builder.h"
#include "region/region.h"

static hcr_builder *two_outputs(void) {
    hcr_builder *builder = NULL;
    assert_int_equal(hcr_builder_create(NULL, &builder, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "y", 2, 0, NULL), HCR_OK);
    return builder;
}

static void test_names(void **state) {
    (void)state;
    hcr_builder *builder = two_outputs();
    assert_int_equal(hcr_builder_add_variable(builder, "y", 1, 1, NULL), HCR_ERROR_NAME);
    assert_int_equal(hcr_builder_add_variable(builder, "2y", 1, 1, NULL), HCR_ERROR_NAME);
    assert_int_equal(hcr_builder_add_variable(builder, "", 1, 1, NULL), HCR_ERROR_NAME);
    assert_int_equal(hcr_builder_add_variable(builder, "z", 0, 0, NULL), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_builder_add_variable(builder, "price", 1, 1, NULL), HCR_OK);
    char name[16];
    hcri_set_column_name(&builder->set, 1, name, sizeof name);
    assert_string_equal(name, "y[1]");
    hcri_set_column_name(&builder->set, 2, name, sizeof name);
    assert_string_equal(name, "price");
    const double upper[3] = {1, 1, 1};
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 3, NULL, upper, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "late", 1, 1, NULL), HCR_ERROR_ARGUMENT);
    hcr_builder_free(builder);
}

static void test_bounds(void **state) {
    (void)state;
    hcr_builder *builder = two_outputs();
    const double wide[2] = {-1, -INFINITY}, tight[2] = {-0.5, -3}, upper[2] = {1e20, INFINITY}, bad[2] = {0, NAN};
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 2, wide, upper, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 2, tight, NULL, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 2, bad, NULL, NULL), HCR_ERROR_DATA);
    assert_int_equal(hcr_builder_add_bounds(builder, 1, 2, tight, NULL, NULL), HCR_ERROR_SHAPE);
    const hcri_box *box = builder->set.box;
    assert_true(box->lower[0] == -0.5 && box->lower[1] == -3 && isinf(box->upper[0]) && isinf(box->upper[1]));
    hcr_builder_free(builder);
}

/* C16: rows of zeros. */
static void test_zero_rows(void **state) {
    (void)state;
    hcr_builder *builder = two_outputs();
    const double zero[2] = {0, 0}, holds[] = {0, 1, 4e-8}, fails = -1;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(hcr_builder_add_rows(builder, 1, zero, NULL, &holds[i], NULL), HCR_OK);
    assert_int_equal(builder->set.linear->rows.count, 0);
    hcr_error error;
    assert_int_equal(hcr_builder_add_rows(builder, 1, zero, NULL, &fails, &error), HCR_ERROR_EMPTY);
    assert_non_null(strstr(error.text, "row 0"));
    hcr_builder_free(builder);
}

static void test_refused_rows_change_nothing(void **state) {
    (void)state;
    hcr_builder *builder = two_outputs();
    const double good[4] = {1, 0, 2, 3}, upper[2] = {1, 1};
    assert_int_equal(hcr_builder_add_rows(builder, 2, good, NULL, upper, NULL), HCR_OK);
    assert_int_equal(builder->set.linear->rows.start[1], 1); /* the zero isn't stored */
    const double bad[4] = {1, 1, 1, NAN}, huge[2] = {1e51, 0};
    assert_int_equal(hcr_builder_add_rows(builder, 2, bad, NULL, upper, NULL), HCR_ERROR_DATA);
    assert_int_equal(hcr_builder_add_rows(builder, 1, huge, NULL, upper, NULL), HCR_ERROR_DATA);
    const size_t start[2] = {0, 2};
    const uint32_t backwards[2] = {1, 0}, outside[2] = {0, 2};
    assert_int_equal(hcr_builder_add_sparse_rows(builder, 1, start, backwards, good, NULL, upper, NULL),
                     HCR_ERROR_SHAPE);
    assert_int_equal(hcr_builder_add_sparse_rows(builder, 1, start, outside, good, NULL, upper, NULL), HCR_ERROR_SHAPE);
    assert_int_equal(builder->set.linear->rows.count, 2);
    assert_int_equal(builder->set.linear->base.count, 4);
    hcr_builder_free(builder);
}

static void test_sources(void **state) {
    (void)state;
    hcr_builder *builder = two_outputs();
    const double upper[2] = {1, 1}, lower[2] = {-1, -1}, row[2] = {1, 1};
    assert_int_equal(hcr_builder_set_source(builder, "a.region", 3, 1, "-1 <= y <= 1", NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 2, lower, upper, NULL), HCR_OK);
    assert_int_equal(hcr_builder_set_source(builder, "a.region", 4, 1, "sum(y) <= 1", NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_rows(builder, 1, row, NULL, upper, NULL), HCR_OK);
    assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
    const double origin[2] = {0, 0};
    hcr_region *region = NULL;
    assert_int_equal(
        hcri_region_create(&builder->set,
                           &(hcri_analysis){.origin = origin, .lower = lower, .upper = upper, .radius = INFINITY}, NULL,
                           &region, NULL),
        HCR_OK);
    hcr_builder_free(builder);
    assert_int_equal(hcr_region_constraints(region), 6);
    const hcr_constraint_info bound = hcr_region_constraint(region, 3), sum = hcr_region_constraint(region, 4);
    assert_string_equal(bound.kind, "box");
    assert_int_equal(bound.line, 3);
    assert_int_equal(bound.row, 1);
    assert_string_equal(sum.kind, "linear");
    assert_string_equal(sum.text, "sum(y) <= 1");
    hcr_region_free(region);
}

/* An origin on or over a constraint is refused with the constraint's source. */
static void test_origin_outside(void **state) {
    (void)state;
    hcr_builder *builder = two_outputs();
    const double upper[2] = {1, 1}, lower[2] = {-1, -1};
    assert_int_equal(hcr_builder_set_source(builder, "a.region", 3, 1, "-1 <= y <= 1", NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 2, lower, upper, NULL), HCR_OK);
    assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
    const double on[2] = {1, 0};
    hcr_region *region = NULL;
    hcr_error error;
    assert_int_equal(
        hcri_region_create(&builder->set,
                           &(hcri_analysis){.origin = on, .lower = lower, .upper = upper, .radius = INFINITY}, NULL,
                           &region, &error),
        HCR_ERROR_ORIGIN);
    assert_null(region);
    assert_int_equal(error.line, 3);
    assert_non_null(strstr(error.text, "-1 <= y <= 1"));
    hcr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),     cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_zero_rows), cmocka_unit_test(test_refused_rows_change_nothing),
        cmocka_unit_test(test_sources),   cmocka_unit_test(test_origin_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
