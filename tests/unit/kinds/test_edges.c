/* Where a kind's formulas end: directions and sides that are 0 or infinite, the edges of domains, origins next to the
 * frontier, the balls that fit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kinds/box/box.h"
#include "kinds/callback/callback.h"
#include "kinds/cone/cone.h"
#include "kinds/expression/expression.h"
#include "kinds/linear/linear.h"
#include "kinds/varying/varying.h"
#include "scratch.h"
#include "unit/functions/tapes.h"

static const hcr_allocator *const allocator = &hcri_default_allocator;

static void place(hcri_constraint *block, const double *origin) {
    assert_int_equal(block->kind->place(block, origin, NULL), HCR_OK);
}

/* y_0 in [−2, 4], y_1 at least −1, y_2 at most 8, of three kinds. */
static hcri_constraint *make_bounds(size_t kind) {
    static const double lower[3] = {-2, -1, -INFINITY}, upper[3] = {4, INFINITY, 8};
    const uint32_t columns[3] = {0, 1, 2};
    const double one = 1;
    hcri_constraint *block = NULL;
    hcri_rows rows = {0};
    for (size_t j = 0; j < 3; j++)
        assert_int_equal(hcri_rows_append(&rows, allocator, 1, columns + j, &one, NULL), HCR_OK);
    if (kind == 0) {
        assert_int_equal(hcri_box_create(3, allocator, &block, NULL), HCR_OK);
        for (size_t j = 0; j < 3; j++) {
            hcri_box_narrow_lower((hcri_box *)block, j, lower[j], 0, 0);
            hcri_box_narrow_upper((hcri_box *)block, j, upper[j], 0, 0);
        }
    } else if (kind == 1) {
        assert_int_equal(hcri_linear_create(3, allocator, &block, NULL), HCR_OK);
        for (size_t j = 0; j < 3; j++)
            assert_int_equal(hcri_linear_append((hcri_linear *)block, (hcri_row){1, columns + j, &one}, lower[j],
                                                upper[j], (hcri_source_row){(uint32_t)j, 0}, NULL),
                             HCR_OK);
    } else {
        const size_t start[4] = {0};
        const hcri_bilinear none = {start, NULL, NULL, NULL};
        assert_int_equal(hcri_varying_create(3, allocator, &rows, &none, lower, upper, &block, NULL), HCR_OK);
    }
    hcri_rows_release(&rows, allocator);
    return block;
}

static void test_bounds(void **state) {
    (void)state;
    static const double origin[3] = {0}, gauges[6] = {0.25, 0.5, 0, 1, 0.125, 0};
    for (size_t kind = 0; kind < 3; kind++) {
        hcri_constraint *block = make_bounds(kind);
        place(block, origin);
        assert_int_equal(block->count, 6);
        for (size_t i = 0; i < 6; i++) {
            const double sign = i % 2 == 0 ? 1 : -1;
            double v[3] = {0}, zero[3] = {0}, minus[3] = {-0.0, -0.0, -0.0};
            v[i / 2] = sign;
            assert_int_equal(block->kind->exists(block, i), gauges[i] > 0);
            assert_true(block->kind->gauge_one(block, i, v, scratch_for(block)) == gauges[i]);
            assert_true(block->kind->along(block, i, v, 3, scratch_for(block)) == 3 * gauges[i] - 1);
            v[i / 2] = -sign; /* the way back, and no way at all: 0 with its sign */
            assert_true(block->kind->gauge_one(block, i, v, scratch_for(block)) == 0 &&
                        !signbit(block->kind->gauge_one(block, i, v, scratch_for(block))));
            assert_true(!signbit(block->kind->gauge_one(block, i, zero, scratch_for(block))));
            assert_true(!signbit(block->kind->gauge_one(block, i, minus, scratch_for(block))));
            /* a better one from before keeps its active constraint, the same one too */
            v[i / 2] = sign;
            for (size_t s = 0; s < 3; s++) {
                double best = gauges[i] * (s == 0 ? 0.5 : s == 1 ? 1 : 2);
                const double before = best;
                uint32_t active_constraint = 99;
                block->first = 10;
                batch_gauge(block, 1, v, 3, &best, &active_constraint, scratch_for(block));
                assert_true(best == fmax(before, gauges[i]));
                assert_int_equal(active_constraint, before < gauges[i] ? 10 + i : 99);
            }
        }
        assert_true(block->kind->inradius(block, scratch_for(block)) == 1);
        hcri_block_release(block);
    }
}

