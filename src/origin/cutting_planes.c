#include "origin/cutting_planes.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/vector.h"
#include "functions/ray_roots.h"
#include "origin/equalities/reduction.h"
#include "solvers/stop_request.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

enum { SEEN = 8, DOUBLINGS = 40 };

hcr_status hcri_cuts_create(const hcri_set *set, hcri_cuts *cuts, hcr_error *error) {
    const size_t n = set->n;
    *cuts = (hcri_cuts){.memory = {.from = memory}, .set = set};
    const hcr_allocator *own = hcri_pool_allocator(&cuts->memory);
    cuts->interior = hcri_allocate(own, n, sizeof(double));
    cuts->seen = hcri_allocate(own, SEEN * n, sizeof(double));
    cuts->point = hcri_allocate(own, n, sizeof(double));
    cuts->trial = hcri_allocate(own, n, sizeof(double));
    cuts->gradient = hcri_allocate(own, n, sizeof(double));
    cuts->direction = hcri_allocate(own, n, sizeof(double));
    cuts->columns = hcri_allocate(own, n, sizeof(uint32_t));
    cuts->values = hcri_allocate(own, n, sizeof(double));
    cuts->scratch = hcri_allocate(own, hcri_set_scratch(set), sizeof(double));
    return hcri_pool_check(&cuts->memory, error);
}

void hcri_cuts_release(hcri_cuts *cuts) { hcri_pool_release(&cuts->memory); }

void hcri_cuts_set_interior(hcri_cuts *cuts, const double *y) {
    memcpy(cuts->interior, y, cuts->set->n * sizeof *y);
    cuts->has_interior = 1;
}

/* ---------------------------------------------------------------------------------------------------- one function */

typedef struct curved { /* one inequality */
    const hcri_constraint *block;
    size_t i;
} curved;

/* Outside its domain the value is NaN, and far outside infinite: neither is inside. */
static double value_of(const hcri_cuts *cuts, const curved *c, const double *y) {
    const double value = c->block->kind->value(c->block, c->i, y, NULL, cuts->scratch);
    return isnan(value) ? INFINITY : value;
}

/* The length of the gradient in cuts->gradient, and its direction; NaN where it isn't finite. */
static double slope_of(hcri_cuts *cuts, const curved *c, const double *y) {
    const size_t n = cuts->set->n;
    memset(cuts->gradient, 0, n * sizeof *cuts->gradient);
    c->block->kind->add_gradient(c->block, c->i, y, 1, cuts->gradient, cuts->scratch);
    return hcri_all_finite(n, cuts->gradient) ? hcri_steepest(cuts->set, cuts->gradient, cuts->direction) : NAN;
}

static hcr_status append(hcri_cuts *cuts, const curved *c, double right, size_t terms, hcr_error *error) {
    const hcr_allocator *own = hcri_pool_allocator(&cuts->memory);
    size_t capacity[2] = {cuts->capacity, cuts->capacity};
    HCRI_ALLOCATED(HCRI_GROW(own, cuts->right, &capacity[0], cuts->count + 1) &&
                   HCRI_GROW(own, cuts->number, &capacity[1], cuts->count + 1));
    HCRI_TRY(hcri_rows_append(&cuts->rows, own, terms, cuts->columns, cuts->values, error));
    cuts->capacity = capacity[1];
    cuts->right[cuts->count] = right;
    cuts->number[cuts->count++] = c->block->first + (uint32_t)c->i;
    return HCR_OK;
}

/* The tangent at x, moved out by what rounding may have made of it; x mustn't be cuts->gradient or cuts->direction;
 * *added = 0 where there is none. Where c > 0 without a slope nothing satisfies the inequality: 0·y <= −1. */
