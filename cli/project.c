#include "command.h"
#include "options.h"
#include "parameters.h"
#include "progress.h"
#include "region.h"
#include "report.h"
#include "tables.h"

#include <stdio.h>
#include <stdlib.h>

/* Rows between two looks at the progress bar. */
enum { STRIDE = 64 };

struct job {
    const char *output_path;
    struct settings settings;
    int single;

    struct opened_region opened;
    hcr_projector *projector;
    hcr_workspace *workspace; /* single precision only, and so are the next six */
    float *singles, *steps, *corrected;
    double *origin;
    uint8_t *inside;
    hcr_ray *rays;
    hcr_table table;
    struct parameters parameters;
    double *result;
    uint8_t *outcomes;
    char **names;
};

static void release(struct job *job) {
    settings_clear(&job->settings);
    hcr_projector_free(job->projector);
    hcr_workspace_free(job->workspace);
    region_close(&job->opened);
    hcr_table_clear(&job->table);
    parameters_free(&job->parameters);
    free(job->singles);
    free(job->steps);
    free(job->corrected);
    free(job->origin);
    free(job->inside);
    free(job->rays);
    free(job->result);
    free(job->outcomes);
    free(job->names);
}

static int project_rows(struct job *job) {
    hcr_error error = {0};
    const size_t rows = job->table.rows, n = job->table.columns;
    job->result = values_make(rows, n);
    job->outcomes = calloc(rows + 1, 1);
    if (job->result == NULL || job->outcomes == NULL)
        return report_memory();
    if (hcr_projector_create(job->opened.region, &job->projector, &error) != HCR_OK)
        return report_error(&error);
    struct progress progress;
    progress_begin(&progress, "projecting");
    hcr_status status = HCR_OK;
    for (size_t i = 0; i < rows && status == HCR_OK; i += STRIDE) {
        const size_t count = rows - i < STRIDE ? rows - i : STRIDE;
        status = hcr_project(job->projector, count, parameters_of(&job->parameters, job->opened.region, i),
                             job->table.values + i * n, job->result + i * n, job->outcomes + i, &error);
        progress_show(&progress, (double)(i + count) / (double)rows, "");
    }
    progress_end(&progress);
    return status == HCR_OK ? EXIT_DONE : report_error(&error);
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
    if (hcr_workspace_create(region, 0, &job->workspace, &error) != HCR_OK ||
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

static int run(struct job *job, const char *const *operand) {
    int code = region_open(operand[0], &job->settings, &job->opened);
    if (code == EXIT_DONE)
        code = table_read_sample_points(operand[1], "Y", job->opened.region, &job->parameters, &job->table);
    if (code != EXIT_DONE)
        return code;
    const size_t rows = job->table.rows, n = job->table.columns;
    if (job->single) {
        job->singles = values_to_single(job->table.values, rows * n);
        if (job->singles == NULL)
            return report_memory();
        values_from_single(job->singles, rows * n, job->table.values);
        code = parameters_to_single(&job->parameters, job->opened.region, rows);
        if (code != EXIT_DONE)
            return code;
    }
    code = project_rows(job);
    if (code == EXIT_DONE && job->single)
        code = correct_to_single(job);
    if (code != EXIT_DONE)
        return code;
    size_t columns, moved = 0, bad = 0, first_bad = 0;
    job->names = names_of_outputs(job->opened.region, "", NULL, &columns);
    if (job->names == NULL)
        return report_memory();
    code = table_write_named(job->output_path, rows, n, job->result, job->names, job->single ? HCR_SINGLE : HCR_DOUBLE);
    if (code != EXIT_DONE)
        return code;
    for (size_t i = 0; i < rows; i++) {
        moved += job->outcomes[i] == HCR_PROJECTED_MOVED;
        if (job->outcomes[i] == HCR_PROJECTED_BAD_VALUE && bad++ == 0)
            first_bad = i;
        if (job->outcomes[i] == HCR_PROJECTED_NOWHERE)
            parameters_note_lost(&job->parameters, job->opened.region, i);
    }
    report("%zu of %zu rows moved", moved, rows);
    report_rows(bad, "with values that aren't finite: the origin stands for them", first_bad);
    return parameters_tell(&job->parameters, job->opened.region) || bad > 0 ? EXIT_OUTSIDE : EXIT_DONE;
}

int command_project(int argc, char **argv) {
    struct job job = {.output_path = "-"};
    const struct option_row rows[] = {
        OPTION_ROW_OUTPUT(&job.output_path),
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
