/* Cones and matrix inequalities at points and along rays: values with their error bounds, gradients where a norm or an
 * eigenvalue has none, intervals from inside and outside, substitutions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "kinds/cone/cone.h"
#include "kinds/lmi/lmi.h"
#include "scratch.h"

static const hcr_allocator *const allocator = &hcri_default_allocator;

static void append(hcri_rows *rows, size_t count, const uint32_t *columns, const double *values) {
    assert_int_equal(hcri_rows_append(rows, allocator, count, columns, values, NULL), HCR_OK);
}

/* |(y0 + s0, 2 y1 + s1)| <= c y0 + e in `n` outputs. */
static hcri_constraint *make_cone(size_t n, double s0, double s1, double c, double e) {
    static const uint32_t columns[2] = {0, 1};
    static const double values[2] = {1, 2};
    const double shift[2] = {s0, s1}, linear[8] = {c};
    hcri_rows rows = {0};
    append(&rows, 1, columns, values);
    append(&rows, 1, columns + 1, values + 1);
    hcri_constraint *cone = NULL;
    assert_int_equal(hcri_cone_create(n, allocator, &rows, shift, linear, e, &cone, NULL), HCR_OK);
    hcri_rows_release(&rows, allocator);
    return cone;
}

/* [[2 + y0, y1], [y1, 1 − y0]] */
static hcri_constraint *make_lmi(void) {
    static const uint32_t columns[2] = {0, 1};
    static const double one = 1, minus = -1, constant[3] = {2, 0, 1};
    hcri_rows terms = {0};
    append(&terms, 1, columns, &one);
    append(&terms, 1, columns + 1, &one);
    append(&terms, 1, columns, &minus);
    hcri_constraint *lmi = NULL;
    assert_int_equal(hcri_lmi_create(2, allocator, 2, constant, &terms, &lmi, NULL), HCR_OK);
    hcri_rows_release(&terms, allocator);
    return lmi;
}

/* −λ_min of it in closed form. */
static double lmi_value(const double *y) { return hypot(y[0] + 0.5, y[1]) - 1.5; }

static void test_values(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 1);
    hcri_constraint *cone = make_cone(2, 0.3, -1, 0.5, 2), *lmi = make_lmi();
    for (size_t k = 0; k < 300; k++) {
        const double size = pow(10, 6 * hcri_random_uniform(&random) - 3);
        const double y[2] = {size * hcri_random_normal(&random), size * hcri_random_normal(&random)};
        double error;
        const double left = hypot(y[0] + 0.3, 2 * y[1] - 1), right = 0.5 * y[0] + 2;
        const double c = cone->kind->value(cone, 0, y, &error, scratch_for(cone));
        assert_true(fabs(c - (left - right)) <= error + 1e-15 * (left + fabs(right)));
        assert_true(error <= 1e-14 * (left + fabs(right) + 1));
        assert_true(!cone->kind->holds(cone, y, scratch_for(cone)) || left <= right * (1 + 1e-15));
        assert_true(cone->kind->holds(cone, y, scratch_for(cone)) || left >= right - 1e-14 * (left + fabs(right) + 1));
        const double d = lmi->kind->value(lmi, 0, y, &error, scratch_for(lmi));
        assert_true(fabs(d - lmi_value(y)) <= error + 1e-15 * (fabs(d) + 1.5));
        assert_true(error <= 1e-13 * (size + 3) * 4);
        if (fabs(d) > 1e-10)
            assert_int_equal(lmi->kind->holds(lmi, y, scratch_for(lmi)), d < 0);
    }
    /* numbers whose squares overflow, and none at all */
    const double far[2] = {-1e200, 0}, lost[2] = {NAN, 0};
    double error;
    assert_true(fabs(cone->kind->value(cone, 0, far, &error, scratch_for(cone)) - 1.5e200) <= 1e187);
    assert_false(cone->kind->holds(cone, far, scratch_for(cone)));
    assert_false(cone->kind->holds(cone, lost, scratch_for(cone)));
    assert_false(lmi->kind->holds(lmi, lost, scratch_for(lmi)));
    hcri_block_release(cone);
    hcri_block_release(lmi);
}

/* At w = 0 the norm has no gradient and at y = (−½, 0) the two eigenvalues of the matrix are the same: what comes is
 * finite and a subgradient, c(z) >= c(y) + g·(z − y). */
