/* Parameters in equalities, which are never dependent, and projection onto the regions of samples. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "origin/equalities/elimination.h"
#include "origin/origin_problem.h"
#include "region/region.h"
#include "unit/origin/regions.h"

enum { MOST = 40 };

static hcr_error error;

static void equality(hcr_builder *builder, const double *a, double right) { row(builder, a, right, right); }

/* Rows whose sides meet are equalities for hcr_builder_finish; for the elimination alone they have to be such. */
static void solid_equality(hcr_builder *builder, const double *a, double right) {
    const size_t n = hcr_builder_columns(builder), start[2] = {0, n};
    uint32_t columns[MOST];
    for (uint32_t j = 0; j < n; j++)
        columns[j] = j;
    assert_int_equal(hcr_builder_add_equalities(builder, 1, start, columns, a, &right, NULL), HCR_OK);
}

static hcr_status eliminate(hcr_builder *builder, hcri_elimination *elimination) {
    assert_int_equal(hcri_builder_begin(builder, NULL), HCR_OK);
    assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
    return hcri_eliminate(&builder->set, elimination, &error);
}

/* Every equality holds for random free outputs and parameters to what hcri_affine_tolerance says; no parameter is
 * dependent, none is in the basis, and that spans the outputs' part of the equalities. */
static void check(const hcr_builder *builder, const hcri_elimination *elimination, size_t rank, hcri_random *random) {
    const hcri_set *set = &builder->set;
    const hcri_affine *affine = &elimination->affine;
    const hcri_rows *rows = &set->equalities.rows;
    double y[MOST], v[MOST];
    hcri_remainders remainders;
    assert_int_equal(hcri_remainders_find(affine, &set->equalities, set->n, &set->allocator, &remainders, &error),
                     HCR_OK);
    assert_int_equal(affine->count, rank);
    for (size_t d = 0; d < rank; d++)
        assert_true(affine->dependent[d] < set->outputs && (d == 0 || affine->dependent[d] > affine->dependent[d - 1]));
    for (int round = 0; round < 20; round++) {
        for (size_t j = 0; j < set->n; j++)
            y[j] = pow(10, round % 5 - 2) * hcri_random_normal(random);
        hcri_affine_complete(affine, y);
        for (size_t e = 0; e < rows->count; e++) {
            const double off = hcri_rows_dot_minus(rows, e, y, set->equalities.right[e]);
            assert_true(fabs(off) <= hcri_affine_tolerance(affine, &set->equalities, &remainders, e, set->outputs, y,
                                                           y + set->outputs, 0x1p-53));
        }
    }
    assert_true(affine->basis.count == rank);
    for (size_t k = 0; k < affine->basis.start[rank]; k++)
        assert_true(affine->basis.columns[k] < set->outputs);
    for (size_t e = 0; e < rows->count; e++) {
        memset(v, 0, sizeof v);
        for (size_t k = rows->start[e]; k < rows->start[e + 1]; k++)
            if (rows->columns[k] < set->outputs)
                v[rows->columns[k]] = rows->values[k];
        hcri_affine_project(affine, v);
        for (size_t j = 0; j < set->outputs; j++)
            assert_true(fabs(v[j]) <= 1e-12); /* coefficients of about 1 */
    }
    hcri_remainders_release(&remainders, &set->allocator);
}

/* One equality; one that fixes an output by parameters, and what follows from it; several in common, dense and sparse.
 */
static void test_never_dependent(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (int round = 0; round < 200; round++) {
        const size_t n = 1 + hcri_random_below(&random, 12), p = 1 + hcri_random_below(&random, 6);
        const size_t rank = 1 + hcri_random_below(&random, n);
        const double density = round % 2 == 0 ? 1 : 0.4;
        hcr_builder *builder = outputs(n);
        parameters(builder, "x", p, -1, 1);
        for (size_t e = 0; e < rank; e++) {
            double a[MOST];
            for (size_t j = 0; j < n + p; j++)
                a[j] = hcri_random_uniform(&random) < density ? hcri_random_normal(&random) : 0;
            a[e] = 3 + hcri_random_uniform(&random); /* independent */
            for (size_t j = 0; j < e; j++)
                a[j] *= 0.1;
            solid_equality(builder, a, hcri_random_normal(&random));
        }
        hcri_elimination elimination;
        if (eliminate(builder, &elimination) != HCR_OK)
            fail_msg("%s", error.text);
        check(builder, &elimination, rank, &random);
        hcri_elimination_release(&elimination, &builder->set.allocator);
        hcr_builder_free(builder);
    }
}

/* An equality is redundant when it agrees in the parameters too; else nothing but they are left in it, and messages
 * name all that lead to that. */
