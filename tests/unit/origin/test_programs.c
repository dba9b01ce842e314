/* Programs whose answers are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "origin/newton_centre.h"
#include "region/builder.h"
#include "solvers/linear_program.h"

static void add(hcri_program *program, double a, double b, double lower, double upper) {
    const uint32_t columns[2] = {0, 1};
    const double values[2] = {a, b};
    assert_int_equal(hcri_program_add_row(program, (hcri_row){2, columns, values}, lower, upper, NULL), HCR_OK);
}

/* max 3x + 2y over x + y <= 4, x + 3y <= 9, 0 <= x <= 3: at (3, 1), value 11, where x <= 3 and the first row hold it.
 */
static void test_optimum(void **state) {
    (void)state;
    hcri_program program;
    hcri_lp *lp;
    hcri_lp_outcome outcome;
    assert_int_equal(hcri_program_create(&program, 2, NULL), HCR_OK);
    program.lower[0] = program.lower[1] = 0;
    program.upper[0] = 3;
    add(&program, 1, 1, -INFINITY, 4);
    add(&program, 1, 3, -INFINITY, 9);
    assert_int_equal(hcri_lp_create(&program, &lp, NULL), HCR_OK);
    assert_int_equal(hcri_lp_maximise(lp, (double[]){3, 2}, &outcome, NULL), HCR_OK);
    assert_int_equal(outcome, HCRI_LP_OPTIMAL);
    assert_true(fabs(hcri_lp_value(lp) - 11) < 1e-9);
    assert_true(fabs(hcri_lp_solution(lp)[0] - 3) < 1e-9 && fabs(hcri_lp_solution(lp)[1] - 1) < 1e-9);
    /* Each unit that an upper side gives way is worth its multiplier: positive there, and 0 where nothing holds. */
    assert_true(fabs(hcri_lp_multipliers(lp)[0] - 2) < 1e-9);
    assert_true(fabs(hcri_lp_multipliers(lp)[1]) < 1e-9);
    /* Again, from the last basis. */
    assert_int_equal(hcri_lp_maximise(lp, (double[]){0, 1}, &outcome, NULL), HCR_OK);
    assert_true(outcome == HCRI_LP_OPTIMAL && fabs(hcri_lp_value(lp) - 3) < 1e-9);
    assert_int_equal(hcri_lp_maximise(lp, (double[]){-1, -1}, &outcome, NULL), HCR_OK);
    assert_true(outcome == HCRI_LP_OPTIMAL && fabs(hcri_lp_value(lp)) < 1e-9);
    hcri_lp_free(lp);
    hcri_program_release(&program);
}

static void test_no_optimum(void **state) {
    (void)state;
    for (int empty = 0; empty < 2; empty++) {
        hcri_program program;
        hcri_lp *lp;
        hcri_lp_outcome outcome;
        assert_int_equal(hcri_program_create(&program, 2, NULL), HCR_OK);
        add(&program, 1, -1, -INFINITY, 1);
        add(&program, 1, 1, 2, empty ? 1 : INFINITY);
        assert_int_equal(hcri_lp_create(&program, &lp, NULL), HCR_OK);
        assert_int_equal(hcri_lp_maximise(lp, (double[]){1, 1}, &outcome, NULL), HCR_OK);
        assert_int_equal(outcome, empty ? HCRI_LP_INFEASIBLE : HCRI_LP_UNBOUNDED);
        hcri_lp_free(lp);
        hcri_program_release(&program);
    }
}

/* A builder with two outputs and the disc |y| <= 1 in each of the three forms. */
static hcr_builder *disc(hcr_quadratic_form form) {
    static const double ones[2] = {1, 1}, identity[4] = {1, 0, 0, 1};
    static const size_t start[3] = {0, 1, 2};
    static const uint32_t columns[2] = {0, 1};
    hcr_builder *builder;
    assert_int_equal(hcr_builder_create(NULL, &builder, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "y", 2, 0, NULL), HCR_OK);
    hcr_quadratic quadratic = {.form = form, .matrix = form == HCR_QUADRATIC_DENSE ? identity : ones, .radius = 1};
    if (form == HCR_QUADRATIC_FACTOR) {
        quadratic.rank = 2;
        quadratic.factor_start = start;
        quadratic.factor_columns = columns;
        quadratic.factor_values = ones;
    }
    assert_int_equal(hcr_builder_add_quadratic(builder, &quadratic, NULL), HCR_OK);
    return builder;
}

/* A disc's point that is deepest, max r with g + r <= 0: its centre, r = ½; and the analytic centre of the half disc y1
 * >= 0, the maximum of log y1 + log((1 − y1²)/2): y1 = 1/√3. */
static void test_deepest_and_analytic(void **state) {
    (void)state;
    for (int form = 0; form < 3; form++) {
        hcr_builder *builder = disc((hcr_quadratic_form)form);
        const double centre[2] = {0.2, 0.3}, weight[1] = {1};
        hcri_program program;
        hcri_barrier_set set = {
            .set = &builder->set, .program = &program, .centre = centre, .scale = 1, .weight = weight};
        assert_int_equal(hcri_program_create(&program, 3, NULL), HCR_OK);
        program.upper[2] = 2;
        double z[3], multiplier[2], gap;
        int found;
        assert_int_equal(hcri_newton_deepest(&set, 1e-9, z, multiplier, &gap, NULL), HCR_OK);
        assert_true(gap <= 1e-9 && fabs(z[2] - 0.5) <= 1e-9 && fabs(multiplier[0] - 1) < 1e-6);
        assert_true(fabs(z[0] + 0.2) < 1e-4 && fabs(z[1] + 0.3) < 1e-4); /* the root of the gap */

        const uint32_t columns[2] = {1, 2}; /* y1 >= 0 */
        const double values[2] = {-1, 1};
        assert_int_equal(hcri_program_add_row(&program, (hcri_row){2, columns, values}, -INFINITY, 0.3, NULL), HCR_OK);
        assert_int_equal(hcri_newton_centre(&set, 0, NULL, z, &found, NULL), HCR_OK);
        assert_true(found && fabs(centre[0] + z[0]) < 1e-8 && fabs(centre[1] + z[1] - 1 / sqrt(3)) < 1e-8);
        /* With y1 held where it is: the middle of that chord. */
        assert_int_equal(hcri_newton_centre(&set, 0, (int[]){1}, z, &found, NULL), HCR_OK);
        assert_true(found && fabs(centre[0] + z[0]) < 1e-8 && fabs(z[1]) < 1e-12);
        hcri_program_release(&program);
        hcr_builder_free(builder);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_optimum), cmocka_unit_test(test_no_optimum),
                                       cmocka_unit_test(test_deepest_and_analytic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
