/* Regions of general convex expressions: the gauge against bisection in 200-bit interval arithmetic, derivatives along
 * it, and 100,000 decodes in each precision, of which none is outside. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kinds/expression/expression.h"
#include "kinds/expression/expression_exact.h"
#include "numeric/regions.h"
#include "scratch.h"

/* ------------------------------------------------------------------------------------------- random expressions */

typedef struct maker { /* an expression that grows, of n outputs around an origin */
    hcri_tape tape;
    size_t n;
    const double *origin;
    hcri_random *random;
} maker;

static uint32_t add(maker *m, hcri_step_kind kind, double parameter, size_t rows, size_t count,
                    const uint32_t *arguments, const double *weights) {
    uint32_t number = 0;
    hcr_error error;
    must(hcri_tape_add(&m->tape, &(hcri_new_step){kind, parameter, rows, count, arguments, weights}, &number, &error),
         &error);
    return number;
}

static uint32_t unary(maker *m, hcri_step_kind kind, double parameter, uint32_t x) {
    return add(m, kind, parameter, 0, 1, &x, NULL);
}

/* a·y + b with random a (of norm about `size`, some of it 0) that is `at_origin` at the origin. */
static uint32_t affine(maker *m, double size, double at_origin) {
    uint32_t columns[64];
    double weights[64], there = 0;
    size_t count = 0;
    for (size_t j = 0; j < m->n; j++)
        if (m->n == 1 || hcri_random_below(m->random, 4) != 0) {
            columns[count] = (uint32_t)j;
            weights[count] = (double)(float)(size * hcri_random_normal(m->random) / sqrt((double)m->n));
            there += weights[count] * m->origin[j];
            count++;
        }
    return add(m, HCRI_STEP_AFFINE, (double)(float)(at_origin - there), 0, count, columns, weights);
}

static void affines(maker *m, size_t count, double size, double low, double high, uint32_t *x) {
    for (size_t k = 0; k < count; k++)
        x[k] = affine(m, size, low + (high - low) * hcri_random_uniform(m->random));
}

static uint32_t sum(maker *m, size_t count, const uint32_t *x, const double *weights) {
    return add(m, HCRI_STEP_SUM, 0, 0, count, x, weights);
}

typedef enum form {
    FORM_EXPONENTIALS,
    FORM_LOGARITHMS,
    FORM_NORM,
    FORM_LOG_SUM_EXP,
    FORM_ENTROPY,
    FORM_RELATIVE_ENTROPY,
    FORM_GEOMETRIC_MEAN,
    FORM_HUBER,
    FORM_QUAD_OVER_LIN,
    FORM_ROOTS,
    FORM_POWERS,
    FORM_INVERSE,
    FORM_SOFTPLUS,
    FORM_NESTED,
    FORM_EIGENVALUE,
    FORM_NUCLEAR_NORM,
    FORMS
} form;
static const char *const form_names[FORMS] = {
    "exponentials",   "logarithms", "norm",          "log_sum_exp", "entropy", "relative entropy",
    "geometric mean", "huber",      "quad_over_lin", "roots",       "powers",  "inverse",
    "softplus",       "nested",     "eigenvalue",    "nuclear norm"};

