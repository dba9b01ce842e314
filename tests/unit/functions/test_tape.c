/* Tapes: what steps mean, what they refuse, and tapes as bytes. Values, derivatives and bounds against 400-bit
 * arithmetic are in tests/unit/exact/test_expression_sign.c. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "functions/tape_evaluate.h"
#include "unit/functions/tapes.h"

/* Computed with 50 digits by another program. */
static const struct {
    hcri_step_kind kind;
    double parameter;
    size_t count;
    double x[4], expected;
} known[] = {
    {HCRI_STEP_SUM, 0.5, 4, {0.7, -1.3, 2.25, 0.1}, 2.25},
    {HCRI_STEP_PRODUCT, 0, 2, {0.7, -1.3}, -0.9099999999999999},
    {HCRI_STEP_QUOTIENT, 0, 2, {0.7, -1.3}, -0.5384615384615384},
    {HCRI_STEP_MAX, 0, 4, {0.7, -1.3, 2.25, 0.1}, 2.25},
    {HCRI_STEP_MIN, 0, 4, {0.7, -1.3, 2.25, 0.1}, -1.3},
    {HCRI_STEP_ABS, 0, 1, {-1.3}, 1.3},
    {HCRI_STEP_POWER, -1.7, 1, {0.7}, 1.833721309776816},
    {HCRI_STEP_POWER, 3, 1, {-1.3}, -2.197},
    {HCRI_STEP_POWER, 0.3, 1, {2.25}, 1.2754245006257907},
    {HCRI_STEP_EXP, 0, 1, {-1.3}, 0.2725317930340126},
    {HCRI_STEP_LOG, 0, 1, {0.1}, -2.3025850929940455},
    {HCRI_STEP_SQRT, 0, 1, {2.25}, 1.5},
    {HCRI_STEP_XLOGX, 0, 1, {0.7}, -0.2496724607571127},
    {HCRI_STEP_XLOGX, 0, 1, {0.0}, 0.0},
    {HCRI_STEP_HUBER, 0.5, 1, {0.1}, 0.010000000000000002},
    {HCRI_STEP_HUBER, 0.5, 1, {-1.3}, 1.05},
    {HCRI_STEP_SOFTPLUS, 0, 1, {-1.3}, 0.2410084538329922},
    {HCRI_STEP_SOFTPLUS, 0, 1, {-800.0}, 0.0},
    {HCRI_STEP_SOFTPLUS, 0, 1, {800.0}, 800.0},
    {HCRI_STEP_SIN, 0, 1, {2.25}, 0.7780731968879212},
    {HCRI_STEP_SIN, 0, 1, {1e+22}, -0.8522008497671888},
    {HCRI_STEP_COS, 0, 1, {2.25}, -0.6281736227227391},
    {HCRI_STEP_TANH, 0, 1, {0.7}, 0.6043677771171635},
    {HCRI_STEP_ATAN, 0, 1, {-1.3}, -0.9151007005533605},
    {HCRI_STEP_LOG_SUM_EXP, 0, 4, {0.7, -1.3, 2.25, 0.1}, 2.555612927939153},
    {HCRI_STEP_LOG_SUM_EXP, 0, 3, {1000.0, 999.0, -1000.0}, 1000.3132616875182},
    {HCRI_STEP_GEO_MEAN, 0, 4, {0.7, 1.3, 2.25, 0.1}, 0.6726760690480602},
    {HCRI_STEP_GEO_MEAN, 0, 4, {1e-300, 1e-200, 1e+300, 3.0}, 1.3160740129524925e-50},
    {HCRI_STEP_GEO_MEAN, 0, 3, {2.0, 0.0, 3.0}, 0.0},
    {HCRI_STEP_NORM, 1, 4, {0.7, -1.3, 2.25, 0.1}, 4.35},
    {HCRI_STEP_NORM, 2, 4, {0.7, -1.3, 2.25, 0.1}, 2.6930466018990464},
    {HCRI_STEP_NORM, 3.5, 4, {0.7, -1.3, 2.25, 0.1}, 2.3494425653043143},
    {HCRI_STEP_NORM, 1000000, 4, {0.7, -1.3, 2.25, 0.1}, 2.25},
    {HCRI_STEP_NORM, 2, 3, {1e+300, -1e+300, 1e+300}, 1.7320508075688774e+300},
    {HCRI_STEP_NORM, 4, 3, {1e+300, -1e+300, 1e+300}, 1.3160740129524926e+300},
    {HCRI_STEP_NORM, 2, 2, {3e-200, 4e-200}, 5e-200},
    {HCRI_STEP_NORM, 3, 2, {0.0, 0.0}, 0.0},
    {HCRI_STEP_SUM_SQUARES, 0, 4, {0.7, -1.3, 2.25, 0.1}, 7.2525},
    {HCRI_STEP_QUAD_OVER_LIN, 0, 4, {0.7, 1.3, 2.25, 0.1}, 9.660714285714286},
    {HCRI_STEP_RELATIVE_ENTROPY, 0, 2, {0.7, 1.3}, -0.43332744588435645},
    {HCRI_STEP_RELATIVE_ENTROPY, 0, 2, {0.0, 2.0}, 0.0},
};

