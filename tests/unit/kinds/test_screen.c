/* What single precision tells in advance changes no result: rows and quadratics with their filters give the bits and
 * the active constraints that they give without, on every variant of the kernels; and the bounds that this rests on
 * hold. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "kernels/float_filter.h"
#include "kernels/kernels.h"
#include "kernels/row_block_bounds.h"
#include "kinds/quadratic/quadratic.h"
#include "scratch.h"

static hcri_pool pool = {.from = &hcri_default_allocator}; /* of a matrix and what is made of it */

/* Linked in place of hcri_kernels_best. */
static const hcri_kernels *chosen;
const hcri_kernels *__wrap_hcri_kernels_best(void);
const hcri_kernels *__wrap_hcri_kernels_best(void) { return chosen; }

static size_t all_kernels(const hcri_kernels *kernels[4]) {
    const size_t count = hcri_kernels_all(kernels, 4);
    assert_true(count >= 1 && count <= 4);
    return count;
}

/* ----------------------------------------------------------------------------------------------------------- rows */

typedef enum row_kind { RANDOM, TIED, SCALED, ALIKE, POSITIVE, ROW_KINDS } row_kind;

enum { BEFORE = 8, MOST_SAMPLES = 40 };

/* A dense run behind one of BEFORE rows in another form, and the inverses of their slacks. */
typedef struct row_matrix {
    size_t n, count; /* of all rows */
    hcri_rows rows;
    hcri_layout layout;
    double *lower, *upper;
    const hcri_run *run;
} row_matrix;

static void *numbers(size_t count, size_t size) {
    void *made = calloc(count, size);
    assert_non_null(made);
    return made;
}

/* Sides as slacks between ½ and 1½ have them; a third of the rows has one of the two. */
static void draw_sides(row_matrix *m, size_t i, hcri_random *random) {
    m->upper[i] = i % 3 == 1 ? 0 : 1 / (0.5 + hcri_random_uniform(random));
    m->lower[i] = i % 3 == 2 ? 0 : -1 / (0.5 + hcri_random_uniform(random));
}

/* Returns the size of the row's entries. */
static double draw_row(const row_matrix *m, row_kind kind, size_t i, hcri_random *random, double *a) {
    const double scale = kind == SCALED ? exp2(60 * hcri_random_uniform(random) - 30) : 1;
    for (size_t j = 0; j < m->n; j++) {
        const double x = hcri_random_normal(random);
        a[j] = scale * (kind == POSITIVE ? fabs(x) : kind == ALIKE ? 1 + 0.01 * x : x);
        if (kind == RANDOM && i % 4 == 0 && j % 3 == 2)
            a[j] = 0;
    }
    return scale;
}

static row_matrix draw_matrix(size_t n, size_t count, row_kind kind, hcri_random *random) {
    row_matrix m = {.n = n, .count = BEFORE + count};
    m.lower = numbers(m.count, sizeof *m.lower);
    m.upper = numbers(m.count, sizeof *m.upper);
    double *a = numbers(n, sizeof *a);
    for (uint32_t i = 0; i < BEFORE; i++) {
        const double one = 1;
        assert_int_equal(hcri_rows_append(&m.rows, hcri_pool_allocator(&pool), 1, &i, &one, NULL), HCR_OK);
        draw_sides(&m, i, random);
    }
    for (size_t i = BEFORE; i < m.count; i++) {
        const size_t twin = BEFORE + hcri_random_below(random, i - BEFORE + 1);
        draw_sides(&m, i, random);
        if (kind == TIED && twin < i && i % 2 == 1) { /* the same inequality once more */
            memcpy(a, m.rows.values + m.rows.start[twin], n * sizeof *a);
            m.lower[i] = m.lower[twin];
            m.upper[i] = m.upper[twin];
        } else {
            const double scale = draw_row(&m, kind, i, random, a);
            m.lower[i] /= scale;
            m.upper[i] /= scale;
        }
        assert_int_equal(hcri_rows_append_dense(&m.rows, hcri_pool_allocator(&pool), n, a, NULL), HCR_OK);
    }
    free(a);
    assert_int_equal(hcri_layout_make(&m.rows, n, hcri_pool_allocator(&pool), &m.layout, NULL), HCR_OK);
    assert_int_equal(m.layout.runs, 2);
    m.run = &m.layout.run[1];
    assert_true(m.run->form == HCRI_RUN_DENSE && m.run->first == BEFORE);
    return m;
}

