/* Sets with inequalities of any convex kind, through polytopes that hold them: the bounds, the rows and cuts
 * (cutting_planes.h).
 *
 * The centre of the largest ball in the polytope is asked for its inequalities, which gives cuts where it isn't inside,
 * or where the ball sticks out, until the ball is in the set but for 1 %: central cutting planes (Elzinga and Moore,
 * 1975). Along the way the polytope's ball only shrinks, so that a set without interior is found out, and the
 * multipliers say why. The same polytopes prove boundedness and give the extremes. */
#ifndef HCRI_OUTER_APPROXIMATION_H
#define HCRI_OUTER_APPROXIMATION_H

#include "origin/cutting_planes.h"
#include "region/set.h"

/* 1 when a set has inequalities that are no bounds, rows or quadratics: then it is for what is here. */
int hcri_outer_is_needed(const hcri_set *set);

typedef struct hcri_outer {
    const hcri_set *set;
    hcri_cuts cuts;
    double *lower, *upper; /* a box that holds the set, infinite where none is known */
    int bounded;           /* there is no direction in which the polytope is open, … */
    int rows_bound;        /* … not even without the cuts: proved */
} hcri_outer;

/* lower, upper: as far as a box is known. */
hcr_status hcri_outer_create(const hcri_set *set, const double *lower, const double *upper, hcri_outer *outer,
                             hcr_error *error);
void hcri_outer_release(hcri_outer *outer);
/* y: about the centre of a largest ball in the set, *radius about its radius; `roughly`: of a ball of a tenth of that.
 * Of a set that is open, or isn't known to be bounded, within a cube around its data (origin/unbounded_origin.h).
 * Errors: EMPTY with the conflict, SOLVER, MEMORY. */
hcr_status hcri_outer_centre(hcri_outer *outer, int roughly, double *y, double *radius, hcr_error *error);
/* A point inside that is known from elsewhere. */
void hcri_outer_start_at(hcri_outer *outer, const double *y);
/* After a centre or a start: is the set bounded? If not, *bounded = 0 and `direction` (n) is one that nothing stops. */
hcr_status hcri_outer_prove(hcri_outer *outer, int *bounded, double *direction, hcr_error *error);
/* After that: narrows outer->lower and outer->upper to the polytope's extremes around y, which are right to about a
 * tenth of their distance from it (in more than a dozen outputs to about a half). Those of an open set may stay open.
 * The same for lower <= a·y <= upper, a row each (NULL: none). */
hcr_status hcri_outer_extremes(hcri_outer *outer, const double *y, double radius, const hcri_rows *a, double *lower,
                               double *upper, hcr_error *error);
/* *radius: about that of the largest ball around y in the set, negative outside; 1e15 and more for any. */
hcr_status hcri_outer_radius(const hcri_set *set, const double *y, double *radius, hcr_error *error);

#endif
