/* Nearest points of boxes and polytopes: exactly inside, nearest by the optimality conditions. */
#include "projection.h"

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
    uint32_t outcomes[5];
    assert_int_equal(hcr_project(projector, 5, NULL, points, y, outcomes, NULL, NULL), HCR_OK);
    assert_memory_equal(y, expected, sizeof y);
    const uint32_t right[5] = {HCR_OUTCOME_MOVED, HCR_OUTCOME_INSIDE, HCR_OUTCOME_BAD_VALUE, HCR_OUTCOME_MOVED,
                               HCR_OUTCOME_INSIDE};
    assert_memory_equal(outcomes, right, sizeof right);
    hcr_projector_free(projector);
    hcr_region_free(region);
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
        inside += project_and_check(region, projector, points[i], y) == HCR_OUTCOME_INSIDE;
    assert_int_equal(inside, 5);
    hcr_projector_free(projector);
    hcr_region_free(region);
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
        assert_int_equal(hcr_project(projector, 1, NULL, p, y, NULL, NULL, NULL), HCR_OK);
        assert_int_equal(hcr_check(region, 1, NULL, y, &inside, NULL, NULL), HCR_OK);
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
    assert_int_equal(hcr_projector_create(NULL, NULL, &projector, NULL), HCR_ERROR_ARGUMENT);
    projector = projector_of(region);
    double p[2] = {0, 0};
    assert_int_equal(hcr_project(projector, 0, NULL, NULL, NULL, NULL, NULL, NULL), HCR_OK);
    assert_int_equal(hcr_project(projector, 1, NULL, p, NULL, NULL, NULL, NULL), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_project(NULL, 1, NULL, p, p, NULL, NULL, NULL), HCR_ERROR_ARGUMENT);
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
                                       cmocka_unit_test(test_huge_coordinate),
                                       cmocka_unit_test(test_on_the_frontier),
                                       cmocka_unit_test(test_long_chain),
                                       cmocka_unit_test(test_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
