/* A batch of directions, longer than any kernel takes at once, gives each one the bits and the inequality that it gets
 * alone, whatever there was before; and gradients of the gauge where a block has them by itself. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "kinds/box/box.h"
#include "kinds/cone/cone.h"
#include "kinds/linear/linear.h"
#include "kinds/lmi/lmi.h"
#include "kinds/quadratic/quadratic.h"
#include "scratch.h"

typedef enum block_kind { BOX, SPARSE, DENSE_ROWS, BALL, DIAGONAL, DENSE, FACTOR, CONE, LMI, KINDS } block_kind;

enum { MOST = 40, ROWS = 150, SIZE = 4 };

static const hcr_allocator *const allocator = &hcri_default_allocator;

static hcri_rows draw_rows(hcri_random *random, size_t count, size_t n, size_t step) {
    hcri_rows rows = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t columns[MOST];
        double values[MOST];
        size_t kept = 0;
        for (size_t j = i % step; j < n; j += step) {
            columns[kept] = (uint32_t)j;
            values[kept++] = hcri_random_normal(random);
        }
        assert_int_equal(hcri_rows_append(&rows, allocator, kept, columns, values, NULL), HCR_OK);
    }
    return rows;
}

static hcri_constraint *make_rows(hcri_random *random, size_t n, size_t step) {
    hcri_rows rows = draw_rows(random, 100, n, step);
    hcri_constraint *block = NULL;
    assert_int_equal(hcri_linear_create(n, allocator, &block, NULL), HCR_OK);
    for (size_t i = 0; i < rows.count; i++) {
        const size_t start = rows.start[i];
        const double lower = i % 5 == 0 ? -INFINITY : -0.5 - hcri_random_uniform(random);
        const double upper = i % 5 == 1 ? INFINITY : 0.5 + hcri_random_uniform(random);
        assert_int_equal(
            hcri_linear_append((hcri_linear *)block,
                               (hcri_row){rows.start[i + 1] - start, rows.columns + start, rows.values + start}, lower,
                               upper, (hcri_source_row){0, 0}, NULL),
            HCR_OK);
    }
    hcri_rows_release(&rows, allocator);
    return block;
}

static hcri_constraint *make_quadratic(hcri_random *random, block_kind kind, size_t n) {
    static double matrix[MOST * MOST];
    double shift[MOST];
    hcri_rows factor = draw_rows(random, n, n, 3);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double x = kind == BALL ? 1 : 0.5 + hcri_random_uniform(random);
            matrix[kind == DENSE ? i * n + j : i] = kind == DENSE ? (i == j ? 2 : 0.5 / (double)n) : x;
        }
    for (size_t j = 0; j < n; j++)
        shift[j] = 0.1 * hcri_random_normal(random);
    const hcri_quadratic_parts parts = {.form = kind == DENSE    ? HCRI_DENSE
                                                : kind == FACTOR ? HCRI_FACTOR
                                                                 : HCRI_DIAGONAL,
                                        .matrix = matrix,
                                        .factor = &factor,
                                        .shift = shift,
                                        .radius = 3};
    hcri_constraint *block = NULL;
    assert_int_equal(hcri_quadratic_create(n, allocator, &parts, &block, NULL), HCR_OK);
    hcri_rows_release(&factor, allocator);
    return block;
}

static hcri_constraint *make(hcri_random *random, block_kind kind, size_t n) {
    hcri_constraint *block = NULL;
    hcri_rows rows = draw_rows(random, HCRI_PACKED(SIZE, 0), n, 2);
    double linear[MOST], constant[HCRI_PACKED(SIZE, 0)] = {0};
    for (size_t j = 0; j < n; j++)
        linear[j] = 0.2 * hcri_random_normal(random);
    for (size_t a = 0; a < SIZE; a++)
        constant[HCRI_PACKED(a, a)] = 2;
    switch (kind) {
    case BOX:
        assert_int_equal(hcri_box_create(n, allocator, &block, NULL), HCR_OK);
        for (size_t j = 0; j < n; j++) {
            hcri_box_narrow_upper((hcri_box *)block, j, 0.5 + hcri_random_uniform(random), 0, 0);
            hcri_box_narrow_lower((hcri_box *)block, j, -0.5 - hcri_random_uniform(random), 0, 0);
        }
        break;
    case SPARSE: block = make_rows(random, n, 5); break;
    case DENSE_ROWS: block = make_rows(random, n, 1); break;
    case CONE: assert_int_equal(hcri_cone_create(n, allocator, &rows, NULL, linear, 2, &block, NULL), HCR_OK); break;
    case LMI: assert_int_equal(hcri_lmi_create(n, allocator, SIZE, constant, &rows, &block, NULL), HCR_OK); break;
    default: block = make_quadratic(random, kind, n); break;
    }
    hcri_rows_release(&rows, allocator);
    return block;
}

static void check(const hcri_constraint *block, const double *v, size_t stride, const double *start) {
    double best[ROWS], without[ROWS];
    uint32_t active_constraint[ROWS];
    memcpy(best, start, sizeof best);
    memcpy(without, start, sizeof without);
    for (size_t s = 0; s < ROWS; s++)
        active_constraint[s] = 9999;
    batch_gauge(block, ROWS, v, stride, best, active_constraint, scratch_for(block));
    batch_gauge(block, ROWS, v, stride, without, NULL, scratch_for(block));
    assert_memory_equal(best, without, sizeof best);
    for (size_t s = 0; s < ROWS; s++) {
        double expected = start[s];
        uint32_t first = 9999;
        for (size_t i = 0; i < block->count; i++) {
            if (!block->kind->exists(block, i))
                continue;
            const double one = block->kind->gauge_one(block, i, v + s * stride, scratch_for(block));
            if (one > expected) {
                expected = one;
                first = block->first + (uint32_t)i;
            }
        }
        assert_true(best[s] == expected);
        assert_int_equal(active_constraint[s], first);
    }
}

static void test_batches(void **state) {
    (void)state;
    static const size_t sizes[] = {3, 17, 33, MOST};
    hcri_random random;
    hcri_random_seed(&random, 21);
    for (block_kind kind = BOX; kind < KINDS; kind++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            static double v[ROWS * (MOST + 3)];
            const double origin[MOST] = {0};
            const size_t n = sizes[k], stride = n + 3;
            hcri_constraint *block = make(&random, kind, n);
            double start[ROWS];
            block->first = 11;
            assert_int_equal(block->kind->place(block, origin, NULL), HCR_OK);
            for (size_t i = 0; i < ROWS * stride; i++)
                v[i] = hcri_random_normal(&random);
            for (int share = 0; share < 4; share++) {
                for (size_t s = 0; s < ROWS; s++) {
                    double gauge = 0;
                    for (size_t i = 0; i < block->count && share > 0; i++)
                        if (block->kind->exists(block, i))
                            gauge = fmax(gauge, block->kind->gauge_one(block, i, v + s * stride, scratch_for(block)));
                    /* nothing yet; all but a few raised already; half of it; some raised, some not */
                    start[s] = share == 0   ? 0
                               : share == 1 ? gauge * (s % 10 == 7 ? 0.9 : 1.1)
                               : share == 2 ? 0.5 * gauge
                                            : gauge * (s % 2 == 0 ? 1 : 0.99);
                }
                check(block, v, stride, start);
            }
            hcri_block_release(block);
        }
}

