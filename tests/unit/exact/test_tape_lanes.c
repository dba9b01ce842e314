/* Eight samples of a tape at once, by every variant of the kernels: e^x and log x against MPFR, values along rays
 * against jets, bounds against MPFI's. A lane's bits don't depend on the others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "functions/tape_evaluate.h"
#include "kernels/kernels.h"
#include "kinds/expression/expression_exact.h"
#include "unit/functions/tapes.h"

enum { LANES = HCRI_LANES, BITS = 400 };

static const hcri_kernels *variants[3];
static size_t variant_count;

/* ----------------------------------------------------------------------------------------------------- functions */

typedef void lane_function(size_t count, const double *x, double *out);
typedef int exact_function(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

/* The largest relative error over `count` times eight arguments of draw(). */
static double worst(lane_function *function, exact_function *exact, double (*draw)(hcri_random *), size_t count,
                    hcri_random *random) {
    mpfr_t x, right;
    mpfr_init2(x, 53);
    mpfr_init2(right, 120);
    double most = 0;
    for (size_t k = 0; k < count; k++) {
        double at[LANES], out[LANES];
        for (size_t l = 0; l < LANES; l++)
            at[l] = draw(random);
        function(1, at, out);
        for (size_t l = 0; l < LANES; l++) {
            mpfr_set_d(x, at[l], MPFR_RNDN);
            exact(right, x, MPFR_RNDN);
            mpfr_d_sub(x, out[l], right, MPFR_RNDN);
            mpfr_div(x, x, right, MPFR_RNDN);
            const double off = at[l] == 1 && out[l] == 0 ? 0 : fabs(mpfr_get_d(x, MPFR_RNDN));
            most = off <= most ? most : off; /* a NaN stays */
        }
    }
    mpfr_clears(x, right, (mpfr_ptr)NULL);
    return most;
}

/* The largest absolute error of sin x. */
static double worst_sine(lane_function *function, size_t count, hcri_random *random) {
    mpfr_t x;
    mpfr_init2(x, 120);
    double most = 0;
    for (size_t k = 0; k < count; k++) {
        double at[LANES], out[LANES];
        for (size_t l = 0; l < LANES; l++)
            at[l] = k % 2 == 0 ? ldexp(hcri_random_normal(random), (int)hcri_random_below(random, 17))
                               : ((double)hcri_random_below(random, 600000) - 3e5) * 0x1.921fb54442d18p-1;
        function(1, at, out);
        for (size_t l = 0; l < LANES; l++) {
            mpfr_set_d(x, at[l], MPFR_RNDN);
            mpfr_sin(x, x, MPFR_RNDN);
            mpfr_d_sub(x, out[l], x, MPFR_RNDN);
            const double off = fabs(mpfr_get_d(x, MPFR_RNDN));
            most = off <= most ? most : off;
        }
    }
    mpfr_clear(x);
    return most;
}

static double any_exponent(hcri_random *random) { return 1416 * hcri_random_uniform(random) - 707.5; }
static double small_exponent(hcri_random *random) {
    return ldexp(hcri_random_normal(random), -(int)hcri_random_below(random, 60));
}
/* Next to odd multiples of log 2/2, where k changes. */
static double between_powers(hcri_random *random) {
    return ((double)hcri_random_below(random, 2000) - 999.5) * 0x1.62e42fefa39efp-1 *
           (1 + 0x1p-52 * hcri_random_normal(random));
}
static double any_number(hcri_random *random) {
    return ldexp(1 + hcri_random_uniform(random), (int)hcri_random_below(random, 2045) - 1022);
}
static double near_one(hcri_random *random) {
    const double off = ldexp(hcri_random_normal(random), -4 - (int)hcri_random_below(random, 49));
    return off > -0.9 ? 1 + off : 1.5;
}
/* Next to √½ 2^k. */
static double near_root(hcri_random *random) {
    return ldexp(0x1.6a09e667f3bcdp-1 * (1 + 0x1p-52 * floor(8 * hcri_random_normal(random))),
                 (int)hcri_random_below(random, 7) - 3);
}

static void test_functions(void **state) {
    (void)state;
    static double (*const exponents[])(hcri_random *) = {any_exponent, small_exponent, between_powers};
    static double (*const numbers[])(hcri_random *) = {any_number, near_one, near_root};
    const size_t count = getenv("HCR_LONG") != NULL ? 4000000 : 1500;
    hcri_random random;
    hcri_random_seed(&random, 41);
    for (size_t v = 0; v < variant_count; v++) {
        double exp_off = 0, log_off = 0;
        for (size_t k = 0; k < 3; k++) {
            exp_off = fmax(exp_off, worst(variants[v]->tape->exponentials, mpfr_exp, exponents[k], count, &random));
            log_off = fmax(log_off, worst(variants[v]->tape->logarithms, mpfr_log, numbers[k], count, &random));
        }
        const double sin_off = worst_sine(variants[v]->tape->sines, count, &random);
        print_message("    sin x off by %.3g units of 2^-53, not of itself\n", sin_off * 0x1p53);
        assert_true(sin_off <= 0x1p-51);
        print_message("    %s: e^x off by %.3g, log x by %.3g units of 2^-53\n", variants[v]->name, exp_off * 0x1p53,
                      log_off * 0x1p53);
        assert_true(exp_off <= 0x1p-51 && log_off <= 0x1p-51);
    }
}

static void test_ends(void **state) {
    (void)state;
    for (size_t v = 0; v < variant_count; v++) {
        const double x[LANES] = {0, -0.0, INFINITY, -INFINITY, NAN, 710, -745, 709};
        const double y[LANES] = {0, -0.0, INFINITY, -1, NAN, 1, 0x1p-1022, 0x1.fffffffffffffp1023};
        double out[LANES];
        variants[v]->tape->exponentials(1, x, out);
        assert_true(out[0] == 1 && out[1] == 1 && out[2] == INFINITY && isnan(out[4]) && out[5] == INFINITY);
        assert_true(out[3] >= 0 && out[3] < 0x1p-1020 && out[6] >= 0 && out[6] < 0x1p-1020 && isfinite(out[7]));
        variants[v]->tape->logarithms(1, y, out);
        assert_true(out[0] == -INFINITY && out[1] == -INFINITY && out[2] == INFINITY && isnan(out[3]) && isnan(out[4]));
        assert_true(out[5] == 0 && isfinite(out[7]));
    }
}

/* --------------------------------------------------------------------------------------------------------- tapes */

typedef struct eight { /* points or directions: outputs, and as columns */
    double rows[LANES][MOST_OUTPUTS], columns[LANES * MOST_OUTPUTS];
} eight;

static void put_columns(eight *e) {
    for (size_t j = 0; j < MOST_OUTPUTS; j++)
        for (size_t l = 0; l < LANES; l++)
            e->columns[LANES * j + l] = e->rows[l][j];
}

static void swap(eight *e, size_t a, size_t b) {
    double row[MOST_OUTPUTS];
    memcpy(row, e->rows[a], sizeof row);
    memcpy(e->rows[a], e->rows[b], sizeof row);
    memcpy(e->rows[b], row, sizeof row);
    put_columns(e);
}

/* Along rays: what the jets say, but for rounding, and the same bits in another lane beside others. */
static void test_along(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 42);
    for (size_t k = 0; k < STEP_CASES; k++) {
        const step_case *c = &step_cases[k];
        hcri_tape tape = tape_of(c);
        double *scratch = malloc(hcri_tape_scratch(&tape) * sizeof *scratch), start[64], slope[64];
        double slopes[LANES * 64], work[HCRI_TAPE_LANES_WORK * 64], t[LANES], value[LANES], rate[LANES];
        assert_true(scratch != NULL && tape.steps <= 64);
        for (size_t trial = 0; trial < 40 && hcri_tape_has_lanes(&tape); trial++) {
            const hcri_tape_kernels *kernels = variants[trial % variant_count]->tape;
            double origin[MOST_OUTPUTS];
            eight v = {0};
            random_point(c, &random, origin);
            for (size_t l = 0; l < LANES; l++)
                random_direction(c, &random, v.rows[l]);
            for (size_t l = 0; l < LANES; l++)
                t[l] = ldexp(hcri_random_uniform(&random), -(int)(trial % 12));
            put_columns(&v);
            hcri_tape_start(&tape, origin, start);
            kernels->slopes(&tape, v.columns, slopes, NULL);
            kernels->along(&tape, start, slopes, t, value, rate, work);
            for (size_t l = 0; l < LANES; l++) {
                double jet[3];
                hcri_tape_slope(&tape, v.rows[l], slope);
                hcri_tape_jet(&tape, start, slope, t[l], 3, jet, scratch);
                if (!isfinite(jet[0])) {
                    assert_false(isfinite(value[l]) && value[l] <= 0);
                    continue;
                }
                assert_true(fabs(value[l] - jet[0]) <= 1e-12 * (1 + fabs(jet[0])));
                assert_true(!isfinite(jet[1]) || fabs(rate[l] - jet[1]) <= 1e-10 * (1 + fabs(jet[1])));
            }
            double again[LANES];
            const double t2 = t[2];
            t[2] = t[5];
            t[5] = t2;
            swap(&v, 2, 5);
            kernels->slopes(&tape, v.columns, slopes, NULL);
            kernels->along(&tape, start, slopes, t, again, rate, work);
            assert_memory_equal(&again[2], &value[5], sizeof *again);
            assert_memory_equal(&again[5], &value[2], sizeof *again);
        }
        free(scratch);
        hcri_tape_release(&tape);
    }
}

