/* Outputs in unlike units: one in millionths and one in millions have no ball in common that says much of the set. */
#ifndef HCRI_UNLIKE_UNITS_H
#define HCRI_UNLIKE_UNITS_H

#include "region/set.h"

/* unit (n): powers of two in which the coefficients and gradients of each output are about as large as those of the
 * others; *unlike = 1 where they are far apart. lower, upper: a box that holds the set as far as one is known. */
hcr_status hcri_units_find(const hcri_set *set, const double *lower, const double *upper, double *unit, int *unlike,
                           hcr_error *error);
/* The set of z with y_j = unit_j z_j, without `reduction`. The caller releases it, also after a failure. */
hcr_status hcri_units_change(const hcri_set *set, const double *unit, hcri_set *changed, hcr_error *error);

#endif
