/* Where to look for an origin in a set that reaches to infinity. */
#ifndef HCRI_UNBOUNDED_ORIGIN_H
#define HCRI_UNBOUNDED_ORIGIN_H

#include "region/set.h"

/* The size of what a set's numbers say: the largest distance of a bound's or a row's frontier from 0, between 1 and 1e4
 * (what is larger was meant as none), so that an origin is among them. */
double hcri_open_size(const hcri_set *set);
/* low, high (n each): lower and upper, where they are infinite 2·size from the other side, or ±size around 0. */
void hcri_open_cube(const hcri_set *set, const double *lower, const double *upper, double size, double *low,
                    double *high);
/* y: the centre of a largest ball in what is within the cube of the least size, starting at twice that of the data, in
 * which there is one; for a set of bounds, rows and quadratics. Errors: EMPTY, SOLVER, MEMORY. */
hcr_status hcri_open_centre(const hcri_set *set, const double *lower, const double *upper, double *y, double *radius,
                            hcr_error *error);

#endif
