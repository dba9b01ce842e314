#include "project/nearest_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "origin/cutting_planes.h"
#include "origin/outer_approximation.h"
#include "project/active_set.h"
#include "project/central_path.h"
#include "project/face.h"
#include "project/newton_kkt.h"

struct hcri_nearest {
    const hcr_region *region;
    const hcri_metric *metric;
    hcri_active_set *active_set;
    hcri_cuts cuts;
    hcri_path *path; /* NULL: there is none */
    hcri_kkt *kkt;   /* NULL: too many outputs */
    hcri_face *face; /* made when it is first needed */
    hcr_workspace *workspace;
    double *inside, *room; /* scratch */
    double *best;          /* the point of the least gap */
};

/* Shares of the distance: what is aimed at, and what is promised. */
static const double aim = 1e-13, promise = 1e-8;

void hcri_nearest_free(hcri_nearest *nearest) {
    if (nearest == NULL)
        return;
    hcri_active_set_free(nearest->active_set);
    hcri_cuts_release(&nearest->cuts);
    hcri_path_free(nearest->path);
    hcri_kkt_free(nearest->kkt);
    hcri_face_free(nearest->face);
    free(nearest->inside);
    free(nearest->best);
    free(nearest->room);
    free(nearest);
}

hcr_status hcri_nearest_create(const hcr_region *region, const hcri_metric *metric, hcr_workspace *workspace,
                               hcri_nearest **nearest, hcr_error *error) {
    const size_t most = hcri_outer_is_needed(&region->set) ? HCRI_LARGEST_KKT_BY_DIFFERENCES : HCRI_LARGEST_KKT;
    hcri_nearest *made = calloc(1, sizeof *made);
    HCRI_ALLOCATED(made);
    made->region = region;
    made->metric = metric;
    made->workspace = workspace;
    made->inside = malloc(region->set.n * sizeof *made->inside);
    made->best = malloc(region->set.n * sizeof *made->best);
    made->room = malloc(region->set.n * sizeof *made->room);
    hcr_status status =
        made->inside == NULL || made->best == NULL || made->room == NULL ? hcri_fail_memory(error) : HCR_OK;
    if (status == HCR_OK)
        status = hcri_active_set_create(region, metric, &made->active_set, error);
    if (status == HCR_OK)
        status = hcri_cuts_create(&region->set, &made->cuts, error);
    if (status == HCR_OK)
        status = hcri_path_create(region, metric, &made->path, error);
    if (status == HCR_OK && region->set.n <= most)
        status = hcri_kkt_create(region, metric, workspace, &made->kkt, error);
    if (status == HCR_OK)
        hcri_cuts_set_interior(&made->cuts, region->origin);
    if (status != HCR_OK)
        hcri_nearest_free(made);
    else
        *nearest = made;
    return status;
}

static double distance(const hcri_nearest *nearest, const double *a, const double *b) {
    return hcri_metric_distance(nearest->metric, nearest->region->set.n, a, b, nearest->room);
}

/* The new cuts to the active set; 0 without memory. */
static int hand_over(hcri_nearest *nearest, size_t from) {
    const hcri_cuts *cuts = &nearest->cuts;
    for (size_t k = from; k < cuts->count; k++) {
        const size_t start = cuts->rows.start[k];
        if (!hcri_active_set_cut(nearest->active_set, cuts->rows.start[k + 1] - start, cuts->rows.columns + start,
                                 cuts->rows.values + start, cuts->right[k]))
            return 0;
    }
    return 1;
}

/* By how much of the shorter distance the longer one is longer. */
static double gap_at(hcri_nearest *nearest, const double *p, const double *y) {
    const double *origin = nearest->region->origin;
    const size_t n = nearest->region->set.n;
    const double part = hcri_cuts_reach(&nearest->cuts, y);
    if (part == 1)
        return 0;
    for (size_t j = 0; j < n; j++)
        nearest->inside[j] = origin[j] + part * (y[j] - origin[j]);
    const double outer = distance(nearest, p, y);
    return (distance(nearest, p, nearest->inside) - outer) / outer;
}

/* Newton's method from y to nearest->best; what it finds has to be about as far away as y says. */
static int polish(hcri_nearest *nearest, const double *p, double gap, const double *y) {
    const size_t n = nearest->region->set.n;
    double *found = nearest->inside;
    if (nearest->kkt == NULL)
        return 0;
    memcpy(found, y, n * sizeof *y);
    if (!hcri_kkt_project(nearest->kkt, p, found))
        return 0;
    const double outer = distance(nearest, p, y), at = distance(nearest, p, found);
    if (!(at >= outer * (1 - promise) && at <= outer * (1 + gap + promise)))
        return 0;
    memcpy(nearest->best, found, n * sizeof *found);
    return 1;
}

