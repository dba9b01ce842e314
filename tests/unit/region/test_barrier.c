/* The analytic centre of rows between limits: Σ ±a/s = 0 there, summed here anew, for sets of many patterns; limits
 * that meet; the sparse factor against the system it was made for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "region/barrier.h"

enum { COLUMNS = 40, ROWS = 60, ENTRIES = COLUMNS * ROWS };

typedef struct polytope {
    size_t columns, rows, start[ROWS + 1];
    uint32_t column[ENTRIES];
    double values[ENTRIES], lower[COLUMNS + ROWS], upper[COLUMNS + ROWS], inside[COLUMNS];
    unsigned char bounded[COLUMNS];
} polytope;

static double dot(const polytope *p, size_t r, const double *f) {
    double sum = 0;
    for (size_t k = p->start[r]; k < p->start[r + 1]; k++)
        sum += p->values[k] * f[p->column[k]];
    return sum;
}

/* Bounds for `bounds` of all columns, rows of which each has an entry with probability `density`, around a point. */
static void draw(polytope *p, size_t columns, size_t rows, double bounds, double density, hcri_random *random) {
    *p = (polytope){.columns = columns, .rows = rows};
    for (size_t j = 0; j < columns; j++) {
        p->inside[j] = hcri_random_normal(random);
        p->bounded[j] = hcri_random_uniform(random) < bounds;
        p->lower[j] = p->bounded[j] ? p->inside[j] - exp(2 * hcri_random_normal(random)) : -INFINITY;
        p->upper[j] = p->bounded[j] ? p->inside[j] + exp(2 * hcri_random_normal(random)) : INFINITY;
    }
    size_t used = 0;
    for (size_t r = 0; r < rows; r++) {
        p->start[r] = used;
        for (uint32_t j = 0; j < columns; j++)
            if (j == r % columns || hcri_random_uniform(random) < density) {
                p->column[used] = j;
                p->values[used++] = hcri_random_normal(random);
            }
        p->start[r + 1] = used;
        const double at = dot(p, r, p->inside);
        p->lower[columns + r] = at - exp(2 * hcri_random_normal(random));
        p->upper[columns + r] = r % 3 == 0 && bounds == 1 ? INFINITY : at + exp(2 * hcri_random_normal(random));
    }
}

static int centre_by(const polytope *p, int twice, double *f) {
    hcri_barrier barrier;
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    assert_int_equal(
        hcri_barrier_make(p->columns, p->rows, p->start, p->column, NULL, p->bounded, memory, &barrier, NULL), HCR_OK);
    double *scratch = malloc(hcri_barrier_scratch(&barrier) * sizeof *scratch);
    assert_non_null(scratch);
    const hcri_barrier_problem problem = {
        .values = p->values, .lower = p->lower, .upper = p->upper, .scale = 1, .twice = twice};
    const int found = hcri_barrier_centre(&barrier, &problem, f, scratch);
    free(scratch);
    return found;
}

static int centre_of(const polytope *p, double *f) { return centre_by(p, 0, f); }

/* gradient += (the barrier's by the distances of `at` from the limits of entry i); *sizes += its terms. */
static double pull_of(const polytope *p, size_t i, double at, double *size) {
    if (p->lower[i] == p->upper[i])
        return 0;
    assert_true(p->lower[i] < at && at < p->upper[i]);
    *size = 1 / (at - p->lower[i]) + 1 / (p->upper[i] - at);
    return 1 / (p->upper[i] - at) - 1 / (at - p->lower[i]);
}

/* The gradient is 0 to this share of its terms. */
static void assert_central_to(const polytope *p, const double *f, double share) {
    double gradient[COLUMNS], terms[COLUMNS], size = 0;
    for (size_t j = 0; j < p->columns; j++) {
        gradient[j] = pull_of(p, j, f[j], &size);
        terms[j] = size;
    }
    for (size_t r = 0; r < p->rows; r++) {
        size = 0;
        const double pull = pull_of(p, p->columns + r, dot(p, r, f), &size);
        for (size_t k = p->start[r]; k < p->start[r + 1]; k++) {
            gradient[p->column[k]] += pull * p->values[k];
            terms[p->column[k]] += size * fabs(p->values[k]);
        }
    }
    for (size_t j = 0; j < p->columns; j++)
        if (p->lower[j] != p->upper[j])
            assert_true(fabs(gradient[j]) <= share * terms[j]);
}

