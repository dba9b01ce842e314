/* Do bounds and rows leave no direction open? A certificate that takes a few products. */
#ifndef HCRI_BOUNDEDNESS_CERTIFICATE_H
#define HCRI_BOUNDEDNESS_CERTIFICATE_H

#include "region/set.h"

/* *surrounded = 1 when d = 0 is certainly the only direction in which no bound and no row ends; 0 says nothing.
 * lower, upper: bounds, derived ones too. */
hcr_status hcri_boundedness_prove(const hcri_set *set, const double *lower, const double *upper, int *is_bounded,
                                  hcr_error *error);

#endif