static hcri_tape over_outputs(hcri_step_kind kind, double parameter, size_t count) {
    hcri_tape tape = {.allocator = &hcri_default_allocator};
    uint32_t x[MOST_OUTPUTS];
    for (uint32_t k = 0; k < count; k++)
        x[k] = put_step(&tape, HCRI_STEP_AFFINE, 0, 0, 1, &k, NULL);
    put_step(&tape, kind, parameter, 0, count, x, NULL);
    return tape;
}

static double value_of(hcri_tape *tape, const double *y) {
    double *scratch = malloc(hcri_tape_scratch(tape) * sizeof *scratch);
    assert_non_null(scratch);
    const double value = hcri_tape_value(tape, y, scratch);
    const hcri_enclosure bounds = hcri_tape_enclose(tape, y, scratch);
    if (!hcri_is_undefined(bounds) && isfinite(value)) {
        /* the value is rounded, the bounds aren't: it may be off them by its own error */
        assert_true(bounds.low <= value + 1e-15 * fabs(value) && value - 1e-15 * fabs(value) <= bounds.high);
    }
    free(scratch);
    return value;
}

static void test_known_values(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        hcri_tape tape = over_outputs(known[k].kind, known[k].parameter, known[k].count);
        const double value = value_of(&tape, known[k].x);
        /* a few roundings; the products of numbers with exponents up to ±1000 have exp2 of them, a few ulps each */
        if (!(fabs(value - known[k].expected) <= 4e-15 * fabs(known[k].expected)))
            fail_msg("step %d: %.17g, not %.17g", (int)known[k].kind, value, known[k].expected);
        hcri_tape_release(&tape);
    }
}

