#include "train/network.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "dense/dense.h"
#include "train/training_loops.h"

float *hcri_floats(const hcr_allocator *allocator, size_t count) {
    return hcri_allocate(allocator, count > SIZE_MAX / 8 ? count : hcri_strips(count == 0 ? 1 : count), sizeof(float));
}

static hcri_layer add_layer(hcri_net *net, size_t inputs, size_t outputs) {
    const size_t weight = net->weights, bias = weight + hcri_strips(inputs * outputs);
    const hcri_layer layer = {inputs, outputs, weight, bias};
    net->weights = bias + hcri_strips(outputs);
    return layer;
}

hcr_status hcri_net_shape(hcri_net *net, hcr_encoder encoder, int linear, size_t inputs, size_t features, size_t hidden,
                          size_t outputs, hcr_error *error) {
    const int lstm = encoder == HCR_ENCODER_LSTM;
    HCRI_FAIL_IF(inputs == 0 || hidden == 0 || outputs == 0, HCR_ERROR_SHAPE,
                 "a network needs at least one input, one hidden unit and one output");
    HCRI_FAIL_IF(lstm && (features == 0 || inputs % features != 0), HCR_ERROR_SHAPE,
                 "%zu inputs aren't steps of %zu features each: the LSTM needs columns = steps × features", inputs,
                 features);
    const size_t most = INT_MAX / 8; /* so that sizes fit into CBLAS's int */
    const size_t width = hidden > most ? most : hidden, tall = lstm ? 4 * width : width;
    const size_t wide = lstm ? features + width : inputs;
    HCRI_FAIL_IF(inputs > most || hidden > most || outputs > most || tall > most / wide || width > most / outputs,
                 HCR_ERROR_SHAPE, "a network of %zu inputs, %zu hidden units and %zu outputs is too large", inputs,
                 hidden, outputs);
    *net = (hcri_net){.encoder = encoder,
                      .linear = !lstm && linear,
                      .inputs = inputs,
                      .features = lstm ? features : inputs,
                      .steps = lstm ? inputs / features : 1,
                      .hidden = hidden,
                      .outputs = outputs};
    net->encode = add_layer(net, wide, tall);
    net->head = add_layer(net, hidden, outputs);
    return HCR_OK;
}

size_t hcri_net_parameters(const hcri_net *net, hcri_parameter *parameter) {
    const hcri_layer e = net->encode, h = net->head;
    size_t count = 0;
    parameter[count++] = (hcri_parameter){"head.weight", h.outputs, h.inputs, h.weight, h.inputs};
    parameter[count++] = (hcri_parameter){"head.bias", h.outputs, 0, h.bias, 1};
    parameter[count++] = (hcri_parameter){"encoder.bias", e.outputs, 0, e.bias, 1};
    if (net->encoder == HCR_ENCODER_LSTM) {
        parameter[count++] = (hcri_parameter){"encoder.weight_ih", e.outputs, net->features, e.weight, e.inputs};
        parameter[count++] =
            (hcri_parameter){"encoder.weight_hh", e.outputs, net->hidden, e.weight + net->features, e.inputs};
    } else {
        parameter[count++] = (hcri_parameter){"encoder.weight", e.outputs, e.inputs, e.weight, e.inputs};
    }
    return count;
}

void hcri_parameter_gather(const hcri_parameter *parameter, const float *weights, float *values) {
    const size_t columns = parameter->columns == 0 ? 1 : parameter->columns;
    for (size_t i = 0; i < parameter->rows; i++)
        memcpy(values + i * columns, weights + parameter->first + i * parameter->stride, columns * sizeof *values);
}

void hcri_parameter_scatter(const hcri_parameter *parameter, const void *values, float *weights) {
    const size_t columns = parameter->columns == 0 ? 1 : parameter->columns;
    for (size_t i = 0; i < parameter->rows; i++)
        memcpy(weights + parameter->first + i * parameter->stride, (const char *)values + i * columns * sizeof *weights,
               columns * sizeof *weights);
}

