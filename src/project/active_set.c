#include <math.h>
#include <string.h>

#include "project/active_set_state.h"
#include "project/projection_tolerances.h"
#include "solvers/stop_request.h"

enum { ROUNDS = 10 };

static const uint32_t NONE = UINT32_MAX;
/* From this many times the region's size on a point is far. */
static const double far_away = 1e4;

/* Makes c the worst constraint when it is. A unit row's value changes by no more than y moves, so a constraint that
 * held with some room needn't be looked at until y has moved that far. */
static void look_at(hcri_active_set *a, uint32_t c) {
    /* a bound is 1 times its output */
    const double value = c < a->bounds ? a->y[c] : hcri_active_dot(a, c, a->y);
    const double over = value - a->upper[c], under = a->lower[c] - value;
    const double violation = over > under ? over : under;
    a->safe[c] = a->moved - violation;
    if (violation > a->worst_violation && violation > a->swell * a->rounding[c]) {
        a->worst_violation = violation;
        a->worst = c;
        a->worst_side = over >= under ? 1 : -1;
    }
}

static int is_open(const hcri_active_set *a, uint32_t c) { return !(a->safe[c] > a->moved) & !a->is_active[c]; }

/* Those that are open are collected first, without branches. */
static void look_at_all(hcri_active_set *a) {
    enum { AT_ONCE = 256 };
    uint32_t open[AT_ONCE];
    for (size_t first = 0; first < a->count; first += AT_ONCE) {
        const size_t end = a->count - first < AT_ONCE ? a->count : first + AT_ONCE;
        size_t found = 0;
        for (size_t c = first; c < end; c++) {
            open[found] = (uint32_t)c;
            found += (size_t)is_open(a, (uint32_t)c);
        }
        for (size_t i = 0; i < found; i++)
            look_at(a, open[i]);
    }
}

/* How many times larger than in the region y is, at least 1. */
static double swell_of(const hcri_active_set *a) {
    int larger = 0;
    double swell = 1;
    for (size_t j = 0; j < a->n; j++)
        larger |= fabs(a->y[j]) * a->inverse_size[j] > 1;
    for (size_t j = 0; larger && j < a->n; j++) {
        const double times = fabs(a->y[j]) * a->inverse_size[j];
        swell = times > swell ? times : swell;
    }
    return swell;
}

/* Finds a constraint that is about the most violated one, and none only when all hold: the worst of a list of those
 * that were at least half as violated as the worst one when all were looked at last, as long as it still is. */
static void find_worst(hcri_active_set *a) {
    a->worst = NONE;
    a->worst_violation = 0;
    for (size_t i = 0; i < a->listed; i++)
        if (is_open(a, a->list[i]))
            look_at(a, a->list[i]);
    if (a->worst != NONE && a->worst_violation >= a->list_level)
        return;
    a->swell = swell_of(a);
    a->worst = NONE;
    a->worst_violation = 0;
    look_at_all(a);
    a->listed = 0;
    a->list_level = 0.5 * a->worst_violation;
    for (uint32_t c = 0; c < a->count && a->worst != NONE && a->listed < HCRI_LONGEST_LIST; c++) {
        a->list[a->listed] = c;
        a->listed += (size_t)((a->moved - a->safe[c] >= a->list_level) & !a->is_active[c]);
    }
}

/* Takes away what rounding left of an active bound, which is much when y came from far away. */
static void snap(hcri_active_set *a, uint32_t c, double side) {
    const double bound = hcri_active_bound(a, c, side);
    a->moved += fabs(a->y[c] - bound);
    a->y[c] = bound;
}

/* One step of Newton's method for N'y = b; returns whether y was off by more than some times the rounding. */
static int refine_once(hcri_active_set *a, double times) {
    int off = 0;
    for (size_t i = 0; i < a->active; i++) {
        const uint32_t c = a->constraint[i];
        a->step[i] = hcri_active_dot(a, c, a->y) - hcri_active_bound(a, c, a->side[i]);
        off |= fabs(a->step[i]) > times * a->rounding[c];
    }
    hcri_envelope_forward(&a->gram, a->step);
    hcri_envelope_backward(&a->gram, a->step);
    for (size_t i = 0; i < a->active; i++) {
        a->multiplier[i] += a->step[i];
        hcri_active_add_row(a, a->constraint[i], -a->step[i], a->y);
        a->moved += fabs(a->step[i]);
    }
    for (size_t i = 0; i < a->active; i++)
        if (a->constraint[i] < a->bounds)
            snap(a, a->constraint[i], a->side[i]);
    return off;
}

