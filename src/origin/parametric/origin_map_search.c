#include "origin/parametric/origin_map_search.h"

#include <math.h>
#include <string.h>

#include "origin/constraint_words.h"
#include "origin/origin_problem.h"
#include "origin/parametric/centre_sensitivity.h"
#include "origin/parametric/given_origin_map.h"
#include "origin/parametric/open_ranges.h"
#include "origin/parametric/robust_counterpart.h"
#include "origin/parametric/robust_origin.h"
#include "origin/point_check.h"
#include "region/origin_map.h"
#include "solvers/stop_request.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* Room that is this share of the most there can be is as good. */
static const double enough = 0.9;

typedef struct moving {
    const hcri_lifted *lifted;
    hcri_sweep sweep;    /* the range; nothing moves in it */
    const double *point; /* all columns: the centre of a largest ball at the reference, … */
    double middle_room;  /* … and its radius */
    hcri_rows moves;     /* as centre_sensitivity.h has them */
    hcri_rows map;       /* of the origin map, … */
    double *centre;      /* … the origin that goes with it at the reference (an output each), … */
    double room;         /* … and the radius of the ball that it has for every x, −infinity: none */
} moving;

static void release(moving *at) {
    hcri_sweep_release(&at->sweep);
    hcri_release(memory, at->centre);
    hcri_rows_release(&at->moves, memory);
    hcri_rows_release(&at->map, memory);
}

/* ------------------------------------------------------------------------------------------ the middle of the range */

static hcr_status refuse_middle(hcr_status status, const hcr_error *found, hcr_error *error) {
    if (status != HCR_ERROR_EMPTY)
        return hcri_fail_at(error, status, found->file, found->line, found->column,
                            "with all parameters at the middle of their ranges: %s", found->text);
    return hcri_fail_at(error, status, found->file, found->line, found->column,
                        "with all parameters at the middle of their ranges %s\n"
                        "Narrow the ranges; where two parameters are the ends of an interval, declare one and the "
                        "width (hi = lo + width, with a range of widths above 0). Bounds and rows need no ranges: "
                        "without them each sample gets an origin of its own.",
                        found->text);
}

/* Rows without outputs, which no origin can satisfy, show here. */
static hcr_status check_middle(const hcri_set *set, const double *point, hcr_error *error) {
    uint32_t number;
    double value;
    char words[400];
    if (hcri_strictly_inside(set, point, &number, &value))
        return HCR_OK;
    const hcri_place *place = hcri_set_place_of(set, number);
    hcri_describe_constraint(set, number, words, sizeof words);
    return hcri_fail_at(error, HCR_ERROR_EMPTY, place->file, place->line, place->column,
                        "with all parameters at the middle of their ranges no point is strictly inside of\n    %s\n"
                        "Narrow the ranges, or loosen it.",
                        words);
}

/* A centre of the slice at x, which point gets; NULL: the middle. */
static hcr_status find_in_slice(const hcri_lifted *lifted, const double *x, double *point, double *room,
                                hcr_error *error) {
    hcri_counterpart slice;
    hcr_error found = {0};
    hcr_status status = hcri_counterpart_make(lifted, NULL, x, &slice, &found);
    if (status == HCR_OK) {
        const hcri_sweep *range = &slice.sweep;
        status = hcri_counterpart_centre(&slice, point, room, &found);
        memcpy(point + range->outputs, range->middle, (range->n - range->outputs) * sizeof *point);
        hcri_counterpart_release(&slice);
    }
    return status == HCR_OK ? check_middle(lifted->set, point, error) : refuse_middle(status, &found, error);
}

/* Does a row whose coefficients depend on parameters leave nothing strictly inside at the middle? There it may say
 * nothing, 0 <= 0, where next to it there is room. */
static int is_row_idle(const hcri_set *set, const double *point) {
    uint32_t number;
    double value;
    size_t local;
    return !hcri_strictly_inside(set, point, &number, &value) && value == 0 &&
           hcri_set_block_of(set, number, &local)->kind->is_bilinear;
}

/* Parameters of the centre of a largest ball in outputs and parameters together: where limits on either side have the
 * same range, lower and upper ones meet in the middle. EMPTY: there is none, or it isn't looked for. */
