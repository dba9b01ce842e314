/* encode, decode and contract: what they promise of their results, whatever the region, the batch and the search. */
#define _GNU_SOURCE /* feenableexcept */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/regions.h"
#include "numeric/regions.h"

static hcr_error error;

static void *numbers(size_t count) {
    void *memory = calloc(count + 1, sizeof(double));
    assert_non_null(memory);
    return memory;
}

static hcr_workspace *workspace_of(const hcr_region *region, size_t threads) {
    hcr_workspace *workspace = NULL;
    must(hcr_workspace_create(region, threads, &workspace, &error), &error);
    return workspace;
}

static double largest(size_t n, const double *x) {
    double most = 0;
    for (size_t j = 0; j < n; j++)
        most = fmax(most, fabs(x[j]));
    return most;
}

/* [-1, 1]² with other corners when asked. */
static hcr_region *box_region(const double *lower, const double *upper, const double *origin) {
    hcr_builder *builder = new_builder(2);
    must(hcr_builder_add_bounds(builder, 0, 2, lower, upper, &error), &error);
    return region_around(builder, origin, 20);
}

static hcr_region *disc_region(double radius) {
    const double ones[2] = {1, 1}, origin[2] = {0, 0};
    const hcr_quadratic disc = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = ones, .radius = radius};
    hcr_builder *builder = new_builder(2);
    must(hcr_builder_add_quadratic(builder, &disc, &error), &error);
    return region_around(builder, origin, radius);
}

static const double zero[2] = {0, 0}, minus_one[2] = {-1, -1}, one[2] = {1, 1};

