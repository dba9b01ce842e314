/* Rows to their nearest points: which are inside, what is nearest to the others, and that drawn exactly inside. */
#include "base/vector.h"
#include "exact/exact_equalities.h"
#include "exact/exact_sign.h"
#include "maps/maps.h"
#include "project/projector.h"
#include "region/sample_equalities.h"

/* Coordinates whose squares stay finite, whatever is summed. */
static const double largest_coordinate = 1e140;

static const double *origin_of(const hcr_projector *projector, const hcri_lane *lane, size_t i) {
    return projector->region->origin_map.parameters == 0 ? projector->region->origin
                                                         : lane->origins.points + i * projector->region->set.n;
}

/* What the maps needn't find again: centres; of other origins they round the dependent outputs themselves. */
static const hcri_sample_origins *known_origins(const hcr_region *region, const hcri_lane *lane) {
    return region->centres != NULL ? &lane->origins : NULL;
}

/* The origin of row i and what it holds become those of row `to`. */
static void move_origin(const hcr_region *region, hcri_sample_origins *origins, size_t i, size_t to) {
    const size_t n = region->set.n, flags = hcri_sample_origin_flags(region);
    memmove(origins->points + to * n, origins->points + i * n, n * sizeof *origins->points);
    if (flags != 0)
        memmove(origins->is_free + to * flags, origins->is_free + i * flags, flags * sizeof *origins->is_free);
    origins->found[to] = origins->found[i];
}

/* Those of rows that need one, which depend on their parameters alone: consecutive rows at once, for centres are found
 * eight at a time; with the parameters of the row before it is the same. */
static void find_origins(const hcr_projector *projector, hcri_lane *lane, size_t rows, const unsigned char *needs) {
    const hcr_region *region = projector->region;
    const size_t n = region->set.outputs, columns = region->set.n, p = region->origin_map.parameters;
    const size_t last = projector->chunk, flags = hcri_sample_origin_flags(region);
    const hcri_sample_origins *all = &lane->origins;
    for (size_t i = 0; i < rows;) {
        const double *x = lane->xs + i * p;
        size_t end = i + 1;
        if (needs[i] && lane->has_last && memcmp(all->points + last * columns + n, x, p * sizeof *x) == 0) {
            move_origin(region, &lane->origins, last, i);
        } else if (needs[i]) {
            for (end = i; end < rows && needs[end]; end++)
                memcpy(all->points + end * columns + n, lane->xs + end * p, p * sizeof *x);
            const hcri_sample_origins some = {all->points + i * columns, all->is_free + i * flags, all->found + i};
            hcri_sample_origin_find_all(region, end - i, &some, lane->scratch);
            for (size_t k = i; k < end; k++)
                if (hcri_sample_origin_exists(all->found[k]) && !hcri_sample_origin_is_centre(all->found[k]))
                    hcri_affine_complete_roughly(&region->affine, all->points + k * columns); /* centres are complete */
            move_origin(region, &lane->origins, end - 1, last);
            lane->has_last = 1;
        }
        i = end;
    }
}

/* Is a point of the region's set inside, decided at tolerance 0 (1, 0, HCRI_EXACT_MEMORY)? Only next to the frontier
 * does the gauge leave that open, and where the runtime itself doesn't trust it. */
static int is_inside(const hcr_projector *projector, hcri_lane *lane, const hcri_project_call *call,
                     const double *point, double gauge) {
    const hcr_region *region = projector->region;
    const double error_bound = 1e-12 + 2 * region->margin[HCR_DOUBLE];
    int found;
    if (gauge == INFINITY || !hcri_exact_meets_equalities(region, call->precision, point))
        return 0;
    if (!(fabs(gauge - 1) <= error_bound) &&
        (gauge > 1 || (region->verified_blocks[HCR_DOUBLE] == 0 && region->centres == NULL)))
        return gauge < 1;
    for (size_t b = 0; b < region->set.blocks; b++) {
        const hcri_constraint *block = region->set.block[b];
        for (size_t i = 0; i < block->count; i++)
            if (block->kind->exists(block, i) && (found = hcri_exact_holds(block, i, point, lane->scratch)) != 1)
                return found;
    }
    return 1;
}

