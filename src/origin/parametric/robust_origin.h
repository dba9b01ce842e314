/* The moves of an origin that leave most room around it at the worst parameters: one linear program over the origin at
 * the middle of the range, the moves, and the radius δ of the ball. For x = middle + half·ξ a row a·z + b·x <= u holds
 * for the ball and all |ξ_l| <= 1 when
 *
 *     a·z + b·middle + Σ_l |a·move_l + b_l half_l| + δ|a| <= u,
 *
 * lengths being those within the equalities. Inequalities of other kinds are left out. */
#ifndef HCRI_ROBUST_ORIGIN_H
#define HCRI_ROBUST_ORIGIN_H

#include "origin/parametric/origin_map_search.h"
#include "origin/parametric/worst_parameters.h"

/* moves: as centre_sensitivity.h has them; the values become those that leave most room. `point`: all columns of the
 * set at the middle of the range, with a ball of `radius` around it, than which none is larger there. *room = δ, which
 * no moves exceed; −infinity where no solution was found, or the program would take more than a few seconds. */
hcr_status hcri_robust_find(const hcri_lifted *lifted, const hcri_sweep *sweep, const double *point, double radius,
                            hcri_rows *moves, double *room, hcr_error *error);

#endif