static hcr_status add_tangent(hcri_cuts *cuts, const curved *c, const double *x, int *added, hcr_error *error) {
    double rounding = 0;
    const double value = c->block->kind->value(c->block, c->i, x, &rounding, cuts->scratch);
    const double slope = slope_of(cuts, c, x);
    *added = 0;
    if (!isfinite(value) || !isfinite(slope) || (slope == 0 && value <= 0))
        return HCR_OK;
    size_t terms = 0;
    double right = -1, size = 0;
    if (slope > 0) {
        right = -value / slope;
        size = isfinite(rounding) ? rounding / slope : 0;
        for (size_t j = 0; j < cuts->set->n; j++)
            if (cuts->gradient[j] != 0) {
                cuts->columns[terms] = (uint32_t)j;
                cuts->values[terms] = cuts->gradient[j] / slope;
                size += 0x1p-50 * fabs(cuts->values[terms] * x[j]);
                right += cuts->values[terms++] * x[j];
            }
        right += size;
    }
    if (!isfinite(right) || !hcri_all_finite(terms, cuts->values))
        return HCR_OK;
    *added = 1;
    return append(cuts, c, right, terms, error);
}

typedef struct way { /* from x to y */
    const hcri_cuts *cuts;
    const curved *c;
    const double *x, *y;
} way;

static void value_along(const void *context, double t, int order, double jet[3]) {
    const way *at = context;
    (void)order;
    for (size_t j = 0; j < at->cuts->set->n; j++)
        at->cuts->trial[j] = at->x[j] + t * (at->y[j] - at->x[j]);
    jet[0] = value_of(at->cuts, at->c, at->cuts->trial);
    jet[1] = jet[2] = NAN;
}

/* Where c leaves {c <= 0} on the way from x, with c(x) < 0, to y, where c > 0: the share of the way, from inside. */
static double crossing(hcri_cuts *cuts, const curved *c, const double *x, const double *y) {
    const way along = {cuts, c, x, y};
    return fmin(hcri_first_root(HCRI_BRENT, value_along, &along, value_of(cuts, c, x), 0, 1, NULL), 1);
}

/* The tangent where the way from x (inside) to y (outside) crosses the frontier; a bit further inside where there is no
 * slope, at the end of a domain; and at y where x is at the tip of a cone. */
static hcr_status cut_between(hcri_cuts *cuts, const curved *c, const double *x, const double *y, int *added,
                              hcr_error *error) {
    double at = crossing(cuts, c, x, y);
    *added = 0;
    for (int attempt = 0; attempt < 6 && !*added; attempt++) {
        for (size_t j = 0; j < cuts->set->n; j++)
            cuts->trial[j] = x[j] + at * (y[j] - x[j]);
        HCRI_TRY(add_tangent(cuts, c, cuts->trial, added, error));
        at *= attempt == 0 ? 1 - 1e-9 : 1 - pow(10, attempt - 7);
    }
    return *added ? HCR_OK : add_tangent(cuts, c, y, added, error);
}

/* A point of those seen where c < 0; NULL when there is none. */
static const double *find_inside(const hcri_cuts *cuts, const curved *c) {
    if (cuts->has_interior)
        return cuts->interior;
    for (size_t k = 0; k < SEEN && k < cuts->recent; k++)
        if (value_of(cuts, c, cuts->seen + k * cuts->set->n) < 0)
            return cuts->seen + k * cuts->set->n;
    return NULL;
}

/* cuts->point = a point near y where c has a value and a slope; 0 when none is found. From y towards points where
 * other functions had values, the middle of the bounds and 0, then at random around the middle: above it, below it and
 * anywhere. */
static int find_value(hcri_cuts *cuts, const curved *c, const double *y) {
    enum { STEPS = 12, TARGETS = SEEN + 2, RANDOM = 64 };
    const hcri_set *set = cuts->set;
    const size_t n = set->n;
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (size_t attempt = 0; attempt < TARGETS * STEPS + RANDOM; attempt++) {
        const size_t target = attempt / STEPS;
        const double part = 1 - ldexp(1, -(int)(attempt % STEPS));
        const double keep = attempt % STEPS == STEPS - 1 ? 0 : 1 - part;
        if (target < SEEN && target >= cuts->recent)
            continue;
        for (size_t j = 0; j < n; j++) {
            const double low = set->box->lower[j], high = set->box->upper[j];
            const double middle = isinf(low)    ? (isinf(high) ? 0 : high - 1)
                                  : isinf(high) ? low + 1
                                                : 0.5 * (low + high);
            const double towards = target < SEEN ? cuts->seen[target * n + j] : target == SEEN ? middle : 0;
            const double chance = target < TARGETS ? 0 : (1 + fabs(y[j] - middle)) * hcri_random_normal(&random);
            cuts->point[j] = target < TARGETS   ? towards + keep * (y[j] - towards)
                             : attempt % 3 == 0 ? middle + fabs(chance)
                             : attempt % 3 == 1 ? middle - fabs(chance)
                                                : middle + chance;
        }
        if (isfinite(value_of(cuts, c, cuts->point)) && isfinite(slope_of(cuts, c, cuts->point)))
            return 1;
    }
    return 0;
}

