#include "command.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "stream.h"

#include "base/file.h"
#include "hcr/hcr_build.h"

#include <stdio.h>
#include <string.h>

struct job {
    const char *input, *output;
    double margin;
    hcr_ranges *ranges;
    char *text;
};

static int run(struct job *job) {
    static struct stream stream;
    progress_wait("reading");
    stream_open(&stream, job->input, 1, NULL, NULL);
    stream.needed.missing = true;
    while (stream_next(&stream)) {
        const hcr_table *table = &stream.table;
        if (job->ranges == NULL)
            must_of(job->input,
                    hcr_ranges_create(table->columns, (const char *const *)table->names, &job->ranges, &failure));
        must(hcr_ranges_add(job->ranges, table->rows, table->values, &failure));
    }
    stream_close(&stream);
    must(hcr_ranges_text(job->ranges, job->margin, &job->text, &failure));
    size_t first;
    const size_t left_out = hcr_ranges_left_out(job->ranges, &first);
    report_rows(left_out, "left out for a missing value or an infinity", first);
    MUST_WRITE(hcri_file_write(job->output, job->text, strlen(job->text), &failure));
    return left_out > 0 ? EXIT_OUTSIDE : EXIT_DONE;
}

int command_ranges(int argc, char **argv) {
    static struct job job = {.output = "-", .margin = 0.05};
    const struct option_row rows[] = {
        OPTION(NUMBER, "margin", "SHARE",
               "how far each range goes beyond the samples on both sides, as a share of its width; 0.05", &job.margin),
        OPTION_ROW_OUTPUT(&job.output),
    };
    const struct usage usage = {
        .name = "ranges",
        .operands = "X",
        .summary = "Writes the parameters of a region from samples of them: a `param` line for each column of the "
                   "table X, with the range of its values. Columns such as cap[0], cap[1] become one vector, "
                   "need[0,0], need[0,1] one matrix, whose elements have ranges of their own; a column of one value "
                   "gets a range around it. Rows with a "
                   "missing value or an infinity are left out and named.",
        .example = "hcr ranges limits.csv --margin 0.1 -o plan.region",
        .outside = "rows were left out, for a missing value or an infinity",
        OPTION_ROWS(rows),
    };
    options_parse(argc, argv, &usage, &job.input);
    return run(&job);
}
