#include "maps/ray_origins.h"

#include <string.h>

/* The parameters of all rows first: what is read so soon after it was written would have to wait. */
static void copy_parameters(const hcr_region *region, hcri_slice *slice, const hcri_input *input, size_t first,
                            size_t rows) {
    const size_t p = region->motion.parameters;
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
    hcri_anchor_find_all(region, rows, slice->origins, slice->scratch, slice->anchor);
    for (size_t s = 0; s < rows; s++) {
        double *point = slice->origins + s * n;
        hcri_anchor anchor = slice->anchor[s];
        if (hcri_anchor_exists(anchor) && input->rounds_origin &&
            !hcri_anchor_holds_rounded(region, anchor, point, slice->vectors, slice->scratch))
            anchor = HCRI_ANCHOR_NONE;
        if (!hcri_anchor_exists(anchor))
            memcpy(point, region->origin, n * sizeof *point);
        slice->anchor[s] = anchor;
    }
}
