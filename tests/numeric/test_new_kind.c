/* A kind of constraint from outside of the library (CONTRIBUTING.md, "A new kind of constraint"): a Euclidean ball by
 * centre and radius, |y − m|² <= R². Its two tables and a block handed to the builder are all; origin, bounds, margins,
 * maps, derivatives, projection and checks work from them, alone and beside the library's kinds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gmp.h>

#include "exact/exact_sign.h"
#include "hcr/hcr_export.h"
#include "kinds/block.h"
#include "kinds/cone/cone.h"
#include "numeric/regions.h"
#include "scratch.h"

static hcr_error error;

/* ------------------------------------------------------------------------------------------------------- the kind */

typedef struct ball {
    hcri_constraint base;
    double *centre, radius;
    double *offset, length, at_origin; /* after place: O − m, its length, |O − m|² − R² < 0 */
} ball;

static const hcri_kind kind_ball;

static hcr_status create(size_t n, const double *centre, double radius, const hcr_allocator *allocator,
                         hcri_constraint **constraint, hcr_error *failed) {
    ball *made = hcri_block_create(&kind_ball, n, 1, allocator);
    if (made == NULL)
        return hcri_fail_memory(failed);
    made->radius = radius;
    made->centre = hcri_copy(hcri_block_memory(&made->base), centre, n, sizeof *centre);
    return hcri_block_finish(&made->base, hcri_block_has_memory(&made->base, failed), constraint);
}

static void fields(hcri_constraint *constraint, hcri_walk *walk) {
    ball *made = (ball *)constraint;
    hcri_walk_f64s(walk, constraint->n, &made->centre);
    hcri_walk_f64(walk, &made->radius);
}

static hcr_status place(hcri_constraint *constraint, const double *origin, hcr_error *failed) {
    ball *made = (ball *)constraint;
    double squares = 0;
    made->offset = hcri_allocate(hcri_block_memory(constraint), constraint->n, sizeof *made->offset);
    if (made->offset == NULL)
        return hcri_fail_memory(failed);
    for (size_t j = 0; j < constraint->n; j++) {
        made->offset[j] = origin[j] - made->centre[j];
        squares += made->offset[j] * made->offset[j];
    }
    made->length = sqrt(squares);
    made->at_origin = squares - made->radius * made->radius;
    return made->at_origin < 0 ? HCR_OK : hcri_block_refuse_origin(0, made->at_origin, failed);
}

/* |v|² and v·(O − m): c(O + t v) = at_origin + 2 t v·(O − m) + t² |v|². */
static void along_terms(const ball *made, const double *v, double *square, double *slope) {
    *square = *slope = 0;
    for (size_t j = 0; j < made->base.n; j++) {
        *square += v[j] * v[j];
        *slope += v[j] * made->offset[j];
    }
}

/* 1/t for the positive root t, in the form that doesn't cancel. */
static void gauge(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    (void)scratch;
    const ball *made = (const ball *)constraint;
    for (size_t s = 0; s < batch->rows; s++) {
        double a, b;
        along_terms(made, batch->v + s * batch->stride, &a, &b);
        const double root = sqrt(b * b - a * made->at_origin);
        hcri_batch_raise(batch, s, b >= 0 ? (root + b) / -made->at_origin : a / (root - b), constraint, 0);
    }
}

static double along(const hcri_constraint *constraint, size_t i, const double *v, double t, double *scratch) {
    (void)i;
    (void)scratch;
    const ball *made = (const ball *)constraint;
    double a, b;
    along_terms(made, v, &a, &b);
    return (t * (2 * b + t * a) + made->at_origin) / -made->at_origin;
}

/* Each square is off by 3 roundings, their sum by n − 1 more, R² by one. */
static double value(const hcri_constraint *constraint, size_t i, const double *y, double *rounding, double *scratch) {
    (void)i;
    (void)scratch;
    const ball *made = (const ball *)constraint;
    double squares = 0;
    for (size_t j = 0; j < constraint->n; j++)
        squares += (y[j] - made->centre[j]) * (y[j] - made->centre[j]);
    if (rounding != NULL)
        *rounding = 1.01 * ((double)constraint->n + 4) * 0x1p-53 * (squares + made->radius * made->radius) + 0x1p-1000;
    return squares - made->radius * made->radius;
}

