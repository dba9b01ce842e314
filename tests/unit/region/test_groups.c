/* Groups of a builder: what they refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "hcr/hcr_build.h"
#include "unit/plane.h"

static void assert_refused(hcr_status status, hcr_status expected, const hcr_error *error, const char *says) {
    assert_int_equal(status, expected);
    assert_non_null(strstr(error->text, says));
}

/* Everything between begin and end goes to the current body, and comes from where it was added. */
static void test_bodies(void **state) {
    (void)state;
    hcr_builder *builder = start();
    OK(hcr_builder_set_source(builder, "a.region", 2, 1, "union:", NULL));
    begin(builder, HCR_GROUP_UNION);
    OK(hcr_builder_set_source(builder, "a.region", 3, 5, "first", NULL));
    rectangle(builder, 0, 0, 1, 1);
    next(builder);
    OK(hcr_builder_set_source(builder, "a.region", 5, 5, "second", NULL));
    disc(builder, 0, 0, 1);
    const double row[2] = {1, 1}, most = 1;
    OK(hcr_builder_add_rows(builder, 1, row, NULL, &most, NULL));
    end(builder);
    rectangle(builder, -3, -3, 3, 3);
    assert_int_equal(builder->set.blocks, 3);
    const hcri_union *set = (const hcri_union *)builder->set.block[2];
    assert_int_equal(set->bodies, 2);
    assert_int_equal(hcri_body_inequalities(&set->body[0]), 4);
    assert_int_equal(hcri_body_inequalities(&set->body[1]), 2);
    assert_true(builder->set.box->upper[0] == 3 && builder->set.linear->rows.count == 0);
    assert_true(set->body[0].box->upper[0] == 1 && set->body[1].linear->rows.count == 1);
    assert_string_equal(builder->set.place[set->base.source[0]].text, "union:");
    assert_string_equal(builder->set.place[set->body[1].block[2]->source[0]].text, "second");
    assert_false(set->base.convex);
    hcr_builder_free(builder);
}

static void test_group_errors(void **state) {
    (void)state;
    hcr_builder *builder = start();
    hcr_error error = {0};
    assert_refused(hcr_builder_end_group(builder, &error), HCR_ERROR_ARGUMENT, &error, "without a group");
    assert_refused(hcr_builder_next(builder, &error), HCR_ERROR_ARGUMENT, &error, "without a group");
    begin(builder, HCR_GROUP_UNION);
    assert_refused(hcr_builder_begin_group(builder, HCR_GROUP_EXCEPT, &error), HCR_ERROR_ARGUMENT, &error,
                   "inside another");
    assert_refused(hcr_builder_next(builder, &error), HCR_ERROR_ARGUMENT, &error, "no constraints");
    assert_refused(hcr_builder_end_group(builder, &error), HCR_ERROR_ARGUMENT, &error, "no constraints");
    const size_t starts[2] = {0, 1};
    const uint32_t column = 0;
    const double one = 1;
    assert_int_not_equal(hcr_builder_add_equalities(builder, 1, starts, &column, &one, &one, &error), HCR_OK);
    disc(builder, 0, 0, 1);
    next(builder);
    rectangle(builder, 1, 0, 1, 4);
    assert_refused(hcr_builder_end_group(builder, &error), HCR_ERROR_EMPTY, &error,
                   "y[0] is to be at least 1 and at most 1");
    hcr_builder_free(builder); /* with an open group */

    builder = start();
    begin(builder, HCR_GROUP_EXCEPT);
    disc(builder, 0, 0, 1);
    assert_refused(hcr_builder_next(builder, &error), HCR_ERROR_ARGUMENT, &error, "one body");
    end(builder);
    assert_refused(hcr_builder_begin_group(builder, (hcr_group)2, &error), HCR_ERROR_ARGUMENT, &error, "group");
    hcr_builder_free(builder);

    builder = start();
    begin(builder, HCR_GROUP_UNION);
    for (size_t k = 1; k < HCRI_MOST_BODIES; k++) {
        disc(builder, (double)k, 0, 1);
        next(builder);
    }
    disc(builder, 0, 0, 1);
    assert_refused(hcr_builder_next(builder, &error), HCR_ERROR_UNSUPPORTED, &error, "more than");
    end(builder);
    assert_int_equal(builder->set.blocks, 3);
    hcr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_group_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
