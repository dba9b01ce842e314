/* The box around a region: it holds it, it is tight where that was asked for, and there is none for what has no end. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "origin/bound_propagation.h"
#include "origin/polytope_reach.h"
#include "origin/reach_bounds.h"
#include "region/region.h"
#include "regions.h"
#include "solvers/linear_program.h"

static const double none = INFINITY;

/* The solvers' extremes are widened by 1e-6 of their distance and 1e-9 of the inradius (reach_bounds.h). */
static void check_side(double bound, double extreme, double outwards, double distance) {
    const double beyond = outwards * (bound - extreme);
    if (!(beyond >= -1e-12 * distance && beyond <= 2.1e-6 * distance))
        fail_msg("bound %.17g for %.17g at distance %g", bound, extreme, distance);
}

static double determinant(const double *a, const double *b, const double *c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* The extremes of {A y <= b} in three outputs from all its corners, by Cramer's rule. */
static void corners(size_t rows, const double *A, const double *b, double *lower, double *upper) {
    for (size_t j = 0; j < 3; j++) {
        lower[j] = none;
        upper[j] = -none;
    }
    for (size_t p = 0; p < rows; p++)
        for (size_t q = 0; q < p; q++)
            for (size_t r = 0; r < q; r++) {
                const double whole = determinant(A + 3 * p, A + 3 * q, A + 3 * r);
                if (fabs(whole) < 1e-9)
                    continue;
                double y[3];
                for (size_t j = 0; j < 3; j++) {
                    double m[3][3] = {{0}};
                    memcpy(m[0], A + 3 * p, sizeof m[0]);
                    memcpy(m[1], A + 3 * q, sizeof m[1]);
                    memcpy(m[2], A + 3 * r, sizeof m[2]);
                    m[0][j] = b[p];
                    m[1][j] = b[q];
                    m[2][j] = b[r];
                    y[j] = determinant(m[0], m[1], m[2]) / whole;
                }
                int inside = 1;
                for (size_t i = 0; i < rows; i++)
                    inside &= A[3 * i] * y[0] + A[3 * i + 1] * y[1] + A[3 * i + 2] * y[2] <= b[i] + 1e-9;
                for (size_t j = 0; inside && j < 3; j++) {
                    lower[j] = fmin(lower[j], y[j]);
                    upper[j] = fmax(upper[j], y[j]);
                }
            }
}

static void test_polytopes(void **state) {
    (void)state;
    enum { MOST = 24 };
    hcri_random random;
    hcri_random_seed(&random, 21);
    size_t bounded = 0;
    for (size_t trial = 0; trial < 60; trial++) {
        const size_t rows = 5 + trial % 20;
        double A[3 * MOST], b[MOST], lower[3], upper[3];
        for (size_t i = 0; i < rows; i++) {
            for (size_t j = 0; j < 3; j++)
                A[3 * i + j] = hcri_random_normal(&random);
            b[i] = 0.5 + hcri_random_uniform(&random);
        }
        hcr_builder *builder = outputs(3);
        assert_int_equal(hcr_builder_add_rows(builder, rows, A, NULL, b, NULL), HCR_OK);
        hcr_region *region = NULL;
        hcr_error error;
        const hcr_status status = hcr_builder_finish(builder, &region, &error);
        hcr_builder_free(builder);
        if (status != HCR_OK) { /* few rows leave a direction open */
            assert_int_equal(status, HCR_ERROR_UNBOUNDED);
            continue;
        }
        bounded++;
        corners(rows, A, b, lower, upper);
        for (size_t j = 0; j < 3; j++) {
            const double centre = region->origin[j];
            check_side(region->upper[j], upper[j], 1, upper[j] - centre + region->inradius);
            check_side(region->lower[j], lower[j], -1, centre - lower[j] + region->inradius);
        }
        hcr_region_free(region);
    }
    assert_true(bounded > 30);
}

/* C19: bounds that stand for none. */
static void test_big_bounds(void **state) {
    (void)state;
    static const double rows[8] = {1, 1, 1, -1, -1, 1, -1, -1}, ones[4] = {1, 1, 1, 1};
    hcr_builder *builder = outputs(2);
    box(builder, -1e8, 1e8);
    assert_int_equal(hcr_builder_add_rows(builder, 4, rows, NULL, ones, NULL), HCR_OK);
    hcr_region *region = finished(builder);
    for (size_t j = 0; j < 2; j++) {
        check_side(region->upper[j], 1, 1, 1);
        check_side(region->lower[j], -1, -1, 1);
        assert_true(fabs(region->origin[j]) < 1e-9);
    }
    hcr_region_free(region);

    static const double low[2][2] = {{-1, -INFINITY}, {-1, -1e30}}, high[2][2] = {{INFINITY, 1}, {1e30, 1}};
    for (size_t i = 0; i < 2; i++) {
        hcr_error error;
        builder = outputs(2);
        assert_int_equal(hcr_builder_add_bounds(builder, 0, 2, low[i], high[i], NULL), HCR_OK);
        assert_int_equal(refused(builder, &error), HCR_ERROR_UNBOUNDED);
        assert_non_null(strstr(error.text, "+y[0]"));
    }
}

/* P = V Λ V' with V from Householder's reflection v ↦ v − 2 w (w·v), so that P⁻¹ = V Λ⁻¹ V' is known without a solver.
 */
static void reflected(size_t n, const double *w, const double *diagonal_values, int inverse, double *P) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++) {
                const double vi = (i == k) - 2 * w[i] * w[k], vj = (j == k) - 2 * w[j] * w[k];
                sum += vi * vj * (inverse ? 1 / diagonal_values[k] : diagonal_values[k]);
            }
            P[i * n + j] = P[j * n + i] = sum;
        }
}

