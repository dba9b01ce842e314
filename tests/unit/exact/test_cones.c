/* Exact decisions on cones and matrix inequalities: Pythagorean numbers, an ulp beside them, singular matrices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "exact/exact_sign.h"
#include "hcr/hcr_build.h"
#include "region/builder.h"
#include "scratch.h"

static hcr_builder *outputs(size_t n) {
    hcr_builder *builder = NULL;
    assert_int_equal(hcr_builder_create(NULL, &builder, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "y", n, 0, NULL), HCR_OK);
    return builder;
}

/* |(y0, y1)| <= y2: (3, 4, 5) 2^k is on the frontier, an ulp more or less decides; the mirrored cone is outside. */
static void test_cone(void **state) {
    (void)state;
    const size_t start[3] = {0, 1, 2};
    const uint32_t columns[2] = {0, 1};
    const double ones[2] = {1, 1}, up[3] = {0, 0, 1};
    const hcr_cone cone = {.rows = 2, .start = start, .columns = columns, .values = ones, .linear = up};
    hcr_builder *builder = outputs(3);
    assert_int_equal(hcr_builder_add_cone(builder, &cone, NULL), HCR_OK);
    const hcri_constraint *block = builder->set.block[2];
    static const double triples[][3] = {{3, 4, 5}, {-5, 12, 13}, {20, -21, 29}, {-119, -120, 169}, {0, 0, 0}};
    for (size_t k = 0; k < 5; k++)
        for (int power = -500; power <= 300; power += 100) {
            double y[3];
            for (size_t j = 0; j < 3; j++)
                y[j] = ldexp(triples[k][j], power);
            assert_true(hcri_exact_holds(block, 0, y, scratch_for(block)));
            const double on = y[2];
            y[2] = nextafter(on, -INFINITY);
            assert_false(hcri_exact_holds(block, 0, y, scratch_for(block)));
            y[2] = nextafter(on, INFINITY);
            assert_true(hcri_exact_holds(block, 0, y, scratch_for(block)));
            y[2] = -on;
            assert_int_equal(hcri_exact_holds(block, 0, y, scratch_for(block)), on == 0);
        }
    hcr_builder_free(builder);
}

/* G G' has the rank of G: with integers it is singular exactly, and an ulp off its diagonal decides. F(y) has y_0 on
 * the diagonal's entry `where` and the rest is constant. */
static void test_lmi(void **state) {
    (void)state;
    enum { SIZE = 5 };
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (size_t k = 0; k < 60; k++) {
        const size_t rank = k % SIZE, where = k % 7 % SIZE; /* SIZE − 1 at most: singular */
        double factor[SIZE][SIZE] = {{0}}, constant[SIZE * SIZE] = {0}, matrix[SIZE * SIZE] = {0};
        for (size_t a = 0; a < SIZE; a++)
            for (size_t b = 0; b < rank; b++)
                factor[a][b] = (double)hcri_random_below(&random, 2001) - 1000;
        for (size_t a = 0; a < SIZE; a++)
            for (size_t b = 0; b < SIZE; b++)
                for (size_t j = 0; j < SIZE; j++)
                    constant[a * SIZE + b] += factor[a][j] * factor[b][j];
        constant[where * SIZE + (where + 1) % SIZE] += rank == 0;
        constant[(where + 1) % SIZE * SIZE + where] += rank == 0;
        const double on = constant[where * SIZE + where];
        constant[where * SIZE + where] = 0;
        matrix[where * SIZE + where] = 1;
        const uint32_t output = 0;
        const hcr_lmi lmi = {.size = SIZE, .constant = constant, .terms = 1, .outputs = &output, .matrices = matrix};
        hcr_builder *builder = outputs(1);
        assert_int_equal(hcr_builder_add_lmi(builder, &lmi, NULL), HCR_OK);
        const hcri_constraint *block = NULL;
        for (size_t b = 2; b < builder->set.blocks; b++)
            block = builder->set.block[b];
        assert_non_null(block);
        if (rank == 0) { /* 0 but for one pair off the diagonal: never semidefinite */
            const double large = 1e300;
            assert_false(hcri_exact_holds(block, 0, &large, scratch_for(block)));
            hcr_builder_free(builder);
            continue;
        }
        assert_true(hcri_exact_holds(block, 0, &on, scratch_for(block)));
        const double less = nextafter(on, -INFINITY), more = nextafter(on, INFINITY);
        assert_false(hcri_exact_holds(block, 0, &less, scratch_for(block)));
        assert_true(hcri_exact_holds(block, 0, &more, scratch_for(block)));
        hcr_builder_free(builder);
    }
}

/* A 2 × 2 matrix is semidefinite when its diagonal and its determinant aren't negative: exact in integers. */
static void test_two_rows(void **state) {
    (void)state;
    const uint32_t columns[3] = {0, 1, 2};
    const double matrices[12] = {1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1};
    const hcr_lmi lmi = {.size = 2, .terms = 3, .outputs = columns, .matrices = matrices};
    hcr_builder *builder = outputs(3);
    assert_int_equal(hcr_builder_add_lmi(builder, &lmi, NULL), HCR_OK);
    const hcri_constraint *block = builder->set.block[2];
    for (int a = -6; a <= 6; a++)
        for (int b = -6; b <= 6; b++)
            for (int c = -6; c <= 6; c++)
                for (int power = -300; power <= 300; power += 300) {
                    const double y[3] = {ldexp(a, power), ldexp(b, power), ldexp(c, power)};
                    assert_int_equal(hcri_exact_holds(block, 0, y, scratch_for(block)),
                                     a >= 0 && c >= 0 && a * c >= b * b);
                }
    hcr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cone), cmocka_unit_test(test_lmi),
                                       cmocka_unit_test(test_two_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