/* The row's point and parameters as a point of the region's set. */
static const double *lift(const hcr_projector *projector, hcri_lane *lane, size_t i) {
    const size_t n = projector->region->set.outputs, p = projector->region->origin_map.parameters;
    memcpy(lane->lifted, lane->points + i * n, n * sizeof *lane->lifted);
    memcpy(lane->lifted + n, lane->xs + i * p, p * sizeof *lane->lifted);
    return lane->lifted;
}

/* INSIDE or MOVED. */
static hcr_status decide(const hcr_projector *projector, hcri_lane *lane, const hcri_project_call *call, size_t i,
                         double gauge, hcr_outcome *outcome) {
    const int inside = is_inside(projector, lane, call, lift(projector, lane, i), gauge);
    *outcome = inside == 1 && !projector->refines ? HCR_OUTCOME_INSIDE : HCR_OUTCOME_MOVED;
    return inside == HCRI_EXACT_MEMORY ? HCR_ERROR_MEMORY : HCR_OK;
}

/* Of polytopes whose origin has to be searched for: whether a point is inside is cheaper to decide exactly than that,
 * and one that is needs none. */
static int decides_first(const hcr_projector *projector) {
    return projector->is_polytope && projector->region->centres != NULL;
}

/* The point itself, or one in nearly the same direction whose squares are finite. */
static const double *within_range(size_t n, const double *p, double *room) {
    double largest = 0;
    for (size_t j = 0; j < n; j++)
        largest = fabs(p[j]) > largest ? fabs(p[j]) : largest;
    if (largest <= largest_coordinate)
        return p;
    for (size_t j = 0; j < n; j++)
        room[j] = isinf(largest) ? copysign(isinf(p[j]) ? largest_coordinate : 0, p[j])
                                 : p[j] * (largest_coordinate / largest);
    return room;
}

static void set_contacts(size_t n, size_t count, hcr_outcome outcome, const double *nearest, hcr_contact *contact) {
    for (size_t k = 0; k < n; k++) {
        if (k >= count)
            contact[k] = (hcr_contact){.constraint = HCRI_NO_CONSTRAINT};
        contact[k].nearest = nearest[k];
        contact[k].outcome = outcome;
    }
}

/* Those have no use for an origin either where the nearest point, taken off the rows that hold it by their rounding, is
 * exactly inside: it becomes the row's point. */
static hcr_status project_alone(const hcr_projector *projector, hcri_lane *lane, const hcri_project_call *call,
                                size_t first, size_t i) {
    enum { TRIES = 3 };
    const hcr_region *region = projector->region;
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    const double *point = within_range(n, lane->points + i * n, lane->own_bar);
    double *nearest = lane->moved, *y = lane->lifted;
    hcri_active_set *active_set = hcri_projection_active_set(lane->projection);
    memcpy(lane->top, region->origin, n * sizeof *y);
    memcpy(lane->top + n, lane->xs + i * p, p * sizeof *y);
    if (!hcri_projection_place(lane->projection, lane->top))
        return HCR_ERROR_MEMORY;
    const hcr_status status = hcri_active_set_project(active_set, point, nearest, NULL);
    if (status != HCR_OK || hcri_active_set_is_careful(active_set))
        return status == HCR_ERROR_MEMORY ? status : HCR_OK;
    memcpy(y, nearest, n * sizeof *y);
    memcpy(y + n, lane->xs + i * p, p * sizeof *y);
    int inside = 0;
    for (int tries = 0; tries < TRIES && inside == 0 && hcri_active_set_draw_in(active_set, tries > 0, y); tries++)
        inside = is_inside(projector, lane, call, y, 1);
    if (inside != 1)
        return inside == HCRI_EXACT_MEMORY ? HCR_ERROR_MEMORY : HCR_OK;
    if (call->contacts != NULL) {
        hcr_contact *contact = call->contacts + (first + i) * n;
        set_contacts(n, hcri_active_set_contacts(active_set, contact), HCR_OUTCOME_MOVED, nearest, contact);
    }
    memcpy(lane->points + i * n, y, n * sizeof *y);
    lane->is_result[i] = 1;
    return HCR_OK;
}

