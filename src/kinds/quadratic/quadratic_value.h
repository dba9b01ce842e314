/* The value of a quadratic and its derivatives at a point: plain with an error bound, and nearly exact. */
#ifndef HCRI_QUADRATIC_VALUE_H
#define HCRI_QUADRATIC_VALUE_H

#include <math.h>

#include "kinds/quadratic/quadratic.h"

/* c(y) to about twice the working precision; *absolute gets the sum of the sizes of what is rounded. */
double hcri_quadratic_accurate_value(const hcri_quadratic *quadratic, const double *y, double *absolute);
/* gradient += the gradient of c at y, which the margin counts on. */
void hcri_quadratic_accurate_gradient(const hcri_quadratic *quadratic, const double *y, double *gradient);
/* 1/t for the smallest t > 0 with c + g1 t + g2 t² = 0, g2 >= 0 > c; neither form cancels. */
static inline double hcri_quadratic_root(double g1, double g2, double c) {
    const double half = sqrt(g1 * g1 - 4 * g2 * c);
    return g1 >= 0 ? (g1 + half) / (-2 * c) : 2 * g2 / (half - g1);
}
/* hcri_kind's value, add_gradient, smooth and add_gauge_gradient. */
double hcri_quadratic_value(const hcri_constraint *constraint, size_t i, const double *y, double *error,
                            double *scratch);
void hcri_quadratic_add_gradient(const hcri_constraint *constraint, size_t index, const double *y, double weight,
                                 double *gradient, double *scratch);
double hcri_quadratic_smooth(const hcri_constraint *constraint, size_t i, const double *y, double t, double *gradient,
                             double *side, double *scratch);
void hcri_quadratic_add_gauge_gradient(const hcri_constraint *constraint, size_t i, double t, const double *v,
                                       double weight, double *gradient);

#endif
