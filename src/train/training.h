/* Steps of training, and the state that a checkpoint keeps between them. */
#ifndef HCRI_TRAINING_H
#define HCRI_TRAINING_H

#include "base/random.h"
#include "train/head.h"
#include "train/network.h"

/* What changes from step to step: all there is to go on from. */
#define HCRI_STATE_ARRAYS 4
typedef struct hcri_state {
    size_t weights_count; /* `memory` has HCRI_STATE_ARRAYS of so many numbers each: */
    float *memory;
    float *weights, *first, *second; /* first, second: Adam's moments */
    float *best;                     /* the weights with the lowest validation loss */
    size_t multipliers;
    double *multiplier;    /* the Lagrangian's, one a constraint number; NULL when there are none */
    double best_loss;      /* infinity before the first */
    uint64_t steps, epoch; /* done */
    uint64_t best_epoch;   /* 0: none yet */
    hcri_random random;
} hcri_state;
hcr_status hcri_state_create(hcri_state *state, size_t weights, size_t multipliers, const hcr_allocator *allocator,
                             hcr_error *error);

/* What doesn't change, given first, and scratch. */
typedef struct hcri_training {
    const hcri_net *net;
    hcri_head head;
    const hcr_fit_options *options;
    const float *inputs;   /* all rows, scaled */
    const double *targets; /* all rows, as the head's loss takes them */
    size_t rows;           /* how many of them are trained on, … */
    const size_t *row;     /* … and which */
    size_t held;           /* those for validation */
    const size_t *held_row;
    size_t noise; /* how many of the inputs, the last, are drawn for each path */
    /* made by hcri_training_create */
    hcri_pass pass;
    hcri_losses losses;
    hcri_penalty penalty; /* losses.penalty, when options->ascent isn't 0 */
    float *gradient;
    size_t *order, *path_row; /* path_row: the row of each path of a batch */
} hcri_training;
/* What was given must stay where it is, this struct and the state's multipliers included. `allocator` releases what was
 * taken from it, hcri_training_release the rest. */
hcr_status hcri_training_create(hcri_training *training, double *multiplier, const hcr_allocator *allocator,
                                hcr_error *error);
void hcri_training_release(hcri_training *training);

/* One step of Adam on `count` rows, count <= options->batch; *loss is the weighted sum of their losses before it.
 * Allocates nothing. */
hcr_status hcri_training_step(hcri_training *training, hcri_state *state, size_t count, const size_t *row, double *loss,
                              hcr_error *error);
/* The mean loss over given rows; NaN when there are none. DATA when it isn't finite. */
hcr_status hcri_training_loss(hcri_training *training, const float *weights, size_t count, const size_t *row,
                              double *loss, hcr_error *error);

/* A clock that only goes forward. */
double hcri_seconds(void);

/* Trains from the state to the last epoch, or to where patience ends. INTERRUPTED when the callback says so. `after` is
 * called after each epoch, before the callback. */
typedef hcr_status hcri_after_epoch(void *context, const hcri_state *state, hcr_error *error);
hcr_status hcri_training_run(hcri_training *training, hcri_state *state, hcri_after_epoch *after, void *context,
                             hcr_error *error);

#endif
