#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "exact/exact_equalities.h"
#include "solvers/blas_threads.h"
#include "train/fit_run.h"
#include "train/model_file.h"

void hcri_fit_run_release(hcri_fit_run *run) {
    hcr_workspace_free(run->workspace);
    hcr_model_free(run->model);
    hcri_training_release(&run->training);
    hcri_pool_release(&run->memory);
}

static hcr_status refuse_value(const char *table, size_t row, const char *column, double value, hcr_error *error) {
    return hcri_fail(
        error, HCR_ERROR_DATA,
        "%s: row %zu (counted from 0), column \"%s\" is %s: every input and target must be a finite number", table, row,
        column, isnan(value) ? "not a number" : "infinite");
}

/* `region` is the one that was given, of which the model may have quantiles. */
static hcr_status check_finite(const hcri_fit_run *run, const hcr_region *region, hcr_error *error) {
    const hcri_fit_samples *samples = &run->samples;
    const size_t inputs = samples->inputs, n = hcr_region_dimension(region);
    char name[256];
    for (size_t k = 0; k < samples->rows * inputs; k++)
        if (!isfinite(samples->X[k]))
            return refuse_value("X", k / inputs, run->model->input_names[k % inputs], samples->X[k], error);
    for (size_t k = 0; k < samples->rows * n; k++)
        if (!isfinite(samples->Y[k])) {
            hcr_region_output_name(region, k % n, name, sizeof name);
            return refuse_value("Y", k / n, name, samples->Y[k], error);
        }
    return HCR_OK;
}

/* Each target at every level. */
static hcr_status repeat_targets(hcri_fit_run *run, hcr_error *error) {
    const size_t levels = run->options.quantile_count, count = run->samples.rows * run->n;
    if (levels == 0)
        return HCR_OK;
    double *Y = hcri_allocate(hcri_pool_allocator(&run->memory), count, sizeof *Y);
    HCRI_TRY(hcri_pool_check(&run->memory, error));
    for (size_t k = 0; k < count; k++)
        Y[k] = run->samples.Y[k / levels];
    run->samples.Y = Y;
    return HCR_OK;
}

/* Columns of noise behind the inputs. Training draws its own: these are for what is predicted of it. */
static hcr_status add_noise(hcri_fit_run *run, hcr_error *error) {
    hcri_fit_samples *samples = &run->samples;
    const size_t inputs = samples->inputs, width = inputs + HCR_NOISE;
    if (run->options.samples == 0)
        return HCR_OK;
    double *X = hcri_allocate(hcri_pool_allocator(&run->memory), samples->rows, width * sizeof *X);
    HCRI_TRY(hcri_pool_check(&run->memory, error));
    hcri_random random;
    hcri_random_seed(&random, run->options.seed);
    for (size_t i = 0; i < samples->rows; i++)
        for (size_t j = 0; j < width; j++)
            X[i * width + j] = j < inputs ? samples->X[i * inputs + j] : hcri_random_normal(&random);
    samples->X = X;
    samples->inputs = width;
    return HCR_OK;
}

/* Refuses samples of which the parameters leave nothing. */
static hcr_status check_places(const hcri_fit_run *run, hcr_error *error) {
    const hcr_region *region = run->model->region;
    const size_t p = run->places.parameters;
    const double *lower = hcr_region_parameter_lower(region), *upper = hcr_region_parameter_upper(region);
    for (size_t k = 0; k < run->samples.rows * p; k++) {
        const double x = run->places.x[k], least = lower[k % p], most = upper[k % p];
        char name[256];
        if (x >= least && x <= most)
            continue;
        hcr_region_parameter_name(region, k % p, name, sizeof name);
        return hcri_fail(
            error, HCR_ERROR_DATA,
            "parameters: row %zu (counted from 0) has %.17g for \"%s\", whose range is from %.17g to %.17g", k / p, x,
            name, least, most);
    }
    for (size_t i = 0; i < run->samples.rows; i++)
        HCRI_FAIL_IF(run->places.rays[i].outcome == HCR_OUTCOME_NO_ORIGIN ||
                         run->places.rays[i].outcome == HCR_OUTCOME_DEPENDENT,
                     HCR_ERROR_DATA,
                     "parameters: those of row %zu (counted from 0) leave no point strictly inside the region", i);
    return HCR_OK;
}

