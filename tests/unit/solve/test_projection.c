/* Nearest points: exactly inside, nearest by the optimality conditions, the same in any batch. */
#include <math.h>
#include <stdlib.h>

#include "core/random.h"
#include "optimality.h"
#include "regions.h"

/* A region around an origin, within ±bound in each output. */
static hcr_region *around(hcr_builder *builder, const double *origin, double bound) {
    const size_t n = hcr_builder_dimension(builder);
    double *lower = calloc(n, sizeof *lower), *upper = calloc(n, sizeof *upper), *zero = calloc(n, sizeof *zero);
    assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
    for (size_t j = 0; j < n; j++) {
        lower[j] = fmax(-bound, builder->set.box->lower[j]);
        upper[j] = fmin(bound, builder->set.box->upper[j]);
    }
    hcr_region *region = NULL;
    hcr_error error = {0};
    if (hcri_region_create(&builder->set, origin == NULL ? zero : origin, lower, upper, NULL, &region, &error) !=
        HCR_OK)
        fail_msg("%s", error.text);
    free(lower);
    free(upper);
    free(zero);
    hcr_builder_free(builder);
    return region;
}

static hcr_projector *projector_of(const hcr_region *region) {
    hcr_projector *projector = NULL;
    assert_int_equal(hcr_projector_create(region, &projector, NULL), HCR_OK);
    return projector;
}

static void normal(hcri_random *random, size_t count, double scale, double *values) {
    for (size_t i = 0; i < count; i++)
        values[i] = scale * hcri_random_normal(random);
}

/* Projects p and asks for all that is promised: a point inside comes back as it is; others end exactly inside, and
 * their distance is the least but for 1e-8 of it or what the margin takes. From far away every point of the region is
 * about as near, so there the result must also be, to 1e-8 of the region's size, the one that reaches farthest towards
 * p. */
static uint8_t project_and_check(const hcr_region *region, hcr_projector *projector, const double *p, double *y) {
    const size_t n = region->set.n;
    uint8_t outcome, inside;
    hcr_error error = {0};
    if (hcr_project(projector, 1, p, y, &outcome, &error) != HCR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(hcr_check(region, 1, y, &inside, NULL, NULL), HCR_OK);
    assert_true(inside);
    assert_int_equal(hcr_check(region, 1, p, &inside, NULL, NULL), HCR_OK);
    assert_int_equal(outcome, inside ? HCR_PROJECTED_INSIDE : HCR_PROJECTED_MOVED);
    if (inside) {
        assert_memory_equal(p, y, n * sizeof *y);
        return outcome;
    }
    const optimality found = judge(region, p, y);
    double reach = 0;
    for (size_t j = 0; j < n; j++)
        reach = hypot(reach, region->upper[j] - region->lower[j]);
    const double rounding = reach * (4 * region->margin[HCR_DOUBLE] + 1e-14);
    if (!(found.distance - found.least <= 1e-8 * found.distance + rounding))
        fail_msg("n %zu: distance %.17g, but for all that is known it could be %.17g", n, found.distance, found.least);
    if (found.distance > 100 * reach && !(found.linear <= 1e-8 * reach))
        fail_msg("n %zu: another point is %g farther in the direction of p", n, found.linear);
    return outcome;
}

static void check_at_scales(const hcr_region *region, hcri_random *random, int rounds) {
    static const double scales[] = {0.3, 1, 5, 100, 1e4};
    const size_t n = region->set.n;
    hcr_projector *projector = projector_of(region);
    double p[32], y[32];
    int moved = 0;
    for (int round = 0; round < rounds; round++) {
        normal(random, n, scales[round % 5], p);
        moved += project_and_check(region, projector, p, y) == HCR_PROJECTED_MOVED;
        if (round % 4 == 0) { /* from the frontier outwards a little */
            for (size_t j = 0; j < n; j++)
                p[j] = y[j] + 1e-5 * (p[j] - y[j]);
            project_and_check(region, projector, p, y);
        }
    }
    assert_true(moved > rounds / 3);
    hcr_projector_free(projector);
}

static void test_box(void **state) {
    (void)state;
    hcr_builder *builder = outputs(3);
    const double lower[3] = {-1, -2, -0.1}, upper[3] = {1, 0.3, 5};
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 3, lower, upper, NULL), HCR_OK);
    hcr_region *region = around(builder, NULL, 10);
    hcr_projector *projector = projector_of(region);
    const double points[] = {2, 0.3, 4, -0.0, -1, 0.5, 1e300, -1e300, NAN, 1e300, -1e300, 0.25, -1, 0.3, 5};
    const double expected[] = {1, 0.3, 4, -0.0, -1, 0.5, 0, 0, 0, 1, -2, 0.25, -1, 0.3, 5};
    double y[15];
    uint8_t outcomes[5];
    assert_int_equal(hcr_project(projector, 5, points, y, outcomes, NULL), HCR_OK);
    assert_memory_equal(y, expected, sizeof y);
    const uint8_t right[5] = {HCR_PROJECTED_MOVED, HCR_PROJECTED_INSIDE, HCR_PROJECTED_BAD_VALUE, HCR_PROJECTED_MOVED,
                              HCR_PROJECTED_INSIDE};
    assert_memory_equal(outcomes, right, sizeof right);
    hcr_projector_free(projector);
    hcr_region_free(region);
}

