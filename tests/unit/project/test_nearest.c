/* Nearest points where there are equalities, cones, matrix inequalities, functions or no bounds: against closed forms,
 * and against points of the region that could be nearer. */
#include "projection.h"

enum { MOST = 32 };

static hcr_error error;

static hcr_region *made(hcr_builder *builder) {
    hcr_region *region = NULL;
    if (hcr_builder_finish(builder, &region, &error) != HCR_OK)
        fail_msg("%s", error.text);
    hcr_builder_free(builder);
    return region;
}

static void project(hcr_projector *projector, const double *p, double *y) {
    if (hcr_project(projector, 1, NULL, p, y, NULL, NULL, &error) != HCR_OK)
        fail_msg("%s", error.text);
}

static void equality(hcr_builder *builder, const double *a, double right) {
    const size_t n = hcr_builder_dimension(builder), start[2] = {0, n};
    uint32_t columns[MOST];
    for (uint32_t j = 0; j < n; j++)
        columns[j] = j;
    assert_int_equal(hcr_builder_add_equalities(builder, 1, start, columns, a, &right, NULL), HCR_OK);
}

static double distance(size_t n, const double *a, const double *b) {
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sqrt(sum);
}

/* The result is exactly inside, and no point on the way from it to others of the region is nearer by more than the
 * promised 1e-8 of the distance, or by what the margin takes. */
static void check_nearest(const hcr_region *region, hcri_random *random, const double *p, const double *y) {
    const size_t n = region->set.n;
    hcr_workspace *workspace = NULL;
    uint8_t inside;
    double v[MOST], z[MOST];
    assert_int_equal(hcr_check(region, 1, NULL, y, &inside, NULL, NULL), HCR_OK);
    assert_true(inside);
    assert_int_equal(hcr_workspace_create(region, 1, &workspace, NULL), HCR_OK);
    const double found = distance(n, p, y), taken = 16 * region->margin[HCR_DOUBLE] + 1e-14;
    for (int round = 0; round < 60; round++) {
        const double from_y = round % 2, size = pow(10, 3 * hcri_random_uniform(random) - 2);
        for (size_t j = 0; j < n; j++) /* around the origin, or around y */
            v[j] = from_y * (y[j] - region->origin[j]) + size * hcri_random_normal(random);
        assert_int_equal(hcr_contract(region, workspace, 1, NULL, v, z, NULL, NULL), HCR_OK);
        double along = 0, square = 0;
        for (size_t j = 0; j < n; j++) {
            along += (p[j] - y[j]) * (z[j] - y[j]);
            square += (z[j] - y[j]) * (z[j] - y[j]);
        }
        const double t = square > 0 ? fmin(1, fmax(0, along / square)) : 0;
        for (size_t j = 0; j < n; j++)
            z[j] = y[j] + t * (z[j] - y[j]);
        const double reach = distance(n, y, region->origin);
        if (!(found - distance(n, p, z) <= 1e-8 * found + taken * reach))
            fail_msg("n %zu: distance %.17g, but there is a point at %.17g", n, found, distance(n, p, z));
    }
    hcr_workspace_free(workspace);
}

static int descending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The simplex: y_j = max(p_j − τ, 0), τ by sorting. Within 1e-13 of the size of p, and exactly 0 never: the frontier is
 * approached from inside. */
static void test_simplex(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (size_t n = 2; n <= 20; n++) {
        hcr_builder *builder = outputs(n);
        double ones[MOST], p[MOST], y[MOST], sorted[MOST];
        for (size_t j = 0; j < n; j++) {
            const double zero = 0;
            ones[j] = 1;
            assert_int_equal(hcr_builder_add_bounds(builder, j, 1, &zero, NULL, NULL), HCR_OK);
        }
        equality(builder, ones, 1);
        hcr_region *region = made(builder);
        hcr_projector *projector = projector_of(region);
        for (int round = 0; round < 40; round++) {
            const double scale = round % 4 == 3 ? 1e3 : 1;
            normal(&random, n, scale, p);
            project(projector, p, y);
            memcpy(sorted, p, n * sizeof *p);
            qsort(sorted, n, sizeof *sorted, descending);
            double sum = 0, tau = 0;
            for (size_t k = 0; k < n; k++) {
                sum += sorted[k];
                if (sorted[k] - (sum - 1) / (double)(k + 1) > 0)
                    tau = (sum - 1) / (double)(k + 1);
            }
            for (size_t j = 0; j < n; j++)
                assert_true(fabs(y[j] - fmax(p[j] - tau, 0)) <= 1e-13 * scale * (double)n);
            check_nearest(region, &random, p, y);
        }
        hcr_projector_free(projector);
        hcr_region_free(region);
    }
}

