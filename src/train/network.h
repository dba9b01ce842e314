/* The network: an encoder (one dense or one LSTM layer) and a linear layer, over mini-batches, forward and backward, in
 * single precision.
 *
 * Conventions are PyTorch's. Dense: e = relu(W x + b). LSTM: gates i, f, g, o in this order in the 4·hidden rows of the
 * matrices, zero initial state, e = the last state; its bias is the sum of PyTorch's two. Outputs: W e + b. */
#ifndef HCRI_NETWORK_H
#define HCRI_NETWORK_H

#include "base/random.h"
#include "hcr/hcr_learn.h"
#include "train/row_products.h"

/* Weights are one array: the encoder's matrix, its bias, the linear layer's matrix, its bias, each beginning at a
 * multiple of HCRI_STRIP numbers; what lies between is 0. The LSTM's matrix is [W_ih | W_hh]: a step multiplies it by
 * the step's features and the last state, one after the other. */
typedef struct hcri_layer {
    size_t inputs, outputs; /* LSTM: features + hidden, 4 hidden */
    size_t weight, bias;    /* where they begin */
} hcri_layer;

typedef struct hcri_net {
    hcr_encoder encoder;
    int linear;                     /* dense: no activation */
    size_t inputs, features, steps; /* inputs = steps × features; dense: steps is 1 */
    size_t hidden, outputs;
    hcri_layer encode, head;
    size_t weights; /* numbers in the array */
} hcri_net;

/* A parameter as PyTorch has it: rows × columns numbers in the array, a row's beginning `stride` after the last one's.
 */
typedef struct hcri_parameter {
    const char *name;
    size_t rows, columns; /* columns 0: a vector */
    size_t first, stride;
} hcri_parameter;
#define HCRI_PARAMETERS 5
/* Their number; `parameter` has room for HCRI_PARAMETERS. */
size_t hcri_net_parameters(const hcri_net *net, hcri_parameter *parameter);
/* A parameter's numbers one after the other, as PyTorch and files have them, and back. */
void hcri_parameter_gather(const hcri_parameter *parameter, const float *weights, float *values);
void hcri_parameter_scatter(const hcri_parameter *parameter, const void *values, float *weights);

/* SHAPE when the sizes are 0, don't divide, or are beyond what products can take. */
hcr_status hcri_net_shape(hcri_net *net, hcr_encoder encoder, int linear, size_t inputs, size_t features, size_t hidden,
                          size_t outputs, hcr_error *error);
/* Uniform in ±1/√(units that come in), ±1/√hidden for the LSTM, as PyTorch does; biases 0, but 1 for the LSTM's forget
 * gates, so that it begins by remembering (Jozefowicz, Zaremba and Sutskever, 2015). */
void hcri_net_initialise(const hcri_net *net, hcri_random *random, float *weights);

/* `count` numbers, zeroed, at a multiple of 64 bytes, whole strips. NULL when there is no memory. */
float *hcri_floats(const hcr_allocator *allocator, size_t count);

/* What a batch leaves on its way forward, for the way back. */
typedef struct hcri_pass {
    size_t capacity; /* rows */
    float *input;    /* what the encoder's matrix multiplies: rows × inputs; LSTM: for each step, and for one more that
                      * holds the last state, rows × (features + hidden) */
    float *encoded;  /* rows × hidden */
    float *outputs;  /* rows × outputs */
    float *outputs_bar; /* the loss's derivative by them: given to the way back */
    float *encoded_bar;
    float *ones;
    /* LSTM: for each step rows × (4) hidden; cell has a step more, its first is 0 */
    float *gates, *cell, *tanh_cell, *cell_bar;
    float *packed; /* LSTM: the encoder's matrix, laid out for products */
} hcri_pass;
hcr_status hcri_pass_create(const hcri_net *net, size_t capacity, const hcr_allocator *allocator, hcri_pass *pass,
                            hcr_error *error);

/* Fills the pass's input with rows `row[0 … count − 1]` of a table of inputs. */
void hcri_pass_gather(const hcri_net *net, hcri_pass *pass, size_t count, const size_t *row, const float *inputs);
void hcri_net_forward(const hcri_net *net, const float *weights, hcri_pass *pass, size_t rows);
/* From outputs_bar to the derivative by every weight, which replaces what `gradient` holds. */
void hcri_net_backward(const hcri_net *net, const float *weights, hcri_pass *pass, size_t rows, float *gradient);

/* Predictions: HCRI_GROUP rows at a time, so that a row has the same bits whatever comes with it. */
typedef struct hcri_predictor {
    const hcri_net *net;
    const float *weights;
    float *encode, *head; /* packed */
} hcri_predictor;
hcr_status hcri_predictor_create(const hcri_net *net, const float *weights, const hcr_allocator *allocator,
                                 hcri_predictor *predictor, hcr_error *error);
size_t hcri_predictor_scratch(const hcri_net *net); /* numbers that hcri_predictor_run needs */
/* inputs HCRI_GROUP × inputs, outputs HCRI_GROUP × outputs. */
void hcri_predictor_run(const hcri_predictor *predictor, const float *inputs, float *scratch, float *outputs);

#endif
