/* The centre of one sample, and what its set leaves one value. */
#include <math.h>
#include <string.h>

#include "region/sample_problem.h"

/* How close limits may be to count as met, a share of their size, and by how much they may cross: by that or a share of
 * a length. */
typedef struct hcri_nearness {
    double share, length;
} hcri_nearness;

/* Between limits, which may be too far apart by `off`: 1 when they meet, −1 when they cross by more, else 0. */
static int meet(double low, double high, hcri_nearness near, double off) {
    const double size = fmax(fabs(low), fabs(high)), gap = high - low;
    return gap < -near.share * fmax(size, near.length) ? -1 : isinf(size) || !(gap <= near.share * size + off) ? 0 : 1;
}

static void hold_column(hcri_sample *s, size_t j, double value) {
    s->lower[j] = s->upper[j] = fmin(fmax(value, s->centres->lower[j]), s->centres->upper[j]);
}

/* 1 when the row has the coefficients of its twin with the other sign. */
static int is_turned(const hcri_sample *s, size_t r) {
    const hcri_barrier *barrier = &s->centres->barrier;
    const double *values = s->centres->values;
    return (values[barrier->start[r]] < 0) != (values[barrier->start[s->centres->twin[r]]] < 0);
}

/* The limits of each row and its twins together, at the place of the first of them: of the columns' sum as that has it.
 */
static void merge_twins(const hcri_sample *s, double *low, double *high) {
    const hcri_barrier *barrier = &s->centres->barrier;
    for (size_t r = 0; r < barrier->rows; r++) {
        const uint32_t first = s->centres->twin[r];
        const double lower = s->lower[barrier->columns + r], upper = s->upper[barrier->columns + r];
        const int turned = is_turned(s, r);
        low[r] = lower;
        high[r] = upper;
        low[first] = fmax(low[first], turned ? -upper : lower);
        high[first] = fmin(high[first], turned ? -lower : upper);
    }
}

static void equate(hcri_sample *s, size_t r, double low, double high) {
    const size_t i = s->centres->barrier.columns + r;
    const double value = low + 0.5 * (high - low);
    s->lower[i] = s->upper[i] = is_turned(s, r) ? -value : value;
}

/* Rows whose sides meet are equalities; those of twins count together. 0: some cross. */
static int hold_rows(hcri_sample *s, hcri_nearness near) {
    const hcri_barrier *barrier = &s->centres->barrier;
    const uint32_t *twin = s->centres->twin;
    double *low = s->distance, *high = low + barrier->rows;
    merge_twins(s, low, high);
    for (size_t r = 0; r < barrier->rows; r++) {
        const int met = hcri_sample_is_single(barrier, r) ? 0 : meet(low[twin[r]], high[twin[r]], near, 0);
        if (met < 0)
            return 0;
        if (met != 0)
            equate(s, r, low[twin[r]], high[twin[r]]);
    }
    hcri_sample_drop_rows_of_held(s);
    return 1;
}

/* Columns between low and high that meet are held, and rows whose sides do equalities. 0: some have no value. */
static int hold(hcri_sample *s, hcri_nearness near) {
    const hcri_barrier *barrier = &s->centres->barrier;
    for (size_t j = 0; j < barrier->columns; j++) {
        const double off = 2 * (s->low_off[j] + s->high_off[j]);
        const int met = meet(s->low[j], s->high[j], near, off);
        if (met < 0)
            return 0;
        if (met == 0)
            continue;
        /* The column's own limits, in `wide`, where rounding alone tells them from what rows leave. */
        const double low = s->wide[j], high = s->wide[barrier->columns + j];
        hold_column(s, j,
                    meet(low, s->high[j], near, off) > 0   ? low
                    : meet(s->low[j], high, near, off) > 0 ? high
                                                           : s->low[j] + 0.5 * (s->high[j] - s->low[j]));
    }
    return hold_rows(s, near);
}

/* ------------------------------------------------------------------------------- what limits leave only together */

