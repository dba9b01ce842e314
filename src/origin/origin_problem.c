#include "origin/origin_problem.h"

#include <math.h>
#include <string.h>

#include "kinds/block.h"
#include "origin/conflict.h"
#include "origin/equalities/reduction.h"
#include "origin/interior_search.h"
#include "origin/parametric/given_origin_map.h"
#include "origin/parametric/origin_map_search.h"
#include "origin/quadratics_radius.h"
#include "origin/reach_bounds.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* ------------------------------------------------------------------------------------------------------ equalities */

static int has_equalities(const hcri_set *set) {
    if (set->equalities.rows.count != 0)
        return 1;
    for (size_t j = 0; j < set->n; j++)
        if (set->box->lower[j] == set->box->upper[j])
            return 1;
    for (size_t i = 0; i < set->linear->rows.count; i++)
        if (set->linear->lower[i] == set->linear->upper[i])
            return 1;
    return 0;
}

/* The mean of the targets, or the given point. */
static void requested_point(const hcr_builder *builder, double *point) {
    const size_t n = builder->set.n;
    for (size_t i = 0; i < builder->point_count; i++)
        for (size_t j = 0; j < n; j++)
            point[j] += (builder->points[i * n + j] - point[j]) / (double)(i + 1);
}

/* A given point has to be on the equalities; the mean is projected. */
static hcr_status place_on_equalities(const hcri_set *set, const hcri_affine *affine,
                                      const hcri_origin_request *request, hcr_error *error) {
    double *point = request->point;
    if (request->kind == HCR_ORIGIN_GIVEN) {
        HCRI_TRY(hcri_given_check_equalities(set, point, 1, error));
    } else {
        HCRI_SCOPED double *on = hcri_copy(memory, point, set->n, sizeof *on);
        HCRI_ALLOCATED(on);
        hcri_affine_complete(affine, on);
        for (size_t j = 0; j < set->n; j++)
            point[j] -= on[j];
        hcri_affine_project(affine, point);
        for (size_t j = 0; j < set->n; j++)
            point[j] += on[j];
    }
    hcri_affine_complete(affine, point);
    return HCR_OK;
}

/* What the box of the free outputs says of the dependent ones: y = constant + T z. */
static void bound_dependent(const hcri_affine *affine, double *lower, double *upper) {
    for (size_t d = 0; d < affine->count; d++) {
        const uint32_t j = affine->dependent[d];
        double low = affine->constant[d], high = low, sizes = fabs(low);
        for (size_t k = affine->map.start[d]; k < affine->map.start[d + 1]; k++) {
            const double t = affine->map.values[k], *near = t > 0 ? lower : upper, *far = t > 0 ? upper : lower;
            low += t * near[affine->map.columns[k]];
            high += t * far[affine->map.columns[k]];
            sizes += fabs(t) * fmax(fabs(lower[affine->map.columns[k]]), fabs(upper[affine->map.columns[k]]));
        }
        const double rounding = isinf(sizes) ? 0 : 0x1p-40 * sizes;
        const double beyond =
            rounding + 0x1p-40 * (isinf(low) ? 0 : fabs(low)) + 0x1p-40 * (isinf(high) ? 0 : fabs(high));
        lower[j] = fmax(lower[j], low - beyond);
        upper[j] = fmin(upper[j], high + beyond);
    }
}

/* y − constant of the dependent outputs as rows over the free ones, and their bounds. */
static hcr_status dependent_rows(const hcri_reduction *reduction, const double *lower, const double *upper,
                                 hcri_rows *rows, double *low, double *high, hcr_error *error) {
    const hcri_affine *affine = &reduction->elimination->affine;
    const hcri_rows *map = &reduction->by.map;
    *rows = (hcri_rows){0};
    for (size_t d = 0; d < affine->count; d++) {
        const uint32_t j = affine->dependent[d];
        const hcri_row row = hcri_rows_row(map, j);
        HCRI_TRY(hcri_rows_append(rows, memory, row.count, row.columns, row.values, error));
        low[d] = lower[j] - affine->constant[d];
        high[d] = upper[j] - affine->constant[d];
    }
    return HCR_OK;
}

static void take_dependent(const hcri_affine *affine, const double *low, const double *high, double *lower,
                           double *upper) {
    for (size_t d = 0; d < affine->count; d++) {
        const double beyond = 0x1p-50 * fabs(affine->constant[d]);
        lower[affine->dependent[d]] = fmax(lower[affine->dependent[d]], low[d] + affine->constant[d] - beyond);
        upper[affine->dependent[d]] = fmin(upper[affine->dependent[d]], high[d] + affine->constant[d] + beyond);
    }
}

