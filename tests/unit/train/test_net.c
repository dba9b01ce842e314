/* Networks against PyTorch's numbers (torch_reference.py wrote them). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "solvers/blas_threads.h"
#include "torch_reference.h"
#include "train/network.h"

/* One of PyTorch's networks: parameters in the order of `names`, each with its gradient. */
typedef struct reference {
    size_t rows, inputs, features, hidden, outputs;
    const double *input, *output, *output_bar;
    const char *names[5];
    const double *values[5], *gradients[5];
} reference;

static const reference dense = {
    .rows = 9,
    .inputs = 7,
    .features = 1,
    .hidden = 5,
    .outputs = 6,
    .input = dense_inputs,
    .output = dense_outputs,
    .output_bar = dense_outputs_bar,
    .names = {"encoder.weight", "encoder.bias", "head.weight", "head.bias"},
    .values = {dense_encoder_weight, dense_encoder_bias, dense_head_weight, dense_head_bias},
    .gradients = {dense_encoder_weight_bar, dense_encoder_bias_bar, dense_head_weight_bar, dense_head_bias_bar},
};
static const reference lstm = {
    .rows = 6,
    .inputs = 14,
    .features = 2,
    .hidden = 9,
    .outputs = 37,
    .input = lstm_inputs,
    .output = lstm_outputs,
    .output_bar = lstm_outputs_bar,
    .names = {"encoder.weight_ih", "encoder.weight_hh", "encoder.bias", "head.weight", "head.bias"},
    .values = {lstm_encoder_weight_ih, lstm_encoder_weight_hh, lstm_encoder_bias, lstm_head_weight, lstm_head_bias},
    .gradients = {lstm_encoder_weight_ih_bar, lstm_encoder_weight_hh_bar, lstm_encoder_bias_bar, lstm_head_weight_bar,
                  lstm_head_bias_bar},
};

static size_t find(const reference *torch, const char *name) {
    size_t k = 0;
    while (strcmp(torch->names[k], name) != 0)
        k++;
    return k;
}

static double larger(double a, double b) { return a > b ? a : b; } /* of fmax, gcc 12 for aarch64 can't make lanes */

/* Largest difference over the largest value. */
static double distance(size_t count, const float *found, const double *expected) {
    double difference = 0, size = 0;
    for (size_t k = 0; k < count; k++) {
        difference = larger(difference, fabs((double)found[k] - expected[k]));
        size = larger(size, fabs(expected[k]));
    }
    return difference / size;
}

static void compare(const reference *torch, hcr_encoder encoder) {
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    hcri_net net;
    hcri_pass pass;
    assert_int_equal(
        hcri_net_shape(&net, encoder, 0, torch->inputs, torch->features, torch->hidden, torch->outputs, NULL), HCR_OK);
    assert_int_equal(hcri_pass_create(&net, torch->rows + 2, memory, &pass, NULL), HCR_OK);
    float *weights = hcri_floats(memory, net.weights), *gradient = hcri_floats(memory, net.weights),
          *values = hcri_floats(memory, net.weights);
    hcri_parameter parameter[HCRI_PARAMETERS];
    const size_t parameters = hcri_net_parameters(&net, parameter);
    for (size_t p = 0; p < parameters; p++) {
        const size_t count = parameter[p].rows * (parameter[p].columns == 0 ? 1 : parameter[p].columns);
        for (size_t k = 0; k < count; k++)
            values[k] = (float)torch->values[find(torch, parameter[p].name)][k];
        hcri_parameter_scatter(&parameter[p], values, weights);
    }
    float *inputs = hcri_floats(memory, torch->rows * torch->inputs);
    size_t row[16];
    for (size_t k = 0; k < torch->rows * torch->inputs; k++)
        inputs[k] = (float)torch->input[k];
    /* Twice, the first time with other rows: nothing may be left over. */
    for (size_t turn = 0; turn < 2; turn++) {
        const size_t count = turn == 0 ? torch->rows - 2 : torch->rows;
        for (size_t i = 0; i < count; i++)
            row[i] = turn == 0 ? 1 : i;
        hcri_pass_gather(&net, &pass, count, row, inputs);
        hcri_net_forward(&net, weights, &pass, count);
        for (size_t k = 0; k < count * torch->outputs; k++)
            pass.outputs_bar[k] = (float)torch->output_bar[k];
        hcri_net_backward(&net, weights, &pass, count, gradient);
    }
    /* single precision against double: sums of some ten numbers */
    assert_true(distance(torch->rows * torch->outputs, pass.outputs, torch->output) < 2e-6);
    for (size_t p = 0; p < parameters; p++) {
        const size_t count = parameter[p].rows * (parameter[p].columns == 0 ? 1 : parameter[p].columns);
        hcri_parameter_gather(&parameter[p], gradient, values);
        assert_true(distance(count, values, torch->gradients[find(torch, parameter[p].name)]) < 1e-5);
    }
    /* The way of predictions gives the same. */
    hcri_predictor predictor;
    assert_int_equal(hcri_predictor_create(&net, weights, memory, &predictor, NULL), HCR_OK);
    float *scratch = hcri_floats(memory, hcri_predictor_scratch(&net)),
          *group = hcri_floats(memory, HCRI_GROUP * torch->outputs);
    hcri_predictor_run(&predictor, inputs, scratch, group);
    assert_true(distance(HCRI_GROUP * torch->outputs, group, torch->output) < 2e-6);
}

