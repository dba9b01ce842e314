/* Expressions as constraints: rays, first crossings, bytes, memory that runs out, threads. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "functions/tape_evaluate.h"
#include "kinds/expression/expression.h"
#include "scratch.h"
#include "unit/functions/tapes.h"

static hcri_constraint *make(hcri_tape *tape, size_t n, int convex, hcri_root_method method, const double *origin) {
    hcri_constraint *block = NULL;
    hcr_error error;
    if (hcri_expression_create(n, &hcri_default_allocator, tape, convex, method, &block, &error) != HCR_OK ||
        (origin != NULL && block->kind->place(block, origin, &error) != HCR_OK))
        fail_msg("%s", error.text);
    return block;
}

static void release(hcri_constraint *block) { hcri_block_release(block); }

static hcri_tape new_tape(void) { return (hcri_tape){.allocator = &hcri_default_allocator}; }
static uint32_t output(hcri_tape *tape, uint32_t j) { return put_step(tape, HCRI_STEP_AFFINE, 0, 0, 1, &j, NULL); }
static uint32_t unary(hcri_tape *tape, hcri_step_kind kind, double parameter, uint32_t x) {
    return put_step(tape, kind, parameter, 0, 1, &x, NULL);
}
/* a x + b y + c */
static uint32_t combine(hcri_tape *tape, double a, uint32_t x, double b, uint32_t y, double c) {
    const uint32_t arguments[2] = {x, y};
    const double weights[2] = {a, b};
    return put_step(tape, HCRI_STEP_SUM, c, 0, 2, arguments, weights);
}

/* log Σ e^y_j + √(1 + (y_0 − 2 y_1)²) − 6, around 0 in n dimensions. */
static hcri_tape mixed_tape(size_t n) {
    hcri_tape tape = new_tape();
    uint32_t x[64];
    const uint32_t two[2] = {0, 1};
    const double weights[2] = {1, -2};
    for (uint32_t j = 0; j < n; j++)
        x[j] = output(&tape, j);
    const uint32_t sum = put_step(&tape, HCRI_STEP_LOG_SUM_EXP, 0, 0, n, x, NULL);
    const uint32_t difference = put_step(&tape, HCRI_STEP_AFFINE, 0, 0, 2, two, weights);
    const uint32_t one = put_step(&tape, HCRI_STEP_AFFINE, 1, 0, 0, NULL, NULL);
    const uint32_t pair[2] = {one, difference};
    const uint32_t root = put_step(&tape, HCRI_STEP_NORM, 2, 0, 2, pair, NULL);
    combine(&tape, 1, sum, 1, root, -6);
    return tape;
}