static void test_subgradients(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 2);
    hcri_constraint *blocks[2] = {make_cone(2, 0.25, -1, 0.5, 2), make_lmi()};
    const double kinks[2][2] = {{-0.25, 0.5}, {-0.5, 0}};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < 200; i++) {
            const hcri_constraint *block = blocks[k];
            double y[2], z[2], g[2] = {0, 0};
            for (size_t j = 0; j < 2; j++) {
                y[j] = i < 50 ? kinks[k][j] : hcri_random_normal(&random);
                z[j] = y[j] + pow(10, 3 * hcri_random_uniform(&random) - 3) * hcri_random_normal(&random);
            }
            block->kind->add_gradient(block, 0, y, 1, g, scratch_for(block));
            const double change = g[0] * (z[0] - y[0]) + g[1] * (z[1] - y[1]);
            const double at = block->kind->value(block, 0, y, NULL, scratch_for(block)),
                         there = block->kind->value(block, 0, z, NULL, scratch_for(block));
            assert_true(there >= at + change - 1e-13 * (fabs(at) + fabs(there) + 1));
            double twice[2] = {g[0], g[1]};
            block->kind->add_gradient(block, 0, y, -2, twice, scratch_for(block)); /* adds, times the weight */
            assert_true(fabs(twice[0] + g[0]) <= 1e-15 && fabs(twice[1] + g[1]) <= 1e-15);
        }
    for (size_t k = 0; k < 2; k++)
        hcri_block_release(blocks[k]);
}

/* The cone's interval against many points of the ray; the ends are on the frontier. */
static void test_intervals(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 3);
    size_t met = 0, missed = 0, endless = 0;
    for (size_t k = 0; k < 4000; k++) {
        const double growth = k % 4 == 0 ? 0 : k % 4 == 1 ? 1 : 2 * hcri_random_normal(&random);
        hcri_constraint *cone = make_cone(2, hcri_random_normal(&random), hcri_random_normal(&random), growth, 1);
        const double origin[2] = {3 * hcri_random_normal(&random), 3 * hcri_random_normal(&random)};
        const double v[2] = {k % 3 == 0 ? 0 : hcri_random_normal(&random),
                             k % 5 == 0 ? 0 : hcri_random_normal(&random)};
        double enter, leave;
        ends_of(cone->kind->interval(cone, 0, origin, v, scratch_for(cone)), &enter, &leave);
        assert_true(enter >= 0 && (enter <= leave || isinf(enter)));
        for (size_t i = 0; i <= 60; i++) {
            const double t = i == 0 ? 0 : exp2((double)i / 4 - 8);
            const double y[2] = {origin[0] + t * v[0], origin[1] + t * v[1]};
            const double c = cone->kind->value(cone, 0, y, NULL, scratch_for(cone));
            if (fabs(c) > 1e-7 * (1 + t)) /* near an apex, an end's error is the root of the rounding */
                assert_int_equal(c < 0, enter <= t && t <= leave);
        }
        for (int side = 0; side < 2; side++) {
            const double t = side == 0 ? enter : leave;
            const double y[2] = {origin[0] + t * v[0], origin[1] + t * v[1]};
            if (isfinite(t) && t > 0)
                assert_true(fabs(cone->kind->value(cone, 0, y, NULL, scratch_for(cone))) <= 1e-6 * (1 + t));
        }
        met += isfinite(enter) && isfinite(leave);
        missed += isinf(enter) != 0;
        endless += isfinite(enter) && isinf(leave);
        hcri_block_release(cone);
    }
    assert_true(met > 500 && missed > 500 && endless > 100);
}

