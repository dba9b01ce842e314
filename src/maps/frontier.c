#include "maps/frontier.h"

#include "kernels/kernels.h"
#include "maps/maps.h"

void hcri_direction_take(const hcri_chunk *chunk, size_t s, double size, double *u) {
    const double *v = chunk->in + s * chunk->width, *origin = hcri_origin_of(chunk, s);
    const double scale = size < 0x1p-1000 ? 0x1p100 : 1, t = 1 / (scale * size);
    for (size_t j = 0; j < chunk->region->set.outputs; j++)
        u[j] = t * (scale * (v[j] - (chunk->call->map->takes_point ? origin[j] : 0)));
    memset(u + chunk->region->set.outputs, 0, chunk->region->origin_map.parameters * sizeof *u);
    hcri_affine_project(hcri_affine_of(chunk, s), u);
    hcri_hold_direction(chunk, s, t * scale, u);
}

double hcri_least_room(const hcri_chunk *chunk) {
    return fmax(1 - chunk->most, chunk->call->precision == HCR_SINGLE ? 0x1p-23 : 0x1p-52);
}

/* The ray of row s from O to the frontier, in u. */
static void scale_to_frontier(const hcri_chunk *chunk, size_t s, double gauge, double *u) {
    hcri_direction_take(chunk, s, gauge, u);
    hcri_damp(chunk, s, 1 / gauge, u);
}

/* The same, as given where that can be: u has room for it. */
static inline void reach(const hcri_chunk *chunk, size_t s, double gauge, double *u, hcri_frontier *frontier) {
    const int is_moderate = gauge > 0x1p-100 && gauge < 0x1p100; /* its inverse and products with v don't overflow */
    const int as_given = is_moderate && !chunk->call->map->takes_point && chunk->region->affine.count == 0 &&
                         hcri_is_free_of(chunk, s) == NULL && !hcri_is_damped(chunk, s);
    if (!as_given)
        scale_to_frontier(chunk, s, gauge, u);
    frontier->t = as_given ? 1 / gauge : 1;
    frontier->v = as_given ? chunk->in + s * chunk->width : u;
}

static int reaches_frontier(const hcri_chunk *chunk, const hcr_ray *ray) {
    if (!(ray->gauge > 0 && isfinite(ray->gauge)) || ray->constraint == HCRI_NO_CONSTRAINT ||
        hcri_is_lost(chunk->call->map, ray) || ray->outcome == HCR_OUTCOME_NO_FRONTIER)
        return 0;
    return !hcri_is_identity(chunk, ray);
}

void hcri_linearise(const hcri_chunk *chunk, hcri_linearised *at) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const hcri_set *set = &chunk->region->set;
    hcri_slice *slice = chunk->slice;
    at->rays = chunk->call->known == NULL ? at->found : chunk->call->known + chunk->first;
    if (chunk->call->known == NULL)
        hcri_forward(chunk, NULL, at->found);
    else if (slice->origins != NULL)
        hcri_origins_find(chunk);
    at->least_room = hcri_least_room(chunk);
    hcri_active *active = at->active;
    int waits[HCRI_CHUNK];
    for (size_t s = 0; s < chunk->rows; s++) {
        active[s] = (hcri_active){.block = NULL};
        waits[s] = 0;
        if (!reaches_frontier(chunk, &at->rays[s]))
            continue;
        active[s].block = hcri_set_block_of(set, at->rays[s].constraint, &active[s].inequality);
        waits[s] = slice->origins == NULL && active[s].block->kind->gauge_gradients != NULL;
    }
    for (size_t s = 0; s < chunk->rows; s++) {
        const hcri_constraint *block = waits[s] ? active[s].block : NULL;
        double *row[HCRI_CHUNK];
        size_t count = 0;
        for (size_t t = s; block != NULL && t < chunk->rows; t++) {
            if (!waits[t] || active[t].block != block)
                continue;
            row[count] = slice->directions + t * set->n;
            hcri_frontier ray;
            reach(chunk, t, at->rays[t].gauge, row[count], &ray);
            kernels->combine(set->n, ray.t, ray.v, 0, ray.v, row[count]);
            active[t].gradient = row[count++];
            waits[t] = 0;
        }
        if (count > 0)
            block->kind->gauge_gradients(block, count, (const double *const *)row, row, slice->scratch);
    }
}

void hcri_frontier_find(const hcri_chunk *chunk, const hcri_linearised *at, size_t s, hcri_frontier *frontier) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const hcri_slice *slice = chunk->slice;
    const size_t n = chunk->region->set.n, outputs = chunk->region->set.outputs;
    const hcri_active *active = &at->active[s];
    double *u = slice->vectors, *g = u + n + 1, *point = g + 2 * (n + 1);
    frontier->n = outputs;
    frontier->gauge = at->rays[s].gauge;
    frontier->radius = chunk->call->map->takes_radius ? chunk->in[s * chunk->width + outputs] : 1;
    frontier->least_room = at->least_room;
    frontier->active = active;
    frontier->g = NULL;
    frontier->along = 1;
    reach(chunk, s, frontier->gauge, u, frontier);
    if (active->block->has_gauge_gradient && n == outputs)
        return;
    if (active->gradient == NULL) {
        const double *origin = hcri_origin_of(chunk, s);
        kernels->combine(outputs, 1, origin, frontier->t, frontier->v, point);
        memcpy(point + outputs, origin + outputs, (n - outputs) * sizeof *point);
        memset(g, 0, n * sizeof *g);
        active->block->kind->add_gradient(active->block, active->inequality, point, 1, g, slice->scratch);
    }
    frontier->g = active->gradient == NULL ? g : active->gradient;
    const double along = frontier->t * kernels->dot(outputs, frontier->g, frontier->v);
    frontier->along = along > 0 ? along : INFINITY; /* rounding alone leads there: nothing moves it */
}

void hcri_frontier_combine(const hcri_frontier *frontier, double share, const double *bar, double weight,
                           double *result) {
    const size_t n = frontier->n;
    const hcri_kernels *kernels = hcri_kernels_best();
    const hcri_active *active = frontier->active;
    if (frontier->g != NULL) {
        if (bar == NULL)
            kernels->combine(n, weight, frontier->g, 0, frontier->g, result);
        else
            kernels->combine(n, share, bar, weight, frontier->g, result);
        return;
    }
    if (bar == NULL)
        memset(result, 0, n * sizeof *result);
    else
        kernels->combine(n, share, bar, 0, bar, result);
    active->block->kind->add_gauge_gradient(active->block, active->inequality, frontier->t, frontier->v, weight,
                                            result);
}
