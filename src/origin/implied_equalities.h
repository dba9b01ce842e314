/* Inequalities that a set leaves no room: y >= 0 and sum(y) <= 0 are y == 0. */
#ifndef HCRI_IMPLIED_EQUALITIES_H
#define HCRI_IMPLIED_EQUALITIES_H

#include "region/set.h"

/* A copy of a numbered set in which the bounds and rows that hold with equality at every point of its bounds, rows and
 * equalities have sides that meet; *held: how many. 0, and no copy, where there are none, where the set is empty, and
 * where a parameter would be held. The caller releases the copy. Errors: MEMORY, SOLVER. */
hcr_status hcri_hold_implied_equalities(const hcri_set *set, hcri_set *copy, size_t *held, hcr_error *error);

#endif
