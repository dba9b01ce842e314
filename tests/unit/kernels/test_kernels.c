/* Every instruction set's kernels against plain loops, and the rule that a sample's bits don't depend on its company.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kernel_variants.h"

enum { MOST = 70, SAMPLES = 37 };

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

/* Those of a run, out of those of all rows. */
static hcri_bounds bounds_of(const hcri_run *run, const double *lower, const double *upper) {
    return hcri_bounds_of(run->count, lower + run->first, upper + run->first);
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
        for (size_t i = 0; i < rows.count; i++) { /* alike, which is read otherwise, and not */
            lower[i] = n % 2 == 0 && i > 0 ? lower[0] : -hcri_random_uniform(&random);
            upper[i] = n % 2 == 0 && i > 0 ? upper[0] : hcri_random_uniform(&random);
        }
        fill(&random, v, SAMPLES * n);
        for (size_t k = 0; k < kernel_count; k++) {
            double together[SAMPLES] = {0}, again[SAMPLES] = {0};
            uint32_t active_constraint[SAMPLES] = {0};
            for (size_t r = 0; r < layout.runs; r++) {
                const hcri_bounds bounds = bounds_of(&layout.run[r], lower, upper);
                kernels[k]->run_max(&rows, &layout.run[r], n, SAMPLES, v, n, &bounds, together);
                kernels[k]->run_active_constraints(&rows, &layout.run[r], n, SAMPLES, v, n, &bounds, again, 7,
                                                   active_constraint);
            }
            assert_memory_equal(again, together, sizeof again);
            for (size_t s = 0; s < SAMPLES; s++) {
                const double *x = v + s * n;
                double alone = 0, by_row = 0, plain = 0, sizes = 0, squares = 0, plain_squares = 0;
                size_t first = SIZE_MAX;
                for (size_t r = 0; r < layout.runs; r++) {
                    const hcri_bounds bounds = bounds_of(&layout.run[r], lower, upper);
                    kernels[k]->run_max(&rows, &layout.run[r], n, 1, x, n, &bounds, &alone);
                    squares += kernels[k]->run_squares(&rows, &layout.run[r], n, x);
                }
                for (size_t i = 0; i < rows.count; i++) {
                    const size_t start = rows.start[i];
                    const double t =
                        kernels[k]->row_dot(rows.start[i + 1] - start, rows.columns + start, rows.values + start, x);
                    double absolute;
                    const double dot = hcri_rows_dot(&rows, i, x, &absolute);
                    for (size_t side = 0; side < 2; side++)
                        if (t * (side == 0 ? upper : lower)[i] > by_row) {
                            by_row = t * (side == 0 ? upper : lower)[i];
                            first = 2 * i + side;
                        }
                    plain = fmax(plain, fmax(dot * upper[i], dot * lower[i]));
                    sizes = fmax(sizes, absolute);
                    plain_squares += dot * dot;
                }
                assert_true(alone == together[s]); /* bits: batch or alone, row by row */
                assert_true(alone == by_row);
                assert_near(alone, plain, sizes, n);
                assert_true(fabs(squares - plain_squares) <= 1e-12 * plain_squares);
                assert_int_equal(active_constraint[s], 7 + first);
            }
        }
        hcri_layout_release(&layout, &hcri_default_allocator);
        hcri_rows_release(&rows, &hcri_default_allocator);
    }
}

/* From origins of their own: within three roundings of the largest quotient, one that is there, and the same bits alone
 * as in company. */
