/* Regions with equalities: what becomes of the other constraints, origins, bounds, messages. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "origin/origin_problem.h"
#include "region/region.h"
#include "regions.h"

enum { MOST = 40 };

static hcr_error error;

static void equality(hcr_builder *builder, const double *a, double right) {
    const size_t n = hcr_builder_dimension(builder), start[2] = {0, n};
    uint32_t columns[MOST];
    for (uint32_t j = 0; j < n; j++)
        columns[j] = j;
    assert_int_equal(hcr_builder_add_equalities(builder, 1, start, columns, a, &right, NULL), HCR_OK);
}

static void non_negative(hcr_builder *builder) {
    const double zero = 0;
    for (size_t j = 0; j < hcr_builder_dimension(builder); j++)
        assert_int_equal(hcr_builder_add_bounds(builder, j, 1, &zero, NULL, NULL), HCR_OK);
}

static double gauge_at(const hcr_region *region, const double *v) {
    hcr_workspace *workspace = NULL;
    double gauge;
    assert_int_equal(hcr_workspace_create(region, 1, &workspace, NULL), HCR_OK);
    assert_int_equal(hcr_gauge(region, workspace, 1, NULL, v, &gauge, NULL, NULL), HCR_OK);
    hcr_workspace_free(workspace);
    return gauge;
}

/* The largest ball within the simplex is where its symmetry says, and as large: lengths are those within the plane. */
static void test_simplex(void **state) {
    (void)state;
    for (size_t n = 2; n <= MOST; n += 7) {
        hcr_builder *builder = outputs(n);
        double ones[MOST];
        for (size_t j = 0; j < n; j++)
            ones[j] = 1;
        non_negative(builder);
        equality(builder, ones, 1);
        hcri_finding finding;
        assert_int_equal(hcri_builder_begin(builder, NULL), HCR_OK);
        assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
        assert_int_equal(hcri_analysis_find(builder, &builder->set, &finding, NULL), HCR_OK);
        for (size_t j = 0; j < n; j++) {
            assert_true(fabs(finding.origin[j] - 1 / (double)n) <= 1e-9);
            assert_true(finding.lower[j] == 0 && fabs(finding.upper[j] - 1) <= 1e-5);
        }
        assert_true(fabs(finding.inradius * sqrt((double)(n * (n - 1))) - 1) <= 1e-6);
        hcri_finding_release(&finding);
        hcr_builder_free(builder);
    }
}

/* The same with the plane written in several ways: all leave the same region. */
static void test_redundant(void **state) {
    (void)state;
    static const double ones[3] = {1, 1, 1}, twos[3] = {2, 2, 2}, tiny[3] = {1e-8, 1e-8, 1e-8},
                        huge[3] = {1e9, 1e9, 1e9};
    double origin[3] = {0}, lower[3] = {0}, upper[3] = {0};
    for (int way = 0; way < 6; way++) {
        hcr_builder *builder = outputs(3);
        const double limits[3] = {0.9, 0.8, 0.7};
        assert_int_equal(hcr_builder_add_bounds(builder, 0, 3, NULL, limits, NULL), HCR_OK);
        non_negative(builder);
        switch (way) {
        case 0: equality(builder, ones, 1); break;
        case 1:
            equality(builder, ones, 1);
            equality(builder, ones, 1);
            equality(builder, ones, 1);
            break;
        case 2:
            equality(builder, ones, 1);
            equality(builder, twos, 2);
            break;
        case 3:
            equality(builder, huge, 1e9);
            equality(builder, tiny, 1e-8);
            break;
        case 4: row(builder, ones, 1, 1); break;
        default:
            row(builder, twos, 2, 2);
            row(builder, ones, -1, 1);
            row(builder, ones, 1, 5);
            break;
        }
        assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_CHEBYSHEV, 0, NULL, NULL), HCR_OK);
        hcr_region *region = finished(builder);
        assert_int_equal(hcr_region_freedom(region), 2);
        assert_int_equal(hcr_region_equalities(region), 1);
        for (size_t j = 0; j < 3; j++) {
            if (way == 0) {
                origin[j] = hcr_region_origin(region)[j];
                lower[j] = hcr_region_lower(region)[j];
                upper[j] = hcr_region_upper(region)[j];
            }
            assert_true(fabs(hcr_region_origin(region)[j] - origin[j]) <= 1e-9);
            assert_true(fabs(hcr_region_lower(region)[j] - lower[j]) <= 1e-9);
            assert_true(fabs(hcr_region_upper(region)[j] - upper[j]) <= 1e-9);
        }
        hcr_region_free(region);
    }
}

