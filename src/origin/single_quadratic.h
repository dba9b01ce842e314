/* One quadratic inequality by itself: its extent, and the nearest point of it. */
#ifndef HCRI_SINGLE_QUADRATIC_H
#define HCRI_SINGLE_QUADRATIC_H

#include "kinds/quadratic/quadratic.h"

/* {g <= 0} for a positive definite matrix P: the minimiser c = centre, slack = −g(c), and half the width along each
 * coordinate, √(2 slack (P⁻¹)_jj). With slack <= 0 there is no interior, and half is 0. */
typedef struct hcri_ellipsoid {
    hcri_pool memory;
    int definite; /* 0: P is singular, or so near that its inverse means little; nothing else is set */
    double slack;
    double *centre, *half;
} hcri_ellipsoid;
hcr_status hcri_ellipsoid_find(const hcri_quadratic *quadratic, hcri_ellipsoid *ellipsoid, hcr_error *error);
void hcri_ellipsoid_release(hcri_ellipsoid *ellipsoid);

/* The quadratic in its principal axes around a point inside: g(base + V z) = constant + linear·z + ½ Σ curvature_k
 * z_k². */
typedef struct hcri_axes {
    hcri_pool memory;
    size_t n;
    double *vector; /* V', a row an axis; NULL: the coordinates are the axes */
    double *base, *linear, *curvature, *z, *shifted;
    double constant;
} hcri_axes;
/* Outputs beyond which a matrix isn't taken apart. */
#define HCRI_LARGEST_DENSE 3000
/* UNSUPPORTED when the matrix is too large to be taken apart. */
hcr_status hcri_axes_find(const hcri_quadratic *quadratic, const double *base, hcri_axes *axes, hcr_error *error);
void hcri_axes_release(hcri_axes *axes);
/* The nearest point of {g <= 0} to a p outside: z_k(μ) = (π_k − μ linear_k)/(1 + μ curvature_k) with the μ > 0 for
 * which g vanishes (the secular equation). */
void hcri_axes_project(hcri_axes *axes, const double *p, double *y);

#endif
