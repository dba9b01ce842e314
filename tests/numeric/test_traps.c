/* C03: with traps for invalid operations and divisions by zero switched on, as some programs have them, the maps and
 * their derivatives run through, whatever finite numbers come in: no 0/0, no 0·∞, no 1/0 in a branch that isn't taken.
 * A NaN or an infinity in the input may trap: to compare a NaN is an invalid operation by itself. */
#define _GNU_SOURCE /* feenableexcept */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"
#include "numeric/regions.h"
#include "numeric/texts.h"

enum { ROWS = 24, DENORMAL = 22, MOST = 13 }; /* rows from DENORMAL on are denormal numbers */

const hcri_kernels *__wrap_hcri_kernels_best(void);
static const hcri_kernels *chosen, *variants[3];
const hcri_kernels *__wrap_hcri_kernels_best(void) { return chosen; }

static hcr_error error;
static sigjmp_buf trapped;
static void on_trap(int number) { siglongjmp(trapped, number); }

/* Zeros, axes, negative zeros, denormals, huge numbers, small integers, random ones. */
static void fill(hcri_random *random, size_t n, double *polar) {
    for (size_t i = 0; i < ROWS; i++) {
        double *row = polar + i * (n + 1);
        fill_normal(random, 3, n, row);
        for (size_t j = 0; j < n; j++)
            row[j] = i == 0          ? 0
                     : i == 1        ? -0.0
                     : i < 6         ? (j == i % n) * (i % 2 == 0 ? 5.0 : -5.0)
                     : i < 8         ? row[j] * 1e300
                     : i >= DENORMAL ? row[j] * 1e-310
                     : i < 12        ? row[j] * (j % 2 == 0 ? 1e-150 : 1e100)
                     : i < 16        ? (double)hcri_random_below(random, 3) - 1
                                     : row[j];
        row[n] = i % 4 == 0 ? 0 : i % 4 == 1 ? 1 : 0.5;
    }
}

typedef struct work {
    const hcr_region *region;
    hcr_workspace *workspace;
    const double *polar, *v;
    double ones[ROWS * MOST], y[ROWS * MOST], bar[ROWS * (MOST + 1)];
} work;

static hcr_status run(work *w) {
    const hcr_region *region = w->region;
    hcr_workspace *workspace = w->workspace;
    hcr_ray rays[ROWS];
    double gauge[ROWS];
    hcr_status status = hcr_decode(region, workspace, ROWS, NULL, w->polar, w->y, rays, &error);
    if (status == HCR_OK) /* but for the first derivative of rows that begin with denormal ones: it is beyond 1e308 */
        status = hcr_decode_vjp(region, workspace, DENORMAL, NULL, w->polar, rays, w->ones, w->bar, NULL, &error);
    if (status == HCR_OK)
        status = hcr_encode(region, workspace, ROWS, NULL, w->y, w->bar, NULL, &error);
    if (status == HCR_OK)
        status = hcr_contract(region, workspace, ROWS, NULL, w->v, w->y, rays, &error);
    if (status == HCR_OK)
        status = hcr_contract_vjp(region, workspace, ROWS, NULL, w->v, rays, w->ones, w->bar, NULL, &error);
    if (status == HCR_OK)
        status = hcr_soften(region, workspace, ROWS, NULL, w->v, w->y, rays, &error);
    if (status == HCR_OK)
        status = hcr_gauge(region, workspace, ROWS, NULL, w->v, gauge, rays, &error);
    if (status == HCR_OK)
        status = hcr_gauge_vjp(region, workspace, ROWS, NULL, w->v, rays, w->ones, w->bar, NULL, &error);
    return status;
}

static hcr_status run_f32(work *w) {
    float v[ROWS * MOST], y[ROWS * MOST];
    const size_t n = hcr_region_dimension(w->region);
    for (size_t k = 0; k < ROWS * n; k++) /* a float holds no more than this */
        v[k] = (float)fmax(-1e38, fmin(w->v[k], 1e38));
    const hcr_status status = hcr_contract_f32(w->region, w->workspace, ROWS, NULL, v, y, NULL, &error);
    return status == HCR_ERROR_PRECISION ? HCR_OK : status;
}

