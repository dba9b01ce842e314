#include "command.h"
#include "options.h"
#include "parameters.h"
#include "plot/gnuplot.h"
#include "report.h"
#include "tables.h"

#include "hcr/hcr_build.h"
#include "hcr/hcr_learn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
    const char *plot_path;
    int single;
    hcr_model *model;
    struct results results;
    struct stream stream;
    struct tally bad;
    double *last_row, *last_parameters; /* to be drawn; NULL for a region without parameters */

    /* of a round */
    hcr_table inputs;
    struct parameters parameters;
    double *outputs;
    float *singles;
    uint32_t *outcomes;
};

static void release_round(struct job *job) {
    hcr_table_clear(&job->inputs);
    parameters_clear(&job->parameters);
    free(job->outputs);
    free(job->singles);
    free(job->outcomes);
    job->outputs = NULL;
    job->singles = NULL;
    job->outcomes = NULL;
}

static void release(struct job *job) {
    release_round(job);
    hcr_model_free(job->model);
    parameters_free(&job->parameters);
    free(job->last_row);
    free(job->last_parameters);
}

/* The parameters are among the model's inputs, or beside them, or in a file. */
static int are_inputs(const struct job *job) {
    return job->parameters.path == NULL && hcr_model_parameter_columns(job->model) != NULL;
}

static int read_inputs(struct job *job) {
    hcr_error error = {0};
    const hcr_model *model = job->model;
    const size_t count = hcr_model_inputs(model);
    const char *const *names = hcr_model_input_names(model);
    if (!are_inputs(job))
        return stream_read_samples(&job->stream, count, names, "X", hcr_model_region(model), &job->parameters,
                                   &job->inputs);
    const int code = stream_read(&job->stream, &job->inputs);
    return code == EXIT_DONE && hcr_table_match(&job->inputs, count, names, "X", &error) != HCR_OK
               ? report_error(&error)
               : code;
}

/* The parameters of every row, also where they are inputs. */
static int find_parameters(struct job *job) {
    const size_t rows = job->inputs.rows, p = hcr_region_parameters(hcr_model_region(job->model));
    const size_t *column = hcr_model_parameter_columns(job->model);
    if (job->parameters.values != NULL || column == NULL)
        return EXIT_DONE;
    job->parameters.values = values_make(rows, p);
    if (job->parameters.values == NULL)
        return report_memory();
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < p; k++)
            job->parameters.values[i * p + k] = job->inputs.values[i * job->inputs.columns + column[k]];
    return EXIT_DONE;
}

static int compute(struct job *job) {
    hcr_error error = {0};
    const size_t rows = job->inputs.rows, n = hcr_region_dimension(hcr_model_region(job->model));
    job->outputs = values_make(rows, n);
    job->outcomes = calloc(rows + 1, sizeof *job->outcomes);
    if (job->outputs == NULL || job->outcomes == NULL)
        return report_memory();
    if (!job->single)
        return hcr_predict(job->model, rows, job->inputs.values, job->parameters.values, job->outputs, job->outcomes,
                           &error) == HCR_OK
                   ? EXIT_DONE
                   : report_error(&error);
    job->singles = calloc(rows * n + 1, sizeof *job->singles);
    if (job->singles == NULL)
        return report_memory();
    if (hcr_predict_f32(job->model, rows, job->inputs.values, job->parameters.values, job->singles, job->outcomes,
                        &error) != HCR_OK)
        return report_error(&error);
    values_from_single(job->singles, rows * n, job->outputs);
    return EXIT_DONE;
}

/* Outputs first … first + count − 1 are one variable's. */
struct variable {
    char name[128];
    size_t first, count;
};

static size_t find_variables(const struct job *job, size_t n, struct variable *variable) {
    size_t count = 0;
    for (size_t j = 0; j < n; j++) {
        const char *name = hcr_model_output_names(job->model)[j];
        const size_t length = strcspn(name, "[");
        struct variable *last = count == 0 ? NULL : &variable[count - 1];
        if (last == NULL || strlen(last->name) != length || memcmp(last->name, name, length) != 0) {
            variable[count] = (struct variable){.first = j};
            snprintf(variable[count++].name, sizeof variable->name, "%.*s", (int)length, name);
        }
        variable[count - 1].count++;
    }
    return count;
}

