/* encode, decode and contract: a table through a map, rows to rows. */
#include "command.h"
#include "options.h"
#include "region_argument.h"
#include "relaxed_rows.h"
#include "tables.h"

#include <inttypes.h>
#include <string.h>

struct map {
    const char *name, *operands, *summary, *example, *outside;
    const char *input;             /* what messages call the table */
    int polar_input, polar_output; /* columns: "d:" and the output's name for each, then "r" */
    hcr_status (*in_double)(const hcr_region *, hcr_workspace *, size_t, const double *, const double *, double *,
                            hcr_ray *, hcr_error *);
    hcr_status (*in_single)(const hcr_region *, hcr_workspace *, size_t, const float *, const float *, float *,
                            hcr_ray *, hcr_error *);
};

static const struct map maps[] = {
    {
        .name = "contract",
        .operands = "REGION V",
        .summary = "Reads a step v from the region's origin O in each row of the table V, and writes O + v where that "
                   "is inside, else the point where the ray leaves the region: inside at tolerance 0. The columns are "
                   "the outputs'.",
        .example = "hcr contract load.region v.csv -o y.csv",
        .outside = "a row had a bad value, or parameters that leave no point",
        .input = "V",
        .in_double = hcr_contract,
        .in_single = hcr_contract_f32,
    },
    {
        .name = "encode",
        .operands = "REGION Y",
        .summary =
            "Writes, for each point of the table Y, its direction from the region's origin and its radius r: 0 at the "
            "origin, 1 on the frontier. Columns: \"d:\" and the output's name for each output, then \"r\".",
        .example = "hcr encode load.region y.csv -o polar.csv",
        .outside = "a row was outside (r > 1), or had a bad value or parameters that leave no point",
        .input = "Y",
        .polar_output = 1,
        .in_double = hcr_encode,
        .in_single = hcr_encode_f32,
    },
    {
        .name = "decode",
        .operands = "REGION DR",
        .summary = "Writes, for each direction (of any length) and radius of the table DR, the point of the region: "
                   "inside at tolerance 0. The columns are those that encode writes; r is clamped to [0, 1].",
        .example = "hcr decode load.region polar.csv -o y.csv",
        .outside = "a row had a bad value, parameters that leave no point, or an unbounded direction",
        .input = "DR",
        .polar_input = 1,
        .in_double = hcr_decode,
        .in_single = hcr_decode_f32,
    },
};

struct job {
    struct row_map rows; /* first: what `transform` gets is the job */
    const struct map *map;
    struct settings settings;
    bool stats;
    int method;
    size_t threads, most_iterations;
    double base_multiplier;

    struct opened_region opened;
    hcr_workspace *workspace;
    hcr_ray *rays; /* of a round */
    struct relaxed_rows relaxed;
};

static void prepare(struct job *job, const char *path) {
    region_open_placed(path, &job->settings, &job->opened);
    const hcr_region *region = job->opened.region;
    const struct map *map = job->map;
    struct results *results = &job->rows.results;
    struct samples *samples = &job->rows.samples;
    results->names =
        names_of_outputs(region, map->polar_output ? "d:" : "", map->polar_output ? "r" : NULL, &results->columns);
    samples->what = map->input;
    samples->names = (const char *const *)names_of_outputs(region, map->polar_input ? "d:" : "",
                                                           map->polar_input ? "r" : NULL, &samples->count);
    samples->parameters.region = region;
    hcr_search search = HCR_SEARCH_INIT;
    search.method = (hcr_search_method)job->method;
    search.base_multiplier = job->base_multiplier;
    search.max_iterations = (uint32_t)job->most_iterations;
    must(hcr_workspace_create(region, job->threads, &job->workspace, &failure));
    must(hcr_workspace_set_search(job->workspace, &search, &failure));
}

