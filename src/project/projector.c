#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "exact/exact_equalities.h"
#include "exact/exact_sign.h"
#include "hcr/hcr_build.h"
#include "kinds/block.h"
#include "maps/workspace.h"
#include "origin/outer_approximation.h"
#include "origin/single_quadratic.h"
#include "project/active_set.h"
#include "project/curved_projection.h"
#include "project/nearest_point.h"
#include "solvers/blas_memory.h"

struct hcr_projector {
    const hcr_region *region;
    /* Of a region with parameters, this alone: its slice at the last x, NULL where there was none, and its projector.
     */
    hcr_region *slice;
    hcr_projector *on_slice;
    double *x, *lifted; /* the last x, NaN at first; a point of the region's set */

    hcr_workspace *workspace;
    int box_only;
    hcri_nearest *nearest;       /* curved inequalities that are no quadratics, or on equalities; else NULL */
    hcri_active_set *active_set; /* NULL: no rows and no equalities */
    size_t axes_count;           /* of the quadratics, those taken apart when they are needed: the first ones */
    hcri_axes *axes;             /* n = 0: not yet */
    hcri_curved *curved;         /* made when it is first needed */
    double *away;                /* a chunk's points, from the origin */
    double *moved, *result;      /* those that move: their nearest points from the origin, and drawn inside */
    double *gauge;
    double *point, *nearer; /* n each */
    double *scratch;        /* the blocks' */
};

/* Numbers that the principal axes of all quadratics may take, 256 MB. */
static const size_t largest_axes = (size_t)1 << 25;
/* Points farther away than this many times the region's radius are projected in steps when the solver asks for it. */
static const double far_flat = 1e6, far_curved = 1e3;
/* A nearest point that isn't quite in the region is off by no more. */
static const double nearly_inside = 1 + 1e-6;
/* Coordinates whose squares stay finite, whatever is summed. */
static const double largest_coordinate = 1e140;

static size_t quadratics(const hcri_set *set) { return set->blocks - 2; }

void hcr_projector_free(hcr_projector *projector) {
    if (projector == NULL)
        return;
    hcr_projector_free(projector->on_slice);
    hcr_region_free(projector->slice);
    hcr_workspace_free(projector->workspace);
    hcri_nearest_free(projector->nearest);
    hcri_active_set_free(projector->active_set);
    for (size_t q = 0; projector->axes != NULL && q < projector->axes_count; q++)
        hcri_axes_release(&projector->axes[q]);
    hcri_curved_free(projector->curved);
    void *owned[] = {projector->axes,   projector->away,    projector->moved,  projector->result,
                     projector->gauge,  projector->point,   projector->nearer, projector->x,
                     projector->lifted, projector->scratch, projector};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
}

/* The quadratics, from the first on, whose axes fit into memory. */
static size_t count_axes(const hcri_set *set) {
    size_t numbers = 0;
    for (size_t q = 0; q < quadratics(set); q++) {
        const int dense = hcri_block_quadratic(set->block[q + 2])->form != HCRI_DIAGONAL;
        numbers += dense ? set->n * set->n : set->n;
        if ((dense && set->n > HCRI_LARGEST_DENSE) || numbers > largest_axes)
            return q;
    }
    return quadratics(set);
}

static hcr_status prepare_slices(hcr_projector *projector, hcr_error *error) {
    const size_t parameters = projector->region->origin_map.parameters;
    projector->x = calloc(parameters, sizeof(double));
    projector->lifted = calloc(projector->region->set.n, sizeof(double));
    if (projector->x == NULL || projector->lifted == NULL)
        return hcri_fail_memory(error);
    projector->x[0] = NAN;
    return HCR_OK;
}