/* c(k + T z) of the block is c of the substituted one at z, sources and all. */
static void test_substitutions(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 4);
    hcri_constraint *blocks[2] = {make_cone(2, 0.25, -1, 0.5, 2), make_lmi()};
    for (size_t coordinates = 1; coordinates <= 3; coordinates++)
        for (size_t k = 0; k < 2; k++) {
            static const uint32_t columns[3] = {0, 1, 2};
            hcri_rows map = {0};
            double values[2][3], constant[2];
            for (size_t j = 0; j < 2; j++) {
                constant[j] = hcri_random_normal(&random);
                for (size_t q = 0; q < coordinates; q++)
                    values[j][q] = hcri_random_normal(&random);
                append(&map, coordinates, columns, values[j]);
            }
            const hcri_substitution by = {.coordinates = coordinates, .map = map, .constant = constant};
            blocks[k]->source[0] = 5;
            blocks[k]->source_row[0] = 6;
            hcri_constraint *made = NULL;
            assert_int_equal(blocks[k]->kind->substitute(blocks[k], &by, &made, NULL), HCR_OK);
            assert_true(made->n == coordinates && made->source[0] == 5 && made->source_row[0] == 6);
            for (size_t i = 0; i < 20; i++) {
                double z[3], y[2] = {constant[0], constant[1]};
                for (size_t q = 0; q < coordinates; q++) {
                    z[q] = hcri_random_normal(&random);
                    y[0] += values[0][q] * z[q];
                    y[1] += values[1][q] * z[q];
                }
                const double expected = blocks[k]->kind->value(blocks[k], 0, y, NULL, scratch_for(blocks[k]));
                assert_true(fabs(made->kind->value(made, 0, z, NULL, scratch_for(made)) - expected) <=
                            1e-13 * (1 + fabs(expected)));
            }
            hcri_block_release(made);
            hcri_rows_release(&map, allocator);
        }
    /* nothing is left to choose: it holds at (0, 0) and doesn't at (9, 9) */
    hcri_rows map = {0};
    append(&map, 0, NULL, NULL);
    append(&map, 0, NULL, NULL);
    for (size_t k = 0; k < 2; k++)
        for (int holds = 0; holds < 2; holds++) {
            const double constant[2] = {holds ? 0 : 9, holds ? 0 : 9};
            const hcri_substitution by = {.coordinates = 1, .map = map, .constant = constant};
            hcri_constraint *made = blocks[k];
            hcr_error error;
            assert_int_equal(blocks[k]->kind->substitute(blocks[k], &by, &made, &error),
                             holds ? HCR_OK : HCR_ERROR_EMPTY);
            assert_null(made);
        }
    hcri_rows_release(&map, allocator);
    for (size_t k = 0; k < 2; k++)
        hcri_block_release(blocks[k]);
}

/* From inside: `along` is −1 at the origin, 0 where 1/gauge is, and has the sign of the value. */
static void test_along(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 5);
    hcri_constraint *blocks[2] = {make_cone(2, 0.25, -1, 0.5, 2), make_lmi()};
    const double origin[2] = {0.1, 0.2};
    for (size_t k = 0; k < 2; k++) {
        const hcri_constraint *block = blocks[k];
        assert_int_equal(block->kind->place(blocks[k], origin, NULL), HCR_OK);
        for (size_t i = 0; i < 100; i++) {
            const double v[2] = {hcri_random_normal(&random), hcri_random_normal(&random)};
            const double gauge = block->kind->gauge_one(block, 0, v, scratch_for(block));
            assert_true(fabs(block->kind->along(block, 0, v, 0, scratch_for(block)) + 1) <= 1e-15);
            if (gauge > 0)
                assert_true(fabs(block->kind->along(block, 0, v, 1 / gauge, scratch_for(block))) <= 1e-13);
            const double t = 4 * hcri_random_uniform(&random), y[2] = {origin[0] + t * v[0], origin[1] + t * v[1]};
            const double c = block->kind->value(block, 0, y, NULL, scratch_for(block));
            if (fabs(c) > 1e-12)
                assert_int_equal(block->kind->along(block, 0, v, t, scratch_for(block)) > 0, c > 0);
        }
        hcri_block_release(blocks[k]);
    }
    hcri_constraint *cone = make_cone(2, 0, 0, 0, 1), *lmi = make_lmi();
    const double on_frontier[2] = {1, 0};
    hcr_error error;
    assert_int_equal(cone->kind->place(cone, on_frontier, &error), HCR_ERROR_ORIGIN);
    assert_int_equal(error.line, 1);
    assert_int_equal(lmi->kind->place(lmi, on_frontier, &error), HCR_ERROR_ORIGIN);
    assert_int_equal(error.line, 1);
    hcri_block_release(cone);
    hcri_block_release(lmi);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),        cmocka_unit_test(test_subgradients), cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_substitutions), cmocka_unit_test(test_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