/* A line a variable, each between its own limits. */
static int draw_row(const struct job *job, size_t n, const double *lower, const double *upper) {
    static const char *const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf"};
    enum { COLOURS = sizeof colours / sizeof *colours, STYLE = 96 };
    struct variable *variable = calloc(n + 1, sizeof *variable);
    struct plot_line *line = calloc(3 * n + 1, sizeof *line);
    char(*style)[2][STYLE] = calloc(n + 1, sizeof *style), (*title)[160] = calloc(n + 1, sizeof *title);
    int code = EXIT_DONE;
    if (variable == NULL || line == NULL || style == NULL || title == NULL) {
        code = report_memory();
    } else {
        const size_t variables = find_variables(job, n, variable);
        for (size_t k = 0; k < variables; k++) {
            const struct variable *v = &variable[k];
            const char *colour = colours[k % COLOURS], *marks = v->count == 1 ? "points" : "linespoints";
            snprintf(style[k][0], STYLE, "%s pointtype 7 pointsize 0.4 linewidth 2 linecolor '%s'", marks, colour);
            snprintf(style[k][1], STYLE, "%s linewidth 1.5 %s linecolor '%s'", v->count == 1 ? "points" : "lines",
                     v->count == 1 ? "pointtype 2" : "dashtype 2", variables == 1 ? "#888888" : colour);
            snprintf(title[k], sizeof title[k], "limits of %s", v->name);
            line[3 * k] = (struct plot_line){v->name, style[k][0], v->count, job->last_row + v->first, 0};
            line[3 * k + 1] = (struct plot_line){title[k], style[k][1], v->count, upper + v->first, 0};
            line[3 * k + 2] = (struct plot_line){NULL, style[k][1], v->count, lower + v->first, 0};
        }
        code = plot_draw(job->plot_path, &(struct plot){"index", "last row", 0, 3 * variables, line});
    }
    free(variable);
    free(line);
    free(style);
    free(title);
    return code;
}

/* The largest and smallest value of each output at the last row's parameters: what is nearest to points far out. */
static int find_limits(const struct job *job, size_t n, double *lower, double *upper) {
    enum { FAR = 1000 }; /* in widths of the region: a value is off by less than a width in FAR */
    const hcr_region *region = hcr_model_region(job->model);
    hcr_projector *projector = NULL;
    hcr_error error = {0};
    double *point = values_make(2, n), *nearest = point + n;
    hcr_status status = point == NULL ? HCR_ERROR_MEMORY : hcr_projector_create(region, &projector, &error);
    for (size_t k = 0; k < 2 * n && status == HCR_OK; k++) {
        const size_t j = k / 2;
        const double width = hcr_region_upper(region)[j] - hcr_region_lower(region)[j];
        memcpy(point, job->last_row, n * sizeof *point);
        point[j] += k % 2 == 0 ? -FAR * width : FAR * width;
        if (isfinite(width))
            status = hcr_project(projector, 1, job->last_parameters, point, nearest, NULL, &error);
        (k % 2 == 0 ? lower : upper)[j] = isfinite(width) ? nearest[j] : (double)NAN;
    }
    hcr_projector_free(projector);
    free(point);
    return status == HCR_OK ? EXIT_DONE : status == HCR_ERROR_MEMORY ? report_memory() : report_error(&error);
}

/* The last row, of windows over a series the latest, between the bounds of the region, or its own with parameters. */
static int draw(const struct job *job) {
    const hcr_region *region = hcr_model_region(job->model);
    const size_t n = hcr_region_dimension(region);
    if (job->stream.rows == 0 || isnan(job->last_row[0])) {
        report(job->stream.rows == 0 ? "no row was predicted: there is nothing to draw"
                                     : "the last row has no prediction: there is nothing to draw");
        return EXIT_DONE;
    }
    if (job->last_parameters == NULL)
        return draw_row(job, n, hcr_region_lower(region), hcr_region_upper(region));
    double *lower = values_make(2, n), *upper = lower + n;
    int code = lower == NULL ? report_memory() : find_limits(job, n, lower, upper);
    if (code == EXIT_DONE)
        code = draw_row(job, n, lower, upper);
    free(lower);
    return code;
}

static void note_outcomes(struct job *job) {
    const size_t first = job->stream.first_row;
    for (size_t i = 0; i < job->inputs.rows; i++) {
        const uint32_t outcome = job->outcomes[i];
        if (outcome == HCR_BAD_VALUE)
            tally_add(&job->bad, first + i);
        if (outcome == HCR_OUT_OF_RANGE || outcome == HCR_NO_ORIGIN)
            parameters_note_lost(&job->parameters, hcr_model_region(job->model), first, i);
    }
}

