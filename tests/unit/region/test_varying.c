/* Rows with products of outputs and parameters: what the builder takes and refuses, and a region that has them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kinds/varying/varying.h"
#include "region/builder.h"
#include "region/region.h"

static hcr_error error;

/* Outputs y[2] and a parameter p between 1 and 2. */
static hcr_builder *make_builder(void) {
    static const double low = 1, high = 2, lower[2] = {-4, -4}, upper[2] = {4, 4};
    hcr_builder *builder = NULL;
    assert_int_equal(hcr_builder_create(NULL, &builder, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_parameter(builder, "p", 1, 1, &low, &high, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "y", 2, 0, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 2, lower, upper, NULL), HCR_OK);
    return builder;
}

static const size_t start[] = {0, 2, 3, 3}, product_start[] = {0, 1, 3, 3};
static const uint32_t columns[] = {0, 2, 1}, product_outputs[] = {1, 0, 0}, product_parameters[] = {0, 0, 0};
static const double values[] = {1, 0, -1}, product_values[] = {2, 1, 1}, lower[] = {-INFINITY, -1e20, -1},
                    upper[] = {3, 2, 1e30};

/* Row 0: y0 + 2 p y1 <= 3; row 1: −y1 + 2 p y0 <= 2; row 2 says nothing. */
static hcr_varying_rows rows(void) {
    return (hcr_varying_rows){
        3, start, columns, values, product_start, product_outputs, product_parameters, product_values, lower, upper};
}

static void test_what_is_kept(void **state) {
    (void)state;
    hcr_builder *builder = make_builder();
    assert_int_equal(hcr_builder_set_source(builder, "f", 3, 1, "text", NULL), HCR_OK);
    const hcr_varying_rows varying = rows();
    assert_int_equal(hcr_builder_add_varying_rows(builder, &varying, &error), HCR_OK);
    assert_int_equal(builder->set.blocks, 3);
    const hcri_varying *block = (const hcri_varying *)builder->set.block[2];
    assert_true(block->base.kind == &hcri_kind_varying && block->rows.count == 2 && block->pairs == 2);
    assert_true(isinf(block->lower[0]) && isinf(block->lower[1]) && block->upper[1] == 2);
    assert_int_equal(block->rows.start[2], 2); /* without the zero */
    assert_int_equal(block->products.start[2], 2);
    assert_true(block->products.values[1] == 2); /* 1 + 1, the same pair twice */
    for (size_t i = 0; i < 4; i++)
        assert_true(block->base.source[i] == builder->place && block->base.source_row[i] == i / 2);
    assert_int_equal(builder->place_rows, 3);

    const hcr_varying_rows none = {0};
    assert_int_equal(hcr_builder_add_varying_rows(builder, &none, NULL), HCR_OK);
    const size_t empty[2] = {0, 0};
    const double one = 1, two = 2, minus = -1;
    const hcr_varying_rows holds = {.rows = 1, .start = empty, .product_start = empty, .upper = &one};
    assert_int_equal(hcr_builder_add_varying_rows(builder, &holds, NULL), HCR_OK);
    assert_int_equal(builder->set.blocks, 3);
    hcr_varying_rows fails = holds;
    fails.lower = &one;
    fails.upper = &two;
    assert_int_equal(hcr_builder_add_varying_rows(builder, &fails, NULL), HCR_ERROR_EMPTY);
    fails.lower = NULL;
    fails.upper = &minus;
    assert_int_equal(hcr_builder_add_varying_rows(builder, &fails, NULL), HCR_ERROR_EMPTY);
    hcr_builder_free(builder);
}

static void refuse(const hcr_varying_rows *varying, hcr_status status, const char *text) {
    hcr_builder *builder = make_builder();
    assert_int_equal(hcr_builder_add_varying_rows(builder, varying, &error), status);
    assert_non_null(strstr(error.text, text));
    assert_true(builder->set.blocks == 2 && builder->place_rows == 2); /* the bounds' */
    hcr_builder_free(builder);
}

static void test_sides_that_meet(void **state) {
    (void)state;
    static const double meeting[] = {3, -1, -1};
    hcr_builder *builder = make_builder();
    hcr_varying_rows varying = rows();
    varying.lower = meeting;
    assert_int_equal(hcr_builder_add_varying_rows(builder, &varying, &error), HCR_OK);
    const hcri_equalities *equalities = &builder->set.equalities;
    assert_true(equalities->rows.count == 1 && equalities->right[0] == 3 && equalities->products > 0);
    for (size_t k = 0; k < equalities->products; k++)
        assert_true(equalities->product_row[k] == 0 && equalities->product_parameter[k] >= builder->set.outputs);
    assert_int_equal(builder->place_rows, 2 + varying.rows);
    hcr_builder_free(builder);
}

static void test_what_is_refused(void **state) {
    (void)state;
    hcr_varying_rows bad = rows();
    static const uint32_t outside[] = {2, 0, 0}, wide[] = {0, 3, 1};
    static const double not_a_number[] = {2, NAN, 1}, huge[] = {1, 1e60, 0}, crossing[] = {4, -1, -1},
                        unknown[] = {NAN, 0, 0}, infinite[] = {INFINITY, 0, 0};
    static const size_t backwards[] = {0, 2, 1, 3};
    bad.product_outputs = outside;
    refuse(&bad, HCR_ERROR_SHAPE, "output 2 and parameter 0");
    bad = rows();
    bad.product_parameters = outside;
    refuse(&bad, HCR_ERROR_SHAPE, "parameter 2");
    bad = rows();
    bad.columns = wide;
    refuse(&bad, HCR_ERROR_SHAPE, "row 0 has column 3");
    bad = rows();
    bad.product_start = backwards;
    refuse(&bad, HCR_ERROR_SHAPE, "row 1 ends before");
    bad = rows();
    bad.product_values = not_a_number;
    refuse(&bad, HCR_ERROR_DATA, "coefficient nan");
    bad = rows();
    bad.values = huge;
    refuse(&bad, HCR_ERROR_DATA, "1e+60");
    bad = rows();
    bad.lower = crossing;
    refuse(&bad, HCR_ERROR_EMPTY, "row 0");
    bad.lower = unknown;
    refuse(&bad, HCR_ERROR_DATA, "NaN");
    bad.lower = infinite;
    refuse(&bad, HCR_ERROR_EMPTY, "infinite bound");
    bad = rows();
    bad.product_values = NULL;
    refuse(&bad, HCR_ERROR_ARGUMENT, "_values is NULL");
    assert_int_equal(hcr_builder_add_varying_rows(NULL, &bad, NULL), HCR_ERROR_ARGUMENT);

    hcr_builder *builder = make_builder();
    bad = rows();
    assert_int_equal(hcr_builder_begin_group(builder, HCR_GROUP_UNION, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_varying_rows(builder, &bad, &error), HCR_ERROR_UNSUPPORTED);
    hcr_builder_free(builder);
}

/* A region of them, with O(p) = (p/4 − 1/2, 0): proved to be inside, saved, read and the same again. */
static void test_region(void **state) {
    (void)state;
    hcr_builder *builder = make_builder();
    const hcr_varying_rows varying = rows();
    assert_int_equal(hcr_builder_add_varying_rows(builder, &varying, NULL), HCR_OK);
    assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
    double constant[2] = {-0.5, 0}, origin[3] = {-0.125, 0, 1.5}, low[3] = {-4, -4, 1}, high[3] = {4, 4, 2};
    hcri_origin_map origin_map = {.outputs = 2, .parameters = 1, .constant = constant};
    const uint32_t first = 0;
    double share = 0.25;
    for (size_t j = 0; j < 2; j++)
        assert_int_equal(hcri_rows_append(&origin_map.map, &builder->set.allocator, 1 - j, &first, &share, NULL),
                         HCR_OK);
    const hcri_analysis analysis = {
        .origin = origin, .lower = low, .upper = high, .radius = INFINITY, .origin_map = &origin_map};
    hcr_region *region = NULL, *copy = NULL;
    assert_int_equal(hcri_region_create(&builder->set, &analysis, NULL, &region, &error), HCR_OK);
    assert_true(region->origin_proved && region->origin_map.proved);
    assert_true(region->margin[HCR_DOUBLE] > 0 && region->margin[HCR_DOUBLE] < 1e-13);
    assert_int_equal(hcr_region_origin_form(region), HCR_ORIGIN_FORM_AFFINE);
    assert_string_equal(hcr_region_constraint(region, region->constraints - 1).kind, "varying");
    void *bytes = NULL, *again = NULL;
    size_t size, size_again;
    assert_int_equal(hcr_region_write(region, &bytes, &size, NULL), HCR_OK);
    assert_int_equal(hcr_region_read(bytes, size, NULL, &copy, NULL), HCR_OK);
    assert_int_equal(hcr_region_write(copy, &again, &size_again, NULL), HCR_OK);
    assert_true(size == size_again && memcmp(bytes, again, size) == 0);
    hcr_region_free(copy);
    hcr_region_free(region);

    /* O = 0.45 (p, p) has y0 + 2 p y1 = 2.7 in the middle of the range, but 4.5 at its end: no longer proved. */
    constant[0] = 0;
    share = 0.45;
    origin[0] = origin[1] = 0.675;
    hcri_rows_release(&origin_map.map, &builder->set.allocator);
    for (size_t j = 0; j < 2; j++)
        assert_int_equal(hcri_rows_append(&origin_map.map, &builder->set.allocator, 1, &first, &share, NULL), HCR_OK);
    assert_int_equal(hcri_region_create(&builder->set, &analysis, NULL, &region, &error), HCR_OK);
    assert_true(!region->origin_proved && !region->origin_map.proved);
    assert_int_equal(hcr_region_origin_form(region), HCR_ORIGIN_FORM_CHECKED);
    hcr_region_free(region);
    hcri_rows_release(&origin_map.map, &builder->set.allocator);
    hcr_builder_free(builder);
    hcr_free(bytes);
    hcr_free(again);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_is_kept), cmocka_unit_test(test_sides_that_meet),
                                       cmocka_unit_test(test_what_is_refused), cmocka_unit_test(test_region)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