/* A centre to 1e-12 of each distance moves the terms by as little. */
static void assert_central(const polytope *p, const double *f) { assert_central_to(p, f, 1e-9); }

static void test_centres(void **state) {
    (void)state;
    static const struct {
        size_t columns, rows;
        double bounds, density;
    } shapes[] = {{1, 0, 1, 0},     {5, 0, 1, 0},       {5, 1, 1, 1},  {30, 29, 1, 0.05},
                  {40, 60, 1, 0.5}, {20, 60, 0.5, 0.3}, {15, 60, 0, 1}};
    hcri_random random;
    hcri_random_seed(&random, 20);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int times = 0; times < 20; times++) {
            polytope *p = malloc(sizeof *p);
            assert_non_null(p);
            draw(p, shapes[k].columns, shapes[k].rows, shapes[k].bounds, shapes[k].density, &random);
            double f[COLUMNS];
            for (size_t j = 0; j < p->columns; j++) /* a guess outside as often as inside */
                f[j] = p->inside[j] + (times % 2 == 0 ? 0 : 10 * hcri_random_normal(&random));
            assert_true(centre_of(p, f));
            assert_central(p, f);
            free(p);
        }
}

/* Gaps of many sizes at once, of rows down to 1e-8, of columns to 1e-20, beside others of 1: found to twice the
 * precision. What the sums here are rounded by is 1e-8 of such a row's gap, and moves the terms by as much. */
static void test_gaps(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 22);
    for (int times = 0; times < 50; times++) {
        polytope *p = malloc(sizeof *p);
        assert_non_null(p);
        draw(p, 20, 30, 1, 0.3, &random);
        for (size_t i = 0; i < p->columns + p->rows; i++) {
            const int is_row = i >= p->columns;
            const double at = is_row ? dot(p, i - p->columns, p->inside) : p->inside[i];
            const double size =
                hcri_random_below(&random, 2) == 0 ? 1 : pow(10, (is_row ? -8 : -20) * hcri_random_uniform(&random));
            p->lower[i] = size * (p->lower[i] - at);
            p->upper[i] = size * (p->upper[i] - at);
        }
        double f[COLUMNS];
        for (size_t j = 0; j < p->columns; j++)
            f[j] = times % 2 == 0 ? 0 : 1e-3 * hcri_random_normal(&random);
        assert_true(centre_by(p, 1, f));
        assert_central_to(p, f, 1e-6);
        free(p);
    }
}

/* Entries whose limits meet are theirs exactly; the others are the centre of what that leaves. */
static void test_held(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 21);
    for (int times = 0; times < 20; times++) {
        polytope *p = malloc(sizeof *p);
        assert_non_null(p);
        draw(p, 12, 20, 1, 0.4, &random);
        double f[COLUMNS];
        for (size_t j = 0; j < p->columns; j++) {
            if (j % 3 == 0)
                p->lower[j] = p->upper[j] = p->inside[j];
            f[j] = 0;
        }
        for (size_t r = 0; r < p->rows; r++) { /* a row of held entries alone would have no say: the test has none */
            size_t others = 0;
            for (size_t k = p->start[r]; k < p->start[r + 1]; k++)
                others += p->column[k] % 3 != 0;
            if (others == 0) {
                p->lower[p->columns + r] = -INFINITY;
                p->upper[p->columns + r] = INFINITY;
            }
        }
        assert_true(centre_of(p, f));
        for (size_t j = 0; j < p->columns; j += 3)
            assert_true(f[j] == p->inside[j]);
        for (size_t r = 0; r < p->rows; r++)
            if (isinf(p->lower[p->columns + r]) && isinf(p->upper[p->columns + r]))
                p->lower[p->columns + r] = p->upper[p->columns + r] = 0; /* left out */
        assert_central(p, f);
        free(p);
    }
}

