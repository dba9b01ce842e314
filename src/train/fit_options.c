#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized_options.h"
#include "base/status.h"
#include "train/model.h"

const char *const hcri_encoder_names[] = {"dense", "lstm", NULL};
const char *const hcri_head_names[] = {"hcr",         "hcr-direct", "hcr-contract", "simple", "hcr-soften",
                                       "hcr-project", NULL};
static const char *const loss_names[] = {"squared", "absolute", "huber", "pinball", "energy", NULL};

/* A number of the options: its name in files and messages, and what it may be. */
typedef struct real_option {
    const char *name;
    size_t offset;
    double least, most;
    int above; /* least itself isn't allowed */
} real_option;
static const real_option reals[] = {
    {"rate", offsetof(hcr_fit_options, rate), 0, 1e30, 1},
    {"rate_decay", offsetof(hcr_fit_options, rate_decay), 0, 1e30, 1},
    {"weight_decay", offsetof(hcr_fit_options, weight_decay), 0, 1e30, 0},
    {"clip", offsetof(hcr_fit_options, clip), 0, 1e30, 0},
    {"validation", offsetof(hcr_fit_options, validation), 0, 0.99, 0},
    {"radius_weight", offsetof(hcr_fit_options, radius_weight), 0, 1e30, 1},
    {"raw_weight", offsetof(hcr_fit_options, raw_weight), 0, 1e30, 0},
    {"ascent", offsetof(hcr_fit_options, ascent), 0, 1e30, 0},
};
#define REALS (sizeof reals / sizeof *reals)
/* In files only where the loss has it. */
static const real_option delta = {"delta", offsetof(hcr_fit_options, delta), 0, 1e30, 1};

typedef struct count_option {
    const char *name;
    size_t offset, least;
} count_option;
static const count_option counts[] = {
    {"hidden", offsetof(hcr_fit_options, hidden), 1},     {"features", offsetof(hcr_fit_options, features), 1},
    {"epochs", offsetof(hcr_fit_options, epochs), 1},     {"batch", offsetof(hcr_fit_options, batch), 1},
    {"patience", offsetof(hcr_fit_options, patience), 0},
};
#define COUNTS (sizeof counts / sizeof *counts)

static double *real_of(hcr_fit_options *options, const real_option *option) {
    return (double *)(void *)((char *)options + option->offset);
}
static size_t *count_of(hcr_fit_options *options, size_t i) {
    return (size_t *)(void *)((char *)options + counts[i].offset);
}

static hcr_status check_real(const real_option *option, double value, hcr_error *error) {
    if (value >= option->least && value <= option->most && !(option->above && value == option->least))
        return HCR_OK;
    return hcri_fail(error, HCR_ERROR_ARGUMENT, "%s is %g: it must be %s %g and at most %g", option->name, value,
                     option->above ? "more than" : "at least", option->least, option->most);
}

static hcr_status check_loss(const hcr_fit_options *options, hcr_error *error) {
    if ((unsigned)options->loss > HCR_LOSS_ENERGY)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "there is no loss %d", (int)options->loss);
    HCRI_FAIL_IF(options->head == HCR_HEAD_HCR && options->loss != HCR_LOSS_SQUARED, HCR_ERROR_ARGUMENT,
                 "head hcr is trained on encoded targets, by their squared errors: the %s loss of the outputs "
                 "needs another head, such as hcr-contract",
                 loss_names[options->loss]);
    HCRI_TRY(check_real(&delta, options->delta, error));
    if (options->quantile > 0 && options->quantile < 1)
        return HCR_OK;
    return hcri_fail(error, HCR_ERROR_ARGUMENT, "quantile is %g: it must be more than 0 and less than 1",
                     options->quantile);
}

static hcr_status check_samples(const hcr_fit_options *options, hcr_error *error) {
    if (options->samples == 0 && options->loss != HCR_LOSS_ENERGY)
        return HCR_OK;
    HCRI_FAIL_IF(options->samples < 2 || options->samples > HCRI_MOST_PATHS, HCR_ERROR_ARGUMENT,
                 "samples is %zu: paths are compared, from 2 to %d of them", options->samples, HCRI_MOST_PATHS);
    HCRI_FAIL_IF(options->loss != HCR_LOSS_ENERGY, HCR_ERROR_ARGUMENT,
                 "samples are learnt by the energy score, not by the %s loss", loss_names[options->loss]);
    HCRI_FAIL_IF(options->encoder != HCR_ENCODER_DENSE, HCR_ERROR_ARGUMENT,
                 "samples need the dense encoder: the LSTM takes every column of X for a time step, noise too");
    if (options->members > 1 || options->season != 0)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "samples are of one model: the mean of several paths is no path");
    return options->ascent == 0 ? HCR_OK
                                : hcri_fail(error, HCR_ERROR_ARGUMENT, "the Lagrangian (ascent = %g) isn't for samples",
                                            options->ascent);
}

