#include "command.h"
#include "options.h"
#include "progress.h"
#include "region_argument.h"
#include "report.h"
#include "why.h"

#include <stdio.h>

int command_explain(int argc, char **argv) {
    static struct settings settings;
    static bool json;
    static const char *sample;
    const struct option_row rows[] = {
        OPTION_ROW_SET(&settings),
        OPTION_ROW_JSON(&json),
        OPTION(
            READ, "sample", "FILE",
            "parameters, in columns of their names: instead, for each row, which limits contradict each other, and the "
            "least that has to give",
            &sample),
    };
    const struct usage usage = {
        .name = "explain",
        .operands = "REGION",
        .summary = "Prints what a region is made of: its outputs, the kind and number of constraints that each line "
                   "became, the equalities, the origin and what is visible from it, the inradius, the bounds, what a "
                   "decode costs, and bounds that may not be meant.",
        .example = "hcr explain load.region --set dmax=20",
        .outside = "--sample: the limits of a row leave no point",
        OPTION_ROWS(rows),
    };
    const char *path;
    options_parse(argc, argv, &usage, &path);
    static struct opened_region opened;
    static char *text;
    region_open(path, &settings, &opened);
    if (sample != NULL)
        return explain_samples(opened.region, sample) ? EXIT_OUTSIDE : EXIT_DONE;
    progress_wait("looking at the region");
    must(hcr_region_explain(opened.region, json, &text, &failure));
    progress_wait_end();
    fputs(text, stdout);
    if (opened.builder != NULL)
        report("the text says `origin = mean`, and there are no targets here: the Chebyshev centre is shown");
    return EXIT_DONE;
}