/* No point: reported, and no number is taken for one. */
static void test_empty(void **state) {
    (void)state;
    static const uint32_t column[2] = {0, 1};
    polytope p = {.columns = 2, .rows = 1, .start = {0, 2}, .values = {1, 1}, .bounded = {1, 1}};
    p.column[0] = column[0];
    p.column[1] = column[1];
    p.upper[0] = p.upper[1] = 1;
    p.lower[2] = 3;
    p.upper[2] = 4;
    double f[2] = {0.5, 0.5};
    assert_false(centre_of(&p, f));
}

/* A star, a chain and a grid of 20,000 nodes have factors in proportion to their entries. */
static void test_fill(void **state) {
    (void)state;
    enum { SIZE = 20000, SIDE = 100 };
    uint32_t *first = malloc(2 * SIZE * sizeof *first), *second = malloc(2 * SIZE * sizeof *second);
    assert_true(first != NULL && second != NULL);
    for (int shape = 0; shape < 3; shape++) {
        size_t entries = 0;
        for (uint32_t i = 1; i < SIZE; i++) {
            first[entries] = i;
            second[entries++] = shape == 0 ? 0 : i - 1;
            if (shape == 2 && i >= SIDE) {
                first[entries] = i;
                second[entries++] = i - SIDE;
            }
        }
        hcri_ldl ldl;
        HCRI_SCRATCH(memory, &hcri_default_allocator);
        assert_int_equal(hcri_ldl_make(SIZE, entries, first, second, NULL, memory, &ldl, NULL), HCR_OK);
        assert_true(ldl.column[SIZE] <= (shape == 2 ? 20 : 1) * entries);
    }
    free(first);
    free(second);
}

/* Rows of a full matrix are solved for together: A x against the right side, to 1e-12 of its size. */
static void test_full(void **state) {
    (void)state;
    enum { SIZE = 43, PAIRS = SIZE * (SIZE - 1) / 2 };
    hcri_random random;
    hcri_random_seed(&random, 5);
    uint32_t first[PAIRS], second[PAIRS];
    double entry[PAIRS], diagonal[SIZE], right[SIZE], x[SIZE], product[SIZE];
    size_t count = 0, together = 0;
    for (uint32_t j = 0; j < SIZE; j++) {
        diagonal[j] = (j % 3 == 0 ? -1 : 1) * (SIZE + hcri_random_uniform(&random));
        right[j] = x[j] = hcri_random_normal(&random);
        for (uint32_t i = 0; i < j; i++, count++) {
            first[count] = i;
            second[count] = j;
            entry[count] = hcri_random_normal(&random);
        }
    }
    hcri_ldl ldl;
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    assert_int_equal(hcri_ldl_make(SIZE, PAIRS, first, second, NULL, memory, &ldl, NULL), HCR_OK);
    double *factor = hcri_allocate(memory, hcri_ldl_numbers(&ldl), sizeof *factor);
    assert_non_null(factor);
    assert_true(hcri_ldl_factorise(&ldl, diagonal, entry, factor));
    hcri_ldl_solve(&ldl, factor, x);
    for (size_t j = 0; j < SIZE; j++) {
        product[j] = diagonal[j] * x[j];
        together += ldl.together[j];
    }
    for (size_t e = 0; e < PAIRS; e++) {
        product[first[e]] += entry[e] * x[second[e]];
        product[second[e]] += entry[e] * x[first[e]];
    }
    for (size_t j = 0; j < SIZE; j++)
        assert_float_equal(product[j], right[j], 1e-12);
    assert_true(together >= 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_full), cmocka_unit_test(test_centres),
                                       cmocka_unit_test(test_held), cmocka_unit_test(test_empty),
                                       cmocka_unit_test(test_fill), cmocka_unit_test(test_gaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