/* Takes the parameters, and finds where they put the origins. */
static hcr_status place(hcri_fit_run *run, hcr_error *error) {
    hcr_model *model = run->model;
    hcri_fit_samples *samples = &run->samples;
    const size_t p = hcr_region_parameters(model->region);
    if (p == 0)
        return HCR_OK;
    if (samples->parameters == NULL)
        HCRI_TRY(hcri_model_find_parameters(model, run->input_names != NULL, error));
    hcri_places *places = &run->places;
    HCRI_TRY(hcri_places_create(model->region, samples->rows, hcri_pool_allocator(&run->memory), places, error));
    HCRI_TRY(hcri_model_take_parameters(model, samples->rows, samples->X, samples->parameters, places->x, error));
    samples->parameters = places->x;
    HCRI_TRY(hcri_places_find(places, run->workspace, samples->rows, error));
    return check_places(run, error);
}

static void note_projected(hcri_fit_run *run, size_t row) {
    if (run->projected < sizeof run->listed / sizeof *run->listed)
        run->listed[run->projected] = row;
    run->projected++;
}

/* In a star domain targets that the sample's origin doesn't see, outside or hidden, are drawn towards it until it
 * does. */
static hcr_status draw_in(hcri_fit_run *run, hcr_error *error) {
    const hcr_allocator *a = hcri_pool_allocator(&run->memory);
    const hcr_region *region = run->model->region;
    const double *Y = run->samples.Y;
    double *v = hcri_allocate(a, run->n, sizeof *v), *polar = hcri_allocate(a, run->n + 1, sizeof *polar);
    double *origin = hcri_allocate(a, run->n, sizeof *origin);
    HCRI_TRY(hcri_pool_check(&run->memory, error));
    for (size_t i = 0; i < run->samples.rows; i++) {
        hcr_ray ray;
        const double *x = run->places.x == NULL ? NULL : run->places.x + i * run->places.parameters;
        HCRI_TRY(hcr_encode(region, run->workspace, 1, x, Y + i * run->n, polar, &ray, error));
        if (ray.outcome != HCR_OUTCOME_OUTSIDE && ray.outcome != HCR_OUTCOME_HIDDEN)
            continue;
        HCRI_TRY(hcr_region_origin_at(region, x, origin, error));
        for (size_t j = 0; j < run->n; j++)
            v[j] = Y[i * run->n + j] - origin[j];
        HCRI_TRY(hcr_contract(region, run->workspace, 1, x, v, run->Y + i * run->n, NULL, error));
        note_projected(run, i);
        run->hidden += ray.outcome == HCR_OUTCOME_HIDDEN;
    }
    return HCR_OK;
}

static void free_projector(hcr_projector **projector) { hcr_projector_free(*projector); }

/* In any other region they are projected. */
static hcr_status move_in(hcri_fit_run *run, hcr_error *error) {
    const hcr_region *region = run->model->region;
    const double *Y = run->samples.Y, *x = run->places.x;
    HCRI_SCOPED uint8_t *inside = hcri_allocate(&hcri_default_allocator, run->samples.rows, 1);
    HCRI_ALLOCATED(inside);
    HCRI_TRY(hcri_check_data(region, run->samples.rows, x, Y, inside, error));
    HCRI_SCOPED_BY(free_projector) hcr_projector *projector = NULL;
    for (size_t i = 0; i < run->samples.rows; i++) {
        if (inside[i])
            continue;
        if (projector == NULL)
            HCRI_TRY(hcr_projector_create(region, NULL, &projector, error));
        HCRI_TRY(hcr_project(projector, 1, x == NULL ? NULL : x + i * run->places.parameters, Y + i * run->n,
                             run->Y + i * run->n, NULL, NULL, error));
        note_projected(run, i);
    }
    return HCR_OK;
}

