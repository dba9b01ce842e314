/* A trained model, and its file. */
#ifndef HCRI_MODEL_H
#define HCRI_MODEL_H

#include "learn/head.h"
#include "learn/net.h"
#include "learn/safetensors.h"
#include "learn/scaling.h"

struct hcr_model {
    hcri_net net;
    hcr_head head;
    hcr_fit_options options; /* as used: no 0 stands for a default; no checkpoint, no callback */
    hcr_region *region;
    char *text;    /* the region's source; "" when there is none */
    char *library; /* the version that trained it */
    char **input_names, **output_names;
    hcri_scaling inputs;  /* of `features` numbers */
    hcri_scaling targets; /* of n numbers; deviations > 0 */
    double stretch;       /* as in hcri_head */
    float *weights;
    hcri_predictor predictor;
    char summary[160];
};

/* A model with everything but scalings and weights, which are 0; the options are resolved, the names may be NULL. */
hcr_status hcri_model_create(const hcr_region *region, const char *text, size_t inputs, const char *const *input_names,
                             const hcr_fit_options *options, hcr_model **model, hcr_error *error);
/* Sets `stretch`, once the targets' scaling is there. */
hcr_status hcri_model_set_stretch(hcr_model *model, hcr_error *error);
/* Makes it ready to predict, once the weights are there. */
hcr_status hcri_model_finish(hcr_model *model, hcr_error *error);

/* How the model's layer outputs become predictions. */
hcri_head hcri_model_head(const hcr_model *model);

/* The options as the file's metadata has them, both ways. */
hcr_status hcri_options_set(const hcr_fit_options *options, hcri_tensors *tensors, hcr_error *error);
hcr_status hcri_options_get(hcri_tensors *tensors, hcr_fit_options *options, hcr_error *error);
/* Defaults for every 0, after checking. Errors: ARGUMENT. */
hcr_status hcri_options_resolve(const hcr_fit_options *given, hcr_fit_options *options, hcr_error *error);

extern const char *const hcri_encoder_names[];
extern const char *const hcri_head_names[];

#endif