static void test_dense_is_torch(void **state) {
    (void)state;
    compare(&dense, HCR_ENCODER_DENSE);
}

static void test_lstm_is_torch(void **state) {
    (void)state;
    compare(&lstm, HCR_ENCODER_LSTM);
}

/* out = W in + b in double precision. */
static void sums(hcri_layer layer, const float *weights, const double *in, double *out) {
    for (size_t o = 0; o < layer.outputs; o++) {
        out[o] = (double)weights[layer.bias + o];
        for (size_t k = 0; k < layer.inputs; k++)
            out[o] += (double)weights[layer.weight + o * layer.inputs + k] * in[k];
    }
}

/* Batches that fill strips, fill the last one in part, and leave little of it: against sums in double. */
static void test_strips_of_a_batch(void **state) {
    (void)state;
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    enum { INPUTS = 37, HIDDEN = 41, OUTPUTS = 35, MOST = 2 * HCRI_STRIP + 5 };
    const size_t batches[] = {HCRI_STRIP, HCRI_STRIP - 1, HCRI_STRIP + 27, MOST};
    hcri_net net;
    hcri_pass pass;
    hcri_random random;
    hcri_random_seed(&random, 3);
    assert_int_equal(hcri_net_shape(&net, HCR_ENCODER_DENSE, 0, INPUTS, 1, HIDDEN, OUTPUTS, NULL), HCR_OK);
    assert_int_equal(hcri_pass_create(&net, MOST + 1, memory, &pass, NULL), HCR_OK);
    float *weights = hcri_floats(memory, net.weights), *inputs = hcri_floats(memory, MOST * INPUTS);
    size_t row[MOST];
    hcri_net_initialise(&net, &random, weights);
    for (size_t k = 0; k < HIDDEN; k++)
        weights[net.encode.bias + k] = (float)hcri_random_normal(&random);
    for (size_t k = 0; k < OUTPUTS; k++)
        weights[net.head.bias + k] = (float)hcri_random_normal(&random);
    for (size_t k = 0; k < MOST * INPUTS; k++)
        inputs[k] = (float)hcri_random_normal(&random);
    for (size_t i = 0; i < MOST; i++)
        row[i] = i;
    for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
        const size_t count = batches[b];
        pass.outputs[count * OUTPUTS] = 42;
        hcri_pass_gather(&net, &pass, count, row, inputs);
        hcri_net_forward(&net, weights, &pass, count);
        assert_true(pass.outputs[count * OUTPUTS] == 42);
        for (size_t i = 0; i < count; i++) {
            double in[INPUTS], encoded[HIDDEN], expected[OUTPUTS];
            for (size_t k = 0; k < INPUTS; k++)
                in[k] = (double)inputs[i * INPUTS + k];
            sums(net.encode, weights, in, encoded);
            for (size_t k = 0; k < HIDDEN; k++)
                encoded[k] = fmax(encoded[k], 0);
            sums(net.head, weights, encoded, expected);
            /* single precision against double: sums of some forty numbers */
            assert_true(distance(OUTPUTS, pass.outputs + i * OUTPUTS, expected) < 2e-6);
        }
    }
}

