/* Equalities of a point, decided in exact arithmetic where results keep them exactly. */
#ifndef HCRI_EXACT_EQUALITIES_H
#define HCRI_EXACT_EQUALITIES_H

#include "hcr/hcr.h"

/* 1 when the point (y, x) is on every equality: exactly where results are, else to within its tolerance. */
int hcri_exact_meets_equalities(const hcr_region *region, hcr_precision precision, const double *point);
/* hcr_check for data: written in decimals, they needn't be on an equality to the last bit, but to within rounding. */
hcr_status hcri_check_data(const hcr_region *region, size_t rows, const double *x, const double *y, uint8_t *inside,
                           hcr_error *error);

#endif
