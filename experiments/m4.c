/* Sliding windows of M4 series, their targets kept within what the series did in its training windows: its smallest and
 * largest value and its largest step. */
#include "experiment.h"

#include "cli/command.h"
#include "cli/report.h"
#include "cli/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Input and output lengths are the horizon that M4 asks for. */
enum { HOURLY, WEEKLY, HORIZONS };
static const size_t horizon[HORIZONS] = {48, 13};
/* A series of fewer has too few training windows to tell methods apart. */
static const size_t shortest[HORIZONS] = {480, 260};

struct series {
    char id[17];
    double *values;
    size_t count, place; /* in its file */
};
struct collection {
    size_t count[HORIZONS];
    struct series *series[HORIZONS];
    size_t epochs;
};

/* Of the methods that the paper has. */
static const struct published published[METHODS] = {
    [SIMPLE] = {0.125, 0.051, 0.894, 0.111, NAN, NAN},
    [LAGRANGIAN] = {0.191, 0.050, 0.980, 0.041, NAN, NAN},
    [PROJECTION] = {0.124, 0.049, 1, NAN, 0.001, 0.004},
    [HCR] = {0.130, 0.047, 1, NAN, 0.0001, 0.001},
};

/* ------------------------------------------------------------------------------------------------------- problems */

static int make_region(struct problem *problem, hcr_builder **builder) {
    char text[160];
    const int length = snprintf(
        text, sizeof text, "var y[%zu]\nsmallest <= y <= largest\nabs(y[1:] - y[:-1]) <= largest_step\n", problem->n);
    const hcr_constant limits[] = {{.name = "smallest", .values = &problem->smallest},
                                   {.name = "largest", .values = &problem->largest},
                                   {.name = "largest_step", .values = &problem->step}};
    hcr_error error = {0};
    if (hcr_text_build(text, (size_t)length, "limits", NULL, 3, limits, NULL, builder, &error) != HCR_OK ||
        hcr_builder_finish(*builder, &problem->region, &error) != HCR_OK) {
        report("series %s:", problem->label);
        return report_error(&error);
    }
    return EXIT_DONE;
}

/* The variance of the test targets as the series has them: R-MSE is the mean squared error in units of it. (Projected,
 * those of a series that has left its limits for good would all be the same.) */
static double variance(size_t count, const double *y) {
    double mean = 0, squares = 0;
    for (size_t k = 0; k < count; k++)
        mean += y[k] / (double)count;
    for (size_t k = 0; k < count; k++)
        squares += (y[k] - mean) * (y[k] - mean) / (double)count;
    return squares;
}

/* Takes the table's values over. */
static double *take(hcr_table *table) {
    double *values = table->values;
    table->values = NULL;
    return values;
}

/* Groups are hourly random, hourly time, weekly random, weekly time. */
static const struct series *series_of(const struct collection *all, size_t i, size_t *group) {
    for (*group = 0; i >= all->count[*group / 2]; ++*group)
        i -= all->count[*group / 2];
    return &all->series[*group / 2][i];
}

static void name_problem(const struct experiment *experiment, size_t i, char label[32]) {
    size_t group;
    const struct series *series = series_of(experiment->data, i, &group);
    snprintf(label, 32, "%s-%s-%s", group / 2 == HOURLY ? "hourly" : "weekly", series->id,
             group % 2 == 0 ? "random" : "time");
}

static int make(const struct experiment *experiment, size_t i, struct problem *problem) {
    const struct collection *all = experiment->data;
    size_t group;
    const struct series *series = series_of(all, i, &group);
    const size_t length = horizon[group / 2];
    const hcr_window_options cut = {
        .input = length, .output = length, .split = group % 2 == 0 ? HCR_SPLIT_RANDOM : HCR_SPLIT_TIME, .seed = 1};
    hcr_windows windows;
    hcr_error error = {0};
    if (hcr_windows_cut(series->values, series->count, &cut, &windows, &error) != HCR_OK)
        return report_error(&error);
    *problem = (struct problem){
        .group = group,
        .number = series->place,
        .inputs = length,
        .n = length,
        .train = windows.x_train.rows,
        .test = windows.x_test.rows,
        .x_train = take(&windows.x_train),
        .y_train = take(&windows.y_train),
        .x_test = take(&windows.x_test),
        .y_test = take(&windows.y_test),
        .options =
            {.encoder = HCR_ENCODER_LSTM, .hidden = 64, .epochs = all->epochs, .batch = 32, .rate = 3e-3, .seed = 1},
        .ascent = 10,
        .smallest = windows.smallest,
        .largest = windows.largest,
        .step = windows.largest_step,
    };
    name_problem(experiment, i, problem->label);
    hcr_windows_clear(&windows);
    problem->unit = variance(problem->test * problem->n, problem->y_test);
    hcr_builder *builder = NULL;
    int code = make_region(problem, &builder);
    if (code == EXIT_DONE)
        code = problem_finish(problem, builder);
    hcr_builder_free(builder);
    return code;
}

