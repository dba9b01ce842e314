/* What counts as rounding in the numbers of a region as they were written: the verdicts "empty", "no interior" and
 * "redundant" depend on these alone. Each is a share of the sum of magnitudes of what was added up, never of the
 * result, which may be all noise. */
#ifndef HCRI_ROUNDING_H
#define HCRI_ROUNDING_H

#include <math.h>

/* A row that depends on others up to this is redundant when its right side agrees with theirs up to it, and
 * contradicts them otherwise. It is thousands of roundings, so that rows computed in different ways agree, and far from
 * 1e-9, the least difference between rows that people mean. */
#define HCRI_EQUALITY_ROUNDING 0x1p-40

/* What the sums and factorisations of working precision leave of terms that cancel: some tens of roundings. */
#define HCRI_ROUNDING_NOISE 0x1p-47

/* Do two sides of a row or an output make an equality? They are rounded once each, and the scale of one of them may
 * have been that of another row before, which takes two roundings more. */
static inline int hcri_sides_meet(double lower, double upper) {
    const double apart = fabs(lower - upper);
    return lower == upper || (isfinite(apart) && apart <= 0x1p-51 * fmax(fabs(lower), fabs(upper)));
}

#endif