/* The active rows get to where rounding leaves them: from afar each step takes away 16 digits at most. */
static void refine(hcri_active_set *a, double times) {
    enum { MOST = 10 };
    for (int step = 0; step < MOST && refine_once(a, times); step++)
        ;
}

/* Raises the multiplier of the most violated constraint until it holds. */
static int add_worst(hcri_active_set *a) {
    const uint32_t c = a->worst;
    const double side = a->worst_side;
    double violation = a->worst_violation, multiplier = 0;
    if (!hcri_active_make_room(a))
        return 0;
    for (;;) {
        const double left = hcri_active_resolve(a, c);
        const int dependent = !(left > hcri_row_independence);
        double length = dependent ? INFINITY : violation / left;
        size_t blocking = SIZE_MAX;
        for (size_t i = 0; i < a->active; i++) {
            /* The multiplier |λ_i| falls by this much per unit of step. */
            const double fall = side * a->side[i] * a->step[i];
            if (fall > 0 && fabs(a->multiplier[i]) < length * fall && !hcri_active_is_equality(a, a->constraint[i])) {
                length = fabs(a->multiplier[i]) / fall;
                blocking = i;
            }
        }
        if (isinf(length)) { /* opposite rows that leave one value, but for what rounding left of the way here */
            refine(a, 1);
            const double off = hcri_active_dot(a, c, a->y) - hcri_active_bound(a, c, side);
            a->safe[c] = a->moved + fabs(off);
            return side * off <= a->reach * a->rounding[c];
        }
        multiplier += side * length;
        if (!dependent) {
            hcri_active_add_row(a, c, -side * length, a->y);
            a->moved += length * sqrt(left) * 1.000001;
            violation -= length * left;
        }
        for (size_t i = 0; i < a->active; i++) {
            const double change = side * length * a->step[i];
            a->multiplier[i] -= change;
            if (!dependent && change != 0)
                hcri_active_add_row(a, a->constraint[i], change, a->y);
        }
        if (blocking == SIZE_MAX) {
            if (c < a->bounds)
                snap(a, c, side);
            return hcri_active_add(a, c, side, multiplier);
        }
        hcri_active_remove(a, blocking);
    }
}

/* y = p − Nλ anew, which leaves nothing of the rounding on the way here, and refined. Active bounds needn't be
 * subtracted: their coordinates are known. Then constraints whose multiplier turned out to be of the wrong sign go;
 * says whether one did. */
static int settle(hcri_active_set *a) {
    memcpy(a->direction, a->y, a->n * sizeof *a->y);
    memcpy(a->y, a->p, a->n * sizeof *a->y);
    double largest = 0;
    for (size_t i = 0; i < a->active; i++) {
        if (a->constraint[i] >= a->bounds)
            hcri_active_add_row(a, a->constraint[i], -a->multiplier[i], a->y);
        largest = fmax(largest, fabs(a->multiplier[i]));
    }
    for (size_t i = 0; i < a->active; i++)
        if (a->constraint[i] < a->bounds)
            a->y[a->constraint[i]] = hcri_active_bound(a, a->constraint[i], a->side[i]);
    double square = 0;
    for (size_t j = 0; j < a->n; j++)
        square += (a->y[j] - a->direction[j]) * (a->y[j] - a->direction[j]);
    a->moved += 1.000001 * sqrt(square);
    refine(a, 1);
    int dropped = 0;
    for (size_t i = a->active; i-- > 0;)
        if (a->multiplier[i] * a->side[i] < -hcri_multiplier_sign * largest &&
            !hcri_active_is_equality(a, a->constraint[i])) {
            dropped = 1;
            hcri_active_remove(a, i);
        }
    return dropped;
}

/* p moved onto the equalities, whose rows are orthonormal but for a metric: twice, for what rounding leaves of a p that
 * is far away. */
static void start_point(hcri_active_set *a) {
    for (int round = 0; round < 2 && a->coordinates.metric == NULL; round++)
        for (size_t c = a->equality; c < a->cut; c++)
            hcri_active_add_row(a, c, a->upper[c] - hcri_active_dot(a, c, a->p), a->p);
    memcpy(a->y, a->p, a->n * sizeof *a->y);
    if (a->coordinates.metric == NULL || a->equality == a->cut)
        return;
    refine_once(a, 1);
    refine_once(a, 1);
    memcpy(a->p, a->y, a->n * sizeof *a->y);
    memset(a->multiplier, 0, a->active * sizeof *a->multiplier);
}

/* From the constraints that were active at the point before, those whose multipliers have the right sign: they are a
 * point from which the dual objective rises. */
