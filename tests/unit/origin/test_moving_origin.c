/* Origins that move with parameters: known answers, the room that they keep against a linear program over all corners
 * of the range, inequalities of every kind at corners and random parameters, given ones, and refusals. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "origin/equalities/reduction.h"
#include "origin/origin_problem.h"
#include "region/origin_map.h"
#include "region/region.h"
#include "regions.h"
#include "scratch.h"
#include "solvers/linear_program.h"

static const double none = INFINITY;
static hcr_error error;

static void find(hcr_builder *builder, hcri_finding *finding) {
    assert_int_equal(hcri_builder_begin(builder, NULL), HCR_OK);
    assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
    if (hcri_analysis_find(builder, &builder->set, finding, &error) != HCR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(finding->origin_map.parameters, builder->set.n - builder->set.outputs);
}

static void origin_at(const hcri_finding *finding, const double *x, double *point) {
    hcri_origin_map_origin(&finding->origin_map, x, point);
    memcpy(point + finding->origin_map.outputs, x, finding->origin_map.parameters * sizeof *x);
    hcri_affine_complete(&finding->affine, point);
}

/* Parameters at corner number `corner` of the range, or anywhere in it. */
static void corner_of(const hcri_finding *finding, size_t corner, double *x) {
    for (size_t l = 0; l < finding->origin_map.parameters; l++)
        x[l] = (corner >> l & 1) != 0 ? finding->origin_map.upper[l] : finding->origin_map.lower[l];
}

static void anywhere(const hcri_finding *finding, hcri_random *random, double *x) {
    for (size_t l = 0; l < finding->origin_map.parameters; l++)
        x[l] = finding->origin_map.lower[l] +
               hcri_random_uniform(random) * (finding->origin_map.upper[l] - finding->origin_map.lower[l]);
}

/* The least room of the lifted point in bounds and rows, by lengths within the equalities; −c for others: below 0
 * outside. */
static double room_at(const hcri_finding *finding, const double *point) {
    const hcri_set *set = finding->set;
    double room = INFINITY, *a = calloc(set->n, sizeof *a);
    assert_non_null(a);
    for (size_t b = 0; b < set->blocks; b++)
        for (size_t i = 0; i < set->block[b]->count; i++) {
            const hcri_constraint *block = set->block[b];
            if (!block->kind->exists(block, i) || (b == 0 && i >= 2 * set->outputs))
                continue;
            memset(a, 0, set->n * sizeof *a);
            block->kind->add_gradient(block, i, point, 1, a, scratch_for(block));
            memset(a + set->outputs, 0, (set->n - set->outputs) * sizeof *a);
            hcri_affine_project(&finding->affine, a);
            double length = 0;
            for (size_t j = 0; j < set->outputs; j++)
                length = hypot(length, a[j]);
            const double slack = -block->kind->value(block, i, point, NULL, scratch_for(block));
            room = fmin(room, b < 2 && length > 1e-9 ? slack / length : slack);
        }
    free(a);
    return room;
}

/* y[0] between lo and hi. */
static hcr_builder *band(double lo_from, double lo_to, double hi_from, double hi_to) {
    hcr_builder *builder = outputs(1);
    const double above[3] = {1, -1, 0}, below[3] = {1, 0, -1};
    parameters(builder, "lo", 1, lo_from, lo_to);
    parameters(builder, "hi", 1, hi_from, hi_to);
    source(builder, 3, "lo <= y");
    row(builder, above, 0, none);
    source(builder, 4, "y <= hi");
    row(builder, below, -none, 0);
    return builder;
}

static void check_row(const hcri_finding *finding, size_t j, double constant, const double *map) {
    double dense[64] = {0};
    const hcri_rows *rows = &finding->origin_map.map;
    for (size_t k = rows->start[j]; k < rows->start[j + 1]; k++)
        dense[rows->columns[k]] = rows->values[k];
    /* Least squares with a hair of 1e-11 on the diagonal; numbers of few digits come out as such. */
    assert_true(fabs(finding->origin_map.constant[j] - constant) <= 1e-8);
    for (size_t l = 0; l < finding->origin_map.parameters; l++)
        assert_true(fabs(dense[l] - map[l]) <= 1e-9);
}

