/* One quadratic inequality in its principal axes: the nearest point of it. */
#ifndef HCRI_PRINCIPAL_AXES_H
#define HCRI_PRINCIPAL_AXES_H

#include "kinds/quadratic/quadratic.h"

/* The quadratic in its principal axes around a point inside: g(base + V z) = constant + linear·z + ½ Σ curvature_k
 * z_k². */
typedef struct hcri_axes {
    hcri_pool memory;
    size_t n;
    double *vector; /* V', a row an axis; NULL: the coordinates are the axes */
    double *base, *linear, *curvature, *z, *shifted;
    double constant;
} hcri_axes;
/* UNSUPPORTED when the matrix is too large to be taken apart. */
hcr_status hcri_axes_find(const hcri_quadratic *quadratic, const double *base, hcri_axes *axes, hcr_error *error);
void hcri_axes_release(hcri_axes *axes);
/* The nearest point of {g <= 0} to a p outside: z_k(μ) = (π_k − μ linear_k)/(1 + μ curvature_k) with the μ > 0 for
 * which g vanishes (the secular equation). */
void hcri_axes_project(hcri_axes *axes, const double *p, double *y);

#endif