/* A convex value; the constraint is then that it is at most what it is at the origin and a bit. */
static uint32_t convex_value(maker *m, form which) {
    enum { TERMS = 5 };
    static const double minus[TERMS] = {-1, -1, -1, -1, -1};
    static const double norms[] = {1, 1.25, 1.5, 2, 3, 8, 1000};
    uint32_t x[9], y[TERMS];
    switch (which) {
    case FORM_EXPONENTIALS:
    case FORM_LOGARITHMS:
    case FORM_ENTROPY:
    case FORM_HUBER:
    case FORM_ROOTS:
    case FORM_INVERSE:
    case FORM_SOFTPLUS: {
        static const hcri_step_kind kinds[FORMS] = {
            [FORM_EXPONENTIALS] = HCRI_STEP_EXP, [FORM_LOGARITHMS] = HCRI_STEP_LOG, [FORM_ENTROPY] = HCRI_STEP_XLOGX,
            [FORM_HUBER] = HCRI_STEP_HUBER,      [FORM_ROOTS] = HCRI_STEP_SQRT,     [FORM_INVERSE] = HCRI_STEP_POWER,
            [FORM_SOFTPLUS] = HCRI_STEP_SOFTPLUS};
        const int is_concave = which == FORM_LOGARITHMS || which == FORM_ROOTS;
        affines(m, TERMS, 1, 0.5, 2, x);
        for (size_t k = 0; k < TERMS; k++)
            y[k] = unary(m, kinds[which], which == FORM_INVERSE ? -0.5 - (double)k : which == FORM_HUBER ? 1 : 0, x[k]);
        return sum(m, TERMS, y, is_concave ? minus : NULL);
    }
    case FORM_NORM:
        affines(m, TERMS, 1, -1, 1, x);
        x[0] = add(m, HCRI_STEP_NORM, norms[hcri_random_below(m->random, 7)], 0, TERMS, x, NULL);
        x[1] = affine(m, 0.2, 0);
        return sum(m, 2, x, NULL);
    case FORM_LOG_SUM_EXP: affines(m, TERMS, 2, -1, 1, x); return add(m, HCRI_STEP_LOG_SUM_EXP, 0, 0, TERMS, x, NULL);
    case FORM_RELATIVE_ENTROPY:
        affines(m, 2, 1, 0.5, 2, x);
        return add(m, HCRI_STEP_RELATIVE_ENTROPY, 0, 0, 2, x, NULL);
    case FORM_GEOMETRIC_MEAN:
        affines(m, TERMS, 1, 0.5, 3, x);
        x[0] = add(m, HCRI_STEP_GEO_MEAN, 0, 0, TERMS, x, NULL);
        return sum(m, 1, x, minus);
    case FORM_QUAD_OVER_LIN:
        affines(m, TERMS, 1, 0.5, 2, x);
        return add(m, HCRI_STEP_QUAD_OVER_LIN, 0, 0, TERMS, x, NULL);
    case FORM_POWERS:
        affines(m, 4, 1, 0.5, 2, x);
        y[0] = unary(m, HCRI_STEP_POWER, 1.5, x[0]);
        y[1] = unary(m, HCRI_STEP_POWER, 4, x[1]);
        y[2] = unary(m, HCRI_STEP_POWER, 2.7, x[2]);
        y[3] = add(m, HCRI_STEP_SUM_SQUARES, 0, 0, 4, x, NULL);
        return sum(m, 4, y, NULL);
    case FORM_NESTED: /* log Σ e^… of a huber, the largest of two exponentials, a norm and a softplus */
        affines(m, 6, 1, -1, 1, x);
        y[0] = unary(m, HCRI_STEP_HUBER, 0.5, x[0]);
        x[1] = unary(m, HCRI_STEP_EXP, 0, x[1]);
        x[2] = unary(m, HCRI_STEP_EXP, 0, x[2]);
        y[1] = add(m, HCRI_STEP_MAX, 0, 0, 2, x + 1, NULL);
        y[2] = add(m, HCRI_STEP_NORM, 3, 0, 2, x + 3, NULL);
        y[3] = unary(m, HCRI_STEP_SOFTPLUS, 0, unary(m, HCRI_STEP_ABS, 0, x[5]));
        return add(m, HCRI_STEP_LOG_SUM_EXP, 0, 0, 4, y, NULL);
    case FORM_EIGENVALUE:
        affines(m, 6, 1, -1, 1, x);
        x[6] = x[1]; /* rows 0 1 2, 1 3 4, 2 4 5 */
        return add(m, HCRI_STEP_LARGEST_EIGENVALUE, 0, 3, 9,
                   (const uint32_t[9]){x[0], x[1], x[2], x[1], x[3], x[4], x[2], x[4], x[5]}, NULL);
    default: affines(m, 6, 1, -1, 1, x); return add(m, HCRI_STEP_NUCLEAR_NORM, 0, 2, 6, x, NULL);
    }
}

/* value − (its value at the origin) − room <= 0 */
static hcri_tape make_tape(form which, size_t n, const double *origin, hcri_random *random) {
    maker m = {{.allocator = &hcri_default_allocator}, n, origin, random};
    const uint32_t value = convex_value(&m, which);
    hcri_tape partial = m.tape;
    hcri_constraint *block = NULL;
    hcr_error error;
    /* The block takes the tape; its value at the origin tells the bound. */
    must(hcri_expression_create(n, &hcri_default_allocator, &partial, 1, HCRI_NEWTON, &block, &error), &error);
    const double at_origin = block->kind->value(block, 0, origin, NULL, scratch_for(block));
    hcri_expression *expression = (hcri_expression *)block;
    m.tape = expression->tape;
    expression->tape = (hcri_tape){.allocator = &hcri_default_allocator};
    hcri_block_release(block);
    assert_true(isfinite(at_origin));
    add(&m, HCRI_STEP_SUM, (double)(float)(-at_origin - 0.2 - hcri_random_uniform(random)), 0, 1, &value, NULL);
    return m.tape;
}

/* ------------------------------------------------------------------------------------------------- the reference */

enum { BITS = 200 };