static void test_known(void **state) {
    (void)state;
    const double half[2] = {0.5, 0.5};
    hcr_builder *builder = band(0, 4, 5, 10);
    hcri_finding finding;
    find(builder, &finding);
    check_row(&finding, 0, 0, half);
    assert_true(finding.origin_map.map.values[0] == 0.5 && fabs(finding.inradius - 0.5) < 1e-9);
    assert_true(finding.lower[0] <= 0 && finding.lower[0] > -1e-3 && finding.upper[0] >= 10 &&
                finding.upper[0] < 10 + 1e-3);
    assert_true(finding.lower[1] == 0 && finding.upper[1] == 4 && finding.lower[2] == 5 && finding.upper[2] == 10);
    assert_true(finding.origin[0] == 4.75 && finding.origin[1] == 2 && finding.origin[2] == 7.5);
    hcri_finding_release(&finding);
    hcr_builder_free(builder);

    /* 0 <= y <= cap */
    const double capped[2] = {1, -1}, zero[3] = {0};
    builder = outputs(1);
    parameters(builder, "cap", 1, 1, 9);
    row(builder, capped, -none, 0);
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 1, zero, NULL, NULL), HCR_OK);
    find(builder, &finding);
    check_row(&finding, 0, 0, half);
    assert_true(fabs(finding.inradius - 0.5) < 1e-9);
    hcri_finding_release(&finding);
    hcr_builder_free(builder);

    /* y >= 0, Σ y == total: the ball within the plane is as large as in the simplex of the least total. */
    const double total[4] = {1, 1, 1, -1}, third[1] = {1.0 / 3};
    builder = outputs(3);
    parameters(builder, "total", 1, 1, 10);
    row(builder, total, 0, 0);
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 3, zero, NULL, NULL), HCR_OK);
    find(builder, &finding);
    for (size_t j = 0; j < 3; j++)
        check_row(&finding, j, 0, third);
    assert_true(fabs(finding.inradius - 1 / sqrt(6)) < 1e-6);
    hcri_finding_release(&finding);
    hcr_builder_free(builder);
}

/* norm(y − c) <= r: the middle moves with c alone. */
static void test_ball(void **state) {
    (void)state;
    hcr_builder *builder = outputs(2);
    parameters(builder, "c", 2, -1, 1);
    parameters(builder, "r", 1, 0.5, 2);
    static const size_t start[3] = {0, 2, 4};
    static const uint32_t columns[4] = {0, 2, 1, 3};
    static const double values[4] = {1, -1, 1, -1}, linear[5] = {0, 0, 0, 0, 1};
    const hcr_cone cone = {.rows = 2, .start = start, .columns = columns, .values = values, .linear = linear};
    assert_int_equal(hcr_builder_add_cone(builder, &cone, NULL), HCR_OK);
    hcri_finding finding;
    find(builder, &finding);
    for (size_t j = 0; j < 2; j++) {
        const double map[3] = {j == 0, j == 1, 0};
        check_row(&finding, j, 0, map);
    }
    assert_true(finding.inradius <= 0.5 && finding.inradius >= 0.98 * 0.5);
    hcri_finding_release(&finding);
    hcr_builder_free(builder);
}

/* ------------------------------------------------------------------------------------------------ the room it keeps */

enum { OUTPUTS = 3, PARAMETERS = 3, ROWS = 9, CORNERS = 1 << PARAMETERS };

