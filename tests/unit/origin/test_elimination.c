/* Equalities, solved: rank, residuals, structure, contradictions. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "origin/equalities/elimination.h"
#include "origin/equalities/reduction.h"
#include "origin/origin_tolerances.h"
#include "regions.h"
#include "scratch.h"

enum { MOST = 40 };

static hcr_error error;

static void equality(hcr_builder *builder, const double *a, double right) {
    const size_t n = hcr_builder_dimension(builder), start[2] = {0, n};
    uint32_t columns[MOST];
    for (uint32_t j = 0; j < n; j++)
        columns[j] = j;
    assert_int_equal(hcr_builder_add_equalities(builder, 1, start, columns, a, &right, NULL), HCR_OK);
}

static hcri_elimination solved(hcr_builder *builder) {
    hcri_elimination elimination;
    assert_int_equal(hcri_builder_begin(builder, NULL), HCR_OK);
    assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
    if (hcri_eliminate(&builder->set, &elimination, &error) != HCR_OK)
        fail_msg("%s", error.text);
    return elimination;
}

static hcr_status contradiction(hcr_builder *builder) {
    hcri_elimination elimination;
    assert_int_equal(hcri_builder_begin(builder, NULL), HCR_OK);
    assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
    const hcr_status status = hcri_eliminate(&builder->set, &elimination, &error);
    assert_int_equal(elimination.affine.count, 0);
    hcr_builder_free(builder);
    return status;
}

/* Every equality holds for random free outputs to a few units in the last place of its terms, and of those of the
 * solved rows; the basis is orthonormal and spans the equalities. */
static void check(const hcr_builder *builder, const hcri_elimination *elimination, size_t rank, hcri_random *random) {
    const hcri_set *set = &builder->set;
    const hcri_affine *affine = &elimination->affine;
    const hcri_rows *rows = &set->equalities.rows;
    const size_t n = set->n;
    hcri_remainders remainders;
    assert_int_equal(hcri_remainders_find(affine, &set->equalities, n, &set->allocator, &remainders, &error), HCR_OK);
    double *y = calloc(n, sizeof *y), *v = calloc(n, sizeof *v);
    assert_int_equal(affine->count, rank);
    for (size_t d = 1; d < rank; d++)
        assert_true(affine->dependent[d] > affine->dependent[d - 1]);
    for (int round = 0; round < 5; round++) {
        for (size_t j = 0; j < n; j++)
            y[j] = pow(10, 3.0 * round - 6) * hcri_random_normal(random);
        hcri_affine_complete(affine, y);
        for (size_t i = 0; i < rank; i++) {
            const size_t e = elimination->equality[i];
            const double off = hcri_rows_dot_minus(rows, e, y, set->equalities.right[e]);
            assert_true(fabs(off) <=
                        hcri_affine_tolerance(affine, &set->equalities, &remainders, e, n, y, NULL, 0x1p-53));
        }
    }
    for (size_t i = 0; i < rank; i++) {
        memset(v, 0, n * sizeof *v);
        for (size_t k = affine->basis.start[i]; k < affine->basis.start[i + 1]; k++)
            v[affine->basis.columns[k]] = affine->basis.values[k];
        for (size_t k = 0; k < rank; k++) /* 1e-13: a few roundings of sums of up to 40 products, or 10,000 */
            assert_true(fabs(hcri_rows_dot(&affine->basis, k, v, NULL) - (k == i)) <= 1e-13 * sqrt((double)n));
    }
    for (size_t e = 0; e < rows->count; e++) {
        double size = 0, left = 0;
        memset(v, 0, n * sizeof *v);
        for (size_t k = rows->start[e]; k < rows->start[e + 1]; k++) {
            v[rows->columns[k]] = rows->values[k];
            size = hypot(size, rows->values[k]);
        }
        hcri_affine_project(affine, v);
        for (size_t j = 0; j < n; j++)
            left = hypot(left, v[j]);
        assert_true(left <= 4 * hcri_equality_rounding * size);
    }
    free(y);
    free(v);
    hcri_remainders_release(&remainders, &set->allocator);
}