static hcr_status prepare(hcr_projector *projector, hcr_error *error) {
    const hcr_region *region = projector->region;
    const hcri_set *set = &region->set;
    const size_t n = set->n;
    const int equalities = region->affine.count != 0, curved = set->blocks > 2;
    HCRI_TRY(hcr_workspace_create(region, 1, &projector->workspace, error));
    if (curved && (equalities || !region->bounded || hcri_outer_is_needed(set)))
        HCRI_TRY(hcri_nearest_create(region, projector->workspace, &projector->nearest, error));
    else if (set->linear->rows.count != 0 || equalities)
        HCRI_TRY(hcri_active_set_create(region, &projector->active_set, error));
    projector->box_only = set->linear->rows.count == 0 && !curved && !equalities;
    projector->axes_count = projector->nearest == NULL ? count_axes(set) : 0;
    const size_t chunk = projector->workspace->chunk;
    projector->axes = calloc(projector->axes_count + 1, sizeof *projector->axes);
    projector->away = calloc(chunk * n, sizeof(double));
    projector->moved = calloc(chunk * n, sizeof(double));
    projector->result = calloc(chunk * n, sizeof(double));
    projector->gauge = calloc(chunk, sizeof(double));
    projector->point = calloc(n, sizeof(double));
    projector->nearer = calloc(n, sizeof(double));
    if (projector->axes == NULL || projector->away == NULL || projector->moved == NULL || projector->result == NULL ||
        projector->gauge == NULL || projector->point == NULL || projector->nearer == NULL)
        return hcri_fail_memory(error);
    return HCR_OK;
}

hcr_status hcr_projector_create(const hcr_region *region, hcr_projector **projector, hcr_error *error) {
    if (region == NULL || projector == NULL)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "region or projector is NULL");
    *projector = NULL;
    HCRI_TRY(hcri_blas_reserve(error));
    if (!region->convex)
        return hcri_fail(error, HCR_ERROR_UNSUPPORTED,
                         "there may be several nearest points of a region that isn't convex: use contract, which draws "
                         "points towards the origin");
    hcr_projector *made = calloc(1, sizeof *made);
    if (made == NULL)
        return hcri_fail_memory(error);
    made->region = region;
    made->scratch = calloc(region->scratch + 1, sizeof *made->scratch);
    hcr_status status = made->scratch == NULL ? hcri_fail_memory(error) : HCR_OK;
    if (status == HCR_OK)
        status = region->origin_map.parameters == 0 ? prepare(made, error) : prepare_slices(made, error);
    if (status != HCR_OK)
        hcr_projector_free(made);
    else
        *projector = made;
    return status;
}

/* ------------------------------------------------------------------------------------------------ nearest points */

static void clamp(const hcri_box *box, const double *p, double *y) {
    for (size_t j = 0; j < box->base.n; j++)
        y[j] = p[j] > box->upper[j] ? box->upper[j] : p[j] < box->lower[j] ? box->lower[j] : p[j];
}

static double distance(size_t n, const double *a, const double *b) {
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sqrt(sum);
}

/* The largest gauge of one group of blocks at v: box and rows together, or one quadratic. */
static double group_gauge(const hcr_projector *projector, size_t group, const double *v) {
    const hcri_set *set = &projector->region->set;
    double gauge = 0;
    if (group == 0) {
        gauge = hcri_block_gauge(set->block[0], v, 0, projector->scratch);
        gauge = hcri_block_gauge(set->block[1], v, gauge, projector->scratch);
    } else {
        gauge = hcri_block_gauge(set->block[group + 1], v, 0, projector->scratch);
    }
    return gauge;
}

/* The nearest point of one group's set. SOLVER or UNSUPPORTED when this can't give it. */
static hcr_status project_group(hcr_projector *projector, size_t group, const double *p, double *y, hcr_error *error) {
    const hcri_set *set = &projector->region->set;
    if (group == 0) {
        if (projector->active_set != NULL)
            return hcri_active_set_project(projector->active_set, p, y, error);
        clamp(set->box, p, y);
        return HCR_OK;
    }
    const size_t q = group - 1;
    if (q >= projector->axes_count)
        return HCR_ERROR_UNSUPPORTED;
    if (projector->axes[q].n == 0)
        HCRI_TRY(hcri_axes_find(hcri_block_quadratic(set->block[q + 2]), projector->region->origin, &projector->axes[q],
                                error));
    hcri_axes_project(&projector->axes[q], p, y);
    return HCR_OK;
}