/* The largest ball that moves affinely, from one row for every row and corner: no duality. Without equalities. */
static double most_room(const hcri_finding *finding) {
    const hcri_set *set = finding->set;
    const size_t k = set->outputs, p = set->n - k, columns = k * (1 + p) + 1, rows = set->linear->rows.count;
    hcri_program program;
    hcri_lp *lp = NULL;
    hcri_lp_outcome outcome;
    assert_int_equal(hcri_program_create(&program, columns, NULL), HCR_OK);
    uint32_t *column = calloc(columns, sizeof *column);
    double *value = calloc(columns, sizeof *value), *objective = calloc(columns, sizeof *objective), x[PARAMETERS];
    for (size_t corner = 0; corner < CORNERS; corner++) {
        corner_of(finding, corner, x);
        for (size_t i = 0; i < k + rows; i++)
            for (int side = 0; side < 2; side++) {
                double a[OUTPUTS + PARAMETERS] = {0}, length = 0;
                double limit = i < k ? (side == 0 ? set->box->upper[i] : -set->box->lower[i])
                                     : (side == 0 ? set->linear->upper[i - k] : -set->linear->lower[i - k]);
                if (isinf(limit))
                    continue;
                if (i < k)
                    a[i] = 1;
                else
                    for (size_t e = set->linear->rows.start[i - k]; e < set->linear->rows.start[i - k + 1]; e++)
                        a[set->linear->rows.columns[e]] = set->linear->rows.values[e];
                size_t terms = 0;
                for (size_t l = 0; l < p; l++)
                    limit -= (side == 0 ? a[k + l] : -a[k + l]) * x[l];
                for (size_t j = 0; j < k; j++)
                    for (size_t l = 0; l <= p; l++) {
                        column[terms] = (uint32_t)terms;
                        value[terms++] = (side == 0 ? a[j] : -a[j]) * (l == 0 ? 1 : x[l - 1]);
                        length = l == 0 ? hypot(length, a[j]) : length;
                    }
                column[terms] = (uint32_t)terms;
                value[terms++] = length;
                assert_int_equal(
                    hcri_program_add_row(&program, (hcri_row){terms, column, value}, -INFINITY, limit, NULL), HCR_OK);
            }
    }
    objective[columns - 1] = 1;
    assert_int_equal(hcri_lp_create(&program, &lp, NULL), HCR_OK);
    assert_int_equal(hcri_lp_maximise(lp, objective, &outcome, NULL), HCR_OK);
    assert_int_equal(outcome, HCRI_LP_OPTIMAL);
    const double room = hcri_lp_value(lp);
    hcri_lp_free(lp);
    hcri_program_release(&program);
    free(column);
    free(value);
    free(objective);
    return room;
}

/* Random polytopes, of which every row moves: the room that the finding claims is there at all corners, and at one of
 * them no more; it is 90 % of the most that there can be. */
static void test_most_room(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 5);
    size_t with_room = 0;
    for (int round = 0; round < 60; round++) {
        hcr_builder *builder = outputs(OUTPUTS);
        parameters(builder, "x", PARAMETERS, -1, 1 + hcri_random_uniform(&random));
        const double strength = 0.2 + 0.5 * hcri_random_uniform(&random);
        for (size_t i = 0; i < ROWS; i++) {
            double a[OUTPUTS + PARAMETERS];
            for (size_t j = 0; j < OUTPUTS + PARAMETERS; j++)
                a[j] = (j < OUTPUTS ? 1 : strength) * hcri_random_normal(&random);
            row(builder, a, i % 3 == 0 ? -3 : -none, 1 + hcri_random_uniform(&random));
        }
        box(builder, -4, 4);
        hcri_finding finding;
        find(builder, &finding);
        const double most = most_room(&finding);
        double least = INFINITY, x[PARAMETERS], point[OUTPUTS + PARAMETERS];
        for (size_t corner = 0; corner < CORNERS; corner++) {
            corner_of(&finding, corner, x);
            origin_at(&finding, x, point);
            least = fmin(least, room_at(&finding, point));
        }
        if (most > 0.01) {
            with_room++;
            /* 1e-6: what linear programs leave of the ball. */
            assert_true(fabs(least - finding.inradius) <= 1e-6);
            assert_true(least >= 0.9 * most - 1e-6 && least <= most + 1e-6);
        } else if (most < -0.01) {
            assert_true(least < 0 && finding.inradius > 0);
        }
        corner_of(&finding, 0, x);
        for (size_t l = 0; l < PARAMETERS; l++)
            x[l] = 0.5 * (finding.origin_map.lower[l] + finding.origin_map.upper[l]);
        origin_at(&finding, x, point);
        assert_true(room_at(&finding, point) > 0);
        hcri_finding_release(&finding);
        hcr_builder_free(builder);
    }
    assert_true(with_room > 20);
}