static void add_gradient(const hcri_constraint *constraint, size_t i, const double *y, double weight, double *gradient,
                         double *scratch) {
    (void)i;
    (void)scratch;
    for (size_t j = 0; j < constraint->n; j++)
        gradient[j] += 2 * weight * (y[j] - ((const ball *)constraint)->centre[j]);
}

/* As a cone: |T z + constant − m| <= R. */
static hcr_status substitute(const hcri_constraint *constraint, const hcri_substitution *substitution,
                             hcri_constraint **substituted, hcr_error *failed) {
    const ball *made = (const ball *)constraint;
    double *shift = hcri_allocate(constraint->allocator, constraint->n, sizeof *shift);
    if (shift == NULL)
        return hcri_fail_memory(failed);
    for (size_t j = 0; j < constraint->n; j++)
        shift[j] = substitution->constant[j] - made->centre[j];
    const hcr_status status = hcri_cone_create(substitution->coordinates, constraint->allocator, &substitution->map,
                                               shift, NULL, made->radius, substituted, failed);
    hcri_release(constraint->allocator, shift);
    if (status == HCR_OK)
        hcri_block_copy_sources(*substituted, constraint);
    return status;
}

static double radius(const hcri_constraint *constraint) {
    const ball *made = (const ball *)constraint;
    return (1 + 1e-12) * (made->radius + made->length);
}

static double inradius(const hcri_constraint *constraint, double *scratch) {
    (void)scratch;
    return ((const ball *)constraint)->radius - ((const ball *)constraint)->length;
}

/* c is convex along a ray, so that at the share 1 − m of the way to the frontier it is at most −m |c(O)|: m = E/|c(O)|
 * where E bounds what c differs by at the result. With S = (|O − m| + R)², all terms of c are below 5 S on the way, and
 * the gauge is the exact one of terms that are each off by n + 16 roundings. The step, its rounding and the clamp move
 * the point by e, |e_j| <= 4 unit (|O_j| + |y_j − O_j|) + extra_j, and c by 2 R |e| + |e|² at most. */
static double margin(const hcri_constraint *constraint, double unit, const hcri_extent *extent, double *scratch) {
    (void)scratch;
    const ball *made = (const ball *)constraint;
    const double far = radius(constraint);
    double squares = 0;
    for (size_t j = 0; j < constraint->n; j++) {
        const double moved = 4 * unit * (hcri_size_at_origin(extent, j) + fmin(extent->reach[j], far)) +
                             (extent->extra == NULL ? 0 : extent->extra[j]);
        squares += moved * moved;
    }
    const double arithmetic = ((double)constraint->n + 16) * 0x1p-53 * 5 * far * far;
    return 1.01 * (arithmetic + 2 * made->radius * sqrt(squares) + squares) / -made->at_origin;
}

/* The sign of |y − m|² − R² in fractions: what the exact check knows of the kind, and what this test judges by. */
static int sign_of(const hcri_constraint *constraint, size_t i, const double *y) {
    (void)i;
    const ball *made = (const ball *)constraint;
    mpq_t total, a, b;
    mpq_inits(total, a, b, NULL);
    mpq_set_d(a, made->radius);
    mpq_mul(a, a, a);
    mpq_neg(total, a);
    for (size_t j = 0; j < constraint->n; j++) {
        mpq_set_d(a, y[j]);
        mpq_set_d(b, made->centre[j]);
        mpq_sub(a, a, b);
        mpq_mul(a, a, a);
        mpq_add(total, total, a);
    }
    const int sign = mpq_sgn(total);
    mpq_clears(total, a, b, NULL);
    return sign;
}

static const hcri_exact_kind exact_ball = {.kind = &kind_ball, .sign = sign_of};
static const hcri_kind kind_ball = {
    .id = HCRI_KINDS,
    .name = "ball",
    .words = "a ball",
    .exact = &exact_ball,
    .size = sizeof(ball),
    .fields = fields,
    .place = place,
    .gauge = gauge,
    .gauge_one = hcri_block_gauge_alone,
    .along = along,
    .value = value,
    .add_gradient = add_gradient,
    .holds = hcri_block_holds,
    .interval = hcri_block_interval,
    .substitute = substitute,
    .exists = hcri_block_exists,
    .radius = radius,
    .margin = margin,
    .inradius = inradius,
};