static double gauge_of(hcr_projector *projector, const double *y) {
    double gauge = NAN;
    for (size_t j = 0; j < projector->region->set.n; j++)
        projector->point[j] = y[j] - projector->region->origin[j];
    return hcr_gauge(projector->region, projector->workspace, 1, NULL, projector->point, &gauge, NULL, NULL) == HCR_OK
               ? gauge
               : NAN;
}

/* Rounding leaves a nearest point so near the frontier. */
static double close_to_frontier(const hcr_region *region) { return 1 + 1e-12 + 16 * region->margin[HCR_DOUBLE]; }

typedef enum hcri_found { FOUND_NOTHING, FOUND_NEARBY, FOUND_NEAREST } hcri_found;

/* The nearest point to p of the group that p violates most is the answer when it is in the region: *found says so. y is
 * set, unless the group can't be projected onto. */
static hcr_status project_cheaply(hcr_projector *projector, const double *p, double *y, hcri_found *found,
                                  hcr_error *error) {
    const hcr_region *region = projector->region;
    const hcri_set *set = &region->set;
    size_t worst = 0;
    double most = 0;
    for (size_t j = 0; j < set->n; j++)
        projector->point[j] = p[j] - region->origin[j];
    for (size_t group = 0; group <= quadratics(set); group++) {
        const double gauge = quadratics(set) == 0 ? 1 : group_gauge(projector, group, projector->point);
        if (gauge > most) {
            most = gauge;
            worst = group;
        }
    }
    const hcr_status status = project_group(projector, worst, p, y, error);
    *found = status != HCR_OK                                      ? FOUND_NOTHING
             : gauge_of(projector, y) <= close_to_frontier(region) ? FOUND_NEAREST
                                                                   : FOUND_NEARBY;
    return status == HCR_ERROR_MEMORY ? status : HCR_OK;
}

static hcr_status fail_to_find(hcr_error *error) {
    return hcri_fail(error, HCR_ERROR_SOLVER, "no nearest point was found");
}

static hcr_status project_near(hcr_projector *projector, const double *p, double *y, hcr_error *error) {
    hcri_found found;
    if (projector->nearest != NULL)
        return hcri_nearest_project(projector->nearest, p, y, error);
    HCRI_TRY(project_cheaply(projector, p, y, &found, error));
    if (found == FOUND_NEAREST)
        return HCR_OK;
    /* IPOPT's program knows nothing of equalities, and wants a scale. */
    if (projector->region->affine.count != 0 || !projector->region->bounded)
        return found == FOUND_NEARBY && gauge_of(projector, y) <= nearly_inside ? HCR_OK : fail_to_find(error);
    if (projector->curved == NULL)
        HCRI_TRY(hcri_curved_create(projector->region, projector->workspace, &projector->curved, error));
    if (found == FOUND_NEARBY && hcri_curved_improve(projector->curved, p, y))
        return HCR_OK;
    HCRI_TRY(hcri_curved_project(projector->curved, p, y, error));
    return gauge_of(projector, y) <= nearly_inside ? HCR_OK : fail_to_find(error);
}

/* The nearest point y to p is also the one to every y + t (p − y), 0 < t <= 1: nearer points than p lead to it step by
 * step, and rounding stays as small as they are. */
static hcr_status project_far(hcr_projector *projector, double far, const double *p, double *y, hcr_error *error) {
    enum { STEPS = 50 };
    const size_t n = projector->region->set.n;
    memcpy(y, projector->region->origin, n * sizeof *y);
    for (int step = 0; step < STEPS; step++) {
        const double t = fmin(1, far * projector->region->radius / distance(n, p, y));
        for (size_t j = 0; j < n; j++)
            projector->nearer[j] = t == 1 ? p[j] : y[j] + t * (p[j] - y[j]);
        memcpy(projector->result, y, n * sizeof *y);
        HCRI_TRY(project_near(projector, projector->nearer, y, error));
        if (t == 1 || distance(n, projector->result, y) <= 1e-12 * projector->region->radius)
            break;
    }
    return HCR_OK;
}

