#include "command.h"
#include "options.h"
#include "region_argument.h"
#include "report.h"
#include "tables.h"

#include <stdio.h>
#include <string.h>

#include "base/system.h"

struct job {
    const char *region_path, *output_path, *targets_path;
    struct settings settings;
    struct numbers quantiles;
    bool json;
    struct opened_region opened;
    hcr_region *of_quantiles;
    hcr_table targets;
    char *explanation;
};

static void find_output(struct job *job) {
    if (job->output_path == NULL) {
        job->output_path = region_output("compile", job->region_path, ".hcr");
    } else if (strcmp(job->output_path, "-") == 0) {
        if (job->json)
            fail_usage("compile", "--json and `-o -` would both write to standard output");
        if (isatty(STDOUT_FILENO))
            fail_usage("compile", "a compiled region isn't for a terminal");
    }
}

static void place(struct job *job) {
    if (job->opened.builder == NULL) {
        if (job->targets_path != NULL)
            report("--targets is of no use here: the region text doesn't say `origin = mean`");
        return;
    }
    if (job->targets_path == NULL)
        fail(EXIT_INPUT, "%s: `origin = mean` needs the targets: give --targets Y", job->region_path);
    table_read_points(job->targets_path, job->opened.region, "Y", &job->targets);
    region_recentre(&job->opened, job->targets.rows, job->targets.values);
}

static void print_sizes(const char *path, const hcr_region *region) {
    const size_t p = hcr_region_parameters(region);
    print_name(stdout, path);
    printf(": %zu outputs", hcr_region_dimension(region));
    if (p > 0)
        printf(", %zu parameters", p);
    putchar('\n');
}

static int run(struct job *job) {
    find_output(job);
    region_open(job->region_path, &job->settings, &job->opened);
    place(job);
    const hcr_region *region = job->opened.region;
    if (job->quantiles.count != 0) {
        must(hcr_region_quantiles(region, job->quantiles.count, job->quantiles.values, &job->of_quantiles, &failure));
        region = job->of_quantiles;
    }
    if (job->json)
        must(hcr_region_explain(region, 1, &job->explanation, &failure));
    region_save(region, job->output_path);
    if (job->json)
        fputs(job->explanation, stdout);
    else if (strcmp(job->output_path, "-") != 0)
        print_sizes(job->output_path, region);
    return EXIT_DONE;
}

int command_compile(int argc, char **argv) {
    static struct job job;
    const struct option_row rows[] = {
        {OPTION_TEXT, 'o', "output", "FILE",
         "write there (standard output: -); REGION with the extension .hcr otherwise", &job.output_path, 0, 0},
        OPTION_ROW_SET(&job.settings),
        OPTION(READ, "targets", "Y", "the table whose mean `origin = mean` stands for", &job.targets_path),
        OPTION(NUMBERS, "quantiles", "Q,…",
               "the region of these quantiles of the outputs, increasing, such as 0.1,0.5,0.9: what the predictions of "
               "`hcr fit --quantiles` are in",
               &job.quantiles),
        OPTION(FLAG, "json", NULL, "print what was made as JSON, as `hcr explain --json` does", &job.json),
    };
    const struct usage usage = {
        .name = "compile",
        .operands = "REGION",
        .summary = "Turns region text into a compiled region: one file, with its origin, bounds and data in it, that "
                   "loads at once and without solvers. Wherever REGION stands, either will do.",
        .example = "hcr compile load.region -o load.hcr --set dmax=20",
        OPTION_ROWS(rows),
    };
    options_parse(argc, argv, &usage, &job.region_path);
    return run(&job);
}
