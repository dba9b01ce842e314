/* Rows whose slack moves with parameters: gauges from moving origins against those of the fixed rows, bounds of the
 * slack, and margins against what rounding does. */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "unit/kinds/moving.h"

#include "base/vector.h"
#include "kinds/block.h"
#include "kinds/box/box.h"
#include "kinds/cone/cone.h"
#include "scratch.h"

enum { SAMPLES = 37, STRIDE = MOST_COLUMNS + 3 };

typedef struct batch {
    double x[SAMPLES][MOST_PARAMETERS], *points, *v;
} batch;

static void draw_batch(const moving_case *c, hcri_random *random, batch *b) {
    const size_t n = c->origin_map.outputs, width = columns_of(c);
    b->points = hcri_allocate(memory, SAMPLES * width, sizeof(double));
    b->v = hcri_allocate(memory, SAMPLES * STRIDE, sizeof(double));
    assert_true(b->points != NULL && b->v != NULL);
    for (size_t s = 0; s < SAMPLES; s++) {
        draw_parameters(c, random, b->x[s]);
        origin_at(c, b->x[s], b->points + s * width);
        for (size_t j = 0; j < n; j++)
            b->v[s * STRIDE + j] = hcri_random_normal(random);
    }
}

static void release_batch(batch *b) {
    hcri_release(memory, b->points);
    hcri_release(memory, b->v);
}

/* A batch gives each sample the bits that it has alone, with and without active constraints. */
static void check_bits(const hcri_constraint *block, const batch *b, const double *best,
                       const uint32_t *active_constraint) {
    for (size_t s = 0; s < SAMPLES; s++) {
        double alone = 0;
        uint32_t one = HCRI_NO_CONSTRAINT;
        batch_gauge_from(block, 1, b->points + s * block->n, b->v + s * STRIDE, STRIDE, &alone, NULL,
                         scratch_for(block));
        assert_true(alone == best[s]);
        alone = 0;
        batch_gauge_from(block, 1, b->points + s * block->n, b->v + s * STRIDE, STRIDE, &alone, &one,
                         scratch_for(block));
        assert_true(alone == best[s] && one == active_constraint[s]);
        alone = 2 * best[s] + 1; /* raised, never lowered; and a active constraint stays */
        one = 12345;
        batch_gauge_from(block, 1, b->points + s * block->n, b->v + s * STRIDE, STRIDE, &alone, &one,
                         scratch_for(block));
        assert_true(alone == 2 * best[s] + 1 && one == 12345);
    }
}

/* The slack is at least a tenth of 1 and of some hundred terms of size 1: 1e-11 is a thousand times its rounding. */
static void compare_with_fixed(moving_case *c, int products, int proved, hcri_random *random) {
    c->origin_map.proved = proved;
    hcri_constraint *block = make_moving_block(c, products);
    block->first = 1000;
    batch b;
    draw_batch(c, random, &b);
    double best[SAMPLES] = {0};
    uint32_t active_constraint[SAMPLES];
    feclearexcept(FE_ALL_EXCEPT);
    batch_gauge_from(block, SAMPLES, b.points, b.v, STRIDE, best, active_constraint, scratch_for(block));
    assert_false(fetestexcept(FE_INVALID | FE_DIVBYZERO)); /* whoever traps these goes on: infinite sides, too */
    check_bits(block, &b, best, active_constraint);
    for (size_t s = 0; s < SAMPLES; s++) {
        const double *v = b.v + s * STRIDE;
        hcri_constraint *fixed = make_fixed_block(c, block, b.points + s * block->n);
        double expected = 0;
        batch_gauge(fixed, 1, v, STRIDE, &expected, NULL, scratch_for(fixed));
        assert_true(fabs(best[s] - expected) <= 1e-11 * expected);
        assert_true(best[s] > 0 && active_constraint[s] >= 1000);
        assert_true(fabs(fixed->kind->gauge_one(fixed, active_constraint[s] - 1000, v, scratch_for(fixed)) -
                         expected) <= 1e-11 * expected);
        hcri_block_release(fixed);
    }
    release_batch(&b);
    hcri_block_release(block);
}

