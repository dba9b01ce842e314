/* A trained model, and its file. */
#ifndef HCRI_MODEL_H
#define HCRI_MODEL_H

#include "base/memory.h"
#include "formats/safetensors.h"
#include "train/head.h"
#include "train/network.h"
#include "train/scaling.h"

/* A model's predictions may be a combination: Σ share[k] · prediction of member k, of which the model itself is the
 * first, and with a season share[members] of the seasonal naive one. */
#define HCRI_MOST_MEMBERS 32
typedef struct hcri_blend {
    size_t members; /* 0: no blend */
    struct hcr_model **member;
    double *share; /* >= 0, of sum 1 */
    size_t season; /* 0: none */
} hcri_blend;

struct hcr_model {
    hcri_pool memory; /* of all of it but for the region and the other members of the blend */
    hcri_blend blend;
    hcri_net net;
    hcr_head head;
    hcr_fit_options options; /* as used: no 0 stands for a default; no checkpoint, no callback */
    hcr_region *region;
    char *text;    /* the region's source; "" when there is none */
    char *library; /* the version that trained it */
    char **input_names, **output_names;
    hcri_scaling inputs;  /* of `features` numbers */
    hcri_scaling targets; /* of n numbers; deviations > 0 */
    /* Which input each parameter of the region is; NULL when they are given apart, and without parameters. */
    size_t *parameter_columns;
    hcri_places place; /* that of all samples; empty for a region with parameters */
    double *levels;    /* n, of the pinball loss; NULL for other losses */
    size_t noise;      /* how many of the inputs, the last, are noise */
    size_t quantiles;  /* how many of them an output has; 0: they aren't quantiles of one */
    float *weights;
    hcri_predictor predictor;
    char summary[256];
};

/* A model with everything but scalings and weights, which are 0; the options are resolved. `inputs` counts the noise,
 * which the names needn't have; they may be NULL. */
hcr_status hcri_model_create(const hcr_region *region, const char *text, size_t inputs, const char *const *input_names,
                             const hcr_fit_options *options, hcr_model **model, hcr_error *error);
/* Finds the parameters among the inputs: by name, or at the end when inputs have no names of their own. Errors: NAME,
 * SHAPE; ARGUMENT when inputs are steps. */
hcr_status hcri_model_find_parameters(hcr_model *model, int named, hcr_error *error);
/* The parameters of `rows` samples as one array, x: those given, or columns of X when that is NULL. NAME when neither
 * is possible. */
hcr_status hcri_model_take_parameters(const hcr_model *model, size_t rows, const double *X, const double *given,
                                      double *x, hcr_error *error);
/* Sets `place`, once the targets' scaling is there. */
hcr_status hcri_model_set_place(hcr_model *model, hcr_error *error);
/* Makes it ready to predict, once the weights are there. */
hcr_status hcri_model_finish(hcr_model *model, hcr_error *error);

/* Rows, and what is wanted of them. */
typedef struct hcri_request {
    const hcr_region *region;     /* NULL: the model's; a relaxed one, whose parameters are given */
    const double *X, *parameters; /* parameters NULL: among the inputs */
    double *Y, *points;           /* one of these three */
    float *Y_f32;
    uint32_t *outcomes; /* NULL: not wanted */
} hcri_request;
/* The same from a row on. */
hcri_request hcri_request_from(const hcr_model *model, const hcri_request *whole, size_t row);
/* hcr_predict of the model itself, without those that it is blended with. */
hcr_status hcri_predict_alone(const hcr_model *model, size_t rows, const hcri_request *wanted, hcr_error *error);

/* How the model's layer outputs become predictions, in `places` (which it finds for samples with parameters), or for
 * all samples in `place`. */
hcri_head hcri_model_head(const hcr_model *model, const hcri_places *places);

/* The options in the file's metadata. */
void hcri_options_walk(hcri_tensors *tensors, hcr_fit_options *options);
/* Defaults for every 0, after checking. Errors: ARGUMENT. */
hcr_status hcri_options_resolve(const hcr_fit_options *given, hcr_fit_options *options, hcr_error *error);

extern const char *const hcri_encoder_names[];
extern const char *const hcri_head_names[];

#endif
