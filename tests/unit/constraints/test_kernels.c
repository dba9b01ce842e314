/* Every instruction set's kernels against plain loops, and the rule that a sample's bits don't depend on its company.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "constraints/kernels.h"
#include "core/random.h"

enum { MOST = 70, SAMPLES = 37 };

static const hcri_kernels *kernels[3];
static size_t kernel_count;

static int find_kernels(void **state) {
    (void)state;
    kernel_count = hcri_kernels_all(kernels, 3);
    return 0;
}

static void fill(hcri_random *random, double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        values[i] = hcri_random_normal(random);
}

/* Sums of n rounded terms differ from one order to another by at most n units in the last place of the sum of sizes. */
static void assert_near(double a, double b, double sizes, size_t n) {
    assert_true(fabs(a - b) <= 2 * (double)(n + 1) * 0x1p-53 * sizes);
}

static void test_sums(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 1);
    double a[MOST], v[MOST];
    for (size_t n = 1; n <= MOST; n++) {
        fill(&random, a, n);
        fill(&random, v, n);
        double dot = 0, squares = 0, weighted = 0, size = 0, dot_size = 0, weighted_size = 0;
        for (size_t j = 0; j < n; j++) {
            dot += a[j] * v[j];
            dot_size += fabs(a[j] * v[j]);
            squares += v[j] * v[j];
            size += fabs(v[j]);
            weighted += a[j] * v[j] * v[j];
            weighted_size += fabs(a[j]) * v[j] * v[j];
        }
        for (size_t k = 0; k < kernel_count; k++) {
            assert_near(kernels[k]->dot(n, a, v), dot, dot_size, n);
            assert_near(kernels[k]->squares(n, v), squares, squares, n);
            assert_near(kernels[k]->weighted_squares(n, a, v), weighted, weighted_size, n);
            double total;
            kernels[k]->sum_abs(1, n, v, n, &total);
            assert_near(total, size, size, n);
        }
    }
}

/* A matrix whose rows make runs of every form; of dense and sparse ones so many that no block of them comes out even.
 */
enum { DENSE_ROWS = 45, SPARSE_ROWS = 40 };

static hcri_rows make_rows(hcri_random *random, size_t n) {
    hcri_rows rows = {0};
    uint32_t columns[MOST];
    double values[MOST];
    for (size_t i = 0; i + 1 < n; i++) { /* differences */
        columns[0] = (uint32_t)i;
        columns[1] = (uint32_t)i + 1;
        values[0] = 1;
        values[1] = -1;
        assert_int_equal(hcri_rows_append(&rows, &hcri_default_allocator, 2, columns, values, NULL), HCR_OK);
    }
    for (size_t i = 0; i + 2 < n; i++) { /* three terms */
        for (size_t k = 0; k < 3; k++) {
            columns[k] = (uint32_t)(i + k);
            values[k] = (double)k - 0.7;
        }
        assert_int_equal(hcri_rows_append(&rows, &hcri_default_allocator, 3, columns, values, NULL), HCR_OK);
    }
    for (size_t i = 0; i < DENSE_ROWS; i++) { /* dense */
        for (size_t j = 0; j < n; j++) {
            columns[j] = (uint32_t)j;
            values[j] = hcri_random_normal(random);
        }
        assert_int_equal(hcri_rows_append(&rows, &hcri_default_allocator, n, columns, values, NULL), HCR_OK);
    }
    for (size_t i = 0; i < SPARSE_ROWS; i++) { /* sparse */
        columns[0] = (uint32_t)hcri_random_below(random, n);
        values[0] = hcri_random_normal(random);
        assert_int_equal(hcri_rows_append(&rows, &hcri_default_allocator, 1, columns, values, NULL), HCR_OK);
    }
    return rows;
}