/* C15: one line, however often and in whatever multiples it is written; 1e-13 is rounding, 1e-4 isn't. */
static void test_same_line(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 1);
    static const double factors[6][3] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 2, 3}, {1, 3, 4}, {1, 2, 0}};
    for (size_t i = 0; i < 6; i++) {
        hcr_builder *builder = outputs(2);
        for (size_t k = 0; k < 3 && factors[i][k] != 0; k++) {
            const double a[2] = {factors[i][k], factors[i][k]};
            equality(builder, a, 2 * factors[i][k] + (i == 5 && k == 1 ? 1e-13 : 0));
        }
        hcri_elimination elimination = solved(builder);
        check(builder, &elimination, 1, &random);
        const hcri_affine *affine = &elimination.affine;
        assert_true(fabs(affine->constant[0] - 2) <= 1e-13);
        assert_true(affine->map.values[0] == -1);
        hcri_elimination_release(&elimination, &builder->set.allocator);
        hcr_builder_free(builder);
    }
    hcr_builder *builder = outputs(2);
    const double ones[2] = {1, 1};
    source(builder, 1, "y[0] + y[1] == 2");
    equality(builder, ones, 2);
    source(builder, 2, "y[0] - y[1] == 0");
    const double difference[2] = {1, -1};
    equality(builder, difference, 0);
    source(builder, 3, "y[0] + y[1] == 2.0001");
    equality(builder, ones, 2.0001);
    assert_int_equal(contradiction(builder), HCR_ERROR_EMPTY);
    assert_non_null(strstr(error.text, "no point satisfies all of"));
    assert_non_null(strstr(error.text, "t.region:1: y[0] + y[1] == 2 "));
    assert_non_null(strstr(error.text, "t.region:3: y[0] + y[1] == 2.0001"));
    assert_null(strstr(error.text, "t.region:2"));
}

/* Random rows of sizes from 1e-6 to 1e6 with a known rank, many of them combinations of others. */
static void test_ranks(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 2);
    for (int round = 0; round < 200; round++) {
        const size_t n = 2 + hcri_random_below(&random, MOST - 2), rank = 1 + hcri_random_below(&random, n);
        const size_t rows = rank + hcri_random_below(&random, 6);
        double basis[MOST][MOST], point[MOST];
        hcr_builder *builder = outputs(n);
        for (size_t j = 0; j < n; j++)
            point[j] = hcri_random_normal(&random);
        for (size_t i = 0; i < rows; i++) {
            double a[MOST] = {0}, right = 0;
            if (i < rank) {
                for (size_t j = 0; j < n; j++)
                    a[j] = basis[i][j] = hcri_random_uniform(&random) < 0.7 ? hcri_random_normal(&random) : 0;
                a[i] = basis[i][i] = 4 + (double)n; /* so that the rank is certain */
            } else {
                for (size_t k = 0; k < rank; k++) {
                    const double factor = hcri_random_normal(&random);
                    for (size_t j = 0; j < n; j++)
                        a[j] += factor * basis[k][j];
                }
            }
            const double size = pow(10, 12 * hcri_random_uniform(&random) - 6);
            for (size_t j = 0; j < n; j++) {
                a[j] *= size;
                right += a[j] * point[j];
            }
            equality(builder, a, right);
        }
        hcri_elimination elimination = solved(builder);
        check(builder, &elimination, rank, &random);
        hcri_elimination_release(&elimination, &builder->set.allocator);
        hcr_builder_free(builder);
    }
}

/* Structure stays: a balance over 10,000 outputs has one row of T and one of Q; disjoint sums stay apart; outputs that
 * are fixed one after the other have no row at all. */
static void test_structure(void **state) {
    (void)state;
    enum { MANY = 10000 };
    hcri_random random;
    hcri_random_seed(&random, 3);
    uint32_t *columns = calloc(MANY, sizeof *columns);
    double *ones = calloc(MANY, sizeof *ones);
    for (uint32_t j = 0; j < MANY; j++) {
        columns[j] = j;
        ones[j] = 1;
    }
    hcr_builder *builder = outputs(MANY);
    const size_t all[2] = {0, MANY};
    const double one = 1;
    assert_int_equal(hcr_builder_add_equalities(builder, 1, all, columns, ones, &one, NULL), HCR_OK);
    hcri_elimination elimination = solved(builder);
    check(builder, &elimination, 1, &random);
    assert_int_equal(elimination.affine.map.start[1], MANY - 1);
    assert_int_equal(elimination.affine.basis.start[1], MANY);
    hcri_elimination_release(&elimination, &builder->set.allocator);
    hcr_builder_free(builder);

    builder = outputs(MANY);
    for (size_t i = 0; i < MANY; i += 5) {
        const size_t start[2] = {0, 5};
        assert_int_equal(hcr_builder_add_equalities(builder, 1, start, columns + i, ones, &one, NULL), HCR_OK);
    }
    elimination = solved(builder);
    check(builder, &elimination, MANY / 5, &random);
    assert_int_equal(elimination.affine.map.start[MANY / 5], 4 * MANY / 5);
    hcri_elimination_release(&elimination, &builder->set.allocator);
    hcr_builder_free(builder);

    builder = outputs(MANY);
    const double step[2] = {-1, 1}, start_at = 0.5;
    const size_t start[2] = {0, 1}, pair[2] = {0, 2};
    assert_int_equal(hcr_builder_add_equalities(builder, 1, start, columns, ones, &start_at, NULL), HCR_OK);
    for (size_t i = 0; i + 1 < MANY; i++)
        assert_int_equal(hcr_builder_add_equalities(builder, 1, pair, columns + i, step, &one, NULL), HCR_OK);
    elimination = solved(builder);
    assert_int_equal(elimination.affine.count, MANY);
    assert_int_equal(elimination.affine.map.start[MANY], 0);
    for (size_t j = 0; j < MANY; j++)
        assert_true(elimination.affine.constant[j] == 0.5 + (double)j);
    hcri_elimination_release(&elimination, &builder->set.allocator);
    hcr_builder_free(builder);
    free(columns);
    free(ones);
}