static void test_ellipsoids(void **state) {
    (void)state;
    enum { N = 12 };
    hcri_random random;
    hcri_random_seed(&random, 8);
    for (size_t trial = 0; trial < 20; trial++) {
        double w[N], values[N], shift[N], linear[N], P[N * N], inverse[N * N], length = 0;
        const double spread = (double)(trial % 5);
        for (size_t j = 0; j < N; j++) {
            w[j] = hcri_random_normal(&random);
            length += w[j] * w[j];
            values[j] = pow(10, spread * hcri_random_uniform(&random));
            shift[j] = hcri_random_normal(&random);
            linear[j] = 0.1 * hcri_random_normal(&random);
        }
        for (size_t j = 0; j < N; j++)
            w[j] /= sqrt(length);
        reflected(N, w, values, 0, P);
        reflected(N, w, values, 1, inverse);
        /* ½(y − s)'P(y − s) + q·y = ½(y − s + P⁻¹q)'P(…) + q·s − ½q'P⁻¹q */
        double centre[N], room = 0.5 * 9;
        for (size_t i = 0; i < N; i++) {
            centre[i] = shift[i];
            for (size_t j = 0; j < N; j++) {
                centre[i] -= inverse[i * N + j] * linear[j];
                room += 0.5 * linear[i] * inverse[i * N + j] * linear[j];
            }
            room -= linear[i] * shift[i];
        }
        const hcr_quadratic quadratic = {
            .form = HCR_QUADRATIC_DENSE, .matrix = P, .shift = shift, .linear = linear, .radius = 3};
        hcr_builder *builder = outputs(N);
        assert_int_equal(hcr_builder_add_quadratic(builder, &quadratic, NULL), HCR_OK);
        hcr_region *region = finished(builder);
        for (size_t j = 0; j < N; j++) {
            const double reach = sqrt(2 * room * inverse[j * N + j]);
            check_side(region->upper[j], centre[j] + reach, 1, reach + fabs(centre[j]));
            check_side(region->lower[j], centre[j] - reach, -1, reach + fabs(centre[j]));
        }
        hcr_region_free(region);
    }
}

/* y[1] >= y[0]² with y[1] <= 1: each output's bound needs the other's. */
static void test_parabola(void **state) {
    (void)state;
    static const double weight[2] = {2, 0}, linear[2] = {0, -1}, most = 1;
    const hcr_quadratic quadratic = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = weight, .linear = linear};
    hcr_builder *builder = outputs(2);
    assert_int_equal(hcr_builder_add_quadratic(builder, &quadratic, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_bounds(builder, 1, 1, NULL, &most, NULL), HCR_OK);
    hcr_region *region = finished(builder);
    assert_true(fabs(region->upper[0] - 1) < 1e-9 && fabs(region->lower[0] + 1) < 1e-9);
    assert_true(region->upper[1] == 1 && fabs(region->lower[1]) < 1e-9);
    hcr_region_free(region);

    hcr_error error; /* C10 */
    builder = outputs(2);
    assert_int_equal(hcr_builder_add_quadratic(builder, &quadratic, NULL), HCR_OK);
    assert_int_equal(refused(builder, &error), HCR_ERROR_UNBOUNDED);
    assert_non_null(strstr(error.text, "+y[1]"));
}

