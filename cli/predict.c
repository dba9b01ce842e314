#include "command.h"
#include "options.h"
#include "plot/gnuplot.h"
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
    const char *plot_path;
    hcr_model *model;
    int relaxes;                /* rows whose limits contradict each other, … */
    hcr_relaxation *relaxation; /* … with this */
    size_t paths;               /* of a model of samples, of each row; 0: it is none */
    uint64_t seed;
    hcri_random random;
    double *inputs, *parameters;        /* of the paths at hand: those of their rows, with noise behind the inputs */
    double *last_row, *last_parameters; /* to be drawn; NULL for a region without parameters */
};

static void keep_last(struct job *job) {
    const struct row_map *map = &job->rows;
    const struct parameters *parameters = &map->samples.parameters;
    const size_t n = hcr_region_dimension(parameters->region), row = map->samples.stream.table.rows - 1;
    const double *last = map->values + map->lines * map->results.columns - n;
    const float *last_single = map->singles + map->lines * map->results.columns - n;
    const size_t p = hcr_region_parameters(parameters->region);
    job->last_row = renew(job->last_row, n, sizeof *job->last_row);
    for (size_t j = 0; j < n; j++)
        job->last_row[j] = map->single ? last_single[j] : last[j];
    if (p > 0)
        job->last_parameters = memcpy(renew(job->last_parameters, p, sizeof *job->last_parameters),
                                      parameters_of(parameters, row), p * sizeof *job->last_parameters);
}

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
    if (map->lines > 0)
        keep_last(job);
}

/* Outputs first … first + count − 1, as they are drawn, are one variable's, or its quantiles' of one level. */
struct variable {
    char name[128];
    size_t first, count;
};

/* Output k of the picture: quantiles level by level. */
static size_t drawn(const struct job *job, size_t n, size_t k) {
    size_t levels;
    if (hcr_model_quantiles(job->model, &levels) == NULL)
        return k;
    return k % (n / levels) * levels + k / (n / levels);
}

static double *in_drawn_order(const struct job *job, size_t n, const double *values) {
    double *ordered = allocate(n, sizeof *ordered);
    for (size_t k = 0; k < n; k++)
        ordered[k] = values[drawn(job, n, k)];
    return ordered;
}

/* "load[3]@0.9" is of "load@0.9", "load[north,3]@0.9" of "load[north]@0.9". */
static size_t find_variables(const struct job *job, size_t n, struct variable *variable) {
    size_t count = 0;
    for (size_t k = 0; k < n; k++) {
        const char *output = hcr_model_output_names(job->model)[drawn(job, n, k)], *level = strchr(output, '@');
        char name[sizeof variable->name];
        const size_t row = strcspn(output, ",@");
        const int is_matrix = output[row] == ',';
        snprintf(name, sizeof name, "%.*s%s%s", (int)(is_matrix ? row : strcspn(output, "[@")), output,
                 is_matrix ? "]" : "", level == NULL ? "" : level);
        if (count == 0 || strcmp(variable[count - 1].name, name) != 0) {
            variable[count] = (struct variable){.first = k};
            memcpy(variable[count++].name, name, sizeof name);
        }
        variable[count - 1].count++;
    }
    return count;
}

/* A line a variable, each between its own limits. */
static void draw_row(const struct job *job, size_t n, const double *lower, const double *upper) {
    static const char *const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf"};
    enum { COLOURS = sizeof colours / sizeof *colours, STYLE = 96 };
    struct variable *variable = allocate(n, sizeof *variable);
    struct plot_line *line = allocate(3 * n, sizeof *line);
    char(*style)[2][STYLE] = allocate(n, sizeof *style), (*title)[160] = allocate(n, sizeof *title);
    const size_t variables = find_variables(job, n, variable);
    double *row = in_drawn_order(job, n, job->last_row);
    double *low = in_drawn_order(job, n, lower), *high = in_drawn_order(job, n, upper);
    for (size_t k = 0; k < variables; k++) {
        const struct variable *v = &variable[k];
        const char *colour = colours[k % COLOURS], *marks = v->count == 1 ? "points" : "linespoints";
        snprintf(style[k][0], STYLE, "%s pointtype 7 pointsize 0.4 linewidth 2 linecolor '%s'", marks, colour);
        snprintf(style[k][1], STYLE, "%s linewidth 1.5 %s linecolor '%s'", v->count == 1 ? "points" : "lines",
                 v->count == 1 ? "pointtype 2" : "dashtype 2", variables == 1 ? "#888888" : colour);
        snprintf(title[k], sizeof title[k], "limits of %s", v->name);
        line[3 * k] = (struct plot_line){v->name, style[k][0], v->count, row + v->first, 0};
        line[3 * k + 1] = (struct plot_line){title[k], style[k][1], v->count, high + v->first, 0};
        line[3 * k + 2] = (struct plot_line){NULL, style[k][1], v->count, low + v->first, 0};
    }
    plot_draw(job->plot_path, &(struct plot){"index", "last row", 0, 3 * variables, line});
    free(row);
    free(low);
    free(high);
    free(variable);
    free(line);
    free(style);
    free(title);
}

/* The largest and smallest value of each output at the last row's parameters: what is nearest to points far out. */
static void find_limits(const struct job *job, size_t n, double *lower, double *upper) {
    enum { FAR = 1000 }; /* in widths of the region: a value is off by less than a width in FAR */
    const hcr_region *region = hcr_model_region(job->model);
    hcr_projector *projector = NULL;
    double *point = allocate(2 * n, sizeof *point), *nearest = point + n;
    must(hcr_projector_create(region, NULL, &projector, &failure));
    for (size_t k = 0; k < 2 * n; k++) {
        const size_t j = k / 2;
        const double width = hcr_region_upper(region)[j] - hcr_region_lower(region)[j];
        memcpy(point, job->last_row, n * sizeof *point);
        point[j] += k % 2 == 0 ? -FAR * width : FAR * width;
        if (isfinite(width))
            must(hcr_project(projector, 1, job->last_parameters, point, nearest, NULL, NULL, &failure));
        (k % 2 == 0 ? lower : upper)[j] = isfinite(width) ? nearest[j] : (double)NAN;
    }
    hcr_projector_free(projector);
    free(point);
}

/* The last row, of windows over a series the latest, between the bounds of the region, or its own with parameters. */
static void draw(const struct job *job) {
    const hcr_region *region = hcr_model_region(job->model);
    const size_t n = hcr_region_dimension(region), rows = job->rows.samples.stream.rows;
    if (rows == 0 || isnan(job->last_row[0])) {
        report(rows == 0 ? "no row was predicted: there is nothing to draw"
                         : "the last row has no prediction: there is nothing to draw");
        return;
    }
    if (job->last_parameters == NULL) {
        draw_row(job, n, hcr_region_lower(region), hcr_region_upper(region));
        return;
    }
    double *lower = allocate(2 * n, sizeof *lower), *upper = lower + n;
    find_limits(job, n, lower, upper);
    draw_row(job, n, lower, upper);
    free(lower);
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
    if (job->plot_path != NULL && !gnuplot_can_write(job->plot_path))
        fail_usage("predict", "--plot takes a file that ends in .svg or .png, not \"%s\"", job->plot_path);
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
    if (job->plot_path != NULL)
        draw(job);
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
        OPTION(TEXT, "plot", "FILE",
               "draw the last row, between the bounds of the region, into FILE.svg or FILE.png (gnuplot)",
               &job.plot_path),
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
