/* Rows whose coefficients move with parameters, at points and as they are kept: against the plain rows that they are
 * once the parameters are fixed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "unit/kinds/moving.h"

#include "base/double_double.h"
#include "kinds/block.h"
#include "kinds/ray_interval.h"
#include "scratch.h"

enum { N = 9, P = 4 };

static double size_of_terms(const moving_case *c, size_t i, const double *point) {
    double size;
    hcri_rows_dot(&c->rows, i, point, &size);
    for (size_t k = c->product_start[i]; k < c->product_start[i + 1]; k++)
        size += fabs(c->product_values[k] * point[c->left[k]] * point[c->right[k]]);
    return size;
}

static void draw_point(const moving_case *c, hcri_random *random, double size, double *point) {
    for (size_t j = 0; j < columns_of(c); j++)
        point[j] = size * hcri_random_normal(random);
}

/* Within its own error bound of the accurate value, which is within 1e-13 of the terms of the plain one. */
static void test_values(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 1);
    moving_case c;
    draw_case(&c, &random, N, P, 0.5, 1, 0.5);
    hcri_constraint *block = make_block(&c, 1);
    for (size_t s = 0; s < 400; s++) {
        double point[MOST_COLUMNS], error;
        draw_point(&c, &random, pow(10, 8 * hcri_random_uniform(&random) - 4), point);
        for (size_t i = 0; i < block->count; i++) {
            const double bound = (i % 2 == 0 ? c.upper : c.lower)[i / 2];
            assert_int_equal(block->kind->exists(block, i), !isinf(bound));
            if (isinf(bound))
                continue;
            const double value = block->kind->value(block, i, point, &error, scratch_for(block));
            double sizes;
            const double difference = hcri_varying_dot_minus((hcri_varying *)block, i / 2, point, bound, &sizes);
            const double accurate = i % 2 == 0 ? difference : -difference;
            assert_true(fabs(value - accurate) <= error);
            assert_true(error <= 1e-14 * (sizes + fabs(bound)) + 1e-300);
            const double plain = plain_value(&c, i / 2, point) - bound, size = size_of_terms(&c, i / 2, point);
            assert_true(fabs(accurate - (i % 2 == 0 ? plain : -plain)) <= 1e-13 * (size + fabs(bound)));
            assert_true(fabs(sizes - size) <= 1e-13 * size);
        }
    }
    hcri_block_release(block);
    release_case(&c);
}

/* Central differences of a function of degree two are exact but for rounding. */
static void test_gradients(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 2);
    moving_case c;
    draw_case(&c, &random, N, P, 0.5, 1, 0.5);
    hcri_constraint *block = make_block(&c, 1);
    for (size_t s = 0; s < 20; s++) {
        double point[MOST_COLUMNS];
        draw_point(&c, &random, 2, point);
        for (size_t i = 0; i < block->count; i++) {
            double gradient[MOST_COLUMNS] = {0};
            if (!block->kind->exists(block, i))
                continue;
            gradient[1] = 10;
            block->kind->add_gradient(block, i, point, -3, gradient, scratch_for(block));
            for (size_t j = 0; j < columns_of(&c); j++) {
                const double step = 0x1p-10, kept = point[j];
                point[j] = kept + step;
                const double above = block->kind->value(block, i, point, NULL, scratch_for(block));
                point[j] = kept - step;
                const double below = block->kind->value(block, i, point, NULL, scratch_for(block));
                point[j] = kept;
                const double expected = -3 * (above - below) / (2 * step) + (j == 1 ? 10 : 0);
                assert_true(fabs(gradient[j] - expected) <= 1e-10 * (1 + size_of_terms(&c, i / 2, point)));
            }
        }
    }
    hcri_block_release(block);
    release_case(&c);
}