static void check_from(const hcri_kernels *kernel, const hcri_rows *rows, const hcri_layout *layout, size_t n,
                       const double *v, const double *at, const double *lower, const double *upper) {
    const size_t wide = rows->count;
    const hcri_moving_rays rays = {SAMPLES, v, n, at, wide, lower, upper};
    double together[SAMPLES] = {0};
    for (size_t r = 0; r < layout->runs; r++)
        kernel->moving->run_max(rows, &layout->run[r], n, &rays, together);
    for (size_t s = 0; s < SAMPLES; s++) {
        const double *x = v + s * n, *d = at + s * wide;
        const hcri_moving_rays ray = {1, x, n, d, wide, lower, upper};
        double alone = 0, plain = 0;
        size_t found = SIZE_MAX;
        for (size_t r = 0; r < layout->runs; r++)
            kernel->moving->run_max(rows, &layout->run[r], n, &ray, &alone);
        for (size_t r = 0; r < layout->runs && found == SIZE_MAX; r++)
            found = kernel->moving->run_find(rows, &layout->run[r], n, &ray, alone);
        for (size_t i = 0; i < rows->count; i++) {
            const size_t start = rows->start[i];
            const double t =
                kernel->row_dot(rows->start[i + 1] - start, rows->columns + start, rows->values + start, x);
            const double quotient = t > 0 ? t / (upper[i] - d[i]) : -t / (d[i] - lower[i]);
            plain = fmax(plain, quotient);
            assert_true(2 * i + (t > 0 ? 0 : 1) != found || quotient == alone);
        }
        assert_true(alone == together[s] && found != SIZE_MAX);
        assert_true(alone <= plain && alone >= plain * (1 - 4 * 0x1p-53));
    }
}

static void test_rows_from_origins(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 7);
    static double v[SAMPLES * MOST], lower[4 * MOST], upper[4 * MOST], at[SAMPLES * 4 * MOST];
    for (size_t n = 4; n <= MOST; n += 11) {
        hcri_rows rows = make_rows(&random, n);
        hcri_layout layout;
        assert_int_equal(hcri_layout_make(&rows, n, &hcri_default_allocator, &layout, NULL), HCR_OK);
        for (size_t i = 0; i < rows.count; i++) {
            lower[i] = i % 7 == 0 ? -INFINITY : -2 - hcri_random_uniform(&random);
            upper[i] = i % 7 == 1 ? INFINITY : 2 + hcri_random_uniform(&random);
        }
        for (size_t i = 0; i < SAMPLES * rows.count; i++)
            at[i] = 4 * hcri_random_uniform(&random) - 2;
        fill(&random, v, SAMPLES * n);
        for (size_t k = 0; k < kernel_count; k++)
            check_from(kernels[k], &rows, &layout, n, v, at, lower, upper);
        hcri_layout_release(&layout, &hcri_default_allocator);
        hcri_rows_release(&rows, &hcri_default_allocator);
    }
}

/* Stencils of `terms` entries, each row one column on. */
static hcri_rows make_stencil(hcri_random *random, size_t count, size_t terms) {
    hcri_rows rows = {0};
    uint32_t columns[8];
    double values[8];
    for (size_t k = 0; k < terms; k++)
        values[k] = hcri_random_normal(random);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < terms; k++)
            columns[k] = (uint32_t)(i + 2 * k);
        assert_int_equal(hcri_rows_append(&rows, &hcri_default_allocator, terms, columns, values, NULL), HCR_OK);
    }
    return rows;
}

/* Two stencils at once give what their products do one after the other: the largest quotient, to the bits where there
 * is one pair, and to within three roundings where the pairs are two. */
