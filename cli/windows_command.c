#include "command.h"
#include "ending.h"
#include "json.h"
#include "options.h"
#include "report.h"

#include "base/file.h"
#include "base/system.h"
#include "hcr/hcr_table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct job {
    const char *id, *folder;
    bool list, json;
    int split;
    hcr_window_options options;
    char **ids;
    size_t id_count;
    double *series;
    size_t length;
    hcr_windows windows;
    char *path; /* folder, "/", room for a name */
};

enum { LONGEST_NAME = 32 };

static const char *path_of(struct job *job, const char *name) {
    sprintf(job->path, "%s/%s", job->folder, name);
    return job->path;
}

static void list_ids(struct job *job, const char *series_path) {
    must(hcr_series_ids(series_path, &job->ids, &job->id_count, &failure));
    for (size_t i = 0; i < job->id_count; i++)
        puts(job->ids[i]);
}

static void write_tables(struct job *job) {
    char smallest[] = "smallest", largest[] = "largest", step[] = "largest_step";
    char *limit_names[] = {smallest, largest, step};
    double limits[] = {job->windows.smallest, job->windows.largest, job->windows.largest_step};
    const hcr_table limit_table = {.rows = 1, .columns = 3, .values = limits, .names = limit_names};
    const struct {
        const char *name;
        const hcr_table *table;
    } files[] = {
        {"x_train.csv", &job->windows.x_train}, {"y_train.csv", &job->windows.y_train},
        {"x_test.csv", &job->windows.x_test},   {"y_test.csv", &job->windows.y_test},
        {"x_last.csv", &job->windows.x_last},   {"limits.csv", &limit_table},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        must(hcr_table_write(path_of(job, files[i].name), HCR_TABLE_CSV, files[i].table, HCR_DOUBLE, &failure));
}

/* The region that the limits describe, in a file beside them. */
static void write_region(struct job *job) {
    char text[256];
    const size_t n = job->windows.y_train.columns;
    const int length =
        snprintf(text, sizeof text,
                 "# What the series did in its training windows: smallest value, largest value, largest step.\n"
                 "var y[%zu]\nconst limits = read(\"limits.csv\")\n\nlimits[0] <= y <= limits[1]\n%s",
                 n, n > 1 ? "abs(y[1:] - y[:-1]) <= limits[2]\n" : "");
    must(hcri_file_write(path_of(job, "limits.region"), text, (size_t)length, &failure));
}

static void print_summary(const struct job *job) {
    const hcr_windows *windows = &job->windows;
    if (!job->json) {
        printf("%s: %zu values, %zu windows to train on, %zu to test on\nlimits: from %.6g to %.6g, steps up to %.6g\n",
               job->id, job->length, windows->x_train.rows, windows->x_test.rows, windows->smallest, windows->largest,
               windows->largest_step);
        return;
    }
    printf("{\"series\": ");
    json_string(stdout, job->id);
    printf(", \"values\": %zu, \"training_windows\": %zu, \"test_windows\": %zu, \"smallest\": ", job->length,
           windows->x_train.rows, windows->x_test.rows);
    json_number(stdout, windows->smallest);
    printf(", \"largest\": ");
    json_number(stdout, windows->largest);
    printf(", \"largest_step\": ");
    json_number(stdout, windows->largest_step);
    printf("}\n");
}

static int run(struct job *job, const char *series_path) {
    if (job->list) {
        list_ids(job, series_path);
        return EXIT_DONE;
    }
    if (job->id == NULL)
        fail_usage("windows", "give --id ID, the series to cut; --list prints the ids that there are");
    if (job->folder == NULL)
        fail_usage("windows", "give -o DIR, the folder to write into");
    job->options.split = (hcr_split)job->split;
    must(hcr_series_read(series_path, job->id, &job->series, &job->length, &failure));
    must(hcr_windows_cut(job->series, job->length, &job->options, &job->windows, &failure));
    if (mkdir(job->folder, 0777) != 0 && errno != EEXIST)
        fail_file("make the folder", job->folder);
    job->path = allocate(strlen(job->folder) + 1 + LONGEST_NAME, 1);
    ending_put_off(); /* the files belong together */
    write_tables(job);
    write_region(job);
    ending_obey();
    print_summary(job);
    return EXIT_DONE;
}

int command_windows(int argc, char **argv) {
    static struct job job = {.options = HCR_WINDOW_OPTIONS_INIT};
    const struct option_row rows[] = {
        OPTION(TEXT, "id", "ID", "the series to cut: what its row begins with", &job.id),
        {OPTION_COUNT, '\0', "input", "N", "values that a forecast is made from; 48", &job.options.input, 1, 0},
        {OPTION_COUNT, '\0', "output", "N", "values to forecast; 48", &job.options.output, 1, 0},
        OPTION(CHOICE, "split", "random|time",
               "which windows to train on: a random share of them, or the first, with a gap so that no value is shared "
               "with "
               "the test; random",
               &job.split),
        {OPTION_NUMBER, '\0', "train", "SHARE", "of the windows, to train on; 0.2", &job.options.train, 1e-6, 1},
        OPTION(SEED, "seed", "N", "of the random split; 0", &job.options.seed),
        {OPTION_TEXT, 'o', "folder", "DIR", "the folder to write into; it is made when there is none", &job.folder, 0,
         0},
        OPTION(FLAG, "list", NULL, "print the ids of the series and do no more", &job.list),
        OPTION_ROW_JSON(&job.json),
    };
    const struct usage usage = {
        .name = "windows",
        .operands = "SERIES",
        .summary = "Cuts a series into windows: inputs in x_train.csv and x_test.csv, the values that follow them in "
                   "y_train.csv and y_test.csv, the end of the series in x_last.csv. limits.csv has the smallest and "
                   "the largest value and the largest step of the training windows, limits.region the region that they "
                   "make. SERIES is a CSV file with a series a row, its id first, as in the M4 competition.",
        .example = "hcr windows Hourly-train.csv --id H1 --input 48 --output 48 --split time --train 0.2 -o h1",
        OPTION_ROWS(rows),
    };
    const char *series_path;
    options_parse(argc, argv, &usage, &series_path);
    return run(&job, series_path);
}
