#define _POSIX_C_SOURCE 200809L
#include "train/checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/memory.h"
#include "base/status.h"
#include "train/model_file.h"

hcr_status hcri_run_describe(hcri_run *run, const hcr_fit_options *options, const hcr_region *region, size_t rows,
                             size_t inputs, const double *X, const double *parameters, const double *Y,
                             hcr_error *error) {
    void *bytes;
    size_t size;
    HCRI_TRY(hcr_region_write(region, &bytes, &size, error));
    run->region = hcri_digest(HCRI_DIGEST_START, bytes, size);
    hcr_free(bytes);
    const uint64_t shape[] = {rows, inputs};
    run->data = hcri_digest(HCRI_DIGEST_START, shape, sizeof shape);
    run->data = hcri_digest(run->data, X, rows * inputs * sizeof *X);
    if (parameters != NULL)
        run->data = hcri_digest(run->data, parameters, rows * hcr_region_parameters(region) * sizeof *parameters);
    run->data = hcri_digest(run->data, Y, rows * hcr_region_dimension(region) * sizeof *Y);

    hcr_fit_options same = *options;
    same.epochs = 1;
    HCRI_SCOPED_BY(hcri_tensors_release) hcri_tensors described = {0};
    HCRI_TRY(hcri_tensors_create(&described, error));
    HCRI_TRY(hcri_options_set(&same, &described, error));
    HCRI_SCOPED char *text = json_dumps(described.metadata, JSON_COMPACT | JSON_SORT_KEYS);
    if (text == NULL)
        return hcri_fail_memory(error);
    run->options = hcri_digest(HCRI_DIGEST_START, text, strlen(text));
    return HCR_OK;
}

static hcr_status describe(hcri_tensors *tensors, const hcri_run *run, const hcri_state *state, hcr_error *error) {
    HCRI_TRY(hcri_format_set(tensors, "hcr-checkpoint", error));
    HCRI_TRY(hcri_tensors_set_count(tensors, "options", run->options, error));
    HCRI_TRY(hcri_tensors_set_count(tensors, "data", run->data, error));
    HCRI_TRY(hcri_tensors_set_count(tensors, "region", run->region, error));
    HCRI_TRY(hcri_tensors_set_count(tensors, "steps", state->steps, error));
    HCRI_TRY(hcri_tensors_set_count(tensors, "epoch", state->epoch, error));
    HCRI_TRY(hcri_tensors_set_count(tensors, "best_epoch", state->best_epoch, error));
    HCRI_TRY(hcri_tensors_set_number(tensors, "best_loss", state->best_epoch == 0 ? 0 : state->best_loss, error));
    for (int i = 0; i < 4; i++) {
        char key[16];
        snprintf(key, sizeof key, "random_%d", i);
        HCRI_TRY(hcri_tensors_set_count(tensors, key, state->random.state[i], error));
    }
    return HCR_OK;
}

/* The four arrays of a state under their names in the file. */
static const char *const kinds[] = {"weights", "first", "second", "best"};
#define KINDS (sizeof kinds / sizeof *kinds)

hcr_status hcri_checkpoint_save(const char *path, const hcri_net *net, const hcri_run *run, const hcri_state *state,
                                hcr_error *error) {
    HCRI_SCOPED_BY(hcri_tensors_release) hcri_tensors tensors = {0};
    HCRI_TRY(hcri_tensors_create(&tensors, error));
    HCRI_TRY(describe(&tensors, run, state, error));
    for (size_t k = 0; k < KINDS; k++)
        hcri_tensors_add(&tensors, kinds[k], HCRI_F32, net->weights, 0, state->memory + k * net->weights);
    if (state->multipliers > 0)
        hcri_tensors_add(&tensors, "multipliers", HCRI_F64, state->multipliers, 0, state->multiplier);
    return hcri_tensors_save(&tensors, path, error);
}

static hcr_status check_same(hcri_tensors *tensors, const char *key, uint64_t value, const char *what, const char *path,
                             hcr_error *error) {
    uint64_t found;
    HCRI_TRY(hcri_tensors_get_count(tensors, key, &found, error));
    if (found == value)
        return HCR_OK;
    return hcri_fail(error, HCR_ERROR_ARGUMENT,
                     "the checkpoint \"%s\" is of a run with other %s: go on with those, or train without resume", path,
                     what);
}