static void release_matrix(row_matrix *m) {
    hcri_pool_release(&pool);
    free(m->lower);
    free(m->upper);
}

static hcri_scaled_rows scaled_rows(const row_matrix *m) {
    return (hcri_scaled_rows){&m->rows, m->n, m->lower, m->upper};
}

static hcri_float_filter make_float_filter(const row_matrix *m) {
    hcri_float_filter float_filter;
    const hcri_scaled_rows scaled = scaled_rows(m);
    assert_int_equal(hcri_float_filter_make(&scaled, m->run, hcri_pool_allocator(&pool), &float_filter, NULL), HCR_OK);
    return float_filter;
}

/* Random directions, some along a row, some short or long, some along an axis. */
static void draw_directions(const row_matrix *m, hcri_random *random, double *v) {
    for (size_t s = 0; s < MOST_SAMPLES; s++) {
        double *x = v + s * m->n;
        const double size = s % 7 == 5 ? 1e-95 : s % 7 == 6 ? 1e90 : 1;
        const size_t row = BEFORE + hcri_random_below(random, m->count - BEFORE), start = m->rows.start[row];
        for (size_t j = 0; j < m->n; j++)
            x[j] = s % 7 == 4 ? j == s % m->n : size * hcri_random_normal(random);
        for (size_t k = start; k < m->rows.start[row + 1] && s % 7 == 3; k++)
            x[m->rows.columns[k]] = m->rows.values[k];
    }
}

/* What the run's product gives, and with the float filter. */
static void compare(const row_matrix *m, const hcri_float_filter *float_filter, const double *v, size_t samples,
                    const double *start) {
    static double scratch[HCRI_FLOAT_FILTER_SCRATCH];
    double best[MOST_SAMPLES], expected[MOST_SAMPLES];
    uint32_t active_constraint[MOST_SAMPLES], expected_active_constraint[MOST_SAMPLES];
    memcpy(best, start, samples * sizeof *best);
    memcpy(expected, start, samples * sizeof *expected);
    for (size_t s = 0; s < samples; s++)
        active_constraint[s] = expected_active_constraint[s] = 77;
    const hcri_bounds bounds = {m->lower + m->run->first, m->upper + m->run->first, 1};
    chosen->run_active_constraints(&m->rows, m->run, m->n, samples, v, m->n, &bounds, expected, 100,
                                   expected_active_constraint);
    const hcri_scaled_rows scaled = scaled_rows(m);
    hcri_float_filter_max(float_filter, &scaled, samples, v, m->n, best, 100, active_constraint, scratch);
    assert_memory_equal(best, expected, samples * sizeof *best);
    assert_memory_equal(active_constraint, expected_active_constraint, samples * sizeof *active_constraint);
    memcpy(best, start, samples * sizeof *best);
    hcri_float_filter_max(float_filter, &scaled, samples, v, m->n, best, 100, NULL, scratch);
    assert_memory_equal(best, expected, samples * sizeof *best);
}

/* From nothing, from a gauge that no row exceeds, from one next to the best row's on both sides. */
static void try_float_filter(const row_matrix *m, const hcri_float_filter *float_filter, hcri_random *random) {
    static const double share[] = {0, 0.5, 1 - 0x1p-30, 1, 1 + 0x1p-30};
    double *v = numbers(MOST_SAMPLES * m->n, sizeof *v), found[MOST_SAMPLES] = {0}, start[MOST_SAMPLES];
    draw_directions(m, random, v);
    const hcri_bounds bounds = {m->lower + m->run->first, m->upper + m->run->first, 1};
    chosen->run_max(&m->rows, m->run, m->n, MOST_SAMPLES, v, m->n, &bounds, found);
    for (size_t k = 0; k < sizeof share / sizeof share[0]; k++) {
        for (size_t s = 0; s < MOST_SAMPLES; s++)
            start[s] = share[k] * found[s];
        compare(m, float_filter, v, MOST_SAMPLES, start);
        compare(m, float_filter, v, 1 + hcri_random_below(random, MOST_SAMPLES), start);
        compare(m, float_filter, v, 1, start);
    }
    free(v);
}

