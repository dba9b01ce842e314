/* Which quadratics are taken, and the messages of the others. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "regions.h"

/* Adds it to a builder with one earlier bound; a refusal leaves the builder as it was. */
static hcr_status add(size_t n, const hcr_quadratic *quadratic, hcr_error *error) {
    static const double high = 1;
    hcr_builder *builder = outputs(n);
    source(builder, 1, "a quadratic");
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 1, NULL, &high, NULL), HCR_OK);
    const hcr_status status = hcr_builder_add_quadratic(builder, quadratic, error);
    if (status != HCR_OK) {
        assert_int_equal(builder->set.blocks, 2);
        assert_int_equal(builder->set.linear->rows.count, 0);
        assert_int_equal(builder->place_rows, 1);
    }
    hcr_builder_free(builder);
    return status;
}

/* C23: singular is fine, at any scale; a negative eigenvalue isn't. */
static void test_semidefinite(void **state) {
    (void)state;
    static const double singular[9] = {4, -4, 0, -4, 8, -4, 0, -4, 4}, indefinite[4] = {1, 0, 0, -1e-3},
                        barely[2] = {1, -1e-9};
    static const double scales[] = {1, 1e-12, 1e-40, 1e40};
    hcr_error error = {0};
    for (size_t s = 0; s < 4; s++) {
        double P[9];
        for (size_t k = 0; k < 9; k++)
            P[k] = scales[s] * singular[k];
        const hcr_quadratic quadratic = {.form = HCR_QUADRATIC_DENSE, .matrix = P, .radius = 1};
        assert_int_equal(add(3, &quadratic, NULL), HCR_OK);
    }
    const hcr_quadratic dense_one = {.form = HCR_QUADRATIC_DENSE, .matrix = indefinite, .radius = 1};
    assert_int_equal(add(2, &dense_one, &error), HCR_ERROR_CONVEXITY);
    assert_non_null(strstr(error.text, "most negative eigenvalue is -0.001"));
    const hcr_quadratic diagonal_one = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = barely, .radius = 1};
    assert_int_equal(add(2, &diagonal_one, &error), HCR_ERROR_CONVEXITY);
    assert_non_null(strstr(error.text, "-1e-09"));
}

/* Sums of squares of fewer vectors than outputs, whose zero eigenvalues are rounding of either sign. */
static void test_low_rank(void **state) {
    (void)state;
    enum { N = 40 };
    hcri_random random;
    hcri_random_seed(&random, 2);
    for (size_t rank = 1; rank < N; rank += 3) {
        double P[N * N] = {0};
        for (size_t k = 0; k < rank; k++) {
            double f[N];
            for (size_t j = 0; j < N; j++)
                f[j] = hcri_random_normal(&random);
            for (size_t i = 0; i < N; i++)
                for (size_t j = 0; j < N; j++)
                    P[i * N + j] += f[i] * f[j];
        }
        const hcr_quadratic quadratic = {.form = HCR_QUADRATIC_DENSE, .matrix = P, .radius = 1};
        assert_int_equal(add(N, &quadratic, NULL), HCR_OK);
    }
}

/* C23: no luck in it. */
static void test_identity(void **state) {
    (void)state;
    enum { N = 600, TIMES = 50 };
    double *P = calloc(N * N, sizeof *P);
    assert_non_null(P);
    for (size_t j = 0; j < N; j++)
        P[j * N + j] = 1;
    const hcr_quadratic quadratic = {.form = HCR_QUADRATIC_DENSE, .matrix = P, .radius = 1};
    for (size_t k = 0; k < TIMES; k++)
        assert_int_equal(add(N, &quadratic, NULL), HCR_OK);
    free(P);
}

/* C27 in its quadratic form: a matrix that isn't symmetric says something else than it seems to. */
static void test_symmetry(void **state) {
    (void)state;
    static const double P[4] = {1, 2, 0, 5};
    const hcr_quadratic quadratic = {.form = HCR_QUADRATIC_DENSE, .matrix = P, .radius = 1};
    hcr_error error = {0};
    assert_int_equal(add(2, &quadratic, &error), HCR_ERROR_CONVEXITY);
    assert_string_equal(error.text,
                        "the matrix isn't symmetric: entry (1, 0) is 0, entry (0, 1) is 2; (P + P')/2 gives "
                        "the same function");
}

