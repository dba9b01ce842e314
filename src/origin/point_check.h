/* What floating point can say for certain about a point. */
#ifndef HCRI_POINT_CHECK_H
#define HCRI_POINT_CHECK_H

#include "region/set.h"

/* 1 when every inequality holds strictly at y, rounding included. If not, *number is the worst one (the largest value
 * that isn't certainly negative) and *value its value; both may be NULL. */
int hcri_strictly_inside(const hcri_set *set, const double *y, uint32_t *number, double *value);

#endif
