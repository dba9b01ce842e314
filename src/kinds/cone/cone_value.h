/* A cone at a point: what depends on no origin. */
#ifndef HCRI_CONE_VALUE_H
#define HCRI_CONE_VALUE_H

#include "kinds/cone/cone.h"

/* e0 times the gauge of a ray with w0 = M O + s, w = M v, e0 = c·O + e, f = c·v: `norm` = |w'| and cross = w'·w0/e0 for
 * w' = w when f >= 0 and w' = w − f w0/e0 when f < 0; one_less = 1 − |w0|²/e0². See docs/exactness.md. */
double hcri_cone_root(double norm, double cross, double f, double one_less);
/* That gauge from w, which is overwritten, and w0 (NULL: zeros), `count` numbers each; infinity where O isn't inside.
 */
double hcri_cone_gauge(size_t count, double *w, const double *w0, double e0, double f);
/* |w0|, |w| and w0·w of a ray from anywhere. */
typedef struct hcri_crossing {
    double e0, f;
    double w0_norm, w_norm, dot;
} hcri_crossing;
/* The t >= 0 of the ray that lie in the cone, for w0 not shorter than e0. */
hcri_interval hcri_cone_cross(const hcri_crossing *ray);
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
/* What `from` is after a substitution: with its sources, or, where it is a constant, NULL, and refused (EMPTY) where
 * that doesn't hold. */
hcr_status hcri_cone_keep(hcri_constraint *made, const hcri_constraint *from, hcri_constraint **kept, hcr_error *error);
hcr_status hcri_cone_substitute(const hcri_constraint *constraint, const hcri_substitution *substitution,
                                hcri_constraint **substituted, hcr_error *error);

#endif
