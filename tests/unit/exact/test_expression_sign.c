/* Tapes against MPFI: values, derivatives and floating-point bounds of every kind of step, and the decision by growing
 * precision. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exact/exact_sign.h"
#include "functions/tape_evaluate.h"
#include "kinds/expression/expression.h"
#include "kinds/expression/expression_exact.h"
#include "scratch.h"
#include "unit/functions/tapes.h"

enum { BITS = 400, POINTS = 40 };

/* The value at y in 400 bits, an interval of width 1e-100 or so; for matrices, the closed forms of small ones. 0
 * outside the domain. */
static int reference(const step_case *c, const hcri_tape *tape, const double *y, mpfi_ptr out) {
    mpfi_t at[MOST_OUTPUTS];
    for (size_t j = 0; j < MOST_OUTPUTS; j++) {
        mpfi_init2(at[j], 53);
        mpfi_set_d(at[j], j < c->count ? y[j] : 0);
    }
    const int sound = hcri_tape_interval(tape, at, BITS, out);
    for (size_t j = 0; j < MOST_OUTPUTS; j++)
        mpfi_clear(at[j]);
    return sound;
}

static int is_matrix(const step_case *c) {
    return c->kind == HCRI_STEP_LARGEST_EIGENVALUE || c->kind == HCRI_STEP_NUCLEAR_NORM;
}

static double middle(mpfi_srcptr x) { return mpfi_get_d(x); }

/* low <= x <= high for all of x. */
static int holds_all(hcri_enclosure bounds, mpfi_srcptr x) {
    return mpfr_cmp_d(&x->left, bounds.low) >= 0 && mpfr_cmp_d(&x->right, bounds.high) <= 0;
}

static void test_values_and_bounds(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 1);
    mpfi_t exact;
    mpfi_init2(exact, BITS);
    for (size_t k = 0; k < STEP_CASES; k++) {
        const step_case *c = &step_cases[k];
        hcri_tape tape = tape_of(c);
        double *scratch = malloc(hcri_tape_scratch(&tape) * sizeof *scratch), y[MOST_OUTPUTS];
        assert_non_null(scratch);
        for (int point = 0; point < POINTS && !is_matrix(c); point++) {
            random_point(c, &random, y);
            if (point % 4 == 3) /* any doubles, of all sizes */
                for (size_t j = 0; j < c->count; j++)
                    y[j] = (c->positive ? fabs(y[j]) : y[j]) * exp(3 * hcri_random_normal(&random));
            assert_true(reference(c, &tape, y, exact));
            const double value = hcri_tape_value(&tape, y, scratch);
            const hcri_enclosure bounds = hcri_tape_enclose(&tape, y, scratch);
            if (!holds_all(bounds, exact))
                fail_msg("%s: %.17g isn't in [%.17g, %.17g]", c->name, middle(exact), bounds.low, bounds.high);
            const double off = fmax(bounds.high - value, value - bounds.low) + 0x1p-52 * fabs(value);
            if (isfinite(value) && !(fabs(value - middle(exact)) <= off))
                fail_msg("%s: %.17g, exactly %.17g, bounds off by %g", c->name, value, middle(exact), off);
            if (point % 4 == 3) /* with terms that cancel */
                continue;
            /* A few ulps for each of a few operations, some of which amplify: x^p by p. */
            const double size = fabs(value) + 1, wide = 1e-14 * fmax(1, fabs(c->parameter));
            if (!(fabs(value - middle(exact)) <= wide * size) || !(bounds.high - bounds.low <= 4 * wide * size))
                fail_msg("%s: %.17g in [%.17g, %.17g], exactly %.17g", c->name, value, bounds.low, bounds.high,
                         middle(exact));
        }
        free(scratch);
        hcri_tape_release(&tape);
    }
    mpfi_clear(exact);
}

