/* Where rays leave the region, and the gradient of the active inequality there: what derivatives are made of. */
#ifndef HCRI_FRONTIER_H
#define HCRI_FRONTIER_H

#include "maps/rays.h"

/* Which inequality is active where a row's ray leaves. */
typedef struct hcri_active {
    const hcri_constraint *block; /* NULL: the row's derivative doesn't depend on the frontier */
    size_t inequality;            /* its number in the block */
    const double *gradient;       /* how the gauge grows, where that is known already; else NULL */
} hcri_active;

/* The rays of a chunk, and what is active on each. */
typedef struct hcri_linearised {
    const hcr_ray *rays;
    hcri_active active[HCRI_CHUNK];
    hcr_ray found[HCRI_CHUNK]; /* the rays, where the caller had none */
    double least_room;         /* hcri_least_room */
} hcri_linearised;

/* The frontier point is O + u, u = t v; g is a positive multiple of the gradient of the active inequality there. */
typedef struct hcri_frontier {
    size_t n;      /* outputs */
    double gauge;  /* gamma(v) of the row's direction, and … */
    double radius; /* … what a decode was given behind it; else 1 */
    double least_room;
    double t;
    const double *v; /* outputs */
    const hcri_active *active;
    const double *g; /* set.n numbers; NULL: the block's `add_gauge_gradient` adds it, along is 1 */
    double along;    /* g·u: the gauge has the gradient g/(g·u) at v/gamma */
} hcri_frontier;

/* What a row's result depends on. Afterwards the slice has the origins of the chunk. Kinds that have a gradient for
 * several rows at once compute it here; it overwrites the slice's directions. */
void hcri_linearise(const hcri_chunk *chunk, hcri_linearised *at);

/* How near to 1 the gauge of a result can be distinguished from 1. */
double hcri_least_room(const hcri_chunk *chunk);

/* Of row s, which has one; in the first, second and last of the slice's vectors. */
void hcri_frontier_find(const hcri_chunk *chunk, const hcri_linearised *at, size_t s, hcri_frontier *frontier);

/* The direction of row s over a number, within the equalities and what the sample holds: into u, set.n numbers. */
void hcri_direction_take(const hcri_chunk *chunk, size_t s, double size, double *u);

/* result = share bar + weight g, outputs; without the first where bar is NULL. */
void hcri_frontier_combine(const hcri_frontier *frontier, double share, const double *bar, double weight,
                           double *result);

#endif