static void test_tied(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 2);
    static const double sum[5] = {1, 1, 0, -1, 0}, twice[5] = {2, 2, 0, -2, 0}, other[5] = {1, 1, 0, 0, -1},
                        fixed[5] = {0, 0, 1, -1, 0}, again[5] = {0, 0, 2, 0, -1}, alone[5] = {0, 0, 0, 1, -1},
                        difference[5] = {1, -1, 0, 0, 0};
    hcri_elimination elimination;
    hcr_builder *builder = outputs(3);
    parameters(builder, "x", 2, 0, 1);
    solid_equality(builder, sum, 2);
    solid_equality(builder, twice, 4);
    solid_equality(builder, fixed, 1);
    assert_int_equal(eliminate(builder, &elimination), HCR_OK);
    check(builder, &elimination, 2, &random);
    hcri_elimination_release(&elimination, &builder->set.allocator);
    hcr_builder_free(builder);

    for (int which = 0; which < 4; which++) {
        builder = outputs(3);
        parameters(builder, "x", 2, 0, 1);
        if (which == 0 || which == 3) {
            source(builder, 1, "first");
            solid_equality(builder, sum, 2);
            source(builder, 2, "second");
            solid_equality(builder, other, 2);
        } else if (which == 1) {
            source(builder, 1, "first");
            solid_equality(builder, fixed, 1);
            source(builder, 2, "second");
            solid_equality(builder, again, 1);
        } else {
            source(builder, 2, "second");
            solid_equality(builder, alone, 0);
        }
        if (which == 3) { /* in a larger group */
            source(builder, 3, "third");
            solid_equality(builder, difference, 0);
        }
        assert_int_equal(eliminate(builder, &elimination), HCR_ERROR_EMPTY);
        assert_non_null(strstr(error.text, "the parameters are tied to each other"));
        assert_non_null(strstr(error.text, "second"));
        assert_true(which == 2 || strstr(error.text, "first") != NULL);
        assert_null(strstr(error.text, "third"));
        hcr_builder_free(builder);
    }

    /* A plain contradiction stays one. */
    builder = outputs(3);
    parameters(builder, "x", 2, 0, 1);
    solid_equality(builder, sum, 2);
    solid_equality(builder, twice, 5);
    assert_int_equal(eliminate(builder, &elimination), HCR_ERROR_EMPTY);
    assert_non_null(strstr(error.text, "no point satisfies"));
    hcr_builder_free(builder);
}

/* y[0] == x, and 0 <= y[0] <= 1 follows from the range of x: what is left is y[1]. */
static void test_implied_by_ranges(void **state) {
    (void)state;
    static const double same[3] = {1, 0, -1}, low[2] = {0, -1}, high[2] = {1, 1};
    hcr_builder *builder = outputs(2);
    parameters(builder, "x", 1, 0, 1);
    equality(builder, same, 0);
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 2, low, high, NULL), HCR_OK);
    hcri_finding finding;
    assert_int_equal(hcri_builder_begin(builder, NULL), HCR_OK);
    assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
    assert_int_equal(hcri_analysis_find(builder, &builder->set, &finding, &error), HCR_OK);
    assert_true(isinf(finding.set->box->lower[0]) && isinf(finding.set->box->upper[0]));
    assert_true(finding.set->box->lower[1] == -1 && finding.set->box->upper[1] == 1);
    assert_true(fabs(finding.inradius - 1) < 1e-9 && finding.origin[0] == 0.5 && fabs(finding.origin[1]) < 1e-9);
    hcri_finding_release(&finding);
    hcr_builder_free(builder);
}

/* ------------------------------------------------------------------------------------------------------- projection */

/* Between bounds that are parameters the nearest point is known; rows whose parameters are out of range, a NaN, or
 * cross have none. */