/* The largest t with value <= 0 by bisection of the value itself. */
static double bisect(const hcri_constraint *block, const double *v, double high) {
    double low = 0, y[64];
    for (int k = 0; k < 200; k++) {
        const double middle = 0.5 * (low + high);
        for (size_t j = 0; j < block->n; j++)
            y[j] = middle * v[j];
        if (block->kind->value(block, 0, y, NULL, scratch_for(block)) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void test_gauge(void **state) {
    (void)state;
    enum { N = 5, ROWS = 64 };
    hcri_random random;
    hcri_random_seed(&random, 1);
    const double zero[N] = {0};
    for (int method = HCRI_NEWTON; method <= HCRI_BRENT; method++) {
        hcri_tape tape = mixed_tape(N);
        hcri_constraint *block = make(&tape, N, 1, (hcri_root_method)method, zero);
        double v[ROWS * N], best[ROWS], raised[ROWS];
        uint32_t active_constraint[ROWS];
        for (size_t k = 0; k < ROWS * N; k++)
            v[k] = hcri_random_normal(&random) * pow(10, (double)(k / N % 21) - 10);
        for (size_t s = 0; s < ROWS; s++) {
            best[s] = 0;
            active_constraint[s] = 77;
        }
        block->first = 5;
        batch_gauge(block, ROWS, v, N, best, active_constraint, scratch_for(block));
        for (size_t s = 0; s < ROWS; s++) {
            const double one = block->kind->gauge_one(block, 0, v + s * N, scratch_for(block));
            assert_true(one == best[s]);
            assert_int_equal(active_constraint[s], one > 0 ? 5 : 77);
            if (one == 0) /* all y fall */
                continue;
            const double t = bisect(block, v + s * N, 2 / one);
            assert_true(fabs(one * t - 1) <= 1e-13);
            assert_true(fabs(block->kind->along(block, 0, v + s * N, 1 / one, scratch_for(block))) <= 1e-13);
            assert_true(block->kind->along(block, 0, v + s * N, 0, scratch_for(block)) == -1);
        }
        /* a better one from before stays, a worse one gives way to the same bits */
        for (size_t s = 0; s < ROWS; s++)
            raised[s] = best[s] * (s % 3 == 0 ? 1.5 : s % 3 == 1 ? 0.5 : 1 + 0x1p-52);
        double kept[ROWS];
        memcpy(kept, raised, sizeof kept);
        batch_gauge(block, ROWS, v, N, raised, NULL, scratch_for(block));
        for (size_t s = 0; s < ROWS; s++)
            assert_true(raised[s] == fmax(kept[s], best[s]));
        release(block);
    }
}

static void test_origin_is_refused(void **state) {
    (void)state;
    hcr_error error;
    static const double outside[2][1] = {{1}, {-1}}; /* exp(y) − e, log y: on the frontier, outside the domain */
    for (int k = 0; k < 2; k++)
        for (int convex = 0; convex < 2; convex++) {
            hcri_tape tape = new_tape();
            const uint32_t y = output(&tape, 0);
            const uint32_t value = unary(&tape, k == 0 ? HCRI_STEP_EXP : HCRI_STEP_LOG, 0, y);
            put_step(&tape, HCRI_STEP_SUM, k == 0 ? -2.718281828459045 : 0, 0, 1, &value, NULL);
            hcri_constraint *block = make(&tape, 1, convex, HCRI_NEWTON, NULL);
            assert_int_equal(block->kind->place(block, outside[k], &error), HCR_ERROR_ORIGIN);
            assert_int_equal(error.line, 1);
            release(block);
        }
}

/* ----------------------------------------------------------------------------------------------- first crossings */

/* Horner's rule in steps. */
static hcri_constraint *polynomial(const double *coefficients, size_t degree) {
    hcri_tape tape = new_tape();
    const uint32_t y = output(&tape, 0);
    uint32_t value = put_step(&tape, HCRI_STEP_AFFINE, coefficients[degree], 0, 0, NULL, NULL);
    for (size_t k = degree; k-- > 0;) {
        const uint32_t pair[2] = {value, y};
        value = put_step(&tape, HCRI_STEP_PRODUCT, 0, 0, 2, pair, NULL);
        value = put_step(&tape, HCRI_STEP_SUM, coefficients[k], 0, 1, &value, NULL);
    }
    const double zero = 0;
    return make(&tape, 1, 0, HCRI_NEWTON, &zero);
}

static void test_first_crossing_of_polynomials(void **state) {
    (void)state;
    const double up = 1, down = -1, far = 1e-12, long_step = 1e12;
    static const double hidden = 6e-14; /* by the rounding of terms of up to 11, bounded, over a slope of 2 */
    /* (y − 1)(y − 2)(y − 3): positive from 1 to 2 */
    const double cubic[4] = {-6, 11, -6, 1};
    hcri_constraint *block = polynomial(cubic, 3);
    assert_true(fabs(block->kind->gauge_one(block, 0, &up, scratch_for(block)) - 1) <= hidden);
    assert_true(fabs(block->kind->gauge_one(block, 0, &far, scratch_for(block)) - far) <= hidden * far);
    assert_true(fabs(block->kind->gauge_one(block, 0, &long_step, scratch_for(block)) - long_step) <=
                hidden * long_step);
    assert_true(block->kind->gauge_one(block, 0, &down, scratch_for(block)) == 0);
    assert_true(block->kind->along(block, 0, &up, 1, scratch_for(block)) == 0 &&
                isinf(block->kind->margin(block, 0x1p-53, NULL, scratch_for(block))));
    release(block);

    /* −(y − 1)² touches 0 at 1: that is as far as it is certain, and no farther */
    const double touch[3] = {-1, 2, -1};
    block = polynomial(touch, 2);
    double t = 1 / block->kind->gauge_one(block, 0, &up, scratch_for(block));
    assert_true(t <= 1 && t > 1 - 1e-5);
    release(block);

    /* −(y − 1)² − 10^-9 stays below it, and is known to; +10^-9 is crossed at 1 − 10^-4.5 */
    const double below[3] = {-1 - 1e-9, 2, -1}, above[3] = {-1 + 1e-9, 2, -1};
    block = polynomial(below, 2);
    assert_true(block->kind->gauge_one(block, 0, &up, scratch_for(block)) == 0);
    release(block);
    block = polynomial(above, 2);
    t = 1 / block->kind->gauge_one(block, 0, &up, scratch_for(block));
    /* what is proved of its steps' rounding, 4e-15, over the slope there, 6.3e-5 */
    assert_true(fabs(t - (1 - 3.1622776601683795e-5)) <= 1e-10);
    release(block);
}

static void test_first_crossing_at_a_domains_end(void **state) {
    (void)state;
    /* −√(2 − y) − 1: below 0 where it is defined */
    hcri_tape tape = new_tape();
    const uint32_t zero = 0;
    const double minus = -1, origin = 0, up = 1, down = -1;
    const uint32_t rest = put_step(&tape, HCRI_STEP_AFFINE, 2, 0, 1, &zero, &minus);
    const uint32_t root = unary(&tape, HCRI_STEP_SQRT, 0, rest);
    put_step(&tape, HCRI_STEP_SUM, -1, 0, 1, &root, &minus);
    hcri_constraint *block = make(&tape, 1, 0, HCRI_NEWTON, &origin);
    const double t = 1 / block->kind->gauge_one(block, 0, &up, scratch_for(block));
    assert_true(t <= 2 && t >= 2 - 1e-12);
    assert_true(block->kind->gauge_one(block, 0, &down, scratch_for(block)) == 0);
    release(block);
}

/* sin y − 1.5 is never 0, which is proved up to 1e20; a sum of waves with a slope is crossed. Along each ray every
 * sampled point before the crossing is inside, and right after it c is 0 or more but for a touch. */
static void test_first_crossing_of_waves(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 2);
    const double up = 1, origin[2] = {0, 0};
    hcri_tape tape = new_tape();
    uint32_t y = output(&tape, 0), wave = unary(&tape, HCRI_STEP_SIN, 0, y);
    put_step(&tape, HCRI_STEP_SUM, -1.5, 0, 1, &wave, NULL);
    hcri_constraint *block = make(&tape, 1, 0, HCRI_NEWTON, origin);
    assert_true(block->kind->gauge_one(block, 0, &up, scratch_for(block)) == 0);
    release(block);

    size_t crossings = 0;
    for (int turn = 0; turn < 60; turn++) {
        tape = new_tape();
        uint32_t sum = put_step(&tape, HCRI_STEP_AFFINE, -1.2, 0, 0, NULL, NULL);
        for (int k = 0; k < 4; k++) {
            const uint32_t both[2] = {0, 1};
            const double weights[2] = {3 * hcri_random_normal(&random), 3 * hcri_random_normal(&random)};
            const uint32_t phase = put_step(&tape, HCRI_STEP_AFFINE, hcri_random_normal(&random), 0, 2, both, weights);
            wave = unary(&tape, k % 2 == 0 ? HCRI_STEP_SIN : HCRI_STEP_COS, 0, phase);
            sum = combine(&tape, 1, sum, 0.4 * hcri_random_normal(&random), wave, 0);
        }
        const uint32_t squares = put_step(&tape, HCRI_STEP_SUM_SQUARES, 0, 0, 2,
                                          (const uint32_t[2]){output(&tape, 0), output(&tape, 1)}, NULL);
        combine(&tape, 1, sum, 0.05, squares, 0);
        hcr_error error;
        block = make(&tape, 2, 0, HCRI_NEWTON, NULL);
        if (block->kind->place(block, origin, &error) != HCR_OK) {
            release(block);
            continue;
        }
        for (int ray = 0; ray < 10; ray++) {
            enum { SAMPLES = 4000 };
            const double v[2] = {hcri_random_normal(&random), hcri_random_normal(&random)};
            const double gauge = block->kind->gauge_one(block, 0, v, scratch_for(block));
            double batch = 0.25 * gauge;
            batch_gauge(block, 1, v, 2, &batch, NULL, scratch_for(block));
            assert_true(batch == gauge && gauge > 0);
            double at[2], greatest = -INFINITY;
            for (int k = 0; k <= SAMPLES; k++) {
                const double t = k / (SAMPLES * gauge);
                at[0] = t * v[0];
                at[1] = t * v[1];
                greatest = fmax(greatest, block->kind->value(block, 0, at, NULL, scratch_for(block)));
            }
            assert_true(greatest <= 1e-15);
            at[0] = (1 + 1e-7) / gauge * v[0];
            at[1] = (1 + 1e-7) / gauge * v[1];
            assert_true(block->kind->value(block, 0, at, NULL, scratch_for(block)) > -1e-6);
            crossings++;
        }
        assert_true(block->kind->inradius(block, scratch_for(block)) > 0);
        release(block);
    }
    assert_true(crossings > 200);
}

/* The same convex set as a star constraint: rays end at the same place. */
static void test_star_and_convex_agree(void **state) {
    (void)state;
    enum { N = 4 };
    hcri_random random;
    hcri_random_seed(&random, 3);
    const double zero[N] = {0};
    hcri_tape one = mixed_tape(N), other = mixed_tape(N);
    hcri_constraint *convex = make(&one, N, 1, HCRI_HALLEY, zero), *star = make(&other, N, 0, HCRI_NEWTON, zero);
    for (int k = 0; k < 200; k++) {
        double v[N];
        for (size_t j = 0; j < N; j++)
            v[j] = hcri_random_normal(&random);
        const double a = convex->kind->gauge_one(convex, 0, v, scratch_for(convex)),
                     b = star->kind->gauge_one(star, 0, v, scratch_for(star));
        assert_true(fabs(a - b) <= 1e-13 * a);
    }
    assert_true(fabs(convex->kind->inradius(convex, scratch_for(convex)) -
                     star->kind->inradius(star, scratch_for(star))) <= 1e-12);
    release(convex);
    release(star);
}

/* -------------------------------------------------------------------------------------------- bytes and memory */

static hcr_status read_block(const unsigned char *data, size_t size, size_t n, const hcr_allocator *allocator,
                             const hcri_kind *kind, hcri_constraint **block, hcr_error *error) {
    hcri_source source = {.data = data, .size = size};
    return hcri_block_read(kind, &source, n, allocator, block, error);
}

static void test_bytes(void **state) {
    (void)state;
    enum { N = 5 };
    const double zero[N] = {0}, v[N] = {1, -2, 0.5, 0.25, 3};
    hcr_error error;
    hcri_tape tape = mixed_tape(N);
    hcri_constraint *block = make(&tape, N, 1, HCRI_HALLEY, zero), *copy = NULL;
    block->source[0] = 3;
    block->source_row[0] = 9;
    hcri_bytes bytes = {.allocator = &hcri_default_allocator};
    assert_int_equal(hcri_block_write(block, &bytes), HCR_OK);
    assert_int_equal(read_block(bytes.data, bytes.size, N, &hcri_default_allocator, block->kind, &copy, &error),
                     HCR_OK);
    assert_int_equal(copy->kind->place(copy, zero, &error), HCR_OK);
    assert_true(copy->source[0] == 3 && copy->source_row[0] == 9 && copy->convex == 1);
    assert_true(((hcri_expression *)copy)->method == HCRI_HALLEY);
    assert_true(copy->kind->gauge_one(copy, 0, v, scratch_for(copy)) ==
                block->kind->gauge_one(block, 0, v, scratch_for(block)));
    release(copy);
    for (size_t size = 0; size < bytes.size; size++)
        assert_int_equal(read_block(bytes.data, size, N, &hcri_default_allocator, block->kind, &copy, &error),
                         HCR_ERROR_FORMAT);
    for (size_t place = 0; place < 8; place++) { /* convex or not, and the method */
        const unsigned char kept = bytes.data[place];
        bytes.data[place] = 0x55;
        assert_int_equal(read_block(bytes.data, bytes.size, N, &hcri_default_allocator, block->kind, &copy, &error),
                         HCR_ERROR_FORMAT);
        bytes.data[place] = kept;
    }
    hcri_release(&hcri_default_allocator, bytes.data);
    release(block);
}

typedef struct limited {
    size_t left, live;
} limited;

static void *limited_allocate(void *context, size_t bytes) {
    limited *memory = context;
    if (memory->left == 0)
        return NULL;
    memory->left--;
    memory->live++;
    return malloc(bytes);
}
static void limited_release(void *context, void *memory) {
    ((limited *)context)->live--;
    free(memory);
}

/* All that a block is asked for, with ever more memory, until it is enough. */
static hcr_status use(const hcr_allocator *allocator, const hcri_substitution *substitution) {
    enum { N = 2 };
    const double zero[N] = {0, 0};
    hcr_error error;
    hcri_constraint *block = NULL, *substituted = NULL, *copy = NULL;
    hcri_tape tape = {.allocator = allocator};
    uint32_t x[N];
    hcr_status status = HCR_OK;
    for (uint32_t j = 0; j < N && status == HCR_OK; j++)
        status = hcri_tape_add(&tape, &(hcri_new_step){HCRI_STEP_AFFINE, 0, 0, 1, &j, NULL}, &x[j], &error);
    if (status == HCR_OK)
        status = hcri_tape_add(&tape, &(hcri_new_step){HCRI_STEP_LOG_SUM_EXP, 0, 0, N, x, NULL}, &x[0], &error);
    if (status == HCR_OK)
        status = hcri_tape_add(&tape, &(hcri_new_step){HCRI_STEP_SUM, -2, 0, 1, x, NULL}, NULL, &error);
    if (status != HCR_OK) {
        hcri_tape_release(&tape);
        return status;
    }
    status = hcri_expression_create(N, allocator, &tape, 0, HCRI_NEWTON, &block, &error);
    if (status != HCR_OK)
        return status;
    hcri_bytes bytes = {.allocator = allocator};
    status = block->kind->substitute(block, substitution, &substituted, &error);
    if (status == HCR_OK)
        status = block->kind->place(block, zero, &error);
    if (status == HCR_OK)
        status = hcri_block_write(block, &bytes);
    if (status == HCR_OK)
        status = read_block(bytes.data, bytes.size, N, allocator, block->kind, &copy, &error);
    hcri_release(allocator, bytes.data);
    if (substituted != NULL)
        release(substituted);
    if (copy != NULL)
        release(copy);
    release(block);
    return status;
}

static void test_memory_that_runs_out(void **state) {
    (void)state;
    hcri_rows map = {0};
    const uint32_t column = 0;
    const double one = 1, constant[2] = {0.5, 0};
    for (int j = 0; j < 2; j++)
        assert_int_equal(hcri_rows_append(&map, &hcri_default_allocator, 1, &column, &one, NULL), HCR_OK);
    const hcri_substitution substitution = {1, map, constant};
    size_t most = 0;
    for (size_t enough = 0;; enough++) {
        limited memory = {enough, 0};
        const hcr_allocator allocator = {limited_allocate, limited_release, &memory};
        const hcr_status status = use(&allocator, &substitution);
        assert_true(memory.live == 0);
        if (status == HCR_OK)
            break;
        assert_true(status == HCR_ERROR_MEMORY ||
                    status == HCR_ERROR_FORMAT); /* the sources: not distinguished there */
        most = enough;
        assert_true(enough < 1000);
    }
    assert_true(most > 15);
    hcri_rows_release(&map, &hcri_default_allocator);
}

static void test_substitution(void **state) {
    (void)state;
    hcri_rows map = {0}, nothing = {0};
    const uint32_t column = 0;
    const double slope[2] = {1, -0.5}, constant[2] = {0.25, 0.5}, inside[2] = {0, 0}, outside[2] = {7, 7}, up = 1,
                 zero = 0;
    for (int j = 0; j < 2; j++) {
        assert_int_equal(hcri_rows_append(&map, &hcri_default_allocator, 1, &column, &slope[j], NULL), HCR_OK);
        assert_int_equal(hcri_rows_append(&nothing, &hcri_default_allocator, 0, NULL, NULL, NULL), HCR_OK);
    }
    hcr_error error;
    hcri_tape tape = mixed_tape(2);
    hcri_constraint *block = make(&tape, 2, 1, HCRI_HALLEY, constant), *substituted = NULL;
    block->source[0] = 4;
    const hcri_substitution line = {1, map, constant}, point = {0, nothing, inside}, wrong = {0, nothing, outside};
    assert_int_equal(block->kind->substitute(block, &line, &substituted, &error), HCR_OK);
    assert_int_equal(substituted->kind->place(substituted, &zero, &error), HCR_OK);
    assert_true(substituted->n == 1 && substituted->convex && substituted->source[0] == 4);
    const double a = substituted->kind->gauge_one(substituted, 0, &up, scratch_for(substituted)),
                 b = block->kind->gauge_one(block, 0, slope, scratch_for(block));
    assert_true(fabs(a - b) <= 1e-14 * b);
    release(substituted);
    assert_int_equal(block->kind->substitute(block, &point, &substituted, &error), HCR_OK);
    assert_null(substituted);
    assert_int_equal(block->kind->substitute(block, &wrong, &substituted, &error), HCR_ERROR_EMPTY);
    release(block);
    hcri_rows_release(&map, &hcri_default_allocator);
    hcri_rows_release(&nothing, &hcri_default_allocator);
}

/* --------------------------------------------------------------------------------------------------------- threads */

enum { LONG = 3000, THREADS = 12 };

/* Σ e^y_j − LONG − 1 */
static hcri_constraint *long_expression(const double *origin) {
    hcri_tape tape = new_tape();
    uint32_t *x = calloc(LONG, sizeof *x);
    assert_non_null(x);
    for (uint32_t j = 0; j < LONG; j++)
        x[j] = unary(&tape, HCRI_STEP_EXP, 0, output(&tape, j));
    put_step(&tape, HCRI_STEP_SUM, -LONG - 1, 0, LONG, x, NULL);
    free(x);
    return make(&tape, LONG, 1, HCRI_NEWTON, origin);
}

typedef struct job {
    const hcri_constraint *block;
    const double *v;
    double expected;
    int sound;
} job;

static void *run(void *argument) {
    job *mine = argument;
    double *scratch = malloc(hcri_block_scratch(mine->block) * sizeof *scratch);
    mine->sound = scratch != NULL;
    for (int k = 0; mine->sound && k < 5; k++)
        mine->sound = mine->block->kind->gauge_one(mine->block, 0, mine->v, scratch) == mine->expected;
    free(scratch);
    return NULL;
}

/* Threads share the block, each with scratch and a ray of its own. */
static void test_threads(void **state) {
    (void)state;
    double *origin = calloc(LONG, sizeof *origin), *v = calloc(LONG * THREADS, sizeof *v);
    assert_non_null(origin);
    assert_non_null(v);
    hcri_random random;
    hcri_random_seed(&random, 4);
    for (size_t k = 0; k < LONG * THREADS; k++)
        v[k] = hcri_random_normal(&random);
    hcri_constraint *block = long_expression(origin);
    job jobs[THREADS];
    pthread_t threads[THREADS];
    for (size_t k = 0; k < THREADS; k++)
        jobs[k] = (job){block, v + k * LONG, block->kind->gauge_one(block, 0, v + k * LONG, scratch_for(block)), 0};
    for (size_t k = 0; k < THREADS; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, run, &jobs[k]), 0);
    for (size_t k = 0; k < THREADS; k++) {
        assert_int_equal(pthread_join(threads[k], NULL), 0);
        assert_true(jobs[k].sound && jobs[k].expected > 0);
    }
    release(block);
    free(origin);
    free(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gauge),
        cmocka_unit_test(test_origin_is_refused),
        cmocka_unit_test(test_first_crossing_of_polynomials),
        cmocka_unit_test(test_first_crossing_at_a_domains_end),
        cmocka_unit_test(test_first_crossing_of_waves),
        cmocka_unit_test(test_star_and_convex_agree),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_memory_that_runs_out),
        cmocka_unit_test(test_substitution),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