static void test_stencils_from_origins(void **state) {
    (void)state;
    enum { ROWS = 45 };
    hcri_random random;
    hcri_random_seed(&random, 8);
    static double v[SAMPLES * MOST], x[SAMPLES * MOST], d[SAMPLES * (ROWS + 8)];
    double lower[ROWS], upper[ROWS];
    fill(&random, v, SAMPLES * MOST);
    fill(&random, x, SAMPLES * MOST);
    for (size_t i = 0; i < ROWS; i++) {
        lower[i] = i % 7 == 0 ? -INFINITY : -30 - hcri_random_uniform(&random);
        upper[i] = i % 7 == 1 ? INFINITY : 30 + hcri_random_uniform(&random);
    }
    for (size_t count = 8; count <= ROWS; count++)
        for (size_t terms = 1; terms <= 3; terms++)
            for (size_t value_terms = 0; value_terms <= 5; value_terms++) {
                hcri_rows slope = make_stencil(&random, count, terms),
                          value = make_stencil(&random, count, value_terms);
                hcri_layout slopes, values;
                assert_int_equal(hcri_layout_make(&slope, MOST, &hcri_default_allocator, &slopes, NULL), HCR_OK);
                assert_int_equal(hcri_layout_make(&value, MOST, &hcri_default_allocator, &values, NULL), HCR_OK);
                assert_true(slopes.runs == 1 && values.runs == 1);
                const hcri_run_pair pairs[2] = {{&slopes.run[0], &values.run[0], NULL},
                                                {&slopes.run[0], &values.run[0], NULL}};
                for (size_t k = 0; k < kernel_count; k++) {
                    double best[SAMPLES] = {0}, plain[SAMPLES] = {0}, twice[SAMPLES] = {0}, alone = 0;
                    const hcri_moving_rays at_x = {SAMPLES, v, MOST, x, MOST, lower, upper},
                                           second = {1, v + MOST, MOST, x + MOST, MOST, lower, upper},
                                           at_d = {SAMPLES, v, MOST, d, ROWS + 8, lower, upper};
                    kernels[k]->moving->stencils_max(1, pairs, &at_x, best);
                    kernels[k]->moving->stencils_max(2, pairs, &at_x, twice);
                    kernels[k]->moving->stencils_max(1, pairs, &second, &alone);
                    kernels[k]->run_products(&value, pairs->below, MOST, 0, count, SAMPLES, x, MOST, d, ROWS + 8);
                    kernels[k]->moving->run_max(&slope, pairs->slope, MOST, &at_d, plain);
                    assert_true(alone == best[1]);
                    for (size_t s = 0; s < SAMPLES; s++)
                        assert_true(fabs(best[s] - plain[s]) <= 4 * 0x1p-53 * plain[s] &&
                                    fabs(twice[s] - plain[s]) <= 4 * 0x1p-53 * plain[s] && best[s] > 0);
                }
                hcri_layout_release(&slopes, &hcri_default_allocator);
                hcri_layout_release(&values, &hcri_default_allocator);
                hcri_rows_release(&slope, &hcri_default_allocator);
                hcri_rows_release(&value, &hcri_default_allocator);
            }
}

/* Lower and upper bounds that move on their own, in one pair and in two. */
static void test_joined_stencils(void **state) {
    (void)state;
    enum { ROWS = 29 };
    hcri_random random;
    hcri_random_seed(&random, 9);
    static double v[SAMPLES * MOST], x[SAMPLES * MOST];
    fill(&random, v, SAMPLES * MOST);
    fill(&random, x, SAMPLES * MOST);
    for (size_t count = 8; count <= ROWS; count++)
        for (size_t terms = 1; terms <= 3; terms++)
            for (size_t value_terms = 0; value_terms <= 5; value_terms++) {
                double lower[2 * ROWS], upper[2 * ROWS];
                for (size_t i = 0; i < 2 * count; i++) {
                    lower[i] = i < count ? -30 - hcri_random_uniform(&random) : -INFINITY;
                    upper[i] = i < count ? INFINITY : 30 + hcri_random_uniform(&random);
                }
                hcri_rows slope = make_stencil(&random, count, terms),
                          values[2] = {make_stencil(&random, count, value_terms),
                                       make_stencil(&random, count, value_terms)};
                hcri_layout slopes, below, above;
                assert_int_equal(hcri_layout_make(&slope, MOST, &hcri_default_allocator, &slopes, NULL), HCR_OK);
                assert_int_equal(hcri_layout_make(&values[0], MOST, &hcri_default_allocator, &below, NULL), HCR_OK);
                assert_int_equal(hcri_layout_make(&values[1], MOST, &hcri_default_allocator, &above, NULL), HCR_OK);
                above.run[0].first = count;
                const hcri_run_pair joined = {slopes.run, below.run, above.run},
                                    apart[2] = {{slopes.run, below.run, NULL}, {slopes.run, above.run, NULL}};
                for (size_t k = 0; k < kernel_count; k++) {
                    double best[SAMPLES] = {0}, expected[SAMPLES] = {0};
                    const hcri_moving_rays rays = {SAMPLES, v, MOST, x, MOST, lower, upper};
                    kernels[k]->moving->stencils_max(1, &joined, &rays, best);
                    kernels[k]->moving->stencils_max(2, apart, &rays, expected);
                    for (size_t s = 0; s < SAMPLES; s++)
                        assert_true(best[s] > 0 && fabs(best[s] - expected[s]) <= 4 * 0x1p-53 * expected[s]);
                }
                hcri_layout *layouts[] = {&slopes, &below, &above};
                hcri_rows *rows[] = {&slope, &values[0], &values[1]};
                for (size_t k = 0; k < 3; k++) {
                    hcri_layout_release(layouts[k], &hcri_default_allocator);
                    hcri_rows_release(rows[k], &hcri_default_allocator);
                }
            }
}