static void test_project(void **state) {
    (void)state;
    enum { N = 3, ROWS = 200 };
    hcr_builder *builder = outputs(N);
    parameters(builder, "lo", N, 0, 4);
    parameters(builder, "hi", N, 3, 9);
    for (size_t j = 0; j < N; j++) {
        double a[3 * N] = {0};
        a[j] = 1;
        a[N + j] = -1;
        row(builder, a, 0, INFINITY);
        a[N + j] = 0;
        a[2 * N + j] = -1;
        row(builder, a, -INFINITY, 0);
    }
    hcr_region *region = finished(builder);
    hcr_projector *projector = NULL;
    assert_int_equal(hcr_projector_create(region, NULL, &projector, NULL), HCR_OK);
    double x[ROWS][2 * N], p[ROWS][N], y[ROWS][N];
    uint32_t outcome[ROWS];
    uint8_t inside[ROWS];
    hcri_random random;
    hcri_random_seed(&random, 3);
    for (size_t i = 0; i < ROWS; i++) {
        const int as_before = i % 4 == 1;
        for (size_t l = 0; l < N; l++) {
            x[i][l] = as_before ? x[i - 1][l] : 4 * hcri_random_uniform(&random);
            x[i][N + l] =
                as_before ? x[i - 1][N + l] : x[i][l] + (9 - x[i][l]) * (0.4 + 0.6 * hcri_random_uniform(&random));
            x[i][N + l] = fmax(x[i][N + l], 3);
        }
        for (size_t j = 0; j < N; j++)
            p[i][j] = 8 * hcri_random_normal(&random);
    }
    x[10][0] = 5;
    x[20][N] = NAN;
    x[30][0] = 3.5;
    x[30][N] = 3.25;
    p[40][1] = NAN;
    assert_int_equal(hcr_project(projector, ROWS, x[0], p[0], y[0], outcome, NULL, &error), HCR_OK);
    assert_int_equal(hcr_check(region, ROWS, x[0], y[0], inside, NULL, NULL), HCR_OK);
    for (size_t i = 0; i < ROWS; i++) {
        const int nowhere = i == 10 || i == 20 || i == 30;
        assert_int_equal(inside[i], !nowhere);
        if (nowhere || i == 40) {
            assert_int_equal(outcome[i], i == 40   ? HCR_OUTCOME_BAD_VALUE
                                         : i == 30 ? HCR_OUTCOME_NO_ORIGIN
                                                   : HCR_OUTCOME_OUT_OF_RANGE);
            assert_true(nowhere == (isnan(y[i][0]) != 0));
            continue;
        }
        int moved = 0;
        for (size_t j = 0; j < N; j++) {
            const double nearest = fmin(fmax(p[i][j], x[i][j]), x[i][N + j]);
            moved |= nearest != p[i][j];
            assert_true(fabs(y[i][j] - nearest) <= 1e-12 * 9); /* the margin */
        }
        assert_int_equal(outcome[i], moved ? HCR_OUTCOME_MOVED : HCR_OUTCOME_INSIDE);
    }
    assert_int_equal(hcr_project(projector, ROWS, NULL, p[0], y[0], outcome, NULL, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_project(projector, 0, NULL, NULL, NULL, NULL, NULL, &error), HCR_OK);
    hcr_projector_free(projector);
    hcr_region_free(region);
}

/* Onto balls whose middle and radius are parameters: exactly inside, at the known distance. */
static void test_project_onto_balls(void **state) {
    (void)state;
    enum { N = 2, P = 3, ROWS = 100 };
    hcr_builder *builder = outputs(N);
    parameters(builder, "c", N, -1, 1);
    parameters(builder, "r", 1, 0.5, 2);
    static const size_t start[3] = {0, 2, 4};
    static const uint32_t columns[4] = {0, 2, 1, 3};
    static const double values[4] = {1, -1, 1, -1}, linear[5] = {0, 0, 0, 0, 1};
    const hcr_cone cone = {.rows = 2, .start = start, .columns = columns, .values = values, .linear = linear};
    assert_int_equal(hcr_builder_add_cone(builder, &cone, NULL), HCR_OK);
    hcr_region *region = finished(builder);
    hcr_projector *projector = NULL;
    assert_int_equal(hcr_projector_create(region, NULL, &projector, NULL), HCR_OK);
    double x[ROWS][P], p[ROWS][N], y[ROWS][N];
    uint32_t outcome[ROWS];
    uint8_t inside[ROWS];
    hcri_random random;
    hcri_random_seed(&random, 4);
    for (size_t i = 0; i < ROWS; i++) {
        x[i][0] = 2 * hcri_random_uniform(&random) - 1;
        x[i][1] = 2 * hcri_random_uniform(&random) - 1;
        x[i][2] = 0.5 + 1.5 * hcri_random_uniform(&random);
        p[i][0] = 2 * hcri_random_normal(&random);
        p[i][1] = 2 * hcri_random_normal(&random);
    }
    assert_int_equal(hcr_project(projector, ROWS, x[0], p[0], y[0], outcome, NULL, &error), HCR_OK);
    assert_int_equal(hcr_check(region, ROWS, x[0], y[0], inside, NULL, NULL), HCR_OK);
    for (size_t i = 0; i < ROWS; i++) {
        assert_true(inside[i]);
        const double away = hypot(p[i][0] - x[i][0], p[i][1] - x[i][1]);
        const double distance = hypot(p[i][0] - y[i][0], p[i][1] - y[i][1]);
        assert_true(fabs(distance - fmax(0, away - x[i][2])) <= 1e-8 * (1 + distance)); /* as promised */
    }
    hcr_projector_free(projector);
    hcr_region_free(region);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_dependent),    cmocka_unit_test(test_tied),
        cmocka_unit_test(test_implied_by_ranges),  cmocka_unit_test(test_project),
        cmocka_unit_test(test_project_onto_balls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
