/* hcr_learn.h: train a model whose every prediction lies in a region, and use it.
 *
 * A model is an encoder (one dense layer or one LSTM layer) and a head:
 *     hcr           direction (normalised) and radius (sigmoid), MSE on the encoded targets: the paper's
 *     hcr-direct    the same two heads, a loss of the outputs, through the decode
 *     hcr-contract  one linear head in output units, then contract, a loss of the outputs
 *     hcr-soften    one linear head in output units, then soften, a loss of the outputs
 *     hcr-project   one linear head in output units, then the nearest point, a loss of the outputs
 *     simple        one linear head, a loss of standardised outputs: no guarantee */
#ifndef HCR_LEARN_H
#define HCR_LEARN_H

#include "hcr_build.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hcr_model hcr_model;

typedef enum hcr_encoder { HCR_ENCODER_DENSE = 0, HCR_ENCODER_LSTM = 1 } hcr_encoder;
typedef enum hcr_head {
    HCR_HEAD_HCR = 0,
    HCR_HEAD_DIRECT = 1,
    HCR_HEAD_CONTRACT = 2,
    HCR_HEAD_SIMPLE = 3,
    HCR_HEAD_SOFTEN = 4,
    HCR_HEAD_PROJECT = 5
} hcr_head;

/* What an output costs that misses its target by m, in units of the targets' deviation; a sample's loss is their mean.
 * That of paths is the energy score. */
typedef enum hcr_loss {
    HCR_LOSS_SQUARED = 0,  /* m² */
    HCR_LOSS_ABSOLUTE = 1, /* |m| */
    HCR_LOSS_HUBER = 2,    /* ½ m² where |m| <= delta, else delta (|m| − ½ delta) */
    HCR_LOSS_PINBALL = 3,  /* quantile · |m| below the target, (1 − quantile) · |m| above it */
    HCR_LOSS_ENERGY = 4 /* Σ_i |m_i|/N − Σ_{i<j} |m_i − m_j|/(N (N − 1)) of N paths' misses m_1 … m_N, |m| the root of
                         * the mean square: least on average where paths are drawn as targets are, whatever N is
                         * (Gneiting and Raftery, 2007; fair for N paths: Ferro, 2014) */
} hcr_loss;

/* Called after each epoch (and, with step < steps, now and then during one). Return true to stop: the model so far
 * is kept, saved when there is a checkpoint path, and the call returns HCR_ERROR_INTERRUPTED. */
typedef struct hcr_progress {
    size_t epoch, epochs;   /* finished, planned */
    size_t step, steps;     /* of this epoch */
    double training_loss;   /* mean over the epoch so far */
    double validation_loss; /* NaN without validation */
} hcr_progress;
typedef bool (*hcr_progress_callback)(void *context, const hcr_progress *progress);

