#include "train/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "region/quantile_name.h"
#include "region/region.h"

static hcri_scaling make_scaling(hcr_model *model, size_t count) {
    const hcr_allocator *a = hcri_pool_allocator(&model->memory);
    return (hcri_scaling){count, hcri_allocate(a, count, sizeof(double)), hcri_allocate(a, count, sizeof(double))};
}

static hcr_status name_columns(hcr_model *model, const char *const *input_names, hcr_error *error) {
    const hcr_allocator *a = hcri_pool_allocator(&model->memory);
    const size_t inputs = model->net.inputs, n = model->targets.count;
    model->input_names = hcri_allocate(a, inputs, sizeof(char *));
    model->output_names = hcri_allocate(a, n, sizeof(char *));
    HCRI_TRY(hcri_pool_check(&model->memory, error));
    char name[256];
    for (size_t j = 0; j < inputs; j++) {
        const int noise = j >= inputs - model->noise;
        snprintf(name, sizeof name, "%s[%zu]", noise ? "noise" : "x", noise ? j - (inputs - model->noise) : j);
        model->input_names[j] = hcri_copy_string(a, input_names == NULL || noise ? name : input_names[j]);
    }
    for (size_t j = 0; j < n; j++) {
        hcr_region_output_name(model->region, j, name, sizeof name);
        model->output_names[j] = hcri_copy_string(a, name);
    }
    return hcri_pool_check(&model->memory, error);
}

/* The levels that the outputs' names have, or all the option's. */
static hcr_status set_levels(hcr_model *model, hcr_error *error) {
    const size_t n = model->targets.count;
    if (model->options.loss != HCR_LOSS_PINBALL)
        return HCR_OK;
    model->levels = hcri_allocate(hcri_pool_allocator(&model->memory), n, sizeof *model->levels);
    HCRI_TRY(hcri_pool_check(&model->memory, error));
    const char *first = model->output_names[0];
    for (size_t j = 0; j < n; j++) {
        const double level = hcri_quantile_level(model->output_names[j]);
        model->levels[j] = isnan(level) ? model->options.quantile : level;
        model->quantiles += !isnan(level) && strncmp(first, model->output_names[j], strcspn(first, "@") + 1) == 0;
    }
    return HCR_OK;
}

static void summarise(hcr_model *model) {
    char unit[64] = "";
    if (model->noise != 0)
        snprintf(unit, sizeof unit, " (%zu of them noise)", model->noise);
    if (model->net.encoder == HCR_ENCODER_LSTM)
        snprintf(unit, sizeof unit, " (%zu steps of %zu)", model->net.steps, model->net.features);
    snprintf(model->summary, sizeof model->summary, "%zu inputs%s, %s%s of %zu, head %s, %zu outputs",
             model->net.inputs, unit, model->net.linear ? "linear " : "", hcri_encoder_names[model->net.encoder],
             model->net.hidden, hcri_head_names[model->head], model->targets.count);
}

static hcr_status fill(hcr_model *model, const hcr_region *region, const char *text, size_t inputs,
                       const char *const *input_names, hcr_error *error) {
    const hcr_fit_options *o = &model->options;
    const size_t n = hcr_region_dimension(region);
    model->noise = o->samples == 0 ? 0 : HCR_NOISE;
    if (inputs < model->noise)
        return hcri_fail(error, HCR_ERROR_SHAPE, "a model of samples has at least %d inputs, for noise", HCR_NOISE);
    HCRI_TRY(hcri_net_shape(&model->net, o->encoder, o->linear_encoder, inputs, o->features, o->hidden,
                            hcri_head_outputs(o->head, n), error));
    HCRI_TRY(hcri_region_copy(region, &model->region, error));
    const hcr_allocator *a = hcri_pool_allocator(&model->memory);
    model->inputs = make_scaling(model, model->net.features);
    model->targets = make_scaling(model, n);
    HCRI_TRY(name_columns(model, input_names, error));
    HCRI_TRY(set_levels(model, error));
    model->text = hcri_copy_string(a, text == NULL ? "" : text);
    model->library = hcri_copy_string(a, hcr_version());
    model->weights = hcri_floats(a, model->net.weights);
    summarise(model);
    return hcri_pool_check(&model->memory, error);
}

hcr_status hcri_model_create(const hcr_region *region, const char *text, size_t inputs, const char *const *input_names,
                             const hcr_fit_options *options, hcr_model **model, hcr_error *error) {
    hcr_model *made = hcri_allocate(&hcri_default_allocator, 1, sizeof *made);
    HCRI_ALLOCATED(made);
    made->memory.from = &hcri_default_allocator;
    made->options = *options;
    made->options.checkpoint = NULL;
    made->options.resume = 0;
    made->options.progress = NULL;
    made->options.progress_context = NULL;
    made->options.sample_weights = NULL;
    made->options.quantiles = NULL;
    made->options.quantile_count = 0;
    made->options.blend = NULL;
    made->options.blend_count = 0;
    made->options.members = 1;
    made->options.season = 0;
    made->head = options->head;
    const hcr_status status = fill(made, region, text, inputs, input_names, error);
    if (status != HCR_OK)
        hcr_model_free(made);
    else
        *model = made;
    return status;
}