/* The origin is rounded once more when the dependent outputs are completed: it has to stay within the box. */
static void include_origin(size_t n, const double *origin, double *lower, double *upper) {
    for (size_t j = 0; j < n; j++) {
        lower[j] = fmin(lower[j], origin[j]);
        upper[j] = fmax(upper[j], origin[j]);
    }
}

static hcr_status search_reduced(const hcri_reduction *reduction, const hcri_interior_search *wanted,
                                 hcri_finding *finding, hcr_error *error) {
    const size_t k = reduction->freedom, n = finding->set->n;
    if (k == 0) {
        memcpy(finding->origin, reduction->constant, n * sizeof(double));
        memcpy(finding->lower, reduction->constant, n * sizeof(double));
        memcpy(finding->upper, reduction->constant, n * sizeof(double));
        finding->inradius = 1;
        return HCR_OK;
    }
    const size_t dependent = finding->affine.count;
    HCRI_SCOPED double *numbers = hcri_allocate(memory, 4 * k + 2 * dependent + 2 * n, sizeof *numbers);
    HCRI_ALLOCATED(numbers);
    double *low = numbers + 4 * k, *high = low + dependent, *lower = high + dependent, *upper = lower + n;
    HCRI_SCOPED_BY(hcri_rows_scoped) hcri_rows rows = {0};
    const double *point = wanted->origin_request.point;
    hcri_interior_search at = *wanted;
    at.set = &reduction->set;
    at.origin_request.point = point == NULL ? NULL : numbers + 3 * k;
    at.origin = numbers;
    at.lower = numbers + k;
    at.upper = numbers + 2 * k;
    at.rows = &rows;
    at.row_lower = low;
    at.row_upper = high;
    HCRI_TRY(hcri_bounds_derive(finding->set, lower, upper, error));
    hcri_interior_search_narrow(n, lower, upper, finding->lower, finding->upper);
    for (size_t i = 0; i < k; i++) {
        at.lower[i] = finding->lower[reduction->free[i]];
        at.upper[i] = finding->upper[reduction->free[i]];
        if (point != NULL)
            numbers[3 * k + i] = point[reduction->free[i]];
    }
    HCRI_TRY(dependent_rows(reduction, finding->lower, finding->upper, &rows, low, high, error));
    HCRI_TRY(hcri_interior_search_run(&at, error));
    hcri_reduction_complete(reduction, at.origin, finding->origin);
    for (size_t i = 0; i < k; i++) {
        finding->lower[reduction->free[i]] = at.lower[i];
        finding->upper[reduction->free[i]] = at.upper[i];
    }
    finding->inradius = at.inradius;
    bound_dependent(&finding->affine, finding->lower, finding->upper);
    take_dependent(&finding->affine, low, high, finding->lower, finding->upper);
    include_origin(n, finding->origin, finding->lower, finding->upper);
    return HCR_OK;
}

static int has_varying(const hcri_set *set) {
    for (size_t b = 2; b < set->blocks; b++)
        if (set->block[b]->kind->is_bilinear)
            return 1;
    return 0;
}

hcr_status hcri_set_copy_convex(const hcri_set *set, int with_varying, hcri_set *copy, hcr_error *error) {
    HCRI_TRY(hcri_set_copy(set, memory, copy, error));
    size_t kept = 0;
    for (size_t b = 0; b < copy->blocks; b++)
        if ((copy->block[b]->kind->is_bilinear && !with_varying) || !copy->block[b]->convex)
            hcri_block_release(copy->block[b]);
        else
            copy->block[kept++] = copy->block[b];
    copy->blocks = kept;
    return hcri_set_number(copy, error);
}

/* What is found of a set with parameters before all else: the centre at the middle of their range, with that as the
 * parameters; the error where there is none. */
typedef struct middle {
    double *point, room;
    hcr_status status;
    hcr_error error;
} middle;

static void middle_release(middle *at) { hcri_release(memory, at->point); }

/* A point inside saves the search for one in the set of outputs and parameters. */
static hcr_status take_middle(const hcri_lifted *lifted, hcri_interior_search *wanted, middle *at, hcr_error *error) {
    at->point = hcri_allocate(memory, lifted->set->n, sizeof *at->point);
    HCRI_ALLOCATED(at->point);
    at->status = hcri_moving_reference(lifted, at->point, &at->room, &at->error);
    if (at->status == HCR_OK) {
        wanted->origin_request = (hcri_origin_request){HCR_ORIGIN_GIVEN, at->point};
        wanted->is_inside = 1;
    }
    return HCR_OK;
}

