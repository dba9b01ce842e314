#include "command.h"
#include "options.h"
#include "region_argument.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>

int command_explain(int argc, char **argv) {
    struct settings settings = {0};
    int json = 0;
    const struct option_row rows[] = {OPTION_ROW_SET(&settings), OPTION_ROW_JSON(&json)};
    const struct usage usage = {
        .name = "explain",
        .operands = "REGION",
        .summary = "Prints what a region is made of: its outputs, the kind and number of constraints that each line "
                   "became, the equalities, what the origin sees, its place, the inradius, the bounds, what a decode "
                   "costs, and bounds that may not be meant.",
        .example = "hcr explain load.region --set dmax=20",
        OPTION_ROWS(rows),
    };
    const char *path;
    int code = options_parse(argc, argv, &usage, &path);
    if (code == OPTIONS_PARSED) {
        struct opened_region opened = {0};
        hcr_error error = {0};
        char *text = NULL;
        code = region_open(path, &settings, &opened);
        if (code == EXIT_DONE && hcr_region_explain(opened.region, json, &text, &error) != HCR_OK)
            code = report_error(&error);
        if (code == EXIT_DONE) {
            fputs(text, stdout);
            if (opened.builder != NULL)
                report("the text says `origin = mean`, and there are no targets here: the Chebyshev centre is shown");
        }
        free(text);
        region_close(&opened);
    }
    settings_clear(&settings);
    return code;
}