static void transform_some(struct job *job, size_t first, size_t count) {
    struct row_map *map = &job->rows;
    const struct samples *samples = &map->samples;
    const struct parameters *parameters = &samples->parameters;
    const hcr_region *region = job->opened.region;
    const size_t from = first * samples->stream.table.columns, to = first * map->results.columns;
    if (map->single)
        must(job->map->in_single(region, job->workspace, count, parameters_single(parameters, first),
                                 samples->singles + from, map->singles + to, job->rays, &failure));
    else
        must(job->map->in_double(region, job->workspace, count, parameters_of(parameters, first),
                                 samples->stream.table.values + from, map->values + to, job->rays, &failure));
    for (size_t i = 0; i < count; i++) { /* r of what is off the equalities is that of its projection */
        const int is_off = job->rays[i].outcome == HCR_OUTCOME_OUTSIDE && job->rays[i].gauge <= 1;
        map->outcomes[first + i] = is_off ? ROW_OFF : job->rays[i].outcome;
    }
}

static void transform(struct row_map *map) {
    struct job *job = (struct job *)map;
    struct samples *samples = &map->samples;
    const size_t rows = samples->stream.table.rows;
    job->rays = renew(job->rays, rows, sizeof *job->rays);
    if (map->single)
        samples_to_single(samples);
    relax_rows(&job->relaxed, map, samples->stream.table.columns, job->map->in_double, job->map->in_single);
    for (size_t i = 0, count; (count = relaxed_others(&job->relaxed, rows, &i)) > 0; i += count)
        transform_some(job, i, count);
}

static int run(struct job *job, const char *const *operand) {
    static const unsigned faults[] = {HCR_OUTCOME_OUTSIDE, HCR_OUTCOME_HIDDEN, HCR_OUTCOME_BAD_VALUE,
                                      HCR_OUTCOME_NO_FRONTIER, ROW_OFF};
    const struct samples *samples = &job->rows.samples;
    int any = 0;
    prepare(job, operand[0]);
    row_map_run(&job->rows, operand[1], transform);
    if (job->stats) {
        const uint64_t intersections = hcr_workspace_intersections(job->workspace);
        const size_t rows = samples->stream.rows;
        report("%" PRIu64 " intersections for %zu rows, %.4g a row", intersections, rows,
               rows == 0 ? 0 : (double)intersections / (double)rows);
    }
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        any |= row_map_tell(&job->rows, faults[i]);
    row_map_tell(&job->rows, HCR_OUTCOME_TO_ROUNDING);
    row_map_tell(&job->rows, HCR_OUTCOME_RELAXED);
    row_map_tell(&job->rows, HCR_OUTCOME_DEPENDENT);
    return samples_tell_lost(samples) || any ? EXIT_OUTSIDE : EXIT_DONE;
}

int command_map(int argc, char **argv) {
    static struct job job = {.rows.results.path = "-", .most_iterations = 64};
    const struct map *map = maps;
    while (strcmp(map->name, argv[0]) != 0)
        map++;
    job.map = map;
    const struct option_row rows[] = {
        OPTION_ROW_OUTPUT(&job.rows.results.path),
        OPTION_ROW_SET(&job.settings),
        OPTION_ROW_PARAMETERS(&job.rows.samples.parameters.path),
        OPTION_ROW_SINGLE(&job.rows.single),
        {OPTION_COUNT, '\0', "threads", "N", "threads; one a core when not given; results don't depend on it",
         &job.threads, 1, HCR_MOST_THREADS},
        OPTION(CHOICE, "search", "full|algorithm1|pruned",
               "how the nearest constraint is found; all give the same bits", &job.method),
        OPTION(NUMBER, "base-multiplier", "X",
               "algorithm1: the first step from the origin; the region's inradius when not given",
               &job.base_multiplier),
        {OPTION_COUNT, '\0', "max-iterations", "N", "algorithm1: steps before it takes all constraints; 64",
         &job.most_iterations, 1, 0},
        OPTION(FLAG, "stats", NULL, "print how many constraints were intersected", &job.stats),
        OPTION_ROW_ON_EMPTY(&job.relaxed.on_empty),
    };
    const struct usage usage = {
        map->name, map->operands, map->summary, map->example, map->outside, sizeof rows / sizeof rows[0], rows};
    const char *operand[2];
    options_parse(argc, argv, &usage, operand);
    if (job.relaxed.on_empty == ON_EMPTY_NEAREST && (map->polar_input || map->polar_output))
        fail_usage(map->name, "--on-empty nearest is for contract and project, whose rows are points to be near");
    return run(&job, operand);
}