/* How the origin moves. Every range is kept whole, whatever narrows it. */
static hcr_status find_origin_map(const hcr_builder *builder, hcri_lifted *lifted, const middle *at,
                                  hcri_finding *finding, hcr_error *error) {
    const hcri_set *set = finding->set;
    if (at->status != HCR_OK)
        return hcri_fail_at(error, at->status, at->error.file, at->error.line, at->error.column, "%s", at->error.text);
    lifted->lower = finding->lower;
    lifted->upper = finding->upper;
    HCRI_TRY(hcri_moving_find(lifted, builder, at->point, at->room, &finding->origin_map, finding->origin,
                              &finding->inradius, error));
    for (size_t j = set->outputs; j < set->n; j++) {
        finding->lower[j] = set->box->lower[j];
        finding->upper[j] = set->box->upper[j];
    }
    include_origin(set->n, finding->origin, finding->lower, finding->upper);
    return HCR_OK;
}

/* In a set without equalities: the finding's own, or the reduced one. */
static hcr_status search(const hcri_interior_search *wanted, const hcri_set *set, hcri_finding *finding,
                         hcr_error *error) {
    if (set->reduction != NULL)
        return search_reduced(set->reduction, wanted, finding, error);
    hcri_interior_search at = *wanted;
    at.set = set;
    at.origin = finding->origin;
    at.lower = finding->lower;
    at.upper = finding->upper;
    HCRI_TRY(hcri_interior_search_run(&at, error));
    finding->inradius = at.inradius;
    return HCR_OK;
}

/* The same; with parameters (moving != NULL) their range's middle first, and how the origin moves after it. */
static hcr_status find_in(hcri_interior_search *wanted, const hcri_set *free, const hcr_builder *moving,
                          hcri_finding *finding, hcr_error *error) {
    if (moving == NULL)
        return search(wanted, free, finding, error);
    HCRI_SCOPED_BY(middle_release) middle at = {.point = NULL};
    hcri_lifted lifted = {
        .set = finding->set, .free = free, .affine = &finding->affine, .unbounded_allowed = wanted->unbounded_allowed};
    HCRI_TRY(take_middle(&lifted, wanted, &at, error));
    HCRI_TRY(search(wanted, free, finding, error));
    return find_origin_map(moving, &lifted, &at, finding, error);
}

static hcr_status find_free(hcri_interior_search *wanted, const hcr_builder *moving, hcri_finding *finding,
                            hcr_error *error) {
    if (moving == NULL)
        return find_in(wanted, finding->set, NULL, finding, error);
    HCRI_SCOPED_BY(hcri_set_release) hcri_set convex = {0};
    HCRI_TRY(hcri_set_copy_convex(finding->set, 0, &convex, error));
    return find_in(wanted, &convex, moving, finding, error);
}

