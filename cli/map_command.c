#include "map_command.h"

#include "command.h"
#include "options.h"
#include "parameters.h"
#include "region_argument.h"
#include "report.h"
#include "tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    const struct map *map;
    const char *region_path, *input_path, *output_path;
    struct settings settings;
    int single, stats, method;
    size_t threads, most_iterations;
    double base_multiplier;

    struct opened_region opened;
    hcr_workspace *workspace;
    size_t columns_in;
    char **names_in;
    struct results results;
    struct stream stream;
    struct tally outcome[HCR_NO_ORIGIN + 1], off; /* off the equalities, though r <= 1 */

    /* of a round */
    hcr_table table;
    struct parameters parameters;
    double *result;
    float *single_input, *single_result;
    hcr_ray *rays;
};

static void release_round(struct job *job) {
    hcr_table_clear(&job->table);
    parameters_clear(&job->parameters);
    free(job->result);
    free(job->single_input);
    free(job->single_result);
    free(job->rays);
    job->result = NULL;
    job->single_input = job->single_result = NULL;
    job->rays = NULL;
}

static void release(struct job *job) {
    release_round(job);
    settings_clear(&job->settings);
    hcr_workspace_free(job->workspace);
    region_close(&job->opened);
    parameters_free(&job->parameters);
    free(job->names_in);
    free(job->results.names);
}

static int prepare(struct job *job) {
    hcr_error error = {0};
    int code = region_open_placed(job->region_path, &job->settings, &job->opened);
    if (code != EXIT_DONE)
        return code;
    const hcr_region *region = job->opened.region;
    const struct map *map = job->map;
    struct results *results = &job->results;
    job->names_in =
        names_of_outputs(region, map->polar_input ? "d:" : "", map->polar_input ? "r" : NULL, &job->columns_in);
    results->names =
        names_of_outputs(region, map->polar_output ? "d:" : "", map->polar_output ? "r" : NULL, &results->columns);
    results->path = job->output_path;
    results->precision = job->single ? HCR_SINGLE : HCR_DOUBLE;
    if (job->names_in == NULL || results->names == NULL)
        return report_memory();
    const hcr_search search = {.method = (hcr_search_method)job->method,
                               .base_multiplier = job->base_multiplier,
                               .max_iterations = (uint32_t)job->most_iterations};
    if (hcr_workspace_create(region, job->threads, &job->workspace, &error) != HCR_OK ||
        hcr_workspace_set_search(job->workspace, &search, &error) != HCR_OK)
        return report_error(&error);
    return EXIT_DONE;
}

static int read_round(struct job *job) {
    return stream_read_samples(&job->stream, job->columns_in, (const char *const *)job->names_in, job->map->input,
                               job->opened.region, &job->parameters, &job->table);
}

static int transform(struct job *job) {
    hcr_error error = {0};
    const size_t rows = job->table.rows, columns_out = job->results.columns;
    job->rays = calloc(rows + 1, sizeof *job->rays);
    job->result = values_make(rows, columns_out);
    if (job->rays == NULL || job->result == NULL)
        return report_memory();
    if (!job->single)
        return job->map->in_double(job->opened.region, job->workspace, rows, job->parameters.values, job->table.values,
                                   job->result, job->rays, &error) == HCR_OK
                   ? EXIT_DONE
                   : report_error(&error);
    job->single_input = values_to_single(job->table.values, rows * job->table.columns);
    job->single_result = calloc(rows * columns_out + 1, sizeof *job->single_result);
    if (job->single_input == NULL || job->single_result == NULL)
        return report_memory();
    const int code = parameters_to_single(&job->parameters, job->opened.region, rows);
    if (code != EXIT_DONE)
        return code;
    if (job->map->in_single(job->opened.region, job->workspace, rows, job->parameters.singles, job->single_input,
                            job->single_result, job->rays, &error) != HCR_OK)
        return report_error(&error);
    values_from_single(job->single_result, rows * columns_out, job->result);
    return EXIT_DONE;
}

static void note_outcomes(struct job *job) {
    for (size_t i = 0; i < job->table.rows; i++) {
        const uint32_t outcome = job->rays[i].outcome;
        const int is_off = outcome == HCR_OUTSIDE && job->rays[i].gauge <= 1; /* r is that of its projection */
        tally_add(is_off ? &job->off : &job->outcome[outcome], job->stream.first_row + i);
        if (outcome == HCR_OUT_OF_RANGE || outcome == HCR_NO_ORIGIN)
            parameters_note_lost(&job->parameters, job->opened.region, job->stream.first_row, i);
    }
}

