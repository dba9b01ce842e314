/* Origins: central where that is asked for, and strictly inside in every case. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "origin/analytic_centre.h"
#include "region/region.h"
#include "regions.h"
#include "scratch.h"

static const double none = INFINITY;

static double norm(size_t n, const double *a) {
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += a[j] * a[j];
    return sqrt(sum);
}

static void direction(hcri_random *random, size_t n, double *a) {
    for (size_t j = 0; j < n; j++)
        a[j] = hcri_random_normal(random);
    const double length = norm(n, a);
    for (size_t j = 0; j < n; j++)
        a[j] /= length;
}

/* C21a: of many centres the middle one, through bounds, through rows in another order, and through rows turned by 30
 * degrees, for which no guess is right. */
static void test_not_unique(void **state) {
    (void)state;
    static const double low[2] = {0, 0}, high[2] = {10, 1};
    hcr_builder *builder = outputs(2);
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 2, low, high, NULL), HCR_OK);
    hcr_region *region = finished(builder);
    assert_true(hcr_region_origin(region)[0] == 5 && hcr_region_origin(region)[1] == 0.5);
    hcr_region_free(region);

    const double c = cos(0.5235987755982988), s = sin(0.5235987755982988);
    const double along[2] = {c, s}, across[2] = {-s, c}, backwards[2] = {-c, -s}, down[2] = {s, -c};
    for (int order = 0; order < 3; order++) {
        builder = outputs(2);
        if (order == 0) {
            row(builder, along, 0, 10);
            row(builder, across, 0, 1);
        } else {
            row(builder, order == 1 ? across : down, -none, order == 1 ? 1 : 0);
            row(builder, along, -none, 10);
            row(builder, order == 1 ? down : across, -none, order == 1 ? 0 : 1);
            row(builder, backwards, -none, 0);
        }
        region = finished(builder);
        /* The interior-point method's tolerance, 1e-9 of a radius of ½, on the square root of a flat objective. */
        assert_true(fabs(hcr_region_origin(region)[0] - (5 * c - 0.5 * s)) < 1e-4);
        assert_true(fabs(hcr_region_origin(region)[1] - (5 * s + 0.5 * c)) < 1e-4);
        assert_true(fabs(region->inradius - 0.5) < 1e-8);
        hcr_region_free(region);
    }
}