/* Keeps a point that may be inside for some; returns where. */
static const double *remember(hcri_cuts *cuts, const double *y) {
    double *place = cuts->seen + (cuts->recent++ % SEEN) * cuts->set->n;
    memcpy(place, y, cuts->set->n * sizeof *y);
    return place;
}

/* Down the slope from cuts->point, where c > 0, for as long as c falls: cuts->trial is where it is least, or below 0. 0
 * when it doesn't fall. */
static int walk_downhill(hcri_cuts *cuts, const curved *c) {
    const size_t n = cuts->set->n;
    double least = value_of(cuts, c, cuts->point), at = 0;
    const double slope = slope_of(cuts, c, cuts->point), first = least / slope;
    if (!(slope > 0))
        return 0;
    for (double step = first; step <= ldexp(first, DOUBLINGS) && least > 0; step *= 2) {
        for (size_t j = 0; j < n; j++)
            cuts->trial[j] = cuts->point[j] - step * cuts->direction[j];
        const double value = value_of(cuts, c, cuts->trial);
        if (!(value < least))
            break;
        least = value;
        at = step;
    }
    for (size_t j = 0; j < n; j++)
        cuts->trial[j] = cuts->point[j] - at * cuts->direction[j];
    return at > 0;
}

/* Without a point inside: the tangents at y, or near it, and where c is about least on the way down the slope from
 * there: tangents of functions such as exp are deep only there. Points inside that come up serve as such. */
static hcr_status cut_downhill(hcri_cuts *cuts, const curved *c, const double *y, int *added, hcr_error *error) {
    *added = 0;
    if (!find_value(cuts, c, y))
        return HCR_OK;
    if (value_of(cuts, c, cuts->point) < 0)
        return cut_between(cuts, c, remember(cuts, cuts->point), y, added, error);
    HCRI_TRY(add_tangent(cuts, c, cuts->point, added, error));
    if (!walk_downhill(cuts, c))
        return HCR_OK;
    if (value_of(cuts, c, cuts->trial) < 0)
        return cut_between(cuts, c, remember(cuts, cuts->trial), cuts->point, added, error);
    return add_tangent(cuts, c, cuts->trial, added, error);
}

/* ---------------------------------------------------------------------------------------------------- all functions */

hcr_status hcri_cuts_separate(hcri_cuts *cuts, const double *y, size_t *violated, hcr_error *error) {
    const hcri_set *set = cuts->set;
    HCRI_TRY(hcri_stop_check(error));
    *violated = 0;
    for (size_t b = 2; b < set->blocks; b++)
        for (size_t i = 0; i < set->block[b]->count; i++) {
            const curved c = {set->block[b], i};
            if (!c.block->kind->exists(c.block, i) || value_of(cuts, &c, y) <= 0)
                continue;
            int added;
            ++*violated;
            const double *inside = find_inside(cuts, &c);
            if (inside != NULL)
                HCRI_TRY(cut_between(cuts, &c, inside, y, &added, error));
            else
                HCRI_TRY(cut_downhill(cuts, &c, y, &added, error));
        }
    if (!cuts->has_interior)
        (void)remember(cuts, y);
    return HCR_OK;
}

hcr_status hcri_cuts_touch(hcri_cuts *cuts, const double *y, hcr_error *error) {
    const hcri_set *set = cuts->set;
    static const double towards[] = {0, 1e-13, 1e-10, 1e-7, 1e-4};
    for (size_t b = 2; b < set->blocks; b++)
        for (size_t i = 0; i < set->block[b]->count; i++) {
            const curved c = {set->block[b], i};
            int added = 0;
            if (!c.block->kind->exists(c.block, i) || value_of(cuts, &c, y) <= 0)
                continue;
            for (size_t k = 0; k < sizeof towards / sizeof towards[0] && !added; k++) {
                for (size_t j = 0; j < set->n; j++)
                    cuts->trial[j] = y[j] + towards[k] * (cuts->interior[j] - y[j]);
                HCRI_TRY(add_tangent(cuts, &c, cuts->trial, &added, error));
            }
        }
    return HCR_OK;
}

