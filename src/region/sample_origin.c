#include "region/sample_origin.h"

#include <math.h>
#include <string.h>

#include "region/curved_centre.h"
#include "region/damping.h"
#include "region/sample_centre.h"
#include "region/sample_equalities.h"

/* The blocks', and behind it the centre's: a region whose O(x) is proved has no use for one. */
size_t hcri_sample_origin_scratch(const hcr_region *region) {
    if (region->varying_equalities != NULL)
        return region->equalities_scratch + hcri_sample_equalities_scratch(region);
    return region->curvatures != NULL ? hcri_curved_centre_scratch(region)
                                      : region->scratch + hcri_damping_scratch(region);
}

size_t hcri_sample_origin_flags(const hcr_region *region) { return hcri_centres_flags(region); }

/* What results are verified by. */
static const hcri_constraint *const *verified(const hcr_region *region, hcri_sample_origin sample_origin,
                                              hcr_precision precision, size_t *count) {
    const int all = hcri_sample_origin_is_centre(sample_origin);
    *count = all ? region->set.blocks : region->verified_blocks[precision];
    return all ? (const hcri_constraint *const *)region->set.block : region->verified[precision];
}

/* By what a row may be off whose rounding in double precision is at most this. */
static double tolerance(hcr_precision precision, double rounding) {
    return 4 * (precision == HCR_SINGLE ? 0x1p29 : 1) * rounding;
}

/* Outputs that equalities determine, which bounds hold: they follow from the others, up to rounding. */
static int meets_held(const hcr_region *region, hcr_precision precision, const double *point, const double *is_free) {
    const hcri_affine *affine = &region->affine;
    int meets = 1;
    for (size_t d = 0; d < affine->count; d++) {
        const size_t j = affine->dependent[d], first = affine->map.start[d], last = affine->map.start[d + 1];
        double size = fabs(affine->constant[d]) + fabs(point[j]);
        if (is_free[j] != 0)
            continue;
        for (size_t k = first; k < last; k++)
            size += fabs(affine->map.values[k] * point[affine->map.columns[k]]);
        const double off = hcri_rows_dot_minus(&affine->map, d, point, point[j] - affine->constant[d]);
        meets &= fabs(off) <= tolerance(precision, (double)(last - first + 4) * 0x1p-53 * size);
    }
    return meets;
}

/* Of a flat set: 1 when inequalities surely hold, but those of rows that have one value up to rounding; or those alone.
 */
static int flat_holds(const hcr_region *region, hcr_precision precision, const double *point, const double *is_free,
                      int rows_alone, double *scratch) {
    const hcri_set *set = &region->set;
    size_t row = 0;
    for (size_t b = 0; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        for (size_t i = 0; i < block->count; i++) {
            const int is_held = !hcri_centres_is_free(region, is_free, block->first + i, &row);
            if (!block->kind->exists(block, i) || (rows_alone && !is_held))
                continue;
            double rounding;
            const double c = block->kind->value(block, i, point, &rounding, scratch);
            const int holds =
                is_held ? c <= tolerance(precision, rounding)
                        : c + rounding <= 0 ||
                              (block == &set->linear->base && hcri_linear_holds_exactly(set->linear, i, point)) ||
                              (block->kind->is_idle != NULL && block->kind->is_idle(block, i, point));
            if (!holds)
                return 0;
        }
    }
    return meets_held(region, precision, point, is_free);
}

int hcri_sample_origin_meets_rows(const hcr_region *region, hcr_precision precision, const double *point,
                                  const double *is_free, double *scratch) {
    return flat_holds(region, precision, point, is_free, 1, scratch);
}

int hcri_sample_origin_verify(const hcr_region *region, hcri_sample_origin sample_origin, hcr_precision precision,
                              const double *point, const double *is_free, double *scratch) {
    if (sample_origin == HCRI_SAMPLE_ORIGIN_FLAT)
        return flat_holds(region, precision, point, is_free, 0, scratch);
    size_t count;
    const hcri_constraint *const *block = verified(region, sample_origin, precision, &count);
    for (size_t b = 0; b < count; b++)
        if (!block[b]->kind->holds(block[b], point, scratch))
            return 0;
    return 1;
}

