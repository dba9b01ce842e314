#include "command.h"
#include "options.h"
#include "progress.h"
#include "report.h"

#include "base/file.h"
#include "hcr/hcr_build.h"
#include "hcr/hcr_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
    const char *input, *output;
    char *columns; /* separated by commas, or NULL */
    bool values, steps;
    hcr_limit_options options;
    hcr_table table;
    char *text;
};

static void read_table(struct job *job) {
    size_t count = 0;
    const char **names = NULL;
    if (job->columns != NULL) {
        names = allocate(strlen(job->columns) + 1, sizeof *names);
        for (char *at = job->columns, *next; *at != '\0'; at = next) {
            const size_t length = option_name_length(at, ",");
            next = at + length + (at[length] == ',');
            at[length] = '\0';
            if (length > 0)
                names[count++] = at;
        }
    }
    const hcr_table_columns needed = {.count = count, .names = names, .missing = true};
    must(hcr_table_read_columns(job->input, HCR_TABLE_BY_NAME, NULL, 1, &needed, &job->table, &failure));
    if (names != NULL)
        must(hcr_table_match(&job->table, count, names, "X", &failure));
    free(names);
}

static int run(struct job *job) {
    progress_wait("reading");
    read_table(job);
    job->options.values = job->values || !job->steps;
    job->options.steps = job->steps || !job->values;
    const hcr_table *table = &job->table;
    must_of(job->input, hcr_limits_text(table->rows, table->columns, (const char *const *)table->names, table->values,
                                        &job->options, &job->text, &failure));
    MUST_WRITE(hcri_file_write(job->output, job->text, strlen(job->text), &failure));
    return EXIT_DONE;
}

int command_limits(int argc, char **argv) {
    static struct job job = {.output = "-", .options = HCR_LIMIT_OPTIONS_INIT};
    const struct option_row rows[] = {
        OPTION(FLAG, "cap", NULL, "limit the values alone: the smallest and the largest", &job.values),
        OPTION(FLAG, "ramp", NULL, "limit the steps alone: the largest from one value to the next; with --cap, both",
               &job.steps),
        {OPTION_NUMBER, '\0', "quantile", "SHARE",
         "the share of the values, on each side, and of the steps that keep the limits; 1", &job.options.share, 0, 1},
        {OPTION_COUNT, '\0', "horizon", "N", "how many values a series has in the region; a scalar where none is given",
         &job.options.horizon, 1, 0},
        OPTION(JOINED, "columns", "NAMES", "take these columns alone, with commas between; others may hold anything",
               &job.columns),
        OPTION_ROW_OUTPUT(&job.output),
    };
    const struct usage usage = {
        .name = "limits",
        .operands = "X",
        .summary = "Writes a region from a table: what its variables did, with comments that say where each number is "
                   "from. Columns such as load[0], load[1] are a vector, flow[0,0], flow[0,1] a matrix, of which a row "
                   "is a sample; other columns are series, a row a time, of which the region has --horizon values. "
                   "Missing values are left out and counted.",
        .example = "hcr limits history.csv --horizon 24 --quantile 0.999 -o load.region",
        OPTION_ROWS(rows),
    };
    options_parse(argc, argv, &usage, &job.input);
    return run(&job);
}