static void test_gauges(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 1);
    static const size_t sizes[][2] = {{2, 1}, {5, 3}, {11, 12}, {48, 2}, {33, 9}, {24, 12}};
    static const double densities[] = {0, 0.2, 1};
    size_t maps = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (size_t d = 0; d < 3; d++)
            for (int products = 0; products < 2; products++) {
                moving_case c;
                draw_case(&c, &random, sizes[k][0], sizes[k][1], densities[d], products, 0.1);
                compare_with_fixed(&c, products, 0, &random);
                compare_with_fixed(&c, products, 1, &random);
                hcri_constraint *block = make_moving_block(&c, products);
                maps += !products && ((hcri_linear *)block)->moving->map_is_cheaper;
                hcri_block_release(block);
                release_case(&c);
            }
    assert_true(maps > 3 && maps < 18); /* both ways to a slack were taken */
}

/* Two groups of rows y_i + w p_i, which may be one pair of stencils where one has no bounds above and the other none
 * below. */
static void test_groups(void **state) {
    (void)state;
    enum { GROUP = 8 };
    hcri_random random;
    hcri_random_seed(&random, 9);
    for (int sides = 0; sides < 9; sides++) {
        const int kept[2] = {sides % 3, sides / 3}; /* 0: both, 1: above alone, 2: below alone */
        moving_case c;
        draw_case(&c, &random, GROUP, GROUP, 0, 0, 0.1);
        hcri_rows_release(&c.rows, memory);
        for (uint32_t i = 0; i < 2 * GROUP; i++) {
            const uint32_t columns[2] = {i % GROUP, GROUP + i % GROUP};
            const double values[2] = {1, i < GROUP ? -1 : 0.5};
            append_row(&c, 2, columns, values);
        }
        draw_bounds(&c, &random, 0.1);
        for (size_t i = 0; i < 2 * GROUP; i++) { /* what it leaves out comes back far away */
            const double low = isinf(c.lower[i]) ? c.upper[i] - 100 : c.lower[i];
            const double high = isinf(c.upper[i]) ? c.lower[i] + 100 : c.upper[i];
            c.lower[i] = kept[i / GROUP] == 1 ? -INFINITY : low;
            c.upper[i] = kept[i / GROUP] == 2 ? INFINITY : high;
        }
        compare_with_fixed(&c, 0, 0, &random);
        compare_with_fixed(&c, 0, 1, &random);
        release_case(&c);
    }
}

/* d of each row stays between its bounds, and comes near to them: to within the curvature of products, which is bounded
 * by its terms. */
static void test_bounds_of_the_slack(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 2);
    for (int products = 0; products < 2; products++) {
        moving_case c;
        draw_case(&c, &random, 7, 3, 0.6, products, 0.1);
        hcri_constraint *block = make_moving_block(&c, products);
        const hcri_moving *moving = products ? ((hcri_varying *)block)->moving : ((hcri_linear *)block)->moving;
        double least[MOST_ROWS], most[MOST_ROWS], x[MOST_PARAMETERS], point[MOST_COLUMNS];
        for (size_t i = 0; i < c.rows.count; i++) {
            least[i] = INFINITY;
            most[i] = -INFINITY;
        }
        for (size_t s = 0; s < 4000; s++) {
            draw_parameters(&c, &random, x);
            origin_at(&c, x, point);
            for (size_t i = 0; i < c.rows.count; i++) {
                const double d = plain_value(&c, i, point), rounding = 1e-13 * (1 + fabs(d));
                assert_true(moving->least[i] <= d + rounding && d - rounding <= moving->most[i]);
                least[i] = fmin(least[i], d);
                most[i] = fmax(most[i], d);
            }
        }
        for (size_t i = 0; i < c.rows.count; i++) { /* all ends of three parameters were seen */
            const double wide = moving->most[i] - moving->least[i], seen = most[i] - least[i];
            assert_true(wide <= (products ? 3 : 1 + 1e-12) * seen + 1e-12 * (1 + fabs(most[i])));
        }
        hcri_block_release(block);
        release_case(&c);
    }
}

/* -------------------------------------------------------------------------------------------------------- margins */

enum { PRECISIONS = 2 };

typedef struct rounded {
    size_t points, violated[PRECISIONS]; /* without a margin */
} rounded;

