#include "train/model_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "train/blend.h"

void hcri_format_walk(hcri_tensors *tensors, const char *format) {
    const char *found = format;
    uint64_t version = HCRI_FILE_VERSION;
    hcri_tensors_text(tensors, "format", &found);
    if (tensors->status == HCR_OK && strcmp(found, format) != 0)
        tensors->status =
            hcri_fail(tensors->error, HCR_ERROR_FORMAT, "the file is of format \"%s\", not \"%s\"", found, format);
    hcri_tensors_count(tensors, "version", &version);
    if (tensors->status == HCR_OK && version != HCRI_FILE_VERSION)
        tensors->status = hcri_fail(tensors->error, HCR_ERROR_VERSION,
                                    "the file is of version %llu of its format; this library reads %d",
                                    (unsigned long long)version, HCRI_FILE_VERSION);
}

/* An array in the metadata; read, it is NULL when its text isn't JSON. */
static void walk_json(hcri_tensors *tensors, const char *key, json_t **array) {
    HCRI_SCOPED char *written = tensors->bytes == NULL ? json_dumps(*array, JSON_COMPACT) : NULL;
    const char *text = written;
    if (tensors->status == HCR_OK && tensors->bytes == NULL && written == NULL)
        tensors->status = hcri_fail_memory(tensors->error);
    hcri_tensors_text(tensors, key, &text);
    if (tensors->status == HCR_OK && tensors->bytes != NULL)
        *array = json_loads(text, 0, NULL);
}

static void set_names(hcri_tensors *tensors, const char *key, char **names, size_t count) {
    json_auto_t *array = json_array();
    for (size_t i = 0; i < count && tensors->status == HCR_OK; i++)
        if (json_array_append_new(array, json_string(names[i])) != 0)
            tensors->status = array == NULL ? hcri_fail_memory(tensors->error)
                                            : hcri_fail(tensors->error, HCR_ERROR_DATA,
                                                        "%s: column %zu's name can't be kept: it isn't UTF-8 text; "
                                                        "change its encoding",
                                                        key, i + 1);
    walk_json(tensors, key, &array);
}

static void get_names(hcri_tensors *tensors, const char *key, json_t **names) {
    walk_json(tensors, key, names);
    int good = json_is_array(*names);
    for (size_t i = 0; good && i < json_array_size(*names); i++)
        good = json_is_string(json_array_get(*names, i));
    if (!good && tensors->status == HCR_OK)
        tensors->status = hcri_fail(tensors->error, HCR_ERROR_FORMAT, "the file's \"%s\" isn't a list of names", key);
}

/* Which inputs are parameters, none when they are given apart: only for a region that has parameters. */
static void walk_parameter_columns(hcri_tensors *tensors, hcr_model *model) {
    const size_t p = hcr_region_parameters(model->region);
    if (p == 0 || tensors->status != HCR_OK)
        return;
    json_auto_t *array = tensors->bytes == NULL ? json_array() : NULL;
    for (size_t k = 0; tensors->bytes == NULL && model->parameter_columns != NULL && k < p; k++)
        if (json_array_append_new(array, json_integer((json_int_t)model->parameter_columns[k])) != 0)
            tensors->status = hcri_fail_memory(tensors->error);
    walk_json(tensors, "parameters", &array);
    if (tensors->status != HCR_OK || tensors->bytes == NULL)
        return;
    const size_t count = json_array_size(array);
    int good = json_is_array(array) && (count == 0 || count == p);
    if (good && count != 0 &&
        (model->parameter_columns = hcri_allocate(hcri_pool_allocator(&model->memory), p, sizeof(size_t))) == NULL) {
        tensors->status = hcri_fail_memory(tensors->error);
        return;
    }
    for (size_t k = 0; good && k < count; k++) {
        const json_t *item = json_array_get(array, k);
        const json_int_t column = json_integer_value(item);
        good = json_is_integer(item) && column >= 0 && column < (json_int_t)model->net.inputs;
        model->parameter_columns[k] = (size_t)column;
    }
    if (!good)
        tensors->status =
            hcri_fail(tensors->error, HCR_ERROR_FORMAT, "the file's \"parameters\" aren't columns of its inputs");
}

