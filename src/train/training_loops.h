/* The loops of training and prediction that aren't matrix products. Each is compiled for several instruction sets and
 * picked when called. Arrays are the same or don't overlap. */
#ifndef HCRI_TRAINING_LOOPS_H
#define HCRI_TRAINING_LOOPS_H

#include <stddef.h>

/* One step of an LSTM for `rows` rows of `hidden` units: gates (rows × 4 hidden, the parts i f g o one after the other)
 * come in as sums and leave activated, i, f, o by the logistic function, g by tanh; then
 *     cell = f cell_before + i g        state = o tanh(cell)
 * Row i of state begins at state + i · stride. */
void hcri_lstm_step(size_t rows, size_t hidden, float *gates, const float *cell_before, float *cell, float *tanh_cell,
                    float *state, size_t stride);
/* Its derivative: state_bar and cell_bar are the loss's by state and cell; gates turn from activated values into the
 * loss's derivatives by what came in, and cell_bar into that by cell_before. */
void hcri_lstm_step_back(size_t rows, size_t hidden, float *gates, const float *cell_before, const float *tanh_cell,
                         const float *state_bar, float *cell_bar);

/* Adam (Kingma and Ba, 2015) with weight decay decoupled (Loshchilov and Hutter, 2019):
 *     first = β1 first + (1 − β1) g        second = β2 second + (1 − β2) g²       g = scale · gradient
 *     w = keep · w − step · first/(√second · correction + ε)
 * where step = rate/(1 − β1^t), correction = 1/√(1 − β2^t) and keep = 1 − rate · decay. */
typedef struct hcri_adam {
    float scale, step, correction, keep;
} hcri_adam;
void hcri_adam_step(size_t count, const hcri_adam *adam, const float *gradient, float *weights, float *first,
                    float *second);

#endif