/* y = the nearest point to a p outside, up to rounding. */
static hcr_status project_row(hcr_projector *projector, const double *p, double *y, hcr_error *error) {
    const hcr_region *region = projector->region;
    if (region->affine.count == region->set.n) { /* the only point */
        memcpy(y, region->origin, region->set.n * sizeof *y);
        return HCR_OK;
    }
    const double far = quadratics(&region->set) == 0 ? far_flat : far_curved;
    if (!(distance(region->set.n, p, region->origin) > far * region->radius))
        return project_near(projector, p, y, error);
    if (projector->nearest == NULL) {
        hcri_found found;
        HCRI_TRY(project_cheaply(projector, p, y, &found, error));
        if (found == FOUND_NEAREST)
            return HCR_OK;
    }
    return project_far(projector, far, p, y, error);
}

/* ---------------------------------------------------------------------------------------------------------- rows */

/* Is p inside, decided at tolerance 0 (1, 0, HCRI_EXACT_MEMORY)? Only next to the frontier does the gauge leave that
 * open, and where the runtime itself doesn't trust it. */
static int is_inside(const hcr_projector *projector, const double *p, double gauge) {
    const hcr_region *region = projector->region;
    const double error_bound = 1e-12 + 2 * region->margin[HCR_DOUBLE];
    int found;
    if (!hcri_exact_meets_equalities(region, HCR_DOUBLE, p))
        return 0;
    if (!(fabs(gauge - 1) <= error_bound) && (gauge > 1 || region->verified_blocks[HCR_DOUBLE] == 0))
        return gauge < 1;
    for (size_t b = 0; b < region->set.blocks; b++) {
        const hcri_constraint *block = region->set.block[b];
        for (size_t i = 0; i < block->count; i++)
            if (block->kind->exists(block, i) && (found = hcri_exact_holds(block, i, p, projector->scratch)) != 1)
                return found;
    }
    return 1;
}

typedef enum hcri_row_state { ROW_STAYS, ROW_MOVES, ROW_NEARBY, ROW_BAD } hcri_row_state;

/* The differences from the origin and gauges of a chunk; bad rows get zeros. */
static hcr_status measure(hcr_projector *projector, size_t rows, const double *points, unsigned char *state,
                          hcr_error *error) {
    const hcr_region *region = projector->region;
    const size_t n = region->set.n;
    for (size_t i = 0; i < rows; i++) {
        double *away = projector->away + i * n;
        state[i] = ROW_STAYS;
        for (size_t j = 0; j < n; j++) {
            away[j] = points[i * n + j] - region->origin[j];
            if (!isfinite(points[i * n + j]))
                state[i] = ROW_BAD;
        }
        if (state[i] == ROW_BAD)
            memset(away, 0, n * sizeof *away);
    }
    return hcr_gauge(region, projector->workspace, rows, NULL, projector->away, projector->gauge, NULL, error);
}

/* The point itself, or one in nearly the same direction whose squares are finite. */
static const double *within_range(hcr_projector *projector, const double *p) {
    const size_t n = projector->region->set.n;
    double largest = 0;
    for (size_t j = 0; j < n; j++)
        largest = fmax(largest, fabs(p[j]));
    if (largest <= largest_coordinate)
        return p;
    for (size_t j = 0; j < n; j++)
        projector->away[j] = p[j] * (largest_coordinate / largest);
    return projector->away;
}

/* For a p that the solver didn't find the nearest point of: of what it got to, `found`, which may be anything, and of p
 * itself, both drawn inside, the nearer one. */
static hcr_status settle(hcr_projector *projector, const double *p, double *found, hcr_error *error) {
    const hcr_region *region = projector->region;
    const size_t n = region->set.n;
    const double *const tried[] = {p, found};
    double least = INFINITY;
    for (size_t k = 0; k < 2; k++) {
        if (!hcri_all_finite(n, tried[k]))
            continue;
        for (size_t j = 0; j < n; j++)
            projector->point[j] = tried[k][j] - region->origin[j];
        HCRI_TRY(hcr_contract(region, projector->workspace, 1, NULL, projector->point, projector->nearer, NULL, error));
        const double away = distance(n, p, projector->nearer);
        if (!(away < least))
            continue;
        least = away;
        memcpy(projector->result, projector->nearer, n * sizeof *found);
    }
    memcpy(found, projector->result, n * sizeof *found);
    return HCR_OK;
}

