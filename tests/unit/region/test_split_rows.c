/* Products of rows by high and low parts, against sums to twice the working precision; the same bits in any batch. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/double_double.h"
#include "base/random.h"
#include "region/split_rows.h"

enum { MOST_TERMS = 200, MOST_ROWS = 70, SAMPLES = 11, WIDTH = MOST_TERMS + MOST_ROWS };

typedef struct system {
    size_t rows, terms, outputs;
    hcri_rows map;
    hcri_split_rows split;
    uint32_t to[MOST_ROWS];
    double constant[MOST_ROWS], v[SAMPLES * WIDTH];
} system;

/* Columns are every number but the first `rows`; those from `outputs` on are parameters. */
static void make(system *at, size_t rows, size_t terms, int spread, hcri_random *random) {
    *at = (system){.rows = rows, .terms = terms, .outputs = rows + terms - terms / 3};
    uint32_t columns[MOST_TERMS];
    double values[MOST_TERMS];
    for (size_t k = 0; k < terms; k++)
        columns[k] = (uint32_t)(rows + k);
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < terms; k++)
            values[k] = ldexp(hcri_random_normal(random), (int)(spread * (hcri_random_uniform(random) - 0.5)));
        at->to[i] = (uint32_t)i;
        at->constant[i] = hcri_random_normal(random);
        assert_int_equal(hcri_rows_append(&at->map, &hcri_default_allocator, terms, columns, values, NULL), HCR_OK);
    }
    for (size_t k = 0; k < SAMPLES * WIDTH; k++)
        at->v[k] = ldexp(hcri_random_normal(random), (int)(spread * (hcri_random_uniform(random) - 0.5)));
    memset(at->v + WIDTH, 0, WIDTH * sizeof *at->v); /* a sample of zeros */
    at->v[2 * WIDTH + rows] = 0x1p500;               /* one of a size that isn't split */
    assert_int_equal(hcri_split_rows_make(&at->map, 0, rows, at->outputs, &hcri_default_allocator, &at->split, NULL),
                     HCR_OK);
}

static void release(system *at) {
    hcri_split_rows_release(&at->split, &hcri_default_allocator);
    hcri_rows_release(&at->map, &hcri_default_allocator);
}

/* Right to ⅝ of a unit in the last place: half of one is rounding, an eighth of that is promised beside it. */
static void assert_right(const system *at, size_t s, int is_point, const double *found) {
    const double *v = at->v + s * WIDTH;
    for (size_t i = 0; i < at->rows; i++) {
        hcri_dd off = {-found[i], 0};
        for (size_t k = at->map.start[i]; k < at->map.start[i + 1]; k++)
            if (is_point || at->map.columns[k] < at->outputs)
                off = hcri_dd_add_product(off, at->map.values[k], v[at->map.columns[k]]);
        off = hcri_dd_add(off, is_point ? at->constant[i] : 0);
        assert_true(fabs(hcri_dd_value(off)) <= 0.625 * 0x1p-52 * fabs(found[i]) + 0x1p-1000);
    }
}

static void test_products(void **state) {
    (void)state;
    static const size_t shapes[][2] = {{8, 8}, {9, 13}, {50, 100}, {70, 200}, {33, 65}};
    static system at;
    hcri_random random;
    hcri_random_seed(&random, 8);
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++)
        for (int spread = 0; spread <= 60; spread += 20) {
            make(&at, shapes[k][0], shapes[k][1], spread, &random);
            for (int is_point = 0; is_point < 2; is_point++) {
                static double all[SAMPLES * WIDTH], one[WIDTH];
                const double *constant = is_point ? at.constant : NULL;
                memcpy(all, at.v, sizeof all);
                hcri_split_rows_complete(&at.split, at.to, constant, SAMPLES, all, WIDTH);
                for (size_t s = 0; s < SAMPLES; s++) {
                    memcpy(one, at.v + s * WIDTH, sizeof one);
                    hcri_split_rows_complete(&at.split, at.to, constant, 1, one, WIDTH);
                    assert_memory_equal(one, all + s * WIDTH, sizeof one);
                    assert_right(&at, s, is_point, one);
                }
            }
            release(&at);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
