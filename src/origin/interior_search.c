#include "origin/interior_search.h"

#include <math.h>
#include <string.h>

#include "origin/analytic_centre.h"
#include "origin/outer_approximation.h"
#include "origin/reach_bounds.h"
#include "origin/unbounded_origin.h"
#include "origin/unlike_units.h"
#include "solvers/stop_request.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* A length to measure by around a point: the room it has, but for where nothing is near, or it is next to nothing. */
static double measure_at(size_t n, const double *y, double room) {
    static const double most = 1e15, least = 1e-13;
    double size = 1e-100;
    for (size_t j = 0; j < n; j++)
        size = fmax(size, fabs(y[j]));
    return room < most ? fmax(room, least * size) : 1;
}

static hcr_status choose_origin(hcri_interior_search *at, const double *centre, double room, hcr_error *error) {
    if (!at->is_inside)
        return hcri_origin_choose(at->set, &at->origin_request, centre, room, at->lower, at->upper, at->origin, error);
    memcpy(at->origin, at->origin_request.point, at->set->n * sizeof *at->origin);
    return HCR_OK;
}

/* ----------------------------------------------------------------------------------- bounds, rows and quadratics */

/* A set that is empty is called so, not unbounded; and so is a flat one that may be unbounded. Where it may, bounds
 * alone, one of which is missing, need no proof. */
static hcr_status prove_bounded(const hcri_interior_search *at, int *unbounded, hcr_error *error) {
    hcr_error found = {0};
    const int bounds_alone = at->set->blocks == 2 && at->set->linear->rows.count == 0;
    const hcr_status status = at->unbounded_allowed && bounds_alone
                                  ? HCR_ERROR_UNBOUNDED
                                  : hcri_bounds_prove(at->set, at->lower, at->upper, &found);
    if (status == HCR_ERROR_UNBOUNDED) {
        const int needs_room = at->unbounded_allowed && at->origin_request.kind != HCR_ORIGIN_GIVEN;
        const hcr_status flat = hcri_central_check_rows(at->set, at->lower, at->upper, needs_room, error);
        if (flat == HCR_ERROR_EMPTY || hcri_is_final(flat))
            return flat;
        *unbounded = at->unbounded_allowed;
    }
    return status == HCR_OK || *unbounded ? HCR_OK : hcri_fail(error, status, "%s", found.text);
}

static hcr_status interior_search_plain(hcri_interior_search *at, double *centre, hcr_error *error) {
    const hcri_set *set = at->set;
    double room = 0;
    int unbounded = 0;
    if (!hcri_bounds_closed(set->n, at->lower, at->upper))
        HCRI_TRY(prove_bounded(at, &unbounded, error));
    if (at->origin_request.kind != HCR_ORIGIN_GIVEN)
        HCRI_TRY(unbounded ? hcri_open_centre(set, at->lower, at->upper, centre, &room, error)
                           : hcri_central_largest_ball(set, at->lower, at->upper, centre, &room, error));
    HCRI_TRY(choose_origin(at, centre, room, error));
    at->inradius = room;
    if (at->centre_only)
        return HCR_OK;
    HCRI_TRY(hcri_central_radius(set, at->origin, &room, error));
    at->inradius = measure_at(set->n, at->origin, room);
    if (at->rows != NULL)
        HCRI_TRY(hcri_bounds_of_rows(set, at->origin, at->inradius, at->rows, at->row_lower, at->row_upper, error));
    return hcri_bounds_narrow(set, at->origin, at->inradius, unbounded, at->lower, at->upper, error);
}

/* ------------------------------------------------------------------------------------------------- and other kinds */

static hcr_status interior_search_outer(hcri_interior_search *at, hcri_outer *outer, double *centre, hcr_error *error) {
    const hcri_set *set = at->set;
    const size_t n = set->n;
    const int closed = outer->bounded;
    double room = 0, around = 0;
    int bounded = 1;
    if (at->origin_request.kind == HCR_ORIGIN_GIVEN) {
        HCRI_TRY(choose_origin(at, NULL, 0, error));
        memcpy(centre, at->origin, n * sizeof *centre);
        hcri_outer_start_at(outer, centre);
    } else if (at->interior != NULL) {
        memcpy(centre, at->interior, n * sizeof *centre);
        hcri_outer_start_at(outer, centre);
    } else { /* before a set is refused as unbounded any point inside will do */
        const int roughly = !closed && !at->unbounded_allowed && !at->centre_only;
        HCRI_TRY(hcri_outer_centre(outer, roughly, centre, &room, error));
    }
    at->inradius = room;
    if (at->centre_only)
        return choose_origin(at, centre, room, error);
    HCRI_TRY(hcri_outer_prove(outer, &bounded, at->origin, error)); /* `origin` for a direction */
    if (!bounded && !at->unbounded_allowed)
        return hcri_bounds_refuse(set, at->origin, error);
    HCRI_TRY(hcri_outer_radius(set, centre, &around, error));
    HCRI_TRY(hcri_outer_extremes(outer, centre, measure_at(n, centre, around), at->rows, at->row_lower, at->row_upper,
                                 error));
    memcpy(at->lower, outer->lower, n * sizeof *at->lower);
    memcpy(at->upper, outer->upper, n * sizeof *at->upper);
    if (!closed && bounded &&
        at->origin_request.kind != HCR_ORIGIN_GIVEN) /* without the cube that it was looked for in */
        HCRI_TRY(hcri_outer_centre(outer, 0, centre, &room, error));
    HCRI_TRY(choose_origin(at, centre, room, error));
    HCRI_TRY(hcri_outer_radius(set, at->origin, &around, error));
    at->inradius = measure_at(n, at->origin, around);
    return HCR_OK;
}