/* -------------------------------------------------------------------------------------------------------- regions */

typedef enum beside { ALONE, TWO_BALLS, BOUNDS_AND_ROWS, A_QUADRATIC, AN_EQUALITY, BESIDES } beside;

static void add_ball(hcr_builder *builder, size_t n, const double *centre, double size) {
    hcri_constraint *made = NULL;
    must(create(n, centre, size, &builder->set.allocator, &made, &error), &error);
    must(hcri_builder_append(builder, made, &error), &error);
}

/* A ball around m, alone or with other constraints that hold at m; the library finds the origin. */
static hcr_region *random_ball_region(beside with, size_t n, hcri_random *random) {
    enum { MOST = 16 };
    double centre[MOST], other[MOST], lower[MOST], upper[MOST], row[MOST], ones[MOST], sum = 0;
    hcr_builder *builder = new_builder(n);
    hcr_region *region = NULL;
    fill_normal(random, 1, n, centre);
    fill_normal(random, 1, n, row);
    for (size_t j = 0; j < n; j++) {
        other[j] = centre[j] + 0.5 / sqrt((double)n);
        lower[j] = centre[j] - 0.3;
        upper[j] = j % 2 == 0 ? INFINITY : centre[j] + 0.6;
        ones[j] = 1;
        sum += row[j] * centre[j];
    }
    add_ball(builder, n, centre, 1 + hcri_random_uniform(random));
    if (with == TWO_BALLS)
        add_ball(builder, n, other, 1.5);
    if (with == BOUNDS_AND_ROWS) {
        const double low = -INFINITY, high = sum + 0.1;
        must(hcr_builder_add_bounds(builder, 0, n, lower, upper, &error), &error);
        must(hcr_builder_add_rows(builder, 1, row, &low, &high, &error), &error);
    }
    if (with == A_QUADRATIC)
        must(hcr_builder_add_quadratic(
                 builder,
                 &(hcr_quadratic){.form = HCR_QUADRATIC_DIAGONAL, .matrix = ones, .shift = other, .radius = 1.25},
                 &error),
             &error);
    if (with == AN_EQUALITY)
        must(hcr_builder_add_rows(builder, 1, row, &sum, &sum, &error), &error);
    must(hcr_builder_finish(builder, &region, &error), &error);
    hcr_builder_free(builder);
    return region;
}

/* Every test's loop: each company, some sizes. */
typedef void region_test(const hcr_region *region, hcr_workspace *workspace, beside with, hcri_random *random);
static void for_each_region(region_test *test, uint64_t seed) {
    static const size_t sizes[] = {2, 3, 7, 16};
    hcri_random random;
    hcri_random_seed(&random, seed);
    for (beside with = ALONE; with < BESIDES; with++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            hcr_region *region = random_ball_region(with, sizes[k], &random);
            hcr_workspace *workspace = workspace_of(region, 1);
            test(region, workspace, with, &random);
            hcr_workspace_free(workspace);
            hcr_region_free(region);
        }
}

/* A block of the region that is a ball. */
static const hcri_constraint *ball_of(const hcr_region *region) {
    for (size_t b = 0; b < region->set.blocks; b++)
        if (region->set.block[b]->kind == &kind_ball)
            return region->set.block[b];
    fail_msg("the region lost its ball");
    return NULL;
}

/* ---------------------------------------------------------------------------------------------------------- tests */

static int is_inside(const hcr_region *region, const double *v, double t) {
    double y[16];
    for (size_t j = 0; j < region->set.n; j++)
        y[j] = region->origin[j] + t * v[j];
    for (size_t b = 0; b < region->set.blocks; b++)
        for (size_t i = 0; i < region->set.block[b]->count; i++)
            if (region->set.block[b]->kind->exists(region->set.block[b], i) &&
                !hcri_exact_holds(region->set.block[b], i, y, scratch_for(region->set.block[b])))
                return 0;
    return 1;
}

/* By bisection on exact signs of all constraints; the points are good to some 1e-15 of the distance, and rays that
 * graze the frontier aren't among so few. Without an equality, within which directions are projected first. */