/* c_i at (y, x), to twice the working precision and rounded once: its sign is right unless it is 1e-30 of its terms. */
static double accurate(const hcri_constraint *block, size_t i, const double *point) {
    const double *lower, *upper;
    if (block->kind->id == HCRI_KIND_VARYING) {
        const hcri_varying *varying = (const hcri_varying *)block;
        const double bound = (i % 2 == 0 ? varying->upper : varying->lower)[i / 2];
        const double c = hcri_varying_dot_minus(varying, i / 2, point, bound, NULL);
        return i % 2 == 0 ? c : -c;
    }
    lower = ((const hcri_linear *)block)->lower;
    upper = ((const hcri_linear *)block)->upper;
    const double c =
        hcri_rows_dot_minus(&((const hcri_linear *)block)->rows, i / 2, point, (i % 2 == 0 ? upper : lower)[i / 2]);
    return i % 2 == 0 ? c : -c;
}

static int is_violated(const hcri_constraint *block, const double *point) {
    for (size_t i = 0; i < block->count; i++)
        if (block->kind->exists(block, i) && accurate(block, i, point) > 0)
            return 1;
    return 0;
}

/* Draws frontier points as decode does: y = O(x) + v (1 − δ)/γ, rounded, and counts those outside with δ = 0; with the
 * margin there must be none. Everything is within [−4, 4], which `reach` says. */
static void decode_frontier(moving_case *c, int products, int proved, hcri_random *random, rounded *found) {
    static const double half = 4;
    c->origin_map.proved = proved;
    hcri_constraint *block = make_moving_block(c, products);
    const size_t n = c->origin_map.outputs, width = columns_of(c);
    double size[MOST_COLUMNS], reach[MOST_COLUMNS] = {0};
    for (size_t j = 0; j < width; j++) {
        double least = 0, most = 0;
        if (j < n)
            hcri_origin_map_extremes(&c->origin_map, j, &least, &most);
        size[j] = j < n ? fmax(fabs(least), fabs(most)) : fmax(fabs(c->range[0][j - n]), fabs(c->range[1][j - n]));
        reach[j] = j < n ? half + size[j] : 0;
    }
    const hcri_extent extent = {size, reach, &c->origin_map, hcri_norm(width, reach), NULL, 0};
    const double units[PRECISIONS] = {0x1p-53, 0x1p-24};
    double margin[PRECISIONS];
    for (int p = 0; p < PRECISIONS; p++) {
        margin[p] = ceil(block->kind->margin(block, units[p], &extent, scratch_for(block)) * 0x1p53) * 0x1p-53;
        if (products && isinf(margin[p])) { /* the bound of a product is wider than what it does */
            hcri_block_release(block);
            return;
        }
        assert_true(margin[p] > 0 && margin[p] < 1e6 * units[p]);
    }
    batch b;
    draw_batch(c, random, &b);
    for (size_t s = 0; s < SAMPLES; s++) {
        const double *point = b.points + s * width, *v = b.v + s * STRIDE;
        double gauge = 0, y[MOST_COLUMNS];
        for (size_t j = 0; j < n; j++)
            gauge = fmax(gauge, fabs(v[j]) / (half - fabs(point[j])));
        const double box = gauge;
        batch_gauge_from(block, 1, point, v, STRIDE, &gauge, NULL, scratch_for(block));
        if (gauge == box) /* the margin is about rows */
            continue;
        found->points++;
        memcpy(y, point, width * sizeof *y);
        for (int p = 0; p < PRECISIONS; p++)
            for (int with = 0; with < 2; with++) {
                const double t = (with ? 1 - margin[p] : 1) / gauge;
                for (size_t j = 0; j < n; j++) {
                    y[j] = point[j] + t * v[j];
                    y[j] = p == 0 ? y[j] : (double)(float)y[j];
                }
                const int outside = is_violated(block, y);
                assert_false(with && outside);
                found->violated[p] += (size_t)outside;
            }
    }
    release_batch(&b);
    hcri_block_release(block);
}

