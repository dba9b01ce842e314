/* The factor after any sequence of changes is that of the matrix it stands for: checked by solving with it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "project/envelope_cholesky.h"

enum { MOST = 40, WIDTH = 60 };

/* The Gram matrix of `count` vectors is kept beside the envelope. */
typedef struct gram {
    hcri_envelope envelope;
    size_t count;
    double vector[MOST][WIDTH];
} gram;

static double product(const double *a, const double *b) {
    double sum = 0;
    for (size_t k = 0; k < WIDTH; k++)
        sum += a[k] * b[k];
    return sum;
}

static void insert(gram *g, size_t position, const double *vector) {
    double cross[MOST] = {0};
    for (size_t i = 0; i < g->count; i++)
        cross[i] = product(g->vector[i], vector);
    assert_true(hcri_envelope_insert(&g->envelope, position, cross, product(vector, vector)));
    for (size_t i = g->count++; i > position; i--)
        for (size_t k = 0; k < WIDTH; k++)
            g->vector[i][k] = g->vector[i - 1][k];
    for (size_t k = 0; k < WIDTH; k++)
        g->vector[position][k] = vector[k];
}

static void take_out(gram *g, size_t position) {
    hcri_envelope_remove(&g->envelope, position);
    g->count--;
    for (size_t i = position; i < g->count; i++)
        for (size_t k = 0; k < WIDTH; k++)
            g->vector[i][k] = g->vector[i + 1][k];
}

/* G x = b for random b: the residual is a few thousand roundings of numbers of size 100 at most. */
static void check(gram *g, hcri_random *random) {
    double b[MOST], x[MOST];
    assert_int_equal(g->envelope.count, g->count);
    for (size_t i = 0; i < g->count; i++)
        b[i] = x[i] = hcri_random_normal(random);
    hcri_envelope_forward(&g->envelope, x);
    hcri_envelope_backward(&g->envelope, x);
    size_t numbers = 0;
    for (size_t i = 0; i < g->count; i++) {
        double residual = -b[i], size = fabs(b[i]);
        for (size_t j = 0; j < g->count; j++) {
            const double term = product(g->vector[i], g->vector[j]) * x[j];
            residual += term;
            size += fabs(term);
        }
        assert_true(fabs(residual) <= 1e-11 * size);
        numbers += i + 1 - g->envelope.row[i].first;
    }
    assert_int_equal(g->envelope.numbers, numbers);
}

static void change_at_random(uint64_t seed, size_t terms) {
    hcri_random random;
    hcri_random_seed(&random, seed);
    gram g = {.count = 0};
    for (size_t step = 0; step < 400; step++) {
        if (g.count == MOST || (g.count != 0 && hcri_random_uniform(&random) < 0.4)) {
            take_out(&g, hcri_random_below(&random, g.count));
        } else {
            double vector[WIDTH] = {0};
            const size_t first = hcri_random_below(&random, WIDTH - terms + 1);
            for (size_t k = 0; k < terms; k++)
                vector[first + k] = hcri_random_normal(&random);
            vector[hcri_random_below(&random, WIDTH)] += 3; /* keeps the vectors well apart */
            insert(&g, hcri_random_below(&random, g.count + 1), vector);
        }
        if (g.count < 25) /* beyond, sparse vectors may come near to dependence */
            check(&g, &random);
        else
            while (g.count > 10)
                take_out(&g, 0);
    }
    hcri_envelope_clear(&g.envelope);
    g.count = 0;
    double vector[WIDTH] = {2};
    insert(&g, 0, vector);
    check(&g, &random);
    hcri_envelope_release(&g.envelope);
}

static void test_dense(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++)
        change_at_random(seed, WIDTH);
}

static void test_sparse(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++)
        change_at_random(seed, 8);
}

/* Differences of neighbours, put in where they belong, in any order: the factor is a band. */
static void test_band(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 5);
    size_t order[MOST];
    for (size_t i = 0; i < MOST; i++)
        order[i] = i;
    hcri_random_shuffle(&random, MOST, order);
    gram g = {.count = 0};
    size_t present[MOST], count = 0;
    for (size_t k = 0; k < MOST; k++) {
        double vector[WIDTH] = {0};
        vector[order[k]] = 1;
        vector[order[k] + 1] = -1;
        size_t position = 0;
        while (position < count && present[position] < order[k])
            position++;
        for (size_t i = count++; i > position; i--)
            present[i] = present[i - 1];
        present[position] = order[k];
        insert(&g, position, vector);
        check(&g, &random);
    }
    assert_int_equal(g.envelope.numbers, 2 * MOST - 1);
    for (size_t k = 0; k < MOST; k += 2) { /* apart again: every row stands alone */
        take_out(&g, k / 2);
        check(&g, &random);
    }
    assert_int_equal(g.envelope.numbers, MOST / 2);
    hcri_envelope_release(&g.envelope);
}

/* A repeated row makes the matrix singular, which is reported; the numbers are squares, so that nothing is rounded. */
static void test_dependent(void **state) {
    (void)state;
    hcri_envelope envelope = {0};
    const double cross[2] = {4, 4};
    assert_true(hcri_envelope_insert(&envelope, 0, cross, 4));
    assert_false(hcri_envelope_insert(&envelope, 1, cross, 4));
    hcri_envelope_clear(&envelope);
    assert_true(hcri_envelope_insert(&envelope, 0, cross, 4));
    assert_false(hcri_envelope_insert(&envelope, 0, cross, 1));
    hcri_envelope_release(&envelope);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dense), cmocka_unit_test(test_sparse),
                                       cmocka_unit_test(test_band), cmocka_unit_test(test_dependent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