/* All products of a run, in portions and for many samples at once, have the bits of row_dot. */
static void test_products(void **state) {
    (void)state;
    enum { PORTION = 40 };
    hcri_random random;
    hcri_random_seed(&random, 6);
    static double v[SAMPLES * MOST];
    for (size_t n = 4; n <= MOST; n += 11) {
        hcri_rows rows = make_rows(&random, n);
        hcri_layout layout;
        assert_int_equal(hcri_layout_make(&rows, n, &hcri_default_allocator, &layout, NULL), HCR_OK);
        fill(&random, v, SAMPLES * n);
        for (size_t k = 0; k < kernel_count; k++)
            for (size_t r = 0; r < layout.runs; r++) {
                const hcri_run *run = &layout.run[r];
                for (size_t from = 0; from < run->count; from += PORTION) {
                    const size_t count = run->count - from < PORTION ? run->count - from : PORTION;
                    double out[SAMPLES][PORTION + 1];
                    kernels[k]->run_products(&rows, run, n, from, count, SAMPLES, v, n, &out[0][0], PORTION + 1);
                    for (size_t s = 0; s < SAMPLES; s++)
                        for (size_t i = 0; i < count; i++) {
                            const size_t row = run->first + from + i, start = rows.start[row];
                            assert_true(out[s][i] == kernels[k]->row_dot(rows.start[row + 1] - start,
                                                                         rows.columns + start, rows.values + start,
                                                                         v + s * n));
                        }
                }
            }
        hcri_layout_release(&layout, &hcri_default_allocator);
        hcri_rows_release(&rows, &hcri_default_allocator);
    }
}

static void test_rows(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 2);
    static double v[SAMPLES * MOST], lower[4 * MOST], upper[4 * MOST];
    for (size_t n = 4; n <= MOST; n += 11) {
        hcri_rows rows = make_rows(&random, n);
        hcri_layout layout;
        assert_int_equal(hcri_layout_make(&rows, n, &hcri_default_allocator, &layout, NULL), HCR_OK);
        for (size_t i = 0; i < rows.count; i++) {
            lower[i] = -hcri_random_uniform(&random);
            upper[i] = hcri_random_uniform(&random);
        }
        fill(&random, v, SAMPLES * n);
        for (size_t k = 0; k < kernel_count; k++) {
            double together[SAMPLES] = {0};
            for (size_t r = 0; r < layout.runs; r++)
                kernels[k]->run_max(&rows, &layout.run[r], n, SAMPLES, v, n, lower, upper, together);
            for (size_t s = 0; s < SAMPLES; s++) {
                const double *x = v + s * n;
                double alone = 0, by_row = 0, plain = 0, sizes = 0, squares = 0, plain_squares = 0;
                size_t found = SIZE_MAX;
                for (size_t r = 0; r < layout.runs; r++) {
                    kernels[k]->run_max(&rows, &layout.run[r], n, 1, x, n, lower, upper, &alone);
                    squares += kernels[k]->run_squares(&rows, &layout.run[r], n, x);
                }
                for (size_t r = 0; r < layout.runs && found == SIZE_MAX; r++)
                    found = kernels[k]->run_find(&rows, &layout.run[r], n, x, lower, upper, alone);
                for (size_t i = 0; i < rows.count; i++) {
                    const size_t start = rows.start[i];
                    const double t =
                        kernels[k]->row_dot(rows.start[i + 1] - start, rows.columns + start, rows.values + start, x);
                    double absolute;
                    const double dot = hcri_rows_dot(&rows, i, x, &absolute);
                    by_row = fmax(by_row, fmax(t * upper[i], t * lower[i]));
                    plain = fmax(plain, fmax(dot * upper[i], dot * lower[i]));
                    sizes = fmax(sizes, absolute);
                    plain_squares += dot * dot;
                }
                assert_true(alone == together[s]); /* bits: batch or alone, row by row */
                assert_true(alone == by_row);
                assert_near(alone, plain, sizes, n);
                assert_true(fabs(squares - plain_squares) <= 1e-12 * plain_squares);
                const size_t start = rows.start[found / 2];
                const double t = kernels[k]->row_dot(rows.start[found / 2 + 1] - start, rows.columns + start,
                                                     rows.values + start, x);
                assert_true(t * (found % 2 == 0 ? upper : lower)[found / 2] == alone);
            }
        }
        hcri_layout_release(&layout, &hcri_default_allocator);
        hcri_rows_release(&rows, &hcri_default_allocator);
    }
}