/* Copies the targets, those outside the region replaced. */
static hcr_status project(hcri_fit_run *run, hcr_error *error) {
    const hcri_fit_samples *samples = &run->samples;
    run->Y = hcri_copy(hcri_pool_allocator(&run->memory), samples->Y, samples->rows * run->n, sizeof *run->Y);
    HCRI_TRY(hcri_pool_check(&run->memory, error));
    return (hcr_region_is_convex(run->model->region) ? move_in : draw_in)(run, error);
}

/* The rows in a random order, or with validation_last in their own; those held for validation come first. */
static hcr_status split(hcri_fit_run *run, hcr_error *error) {
    const size_t rows = run->samples.rows;
    run->order = hcri_allocate(hcri_pool_allocator(&run->memory), rows, sizeof *run->order);
    HCRI_TRY(hcri_pool_check(&run->memory, error));
    for (size_t i = 0; i < rows; i++)
        run->order[i] = i;
    if (run->options.validation == 0)
        return HCR_OK;
    HCRI_FAIL_IF(rows < 2, HCR_ERROR_ARGUMENT, "validation needs at least two rows");
    const double share = floor(run->options.validation * (double)rows + 0.5);
    run->held = share < 1 ? 1 : (size_t)share;
    if (run->held > rows - 1)
        run->held = rows - 1;
    if (!run->options.validation_last)
        hcri_random_shuffle(&run->state.random, rows, run->order);
    for (size_t i = 0; run->options.validation_last && i < rows; i++)
        run->order[i] = (i + rows - run->held) % rows;
    return HCR_OK;
}

/* The weights that were given, in another unit. */
static hcr_status weigh(hcri_fit_run *run, hcr_error *error) {
    const double *given = run->samples.weights;
    const size_t rows = run->samples.rows;
    double largest = 0, sum[2] = {0, 0}; /* of rows to train on, held rows */
    if (given == NULL)
        return HCR_OK;
    for (size_t i = 0; i < rows; i++) {
        HCRI_FAIL_IF(
            !(given[i] >= 0 && isfinite(given[i])), HCR_ERROR_DATA,
            "weights: row %zu (counted from 0) has %g: every weight must be a finite number that isn't negative", i,
            given[i]);
        largest = fmax(largest, given[i]);
    }
    run->weights = hcri_allocate(hcri_pool_allocator(&run->memory), rows, sizeof *run->weights);
    HCRI_TRY(hcri_pool_check(&run->memory, error));
    for (size_t i = 0; i < rows; i++)
        sum[i < run->held] += given[run->order[i]] / largest;
    HCRI_FAIL_IF(!(sum[0] > 0) || (run->held > 0 && !(sum[1] > 0)), HCR_ERROR_DATA,
                 "weights: those of all rows %s are 0", sum[0] > 0 ? "that are kept for validation" : "to train on");
    for (size_t i = 0; i < rows; i++)
        run->weights[i] = given[i] / largest * ((double)(rows - run->held) / sum[0]);
    return HCR_OK;
}

/* Where targets are constant their deviation says nothing: a tenth of the width of the box around the region is taken
 * in its place, 1 where the box has no bounds. */
static void replace_constant(const hcr_region *region, hcri_scaling *targets) {
    for (size_t j = 0; j < targets->count; j++) {
        const double width = hcr_region_upper(region)[j] - hcr_region_lower(region)[j];
        if (targets->deviation[j] == 0)
            targets->deviation[j] = isfinite(width) && width > 0 ? width / 10 : 1;
    }
}

/* One deviation for all outputs: the root of the mean of their squares. */
static void share_deviation(hcri_scaling *targets) {
    double squares = 0, largest = 0;
    for (size_t j = 0; j < targets->count; j++)
        largest = fmax(largest, targets->deviation[j]);
    for (size_t j = 0; j < targets->count; j++)
        squares += (targets->deviation[j] / largest) * (targets->deviation[j] / largest);
    for (size_t j = 0; j < targets->count; j++)
        targets->deviation[j] = largest * sqrt(squares / (double)targets->count);
}

