/* The value of a tape in interval arithmetic of any precision. */
#ifndef HCRI_EXPRESSION_EXACT_H
#define HCRI_EXPRESSION_EXACT_H

#include <mpfi.h>

#include "functions/tape.h"

/* Sets `out` to an interval that holds the value at a point, or over a box, y: one interval an output. All is computed
 * with `bits` bits (`out` keeps its own precision). Matrix steps are bounded in double precision
 * (functions/tape_matrix.h), so that beyond it more bits don't help them. 1; 0 when an argument may be
 * outside the domain of a step, HCRI_EXACT_MEMORY: `out` then isn't set. */
int hcri_tape_interval(const hcri_tape *tape, mpfi_t *y, mpfr_prec_t bits, mpfi_ptr out);

#endif
