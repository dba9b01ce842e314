/* The three methods on functions that are hard for one or the other of them, each with a root that is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "functions/ray_roots.h"

typedef struct problem {
    const char *name;
    void (*jet)(double t, double jet[3]);
    double root, tolerance; /* relative; as far as rounding of φ lets the root be known */
    double guess;
} problem;

static void line(double t, double jet[3]) {
    jet[0] = 3 * t - 1;
    jet[1] = 3;
    jet[2] = 0;
}
static void parabola(double t, double jet[3]) {
    jet[0] = t * t - 2;
    jet[1] = 2 * t;
    jet[2] = 2;
}
/* falls first, so that the slope at 0 says nothing */
static void dip(double t, double jet[3]) {
    jet[0] = t * t - 4 * t - 1;
    jet[1] = 2 * t - 4;
    jet[2] = 2;
}
/* overflows for most t */
static void exponential(double t, double jet[3]) {
    jet[0] = exp(t) - 1e10;
    jet[1] = jet[2] = exp(t);
}
static void steep(double t, double jet[3]) {
    jet[0] = exp(1e6 * (t - 1)) - 1e-3;
    jet[1] = 1e6 * exp(1e6 * (t - 1));
    jet[2] = 1e6 * jet[1];
}
/* nearly flat up to 1, then a wall */
static void wall(double t, double jet[3]) {
    jet[0] = pow(t, 400) - 1;
    jet[1] = 400 * pow(t, 399);
    jet[2] = 400.0 * 399 * pow(t, 398);
}
/* −log(2 − t) − 1: not defined from 2 on; the root is 2 − 1/e */
static void barrier(double t, double jet[3]) {
    jet[0] = -log(2 - t) - 1;
    jet[1] = 1 / (2 - t);
    jet[2] = jet[1] * jet[1];
}
/* ends inside its domain: the frontier is where the domain ends */
static void domain_end(double t, double jet[3]) {
    jet[0] = -sqrt(1 - t) - 0.5;
    jet[1] = 0.5 / sqrt(1 - t);
    jet[2] = 0.25 / ((1 - t) * sqrt(1 - t));
}
static void kink(double t, double jet[3]) {
    jet[0] = fmax(-1, 1e4 * (t - 1));
    jet[1] = t > 1 - 1e-4 ? 1e4 : 0;
    jet[2] = 0;
}
/* a root at a kink */
static void corner(double t, double jet[3]) {
    jet[0] = t < 1 ? t - 1 : 1e8 * (t - 1);
    jet[1] = t < 1 ? 1 : 1e8;
    jet[2] = 0;
}
static void huge(double t, double jet[3]) {
    jet[0] = 1e-15 * t - 1;
    jet[1] = 1e-15;
    jet[2] = 0;
}
static void tiny(double t, double jet[3]) {
    jet[0] = 1e18 * t * t - 1;
    jet[1] = 2e18 * t;
    jet[2] = 2e18;
}
/* changes its sign once, with a point of inflection at the root: not convex */
static void cubic(double t, double jet[3]) {
    const double x = t - 3;
    jet[0] = x * x * x;
    jet[1] = 3 * x * x;
    jet[2] = 6 * x;
}
/* as small a value at 0 as there can be beside the others */
static void near_origin(double t, double jet[3]) {
    jet[0] = t * t + t - 1e-12;
    jet[1] = 2 * t + 1;
    jet[2] = 2;
}
static void no_derivatives(double t, double jet[3]) {
    jet[0] = t * t - 2;
    jet[1] = jet[2] = NAN;
}
static void jump(double t, double jet[3]) {
    jet[0] = t < 5 ? -1 : 1;
    jet[1] = jet[2] = 0;
}

static const problem problems[] = {
    {"line", line, 1.0 / 3, 4e-15, 0},
    {"line, guessed", line, 1.0 / 3, 4e-15, 1.0 / 3},
    {"parabola", parabola, 1.4142135623730951, 4e-15, 0},
    {"parabola from far", parabola, 1.4142135623730951, 4e-15, 1e15},
    {"parabola from near 0", parabola, 1.4142135623730951, 4e-15, 1e-15},
    {"dip", dip, 4.23606797749979, 4e-15, 0},
    {"exponential", exponential, 23.025850929940457, 4e-15, 0},
    {"exponential, overflowing", exponential, 23.025850929940457, 4e-15, 1e10},
    {"steep", steep, 1 - 6.907755278982137e-6, 4e-15, 0},
    {"wall", wall, 1, 4e-15, 0},
    {"wall, from its foot", wall, 1, 4e-15, 1e-3},
    {"barrier", barrier, 2 - 0.36787944117144233, 4e-15, 0},
    {"barrier, from outside", barrier, 2 - 0.36787944117144233, 4e-15, 100},
    {"domain's end", domain_end, 1, 4e-15, 0},
    {"kink", kink, 1, 4e-15, 0},
    {"corner", corner, 1, 4e-15, 0},
    {"huge", huge, 1e15, 4e-15, 0},
    {"tiny", tiny, 1e-9, 4e-15, 0},
    {"cubic", cubic, 3, 1e-5, 0}, /* x³ is 0 to within the rounding of t − 3 only at 3, but Newton's steps are linear */
    {"near the origin", near_origin, 9.99999999999e-13, 1e-14, 0},
    {"no derivatives", no_derivatives, 1.4142135623730951, 4e-15, 0},
    {"jump", jump, 5, 4e-15, 0},
};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

