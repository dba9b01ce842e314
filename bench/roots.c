/* Newton's, Halley's and Brent's method on the same 10,000 rays over typical expressions, one thread. Prints a row of a
 * Markdown table for each: the constraint, then for each method the evaluations a ray (mean, most) and the microseconds
 * that its gauge takes, a median over turns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "bench/timing.h"
#include "functions/tape_evaluate.h"
#include "kinds/block.h"
#include "kinds/expression/expression.h"

enum { N = 20, RAYS = 10000, TURNS = 9, METHODS = 3 };

/* --------------------------------------------------------------------------------------------------- constraints */

static uint32_t add(hcri_tape *tape, hcri_step_kind kind, double parameter, size_t rows, size_t count,
                    const uint32_t *arguments, const double *weights) {
    uint32_t number = 0;
    hcr_error error;
    if (hcri_tape_add(tape, &(hcri_new_step){kind, parameter, rows, count, arguments, weights}, &number, &error) !=
        HCR_OK) {
        fprintf(stderr, "bench_roots: %s\n", error.text);
        exit(1);
    }
    return number;
}

/* `count` affine functions of norm about 1, `at_zero` at 0, and a step of each of them when `kind` isn't AFFINE. */
static void terms(hcri_tape *tape, hcri_random *random, size_t count, double at_zero, hcri_step_kind kind,
                  double parameter, uint32_t *x) {
    for (size_t k = 0; k < count; k++) {
        uint32_t columns[N];
        double weights[N];
        for (uint32_t j = 0; j < N; j++) {
            columns[j] = j;
            weights[j] = hcri_random_normal(random) / sqrt((double)N);
        }
        x[k] = add(tape, HCRI_STEP_AFFINE, at_zero, 0, N, columns, weights);
        if (kind != HCRI_STEP_AFFINE)
            x[k] = add(tape, kind, parameter, 0, 1, &x[k], NULL);
    }
}

typedef struct example {
    const char *name;
    size_t terms;
    double at_zero;
    hcri_step_kind each; /* of each affine term */
    double each_parameter;
    hcri_step_kind whole; /* of all of them */
    double whole_parameter, sign;
    size_t rows;
} example;

static const example examples[] = {
    {"Σ exp(a·y), 20 terms", 20, 0, HCRI_STEP_EXP, 0, HCRI_STEP_SUM, 0, 1, 0},
    {"log Σ exp(a·y), 20 terms", 20, 0, HCRI_STEP_AFFINE, 0, HCRI_STEP_LOG_SUM_EXP, 0, 1, 0},
    {"−Σ log(1 + a·y), 20 terms", 20, 1, HCRI_STEP_LOG, 0, HCRI_STEP_SUM, 0, -1, 0},
    {"Σ x log x, x = 1 + a·y, 20 terms", 20, 1, HCRI_STEP_XLOGX, 0, HCRI_STEP_SUM, 0, 1, 0},
    {"norm(A y, 3), 20 rows", 20, 0, HCRI_STEP_AFFINE, 0, HCRI_STEP_NORM, 3, 1, 0},
    {"norm(A y, 1.5), 20 rows", 20, 0, HCRI_STEP_AFFINE, 0, HCRI_STEP_NORM, 1.5, 1, 0},
    {"−geo_mean(1 + A y), 20 rows", 20, 1, HCRI_STEP_AFFINE, 0, HCRI_STEP_GEO_MEAN, 0, -1, 0},
    {"Σ huber(a·y), 20 terms", 20, 0, HCRI_STEP_HUBER, 0.5, HCRI_STEP_SUM, 0, 1, 0},
    {"Σ (a·y)⁴, 20 terms", 20, 0, HCRI_STEP_POWER, 4, HCRI_STEP_SUM, 0, 1, 0},
    {"Σ 1/(1 + a·y), 20 terms", 20, 1, HCRI_STEP_POWER, -1, HCRI_STEP_SUM, 0, 1, 0},
    {"largest eigenvalue, 5 × 5", 25, 0, HCRI_STEP_AFFINE, 0, HCRI_STEP_LARGEST_EIGENVALUE, 0, 1, 5},
    {"nuclear norm, 4 × 4", 16, 0, HCRI_STEP_AFFINE, 0, HCRI_STEP_NUCLEAR_NORM, 0, 1, 4},
};
enum { EXAMPLES = sizeof examples / sizeof examples[0] };

