/* The wrappers of CLP and IPOPT on programs whose answers are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "region/builder.h"
#include "solvers/nonlinear_program.h"

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

/* The nearest point of the disc with y0 <= 0.7 to (3, 4) is (0.6, 0.8): there (2.4, 3.2) = 4 (0.6, 0.8), so the disc
 * alone holds it, with the multiplier 4. With y0 <= 0.28 it is (0.28, 0.96): the disc has 3.04/0.96, the bound 2.72 −
 * 0.28·3.04/0.96. IPOPT was asked for 1e-10; 1e-8 is what that means for a point. It leaves no files. */
static void test_nearest(void **state) {
    (void)state;
    const double bounds[2] = {0.7, 0.28}, expected[2][2] = {{0.6, 0.8}, {0.28, 0.96}};
    for (int form = 0; form < 3; form++)
        for (int which = 0; which < 2; which++) {
            hcr_builder *builder = disc((hcr_quadratic_form)form);
            hcri_program program;
            assert_int_equal(hcri_program_create(&program, 2, NULL), HCR_OK);
            program.upper[0] = (bounds[which] - 0.1) / 2;
            const double centre[2] = {0.1, -0.2}, weight[1] = {0.7};
            const hcri_nlp_parts parts = {.set = &builder->set,
                                          .program = &program,
                                          .centre = centre,
                                          .scale = 2,
                                          .weight = weight,
                                          .slack = SIZE_MAX};
            hcri_nlp *nlp;
            assert_int_equal(hcri_nlp_create(&parts, &nlp, NULL), HCR_OK);
            hcri_nlp_square(nlp)[0] = hcri_nlp_square(nlp)[1] = 4;
            hcri_nlp_target(nlp)[0] = (3 - 0.1) / 2;
            hcri_nlp_target(nlp)[1] = (4 + 0.2) / 2;
            for (int again = 0; again < 2; again++) { /* the same bits from the same start */
                static double first[2];
                double z[2] = {0, 0};
                assert_true(hcri_nlp_solve(nlp, 1e-10, z));
                assert_true(fabs(centre[0] + 2 * z[0] - expected[which][0]) < 1e-8);
                assert_true(fabs(centre[1] + 2 * z[1] - expected[which][1]) < 1e-8);
                if (again)
                    assert_memory_equal(first, z, sizeof z);
                memcpy(first, z, sizeof z);
            }
            const double ball = which == 0 ? 4 : 3.04 / 0.96;
            assert_true(fabs(hcri_nlp_quadratic_multipliers(nlp)[0] / weight[0] - ball) < 1e-6);
            hcri_nlp_free(nlp);
            hcri_program_release(&program);
            hcr_builder_free(builder);
        }
    assert_int_not_equal(access("ipopt.out", F_OK), 0);
}

/* A disc's point that is deepest, max r with g + r <= 0: its centre, r = ½; and the analytic centre of the half disc y1
 * >= 0, the maximum of log y1 + log((1 − y1²)/2): y1 = 1/√3. */
static void test_deepest_and_analytic(void **state) {
    (void)state;
    for (int form = 0; form < 3; form++) {
        hcr_builder *builder = disc((hcr_quadratic_form)form);
        const double centre[2] = {0.2, 0.3}, weight[1] = {1};
        hcri_nlp_parts parts = {.set = &builder->set, .centre = centre, .scale = 1, .weight = weight, .slack = 2};
        hcri_program program;
        hcri_nlp *nlp;
        assert_int_equal(hcri_program_create(&program, 3, NULL), HCR_OK);
        parts.program = &program;
        assert_int_equal(hcri_nlp_create(&parts, &nlp, NULL), HCR_OK);
        hcri_nlp_linear(nlp)[2] = -1;
        double x[4] = {0.1, 0.1, -1, 0};
        assert_true(hcri_nlp_solve(nlp, 1e-10, x));
        assert_true(fabs(x[0] + 0.2) < 1e-4 && fabs(x[1] + 0.3) < 1e-4 && fabs(x[2] - 0.5) < 1e-8);
        hcri_nlp_free(nlp);
        hcri_program_release(&program);

        /* Columns: z, the slack of y1 >= 0 (−z1 + s = 0.3), the slack of the disc. */
        assert_int_equal(hcri_program_create(&program, 4, NULL), HCR_OK);
        program.lower[2] = program.lower[3] = 0;
        const uint32_t columns[2] = {1, 2};
        const double values[2] = {-1, 1};
        assert_int_equal(hcri_program_add_row(&program, (hcri_row){2, columns, values}, 0.3, 0.3, NULL), HCR_OK);
        parts.slack = 3;
        parts.equality = 1;
        assert_int_equal(hcri_nlp_create(&parts, &nlp, NULL), HCR_OK);
        hcri_nlp_logarithm(nlp)[2] = hcri_nlp_logarithm(nlp)[3] = 1;
        double start[4] = {0, 0, 0.3, 0.5 * (1 - 0.04 - 0.09)};
        assert_true(hcri_nlp_solve(nlp, 1e-10, start));
        assert_true(fabs(centre[0] + start[0]) < 1e-8);
        assert_true(fabs(centre[1] + start[1] - 1 / sqrt(3)) < 1e-8);
        hcri_nlp_free(nlp);
        hcri_program_release(&program);
        hcr_builder_free(builder);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_optimum), cmocka_unit_test(test_no_optimum),
                                       cmocka_unit_test(test_nearest), cmocka_unit_test(test_deepest_and_analytic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
