/* Where a ray is inside one convex inequality, in closed form: hcri_kind's interval of the kinds named. For any other
 * kind see hcri_block_interval. */
#ifndef HCRI_RAY_INTERVAL_H
#define HCRI_RAY_INTERVAL_H

#include "kinds/kind.h"

hcri_interval hcri_box_interval(const hcri_constraint *constraint, size_t i, const double *origin, const double *v,
                                double *scratch);
hcri_interval hcri_linear_interval(const hcri_constraint *constraint, size_t i, const double *origin, const double *v,
                                   double *scratch);
/* v has zeros for the parameters. */
hcri_interval hcri_varying_interval(const hcri_constraint *constraint, size_t i, const double *origin, const double *v,
                                    double *scratch);
hcri_interval hcri_quadratic_interval(const hcri_constraint *constraint, size_t i, const double *origin,
                                      const double *v, double *scratch);
/* at + g1 t + g2 t² <= 0 with g2 >= 0 */
hcri_interval hcri_between_roots(double at, double g1, double g2);

#endif