/* Outside the domain the value isn't a number that is 0 or less, and bounds say nothing. */
static void test_domains(void **state) {
    (void)state;
    static const struct {
        hcri_step_kind kind;
        double parameter;
        size_t count;
        double x[3];
    } outside[] = {{HCRI_STEP_LOG, 0, 1, {-1}},
                   {HCRI_STEP_LOG, 0, 1, {0}},
                   {HCRI_STEP_SQRT, 0, 1, {-DBL_MIN}},
                   {HCRI_STEP_XLOGX, 0, 1, {-1e-300}},
                   {HCRI_STEP_POWER, 0.5, 1, {-4}},
                   {HCRI_STEP_POWER, -1, 1, {-2}},
                   {HCRI_STEP_POWER, -2, 1, {-2}},
                   {HCRI_STEP_POWER, -1, 1, {0}},
                   {HCRI_STEP_GEO_MEAN, 0, 2, {-1, -1}},
                   {HCRI_STEP_QUAD_OVER_LIN, 0, 2, {-1, 1}},
                   {HCRI_STEP_QUAD_OVER_LIN, 0, 2, {0, 1}},
                   {HCRI_STEP_RELATIVE_ENTROPY, 0, 2, {-1, 1}},
                   {HCRI_STEP_RELATIVE_ENTROPY, 0, 2, {1, 0}},
                   {HCRI_STEP_RELATIVE_ENTROPY, 0, 2, {-1, -1}},
                   {HCRI_STEP_QUOTIENT, 0, 2, {0, 0}}};
    for (size_t k = 0; k < sizeof outside / sizeof outside[0]; k++) {
        hcri_tape tape = over_outputs(outside[k].kind, outside[k].parameter, outside[k].count);
        double *scratch = malloc(hcri_tape_scratch(&tape) * sizeof *scratch);
        assert_non_null(scratch);
        const double value = hcri_tape_value(&tape, outside[k].x, scratch);
        if (value <= 0 || !hcri_is_undefined(hcri_tape_enclose(&tape, outside[k].x, scratch)))
            fail_msg("step %d of %g: %g", (int)outside[k].kind, outside[k].x[0], value);
        free(scratch);
        hcri_tape_release(&tape);
    }
    /* A NaN on the way isn't lost in a maximum or a norm. */
    static const hcri_step_kind several[] = {HCRI_STEP_MAX,         HCRI_STEP_MIN,      HCRI_STEP_NORM,
                                             HCRI_STEP_LOG_SUM_EXP, HCRI_STEP_GEO_MEAN, HCRI_STEP_SUM_SQUARES};
    for (size_t k = 0; k < sizeof several / sizeof several[0]; k++)
        for (uint32_t place = 0; place < 3; place++) {
            hcri_tape tape = {.allocator = &hcri_default_allocator};
            uint32_t x[3];
            for (uint32_t j = 0; j < 3; j++) {
                x[j] = put_step(&tape, HCRI_STEP_AFFINE, 0, 0, 1, &j, NULL);
                if (j == place)
                    x[j] = put_step(&tape, HCRI_STEP_LOG, 0, 0, 1, &x[j], NULL);
            }
            put_step(&tape, several[k], several[k] == HCRI_STEP_NORM ? 2 : 0, 0, 3, x, NULL);
            double y[3] = {1, 1, 1}, scratch[100], jet[3], start[6], slope[6];
            assert_true(hcri_tape_scratch(&tape) <= 100);
            y[place] = -1;
            assert_true(!isfinite(hcri_tape_value(&tape, y, scratch)));
            assert_true(hcri_is_undefined(hcri_tape_enclose(&tape, y, scratch)));
            hcri_tape_start(&tape, y, start);
            hcri_tape_slope(&tape, y, slope);
            hcri_tape_jet(&tape, start, slope, 0, 3, jet, scratch);
            assert_true(!isfinite(jet[0]));
            hcri_tape_release(&tape);
        }
}

/* Norms at 0 and on an axis, where they have no derivative or an infinite second one: a subgradient, and along a ray
 * the derivative to the right. */
static void test_norms_at_kinks(void **state) {
    (void)state;
    static const double ps[] = {1, 1.5, 2, 3, 1e3};
    for (size_t k = 0; k < 5; k++) {
        hcri_tape tape = over_outputs(HCRI_STEP_NORM, ps[k], 3);
        const double zero[3] = {0, 0, 0}, axis[3] = {2, 0, 0}, v[3] = {1, -2, 0.5};
        double scratch[100], gradient[3] = {0}, jet[3], start[4], slope[4];
        assert_true(hcri_tape_scratch(&tape) <= 100);
        hcri_tape_add_gradient(&tape, zero, 1, gradient, scratch);
        assert_true(gradient[0] == 0 && gradient[1] == 0 && gradient[2] == 0);
        hcri_tape_add_gradient(&tape, axis, 1, gradient, scratch);
        assert_true(gradient[0] == 1 && gradient[1] == 0 && gradient[2] == 0);
        hcri_tape_slope(&tape, v, slope);
        hcri_tape_start(&tape, zero, start);
        hcri_tape_jet(&tape, start, slope, 0, 2, jet, scratch);
        assert_true(jet[0] == 0 && fabs(jet[1] - hcri_tape_value(&tape, v, scratch)) <= 1e-15 * jet[1]);
        hcri_tape_start(&tape, axis, start);
        hcri_tape_jet(&tape, start, slope, 0, 2, jet, scratch);
        const double right = ps[k] == 1 ? 1 + 2 + 0.5 : 1;
        assert_true(fabs(jet[1] - right) <= 1e-15);
        hcri_tape_release(&tape);
    }
}