/* Where sizes are at the ends of what a double can be, or arguments are 0 or tie: bounds must hold, however wide. */
static void test_bounds_of_odd_arguments(void **state) {
    (void)state;
    static const double odd[] = {0,
                                 -0.0,
                                 1,
                                 -1,
                                 0x1p-1074,
                                 -0x1p-1074,
                                 1e-300,
                                 -1e-300,
                                 1e-160,
                                 1e-20,
                                 -1e-20,
                                 1e150,
                                 -1e150,
                                 DBL_MAX,
                                 -DBL_MAX,
                                 709.7,
                                 -745,
                                 1.5707963267948966,
                                 1e10,
                                 -1e10,
                                 0.36787944117144233,
                                 6.283185307179586,
                                 1 + 0x1p-52,
                                 3,
                                 1e22};
    enum { ODD = sizeof odd / sizeof odd[0] };
    hcri_random random;
    hcri_random_seed(&random, 2);
    mpfi_t exact;
    mpfi_init2(exact, BITS);
    for (size_t k = 0; k < STEP_CASES; k++) {
        const step_case *c = &step_cases[k];
        hcri_tape tape = tape_of(c);
        double *scratch = malloc(hcri_tape_scratch(&tape) * sizeof *scratch), y[MOST_OUTPUTS];
        assert_non_null(scratch);
        for (int point = 0; point < 400 && !is_matrix(c); point++) {
            const double same = odd[hcri_random_below(&random, ODD)];
            for (size_t j = 0; j < c->count; j++)
                y[j] = point % 3 == 0 ? same : odd[hcri_random_below(&random, ODD)];
            const hcri_enclosure bounds = hcri_tape_enclose(&tape, y, scratch);
            if (hcri_is_undefined(bounds))
                continue;
            if (!reference(c, &tape, y, exact) || !holds_all(bounds, exact))
                fail_msg("%s of %g …: %.17g isn't in [%.17g, %.17g]", c->name, y[0], middle(exact), bounds.low,
                         bounds.high);
        }
        free(scratch);
        hcri_tape_release(&tape);
    }
    mpfi_clear(exact);
}

/* (φ(t + h) − φ(t − h))/2h and (φ(t + h) − 2 φ(t) + φ(t − h))/h² in 400 bits, h = 2^-30: off by some h² times the next
 * derivatives. */
static void differences(const step_case *c, const hcri_tape *tape, const double *y, const double *v, double found[2]) {
    static const double h = 0x1p-30;
    mpfi_t at[3];
    double moved[MOST_OUTPUTS];
    for (int k = 0; k < 3; k++) {
        mpfi_init2(at[k], BITS);
        for (size_t j = 0; j < c->count; j++)
            moved[j] = y[j] + (k - 1) * h * v[j];
        assert_true(reference(c, tape, moved, at[k]));
    }
    mpfi_t first, second;
    mpfi_init2(first, BITS);
    mpfi_init2(second, BITS);
    mpfi_sub(first, at[2], at[0]);
    mpfi_add(second, at[2], at[0]);
    mpfi_sub(second, second, at[1]);
    mpfi_sub(second, second, at[1]);
    found[0] = middle(first) / (2 * h);
    found[1] = middle(second) / (h * h);
    mpfi_clear(first);
    mpfi_clear(second);
    for (int k = 0; k < 3; k++)
        mpfi_clear(at[k]);
}

/* Two arguments of a max, or a huber's argument and its parameter, within reach of each other: the difference isn't of
 * one piece. */
static int near_a_kink(const step_case *c, const double *y) {
    double x[MOST_OUTPUTS];
    for (size_t k = 0; k < c->count; k++)
        x[k] = y[k] + (c->count == 1 ? 0 : 0.25 * y[(k + 1) % c->count]);
    for (size_t k = 0; k < c->count; k++) {
        if (x[k] == 0 || (c->kind == HCRI_STEP_HUBER && fabs(fabs(x[k]) - c->parameter) < 1e-6))
            return 1;
        for (size_t l = 0; l < k; l++)
            if (fabs(x[k] - x[l]) < 1e-6 ||
                (c->kind == HCRI_STEP_NORM && c->parameter > 100 && fabs(fabs(x[k]) - fabs(x[l])) < 0.1))
                return 1;
    }
    return 0;
}

