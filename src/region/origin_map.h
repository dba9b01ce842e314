/* Origins that move with the parameters of a region, O(x) = constant + map x (hcri_origin_map, kinds/kind.h).
 */
#ifndef HCRI_ORIGIN_MAP_H
#define HCRI_ORIGIN_MAP_H

#include "kinds/parametric_slacks.h"
#include "region/solved_equalities.h"

void hcri_origin_map_release(hcri_origin_map *origin_map, const hcr_allocator *allocator);
/* In memory that the caller releases, also after a failure. */
hcr_status hcri_origin_map_copy(const hcri_origin_map *origin_map, const hcr_allocator *allocator,
                                hcri_origin_map *copy, hcr_error *error);
/* The fields of a map with its outputs and parameters known; without parameters there are none, and the range isn't
 * among them. */
void hcri_walk_origin_map(hcri_walk *walk, hcri_origin_map *origin_map);
/* origin_j = constant_j + Σ map_jk x_k, in the order of k. */
void hcri_origin_map_origin(const hcri_origin_map *origin_map, const double *x, double *origin);
/* The same for samples `stride` apart, in a copy of a origin map. */
void hcri_origin_map_origins(const hcri_origin_map *origin_map, size_t samples, const double *x, double *origin,
                             size_t stride);
/* off_j of the outputs that the equalities determine: bounds how far O_j, completed from the origin's other outputs, is
 * from constant_j + map_j x over the range; the others are left as they are. */
hcr_status hcri_origin_map_bound_completion(const hcri_origin_map *origin_map, const hcri_affine *affine,
                                            const hcr_allocator *allocator, double *off, hcr_error *error);
/* 1 when every parameter is in its range (a NaN isn't). */
int hcri_origin_map_accepts(const hcri_origin_map *origin_map, const double *x);

#endif
