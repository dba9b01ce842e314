/* Analytic centres of eight samples at a time: where the gradient of Σ −log of the distances is 0, by plain loops. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel_variants.h"
#include "kernels/centre_kernels.h"

/* Two bounds a column, rows of two columns, some of them of the same two, and rows of more. */
enum { COLUMNS = 9, PAIRS = 6, MORE = 2, ROWS = PAIRS + MORE, NODES = COLUMNS + ROWS, TERMS = 2 * PAIRS + 4 * MORE };

typedef struct example {
    hcri_pool memory;
    hcri_centre_system system;
    uint32_t entry[PAIRS], at[TERMS], column[TERMS];
    size_t start[ROWS + 1], limit[2 * NODES + 1];
    double value[TERMS], length[NODES], dense[(COLUMNS + HCRI_DENSE_COLUMNS - 1) * ROWS];
    double limits[8 * 2 * NODES], moves[8 * COLUMNS], towards[8 * (COLUMNS + MORE)];
    double f[8 * (COLUMNS + MORE)], node[8 * NODES], *scratch;
    double equal[8 * ROWS], goal[8 * ROWS], multiplier[8 * ROWS];
} example;

static uint32_t column_of(const example *e, size_t j) { return e->system.place[j]; }

/* All rows of a dense system are put in. */
static uint32_t make_dense(example *e, uint32_t *first, uint32_t *second) {
    uint32_t count = 0;
    for (size_t r = 0; r < ROWS; r++)
        for (size_t k = e->start[r]; k < e->start[r + 1]; k++)
            e->dense[e->column[k] * ROWS + r] = e->value[k];
    for (uint32_t j = 0; j < COLUMNS; j++)
        for (uint32_t i = 0; i < j; i++) {
            first[count] = i;
            second[count++] = j;
        }
    e->system.dense = e->dense;
    e->system.pairs = ROWS;
    e->system.shared = count;
    return count;
}

static void make(example *e, hcri_random *random, int is_dense) {
    static const uint32_t pair[PAIRS][2] = {{0, 1}, {1, 2}, {0, 1}, {2, 5}, {3, 4}, {5, 8}};
    static const uint32_t of_entry[PAIRS] = {0, 1, 0, 2, 3, 4};
    uint32_t first[COLUMNS * COLUMNS], second[COLUMNS * COLUMNS], count = 5, terms = 0;
    hcr_error error;
    memset(e, 0, sizeof *e);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t own = r < PAIRS ? 2 : 4;
        double square = 0;
        for (uint32_t k = 0; k < own; k++) {
            const uint32_t j = r < PAIRS ? pair[r][k] : (uint32_t)(2 * k + r - PAIRS) % COLUMNS;
            e->column[terms] = j;
            e->value[terms] = hcri_random_normal(random);
            square += e->value[terms] * e->value[terms];
            terms++;
            if (r < PAIRS) {
                first[of_entry[r]] = pair[r][0];
                second[of_entry[r]] = pair[r][1];
            } else {
                first[count] = (uint32_t)(COLUMNS + r - PAIRS);
                second[count++] = j;
            }
        }
        e->start[r + 1] = terms;
        e->length[COLUMNS + r] = sqrt(square);
    }
    for (size_t j = 0; j < COLUMNS; j++)
        e->length[j] = 1;
    for (size_t i = 0; i <= 2 * NODES; i++)
        e->limit[i] = i;
    memcpy(e->entry, of_entry, sizeof of_entry);
    e->system = (hcri_centre_system){.columns = COLUMNS,
                                     .pairs = PAIRS,
                                     .nodes = NODES,
                                     .entry = e->entry,
                                     .start = e->start,
                                     .at = e->at,
                                     .value = e->value,
                                     .limit = e->limit,
                                     .length = e->length,
                                     .scale = 1,
                                     .shared = 5};
    if (is_dense)
        count = make_dense(e, first, second);
    e->memory = (hcri_pool){.from = &hcri_default_allocator};
    assert_int_equal(hcri_ldl_make(COLUMNS + (is_dense ? 0 : MORE), count, first, second, NULL,
                                   hcri_pool_allocator(&e->memory), &e->system.ldl, &error),
                     HCR_OK);
    e->system.place = e->system.ldl.place;
    for (size_t k = 0; k < TERMS; k++)
        e->at[k] = e->system.place[e->column[k]];
    e->scratch = malloc(hcri_centre_numbers(&e->system) * sizeof *e->scratch);
    assert_non_null(e->scratch);
}

