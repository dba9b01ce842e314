#include "train/training.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "train/training_loops.h"

hcr_status hcri_state_create(hcri_state *state, size_t weights, size_t multipliers, const hcr_allocator *allocator,
                             hcr_error *error) {
    *state = (hcri_state){.weights_count = weights,
                          .memory = hcri_floats(allocator, HCRI_STATE_ARRAYS * weights),
                          .best_loss = INFINITY,
                          .multipliers = multipliers,
                          .multiplier = hcri_allocate(allocator, multipliers, sizeof(double))};
    HCRI_ALLOCATED(state->memory && state->multiplier);
    state->weights = state->memory; /* weights is a multiple of HCRI_STRIP */
    state->first = state->weights + weights;
    state->second = state->first + weights;
    state->best = state->second + weights;
    return HCR_OK;
}

hcr_status hcri_training_create(hcri_training *training, double *multiplier, const hcr_allocator *allocator,
                                hcr_error *error) {
    /* Validation uses the same batches, so rows are what is smaller. */
    const size_t most = training->rows > training->held ? training->rows : training->held,
                 batch = training->options->batch < most ? training->options->batch : most,
                 paths = training->head.paths;
    training->order = hcri_allocate(allocator, training->rows, sizeof *training->order);
    training->gradient = hcri_floats(allocator, training->net->weights);
    training->path_row = hcri_allocate(allocator, batch, paths * sizeof *training->path_row);
    HCRI_ALLOCATED(training->order && training->gradient && training->path_row);
    HCRI_TRY(hcri_pass_create(training->net, batch * paths, allocator, &training->pass, error));
    HCRI_TRY(hcri_losses_create(&training->head, batch * paths, allocator, &training->losses, error));
    if (training->options->ascent == 0)
        return HCR_OK;
    training->losses.penalty = &training->penalty;
    return hcri_penalty_create(training->head.region, multiplier, allocator, &training->penalty, error);
}

void hcri_training_release(hcri_training *training) { hcri_losses_release(&training->losses); }

/* Fills the pass's input with the paths of the rows, their noise drawn; returns how many those are. */
static size_t gather(hcri_training *training, hcri_random *random, size_t count, const size_t *row) {
    const size_t inputs = training->net->inputs, paths = training->head.paths, noise = training->noise;
    float *input = training->pass.input;
    for (size_t i = 0; i < count * paths; i++)
        training->path_row[i] = row[i / paths];
    hcri_pass_gather(training->net, &training->pass, count * paths, training->path_row, training->inputs);
    for (size_t i = 0; i < count * paths; i++)
        for (size_t j = inputs - noise; j < inputs; j++)
            input[i * inputs + j] = (float)hcri_random_normal(random);
    return count * paths;
}

/* The loss of what was gathered; outputs_bar: of the mean over the rows. */
static hcr_status forward(hcri_training *training, const float *weights, size_t count, double *loss, float *outputs_bar,
                          hcr_error *error) {
    hcri_pass *pass = &training->pass;
    hcri_net_forward(training->net, weights, pass, count);
    return hcri_head_loss(&training->head, &training->losses, count, pass->outputs, training->path_row,
                          training->targets, loss, outputs_bar, error);
}

hcr_status hcri_training_step(hcri_training *training, hcri_state *state, size_t count, const size_t *row, double *loss,
                              hcr_error *error) {
    const hcr_fit_options *options = training->options;
    hcri_pass *pass = &training->pass;
    float *gradient = training->gradient;
    const size_t paths = gather(training, &state->random, count, row);
    HCRI_TRY(forward(training, state->weights, paths, loss, pass->outputs_bar, error));
    hcri_net_backward(training->net, state->weights, pass, paths, gradient);
    double scale = 1;
    if (options->clip > 0) {
        double squares = 0;
#pragma omp simd reduction(+ : squares)
        for (size_t k = 0; k < training->net->weights; k++)
            squares += (double)gradient[k] * (double)gradient[k];
        if (squares > options->clip * options->clip)
            scale = options->clip / sqrt(squares);
    }
    state->steps++;
    const double rate = options->rate * pow(options->rate_decay, (double)state->epoch);
    const double t = (double)state->steps;
    const hcri_adam adam = {(float)scale, (float)(rate / (1 - pow(0.9, t))), (float)(1 / sqrt(1 - pow(0.999, t))),
                            (float)(1 - rate * options->weight_decay)};
    hcri_adam_step(training->net->weights, &adam, gradient, state->weights, state->first, state->second);
    return HCR_OK;
}