static void fill_uniform(hcri_layer layer, size_t units, hcri_random *random, float *weights) {
    const double bound = 1 / sqrt((double)units);
    for (size_t k = 0; k < layer.inputs * layer.outputs; k++)
        weights[layer.weight + k] = (float)(bound * (2 * hcri_random_uniform(random) - 1));
}

void hcri_net_initialise(const hcri_net *net, hcri_random *random, float *weights) {
    const int lstm = net->encoder == HCR_ENCODER_LSTM;
    memset(weights, 0, net->weights * sizeof *weights);
    fill_uniform(net->encode, lstm ? net->hidden : net->inputs, random, weights);
    fill_uniform(net->head, net->hidden, random, weights);
    for (size_t j = 0; lstm && j < net->hidden; j++)
        weights[net->encode.bias + net->hidden + j] = 1;
}

/* A part of a larger array, each beginning at a multiple of HCRI_STRIP. */
static float *take(float **next, size_t count) {
    float *taken = *next;
    *next += hcri_strips(count);
    return taken;
}

hcr_status hcri_pass_create(const hcri_net *net, size_t capacity, const hcr_allocator *allocator, hcri_pass *pass,
                            hcr_error *error) {
    *pass = (hcri_pass){0};
    const int lstm = net->encoder == HCR_ENCODER_LSTM;
    const size_t slots = net->steps + 1, steps = lstm ? net->steps : 0;
    const size_t widest = net->encode.inputs + 8 * net->hidden + 2 * net->outputs + 8 * HCRI_STRIP;
    HCRI_FAIL_IF(capacity == 0 || capacity > INT_MAX / 8 / slots || widest > SIZE_MAX / 64 / slots / capacity,
                 HCR_ERROR_SHAPE, "a batch of %zu rows is too large: choose a smaller one", capacity);
    const size_t units = capacity * net->hidden, outputs = capacity * net->outputs;
    const size_t input = capacity * net->encode.inputs * (steps + 1);
    const size_t packed = lstm ? hcri_strips(net->encode.outputs) * net->encode.inputs : 0;
    const size_t sizes[] = {
        input,         outputs, outputs, units, units, capacity * net->steps, 4 * units * steps, units * (steps + 1),
        units * steps, units,   packed};
    float **const parts[] = {&pass->input,       &pass->outputs,  &pass->outputs_bar, &pass->encoded,
                             &pass->encoded_bar, &pass->ones,     &pass->gates,       &pass->cell,
                             &pass->tanh_cell,   &pass->cell_bar, &pass->packed};
    const size_t count = sizeof sizes / sizeof *sizes;
    size_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += hcri_strips(sizes[i]);
    float *next = hcri_floats(allocator, all);
    HCRI_ALLOCATED(next);
    pass->capacity = capacity;
    for (size_t i = 0; i < count; i++)
        *parts[i] = take(&next, sizes[i]);
    for (size_t k = 0; k < capacity * net->steps; k++)
        pass->ones[k] = 1;
    return HCR_OK;
}

void hcri_pass_gather(const hcri_net *net, hcri_pass *pass, size_t count, const size_t *row, const float *inputs) {
    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < net->steps; t++)
            memcpy(pass->input + (t * count + i) * net->encode.inputs,
                   inputs + row[i] * net->inputs + t * net->features, net->features * sizeof *inputs);
}

/* Negative numbers to 0; a NaN stays one. */
static void rectify(size_t count, float *values) {
    for (size_t k = 0; k < count; k++)
        values[k] = values[k] < 0 ? 0 : values[k];
}

/* A layer's sums, by its packed matrix. */
static hcri_product packed_product(hcri_layer layer, size_t rows, const float *in, size_t in_row, const float *packed,
                                   const float *weights, float *out) {
    const hcri_product product = {.rows = rows,
                                  .inputs = layer.inputs,
                                  .outputs = layer.outputs,
                                  .in = in,
                                  .row = in_row,
                                  .matrix = packed,
                                  .step = HCRI_STRIP,
                                  .strip = layer.inputs * HCRI_STRIP,
                                  .bias = weights + layer.bias,
                                  .out = out};
    return product;
}

