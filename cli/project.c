#include "command.h"
#include "options.h"
#include "parameters.h"
#include "progress.h"
#include "region_argument.h"
#include "report.h"
#include "tables.h"

#include <stdio.h>
#include <stdlib.h>

/* Rows between two looks at the progress bar. */
enum { STRIDE = 64 };

struct job {
    struct settings settings;
    int single;

    struct opened_region opened;
    hcr_projector *projector;
    hcr_workspace *workspace; /* single precision only */
    struct results results;
    struct stream stream;
    size_t moved;
    struct tally bad, nearby;

    /* of a round */
    hcr_table table;
    struct parameters parameters;
    double *result;
    uint8_t *outcomes;
    float *singles, *steps, *corrected; /* single precision only, and so are the next three */
    double *origin;
    uint8_t *inside;
    hcr_ray *rays;
};

static void release_round(struct job *job) {
    void *const memory[] = {job->result,    job->outcomes, job->singles, job->steps,
                            job->corrected, job->origin,   job->inside,  job->rays};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        free(memory[i]);
    job->result = job->origin = NULL;
    job->outcomes = job->inside = NULL;
    job->singles = job->steps = job->corrected = NULL;
    job->rays = NULL;
    hcr_table_clear(&job->table);
    parameters_clear(&job->parameters);
}

static void release(struct job *job) {
    release_round(job);
    settings_clear(&job->settings);
    hcr_projector_free(job->projector);
    hcr_workspace_free(job->workspace);
    region_close(&job->opened);
    parameters_free(&job->parameters);
    free(job->results.names);
}

static int project_rows(struct job *job) {
    hcr_error error = {0};
    const size_t rows = job->table.rows, n = job->table.columns;
    job->result = values_make(rows, n);
    job->outcomes = calloc(rows + 1, 1);
    if (job->result == NULL || job->outcomes == NULL)
        return report_memory();
    if (job->projector == NULL && hcr_projector_create(job->opened.region, &job->projector, &error) != HCR_OK)
        return report_error(&error);
    struct progress progress;
    progress_begin(&progress, "projecting");
    for (size_t i = 0, count; i < rows; i += count) {
        count = rows - i < STRIDE ? rows - i : STRIDE;
        if (hcr_project(job->projector, count, parameters_of(&job->parameters, job->opened.region, i),
                        job->table.values + i * n, job->result + i * n, job->outcomes + i, &error) != HCR_OK) {
            const hcr_error reason = error; /* which counts from here */
            snprintf(error.text, sizeof error.text, "of the rows from %zu on, %.1400s", job->stream.first_row + i,
                     reason.text);
            progress_end(&progress);
            return report_error(&error);
        }
        progress_show(&progress, stream_share(&job->stream, (double)(i + count) / (double)rows), "");
    }
    progress_end(&progress);
    return EXIT_DONE;
}

/* Rounds the projections to single precision and pulls them inwards by the margin that it needs; rows that are inside
 * as they came stay as they are. */
static int correct_to_single(struct job *job) {
    hcr_error error = {0};
    const hcr_region *region = job->opened.region;
    const size_t rows = job->table.rows, n = job->table.columns;
    job->steps = calloc(rows * n + 1, sizeof *job->steps);
    job->corrected = calloc(rows * n + 1, sizeof *job->corrected);
    job->origin = values_make(1, n);
    job->inside = calloc(rows + 1, 1);
    job->rays = calloc(rows + 1, sizeof *job->rays);
    if (job->steps == NULL || job->corrected == NULL || job->origin == NULL || job->inside == NULL || job->rays == NULL)
        return report_memory();
    for (size_t i = 0; i < rows; i++) {
        if (job->outcomes[i] == HCR_PROJECTED_NOWHERE)
            continue;
        if (hcr_region_origin_at(region, parameters_of(&job->parameters, region, i), job->origin, &error) != HCR_OK)
            return report_error(&error);
        for (size_t j = 0; j < n; j++)
            job->steps[i * n + j] = (float)(job->result[i * n + j] - job->origin[j]);
    }
    if ((job->workspace == NULL && hcr_workspace_create(region, 0, &job->workspace, &error) != HCR_OK) ||
        hcr_contract_f32(region, job->workspace, rows, job->parameters.singles, job->steps, job->corrected, job->rays,
                         &error) != HCR_OK ||
        hcr_check_f32(region, rows, job->parameters.singles, job->singles, job->inside, NULL, &error) != HCR_OK)
        return report_error(&error);
    for (size_t i = 0; i < rows; i++) {
        values_from_single((job->inside[i] ? job->singles : job->corrected) + i * n, n, job->result + i * n);
        if (!job->inside[i] && job->rays[i].outcome == HCR_NO_ORIGIN)
            job->outcomes[i] = HCR_PROJECTED_NOWHERE;
    }
    return EXIT_DONE;
}