/* Beside an axis's end N = √(x² + Σ (v_k t)²): its second derivative there is Σ v_k²/x; larger powers are flat. */
static void test_norms_curve_at_axes(void **state) {
    (void)state;
    static const double ps[] = {2, 3, 7.5};
    for (size_t k = 0; k < 3; k++) {
        hcri_tape tape = over_outputs(HCRI_STEP_NORM, ps[k], 3);
        const double axis[3] = {-4, 0, 0}, v[3] = {0, -6, 3};
        double scratch[100], jet[3], start[4], slope[4];
        hcri_tape_slope(&tape, v, slope);
        hcri_tape_start(&tape, axis, start);
        hcri_tape_jet(&tape, start, slope, 0, 3, jet, scratch);
        assert_true(jet[0] == 4 && jet[1] == 0);
        assert_true(fabs(jet[2] - (k == 0 ? 45.0 / 4 : 0)) <= 1e-14);
        hcri_tape_release(&tape);
    }
}

/* Σ w_k f_k(x_k) of functions that are curved, along a ray: the weights are those of the second derivatives too. */
static void test_sums_curve(void **state) {
    (void)state;
    hcri_tape tape = {.allocator = &hcri_default_allocator};
    const uint32_t columns[2] = {0, 1};
    const double weights[2] = {2, -3}, origin[2] = {0.5, 2}, v[2] = {1.5, -0.5};
    uint32_t x[2], f[2];
    double scratch[100], jet[3], start[8], slope[8];
    for (size_t k = 0; k < 2; k++)
        x[k] = put_step(&tape, HCRI_STEP_AFFINE, 0, 0, 1, columns + k, NULL);
    f[0] = put_step(&tape, HCRI_STEP_EXP, 0, 0, 1, x, NULL);
    f[1] = put_step(&tape, HCRI_STEP_LOG, 0, 0, 1, x + 1, NULL);
    put_step(&tape, HCRI_STEP_SUM, 7, 0, 2, f, weights);
    assert_true(hcri_tape_scratch(&tape) <= 100);
    hcri_tape_start(&tape, origin, start);
    hcri_tape_slope(&tape, v, slope);
    hcri_tape_jet(&tape, start, slope, 0.25, 3, jet, scratch);
    const double y0 = 0.5 + 0.25 * 1.5, y1 = 2 - 0.25 * 0.5;
    assert_true(fabs(jet[0] - (2 * exp(y0) - 3 * log(y1) + 7)) <= 1e-14);
    assert_true(fabs(jet[1] - (2 * exp(y0) * 1.5 + 3 / y1 * 0.5)) <= 1e-14);
    assert_true(fabs(jet[2] - (2 * exp(y0) * 2.25 + 3 / (y1 * y1) * 0.25)) <= 1e-14);
    hcri_tape_release(&tape);
}