static void test_margins(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 3);
    for (int products = 0; products < 2; products++)
        for (int proved = 0; proved < 2; proved++) {
            rounded found = {0};
            for (size_t k = 0; k < 40; k++) {
                moving_case c;
                draw_case(&c, &random, 6 + k % 7, 1 + k % 3, k % 2 == 0 ? 0.3 : 1, products, k % 4 == 0 ? 1e-2 : 0.3);
                for (size_t j = 0; j < c.origin_map.outputs; j++) /* well within [−4, 4] */
                    c.origin_map.constant[j] = fmod(c.origin_map.constant[j], 0.5);
                draw_bounds(&c, &random, k % 4 == 0 ? 1e-2 : 0.3);
                for (size_t l = 0; l < c.origin_map.map.start[c.origin_map.outputs]; l++)
                    c.origin_map.map.values[l] = fmod(c.origin_map.map.values[l], 0.4);
                draw_bounds(&c, &random, k % 4 == 0 ? 1e-2 : 0.3);
                decode_frontier(&c, products, proved, &random, &found);
                release_case(&c);
            }
            assert_true(found.points > 500);
            for (int p = 0; p < PRECISIONS; p++) /* they aren't there for nothing */
                assert_true(found.violated[p] > found.points / 10);
        }
}

/* No margin where some x has the origin on the frontier or outside. */
static void test_no_margin(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 4);
    for (int products = 0; products < 2; products++) {
        moving_case c;
        draw_case(&c, &random, 4, 2, 1, products, 0.3);
        double size[MOST_COLUMNS], reach[MOST_COLUMNS];
        for (size_t j = 0; j < MOST_COLUMNS; j++)
            size[j] = reach[j] = 10;
        const hcri_extent extent = {size, reach, &c.origin_map, 100, NULL, 0};
        const hcri_extent open = {size, reach, &c.origin_map, INFINITY, NULL, 0};
        hcri_constraint *block = make_moving_block(&c, products);
        assert_true(block->kind->margin(block, 0x1p-53, &extent, scratch_for(block)) < 1e-10);
        reach[1] = INFINITY;
        assert_true(isinf(block->kind->margin(block, 0x1p-53, &open, scratch_for(block))));
        reach[1] = 10;
        hcri_block_release(block);
        double middle = 0, point[MOST_COLUMNS], x[2];
        for (size_t k = 0; k < 2; k++)
            x[k] = 0.5 * (c.range[0][k] + c.range[1][k]);
        origin_at(&c, x, point);
        const size_t row = 3; /* y0 − x0, behind three differences */
        middle = plain_value(&c, row, point);
        c.upper[row] = middle + 1e-3;
        block = make_moving_block(&c, products);
        assert_true(isinf(block->kind->margin(block, 0x1p-53, &extent, scratch_for(block))));
        hcri_block_release(block);
        release_case(&c);
    }
}

/* ------------------------------------------------------------------------------------------------------------ box */

