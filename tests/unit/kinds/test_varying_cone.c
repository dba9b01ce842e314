/* Cones whose coefficients move with parameters: against rows summed in plain order, against the cone of cone.h that
 * they are once the parameters are fixed, and by differences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/vector.h"
#include "kinds/block.h"
#include "kinds/varying_cone/varying_cone.h"
#include "scratch.h"
#include "unit/kinds/moving.h"

enum { N = 9, P = 4, ALL = N + P };

/* The rows of a case; the last is the bound, which leaves about `room` beside them at the middle of the range. */
typedef struct cone_case {
    moving_case rows;
    double constants[MOST_ROWS], middle[ALL];
    hcri_constraint *block;
} cone_case;

/* Row i of |w| <= e. */
static double row_of(const cone_case *c, size_t i, const double *point) {
    return plain_value(&c->rows, i, point) + c->constants[i];
}

static double plain(const cone_case *c, const double *point) {
    double w[MOST_ROWS];
    const size_t count = c->rows.rows.count - 1;
    for (size_t i = 0; i < count; i++)
        w[i] = row_of(c, i, point);
    return hcri_norm(count, w) - row_of(c, count, point);
}

static void make(cone_case *c, hcri_random *random, double room) {
    memset(c, 0, sizeof *c);
    draw_case(&c->rows, random, N, P, 0.5, 1, 0.5);
    const size_t count = c->rows.rows.count;
    double x[P];
    for (size_t k = 0; k < P; k++)
        x[k] = 0.5 * (c->rows.range[0][k] + c->rows.range[1][k]);
    origin_at(&c->rows, x, c->middle);
    for (size_t i = 0; i + 1 < count; i++)
        c->constants[i] = hcri_random_normal(random);
    c->constants[count - 1] = plain(c, c->middle) + room;
    const hcri_bilinear products = {c->rows.product_start, c->rows.left, c->rows.right, c->rows.product_values};
    assert_int_equal(hcri_varying_cone_create(ALL, memory, &c->rows.rows, &products, c->constants, &c->block, NULL),
                     HCR_OK);
    c->block->source[0] = 3;
    c->block->source_row[0] = 7;
}

static void release(cone_case *c) {
    hcri_block_release(c->block);
    release_case(&c->rows);
}

static void draw_point(hcri_random *random, double size, double *point) {
    for (size_t j = 0; j < ALL; j++)
        point[j] = size * hcri_random_normal(random);
}

/* The cone at the parameters of the point, over the outputs. */
static hcri_constraint *fixed_at(const cone_case *c, const double *point) {
    static const double one = 1;
    double constant[ALL];
    hcri_substitution by = {.coordinates = N, .constant = constant};
    for (uint32_t j = 0; j < ALL; j++) {
        constant[j] = j < N ? 0 : point[j];
        assert_int_equal(hcri_rows_append(&by.map, memory, j < N, &j, &one, NULL), HCR_OK);
    }
    hcri_constraint *made = NULL;
    assert_int_equal(c->block->kind->substitute(c->block, &by, &made, NULL), HCR_OK);
    assert_int_equal(made->kind->id, HCRI_KIND_CONE);
    assert_true(made->source[0] == 3 && made->source_row[0] == 7);
    hcri_rows_release(&by.map, memory);
    return made;
}

/* 1e-12 of the sizes that random rows have: a hundred roundings of sums of up to ten terms. */
static void test_values(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 1);
    cone_case c;
    make(&c, &random, 1);
    const hcri_kind *kind = c.block->kind;
    for (int s = 0; s < 300; s++) {
        double point[ALL], gradient[ALL + 1] = {0}, smooth[ALL + 1] = {0}, beside[ALL], error, side;
        const double size = pow(10, 4 * hcri_random_uniform(&random) - 2), t = hcri_random_normal(&random);
        draw_point(&random, size, point);
        const double value = kind->value(c.block, 0, point, &error, scratch_for(c.block));
        const double sizes = 100 * (1 + size + size * size);
        assert_true(fabs(value - plain(&c, point)) <= 1e-12 * sizes);
        assert_true(error > 0 && error <= 1e-12 * sizes);
        hcri_constraint *fixed = fixed_at(&c, point);
        assert_true(fabs(fixed->kind->value(fixed, 0, point, NULL, scratch_for(fixed)) - value) <= 1e-12 * sizes);
        hcri_block_release(fixed);

        kind->add_gradient(c.block, 0, point, 2, gradient, scratch_for(c.block));
        const double e = row_of(&c, c.rows.rows.count - 1, point), norm = value + e;
        const double at = kind->smooth(c.block, 0, point, t, smooth, &side, scratch_for(c.block));
        assert_true(fabs(side - e - t) <= 1e-12 * sizes);
        assert_true(fabs(at - (norm - side) * (norm + side)) <= 1e-10 * sizes * (norm + fabs(side)));
        assert_true(smooth[ALL] == -2 * side);
        for (size_t j = 0; j < ALL; j++) {
            const double step = 1e-6 * (1 + size);
            memcpy(beside, point, sizeof beside);
            beside[j] += step;
            const double above = plain(&c, beside), right_above = row_of(&c, c.rows.rows.count - 1, beside);
            beside[j] -= 2 * step;
            const double below = plain(&c, beside), right_below = row_of(&c, c.rows.rows.count - 1, beside);
            const double slope = (above - below) / (2 * step), right = (right_above - right_below) / (2 * step);
            assert_true(fabs(gradient[j] - 2 * slope) <= 1e-6 * sizes);
            assert_true(fabs(smooth[j] - 2 * (norm * (slope + right) - side * right)) <=
                        1e-5 * sizes * (1 + norm + fabs(side)));
        }
    }
    release(&c);
}