static void compare_gauge(const hcr_region *region, hcr_workspace *workspace, beside with, hcri_random *random) {
    for (size_t k = 0; with != AN_EQUALITY && k < 30; k++) {
        double v[16], found, low = 0, high = 1;
        fill_normal(random, 1, region->set.n, v);
        must(hcr_gauge(region, workspace, 1, NULL, v, &found, NULL, &error), &error);
        while (is_inside(region, v, high))
            high *= 2;
        for (int step = 0; step < 60; step++)
            *(is_inside(region, v, 0.5 * (low + high)) ? &low : &high) = 0.5 * (low + high);
        assert_true(fabs(found * low - 1) <= 1e-12);
    }
}

static void test_gauge(void **state) {
    (void)state;
    for_each_region(compare_gauge, 1);
}

typedef hcr_status map_function(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *x,
                                const double *in, double *out, hcr_ray *rays, hcr_error *failed);
static const struct tested {
    map_function *forward;
    hcr_status (*reverse)(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *x,
                          const double *in, const hcr_ray *rays, const double *bar, double *result, double *x_bar,
                          hcr_error *failed);
    hcr_status (*pushed)(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *x,
                         const double *in, const hcr_ray *rays, const double *dot, const double *x_dot, double *result,
                         hcr_error *failed);
    size_t radius_in, radius_out; /* a number beside the n that go in, come out */
} maps[] = {{hcr_encode, hcr_encode_vjp, hcr_encode_jvp, 0, 1},
            {hcr_decode, hcr_decode_vjp, hcr_decode_jvp, 1, 0},
            {hcr_contract, hcr_contract_vjp, hcr_contract_jvp, 0, 0},
            {hcr_soften, hcr_soften_vjp, hcr_soften_jvp, 0, 0}};
enum { MAPS = sizeof maps / sizeof maps[0] };

/* J·change against a central difference, with an error of h² and of rounding/h, and bar·(J·change) against
 * (J'bar)·change. Steps over which another constraint becomes active count for nothing. */
static void compare_derivatives(const hcr_region *region, hcr_workspace *workspace, beside with, hcri_random *random) {
    const size_t n = region->set.n;
    size_t compared = 0;
    for (size_t k = 0; k < 10 * MAPS; k++) {
        const struct tested *map = &maps[k % MAPS];
        const size_t inputs = n + map->radius_in, outputs = n + map->radius_out;
        double in[17], change[17], bar[17], at[17], out[2][17], pushed[17], pulled[17], forwards = 0, backwards = 0,
                                                                                        length = 0, size = 0;
        hcr_ray ray, side[2];
        fill_normal(random, 1, n + 1, in);
        fill_normal(random, 1, n + 1, change);
        fill_normal(random, 1, n + 1, bar);
        in[n] = 0.5;
        for (size_t j = 0; map->forward == hcr_encode && j < n; j++)
            in[j] = region->origin[j] + 0.1 * in[j];
        for (size_t j = 0; j < n; j++)
            length = hypot(length, map->forward == hcr_encode ? in[j] - region->origin[j] : in[j]);
        const double h = 1e-5 * fmin(length, 1);
        must(map->forward(region, workspace, 1, NULL, in, out[0], &ray, &error), &error);
        must(map->pushed(region, workspace, 1, NULL, in, &ray, change, NULL, pushed, &error), &error);
        must(map->reverse(region, workspace, 1, NULL, in, &ray, bar, pulled, NULL, &error), &error);
        for (int up = 0; up < 2; up++) {
            for (size_t j = 0; j < inputs; j++)
                at[j] = in[j] + (up ? h : -h) * change[j];
            must(map->forward(region, workspace, 1, NULL, at, out[up], &side[up], &error), &error);
        }
        for (size_t j = 0; j < inputs; j++)
            backwards += pulled[j] * change[j];
        for (size_t j = 0; j < outputs; j++) {
            forwards += bar[j] * pushed[j];
            size = fmax(size, fabs(pushed[j]));
        }
        assert_true(fabs(forwards - backwards) <= 1e-10 * (1 + fabs(forwards)));
        if (side[0].constraint != ray.constraint || side[1].constraint != ray.constraint ||
            side[0].outcome != ray.outcome || side[1].outcome != ray.outcome)
            continue;
        for (size_t j = 0; j < outputs; j++)
            if (!(fabs(pushed[j] - (out[1][j] - out[0][j]) / (2 * h)) <= 1e-6 * (1 + size)))
                fail_msg("map %zu beside %d, n = %zu: %.12g, not %.12g", k % MAPS, (int)with, n, pushed[j],
                         (out[1][j] - out[0][j]) / (2 * h));
        compared++;
    }
    assert_true(compared > 5 * MAPS);
}