static void test_box(void **state) {
    (void)state;
    enum { N = 3, P = 2 };
    double constant[N] = {0, 1, -1}, lower[P] = {-1, 0}, upper[P] = {1, 2};
    hcri_origin_map origin_map = {.outputs = N, .parameters = P, .constant = constant, .lower = lower, .upper = upper};
    const uint32_t columns[2] = {0, 1};
    const double values[2] = {0.5, -0.25};
    for (size_t j = 0; j < N; j++)
        assert_int_equal(hcri_rows_append(&origin_map.map, memory, j, columns, values, NULL), HCR_OK);
    hcri_constraint *made = NULL;
    assert_int_equal(hcri_box_create(N + P, memory, &made, NULL), HCR_OK);
    hcri_box *box = (hcri_box *)made;
    const double low[N] = {-2, 0.25, -INFINITY}, high[N] = {3, INFINITY, 0};
    for (size_t j = 0; j < N; j++) {
        hcri_box_narrow_lower(box, j, low[j], 0, 0);
        hcri_box_narrow_upper(box, j, high[j], 0, 0);
    }
    for (size_t k = 0; k < P; k++) {
        hcri_box_narrow_lower(box, N + k, lower[k], 0, 0);
        hcri_box_narrow_upper(box, N + k, upper[k], 0, 0);
    }
    const double middle[N + P] = {0, 1, -1.25, 0, 1};
    assert_int_equal(made->kind->place(made, middle, NULL), HCR_OK);
    assert_int_equal(made->kind->follow(made, &origin_map, NULL), HCR_OK);

    /* Parameters at the ends of their range: O = (0, 1.5, −1), then (0, 0.5, −2). */
    const double origins[2][N + P] = {{0, 1.5, -1, 1, 2}, {0, 0.5, -2, -1, 2}};
    const double v[2][N + P] = {{1, -1, 0.5, 0, 0}, {-1, -1, 0, 0, 0}};
    double best[2] = {0, 0};
    uint32_t active_constraint[2];
    batch_gauge_from(made, 2, origins[0], v[0], N + P, best, active_constraint, scratch_for(made));
    assert_true(best[0] == 1 / 1.25 && active_constraint[0] == 3);
    assert_true(best[1] == 1 / 0.25 && active_constraint[1] == 3);
    double again[2] = {0, 0};
    batch_gauge_from(made, 2, origins[0], v[0], N + P, again, NULL, scratch_for(made));
    assert_true(again[0] == best[0] && again[1] == best[1]);

    /* Results are clamped: no margin is needed, but O(x) must be inside for all x. */
    const double size[N + P] = {3, 3, 3, 3, 3}, reach[N + P] = {9, 9, 9, 0, 0}, extra[N + P] = {0, 1e-12, 0, 0, 0};
    const hcri_extent extent = {size, reach, &origin_map, 20, NULL, 0},
                      determined = {size, reach, &origin_map, 20, extra, 0};
    assert_true(made->kind->margin(made, 0x1p-53, &extent, scratch_for(made)) == 0);
    /* 4u(3 + 9) + 1e-12 over the slack of output 1, which is 0.25 at the least. */
    const double expected = (48 * 0x1p-53 + 1e-12) / 0.25,
                 margin = made->kind->margin(made, 0x1p-53, &determined, scratch_for(made));
    assert_true(margin >= expected && margin <= 1.02 * expected);
    hcri_box_narrow_lower(box, 1, 0.5, 0, 0);
    assert_true(isinf(made->kind->margin(made, 0x1p-53, &extent, scratch_for(made))));
    hcri_block_release(made);
    hcri_rows_release(&origin_map.map, memory);
}

/* ----------------------------------------------------------------------------------------- any kind, and odd inputs */

/* |(y0 − x0, y1 − x1)| <= x2: a disc with its centre and radius as parameters. */
static void test_disc(void **state) {
    (void)state;
    enum { N = 5 };
    hcri_rows rows = {0};
    const double values[2] = {1, -1}, linear[N] = {0, 0, 0, 0, 1};
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t columns[2] = {i, i + 2};
        assert_int_equal(hcri_rows_append(&rows, memory, 2, columns, values, NULL), HCR_OK);
    }
    hcri_constraint *disc = NULL;
    assert_int_equal(hcri_cone_create(N, memory, &rows, NULL, linear, 0, &disc, NULL), HCR_OK);
    disc->first = 7;
    assert_true(hcri_block_takes_parameters(disc));
    hcri_random random;
    hcri_random_seed(&random, 5);
    for (size_t s = 0; s < 2000; s++) {
        const double radius = 0.5 + hcri_random_uniform(&random), angle = 6.28 * hcri_random_uniform(&random);
        const double off = radius * 1.2 * hcri_random_uniform(&random), c0 = hcri_random_normal(&random), c1 = 3;
        const double origin[N] = {c0 + off * cos(angle), c1 + off * sin(angle), c0, c1, radius};
        const double v[N] = {hcri_random_normal(&random), hcri_random_normal(&random)};
        double best = 0;
        uint32_t active_constraint = HCRI_NO_CONSTRAINT;
        hcri_block_gauge_from(disc, &(hcri_batch){1, N, v, origin, &best, &active_constraint}, scratch_for(disc));
        assert_int_equal(active_constraint, 7);
        if (off > radius * (1 + 1e-9)) {
            assert_true(isinf(best));
        } else if (off < radius * (1 - 1e-6)) { /* |o + t v|² = R²; the slack is 1e-6 of its terms */
            const double o0 = origin[0] - c0, o1 = origin[1] - c1, a = v[0] * v[0] + v[1] * v[1];
            const double h = o0 * v[0] + o1 * v[1], k = radius * radius - o0 * o0 - o1 * o1;
            const double expected = (h + sqrt(h * h + a * k)) / k;
            assert_true(fabs(best - expected) <= 1e-8 * expected);
        }
    }
    disc->convex = 0;
    assert_false(hcri_block_takes_parameters(disc));
    hcri_block_release(disc);
    hcri_rows_release(&rows, memory);
}