/* Coefficients are the nearest doubles; bounds are inside those of twice the precision, by at most one place. */
static void test_fixed_parameters(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 3);
    moving_case c;
    draw_case(&c, &random, N, P, 0.5, 1, 0.5);
    hcri_constraint *block = make_block(&c, 1);
    for (size_t s = 0; s < 100; s++) {
        double point[MOST_COLUMNS] = {0}, zero[MOST_COLUMNS] = {0};
        draw_parameters(&c, &random, point + N);
        memcpy(zero + N, point + N, P * sizeof *zero);
        for (size_t i = 0; i < c.rows.count; i++) {
            uint32_t columns[N];
            double values[N], lower, upper, dense[N] = {0};
            const size_t count = block->kind->row_at(block, i, N, point + N, columns, values, &lower, &upper);
            for (size_t k = 0; k < count; k++) {
                assert_true(columns[k] < N && values[k] != 0 && (k == 0 || columns[k] > columns[k - 1]));
                dense[columns[k]] = values[k];
            }
            for (size_t j = 0; j < N; j++) { /* the coefficient: what output j = 1 adds */
                double unit[MOST_COLUMNS];
                memcpy(unit, zero, sizeof unit);
                unit[j] = 1;
                const double off = hcri_varying_dot_minus((hcri_varying *)block, i, zero, 0, NULL);
                const double coefficient = hcri_varying_dot_minus((hcri_varying *)block, i, unit, off, NULL);
                assert_true(fabs(coefficient - dense[j]) <= 1e-15 * (1 + size_of_terms(&c, i, unit)));
            }
            const double own = hcri_varying_dot_minus((hcri_varying *)block, i, zero, 0, NULL);
            const double room = 0x1p-50 * (fabs(own) + 10);
            if (isinf(c.upper[i]))
                assert_true(upper == INFINITY);
            else
                assert_true(hcri_varying_dot_minus((hcri_varying *)block, i, zero, c.upper[i], NULL) + upper <= 0 &&
                            fabs(upper - (c.upper[i] - own)) <= room);
            if (isinf(c.lower[i]))
                assert_true(lower == -INFINITY);
            else
                assert_true(hcri_varying_dot_minus((hcri_varying *)block, i, zero, c.lower[i], NULL) + lower >= 0 &&
                            fabs(lower - (c.lower[i] - own)) <= room);
        }
    }
    hcri_block_release(block);
    release_case(&c);
}

/* As a fixed block: rays at the parameters of its origin. */
static void test_rays(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 4);
    moving_case c;
    draw_case(&c, &random, N, P, 0.5, 1, 0.5);
    hcri_constraint *block = make_block(&c, 1);
    double point[MOST_COLUMNS], x[P], v[MOST_COLUMNS] = {0};
    for (size_t k = 0; k < P; k++)
        x[k] = 0.5 * (c.range[0][k] + c.range[1][k]);
    origin_at(&c, x, point);
    assert_int_equal(block->kind->place(block, point, NULL), HCR_OK);
    hcri_constraint *fixed = make_fixed_block(&c, block, point);
    assert_true(fabs(block->kind->inradius(block, scratch_for(block))) <=
                fixed->kind->inradius(fixed, scratch_for(fixed)) * (1 + 1e-12));
    for (size_t s = 0; s < 300; s++) {
        for (size_t j = 0; j < N; j++)
            v[j] = hcri_random_normal(&random);
        double best = 0, expected = 0;
        uint32_t active_constraint = HCRI_NO_CONSTRAINT;
        batch_gauge(block, 1, v, MOST_COLUMNS, &best, &active_constraint, scratch_for(block));
        batch_gauge(fixed, 1, v, MOST_COLUMNS, &expected, NULL, scratch_for(fixed));
        assert_true(fabs(best - expected) <= 1e-12 * expected);
        assert_true(block->kind->gauge_one(block, active_constraint, v, scratch_for(block)) == best);
        for (size_t i = 0; i < block->count; i++) {
            double enter, leave, from, to;
            assert_true(fabs(block->kind->along(block, i, v, 0.7, scratch_for(block)) -
                             fixed->kind->along(fixed, i, v, 0.7, scratch_for(fixed))) <= 1e-11);
            if (!block->kind->exists(block, i))
                continue;
            /* From a point that may be outside, too. */
            double start[MOST_COLUMNS];
            for (size_t j = 0; j < columns_of(&c); j++)
                start[j] = j < N ? point[j] + 4 * hcri_random_normal(&random) : point[j];
            ends_of(block->kind->interval(block, i, start, v, scratch_for(block)), &enter, &leave);
            ends_of(hcri_linear_interval(fixed, i, start, v, scratch_for(fixed)), &from, &to);
            assert_true(!isinf(enter) == !isinf(from) && !isinf(leave) == !isinf(to));
            assert_true(isinf(enter) || fabs(enter - from) <= 1e-9 * (1 + from));
            assert_true(isinf(leave) || isinf(enter) || fabs(leave - to) <= 1e-9 * (1 + to));
        }
    }
    point[0] += 1e6;
    hcri_constraint *again = make_block(&c, 1);
    hcr_error error;
    assert_int_equal(again->kind->place(again, point, &error), HCR_ERROR_ORIGIN);
    hcri_block_release(again);
    hcri_block_release(fixed);
    hcri_block_release(block);
    release_case(&c);
}

