/* Of nearest points. What the distance is promised to, 1e-8, is no choice and stands in nearest_point.c.
 *
 * Which constraints hold a point:
 * - contact_share: a constraint touches a point that has no larger share of its slack at the origin left.
 * - frontier_share: gauges this close to 1 are on the frontier where Newton's method starts.
 * - multiplier_sign: multipliers this small a share of the largest may be of either sign.
 * - nearly_inside: by how much the gauge of a nearest point may exceed 1 before it is drawn inside.
 *
 * Which rows depend on others: what is left of a row across them,
 * - contact_independence: as a share of its length;
 * - row_independence: as a share of its squared length, from which on rounding is all there is; below nearly_dependent
 *   rounding counts in it;
 * - kkt_independence: the same for gradients of curved constraints.
 *
 * - semidefinite_share: least eigenvalues of a metric up to this share of the largest are those of a matrix that isn't
 *   definite. */
#ifndef HCRI_PROJECTION_TOLERANCES_H
#define HCRI_PROJECTION_TOLERANCES_H

#include "base/tolerance.h"

#define HCRI_PROJECTION_TOLERANCES(T)                                                                                  \
    T(hcri_contact_share, 1e-7)                                                                                        \
    T(hcri_frontier_share, 1e-7)                                                                                       \
    T(hcri_multiplier_sign, 1e-12)                                                                                     \
    T(hcri_nearly_inside, 1e-6)                                                                                        \
    T(hcri_contact_independence, 1e-9)                                                                                 \
    T(hcri_row_independence, 1e-14)                                                                                    \
    T(hcri_nearly_dependent, 1e-6)                                                                                     \
    T(hcri_kkt_independence, 1e-12)                                                                                    \
    T(hcri_semidefinite_share, 1e-10)

HCRI_PROJECTION_TOLERANCES(HCRI_TOLERANCE)

#endif
