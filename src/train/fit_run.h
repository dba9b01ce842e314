/* A call of hcr_fit, and the trainings that it takes. */
#ifndef HCRI_FIT_RUN_H
#define HCRI_FIT_RUN_H

#include "train/blend.h"
#include "train/checkpoint.h"
#include "train/model.h"
#include "train/training.h"

/* A training: everything that it makes and releases. */
typedef struct hcri_fit_run {
    hcri_pool memory; /* of all arrays */
    hcr_fit_options options;
    hcri_fit_samples samples; /* with their parameters, once these are found */
    const char *const *input_names;
    size_t member; /* of a blend: its number */
    size_t n;
    hcr_model *model;
    hcr_workspace *workspace;
    double *Y;          /* the targets, inside the region */
    hcri_places places; /* of a region with parameters */
    size_t projected, hidden;
    size_t listed[sizeof(((hcr_fit_report *)0)->projected) / sizeof(size_t)]; /* the first of the projected ones */
    size_t *order; /* a permutation of the rows: those held for validation first */
    size_t held;
    double *weights; /* of the rows' losses, those of the training rows 1 on average; NULL: all 1 */
    float *scaled;   /* inputs */
    double *targets; /* as the loss takes them */
    hcri_training training;
    hcri_state state;
    hcri_run described;
} hcri_fit_run;

/* A call of hcr_fit. */
typedef struct hcri_fit_call {
    const hcr_region *region;
    const char *text;
    const char *const *input_names;
    hcri_fit_samples samples;
    hcr_fit_options options;
    /* of a blend */
    size_t runs, run;    /* how many trainings it takes, and which this is */
    const double *share; /* NULL: to be fitted */
    size_t best_epoch[HCRI_MOST_MEMBERS];
} hcri_fit_call;

/* The whole training, of a model of the region or of quantiles of it. INTERRUPTED: run->model is there, too. */
hcr_status hcri_fit_run_all(hcri_fit_run *run, const hcr_region *region, const char *text, hcr_fit_report *report,
                            hcr_error *error);
void hcri_fit_run_release(hcri_fit_run *run);
/* The rows that are kept for validation. */
hcr_status hcri_fit_run_held(const hcri_fit_run *run, const hcr_allocator *memory, hcri_held *gathered,
                             hcr_error *error);
/* Predictions of all rows: their mean squared errors in output units, weighted, how many of the training rows' are
 * inside, and a blend's losses. */
hcr_status hcri_fit_run_measure(hcri_fit_run *run, hcr_fit_report *report, hcr_error *error);
/* Trains the members of a blend. Shares are fitted on rows that the members haven't seen, which then are trained again
 * on all rows: stacking (Wolpert, 1992). INTERRUPTED: *model is a blend of those that there are. */
hcr_status hcri_fit_blend(hcri_fit_call *call, hcr_model **model, hcr_fit_report *report, hcr_error *error);

#endif
