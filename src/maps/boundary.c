#include "maps/boundary.h"

#include <string.h>

#include "kernels/kernels.h"

/* The ray from O to the frontier, as given where that can be: u has room for it. */
static void reach(const hcr_region *region, const hcri_input *input, size_t i, const double *origin, double gauge,
                  double *u, hcri_frontier *frontier) {
    const size_t n = region->set.outputs;
    const int is_moderate = gauge > 0x1p-100 && gauge < 0x1p100; /* its inverse and products with v don't overflow */
    if (is_moderate && input->doubles != NULL && !input->from_origin && region->affine.count == 0) {
        frontier->t = 1 / gauge;
        frontier->v = input->doubles + i * input->width;
        return;
    }
    const double scale = gauge < 0x1p-1000 ? 0x1p100 : 1, t = 1 / (scale * gauge);
    for (size_t j = 0; j < n; j++)
        u[j] = t * (scale * (hcri_input_at(input, i, j) - (input->from_origin ? origin[j] : 0)));
    hcri_affine_project(&region->affine, u);
    frontier->t = 1;
    frontier->v = u;
}

void hcri_frontier_activate(const hcr_region *region, hcri_slice *slice, const hcri_input *input, const hcr_ray *rays,
                            size_t first, size_t rows, const int crosses[HCRI_CHUNK], hcri_active active[HCRI_CHUNK]) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const size_t n = region->set.n;
    int waits[HCRI_CHUNK];
    for (size_t s = 0; s < rows; s++) {
        active[s] = (hcri_active){.block = NULL};
        if (crosses[s])
            active[s].block = hcri_set_block_of(&region->set, rays[s].constraint, &active[s].inequality);
        waits[s] = slice->origins == NULL && crosses[s] && active[s].block->kind->gauge_gradients != NULL;
    }
    for (size_t s = 0; s < rows; s++) {
        const hcri_constraint *block = waits[s] ? active[s].block : NULL;
        double *row[HCRI_CHUNK];
        size_t count = 0;
        for (size_t t = s; block != NULL && t < rows; t++) {
            if (!waits[t] || active[t].block != block)
                continue;
            row[count] = slice->directions + t * n;
            hcri_frontier ray;
            reach(region, input, first + t, region->origin, rays[t].gauge, row[count], &ray);
            kernels->combine(n, ray.t, ray.v, 0, ray.v, row[count]);
            active[t].gradient = row[count++];
            waits[t] = 0;
        }
        if (count > 0)
            block->kind->gauge_gradients(block, count, (const double *const *)row, row, slice->scratch);
    }
}

void hcri_frontier_find(const hcr_region *region, const hcri_input *input, size_t i, const double *origin, double gauge,
                        const hcri_active *active, double *u, double *g, double *point, double *scratch,
                        hcri_frontier *frontier) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const size_t n = region->set.n, outputs = region->set.outputs;
    const hcri_kind *kind = active->block->kind;
    reach(region, input, i, origin, gauge, u, frontier);
    frontier->active = active;
    frontier->g = NULL;
    frontier->along = 1;
    if (active->block->has_gauge_gradient && n == outputs)
        return;
    if (active->gradient == NULL) {
        kernels->combine(outputs, 1, origin, frontier->t, frontier->v, point);
        memcpy(point + outputs, origin + outputs, (n - outputs) * sizeof *point);
        memset(g, 0, n * sizeof *g);
        kind->add_gradient(active->block, active->inequality, point, 1, g, scratch);
    }
    frontier->g = active->gradient == NULL ? g : active->gradient;
    frontier->along = frontier->t * kernels->dot(outputs, frontier->g, frontier->v);
}

void hcri_frontier_combine(const hcri_frontier *frontier, size_t n, double share, const double *bar, double weight,
                           double *result) {
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
