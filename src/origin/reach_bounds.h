/* A box that holds a set, and whether there is one. */
#ifndef HCRI_REACH_BOUNDS_H
#define HCRI_REACH_BOUNDS_H

#include "region/set.h"

/* lower, upper (n each): what the bounds, closed forms for the quadratics and propagation over the rows give, safe
 * against rounding; ±infinity where they give nothing. */
hcr_status hcri_bounds_derive(const hcri_set *set, double *lower, double *upper, hcr_error *error);
/* 1 when no bound is infinite. */
int hcri_bounds_closed(size_t n, const double *lower, const double *upper);
/* For bounds, rows and quadratics: is there a direction in which nothing ends? Decided from the recession cone, for
 * those that derive left open. Errors: UNBOUNDED with the direction, SOLVER, MEMORY. */
hcr_status hcri_bounds_prove(const hcri_set *set, const double *lower, const double *upper, hcr_error *error);
/* UNBOUNDED: nothing stops this direction. */
hcr_status hcri_bounds_refuse(const hcri_set *set, const double *direction, hcr_error *error);
/* Narrows the box by the extremes of a set of bounds, rows and quadratics around a point of it: all outputs where that
 * is cheap, else those without a bound. `inradius`: about how far the set reaches around the centre. Extremes are
 * widened by 1e-6 of their distance from the centre and 1e-9 of the inradius, for the solvers' tolerances. `unbounded`:
 * some outputs have no bound; those that only quadratics bound together are then left as they are. */
hcr_status hcri_bounds_narrow(const hcri_set *set, const double *centre, double inradius, int unbounded, double *lower,
                              double *upper, hcr_error *error);
/* Narrows [lower, upper] to an extreme that lies `reach` from the centre, on the upper side for `side` 0, widened as
 * above. */
void hcri_bounds_take(double centre, double inradius, double reach, int side, double *lower, double *upper);
/* How far a·y reaches over the bounds and rows around the centre, for each row a: narrows lower and upper (one a row).
 */
hcr_status hcri_bounds_of_rows(const hcri_set *set, const double *centre, double inradius, const hcri_rows *a,
                               double *lower, double *upper, hcr_error *error);

#endif