/* What a column or a row is measured by: its limits, and how far it goes along the largest ball. */
static double size_of(const hcri_sample *s, size_t i) {
    const hcri_barrier *barrier = &s->centres->barrier;
    double square = 1, size = 0;
    if (i >= barrier->columns) {
        square = 0;
        for (size_t k = barrier->start[i - barrier->columns]; k < barrier->start[i - barrier->columns + 1]; k++)
            square += s->values[k] * s->values[k];
    }
    size = sqrt(square) * s->region->inradius;
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
        const double beyond = hcri_sample_is_held(s, i) ? 0 : share * size_of(s, i);
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

/* Rows that are equalities and have one column left that isn't held hold it: one after the other, forth and back. */
static void hold_by_rows(hcri_sample *s) {
    enum { PASSES = 4 };
    const hcri_barrier *barrier = &s->centres->barrier;
    for (int pass = 0; pass < PASSES; pass++)
        for (size_t t = 0; t < barrier->rows; t++) {
            const size_t r = pass % 2 == 0 ? t : barrier->rows - 1 - t, i = barrier->columns + r;
            size_t left = 0, at = 0;
            double rest = s->lower[i];
            for (size_t k = barrier->start[r]; k < barrier->start[r + 1] && hcri_sample_is_held(s, i); k++) {
                const uint32_t j = barrier->column[k];
                if (hcri_sample_is_held(s, j)) {
                    rest -= s->values[k] * s->lower[j];
                } else if (s->values[k] != 0) {
                    left++;
                    at = k;
                }
            }
            const uint32_t j = barrier->column[at];
            if (left == 1)
                hold_column(s, j, fmin(fmax(rest / s->values[at], s->low[j]), s->high[j]));
        }
}

/* Columns that rows which are equalities leave one value, only together. */
static void hold_by_all_rows(hcri_sample *s, const hcri_barrier_problem *problem) {
    static const double none = 1e-9;
    const hcri_barrier *barrier = &s->centres->barrier;
    double *v = s->folded.of_columns;
    for (size_t j = 0; j < barrier->columns; j++) {
        if (hcri_sample_is_held(s, j))
            continue;
        memset(v, 0, barrier->columns * sizeof *v);
        v[j] = 1;
        hcri_barrier_project(barrier, problem, v, s->scratch);
        s->wide[j] = v[j]; /* the squared length of the projection */
    }
    for (size_t j = 0; j < barrier->columns; j++)
        if (!hcri_sample_is_held(s, j) && s->wide[j] < none)
            hold_column(s, j, fmin(fmax(s->f[j], s->low[j]), s->high[j]));
    memset(v, 0, barrier->columns * sizeof *v);
}

/* Holds all that the sample's set leaves one value. With limits that are moved outwards there is a centre whose
 * distances from them are at least 1/m of the largest ones in the set, m inequalities, and those from limits that are
 * met everywhere in the sample's set are in proportion to what these were moved by: from the first to the second set
 * such distances become a thousand times smaller. Others do that too where less than about `first` of their size is
 * left. 0: the set is empty. */
static int hold_together(hcri_sample *s, const double *origin, double first) {
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
        for (size_t side = 0; side < 2 && hcri_sample_is_single(barrier, r) && !hcri_sample_is_held(s, j); side++)
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
            hold_column(s, i, value);
        else if (!hcri_sample_is_single(barrier, i - columns))
            s->lower[i] = s->upper[i] = value;
    }
    double *merged_low = s->wide, *merged_high = s->wide + barrier->rows; /* all twins of a held row are */
    merge_twins(s, merged_low, merged_high);
    for (size_t r = 0; r < barrier->rows; r++) {
        const uint32_t first_twin = s->centres->twin[r];
        if (!hcri_sample_is_single(barrier, r) && merged_low[first_twin] >= merged_high[first_twin])
            equate(s, r, merged_low[first_twin], merged_high[first_twin]);
    }
    hold_by_rows(s);
    return 1;
}

static int is_row_of_held(const hcri_sample *s, size_t r) {
    const hcri_barrier *barrier = &s->centres->barrier;
    int held = 1;
    for (size_t k = barrier->start[r]; k < barrier->start[r + 1] && held; k++)
        held = s->values[k] == 0 || hcri_sample_is_held(s, barrier->column[k]);
    return held;
}