static int by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* With the pinball loss a fresh network predicts the targets' quantiles, not their means: quantiles that all begin at
 * the mean would begin tied, and where a map ties outputs it takes the gradients that part them away. */
static hcr_status centre_on_quantiles(hcri_fit_run *run, hcr_error *error) {
    const double *level = run->model->levels;
    const size_t *row = run->order + run->held, count = run->samples.rows - run->held;
    if (level == NULL)
        return HCR_OK;
    HCRI_SCOPED double *values = hcri_allocate(&hcri_default_allocator, count, sizeof *values);
    HCRI_ALLOCATED(values);
    for (size_t j = 0; j < run->n; j++) {
        for (size_t i = 0; i < count; i++)
            values[i] = run->Y[row[i] * run->n + j];
        qsort(values, count, sizeof *values, by_size);
        run->model->targets.mean[j] = values[(size_t)(level[j] * (double)count)];
    }
    return HCR_OK;
}

static hcr_status scale(hcri_fit_run *run, hcr_error *error) {
    hcr_model *model = run->model;
    const hcri_fit_samples *samples = &run->samples;
    const size_t *row = run->order + run->held, count = samples->rows - run->held, inputs = samples->inputs;
    hcri_chosen_rows trained = {count, row, run->weights, inputs, samples->X};
    if (!hcri_scaling_measure(&model->inputs, &trained))
        return hcri_fail(error, HCR_ERROR_DATA, "the inputs are too large to take means and deviations of");
    for (size_t j = inputs - model->noise; j < inputs; j++) {
        model->inputs.mean[j] = 0;
        model->inputs.deviation[j] = 1;
    }
    trained.columns = run->n;
    trained.values = run->Y;
    if (!hcri_scaling_measure(&model->targets, &trained))
        return hcri_fail(error, HCR_ERROR_DATA, "the targets are too large to take means and deviations of");
    replace_constant(model->region, &model->targets);
    if (run->options.common_scale)
        share_deviation(&model->targets);
    HCRI_TRY(centre_on_quantiles(run, error));
    HCRI_TRY(hcri_model_set_place(model, error));
    if (model->head == HCR_HEAD_SOFTEN && run->places.parameters != 0)
        HCRI_TRY(hcri_places_stretch(&run->places, run->workspace, samples->rows, model->targets.mean, error));
    run->scaled = hcri_floats(hcri_pool_allocator(&run->memory), samples->rows * inputs);
    HCRI_TRY(hcri_pool_check(&run->memory, error));
    for (size_t i = 0; i < run->samples.rows; i++)
        HCRI_FAIL_IF(
            !hcri_scaling_apply(&model->inputs, inputs, samples->X + i * inputs, run->scaled + i * inputs),
            HCR_ERROR_DATA,
            "X: row %zu is kept for validation, or has the weight 0, and is too far from all other rows to be used", i);
    return HCR_OK;
}

static hcr_status make_targets(hcri_fit_run *run, hcr_error *error) {
    const size_t width = hcri_head_targets(run->options.head, run->n), rows = run->samples.rows;
    const hcri_scaling *scaling = &run->model->targets;
    run->targets = hcri_allocate(hcri_pool_allocator(&run->memory), rows, width * sizeof *run->targets);
    HCRI_TRY(hcri_pool_check(&run->memory, error));
    if (run->options.head == HCR_HEAD_HCR)
        return hcr_encode(run->model->region, run->workspace, rows, run->places.x, run->Y, run->targets, NULL, error);
    const int is_scaled = run->options.head == HCR_HEAD_SIMPLE;
    for (size_t k = 0; k < rows * width; k++)
        run->targets[k] =
            is_scaled ? (run->Y[k] - scaling->mean[k % width]) / scaling->deviation[k % width] : run->Y[k];
    return HCR_OK;
}