static void test_bad_numbers(void **state) {
    (void)state;
    static const double good[2] = {1, 1}, nan_last[2] = {1, NAN}, infinite[2] = {INFINITY, 1}, huge[2] = {1, 1e51};
    static const size_t start[3] = {0, 1, 2};
    static const uint32_t columns[2] = {0, 1}, outside[2] = {0, 2};
    hcr_error error = {0};
    const double *const bad[3] = {nan_last, infinite, huge};
    for (size_t i = 0; i < 3; i++) {
        hcr_quadratic quadratic = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = bad[i], .radius = 1};
        assert_int_equal(add(2, &quadratic, &error), HCR_ERROR_DATA);
        assert_non_null(strstr(error.text, "matrix"));
        quadratic = (hcr_quadratic){.form = HCR_QUADRATIC_DIAGONAL, .matrix = good, .shift = bad[i], .radius = 1};
        assert_int_equal(add(2, &quadratic, &error), HCR_ERROR_DATA);
        quadratic = (hcr_quadratic){.form = HCR_QUADRATIC_DIAGONAL, .matrix = good, .linear = bad[i], .radius = 1};
        assert_int_equal(add(2, &quadratic, &error), HCR_ERROR_DATA);
        quadratic = (hcr_quadratic){.form = HCR_QUADRATIC_FACTOR,
                                    .rank = 2,
                                    .factor_start = start,
                                    .factor_columns = columns,
                                    .factor_values = bad[i],
                                    .radius = 1};
        assert_int_equal(add(2, &quadratic, &error), HCR_ERROR_DATA);
    }
    const hcr_quadratic negative = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = good, .radius = -1},
                        constant = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = good, .constant = NAN},
                        nothing = {.form = HCR_QUADRATIC_DIAGONAL, .radius = 1},
                        unknown = {.form = (hcr_quadratic_form)7, .matrix = good, .radius = 1},
                        over = {.form = HCR_QUADRATIC_FACTOR,
                                .rank = 2,
                                .factor_start = start,
                                .factor_columns = outside,
                                .factor_values = good,
                                .radius = 1};
    assert_int_equal(add(2, &negative, NULL), HCR_ERROR_DATA);
    assert_int_equal(add(2, &constant, NULL), HCR_ERROR_DATA);
    assert_int_equal(add(2, &nothing, NULL), HCR_ERROR_ARGUMENT);
    assert_int_equal(add(2, &unknown, NULL), HCR_ERROR_ARGUMENT);
    assert_int_equal(add(2, &over, NULL), HCR_ERROR_SHAPE);
    assert_int_equal(hcr_builder_add_quadratic(NULL, &constant, NULL), HCR_ERROR_ARGUMENT);
}

/* C16: zeros leave no quadratic behind, and a factor's rows of zeros are constants. */
static void test_zeros(void **state) {
    (void)state;
    static const size_t start[3] = {0, 2, 4};
    static const uint32_t columns[4] = {0, 1, 0, 1};
    static const double values[4] = {0, 0, 0, 2}, shift[2] = {3, 1}, linear[2] = {1, 2}, zeros[4] = {0, 0, 0, 0};
    hcr_quadratic quadratic = {.form = HCR_QUADRATIC_FACTOR,
                               .rank = 2,
                               .factor_start = start,
                               .factor_columns = columns,
                               .factor_values = values,
                               .shift = shift,
                               .radius = 5};
    hcr_builder *builder = outputs(2);
    assert_int_equal(hcr_builder_add_quadratic(builder, &quadratic, NULL), HCR_OK);
    const hcri_quadratic *kept = (const hcri_quadratic *)builder->set.block[2];
    assert_int_equal(kept->factor.count, 1);
    assert_int_equal(kept->factor.start[1], 1);
    assert_true(kept->constant == 4.5 && kept->shift[0] == 1);

    quadratic.rank = 1; /* ½ 3² + y[0] + 2 y[1] <= ½ 5² */
    quadratic.linear = linear;
    assert_int_equal(hcr_builder_add_quadratic(builder, &quadratic, NULL), HCR_OK);
    assert_int_equal(builder->set.blocks, 3);
    assert_int_equal(builder->set.linear->rows.count, 1);
    assert_true(builder->set.linear->upper[0] == 8);

    quadratic = (hcr_quadratic){.form = HCR_QUADRATIC_DENSE, .matrix = zeros, .radius = 1};
    assert_int_equal(hcr_builder_add_quadratic(builder, &quadratic, NULL), HCR_OK); /* 0 <= ½ */
    quadratic.constant = 1;
    assert_int_equal(hcr_builder_add_quadratic(builder, &quadratic, NULL), HCR_ERROR_EMPTY);
    assert_int_equal(builder->set.linear->rows.count, 1);
    hcr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_semidefinite), cmocka_unit_test(test_low_rank),    cmocka_unit_test(test_identity),
        cmocka_unit_test(test_symmetry),     cmocka_unit_test(test_bad_numbers), cmocka_unit_test(test_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