/* From origins of their own the gauge is that of the fixed cone, placed there, to 1e-9: its root has a square root of
 * what cancels. `along` and `interval` agree with it. */
static void test_rays(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 2);
    size_t compared = 0;
    for (int round = 0; round < 20; round++) {
        cone_case c;
        make(&c, &random, round % 2 == 0 ? 1 : 20);
        const hcri_kind *kind = c.block->kind;
        assert_int_equal(kind->place(c.block, c.middle, NULL), HCR_OK);
        assert_true(kind->inradius(c.block, scratch_for(c.block)) > 0);
        for (int s = 0; s < 50; s++) {
            double origin[ALL], v[ALL] = {0}, best[2] = {0, 0}, x[P];
            draw_parameters(&c.rows, &random, x);
            origin_at(&c.rows, x, origin);
            if (s % 10 == 0)
                memcpy(origin, c.middle, sizeof origin);
            for (size_t j = 0; j < N; j++)
                v[j] = hcri_random_normal(&random);
            batch_gauge_from(c.block, 1, origin, v, ALL, best, NULL, scratch_for(c.block));
            if (!(plain(&c, origin) < -1e-3)) {
                assert_true(best[0] > 0);
                continue;
            }
            hcri_constraint *fixed = fixed_at(&c, origin);
            assert_int_equal(fixed->kind->place(fixed, origin, NULL), HCR_OK);
            batch_gauge(fixed, 1, v, N, best + 1, NULL, scratch_for(fixed));
            assert_true(fabs(best[0] - best[1]) <= 1e-9 * (1 + best[1]));
            const hcri_interval inside = kind->interval(c.block, 0, origin, v, scratch_for(c.block));
            assert_true(inside.enter == 0 && fabs(1 / inside.leave - best[0]) <= 1e-12 * (1 + best[0]));
            if (s % 10 == 0 && best[0] > 0) {
                assert_true(fabs(kind->along(c.block, 0, v, 1 / best[0], scratch_for(c.block))) <= 1e-6);
                assert_true(fabs(kind->along(c.block, 0, v, 0, scratch_for(c.block)) + 1) <= 1e-12);
            }
            hcri_block_release(fixed);
            compared++;
        }
        release(&c);
    }
    assert_true(compared > 200);
}

/* From outside both ends are where the value changes its sign. */
static void test_intervals_from_outside(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 3);
    size_t met = 0;
    cone_case c;
    make(&c, &random, 5);
    for (int s = 0; s < 400; s++) {
        double from[ALL], v[ALL] = {0}, at[ALL];
        memcpy(from, c.middle, sizeof from);
        for (size_t j = 0; j < N; j++) {
            v[j] = hcri_random_normal(&random);
            from[j] -= 30 * v[j];
        }
        if (plain(&c, from) <= 0)
            continue;
        const hcri_interval inside = c.block->kind->interval(c.block, 0, from, v, scratch_for(c.block));
        const double ends[2] = {inside.enter, inside.leave};
        assert_true(inside.enter < 30 && inside.leave > 30);
        for (int end = 0; end < 2 && isfinite(ends[end]); end++, met++)
            for (int side = -1; side <= 1; side += 2) {
                for (size_t j = 0; j < ALL; j++)
                    at[j] = from[j] + (ends[end] + side * 1e-6) * v[j];
                assert_int_equal(plain(&c, at) <= 0, (end == 0) == (side > 0));
            }
    }
    assert_true(met > 200);
    release(&c);
}

static void test_bytes(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 4);
    cone_case c;
    make(&c, &random, 1);
    const hcri_kind *kind = hcri_kind_of(HCRI_KIND_VARYING_CONE);
    hcri_constraint *read = NULL;
    hcri_bytes bytes = {.allocator = memory}, again = {.allocator = memory};
    assert_int_equal(hcri_block_write(c.block, &bytes), HCR_OK);
    hcri_source in = {.data = bytes.data, .size = bytes.size};
    assert_int_equal(hcri_block_read(kind, &in, ALL, memory, &read, NULL), HCR_OK);
    assert_int_equal(in.used, bytes.size);
    assert_int_equal(kind->verify(read, NULL), HCR_OK);
    assert_int_equal(hcri_block_write(read, &again), HCR_OK);
    assert_true(again.size == bytes.size && memcmp(again.data, bytes.data, bytes.size) == 0);
    ((hcri_varying_cone *)read)->rows->upper[0] = 1e60;
    assert_int_equal(kind->verify(read, NULL), HCR_ERROR_FORMAT);
    hcri_block_release(read);
    for (size_t size = 0; size < bytes.size; size += size % 16 == 0 ? 1 : 5) {
        hcri_source cut = {.data = bytes.data, .size = size};
        assert_int_equal(hcri_block_read(kind, &cut, ALL, memory, &read, NULL), HCR_ERROR_FORMAT);
    }
    hcri_release(memory, bytes.data);
    hcri_release(memory, again.data);

    /* A bound that isn't finite. */
    ((hcri_varying_cone *)c.block)->rows->upper[1] = INFINITY;
    bytes = (hcri_bytes){.allocator = memory};
    assert_int_equal(hcri_block_write(c.block, &bytes), HCR_OK);
    in = (hcri_source){.data = bytes.data, .size = bytes.size};
    assert_int_equal(hcri_block_read(kind, &in, ALL, memory, &read, NULL), HCR_ERROR_FORMAT);
    hcri_release(memory, bytes.data);
    release(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_rays),
        cmocka_unit_test(test_intervals_from_outside),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
