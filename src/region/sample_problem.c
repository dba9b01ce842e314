#include "region/sample_problem.h"

#include <math.h>
#include <string.h>

#include "region/centre_plan.h"

void hcri_fold(const hcr_region *region, const hcri_centres *centres, size_t count, const uint32_t *columns,
               const double *values, hcri_folded *out) {
    const hcri_affine *affine = &region->affine;
    const size_t outputs = region->set.outputs;
    for (size_t k = 0; k < count; k++) {
        const uint32_t j = columns[k];
        if (j >= outputs) {
            out->of_parameters[j - outputs] += values[k];
        } else if (centres->column[j] != HCRI_NO_COLUMN) {
            out->of_columns[centres->column[j]] += values[k];
        } else {
            const size_t d = hcri_affine_find(affine, j);
            const size_t first = affine->map.start[d], last = affine->map.start[d + 1];
            out->constant += values[k] * affine->constant[d];
            for (size_t t = first; t < last; t++) {
                const uint32_t to = affine->map.columns[t];
                *(to < outputs ? &out->of_columns[centres->column[to]] : &out->of_parameters[to - outputs]) +=
                    values[k] * affine->map.values[t];
            }
        }
    }
}

size_t hcri_centres_flags(const hcr_region *region) {
    return region->centres == NULL ? 0 : region->set.outputs + region->centres->barrier.rows;
}

int hcri_centres_hold_any(const hcr_region *region, const double *is_free) {
    const size_t flags = is_free == NULL ? 0 : hcri_centres_flags(region);
    int any = 0;
    for (size_t k = 0; k < flags; k++)
        any |= is_free[k] == 0;
    return any;
}

size_t hcri_centres_scratch(const hcr_region *region) {
    const hcri_centres *centres = region->centres;
    if (centres == NULL)
        return 0;
    const hcri_barrier *barrier = &centres->barrier;
    const size_t columns = barrier->columns, outputs = region->set.outputs;
    const size_t alone = barrier->start[barrier->rows] + 8 * (columns + barrier->rows) + barrier->rows + 6 * columns +
                         outputs + (region->set.n - outputs) + 2 * outputs + 3 * region->set.n +
                         hcri_barrier_scratch(barrier);
    const size_t together = hcri_centre_plan_scratch(region);
    return alone > together ? alone : together;
}

/* The rows with moving coefficients, at x. */
static void take_varying(hcri_sample *s) {
    const hcri_barrier *barrier = &s->centres->barrier;
    const size_t outputs = s->region->set.outputs, parameters = s->region->set.n - outputs;
    uint32_t *columns = (uint32_t *)(void *)(s->of_row + outputs);
    for (size_t r = s->centres->varying; r < barrier->rows; r++) {
        double lower, upper;
        const size_t at = r - s->centres->varying;
        const hcri_constraint *block = s->centres->block[at];
        const size_t count =
            block->kind->row_at(block, s->centres->row[at], outputs, s->x, columns, s->of_row, &lower, &upper);
        memset(s->folded.of_parameters, 0, parameters * sizeof(double));
        for (size_t k = barrier->start[r]; k < barrier->start[r + 1]; k++)
            s->folded.of_columns[barrier->column[k]] = 0;
        s->folded.constant = 0;
        hcri_fold(s->region, s->centres, count, columns, s->of_row, &s->folded);
        for (size_t k = 0; k < parameters; k++)
            s->folded.constant += s->folded.of_parameters[k] * s->x[k];
        for (size_t k = barrier->start[r]; k < barrier->start[r + 1]; k++)
            s->values[k] = s->folded.of_columns[barrier->column[k]];
        s->lower[barrier->columns + r] = lower - s->folded.constant;
        s->upper[barrier->columns + r] = upper - s->folded.constant;
    }
}