/* A random polytope around 0: rows of any number of entries and of lengths from 1e-6 to 1e6, one or two sides, some of
 * them repeated, scaled and turned around. */
static hcr_region *random_polytope(hcri_random *random, size_t n, size_t rows) {
    hcr_builder *builder = outputs(n);
    box(builder, -20, 20);
    for (size_t i = 0; i < rows; i++) {
        double a[32] = {0};
        for (size_t j = 0; j < n; j++)
            if (hcri_random_uniform(random) < 0.6)
                a[j] = hcri_random_normal(random);
        a[hcri_random_below(random, n)] = 1;
        const double factor = pow(10, 12 * hcri_random_uniform(random) - 6);
        const double high = 0.5 + hcri_random_uniform(random);
        const double low = i % 3 == 0 ? -1 - hcri_random_uniform(random) : -INFINITY;
        for (size_t j = 0; j < n; j++)
            a[j] *= factor;
        row(builder, a, factor * low, factor * high);
        if (i % 4 == 0)
            row(builder, a, factor * low, factor * high);
        for (size_t j = 0; j < n; j++)
            a[j] *= -3;
        if (i % 5 == 0)
            row(builder, a, -3 * factor * high, -3 * factor * low);
    }
    return around(builder, NULL, 20);
}

static void test_polytopes(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (int round = 0; round < 120; round++) {
        const size_t n = 1 + hcri_random_below(&random, 12);
        hcr_region *region = random_polytope(&random, n, 1 + hcri_random_below(&random, 4 * n));
        check_at_scales(region, &random, 20);
        hcr_region_free(region);
    }
}

/* Vertices where far more rows meet than there are outputs: a cone of facets around an axis, cut at the bottom. */
static void test_degenerate_vertices(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 2);
    for (size_t n = 2; n <= 8; n += 3) {
        hcr_builder *builder = outputs(n);
        box(builder, -1, 1);
        for (size_t i = 0; i < 60; i++) {
            double a[8];
            normal(&random, n, 1, a);
            a[n - 1] = 1; /* all hold with equality at (0, …, 0, 0.5) */
            row(builder, a, -INFINITY, 0.5);
        }
        hcr_region *region = around(builder, NULL, 1);
        check_at_scales(region, &random, 100);
        hcr_projector *projector = projector_of(region);
        double p[8] = {0}, y[8];
        p[n - 1] = 3;
        project_and_check(region, projector, p, y);
        /* the vertex, less the margin */
        assert_true(fabs(y[n - 1] - 0.5) < 1e-12 && fabs(y[0]) < 1e-12);
        hcr_projector_free(projector);
        hcr_region_free(region);
    }
}

/* Rows that almost agree: a wedge 1e-9 wide in angle. */
static void test_nearly_parallel_rows(void **state) {
    (void)state;
    hcr_builder *builder = outputs(2);
    box(builder, -4, 4);
    for (int i = -3; i <= 3; i++) {
        const double a[2] = {1e-9 * i, 1};
        row(builder, a, -INFINITY, 1);
    }
    hcr_region *region = around(builder, NULL, 4);
    hcri_random random;
    hcri_random_seed(&random, 3);
    check_at_scales(region, &random, 300);
    hcr_region_free(region);
}

