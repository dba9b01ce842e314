#include "learn/net.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "learn/blas.h"
#include "learn/elementwise.h"

static size_t padded(size_t count) { return (count + 15) / 16 * 16; }

float *hcri_floats(size_t count) {
    if (count > SIZE_MAX / 8)
        return NULL;
    const size_t bytes = padded(count == 0 ? 1 : count) * sizeof(float);
    float *floats = aligned_alloc(64, bytes);
    if (floats != NULL)
        memset(floats, 0, bytes);
    return floats;
}

static void add_parameter(hcri_net *net, hcri_parameter_number number, const char *name, size_t rows, size_t columns) {
    const hcri_parameter parameter = {name, rows, columns, net->weights};
    net->parameter[number] = parameter;
    net->weights += padded(rows * (columns == 0 ? 1 : columns));
}

hcr_status hcri_net_shape(hcri_net *net, hcr_encoder encoder, int linear, size_t inputs, size_t features, size_t hidden,
                          size_t outputs, hcr_error *error) {
    const int lstm = encoder == HCR_ENCODER_LSTM;
    if (inputs == 0 || hidden == 0 || outputs == 0)
        return hcri_fail(error, HCR_ERROR_SHAPE, "a network needs at least one input, one hidden unit and one output");
    if (lstm && (features == 0 || inputs % features != 0))
        return hcri_fail(error, HCR_ERROR_SHAPE,
                         "%zu inputs aren't steps of %zu features each: the LSTM needs columns = steps × features",
                         inputs, features);
    const size_t most = INT_MAX / 8; /* so that sizes fit into CBLAS's int, four gates included */
    const size_t wide = 4 * (hidden > most ? most : hidden);
    if (inputs > most || hidden > most || outputs > most || wide > most / inputs || wide > most / hidden ||
        wide > most / outputs)
        return hcri_fail(error, HCR_ERROR_SHAPE,
                         "a network of %zu inputs, %zu hidden units and %zu outputs is too large", inputs, hidden,
                         outputs);
    *net = (hcri_net){.encoder = encoder,
                      .linear = !lstm && linear,
                      .inputs = inputs,
                      .features = lstm ? features : inputs,
                      .steps = lstm ? inputs / features : 1,
                      .hidden = hidden,
                      .outputs = outputs,
                      .parameters = lstm ? HCRI_PARAMETERS : HCRI_RECURRENT_WEIGHT};
    const size_t gates = lstm ? 4 * hidden : hidden;
    add_parameter(net, HCRI_INPUT_WEIGHT, lstm ? "encoder.weight_ih" : "encoder.weight", gates, net->features);
    add_parameter(net, HCRI_BIAS, "encoder.bias", gates, 0);
    add_parameter(net, HCRI_HEAD_WEIGHT, "head.weight", outputs, hidden);
    add_parameter(net, HCRI_HEAD_BIAS, "head.bias", outputs, 0);
    if (lstm)
        add_parameter(net, HCRI_RECURRENT_WEIGHT, "encoder.weight_hh", gates, hidden);
    return HCR_OK;
}

static void fill_uniform(const hcri_net *net, hcri_parameter_number number, size_t units, hcri_random *random,
                         float *weights) {
    const hcri_parameter *parameter = &net->parameter[number];
    const double bound = 1 / sqrt((double)units);
    for (size_t k = 0; k < parameter->rows * parameter->columns; k++)
        weights[parameter->first + k] = (float)(bound * (2 * hcri_random_uniform(random) - 1));
}

void hcri_net_initialise(const hcri_net *net, hcri_random *random, float *weights) {
    memset(weights, 0, net->weights * sizeof *weights);
    fill_uniform(net, HCRI_INPUT_WEIGHT, net->encoder == HCR_ENCODER_LSTM ? net->hidden : net->inputs, random, weights);
    fill_uniform(net, HCRI_HEAD_WEIGHT, net->hidden, random, weights);
    if (net->encoder == HCR_ENCODER_LSTM) {
        fill_uniform(net, HCRI_RECURRENT_WEIGHT, net->hidden, random, weights);
        for (size_t j = 0; j < net->hidden; j++)
            weights[net->parameter[HCRI_BIAS].first + net->hidden + j] = 1;
    }
}

static float *take(float **next, size_t count) {
    float *taken = *next;
    *next += padded(count);
    return taken;
}