/* A dependent output into the limits that a row over it alone gives it. */
static void clamp_own(const hcri_sample *s, size_t r, double *point) {
    const hcri_set *set = &s->region->set;
    const uint32_t j = s->centres->own[r], number = s->centres->number[r];
    double low = set->box->lower[j], high = set->box->upper[j];
    if (number >= set->linear->base.first) {
        const hcri_linear *linear = set->linear;
        const size_t i = (number - linear->base.first) / 2, first = linear->rows.start[i];
        const double a = linear->rows.values[first]; /* outputs come first */
        double rest = 0;
        for (size_t k = first + 1; k < linear->rows.start[i + 1]; k++)
            rest += linear->rows.values[k] * s->x[linear->rows.columns[k] - set->outputs];
        low = ((a > 0 ? linear->lower : linear->upper)[i] - rest) / a;
        high = ((a > 0 ? linear->upper : linear->lower)[i] - rest) / a;
    }
    point[j] = fmin(fmax(point[j], low), high);
}

/* 1 when a distance at the centre is what rounding may have made of none. */
static int is_lost_in_rounding(const hcri_sample *s) {
    static const double share = 0x1p-44;
    const size_t columns = s->centres->barrier.columns, count = columns + s->centres->barrier.rows;
    for (size_t i = 0; i < count; i++) {
        const double at = i < columns ? s->f[i] : hcri_sample_row(s, i - columns, s->f);
        if (!hcri_sample_is_held(s, i) &&
            (at - s->lower[i] < share * fabs(s->lower[i]) || s->upper[i] - at < share * fabs(s->upper[i])))
            return 1;
    }
    return 0;
}

/* Outputs that held ones determine have one value. */
static void hold_dependent(const hcri_affine *affine, size_t outputs, double *is_free) {
    for (size_t d = 0; d < affine->count; d++) {
        int held = 1;
        for (size_t k = affine->map.start[d]; k < affine->map.start[d + 1]; k++)
            held &= affine->map.columns[k] >= outputs || is_free[affine->map.columns[k]] == 0;
        if (held)
            is_free[affine->dependent[d]] = 0;
    }
}

/* … and those that held rows do; limits of these alone then say nothing more. */
static void hold_dependent_by_rows(hcri_sample *s, const hcri_barrier_problem *problem, double *is_free) {
    static const double none = 1e-9;
    const hcri_barrier *barrier = &s->centres->barrier;
    const hcri_affine *affine = &s->region->affine;
    const size_t outputs = s->region->set.outputs;
    double *v = s->folded.of_columns;
    int any = 0;
    for (size_t r = 0; r < barrier->rows; r++)
        any |= is_free[outputs + r] == 0;
    for (size_t d = 0; any && d < affine->count; d++) {
        double before = 0, after = 0;
        memset(v, 0, barrier->columns * sizeof *v);
        for (size_t k = affine->map.start[d]; k < affine->map.start[d + 1]; k++)
            if (affine->map.columns[k] < outputs)
                v[s->centres->column[affine->map.columns[k]]] = affine->map.values[k];
        for (size_t j = 0; j < barrier->columns; j++)
            before = fmax(before, fabs(v[j]));
        hcri_barrier_project(barrier, problem, v, s->scratch);
        for (size_t j = 0; j < barrier->columns; j++)
            after = fmax(after, fabs(v[j]));
        if (after > none * before)
            continue;
        is_free[affine->dependent[d]] = 0;
        for (size_t r = 0; r < barrier->rows; r++)
            if (s->centres->own[r] == affine->dependent[d])
                is_free[outputs + r] = 0;
    }
    memset(v, 0, barrier->columns * sizeof *v);
}