/* Tells what happened to samples; whether something did. */
static int tell_outcomes(struct job *job) {
    static const struct {
        hcr_outcome outcome;
        const char *what;
    } told[] = {
        {HCR_OUTSIDE, "outside the region: r > 1"},
        {HCR_HIDDEN, "inside the region, but out of the origin's sight: r > 1"},
        {HCR_BAD_VALUE, "with values that aren't finite: the origin stands for them"},
        {HCR_NO_FRONTIER, "in directions that nothing stops: the origin stands for them"},
    };
    int any = 0;
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const struct tally *tally = &job->outcome[told[i].outcome];
        report_rows(tally->count, told[i].what, tally->first);
        any |= tally->count > 0;
    }
    report_rows(job->off.count,
                "off the region's equalities by more than rounding: direction and radius are of the "
                "nearest point on them",
                job->off.first);
    return parameters_tell(&job->parameters) || any || job->off.count > 0;
}

static int pass_rows(struct job *job) {
    struct stream *stream = &job->stream;
    int code = stream_open_samples(stream, job->input_path, job->columns_in, (const char *const *)job->names_in,
                                   job->opened.region, &job->parameters, &job->results);
    while (code == EXIT_DONE && stream_next(stream)) {
        code = read_round(job);
        if (code == EXIT_DONE)
            code = transform(job);
        if (code == EXIT_DONE)
            note_outcomes(job);
        if (code == EXIT_DONE)
            code = stream_write(stream, job->result);
        release_round(job);
    }
    if (code == EXIT_DONE)
        code = parameters_check_rows(&job->parameters, stream->rows);
    return stream_close(stream, code);
}

static int run(struct job *job) {
    int code = prepare(job);
    if (code == EXIT_DONE)
        code = pass_rows(job);
    if (code != EXIT_DONE)
        return code;
    if (job->stats) {
        const uint64_t intersections = hcr_workspace_intersections(job->workspace);
        report("%" PRIu64 " intersections for %zu rows, %.4g a row", intersections, job->stream.rows,
               job->stream.rows == 0 ? 0 : (double)intersections / (double)job->stream.rows);
    }
    return tell_outcomes(job) ? EXIT_OUTSIDE : EXIT_DONE;
}

int map_command(int argc, char **argv, const struct map *map) {
    struct job job = {.map = map, .output_path = "-"};
    const struct option_row rows[] = {
        OPTION_ROW_OUTPUT(&job.output_path),
        OPTION_ROW_SET(&job.settings),
        OPTION_ROW_PARAMETERS(&job.parameters.path),
        OPTION_ROW_SINGLE(&job.single),
        {OPTION_COUNT, '\0', "threads", "N", "threads; one a core when not given; results don't depend on it",
         &job.threads, 1, HCR_MOST_THREADS},
        {OPTION_CHOICE, '\0', "search", "full|algorithm1|pruned",
         "how the nearest constraint is found; all give the same bits", &job.method, 0, 0},
        {OPTION_NUMBER, '\0', "base-multiplier", "X",
         "algorithm1: the first step from the origin; the region's inradius when not given", &job.base_multiplier, 0,
         0},
        {OPTION_COUNT, '\0', "max-iterations", "N", "algorithm1: steps before it takes all constraints; 64",
         &job.most_iterations, 1, 0},
        {OPTION_FLAG, '\0', "stats", NULL, "tell how many constraints were intersected", &job.stats, 0, 0},
    };
    const struct usage usage = {
        map->name, map->operands, map->summary, map->example, map->outside, sizeof rows / sizeof rows[0], rows};
    const char *operand[2];
    int code = options_parse(argc, argv, &usage, operand);
    if (code == OPTIONS_PARSED && job.most_iterations > UINT32_MAX)
        code = report_usage(map->name, "--max-iterations is at most %" PRIu32, UINT32_MAX);
    if (code == OPTIONS_PARSED) {
        job.region_path = operand[0];
        job.input_path = operand[1];
        code = run(&job);
    }
    release(&job);
    return code;
}