static int projects_alone(const hcr_projector *projector, const hcri_project_call *call) {
    return call->precision == HCR_DOUBLE && projector->region->affine.count == 0 && !projector->refines &&
           !projector->is_clamped;
}

/* The row's point, and whether it needs an origin; the outcome of one that is surely INSIDE, else MOVED. */
static hcr_status begin_row(const hcr_projector *projector, hcri_lane *lane, const hcri_project_call *call,
                            size_t first, size_t i, hcr_outcome *outcome, unsigned char *needs_origin) {
    const hcr_region *region = projector->region;
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    double *point = lane->points + i * n;
    const int is_finite = hcri_all_finite(n, point);
    if (is_finite && projector->linear) {
        hcri_metric_solve(projector->metric, point);
        for (size_t j = 0; j < n; j++)
            point[j] = -point[j];
    }
    *outcome = HCR_OUTCOME_MOVED;
    lane->is_result[i] = 0;
    if (decides_first(projector) && is_finite && hcri_origin_map_accepts(&region->origin_map, lane->xs + i * p)) {
        HCRI_TRY(decide(projector, lane, call, i, 1, outcome));
        if (*outcome == HCR_OUTCOME_MOVED && projects_alone(projector, call))
            HCRI_TRY(project_alone(projector, lane, call, first, i));
    }
    *needs_origin = p != 0 && *outcome != HCR_OUTCOME_INSIDE && !lane->is_result[i];
    return HCR_OK;
}

/* The outcome of a row that has no origin where it needs one, or no finite point. */
static void check_row(const hcr_projector *projector, const hcri_lane *lane, size_t i, int needs_origin,
                      hcr_outcome *outcome) {
    const size_t n = projector->region->set.outputs;
    const hcri_sample_origin found = needs_origin ? lane->origins.found[i] : HCRI_SAMPLE_ORIGIN_AFFINE;
    if (!hcri_sample_origin_exists(found))
        *outcome = hcri_sample_origin_outcome(found);
    else if (!hcri_all_finite(n, lane->points + i * n))
        *outcome = HCR_OUTCOME_BAD_VALUE;
}

/* Is a point of the region's set off an equality by more than rounding, for certain? That is a sum of sizes of outputs
 * and parameters and of constants, so no more than what it is at 1 times the largest of them, or 1; in single
 * precision, beside which that of the sum here is nothing. */
static int is_off_equalities(const hcr_projector *projector, const double *point) {
    const hcr_region *region = projector->region;
    const hcri_equalities *equalities = &region->set.equalities;
    double largest = 1;
    for (size_t j = 0; equalities->rows.count != 0 && j < projector->region->set.n; j++)
        largest = fabs(point[j]) > largest ? fabs(point[j]) : largest;
    for (size_t i = 0; i < equalities->rows.count; i++)
        if (region->varying_equalities != NULL /* whose terms are products of two */
                ? fabs(hcri_equality_off(region, i, point)) >
                      hcr_region_equality_rounding(region, i, point + region->set.outputs, point, HCR_SINGLE)
                : fabs(hcri_rows_dot(&equalities->rows, i, point, NULL) - equalities->right[i]) >
                      1.01 * largest * projector->equality_rounding[i])
            return 1;
    return 0;
}

/* The chunk's points and parameters, differences from the origins, gauges; rows without a point get zeros, and those
 * that are surely off the equalities, whose gauge is infinite. */
