/* A cone at a point: what depends on no origin. */
#ifndef HCRI_CONE_VALUE_H
#define HCRI_CONE_VALUE_H

#include "kinds/cone/cone.h"

/* e0 times the gauge of a ray with w0 = M O + s, w = M v, e0 = c·O + e, f = c·v: `norm` = |w'| and cross = w'·w0/e0 for
 * w' = w when f >= 0 and w' = w − f w0/e0 when f < 0; one_less = 1 − |w0|²/e0². See docs/exactness.md. */
double hcri_cone_root(double norm, double cross, double f, double one_less);
double hcri_cone_value(const hcri_constraint *constraint, size_t i, const double *y, double *error, double *scratch);
int hcri_cone_holds(const hcri_constraint *constraint, const double *y, double *scratch);
void hcri_cone_add_gradient(const hcri_constraint *constraint, size_t i, const double *y, double weight,
                            double *gradient, double *scratch);
int hcri_cone_add_curvature(const hcri_constraint *constraint, size_t i, const double *y, double weight, size_t count,
                            const double *directions, double *out);
double hcri_cone_smooth(const hcri_constraint *constraint, size_t i, const double *y, double t, double *gradient,
                        double *side, double *scratch);
size_t hcri_cone_edge(const hcri_constraint *constraint, size_t i, const double *y, hcri_edge *edge);
hcri_interval hcri_cone_interval(const hcri_constraint *constraint, size_t i, const double *origin, const double *v,
                                 double *scratch);
hcr_status hcri_cone_substitute(const hcri_constraint *constraint, const hcri_substitution *substitution,
                                hcri_constraint **substituted, hcr_error *error);

#endif
