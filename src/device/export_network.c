#include "device/export_network.h"

#include <math.h>

/* In single precision, whatever the rest is in. */
static hcri_code *as_single(hcri_code *code) {
    code->single = 1;
    return code;
}

static void put_floats(hcri_code *code, const char *name, size_t rows, size_t columns, size_t stride,
                       const float *values) {
    const int single = code->single;
    hcri_code_table(as_single(code), name, rows * columns);
    for (size_t k = 0; k < rows * columns; k++)
        hcri_code_number(code, (double)values[k / columns * stride + k % columns]);
    code->single = single;
}

static void put_tables(hcri_code *code, const hcr_model *model) {
    const hcri_net *net = &model->net;
    const hcri_layer encode = net->encode, head = net->head;
    hcri_code_text(code, "/* The inputs' means and inverse deviations, and the layers. */\n");
    hcri_code_numbers(code, "input_mean", net->features, model->inputs.mean);
    hcri_code_table(code, "input_scale", net->features);
    for (size_t j = 0; j < net->features; j++)
        hcri_code_number(code, model->inputs.deviation[j] > 0 ? 1 / model->inputs.deviation[j] : 0);
    put_floats(code, "encoder_weight", encode.outputs, encode.inputs, encode.inputs, model->weights + encode.weight);
    put_floats(code, "encoder_bias", 1, encode.outputs, 0, model->weights + encode.bias);
    put_floats(code, "head_weight", head.outputs, head.inputs, head.inputs, model->weights + head.weight);
    put_floats(code, "head_bias", 1, head.outputs, 0, model->weights + head.bias);
}

/* exp(x) = 2^k (1 + p), as train/activation.h has it: in single precision, without libm. */
static void put_activations(hcri_code *code) {
    const int single = code->single;
    hcri_code_put(as_single(code),
                  "typedef struct exponential {\n    @ power;\n    @ p;\n} exponential;\n\n"
                  "static @ hold(@ x, @ bound)\n{\n    const @ low = (x > -bound) ? x : -bound;\n"
                  "    return (low < bound) ? low : bound;\n}\n\n"
                  "/* exp(x) = power (1 + p), from the nearest power of 2; x is held in +-87. */\n"
                  "static exponential exponential_of(@ x)\n{\n    exponential result = {~0~, ~0~};\n"
                  "    const @ scaled = x * ~0x1.715476p0~;\n"
                  "    const int32_t k = (int32_t)((scaled < ~0~) ? (scaled - ~0.5~) : (scaled + ~0.5~));\n"
                  "    const @ r = (x - ((@)k * ~0x1.62e4p-1~)) - ((@)k * ~1.42860682e-6~);\n"
                  "    const @ square = r * r;\n"
                  "    const @ low = ~0x1.fffffep-2~ + (~0x1.5554bp-3~ * r);\n"
                  "    const @ high = ~0x1.555674p-5~ + (~0x1.122768p-7~ * r);\n"
                  "    const @ q = low + (square * (high + (~0x1.6bec0cp-10~ * square)));\n"
                  "    const uint32_t bits = (uint32_t)(k + 127) << 23;\n"
                  "    (void)memcpy(&result.power, &bits, sizeof bits);\n    result.p = r + (square * q);\n"
                  "    return result;\n}\n\n"
                  "static @ logistic(@ x)\n{\n    const exponential e = exponential_of(-hold(x, ~87~));\n"
                  "    return ~1~ / (~1~ + (e.power + (e.power * e.p)));\n}\n\n");
    code->single = single;
}

static void put_tanh(hcri_code *code) {
    const int single = code->single;
    hcri_code_put(as_single(code),
                  "static @ hyperbolic_tangent(@ x)\n{\n"
                  "    const exponential twice = exponential_of(~2~ * hold(x, ~9.02~));\n"
                  "    const @ e = (twice.power - ~1~) + (twice.power * twice.p);\n    return e / (e + ~2~);\n}\n\n");
    code->single = single;
}