/* A band for each of 24 outputs, steps between neighbours and a total that must be met: inside at 2,000 random
 * parameters and 2,000 corners, on the equality, and in the middle of bands whose neighbours don't pull. */
static void test_forecast(void **state) {
    (void)state;
    enum { N = 24, P = 2 * N + 1 };
    hcr_builder *builder = outputs(N);
    parameters(builder, "lo", N, 2, 4);
    parameters(builder, "width", N, 4, 8);
    parameters(builder, "total", 1, 105, 135);
    double a[N + P] = {0};
    for (size_t j = 0; j < N; j++) {
        a[j] = 1;
        a[N + j] = -1;
        row(builder, a, 0, none);
        a[2 * N + j] = -1;
        row(builder, a, -none, 0);
        a[j] = a[N + j] = a[2 * N + j] = 0;
    }
    for (size_t j = 0; j + 1 < N; j++) {
        a[j] = -1;
        a[j + 1] = 1;
        row(builder, a, -8, 8);
        a[j] = a[j + 1] = 0;
    }
    for (size_t j = 0; j < N; j++)
        a[j] = 1;
    a[N + P - 1] = -1;
    row(builder, a, 0, 0);
    hcri_finding finding;
    find(builder, &finding);
    assert_int_equal(finding.affine.count, 1);
    double x[P], point[N + P];
    hcri_random random;
    hcri_random_seed(&random, 6);
    for (int round = 0; round < 4000; round++) {
        if (round % 2 == 0)
            anywhere(&finding, &random, x);
        else
            corner_of(&finding, (size_t)hcri_random_bits(&random), x);
        if (round == 1)
            corner_of(&finding, 0, x);
        origin_at(&finding, x, point);
        assert_true(room_at(&finding, point) >= finding.inradius * (1 - 1e-6));
        double sum = -x[P - 1];
        for (size_t j = 0; j < N; j++)
            sum += point[j];
        assert_true(fabs(sum) < 1e-11);
        for (size_t j = 0; j < N; j++)
            assert_true(finding.lower[j] <= point[j] && point[j] <= finding.upper[j]);
    }
    hcri_finding_release(&finding);
    hcr_builder_free(builder);
}

/* A y == x, G y <= h with 10 equalities, 20 outputs and 10 rows, in the form of a well-known benchmark: h is such that
 * the shortest solution is inside for |x| <= 1, nothing bounds the rest, and moves can keep all rows where they are. */
static void test_moving_equalities(void **state) {
    (void)state;
    enum { N = 20, P = 10, G = 10 };
    hcr_builder *builder = outputs(N);
    parameters(builder, "x", P, -1, 1);
    hcri_random random;
    hcri_random_seed(&random, 7);
    for (size_t i = 0; i < P; i++) {
        double a[N + P] = {0};
        for (size_t j = 0; j < N; j++)
            a[j] = hcri_random_normal(&random);
        a[N + i] = -1;
        row(builder, a, 0, 0);
    }
    for (size_t i = 0; i < G; i++) {
        double a[N + P] = {0};
        for (size_t j = 0; j < N; j++)
            a[j] = hcri_random_normal(&random);
        row(builder, a, -none, 2);
    }
    assert_int_equal(hcr_builder_allow_unbounded(builder, 1, NULL), HCR_OK);
    hcri_finding finding;
    find(builder, &finding);
    assert_int_equal(finding.affine.count, P);
    double x[P], point[N + P], at_zero = 0;
    for (int round = 0; round < 500; round++) {
        if (round == 0)
            memset(x, 0, sizeof x);
        else if (round % 2 == 0)
            anywhere(&finding, &random, x);
        else
            corner_of(&finding, (size_t)hcri_random_bits(&random), x);
        origin_at(&finding, x, point);
        const double room = room_at(&finding, point);
        if (round == 0)
            at_zero = room;
        assert_true(at_zero > 0 && fabs(room - at_zero) <= 1e-6 * at_zero);
    }
    hcri_finding_release(&finding);
    hcr_builder_free(builder);
}

