/* Where the rays of a chunk begin: in one point, or, in a region with parameters, each sample in its own. */
#ifndef HCRI_RAY_ORIGINS_H
#define HCRI_RAY_ORIGINS_H

#include "maps/workspace.h"

/* The rows of a map's input: `width` numbers each, of which the first are the direction, or the point when
 * `from_origin`, and their parameters. */
typedef struct hcri_input {
    const double *doubles; /* one of the two */
    const float *floats;
    size_t width;
    int from_origin;   /* encode: the direction is y − O */
    int rounds_origin; /* single-precision results, which end at the origin: rounded too it must be inside */
    const double *x;   /* one of the two, in the same precision; NULL without parameters */
    const float *x_floats;
} hcri_input;

/* Input k of row i, as a double. */
static inline double hcri_input_at(const hcri_input *input, size_t i, size_t k) {
    return input->doubles != NULL ? input->doubles[i * input->width + k] : (double)input->floats[i * input->width + k];
}

/* (O(x), x) and its kind for rows first … first + rows − 1, into the slice; where there is no origin, the region's. */
void hcri_origins_find(const hcr_region *region, hcri_slice *slice, const hcri_input *input, size_t first, size_t rows);

/* The origin of row s of the chunk, set.n numbers, … */
static inline const double *hcri_origin_of(const hcr_region *region, const hcri_slice *slice, size_t s) {
    return slice->origins == NULL ? region->origin : slice->origins + s * region->set.n;
}
/* … and its kind. */
static inline hcri_sample_origin hcri_sample_origin_of(const hcri_slice *slice, size_t s) {
    return slice->origins == NULL ? HCRI_SAMPLE_ORIGIN_AFFINE : slice->sample_origin[s];
}

#endif
