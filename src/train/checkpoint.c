#include "train/checkpoint.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "train/model_file.h"

hcr_status hcri_run_describe(hcri_run *run, const hcr_fit_options *options, const hcr_region *region,
                             const hcri_fit_samples *samples, hcr_error *error) {
    void *bytes;
    size_t size;
    HCRI_TRY(hcr_region_write(region, &bytes, &size, error));
    run->region = hcri_digest(HCRI_DIGEST_START, bytes, size);
    hcr_free(bytes);
    const size_t rows = samples->rows, inputs = samples->inputs, p = hcr_region_parameters(region);
    const uint64_t shape[] = {rows, inputs};
    run->data = hcri_digest(HCRI_DIGEST_START, shape, sizeof shape);
    run->data = hcri_digest(run->data, samples->X, rows * inputs * sizeof *samples->X);
    if (samples->parameters != NULL)
        run->data = hcri_digest(run->data, samples->parameters, rows * p * sizeof *samples->parameters);
    run->data = hcri_digest(run->data, samples->Y, rows * hcr_region_dimension(region) * sizeof *samples->Y);
    if (samples->weights != NULL)
        run->data = hcri_digest(run->data, samples->weights, rows * sizeof *samples->weights);

    hcr_fit_options same = *options;
    same.epochs = 1;
    HCRI_SCOPED_BY(hcri_tensors_release) hcri_tensors described = {0};
    HCRI_TRY(hcri_tensors_create(&described, error));
    hcri_options_walk(&described, &same);
    HCRI_TRY(described.status);
    HCRI_SCOPED char *text = json_dumps(described.metadata, JSON_COMPACT | JSON_SORT_KEYS);
    HCRI_ALLOCATED(text);
    run->options = hcri_digest(HCRI_DIGEST_START, text, strlen(text));
    return HCR_OK;
}

/* What a checkpoint is of must be the run's own. */
static void walk_run(hcri_tensors *tensors, const hcri_run *run, const char *path) {
    const struct {
        const char *key, *what;
        uint64_t digest;
    } parts[] = {{"options", "options", run->options},
                 {"data", "data", run->data},
                 {"region", "limits (another region)", run->region}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        uint64_t found = parts[i].digest;
        hcri_tensors_count(tensors, parts[i].key, &found);
        if (tensors->status == HCR_OK && found != parts[i].digest)
            tensors->status = hcri_fail(tensors->error, HCR_ERROR_ARGUMENT,
                                        "the checkpoint \"%s\" is of a run with other %s: go on with those, or train "
                                        "without resume",
                                        path, parts[i].what);
    }
}

static void walk_state(hcri_tensors *tensors, hcri_state *state) {
    static const char *const kinds[] = {"weights", "first", "second", "best"}; /* of state->memory */
    hcri_tensors_count(tensors, "steps", &state->steps);
    hcri_tensors_count(tensors, "epoch", &state->epoch);
    hcri_tensors_count(tensors, "best_epoch", &state->best_epoch);
    double loss = state->best_epoch == 0 ? 0 : state->best_loss;
    hcri_tensors_number(tensors, "best_loss", &loss);
    state->best_loss = state->best_epoch == 0 ? INFINITY : loss;
    for (int i = 0; i < 4; i++) {
        char key[16];
        snprintf(key, sizeof key, "random_%d", i);
        hcri_tensors_count(tensors, key, &state->random.state[i]);
    }
    for (size_t k = 0; k < HCRI_STATE_ARRAYS; k++)
        hcri_tensors_vector(tensors, kinds[k], HCRI_F32, state->weights_count,
                            state->memory + k * state->weights_count);
    if (state->multipliers > 0)
        hcri_tensors_vector(tensors, "multipliers", HCRI_F64, state->multipliers, state->multiplier);
}

hcr_status hcri_checkpoint_save(const char *path, const hcri_run *run, const hcri_state *state, hcr_error *error) {
    hcri_state shown = *state;
    HCRI_SCOPED_BY(hcri_tensors_release) hcri_tensors tensors = {0};
    HCRI_TRY(hcri_tensors_create(&tensors, error));
    hcri_format_walk(&tensors, "hcr-checkpoint");
    walk_run(&tensors, run, path);
    walk_state(&tensors, &shown);
    return hcri_tensors_save(&tensors, path);
}

static hcr_status check_state(const hcri_state *state, hcr_error *error) {
    HCRI_FAIL_IF(state->best_epoch > state->epoch, HCR_ERROR_FORMAT, "the checkpoint contradicts itself: delete it");
    const uint64_t *random = state->random.state;
    int sound = (random[0] | random[1] | random[2] | random[3]) != 0; /* the generator never leaves that state */
    for (size_t k = 0; k < HCRI_STATE_ARRAYS * state->weights_count; k++)
        sound &= isfinite(state->memory[k]) != 0;
    for (size_t i = 0; i < state->multipliers; i++)
        sound &= isfinite(state->multiplier[i]) != 0;
    return sound ? HCR_OK : hcri_fail(error, HCR_ERROR_FORMAT, "the checkpoint has a number that can't be: delete it");
}

hcr_status hcri_checkpoint_load(const char *path, const hcri_run *run, hcri_state *state, int *found,
                                hcr_error *error) {
    *found = !(access(path, F_OK) != 0 && errno == ENOENT);
    if (!*found)
        return HCR_OK;
    hcr_error wrong = {0};
    HCRI_SCOPED_BY(hcri_tensors_release) hcri_tensors tensors = {0};
    hcr_status status = hcri_tensors_load(path, &tensors, &wrong);
    if (status == HCR_OK) {
        hcri_format_walk(&tensors, "hcr-checkpoint");
        walk_run(&tensors, run, path);
        if (tensors.status == HCR_ERROR_ARGUMENT) /* it is another run's: the caller's fault */
            return hcri_fail(error, HCR_ERROR_ARGUMENT, "%s", wrong.text);
        walk_state(&tensors, state);
        status = hcri_tensors_finish(&tensors);
    }
    if (status == HCR_OK)
        status = check_state(state, &wrong);
    return hcri_file_blame(path, status, &wrong, error);
}