double hcri_sample_origin_shortfall(const hcr_region *region, hcri_sample_origin sample_origin, hcr_precision precision,
                                    const double *origin, const double *point, const double *is_free, double *scratch) {
    size_t count, row = 0;
    const hcri_constraint *const *block = verified(region, sample_origin, precision, &count);
    const int flat = sample_origin == HCRI_SAMPLE_ORIGIN_FLAT;
    double most = 0;
    for (size_t b = 0; b < count; b++)
        for (size_t i = 0; block[b]->kind->is_affine && i < block[b]->count; i++) {
            if ((flat && !hcri_centres_is_free(region, is_free, block[b]->first + i, &row)) ||
                !block[b]->kind->exists(block[b], i))
                continue;
            double rounding;
            const double c = block[b]->kind->value(block[b], i, point, &rounding, scratch) + rounding;
            if (!(c > 0) || (block[b]->kind->is_idle != NULL && block[b]->kind->is_idle(block[b], i, point)))
                continue;
            /* One that is the same at the origin, as those of outputs that have one value, the way doesn't change. */
            const double way = c - block[b]->kind->value(block[b], i, origin, NULL, scratch);
            if (way > 2 * rounding)
                most = fmax(most, c / way);
        }
    return most;
}

static double rounded_to(hcr_precision precision, double y) { return precision == HCR_SINGLE ? (double)(float)y : y; }

/* Puts what is missing in equality d onto the free output that it moves least. */
static void shift_rest(const hcr_region *region, hcr_precision precision, size_t d, double rest, const double *is_free,
                       double *point) {
    const hcri_affine *affine = &region->affine;
    size_t best = SIZE_MAX;
    for (size_t k = affine->map.start[d]; k < affine->map.start[d + 1]; k++) {
        const size_t j = affine->map.columns[k];
        if (j < region->set.outputs && is_free[j] != 0 &&
            (best == SIZE_MAX || fabs(affine->map.values[k]) > fabs(affine->map.values[best])))
            best = k;
    }
    if (best != SIZE_MAX) {
        double *y = &point[affine->map.columns[best]];
        *y = rounded_to(precision, *y - rest / affine->map.values[best]);
    }
}

/* The first equality that doesn't give its output, which has one value, that one. */
static size_t first_missed(const hcr_region *region, hcr_precision precision, const double *origin,
                           const double *is_free, const double *point) {
    const hcri_affine *affine = &region->affine;
    for (size_t d = 0; d < affine->count; d++) {
        const size_t j = affine->dependent[d];
        if (is_free[j] == 0 && rounded_to(precision, point[j]) != rounded_to(precision, origin[j]))
            return d;
    }
    return affine->count;
}

int hcri_sample_origin_complete(const hcr_region *region, hcri_sample_origin sample_origin, hcr_precision precision,
                                const double *origin, const double *is_free, double *point) {
    const hcri_affine *affine = &region->affine;
    hcri_affine_complete(affine, point);
    if (sample_origin != HCRI_SAMPLE_ORIGIN_FLAT)
        return 1;
    size_t missed;
    for (size_t pass = 0;
         (missed = first_missed(region, precision, origin, is_free, point)) < affine->count && pass < affine->count + 2;
         pass++) {
        const size_t j = affine->dependent[missed];
        shift_rest(region, precision, missed, point[j] - rounded_to(precision, origin[j]), is_free, point);
        hcri_affine_complete(affine, point);
    }
    for (size_t d = 0; d < affine->count; d++)
        if (is_free[affine->dependent[d]] == 0)
            point[affine->dependent[d]] = rounded_to(precision, origin[affine->dependent[d]]);
    return missed == affine->count;
}

/* Bounds, whose values have no rounding, hold on the frontier too, where no ray of an output that is free can begin. */
static int is_between_bounds(const hcr_region *region, const double *point, const double *is_free) {
    for (size_t j = 0; j < region->set.outputs; j++)
        if (!(region->set.box->lower[j] < point[j] && point[j] < region->set.box->upper[j]) &&
            (is_free == NULL || is_free[j] != 0))
            return 0;
    return 1;
}

/* 1 when inequality `number`, of this row or before it, is a limit of outputs that have one value alone. */
static int limits_held(const hcr_region *region, const double *is_free, size_t number, size_t row) {
    const hcri_centres *centres = region->centres;
    const hcri_barrier *barrier = &centres->barrier;
    int held = row < barrier->rows && centres->number[row] <= number;
    for (size_t k = held ? barrier->start[row] : 0; held && k < barrier->start[row + 1]; k++)
        held = is_free[centres->output[barrier->column[k]]] == 0;
    return held;
}

