#include "train/model_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

hcr_status hcri_format_set(hcri_tensors *tensors, const char *format, hcr_error *error) {
    HCRI_TRY(hcri_tensors_set(tensors, "format", format, error));
    return hcri_tensors_set_count(tensors, "version", HCRI_FILE_VERSION, error);
}

hcr_status hcri_format_check(hcri_tensors *tensors, const char *format, hcr_error *error) {
    HCRI_SCOPED char *found = NULL;
    uint64_t version;
    HCRI_TRY(hcri_tensors_get(tensors, "format", &found, error));
    if (strcmp(found, format) != 0)
        return hcri_fail(error, HCR_ERROR_FORMAT, "the file is of format \"%s\", not \"%s\"", found, format);
    HCRI_TRY(hcri_tensors_get_count(tensors, "version", &version, error));
    if (version != HCRI_FILE_VERSION)
        return hcri_fail(error, HCR_ERROR_VERSION, "the file is of version %llu of its format; this library reads %d",
                         (unsigned long long)version, HCRI_FILE_VERSION);
    return HCR_OK;
}

static hcr_status set_json(hcri_tensors *tensors, const char *key, const json_t *array, hcr_error *error) {
    HCRI_SCOPED char *text = json_dumps(array, JSON_COMPACT);
    return text == NULL ? hcri_fail_memory(error) : hcri_tensors_set(tensors, key, text, error);
}

/* *array is NULL when it is no JSON. */
static hcr_status get_json(hcri_tensors *tensors, const char *key, json_t **array, hcr_error *error) {
    HCRI_SCOPED char *text = NULL;
    HCRI_TRY(hcri_tensors_get(tensors, key, &text, error));
    *array = json_loads(text, 0, NULL);
    return HCR_OK;
}

static hcr_status set_names(hcri_tensors *tensors, const char *key, char **names, size_t count, hcr_error *error) {
    json_auto_t *array = json_array();
    if (array == NULL)
        return hcri_fail_memory(error);
    for (size_t i = 0; i < count; i++)
        if (json_array_append_new(array, json_string(names[i])) != 0)
            return hcri_fail(error, HCR_ERROR_DATA,
                             "%s: column %zu's name can't be kept: it isn't UTF-8 text; change its encoding", key,
                             i + 1);
    return set_json(tensors, key, array, error);
}

static hcr_status get_names(hcri_tensors *tensors, const char *key, json_t **names, hcr_error *error) {
    HCRI_TRY(get_json(tensors, key, names, error));
    int good = json_is_array(*names);
    for (size_t i = 0; good && i < json_array_size(*names); i++)
        good = json_is_string(json_array_get(*names, i));
    return good ? HCR_OK : hcri_fail(error, HCR_ERROR_FORMAT, "the file's \"%s\" isn't a list of names", key);
}

/* Which inputs are parameters, none when they are given apart: only for a region that has parameters. */
static hcr_status set_parameter_columns(hcri_tensors *tensors, const hcr_model *model, hcr_error *error) {
    const size_t p = hcr_region_parameters(model->region);
    if (p == 0)
        return HCR_OK;
    json_auto_t *array = json_array();
    for (size_t k = 0; model->parameter_columns != NULL && k < p; k++)
        if (json_array_append_new(array, json_integer((json_int_t)model->parameter_columns[k])) != 0)
            return hcri_fail_memory(error);
    return set_json(tensors, "parameters", array, error);
}

static hcr_status get_parameter_columns(hcri_tensors *tensors, hcr_model *model, hcr_error *error) {
    const size_t p = hcr_region_parameters(model->region);
    if (p == 0)
        return HCR_OK;
    json_auto_t *array = NULL;
    HCRI_TRY(get_json(tensors, "parameters", &array, error));
    const size_t count = json_array_size(array);
    int good = json_is_array(array) && (count == 0 || count == p);
    if (good && count != 0 &&
        (model->parameter_columns = hcri_allocate(&hcri_default_allocator, p, sizeof(size_t))) == NULL)
        return hcri_fail_memory(error);
    for (size_t k = 0; good && k < count; k++) {
        const json_t *item = json_array_get(array, k);
        const json_int_t column = json_integer_value(item);
        good = json_is_integer(item) && column >= 0 && column < (json_int_t)model->net.inputs;
        model->parameter_columns[k] = (size_t)column;
    }
    return good ? HCR_OK : hcri_fail(error, HCR_ERROR_FORMAT, "the file's \"parameters\" aren't columns of its inputs");
}

