#include "train/scaling.h"

#include <math.h>
#include <string.h>

static double weight_of(const hcri_chosen_rows *chosen, size_t row) {
    return chosen->weight == NULL ? 1 : chosen->weight[row];
}

/* Means by updates, which can't overflow; the squares are summed around the finished mean (two passes), in units of the
 * largest distance from it. */
static int measure_column(hcri_scaling *scaling, size_t number, const hcri_chosen_rows *chosen) {
    const size_t columns = chosen->columns;
    double mean = 0, count = 0, largest = 0, far = 0, squares = 0;
    for (size_t i = 0; i < chosen->rows; i++) {
        const size_t row = chosen->row[i];
        const double weight = weight_of(chosen, row);
        for (size_t j = number; weight > 0 && j < columns; j += scaling->count) {
            const double value = chosen->values[row * columns + j];
            count += weight;
            mean += weight == 1 ? value / count - mean / count : weight / count * value - weight / count * mean;
            largest = fmax(largest, fabs(value));
        }
    }
    for (size_t i = 0; i < chosen->rows; i++) {
        const size_t row = chosen->row[i];
        for (size_t j = number; weight_of(chosen, row) > 0 && j < columns; j += scaling->count)
            far = fmax(far, fabs(chosen->values[row * columns + j] - mean));
    }
    for (size_t i = 0; far > 0 && i < chosen->rows; i++) {
        const size_t row = chosen->row[i];
        const double weight = weight_of(chosen, row);
        for (size_t j = number; weight > 0 && j < columns; j += scaling->count) {
            const double share = (chosen->values[row * columns + j] - mean) / far;
            squares += weight * share * share;
        }
    }
    const double deviation = far * sqrt(squares / count);
    scaling->mean[number] = mean;
    scaling->deviation[number] = deviation > 1e-12 * largest ? deviation : 0;
    return isfinite(mean) && isfinite(far) && isfinite(deviation);
}

int hcri_scaling_measure(hcri_scaling *scaling, const hcri_chosen_rows *chosen) {
    int good = 1;
    for (size_t number = 0; number < scaling->count; number++)
        good &= measure_column(scaling, number, chosen);
    return good;
}

int hcri_scaling_apply(const hcri_scaling *scaling, size_t columns, const double *values, float *x) {
    for (size_t j = 0; j < columns; j++) {
        const double mean = scaling->mean[j % scaling->count], deviation = scaling->deviation[j % scaling->count];
        const double distance = deviation > 0 ? (values[j] - mean) / deviation : 0;
        if (!isfinite(values[j]) || !(fabs(distance) <= 1e15)) {
            memset(x, 0, columns * sizeof *x);
            return 0;
        }
        x[j] = (float)distance;
    }
    return 1;
}