static void put_encoder(hcri_code *code, const hcri_net *net) {
    const int single = code->single;
    as_single(code);
    if (net->encoder == HCR_ENCODER_LSTM)
        hcri_code_put(
            code,
            "/* One LSTM layer: gates input, forget, cell, output; the state after the last step. */\n"
            "static void encode(const @ *x, @ *state)\n{\n    @ cell[%zu];\n    @ gates[%zu];\n    uint32_t step;\n"
            "    uint32_t i;\n    uint32_t j;\n    for (j = 0u; j < %zuu; j++) {\n        cell[j] = ~0~;\n"
            "        state[j] = ~0~;\n    }\n    for (step = 0u; step < %zuu; step++) {\n"
            "        for (i = 0u; i < %zuu; i++) {\n            const @ *weight = &encoder_weight[i * %zuu];\n"
            "            @ sum = encoder_bias[i];\n            for (j = 0u; j < %zuu; j++) {\n"
            "                sum += weight[j] * x[(step * %zuu) + j];\n            }\n"
            "            for (j = 0u; j < %zuu; j++) {\n                sum += weight[%zuu + j] * state[j];\n"
            "            }\n            gates[i] = sum;\n        }\n"
            "        for (j = 0u; j < %zuu; j++) {\n"
            "            cell[j] = (logistic(gates[%zuu + j]) * cell[j]) +\n"
            "                      (logistic(gates[j]) * hyperbolic_tangent(gates[%zuu + j]));\n"
            "            state[j] = logistic(gates[%zuu + j]) * hyperbolic_tangent(cell[j]);\n"
            "        }\n    }\n}\n\n",
            net->hidden, 4 * net->hidden, net->hidden, net->steps, 4 * net->hidden, net->encode.inputs, net->features,
            net->features, net->hidden, net->features, net->hidden, net->hidden, 2 * net->hidden, 3 * net->hidden);
    else
        hcri_code_put(code,
                      "/* One dense layer. */\n"
                      "static void encode(const @ *x, @ *state)\n{\n    uint32_t i;\n    uint32_t j;\n"
                      "    for (i = 0u; i < %zuu; i++) {\n        const @ *weight = &encoder_weight[i * %zuu];\n"
                      "        @ sum = encoder_bias[i];\n        for (j = 0u; j < %zuu; j++) {\n"
                      "            sum += weight[j] * x[j];\n        }\n        state[i] = %s;\n    }\n}\n\n",
                      net->hidden, net->encode.inputs, net->encode.inputs,
                      net->linear ? "sum" : "(sum > 0.0f) ? sum : 0.0f");
    code->single = single;
    const double weights = (double)(net->encode.inputs * net->encode.outputs);
    code->operations +=
        (double)net->steps * (2 * weights + (net->encoder == HCR_ENCODER_LSTM ? 110 : 1) * (double)net->hidden);
}

/* What the layer's outputs give to the map: scale_j o_j + shift_j, and a radius where there is one. */
static void put_points(hcri_code *code, const hcr_model *model, const double *origin) {
    const hcri_net *net = &model->net;
    const size_t n = model->targets.count;
    const int as_is = model->head == HCR_HEAD_HCR;
    const double stretch = model->head == HCR_HEAD_SOFTEN ? model->place.stretch[0] : 1;
    hcri_code_table(code, "point_scale", n);
    for (size_t j = 0; j < n; j++)
        hcri_code_number(code, as_is ? 1 : stretch * model->targets.deviation[j]);
    hcri_code_table(code, "point_shift", n);
    for (size_t j = 0; j < n; j++)
        hcri_code_number(code, as_is ? 0 : stretch * (model->targets.mean[j] - (origin == NULL ? 0 : origin[j])));
    hcri_code_put(code,
                  "\nstatic int network(const @ *input, @ *points)\n{\n    float x[^INPUTS];\n    float state[%zu];\n"
                  "    int sound = 1;\n    uint32_t i;\n    uint32_t j;\n    for (j = 0u; j < ^INPUTS; j++) {\n"
                  "        const @ far = (input[j] - input_mean[j %% %zuu]) * input_scale[j %% %zuu];\n"
                  "        const int near_enough = (input[j] >= -%s) && (input[j] <= %s) && (far >= ~-1e15~) && (far "
                  "<= ~1e15~);\n"
                  "        sound = near_enough ? sound : 0;\n        x[j] = near_enough ? (float)far : 0.0f;\n    }\n"
                  "    encode(x, state);\n    for (i = 0u; i < %zuu; i++) {\n"
                  "        const float *weight = &head_weight[i * %zuu];\n        float sum = head_bias[i];\n"
                  "        for (j = 0u; j < %zuu; j++) {\n            sum += weight[j] * state[j];\n        }\n",
                  net->hidden, net->features, net->features, code->single ? "FLT_MAX" : "DBL_MAX",
                  code->single ? "FLT_MAX" : "DBL_MAX", net->head.outputs, net->hidden, net->hidden);
    if (net->head.outputs > n)
        hcri_code_put(
            code, "        if (i < ^OUTPUTS) {\n            points[i] = (point_scale[i] * (@)sum) + point_shift[i];\n"
                  "        } else {\n            points[i] = (@)logistic(sum);\n        }\n");
    else
        hcri_code_put(code, "        points[i] = (point_scale[i] * (@)sum) + point_shift[i];\n");
    hcri_code_text(code, "    }\n    return sound;\n}\n");
    code->operations += 2 * (double)(net->head.inputs * net->head.outputs) + 3 * (double)net->inputs;
}

void hcri_network_put(hcri_code *code, const hcr_model *model, const double *origin) {
    hcri_code_text(
        code, "\n/* --------------------------------------------------------------------------- the network */\n\n");
    put_tables(code, model);
    hcri_code_text(code, "\n");
    const int lstm = model->net.encoder == HCR_ENCODER_LSTM;
    if (lstm || model->net.outputs > model->targets.count)
        put_activations(code);
    if (lstm)
        put_tanh(code);
    put_encoder(code, &model->net);
    put_points(code, model, origin);
}
