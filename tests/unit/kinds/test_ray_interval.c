/* Where rays are inside an inequality: closed forms against the search for any convex kind, and that against known
 * answers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "kinds/block.h"
#include "kinds/box/box.h"
#include "kinds/linear/linear.h"
#include "kinds/quadratic/quadratic.h"
#include "kinds/ray_interval.h"
#include "scratch.h"

enum { N = 4, RAYS = 2000 };
static const hcr_allocator *const memory = &hcri_default_allocator;

static void assert_near(double a, double b, double most) { assert_true(fabs(a - b) <= most); }

static void draw(hcri_random *random, double size, double *x) {
    for (size_t j = 0; j < N; j++)
        x[j] = size * hcri_random_normal(random);
}

/* Both find the same ends. The search has values with a rounding of 1e-16 of their terms, here at most some 1e3: near a
 * tangent ray the ends move by the root of that, so rays that are inside for less than 1e-3 aren't compared. */
static void compare(const hcri_constraint *block, uint64_t seed) {
    hcri_random random;
    hcri_random_seed(&random, seed);
    size_t met = 0, missed = 0;
    for (size_t k = 0; k < RAYS; k++) {
        double origin[N], v[N], enter, leave, from, to;
        draw(&random, 3, origin);
        draw(&random, 1, v);
        const size_t i = hcri_random_below(&random, block->count);
        ends_of(block->kind->interval(block, i, origin, v, scratch_for(block)), &enter, &leave);
        double scratch[64]; /* this kind has an interval of its own, and no vectors for this one */
        assert_true(hcri_block_scratch(block) + 2 * block->n <= 64);
        ends_of(hcri_block_interval(block, i, origin, v, scratch), &from, &to);
        if (!isinf(enter) && leave - enter < 1e-3)
            continue;
        if (isinf(enter)) {
            assert_true(isinf(from) || to - from < 1e-3);
            missed++;
            continue;
        }
        met++;
        assert_true(fabs(enter - from) <= 1e-9 * (1 + enter));
        assert_true(isinf(leave) ? isinf(to) : fabs(leave - to) <= 1e-9 * (1 + leave));
        double at[N];
        for (size_t j = 0; j < N; j++)
            at[j] = origin[j] + 0.5 * (enter + fmin(leave, enter + 10)) * v[j];
        assert_true(block->kind->value(block, i, at, NULL, scratch_for(block)) <= 0);
    }
    assert_true(met > RAYS / 20 && missed > RAYS / 20);
}

static void test_box_and_rows(void **state) {
    (void)state;
    hcri_constraint *box = NULL, *linear = NULL;
    assert_int_equal(hcri_box_create(N, memory, &box, NULL), HCR_OK);
    assert_int_equal(hcri_linear_create(N, memory, &linear, NULL), HCR_OK);
    for (size_t j = 0; j < N; j++) {
        hcri_box_narrow_upper((hcri_box *)box, j, 1 + 0.3 * (double)j, 0, 0);
        hcri_box_narrow_lower((hcri_box *)box, j, -2, 0, 0);
        const uint32_t columns[2] = {0, 2};
        const double values[2] = {1, (double)j - 1.5};
        assert_int_equal(hcri_linear_append((hcri_linear *)linear, (hcri_row){2, columns, values}, -1, 0.5 + (double)j,
                                            (hcri_source_row){0, 0}, NULL),
                         HCR_OK);
    }
    compare(box, 1);
    compare(linear, 2);
    hcri_block_release(box);
    hcri_block_release(linear);
}

static void test_quadratics(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 3);
    const double diagonal[N] = {1, 2, 0, 0.5}, shift[N] = {0.5, -1, 0, 2}, q[N] = {0.1, 0, -1, 0};
    double dense[N * N] = {0};
    hcri_rows factor = {0};
    for (size_t k = 0; k < 2; k++) {
        const uint32_t columns[N] = {0, 1, 2, 3};
        double f[N];
        draw(&random, 1, f);
        assert_int_equal(hcri_rows_append(&factor, memory, N, columns, f, NULL), HCR_OK);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++)
                dense[i * N + j] += f[i] * f[j] + (k == 0 && i == j ? 0.3 : 0);
    }
    const hcri_quadratic_parts parts[3] = {
        {HCRI_DIAGONAL, diagonal, NULL, shift, q, -1, 2, 0},
        {HCRI_DENSE, dense, NULL, shift, NULL, 0, 2.5, 0},
        {HCRI_FACTOR, NULL, &factor, shift, q, 0, 1.5, 0},
    };
    for (size_t k = 0; k < 3; k++) {
        hcri_constraint *quadratic = NULL;
        assert_int_equal(hcri_quadratic_create(N, memory, &parts[k], &quadratic, NULL), HCR_OK);
        compare(quadratic, 10 + k);
        hcri_block_release(quadratic);
    }
    hcri_rows_release(&factor, memory);
}