static void walk_scaling(hcri_tensors *tensors, const char *mean, const char *deviation, hcri_scaling *scaling) {
    hcri_tensors_vector(tensors, mean, HCRI_F64, scaling->count, scaling->mean);
    hcri_tensors_vector(tensors, deviation, HCRI_F64, scaling->count, scaling->deviation);
    for (size_t j = 0; j < scaling->count && tensors->status == HCR_OK; j++)
        if (!isfinite(scaling->mean[j]) || !isfinite(scaling->deviation[j]) || scaling->deviation[j] < 0)
            tensors->status = hcri_fail(tensors->error, HCR_ERROR_FORMAT,
                                        "the file's \"%s\" or \"%s\" has a number that can't be", mean, deviation);
}

/* What a blend has beside its first member. */
static void walk_blend(hcri_tensors *tensors, hcri_blend *blend) {
    uint64_t members = blend->members, season = blend->season;
    if (tensors->bytes == NULL ? members == 0 : !hcri_tensors_has(tensors, "members"))
        return;
    hcri_tensors_count(tensors, "members", &members);
    hcri_tensors_count(tensors, "season", &season);
    blend->members = (size_t)members;
    blend->season = (size_t)season;
}

/* "2." for member 2, "" for the first, which stands where a model that is no blend does. */
static void set_prefix(hcri_tensors *tensors, size_t member) {
    snprintf(tensors->prefix, sizeof tensors->prefix, "%zu.", member);
    if (member == 0)
        tensors->prefix[0] = '\0';
}

static void describe_member(const hcr_model *model, hcri_tensors *tensors) {
    hcr_model shown = *model;
    hcri_options_walk(tensors, &shown.options);
    walk_scaling(tensors, "input.mean", "input.deviation", &shown.inputs);
    walk_scaling(tensors, "target.mean", "target.deviation", &shown.targets);
}

static hcr_status describe(const hcr_model *model, hcri_tensors *tensors) {
    hcr_model shown = *model;
    const char *library = model->library, *text = model->text;
    hcri_format_walk(tensors, "hcr-model");
    hcri_tensors_text(tensors, "library", &library);
    hcri_tensors_text(tensors, "region_text", &text);
    set_names(tensors, "inputs", model->input_names, model->net.inputs);
    set_names(tensors, "outputs", model->output_names, model->targets.count);
    walk_parameter_columns(tensors, &shown);
    walk_blend(tensors, &shown.blend);
    describe_member(model, tensors);
    for (size_t k = 1; k < model->blend.members; k++) {
        set_prefix(tensors, k);
        describe_member(model->blend.member[k], tensors);
    }
    set_prefix(tensors, 0);
    if (model->blend.members != 0)
        hcri_tensors_vector(tensors, "shares", HCRI_F64, hcri_blend_parts(&model->blend), model->blend.share);
    return tensors->status;
}

hcr_status hcri_model_check_text(const hcr_model *model, hcr_error *error) {
    HCRI_SCOPED_BY(hcri_tensors_release) hcri_tensors tensors = {0};
    HCRI_TRY(hcri_tensors_create(&tensors, error));
    return describe(model, &tensors);
}

/* The weights as files have them, in `memory`, which they stay in. */
static hcr_status put_weights_of(const hcr_model *model, hcri_tensors *tensors, const hcr_allocator *memory,
                                 hcr_error *error) {
    float *next = hcri_floats(memory, model->net.weights);
    HCRI_ALLOCATED(next);
    hcri_parameter parameter[HCRI_PARAMETERS];
    const size_t parameters = hcri_net_parameters(&model->net, parameter);
    for (size_t p = 0; p < parameters; p++) {
        hcri_parameter_gather(&parameter[p], model->weights, next);
        (void)hcri_tensors_matrix(tensors, parameter[p].name, HCRI_F32, parameter[p].rows, parameter[p].columns, next);
        next += parameter[p].rows * (parameter[p].columns == 0 ? 1 : parameter[p].columns);
    }
    return tensors->status;
}