static void lstm_forward(const hcri_net *net, const float *weights, hcri_pass *pass, size_t rows) {
    const size_t hidden = net->hidden, units = rows * hidden, wide = net->encode.inputs;
    hcri_pack(net->encode.outputs, wide, weights + net->encode.weight, pass->packed);
    for (size_t i = 0; i < rows; i++)
        memset(pass->input + i * wide + net->features, 0, hidden * sizeof *pass->input);
    memset(pass->cell, 0, units * sizeof *pass->cell);
    for (size_t t = 0; t < net->steps; t++) {
        float *input = pass->input + t * rows * wide, *gates = pass->gates + 4 * units * t;
        const hcri_product sums = packed_product(net->encode, rows, input, wide, pass->packed, weights, gates);
        hcri_multiply_by(&sums);
        hcri_lstm_step(rows, hidden, gates, pass->cell + units * t, pass->cell + units * (t + 1),
                       pass->tanh_cell + units * t, input + rows * wide + net->features, wide);
    }
    const float *last = pass->input + net->steps * rows * wide + net->features;
    for (size_t i = 0; i < rows; i++)
        memcpy(pass->encoded + i * hidden, last + i * wide, hidden * sizeof *last);
}

/* out = in · W' + bias */
static void layer_forward(hcri_layer layer, size_t rows, const float *weights, const float *in, float *out) {
    for (size_t i = 0; i < rows; i++)
        memcpy(out + i * layer.outputs, weights + layer.bias, layer.outputs * sizeof *out);
    const blasint m = (blasint)rows, n = (blasint)layer.outputs, k = (blasint)layer.inputs;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, in, k, weights + layer.weight, k, 1, out, n);
}

void hcri_net_forward(const hcri_net *net, const float *weights, hcri_pass *pass, size_t rows) {
    if (net->encoder == HCR_ENCODER_LSTM) {
        lstm_forward(net, weights, pass, rows);
    } else {
        layer_forward(net->encode, rows, weights, pass->input, pass->encoded);
        if (!net->linear)
            rectify(rows * net->hidden, pass->encoded);
    }
    layer_forward(net->head, rows, weights, pass->encoded, pass->outputs);
}

/* inputs_bar = outputs_bar · W for the last `columns` of the layer's inputs: W is used as it lies. */
static void layer_back(hcri_layer layer, size_t columns, size_t rows, const float *weights, const float *outputs_bar,
                       float *inputs_bar) {
    const hcri_product product = {.rows = rows,
                                  .inputs = layer.outputs,
                                  .outputs = columns,
                                  .in = outputs_bar,
                                  .row = layer.outputs,
                                  .matrix = weights + layer.weight + (layer.inputs - columns),
                                  .step = layer.inputs,
                                  .strip = HCRI_STRIP,
                                  .out = inputs_bar};
    hcri_multiply_by(&product);
}

/* The derivative by a layer's weights from that by its outputs and its inputs. */
static void layer_gradient(hcri_layer layer, size_t rows, const float *outputs_bar, const float *inputs,
                           const float *ones, float *gradient) {
    const blasint m = (blasint)layer.outputs, n = (blasint)layer.inputs, k = (blasint)rows;
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, n, k, 1, outputs_bar, m, inputs, n, 0,
                gradient + layer.weight, n);
    cblas_sgemv(CblasRowMajor, CblasTrans, k, m, 1, outputs_bar, m, ones, 1, 0, gradient + layer.bias, 1);
}