static void test_rows(void **state) {
    (void)state;
    static const struct {
        size_t n, count;
    } sizes[] = {{16, 48},   {17, 65},    {40, 200}, {33, 1024}, {100, 1090},
                 {256, 130}, {300, 1030}, {700, 64}, {2048, 50}, {16, 2300}};
    const hcri_kernels *kernels[4];
    const size_t variants = all_kernels(kernels);
    hcri_random random;
    hcri_random_seed(&random, 41);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (row_kind kind = RANDOM; kind < ROW_KINDS; kind++) {
            row_matrix m = draw_matrix(sizes[k].n, sizes[k].count, kind, &random);
            hcri_float_filter float_filter = make_float_filter(&m);
            assert_int_equal(float_filter.count, sizes[k].count);
            assert_int_equal(float_filter.blocks != NULL, sizes[k].count >= 1024);
            for (size_t l = 0; l < variants; l++) {
                chosen = kernels[l];
                try_float_filter(&m, &float_filter, &random);
            }
            release_matrix(&m);
        }
}

/* Few rows, short or long ones, and numbers that single precision can't hold. */
static void test_no_float_filter(void **state) {
    (void)state;
    static const struct { size_t n, count; } sizes[] = {{16, 47}, {15, 64}, {2049, 48}};
    hcri_random random;
    hcri_random_seed(&random, 42);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        row_matrix m = draw_matrix(sizes[k].n, sizes[k].count, RANDOM, &random);
        hcri_float_filter float_filter = make_float_filter(&m);
        assert_int_equal(float_filter.count, 0);
        assert_null(float_filter.panels);
        release_matrix(&m);
    }
    for (size_t count = 48; count <= 1100; count += 1052) {
        static const double inverse[] = {1e30, 1e-33, 1e300, INFINITY, 1e-310};
        row_matrix m = draw_matrix(20, count, RANDOM, &random);
        for (size_t k = 0; k < sizeof inverse / sizeof inverse[0]; k++)
            for (int side = 0; side < 2; side++) {
                double *at = (side ? m.upper : m.lower) + BEFORE + 30;
                const double before = *at;
                *at = side ? inverse[k] : -inverse[k];
                hcri_float_filter float_filter = make_float_filter(&m);
                assert_int_equal(float_filter.count, 0);
                *at = before;
            }
        hcri_float_filter float_filter = make_float_filter(&m);
        assert_int_equal(float_filter.count, count);
        release_matrix(&m);
    }
}

/* ---------------------------------------------------------------------------------------------------------- bounds */

/* max(t upper, t lower)/|v| of a row, in extended precision. */
static long double gauge_of(const row_matrix *m, size_t i, const double *v, long double size) {
    long double t = 0;
    for (size_t k = m->rows.start[i]; k < m->rows.start[i + 1]; k++)
        t += (long double)m->rows.values[k] * (long double)v[m->rows.columns[k]];
    return fmaxl(t * (long double)m->upper[i], t * (long double)m->lower[i]) / size;
}

static long double size_of(size_t n, const double *v) {
    long double squares = 0;
    for (size_t j = 0; j < n; j++)
        squares += (long double)v[j] * (long double)v[j];
    return sqrtl(squares);
}

