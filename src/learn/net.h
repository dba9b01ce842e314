/* The network: an encoder (one dense or one LSTM layer) and a linear layer, over mini-batches, forward and backward, in
 * single precision.
 *
 * Conventions are PyTorch's. Dense: e = relu(W x + b). LSTM: gates i, f, g, o in this order in the 4·hidden rows of the
 * matrices, zero initial state, e = the last state; its bias is the sum of PyTorch's two. Outputs: W e + b. */
#ifndef HCRI_NET_H
#define HCRI_NET_H

#include "core/random.h"
#include "hcr/hcr_learn.h"

/* Weights are one array; a parameter begins at a multiple of 16 numbers, what lies between is 0. */
typedef struct hcri_parameter {
    const char *name;
    size_t rows, columns; /* columns 0: a vector */
    size_t first;
} hcri_parameter;
typedef enum hcri_parameter_number {
    HCRI_INPUT_WEIGHT = 0,
    HCRI_BIAS = 1,
    HCRI_HEAD_WEIGHT = 2,
    HCRI_HEAD_BIAS = 3,
    HCRI_RECURRENT_WEIGHT = 4, /* LSTM only */
    HCRI_PARAMETERS = 5
} hcri_parameter_number;

typedef struct hcri_net {
    hcr_encoder encoder;
    int linear;                     /* dense: no activation */
    size_t inputs, features, steps; /* inputs = steps × features; dense: steps is 1 */
    size_t hidden, outputs;
    size_t parameters;
    hcri_parameter parameter[HCRI_PARAMETERS];
    size_t weights; /* numbers in the array */
} hcri_net;

/* SHAPE when the sizes are 0, don't divide, or are beyond what products can take. */
hcr_status hcri_net_shape(hcri_net *net, hcr_encoder encoder, int linear, size_t inputs, size_t features, size_t hidden,
                          size_t outputs, hcr_error *error);
/* Uniform in ±1/√(units that come in), ±1/√hidden for the LSTM, as PyTorch does; biases 0, but 1 for the LSTM's forget
 * gates, so that it begins by remembering (Jozefowicz, Zaremba and Sutskever, 2015). */
void hcri_net_initialise(const hcri_net *net, hcri_random *random, float *weights);

/* `count` numbers, zeroed, at a multiple of 64 bytes; free() them. NULL when there is no memory. */
float *hcri_floats(size_t count);

/* What a batch leaves on its way forward, for the way back. */
typedef struct hcri_pass {
    size_t capacity; /* rows */
    float *memory;
    float *input;       /* rows × inputs; LSTM: steps × rows × features */
    float *encoded;     /* rows × hidden */
    float *outputs;     /* rows × outputs */
    float *outputs_bar; /* the loss's derivative by them: given to the way back */
    float *encoded_bar;
    float *ones;
    /* LSTM: for each step, of rows × (4) hidden; state and cell have a step more, the first is 0 */
    float *gates, *state, *cell, *tanh_cell, *cell_bar;
} hcri_pass;
hcr_status hcri_pass_create(const hcri_net *net, size_t capacity, hcri_pass *pass, hcr_error *error);
void hcri_pass_release(hcri_pass *pass);

/* Fills the pass's input with rows `row[0 … count − 1]` of a table of inputs. */
void hcri_pass_gather(const hcri_net *net, hcri_pass *pass, size_t count, const size_t *row, const float *inputs);
void hcri_net_forward(const hcri_net *net, const float *weights, hcri_pass *pass, size_t rows);
/* From outputs_bar to the derivative by every weight, which replaces what `gradient` holds. */
void hcri_net_backward(const hcri_net *net, const float *weights, hcri_pass *pass, size_t rows, float *gradient);

/* One row at a time, for predictions: see hcri_packed_product. */
typedef struct hcri_packed_net {
    float *memory;
    const float *weight[HCRI_PARAMETERS]; /* packed; biases padded */
} hcri_packed_net;
hcr_status hcri_packed_create(const hcri_net *net, const float *weights, hcri_packed_net *packed, hcr_error *error);
void hcri_packed_release(hcri_packed_net *packed);
size_t hcri_packed_scratch(const hcri_net *net); /* numbers that hcri_packed_row needs */
void hcri_packed_row(const hcri_net *net, const hcri_packed_net *packed, const float *input, float *scratch,
                     float *outputs);

#endif