/* No function writes beyond the scratch that it asked for. */
static void test_scratch(void **state) {
    (void)state;
    enum { GUARD = 64 };
    hcri_random random;
    hcri_random_seed(&random, 4);
    for (size_t k = 0; k < STEP_CASES; k++) {
        const step_case *c = &step_cases[k];
        hcri_tape tape = tape_of(c);
        const size_t room = hcri_tape_scratch(&tape);
        double *scratch = malloc((room + GUARD) * sizeof *scratch), *rays = malloc(4 * tape.steps * sizeof *rays);
        hcri_enclosure *bounds = malloc(2 * tape.steps * sizeof *bounds), derivative;
        double y[MOST_OUTPUTS], v[MOST_OUTPUTS], jet[3], gradient[MOST_OUTPUTS] = {0};
        assert_true(scratch != NULL && rays != NULL && bounds != NULL);
        for (size_t i = 0; i < GUARD; i++)
            scratch[room + i] = 77 + (double)i;
        random_point(c, &random, y);
        random_direction(c, &random, v);
        hcri_tape_value(&tape, y, scratch);
        hcri_tape_add_gradient(&tape, y, 1, gradient, scratch);
        hcri_tape_enclose(&tape, y, scratch);
        hcri_tape_start(&tape, y, rays);
        hcri_tape_slope(&tape, v, rays + tape.steps);
        hcri_tape_jet(&tape, rays, rays + tape.steps, 0.5, 3, jet, scratch);
        hcri_tape_enclose_start(&tape, y, bounds);
        hcri_tape_enclose_slope(&tape, v, bounds + tape.steps);
        hcri_tape_enclose_along(&tape, bounds, bounds + tape.steps, hcri_between(0, 0.25), &derivative, scratch);
        for (size_t i = 0; i < GUARD; i++)
            assert_true(scratch[room + i] == 77 + (double)i);
        free(scratch);
        free(rays);
        free(bounds);
        hcri_tape_release(&tape);
    }
}

/* A norm of one number is its size, of which the derivative along a ray is 1 however long the interval. */
static void test_tight_norms(void **state) {
    (void)state;
    static const double ps[] = {1, 1.5, 2, 3};
    for (size_t k = 0; k < 4; k++) {
        hcri_tape tape = over_outputs(HCRI_STEP_NORM, ps[k], 1);
        const double origin = 0, v = 1;
        double scratch[100];
        hcri_enclosure start[2], slope[2], derivative;
        assert_true(hcri_tape_scratch(&tape) <= 100);
        hcri_tape_enclose_start(&tape, &origin, start);
        hcri_tape_enclose_slope(&tape, &v, slope);
        const hcri_enclosure over =
            hcri_tape_enclose_along(&tape, start, slope, hcri_between(1, 2), &derivative, scratch);
        assert_true(over.low <= 1 && over.low >= 1 - 1e-14 && over.high >= 2 && over.high <= 2 + 1e-14);
        assert_true(derivative.low <= 1 && derivative.high >= 1 && derivative.high <= 1 + 1e-14);
        hcri_tape_release(&tape);
    }
}

/* How many arguments a step takes, whether it has a parameter, whether weights. */
static void test_rules(void **state) {
    (void)state;
    static const uint32_t zeros[4] = {0};
    static const double twos[4] = {2, 2, 2, 2};
    for (size_t k = 0; k < HCRI_STEP_KINDS; k++) {
        const hcri_step_kind kind = (hcri_step_kind)k;
        const int is_matrix = kind == HCRI_STEP_LARGEST_EIGENVALUE || kind == HCRI_STEP_NUCLEAR_NORM;
        const int is_pair =
            kind == HCRI_STEP_PRODUCT || kind == HCRI_STEP_QUOTIENT || kind == HCRI_STEP_RELATIVE_ENTROPY;
        const int is_any = is_matrix || kind == HCRI_STEP_AFFINE || kind == HCRI_STEP_SUM || kind == HCRI_STEP_MAX ||
                           kind == HCRI_STEP_MIN || kind == HCRI_STEP_LOG_SUM_EXP || kind == HCRI_STEP_GEO_MEAN ||
                           kind == HCRI_STEP_NORM || kind == HCRI_STEP_SUM_SQUARES || kind == HCRI_STEP_QUAD_OVER_LIN;
        const size_t least = kind == HCRI_STEP_AFFINE ? 0 : is_pair || kind == HCRI_STEP_QUAD_OVER_LIN ? 2 : 1;
        const int has_weights = kind == HCRI_STEP_AFFINE || kind == HCRI_STEP_SUM;
        const int has_parameter =
            has_weights || kind == HCRI_STEP_POWER || kind == HCRI_STEP_HUBER || kind == HCRI_STEP_NORM;
        hcri_tape tape = {.allocator = &hcri_default_allocator};
        put_step(&tape, HCRI_STEP_AFFINE, 1, 0, 0, NULL, NULL);
        for (size_t count = 0; count <= 4; count++) {
            const size_t rows = !is_matrix ? 0 : count == 4 ? 2 : count == 1 ? 1 : 0;
            const int fits = count >= least && (is_any || count <= least) && (!is_matrix || rows != 0);
            for (int parameter = 0; parameter < 3; parameter++)
                for (int weighted = 0; weighted < 2; weighted++) {
                    const int right = has_parameter
                                          ? parameter > 0 || (kind != HCRI_STEP_HUBER && kind != HCRI_STEP_NORM)
                                          : parameter == 0;
                    const int takes = !weighted || has_weights || count == 0;
                    const size_t before = tape.steps;
                    assert_int_equal(
                        hcri_tape_add(&tape,
                                      &(hcri_new_step){kind, parameter, rows, count, zeros, weighted ? twos : NULL},
                                      NULL, NULL),
                        fits && right && takes ? HCR_OK : HCR_ERROR_ARGUMENT);
                    assert_int_equal(tape.steps, before + (size_t)(fits && right && takes));
                }
        }
        hcri_tape_release(&tape);
    }
}