/* ----------------------------------------------------------------------------------------------------- other kinds */

/* Σ w_j (y_j − (c x)_j)² <= 4 beside a row that moves: inside at random parameters and at corners. */
static void test_quadratic(void **state) {
    (void)state;
    enum { N = 4, P = 2 };
    hcri_random random;
    hcri_random_seed(&random, 8);
    for (int round = 0; round < 8; round++) {
        hcr_builder *builder = outputs(N);
        parameters(builder, "x", P, -1, 1);
        size_t start[N + 1];
        uint32_t columns[3 * N];
        double values[3 * N];
        for (uint32_t j = 0; j < N; j++) {
            start[j] = 3 * j;
            columns[3 * j] = j;
            columns[3 * j + 1] = N;
            columns[3 * j + 2] = N + 1;
            values[3 * j] = 1 + hcri_random_uniform(&random);
            values[3 * j + 1] = hcri_random_normal(&random);
            values[3 * j + 2] = hcri_random_normal(&random);
        }
        start[N] = 3 * N;
        const hcr_quadratic quadratic = {.form = HCR_QUADRATIC_FACTOR,
                                         .rank = N,
                                         .factor_start = start,
                                         .factor_columns = columns,
                                         .factor_values = values,
                                         .radius = 2};
        assert_int_equal(hcr_builder_add_quadratic(builder, &quadratic, NULL), HCR_OK);
        double a[N + P];
        for (size_t j = 0; j < N + P; j++)
            a[j] = 0.3 * hcri_random_normal(&random);
        row(builder, a, -none, 1);
        hcri_finding finding;
        find(builder, &finding);
        for (int sample = 0; sample < 200; sample++) {
            double x[P], point[N + P];
            if (sample < 1 << P)
                corner_of(&finding, (size_t)sample, x);
            else
                anywhere(&finding, &random, x);
            origin_at(&finding, x, point);
            assert_true(room_at(&finding, point) > 0);
        }
        hcri_finding_release(&finding);
        hcr_builder_free(builder);
    }
}

/* x0 y0 + x1 y1 <= 1 and y0 + x0 y1 >= −2, in a box: products with parameters. */
static hcr_builder *with_products(int boxed) {
    hcr_builder *builder = outputs(2);
    parameters(builder, "x", 2, 0.5, 2);
    static const size_t start[3] = {0, 0, 1}, product_start[3] = {0, 2, 3};
    static const uint32_t columns[1] = {0}, product_outputs[3] = {0, 1, 1}, product_parameters[3] = {0, 1, 0};
    static const double values[1] = {1}, products[3] = {1, 1, 1}, lower[2] = {-INFINITY, -2}, upper[2] = {1, INFINITY};
    const hcr_varying_rows rows = {.rows = 2,
                                   .start = start,
                                   .columns = columns,
                                   .values = values,
                                   .product_start = product_start,
                                   .product_outputs = product_outputs,
                                   .product_parameters = product_parameters,
                                   .product_values = products,
                                   .lower = lower,
                                   .upper = upper};
    source(builder, 5, "products");
    assert_int_equal(hcr_builder_add_varying_rows(builder, &rows, NULL), HCR_OK);
    if (boxed)
        box(builder, -3, 3);
    return builder;
}

static void test_products(void **state) {
    (void)state;
    hcr_builder *builder = with_products(1);
    hcri_finding finding;
    find(builder, &finding);
    hcri_random random;
    hcri_random_seed(&random, 9);
    for (int sample = 0; sample < 500; sample++) {
        double x[2], point[4];
        if (sample < 4)
            corner_of(&finding, (size_t)sample, x);
        else
            anywhere(&finding, &random, x);
        origin_at(&finding, x, point);
        assert_true(room_at(&finding, point) > 0);
    }
    hcri_finding_release(&finding);
    hcr_builder_free(builder);

    assert_int_equal(refused(with_products(0), &error), HCR_ERROR_UNBOUNDED);
    assert_non_null(strstr(error.text, "Rows whose coefficients depend on parameters bound nothing here"));
}