int hcri_centres_find(const hcr_region *region, int attempt, double *point, double *is_free, double *scratch) {
    /* The last ones: the finer the limits are moved the less is held, and the less rounding lets be found. */
    static const double moved[HCRI_CENTRE_ATTEMPTS] = {0, 0, 1e-6, 1e-4, 1e-3}, share = 0x1p-50;
    const int together = moved[attempt] > 0;
    const size_t outputs = region->set.outputs;
    const hcri_centres *centres = region->centres;
    const hcri_barrier *barrier = &centres->barrier;
    hcri_sample s = hcri_sample_begin(region, point, scratch);
    hcri_sample_take_bounds(&s);
    memcpy(s.wide, s.low, barrier->columns * sizeof *s.wide);
    memcpy(s.wide + barrier->columns, s.high, barrier->columns * sizeof *s.wide);
    if (attempt > 0)
        hcri_sample_propagate(&s);
    const hcri_nearness near = {share, attempt == 0 ? 0 : region->inradius}; /* what rows leave is rounded */
    if (!hold(&s, near))
        return attempt == 0 ? 0 : -1; /* as in all attempts behind it */
    if (together && !hold_together(&s, point, moved[attempt]))
        return 0;
    for (size_t j = 0; j < outputs; j++)
        is_free[j] = 1;
    /* A row of held columns says nothing more; where these were found by rows they satisfy it up to rounding. */
    for (size_t r = 0; r < barrier->rows; r++) {
        const int met = !hcri_sample_is_single(barrier, r) && hcri_sample_is_held(&s, barrier->columns + r);
        is_free[outputs + r] = !(met || (together && is_row_of_held(&s, r)));
        if (centres->own[r] != HCRI_NO_COLUMN && is_free[outputs + r] == 0)
            is_free[centres->own[r]] = 0;
    }
    if (together)
        hcri_sample_drop_rows_of_held(&s);
    const hcri_barrier_problem problem = hcri_sample_problem(&s, point);
    if (!hcri_barrier_centre(barrier, &problem, s.f, s.scratch) || (attempt == 0 && is_lost_in_rounding(&s)))
        return 0;
    if (together)
        hold_by_all_rows(&s, &problem);
    for (size_t j = 0; j < barrier->columns; j++) {
        point[centres->output[j]] = hcri_sample_is_held(&s, j) ? s.lower[j] : s.f[j];
        is_free[centres->output[j]] = !hcri_sample_is_held(&s, j);
    }
    hold_dependent(&region->affine, outputs, is_free);
    hold_dependent_by_rows(&s, &problem, is_free);
    hcri_affine_complete(&region->affine, point);
    for (size_t r = 0; r < barrier->rows; r++)
        if (is_free[outputs + r] == 0 && centres->own[r] != HCRI_NO_COLUMN)
            clamp_own(&s, r, point);
    return 1;
}

/* ------------------------------------------------------------------------------------------------------ directions */

static void project(const hcr_region *region, const double *point, const double *is_free, double *v, double *scratch) {
    const hcri_centres *centres = region->centres;
    if (!hcri_sample_holds_rows(centres, region->set.outputs, is_free))
        return;
    hcri_sample s = hcri_sample_begin_held(region, point, is_free, scratch);
    hcri_sample_drop_rows_of_held(&s);
    const hcri_barrier_problem problem = hcri_sample_problem(&s, point);
    double *w = s.folded.of_columns;
    for (size_t j = 0; j < centres->barrier.columns; j++)
        w[j] = v[centres->output[j]];
    hcri_barrier_project(&centres->barrier, &problem, w, s.scratch);
    for (size_t j = 0; j < centres->barrier.columns; j++)
        v[centres->output[j]] = w[j];
}

void hcri_centres_hold(const hcr_region *region, const double *point, const double *is_free, double *v,
                       double *scratch) {
    const hcri_affine *affine = &region->affine;
    for (size_t j = 0; j < region->set.outputs; j++)
        v[j] *= is_free[j]; /* what isn't finite stays so */
    project(region, point, is_free, v, scratch);
    memset(v + region->set.outputs, 0, (region->set.n - region->set.outputs) * sizeof *v);
    hcri_affine_follow(affine, v);
    for (size_t d = 0; d < affine->count; d++)
        if (is_free[affine->dependent[d]] == 0)
            v[affine->dependent[d]] = 0;
}

void hcri_centres_hold_adjoint(const hcr_region *region, const double *point, const double *is_free, double *gradient,
                               double *scratch) {
    const size_t outputs = region->set.outputs;
    hcri_affine_follow_adjoint(&region->affine, outputs, gradient);
    project(region, point, is_free, gradient, scratch);
    for (size_t j = 0; j < outputs; j++)
        gradient[j] *= is_free[j];
}
