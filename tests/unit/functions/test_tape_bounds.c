/* Bounds along rays against jets, for every kind of step: they hold what the jets give at any point of the interval,
 * are hardly wider where the interval is a point, and where it is short no wider than the function's own change. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "functions/tape_evaluate.h"
#include "unit/functions/tapes.h"

typedef struct ray {
    hcri_tape tape;
    double *scratch, *start, *slope;
    hcri_enclosure *bounds; /* start, then slope */
} ray;

static void open_ray(ray *r, const hcri_tape *tape, const double *origin, const double *v) {
    r->tape = *tape;
    r->scratch = malloc(hcri_tape_scratch(tape) * sizeof(double));
    r->start = malloc(2 * tape->steps * sizeof(double));
    r->slope = r->start + tape->steps;
    r->bounds = malloc(2 * tape->steps * sizeof *r->bounds);
    assert_true(r->scratch != NULL && r->start != NULL && r->bounds != NULL);
    hcri_tape_start(tape, origin, r->start);
    hcri_tape_slope(tape, v, r->slope);
    hcri_tape_enclose_start(tape, origin, r->bounds);
    hcri_tape_enclose_slope(tape, v, r->bounds + tape->steps);
}

static void close_ray(ray *r) {
    free(r->scratch);
    free(r->start);
    free(r->bounds);
}

static void jet_at(const ray *r, double t, double jet[3]) {
    hcri_tape_jet(&r->tape, r->start, r->slope, t, 3, jet, r->scratch);
}

static hcri_enclosure along(const ray *r, double low, double high, hcri_enclosure *derivative) {
    return hcri_tape_enclose_along(&r->tape, r->bounds, r->bounds + r->tape.steps, hcri_between(low, high), derivative,
                                   r->scratch);
}

/* Within a few units of the sizes that go into it. */
static void assert_holds(hcri_enclosure bounds, double x, double slack) {
    assert_true(bounds.low <= x + slack && x - slack <= bounds.high);
}

/* A step over one argument x = −3 … 3 (or 1/4 … 3), in both directions. */
static void test_one_argument(void **state) {
    (void)state;
    for (size_t k = 0; k < STEP_CASES; k++) {
        const step_case *c = &step_cases[k];
        if (c->count != 1)
            continue;
        hcri_tape tape = tape_of(c);
        for (int way = -1; way <= 1; way += 2)
            for (double from = c->positive ? 0.25 : -3; from < 3; from += 0.125) {
                const double v = way;
                ray r;
                open_ray(&r, &tape, &from, &v);
                const double to = way > 0 || !c->positive ? 0.125 : fmin(0.125, from - 0.0625);
                double least = INFINITY, most = -INFINITY, jet[3], curved_term = 0;
                hcri_enclosure derivative, at;
                const hcri_enclosure over = along(&r, 0, to, &derivative);
                for (int i = 0; i <= 32; i++) {
                    jet_at(&r, to * i / 32, jet);
                    assert_holds(over, jet[0], 1e-14 * (1 + fabs(jet[0])));
                    assert_holds(derivative, jet[1], 1e-13 * (1 + fabs(jet[1])));
                    least = fmin(least, jet[0]);
                    most = fmax(most, jet[0]);
                    curved_term = fmax(curved_term, fabs(jet[2]));
                }
                /* its argument is exact and comes once, so that only what the samples miss is added */
                const double missed = 1e-12 * (1 + fabs(least) + fabs(most)) + curved_term * to / 16;
                assert_true(over.low >= least - missed && over.high <= most + missed);
                jet_at(&r, 0, jet);
                at = along(&r, 0, 0, &derivative);
                assert_holds(at, jet[0], 1e-14 * (1 + fabs(jet[0])));
                assert_true(at.high - at.low <= 1e-13 * (1 + fabs(jet[0])));
                const double kink = c->kind == HCRI_STEP_ABS && from == 0 ? 2 : 0;
                assert_true(derivative.high - derivative.low <= kink + 1e-12 * (1 + fabs(jet[1])));
                assert_holds(derivative, jet[1], 1e-13 * (1 + fabs(jet[1])));
                close_ray(&r);
            }
        hcri_tape_release(&tape);
    }
}

/* Steps over several: at a point the bounds are the jet's values but for rounding, unless two arguments tie. */
static void test_all_kinds(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 31);
    for (size_t k = 0; k < STEP_CASES; k++) {
        const step_case *c = &step_cases[k];
        hcri_tape tape = tape_of(c);
        for (size_t trial = 0; trial < 60; trial++) {
            double origin[MOST_OUTPUTS], v[MOST_OUTPUTS], jet[3];
            ray r;
            random_point(c, &random, origin);
            random_direction(c, &random, v);
            open_ray(&r, &tape, origin, v);
            const double length = ldexp(1, -(int)(trial % 12));
            hcri_enclosure derivative, over = along(&r, 0, length, &derivative);
            for (int i = 0; i <= 8; i++) {
                jet_at(&r, length * i / 8, jet);
                if (!hcri_is_undefined(over))
                    assert_holds(over, jet[0], 1e-12 * (1 + fabs(jet[0])));
                if (!hcri_is_undefined(over) && !hcri_is_undefined(derivative) && !isnan(jet[1]))
                    assert_holds(derivative, jet[1], 1e-11 * (1 + fabs(jet[1])));
            }
            jet_at(&r, 0, jet);
            over = along(&r, 0, 0, &derivative);
            assert_false(hcri_is_undefined(over));
            assert_true(over.high - over.low <= 1e-10 * (1 + fabs(jet[0])));
            close_ray(&r);
        }
        hcri_tape_release(&tape);
    }
}

/* Every kind over arguments that are curved, e^(y_k/4): derivatives along the ray against central differences of the
 * one before. */
static void test_bent_arguments(void **state) {
    (void)state;
    static const double step = 0x1p-18, quarter = 0.25;
    hcri_random random;
    hcri_random_seed(&random, 32);
    for (size_t k = 0; k < STEP_CASES; k++) {
        const step_case *c = &step_cases[k];
        hcri_tape tape = {.allocator = &hcri_default_allocator};
        uint32_t x[MOST_OUTPUTS];
        for (uint32_t j = 0; j < c->count; j++) {
            const uint32_t y = put_step(&tape, HCRI_STEP_AFFINE, 0, 0, 1, &j, &quarter);
            x[j] = put_step(&tape, HCRI_STEP_EXP, 0, 0, 1, &y, NULL);
        }
        put_step(&tape, c->kind, c->parameter, c->rows, c->count, x, NULL);
        for (size_t trial = 0; trial < 20; trial++) {
            double origin[MOST_OUTPUTS], v[MOST_OUTPUTS], before[3], jet[3], after[3];
            ray r;
            for (size_t j = 0; j < c->count; j++) {
                origin[j] = hcri_random_normal(&random);
                v[j] = hcri_random_normal(&random);
            }
            open_ray(&r, &tape, origin, v);
            jet_at(&r, 0.5 - step, before);
            jet_at(&r, 0.5, jet);
            jet_at(&r, 0.5 + step, after);
            const double first = (after[0] - before[0]) / (2 * step), second = (after[1] - before[1]) / (2 * step);
            assert_true(fabs(jet[1] - first) <= 1e-7 * (1 + fabs(first)));
            assert_true(!c->smooth || fabs(jet[2] - second) <= 1e-5 * (1 + fabs(second)));
            close_ray(&r);
        }
        hcri_tape_release(&tape);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_argument), cmocka_unit_test(test_all_kinds),
                                       cmocka_unit_test(test_bent_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