static void test_derivatives(void **state) {
    (void)state;
    for_each_region(compare_derivatives, 2);
}

/* Results at tolerance 0: of the ball by fractions, of everything by hcr_check. */
static void check_results(const hcr_region *region, size_t rows, const double *y, const float *y_f32) {
    enum { ROWS = 64, MOST = 16 };
    const size_t n = region->set.n;
    uint8_t inside[ROWS];
    double point[MOST];
    must(y != NULL ? hcr_check(region, rows, NULL, y, inside, NULL, &error)
                   : hcr_check_f32(region, rows, NULL, y_f32, inside, NULL, &error),
         &error);
    for (size_t s = 0; s < rows; s++) {
        for (size_t j = 0; j < n; j++)
            point[j] = y != NULL ? y[s * n + j] : (double)y_f32[s * n + j];
        assert_true(inside[s] && sign_of(ball_of(region), 0, point) <= 0);
    }
}

/* decode, contract and soften of directions near and far, and decode of what encode makes of results; the margin looks
 * after the ball: it isn't verified. */
static void check_exactness(const hcr_region *region, hcr_workspace *workspace, beside with, hcri_random *random) {
    enum { ROWS = 64, MOST = 17 };
    const size_t n = region->set.n;
    double polar[ROWS * MOST], v[ROWS * MOST], y[ROWS * MOST];
    float polar_f32[ROWS * MOST], v_f32[ROWS * MOST], y_f32[ROWS * MOST];
    (void)with;
    assert_true(region->verified_blocks[HCR_DOUBLE] == 0 && region->verified_blocks[HCR_SINGLE] == 0);
    for (size_t round = 0; round < 20; round++) {
        fill_normal(random, round % 2 == 0 ? 1 : 100, ROWS * (n + 1), polar);
        fill_normal(random, round % 2 == 0 ? 1 : 100, ROWS * n, v);
        for (size_t s = 0; s < ROWS; s++)
            polar[s * (n + 1) + n] = s % 2 == 0 ? 1 : hcri_random_uniform(random);
        for (size_t k = 0; k < ROWS * (n + 1); k++) {
            polar_f32[k] = (float)polar[k];
            v_f32[k] = (float)v[k < ROWS * n ? k : 0];
        }
        must(hcr_decode(region, workspace, ROWS, NULL, polar, y, NULL, &error), &error);
        check_results(region, ROWS, y, NULL);
        must(hcr_encode(region, workspace, ROWS, NULL, y, polar, NULL, &error), &error);
        must(hcr_decode(region, workspace, ROWS, NULL, polar, y, NULL, &error), &error);
        check_results(region, ROWS, y, NULL);
        must(hcr_contract(region, workspace, ROWS, NULL, v, y, NULL, &error), &error);
        check_results(region, ROWS, y, NULL);
        must(hcr_soften(region, workspace, ROWS, NULL, v, y, NULL, &error), &error);
        check_results(region, ROWS, y, NULL);
        must(hcr_decode_f32(region, workspace, ROWS, NULL, polar_f32, y_f32, NULL, &error), &error);
        check_results(region, ROWS, NULL, y_f32);
        must(hcr_encode_f32(region, workspace, ROWS, NULL, y_f32, polar_f32, NULL, &error), &error);
        must(hcr_decode_f32(region, workspace, ROWS, NULL, polar_f32, y_f32, NULL, &error), &error);
        check_results(region, ROWS, NULL, y_f32);
        must(hcr_contract_f32(region, workspace, ROWS, NULL, v_f32, y_f32, NULL, &error), &error);
        check_results(region, ROWS, NULL, y_f32);
        must(hcr_soften_f32(region, workspace, ROWS, NULL, v_f32, y_f32, NULL, &error), &error);
        check_results(region, ROWS, NULL, y_f32);
    }
}