static hcr_status describe(const hcr_model *model, hcri_tensors *tensors, hcr_error *error) {
    HCRI_TRY(hcri_format_set(tensors, "hcr-model", error));
    HCRI_TRY(hcri_tensors_set(tensors, "library", model->library, error));
    HCRI_TRY(hcri_tensors_set(tensors, "region_text", model->text, error));
    HCRI_TRY(set_names(tensors, "inputs", model->input_names, model->net.inputs, error));
    HCRI_TRY(set_names(tensors, "outputs", model->output_names, model->targets.count, error));
    HCRI_TRY(set_parameter_columns(tensors, model, error));
    HCRI_TRY(hcri_options_set(&model->options, tensors, error));
    hcri_tensors_add(tensors, "input.mean", HCRI_F64, model->inputs.count, 0, model->inputs.mean);
    hcri_tensors_add(tensors, "input.deviation", HCRI_F64, model->inputs.count, 0, model->inputs.deviation);
    hcri_tensors_add(tensors, "target.mean", HCRI_F64, model->targets.count, 0, model->targets.mean);
    hcri_tensors_add(tensors, "target.deviation", HCRI_F64, model->targets.count, 0, model->targets.deviation);
    return HCR_OK;
}

hcr_status hcri_model_check_text(const hcr_model *model, hcr_error *error) {
    HCRI_SCOPED_BY(hcri_tensors_release) hcri_tensors tensors = {0};
    HCRI_TRY(hcri_tensors_create(&tensors, error));
    return describe(model, &tensors, error);
}

hcr_status hcr_model_save(const hcr_model *model, const char *path, hcr_error *error) {
    if (model == NULL || path == NULL)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "model or path is NULL");
    HCRI_SCOPED_BY(hcri_tensors_release) hcri_tensors tensors = {0};
    HCRI_SCOPED float *values = hcri_floats(model->net.weights);
    if (values == NULL)
        return hcri_fail_memory(error);
    HCRI_TRY(hcri_tensors_create(&tensors, error));
    HCRI_TRY(describe(model, &tensors, error));
    hcri_parameter parameter[HCRI_PARAMETERS];
    const size_t parameters = hcri_net_parameters(&model->net, parameter);
    float *next = values;
    for (size_t p = 0; p < parameters; p++) {
        hcri_parameter_gather(&parameter[p], model->weights, next);
        hcri_tensors_add(&tensors, parameter[p].name, HCRI_F32, parameter[p].rows, parameter[p].columns, next);
        next += parameter[p].rows * (parameter[p].columns == 0 ? 1 : parameter[p].columns);
    }
    void *region;
    size_t region_size;
    HCRI_TRY(hcr_region_write(model->region, &region, &region_size, error));
    hcri_tensors_add(&tensors, "region", HCRI_U8, region_size, 0, region);
    const hcr_status status = hcri_tensors_save(&tensors, path, error);
    hcr_free(region);
    return status;
}

static hcr_status take_scaling(hcri_tensors *tensors, const char *mean, const char *deviation, hcri_scaling *scaling,
                               hcr_error *error) {
    hcri_tensor tensor;
    HCRI_TRY(hcri_tensors_take(tensors, mean, HCRI_F64, scaling->count, 0, &tensor, error));
    memcpy(scaling->mean, tensor.data, scaling->count * sizeof(double));
    HCRI_TRY(hcri_tensors_take(tensors, deviation, HCRI_F64, scaling->count, 0, &tensor, error));
    memcpy(scaling->deviation, tensor.data, scaling->count * sizeof(double));
    for (size_t j = 0; j < scaling->count; j++)
        if (!isfinite(scaling->mean[j]) || !isfinite(scaling->deviation[j]) || scaling->deviation[j] < 0)
            return hcri_fail(error, HCR_ERROR_FORMAT, "the file's \"%s\" or \"%s\" has a number that can't be", mean,
                             deviation);
    return HCR_OK;
}