hcr_status hcri_pass_create(const hcri_net *net, size_t capacity, hcri_pass *pass, hcr_error *error) {
    *pass = (hcri_pass){0};
    const int lstm = net->encoder == HCR_ENCODER_LSTM;
    const size_t units = capacity * net->hidden, slots = net->steps + 1;
    const size_t widest = 4 * net->hidden + net->inputs + net->outputs;
    if (capacity == 0 || capacity > INT_MAX / 8 / slots || widest > SIZE_MAX / 64 / slots / capacity)
        return hcri_fail(error, HCR_ERROR_SHAPE, "a batch of %zu rows is too large: choose a smaller one", capacity);
    const size_t count = padded(capacity * net->inputs) + 2 * padded(capacity * net->outputs) + 2 * padded(units) +
                         padded(capacity * net->steps) +
                         (lstm ? padded(4 * units * net->steps) + 3 * padded(units * slots) + padded(units) : 0);
    float *next = hcri_floats(count);
    if (next == NULL)
        return hcri_fail_memory(error);
    pass->memory = next;
    pass->capacity = capacity;
    pass->input = take(&next, capacity * net->inputs);
    pass->outputs = take(&next, capacity * net->outputs);
    pass->outputs_bar = take(&next, capacity * net->outputs);
    pass->encoded = take(&next, units);
    pass->encoded_bar = take(&next, units);
    pass->ones = take(&next, capacity * net->steps);
    for (size_t k = 0; k < capacity * net->steps; k++)
        pass->ones[k] = 1;
    if (lstm) {
        pass->gates = take(&next, 4 * units * net->steps);
        pass->state = take(&next, units * slots);
        pass->cell = take(&next, units * slots);
        pass->tanh_cell = take(&next, units * slots);
        pass->cell_bar = take(&next, units);
    }
    return HCR_OK;
}

void hcri_pass_release(hcri_pass *pass) {
    free(pass->memory);
    *pass = (hcri_pass){0};
}

void hcri_pass_gather(const hcri_net *net, hcri_pass *pass, size_t count, const size_t *row, const float *inputs) {
    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < net->steps; t++)
            memcpy(pass->input + (t * count + i) * net->features, inputs + row[i] * net->inputs + t * net->features,
                   net->features * sizeof *inputs);
}

static void fill_rows(size_t rows, size_t columns, const float *values, float *out) {
    for (size_t i = 0; i < rows; i++)
        memcpy(out + i * columns, values, columns * sizeof *out);
}

static const float *of(const hcri_net *net, const float *weights, hcri_parameter_number number) {
    return weights + net->parameter[number].first;
}

static void dense_forward(const hcri_net *net, const float *weights, hcri_pass *pass, size_t rows) {
    fill_rows(rows, net->hidden, of(net, weights, HCRI_BIAS), pass->encoded);
    hcri_multiply_transposed(rows, net->hidden, net->inputs, pass->input, of(net, weights, HCRI_INPUT_WEIGHT), 1,
                             pass->encoded);
    if (!net->linear)
        for (size_t k = 0; k < rows * net->hidden; k++)
            pass->encoded[k] = pass->encoded[k] < 0 ? 0 : pass->encoded[k];
}

static void lstm_forward(const hcri_net *net, const float *weights, hcri_pass *pass, size_t rows) {
    const size_t hidden = net->hidden, units = rows * hidden;
    hcri_multiply_transposed(net->steps * rows, 4 * hidden, net->features, pass->input,
                             of(net, weights, HCRI_INPUT_WEIGHT), 0, pass->gates);
    memset(pass->state, 0, units * sizeof *pass->state);
    memset(pass->cell, 0, units * sizeof *pass->cell);
    for (size_t t = 0; t < net->steps; t++) {
        float *gates = pass->gates + 4 * units * t;
        if (t > 0)
            hcri_multiply_transposed(rows, 4 * hidden, hidden, pass->state + units * t,
                                     of(net, weights, HCRI_RECURRENT_WEIGHT), 1, gates);
        hcri_lstm_step(rows, hidden, gates, of(net, weights, HCRI_BIAS), pass->cell + units * t,
                       pass->cell + units * (t + 1), pass->tanh_cell + units * t, pass->state + units * (t + 1));
    }
    memcpy(pass->encoded, pass->state + units * net->steps, units * sizeof *pass->encoded);
}

void hcri_net_forward(const hcri_net *net, const float *weights, hcri_pass *pass, size_t rows) {
    if (net->encoder == HCR_ENCODER_LSTM)
        lstm_forward(net, weights, pass, rows);
    else
        dense_forward(net, weights, pass, rows);
    fill_rows(rows, net->outputs, of(net, weights, HCRI_HEAD_BIAS), pass->outputs);
    hcri_multiply_transposed(rows, net->outputs, net->hidden, pass->encoded, of(net, weights, HCRI_HEAD_WEIGHT), 1,
                             pass->outputs);
}

static void lstm_backward(const hcri_net *net, const float *weights, hcri_pass *pass, size_t rows, float *gradient) {
    const size_t hidden = net->hidden, units = rows * hidden, all = net->steps * rows;
    memset(pass->cell_bar, 0, units * sizeof *pass->cell_bar);
    for (size_t t = net->steps; t-- > 0;) {
        float *gates = pass->gates + 4 * units * t;
        hcri_lstm_step_back(rows, hidden, gates, pass->cell + units * t, pass->tanh_cell + units * t, pass->encoded_bar,
                            pass->cell_bar);
        if (t > 0)
            hcri_multiply(rows, hidden, 4 * hidden, gates, of(net, weights, HCRI_RECURRENT_WEIGHT), pass->encoded_bar);
    }
    hcri_multiply_outer(4 * hidden, hidden, all, pass->gates, pass->state,
                        gradient + net->parameter[HCRI_RECURRENT_WEIGHT].first);
    hcri_multiply_outer(4 * hidden, net->features, all, pass->gates, pass->input,
                        gradient + net->parameter[HCRI_INPUT_WEIGHT].first);
    hcri_sum_columns(all, 4 * hidden, pass->gates, pass->ones, gradient + net->parameter[HCRI_BIAS].first);
}

