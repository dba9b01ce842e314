#include "project/region_projection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kinds/block.h"
#include "maps/maps.h"
#include "origin/outer_approximation.h"
#include "origin/single_quadratic.h"
#include "project/nearest_point.h"
#include "project/newton_kkt.h"
#include "project/principal_axes.h"
#include "project/projection_tolerances.h"

struct hcri_projection {
    const hcr_region *region;
    const hcri_metric *metric;
    hcr_workspace *workspace;
    const double *origin;      /* and behind it the parameters */
    hcri_sample_origins known; /* that one, where points isn't NULL */
    int is_polytope;
    hcri_nearest *nearest; /* curved inequalities that are no quadratics, on equalities, or in a metric; else NULL */
    hcri_active_set *active_set; /* NULL: bounds alone, or curved inequalities */
    size_t axes_count;           /* of the quadratics, those taken apart when they are needed: the first ones */
    hcri_axes *axes;             /* n = 0: not yet */
    hcri_kkt *kkt;               /* Newton's method for quadratics; NULL where matrices would be too large */
    hcri_nearest *other;         /* for what that doesn't find; made when it is first needed */
    int is_from_rows;            /* the group projected onto last was box and rows, by the active set */
    int is_placed;
    double *placed;                       /* set.n: where the active set is, if it was placed */
    double *point, *nearer, *last, *room; /* n each */
    double *scratch;                      /* the blocks' */
};

/* Numbers that the principal axes of all quadratics may take, 256 MB. */
static const size_t largest_axes = (size_t)1 << 25;
/* Points farther away than this many times the region's radius are projected in steps when the solver asks for it. */
static const double far_flat = 1e6, far_curved = 1e3;

static size_t quadratics(const hcri_set *set) { return set->blocks - 2; }

int hcri_is_polytope(const hcr_region *region) {
    for (size_t b = 2; b < region->set.blocks; b++)
        if (region->set.block[b]->kind->row_at == NULL)
            return 0;
    return region->varying_equalities == NULL; /* else each sample is a slice of its own */
}

hcri_active_set *hcri_projection_active_set(const hcri_projection *projection) {
    return projection->is_polytope ? projection->active_set : NULL;
}

