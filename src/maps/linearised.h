/* What the derivatives of the maps, forward and reverse, have in common: the rays of a chunk, and what is active on
 * each. */
#ifndef HCRI_LINEARISED_H
#define HCRI_LINEARISED_H

#include "maps/boundary.h"
#include "maps/maps.h"

typedef struct hcri_linearised {
    const hcr_ray *rays;            /* of the chunk */
    int crosses[HCRI_CHUNK];        /* whether a row's derivative depends on where its ray leaves the region */
    hcri_active active[HCRI_CHUNK]; /* of the rows that do */
    hcr_ray found[HCRI_CHUNK];      /* the rays, where the caller had none */
} hcri_linearised;

/* Rows first … first + rows − 1 of a map, whose `rays` are what it returned for all rows, or NULL. The origins of the
 * chunk are in the slice then. */
void hcri_linearise(const hcr_workspace *workspace, hcri_slice *slice, const hcri_map *map, const hcr_ray *rays,
                    size_t first, size_t rows, hcri_linearised *at);
/* Whether a row had no result: for a bad value, or for parameters without a region. */
static inline int hcri_is_lost(const hcr_ray *ray) {
    return ray->outcome == HCR_BAD_VALUE || ray->outcome >= HCR_OUT_OF_RANGE;
}
/* Whether a map changed nothing. */
static inline int hcri_is_identity(hcri_map_kind kind, const hcr_ray *ray) {
    if (kind == HCRI_CONTRACT)
        return ray->outcome == HCR_INSIDE || ray->outcome == HCR_AT_ORIGIN;
    return kind == HCRI_SOFTEN && !hcri_is_lost(ray) && (ray->outcome == HCR_AT_ORIGIN || ray->gauge == 0);
}
/* What a row's derivative is multiplied with: `count` numbers, and a last one. */
typedef struct hcri_factor {
    size_t count;
    const double *numbers;
    double last;
} hcri_factor;
/* What stands for each number of the derivative of a lost row: NaN where the factor isn't 0, so that rows that a loss
 * leaves out spoil nothing; and 0 for bad values when the origin stands for them. */
double hcri_lost_derivative(const hcr_workspace *workspace, const hcr_ray *ray, const hcri_factor *factor);

/* Next to v = 0 derivatives by the direction grow without bound. Where a factor of one overflows it is as at v = 0: 0,
 * …
 */
static inline double hcri_finite_or_0(double x) { return isfinite(x) ? x : 0; }
/* … and so is a row of which a number overflows in the type of the result, though its factor is finite: it can where
 * this says so. */
static inline int hcri_may_overflow(const hcr_ray *ray) { return ray->gauge < 0x1p-20; }
void hcri_drop_overflow(int single, const hcri_factor *factor, size_t count, double *result);

#endif