static void test_box_from_origins(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 9);
    double v[MOST], at[MOST], lower[MOST], upper[MOST], y[MOST];
    for (size_t n = 1; n <= MOST; n++) {
        fill(&random, v, n);
        fill(&random, y, n);
        double plain = 0;
        for (size_t j = 0; j < n; j++) {
            at[j] = 4 * hcri_random_uniform(&random) - 2;
            lower[j] = j % 5 == 0 ? -INFINITY : at[j] - hcri_random_uniform(&random) - 0.01;
            upper[j] = j % 5 == 1 ? INFINITY : at[j] + hcri_random_uniform(&random) + 0.01;
            plain = fmax(plain, fabs(v[j]) / fabs((v[j] > 0 ? upper : lower)[j] - at[j]));
        }
        for (size_t k = 0; k < kernel_count; k++) {
            double best = 0, sum[MOST];
            const hcri_moving_rays ray = {1, v, n, at, n, lower, upper};
            kernels[k]->moving->box_max(n, &ray, &best);
            assert_true(best <= plain && best >= plain * (1 - 4 * 0x1p-53));
            const size_t found = kernels[k]->moving->box_find(n, v, at, lower, upper, best), j = found / 2;
            if (plain > 0)
                assert_true(found % 2 == (v[j] > 0 ? 0 : 1) &&
                            fabs(v[j]) / fabs((v[j] > 0 ? upper : lower)[j] - at[j]) == best);
            for (size_t i = 0; i < n; i++)
                sum[i] = v[i];
            kernels[k]->add(n, y, sum);
            for (size_t i = 0; i < n; i++)
                assert_true(sum[i] == v[i] + y[i]);
        }
    }
}