static void evaluate(const void *context, double t, int order, double jet[3]) {
    const problem *p = context;
    double all[3];
    p->jet(t, all);
    jet[0] = all[0];
    if (order > 1)
        jet[1] = all[1];
    if (order > 2)
        jet[2] = all[2];
}

static void test_roots(void **state) {
    (void)state;
    for (size_t k = 0; k < PROBLEMS; k++)
        for (int method = HCRI_NEWTON; method <= HCRI_BRENT; method++) {
            const problem *p = &problems[k];
            double at_zero[3], at[3], beyond[3];
            uint64_t jets = 0;
            p->jet(0, at_zero);
            const double t = hcri_first_root((hcri_root_method)method, evaluate, p, at_zero[0], p->guess, 1e20, &jets);
            if (!(fabs(t - p->root) <= p->tolerance * p->root))
                fail_msg("%s, method %d: %.17g, not %.17g", p->name, method, t, p->root);
            p->jet(t, at);
            if (!(at[0] <= 0))
                fail_msg("%s, method %d: positive at %.17g", p->name, method, t);
            /* Evaluations of a bad case: the range of a double's exponent and its 52 bits, halved. */
            if (jets > 160)
                fail_msg("%s, method %d: %d evaluations", p->name, method, (int)jets);
            p->jet(t * (1 + 0x1p-47), beyond);
            if (p->tolerance <= 4e-15 && beyond[0] <= 0)
                fail_msg("%s, method %d: stops before the root", p->name, method);
        }
}

/* Convex functions that a few of Newton's steps are enough for. */
static void test_few_evaluations(void **state) {
    (void)state;
    static const size_t easy[] = {0, 1, 2, 5, 11};
    for (size_t k = 0; k < sizeof easy / sizeof easy[0]; k++)
        for (int method = HCRI_NEWTON; method <= HCRI_BRENT; method++) {
            const problem *p = &problems[easy[k]];
            double at_zero[3];
            uint64_t jets = 0;
            p->jet(0, at_zero);
            hcri_first_root((hcri_root_method)method, evaluate, p, at_zero[0], p->guess, 1e20, &jets);
            if (jets > (method == HCRI_BRENT ? 50 : 20))
                fail_msg("%s, method %d: %d evaluations", p->name, method, (int)jets);
        }
}

/* How many evaluations each method takes where nothing but + − · / and √ is computed, so that every machine counts the
 * same: a change of the methods shows here, and is written down. */
static void test_all_evaluations(void **state) {
    (void)state;
    static const struct {
        size_t problem;
        uint64_t jets[3];
    } known[] = {
        {0, {3, 3, 4}},     {1, {2, 2, 9}},        {2, {7, 6, 15}},  {3, {23, 23, 10}},  {4, {24, 24, 14}},
        {5, {20, 19, 14}},  {13, {57, 57, 57}},    {14, {2, 2, 9}},  {15, {2, 2, 9}},    {16, {3, 3, 9}},
        {17, {20, 14, 39}}, {18, {136, 136, 106}}, {19, {10, 7, 5}}, {20, {59, 59, 15}}, {21, {115, 115, 115}},
    };
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        for (int method = HCRI_NEWTON; method <= HCRI_BRENT; method++) {
            const problem *p = &problems[known[k].problem];
            double at_zero[3];
            uint64_t jets = 0;
            p->jet(0, at_zero);
            hcri_first_root((hcri_root_method)method, evaluate, p, at_zero[0], p->guess, 1e20, &jets);
            if (jets != known[k].jets[method])
                fail_msg("%s, method %d: %d evaluations", p->name, method, (int)jets);
        }
}

static void falling(double t, double jet[3]) {
    jet[0] = -1 - t;
    jet[1] = -1;
    jet[2] = 0;
}
static void asymptote(double t, double jet[3]) { /* not convex: rises to −1 and never to 0 */
    jet[0] = -1 - 1 / (1 + t);
    jet[1] = 1 / ((1 + t) * (1 + t));
    jet[2] = -2 / ((1 + t) * (1 + t) * (1 + t));
}
static void constant(double t, double jet[3]) {
    (void)t;
    jet[0] = -1;
    jet[1] = jet[2] = 0;
}

static void test_rays_that_never_meet(void **state) {
    (void)state;
    static const problem never[] = {
        {"falling", falling, 0, 0, 0}, {"asymptote", asymptote, 0, 0, 0}, {"constant", constant, 0, 0, 5}};
    for (size_t k = 0; k < 3; k++)
        for (int method = HCRI_NEWTON; method <= HCRI_BRENT; method++) {
            uint64_t jets = 0;
            const double t =
                hcri_first_root((hcri_root_method)method, evaluate, &never[k], -1, never[k].guess, 1e20, &jets);
            if (!isinf(t))
                fail_msg("%s, method %d: %g", never[k].name, method, t);
            assert_true(jets <= 80);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roots),
        cmocka_unit_test(test_few_evaluations),
        cmocka_unit_test(test_all_evaluations),
        cmocka_unit_test(test_rays_that_never_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