static void test_exactness(void **state) {
    (void)state;
    for_each_region(check_exactness, 3);
}

/* The gradient against a central difference, which is exact for a quadratic but for rounding; the substituted block
 * against the ball at the point that stands for z. */
static void test_solvers_operations(void **state) {
    (void)state;
    enum { N = 4, K = 2 };
    static const double h = 0x1p-10, constant[N] = {0.5, 0, -0.25, 1};
    static const double map[N][K] = {{1, 0.5}, {-0.5, 2}, {0.25, 0.75}, {0.25, -1}};
    static const uint32_t columns[K] = {0, 1};
    hcri_substitution fixed = {.coordinates = K, .constant = constant};
    hcri_constraint *made = NULL, *reduced = NULL;
    hcri_random random;
    hcri_random_seed(&random, 4);
    must(create(N, constant, 1.5, &hcri_default_allocator, &made, &error), &error);
    for (size_t j = 0; j < N; j++)
        must(hcri_rows_append(&fixed.map, &hcri_default_allocator, K, columns, map[j], &error), &error);
    must(substitute(made, &fixed, &reduced, &error), &error);
    size_t inside = 0;
    for (size_t k = 0; k < 200; k++) {
        double z[K], y[N], gradient[N] = {0};
        fill_normal(&random, 1, K, z);
        for (size_t j = 0; j < N; j++)
            y[j] = constant[j] + map[j][0] * z[0] + map[j][1] * z[1];
        add_gradient(made, 0, y, 1, gradient, NULL);
        for (size_t j = 0; j < N; j++) {
            const double at = y[j];
            y[j] = at + h;
            const double above = value(made, 0, y, NULL, NULL);
            y[j] = at - h;
            const double below = value(made, 0, y, NULL, NULL);
            y[j] = at;
            assert_true(fabs(gradient[j] - (above - below) / (2 * h)) <= 1e-10);
        }
        const double c = value(made, 0, y, NULL, NULL),
                     d = reduced->kind->value(reduced, 0, z, NULL, scratch_for(reduced));
        assert_true((c < 0) == (d < 0));
        inside += c < 0;
    }
    assert_true(inside > 20 && inside < 180);
    hcri_rows_release(&fixed.map, &hcri_default_allocator);
    hcri_block_release(reduced);
    hcri_block_release(made);
}

/* The check itself is wrong on neither side of the sphere: points of it, rounded, one unit in the last place farther
 * in and out. */
static void test_check(void **state) {
    (void)state;
    static const double centre[2] = {0, 0};
    hcr_builder *builder = new_builder(2);
    hcr_region *region = NULL;
    add_ball(builder, 2, centre, 5);
    must(hcr_builder_finish(builder, &region, &error), &error);
    const double points[3][2] = {{3, 4}, {nextafter(3, 0), 4}, {nextafter(3, 4), 4}};
    uint8_t inside[3];
    must(hcr_check(region, 3, NULL, &points[0][0], inside, NULL, &error), &error);
    assert_true(inside[0] && inside[1] && !inside[2]);
    hcr_region_free(region);
    hcr_builder_free(builder);
}

/* What isn't there for such a kind is refused by its name, not done wrong. */
static void test_refusals(void **state) {
    (void)state;
    static const double centre[2] = {0, 0};
    hcr_builder *builder = new_builder(2);
    hcr_region *region = NULL;
    void *bytes = NULL;
    size_t size = 0;
    char *text = NULL;
    add_ball(builder, 2, centre, 1);
    must(hcr_builder_finish(builder, &region, &error), &error);
    assert_int_equal(hcr_region_write(region, &bytes, &size, &error), HCR_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "\"ball\""));
    must(hcr_region_explain(region, 0, &text, &error), &error);
    assert_non_null(strstr(text, "1 other"));
    free(text);
    hcr_export_options options = HCR_EXPORT_OPTIONS_INIT;
    options.name = "ball";
    assert_int_equal(hcr_export_region(region, &options, "ball", NULL, &error), HCR_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "isn't exported"));
    hcr_region_free(region);
    hcr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gauge),     cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_exactness), cmocka_unit_test(test_solvers_operations),
        cmocka_unit_test(test_check),     cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
