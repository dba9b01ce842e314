#define _POSIX_C_SOURCE 200809L
#include "learn/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/memory.h"
#include "core/status.h"
#include "learn/elementwise.h"

hcr_status hcri_state_create(hcri_state *state, size_t weights, size_t multipliers, hcr_error *error) {
    *state = (hcri_state){.weights_count = weights, .best_loss = INFINITY, .multipliers = multipliers};
    state->memory = hcri_floats(4 * weights); /* weights is a multiple of HCRI_STRIP */
    state->multiplier =
        multipliers == 0 ? NULL : hcri_allocate(&hcri_default_allocator, multipliers, sizeof *state->multiplier);
    if (state->memory == NULL || (multipliers != 0 && state->multiplier == NULL)) {
        hcri_state_release(state);
        return hcri_fail_memory(error);
    }
    state->weights = state->memory;
    state->first = state->weights + weights;
    state->second = state->first + weights;
    state->best = state->second + weights;
    return HCR_OK;
}

void hcri_state_release(hcri_state *state) {
    free(state->memory);
    hcri_release(&hcri_default_allocator, state->multiplier);
    *state = (hcri_state){0};
}

void hcri_state_tell(hcri_state *state, const hcr_team *team) {
    hcri_team_tell(team, state->memory, 4 * state->weights_count * sizeof *state->memory);
    hcri_team_tell(team, state->multiplier, state->multipliers * sizeof *state->multiplier);
    hcri_team_tell(team, &state->best_loss, sizeof state->best_loss);
    hcri_team_tell(team, &state->steps, sizeof state->steps);
    hcri_team_tell(team, &state->epoch, sizeof state->epoch);
    hcri_team_tell(team, &state->best_epoch, sizeof state->best_epoch);
    hcri_team_tell(team, &state->random, sizeof state->random);
}

/* Levels of the tree that sums `shares` shares. */
static size_t levels_of(size_t shares) {
    size_t levels = 1;
    for (size_t width = 1; width < shares; width *= 2)
        levels++;
    return levels;
}

hcr_status hcri_training_create(hcri_training *training, const hcr_team *team, const hcri_net *net,
                                const hcri_head *head, const hcr_fit_options *options, const float *inputs,
                                const double *targets, size_t rows, const size_t *row, size_t held,
                                const size_t *held_row, double *multiplier, hcr_error *error) {
    const hcr_allocator *a = &hcri_default_allocator;
    /* Validation uses the same batches, so rows are what is smaller. */
    const size_t most = rows > held ? rows : held, batch = options->batch < most ? options->batch : most;
    const size_t levels = levels_of(hcri_team_shares(team));
    const size_t doubles = 2 + (options->ascent > 0 ? hcr_region_constraints(head->region) : 0);
    const size_t sum_size = net->weights + hcri_strips(2 * doubles);
    *training = (hcri_training){.net = net,
                                .head = *head,
                                .options = options,
                                .inputs = inputs,
                                .targets = targets,
                                .rows = rows,
                                .held = held,
                                .row = hcri_copy(a, row, rows, sizeof *row),
                                .held_row = hcri_copy(a, held_row, held, sizeof *row),
                                .order = hcri_allocate(a, rows, sizeof *row),
                                .batch_loss = hcri_allocate(a, most / batch + 1, sizeof(double)),
                                .team = team,
                                .sums = hcri_floats(levels * sum_size),
                                .sum_size = sum_size};
    hcr_status status = HCR_OK;
    if (training->row == NULL || training->held_row == NULL || training->order == NULL ||
        training->batch_loss == NULL || training->sums == NULL)
        status = hcri_fail_memory(error);
    if (status == HCR_OK)
        status = hcri_pass_create(net, batch, &training->pass, error);
    if (status == HCR_OK)
        status = hcri_losses_create(&training->head, batch, &training->losses, error);
    if (status == HCR_OK && options->ascent > 0) {
        status = hcri_penalty_create(head->region, multiplier, &training->penalty, error);
        training->losses.penalty = &training->penalty;
    }
    if (status != HCR_OK)
        hcri_training_release(training);
    return status;
}

