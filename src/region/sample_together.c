/* What a sample's limits leave one value only together, by the centres of two sets with wider limits. */
#include <math.h>

#include "region/sample_hold.h"

double hcri_sample_size(const hcri_sample *s, size_t i) {
    const hcri_barrier *barrier = &s->centres->barrier;
    const size_t columns = barrier->columns;
    double size = s->region->inradius * (i < columns ? 1 : hcri_barrier_row_length(barrier, s->values, i - columns));
    if (!isinf(s->lower[i]))
        size = fmax(size, fabs(s->lower[i]));
    return isinf(s->upper[i]) ? size : fmax(size, fabs(s->upper[i]));
}

/* The centre of the set whose limits are moved outwards by a share of their sizes, and how far it is from those: of
 * what has to have one value as little as they are moved, else what there is room for. */
static int centre_widened(hcri_sample *s, const double *origin, double share, double *distance) {
    const hcri_barrier *barrier = &s->centres->barrier;
    const size_t count = barrier->columns + barrier->rows;
    double *lower = s->wide, *upper = s->wide + count;
    for (size_t i = 0; i < count; i++) {
        const double beyond = hcri_sample_is_held(s, i) ? 0 : share * hcri_sample_size(s, i);
        lower[i] = s->lower[i] - beyond;
        upper[i] = s->upper[i] + beyond;
    }
    hcri_barrier_problem problem = hcri_sample_problem(s, origin);
    problem.lower = lower;
    problem.upper = upper;
    if (!hcri_barrier_centre(barrier, &problem, s->f, s->scratch))
        return 0;
    for (size_t i = 0; i < count; i++) {
        const double at = i < barrier->columns ? s->f[i] : hcri_sample_row(s, i - barrier->columns, s->f);
        distance[i] = at - lower[i];
        distance[count + i] = upper[i] - at;
    }
    return 1;
}

int hcri_sample_hold_together(hcri_sample *s, const double *origin, double first) {
    static const double less = 2e-2;
    const double second = 1e-3 * first;
    const hcri_barrier *barrier = &s->centres->barrier;
    const size_t columns = barrier->columns, count = columns + barrier->rows;
    double *before = s->distance, *after = s->distance + 2 * count;
    if (!centre_widened(s, origin, first, before) || !centre_widened(s, origin, second, after))
        return 0;
    hcri_sample_take_bounds(s);
    for (size_t r = 0; r < barrier->rows; r++) { /* rows of one column are limits of that column */
        const size_t i = columns + r, k = barrier->start[r], j = barrier->column[k];
        for (size_t side = 0; side < 2 && hcri_barrier_is_single(barrier, r) && !hcri_sample_is_held(s, j); side++)
            if (after[side * count + i] < less * before[side * count + i])
                after[(s->values[k] > 0 ? side : 1 - side) * count + j] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        const int at_low = after[i] < less * before[i], at_high = after[count + i] < less * before[count + i];
        const double low = i < columns ? s->low[i] : s->lower[i], high = i < columns ? s->high[i] : s->upper[i];
        const double value = at_low && at_high ? low + 0.5 * (high - low) : at_low ? low : high;
        if (hcri_sample_is_held(s, i) || !(at_low || at_high))
            continue;
        if (i < columns)
            hcri_sample_hold_column(s, i, value);
        else if (!hcri_barrier_is_single(barrier, i - columns))
            s->lower[i] = s->upper[i] = value;
    }
    double *merged_low = s->wide, *merged_high = s->wide + barrier->rows; /* all twins of a held row are */
    hcri_sample_merge_twins(s, merged_low, merged_high);
    for (size_t r = 0; r < barrier->rows; r++) {
        const uint32_t first_twin = s->centres->twin[r];
        if (!hcri_barrier_is_single(barrier, r) && merged_low[first_twin] >= merged_high[first_twin])
            hcri_sample_equate(s, r, merged_low[first_twin], merged_high[first_twin]);
    }
    hcri_sample_hold_by_rows(s);
    return 1;
}