static void start_warm(hcri_active_set *a) {
    for (int dropped = 1; dropped != 0;) {
        memcpy(a->y, a->p, a->n * sizeof *a->y);
        memset(a->multiplier, 0, a->active * sizeof *a->multiplier);
        refine_once(a, 1);
        dropped = 0;
        for (size_t i = a->active; i-- > 0;)
            if (a->multiplier[i] * a->side[i] < 0 && !hcri_active_is_equality(a, a->constraint[i])) {
                dropped = 1;
                hcri_active_remove(a, i);
            }
    }
}

static int start(hcri_active_set *a, const double *p) {
    const int warm = a->warm && a->active != 0 && a->count == a->cut;
    a->moved = 0;
    a->count = a->cut;
    memset(a->safe, 0, a->count * sizeof *a->safe);
    a->listed = 0;
    a->out_of_memory = 0;
    a->careful = 0;
    hcri_coordinates_enter(&a->coordinates, p, a->p);
    if (warm) {
        start_warm(a);
    } else {
        if (!hcri_active_start_anew(a))
            return 0;
        start_point(a);
    }
    find_worst(a);
    a->reach = a->swell;
    a->careful = a->swell > far_away;
    return 1;
}

/* Goes on until all constraints hold. */
static int descend(hcri_active_set *a, double *y) {
    const size_t most = 100 + 20 * a->count;
    size_t steps = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (; a->worst != NONE; find_worst(a)) {
            if (steps++ == most || hcri_stopped() || !add_worst(a))
                return 0;
            if (a->careful)
                refine(a, a->swell);
        }
        while (settle(a))
            ;
        find_worst(a);
        if (a->worst == NONE)
            break;
    }
    hcri_coordinates_leave(&a->coordinates, a->y, y);
    return a->worst == NONE;
}

static hcr_status outcome(const hcri_active_set *a, int solved, hcr_error *error) {
    if (solved)
        return HCR_OK;
    return a->out_of_memory || a->gram.out_of_memory
               ? hcri_fail_memory(error)
               : hcri_fail(error, HCR_ERROR_SOLVER, "the active constraints are too many or too nearly dependent");
}

hcr_status hcri_active_set_project(hcri_active_set *a, const double *p, double *y, hcr_error *error) {
    const int solved = start(a, p) && descend(a, y);
    const hcr_status status = outcome(a, solved, error);
    if (!solved)
        (void)hcri_active_start_anew(a); /* what was tried is no start for the next point */
    return status;
}

int hcri_active_set_is_careful(const hcri_active_set *a) { return a->careful; }

int hcri_active_set_is_sure(const hcri_active_set *a) { return !a->careful && a->swell <= 2; }

/* Rows that are on their sides but for rounding become active, with no multiplier. */
static int add_touching(hcri_active_set *a) {
    for (uint32_t c = (uint32_t)a->bounds; c < a->cut; c++) {
        const double rounding = a->swell * a->rounding[c];
        if (a->is_active[c] || a->safe[c] > a->moved + rounding)
            continue;
        const double value = hcri_active_dot(a, c, a->y), above = a->upper[c] - value, below = value - a->lower[c];
        if (fmin(above, below) <= rounding &&
            (!hcri_active_make_room(a) ||
             (hcri_active_resolve(a, c) > hcri_row_independence && !hcri_active_add(a, c, above <= below ? 1 : -1, 0))))
            return 0;
    }
    return 1;
}

/* N (N'N)⁻¹ r, which moves the value of row i by r_i. */
int hcri_active_set_draw_in(hcri_active_set *a, int singles, double *y) {
    const hcri_box *box = a->region->set.box;
    if (!add_touching(a))
        return 0;
    for (size_t i = 0; i < a->active; i++) {
        const uint32_t c = a->constraint[i];
        const int stays = c < a->bounds || (!singles && a->start[c + 1] - a->start[c] == 1);
        a->step[i] = stays ? 0 : -a->side[i] * a->swell * a->rounding[c];
    }
    hcri_envelope_forward(&a->gram, a->step);
    hcri_envelope_backward(&a->gram, a->step);
    memset(a->direction, 0, a->n * sizeof *a->direction);
    for (size_t i = 0; i < a->active; i++)
        hcri_active_add_row(a, a->constraint[i], a->step[i], a->direction);
    hcri_metric_leave(a->coordinates.metric, a->direction);
    for (size_t j = 0; j < a->coordinates.outputs; j++)
        y[j] = fmin(fmax(y[j] + a->direction[j], box->lower[j]), box->upper[j]);
    return 1;
}

hcr_status hcri_active_set_again(hcri_active_set *a, double *y, hcr_error *error) {
    a->listed = 0;
    find_worst(a);
    return outcome(a, descend(a, y), error);
}