void hcri_net_backward(const hcri_net *net, const float *weights, hcri_pass *pass, size_t rows, float *gradient) {
    hcri_multiply_outer(net->outputs, net->hidden, rows, pass->outputs_bar, pass->encoded,
                        gradient + net->parameter[HCRI_HEAD_WEIGHT].first);
    hcri_sum_columns(rows, net->outputs, pass->outputs_bar, pass->ones,
                     gradient + net->parameter[HCRI_HEAD_BIAS].first);
    hcri_multiply(rows, net->hidden, net->outputs, pass->outputs_bar, of(net, weights, HCRI_HEAD_WEIGHT),
                  pass->encoded_bar);
    if (net->encoder == HCR_ENCODER_LSTM) {
        lstm_backward(net, weights, pass, rows, gradient);
        return;
    }
    if (!net->linear)
        for (size_t k = 0; k < rows * net->hidden; k++)
            pass->encoded_bar[k] = pass->encoded[k] > 0 ? pass->encoded_bar[k] : 0;
    hcri_multiply_outer(net->hidden, net->inputs, rows, pass->encoded_bar, pass->input,
                        gradient + net->parameter[HCRI_INPUT_WEIGHT].first);
    hcri_sum_columns(rows, net->hidden, pass->encoded_bar, pass->ones, gradient + net->parameter[HCRI_BIAS].first);
}

hcr_status hcri_packed_create(const hcri_net *net, const float *weights, hcri_packed_net *packed, hcr_error *error) {
    size_t count = 0;
    for (size_t p = 0; p < net->parameters; p++) {
        const hcri_parameter *parameter = &net->parameter[p];
        count += padded(hcri_packed_outputs(parameter->rows) * (parameter->columns == 0 ? 1 : parameter->columns));
    }
    float *next = hcri_floats(count);
    if (next == NULL)
        return hcri_fail_memory(error);
    packed->memory = next;
    for (size_t p = 0; p < net->parameters; p++) {
        const hcri_parameter *parameter = &net->parameter[p];
        const size_t columns = parameter->columns == 0 ? 1 : parameter->columns;
        float *place = take(&next, hcri_packed_outputs(parameter->rows) * columns);
        hcri_pack(columns, parameter->rows, weights + parameter->first, place);
        packed->weight[p] = place;
    }
    return HCR_OK;
}

void hcri_packed_release(hcri_packed_net *packed) {
    free(packed->memory);
    *packed = (hcri_packed_net){0};
}

size_t hcri_packed_scratch(const hcri_net *net) {
    const size_t units = padded(net->hidden);
    return hcri_packed_outputs(net->parameter[HCRI_BIAS].rows) + 3 * units + hcri_packed_outputs(net->outputs);
}

void hcri_packed_row(const hcri_net *net, const hcri_packed_net *packed, const float *input, float *scratch,
                     float *outputs) {
    const size_t hidden = net->hidden, gates = net->parameter[HCRI_BIAS].rows;
    float *next = scratch;
    float *sums = take(&next, hcri_packed_outputs(gates)), *state = take(&next, hidden);
    float *cell = take(&next, hidden), *tanh_cell = take(&next, hidden);
    const float *encoded = state;
    if (net->encoder == HCR_ENCODER_LSTM) {
        memset(state, 0, 2 * padded(hidden) * sizeof *state);
        for (size_t t = 0; t < net->steps; t++) {
            memset(sums, 0, hcri_packed_outputs(gates) * sizeof *sums);
            hcri_packed_product(net->features, gates, packed->weight[HCRI_INPUT_WEIGHT], input + t * net->features,
                                sums);
            hcri_packed_product(hidden, gates, packed->weight[HCRI_RECURRENT_WEIGHT], state, sums);
            hcri_lstm_step(1, hidden, sums, packed->weight[HCRI_BIAS], cell, cell, tanh_cell, state);
        }
    } else {
        memcpy(sums, packed->weight[HCRI_BIAS], hcri_packed_outputs(gates) * sizeof *sums);
        hcri_packed_product(net->inputs, gates, packed->weight[HCRI_INPUT_WEIGHT], input, sums);
        if (!net->linear)
            for (size_t k = 0; k < hidden; k++)
                sums[k] = sums[k] < 0 ? 0 : sums[k];
        encoded = sums;
    }
    float *wide = take(&next, hcri_packed_outputs(net->outputs));
    memcpy(wide, packed->weight[HCRI_HEAD_BIAS], hcri_packed_outputs(net->outputs) * sizeof *wide);
    hcri_packed_product(hidden, net->outputs, packed->weight[HCRI_HEAD_WEIGHT], encoded, wide);
    memcpy(outputs, wide, net->outputs * sizeof *outputs);
}
