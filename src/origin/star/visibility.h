/* How much of a star domain its points see. */
#ifndef HCRI_VISIBILITY_H
#define HCRI_VISIBILITY_H

#include "region/region.h"

/* Points of a set, to be looked at from candidates for its origin. */
typedef struct hcri_sample {
    size_t n, count, capacity;
    double *points;
} hcri_sample;

void hcri_sample_release(hcri_sample *sample);
/* Adds up to `count` points that are in `piece`, a convex region, and certainly in `set`: in random directions from the
 * piece's origin, stretched as its box is, at distances that fill each ray by volume. The same seed gives the same
 * points. */
hcr_status hcri_sample_add(hcri_sample *sample, const hcr_region *piece, const hcri_set *set, size_t count,
                           uint64_t seed, hcr_error *error);
/* How many of the points the origin of the region doesn't see. */
hcr_status hcri_sample_hidden(const hcri_sample *sample, const hcr_region *region, uint64_t *hidden, hcr_error *error);

#endif
