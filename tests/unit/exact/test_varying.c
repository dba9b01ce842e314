/* Exact decisions on rows with products of outputs and parameters: ties that only all digits of three factors decide,
 * and random ones against fractions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <gmp.h>

#include "base/random.h"
#include "exact/exact_sign.h"
#include "hcr/hcr_build.h"
#include "region/builder.h"
#include "scratch.h"

enum { N = 3, P = 2, ROWS = 2, PRODUCTS = 3 };

/* a0 y0 + a1 y1 + a2 x1 + p0 y0 x1 + p1 y2 x0 and a3 y2 + p2 y1 x0, between the bounds. */
static hcr_builder *make(const double *values, const double *product_values, const double *lower, const double *upper) {
    static const size_t start[] = {0, 3, 4}, product_start[] = {0, 2, 3};
    static const uint32_t columns[] = {0, 1, 4, 2}, outputs[] = {0, 2, 1}, parameters[] = {1, 0, 0};
    static const double range[2][P] = {{-1e19, -1e19}, {1e19, 1e19}};
    const hcr_varying_rows varying = {.rows = ROWS,
                                      .start = start,
                                      .columns = columns,
                                      .values = values,
                                      .product_start = product_start,
                                      .product_outputs = outputs,
                                      .product_parameters = parameters,
                                      .product_values = product_values,
                                      .lower = lower,
                                      .upper = upper};
    hcr_builder *builder = NULL;
    assert_int_equal(hcr_builder_create(NULL, &builder, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "y", N, 0, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_parameter(builder, "x", P, 0, range[0], range[1], NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_varying_rows(builder, &varying, NULL), HCR_OK);
    assert_int_equal(builder->set.blocks, 3);
    return builder;
}

/* (1 + ε)(1 − ε) = 1 − ε²: the product in floating point is 1, and exactly it is less. */
static void test_ties(void **state) {
    (void)state;
    const double values[] = {0, 1, 0, 1}, products[] = {1, 1, 1}, lower[] = {-INFINITY, 1}, upper[] = {1, INFINITY};
    hcr_builder *builder = make(values, products, lower, upper);
    const hcri_constraint *block = builder->set.block[2];
    /* row 0: y1 + y0 x1 + y2 x0 <= 1; row 1: 1 <= y2 + y1 x0 */
    double y[N + P] = {1 + 0x1p-30, 0, 0, 0, 1 - 0x1p-30};
    assert_true(y[0] * y[4] == 1);
    assert_int_equal(hcri_exact_kind_of(block)->sign(block, 0, y), -1);
    assert_true(hcri_exact_holds(block, 0, y, scratch_for(block)) &&
                !hcri_exact_fails(block, 0, y, scratch_for(block)));
    y[1] = 0x1p-60;
    assert_int_equal(hcri_exact_kind_of(block)->sign(block, 0, y), 0);
    assert_true(hcri_exact_holds(block, 0, y, scratch_for(block)));
    y[2] = 0x1p-1000; /* y2 x0 is far below what any product of the others shows */
    y[3] = 0x1p-70;
    assert_int_equal(hcri_exact_kind_of(block)->sign(block, 0, y), 1);
    assert_true(!hcri_exact_holds(block, 0, y, scratch_for(block)) &&
                hcri_exact_fails(block, 0, y, scratch_for(block)));
    const double at_least[N + P] = {0, 1 + 0x1p-30, 0x1p-60, 1 - 0x1p-30, 0};
    assert_int_equal(hcri_exact_kind_of(block)->sign(block, 3, at_least), 0);
    const double below[N + P] = {0, 1 + 0x1p-30, 0, 1 - 0x1p-30, 0};
    assert_true(hcri_exact_kind_of(block)->sign(block, 3, below) == 1 &&
                hcri_exact_fails(block, 3, below, scratch_for(block)));
    hcr_builder_free(builder);
}

/* a·y + Σ value y x − bound as a fraction. */
static int sign_of_fraction(const double *values, const double *products, double bound, const double *y) {
    const double terms[][3] = {{values[0], y[0], 1},      {values[1], y[1], 1},      {values[2], y[4], 1},
                               {products[0], y[0], y[4]}, {products[1], y[2], y[3]}, {-bound, 1, 1}};
    mpq_t total, term, factor;
    mpq_inits(total, term, factor, NULL);
    for (size_t k = 0; k < sizeof terms / sizeof terms[0]; k++) {
        mpq_set_d(term, terms[k][0]);
        for (size_t l = 1; l < 3; l++) {
            mpq_set_d(factor, terms[k][l]);
            mpq_mul(term, term, factor);
        }
        mpq_add(total, total, term);
    }
    const int sign = mpq_sgn(total);
    mpq_clears(total, term, factor, NULL);
    return sign;
}

/* The bound is next to the value, so that filters decide some and exact arithmetic the others. */
static void test_random(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 1);
    size_t signs[3] = {0};
    for (size_t s = 0; s < 2000; s++) {
        double values[4], products[PRODUCTS], y[N + P];
        for (size_t k = 0; k < 4; k++)
            values[k] = hcri_random_normal(&random);
        for (size_t k = 0; k < PRODUCTS; k++)
            products[k] = hcri_random_normal(&random);
        for (size_t k = 0; k < N + P; k++)
            y[k] = ldexp(hcri_random_normal(&random), (int)hcri_random_below(&random, 40) - 20);
        const double here = values[0] * y[0] + values[1] * y[1] + values[2] * y[4] + products[0] * y[0] * y[4] +
                            products[1] * y[2] * y[3];
        const double upper[] = {s % 3 == 0 ? nextafter(here, INFINITY) : here, 1}, lower[] = {here - 1, -INFINITY};
        hcr_builder *builder = make(values, products, lower, upper);
        const hcri_constraint *block = builder->set.block[2];
        const int expected = sign_of_fraction(values, products, upper[0], y);
        signs[expected + 1]++;
        assert_int_equal(hcri_exact_kind_of(block)->sign(block, 0, y), expected);
        assert_int_equal(hcri_exact_holds(block, 0, y, scratch_for(block)), expected <= 0);
        assert_int_equal(hcri_exact_kind_of(block)->sign(block, 1, y), -1);
        hcr_builder_free(builder);
    }
    assert_true(signs[0] > 200 && signs[2] > 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ties), cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
