/* Nearest points of matrix inequalities along the central path, with rows, equalities and metrics or without: no point
 * of the region is nearer, and the bound of the distance that the path gives on its way holds. */
#include "projection.h"

#include "project/central_path.h"

enum { MOST = 12, REGIONS = 24, POINTS = 12 };

static hcr_error error;

static void must_be(hcr_status status) {
    if (status != HCR_OK)
        fail_msg("%s", error.text);
}

static void add_matrices(hcr_builder *builder, hcri_random *random, size_t n) {
    static const uint32_t outputs_of[MOST] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const size_t m = 2 + (size_t)(10 * hcri_random_uniform(random));
    double constant[MOST * MOST] = {0}, matrices[MOST * MOST * MOST];
    for (size_t a = 0; a < m; a++)
        constant[a * m + a] = 1;
    for (size_t j = 0; j < n; j++)
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b <= a; b++)
                matrices[(j * m + a) * m + b] = matrices[(j * m + b) * m + a] =
                    hcri_random_normal(random) / sqrt((double)m);
    const hcr_lmi lmi = {.size = m, .constant = constant, .terms = n, .outputs = outputs_of, .matrices = matrices};
    must_be(hcr_builder_add_lmi(builder, &lmi, &error));
}

/* One matrix inequality or two, bounds, and by the number's bits a row and an equality. */
static hcr_region *region_of(size_t number, size_t n, hcri_random *random) {
    hcr_region *region = NULL;
    hcr_builder *builder = outputs(n);
    add_matrices(builder, random, n);
    if (number % 3 == 0)
        add_matrices(builder, random, n);
    box(builder, -4, 4);
    double a[MOST];
    const double side = 0.3, sum = 0.1;
    normal(random, n, 1, a);
    if (number & 1)
        must_be(hcr_builder_add_rows(builder, 1, a, NULL, &side, &error));
    const size_t start[2] = {0, n};
    uint32_t columns[MOST];
    for (uint32_t j = 0; j < n; j++)
        columns[j] = j;
    normal(random, n, 1, a);
    if (number & 2)
        must_be(hcr_builder_add_equalities(builder, 1, start, columns, a, &sum, &error));
    must_be(hcr_builder_finish(builder, &region, &error));
    hcr_builder_free(builder);
    return region;
}

/* Q: none, a diagonal, or a full matrix. */
static hcri_metric *metric_of(size_t number, size_t n, hcri_random *random, double *matrix) {
    hcri_metric *metric = NULL;
    double G[MOST * MOST];
    hcr_quadratic quadratic = {.form = number % 4 == 2 ? HCR_QUADRATIC_DIAGONAL : HCR_QUADRATIC_DENSE,
                               .matrix = matrix};
    if (number % 4 < 2)
        return NULL;
    normal(random, n * n, 1, G);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = i == j ? 0.2 : 0;
            for (size_t k = 0; k < n; k++)
                sum += G[i * n + k] * G[j * n + k] / (double)n;
            matrix[quadratic.form == HCR_QUADRATIC_DENSE ? i * n + j : i] = sum;
            if (quadratic.form == HCR_QUADRATIC_DIAGONAL && j == i)
                break;
        }
    must_be(hcri_metric_create(n, &quadratic, 0, 1, &metric, &error));
    return metric;
}

/* No point z of the region has (p − y)'Q(z − y) > 0, up to a share of the sizes: Newton's method is right to 1e-12 or
 * so, and the margin takes as much; a z so near that these count isn't tried. */
static void check_optimal(const hcr_region *region, const hcri_metric *metric, hcri_random *random, const double *p,
                          const double *y) {
    const size_t n = region->set.n;
    hcr_workspace *workspace = NULL;
    double pull[MOST], room[MOST], v[MOST], z[MOST];
    must_be(hcr_workspace_create(region, 1, &workspace, &error));
    for (size_t j = 0; j < n; j++)
        pull[j] = p[j] - y[j];
    hcri_metric_apply(metric, pull, room);
    for (int round = 0; round < 60; round++) {
        const double size = pow(10, 3 * hcri_random_uniform(random) - 2);
        for (size_t j = 0; j < n; j++)
            v[j] = y[j] - region->origin[j] + size * hcri_random_normal(random);
        must_be(hcr_contract(region, workspace, 1, NULL, v, z, NULL, &error));
        double along = 0, way = 0, force = 0;
        for (size_t j = 0; j < n; j++) {
            along += pull[j] * (z[j] - y[j]);
            way += (z[j] - y[j]) * (z[j] - y[j]);
            force += pull[j] * pull[j];
        }
        if (!(along <= 1e-9 * sqrt(force) * (sqrt(way) + 1e-3)))
            fail_msg("n %zu: a point is nearer, by %.3g of the force and the way", n, along / sqrt(force * way));
    }
    hcr_workspace_free(workspace);
}

static double half_square(const hcri_metric *metric, size_t n, const double *a, const double *b) {
    double room[MOST];
    const double distance = hcri_metric_distance(metric, n, a, b, room);
    return 0.5 * distance * distance;
}

