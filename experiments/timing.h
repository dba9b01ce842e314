/* Seconds of one sample's post-processing, and what Algorithm 1 leaves to do of it. */
#ifndef HCR_EXPERIMENT_TIMING_H
#define HCR_EXPERIMENT_TIMING_H

#include "experiment.h"

/* A map of the region: hcr_decode, hcr_contract, hcr_soften. */
typedef hcr_status region_map(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *x,
                              const double *points, double *y, hcr_ray *rays, hcr_error *error);

/* seconds[i] of the i-th sample alone, by the map and by projection: the least of some calls, since what else the
 * machine does can only add, less what reading the clock takes. `width` numbers a point. */
hcr_status timing_map(const hcr_region *region, region_map *map, size_t rows, size_t width, const double *points,
                      double *seconds, hcr_error *error);
hcr_status timing_projection(const hcr_region *region, size_t rows, const double *points, double *seconds,
                             hcr_error *error);

/* Constraints intersected and seconds a sample, with a given search, over all rows at once. */
hcr_status timing_search(const hcr_region *region, region_map *map, const hcr_search *search, size_t rows,
                         const double *points, double *candidates, double *seconds, hcr_error *error);

#endif
