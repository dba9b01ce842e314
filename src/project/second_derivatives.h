/* Second derivatives of constraints: as the kind has them, else by central differences of their gradients, right to
 * about 1e-10 of themselves, and to rounding where they are constant. 0 without memory. */
#ifndef HCRI_SECOND_DERIVATIVES_H
#define HCRI_SECOND_DERIVATIVES_H

#include "region/region.h"

/* What differences are taken over a small share of. */
double hcri_curvature_size(const hcr_region *region);
typedef struct hcri_curvature {
    const hcri_constraint *block;
    size_t i;
    const double *point;
    double size; /* hcri_curvature_size */
    double weight;
    double *room, *scratch; /* 2 set.n numbers for a product, 3 set.n for a matrix; the block's */
} hcri_curvature;

/* out += weight ∇²c_i(point) direction, set.n numbers each. */
int hcri_curvature_product(const hcri_curvature *at, const double *direction, double *out);
/* full += weight ∇²c_i(point) by the first n coordinates, n × n. */
int hcri_curvature_add(const hcri_curvature *at, size_t n, double *full);

#endif