static hcr_status find_together(const hcri_lifted *lifted, double *point, double *room, hcr_error *error) {
    hcri_set joint = *lifted->set;
    for (size_t b = 0; b < joint.blocks; b++)
        HCRI_FAIL_IF(joint.block[b]->kind->is_bilinear, HCR_ERROR_EMPTY, "not jointly convex");
    joint.outputs = joint.n;
    HCRI_SCOPED double *x = hcri_allocate(memory, joint.n, sizeof *x);
    HCRI_ALLOCATED(x);
    HCRI_TRY(hcri_analysis_centre(&joint, lifted->unbounded_allowed, lifted->lower, lifted->upper, x, room, error));
    return find_in_slice(lifted, x + lifted->set->outputs, point, room, error);
}

hcr_status hcri_moving_reference(const hcri_lifted *lifted, double *point, double *room, hcr_error *error) {
    enum { TRIES = 16 };
    static const double golden = 0.6180339887498949;
    const hcri_set *set = lifted->set;
    const size_t parameters = set->n - set->outputs;
    hcr_status status = find_in_slice(lifted, NULL, point, room, error);
    if (status != HCR_ERROR_EMPTY)
        return status;
    hcr_error reason;
    const hcr_status together = find_together(lifted, point, room, &reason);
    if (together == HCR_OK || hcri_is_final(together))
        return together == HCR_OK ? together : hcri_fail(error, together, "%s", reason.text);
    if (!is_row_idle(set, point))
        return status;
    HCRI_SCOPED double *x = hcri_allocate(memory, set->n, sizeof *x);
    HCRI_SCOPED double *found = hcri_allocate(memory, set->n, sizeof *found);
    HCRI_ALLOCATED(x && found);
    for (int k = 0; k < TRIES && status == HCR_ERROR_EMPTY; k++) {
        for (size_t l = 0; l < parameters; l++) { /* in the middle half of each range */
            const double turn = golden * (double)(k + 1) * (double)(l + 1), share = 0.25 + 0.5 * (turn - floor(turn));
            const double *lower = set->box->lower + set->outputs, *upper = set->box->upper + set->outputs;
            x[l] = lower[l] + share * (upper[l] - lower[l]);
        }
        const hcr_status now = find_in_slice(lifted, x, found, room, &reason);
        if (now == HCR_OK)
            memcpy(point, found, set->n * sizeof *point);
        if (now != HCR_ERROR_EMPTY)
            status = now == HCR_OK ? now : hcri_fail(error, now, "%s", reason.text);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------- maps and centres */

/* The room of the counterpart's centre. Inequalities whose worst parameters weren't all seen are looked at again. */
static hcr_status centre_of(hcri_counterpart *counterpart, double *centre, double *room, hcr_error *error) {
    enum { MOST_ROUNDS = 4, STARTS = 16 };
    for (int round = 0; round < MOST_ROUNDS; round++) {
        int outside = 0;
        HCRI_TRY(hcri_counterpart_centre(counterpart, centre, room, error));
        for (size_t k = 0; k < counterpart->worsts; k++)
            outside |= !(hcri_worst_search(counterpart->worst[k], centre, STARTS) < 0);
        if (!outside)
            return HCR_OK;
    }
    return hcri_fail(error, HCR_ERROR_EMPTY, "no centre stays inside");
}

/* The map and the centre of these moves, kept where they have more room than `least`; *room = −infinity: none. */
static hcr_status take(moving *at, const hcri_rows *moves, double least, double *room, hcr_error *error) {
    HCRI_SCOPED_BY(hcri_rows_scoped) hcri_rows map = {0};
    HCRI_SCOPED_BY(hcri_counterpart_release) hcri_counterpart counterpart = {0};
    HCRI_SCOPED double *centre = hcri_allocate(memory, at->sweep.outputs, sizeof *centre);
    HCRI_ALLOCATED(centre);
    HCRI_TRY(hcri_sensitivity_map(at->lifted, &at->sweep, moves, 1, &map, error));
    hcr_status status = hcri_counterpart_make(at->lifted, &map, NULL, &counterpart, error);
    if (status == HCR_OK)
        status = centre_of(&counterpart, centre, room, error);
    if (status != HCR_OK)
        *room = -INFINITY;
    if (*room >= least) {
        const hcri_rows before = at->map;
        double *const other = at->centre;
        at->map = map;
        map = before;
        at->centre = centre;
        centre = other;
        at->room = *room;
    }
    return hcri_is_final(status) ? status : HCR_OK;
}

/* Between the moves of the sensitivity, which are central everywhere, and those of the program, which are so where it
 * is narrowest: as near to the first ones as leaves room enough. */
static hcr_status mix(moving *at, const hcri_rows *program, double least, hcr_error *error) {
    enum { STEPS = 5 };
    const size_t count = program->start[program->count];
    HCRI_SCOPED_BY(hcri_rows_scoped) hcri_rows mixed = {0};
    HCRI_TRY(hcri_rows_append_all(&mixed, memory, program, error));
    double low = 0, high = 1;
    for (int step = 0; step < STEPS; step++) {
        const double share = 0.5 * (low + high);
        double room;
        for (size_t k = 0; k < count; k++)
            mixed.values[k] = at->moves.values[k] + share * (program->values[k] - at->moves.values[k]);
        HCRI_TRY(take(at, &mixed, least, &room, error));
        *(room >= least ? &high : &low) = share;
    }
    return HCR_OK;
}

/* The sensitivity's moves, or those that leave bounds and rows most room where that is much more. */
static hcr_status choose_moves(moving *at, hcri_rows *program, hcr_error *error) {
    double most, room;
    HCRI_TRY(take(at, &at->moves, 0, &room, error));
    if (at->room >= enough * at->middle_room)
        return HCR_OK;
    HCRI_TRY(hcri_robust_find(at->lifted, &at->sweep, at->point, at->middle_room, program, &most, error));
    const double room_before = fmax(at->room, 0);
    if (!(enough * most > room_before))
        return HCR_OK;
    HCRI_TRY(take(at, program, room_before, &room, error));
    return enough * room > room_before ? mix(at, program, enough * room, error) : HCR_OK;
}

/* --------------------------------------------------------------------------------------------------- the origin map */

/* constant + map·x = centre at the reference x. */
static hcr_status make_origin_map(const moving *at, hcri_origin_map *origin_map, hcr_error *error) {
    const size_t outputs = at->sweep.outputs;
    *origin_map = (hcri_origin_map){
        .outputs = outputs, .parameters = at->sweep.n - outputs, .lower = at->sweep.lower, .upper = at->sweep.upper};
    origin_map->constant = hcri_allocate(memory, outputs, sizeof(double));
    HCRI_ALLOCATED(origin_map->constant);
    for (size_t j = 0; j < outputs; j++)
        origin_map->constant[j] = -hcri_rows_dot_minus(&at->map, j, at->point + outputs, at->centre[j]);
    return hcri_rows_append_all(&origin_map->map, memory, &at->map, error);
}

/* Over open ranges nothing that stays inside is sought: each sample finds its own origin. */
static hcr_status choose(moving *at, int is_open, hcr_error *error) {
    HCRI_SCOPED_BY(hcri_rows_scoped) hcri_rows program = {0};
    HCRI_TRY(hcri_sensitivity_find(at->lifted, &at->sweep, at->point, at->middle_room, &at->moves, error));
    HCRI_TRY(hcri_rows_append_all(&program, memory, &at->moves, error));
    if (!is_open)
        HCRI_TRY(choose_moves(at, &program, error));
    if (at->centre != NULL)
        return HCR_OK;
    /* Nothing affine stays inside for all x: the best there is around the reference. */
    HCRI_TRY(hcri_sensitivity_map(at->lifted, &at->sweep, &at->moves, 1, &at->map, error));
    at->centre = hcri_copy(memory, at->point, at->sweep.outputs, sizeof *at->centre);
    at->room = at->middle_room;
    return at->centre == NULL ? hcri_fail_memory(error) : HCR_OK;
}

static void take_origin(const hcri_lifted *lifted, const double *x, const hcri_origin_map *origin_map, double *origin) {
    memcpy(origin + lifted->set->outputs, x, (lifted->set->n - lifted->set->outputs) * sizeof *origin);
    hcri_origin_map_origin(origin_map, x, origin);
    hcri_affine_complete(lifted->affine, origin);
}

hcr_status hcri_moving_find(const hcri_lifted *lifted, const hcr_builder *builder, const double *reference, double room,
                            hcri_origin_map *origin_map, double *origin, double *inradius, hcr_error *error) {
    HCRI_SCOPED_BY(release) moving at = {.lifted = lifted, .point = reference, .middle_room = room, .room = -INFINITY};
    HCRI_TRY(hcri_sweep_create(lifted->set, NULL, &at.sweep, error));
    if (builder->origin == HCR_ORIGIN_GIVEN) {
        HCRI_TRY(hcri_given_find(lifted, &at.sweep, builder, origin_map, &at.room, error));
    } else {
        HCRI_TRY(choose(&at, hcri_has_open_ranges(builder), error));
        HCRI_TRY(make_origin_map(&at, origin_map, error));
    }
    take_origin(lifted, reference + at.sweep.outputs, origin_map, origin);
    *inradius = at.room;
    return check_middle(lifted->set, origin, error);
}