/* c(O + t v) <= 0, decided in 200 bits. */
static int inside(const hcri_tape *tape, size_t n, const double *origin, const double *v, mpfr_t t, mpfi_t *at) {
    mpfi_t value;
    mpfi_init2(value, BITS);
    for (size_t j = 0; j < n; j++) {
        mpfi_set_fr(at[j], t);
        mpfi_mul_d(at[j], at[j], v[j]);
        mpfi_add_d(at[j], at[j], origin[j]);
    }
    const int in = hcri_tape_interval(tape, at, BITS, value) && mpfr_sgn(&value->right) <= 0;
    mpfi_clear(value);
    return in;
}

/* 1/t, by doubling and halving; 0 when there is no frontier up to t = 1e9/|v|. */
static double reference(const hcri_tape *tape, size_t n, const double *origin, const double *v) {
    mpfr_t low, high, middle;
    mpfi_t at[64];
    double size = 0;
    mpfr_inits2(BITS, low, high, middle, (mpfr_ptr)NULL);
    for (size_t j = 0; j < n; j++) {
        mpfi_init2(at[j], BITS);
        size = fmax(size, fabs(v[j]));
    }
    mpfr_set_zero(low, 1);
    mpfr_set_d(high, 0.01 / size, MPFR_RNDN);
    int outside = 0;
    for (int k = 0; k < 37 && !outside; k++) {
        outside = !inside(tape, n, origin, v, high, at);
        if (!outside) {
            mpfr_set(low, high, MPFR_RNDN);
            mpfr_mul_ui(high, high, 2, MPFR_RNDN);
        }
    }
    for (int k = 0; k < 60 && outside; k++) {
        mpfr_add(middle, low, high, MPFR_RNDN);
        mpfr_div_ui(middle, middle, 2, MPFR_RNDN);
        mpfr_set(inside(tape, n, origin, v, middle, at) ? low : high, middle, MPFR_RNDN);
    }
    const double t = mpfr_get_d(low, MPFR_RNDN);
    for (size_t j = 0; j < n; j++)
        mpfi_clear(at[j]);
    mpfr_clears(low, high, middle, (mpfr_ptr)NULL);
    return outside ? 1 / t : 0;
}

/* ---------------------------------------------------------------------------------------------------------- tests */

static void random_origin(hcri_random *random, size_t n, double *origin) {
    for (size_t j = 0; j < n; j++)
        origin[j] = (double)(float)hcri_random_normal(random);
}

/* All methods, and the method for sets that needn't be convex, find what bisection finds. Matrices are bounded in
 * double precision there, to about 1e-14 of their size. */
static void test_gauge(void **state) {
    const form which = *(const form *)*state;
    static const size_t sizes[] = {1, 2, 3, 5, 10, 25, 50};
    hcri_random random;
    hcri_random_seed(&random, 300 + (uint64_t)which);
    size_t meets = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int repeat = 0; repeat < 4; repeat++) {
            const size_t n = sizes[s];
            double origin[64], v[64];
            hcr_error error;
            random_origin(&random, n, origin);
            hcri_tape tape = make_tape(which, n, origin, &random);
            hcri_constraint *block = NULL;
            must(hcri_expression_create(n, &hcri_default_allocator, &tape, 1, HCRI_NEWTON, &block, &error), &error);
            hcri_expression *expression = (hcri_expression *)block;
            block->convex = 0; /* so that the bounds for a first crossing are made as well */
            must(block->kind->place(block, origin, &error), &error);
            for (int ray = 0; ray < 2; ray++) {
                const double length = ray == 0 ? 1 : pow(10, 40 * hcri_random_uniform(&random) - 20);
                for (size_t j = 0; j < n; j++)
                    v[j] = length * hcri_random_normal(&random);
                const double expected = reference(&expression->tape, n, origin, v);
                for (int method = HCRI_NEWTON; method <= HCRI_BRENT + 1; method++) {
                    block->convex = method <= HCRI_BRENT;
                    expression->method = block->convex ? (hcri_root_method)method : HCRI_NEWTON;
                    const double found = block->kind->gauge_one(block, 0, v, scratch_for(block));
                    /* beyond 1e9 the reference says 0 */
                    double size = 0;
                    for (size_t j = 0; j < n; j++)
                        size = fmax(size, fabs(v[j]));
                    if (expected == 0 ? found > 1.01e-9 * size : !(fabs(found - expected) <= 1e-12 * expected))
                        fail_msg("%s, n = %zu, method %d: %.17g, not %.17g", form_names[which], n, method, found,
                                 expected);
                }
                meets += expected > 0;
            }
            hcri_block_release(block);
        }
    assert_true(meets > 20);
}