void hcri_interior_search_narrow(size_t n, const double *low, const double *high, double *lower, double *upper) {
    for (size_t j = 0; j < n; j++) {
        lower[j] = fmax(lower[j], low[j]);
        upper[j] = fmin(upper[j], high[j]);
        if (!(lower[j] < upper[j])) { /* empty, for the search to show */
            lower[j] = low[j];
            upper[j] = high[j];
        }
    }
}

static hcr_status search_in_units_given(hcri_interior_search *at, int has_functions, double *centre, hcr_error *error) {
    if (!has_functions)
        return interior_search_plain(at, centre, error);
    HCRI_SCOPED_BY(hcri_outer_release) hcri_outer outer = {.set = NULL};
    HCRI_TRY(hcri_outer_create(at->set, at->lower, at->upper, &outer, error));
    return interior_search_outer(at, &outer, centre, error);
}

/* ------------------------------------------------------------------------------------------- outputs in unlike units
 */

static void divide(size_t n, const double *unit, double *y) {
    for (size_t j = 0; j < n; j++)
        y[j] /= unit[j];
}

static void multiply(size_t n, const double *unit, double *y) {
    for (size_t j = 0; j < n; j++)
        y[j] *= unit[j];
}

static hcr_status change_rows(const hcri_rows *rows, const double *unit, hcri_rows *changed, hcr_error *error) {
    if (rows == NULL)
        return HCR_OK;
    HCRI_TRY(hcri_rows_append_all(changed, memory, rows, error));
    for (size_t k = 0; k < hcri_rows_entries(changed); k++)
        changed->values[k] *= unit[changed->columns[k]];
    return HCR_OK;
}

/* As if each output were measured in its unit, a power of two, so that results change by no rounding. lower, upper: a
 * box that holds the set, and scratch afterwards. */
static hcr_status search_in_other_units(hcri_interior_search *at, double *lower, double *upper, const double *unit,
                                        int has_functions, double *centre, hcr_error *error) {
    const size_t n = at->set->n;
    HCRI_SCOPED_BY(hcri_set_release) hcri_set changed = {0};
    HCRI_SCOPED_BY(hcri_rows_scoped) hcri_rows rows = {0};
    HCRI_SCOPED double *point = hcri_allocate(memory, n, sizeof *point);
    HCRI_SCOPED double *inside = hcri_allocate(memory, n, sizeof *inside);
    HCRI_ALLOCATED(point && inside);
    hcri_interior_search in = *at;
    if (at->interior != NULL) {
        in.interior = memcpy(inside, at->interior, n * sizeof *inside);
        divide(n, unit, inside);
    }
    in.set = &changed;
    in.lower = lower;
    in.upper = upper;
    divide(n, unit, in.lower);
    divide(n, unit, in.upper);
    if (at->origin_request.point != NULL) {
        in.origin_request.point = memcpy(point, at->origin_request.point, n * sizeof *point);
        divide(n, unit, in.origin_request.point);
    }
    HCRI_TRY(hcri_units_change(at->set, unit, &changed, error));
    HCRI_TRY(change_rows(at->rows, unit, &rows, error));
    in.rows = at->rows == NULL ? NULL : &rows;
    HCRI_TRY(search_in_units_given(&in, has_functions, centre, error));
    multiply(n, unit, at->origin);
    multiply(n, unit, in.lower);
    multiply(n, unit, in.upper);
    memcpy(at->lower, in.lower, n * sizeof *at->lower);
    memcpy(at->upper, in.upper, n * sizeof *at->upper);
    double room = 0;
    HCRI_TRY((has_functions ? hcri_outer_radius : hcri_central_radius)(at->set, at->origin, &room, error));
    at->inradius = at->centre_only ? room : measure_at(n, at->origin, room);
    return HCR_OK;
}

hcr_status hcri_interior_search_run(hcri_interior_search *at, hcr_error *error) {
    const hcri_set *set = at->set;
    const size_t n = set->n;
    HCRI_FAIL_IF(at->origin_request.kind == HCR_ORIGIN_MEAN && at->origin_request.point == NULL, HCR_ERROR_ORIGIN,
                 "the origin is to be the mean of the targets, and there are none: give targets (fit does, compile "
                 "takes --targets), or choose another origin");
    HCRI_SCOPED double *numbers = hcri_allocate(memory, 4 * n, sizeof *numbers);
    HCRI_ALLOCATED(numbers);
    double *centre = numbers, *low = numbers + n, *high = numbers + 2 * n, *unit = numbers + 3 * n;
    const int has_functions = hcri_outer_is_needed(set);
    HCRI_TRY(hcri_bounds_derive(set, low, high, error));
    hcri_interior_search_narrow(n, low, high, at->lower, at->upper);
    memcpy(low, at->lower, n * sizeof *low);
    memcpy(high, at->upper, n * sizeof *high);
    hcr_error found = {0};
    hcr_status status = search_in_units_given(at, has_functions, centre, &found);
    const int all_bounds = at->unbounded_allowed || at->centre_only || hcri_bounds_closed(n, at->lower, at->upper);
    int unlike = 0;
    if (!hcri_is_final(status) && (status != HCR_OK || !all_bounds))
        HCRI_TRY(hcri_units_find(set, at->lower, at->upper, unit, &unlike, error));
    if (unlike) {
        hcr_error other = {0};
        if (status == HCR_ERROR_UNBOUNDED && has_functions && at->inradius > 0)
            at->interior = centre;
        const hcr_status in_other = search_in_other_units(at, low, high, unit, has_functions, centre, &other);
        if (in_other == HCR_OK || hcri_is_final(in_other)) {
            status = in_other;
            found = other;
        }
    }
    if (status != HCR_OK && error != NULL)
        *error = found; /* of the set in its own units */
    return status;
}