/* ------------------------------------------------------------------------------------------------- substitutions */

/* y = constant + T z for N outputs and P parameters: every third output depends on the one before it and on a
 * parameter, the others and the parameters are coordinates; the first `fixed` parameters have values of their own. */
static void make_substitution(hcri_substitution *by, double *constant, size_t fixed, hcri_random *random) {
    uint32_t next = 0, parameter[P];
    size_t free = 0;
    for (size_t j = 0; j < N; j++)
        free += j % 3 != 2;
    for (size_t k = 0; k < P; k++)
        parameter[k] = (uint32_t)(free + k - (k < fixed ? k : fixed));
    *by = (hcri_substitution){.coordinates = free + P - fixed, .constant = constant};
    for (size_t j = 0; j < N + P; j++) {
        const size_t k = j - N; /* of a parameter */
        uint32_t columns[2] = {next, parameter[P - 1]};
        double values[2] = {1, 0.75};
        size_t count = 1;
        constant[j] = 0;
        if (j >= N) {
            columns[0] = parameter[k];
            count = k >= fixed;
            constant[j] = k < fixed ? hcri_random_normal(random) : 0;
        } else if (j % 3 == 2) {
            columns[0] = next - 1;
            values[0] = -2;
            count = fixed < P ? 2 : 1;
            constant[j] = hcri_random_normal(random);
        } else {
            next++;
        }
        assert_int_equal(hcri_rows_append(&by->map, memory, count, columns, values, NULL), HCR_OK);
    }
}

static void lift(const hcri_substitution *by, const double *z, double *point) {
    for (size_t j = 0; j < by->map.count; j++)
        point[j] = by->constant[j] + hcri_rows_dot(&by->map, j, z, NULL);
}