/* C07: an interval in one dimension as bounds, a row, a ball and an ellipsoid. */
static void test_one_dimension(void **state) {
    (void)state;
    const double low = 0.5452, high = 0.7452, centre = 0.6452, one = 1, p[] = {10, -10, 0.6, 1e30, -1e30};
    for (int spelling = 0; spelling < 4; spelling++) {
        hcr_builder *builder = outputs(1);
        if (spelling == 0)
            box(builder, low, high);
        else if (spelling == 1)
            row(builder, &one, low, high);
        else if (spelling == 2)
            diagonal(builder, &one, &centre, 0.1);
        else
            dense(builder, &one, NULL, 0.5 * 0.7452 * 0.7452);
        hcr_region *region = around(builder, &centre, 2);
        hcr_projector *projector = projector_of(region);
        double y[5];
        for (size_t i = 0; i < 5; i++)
            project_and_check(region, projector, p + i, y + i);
        const double least = spelling == 3 ? -high : low;
        const double expected[] = {high, least, 0.6, high, least};
        for (size_t i = 0; i < 5; i++)
            assert_true(fabs(y[i] - expected[i]) < 1e-14 + 4 * region->margin[HCR_DOUBLE]);
        hcr_projector_free(projector);
        hcr_region_free(region);
    }
}

/* P = G'G/n + ridge, symmetric */
static void random_matrix(hcri_random *random, size_t n, double ridge, double *P) {
    double G[32 * 32];
    normal(random, n * n, 1, G);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            P[i * n + j] = i == j ? ridge : 0;
            for (size_t k = 0; k < n; k++)
                P[i * n + j] += G[k * n + (i < j ? i : j)] * G[k * n + (i < j ? j : i)] / (double)n;
        }
}

/* ½ y'Py + q'y <= 1 in each of the three forms; FACTOR with the given rank (+ a ridge of n rows when it is n). */
static void add_random_quadratic(hcri_random *random, hcr_builder *builder, int form, size_t rank) {
    const size_t n = hcr_builder_dimension(builder);
    double P[32 * 32], weight[32], shift[32], q[32];
    normal(random, n, 0.1, q);
    normal(random, n, 0.1, shift);
    if (form == 0) {
        for (size_t j = 0; j < n; j++)
            weight[j] = 0.1 + hcri_random_uniform(random);
        diagonal(builder, weight, shift, 1.5);
    } else if (form == 1) {
        random_matrix(random, n, 0.1, P);
        dense(builder, P, q, 1);
    } else {
        size_t start[33];
        uint32_t columns[32 * 32];
        for (size_t i = 0; i <= rank; i++)
            start[i] = i * n;
        for (size_t k = 0; k < rank * n; k++)
            columns[k] = (uint32_t)(k % n);
        normal(random, rank * n, 1, P);
        const hcr_quadratic quadratic = {.form = HCR_QUADRATIC_FACTOR,
                                         .rank = rank,
                                         .factor_start = start,
                                         .factor_columns = columns,
                                         .factor_values = P,
                                         .shift = shift,
                                         .linear = rank == n ? q : NULL,
                                         .radius = 1.5};
        assert_int_equal(hcr_builder_add_quadratic(builder, &quadratic, NULL), HCR_OK);
    }
}

/* One quadratic by itself; a bound on the region is the caller's to know. */
static void test_ellipsoids(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 4);
    for (int round = 0; round < 45; round++) {
        const size_t n = 1 + hcri_random_below(&random, 10);
        hcr_builder *builder = outputs(n);
        add_random_quadratic(&random, builder, round % 3, n);
        hcr_region *region = around(builder, NULL, 200);
        check_at_scales(region, &random, 40);
        hcr_region_free(region);
    }
}

/* C09: directions all around the unit circle and sphere. */
static void test_ball(void **state) {
    (void)state;
    const double ones[3] = {1, 1, 1};
    hcri_random random;
    hcri_random_seed(&random, 5);
    for (size_t n = 2; n <= 3; n++) {
        hcr_builder *builder = outputs(n);
        diagonal(builder, ones, NULL, 1);
        hcr_region *region = around(builder, NULL, 1);
        hcr_projector *projector = projector_of(region);
        for (int i = 0; i < 3000; i++) {
            double p[3], y[3], length = 0;
            normal(&random, n, pow(10, i % 31), p);
            for (size_t j = 0; j < n; j++)
                length = hypot(length, p[j]);
            project_and_check(region, projector, p, y);
            for (size_t j = 0; length > 1 && j < n; j++) /* a few roundings and the margin */
                assert_true(fabs(y[j] - p[j] / length) < 1e-13);
        }
        hcr_projector_free(projector);
        hcr_region_free(region);
    }
}

