/* D02: every map, its derivatives forwards and backwards, in both precisions, on a thread with 64 KiB of stack, for
 * regions of every kind: what they take of it is what hcr.h says. The region's numbers come from numeric/regions.c and
 * parameters.c; what isn't convex, and tapes of every kind, from region texts. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "numeric/parameters.h"
#include "numeric/texts.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
/* Frames of instrumented code, or of code as it is written, are larger by what nobody promised anything about. */
enum { STACK = 512 * 1024, MOST = STACK, LEAST = 1024 * 1024 };
#else
enum { STACK = 64 * 1024, MOST = 32 * 1024, LEAST = 16 * 1024 };
#endif
enum { ROWS = 40, PATTERN = 0xA5 };

static hcr_error error;

/* ------------------------------------------------------------------------------------------------------- the maps */

typedef hcr_status map_f64(const hcr_region *, hcr_workspace *, size_t, const double *, const double *, double *,
                           hcr_ray *, hcr_error *);
typedef hcr_status map_f32(const hcr_region *, hcr_workspace *, size_t, const float *, const float *, float *,
                           hcr_ray *, hcr_error *);
typedef hcr_status vjp_f64(const hcr_region *, hcr_workspace *, size_t, const double *, const double *, const hcr_ray *,
                           const double *, double *, double *, hcr_error *);
typedef hcr_status vjp_f32(const hcr_region *, hcr_workspace *, size_t, const float *, const float *, const hcr_ray *,
                           const float *, float *, float *, hcr_error *);
typedef hcr_status jvp_f64(const hcr_region *, hcr_workspace *, size_t, const double *, const double *, const hcr_ray *,
                           const double *, const double *, double *, hcr_error *);
typedef hcr_status jvp_f32(const hcr_region *, hcr_workspace *, size_t, const float *, const float *, const hcr_ray *,
                           const float *, const float *, float *, hcr_error *);

static map_f64 *const maps[] = {hcr_gauge, hcr_encode, hcr_decode, hcr_contract, hcr_soften};
static map_f32 *const maps_f32[] = {hcr_gauge_f32, hcr_encode_f32, hcr_decode_f32, hcr_contract_f32, hcr_soften_f32};
static vjp_f64 *const vjps[] = {hcr_gauge_vjp, hcr_encode_vjp, hcr_decode_vjp, hcr_contract_vjp, hcr_soften_vjp};
static vjp_f32 *const vjps_f32[] = {hcr_gauge_vjp_f32, hcr_encode_vjp_f32, hcr_decode_vjp_f32, hcr_contract_vjp_f32,
                                    hcr_soften_vjp_f32};
static jvp_f64 *const jvps[] = {hcr_gauge_jvp, hcr_encode_jvp, hcr_decode_jvp, hcr_contract_jvp, hcr_soften_jvp};
static jvp_f32 *const jvps_f32[] = {hcr_gauge_jvp_f32, hcr_encode_jvp_f32, hcr_decode_jvp_f32, hcr_contract_jvp_f32,
                                    hcr_soften_jvp_f32};

enum { MAPS = sizeof maps / sizeof maps[0] };

/* What the maps are given and give, with room for a point and a radius in each row. */
typedef struct numbers {
    size_t width, parameters;
    double *x, *in, *bar, *out, *x_out;
    float *x_f32, *in_f32, *bar_f32, *out_f32, *x_out_f32;
    hcr_ray rays[ROWS];
} numbers;

static void numbers_make(const hcr_region *region, hcri_random *random, numbers *made) {
    const size_t p = hcr_region_parameters(region), width = hcr_region_dimension(region) + 1;
    *made = (numbers){.width = width, .parameters = p};
    double **doubles[] = {&made->x, &made->in, &made->bar, &made->out, &made->x_out};
    float **floats[] = {&made->x_f32, &made->in_f32, &made->bar_f32, &made->out_f32, &made->x_out_f32};
    for (size_t k = 0; k < 5; k++) {
        assert_non_null(*doubles[k] = calloc(ROWS * (width + p), sizeof(double)));
        assert_non_null(*floats[k] = calloc(ROWS * (width + p), sizeof(float)));
    }
    fill_normal(random, 3, ROWS * width, made->in);
    fill_normal(random, 1, ROWS * width, made->bar);
    for (size_t i = 0; i < ROWS; i++)
        fill_parameters(region, random, made->x + i * p);
    for (size_t k = 0; k < ROWS * width; k++) {
        made->in_f32[k] = (float)made->in[k];
        made->bar_f32[k] = (float)made->bar[k];
    }
    for (size_t k = 0; k < ROWS * p; k++)
        made->x_f32[k] = (float)made->x[k];
}