/* Begin with HCR_FIT_OPTIONS_INIT, which has the defaults given, then set what differs. */
typedef struct hcr_fit_options {
    size_t size;         /* sizeof(hcr_fit_options) */
    hcr_encoder encoder; /* dense */
    hcr_head head;       /* hcr */
    size_t hidden;       /* units of the encoder; 64 */
    bool linear_encoder; /* dense: no activation; ReLU otherwise; false */
    size_t features;     /* LSTM: inputs per time step; 1. columns of X = steps × features, time-major */
    size_t epochs;       /* 100 */
    size_t batch;        /* 32 */
    double rate;         /* Adam's step; 1e-3 */
    double rate_decay;   /* the rate is multiplied by this after each epoch; 1 */
    double weight_decay; /* decoupled (AdamW); 0 */
    double clip;         /* largest norm of the whole gradient; 0: none */
    double validation;   /* share of the rows kept for validation; 0 */
    size_t patience; /* stop after so many epochs without a better validation loss, and go back to the best; 0: never */
    uint64_t seed;   /* of initial weights, shuffles, validation split; 0 */
    double radius_weight; /* head hcr: weight of the radius term in the loss, the direction's n terms and the radius'
                           * one   weigh alike; 1 */
    double raw_weight;    /* heads hcr-contract and hcr-project: weight of a second term in the loss, the error of what
                           * the network gives before it is contracted or projected; 0. Quantiles are better with 1:
                           * the map ties those that cross, and takes away the gradients that would part them */
    bool common_scale;    /* all heads but hcr: one deviation for all outputs (the root of the mean of their
                           * squares), so that the loss is the mean squared error of the outputs, in other units;
                           * false: each output is measured by its own, so that all count alike */
    double ascent; /* head simple: the Lagrangian. Adds Σ_i λ_i mean(max(0, c_i(y)/|c_i(O)|)) to the loss, where
                    * λ = 0 at first, and λ_i += ascent · mean(max(0, c_i(y)/|c_i(O)|)) after each epoch (dual
                    * ascent); 0: none */
    const char *checkpoint; /* written after each epoch (whole or not at all); NULL: none */
    bool
        resume; /* false; go on from the checkpoint when it exists: the result is bit for bit that of an unbroken run */
    hcr_progress_callback progress;
    void *progress_context;
    hcr_loss loss;                /* squared; the others are for all heads but hcr */
    double delta;                 /* loss huber; 1 */
    double quantile;              /* loss pinball: which quantile of the targets is learnt, over 0 and under 1; 0.5 */
    const double *sample_weights; /* one a row, >= 0; NULL: all 1. A row of weight 2 counts as two rows would in losses,
                                   * means, deviations and reports, whatever the unit of the weights is */
    const double *quantiles;      /* levels, as hcr_region_quantiles takes them; the loss is then pinball */
    size_t quantile_count;        /* 0: none */
    bool calibrate; /* loss pinball, heads hcr-contract, hcr-project and simple, with validation: after training, the
                     * points of each level are moved before they are mapped, so that the share of validation targets at
                     * or below predictions is the level; false */
    /* Blends: the predictions are Σ share · member's, with shares >= 0 of sum 1 that make the loss of the validation
     * rows least (equal ones without validation), and exactly inside. For convex regions. */
    size_t members;        /* how many models are trained, each from its own initial weights; 1 */
    const hcr_head *blend; /* their heads, one after the other and again, none of them simple; NULL: all `head` */
    size_t blend_count;    /* 0; members is at least that many */
    size_t season;         /* one more member, that repeats the inputs: an output is the mean of those inputs that lie
                            * whole seasons of so many steps before it, taken to the nearest point. The inputs are
                            * then the values of a series just before the outputs; 0: none */
    bool validation_last;  /* false: the rows kept for validation are drawn; true: they are the last ones, which of
                            * windows over a series are the latest, and show how a model fares as the series goes on */
    size_t samples;        /* 0; N from 2 to 64: the model makes paths, drawn as the targets are, of which N a row are
                            * compared with its target in training. The loss is then energy; the encoder dense */
} hcr_fit_options;
#define HCR_FIT_OPTIONS_INIT                                                                                           \
    {                                                                                                                  \
        sizeof(hcr_fit_options), HCR_ENCODER_DENSE, HCR_HEAD_HCR, /* hidden */ 64, false, /* features */ 1,            \
            /* epochs */ 100, /* batch */ 32, /* rate */ 1e-3, /* decay of the rate */ 1, 0, /* clip */ 0, 0,          \
            /* patience */ 0, /* seed */ 0, /* radius_weight */ 1, 0, false, 0, /* checkpoint */ NULL, false, NULL,    \
            NULL, HCR_LOSS_SQUARED, /* delta */ 1, /* quantile */ 0.5, NULL, /* quantiles */ NULL, 0, false,           \
            /* members */ 1, NULL, 0, 0, false, /* samples */ 0                                                        \
    }

typedef struct hcr_fit_report {
    size_t rows;           /* training rows used */
    size_t rows_projected; /* of all rows, those that were projected */
    size_t rows_hidden;    /* of those, points of a star domain that its origin doesn't see */
    size_t rows_validation;
    size_t epochs;                         /* done, over all runs that resumed one another */
    size_t best_epoch;                     /* counted from 1 */
    double training_loss, validation_loss; /* of the kept model; NaN without validation */
    double training_mse, validation_mse;   /* in output units, of the kept model */
    double inside_ratio;                   /* share of training predictions inside, at tolerance 0, decided exactly */
    double seconds;
    size_t projected[16]; /* the first of the rows that were projected, counted from 0 */
} hcr_fit_report;

/* Trains. X rows × inputs, Y rows × n (n = the region's dimension), read only. Input and output names (NULL: "x[0]" …,
 * the region's) are kept in the model. The region is copied into the model. `text` (may be NULL) is the region's source
 * text, kept as documentation. Targets outside are projected first; on a star domain those that its origin doesn't see
 * are drawn towards it instead. Standardisation: inputs by mean and deviation (a constant column becomes 0; the LSTM's
 * over all steps of a feature); all heads but hcr work around the targets' means in units of their deviations, and so
 * are their losses. Text and names must be UTF-8.
 * `parameters` are those of a region that has some, rows × p. NULL: they are columns of X, found by their names as in
 * the region, or the last p when input_names is NULL; the network then has them as inputs too, which it hasn't when
 * they are given apart. An LSTM, for which columns are steps, needs them apart. The model keeps which.
 * With `quantiles` the model's region is that of hcr_region_quantiles, of which each target is the point that has it at
 * every level: predictions have every output at every level, in order, each inside.
 * Errors: DATA (a NaN or an infinity: row and column; a weight below 0, or all of them 0; parameters that are out of
 * range, or leave nothing inside: row; a loss that became no number: what to try; text that isn't UTF-8), NAME (X lacks
 * a parameter), SHAPE, SOLVER, INTERRUPTED (*model is then valid), FORMAT/VERSION/ARGUMENT for a checkpoint that is
 * damaged or of another run. */
