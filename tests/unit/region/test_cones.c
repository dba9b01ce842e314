/* Cones and matrix inequalities in the builder: what is refused, and that a refusal changes nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kinds/cone/cone.h"
#include "kinds/lmi/lmi.h"
#include "region/builder.h"
#include "scratch.h"

static hcr_error error;

static hcr_builder *three_outputs(void) {
    hcr_builder *builder = NULL;
    assert_int_equal(hcr_builder_create(NULL, &builder, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "y", 3, 0, NULL), HCR_OK);
    return builder;
}

static void assert_untouched(const hcr_builder *builder) {
    assert_true(builder->set.blocks <= 2 && builder->place_rows == 0);
    assert_true(builder->set.blocks < 2 || builder->set.linear->rows.count == 0);
}

static void test_cones_refused(void **state) {
    (void)state;
    const size_t start[3] = {0, 1, 3}, backwards[3] = {0, 2, 1};
    const uint32_t columns[3] = {0, 1, 2}, twice[3] = {0, 2, 2}, outside[3] = {0, 1, 3};
    const double values[3] = {1, 1, 1}, large[3] = {1, 1, 1e51}, lost[3] = {1, NAN, 1}, shift[2] = {0, INFINITY};
    const hcr_cone good = {.rows = 2, .start = start, .columns = columns, .values = values, .constant = 1};
    hcr_builder *builder = three_outputs();
    struct {
        hcr_cone cone;
        hcr_status status;
        const char *text;
    } cases[] = {{good, HCR_ERROR_ARGUMENT, "start"},       {good, HCR_ERROR_ARGUMENT, "columns"},
                 {good, HCR_ERROR_SHAPE, "ends before"},    {good, HCR_ERROR_SHAPE, "column 2"},
                 {good, HCR_ERROR_SHAPE, "column 3"},       {good, HCR_ERROR_DATA, "1e+51"},
                 {good, HCR_ERROR_DATA, "number 1 of the"}, {good, HCR_ERROR_DATA, "linear part"},
                 {good, HCR_ERROR_DATA, "cone's constant"}, {good, HCR_ERROR_EMPTY, "below 0"}};
    cases[0].cone.start = NULL;
    cases[1].cone.columns = NULL;
    cases[2].cone.start = backwards;
    cases[3].cone.columns = twice;
    cases[4].cone.columns = outside;
    cases[5].cone.values = large;
    cases[6].cone.shift = shift;
    cases[7].cone.linear = lost;
    cases[8].cone.constant = NAN;
    cases[9].cone.constant = -1;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        assert_int_equal(hcr_builder_add_cone(builder, &cases[k].cone, &error), cases[k].status);
        assert_non_null(strstr(error.text, cases[k].text));
        assert_untouched(builder);
    }
    assert_int_equal(hcr_builder_add_cone(builder, NULL, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_builder_add_cone(NULL, &good, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_builder_add_cone(builder, &good, &error), HCR_OK);
    assert_int_equal(builder->set.blocks, 3);
    hcr_builder_free(builder);
}

static void test_lmis_refused(void **state) {
    (void)state;
    const uint32_t outputs[2] = {2, 0}, twice[2] = {2, 2}, outside[2] = {0, 3};
    const double constant[4] = {1, 0.5, 0.5, 1}, lopsided[4] = {1, 0.5, 0.25, 1}, lost[4] = {1, NAN, NAN, 1};
    const double matrices[8] = {1, 0, 0, -1, 0, 1, 1, 0}, large[8] = {1, 0, 0, -1, 0, 1e51, 1e51, 0};
    const hcr_lmi good = {.size = 2, .constant = constant, .terms = 2, .outputs = outputs, .matrices = matrices};
    hcr_builder *builder = three_outputs();
    struct {
        hcr_lmi lmi;
        hcr_status status;
        const char *text;
    } cases[] = {{good, HCR_ERROR_SHAPE, "0 rows"},         {good, HCR_ERROR_ARGUMENT, "matrices"},
                 {good, HCR_ERROR_ARGUMENT, "outputs"},     {good, HCR_ERROR_SHAPE, "output 2 has two"},
                 {good, HCR_ERROR_SHAPE, "output 3 of 3"},  {good, HCR_ERROR_CONVEXITY, "entry (1, 0) is 0.25"},
                 {good, HCR_ERROR_DATA, "constant matrix"}, {good, HCR_ERROR_DATA, "matrix 1 is 1e+51"}};
    cases[0].lmi.size = 0;
    cases[1].lmi.matrices = NULL;
    cases[2].lmi.outputs = NULL;
    cases[3].lmi.outputs = twice;
    cases[4].lmi.outputs = outside;
    cases[5].lmi.constant = lopsided;
    cases[6].lmi.constant = lost;
    cases[7].lmi.matrices = large;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        assert_int_equal(hcr_builder_add_lmi(builder, &cases[k].lmi, &error), cases[k].status);
        assert_non_null(strstr(error.text, cases[k].text));
        assert_untouched(builder);
    }
    assert_int_equal(hcr_builder_add_lmi(builder, NULL, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_builder_add_lmi(NULL, &good, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_builder_add_lmi(builder, &good, &error), HCR_OK);
    assert_int_equal(builder->set.blocks, 3);
    /* [[1 + y2, ½ + y0], [½ + y0, 1 − y2]] */
    const hcri_lmi *lmi = (const hcri_lmi *)builder->set.block[2];
    assert_int_equal(lmi->size, 2);
    const double y[3] = {0.25, 9, 0.5};
    assert_true(fabs(lmi->base.kind->value(&lmi->base, 0, y, NULL, scratch_for(&lmi->base)) - (hypot(0.5, 0.75) - 1)) <
                1e-15);
    hcr_builder_free(builder);
}