/* The path itself: inside, and the least distance is no less than its gap says. */
static void check_path(const hcr_region *region, const hcri_metric *metric, const double *p, const double *nearest) {
    const size_t n = region->set.n;
    hcri_path *path = NULL;
    double y[MOST], gap;
    must_be(hcri_path_create(region, metric, &path, &error));
    assert_non_null(path);
    assert_true(hcri_path_begin(path, p, INFINITY));
    const double least = half_square(metric, n, p, nearest);
    for (int k = 1; k <= 9; k += 2) {
        uint8_t inside;
        (void)hcri_path_follow(path, pow(10, -k), y, &gap);
        must_be(hcr_check(region, 1, NULL, y, &inside, NULL, &error));
        assert_true(inside || region->affine.count != 0); /* equalities hold to rounding */
        const double at = half_square(metric, n, p, y);
        assert_true(at >= least * (1 - 1e-9) && at - gap <= least * (1 + 1e-9));
    }
    assert_true(gap <= 1e-6 * least);
    hcri_path_free(path);
}

static void test_matrices(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 5);
    for (size_t number = 0; number < REGIONS; number++) {
        const size_t n = 3 + number % (MOST - 3);
        hcr_region *region = region_of(number, n, &random);
        double matrix[MOST * MOST];
        hcri_metric *metric = metric_of(number, n, &random, matrix);
        const hcr_quadratic quadratic = {.form = number % 4 == 2 ? HCR_QUADRATIC_DIAGONAL : HCR_QUADRATIC_DENSE,
                                         .matrix = matrix};
        hcr_projector_options options = HCR_PROJECTOR_OPTIONS_INIT;
        options.metric = metric == NULL ? NULL : &quadratic;
        hcr_projector *projector = NULL;
        must_be(hcr_projector_create(region, &options, &projector, &error));
        for (int point = 0; point < POINTS; point++) {
            double p[MOST], y[MOST];
            uint32_t outcome;
            uint8_t inside;
            normal(&random, n, pow(10, point % 3 - 1), p);
            must_be(hcr_project(projector, 1, NULL, p, y, &outcome, NULL, &error));
            must_be(hcr_check(region, 1, NULL, y, &inside, NULL, &error));
            assert_true(inside && outcome != HCR_OUTCOME_NEARBY);
            if (outcome == HCR_OUTCOME_INSIDE)
                continue;
            check_optimal(region, metric, &random, p, y);
            check_path(region, metric, p, y);
        }
        hcr_projector_free(projector);
        hcri_metric_free(metric);
        hcr_region_free(region);
    }
}

/* Correlation matrices, the outputs above the diagonal: positive semidefinite with a diagonal of ones. */
static void nearest_correlation(size_t m, const double *p, double *y) {
    static const uint32_t outputs_of[15] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    const size_t n = m * (m - 1) / 2;
    double constant[36] = {0}, matrices[15 * 36] = {0};
    for (size_t a = 0, j = 0; a < m; a++) {
        constant[a * (m + 1)] = 1;
        for (size_t b = a + 1; b < m; b++, j++)
            matrices[(j * m + a) * m + b] = matrices[(j * m + b) * m + a] = 1;
    }
    hcr_builder *builder = outputs(n);
    hcr_region *region = NULL;
    uint32_t outcome;
    const hcr_lmi lmi = {.size = m, .constant = constant, .terms = n, .outputs = outputs_of, .matrices = matrices};
    must_be(hcr_builder_add_lmi(builder, &lmi, &error));
    must_be(hcr_builder_finish(builder, &region, &error));
    hcr_projector *projector = projector_of(region);
    must_be(hcr_project(projector, 1, NULL, p, y, &outcome, NULL, &error));
    assert_int_equal(outcome, HCR_OUTCOME_MOVED);
    hcr_projector_free(projector);
    hcr_region_free(region);
    hcr_builder_free(builder);
}

/* Higham's example (2002) has p = (1, 0, 1): by symmetry y = (b, c, b), c = 2b² − 1 where the matrix is singular, and
 * the least 2 (b − 1)² + c² is where 4b³ = b + 1. Within 1e-9, which is what the margin takes. */
static void test_correlation(void **state) {
    (void)state;
    const double p[3] = {1, 0, 1};
    double y[3], b = 0.76;
    for (int step = 0; step < 8; step++)
        b -= (4 * b * b * b - b - 1) / (12 * b * b - 1);
    nearest_correlation(3, p, y);
    assert_true(fabs(y[0] - b) <= 1e-9 && fabs(y[2] - b) <= 1e-9 && fabs(y[1] - (2 * b * b - 1)) <= 1e-9);
}

/* The example of nearPD in R's package Matrix, which gets to within 0.0743805 of it in the norm of whole matrices, by
 * alternate projections without Dykstra's correction: a bit farther than the nearest one, which Clarabel has at
 * 0.0742932211. */
static void test_published_correlation(void **state) {
    (void)state;
    const double p[15] = {0.477, 0.644, 0.478, 0.651, 0.826, 0.516, 0.233, 0.682,
                          0.75,  0.599, 0.581, 0.742, 0.741, 0.8,   0.798};
    const double published[15] = {0.487968018, 0.642651880, 0.490638671, 0.644099053, 0.808711185,
                                  0.514114729, 0.250668811, 0.672351311, 0.725832056, 0.596827779,
                                  0.582191779, 0.744963163, 0.729882058, 0.772150225, 0.813191720};
    double y[15], square = 0;
    nearest_correlation(6, p, y);
    for (size_t j = 0; j < 15; j++) {
        assert_true(fabs(y[j] - published[j]) <= 2e-3);
        square += 2 * (y[j] - p[j]) * (y[j] - p[j]);
    }
    assert_true(fabs(sqrt(square) - 0.0742932211) <= 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_correlation),
        cmocka_unit_test(test_published_correlation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
