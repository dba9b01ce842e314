/* The synthetic data of the paper: y = R W x, projected into the ball |y| <= R. */
#include "experiment.h"

#include "cli/command.h"
#include "cli/report.h"
#include "cli/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 128, OUTPUTS = 768, TRAIN = 500, TEST = 1000 };
static const double radius = 10;
static const char region_text[] = "var y[768]\nnorm(y) <= 10\n";

/* W is drawn once for the table of the paper, whose deviations over seeds are too small for it to have been drawn anew
 * each time: of the draws 0 … 9 the one whose error of Simple is nearest to the published one. A row that is divided by
 * a sum near 0 is large, so draws differ much: the second table has a draw for each seed. */
enum { DRAW = 1 };
enum { FIXED, DRAWN };

/* Of the methods that the paper has. */
static const struct published published[METHODS] = {
    [SIMPLE] = {0.071, 0.001, 0.341, 0.009, NAN, NAN},
    [LAGRANGIAN] = {0.068, 0.018, 0.912, 0.029, NAN, NAN},
    [PROJECTION] = {0.050, 0.001, 1, NAN, 0.0700, 0.1250},
    [HCR] = {0.010, 0.002, 1, NAN, 0.0001, 0.0002},
};

/* splitmix64 (Steele, Lea and Flood, 2014): the data are the same on every machine. */
static double uniform(uint64_t *state, double largest) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return largest * (2 * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53) - 1);
}

/* Rows of W sum to 1: weights keep their signs. */
static void draw_weights(uint64_t *state, double *W) {
    for (size_t j = 0; j < OUTPUTS; j++, W += INPUTS) {
        double sum = 0;
        for (size_t i = 0; i < INPUTS; i++)
            sum += W[i] = uniform(state, 10);
        for (size_t i = 0; i < INPUTS; i++)
            W[i] /= sum;
    }
}

static void draw_rows(uint64_t *state, const double *W, size_t rows, double largest, double *x, double *y) {
    for (size_t k = 0; k < rows * INPUTS; k++)
        x[k] = uniform(state, largest);
    for (size_t row = 0; row < rows; row++)
        for (size_t j = 0; j < OUTPUTS; j++) {
            double sum = 0;
            for (size_t i = 0; i < INPUTS; i++)
                sum += W[j * INPUTS + i] * x[row * INPUTS + i];
            y[row * OUTPUTS + j] = radius * sum;
        }
}

static int make_region(struct problem *problem, hcr_builder **builder) {
    hcr_error error = {0};
    if (hcr_text_build(region_text, strlen(region_text), "ball", NULL, 0, NULL, NULL, builder, &error) != HCR_OK ||
        hcr_builder_finish(*builder, &problem->region, &error) != HCR_OK)
        return report_error(&error);
    return EXIT_DONE;
}

static void name_problem(const struct experiment *experiment, size_t i, char label[32]) {
    const struct plan *plan = experiment->data;
    snprintf(label, 32, i / plan->seeds == FIXED ? "seed-%zu" : "draw-%zu", i % plan->seeds);
}

static int make(const struct experiment *experiment, size_t i, struct problem *problem) {
    const struct plan *plan = experiment->data;
    const size_t group = i / plan->seeds, seed = i % plan->seeds;
    const uint64_t draw = group == DRAWN ? seed : DRAW;
    *problem = (struct problem){
        .group = group,
        .number = seed,
        .inputs = INPUTS,
        .n = OUTPUTS,
        .train = TRAIN,
        .test = TEST,
        .x_train = values_make(TRAIN, INPUTS),
        .y_train = values_make(TRAIN, OUTPUTS),
        .x_test = values_make(TEST, INPUTS),
        .y_test = values_make(TEST, OUTPUTS),
        .unit = 1,
        .options = {.encoder = HCR_ENCODER_DENSE,
                    .hidden = 128,
                    .epochs = plan->epochs,
                    .batch = 32,
                    .rate = 1e-3,
                    .common_scale = 1,
                    .seed = seed},
        .ascent = 10,
        .smallest = NAN,
        .largest = NAN,
        .step = NAN,
    };
    name_problem(experiment, i, problem->label);
    double *W = values_make(OUTPUTS, INPUTS);
    if (W == NULL || problem->x_train == NULL || problem->y_train == NULL || problem->x_test == NULL ||
        problem->y_test == NULL) {
        free(W);
        return report_memory();
    }
    uint64_t state = draw << 32;
    draw_weights(&state, W);
    draw_rows(&state, W, TRAIN, 0.8, problem->x_train, problem->y_train);
    draw_rows(&state, W, TEST, 1, problem->x_test, problem->y_test);
    free(W);
    hcr_builder *builder = NULL;
    int code = make_region(problem, &builder);
    if (code == EXIT_DONE)
        code = problem_finish(problem, builder);
    hcr_builder_free(builder);
    return code;
}

int experiment_synthetic(const struct plan *plan, struct experiment *experiment) {
    static struct plan kept;
    kept = *plan;
    kept.seeds = plan->seeds != 0 ? plan->seeds : plan->quick ? 2 : 10;
    kept.epochs = plan->epochs != 0 ? plan->epochs : plan->quick ? 100 : 800;
    *experiment = (struct experiment){
        .name = "synthetic",
        .groups = 2,
        .group = {{"Synthetic: one draw of W, a seed for each training", "MSE", published},
                  {"Synthetic: a draw of W for each seed", "MSE", published}},
        .runs = {[SIMPLE] = 1, [LAGRANGIAN] = 1, [HCR] = 1, [DIRECT] = 1, [CONTRACT] = 1, [SOFTEN] = 1},
        .problems = 2 * kept.seeds,
        .make = make,
        .name_problem = name_problem,
        .settings = 2,
        .setting = {{"epochs", (double)kept.epochs}, {"draw", DRAW}},
        .data = &kept,
    };
    return EXIT_DONE;
}