/* On the frontier isn't inside, and the error says which inequality and by how much. */
static void test_origins(void **state) {
    (void)state;
    static const double on[4][3] = {{4, 0, 0}, {-2, 0, 0}, {0, -1, 0}, {0, 0, 8}}, nan[3] = {0, NAN, 0};
    static const int line[4] = {1, 2, 4, 5};
    for (size_t kind = 0; kind < 3; kind++)
        for (size_t k = 0; k < 9; k++) {
            hcri_constraint *block = make_bounds(kind);
            hcr_error error = {0};
            double y[3];
            memcpy(y, k == 8 ? nan : on[k / 2], sizeof y);
            for (size_t j = 0; j < 3 && k % 2 == 1; j++) /* outside by a half, the outputs being 4, −2, −1, 8 */
                y[j] += y[j] == 0 ? 0 : copysign(0.5, y[j]);
            assert_int_equal(block->kind->place(block, y, &error), HCR_ERROR_ORIGIN);
            if (k < 8) {
                assert_int_equal(error.line, line[k / 2]);
                assert_non_null(
                    strstr(error.text, k % 2 == 0 ? "value there is 0, it must" : "value there is 0.5, it"));
            }
            hcri_block_release(block);
        }
}

/* A plane, on one side of y0 = 0 only. */
static double half_known(void *context, size_t n, const double *y, double *rounding) {
    (void)n;
    if (rounding != NULL)
        *rounding = 0;
    const double side = *(const double *)context;
    return side * y[0] >= 0 ? 3 * y[0] + 5 * y[1] - 7 : NAN;
}

static void test_one_sided_differences(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        double side = k == 0 ? 1 : -1;
        const hcr_callback function = {"half", &side, 1, half_known, NULL, NULL};
        hcri_constraint *block = NULL;
        assert_int_equal(hcri_callback_create(2, allocator, &function, HCRI_NEWTON, &block, NULL), HCR_OK);
        const double edge[2] = {0, 100};
        double gradient[2] = {1, 1};
        block->kind->add_gradient(block, 0, edge, 2, gradient, scratch_for(block));
        /* the steps are 2⁻¹⁷ of the input, the values' rounding 2⁻⁴³ */
        assert_true(fabs(gradient[0] - 7) <= 1e-6 && fabs(gradient[1] - 11) <= 1e-6);
        hcri_block_release(block);
    }
}

static double slab(void *context, size_t n, const double *y, double *rounding) {
    (void)context;
    (void)n;
    if (rounding != NULL)
        *rounding = 1e-15;
    return fmax(y[0] / 4 - 1, fmax(-y[0] / 8 - 1, fmax(y[1] / 2 - 1, -y[1] / 3 - 1)));
}

/* The nearest bound along the axes is y_1 <= 2. */
static void test_inradius(void **state) {
    (void)state;
    const double origin[2] = {0};
    const hcr_callback function = {"slab", NULL, 1, slab, NULL, NULL};
    hcri_constraint *block = NULL;
    assert_int_equal(hcri_callback_create(2, allocator, &function, HCRI_BRENT, &block, NULL), HCR_OK);
    place(block, origin);
    assert_true(fabs(block->kind->inradius(block, scratch_for(block)) - 2) <= 1e-12);
    hcri_block_release(block);

    /* e^(y0/4) + e^(−y1/4) − 3: the nearest point is where the gradient at the origin points to, not on an axis;
     * e^(y0/4) + e^(−y1/64) − 3: it is hardly off the axis */
    for (int k = 0; k < 2; k++) {
        hcri_tape tape = {.allocator = allocator};
        const uint32_t columns[2] = {0, 1};
        const double weights[2] = {0.25, k == 0 ? -1.0 / 64 : -0.25};
        uint32_t terms[2];
        for (size_t j = 0; j < 2; j++) {
            const uint32_t affine = put_step(&tape, HCRI_STEP_AFFINE, 0, 0, 1, columns + j, weights + j);
            terms[j] = put_step(&tape, HCRI_STEP_EXP, 0, 0, 1, &affine, NULL);
        }
        put_step(&tape, HCRI_STEP_SUM, -3, 0, 2, terms, NULL);
        block = NULL;
        assert_int_equal(hcri_expression_create(2, allocator, &tape, 1, HCRI_NEWTON, &block, NULL), HCR_OK);
        place(block, origin);
        const double expected = k == 0 ? 4 * log(2) : 4 * sqrt(2) * log(1.5);
        const double found = block->kind->inradius(block, scratch_for(block));
        assert_true(k == 0 ? found <= expected && found >= 0.999 * expected : fabs(found - expected) <= 1e-12);
        hcri_block_release(block);
    }
}