/* The paper's example: a circle of radius 2 around the origin, y = (1, 0). */
static void test_paper_example(void **state) {
    (void)state;
    hcr_region *region = disc_region(2);
    hcr_workspace *workspace = workspace_of(region, 1);
    const double y[2] = {1, 0};
    const float y_f32[2] = {1, 0};
    double polar[3], back[2];
    float polar_f32[3];
    must(hcr_encode(region, workspace, 1, y, polar, NULL, &error), &error);
    assert_true(polar[0] == 1 && polar[1] == 0 && polar[2] == 0.5);
    must(hcr_decode(region, workspace, 1, polar, back, NULL, &error), &error);
    assert_true(back[0] == 1 && back[1] == 0);
    must(hcr_encode_f32(region, workspace, 1, y_f32, polar_f32, NULL, &error), &error);
    assert_true(polar_f32[0] == 1 && polar_f32[1] == 0 && polar_f32[2] == 0.5f);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* -------------------------------------------------------------------------------------- every shape, random rows */

typedef struct sample { /* ROWS inputs for a region */
    hcr_region *region;
    size_t n;
    double *polar; /* unit directions, radii between 0 and 1 */
    double *v;     /* some inside, most outside */
} sample;
enum { ROWS = 67 };

static sample make_sample(region_shape shape, size_t n, uint64_t seed) {
    hcri_random random;
    hcri_random_seed(&random, seed);
    sample s = {random_region(shape, n, 1, 1, &random), n, numbers(ROWS * (n + 1)), numbers(ROWS * n)};
    for (size_t i = 0; i < ROWS; i++) {
        double *d = s.polar + i * (n + 1), norm = 0;
        fill_normal(&random, 1, n, d);
        for (size_t j = 0; j < n; j++)
            norm = hypot(norm, d[j]);
        for (size_t j = 0; j < n; j++) {
            s.v[i * n + j] = d[j] * (i % 3 == 0 ? 0.01 : 2);
            d[j] /= norm;
        }
        d[n] = 0.05 + 0.9 * hcri_random_uniform(&random);
    }
    return s;
}

static void free_sample(sample *s) {
    hcr_region_free(s->region);
    free(s->polar);
    free(s->v);
}

static const size_t sizes[] = {1, 2, 7, 24};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* decode(d, r) is within a few roundings of where the gauge puts it, so encode gives d and r back; the other way round
 * too. 1e-12 relative is what is promised; roundings of sums of 24 terms are about 1e-14. */
static void test_round_trip(void **state) {
    (void)state;
    for (size_t k = 0; k < SIZES * SHAPES; k++) {
        const size_t n = sizes[k % SIZES];
        sample s = make_sample((region_shape)(k / SIZES), n, k);
        hcr_workspace *workspace = workspace_of(s.region, 1);
        double *y = numbers(ROWS * n), *again = numbers(ROWS * n), *polar = numbers(ROWS * (n + 1));
        must(hcr_decode(s.region, workspace, ROWS, s.polar, y, NULL, &error), &error);
        must(hcr_encode(s.region, workspace, ROWS, y, polar, NULL, &error), &error);
        must(hcr_decode(s.region, workspace, ROWS, polar, again, NULL, &error), &error);
        for (size_t i = 0; i < ROWS; i++) {
            for (size_t j = 0; j <= n; j++)
                assert_true(fabs(polar[i * (n + 1) + j] - s.polar[i * (n + 1) + j]) <= 1e-12);
            const double size = largest(n, y + i * n);
            for (size_t j = 0; j < n; j++)
                assert_true(fabs(again[i * n + j] - y[i * n + j]) <= 1e-12 * size);
        }
        free(y);
        free(again);
        free(polar);
        hcr_workspace_free(workspace);
        free_sample(&s);
    }
}

/* contract gives O + v, rounded once, when that is inside by more than the margin; else a point at that distance. */
static void test_contract(void **state) {
    (void)state;
    size_t inside = 0;
    for (size_t k = 0; k < SIZES * SHAPES; k++) {
        const size_t n = sizes[k % SIZES];
        sample s = make_sample((region_shape)(k / SIZES), n, 1000 + k);
        hcr_workspace *workspace = workspace_of(s.region, 1);
        double *y = numbers(ROWS * n), *gauge = numbers(ROWS), *reached = numbers(ROWS);
        float *v_f32 = numbers(ROWS * n), *y_f32 = numbers(ROWS * n);
        hcr_ray rays[ROWS];
        must(hcr_gauge(s.region, workspace, ROWS, s.v, gauge, NULL, &error), &error);
        must(hcr_contract(s.region, workspace, ROWS, s.v, y, rays, &error), &error);
        for (size_t k2 = 0; k2 < ROWS * n; k2++)
            v_f32[k2] = (float)s.v[k2];
        must(hcr_contract_f32(s.region, workspace, ROWS, v_f32, y_f32, NULL, &error), &error);
        for (size_t i = 0; i < ROWS; i++) {
            assert_true(rays[i].gauge == gauge[i]);
            assert_int_equal(rays[i].outcome,
                             gauge[i] <= 1 - hcr_region_margin(s.region, HCR_DOUBLE) ? HCR_INSIDE : HCR_FRONTIER);
            for (size_t j = 0; j < n && rays[i].outcome == HCR_INSIDE; j++) {
                assert_true(y[i * n + j] == s.region->origin[j] + s.v[i * n + j]);
                const double from_single = s.region->origin[j] + (double)v_f32[i * n + j];
                assert_true(gauge[i] > 1 - 2 * hcr_region_margin(s.region, HCR_SINGLE) ||
                            y_f32[i * n + j] == (float)from_single);
            }
            inside += rays[i].outcome == HCR_INSIDE;
            for (size_t j = 0; j < n; j++)
                y[i * n + j] -= s.region->origin[j];
        }
        must(hcr_gauge(s.region, workspace, ROWS, y, reached, NULL, &error), &error);
        for (size_t i = 0; i < ROWS; i++)
            assert_true(fabs(reached[i] - fmin(gauge[i], 1)) <= 1e-12 + hcr_region_margin(s.region, HCR_DOUBLE));
        free(y);
        free(gauge);
        free(reached);
        free(v_f32);
        free(y_f32);
        hcr_workspace_free(workspace);
        free_sample(&s);
    }
    assert_true(inside > 100);
}

/* The length of a direction is of no matter: none at all when it changes by a power of two. */
static void test_scale_invariance(void **state) {
    (void)state;
    static const double scales[] = {2, 0x1p-60, 0x1p500, 0x1p-500, 3, 1e-7};
    for (size_t k = 0; k < SIZES * SHAPES; k++) {
        const size_t n = sizes[k % SIZES];
        sample s = make_sample((region_shape)(k / SIZES), n, 2000 + k);
        hcr_workspace *workspace = workspace_of(s.region, 1);
        double *y = numbers(ROWS * n), *scaled = numbers(ROWS * (n + 1)), *result = numbers(ROWS * n);
        must(hcr_decode(s.region, workspace, ROWS, s.polar, y, NULL, &error), &error);
        for (size_t f = 0; f < sizeof scales / sizeof scales[0]; f++) {
            memcpy(scaled, s.polar, ROWS * (n + 1) * sizeof *scaled);
            for (size_t i = 0; i < ROWS; i++)
                for (size_t j = 0; j < n; j++)
                    scaled[i * (n + 1) + j] *= scales[f];
            must(hcr_decode(s.region, workspace, ROWS, scaled, result, NULL, &error), &error);
            if (f < 4)
                assert_memory_equal(result, y, ROWS * n * sizeof *y);
            for (size_t i = 0; i < ROWS * n; i++)
                assert_true(fabs(result[i] - y[i]) <= 1e-13 * (1 + fabs(y[i])));
        }
        free(y);
        free(scaled);
        free(result);
        hcr_workspace_free(workspace);
        free_sample(&s);
    }
}

/* Single precision is double precision rounded once, but for what the larger margin takes. */
static void test_single(void **state) {
    (void)state;
    for (size_t k = 0; k < SIZES * SHAPES; k++) {
        const size_t n = sizes[k % SIZES];
        sample s = make_sample((region_shape)(k / SIZES), n, 3000 + k);
        hcr_workspace *workspace = workspace_of(s.region, 1);
        float *polar_f32 = numbers(ROWS * (n + 1)), *y_f32 = numbers(ROWS * n), *gauge_f32 = numbers(ROWS),
              *encoded_f32 = numbers(ROWS * (n + 1));
        double *polar = numbers(ROWS * (n + 1)), *y = numbers(ROWS * n), *gauge = numbers(ROWS),
               *encoded = numbers(ROWS * (n + 1)), *v = numbers(ROWS * n), *points = numbers(ROWS * n);
        for (size_t i = 0; i < ROWS * (n + 1); i++)
            polar_f32[i] = (float)s.polar[i];
        for (size_t i = 0; i < ROWS; i += 2)
            polar_f32[i * (n + 1) + n] = 1;
        for (size_t i = 0; i < ROWS * (n + 1); i++)
            polar[i] = (double)polar_f32[i];
        must(hcr_decode(s.region, workspace, ROWS, polar, y, NULL, &error), &error);
        must(hcr_decode_f32(s.region, workspace, ROWS, polar_f32, y_f32, NULL, &error), &error);
        const double margin = hcr_region_margin(s.region, HCR_SINGLE);
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < n; j++) {
                const double step = fabs(y[i * n + j] - s.region->origin[j]) + 1e-12;
                const double moved = i % 2 == 0 ? margin * step : 0; /* those with r = 1 */
                assert_true(fabs((double)y_f32[i * n + j] - y[i * n + j]) <=
                            0x1.0001p-24 * (fabs(y[i * n + j]) + moved) + moved);
            }
        for (size_t i = 0; i < ROWS * n; i++)
            points[i] = (double)y_f32[i];
        must(hcr_encode(s.region, workspace, ROWS, points, encoded, NULL, &error), &error);
        must(hcr_encode_f32(s.region, workspace, ROWS, y_f32, encoded_f32, NULL, &error), &error);
        for (size_t i = 0; i < ROWS * (n + 1); i++)
            assert_true(encoded_f32[i] == (float)encoded[i]);
        for (size_t i = 0; i < ROWS * n; i++)
            y_f32[i] = (float)s.v[i];
        for (size_t i = 0; i < ROWS * n; i++)
            v[i] = (double)y_f32[i];
        must(hcr_gauge(s.region, workspace, ROWS, v, gauge, NULL, &error), &error);
        must(hcr_gauge_f32(s.region, workspace, ROWS, y_f32, gauge_f32, NULL, &error), &error);
        for (size_t i = 0; i < ROWS; i++)
            assert_true(gauge_f32[i] == (float)gauge[i]);
        void *all[] = {polar_f32, y_f32, gauge_f32, encoded_f32, polar, y, gauge, encoded, v, points};
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
            free(all[i]);
        hcr_workspace_free(workspace);
        free_sample(&s);
    }
}