static void release(example *e) {
    free(e->scratch);
    hcri_pool_release(&e->memory);
}

static double value_of(const example *e, size_t node, const double *f) {
    double sum = node < COLUMNS ? f[node] : 0;
    for (size_t k = node < COLUMNS ? 0 : e->start[node - COLUMNS]; node >= COLUMNS && k < e->start[node - COLUMNS + 1];
         k++)
        sum += e->value[k] * f[e->column[k]];
    return sum;
}

/* Limits around a point, some of them left out, and a guess elsewhere. Lane `crossed`: none has a point. */
static void draw(example *e, hcri_random *random, size_t crossed) {
    for (size_t l = 0; l < 8; l++) {
        double f[COLUMNS];
        fill(random, f, COLUMNS);
        for (size_t i = 0; i < NODES; i++) {
            const double at = value_of(e, i, f);
            e->limits[8 * (2 * i) + l] =
                i >= COLUMNS && i % 5 == 0 ? -INFINITY : at - 0.1 - hcri_random_uniform(random);
            e->limits[8 * (2 * i + 1) + l] = i % 7 == 3 ? INFINITY : at + 0.1 + hcri_random_uniform(random);
        }
        if (l == crossed) { /* a row of more is above all that its columns can */
            double most = 0;
            for (size_t k = e->start[ROWS - 1]; k < e->start[ROWS]; k++) {
                e->limits[8 * (2 * e->column[k] + 1) + l] = fmin(e->limits[8 * (2 * e->column[k] + 1) + l], 10);
                const double a = e->value[k];
                most += a * e->limits[8 * (2 * e->column[k] + (a > 0)) + l];
            }
            e->limits[8 * (2 * (NODES - 1)) + l] = most + 1;
            e->limits[8 * (2 * (NODES - 1) + 1) + l] = most + 2;
        }
    }
    for (size_t j = 0; j < COLUMNS; j++)
        for (size_t l = 0; l < 8; l++) {
            e->moves[8 * j + l] = 1;
            e->f[8 * column_of(e, j) + l] = 3 * hcri_random_normal(random);
        }
}

static hcri_eight_centres lanes_of(example *e) {
    return (hcri_eight_centres){e->limits, e->moves, e->towards, e->f, e->node, e->scratch, NULL, NULL, NULL};
}

/* What of a gradient isn't along the rows that are equalities, by orthogonalisation. */
static void leave_equalities(const example *e, size_t lane, double gradient[COLUMNS]) {
    double way[ROWS][COLUMNS] = {{0}};
    for (size_t r = 0, count = 0; r < ROWS; r++) {
        if (e->equal[8 * r + lane] == 0)
            continue;
        double square = 0;
        for (size_t k = e->start[r]; k < e->start[r + 1]; k++)
            way[count][e->column[k]] = e->value[k];
        for (size_t b = 0; b < count; b++) {
            double along = 0;
            for (size_t j = 0; j < COLUMNS; j++)
                along += way[count][j] * way[b][j];
            for (size_t j = 0; j < COLUMNS; j++)
                way[count][j] -= along * way[b][j];
        }
        for (size_t j = 0; j < COLUMNS; j++)
            square += way[count][j] * way[count][j];
        double along = 0;
        for (size_t j = 0; j < COLUMNS; j++) {
            way[count][j] /= sqrt(square);
            along += way[count][j] * gradient[j];
        }
        for (size_t j = 0; j < COLUMNS; j++)
            gradient[j] -= along * way[count][j];
        count++;
    }
}

/* The gradient of the barrier by each column, relative to the largest term: 1e-9 is what an error of 1e-12 of the
 * distances leaves at worst. */