/* C21b */
static void test_known_radius(void **state) {
    (void)state;
    static const double rows[8] = {2, 1, 2, -1, -1, 2, -1, -2}, ones[4] = {1, 1, 1, 1};
    hcr_builder *builder = outputs(2);
    assert_int_equal(hcr_builder_add_rows(builder, 4, rows, NULL, ones, NULL), HCR_OK);
    hcr_region *region = finished(builder);
    assert_true(fabs(region->inradius - 1 / sqrt(5)) < 1e-9);
    hcr_workspace *workspace = NULL;
    assert_int_equal(hcr_workspace_create(region, 1, &workspace, NULL), HCR_OK);
    const double polar[3] = {1, 0, 1};
    double y[2];
    assert_int_equal(hcr_decode(region, workspace, 1, NULL, polar, y, NULL, NULL), HCR_OK);
    assert_true(fabs(y[0] - 0.5) < 1e-8);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* Polytopes made around a ball: n + 1 sides touch it whose normals hold it on all sides (Σ λ_i a_i = 0, λ > 0, which is
 * what makes it largest), the others leave more room. The ball has radius R and its centre is the only one. */
static void test_circumscribed(void **state) {
    (void)state;
    enum { MOST = 30 };
    hcri_random random;
    hcri_random_seed(&random, 11);
    for (size_t trial = 0; trial < 60; trial++) {
        const size_t n = 2 + trial % 9, others = trial % 20;
        double rows[MOST * 10], limits[MOST], centre[10], last[10] = {0};
        const double radius = pow(10, -3 + 6 * hcri_random_uniform(&random));
        for (size_t j = 0; j < n; j++)
            centre[j] = 10 * radius * hcri_random_normal(&random);
        for (size_t i = 0; i < n + 1 + others; i++) {
            double *a = rows + i * n, room = radius;
            if (i < n) {
                direction(&random, n, a);
                const double lambda = 0.5 + hcri_random_uniform(&random);
                for (size_t j = 0; j < n; j++)
                    last[j] -= lambda * a[j];
            } else if (i == n) {
                memcpy(a, last, n * sizeof *a);
            } else {
                direction(&random, n, a);
                room *= 1.1 + 3 * hcri_random_uniform(&random);
            }
            const double size = 0.01 + 100 * hcri_random_uniform(&random);
            limits[i] = room * norm(n, a) * size;
            for (size_t j = 0; j < n; j++) {
                a[j] *= size;
                limits[i] += a[j] * centre[j];
            }
        }
        hcr_builder *builder = outputs(n);
        assert_int_equal(hcr_builder_add_rows(builder, n + 1 + others, rows, NULL, limits, NULL), HCR_OK);
        hcr_region *region = finished(builder);
        /* Rows of a simplex may be nearly parallel, which makes its ball a thousand times less well determined. */
        assert_true(fabs(region->inradius - radius) < 1e-6 * radius);
        hcr_region_free(region);
    }
}

/* Curved: the centre of a ball where nothing else is as near, and the middle of a lens. */
static void test_balls(void **state) {
    (void)state;
    static const double ones[3] = {1, 1, 1}, weights[3] = {1, 4, 0.25}, centre[3] = {1, 2, 3}, left[3] = {0, 0, 0},
                        right[3] = {1.5, 0, 0};
    hcr_builder *builder = outputs(3);
    diagonal(builder, weights, centre, 2);
    box(builder, -10, 10);
    neighbours(builder, 30);
    hcr_region *region = finished(builder);
    assert_memory_equal(hcr_region_origin(region), centre, sizeof centre);
    assert_true(fabs(region->inradius - 1) < 1e-12);
    hcr_region_free(region);

    builder = outputs(3);
    diagonal(builder, ones, left, 1);
    diagonal(builder, ones, right, 1);
    region = finished(builder);
    assert_true(fabs(hcr_region_origin(region)[0] - 0.75) < 1e-6);
    assert_true(fabs(hcr_region_origin(region)[1]) < 1e-6 && fabs(hcr_region_origin(region)[2]) < 1e-6);
    hcr_region_free(region);
}

/* Σ ∇c_i/(−c_i) = 0 at an analytic centre, whatever the kinds. */
static void check_stationary(const hcr_region *region, double tolerance) {
    const hcri_set *set = &region->set;
    double *gradient = calloc(set->n, sizeof *gradient), *sizes = calloc(set->n, sizeof *sizes),
           *one = calloc(set->n, sizeof *one);
    assert_true(gradient != NULL && sizes != NULL && one != NULL);
    for (size_t b = 0; b < set->blocks; b++)
        for (size_t i = 0; i < set->block[b]->count; i++) {
            const hcri_kind *kind = set->block[b]->kind;
            if (!kind->exists(set->block[b], i))
                continue;
            const double c = kind->value(set->block[b], i, region->origin, NULL, scratch_for(set->block[b]));
            memset(one, 0, set->n * sizeof *one);
            kind->add_gradient(set->block[b], i, region->origin, -1 / c, one, scratch_for(set->block[b]));
            for (size_t j = 0; j < set->n; j++) {
                gradient[j] += one[j];
                sizes[j] += fabs(one[j]);
            }
        }
    for (size_t j = 0; j < set->n; j++)
        assert_true(fabs(gradient[j]) <= tolerance * sizes[j]);
    free(gradient);
    free(sizes);
    free(one);
}

static void test_analytic(void **state) {
    (void)state;
    /* A simplex: every y_j is 1/(n + 1). */
    enum { N = 7 };
    double ones[N], zeros[N];
    for (size_t j = 0; j < N; j++) {
        ones[j] = 1;
        zeros[j] = 0;
    }
    hcr_builder *builder = outputs(N);
    assert_int_equal(hcr_builder_add_bounds(builder, 0, N, zeros, NULL, NULL), HCR_OK);
    row(builder, ones, -none, 1);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_ANALYTIC, 0, NULL, NULL), HCR_OK);
    hcr_region *region = finished(builder);
    for (size_t j = 0; j < N; j++)
        assert_true(fabs(hcr_region_origin(region)[j] - 1.0 / (N + 1)) < 1e-7);
    hcr_region_free(region);

    /* log(½ − ½y²) + log y is largest at 1/√3. */
    builder = outputs(1);
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 1, zeros, NULL, NULL), HCR_OK);
    diagonal(builder, ones, NULL, 1);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_ANALYTIC, 0, NULL, NULL), HCR_OK);
    region = finished(builder);
    assert_true(fabs(hcr_region_origin(region)[0] - 1 / sqrt(3)) < 1e-7);
    hcr_region_free(region);

    /* All kinds together. */
    static const size_t start[3] = {0, 2, 4};
    static const uint32_t columns[4] = {0, 3, 1, 2};
    static const double values[4] = {1, -1, 2, 1};
    const hcr_quadratic factor = {.form = HCR_QUADRATIC_FACTOR,
                                  .rank = 2,
                                  .factor_start = start,
                                  .factor_columns = columns,
                                  .factor_values = values,
                                  .linear = ones,
                                  .radius = 3};
    builder = outputs(N);
    box(builder, -1, 2);
    neighbours(builder, 0.7);
    row(builder, ones, -4, 3);
    diagonal(builder, ones, NULL, 2.5);
    assert_int_equal(hcr_builder_add_quadratic(builder, &factor, NULL), HCR_OK);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_ANALYTIC, 0, NULL, NULL), HCR_OK);
    region = finished(builder);
    check_stationary(region, 1e-6);
    hcr_region_free(region);
}