/* A ball and a plane: onto the plane, then towards the centre of the disc that they have in common. */
static void test_ball_and_plane(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 2);
    for (size_t n = 2; n <= 12; n++) {
        hcr_builder *builder = outputs(n);
        double ones[MOST], a[MOST], p[MOST], y[MOST], right[MOST];
        normal(&random, n, 1, a);
        double square = 0;
        for (size_t j = 0; j < n; j++) {
            ones[j] = 1;
            square += a[j] * a[j];
        }
        const double b = 0.5 * sqrt(square);
        diagonal(builder, ones, NULL, 1);
        equality(builder, a, b); /* at the distance 1/2 from the ball's centre */
        hcr_region *region = made(builder);
        hcr_projector *projector = projector_of(region);
        for (int round = 0; round < 10; round++) {
            normal(&random, n, 3, p);
            project(projector, p, y);
            double along = -b, length = 0;
            for (size_t j = 0; j < n; j++)
                along += a[j] * p[j];
            for (size_t j = 0; j < n; j++) {
                right[j] = p[j] - along * a[j] / square - b * a[j] / square; /* from the disc's centre */
                length += right[j] * right[j];
            }
            const double shrunk = fmin(1, sqrt(0.75) / sqrt(length));
            for (size_t j = 0; j < n; j++)
                right[j] = b * a[j] / square + shrunk * right[j];
            /* 1e-8 of the distance is 1e-4 of it sideways. */
            assert_true(distance(n, y, right) <= 1.5e-4 * distance(n, p, right) + 1e-13);
            check_nearest(region, &random, p, y);
        }
        hcr_projector_free(projector);
        hcr_region_free(region);
    }
}

/* The second-order cone, open: by its closed form, apex included. */
static void test_cone(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 3);
    for (size_t n = 2; n <= 8; n++) {
        hcr_builder *builder = outputs(n);
        size_t start[MOST];
        uint32_t columns[MOST];
        double ones[MOST], linear[MOST] = {0}, p[MOST], y[MOST], right[MOST];
        for (size_t j = 0; j < n; j++) {
            start[j] = j;
            columns[j] = (uint32_t)j;
            ones[j] = 1;
        }
        linear[n - 1] = 1;
        const hcr_cone cone = {.rows = n - 1, .start = start, .columns = columns, .values = ones, .linear = linear};
        assert_int_equal(hcr_builder_add_cone(builder, &cone, NULL), HCR_OK);
        assert_int_equal(hcr_builder_allow_unbounded(builder, 1, NULL), HCR_OK);
        hcr_region *region = made(builder);
        hcr_projector *projector = projector_of(region);
        for (int round = 0; round < 30; round++) {
            normal(&random, n, 2, p);
            if (round % 3 == 0)
                p[n - 1] = -fabs(p[n - 1]) - 4;
            project(projector, p, y);
            const double t = p[n - 1];
            double length = 0;
            for (size_t j = 0; j + 1 < n; j++)
                length = hypot(length, p[j]);
            const double share = length <= t ? 1 : length <= -t ? 0 : 0.5 * (1 + t / length);
            for (size_t j = 0; j + 1 < n; j++)
                right[j] = share * p[j];
            right[n - 1] = share == 1 ? t : share * length;
            assert_true(distance(n, y, right) <= 1.5e-4 * distance(n, p, right) + 1e-12);
            check_nearest(region, &random, p, y);
        }
        hcr_projector_free(projector);
        hcr_region_free(region);
    }
}

