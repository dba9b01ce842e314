/* What all maps begin with: a chunk of rows as doubles, where their rays begin, and their gauges. */
#ifndef HCRI_RAYS_H
#define HCRI_RAYS_H

#include <math.h>
#include <string.h>

#include "maps/workspace.h"
#include "region/sample_equalities.h"

typedef struct hcri_map hcri_map;

/* A call of a map or of one of its derivatives. The arrays hold all rows, in the type that `precision` says. */
typedef struct hcri_call {
    const hcri_map *map;
    hcr_precision precision;
    const void *x, *in;                 /* the parameters and the input of the map */
    const hcri_sample_origins *origins; /* of all rows, which then are a double's; NULL: not known yet */
    int keeps_equalities;               /* the directions do already, but for rounding */
    size_t origin;                      /* 0, or 1 + the number of the origin to use, whatever the parameters name */
    const void *factor, *x_factor;      /* what a derivative is multiplied with */
    void *out, *x_out;                  /* x_out: of the reverse derivative; NULL: not wanted */
    const hcr_ray *known;               /* of a derivative: the rays that the map returned, or NULL */
    hcr_ray *rays;                      /* of the map; NULL: not wanted */
} hcri_call;

/* Precision is decided here: inside the maps numbers are doubles. `count` numbers of an array, from `at` on: where they
 * lie, or widened into `room`; NULL without an array. */
static inline const double *hcri_widen(hcr_precision precision, const void *array, size_t at, size_t count,
                                       double *room) {
    if (precision == HCR_DOUBLE || array == NULL)
        return array == NULL ? NULL : (const double *)array + at;
    const float *from = (const float *)array + at;
    for (size_t k = 0; k < count; k++)
        room[k] = (double)from[k];
    return room;
}
/* Where results are made: in their place, or in `room`, … */
static inline double *hcri_result_place(hcr_precision precision, void *array, size_t at, double *room) {
    return precision == HCR_DOUBLE && array != NULL ? (double *)array + at : room;
}
/* … from where this takes them, rounded. */
static inline void hcri_round(hcr_precision precision, const double *results, size_t count, void *array, size_t at) {
    for (size_t k = 0; precision == HCR_SINGLE && array != NULL && k < count; k++)
        ((float *)array)[at + k] = (float)results[k];
}

/* The rows of a call that go through together: first … first + rows − 1, at most workspace->chunk. */
typedef struct hcri_chunk {
    const hcri_call *call;
    const hcr_workspace *workspace;
    const hcr_region *region;
    hcri_slice *slice;
    size_t first, rows;
    const double *in; /* row s of the input: in[s · width …] */
    size_t width;
    double most; /* the largest radius of a result: 1 − margin */
} hcri_chunk;

/* (O(x), x) and its kind for the rows of a chunk, into the slice; where there is no origin, the region's. */
void hcri_origins_find(const hcri_chunk *chunk);
/* The origin of row s of the chunk, set.n numbers, … */
static inline const double *hcri_origin_of(const hcri_chunk *chunk, size_t s) {
    const double *origins = chunk->slice->origins;
    return origins == NULL ? chunk->region->origin : origins + s * chunk->region->set.n;
}
/* 0 for its outputs and rows that have one value only, else 1; NULL where none has. */
static inline const double *hcri_is_free_of(const hcri_chunk *chunk, size_t s) {
    const hcri_slice *slice = chunk->slice;
    return slice->is_free == NULL || !slice->holds_outputs[s]
               ? NULL
               : slice->is_free + s * hcri_sample_origin_flags(chunk->region);
}
/* The equalities of row s. */
static inline const hcri_affine *hcri_affine_of(const hcri_chunk *chunk, size_t s) {
    return hcri_affine_at(chunk->region, hcri_origin_of(chunk, s), chunk->slice->scratch);
}
/* Takes a direction, set.n numbers, to one along which outputs and rows that have one value stay, within the
 * equalities … */
void hcri_hold_outputs(const hcri_chunk *chunk, size_t s, double *v);
/* A map's direction v, given times inverse_size. Where that turns it, it is beyond a gap that is closed, as it would be
 * beyond one that is next to closed, and is damped as all are that are beyond one: hcri_damping_of says so from then
 * on. */
void hcri_hold_direction(const hcri_chunk *chunk, size_t s, double inverse_size, double *v);
/* … and a gradient by such a direction to the one by the direction that it was made from. */
void hcri_hold_outputs_adjoint(const hcri_chunk *chunk, size_t s, double *gradient);
/* How row s is damped: HCRI_DAMPS_NOTHING where it isn't. */
static inline hcri_damping_rule hcri_damping_of(const hcri_chunk *chunk, size_t s) {
    return chunk->slice->is_free == NULL ? HCRI_DAMPS_NOTHING : chunk->slice->damping[s];
}
/* Whether it is its direction that is. */
static inline int hcri_is_damped(const hcri_chunk *chunk, size_t s) {
    const hcri_damping_rule rule = hcri_damping_of(chunk, s);
    return rule != HCRI_DAMPS_NOTHING && rule != HCRI_DAMPS_BACK;
}
/* Its centre and what it holds there, for directions w = v inverse_size. */
hcri_damped hcri_damped_sample(const hcri_chunk *chunk, size_t s, double inverse_size);
/* What v is damped to, where row s is such. */
void hcri_damp(const hcri_chunk *chunk, size_t s, double inverse_size, double *w);
/* What kind of origin row s has. */
static inline hcri_sample_origin hcri_sample_origin_of(const hcri_chunk *chunk, size_t s) {
    return chunk->slice->origins == NULL ? HCRI_SAMPLE_ORIGIN_AFFINE : chunk->slice->sample_origin[s];
}

typedef enum hcri_ray_state {
    HCRI_RAY_SOUND,
    HCRI_RAY_ZERO,
    HCRI_RAY_BAD,
    HCRI_RAY_OUT_OF_RANGE, /* from here on there is no ray at all */
    HCRI_RAY_NO_ORIGIN,
    HCRI_RAY_DEPENDENT
} hcri_ray_state;

/* A chunk of rays, within the equalities of the region: direction s is v[s · stride …] · 2^exponent[s], its gauge
 * gauge[s] · 2^exponent[s], and it begins at hcri_origin_of the chunk. */
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

/* The rays of a chunk and their origins. */
void hcri_rays_make(const hcri_chunk *chunk, int with_active_constraints, hcri_rays *rays);

#endif
