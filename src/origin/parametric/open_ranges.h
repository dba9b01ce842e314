/* Ranges for parameters that are declared without one, about a point (y, x) strictly inside the set of outputs and
 * parameters: x, rounded, is the middle of them, where the slice isn't empty, and they reach that many times its size
 * (of 1, where it is smaller) to both sides. So wide a range has no affine origin that is inside for all of it, and no
 * margin: each sample's origin is found and each result verified. */
#ifndef HCRI_OPEN_RANGES_H
#define HCRI_OPEN_RANGES_H

#include "region/builder.h"

int hcri_has_open_ranges(const hcr_builder *builder);
/* `ranged`: a copy of the builder's set, released by the caller, in which each parameter has a range. Errors: EMPTY
 * (with the conflict; no parameters leave anything), SOLVER, MEMORY. */
hcr_status hcri_close_ranges(const hcr_builder *builder, hcri_set *ranged, hcr_error *error);

#endif
