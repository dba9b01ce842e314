/* Equalities that hold exactly: results on a binary grid, on which every partial sum of the equality is a number of
 * the output type (docs/exactness.md). */
#ifndef HCRI_SUM_GRID_H
#define HCRI_SUM_GRID_H

#include "region/set.h"
#include "region/solved_equalities.h"

/* Of one precision; the arrays have a number an output, NULL where no output has a grid. */
typedef struct hcri_sum_grid {
    double *step;          /* a power of two, 0: none … */
    double *shift;         /* … and 2^52 of them: with it added, the bits below a step are rounded off */
    double *lower, *upper; /* the bounds, inwards to the grid */
} hcri_sum_grid;

void hcri_sum_grid_release(hcri_sum_grid *grid, const hcr_allocator *allocator);
/* The grids of all groups of equalities that allow one: lower and upper are a box that holds the set. Errors: MEMORY.
 */
hcr_status hcri_sum_grid_find(const hcri_set *set, const hcri_affine *affine, const double *lower, const double *upper,
                              hcr_precision precision, const hcr_allocator *allocator, hcri_sum_grid *grid,
                              hcr_error *error);
/* 1 where equality i holds exactly at every result: it has a grid, and the parameters x (NULL: 0) are on it. */
int hcri_sum_grid_has(const hcri_sum_grid *grid, const hcri_set *set, const hcri_affine *affine, size_t i,
                      const double *x);
/* The largest share of an output's width that a step may be … */
static inline double hcri_sum_grid_share(hcr_precision precision) {
    return precision == HCR_SINGLE ? 0x1p-12 : 0x1p-30;
}
/* … and of the radius that it may cost beside as much as rounding does. */
static inline double hcri_sum_grid_cost(hcr_precision precision) { return precision == HCR_SINGLE ? 0x1p-9 : 0x1p-30; }

#endif