/* Positive semidefinite 2 × 2 matrices [[a, b/√2], [b/√2, c]], open: the negative eigenvalue goes to 0. */
static void test_matrices(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 4);
    const double h = sqrt(0.5), matrices[12] = {1, 0, 0, 0, 0, h, h, 0, 0, 0, 0, 1};
    static const uint32_t all[3] = {0, 1, 2};
    hcr_builder *builder = outputs(3);
    const hcr_lmi lmi = {.size = 2, .terms = 3, .outputs = all, .matrices = matrices};
    assert_int_equal(hcr_builder_add_lmi(builder, &lmi, NULL), HCR_OK);
    assert_int_equal(hcr_builder_allow_unbounded(builder, 1, NULL), HCR_OK);
    hcr_region *region = made(builder);
    hcr_projector *projector = projector_of(region);
    for (int round = 0; round < 100; round++) {
        double p[3], y[3], right[3] = {0};
        normal(&random, 3, 2, p);
        project(projector, p, y);
        const double angle = 0.5 * atan2(2 * h * p[1], p[0] - p[2]);
        for (int k = 0; k < 2; k++) {
            const double c = k == 0 ? cos(angle) : -sin(angle), s = k == 0 ? sin(angle) : cos(angle);
            const double value = fmax(0, c * c * p[0] + 2 * c * s * h * p[1] + s * s * p[2]);
            right[0] += value * c * c;
            right[1] += value * c * s / h;
            right[2] += value * s * s;
        }
        assert_true(distance(3, y, right) <= 1.5e-4 * distance(3, p, right) + 1e-12);
        check_nearest(region, &random, p, y);
    }
    hcr_projector_free(projector);
    hcr_region_free(region);
}

/* Boxes, rows, ellipsoids, cones and equalities at random, from near and far. */
static void test_random(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 5);
    static const double scales[] = {0.5, 2, 30, 1e5};
    for (int round = 0; round < 24; round++) {
        const size_t n = 2 + hcri_random_below(&random, 14);
        hcr_builder *builder = outputs(n);
        double inside[MOST], a[MOST], weight[MOST], p[MOST], y[MOST];
        box(builder, -2, 2);
        normal(&random, n, 0.3, inside);
        for (size_t i = 0; i < n; i++) {
            double at = 0;
            normal(&random, n, 1, a);
            for (size_t j = 0; j < n; j++)
                at += a[j] * inside[j];
            if (i < (size_t)(round % 3) && i + 1 < n)
                equality(builder, a, at);
            else if (round % 2 == 0)
                row(builder, a, -INFINITY, at + 0.7);
        }
        for (size_t j = 0; j < n; j++)
            weight[j] = 0.2 + hcri_random_uniform(&random);
        diagonal(builder, weight, inside, 1.2);
        if (round % 4 < 2) {
            const size_t start[3] = {0, 1, 2};
            const uint32_t columns[2] = {0, 1};
            const double values[2] = {1, -2}, linear[MOST] = {0.3, 0.1};
            const hcr_cone cone = {
                .rows = 2, .start = start, .columns = columns, .values = values, .linear = linear, .constant = 3};
            assert_int_equal(hcr_builder_add_cone(builder, &cone, NULL), HCR_OK);
        }
        hcr_region *region = made(builder);
        hcr_projector *projector = projector_of(region);
        for (int k = 0; k < 8; k++) {
            normal(&random, n, scales[k % 4], p);
            project(projector, p, y);
            check_nearest(region, &random, p, y);
        }
        hcr_projector_free(projector);
        hcr_region_free(region);
    }
}

/* Functions: nearest points of {Σ exp(y_j) <= n} and of a smooth ball |y|⁴, by a callback. */
static double sum_exp(void *context, size_t n, const double *y, double *rounding) {
    (void)context;
    double sum = -(double)n;
    for (size_t j = 0; j < n; j++)
        sum += exp(y[j]);
    if (rounding != NULL)
        *rounding = 1e-14 * (sum + 2 * (double)n);
    return sum;
}

static void sum_exp_gradient(void *context, size_t n, const double *y, double *gradient) {
    (void)context;
    for (size_t j = 0; j < n; j++)
        gradient[j] = exp(y[j]);
}