/* A matrix of blocks whose rows are shuffled: its parts, and where they come from. A part that can't hold takes back
 * the others. */
static void test_parts(void **state) {
    (void)state;
    enum { SIZE = 6 };
    const uint32_t outputs[3] = {0, 1, 2};
    double constant[SIZE * SIZE] = {0}, matrices[3][SIZE * SIZE] = {{0}};
    for (size_t a = 0; a < SIZE; a++)
        constant[a * SIZE + a] = a == 4 ? 0 : 1;
    matrices[0][0 * SIZE + 3] = matrices[0][3 * SIZE + 0] = 1; /* rows 0 and 3 */
    matrices[1][1 * SIZE + 5] = matrices[1][5 * SIZE + 1] = 1; /* rows 1 and 5 */
    matrices[2][2 * SIZE + 2] = -1;                            /* row 2; row 4 is dead */
    const hcr_lmi lmi = {
        .size = SIZE, .constant = constant, .terms = 3, .outputs = outputs, .matrices = &matrices[0][0]};
    hcr_builder *builder = three_outputs();
    assert_int_equal(hcr_builder_add_lmi(builder, &lmi, &error), HCR_OK);
    assert_int_equal(builder->set.blocks, 4);
    assert_int_equal(builder->set.linear->rows.count, 1);
    assert_true(builder->set.linear->lower[0] == -1 && builder->set.linear->rows.values[0] == -1);
    const double y[3] = {2, 3, 0};
    for (size_t b = 2; b < 4; b++) {
        const hcri_constraint *block = builder->set.block[b];
        assert_int_equal(((const hcri_lmi *)block)->size, 2);
        assert_true(fabs(block->kind->value(block, 0, y, NULL, scratch_for(block)) - (b == 2 ? 1 : 2)) < 1e-14);
    }
    hcr_builder_free(builder);
    builder = three_outputs();
    constant[4 * SIZE + 4] = -1;
    assert_int_equal(hcr_builder_add_lmi(builder, &lmi, &error), HCR_ERROR_EMPTY);
    assert_untouched(builder);
    hcr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cones_refused), cmocka_unit_test(test_lmis_refused),
                                       cmocka_unit_test(test_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