/* Bounds are above the value, and not far. */
static void test_bounds(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 43);
    mpfi_t exact, y[MOST_OUTPUTS];
    mpfi_init2(exact, BITS);
    for (size_t j = 0; j < MOST_OUTPUTS; j++)
        mpfi_init2(y[j], 53);
    size_t found = 0, of = 0;
    for (size_t k = 0; k < STEP_CASES; k++) {
        const step_case *c = &step_cases[k];
        hcri_tape tape = tape_of(c);
        for (size_t trial = 0; trial < 60 && hcri_tape_has_lanes(&tape); trial++) {
            eight e = {0};
            double most[LANES], work[HCRI_TAPE_LANES_WORK * 64];
            for (size_t l = 0; l < LANES; l++) {
                random_point(c, &random, e.rows[l]);
                for (size_t j = 0; j < c->count; j++) /* any doubles, some of all sizes, some 0 or negative */
                    e.rows[l][j] *= (1 + 0x1p-30 * hcri_random_normal(&random)) *
                                    (trial % 4 == 1   ? ldexp(1, (int)hcri_random_below(&random, 60) - 30)
                                     : trial % 4 == 2 ? ldexp(1, (int)hcri_random_below(&random, 1800) - 900)
                                     : trial % 4 == 3 ? (double)hcri_random_below(&random, 3) - 0.5
                                                      : 1);
            }
            put_columns(&e);
            variants[trial % variant_count]->tape->bounds(&tape, e.columns, most, work);
            for (size_t l = 0; l < LANES; l++) {
                for (size_t j = 0; j < MOST_OUTPUTS; j++)
                    mpfi_set_d(y[j], e.rows[l][j]);
                const int has_value = hcri_tape_interval(&tape, y, BITS, exact) == 1;
                of += has_value && trial % 4 == 0;
                if (!(most[l] < INFINITY))
                    continue;
                assert_true(has_value && mpfr_cmp_d(&exact->left, most[l]) <= 0);
                const double right = mpfr_get_d(&exact->right, MPFR_RNDN);
                found += trial % 4 == 0 && most[l] - right <= 1e-12 * (1 + fabs(right));
            }
        }
        hcri_tape_release(&tape);
    }
    assert_int_equal(found, of); /* where arguments are neither huge nor next to the end of a domain */
    for (size_t j = 0; j < MOST_OUTPUTS; j++)
        mpfi_clear(y[j]);
    mpfi_clear(exact);
}