/* An inventory: s_{t+1} = s_t + x_t − 2. T is whole numbers, exactly. */
static void test_chain(void **state) {
    (void)state;
    enum { STEPS = 30 };
    hcri_random random;
    hcri_random_seed(&random, 4);
    hcr_builder *builder = outputs(2 * STEPS);
    for (uint32_t t = 0; t + 1 < STEPS; t++) {
        const size_t start[2] = {0, 3};
        const uint32_t columns[3] = {t, t + 1, STEPS + t};
        const double values[3] = {-1, 1, -1}, right = -2;
        assert_int_equal(hcr_builder_add_equalities(builder, 1, start, columns, values, &right, NULL), HCR_OK);
    }
    hcri_elimination elimination = solved(builder);
    check(builder, &elimination, STEPS - 1, &random);
    for (size_t k = 0; k < elimination.affine.map.start[STEPS - 1]; k++)
        assert_true(fabs(elimination.affine.map.values[k]) == 1);
    hcri_elimination_release(&elimination, &builder->set.allocator);
    hcr_builder_free(builder);
}

/* What fixed outputs contradict is reported with what fixed them, and nothing else. */
static void test_fixed_conflict(void **state) {
    (void)state;
    hcr_builder *builder = outputs(4);
    static const double rows[4][4] = {{1, 0, 0, 0}, {1, -1, 0, 0}, {0, 0, 1, 0}, {0, 1, 0, 0}};
    static const double rights[4] = {1, 0, 7, 2};
    static const char *const texts[4] = {"y[0] == 1", "y[0] == y[1]", "y[2] == 7", "y[1] == 2"};
    for (int i = 0; i < 4; i++) {
        source(builder, i + 1, texts[i]);
        equality(builder, rows[i], rights[i]);
    }
    assert_int_equal(contradiction(builder), HCR_ERROR_EMPTY);
    for (int i = 0; i < 4; i++)
        assert_int_equal(strstr(error.text, texts[i]) != NULL, i != 2);
    builder = outputs(2);
    const double zeros[2] = {0, 0};
    const size_t none[2] = {0, 0};
    const double one = 1;
    source(builder, 1, "0 * y == 1");
    const hcr_status status = hcr_builder_add_equalities(builder, 1, none, NULL, zeros, &one, &error);
    if (status == HCR_OK)
        assert_int_equal(contradiction(builder), HCR_ERROR_EMPTY);
    else
        hcr_builder_free(builder);
    assert_true(status == HCR_OK || status == HCR_ERROR_EMPTY);
}