/* Runs `what` with the traps on; whether one was sprung. */
static int traps(hcr_status (*what)(work *), work *w) {
    struct sigaction action = {.sa_handler = on_trap}, before;
    sigemptyset(&action.sa_mask);
    sigaction(SIGFPE, &action, &before);
    volatile int sprung = 0;
    volatile hcr_status status = HCR_OK;
    if (sigsetjmp(trapped, 1) == 0) {
        feclearexcept(FE_ALL_EXCEPT);
        feenableexcept(FE_INVALID | FE_DIVBYZERO);
        status = what(w);
    } else {
        sprung = 1;
    }
    fedisableexcept(FE_ALL_EXCEPT);
    sigaction(SIGFPE, &before, NULL);
    must(status, &error);
    return sprung;
}

static void try_region(const hcr_region *region, const char *name, hcri_random *random) {
    static work w;
    double polar[ROWS * (MOST + 1)], v[ROWS * MOST];
    const size_t n = hcr_region_dimension(region);
    fill(random, n, polar);
    for (size_t i = 0; i < ROWS; i++)
        memcpy(v + i * n, polar + i * (n + 1), n * sizeof *v);
    w = (work){.region = region, .workspace = workspace_of(region, 1), .polar = polar, .v = v};
    for (size_t k = 0; k < ROWS * MOST; k++)
        w.ones[k] = 1;
    const int in_double = traps(run, &w), in_single = traps(run_f32, &w);
    hcr_workspace_free(w.workspace);
    if (in_double || in_single)
        fail_msg("%s, n = %zu: a trap in %s precision", name, n, in_double ? "double" : "single");
}

static void test_every_kind(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 5, MOST};
    hcri_random random;
    hcri_random_seed(&random, 21);
    for (region_shape shape = SHAPE_BOX; shape <= SHAPE_MIXED; shape++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
            for (int boxed = 0; boxed < 2; boxed++) {
                hcr_region *region = random_region(shape, sizes[k], boxed, 1, &random);
                try_region(region, shape_names[shape], &random);
                hcr_region_free(region);
            }
}

/* Texts of the kinds that random_region doesn't have, and the boxes of the case: the origin on no plane, and a ray
 * parallel to a face. */
static void test_texts(void **state) {
    (void)state;
    static const char *const texts[] = {
        "var y[2]\n-1 <= y <= 1\norigin = [0, 0]",
        "var y[2]\n0 <= y[0] <= 10\n0 <= y[1] <= 1\norigin = [5, 0.5]",
        "var y[2]\nunbounded\ny[0] <= 1\norigin = [0, 0]",
        "var y[3]\nnorm(y[:2]) <= y[2]\nunbounded\norigin = [0, 0, 1]",
        "var y[3]\nsum(y) == 1\ny >= 0",
        "var y[2]\nlog_sum_exp(y) <= 2\n-3 <= y <= 3\nexp(y[0]) + power(y[1], 4) <= 5",
        ("var y[2]\n-4 <= y <= 4\nunion:\n  norm(y) <= 1\nor\n  abs(y[0]) <= 0.5\n  abs(y[1]) <= 3\nend\n"
         "origin = [0, 0]"),
        "var y[2]\nnorm(y) <= 4\nexcept norm(y - [2, 0]) <= 0.5\norigin = [0, 0]",
        "var y[2]\nnorm(y) <= 2\nstar:\n  y[0] * y[1] <= 1\nend\norigin = [0, 0]",
    };
    hcri_random random;
    hcri_random_seed(&random, 22);
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        hcr_region *region = text_region(texts[k]);
        try_region(region, texts[k], &random);
        hcr_region_free(region);
    }
}

/* The traps do spring here: without that the tests above would say nothing. */
static hcr_status divide(work *w) {
    volatile double zero = 0;
    w->y[0] = zero / zero;
    return HCR_OK;
}
static void test_traps_spring(void **state) {
    (void)state;
    static work w;
    if (feenableexcept(0) == -1)
        skip();
    assert_true(traps(divide, &w));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traps_spring),
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_texts),
    };
    const size_t count = hcri_kernels_all(variants, 3);
    int failed = 0;
    for (size_t k = 0; k < count; k++) {
        chosen = variants[k];
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