static void test_derivatives(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 3);
    for (size_t k = 0; k < STEP_CASES; k++) {
        const step_case *c = &step_cases[k];
        hcri_tape tape = tape_of(c);
        double *scratch = malloc(hcri_tape_scratch(&tape) * sizeof *scratch);
        double y[MOST_OUTPUTS], v[MOST_OUTPUTS], start[MOST_OUTPUTS + 1], slope[MOST_OUTPUTS + 1];
        assert_non_null(scratch);
        for (int point = 0; point < POINTS && !is_matrix(c); point++) {
            double jet[3], expected[2], gradient[MOST_OUTPUTS] = {0}, along = 0;
            random_point(c, &random, y);
            random_direction(c, &random, v);
            if (near_a_kink(c, y))
                continue;
            differences(c, &tape, y, v, expected);
            hcri_tape_start(&tape, y, start);
            hcri_tape_slope(&tape, v, slope);
            hcri_tape_jet(&tape, start, slope, 0, 3, jet, scratch);
            /* The differences are good to 1e-16 times the derivative after the next, which near x = 2^-6 is large. */
            const double size = 1 + fabs(expected[0]) + fabs(expected[1]);
            if (!(fabs(jet[1] - expected[0]) <= 1e-11 * size) || !(fabs(jet[2] - expected[1]) <= 1e-9 * size))
                fail_msg("%s: derivatives %.15g and %.15g, not %.15g and %.15g", c->name, jet[1], jet[2], expected[0],
                         expected[1]);
            assert_true(fabs(jet[0] - hcri_tape_value(&tape, y, scratch)) <= 1e-14 * (1 + fabs(jet[0])));
            hcri_tape_add_gradient(&tape, y, 2, gradient, scratch);
            for (size_t j = 0; j < c->count; j++)
                along += gradient[j] * v[j];
            if (!(fabs(along - 2 * jet[1]) <= 1e-12 * size))
                fail_msg("%s: gradient gives %.15g, not %.15g", c->name, along, 2 * jet[1]);
            for (size_t j = 0; j < c->count; j++) {
                double axis[MOST_OUTPUTS] = {0};
                axis[j] = 1;
                differences(c, &tape, y, axis, expected);
                if (!(fabs(gradient[j] - 2 * expected[0]) <= 1e-11 * (size + fabs(expected[1]))))
                    fail_msg("%s: gradient %.15g, not %.15g", c->name, gradient[j], 2 * expected[0]);
            }
        }
        free(scratch);
        hcri_tape_release(&tape);
    }
}

/* Bounds over an interval of a ray hold the values and the slopes at points of it. */
static void test_bounds_along(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 4);
    mpfi_t exact;
    mpfi_init2(exact, BITS);
    size_t defined = 0;
    for (size_t k = 0; k < STEP_CASES; k++) {
        const step_case *c = &step_cases[k];
        hcri_tape tape = tape_of(c);
        double *scratch = malloc(hcri_tape_scratch(&tape) * sizeof *scratch);
        double y[MOST_OUTPUTS], v[MOST_OUTPUTS];
        hcri_enclosure start[MOST_OUTPUTS + 1], slope[MOST_OUTPUTS + 1];
        assert_non_null(scratch);
        for (int point = 0; point < POINTS && !is_matrix(c); point++) {
            random_point(c, &random, y);
            random_direction(c, &random, v);
            hcri_tape_enclose_start(&tape, y, start);
            hcri_tape_enclose_slope(&tape, v, slope);
            const double from = (double)hcri_random_below(&random, 1025) * 0x1p-10;
            const double length = ldexp(1, -(int)hcri_random_below(&random, 16));
            hcri_enclosure rate;
            const hcri_enclosure bounds =
                hcri_tape_enclose_along(&tape, start, slope, hcri_between(from, from + length), &rate, scratch);
            if (hcri_is_undefined(bounds))
                continue;
            defined++;
            for (int part = 0; part <= 4; part++) {
                double at[MOST_OUTPUTS], expected[2];
                for (size_t j = 0; j < c->count; j++)
                    at[j] = y[j] + (from + 0.25 * part * length) * v[j];
                assert_true(reference(c, &tape, at, exact));
                if (!holds_all(bounds, exact))
                    fail_msg("%s: %.17g isn't in [%.17g, %.17g]", c->name, middle(exact), bounds.low, bounds.high);
                if (hcri_is_undefined(rate) || part == 0 || part == 4 || near_a_kink(c, at))
                    continue;
                differences(c, &tape, at, v, expected);
                const double slack = 1e-12 * (1 + fabs(expected[0]) + fabs(expected[1]));
                if (!(expected[0] >= rate.low - slack && expected[0] <= rate.high + slack))
                    fail_msg("%s: the slope %.17g isn't in [%.17g, %.17g]", c->name, expected[0], rate.low, rate.high);
            }
        }
        free(scratch);
        hcri_tape_release(&tape);
    }
    assert_true(defined > STEP_CASES * POINTS / 2);
    mpfi_clear(exact);
}

/* ------------------------------------------------------------------------------------------------------- matrices */