hcr_status hcr_model_save(const hcr_model *model, const char *path, hcr_error *error) {
    HCRI_FAIL_IF(model == NULL || path == NULL, HCR_ERROR_ARGUMENT, "model or path is NULL");
    HCRI_SCOPED_BY(hcri_tensors_release) hcri_tensors tensors = {0};
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    HCRI_TRY(hcri_tensors_create(&tensors, error));
    HCRI_TRY(describe(model, &tensors));
    HCRI_TRY(put_weights_of(model, &tensors, memory, error));
    for (size_t k = 1; k < model->blend.members; k++) {
        set_prefix(&tensors, k);
        HCRI_TRY(put_weights_of(model->blend.member[k], &tensors, memory, error));
    }
    set_prefix(&tensors, 0);
    void *region;
    size_t size;
    HCRI_TRY(hcr_region_write(model->region, &region, &size, error));
    (void)hcri_tensors_bytes(&tensors, "region", &size, region);
    const hcr_status status = hcri_tensors_save(&tensors, path);
    hcr_free(region);
    return status;
}

/* Whether the tensors have the shapes that the net has, before memory is allocated for it. */
static hcr_status take_weights(hcri_tensors *tensors, const hcri_net *net, const void **values) {
    hcri_parameter parameter[HCRI_PARAMETERS];
    const size_t parameters = hcri_net_parameters(net, parameter);
    for (size_t p = 0; p < parameters; p++)
        values[p] =
            hcri_tensors_matrix(tensors, parameter[p].name, HCRI_F32, parameter[p].rows, parameter[p].columns, NULL);
    return tensors->status;
}

static hcr_status put_weights(hcr_model *model, const void *const *values, hcr_error *error) {
    hcri_parameter parameter[HCRI_PARAMETERS];
    const size_t parameters = hcri_net_parameters(&model->net, parameter);
    for (size_t p = 0; p < parameters; p++)
        hcri_parameter_scatter(&parameter[p], values[p], model->weights);
    for (size_t k = 0; k < model->net.weights; k++)
        HCRI_FAIL_IF(!isfinite(model->weights[k]), HCR_ERROR_FORMAT, "the file has a weight that is no number");
    return HCR_OK;
}

typedef struct parts { /* what a file gives, until the model has it */
    hcri_tensors tensors;
    hcr_region *region;
    json_t *inputs, *outputs;
    const char **names;
} parts;

static void release(parts *file) {
    hcri_tensors_release(&file->tensors);
    hcr_region_free(file->region);
    json_decref(file->inputs);
    json_decref(file->outputs);
    hcri_release(&hcri_default_allocator, file->names);
}

static hcr_status check_outputs(const parts *file, hcr_error *error) {
    const size_t n = hcr_region_dimension(file->region);
    int same = json_array_size(file->outputs) == n;
    for (size_t j = 0; same && j < n; j++) {
        char name[256];
        hcr_region_output_name(file->region, j, name, sizeof name);
        same = strcmp(name, json_string_value(json_array_get(file->outputs, j))) == 0;
    }
    return same ? HCR_OK : hcri_fail(error, HCR_ERROR_FORMAT, "the file's \"outputs\" aren't those of its region");
}

/* One member, or the whole model, of the tensors that have its prefix. */
static hcr_status assemble_member(parts *file, const char *text, const char *trained_by, hcr_model **model,
                                  hcr_error *error) {
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    hcri_tensors *tensors = &file->tensors;
    hcri_options_walk(tensors, &options);
    HCRI_TRY(tensors->status);
    const size_t inputs = json_array_size(file->inputs), n = hcr_region_dimension(file->region);
    hcri_net net;
    HCRI_TRY(hcri_net_shape(&net, options.encoder, options.linear_encoder, inputs, options.features, options.hidden,
                            hcri_head_outputs(options.head, n), error));
    const void *weights[HCRI_PARAMETERS];
    HCRI_TRY(take_weights(tensors, &net, weights));
    HCRI_TRY(hcri_model_create(file->region, text, inputs, file->names, &options, model, error));
    (*model)->library = hcri_copy_string(hcri_pool_allocator(&(*model)->memory), trained_by);
    HCRI_ALLOCATED((*model)->library);
    walk_scaling(tensors, "input.mean", "input.deviation", &(*model)->inputs);
    walk_scaling(tensors, "target.mean", "target.deviation", &(*model)->targets);
    HCRI_TRY(tensors->status);
    HCRI_TRY(hcri_model_set_place(*model, error));
    HCRI_TRY(put_weights(*model, weights, error));
    return hcri_model_finish(*model, error);
}

