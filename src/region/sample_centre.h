/* The analytic centre of a region at given parameters, where all of its inequalities are affine in the outputs: the
 * point within the equalities that minimises −Σ log(−c_i(y, x)), and where bounds leave an output one value only, that
 * among the others. It is continuous in the parameters: what an output's bounds leave may shrink to a point. */
#ifndef HCRI_SAMPLE_CENTRE_H
#define HCRI_SAMPLE_CENTRE_H

#include "region/barrier.h"
#include "region/region.h"

/* What of it doesn't depend on the parameters: the inequalities as rows over the free outputs, each between limits. */
typedef struct hcri_centres {
    uint32_t *output; /* of each of the barrier's columns … */
    uint32_t *column; /* … and the column of each output, UINT32_MAX for a dependent one */
    hcri_barrier barrier;
    double *values, *lower, *upper; /* of the rows' entries; of columns, then rows */
    hcri_rows shift;                /* what the parameters add to each row */
    size_t varying;                 /* the coefficients of the rows from here on move: … */
    const hcri_constraint **block;  /* … each is of this block … */
    uint32_t *row;                  /* … and this row of it */
} hcri_centres;

/* *centres is NULL for a region with inequalities of other kinds. The caller releases it. Errors: MEMORY. */
hcr_status hcri_centres_make(const hcr_region *region, hcri_centres **centres, hcr_error *error);
void hcri_centres_release(hcri_centres *centres, const hcr_allocator *allocator);
/* Numbers of scratch that the functions below need. */
size_t hcri_centres_scratch(const hcr_region *region);
/* `point` holds O(x), or another guess, and x. 1: its outputs are the centre now, to about 1e-12 of the slack of each
 * inequality, and is_free[j] (outputs numbers) is 0 for those that have one value only, else 1; 0: no point was found.
 */
int hcri_centres_find(const hcr_region *region, double *point, double *is_free, double *scratch);
/* x_bar += (d centre/dx)' bar at a centre, by the implicit function theorem (is_free NULL: all are). `bar` has the
 * gradient by the free outputs, and is overwritten. */
void hcri_centres_vjp(const hcr_region *region, const double *point, const double *is_free, double *bar, double *x_bar,
                      double *scratch);
/* How the free outputs of a centre change when the parameters do by x_dot: into `dot`. */
void hcri_centres_jvp(const hcr_region *region, const double *point, const double *is_free, const double *x_dot,
                      double *dot, double *scratch);

#endif
