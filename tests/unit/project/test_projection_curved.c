/* Nearest points of curved regions, and what holds for all kinds: far points, batches. */
#include "projection.h"

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
    for (int round = 0; round < 24; round++) {
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

/* A ball and a half-space |y| <= R, Σ y <= s in more outputs than dense matrices are made for, both binding: the part
 * of y along (1, …, 1) is s/√n long, the rest that of p with the length that the ball leaves. 1e-7: it is 1e-12, at
 * worst 1e-10, with room. */
static void test_many_outputs(void **state) {
    (void)state;
    enum { N = 1200 };
    const double R = 3, s = 20;
    static double ones[N], p[N], y[N];
    for (size_t j = 0; j < N; j++)
        ones[j] = 1;
    hcr_builder *builder = outputs(N);
    diagonal(builder, ones, NULL, R);
    row(builder, ones, -INFINITY, s);
    hcr_region *region = around(builder, NULL, R);
    hcr_projector *projector = projector_of(region);
    hcri_random random;
    hcri_random_seed(&random, 10);
    for (int round = 0; round < 2; round++) {
        double mean = 0, rest = 0;
        for (size_t j = 0; j < N; j++) {
            p[j] = 1 + hcri_random_normal(&random);
            mean += p[j] / N;
        }
        for (size_t j = 0; j < N; j++)
            rest = hypot(rest, p[j] - mean);
        uint8_t inside;
        assert_int_equal(hcr_project(projector, 1, NULL, p, y, NULL, NULL, NULL), HCR_OK);
        assert_int_equal(hcr_check(region, 1, NULL, y, &inside, NULL, NULL), HCR_OK);
        assert_true(inside);
        for (size_t j = 0; j < N; j++)
            assert_true(fabs(y[j] - s / N - (p[j] - mean) / rest * sqrt(R * R - s * s / N)) < 1e-7);
    }
    hcr_projector_free(projector);
    hcr_region_free(region);
}

/* Every kind of region with points up to 1e304 away in all directions, at 1e30 along an axis, and with one coordinate
 * of 1e30 among usual ones. */
static void check_huge(uint64_t seed) {
    hcri_random random;
    hcri_random_seed(&random, seed);
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
            normal(&random, n, i % 3 == 0 ? pow(10, 16 * (i / 3)) : 1, p);
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

/* From afar one nearest point in a hundred of polytopes was another: several seeds. */
static void test_huge(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++)
        check_huge(seed);
}

/* A row's bits don't depend on the rows around it, bad ones included, nor on what the projector did before; results may
 * replace the points. */
static void test_batches(void **state) {
    (void)state;
    enum { ROWS = 80, N = 9 };
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
        uint32_t outcomes[ROWS];
        for (size_t i = 0; i < ROWS; i++)
            normal(&random, N, i % 10 == 3 ? 1e20 : 0.6, points + i * N);
        points[7 * N + 2] = NAN;
        points[40 * N] = INFINITY;
        points[41 * N + 8] = -INFINITY;
        assert_int_equal(hcr_project(projector, ROWS, NULL, points, together, outcomes, NULL, NULL), HCR_OK);
        for (size_t i = ROWS; i-- > 0;) {
            uint32_t outcome;
            assert_int_equal(hcr_project(fresh, 1, NULL, points + i * N, alone, &outcome, NULL, NULL), HCR_OK);
            assert_memory_equal(alone, together + i * N, sizeof alone);
            assert_int_equal(outcome, outcomes[i]);
            const int bad = i == 7 || i == 40 || i == 41;
            assert_int_equal(outcome == HCR_OUTCOME_BAD_VALUE, bad);
            if (bad)
                assert_memory_equal(alone, region->origin, sizeof alone);
        }
        assert_int_equal(hcr_project(projector, ROWS, NULL, points, points, NULL, NULL, NULL), HCR_OK);
        assert_memory_equal(points, together, sizeof points);
        hcr_projector_free(projector);
        hcr_projector_free(fresh);
        hcr_region_free(region);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ellipsoids), cmocka_unit_test(test_ball),
                                       cmocka_unit_test(test_mixed),      cmocka_unit_test(test_many_outputs),
                                       cmocka_unit_test(test_huge),       cmocka_unit_test(test_batches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