/* 1 when the value at O + t v is at most 0, with both sides of a bracket of t. */
static int is_inside(const hcri_tape *tape, const double *origin, const double *v, double t, mpfi_t *y, mpfi_ptr out) {
    for (size_t j = 0; j < MOST_OUTPUTS; j++) {
        mpfi_set_d(y[j], v[j]);
        mpfi_mul_d(y[j], y[j], t);
        mpfi_add_d(y[j], y[j], origin[j]);
    }
    return hcri_tape_interval(tape, y, BITS, out) == 1 && mpfr_sgn(&out->right) <= 0;
}

/* Ways on: nothing on them is outside, and followed one after the other they end next to where the ray leaves. Steps of
 * steps: the sine of each case's value, and a sum of both. */
static void test_ways(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 44);
    mpfi_t exact, y[MOST_OUTPUTS];
    mpfi_init2(exact, BITS);
    for (size_t j = 0; j < MOST_OUTPUTS; j++)
        mpfi_init2(y[j], BITS);
    size_t followed = 0;
    for (size_t k = 0; k < STEP_CASES; k++) {
        const step_case *c = &step_cases[k];
        hcri_tape tape = tape_of(c);
        double origin[MOST_OUTPUTS] = {0}, start[64], work[HCRI_TAPE_WAYS_WORK * 64];
        double slopes[LANES * 64], errors[LANES * 64];
        random_point(c, &random, origin);
        const uint32_t last = (uint32_t)tape.steps - 1, sine = put_step(&tape, HCRI_STEP_SIN, 0, 0, 1, &last, NULL);
        const uint32_t both[2] = {last, sine};
        double *scratch = malloc(hcri_tape_scratch(&tape) * 2 * sizeof *scratch);
        assert_non_null(scratch);
        static const double weights[2] = {0.5, 1};
        const double at_origin = hcri_tape_value(&tape, origin, scratch);
        put_step(&tape, HCRI_STEP_SUM, -1 - at_origin - 0.5 * asin(fmax(-1, fmin(1, at_origin))), 0, 2, both, weights);
        for (size_t trial = 0; trial < 12 && hcri_tape_has_ways(&tape); trial++) {
            const hcri_tape_kernels *kernels = variants[trial % variant_count]->tape;
            eight v = {0};
            double t[LANES] = {0}, ahead[LANES], way[LANES], most[LANES];
            for (size_t l = 0; l < LANES; l++) {
                random_direction(c, &random, v.rows[l]);
                ahead[l] = ldexp(1, -(int)(trial % 6));
            }
            put_columns(&v);
            hcri_tape_start(&tape, origin, start);
            kernels->slopes(&tape, v.columns, slopes, errors);
            for (size_t round = 0; round < 40; round++) {
                kernels->ways(&tape, start, slopes, errors, t, ahead, way, most, work);
                for (size_t l = 0; l < LANES; l++) {
                    const double on = way[l] - 0x1p-52 * (t[l] + way[l]);
                    if (!(on > 0x1p-50 * t[l]) || !(most[l] <= 0))
                        continue;
                    for (int i = 0; i <= 4; i++)
                        if (!is_inside(&tape, origin, v.rows[l], t[l] + on * (0.25 * i), y, exact))
                            fail_msg("%s: outside at %.17g + %d/4 %.17g", c->name, t[l], i, on);
                    t[l] += on;
                    ahead[l] = 2 * on;
                    followed++;
                }
            }
        }
        free(scratch);
        hcri_tape_release(&tape);
    }
    print_message("    %zu ways followed\n", followed);
    assert_true(followed > 1000);
    for (size_t j = 0; j < MOST_OUTPUTS; j++)
        mpfi_clear(y[j]);
    mpfi_clear(exact);
}

int main(void) {
    variant_count = hcri_kernels_all(variants, 3);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions), cmocka_unit_test(test_ends),
                                       cmocka_unit_test(test_along), cmocka_unit_test(test_bounds),
                                       cmocka_unit_test(test_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
