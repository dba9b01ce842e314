/* Time of a training step: forward, loss, backward, Adam; one thread. Prints one tab-separated line a network: its
 * name, the median in microseconds. bench/suite/training.py runs it beside PyTorch. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/timing.h"
#include "hcr/hcr_learn.h"
#include "region/builder.h"
#include "region/region.h"
#include "solvers/blas_threads.h"
#include "train/model.h"
#include "train/training.h"

#define BATCH 32
#define WARM 20
#define STEPS 400

/* The head that has the least to do: what PyTorch does is the same, a mean squared error. */
static hcr_region *make_box(size_t n, double *lower, double *upper, const double *origin) {
    hcr_error error;
    hcr_builder *builder;
    hcr_region *region;
    for (size_t j = 0; j < n; j++) {
        lower[j] = -10;
        upper[j] = 10;
    }
    bench_check(hcr_builder_create(NULL, &builder, &error), &error);
    bench_check(hcr_builder_add_variable(builder, "y", n, 0, &error), &error);
    bench_check(hcr_builder_add_bounds(builder, 0, n, lower, upper, &error), &error);
    bench_check(
        hcri_region_create(&builder->set,
                           &(hcri_analysis){.origin = origin, .lower = lower, .upper = upper, .radius = INFINITY}, NULL,
                           &region, &error),
        &error);
    hcr_builder_free(builder);
    return region;
}

static void time_step(const char *name, hcr_encoder encoder, size_t inputs, size_t hidden, size_t n) {
    hcr_error error;
    hcri_net net;
    hcri_state state;
    hcr_fit_options given = HCR_FIT_OPTIONS_INIT, options;
    given.encoder = encoder;
    given.hidden = hidden;
    given.batch = BATCH;
    given.head = HCR_HEAD_SIMPLE;
    bench_check(hcri_options_resolve(&given, &options, &error), &error);
    bench_check(hcri_net_shape(&net, encoder, 0, inputs, 1, hidden, n, &error), &error);
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    bench_check(hcri_state_create(&state, net.weights, 0, memory, &error), &error);
    double *numbers = calloc(5 * n + BATCH * n, sizeof *numbers);
    float *scaled = hcri_floats(memory, BATCH * inputs);
    if (numbers == NULL || scaled == NULL)
        exit(1);
    double *mean = numbers, *deviation = mean + n, *targets = numbers + 5 * n;
    hcr_region *region = make_box(n, numbers + 2 * n, numbers + 3 * n, numbers + 4 * n);
    hcri_random_seed(&state.random, 1);
    hcri_net_initialise(&net, &state.random, state.weights);
    for (size_t j = 0; j < n; j++)
        deviation[j] = 1;
    for (size_t k = 0; k < BATCH * inputs; k++)
        scaled[k] = (float)hcri_random_normal(&state.random);
    for (size_t k = 0; k < BATCH * n; k++)
        targets[k] = hcri_random_normal(&state.random);
    size_t row[BATCH];
    for (size_t i = 0; i < BATCH; i++)
        row[i] = i;
    hcri_places places;
    bench_check(hcri_places_create(region, 1, memory, &places, &error), &error);
    bench_check(hcri_places_find(&places, NULL, 1, &error), &error);
    const hcri_head head = {.kind = HCR_HEAD_SIMPLE,
                            .n = n,
                            .region = region,
                            .mean = mean,
                            .deviation = deviation,
                            .places = &places,
                            .paths = 1};
    hcri_training training = {.net = &net,
                              .head = head,
                              .options = &options,
                              .inputs = scaled,
                              .targets = targets,
                              .rows = BATCH,
                              .row = row};
    bench_check(hcri_training_create(&training, NULL, memory, &error), &error);
    double times[STEPS], loss;
    const int steps = bench_turns(STEPS);
    for (int step = -WARM; step < steps; step++) {
        const double start = bench_seconds();
        bench_check(hcri_training_step(&training, &state, BATCH, row, &loss, &error), &error);
        if (step >= 0)
            times[step] = 1e6 * (bench_seconds() - start);
    }
    printf("%s\t%.1f\n", name, bench_median(steps, times));
    hcri_training_release(&training);
    hcr_region_free(region);
    free(numbers);
}

int main(void) {
    hcri_blas blas = {0};
    if (hcri_blas_begin(&blas, NULL) != HCR_OK)
        return 1;
    time_step("dense 128-128-769", HCR_ENCODER_DENSE, 128, 128, 769);
    time_step("dense 128-768-769", HCR_ENCODER_DENSE, 128, 768, 769);
    time_step("lstm 48 steps, 32 wide", HCR_ENCODER_LSTM, 48, 32, 48);
    time_step("lstm 48 steps, 64 wide", HCR_ENCODER_LSTM, 48, 64, 48);
    time_step("lstm 48 steps, 128 wide", HCR_ENCODER_LSTM, 48, 128, 48);
    hcri_blas_end(&blas);
    return 0;
}