static void test_refusals(void **state) {
    (void)state;
    hcri_tape tape = {.allocator = &hcri_default_allocator};
    const uint32_t zero[2] = {0, 0}, later[1] = {1};
    const double nan[1] = {NAN}, huge[1] = {1e60}, two[1] = {2};
    hcr_error error;
    put_step(&tape, HCRI_STEP_AFFINE, 0, 0, 1, zero, NULL);
    static const struct {
        hcri_step_kind kind;
        double parameter;
        size_t rows, count;
        hcr_status expected;
    } wrong[] = {{HCRI_STEP_KINDS, 0, 0, 1, HCR_ERROR_ARGUMENT},
                 {HCRI_STEP_EXP, 0, 0, 2, HCR_ERROR_ARGUMENT},
                 {HCRI_STEP_EXP, 0, 0, 0, HCR_ERROR_ARGUMENT},
                 {HCRI_STEP_EXP, 1, 0, 1, HCR_ERROR_ARGUMENT},
                 {HCRI_STEP_PRODUCT, 0, 0, 1, HCR_ERROR_ARGUMENT},
                 {HCRI_STEP_NORM, 0.5, 0, 1, HCR_ERROR_ARGUMENT},
                 {HCRI_STEP_HUBER, 0, 0, 1, HCR_ERROR_ARGUMENT},
                 {HCRI_STEP_POWER, NAN, 0, 1, HCR_ERROR_DATA},
                 {HCRI_STEP_NORM, INFINITY, 0, 1, HCR_ERROR_DATA},
                 {HCRI_STEP_QUAD_OVER_LIN, 0, 0, 1, HCR_ERROR_ARGUMENT},
                 {HCRI_STEP_LARGEST_EIGENVALUE, 0, 1, 2, HCR_ERROR_ARGUMENT},
                 {HCRI_STEP_LARGEST_EIGENVALUE, 0, 0, 1, HCR_ERROR_ARGUMENT},
                 {HCRI_STEP_NUCLEAR_NORM, 0, 3, 2, HCR_ERROR_ARGUMENT},
                 {HCRI_STEP_SUM, 0, 1, 1, HCR_ERROR_ARGUMENT}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        assert_int_equal(hcri_tape_add(&tape,
                                       &(hcri_new_step){wrong[k].kind, wrong[k].parameter, wrong[k].rows,
                                                        wrong[k].count, zero, NULL},
                                       NULL, &error),
                         wrong[k].expected);
        assert_true(tape.steps == 1 && error.text[0] != '\0');
    }
    assert_int_equal(hcri_tape_add(&tape, &(hcri_new_step){HCRI_STEP_EXP, 0, 0, 1, later, NULL}, NULL, &error),
                     HCR_ERROR_ARGUMENT);
    assert_int_equal(hcri_tape_add(&tape, &(hcri_new_step){HCRI_STEP_SUM, 0, 0, 1, zero, nan}, NULL, &error),
                     HCR_ERROR_DATA);
    assert_int_equal(hcri_tape_add(&tape, &(hcri_new_step){HCRI_STEP_AFFINE, 0, 0, 1, zero, huge}, NULL, &error),
                     HCR_ERROR_DATA);
    assert_int_equal(hcri_tape_add(&tape, &(hcri_new_step){HCRI_STEP_EXP, 0, 0, 1, zero, two}, NULL, &error),
                     HCR_ERROR_ARGUMENT);
    assert_int_equal(hcri_tape_check(&tape, 1, &error), HCR_OK);
    assert_int_equal(hcri_tape_check(&tape, 0, &error), HCR_ERROR_ARGUMENT);
    hcri_tape_release(&tape);
    assert_int_equal(hcri_tape_check(&tape, 1, &error), HCR_ERROR_ARGUMENT);
}