/* y0 <= x0, −x0 <= y1 and 1e50 y0 <= 1e60: no slack, hardly any, infinite sides, directions along the frontier. */
static void test_extremes(void **state) {
    (void)state;
    enum { N = 2, P = 1 };
    double constant[N] = {0, 0}, lower[P] = {0}, upper[P] = {1};
    hcri_origin_map origin_map = {.outputs = N, .parameters = P, .constant = constant, .lower = lower, .upper = upper};
    for (size_t j = 0; j < N; j++)
        assert_int_equal(hcri_rows_append(&origin_map.map, memory, 0, NULL, NULL, NULL), HCR_OK);
    hcri_constraint *made = NULL;
    assert_int_equal(hcri_linear_create(N + P, memory, &made, NULL), HCR_OK);
    const uint32_t columns[3][2] = {{0, 2}, {1, 2}, {0, 0}};
    const double values[3][2] = {{1, -1}, {1, 1}, {1e50, 0}};
    hcri_linear *linear = (hcri_linear *)made;
    for (int copies = 0; copies < 6; copies++) { /* fewer and more than eight rows in a run */
        assert_int_equal(hcri_linear_append(linear, (hcri_row){2, columns[0], values[0]}, -INFINITY, 0,
                                            (hcri_source_row){0, 0}, NULL),
                         HCR_OK);
        assert_int_equal(hcri_linear_append(linear, (hcri_row){2, columns[1], values[1]}, 0, INFINITY,
                                            (hcri_source_row){0, 0}, NULL),
                         HCR_OK);
        assert_int_equal(hcri_linear_append(linear, (hcri_row){1, columns[2], values[2]}, -INFINITY, 1e60,
                                            (hcri_source_row){0, 0}, NULL),
                         HCR_OK);
        const double middle[N + P] = {0, 0, 0.5};
        for (int proved = 0; proved < 2; proved++) {
            hcri_constraint *copy = NULL;
            hcri_bytes bytes = {.allocator = memory};
            assert_int_equal(hcri_block_write(made, &bytes), HCR_OK);
            hcri_source in = {.data = bytes.data, .size = bytes.size};
            assert_int_equal(hcri_block_read(made->kind, &in, N + P, memory, &copy, NULL), HCR_OK);
            hcri_release(memory, bytes.data);
            origin_map.proved = proved;
            assert_int_equal(copy->kind->place(copy, middle, NULL), HCR_OK);
            assert_int_equal(copy->kind->follow(copy, &origin_map, NULL), HCR_OK);
            static const struct {
                double x, v[N], gauge;
            } cases[] = {
                {0, {1, 0}, INFINITY},
                {0, {-1, 0}, 0},
                {0, {0, 1}, 0},
                {0, {0, -1}, INFINITY},
                {0, {-0.0, 0.0}, 0},
                {1, {2, 0}, 2},
                {1, {1e-300, -0.5}, 0.5},
                {0x1p-1074, {-1, 1}, 0},
                {0x1p-1074, {1, 1}, INFINITY},
                {0x1p-1000, {1, 0}, 0x1p1000},
                {1, {1e100, -1e99}, 1e100},
            };
            for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
                const double origin[N + P] = {0, 0, cases[k].x}, v[N + P] = {cases[k].v[0], cases[k].v[1], 0};
                double best = 0;
                uint32_t active_constraint = HCRI_NO_CONSTRAINT;
                batch_gauge_from(copy, 1, origin, v, N + P, &best, &active_constraint, scratch_for(copy));
                assert_true(isinf(cases[k].gauge) ? isinf(best)
                                                  : fabs(best - cases[k].gauge) <= 0x1p-51 * cases[k].gauge);
                assert_true((best > 0) == (active_constraint != HCRI_NO_CONSTRAINT));
            }
            hcri_block_release(copy);
        }
    }
    hcri_block_release(made);
    hcri_rows_release(&origin_map.map, memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gauges),  cmocka_unit_test(test_groups),    cmocka_unit_test(test_bounds_of_the_slack),
        cmocka_unit_test(test_margins), cmocka_unit_test(test_no_margin), cmocka_unit_test(test_box),
        cmocka_unit_test(test_disc),    cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
