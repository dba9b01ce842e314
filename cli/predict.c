#include "command.h"
#include "options.h"
#include "parameters.h"
#include "plot.h"
#include "report.h"
#include "tables.h"

#include "hcr/hcr_learn.h"

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
    double *last_row; /* of the results, to be drawn */

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

/* The last row between the bounds of the region: of windows over a series, the latest. */
static int draw(const struct job *job) {
    const hcr_region *region = hcr_model_region(job->model);
    const size_t n = hcr_region_dimension(region);
    if (job->stream.rows == 0) {
        report("no row was predicted: there is nothing to draw");
        return EXIT_DONE;
    }
    const char *bound = "lines linewidth 1.5 dashtype 2 linecolor '#888888'";
    const struct plot_line lines[] = {
        {"largest possible", bound, n, hcr_region_upper(region), 0},
        {"last row", "linespoints pointtype 7 pointsize 0.4 linewidth 2 linecolor '#1f77b4'", n, job->last_row, 0},
        {"smallest possible", bound, n, hcr_region_lower(region), 0},
    };
    return plot_draw(job->plot_path, &(struct plot){"output", "", 0, 3, lines});
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

static int pass_rows(struct job *job, const char *input) {
    struct stream *stream = &job->stream;
    const size_t count = hcr_model_inputs(job->model);
    int code = stream_open(
        stream, input, are_inputs(job) ? count : sample_columns(count, hcr_model_region(job->model), &job->parameters),
        &job->results);
    while (code == EXIT_DONE && stream_next(stream)) {
        code = do_round(job);
        if (code == EXIT_DONE)
            code = stream_write(stream, job->outputs);
        if (code == EXIT_DONE && job->last_row != NULL && stream->part_rows > 0)
            memcpy(job->last_row, job->outputs + (stream->part_rows - 1) * job->results.columns,
                   job->results.columns * sizeof *job->last_row);
        release_round(job);
    }
    if (code == EXIT_DONE)
        code = parameters_check_rows(&job->parameters, stream->rows);
    return stream_close(stream, code);
}

static int run(struct job *job, const char *const *operand) {
    hcr_error error = {0};
    if (job->plot_path != NULL && !plot_path_is_fine(job->plot_path))
        return report_usage("predict", "--plot takes a file that ends in .svg or .png, not \"%s\"", job->plot_path);
    int code = hcr_model_load(operand[0], &job->model, &error) == HCR_OK ? EXIT_DONE : report_error(&error);
    if (code != EXIT_DONE)
        return code;
    job->results.columns = hcr_region_dimension(hcr_model_region(job->model));
    job->results.names = (char **)hcr_model_output_names(job->model);
    job->results.precision = job->single ? HCR_SINGLE : HCR_DOUBLE;
    if (job->plot_path != NULL && (job->last_row = values_make(1, job->results.columns)) == NULL)
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