/* Each member's head; with one alone `head` isn't used. */
static hcr_status check_blend(hcr_fit_options *options, hcr_error *error) {
    HCRI_FAIL_IF(options->members == 0, HCR_ERROR_ARGUMENT, "members is 0: it must be at least 1");
    if (options->members < options->blend_count)
        options->members = options->blend_count;
    if (options->members == 1 && options->season == 0) {
        if (options->blend_count == 1)
            options->head = options->blend[0];
        options->blend_count = 0;
        return HCR_OK;
    }
    HCRI_FAIL_IF(options->members > HCRI_MOST_MEMBERS, HCR_ERROR_ARGUMENT, "members is %zu: at most %d are blended",
                 options->members, HCRI_MOST_MEMBERS);
    HCRI_FAIL_IF(options->calibrate, HCR_ERROR_ARGUMENT,
                 "calibrate is for one model: a blend of its members isn't calibrated");
    for (size_t k = 0; k == 0 || k < options->blend_count; k++) {
        hcr_fit_options member = *options;
        member.head = options->blend_count == 0 ? options->head : options->blend[k];
        HCRI_FAIL_IF((unsigned)member.head > HCR_HEAD_PROJECT || member.head == HCR_HEAD_SIMPLE, HCR_ERROR_ARGUMENT,
                     "head %d can't be blended: members are of a head whose predictions are inside", (int)member.head);
        HCRI_TRY(check_loss(&member, error));
    }
    if (options->blend_count != 0) /* what is said of `head` below is then of no matter */
        options->head =
            options->raw_weight > 0 || options->loss != HCR_LOSS_SQUARED ? HCR_HEAD_CONTRACT : options->blend[0];
    return HCR_OK;
}

static hcr_status check_calibrate(const hcr_fit_options *options, hcr_error *error) {
    const hcr_head head = options->head;
    if (!options->calibrate)
        return HCR_OK;
    HCRI_FAIL_IF(options->loss != HCR_LOSS_PINBALL ||
                     !(head == HCR_HEAD_CONTRACT || head == HCR_HEAD_PROJECT || head == HCR_HEAD_SIMPLE),
                 HCR_ERROR_ARGUMENT, "calibrate is for quantiles of the heads hcr-contract, hcr-project and simple");
    HCRI_FAIL_IF(options->validation == 0, HCR_ERROR_ARGUMENT,
                 "calibrate needs rows that aren't trained on: keep some (validation = 0.2)");
    return HCR_OK;
}

hcr_status hcri_options_resolve(const hcr_fit_options *given, hcr_fit_options *options, hcr_error *error) {
    static const hcr_fit_options defaults = HCR_FIT_OPTIONS_INIT;
    HCRI_TRY(hcri_options_take(given, &defaults, sizeof defaults, options, "HCR_FIT_OPTIONS_INIT", error));
    HCRI_FAIL_IF((unsigned)options->encoder > HCR_ENCODER_LSTM || (unsigned)options->head > HCR_HEAD_PROJECT,
                 HCR_ERROR_ARGUMENT, "there is no encoder %d or no head %d", (int)options->encoder, (int)options->head);
    for (size_t i = 0; i < COUNTS; i++)
        if (*count_of(options, i) < counts[i].least)
            return hcri_fail(error, HCR_ERROR_ARGUMENT, "%s is 0: it must be at least 1", counts[i].name);
    for (size_t i = 0; i < REALS; i++)
        HCRI_TRY(check_real(&reals[i], *real_of(options, &reals[i]), error));
    if (options->quantile_count != 0 && options->loss == HCR_LOSS_SQUARED)
        options->loss = HCR_LOSS_PINBALL;
    if (options->samples != 0 && options->loss == HCR_LOSS_SQUARED)
        options->loss = HCR_LOSS_ENERGY;
    HCRI_TRY(check_blend(options, error));
    HCRI_TRY(check_loss(options, error));
    HCRI_TRY(check_samples(options, error));
    HCRI_FAIL_IF(options->quantile_count != 0 && options->loss != HCR_LOSS_PINBALL, HCR_ERROR_ARGUMENT,
                 "quantiles are learnt by the pinball loss, not by the %s one", loss_names[options->loss]);
    HCRI_TRY(check_calibrate(options, error));
    HCRI_FAIL_IF(options->raw_weight > 0 && options->head != HCR_HEAD_CONTRACT && options->head != HCR_HEAD_PROJECT,
                 HCR_ERROR_ARGUMENT, "the raw term (raw_weight = %g) is for heads hcr-contract and hcr-project",
                 options->raw_weight);
    HCRI_FAIL_IF(options->ascent > 0 && options->head != HCR_HEAD_SIMPLE, HCR_ERROR_ARGUMENT,
                 "the Lagrangian (ascent = %g) is for head simple: the others can't violate anything", options->ascent);
    HCRI_FAIL_IF(options->patience != 0 && options->validation == 0, HCR_ERROR_ARGUMENT,
                 "patience needs a validation loss to wait for: keep some rows for it (validation = 0.2)");
    return HCR_OK;
}

