#include "project/nearest_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "origin/cutting_planes.h"
#include "origin/outer_approximation.h"
#include "project/active_set.h"
#include "project/face.h"
#include "project/newton_kkt.h"

struct hcri_nearest {
    const hcr_region *region;
    const hcri_metric *metric;
    hcri_active_set *active_set;
    hcri_cuts cuts;
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
    if (made == NULL)
        return hcri_fail_memory(error);
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

/* The same where Newton's method fails for a constraint that has several gradients: the best point on its edge. */
static hcr_status polish_on_edge(hcri_nearest *nearest, const double *p, double gap, hcr_error *error) {
    const hcr_region *region = nearest->region;
    const size_t n = region->set.n;
    double *found = nearest->inside, *v = nearest->room, gauge = INFINITY;
    if (nearest->kkt == NULL)
        return HCR_OK;
    if (nearest->face == NULL)
        HCRI_TRY(hcri_face_create(region, nearest->metric, &nearest->face, error));
    memcpy(found, nearest->best, n * sizeof *found);
    const hcr_status status = hcri_face_polish(nearest->face, region->origin, p, found, error);
    if (status != HCR_OK || !hcri_all_finite(n, found))
        return status == HCR_ERROR_MEMORY ? status : HCR_OK;
    const double outer = distance(nearest, p, nearest->best), at = distance(nearest, p, found);
    for (size_t j = 0; j < n; j++)
        v[j] = found[j] - region->origin[j];
    HCRI_TRY(hcr_gauge(region, nearest->workspace, 1, NULL, v, &gauge, NULL, error));
    if (gauge <= 1 + 1e-10 && at >= outer * (1 - promise) && at <= outer * (1 + gap + promise))
        memcpy(nearest->best, found, n * sizeof *found);
    return HCR_OK;
}

hcr_status hcri_nearest_project(hcri_nearest *nearest, const double *p, double *y, hcr_error *error) {
    enum { MOST_ROUNDS = 400, PATIENCE = 8 };
    hcri_cuts *cuts = &nearest->cuts;
    double least = INFINITY, worth_a_try = 1e-2;
    int waited = 0;
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
        if (!hand_over(nearest, before))
            return hcri_fail_memory(error);
        solved = hcri_active_set_again(nearest->active_set, y, error);
    }
    if (solved == HCR_ERROR_MEMORY)
        return solved;
    if (least > 0 && least <= promise)
        HCRI_TRY(polish_on_edge(nearest, p, least, error));
    if (least < INFINITY)
        memcpy(y, nearest->best, nearest->region->set.n * sizeof *y);
    if (!(least <= promise))
        return hcri_fail(error, HCR_ERROR_SOLVER, "the nearest point was found to within %.2g of its distance only",
                         least);
    return HCR_OK;
}
