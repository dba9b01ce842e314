/* Where training stands, in a file: to go on after an interruption as if there had been none. */
#ifndef HCRI_CHECKPOINT_H
#define HCRI_CHECKPOINT_H

#include "train/training.h"

/* What a run is of: a checkpoint of another one is refused. */
typedef struct hcri_run {
    uint64_t options, data, region; /* digests */
} hcri_run;
/* What a run trains on, as it was given. */
typedef struct hcri_fit_samples {
    size_t rows, inputs;
    const double *X, *parameters, *Y; /* parameters: NULL without, and where they are inputs until they are found */
    const double *weights;            /* one a row; NULL: 1 */
} hcri_fit_samples;

/* The number of epochs isn't part of it: a finished run can go on for longer. */
hcr_status hcri_run_describe(hcri_run *run, const hcr_fit_options *options, const hcr_region *region,
                             const hcri_fit_samples *samples, hcr_error *error);

hcr_status hcri_checkpoint_save(const char *path, const hcri_run *run, const hcri_state *state, hcr_error *error);
/* *found is 0 when there is no such file; then the state is as it was. Errors, after which the state is of no use:
 * FORMAT, VERSION, FILE; ARGUMENT when it is of another run. */
hcr_status hcri_checkpoint_load(const char *path, const hcri_run *run, hcri_state *state, int *found, hcr_error *error);

#endif