/* ---------------------------------------------------------------------------------------------------------- bytes */

/* One of each step. */
static hcri_tape every_step(void) {
    hcri_tape all = {.allocator = &hcri_default_allocator};
    for (size_t k = 0; k < STEP_CASES; k++) {
        hcri_tape one = tape_of(&step_cases[k]);
        const uint32_t shift = (uint32_t)all.steps;
        for (size_t s = 0; s < one.steps; s++) {
            const hcri_step *step = &one.step[s];
            uint32_t argument[MOST_OUTPUTS];
            for (size_t a = 0; a < step->count; a++)
                argument[a] = one.argument[step->first + a] + (step->kind == HCRI_STEP_AFFINE ? 0 : shift);
            put_step(&all, step->kind, step->parameter, step->rows, step->count, argument, one.weight + step->first);
        }
        hcri_tape_release(&one);
    }
    return all;
}

static hcr_status read_tape(const unsigned char *data, size_t size, size_t n, hcri_tape *tape) {
    hcri_source source = {.data = data, .size = size};
    hcr_error error;
    return hcri_tape_read(&source, n, &hcri_default_allocator, tape, &error);
}

static void test_bytes(void **state) {
    (void)state;
    hcri_tape tape = every_step(), copy;
    hcri_bytes bytes = {.allocator = &hcri_default_allocator};
    hcri_tape_write(&tape, &bytes);
    assert_false(bytes.failed);
    assert_int_equal(read_tape(bytes.data, bytes.size, MOST_OUTPUTS, &copy), HCR_OK);
    assert_true(copy.steps == tape.steps && copy.arguments == tape.arguments);
    assert_memory_equal(copy.argument, tape.argument, tape.arguments * sizeof *tape.argument);
    assert_memory_equal(copy.weight, tape.weight, tape.arguments * sizeof *tape.weight);
    for (size_t s = 0; s < tape.steps; s++) {
        const hcri_step *a = &tape.step[s], *b = &copy.step[s];
        assert_true(a->kind == b->kind && a->first == b->first && a->count == b->count && a->rows == b->rows &&
                    a->parameter == b->parameter && a->consecutive == b->consecutive);
    }
    assert_true(copy.largest_matrix == tape.largest_matrix && copy.widest_matrix == tape.widest_matrix);
    hcri_tape_release(&copy);
    assert_int_equal(read_tape(bytes.data, bytes.size, 3, &copy), HCR_ERROR_FORMAT); /* outputs that there aren't */
    for (size_t size = 0; size < bytes.size; size++)
        assert_int_equal(read_tape(bytes.data, size, MOST_OUTPUTS, &copy), HCR_ERROR_FORMAT);
    hcri_release(&hcri_default_allocator, bytes.data);
    hcri_tape_release(&tape);
}