void hcri_cuts_keep(hcri_cuts *cuts, size_t count) { cuts->count = cuts->rows.count = count; }

/* Where to look first for what rises out of a ball: up the slope in the middle; aside of it, where a kink hides what
 * rises fastest, or where there is no slope; and the other way. */
typedef enum start { UP, ASIDE, OPPOSITE, STARTS } start;

static void start_direction(hcri_cuts *cuts, const curved *c, const double *y, start from) {
    const size_t n = cuts->set->n;
    const double slope = slope_of(cuts, c, y);
    if (slope > 0 && from == UP)
        return;
    for (size_t j = 0; j < n; j++)
        cuts->gradient[j] = (slope > 0 ? cuts->direction[j] : 0) * (from == OPPOSITE ? -1 : 1) +
                            (slope > 0 && from == OPPOSITE ? 0 : (j % 2 == 0 ? 1 : -0.5) / sqrt((double)n));
    (void)hcri_steepest(cuts->set, cuts->gradient, cuts->direction);
}

/* About the largest c on the ball, at cuts->point: up the slope at the point before, as in a power iteration. Outside,
 * what happens further on is of no matter, and there may be no slope. */
static double highest_on_ball(hcri_cuts *cuts, const curved *c, const double *y, double radius, start from) {
    enum { ROUNDS = 6 };
    const size_t n = cuts->set->n;
    double highest = -INFINITY;
    start_direction(cuts, c, y, from);
    for (int round = 0; round < ROUNDS && highest <= 0; round++) {
        for (size_t j = 0; j < n; j++)
            cuts->trial[j] = y[j] + radius * cuts->direction[j];
        const double value = value_of(cuts, c, cuts->trial);
        if (!(value > highest))
            break;
        highest = value;
        memcpy(cuts->point, cuts->trial, n * sizeof *cuts->point);
        if (!(slope_of(cuts, c, cuts->point) > 0))
            break;
    }
    return highest;
}

/* Shrinks *room until c stays below 0 on the ball, as seen from one start, with a cut where it didn't. `outside` is
 * scratch. */
static hcr_status shrink(hcri_cuts *cuts, const curved *c, const double *y, start from, double *room, double *outside,
                         hcr_error *error) {
    enum { ROUNDS = 20 };
    for (int round = 0; round < ROUNDS && highest_on_ball(cuts, c, y, *room, from) > 0; round++) {
        int added;
        memcpy(outside, cuts->point, cuts->set->n * sizeof *outside);
        const double part = crossing(cuts, c, y, outside);
        HCRI_TRY(cut_between(cuts, c, y, outside, &added, error));
        *room *= fmin(part, 1 - 1e-3);
        if (part > 1 - 1e-3)
            break;
    }
    return HCR_OK;
}

hcr_status hcri_cuts_room(hcri_cuts *cuts, const double *y, double radius, double *room, hcr_error *error) {
    const hcri_set *set = cuts->set;
    HCRI_SCOPED double *outside = hcri_allocate(memory, set->n, sizeof *outside);
    HCRI_ALLOCATED(outside);
    *room = radius;
    for (size_t b = 2; b < set->blocks; b++)
        for (size_t i = 0; i < set->block[b]->count; i++) {
            const curved c = {set->block[b], i};
            if (!c.block->kind->exists(c.block, i))
                continue;
            for (start from = UP; from < STARTS; from++) {
                double allowed = radius;
                HCRI_TRY(shrink(cuts, &c, y, from, &allowed, outside, error));
                *room = fmin(*room, allowed);
            }
        }
    return HCR_OK;
}

double hcri_cuts_reach(hcri_cuts *cuts, const double *y) {
    const hcri_set *set = cuts->set;
    double reach = 1;
    for (size_t b = 2; b < set->blocks; b++)
        for (size_t i = 0; i < set->block[b]->count; i++) {
            const curved c = {set->block[b], i};
            if (c.block->kind->exists(c.block, i) && value_of(cuts, &c, y) > 0)
                reach = fmin(reach, crossing(cuts, &c, cuts->interior, y));
        }
    return reach;
}