static hcr_status find_reduced(hcri_interior_search *wanted, const hcri_set *set, const hcr_builder *moving,
                               hcri_finding *finding, hcr_error *error) {
    hcri_elimination elimination;
    hcri_reduction reduction;
    finding->set = &finding->settled; /* which is released with it */
    HCRI_TRY(hcri_reduction_collect(set, &set->allocator, &finding->settled, error));
    HCRI_TRY(hcri_set_number(&finding->settled, error));
    HCRI_TRY(hcri_eliminate(&finding->settled, &elimination, error));
    hcr_status status = HCR_OK;
    if (elimination.affine.count == 0) { /* all were 0 = 0 */
        hcri_rows_release(&finding->settled.equalities.rows, &finding->settled.allocator);
        return find_free(wanted, moving, finding, error);
    }
    status = hcri_reduction_make(&finding->settled, &elimination, &reduction, error);
    if (status == HCR_OK) {
        finding->affine = elimination.affine; /* the finding's from here on */
        if (wanted->origin_request.point != NULL)
            status = place_on_equalities(finding->set, &finding->affine, &wanted->origin_request, error);
        if (status == HCR_OK)
            status = find_in(wanted, &reduction.set, moving, finding, error);
        hcri_reduction_release(&reduction);
        elimination.affine = (hcri_affine){0};
    }
    hcri_elimination_release(&elimination, &set->allocator);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ everything */

/* wanted->lower, wanted->upper: NULL, or a box that holds the set. */
static hcr_status find(hcri_interior_search *wanted, const hcri_set *set, const hcr_builder *moving,
                       hcri_finding *finding, hcr_error *error) {
    const size_t n = set->n;
    finding->set = set;
    finding->radius = INFINITY;
    finding->origin = hcri_allocate(memory, n, sizeof(double));
    finding->lower = hcri_allocate(memory, n, sizeof(double));
    finding->upper = hcri_allocate(memory, n, sizeof(double));
    HCRI_ALLOCATED(finding->origin && finding->lower && finding->upper);
    for (size_t j = 0; j < n; j++) {
        finding->lower[j] = wanted->lower == NULL ? -INFINITY : wanted->lower[j];
        finding->upper[j] = wanted->upper == NULL ? INFINITY : wanted->upper[j];
    }
    HCRI_TRY(hcri_conflict_sides(set, error));
    return has_equalities(set) ? find_reduced(wanted, set, moving, finding, error)
                               : find_free(wanted, moving, finding, error);
}

static hcr_status find_fixed(const hcr_builder *builder, const hcri_set *set, hcri_finding *finding, hcr_error *error) {
    HCRI_SCOPED double *point = hcri_allocate(memory, set->n, sizeof *point);
    HCRI_ALLOCATED(point);
    requested_point(builder, point);
    hcri_interior_search wanted = {.origin_request = {builder->origin, builder->point_count == 0 ? NULL : point},
                                   .unbounded_allowed = builder->unbounded_allowed};
    HCRI_TRY(find(&wanted, set, NULL, finding, error));
    return hcri_radius_bound(finding->set, finding->origin, &finding->radius, error);
}

/* The analysis of the set of outputs and parameters, in which the ranges are bounds as others are, then its origin map.
 */
static hcr_status find_moving(const hcr_builder *builder, const hcri_set *set, hcri_finding *finding,
                              hcr_error *error) {
    HCRI_FAIL_IF(builder->origin == HCR_ORIGIN_MEAN || builder->origin == HCR_ORIGIN_ANALYTIC, HCR_ERROR_UNSUPPORTED,
                 "the origin of a region with parameters moves with them: choose chebyshev, or give it (a point, or a "
                 "point and its change with each parameter), not %s",
                 builder->origin == HCR_ORIGIN_MEAN ? "mean" : "analytic");
    hcri_interior_search wanted = {.origin_request = {HCR_ORIGIN_CHEBYSHEV, NULL},
                                   .unbounded_allowed = builder->unbounded_allowed};
    hcr_error found = {0};
    const hcr_status status = find(&wanted, set, builder, finding, &found);
    if (status == HCR_OK)
        return HCR_OK;
    const int varies = status == HCR_ERROR_UNBOUNDED && has_varying(set);
    return hcri_fail_at(error, status, found.file, found.line, found.column, "%s%s", found.text,
                        varies ? "\nRows whose coefficients depend on parameters bound nothing here: give bounds."
                               : "");
}

/* ---------------------------------------------------------------------------------------------------------- public */

hcr_status hcri_analysis_find(const hcr_builder *builder, const hcri_set *set, hcri_finding *finding,
                              hcr_error *error) {
    *finding = (hcri_finding){0};
    const hcr_status status =
        set->n == set->outputs ? find_fixed(builder, set, finding, error) : find_moving(builder, set, finding, error);
    if (status != HCR_OK)
        hcri_finding_release(finding);
    return status;
}

hcr_status hcri_analysis_centre(const hcri_set *set, int unbounded_allowed, double *lower, double *upper,
                                double *centre, double *radius, hcr_error *error) {
    hcri_interior_search wanted = {.origin_request = {HCR_ORIGIN_CHEBYSHEV, NULL},
                                   .unbounded_allowed = unbounded_allowed,
                                   .centre_only = lower != NULL,
                                   .lower = lower,
                                   .upper = upper};
    HCRI_SCOPED_BY(hcri_finding_release) hcri_finding finding = {0};
    HCRI_TRY(find(&wanted, set, NULL, &finding, error));
    memcpy(centre, finding.origin, set->n * sizeof *centre);
    *radius = finding.inradius;
    return HCR_OK;
}

void hcri_finding_release(hcri_finding *finding) {
    if (finding->set == NULL)
        return;
    hcri_affine_release(&finding->affine, &finding->set->allocator);
    hcri_origin_map_release(&finding->origin_map, memory);
    if (finding->set == &finding->settled)
        hcri_set_release(&finding->settled);
    hcri_release(memory, finding->origin);
    hcri_release(memory, finding->lower);
    hcri_release(memory, finding->upper);
    *finding = (hcri_finding){0};
}

hcri_analysis hcri_finding_analysis(const hcr_builder *builder, const hcri_finding *finding) {
    return (hcri_analysis){.origin = finding->origin,
                           .lower = finding->lower,
                           .upper = finding->upper,
                           .radius = finding->radius,
                           .affine = finding->affine.count == 0 ? NULL : &finding->affine,
                           .origin_map = finding->origin_map.parameters == 0 ? NULL : &finding->origin_map,
                           .unbounded_allowed = builder->unbounded_allowed,
                           .origin_choice = builder->origin};
}
