/* - edge_share: eigenvalues of a matrix inequality, and the right side of a cone, up to this share of their size at the
 *   origin are 0: the point is on an edge or at the tip. It is a thousand times what nearest points are off by.
 * - touching_gap: parts of a union that are this close along a ray, relative to the distance, touch: thousands of
 *   roundings of their ends.
 * - shortest_interval: of a ray, relative to its end, that the search for a first crossing cuts: closer to 0 than that
 *   the function counts as a touch. */
#ifndef HCRI_KIND_TOLERANCES_H
#define HCRI_KIND_TOLERANCES_H

#include "base/tolerance.h"

#define HCRI_KIND_TOLERANCES(T)                                                                                        \
    T(hcri_edge_share, 1e-6)                                                                                           \
    T(hcri_touching_gap, 0x1p-40)                                                                                      \
    T(hcri_shortest_interval, 0x1p-44)

HCRI_KIND_TOLERANCES(HCRI_TOLERANCE)

#endif