static void numbers_release(numbers *made) {
    void *owned[] = {made->x,     made->in,     made->bar,     made->out,     made->x_out,
                     made->x_f32, made->in_f32, made->bar_f32, made->out_f32, made->x_out_f32};
    for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++)
        free(owned[k]);
}

typedef struct job {
    const hcr_region *region;
    hcr_workspace *workspace;
    numbers *numbers;
    int failed; /* calls that gave another status than this thread may have */
    uint64_t digest;
} job;

static void add_bytes(job *j, const void *bytes, size_t size) {
    for (size_t k = 0; k < size; k++)
        j->digest = (j->digest ^ ((const unsigned char *)bytes)[k]) * 1099511628211u;
}

static void judge(job *j, hcr_status status, int single) {
    const numbers *n = j->numbers;
    j->failed += status != HCR_OK && !(single && status == HCR_ERROR_PRECISION);
    if (status != HCR_OK)
        return;
    if (single)
        add_bytes(j, n->out_f32, ROWS * (n->width + n->parameters) * sizeof(float));
    else
        add_bytes(j, n->out, ROWS * (n->width + n->parameters) * sizeof(double));
}

/* Every map and derivative there is. */
static void *work(void *argument) {
    job *j = argument;
    numbers *n = j->numbers;
    const hcr_region *r = j->region;
    hcr_workspace *w = j->workspace;
    const double *x = n->parameters == 0 ? NULL : n->x;
    const float *x_f32 = n->parameters == 0 ? NULL : n->x_f32;
    memset(n->out, 0, ROWS * (n->width + n->parameters) * sizeof *n->out);
    memset(n->out_f32, 0, ROWS * (n->width + n->parameters) * sizeof *n->out_f32);
    for (size_t m = 0; m < MAPS; m++) {
        judge(j, maps[m](r, w, ROWS, x, n->in, n->out, n->rays, NULL), 0);
        judge(j, vjps[m](r, w, ROWS, x, n->in, n->rays, n->bar, n->out, n->x_out, NULL), 0);
        judge(j, vjps[m](r, w, ROWS, x, n->in, NULL, n->bar, n->out, n->x_out, NULL), 0);
        judge(j, jvps[m](r, w, ROWS, x, n->in, NULL, n->bar, x, n->out, NULL), 0);
        judge(j, maps_f32[m](r, w, ROWS, x_f32, n->in_f32, n->out_f32, n->rays, NULL), 1);
        judge(j, vjps_f32[m](r, w, ROWS, x_f32, n->in_f32, NULL, n->bar_f32, n->out_f32, n->x_out_f32, NULL), 1);
        judge(j, jvps_f32[m](r, w, ROWS, x_f32, n->in_f32, NULL, n->bar_f32, x_f32, n->out_f32, NULL), 1);
    }
    return NULL;
}

/* ----------------------------------------------------------------------------------------------------- the thread */

static void *idle(void *argument) { return argument; }

/* How much of its stack, which lies in memory of ours, a thread wrote to; 0: it is too small for one. */
static size_t stack_of(void *(*function)(void *), void *argument, size_t size) {
    unsigned char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(stack != MAP_FAILED);
    memset(stack, PATTERN, size);
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, size), 0);
    const int made = pthread_create(&thread, &attributes, function, argument) == 0;
    if (made)
        assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    size_t untouched = made ? 0 : size;
    while (untouched < size && stack[untouched] == PATTERN)
        untouched++;
    assert_int_equal(munmap(stack, size), 0);
    return size - untouched;
}

/* What lies on a thread's stack before it begins: the thread's own variables, of all libraries together. */
static size_t reserved(void) {
    static size_t size;
    if (size == 0)
        for (size = LEAST; stack_of(idle, NULL, size) == 0; size += 4096)
            assert_true(size < (1 << 24));
    return size;
}

static size_t largest; /* what any of them took */