/* ------------------------------------------------------------------- a row's result depends on that row and no more */

/* One map over the rows named by `order`, results in the place of their row. */
static void run_in_order(const sample *s, hcr_workspace *workspace, size_t at_once, const size_t *order, double *y,
                         double *v_bar) {
    const size_t n = s->n;
    double *in = numbers(ROWS * (n + 1)), *out = numbers(ROWS * n), *bar = numbers(ROWS * n),
           *result = numbers(ROWS * (n + 1));
    for (size_t first = 0; first < ROWS; first += at_once) {
        const size_t now = ROWS - first < at_once ? ROWS - first : at_once;
        for (size_t i = 0; i < now; i++) {
            memcpy(in + i * (n + 1), s->polar + order[first + i] * (n + 1), (n + 1) * sizeof *in);
            memcpy(bar + i * n, s->v + order[first + i] * n, n * sizeof *bar);
        }
        must(hcr_decode(s->region, workspace, now, in, out, NULL, &error), &error);
        must(hcr_decode_vjp(s->region, workspace, now, in, NULL, bar, result, &error), &error);
        for (size_t i = 0; i < now; i++) {
            memcpy(y + order[first + i] * n, out + i * n, n * sizeof *y);
            memcpy(v_bar + order[first + i] * (n + 1), result + i * (n + 1), (n + 1) * sizeof *v_bar);
        }
    }
    free(in);
    free(out);
    free(bar);
    free(result);
}

