/* The maps as a table, and a call of one on its way: its arrays, the rows that go together, their rays. */
#ifndef HCRI_MAPS_H
#define HCRI_MAPS_H

#include <string.h>

#include "maps/frontier.h"
#include "maps/rays.h"

/* How one row's input changes. */
typedef struct hcri_change {
    const double *direction; /* outputs; as given, then within the equalities */
    double radius;           /* of a decode, else 0 */
    const double *x;         /* the parameters, and … */
    const double *origin;    /* … what they do to the origin; both NULL: they stay */
    double shift;            /* what they do to log gamma: (g_O·dO + g_x·dx)/(g·u) */
} hcri_change;

/* What a map is. Its input is `outputs` numbers, a direction or a point, and a radius behind them; its output that many
 * numbers, a direction or a point, and a gauge behind them. */
struct hcri_map {
    int takes_point, takes_radius;
    int gives_vector, gives_gauge;
    int gives_point; /* O + t v: `row` gives t alone */
    hcri_damping_rule damps;
    int loses_outside;   /* points outside have no result: NaN */
    double origin_share; /* how a result moves along with O: 1, 0, or −1 where O moves away from a point that stays */
    /* The result of row s of the chunk, and what became of it. */
    hcr_outcome (*row)(const hcri_chunk *chunk, const hcri_rays *rays, size_t s, double *result);
    /* Bit k: rows of outcome k stay as they are, and so do those without a frontier. 0: none do. */
    unsigned identity_outcomes;
    /* At a row whose ray has a frontier: from the gradient `bar` by the output, the one by the input. Returns the one
     * by log gamma of a direction that stays, over g·u. */
    double (*vjp)(const hcri_frontier *frontier, const double *bar, double *result);
    /* How the output changes, less the share of an origin that it moves along with, for an input that does by `change`.
     * `turn`: how much gamma does by the direction. */
    void (*jvp)(const hcri_frontier *frontier, const hcri_change *change, double turn, double *result);
};
extern const hcri_map hcri_map_gauge, hcri_map_encode, hcri_map_decode, hcri_map_contract, hcri_map_soften,
    hcri_map_soften_inverse, hcri_map_point_gauge;

/* soften_inverse's t = 1/(1 − gamma), and in *by_gauge how t grows with gamma. */
double hcri_soften_stretch(const hcri_frontier *frontier, double *by_gauge);

/* Whether a row had no result: for a bad value, for parameters without a region, or where the map has none. */
static inline int hcri_is_lost(const hcri_map *map, const hcr_ray *ray) {
    return ray->outcome == HCR_OUTCOME_BAD_VALUE || ray->outcome == HCR_OUTCOME_OUT_OF_RANGE ||
           ray->outcome == HCR_OUTCOME_NO_ORIGIN || ray->outcome == HCR_OUTCOME_DEPENDENT ||
           (map->loses_outside && ray->outcome == HCR_OUTCOME_OUTSIDE);
}

/* Whether a map changed nothing. One that holds up to rounding doesn't say what it was before that. */
static inline int hcri_is_identity(const hcri_chunk *chunk, const hcr_ray *ray) {
    const unsigned identity = chunk->call->map->identity_outcomes;
    const uint32_t outcome = ray->outcome != HCR_OUTCOME_TO_ROUNDING ? ray->outcome
                             : ray->gauge <= chunk->most             ? (uint32_t)HCR_OUTCOME_INSIDE
                                                                     : (uint32_t)HCR_OUTCOME_FRONTIER;
    return identity != 0 && !hcri_is_lost(chunk->call->map, ray) && ((identity >> outcome & 1) != 0 || ray->gauge == 0);
}

static inline size_t hcri_output_width(const hcri_map *map, size_t n) {
    return (map->gives_vector ? n : 0) + (size_t)map->gives_gauge;
}

/* A map itself, as its public functions call it: for calls whose origins are known. Errors: ARGUMENT. */
hcr_status hcri_map_run(const hcr_region *region, hcr_workspace *workspace, size_t rows, const hcri_call *call,
                        hcr_error *error);

/* Rows go through one of these, a chunk at a time. */
typedef void hcri_chunk_function(const hcri_chunk *chunk);
hcri_chunk_function hcri_vjp_chunk, hcri_jvp_chunk;
/* The map itself, into `out`; rays into `found`, from the first of the chunk on. Each may be NULL. */
void hcri_forward(const hcri_chunk *chunk, void *out, hcr_ray *found);

#endif