static hcr_status measure(hcr_projector *projector, hcri_lane *lane, const hcri_project_call *call, size_t first,
                          size_t rows, hcr_outcome *outcome, hcr_error *error) {
    const hcr_region *region = projector->region;
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    unsigned char is_off[HCRI_CHUNK] /* or decided to be outside */, needs_origin[HCRI_CHUNK];
    int any = 0;
    const double *in = hcri_widen(call->precision, call->in, first * n, rows * n, lane->points);
    if (in != lane->points)
        memcpy(lane->points, in, rows * n * sizeof *in);
    const double *xs = p == 0 ? NULL : hcri_widen(call->precision, call->x, first * p, rows * p, lane->xs);
    if (xs != NULL && xs != lane->xs)
        memcpy(lane->xs, xs, rows * p * sizeof *xs);
    for (size_t i = 0; i < rows; i++)
        if (begin_row(projector, lane, call, first, i, &outcome[i], &needs_origin[i]) != HCR_OK)
            return hcri_fail_memory(error);
    find_origins(projector, lane, rows, needs_origin);
    for (size_t i = 0; i < rows; i++) {
        double *point = lane->points + i * n, *away = lane->away + i * n;
        check_row(projector, lane, i, needs_origin[i], &outcome[i]);
        const double *origin = origin_of(projector, lane, i);
        is_off[i] = decides_first(projector) ||
                    (outcome[i] == HCR_OUTCOME_MOVED && is_off_equalities(projector, lift(projector, lane, i)));
        lane->gauge[i] = is_off[i] ? INFINITY : 0;
        any |= outcome[i] == HCR_OUTCOME_MOVED && !is_off[i];
        for (size_t j = 0; j < n; j++)
            away[j] = outcome[i] == HCR_OUTCOME_MOVED && !is_off[i] ? point[j] - origin[j] : 0;
    }
    if (!any)
        return HCR_OK;
    HCRI_TRY(hcri_map_run(region, lane->workspace, rows,
                          &(hcri_call){.map = &hcri_map_gauge,
                                       .precision = HCR_DOUBLE,
                                       .x = lane->xs,
                                       .origins = known_origins(region, lane),
                                       .in = lane->away,
                                       .factor = lane->away,
                                       .out = lane->gauge},
                          error));
    for (size_t i = 0; i < rows; i++)
        if (is_off[i])
            lane->gauge[i] = INFINITY;
    return HCR_OK;
}

/* The slice at x and what projects onto it. */
static hcr_status take_slice(hcr_projector *projector, hcri_lane *lane, const double *x, hcr_error *error) {
    const size_t p = projector->region->origin_map.parameters;
    if (memcmp(lane->x, x, p * sizeof *x) == 0)
        return HCR_OK;
    hcri_projection_free(lane->projection);
    hcr_workspace_free(lane->slice_workspace);
    hcr_region_free(lane->slice);
    lane->projection = NULL;
    lane->slice_workspace = NULL;
    lane->slice = NULL;
    lane->x[0] = NAN;
    HCRI_TRY(hcr_region_at(projector->region, x, NULL, &lane->slice, error));
    HCRI_TRY(hcr_workspace_create(lane->slice, 1, &lane->slice_workspace, error));
    HCRI_TRY(
        hcri_projection_create(lane->slice, projector->metric, 0, lane->slice_workspace, &lane->projection, error));
    memcpy(lane->x, x, p * sizeof *x);
    return HCR_OK;
}

/* For a p that the solver didn't find the nearest point of: of what it got to, `found`, which may be anything, and of p
 * itself, both drawn inside, the nearer one. */
static hcr_status settle(hcr_projector *projector, hcri_lane *lane, const double *origin, const double *p,
                         double *found, hcr_error *error) {
    const hcr_region *region = projector->region;
    const size_t n = region->set.outputs;
    const double *const tried[] = {p, found};
    double least = INFINITY;
    for (size_t k = 0; k < 2; k++) {
        double *v = lane->top, *y = lane->own_y;
        if (!hcri_all_finite(n, tried[k]))
            continue;
        for (size_t j = 0; j < n; j++)
            v[j] = tried[k][j] - origin[j];
        HCRI_TRY(hcr_contract(region, lane->workspace, 1, origin + n, v, y, NULL, error));
        const double away = hcri_metric_distance(projector->metric, n, p, y, lane->room);
        if (!(away < least))
            continue;
        least = away;
        memcpy(lane->own_result, y, n * sizeof *y);
    }
    memcpy(found, lane->own_result, n * sizeof *found);
    return HCR_OK;
}