/* v'Uv by the definition of the panels, and the same bits alone as in company. */
static void test_triangles(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 5);
    static double v[SAMPLES * MOST], panels[(MOST + HCRI_PANEL) * (MOST + HCRI_PANEL)];
    for (size_t n = 1; n <= MOST; n++) {
        size_t used = 0;
        fill(&random, v, SAMPLES * n);
        double plain[SAMPLES] = {0}, sizes[SAMPLES] = {0};
        for (size_t i = 0; i < n; i += HCRI_PANEL)
            for (size_t j = i; j < n; j++)
                for (size_t row = i; row < i + HCRI_PANEL; row++) {
                    const double u = j < row ? 0 : hcri_random_normal(&random);
                    panels[used++] = u;
                    for (size_t s = 0; s < SAMPLES && u != 0; s++) {
                        plain[s] += v[s * n + row] * u * v[s * n + j];
                        sizes[s] += fabs(v[s * n + row] * u * v[s * n + j]);
                    }
                }
        for (size_t k = 0; k < kernel_count; k++) {
            double together[SAMPLES], alone;
            kernels[k]->triangle_form(n, panels, SAMPLES, v, n, together);
            for (size_t s = 0; s < SAMPLES; s++) {
                kernels[k]->triangle_form(n, panels, 1, v + s * n, n, &alone);
                assert_true(alone == together[s]);
                assert_near(alone, plain[s], sizes[s], n * n);
            }
        }
    }
}

static void test_layout_forms(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 3);
    hcri_rows rows = make_rows(&random, 40);
    hcri_layout layout;
    assert_int_equal(hcri_layout_make(&rows, 40, &hcri_default_allocator, &layout, NULL), HCR_OK);
    const hcri_run_form forms[] = {HCRI_RUN_STENCIL, HCRI_RUN_STENCIL, HCRI_RUN_DENSE, HCRI_RUN_SPARSE};
    const size_t counts[] = {39, 38, DENSE_ROWS, SPARSE_ROWS};
    assert_int_equal(layout.runs, 4);
    for (size_t r = 0; r < 4; r++) {
        assert_int_equal(layout.run[r].form, forms[r]);
        assert_int_equal(layout.run[r].count, counts[r]);
    }
    hcri_layout_release(&layout, &hcri_default_allocator);
    hcri_rows_release(&rows, &hcri_default_allocator);
}

static void test_box_and_step(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 4);
    double v[MOST], lower[MOST], upper[MOST], origin[MOST], y[MOST];
    float f[MOST];
    for (size_t n = 1; n <= MOST; n++) {
        fill(&random, v, n);
        fill(&random, origin, n);
        for (size_t j = 0; j < n; j++) {
            lower[j] = -(double)(float)hcri_random_uniform(&random);
            upper[j] = (double)(float)hcri_random_uniform(&random);
        }
        double plain = 0;
        for (size_t j = 0; j < n; j++)
            plain = fmax(plain, fmax(v[j] * lower[j], v[j] * upper[j]));
        for (size_t k = 0; k < kernel_count; k++) {
            double best = 0;
            kernels[k]->box_max(1, n, v, n, lower, upper, &best);
            assert_true(best == plain);
            kernels[k]->step(n, origin, 0.3, v, lower, upper, y);
            kernels[k]->step_f32(n, origin, 0.3, v, lower, upper, f);
            for (size_t j = 0; j < n; j++) {
                const double exact = fmin(fmax(origin[j] + 0.3 * v[j], lower[j]), upper[j]);
                assert_true(y[j] >= lower[j] && y[j] <= upper[j] && (double)f[j] >= lower[j] &&
                            (double)f[j] <= upper[j]);
                assert_true(fabs(y[j] - exact) <= 0x1p-52 * (fabs(origin[j]) + fabs(v[j])));
                assert_true(fabs((double)f[j] - exact) <= 0x1p-23 * (fabs(origin[j]) + fabs(v[j])));
            }
        }
    }
}

static void test_sum_abs_shows_bad_values(void **state) {
    (void)state;
    double v[MOST];
    for (size_t k = 0; k < kernel_count; k++)
        for (size_t bad = 0; bad < MOST; bad++) {
            for (size_t j = 0; j < MOST; j++)
                v[j] = 1;
            double total;
            v[bad] = NAN;
            kernels[k]->sum_abs(1, MOST, v, MOST, &total);
            assert_true(isnan(total));
            v[bad] = -INFINITY;
            kernels[k]->sum_abs(1, MOST, v, MOST, &total);
            assert_true(isinf(total));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_layout_forms),
        cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_box_and_step),
        cmocka_unit_test(test_sum_abs_shows_bad_values),
    };
    return cmocka_run_group_tests(tests, find_kernels, NULL);
}