/* C42: the same row alone, in any batch, at any place, by any number of threads: the same bits. */
static void test_independence(void **state) {
    (void)state;
    for (size_t k = 0; k < SIZES * SHAPES; k++) {
        const size_t n = sizes[k % SIZES];
        sample s = make_sample((region_shape)(k / SIZES), n, 4000 + k);
        s.polar[3 * (n + 1)] = NAN; /* bad, huge and tiny neighbours */
        s.polar[40 * (n + 1)] = 1e250;
        for (size_t j = 0; j < n; j++)
            s.polar[50 * (n + 1) + j] *= 1e-310;
        size_t order[ROWS], reversed[ROWS];
        for (size_t i = 0; i < ROWS; i++) {
            order[i] = i;
            reversed[i] = ROWS - 1 - i;
        }
        double *y = numbers(ROWS * n), *v_bar = numbers(ROWS * (n + 1)), *y2 = numbers(ROWS * n),
               *v_bar2 = numbers(ROWS * (n + 1));
        hcr_workspace *workspace = workspace_of(s.region, 1);
        run_in_order(&s, workspace, ROWS, order, y, v_bar);
        for (size_t way = 0; way < 5; way++) {
            hcr_workspace *other = workspace_of(s.region, way == 2 ? 2 : way == 3 ? 5 : way == 4 ? 0 : 1);
            const size_t at_once = way == 0 ? 1 : way == 1 ? 5 : ROWS;
            run_in_order(&s, other, at_once, way % 2 == 0 ? reversed : order, y2, v_bar2);
            assert_memory_equal(y, y2, ROWS * n * sizeof *y);
            assert_memory_equal(v_bar, v_bar2, ROWS * (n + 1) * sizeof *v_bar);
            hcr_workspace_free(other);
        }
        free(y);
        free(v_bar);
        free(y2);
        free(v_bar2);
        hcr_workspace_free(workspace);
        free_sample(&s);
    }
}

/* ------------------------------------------------------------------------------------------------------- searches */

/* Algorithm 1, champion pruning and the full search: the same bits and the same constraint, ties included. */
static void compare_searches(const hcr_region *region, size_t rows, const double *v) {
    hcr_workspace *workspace = workspace_of(region, 1);
    double *gauge = numbers(rows), *other = numbers(rows);
    hcr_ray *rays = numbers(2 * rows), *other_rays = numbers(2 * rows);
    must(hcr_gauge(region, workspace, rows, v, gauge, rays, &error), &error);
    const uint64_t all = hcr_workspace_intersections(workspace);
    assert_int_equal(all, rows * region->existing);
    static const hcr_search searches[] = {{HCR_SEARCH_ALGORITHM1, 0, 0},
                                          {HCR_SEARCH_ALGORITHM1, 0.01, 3},
                                          {HCR_SEARCH_ALGORITHM1, 100, 1},
                                          {HCR_SEARCH_CHAMPION, 0, 0}};
    for (size_t k = 0; k < sizeof searches / sizeof searches[0]; k++) {
        must(hcr_workspace_set_search(workspace, &searches[k], &error), &error);
        hcr_workspace_reset_intersections(workspace);
        must(hcr_gauge(region, workspace, rows, v, other, other_rays, &error), &error);
        assert_memory_equal(gauge, other, rows * sizeof *gauge);
        for (size_t i = 0; i < rows; i++)
            assert_int_equal(rays[i].constraint, other_rays[i].constraint);
        assert_true(hcr_workspace_intersections(workspace) <= all);
    }
    free(gauge);
    free(other);
    free(rays);
    free(other_rays);
    hcr_workspace_free(workspace);
}