/* Boxes, rows and several quadratics at once, singular ones among them. */
static void test_mixed(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 6);
    for (int round = 0; round < 40; round++) {
        const size_t n = 2 + hcri_random_below(&random, 7);
        hcr_builder *builder = outputs(n);
        box(builder, -1, 1.2);
        if (round % 2 == 0)
            neighbours(builder, 0.4);
        for (int q = 0; q <= round % 4; q++)
            add_random_quadratic(&random, builder, (round + q) % 3, q == 0 ? n : 1 + n / 2);
        hcr_region *region = around(builder, NULL, 1.2);
        check_at_scales(region, &random, 20);
        hcr_region_free(region);
    }
}

/* Every kind of region with points at 1e30, along axes and in all directions, and with one huge coordinate among usual
 * ones. */
static void test_huge(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 7);
    for (int kind = 0; kind < 6; kind++) {
        const size_t n = 8;
        hcr_builder *builder = outputs(n);
        if (kind != 2)
            box(builder, -2, 2);
        if (kind == 0 || kind == 4)
            neighbours(builder, 0.5);
        for (int q = kind == 3 || kind == 5 ? 1 : 2; kind >= 2 && q < 3; q++)
            add_random_quadratic(&random, builder, q % 3, n);
        hcr_region *region = kind == 1 ? random_polytope(&random, n, 30) : around(builder, NULL, kind == 2 ? 200 : 2);
        if (kind == 1)
            hcr_builder_free(builder);
        hcr_projector *projector = projector_of(region);
        for (int i = 0; i < 60; i++) {
            double p[8], y[8];
            normal(&random, n, i % 3 == 0 ? pow(10, 5 * (i / 3)) : 1, p);
            if (i % 3 == 1)
                p[hcri_random_below(&random, n)] = 1e30;
            for (size_t j = 0; i % 3 == 2 && j < n; j++)
                p[j] = j == (size_t)i % n ? -1e30 : 0;
            project_and_check(region, projector, p, y);
        }
        hcr_projector_free(projector);
        hcr_region_free(region);
    }
}

/* One huge coordinate doesn't wash out the others: those that nothing ties to it stay where they are. */
static void test_huge_coordinate(void **state) {
    (void)state;
    const size_t n = 8;
    hcr_builder *builder = outputs(n);
    box(builder, -2, 2);
    neighbours(builder, 0.5);
    hcr_region *region = around(builder, NULL, 2);
    hcr_projector *projector = projector_of(region);
    const double p[8] = {0.1, 0.2, 0.3, 0.1, 1e30, 0.4, 0.3, -0.1}, expected[8] = {0.1, 0.5, 1, 1.5, 2, 1.5, 1, 0.5};
    double y[8];
    project_and_check(region, projector, p, y);
    for (size_t j = 0; j < n; j++)
        assert_true(fabs(y[j] - expected[j]) < 1e-12);
    hcr_projector_free(projector);
    hcr_region_free(region);
}

/* Points that are inside by 0 or by one rounding come back as they are; the next ones outside don't. */
static void test_on_the_frontier(void **state) {
    (void)state;
    hcr_builder *builder = outputs(2);
    box(builder, -4, 4);
    const double a[2] = {3, -1};
    row(builder, a, -1, 1);
    hcr_region *region = around(builder, NULL, 4);
    hcr_projector *projector = projector_of(region);
    const double points[][2] = {{1, 2},       {1, nextafter(2, 3)},       {1, nextafter(2, 1)}, {nextafter(1, 2), 2},
                                {1.0 / 3, 0}, {nextafter(1.0 / 3, 1), 0}, {0.1, -0.7},          {-0.0, -1}};
    double y[2];
    size_t inside = 0;
    for (size_t i = 0; i < 8; i++)
        inside += project_and_check(region, projector, points[i], y) == HCR_PROJECTED_INSIDE;
    assert_int_equal(inside, 5);
    hcr_projector_free(projector);
    hcr_region_free(region);
}

/* A row's bits don't depend on the rows around it, bad ones included, nor on what the projector did before; results may
 * replace the points. */
