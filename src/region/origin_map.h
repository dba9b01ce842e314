/* Origins that move with the parameters of a region, O(x) = constant + map x (hcri_motion, kinds/kind.h).
 */
#ifndef HCRI_ORIGIN_MAP_H
#define HCRI_ORIGIN_MAP_H

#include "kinds/parametric_slacks.h"
#include "region/solved_equalities.h"

void hcri_motion_release(hcri_motion *motion, const hcr_allocator *allocator);
hcr_status hcri_motion_copy(const hcri_motion *motion, const hcr_allocator *allocator, hcri_motion *copy,
                            hcr_error *error);
hcr_status hcri_motion_write(const hcri_motion *motion, hcri_bytes *out);
/* Of a set with so many outputs and parameters; without parameters nothing is written. The range isn't in it. */
hcr_status hcri_motion_read(hcri_source *in, size_t outputs, size_t parameters, const hcr_allocator *allocator,
                            hcri_motion *motion, hcr_error *error);
/* origin_j = constant_j + Σ map_jk x_k, in the order of k. */
void hcri_motion_origin(const hcri_motion *motion, const double *x, double *origin);
/* The same for samples `stride` apart, in a copy of a motion. */
void hcri_motion_origins(const hcri_motion *motion, size_t samples, const double *x, double *origin, size_t stride);
/* off_j of the outputs that the equalities determine: bounds how far O_j, completed from the origin's other outputs, is
 * from constant_j + map_j x over the range; the others are left as they are. */
hcr_status hcri_motion_bound_completion(const hcri_motion *motion, const hcri_affine *affine,
                                        const hcr_allocator *allocator, double *off, hcr_error *error);
/* 1 when every parameter is in its range (a NaN isn't). */
int hcri_motion_accepts(const hcri_motion *motion, const double *x);

#endif