static int walk_choice(hcri_tensors *tensors, const char *key, const char *const *names, int choice) {
    const char *text = names[choice];
    hcri_tensors_text(tensors, key, &text);
    int found = 0;
    while (names[found] != NULL && strcmp(text, names[found]) != 0)
        found++;
    if (names[found] != NULL)
        return found;
    tensors->status = hcri_fail(tensors->error, HCR_ERROR_FORMAT, "the file's %s is none that this version knows", key);
    return choice;
}

static bool walk_flag(hcri_tensors *tensors, const char *key, bool flag) {
    uint64_t number = flag;
    hcri_tensors_count(tensors, key, &number);
    return number != 0;
}

/* Written only when it is set: older files haven't got it. */
static void walk_rare_flag(hcri_tensors *tensors, const char *key, bool *flag) {
    if (tensors->bytes == NULL ? *flag : hcri_tensors_has(tensors, key))
        *flag = walk_flag(tensors, key, *flag);
}

static void walk_real(hcri_tensors *tensors, const real_option *option, hcr_fit_options *options) {
    double *number = real_of(options, option);
    hcri_tensors_number(tensors, option->name, number);
    if (tensors->status == HCR_OK)
        tensors->status = check_real(option, *number, tensors->error);
}

/* A file without a loss, as all were once, has the squared one. */
static void walk_loss(hcri_tensors *tensors, hcr_fit_options *options) {
    if (tensors->bytes == NULL ? options->loss == HCR_LOSS_SQUARED : !hcri_tensors_has(tensors, "loss"))
        return;
    options->loss = (hcr_loss)walk_choice(tensors, "loss", loss_names, (int)options->loss);
    if (options->loss == HCR_LOSS_HUBER)
        walk_real(tensors, &delta, options);
    if (options->loss == HCR_LOSS_PINBALL) {
        hcri_tensors_number(tensors, "quantile", &options->quantile);
        options->calibrate = walk_flag(tensors, "calibrate", options->calibrate);
    }
    uint64_t samples = options->samples;
    if (options->loss == HCR_LOSS_ENERGY)
        hcri_tensors_count(tensors, "samples", &samples);
    options->samples = (size_t)samples;
    if (tensors->status == HCR_OK &&
        (check_loss(options, tensors->error) != HCR_OK || check_samples(options, tensors->error) != HCR_OK))
        tensors->status = HCR_ERROR_FORMAT;
}

void hcri_options_walk(hcri_tensors *tensors, hcr_fit_options *options) {
    options->encoder = (hcr_encoder)walk_choice(tensors, "encoder", hcri_encoder_names, (int)options->encoder);
    options->head = (hcr_head)walk_choice(tensors, "head", hcri_head_names, (int)options->head);
    for (size_t i = 0; i < COUNTS; i++) {
        uint64_t number = *count_of(options, i);
        hcri_tensors_count(tensors, counts[i].name, &number);
        *count_of(options, i) = (size_t)number;
    }
    for (size_t i = 0; i < REALS; i++)
        walk_real(tensors, &reals[i], options);
    walk_loss(tensors, options);
    options->linear_encoder = walk_flag(tensors, "linear_encoder", options->linear_encoder);
    walk_rare_flag(tensors, "validation_last", &options->validation_last);
    options->common_scale = walk_flag(tensors, "common_scale", options->common_scale);
    hcri_tensors_count(tensors, "seed", &options->seed);
}
