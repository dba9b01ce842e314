/* encode, decode and contract: what they promise of their results, whatever the region, the batch and the search. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

static double largest(size_t n, const double *x) {
    double most = 0;
    for (size_t j = 0; j < n; j++)
        most = fmax(most, fabs(x[j]));
    return most;
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
    must(hcr_encode(region, workspace, 1, NULL, y, polar, NULL, &error), &error);
    assert_true(polar[0] == 1 && polar[1] == 0 && polar[2] == 0.5);
    must(hcr_decode(region, workspace, 1, NULL, polar, back, NULL, &error), &error);
    assert_true(back[0] == 1 && back[1] == 0);
    must(hcr_encode_f32(region, workspace, 1, NULL, y_f32, polar_f32, NULL, &error), &error);
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
        must(hcr_decode(s.region, workspace, ROWS, NULL, s.polar, y, NULL, &error), &error);
        must(hcr_encode(s.region, workspace, ROWS, NULL, y, polar, NULL, &error), &error);
        must(hcr_decode(s.region, workspace, ROWS, NULL, polar, again, NULL, &error), &error);
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

/* soften_inverse gives v back, as accurately as the distance from the frontier is known: 1e-14 of the radius, which is
 * divided by what is left of it. Outside there is none; on the frontier there is. */