/* What holds `nearest`, a point that p moved to. */
static hcr_status find_contacts(hcr_projector *projector, hcri_lane *lane, const double *origin, const double *p,
                                const double *nearest, hcr_contact *contact, size_t *count, hcr_error *error) {
    const hcr_region *region = projector->region;
    const size_t n = region->set.outputs;
    *count = 0;
    for (size_t j = 0; projector->is_clamped && j < n; j++)
        if (nearest[j] != p[j])
            contact[(*count)++] = (hcr_contact){
                .constraint = region->set.box->base.first + 2 * (uint32_t)j + (nearest[j] > p[j]),
                .multiplier = (projector->metric == NULL ? 1 : projector->metric->matrix[j]) * fabs(p[j] - nearest[j])};
    if (projector->is_clamped || region->affine.count == n)
        return HCR_OK;
    if (projector->is_polytope) {
        *count = hcri_active_set_contacts(hcri_projection_active_set(lane->projection), contact);
        return HCR_OK;
    }
    HCRI_TRY(hcri_lane_face(projector, lane, error));
    memcpy(lane->lifted, nearest, n * sizeof *nearest);
    memcpy(lane->lifted + n, origin + n, region->origin_map.parameters * sizeof *nearest);
    return hcri_face_contacts(lane->face, origin, lane->lifted, p, contact, count, error);
}

static hcr_status project_point(const hcr_projector *projector, hcri_lane *lane, const double *point, double *nearest,
                                hcr_error *error) {
    if (!projector->is_clamped)
        return hcri_projection_find(lane->projection, point, nearest, error);
    hcri_projection_clamp(projector->region, point, nearest);
    return HCR_OK;
}

/* From the least point y of ½ y'(Q + ε)y + p'y to that of ½ y'Qy + p'y: proximal steps, each to the least point of
 * ½ y'Qy + p'y + ½ ε |y − last|², which is the nearest to −(Q + ε)⁻¹(p − ε last). `from`, −(Q + ε)⁻¹p, becomes what the
 * last step was projected from. (R. T. Rockafellar, Monotone operators and the proximal point algorithm, 1976.) */
static hcr_status refine(const hcr_projector *projector, hcri_lane *lane, const double **from, double *nearest,
                         hcr_error *error) {
    enum { MOST_STEPS = 100 };
    static const double settled =
        1e-11; /* of the largest coordinate, which an active set's point is off by less than */
    const size_t n = projector->region->set.outputs;
    const double *const point = *from;
    double *last = lane->own_y, *v = lane->v;
    for (int step = 0; step < MOST_STEPS; step++) {
        double moved = 0, size = 0;
        memcpy(last, nearest, n * sizeof *last);
        memcpy(v, nearest, n * sizeof *v);
        hcri_metric_solve(projector->metric, v);
        for (size_t j = 0; j < n; j++)
            v[j] = point[j] + projector->metric->regularisation * v[j];
        *from = v;
        HCRI_TRY(project_point(projector, lane, v, nearest, error));
        for (size_t j = 0; j < n; j++) {
            moved = fmax(moved, fabs(nearest[j] - last[j]));
            size = fmax(size, fabs(nearest[j]));
        }
        if (moved <= settled * size)
            break;
    }
    return HCR_OK;
}

/* The row's nearest point up to rounding; *from becomes what it is nearest to. Where a step isn't found it is that of
 * Q + ε. */