/* Column `name` of the inputs; SIZE_MAX when there is none. */
static size_t find_input(const hcr_model *model, const char *name) {
    for (size_t j = 0; j < model->net.inputs; j++)
        if (strcmp(model->input_names[j], name) == 0)
            return j;
    return SIZE_MAX;
}

hcr_status hcri_model_find_parameters(hcr_model *model, int named, hcr_error *error) {
    const size_t p = hcr_region_parameters(model->region), inputs = model->net.inputs - model->noise;
    HCRI_FAIL_IF(model->net.encoder == HCR_ENCODER_LSTM, HCR_ERROR_ARGUMENT,
                 "the LSTM takes every column of X for a time step: give the parameters of the region apart");
    HCRI_FAIL_IF(!named && inputs < p, HCR_ERROR_SHAPE,
                 "X has %zu columns and no names, and the region %zu parameters, for which its last columns "
                 "are taken: add them to X, or give them apart",
                 inputs, p);
    model->parameter_columns = hcri_allocate(hcri_pool_allocator(&model->memory), p, sizeof *model->parameter_columns);
    HCRI_ALLOCATED(model->parameter_columns);
    for (size_t k = 0; k < p; k++) {
        char name[256];
        hcr_region_parameter_name(model->region, k, name, sizeof name);
        model->parameter_columns[k] = named ? find_input(model, name) : inputs - p + k;
        HCRI_FAIL_IF(model->parameter_columns[k] == SIZE_MAX, HCR_ERROR_NAME,
                     "X has no column \"%s\", which is a parameter of the region: add it, or give the parameters apart",
                     name);
    }
    return HCR_OK;
}

hcr_status hcri_model_take_parameters(const hcr_model *model, size_t rows, const double *X, const double *given,
                                      double *x, hcr_error *error) {
    const size_t p = hcr_region_parameters(model->region);
    if (p == 0)
        return HCR_OK;
    if (given != NULL) {
        memcpy(x, given, rows * p * sizeof *x);
        return HCR_OK;
    }
    if (model->parameter_columns == NULL) {
        char name[256];
        hcr_region_parameter_name(model->region, 0, name, sizeof name);
        return hcri_fail(error, HCR_ERROR_NAME,
                         "the region's parameters (%zu, the first of them \"%s\") aren't among the model's inputs: "
                         "give them apart, as in training",
                         p, name);
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < p; k++)
            x[i * p + k] = X[i * model->net.inputs + model->parameter_columns[k]];
    return HCR_OK;
}

hcr_status hcri_model_set_place(hcr_model *model, hcr_error *error) {
    if (hcr_region_parameters(model->region) != 0)
        return HCR_OK;
    hcr_workspace *workspace;
    HCRI_TRY(hcri_places_create(model->region, 1, hcri_pool_allocator(&model->memory), &model->place, error));
    HCRI_TRY(hcr_workspace_create(model->region, 1, &workspace, error));
    hcr_status status = hcri_places_find(&model->place, workspace, 1, error);
    if (status == HCR_OK && model->head == HCR_HEAD_SOFTEN)
        status = hcri_places_stretch(&model->place, workspace, 1, model->targets.mean, error);
    hcr_workspace_free(workspace);
    return status;
}

hcr_status hcri_model_finish(hcr_model *model, hcr_error *error) {
    return hcri_predictor_create(&model->net, model->weights, hcri_pool_allocator(&model->memory), &model->predictor,
                                 error);
}

hcri_head hcri_model_head(const hcr_model *model, const hcri_places *places) {
    return (hcri_head){.kind = model->head,
                       .n = model->targets.count,
                       .region = model->region,
                       .mean = model->targets.mean,
                       .deviation = model->targets.deviation,
                       .radius_weight = model->options.radius_weight,
                       .raw_weight = model->options.raw_weight,
                       .places = hcr_region_parameters(model->region) == 0 ? &model->place : places,
                       .loss = model->options.loss,
                       .delta = model->options.delta,
                       .paths = 1,
                       .level = model->levels};
}

void hcr_model_free(hcr_model *model) {
    if (model == NULL)
        return;
    for (size_t k = 1; k < model->blend.members; k++)
        hcr_model_free(model->blend.member[k]);
    hcri_pool_release(&model->memory);
    hcr_region_free(model->region);
    hcri_release(&hcri_default_allocator, model);
}

const hcr_region *hcr_model_region(const hcr_model *model) { return model->region; }
const char *hcr_model_region_text(const hcr_model *model) { return model->text; }
size_t hcr_model_inputs(const hcr_model *model) { return model->net.inputs; }
const char *const *hcr_model_input_names(const hcr_model *model) { return (const char *const *)model->input_names; }
const char *const *hcr_model_output_names(const hcr_model *model) { return (const char *const *)model->output_names; }
const size_t *hcr_model_parameter_columns(const hcr_model *model) { return model->parameter_columns; }
size_t hcr_model_samples(const hcr_model *model) { return model->options.samples; }
const double *hcr_model_quantiles(const hcr_model *model, size_t *count) {
    *count = model->quantiles;
    return model->quantiles == 0 ? NULL : model->levels;
}
const char *hcr_model_summary(const hcr_model *model) { return model->summary; }