static void check(hcr_region *region, const char *name, hcri_random *random) {
    numbers n;
    numbers_make(region, random, &n);
    job here = {.region = region, .workspace = workspace_of(region, 1), .numbers = &n}, there = here;
    work(&here);
    const size_t size = reserved() + STACK, none = stack_of(idle, NULL, size), used = stack_of(work, &there, size);
    if (there.failed || here.failed || there.digest != here.digest || used - none > MOST)
        fail_msg("%s: %d and %d calls failed, %zu bytes of stack", name, here.failed, there.failed, used - none);
    largest = used - none > largest ? used - none : largest;
    hcr_workspace_free(here.workspace);
    hcr_region_free(region);
    numbers_release(&n);
}

/* ------------------------------------------------------------------------------------------------------- regions */

static void test_kinds(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 2);
    for (int shape = 0; shape < SHAPES; shape++)
        for (size_t n = 5; n <= 40; n += 35)
            check(random_region((region_shape)shape, n, 1, 1, &random), shape_names[shape], &random);
}

/* So many dense rows, and so large a matrix, that both are filtered in single precision first. */
static void test_filters(void **state) {
    (void)state;
    enum { N = 128, MANY = 2000 };
    static double A[MANY * N], upper[MANY], matrix[N * N], origin[N];
    hcri_random random;
    hcri_random_seed(&random, 5);
    fill_normal(&random, 1, MANY * N, A);
    for (size_t i = 0; i < MANY; i++)
        upper[i] = 5;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            matrix[i * N + j] = i == j ? 2 : 1e-3 * (double)((i * j) % 7);
    const hcr_quadratic quadratic = {.form = HCR_QUADRATIC_DENSE, .matrix = matrix, .radius = 3};
    hcr_builder *builder = new_builder(N);
    must(hcr_builder_add_rows(builder, MANY, A, NULL, upper, &error), &error);
    must(hcr_builder_add_quadratic(builder, &quadratic, &error), &error);
    check(region_around(builder, origin, 10), "screened rows and a screened quadratic", &random);
}

static void test_parameters(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 3);
    for (int kind = 0; kind < MOVING_KINDS; kind++)
        for (int equality = 0; equality < 2; equality++)
            check(moving_region((moving_kind)kind, 6, 3, equality, &random), moving_names[kind], &random);
    for (int varying = 0; varying < 2; varying++)
        for (int equality = 0; equality < 2; equality++)
            check(wandering_region(varying, equality), "wandering", &random);
}

static void test_texts(void **state) {
    (void)state;
    static const char *const texts[] = {
        "var y[300]\nlog_sum_exp(y) <= 8\ny >= -3",
        "var y[3]\nnorm(y - [1, 2, 3], 1.5) <= 2\ngeo_mean(y) >= 0.5",
        "var y[6]\nnorm_nuc(reshape(y, 2, 3)) <= 2",
        "var y[3]\nlambda_max([[y[0], y[1], 0], [y[1], y[2], 1], [0, 1, 0]]) + exp(y[0]) <= 4\n-5 <= y <= 5",
        "var y[40]\npsd(eye(40) + 0.1 * diag(y))\nnorm(y) <= 5\nsum(y) == 1",
        ("var y[2]\nunion:\n  norm(y, 3) <= 1\nor\n  abs(y) <= [3, 0.2]\nor\n  exp(y[0]) + exp(-y[0]) <= 2.5\n"
         "  abs(y[1]) <= 2\nor\n  psd([[2 - y[0], y[1]], [y[1], 2 + y[0]]])\nor\n  norm(y) <= 0.5 + 0.1 * y[0]\nend\n"
         "origin = [0, 0]"),
        ("var y[2]\n-4 <= y <= 4\nexcept norm(y - 2) <= 0.5\nexcept norm(y + [2 * i, 1], 3) <= 0.4 for i in [-1, 1]\n"
         "origin = [0, 0]"),
        "var y[2]\n-2 <= y <= 2\nstar:\n  y[0] * y[1] <= 1\n  y[1] - sin(2 * y[0]) <= 1.2\nend\norigin = [0, 0]",
        "var y[2]\nunbounded\nexp(y[0]) <= y[1]",
    };
    hcri_random random;
    hcri_random_seed(&random, 4);
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        hcr_region *region = text_region(texts[k]);
        check(region, texts[k], &random);
    }
    print_message("the most stack that maps took: %zu bytes\n", largest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
