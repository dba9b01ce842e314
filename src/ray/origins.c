#include "ray/origins.h"

#include <string.h>

void hcri_origins_find(const hcr_region *region, hcri_slice *slice, const hcri_input *input, size_t first,
                       size_t rows) {
    const size_t n = region->set.n, outputs = region->set.outputs, p = region->motion.parameters;
    for (size_t s = 0; s < rows; s++) {
        double *point = slice->origins + s * n;
        for (size_t k = 0; k < p; k++) {
            const size_t at = (first + s) * p + k;
            point[outputs + k] = input->x != NULL ? input->x[at] : (double)input->x_floats[at];
        }
        hcri_anchor anchor = hcri_anchor_find(region, point, slice->anchor_scratch);
        if (hcri_anchor_exists(anchor) && input->rounds_origin &&
            !hcri_anchor_holds_rounded(region, anchor, point, slice->vectors))
            anchor = HCRI_ANCHOR_NONE;
        if (!hcri_anchor_exists(anchor))
            memcpy(point, region->origin, n * sizeof *point);
        slice->anchor[s] = anchor;
    }
}