/* y_D = c + T z written as equalities, and the same inequalities in z, worked out here: gauges are the same. */
static void test_against_substitution(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 2);
    for (int round = 0; round < 60; round++) {
        const size_t k = 1 + hcri_random_below(&random, 8), d = 1 + hcri_random_below(&random, 4), n = k + d;
        double T[4][8], c[4], a[MOST] = {0}, reduced[MOST], weight[MOST], zero[MOST] = {0}, origin[MOST] = {0};
        hcr_builder *full = outputs(n), *free_alone = outputs(k);
        for (size_t i = 0; i < d; i++) {
            memset(a, 0, sizeof a);
            c[i] = origin[k + i] = 0.3 * hcri_random_normal(&random);
            for (size_t j = 0; j < k; j++) {
                T[i][j] = hcri_random_uniform(&random) < 0.7 ? hcri_random_normal(&random) : 0;
                a[j] = -T[i][j];
            }
            a[k + i] = 1;
            equality(full, a, c[i]);
        }
        box(full, -2, 2);
        box(free_alone, -2, 2);
        for (size_t i = 0; i < d; i++) /* the bounds of y_D */
            row(free_alone, T[i], -2 - c[i], 2 - c[i]);
        for (int r = 0; r < 6; r++) {
            double moved = 0;
            for (size_t j = 0; j < n; j++)
                a[j] = hcri_random_normal(&random);
            for (size_t j = 0; j < k; j++)
                reduced[j] = a[j];
            for (size_t i = 0; i < d; i++) {
                moved += a[k + i] * c[i];
                for (size_t j = 0; j < k; j++)
                    reduced[j] += a[k + i] * T[i][j];
            }
            row(full, a, -4, 4);
            row(free_alone, reduced, -4 - moved, 4 - moved);
        }
        if (round % 2 == 0) { /* Σ w_j y_j² <= 9: ½ z'(W + T'WT)z + (T'Wc)·z + ½ c'Wc <= 4.5 */
            double P[64] = {0}, q[8] = {0}, constant = -4.5;
            for (size_t j = 0; j < n; j++)
                weight[j] = hcri_random_uniform(&random);
            for (size_t j = 0; j < k; j++)
                P[j * k + j] = weight[j];
            for (size_t i = 0; i < d; i++) {
                constant += 0.5 * weight[k + i] * c[i] * c[i];
                for (size_t j = 0; j < k; j++) {
                    q[j] += weight[k + i] * c[i] * T[i][j];
                    for (size_t l = 0; l < k; l++)
                        P[j * k + l] += weight[k + i] * (T[i][j] * T[i][l]);
                }
            }
            diagonal(full, weight, NULL, 3);
            dense(free_alone, P, q, -constant);
        }
        assert_int_equal(hcr_builder_set_origin(full, HCR_ORIGIN_GIVEN, 1, origin, NULL), HCR_OK);
        assert_int_equal(hcr_builder_set_origin(free_alone, HCR_ORIGIN_GIVEN, 1, zero, NULL), HCR_OK);
        hcr_region *one = finished(full), *other = finished(free_alone);
        for (int ray = 0; ray < 20; ray++) {
            double v[MOST], y[MOST], t = 0;
            for (size_t j = 0; j < k; j++)
                v[j] = hcri_random_normal(&random);
            for (size_t i = 0; i < d; i++) {
                v[k + i] = 0;
                for (size_t j = 0; j < k; j++)
                    v[k + i] += T[i][j] * v[j];
            }
            const double here = gauge_at(one, v), there = gauge_at(other, v);
            assert_true(fabs(here - there) <= 1e-10 * there);
            t = 0.999 / here; /* inside, so within what is given as its bounds */
            for (size_t j = 0; j < n; j++) {
                y[j] = one->origin[j] + t * v[j];
                assert_true(y[j] >= one->lower[j] && y[j] <= one->upper[j]);
            }
        }
        /* Bounds are those of the set in z, for the free outputs and as far as rows give them. */
        for (size_t j = 0; j < k && round % 2 == 1; j++) {
            assert_true(fabs(one->lower[j] - other->lower[j]) <= 1e-5);
            assert_true(fabs(one->upper[j] - other->upper[j]) <= 1e-5);
        }
        hcr_region_free(one);
        hcr_region_free(other);
    }
}

