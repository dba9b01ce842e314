/* What all maps begin with: a chunk of rows as directions, scaled where they need it, and their gauges. */
#ifndef HCRI_RAYS_H
#define HCRI_RAYS_H

#include <math.h>

#include "maps/ray_origins.h"

typedef enum hcri_ray_state {
    HCRI_RAY_SOUND,
    HCRI_RAY_ZERO,
    HCRI_RAY_BAD,
    HCRI_RAY_OUT_OF_RANGE, /* from here on there is no ray at all */
    HCRI_RAY_NO_ORIGIN
} hcri_ray_state;

/* A chunk of rays, within the equalities of the region: direction s is v[s · stride …] · 2^exponent[s], its gauge
 * gauge[s] · 2^exponent[s], and it begins at hcri_origin_of the slice. */
typedef struct hcri_rays {
    size_t rows, stride;
    const double *v;
    double gauge[HCRI_CHUNK];
    uint32_t active_constraint[HCRI_CHUNK]; /* when asked for */
    int exponent[HCRI_CHUNK];
    hcri_ray_state state[HCRI_CHUNK];
} hcri_rays;

/* The gauge of row s, its power of two undone. */
static inline double hcri_rays_gauge(const hcri_rays *rays, size_t s) {
    return rays->exponent[s] == 0 ? rays->gauge[s] : ldexp(rays->gauge[s], rays->exponent[s]);
}

/* Rows first … first + rows − 1 (at most workspace->chunk) of the input. */
void hcri_rays_make(const hcr_workspace *workspace, hcri_slice *slice, const hcri_input *input, size_t first,
                    size_t rows, int with_active_constraints, hcri_rays *rays);

#endif