static void test_error_bound(void **state) {
    (void)state;
    static const size_t sizes[] = {16, 50, 300, 2048};
    const hcri_kernels *kernels[4];
    const size_t variants = all_kernels(kernels);
    hcri_random random;
    hcri_random_seed(&random, 43);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (row_kind kind = RANDOM; kind < ROW_KINDS; kind++) {
            const size_t n = sizes[k];
            row_matrix m = draw_matrix(n, HCRI_SINGLE_ROWS, kind, &random);
            hcri_float_filter float_filter = make_float_filter(&m);
            double *v = numbers(MOST_SAMPLES * n, sizeof *v);
            float *direction = numbers(n, sizeof *direction);
            draw_directions(&m, &random, v);
            for (size_t s = 0; s < MOST_SAMPLES; s++) {
                const long double size = size_of(n, v + s * n);
                const float *one[] = {direction};
                for (size_t l = 0; l < variants; l++) {
                    float limit = 0, most[HCRI_SINGLE_ROWS];
                    unsigned char exceeds;
                    kernels[l]->single->directions(n, 1, v + s * n, n, &(double){(double)size}, direction);
                    const hcri_single_rows rows = {HCRI_SINGLE_ROWS,    n,
                                                   float_filter.panels, float_filter.lower,
                                                   float_filter.upper,  float_filter.error_bound};
                    kernels[l]->single->rows_exceed(&rows, 1, one, &limit, most, &exceeds);
                    assert_int_equal(exceeds, 1);
                    long double nearest = 0;
                    for (size_t i = 0; i < HCRI_SINGLE_ROWS; i++) {
                        const long double exact = gauge_of(&m, float_filter.row[i], v + s * n, size);
                        const long double off = (long double)most[i] - (long double)float_filter.error_bound[i] - exact;
                        assert_true(fabsl(off) <= (long double)float_filter.error_bound[i]);
                        nearest = fmaxl(nearest, exact);
                    }
                    assert_true(limit > 0 && (long double)limit < nearest);
                }
            }
            free(v);
            free(direction);
            release_matrix(&m);
        }
}

/* Reaches and lengths are those of the sides around their middle, and little more: else the bounds exclude nothing. */
static void check_tightness(const row_matrix *m, const hcri_float_filter_blocks *blocks, const uint32_t *row,
                            size_t count) {
    const size_t n = m->n;
    double *middle = numbers(n, sizeof *middle), *a = numbers(n, sizeof *a);
    for (size_t to = 0; to < 2 * blocks->count; to++) {
        const double *inverse = to % 2 == 0 ? m->upper : m->lower;
        const size_t first = to / 2 * HCRI_SINGLE_ROWS;
        const size_t end = first + HCRI_SINGLE_ROWS < count ? first + HCRI_SINGLE_ROWS : count;
        double sides = 0, farthest = 0, longest = 0;
        memset(middle, 0, n * sizeof *middle);
        for (int pass = 0; pass < 2; pass++) {
            for (size_t i = first; i < end; i++) {
                const double x = inverse[row[i]];
                double distance = 0, squares = 0;
                memset(a, 0, n * sizeof *a);
                for (size_t k = m->rows.start[row[i]]; k < m->rows.start[row[i] + 1]; k++)
                    a[m->rows.columns[k]] = m->rows.values[k];
                sides += pass == 0 && x != 0;
                for (size_t j = 0; j < n; j++) {
                    middle[j] += pass == 0 ? a[j] * x : 0;
                    distance += (a[j] * x - middle[j]) * (a[j] * x - middle[j]);
                    squares += a[j] * a[j];
                }
                if (pass == 1 && x != 0)
                    farthest = fmax(farthest, sqrt(distance));
                longest = fmax(longest, sqrt(squares) * fmax(m->upper[row[i]], -m->lower[row[i]]));
            }
            for (size_t j = 0; j < n && pass == 0 && sides > 0; j++)
                middle[j] /= sides;
        }
        if (sides > 0)
            assert_true((double)blocks->reach[to] <= farthest + 1e-3 * longest);
        else
            assert_true(isinf(blocks->reach[to]) && blocks->reach[to] < 0);
        assert_true((double)blocks->longest[to / 2] <= 1.001 * longest);
    }
    free(middle);
    free(a);
}

