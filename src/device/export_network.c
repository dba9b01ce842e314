#include "device/export_network.h"

#include "device/template_text.h"

/* In single precision, whatever the rest is in. */
static void put_floats(hcri_code *code, const char *name, size_t rows, size_t columns, size_t stride,
                       const float *values) {
    const int single = code->single;
    code->single = 1;
    hcri_code_table(code, name, rows * columns);
    for (size_t k = 0; k < rows * columns; k++)
        hcri_code_number(code, (double)values[k / columns * stride + k % columns]);
    code->single = single;
}

/* What the layer's outputs give to the map: scale_j o_j + shift_j, and a radius where there is one. `origin` NULL: to
 * be taken off by who knows it. */
static void put_points(hcri_code *code, const hcr_model *model, const double *origin) {
    const size_t n = model->targets.count;
    const int as_is = model->head == HCR_HEAD_HCR;
    const double stretch = model->head == HCR_HEAD_SOFTEN && origin != NULL ? model->place.stretch[0] : 1;
    hcri_code_table(code, "point_scale", n);
    for (size_t j = 0; j < n; j++)
        hcri_code_number(code, as_is ? 1 : stretch * model->targets.deviation[j]);
    hcri_code_table(code, "point_shift", n);
    for (size_t j = 0; j < n; j++)
        hcri_code_number(code, as_is ? 0 : stretch * (model->targets.mean[j] - (origin == NULL ? 0 : origin[j])));
}

static void put_tables(hcri_code *code, const hcr_model *model) {
    const hcri_net *net = &model->net;
    const hcri_layer encode = net->encode, head = net->head;
    hcri_code_numbers(code, "input_mean", net->features, model->inputs.mean);
    hcri_code_table(code, "input_scale", net->features);
    for (size_t j = 0; j < net->features; j++)
        hcri_code_number(code, model->inputs.deviation[j] > 0 ? 1 / model->inputs.deviation[j] : 0);
    put_floats(code, "encoder_weight", encode.outputs, encode.inputs, encode.inputs, model->weights + encode.weight);
    put_floats(code, "encoder_bias", 1, encode.outputs, 0, model->weights + encode.bias);
    put_floats(code, "head_weight", head.outputs, head.inputs, head.inputs, model->weights + head.weight);
    put_floats(code, "head_bias", 1, head.outputs, 0, model->weights + head.bias);
}

/* Which inputs the region's parameters are, where they are. */
static void put_parameters(hcri_code *code, const hcr_model *model, int has_maps) {
    const int among = has_maps && model->parameter_columns != NULL;
    hcri_code_mean_flag(code, "HCR_AMONG", among);
    if (among)
        hcri_code_starts(code, "parameter_inputs", hcr_region_parameters(model->region), model->parameter_columns);
}

void hcri_network_put(hcri_code *code, const hcr_model *model, const hcri_plan *plan) {
    const hcri_net *net = &model->net;
    const int lstm = net->encoder == HCR_ENCODER_LSTM, moves = plan != NULL && plan->p != 0;
    hcri_code_mean_flag(code, "HCR_MOVES", moves && model->head != HCR_HEAD_HCR);
    hcri_code_mean_flag(code, "HCR_LSTM", lstm);
    hcri_code_mean_flag(code, "HCR_LINEAR", net->linear);
    hcri_code_mean_flag(code, "HCR_RADIUS", net->outputs > model->targets.count);
    hcri_code_mean_flag(code, "HCR_SIMPLE", model->head == HCR_HEAD_SIMPLE);
    hcri_code_mean_flag(code, "HCR_SOFTENED", model->head == HCR_HEAD_SOFTEN);
    hcri_code_define_count(code, "FEATURES", net->features);
    hcri_code_define_count(code, "STEPS", net->steps);
    hcri_code_define_count(code, "HIDDEN", net->hidden);
    hcri_code_define_count(code, "POINTS", net->head.outputs);
    hcri_code_text(code, "\n");
    put_tables(code, model);
    put_parameters(code, model, plan != NULL);
    put_points(code, model, plan == NULL || moves ? NULL : plan->origin);
    hcri_template_put(code, "network");
    if (moves && model->head == HCR_HEAD_SOFTEN) /* the gauge of the mean, and the origin once more */
        code->operations += code->operations;
    else if (moves && model->head != HCR_HEAD_HCR)
        code->operations += (double)(4 * plan->p + 2 * hcri_rows_entries(&plan->moving_origin.map) + 2 * plan->n);
    const double weights = (double)(net->encode.inputs * net->encode.outputs);
    code->operations += (double)net->steps * (2 * weights + (lstm ? 110 : 1) * (double)net->hidden) +
                        2 * (double)(net->head.inputs * net->head.outputs) + 3 * (double)net->inputs;
}