static hcr_status save_state(void *context, const hcri_state *state, hcr_error *error) {
    const hcri_fit_run *run = context;
    if (run->options.checkpoint == NULL)
        return HCR_OK;
    return hcri_checkpoint_save(run->options.checkpoint, &run->described, state, error);
}

/* The checkpoint's state, where there is one to go on from: *found. */
static hcr_status load_state(hcri_fit_run *run, int *found, hcr_error *error) {
    const hcr_fit_options *options = &run->options;
    *found = 0;
    HCRI_TRY(hcri_run_describe(&run->described, options, run->model->region, &run->samples, error));
    if (!options->resume)
        return HCR_OK;
    HCRI_TRY(hcri_checkpoint_load(options->checkpoint, &run->described, &run->state, found, error));
    HCRI_FAIL_IF(*found && run->state.epoch > options->epochs, HCR_ERROR_ARGUMENT,
                 "the checkpoint \"%s\" is of epoch %zu, later than the %zu epochs asked for", options->checkpoint,
                 (size_t)run->state.epoch, options->epochs);
    return HCR_OK;
}

/* The state to begin with: fresh, or the checkpoint's. A fresh one is saved at once, so that a path that can't be
 * written is known before the first epoch and an interruption during it finds a checkpoint. */
static hcr_status begin(hcri_fit_run *run, hcr_error *error) {
    hcri_net_initialise(&run->model->net, &run->state.random, run->state.weights);
    if (run->options.checkpoint == NULL)
        return HCR_OK;
    int found;
    HCRI_TRY(load_state(run, &found, error));
    return found ? HCR_OK : save_state(run, &run->state, error);
}

static hcr_status train(hcri_fit_run *run, hcr_error *error) {
    hcr_model *model = run->model;
    HCRI_TRY(begin(run, error));
    run->training = (hcri_training){.net = &model->net,
                                    .head = hcri_model_head(model, &run->places),
                                    .options = &run->options,
                                    .inputs = run->scaled,
                                    .targets = run->targets,
                                    .rows = run->samples.rows - run->held,
                                    .row = run->order + run->held,
                                    .held = run->held,
                                    .held_row = run->order,
                                    .noise = model->noise};
    run->training.head.weight = run->weights;
    if (model->noise != 0)
        run->training.head.paths = run->options.samples;
    HCRI_TRY(hcri_training_create(&run->training, run->state.multiplier, hcri_pool_allocator(&run->memory), error));
    const hcr_status status = hcri_training_run(&run->training, &run->state, save_state, run, error);
    if (status != HCR_OK && status != HCR_ERROR_INTERRUPTED)
        return status;
    const int best = run->options.patience != 0 && run->state.best_epoch != 0;
    memcpy(model->weights, best ? run->state.best : run->state.weights, model->net.weights * sizeof *model->weights);
    HCRI_TRY(hcri_model_finish(model, error));
    return status;
}

hcr_status hcri_fit_run_held(const hcri_fit_run *run, const hcr_allocator *memory, hcri_held *gathered,
                             hcr_error *error) {
    const hcri_fit_samples *samples = &run->samples;
    const size_t held = run->held, inputs = samples->inputs, n = run->n, p = run->places.parameters;
    double *X = hcri_allocate(memory, held, (inputs + n + p + 1) * sizeof *X);
    HCRI_ALLOCATED(X);
    double *Y = X + held * inputs, *x = Y + held * n, *weights = x + held * p;
    for (size_t i = 0; i < held; i++) {
        const size_t row = run->order[i];
        memcpy(X + i * inputs, samples->X + row * inputs, inputs * sizeof *X);
        memcpy(Y + i * n, run->Y + row * n, n * sizeof *Y);
        for (size_t k = 0; k < p; k++)
            x[i * p + k] = run->places.x[row * p + k];
        weights[i] = run->weights == NULL ? 1 : run->weights[row];
    }
    *gathered = (hcri_held){held, X, p == 0 ? NULL : x, Y, weights};
    return HCR_OK;
}

