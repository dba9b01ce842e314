#include "train/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

#define ROUNDS 10

typedef struct score {
    double miss, weight; /* of a target above its prediction, in deviations */
} score;

typedef struct calibration {
    hcr_model *model;
    const hcri_held *held;
    size_t n, levels; /* output j has the level j % levels */
    double *y;        /* predictions */
    score *scores;
    double *mean; /* the best so far, … */
    double error; /* … by the largest difference of a share and its level */
} calibration;

static int by_miss(const void *left, const void *right) {
    const double a = ((const score *)left)->miss, b = ((const score *)right)->miss;
    return (a > b) - (a < b);
}

/* The step of a level, with the rank that holds for one more row like the held ones; *share is what is at or below its
 * predictions now. */
static double step_of(const calibration *at, size_t level, double *share) {
    const hcri_scaling *targets = &at->model->targets;
    double total = 0, largest = 0, below = 0, sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < at->held->rows; i++) {
        const double weight = at->held->weights[i];
        for (size_t j = level; weight > 0 && j < at->n; j += at->levels) {
            const double miss = at->held->Y[i * at->n + j] - at->y[i * at->n + j];
            at->scores[count++] = (score){miss / targets->deviation[j], weight};
            total += weight;
            below += miss <= 0 ? weight : 0;
        }
        largest = fmax(largest, weight);
    }
    *share = below / total;
    qsort(at->scores, count, sizeof *at->scores, by_miss);
    const double rank = at->model->levels[level] * (total + largest);
    size_t k = 0;
    while (k + 1 < count && (sum += at->scores[k].weight) < rank)
        k++;
    return at->scores[k].miss;
}

static hcr_status run(calibration *at, hcr_error *error) {
    hcri_scaling *targets = &at->model->targets;
    for (int round = 0; round <= ROUNDS; round++) {
        HCRI_TRY(hcr_predict(at->model, at->held->rows, at->held->X, at->held->parameters, at->y, NULL, error));
        double largest = 0, share;
        memcpy(at->mean + at->n, targets->mean, at->n * sizeof *at->mean);
        for (size_t l = 0; l < at->levels; l++) {
            const double step = step_of(at, l, &share);
            largest = fmax(largest, fabs(share - at->model->levels[l]));
            for (size_t j = l; j < at->n; j += at->levels)
                targets->mean[j] += step * targets->deviation[j];
        }
        if (largest < at->error) {
            memcpy(at->mean, at->mean + at->n, at->n * sizeof *at->mean);
            at->error = largest;
        }
    }
    memcpy(targets->mean, at->mean, at->n * sizeof *at->mean);
    return HCR_OK;
}

hcr_status hcri_calibrate(hcr_model *model, const hcri_held *held, hcr_error *error) {
    const size_t n = model->targets.count;
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    calibration at = {.model = model,
                      .held = held,
                      .n = n,
                      .levels = model->quantiles == 0 ? 1 : model->quantiles,
                      .y = hcri_allocate(memory, held->rows, n * sizeof(double)),
                      .scores = hcri_allocate(memory, held->rows, n * sizeof(score)),
                      .mean = hcri_allocate(memory, 2 * n, sizeof(double)),
                      .error = INFINITY};
    HCRI_ALLOCATED(at.y && at.scores && at.mean);
    return run(&at, error);
}
