#include "command.h"
#include "options.h"
#include "parameters.h"
#include "progress.h"
#include "region_argument.h"
#include "tables.h"

#include <stdio.h>

/* Rows between two looks at the progress bar. */
enum { STRIDE = 256 };

struct job {
    struct settings settings;
    int single, linear;
    const char *metric;

    struct opened_region opened;
    hcr_projector *projector;
    struct results results;
    struct samples samples;
    size_t moved;
    struct tally bad, nearby, rounded;

    /* of a round */
    double *result;
    float *singles;
    uint32_t *outcomes;
};

/* Q from the file of --metric: a row is a diagonal. */
static void make_projector(struct job *job) {
    hcr_error error = {0};
    const hcr_region *region = job->opened.region;
    const size_t n = hcr_region_dimension(region);
    hcr_table table = {0};
    hcr_quadratic metric = {.form = HCR_QUADRATIC_DENSE};
    hcr_projector_options options = HCR_PROJECTOR_OPTIONS_INIT;
    options.threads = 0;
    options.linear = job->linear;
    if (job->metric != NULL) {
        table_read_points(job->metric, region, "the metric", &table);
        if (table.rows != 1 && table.rows != n)
            fail(EXIT_INPUT, "%s: a metric of %zu rows: one is a diagonal, %zu are a matrix", job->metric, table.rows,
                 n);
        metric.form = table.rows == 1 ? HCR_QUADRATIC_DIAGONAL : HCR_QUADRATIC_DENSE;
        metric.matrix = table.values;
        options.metric = &metric;
    }
    must(hcr_projector_create(region, &options, &job->projector, &error), &error);
    hcr_table_clear(&table);
    if (hcr_projector_regularisation(job->projector) != 0)
        report("%.9g was added to the diagonal of the metric, which isn't positive definite",
               hcr_projector_regularisation(job->projector));
}

static void project_rows(struct job *job) {
    hcr_error error = {0};
    const struct stream *stream = &job->samples.stream;
    const struct parameters *parameters = &job->samples.parameters;
    const size_t rows = stream->table.rows, n = stream->table.columns, p = hcr_region_parameters(job->opened.region);
    job->result = renew(job->result, rows, n * sizeof *job->result);
    job->outcomes = renew(job->outcomes, rows, sizeof *job->outcomes);
    if (job->single)
        job->singles = renew(job->singles, rows, n * sizeof *job->singles);
    if (job->projector == NULL)
        make_projector(job);
    struct progress progress;
    progress_begin(&progress, "projecting");
    for (size_t i = 0, count; i < rows; i += count) {
        count = rows - i < STRIDE ? rows - i : STRIDE;
        const hcr_status status =
            job->single
                ? hcr_project_f32(job->projector, count, p == 0 ? NULL : parameters->singles + i * p,
                                  job->samples.singles + i * n, job->singles + i * n, job->outcomes + i, NULL, &error)
                : hcr_project(job->projector, count, parameters_of(parameters, i), stream->table.values + i * n,
                              job->result + i * n, job->outcomes + i, NULL, &error);
        if (status != HCR_OK) {
            const hcr_error reason = error; /* which counts from here */
            snprintf(error.text, sizeof error.text, "of the rows from %zu on, %.1400s", stream->first_row + i,
                     reason.text);
            progress_end(&progress);
            must(status, &error);
        }
        progress_show(&progress, stream_share(stream, (double)(i + count) / (double)rows), "");
    }
    progress_end(&progress);
    if (job->single)
        values_from_single(job->singles, rows * n, job->result);
}

static int has_no_region(uint32_t outcome) {
    return outcome == HCR_OUTCOME_OUT_OF_RANGE || outcome == HCR_OUTCOME_NO_ORIGIN;
}

static void note_outcomes(struct job *job) {
    const size_t first = job->samples.stream.first_row;
    for (size_t i = 0; i < job->samples.stream.table.rows; i++) {
        job->moved += job->outcomes[i] == HCR_OUTCOME_MOVED || job->outcomes[i] == HCR_OUTCOME_NEARBY ||
                      job->outcomes[i] == HCR_OUTCOME_TO_ROUNDING;
        if (job->outcomes[i] == HCR_OUTCOME_TO_ROUNDING)
            tally_add(&job->rounded, first + i);
        if (job->outcomes[i] == HCR_OUTCOME_NEARBY)
            tally_add(&job->nearby, first + i);
        if (job->outcomes[i] == HCR_OUTCOME_BAD_VALUE)
            tally_add(&job->bad, first + i);
        if (has_no_region(job->outcomes[i]))
            samples_note_lost(&job->samples, i);
    }
}

static int run(struct job *job, const char *const *operand) {
    struct samples *samples = &job->samples;
    region_open(operand[0], &job->settings, &job->opened);
    job->results.names = names_of_outputs(job->opened.region, "", NULL, &job->results.columns);
    job->results.precision = job->single ? HCR_SINGLE : HCR_DOUBLE;
    samples->what = "Y";
    samples->count = job->results.columns;
    samples->names = (const char *const *)job->results.names;
    samples->parameters.region = job->opened.region;
    samples_open(samples, operand[1], &job->results);
    while (samples_next(samples)) {
        if (job->single)
            samples_to_single(samples);
        project_rows(job);
        note_outcomes(job);
        stream_write(&samples->stream, job->result);
    }
    samples_close(samples);
    report("%zu of %zu rows moved", job->moved, samples->stream.rows);
    report_rows(job->bad.count, "with values that aren't finite: the origin was written instead", job->bad.first);
    report_rows(job->nearby.count, "of which the solver found a near point inside, but not the nearest",
                job->nearby.first);
    report_rows(job->rounded.count, "with rows that their parameters leave one value: they hold up to rounding",
                job->rounded.first);
    return samples_tell_lost(samples) || job->bad.count > 0 || job->nearby.count > 0 ? EXIT_OUTSIDE : EXIT_DONE;
}

int command_project(int argc, char **argv) {
    static struct job job = {.results.path = "-"};
    const struct option_row rows[] = {
        OPTION_ROW_OUTPUT(&job.results.path),
        OPTION_ROW_SET(&job.settings),
        OPTION_ROW_PARAMETERS(&job.samples.parameters.path),
        OPTION_ROW_SINGLE(&job.single),
        {OPTION_READ, '\0', "metric", "FILE",
         "Q of the distance (y − v)'Q(y − v), in columns of the outputs' names: a row of weights, or a matrix",
         &job.metric, 0, 0},
        {OPTION_FLAG, '\0', "linear", NULL,
         "rows of Y are linear terms p: write the point that minimises ½ y'Qy + p'y, of --metric or Q = 0", &job.linear,
         0, 0},
    };
    const struct usage usage = {
        .name = "project",
        .operands = "REGION Y",
        .summary = "Writes, for each row of the table Y, the nearest point of the region: inside at tolerance 0. Rows "
                   "that are inside come back unchanged.",
        .example = "hcr project load.region y.csv -o nearest.csv",
        .outside = "a row had a bad value, parameters that leave no point, or a near point instead of the nearest",
        OPTION_ROWS(rows),
    };
    const char *operand[2];
    options_parse(argc, argv, &usage, operand);
    return run(&job, operand);
}