HCR_API HCR_MUST_USE hcr_status hcr_fit(const hcr_region *region, const char *text, size_t rows, size_t inputs,
                                        const double *X, const char *const *input_names, const double *parameters,
                                        const double *Y, const hcr_fit_options *options, hcr_model **model,
                                        hcr_fit_report *report, hcr_error *error);

/* Predictions, rows × n. All heads but simple: every row is inside at tolerance 0 in the precision given. A NaN or
 * an infinity in a row of X gives the origin, with the outcome HCR_OUTCOME_BAD_VALUE. `outcomes`: rows of hcr_outcome,
 * may be NULL. `parameters` as in hcr_fit: rows × p, or NULL for a region without and where the model has them among
 * its inputs (NAME when it hasn't). Out of range, or without an origin, they give NaN and the outcome
 * HCR_OUTCOME_OUT_OF_RANGE or HCR_OUTCOME_NO_ORIGIN. _f32 rounds them to single precision: the region is that of the
 * rounded ones. */
HCR_API HCR_MUST_USE hcr_status hcr_predict(const hcr_model *model, size_t rows, const double *X,
                                            const double *parameters, double *Y, uint32_t *outcomes, hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_predict_f32(const hcr_model *model, size_t rows, const double *X,
                                                const double *parameters, float *Y, uint32_t *outcomes,
                                                hcr_error *error);

/* hcr_predict, but for rows whose limits contradict each other: those are predicted within the limits that
 * `relaxation`, of hcr_model_region, gives them (hcr_relax), with the outcome HCR_OUTCOME_RELAXED, or that of the
 * relaxed limits where the prediction isn't inside of those. `outcomes` is wanted. UNSUPPORTED for a blend. */
HCR_API HCR_MUST_USE hcr_status hcr_predict_relaxed(const hcr_model *model, const hcr_relaxation *relaxation,
                                                    size_t rows, const double *X, const double *parameters, double *Y,
                                                    uint32_t *outcomes, hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_predict_relaxed_f32(const hcr_model *model, const hcr_relaxation *relaxation,
                                                        size_t rows, const double *X, const double *parameters,
                                                        float *Y, uint32_t *outcomes, hcr_error *error);

/* What the network hands to the region's map, for those who want to see or time the map alone: rows × (n + 1) for
 * hcr_decode of heads hcr and hcr-direct, rows × n for hcr_contract, hcr_soften, and of head simple the prediction. NaN
 * for a row of X with a bad value, and for parameters that give the prediction NaN. UNSUPPORTED for a blend. */
HCR_API HCR_MUST_USE hcr_status hcr_predict_points(const hcr_model *model, size_t rows, const double *X,
                                                   const double *parameters, double *points, hcr_error *error);

/* A model file is safetensors: weights as F32 tensors, named and laid out as PyTorch has them (the LSTM's bias is the
 * sum of PyTorch's two), standardisation as F64 tensors, the compiled region as a U8 tensor "region"; its metadata has
 * the region text, the column names, the options, the versions and a digest of all that. A blend has "shares", and "1."
 * and so on in front of what the members after the first have. Saving what was loaded gives
 * the same bytes. Written whole or not at all. */
HCR_API HCR_MUST_USE hcr_status hcr_model_save(const hcr_model *model, const char *path, hcr_error *error);
/* Errors: FILE, FORMAT (damaged or altered), VERSION, MEMORY. */
HCR_API HCR_MUST_USE hcr_status hcr_model_load(const char *path, hcr_model **model, hcr_error *error);
HCR_API void hcr_model_free(hcr_model *model); /* NULL is fine */

/* What these return is owned by the model. The text is "" when none was given to hcr_fit. */
HCR_API const hcr_region *hcr_model_region(const hcr_model *model);
HCR_API const char *hcr_model_region_text(const hcr_model *model);
HCR_API size_t hcr_model_inputs(const hcr_model *model);
HCR_API const char *const *hcr_model_input_names(const hcr_model *model);
HCR_API const char *const *hcr_model_output_names(const hcr_model *model);
/* For each parameter of the region the input that it is; NULL when they are given apart, and without parameters. */
HCR_API const size_t *hcr_model_parameter_columns(const hcr_model *model);
/* With samples, the `samples` of training, 0 for other models. The last HCR_NOISE inputs of such a model are noise,
 * numbers of the standard normal distribution that the caller draws: each draw makes a path, its prediction. */
#define HCR_NOISE 16
HCR_API size_t hcr_model_samples(const hcr_model *model);
/* The quantile levels that a model has for each output; NULL, and *count = 0, for a model without. */
HCR_API const double *hcr_model_quantiles(const hcr_model *model, size_t *count);
HCR_API const char *hcr_model_summary(const hcr_model *model); /* one line: encoder, head, sizes */

#ifdef __cplusplus
}
#endif
#endif