/* value <= value at 0 + ½ */
static hcri_expression *make(const example *e) {
    hcri_random random;
    hcri_random_seed(&random, 11);
    hcri_tape tape = {.allocator = &hcri_default_allocator};
    uint32_t x[32];
    hcri_constraint *block = NULL;
    hcr_error error;
    const double zero[N] = {0};
    terms(&tape, &random, e->terms, e->at_zero, e->each, e->each_parameter, x);
    x[0] = add(&tape, e->whole, e->whole_parameter, e->rows, e->terms, x, NULL);
    double *scratch = malloc(hcri_tape_scratch(&tape) * sizeof *scratch);
    if (scratch == NULL)
        exit(1);
    const double at_zero = e->sign * hcri_tape_value(&tape, zero, scratch);
    free(scratch);
    add(&tape, HCRI_STEP_SUM, -at_zero - 0.5, 0, 1, x, &e->sign);
    if (hcri_expression_create(N, &hcri_default_allocator, &tape, 1, HCRI_NEWTON, &block, &error) != HCR_OK ||
        block->kind->place(block, zero, &error) != HCR_OK) {
        fprintf(stderr, "bench_roots: %s: %s\n", e->name, error.text);
        exit(1);
    }
    return (hcri_expression *)block;
}

/* ----------------------------------------------------------------------------------------------------- measuring */

typedef struct ray {
    const hcri_expression *expression;
    double *slope, *rest;
} ray;

static void evaluate(const void *context, double t, int order, double jet[3]) {
    const ray *along = context;
    hcri_tape_jet(&along->expression->tape, along->expression->start, along->slope, t, order, jet, along->rest);
}

/* The evaluations that the gauge of a ray takes, with the guess that it starts from. */
static uint64_t evaluations(const hcri_expression *expression, hcri_root_method method, const double *v,
                            double *scratch) {
    const ray along = {expression, scratch, scratch + expression->tape.steps};
    uint64_t count = 0;
    double rate = 0, size = 0, end = INFINITY;
    hcri_tape_slope(&expression->tape, v, along.slope);
    for (size_t j = 0; j < N; j++) {
        rate += expression->gradient[j] * v[j];
        size = fmax(size, fabs(v[j]));
    }
    for (size_t k = 0; k < expression->signed_steps; k++) {
        const uint32_t s = expression->signed_step[k];
        if (along.slope[s] < 0)
            end = fmin(end, -expression->start[s] / along.slope[s]);
    }
    hcri_first_root(method, evaluate, &along, expression->at_origin,
                    isfinite(rate) && rate > 0 ? -expression->at_origin / rate : 1 / size,
                    fmin(HCRI_NO_BOUND / size, end * (1 - 0x1p-52)), &count);
    return count;
}

static void measure(const example *e, const double *v, double *total) {
    hcri_expression *expression = make(e);
    const hcri_kind *kind = expression->base.kind;
    double *scratch = malloc(hcri_block_scratch(&expression->base) * sizeof *scratch);
    double times[METHODS][TURNS], *best = malloc(RAYS * sizeof *best);
    if (scratch == NULL || best == NULL)
        exit(1);
    const int turns = bench_turns(TURNS);
    for (int turn = -1; turn < turns; turn++)
        for (int method = 0; method < METHODS; method++) {
            expression->method = (hcri_root_method)method;
            for (size_t i = 0; i < RAYS; i++)
                best[i] = 0;
            const double start = bench_seconds();
            kind->gauge(&expression->base, &(hcri_batch){.rows = RAYS, .stride = N, .v = v, .best = best}, scratch);
            if (turn >= 0)
                times[method][turn] = 1e6 * (bench_seconds() - start) / RAYS;
        }
    printf("| %s |", e->name);
    for (int method = 0; method < METHODS; method++) {
        uint64_t sum = 0, most = 0;
        for (size_t i = 0; i < RAYS; i++) {
            const uint64_t count = evaluations(expression, (hcri_root_method)method, v + i * N, scratch);
            sum += count;
            most = count > most ? count : most;
        }
        const double taken = bench_median(turns, times[method]);
        printf(" %.1f (%d) | %.2f |", (double)sum / RAYS, (int)most, taken);
        total[method] += log(taken) / EXAMPLES;
    }
    printf("\n");
    fflush(stdout);
    free(scratch);
    free(best);
    hcri_block_release(&expression->base);
}

int main(void) {
    hcri_random random;
    double *v = malloc(RAYS * N * sizeof *v), total[METHODS] = {0};
    if (v == NULL)
        return 1;
    hcri_random_seed(&random, 12);
    for (size_t k = 0; k < RAYS * N; k++)
        v[k] = hcri_random_normal(&random);
    printf("| value, 20 outputs | Newton: evaluations | µs | Halley: evaluations | µs | Brent: evaluations | µs |\n"
           "|---|---:|---:|---:|---:|---:|---:|\n");
    for (size_t k = 0; k < EXAMPLES; k++)
        measure(&examples[k], v, total);
    printf("| geometric mean | | %.2f | | %.2f | | %.2f |\n", exp(total[0]), exp(total[1]), exp(total[2]));
    free(v);
    return 0;
}