/* 1 when the values of rows at a centre, as they are rounded, leave what is free room: rays divide by that. */
static int leaves_room(const hcr_region *region, const double *point, const double *is_free, double *scratch) {
    const hcri_set *set = &region->set;
    size_t row = 0;
    for (size_t b = 1; b < set->blocks; b++)
        for (size_t i = 0; i < set->block[b]->count; i++) {
            const hcri_constraint *block = set->block[b];
            const size_t number = block->first + i;
            if (hcri_centres_is_free(region, is_free, number, &row) && block->kind->exists(block, i) &&
                !(block->kind->value(block, i, point, NULL, scratch) < 0) &&
                !limits_held(region, is_free, number, row) &&
                !(block->kind->is_idle != NULL && block->kind->is_idle(block, i, point)))
                return 0;
        }
    return 1;
}

/* Of a centre that was found; NONE where it isn't certain to be inside. */
static hcri_sample_origin kind_of(const hcr_region *region, const double *point, const double *is_free,
                                  double *scratch) {
    hcri_sample_origin kind = HCRI_SAMPLE_ORIGIN_CENTRE;
    for (size_t k = region->set.outputs; k < hcri_centres_flags(region); k++)
        kind = is_free[k] == 0 ? HCRI_SAMPLE_ORIGIN_FLAT : kind;
    return hcri_sample_origin_verify(region, kind, HCR_DOUBLE, point, is_free, scratch) &&
                   is_between_bounds(region, point, is_free) && leaves_room(region, point, is_free, scratch)
               ? kind
               : HCRI_SAMPLE_ORIGIN_NONE;
}

/* The attempts from the cheapest on, until one's centre is certain to be inside; and, where `rounded` isn't NULL, once
 * it is rounded to single precision. `start`: what is known of the first. */
static hcri_sample_origin find_centre(const hcr_region *region, hcri_centre_found start, double *point, double *is_free,
                                      double *rounded, double *scratch) {
    const size_t outputs = region->set.outputs;
    if (start >= HCRI_CENTRE_IS_INSIDE && rounded == NULL && is_between_bounds(region, point, is_free))
        return start == HCRI_CENTRE_IS_WIDE ? HCRI_SAMPLE_ORIGIN_WIDE : HCRI_SAMPLE_ORIGIN_CENTRE;
    for (int attempt = start == HCRI_CENTRE_IS_NONE ? 1 : 0; attempt < HCRI_CENTRE_ATTEMPTS; attempt++) {
        int found = 1;
        if (attempt > 0 || start == HCRI_CENTRE_IS_HARD) {
            hcri_origin_map_origin(&region->origin_map, point + outputs, point);
            hcri_affine_complete(&region->affine, point);
            found = hcri_centres_find(region, attempt, point, is_free, scratch + region->scratch);
        }
        if (found < 0)
            break;
        if (found == 0)
            continue;
        const hcri_sample_origin kind = kind_of(region, point, is_free, scratch);
        if (kind == HCRI_SAMPLE_ORIGIN_NONE)
            continue;
        if (rounded == NULL || hcri_sample_origin_holds_rounded(region, kind, point, is_free, rounded, scratch))
            return kind;
        hcri_centres_hold_rounded(region, point, is_free, scratch + region->scratch);
        const hcri_sample_origin held = kind_of(region, point, is_free, scratch);
        if (held != HCRI_SAMPLE_ORIGIN_NONE &&
            hcri_sample_origin_holds_rounded(region, held, point, is_free, rounded, scratch))
            return held;
    }
    return HCRI_SAMPLE_ORIGIN_NONE;
}

static hcri_sample_origin find_one_centre(const hcr_region *region, double *point, double *is_free, double *rounded,
                                          double *scratch) {
    const hcri_centre_samples alone = {1, {point}, {is_free}};
    hcri_centre_found start;
    hcri_centres_find_some(region, &alone, &start, scratch + region->scratch);
    return find_centre(region, start, point, is_free, rounded, scratch);
}

static hcri_sample_origin take_brought(const hcr_region *region, double *point, double *is_free, double *scratch) {
    hcri_affine_complete(&region->affine, point);
    hcri_centres_hold_near(region, point, is_free, scratch + region->scratch);
    return hcri_sample_origin_verify(region, HCRI_SAMPLE_ORIGIN_CENTRE, HCR_DOUBLE, point, is_free, scratch) &&
                   is_between_bounds(region, point, is_free)
               ? HCRI_SAMPLE_ORIGIN_CENTRE
               : HCRI_SAMPLE_ORIGIN_NONE;
}