static void lstm_backward(const hcri_net *net, const float *weights, hcri_pass *pass, size_t rows, float *gradient) {
    const size_t hidden = net->hidden, units = rows * hidden;
    memset(pass->cell_bar, 0, units * sizeof *pass->cell_bar);
    for (size_t t = net->steps; t-- > 0;) {
        float *gates = pass->gates + 4 * units * t;
        hcri_lstm_step_back(rows, hidden, gates, pass->cell + units * t, pass->tanh_cell + units * t, pass->encoded_bar,
                            pass->cell_bar);
        if (t > 0)
            layer_back(net->encode, hidden, rows, weights, gates, pass->encoded_bar);
    }
    layer_gradient(net->encode, net->steps * rows, pass->gates, pass->input, pass->ones, gradient);
}

void hcri_net_backward(const hcri_net *net, const float *weights, hcri_pass *pass, size_t rows, float *gradient) {
    layer_gradient(net->head, rows, pass->outputs_bar, pass->encoded, pass->ones, gradient);
    layer_back(net->head, net->hidden, rows, weights, pass->outputs_bar, pass->encoded_bar);
    if (net->encoder == HCR_ENCODER_LSTM) {
        lstm_backward(net, weights, pass, rows, gradient);
        return;
    }
    if (!net->linear)
        for (size_t k = 0; k < rows * net->hidden; k++)
            pass->encoded_bar[k] = pass->encoded[k] > 0 ? pass->encoded_bar[k] : 0;
    layer_gradient(net->encode, rows, pass->encoded_bar, pass->input, pass->ones, gradient);
}

hcr_status hcri_predictor_create(const hcri_net *net, const float *weights, const hcr_allocator *allocator,
                                 hcri_predictor *predictor, hcr_error *error) {
    const hcri_layer encode = net->encode, head = net->head;
    *predictor = (hcri_predictor){net, weights, hcri_floats(allocator, hcri_strips(encode.outputs) * encode.inputs),
                                  hcri_floats(allocator, hcri_strips(head.outputs) * head.inputs)};
    HCRI_ALLOCATED(predictor->encode && predictor->head);
    hcri_pack(encode.outputs, encode.inputs, weights + encode.weight, predictor->encode);
    hcri_pack(head.outputs, head.inputs, weights + head.weight, predictor->head);
    return HCR_OK;
}

size_t hcri_predictor_scratch(const hcri_net *net) {
    return HCRI_GROUP * (net->encode.inputs + net->encode.outputs + 2 * net->hidden);
}

static void multiply(hcri_layer layer, const float *in, size_t in_row, const float *packed, const float *weights,
                     float *out) {
    const hcri_product product = packed_product(layer, HCRI_GROUP, in, in_row, packed, weights, out);
    hcri_multiply_by(&product);
}

void hcri_predictor_run(const hcri_predictor *predictor, const float *inputs, float *scratch, float *outputs) {
    const hcri_net *net = predictor->net;
    const hcri_layer encode = net->encode, head = net->head;
    if (net->encoder == HCR_ENCODER_LSTM) {
        const size_t hidden = net->hidden, wide = encode.inputs;
        float *input = scratch, *gates = input + HCRI_GROUP * wide, *cell = gates + HCRI_GROUP * encode.outputs;
        float *tanh_cell = cell + HCRI_GROUP * hidden, *state = input + net->features;
        memset(scratch, 0, hcri_predictor_scratch(net) * sizeof *scratch);
        for (size_t t = 0; t < net->steps; t++) {
            for (size_t i = 0; i < HCRI_GROUP; i++)
                memcpy(input + i * wide, inputs + i * net->inputs + t * net->features, net->features * sizeof *input);
            multiply(encode, input, wide, predictor->encode, predictor->weights, gates);
            hcri_lstm_step(HCRI_GROUP, hidden, gates, cell, cell, tanh_cell, state, wide);
        }
        multiply(head, state, wide, predictor->head, predictor->weights, outputs);
        return;
    }
    multiply(encode, inputs, encode.inputs, predictor->encode, predictor->weights, scratch);
    if (!net->linear)
        rectify(HCRI_GROUP * encode.outputs, scratch);
    multiply(head, scratch, head.inputs, predictor->head, predictor->weights, outputs);
}