void hcri_projection_free(hcri_projection *projection) {
    if (projection == NULL)
        return;
    hcri_nearest_free(projection->nearest);
    hcri_active_set_free(projection->active_set);
    for (size_t q = 0; projection->axes != NULL && q < projection->axes_count; q++)
        hcri_axes_release(&projection->axes[q]);
    hcri_kkt_free(projection->kkt);
    hcri_nearest_free(projection->other);
    void *owned[] = {projection->axes, projection->point,   projection->nearer, projection->last,
                     projection->room, projection->scratch, projection->placed, projection};
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

static hcr_status prepare(hcri_projection *projection, int warm, hcr_error *error) {
    const hcr_region *region = projection->region;
    const hcri_set *set = &region->set;
    const size_t n = set->outputs;
    const int curved = !projection->is_polytope;
    if (curved &&
        (region->affine.count != 0 || !region->bounded || projection->metric != NULL || hcri_outer_is_needed(set)))
        HCRI_TRY(hcri_nearest_create(region, projection->metric, projection->workspace, &projection->nearest, error));
    else if (!curved || set->linear->rows.count != 0)
        HCRI_TRY(hcri_active_set_create(region, projection->metric, &projection->active_set, error));
    if (!curved)
        hcri_active_set_warm(projection->active_set, warm);
    if (curved && projection->nearest == NULL && set->n <= HCRI_LARGEST_KKT)
        HCRI_TRY(hcri_kkt_create(region, NULL, projection->workspace, &projection->kkt, error));
    projection->axes_count = curved && projection->nearest == NULL ? count_axes(set) : 0;
    projection->axes = calloc(projection->axes_count + 1, sizeof *projection->axes);
    projection->scratch = calloc(region->scratch + 1, sizeof *projection->scratch);
    double **numbers[] = {&projection->point, &projection->nearer, &projection->last, &projection->room};
    projection->placed = calloc(set->n, sizeof *projection->placed);
    int good = projection->axes != NULL && projection->scratch != NULL && projection->placed != NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        good &= (*numbers[i] = calloc(n, sizeof **numbers[i])) != NULL;
    return good ? HCR_OK : hcri_fail_memory(error);
}

hcr_status hcri_projection_create(const hcr_region *region, const hcri_metric *metric, int warm,
                                  hcr_workspace *workspace, hcri_projection **projection, hcr_error *error) {
    hcri_projection *made = calloc(1, sizeof *made);
    HCRI_ALLOCATED(made);
    made->region = region;
    made->metric = metric;
    made->workspace = workspace;
    made->origin = region->origin;
    made->is_polytope = hcri_is_polytope(region);
    const hcr_status status = prepare(made, warm, error);
    if (status != HCR_OK)
        hcri_projection_free(made);
    else
        *projection = made;
    return status;
}

int hcri_projection_place(hcri_projection *projection, const double *point) {
    const size_t size = projection->region->set.n * sizeof *point;
    projection->origin = point;
    projection->known = (hcri_sample_origins){0};
    if (projection->is_placed && memcmp(projection->placed, point, size) == 0)
        return 1;
    memcpy(projection->placed, point, size);
    projection->is_placed = hcri_active_set_place(projection->active_set, point);
    return projection->is_placed;
}

void hcri_projection_know(hcri_projection *projection, const hcri_sample_origins *origins, size_t i) {
    const hcr_region *region = projection->region;
    projection->known = (hcri_sample_origins){.points = origins->points + i * region->set.n,
                                              .is_free = origins->is_free + i * hcri_sample_origin_flags(region),
                                              .found = origins->found + i};
}

void hcri_projection_clamp(const hcr_region *region, const double *p, double *y) {
    const hcri_box *box = region->set.box;
    for (size_t j = 0; j < region->set.outputs; j++)
        y[j] = p[j] > box->upper[j] ? box->upper[j] : p[j] < box->lower[j] ? box->lower[j] : p[j];
}

static double distance(const hcri_projection *projection, const double *a, const double *b) {
    return hcri_metric_distance(NULL, projection->region->set.outputs, a, b, projection->room);
}

/* The largest gauge of one group of blocks at v: box and rows together, or one quadratic. */
static double group_gauge(const hcri_projection *projection, size_t group, const double *v) {
    const hcri_set *set = &projection->region->set;
    double gauge = 0;
    if (group == 0) {
        gauge = hcri_block_gauge(set->block[0], v, 0, projection->scratch);
        gauge = hcri_block_gauge(set->block[1], v, gauge, projection->scratch);
    } else {
        gauge = hcri_block_gauge(set->block[group + 1], v, 0, projection->scratch);
    }
    return gauge;
}

/* The nearest point of one group's set. SOLVER or UNSUPPORTED when this can't give it. */
static hcr_status project_group(hcri_projection *projection, size_t group, const double *p, double *y,
                                hcr_error *error) {
    const hcri_set *set = &projection->region->set;
    if (group == 0) {
        if (projection->active_set != NULL)
            return hcri_active_set_project(projection->active_set, p, y, error);
        hcri_projection_clamp(projection->region, p, y);
        return HCR_OK;
    }
    const size_t q = group - 1;
    if (q >= projection->axes_count)
        return HCR_ERROR_UNSUPPORTED;
    if (projection->axes[q].n == 0)
        HCRI_TRY(hcri_axes_find(hcri_block_quadratic(set->block[q + 2]), projection->region->origin,
                                &projection->axes[q], error));
    hcri_axes_project(&projection->axes[q], p, y);
    return HCR_OK;
}

static double gauge_of(hcri_projection *projection, const double *y) {
    const hcr_region *region = projection->region;
    double gauge = NAN;
    for (size_t j = 0; j < region->set.outputs; j++)
        projection->point[j] = y[j] - projection->origin[j];
    const hcri_call call = {.map = &hcri_map_gauge,
                            .precision = HCR_DOUBLE,
                            .x = projection->origin + region->set.outputs,
                            .origins = projection->known.points == NULL ? NULL : &projection->known,
                            .keeps_equalities = projection->is_polytope,
                            .in = projection->point,
                            .factor = projection->point,
                            .out = &gauge};
    return hcri_map_run(region, projection->workspace, 1, &call, NULL) == HCR_OK ? gauge : NAN;
}

/* Rounding leaves a nearest point so near the frontier. What a quadratic's matrix loses may leave it inside, too. */
static int is_answer(const hcri_projection *projection, double gauge) {
    static const double inside = 1e-9;
    const double close = 1e-12 + 16 * projection->region->margin[HCR_DOUBLE];
    return gauge <= 1 + close && (projection->is_from_rows || gauge >= 1 - fmax(close, inside));
}

typedef enum hcri_found { FOUND_NOTHING, FOUND_NEARBY, FOUND_NEAREST } hcri_found;

/* The nearest point to p of the group that p violates most is the answer when it is in the region: *found says so. y is
 * set, unless the group can't be projected onto. */
static hcr_status project_cheaply(hcri_projection *projection, const double *p, double *y, hcri_found *found,
                                  hcr_error *error) {
    const hcr_region *region = projection->region;
    const hcri_set *set = &region->set;
    size_t worst = 0;
    double most = 0;
    for (size_t j = 0; j < set->outputs; j++)
        projection->point[j] = p[j] - projection->origin[j];
    for (size_t group = 0; group <= quadratics(set) && !projection->is_polytope; group++) {
        const double gauge = group_gauge(projection, group, projection->point);
        if (gauge > most) {
            most = gauge;
            worst = group;
        }
    }
    const hcr_status status = project_group(projection, worst, p, y, error);
    projection->is_from_rows = worst == 0 && projection->active_set != NULL;
    if (status != HCR_OK)
        *found = FOUND_NOTHING;
    else if (projection->is_polytope && hcri_active_set_is_sure(projection->active_set))
        *found = FOUND_NEAREST;
    else
        *found = is_answer(projection, gauge_of(projection, y)) ? FOUND_NEAREST : FOUND_NEARBY;
    return status == HCR_ERROR_MEMORY ? status : HCR_OK;
}

static hcr_status fail_to_find(hcr_error *error) {
    return hcri_fail(error, HCR_ERROR_SOLVER, "no nearest point was found");
}

static hcr_status project_near(hcri_projection *projection, const double *p, double *y, hcr_error *error) {
    hcri_found found;
    if (projection->nearest != NULL)
        return hcri_nearest_project(projection->nearest, p, y, error);
    HCRI_TRY(project_cheaply(projection, p, y, &found, error));
    if (found == FOUND_NEAREST)
        return HCR_OK;
    if (found == FOUND_NEARBY && projection->kkt != NULL && hcri_kkt_project(projection->kkt, p, y))
        return HCR_OK;
    if (projection->is_polytope)
        return found == FOUND_NEARBY && gauge_of(projection, y) <= 1 + hcri_nearly_inside ? HCR_OK
                                                                                          : fail_to_find(error);
    if (projection->other == NULL)
        HCRI_TRY(hcri_nearest_create(projection->region, NULL, projection->workspace, &projection->other, error));
    return hcri_nearest_project(projection->other, p, y, error);
}

/* The nearest point y to p is also the one to every y + t (p − y), 0 < t <= 1: nearer points than p lead to it step by
 * step from where y is, and rounding stays as small as they are. After a step that moved y by d no point of the region
 * is farther in the direction of p by more than d times the region's size over the step's length. */
static hcr_status project_far(hcri_projection *projection, double far, const double *p, double *y, hcr_error *error) {
    enum { STEPS = 50 };
    static const double settled = 1e-12, promise = 1e-7; /* of the radius */
    const size_t n = projection->region->set.outputs;
    const double radius = projection->region->radius;
    for (int step = 1;; step++) {
        const double t = fmin(1, far * radius / distance(projection, p, y));
        for (size_t j = 0; j < n; j++)
            projection->nearer[j] = t == 1 ? p[j] : y[j] + t * (p[j] - y[j]);
        memcpy(projection->last, y, n * sizeof *y);
        HCRI_TRY(project_near(projection, projection->nearer, y, error));
        const double moved = distance(projection, projection->last, y);
        if (t == 1 || moved <= settled * radius || (step == STEPS && moved <= far * promise * radius))
            return HCR_OK;
        if (step == STEPS)
            return fail_to_find(error);
    }
}

hcr_status hcri_projection_find(hcri_projection *projection, const double *p, double *y, hcr_error *error) {
    const hcr_region *region = projection->region;
    if (region->affine.count == region->set.outputs) { /* the only point */
        memcpy(y, projection->origin, region->set.outputs * sizeof *y);
        return HCR_OK;
    }
    const double far = projection->is_polytope ? far_flat : far_curved;
    if (!(distance(projection, p, projection->origin) > far * region->radius))
        return project_near(projection, p, y, error);
    hcri_found found = FOUND_NOTHING;
    if (projection->nearest == NULL)
        HCRI_TRY(project_cheaply(projection, p, y, &found, error));
    /* A closed form is right from afar. For an active set rounding hides there what it decides by. */
    if (found == FOUND_NEAREST && !projection->is_from_rows)
        return HCR_OK;
    if (found != FOUND_NEAREST)
        memcpy(y, projection->origin, region->set.outputs * sizeof *y);
    return project_far(projection, far, p, y, error);
}
