/* Central points of a set: the centre of a largest ball inside it, and the analytic centre. */
#ifndef HCRI_ANALYTIC_CENTRE_H
#define HCRI_ANALYTIC_CENTRE_H

#include "region/set.h"

/* The radius of a ball around y that all inequalities allow; negative outside. Exact for bounds and rows. For a
 * quadratic c it is the t with c(y) + |∇c(y)| t + ½ λ t² = 0, λ a bound of the largest curvature: exact in the centre
 * of a ball. */
hcr_status hcri_central_radius(const hcri_set *set, const double *y, double *radius, hcr_error *error);

/* y (n numbers): the centre of a largest ball; *radius its radius. lower, upper: a box that holds the set as far as one
 * is known.
 *
 * The middle of a box or the centre of an ellipsoid is taken where nothing can beat it; for a polytope with more than
 * 1,000 outputs its analytic centre, where one is found. Other polytopes go to CLP: max r, a_i·y + |a_i| r <= b_i.
 * There may be many such centres; when the multipliers leave y free, it moves to the analytic centre of those that have
 * at least 99 % of the radius. Sets with quadratics go to a barrier
 * method (newton_centre.h): max r, also c_q(y) + w_q r <= 0 with w_q so that
 * −c_q/w_q is the radius at the point where it starts, and again from the point found while the radius grows by 5 %.
 * Solvers start again around what they found, at the scale of its radius, until that is no longer small: so thin sets
 * are distinguished from empty ones. Errors: EMPTY with the conflict, SOLVER, MEMORY. */
hcr_status hcri_central_largest_ball(const hcri_set *set, const double *lower, const double *upper, double *y,
                                     double *radius, hcr_error *error);
/* EMPTY where the bounds and rows alone have no point, or with `needs_room` none strictly inside, as far as the simplex
 * method tells; the set may be unbounded. */
hcr_status hcri_central_check_rows(const hcri_set *set, const double *lower, const double *upper, int needs_room,
                                   hcr_error *error);
/* y: from a point strictly inside to argmax Σ log(−c_i), a bounded set's. `radius`: of y. */
hcr_status hcri_central_analytic(const hcri_set *set, double radius, double *y, hcr_error *error);

#endif
