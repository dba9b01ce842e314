#include "command.h"
#include "options.h"
#include "progress.h"
#include "region_argument.h"
#include "relaxed_rows.h"
#include "tables.h"

#include <stdio.h>

/* Rows between two looks at the progress bar. */
enum { STRIDE = 256 };

struct job {
    struct row_map rows; /* first: what `project_rows` gets is the job */
    struct settings settings;
    bool linear;
    const char *metric;
    struct opened_region opened;
    hcr_projector *projector;
    struct relaxed_rows relaxed;
};

/* Q from the file of --metric: a row is a diagonal. */
static void make_projector(struct job *job) {
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
    must(hcr_projector_create(region, &options, &job->projector, &failure));
    hcr_table_clear(&table);
    if (hcr_projector_regularisation(job->projector) != 0)
        report("%.9g was added to the diagonal of the metric, which isn't positive definite",
               hcr_projector_regularisation(job->projector));
}

static void project_rows(struct row_map *map) {
    struct job *job = (struct job *)map;
    struct samples *samples = &map->samples;
    const struct stream *stream = &samples->stream;
    const struct parameters *parameters = &samples->parameters;
    const size_t rows = stream->table.rows, n = stream->table.columns;
    if (map->single)
        samples_to_single(samples);
    if (job->projector == NULL)
        make_projector(job);
    relax_rows(&job->relaxed, map, n, NULL, NULL);
    struct progress progress;
    progress_begin(&progress, "projecting");
    for (size_t i = 0, count; (count = relaxed_others(&job->relaxed, rows, &i)) > 0; i += count) {
        count = count < STRIDE ? count : STRIDE;
        const hcr_status status =
            map->single
                ? hcr_project_f32(job->projector, count, parameters_single(parameters, i), samples->singles + i * n,
                                  map->singles + i * n, map->outcomes + i, NULL, &failure)
                : hcr_project(job->projector, count, parameters_of(parameters, i), stream->table.values + i * n,
                              map->values + i * n, map->outcomes + i, NULL, &failure);
        if (status != HCR_OK) {
            const hcr_error reason = failure; /* which counts from here */
            snprintf(failure.text, sizeof failure.text, "of the rows from %zu on, %.1400s", stream->first_row + i,
                     reason.text);
            progress_end(&progress);
            must(status);
        }
        progress_show(&progress, stream_share(stream, (double)(i + count) / (double)rows), "");
    }
    progress_end(&progress);
}

static int run(struct job *job, const char *const *operand) {
    struct row_map *rows = &job->rows;
    struct samples *samples = &rows->samples;
    region_open(operand[0], &job->settings, &job->opened);
    rows->results.names = names_of_outputs(job->opened.region, "", NULL, &rows->results.columns);
    samples->what = "Y";
    samples->count = rows->results.columns;
    samples->names = (const char *const *)rows->results.names;
    samples->parameters.region = job->opened.region;
    row_map_run(rows, operand[1], project_rows);
    report("%zu of %zu rows moved",
           rows->outcome[HCR_OUTCOME_MOVED].count + rows->outcome[HCR_OUTCOME_NEARBY].count +
               rows->outcome[HCR_OUTCOME_TO_ROUNDING].count,
           samples->stream.rows);
    const int any = row_map_tell(rows, HCR_OUTCOME_BAD_VALUE) | row_map_tell(rows, HCR_OUTCOME_NEARBY);
    row_map_tell(rows, HCR_OUTCOME_TO_ROUNDING);
    row_map_tell(rows, HCR_OUTCOME_RELAXED);
    row_map_tell(rows, HCR_OUTCOME_DEPENDENT);
    return samples_tell_lost(samples) || any ? EXIT_OUTSIDE : EXIT_DONE;
}

int command_project(int argc, char **argv) {
    static struct job job = {.rows.results.path = "-"};
    const struct option_row rows[] = {
        OPTION_ROW_OUTPUT(&job.rows.results.path),
        OPTION_ROW_SET(&job.settings),
        OPTION_ROW_PARAMETERS(&job.rows.samples.parameters.path),
        OPTION_ROW_SINGLE(&job.rows.single),
        OPTION(READ, "metric", "FILE",
               "Q of the distance (y − v)'Q(y − v), in columns of the outputs' names: a row of weights, or a matrix",
               &job.metric),
        OPTION(FLAG, "linear", NULL,
               "rows of Y are linear terms p: write the point that minimises ½ y'Qy + p'y, of --metric or Q = 0",
               &job.linear),
        OPTION_ROW_ON_EMPTY(&job.relaxed.on_empty),
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
    if (job.relaxed.on_empty != ON_EMPTY_NAN && (job.linear || job.metric != NULL))
        fail_usage("project", "--on-empty is for nearest points by the plain distance");
    return run(&job, operand);
}