/* No row is above the bound of its block; all rows of one side only are among the cases. */
static void test_blocks(void **state) {
    (void)state;
    const hcri_kernels *kernels[4];
    const size_t variants = all_kernels(kernels), count = 1050;
    hcri_random random;
    hcri_random_seed(&random, 44);
    for (size_t n = 16; n <= 116; n += 50)
        for (row_kind kind = RANDOM; kind < ROW_KINDS; kind++)
            for (int one_side = 0; one_side < 2; one_side++) {
                row_matrix m = draw_matrix(n, count, kind, &random);
                for (size_t i = 0; i < m.count && one_side; i++) {
                    m.lower[i] = 0;
                    m.upper[i] = m.upper[i] == 0 ? 1 : m.upper[i];
                }
                uint32_t *row = numbers(count, sizeof *row);
                unsigned char *seen = numbers(m.count, 1);
                const hcri_scaled_rows scaled = scaled_rows(&m);
                assert_int_equal(hcri_float_filter_order(&scaled, BEFORE, count, hcri_pool_allocator(&pool), row, NULL),
                                 HCR_OK);
                for (size_t i = 0; i < count; i++)
                    seen[row[i]]++;
                for (size_t i = 0; i < m.count; i++)
                    assert_int_equal(seen[i], i >= BEFORE);
                hcri_float_filter_blocks *blocks =
                    hcri_float_filter_blocks_make(&scaled, row, count, hcri_pool_allocator(&pool));
                assert_non_null(blocks);
                assert_int_equal(blocks->count, (count + HCRI_SINGLE_ROWS - 1) / HCRI_SINGLE_ROWS);
                check_tightness(&m, blocks, row, count);
                double *v = numbers(MOST_SAMPLES * n, sizeof *v);
                float *direction = numbers(n, sizeof *direction);
                draw_directions(&m, &random, v);
                for (size_t s = 0; s < MOST_SAMPLES; s++) {
                    const long double size = size_of(n, v + s * n);
                    const float *one[] = {direction};
                    for (size_t l = 0; l < variants; l++) {
                        float along[HCRI_SINGLE_ROWS];
                        kernels[l]->single->directions(n, 1, v + s * n, n, &(double){(double)size}, direction);
                        kernels[l]->single->products(2 * blocks->count, blocks->centres, n, 1, one, along);
                        for (size_t i = 0; i < count; i++) {
                            const size_t b = i / HCRI_SINGLE_ROWS;
                            const float most =
                                fmaxf(along[2 * b] + blocks->reach[2 * b], along[2 * b + 1] + blocks->reach[2 * b + 1]);
                            const long double gauge = gauge_of(&m, row[i], v + s * n, size);
                            /* a side that isn't there gives 0, which no search asks for */
                            assert_true(gauge <= 0 || gauge < (long double)fminf(most, blocks->longest[b]));
                        }
                    }
                }
                free(v);
                free(direction);
                free(row);
                free(seen);
                release_matrix(&m);
            }
}

/* ------------------------------------------------------------------------------------------------------- quadratics */

/* A dense ellipsoid around a point beside the origin; `rank` below n leaves it open. */
static hcri_quadratic *draw_quadratic(size_t n, size_t rank, double scale, hcri_random *random) {
    double *matrix = numbers(n * n, sizeof *matrix), *factor = numbers(rank * n, sizeof *factor),
           *shift = numbers(n, sizeof *shift), *origin = numbers(n, sizeof *origin);
    for (size_t k = 0; k < rank * n; k++)
        factor[k] = scale * hcri_random_normal(random) / sqrt((double)n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            for (size_t k = 0; k < rank; k++)
                matrix[i * n + j] += factor[k * n + i] * factor[k * n + j];
            matrix[j * n + i] = matrix[i * n + j];
        }
    for (size_t j = 0; j < n; j++)
        shift[j] = 0.3 * hcri_random_normal(random) / (scale * sqrt((double)n));
    const hcri_quadratic_parts parts = {.form = HCRI_DENSE, .matrix = matrix, .shift = shift, .radius = 1.5};
    hcri_constraint *made = NULL;
    assert_int_equal(hcri_quadratic_create(n, hcri_pool_allocator(&pool), &parts, &made, NULL), HCR_OK);
    made->first = 5;
    assert_int_equal(made->kind->place(made, origin, NULL), HCR_OK);
    free(matrix);
    free(factor);
    free(shift);
    free(origin);
    return (hcri_quadratic *)made;
}

static void compare_quadratic(hcri_quadratic *quadratic, const double *v, size_t samples, const double *start) {
    const hcri_constraint *base = &quadratic->base;
    double best[MOST_SAMPLES], expected[MOST_SAMPLES];
    uint32_t active_constraint[MOST_SAMPLES], other[MOST_SAMPLES];
    memcpy(best, start, samples * sizeof *best);
    memcpy(expected, start, samples * sizeof *best);
    for (size_t s = 0; s < samples; s++)
        active_constraint[s] = other[s] = 77;
    batch_gauge(base, samples, v, base->n, best, active_constraint, scratch_for(base));
    float *panels = quadratic->single_panels;
    quadratic->single_panels = NULL;
    batch_gauge(base, samples, v, base->n, expected, other, scratch_for(base));
    quadratic->single_panels = panels;
    assert_memory_equal(best, expected, samples * sizeof *best);
    assert_memory_equal(active_constraint, other, samples * sizeof *active_constraint);
}