/* The mean as it is when it is well inside, else on the way to the centre, with a twentieth of the centre's room. */
static void test_mean(void **state) {
    (void)state;
    static const double inside[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.3}, outside[4] = {2, 0.5, 4, -0.5};
    hcr_builder *builder = outputs(2);
    box(builder, -1, 1);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_MEAN, 3, inside, NULL), HCR_OK);
    hcr_region *region = finished(builder);
    assert_true(fabs(hcr_region_origin(region)[0] - 0.3) < 1e-15 && fabs(hcr_region_origin(region)[1] - 0.3) < 1e-15);
    hcr_region_free(region);

    builder = outputs(2);
    box(builder, -1, 1);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_MEAN, 2, outside, NULL), HCR_OK);
    region = finished(builder);
    assert_true(fabs(hcr_region_origin(region)[0] - 0.95) < 1e-14 && fabs(hcr_region_origin(region)[1]) < 1e-14);
    hcr_region_free(region);

    builder = outputs(2);
    box(builder, -1, 1);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_MEAN, 0, NULL, NULL), HCR_OK);
    hcr_error error;
    assert_int_equal(refused(builder, &error), HCR_ERROR_ORIGIN);
    assert_non_null(strstr(error.text, "--targets"));
}

/* C21c and d: outside, on a face, a hair inside. */
static void test_given(void **state) {
    (void)state;
    static const double good[2] = {0.25, -0.5}, bad[3][2] = {{2, 0}, {1, 0}, {1 - 1e-12, 0}};
    static const char *const say[3] = {"outside by 1", "on the frontier", "inside by only 1e-12"};
    hcr_builder *builder = outputs(2);
    box(builder, -1, 1);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1, good, NULL), HCR_OK);
    hcr_region *region = finished(builder);
    assert_memory_equal(hcr_region_origin(region), good, sizeof good);
    hcr_region_free(region);
    for (size_t i = 0; i < 3; i++) {
        hcr_error error;
        builder = outputs(2);
        source(builder, 4, "-1 <= y <= 1");
        box(builder, -1, 1);
        assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1, bad[i], NULL), HCR_OK);
        assert_int_equal(refused(builder, &error), HCR_ERROR_ORIGIN);
        assert_int_equal(error.line, 4);
        assert_non_null(strstr(error.text, say[i]));
        assert_non_null(strstr(error.text, "-1 <= y <= 1 (y[0] <= 1)"));
    }
    /* A thin region's own middle is far enough inside. */
    const double thin[2] = {5e-5, 100}, low[2] = {0, 0}, high[2] = {1e-4, 1e6};
    builder = outputs(2);
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 2, low, high, NULL), HCR_OK);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1, thin, NULL), HCR_OK);
    hcr_region_free(finished(builder));
}

/* No random move finds a point with more room: curved sets, where no answer is known. */
static void test_local_optimum(void **state) {
    (void)state;
    enum { N = 6 };
    hcri_random random;
    hcri_random_seed(&random, 5);
    for (size_t trial = 0; trial < 10; trial++) {
        hcr_builder *builder = outputs(N);
        box(builder, -1, 1.5);
        for (size_t q = 0; q < 3; q++) {
            double weight[N], centre[N];
            for (size_t j = 0; j < N; j++) {
                weight[j] = 1;
                centre[j] = 0.4 * hcri_random_normal(&random);
            }
            diagonal(builder, weight, centre, 2);
        }
        hcr_region *region = finished(builder);
        double found, other;
        assert_int_equal(hcri_central_radius(&region->set, region->origin, &found, NULL), HCR_OK);
        /* The program's measure of room is c/w, not the radius: near a frontier they agree, deeper inside by a factor
         * of up to 2, which three balls of one size share; an eighth is what is left of that here. */
        for (size_t k = 0; k < 300; k++) {
            double moved[N];
            for (size_t j = 0; j < N; j++)
                moved[j] = region->origin[j] + 0.3 * found * hcri_random_normal(&random);
            assert_int_equal(hcri_central_radius(&region->set, moved, &other, NULL), HCR_OK);
            assert_true(other < 1.125 * found);
        }
        hcr_region_free(region);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_unique), cmocka_unit_test(test_known_radius),  cmocka_unit_test(test_circumscribed),
        cmocka_unit_test(test_balls),      cmocka_unit_test(test_analytic),      cmocka_unit_test(test_mean),
        cmocka_unit_test(test_given),      cmocka_unit_test(test_local_optimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
