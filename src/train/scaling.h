/* Means and deviations of columns, and inputs in units of them. */
#ifndef HCRI_SCALING_H
#define HCRI_SCALING_H

#include <stddef.h>

typedef struct hcri_scaling {
    size_t count;
    double *mean, *deviation; /* deviation 0: the column is constant */
} hcri_scaling;

/* Rows row[0] … row[rows − 1] of a table of so many columns; row i weighs weight[i] >= 0 (NULL: 1). */
typedef struct hcri_chosen_rows {
    size_t rows;
    const size_t *row;
    const double *weight;
    size_t columns;
    const double *values;
} hcri_chosen_rows;
/* Column j counts for number j % count, which pools an LSTM's steps. A deviation that rounding alone could have made,
 * below 1e-12 of the largest value, is 0. Returns 0 when a result isn't finite. */
int hcri_scaling_measure(hcri_scaling *scaling, const hcri_chosen_rows *chosen);

/* x = (values − mean)/deviation, 0 for constant columns. Returns 0, and leaves zeros, when a value isn't finite or is
 * more than 1e15 deviations away: no network has anything to say about it, and its sums might overflow. */
int hcri_scaling_apply(const hcri_scaling *scaling, size_t columns, const double *values, float *x);

#endif
