/* How a central point moves with the parameters: the derivatives of the analytic centre,
 *
 *     min over y of φ(y, x) = −Σ log(−c_i(y, x)),    dy/dx = −(∂²φ/∂y²)⁻¹ ∂²φ/∂y∂x,
 *
 * which keep the inequalities that are near at their shares of the distance. */
#ifndef HCRI_CENTRE_SENSITIVITY_H
#define HCRI_CENTRE_SENSITIVITY_H

#include "origin/parametric/origin_map_search.h"
#include "origin/parametric/worst_parameters.h"

/* What is made has no rows at first, and the caller releases it, also after a failure.
 * moves: a row a parameter, over the free outputs (columns of lifted->free) that share an inequality with it; others
 * don't follow it. The values are what they move by over half of its range; zeros are kept. `point`: all columns of the
 * set, strictly inside at the middle of the range; `radius` is about the room around it. */
hcr_status hcri_sensitivity_find(const hcri_lifted *lifted, const hcri_sweep *sweep, const double *point, double radius,
                                 hcri_rows *moves, hcr_error *error);
/* The map of a origin map from moves: a row an output, the dependent ones on the equalities. `simple`: the moves are
 * only about right, and may be rounded. */
hcr_status hcri_sensitivity_map(const hcri_lifted *lifted, const hcri_sweep *sweep, const hcri_rows *moves, int simple,
                                hcri_rows *map, hcr_error *error);

#endif