static void assert_centre(const example *e, size_t lane) {
    double f[COLUMNS], gradient[COLUMNS] = {0}, size[COLUMNS] = {0};
    for (size_t j = 0; j < COLUMNS; j++)
        f[j] = e->f[8 * column_of(e, j) + lane];
    for (size_t i = 0; i < NODES; i++) {
        const double at = value_of(e, i, f);
        const double below = at - e->limits[8 * (2 * i) + lane], above = e->limits[8 * (2 * i + 1) + lane] - at;
        assert_true(below > 0 && above > 0);
        assert_true(fabs(e->node[8 * i + lane] - at) <= 1e-13 * (1 + fabs(at)));
        for (size_t k = i < COLUMNS ? 0 : e->start[i - COLUMNS]; k < (i < COLUMNS ? 1 : e->start[i - COLUMNS + 1]);
             k++) {
            const size_t j = i < COLUMNS ? i : e->column[k];
            const double a = i < COLUMNS ? 1 : e->value[k];
            gradient[j] += a * (1 / above - 1 / below);
            size[j] += fabs(a) * (1 / above + 1 / below);
        }
    }
    for (size_t j = 0; j < COLUMNS; j++)
        gradient[j] += e->system.pull * (f[j] - e->towards[8 * column_of(e, j) + lane]);
    leave_equalities(e, lane, gradient);
    double most = e->system.pull;
    for (size_t j = 0; j < COLUMNS; j++)
        most = fmax(most, size[j]);
    for (size_t j = 0; j < COLUMNS; j++)
        if (e->moves[8 * j + lane] != 0)
            assert_true(fabs(gradient[j]) <= 1e-9 * most);
}

static void test_centres(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 11);
    for (int round = 0; round < 60; round++) {
        example e;
        double guess[8 * (COLUMNS + MORE)], alone[COLUMNS], limits[8 * 2 * NODES];
        make(&e, &random, round / 2 % 2);
        draw(&e, &random, 8);
        e.system.pull = round % 3 == 0 ? 0.1 : 0;
        for (size_t j = 0; j < COLUMNS && round % 2 == 0; j++) /* held in one lane: limits say nothing of it */
            if (j % 4 == 1) {
                e.moves[8 * j + 5] = 0;
                e.limits[8 * (2 * j) + 5] = -INFINITY;
                e.limits[8 * (2 * j + 1) + 5] = INFINITY;
                e.f[8 * column_of(&e, j) + 5] = 0;
            }
        memcpy(guess, e.f, sizeof guess);
        memcpy(limits, e.limits, sizeof limits);
        for (size_t k = 0; k < kernel_count; k++) {
            hcri_eight_centres at = lanes_of(&e);
            hcri_centre_search found[8];
            memcpy(e.f, guess, sizeof guess);
            kernels[k]->centre->search(&e.system, &at, found);
            size_t count = 0;
            for (size_t l = 0; l < 8; l++)
                if (found[l] == HCRI_CENTRE_FOUND && (l != 5 || round % 2 == 1)) {
                    assert_centre(&e, l);
                    count++;
                }
            assert_true(count >= 5); /* few steps are enough for most */
            /* A sample's bits are the same beside others. */
            for (size_t j = 0; j < COLUMNS; j++)
                alone[j] = e.f[8 * column_of(&e, j) + 2];
            for (size_t i = 0; i < 2 * NODES; i++)
                for (size_t l = 0; l < 8; l++)
                    if (l != 2)
                        e.limits[8 * i + l] = e.limits[8 * i + 2];
            memcpy(e.f, guess, sizeof guess);
            kernels[k]->centre->search(&e.system, &at, found);
            for (size_t j = 0; j < COLUMNS; j++)
                assert_true(alone[j] == e.f[8 * column_of(&e, j) + 2]);
            /* And in another lane, of the kernels for few. */
            memcpy(e.f, guess, sizeof guess);
            for (size_t j = 0; j < COLUMNS + MORE; j++) {
                e.f[8 * j + 1] = guess[8 * j + 2];
                e.towards[8 * j + 1] = e.towards[8 * j + 2];
            }
            assert_true(kernels[k]->centre_few->lanes >= 2);
            kernels[k]->centre_few->search(&e.system, &at, found);
            for (size_t j = 0; j < COLUMNS; j++)
                assert_true(alone[j] == e.f[8 * column_of(&e, j) + 1]);
            memcpy(e.limits, limits, sizeof limits);
        }
        release(&e);
    }
}