void hcri_training_release(hcri_training *training) {
    const hcr_allocator *a = &hcri_default_allocator;
    hcri_release(a, training->row);
    hcri_release(a, training->held_row);
    hcri_release(a, training->order);
    hcri_release(a, training->batch_loss);
    free(training->sums);
    hcri_pass_release(&training->pass);
    hcri_losses_release(&training->losses);
    hcri_penalty_release(&training->penalty);
    *training = (hcri_training){0};
}

/* `batch`: the rows over which outputs_bar is of the mean. */
static hcr_status forward(hcri_training *training, const float *weights, size_t count, size_t batch, const size_t *row,
                          double *loss, float *outputs_bar, hcr_error *error) {
    hcri_pass *pass = &training->pass;
    hcri_pass_gather(training->net, pass, count, row, training->inputs);
    hcri_net_forward(training->net, weights, pass, count);
    return hcri_head_loss(&training->head, &training->losses, count, batch, pass->outputs, row, training->targets, loss,
                          outputs_bar, error);
}

/* ------------------------------------------------------------------------------------------------ a step's gradient */

/* The rows of a step. */
typedef struct step_rows {
    const float *weights;
    size_t count;
    const size_t *row;
} step_rows;

static float *gradient_of(const hcri_training *training, size_t level) {
    return training->sums + level * training->sum_size;
}

/* The loss, failures, violations … */
static double *doubles_of(const hcri_training *training, size_t level) {
    return (double *)(void *)(gradient_of(training, level) + training->net->weights);
}

static hcr_status add_rows(hcri_training *training, const step_rows *s, size_t first, size_t count, size_t level,
                           hcr_error *error) {
    hcri_pass *pass = &training->pass;
    HCRI_TRY(forward(training, s->weights, count, s->count, s->row + first, doubles_of(training, level),
                     pass->outputs_bar, error));
    hcri_net_backward(training->net, s->weights, pass, count, gradient_of(training, level));
    return HCR_OK;
}

/* One of several shares: its violations are counted apart. */
static hcr_status add_share(hcri_training *training, const step_rows *s, size_t share, size_t level, hcr_error *error) {
    const size_t shares = hcri_team_shares(training->team), whole = s->count / shares, more = s->count % shares;
    const size_t first = share * whole + (share < more ? share : more), count = whole + (share < more);
    double *doubles = doubles_of(training, level), *const epoch = training->penalty.violation;
    memset(gradient_of(training, level), 0, training->sum_size * sizeof(float));
    if (count == 0)
        return HCR_OK;
    training->penalty.violation = doubles + 2;
    const hcr_status status = add_rows(training, s, first, count, level, error);
    training->penalty.violation = epoch;
    doubles[1] = status != HCR_OK;
    return status;
}

/* level's sums += those of the next. */
static void add_next(hcri_training *training, size_t level) {
    const size_t weights = training->net->weights, doubles = (training->sum_size - weights) / 2;
    float *gradient = gradient_of(training, level);
    const float *next = gradient_of(training, level + 1);
    for (size_t k = 0; k < weights; k++)
        gradient[k] += next[k];
    for (size_t k = 0; k < doubles; k++)
        doubles_of(training, level)[k] += doubles_of(training, level + 1)[k];
}

/* Sums shares first … first + width − 1, of which this rank has some, into level's sums on the rank of the first. The
 * tree, and with it the rounding, is the same for any number of ranks. Ranks go on after a failure, which its sum
 * counts: others wait for them. */
static hcr_status sum_shares(hcri_training *training, const step_rows *s, size_t first, size_t width, size_t level,
                             hcr_error *error) {
    const hcr_team *team = training->team;
    const size_t shares = hcri_team_shares(team), half = width / 2, second = first + half;
    const size_t begin = hcri_team_begin(team, shares, team->own), end = hcri_team_begin(team, shares, team->own + 1);
    if (first >= end || first + width <= begin)
        return HCR_OK;
    if (width == 1)
        return add_share(training, s, first, level, error);
    hcr_status status = sum_shares(training, s, first, half, level, error);
    if (second >= shares)
        return status;
    const hcr_status other = sum_shares(training, s, second, half, level + 1, error);
    if (status == HCR_OK)
        status = other;
    const size_t bytes = training->sum_size * sizeof(float), to = hcri_team_rank(team, shares, first),
                 from = hcri_team_rank(team, shares, second);
    if (team->own == from && from != to)
        team->send(team->context, to, gradient_of(training, level + 1), bytes);
    if (team->own == to && from != to)
        team->receive(team->context, from, gradient_of(training, level + 1), bytes);
    if (team->own == to)
        add_next(training, level);
    return status;
}

