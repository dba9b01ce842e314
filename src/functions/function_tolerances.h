/* - root_width: brackets end when they are this wide, relative to the root: 32 units in its last place.
 * - substitution_rounding: the share of Σ|a_i T_ij| that is rounding: of T, which is right to a few units in the last
 *   place, and of the sum. */
#ifndef HCRI_FUNCTION_TOLERANCES_H
#define HCRI_FUNCTION_TOLERANCES_H

#include "base/tolerance.h"

#define HCRI_FUNCTION_TOLERANCES(T)                                                                                    \
    T(hcri_root_width, 0x1p-48)                                                                                        \
    T(hcri_substitution_rounding, 0x1p-48)

HCRI_FUNCTION_TOLERANCES(HCRI_TOLERANCE)

#endif