static void test_batches(void **state) {
    (void)state;
    enum { ROWS = 150, N = 9 };
    hcri_random random;
    hcri_random_seed(&random, 8);
    for (int kind = 0; kind < 3; kind++) {
        hcr_builder *builder = outputs(N);
        box(builder, -2, 2);
        neighbours(builder, 0.5);
        for (int q = 0; q < kind; q++)
            add_random_quadratic(&random, builder, q, N);
        hcr_region *region = around(builder, NULL, 2);
        hcr_projector *projector = projector_of(region), *fresh = projector_of(region);
        static double points[ROWS * N], together[ROWS * N], alone[N];
        uint8_t outcomes[ROWS];
        for (size_t i = 0; i < ROWS; i++)
            normal(&random, N, i % 10 == 3 ? 1e20 : 0.6, points + i * N);
        points[7 * N + 2] = NAN;
        points[40 * N] = INFINITY;
        points[41 * N + 8] = -INFINITY;
        assert_int_equal(hcr_project(projector, ROWS, points, together, outcomes, NULL), HCR_OK);
        for (size_t i = ROWS; i-- > 0;) {
            uint8_t outcome;
            assert_int_equal(hcr_project(fresh, 1, points + i * N, alone, &outcome, NULL), HCR_OK);
            assert_memory_equal(alone, together + i * N, sizeof alone);
            assert_int_equal(outcome, outcomes[i]);
            const int bad = i == 7 || i == 40 || i == 41;
            assert_int_equal(outcome == HCR_PROJECTED_BAD_VALUE, bad);
            if (bad)
                assert_memory_equal(alone, region->origin, sizeof alone);
        }
        assert_int_equal(hcr_project(projector, ROWS, points, points, NULL, NULL), HCR_OK);
        assert_memory_equal(points, together, sizeof points);
        hcr_projector_free(projector);
        hcr_projector_free(fresh);
        hcr_region_free(region);
    }
}

/* |y_{j+1} − y_j| <= step for 2,000 outputs, no bound in reach: with the multipliers λ_j of the differences, which are
 * the sums Σ_{k<=j} (p − y)_k, the last one 0, a difference is at its limit on the side that its multiplier says or has
 * none. */
static void test_long_chain(void **state) {
    (void)state;
    enum { N = 2000 };
    const double step = 0.5;
    hcr_builder *builder = outputs(N);
    box(builder, -1000, 1000);
    neighbours(builder, step);
    hcr_region *region = around(builder, NULL, 1000);
    hcr_projector *projector = projector_of(region);
    hcri_random random;
    hcri_random_seed(&random, 9);
    static double p[N], y[N];
    for (int round = 0; round < 2; round++) {
        normal(&random, N, round == 0 ? 0.3 : 1, p);
        uint8_t inside;
        assert_int_equal(hcr_project(projector, 1, p, y, NULL, NULL), HCR_OK);
        assert_int_equal(hcr_check(region, 1, y, &inside, NULL, NULL), HCR_OK);
        assert_true(inside);
        size_t limits = 0;
        double multiplier = 0;
        /* The margin of a region 1000 wide whose steps are 0.5 is about 1e-10. */
        for (size_t j = 0; j + 1 < N; j++) {
            multiplier += p[j] - y[j];
            const double room = multiplier > 0 ? step - (y[j] - y[j + 1]) : step + (y[j] - y[j + 1]);
            assert_true(room < 1e-8 || fabs(multiplier) < 1e-8);
            limits += room < 1e-8;
        }
        assert_true(fabs(multiplier + p[N - 1] - y[N - 1]) < 1e-8);
        assert_true(limits > (round == 0 ? 100u : 800u));
    }
    hcr_projector_free(projector);
    hcr_region_free(region);
}

static void test_arguments(void **state) {
    (void)state;
    hcr_builder *builder = outputs(2);
    box(builder, -1, 1);
    hcr_region *region = around(builder, NULL, 1);
    hcr_projector *projector = NULL;
    assert_int_equal(hcr_projector_create(NULL, &projector, NULL), HCR_ERROR_ARGUMENT);
    projector = projector_of(region);
    double p[2] = {0, 0};
    assert_int_equal(hcr_project(projector, 0, NULL, NULL, NULL, NULL), HCR_OK);
    assert_int_equal(hcr_project(projector, 1, p, NULL, NULL, NULL), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_project(NULL, 1, p, p, NULL, NULL), HCR_ERROR_ARGUMENT);
    hcr_projector_free(projector);
    hcr_projector_free(NULL);
    hcr_region_free(region);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_box),
                                       cmocka_unit_test(test_polytopes),
                                       cmocka_unit_test(test_degenerate_vertices),
                                       cmocka_unit_test(test_nearly_parallel_rows),
                                       cmocka_unit_test(test_one_dimension),
                                       cmocka_unit_test(test_ellipsoids),
                                       cmocka_unit_test(test_ball),
                                       cmocka_unit_test(test_mixed),
                                       cmocka_unit_test(test_huge),
                                       cmocka_unit_test(test_huge_coordinate),
                                       cmocka_unit_test(test_on_the_frontier),
                                       cmocka_unit_test(test_batches),
                                       cmocka_unit_test(test_long_chain),
                                       cmocka_unit_test(test_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
