/* The centre of one sample, and what its set leaves one value. */
#include <math.h>
#include <string.h>

#include "region/sample_hold.h"

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

/* Rows whose sides meet are equalities; those of twins count together. 0: some cross. */
static int hold_rows(hcri_sample *s, hcri_nearness near) {
    const hcri_barrier *barrier = &s->centres->barrier;
    const uint32_t *twin = s->centres->twin;
    double *low = s->distance, *high = low + barrier->rows;
    hcri_sample_merge_twins(s, low, high);
    for (size_t r = 0; r < barrier->rows; r++) {
        const int met = hcri_barrier_is_single(barrier, r) ? 0 : meet(low[twin[r]], high[twin[r]], near, 0);
        if (met < 0)
            return 0;
        if (met != 0)
            hcri_sample_equate(s, r, low[twin[r]], high[twin[r]]);
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
        hcri_sample_hold_column(s, j,
                                meet(low, s->high[j], near, off) > 0   ? low
                                : meet(s->low[j], high, near, off) > 0 ? high
                                                                       : s->low[j] + 0.5 * (s->high[j] - s->low[j]));
    }
    return hold_rows(s, near);
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

void hcri_centres_follow(const hcri_affine *affine, const double *is_free, double *v) {
    hcri_affine_follow(affine, v);
    for (size_t d = 0; d < affine->count; d++)
        if (is_free[affine->dependent[d]] == 0)
            v[affine->dependent[d]] = 0;
}

void hcri_centres_hold_dependent(const hcri_affine *affine, size_t outputs, double *is_free) {
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

/* What is held becomes is_free and, with s->f for the rest, the outputs. */
static void finish(hcri_sample *s, const hcri_barrier_problem *problem, double *point, double *is_free) {
    const hcr_region *region = s->region;
    const hcri_centres *centres = s->centres;
    const hcri_barrier *barrier = &centres->barrier;
    const size_t outputs = region->set.outputs;
    for (size_t j = 0; j < barrier->columns; j++) {
        point[centres->output[j]] = hcri_sample_is_held(s, j) ? s->lower[j] : s->f[j];
        is_free[centres->output[j]] = !hcri_sample_is_held(s, j);
    }
    hcri_centres_hold_dependent(&region->affine, outputs, is_free);
    hold_dependent_by_rows(s, problem, is_free);
    hcri_affine_complete(&region->affine, point);
    for (size_t r = 0; r < barrier->rows; r++)
        if (is_free[outputs + r] == 0 && centres->own[r] != HCRI_NO_COLUMN)
            clamp_own(s, r, point);
}

/* A row of held columns says nothing more; where these were found by rows they satisfy it up to rounding. */
static void free_rows(const hcri_sample *s, int together, double *is_free) {
    const hcri_centres *centres = s->centres;
    const hcri_barrier *barrier = &centres->barrier;
    const size_t outputs = s->region->set.outputs;
    for (size_t j = 0; j < outputs; j++)
        is_free[j] = 1;
    for (size_t r = 0; r < barrier->rows; r++) {
        const int met = !hcri_barrier_is_single(barrier, r) && hcri_sample_is_held(s, barrier->columns + r);
        is_free[outputs + r] = !(met || (together && hcri_sample_is_row_of_held(s, r)));
        if (centres->own[r] != HCRI_NO_COLUMN && is_free[outputs + r] == 0)
            is_free[centres->own[r]] = 0;
    }
}

static void hold_at(hcri_sample *s, double unit, double *point, double *is_free) {
    hcri_sample_hold_near(s, unit);
    free_rows(s, 1, is_free);
    hcri_sample_drop_rows_of_held(s);
    const hcri_barrier_problem problem = hcri_sample_problem(s, point);
    hcri_sample_hold_by_all_rows(s, &problem);
    finish(s, &problem, point, is_free);
}

static int find_near(const hcr_region *region, double *point, double *is_free, double *scratch) {
    hcri_sample s = hcri_sample_begin(region, point, scratch);
    if (!hcri_sample_centre_near(&s, point))
        return 0;
    hold_at(&s, 0x1p-53, point, is_free);
    return 1;
}

void hcri_centres_hold_rounded(const hcr_region *region, double *point, double *is_free, double *scratch) {
    hcri_sample s = hcri_sample_begin(region, point, scratch);
    for (size_t j = 0; j < s.centres->barrier.columns; j++)
        if (is_free[s.centres->output[j]] == 0)
            s.lower[j] = s.upper[j] = s.f[j];
    hold_at(&s, 0x1p-24, point, is_free);
}

int hcri_centres_find(const hcr_region *region, int attempt, double *point, double *is_free, double *scratch) {
    static const double share = 0x1p-50, moved = 1e-6;
    const int together = attempt == 2;
    const hcri_barrier *barrier = &region->centres->barrier;
    if (attempt == 3)
        return find_near(region, point, is_free, scratch);
    hcri_sample s = hcri_sample_begin(region, point, scratch);
    hcri_sample_take_bounds(&s);
    memcpy(s.wide, s.low, barrier->columns * sizeof *s.wide);
    memcpy(s.wide + barrier->columns, s.high, barrier->columns * sizeof *s.wide);
    if (attempt > 0)
        hcri_sample_propagate(&s);
    const hcri_nearness near = {share, attempt == 0 ? 0 : region->inradius}; /* what rows leave is rounded */
    if (!hold(&s, near))
        return attempt == 0 ? 0 : -1; /* as in all attempts behind it */
    if (together && !hcri_sample_hold_together(&s, point, moved))
        return 0;
    free_rows(&s, together, is_free);
    if (together)
        hcri_sample_drop_rows_of_held(&s);
    const hcri_barrier_problem problem = hcri_sample_problem(&s, point);
    if (!hcri_barrier_centre(barrier, &problem, s.f, s.scratch) || (attempt == 0 && is_lost_in_rounding(&s)))
        return 0;
    if (together)
        hcri_sample_hold_by_all_rows(&s, &problem);
    finish(&s, &problem, point, is_free);
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
    for (size_t j = 0; j < region->set.outputs; j++)
        v[j] *= is_free[j]; /* what isn't finite stays so */
    project(region, point, is_free, v, scratch);
    memset(v + region->set.outputs, 0, (region->set.n - region->set.outputs) * sizeof *v);
    hcri_centres_follow(&region->affine, is_free, v);
}

void hcri_centres_hold_adjoint(const hcr_region *region, const double *point, const double *is_free, double *gradient,
                               double *scratch) {
    const size_t outputs = region->set.outputs;
    hcri_affine_follow_adjoint(&region->affine, outputs, gradient);
    project(region, point, is_free, gradient, scratch);
    for (size_t j = 0; j < outputs; j++)
        gradient[j] *= is_free[j];
}
