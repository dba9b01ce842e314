#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/sized_options.h"
#include "formats/table.h"

void hcr_windows_clear(hcr_windows *windows) {
    if (windows == NULL)
        return;
    hcr_table_clear(&windows->x_train);
    hcr_table_clear(&windows->y_train);
    hcr_table_clear(&windows->x_test);
    hcr_table_clear(&windows->y_test);
    hcr_table_clear(&windows->x_last);
    *windows = (hcr_windows){0};
}

static hcr_status make_table(hcr_table *table, size_t rows, size_t columns, char letter, hcr_error *error) {
    HCRI_TRY(hcri_table_allocate(table, rows, columns, error));
    table->names = hcri_allocate(&hcri_default_allocator, columns, sizeof *table->names);
    HCRI_ALLOCATED(table->names);
    for (size_t j = 0; j < columns; j++) {
        char name[32];
        snprintf(name, sizeof name, "%c[%zu]", letter, j);
        table->names[j] = hcri_copy_string(&hcri_default_allocator, name);
        HCRI_ALLOCATED(table->names[j]);
    }
    return HCR_OK;
}

/* Where each window goes: window i has the values i … i + span − 1. */
enum place { TRAINING, GAP, TEST };

/* The windows of the training part reach value trained − 1 + span − 1, so the first that shares none with them is
 * number trained − 1 + span. */
static void split_by_time(unsigned char *places, size_t windows, size_t trained, size_t span) {
    for (size_t i = 0; i < windows; i++)
        places[i] = i < trained ? TRAINING : i < trained - 1 + span ? GAP : TEST;
}

static hcr_status split_at_random(unsigned char *places, size_t windows, size_t trained, uint64_t seed,
                                  hcr_error *error) {
    HCRI_SCOPED size_t *order = hcri_allocate(&hcri_default_allocator, windows, sizeof *order);
    HCRI_ALLOCATED(order);
    for (size_t i = 0; i < windows; i++)
        order[i] = i;
    hcri_random random;
    hcri_random_seed(&random, seed);
    hcri_random_shuffle(&random, windows, order);
    for (size_t i = 0; i < windows; i++)
        places[order[i]] = i < trained ? TRAINING : TEST;
    return HCR_OK;
}

static void find_limits(hcr_windows *windows, const double *values, size_t span) {
    for (size_t t = 0; t < span; t++) {
        windows->smallest = fmin(windows->smallest, values[t]);
        windows->largest = fmax(windows->largest, values[t]);
        if (t > 0)
            windows->largest_step = fmax(windows->largest_step, fabs(values[t] - values[t - 1]));
    }
}

static hcr_status fill(hcr_windows *windows, const double *series, size_t count, const unsigned char *places,
                       const hcr_window_options *options, hcr_error *error) {
    const size_t input = options->input, output = options->output, span = input + output;
    size_t rows[3] = {0};
    for (size_t i = 0; i + span <= count; i++)
        rows[places[i]]++;
    HCRI_TRY(make_table(&windows->x_train, rows[TRAINING], input, 'x', error));
    HCRI_TRY(make_table(&windows->y_train, rows[TRAINING], output, 'y', error));
    HCRI_TRY(make_table(&windows->x_test, rows[TEST], input, 'x', error));
    HCRI_TRY(make_table(&windows->y_test, rows[TEST], output, 'y', error));
    HCRI_TRY(make_table(&windows->x_last, 1, input, 'x', error));
    memcpy(windows->x_last.values, series + count - input, input * sizeof *series);
    windows->smallest = INFINITY;
    windows->largest = -INFINITY;
    windows->largest_step = 0;
    double *x[] = {[TRAINING] = windows->x_train.values, [TEST] = windows->x_test.values};
    double *y[] = {[TRAINING] = windows->y_train.values, [TEST] = windows->y_test.values};
    for (size_t i = 0; i + span <= count; i++) {
        const unsigned char place = places[i];
        if (place == GAP)
            continue;
        if (place == TRAINING)
            find_limits(windows, series + i, span);
        memcpy(x[place], series + i, input * sizeof *series);
        memcpy(y[place], series + i + input, output * sizeof *series);
        x[place] += input;
        y[place] += output;
    }
    return HCR_OK;
}

hcr_status hcr_windows_cut(const double *series, size_t count, const hcr_window_options *options, hcr_windows *windows,
                           hcr_error *error) {
    HCRI_FAIL_IF(windows == NULL || options == NULL || (series == NULL && count > 0), HCR_ERROR_ARGUMENT,
                 "series, options and windows can't be NULL");
    *windows = (hcr_windows){0};
    static const hcr_window_options defaults = HCR_WINDOW_OPTIONS_INIT;
    hcr_window_options chosen;
    HCRI_TRY(hcri_options_take(options, &defaults, sizeof defaults, &chosen, "HCR_WINDOW_OPTIONS_INIT", error));
    HCRI_FAIL_IF(chosen.input == 0 || chosen.output == 0, HCR_ERROR_ARGUMENT,
                 "a window has %zu + %zu values: both must be at least 1", chosen.input, chosen.output);
    HCRI_FAIL_IF(!(chosen.train > 0 && chosen.train <= 1), HCR_ERROR_ARGUMENT,
                 "the share for training is %g: it must be more than 0 and at most 1", chosen.train);
    HCRI_FAIL_IF(chosen.split != HCR_SPLIT_RANDOM && chosen.split != HCR_SPLIT_TIME, HCR_ERROR_ARGUMENT,
                 "split %d doesn't exist", (int)chosen.split);
    for (size_t t = 0; t < count; t++)
        HCRI_FAIL_IF(!isfinite(series[t]), HCR_ERROR_DATA, "value %zu of the series (counted from 0) is %s", t,
                     isnan(series[t]) ? "NaN" : "infinite");
    HCRI_FAIL_IF(chosen.input > count || chosen.output > count - chosen.input, HCR_ERROR_SHAPE,
                 "the series has %zu values; a window needs %zu + %zu: %zu too few", count, chosen.input, chosen.output,
                 chosen.output > SIZE_MAX - chosen.input ? SIZE_MAX : chosen.input + chosen.output - count);
    const size_t span = chosen.input + chosen.output, total = count - span + 1;
    size_t trained = (size_t)floor(chosen.train * (double)total + 0.5);
    trained = trained < 1 ? 1 : trained > total ? total : trained;
    HCRI_SCOPED unsigned char *places = hcri_allocate(&hcri_default_allocator, total, 1);
    HCRI_ALLOCATED(places);
    hcr_status status = HCR_OK;
    if (chosen.split == HCR_SPLIT_TIME)
        split_by_time(places, total, trained, span);
    else
        status = split_at_random(places, total, trained, chosen.seed, error);
    if (status == HCR_OK)
        status = fill(windows, series, count, places, &chosen, error);
    if (status != HCR_OK)
        hcr_windows_clear(windows);
    return status;
}