/* Without activation the network is a product of matrices: its derivative by an input times the outputs' is exact. */
static void test_linear_encoder(void **state) {
    (void)state;
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    hcri_net net;
    hcri_pass pass;
    assert_int_equal(hcri_net_shape(&net, HCR_ENCODER_DENSE, 1, 1, 1, 2, 1, NULL), HCR_OK);
    assert_int_equal(hcri_pass_create(&net, 1, memory, &pass, NULL), HCR_OK);
    float *weights = hcri_floats(memory, net.weights), *gradient = hcri_floats(memory, net.weights);
    weights[net.encode.weight] = -2;
    weights[net.encode.weight + 1] = 3;
    weights[net.encode.bias] = 1;
    weights[net.head.weight] = 5;
    weights[net.head.weight + 1] = 7;
    weights[net.head.bias] = 0.5f;
    pass.input[0] = 4;
    hcri_net_forward(&net, weights, &pass, 1);
    assert_true(pass.outputs[0] == 5 * (-8 + 1) + 7 * 12 + 0.5f);
    pass.outputs_bar[0] = 2;
    hcri_net_backward(&net, weights, &pass, 1, gradient);
    assert_true(gradient[net.encode.weight] == 2 * 5 * 4 && gradient[net.encode.bias + 1] == 2 * 7);
    assert_true(gradient[net.head.weight] == 2 * -7 && gradient[net.head.bias] == 2);
}

static void test_shapes_are_checked(void **state) {
    (void)state;
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    hcri_net net;
    hcri_pass pass;
    hcr_error error;
    assert_int_equal(hcri_net_shape(&net, HCR_ENCODER_LSTM, 0, 10, 3, 4, 2, &error), HCR_ERROR_SHAPE);
    assert_non_null(strstr(error.text, "10 inputs"));
    assert_int_equal(hcri_net_shape(&net, HCR_ENCODER_DENSE, 0, 0, 1, 4, 2, NULL), HCR_ERROR_SHAPE);
    assert_int_equal(hcri_net_shape(&net, HCR_ENCODER_DENSE, 0, 4, 1, (size_t)1 << 60, 2, NULL), HCR_ERROR_SHAPE);
    assert_int_equal(hcri_net_shape(&net, HCR_ENCODER_DENSE, 0, 1 << 20, 1, 1 << 20, 2, NULL), HCR_ERROR_SHAPE);
    assert_int_equal(hcri_net_shape(&net, HCR_ENCODER_DENSE, 0, 4, 1, 4, 2, NULL), HCR_OK);
    assert_int_equal(hcri_pass_create(&net, (size_t)1 << 40, memory, &pass, NULL), HCR_ERROR_SHAPE);
}

static void test_initial_weights(void **state) {
    (void)state;
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    hcri_net net;
    assert_int_equal(hcri_net_shape(&net, HCR_ENCODER_LSTM, 0, 12, 2, 16, 3, NULL), HCR_OK);
    float *weights = hcri_floats(memory, net.weights);
    hcri_random random;
    hcri_random_seed(&random, 9);
    hcri_net_initialise(&net, &random, weights);
    float largest = 0, smallest = 0;
    for (size_t k = 0; k < net.encode.inputs * net.encode.outputs; k++) {
        largest = fmaxf(largest, weights[net.encode.weight + k]);
        smallest = fminf(smallest, weights[net.encode.weight + k]);
    }
    /* 1/√16; of 1,152 uniform numbers the extremes are within a twentieth of the ends but with odds of 1e-12 */
    assert_true(largest <= 0.25f && largest > 0.2375f && smallest >= -0.25f && smallest < -0.2375f);
    for (size_t j = 0; j < 64; j++)
        assert_true(weights[net.encode.bias + j] == (j >= 16 && j < 32 ? 1 : 0));
}

int main(void) {
    hcri_blas blas = {0};
    if (hcri_blas_begin(&blas, NULL) != HCR_OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense_is_torch),     cmocka_unit_test(test_lstm_is_torch),
        cmocka_unit_test(test_strips_of_a_batch),  cmocka_unit_test(test_linear_encoder),
        cmocka_unit_test(test_shapes_are_checked), cmocka_unit_test(test_initial_weights),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hcri_blas_end(&blas);
    return failed;
}