static hcr_status project_chunk(hcr_projector *projector, size_t rows, const double *points, double *y,
                                uint32_t *outcomes, size_t first, hcr_error *error) {
    const hcr_region *region = projector->region;
    static const hcr_outcome outcome_of[] = {HCR_OUTCOME_INSIDE, HCR_OUTCOME_MOVED, HCR_OUTCOME_NEARBY,
                                             HCR_OUTCOME_BAD_VALUE};
    const size_t n = region->set.n;
    unsigned char state[HCRI_CHUNK];
    HCRI_TRY(measure(projector, rows, points, state, error));
    size_t moved = 0;
    for (size_t i = 0; i < rows; i++) {
        const int inside = state[i] == ROW_BAD ? 1 : is_inside(projector, points + i * n, projector->gauge[i]);
        if (inside == HCRI_EXACT_MEMORY)
            return hcri_fail_memory(error);
        if (inside)
            continue;
        state[i] = ROW_MOVES;
        double *nearest = projector->moved + moved++ * n;
        if (projector->box_only) {
            clamp(region->set.box, points + i * n, nearest);
            continue;
        }
        const double *p = within_range(projector, points + i * n);
        hcr_error reason = {0};
        for (size_t j = 0; j < n; j++)
            nearest[j] = NAN;
        const hcr_status status = project_row(projector, p, nearest, &reason);
        if (status == HCR_ERROR_SOLVER || status == HCR_ERROR_UNSUPPORTED) {
            state[i] = ROW_NEARBY;
            HCRI_TRY(settle(projector, p, nearest, error));
        } else if (status != HCR_OK) {
            return hcri_fail(error, status, "row %zu can't be projected: %s", first + i, reason.text);
        }
        for (size_t j = 0; j < n; j++)
            nearest[j] -= region->origin[j];
    }
    double *results = projector->moved;
    if (!projector->box_only && moved != 0) {
        results = projector->result;
        HCRI_TRY(hcr_contract(region, projector->workspace, moved, NULL, projector->moved, results, NULL, error));
    }
    for (size_t i = 0; i < rows; i++) {
        const double *source = state[i] == ROW_BAD ? region->origin : state[i] == ROW_STAYS ? points + i * n : results;
        if (state[i] == ROW_MOVES || state[i] == ROW_NEARBY)
            results += n;
        memmove(y + i * n, source, n * sizeof *y);
        if (outcomes != NULL)
            outcomes[i] = outcome_of[state[i]];
    }
    return HCR_OK;
}

/* `number` is that of the first row, for messages. */
static hcr_status project_rows(hcr_projector *projector, size_t rows, const double *points, double *y,
                               uint32_t *outcomes, size_t number, hcr_error *error) {
    const size_t n = projector->region->set.n, chunk = projector->workspace->chunk;
    for (size_t first = 0; first < rows; first += chunk) {
        const size_t now = rows - first < chunk ? rows - first : chunk;
        HCRI_TRY(project_chunk(projector, now, points + first * n, y + first * n,
                               outcomes == NULL ? NULL : outcomes + first, number + first, error));
    }
    return HCR_OK;
}

/* -------------------------------------------------------------------------------------------------------- parameters
 */

/* The slice at x and its projector; none where x is out of range or leaves no origin. */
static hcr_status take_slice(hcr_projector *projector, const double *x, hcr_error *error) {
    const size_t parameters = projector->region->origin_map.parameters;
    if (memcmp(projector->x, x, parameters * sizeof *x) == 0)
        return HCR_OK;
    hcr_projector_free(projector->on_slice);
    hcr_region_free(projector->slice);
    projector->on_slice = NULL;
    projector->slice = NULL;
    projector->x[0] = NAN;
    hcr_error found = {0};
    const hcr_status status = hcr_region_at(projector->region, x, NULL, &projector->slice, &found);
    if (status != HCR_OK && status != HCR_ERROR_ORIGIN)
        return hcri_fail(error, status, "%s", found.text);
    if (status == HCR_OK)
        HCRI_TRY(hcr_projector_create(projector->slice, &projector->on_slice, error));
    memcpy(projector->x, x, parameters * sizeof *x);
    return HCR_OK;
}