/* The ends belong to the range; each number counts, and a NaN isn't within anything. */
static void test_within(void **state) {
    (void)state;
    double x[MOST], lower[MOST], upper[MOST];
    for (size_t n = 0; n <= MOST; n++)
        for (size_t k = 0; k < kernel_count; k++) {
            for (size_t j = 0; j < n; j++) {
                lower[j] = -1 - (double)j;
                upper[j] = 1 + (double)j;
                x[j] = j % 2 == 0 ? lower[j] : upper[j];
            }
            assert_true(kernels[k]->within(n, x, lower, upper));
            for (size_t j = 0; j < n; j++) {
                const double kept = x[j], bad[] = {nextafter(lower[j], -INFINITY), nextafter(upper[j], INFINITY), NAN,
                                                   INFINITY, -INFINITY};
                for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
                    x[j] = bad[b];
                    assert_false(kernels[k]->within(n, x, lower, upper));
                }
                x[j] = kept;
            }
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
        for (size_t j = 0; n % 3 == 0 && j < n; j++) { /* ties: the first one counts */
            v[j] = j % 5 == 2 ? -1 : 0.5;
            upper[j] = 0.75;
            lower[j] = j % 2 == 0 ? -0.375 : -0.25;
        }
        for (size_t j = 0; n % 3 == 1 && j < n; j++) { /* all alike, which is read otherwise */
            upper[j] = 0.75;
            lower[j] = -0.25;
            origin[j] = 0.5;
        }
        const hcri_bounds bounds = hcri_bounds_of(n, lower, upper);
        const size_t every = hcri_every(n, origin);
        assert_true(bounds.every == (n < 8 || n % 3 != 1) && every == bounds.every);
        double plain = 0;
        uint32_t first = 0;
        for (size_t i = 0; i < 2 * n; i++) {
            const double gauge = v[i / 2] * (i % 2 == 0 ? upper : lower)[i / 2];
            if (gauge > plain) {
                plain = gauge;
                first = (uint32_t)i;
            }
        }
        for (size_t k = 0; k < kernel_count; k++) {
            double best = 0, same = 0;
            uint32_t active_constraint = 0, none = 7;
            kernels[k]->box_max(1, n, v, n, &bounds, &best);
            assert_true(best == plain);
            double size, least = 0;
            for (size_t j = 0; j < n; j++)
                least += fabs(v[j]);
            size = least;
            if (bounds.every == 0)
                kernels[k]->sum_abs_and_box(1, n, v, n, &bounds, &size, &best);
            assert_true(best == plain && size >= (1 - 1e-14) * least && size <= (2 + 1e-14) * least);
            kernels[k]->box_active_constraints(1, n, v, n, &bounds, &same, 5, &active_constraint);
            assert_true(same == plain && active_constraint == 5 + first);
            kernels[k]->box_active_constraints(1, n, v, n, &bounds, &same, 5, &none);
            assert_true(same == plain && none == 7);
            kernels[k]->step(n, origin, every, 0.3, v, &bounds, y);
            kernels[k]->step_f32(n, origin, every, 0.3, v, &bounds, f);
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
            double gauge;
            const double numbers[MOST] = {0};
            const hcri_bounds none = hcri_bounds_of(MOST, numbers, numbers);
            v[bad] = NAN;
            kernels[k]->sum_abs(1, MOST, v, MOST, &total);
            assert_true(isnan(total));
            kernels[k]->sum_abs_and_box(1, MOST, v, MOST, &none, &total, &gauge);
            assert_true(isnan(total));
            v[bad] = -INFINITY;
            kernels[k]->sum_abs(1, MOST, v, MOST, &total);
            assert_true(isinf(total));
            kernels[k]->sum_abs_and_box(1, MOST, v, MOST, &none, &total, &gauge);
            assert_true(isinf(total));
        }
}

/* Number by number, each to a few units in the last place of its terms; in place as well. */
static void test_combinations(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 11);
    double a[MOST], b[MOST], shift[MOST], y[MOST], out[MOST], before[MOST];
    double *const all[] = {a, b, shift, y, before};
    for (size_t n = 1; n <= MOST; n++) {
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
            fill(&random, all[k], n);
        for (size_t k = 0; k < kernel_count; k++) {
            memcpy(out, before, n * sizeof *out);
            kernels[k]->combine(n, 0.3, out, -1.7, b, out);
            for (size_t j = 0; j < n; j++)
                assert_true(fabs(out[j] - (0.3 * before[j] - 1.7 * b[j])) <=
                            0x1p-51 * (fabs(before[j]) + 1.7 * fabs(b[j])));
            memcpy(out, before, n * sizeof *out);
            kernels[k]->add_diagonal(n, -1.7, a, shift, b, y, out);
            for (size_t j = 0; j < n; j++) {
                const double term = a[j] * (y[j] - shift[j]);
                assert_true(fabs(out[j] - (before[j] - 1.7 * (b[j] + term))) <=
                            0x1p-50 *
                                (fabs(before[j]) + 2 * fabs(b[j]) + 2 * fabs(a[j]) * (fabs(y[j]) + fabs(shift[j]))));
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_combinations),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_rows_from_origins),
        cmocka_unit_test(test_stencils_from_origins),
        cmocka_unit_test(test_joined_stencils),
        cmocka_unit_test(test_box_from_origins),
        cmocka_unit_test(test_within),
        cmocka_unit_test(test_layout_forms),
        cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_box_and_step),
        cmocka_unit_test(test_sum_abs_shows_bad_values),
    };
    return cmocka_run_group_tests(tests, find_kernels, NULL);
}