/* The sums of the whole step, in those of level 0, on all ranks. */
static hcr_status sum_step(hcri_training *training, const step_rows *s, hcr_error *error) {
    const size_t shares = hcri_team_shares(training->team);
    if (shares == 1)
        return add_rows(training, s, 0, s->count, 0, error);
    const hcr_status status = sum_shares(training, s, 0, (size_t)1 << (levels_of(shares) - 1), 0, error);
    hcri_team_tell(training->team, training->sums, training->sum_size * sizeof(float));
    const double *doubles = doubles_of(training, 0);
    if (doubles[1] != 0)
        return hcri_team_agree(training->team, status, error);
    for (size_t i = 0; i < training->penalty.count; i++)
        training->penalty.violation[i] += doubles[2 + i];
    return HCR_OK;
}

hcr_status hcri_training_step(hcri_training *training, hcri_state *state, size_t count, const size_t *row, double *loss,
                              hcr_error *error) {
    const hcr_fit_options *options = training->options;
    float *gradient = gradient_of(training, 0);
    HCRI_TRY(sum_step(training, &(step_rows){state->weights, count, row}, error));
    *loss = doubles_of(training, 0)[0];
    double scale = 1;
    if (options->clip > 0) {
        double squares;
        hcri_sum_of_squares(training->net->weights, gradient, &squares);
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

/* The ranks have some batches each; their losses are added in the order of the batches. */
hcr_status hcri_training_loss(hcri_training *training, const float *weights, size_t count, const size_t *row,
                              double *loss, hcr_error *error) {
    const hcr_team *team = training->team;
    const size_t batch = training->pass.capacity, batches = (count + batch - 1) / batch;
    const size_t own = team == NULL ? 0 : team->own;
    hcr_status status = HCR_OK;
    for (size_t b = hcri_team_begin(team, batches, own); b < hcri_team_begin(team, batches, own + 1); b++) {
        const size_t first = b * batch, left = count - first, part = left < batch ? left : batch;
        if (status == HCR_OK)
            status = forward(training, weights, part, part, row + first, &training->batch_loss[b], NULL, error);
    }
    HCRI_TRY(hcri_team_agree(team, status, error));
    hcri_team_join(team, batches, sizeof *training->batch_loss, training->batch_loss);
    double sum = 0;
    for (size_t b = 0; b < batches; b++)
        sum += training->batch_loss[b];
    *loss = count == 0 ? NAN : sum / (double)count;
    return count == 0 ? HCR_OK : check_loss(*loss, error);
}

double hcri_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Whether to go on. In a team the callback is that of the first rank, and its answer counts where the ranks meet, at
 * the end of an epoch. */
static hcr_status report(hcri_training *training, const hcri_state *state, size_t step, size_t steps,
                         double training_loss, double validation_loss, hcr_error *error) {
    const hcr_fit_options *options = training->options;
    const hcr_team *team = training->team;
    const hcr_progress progress = {(size_t)state->epoch, options->epochs, step, steps, training_loss, validation_loss};
    if (hcri_team_is_first(team) && options->progress != NULL &&
        options->progress(options->progress_context, &progress) != 0)
        training->stop = 1;
    if (team != NULL && team->ranks > 1 && step < steps)
        return HCR_OK;
    hcri_team_tell(team, &training->stop, sizeof training->stop);
    if (!training->stop)
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
    double sum = 0, last = hcri_seconds();
    for (size_t step = 0, first = 0; step < steps; step++, first += batch) {
        const size_t count = rows - first < batch ? rows - first : batch;
        double loss_of_step;
        HCRI_TRY(hcri_training_step(training, state, count, training->order + first, &loss_of_step, error));
        HCRI_TRY(check_loss(loss_of_step, error));
        sum += loss_of_step;
        if (step + 1 < steps && hcri_seconds() - last > QUIET_SECONDS) {
            HCRI_TRY(report(training, state, step + 1, steps, sum / (double)(first + count), validation_before, error));
            last = hcri_seconds();
        }
    }
    *loss = sum / (double)rows;
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