static void try_quadratic(hcri_quadratic *quadratic, hcri_random *random) {
    static const double share[] = {0, 0.5, 1 - 0x1p-30, 1 - 0x1p-52, 1, 1 + 0x1p-52, 1 + 0x1p-30, 3};
    const size_t n = quadratic->base.n;
    double *v = numbers(MOST_SAMPLES * n, sizeof *v), found[MOST_SAMPLES] = {0}, start[MOST_SAMPLES];
    for (size_t s = 0; s < MOST_SAMPLES; s++)
        for (size_t j = 0; j < n; j++)
            v[s * n + j] = (s % 5 == 3 ? 1e-95 : s % 5 == 4 ? 1e90 : 1) * hcri_random_normal(random);
    batch_gauge(&quadratic->base, MOST_SAMPLES, v, n, found, NULL, scratch_for(&quadratic->base));
    for (size_t k = 0; k < sizeof share / sizeof share[0]; k++) {
        for (size_t s = 0; s < MOST_SAMPLES; s++) /* a few open ones among many that are excluded, too */
            start[s] = (s % 3 == 2 ? 3 : share[k]) * found[s];
        compare_quadratic(quadratic, v, MOST_SAMPLES, start);
        compare_quadratic(quadratic, v, 1 + hcri_random_below(random, MOST_SAMPLES), start);
        compare_quadratic(quadratic, v, 1, start);
    }
    free(v);
}

/* The form in single precision against extended precision, for |v| = 1. */
static void check_form(const hcri_quadratic *quadratic, hcri_random *random) {
    const size_t n = quadratic->base.n;
    double *v = numbers(n, sizeof *v);
    float *direction = numbers(n, sizeof *direction);
    for (size_t s = 0; s < 20; s++) {
        for (size_t j = 0; j < n; j++)
            v[j] = s % 2 == 0 ? hcri_random_normal(random) : 1;
        const long double size = size_of(n, v);
        long double exact = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                exact += (long double)quadratic->matrix[i * n + j] * (long double)v[i] * (long double)v[j];
        exact *= 0.5L / (size * size);
        const float *one[] = {direction};
        float form;
        chosen->single->directions(n, 1, v, n, &(double){(double)size}, direction);
        chosen->single->triangle_form(n, quadratic->single_panels, 1, one, &form);
        const long double off = ldexpl((long double)form, quadratic->single_exponent) - exact;
        assert_true(fabsl(off) <= (long double)quadratic->single_error_bound);
    }
    free(v);
    free(direction);
}

static void test_quadratics(void **state) {
    (void)state;
    static const size_t sizes[] = {32, 47, 100, 300};
    static const double scales[] = {1, 1e-20, 1e20};
    const hcri_kernels *kernels[4];
    const size_t variants = all_kernels(kernels);
    hcri_random random;
    hcri_random_seed(&random, 45);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (size_t c = 0; c < sizeof scales / sizeof scales[0]; c++)
            for (size_t rank = sizes[k] / 4; rank <= sizes[k]; rank += sizes[k] - sizes[k] / 4) {
                hcri_quadratic *quadratic = draw_quadratic(sizes[k], rank, scales[c], &random);
                assert_non_null(quadratic->single_panels);
                for (size_t l = 0; l < variants; l++) {
                    chosen = kernels[l];
                    try_quadratic(quadratic, &random);
                    check_form(quadratic, &random);
                }
                hcri_block_release(&quadratic->base);
            }
    hcri_quadratic *small = draw_quadratic(31, 31, 1, &random);
    assert_null(small->single_panels);
    hcri_block_release(&small->base);
}

int main(void) {
    const hcri_kernels *kernels[4];
    all_kernels(kernels);
    chosen = kernels[0];
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_no_float_filter),
                                       cmocka_unit_test(test_error_bound), cmocka_unit_test(test_blocks),
                                       cmocka_unit_test(test_quadratics)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
