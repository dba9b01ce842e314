/* What the verdicts on a region depend on: "empty", "no interior", "redundant", "unbounded", "the point isn't on the
 * equalities". */
#ifndef HCRI_ORIGIN_TOLERANCES_H
#define HCRI_ORIGIN_TOLERANCES_H

#include <math.h>

#include "base/tolerance.h"

/* Equalities, as shares of the sum of the magnitudes of what was added up, never of the result, which may be all noise.
 * - equality_rounding: a row that depends on others up to this is redundant when its right side agrees with theirs up
 *   to it, and contradicts them otherwise. It is thousands of roundings, so that rows computed in different ways agree,
 *   and far from 1e-9, the least difference between rows that people mean.
 * - rounding_noise: what the sums and factorisations of working precision leave of terms that cancel: some tens of
 *   roundings.
 * - eliminated_zero: an entry after elimination, as a share of the largest in its row, that was 0 before rounding.
 * - solved_zero: a number that may be a rounded 0, as a share of the terms of an equality.
 * - written_digits: a given origin that is on an equality; the digits that points are written with. */
#define HCRI_EQUALITY_TOLERANCES(T)                                                                                    \
    T(hcri_equality_rounding, 0x1p-40)                                                                                 \
    T(hcri_rounding_noise, 0x1p-47)                                                                                    \
    T(hcri_eliminated_zero, 0x1p-60)                                                                                   \
    T(hcri_solved_zero, 0x1p-70)                                                                                       \
    T(hcri_written_digits, 1e-9)

/* The search for an interior point. Radii are in units of the search's scale, which follows the region's size.
 * - small_radius: below it the search goes on at a finer scale: the solvers' tolerance of 1e-9 is then a millionth
 *   of the radius.
 * - no_radius: what is left of a radius of 0 by those tolerances, a thousand times over.
 * - flat_share: a radius that can't be distinguished from 0 in a region of size 1, thousands of roundings of a
 * coordinate.
 * - empty_share: a region whose radius is less than this share of the first scale, without a point inside, has no
 *   interior: the solvers' tolerance.
 * - solver_tolerance: the barrier method's, of the radius.
 * - member_share: a multiplier, as a share of the largest, that makes a constraint part of a conflict.
 * - box_share: the same of the box that was derived, whose part in a conflict means that it has to be looked at again.
 * - supporting: a multiplier that isn't 0: the solvers' tolerance. */
#define HCRI_INTERIOR_TOLERANCES(T)                                                                                    \
    T(hcri_small_radius, 1e-3)                                                                                         \
    T(hcri_no_radius, 1e-6)                                                                                            \
    T(hcri_flat_share, 1e-12)                                                                                          \
    T(hcri_empty_share, 1e-9)                                                                                          \
    T(hcri_solver_tolerance, 1e-9)                                                                                     \
    T(hcri_member_share, 1e-3)                                                                                         \
    T(hcri_box_share, 1e-6)                                                                                            \
    T(hcri_supporting, 1e-9)

/* How far a region reaches.
 * - unbounded_value: of a linear program over directions of length about 1: a thousand times CLP's tolerance.
 * - least_square: the regularisation of the weights that prove a region bounded, of the largest entry of H'H.
 * - reach_share, reach_floor: what a linear program's optimum is widened by, of itself and of the radius: CLP's
 *   tolerance and what its scaling makes of it.
 * - progress: a bound that narrows by less of the width isn't propagated further.
 * - least_given: a given origin has at least this share of what an inequality varies by over the region. */
#define HCRI_REACH_TOLERANCES(T)                                                                                       \
    T(hcri_unbounded_value, 1e-6)                                                                                      \
    T(hcri_least_square, 1e-6)                                                                                         \
    T(hcri_reach_share, 1e-6)                                                                                          \
    T(hcri_reach_floor, 1e-9)                                                                                          \
    T(hcri_progress, 1e-3)                                                                                             \
    T(hcri_least_given, 1e-9)

HCRI_EQUALITY_TOLERANCES(HCRI_TOLERANCE)
HCRI_INTERIOR_TOLERANCES(HCRI_TOLERANCE)
HCRI_REACH_TOLERANCES(HCRI_TOLERANCE)

/* Do two sides of a row or an output make an equality? They are rounded once each, and the scale of one of them may
 * have been that of another row before, which takes two roundings more: four halves of 2^-52. */
static inline int hcri_sides_meet(double lower, double upper) {
    const double apart = fabs(lower - upper);
    return lower == upper || (isfinite(apart) && apart <= 0x1p-51 * fmax(fabs(lower), fabs(upper)));
}

#endif
