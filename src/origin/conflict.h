/* Why a set has no interior. */
#ifndef HCRI_CONFLICT_H
#define HCRI_CONFLICT_H

#include "origin/equalities/reduction.h"

/* EMPTY when the sides of an output or of a row cross, decided exactly, with what they came from. */
hcr_status hcri_conflict_sides(const hcri_set *set, hcr_error *error);
/* EMPTY with the equalities of the set that are marked, one byte each: they contradict each other, or, when `ties`,
 * leave nothing but an equality between parameters. */
hcr_status hcri_conflict_refuse_equalities(const hcri_set *set, const unsigned char *marked, int ties,
                                           hcr_error *error);
/* EMPTY with the inequalities that conflict. The largest margin max {r : c_i(y) + |∇c_i| r <= 0} isn't above 0, and
 * its multipliers λ >= 0 prove it: Σ λ_i c_i(y) >= 0 for every y. Those that aren't 0 (a thousandth of the largest) are
 * the conflict; where bounds, rows and equalities leave no point, those that farkas.h finds. flat: some point satisfies
 * all of them, but there is no room around it. */
hcr_status hcri_conflict_refuse(const hcri_set *set, size_t count, const uint32_t *number, const double *multiplier,
                                int flat, hcr_error *error);
/* The same with inequalities of the original of a reduction: the equalities that they were reduced with join them. */
hcr_status hcri_conflict_refuse_reduced(const hcri_reduction *reduction, size_t count, const uint32_t *number,
                                        const double *multiplier, int flat, hcr_error *error);

#endif
