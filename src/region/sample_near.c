/* The centre of a sample whose gaps differ in size by more than a double's digits, and what rounding hides of them. */
#include <math.h>
#include <string.h>

#include "base/double_double.h"
#include "region/sample_hold.h"

/* What is left of a limit at f, to about twice the working precision. */
static double left_of(const hcri_sample *s, size_t i, double limit) {
    const hcri_barrier *barrier = &s->centres->barrier;
    const size_t r = i - barrier->columns;
    hcri_dd left = {limit, 0};
    if (isinf(limit))
        return limit;
    if (i < barrier->columns)
        return limit - s->f[i];
    for (size_t k = barrier->start[r]; k < barrier->start[r + 1]; k++)
        left = hcri_dd_add_product(left, -s->values[k], s->f[barrier->column[k]]);
    return hcri_dd_value(left);
}

/* f becomes the centre of the set whose limits are moved outwards by a share of their sizes. It is searched for from f
 * on, so that what is left of limits that are near has all its digits. */
static int centre_from(hcri_sample *s, const double *origin, double share) {
    enum { MOST_STEPS = 40 }; /* mostly ten; a set that is empty takes all of them */
    const hcri_barrier *barrier = &s->centres->barrier;
    const size_t count = barrier->columns + barrier->rows;
    double *lower = s->wide, *upper = s->wide + count, *way = s->low;
    for (size_t i = 0; i < count; i++) {
        const double beyond = share * hcri_sample_size(s, i);
        lower[i] = left_of(s, i, s->lower[i]) - beyond;
        upper[i] = left_of(s, i, s->upper[i]) + beyond;
    }
    hcri_barrier_problem problem = hcri_sample_problem(s, origin);
    problem.lower = lower;
    problem.upper = upper;
    problem.twice = 1;
    problem.steps = MOST_STEPS;
    for (size_t j = 0; j < barrier->columns; j++) {
        s->towards[j] -= s->f[j];
        way[j] = 0;
    }
    if (!hcri_barrier_centre(barrier, &problem, way, s->scratch))
        return 0;
    for (size_t j = 0; j < barrier->columns; j++)
        s->f[j] += way[j];
    return 1;
}

int hcri_sample_centre_near(hcri_sample *s, const double *origin) {
    static const double share[] = {1e-6, 1e-9, 1e-12, 1e-15, 0};
    size_t done = 0;
    while (done < sizeof share / sizeof *share && centre_from(s, origin, share[done]))
        done++;
    return done > 2;
}

/* Σ of the terms of a row at f. */
static double terms_of(const hcri_sample *s, size_t r) {
    const hcri_centres *centres = s->centres;
    const hcri_barrier *barrier = &centres->barrier;
    double sum = 0;
    for (size_t k = barrier->start[r]; k < barrier->start[r + 1]; k++)
        sum += fabs(s->values[k] * s->f[barrier->column[k]]);
    for (size_t k = centres->shift.start[r]; r < centres->varying && k < centres->shift.start[r + 1]; k++)
        sum += fabs(centres->shift.values[k] * s->x[centres->shift.columns[k]]);
    return sum;
}

/* By what rounding in this unit may move the value of a row, beside a limit. */
static double rounding_of(const hcri_sample *s, size_t r, double unit, double limit) {
    const size_t entries = s->centres->barrier.start[r + 1] - s->centres->barrier.start[r];
    return (double)(entries + 8) * unit * (terms_of(s, r) + fabs(limit));
}

/* 1 when that hides how far a row is from one of its limits at f. */
static int is_near(const hcri_sample *s, size_t r, double unit) {
    const size_t i = s->centres->barrier.columns + r;
    return (!isinf(s->upper[i]) && left_of(s, i, s->upper[i]) <= rounding_of(s, r, unit, s->upper[i])) ||
           (!isinf(s->lower[i]) && -left_of(s, i, s->lower[i]) <= rounding_of(s, r, unit, s->lower[i]));
}

/* Holds column j where it is as near to a limit of its own as `room`, or nearer. */
static void hold_near_column(hcri_sample *s, size_t j, double room) {
    if (!hcri_sample_is_held(s, j) && (s->f[j] - s->low[j] <= room || s->high[j] - s->f[j] <= room))
        hcri_sample_hold_column(s, j, s->f[j]);
}

void hcri_sample_hold_near(hcri_sample *s, double unit) {
    const hcri_barrier *barrier = &s->centres->barrier;
    double *row_is_near = s->row;
    hcri_sample_take_bounds(s);
    for (size_t j = 0; j < barrier->columns; j++) {
        s->f[j] = fmin(fmax(s->f[j], s->low[j]), s->high[j]);
        hold_near_column(s, j, 4 * unit * fabs(s->f[j]));
    }
    memset(row_is_near, 0, barrier->rows * sizeof *row_is_near);
    for (size_t r = 0; r < barrier->rows; r++)
        if (!hcri_barrier_is_single(barrier, r) && is_near(s, r, unit))
            row_is_near[s->centres->twin[r]] = 1;
    for (size_t r = 0; r < barrier->rows; r++) {
        if (hcri_barrier_is_single(barrier, r) || row_is_near[s->centres->twin[r]] == 0)
            continue;
        s->lower[barrier->columns + r] = s->upper[barrier->columns + r] = hcri_sample_row(s, r, s->f);
        for (size_t k = barrier->start[r]; k < barrier->start[r + 1]; k++)
            if (s->values[k] != 0)
                hold_near_column(s, barrier->column[k], rounding_of(s, r, unit, 0) / fabs(s->values[k]));
    }
    hcri_sample_hold_by_rows(s);
}