/* The map that a sample's origin is of. */
static const hcri_origin_map *map_of(const hcr_region *region, hcri_sample_origin sample_origin) {
    return sample_origin > HCRI_SAMPLE_ORIGIN_FIRST
               ? &region->other_origins[sample_origin - HCRI_SAMPLE_ORIGIN_FIRST - 1]
               : &region->origin_map;
}

/* From the one that the last parameter names on the first that is certain to be inside and, where `rounded` isn't NULL,
 * is so once it is rounded to single precision. */
static hcri_sample_origin choose_origin(const hcr_region *region, double *point, double *rounded, double *scratch) {
    const double named = point[region->set.n - 1];
    if (named != floor(named))
        return HCRI_SAMPLE_ORIGIN_OUT_OF_RANGE;
    for (size_t k = 0; k < region->origins; k++) {
        const hcri_sample_origin kind =
            (hcri_sample_origin)(HCRI_SAMPLE_ORIGIN_FIRST + ((size_t)named + k) % region->origins);
        hcri_origin_map_origin(map_of(region, kind), point + region->set.outputs, point);
        hcri_affine_complete(&region->affine, point);
        if (hcri_sample_origin_verify(region, kind, HCR_DOUBLE, point, NULL, scratch) &&
            is_between_bounds(region, point, NULL) &&
            (rounded == NULL || hcri_sample_origin_holds_rounded(region, kind, point, NULL, rounded, scratch)))
            return kind;
    }
    return HCRI_SAMPLE_ORIGIN_NONE;
}

hcri_sample_origin hcri_sample_origin_find_rounded(const hcr_region *region, double *point, double *is_free,
                                                   double *rounded, double *scratch) {
    if (region->origins > 1)
        return choose_origin(region, point, rounded, scratch);
    return region->origin_proved || region->centres == NULL || region->origin_map.brought
               ? HCRI_SAMPLE_ORIGIN_NONE
               : find_one_centre(region, point, is_free, rounded, scratch);
}

hcri_sample_origin hcri_sample_origin_find(const hcr_region *region, double *point, double *is_free, double *scratch) {
    if (!hcri_origin_map_accepts(&region->origin_map, point + region->set.outputs))
        return HCRI_SAMPLE_ORIGIN_OUT_OF_RANGE;
    if (region->origins > 1)
        return choose_origin(region, point, NULL, scratch);
    hcri_origin_map_origin(&region->origin_map, point + region->set.outputs, point);
    if (region->origin_proved)
        return HCRI_SAMPLE_ORIGIN_AFFINE;
    if (region->origin_map.brought)
        return take_brought(region, point, is_free, scratch);
    if (region->centres != NULL)
        return find_one_centre(region, point, is_free, NULL, scratch);
    if (region->varying_equalities == NULL)
        hcri_affine_complete(&region->affine, point);
    else if (hcri_affine_at(region, point, scratch) == NULL)
        return HCRI_SAMPLE_ORIGIN_DEPENDENT;
    else
        hcri_sample_equalities_approach(region, point, scratch);
    if (region->curvatures != NULL && !hcri_curved_centre_find(region, point, scratch))
        return HCRI_SAMPLE_ORIGIN_NONE;
    const hcri_sample_origin kind = region->curvatures != NULL ? HCRI_SAMPLE_ORIGIN_CENTRE : HCRI_SAMPLE_ORIGIN_AFFINE;
    return hcri_sample_origin_verify(region, kind, HCR_DOUBLE, point, NULL, scratch) &&
                   is_between_bounds(region, point, NULL)
               ? kind
               : HCRI_SAMPLE_ORIGIN_NONE;
}

/* 1 for one of several rows of one sample, as of a distribution's. */
static int repeats(const hcr_region *region, const double *points, size_t s) {
    const size_t n = region->set.n, outputs = region->set.outputs;
    const double *point = points + s * n;
    return s > 0 && memcmp(point + outputs, point - n + outputs, (n - outputs) * sizeof *point) == 0;
}

