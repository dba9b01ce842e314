/* One quadratic inequality by itself: its extent. */
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

/* Outputs beyond which a matrix isn't taken apart. */
#define HCRI_LARGEST_DENSE 3000

#endif