/* Floats or doubles, by their size; numbers of a file lie anywhere. */
static int are_finite(size_t count, size_t size, const char *bytes) {
    for (size_t i = 0; i < count; i++) {
        float single = 0;
        double value = 0;
        if (size == sizeof single)
            memcpy(&single, bytes + i * size, sizeof single);
        else
            memcpy(&value, bytes + i * size, sizeof value);
        if (!isfinite(single) || !isfinite(value))
            return 0;
    }
    return 1;
}

static hcr_status read_state(const char *path, hcri_tensors *tensors, const hcri_net *net, const hcri_run *run,
                             hcri_state *state, hcr_error *error) {
    HCRI_TRY(hcri_format_check(tensors, "hcr-checkpoint", error));
    HCRI_TRY(check_same(tensors, "options", run->options, "options", path, error));
    HCRI_TRY(check_same(tensors, "data", run->data, "data", path, error));
    HCRI_TRY(check_same(tensors, "region", run->region, "limits (another region)", path, error));
    hcri_state read = *state;
    HCRI_TRY(hcri_tensors_get_count(tensors, "steps", &read.steps, error));
    HCRI_TRY(hcri_tensors_get_count(tensors, "epoch", &read.epoch, error));
    HCRI_TRY(hcri_tensors_get_count(tensors, "best_epoch", &read.best_epoch, error));
    HCRI_TRY(hcri_tensors_get_number(tensors, "best_loss", &read.best_loss, error));
    if (read.best_epoch == 0)
        read.best_loss = INFINITY;
    for (int i = 0; i < 4; i++) {
        char key[16];
        snprintf(key, sizeof key, "random_%d", i);
        HCRI_TRY(hcri_tensors_get_count(tensors, key, &read.random.state[i], error));
    }
    hcri_tensor tensor[KINDS], multipliers;
    for (size_t k = 0; k < KINDS; k++)
        HCRI_TRY(hcri_tensors_take(tensors, kinds[k], HCRI_F32, net->weights, 0, &tensor[k], error));
    if (state->multipliers > 0)
        HCRI_TRY(hcri_tensors_take(tensors, "multipliers", HCRI_F64, state->multipliers, 0, &multipliers, error));
    HCRI_TRY(hcri_tensors_finish(tensors, error));
    if (read.best_epoch > read.epoch)
        return hcri_fail(error, HCR_ERROR_FORMAT, "the checkpoint contradicts itself: delete it");
    const uint64_t *random = read.random.state;
    int sound = (random[0] | random[1] | random[2] | random[3]) != 0; /* the generator never leaves that state */
    for (size_t k = 0; k < KINDS; k++)
        sound &= are_finite(net->weights, sizeof(float), tensor[k].data);
    if (state->multipliers > 0)
        sound &= are_finite(state->multipliers, sizeof(double), multipliers.data);
    if (!sound)
        return hcri_fail(error, HCR_ERROR_FORMAT, "the checkpoint has a number that can't be: delete it");
    for (size_t k = 0; k < KINDS; k++)
        memcpy(state->memory + k * net->weights, tensor[k].data, net->weights * sizeof(float));
    if (state->multipliers > 0)
        memcpy(state->multiplier, multipliers.data, state->multipliers * sizeof *state->multiplier);
    *state = read;
    return HCR_OK;
}

hcr_status hcri_checkpoint_load(const char *path, const hcri_net *net, const hcri_run *run, hcri_state *state,
                                int *found, hcr_error *error) {
    *found = !(access(path, F_OK) != 0 && errno == ENOENT);
    if (!*found)
        return HCR_OK;
    hcri_tensors tensors;
    HCRI_TRY(hcri_tensors_load(path, &tensors, error));
    hcr_error wrong = {0};
    const hcr_status status = read_state(path, &tensors, net, run, state, &wrong);
    hcri_tensors_release(&tensors);
    if (status == HCR_ERROR_ARGUMENT) /* it is another run's: the caller's fault */
        return hcri_fail(error, status, "%s", wrong.text);
    return hcri_file_blame(path, status, &wrong, error);
}
