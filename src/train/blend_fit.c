#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "train/fit_run.h"

/* A training's progress as that of the whole. */
static bool on_member(void *context, const hcr_progress *of_member) {
    const hcri_fit_call *call = context;
    hcr_progress whole = *of_member;
    whole.epoch += call->run * of_member->epochs;
    whole.epochs *= call->runs;
    return call->options.progress(call->options.progress_context, &whole);
}

/* The options of member k; `path` is room for its checkpoint's name, which has the training's number behind. */
static void member_options(const hcri_fit_call *call, size_t k, char *path, hcr_fit_options *options) {
    *options = call->options;
    if (options->blend_count != 0)
        options->head = options->blend[k % options->blend_count];
    if (options->head != HCR_HEAD_CONTRACT && options->head != HCR_HEAD_PROJECT)
        options->raw_weight = 0;
    if (call->share != NULL) { /* on all rows, as long as was best without the held ones */
        options->validation = 0;
        options->epochs = options->patience == 0 ? options->epochs : call->best_epoch[k];
        options->patience = 0;
    }
    if (options->progress != NULL) {
        options->progress = on_member;
        options->progress_context = (void *)call;
    }
    if (options->checkpoint != NULL && call->run > 0) {
        sprintf(path, "%s.%zu", options->checkpoint, call->run);
        options->checkpoint = path;
    }
}

static hcr_status check_blend(const hcri_fit_call *call, const hcr_model *model, hcr_error *error) {
    const size_t season = call->options.season, inputs = model->net.inputs;
    const int has_features = model->net.encoder == HCR_ENCODER_LSTM && model->net.features != 1;
    HCRI_FAIL_IF(!hcr_region_is_convex(call->region), HCR_ERROR_UNSUPPORTED,
                 "a blend needs a convex region: between two points of this one there may be others outside");
    if (season == 0)
        return HCR_OK;
    HCRI_FAIL_IF(season > inputs, HCR_ERROR_SHAPE, "a season of %zu steps is longer than the %zu inputs", season,
                 inputs);
    HCRI_FAIL_IF(model->parameter_columns != NULL || has_features, HCR_ERROR_ARGUMENT,
                 "with a season the inputs are the values of one series, without %s",
                 has_features ? "other features" : "parameters: give these apart");
    return HCR_OK;
}

/* The blend of the members made so far, in made[0], with the rows of the last one's run. */
static hcr_status blend(hcri_fit_run *run, const hcri_fit_call *call, size_t count, hcr_model **made,
                        hcr_fit_report *report, hcr_error *error) {
    hcri_held held;
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    HCRI_TRY(hcri_blend_make(made[0], count - 1, made + 1, call->options.season, error));
    hcri_blend *made_blend = &made[0]->blend;
    for (size_t k = 1; k < count; k++)
        made[k] = NULL; /* the blend's */
    if (call->share != NULL) {
        memcpy(made_blend->share, call->share, hcri_blend_parts(made_blend) * sizeof *made_blend->share);
        hcri_blend_summarise(made[0]);
    } else if (run->held > 0) {
        HCRI_TRY(hcri_fit_run_held(run, memory, &held, error));
        HCRI_TRY(hcri_blend_fit(made[0], &held, error));
    }
    run->model = made[0];
    const hcr_status status = hcri_fit_run_measure(run, report, error);
    run->model = NULL;
    return status;
}

static void free_models(hcr_model ***made) {
    for (hcr_model **model = *made; model != NULL && *model != NULL; model++)
        hcr_model_free(*model);
    hcri_release(&hcri_default_allocator, *made);
}

/* Trains all members. When interrupted, *model is a blend of those that there are. */
static hcr_status train_members(hcri_fit_call *call, hcr_model **model, hcr_fit_report *report, hcr_error *error) {
    const size_t members = call->options.members;
    const char *checkpoint = call->options.checkpoint;
    HCRI_SCOPED_BY(free_models) hcr_model **made = hcri_allocate(&hcri_default_allocator, members + 1, sizeof *made);
    HCRI_SCOPED char *path =
        hcri_allocate(&hcri_default_allocator, (checkpoint == NULL ? 0 : strlen(checkpoint)) + 32, 1);
    HCRI_ALLOCATED(made && path);
    for (size_t k = 0;; k++, call->run++) {
        HCRI_SCOPED_BY(hcri_fit_run_release)
        hcri_fit_run run = {.memory = {.from = &hcri_default_allocator},
                            .samples = call->samples,
                            .input_names = call->input_names,
                            .member = k};
        hcr_fit_report of_member = {0};
        member_options(call, k, path, &run.options);
        const hcr_status status = hcri_fit_run_all(&run, call->region, call->text, &of_member, error);
        if (status != HCR_OK && status != HCR_ERROR_INTERRUPTED)
            return status;
        if (k == 0)
            *report = of_member;
        call->best_epoch[k] = of_member.best_epoch;
        made[k] = run.model;
        run.model = NULL;
        HCRI_TRY(check_blend(call, made[k], error));
        if (k + 1 < members && status == HCR_OK)
            continue;
        call->run++;
        HCRI_TRY(blend(&run, call, k + 1, made, report, error));
        *model = made[0];
        made[0] = NULL;
        return status;
    }
}

hcr_status hcri_fit_blend(hcri_fit_call *call, hcr_model **model, hcr_fit_report *report, hcr_error *error) {
    call->runs = call->options.members * (call->options.validation > 0 ? 2 : 1);
    HCRI_TRY(train_members(call, model, report, error));
    if (call->options.validation == 0)
        return HCR_OK;
    hcr_model *first = *model, *again = NULL;
    hcr_fit_report of_all = {0};
    call->share = first->blend.share;
    const hcr_status status = train_members(call, &again, &of_all, error);
    if (status == HCR_ERROR_INTERRUPTED) { /* the members that haven't seen all rows are whole */
        hcr_model_free(again);
        return status;
    }
    hcr_model_free(first);
    *model = again;
    of_all.rows_validation = report->rows_validation;
    of_all.validation_loss = report->validation_loss;
    of_all.validation_mse = report->validation_mse;
    *report = of_all;
    return status;
}