hcri_sample hcri_sample_begin(const hcr_region *region, const double *point, double *scratch) {
    const hcri_centres *centres = region->centres;
    const hcri_barrier *barrier = &centres->barrier;
    const size_t columns = barrier->columns, count = columns + barrier->rows, outputs = region->set.outputs;
    hcri_sample s = {.region = region, .centres = centres, .x = point + outputs, .values = scratch};
    s.lower = s.values + barrier->start[barrier->rows];
    s.upper = s.lower + count;
    s.f = s.upper + count;
    s.towards = s.f + columns;
    s.low_off = s.towards + columns;
    s.high_off = s.low_off + columns;
    s.low = s.high_off + columns;
    s.high = s.low + columns;
    s.folded.of_columns = s.high + columns;
    s.folded.of_parameters = s.folded.of_columns + outputs;
    s.of_row = s.folded.of_parameters + (region->set.n - outputs);
    s.wide = s.of_row + 2 * outputs;
    s.distance = s.wide + 2 * count;
    s.row = s.distance + 4 * count;
    s.scratch = s.row + barrier->rows;
    memcpy(s.values, centres->values, barrier->start[barrier->rows] * sizeof(double));
    memcpy(s.lower, centres->lower, count * sizeof(double));
    memcpy(s.upper, centres->upper, count * sizeof(double));
    for (size_t r = 0; r < centres->varying; r++)
        for (size_t k = centres->shift.start[r]; k < centres->shift.start[r + 1]; k++) {
            const double moved = centres->shift.values[k] * s.x[centres->shift.columns[k]];
            s.lower[columns + r] -= moved;
            s.upper[columns + r] -= moved;
        }
    if (centres->varying < barrier->rows)
        take_varying(&s);
    for (size_t j = 0; j < columns; j++)
        s.f[j] = point[centres->output[j]];
    return s;
}

hcri_barrier_problem hcri_sample_problem(const hcri_sample *s, const double *origin) {
    hcri_barrier_problem problem = {
        .values = s->values, .lower = s->lower, .upper = s->upper, .scale = s->region->inradius};
    if (!s->region->bounded) { /* where nothing bounds the region the barrier may have no minimum */
        problem.pull = 1e-4 / (s->region->inradius * s->region->inradius);
        problem.towards = s->towards;
        for (size_t j = 0; j < s->centres->barrier.columns; j++)
            s->towards[j] = origin[s->centres->output[j]];
    }
    return problem;
}

/* Σ of what entries have at least, of which some may be −infinity (or at most, ∞). */
typedef struct hcri_reach {
    double finite;
    size_t infinite;
} hcri_reach;

static void reach_add(hcri_reach *reach, double part, int sign) {
    if (isinf(part))
        reach->infinite += (size_t)sign; /* −1 wraps around, and back */
    else
        reach->finite += sign * part;
}

static double reach_without(hcri_reach reach, double part, double otherwise) {
    reach_add(&reach, part, -1);
    return reach.infinite == 0 ? reach.finite : otherwise;
}

/* low or high of column j becomes `end`, if that says more; off: by how much rounding may have moved it. Ends that
 * cross by no more than that meet: each pass would move them further apart. Returns whether it does. */
static int take_end(hcri_sample *s, size_t j, int is_low, double end, double off) {
    double *at = is_low ? &s->low[j] : &s->high[j];
    const double other = is_low ? s->high[j] : s->low[j], beyond = is_low ? end - other : other - end;
    if (!(is_low ? end > *at : end < *at))
        return 0;
    *at = beyond > 0 && beyond <= 2 * (off + (is_low ? s->high_off : s->low_off)[j]) ? other : end;
    (is_low ? s->low_off : s->high_off)[j] = off;
    return 1;
}