static void repeat(const hcr_region *region, size_t s, const hcri_sample_origins *origins) {
    const size_t n = region->set.n, flags = hcri_centres_flags(region);
    memcpy(origins->points + s * n, origins->points + (s - 1) * n, region->set.outputs * sizeof *origins->points);
    if (origins->is_free != NULL)
        memcpy(origins->is_free + s * flags, origins->is_free + (s - 1) * flags, flags * sizeof *origins->is_free);
    origins->found[s] = origins->found[s - 1];
}

/* Centres, up to eight at once. */
static void find_centres(const hcr_region *region, size_t samples, const hcri_sample_origins *origins,
                         double *scratch) {
    const size_t n = region->set.n, outputs = region->set.outputs, flags = hcri_centres_flags(region);
    for (size_t s = 0, first = 0; s < samples; first = s) {
        hcri_centre_samples some = {.count = 0};
        hcri_centre_found start[8];
        size_t at[8];
        for (; s < samples && some.count < 8; s++) {
            double *point = origins->points + s * n;
            origins->found[s] = HCRI_SAMPLE_ORIGIN_OUT_OF_RANGE;
            if (repeats(region, origins->points, s) || !hcri_origin_map_accepts(&region->origin_map, point + outputs))
                continue;
            at[some.count] = s;
            some.point[some.count] = point;
            some.is_free[some.count++] = origins->is_free + s * flags;
        }
        if (some.count > 0)
            hcri_centres_find_some(region, &some, start, scratch + region->scratch);
        for (size_t k = 0; k < some.count; k++)
            origins->found[at[k]] = find_centre(region, start[k], some.point[k], some.is_free[k], NULL, scratch);
        for (; first < s; first++)
            if (repeats(region, origins->points, first))
                repeat(region, first, origins);
    }
}

void hcri_sample_origin_find_all(const hcr_region *region, size_t samples, const hcri_sample_origins *origins,
                                 double *scratch) {
    const size_t n = region->set.n, outputs = region->set.outputs, flags = hcri_centres_flags(region);
    double *points = origins->points;
    if (region->origin_proved) {
        hcri_origin_map_origins(&region->origin_map, samples, points + outputs, points, n);
        for (size_t s = 0; s < samples; s++)
            origins->found[s] = hcri_origin_map_accepts(&region->origin_map, points + s * n + outputs)
                                    ? HCRI_SAMPLE_ORIGIN_AFFINE
                                    : HCRI_SAMPLE_ORIGIN_OUT_OF_RANGE;
        return;
    }
    if (region->centres != NULL && region->centres->plan != NULL) {
        find_centres(region, samples, origins, scratch);
        return;
    }
    for (size_t s = 0; s < samples; s++) {
        double *own_free = origins->is_free == NULL ? NULL : origins->is_free + s * flags;
        if (repeats(region, points, s))
            repeat(region, s, origins);
        else
            origins->found[s] = hcri_sample_origin_find(region, points + s * n, own_free, scratch);
    }
}

/* As the step of a map and its completion round. */
static void round_to_single(const hcr_region *region, hcri_sample_origin sample_origin, const double *point,
                            const double *is_free, double *rounded, double *scratch) {
    const hcri_affine *affine = hcri_affine_at(region, point, scratch);
    const double *lower = region->clamp_lower[HCR_SINGLE], *upper = region->clamp_upper[HCR_SINGLE];
    const size_t n = region->set.outputs;
    memcpy(rounded, point, region->set.n * sizeof *rounded);
    for (size_t j = 0; j < n; j++)
        rounded[j] = (double)(float)(point[j] < lower[j] ? lower[j] : point[j] > upper[j] ? upper[j] : point[j]);
    if (region->varying_equalities != NULL)
        hcri_complete_at(region, rounded, scratch);
    else
        (void)hcri_sample_origin_complete(region, sample_origin, HCR_SINGLE, point, is_free, rounded);
    for (size_t d = 0; d < affine->count; d++)
        rounded[affine->dependent[d]] = (double)(float)rounded[affine->dependent[d]];
}

int hcri_sample_origin_holds_rounded(const hcr_region *region, hcri_sample_origin sample_origin, const double *point,
                                     const double *is_free, double *rounded, double *scratch) {
    if (!hcri_sample_origin_is_centre(sample_origin) && region->verified_blocks[HCR_SINGLE] == 0)
        return 1;
    round_to_single(region, sample_origin, point, is_free, rounded, scratch);
    return hcri_sample_origin_verify(region, sample_origin, HCR_SINGLE, rounded, is_free, scratch);
}