/* The largest eigenvalue of [a b; b c], the sum of singular values of a matrix with two columns, in 400 bits. */
static void eigenvalue_of_two(double a, double b, double c, mpfi_ptr out) {
    mpfi_t t;
    mpfi_init2(t, BITS);
    mpfi_set_d(out, a);
    mpfi_sub_d(out, out, c);
    mpfi_sqr(out, out);
    mpfi_set_d(t, 2 * b);
    mpfi_sqr(t, t);
    mpfi_add(out, out, t);
    mpfi_sqrt(out, out);
    mpfi_add_d(out, out, a);
    mpfi_add_d(out, out, c);
    mpfi_div_d(out, out, 2);
    mpfi_clear(t);
}

/* (σ1 + σ2)² = |X|² + 2 |det X| */
static void nuclear_norm_of_two(const double *x, mpfi_ptr out) {
    mpfi_t t, determinant;
    mpfi_init2(t, BITS);
    mpfi_init2(determinant, BITS);
    mpfi_set_si(out, 0);
    for (int k = 0; k < 4; k++) {
        mpfi_set_d(t, x[k]);
        mpfi_sqr(t, t);
        mpfi_add(out, out, t);
    }
    mpfi_set_d(determinant, x[0]);
    mpfi_mul_d(determinant, determinant, x[3]);
    mpfi_set_d(t, x[1]);
    mpfi_mul_d(t, t, x[2]);
    mpfi_sub(determinant, determinant, t);
    mpfi_abs(determinant, determinant);
    mpfi_mul_d(determinant, determinant, 2);
    mpfi_add(out, out, determinant);
    mpfi_sqrt(out, out);
    mpfi_clear(t);
    mpfi_clear(determinant);
}

static void test_small_matrices(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 5);
    mpfi_t exact;
    mpfi_init2(exact, BITS);
    for (int is_eigenvalue = 0; is_eigenvalue < 2; is_eigenvalue++) {
        hcri_tape tape = {.allocator = &hcri_default_allocator};
        const uint32_t numbers[4] = {0, 1, 2, 3};
        for (uint32_t k = 0; k < 4; k++)
            put_step(&tape, HCRI_STEP_AFFINE, 0, 0, 1, &k, NULL);
        put_step(&tape, is_eigenvalue ? HCRI_STEP_LARGEST_EIGENVALUE : HCRI_STEP_NUCLEAR_NORM, 0, 2, 4, numbers, NULL);
        double *scratch = malloc(hcri_tape_scratch(&tape) * sizeof *scratch);
        assert_non_null(scratch);
        for (int point = 0; point < 400; point++) {
            double y[4], jet[3], v[4], start[5], slope[5];
            for (size_t j = 0; j < 4; j++) {
                y[j] = point % 5 == 4 ? (double)hcri_random_below(&random, 3) - 1 : hcri_random_normal(&random);
                y[j] *= point % 7 == 6 ? 1e60 : 1;
                v[j] = hcri_random_normal(&random);
            }
            if (is_eigenvalue) {
                y[2] = y[1];
                v[2] = v[1];
                eigenvalue_of_two(y[0], y[1], y[3], exact);
            } else {
                nuclear_norm_of_two(y, exact);
            }
            const double size = fabs(y[0]) + fabs(y[1]) + fabs(y[2]) + fabs(y[3]);
            const double value = hcri_tape_value(&tape, y, scratch);
            const hcri_enclosure bounds = hcri_tape_enclose(&tape, y, scratch);
            if (!holds_all(bounds, exact) || !(bounds.high - bounds.low <= 1e-14 * size) ||
                !(fabs(value - middle(exact)) <= 2e-15 * size))
                fail_msg("%d: %.17g in [%.17g, %.17g], exactly %.17g", is_eigenvalue, value, bounds.low, bounds.high,
                         middle(exact));
            if (point % 5 == 4 || point % 7 == 6)
                continue;
            hcri_tape_start(&tape, y, start);
            hcri_tape_slope(&tape, v, slope);
            hcri_tape_jet(&tape, start, slope, 0, 3, jet, scratch);
            /* Central differences of exact values with h = 2^-20: off by 1e-12 times the third and fourth derivatives,
             * as large as the inverse of the gap squared. */
            static const double h = 0x1p-20;
            mpfi_t at[3];
            for (int k = 0; k < 3; k++) {
                double moved[4];
                mpfi_init2(at[k], BITS);
                for (size_t j = 0; j < 4; j++)
                    moved[j] = (double)(float)y[j] + (k - 1) * h * (double)(float)v[j];
                if (is_eigenvalue)
                    eigenvalue_of_two(moved[0], moved[1], moved[3], at[k]);
                else
                    nuclear_norm_of_two(moved, at[k]);
            }
            mpfi_sub(exact, at[2], at[0]);
            const double first = middle(exact) / (2 * h);
            mpfi_add(exact, at[2], at[0]);
            mpfi_sub(exact, exact, at[1]);
            mpfi_sub(exact, exact, at[1]);
            const double second = middle(exact) / (h * h);
            if (is_eigenvalue && hypot(y[0] - y[3], 2 * y[1]) > 0.3) {
                if (!(fabs(jet[1] - first) <= 1e-5) || !(fabs(jet[2] - second) <= 1e-4 * (1 + fabs(second))))
                    fail_msg("eigenvalue: %.12g and %.12g, not %.12g and %.12g", jet[1], jet[2], first, second);
            } else if (!is_eigenvalue && fabs(y[0] * y[3] - y[1] * y[2]) > 0.1) {
                if (!(fabs(jet[1] - first) <= 1e-5))
                    fail_msg("nuclear norm: %.12g, not %.12g", jet[1], first);
                assert_true(isnan(jet[2])); /* not known: Halley's method goes on as Newton's */
            }
            for (int k = 0; k < 3; k++)
                mpfi_clear(at[k]);
        }
        free(scratch);
        hcri_tape_release(&tape);
    }
    mpfi_clear(exact);
}