static hcr_status find_nearest(const hcr_projector *projector, hcri_lane *lane, const double **from, double *nearest,
                               hcr_error *error) {
    hcri_active_set *active_set = projector->is_clamped ? NULL : hcri_projection_active_set(lane->projection);
    const double *const point = *from;
    HCRI_TRY(project_point(projector, lane, point, nearest, error));
    if (!projector->refines)
        return HCR_OK;
    if (active_set != NULL)
        hcri_active_set_warm(active_set, 1);
    const hcr_status status = refine(projector, lane, from, nearest, error);
    if (active_set != NULL)
        hcri_active_set_warm(active_set, projector->warm);
    if (status != HCR_ERROR_SOLVER)
        return status;
    *from = point;
    return project_point(projector, lane, point, nearest, error);
}

/* The row's origin and parameters become the projection's. */
static hcr_status place(hcr_projector *projector, hcri_lane *lane, size_t i, const double *origin, hcr_error *error) {
    const hcr_region *region = projector->region;
    if (region->origin_map.parameters != 0 && !projector->is_polytope)
        return take_slice(projector, lane, origin + region->set.outputs, error);
    if (region->origin_map.parameters != 0 && !hcri_projection_place(lane->projection, origin))
        return hcri_fail_memory(error);
    if (region->centres != NULL && projector->is_polytope)
        hcri_projection_know(lane->projection, &lane->origins, i);
    return HCR_OK;
}

/* Row i of the chunk, which is outside, or refined: its nearest point up to rounding, and what holds it. */
static hcr_status move_row(hcr_projector *projector, hcri_lane *lane, size_t i, double *nearest, hcr_outcome *outcome,
                           hcr_contact *contact, size_t *contacts, hcr_error *error) {
    const hcr_region *region = projector->region;
    const size_t n = region->set.outputs;
    const double *origin = origin_of(projector, lane, i), *point = lane->points + i * n;
    *contacts = 0;
    hcr_error reason = {0};
    hcr_status status = HCR_OK;
    if (!projector->is_clamped) {
        point = within_range(n, point, lane->own_bar);
        status = place(projector, lane, i, origin, &reason);
    }
    for (size_t j = 0; j < n; j++)
        nearest[j] = NAN;
    if (status == HCR_OK)
        status = find_nearest(projector, lane, &point, nearest, &reason);
    if (status == HCR_ERROR_SOLVER || status == HCR_ERROR_UNSUPPORTED) {
        *outcome = HCR_OUTCOME_NEARBY;
        return settle(projector, lane, origin, point, nearest, error);
    }
    HCRI_FAIL_IF(status != HCR_OK, status, "%s", reason.text);
    return contact == NULL ? HCR_OK : find_contacts(projector, lane, origin, point, nearest, contact, contacts, error);
}

/* `count` rows of `moved`, from the origins, exactly inside: in `result`, doubles whatever the precision. The rays say
 * where rows that have one value hold up to rounding alone. */
static hcr_status draw_inside(hcr_projector *projector, hcri_lane *lane, hcr_precision precision, size_t count,
                              hcr_ray *rays, hcr_error *error) {
    const hcr_region *region = projector->region;
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    /* Rounding to single precision takes outputs off the equalities again. */
    hcri_call call = {.map = &hcri_map_contract,
                      .precision = precision,
                      .rays = rays,
                      .origins = known_origins(region, lane),
                      .keeps_equalities = projector->is_polytope && precision == HCR_DOUBLE};
    float *xs = lane->moved_single + count * n;
    for (size_t k = 0; precision == HCR_SINGLE && k < count * n; k++)
        lane->moved_single[k] = (float)lane->moved[k];
    for (size_t k = 0; precision == HCR_SINGLE && k < count * p; k++)
        xs[k] = (float)lane->moved_xs[k];
    call.x = precision == HCR_DOUBLE ? (void *)lane->moved_xs : xs;
    call.in = call.factor = precision == HCR_DOUBLE ? (void *)lane->moved : lane->moved_single;
    call.out = precision == HCR_DOUBLE ? (void *)lane->result : lane->result_single;
    HCRI_TRY(hcri_map_run(region, lane->workspace, count, &call, error));
    for (size_t k = 0; precision == HCR_SINGLE && k < count * n; k++)
        lane->result[k] = (double)lane->result_single[k];
    return HCR_OK;
}