static int do_round(struct job *job) {
    int code = read_inputs(job);
    if (code == EXIT_DONE)
        code = find_parameters(job);
    if (code == EXIT_DONE)
        code = compute(job);
    if (code == EXIT_DONE)
        note_outcomes(job);
    return code;
}

static void keep_last(struct job *job, size_t row) {
    const hcr_region *region = hcr_model_region(job->model);
    const size_t n = job->results.columns;
    const double *x = parameters_of(&job->parameters, region, row);
    memcpy(job->last_row, job->outputs + row * n, n * sizeof *job->last_row);
    if (x != NULL)
        memcpy(job->last_parameters, x, hcr_region_parameters(region) * sizeof *x);
}

static int pass_rows(struct job *job, const char *input) {
    struct stream *stream = &job->stream;
    const size_t count = hcr_model_inputs(job->model);
    const char *const *names = hcr_model_input_names(job->model);
    int code = are_inputs(job) ? stream_open(stream, input, count, names, &job->results)
                               : stream_open_samples(stream, input, count, names, hcr_model_region(job->model),
                                                     &job->parameters, &job->results);
    while (code == EXIT_DONE && stream_next(stream)) {
        code = do_round(job);
        if (code == EXIT_DONE)
            code = stream_write(stream, job->outputs);
        if (code == EXIT_DONE && job->last_row != NULL && stream->part_rows > 0)
            keep_last(job, stream->part_rows - 1);
        release_round(job);
    }
    if (code == EXIT_DONE)
        code = parameters_check_rows(&job->parameters, stream->rows);
    return stream_close(stream, code);
}

static int run(struct job *job, const char *const *operand) {
    hcr_error error = {0};
    if (job->plot_path != NULL && !gnuplot_can_write(job->plot_path))
        return report_usage("predict", "--plot takes a file that ends in .svg or .png, not \"%s\"", job->plot_path);
    int code = hcr_model_load(operand[0], &job->model, &error) == HCR_OK ? EXIT_DONE : report_error(&error);
    if (code != EXIT_DONE)
        return code;
    job->results.columns = hcr_region_dimension(hcr_model_region(job->model));
    job->results.names = (char **)hcr_model_output_names(job->model);
    job->results.precision = job->single ? HCR_SINGLE : HCR_DOUBLE;
    const size_t p = hcr_region_parameters(hcr_model_region(job->model));
    if (job->plot_path != NULL && ((job->last_row = values_make(1, job->results.columns)) == NULL ||
                                   (p > 0 && (job->last_parameters = values_make(1, p)) == NULL)))
        return report_memory();
    code = pass_rows(job, operand[1]);
    if (code == EXIT_DONE && job->plot_path != NULL)
        code = draw(job);
    if (code != EXIT_DONE)
        return code;
    report_rows(job->bad.count, "with values that aren't finite: the origin stands for them", job->bad.first);
    return parameters_tell(&job->parameters) || job->bad.count > 0 ? EXIT_OUTSIDE : EXIT_DONE;
}

int command_predict(int argc, char **argv) {
    struct job job = {.results.path = "-"};
    const struct option_row rows[] = {
        OPTION_ROW_OUTPUT(&job.results.path),
        OPTION_ROW_PARAMETERS(&job.parameters.path),
        OPTION_ROW_SINGLE(&job.single),
        {OPTION_TEXT, '\0', "plot", "FILE",
         "draw the last row, between the bounds of the region, into FILE.svg or FILE.png (gnuplot)", &job.plot_path, 0,
         0},
    };
    const struct usage usage = {
        .name = "predict",
        .operands = "MODEL X",
        .summary =
            "Writes the model's outputs for each row of the table X: inside the model's region at tolerance 0, "
            "unless its head is simple. Columns of X are found by the names that they had in training; without a "
            "header their number and order must be those of training.",
        .example = "hcr predict load.model x_new.csv -o forecast.csv",
        .outside = "a row had a bad value, or parameters that leave nothing",
        OPTION_ROWS(rows),
    };
    const char *operand[2];
    int code = options_parse(argc, argv, &usage, operand);
    if (code == OPTIONS_PARSED)
        code = run(&job, operand);
    release(&job);
    return code;
}
