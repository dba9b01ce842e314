#include "command.h"
#include "options.h"
#include "progress.h"
#include "region_argument.h"
#include "report.h"

#include "hcr/hcr_import.h"

#include <stdio.h>
#include <string.h>

struct job {
    const char *input, *output;
    bool unbounded, quiet;
    hcr_import *import;
    hcr_builder *builder;
    hcr_region *region;
};

static int is_compiled(const char *path) {
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".hcr") == 0;
}

static void compile(struct job *job) {
    progress_wait("making the region");
    must(hcr_import_build(job->import, &job->builder, &failure));
    must(hcr_builder_allow_unbounded(job->builder, job->unbounded, &failure));
    const hcr_status status = hcr_builder_finish(job->builder, &job->region, &failure);
    if (status == HCR_ERROR_UNBOUNDED) {
        const int code = report_error();
        fail(code, "add bounds, or say --unbounded: contract and soften work on such a region, decode as far as it has "
                   "a frontier");
    }
    must(status);
    progress_wait_end();
    region_save(job->region, job->output);
}

static int run(struct job *job) {
    if (job->unbounded && !is_compiled(job->output))
        fail_usage("import", "--unbounded is for a compiled region: give -o FILE.hcr");
    progress_wait("reading the problem");
    must(hcr_import_read(job->input, NULL, &job->import, &failure));
    progress_wait_end();
    for (size_t k = 0; k < hcr_import_notices(job->import) && !job->quiet; k++)
        report("%s: %s", strcmp(job->input, "-") == 0 ? "standard input" : job->input,
               hcr_import_notice(job->import, k));
    if (is_compiled(job->output))
        compile(job);
    else
        MUST_WRITE(hcr_import_write(job->import, job->output, &failure));
    if (strcmp(job->output, "-") != 0 && !job->quiet) {
        print_name(stdout, job->output);
        printf(": %zu outputs, %zu constraints beside their bounds\n", hcr_import_outputs(job->import),
               hcr_import_constraints(job->import));
    }
    return EXIT_DONE;
}

int command_import(int argc, char **argv) {
    static struct job job = {.output = "-"};
    const struct option_row rows[] = {
        {OPTION_TEXT, 'o', "output", "OUT",
         "write there (standard output: -): a compiled region when the name ends in .hcr, region text otherwise",
         &job.output, 0, 0},
        OPTION(FLAG, "unbounded", NULL, "OUT.hcr may reach to infinity", &job.unbounded),
        {OPTION_FLAG, 'q', "quiet", NULL, "no notices of what is ignored and renamed", &job.quiet, 0, 0},
    };
    const struct usage usage = {
        .name = "import",
        .operands = "FILE",
        .summary = "Turns the constraints of an optimisation problem into a region: LP files, MPS files (fixed or "
                   "free), and CBF files with cones and matrix inequalities, also packed by gzip. Columns become "
                   "outputs. The objective and integrality are ignored. The first word of the file gives its format.",
        .example = "hcr import network.mps.gz -o network.region",
        OPTION_ROWS(rows),
    };
    options_parse(argc, argv, &usage, &job.input);
    return run(&job);
}