static hcr_status calibrate(hcri_fit_run *run, hcr_error *error) {
    hcri_held held;
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    if (!run->options.calibrate)
        return HCR_OK;
    HCRI_TRY(hcri_fit_run_held(run, memory, &held, error));
    return hcri_calibrate(run->model, &held, error);
}

hcr_status hcri_fit_run_measure(hcri_fit_run *run, hcr_fit_report *report, hcr_error *error) {
    const hcr_allocator *a = hcri_pool_allocator(&run->memory);
    const size_t rows = run->samples.rows;
    double *y = hcri_allocate(a, rows, run->n * sizeof *y);
    double *misses = hcri_allocate(a, run->n, sizeof *misses);
    uint8_t *inside = hcri_allocate(a, rows, 1);
    const hcri_head head = hcri_model_head(run->model, &run->places);
    HCRI_TRY(hcri_pool_check(&run->memory, error));
    HCRI_TRY(hcr_predict(run->model, rows, run->samples.X, run->places.x, y, NULL, error));
    HCRI_TRY(hcr_check(run->model->region, rows, run->places.x, y, inside, NULL, error));
    double squares[2] = {0, 0}, losses[2] = {0, 0}, weights[2] = {0, 0}; /* training, validation */
    size_t inside_count = 0;
    for (size_t i = 0; i < run->samples.rows; i++) {
        const size_t row = run->order[i], held = i < run->held;
        const double weight = run->weights == NULL ? 1 : run->weights[row];
        for (size_t j = 0; j < run->n; j++) {
            const double miss = y[row * run->n + j] - run->Y[row * run->n + j];
            squares[held] += weight * miss * miss / (double)run->n;
            misses[j] = miss / head.deviation[j];
        }
        losses[held] += weight * hcri_mean_loss(&head, 1, misses);
        weights[held] += weight;
        inside_count += !held && inside[row];
    }
    report->training_mse = squares[0] / weights[0];
    report->validation_mse = run->held == 0 ? NAN : squares[1] / weights[1];
    report->inside_ratio = (double)inside_count / (double)(rows - run->held);
    if (run->model->blend.members == 0)
        return HCR_OK;
    report->training_loss = losses[0] / weights[0];
    report->validation_loss = run->held == 0 ? NAN : losses[1] / weights[1];
    return HCR_OK;
}

static hcr_status fill_report(hcri_fit_run *run, hcr_fit_report *report, hcr_error *error) {
    hcri_training *training = &run->training;
    const float *weights = run->model->weights;
    report->rows = training->rows;
    report->rows_projected = run->projected;
    memcpy(report->projected, run->listed, sizeof run->listed);
    report->rows_hidden = run->hidden;
    report->rows_validation = training->held;
    report->epochs = (size_t)run->state.epoch;
    report->best_epoch = (size_t)(training->held == 0 ? run->state.epoch : run->state.best_epoch);
    HCRI_TRY(hcri_training_loss(training, weights, training->rows, training->row, &report->training_loss, error));
    HCRI_TRY(
        hcri_training_loss(training, weights, training->held, training->held_row, &report->validation_loss, error));
    return hcri_fit_run_measure(run, report, error);
}

static void free_region(hcr_region **region) { hcr_region_free(*region); }

/* The model, of the region that was given or of quantiles of it. */
static hcr_status create_model(hcri_fit_run *run, const hcr_region *region, const char *text, hcr_error *error) {
    const hcr_fit_options *options = &run->options;
    HCRI_SCOPED_BY(free_region) hcr_region *quantiles = NULL;
    if (options->quantile_count != 0)
        HCRI_TRY(hcr_region_quantiles(region, options->quantile_count, options->quantiles, &quantiles, error));
    HCRI_TRY(hcri_model_create(quantiles == NULL ? region : quantiles, text, run->samples.inputs, run->input_names,
                               options, &run->model, error));
    run->n = hcr_region_dimension(run->model->region);
    return hcri_model_check_text(run->model, error);
}