/* C16: rows of zeros, also between equalities; C17: equalities alone, and all there is fixed. */
static void test_degenerate(void **state) {
    (void)state;
    static const double zeros[2] = {0, 0}, first[2] = {1, 0}, second[2] = {0, 1};
    hcr_builder *builder = outputs(2);
    box(builder, -1, 1);
    equality(builder, zeros, 0);
    row(builder, zeros, -INFINITY, 4e-8);
    hcr_region *region = finished(builder);
    assert_int_equal(hcr_region_freedom(region), 2);
    assert_true(fabs(hcr_region_origin(region)[0]) <= 1e-12);
    hcr_region_free(region);

    builder = outputs(3);
    const double ones[3] = {1, 1, 1};
    equality(builder, ones, 1);
    assert_int_equal(refused(builder, &error), HCR_ERROR_UNBOUNDED);
    builder = outputs(3);
    equality(builder, ones, 1);
    assert_int_equal(hcr_builder_allow_unbounded(builder, 1, NULL), HCR_OK);
    region = finished(builder);
    assert_int_equal(hcr_region_freedom(region), 2);
    const double *o = hcr_region_origin(region);
    assert_true(fabs(o[0] + o[1] + o[2] - 1) <= 4e-16 && fabs(o[0]) + fabs(o[1]) + fabs(o[2]) < 10);
    hcr_region_free(region);

    builder = outputs(2);
    equality(builder, first, 1);
    const double two = 2;
    assert_int_equal(hcr_builder_add_bounds(builder, 1, 1, &two, &two, NULL), HCR_OK);
    const double limit = 1; /* holds on the frontier: the equality says it all */
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 1, NULL, &limit, NULL), HCR_OK);
    region = finished(builder);
    assert_int_equal(hcr_region_freedom(region), 0);
    assert_true(hcr_region_origin(region)[0] == 1 && hcr_region_origin(region)[1] == 2);
    assert_true(hcr_region_is_bounded(region));
    hcr_region_free(region);

    builder = outputs(2);
    source(builder, 1, "y[0] == 1");
    equality(builder, first, 1);
    source(builder, 2, "y[1] == 2");
    equality(builder, second, 2);
    source(builder, 3, "sum(y) <= 2.5");
    row(builder, ones, -INFINITY, 2.5);
    assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
    assert_non_null(strstr(error.text, "t.region:1: y[0] == 1"));
    assert_non_null(strstr(error.text, "t.region:2: y[1] == 2"));
    assert_non_null(strstr(error.text, "t.region:3: sum(y) <= 2.5"));
}

/* Inequalities that equalities imply are gone, those that they contradict are refused, others stay. */
static void test_implied(void **state) {
    (void)state;
    static const double ones[3] = {1, 1, 1}, rights[3] = {1, 0.5, 2}, weight[3] = {1, 1, 1};
    for (int i = 0; i < 3; i++) {
        hcr_builder *builder = outputs(3);
        non_negative(builder);
        source(builder, 1, "sum(y) == 1");
        equality(builder, ones, 1);
        source(builder, 2, "sum(y) <= limit");
        row(builder, ones, -INFINITY, rights[i]);
        if (i == 1) {
            assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
            assert_non_null(strstr(error.text, "t.region:1: sum(y) == 1"));
            assert_non_null(strstr(error.text, "t.region:2: sum(y) <= limit"));
            continue;
        }
        hcr_region *region = finished(builder);
        assert_int_equal(region->existing, i == 0 ? 3 : 4);
        hcr_region_free(region);
    }
    /* A ball that the equalities make a point of: (y_0 − 1)² + … with all of y fixed, on its frontier and outside. */
    for (int outside = 0; outside < 2; outside++) {
        hcr_builder *builder = outputs(3);
        const double point[3] = {2, 0, 0}, centre[3] = {1, 0, 0};
        assert_int_equal(hcr_builder_add_bounds(builder, 0, 3, point, point, NULL), HCR_OK);
        diagonal(builder, weight, centre, outside ? 0.9 : 1);
        if (outside) {
            assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
        } else {
            hcr_region *region = finished(builder);
            assert_int_equal(region->existing, 0);
            hcr_region_free(region);
        }
    }
}

