/* How far a polytope reaches along each output, all outputs at once, for polytopes with too many numbers for a linear
 * program a side. */
#ifndef HCRI_POLYTOPE_REACH_H
#define HCRI_POLYTOPE_REACH_H

#include "origin/local_program.h"

/* Narrows lower, upper to what the bounds and rows around `local`, whose centre is strictly inside, leave; certainly
 * so, and mostly right to a tenth. *found = 0 when nothing is found in good time. */
hcr_status hcri_extent_narrow(const hcri_local *local, double *lower, double *upper, int *found, hcr_error *error);

#endif