static hcr_status check_loss(double loss, hcr_error *error) {
    if (isfinite(loss))
        return HCR_OK;
    return hcri_fail(error, HCR_ERROR_DATA,
                     "the loss is no longer a finite number: training diverged; try a smaller rate, or clip = 1");
}

/* The sum of the rows' weights. */
static double weigh(const hcri_training *training, size_t count, const size_t *row) {
    const double *weight = training->head.weight;
    double sum = 0;
    for (size_t i = 0; weight != NULL && i < count; i++)
        sum += weight[row[i]];
    return weight == NULL ? (double)count : sum;
}

hcr_status hcri_training_loss(hcri_training *training, const float *weights, size_t count, const size_t *row,
                              double *loss, hcr_error *error) {
    const size_t batch = training->pass.capacity / training->head.paths;
    double sum = 0;
    hcri_random random; /* the same noise each time: what is compared differs by the weights */
    hcri_random_seed(&random, training->options->seed);
    for (size_t first = 0; first < count; first += batch) {
        const size_t left = count - first, part = left < batch ? left : batch;
        double part_loss;
        const size_t paths = gather(training, &random, part, row + first);
        HCRI_TRY(forward(training, weights, paths, &part_loss, NULL, error));
        sum += part_loss;
    }
    *loss = count == 0 ? NAN : sum / weigh(training, count, row);
    return count == 0 ? HCR_OK : check_loss(*loss, error);
}

double hcri_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Whether to go on. */
static hcr_status report(const hcri_training *training, const hcri_state *state, size_t step, size_t steps,
                         double training_loss, double validation_loss, hcr_error *error) {
    const hcr_fit_options *options = training->options;
    const hcr_progress progress = {(size_t)state->epoch, options->epochs, step, steps, training_loss, validation_loss};
    if (options->progress == NULL || !options->progress(options->progress_context, &progress))
        return HCR_OK;
    return hcri_fail(error, HCR_ERROR_INTERRUPTED,
                     "training was stopped after %zu of %zu epochs; the model so far is kept", (size_t)state->epoch,
                     options->epochs);
}

/* Between calls of the callback during an epoch. */
#define QUIET_SECONDS 0.1

/* The order of the rows depends on the random state at the beginning of the epoch alone. */
static hcr_status run_epoch(hcri_training *training, hcri_state *state, double validation_before, double *loss,
                            hcr_error *error) {
    const size_t rows = training->rows, batch = training->options->batch, steps = (rows - 1) / batch + 1;
    memcpy(training->order, training->row, rows * sizeof *training->order);
    hcri_random_shuffle(&state->random, rows, training->order);
    double sum = 0, weight = 0, last = hcri_seconds();
    for (size_t step = 0, first = 0; step < steps; step++, first += batch) {
        const size_t count = rows - first < batch ? rows - first : batch;
        double loss_of_step;
        HCRI_TRY(hcri_training_step(training, state, count, training->order + first, &loss_of_step, error));
        HCRI_TRY(check_loss(loss_of_step, error));
        sum += loss_of_step;
        weight += weigh(training, count, training->order + first);
        if (step + 1 < steps && hcri_seconds() - last > QUIET_SECONDS) {
            HCRI_TRY(report(training, state, step + 1, steps, sum / weight, validation_before, error));
            last = hcri_seconds();
        }
    }
    *loss = sum / weight;
    return HCR_OK;
}

hcr_status hcri_training_run(hcri_training *training, hcri_state *state, hcri_after_epoch *after, void *context,
                             hcr_error *error) {
    const hcr_fit_options *options = training->options;
    const size_t steps = (training->rows - 1) / options->batch + 1;
    double loss, validation = NAN;
    while (state->epoch < options->epochs) {
        if (options->patience != 0 && state->epoch - state->best_epoch >= options->patience)
            break;
        HCRI_TRY(run_epoch(training, state, validation, &loss, error));
        state->epoch++;
        if (options->ascent > 0)
            hcri_penalty_raise(&training->penalty, options->ascent, training->rows);
        HCRI_TRY(hcri_training_loss(training, state->weights, training->held, training->held_row, &validation, error));
        if (validation < state->best_loss) {
            state->best_loss = validation;
            state->best_epoch = state->epoch;
            memcpy(state->best, state->weights, state->weights_count * sizeof *state->best);
        }
        HCRI_TRY(after(context, state, error));
        HCRI_TRY(report(training, state, steps, steps, loss, validation, error));
    }
    return HCR_OK;
}