/* The region's blocks from `first` on. */
static int region_holds(hcr_projector *projector, size_t first, const double *y) {
    const hcri_set *set = &projector->region->set;
    const double *point = hcri_region_lift(projector->region, projector->x, y, projector->lifted);
    for (size_t b = first; b < set->blocks; b++)
        if (!set->block[b]->kind->holds(set->block[b], point, projector->scratch))
            return 0;
    return 1;
}

/* The slice is the region but for rounding where blocks other than bounds and rows are: results are drawn towards the
 * origin until those hold for certain, and bounds and rows too, which the drawing itself may round away. */
static void draw_inside(hcr_projector *projector, double *y, uint32_t *outcome) {
    enum { STEPS = 54 };
    const hcr_region *slice = projector->slice;
    const size_t n = slice->set.n;
    if (projector->region->set.blocks == 2 || region_holds(projector, 2, y))
        return;
    for (int step = 0; step < STEPS && !region_holds(projector, 0, y); step++) {
        for (size_t j = 0; j < n; j++)
            y[j] += ldexp(1, step - STEPS + 1) * (slice->origin[j] - y[j]);
        hcri_affine_complete(&slice->affine, y);
    }
    if (outcome != NULL && *outcome == HCR_OUTCOME_INSIDE)
        *outcome = HCR_OUTCOME_MOVED;
}

/* Why parameters have no slice. */
static hcr_outcome why_nowhere(const hcr_region *region, const double *x) {
    for (size_t k = 0; k < region->origin_map.parameters; k++)
        if (!(region->origin_map.lower[k] <= x[k] && x[k] <= region->origin_map.upper[k]))
            return HCR_OUTCOME_OUT_OF_RANGE;
    return HCR_OUTCOME_NO_ORIGIN;
}

/* Rows that share x, one after the other. */
static hcr_status project_slices(hcr_projector *projector, size_t rows, const double *x, const double *points,
                                 double *y, uint32_t *outcomes, hcr_error *error) {
    const size_t n = projector->region->set.outputs, parameters = projector->region->origin_map.parameters;
    for (size_t first = 0, count; first < rows; first += count) {
        const double *at = x + first * parameters;
        for (count = 1; first + count < rows; count++)
            if (memcmp(at, at + count * parameters, parameters * sizeof *x) != 0)
                break;
        uint32_t *outcome = outcomes == NULL ? NULL : outcomes + first;
        double *to = y + first * n;
        HCRI_TRY(take_slice(projector, at, error));
        if (projector->on_slice != NULL)
            HCRI_TRY(project_rows(projector->on_slice, count, points + first * n, to, outcome, first, error));
        for (size_t i = 0; i < count; i++) {
            if (projector->on_slice != NULL) {
                draw_inside(projector, to + i * n, outcome == NULL ? NULL : outcome + i);
                continue;
            }
            for (size_t j = 0; j < n; j++)
                to[i * n + j] = NAN;
            if (outcome != NULL)
                outcome[i] = why_nowhere(projector->region, at);
        }
    }
    return HCR_OK;
}

hcr_status hcr_project(hcr_projector *projector, size_t rows, const double *parameters, const double *points, double *y,
                       uint32_t *outcomes, hcr_error *error) {
    if (projector == NULL || (rows != 0 && (points == NULL || y == NULL)))
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "projector, points or y is NULL");
    if (projector->region->origin_map.parameters == 0)
        return project_rows(projector, rows, points, y, outcomes, 0, error);
    if (rows != 0 && parameters == NULL)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "parameters is NULL, and the region has parameters");
    return project_slices(projector, rows, parameters, points, y, outcomes, error);
}