/* H D H/4 with Hadamard's matrix of size 4 and integers D has the eigenvalues D, multiple ones too, and H D for
 * singular values 2 |D|; all entries are exact. */
static void test_matrices_with_known_values(void **state) {
    (void)state;
    static const double hadamard[4][4] = {{1, 1, 1, 1}, {1, -1, 1, -1}, {1, 1, -1, -1}, {1, -1, -1, 1}};
    static const double spectra[][4] = {{4, 3, 2, 1}, {5, 5, 5, 5},  {7, 7, -3, 0},
                                        {0, 0, 0, 0}, {0, 0, 0, -8}, {1e6, 0, 0, 4e-3}};
    for (size_t s = 0; s < sizeof spectra / sizeof spectra[0]; s++)
        for (int is_eigenvalue = 0; is_eigenvalue < 2; is_eigenvalue++) {
            hcri_tape tape = {.allocator = &hcri_default_allocator};
            uint32_t numbers[16];
            double y[16] = {0}, expected = is_eigenvalue ? -INFINITY : 0, size = 0;
            for (uint32_t k = 0; k < 16; k++)
                numbers[k] = put_step(&tape, HCRI_STEP_AFFINE, 0, 0, 1, &k, NULL);
            put_step(&tape, is_eigenvalue ? HCRI_STEP_LARGEST_EIGENVALUE : HCRI_STEP_NUCLEAR_NORM, 0, 4, 16, numbers,
                     NULL);
            for (size_t k = 0; k < 4; k++) {
                const double d = spectra[s][k];
                expected = is_eigenvalue ? fmax(expected, d) : expected + 2 * fabs(d);
                size += fabs(d);
                for (size_t i = 0; i < 4; i++)
                    for (size_t j = 0; j < 4; j++)
                        y[4 * i + j] += is_eigenvalue ? hadamard[i][k] * d * hadamard[j][k] / 4
                                        : k == j      ? hadamard[i][k] * d
                                                      : 0;
            }
            double *scratch = malloc(hcri_tape_scratch(&tape) * sizeof *scratch), gradient[16] = {0};
            assert_non_null(scratch);
            const double value = hcri_tape_value(&tape, y, scratch);
            const hcri_enclosure bounds = hcri_tape_enclose(&tape, y, scratch);
            assert_true(fabs(value - expected) <= 4e-15 * size);
            assert_true(bounds.low <= expected && expected <= bounds.high && bounds.high - bounds.low <= 1e-13 * size);
            /* value = ⟨gradient, X⟩: both are homogeneous */
            hcri_tape_add_gradient(&tape, y, 1, gradient, scratch);
            double product = 0;
            for (size_t k = 0; k < 16; k++)
                product += gradient[k] * y[k];
            assert_true(fabs(product - value) <= 1e-14 * size);
            free(scratch);
            hcri_tape_release(&tape);
        }
}

/* ------------------------------------------------------------------------------------------------------ decisions */

static hcri_constraint *expression(hcri_tape *tape, size_t n) {
    hcri_constraint *block = NULL;
    assert_int_equal(hcri_expression_create(n, &hcri_default_allocator, tape, 0, HCRI_NEWTON, &block, NULL), HCR_OK);
    return block;
}

