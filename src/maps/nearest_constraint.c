#include "maps/nearest_constraint.h"

#include "kernels/kernels.h"
#include "kinds/block.h"
#include "region/sample_centre.h"

#include <math.h>

/* Relative to |c(O)|: what rounding can hide. A constraint counts as satisfied at a point only when it is by more than
 * this, so that a restricted search never loses the constraint that the full search would find, ties included. */
static const double error_bound = 1e-10;

typedef struct hcri_best {
    double gauge;
    uint32_t constraint;
} hcri_best;

static void intersect(const hcri_constraint *block, size_t i, const double *v, hcri_slice *slice, hcri_best *best) {
    const double gauge = block->kind->gauge_one(block, i, v, slice->scratch);
    slice->intersections++;
    if (gauge > best->gauge) {
        best->gauge = gauge;
        best->constraint = block->first + (uint32_t)i;
    }
}

/* Intersects the constraints that may be violated at O + t v (all for t = infinity); returns whether one surely is. */
static int intersect_violated(const hcri_set *set, const double *v, double t, hcri_slice *slice, hcri_best *best) {
    int violated = 0;
    for (size_t b = 0; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        for (size_t i = 0; i < block->count; i++) {
            if (!block->kind->exists(block, i))
                continue;
            const double c = isinf(t) ? 1 : block->kind->along(block, i, v, t, slice->scratch);
            violated |= c > error_bound;
            if (c > -error_bound)
                intersect(block, i, v, slice, best);
        }
    }
    return violated;
}

/* Algorithm 1 of the paper: the constraints violated at a distance of BASE_MULTIPLIER (1 + 0.5 i) from the origin hold
 * the nearest one as soon as there are any; after MAX_ITERATIONS steps without, all are intersected. */
static hcri_best algorithm1(const hcr_workspace *workspace, hcri_slice *slice, const double *v) {
    const hcri_set *set = &workspace->region->set;
    const double norm = sqrt(hcri_kernels_best()->squares(set->n, v));
    for (uint32_t i = 0; i < workspace->search.max_iterations; i++) {
        hcri_best best = {0, HCRI_NO_CONSTRAINT};
        const double distance = workspace->search.base_multiplier * (1 + 0.5 * i);
        const uint64_t before = slice->intersections;
        if (intersect_violated(set, v, distance / norm, slice, &best))
            return best;
        slice->intersections = before; /* only uncertain ones: not candidates */
    }
    hcri_best best = {0, HCRI_NO_CONSTRAINT};
    intersect_violated(set, v, INFINITY, slice, &best);
    return best;
}

/* A constraint that holds at the best frontier point so far can't be nearer: it is convex along the ray. */
static hcri_best active_constraint_pruning(const hcr_workspace *workspace, hcri_slice *slice, const double *v) {
    const hcri_set *set = &workspace->region->set;
    hcri_best best = {0, HCRI_NO_CONSTRAINT};
    for (size_t b = 0; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        for (size_t i = 0; i < block->count; i++)
            if (block->kind->exists(block, i) &&
                (best.gauge == 0 || block->kind->along(block, i, v, 1 / best.gauge, slice->scratch) > -error_bound))
                intersect(block, i, v, slice, &best);
    }
    return best;
}

/* Of a sample some of whose rows have one value: each of the others by itself. */
static hcri_best search_flat(const hcri_chunk *chunk, size_t s, const double *v) {
    const hcri_set *set = &chunk->region->set;
    const double *is_free = hcri_is_free_of(chunk, s), *origin = hcri_origin_of(chunk, s);
    hcri_best best = {0, HCRI_NO_CONSTRAINT};
    size_t row = 0;
    for (size_t b = 0; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        for (size_t i = 0; i < block->count; i++) {
            if (!hcri_centres_is_free(chunk->region, is_free, block->first + i, &row) || !block->kind->exists(block, i))
                continue;
            /* infinite where the origin is on the frontier, and v leads out */
            const double gauge = 1 / block->kind->interval(block, i, origin, v, chunk->slice->scratch).leave;
            if (gauge > best.gauge)
                best = (hcri_best){gauge, block->first + (uint32_t)i};
        }
    }
    return best;
}

static void search_all_flat(const hcri_chunk *chunk, hcri_rays *rays) {
    for (size_t s = 0; s < rays->rows; s++) {
        if (chunk->slice->sample_origin[s] != HCRI_SAMPLE_ORIGIN_FLAT)
            continue;
        const hcri_best best = search_flat(chunk, s, rays->v + s * rays->stride);
        rays->gauge[s] = best.gauge;
        rays->active_constraint[s] = best.constraint;
    }
}

void hcri_search(const hcri_chunk *chunk, int has_box, int with_active_constraints, hcri_rays *rays) {
    const hcr_workspace *workspace = chunk->workspace;
    const hcri_set *set = &chunk->region->set;
    hcri_slice *slice = chunk->slice;
    double *gauge = rays->gauge;
    uint32_t *active_constraint = with_active_constraints ? rays->active_constraint : NULL;
    if (workspace->search.method == HCR_SEARCH_FULL) {
        for (size_t s = 0; !has_box && s < rays->rows; s++) {
            gauge[s] = 0;
            rays->active_constraint[s] = HCRI_NO_CONSTRAINT;
        }
        const hcri_batch batch = {rays->rows, rays->stride, rays->v, slice->origins, gauge, active_constraint};
        for (size_t b = has_box ? 1 : 0; b < set->blocks; b++) { /* the first is the box */
            const hcri_kind *kind = set->block[b]->kind;
            /* Kinds that prepare for O(x) know no other origins, but for affine ones. */
            const int follows = hcri_has_one_map(chunk->region) || kind->is_affine || kind->follow == NULL;
            (slice->origins == NULL ? kind->gauge
             : follows              ? kind->gauge_from
                                    : hcri_block_gauge_from)(set->block[b], &batch, slice->scratch);
        }
        slice->intersections += (uint64_t)rays->rows * chunk->region->existing;
        if (slice->is_free != NULL)
            search_all_flat(chunk, rays);
        return;
    }
    for (size_t s = 0; s < rays->rows; s++) {
        const double *v = rays->v + s * rays->stride;
        const hcri_best best = workspace->search.method == HCR_SEARCH_ALGORITHM1
                                   ? algorithm1(workspace, slice, v)
                                   : active_constraint_pruning(workspace, slice, v);
        gauge[s] = best.gauge;
        rays->active_constraint[s] = best.constraint;
    }
}
