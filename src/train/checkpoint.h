/* Where training stands, in a file: to go on after an interruption as if there had been none. */
#ifndef HCRI_CHECKPOINT_H
#define HCRI_CHECKPOINT_H

#include "train/training.h"

/* What a run is of: a checkpoint of another one is refused. */
typedef struct hcri_run {
    uint64_t options, data, region; /* digests */
} hcri_run;
/* The number of epochs isn't part of it: a finished run can go on for longer. */
hcr_status hcri_run_describe(hcri_run *run, const hcr_fit_options *options, const hcr_region *region, size_t rows,
                             size_t inputs, const double *X, const double *parameters, const double *Y,
                             hcr_error *error);

hcr_status hcri_checkpoint_save(const char *path, const hcri_net *net, const hcri_run *run, const hcri_state *state,
                                hcr_error *error);
/* *found is 0 when there is no such file; then the state is as it was. Errors: FORMAT, VERSION, FILE; ARGUMENT when it
 * is of another run. */
hcr_status hcri_checkpoint_load(const char *path, const hcri_net *net, const hcri_run *run, hcri_state *state,
                                int *found, hcr_error *error);

#endif