/* Two singular quadratics that bound each other's open direction, y0² <= 4 and (y0 + y1)² <= 9, dense and factored; and
 * C23. */
static void test_singular(void **state) {
    (void)state;
    static const double first[4] = {1, 0, 0, 0}, both[4] = {1, 1, 1, 1};
    static const size_t start[2] = {0, 2};
    static const uint32_t columns[2] = {0, 1};
    static const double ones[2] = {1, 1};
    for (int factored = 0; factored < 2; factored++) {
        hcr_builder *builder = outputs(2);
        dense(builder, first, NULL, 2);
        const hcr_quadratic factor = {.form = HCR_QUADRATIC_FACTOR,
                                      .rank = 1,
                                      .factor_start = start,
                                      .factor_columns = columns,
                                      .factor_values = ones,
                                      .radius = 3};
        if (factored)
            assert_int_equal(hcr_builder_add_quadratic(builder, &factor, NULL), HCR_OK);
        else
            dense(builder, both, NULL, 4.5);
        hcr_region *region = finished(builder);
        check_side(region->upper[0], 2, 1, 4);
        check_side(region->upper[1], 5, 1, 10);
        check_side(region->lower[1], -5, -1, 10);
        hcr_region_free(region);
    }

    static const double P[9] = {4, -4, 0, -4, 8, -4, 0, -4, 4};
    for (int small = 0; small < 2; small++) {
        const double scale = small ? 1e-12 : 1;
        double scaled[9];
        for (size_t k = 0; k < 9; k++)
            scaled[k] = scale * P[k];
        const hcr_quadratic quadratic = {.form = HCR_QUADRATIC_DENSE, .matrix = scaled, .radius = sqrt(scale)};
        hcr_error error;
        hcr_builder *builder = outputs(3);
        assert_int_equal(hcr_builder_add_quadratic(builder, &quadratic, &error), HCR_OK);
        assert_int_equal(refused(builder, &error), HCR_ERROR_UNBOUNDED);
        assert_non_null(strstr(error.text, "y[0]"));
        builder = outputs(3);
        box(builder, -10, 10);
        assert_int_equal(hcr_builder_add_quadratic(builder, &quadratic, &error), HCR_OK);
        hcr_region *region = finished(builder);
        hcr_workspace *workspace = NULL;
        assert_int_equal(hcr_workspace_create(region, 1, &workspace, NULL), HCR_OK);
        const double v[3] = {1, 0, 0};
        double gauge;
        assert_int_equal(hcr_gauge(region, workspace, 1, NULL, v, &gauge, NULL, NULL), HCR_OK);
        assert_true(fabs(gauge - 2) < 1e-9); /* leaves at ½ */
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* Bounds run along a chain of ten thousand neighbours, forwards and backwards, with no linear program. */
static void test_chain(void **state) {
    (void)state;
    enum { N = 10000 };
    for (size_t end = 0; end < 2; end++) {
        static const double low = 0, high = 1;
        hcr_builder *builder = outputs(N);
        assert_int_equal(hcr_builder_add_bounds(builder, end == 0 ? 0 : N - 1, 1, &low, &high, NULL), HCR_OK);
        neighbours(builder, 1);
        double *box_sides = calloc(2 * N, sizeof *box_sides);
        assert_non_null(box_sides);
        double *lower = box_sides, *upper = box_sides + N;
        assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
        assert_int_equal(hcri_bounds_derive(&builder->set, lower, upper, NULL), HCR_OK);
        for (size_t j = 0; j < N; j++) {
            const double steps = (double)(end == 0 ? j : N - 1 - j);
            assert_true(upper[j] >= 1 + steps && upper[j] <= 1 + steps + 1e-6);
            assert_true(lower[j] <= -steps && lower[j] >= -steps - 1e-6);
        }
        free(box_sides);
        hcr_builder_free(builder);
    }
}

/* Many dense rows: the bounds of all outputs at once against the linear programs that they stand in for, which hold to
 * a tenth (polytope_reach.h), whatever the outputs' units: powers of two up to 2^(sizes − 1). */
static void check_at_once(size_t sizes) {
    enum { N = 30, ROWS = 240 };
    hcri_random random;
    hcri_random_seed(&random, 4);
    double *A = malloc(N * ROWS * sizeof *A), b[ROWS], zero[N] = {0}, reach[2 * N], objective[N] = {0};
    for (size_t r = 0; r < 2 * N; r++)
        reach[r] = r < N ? INFINITY : -INFINITY;
    assert_non_null(A);
    for (size_t k = 0; k < N * ROWS; k++)
        A[k] = hcri_random_normal(&random) * ldexp(1, (int)(k % N % sizes));
    for (size_t i = 0; i < ROWS; i++)
        b[i] = 5 + 5 * hcri_random_uniform(&random);
    hcr_builder *builder = outputs(N);
    assert_int_equal(hcr_builder_add_rows(builder, ROWS, A, NULL, b, NULL), HCR_OK);
    assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
    const double scale = ldexp(1, 1 - (int)sizes); /* as small as the region's radius */
    const hcri_local local = {&builder->set, zero, scale, NULL};
    int found = 0;
    assert_int_equal(hcri_extent_narrow(&local, reach + N, reach, &found, NULL), HCR_OK);
    assert_true(found);
    hcri_program program;
    hcri_lp *lp = NULL;
    assert_int_equal(hcri_local_plain(&local, &program, NULL), HCR_OK);
    assert_int_equal(hcri_lp_create(&program, &lp, NULL), HCR_OK);
    for (size_t r = 0; r < 2 * N; r++) {
        hcri_lp_outcome outcome;
        objective[r % N] = r < N ? 1 : -1;
        assert_int_equal(hcri_lp_maximise(lp, objective, &outcome, NULL), HCR_OK);
        assert_int_equal(outcome, HCRI_LP_OPTIMAL);
        const double value = scale * hcri_lp_value(lp), bound = r < N ? reach[r] : -reach[r];
        assert_true(bound >= value && bound <= 1.15 * value);
        objective[r % N] = 0;
    }
    hcri_lp_free(lp);
    hcri_program_release(&program);
    hcr_region *region = finished(builder);
    assert_true(hcr_region_is_bounded(region));
    hcr_region_free(region);
    free(A);
}

static void test_at_once(void **state) {
    (void)state;
    check_at_once(1);
    check_at_once(6);
    check_at_once(30);
}

/* Nothing that decode returns lies outside the box, whatever the kinds. */
static void test_holds_samples(void **state) {
    (void)state;
    enum { N = 8, SAMPLES = 4000 };
    hcri_random random;
    hcri_random_seed(&random, 9);
    for (size_t trial = 0; trial < 6; trial++) {
        double weight[N], centre[N], P[N * N] = {0}, a[N];
        for (size_t j = 0; j < N; j++) {
            weight[j] = j % 3 == 0 ? 0 : 1 + hcri_random_uniform(&random);
            centre[j] = hcri_random_normal(&random);
            a[j] = hcri_random_normal(&random);
        }
        for (size_t k = 0; k < N - 2; k++) { /* singular */
            double f[N];
            for (size_t j = 0; j < N; j++)
                f[j] = hcri_random_normal(&random);
            for (size_t i = 0; i < N * N; i++)
                P[i] += f[i / N] * f[i % N];
        }
        hcr_builder *builder = outputs(N);
        diagonal(builder, weight, trial % 2 == 0 ? NULL : centre, 4);
        dense(builder, P, NULL, 30);
        row(builder, a, -6, 9);
        if (trial % 3 == 0)
            neighbours(builder, 3);
        hcr_region *region = finished(builder);
        hcr_workspace *workspace = NULL;
        assert_int_equal(hcr_workspace_create(region, 1, &workspace, NULL), HCR_OK);
        for (size_t s = 0; s < SAMPLES; s++) {
            double polar[N + 1], y[N];
            for (size_t j = 0; j < N; j++)
                polar[j] = hcri_random_normal(&random) * (hcri_random_below(&random, 4) == 0 ? 30 : 1);
            polar[N] = 1;
            assert_int_equal(hcr_decode(region, workspace, 1, NULL, polar, y, NULL, NULL), HCR_OK);
            for (size_t j = 0; j < N; j++)
                assert_true(region->lower[j] <= y[j] && y[j] <= region->upper[j]);
        }
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polytopes), cmocka_unit_test(test_big_bounds),    cmocka_unit_test(test_ellipsoids),
        cmocka_unit_test(test_parabola),  cmocka_unit_test(test_singular),      cmocka_unit_test(test_chain),
        cmocka_unit_test(test_at_once),   cmocka_unit_test(test_holds_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