static void test_soften_inverse(void **state) {
    (void)state;
    for (size_t k = 0; k < SIZES * SHAPES; k++) {
        const size_t n = sizes[k % SIZES];
        sample s = make_sample((region_shape)(k / SIZES), n, 500 + k);
        hcr_workspace *workspace = workspace_of(s.region, 1);
        double *y = numbers(ROWS * n), *v = numbers(ROWS * n), *gauge = numbers(ROWS);
        hcr_ray rays[ROWS];
        must(hcr_gauge(s.region, workspace, ROWS, NULL, s.v, gauge, NULL, &error), &error);
        must(hcr_soften(s.region, workspace, ROWS, NULL, s.v, y, NULL, &error), &error);
        must(hcr_soften_inverse(s.region, workspace, ROWS, NULL, y, v, rays, &error), &error);
        for (size_t i = 0; i < ROWS; i++) {
            const double size = largest(n, s.v + i * n);
            assert_int_equal(rays[i].outcome, HCR_OUTCOME_INSIDE);
            for (size_t j = 0; j < n; j++)
                assert_true(fabs(v[i * n + j] - s.v[i * n + j]) <= 1e-12 * (1 + gauge[i]) * (1 + gauge[i]) * size);
        }
        for (size_t i = 0; i < ROWS; i++) /* just outside, and then on the frontier */
            for (size_t j = 0; j < n; j++)
                y[i * n + j] = s.region->origin[j] + 1.01 / gauge[i] * s.v[i * n + j];
        must(hcr_soften_inverse(s.region, workspace, ROWS, NULL, y, v, rays, &error), &error);
        for (size_t i = 0; i < ROWS; i++)
            assert_true(rays[i].outcome == HCR_OUTCOME_OUTSIDE && isnan(v[i * n]));
        for (size_t i = 0; i < ROWS * n; i++)
            v[i] = 1e20 * s.v[i];
        must(hcr_soften(s.region, workspace, ROWS, NULL, v, y, NULL, &error), &error);
        must(hcr_soften_inverse(s.region, workspace, ROWS, NULL, y, v, rays, &error), &error);
        for (size_t i = 0; i < ROWS * n; i++)
            assert_true(isfinite(v[i]));
        free(y);
        free(v);
        free(gauge);
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
        must(hcr_gauge(s.region, workspace, ROWS, NULL, s.v, gauge, NULL, &error), &error);
        must(hcr_contract(s.region, workspace, ROWS, NULL, s.v, y, rays, &error), &error);
        for (size_t k2 = 0; k2 < ROWS * n; k2++)
            v_f32[k2] = (float)s.v[k2];
        must(hcr_contract_f32(s.region, workspace, ROWS, NULL, v_f32, y_f32, NULL, &error), &error);
        for (size_t i = 0; i < ROWS; i++) {
            assert_true(rays[i].gauge == gauge[i]);
            assert_int_equal(rays[i].outcome, gauge[i] <= 1 - hcr_region_margin(s.region, HCR_DOUBLE)
                                                  ? HCR_OUTCOME_INSIDE
                                                  : HCR_OUTCOME_FRONTIER);
            for (size_t j = 0; j < n && rays[i].outcome == HCR_OUTCOME_INSIDE; j++) {
                assert_true(y[i * n + j] == s.region->origin[j] + s.v[i * n + j]);
                const double from_single = s.region->origin[j] + (double)v_f32[i * n + j];
                assert_true(gauge[i] > 1 - 2 * hcr_region_margin(s.region, HCR_SINGLE) ||
                            y_f32[i * n + j] == (float)from_single);
            }
            inside += rays[i].outcome == HCR_OUTCOME_INSIDE;
            for (size_t j = 0; j < n; j++)
                y[i * n + j] -= s.region->origin[j];
        }
        must(hcr_gauge(s.region, workspace, ROWS, NULL, y, reached, NULL, &error), &error);
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
        must(hcr_decode(s.region, workspace, ROWS, NULL, s.polar, y, NULL, &error), &error);
        for (size_t f = 0; f < sizeof scales / sizeof scales[0]; f++) {
            memcpy(scaled, s.polar, ROWS * (n + 1) * sizeof *scaled);
            for (size_t i = 0; i < ROWS; i++)
                for (size_t j = 0; j < n; j++)
                    scaled[i * (n + 1) + j] *= scales[f];
            must(hcr_decode(s.region, workspace, ROWS, NULL, scaled, result, NULL, &error), &error);
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
        must(hcr_decode(s.region, workspace, ROWS, NULL, polar, y, NULL, &error), &error);
        must(hcr_decode_f32(s.region, workspace, ROWS, NULL, polar_f32, y_f32, NULL, &error), &error);
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
        must(hcr_encode(s.region, workspace, ROWS, NULL, points, encoded, NULL, &error), &error);
        must(hcr_encode_f32(s.region, workspace, ROWS, NULL, y_f32, encoded_f32, NULL, &error), &error);
        for (size_t i = 0; i < ROWS * (n + 1); i++)
            assert_true(encoded_f32[i] == (float)encoded[i]);
        for (size_t i = 0; i < ROWS * n; i++)
            y_f32[i] = (float)s.v[i];
        for (size_t i = 0; i < ROWS * n; i++)
            v[i] = (double)y_f32[i];
        must(hcr_gauge(s.region, workspace, ROWS, NULL, v, gauge, NULL, &error), &error);
        must(hcr_gauge_f32(s.region, workspace, ROWS, NULL, y_f32, gauge_f32, NULL, &error), &error);
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
        must(hcr_decode(s->region, workspace, now, NULL, in, out, NULL, &error), &error);
        must(hcr_decode_vjp(s->region, workspace, now, NULL, in, NULL, bar, result, NULL, &error), &error);
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

/* Algorithm 1, active constraint pruning and the full search: the same bits and the same constraint, ties included. */
static void compare_searches(const hcr_region *region, size_t rows, const double *v) {
    hcr_workspace *workspace = workspace_of(region, 1);
    double *gauge = numbers(rows), *other = numbers(rows);
    hcr_ray *rays = numbers(2 * rows), *other_rays = numbers(2 * rows);
    must(hcr_gauge(region, workspace, rows, NULL, v, gauge, rays, &error), &error);
    const uint64_t all = hcr_workspace_intersections(workspace);
    assert_int_equal(all, rows * region->existing);
    static const hcr_search searches[] = {{sizeof(hcr_search), HCR_SEARCH_ALGORITHM1, 0, 64},
                                          {sizeof(hcr_search), HCR_SEARCH_ALGORITHM1, 0.01, 3},
                                          {sizeof(hcr_search), HCR_SEARCH_ALGORITHM1, 100, 1},
                                          {sizeof(hcr_search), HCR_SEARCH_PRUNED, 0, 64}};
    for (size_t k = 0; k < sizeof searches / sizeof searches[0]; k++) {
        must(hcr_workspace_set_search(workspace, &searches[k], &error), &error);
        hcr_workspace_reset_intersections(workspace);
        must(hcr_gauge(region, workspace, rows, NULL, v, other, other_rays, &error), &error);
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
        {{sizeof(hcr_search), HCR_SEARCH_FULL, 0, 64}, 4},
        {{sizeof(hcr_search), HCR_SEARCH_ALGORITHM1, 1.5, 10}, 1}, /* only y0 <= 1 is violated */
        {{sizeof(hcr_search), HCR_SEARCH_ALGORITHM1, 0.4, 10}, 1}, /* from 1.2 = 0.4 (1 + 0.5 · 4) on */
        {{sizeof(hcr_search), HCR_SEARCH_ALGORITHM1, 0.4, 3}, 4},  /* three steps aren't enough: all */
        {{sizeof(hcr_search), HCR_SEARCH_ALGORITHM1, 20, 1}, 2},   /* so far out that both y0 <= 1 and y1 <= 1 are */
        {{sizeof(hcr_search), HCR_SEARCH_PRUNED, 0, 64}, 1},       /* the first is the nearest */
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        must(hcr_workspace_set_search(workspace, &cases[k].search, &error), &error);
        hcr_workspace_reset_intersections(workspace);
        must(hcr_gauge(region, workspace, 1, NULL, v, &gauge, NULL, &error), &error);
        assert_true(gauge == 3);
        assert_int_equal(hcr_workspace_intersections(workspace), cases[k].count);
    }
    const hcr_search bad[] = {{sizeof(hcr_search), (hcr_search_method)3, 0, 64},
                              {sizeof(hcr_search), HCR_SEARCH_ALGORITHM1, -1, 64},
                              {sizeof(hcr_search), HCR_SEARCH_ALGORITHM1, NAN, 64}};
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
    char *room = malloc(bytes + 64), *memory = room + (64 - (uintptr_t)room % 64);
    assert_non_null(room);
    hcr_workspace *placed = NULL;
    assert_int_equal(hcr_workspace_place(s.region, 2, memory, bytes - 1, &placed, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_workspace_place(s.region, 2, memory + 8, bytes, &placed, &error), HCR_ERROR_ARGUMENT);
    assert_null(placed);
    must(hcr_workspace_place(s.region, 2, memory, bytes, &placed, &error), &error);
    hcr_workspace *own = workspace_of(s.region, 2);
    double a[ROWS * 7], b[ROWS * 7];
    must(hcr_decode(s.region, placed, ROWS, NULL, s.polar, a, NULL, &error), &error);
    must(hcr_decode(s.region, own, ROWS, NULL, s.polar, b, NULL, &error), &error);
    assert_memory_equal(a, b, sizeof a);
    hcr_workspace_free(placed); /* does nothing */
    hcr_workspace_free(own);
    hcr_workspace_free(NULL);
    free(room);
    free_sample(&s);
}

static void test_arguments(void **state) {
    (void)state;
    hcr_region *region = disc_region(1), *other = disc_region(2);
    hcr_workspace *workspace = workspace_of(region, 1);
    double polar[3] = {1, 0, 1}, y[2];
    hcr_ray ray;
    must(hcr_decode(region, workspace, 0, NULL, NULL, NULL, NULL, &error), &error);
    must(hcr_contract_f32(region, workspace, 0, NULL, NULL, NULL, NULL, &error), &error);
    must(hcr_encode(region, workspace, 0, NULL, polar, y, &ray, &error), &error);
    assert_int_equal(hcr_decode(region, workspace, 1, NULL, NULL, y, NULL, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_decode(region, workspace, 1, NULL, polar, NULL, NULL, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_decode(region, NULL, 1, NULL, polar, y, NULL, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_decode(other, workspace, 1, NULL, polar, y, NULL, &error), HCR_ERROR_ARGUMENT);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
    hcr_region_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper_example),    cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_soften_inverse),   cmocka_unit_test(test_contract),
        cmocka_unit_test(test_scale_invariance), cmocka_unit_test(test_single),
        cmocka_unit_test(test_independence),     cmocka_unit_test(test_searches),
        cmocka_unit_test(test_intersections),    cmocka_unit_test(test_placed_workspace),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