/* --------------------------------------------------------------------------------------------------------- series */

/* Names of files and of pictures are made of it: one that is short and plain stays, another becomes its place. */
static void copy_id(const char *id, size_t place, char copy[17]) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const size_t length = strlen(id);
    if (length > 0 && length <= 12 && strspn(id, plain) == length)
        memcpy(copy, id, length + 1);
    else
        snprintf(copy, 17, "row-%zu", place % 1000000000);
}

/* Every k-th series of the file from the first on, passing over those that are too short. */
static int read_series(struct collection *all, size_t kind, const char *path, size_t wanted) {
    hcr_error error = {0};
    char **ids;
    size_t count;
    if (hcr_series_ids(path, &ids, &count, &error) != HCR_OK)
        return report_error(&error);
    if (wanted > count)
        wanted = count;
    all->series[kind] = calloc(wanted, sizeof *all->series[kind]);
    int code = all->series[kind] == NULL ? report_memory() : EXIT_DONE;
    for (size_t k = 0; code == EXIT_DONE && k < wanted; k++)
        for (size_t place = k * count / wanted; code == EXIT_DONE && place < (k + 1) * count / wanted; place++) {
            struct series *series = &all->series[kind][all->count[kind]];
            if (hcr_series_read(path, ids[place], &series->values, &series->count, &error) != HCR_OK) {
                code = report_error(&error);
            } else if (series->count < shortest[kind]) {
                free(series->values);
                series->values = NULL;
            } else {
                copy_id(ids[place], place, series->id);
                series->place = place;
                all->count[kind]++;
                break;
            }
        }
    hcr_series_free_ids(ids, count);
    if (code == EXIT_DONE && all->count[kind] == 0) {
        report("%s: no series has the %zu values that windows of %zu + %zu need", path, shortest[kind], horizon[kind],
               horizon[kind]);
        code = EXIT_INPUT;
    }
    return code;
}

/* FNV-1a over the values, cut to what a double holds: tells other data apart. */
static double fingerprint(const struct collection *all) {
    uint64_t digest = 0xcbf29ce484222325u;
    for (size_t kind = 0; kind < HORIZONS; kind++)
        for (size_t k = 0; k < all->count[kind]; k++) {
            const unsigned char *byte = (const unsigned char *)all->series[kind][k].values;
            for (size_t i = 0; i < all->series[kind][k].count * sizeof(double); i++)
                digest = (digest ^ byte[i]) * 0x100000001b3u;
        }
    return (double)(digest >> 11);
}

static void release(struct experiment *experiment) {
    const struct collection *all = experiment->data;
    for (size_t kind = 0; kind < HORIZONS; kind++) {
        for (size_t k = 0; k < all->count[kind]; k++)
            free(all->series[kind][k].values);
        free(all->series[kind]);
    }
}

int experiment_m4(const struct plan *plan, struct experiment *experiment) {
    static struct collection all;
    const size_t wanted = plan->count != 0 ? plan->count : plan->quick ? 3 : 30;
    all.epochs = plan->epochs != 0 ? plan->epochs : plan->quick ? 40 : 300;
    *experiment = (struct experiment){
        .name = "m4",
        .groups = 2,
        .group = {{"M4 hourly, random windows for training", "R-MSE", published},
                  {"M4 hourly, the first windows for training", "R-MSE", published},
                  {"M4 weekly, random windows for training", "R-MSE", NULL},
                  {"M4 weekly, the first windows for training", "R-MSE", NULL}},
        .make = make,
        .name_problem = name_problem,
        .release = release,
        .data = &all,
    };
    for (enum method method = 0; method < METHODS; method++)
        experiment->runs[method] = method != PROJECTION;
    int code = read_series(&all, HOURLY, plan->series, wanted);
    if (code == EXIT_DONE && plan->weekly != NULL) {
        code = read_series(&all, WEEKLY, plan->weekly, wanted);
        experiment->groups = 4;
    }
    experiment->problems = 2 * (all.count[HOURLY] + all.count[WEEKLY]);
    experiment->settings = 2;
    experiment->setting[0] = (struct setting){"epochs", (double)all.epochs};
    experiment->setting[1] = (struct setting){"data", fingerprint(&all)};
    return code;
}
