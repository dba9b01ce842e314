#include "maps/linearised.h"

#include <float.h>
#include <string.h>

static int reaches_frontier(hcri_map_kind kind, const hcr_ray *ray) {
    if (!(ray->gauge > 0 && isfinite(ray->gauge)) || ray->constraint == HCRI_NO_CONSTRAINT || hcri_is_lost(ray) ||
        ray->outcome == HCR_NO_FRONTIER)
        return 0;
    return !hcri_is_identity(kind, ray);
}

double hcri_lost_derivative(const hcr_workspace *workspace, const hcr_ray *ray, const hcri_factor *factor) {
    if (ray->outcome == HCR_BAD_VALUE && workspace->bad_value == HCR_BAD_ORIGIN)
        return 0;
    int any = factor->last != 0;
    for (size_t k = 0; k < factor->count; k++)
        any |= factor->numbers[k] != 0;
    return any ? NAN : 0;
}

static int are_within(size_t count, const double *numbers, double most) {
    int within = 1;
    for (size_t k = 0; k < count; k++)
        within &= fabs(numbers[k]) <= most;
    return within;
}

void hcri_drop_overflow(int single, const hcri_factor *factor, size_t count, double *result) {
    if (!are_within(count, result, single ? FLT_MAX : DBL_MAX) && isfinite(factor->last) &&
        are_within(factor->count, factor->numbers, DBL_MAX))
        memset(result, 0, count * sizeof *result);
}

void hcri_linearise(const hcr_workspace *workspace, hcri_slice *slice, const hcri_map *map, const hcr_ray *rays,
                    size_t first, size_t rows, hcri_linearised *at) {
    const hcr_region *region = workspace->region;
    at->rays = rays == NULL ? at->found : rays + first;
    if (rays == NULL) {
        hcri_map forward = *map;
        forward.rays = at->found;
        forward.first_ray = first;
        hcri_map_chunk(workspace, slice, &forward, first, rows);
    } else if (slice->origins != NULL) {
        hcri_origins_find(region, slice, &map->input, first, rows);
    }
    for (size_t s = 0; s < rows; s++)
        at->crosses[s] = reaches_frontier(map->kind, &at->rays[s]);
    hcri_frontier_activate(region, slice, &map->input, at->rays, first, rows, at->crosses, at->active);
}