/* Against central differences of the gauge, which lose half the digits, and Euler's theorem: its gradient at v times v
 * is the gauge of v. */
static void test_gauge_gradients(void **state) {
    (void)state;
    enum { N = 17 };
    hcri_random random;
    hcri_random_seed(&random, 22);
    for (block_kind kind = BOX; kind < KINDS; kind++) {
        hcri_constraint *block = make(&random, kind, N);
        const double zeros[MOST] = {0};
        const int is_quadratic = kind >= BALL && kind <= FACTOR;
        assert_int_equal(block->kind->place(block, is_quadratic ? ((hcri_quadratic *)block)->shift : zeros, NULL),
                         HCR_OK);
        assert_int_equal(block->has_gauge_gradient, kind <= DIAGONAL);
        for (int draws = 0; block->has_gauge_gradient && draws < 20; draws++) {
            double v[N], gradient[N], best = 0, along = 0;
            uint32_t i;
            for (size_t j = 0; j < N; j++) {
                v[j] = hcri_random_normal(&random);
                gradient[j] = (double)j;
            }
            batch_gauge(block, 1, v, N, &best, &i, scratch_for(block));
            block->kind->add_gauge_gradient(block, i, 1 / best, v, -2, gradient);
            for (size_t j = 0; j < N; j++) {
                const double step = 1e-6, at = v[j], found = (gradient[j] - (double)j) / -2;
                v[j] = at + step;
                const double above = block->kind->gauge_one(block, i, v, scratch_for(block));
                v[j] = at - step;
                const double below = block->kind->gauge_one(block, i, v, scratch_for(block));
                v[j] = at;
                assert_true(fabs(found - (above - below) / (2 * step)) <= 1e-8 * (1 + best));
                along += found * at;
            }
            assert_true(fabs(along - best) <= 1e-13 * N * (1 + best));
        }
        hcri_block_release(block);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_batches), cmocka_unit_test(test_gauge_gradients)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