static int round_to_single(struct job *job) {
    const size_t count = job->table.rows * job->table.columns;
    job->singles = values_to_single(job->table.values, count);
    if (job->singles == NULL)
        return report_memory();
    values_from_single(job->singles, count, job->table.values);
    return parameters_to_single(&job->parameters, job->opened.region, job->table.rows);
}

static void note_outcomes(struct job *job) {
    const size_t first = job->stream.first_row;
    for (size_t i = 0; i < job->table.rows; i++) {
        job->moved += job->outcomes[i] == HCR_PROJECTED_MOVED || job->outcomes[i] == HCR_PROJECTED_NEARBY;
        if (job->outcomes[i] == HCR_PROJECTED_NEARBY)
            tally_add(&job->nearby, first + i);
        if (job->outcomes[i] == HCR_PROJECTED_BAD_VALUE)
            tally_add(&job->bad, first + i);
        if (job->outcomes[i] == HCR_PROJECTED_NOWHERE)
            parameters_note_lost(&job->parameters, job->opened.region, first, i);
    }
}

static int do_round(struct job *job) {
    const struct results *results = &job->results;
    int code = stream_read_samples(&job->stream, results->columns, (const char *const *)results->names, "Y",
                                   job->opened.region, &job->parameters, &job->table);
    if (code == EXIT_DONE && job->single)
        code = round_to_single(job);
    if (code == EXIT_DONE)
        code = project_rows(job);
    if (code == EXIT_DONE && job->single)
        code = correct_to_single(job);
    if (code == EXIT_DONE)
        note_outcomes(job);
    return code;
}

static int pass_rows(struct job *job, const char *input) {
    struct stream *stream = &job->stream;
    int code = stream_open_samples(stream, input, job->results.columns, (const char *const *)job->results.names,
                                   job->opened.region, &job->parameters, &job->results);
    while (code == EXIT_DONE && stream_next(stream)) {
        code = do_round(job);
        if (code == EXIT_DONE)
            code = stream_write(stream, job->result);
        release_round(job);
    }
    if (code == EXIT_DONE)
        code = parameters_check_rows(&job->parameters, stream->rows);
    return stream_close(stream, code);
}

static int run(struct job *job, const char *const *operand) {
    int code = region_open(operand[0], &job->settings, &job->opened);
    if (code != EXIT_DONE)
        return code;
    job->results.names = names_of_outputs(job->opened.region, "", NULL, &job->results.columns);
    job->results.precision = job->single ? HCR_SINGLE : HCR_DOUBLE;
    code = job->results.names == NULL ? report_memory() : pass_rows(job, operand[1]);
    if (code != EXIT_DONE)
        return code;
    report("%zu of %zu rows moved", job->moved, job->stream.rows);
    report_rows(job->bad.count, "with values that aren't finite: the origin stands for them", job->bad.first);
    report_rows(job->nearby.count, "of which the solver found a near point inside, but not the nearest",
                job->nearby.first);
    return parameters_tell(&job->parameters) || job->bad.count > 0 || job->nearby.count > 0 ? EXIT_OUTSIDE : EXIT_DONE;
}

int command_project(int argc, char **argv) {
    struct job job = {.results.path = "-"};
    const struct option_row rows[] = {
        OPTION_ROW_OUTPUT(&job.results.path),
        OPTION_ROW_SET(&job.settings),
        OPTION_ROW_PARAMETERS(&job.parameters.path),
        OPTION_ROW_SINGLE(&job.single),
    };
    const struct usage usage = {
        .name = "project",
        .operands = "REGION Y",
        .summary = "Writes, for each row of the table Y, the nearest point of the region: inside at tolerance 0. Rows "
                   "that are inside come back unchanged.",
        .example = "hcr project load.region y.csv -o nearest.csv",
        .outside = "a row had a bad value, parameters that leave nothing, or a near point instead of the nearest",
        OPTION_ROWS(rows),
    };
    const char *operand[2];
    int code = options_parse(argc, argv, &usage, operand);
    if (code == OPTIONS_PARSED)
        code = run(&job, operand);
    release(&job);
    return code;
}
