/* Forecasts the two days after each of some hourly series, with a model whose forecasts can't break the series' limits
 * and with a plain network of the same encoder; says how many forecasts obey the limits, exactly, and how far they are
 * from what happened.
 *
 *     forecast SERIES.csv NEXT.csv FOLDER
 *
 * SERIES has a series a row, its id first; NEXT the 48 values that follow each. FOLDER gets the forecasts as tables, to
 * be drawn. The way is always: windows -> region -> fit -> predict -> check. */
#define _POSIX_C_SOURCE 200809L
#include <hcr/hcr_learn.h>
#include <hcr/hcr_table.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DAY = 24, WEEK = 168, HOURS = 48 };

/* Which outputs are allowed: what the series never left in the past, it doesn't leave in the forecast. */
static const char region_text[] = "var y[48]\n"
                                  "smallest <= y <= largest\n"
                                  "abs(y[1:] - y[:-1]) <= largest_step\n";

enum { CONTRACT, PLAIN, LAST_DAY, METHODS };

typedef struct outcome {
    char id[32];
    int inside[METHODS];
    double error[METHODS]; /* sMAPE, percent */
} outcome;

/* A program's way with errors: say it and stop. */
static void must(hcr_status status, const hcr_error *error) {
    if (status == HCR_OK)
        return;
    fprintf(stderr, "forecast: %s\n", error->text);
    exit(EXIT_FAILURE);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static hcr_region *make_region(const hcr_windows *windows) {
    hcr_error error;
    hcr_builder *builder;
    hcr_region *region;
    const hcr_constant limits[] = {{.name = "smallest", .values = &windows->smallest},
                                   {.name = "largest", .values = &windows->largest},
                                   {.name = "largest_step", .values = &windows->largest_step}};
    must(hcr_text_build(region_text, strlen(region_text), "limits", NULL, 3, limits, NULL, &builder, &error), &error);
    must(hcr_builder_finish(builder, &region, &error), &error);
    hcr_builder_free(builder);
    return region;
}

/* Trains, and forecasts what follows the end of the series. */
static void forecast(const hcr_region *region, const hcr_windows *windows, hcr_head head, double *y) {
    hcr_error error;
    hcr_model *model;
    /* Chosen by forecasting the last two days of the series, of which the model then knew nothing. */
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.encoder = HCR_ENCODER_DENSE;
    options.head = head;
    options.hidden = 128;
    options.epochs = 100;
    options.rate = 2e-3;
    options.rate_decay = 0.97;
    options.weight_decay = 1;
    options.seed = 1;
    must(hcr_fit(region, region_text, windows->x_train.rows, windows->x_train.columns, windows->x_train.values, NULL,
                 NULL, windows->y_train.values, &options, &model, NULL, &error),
         &error);
    must(hcr_predict(model, 1, windows->x_last.values, NULL, y, NULL, &error), &error);
    hcr_model_free(model);
}

/* The M4 competition's measure: the mean of 200 |y − x| / (|y| + |x|), in percent. */
static double smape(const double *y, const double *actual) {
    double sum = 0;
    for (size_t t = 0; t < HOURS; t++)
        if (y[t] != actual[t])
            sum += 200 * fabs(y[t] - actual[t]) / (fabs(y[t]) + fabs(actual[t]));
    return sum / HOURS;
}

/* Seconds for one sample, on one thread, in the quickest of some batches of a thousand. */
static double time_decode(const hcr_region *region) {
    enum { ROWS = 1000, BATCHES = 50 };
    static double polar[ROWS * (HOURS + 1)], y[ROWS * HOURS];
    hcr_error error;
    hcr_workspace *workspace;
    for (size_t i = 0; i < ROWS * (HOURS + 1); i++) /* any directions will do, and a radius */
        polar[i] = i % (HOURS + 1) == HOURS ? 0.9 : sin((double)(i * i % 1009));
    must(hcr_workspace_create(region, 1, &workspace, &error), &error);
    double best = INFINITY; /* the other batches were disturbed by what else the machine does */
    for (int batch = 0; batch < BATCHES; batch++) {
        const double start = now();
        must(hcr_decode(region, workspace, ROWS, NULL, polar, y, NULL, &error), &error);
        best = fmin(best, now() - start);
    }
    hcr_workspace_free(workspace);
    return best / ROWS;
}

static void write_table(const char *folder, const char *id, const char *what, size_t rows, size_t columns,
                        double *values, char **names) {
    hcr_error error;
    char path[512];
    const hcr_table table = {.rows = rows, .columns = columns, .values = values, .names = names};
    snprintf(path, sizeof path, "%s/%s-%s.csv", folder, id, what);
    must(hcr_table_write(path, HCR_TABLE_CSV, &table, HCR_DOUBLE, &error), &error);
}

/* Two tables for the picture: the two days before, and the two after as they were and as they were forecast. */
static void write_tables(const char *folder, const outcome *result, const hcr_windows *windows, const double *last,
                         const double *actual, double y[METHODS][HOURS]) {
    char *before_names[] = {"hour", "value"};
    char *after_names[] = {"hour", "actual", "hcr", "plain", "plain_breaks_a_limit", "smallest", "largest"};
    double before[HOURS][2], after[HOURS][7];
    for (int t = 0; t < HOURS; t++) {
        before[t][0] = t - HOURS;
        before[t][1] = last[t];
        const double value = y[PLAIN][t], step = t == 0 ? 0 : fabs(value - y[PLAIN][t - 1]);
        const int breaks = value < windows->smallest || value > windows->largest || step > windows->largest_step;
        const double row[] = {t, actual[t], y[CONTRACT][t], value, breaks, windows->smallest, windows->largest};
        memcpy(after[t], row, sizeof row);
    }
    write_table(folder, result->id, "before", HOURS, 2, before[0], before_names);
    write_table(folder, result->id, "after", HOURS, 7, after[0], after_names);
}

static outcome do_series(const char *series_path, const char *next_path, const char *id, const char *folder) {
    hcr_error error;
    double *series, *actual, y[METHODS][HOURS];
    size_t count, next_count;
    hcr_windows windows;
    outcome result = {0};
    snprintf(result.id, sizeof result.id, "%s", id);
    must(hcr_series_read(series_path, id, &series, &count, &error), &error);
    must(hcr_series_read(next_path, id, &actual, &next_count, &error), &error);
    if (next_count != HOURS) {
        fprintf(stderr, "forecast: %s has %zu values of %s, not %d\n", next_path, next_count, id, HOURS);
        exit(EXIT_FAILURE);
    }
    /* Every window is for training: the test is what comes after the series. */
    hcr_window_options options = HCR_WINDOW_OPTIONS_INIT;
    options.input = WEEK;
    options.output = HOURS;
    options.train = 1;
    must(hcr_windows_cut(series, count, &options, &windows, &error), &error);

    hcr_region *region = make_region(&windows);
    forecast(region, &windows, HCR_HEAD_CONTRACT, y[CONTRACT]);
    forecast(region, &windows, HCR_HEAD_SIMPLE, y[PLAIN]);
    for (size_t t = 0; t < HOURS; t++)
        y[LAST_DAY][t] = series[count - DAY + t % DAY];

    for (int method = 0; method < METHODS; method++) {
        uint8_t inside;
        must(hcr_check(region, 1, NULL, y[method], &inside, NULL, &error), &error);
        result.inside[method] = inside;
        result.error[method] = smape(y[method], actual);
    }
    write_tables(folder, &result, &windows, series + count - HOURS, actual, y);
    hcr_region_free(region);
    hcr_windows_clear(&windows);
    hcr_free(series);
    hcr_free(actual);
    return result;
}

/* The time of a decode in the region of the first series, when nothing else runs. */
static double time_first(const char *series_path, const char *id) {
    hcr_error error;
    double *series;
    size_t count;
    hcr_windows windows;
    hcr_window_options options = HCR_WINDOW_OPTIONS_INIT;
    options.input = WEEK;
    options.output = HOURS;
    options.train = 1;
    must(hcr_series_read(series_path, id, &series, &count, &error), &error);
    must(hcr_windows_cut(series, count, &options, &windows, &error), &error);
    hcr_region *region = make_region(&windows);
    const double seconds = time_decode(region);
    hcr_region_free(region);
    hcr_windows_clear(&windows);
    hcr_free(series);
    return seconds;
}

static void print_results(size_t count, const outcome *results) {
    static const char *const names[] = {"hcr", "plain", "last day"};
    printf("\nseries   %-21s %-21s\n         %-10s %-10s %-10s %-10s %-10s %-10s\n", "inside the limits", "sMAPE, %",
           names[0], names[1], names[0], names[1], names[2], "");
    double error[METHODS] = {0};
    size_t inside[METHODS] = {0};
    for (size_t i = 0; i < count; i++) {
        const outcome *result = &results[i];
        printf("%-8s %-10s %-10s %-10.2f %-10.2f %-10.2f\n", result->id, result->inside[CONTRACT] ? "yes" : "NO",
               result->inside[PLAIN] ? "yes" : "no", result->error[CONTRACT], result->error[PLAIN],
               result->error[LAST_DAY]);
        for (int method = 0; method < METHODS; method++) {
            inside[method] += (size_t)result->inside[method];
            error[method] += result->error[method] / (double)count;
        }
    }
    printf("\n%-24s %-14s %-14s %s\n", "", names[CONTRACT], names[PLAIN], "last day again");
    printf("%-24s %2zu of %-8zu %2zu of %-8zu %2zu of %zu\n", "inside, at tolerance 0", inside[CONTRACT], count,
           inside[PLAIN], count, inside[LAST_DAY], count);
    printf("%-24s %-14.2f %-14.2f %.2f\n", "mean sMAPE, %", error[CONTRACT], error[PLAIN], error[LAST_DAY]);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: forecast SERIES.csv NEXT.csv FOLDER\n");
        return 2;
    }
    hcr_error error;
    char **ids;
    size_t count;
    must(hcr_series_ids(argv[1], &ids, &count, &error), &error);
    outcome *results = calloc(count + 1, sizeof *results);
    if (results == NULL || count == 0)
        return EXIT_FAILURE;
    size_t done = 0;
    const double start = now();
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < count; i++) {
        results[i] = do_series(argv[1], argv[2], ids[i], argv[3]);
#pragma omp critical
        {
            done++;
            if (isatty(STDERR_FILENO))
                fprintf(stderr, "\r%zu of %zu series%s", done, count, done < count ? "" : "\r\033[K");
        }
    }
    print_results(count, results);
    printf("%-24s %.3g microseconds a sample, 48 outputs and 190 constraints, one thread\n", "a decode",
           1e6 * time_first(argv[1], ids[0]));
    printf("%-24s %.0f seconds for %zu models\n", "training", now() - start, 2 * count);
    size_t inside = 0;
    for (size_t i = 0; i < count; i++)
        inside += (size_t)results[i].inside[CONTRACT];
    hcr_free(ids);
    free(results);
    return inside == count ? EXIT_SUCCESS : EXIT_FAILURE;
}