static void test_contradictions(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 13);
    for (int round = 0; round < 20; round++) {
        example e;
        double guess[8 * (COLUMNS + MORE)];
        make(&e, &random, round / 2 % 2);
        draw(&e, &random, 3);
        memcpy(guess, e.f, sizeof guess);
        for (size_t k = 0; k < kernel_count; k++) {
            hcri_eight_centres at = lanes_of(&e);
            hcri_centre_search found[8];
            memcpy(e.f, guess, sizeof guess);
            kernels[k]->centre->search(&e.system, &at, found);
            assert_int_equal(found[3], HCRI_CENTRE_EMPTY);
            for (size_t l = 0; l < 8; l++)
                assert_true(l == 3 || found[l] != HCRI_CENTRE_EMPTY);
        }
        release(&e);
    }
}

/* Rows that are equalities in some lanes: a pair beside others of its columns, and one of more. The guess is a point of
 * them. */
static void test_equalities(void **state) {
    static const size_t held[] = {0, 3, ROWS - 1};
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 17);
    for (int round = 0; round < 40; round++) {
        example e;
        double guess[8 * (COLUMNS + MORE)];
        make(&e, &random, round / 2 % 2);
        draw(&e, &random, 8);
        for (size_t l = 0; l < 8; l++) {
            double f[COLUMNS];
            for (size_t j = 0; j < COLUMNS; j++) {
                f[j] = 0.5 * (e.limits[8 * (2 * j) + l] + fmin(e.limits[8 * (2 * j + 1) + l], 10));
                e.f[8 * column_of(&e, j) + l] = f[j];
            }
            for (size_t r = 0; r < ROWS; r++) { /* no row leaves the guess out */
                const size_t i = COLUMNS + r;
                const double at = value_of(&e, i, f);
                e.limits[8 * (2 * i) + l] = at - 0.1 - hcri_random_uniform(&random);
                e.limits[8 * (2 * i + 1) + l] = at + 0.1 + hcri_random_uniform(&random);
            }
            for (size_t h = 0; h < sizeof held / sizeof *held && l % 4 != 0; h++) {
                const size_t i = COLUMNS + held[h];
                e.equal[8 * held[h] + l] = 1;
                e.goal[8 * held[h] + l] = value_of(&e, i, f);
                e.limits[8 * (2 * i) + l] = -INFINITY;
                e.limits[8 * (2 * i + 1) + l] = INFINITY;
            }
        }
        memcpy(guess, e.f, sizeof guess);
        for (size_t k = 0; k < kernel_count; k++) {
            hcri_eight_centres at = lanes_of(&e);
            hcri_centre_search found[8];
            at.equal = e.equal;
            at.goal = e.goal;
            at.multiplier = e.multiplier;
            memset(e.multiplier, 0, sizeof e.multiplier);
            memcpy(e.f, guess, sizeof guess);
            kernels[k]->centre->search(&e.system, &at, found);
            for (size_t l = 0; l < 8; l++) {
                assert_int_equal(found[l], HCRI_CENTRE_FOUND);
                assert_centre(&e, l);
                for (size_t r = 0; r < ROWS; r++) /* a few roundings of its terms, none of which is as large as 10 */
                    if (e.equal[8 * r + l] != 0)
                        assert_true(fabs(e.node[8 * (COLUMNS + r) + l] - e.goal[8 * r + l]) < 1e-13);
            }
        }
        release(&e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_centres), cmocka_unit_test(test_contradictions),
                                       cmocka_unit_test(test_equalities)};
    return cmocka_run_group_tests(tests, find_kernels, NULL);
}
