#include "summary.h"

#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b) {
    const double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

double signed_rank_p(size_t count, const double *differences) {
    double *sorted = malloc((count + 1) * sizeof *sorted), positive = 0, ties = 0;
    size_t used = 0;
    if (sorted == NULL)
        return NAN;
    for (size_t i = 0; i < count; i++)
        if (differences[i] != 0)
            sorted[used++] = differences[i];
    qsort(sorted, used, sizeof *sorted, by_size);
    for (size_t first = 0, end; first < used; first = end) {
        for (end = first + 1; end < used && fabs(sorted[end]) == fabs(sorted[first]);)
            end++;
        const double tied = (double)(end - first), rank = 0.5 * (double)(first + 1 + end);
        ties += tied * (tied * tied - 1);
        for (size_t i = first; i < end; i++)
            positive += sorted[i] > 0 ? rank : 0;
    }
    free(sorted);
    const double n = (double)used, mean = n * (n + 1) / 4, variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48;
    /* Half a rank is the correction for a distribution that isn't continuous. */
    return used < 6 ? NAN : erfc(fmax(fabs(positive - mean) - 0.5, 0) / sqrt(2 * variance));
}

static const struct record *find(size_t group, double number, enum method method, size_t count,
                                 const struct record *records) {
    for (size_t i = 0; i < count; i++) {
        const double *value = records[i].value;
        if (value[FIELD_GROUP] == (double)group && value[FIELD_NUMBER] == number &&
            value[FIELD_METHOD] == (double)method)
            return &records[i];
    }
    return NULL;
}

static void compare(size_t group, enum method method, size_t count, const struct record *records,
                    struct summary *summary) {
    double *differences = malloc((count + 1) * sizeof *differences);
    size_t pairs = 0;
    summary->p = NAN;
    if (differences == NULL || method == PROJECTION) {
        free(differences);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const double *value = records[i].value;
        if (value[FIELD_GROUP] != (double)group || value[FIELD_METHOD] != (double)method)
            continue;
        const struct record *other = find(group, value[FIELD_NUMBER], PROJECTION, count, records);
        if (other == NULL)
            continue;
        differences[pairs] = value[FIELD_ERROR] - other->value[FIELD_ERROR];
        summary->better += differences[pairs++] < 0;
    }
    summary->p = signed_rank_p(pairs, differences);
    free(differences);
}

/* The mean of a field and its deviation between runs. */
static double mean(enum field field, size_t group, enum method method, size_t count, const struct record *records,
                   double *deviation) {
    double sum = 0, squares = 0, runs = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            const double *value = records[i].value;
            if (value[FIELD_GROUP] != (double)group || value[FIELD_METHOD] != (double)method || isnan(value[field]))
                continue;
            if (pass == 0) {
                sum += value[field];
                runs++;
            } else {
                squares += (value[field] - sum / runs) * (value[field] - sum / runs);
            }
        }
    if (deviation != NULL)
        *deviation = runs > 1 ? sqrt(squares / (runs - 1)) : NAN;
    return runs > 0 ? sum / runs : NAN;
}

void summarise(size_t group, enum method method, size_t count, const struct record *records, struct summary *summary) {
    *summary = (struct summary){.largest_time = NAN};
    for (size_t i = 0; i < count; i++) {
        const double *value = records[i].value;
        if (value[FIELD_GROUP] != (double)group || value[FIELD_METHOD] != (double)method)
            continue;
        summary->runs++;
        summary->largest_time = fmax(summary->largest_time, value[FIELD_LARGEST_TIME]);
        for (size_t k = 0; k < BINS; k++)
            summary->bin[k] += records[i].bin[k];
    }
    const struct {
        enum field field;
        double *mean, *deviation;
    } means[] = {{FIELD_ERROR, &summary->error, &summary->error_deviation},
                 {FIELD_INSIDE, &summary->inside, &summary->inside_deviation},
                 {FIELD_INSIDE_1E6, &summary->inside_1e6, NULL},
                 {FIELD_EXCESS, &summary->excess, NULL},
                 {FIELD_AVERAGE_TIME, &summary->average_time, NULL},
                 {FIELD_AVERAGE_TIME_MOVED, &summary->average_time_moved, NULL},
                 {FIELD_CANDIDATES, &summary->candidates, NULL},
                 {FIELD_TRAINING_ERROR, &summary->training_error, NULL},
                 {FIELD_SECONDS, &summary->seconds, NULL}};
    for (size_t k = 0; k < sizeof means / sizeof *means; k++)
        *means[k].mean = mean(means[k].field, group, method, count, records, means[k].deviation);
    compare(group, method, count, records, summary);
}
