#include "command.h"
#include "options.h"
#include "row_map.h"

#include "base/random.h"
#include "hcr/hcr_build.h"
#include "hcr/hcr_learn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
    struct row_map rows; /* first: what `compute` gets is the job */
    hcr_model *model;
    int relaxes;                /* rows whose limits contradict each other, … */
    hcr_relaxation *relaxation; /* … with this */
    size_t paths;               /* of a model of samples, of each row; 0: it is none */
    uint64_t seed;
    hcri_random random;
    double *inputs, *parameters; /* of the paths at hand: those of their rows, with noise behind the inputs */
};

/* The inputs of the paths, and their parameters. */
static void draw_noise(struct job *job) {
    const struct row_map *map = &job->rows;
    const hcr_table *table = &map->samples.stream.table;
    const struct parameters *parameters = &map->samples.parameters;
    const size_t inputs = table->columns, width = inputs + HCR_NOISE, p = hcr_region_parameters(parameters->region);
    job->inputs = renew(job->inputs, map->lines, width * sizeof *job->inputs);
    job->parameters = parameters->values == NULL ? NULL : renew(job->parameters, map->lines, p * sizeof(double));
    for (size_t i = 0; i < map->lines; i++) {
        const size_t row = i / job->paths;
        memcpy(job->inputs + i * width, table->values + row * inputs, inputs * sizeof *job->inputs);
        for (size_t j = inputs; j < width; j++)
            job->inputs[i * width + j] = hcri_random_normal(&job->random);
        if (job->parameters != NULL)
            memcpy(job->parameters + i * p, parameters_of(parameters, row), p * sizeof *job->parameters);
    }
}

/* Makes room for the number of each path in front of its values. */
static void number_paths(const struct job *job) {
    const struct row_map *map = &job->rows;
    const size_t columns = map->results.columns, n = columns - 1;
    for (size_t i = map->lines; i-- > 0;)
        if (map->single) {
            memmove(map->singles + i * columns + 1, map->singles + i * n, n * sizeof *map->singles);
            map->singles[i * columns] = (float)(i % job->paths);
        } else {
            memmove(map->values + i * columns + 1, map->values + i * n, n * sizeof *map->values);
            map->values[i * columns] = (double)(i % job->paths);
        }
}

static void compute(struct row_map *map) {
    struct job *job = (struct job *)map;
    const double *inputs = map->samples.stream.table.values, *parameters = map->samples.parameters.values;
    if (job->paths != 0) {
        draw_noise(job);
        inputs = job->inputs;
        parameters = job->parameters;
    }
    if (job->relaxation != NULL)
        must(map->single ? hcr_predict_relaxed_f32(job->model, job->relaxation, map->lines, inputs, parameters,
                                                   map->singles, map->outcomes, &failure)
                         : hcr_predict_relaxed(job->model, job->relaxation, map->lines, inputs, parameters, map->values,
                                               map->outcomes, &failure));
    else
        must(map->single
                 ? hcr_predict_f32(job->model, map->lines, inputs, parameters, map->singles, map->outcomes, &failure)
                 : hcr_predict(job->model, map->lines, inputs, parameters, map->values, map->outcomes, &failure));
    if (job->paths != 0)
        number_paths(job);
}

static void name_paths(struct job *job) {
    struct results *results = &job->rows.results;
    char **names = allocate(results->columns + 1, sizeof *names);
    names[0] = "sample_id"; /* as StatsForecast.simulate calls it */
    memcpy(names + 1, results->names, results->columns * sizeof *names);
    results->names = names;
    results->columns++;
    results->lines = job->paths;
    hcri_random_seed(&job->random, job->seed);
}

static int run(struct job *job, const char *const *operand) {
    struct row_map *rows = &job->rows;
    struct samples *samples = &rows->samples;
    must(hcr_model_load(operand[0], &job->model, &failure));
    const hcr_region *region = hcr_model_region(job->model);
    rows->results.columns = hcr_region_dimension(region);
    rows->results.names = (char **)hcr_model_output_names(job->model);
    const size_t as_trained = hcr_model_samples(job->model);
    if (job->paths != 0 && as_trained == 0)
        fail_usage("predict", "--samples is for models that `hcr fit --samples` trained");
    if (job->paths == 0)
        job->paths = as_trained;
    if (job->paths != 0)
        name_paths(job);
    samples->what = "X";
    samples->count = hcr_model_inputs(job->model) - (job->paths == 0 ? 0 : HCR_NOISE);
    samples->names = hcr_model_input_names(job->model);
    samples->column = hcr_model_parameter_columns(job->model);
    samples->parameters.region = region;
    if (job->relaxes)
        must(hcr_relaxation_create(region, &job->relaxation, &failure));
    row_map_run(rows, operand[1], compute);
    row_map_tell(rows, HCR_OUTCOME_RELAXED);
    const int any = row_map_tell(rows, HCR_OUTCOME_BAD_VALUE);
    return samples_tell_lost(samples) || any ? EXIT_OUTSIDE : EXIT_DONE;
}

int command_predict(int argc, char **argv) {
    static struct job job = {.rows.results.path = "-"};
    const struct option_row rows[] = {
        OPTION_ROW_OUTPUT(&job.rows.results.path),
        OPTION_ROW_PARAMETERS(&job.rows.samples.parameters.path),
        OPTION_ROW_SINGLE(&job.rows.single),
        OPTION(CHOICE, "on-empty", "nan|relax",
               "rows whose limits contradict each other: NaN; the prediction within limits that give as little as they "
               "can",
               &job.relaxes),
        {OPTION_COUNT, '\0', "samples", "N",
         "of a model of samples: paths of each row, numbered in the column sample_id; as many as in training",
         &job.paths, 1, 0},
        OPTION(SEED, "seed", "N", "of what is drawn for them; 0", &job.seed),
    };
    const struct usage usage = {
        .name = "predict",
        .operands = "MODEL X",
        .summary = "Writes the model's outputs for each row of the table X: inside the model's region at tolerance 0, "
                   "unless its head is simple. Columns of X are found by the names that they had in training; without "
                   "a header their number and order must be those of training.",
        .example = "hcr predict load.model x_new.csv -o forecast.csv",
        .outside = "a row had a bad value, or parameters that leave no point",
        OPTION_ROWS(rows),
    };
    const char *operand[2];
    options_parse(argc, argv, &usage, operand);
    return run(&job, operand);
}