static void test_searches(void **state) {
    (void)state;
    for (size_t k = 0; k < SIZES * SHAPES; k++) {
        sample s = make_sample((region_shape)(k / SIZES), sizes[k % SIZES], 5000 + k);
        compare_searches(s.region, ROWS, s.v);
        free_sample(&s);
    }
    hcri_random random;
    hcri_random_seed(&random, 7);
    hcr_region *region = NULL;
    must(bench_region('A', 0, &region, &error), &error);
    double *v = numbers(200 * 48);
    for (size_t i = 0; i < 200 * 48; i++) /* small integers: ties in every row */
        v[i] = (double)hcri_random_below(&random, 3) - 1;
    compare_searches(region, 200, v);
    hcr_region_free(region);
    free(v);
}

/* What is counted, on a square where it can be counted by hand. */
static void test_intersections(void **state) {
    (void)state;
    hcr_region *region = box_region(minus_one, one, zero);
    hcr_workspace *workspace = workspace_of(region, 1);
    const double v[2] = {3, 0.3};
    double gauge;
    static const struct {
        hcr_search search;
        uint64_t count;
    } cases[] = {
        {{HCR_SEARCH_FULL, 0, 0}, 4},          {{HCR_SEARCH_ALGORITHM1, 1.5, 10}, 1}, /* only y0 <= 1 is violated */
        {{HCR_SEARCH_ALGORITHM1, 0.4, 10}, 1}, /* from 1.2 = 0.4 (1 + 0.5 · 4) on */
        {{HCR_SEARCH_ALGORITHM1, 0.4, 3}, 4},  /* three steps aren't enough: all */
        {{HCR_SEARCH_ALGORITHM1, 20, 1}, 2},   /* so far out that both y0 <= 1 and y1 <= 1 are */
        {{HCR_SEARCH_CHAMPION, 0, 0}, 1},      /* the first is the nearest */
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        must(hcr_workspace_set_search(workspace, &cases[k].search, &error), &error);
        hcr_workspace_reset_intersections(workspace);
        must(hcr_gauge(region, workspace, 1, v, &gauge, NULL, &error), &error);
        assert_true(gauge == 3);
        assert_int_equal(hcr_workspace_intersections(workspace), cases[k].count);
    }
    const hcr_search bad[] = {
        {(hcr_search_method)3, 0, 0}, {HCR_SEARCH_ALGORITHM1, -1, 0}, {HCR_SEARCH_ALGORITHM1, NAN, 0}};
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(hcr_workspace_set_search(workspace, &bad[k], &error), HCR_ERROR_ARGUMENT);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* --------------------------------------------------------------------------------------------------- workspaces */

static void test_placed_workspace(void **state) {
    (void)state;
    sample s = make_sample(SHAPE_MIXED, 7, 6000);
    const size_t bytes = hcr_workspace_size(s.region, 2);
    char *memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
    assert_non_null(memory);
    hcr_workspace *placed = NULL;
    assert_int_equal(hcr_workspace_place(s.region, 2, memory, bytes - 1, &placed, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_workspace_place(s.region, 2, memory + 8, bytes, &placed, &error), HCR_ERROR_ARGUMENT);
    assert_null(placed);
    must(hcr_workspace_place(s.region, 2, memory, bytes, &placed, &error), &error);
    hcr_workspace *own = workspace_of(s.region, 2);
    double a[ROWS * 7], b[ROWS * 7];
    must(hcr_decode(s.region, placed, ROWS, s.polar, a, NULL, &error), &error);
    must(hcr_decode(s.region, own, ROWS, s.polar, b, NULL, &error), &error);
    assert_memory_equal(a, b, sizeof a);
    hcr_workspace_free(placed); /* does nothing */
    hcr_workspace_free(own);
    hcr_workspace_free(NULL);
    free(memory);
    free_sample(&s);
}

static void test_arguments(void **state) {
    (void)state;
    hcr_region *region = disc_region(1), *other = disc_region(2);
    hcr_workspace *workspace = workspace_of(region, 1);
    double polar[3] = {1, 0, 1}, y[2];
    hcr_ray ray;
    must(hcr_decode(region, workspace, 0, NULL, NULL, NULL, &error), &error);
    must(hcr_contract_f32(region, workspace, 0, NULL, NULL, NULL, &error), &error);
    must(hcr_encode(region, workspace, 0, polar, y, &ray, &error), &error);
    assert_int_equal(hcr_decode(region, workspace, 1, NULL, y, NULL, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_decode(region, workspace, 1, polar, NULL, NULL, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_decode(region, NULL, 1, polar, y, NULL, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_decode(other, workspace, 1, polar, y, NULL, &error), HCR_ERROR_ARGUMENT);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
    hcr_region_free(other);
}

/* --------------------------------------------------------------------------------------------------- odd inputs */

/* C01: v = 0 alone and beside another row. */
static void test_zero_direction(void **state) {
    (void)state;
    hcr_region *region = disc_region(1);
    hcr_workspace *workspace = workspace_of(region, 1);
    const double v[2][2] = {{0, 0}, {3, 0}}, polar[2][3] = {{0, 0, 1}, {-0.0, 0, 0.5}};
    double y[2][2], encoded[3];
    hcr_ray rays[2];
    must(hcr_contract(region, workspace, 2, &v[0][0], &y[0][0], rays, &error), &error);
    assert_true(y[0][0] == 0 && y[0][1] == 0);
    assert_true(fabs(y[1][0] - 1) <= 1e-13 && y[1][0] <= 1 && y[1][1] == 0);
    assert_int_equal(rays[0].outcome, HCR_AT_ORIGIN);
    assert_int_equal(rays[0].constraint, UINT32_MAX);
    assert_int_equal(rays[1].outcome, HCR_FRONTIER);
    must(hcr_decode(region, workspace, 2, &polar[0][0], &y[0][0], rays, &error), &error);
    for (size_t i = 0; i < 2; i++) {
        assert_true(y[i][0] == 0 && y[i][1] == 0);
        assert_int_equal(rays[i].outcome, HCR_AT_ORIGIN);
    }
    must(hcr_encode(region, workspace, 1, zero, encoded, rays, &error), &error);
    assert_true(encoded[0] == 0 && encoded[1] == 0 && encoded[2] == 0);
    assert_int_equal(rays[0].outcome, HCR_AT_ORIGIN);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* C03: rays along faces, with traps on. */
static void test_parallel_rays(void **state) {
    (void)state;
    static const double lower[2] = {0, 0}, upper[2] = {10, 1}, centre[2] = {5, 0.5};
    static const double v[][2] = {{5, 0}, {0, -5}, {-0.0, 5}, {0, 0}, {1e300, 0}, {0, 1e-310}};
    static const double expected[][2] = {{1, 0}, {0, -1}, {0, 1}, {0, 0}, {1, 0}, {0, 1e-310}};
    enum { COUNT = sizeof v / sizeof v[0] };
    hcr_region *square = box_region(minus_one, one, zero), *flat = box_region(lower, upper, centre);
    hcr_workspace *workspace = workspace_of(square, 1), *flat_workspace = workspace_of(flat, 1);
    double y[COUNT][2], polar[COUNT][3], back[COUNT][2], corner[2];
    const double up[2] = {0, 9};
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_DIVBYZERO | FE_INVALID);
    const hcr_status contracted = hcr_contract(square, workspace, COUNT, &v[0][0], &y[0][0], NULL, &error);
    const hcr_status encoded = hcr_encode(square, workspace, COUNT, &y[0][0], &polar[0][0], NULL, &error);
    const hcr_status decoded = hcr_decode(square, workspace, COUNT, &polar[0][0], &back[0][0], NULL, &error);
    const hcr_status in_flat = hcr_contract(flat, flat_workspace, 1, up, corner, NULL, &error);
    fedisableexcept(FE_DIVBYZERO | FE_INVALID);
    must(contracted, &error);
    must(encoded, &error);
    must(decoded, &error);
    must(in_flat, &error);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < 2; j++)
            assert_true(y[i][j] == expected[i][j] && fabs(back[i][j] - y[i][j]) <= 1e-15 * fabs(y[i][j]));
    assert_true(corner[0] == 5 && corner[1] == 1);
    hcr_workspace_free(workspace);
    hcr_workspace_free(flat_workspace);
    hcr_region_free(square);
    hcr_region_free(flat);
}

/* C04: y0 <= 1 alone. A ray that nothing stops is free to go, and gives decode no radius. */
static void test_half_plane(void **state) {
    (void)state;
    const double row[2] = {1, 0}, bound = 1;
    hcr_builder *builder = new_builder(2);
    must(hcr_builder_add_rows(builder, 1, row, NULL, &bound, &error), &error);
    hcr_region *region = region_around(builder, zero, 10);
    hcr_workspace *workspace = workspace_of(region, 1);
    static const double v[4][2] = {{-3, 2}, {0, 4}, {5, 0}, {0, 0}};
    double y[4][2];
    hcr_ray rays[4];
    must(hcr_contract(region, workspace, 4, &v[0][0], &y[0][0], rays, &error), &error);
    assert_true(y[0][0] == -3 && y[0][1] == 2 && y[1][0] == 0 && y[1][1] == 4 && y[3][0] == 0 && y[3][1] == 0);
    assert_true(y[2][0] <= 1 && y[2][0] >= 1 - 1e-13 && y[2][1] == 0);
    static const double polar[2][3] = {{-3, 2, 0.5}, {5, 0, 0.5}};
    must(hcr_decode(region, workspace, 2, &polar[0][0], &y[0][0], rays, &error), &error);
    assert_int_equal(rays[0].outcome, HCR_NO_FRONTIER);
    assert_int_equal(rays[1].outcome, HCR_INSIDE);
    assert_true(y[0][0] == 0 && y[0][1] == 0 && y[1][0] == 0.5 && y[1][1] == 0);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* C09: 10,000 angles; every result has |y|² <= 1 in exact arithmetic. C25: v = (10, 0) ends at the radius. */
static void test_unit_vectors(void **state) {
    (void)state;
    enum { ANGLES = 10000 };
    hcr_region *region = disc_region(1);
    hcr_workspace *workspace = workspace_of(region, 0);
    double *v = numbers(2 * ANGLES), *y = numbers(2 * ANGLES);
    float *v_f32 = numbers(2 * ANGLES), *y_f32 = numbers(2 * ANGLES);
    uint8_t *inside = numbers(ANGLES);
    for (size_t i = 0; i < ANGLES; i++) {
        const double angle = 6.283185307179586 * (double)i / ANGLES;
        v[2 * i] = 10 * cos(angle);
        v[2 * i + 1] = 10 * sin(angle);
        v_f32[2 * i] = (float)v[2 * i];
        v_f32[2 * i + 1] = (float)v[2 * i + 1];
    }
    must(hcr_contract(region, workspace, ANGLES, v, y, NULL, &error), &error);
    must(hcr_check(region, ANGLES, y, inside, NULL, &error), &error);
    for (size_t i = 0; i < ANGLES; i++) {
        assert_true(inside[i]);
        assert_true(hypot(y[2 * i], y[2 * i + 1]) >= 1 - 1e-13);
    }
    must(hcr_contract_f32(region, workspace, ANGLES, v_f32, y_f32, NULL, &error), &error);
    must(hcr_check_f32(region, ANGLES, y_f32, inside, NULL, &error), &error);
    for (size_t i = 0; i < ANGLES; i++) { /* the squares of floats are exact in double precision */
        const double squares =
            (double)y_f32[2 * i] * (double)y_f32[2 * i] + (double)y_f32[2 * i + 1] * (double)y_f32[2 * i + 1];
        assert_true(inside[i] && squares <= 1 && squares >= 1 - 1e-5);
    }
    free(v);
    free(y);
    free(v_f32);
    free(y_f32);
    free(inside);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* NaN, infinities and radii out of range: the origin, and an outcome that says so; never an infeasible point. */
static void test_bad_values(void **state) {
    (void)state;
    static const double origin[2] = {0.25, -0.5};
    hcr_region *region = box_region(minus_one, one, origin);
    hcr_workspace *workspace = workspace_of(region, 1);
    static const struct {
        double polar[3];
        uint32_t outcome;
        double y[2];
    } cases[] = {
        {{NAN, 1, 0.5}, HCR_BAD_VALUE, {0.25, -0.5}},
        {{1, INFINITY, 0.5}, HCR_BAD_VALUE, {0.25, -0.5}},
        {{1, -INFINITY, 0.5}, HCR_BAD_VALUE, {0.25, -0.5}},
        {{1, 0, NAN}, HCR_BAD_VALUE, {0.25, -0.5}},
        {{1, 0, INFINITY}, HCR_BAD_VALUE, {0.25, -0.5}},
        {{1, 0, -INFINITY}, HCR_BAD_VALUE, {0.25, -0.5}},
        {{0, 0, 0.5}, HCR_AT_ORIGIN, {0.25, -0.5}},
        {{1, 0, -3}, HCR_INSIDE, {0.25, -0.5}},
        {{1, 0, 0}, HCR_INSIDE, {0.25, -0.5}},
        {{1, 0, 7}, HCR_FRONTIER, {1, -0.5}},
        {{1, 0, 1}, HCR_FRONTIER, {1, -0.5}},
        {{0, 1e300, 1}, HCR_FRONTIER, {0.25, 1}},
        {{DBL_MAX, -DBL_MAX, 0}, HCR_INSIDE, {0.25, -0.5}},
        {{0, 4.9406564584124654e-324, 1}, HCR_FRONTIER, {0.25, 1}},
        {{-1e-310, 0, 0.5}, HCR_INSIDE, {-0.375, -0.5}},
    };
    enum { COUNT = sizeof cases / sizeof cases[0] };
    double polar[COUNT][3], y[COUNT][2], v[COUNT][2];
    for (size_t i = 0; i < COUNT; i++) {
        memcpy(polar[i], cases[i].polar, sizeof polar[i]);
        memcpy(v[i], cases[i].polar, sizeof v[i]);
    }
    hcr_ray rays[COUNT];
    uint8_t inside[COUNT];
    must(hcr_decode(region, workspace, COUNT, &polar[0][0], &y[0][0], rays, &error), &error);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(rays[i].outcome, cases[i].outcome);
        const int bad = rays[i].outcome == HCR_BAD_VALUE; /* exactly the origin, else right to a few roundings */
        for (size_t j = 0; j < 2; j++)
            assert_true(fabs(y[i][j] - cases[i].y[j]) <= (bad ? 0 : 1e-15));
    }
    must(hcr_contract(region, workspace, COUNT, &v[0][0], &y[0][0], rays, &error), &error);
    must(hcr_check(region, COUNT, &y[0][0], inside, NULL, &error), &error);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(inside[i]);
        const int bad = !isfinite(v[i][0]) || !isfinite(v[i][1]);
        assert_int_equal(rays[i].outcome == HCR_BAD_VALUE, bad);
        assert_true(!bad || (y[i][0] == origin[0] && y[i][1] == origin[1]));
    }
    double gauge[COUNT], encoded[COUNT][3];
    must(hcr_gauge(region, workspace, COUNT, &v[0][0], gauge, rays, &error), &error);
    must(hcr_encode(region, workspace, COUNT, &v[0][0], &encoded[0][0], rays, &error), &error);
    for (size_t i = 0; i < COUNT; i++) {
        const int bad = !isfinite(v[i][0]) || !isfinite(v[i][1]);
        assert_int_equal(isnan(gauge[i]) != 0, bad);
        assert_true(!bad || (encoded[i][0] == 0 && encoded[i][1] == 0 && encoded[i][2] == 0));
        assert_int_equal(rays[i].outcome == HCR_BAD_VALUE, bad);
    }
    float polar_f32[2][3] = {{NAN, 0, 1}, {FLT_MAX, FLT_MAX, 1}}, y_f32[2][2];
    must(hcr_decode_f32(region, workspace, 2, &polar_f32[0][0], &y_f32[0][0], rays, &error), &error);
    assert_int_equal(rays[0].outcome, HCR_BAD_VALUE);
    assert_true(y_f32[0][0] == 0.25f && y_f32[0][1] == -0.5f && y_f32[1][0] == 1 && y_f32[1][1] == 0.25f);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* A point outside has a radius above 1 and is called outside. */
static void test_outside(void **state) {
    (void)state;
    hcr_region *region = disc_region(2);
    hcr_workspace *workspace = workspace_of(region, 1);
    static const double y[2][2] = {{3, 4}, {0, -1.5}};
    double polar[2][3];
    hcr_ray rays[2];
    must(hcr_encode(region, workspace, 2, &y[0][0], &polar[0][0], rays, &error), &error);
    assert_int_equal(rays[0].outcome, HCR_OUTSIDE);
    assert_int_equal(rays[1].outcome, HCR_INSIDE);
    assert_true(polar[0][2] == 2.5 && polar[1][2] == 0.75);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper_example),    cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_contract),         cmocka_unit_test(test_scale_invariance),
        cmocka_unit_test(test_single),           cmocka_unit_test(test_independence),
        cmocka_unit_test(test_searches),         cmocka_unit_test(test_intersections),
        cmocka_unit_test(test_placed_workspace), cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_zero_direction),   cmocka_unit_test(test_parallel_rays),
        cmocka_unit_test(test_half_plane),       cmocka_unit_test(test_unit_vectors),
        cmocka_unit_test(test_bad_values),       cmocka_unit_test(test_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