static int is_lost(hcr_outcome outcome) {
    return outcome == HCR_OUTCOME_OUT_OF_RANGE || outcome == HCR_OUTCOME_NO_ORIGIN || outcome == HCR_OUTCOME_DEPENDENT;
}

hcr_status hcri_project_chunk(hcr_projector *projector, hcri_lane *lane, const hcri_project_call *call, size_t first,
                              size_t rows, hcr_error *error) {
    const hcr_region *region = projector->region;
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    hcr_outcome outcome[HCRI_CHUNK];
    hcr_ray rays[HCRI_CHUNK];
    size_t moved = 0;
    HCRI_TRY(measure(projector, lane, call, first, rows, outcome, error));
    for (size_t i = 0; i < rows; i++) {
        const double *origin = origin_of(projector, lane, i);
        hcr_contact *contact = call->contacts == NULL ? NULL : call->contacts + (first + i) * n;
        size_t contacts = 0;
        if (lane->is_result[i])
            continue;
        if (outcome[i] == HCR_OUTCOME_MOVED && decide(projector, lane, call, i, lane->gauge[i], &outcome[i]) != HCR_OK)
            return hcri_fail_memory(error);
        double *nearest = lane->moved + moved * n;
        if (outcome[i] == HCR_OUTCOME_MOVED) {
            hcr_error reason = {0};
            const hcr_status status = move_row(projector, lane, i, nearest, &outcome[i], contact, &contacts, &reason);
            HCRI_FAIL_IF(status != HCR_OK, status, "row %zu can't be projected: %s", first + i, reason.text);
        } else {
            memcpy(nearest, origin, n * sizeof *nearest); /* of a bad value */
        }
        if (contact != NULL)
            set_contacts(n, contacts, outcome[i], outcome[i] == HCR_OUTCOME_INSIDE ? lane->points + i * n : nearest,
                         contact);
        if (outcome[i] == HCR_OUTCOME_INSIDE || is_lost(outcome[i]))
            continue;
        for (size_t j = 0; j < n; j++)
            nearest[j] -= origin[j];
        memcpy(lane->moved_xs + moved * p, origin + n, p * sizeof *origin);
        if (p != 0)
            move_origin(region, &lane->origins, i, moved);
        moved++;
    }
    if (moved != 0)
        HCRI_TRY(draw_inside(projector, lane, call->precision, moved, rays, error));
    const double *result = lane->result;
    const hcr_ray *ray = rays;
    for (size_t i = 0; i < rows; i++) {
        double *y = hcri_result_place(call->precision, call->out, (first + i) * n, lane->own_result);
        if (outcome[i] == HCR_OUTCOME_INSIDE || lane->is_result[i]) {
            memcpy(y, lane->points + i * n, n * sizeof *y);
        } else if (!is_lost(outcome[i])) {
            memcpy(y, result, n * sizeof *y);
            result += n;
            if (isnan(y[0])) /* no origin in single precision */
                outcome[i] = HCR_OUTCOME_NO_ORIGIN;
            else if (outcome[i] == HCR_OUTCOME_MOVED && ray->outcome == HCR_OUTCOME_TO_ROUNDING)
                outcome[i] = HCR_OUTCOME_TO_ROUNDING;
            ray++;
        }
        for (size_t j = 0; j < n; j++)
            if (is_lost(outcome[i]) || (outcome[i] == HCR_OUTCOME_BAD_VALUE && projector->bad_value == HCR_BAD_NAN))
                y[j] = NAN;
        if ((outcome[i] == HCR_OUTCOME_NO_ORIGIN || outcome[i] == HCR_OUTCOME_DEPENDENT) && call->contacts != NULL)
            set_contacts(n, 0, outcome[i], y, call->contacts + (first + i) * n);
        hcri_round(call->precision, y, n, call->out, (first + i) * n);
        if (call->outcomes != NULL)
            call->outcomes[first + i] = outcome[i];
    }
    return HCR_OK;
}