/* Altered bytes give a tape that can be evaluated, or are refused; a count can't ask for more memory than there are
 * bytes. */
static void test_damaged_bytes(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 1);
    hcri_tape tape = every_step(), copy;
    hcri_bytes bytes = {.allocator = &hcri_default_allocator};
    hcri_tape_write(&tape, &bytes);
    unsigned char *altered = malloc(bytes.size);
    assert_non_null(altered);
    const double y[MOST_OUTPUTS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    size_t refused = 0, read = 0;
    for (int turn = 0; turn < 20000; turn++) {
        memcpy(altered, bytes.data, bytes.size);
        for (size_t k = 0; k < 1 + hcri_random_below(&random, 3); k++)
            altered[hcri_random_below(&random, bytes.size)] = (unsigned char)hcri_random_bits(&random);
        const hcr_status status = read_tape(altered, bytes.size, MOST_OUTPUTS, &copy);
        if (status != HCR_OK) {
            assert_int_equal(status, HCR_ERROR_FORMAT);
            refused++;
            continue;
        }
        read++;
        if (turn % 16 == 0) {
            double *scratch = malloc(hcri_tape_scratch(&copy) * sizeof *scratch), gradient[MOST_OUTPUTS] = {0};
            assert_non_null(scratch);
            hcri_tape_value(&copy, y, scratch);
            hcri_tape_enclose(&copy, y, scratch);
            hcri_tape_add_gradient(&copy, y, 1, gradient, scratch);
            free(scratch);
        }
        hcri_tape_release(&copy);
    }
    assert_true(refused > 1000 && read > 1000);
    free(altered);
    hcri_release(&hcri_default_allocator, bytes.data);
    hcri_tape_release(&tape);
}

/* The value at y = constant + T z is that of the substituted tape at z. */
static void test_substitution(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 2);
    hcri_rows map = {0};
    double constant[MOST_OUTPUTS], values[3];
    for (size_t j = 0; j < MOST_OUTPUTS; j++) {
        const uint32_t columns[3] = {0, 1, 2};
        for (size_t k = 0; k < 3; k++)
            values[k] = 0.2 * hcri_random_normal(&random);
        constant[j] = 2 + 0.1 * (double)j;
        assert_int_equal(hcri_rows_append(&map, &hcri_default_allocator, 3, columns, values, NULL), HCR_OK);
    }
    const hcri_substitution substitution = {3, map, constant};
    for (size_t k = 0; k < STEP_CASES; k++) {
        hcri_tape tape = tape_of(&step_cases[k]), substituted;
        assert_int_equal(hcri_tape_substitute(&tape, &substitution, &hcri_default_allocator, &substituted, NULL),
                         HCR_OK);
        assert_int_equal(hcri_tape_check(&substituted, 3, NULL), HCR_OK);
        double *scratch = malloc(hcri_tape_scratch(&tape) * sizeof *scratch), y[MOST_OUTPUTS];
        assert_non_null(scratch);
        const double z[3] = {0.3, -0.7, 0.4};
        for (size_t j = 0; j < MOST_OUTPUTS; j++)
            y[j] = constant[j] + hcri_rows_dot(&map, j, z, NULL);
        const double expected = hcri_tape_value(&tape, y, scratch), found = hcri_tape_value(&substituted, z, scratch);
        assert_true(fabs(found - expected) <= 1e-13 * (1 + fabs(expected)));
        free(scratch);
        hcri_tape_release(&tape);
        hcri_tape_release(&substituted);
    }
    hcri_rows_release(&map, &hcri_default_allocator);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),   cmocka_unit_test(test_domains),
        cmocka_unit_test(test_norms_at_kinks), cmocka_unit_test(test_norms_curve_at_axes),
        cmocka_unit_test(test_sums_curve),     cmocka_unit_test(test_scratch),
        cmocka_unit_test(test_tight_norms),    cmocka_unit_test(test_rules),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_damaged_bytes),  cmocka_unit_test(test_substitution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
