/* Which of the constraints that contradict each other are needed for it. */
#ifndef HCRI_FARKAS_H
#define HCRI_FARKAS_H

#include "region/set.h"

/* `number` are bounds and rows of a set. Marks, of them and then of the set's equalities, a byte each, some that have
 * no point in common and of which none can be left out, but for rounding; none where by the solver's tolerance all have
 * a point in common. Errors: MEMORY, SOLVER. */
hcr_status hcri_farkas_support(const hcri_set *set, size_t sides, const uint32_t *number, unsigned char *needed,
                               hcr_error *error);

#endif