/* Whether the origin was searched for: it then moves as the solution does. */
static int is_centre_found(const hcr_region *region, hcri_sample_origin sample_origin) {
    return hcri_sample_origin_is_centre(sample_origin) && !region->origin_map.brought && region->origins == 1;
}

size_t hcri_sample_origins_together(const hcr_region *region) {
    return region->centres != NULL && region->centres->plan != NULL ? 8 : 1;
}

/* All but what a centre that was found among bounds and rows does: 1 where there is one. */
static int add_all_but_centre(const hcr_region *region, hcri_sample_origin sample_origin, const double *point,
                              double *bar, double *x_bar, double *scratch) {
    const size_t n = region->set.outputs;
    const hcri_affine *affine = &region->affine;
    if (region->varying_equalities != NULL) {
        hcri_curved_centre_vjp(region, point, bar, x_bar, scratch);
        return 0;
    }
    for (size_t d = 0; d < affine->count; d++) { /* O_dependent = constant + T (O, x) */
        const double weight = bar[affine->dependent[d]];
        bar[affine->dependent[d]] = 0;
        for (size_t k = affine->map.start[d]; k < affine->map.start[d + 1]; k++) {
            const size_t j = affine->map.columns[k];
            *(j < n ? &bar[j] : &x_bar[j - n]) += weight * affine->map.values[k];
        }
    }
    if (is_centre_found(region, sample_origin)) {
        if (region->curvatures != NULL)
            hcri_curved_centre_vjp(region, point, bar, x_bar, scratch);
        return region->curvatures == NULL;
    }
    const hcri_rows *map = &map_of(region, sample_origin)->map;
    for (size_t j = 0; j < n; j++)
        hcri_rows_add(map, j, bar[j], x_bar);
    return 0;
}

static void append_change(const hcri_centre_changes *all, size_t k, hcri_centre_changes *some) {
    some->point[some->count] = all->point[k];
    some->is_free[some->count] = all->is_free[k];
    some->of_origin[some->count] = all->of_origin[k];
    some->of_x[some->count++] = all->of_x[k];
}

void hcri_sample_origins_vjp(const hcr_region *region, const hcri_origin_changes *samples, double *scratch) {
    const hcri_centre_changes *all = &samples->at;
    hcri_centre_changes centres = {.count = 0};
    for (size_t k = 0; k < all->count; k++)
        if (add_all_but_centre(region, samples->sample_origin[k], all->point[k], all->of_origin[k], all->of_x[k],
                               scratch))
            append_change(all, k, &centres);
    if (centres.count != 0)
        hcri_centres_vjp(region, &centres, scratch + region->scratch);
}

void hcri_sample_origins_jvp(const hcr_region *region, const hcri_origin_changes *samples, double *scratch) {
    const size_t n = region->set.outputs;
    const hcri_affine *affine = &region->affine;
    const hcri_centre_changes *all = &samples->at;
    hcri_centre_changes centres = {.count = 0};
    for (size_t s = 0; s < all->count; s++) {
        const int is_found = is_centre_found(region, samples->sample_origin[s]) && region->varying_equalities == NULL;
        const hcri_rows *map = &map_of(region, samples->sample_origin[s])->map;
        for (size_t j = 0; j < n && region->varying_equalities == NULL; j++)
            all->of_origin[s][j] = hcri_rows_dot(map, j, all->of_x[s], NULL);
        if (region->varying_equalities != NULL || (is_found && region->curvatures != NULL))
            hcri_curved_centre_jvp(region, all->point[s], all->of_x[s], all->of_origin[s], scratch);
        else if (is_found)
            append_change(all, s, &centres);
    }
    if (centres.count != 0)
        hcri_centres_jvp(region, &centres, scratch + region->scratch);
    for (size_t s = 0; s < all->count && region->varying_equalities == NULL; s++)
        for (size_t d = 0; d < affine->count; d++) { /* O_dependent = constant + T (O, x) */
            double *dot = all->of_origin[s], change = 0;
            for (size_t k = affine->map.start[d]; k < affine->map.start[d + 1]; k++) {
                const size_t j = affine->map.columns[k];
                change += affine->map.values[k] * (j < n ? dot[j] : all->of_x[s][j - n]);
            }
            dot[affine->dependent[d]] = change;
        }
}