/* What row r, with its other columns between low and high, leaves each of its columns. Returns whether that is less. */
static int narrow(hcri_sample *s, size_t r) {
    const hcri_barrier *barrier = &s->centres->barrier;
    const size_t first = barrier->start[r], last = barrier->start[r + 1];
    const double lower = s->lower[barrier->columns + r], upper = s->upper[barrier->columns + r];
    hcri_reach least = {0}, most = {0};
    double size = 0, least_off = 0, most_off = 0, rounding = 0;
    int is_less = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = first; k < last; k++) {
            const double a = s->values[k];
            const uint32_t j = barrier->column[k];
            const double own_least = a > 0 ? a * s->low[j] : a * s->high[j],
                         own_most = a > 0 ? a * s->high[j] : a * s->low[j];
            const double own_least_off = fabs(a) * (a > 0 ? s->low_off : s->high_off)[j],
                         own_most_off = fabs(a) * (a > 0 ? s->high_off : s->low_off)[j];
            if (a == 0)
                continue;
            if (pass == 0) {
                reach_add(&least, own_least, 1);
                reach_add(&most, own_most, 1);
                size += fmax(isinf(own_least) ? 0 : fabs(own_least), isinf(own_most) ? 0 : fabs(own_most));
                least_off += own_least_off;
                most_off += own_most_off;
                continue;
            }
            const double above = upper - reach_without(least, own_least, -INFINITY);
            const double below = lower - reach_without(most, own_most, INFINITY);
            is_less |= take_end(s, j, a < 0, above / a, (least_off - own_least_off + rounding) / fabs(a));
            is_less |= take_end(s, j, a > 0, below / a, (most_off - own_most_off + rounding) / fabs(a));
        }
        size += fmax(isinf(lower) ? 0 : fabs(lower), isinf(upper) ? 0 : fabs(upper));
        rounding = last - first == 1 ? 0 : (double)(last - first + 4) * 0x1p-53 * size;
    }
    return is_less;
}

void hcri_sample_take_bounds(hcri_sample *s) {
    const hcri_barrier *barrier = &s->centres->barrier;
    memcpy(s->low, s->lower, barrier->columns * sizeof(double));
    memcpy(s->high, s->upper, barrier->columns * sizeof(double));
    memset(s->low_off, 0, barrier->columns * sizeof(double));
    memset(s->high_off, 0, barrier->columns * sizeof(double));
    for (size_t r = 0; r < barrier->rows; r++) {
        const size_t i = barrier->columns + r, k = barrier->start[r];
        const double a = s->values[k];
        if (!hcri_barrier_is_single(barrier, r) || a == 0)
            continue;
        (void)take_end(s, barrier->column[k], a < 0, s->upper[i] / a, 0);
        (void)take_end(s, barrier->column[k], a > 0, s->lower[i] / a, 0);
    }
}

/* 1 where the ends of a column are further beyond one another than any that count as met. */
static int cross(const hcri_sample *s) {
    static const double share = 0x1p-40;
    for (size_t j = 0; j < s->centres->barrier.columns; j++)
        if (s->low[j] - s->high[j] > share * fmax(fmax(fabs(s->low[j]), fabs(s->high[j])), s->region->inradius))
            return 1;
    return 0;
}

void hcri_sample_propagate(hcri_sample *s) {
    enum { SWEEPS = 6 };
    const size_t rows = s->centres->barrier.rows;
    int is_less = 1;
    for (int sweep = 0; sweep < SWEEPS && is_less && !cross(s); sweep++) {
        is_less = 0;
        for (size_t r = 0; r < rows; r++)
            is_less |= narrow(s, sweep % 2 == 0 ? r : rows - 1 - r);
    }
}

void hcri_sample_drop_rows_of_held(hcri_sample *s) {
    const hcri_barrier *barrier = &s->centres->barrier;
    for (size_t r = 0; r < barrier->rows; r++)
        if (hcri_sample_is_row_of_held(s, r)) {
            s->lower[barrier->columns + r] = -INFINITY;
            s->upper[barrier->columns + r] = INFINITY;
        }
}

hcri_sample hcri_sample_begin_held(const hcr_region *region, const double *point, const double *is_free,
                                   double *scratch) {
    hcri_sample s = hcri_sample_begin(region, point, scratch);
    const hcri_barrier *barrier = &s.centres->barrier;
    for (size_t j = 0; j < barrier->columns; j++)
        if (is_free[s.centres->output[j]] == 0)
            s.lower[j] = s.upper[j] = s.f[j];
    for (size_t r = 0; r < barrier->rows; r++)
        if (is_free[region->set.outputs + r] == 0)
            s.lower[barrier->columns + r] = s.upper[barrier->columns + r] = hcri_sample_row(&s, r, s.f);
    return s;
}