/* A conflict names the equalities that it is made with, and no others. */
static void test_conflict(void **state) {
    (void)state;
    static const double first[4] = {1, 1, 0, 0}, second[4] = {0, 0, 1, 1};
    hcr_builder *builder = outputs(4);
    source(builder, 1, "y >= 0");
    non_negative(builder);
    source(builder, 2, "y[0] + y[1] == -1");
    equality(builder, first, -1);
    source(builder, 3, "y[2] + y[3] == 1");
    equality(builder, second, 1);
    assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
    assert_non_null(strstr(error.text, "no point satisfies all of"));
    assert_non_null(strstr(error.text, "t.region:1: y >= 0 (y["));
    assert_non_null(strstr(error.text, "t.region:2: y[0] + y[1] == -1"));
    assert_null(strstr(error.text, "t.region:3"));
    /* An equality that leaves the simplex one point. */
    builder = outputs(2);
    source(builder, 1, "y >= 0");
    non_negative(builder);
    source(builder, 2, "sum(y) == 0");
    equality(builder, first, 0);
    hcr_region *region = finished(builder);
    assert_int_equal(hcr_region_freedom(region), 0);
    hcr_region_free(region);
}

/* Given origins have to be on the equalities, but for the digits that they were written with; means are projected. */
static void test_wishes(void **state) {
    (void)state;
    static const double ones[3] = {1, 1, 1}, off[3] = {0.3, 0.3, 0.3}, on[3] = {0.2, 0.3, 0.5000000000001};
    hcr_builder *builder = outputs(3);
    non_negative(builder);
    source(builder, 2, "sum(y) == 1");
    equality(builder, ones, 1);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1, off, NULL), HCR_OK);
    hcr_region *region = NULL;
    assert_int_equal(hcr_builder_finish(builder, &region, &error), HCR_ERROR_ORIGIN);
    assert_int_equal(error.line, 2);
    assert_non_null(strstr(error.text, "off by -0.1"));
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1, on, NULL), HCR_OK);
    assert_int_equal(hcr_builder_finish(builder, &region, &error), HCR_OK);
    const double *o = hcr_region_origin(region);
    assert_true(fabs(o[0] + o[1] + o[2] - 1) <= 2.3e-16 && fabs(o[0] - 0.2) <= 1e-12);
    hcr_region_free(region);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_MEAN, 1, off, NULL), HCR_OK);
    assert_int_equal(hcr_builder_finish(builder, &region, &error), HCR_OK);
    for (size_t j = 0; j < 3; j++)
        assert_true(fabs(hcr_region_origin(region)[j] - 1.0 / 3) <= 1e-15);
    hcr_region_free(region);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_ANALYTIC, 0, NULL, NULL), HCR_OK);
    assert_int_equal(hcr_builder_finish(builder, &region, &error), HCR_OK);
    for (size_t j = 0; j < 3; j++)
        assert_true(fabs(hcr_region_origin(region)[j] - 1.0 / 3) <= 1e-7);
    hcr_region_free(region);
    hcr_builder_free(builder);
}

/* Memory that runs out anywhere is an error, and nothing is lost. */
typedef struct scarce {
    size_t left;
    long live;
} scarce;

static void *scarce_allocate(void *context, size_t bytes) {
    scarce *at = context;
    if (at->left == 0)
        return NULL;
    at->left--;
    at->live++;
    return malloc(bytes);
}

static void scarce_release(void *context, void *memory) {
    ((scarce *)context)->live--;
    free(memory);
}

static void test_memory(void **state) {
    (void)state;
    static const double ones[3] = {1, 1, 1}, other[3] = {1, -1, 0.5};
    for (size_t few = 0;; few += 1 + few / 40) {
        scarce at = {SIZE_MAX, 0};
        const hcr_allocator allocator = {scarce_allocate, scarce_release, &at};
        hcr_builder *builder = NULL;
        assert_int_equal(hcr_builder_create(&allocator, &builder, NULL), HCR_OK);
        assert_int_equal(hcr_builder_add_variable(builder, "y", 3, 0, NULL), HCR_OK);
        non_negative(builder);
        equality(builder, ones, 1);
        row(builder, other, 0.1, 0.1);
        diagonal(builder, ones, NULL, 2);
        at.left = few;
        hcr_region *region = NULL;
        const hcr_status status = hcr_builder_finish(builder, &region, &error);
        at.left = SIZE_MAX;
        hcr_region_free(region);
        hcr_builder_free(builder);
        assert_int_equal(at.live, 0);
        if (status == HCR_OK)
            break;
        assert_int_equal(status, HCR_ERROR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simplex),
        cmocka_unit_test(test_redundant),
        cmocka_unit_test(test_against_substitution),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_implied),
        cmocka_unit_test(test_conflict),
        cmocka_unit_test(test_wishes),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
