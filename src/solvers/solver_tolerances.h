/* Of linear programs, whose rows are scaled to a largest coefficient of 1.
 * - lp_tolerance: CLP's, of rows and of reduced costs.
 * - reduced_cost_rounding: a reduced cost, as a share of the sum of the magnitudes of its terms, that may be a rounded
 * 0.
 * - duality_gap: of an optimum, as a share of the terms of its dual bound and of a thousandth. */
#ifndef HCRI_SOLVER_TOLERANCES_H
#define HCRI_SOLVER_TOLERANCES_H

#include "base/tolerance.h"

#define HCRI_SOLVER_TOLERANCES(T)                                                                                      \
    T(hcri_lp_tolerance, 1e-9)                                                                                         \
    T(hcri_reduced_cost_rounding, 1e-9)                                                                                \
    T(hcri_duality_gap, 1e-7)

HCRI_SOLVER_TOLERANCES(HCRI_TOLERANCE)

#endif