/* ------------------------------------------------------------------------------------------------------------ given */

static void test_given(void **state) {
    (void)state;
    static const double moves[3] = {0.2, 0.4, 0.5}, still[1] = {4.5}, outside[1] = {3};
    hcr_builder *builder = band(0, 4, 5, 10);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 3, moves, NULL), HCR_OK);
    hcri_finding finding;
    find(builder, &finding);
    check_row(&finding, 0, 0.2, moves + 1);
    /* 0.2 + 0.4 lo + 0.5 hi − lo is least at lo = 4, hi = 5. */
    assert_true(fabs(finding.inradius - 0.3) < 1e-12);
    hcri_finding_release(&finding);

    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1, still, NULL), HCR_OK);
    find(builder, &finding);
    check_row(&finding, 0, 4.5, (const double[2]){0, 0});
    assert_true(fabs(finding.inradius - 0.5) < 1e-12);
    hcri_finding_release(&finding);

    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1, outside, NULL), HCR_OK);
    assert_int_equal(refused(builder, &error), HCR_ERROR_ORIGIN);
    assert_int_equal(error.line, 3);
    assert_non_null(strstr(error.text, "outside by 1 for lo[0] = 4 of"));
    assert_non_null(strstr(error.text, "lo <= y"));

    /* On an equality that moves: a point alone can't be. */
    static const double sums[3] = {1, 1, -1}, one[2] = {0.5, 0.5}, both[4] = {0, 0, 0.25, 0.75};
    builder = outputs(2);
    parameters(builder, "total", 1, 1, 3);
    source(builder, 2, "sum(y) == total");
    row(builder, sums, 0, 0);
    box(builder, 0, 3);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 2, both, NULL), HCR_OK);
    find(builder, &finding);
    check_row(&finding, 0, 0, both + 2);
    check_row(&finding, 1, 0, both + 3);
    hcri_finding_release(&finding);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1, one, NULL), HCR_OK);
    assert_int_equal(refused(builder, &error), HCR_ERROR_ORIGIN);
    assert_non_null(strstr(error.text, "off by 1 of"));
}

/* --------------------------------------------------------------------------------------------------------- refusals */

static void test_refusals(void **state) {
    (void)state;
    /* Nothing at all. */
    hcr_builder *builder = band(3, 4, 1, 2);
    assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
    assert_non_null(strstr(error.text, "lo <= y"));
    assert_non_null(strstr(error.text, "y <= hi"));
    /* Nothing in the middle, where both ends are 5: the best there is around other parameters. */
    builder = band(0, 10, 0, 10);
    hcri_finding finding;
    find(builder, &finding);
    assert_true(finding.origin[1] < finding.origin[0] && finding.origin[0] < finding.origin[2]);
    hcri_finding_release(&finding);
    hcr_builder_free(builder);
    /* Crossing at some parameters only: the best there is around the middle. */
    builder = band(0, 6, 4, 10);
    find(builder, &finding);
    check_row(&finding, 0, 0, (const double[2]){0.5, 0.5});
    hcri_finding_release(&finding);
    hcr_builder_free(builder);
    /* Open above. */
    const double above[2] = {1, -1};
    builder = outputs(1);
    parameters(builder, "lo", 1, 0, 1);
    row(builder, above, 0, none);
    assert_int_equal(refused(builder, &error), HCR_ERROR_UNBOUNDED);
    assert_non_null(strstr(error.text, "+y[0]"));

    builder = band(0, 4, 5, 10);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_ANALYTIC, 0, NULL, NULL), HCR_OK);
    assert_int_equal(refused(builder, &error), HCR_ERROR_UNSUPPORTED);
    builder = band(0, 4, 5, 10);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_MEAN, 0, NULL, NULL), HCR_OK);
    assert_int_equal(refused(builder, &error), HCR_ERROR_UNSUPPORTED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_ball),
        cmocka_unit_test(test_most_room),
        cmocka_unit_test(test_forecast),
        cmocka_unit_test(test_moving_equalities),
        cmocka_unit_test(test_quadratic),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_given),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
