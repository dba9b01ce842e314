/* The moves of an origin that leave most room around it at the worst parameters: one linear program over the origin at
 * the middle of the range, the moves, and the radius δ of the ball. For x = middle + half·ξ a row a·z + b·x <= u holds
 * for the ball and all |ξ_l| <= 1 when
 *
 *     a·z + b·middle + Σ_l |a·move_l + b_l half_l| + δ|a| <= u,
 *
 * lengths being those within the equalities. Inequalities of other kinds come in one point at a time, as their tangents
 * there. */
#ifndef HCRI_ROBUST_ORIGIN_H
#define HCRI_ROBUST_ORIGIN_H

#include "origin/parametric/origin_map_search.h"
#include "origin/parametric/worst_parameters.h"

typedef struct hcri_robust hcri_robust;
/* `pattern`: a row a parameter, the free outputs that may follow it; kept by the caller. `point`: all columns of the
 * set at the middle of the range, with a ball of `radius` around it, than which none is larger there. *robust = NULL
 * where the program would be too large to be solved in a few seconds. */
hcr_status hcri_robust_create(const hcri_lifted *lifted, const hcri_sweep *sweep, const hcri_rows *pattern,
                              const double *point, double radius, hcri_robust **robust, hcr_error *error);
void hcri_robust_free(hcri_robust *robust); /* NULL is fine */
/* c(y, x) + ∇c·(change of y) <= 0 at a point where the outputs have moved to the corner `at` of the range. */
hcr_status hcri_robust_add(hcri_robust *robust, const hcri_constraint *block, size_t i, const double *point,
                           const double *at, hcr_error *error);
/* moves: an entry for each of the pattern's; y: the free outputs at the middle of the range; *room = δ, which no moves
 * exceed, negative where they leave no point. 0 when no solution was found. */
int hcri_robust_solve(hcri_robust *robust, double *moves, double *y, double *room);

#endif