/* exp(x) <= b and log(x) <= b for the doubles next to a root: which of them are right is known from 30 digits. */
static void test_decisions(void **state) {
    (void)state;
    const uint32_t zero = 0, one = 1, two[2] = {1, 2};
    const double difference[2] = {1, -1};
    /* exp(y0) − y1 <= 0 */
    hcri_tape tape = {.allocator = &hcri_default_allocator};
    put_step(&tape, HCRI_STEP_AFFINE, 0, 0, 1, &zero, NULL);
    put_step(&tape, HCRI_STEP_EXP, 0, 0, 1, &zero, NULL);
    put_step(&tape, HCRI_STEP_AFFINE, 0, 0, 1, &one, NULL);
    put_step(&tape, HCRI_STEP_SUM, 0, 0, 2, two, difference);
    hcri_constraint *block = expression(&tape, 2);
    const double e = 2.718281828459045; /* e = 2.71828182845904523536…, this double 2.71828182845904509…: below it */
    const double at_e[2] = {1, e}, above_e[2] = {1, nextafter(e, 3)}, at_one[2] = {0, 1};
    assert_false(hcri_exact_holds(block, 0, at_e, scratch_for(block)));
    assert_true(hcri_exact_holds(block, 0, above_e, scratch_for(block)));
    assert_true(hcri_exact_holds(block, 0, at_one, scratch_for(block))); /* equal: decided since exp 0 is exact */
    hcri_block_release(block);

    /* Undecidable by intervals: (√y0)² − 2 <= 0 at 2. It isn't certified, so it doesn't hold. */
    tape = (hcri_tape){.allocator = &hcri_default_allocator};
    put_step(&tape, HCRI_STEP_AFFINE, 0, 0, 1, &zero, NULL);
    put_step(&tape, HCRI_STEP_SQRT, 0, 0, 1, &zero, NULL);
    put_step(&tape, HCRI_STEP_POWER, 2, 0, 1, &one, NULL);
    const uint32_t last = 2;
    put_step(&tape, HCRI_STEP_SUM, -2, 0, 1, &last, NULL);
    block = expression(&tape, 1);
    const double at_two = 2, below_two = nextafter(2, 0), above_two = nextafter(2, 3), negative = -1;
    assert_false(hcri_exact_holds(block, 0, &at_two, scratch_for(block)));
    assert_true(hcri_exact_holds(block, 0, &below_two, scratch_for(block)));
    assert_false(hcri_exact_holds(block, 0, &above_two, scratch_for(block)));
    assert_false(hcri_exact_holds(block, 0, &negative, scratch_for(block))); /* outside the domain */
    hcri_block_release(block);
}

/* What floating-point bounds certify, exact intervals never contradict. */
static void test_holds_is_never_wrong(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 6);
    for (size_t k = 0; k < STEP_CASES; k++) {
        const step_case *c = &step_cases[k];
        if (is_matrix(c))
            continue;
        double y[MOST_OUTPUTS];
        random_point(c, &random, y);
        hcri_tape tape = tape_of(c);
        double *scratch = malloc(hcri_tape_scratch(&tape) * sizeof *scratch);
        assert_non_null(scratch);
        const double at = hcri_tape_value(&tape, y, scratch);
        free(scratch);
        const uint32_t last = (uint32_t)tape.steps - 1;
        put_step(&tape, HCRI_STEP_SUM, -at, 0, 1, &last, NULL); /* next to 0 at y */
        hcri_constraint *block = expression(&tape, c->count);
        for (int point = 0; point < 100; point++) {
            double near[MOST_OUTPUTS];
            for (size_t j = 0; j < c->count; j++)
                near[j] = y[j] * (1 + ((double)hcri_random_below(&random, 65) - 32) * 0x1p-52);
            const int certain = block->kind->holds(block, near, scratch_for(block)),
                      exact = (hcri_exact_kind_of(block)->decide(block, 0, near, scratch_for(block)) < 0);
            assert_true(!certain || exact);
            double error;
            const double value = block->kind->value(block, 0, near, &error, scratch_for(block));
            assert_true(!(value > error) || !exact);
        }
        hcri_block_release(block);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_and_bounds), cmocka_unit_test(test_bounds_of_odd_arguments),
        cmocka_unit_test(test_derivatives),       cmocka_unit_test(test_bounds_along),
        cmocka_unit_test(test_small_matrices),    cmocka_unit_test(test_matrices_with_known_values),
        cmocka_unit_test(test_decisions),         cmocka_unit_test(test_holds_is_never_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
