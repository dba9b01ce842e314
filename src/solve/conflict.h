/* Why a set has no interior. */
#ifndef HCRI_CONFLICT_H
#define HCRI_CONFLICT_H

#include "region/set.h"

/* EMPTY when the sides of an output or of a row cross or meet, decided exactly, with what they came from. */
hcr_status hcri_conflict_sides(const hcri_set *set, hcr_error *error);
/* EMPTY with the inequalities that conflict. The largest margin max {r : c_i(y) + |∇c_i| r <= 0} isn't above 0, and
 * its multipliers λ >= 0 prove it: Σ λ_i c_i(y) >= 0 for every y. Those that aren't 0 (a thousandth of the largest) are
 * the conflict. flat: some point satisfies all of them, but there is no room around it. */
hcr_status hcri_conflict_refuse(const hcri_set *set, size_t count, const uint32_t *number, const double *multiplier,
                                int flat, hcr_error *error);

#endif
