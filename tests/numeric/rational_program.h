/* Whether bounds, rows and equalities leave a point, decided in rational arithmetic. */
#ifndef HCR_TEST_RATIONAL_PROGRAM_H
#define HCR_TEST_RATIONAL_PROGRAM_H

#include "region/set.h"

/* 1 when a set of bounds, rows and equalities has a point at the parameters x. */
int rational_program_has_point(const hcri_set *set, const double *x);

#endif
