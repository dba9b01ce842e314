/* A box that holds a set, and whether there is one. */
#ifndef HCRI_BOUNDS_H
#define HCRI_BOUNDS_H

#include "region/set.h"

/* lower, upper (n each): what the bounds, closed forms for the quadratics and propagation over the rows give, safe
 * against rounding; ±infinity where they give nothing. */
hcr_status hcri_bounds_derive(const hcri_set *set, double *lower, double *upper, hcr_error *error);
/* 1 when no bound is infinite. */
int hcri_bounds_closed(size_t n, const double *lower, const double *upper);
/* Is there a direction in which nothing ends? Decided from the recession cone, for those that derive left open. Errors:
 * UNBOUNDED with the direction, SOLVER, MEMORY. */
hcr_status hcri_bounds_prove(const hcri_set *set, const double *lower, const double *upper, hcr_error *error);
/* Narrows the box by the extremes of the set around a point of it: all outputs where that is cheap, else those without
 * a bound. `inradius`: about how far the set reaches around the centre. Extremes are widened by 1e-6 of their distance
 * from the centre and 1e-9 of the inradius, for the solvers' tolerances. */
hcr_status hcri_bounds_narrow(const hcri_set *set, const double *centre, double inradius, double *lower, double *upper,
                              hcr_error *error);

#endif
