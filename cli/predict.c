#include "command.h"
#include "options.h"
#include "parameters.h"
#include "plot.h"
#include "report.h"
#include "tables.h"

#include "hcr/hcr_learn.h"

#include <stdio.h>
#include <stdlib.h>

struct job {
    const char *output_path, *plot_path;
    int single;
    hcr_model *model;
    hcr_table inputs;
    struct parameters parameters;
    double *outputs;
    float *singles;
    uint32_t *outcomes;
};

static void release(struct job *job) {
    hcr_model_free(job->model);
    hcr_table_clear(&job->inputs);
    parameters_free(&job->parameters);
    free(job->outputs);
    free(job->singles);
    free(job->outcomes);
}

/* The parameters are among the model's inputs, or beside them, or in a file. */
static int read_inputs(struct job *job, const char *path) {
    const hcr_model *model = job->model;
    const size_t count = hcr_model_inputs(model);
    const char *const *names = hcr_model_input_names(model);
    if (job->parameters.path == NULL && hcr_model_parameter_columns(model) != NULL)
        return table_read_matched(path, count, names, "X", &job->inputs);
    return table_read_samples(path, count, names, "X", hcr_model_region(model), &job->parameters, &job->inputs);
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
    const size_t rows = job->inputs.rows, n = hcr_region_dimension(region);
    if (rows == 0) {
        report("no row was predicted: there is nothing to draw");
        return EXIT_DONE;
    }
    const char *bound = "lines linewidth 1.5 dashtype 2 linecolor '#888888'";
    const struct plot_line lines[] = {
        {"largest possible", bound, n, hcr_region_upper(region), 0},
        {"last row", "linespoints pointtype 7 pointsize 0.4 linewidth 2 linecolor '#1f77b4'", n,
         job->outputs + (rows - 1) * n, 0},
        {"smallest possible", bound, n, hcr_region_lower(region), 0},
    };
    return plot_draw(job->plot_path, &(struct plot){"output", "", 0, 3, lines});
}

static int run(struct job *job, const char *const *operand) {
    hcr_error error = {0};
    if (job->plot_path != NULL && !plot_path_is_fine(job->plot_path))
        return report_usage("predict", "--plot takes a file that ends in .svg or .png, not \"%s\"", job->plot_path);
    if (hcr_model_load(operand[0], &job->model, &error) != HCR_OK)
        return report_error(&error);
    int code = read_inputs(job, operand[1]);
    if (code == EXIT_DONE)
        code = find_parameters(job);
    if (code == EXIT_DONE)
        code = compute(job);
    if (code == EXIT_DONE)
        code = table_write_named(job->output_path, job->inputs.rows, hcr_region_dimension(hcr_model_region(job->model)),
                                 job->outputs, (char **)hcr_model_output_names(job->model),
                                 job->single ? HCR_SINGLE : HCR_DOUBLE);
    if (code == EXIT_DONE && job->plot_path != NULL)
        code = draw(job);
    if (code != EXIT_DONE)
        return code;
    const hcr_region *region = hcr_model_region(job->model);
    size_t bad = 0, first_bad = 0;
    for (size_t i = 0; i < job->inputs.rows; i++) {
        const uint32_t outcome = job->outcomes[i];
        if (outcome == HCR_BAD_VALUE && bad++ == 0)
            first_bad = i;
        if (outcome == HCR_OUT_OF_RANGE || outcome == HCR_NO_ORIGIN)
            parameters_note_lost(&job->parameters, region, i);
    }
    report_rows(bad, "with values that aren't finite: the origin stands for them", first_bad);
    return parameters_tell(&job->parameters, region) || bad > 0 ? EXIT_OUTSIDE : EXIT_DONE;
}

int command_predict(int argc, char **argv) {
    struct job job = {.output_path = "-"};
    const struct option_row rows[] = {
        OPTION_ROW_OUTPUT(&job.output_path),
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