/* e^y <= e but for what the last places are worth: below 0 as computed, and not for certain. */
static void test_uncertain_origin(void **state) {
    (void)state;
    const double origin[1] = {1};
    const uint32_t zero = 0;
    for (int k = 0; k < 2; k++) {
        for (int convex = 0; convex < 2; convex++) {
            hcri_tape tape = {.allocator = allocator};
            hcri_constraint *block = NULL;
            const uint32_t first = put_step(&tape, HCRI_STEP_AFFINE, 0, 0, 1, &zero, NULL);
            const uint32_t second = put_step(&tape, HCRI_STEP_EXP, 0, 0, 1, &first, NULL);
            put_step(&tape, HCRI_STEP_SUM, -(exp(1) + (k == 0 ? 0x1p-51 : 0x1p-45)), 0, 1, &second, NULL);
            assert_int_equal(hcri_expression_create(1, allocator, &tape, convex, HCRI_NEWTON, &block, NULL), HCR_OK);
            assert_true(block->kind->value(block, 0, origin, NULL, scratch_for(block)) < 0);
            assert_int_equal(block->kind->place(block, origin, NULL), k == 0 ? HCR_ERROR_ORIGIN : HCR_OK);
            assert_int_equal(block->kind->holds(block, origin, scratch_for(block)), k != 0);
            hcri_block_release(block);
        }
    }
}

/* −√(1 − y) − ½ stays below 0 up to where its domain ends, which is known but for its own rounding. */
static void test_domain_end(void **state) {
    (void)state;
    hcri_tape tape = {.allocator = allocator};
    const uint32_t zero = 0;
    const double minus = -1, origin[1] = {0}, directions[3] = {1, 0.125, 1e6};
    const uint32_t rest = put_step(&tape, HCRI_STEP_AFFINE, 1, 0, 1, &zero, &minus);
    const uint32_t root = put_step(&tape, HCRI_STEP_SQRT, 0, 0, 1, &rest, NULL);
    put_step(&tape, HCRI_STEP_SUM, -0.5, 0, 1, &root, &minus);
    hcri_constraint *block = NULL;
    assert_int_equal(hcri_expression_create(1, allocator, &tape, 1, HCRI_NEWTON, &block, NULL), HCR_OK);
    place(block, origin);
    for (size_t k = 0; k < 3; k++) {
        const double t = 1 / block->kind->gauge_one(block, 0, directions + k, scratch_for(block)),
                     end = 1 / directions[k];
        assert_true(t < end && t >= end * (1 - 0x1p-50));
    }
    const double back = -1;
    assert_true(block->kind->gauge_one(block, 0, &back, scratch_for(block)) == 0);
    hcri_block_release(block);
}

/* From a point of the frontier of |y0| <= y1, along the mirrored generator: out at once, however short the direction.
 */
static void test_generator(void **state) {
    (void)state;
    hcri_rows rows = {0};
    const uint32_t first = 0;
    const double one = 1, linear[2] = {0, 1}, on[2] = {1, 1}, above[2] = {1, 3}, below[2] = {1, 0.5};
    hcri_constraint *cone = NULL;
    assert_int_equal(hcri_rows_append(&rows, allocator, 1, &first, &one, NULL), HCR_OK);
    assert_int_equal(hcri_cone_create(2, allocator, &rows, NULL, linear, 0, &cone, NULL), HCR_OK);
    hcri_rows_release(&rows, allocator);
    for (int k = -20; k <= 20; k++) {
        const double s = ldexp(1, k), out[2] = {s, -s}, in[2] = {-s, s};
        double enter, leave;
        ends_of(cone->kind->interval(cone, 0, on, out, scratch_for(cone)), &enter, &leave);
        assert_true(enter == 0 && leave == 0);
        ends_of(cone->kind->interval(cone, 0, on, in, scratch_for(cone)), &enter, &leave);
        assert_true(enter == 0 && isinf(leave));
        ends_of(cone->kind->interval(cone, 0, above, out, scratch_for(cone)), &enter, &leave);
        assert_true(enter == 0 && fabs(leave * s - 1) <= 1e-15);
        ends_of(cone->kind->interval(cone, 0, below, in, scratch_for(cone)), &enter, &leave); /* |1 − t s| <= ½ + t s */
        assert_true(fabs(enter * s - 0.25) <= 1e-15 && isinf(leave));
        ends_of(cone->kind->interval(cone, 0, below, out, scratch_for(cone)), &enter, &leave);
        assert_true(isinf(enter));
    }
    hcri_block_release(cone);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounds),
                                       cmocka_unit_test(test_origins),
                                       cmocka_unit_test(test_one_sided_differences),
                                       cmocka_unit_test(test_inradius),
                                       cmocka_unit_test(test_uncertain_origin),
                                       cmocka_unit_test(test_domain_end),
                                       cmocka_unit_test(test_generator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
