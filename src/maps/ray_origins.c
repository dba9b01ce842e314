#include "maps/ray_origins.h"

#include <string.h>

/* The parameters of all rows first: what is read so soon after it was written would have to wait. */
static void copy_parameters(const hcr_region *region, hcri_slice *slice, const hcri_input *input, size_t first,
                            size_t rows) {
    const size_t p = region->origin_map.parameters;
    for (size_t s = 0; s < rows; s++) {
        double *x = slice->origins + s * region->set.n + region->set.outputs;
        if (input->x != NULL) {
            memcpy(x, input->x + (first + s) * p, p * sizeof *x);
            continue;
        }
        const float *from = input->x_floats + (first + s) * p;
        for (size_t k = 0; k < p; k++)
            x[k] = (double)from[k];
    }
}

void hcri_origins_find(const hcr_region *region, hcri_slice *slice, const hcri_input *input, size_t first,
                       size_t rows) {
    const size_t n = region->set.n;
    copy_parameters(region, slice, input, first, rows);
    hcri_sample_origin_find_all(region, rows, slice->origins, slice->scratch, slice->sample_origin);
    for (size_t s = 0; s < rows; s++) {
        double *point = slice->origins + s * n;
        hcri_sample_origin sample_origin = slice->sample_origin[s];
        if (hcri_sample_origin_exists(sample_origin) && input->rounds_origin &&
            !hcri_sample_origin_holds_rounded(region, sample_origin, point, slice->vectors, slice->scratch))
            sample_origin = HCRI_SAMPLE_ORIGIN_NONE;
        if (!hcri_sample_origin_exists(sample_origin))
            memcpy(point, region->origin, n * sizeof *point);
        slice->sample_origin[s] = sample_origin;
    }
}