static void expect(const hcri_constraint *block, const double *origin, const double *v, double enter, double leave) {
    double from, to;
    ends_of(block->kind->interval(block, 0, origin, v, scratch_for(block)), &from, &to);
    assert_near(from, enter, 1e-14);
    if (isinf(leave))
        assert_true(isinf(to));
    else
        assert_near(to, leave, 1e-14);
}

/* Touching, parallel, starting on the surface, away from it, in direction of nothing. */
static void test_ends(void **state) {
    (void)state;
    const double ones[2] = {1, 1}, centre[2] = {3, 0};
    const hcri_quadratic_parts ball = {HCRI_DIAGONAL, ones, NULL, centre, NULL, 0, 1, 0};
    hcri_constraint *quadratic = NULL, *box = NULL;
    assert_int_equal(hcri_quadratic_create(2, memory, &ball, &quadratic, NULL), HCR_OK);
    assert_int_equal(hcri_box_create(2, memory, &box, NULL), HCR_OK);
    hcri_box_narrow_upper((hcri_box *)box, 0, 1, 0, 0);
    const double right[2] = {1, 0}, left[2] = {-2, 0}, up[2] = {0, 1};
    const double zero[2] = {0, 0}, above[2] = {0, 1}, higher[2] = {0, 1.5}, middle[2] = {3, 0}, surface[2] = {2, 0},
                 outside[2] = {5, 0};
    expect(quadratic, zero, right, 2, 4);
    expect(quadratic, outside, left, 0.5, 1.5);
    expect(quadratic, middle, up, 0, 1);
    expect(quadratic, surface, right, 0, 2);
    expect(quadratic, surface, left, 0, 0);
    expect(quadratic, above, right, 3, 3);
    expect(box, zero, right, 0, 1);
    expect(box, zero, up, 0, INFINITY);
    expect(box, outside, left, 2, INFINITY);
    double enter, leave;
    ends_of(quadratic->kind->interval(quadratic, 0, higher, right, scratch_for(quadratic)), &enter, &leave);
    assert_true(isinf(enter));
    ends_of(quadratic->kind->interval(quadratic, 0, zero, left, scratch_for(quadratic)), &enter, &leave);
    assert_true(isinf(enter));
    ends_of(box->kind->interval(box, 0, outside, up, scratch_for(box)), &enter, &leave);
    assert_true(isinf(enter));
    hcri_block_release(quadratic);
    hcri_block_release(box);
}

/* −log(y_0 − 1) + y_1² <= 0, whose domain begins at y_0 = 1: inside where y_0 >= 1 + exp(y_1²). */
static double logarithm(const hcri_constraint *constraint, size_t i, const double *y, double *error, double *scratch) {
    (void)constraint;
    (void)scratch;
    (void)i;
    if (error != NULL)
        *error = 0;
    return -log(y[0] - 1) + y[1] * y[1];
}

static void logarithm_gradient(const hcri_constraint *constraint, size_t i, const double *y, double weight,
                               double *gradient, double *scratch) {
    (void)constraint;
    (void)scratch;
    (void)i;
    gradient[0] -= weight / (y[0] - 1);
    gradient[1] += weight * 2 * y[1];
}

static void test_domain(void **state) {
    (void)state;
    const hcri_kind kind = {.value = logarithm, .add_gradient = logarithm_gradient, .interval = hcri_block_interval};
    const hcri_constraint block = {.kind = &kind, .n = 2, .count = 1, .convex = 1};
    const double origin[2] = {0, 0}, far[2] = {40, 0};
    double enter, leave;
    ends_of(hcri_block_interval(&block, 0, origin, (const double[2]){1, 0}, scratch_for(&block)), &enter,
            &leave); /* from outside the domain */
    assert_near(enter, 2, 1e-13);
    assert_true(isinf(leave));
    ends_of(hcri_block_interval(&block, 0, far, (const double[2]){-1, 0}, scratch_for(&block)), &enter,
            &leave); /* out through its end */
    assert_true(enter == 0);
    assert_near(leave, 38, 1e-12);
    ends_of(hcri_block_interval(&block, 0, far, (const double[2]){0, 1}, scratch_for(&block)), &enter, &leave);
    assert_near(leave, sqrt(log(39)), 1e-13);
    ends_of(hcri_block_interval(&block, 0, origin, (const double[2]){-1, 0}, scratch_for(&block)), &enter,
            &leave); /* never in the domain */
    assert_true(isinf(enter));
    /* y_0 = 1 + s, y_1 = 0.3 s: in between the two roots of s = exp(0.09 s²) */
    const double from[2] = {1, 0};
    ends_of(hcri_block_interval(&block, 0, from, (const double[2]){1, 0.3}, scratch_for(&block)), &enter, &leave);
    assert_true(enter > 0 && leave > enter && !isinf(leave));
    assert_near(enter, exp(0.09 * enter * enter), 1e-12);
    assert_near(leave, exp(0.09 * leave * leave), 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_and_rows),
        cmocka_unit_test(test_quadratics),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