static hcr_status gauge_at(hcri_nearest *nearest, const double *y, double *gauge, hcr_error *error) {
    const hcr_region *region = nearest->region;
    for (size_t j = 0; j < region->set.n; j++)
        nearest->room[j] = y[j] - region->origin[j];
    return hcr_gauge(region, nearest->workspace, 1, NULL, nearest->room, gauge, NULL, error);
}

/* Newton's method from the best point on its face, which may be an edge: a constraint may have several gradients there.
 * What it finds becomes the best point when it is as far away as a nearest point can be; *found says so. */
static hcr_status polish_on_face(hcri_nearest *nearest, const double *p, double nearer, double farther, int *found,
                                 hcr_error *error) {
    const hcr_region *region = nearest->region;
    const size_t n = region->set.n;
    double *y = nearest->inside, gauge = INFINITY;
    *found = 0;
    if (nearest->kkt == NULL)
        return HCR_OK;
    if (nearest->face == NULL)
        HCRI_TRY(hcri_face_create(region, nearest->metric, &nearest->face, error));
    memcpy(y, nearest->best, n * sizeof *y);
    const hcr_status status = hcri_face_polish(nearest->face, region->origin, p, y, error);
    if (status != HCR_OK || !hcri_all_finite(n, y))
        return status == HCR_ERROR_MEMORY ? status : HCR_OK;
    HCRI_TRY(gauge_at(nearest, y, &gauge, error));
    const double at = distance(nearest, p, y);
    *found = gauge <= 1 + 1e-10 && at >= nearer * (1 - promise) && at <= farther * (1 + promise);
    if (*found)
        memcpy(nearest->best, y, n * sizeof *y);
    return HCR_OK;
}

/* Along the central path until Newton's method takes it from there, or the distance is known well enough. */
static hcr_status follow_path(hcri_nearest *nearest, const double *p, double *y, int *found, hcr_error *error) {
    static const double shares[] = {1e-8, 1e-11, 1e-14};
    double gauge, gap;
    *found = 0;
    HCRI_TRY(gauge_at(nearest, p, &gauge, error));
    if (nearest->path == NULL || !hcri_path_begin(nearest->path, p, gauge))
        return HCR_OK;
    for (size_t k = 0, goes_on = 1; k < sizeof shares / sizeof shares[0] && goes_on && !*found; k++) {
        goes_on = (size_t)hcri_path_follow(nearest->path, shares[k], nearest->best, &gap);
        const double at = distance(nearest, p, nearest->best);
        HCRI_TRY(polish_on_face(nearest, p, sqrt(fmax(0, at * at - 2 * gap)), at, found, error));
    }
    memcpy(y, nearest->best, nearest->region->set.n * sizeof *y);
    return HCR_OK;
}

hcr_status hcri_nearest_project(hcri_nearest *nearest, const double *p, double *y, hcr_error *error) {
    enum { MOST_ROUNDS = 400, PATIENCE = 8 };
    hcri_cuts *cuts = &nearest->cuts;
    double least = INFINITY, worth_a_try = 1e-2;
    int waited = 0;
    int found;
    HCRI_TRY(follow_path(nearest, p, y, &found, error));
    if (found)
        return HCR_OK;
    hcri_cuts_keep(cuts, 0);
    hcr_status solved = hcri_active_set_project(nearest->active_set, p, y, error);
    /* Next to the end the cuts are nearly the same, and the active set may be lost in rounding: the best point counts.
     */
    for (int round = 0; round < MOST_ROUNDS && solved == HCR_OK && waited < PATIENCE; round++) {
        const double gap = gap_at(nearest, p, y);
        waited = gap < 0.5 * least ? 0 : waited + (least <= promise);
        if (gap < least) {
            least = gap;
            memcpy(nearest->best, y, nearest->region->set.n * sizeof *y);
        }
        if (gap <= aim)
            break;
        if (gap <= worth_a_try) {
            worth_a_try = 1e-2 * gap;
            if (polish(nearest, p, gap, y)) {
                least = 0;
                break;
            }
            if (gap <= 0.1 * promise && hcri_outer_is_needed(&nearest->region->set))
                break; /* an edge, which cuts get to but slowly */
        }
        const size_t before = cuts->count;
        size_t violated;
        HCRI_TRY(hcri_cuts_separate(cuts, y, &violated, error));
        HCRI_TRY(hcri_cuts_touch(cuts, y, error));
        HCRI_ALLOCATED(hand_over(nearest, before));
        solved = hcri_active_set_again(nearest->active_set, y, error);
    }
    if (solved == HCR_ERROR_MEMORY)
        return solved;
    if (least > 0 && least <= promise) {
        const double outer = distance(nearest, p, nearest->best);
        HCRI_TRY(polish_on_face(nearest, p, outer, outer * (1 + least), &found, error));
    }
    if (least < INFINITY)
        memcpy(y, nearest->best, nearest->region->set.n * sizeof *y);
    HCRI_FAIL_IF(!(least <= promise), HCR_ERROR_SOLVER,
                 "the nearest point was found to within %.2g of its distance only", least);
    return HCR_OK;
}