/* The reduced set is the set: an inequality has the same value at z and at the y that it stands for. */
static void test_reduction(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 5);
    for (int round = 0; round < 60; round++) {
        const size_t n = 3 + hcri_random_below(&random, 12), equalities = 1 + hcri_random_below(&random, n - 2);
        hcr_builder *builder = outputs(n);
        double a[MOST], P[MOST * MOST], weight[MOST], shift[MOST], q[MOST];
        box(builder, -50, 50);
        for (size_t i = 0; i < equalities + 3; i++) {
            for (size_t j = 0; j < n; j++)
                a[j] = hcri_random_normal(&random);
            if (i < equalities)
                equality(builder, a, hcri_random_normal(&random));
            else
                row(builder, a, -100, 100);
        }
        for (size_t j = 0; j < n; j++) {
            weight[j] = hcri_random_uniform(&random);
            shift[j] = hcri_random_normal(&random);
            q[j] = hcri_random_normal(&random);
        }
        diagonal(builder, weight, shift, 60);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                P[i * n + j] = (i == j ? 2.0 : 0) + shift[i] * shift[j];
        const hcr_quadratic full = {
            .form = HCR_QUADRATIC_DENSE, .matrix = P, .shift = shift, .linear = q, .constant = -5000};
        assert_int_equal(hcr_builder_add_quadratic(builder, &full, NULL), HCR_OK);
        size_t start[MOST];
        uint32_t columns[MOST];
        for (size_t j = 0; j < n; j++) {
            start[j] = j;
            columns[j] = (uint32_t)j;
        }
        const hcr_quadratic factor = {.form = HCR_QUADRATIC_FACTOR,
                                      .rank = n - 1,
                                      .factor_start = start,
                                      .factor_columns = columns,
                                      .factor_values = q,
                                      .shift = shift,
                                      .radius = 60};
        assert_int_equal(hcr_builder_add_quadratic(builder, &factor, NULL), HCR_OK);

        hcri_set settled;
        hcri_elimination elimination;
        hcri_reduction reduction;
        assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
        assert_int_equal(hcri_reduction_collect(&builder->set, &builder->set.allocator, &settled, NULL), HCR_OK);
        assert_int_equal(hcri_set_number(&settled, NULL), HCR_OK);
        assert_int_equal(hcri_eliminate(&settled, &elimination, NULL), HCR_OK);
        assert_int_equal(hcri_reduction_make(&settled, &elimination, &reduction, NULL), HCR_OK);
        assert_int_equal(reduction.freedom, n - equalities);
        double z[MOST], y[MOST];
        for (size_t k = 0; k < reduction.freedom; k++)
            z[k] = hcri_random_normal(&random);
        hcri_reduction_complete(&reduction, z, y);
        for (size_t b = 0; b < reduction.set.blocks; b++) {
            const hcri_constraint *block = reduction.set.block[b];
            for (size_t i = 0; i < block->count; i++) {
                if (!block->kind->exists(block, i))
                    continue;
                const uint32_t number = hcri_reduction_original(&reduction, block->first + (uint32_t)i);
                size_t local;
                const hcri_constraint *original = hcri_set_block_of(&settled, number, &local);
                const double c = block->kind->value(block, i, z, NULL, scratch_for(block));
                const double right = original->kind->value(original, local, y, NULL, scratch_for(original));
                /* sums of up to 15² terms of size up to 1e4 */
                assert_true(fabs(c - right) <= 1e-9);
                assert_int_equal(block->source[i], original->source[local]);
            }
        }
        /* Lengths within the equalities: how fast an inequality changes along the best direction that keeps them. */
        const size_t k = hcri_random_below(&random, reduction.freedom);
        double across[MOST] = {0}, length = 0;
        across[reduction.free[k]] = 1;
        hcri_affine_project(&elimination.affine, across);
        for (size_t j = 0; j < n; j++)
            length = hypot(length, across[j]);
        assert_true(fabs(length - hcri_side_length(&reduction.set, k)) <= 1e-10);
        hcri_reduction_release(&reduction);
        hcri_elimination_release(&elimination, &settled.allocator);
        hcri_set_release(&settled);
        hcr_builder_free(builder);
    }
}

/* D18: what an elimination leaves of a zero is 0, however large the numbers are that it is left of: equalities with
 * whole coefficients that fix some outputs at 0 and others at up to 1e9, and outputs that others don't depend on. */
static void test_zeros(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 18);
    for (int round = 0; round < 100; round++) {
        const size_t fixed = 3 + hcri_random_below(&random, MOST - 6), n = fixed + 3;
        double point[MOST] = {0};
        hcr_builder *builder = outputs(n);
        for (size_t j = 0; j < fixed; j++)
            point[j] = hcri_random_below(&random, 2) == 0 ? 0 : (double)hcri_random_below(&random, 1000000000) / 8;
        for (size_t i = 0; i <= fixed; i++) {
            double a[MOST] = {0}, right = 0;
            for (size_t j = 0; j < fixed; j++) {
                a[j] = (double)hcri_random_below(&random, 2001) - 1000 + (i == j ? 30000 : 0);
                right += a[j] * point[j];
            }
            for (size_t j = fixed; j < n && i == fixed; j++)
                a[j] = 1 + (double)j;
            equality(builder, a, right);
        }
        hcri_elimination elimination = solved(builder);
        check(builder, &elimination, fixed + 1, &random);
        const hcri_affine *affine = &elimination.affine;
        for (size_t d = 0; d <= fixed; d++) {
            const size_t j = affine->dependent[d], terms = affine->map.start[d + 1] - affine->map.start[d];
            assert_int_equal(terms, j < fixed ? 0 : 2);
            assert_true(affine->constant[d] == point[j]);
        }
        hcri_remainders remainders;
        assert_int_equal(
            hcri_remainders_find(affine, &builder->set.equalities, n, &builder->set.allocator, &remainders, &error),
            HCR_OK);
        assert_int_equal(remainders.rows.start[fixed + 1], 0);
        for (size_t i = 0; i <= fixed; i++)
            assert_true(remainders.constant[i] == 0);
        hcri_remainders_release(&remainders, &builder->set.allocator);
        hcri_elimination_release(&elimination, &builder->set.allocator);
        hcr_builder_free(builder);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_line), cmocka_unit_test(test_zeros), cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_structure), cmocka_unit_test(test_chain), cmocka_unit_test(test_fixed_conflict),
        cmocka_unit_test(test_reduction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