/* Whether the tensors have the shapes that the net has, before memory is allocated for it. */
static hcr_status take_weights(hcri_tensors *tensors, const hcri_net *net, hcri_tensor *tensor, hcr_error *error) {
    hcri_parameter parameter[HCRI_PARAMETERS];
    const size_t parameters = hcri_net_parameters(net, parameter);
    for (size_t p = 0; p < parameters; p++)
        HCRI_TRY(hcri_tensors_take(tensors, parameter[p].name, HCRI_F32, parameter[p].rows, parameter[p].columns,
                                   &tensor[p], error));
    return HCR_OK;
}

static hcr_status put_weights(hcr_model *model, const hcri_tensor *tensor, hcr_error *error) {
    hcri_parameter parameter[HCRI_PARAMETERS];
    const size_t parameters = hcri_net_parameters(&model->net, parameter);
    for (size_t p = 0; p < parameters; p++)
        hcri_parameter_scatter(&parameter[p], tensor[p].data, model->weights);
    for (size_t k = 0; k < model->net.weights; k++)
        if (!isfinite(model->weights[k]))
            return hcri_fail(error, HCR_ERROR_FORMAT, "the file has a weight that is no number");
    return HCR_OK;
}

typedef struct parts { /* what a file gives, until the model has it */
    hcri_tensors tensors;
    hcr_region *region;
    char *text, *library;
    json_t *inputs, *outputs;
    const char **names;
} parts;

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

static hcr_status assemble(parts *file, hcr_model **model, hcr_error *error) {
    hcr_fit_options options;
    hcri_tensor tensor, weights[HCRI_PARAMETERS];
    hcri_net net;
    HCRI_TRY(hcri_format_check(&file->tensors, "hcr-model", error));
    HCRI_TRY(hcri_tensors_get(&file->tensors, "library", &file->library, error));
    HCRI_TRY(hcri_tensors_get(&file->tensors, "region_text", &file->text, error));
    HCRI_TRY(get_names(&file->tensors, "inputs", &file->inputs, error));
    HCRI_TRY(get_names(&file->tensors, "outputs", &file->outputs, error));
    HCRI_TRY(hcri_options_get(&file->tensors, &options, error));
    HCRI_TRY(hcri_tensors_take_bytes(&file->tensors, "region", &tensor, error));
    HCRI_TRY(hcr_region_read(tensor.data, tensor.rows, NULL, &file->region, error));
    HCRI_TRY(check_outputs(file, error));
    const size_t inputs = json_array_size(file->inputs), n = hcr_region_dimension(file->region);
    HCRI_TRY(hcri_net_shape(&net, options.encoder, options.linear_encoder, inputs, options.features, options.hidden,
                            hcri_head_outputs(options.head, n), error));
    HCRI_TRY(take_weights(&file->tensors, &net, weights, error));
    file->names = hcri_allocate(&hcri_default_allocator, inputs, sizeof *file->names);
    if (file->names == NULL)
        return hcri_fail_memory(error);
    for (size_t j = 0; j < inputs; j++)
        file->names[j] = json_string_value(json_array_get(file->inputs, j));
    HCRI_TRY(hcri_model_create(file->region, file->text, inputs, file->names, &options, model, error));
    HCRI_TRY(get_parameter_columns(&file->tensors, *model, error));
    HCRI_TRY(take_scaling(&file->tensors, "input.mean", "input.deviation", &(*model)->inputs, error));
    HCRI_TRY(take_scaling(&file->tensors, "target.mean", "target.deviation", &(*model)->targets, error));
    HCRI_TRY(hcri_model_set_place(*model, error));
    HCRI_TRY(hcri_tensors_finish(&file->tensors, error));
    HCRI_TRY(put_weights(*model, weights, error));
    char *library = hcri_copy_string(&hcri_default_allocator, file->library);
    if (library == NULL)
        return hcri_fail_memory(error);
    hcri_release(&hcri_default_allocator, (*model)->library);
    (*model)->library = library;
    return hcri_model_finish(*model, error);
}

hcr_status hcr_model_load(const char *path, hcr_model **model, hcr_error *error) {
    if (model == NULL || path == NULL)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "model or path is NULL");
    *model = NULL;
    parts file = {0};
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
    hcri_tensors_release(&file.tensors);
    hcr_region_free(file.region);
    free(file.text);
    free(file.library);
    json_decref(file.inputs);
    json_decref(file.outputs);
    hcri_release(&hcri_default_allocator, file.names);
    return status;
}
