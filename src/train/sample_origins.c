#include "train/sample_origins.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

hcr_status hcri_places_create(const hcr_region *region, size_t rows, const hcr_allocator *allocator,
                              hcri_places *places, hcr_error *error) {
    const size_t n = hcr_region_dimension(region), p = hcr_region_parameters(region);
    if (p == 0)
        rows = 1;
    *places = (hcri_places){.region = region,
                            .n = n,
                            .parameters = p,
                            .origin = hcri_allocate(allocator, rows, (2 * n + 1 + p) * sizeof(double)),
                            .rays = hcri_allocate(allocator, rows, sizeof(hcr_ray))};
    HCRI_ALLOCATED(places->origin && places->rays);
    places->steps = places->origin + rows * n;
    places->stretch = places->steps + rows * n;
    places->x = p == 0 ? NULL : places->stretch + rows;
    return HCR_OK;
}

hcr_status hcri_places_find(hcri_places *places, hcr_workspace *workspace, size_t rows, hcr_error *error) {
    if (places->parameters == 0) {
        memcpy(places->origin, hcr_region_origin(places->region), places->n * sizeof *places->origin);
        places->stretch[0] = 1;
        places->rays[0].outcome = HCR_OUTCOME_AT_ORIGIN;
        return HCR_OK;
    }
    /* A step of 0 from the origin is contracted to the origin. */
    memset(places->steps, 0, rows * places->n * sizeof *places->steps);
    for (size_t i = 0; i < rows; i++)
        places->stretch[i] = 1;
    return hcr_contract(places->region, workspace, rows, places->x, places->steps, places->origin, places->rays, error);
}

hcr_status hcri_places_stretch(hcri_places *places, hcr_workspace *workspace, size_t rows, const double *mean,
                               hcr_error *error) {
    const size_t n = places->n;
    if (places->parameters == 0)
        rows = 1;
    for (size_t k = 0; k < rows * n; k++)
        places->steps[k] = mean[k % n] - places->origin[k];
    HCRI_TRY(hcr_gauge(places->region, workspace, rows, places->x, places->steps, places->stretch, NULL, error));
    for (size_t i = 0; i < rows; i++)
        places->stretch[i] = 1 / (1 - fmin(places->stretch[i], 0.9));
    return HCR_OK;
}