hcr_status hcri_fit_run_all(hcri_fit_run *run, const hcr_region *region, const char *text, hcr_fit_report *report,
                            hcr_error *error) {
    HCRI_TRY(add_noise(run, error));
    HCRI_TRY(create_model(run, region, text, error));
    const hcr_model *model = run->model;
    HCRI_TRY(check_finite(run, region, error));
    HCRI_TRY(repeat_targets(run, error));
    HCRI_TRY(hcr_workspace_create(model->region, 1, &run->workspace, error));
    HCRI_TRY(place(run, error));
    HCRI_TRY(project(run, error));
    HCRI_TRY(hcri_state_create(&run->state, model->net.weights,
                               run->options.ascent > 0 ? hcr_region_constraints(model->region) : 0,
                               hcri_pool_allocator(&run->memory), error));
    hcri_random_seed(&run->state.random, run->options.seed);
    HCRI_TRY(split(run, error));
    if (run->member > 0) /* from here on members differ */
        hcri_random_seed(&run->state.random, run->options.seed + run->member);
    HCRI_TRY(weigh(run, error));
    HCRI_TRY(scale(run, error));
    HCRI_TRY(make_targets(run, error));
    const hcr_status status = train(run, error);
    if (status != HCR_OK && status != HCR_ERROR_INTERRUPTED)
        return status;
    HCRI_TRY(calibrate(run, error));
    HCRI_TRY(fill_report(run, report, error));
    return status;
}

static hcr_status fit_one(const hcri_fit_call *call, hcr_model **model, hcr_fit_report *report, hcr_error *error) {
    HCRI_SCOPED_BY(hcri_fit_run_release)
    hcri_fit_run run = {.memory = {.from = &hcri_default_allocator},
                        .samples = call->samples,
                        .input_names = call->input_names,
                        .options = call->options};
    const hcr_status status = hcri_fit_run_all(&run, call->region, call->text, report, error);
    if (status == HCR_OK || status == HCR_ERROR_INTERRUPTED) {
        *model = run.model;
        run.model = NULL;
    }
    return status;
}

hcr_status hcr_fit(const hcr_region *region, const char *text, size_t rows, size_t inputs, const double *X,
                   const char *const *input_names, const double *parameters, const double *Y,
                   const hcr_fit_options *options, hcr_model **model, hcr_fit_report *report, hcr_error *error) {
    if (region == NULL || X == NULL || Y == NULL || options == NULL || model == NULL)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "region, X, Y, options or model is NULL");
    *model = NULL;
    HCRI_FAIL_IF(rows == 0, HCR_ERROR_SHAPE, "there are no rows to train on");
    HCRI_SCOPED_BY(hcri_blas_end) hcri_blas blas = {0};
    HCRI_TRY(hcri_blas_begin(&blas, error));
    const double start = hcri_seconds();
    hcri_fit_call call = {
        .region = region, .text = text, .input_names = input_names, .samples = {rows, inputs, X, parameters, Y, NULL}};
    HCRI_TRY(hcri_options_resolve(options, &call.options, error));
    call.samples.weights = call.options.sample_weights;
    const size_t n = hcr_region_dimension(region), p = hcr_region_parameters(region);
    const size_t levels = call.options.quantile_count == 0 ? 1 : call.options.quantile_count;
    if (inputs != 0 && rows > SIZE_MAX / 64 / levels / (inputs + HCR_NOISE + n + p))
        return hcri_fail(error, HCR_ERROR_SHAPE, "%zu rows of %zu inputs are too many", rows, inputs);
    hcr_fit_report filled = {0};
    const int is_blend = call.options.members > 1 || call.options.season != 0;
    const hcr_status status =
        is_blend ? hcri_fit_blend(&call, model, &filled, error) : fit_one(&call, model, &filled, error);
    filled.seconds = hcri_seconds() - start;
    if (report != NULL && *model != NULL)
        *report = filled;
    return status;
}