static int are_shares(const hcri_blend *blend) {
    double sum = 0;
    int good = 1;
    for (size_t k = 0; k < hcri_blend_parts(blend); k++) {
        good &= blend->share[k] >= 0;
        sum += blend->share[k];
    }
    return good && fabs(sum - 1) < 1e-9;
}

static hcr_status assemble_blend(parts *file, const hcri_blend *blend, hcr_model *first, hcr_error *error) {
    hcri_tensors *tensors = &file->tensors;
    hcr_model *other[HCRI_MOST_MEMBERS] = {NULL};
    const int can_be = blend->members >= 1 && blend->members <= HCRI_MOST_MEMBERS && blend->season <= first->net.inputs;
    hcr_status status = can_be ? HCR_OK : hcri_fail(error, HCR_ERROR_FORMAT, "the file's blend can't be");
    for (size_t k = 1; status == HCR_OK && k < blend->members; k++) {
        set_prefix(tensors, k);
        status = assemble_member(file, first->text, first->library, &other[k - 1], error);
    }
    set_prefix(tensors, 0);
    if (status == HCR_OK)
        status = hcri_blend_make(first, blend->members - 1, other, blend->season, error);
    if (status != HCR_OK) {
        for (size_t k = 0; k < HCRI_MOST_MEMBERS; k++)
            hcr_model_free(other[k]);
        return status;
    }
    hcri_tensors_vector(tensors, "shares", HCRI_F64, hcri_blend_parts(blend), first->blend.share);
    HCRI_TRY(tensors->status);
    hcri_blend_summarise(first);
    return are_shares(&first->blend) ? HCR_OK : hcri_fail(error, HCR_ERROR_FORMAT, "the file's \"shares\" can't be");
}

static hcr_status assemble(parts *file, hcr_model **model, hcr_error *error) {
    hcri_tensors *tensors = &file->tensors;
    hcri_blend blend = {0};
    const char *text = NULL, *trained_by = NULL;
    size_t size = 0;
    hcri_format_walk(tensors, "hcr-model");
    hcri_tensors_text(tensors, "library", &trained_by);
    hcri_tensors_text(tensors, "region_text", &text);
    get_names(tensors, "inputs", &file->inputs);
    get_names(tensors, "outputs", &file->outputs);
    walk_blend(tensors, &blend);
    const void *region = hcri_tensors_bytes(tensors, "region", &size, NULL);
    HCRI_TRY(tensors->status);
    HCRI_TRY(hcr_region_read(region, size, NULL, &file->region, error));
    HCRI_TRY(check_outputs(file, error));
    const size_t inputs = json_array_size(file->inputs);
    file->names = hcri_allocate(&hcri_default_allocator, inputs, sizeof *file->names);
    HCRI_ALLOCATED(file->names);
    for (size_t j = 0; j < inputs; j++)
        file->names[j] = json_string_value(json_array_get(file->inputs, j));
    HCRI_TRY(assemble_member(file, text, trained_by, model, error));
    walk_parameter_columns(tensors, *model);
    HCRI_TRY(tensors->status);
    if (blend.members != 0)
        HCRI_TRY(assemble_blend(file, &blend, *model, error));
    return hcri_tensors_finish(tensors);
}

hcr_status hcr_model_load(const char *path, hcr_model **model, hcr_error *error) {
    HCRI_FAIL_IF(model == NULL || path == NULL, HCR_ERROR_ARGUMENT, "model or path is NULL");
    *model = NULL;
    HCRI_SCOPED_BY(release) parts file = {0};
    hcr_model *made = NULL;
    hcr_error found = {0};
    hcr_status status = hcri_tensors_load(path, &file.tensors, &found);
    if (status == HCR_OK)
        status = assemble(&file, &made, &found);
    status = hcri_file_blame(path, status, &found, error);
    if (status == HCR_OK)
        *model = made;
    else
        hcr_model_free(made);
    return status;
}
