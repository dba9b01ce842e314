/* Where rays leave the region, and the gradient of the active inequality there. */
#ifndef HCRI_BOUNDARY_H
#define HCRI_BOUNDARY_H

#include "maps/ray_origins.h"

/* Which inequality is active where a row's ray leaves. */
typedef struct hcri_active {
    const hcri_constraint *block; /* NULL: the row's derivative doesn't depend on the frontier */
    size_t inequality;            /* its number in the block */
    const double *gradient;       /* how the gauge grows, where that is known already; else NULL */
} hcri_active;

/* The frontier point is O + u, u = t v; g is a positive multiple of the gradient of the active inequality there. */
typedef struct hcri_frontier {
    double t;
    const double *v; /* outputs */
    const hcri_active *active;
    const double *g; /* set.n numbers; NULL: the block's `add_gauge_gradient` adds it, along is 1 */
    double along;    /* g·u: the gauge has the gradient g/(g·u) at v/gamma */
} hcri_frontier;

/* The active inequalities of rows first … first + rows − 1, where `crosses` says so. What kinds find faster for several
 * rows at once is done here, in the place of the slice's directions. */
void hcri_frontier_activate(const hcr_region *region, hcri_slice *slice, const hcri_input *input, const hcr_ray *rays,
                            size_t first, size_t rows, const int crosses[HCRI_CHUNK], hcri_active active[HCRI_CHUNK]);

/* Row i of the input; u, g and point have room for set.n numbers each, `scratch` is the slice's. */
void hcri_frontier_find(const hcr_region *region, const hcri_input *input, size_t i, const double *origin, double gauge,
                        const hcri_active *active, double *u, double *g, double *point, double *scratch,
                        hcri_frontier *frontier);

/* result = share bar + weight g, outputs; without the first where bar is NULL. */
void hcri_frontier_combine(const hcri_frontier *frontier, size_t n, double share, const double *bar, double weight,
                           double *result);

#endif