/* Two expressions and a box. */
static hcr_region *make_region(form first, form second, size_t n, hcri_random *random) {
    hcr_builder *builder = new_builder(n);
    double origin[64], lower[64], upper[64];
    hcr_error error;
    random_origin(random, n, origin);
    for (size_t j = 0; j < n; j++) {
        lower[j] = origin[j] - 3;
        upper[j] = origin[j] + 3;
    }
    must(hcr_builder_add_bounds(builder, 0, n, lower, upper, &error), &error);
    for (int k = 0; k < 2; k++) {
        must(hcr_builder_set_root_method(builder, (hcr_root_method)hcri_random_below(random, 3), &error), &error);
        hcri_tape tape = make_tape(k == 0 ? first : second, n, origin, random);
        must(hcri_builder_add_expression(builder, &tape, 1, &error), &error);
    }
    return region_around(builder, origin, 3);
}

/* Decodes of all forms, on the frontier and inside; exactly decided. Next to none of them moves by more than rounding.
 */
static void test_exactness(void **state) {
    const form which = *(const form *)*state;
    enum { REGIONS = 10, ROWS = 640 };
    static const size_t sizes[REGIONS] = {2, 2, 3, 3, 4, 5, 7, 10, 20, 50};
    hcri_random random;
    hcri_random_seed(&random, 400 + (uint64_t)which);
    size_t on_frontier = 0;
    for (size_t r = 0; r < REGIONS; r++) {
        const size_t n = sizes[r];
        hcr_region *region = make_region(which, (form)((which + r) % FORMS), n, &random);
        hcr_workspace *workspace = workspace_of(region, 1);
        double *polar = calloc(ROWS * (n + 1), sizeof *polar), *y = calloc(ROWS * n, sizeof *y);
        float *polar_f32 = calloc(ROWS * (n + 1), sizeof *polar_f32), *y_f32 = calloc(ROWS * n, sizeof *y_f32);
        hcr_ray *rays = calloc(ROWS, sizeof *rays);
        uint8_t within[ROWS];
        assert_true(polar != NULL && y != NULL && polar_f32 != NULL && y_f32 != NULL && rays != NULL);
        for (size_t i = 0; i < ROWS; i++) {
            for (size_t j = 0; j <= n; j++) {
                double x = hcri_random_normal(&random);
                if (i % 4 == 1 && j != i / 4 % n)
                    x = 0; /* along an axis */
                if (j == n)
                    x = i % 2 == 0 ? 1 : hcri_random_uniform(&random);
                polar[i * (n + 1) + j] = x;
                polar_f32[i * (n + 1) + j] = (float)x;
            }
        }
        hcr_error error;
        must(hcr_decode(region, workspace, ROWS, NULL, polar, y, rays, &error), &error);
        must(hcr_check(region, ROWS, NULL, y, within, NULL, &error), &error);
        for (size_t i = 0; i < ROWS; i++) {
            assert_int_equal(within[i], 1);
            assert_true(rays[i].outcome != HCR_OUTCOME_BAD_VALUE);
            double off = 0, length = 0;
            for (size_t j = 0; j < n && polar[i * (n + 1) + n] == 1 && rays[i].gauge > 0; j++) {
                const double exact = region->origin[j] + polar[i * (n + 1) + j] / rays[i].gauge;
                off = fmax(off, fabs(exact - y[i * n + j]));
                length = fmax(length, fabs(polar[i * (n + 1) + j] / rays[i].gauge));
            }
            /* rounding, by what the constraint's steepness makes of it: little of the way is given up */
            assert_true(off <= 1e-9 * (length + 10));
            on_frontier += polar[i * (n + 1) + n] == 1 && rays[i].constraint >= 2 * n;
        }
        must(hcr_decode_f32(region, workspace, ROWS, NULL, polar_f32, y_f32, NULL, &error), &error);
        must(hcr_check_f32(region, ROWS, NULL, y_f32, within, NULL, &error), &error);
        for (size_t i = 0; i < ROWS; i++)
            assert_int_equal(within[i], 1);
        free(polar);
        free(y);
        free(polar_f32);
        free(y_f32);
        free(rays);
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
    assert_true(on_frontier > 1000);
}

int main(void) {
    static form forms[FORMS];
    struct CMUnitTest tests[2 * FORMS];
    for (size_t k = 0; k < FORMS; k++) {
        forms[k] = (form)k;
        tests[k] = (struct CMUnitTest){form_names[k], test_gauge, NULL, NULL, &forms[k]};
        tests[FORMS + k] = (struct CMUnitTest){form_names[k], test_exactness, NULL, NULL, &forms[k]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