/* The substituted rows at z are the rows at y, to within the rounding of some hundred terms. */
static void test_substitutions(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 5);
    moving_case c;
    draw_case(&c, &random, N, P, 0.5, 1, 0.5);
    hcri_constraint *block = make_block(&c, 1);
    for (size_t fixed = 0; fixed <= P; fixed++) {
        hcri_substitution by;
        double constant[N + P], z[N + P], point[MOST_COLUMNS];
        make_substitution(&by, constant, fixed, &random);
        const size_t alone = c.rows.count - 1; /* the row of parameter 0 alone: fixed, it is inside its bounds or not */
        const double kept = constant[N];
        if (fixed > 0)
            constant[N] = 0.5 * (fmax(c.lower[alone], -10) + fmin(c.upper[alone], 10));
        hcri_constraint *made = NULL;
        assert_int_equal(block->kind->substitute(block, &by, &made, NULL), HCR_OK);
        assert_int_equal(made->kind->id, fixed == P ? HCRI_KIND_LINEAR : HCRI_KIND_VARYING);
        assert_int_equal(made->n, by.coordinates);
        assert_int_equal(made->count, block->count - (fixed > 0 ? 2 : 0));
        for (size_t s = 0; s < 50; s++) {
            for (size_t k = 0; k < by.coordinates; k++)
                z[k] = hcri_random_normal(&random);
            lift(&by, z, point);
            for (size_t i = 0; i < made->count; i++) {
                const size_t was = made->source[i];
                assert_int_equal(made->source_row[i], 2 * was);
                assert_int_equal(made->kind->exists(made, i), block->kind->exists(block, was));
                if (!made->kind->exists(made, i))
                    continue;
                const double expected = block->kind->value(block, was, point, NULL, scratch_for(block));
                assert_true(fabs(made->kind->value(made, i, z, NULL, scratch_for(made)) - expected) <=
                            1e-12 * (10 + size_of_terms(&c, was / 2, point)));
            }
        }
        hcri_block_release(made);
        if (fixed > 0) {
            constant[N] = 1e6;
            assert_int_equal(block->kind->substitute(block, &by, &made, NULL), HCR_ERROR_EMPTY);
            constant[N] = kept;
        }
        hcri_rows_release(&by.map, memory);
    }
    hcri_block_release(block);
    release_case(&c);
}

/* ------------------------------------------------------------------------------------------------------- as bytes */

/* Read and written again it is the same; cut short or with columns that don't exist it is refused. */
static void test_bytes(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 6);
    moving_case c;
    draw_case(&c, &random, N, P, 0.5, 1, 0.5);
    hcri_constraint *block = make_block(&c, 1), *read = NULL;
    hcri_bytes bytes = {.allocator = memory}, again = {.allocator = memory};
    assert_int_equal(hcri_block_write(block, &bytes), HCR_OK);
    hcri_source in = {.data = bytes.data, .size = bytes.size};
    assert_int_equal(hcri_block_read(hcri_kind_of(HCRI_KIND_VARYING), &in, N + P, memory, &read, NULL), HCR_OK);
    assert_int_equal(in.used, bytes.size);
    assert_int_equal(hcri_block_write(read, &again), HCR_OK);
    assert_true(again.size == bytes.size && memcmp(again.data, bytes.data, bytes.size) == 0);
    hcri_block_release(read);
    for (size_t size = 0; size < bytes.size; size += size % 16 == 0 ? 1 : 5) {
        hcri_source cut = {.data = bytes.data, .size = size};
        assert_int_equal(hcri_block_read(hcri_kind_of(HCRI_KIND_VARYING), &cut, N + P, memory, &read, NULL),
                         HCR_ERROR_FORMAT);
    }
    hcri_source narrow = {.data = bytes.data, .size = bytes.size};
    assert_int_equal(hcri_block_read(hcri_kind_of(HCRI_KIND_VARYING), &narrow, N + P - 1, memory, &read, NULL),
                     HCR_ERROR_FORMAT);
    hcri_release(memory, bytes.data);
    hcri_release(memory, again.data);

    /* A product of two outputs isn't linear along a ray. */
    const size_t start[2] = {0, 1};
    const uint32_t left = 0, right = 1;
    const double one = 1, lower = -1, upper = 1;
    hcri_rows empty = {0};
    assert_int_equal(hcri_rows_append(&empty, memory, 0, NULL, NULL, NULL), HCR_OK);
    const hcri_bilinear bad = {start, &left, &right, &one};
    hcri_constraint *wrong = NULL;
    assert_int_equal(hcri_varying_create(N + P, memory, &empty, &bad, &lower, &upper, &wrong, NULL), HCR_OK);
    assert_int_equal(wrong->kind->follow(wrong, &c.origin_map, NULL), HCR_ERROR_FORMAT);
    hcri_block_release(wrong);
    hcri_rows_release(&empty, memory);
    hcri_block_release(block);
    release_case(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_gradients),     cmocka_unit_test(test_fixed_parameters),
        cmocka_unit_test(test_rays),   cmocka_unit_test(test_substitutions), cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
