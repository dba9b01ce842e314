#include "command.h"
#include "options.h"
#include "parameters.h"
#include "progress.h"
#include "region_argument.h"
#include "tables.h"

#include <stdio.h>

/* Rows between two looks at the progress bar. */
enum { STRIDE = 64 };

struct job {
    struct settings settings;
    int single;

    struct opened_region opened;
    hcr_projector *projector;
    hcr_workspace *workspace; /* single precision only */
    struct results results;
    struct samples samples;
    size_t moved;
    struct tally bad, nearby;

    /* of a round */
    double *result;
    uint32_t *outcomes;
    float *steps, *corrected; /* single precision only, and so are the next three */
    double *origin;
    uint8_t *inside;
    hcr_ray *rays;
};

static void project_rows(struct job *job) {
    hcr_error error = {0};
    const struct stream *stream = &job->samples.stream;
    const size_t rows = stream->table.rows, n = stream->table.columns;
    job->result = renew(job->result, rows, n * sizeof *job->result);
    job->outcomes = renew(job->outcomes, rows, sizeof *job->outcomes);
    if (job->projector == NULL)
        must(hcr_projector_create(job->opened.region, &job->projector, &error), &error);
    struct progress progress;
    progress_begin(&progress, "projecting");
    for (size_t i = 0, count; i < rows; i += count) {
        count = rows - i < STRIDE ? rows - i : STRIDE;
        const hcr_status status =
            hcr_project(job->projector, count, parameters_of(&job->samples.parameters, i), stream->table.values + i * n,
                        job->result + i * n, job->outcomes + i, &error);
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
}

static int has_no_region(uint32_t outcome) {
    return outcome == HCR_OUTCOME_OUT_OF_RANGE || outcome == HCR_OUTCOME_NO_ORIGIN;
}

/* Rounds the projections to single precision and pulls them inwards by the margin that it needs; rows that are inside
 * as they came stay as they are. */
static void correct_to_single(struct job *job) {
    hcr_error error = {0};
    const hcr_region *region = job->opened.region;
    const struct samples *samples = &job->samples;
    const struct parameters *parameters = &samples->parameters;
    const size_t rows = samples->stream.table.rows, n = samples->stream.table.columns;
    job->steps = renew(job->steps, rows, n * sizeof *job->steps);
    job->corrected = renew(job->corrected, rows, n * sizeof *job->corrected);
    job->origin = renew(job->origin, n, sizeof *job->origin);
    job->inside = renew(job->inside, rows, 1);
    job->rays = renew(job->rays, rows, sizeof *job->rays);
    for (size_t i = 0; i < rows; i++) {
        if (has_no_region(job->outcomes[i]))
            continue;
        must(hcr_region_origin_at(region, parameters_of(parameters, i), job->origin, &error), &error);
        for (size_t j = 0; j < n; j++)
            job->steps[i * n + j] = (float)(job->result[i * n + j] - job->origin[j]);
    }
    if (job->workspace == NULL)
        must(hcr_workspace_create(region, 0, &job->workspace, &error), &error);
    must(hcr_contract_f32(region, job->workspace, rows, parameters->singles, job->steps, job->corrected, job->rays,
                          &error),
         &error);
    must(hcr_check_f32(region, rows, parameters->singles, samples->singles, job->inside, NULL, &error), &error);
    for (size_t i = 0; i < rows; i++) {
        values_from_single((job->inside[i] ? samples->singles : job->corrected) + i * n, n, job->result + i * n);
        if (!job->inside[i] && job->rays[i].outcome == HCR_OUTCOME_NO_ORIGIN)
            job->outcomes[i] = HCR_OUTCOME_NO_ORIGIN;
    }
}

static void note_outcomes(struct job *job) {
    const size_t first = job->samples.stream.first_row;
    for (size_t i = 0; i < job->samples.stream.table.rows; i++) {
        job->moved += job->outcomes[i] == HCR_OUTCOME_MOVED || job->outcomes[i] == HCR_OUTCOME_NEARBY;
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
        if (job->single)
            correct_to_single(job);
        note_outcomes(job);
        stream_write(&samples->stream, job->result);
    }
    samples_close(samples);
    report("%zu of %zu rows moved", job->moved, samples->stream.rows);
    report_rows(job->bad.count, "with values that aren't finite: the origin was written instead", job->bad.first);
    report_rows(job->nearby.count, "of which the solver found a near point inside, but not the nearest",
                job->nearby.first);
    return samples_tell_lost(samples) || job->bad.count > 0 || job->nearby.count > 0 ? EXIT_OUTSIDE : EXIT_DONE;
}

int command_project(int argc, char **argv) {
    static struct job job = {.results.path = "-"};
    const struct option_row rows[] = {
        OPTION_ROW_OUTPUT(&job.results.path),
        OPTION_ROW_SET(&job.settings),
        OPTION_ROW_PARAMETERS(&job.samples.parameters.path),
        OPTION_ROW_SINGLE(&job.single),
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
