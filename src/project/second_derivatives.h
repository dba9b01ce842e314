/* Second derivatives of constraints: as the kind has them, else by central differences of their gradients, right to
 * about 1e-10 of themselves, and to rounding where they are constant. 0 without memory. */
#ifndef HCRI_SECOND_DERIVATIVES_H
#define HCRI_SECOND_DERIVATIVES_H

#include "region/region.h"

/* What differences are taken over a small share of. */
double hcri_curvature_size(const hcr_region *region);
/* out += weight ∇²c_i(point) direction, set.n numbers each; `room`: twice as many. */
int hcri_curvature_product(const hcri_constraint *block, size_t i, const double *point, const double *direction,
                           double size, double weight, double *out, double *room, double *scratch);
/* full += weight ∇²c_i(point) by the first n coordinates, n × n; `room`: three times set.n. */
int hcri_curvature_add(const hcri_constraint *block, size_t i, size_t n, const double *point, double size,
                       double weight, double *full, double *room, double *scratch);

#endif