static void test_functions(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 6);
    for (size_t n = 1; n <= 6; n++)
        for (int with_plane = 0; with_plane < 2; with_plane++) {
            if (with_plane && n == 1)
                continue;
            hcr_builder *builder = outputs(n);
            double ones[MOST] = {1, 1, 1, 1, 1, 1}, p[MOST], y[MOST];
            const hcr_callback callback = {
                .name = "sum_exp", .convex = 1, .value = sum_exp, .gradient = sum_exp_gradient};
            assert_int_equal(hcr_builder_add_callback(builder, &callback, NULL), HCR_OK);
            box(builder, -6, INFINITY);
            if (with_plane)
                equality(builder, ones, -1);
            hcr_region *region = made(builder);
            hcr_projector *projector = projector_of(region);
            for (int round = 0; round < 10; round++) {
                normal(&random, n, 4, p);
                project(projector, p, y);
                check_nearest(region, &random, p, y);
            }
            hcr_projector_free(projector);
            hcr_region_free(region);
        }
}

/* A point is its own nearest one where it is all there is, and inside; beside a box that is cut out. */
static void test_edges(void **state) {
    (void)state;
    hcr_builder *builder = outputs(2);
    const double first[2] = {1, 0}, second[2] = {0, 1}, p[4] = {3, -4, 1, 2};
    double y[4];
    uint32_t outcome[2];
    equality(builder, first, 1);
    equality(builder, second, 2);
    hcr_region *region = made(builder);
    hcr_projector *projector = projector_of(region);
    assert_int_equal(hcr_project(projector, 2, NULL, p, y, outcome, NULL, &error), HCR_OK);
    assert_true(y[0] == 1 && y[1] == 2 && y[2] == 1 && y[3] == 2);
    assert_int_equal(outcome[0], HCR_OUTCOME_MOVED);
    assert_int_equal(outcome[1], HCR_OUTCOME_INSIDE);
    hcr_projector_free(projector);
    hcr_region_free(region);

    builder = outputs(2);
    const double zero[2] = {0, 0}, low[2] = {1, 1}, high[2] = {2, 2};
    box(builder, -3, 3);
    assert_int_equal(hcr_builder_begin_group(builder, HCR_GROUP_EXCEPT, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 2, low, high, NULL), HCR_OK);
    assert_int_equal(hcr_builder_end_group(builder, NULL), HCR_OK);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1, zero, NULL), HCR_OK);
    region = made(builder);
    projector = projector_of(region);
    const double covered[2] = {1.5, 1.125};
    assert_int_equal(hcr_project(projector, 1, NULL, covered, y, outcome, NULL, &error), HCR_OK);
    assert_true(fabs(y[0] - 1.5) < 1e-12 && y[1] < 1 && y[1] > 1 - 1e-12); /* its surface is cut out, too */
    assert_int_equal(outcome[0], HCR_OUTCOME_MOVED);
    hcr_projector_free(projector);
    hcr_region_free(region);
}

/* An open polytope: y_0 >= 0 and y_1 >= y_0, known by cases. */
static void test_open_polytope(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 7);
    hcr_builder *builder = outputs(2);
    const double zero = 0, difference[2] = {-1, 1};
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 1, &zero, NULL, NULL), HCR_OK);
    row(builder, difference, 0, INFINITY);
    assert_int_equal(hcr_builder_allow_unbounded(builder, 1, NULL), HCR_OK);
    hcr_region *region = made(builder);
    hcr_projector *projector = projector_of(region);
    for (int round = 0; round < 200; round++) {
        const double scale = pow(10, 8 * hcri_random_uniform(&random) - 2);
        double p[2], y[2], right[2];
        normal(&random, 2, scale, p);
        project(projector, p, y);
        const double middle = fmax(0, 0.5 * (p[0] + p[1]));
        right[0] = p[1] >= p[0] ? fmax(p[0], 0) : middle;
        right[1] = p[1] >= p[0] ? (p[0] >= 0 ? p[1] : fmax(p[1], 0)) : middle;
        /* The frontier is kept exactly, this far out by drawing results inwards a bit. */
        assert_true(distance(2, y, right) <= 1e-9 * (scale + distance(2, p, right)));
    }
    hcr_projector_free(projector);
    hcr_region_free(region);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simplex),  cmocka_unit_test(test_ball_and_plane), cmocka_unit_test(test_cone),
        cmocka_unit_test(test_matrices), cmocka_unit_test(test_random),         cmocka_unit_test(test_functions),
        cmocka_unit_test(test_edges),    cmocka_unit_test(test_open_polytope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
